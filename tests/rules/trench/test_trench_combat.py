"""TRENCH-11..20: fighting for trenches, with the expert rules."""

from __future__ import annotations

import pytest

from engine.games.trench_club.facts.combat import CombatFought
from engine.games.trench_club.rules.combat import bonus_dice, cover, opposite, riposters, supporters
from engine.games.trench_club.rules.special import cloud, gassed, inside_trench, shell_strikes
from engine.games.trench_club.rules.targets import candidates, clouds, targets_from, why_not_attack
from engine.games.trench_club.rules.trenches import distance
from tests.rules.trench.fights import attack, field, fight, marks, refused

MISS = " ".join(["12"] * 12)
TRENCHES = {"trench_rules": True}
E14 = ("GB.INF1@B1", "FR.CAV1@D2", "FR.TNK1@C1", "AH.CAR1@E1", "AH.CAV1@A1")


def dug(*units, **more):
    """With the expert rules; trenches B1-C1-D2, B4-B5-A5, B11-B12-A10."""
    return field(*units, options={**TRENCHES, **more.pop("options", {})}, **more)


def hits(number: int, dice: int = 12) -> str:
    return " ".join(["1"] * number + ["12"] * (dice - number))


def test_e14_trench_example():
    """TRENCH-6, 9, 11, 13..17"""
    state = dug(*E14, active="AH")
    assert candidates(state, "AH.CAR1") == ["GB.INF1", "FR.CAV1"]  # the tank on C1 is two away
    assert candidates(state, "AH.CAV1") == ["GB.INF1", "FR.CAV1"]
    for attacker in ("AH.CAR1", "AH.CAV1"):
        for target, other in (("GB.INF1", "FR.CAV1"), ("FR.CAV1", "GB.INF1")):
            assert bonus_dice(state, attacker, target) == 3
            assert riposters(state, attacker, target) == [target, other]
            assert cover(state, target) == ("tank", "forest")
    course = fight(state, "AH.CAR1 GB.INF1", dice=f"{hits(7, 15)} / {hits(2)} / {hits(4)}")
    assert course.rolled() == [("AH.CAR1.attack", 15), ("GB.INF1.riposte", 12), ("FR.CAV1.riposte", 12)]
    assert [roll.seat for roll in course.rolls] == ["AH", "GB", "FR"]
    assert [(shot.by, shot.damage) for shot in course.shots()] == [
        ("AH.CAR1", 2),
        ("GB.INF1", 1),
        ("FR.CAV1", 2),
    ]
    assert marks(state, "AH.CAR1") == "d3 x1"
    assert marks(state, "GB.INF1") == "d2 x1"
    assert marks(state, "FR.CAV1") == "x1"


# ------------------------------------------------------------------ distances


def test_trench__11_an_enemy_inside_can_be_attacked_through_any_hex():
    state = dug("DE.CAR1@C4", "GB.INF1@A5", "GB.CAV1@B5")
    assert distance(state, "DE.CAR1", "GB.INF1") == 1
    assert candidates(state, "DE.CAR1") == ["GB.INF1", "GB.CAV1"]
    assert fight(state, "DE.CAR1 GB.INF1", dice=f"{MISS} / {MISS} / {MISS}").told(CombatFought)[0].hex == "A5"


def test_t49_ranged_attack_into_a_trench():
    """TRENCH-11, 17 Six hexes to the nominal hex, five to another one of the trench."""
    state = dug("DE.MOR1@G5", "GB.INF1@A5")
    assert state.grid.distance("G5", "A5") == 6
    assert state.grid.distance("G5", "B5") == 5
    assert why_not_attack(state, attack("DE.MOR1 GB.INF1"), ("DE",)) is None
    assert candidates(state, "DE.MOR1") == ["GB.INF1"]
    course = fight(state, "DE.MOR1 GB.INF1", dice=hits(4))
    assert course.rolled() == [("DE.MOR1.attack", 12)]
    shot, fought = course.shots()[0], course.told(CombatFought)[0]
    assert (shot.armour, shot.row, shot.hits, shot.damage) == ("tank", "forest", 4, 1)
    assert fought.distance == 5
    outside = field("DE.MOR1@G5", "GB.INF1@A5")
    assert refused(
        why_not_attack(outside, attack("DE.MOR1 GB.INF1"), ("DE",)), "TC-TARGET-5", "too-far", distance=6
    )


