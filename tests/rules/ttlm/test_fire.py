"""TTLM 5.2, 8.2, 8.3, 8.4, 9.1, 9.3, 9.4: firepowers and the dice of each step."""

from __future__ import annotations

import pytest

from engine.games.to_the_last_man.rules.embattled import battle_in
from engine.games.to_the_last_man.rules.fire import (
    Shots,
    Volley,
    active_bonus,
    artillery_fire,
    attackers_fire,
    defenders_fire,
    retreats_forced,
    scored,
    siege_hits,
)
from engine.games.to_the_last_man.rules.pieces import refuses
from tests.rules.ttlm.acts import walk, why
from tests.rules.ttlm.drawn import PACK, Drawing
from tests.rules.ttlm.fights import field, fight, left, rolls


def dice(volleys):
    """Numbers of dice by the name of their roll."""
    return {volley.name: len(volley.infantry) for volley in volleys}


def artillery(area, armies, **more):
    state = field(area, armies, **more)
    return dice(artillery_fire(state, battle_in(state, area)))


def attack(area, armies, **more):
    state = field(area, armies, **more)
    return dice(attackers_fire(state, battle_in(state, area), ()))


def defence(area, armies, **more):
    state = field(area, armies, **more)
    return dice(defenders_fire(state, battle_in(state, area), ()))


# ------------------------------------------------------------------ 5.2


@pytest.mark.parametrize(("firepower", "number"), [(1, 1), (2, 2), (3, 3)])
def test_r_20_firepower_scale(firepower, number):
    """TTLM-5.2.1-01 A die hits with its firepower or less; 4 to 6 never do."""
    assert scored(range(1, 7), firepower) == number
    assert scored((4, 5, 6), firepower) == 0


def test_5_2_1__01_one_die_for_each_unit_that_fires():
    course = fight("ART", {"GE6": "4I", "UK1": "3I"}, dice="6 6 6 · 6 6 6 6")
    assert rolls(course) == [("defence.F1", 3), ("attack.F1", 4)]


def test_5_2_2__01_bracketed_firepower_needs_its_condition():
    """Siege guns want a fort, cavalry an enemy without infantry."""
    assert attack("HAI", {"GE2": "I G C"}, loose={"HAI": "FR I"}) == {"F1": 1}
    assert attack("NAM", {"GE2": "I G C"}, forts={"NAM": 2}) == {"F1": 2, "G.F3": 1}


def test_5_2_3__01_each_hit_costs_one_loss_at_once():
    course = fight("ART", {"GE6": "3I", "UK1": "3I"}, dice="1 1 6 · 6", turn=2)
    assert left(course) == {"GE6": "I", "UK1": "3I"}


def test_0__09_faces_inside_a_roll_follow_the_order_of_units():
    """Loose units, then armies by number; infantry before artillery: the marks of infantry show it."""
    state = field("ART", {"GE18": "I A", "GE2": "I A", "UK1": "I"}, loose={"ART": "GE A"}, turn=8)
    (volley,) = attackers_fire(state, battle_in(state, "ART"), ())
    assert volley == Volley("F1", 1, (False, True, False, True, False))


# ------------------------------------------------------------------ 8.2 infantry


def test_8_2_1__01_infantry_is_entrenched_only_when_it_defends():
    assert defence("ART", {"GE6": "I", "UK1": "3I"}) == {"F1": 3}
    assert defence("ART", {"GE6": "I", "UK1": "3I E"}) == {"F2": 3}
    assert attack("ART", {"GE6": "3I E", "UK1": "I"}) == {"F1": 3}
    assert defence("LIL", {"GE6": "I"}, loose={"LIL": "FR I E, FR I"}) == {"F1": 1, "F2": 1}


def test_r_03_infantry_in_an_entrenched_army_is_entrenched():
    """TTLM-8.1-04 All of them; auxiliaries gain nothing."""
    assert defence("REI", {"GE6": "I", "FR5": "4I A C E"}) == {"F1": 2, "F2": 4}


