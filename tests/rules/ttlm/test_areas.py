"""TTLM 0, 1.2.2, 1.4, 4.1: presence, control, status and owners of areas, stacking, what armies hold."""

from __future__ import annotations

import pytest

from engine.games.to_the_last_man.answers import Goal
from engine.games.to_the_last_man.facts.board import AreaEntered, OwnerChanged
from engine.games.to_the_last_man.facts.force import ArmyEliminated
from engine.games.to_the_last_man.report import Report
from engine.games.to_the_last_man.rules.areas import (
    has_control,
    has_infantry,
    has_presence,
    room,
    stack,
    status,
)
from engine.games.to_the_last_man.rules.pieces import refuses
from engine.games.to_the_last_man.rules.retreat_moves import retreat_move
from engine.games.to_the_last_man.rules.supply import supplied, supply_check
from engine.games.to_the_last_man.state import INFANTRY
from engine.kernel.requests import Seat
from tests.rules.ttlm.acts import do, end, holds, rail, shift, walk, why
from tests.rules.ttlm.drawn import PACK, Drawing, drawn, play

# ------------------------------------------------------------------ 0 conventions


def test_0__01_friend_and_foe_go_by_side_not_by_nation():
    state = drawn(armies={"UK1": ("LIL", "I")}, loose={"LIL": "FR I, BE I"})
    assert PACK.side_of["UK"] == PACK.side_of["BE"] == PACK.side_of["FR"] == PACK.side_of["US"] == "EN"
    assert stack(state, "LIL", "EN") == 3
    assert status(state, "LIL", "EN") == "friendly"
    assert status(state, "LIL", "GE") == "enemy"


def test_0__02_infantry_types_and_auxiliaries():
    assert INFANTRY == ("I", "CW", "S")
    assert [t for t, row in PACK.types.items() if row.cls == "infantry"] == ["I", "CW", "S"]
    assert [t for t, row in PACK.types.items() if row.cls == "auxiliary"] == ["C", "A", "G", "B", "T", "P"]
    state = drawn(loose={"LIE": "GE A C G, UK CW", "NAM": "GE S"})
    assert not has_infantry(state, "LIE", "GE")
    assert has_infantry(state, "LIE", "EN")
    assert has_infantry(state, "NAM", "GE")


@pytest.mark.parametrize(
    ("drawing", "present"),
    [
        ({"loose": {"VER": "FR A"}}, True),
        ({"armies": {"FR3": ("VER", "B")}}, True),
        ({"armies": {"FR3": ("VER", "")}}, False),
        ({"forts": {"VER": 2}}, True),
        ({"forts": {"VER": 1}}, False),
        ({"forts": {"VER": 0}}, False),
        ({}, False),
    ],
)
def test_0__03_presence_is_everybody_but_empty_armies_and_weak_forts(drawing, present):
    assert has_presence(drawn(**drawing), "VER", "EN") is present


@pytest.mark.parametrize(
    ("units", "controls"),
    [
        ("I", True),
        ("S", True),
        ("C", True),
        ("T", True),
        ("A", False),
        ("G", False),
        ("B", False),
        ("P", False),
    ],
)
def test_0__04_who_controls(units, controls):
    assert has_control(drawn(loose={"VER": f"GE {units}"}), "VER", "GE") is controls
    assert has_control(drawn(armies={"GE5": ("VER", units)}), "VER", "GE") is controls


def test_0__04_forts_control_from_strength_2_and_empty_armies_never():
    assert has_control(drawn(forts={"VER": 2}), "VER", "EN")
    assert not has_control(drawn(forts={"VER": 1}, armies={"FR3": ("VER", "")}), "VER", "EN")


def test_0__05_status():
    state = drawn(loose={"LIE": "GE I, BE I", "NAM": "FR I"}, owner={"BRU": "GE"})
    assert [status(state, area, "GE") for area in ("LIE", "NAM", "BRU")] == ["disputed", "enemy", "friendly"]
    assert [status(state, area, "EN") for area in ("LIE", "NAM", "BRU")] == ["disputed", "friendly", "enemy"]
    state.owner["LUX"] = ""
    assert status(state, "LUX", "GE") == status(state, "LUX", "EN") == "neutral"


