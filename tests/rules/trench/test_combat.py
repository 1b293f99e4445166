"""COMBAT: dice, flank and surround, ripostes, armour, in the order of the list."""

from __future__ import annotations

import pytest

from engine.games.trench_club import order_of_play
from engine.games.trench_club.facts.combat import AttackLost, CombatFought
from engine.games.trench_club.facts.setup import GameWon
from engine.games.trench_club.rules.combat import (
    Cover,
    base_dice,
    bonus_dice,
    cover,
    damage_of,
    open_row,
    riposters,
    supporters,
)
from engine.games.trench_club.rules.special import level_of, value_of
from tests.rules.trench.fights import PACK, field, fight, marks

MAIN = (
    *("DE.CAR1@D4 d3 x3", "DE.AIR1@D3", "DE.MOR1@C4", "AH.CAR1@B3"),
    *("GB.INF1@C3 d1 x2", "FR.HOW1@G3"),
)
FIRST = "1 3 5 6 6 7 8 9 11 12 / 1 2 3 4 5 6 7 8 9 10 12"
SECOND = "1 2 3 3 4 5 6 7 8 9 10 11 12 12"
THIRD = "1 2 3 4 5 6 7 8 9 10 11 12"
MISS = " ".join(["12"] * 12)


# ------------------------------------------------------------------ the rulebook's example


def test_e05_the_main_combat():
    """COMBAT-2..15, XP-1, 2"""
    state = field(*MAIN)
    course = fight(state, "DE.CAR1 GB.INF1", dice=FIRST)
    assert course.rolled() == [("DE.CAR1.attack", 10), ("GB.INF1.riposte", 11)]
    assert [roll.sides for roll in course.rolls] == [12, 12]
    assert [roll.seat for roll in course.rolls] == ["DE", "GB"]
    car, infantry = course.shots()
    assert (car.value, car.hits, car.bonus, car.armour, car.row, car.damage) == (6, 5, 2, "foot", "forest", 2)
    assert (infantry.value, infantry.hits, infantry.bonus) == (2, 2, 0)
    assert (infantry.armour, infantry.row, infantry.damage) == ("car", "open", 1)
    assert not car.destroyed and not infantry.destroyed
    assert marks(state, "DE.CAR1") == "d4 x4"
    assert marks(state, "GB.INF1") == "d3 x3"
    (fought,) = course.told(CombatFought)
    assert (fought.attacker, fought.target, fought.distance) == ("DE.CAR1", "GB.INF1", 1)
    assert (fought.scatter, fought.hex) == (0, "C3")
    assert fought.gained == (("DE.CAR1", 1), ("GB.INF1", 1))
    assert {"DE.CAR1", "GB.INF1"} == set(state.struck)


def test_e06_second_combat():
    """COMBAT-2, 5, 6, 13"""
    state = field(*MAIN)
    course = fight(state, "DE.CAR1 GB.INF1", "DE.AIR1 GB.INF1", dice=f"{FIRST} {SECOND}")
    assert course.rolled()[2:] == [("DE.AIR1.attack", 14)]
    shot = course.shots()[2]
    assert (shot.value, shot.hits, shot.row, shot.damage) == (3, 4, "forest", 2)
    assert marks(state, "GB.INF1") == "d5 x3"
    assert marks(state, "DE.AIR1") == "x1"


def test_e07_third_combat():
    """COMBAT-2, 4"""
    state = field(*MAIN)
    listed = ("DE.CAR1 GB.INF1", "DE.AIR1 GB.INF1", "DE.MOR1 FR.HOW1")
    course = fight(state, *listed, dice=f"{FIRST} {SECOND} {THIRD}")
    assert course.rolled()[3:] == [("DE.MOR1.attack", 12)]
    shot, fought = course.shots()[3], course.told(CombatFought)[2]
    assert (shot.value, shot.hits, shot.armour, shot.row, shot.damage) == (3, 3, "gun", "open", 2)
    assert fought.distance == 4
    assert marks(state, "FR.HOW1") == "d2"
    assert marks(state, "DE.MOR1") == "x1"


