"""AUTOMA I The orders of foot units, each where another choice would lead elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from engine.games.trench_club.facts.combat import CombatFought
from engine.games.trench_club.facts.moves import FortConquered
from engine.games.trench_club.rules.automa.ground import Ground
from engine.games.trench_club.rules.automa.mind import Mind
from engine.games.trench_club.rules.movement import reach
from engine.games.trench_club.rules.targets import candidates
from engine.games.trench_club.state import State
from tests.rules.trench.drawn import Course, drawn
from tests.rules.trench.test_automa import automa, chose, only, turn


def ties(course: Course) -> list[int]:
    """The sides of the dice rolled because ways were equal."""
    return [roll.sides for roll in course.rolls if roll.why == "automa.tie"]


def without_forts(*texts: str, **more: Any) -> State:
    """Nothing is left to conquer."""
    return only(automa(*texts, **more))


# ------------------------------------------------------------------ in general


def test_automa__7_a_hex_that_serves_two_forts_is_one_way() -> None:
    """I.3 D7 lies a turn away from B8 and F8 alike: no die is rolled for it."""
    course = turn(only(automa("DE.HVY1@F5, FR.CAV1@G1"), "B8", "F8"))
    found = chose(course, "DE.HVY1")
    assert ("I.3", "D7", ("b", "c")) == (found.order, found.goal, found.letters)
    assert not ties(course)


def test_automa__11_an_order_to_move_brings_no_attack_on_a_neighbour() -> None:
    state = only(automa("DE.INF1@D6, FR.TRK1@B3"), "B2")
    course = turn(state)
    assert ("I.2", "C2") == (chose(course, "DE.INF1").order, chose(course, "DE.INF1").goal)
    assert ["FR.TRK1"] == candidates(state, "DE.INF1")  # it could
    assert not course.told(CombatFought)


def test_automa__11_no_move_ends_inside_a_fort() -> None:
    state = automa("DE.INF1@C2", "own B2=DE")
    assert "B2" in reach(state, "DE.INF1")
    assert "B2" not in Mind(Ground(state), state.units["DE.INF1"]).hexes


# ------------------------------------------------------------------ forts


def test_automa__14_b_far_from_the_enemy() -> None:
    found = chose(turn(only(automa("DE.INF1@G4, FR.TRK1@K14"), "B2")), "DE.INF1")
    assert ("I.3", "E3", ("b",)) == (found.order, found.goal, found.letters)


def test_automa__14_c_near_the_entrance() -> None:
    found = chose(turn(only(automa("DE.INF1@C7"), "B2")), "DE.INF1")
    assert ("I.3", "D4", ("c",)) == (found.order, found.goal, found.letters)


def test_automa__14_the_last_move_into_the_open_counts() -> None:
    """From D4 three points of road lead to D7, and the half point that is left onto E7."""
    found = chose(turn(only(automa("DE.INF1@D1"), "F8")), "DE.INF1")
    assert ("I.3", "D4") == (found.order, found.goal)


def test_automa__14_a_fort_that_another_unit_waits_at_is_no_goal_either() -> None:
    """TC-AUTOMA-13: else the unit that I.2 keeps from B2 would go there by I.3."""
    near = "DE.INF1@D1, DE.HVY1@C2, FR.TRK1@K14"
    found = chose(turn(only(automa(near), "B2", "F8")), "DE.INF1")
    assert ("I.3", "D4") == (found.order, found.goal)
    assert "I.6" == chose(turn(only(automa(near), "B2")), "DE.INF1").order


def test_automa__14_an_enemy_foot_unit_there_lifts_the_bar() -> None:
    """TC-AUTOMA-13"""
    state = only(automa("DE.INF1@C7, DE.HVY1@C2, FR.INF1@A1"), "B2")
    assert "I.3" == chose(turn(state), "DE.INF1").order


def test_automa__18_by_the_shortest_way_to_the_nearest_entrance() -> None:
    found = chose(turn(only(automa("DE.INF1@F2, FR.TRK1@K14"), "B14")), "DE.INF1")
    assert ("I.6", "D5") == (found.order, found.goal)


@pytest.mark.parametrize(("short", "order"), [(False, "I.1"), (True, "II.2")])
def test_automa__13_gunners_of_a_short_game_have_no_business_at_forts(short: bool, order: str) -> None:
    """TC-VICTORY-4: they may not conquer, so no order leads them there."""
    state = drawn(
        "AH.ATG1@C2, FR.TRK1@K10", half="1-6", active="AH", automa="AH", seats=("FR",), short_game=short
    )
    assert order == chose(turn(state), "AH.ATG1").order


# ------------------------------------------------------------------ attacks


def test_automa__15_the_letters_choose_among_those_it_can_destroy() -> None:
    """TC-AUTOMA-17"""
    course = turn(without_forts("DE.INF1@F3, FR.CAR1@E4 d5, FR.TRK1@G4 d5"))
    found = chose(course, "DE.INF1")
    assert ("I.4", "FR.TRK1", "F4") == (found.order, found.target, found.goal)
    assert ("target.b", "hex.b") == found.letters and not ties(course)


def test_automa__16_the_letters_choose_the_hex() -> None:
    """TC-AUTOMA-17"""
    course = turn(without_forts("DE.INF1@F3, FR.TRK1@E4"))
    found = chose(course, "DE.INF1")
    assert ("I.5", "F4", ("hex.b",)) == (found.order, found.goal, found.letters)
    assert not ties(course)


def test_automa__16_from_two_hexes_away_nobody_strikes_back() -> None:
    """TC-COMBAT-2"""
    state = drawn("AH.ATG1@F3, FR.CAR1@F5", half="1-6", active="AH", automa="AH", seats=("FR",))
    state.forts.update(dict.fromkeys(state.forts, "AH"))
    found = chose(turn(state), "AH.ATG1")
    assert "I.5" == found.order and state.grid.distance(found.goal, "F5") == 2


# ------------------------------------------------------------------ trenches


def test_automa__16_whoever_strikes_out_of_a_trench_is_met_at_all_of_it() -> None:
    """The car next to B4 strikes back at the infantry on A5, inside the same trench."""
    course = turn(without_forts("DE.INF1@A5, FR.CAR1@C4", trench_rules=True))
    assert "II.1" == chose(course, "DE.INF1").order
    assert ["DE.INF1", "FR.CAR1"] == [shot.by for shot in course.told(CombatFought)[0].shots]


@pytest.mark.parametrize(("mate", "safe"), [("FR.CAV1@B4", True), ("FR.HVY1@B4", False)])
def test_automa__16_inside_a_trench_all_strike_back(mate: str, safe: bool) -> None:
    """TC-TRENCH-15, TC-AUTOMA-20: against an airplane heavy infantry does."""
    state = automa(f"DE.AIR1@C4, FR.INF1@B5, {mate}", trench_rules=True)
    assert safe == Mind(Ground(state), state.units["DE.AIR1"]).is_safe_from("FR.INF1", "C4")


@pytest.mark.parametrize("trenches", [False, True])
def test_automa__12_an_enemy_inside_a_trench_stands_before_all_its_doors(trenches: bool) -> None:
    """C1 is an entrance of B2 and one trench with D2."""
    course = turn(automa("DE.INF1@A2, FR.INF1@D2", trench_rules=trenches))
    assert trenches == (not course.told(FortConquered))


@pytest.mark.parametrize("trenches", [False, True])
def test_automa__13_so_does_its_own_unit(trenches: bool) -> None:
    """One is enough, and if an enemy is there too the bar is lifted."""
    own = "DE.CAV1@D4, DE.INF1@D2 A"
    state = only(automa(own, trench_rules=trenches, chosen=("B",)), "B2")
    assert trenches == (chose(turn(state), "DE.CAV1").order != "I.2")
    both = only(automa(own, "FR.INF1@A2", trench_rules=trenches, chosen=("B",)), "B2")
    assert "I.2" == chose(turn(both), "DE.CAV1").order


def test_automa__8_an_enemy_in_a_trench_is_met_at_its_nearest_hex() -> None:
    state = automa("DE.INF1@D5, FR.INF1@A5", trench_rules=True)
    mind = Mind(Ground(state), state.units["DE.INF1"])
    assert (2, 1) == (mind.from_enemies("C4"), mind.distance("C4", "FR.INF1"))  # B4, B5 and A5 are one


@pytest.mark.parametrize(("unit", "away"), [("INF", 1), ("TNK", 3)])
def test_automa__8_only_foot_units_are_inside_a_trench(unit: str, away: int) -> None:
    """TC-TRENCH-6: from B4 a tank has the way to the lake still before it."""
    state = automa(f"DE.{unit}1@D5, FR.INF1@A6", trench_rules=True)
    assert away == Mind(Ground(state), state.units[f"DE.{unit}1"]).distance("B4", "FR.INF1")