def test_8_2_2__01_stosstruppen_fire_at_f2_in_attack_and_defence():
    assert attack("STQ", {"GE18": "I 2S", "FR3": "I"}, turn=16) == {"F1": 1, "S.F2": 2}
    assert defence("STQ", {"GE18": "I 2S", "FR3": "I"}, turn=16, phasing="EN") == {"F1": 1, "F2": 2}


def test_8_2_2__02_stosstruppen_are_infantry_for_everything_else():
    """They stop raiding cavalry like any infantry."""
    assert PACK.types["S"].cls == "infantry"
    more = {"turn": 16, "phasing": "EN"}
    assert attack("STQ", {"GE18": "S", "FR3": "C I"}, **more) == {"F1": 1}
    assert attack("STQ", {"GE18": "A", "FR3": "C I"}, **more) == {"F1": 2}


def test_8_2_2__03_stosstruppen_gain_nothing_from_trenches():
    more = {"turn": 16, "phasing": "EN"}
    assert defence("STQ", {"GE18": "I S E", "FR3": "I"}, **more) == {"F2": 2}
    state = field("STQ", {"GE18": "I S E", "FR3": "I"}, fortified=["GE18"], **more)
    assert dice(defenders_fire(state, battle_in(state, "STQ"), ())) == {"F2": 1, "F3": 1}


def test_8_2_2__06_attacking_stosstruppen_have_a_roll_of_their_own():
    shots = [Shots(Volley("S.F2", 2, (True,) * 3), (1, 2, 3)), Shots(Volley("F1", 1, (True,)), (1,))]
    assert retreats_forced(field("STQ", {"GE18": "S", "FR3": "I"}, turn=16), shots) == 2


def test_8_2_2__07_defending_stosstruppen_force_nobody():
    armies = {"GE18": "2S", "FR3": "3I"}
    course = fight("STQ", armies, dice="1 1 · 6", turn=16, phasing="EN", owner={"STQ": "GE"})
    assert left(course) == {"FR3": "I", "GE18": "2S"}
    assert course.state.army_at["FR3"] == "STQ"
    assert course.asked("battle.forced") == []


def test_c_46_commonwealth_fire():
    """TTLM-8.2.3-01, TTLM-8.2.3-02"""
    armies = {"UK2": "I CW", "GE6": "3I"}
    open_ = fight("ART", armies, dice="2 · 2 · 6 6", turn=8)
    assert rolls(open_) == [("defence.F1", 1), ("defence.F2", 1), ("attack.F1", 2)]
    dug_in = fight("ART", {**armies, "UK2": "I CW E"}, dice="2 2 · 6", turn=8)
    assert rolls(dug_in) == [("defence.F2", 2), ("attack.F1", 1)]
    assert left(dug_in) == {"GE6": "I", "UK2": "I CW"}


def test_8_2_3__01_commonwealth_attacks_at_f2():
    assert attack("ART", {"UK2": "I CW", "GE6": "I"}, turn=8, phasing="EN") == {"F1": 1, "F2": 1}


def test_7_6__06_infantry_in_a_fortified_army_defends_at_f3():
    state = field("ART", {"UK2": "I CW A E", "GE6": "I"}, turn=8, fortified=["UK2"])
    assert dice(defenders_fire(state, battle_in(state, "ART"), ())) == {"F1": 1, "F3": 2}


# ------------------------------------------------------------------ 8.3 auxiliaries


def test_8_3_1__01_cavalry_does_not_attack_but_defends():
    """TTLM-8.3.1-06"""
    armies = {"GE1": "I 2C", "FR5": "I 2C"}
    assert attack("HAI", armies) == {"F1": 1}
    assert defence("HAI", armies) == {"F1": 3}


def test_8_3_1__02_the_second_step_never_leads_from_disputed_to_enemy():
    """TTLM-4.2-02"""
    state = field("SED", loose={"TRI": "GE C", "ARD": "FR I"}, battles=[])
    assert why(state, walk("TRI-ARD", "GE C")) is None
    assert why(state, walk("TRI-ARD-SED", "GE C")) == ("TTLM-4.2-02", "disputed-to-enemy")


