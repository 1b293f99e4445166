"""FWW 6.4, 6.6: attack lines and what a capture changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.games.first_world_war.facts.combat import (
    ArmyEliminated,
    CaptureDeclined,
    FrontFoundEmpty,
    LocationCaptured,
    SurrenderPointGiven,
)
from engine.games.first_world_war.rules.lines import available_locations, captured, holds, is_base_reachable
from engine.games.first_world_war.rules.permissions import may_operate
from engine.kernel.requests import Choice
from tests.narrowing import expect
from tests.rules.fww.board import PACK
from tests.rules.fww.course import battle, position

BALKANS_LOST = {"BEOGRAD": "GA", "MONASTIR": "GA"}

# ------------------------------------------------------------------ available


@pytest.mark.parametrize(
    ("front", "allies", "central"),
    [
        (1, "AACHEN", "BRUXELLES"),
        (2, "LUXEMBURG", "AMIENS"),
        (3, "METZ", "VERDUN"),
        (4, "MULHAUSEN", "EPINAL"),
        (5, "TRENTO", "ASIAGO"),
        (6, "GORIZIA", "UDINE"),
        (7, "KONIGSBERG", "KOVNO"),
        (8, "BRESLAU", "WARSZAWA"),
        (9, "LEMBERG", "ROVNO"),
        (10, "SARAJEVO NEUSATZ", "BEOGRAD MONASTIR"),
        (11, "BUDAPEST SOFIA", "BUCURESTI"),
    ],
)
def test_6_4__1_an_enemy_location_joined_to_a_held_node_is_available(front, allies, central):
    state = position(turn=4)
    assert available_locations(state, "ALLIES", front) == tuple(allies.split())
    assert available_locations(state, "CENTRAL", front) == tuple(central.split())


def test_6_4__1_what_is_held_already_is_not_available():
    state = position(control={"BRUXELLES": "DE"})
    assert available_locations(state, "CENTRAL", 1) == ("CALAIS",)
    assert available_locations(state, "ALLIES", 1) == ("BRUXELLES",)


def test_6_4__1_a_base_joins_too():
    """All of front 1 lost: from the base the way leads back to Calais."""
    state = position(control={"BRUXELLES": "DE", "CALAIS": "DE"})
    assert available_locations(state, "ALLIES", 1) == ("CALAIS",)
    assert available_locations(state, "CENTRAL", 1) == ()


def test_6_4__2_the_joining_node_may_be_the_partners():
    state = position(control={"BRUXELLES": "GA"})
    assert holds(state, "CENTRAL", "BRUXELLES")
    assert not holds(state, "ALLIES", "BRUXELLES")
    assert available_locations(state, "CENTRAL", 1) == ("CALAIS",)


def test_2_1__5_bases_never_change_hands():
    state = position()
    assert holds(state, "ALLIES", "B1-WA")
    assert not holds(state, "CENTRAL", "B1-WA")
    assert not set(PACK.bases) & set(state.control)


def test_6_4__8_the_chain_need_not_lead_back_to_a_base():
    """Köln stands alone behind the lines: Aachen may still be taken from it."""
    state = position(control={"BRUXELLES": "DE", "KOLN": "WA"})
    assert available_locations(state, "ALLIES", 1) == ("AACHEN", "BRUXELLES")


def test_6_4__3_the_captor_chooses_among_several():
    """C-32 Front 10: Beograd from the north, from turn 3 Monastir through the Bulgarian base too."""
    state = position({10: "AH5 SB2"}, turn=3)
    course = battle(state, "GA", 10, "AH5", "4 1", answers={"combat.capture": "MONASTIR"}, take="MONASTIR")
    ask = course.ask("combat.capture")
    assert (ask.seat, ask.at, ask.plan, ask.secret) == ("GA", "T3.R4/F10", "MONASTIR", False)
    assert (ask.given.faction, ask.given.front) == ("GA", 10)
    assert ask.given.available == ("BEOGRAD", "MONASTIR")
    assert expect(Choice, ask.options).offered == ("BEOGRAD", "MONASTIR", None)
    assert (state.control["MONASTIR"], state.control["BEOGRAD"]) == ("GA", "EA")
    assert available_locations(position(turn=2), "CENTRAL", 10) == ("BEOGRAD",)


def test_6_4__3_other_towns_are_refused():
    state = position({10: "AH5 SB2"}, turn=2)
    ask = battle(state, "GA", 10, "AH5", "4 1").ask("combat.capture")
    refusal = ask.options.why_not("MONASTIR")
    assert refusal is not None
    assert (refusal.rule, refusal.reason) == ("FWW-6.4-1", "not-available")


def test_6_4__3_by_default_a_replacement_centre_first_then_the_packs_order():
    """D11 Lemberg and Wien are centres, Przemyśl stands between them."""
    state = position({9: "RU4 AH1"}, control={"KRAKOW": "EA"})
    assert available_locations(state, "ALLIES", 9) == ("LEMBERG", "WIEN", "PRZEMYSL")
    course = battle(state, "EA", 9, "RU4", "4 1")
    assert course.ask("combat.capture").default == "LEMBERG"
    assert course.one(LocationCaptured).location == "LEMBERG"


# ------------------------------------------------------------------ capture


def test_6_4__4_the_capture_may_be_declined():
    state = position({1: "DE1 BE1"})
    course = battle(state, "DE", 1, "DE1", "4 1", answers={"combat.capture": None})
    assert course.one(CaptureDeclined) == CaptureDeclined("DE", 1)
    assert not course.of(LocationCaptured)
    assert not course.of(SurrenderPointGiven)
    assert state.control["BRUXELLES"] == "WA"
    assert (state.vp["DE"], state.vp["WA"]) == (6, 6)


def test_6_4__5_one_point_to_the_captor_and_one_off_the_loser():
    """W-09 Aachen falls in turn 1."""
    state = position({1: "DE2 BR1"}, turn=1)
    course = battle(state, "WA", 1, "BR1", "4 1")
    assert course.one(LocationCaptured) == LocationCaptured(1, "AACHEN", "WA", "DE", 7, 5)
    assert state.control["AACHEN"] == "WA"
    assert state.vp == {"DE": 5, "WA": 7, "EA": 6, "GA": 6}


def test_6_4__6_a_recaptured_location_goes_back_to_its_owner():
    """C-38 Metz back in German hands."""
    state = position({3: "DE5 FR2"}, control={"METZ": "WA"}, vp={"WA": 7, "DE": 5})
    battle(state, "DE", 3, "DE5", "4 1")
    assert state.control["METZ"] == "DE"
    assert (state.vp["WA"], state.vp["DE"]) == (6, 6)


def test_6_4__6_the_printed_owner_counts_not_who_fights_there():
    """Were Metz printed in the partner's colour, it would go back to the partner."""
    state = position(control={"METZ": "WA"})
    assert captured(state, "CENTRAL", "METZ").taker == "DE"
    state.pack = replace(PACK, owner_of={**PACK.owner_of, "METZ": "GA"})
    assert PACK.fighter[3]["CENTRAL"] == "DE"
    assert captured(state, "CENTRAL", "METZ").taker == "GA"


