"""AUTOMA The player of cardboard: who acts when, which order, which letter; and what it buys."""

from __future__ import annotations

from typing import Any

import pytest

from engine.games.trench_club.answers import Attack
from engine.games.trench_club.facts.combat import CombatFought
from engine.games.trench_club.facts.money import UnitBought
from engine.games.trench_club.facts.moves import AutomaChose, FortConquered, UnitMoved
from engine.games.trench_club.facts.setup import CompaniesChosen
from engine.games.trench_club.rules.automa import automa_turn, shop, stand_in
from engine.games.trench_club.rules.automa.ground import FAR, Ground
from engine.games.trench_club.rules.automa.mind import Mind
from engine.games.trench_club.rules.automa.turn import sequence
from engine.games.trench_club.rules.combat import bonus_dice, fight
from engine.games.trench_club.rules.fixed_hits import fixed_hits, hits_without_dice
from engine.games.trench_club.state import State
from engine.kernel.requests import Roll
from tests.rules.trench.drawn import PACK, Course, drawn, play


def automa(*texts: str, **more: Any) -> State:
    """DE is the automa's, FR a person's, on the first half of the board."""
    return drawn(*texts, half="1-6", active="DE", automa="DE", seats=("FR",), **more)


def only(state: State, *forts: str) -> State:
    """All forts but these are the automa's already."""
    state.forts.update({fort: "DE" for fort in state.forts if fort not in forts})
    return state


def turn(state: State, chance: int = 1) -> Course:
    """People miss with every die; each tie is decided by the face `chance`."""
    course, step, reply = Course(state), automa_turn(state), None
    while True:
        try:
            request = step.send(reply)
        except StopIteration as stop:
            course.result = stop.value
            return course
        reply = None
        if isinstance(request, Roll):
            course.rolls.append(request)
            reply = (chance,) if request.why.startswith("automa") else (12,) * request.dice
        else:
            request.apply(state)
            course.facts.append(request)


def chose(course: Course, unit: str) -> AutomaChose:
    (found,) = [fact for fact in course.told(AutomaChose) if fact.unit == unit]
    return found


def acted(course: Course) -> list[str]:
    return [fact.unit for fact in course.told(AutomaChose)]


# ------------------------------------------------------------------ worked examples


def test_e16_the_tank_goes_for_the_mortar() -> None:
    """TC-AUTOMA-20, TC-AUTOMA-23"""
    state = automa(
        "DE.TNK1@D4, DE.INF1@D2, FR.HOW1@H5, FR.INF1@C5 d1, FR.FLK1@E5, FR.MOR1@F3", moved=["DE.INF1"]
    )
    state.units["DE.INF1"] = state.units["DE.INF1"].__class__("DE.INF1", "DE", "infantry", "D2", company="A")
    state.chosen = ("B",)
    course = turn(state)
    found = chose(course, "DE.TNK1")
    assert ("II.1", "FR.MOR1", "E2") == (found.order, found.target, found.goal)
    assert ("target.b", "target.d", "hex.c") == found.letters
    assert ("D3", "E2") == course.told(UnitMoved)[0].path
    assert (4, 1) == (state.units["FR.MOR1"].damage, state.units["DE.TNK1"].xp)
    assert not course.rolls


def test_e17_the_field_gun_supports_its_fort() -> None:
    """TC-AUTOMA-24, TC-AUTOMA-26, TC-AUTOMA-27"""
    state = automa("DE.GUN1@D4 x3, DE.INF1@D6 A, FR.MOR1@F3 d4, FR.INF1@C2 d3", chosen=("B",))
    course = turn(state)
    found = chose(course, "DE.GUN1")
    assert ("III.1", "FR.INF1", "D5") == (found.order, found.target, found.goal)
    assert ("target.b", "hex.a", "hex.b", "hex.d") == found.letters
    assert "FR.INF1" not in state.units and state.units["DE.GUN1"].xp == 5


@pytest.mark.parametrize(
    ("unit", "hits"),
    [("TNK1@D4", 6), ("HOW1@D4 d3", 2), ("TNK1@D4 d3 x3", 4), ("CAR1@D4 x5", 8), ("CAR1@D4 d5 x5", 4)],
)
def test_e18_fixed_hits(unit: str, hits: int) -> None:
    state = automa(f"DE.{unit}, FR.INF1@D5")
    assert hits_without_dice(state, f"DE.{unit[:4]}", "FR.INF1") == hits


