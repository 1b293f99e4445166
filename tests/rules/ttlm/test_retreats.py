"""TTLM 5.4, 8.1-09, 8.3.1: retreats of all kinds, pursuit, retreat into combat."""

from __future__ import annotations

import pytest

from engine.games.to_the_last_man.answers import Ersatz, Goal
from engine.games.to_the_last_man.facts.battle import BattleEnded, RetreatsForced
from engine.games.to_the_last_man.facts.force import ArmyEliminated, UnitsLost
from engine.games.to_the_last_man.rules.embattled import battle_in
from engine.games.to_the_last_man.rules.retreats import defender_retreats, retreat_instead
from engine.games.to_the_last_man.state import State
from tests.rules.ttlm.drawn import Drawing, play
from tests.rules.ttlm.fights import field, fight, goals, left, loose, loss, refused, rolls

WAY: Drawing = {"owner": {"LIE": "GE", "BRU": "GE"}}  # the Germans' way into Hainaut


def asked_instead(state: State, area: str):
    """The question whether to retreat instead of firing, as it stands."""
    return next(retreat_instead(state, battle_in(state, area)))


# ------------------------------------------------------------------ 5.4 where and how


def test_5_4__01_to_adjacent_friendly_or_disputed_areas():
    state = field(
        "ART",
        {"GE6": "I", "UK1": "I", "GE2": "PIC: I", "UK2": "PIC: I"},
        owner={"STQ": "GE"},
    )
    ask = asked_instead(state, "ART")
    assert refused(ask, goals("UK1>CAL")) is None
    assert refused(ask, goals("UK1>PIC")) is None  # Disputed
    assert refused(ask, goals("UK1>STQ")) == ("TTLM-5.4-01", "retreat-to-enemy")
    assert refused(ask, goals("UK1>PAR")) == ("TTLM-5.4-01", "not-adjacent")


def test_5_4__01_never_by_sea():
    """TTLM-4.6-04"""
    ask = asked_instead(field("CAL", {"GE6": "I", "UK1": "I"}), "CAL")
    assert refused(ask, goals("UK1>ENG")) == ("TTLM-5.4-01", "not-adjacent")


def test_5_4__02_a_retreated_unit_is_marked_and_does_not_fire():
    course = fight(
        "ART",
        {"GE6": "I", "UK1": "I C"},
        answers={"battle.instead": [goals("UK1>CAL")]},
    )
    assert rolls(course) == []  # nobody is left to be shot at
    assert course.state.retreated == ["UK.C.01", "UK.I.01", "UK1"]


def test_5_4__02_a_retreated_unit_does_not_fire_with_those_who_stay():
    course = fight(
        "ART",
        {"GE6": "I", "UK1": "I", "UK2": "2I"},
        dice="6 · 6",
        answers={"battle.instead": [goals("UK2>CAL")]},
    )
    assert rolls(course) == [("defence.F1", 1), ("attack.F1", 1)]


def test_c_41_retreat_and_stacking():
    """TTLM-5.4-03, TTLM-1.2.2-05"""
    state = field("FLA", {"GE4": "I", "UK1": "CAL: 2I"}, loose={"FLA": "UK I", "CAL": "UK 2I"})
    ask = asked_instead(state, "FLA")
    assert refused(ask, goals("UK I>CAL")) == ("TTLM-5.4-03", "no-room")
    course = fight(
        "FLA",
        {"GE4": "I", "UK1": "CAL: 2I"},
        answers={"battle.instead": [goals("UK I>CAL+UK1")]},
        loose={"FLA": "UK I", "CAL": "UK 2I"},
    )
    assert left(course)["UK1"] == "3I"


def test_5_4__03_room_is_counted_for_all_who_go():
    state = field("FLA", {"GE4": "I"}, loose={"FLA": "UK 2I", "CAL": "UK 2I"})
    ask = asked_instead(state, "FLA")
    assert refused(ask, goals("UK I>CAL")) is None
    assert refused(ask, goals("UK I>CAL", "UK I>CAL")) == ("TTLM-5.4-03", "no-room")
    assert refused(ask, goals("UK I>CAL", "UK I>LIL")) is None


