"""FWW 8.1: the treaty of Brest-Litovsk."""

from __future__ import annotations

import pytest

from engine.games.first_world_war.answers import Attack, Move
from engine.games.first_world_war.facts.board import CountersTurnedUp
from engine.games.first_world_war.facts.combat import (
    ArmyEliminated,
    AttackCameToNothing,
    CombatResolved,
    DummiesRemoved,
    LocationCaptured,
    SurrenderPointGiven,
    TreatyOffered,
    TreatyRefused,
    TreatySigned,
)
from engine.games.first_world_war.rules.combat import attack_refusal, may_attack_with
from engine.games.first_world_war.rules.treaty import lapsed_garrison, leaving_refusal, may_change_hands, owed
from engine.kernel.requests import Choice
from tests.narrowing import expect
from tests.rules.fww.board import Board
from tests.rules.fww.course import battle, check_victory, position

QUIET = {1: "DE1 BE1"}  # nobody is alone anywhere


def refused(state, faction, front, armies):
    """Rule and reason of a refused attack, or None."""
    refusal = attack_refusal(state, faction, Attack(front, tuple(armies.split())))
    return refusal and (refusal.rule, refusal.reason)


def held_back(state, faction, origin, leaving):
    """Rule and reason why these counters may not leave, or None."""
    refusal = leaving_refusal(state, faction, origin, tuple(leaving.split()))
    return refusal and (refusal.rule, refusal.reason)


# ------------------------------------------------------------------ signing


@pytest.mark.parametrize("turn", [4, 5])
@pytest.mark.parametrize("players", [2, 3])
def test_8_1__2_with_two_or_three_players_an_offer_is_always_accepted(turn, players):
    """C-55"""
    state = position(QUIET, turn=turn, players=players)
    course = check_victory(state, answers={"treaty.offer": True})
    assert course.of(TreatyOffered) == [TreatyOffered()]
    assert course.of(TreatySigned) == [TreatySigned()]
    assert not course.asked("treaty.answer")
    assert state.treaty
    assert course.following == f"T{turn}.P"


@pytest.mark.parametrize("accepts", [True, False])
def test_8_1__2_with_four_players_the_eastern_allies_may_refuse(accepts):
    state = position(QUIET, turn=4)
    course = check_victory(state, answers={"treaty.offer": True, "treaty.answer": accepts})
    assert state.treaty is accepts
    assert len(course.of(TreatySigned)) == accepts
    assert len(course.of(TreatyRefused)) == (not accepts)


def test_8_1__2_a_refused_offer_may_be_repeated_in_a_later_turn():
    state = position(QUIET, turn=4)
    check_victory(state, answers={"treaty.offer": True, "treaty.answer": False})
    state.turn = 5
    check_victory(state, answers={"treaty.offer": True, "treaty.answer": True})
    assert state.treaty


@pytest.mark.parametrize(("players", "offerer", "answerer"), [(4, "DE", "EA"), (2, "CENTRAL", None)])
def test_8_1__1_germany_is_asked_then_the_eastern_allies(players, offerer, answerer):
    """D15, D16 By default there is no offer, and it is refused."""
    state = position(QUIET, turn=4, players=players)
    course = check_victory(state, answers={"treaty.offer": True})
    ask = course.ask("treaty.offer")
    assert (ask.seat, ask.at, ask.given.faction, ask.default) == (offerer, "T4.V", "DE", False)
    assert expect(Choice, ask.options).offered == (True, False)
    if answerer:
        ask = course.ask("treaty.answer")
        assert (ask.seat, ask.at, ask.given.faction, ask.default) == (answerer, "T4.V", "EA", False)
        assert course.of(TreatyRefused) == [TreatyRefused()]


def test_8_1__1_without_an_offer_nobody_is_asked_for_an_answer():
    course = check_victory(position(QUIET, turn=4))
    assert not course.asked("treaty.answer")
    assert not course.of(TreatyRefused)


