"""Whole sheets through a table: what is written is what is done, and every answer can be written."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from engine.games.first_world_war.answers import ANSWERS, AnyTime, Attack
from engine.games.first_world_war.facts.board import CountersMoved, RecallAsked, RecallRefused, RoundSpent
from engine.games.first_world_war.facts.combat import AttackLaunched, CombatResolved
from engine.games.first_world_war.game import GAME
from engine.games.first_world_war.notation import NOTATION
from engine.games.first_world_war.view import View
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings
from engine.kernel.requests import Answer, Ask
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Table
from tests.rules.fww.board import PACK, Board

# ------------------------------------------------------------------ every answer of random games


class Scribe:
    """A player who takes anything that is offered, and first writes it down and reads it again."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.topics: dict[str, int] = {}

    def __call__(self, view: View, ask: Ask) -> Answer:
        answer = ask.options.sample(self.rng)
        if isinstance(answer, Attack):
            answer = replace(answer, lead=self._lead(answer), tile="BEST NONE", take="METZ PARIS")
        self.topics[ask.topic] = self.topics.get(ask.topic, 0) + 1
        for named in (view, None):
            text = NOTATION.write_answer(ask, answer, self.rng.choice(["en", "fr"]), named)
            assert read_back(text, ask, view) == answer, text
        return answer

    def _lead(self, attack: Attack) -> str:
        return self.rng.choice(["", "STRONGEST", "WEAKEST IF DEFMAX < 2 ELSE STRONGEST"])


def read_back(text: str, ask: Ask, view: View) -> Answer:
    """The answer that a letter with this text gives."""
    reading = NOTATION.read(text, view)
    assert reading.refusals == (), reading.refusals
    found = OrderFile(reading.orders, reading.standing).find(replace(ask, plan=""), "", view, NOTATION)
    if found is None:
        assert text == "", text
        return AnyTime()
    return found.answer


def test_every_answer_of_random_games_is_written_and_read_again() -> None:
    topics: set[str] = set()
    for players, seed in ((2, 1), (3, 2), (4, 3), (4, 4)):
        settings = GameSettings(players=players, tempo="fast", options={"random_order": True})
        scribe = Scribe(seed)
        table = Table.start(GAME, PACK, settings, TestDice(bytes([seed]) * 32))
        table.automa = dict.fromkeys(GAME.seats(settings), scribe)
        while table.advance() is not None:
            pass
        assert sum(scribe.topics.values()) > 100
        topics |= set(scribe.topics)
    # Rare in random play, and therefore drawn below.
    assert set(ANSWERS) - topics <= {
        "treaty.offer",
        "treaty.answer",
        "replace.ask",
        "victory.occupy",
        "combat.drop",
    }


RARE: list[tuple[Board, str, list[Any]]] = [
    (Board(turn=4, phase="victory", fronts={1: "DE1 BE1"}), "treaty.offer", [True, False]),
    (Board(turn=3, phase="victory", fronts={10: "AH5"}, control={"SARAJEVO": "GA"}), "victory.occupy",
     ["BEOGRAD", "MONASTIR"]),
    (Board(turn=3, phase="replace", pool={"WA": "FR1 FR2 BR1", "EA": "BR-MEF FR-OR"}), "replace.ask",
     [(), ("BR-MEF",), ("BR-MEF", "FR-OR")]),
    (Board(turn=3, phase="replace", pool={"WA": "FR1 FR2 BR1", "EA": "BR-MEF"}, players=2), "replace",
     [(), ("FR1",), ("BR-MEF", "FR2"), ("BR-MEF", "BR1", "FR1", "FR2")]),
]  # fmt: skip


@pytest.mark.parametrize(("board", "topic", "answers"), RARE, ids=[row[1] for row in RARE])
def test_rare_answers_too(board: Board, topic: str, answers: list[Any]) -> None:
    ask = board.ask(topic)
    view = board.view(ask.seat)
    for answer in answers:
        assert ask.options.contains(answer)
        for language in ("en", "fr"):
            text = NOTATION.write_answer(ask, answer, language, view)
            assert read_back(text, ask, view) == answer, text