def test_trench__11_a_mortar_may_be_too_near_to_a_trench():
    state = dug("DE.MOR1@C4", "GB.INF1@A5")
    refusal = why_not_attack(state, attack("DE.MOR1 GB.INF1"), ("DE",))
    assert refused(refusal, "TC-TARGET-5", "too-near", distance=1, least=2)
    assert candidates(state, "DE.MOR1") == []


def test_trench__12_attacks_from_inside_use_the_smallest_distance_too():
    state = dug("DE.INF1@A5", "GB.CAR1@C4", "GB.MOR1@D5")
    assert candidates(state, "DE.INF1") == ["GB.CAR1"]
    assert targets_from(state, "DE.INF1", "B4") == ["GB.CAR1"]
    assert fight(state, "DE.INF1 GB.CAR1", dice=f"{MISS} / {MISS}").told(CombatFought)[0].distance == 1
    elsewhere = dug("DE.INF1@D10", "DE.TNK1@D11", "GB.CAR1@C4")
    assert targets_from(elsewhere, "DE.INF1", "A5") == ["GB.CAR1"]
    assert targets_from(elsewhere, "DE.TNK1", "A5") == []  # a tank there is not inside


def test_trench__12_two_trenches_may_fight_each_other():
    state = dug("DE.ATG1@A5", "GB.INF1@B1", "GB.CAV1@D2")
    assert distance(state, "DE.ATG1", "GB.INF1") == 3
    state = dug("DE.GUN1@A9", "AH.ATG1@A5", "GB.INF1@A10")
    assert distance(state, "AH.ATG1", "GB.INF1") == 5
    assert distance(state, "DE.GUN1", "GB.INF1") == 1


def test_trench__12_support_reaches_through_the_trench():
    state = dug("DE.CAR1@D5", "DE.INF1@A5", "GB.INF1@C4")
    assert supporters(state, "DE.CAR1", "GB.INF1") == ["DE.INF1"]
    assert bonus_dice(state, "DE.CAR1", "GB.INF1") == 2
    without = field("DE.CAR1@D5", "DE.INF1@A5", "GB.INF1@C4")
    assert bonus_dice(without, "DE.CAR1", "GB.INF1") == 0


# ------------------------------------------------------------------ flank and surround


def test_trench__13_flank_is_judged_as_if_the_trench_were_one_hex():
    state = dug("DE.CAR1@C4", "DE.INF1@B3", "GB.INF1@A5")
    assert supporters(state, "DE.CAR1", "GB.INF1") == ["DE.INF1"]
    assert bonus_dice(state, "DE.CAR1", "GB.INF1") == 2


def test_trench__14_opposite_is_beyond_any_hex_of_the_trench_in_the_attackers_direction():
    state = dug("AH.CAR1@E1", "GB.INF1@B1", active="AH")
    assert opposite(state, "AH.CAR1", "GB.INF1") == {"A1", "B2", "C2"}  # south-west of B1, C1 and D2
    assert bonus_dice(dug("AH.CAR1@E1", "AH.CAV1@A1", "GB.INF1@D2"), "AH.CAR1", "GB.INF1") == 3
    assert bonus_dice(dug("AH.CAR1@E1", "AH.CAV1@C2", "GB.INF1@D2"), "AH.CAR1", "GB.INF1") == 3
    assert bonus_dice(dug("AH.CAR1@E1", "AH.CAV1@D3", "GB.INF1@D2"), "AH.CAR1", "GB.INF1") == 2


def test_trench__14_an_attacker_inside_touches_its_target_from_any_hex():
    """A supporter counts where it stands."""
    state = dug("DE.INF1@A5", "DE.CAV1@D4", "GB.INF1@C4")
    assert opposite(state, "DE.INF1", "GB.INF1") == {"D4", "D5"}
    assert bonus_dice(state, "DE.INF1", "GB.INF1") == 3
    both = dug("DE.INF1@A5", "DE.CAV1@B4", "GB.INF1@C4")
    assert bonus_dice(both, "DE.INF1", "GB.INF1") == 2


# ------------------------------------------------------------------ ripostes


