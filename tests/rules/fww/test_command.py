"""FWW 5.1, 5.2: Germans under the command of their allies."""

from __future__ import annotations

import pytest

from engine.games.first_world_war.answers import AnyTime, Attack, Deploy, Move, Pass, Recall, Transfer
from engine.games.first_world_war.facts.board import CountersMoved, CountersSeenMoving, RecallAsked
from engine.games.first_world_war.rules.command import commanded, commander
from tests.rules.fww.board import PACK, Board

ALLIED_FRONTS = (5, 6, 9, 10, 11)


def turn_of(faction, fronts, turn=3, **drawn):
    return Board(turn=turn, faction=faction, fronts=fronts, **drawn)


@pytest.mark.parametrize("front", sorted(PACK.fronts))
def test_5_1__1_fronts_where_germans_obey_their_allies(front):
    board = Board(turn=4, fronts={front: "DE9 DE:D"})
    chief = "GA" if front in ALLIED_FRONTS else "DE"
    assert commander(board.state, "DE9", front) == chief
    assert commanded(board.state, chief, front) == ["DE-D1", "DE9"]
    assert commanded(board.state, "DE" if chief == "GA" else "GA", front) == []


def test_5_1__1_others_obey_their_owner():
    board = Board(fronts={9: "RU4 AH1 DE9", 10: "SB1 BU1"})
    assert [commander(board.state, army, 9) for army in ("RU4", "AH1")] == ["EA", "GA"]
    assert commanded(board.state, "EA", 9) == ["RU4"]
    assert commanded(board.state, "GA", 9) == ["AH1", "DE9"]


def test_5_1__1_they_act_in_the_rounds_of_the_german_allies_only():
    board = turn_of("GA", {9: "AH1 DE4 RU4", 3: "DE5 FR2"})
    assert board.why(Attack(9, ("AH1", "DE4"))) is None
    assert board.why(Move(9, (("DE4", 8),))) is None
    assert board.why(Attack(3, ("DE5",))) == ("FWW-6-1", "not-commanded")


def test_5_1__2_command_passes_within_a_cycle():
    board = turn_of("DE", {8: "DE9", 9: "AH1 RU4", 1: "DE1 BE1"}, turn=2)
    board.answer("DE", Move(8, (("DE9", 9),))).play(segments=3)
    assert board.next_key == "T2.R4"
    board.answer("GA", Attack(9, ("AH1", "DE9"))).play(dice="1 1")
    assert board.state.pool["EA"] == ["RU4"]
    assert board.why(Move(9, (("DE9", 8),))) == ("FWW-5.1-1", "other-command")


def test_5_1__2_and_returns_within_a_cycle():
    board = turn_of("GA", {8: "RU9", 9: "DE9 AH1", 1: "DE1"}, turn=2)
    board.answer("GA", Move(9, (("DE9", 8),))).play()
    assert board.why(Attack(8, ("DE9",))) is None


@pytest.mark.parametrize("front", ALLIED_FRONTS)
def test_5_1__3_germany_does_nothing_from_there(front):
    neighbour = PACK.fronts[front].adjacent[0]
    board = turn_of("DE", {front: "DE9", 1: "DE1"}, turn=4)
    assert board.why(Attack(front, ("DE9",))) == ("FWW-5.1-3", "not-commanded")
    assert board.why(Move(front, (("DE9", neighbour),))) == ("FWW-5.1-1", "other-command")
    refusal = board.refusal(Transfer(front, 1, ("DE9",)))
    assert (refusal.rule, refusal.reason) == ("FWW-5.1-1", "other-command")
    assert refusal.facts == {"counter": "DE9", "front": front, "faction": "GA"}


def test_5_1__4_germany_may_send_armies_there():
    board = turn_of("DE", {8: "DE9", 1: "DE1"})
    assert board.why(Move(8, (("DE9", 9),))) is None
    assert board.why(Transfer(1, 10, ("DE1",))) is None
    deploying = Board(turn=3, phase="deploy", faction="DE", waiting={"DE": "DE10"})
    assert deploying.why(Deploy((("DE10", 11),))) is None