def test_0__06_the_owner_changes_by_entry_and_by_passing_through():
    state = drawn(loose={"TRI": "GE C"})
    course = do(state, walk("TRI-ARD-SED", "GE C"))
    assert [(fact.area, fact.side) for fact in course.told(OwnerChanged)] == [("ARD", "GE"), ("SED", "GE")]
    assert (state.owner["ARD"], state.owner["SED"]) == ("GE", "GE")


def test_0__06_the_owner_changes_when_the_enemy_leaves_or_starves():
    state = drawn(loose={"NAM": "GE I, FR I"}, owner={"LIE": "GE"})
    play(state, retreat_move(state, "EN", Goal("MAU", units=(("FR.I", 1),)), "NAM"))
    do(state, walk("NAM-LIE", "GE I"))
    assert (state.owner["NAM"], state.owner["LIE"]) == ("EN", "GE")  # nobody had the area for himself
    cut_off = drawn(loose={"ANT": "FR I, GE I"}, owner={"FLA": "GE", "BRU": "GE", "LIE": "GE"})
    play(cut_off, supply_check(cut_off))
    assert cut_off.owner["ANT"] == "GE"


def test_0__06_whoever_stays_takes_the_area_when_the_other_moves_out():
    state = drawn(loose={"NAM": "GE I, FR I"}, owner={"LIE": "GE", "NAM": "GE"})
    course = do(state, walk("NAM-LIE", "GE I"))
    assert course.told(OwnerChanged) == [OwnerChanged("NAM", "EN")]


def test_0__07_lone_guns_leave_the_area_to_its_owner():
    beyond = {"LUX": "EN", "VER": "GE"}  # reached through the Ardennes only
    state = drawn(phasing="EN", offensive="", loose={"ARD": "GE A", "SED": "FR I"}, owner=beyond)
    assert (status(state, "ARD", "GE"), status(state, "ARD", "EN")) == ("enemy", "friendly")
    assert "ARD" not in supplied(state, "GE")
    assert supplied(drawn(owner=beyond), "EN") - supplied(state, "EN") == {"LUX"}
    course = do(state, walk("SED-ARD", "FR I"))
    assert status(state, "ARD", "EN") == "disputed"  # also in a Pass
    assert course.told(AreaEntered) == []  # and nobody must fight there


def test_0__08_if_both_are_gone_the_stored_owner_keeps_the_area():
    state = drawn(loose={"ANT": "FR I, GE I"})
    state.owner.update(FLA="", BRU="", LIE="")  # cut off from both sides
    play(state, supply_check(state))
    assert state.loose["ANT"] == []
    assert state.owner["ANT"] == "EN"


def test_0__11_a_winter_belongs_to_the_year_in_which_it_begins():
    assert drawn(turn=3).year == 1914
    assert drawn(turn=4).year == 1915
    assert drawn(turn=7).year == 1915
    army: Drawing = {"armies": {"GE1": ("COL", "A")}, "loose": {"COL": "GE A"}}
    assert why(drawn(turn=3, **army), shift("COL", "GE A", into="GE1")) == ("TTLM-8.3.2-03", "artillery-cap")
    assert why(drawn(turn=4, **army), shift("COL", "GE A", into="GE1")) is None


def test_0__12_turn_numbers():
    tags = {
        1: "1914-SU",
        2: "1914-AU",
        3: "1914-WI",
        4: "1915-SP",
        6: "1915-AU",
        12: "1917-SP",
        16: "1918-SP",
    }
    assert {n: PACK.turns[n].tag for n in tags} == tags
    assert (PACK.turns[12].tag, PACK.turns[23].tag) == ("1917-SP", "1919-WI")


def test_0__13_what_the_other_side_sees():
    state = drawn(
        armies={"GE1": ("AAC", "3I A, E")}, loose={"LIE": "BE I E"}, forts={"LIE": 3}, hands={"GE": "OFF ER2"}
    )
    mine, theirs = Report(state)(Seat("GE")), Report(state)(Seat("EN"))
    assert mine.contents == {"GE1": (("GE.A", 1), ("GE.I", 3))}
    assert theirs.contents == {}
    assert (mine.hand, theirs.hand, theirs.hand_sizes["GE"]) == (("ER2", "OFF"), (), 2)
    assert theirs.entrenched == ("GE1",)
    assert theirs.dug_in == {"LIE": {"EN": (("BE.I", 1),)}}
    assert (theirs.forts, theirs.army_at, theirs.holding) == ({"LIE": 3}, {"GE1": "AAC"}, {"GE1": True})