def test_8_1__1_there_is_only_one_treaty():
    assert not check_victory(position(QUIET, turn=5, treaty=True)).asked("treaty.offer")


# ------------------------------------------------------------------ what it stops


def test_8_1__3_russians_and_romanians_do_not_attack():
    state = position({11: "RU12 RO1 BR-MEF AH7"}, turn=5, treaty=True)
    assert may_attack_with(state, "EA", 11) == ("BR-MEF",)
    assert refused(state, "EA", 11, "RO1") == ("FWW-8.1-3", "army-at-peace")
    assert refused(state, "EA", 11, "BR-MEF RU12") == ("FWW-8.1-3", "army-at-peace")
    assert refused(state, "EA", 11, "BR-MEF") is None
    assert may_attack_with(position({11: "RU12 RO1"}, turn=5), "EA", 11) == ("RO1", "RU12")


def test_8_1__3_other_eastern_armies_still_attack():
    state = position({10: "SB1 AH5"}, turn=5, treaty=True)
    course = battle(state, "EA", 10, "SB1", "4 1")
    assert course.one(LocationCaptured).front == 10


@pytest.mark.parametrize("front", [7, 8, 9])
def test_8_1__4_on_7_8_and_9_nobody_attacks(front):
    """C-56"""
    central = "AH1 DE11" if front == 9 else "DE8"
    state = position({front: f"{central} RU1"}, turn=5, treaty=True)
    for faction in ("DE", "EA", "GA"):
        assert may_attack_with(state, faction, front) == ()
        assert refused(state, faction, front, "DE8") == ("FWW-8.1-4", "front-frozen")


@pytest.mark.parametrize(
    ("front", "army", "control"),
    [
        (7, "DE8", {}),
        (8, "DE9", {}),
        (9, "AH1", {}),
        (7, "DE8", {"RIGA": "DE", "KOVNO": "DE"}),
        (8, "RU1", {"BRESLAU": "EA", "BERLIN": "EA"}),
    ],
)
def test_8_1__4_phase_3_gives_neither_location_nor_point_there(front, army, control):
    state = position({front: army}, turn=5, treaty=True, control=control)
    course = check_victory(state)
    assert not course.of(LocationCaptured)
    assert not course.of(SurrenderPointGiven)


@pytest.mark.parametrize("front", [1, 2, 3, 4, 5, 6, 10])
def test_8_1__4_elsewhere_the_war_goes_on(front):
    assert may_change_hands(position(treaty=True), front)


def test_8_1__5_on_11_ground_falls_in_combat_with_mef_or_or():
    for army in ("BR-MEF", "FR-OR"):
        state = position({11: f"{army} AH7"}, turn=5, treaty=True)
        course = battle(state, "EA", 11, army, "4 1")
        assert course.one(LocationCaptured).taker == "EA"
        state = position({11: f"{army} AH7"}, turn=5, treaty=True, hands={"EA": "A07"})
        course = battle(state, "GA", 11, "AH7", "4 1")
        assert course.ask("combat.defence_tile").given.at_stake == ("BUCURESTI",)
        assert course.one(LocationCaptured) == LocationCaptured(11, "BUCURESTI", "GA", "EA", 7, 5)


def test_8_1__5_and_in_no_other_combat():
    """No other Eastern army may stand there; the rule is asked directly."""
    state = position(treaty=True)
    assert not may_change_hands(state, 11, ("SB1", "AH7"))
    assert may_change_hands(state, 11, ("SB1", "BR-MEF", "AH7"))
    assert not may_change_hands(state, 9, ("BR-MEF",))
    assert may_change_hands(position(), 11, ("SB1", "AH7"))