# ------------------------------------------------------------------ general


def test_automa__6_feet_then_close_combat_then_long_range() -> None:
    """TC-AUTOMA-12, TC-AUTOMA-20, TC-AUTOMA-24: and within a group in the printed sequence."""
    names = ["BER", "MOR", "FLK", "GUN", "CAR", "TNK", "AIR", "HVY", "CAV", "INF"]
    state = automa(", ".join(f"DE.{name}1@{hex_}" for name, hex_ in zip(names, HEXES, strict=True)))
    types = [type_ for _, group in sequence(state, "DE") for type_ in group]
    assert ["INF", "CAV", "HVY", "AIR", "TNK", "CAR", "GUN", "FLK", "MOR", "BER"] == [
        PACK.types[one].code for one in types
    ]


HEXES = ["A3", "B4", "C4", "D4", "E3", "F3", "G3", "H4", "I4", "J4"]


def test_automa__6_each_unit_moves_and_strikes_at_once() -> None:
    state = automa("DE.CAR1@D4, DE.GUN1@D6, FR.TRK1@E3")
    course = turn(state)
    kinds = [type(fact).__name__ for fact in course.facts]
    assert ["AutomaChose", "CombatFought", "AutomaChose", "CombatFought"] == [
        kind for kind in kinds if kind != "UnitMoved"
    ]


def test_automa__7_what_is_still_tied_is_left_to_chance() -> None:
    state = automa("DE.INF1@F5", "own F8=DE")
    state.forts.update({fort: "DE" for fort in state.forts if fort not in ("B2", "J2")})
    course = turn(state, 2)
    assert chose(course, "DE.INF1").letters[-1] == "chance"
    assert [roll.why for roll in course.rolls] == ["automa.tie"]


def test_automa__7_an_order_with_one_way_rolls_nothing() -> None:
    state = automa("DE.INF1@C2")
    assert not turn(state).rolls


def test_automa__8_distances_are_on_terrain_alone() -> None:
    state = automa("DE.INF1@D4, FR.CAR1@D5, FR.CAR2@C4, FR.CAR3@E4")
    ground = Ground(state)
    infantry, car = PACK.types["infantry"], PACK.types["armoured_car"]
    assert ground.to(infantry, ["D6"])["D4"] == 2  # over the car on D5, by road
    assert ground.to(infantry, ["C3"])["D3"] == 3  # the hex entered counts
    assert ground.away(infantry, "C3")["D3"] == 1
    assert ground.to(infantry, ["B6"])["B5"] == infantry.speed  # water: a whole move
    assert ground.to(car, ["B6"]).get("B5", FAR) == FAR  # unreachable


def test_automa__8_a_slow_gun_never_gets_into_the_forest() -> None:
    ground = Ground(automa("DE.MOR1@D4"))
    assert "C3" not in ground.away(PACK.types["heavy_mortar"], "D3")


def test_automa__9_enemies_in_forts_are_ignored() -> None:
    state = automa("DE.CAR1@D4, FR.INF1@fort:B2, FR.INF2@H4", "own B2=FR")
    mind = Mind(Ground(state), state.units["DE.CAR1"])
    assert ["FR.INF2"] == [unit.id for unit in mind.enemies]


def test_automa__10_the_one_with_the_higher_order_acts_first() -> None:
    state = automa("DE.INF1@F5, DE.INF2@C2, FR.TRK1@K10")
    assert ["DE.INF2", "DE.INF1"] == acted(turn(state, 1))


def test_automa__10_then_the_lower_id() -> None:
    state = automa("DE.CAR2@D5, DE.CAR1@H5, FR.TRK1@F4")
    assert ["DE.CAR1", "DE.CAR2"] == acted(turn(state))


def test_automa__11_staying_put_is_a_move() -> None:
    state = automa("DE.GUN1@D5, FR.TRK1@D7, DE.CAR1@D4", chosen=("A",))
    state.units["DE.GUN1"] = state.units["DE.GUN1"].__class__("DE.GUN1", "DE", "field_gun", "D5")
    mind = Mind(Ground(state), state.units["DE.GUN1"])
    assert mind.hexes[0] == "D5"


