"""TTLM 8.1, 15.4.1: what armies hold, shifts within an area, empty armies, armies that are dissolved."""

from __future__ import annotations

import pytest

from engine.games.to_the_last_man.answers import Goal, Suppress
from engine.games.to_the_last_man.facts.board import ArmyMoved, MoveCounted
from engine.games.to_the_last_man.facts.force import ArmyDissolved, ArmyEliminated
from engine.games.to_the_last_man.rules.areas import has_presence, settle, stack, status
from engine.games.to_the_last_man.rules.armies import shift as shift_units
from engine.games.to_the_last_man.rules.armies import why_not_shift
from engine.games.to_the_last_man.rules.retreat_moves import retreat_move
from engine.games.to_the_last_man.rules.supply import supply_check
from engine.games.to_the_last_man.rules.victory import count_victory
from tests.rules.ttlm.acts import changes, do, end, facts, holds, shift, walk, why, withdraw
from tests.rules.ttlm.drawn import Drawing, drawn, play


def refused(refusal):
    return None if refusal is None else (refusal.rule, refusal.reason)


# ------------------------------------------------------------------ 8.1 what an army is


def test_8_1__01_one_unit_for_stacking_one_area_of_movement():
    state = drawn(armies={"GE1": ("AAC", "5I 2C")}, owner={"LIE": "GE", "BRU": "GE"})
    assert stack(state, "AAC", "GE") == 1
    do(state, walk("AAC-LIE", army="GE1"))
    assert why(state, walk("LIE-BRU", army="GE1")) == ("TTLM-4.1-03", "army-spent")


@pytest.mark.parametrize(
    ("unit", "army", "expected"),
    [
        ("US I", "FR8", None),
        ("US I", "UK1", None),
        ("US I", "BE1", None),
        ("US A", "FR8", ("TTLM-8.1-02", "wrong-nation")),
        ("US C", "UK1", ("TTLM-8.1-02", "wrong-nation")),
        ("FR I", "UK1", ("TTLM-8.1-02", "wrong-nation")),
        ("FR I", "US1", ("TTLM-8.1-02", "wrong-nation")),
        ("UK CW", "FR8", ("TTLM-8.1-02", "wrong-nation")),
        ("UK CW", "UK1", None),
    ],
)
def test_8_1__02_own_nation_and_american_infantry(unit, army, expected):
    state = drawn(turn=20, phasing="EN", armies={army: ("TRO", "")}, loose={"TRO": unit})
    assert why(state, shift("TRO", unit, into=army)) == expected


def test_8_1__03_units_enter_and_leave_in_movement_and_retreat():
    state = drawn(armies={"GE1": ("AAC", "2I"), "GE2": ("COL", "I")}, loose={"AAC": "GE I"})
    do(state, shift("AAC", "GE I", into="GE1"), walk("AAC-COL", "GE I", source="GE1", into="GE2"))
    assert (holds(state, "GE1"), holds(state, "GE2")) == ("2I", "2I")
    play(state, retreat_move(state, "GE", Goal("AAC", units=(("GE.I", 1),), source="GE2", into="GE1"), "COL"))
    assert (holds(state, "GE1"), holds(state, "GE2")) == ("3I", "I")


@pytest.mark.parametrize("phase", ["reinforce", "production"])
def test_8_1__03_contents_may_be_changed_in_reinforcement_and_production_without_movement(phase):
    state = drawn(armies={"GE1": ("AAC", "2I"), "GE2": ("AAC", "I")}, phase=phase, moved=["GE.I.01"])
    act = shift("AAC", "GE 2I", source="GE1", into="GE2")
    assert why_not_shift(state, "GE", act) is None
    play(state, shift_units(state, "GE", act))
    assert (holds(state, "GE1"), holds(state, "GE2")) == ("", "3I")
    again = shift("AAC", "GE 3I", source="GE2", into="GE1")
    assert refused(why_not_shift(state, "GE", again)) == ("TTLM-4.1-04", "shifted-already")