def test_8_1__5_no_unopposed_capture_on_11():
    state = position({11: "BU1"}, turn=5, treaty=True)
    course = battle(state, "GA", 11, "BU1")
    assert course.one(AttackCameToNothing) == AttackCameToNothing("GA", "EA", 11)
    assert not course.asked("combat.capture")
    state = position({11: "BR-MEF GA-D1"}, turn=5, treaty=True)
    course = battle(state, "EA", 11, "BR-MEF")
    assert course.of(AttackCameToNothing)
    assert state.waiting["GA"] == ["GA-D1"]


@pytest.mark.parametrize("control", [{}, {"BUCURESTI": "GA", "ODESSA": "GA"}])
def test_8_1__5_no_capture_and_no_point_on_11_in_phase_3(control):
    state = position({11: "BU1", 1: "DE1 BE1"}, turn=5, treaty=True, control=control)
    course = check_victory(state)
    assert not course.of(LocationCaptured)
    assert not course.of(SurrenderPointGiven)
    without = position({11: "BU1", 1: "DE1 BE1"}, turn=5, control=control)
    course = check_victory(without, "4" if control else "")
    assert course.of(SurrenderPointGiven if control else LocationCaptured)


def test_8_1__5_a_point_on_11_needs_such_a_combat_too():
    control = {"BUCURESTI": "GA", "ODESSA": "GA"}
    state = position({11: "BU1 BR-MEF"}, turn=5, treaty=True, control=control)
    assert battle(state, "GA", 11, "BU1", "4 1").one(SurrenderPointGiven).front == 11
    state = position(
        {11: "BU1"}, turn=5, treaty=True, control=control, unopposed_attack_gives_surrender_point=True
    )
    assert not battle(state, "GA", 11, "BU1").of(SurrenderPointGiven)


def test_8_1__6_russians_and_romanians_are_shown_but_take_no_part():
    state = position({11: "BU1 BU2 BR-MEF RU12 RO1 EA-D1"}, turn=5, treaty=True)
    course = battle(state, "GA", 11, "BU1 BU2", "4 1")
    assert course.of(CountersTurnedUp)[1].counters == ("BR-MEF", "EA-D1", "RO1", "RU12")
    result = course.one(CombatResolved)
    assert result.defenders == ("BR-MEF",)
    assert result.bonus == 1  # two against one, not against three
    assert course.one(ArmyEliminated).army == "BR-MEF"
    assert state.face_up == []


def test_8_1__6_with_only_romanians_there_the_attack_has_no_effect():
    """C-58 The order is accepted, counters are shown, dummies go, the round is spent."""
    state = position({11: "BU1 RO1 RO2 EA-D1"}, turn=5, treaty=True)
    course = battle(state, "GA", 11, "BU1")
    assert course.order == [
        "AttackLaunched",
        "CountersTurnedUp",
        "CountersTurnedUp",
        "DummiesRemoved",
        "AttackCameToNothing",
        "CountersTurnedDown",
    ]
    assert course.one(DummiesRemoved).dummies == ("EA-D1",)
    assert state.fronts[11] == ["BU1", "RO1", "RO2"]
    assert course.following == "T5.R5"


# ------------------------------------------------------------------ what must stay


def test_8_1__7_germany_keeps_an_army_on_each_of_7_8_and_9():
    """C-59"""
    state = position({7: "DE8 DE10 DE-D1", 8: "DE9", 9: "AH1 AH3 AH4 DE11"}, turn=5, treaty=True)
    assert held_back(state, "DE", 7, "DE8") is None
    assert held_back(state, "DE", 7, "DE8 DE-D1") is None
    assert held_back(state, "DE", 7, "DE8 DE10") == ("FWW-8.1-7", "treaty-minimum")
    assert held_back(state, "DE", 8, "DE9") == ("FWW-8.1-7", "treaty-minimum")
    assert held_back(state, "GA", 9, "DE11") == ("FWW-8.1-7", "treaty-minimum")
    refusal = leaving_refusal(state, "DE", 8, ("DE9",))
    assert refusal is not None
    assert refusal.facts == {"front": 8, "faction": "DE", "minimum": 1}


