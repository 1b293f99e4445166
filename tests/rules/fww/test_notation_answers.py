"""decisions §2, §3: what round orders, preferences and conditions mean when the question comes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.games.first_world_war.answers import Attack, Move, Pass, Recall, Transfer
from engine.games.first_world_war.notation import NOTATION
from engine.kernel.errors import Ambiguous
from engine.kernel.game import Said
from engine.kernel.sheet import OrderFile
from tests.rules.fww.board import Board
from tests.rules.fww.desk import (
    NOTHING,
    capture_question,
    draw_question,
    flanders,
    leader_question,
    line,
    read,
    said,
    tile_question,
    view_of,
)

# ------------------------------------------------------------------ round orders


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("PASS", Pass()),
        ("C2: PASS", Pass()),
        ("C1: PASS", NOTHING),
        ("C3: PASS", NOTHING),
        ("ATTACK 3", Attack(3, ("FR2", "FR3", "FR4"))),
        ("ATTACK 3 WITH ALL", Attack(3, ("FR2", "FR3", "FR4"))),
        ("ATTACK 1 WITH REAL", Attack(1, ("BE1", "BR1"))),
        ("ATTACK 3 WITH FR4 FR2 LEAD FR4 TILE BEST TAKE METZ NONE",
         Attack(3, ("FR2", "FR4"), "FR4", "NONE", "METZ NONE")),
        ("ATTACK 3 TILE RUMOURS IF ENEMYTILE ELSE NONE LEAD WEAKEST",
         Attack(3, ("FR2", "FR3", "FR4"), "WEAKEST", "RUMOURS IF ENEMYTILE ELSE NONE")),
        ("ATTACK 3 WITH BR1", NOTHING),
        ("ATTACK 1 WITH D", NOTHING),
        ("ATTACK 2", NOTHING),
        ("MOVE 1: BR1 D > 2", Move(1, (("BR1", 2), ("WA-D1", 2)))),
        ("MOVE 1: 2D > 2", Move(1, (("WA-D1", 2), ("WA-D2", 2)))),
        ("MOVE 1: WA-D2 > 2", Move(1, (("WA-D2", 2),))),
        ("MOVE 1: D > 2; D > 2", Move(1, (("WA-D1", 2), ("WA-D2", 2)))),
        ("MOVE 1: 3D > 2", NOTHING),
        ("MOVE 3: FR2 > 2; ALL > 4", Move(3, (("FR2", 2), ("FR3", 4), ("FR4", 4)))),
        ("MOVE 1: BE1 > 2", NOTHING),
        ("MOVE 1: BR1 > 3", NOTHING),
        ("TRANSFER 1 > 2: BR1 D", Transfer(1, 2, ("BR1", "WA-D1"))),
        ("TRANSFER 4 > 3: ALL", Transfer(4, 3, ("FR1", "WA-D3"))),
        ("TRANSFER 3 > 1: ALL", NOTHING),
        ("IF ENEMY 1 >= 2 THEN ATTACK 1 WITH BR1 ELSE PASS", Attack(1, ("BR1",))),
        ("IF ENEMY 1 > 2 THEN ATTACK 1 WITH BR1 ELSE PASS", Pass()),
        ("IF ENEMY 1 > 2 THEN ATTACK 1", NOTHING),
        ("ATTACK 1 WITH BE1 IF OWN 1 = 2", Attack(1, ("BE1",))),
        ("ATTACK 1 WITH BE1 IF OWN 1 > 2 ELSE PASS", Pass()),
    ],
)  # fmt: skip
def test_round_orders_resolve_on_the_present_board(text: str, answer: Any) -> None:
    board = flanders()
    ask = board.ask()
    assert said(text, ask, board.view("WA")) == answer


def test_an_attempt_says_what_is_meant_so_that_its_refusal_can_be_told() -> None:
    board = flanders()
    for text, reason in [
        ("ATTACK 3 WITH BR1", ("FWW-6-1", "not-there")),
        ("ATTACK 1 WITH D", ("FWW-6-3", "dummy")),
        ("ATTACK 2", ("FWW-6-3", "no-army-named")),
        ("MOVE 1: BE1 > 2", ("FWW-2.1-2", "not-listed")),
        ("MOVE 1: BR1 > 3", ("FWW-5-2", "not-adjacent")),
        ("TRANSFER 3 > 1: ALL", ("FWW-5-5", "one-or-two")),
    ]:
        assert board.refused(WA=text) == [reason]


def test_lines_for_one_round_are_tried_in_sequence_until_one_is_legal() -> None:
    board = flanders()
    ask = board.ask()
    view = board.view("WA")
    sheet = read("C2: ATTACK 2\nC2: TRANSFER 3 > 1: BR1\nC2: MOVE 4: FR1 > 3\nC2: PASS", view).orders
    found = OrderFile(sheet).find(ask, "", view, NOTATION)
    assert found is not None
    assert (found.answer, found.line) == (Move(4, (("FR1", 3),)), sheet[2])


def test_the_allies_of_germany_command_germans_on_their_fronts() -> None:
    board = Board(turn=3, faction="GA", fronts={9: "AH1 DE4 DE:D GA:D RU3"})
    ask, view = board.ask(), board.view("GA")
    assert said("ATTACK 9", ask, view) == Attack(9, ("AH1", "DE4"))
    assert said("TRANSFER 9 > 3: DE4 D", ask, view) == Transfer(9, 3, ("DE-D1", "DE4"))


@pytest.mark.parametrize(
    ("dummies", "text", "answer"),
    [
        ("GA:2D DE:2D", "MOVE 9: D > 10", Move(9, (("GA-D1", 10),))),
        ("GA:2D DE:2D", "MOVE 9: 3D > 10", Move(9, (("DE-D1", 10), ("GA-D1", 10), ("GA-D2", 10)))),
        ("GA:2D DE:2D", "MOVE 9: D > 8", Move(9, (("DE-D1", 8),))),  # no Austrian may go there
        ("GA:2D DE:2D", "MOVE 9: 2D > 8; D > 10", Move(9, (("DE-D1", 8), ("DE-D2", 8), ("GA-D1", 10)))),
        ("GA:D DE:D", "MOVE 9: 2D > 8", NOTHING),
        ("GA:2D DE:2D", "TRANSFER 9 > 5: 2D", Transfer(9, 5, ("GA-D1", "GA-D2"))),  # 5.3: no German yet
        ("GA:D DE:2D", "TRANSFER 9 > 5: 2D", NOTHING),
        ("GA:D DE:D", "TRANSFER 9 > 10: DE-D1 D", Transfer(9, 10, ("DE-D1", "GA-D1"))),
        ("GA:D DE:D", "TRANSFER 9 > 10: GA-D1 D", Transfer(9, 10, ("DE-D1", "GA-D1"))),
    ],
)
def test_5_1__5_any_dummy_is_an_own_one_if_such_may_go_there(dummies: str, text: str, answer: Any) -> None:
    board = Board(turn=2, faction="GA", fronts={9: f"AH1 DE9 RU3 {dummies}"})
    assert said(text, board.ask(), board.view("GA")) == answer


@pytest.mark.parametrize(
    ("recalls", "text", "answer"),
    [
        ([("DE4", 9, 8)], "AGREE RECALL", Move(9, (("DE4", 8),))),
        ([("DE4", 9, 3)], "AGREE RECALL DE4", Transfer(9, 3, ("DE4",))),
        ([("DE4", 9, 3)], "AGREE RECALL DE5", NOTHING),
        ([], "AGREE RECALL", NOTHING),
        ([("DE4", 9, 3), ("DE5", 9, 8)], "AGREE RECALL", NOTHING),
        ([("DE4", 9, 3), ("DE5", 9, 8)], "AGREE RECALL DE5", Move(9, (("DE5", 8),))),
    ],
)
def test_agreement_to_a_recall_becomes_the_fitting_action(recalls: Any, text: str, answer: Any) -> None:
    board = Board(turn=3, faction="GA", fronts={9: "AH1 DE4 DE5"})
    board.state.recalls = [Recall(*row) for row in recalls]
    ask, view = board.ask(), board.view("GA")
    assert said(text, ask, view) == answer


def test_several_requests_and_no_name_are_asked_back() -> None:
    board = Board(turn=3, faction="GA", fronts={9: "AH1 DE4 DE5"})
    board.state.recalls = [Recall("DE4", 9, 3), Recall("DE5", 9, 8)]
    view = board.view("GA")
    found = line("AGREE RECALL", view).check(view)
    assert isinstance(found, Ambiguous)
    assert found.meanings == ("AGREE RECALL DE4", "AGREE RECALL DE5")


# ------------------------------------------------------------------ conditions


@pytest.mark.parametrize(
    ("condition", "truth"),
    [
        ("HOLD PARIS", True),
        ("HOLD METZ", True),
        ("HOLD RIGA", True),
        ("LOST CALAIS", True),
        ("LOST PARIS", False),
        ("NOT LOST CALAIS", False),
        ("OWN 1 = 2", True),
        ("OWN 9 >= 1", False),
        ("ENEMY 1 = 3", True),
        ("ENEMY 2 > 0", False),
        ("VP WA >= 7", True),
        ("VP GERMANY < 6", True),
        ("TURN = 3", True),
        ("CYCLE = 2", True),
        ("CYCLE < 2", False),
        ("ATTACKED 1", True),
        ("ATTACKED 2", False),
        ("ATTACKED 3", False),
        ("WON", True),
        ("WON AND TURN > 3", False),
        ("WON AND NOT TURN > 3", True),
    ],
)
def test_conditions_read_the_senders_own_knowledge(condition: str, truth: bool) -> None:
    board = flanders(
        fronts={1: "BE1 BR1 WA:2D DE1 DE2 DE:D", 9: "RU3"},
        control={"METZ": "WA", "CALAIS": "DE"},
        vp={"WA": 7, "DE": 5},
        attacked={"DE": [1], "WA": [3]},
        won={"WA": True},
    )
    ask, view = board.ask(), board.view("WA")
    assert (said(f"IF {condition} THEN PASS", ask, view) == Pass()) is truth


def test_5_1__6_own_armies_in_a_condition_are_those_of_the_own_colour() -> None:
    """Germans under its command are not the German Allies' own; they remain Germany's."""
    board = Board(turn=3, faction="GA", fronts={9: "AH1 DE4 DE5"})
    ask, view = board.ask(), board.view("GA")
    assert said("IF OWN 9 = 1 THEN PASS", ask, view) == Pass()
    board = Board(turn=3, faction="DE", fronts={1: "DE1", 9: "AH1 DE4 DE5"})
    assert said("IF OWN 9 = 2 THEN PASS", board.ask(), board.view("DE")) == Pass()


# ------------------------------------------------------------------ combat


@pytest.mark.parametrize(
    ("text", "given", "tile"),
    [
        ("MACHINEGUNS NONE", {}, "A01"),
        ("TANKS TRENCHES RUMOURS", {}, "A07"),
        ("TANKS", {}, None),
        ("NONE", {}, None),
        ("BEST", {}, "A01"),
        ("ZERO", {}, "A07"),
        ("BEST IF STAKE METZ ELSE ZERO", {"at_stake": ("METZ",)}, "A01"),
        ("BEST IF STAKE METZ ELSE ZERO", {"at_stake": ("REIMS",)}, "A07"),
        ("BEST IF ATKCOUNT >= 2 ELSE NONE", {"attackers": ("DE1", "DE7")}, "A01"),
        ("BEST IF ATKCOUNT > 2 ELSE NONE", {"attackers": ("DE1", "DE7")}, None),
        ("NONE IF ATKMAX < 3 ELSE ZERO IF ATKMAX = 3 ELSE BEST", {"attackers": ("DE1", "DE7")}, "A07"),
    ],
)
def test_the_defenders_tile(text: str, given: Any, tile: str | None) -> None:
    view = view_of("WA", hands={"WA": ("A01", "A04", "A07", "A10")})
    ask = tile_question("defence", "A01", "A04", "A07", None, **({"defenders": ("FR2",)} | given))
    assert said(f"DEFEND 3: TILE {text}", ask, view) == tile
    assert said(f"DEFEND ALL: TILE {text}", ask, view) == tile
    assert said(f"DEFEND 2: TILE {text}", ask, view) is NOTHING
    assert said(f"TILE {text}", ask, view) == tile or text == "TANKS"


def test_best_is_the_highest_value_and_of_equals_the_lowest_id() -> None:
    view = view_of("WA", hands={"WA": ("A04", "A10", "A01")})
    ask = tile_question("defence", "A01", "A04", "A10", None)
    assert said("DEFEND 3: TILE BEST", ask, view) == "A10"
    assert said("DEFEND 3: TILE BEST", tile_question("defence", "A01", "A04", None), view) == "A01"


def test_a_mandatory_tile_overrides_and_of_two_the_first_named_is_played() -> None:
    view = view_of("WA", hands={"WA": ("A03", "A08")})
    ask = tile_question("attack", "A03", "A08")
    assert said("ATTACKTILE ALL: NONE", ask, view) is NOTHING
    assert said("ATTACKTILE 3: SHELLSHORTAGE PANTALONSROUGES", ask, view) == "A08"


@pytest.mark.parametrize(
    ("text", "enemy", "tile"),
    [
        ("BEST IF ENEMYTILE ELSE NONE", "normal", "A07"),
        ("BEST IF ENEMYTILE ELSE NONE", None, None),
        ("NONE IF ENEMYMANDATORY ELSE ZERO", "mandatory", None),
        ("NONE IF ENEMYMANDATORY ELSE ZERO", "normal", "A07"),
    ],
)
def test_the_attackers_tile_and_his_plan(text: str, enemy: Any, tile: str | None) -> None:
    view = view_of("WA", hands={"WA": ("A07",)})
    ask = tile_question("attack", "A07", None, enemy_tile=enemy, attackers=("FR2",))
    assert said(f"ATTACKTILE ALL: {text}", ask, view) == tile
    assert NOTATION.preference(text, ask, view) == Said(tile)


@pytest.mark.parametrize(
    ("text", "leader", "army"),
    [
        ("STRONGEST", None, "BR1"),
        ("WEAKEST", None, "BE1"),
        ("FR3 FR2", None, "FR2"),
        ("FR3", None, "BR1"),
        ("FR2 IF ENEMYLEAD >= 3 ELSE BE1", "DE1", "FR2"),
        ("FR2 IF ENEMYLEAD >= 3 ELSE BE1", "DE7", "BE1"),
    ],
)
def test_the_defenders_leader(text: str, leader: str | None, army: str) -> None:
    ask = leader_question("defence", "BE1", "BR1", "FR2", enemy_leader=leader)
    assert said(f"DEFEND 3: LEAD {text}", ask, view_of()) == army


def test_the_attackers_leader_by_plan() -> None:
    ask = leader_question("attack", "FR1", "FR2", "FR3", defenders=("DE1", "DE7"))
    for text, army in [("FR3 IF DEFMAX > 2 ELSE WEAKEST", "FR3"), ("FR3 IF DEFMAX < 3 ELSE WEAKEST", "FR1")]:
        assert NOTATION.preference(text, ask, view_of()) == Said(army)
    assert NOTATION.preference("gibberish", ask, view_of()) is None


def test_of_equals_the_lowest_number_leads_not_the_first_in_the_alphabet() -> None:
    ask = leader_question("attack", "DE10", "DE11", "DE9", faction="DE")
    for wish in ("STRONGEST", "WEAKEST", "DE1"):
        assert NOTATION.preference(wish, ask, view_of("DE")) == Said("DE9")


def test_a_leader_named_rules_out_tiles_of_other_nations() -> None:
    view = view_of("WA", hands={"WA": ("A01", "A02")})
    ask = tile_question("defence", "A01", "A02", None, defenders=("BE1", "BR1"))
    assert said("DEFEND 3: TILE BRITISHRIFLES LEAD BE1", ask, view) is None
    assert said("DEFEND 3: TILE BRITISHRIFLES BEST LEAD BE1", ask, view) == "A01"
    assert said("DEFEND 3: TILE BRITISHRIFLES LEAD WEAKEST", ask, view) == "A02"
    assert said("DEFEND 3: TILE BRITISHRIFLES LEAD FR9 BR1", ask, view) == "A02"


@pytest.mark.parametrize(
    ("text", "location"),
    [("TAKE METZ", "METZ"), ("TAKE REIMS METZ", "METZ"), ("TAKE REIMS NONE", None), ("TAKE NONE", None)],
)
def test_what_is_taken(text: str, location: str | None) -> None:
    ask = capture_question("METZ")
    assert said(text, ask, view_of()) == location
    assert NOTATION.preference(text.removeprefix("TAKE "), ask, view_of()) == Said(location)


def test_a_list_without_anything_available_leaves_it_to_the_default() -> None:
    ask = capture_question("METZ")
    assert NOTATION.preference("REIMS VERDUN", ask, view_of()) is None
    assert said("TAKE REIMS VERDUN", ask, view_of()) is NOTHING
    assert line("TAKE REIMS").attempt(ask, view_of()) == Said("REIMS")
    assert line("TAKE PARIS").attempt(ask, view_of()) is None  # of another front: some other capture is meant


@pytest.mark.parametrize(
    ("text", "hand", "draws"),
    [("YES", 3, True), ("NO", 0, False), ("FREE", 2, True), ("FREE", 3, False)],
)
def test_drawing(text: str, hand: int, draws: bool) -> None:
    ask = draw_question(*("A01", "A07", "A09")[:hand])
    assert said(f"DRAW {text}", ask, view_of()) is draws


def test_dropping() -> None:
    ask = draw_question("A01", "A07", "A09", drawn="A02")
    assert said("DRAW YES DROP TANKS TRENCHES", ask, view_of()) == "A09"
    assert said("DRAW YES DROP ZERO MACHINEGUNS", ask, view_of()) == "A07"
    assert said("DRAW YES DROP TANKS", ask, view_of()) is NOTHING
    assert said("DRAW YES", ask, view_of()) is NOTHING


# ------------------------------------------------------------------ ASK


def test_ask_pauses_for_every_question_of_the_defence_on_that_front() -> None:
    found = line("DEFEND 3: ASK")
    here, there = tile_question("defence", None), leader_question("defence", "FR1", "FR2", front=2)
    assert found.asks(here) and not found.asks(there)
    assert line("DEFEND ALL: ASK").asks(there)
    assert not found.asks(tile_question("attack", None))
    assert not found.asks(capture_question("METZ"))
    assert found.answer(here, view_of()) is None


def test_ask_leaves_the_policy_in_its_slot() -> None:
    assert line("DEFEND 3: ASK").slot() != line("DEFEND 3: LEAD WEAKEST").slot()
    assert line("DEFEND 3: TILE NONE").slot() == line("DEFEND 3: LEAD WEAKEST IF TURN > 3").slot()


def test_take_ask_pauses_in_its_own_round_only() -> None:
    found = line("C1: ATTACK 3 TAKE ASK METZ")
    assert found.asks(capture_question("METZ"))
    assert not found.asks(capture_question("PARIS", front=2))
    assert not found.asks(replace(capture_question("METZ"), at="T3.R6/F3"))
    assert not found.asks(replace(capture_question("METZ"), at="T4.R1/F3"))
    assert not line("C1: ATTACK 3 TAKE METZ").asks(capture_question("METZ"))
    assert NOTATION.preference("ASK METZ", capture_question("REIMS", "METZ"), view_of()) == Said("METZ")