def test_the_answer_to_an_offer_and_a_full_hand() -> None:
    board = Board(turn=4, phase="victory", fronts={1: "DE1 BE1"}).orders(DE="TREATY OFFER")
    ask = board.ask("treaty.answer")
    for answer, text in ((True, "TRAITE ACCEPTE"), (False, "TRAITE REFUSE")):
        assert NOTATION.write_answer(ask, answer, "fr") == text
        assert read_back(text, ask, board.view("EA")) is answer
    board = Board(turn=3, faction="DE", fronts={3: "DE5 DE6 FR2 FR3"}, hands={"WA": "A01 A04 A07"})
    ask = board.orders(DE="ATTACK 3", WA="DRAW YES").ask("combat.drop", dice="1 S", draws="A09")
    for tile in ask.options.describe():
        assert (
            read_back(NOTATION.write_answer(ask, tile, "fr", board.view("WA")), ask, board.view("WA")) == tile
        )


# ------------------------------------------------------------------ sheets


def test_a_plan_for_the_whole_turn_is_carried_out_round_by_round() -> None:
    board = Board(
        turn=3, faction="WA", fronts={3: "FR2 FR3 FR4 DE7", 4: "FR1", 2: "BR1 BR2 WA:D", 1: "DE1 DE2"}
    )
    board.orders(
        WA="""
            C1: ATTACK 3 WITH REAL LEAD FR2 TILE NONE TAKE METZ
            C2: IF WON THEN TRANSFER 4 > 3: FR1 ELSE PASS
            C3: IF ENEMY 1 >= 4 THEN PASS ELSE MOVE 2: BR1 D > 1
            C4: ATTACK 4
            C4: TRANSFER 3 > 9: FR2
            C4: MOVE 2: BR2 > 1
        """
    )
    board.play(13, dice="4 1")
    spent = [(fact.faction, fact.action) for fact in board.of(RoundSpent) if fact.faction == "WA"]
    assert spent == [("WA", "transfer"), ("WA", "move"), ("WA", "move")]
    assert board.state.control["METZ"] == "WA"
    assert board.on(3, "WA") == ["FR1", "FR2", "FR3", "FR4"]
    assert board.on(1, "WA") == ["BR1", "BR2", "WA-D1"]


def test_conditions_are_read_when_the_round_comes() -> None:
    board = Board(turn=3, faction="DE", fronts={3: "DE5 DE6 FR2", 2: "DE3"})
    board.orders(DE="C1: ATTACK 3 TAKE NONE\nC2: IF WON THEN MOVE 2: DE3 > 1 ELSE MOVE 2: DE3 > 3")
    board.play(5, dice="1 4")  # 3 + 1 + 1 : 2 + 4, lost
    assert board.on(3, "DE") == ["DE3", "DE6"]


@pytest.mark.parametrize(("dice", "to"), [("4 1", 1), ("1 4", 3)])
def test_4_2_6__2_won_in_the_first_round_looks_back_to_the_last_of_the_turn_before(
    dice: str, to: int
) -> None:
    """The previous round is the faction's own, whatever turn it belongs to."""
    board = Board(turn=3, faction="DE", cycle=4, fronts={3: "DE5 DE6 FR2 FR3", 2: "DE3"})
    board.orders(DE="ATTACK 3 TAKE NONE")
    board.play(dice=dice).play_to("T4.R1")
    board.orders(DE="C1: IF WON THEN MOVE 2: DE3 > 1 ELSE MOVE 2: DE3 > 3").play()
    assert "DE3" in board.on(to)


def test_the_defender_is_never_waited_for() -> None:
    board = Board(turn=2, faction="DE", fronts={1: "DE1 BE1 BR1"}, hands={"WA": "A01"})
    board.orders(DE="ATTACK 1 WITH DE1", WA="DEFENDS TOUT : TUILE MEILLEURE MENE PLUSFAIBLE")
    board.play(dice="1 1")
    result = board.one(CombatResolved)
    assert (result.leaders, result.tiles) == (("DE1", "BE1"), (None, "A01"))