def test_combat__1_attacks_follow_the_list_one_by_one():
    state = field("DE.CAR1@D4", "DE.TNK1@E5", "GB.INF1@E4", "GB.MOR1@D3")
    listed = ("DE.TNK1 GB.INF1", "DE.CAR1 GB.MOR1")
    course = fight(state, *listed, dice=" ".join(["12"] * (14 + 12 + 12)))
    told = [(fought.attacker, fought.target) for fought in course.told(CombatFought)]
    assert told == [("DE.TNK1", "GB.INF1"), ("DE.CAR1", "GB.MOR1")]
    assert course.result == order_of_play.money(state)


def test_combat__1_without_attacks_the_money_follows():
    state = field("DE.CAR1@D4", "GB.INF1@E4")
    assert fight(state).result == order_of_play.money(state)


# ------------------------------------------------------------------ ripostes


@pytest.mark.parametrize(
    ("attacker", "target", "ripostes"),
    [
        ("DE.CAR1@D4", "GB.INF1@E4", True),
        ("DE.CAR1@D4", "GB.MOR1@E4", False),  # cannot strike at distance 1
        ("DE.CAR1@D4", "GB.TRK1@E4", False),
        ("DE.AIR1@D4", "GB.INF1@E4", False),  # cannot strike at aircraft
        ("DE.AIR1@D4", "GB.HVY1@E4", True),
        ("DE.AIR1@D4", "GB.AIR1@E4", True),
        ("DE.GUN1@C5", "GB.INF1@E4", False),  # not close
        ("DE.GUN1@C5", "GB.GUN1@E4", False),  # though it could shoot so far
    ],
)
def test_combat__2_riposte_in_close_combat_only(attacker, target, ripostes):
    state = field(attacker, target)
    by, at = attacker.split("@")[0], target.split("@")[0]
    assert riposters(state, by, at) == ([at] if ripostes else [])
    rolls = fight(state, f"{by} {at}", dice=MISS + (f" {MISS}" if ripostes else "")).rolled()
    assert [(f"{by}.attack", 12), *([(f"{at}.riposte", 12)] if ripostes else [])] == rolls


def test_t05_fighting_a_wader():
    """MOVE-14 It uses the open row and rolls nothing."""
    state = field("DE.CAR1@B5", "GB.INF1@B6")
    course = fight(state, "DE.CAR1 GB.INF1", dice="1 2 3 4 4 7 8 9 10 11 12 12")
    assert course.rolled() == [("DE.CAR1.attack", 12)]
    (shot,) = course.shots()
    assert (shot.hits, shot.row, shot.damage) == (5, "open", 3)
    assert marks(state, "GB.INF1") == "d3"


def test_combat__2_a_gunboat_and_an_airplane_over_water_do_riposte():
    """MOVE-14 speaks of ground units."""
    boat = field("DE.CAR1@B5", "GB.BOT1@B6")
    assert riposters(boat, "DE.CAR1", "GB.BOT1") == ["GB.BOT1"]
    sky = field("DE.HVY1@B5", "FR.AIR1@B6")
    assert riposters(sky, "DE.HVY1", "FR.AIR1") == ["FR.AIR1"]


def test_t17_anti_aircraft_up_close():
    """TARGET-7"""
    state = field("DE.TNK1@D4", "DE.AIR1@D5", "GB.FLK1@E4")
    assert riposters(state, "DE.TNK1", "GB.FLK1") == []
    course = fight(state, "DE.AIR1 GB.FLK1", dice=f"{MISS} 12 12 / 1 2 3 4 4 5 6 7 8 9 10 11")
    assert course.rolled() == [("DE.AIR1.attack", 14), ("GB.FLK1.riposte", 12)]
    assert (course.shots()[1].value, course.shots()[1].hits) == (4, 5)


# ------------------------------------------------------------------ dice


