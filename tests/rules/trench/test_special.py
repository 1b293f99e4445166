"""SPECIAL: scattering shells, clouds of gas, and the values and ranges of special forces."""

from __future__ import annotations

import pytest

from engine.games.trench_club.answers import Attack
from engine.games.trench_club.facts.combat import AttackLost, CombatFought
from engine.games.trench_club.rules.combat import cover, riposters
from engine.games.trench_club.rules.combat import fight as fight_one
from engine.games.trench_club.rules.fixed_hits import fixed_hits, hits_without_dice
from engine.games.trench_club.rules.special import (
    cloud,
    gassed,
    misses_up_to,
    shell_strikes,
    strays_to,
    value_of,
)
from engine.games.trench_club.rules.special_forces import special_types
from engine.games.trench_club.rules.targets import candidates, clouds, why_not_attack
from tests.rules.trench.fights import attack, field, fight, marks, play, refused

MISS = " ".join(["12"] * 12)
STEPS = "1 2 3 4 5 6 7 8 9 10 11 12"
T19 = ("DE.BER1@D10", "GB.INF1@E4", "AH.INF1@F5", "GB.AIR1@D5")


# ------------------------------------------------------------------ Big Bertha


@pytest.mark.parametrize(
    ("xp", "face", "on_target"),
    [(0, 6, False), (0, 7, True), (2, 6, False), (3, 3, False), (3, 4, True), (4, 3, False)],
)
def test_e20_big_bertha_levels(xp, face, on_target):
    """SPECIAL-1"""
    state = field(f"DE.BER1@D10 x{xp}", "GB.INF1@E4")
    course = fight(state, "DE.BER1 GB.INF1", dice=f"{face}" + (f" {MISS}" if on_target else ""))
    (fought,) = course.told(CombatFought)
    assert course.rolled()[0] == ("DE.BER1.scatter", 1)
    assert course.rolls[0].sides == 12
    assert fought.scatter == face
    assert (fought.hex == "E4") == on_target
    assert len(fought.shots) == on_target
    assert (fought.target, fought.distance) == ("GB.INF1", 6)


def test_e20_a_war_hero_never_misses_and_rolls_no_scatter():
    state = field("DE.BER1@D10 x5", "GB.INF1@E4")
    course = fight(state, "DE.BER1 GB.INF1", dice=MISS)
    assert course.rolled() == [("DE.BER1.attack", 12)]
    assert course.told(CombatFought)[0].scatter == 0
    assert course.told(CombatFought)[0].hex == "E4"
    assert misses_up_to(state, "DE.BER1") == 0


def test_special__1_the_scatter_die_comes_before_the_combat_dice():
    state = field("DE.BER1@D10", "GB.INF1@E4")
    course = fight(state, "DE.BER1 GB.INF1", dice=f"7 {MISS}")
    assert course.rolled() == [("DE.BER1.scatter", 1), ("DE.BER1.attack", 12)]


@pytest.mark.parametrize(("face", "hex_"), [(1, "E3"), (2, "F4"), (3, "F5"), (4, "E5"), (5, "D5"), (6, "D4")])
def test_special__2_scatter_numbers_run_clockwise_from_north(face, hex_):
    assert strays_to(field(), "E4", face) == hex_


def test_t19_bertha_scatter():
    """SPECIAL-1..5, XP-7"""
    eight = " ".join(["8"] * 8 + ["9"] * 4)
    state = field(*T19)
    course = fight(state, "DE.BER1 GB.INF1", dice=f"3 {eight}")
    (shot,) = course.shots()
    assert (shot.at, shot.value, shot.hits, shot.row, shot.damage) == ("AH.INF1", 8, 8, "forest", 4)
    assert marks(state, "AH.INF1") == "d4"
    assert marks(state, "DE.BER1") == "x1"

    for face, fallen in ((5, "D5"), (4, "E5")):  # an airplane, and nobody
        state = field(*T19)
        course = fight(state, "DE.BER1 GB.INF1", dice=str(face))
        (fought,) = course.told(CombatFought)
        assert (fought.hex, fought.shots, fought.gained) == (fallen, (), ())
        assert course.rolled() == [("DE.BER1.scatter", 1)]

    state = field(*T19)
    assert fight(state, "DE.BER1 GB.INF1", dice=f"7 {eight}").shots()[0].at == "GB.INF1"
    veteran = field("DE.BER1@D10 x3", *T19[1:])
    assert fight(veteran, "DE.BER1 GB.INF1", dice=f"4 {eight}").shots()[0].at == "GB.INF1"


