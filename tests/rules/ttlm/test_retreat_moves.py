"""TTLM 5.4-01 to -05, -09, 8.3.3-06, 8.3.6-04: where pieces may retreat to, one by one and together."""

from __future__ import annotations

import pytest

from engine.games.to_the_last_man.answers import Goal
from engine.games.to_the_last_man.facts.board import ArmyMoved, UnitsMoved
from engine.games.to_the_last_man.facts.force import UnitsLost
from engine.games.to_the_last_man.rules.areas import settle, stack
from engine.games.to_the_last_man.rules.retreat_moves import (
    retreat_areas,
    retreat_move,
    why_not_retreat,
    why_not_retreats,
)
from tests.rules.ttlm.acts import group, holds
from tests.rules.ttlm.drawn import drawn, play


def refused(state, goal, area="NAM", side="EN"):
    refusal = why_not_retreat(state, side, area, goal)
    return None if refusal is None else (refusal.rule, refusal.reason)


def together(state, *goals, area="NAM", side="EN"):
    refusal = why_not_retreats(state, side, area, goals)
    return None if refusal is None else (refusal.rule, refusal.reason)


def go(state, goal, area="NAM", side="EN"):
    assert refused(state, goal, area, side) is None
    return play(state, retreat_move(state, side, goal, area))


def infantry(to, number=1, **named):
    return Goal(to, units=(("FR.I", number),), **named)


def test_5_4__01_to_an_adjacent_friendly_or_disputed_area():
    state = drawn(
        armies={"FR5": ("NAM", "2I")}, loose={"NAM": "GE I", "HAI": "GE I, BE I"}, owner={"LIE": "GE"}
    )
    assert retreat_areas(state, "EN", "NAM") == ("ARD", "BRU", "HAI", "MAU", "SED")
    assert refused(state, Goal("HAI", "FR5")) is None
    assert refused(state, Goal("LIE", "FR5")) == ("TTLM-5.4-01", "retreat-to-enemy")
    assert refused(state, Goal("PAR", "FR5")) == ("TTLM-5.4-01", "not-adjacent")
    assert refused(state, Goal("NED", "FR5")) == ("TTLM-4.2-05", "no-such-area")
    refusal = why_not_retreat(state, "EN", "NAM", Goal("PAR", "FR5"))
    assert refusal is not None and refusal.facts["legal"] == ("ARD", "BRU", "HAI", "MAU", "SED")


def test_5_4__02_what_has_retreated_is_marked_with_all_it_holds():
    state = drawn(armies={"FR5": ("NAM", "I C")}, loose={"NAM": "GE I, FR I"})
    go(state, Goal("MAU", "FR5"))
    go(state, infantry("SED"))
    assert state.retreated == ["FR.C.01", "FR.I.01", "FR.I.02", "FR5"]
    assert state.steps == {} and state.moved == []


def test_5_4__03_stacking_holds_but_a_unit_may_enter_an_army():
    state = drawn(armies={"FR5": ("MAU", "2I")}, loose={"NAM": "FR I, GE I", "MAU": "FR 2C"})
    assert refused(state, infantry("MAU")) == ("TTLM-5.4-03", "no-room")
    go(state, infantry("MAU", into="FR5"))
    assert holds(state, "FR5") == "3I"
    assert refused(drawn(loose={"NAM": "FR I, GE I"}), infantry("MAU", into="FR5")) == (
        "TTLM-8.1-01",
        "army-elsewhere",
    )


def test_5_4__03_room_is_shared_out_among_all_that_go():
    state = drawn(
        armies={"FR5": ("NAM", "I"), "FR4": ("NAM", "I")}, loose={"NAM": "FR I, GE I", "MAU": "FR C"}
    )
    assert together(state, Goal("MAU", "FR5"), Goal("MAU", "FR4")) is None
    assert together(state, Goal("MAU", "FR5"), Goal("MAU", "FR4"), infantry("MAU")) == (
        "TTLM-5.4-03",
        "no-room",
    )
    assert together(state, Goal("MAU", "FR5"), Goal("MAU", "FR4"), infantry("SED")) is None
    assert together(state, infantry("SED"), infantry("MAU")) == ("TTLM-4.1-01", "units-not-there")
    assert together(state, Goal("MAU", "FR5"), Goal("SED", "FR5")) == ("TTLM-5.4-01", "named-twice")


def test_5_4__03_slots_are_shared_out_too():
    state = drawn(armies={"FR5": ("MAU", "3I")}, loose={"NAM": "FR 2I, GE I"})
    one = infantry("MAU", into="FR5")
    assert together(state, one) is None
    assert together(state, one, one) == ("TTLM-1.4-01", "no-slot")