@pytest.mark.parametrize(("damage", "dice"), list(enumerate((12, 11, 10, 8, 7, 5))))
def test_combat__3_dice_by_own_damage(damage, dice):
    state = field(f"DE.CAR1@D4 d{damage}", f"GB.INF1@E4 d{5 - damage}")
    assert base_dice(state, "DE.CAR1") == dice
    rolls = fight(state, "DE.CAR1 GB.INF1", dice=" ".join(["12"] * (dice + (5, 7, 8, 10, 11, 12)[damage])))
    assert rolls.rolled()[0] == ("DE.CAR1.attack", dice)


def test_combat__4_only_the_attacker_and_only_in_close_combat_gets_bonus_dice():
    state = field("DE.CAR1@D4", "GB.INF1@E4", "GB.CAV1@D5", "GB.HVY1@D3", "DE.GUN1@F5", "DE.INF1@E5")
    course = fight(state, "DE.CAR1 GB.INF1", dice=" ".join(["12"] * (15 + 12)))
    assert course.rolled() == [("DE.CAR1.attack", 15), ("GB.INF1.riposte", 12)]
    far = field("DE.GUN1@C5", "DE.INF1@D4", "DE.CAV1@D5", "GB.INF1@E4")
    assert bonus_dice(far, "DE.GUN1", "GB.INF1") == 0


def test_t16_field_gun_near_and_far():
    """COMBAT-4, 19"""
    far = field("DE.GUN1@C5", "DE.INF1@D4", "DE.CAV1@D5", "GB.INF1@E4")
    assert fight(far, "DE.GUN1 GB.INF1", dice=MISS).rolled() == [("DE.GUN1.attack", 12)]
    near = field("DE.GUN1@D5", "DE.INF1@D4", "GB.INF1@E4")
    rolls = fight(near, "DE.GUN1 GB.INF1", dice=f"{MISS} 12 12 / {MISS}").rolled()
    assert rolls == [("DE.GUN1.attack", 14), ("GB.INF1.riposte", 12)]


def test_combat__5_supporters_are_other_own_units_next_to_the_target_that_could_attack_it():
    state = field(
        *("DE.CAR1@D4", "GB.INF1@C3", "AH.CAR1@B3", "DE.INF1@D3", "DE.MOR1@C4", "DE.TRK1@C2", "DE.CAV1@E3"),
    )
    assert supporters(state, "DE.CAR1", "GB.INF1") == ["DE.INF1"]
    sky = field("DE.AIR1@D4", "GB.AIR1@C3", "DE.INF1@D3", "DE.HVY1@C4")
    assert supporters(sky, "DE.AIR1", "GB.AIR1") == ["DE.HVY1"]


def test_combat__5_anti_aircraft_supports_against_aircraft_only():
    state = field("DE.AIR1@D4", "DE.FLK1@C4", "GB.AIR1@C3", "GB.INF1@D5")
    assert supporters(state, "DE.AIR1", "GB.AIR1") == ["DE.FLK1"]
    assert supporters(state, "DE.AIR1", "GB.INF1") == []


@pytest.mark.parametrize(
    ("others", "bonus"),
    [
        ("AH.CAR1@B3", 0),
        ("DE.INF1@B3", 3),
        ("DE.INF1@D3", 2),
        ("DE.INF1@D3 DE.CAV1@C2", 3),
        ("DE.MOR1@B3", 0),
        ("DE.TRK1@D3 DE.INF1@C2", 2),
        ("", 0),
        ("DE.INF1@D3 DE.CAV1@C2 DE.HVY1@B3", 3),
    ],
)
def test_t14_flank_and_surround_matrix(others, bonus):
    """COMBAT-5..7"""
    state = field("DE.CAR1@D4", "GB.INF1@C3", *others.split())
    assert bonus_dice(state, "DE.CAR1", "GB.INF1") == bonus