@pytest.mark.parametrize(("face", "hex_"), [(1, ""), (3, "B2")])
def test_t20_scatter_into_nothing(face, hex_):
    """SPECIAL-5"""
    state = field("DE.BER1@A6", "GB.INF1@A1", "DE.CAR1@fort:B2", own="B2=DE")
    course = fight(state, "DE.BER1 GB.INF1", dice=str(face))
    (fought,) = course.told(CombatFought)
    assert (fought.hex, fought.shots) == (hex_, ())
    assert marks(state, "DE.CAR1") == marks(state, "GB.INF1") == ""


def test_special__3_the_shell_hits_own_and_allied_units_and_enemies_alike():
    state = field("DE.BER1@D10", "DE.CAR1@E3", "AH.INF1@F4", "FR.INF1@D4", "GB.INF1@E4")
    assert shell_strikes(state, "E3", "GB.INF1") == "DE.CAR1"
    assert shell_strikes(state, "F4", "GB.INF1") == "AH.INF1"
    assert shell_strikes(state, "D4", "GB.INF1") == "FR.INF1"
    assert shell_strikes(state, "E5", "GB.INF1") == ""


def test_special__4_bertha_cannot_hit_aircraft():
    state = field("DE.BER1@D10", "GB.AIR1@E4", "GB.ZEP1@E5")
    assert candidates(state, "DE.BER1") == []
    refusal = why_not_attack(state, attack("DE.BER1 GB.AIR1"), ("DE",))
    assert refused(refusal, "TC-TARGET-6", "cannot-hit-aircraft")
    assert shell_strikes(state, "E5", "GB.INF1") == ""


def test_special__5_the_range_is_not_tested_again_and_nobody_ripostes():
    state = field("DE.BER1@D10", "GB.INF1@E6", "DE.GUN1@E7")
    assert state.grid.distance("D10", "E7") == 3
    course = fight(state, "DE.BER1 GB.INF1", dice=f"4 {MISS}")
    assert course.rolled() == [("DE.BER1.scatter", 1), ("DE.BER1.attack", 12)]
    near = field("DE.BER1@E8", "GB.INF1@E5", "GB.CAR1@E6")
    course = fight(near, "DE.BER1 GB.INF1", dice=f"4 {MISS}")
    assert course.shots()[0].at == "GB.CAR1"


def test_special__6_no_scatter_roll_if_the_target_is_gone():
    state = field("DE.BER1@D10", "DE.CAR1@D4", "GB.MOR1@E4 d5", "GB.INF1@K1")
    course = fight(state, "DE.CAR1 GB.MOR1", "DE.BER1 GB.MOR1", dice=f"1 {' '.join(['12'] * 11)}")
    assert course.rolled() == [("DE.CAR1.attack", 12)]
    assert course.told(AttackLost) == [AttackLost("DE.BER1", "GB.MOR1", "target-gone")]


# ------------------------------------------------------------------ values and ranges


def test_special__7_the_anti_tank_value_serves_against_every_tank_and_nothing_else():
    kinds = field().pack.types
    for kind in kinds.values():
        state = field("AH.ATG1@D4", f"GB.{kind.code}1@E4")
        assert value_of(state, "AH.ATG1", f"GB.{kind.code}1") == (6 if kind.klass == "tank" else 4)
    assert sorted(type_ for type_, kind in kinds.items() if kind.klass == "tank") == [
        "mark_i_female",
        "renault_ft17",
        "tank",
    ]


@pytest.mark.parametrize(("xp", "value"), [(0, 6), (3, 8), (5, 10)])
def test_special__7_it_grows_with_experience(xp, value):
    assert value_of(field(f"AH.ATG1@D4 x{xp}", "GB.TNK1@E4"), "AH.ATG1", "GB.TNK1") == value


@pytest.mark.parametrize(("hex_", "named"), [("B13", False), ("A12", False), ("A11", True), ("W1", True)])
def test_special__8_the_railway_gun_reaches_everything_but_its_neighbours(hex_, named):
    state = field("DE.RWY1@A13", f"GB.INF1@{hex_}")
    assert (candidates(state, "DE.RWY1") == ["GB.INF1"]) == named
    assert state.pack.types["railway_gun"].speed == 1