def test_8_3_1__04_raiding_fire_where_no_infantry_resists():
    assert attack("HAI", {"GE1": "2C"}, loose={"HAI": "FR C"}) == {"F1": 2}
    assert attack("HAI", {"GE1": "2C", "FR5": "C A"}) == {"F1": 2}
    assert attack("HAI", {"GE1": "2C", "FR5": "I C A"}) == {}


def test_8_3_1__05_sheltering_infantry_does_not_stop_a_raid():
    state = field("HAI", {"GE1": "C"}, loose={"HAI": "FR I, FR C"}, retreated=["FR.I.01"])
    assert dice(attackers_fire(state, battle_in(state, "HAI"), ())) == {"F1": 1}


def test_8_3_1__05_under_surprise_the_test_is_made_in_the_first_step():
    course = fight(
        "NAM",
        dice="6 · 6 6",
        loose={"NAM": "GE C"},
        forts={"NAM": 2},
        laid={"GE": [("NAM", "SUR")], "EN": []},
    )
    assert rolls(course) == [("attack.F1", 1), ("defence.F2", 2)]


def test_8_3_2__01_artillery_fires_twice_in_attack_once_in_defence():
    armies = {"GE6": "2A", "UK1": "I A"}
    assert artillery("ART", armies, turn=8) == {"F1": 2}
    assert attack("ART", armies, turn=8) == {"F1": 2}
    assert defence("ART", armies, turn=8) == {"F1": 2}


@pytest.mark.parametrize(("turn", "fire"), [(15, {"F1": 2}), (16, {"F1": 1, "F2": 1})])
def test_8_3_2__04_materiel_superiority_of_the_uk(turn, fire):
    armies = {"GE6": "I", "UK1": "A", "FR3": "A"}
    option = {"uk_materiel_superiority": True}
    assert defence("ART", armies, turn=turn, options=option) == fire
    assert defence("ART", armies, turn=turn) == {"F1": 2}


def test_8_3_2__04_with_gas_uk_artillery_defends_at_f3_and_attacks_as_ever():
    more = {"turn": 16, "options": {"uk_materiel_superiority": True}}
    gas = {"GE": [], "EN": [("ART", "GAS")]}
    assert defence("ART", {"GE6": "I", "UK1": "A"}, laid=gas, **more) == {"F3": 1}
    assert defence("ART", {"GE6": "I", "FR3": "A"}, laid=gas, **more) == {"F2": 1}
    assert artillery("ART", {"GE6": "I", "UK1": "A"}, phasing="EN", **more) == {"F1": 1}
    assert defence("ART", {"GE6": "I", "UK1": "A"}, laid=gas, weather=True, **more) == {"F2": 1}


def test_8_3_3__01_siege_guns_fire_at_forts_in_attack_only():
    assert artillery("LIE", {"GE2": "I 2G"}, forts={"LIE": 3}) == {"G.F3": 2}
    assert artillery("HAI", {"GE2": "I 2G"}, loose={"HAI": "FR I"}) == {}
    assert defence("MET", {"GE2": "I 2G", "FR3": "I"}, phasing="EN") == {"F1": 1}


def test_8_3_3__02_the_fort_must_still_stand():
    course = fight("MAU", {"GE2": "I A G"}, dice="6 · 1", forts={"MAU": 1}, owner={"MAU": "GE"})
    assert rolls(course) == [("artillery.F1", 1), ("artillery.G.F3", 1)]


def test_8_3_3__05_gas_and_barrage_do_not_touch_siege_guns():
    laid = {"GE": [("LIE", "GAS")], "EN": []}
    assert artillery("LIE", {"GE2": "I A G"}, forts={"LIE": 3}, turn=4, laid=laid) == {"F2": 1, "G.F3": 1}


