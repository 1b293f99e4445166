"""AUTOMA III Long range: the best target from afar, the hexes, and gas."""

from __future__ import annotations

from typing import Any

import pytest

from engine.games.trench_club.facts.combat import CombatFought
from engine.games.trench_club.rules.automa.ground import Ground
from engine.games.trench_club.rules.automa.mind import Mind, Way
from engine.games.trench_club.rules.automa.priorities import LONG_TARGET, Letter
from tests.rules.trench.drawn import Course, drawn
from tests.rules.trench.test_automa import automa, chose, turn
from tests.rules.trench.test_automa_foot import ties

WEST, EAST = "D5", "H5"  # where a field gun from F2 gets on its way to D14 and to H14


@pytest.mark.parametrize(
    ("enemies", "more"),
    [
        ("FR.TNK1@D14, FR.INF1@H14 d5", {}),  # a
        ("FR.TNK1@D14, FR.INF1@I14", {}),  # b
        ("FR.TNK1@D14, FR.CAR1@H14", {"struck": ["FR.CAR1"]}),  # c
        ("FR.CAR1@D14, FR.TNK1@H14", {}),  # d
        ("FR.TNK1@D14, FR.TNK2@H14 x1", {}),  # e
    ],
)
def test_automa__25_the_best_target_by_the_same_letters(enemies: str, more: dict[str, Any]) -> None:
    course = turn(automa(f"DE.GUN1@F2, {enemies}", **more))
    found = chose(course, "DE.GUN1")
    assert ("III.2", EAST) == (found.order, found.goal)
    assert not ties(course)


@pytest.mark.parametrize(("chance", "goal"), [(1, WEST), (2, EAST)])
def test_automa__7_between_equal_targets_chance_decides(chance: int, goal: str) -> None:
    """III.2"""
    course = turn(automa("DE.GUN1@F2, FR.INF1@D14, FR.INF2@H14"), chance)
    assert goal == chose(course, "DE.GUN1").goal
    assert [2] == ties(course)


def test_automa__26_c_near_its_own() -> None:
    """D3 and D4 are as far from the enemy."""
    state = automa("DE.GUN1@D4, DE.INF1@C2 A, FR.TRK1@A2", chosen=("B",))
    found = chose(turn(state), "DE.GUN1")
    assert "D3" == found.goal and "hex.c" in found.letters


def test_automa__26_d_near_its_origin_in_points_then_in_hexes() -> None:
    """C1 and D3 take two points each; by road that is three hexes, over the field two."""
    course = turn(automa("DE.GUN1@A1, FR.TRK1@A3"))
    found = chose(course, "DE.GUN1")
    assert ("C1", ("hex.a", "hex.b", "hex.d")) == (found.goal, found.letters)
    assert not ties(course)


# ------------------------------------------------------------------ gas


def hit(course: Course) -> list[str]:
    """Whom the gas struck."""
    return [shot.at for fought in course.told(CombatFought) for shot in fought.shots]


def test_automa__37_the_gas_launcher_is_a_long_range_unit() -> None:
    course = turn(automa("DE.GAS1@D5, FR.INF1@D3"))
    assert ("III.1", "D5") == (chose(course, "DE.GAS1").order, chose(course, "DE.GAS1").goal)
    assert ["FR.INF1"] == hit(course)


def test_automa__37_out_of_range_it_comes_closer() -> None:
    found = chose(turn(automa("DE.GAS1@D5, FR.INF1@D13")), "DE.GAS1")
    assert ("III.2", "D7") == (found.order, found.goal)


@pytest.mark.parametrize(
    ("enemies", "struck", "letter"),
    [
        ("FR.INF1@D3 d3, FR.TNK1@D7", ["FR.INF1"], "target.a"),
        ("FR.INF1@D3 d3, FR.INF2@E3 d3, FR.REN1@D7 d5", ["FR.INF1", "FR.INF2"], "target.a"),
        ("FR.INF1@D3, FR.INF2@E3", ["FR.INF1", "FR.INF2"], "target.d"),
        ("FR.INF1@D3, FR.INF2@E3, FR.TNK1@D7", ["FR.TNK1"], "target.d"),
    ],
)
def test_automa__37_a_cloud_is_judged_by_all_whom_it_strikes(
    enemies: str, struck: list[str], letter: str
) -> None:
    course = turn(automa(f"DE.GAS1@D5, {enemies}"))
    assert struck == hit(course)
    assert letter in chose(course, "DE.GAS1").letters


@pytest.mark.parametrize("letter", LONG_TARGET, ids=lambda letter: letter.name)
def test_automa__37_every_letter_counts_them_together(letter: Letter) -> None:
    state = automa("DE.GAS1@D5, FR.INF1@C1 d5 x1, FR.INF2@C2 d5 x2", struck=["FR.INF1", "FR.INF2"])
    mind = Mind(Ground(state), state.units["DE.GAS1"])
    one, other = (letter.measure(mind, Way("D5", unit)) for unit in ("FR.INF1", "FR.INF2"))
    both = Way("D5", toward="N", gassed=("FR.INF1", "FR.INF2"))
    assert one and other and letter.measure(mind, both) == one + other


@pytest.mark.parametrize("chance", [1, 2])
def test_automa__37_gas_spares_its_own_side(chance: int) -> None:
    """TC-SPECIAL-11: it knows no friends, so the launcher goes where the cloud finds none."""
    state = automa("DE.GAS1@D5, DE.CAR1@E3 A, DE.CAR2@C3 A, FR.INF1@D3", chosen=("B",))
    assert ["FR.INF1"] == hit(turn(state, chance))


@pytest.mark.parametrize(("who", "clouds"), [("AH", []), ("GB", ["N", "NE"])])
def test_automa__37_an_ally_is_spared_too(who: str, clouds: list[str]) -> None:
    state = drawn(f"DE.GAS1@D5, {who}.INF1@E3, FR.INF1@D3", active="DE")
    found = Mind(Ground(state), state.units["DE.GAS1"]).clouds_from("D5")
    assert clouds == [way.toward for way in found]


def test_automa__37_the_launcher_is_not_where_it_came_from() -> None:
    """A cloud over the hex that it has left strikes nobody of its own."""
    state = automa("DE.GAS1@D5, FR.INF1@E4, FR.INF2@C4")
    (cloud,) = [
        one for one in Mind(Ground(state), state.units["DE.GAS1"]).clouds_from("D3") if one.toward == "S"
    ]
    assert {"FR.INF1", "FR.INF2"} == set(cloud.struck)