def test_5_4__03_without_a_way_out_there_is_no_voluntary_retreat():
    state = field("ALS", {"FR7": "2I", "GE6": "I"}, owner={"BEL": "GE", "VOS": "GE"})
    ask = asked_instead(state, "ALS")
    assert ask.options.only() == ((),)
    assert refused(ask, goals("FR7>BEL")) == ("TTLM-5.4-01", "retreat-to-enemy")


def test_5_4__05_units_leave_and_join_armies_on_the_way():
    course = fight(
        "HAI",
        {"GE1": "I", "FR5": "2I C", "FR4": "MAU: I"},
        dice="6 · 6",
        answers={"battle.instead": [goals("FR I:FR5>MAU+FR4", "FR C:FR5>LIL")]},
        **WAY,
    )
    assert left(course) == {"FR4": "2I", "FR5": "I", "GE1": "I"}
    assert loose(course, "LIL") == "FR C"
    assert rolls(course) == [("defence.F1", 1), ("attack.F1", 1)]


def test_5_4__05_an_army_may_send_units_another_way_before_it_goes():
    course = fight(
        "HAI",
        {"GE1": "I", "FR5": "2I C"},
        answers={"battle.instead": [goals("FR5>MAU", "FR C:FR5>LIL")]},
        **WAY,
    )
    assert course.state.army_at["FR5"] == "MAU"
    assert left(course)["FR5"] == "2I"
    assert loose(course, "LIL") == "FR C"


def test_5_4__09_nobody_retreats_twice_of_his_own_will():
    state = field(
        "ARG",
        {"FR4": "3I", "FR5": "3I", "GE5": "I"},
        retreated=["FR.I.04", "FR.I.05", "FR.I.06", "FR5"],
    )
    ask = asked_instead(state, "ARG")
    assert refused(ask, goals("FR5>BAR")) == ("TTLM-5.4-09", "retreated-already")
    assert refused(ask, goals("FR4>BAR")) is None


# ------------------------------------------------------------------ 5.4.1 instead of firing


def test_5_4_1__01_some_go_to_different_areas_and_others_stay_and_fire():
    course = fight(
        "HAI",
        {"GE1": "2I", "FR5": "2I"},
        dice="6 6 · 6 6",
        answers={"battle.instead": [goals("FR I>MAU", "FR A>LIL")]},
        loose={"HAI": "FR I, FR A"},
        **WAY,
    )
    assert loose(course, "MAU") == "FR I"
    assert loose(course, "LIL") == "FR A"
    assert rolls(course) == [("defence.F1", 2), ("attack.F1", 2)]


def test_5_4_1__01_forts_do_not_retreat():
    """TTLM-8.4-01 With a fort alone nobody is asked."""
    course = fight("NAM", {"GE1": "I"}, dice="6 6 · 6", forts={"NAM": 2})
    assert course.asked("battle.instead") == []
    assert [ask.seat for ask in course.asked("battle.retreat")] == ["GE"]


# ------------------------------------------------------------------ 5.4.2 after combat


def test_5_4_2__01_all_to_the_same_area_the_attacker_first():
    course = fight(
        "ART",
        {"GE6": "I", "UK1": "I", "UK2": "I"},
        dice="6 6 · 6",
        answers={"EN battle.retreat": [goals("UK1>CAL", "UK2>CAL")]},
    )
    ask = course.asked("battle.retreat")[-1]
    assert [one.seat for one in course.asked("battle.retreat")] == ["GE", "EN"]
    state = field("ART", {"GE6": "I", "UK1": "I", "UK2": "I"})
    ask = next(defender_retreats(state, battle_in(state, "ART"), 0))
    assert refused(ask, goals("UK1>CAL", "UK2>PIC")) == ("TTLM-5.4.2-01", "one-destination")
    assert refused(ask, goals("UK1>PIC", "UK2>PIC")) is None
    assert course.state.owner["ART"] == "GE"


def test_5_4_2__01_some_may_stay():
    course = fight(
        "ART",
        {"GE6": "I", "UK1": "2I", "UK2": "I"},
        dice="6 6 6 · 6",
        answers={"EN battle.retreat": [goals("UK2>CAL", "UK I:UK1>CAL")]},
    )
    assert left(course) == {"GE6": "I", "UK1": "I", "UK2": "I"}
    assert loose(course, "CAL") == "UK I"


