"""FWW 4.1, 4.2.2 and 9.2: the order of play, fixed or random."""

from __future__ import annotations

import pytest

from engine.games.first_world_war.answers import Pass, Slots
from engine.games.first_world_war.facts.board import (
    OrderRanked,
    PhaseBegan,
    RoundSpent,
    SlotsTaken,
    TurnBegan,
)
from engine.games.first_world_war.game import GAME
from engine.kernel.requests import Segment
from tests.rules.fww.board import Board
from tests.rules.fww.cases import receipt

EVERYWHERE = {1: "BE1 DE1", 9: "RU4 AH1"}  # each faction has an army


def slots_board(**drawn):
    return Board(turn=2, phase="order", options={"random_order": True}, fronts=EVERYWHERE, **drawn)


def keys_of_turn(board: Board) -> list[str]:
    turn = board.state.turn
    return [line["key"] for line in board.lines("seam") if line["key"].startswith(f"T{turn}.")]


# ------------------------------------------------------------------ the fixed order


def test_4_1__1_a_turn_runs_through_its_phases_and_the_next_follows():
    board = Board(turn=1, phase="deploy", fronts=EVERYWHERE, options={"no_surrender_before_turn": 6})
    board.play_to("T2.D1")
    rounds = [f"T1.R{number}" for number in range(1, 17)]
    assert keys_of_turn(board) == ["T1.D1", "T1.D2", "T1.D3", "T1.D4", *rounds, "T1.V", "T1.P"]
    phases = list(dict.fromkeys(fact.phase for fact in board.of(PhaseBegan)))
    assert phases == ["deploy", "rounds", "victory", "replace"]
    board.play()
    assert (board.state.turn, board.state.phase) == (2, "deploy")


def test_4_1__1_the_sixth_turn_is_the_last():
    board = Board(turn=6, phase="victory", fronts=EVERYWHERE).play()
    assert board.table.over
    assert board.state.result is not None


def test_4_2_2__1_sixteen_rounds_in_four_cycles():
    board = Board(turn=1, fronts=EVERYWHERE).play(segments=16)
    assert [fact.faction for fact in board.of(RoundSpent)] == ["DE", "WA", "EA", "GA"] * 4
    asked = [a for a in board.asked if a.topic == "round.action" and a.at == "T1.R6"]
    assert (asked[0].given.faction, asked[0].given.cycle) == ("WA", 2)
    assert board.next_key == "T1.V"


def test_4_2_2__4_a_faction_without_counters_passes_unasked_and_keeps_its_place():
    board = Board(fronts={1: "BE1 DE1"}).play(segments=4)
    assert [fact.faction for fact in board.of(RoundSpent)] == ["DE", "WA", "EA", "GA"]
    asked = [a.given.faction for a in board.asked if a.topic == "round.action"]
    assert list(dict.fromkeys(asked)) == ["DE", "WA"]


def test_4_2_2__4_a_faction_whose_armies_obey_another_passes():
    board = Board(fronts={9: "DE11 AH1"}).play()
    assert board.one(RoundSpent) == RoundSpent("DE", "pass")
    assert "round.action" not in [a.topic for a in board.asked]


def test_4_2_2__2_without_an_order_the_round_is_passed():
    board = Board(fronts=EVERYWHERE).play()
    assert board.one(RoundSpent) == RoundSpent("DE", "pass")
    assert board.next_key == "T1.R2"


# ------------------------------------------------------------------ 9.2 the random order


def test_9_2__1_highest_roll_picks_first_and_s_counts_nothing():
    board = slots_board().answer("EA", Slots(deploy=4, round=2)).play(dice="2 1 4 S")
    assert board.rolls == [("DE", "2"), ("WA", "1"), ("EA", "4"), ("GA", "S")]
    assert board.one(OrderRanked).ranking == ("EA", "DE", "WA", "GA")
    assert board.of(SlotsTaken) == [
        SlotsTaken("EA", 4, 2),
        SlotsTaken("DE", 3, 1),  # by default the lowest free round slot, the highest for deployment
        SlotsTaken("WA", 2, 3),
        SlotsTaken("GA", 1, 4),
    ]
    assert board.state.deploy_order == ("GA", "WA", "DE", "EA")
    assert board.state.round_order == ("DE", "EA", "WA", "GA")
    assert board.next_key == "T2.D1"


def test_9_2__1_each_faction_picks_among_the_free_slots():
    board = slots_board().answer("EA", Slots(1, 1))
    board.ask("order.slots", dice="2 1 4 S")
    assert board.why(Slots(5, 1)) == ("FWW-9.2-1", "slot-taken")
    board.play()
    asks = [a for a in board.asked if a.topic == "order.slots"]
    given = {a.given.faction: (a.given.deploy, a.given.round) for a in asks}
    assert given["EA"] == ((1, 2, 3, 4), (1, 2, 3, 4))
    assert given["DE"] == ((2, 3, 4), (2, 3, 4))
    german = next(a for a in asks if a.given.faction == "DE")
    assert not german.options.contains(Slots(1, 2))
    assert not german.options.contains(Slots(2, 1))


def test_9_2__1_a_deployment_may_be_ordered_together_with_the_slots():
    """D3, FWW-4.2.1-3 What comes this turn still lies on the track then, and what was replaced too."""
    board = slots_board(track={2: "FR6"}, returning="FR2")
    board.ask("order.slots", dice="4 3 2 1")
    assert board.view("WA").phase == "order"
    assert receipt(board, "WA", "DEPLOY FR6 > 1, FR2 > 3") == []
    assert receipt(board, "WA", "DEPLOY BR3 > 1") == [("FWW-4.2.1-3", "not-new")]  # of turn 3
    assert receipt(board, "WA", "DEPLOY HOLD REAL") == [("FWW-4.2.1-8", "garrison-owed")]
    board.orders(WA="DEPLOY FR6 > 1, FR2 > 3").play_to("T2.R1")
    assert ("FR6" in board.on(1), "FR2" in board.on(3)) == (True, True)