# ------------------------------------------------------------------ I foot units


def test_automa__12_a_fort_is_conquered() -> None:
    state = automa("DE.INF1@C2")
    course = turn(state)
    assert [("B2", "DE")] == [(fact.fort, fact.camp) for fact in course.told(FortConquered)]
    assert chose(course, "DE.INF1").order == "I.1"


def test_automa__12_not_if_an_enemy_foot_unit_stands_before_it() -> None:
    state = automa("DE.INF1@C2, FR.INF1@A2")
    assert not turn(state).told(FortConquered)
    other = automa("DE.INF1@C2, FR.CAR1@A2")
    assert turn(other).told(FortConquered)


def test_automa__13_to_an_entrance_far_from_the_enemy() -> None:
    state = only(automa("DE.CAV1@D3, FR.TRK1@D1"), "B2")
    found = chose(turn(state), "DE.CAV1")
    assert found.order == "I.2" and found.goal in ("A1", "A2")
    assert "a" in found.letters


def test_automa__13_one_of_its_own_is_enough() -> None:
    state = only(automa("DE.CAV1@D3, DE.INF1@C2 A, FR.TRK1@K10", chosen=("B",)), "B2")
    assert chose(turn(state, 1), "DE.CAV1").order != "I.2"


def test_automa__13_unless_an_enemy_is_there_too() -> None:
    state = only(automa("DE.CAV1@D3, DE.INF1@C2 A, FR.INF1@A2", chosen=("B",)), "B2")
    assert chose(turn(state, 1), "DE.CAV1").order == "I.2"


def test_automa__14_a_fort_within_two_turns() -> None:
    state = only(automa("DE.INF1@H5, FR.TRK1@K14"), "B2")
    found = chose(turn(state), "DE.INF1")
    assert found.order == "I.3" and found.letters[0] == "b"


def test_automa__14_then_near_the_entrance_then_forest() -> None:
    """Of two hexes as far from the enemy the nearer to the entrance, of two as near the forest."""
    from engine.games.trench_club.rules.automa.priorities import FOOT_UNITS

    (third,) = [order for order in FOOT_UNITS if order.name == "I.3"]
    assert ["b", "c", "d"] == [letter.name for letter in third.letters]
    state = automa("DE.INF1@D5")
    mind = Mind(Ground(state), state.units["DE.INF1"])
    ways = third.ways(mind)
    assert {"B2", "B8", "F8"} & {way.fort for way in ways}
    letters = {letter.name: letter for letter in third.letters}
    c3 = next(way for way in ways if way.hex == "C3")
    d3 = next(way for way in ways if way.hex == "D3" and way.fort == c3.fort)
    assert letters["d"].measure(mind, c3) > letters["d"].measure(mind, d3)
    assert letters["c"].measure(mind, c3) <= letters["c"].measure(mind, d3)


def test_automa__15_it_destroys_what_it_can() -> None:
    state = automa("DE.INF1@F5, FR.TRK1@F4 d5", "own F8=DE")
    state.forts.update(dict.fromkeys(state.forts, "DE"))
    found = chose(turn(state, 1), "DE.INF1")
    assert ("I.4", "FR.TRK1") == (found.order, found.target)


def test_automa__16_it_strikes_where_nobody_strikes_back() -> None:
    """TC-AUTOMA-17: ties go by the letters of close combat."""
    state = automa("DE.INF1@F5, FR.TRK1@F4, FR.MOR1@G4")
    state.forts.update(dict.fromkeys(state.forts, "DE"))
    found = chose(turn(state), "DE.INF1")
    assert ("I.5", "FR.TRK1") == (found.order, found.target)  # TC-AUTOMA-21: no attack counts as 0
    assert "target.d" in found.letters


def test_automa__18_it_walks_towards_the_nearest_entrance() -> None:
    state = only(automa("DE.INF1@F2, FR.TRK1@K14"), "B14")
    found = chose(turn(state, 1), "DE.INF1")
    assert found.order == "I.6"


def test_automa__19_otherwise_like_close_combat_units() -> None:
    state = automa("DE.INF1@F2, FR.CAR1@F3")
    state.forts.update(dict.fromkeys(state.forts, "DE"))
    assert chose(turn(state), "DE.INF1").order == "II.1"