def test_6_4__6_what_was_never_the_captors_goes_to_who_fights_there():
    """FWW-2.1-7"""
    assert captured(position(), "ALLIES", "KONIGSBERG").taker == "EA"
    assert captured(position(), "ALLIES", "METZ").taker == "WA"
    assert captured(position(), "CENTRAL", "ROVNO").taker == "GA"


def test_6_4__7_a_defender_that_wins_gains_no_ground():
    state = position({1: "DE1 BE1"})
    course = battle(state, "DE", 1, "DE1", "S 4")
    assert course.one(ArmyEliminated).army == "DE1"
    assert not course.of(LocationCaptured)
    assert not course.asked("combat.capture")


def test_6_4__7_one_location_for_each_combat():
    state = position({9: "RU4 RU5 AH1 AH3"}, control={"KRAKOW": "EA"})
    course = battle(state, "EA", 9, "RU4 RU5", "4 1")
    assert len(course.of(LocationCaptured)) == 1
    assert len(course.asked("combat.capture")) == 1


@pytest.mark.parametrize(("before", "after"), [(0, 0), (1, 0), (2, 1)])
def test_8__1_points_never_fall_below_zero(before, after):
    """C-44 and there is no ceiling for the captor."""
    state = position({7: "DE8 RU1"}, control={"KOVNO": "DE"}, vp={"EA": before, "DE": 30})
    battle(state, "DE", 7, "DE8", "4 1")
    assert state.control["RIGA"] == "DE"
    assert (state.vp["EA"], state.vp["DE"]) == (after, 31)


def test_8__1_points_are_stored_not_derived():
    """C-44 EA at 0 loses Riga and takes it back: one point, though it holds as much as before."""
    state = position({7: "DE8 RU1 RU2"}, control={"KOVNO": "DE"}, vp={"EA": 0})
    battle(state, "DE", 7, "DE8", "4 1")
    assert (state.vp["EA"], state.vp["DE"]) == (0, 7)
    battle(state, "EA", 7, "RU2", "4 S")
    assert state.control["RIGA"] == "EA"
    assert (state.vp["EA"], state.vp["DE"]) == (1, 6)


# ------------------------------------------------------------------ bases


@pytest.mark.parametrize("front", range(1, 10))
def test_6_5__1_no_base_is_in_reach_from_the_start(front):
    state = position(turn=6)
    assert not is_base_reachable(state, "CENTRAL", front)
    assert not is_base_reachable(state, "ALLIES", front)


@pytest.mark.parametrize(("front", "alliance", "opens"), [(10, "ALLIES", 3), (11, "CENTRAL", 4)])
def test_6_5__1_a_base_beside_an_own_location_is_reached_when_the_line_opens(front, alliance, opens):
    """Monastir lies beside the Bulgarian base, Sofia beside the one on the Struma."""
    assert not is_base_reachable(position(turn=opens - 1), alliance, front)
    assert is_base_reachable(position(turn=opens), alliance, front)