def test_trench__15_all_foot_units_inside_riposte_the_named_one_first():
    state = dug("DE.CAR1@C4", "GB.INF1@B4", "FR.INF1@B5", "GB.CAV1@A5")
    assert riposters(state, "DE.CAR1", "GB.INF1") == ["GB.INF1", "FR.INF1", "GB.CAV1"]
    assert riposters(state, "DE.CAR1", "GB.CAV1") == ["GB.CAV1", "FR.INF1", "GB.INF1"]
    assert inside_trench(state, "A5") == ["FR.INF1", "GB.CAV1", "GB.INF1"]


def test_trench__15_unit_ids_are_ordered_by_their_number():
    state = dug("DE.CAR1@C4", "GB.INF10@B4", "GB.INF2@B5", "GB.INF1@A5")
    assert riposters(state, "DE.CAR1", "GB.INF1") == ["GB.INF1", "GB.INF2", "GB.INF10"]


def test_trench__15_only_those_who_could_strike_the_attacker():
    state = dug("DE.AIR1@C4", "GB.INF1@B4", "GB.HVY1@A5")
    assert riposters(state, "DE.AIR1", "GB.INF1") == ["GB.HVY1"]
    assert riposters(state, "DE.AIR1", "GB.HVY1") == ["GB.HVY1"]


def test_trench__15_not_in_answer_to_a_ranged_attack():
    state = dug("DE.GUN1@D5", "GB.INF1@B4", "GB.CAV1@A5")
    assert distance(state, "DE.GUN1", "GB.INF1") == 2
    assert riposters(state, "DE.GUN1", "GB.INF1") == []


def test_trench__15_a_tank_on_the_trench_neither_ripostes_with_them_nor_they_with_it():
    """TRENCH-6 It is an ordinary unit there."""
    state = dug("DE.CAR1@C4", "GB.INF1@A5", "GB.TNK1@B4", "GB.AIR1@B5")
    assert riposters(state, "DE.CAR1", "GB.INF1") == ["GB.INF1"]
    assert riposters(state, "DE.CAR1", "GB.TNK1") == ["GB.TNK1"]
    assert cover(state, "GB.TNK1") == ("tank", "open")
    assert cover(state, "GB.AIR1") == ("air", "open")


def test_trench__16_ripostes_are_turned_into_damage_one_by_one():
    """Three hits and one are one damage on a car; four at once would be two."""
    state = dug("DE.CAR1@C4", "GB.INF1@B4", "GB.CAV1@A5")
    fight(state, "DE.CAR1 GB.INF1", dice=f"{MISS} / {hits(3)} / {hits(1)}")
    assert marks(state, "DE.CAR1") == "d1"
    assert marks(state, "GB.INF1") == "x1"
    assert marks(state, "GB.CAV1") == ""


@pytest.mark.parametrize(
    ("named", "first", "second", "gained"),
    [
        ("GB.INF1", 2, 2, (("GB.INF1", 2), ("GB.CAV1", 1))),  # the first reaches six
        ("GB.INF1", 0, 2, (("GB.CAV1", 2),)),
        ("GB.CAV1", 2, 2, (("GB.CAV1", 2), ("GB.INF1", 1))),
    ],
)
def test_trench__16_the_point_for_destruction_goes_to_the_unit_that_reaches_six(named, first, second, gained):
    state = dug("DE.CAR1@C4 d5", "GB.INF1@B4", "GB.CAV1@A5", "DE.INF1@K1")
    course = fight(state, f"DE.CAR1 {named}", dice=f"{hits(0, 5)} / {hits(first)} / {hits(second)}")
    assert marks(state, "DE.CAR1") == "gone"
    assert course.told(CombatFought)[0].gained == gained
    assert sum(shot.destroyed for shot in course.shots()) == 1


def test_trench__16_damage_is_added_until_it_reaches_six():
    state = dug("DE.CAR1@C4 d4", "GB.INF1@B4", "GB.CAV1@A5", "DE.INF1@K1")
    course = fight(state, "DE.CAR1 GB.INF1", dice=f"{hits(0, 7)} / {hits(2)} / {hits(2)}")
    assert [shot.destroyed for shot in course.shots()] == [False, False, True]
    assert course.told(CombatFought)[0].gained == (("GB.INF1", 1), ("GB.CAV1", 2))