def test_8_1__03_what_is_wrong_with_a_shift():
    state = drawn(armies={"GE1": ("AAC", "2I"), "GE2": ("COL", "I")})
    assert why(state, shift("AAC", "GE I", source="GE1", into="GE1")) == ("TTLM-8.1-03", "nobody-named")
    assert why(state, shift("AAC", "", source="GE1")) == ("TTLM-8.1-03", "nobody-named")
    assert why(state, shift("NED", "GE I", source="GE1")) == ("TTLM-4.2-05", "no-such-area")
    assert why(state, shift("AAC", "GE I", source="GE1", into="GE2")) == ("TTLM-8.1-01", "army-elsewhere")
    assert why(state, shift("AAC", "GE 3I", source="GE1")) == ("TTLM-4.1-01", "units-not-there")
    assert facts(state, shift("AAC", "GE 3I", source="GE1"))["there"] == 2
    assert why(state, shift("AAC", "GE I", source="FR1")) == ("TTLM-8.1-01", "no-own-army")


def test_8_1__04_in_an_entrenched_army_newcomers_are_entrenched_too():
    state = drawn(armies={"GE1": ("AAC", "2I E")}, loose={"AAC": "GE I S"}, turn=17)
    do(state, shift("AAC", "GE I S", into="GE1"))
    assert state.entrenched == ["GE1"]  # the army's side of the counter speaks for all I and CW in it


def test_8_1__05_an_entrenched_army_that_moves_flips_back():
    state = drawn(armies={"GE1": ("AAC", "2I E")})
    do(state, walk("AAC-COL", army="GE1"))
    assert state.entrenched == []


def test_8_1__06_an_empty_army_is_nothing_for_stacking_and_presence():
    state = drawn(armies={"GE1": ("AAC", "")}, loose={"AAC": "GE 3I"})
    assert stack(state, "AAC", "GE") == 3
    assert not has_presence(drawn(armies={"GE1": ("LIE", "")}), "LIE", "GE")


def test_8_1__07_emptied_by_want_of_supply_it_is_eliminated_by_its_owner_it_is_only_empty():
    state = drawn(armies={"GE1": ("AAC", "I")})
    do(state, shift("AAC", "GE I", source="GE1"))
    assert (state.contents["GE1"], state.eliminated) == ([], [])
    cut_off = drawn(armies={"FR5": ("ANT", "I")}, owner={"FLA": "GE", "BRU": "GE", "LIE": "GE"})
    play(cut_off, supply_check(cut_off))
    assert cut_off.eliminated == ["FR5"]


def test_8_1__08_an_eliminated_army_changes_the_victory_points():
    state = drawn(armies={"FR9": ("CHA", "")}, loose={"REI": "GE I"}, owner={"REI": "GE"})
    quiet = drawn(loose={"REI": "GE I"}, owner={"REI": "GE"})
    for one in (state, quiet):
        do(one, walk("REI-CHA", "GE I"))
    totals = [play(one, count_victory(one)).facts[0].total for one in (state, quiet)]
    assert totals[0] == totals[1] + 1


# ------------------------------------------------------------------ 8.1 empty armies in danger

ARTOIS: Drawing = {
    "phasing": "EN",
    "armies": {"UK1": ("ART", "3I"), "UK2": ("ART", ""), "GE4": ("ART", "2I")},
}


def test_8_1__09_an_empty_army_leaves_a_disputed_area_by_the_end_of_its_movement_phase():
    state = drawn(**ARTOIS)
    course = end(state)
    assert [(fact.army, fact.path, fact.way) for fact in course.told(ArmyMoved)] == [
        ("UK2", ("ART", "CAL"), "withdraw")
    ]
    state = drawn(**ARTOIS)
    do(state, withdraw("ART-PIC", "UK2"))
    assert changes(end(state)) == []
    assert state.army_at["UK2"] == "PIC"


def test_8_1__09_in_the_enemys_movement_phase_it_stays():
    state = drawn(**{**ARTOIS, "phasing": "GE"})
    assert changes(end(state)) == []


def test_8_1__09_who_need_not_withdraw_may_not():
    state = drawn(phasing="EN", armies={"UK1": ("ART", "I"), "UK2": ("CAL", "")}, loose={"ART": "GE I"})
    assert why(state, withdraw("ART-CAL", "UK1")) == ("TTLM-8.1-09", "army-not-empty")
    assert why(state, withdraw("CAL-PIC", "UK2")) == ("TTLM-8.1-09", "not-disputed")
    assert why(state, walk("ART-CAL", "UK I", source="UK1", mode="withdraw")) == (
        "TTLM-8.1-09",
        "army-alone",
    )


