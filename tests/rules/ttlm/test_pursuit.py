"""TTLM 8.3.1, 5.4.4, 8.1-09: pursuit, retreat into combat, empty armies in battles."""

from __future__ import annotations

from engine.games.to_the_last_man.answers import Ersatz
from engine.games.to_the_last_man.facts.battle import HitsVanished
from engine.games.to_the_last_man.facts.board import ArmyMoved
from engine.games.to_the_last_man.facts.force import ArmyEliminated, UnitsLost
from engine.games.to_the_last_man.rules.combat import battle
from engine.games.to_the_last_man.rules.embattled import battle_in
from engine.games.to_the_last_man.rules.retreats import defender_retreats
from tests.rules.ttlm.drawn import Drawing, play
from tests.rules.ttlm.fights import field, fight, goals, left, loose, loss, refused, rolls

WAY: Drawing = {"owner": {"LIE": "GE", "BRU": "GE"}}  # the Germans' way into Hainaut


# ------------------------------------------------------------------ 8.3.1 pursuit


def test_c_35_pursuit():
    """TTLM-8.3.1-07, TTLM-8.3.1-08, TTLM-8.3.1-10, TTLM-5.4.1-02"""
    course = fight(
        "HAI",
        {"GE1": "5I A C"},
        dice="6 · 1",
        answers={"battle.instead": [goals("FR I>MAU", "FR I>LIL")]},
        loose={"HAI": "FR 2I"},
        **WAY,
    )
    assert rolls(course) == [("artillery.F1", 1), ("pursuit.C.F1", 1)]
    (hit,) = course.asked("battle.loss")
    assert (hit.given.step, hit.given.hits) == ("pursuit", 1)
    assert (loose(course, "MAU"), loose(course, "LIL")) == ("FR I", "")  # the last named is lost
    assert course.state.owner["HAI"] == "GE"


def test_c_37_pursuit_with_a_fort_left():
    """TTLM-8.3.1-09, TTLM-8.3.1-04, TTLM-5.4.1-03 Pursuit, then the fort fires, then cavalry raids."""
    course = fight(
        "NAM",
        {"GE1": "I C"},
        dice="6 · 6 6 · 6 6",
        answers={"battle.instead": [goals("FR I>MAU")]},
        loose={"NAM": "FR I"},
        forts={"NAM": 2},
    )
    assert rolls(course) == [("pursuit.C.F1", 1), ("defence.F2", 2), ("attack.F1", 2)]
    order = [type(fact).__name__ for fact in course.facts]
    assert order.index("ShotsFired") < order.index("UnitsMoved")


def test_8_3_1__08_no_pursuit_if_infantry_stays_or_cavalry_goes_along():
    stays = fight(
        "HAI",
        {"GE1": "I C"},
        dice="6 · 6",
        answers={"battle.instead": [goals("FR I>MAU")]},
        loose={"HAI": "FR 2I"},
        **WAY,
    )
    assert rolls(stays) == [("defence.F1", 1), ("attack.F1", 1)]
    screened = fight(
        "HAI",
        {"GE1": "I C"},
        answers={"battle.instead": [goals("FR I>MAU", "FR C>LIL")]},
        loose={"HAI": "FR I, FR C"},
        **WAY,
    )
    assert rolls(screened) == []


def test_8_3_1__08_cavalry_inside_a_retreating_army_screens_it():
    course = fight("HAI", {"GE1": "I C", "FR5": "I C"}, answers={"battle.instead": [goals("FR5>MAU")]}, **WAY)
    assert rolls(course) == []


def test_8_3_1__10_pursuit_hits_fall_on_the_strongest_who_leaves():
    """The artillery that stays is not hit; Ersatz may pay."""
    course = fight(
        "HAI",
        {"GE1": "I 2C", "FR5": "2I A"},
        dice="1 1",
        answers={
            "battle.instead": [goals("FR5>MAU", "FR A>LIL")],
            "battle.ersatz": [Ersatz(("OFF",))],
            "battle.loss": [loss("FR5 I")],
        },
        loose={"HAI": "FR A"},
        hands={"EN": "OFF"},
        **WAY,
    )
    assert rolls(course) == [("pursuit.C.F1", 2)]
    assert left(course)["FR5"] == "I A"
    assert course.state.army_at["FR5"] == "MAU"
    assert loose(course, "LIL") == "FR A"