def test_combat__6_flank_gives_two_dice():
    state = field("DE.CAR1@D4", "GB.INF1@C3", "DE.INF1@D3")
    course = fight(state, "DE.CAR1 GB.INF1", dice=f"{MISS} 12 12 / {MISS}")
    assert course.rolled()[0] == ("DE.CAR1.attack", 14)
    assert course.shots()[0].bonus == 2


def test_combat__7_surround_gives_three_dice_instead_of_two():
    state = field("DE.CAR1@D4", "GB.INF1@C3", "DE.INF1@B3")
    course = fight(state, "DE.CAR1 GB.INF1", dice=f"{MISS} 12 12 12 / {MISS}")
    assert course.rolled()[0] == ("DE.CAR1.attack", 15)
    assert course.shots()[0].bonus == 3


def test_combat__8_moved_inactive_and_damaged_units_support():
    state = field("DE.CAR1@D4 A", "GB.INF1@C3", "DE.INF1@D3 d5 B")
    state.chosen, state.moved = ("A",), ["DE.INF1"]
    assert bonus_dice(state, "DE.CAR1", "GB.INF1") == 2


def test_combat__8_nobody_supports_from_a_fort_or_from_water():
    fort = field("DE.CAR1@C3", "GB.INF1@C2", "DE.INF1@fort:B2", own="B2=DE")
    assert bonus_dice(fort, "DE.CAR1", "GB.INF1") == 0
    water = field("DE.CAR1@B4", "GB.INF1@B5", "DE.INF1@B6")
    assert bonus_dice(water, "DE.CAR1", "GB.INF1") == 0
    boat = field("DE.CAR1@B4", "GB.INF1@B5", "DE.BOT1@B6", "DE.AIR1@A5")
    assert bonus_dice(boat, "DE.CAR1", "GB.INF1") == 3


def test_combat__8_a_supporter_destroyed_earlier_in_the_phase_is_gone():
    state = field("DE.CAR1@D4", "DE.INF1@D3 d5", "GB.INF1@C3")
    dice = f"{' '.join(['12'] * 7)} / 1 1 {' '.join(['12'] * 10)} {MISS} / {MISS}"
    course = fight(state, "DE.INF1 GB.INF1", "DE.CAR1 GB.INF1", dice=dice)
    assert course.rolled()[0] == ("DE.INF1.attack", 7)
    assert course.rolled()[2] == ("DE.CAR1.attack", 12)


def test_combat__5_partners_of_a_coop_support_each_other():
    """COOP-6"""
    state = field("GB.CAR1@D4", "FR.INF1@D3", "DE.INF1@C3", nations="GB FR DE", coop=True, automa="DE")
    assert bonus_dice(state, "GB.CAR1", "DE.INF1") == 2


# ------------------------------------------------------------------ hits and damage


def test_t11_mutual_destruction():
    """COMBAT-9"""
    state = field("DE.INF1@D4 d5", "GB.INF1@E4 d5", "DE.CAR1@A1", "GB.CAR1@K1")
    course = fight(state, "DE.INF1 GB.INF1", dice="1 2 7 8 9 / 2 2 3 4 5")
    assert [shot.hits for shot in course.shots()] == [2, 2]
    assert all(shot.destroyed and shot.damage == 1 for shot in course.shots())
    assert marks(state, "DE.INF1") == marks(state, "GB.INF1") == "gone"
    assert course.told(CombatFought)[0].gained == ()


def test_combat__9_the_riposte_is_made_with_the_strength_before_the_exchange():
    state = field("DE.TNK1@D4", "GB.INF1@E4")
    course = fight(state, "DE.TNK1 GB.INF1", dice=f"{' '.join(['1'] * 12)} / 1 2 3 4 5 6 7 8 9 10 11 12")
    assert marks(state, "GB.INF1") == "gone"
    assert course.rolled()[1] == ("GB.INF1.riposte", 12)
    assert course.shots()[1].hits == 2