def test_0__13_a_move_of_an_army_shows_where_it_goes_and_not_what_it_holds():
    state = drawn(armies={"GE1": ("AAC", "3I A")}, loose={"AAC": "GE I"})
    shown = do(state, walk("AAC-COL", army="GE1")).seen("EN")[0]
    assert (shown.army, shown.path) == ("GE1", ("AAC", "COL"))
    assert "GE.I" not in repr(shown)
    hidden = do(state, walk("AAC-COL", "GE I", into="GE1")).seen("EN")[0]
    assert (hidden.units, hidden.into_army) == ((("GE.I", 1),), True)
    assert "GE1" not in repr(hidden)


# ------------------------------------------------------------------ 1.2.2 stacking


def test_1_2_2__01_three_units_of_a_side_and_each_side_for_itself():
    state = drawn(
        turn=16,
        phasing="EN",
        armies={"UK1": ("ART", "I")},
        loose={"ART": "FR I, US I, GE 3I", "PIC": "FR I"},
    )
    assert why(state, walk("PIC-ART", "FR I")) == ("TTLM-1.2.2-01", "no-room")
    state = drawn(turn=16, phasing="EN", loose={"ART": "FR I, US I, GE 3I", "PIC": "FR I"})
    do(state, walk("PIC-ART", "FR I"))
    assert stack(state, "ART", "EN") == stack(state, "ART", "GE") == 3


def test_1_2_2__02_an_army_counts_one_and_so_does_each_loose_unit():
    state = drawn(armies={"GE1": ("AAC", "5I A C")}, loose={"AAC": "GE I C"})
    assert stack(state, "AAC", "GE") == 3


def test_1_2_2__03_forts_and_empty_armies_count_nothing():
    state = drawn(armies={"FR3": ("VER", ""), "FR4": ("VER", "")}, forts={"VER": 4}, loose={"VER": "FR 2I"})
    assert stack(state, "VER", "EN") == 2
    assert room(state, "VER", "EN") == 1


def test_1_2_2__04_the_limit_holds_in_the_middle_of_movement():
    state = drawn(loose={"TRI": "GE C", "ARD": "GE 3I"}, owner={"ARD": "GE", "LIE": "GE"})
    assert why(state, walk("TRI-ARD-LIE", "GE C")) == ("TTLM-1.2.2-06", "full-on-the-way")
    state.loose["ARD"].pop()
    assert why(state, walk("TRI-ARD-LIE", "GE C")) is None


def test_1_2_2__05_into_and_out_of_an_army_in_a_full_area():
    drawing: Drawing = {"armies": {"GE1": ("AAC", "2I")}, "loose": {"AAC": "GE 2I", "COL": "GE I"}}
    assert why(drawn(**drawing), walk("COL-AAC", "GE I")) == ("TTLM-1.2.2-01", "no-room")
    state = drawn(**drawing)
    do(state, walk("COL-AAC", "GE I", into="GE1"))
    assert (holds(state, "GE1"), stack(state, "AAC", "GE")) == ("3I", 3)
    state = drawn(**drawing)
    assert why(state, shift("AAC", "GE I", source="GE1")) == ("TTLM-1.2.2-01", "no-room")
    do(state, walk("AAC-COL", "GE I", source="GE1"))
    assert holds(state, "COL") == "2I"


def test_1_2_2__06_nobody_passes_a_full_area_by_rail():
    state = drawn(loose={"COL": "GE I", "COB": "GE 3I"})
    assert why(state, rail("COL-COB-PAL", "GE I")) == ("TTLM-1.2.2-06", "full-on-the-way")
    assert why(state, rail("COL-AAC", "GE I")) is None


def test_1_2_2__07_an_army_enters_a_full_area_by_absorbing_at_once():
    state = drawn(armies={"GE1": ("COL", "2I")}, loose={"AAC": "GE 3I"})
    assert why(state, walk("COL-AAC", army="GE1")) == ("TTLM-1.2.2-01", "no-room")
    do(state, walk("COL-AAC", army="GE1", absorb="GE I"))
    assert (holds(state, "GE1"), stack(state, "AAC", "GE")) == ("3I", 3)


