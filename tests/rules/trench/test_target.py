"""TARGET: who may be named by whom, and the binding list."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from engine.games.trench_club.answers import Attack
from engine.games.trench_club.facts.combat import AttackLost, CombatFought
from engine.games.trench_club.rules.targets import (
    Targets,
    attacks_of,
    can_fight,
    can_hit,
    candidates,
    clouds,
    longest_range,
    may_attack,
    targets_from,
    why_not_attack,
)
from tests.rules.trench.drawn import drawn
from tests.rules.trench.fights import DIRECTIONS, attack, field, fight, refused
from tests.rules.trench.orders import done

MISS = " ".join(["12"] * 12)


def why(state, text, *nations):
    return why_not_attack(state, attack(text), nations or ("DE",))


# ------------------------------------------------------------------ the list


def test_target__1_a_list_of_attacks_by_own_units():
    state = field("DE.CAR1@D4", "DE.INF1@E5", "AH.INF1@D5", "GB.INF1@E4")
    options = Targets(state, ("DE",))
    assert options.contains(())
    assert options.contains((attack("DE.INF1 GB.INF1"), attack("DE.CAR1 GB.INF1")))
    assert refused(options.why_not([attack("DE.CAR1 GB.INF1")]), "TC-TARGET-1", "not-a-list-of-attacks")
    assert refused(options.why_not(("DE.CAR1",)), "TC-TARGET-1", "not-a-list-of-attacks")
    assert refused(why(state, "AH.INF1 GB.INF1"), "TC-TARGET-1", "not-own-unit", unit="AH.INF1")
    assert refused(why(state, "GB.INF1 DE.CAR1"), "TC-TARGET-1", "not-own-unit", unit="GB.INF1")
    assert refused(why(state, "DE.TNK1 GB.INF1"), "TC-TARGET-1", "no-such-unit", unit="DE.TNK1")
    assert why(state, "AH.INF1 GB.INF1", "DE", "AH") is None


def test_target__1_a_target_is_named_unless_it_is_gas():
    state = field("DE.CAR1@D4", "GB.INF1@E4")
    told = {"in_range": ("GB.INF1",)}
    assert refused(why_not_attack(state, Attack("DE.CAR1"), ("DE",)), "TC-TARGET-1", "needs-target", **told)
    both = Attack("DE.CAR1", "GB.INF1", "N")
    assert refused(why_not_attack(state, both, ("DE",)), "TC-TARGET-1", "needs-target", **told)


def test_target__2_the_list_is_fought_as_written():
    """Also against a target that has become stronger: every listed attack is carried out, in its order."""
    state = field("DE.INF1@D4", "DE.CAR1@D5", "DE.GUN1@C5", "GB.INF1@E4")
    listed = ("DE.GUN1 GB.INF1", "DE.CAR1 GB.INF1", "DE.INF1 GB.INF1")
    course = fight(state, *listed, dice=" ".join(["12"] * (12 + 14 + 12 + 14 + 12)))
    fought = [f"{one.attacker} {one.target}" for one in course.told(CombatFought)]
    assert tuple(fought) == listed


def test_target__3_each_unit_attacks_once_and_many_may_name_one_target():
    state = field("DE.CAR1@D4", "DE.INF1@E5", "GB.INF1@E4", "GB.INF2@D5")
    twice = (attack("DE.CAR1 GB.INF1"), attack("DE.CAR1 GB.INF2"))
    options = Targets(state, ("DE",))
    assert refused(options.why_not(twice), "TC-TARGET-3", "attacks-twice", unit="DE.CAR1")
    assert options.contains((attack("DE.CAR1 GB.INF1"), attack("DE.INF1 GB.INF1")))
    after = Targets(state, ("DE",), listed=(attack("DE.CAR1 GB.INF1"),))
    assert refused(after.why_not(twice[:1]), "TC-TARGET-3", "attacks-twice", unit="DE.CAR1")
    assert after.contains((attack("DE.INF1 GB.INF1"),))


# ------------------------------------------------------------------ ranges


@pytest.mark.parametrize(
    ("hex_", "reason"),
    [("C3", "too-near"), ("C2", ""), ("C1", ""), ("C8", ""), ("C9", ""), ("C10", "too-far")],
)
def test_e04_ranges(hex_, reason):
    """TARGET-4..6 The mortar reaches 2 to 5 hexes."""
    state = field("DE.MOR1@C4", f"GB.INF1@{hex_}")
    refusal, away = why(state, "DE.MOR1 GB.INF1"), state.grid.distance("C4", hex_)
    if reason:
        assert refused(refusal, "TC-TARGET-5", reason, distance=away, least=2, most=5, in_range=())
    else:
        assert refusal is None
    assert (candidates(state, "DE.MOR1") == ["GB.INF1"]) == (reason == "")


def test_e04_infantry_strikes_at_distance_1_and_never_at_aircraft():
    state = field("DE.INF1@D4", "GB.AIR1@E4", "GB.INF1@D5", "GB.INF2@C2")
    assert refused(why(state, "DE.INF1 GB.AIR1"), "TC-TARGET-6", "cannot-hit-aircraft", in_range=("GB.INF1",))
    assert why(state, "DE.INF1 GB.INF1") is None
    assert refused(why(state, "DE.INF1 GB.INF2"), "TC-TARGET-5", "too-far", distance=2, least=1, most=1)


def test_target__4_an_enemy_on_the_map():
    state = field("DE.INF1@D4", "GB.INF1@E4")
    assert refused(why(state, "DE.INF1 GB.CAR1"), "TC-TARGET-4", "no-such-target", target="GB.CAR1")
    aboard = field("DE.INF1@D4", "GB.TRK1@E4", "GB.INF1@D5")
    aboard.units["GB.INF1"] = replace(aboard.units["GB.INF1"], at="E4", aboard="GB.TRK1")
    del aboard.on["D5"]
    assert refused(why(aboard, "DE.INF1 GB.INF1"), "TC-TARGET-4", "target-not-on-map")
    assert candidates(aboard, "DE.INF1") == ["GB.TRK1"]


def test_target__4_no_line_of_sight():
    state = field("DE.MOR1@E5", "GB.INF1@E2", "GB.TNK1@E3", "GB.CAR1@E4")
    assert candidates(state, "DE.MOR1") == ["GB.INF1", "GB.TNK1"]


def test_t46_target_inside_a_fort():
    state = field("DE.CAR1@C2", "DE.GUN1@D3", "GB.INF1@fort:B2", own="B2=GB")
    assert refused(why(state, "DE.CAR1 GB.INF1"), "TC-FORT-11", "target-in-fort", fort="B2", in_range=())
    assert candidates(state, "DE.CAR1") == candidates(state, "DE.GUN1") == []


@pytest.mark.parametrize(
    ("code", "ground", "air"),
    [
        ("INF", (1,), ()),
        ("CAV", (1,), ()),
        ("HVY", (1,), (1,)),
        ("TRK", (), ()),
        ("CAR", (1,), ()),
        ("TNK", (1,), ()),
        ("MOR", (2, 3, 4, 5), ()),
        ("GUN", (1, 2, 3), ()),
        ("HOW", (2, 3, 4), ()),
        ("FLK", (2, 3, 4), (1, 2, 3, 4)),
        ("AIR", (1,), (1,)),
        ("BER", (3, 4, 5, 6, 7, 8), ()),
        ("ATG", (1, 2), ()),
        ("FEM", (1,), ()),
        ("REN", (1,), ()),
        ("ZEP", (1,), (1,)),
        ("BOT", (1, 2, 3), (1, 2, 3)),
        ("MIN", (), ()),
        ("ENG", (1,), ()),
        ("RWY", tuple(range(2, 23)), ()),
    ],
)
def test_target__5_what_each_unit_reaches(code, ground, air):
    """TARGET-6, 7, SPECIAL-8, 16, 17 By `can_hit` and by the search for targets alike."""
    unit = f"DE.{code}1"
    for target, reached in (("INF", ground), ("AIR", air)):
        found = []
        for away, column in enumerate("BCDEFGHIJKLMNOPQRSTUVW", 1):
            place = next(hex_ for hex_ in (f"{column}7", f"{column}9") if from_a8(hex_) == away)
            state = field(f"{unit}@A8", f"GB.{target}1@{place}")
            assert (candidates(state, unit) != []) == can_hit(state, unit, f"GB.{target}1", away)
            if candidates(state, unit):
                found.append(away)
        assert tuple(found) == reached


def test_target__5_longest_ranges():
    found = longest_range(field().pack)
    named = ("troop_transport", "minelayer", "tank", "anti_aircraft", "heavy_mortar", "railway_gun")
    assert [found[type_] for type_ in named] == [0, 0, 1, 4, 5, 99]
    assert len(found) == len(field().pack.types)


def from_a8(hex_):
    return field().grid.distance("A8", hex_)


def test_target__6_only_four_kinds_strike_at_aircraft():
    able = []
    for type_, kind in field().pack.types.items():
        state = field(f"DE.{kind.code}1@E7", "GB.AIR1@E8")
        if can_hit(state, f"DE.{kind.code}1", "GB.AIR1", 1):
            able.append(type_)
    assert sorted(able) == ["airplane", "airship", "anti_aircraft", "gunboat", "heavy_infantry"]


def test_target__6_aircraft_strike_at_everything():
    for kind in field().pack.types.values():
        for flyer in ("AIR", "ZEP"):
            state = field(f"DE.{flyer}1@E7", f"GB.{kind.code}1@E8")
            assert candidates(state, f"DE.{flyer}1") == [f"GB.{kind.code}1"]


def test_target__7_anti_aircraft_names_the_airplane_next_to_it_but_not_the_tank():
    state = field("GB.FLK1@E4", "DE.TNK1@D4", "DE.AIR1@D5", active="GB")
    told = {"distance": 1, "least": 2, "most": 4, "in_range": ("DE.AIR1",)}
    assert refused(why(state, "GB.FLK1 DE.TNK1", "GB"), "TC-TARGET-5", "too-near", **told)
    assert why(state, "GB.FLK1 DE.AIR1", "GB") is None
    far = field("GB.FLK1@E8", "DE.AIR1@E3", active="GB")
    told = {"distance": 5, "least": 1, "most": 4}
    assert refused(why(far, "GB.FLK1 DE.AIR1", "GB"), "TC-TARGET-5", "too-far", **told)


# ------------------------------------------------------------------ attackers


def test_target__8_nobody_attacks_out_of_a_fort_or_out_of_water():
    state = field("DE.GUN1@fort:B2", "DE.INF1@B6", "GB.INF1@C2", "GB.CAR1@B5", own="B2=DE")
    told = {"unit": "DE.GUN1", "fort": "B2"}
    assert refused(why(state, "DE.GUN1 GB.INF1"), "TC-TARGET-8", "attacker-in-fort", **told)
    told = {"unit": "DE.INF1", "hex": "B6"}
    assert refused(why(state, "DE.INF1 GB.CAR1"), "TC-TARGET-8", "attacker-in-water", **told)
    assert candidates(state, "DE.GUN1") == candidates(state, "DE.INF1") == []
    assert not can_fight(state, "DE.GUN1") and not can_fight(state, "DE.INF1")
    assert can_fight(state, "GB.INF1")


def test_target__8_gunboats_and_aircraft_over_water_do():
    state = field("DE.BOT1@B6", "DE.AIR1@C6", "GB.CAR1@B5", "GB.INF1@C5")
    assert candidates(state, "DE.BOT1") == ["GB.CAR1", "GB.INF1"]
    assert candidates(state, "DE.AIR1") == ["GB.INF1"]


def test_target__8_nobody_attacks_from_aboard():
    state = field("DE.TRK1@D4", "DE.INF1@D5", "GB.INF1@E4")
    state.units["DE.INF1"] = replace(state.units["DE.INF1"], at="D4", aboard="DE.TRK1")
    assert refused(why(state, "DE.INF1 GB.INF1"), "TC-TARGET-8", "attacker-aboard")
    assert candidates(state, "DE.INF1") == []
    assert not can_fight(state, "DE.INF1")


def test_target__9_own_and_allied_units_are_no_targets():
    state = field("DE.BER1@D10", "DE.CAR1@D4", "DE.INF1@D5", "AH.INF1@E4", "GB.INF1@D3")
    for unit, target in (("DE.CAR1", "DE.INF1"), ("DE.CAR1", "AH.INF1"), ("DE.BER1", "AH.INF1")):
        assert refused(why(state, f"{unit} {target}"), "TC-TARGET-9", "not-an-enemy", target=target)
    assert candidates(state, "DE.CAR1") == ["GB.INF1"]
    assert candidates(state, "DE.BER1") == ["GB.INF1"]


def test_transport__14_a_transport_cannot_attack():
    """SPECIAL-16 Nor can a minelayer."""
    state = field("DE.TRK1@D4", "DE.MIN1@D5", "GB.INF1@E4")
    assert refused(why(state, "DE.TRK1 GB.INF1"), "TC-TRANSPORT-14", "cannot-attack", type="troop_transport")
    assert refused(why(state, "DE.MIN1 GB.INF1"), "TC-SPECIAL-16", "cannot-attack", type="minelayer")


def test_special__19_engineers_that_have_built_do_not_attack():
    state = field("DE.ENG1@D4", "DE.ENG2@D5", "GB.INF1@E4", worked=["DE.ENG1"])
    assert refused(why(state, "DE.ENG1 GB.INF1"), "TC-SPECIAL-19", "has-built", unit="DE.ENG1")
    assert why(state, "DE.ENG2 GB.INF1") is None
    assert [may_attack(state, unit) for unit in ("DE.ENG1", "DE.ENG2")] == [False, True]


def test_setup__26_only_companies_that_act_attack():
    """SETUP-27 Bought units always may."""
    state = field("DE.CAR1@D4 A", "DE.INF1@E5 B", "DE.INF2@D5", "GB.INF1@E4", chosen=("B",))
    assert refused(why(state, "DE.CAR1 GB.INF1"), "TC-SETUP-26", "company-not-active", unit="DE.CAR1")
    assert why(state, "DE.INF1 GB.INF1") is None
    assert why(state, "DE.INF2 GB.INF1") is None
    assert not may_attack(state, "DE.CAR1") and may_attack(state, "DE.INF1")


# ------------------------------------------------------------------ attacks that are lost


def test_target__10_a_target_destroyed_before_is_no_target():
    state = field("DE.CAR1@D4", "DE.INF1@D5", "GB.MOR1@E4 d5", "GB.INF1@K1")
    course = fight(state, "DE.CAR1 GB.MOR1", "DE.INF1 GB.MOR1", dice=f"1 {' '.join(['12'] * 13)}")
    assert course.told(AttackLost) == [AttackLost("DE.INF1", "GB.MOR1", "target-gone")]
    assert course.rolled() == [("DE.CAR1.attack", 14)]


def test_target__11_an_attacker_destroyed_before_does_not_attack():
    """By a shell of its own side."""
    state = field("DE.BER1@D10", "DE.INF1@E5 d5", "GB.INF1@E4")
    course = fight(state, "DE.BER1 GB.INF1", "DE.INF1 GB.INF1", dice=f"4 / {' '.join(['1'] * 12)}")
    assert course.told(AttackLost) == [AttackLost("DE.INF1", "GB.INF1", "attacker-gone")]
    assert "GB.INF1" in state.units


def test_target__12_having_moved_does_not_stop_an_attack():
    state = field("DE.CAR1@D4", "GB.INF1@E4", moved=["DE.CAR1"])
    assert why(state, "DE.CAR1 GB.INF1") is None
    assert may_attack(state, "DE.CAR1")


def test_target__12_nor_does_having_left_a_fort():
    """Inside it cannot attack; once it is out it can, though it has moved."""
    state = drawn("DE.CAR1@fort:B2, DE.INF1@fort:B2, GB.INF1@D3, own B2=DE")
    refused(why(state, "DE.CAR1 GB.INF1"), "TC-TARGET-8", "attacker-in-fort")
    done(state, "M CAR1 C2")
    assert why(state, "DE.CAR1 GB.INF1") is None
    assert may_attack(state, "DE.CAR1")
    refused(why(state, "DE.INF1 GB.INF1"), "TC-TARGET-8", "attacker-in-fort")


def test_target__12_nor_does_having_boarded_and_been_unloaded():
    state = drawn("DE.TRK1@D5, DE.INF1@D6, GB.INF1@E3")
    done(state, "L INF1 TRK1")
    refused(why(state, "DE.INF1 GB.INF1"), "TC-TARGET-8", "attacker-aboard")
    done(state, "M TRK1 D4 / INF1@D3")
    assert why(state, "DE.INF1 GB.INF1") is None


def test_target__13_legality_is_not_tested_again():
    """The list stands even if it could not be written now."""
    state = field("DE.INF1@D4", "GB.INF1@C2")
    course = fight(state, "DE.INF1 GB.INF1", dice=MISS)
    assert course.told(CombatFought)[0].distance == 2


# ------------------------------------------------------------------ what is offered


def test_target__4_the_search_from_another_hex():
    state = field("DE.INF1@D10", "DE.MOR1@D11", "GB.INF1@E4", "GB.AIR1@D5")
    assert targets_from(state, "DE.INF1", "D4") == ["GB.INF1"]
    assert targets_from(state, "DE.MOR1", "E6") == []  # in water
    assert targets_from(state, "DE.MOR1", "E7") == ["GB.INF1"]
    assert targets_from(state, "DE.INF1", "B2") == []
    assert targets_from(state, "DE.INF1", "") == []


def test_target__3_samples_reach_every_list_and_are_legal():
    state = field("DE.CAR1@D4", "DE.GUN1@C5", "DE.TRK1@D5", "GB.INF1@E4", "GB.AIR1@D3", "GB.MOR1@C4")
    options, rng = Targets(state, ("DE",)), random.Random(1)
    seen = {options.sample(rng) for _ in range(3000)}
    assert all(options.contains(one) for one in seen)
    own = {unit: [None, *attacks_of(state, unit)] for unit in ("DE.CAR1", "DE.GUN1")}
    pairs = [(one, other) for one in own["DE.CAR1"] for other in own["DE.GUN1"]]
    every = {tuple(a for a in pair if a) for pair in pairs} | {
        tuple(a for a in pair[::-1] if a) for pair in pairs
    }
    assert seen == every
    assert options.only() is None
    assert set(options.describe()) == {one for one in every if len(one) < 2}


def test_target__3_nothing_in_range_leaves_one_answer():
    state = field("DE.CAR1@D4", "DE.INF1@D10", "GB.INF1@D11", "GB.TNK1@K1")
    assert Targets(state, ("DE",)).only() is None
    assert Targets(state, ("DE",), listed=(attack("DE.INF1 GB.INF1"),)).only() == ((),)
    assert Targets(state, ("AH",)).only() == ((),)
    assert Targets(state, ("AH",)).describe() == [()]


def test_target__1_gas_is_offered_by_direction():
    state = field("DE.GAS1@D5", "GB.INF1@E3")
    assert candidates(state, "DE.GAS1") == []
    assert clouds(state, "DE.GAS1") == ["N", "NE"]
    assert attacks_of(state, "DE.GAS1") == [Attack("DE.GAS1", toward=way) for way in ("N", "NE")]
    assert clouds(field("DE.CAR1@D5", "GB.INF1@D3"), "DE.CAR1") == []


@pytest.mark.parametrize("dug", [False, True])
def test_target__4_the_search_finds_exactly_what_may_be_listed(dug):
    """In positions drawn at random, crowded into one half."""
    rng, codes = random.Random(7), sorted(kind.code for kind in field().pack.types.values())
    for _ in range(3):
        places = sorted(field(nations="DE GB").grid)
        rng.shuffle(places)
        state = field(
            *(f"{nation}.{code}1@{places.pop()}" for code in codes for nation in ("DE", "GB")),
            nations="DE GB",
            options={"trench_rules": dug},
        )
        own = [unit.id for unit in state.of_camp("DE")]
        enemies = [unit.id for unit in state.of_camp("GB")]
        for unit in own:
            aims = [Attack(unit, enemy) for enemy in enemies]
            aims += [Attack(unit, toward=toward) for toward in DIRECTIONS]
            legal = [aim for aim in aims if why_not_attack(state, aim, ("DE",)) is None]
            assert sorted(map(repr, attacks_of(state, unit))) == sorted(map(repr, legal))
