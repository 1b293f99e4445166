"""TTLM 2.II.1-05, 2.II.2, 4.1, 4.2, 4.3, 4.7: the Movement Phase, step by step."""

from __future__ import annotations

import pytest

from engine.games.to_the_last_man.answers import DONE, Goal, Move
from engine.games.to_the_last_man.facts.board import AreaEntered, ArmyMoved, MoveCounted, OwnerChanged
from engine.games.to_the_last_man.facts.force import UnitsLost
from engine.games.to_the_last_man.rules.areas import status
from engine.games.to_the_last_man.rules.movement import movement_phase
from engine.games.to_the_last_man.rules.retreat_moves import retreat_move
from engine.games.to_the_last_man.rules.supply import supplied
from tests.rules.ttlm.acts import (
    do,
    end,
    facts,
    holds,
    rail,
    reserves,
    shift,
    walk,
    why,
)
from tests.rules.ttlm.drawn import Drawing, drawn, play

# ------------------------------------------------------------------ 2.II the phase


def test_2_ii_2__01_acts_one_after_the_other_until_nothing_more_is_wanted():
    state = drawn(armies={"GE1": ("AAC", "3I"), "GE2": ("COL", "2I")}, loose={"LIE": "BE I"})
    acts = [walk("AAC-LIE", army="GE1"), walk("COL-AAC", army="GE2"), DONE]
    course = play(state, movement_phase(state, "GE"), {"turn.act": acts})
    assert [ask.at for ask in course.asked("turn.act")] == ["T1.1"] * 3
    assert all(ask.secret and ask.seat == "GE" for ask in course.asks)
    assert state.army_at == {"GE1": "LIE", "GE2": "AAC"}


def test_2_ii_2__01_without_an_order_nothing_moves():
    state = drawn(armies={"GE1": ("AAC", "3I")})
    assert play(state, movement_phase(state, "GE")).facts == []


def test_2_ii_2__02_checks_at_the_end_concern_both_sides():
    state = drawn(
        loose={"PIC": "GE A, FR I", "ART": "GE I, FR A"},
        armies={"GE1": ("LIL", ""), "FR1": ("CAL", "")},
        owner={"LIL": "GE", "HAI": "GE"},
    )
    state.loose["LIL"] += ["FR.I.20", "GE.I.30"]
    state.pool["FR"].remove("FR.I.20")
    state.pool["GE"].remove("GE.I.30")
    course = play(state, movement_phase(state, "GE"))
    assert [(fact.side, fact.area) for fact in course.told(UnitsLost)] == [("EN", "ART"), ("GE", "PIC")]
    assert [fact.way for fact in course.told(ArmyMoved)] == ["withdraw"]
    assert state.army_at == {"FR1": "CAL", "GE1": "HAI"}


@pytest.mark.parametrize("drawing", [{"loose": {"NAM": "FR I"}}, {"forts": {"NAM": 2}}, {}])
def test_2_ii_1__05_a_pass_enters_no_enemy_area_not_even_an_empty_one(drawing):
    state = drawn(offensive="", armies={"GE1": ("LIE", "I")}, owner={"LIE": "GE"}, **drawing)
    assert why(state, walk("LIE-NAM", army="GE1")) == ("TTLM-2.II.1-05", "enemy-area-in-a-pass")


def test_2_ii_1__05_a_pass_moves_one_unit_and_may_enter_disputed_areas():
    state = drawn(offensive="", loose={"LIE": "GE I, BE I", "AAC": "GE 2I"}, owner={"LIE": "GE"})
    assert why(state, walk("AAC-LIE", "GE 2I")) == ("TTLM-2.II.1-05", "one-move-in-a-pass")
    course = do(state, walk("AAC-LIE", "GE I"))
    assert course.told(MoveCounted) == [MoveCounted("pass")]
    assert why(state, walk("AAC-LIE", "GE I")) == ("TTLM-2.II.1-05", "one-move-in-a-pass")