def test_1_2_2__08_an_empty_army_enters_a_full_area_but_takes_nobody_in_who_would_be_the_fourth():
    state = drawn(armies={"GE1": ("COL", ""), "GE2": ("AAC", "3I")}, loose={"AAC": "GE 2I", "COL": "GE I"})
    do(state, walk("COL-AAC", army="GE1"))
    assert why(state, walk("COL-AAC", "GE I", into="GE1")) == ("TTLM-1.2.2-01", "no-room")
    assert why(state, shift("AAC", "GE I", source="GE2", into="GE1")) == ("TTLM-1.2.2-01", "no-room")
    assert why(state, shift("AAC", "GE I", into="GE1")) is None  # a loose unit less, an army more
    assert why(state, shift("AAC", "GE 3I", source="GE2", into="GE1")) is None  # GE2 is empty then


def test_1_2_2__09_the_box_has_no_limit():
    state = drawn(loose={"EFT": "GE 6I", "COL": "GE I"})
    do(state, walk("COL-EFT", "GE I"))
    assert holds(state, "EFT") == "7I"


def test_1_2_2__10_england_has_the_limit_and_empty_armies_count_nothing_there():
    state = drawn(
        phasing="EN", armies={"UK3": ("ENG", ""), "UK4": ("ENG", "")}, loose={"ENG": "UK 2I C", "CAL": "UK I"}
    )
    assert stack(state, "ENG", "EN") == 3
    assert why(state, walk("CAL-ENG", "UK I", mode="sea")) == ("TTLM-1.2.2-01", "no-room")


# ------------------------------------------------------------------ 1.4 army templates


@pytest.mark.parametrize(
    ("army", "full", "more"),
    [
        ("GE1", "5I", "GE I"),
        ("FR1", "4I", "FR I"),
        ("BE1", "3I", "US I"),
        ("UK1", "3I CW", "UK I"),
        ("US1", "6I", "US I"),
        ("FR1", "A C T", "FR C"),
    ],
)
def test_1_4__01_slots_are_a_hard_limit(army, full, more):
    area = "AAC" if army == "GE1" else "TRO"
    state = drawn(
        turn=20, phasing="GE" if army == "GE1" else "EN", armies={army: (area, full)}, loose={area: more}
    )
    assert why(state, shift(area, more, into=army)) == ("TTLM-1.4-01", "no-slot")


def test_1_4__01_infantry_slots_and_auxiliary_slots_are_apart():
    state = drawn(turn=20, armies={"GE1": ("AAC", "4I S")}, loose={"AAC": "GE C"})
    do(state, shift("AAC", "GE C", into="GE1"))
    assert holds(state, "GE1") == "C 4I S"
    assert refuses(state, "GE1", ["GE.I.20"]) == "TTLM-1.4-01"


def test_1_4__02_a_counter_is_in_one_place_and_their_number_is_fixed():
    """Nothing moves that is not there, and what is lost lies in the pool again."""
    state = drawn(loose={"ANT": "BE 3I"}, owner={"FLA": "GE", "BRU": "GE", "LIE": "GE"})
    assert state.pool["BE"] == []
    with pytest.raises(AssertionError):
        drawn(loose={"ANT": "BE 4I"})
    assert why(state, walk("ANT-BRU", "BE 4I"), "EN") == ("TTLM-4.1-01", "units-not-there")
    play(state, supply_check(state))
    assert state.pool["BE"] == list(PACK.units_of["BE"])


# ------------------------------------------------------------------ 4.1 status


def test_4_1__05_friendly_enemy_disputed_neutral():
    state = drawn(loose={"AAC": "GE I", "LIE": "BE I"})
    assert status(state, "LIE", "GE") == "enemy"
    do(state, walk("AAC-LIE", "GE I"))
    assert status(state, "LIE", "GE") == status(state, "LIE", "EN") == "disputed"
    assert status(state, "AAC", "GE") == "friendly"  # own units were the last there


def test_4_1__06_the_status_changes_at_once():
    state = drawn(loose={"TRI": "GE C", "LUX": "GE I"})
    do(state, walk("LUX-ARD", "GE I"), walk("TRI-ARD-NAM", "GE C"))
    assert state.owner["NAM"] == "GE"