def test_a_word_on_one_front_beats_a_word_on_all_in_whatever_order_they_came() -> None:
    for text in (
        "DEFEND ALL: LEAD WEAKEST\nDEFEND 1: LEAD BR1",
        "DEFEND 1: LEAD BR1\nDEFEND ALL: LEAD WEAKEST",
    ):
        board = Board(turn=2, faction="DE", fronts={1: "DE1 BE1 BR1"})
        board.orders(DE="ATTACK 1 WITH DE1", WA=text).play(dice="1 1")
        assert board.one(CombatResolved).leaders == ("DE1", "BR1")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("DEFEND 1: TILE MACHINEGUNS\nDEFEND 1: LEAD BE1", "DEFEND 1: TILE MACHINEGUNS LEAD BE1"),
        ("DEFENDS 1: MENE BE1\nDEFENDS 1: TUILE MITRAILLEUSES", "DEFEND 1: TILE MACHINEGUNS LEAD BE1"),
        ("DEFEND 1: TILE BEST LEAD BE1\nDEFEND 1: LEAD BR1", "DEFEND 1: TILE BEST LEAD BR1"),
        ("DEFEND 1: TILE BEST LEAD BE1\nDEFEND 1: TILE NONE LEAD BR1", "DEFEND 1: TILE NONE LEAD BR1"),
        ("DEFEND ALL: TILE BEST\nDEFEND 1: LEAD BR1", "DEFEND 1: LEAD BR1"),
        ("DEFEND 1: LEAD BE1\nDEFEND 1: ASK\nDEFEND 1: TILE BEST", "DEFEND 1: TILE BEST LEAD BE1"),
        ("DEFEND 1: TILE BEST IF TURN > 2\nDEFEND 1: LEAD BE1",
         "IF TURN > 2 THEN DEFEND 1: TILE BEST LEAD BE1 ELSE DEFEND 1: LEAD BE1"),
        ("DEFEND 1: LEAD BE1\nDEFEND 1: LEAD BR1 IF TURN > 2",
         "IF TURN > 2 THEN DEFEND 1: LEAD BR1 ELSE DEFEND 1: LEAD BE1"),
        ("DEFEND 1: LEAD BE1 IF TURN > 2\nDEFEND 1: LEAD BR1", "DEFEND 1: LEAD BR1"),
    ],
)  # fmt: skip
def test_of_two_words_on_one_front_the_later_replaces_what_it_says_again(text: str, written: str) -> None:
    view = Board(turn=2, faction="DE", fronts={1: "DE1 BE1 BR1"}).view("WA")
    reading = NOTATION.read(text, view)
    assert reading.refusals == ()
    assert (reading.standing[-1].number, reading.standing[-1].write()) == (text.count("\n") + 1, written)
    assert NOTATION.read(written, view).standing == reading.standing[-1:]


def test_more_conditions_on_one_front_than_a_line_may_hold_are_refused() -> None:
    view = Board(turn=2, faction="DE", fronts={1: "DE1 BE1 BR1"}).view("WA")
    reading = NOTATION.read("\n".join(f"DEFEND 1: LEAD BE1 IF VP WA > {n}" for n in (3, 2, 1)), view)
    assert [(one.line, one.reason) for one in reading.refusals] == [(3, "nested-too-deep")]


def test_tile_and_leader_said_in_two_lines_both_count() -> None:
    board = Board(turn=2, faction="DE", fronts={1: "DE1 BE1 BR1"}, hands={"WA": "A01"})
    board.orders(DE="ATTACK 1 WITH DE1", WA="DEFEND 1: TILE MACHINEGUNS\nDEFEND 1: LEAD BE1").play(dice="1 1")
    result = board.one(CombatResolved)
    assert (result.leaders, result.tiles) == (("DE1", "BE1"), (None, "A01"))