def test_8_3_1__10_who_stays_is_no_target_of_pursuit():
    course = fight(
        "HAI",
        {"GE1": "I 2C"},
        dice="1 1 · 6 · 6 6 6",
        answers={"battle.instead": [goals("FR I>MAU")]},
        loose={"HAI": "FR I, FR A"},
        **WAY,
    )
    assert rolls(course)[0] == ("pursuit.C.F1", 2)
    assert course.told(HitsVanished) == [HitsVanished("EN", "HAI", 1)]
    assert [fact.why for fact in course.told(UnitsLost)] == ["combat", "fragile"]  # then 5.5-02 takes the gun


def test_8_3_1__10_an_army_wiped_out_on_its_way_is_eliminated():
    course = fight("HAI", {"GE1": "I C", "FR5": "I"}, "1", {"battle.instead": [goals("FR5>MAU")]}, **WAY)
    assert course.told(ArmyEliminated) == [ArmyEliminated("EN", "FR5", "HAI", "combat")]
    assert course.told(ArmyMoved) == []


def test_8_3_1__11_no_pursuit_of_cavalry_nor_after_combat():
    course = fight(
        "HAI",
        {"GE1": "I C"},
        dice="6 · 6",
        answers={"EN battle.cavalry": [goals("FR C>LIL")], "EN battle.retreat": [goals("FR I>MAU")]},
        loose={"HAI": "FR I, FR C"},
        **WAY,
    )
    assert rolls(course) == [("defence.F1", 1), ("attack.F1", 1)]
    assert loose(course, "MAU") == "FR I"


# ------------------------------------------------------------------ 5.4.4 into combat


def test_c_40_retreat_into_an_unresolved_battle():
    """TTLM-5.4.4-01, TTLM-5.4.4-03"""
    state = field(
        "REI",
        {"GE5": "3I", "FR5": "3I", "GE4": "ARG: 3I", "FR4": "ARG: I"},
        battles=["REI", "ARG"],
        owner={"SED": "GE", "LAO": "GE"},
    )
    play(state, battle(state, "REI"), {"battle.instead": [goals("FR5>ARG")]})
    assert state.owner["REI"] == "GE"
    course = play(state, battle(state, "ARG"), dice="6 1 1 6")
    assert rolls(course) == [("defence.F1", 1), ("attack.F1", 3)]
    assert course.told(HitsVanished) == [HitsVanished("EN", "ARG", 1)]
    assert [(fact.army, fact.why) for fact in course.told(ArmyEliminated)] == [
        ("FR4", "combat"),
        ("FR5", "retreat"),
    ]
    assert state.owner["ARG"] == "GE"


def test_c_75_no_second_retreat():
    """TTLM-5.4-09, TTLM-5.4.4-01 With other defenders left the fugitives stay unharmed."""
    state = field(
        "REI",
        {"GE5": "3I", "FR5": "3I", "GE4": "ARG: 3I", "FR4": "ARG: 3I"},
        battles=["REI", "ARG"],
        owner={"SED": "GE", "LAO": "GE"},
    )
    play(state, battle(state, "REI"), {"battle.instead": [goals("FR5>ARG")]})
    seen = []

    def again(ask):
        seen.append(refused(ask, goals("FR5>BAR")))
        return ()

    play(state, battle(state, "ARG"), {"battle.instead": [again]}, "6 6 6 · 6 6 6".replace("·", ""))
    assert seen == [("TTLM-5.4-09", "retreated-already")]
    assert state.army_at["FR5"] == "ARG"
    assert state.contents["FR5"] != []


def test_5_4_4__02_what_had_retreated_into_a_forced_army_is_eliminated():
    state = field("STQ", {"GE2": "I", "FR3": "3I"}, turn=16, retreated=["FR.I.03"])
    course = play(
        state, defender_retreats(state, battle_in(state, "STQ"), 1), {"battle.forced": [goals("FR3>PIC")]}
    )
    assert [(fact.units, fact.why) for fact in course.told(UnitsLost)] == [(("FR.I.03",), "retreat")]
    assert left(course)["FR3"] == "2I"
    assert state.army_at["FR3"] == "PIC"