def test_4_1__07_an_occupied_enemy_area_becomes_disputed_and_a_battle_area():
    state = drawn(armies={"GE1": ("AAC", "3I"), "GE2": ("AAC", "3I")}, loose={"LIE": "BE I"})
    course = do(state, walk("AAC-LIE", army="GE1"))
    assert course.told(AreaEntered) == [AreaEntered("LIE")]
    assert do(state, walk("AAC-LIE", army="GE2")).told(AreaEntered) == []  # once
    assert state.entered == ["LIE"]
    assert state.owner["LIE"] == "EN"


def test_4_1__08_an_enemy_area_without_presence_is_taken_at_once():
    state = drawn(armies={"GE3": ("TRI", "3I")})
    course = do(state, walk("TRI-ARD", army="GE3"))
    assert course.told(AreaEntered) == []
    assert status(state, "ARD", "GE") == "friendly"


def test_4_1__09_an_area_left_empty_keeps_its_owner():
    state = drawn(armies={"GE1": ("LIE", "3I")}, owner={"LIE": "GE"})
    do(state, walk("LIE-AAC", army="GE1"))
    assert (state.owner["LIE"], status(state, "LIE", "EN")) == ("GE", "enemy")


def test_4_1__10_neutral_areas_are_closed():
    assert all(area not in PACK.areas for area in ("HOL", "NED", "NET"))
    state = drawn(armies={"GE1": ("AAC", "3I")})
    state.owner["LIE"] = ""
    assert why(state, walk("AAC-LIE", army="GE1")) == ("TTLM-4.1-10", "neutral")
    assert why(state, walk("AAC-NED", army="GE1")) == ("TTLM-4.2-05", "no-such-area")


def test_4_1__11_every_home_area_is_friendly_to_its_owner_in_1914():
    state = drawn()
    for area, row in PACK.areas.items():
        german = row.country in ("GE", "LU")
        assert status(state, area, "GE") == ("friendly" if german else "enemy"), area
    assert all(area in PACK.scenarios["1915"].german for area in ("LIE", "BRU", "ANT"))


# ------------------------------------------------------------------ the rulebook's example


def test_r_01_area_status():
    """TTLM-4.1-07, TTLM-4.1-09, TTLM-4.2-03"""
    state = drawn(armies={"GE1": ("LIE", "3I")}, owner={"LIE": "GE"}, forts={"ANT": 3}, loose={"NAM": "FR I"})
    do(state, walk("LIE-ANT", army="GE1"))
    assert status(state, "ANT", "GE") == status(state, "ANT", "EN") == "disputed"
    assert state.entered == ["ANT"]
    assert state.owner["LIE"] == "GE"
    state.phasing, state.offensive = "EN", ""
    assert why(state, walk("NAM-LIE", "FR I")) == ("TTLM-2.II.1-05", "enemy-area-in-a-pass")
    state.offensive = "OFF"
    course = do(state, walk("NAM-LIE", "FR I"))
    assert course.state.owner["LIE"] == "EN"


def test_c_73_an_empty_army_is_overrun():
    """TTLM-8.1-13, TTLM-8.1-10"""
    state = drawn(
        turn=4,
        offensive="LIM",
        armies={"FR9": ("CHA", ""), "FR5": ("CHT", "I")},
        loose={"REI": "GE 2I"},
        owner={"REI": "GE"},
    )
    course = do(state, walk("REI-CHA", "GE I"))
    assert [(fact.army, fact.why) for fact in course.told(ArmyEliminated)] == [("FR9", "overrun")]
    assert state.eliminated == ["FR9"]
    assert (state.owner["CHA"], state.entered) == ("GE", [])
    do(state, walk("REI-CHT", "GE I"))  # the one occupied Enemy area
    assert state.entered == ["CHT"]
    assert end(state).told(ArmyEliminated) == []


def test_c_77_lone_artillery_in_an_empty_enemy_area():
    """TTLM-0-07, TTLM-6.2-04"""
    state = drawn(loose={"TRI": "GE A"})
    do(state, walk("TRI-ARD", "GE A"))
    assert (state.owner["ARD"], state.entered, end(state).facts) == ("EN", [], [])
    assert "ARD" not in supplied(state, "GE")
    state.phasing = "EN"
    state.loose["NAM"] = ["FR.I.01"]
    state.was_friendly = ["NAM", "ARD", "SED"]
    assert why(state, rail("NAM-ARD-SED", "FR I")) == ("TTLM-0-07", "enemy-on-the-way")
    play(state, supply_check(state))
    assert state.loose["ARD"] == []