def test_8_3_4__05_ground_attack_in_the_fire_step_of_its_side():
    assert attack("ART", {"GE6": "I B", "UK1": "I"}, turn=9) == {"F1": 2}
    assert artillery("ART", {"GE6": "I B", "UK1": "I"}, turn=9) == {}
    assert defence("ART", {"GE6": "I", "UK1": "I B"}, turn=9) == {"F1": 2}


def test_8_3_4__02_one_biplane_in_an_army():
    state = field("ART", {"UK1": "I B"}, turn=9)
    assert refuses(state, "UK1", ["UK.B.02"]) == "TTLM-8.3.4-02"
    assert refuses(field("ART", {"UK1": "I"}, turn=9), "UK1", ["UK.B.02"]) == ""


def test_8_3_5__01_tanks_attack_at_f2_and_defend_at_f1():
    more = {"turn": 16}
    assert attack("ART", {"GE6": "I", "UK1": "I T"}, phasing="EN", **more) == {"F1": 1, "T.F2": 1}
    assert artillery("ART", {"GE6": "I", "UK1": "I T"}, phasing="EN", **more) == {}
    assert defence("ART", {"GE6": "I", "UK1": "I T"}, **more) == {"F1": 2}


def test_c_31_tanks_and_rough():
    """TTLM-8.3.5-02, TTLM-9.1-02 No tank and no tank die of a card fires in a Rough area."""
    armies = {"FR4": "3I T", "GE5": "I"}
    more = {"turn": 16, "offensive": "TLM", "bonus": ["ARG"]}
    assert attack("ARG", armies, phasing="EN", **more) == {"F1": 3}
    assert attack("REI", armies, phasing="EN", **(more | {"bonus": ["REI"]})) == {
        "F1": 3,
        "T.F2": 1,
        "TLM.F2": 2,
    }
    assert defence("ARG", armies, turn=16) == {"F1": 3}


def test_c_31_a_tank_is_lost_once_it_is_among_the_most_numerous():
    """TTLM-8.3.5-02"""
    course = fight("ARG", {"FR4": "2I T", "GE5": "3I"}, "1 1 6 · 6", turn=16, phasing="EN")
    assert rolls(course) == [("defence.F1", 3), ("attack.F1", 1)]
    assert left(course) == {"FR4": "I", "GE5": "3I"}


def test_8_3_5__04_hits_of_attacking_tanks_force_retreats():
    state = field("ART", {"UK1": "T", "GE6": "I"}, turn=16, phasing="EN")
    shots = [Shots(Volley("T.F2", 2, (False,) * 2), (2, 5)), Shots(Volley("F2", 2, (False,)), (1,))]
    assert retreats_forced(state, shots) == 1


def test_8_3_6__01_the_paris_gun_does_not_fire():
    assert attack("ART", {"GE6": "I P", "UK1": "I"}, turn=16) == {"F1": 1}
    assert defence("ART", {"GE6": "I P", "UK1": "I"}, turn=16, phasing="EN") == {"F1": 1}


# ------------------------------------------------------------------ 8.4 forts


def test_8_4__02_a_fort_rolls_a_die_at_f2_for_each_strength():
    assert defence("VER", {"GE5": "I"}, forts={"VER": 4}) == {"F2": 4}
    assert attack("MET", {"GE5": "I", "FR3": "I"}, forts={"MET": 4}) == {"F1": 1}


def test_8_4__06_sedan_0_rolls_nothing():
    assert defence("SED", {"GE3": "I"}, loose={"SED": "FR C"}, forts={"SED": 0}) == {"F1": 1}


def test_8_3_3__04_siege_hits_are_counted_apart():
    shots = [Shots(Volley("G.F3", 3, (False,) * 2), (3, 4)), Shots(Volley("F3", 3, (False,)), (3,))]
    assert siege_hits(shots) == 1


# ------------------------------------------------------------------ 9.3, 9.4 gas and barrage