def test_8_1__8_the_german_allies_keep_three_own_armies_on_9():
    """C-59 Germans there do not count for them."""
    state = position({9: "AH1 AH3 AH4 AH5 DE11 DE12"}, turn=5, treaty=True)
    assert held_back(state, "GA", 9, "AH1") is None
    assert held_back(state, "GA", 9, "AH1 DE11") is None
    assert held_back(state, "GA", 9, "AH1 AH3") == ("FWW-8.1-8", "treaty-minimum")
    refusal = leaving_refusal(state, "GA", 9, ("AH1", "AH3"))
    assert refusal is not None
    assert refusal.facts == {"front": 9, "faction": "GA", "minimum": 3}


@pytest.mark.parametrize(
    ("there", "leaving"),
    [("AH1 AH3 DE11 DE12", "DE12"), ("AH1 AH3 AH4 AH5", "AH5"), ("AH1 AH3 DE11 GA-D1", "GA-D1")],
)
def test_8_1__9_where_a_minimum_is_not_met_nothing_leaves(there, leaving):
    state = position({9: there}, turn=5, treaty=True)
    assert held_back(state, "GA", 9, leaving) == ("FWW-8.1-9", "treaty-minimum-unmet")


def test_8_1__9_a_minimum_that_is_just_met_lets_dummies_go():
    state = position({7: "DE8 DE-D1"}, turn=5, treaty=True)
    assert held_back(state, "DE", 7, "DE-D1") is None


def test_8_1__9_other_fronts_and_times_without_treaty_are_free():
    fronts = {7: "DE8", 8: "DE9", 9: "AH1 DE11", 10: "AH5", 1: "DE1"}
    at_war, at_peace = position(fronts, turn=5), position(fronts, turn=5, treaty=True)
    assert held_back(at_war, "DE", 8, "DE9") is None
    assert held_back(at_war, "GA", 9, "AH1 DE11") is None
    assert held_back(at_peace, "DE", 1, "DE1") is None
    assert held_back(at_peace, "GA", 10, "AH5") is None


def test_8_1__9_what_is_owed_must_be_deployed():
    state = position({7: "DE8", 9: "AH1 DE11"}, turn=5, treaty=True)
    assert owed(state, "DE") == {8: 1}
    assert owed(state, "GA") == {9: 2}
    assert owed(state, "EA") == {}
    assert owed(state, "WA") == {}
    state = position({7: "DE8", 8: "DE9 DE10", 9: "AH1 AH3 AH4 AH5 DE11"}, turn=5, treaty=True)
    assert owed(state, "DE") == owed(state, "GA") == {}
    assert owed(position({9: "AH1"}, turn=5), "GA") == {}
    assert owed(position({9: "DE-D1 GA-D1"}, turn=5, treaty=True), "DE") == {7: 1, 8: 1, 9: 1}
    assert owed(position({9: "DE-D1 GA-D1"}, turn=5, treaty=True), "GA") == {9: 3}


def test_8_1__10_garrison_duty_on_7_8_and_9_lapses_for_the_east_and_the_german_allies():
    state = position(treaty=True)
    assert lapsed_garrison(state, "EA") == lapsed_garrison(state, "GA") == (7, 8, 9)
    assert lapsed_garrison(state, "DE") == lapsed_garrison(state, "WA") == ()
    assert lapsed_garrison(position(), "EA") == ()


def test_8_1__11_russians_and_romanians_still_move():
    state = position({7: "RU1", 11: "RO1"}, turn=5, treaty=True)
    assert held_back(state, "EA", 7, "RU1") is None
    board = Board(turn=5, faction="EA", fronts={7: "RU1 RU2", 8: "RU9"}, treaty=True)
    board.answer("EA", Move(7, (("RU1", 8), ("RU2", 8)))).play()
    assert board.on(8) == ["RU1", "RU2", "RU9"]