# ------------------------------------------------------------------ II close combat


@pytest.mark.parametrize(
    ("enemies", "target", "letter"),
    [
        ("FR.MOR1@D3, FR.INF1@D5 d5", "FR.INF1", "target.a"),
        ("FR.CAR1@D3, FR.MOR1@D5", "FR.MOR1", "target.b"),
        ("FR.CAR1@D3, FR.INF1@D5", "FR.INF1", "target.d"),
        ("FR.INF1@D3, FR.CAV1@D5", "FR.CAV1", "target.e"),
        ("FR.INF1@D3 x1, FR.INF2@D5", "FR.INF2", "target.f"),
    ],
)
def test_automa__20_letters_choose_the_target(enemies: str, target: str, letter: str) -> None:
    found = chose(turn(automa(f"DE.CAR1@D4, {enemies}")), "DE.CAR1")
    assert target == found.target and letter in found.letters


def test_automa__20_airplanes_keep_away_from_flak() -> None:
    """TC-AUTOMA-23: and so do the hexes they choose."""
    state = automa("DE.AIR1@F5, FR.INF1@D3, FR.INF2@H3, FR.FLK1@B4")
    found = chose(turn(state), "DE.AIR1")
    assert ("FR.INF2", "target.c") == (found.target, next(one for one in found.letters if one == "target.c"))
    assert "hex.a" in found.letters
    car = automa("DE.CAR1@F5, FR.INF1@D3, FR.INF2@H3, FR.FLK1@B4")
    assert "target.c" not in chose(turn(car, 1), "DE.CAR1").letters


def test_automa__21_the_attack_value_of_its_level() -> None:
    state = automa("DE.CAR1@D4, FR.INF1@D3 x5, FR.HVY1@D5")
    assert chose(turn(state), "DE.CAR1").target == "FR.HVY1"  # 3, and a hero of the infantry 6


def test_automa__22_as_close_as_it_gets() -> None:
    state = automa("DE.TNK1@D2, FR.MOR1@D12")
    course = turn(state)
    assert chose(course, "DE.TNK1").order == "II.2"
    assert course.told(UnitMoved)[0].path[-1] == "D6"


def test_automa__23_forest_then_friends_then_home() -> None:
    state = automa("DE.CAR1@D4, FR.TRK1@C4")
    found = chose(turn(state), "DE.CAR1")
    assert ("C3", "hex.b") == (found.goal, found.letters[-1])
    near = automa("DE.CAR1@F2, FR.TRK1@D5, DE.GUN1@D3 A", chosen=("B",))
    found = chose(turn(near), "DE.CAR1")
    assert ("D4", "hex.c") == (found.goal, found.letters[-1])
    home = automa("DE.CAR1@D3, FR.TRK1@D5")
    found = chose(turn(home), "DE.CAR1")
    assert ("D4", "hex.d") == (found.goal, found.letters[-1])


# ------------------------------------------------------------------ III long range


@pytest.mark.parametrize(
    ("enemies", "target", "letter"),
    [
        ("FR.TNK1@F4, FR.INF1@F5 d5", "FR.INF1", "target.a"),
        ("FR.TNK1@F4, FR.INF1@C2", "FR.INF1", "target.b"),
        ("FR.CAR1@F4, FR.TNK1@F5", "FR.TNK1", "target.d"),
        ("FR.TNK1@F4, FR.TNK2@F5 x1", "FR.TNK2", "target.e"),
    ],
)
def test_automa__24_letters_choose_the_target(enemies: str, target: str, letter: str) -> None:
    found = chose(turn(automa(f"DE.MOR1@D4, {enemies}")), "DE.MOR1")
    assert target == found.target and letter in found.letters


def test_automa__24_it_supports_those_who_have_struck() -> None:
    state = automa("DE.MOR1@D4, FR.TNK1@F4, FR.CAR1@F5", struck=["FR.CAR1"])
    found = chose(turn(state), "DE.MOR1")
    assert found.target == "FR.CAR1" and "target.c" in found.letters


def test_automa__24_of_a_persons_fort_it_takes_no_notice() -> None:
    state = automa("DE.MOR1@D4, FR.TNK1@F4, FR.INF1@C2", "own B2=FR")
    assert chose(turn(state), "DE.MOR1").target == "FR.TNK1"