def test_9_3__01_gas_gives_the_own_artillery_f2_for_the_whole_battle():
    armies = {"GE6": "I A", "UK1": "I A"}
    laid = {"GE": [("ART", "GAS")], "EN": []}
    assert artillery("ART", armies, turn=8, laid=laid) == {"F2": 1}
    assert attack("ART", armies, turn=8, laid=laid) == {"F1": 1, "F2": 1}
    assert defence("ART", armies, turn=8, laid=laid) == {"F1": 2}
    assert artillery("ART", armies, turn=8, laid={"GE": [("REI", "GAS")], "EN": []}) == {"F1": 1}


def test_c_08_barrage_against_gas():
    """TTLM-9.4-01 Barrage gives F3 in both volleys, the defender's gas F2."""
    armies = {"GE6": "I A", "UK1": "I A"}
    laid = {"GE": [("ART", "AAB")], "EN": [("ART", "GAS")]}
    assert artillery("ART", armies, turn=12, laid=laid) == {"F3": 1}
    assert attack("ART", armies, turn=12, laid=laid) == {"F1": 1, "F3": 1}
    assert defence("ART", armies, turn=12, laid=laid) == {"F1": 1, "F2": 1}


def test_9_4__01_bad_weather_does_not_stop_a_barrage():
    laid = {"GE": [("ART", "AAB")], "EN": []}
    assert artillery("ART", {"GE6": "I A", "UK1": "I"}, turn=12, laid=laid, weather=True) == {"F3": 1}


def test_c_07_gas_is_cancelled_for_both():
    """TTLM-9.3-03, TTLM-9.5-05"""
    armies = {"GE6": "I A", "UK1": "I A"}
    more = {"turn": 5, "laid": {"GE": [("ART", "GAS")], "EN": [("ART", "GAS")]}, "weather": True}
    assert artillery("ART", armies, **more) == {"F1": 1}
    assert defence("ART", armies, **more) == {"F1": 2}


def test_9_3__03_or_only_for_the_attacker_if_it_was_agreed_so():
    armies = {"GE6": "I A", "UK1": "I A"}
    more = {"turn": 5, "laid": {"GE": [("ART", "GAS")], "EN": [("ART", "GAS")]}, "weather": True}
    more["options"] = {"weather_stops_gas": "attacker"}
    assert artillery("ART", armies, **more) == {"F1": 1}
    assert defence("ART", armies, **more) == {"F1": 1, "F2": 1}


# ------------------------------------------------------------------ 9.1 extra dice


def test_c_10_big_push_with_and_without_surprise():
    """TTLM-9.1.3-01, TTLM-9.1-02 A die in b and one in d; under surprise only that of the fire step."""
    armies = {"UK1": "3I A", "GE6": "3I"}
    more: Drawing = {"turn": 9, "phasing": "EN", "offensive": "BIG", "bonus": ["ART"]}
    course = fight("ART", armies, dice="6 · 6 · 6 6 6 · 6 · 6 6 6 6", **more)
    assert rolls(course) == [
        ("artillery.BIG.F2", 1),
        ("artillery.F1", 1),
        ("defence.F1", 3),
        ("attack.BIG.F2", 1),
        ("attack.F1", 4),
    ]
    more["laid"] = {"EN": [("ART", "SUR")], "GE": []}
    course = fight("ART", armies, dice="6 · 6 6 6 6 · 6 6 6", **more)
    assert rolls(course) == [("attack.BIG.F2", 1), ("attack.F1", 4), ("defence.F1", 3)]


def test_9_1_4__01_gericht_needs_a_german_army():
    more = {"turn": 8, "offensive": "GER", "bonus": ["VER"]}
    assert artillery("VER", {"GE5": "I", "FR3": "I"}, **more) == {"GER.F2": 1}
    assert artillery("VER", {"FR3": "I"}, loose={"VER": "GE I"}, **more) == {}


def test_9_1_5__01_tout_le_monde_brings_two_tank_dice():
    more = {"turn": 16, "phasing": "EN", "offensive": "TLM", "bonus": ["STQ"]}
    armies = {"FR3": "2I", "GE18": "3I", "GE2": "3I"}
    assert artillery("STQ", armies, **more) == {}
    assert attack("STQ", armies, **more) == {"F1": 2, "TLM.F2": 2}
    state = field("STQ", armies, **more)
    assert retreats_forced(state, [Shots(Volley("TLM.F2", 2, (False,) * 2), (1, 2))]) == 2