def test_9_2__1_not_in_turn_1():
    board = Board.fresh(random_order=True)
    assert board.next_key == "T1.D1"
    board.play(segments=4)
    assert board.state.round_order == ("DE", "WA", "EA", "GA")
    assert board.rolls == []


def test_9_2__1_from_turn_2_on_before_phase_1():
    board = Board(turn=1, phase="replace", fronts=EVERYWHERE, options={"random_order": True}).play()
    assert board.next_key == "T2.O"
    board = Board(turn=1, phase="replace", fronts=EVERYWHERE).play()
    assert board.next_key == "T2.D1"


def test_9_2__2_those_who_tie_roll_again_among_themselves():
    board = slots_board().play(dice="3 3 S 1 2 4")
    assert board.rolls == [("DE", "3"), ("WA", "3"), ("EA", "S"), ("GA", "1"), ("DE", "2"), ("WA", "4")]
    assert board.one(OrderRanked).ranking == ("WA", "DE", "GA", "EA")


def test_9_2__2_ties_among_the_lowest_and_ties_again():
    board = slots_board().play(dice="S S 4 S 2 2 1 S 3")
    assert board.rolls[4:] == [("DE", "2"), ("WA", "2"), ("GA", "1"), ("DE", "S"), ("WA", "3")]
    assert board.one(OrderRanked).ranking == ("EA", "WA", "DE", "GA")


@pytest.mark.parametrize(
    ("dice", "again", "ranking"),
    [
        ("1 4 1 4 2 3 4 3", "WA2 GA3 DE4 EA3", ("GA", "WA", "DE", "EA")),
        ("1 4 1 4 2 2 1 3 4 3", "WA2 GA2 WA1 GA3 DE4 EA3", ("GA", "WA", "DE", "EA")),
        ("4 1 4 1 2 3 3 S", "DE2 EA3 WA3 GAS", ("EA", "DE", "WA", "GA")),
    ],
)
def test_s__1_of_two_tied_groups_the_higher_rolls_to_its_end_first(dice, again, ranking):
    """FWW-9.2-2"""
    board = slots_board().play(dice=dice)
    assert [seat + face for seat, face in board.rolls[4:]] == again.split()
    assert board.one(OrderRanked).ranking == ranking


def test_9_2__3_the_order_holds_for_all_cycles_of_the_turn_and_no_longer():
    board = slots_board(players=2)
    for faction, slots in (
        ("EA", Slots(1, 1)),
        ("DE", Slots(2, 4)),
        ("WA", Slots(3, 3)),
        ("GA", Slots(4, 2)),
    ):
        board.answer(faction, slots)
    board.play(dice="3 2 4 1")
    assert {a.seat for a in board.asked if a.topic == "order.slots"} == {"ALLIES", "CENTRAL"}
    board.play(segments=20)
    assert [fact.faction for fact in board.of(RoundSpent)] == ["EA", "GA", "WA", "DE"] * 4
    board.play(segments=2)
    board.play(dice="4 3 2 1")
    assert board.of(TurnBegan)[-1].turn == 3
    assert board.state.round_order == ("DE", "WA", "EA", "GA")


def test_9_2__3_the_last_takes_what_is_left():
    board = slots_board().play(dice="4 3 2 1")
    last = [a for a in board.asked if a.topic == "order.slots" and a.given.faction == "GA"][-1]
    assert last.options.only() == (Slots(1, 4),)
    assert [line["by"] for line in board.lines("answer")][-1] == "forced"


# ------------------------------------------------------------------ tempo


@pytest.mark.parametrize(
    ("key", "fast", "react"),
    [
        ("T3.O", "T3.O", "T3.O"),
        ("T3.D1", "T3.D", "T3.D"),
        ("T3.D4", "T3.D", "T3.D"),
        ("T3.R1", "T3.R", "T3.C1"),
        ("T3.R4/F9", "T3.R", "T3.C1"),
        ("T3.R5", "T3.R", "T3.C2"),
        ("T3.R16/F11", "T3.R", "T3.C4"),
        ("T3.V/F10", "T3.V", "T3.V"),
        ("T3.P", "T3.V", "T3.V"),
    ],
)
def test_windows_by_tempo(key, fast, react):
    board = Board(turn=3, fronts=EVERYWHERE)
    ask = board.ask()
    ask = type(ask)(ask.seat, ask.topic, key, ask.given, ask.options, Pass())
    window = GAME.window(board.state, ask, "fast")
    assert (window.key, window.seats, window.once) == (fast, ("DE", "EA", "GA", "WA"), False)
    assert GAME.window(board.state, ask, "react").key == react
    strict = GAME.window(board.state, ask, "strict")
    assert (strict.key, strict.seats, strict.once) == (f"{key}/round.action", ("DE",), True)


@pytest.mark.parametrize(("tempo", "pauses"), [("fast", 1), ("react", 4), ("strict", 16)])
def test_a_turns_rounds_take_as_many_letters_as_the_tempo_says(tempo, pauses):
    board = Board(tempo=tempo, fronts=EVERYWHERE).play(segments=16)
    assert len(board.lines("pause")) == pauses


def test_segments_are_named_and_keyed():
    board = Board(turn=3, faction="GA")
    assert board.table.segment == Segment("round", "T3.R4", (3, 4))