def test_c_28_two_s_hits_two_armies():
    """TTLM-5.4-06 to TTLM-5.4-08, TTLM-5.4.2-01, TTLM-1.2.2-01"""
    armies = {
        "GE2": "2I 3S A",
        "GE18": "I 4S 2A B",
        "UK5": "3I A B E",
        "FR3": "3I A E",
        "UK4": "PIC: 3I",
        "FR6": "COM: 3I",
    }
    course = fight(
        "STQ",
        armies,
        dice="6 · 6 · 6 6 6 · 6 6 · 6 6 6 6 6 6 · 6 6 6 6 6 6 · 6 6 6 1 2 5 6",
        answers={"battle.ersatz": [Ersatz(("ER2",))], "battle.forced": [goals("UK5>PIC", "FR3>PIC")]},
        loose={"COM": "FR C"},
        hands={"EN": "ER2"},
        turn=16,
        owner={"LAO": "GE", "MAU": "GE"},
    )
    assert course.told(RetreatsForced) == [RetreatsForced("EN", "STQ", 2)]
    assert course.state.army_at["UK5"] == course.state.army_at["FR3"] == "PIC"
    assert course.state.entrenched == []
    assert course.state.owner["STQ"] == "GE"
    assert course.asked("battle.forced")[0].default == goals("FR3>PIC", "UK5>PIC")  # weakest first


def test_c_28_one_area_for_both_armies():
    """TTLM-5.4.2-02 Compiègne has no room for two, and they may not part."""
    state = field(
        "STQ",
        {"GE2": "I", "UK5": "3I", "FR3": "3I", "UK4": "PIC: 3I", "FR6": "COM: 3I"},
        loose={"COM": "FR C"},
        turn=16,
        owner={"LAO": "GE", "MAU": "GE"},
    )
    step = defender_retreats(state, battle_in(state, "STQ"), 2)
    next(step)  # RetreatsForced
    ask = step.send(None)
    assert refused(ask, goals("UK5>COM", "FR3>COM")) == ("TTLM-5.4-03", "no-room")
    assert refused(ask, goals("UK5>PIC", "FR3>COM")) == ("TTLM-5.4.2-02", "one-destination")
    assert refused(ask, goals("UK5>LAO", "FR3>LAO")) == ("TTLM-5.4-01", "retreat-to-enemy")
    assert refused(ask, goals("UK5>PIC")) == ("TTLM-5.4-06", "armies-forced")
    assert refused(ask, goals("UK5>PIC", "UK4>PIC")) == ("TTLM-5.4-07", "not-in-battle")
    assert refused(ask, goals("UK5>PIC-I", "FR3>PIC")) == ("TTLM-5.4-08", "nothing-stays-behind")
    assert refused(ask, goals("FR3>PIC", "UK5>PIC")) is None


def test_5_4_2__02_voluntary_retreats_go_where_the_forced_went():
    state = field("STQ", {"GE2": "I", "UK5": "3I", "FR3": "2I"}, turn=16)

    def where(ask):
        assert ask.given.to == "PIC"
        assert refused(ask, goals("UK5>COM")) == ("TTLM-5.4.2-01", "one-destination")
        return goals("UK5>PIC")

    answers = {"battle.forced": [goals("FR3>PIC")], "battle.retreat": [where]}
    play(state, defender_retreats(state, battle_in(state, "STQ"), 1), answers)
    assert state.army_at["UK5"] == state.army_at["FR3"] == "PIC"


def test_c_29_forced_retreat_without_a_way_out():
    """TTLM-5.4-04, TTLM-3.1-02"""
    course = fight(
        "ALS",
        {"FR7": "2I", "GE6": "I T"},
        dice="6 6 · 6 · 1",
        answers={"battle.ersatz": [Ersatz(("OFF",))]},
        hands={"EN": "OFF"},
        turn=16,
        owner={"BEL": "GE", "VOS": "GE"},
    )
    assert rolls(course) == [("defence.F1", 2), ("attack.F1", 1), ("attack.T.F2", 1)]
    assert course.told(ArmyEliminated) == [ArmyEliminated("EN", "FR7", "ALS", "retreat")]
    assert "FR7" in course.state.eliminated
    assert {"FR.I.01", "FR.I.02"} <= set(course.state.pool["FR"])