def test_9_1_6__01_friedensturm_brings_two_dice_of_stosstruppen():
    more = {"turn": 16, "offensive": "FRI", "bonus": ["STQ"]}
    armies = {"FR3": "2I", "GE18": "3I"}
    assert attack("STQ", armies, **more) == {"F1": 3, "FRI.F2": 2}
    state = field("STQ", armies, **more)
    assert retreats_forced(state, [Shots(Volley("FRI.F2", 2, (False,) * 2), (1, 3))]) == 1


def test_9_1_3__01_hits_of_artillery_dice_force_nobody():
    state = field("ART", {"UK1": "I"}, turn=9, phasing="EN", offensive="BIG", bonus=["ART"])
    assert retreats_forced(state, [Shots(Volley("BIG.F2", 2, (False,)), (1,))]) == 0


@pytest.mark.parametrize(
    ("card", "phasing", "turn", "active"),
    [
        ("BIG", "EN", 8, True),
        ("BIG", "EN", 7, False),
        ("BIG", "GE", 8, False),
        ("GER", "GE", 8, True),
        ("GER", "EN", 8, False),
        ("TLM", "EN", 16, True),
        ("TLM", "EN", 15, False),
        ("FRI", "GE", 16, True),
        ("FRI", "EN", 16, False),
        ("OFF", "GE", 16, False),
        ("LIM", "EN", 16, False),
    ],
)
def test_9_5__08_a_special_offensive_is_active_for_its_side_from_its_turn_on(card, phasing, turn, active):
    state = field("ART", offensive=card, phasing=phasing, turn=turn)
    assert (active_bonus(state) is not None) == active


def test_9_1__02_gas_does_not_change_extra_dice():
    more = {"turn": 9, "phasing": "EN", "offensive": "BIG", "bonus": ["ART"]}
    laid = {"EN": [("ART", "AAB")], "GE": []}
    assert artillery("ART", {"UK1": "I", "GE6": "I"}, laid=laid, **more) == {"BIG.F2": 1}


def test_9_1__03_the_army_must_be_there_when_the_step_begins():
    """Retreated or gone, it brings no dice."""
    more = {"turn": 9, "phasing": "EN", "offensive": "BIG", "bonus": ["ART"]}
    assert artillery("ART", {"UK1": "I", "GE6": "I"}, loose={"ART": "FR I"}, **more) == {"BIG.F2": 1}
    retreated = {"retreated": ["UK.I.01", "UK1"]}
    assert artillery("ART", {"UK1": "I", "GE6": "I"}, loose={"ART": "FR I"}, **more, **retreated) == {}
    assert artillery("ART", {"UK1": "", "GE6": "I"}, loose={"ART": "FR I"}, **more) == {}


def test_9_1__01_extra_dice_belong_to_the_battle_not_to_each_army():
    more = {"turn": 16, "phasing": "EN", "offensive": "TLM", "bonus": ["STQ"]}
    assert attack("STQ", {"FR3": "I", "FR4": "I", "GE2": "I"}, **more) == {"F1": 2, "TLM.F2": 2}


def test_9_5__02_bad_weather_takes_the_extra_dice_away():
    more = {
        "turn": 9,
        "phasing": "EN",
        "offensive": "BIG",
        "bonus": ["ART"],
        "weather": True,
        "cut": 1,
    }
    assert artillery("ART", {"UK1": "I", "GE6": "I"}, **more) == {}


def test_5_4__02_who_has_retreated_does_not_fire():
    state = field(
        "ARG", {"FR4": "I", "FR5": "3I", "GE5": "I"}, retreated=["FR.I.02", "FR.I.03", "FR.I.04", "FR5"]
    )
    assert state.contents["FR5"] == ["FR.I.02", "FR.I.03", "FR.I.04"]
    assert dice(defenders_fire(state, battle_in(state, "ARG"), ())) == {"F1": 1}