def test_5_1__4_the_allies_know_arrivals_from_the_next_round_on():
    board = turn_of("DE", {8: "DE9", 9: "AH1"}).answer("DE", Move(8, (("DE9", 9),))).play()
    assert CountersSeenMoving("DE", 8, ((9, 1),)) in board.read_by("GA")
    assert board.view("GA").known[9] == ("AH1", "DE9")


def test_5_1__5_dummies_too_and_the_commander_looks_at_them():
    board = turn_of("GA", {9: "AH1 DE9 DE:D", 8: "DE10"})
    assert board.view("GA").known[9] == ("AH1", "DE-D1", "DE9")
    assert board.view("GA").known[8] == ()
    assert board.view("DE").known[9] == ("DE-D1", "DE9")
    assert board.why(Move(9, (("DE-D1", 8),))) is None
    assert board.why(Move(9, (("DE-D1", 11),))) is None


def test_5_1__5_owner_and_commander_read_what_moved():
    board = turn_of("GA", {9: "AH1 DE9 DE:D"})
    board.answer("GA", Move(9, (("AH1", 10), ("DE-D1", 8), ("DE9", 10)))).play()
    german, austrian = board.of(CountersMoved)
    assert (german.faction, german.steps) == ("DE", (("DE-D1", 8), ("DE9", 10)))
    assert german in board.read_by("DE") and german in board.read_by("GA")
    assert austrian in board.read_by("GA") and austrian not in board.read_by("DE")
    assert CountersSeenMoving("GA", 9, ((10, 1),)) in board.read_by("DE")
    assert CountersSeenMoving("DE", 9, ((8, 1), (10, 1))) in board.read_by("EA")


def test_5_1__7_the_allies_send_germans_to_any_front_that_lists_them():
    board = turn_of("GA", {9: "DE9 DE10"}, turn=4)
    legal = [front for front in PACK.fronts if board.why(Transfer(9, front, ("DE9",))) is None]
    assert legal == [front for front in PACK.fronts if front != 9]
    board.answer("GA", Transfer(9, 3, ("DE9", "DE10")[::-1])).play()
    assert commanded(board.state, "DE", 3) == ["DE10", "DE9"]
    early = turn_of("GA", {9: "DE9"}, turn=3)
    assert early.why(Transfer(9, 6, ("DE9",))) == ("FWW-5.3-1", "too-early")


# ------------------------------------------------------------------ 5.2 recalls


def test_5_2__1_with_two_players_no_request_is_needed():
    board = turn_of("GA", {9: "DE9 AH1"}, players=2)
    assert board.why(Transfer(9, 3, ("DE9",))) is None
    ask = board.ask()
    assert ask.seat == "CENTRAL"
    board.answer("GA", Pass()).play()
    recall = AnyTime(recalls=(Recall("DE9", 9, 3),))
    german = next(a for a in board.asked if a.topic == "any_time" and a.given.faction == "DE")
    assert german.options.why_not(recall).rule == "FWW-5.2-2"


def test_5_2__2_germany_asks_and_only_the_two_know():
    board = turn_of("DE", {9: "DE4 AH1 RU4", 1: "DE1"})
    recall = Recall("DE4", 9, 3)
    board.answer("DE", AnyTime(recalls=(recall,))).play()
    assert board.one(RecallAsked).recall == recall
    assert board.view("DE").recalls == board.view("GA").recalls == (recall,)
    assert board.view("WA").recalls == board.view("EA").recalls == ()
    assert not [fact for fact in board.read_by("EA") if isinstance(fact, RecallAsked)]