def test_2_ii_1__11_the_pass_move_may_be_of_any_kind():
    drawing: Drawing = {
        "phasing": "EN",
        "offensive": "",
        "armies": {"FR4": ("ORL", "2I"), "UK1": ("ENG", "2I")},
        "loose": {"ORL": "FR I"},
    }
    moves = (
        walk("ORL-PAR", army="FR4"),
        rail("ORL-PAR-COM", army="FR4"),
        walk("ORL-CAL", army="FR4", mode="strat"),
        walk("ENG-CAL", army="UK1", mode="sea"),
        shift("ORL", "FR I", into="FR4"),
        shift("ORL", "FR I", source="FR4"),
    )
    for move in moves:
        state = drawn(**drawing)
        assert MoveCounted("pass") in do(state, move).facts
        assert why(state, walk("ORL-PAR", army="FR4")) == ("TTLM-2.II.1-05", "one-move-in-a-pass")


# ------------------------------------------------------------------ 4.1


def test_4_1__01_one_area_and_two_for_cavalry_and_biplanes():
    owner = {"LIE": "GE", "BRU": "GE", "NAM": "GE", "ARD": "GE"}
    for type_, far in {"I": 1, "S": 1, "A": 1, "G": 1, "T": 1, "P": 1, "C": 2, "B": 2}.items():
        state = drawn(turn=20, loose={"AAC": f"GE {type_}"}, owner=owner)
        assert why(state, walk("AAC-LIE", f"GE {type_}")) is None
        refused = why(state, walk("AAC-LIE-BRU", f"GE {type_}"))
        assert refused == (None if far == 2 else ("TTLM-4.1-01", "too-far"))
    state = drawn(armies={"GE1": ("AAC", "C")}, owner=owner)
    assert why(state, walk("AAC-LIE-BRU", army="GE1")) == ("TTLM-4.1-01", "too-far")
    mixed = drawn(turn=20, loose={"AAC": "GE I C"}, owner=owner)
    assert why(mixed, walk("AAC-LIE-BRU", "GE I C")) == ("TTLM-4.1-01", "too-far")
    assert facts(mixed, walk("AAC-LIE-BRU", "GE I C"))["legal"] == ("COB", "COL", "LIE", "TRI")


def test_4_1__01_only_to_an_adjacent_area():
    state = drawn(armies={"GE1": ("AAC", "I")})
    assert why(state, walk("AAC-NAM", army="GE1")) == ("TTLM-4.1-01", "not-adjacent")
    assert facts(state, walk("AAC-NAM", army="GE1"))["legal"] == ("COB", "COL", "LIE", "TRI")
    assert why(state, walk("AAC-AAC", army="GE1")) == ("TTLM-4.1-01", "no-path")
    assert why(state, walk("AAC", army="GE1")) == ("TTLM-4.1-01", "no-path")
    assert why(state, walk("COL-AAC", army="GE1")) == ("TTLM-8.1-01", "army-elsewhere")
    assert why(state, walk("AAC-LIE", army="FR1")) == ("TTLM-8.1-01", "no-own-army")
    assert why(state, walk("AAC-LIE", "GE I")) == ("TTLM-4.1-01", "units-not-there")
    assert why(state, walk("AAC-LIE")) == ("TTLM-4.1-01", "nobody-named")
    assert why(state, Move(("AAC", "LIE"), units=(("XX.Y", 1),))) == ("TTLM-4.1-01", "nobody-named")


def test_4_1__02_a_change_of_army_is_no_area_but_a_move():
    state = drawn(offensive="", armies={"GE1": ("AAC", "I")}, loose={"AAC": "GE I"})
    course = do(state, shift("AAC", "GE I", into="GE1"))
    assert course.told(MoveCounted) == [MoveCounted("pass")]
    assert state.steps == {}