def test_special__17_gunboats_strike_at_air_and_ground_and_are_ground_targets():
    state = field("GB.BOT1@C6", "DE.AIR1@C5", "DE.INF1@C3", "DE.MOR1@C2", "DE.CAR1@B6", active="GB")
    assert candidates(state, "GB.BOT1") == ["DE.AIR1", "DE.INF1", "DE.CAR1"]
    assert candidates(state, "DE.MOR1") == ["GB.BOT1"]
    assert riposters(state, "DE.AIR1", "GB.BOT1") == ["GB.BOT1"]
    assert cover(state, "GB.BOT1") == ("naval", "open")


@pytest.mark.parametrize(("xp", "ground", "air"), [(0, 5, 2), (3, 7, 4), (5, 9, 6)])
def test_special__18_the_airship_is_strong_against_ground_and_weak_against_air(xp, ground, air):
    state = field(f"DE.ZEP1@D4 x{xp}", "GB.INF1@E4", "GB.TNK1@D3", "GB.AIR1@D5", "GB.BOT1@C6")
    values = [value_of(state, "DE.ZEP1", unit) for unit in ("GB.INF1", "GB.TNK1", "GB.AIR1", "GB.BOT1")]
    assert values == [ground, ground, air, ground]
    assert value_of(state, "GB.AIR1", "DE.ZEP1") == 3


@pytest.mark.parametrize("among", [True, False])
def test_special__23_engineers_can_be_left_out_of_the_deck(among):
    state = field(options={"engineers_in_special_deck": among})
    assert ("engineers" in special_types(state)) == among
    assert len(special_types(state)) == 5 + among


# ------------------------------------------------------------------ gas


def test_t32_gas_cloud():
    """SPECIAL-9..12, XP-8"""
    state = field("DE.GAS1@D5", "GB.INF1@D3", "DE.CAR1@E3", "GB.INF2@C3")
    course = fight(state, "DE.GAS1 N", dice=STEPS)
    assert course.rolled() == [("DE.GAS1.attack", 12)]
    told = {shot.at: (shot.value, shot.hits, shot.row, shot.damage) for shot in course.shots()}
    assert told == {
        "GB.INF1": (5, 5, "open", 3),
        "DE.CAR1": (2, 2, "open", 1),
        "GB.INF2": (5, 5, "forest", 2),
    }
    assert marks(state, "GB.INF1") == "d3"
    assert marks(state, "GB.INF2") == "d2"
    assert marks(state, "DE.CAR1") == "d1"
    assert marks(state, "DE.GAS1") == "x1"
    (fought,) = course.told(CombatFought)
    assert (fought.hex, fought.distance, fought.scatter, fought.target) == ("D3", 2, 0, "")

    state = field("DE.GAS1@D5", "GB.INF1@D3 d3", "DE.CAR1@E3", "GB.INF2@C3")
    fight(state, "DE.GAS1 N", dice=STEPS)
    assert marks(state, "GB.INF1") == "gone"
    assert marks(state, "DE.GAS1") == "x2"


def test_special__9_the_value_against_foot_units_is_the_gas_launchers():
    state = field("DE.GAS1@D5", "GB.INF1@D3", "GB.CAR1@E3", "GB.ENG1@C3", "GB.ATG1@D7")
    values = [value_of(state, "DE.GAS1", unit) for unit in ("GB.INF1", "GB.CAR1", "GB.ENG1", "GB.ATG1")]
    assert values == [5, 2, 2, 5]


@pytest.mark.parametrize(
    ("toward", "hexes"),
    [
        ("N", ("D3", "E3", "C3")),
        ("NE", ("F4", "F5", "E3")),
        ("SE", ("F6", "E6", "F5")),
        ("S", ("D7", "C6", "E6")),
        ("SW", ("B6", "B5", "C6")),
        ("NW", ("B4", "C3", "B5")),
    ],
)
def test_special__10_the_arc_two_away(toward, hexes):
    state = field("DE.GAS1@D5")
    assert cloud(state, "DE.GAS1", toward) == hexes
    assert {state.grid.distance("D5", hex_) for hex_ in hexes} == {2}