def test_5_2__2_the_ally_may_ignore_it_and_fight_on():
    board = turn_of("DE", {9: "DE4 AH1 RU4", 1: "DE1", 3: "DE5 FR2"})
    board.answer("DE", AnyTime(recalls=(Recall("DE4", 9, 3),))).play(segments=3)
    board.answer("GA", Attack(9, ("AH1", "DE4"))).play(dice="1 1")
    assert "DE4" in board.on(9)
    assert board.view("GA").recalls
    assert board.why(Attack(3, ("DE4",))) == ("FWW-6-1", "not-there")


def test_5_2__2_the_ally_may_refuse_it():
    board = turn_of("DE", {9: "DE4 AH1", 1: "DE1"})
    board.answer("DE", AnyTime(recalls=(Recall("DE4", 9, 3),))).play()
    board.answer("GA", AnyTime(refused=("DE4",))).play()
    assert board.view("DE").recalls == ()


def test_5_2__2_a_recall_is_done_with_when_the_army_moves():
    board = turn_of("DE", {9: "DE4 AH1", 1: "DE1"})
    board.answer("DE", AnyTime(recalls=(Recall("DE4", 9, 3),))).play(segments=3)
    board.answer("GA", Transfer(9, 3, ("DE4",))).play()
    assert board.on(3) == ["DE4"]
    assert board.state.recalls == []


def test_5_2__2_a_recall_lapses_at_the_end_of_the_turn():
    board = Board(turn=3, round=16, fronts={9: "DE4 AH1", 1: "DE1"})
    board.answer("DE", AnyTime(recalls=(Recall("DE4", 9, 3),))).play()
    assert board.view("GA").recalls
    board.play(segments=3)
    assert board.state.turn == 4
    assert board.view("GA").recalls == ()


def test_5_2__2_a_dead_army_is_not_asked_for_any_more():
    board = turn_of("DE", {9: "DE4 RU4 RU5", 1: "DE1"})
    board.answer("DE", AnyTime(recalls=(Recall("DE4", 9, 3),))).play(segments=2)
    board.answer("EA", Attack(9, ("RU4", "RU5"))).play(dice="4 1")
    assert board.state.pool["DE"] == ["DE4"]
    assert board.view("GA").recalls == ()


@pytest.mark.parametrize(
    ("recall", "verdict"),
    [
        (Recall("DE4", 9, 3), None),
        (Recall("DE4", 9, 9), ("FWW-5-5", "same-front")),
        (Recall("DE4", 9, 6), ("FWW-5.3-1", "too-early")),
        (Recall("DE4", 10, 3), ("FWW-5-1", "not-there")),
        (Recall("DE5", 3, 1), ("FWW-5.2-2", "own-command")),
        (Recall("AH1", 9, 10), ("FWW-5-1", "not-commanded")),
        (Recall("DE4", 9, 12), ("FWW-2.1-1", "no-such-front")),
        (Recall("XX1", 9, 3), ("FWW-2.2-1", "no-such-counter")),
    ],
)
def test_5_2__2_what_may_be_asked_for(recall, verdict):
    board = turn_of("DE", {9: "DE4 AH1", 3: "DE5"})
    board.ask()
    german = next(a for a in board.asked if a.topic == "any_time" and a.given.faction == "DE")
    refusal = german.options.why_not(AnyTime(recalls=(recall,)))
    assert (refusal and (refusal.rule, refusal.reason)) == verdict


def test_5_2__2_only_germany_asks_and_only_its_ally_refuses():
    board = turn_of("DE", {9: "DE4 AH1 RU4", 3: "DE5 FR2"})
    board.ask()
    options = {a.given.faction: a.options for a in board.asked if a.topic == "any_time"}
    for faction in ("WA", "EA", "GA"):
        assert not options[faction].contains(AnyTime(recalls=(Recall("DE4", 9, 3),)))
    assert not options["GA"].contains(AnyTime(refused=("DE4",)))  # nothing was asked
    twice = AnyTime(recalls=(Recall("DE4", 9, 3), Recall("DE4", 9, 2)))
    assert options["DE"].why_not(twice).reason == "named-twice"