def test_5_4__04_of_two_forced_armies_the_one_without_room_is_eliminated():
    """Ruling: as many as possible are saved; the armies named last are lost."""
    state = field(
        "STQ", {"GE2": "I", "UK5": "3I", "FR3": "2I", "UK4": "PIC: I"}, loose={"PIC": "UK I"}, turn=16
    )
    state.owner |= {"LAO": "GE", "MAU": "GE", "COM": "GE", "ART": "GE"}
    answers = {"battle.forced": [goals("UK5>PIC", "FR3>PIC")]}
    course = play(state, defender_retreats(state, battle_in(state, "STQ"), 2), answers)
    assert state.army_at["UK5"] == "PIC"
    assert course.told(ArmyEliminated) == [ArmyEliminated("EN", "FR3", "STQ", "retreat")]


@pytest.mark.parametrize(("dice", "gone"), [("1 6 6", ""), ("1 1 6", "FR10")])
def test_c_76_forced_retreat_after_an_elimination(dice, gone):
    """TTLM-5.4-07 An army that is eliminated discharges no obligation."""
    chosen = [loss("UK1 I"), loss("UK1 I"), *([loss("FR10 I")] if gone else [])]
    course = fight(
        "ART",
        {"GE6": "3I S", "FR10": "I", "UK1": "3I"},
        dice=f"6 6 6 6 · {dice} · 1",
        answers={"EN battle.loss": chosen, "battle.forced": [goals("UK1>CAL")]},
        turn=16,
    )
    assert course.asked("battle.forced")[0].given.armies == 1
    assert left(course)["UK1"] == "I"
    assert course.state.army_at["UK1"] == "CAL"
    assert ("FR10" in course.state.eliminated) == bool(gone)


def test_5_4__07_armies_that_left_instead_of_firing_discharge_the_obligation():
    course = fight(
        "ART",
        {"GE6": "I 2S", "FR10": "I", "UK1": "4I"},
        dice="6 6 6 6 · 6 · 1 6",
        answers={"battle.instead": [goals("FR10>CAL")]},
        turn=16,
    )
    assert course.asked("battle.forced") == []
    assert course.state.army_at["UK1"] == "ART"


def test_5_4__07_each_of_them_discharges_one():
    course = fight(
        "ART",
        {"GE6": "I 2S", "FR10": "I", "UK1": "4I", "UK2": "4I"},
        dice="6 6 6 6 6 6 6 6 · 6 · 1 1",
        answers={"battle.instead": [goals("FR10>CAL")], "battle.forced": [goals("UK2>CAL")]},
        turn=16,
    )
    assert [ask.given.armies for ask in course.asked("battle.forced")] == [1]
    assert course.state.army_at["UK1"] == "ART"


def test_5_4__06_an_attack_that_was_never_made_forces_nobody():
    """The attackers fell in the defender's fire."""
    course = fight("ART", {"GE6": "S", "UK1": "4I"}, "1 6 6 6", turn=16)
    assert course.asked("battle.forced") == []
    assert course.state.army_at["UK1"] == "ART"


def test_5_4__07_obligations_beyond_the_armies_lapse():
    course = fight("ART", {"GE6": "2S"}, dice="6 6 · 1 6", loose={"ART": "UK 2I"}, turn=16)
    assert course.asked("battle.forced") == []
    assert loose(course, "ART") == "UK I"


def test_5_4__06_however_the_hit_was_paid():
    course = fight(
        "ART",
        {"GE6": "S", "UK1": "2I"},
        dice="6 6 · 1",
        answers={"battle.ersatz": [Ersatz(("OFF",))]},
        hands={"EN": "OFF"},
        turn=16,
    )
    assert left(course)["UK1"] == "2I"
    assert course.state.army_at["UK1"] != "ART"


def test_5_4__08_a_forced_army_loses_its_siege_guns():
    """TTLM-8.3.3-06"""
    course = fight(
        "MET",
        {"FR3": "T I", "GE5": "3I G"},
        dice="6 6 6 · 6 · 1",
        answers={"battle.loss": [loss("GE5 I")]},
        phasing="EN",
        turn=16,
    )
    assert left(course)["GE5"] == "2I"
    assert course.state.army_at["GE5"] != "MET"
    assert [fact.why for fact in course.told(UnitsLost)] == ["combat", "retreat"]