def test_special__10_the_arc_at_the_edge_of_the_board():
    """The hex between may be missing; hexes off the board are ignored."""
    top = field("DE.GAS1@D1", "GB.INF1@F1")
    assert cloud(top, "DE.GAS1", "NE") == ("", "F1", "")
    assert cloud(top, "DE.GAS1", "N") == ("", "", "")
    assert clouds(top, "DE.GAS1") == ["NE", "SE"]
    half = field("DE.GAS1@K5", "GB.INF1@K3", nations="DE GB")
    assert cloud(half, "DE.GAS1", "NE") == ("", "", "")
    assert cloud(half, "DE.GAS1", "N") == ("K3", "", "J4")
    course = fight(half, "DE.GAS1 N", dice=MISS)
    assert [shot.at for shot in course.shots()] == ["GB.INF1"]


def test_special__10_gas_needs_an_enemy_ground_unit_in_the_cloud():
    state = field("DE.GAS1@D5", "DE.INF1@D3", "AH.INF1@C3", "GB.AIR1@E3", "GB.INF1@D7")
    told = {"toward": "N", "hexes": ("D3", "E3", "C3"), "directions": ("S",)}
    why = why_not_attack(state, attack("DE.GAS1 N"), ("DE",))
    assert refused(why, "TC-SPECIAL-10", "no-enemy-in-cloud", **told)
    assert why_not_attack(state, attack("DE.GAS1 S"), ("DE",)) is None
    why = why_not_attack(state, attack("DE.GAS1 GB.INF1"), ("DE",))
    assert refused(why, "TC-SPECIAL-10", "needs-direction", directions=("S",))
    for both in (Attack("DE.GAS1", "GB.INF1", "S"), Attack("DE.GAS1")):
        assert refused(why_not_attack(state, both, ("DE",)), "TC-SPECIAL-10", "needs-direction")
    wader = field("DE.GAS1@B6", "GB.INF1@B4")
    assert clouds(wader, "DE.GAS1") == []
    assert refused(
        why_not_attack(wader, attack("DE.GAS1 N"), ("DE",)), "TC-TARGET-8", "attacker-in-water", hex="B6"
    )


def test_t54_gas_after_a_kill():
    """SPECIAL-10, TARGET-10"""
    kill = f"1 1 {' '.join(['12'] * 10)} / {' '.join(['12'] * 5)}"
    state = field("DE.GAS1@D5", "DE.CAR1@E2", "GB.INF1@D3 d5", "GB.INF2@C3")
    course = fight(state, "DE.CAR1 GB.INF1", "DE.GAS1 N", dice=f"{kill} {MISS}")
    assert [shot.at for shot in course.shots()[2:]] == ["GB.INF2"]
    state = field("DE.GAS1@D5", "DE.CAR1@E2", "GB.INF1@D3 d5", "GB.INF3@K1")
    course = fight(state, "DE.CAR1 GB.INF1", "DE.GAS1 N", dice=kill)
    assert course.told(AttackLost) == [AttackLost("DE.GAS1", "", "target-gone")]


def test_special__11_friends_and_boats_are_gassed_not_aircraft_not_those_in_forts():
    state = field("DE.GAS1@D5", "DE.INF1@D7", "GB.BOT1@C6", "GB.AIR1@E6")
    assert gassed(state, cloud(state, "DE.GAS1", "S")) == ["DE.INF1", "GB.BOT1"]
    fort = field("DE.GAS1@D3", "GB.INF1@fort:B2", "GB.CAR1@B3", own="B2=GB")
    assert cloud(fort, "DE.GAS1", "NW") == ("B2", "C1", "B3")
    assert gassed(fort, cloud(fort, "DE.GAS1", "NW")) == ["GB.CAR1"]


def test_special__11_nobody_ripostes_against_gas():
    state = field("DE.GAS1@D5", "GB.ATG1@D3")
    assert fight(state, "DE.GAS1 N", dice=MISS).rolled() == [("DE.GAS1.attack", 12)]