def test_6_5__1_a_base_is_reached_from_a_held_location():
    state = position(control={"RIGA": "DE"})
    assert is_base_reachable(state, "CENTRAL", 7)
    assert not is_base_reachable(state, "ALLIES", 7)
    state = position(control={"DANZIG": "EA"})
    assert is_base_reachable(state, "ALLIES", 7)
    assert not is_base_reachable(state, "CENTRAL", 7)


@pytest.mark.parametrize(("turn", "reached"), [(2, False), (3, True)])
def test_6_6__1_a_base_is_not_reached_along_a_closed_line(turn, reached):
    """C-34 Monastir-Saloniki opens in turn 3."""
    state = position({10: "AH5 SB2"}, turn=turn, control=BALKANS_LOST)
    course = battle(state, "GA", 10, "AH5", "4 1")
    assert is_base_reachable(state, "CENTRAL", 10) is reached
    assert state.surrender["EA"] == ([10] if reached else [])
    assert len(course.of(SurrenderPointGiven)) == reached


# ------------------------------------------------------------------ neutral lines


@pytest.mark.parametrize(
    ("front", "alliance", "town", "opens"),
    [
        (5, "CENTRAL", "ASIAGO", 3),
        (5, "ALLIES", "TRENTO", 3),
        (6, "CENTRAL", "UDINE", 3),
        (6, "ALLIES", "GORIZIA", 3),
        (10, "CENTRAL", "MONASTIR", 3),
        (11, "CENTRAL", "BUCURESTI", 4),
        (11, "ALLIES", "BUDAPEST", 4),
        (11, "ALLIES", "SOFIA", 4),
    ],
)
def test_6_6__3_neutral_lines_open_in_turn_3_or_4(front, alliance, town, opens):
    assert town not in available_locations(position(turn=opens - 1), alliance, front)
    assert town in available_locations(position(turn=opens), alliance, front)


def test_6_6__1_the_bar_is_on_the_line_not_on_the_location():
    """Monastir lies behind a closed line in turn 2, and falls along the open one from Beograd."""
    state = position(turn=2, control={"BEOGRAD": "GA"})
    assert available_locations(state, "CENTRAL", 10) == ("MONASTIR",)


def test_6_6__2_bucuresti_falls_from_turn_4_and_odessa_after_it():
    """W-07"""
    state = position({11: "AH7 RO1 RO2"}, turn=3)
    course = battle(state, "GA", 11, "AH7", "4 1")
    assert not course.asked("combat.capture")
    assert not course.of(SurrenderPointGiven)
    state = position({11: "AH7 RO1 RO2"}, turn=4)
    course = battle(state, "GA", 11, "AH7", "4 1")
    assert course.ask("combat.capture").given.available == ("BUCURESTI",)
    assert state.control["BUCURESTI"] == "GA"
    course = battle(state, "GA", 11, "AH7", "4 1")
    assert course.ask("combat.capture").given.available == ("ODESSA",)
    assert state.control["ODESSA"] == "GA"


@pytest.mark.parametrize(("front", "armies"), [(5, "AH1"), (6, "AH1"), (11, "AH1 RU1")])
def test_6_6__4_armies_may_stand_behind_closed_lines_from_turn_1(front, armies):
    state = position(turn=1)
    assert all(may_operate(state, army, front) for army in armies.split())


@pytest.mark.parametrize(
    ("front", "turn", "attacker", "army", "enemy"),
    [
        (5, 1, "GA", "AH1", "IT1"),
        (5, 2, "WA", "IT1", "AH1"),
        (6, 1, "GA", "AH1", "IT1"),
        (6, 2, "WA", "IT1", "AH1"),
        (11, 1, "GA", "AH1", "RU1"),
        (11, 1, "EA", "RU1", "AH1"),
    ],
)
def test_6_6__4_and_fight_there_for_no_ground_and_no_point(front, turn, attacker, army, enemy):
    course = battle(position({front: f"{army} {enemy}"}, turn=turn), attacker, front, army, "4 1")
    assert course.one(ArmyEliminated).army == enemy
    assert not course.asked("combat.capture")
    assert not course.of(SurrenderPointGiven)


@pytest.mark.parametrize(("front", "turn"), [(5, 1), (5, 2), (6, 1), (6, 2), (11, 1), (11, 3)])
def test_6_6__4_nor_does_an_empty_front_fall(front, turn):
    course = battle(position({front: "AH1"}, turn=turn), "GA", front, "AH1")
    assert course.of(FrontFoundEmpty)
    assert not course.asked("combat.capture")


def test_6_6__4_a_closed_line_bars_capture_not_combat():
    """C-11 AH and BU fight on 11 in turn 3: a loss, no ground, no point; EA may draw."""
    state = position({11: "AH7 BU1 RU12"}, turn=3, cups={"ALLIES": "A01"})
    course = battle(state, "GA", 11, "AH7 BU1", "2 S", "A01")
    assert course.one(ArmyEliminated).army == "RU12"
    assert not course.of(LocationCaptured)
    assert not course.of(SurrenderPointGiven)
    assert course.ask("combat.draw").seat == "EA"