def test_8_1__10_an_empty_army_without_infantry_beside_it_is_eliminated_at_once():
    state = drawn(armies={"FR9": ("CHA", "")}, loose={"REI": "GE I", "CHA": "FR C"}, owner={"REI": "GE"})
    course = do(state, walk("REI-CHA", "GE I"))
    assert [fact.army for fact in course.told(ArmyEliminated)] == ["FR9"]
    guarded = drawn(armies={"FR9": ("CHA", "")}, loose={"REI": "GE I", "CHA": "FR I"}, owner={"REI": "GE"})
    assert do(guarded, walk("REI-CHA", "GE I")).told(ArmyEliminated) == []


def test_8_1__10_so_it_is_when_the_infantry_leaves_it():
    state = drawn(**ARTOIS)
    course = do(state, walk("ART-CAL", army="UK1"))
    assert [(fact.army, fact.why) for fact in course.told(ArmyEliminated)] == [("UK2", "overrun")]


def test_8_1__11_the_withdrawal_is_free_to_a_friendly_area_and_counts_as_a_retreat():
    state = drawn(**{**ARTOIS, "offensive": ""}, loose={"CAL": "FR I", "PIC": "GE I, FR I"})
    do(state, walk("CAL-PIC", "FR I"))
    assert why(state, withdraw("ART-PIC", "UK2")) == ("TTLM-8.1-11", "no-refuge")
    assert facts(state, withdraw("ART-PIC", "UK2"))["legal"] == ("CAL", "LIL", "STQ")
    course = do(state, withdraw("ART-CAL", "UK2"))
    assert course.told(MoveCounted) == []
    assert state.retreated == ["UK2"] and "UK2" not in state.steps
    assert why(state, walk("CAL-FLA", army="UK2")) is not None


def test_8_1__11_disputed_only_if_no_friendly_area_is_there_and_else_it_is_lost():
    near = dict.fromkeys(("CAL", "LIL", "STQ"), "GE")
    state = drawn(**ARTOIS, loose={"PIC": "GE I, FR I"}, owner=near)
    end(state)
    assert state.army_at["UK2"] == "PIC"
    lost = drawn(**ARTOIS, owner={**near, "PIC": "GE"})
    assert [(fact.army, fact.why) for fact in end(lost).told(ArmyEliminated)] == [("UK2", "retreat")]


def test_8_1__11_without_an_order_it_goes_towards_a_source():
    state = drawn(phasing="EN", armies={"FR1": ("TRO", "I"), "FR2": ("TRO", "")}, loose={"TRO": "GE I"})
    end(state)
    assert state.army_at["FR2"] == "BUR"  # a source; ORL is one, too, and comes later
    state = drawn(armies={"GE1": ("TRI", "I"), "GE2": ("TRI", "")}, loose={"TRI": "FR I"})
    end(state)
    assert state.army_at["GE2"] == "COB"


def test_8_1__12_emptied_in_production_it_stays_for_the_time_being():
    state = drawn(**{**ARTOIS, "armies": {**ARTOIS["armies"], "UK2": ("ART", "I")}}, phase="production")
    course = play(state, shift_units(state, "EN", shift("ART", "UK I", source="UK2", into="UK1")))
    assert not course.told(ArmyEliminated) and not course.told(ArmyMoved)
    assert state.army_at["UK2"] == "ART"
    state.phase = "moves"
    end(state)
    assert state.army_at["UK2"] == "CAL"


def test_8_1__13_empty_armies_do_not_hold_an_area():
    state = drawn(armies={"FR8": ("CHA", ""), "FR9": ("CHA", "")}, loose={"REI": "GE A"}, owner={"REI": "GE"})
    course = do(state, walk("REI-CHA", "GE A"))  # a lone gun is presence, and controls nothing
    assert len(course.told(ArmyEliminated)) == 2
    assert (state.owner["CHA"], state.entered) == ("EN", [])
    cavalry = drawn(armies={"FR9": ("CHA", "")}, loose={"REI": "GE C"}, owner={"REI": "GE"})
    do(cavalry, walk("REI-CHA-TRO", "GE C"))  # riding through does it, too
    assert (cavalry.eliminated, cavalry.owner["CHA"], cavalry.owner["TRO"]) == (["FR9"], "GE", "GE")