def test_special__12_one_roll_counted_for_each_unit():
    state = field("DE.GAS1@D5 d3 x3", "GB.INF1@D3", "GB.TNK1@E3")
    course = fight(state, "DE.GAS1 N", dice="1 2 3 4 5 6 7 8")
    assert [(shot.at, shot.value, shot.hits) for shot in course.shots()] == [
        ("GB.INF1", 7, 7),
        ("GB.TNK1", 4, 4),
    ]
    assert {shot.faces for shot in course.shots()} == {(1, 2, 3, 4, 5, 6, 7, 8)}


# ------------------------------------------------------------------ units that do not roll


@pytest.mark.parametrize(
    ("unit", "target", "hits"),
    [
        ("DE.TNK1@D4", "GB.INF1@E4", 6),
        ("DE.TNK1@D4 d2", "GB.INF1@E4", 6),
        ("DE.TNK1@D4 d3", "GB.INF1@E4", 3),
        ("DE.TNK1@D4 d3 x3", "GB.INF1@E4", 4),
        ("DE.CAR1@D4 x5", "GB.INF1@E4", 8),
        ("DE.CAR1@D4 d5 x5", "GB.INF1@E4", 4),
        ("DE.HOW1@D4 d3", "GB.INF1@E4", 2),
        ("DE.ATG1@D4", "GB.TNK1@E4", 6),
        ("DE.ATG1@D4 x3", "GB.CAR1@E4", 6),
        ("DE.ATG1@D4 d4 x3", "GB.TNK1@E4", 4),
    ],
)
def test_automa__29_fixed_hits_by_damage_and_experience(unit, target, hits):
    """AUTOMA-31 Special values serve where they apply."""
    state = field(unit, target, nations="GB DE", automa="DE", active="GB")
    by, at = unit.split("@")[0], target.split("@")[0]
    assert hits_without_dice(state, by, at) == fixed_hits(state, by, at) == hits
    assert fixed_hits(state, at, by) is None


def test_automa__28_the_automa_rolls_no_dice_attacking_or_riposting():
    state = field("GB.CAR1@D4", "DE.INF1@E4", nations="GB DE", automa="DE", active="GB")
    course = fight(state, "GB.CAR1 DE.INF1", dice=MISS)
    assert course.rolled() == [("GB.CAR1.attack", 12)]
    riposte = course.shots()[1]
    assert (riposte.means, riposte.faces, riposte.hits, riposte.damage) == ("fixed", (), 2, 1)
    course = fight(state, "DE.INF1 GB.CAR1", dice=" ".join(["12"] * 11))
    assert course.rolled() == [("GB.CAR1.riposte", 11)]
    assert course.shots()[0].means == "fixed"


def test_automa__28_it_gets_no_bonus_and_people_do():
    """AUTOMA-30"""
    state = field("GB.CAR1@D4", "GB.INF1@D5", "DE.INF1@E4", "DE.CAR1@E3", nations="GB DE", automa="DE")
    course = fight(state, "DE.INF1 GB.CAR1", dice=MISS)
    assert (course.shots()[0].bonus, course.shots()[0].hits) == (0, 2)
    assert fight(state, "GB.CAR1 DE.INF1", dice=f"{MISS} 12").rolled() == [("GB.CAR1.attack", 13)]


def test_automa__31_the_scatter_die_is_still_rolled():
    state = field("GB.INF1@E4", "DE.BER1@D10", nations="GB DE", automa="DE", active="DE")
    course = fight(state, "DE.BER1 GB.INF1", dice="7")
    assert course.rolled() == [("DE.BER1.scatter", 1)]
    assert course.shots()[0].hits == 8


def test_automa__31_gas_hits_each_by_its_kind():
    state = field("GB.INF1@D3", "GB.CAR1@E3", "DE.GAS1@D5", nations="GB DE", automa="DE", active="DE")
    shots = fight(state, "DE.GAS1 N").shots()
    assert [(shot.at, shot.means, shot.hits) for shot in shots] == [
        ("GB.INF1", "fixed", 5),
        ("GB.CAR1", "fixed", 2),
    ]


def test_automa__29_other_hits_may_be_named_for_a_fight():
    state = field("DE.INF1@D4", "GB.INF1@E4")
    named = {"DE.INF1": 5, "GB.INF1": None}
    step = fight_one(state, attack("DE.INF1 GB.INF1"), lambda unit, target: named[unit])
    course = play(state, step, dice=MISS)
    assert course.rolled() == [("GB.INF1.riposte", 12)]
    assert course.shots()[0].hits == 5