@pytest.mark.parametrize(("xp", "level"), [(0, 0), (1, 0), (2, 0), (3, 1), (4, 1), (5, 2)])
def test_combat__11_levels_by_points(xp, level):
    state = field(f"DE.CAR1@D4 x{xp}", "GB.INF1@E4")
    assert level_of(state, "DE.CAR1") == level
    assert value_of(state, "DE.CAR1", "GB.INF1") == (4, 6, 8)[level]


@pytest.mark.parametrize(("xp", "hits"), [(0, 4), (3, 6), (5, 8)])
def test_combat__10_a_die_up_to_the_value_is_a_hit(xp, hits):
    state = field(f"DE.CAR1@D4 x{xp}", "GB.TNK1@E4")
    course = fight(state, "DE.CAR1 GB.TNK1", dice=f"1 2 3 4 5 6 7 8 9 10 11 12 / {MISS}")
    assert course.shots()[0].hits == hits


@pytest.mark.parametrize(
    ("armour", "row", "thresholds"),
    [(name, row, getattr(armour, row)) for name, armour in PACK.armour.items() for row in ("open", "forest")],
)
def test_combat__12_the_largest_damage_whose_threshold_is_reached(armour, row, thresholds):
    for damage, hits in enumerate(thresholds, 1):
        assert damage_of(PACK, Cover(armour, row), hits) == damage
        assert damage_of(PACK, Cover(armour, row), hits - 1) == damage - 1
    assert damage_of(PACK, Cover(armour, row), 0) == 0


def test_combat__13_the_target_finds_cover_in_forest_and_the_attacker_never():
    state = field("DE.CAR1@C3", "GB.CAR1@D4", "GB.INF1@B3", "DE.MOR1@D1")
    assert cover(state, "DE.CAR1") == ("car", "forest")
    assert cover(state, "DE.MOR1") == ("gun", "forest")
    assert cover(state, "GB.CAR1") == ("car", "open")
    assert open_row(state, "DE.CAR1") == ("car", "open")
    course = fight(state, "DE.CAR1 GB.CAR1", dice=f"{MISS} / {' '.join(['4'] * 4 + ['12'] * 8)}")
    assert (course.shots()[1].row, course.shots()[1].damage) == ("open", 2)


@pytest.mark.parametrize("hex_", ["C2", "D7", "B6", "E4", "B4"])
def test_combat__14_road_bridge_water_open_and_trench_use_the_open_row(hex_):
    assert cover(field(f"DE.INF1@{hex_}"), "DE.INF1").row == "open"


def test_combat__14_aircraft_find_no_cover():
    state = field("DE.AIR1@C3", "DE.ZEP1@F4")
    assert cover(state, "DE.AIR1") == ("air", "open")
    assert cover(state, "DE.ZEP1") == ("airship", "open")


@pytest.mark.parametrize(("before", "after"), [(0, "d5"), (1, "gone"), (4, "gone")])
def test_combat__15_at_six_it_is_destroyed_and_more_is_lost(before, after):
    state = field("DE.MOR1@C5 x5", f"GB.INF1@E4 d{before}", "GB.INF2@K1")
    course = fight(state, "DE.MOR1 GB.INF1", dice="7 7 7 7 7 7 7 7 8 8 8 8")
    assert course.shots()[0].damage == 5
    assert marks(state, "GB.INF1") == after
    assert ("E4" in state.on) == (after != "gone")
    assert course.shots()[0].destroyed == (after == "gone")


def test_combat__16_damage_leaves_the_attack_value():
    state = field("DE.CAR1@D4 d5", "GB.INF1@E4")
    assert value_of(state, "DE.CAR1", "GB.INF1") == 4