# ------------------------------------------------------------------ cover


def test_trench__17_a_foot_unit_inside_uses_the_tanks_forest_row():
    state = dug("DE.INF1@B4", "DE.ATG1@B5", "DE.INF2@B3")
    assert cover(state, "DE.INF1") == cover(state, "DE.ATG1") == ("tank", "forest")
    assert cover(state, "DE.INF2") == ("foot", "open")


def test_trench__18_the_attacker_inside_uses_its_open_row():
    state = dug("DE.INF1@B4", "GB.CAR1@C4")
    course = fight(state, "DE.INF1 GB.CAR1", dice=f"{MISS} / {hits(2)}")
    assert (course.shots()[1].armour, course.shots()[1].row, course.shots()[1].damage) == ("foot", "open", 1)


def test_trench__20_without_the_option_a_trench_is_open_field():
    state = field("DE.CAR1@C4", "GB.INF1@A5", "GB.CAV1@B5")
    assert candidates(state, "DE.CAR1") == ["GB.CAV1"]
    assert riposters(state, "DE.CAR1", "GB.CAV1") == ["GB.CAV1"]
    assert cover(state, "GB.CAV1") == ("foot", "open")
    assert inside_trench(state, "B5") == []


# ------------------------------------------------------------------ shells and gas


def test_trench__19_bertha_finds_the_named_unit_anywhere_in_its_trench():
    state = dug("DE.BER1@E5", "GB.INF1@B4", "FR.INF1@B5", "GB.CAV1@C6")
    assert shell_strikes(state, "A5", "GB.INF1") == "GB.INF1"
    assert shell_strikes(state, "B5", "GB.INF1") == "GB.INF1"
    assert shell_strikes(state, "B5", "GB.CAV1") == "FR.INF1"  # who stands on the hex
    assert shell_strikes(state, "A5", "GB.CAV1") == "FR.INF1"  # the lowest id inside
    course = fight(state, "DE.BER1 GB.INF1", dice=f"4 {MISS}")  # B5, south of the aimed hex
    assert course.shots()[0].at == "GB.INF1"
    assert course.told(CombatFought)[0].hex == "B5"


def test_trench__19_an_airplane_over_the_trench_is_no_cover_and_a_tank_on_it_is_hit():
    state = dug("DE.BER1@E5", "GB.INF1@B4", "GB.AIR1@B5", "GB.TNK1@A5")
    assert shell_strikes(state, "B5", "GB.CAV1") == "GB.INF1"
    assert shell_strikes(state, "A5", "GB.CAV1") == "GB.TNK1"
    empty = dug("DE.BER1@E5", "GB.AIR1@B5")
    assert shell_strikes(empty, "B5", "GB.CAV1") == ""
    assert shell_strikes(empty, "B4", "GB.CAV1") == ""


def test_trench__19_gas_hits_everybody_inside_once():
    state = dug("DE.GAS1@C3", "GB.INF1@A5", "GB.CAV1@B5", "GB.TNK1@B4", "GB.AIR1@D5")
    assert cloud(state, "DE.GAS1", "S") == ("C5", "B5", "D5")
    assert gassed(state, ("C5", "B5", "D5")) == ["GB.CAV1", "GB.INF1"]
    assert gassed(state, ("B4", "B5", "A5")) == ["GB.TNK1", "GB.CAV1", "GB.INF1"]
    assert "S" in clouds(state, "DE.GAS1")
    course = fight(state, "DE.GAS1 S", dice=hits(7))
    assert [(shot.at, shot.armour, shot.row, shot.damage) for shot in course.shots()] == [
        ("GB.CAV1", "tank", "forest", 2),
        ("GB.INF1", "tank", "forest", 2),
    ]


def test_trench__5_a_tank_on_the_trench_of_its_enemy_is_next_to_him():
    """Ruling: never nearer than one hex."""
    state = dug("DE.TNK1@B5", "GB.INF1@B4", "DE.INF1@C3")
    assert distance(state, "DE.TNK1", "GB.INF1") == 1
    assert candidates(state, "DE.TNK1") == ["GB.INF1"]
    assert riposters(state, "DE.TNK1", "GB.INF1") == ["GB.INF1"]
