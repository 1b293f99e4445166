"""AUTOMA II Close combat: the best target from afar, and the hexes."""

from __future__ import annotations

import pytest

from engine.games.trench_club.facts.combat import CombatFought
from engine.games.trench_club.rules.automa.ground import Ground
from engine.games.trench_club.rules.automa.mind import Mind
from tests.rules.trench.test_automa import automa, chose, turn
from tests.rules.trench.test_automa_foot import ties

WEST, EAST = "D9", "H9"  # where a car from F2 gets on its way to D14 and to H14


@pytest.mark.parametrize(
    "enemies",
    [
        "FR.MOR1@D14, FR.INF1@H14 d5",  # a
        "FR.INF1@D14, FR.MOR1@H14",  # b
        "FR.CAR1@D14, FR.INF1@H14",  # d
        "FR.INF1@D14, FR.CAV1@H14",  # e
        "FR.INF1@D14 x1, FR.INF2@H14",  # f
    ],
)
def test_automa__22_the_best_target_by_the_same_letters(enemies: str) -> None:
    """Whether it could strike back (b) is judged where it would be struck from, not from afar."""
    course = turn(automa(f"DE.CAR1@F2, {enemies}"))
    found = chose(course, "DE.CAR1")
    assert ("II.2", EAST) == (found.order, found.goal)
    assert not ties(course)


def test_automa__22_close_is_what_few_movement_points_lead_to() -> None:
    """Over the lake it is three hexes from A5; the way leads round by the bridge."""
    found = chose(turn(automa("DE.TNK1@A5, FR.MOR1@A8")), "DE.TNK1")
    assert ("II.2", "C5") == (found.order, found.goal)


@pytest.mark.parametrize(("chance", "goal"), [(1, WEST), (2, EAST)])
def test_automa__7_between_equal_targets_chance_decides(chance: int, goal: str) -> None:
    """II.2"""
    course = turn(automa("DE.CAR1@F2, FR.INF1@D14, FR.INF2@H14"), chance)
    found = chose(course, "DE.CAR1")
    assert (goal, ("chance",)) == (found.goal, found.letters)
    assert [2] == ties(course)


def test_automa__7_between_equal_targets_the_letters_for_hexes_come_first() -> None:
    course = turn(automa("DE.CAR1@F2, DE.GUN1@H10 A, FR.INF1@D14, FR.INF2@H14", chosen=("B",)))
    found = chose(course, "DE.CAR1")
    assert (EAST, ("hex.c",)) == (found.goal, found.letters)


@pytest.mark.parametrize(("at", "trenches"), [("B10", False), ("B12", True)])
def test_automa__22_a_car_drives_to_where_it_can_strike(at: str, trenches: bool) -> None:
    """TC-AUTOMA-8: it never gets into the lake or into a trench, but beside it."""
    found = chose(turn(automa(f"DE.CAR1@F2, FR.INF1@{at}", trench_rules=trenches)), "DE.CAR1")
    assert ("II.2", WEST) == (found.order, found.goal)


@pytest.mark.parametrize(("unit", "wades"), [("INF", False), ("AIR", True)])
def test_automa__22_beside_the_target_is_where_it_could_strike(unit: str, wades: bool) -> None:
    """TC-MOVE-14: out of the water no ground unit strikes."""
    state = automa(f"DE.{unit}1@D4, FR.INF1@C7")
    assert wades == ("C6" in Mind(Ground(state), state.units[f"DE.{unit}1"]).hexes_beside("FR.INF1"))


def test_automa__22_beside_a_trench_is_beside_any_hex_of_it() -> None:
    """B15, C14 and D14 are one."""
    state = automa("DE.CAR1@D4, FR.INF1@B15", trench_rules=True)
    assert {"A14", "D13"} <= set(Mind(Ground(state), state.units["DE.CAR1"]).hexes_beside("FR.INF1"))


@pytest.mark.parametrize("flyer", ["AIR", "ZEP"])
def test_automa__23_a_the_hex_farthest_from_flak(flyer: str) -> None:
    """TC-AUTOMA-37: the same guns hunt airships."""
    found = chose(turn(automa(f"DE.{flyer}1@F5, FR.INF1@H4, FR.FLK1@K8")), f"DE.{flyer}1")
    assert ("FR.INF1", "G3") == (found.target, found.goal)
    assert "hex.a" in found.letters


def test_automa__23_c_own_units_in_forts_are_no_company() -> None:
    """TC-AUTOMA-26: for long range too, where the fort would be near in hexes."""
    gun = automa("DE.GUN1@D4, DE.INF1@fort:B2 A, FR.TRK1@A2", "own B2=DE", chosen=("B",))
    found = chose(turn(gun), "DE.GUN1")
    assert ("III.1", "D4") == (found.order, found.goal) and "hex.c" not in found.letters
    car = automa("DE.CAR1@D4, DE.INF1@fort:B2 A, FR.TRK1@C4", "own B2=DE", chosen=("B",))
    assert "hex.c" not in chose(turn(car), "DE.CAR1").letters


def test_automa__22_it_does_not_strike_on_the_way() -> None:
    assert not turn(automa("DE.CAR1@F2, FR.INF1@D14")).told(CombatFought)