def test_4_1__03_infantry_that_walked_into_an_army_pins_it():
    drawing: Drawing = {"armies": {"GE5": ("THI", "2I")}, "loose": {"LUX": "GE I"}}
    state = drawn(**drawing)
    do(state, walk("LUX-THI", "GE I", into="GE5"))
    assert why(state, walk("THI-MET", army="GE5")) == ("TTLM-4.1-03", "carried-unit-spent")
    do(state, walk("THI-MET", "GE I", source="GE5"))  # one of the others
    assert why(state, walk("THI-MET", "GE 2I", source="GE5")) == ("TTLM-4.1-03", "allowance-spent")


def test_4_1__03_cavalry_carried_one_area_may_ride_one_more():
    state = drawn(armies={"GE1": ("COL", "I C")})
    do(state, walk("COL-AAC", army="GE1"))
    assert why(state, walk("AAC-TRI", "GE I", source="GE1")) == ("TTLM-4.1-03", "allowance-spent")
    assert why(state, walk("AAC-TRI-LUX", "GE C", source="GE1")) == ("TTLM-4.1-03", "allowance-spent")
    do(state, walk("AAC-TRI", "GE C", source="GE1"))
    assert why(state, walk("TRI-LUX", "GE C")) == ("TTLM-4.1-03", "allowance-spent")


def test_4_1__04_a_shifted_unit_may_be_carried_but_not_shifted_again():
    state = drawn(armies={"GE1": ("AAC", "I"), "GE2": ("AAC", "I")}, loose={"AAC": "GE I"})
    do(state, shift("AAC", "GE I", into="GE1"))
    assert why(state, shift("AAC", "GE 2I", source="GE1", into="GE2")) == ("TTLM-4.1-04", "shifted-already")
    assert why(state, shift("AAC", "GE I", source="GE1", into="GE2")) is None  # the one that was in it before
    do(state, walk("AAC-COL", army="GE1"))
    assert holds(state, "GE1") == "2I"


# ------------------------------------------------------------------ 4.2


def test_4_2__01_from_a_friendly_area_anywhere():
    state = drawn(loose={"AAC": "GE I", "LIE": "GE I, BE I"}, owner={"LIE": "GE"})
    assert [why(state, walk(f"AAC-{to}", "GE I")) for to in ("COL", "LIE")] == [None, None]
    assert why(drawn(loose={"AAC": "GE I", "LIE": "BE I"}), walk("AAC-LIE", "GE I")) is None


def test_4_2__02_from_a_disputed_area_never_to_an_enemy_one():
    state = drawn(loose={"LIE": "GE I, BE I", "NAM": "GE I, FR I"}, owner={"LIE": "GE"})
    assert why(state, walk("LIE-BRU", "GE I")) == ("TTLM-4.2-02", "disputed-to-enemy")
    assert facts(state, walk("LIE-BRU", "GE I"))["legal"] == ("AAC", "NAM")
    assert why(state, walk("LIE-NAM", "GE I")) is None


@pytest.mark.parametrize("type_", ["C", "B"])
def test_4_2__02_nor_with_the_second_step(type_):
    state = drawn(turn=8, loose={"AAC": f"GE {type_}", "LIE": "BE I"})
    assert why(state, walk("AAC-LIE-BRU", f"GE {type_}")) == ("TTLM-4.2-02", "disputed-to-enemy")
    state = drawn(turn=8, loose={"AAC": f"GE {type_}", "LIE": "BE I"}, owner={"NAM": "GE"})
    course = do(state, walk("AAC-LIE-NAM", f"GE {type_}"))
    assert course.told(AreaEntered) == [AreaEntered("LIE")]


def test_4_2__03_enemy_areas_only_in_an_offensive():
    for card in ("OFF", "LIM", "BIG", "GER", "TLM", "FRI"):
        state = drawn(offensive=card, loose={"AAC": "GE I"})
        assert why(state, walk("AAC-LIE", "GE I")) is None
    assert why(drawn(offensive="", loose={"AAC": "GE I"}), walk("AAC-LIE", "GE I")) is not None