def test_5_4__05_units_leave_armies_and_join_others_on_the_way():
    state = drawn(armies={"FR5": ("NAM", "2I C"), "FR4": ("MAU", "I")}, loose={"NAM": "GE I"})
    course = go(state, Goal("MAU", units=group("FR I C"), source="FR5", into="FR4"))
    assert (holds(state, "FR5"), holds(state, "FR4")) == ("I", "C 2I")
    assert [(fact.way, fact.steps) for fact in course.told(UnitsMoved)] == [("retreat", 0)]
    assert refused(state, Goal("MAU", units=group("FR I"), source="UK1")) == ("TTLM-8.1-01", "army-elsewhere")
    uk = drawn(armies={"UK1": ("MAU", "I")}, loose={"NAM": "FR I, GE I"})
    assert refused(uk, infantry("MAU", into="UK1")) == ("TTLM-8.1-02", "wrong-nation")


def test_5_4__09_nobody_retreats_twice_of_his_own_will():
    state = drawn(armies={"FR5": ("NAM", "I")}, loose={"NAM": "FR I, GE I"}, retreated=["FR.I.02", "FR5"])
    assert refused(state, Goal("MAU", "FR5")) == ("TTLM-5.4-09", "retreated-already")
    assert refused(state, infantry("MAU")) == ("TTLM-5.4-09", "retreated-already")
    state.retreated = ["FR.I.01"]
    assert refused(state, Goal("MAU", "FR5")) == ("TTLM-5.4-09", "retreated-already")
    assert refused(state, infantry("MAU")) is None


@pytest.mark.parametrize(("type_", "rule"), [("G", "TTLM-8.3.3-06"), ("P", "TTLM-8.3.6-04")])
def test_8_3_3__06_siege_guns_never_retreat_and_are_lost_with_their_army(type_, rule):
    """TTLM-8.3.6-04"""
    state = drawn(turn=17, armies={"GE2": ("LIE", f"2I {type_}")}, loose={"LIE": "BE I"})
    assert refused(state, Goal("AAC", units=group(f"GE {type_}"), source="GE2"), "LIE", "GE") == (
        rule,
        "never-retreats",
    )
    course = go(state, Goal("AAC", "GE2"), "LIE", "GE")
    assert [(fact.units, fact.why) for fact in course.told(UnitsLost)] == [((f"GE.{type_}.01",), "retreat")]
    assert holds(state, "GE2") == "2I"


def test_8_3_3__06_they_may_be_dropped_first_within_stacking():
    state = drawn(armies={"GE2": ("LIE", "3I 2G")}, loose={"LIE": "GE I, BE I"})
    course = go(state, Goal("AAC", "GE2", left=group("GE 2G")), "LIE", "GE")
    assert (holds(state, "LIE"), holds(state, "GE2"), course.told(UnitsLost)) == ("2G I", "3I", [])
    assert [fact.left for fact in course.told(ArmyMoved)] == [("GE.G.01", "GE.G.02")]
    assert stack(state, "LIE", "GE") == 3
    full = drawn(armies={"GE2": ("LIE", "3I 2G")}, loose={"LIE": "GE 2I, BE I"})
    assert refused(full, Goal("AAC", "GE2", left=group("GE 2G")), "LIE", "GE") == ("TTLM-1.2.2-01", "no-room")
    assert refused(full, Goal("AAC", "GE2", left=group("GE G")), "LIE", "GE") is None
    leaving = (Goal("AAC", units=group("GE 2I")), Goal("AAC", "GE2", left=group("GE 2G")))
    assert together(full, *leaving, area="LIE", side="GE") is None


def test_8_1__06_an_empty_army_needs_no_room_in_retreat():
    state = drawn(armies={"FR5": ("NAM", "")}, loose={"NAM": "GE I, FR I", "MAU": "FR 3I"})
    go(state, Goal("MAU", "FR5"))
    assert state.army_at["FR5"] == "MAU"


def test_0__08_when_both_have_left_the_area_is_the_defenders_who_left_last():
    state = drawn(loose={"NAM": "GE I, FR I"}, owner={"LIE": "GE"})
    go(state, Goal("LIE", units=group("GE I")), side="GE")
    play(state, settle(state, "NAM"))
    go(state, infantry("MAU"))
    play(state, settle(state, "NAM"))
    assert state.owner["NAM"] == "EN"


def test_c_41_retreat_and_stacking():
    """TTLM-5.4-03, TTLM-1.2.2-05"""
    state = drawn(armies={"UK1": ("CAL", "2I")}, loose={"CAL": "UK 2I", "FLA": "UK I, GE I"})
    goal = Goal("CAL", units=group("UK I"))
    assert refused(state, goal, "FLA") == ("TTLM-5.4-03", "no-room")
    go(state, Goal("CAL", units=group("UK I"), into="UK1"), "FLA")
    assert holds(state, "UK1") == "3I"
