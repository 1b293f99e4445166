"""AUTOMA-33..36 Purchases: the unit limit, partners, trenches."""

from __future__ import annotations

import pytest

from engine.games.trench_club.facts.money import UnitBought
from engine.games.trench_club.rules.automa import shop
from tests.rules.trench.drawn import drawn, play
from tests.rules.trench.test_automa import automa, bought


def test_automa__33_no_foot_unit_beyond_the_limit() -> None:
    """TC-BUY-10: what is at its limit is passed over, and a car is next."""
    state = automa("DE.CAV1@D4", "own B2=DE, money DE=6", unit_limit=1)
    assert ["DE.CAR1@B2"] == bought(state)


def test_automa__33_partners_share_the_limit() -> None:
    """TC-BUY-10, TC-COOP-6: a car each is two, so a gun is next."""
    army = "GB.CAR1@D4, FR.CAR1@D6, GB.INF1@K12, FR.INF1@K13"
    state = drawn(army, "own J14=GB, money GB=5", active="GB", camps={"FR": "GB"})
    assert ["field_gun"] == [fact.type for fact in play(state, shop(state, "GB")).told(UnitBought)]


@pytest.mark.parametrize(("trenches", "fort"), [(False, "B2"), (True, "B8")])
def test_automa__35_an_enemy_inside_a_trench_besieges_all_its_doors(trenches: bool, fort: str) -> None:
    """C1 is an entrance of B2 and one trench with D2."""
    state = automa("DE.INF1@D4, FR.INF1@D2", "own B2=DE, own B8=DE, money DE=3", trench_rules=trenches)
    assert [f"DE.CAV1@{fort}"] == bought(state)


@pytest.mark.parametrize(("trenches", "fort"), [(False, "J2"), (True, "B2")])
def test_automa__35_an_enemy_in_a_trench_is_as_near_as_its_nearest_hex(trenches: bool, fort: str) -> None:
    """TC-AUTOMA-8: A5 is one trench with B4, which is nearer to B2 than J5 to J2."""
    own = "own B2=DE, own J2=DE, money DE=3"
    state = automa("DE.INF1@D4, FR.INF1@A5, FR.TNK1@J5", own, trench_rules=trenches)
    assert [f"DE.CAV1@{fort}"] == bought(state)