def test_4_2__04_a_limited_offensive_enters_one_occupied_enemy_area():
    state = drawn(
        offensive="LIM",
        loose={"AAC": "GE 2I", "TRI": "GE I", "LUX": "GE I C", "LIE": "BE I"},
        forts={"VER": 4},
    )
    do(state, walk("AAC-LIE", "GE I"), walk("TRI-ARD", "GE I"))  # the Ardennes are empty
    assert why(state, walk("LUX-VER", "GE I")) == ("TTLM-4.2-04", "one-entry")
    assert why(state, walk("AAC-LIE", "GE I")) is None
    assert why(state, walk("LUX-ARD-SED", "GE C")) is None


def test_4_2__05_no_sea_and_no_netherlands():
    state = drawn(phasing="EN", armies={"FR1": ("CAL", "I")}, loose={"ENG": "UK I"})
    assert why(state, walk("CAL-ENG", army="FR1")) == ("TTLM-4.6-07", "not-adjacent")
    assert why(state, walk("ENG-CAL", "UK I")) == ("TTLM-4.6-07", "not-adjacent")
    assert why(state, walk("CAL-DOV", army="FR1")) == ("TTLM-4.2-05", "no-such-area")


def test_4_2__06_from_an_area_that_is_still_enemy_back_only():
    state = drawn(loose={"ARD": "GE A"})
    assert why(state, walk("ARD-SED", "GE A")) == ("TTLM-4.2-06", "enemy-to-enemy")
    assert why(state, walk("ARD-TRI", "GE A")) is None


def test_4_2__07_cavalry_rides_through_empty_enemy_areas_biplanes_do_not():
    state = drawn(turn=8, loose={"TRI": "GE C B", "SED": "FR I"})
    assert why(state, walk("TRI-ARD-SED", "GE B")) == ("TTLM-4.2-06", "enemy-to-enemy")
    course = do(state, walk("TRI-ARD-SED", "GE C"))
    assert course.told(OwnerChanged) == [OwnerChanged("ARD", "GE")]
    assert state.entered == ["SED"]


def test_1_2_2__01_cavalry_that_rides_out_and_back_finds_its_place_again():
    state = drawn(loose={"TRI": "GE 2I C"})
    do(state, walk("TRI-ARD-TRI", "GE C"))
    assert (holds(state, "TRI"), state.owner["ARD"]) == ("C 2I", "GE")
    from_army = drawn(armies={"GE1": ("TRI", "I C")}, loose={"TRI": "GE 2I"})
    assert why(from_army, walk("TRI-ARD-TRI", "GE C", source="GE1")) == ("TTLM-1.2.2-01", "no-room")
    do(from_army, walk("TRI-ARD-TRI", "GE C", source="GE1", into="GE1"))
    assert holds(from_army, "GE1") == "C I"


# ------------------------------------------------------------------ 4.3


@pytest.mark.parametrize(
    "move",
    [
        walk("PIC-COM", army="FR2"),
        rail("PIC-COM-PAR", army="FR2"),
        reserves("PIC-COM-PAR", army="FR2"),
    ],
)
def test_4_3__01_whoever_moves_leaves_his_trenches(move):
    state = drawn(phasing="EN", armies={"FR2": ("PIC", "3I E")}, hands={"EN": "SRV"}, fortified=["FR2"])
    do(state, move)
    assert (state.entrenched, state.fortified) == ([], [])


def test_4_3__01_by_sea_by_strategic_movement_and_in_retreat_too():
    state = drawn(
        phasing="EN", armies={"UK1": ("CAL", "2I E"), "FR2": ("NOR", "I E")}, loose={"PIC": "FR I E"}
    )
    do(state, walk("CAL-ENG", army="UK1", mode="sea"), walk("NOR-CAL", army="FR2", mode="strat"))
    assert state.entrenched == ["FR.I.02"]
    play(state, retreat_move(state, "EN", Goal("COM", units=(("FR.I", 1),)), "PIC"))
    assert state.entrenched == []


