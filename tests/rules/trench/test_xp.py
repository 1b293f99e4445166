"""XP: what a combat teaches."""

from __future__ import annotations

import pytest

from engine.games.trench_club.facts.combat import CombatFought
from engine.games.trench_club.facts.money import UnitRepaired
from engine.games.trench_club.facts.moves import FortConquered, MineExploded
from engine.games.trench_club.rules.special import value_of
from tests.rules.trench.fights import field, fight, marks

MISS = " ".join(["12"] * 12)


def hits(number: int, dice: int = 12) -> str:
    return " ".join(["1"] * number + ["12"] * (dice - number))


def test_xp__1_a_point_for_damage_two_in_total_for_a_destroyed_unit():
    state = field("DE.CAR1@D4", "DE.INF1@D10", "GB.INF1@E4 d5", "GB.CAR1@D11")
    assert fight(state, "DE.INF1 GB.CAR1", dice=f"{hits(2)} / {MISS}").told(CombatFought)[0].gained == (
        ("DE.INF1", 1),
    )
    course = fight(state, "DE.CAR1 GB.INF1", dice=f"{hits(2)} / {hits(0, 5)}")
    assert course.told(CombatFought)[0].gained == (("DE.CAR1", 2),)
    assert marks(state, "DE.CAR1") == "x2"
    assert marks(state, "DE.INF1") == "x1"


def test_xp__2_the_riposting_target_learns_too():
    state = field("DE.INF1@D4 d5", "GB.INF1@E4", "DE.CAR1@A1")
    fight(state, "DE.INF1 GB.INF1", dice=f"{hits(0, 5)} / {hits(2)}")
    assert marks(state, "GB.INF1") == "x2"
    assert marks(state, "DE.INF1") == "gone"


@pytest.mark.parametrize(("number", "after"), [(1, ""), (2, "x1")])
def test_xp__3_hits_without_damage_earn_nothing(number, after):
    state = field("DE.INF1@D4", "GB.INF1@E4")
    fight(state, "DE.INF1 GB.INF1", dice=f"{hits(number)} / {MISS}")
    assert marks(state, "DE.INF1") == after


@pytest.mark.parametrize(("before", "gained"), [(3, 2), (4, 1), (5, 0)])
def test_xp__4_five_points_at_most(before, gained):
    state = field(f"DE.CAR1@D4 x{before}", "GB.MOR1@E4 d5", "GB.INF1@K1")
    course = fight(state, "DE.CAR1 GB.MOR1", dice=hits(1))
    assert state.units["DE.CAR1"].xp == 5
    assert course.told(CombatFought)[0].gained == ((("DE.CAR1", gained),) if gained else ())


def test_xp__5_repair_leaves_experience():
    state = field("DE.TNK1@fort:B2 d4 x3", own="B2=DE", money={"DE": 2})
    UnitRepaired("DE.TNK1", 2).apply(state)
    assert marks(state, "DE.TNK1") == "x3"


def test_xp__6_the_new_level_counts_from_the_next_combat():
    """In the combat that brings it the old value holds."""
    state = field("DE.CAR1@D4 x2", "GB.INF1@E4", "DE.INF1@D5")
    course = fight(state, "DE.CAR1 GB.INF1", dice=f"{hits(2, 14)} / {MISS}")
    assert course.shots()[0].value == 4
    assert value_of(state, "DE.CAR1", "GB.INF1") == 6


def test_xp__7_big_bertha_learns_from_friendly_fire():
    state = field("DE.BER1@D10", "AH.INF1@F5", "DE.INF1@E5 d5", "GB.INF1@E4")
    fight(state, "DE.BER1 GB.INF1", dice=f"3 / {hits(2)}")
    assert marks(state, "DE.BER1") == "x1"
    fight(state, "DE.BER1 GB.INF1", dice=f"4 / {hits(2)}")
    assert marks(state, "DE.BER1") == "x3"
    assert marks(state, "DE.INF1") == "gone"


@pytest.mark.parametrize(("damage", "after"), [(0, "x1"), (3, "x2")])
def test_xp__8_gas_earns_one_for_all_it_damages_two_if_one_is_destroyed(damage, after):
    state = field("DE.GAS1@D5", f"GB.INF1@D3 d{damage}", "GB.INF2@C3", "GB.INF3@E3")
    fight(state, "DE.GAS1 N", dice="1 2 3 4 5 6 7 8 9 10 11 12")
    assert marks(state, "DE.GAS1") == after
    assert marks(state, "GB.INF2") == "d2"
    assert marks(state, "GB.INF3") == "d3"


def test_xp__8_gas_that_harms_nobody_earns_nothing():
    state = field("DE.GAS1@D5", "GB.INF1@D3")
    fight(state, "DE.GAS1 N", dice=MISS)
    assert marks(state, "DE.GAS1") == marks(state, "GB.INF1") == ""


def test_xp__9_conquest_and_mines_earn_nothing():
    state = field("DE.INF1@C2", "GB.MOR1@fort:B2", "GB.INF1@D4", own="B2=GB", mines={"D4": "DE"})
    FortConquered("B2", "DE", "DE.INF1", "GB", ("GB.MOR1",)).apply(state)
    MineExploded("D4", ("GB.INF1",)).apply(state)
    assert marks(state, "DE.INF1") == ""
    assert sorted(state.units) == ["DE.INF1"]


@pytest.mark.parametrize("number", [2, 8])
def test_xp__10_the_amount_of_damage_does_not_matter(number):
    state = field("DE.TNK1@D4", "GB.INF1@E4")
    fight(state, "DE.TNK1 GB.INF1", dice=f"{hits(number)} / {MISS}")
    assert marks(state, "GB.INF1") == {2: "d1", 8: "d5"}[number]
    assert marks(state, "DE.TNK1") == "x1"