def test_automa__25_as_close_as_it_gets_in_hexes() -> None:
    state = automa("DE.GUN1@D2, FR.MOR1@D12")
    course = turn(state)
    assert chose(course, "DE.GUN1").order == "III.2"
    assert course.told(UnitMoved)[0].path[-1] == "D6"


def test_automa__26_on_or_next_to_a_road_far_from_the_enemy() -> None:
    state = automa("DE.MOR1@D4, FR.TNK1@D9")
    found = chose(turn(state), "DE.MOR1")
    assert state.grid.distance(found.goal, "D9") == 5


def test_automa__27_the_row_where_the_target_stands_counts() -> None:
    state = automa("DE.TNK1@D4, FR.INF1@D3 d2, FR.INF2@C3 d2")
    mind = Mind(Ground(state), state.units["DE.TNK1"])
    assert mind.can_destroy("FR.INF1") and not mind.can_destroy("FR.INF2")


# ------------------------------------------------------------------ combat


def test_automa__28_no_dice_no_bonus_attacking_and_riposting() -> None:
    state = automa("DE.CAR1@D4, DE.INF1@D3, FR.INF1@C3")
    course = play(state, fight(state, Attack("DE.CAR1", "FR.INF1")), dice=" ".join("9" * 12))
    (shot, back) = course.told(CombatFought)[0].shots
    assert ("fixed", 4, ()) == (shot.means, shot.hits, shot.faces)
    assert back.means == "dice"  # TC-AUTOMA-30
    assert bonus_dice(state, "DE.CAR1", "FR.INF1") > 0 == shot.bonus


def test_automa__28_it_ripostes_with_fixed_hits() -> None:
    state = automa("DE.CAR1@D4, FR.INF1@D5")
    course = play(state, fight(state, Attack("FR.INF1", "DE.CAR1")), dice=" ".join("9" * 12))
    assert ["dice", "fixed"] == [shot.means for shot in course.told(CombatFought)[0].shots]


@pytest.mark.parametrize(("damage", "hits"), [(0, 4), (2, 4), (3, 2), (5, 2)])
def test_automa__29_half_the_value_from_three_damage_on(damage: int, hits: int) -> None:
    state = automa(f"DE.CAR1@D4 d{damage}, FR.INF1@D5")
    assert fixed_hits(state, "DE.CAR1", "FR.INF1") == hits


def test_automa__30_people_roll_with_their_bonus() -> None:
    state = automa("DE.INF1@C3, FR.CAR1@D4, FR.INF1@D3")
    course = play(state, fight(state, Attack("FR.CAR1", "DE.INF1")), dice=" ".join("9" * 14))
    assert course.told(CombatFought)[0].shots[0].bonus == PACK.dice.flank_bonus


def test_automa__31_special_values_serve() -> None:
    state = drawn("AH.ATG1@D4, FR.TNK1@D5, FR.CAR1@D3", half="1-6", active="AH", automa="AH", seats=("FR",))
    assert (6, 4) == tuple(hits_without_dice(state, "AH.ATG1", enemy) for enemy in ("FR.TNK1", "FR.CAR1"))


def test_automa__31_berthas_shell_may_still_stray() -> None:
    state = automa("DE.BER1@D10, FR.INF1@D4")
    course = play(state, fight(state, Attack("DE.BER1", "FR.INF1")), dice="7")
    assert ["DE.BER1.scatter"] == [roll.why for roll in course.rolls]
    assert course.told(CombatFought)[0].shots[0].hits == 8


# ------------------------------------------------------------------ purchases


def bought(state: State, dice: str = "") -> list[str]:
    return [f"{fact.unit}@{fact.at}" for fact in play(state, shop(state, "DE"), dice=dice).told(UnitBought)]


def test_t40_shopping() -> None:
    """TC-AUTOMA-33, TC-AUTOMA-34, TC-AUTOMA-32: it saves what does not suffice, and never repairs."""
    state = automa("DE.INF1@D4 d3, DE.CAR1@D5", "own B2=DE, money DE=6")
    assert ["DE.CAV1@B2"] == bought(state)
    assert state.money["DE"] == 3
    other = automa("DE.INF1@D4, DE.CAV1@D3, DE.CAR1@D5, DE.CAR2@D6, DE.GUN1@E5", "own B2=DE, money DE=4")
    assert ["DE.GUN2@B2"] == bought(other)