def test_4_3__02_infantry_entering_an_entrenched_army_is_entrenched():
    state = drawn(phasing="EN", armies={"FR5": ("REI", "3I E")}, loose={"CHT": "FR I"})
    do(state, walk("CHT-REI", "FR I", into="FR5"))
    assert (holds(state, "FR5"), state.entrenched) == ("4I", ["FR5"])


def test_4_3__03_an_empty_army_takes_over_the_trenches_of_what_it_absorbs():
    state = drawn(phasing="EN", armies={"FR9": ("CHA", "")}, loose={"ARG": "FR I, FR I E"})
    do(state, walk("CHA-ARG", army="FR9", absorb="FR I"))
    assert state.entrenched == ["FR9"]  # of two alike the entrenched one is meant
    assert holds(state, "ARG", "EN") == "FR.I"


def test_4_3__03_an_empty_army_on_the_spot_does_so_too():
    state = drawn(phasing="EN", armies={"FR9": ("ARG", "")}, loose={"ARG": "FR 2I E"})
    do(state, shift("ARG", "FR I", into="FR9"))
    assert state.entrenched == ["FR.I.02", "FR9"]


def test_4_3__04_an_army_that_was_not_empty_gains_nothing():
    state = drawn(phasing="EN", armies={"FR9": ("CHA", "I")}, loose={"ARG": "FR 2I E"})
    do(state, walk("CHA-ARG", army="FR9", absorb="FR 2I"))
    assert (holds(state, "FR9"), state.entrenched) == ("3I", [])


def test_4_3__05_infantry_leaving_an_entrenched_army_is_not_entrenched():
    state = drawn(phasing="EN", armies={"FR5": ("REI", "3I E")})
    do(state, shift("REI", "FR I", source="FR5"), walk("REI-CHT", "FR I", source="FR5"))
    assert state.entrenched == ["FR5"]


def test_4_3__06_an_emptied_army_keeps_its_trenches_until_it_moves():
    state = drawn(phasing="EN", armies={"FR5": ("REI", "I E")})
    do(state, shift("REI", "FR I", source="FR5"))
    assert state.entrenched == ["FR5"]
    do(state, walk("REI-CHT", army="FR5"))
    assert state.entrenched == []


def test_4_3__07_absorbing_is_part_of_the_armys_move():
    state = drawn(phasing="EN", offensive="", armies={"FR9": ("CHA", "")}, loose={"ARG": "FR 2I"})
    do(state, walk("CHA-ARG", army="FR9", absorb="FR 2I"))
    assert (state.used, state.shifted) == ({"pass": 1}, [])
    assert why(drawn(loose={"AAC": "GE I", "COL": "GE I"}), walk("AAC-COL", "GE I", absorb="GE I")) == (
        "TTLM-4.3-03",
        "only-armies-absorb",
    )


# ------------------------------------------------------------------ 4.7


def test_4_7__01_the_box_borders_on_friendly_german_sources():
    state = drawn(
        armies={"GE3": ("COB", "3I"), "GE7": ("EFT", "I")}, loose={"TRI": "GE I"}, hands={"GE": "SRV"}
    )
    do(state, walk("COB-EFT", army="GE3"))
    assert why(state, walk("TRI-EFT", "GE I")) == ("TTLM-4.7-01", "no-way-to-the-box")
    assert why(state, rail("EFT-PAL-SAA", army="GE7")) is None
    assert why(state, reserves("EFT-COL-AAC", army="GE7")) is None
    state.loose["PAL"] = ["FR.I.01"]
    state.owner["PAL"] = "EN"
    assert why(state, walk("EFT-PAL", army="GE7")) == ("TTLM-4.7-01", "no-way-to-the-box")