def test_t13_promotion_between_two_combats():
    """XP-6, COMBAT-17"""
    state = field("DE.INF1@D4", "DE.CAV1@D5", "GB.INF1@E4 x2")
    nines = " ".join(["9"] * 14)
    dice = f"{nines} / 1 2 {' '.join(['9'] * 10)} {nines} / 3 4 4 {' '.join(['9'] * 9)}"
    course = fight(state, "DE.INF1 GB.INF1", "DE.CAV1 GB.INF1", dice=dice)
    assert course.rolled() == [
        ("DE.INF1.attack", 14),
        ("GB.INF1.riposte", 12),
        ("DE.CAV1.attack", 14),
        ("GB.INF1.riposte", 12),
    ]
    assert [shot.value for shot in course.shots()] == [2, 2, 2, 4]
    assert marks(state, "DE.INF1") == "d1"
    assert marks(state, "DE.CAV1") == "d2"
    assert marks(state, "GB.INF1") == "x4"


def test_combat__17_damage_counts_in_the_next_combat():
    state = field("DE.MOR1@C5", "DE.CAR1@D4", "GB.INF1@E4")
    dice = f"1 1 1 1 1 {' '.join(['12'] * 7)} {MISS} / {' '.join(['12'] * 8)}"
    course = fight(state, "DE.MOR1 GB.INF1", "DE.CAR1 GB.INF1", dice=dice)
    assert course.rolled()[2] == ("GB.INF1.riposte", 8)


def test_combat__18_special_values_replace_the_normal_one():
    state = field("AH.ATG1@D4", "GB.TNK1@E4", "GB.ZEP1@D5", "DE.AIR1@C5", "GB.INF1@D3")
    assert value_of(state, "AH.ATG1", "GB.TNK1") == 6
    assert value_of(state, "AH.ATG1", "GB.INF1") == 4
    assert value_of(state, "GB.ZEP1", "DE.AIR1") == 2
    assert value_of(state, "GB.ZEP1", "AH.ATG1") == 5


def test_combat__18_in_ripostes_too():
    state = field("GB.TNK1@E4", "AH.ATG1@D4")
    course = fight(state, "GB.TNK1 AH.ATG1", dice=f"{MISS} / 6 6 6 {' '.join(['7'] * 9)}")
    assert (course.shots()[1].value, course.shots()[1].hits) == (6, 3)


def test_t44_anti_tank_value():
    """SPECIAL-7, COMBAT-19"""
    state = field("AH.ATG1@C5", "GB.TNK1@E4", "GB.CAR1@D4", "FR.ATG1@C4", "GB.FEM1@D6", "FR.REN1@B5")
    values = {target: value_of(state, "AH.ATG1", target) for target in state.units if target != "AH.ATG1"}
    assert values == {"GB.TNK1": 6, "GB.CAR1": 4, "FR.ATG1": 4, "GB.FEM1": 6, "FR.REN1": 6}
    course = fight(state, "AH.ATG1 GB.TNK1", dice=MISS)
    assert course.rolled() == [("AH.ATG1.attack", 12)]


@pytest.mark.parametrize(
    ("near", "far"),
    [("DE.GUN1@D5", "DE.GUN1@C5"), ("DE.BOT1@D5", "DE.BOT1@C5"), ("DE.ATG1@D5", "DE.ATG1@C5")],
)
def test_combat__19_at_distance_1_they_are_in_close_combat(near, far):
    unit = near.split("@")[0]
    for placed, close in ((near, True), (far, False)):
        state = field(placed, "DE.INF1@D4", "GB.INF1@E4")
        assert bonus_dice(state, unit, "GB.INF1") == (2 if close else 0)
        assert riposters(state, unit, "GB.INF1") == (["GB.INF1"] if close else [])


# ------------------------------------------------------------------ lost attacks and the end


def test_combat__1_the_game_ends_at_once_when_an_army_is_gone():
    """VICTORY-5 Later attacks are not fought."""
    state = field("DE.CAR1@D4", "DE.INF1@D5", "GB.MOR1@E4 d5", nations="DE GB")
    course = fight(state, "DE.CAR1 GB.MOR1", "DE.INF1 GB.MOR1", dice=f"1 {' '.join(['12'] * 13)}")
    assert course.result is None
    (won,) = course.told(GameWon)
    assert (won.winners, won.reason) == (("DE",), "no-army")
    assert not course.told(AttackLost)