def test_automa__34_feet_inside_forts_count() -> None:
    state = automa("DE.INF1@fort:B2, DE.CAV1@D3, DE.CAR1@D5", "own B2=DE, money DE=5")
    assert ["DE.CAR2@B2"] == bought(state)


def test_automa__34_at_last_any_type_but_a_transport() -> None:
    owned = "DE.INF1@D4, DE.CAV1@D3, DE.CAR1@D5, DE.CAR2@D6, DE.GUN1@E5, DE.GUN2@E4"
    state = automa(owned, "own B2=DE, money DE=3")
    course = play(state, shop(state, "DE"), dice="2")
    assert [2] == [
        roll.sides for roll in course.rolls
    ]  # infantry and mounted infantry; a transport costs 3, too
    assert ["mounted_infantry"] == [fact.type for fact in course.told(UnitBought)]


def test_automa__34_without_a_limit_always_cars() -> None:
    state = automa("DE.INF1@D4, DE.CAV1@D3, DE.CAR1@D5, DE.CAR2@D6", "own B2=DE, money DE=11", unit_limit=0)
    assert ["DE.CAR3@B2", "DE.CAR4@B2"] == bought(state)


def test_t41_a_besieged_fort_gets_nobody() -> None:
    """TC-AUTOMA-35, TC-AUTOMA-36"""
    state = automa("DE.INF1@D4, DE.CAR1@D5, FR.INF1@C2", "own B2=DE, own B8=DE, money DE=3")
    assert ["DE.CAV1@B8"] == bought(state)
    both = automa("DE.INF1@D4, FR.INF1@C2, FR.CAV1@A7", "own B2=DE, own B8=DE, money DE=3")
    assert not bought(both)


def test_automa__35_nearest_to_an_enemy_then_to_most_then_to_the_second() -> None:
    state = automa("DE.INF1@D4, FR.CAR1@D3", "own B2=DE, own B14=DE, money DE=3")
    assert ["DE.CAV1@B2"] == bought(state)
    even = automa("DE.INF1@D5, FR.CAR1@D3, FR.CAR2@D13, FR.TRK1@D12", "own B2=DE, own B14=DE, money DE=3")
    assert ["DE.CAV1@B14"] == bought(even)
    tied = automa("DE.INF1@D5, FR.CAR1@D3, FR.CAR2@D13", "own B2=DE, own B14=DE, money DE=3")
    assert ["DE.CAV1@B14"] == bought(tied, dice="2")


def test_automa__36_without_a_fort_no_purchase() -> None:
    assert not bought(automa("DE.INF1@D4", "money DE=9"))


# ------------------------------------------------------------------ first turns, special forces, stand-in


def test_automa__5_chance_names_the_companies_of_the_first_turns() -> None:
    state = automa("DE.CAR1@D4 A, DE.CAR2@D5 B, DE.TNK1@D6 C, FR.TRK1@E4", round=1)
    course = turn(state, 2)
    assert [("B",)] == [fact.companies for fact in course.told(CompaniesChosen)]
    assert ["DE.CAR2"] == acted(course)


def test_automa__5_what_was_bought_is_free() -> None:
    state = automa("DE.CAR1@D4 A, DE.CAR2@D5, FR.TRK1@E4", round=1)
    assert ["DE.CAR2"] == acted(turn(state, 2))


def test_automa__37_minelayers_and_engineers_stay_idle() -> None:
    state = automa("DE.MIN1@D4, DE.ENG1@D5, DE.BOT1@E6, DE.ZEP1@D6, FR.TRK1@E4")
    assert ["DE.ZEP1", "DE.BOT1"] == acted(turn(state))


def test_a_person_may_leave_his_turn_to_it_and_rolls_his_own_dice() -> None:
    state = drawn("FR.CAR1@D4, GB.TRK1@F1, DE.MOR1@D6", active="FR")
    course = play(state, stand_in(state), dice=" ".join("9" * 12))
    assert ["FR.CAR1"] == acted(course)
    assert course.told(CombatFought)[0].shots[0].means == "dice"