def test_4_7__01_nobody_passes_through_it():
    state = drawn(armies={"GE1": ("COL", "I")}, loose={"COL": "GE C"}, hands={"GE": "SRV"})
    for move in (
        walk("COL-EFT-BAD", "GE C"),
        rail("COL-EFT-BAD", army="GE1"),
        reserves("COL-EFT-BAD", army="GE1"),
    ):
        assert why(state, move) == ("TTLM-4.7-01", "not-through-the-box")


def test_4_7__01_the_entente_never_enters_it():
    state = drawn(phasing="EN", loose={"COL": "FR I"}, owner={"COL": "EN"})
    assert why(state, walk("COL-EFT", "FR I")) == ("TTLM-4.7-01", "german-box")


def test_4_7__02_units_in_the_box_are_always_supplied():
    state = drawn(owner=dict.fromkeys(("COL", "COB", "PAL", "BAD"), "EN"))
    assert supplied(state, "GE") == {"EFT"}


# ------------------------------------------------------------------ worked examples and cases


def test_r_02_an_entrenched_unit_moves():
    """TTLM-4.3-01"""
    state = drawn(armies={"GE2": ("PIC", "3I E")}, owner={"PIC": "GE", "STQ": "GE"})
    do(state, walk("PIC-STQ", army="GE2"))
    assert (state.army_at["GE2"], state.entrenched) == ("STQ", [])


def test_r_03_infantry_joins_an_entrenched_army():
    """TTLM-4.3-02, TTLM-8.1-04"""
    state = drawn(phasing="EN", offensive="", armies={"FR5": ("REI", "3I E")}, loose={"CHT": "FR I"})
    do(state, walk("CHT-REI", "FR I", into="FR5"))
    assert (holds(state, "FR5"), state.entrenched) == ("4I", ["FR5"])


@pytest.mark.parametrize(("inside", "after", "dug_in"), [("", "2I", ["FR9"]), ("I", "3I", [])])
def test_r_04_an_army_absorbs_entrenched_infantry(inside, after, dug_in):
    """TTLM-4.3-03, TTLM-4.3-04, TTLM-4.3-07"""
    state = drawn(phasing="EN", offensive="", armies={"FR9": ("CHA", inside)}, loose={"ARG": "FR 2I E"})
    do(state, walk("CHA-ARG", army="FR9", absorb="FR 2I"))
    assert (holds(state, "FR9"), state.entrenched) == (after, dug_in)


def test_r_14_cavalry_past_a_single_strength_fort():
    """TTLM-8.4-04, TTLM-8.4-05"""
    state = drawn(loose={"HAI": "GE C"}, owner={"HAI": "GE"}, forts={"LIL": 1})
    do(state, walk("HAI-LIL-CAL", "GE C"))
    assert (state.owner["LIL"], state.owner["CAL"], state.entered) == ("GE", "GE", [])
    assert status(state, "LIL", "GE") == "friendly"


def test_c_13_a_pass_move_into_an_empty_enemy_area():
    """TTLM-2.II.1-05"""
    state = drawn(offensive="", armies={"GE3": ("TRI", "3I")})
    assert why(state, walk("TRI-ARD", army="GE3")) == ("TTLM-2.II.1-05", "enemy-area-in-a-pass")


def test_c_14_limits_of_a_pass():
    """TTLM-2.II.1-05, TTLM-2.II.1-07, TTLM-4.1-02"""
    state = drawn(
        phasing="EN",
        offensive="",
        armies={"BE1": ("LIE", "I"), "FR4": ("BAR", "2I"), "FR6": ("PAR", "2I")},
        loose={"LIE": "BE I"},
        hands={"EN": "SRV"},
    )
    do(state, shift("LIE", "BE I", into="BE1"))
    assert why(state, walk("BAR-CHA", army="FR4")) == ("TTLM-2.II.1-05", "one-move-in-a-pass")
    do(state, reserves("PAR-TRO-BAR-NAN", army="FR6"))
    assert (state.army_at["FR6"], state.cards_played, state.discard) == ("NAN", 1, ["SRV.01"])