def test_5_4_4__03_a_fort_is_company_at_strength_2():
    def after(strength):
        state = field(
            "VER",
            {"GE5": "I", "FR3": "2I"},
            forts={"VER": strength},
            retreated=["FR.I.01", "FR.I.02", "FR3"],
        )
        course = play(state, battle(state, "VER"), dice=" ".join("6" * (strength + 1)))
        return [fact.army for fact in course.told(ArmyEliminated)]

    assert after(2) == []
    assert after(1) == ["FR3"]


def test_5_4_4__03_fugitives_stay_if_no_enemy_does():
    state = field(
        "ART", {"GE6": "I", "UK1": "I", "UK2": "I"}, retreated=["UK.I.02", "UK2"], owner={"STQ": "GE"}
    )
    answers = {"GE battle.retreat": [goals("GE6>STQ")], "EN battle.retreat": [goals("UK1>CAL")]}
    course = play(state, battle(state, "ART"), answers, "6 6")
    assert course.told(ArmyEliminated) == []
    assert state.owner["ART"] == "EN"


def test_5_4_4__04_an_empty_army_does_not_retreat_twice():
    state = field("ART", {"GE6": "I", "UK1": "I", "UK2": ""}, retreated=["UK2"])
    course = play(state, battle(state, "ART"), dice="6 6")
    assert course.told(ArmyEliminated) == [ArmyEliminated("EN", "UK2", "ART", "retreat")]


# ------------------------------------------------------------------ empty armies


def test_r_12_an_empty_army_in_a_battle():
    """TTLM-8.1-09, TTLM-8.1-12 It must leave in step c; the others stand and fire."""
    course = fight("ART", {"GE4": "3I", "UK1": "3I", "UK2": ""}, dice="6 6 6 · 6 6 6")
    assert course.state.army_at["UK2"] == "CAL"
    assert rolls(course) == [("defence.F1", 3), ("attack.F1", 3)]
    assert course.state.army_at["UK1"] == "ART"
    moved = [type(fact).__name__ for fact in course.facts]
    assert moved.index("ArmyMoved") < moved.index("ShotsFired")


def test_8_1__09_the_owner_may_name_where_an_empty_army_goes():
    course = fight(
        "ART", {"GE4": "3I", "UK1": "3I", "UK2": ""}, "6 6 6 · 6 6 6", {"battle.instead": [goals("UK2>PIC")]}
    )
    assert course.state.army_at["UK2"] == "PIC"


def test_8_1__09_it_goes_along_when_all_others_go():
    course = fight("ART", {"GE4": "I", "UK1": "I", "UK2": ""}, "", {"battle.instead": [goals("UK1>CAL")]})
    assert course.state.army_at == {"GE4": "ART", "UK1": "CAL", "UK2": "CAL"}


def test_5_4__04_an_empty_army_without_a_way_out_is_eliminated():
    course = fight("ALS", {"FR7": "2I", "FR9": "", "GE6": "I"}, "6 6 · 6", owner={"BEL": "GE", "VOS": "GE"})
    assert course.told(ArmyEliminated) == [ArmyEliminated("EN", "FR9", "ALS", "retreat")]


def test_8_1__09_the_attackers_empty_army_goes_in_the_retreat_phase():
    """Its cavalry left before combat: the counter follows as soon as it can."""
    course = fight(
        "HAI",
        {"GE1": "C", "GE2": "2I", "FR5": "I"},
        dice="6 · 6 6",
        answers={"GE battle.cavalry": [goals("GE C:GE1>BRU")]},
        **WAY,
    )
    assert course.state.army_at["GE1"] == "BRU"
    assert course.told(ArmyMoved)[0].way == "retreat"


def test_5_4__07_an_empty_army_that_withdraws_discharges_nothing():
    """Ruling: it has no fire to forgo."""
    course = fight("ART", {"GE6": "S I", "UK1": "2I", "UK2": ""}, "6 6 · 6 · 1", turn=16)
    assert [ask.given.armies for ask in course.asked("battle.forced")] == [1]
    assert course.state.army_at["UK1"] != "ART"