def test_8_1__13_settling_an_area_twice_changes_nothing():
    state = drawn(**ARTOIS)
    assert play(state, settle(state, "ART")).facts == []
    assert status(state, "ART", "EN") == "disputed"


def test_r_12_an_empty_army_left_by_production():
    """TTLM-8.1-09, TTLM-8.1-12: nothing happens before the battle or the side's own Movement Phase."""
    state = drawn(**{**ARTOIS, "armies": {**ARTOIS["armies"], "UK2": ("ART", "2I"), "UK1": ("ART", "I")}})
    state.phase = "production"
    play(state, shift_units(state, "EN", shift("ART", "UK 2I", source="UK2", into="UK1")))
    state.phase, state.phasing = "moves", "GE"
    assert changes(end(state)) == []
    play(state, retreat_move(state, "EN", Goal("CAL", "UK2"), "ART"))
    assert (state.army_at["UK2"], holds(state, "UK1")) == ("CAL", "3I")


def test_c_61_foreign_units():
    """TTLM-8.1-02"""
    state = drawn(
        turn=20,
        phasing="EN",
        armies={"FR8": ("TRO", "I"), "UK1": ("TRO", "I"), "GE1": ("COL", "I")},
        loose={"TRO": "US I"},
    )
    state.loose["TRO"] += ["US.A.01", "FR.I.20"]
    assert why(state, shift("TRO", "US A", into="FR8")) == ("TTLM-8.1-02", "wrong-nation")
    assert why(state, shift("TRO", "FR I", into="UK1")) == ("TTLM-8.1-02", "wrong-nation")
    assert why(state, shift("TRO", "US I", into="GE1")) == ("TTLM-8.1-01", "no-own-army")
    do(state, shift("TRO", "US I", into="FR8"))
    assert holds(state, "FR8") == "I US.I"


# ------------------------------------------------------------------ 15.4.1


def dissolving(**drawing):
    return drawn(phasing="EN", options={"suppress_armies": True}, **drawing)


def test_15_4_1__01_an_army_is_dissolved_and_its_contents_stay():
    state = dissolving(armies={"FR9": ("PAR", "I C A E")})
    course = do(state, Suppress("FR9"))
    assert course.told(ArmyDissolved) == [ArmyDissolved("EN", "FR9", "PAR")]
    assert (holds(state, "PAR", "EN"), state.dissolved, state.eliminated) == ("FR.A FR.C FR.I", ["FR9"], [])
    assert state.entrenched == []
    assert MoveCounted("pass") not in course.facts


def test_15_4_1__01_or_go_into_other_armies_there():
    state = dissolving(armies={"FR9": ("PAR", "2I A"), "FR8": ("PAR", "3I")}, loose={"PAR": "FR I"})
    do(state, Suppress("FR9"))
    assert (holds(state, "PAR", "EN"), holds(state, "FR8")) == ("2FR.I", "A 4I")
    full = dissolving(armies={"FR9": ("PAR", "4I"), "FR8": ("PAR", "4I")}, loose={"PAR": "FR I"})
    assert why(full, Suppress("FR9")) == ("TTLM-1.2.2-01", "no-room")


def test_15_4_1__01_once_a_season_in_supply_and_only_with_the_option():
    state = dissolving(armies={"FR9": ("PAR", "I"), "FR8": ("PAR", "I"), "FR7": ("ANT", "I")})
    state.owner.update(dict.fromkeys(("FLA", "BRU", "LIE"), "GE"))
    assert why(state, Suppress("FR7")) == ("TTLM-15.4.1-01", "out-of-supply")
    assert why(state, Suppress("GE1")) == ("TTLM-8.1-01", "no-own-army")
    do(state, Suppress("FR9"))
    assert why(state, Suppress("FR8")) == ("TTLM-15.4.1-01", "once-a-season")
    assert why(drawn(phasing="EN", armies={"FR9": ("PAR", "I")}), Suppress("FR9")) == (
        "TTLM-15.4.1-01",
        "option-off",
    )


def test_15_4_1__01_in_a_pass_it_is_not_the_move():
    state = dissolving(offensive="", armies={"FR9": ("PAR", "I")}, loose={"ORL": "FR I"})
    do(state, walk("ORL-PAR", "FR I"), Suppress("FR9"))
    assert holds(state, "PAR", "EN") == "2FR.I"