def test_c_43_lone_artillery():
    """TTLM-5.5-02, TTLM-2.II.3-07"""
    state = drawn(offensive="LIM", loose={"PIC": "FR A", "STQ": "GE I"}, owner={"STQ": "GE"})
    do(state, walk("STQ-PIC", "GE I"))
    assert state.entered == ["PIC"]  # the one entry of a Limited Offensive
    end(state)
    assert (state.loose["PIC"], state.owner["PIC"]) == (["GE.I.01"], "GE")


def test_c_47_disputed_to_enemy():
    """TTLM-4.2-02"""
    state = drawn(armies={"GE6": ("ART", "3I"), "UK1": ("ART", "I")}, owner={"LIL": "GE"})
    assert why(state, walk("ART-CAL", army="GE6")) == ("TTLM-4.2-02", "disputed-to-enemy")
    assert facts(state, walk("ART-CAL", army="GE6"))["legal"] == ("LIL",)
    assert why(state, walk("ART-LIL", army="GE6")) is None


def test_c_49_a_fourth_unit():
    """TTLM-1.2.2-01, TTLM-1.2.2-05, TTLM-1.2.2-06, TTLM-1.2.2-07, TTLM-1.2.2-08"""
    drawing: Drawing = {
        "phasing": "EN",
        "armies": {"FR3": ("ARG", "I"), "FR4": ("ARG", "I"), "FR9": ("CHA", "I")},
        "loose": {"ARG": "FR I", "BAR": "FR I"},
    }
    state = drawn(**drawing)
    assert why(state, walk("CHA-ARG", army="FR9")) == ("TTLM-1.2.2-01", "no-room")
    assert why(state, rail("BAR-ARG-REI", "FR I")) == ("TTLM-1.2.2-06", "full-on-the-way")
    do(state, walk("BAR-ARG", "FR I", into="FR4"), walk("CHA-ARG", army="FR9", absorb="FR I"))
    assert (holds(state, "FR9"), holds(state, "FR4"), holds(state, "ARG", "EN")) == ("2I", "2I", "")
    drawing["armies"]["FR9"] = ("CHA", "")
    assert why(drawn(**drawing), walk("CHA-ARG", army="FR9")) is None


def test_c_50_the_movement_budget():
    """TTLM-4.1-03"""
    drawing: Drawing = {"armies": {"GE5": ("THI", "2I")}, "loose": {"LUX": "GE I"}, "forts": {"VER": 4}}
    state = drawn(**drawing)
    do(state, walk("LUX-THI", "GE I", into="GE5"))
    assert why(state, walk("THI-VER", army="GE5")) == ("TTLM-4.1-03", "carried-unit-spent")
    state = drawn(**drawing)
    do(state, walk("THI-VER", army="GE5"), walk("LUX-VER", "GE I", into="GE5"))
    assert holds(state, "GE5") == "3I"


def test_c_50_cavalry_leaves_an_army_in_a_disputed_area():
    """TTLM-4.1-03"""
    state = drawn(armies={"GE1": ("AAC", "3I C")}, forts={"LIE": 3})
    do(state, walk("AAC-LIE", army="GE1"))
    assert why(state, walk("LIE-ARD", "GE C", source="GE1")) == ("TTLM-4.2-02", "disputed-to-enemy")
    state.owner["ARD"] = "GE"
    assert why(state, walk("LIE-ARD", "GE C", source="GE1")) is None


def test_c_78_absorbing_in_a_pass():
    """TTLM-4.3-07, TTLM-2.II.1-05"""
    state = drawn(
        phasing="EN",
        offensive="",
        armies={"FR9": ("CHA", ""), "FR3": ("BAR", "I")},
        loose={"ARG": "FR 2I", "BAR": "FR I"},
    )
    do(state, walk("CHA-ARG", army="FR9", absorb="FR 2I"))
    assert why(state, shift("BAR", "FR I", into="FR3")) == ("TTLM-2.II.1-05", "one-move-in-a-pass")