def test_the_attacks_own_tile_beats_the_standing_one() -> None:
    for order, tile in (
        ("ATTACK 1", "C02"),
        ("ATTACK 1 TILE FALSEREPORTS", "C07"),
        ("ATTACK 1 TILE NONE", None),
    ):
        board = Board(turn=2, faction="DE", fronts={1: "DE1 BE1"}, hands={"DE": "C02 C07"})
        board.orders(DE=f"{order}\nATTACKTILE ALL: BEST").play(dice="1 1")
        assert board.one(CombatResolved).tiles == (tile, None)


def test_defend_ask_pauses_and_then_the_policy_holds() -> None:
    board = Board(turn=2, faction="DE", fronts={1: "DE1 BE1 BR1"}, tempo="fast")
    board.orders(DE="ATTACK 1 WITH DE1", WA="DEFEND 1: ASK\nDEFEND 1: LEAD BE1").play(dice="1 1")
    pauses = [line["window"] for line in board.lines("pause")]
    assert any("combat.defence_leader" in window for window in pauses)
    assert board.one(CombatResolved).leaders == ("DE1", "BE1")


def test_a_reply_to_a_question_is_an_order_like_any_other() -> None:
    board = Board(turn=2, faction="DE", fronts={1: "DE1 BE1 BR1"}, tempo="strict")
    board.orders(DE="ATTACK 1 WITH DE1 TAKE ASK", WA="DEFEND 1: LEAD STRONGEST")
    board.orders(WA="LEAD BE1").play(dice="1 1")
    assert board.one(CombatResolved).leaders == ("DE1", "BE1")


def test_one_sheet_for_two_factions() -> None:
    board = Board(turn=3, players=2, faction="DE", fronts={2: "DE3 DE:D", 9: "AH1 AH3", 8: "RU9", 10: "SB1"})
    board.orders(CENTRAL="DE MOVE 2: ALL > 1\nGA: C1: MOVE 9: AH3 > 10\nC2: ATTACK 9 TAKE NONE\nDE C2: PASS")
    board.play(8)
    assert [(fact.faction, fact.origin) for fact in board.of(CountersMoved)] == [("DE", 2), ("GA", 9)]
    assert [fact.front for fact in board.of(AttackLaunched)] == [9]


def test_a_recall_is_asked_agreed_and_carried_out() -> None:
    board = Board(turn=3, faction="DE", fronts={9: "DE4 AH1", 3: "DE5"})
    board.orders(DE="RECALL DE4 9 > 3", GA="C1: AGREE RECALL\nC1: PASS").play(4)
    assert board.on(3, "DE") == ["DE4", "DE5"]


def test_a_recall_is_asked_for_as_soon_as_may_be_and_not_for_ever() -> None:
    """5.2-2, D19 Written in round 1: before its action, refused at once; before round 2, and no more."""
    board = Board(turn=3, faction="DE", fronts={9: "DE4 AH1", 3: "DE5"})
    board.ask()
    board.orders(DE="RECALL DE4 9 > 3", GA="REFUSE RECALL\nC1: AGREE RECALL\nC1: PASS").play(5)
    assert board.on(9, "DE") == ["DE4"]
    assert len(board.of(RecallAsked)) == 2
    assert [fact.army for fact in board.of(RecallRefused)] == ["DE4", "DE4"]
    facts = [type(fact) for fact in board.facts]
    assert facts.index(RecallAsked) + 1 == facts.index(RecallRefused)
    assert facts[: facts.index(RecallAsked)].count(RoundSpent) == 0


def test_what_is_on_file_is_hashed_in_canonical_notation() -> None:
    view = Board(turn=3, faction="WA", fronts={3: "FR2"}).view("WA")
    reading = NOTATION.read("passe\ndéfends tout : tuile mitrailleuses, aucune", view)
    text = OrderFile(reading.orders, reading.standing).canonical()
    assert text == "C1: PASS\nSTANDING DEFEND ALL: TILE MACHINEGUNS NONE"