def test_8_3_3__06_guns_may_be_dropped_in_a_voluntary_retreat():
    """TTLM-8.3.6-04, TTLM-5.5-03 What stays loose before the enemy is lost at the battle's end."""
    course = fight(
        "MET",
        {"FR3": "I", "GE5": "2I", "GE6": "I G P"},
        dice="6 6 6 · 6",
        answers={"GE battle.retreat": [(Goal("SAA", "GE6", (("GE.G", 1),)),)]},
        phasing="EN",
        turn=16,
    )
    assert loose(course, "MET") == "GE G"  # GE5 keeps it company
    assert left(course)["GE6"] == "I"  # the Paris Gun went down with the move
    ask = asked_instead(field("MET", {"FR3": "I"}, loose={"MET": "GE G, GE I"}, phasing="EN"), "MET")
    assert refused(ask, goals("GE G>SAA")) == ("TTLM-8.3.3-06", "never-retreats")


# ------------------------------------------------------------------ 5.4.3 cavalry


def test_5_4_3__01_each_cavalry_to_an_area_of_its_own():
    course = fight(
        "HAI",
        {"GE1": "I"},
        dice="6 · 6",
        answers={"EN battle.cavalry": [goals("FR C>MAU", "FR C>LIL")]},
        loose={"HAI": "FR 2C, FR I"},
        **WAY,
    )
    assert (loose(course, "MAU"), loose(course, "LIL")) == ("FR C", "FR C")
    assert rolls(course) == [("defence.F1", 1), ("attack.F1", 1)]


def test_5_4_3__02_cavalry_leaves_its_army():
    course = fight(
        "HAI", {"GE1": "I", "FR5": "I C"}, "6 · 6", {"EN battle.cavalry": [goals("FR C:FR5>MAU")]}, **WAY
    )
    assert left(course)["FR5"] == "I"
    assert loose(course, "MAU") == "FR C"


def test_8_3_1__03_only_cavalry_retreats_before_combat():
    seen: list[tuple[str, str] | None] = []

    def look(ask):
        seen.extend(refused(ask, one) for one in (goals("FR I>MAU"), goals("FR5>MAU"), goals("FR C>MAU")))
        return ()

    fight(
        "HAI",
        {"GE1": "I", "FR5": "I"},
        "6 6 6 · 6",
        {"EN battle.cavalry": [look]},
        loose={"HAI": "FR C, FR I"},
    )
    assert seen == [("TTLM-8.3.1-03", "cavalry-only"), ("TTLM-8.3.1-03", "cavalry-only"), None]


def test_5_4_3__03_an_army_emptied_of_its_cavalry_is_lost_without_infantry():
    """TTLM-8.1-10"""
    course = fight("HAI", {"GE1": "I", "FR5": "C"}, "", {"EN battle.cavalry": [goals("FR C:FR5>MAU")]}, **WAY)
    assert course.told(BattleEnded) == [BattleEnded("HAI", fought=False)]
    assert "FR5" in course.state.eliminated
    assert course.state.owner["HAI"] == "GE"


# ------------------------------------------------------------------ unsaid


def test_5_4__04_unsaid_forced_armies_go_where_most_friends_are():
    """D40 Friendly before Disputed, then own strength, then the nearest source, then by id."""

    def to(**more):
        state = field("STQ", {"GE2": "I", "FR3": "2I", **more.pop("armies", {})}, turn=16, **more)
        step = defender_retreats(state, battle_in(state, "STQ"), 1)
        next(step)
        return step.send(None).default

    owner = {"LAO": "GE", "MAU": "GE"}
    assert to(owner=owner, armies={"UK4": "COM: 3I", "UK2": "PIC: 2I"}) == goals("FR3>COM")
    assert to(owner=owner) == goals("FR3>ART")  # one step from Calais, as Compiègne from Normandy: by id
    disputed = {"UK4": "ART: 3I", "GE6": "ART: I"}
    assert to(owner=owner | {"PIC": "GE"}, armies=disputed) == goals("FR3>COM")
