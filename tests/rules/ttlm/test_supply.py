"""TTLM 6, 14.2.3: areas in supply, the check of a season, what it costs."""

from __future__ import annotations

import random

import pytest

from engine.games.to_the_last_man.facts.board import OwnerChanged
from engine.games.to_the_last_man.facts.force import ArmyEliminated, FortReduced, UnitsLost
from engine.games.to_the_last_man.facts.season import SupplyChecked
from engine.games.to_the_last_man.rules.areas import status
from engine.games.to_the_last_man.rules.supply import (
    supplied,
    supplied_for,
    supply_check,
    usual_loss,
)
from tests.rules.ttlm.acts import do, holds, walk
from tests.rules.ttlm.drawn import PACK, drawn, play

FOE = {"GE": "EN", "EN": "GE"}
CUT_OFF = {"FLA": "GE", "BRU": "GE", "LIE": "GE"}  # Antwerp is alone


def check(state, **answers):
    return play(state, supply_check(state), {"supply.loss": list(answers.values())} if answers else None)


# ------------------------------------------------------------------ 6.1 to 6.4


def test_6_1__01_each_side_has_its_own_sources():
    assert PACK.sources["GE"] == ("BAD", "COB", "COL", "PAL")
    assert PACK.sources["EN"] == ("BUR", "CAL", "FCO", "FLA", "NOR", "ORL")
    nothing = drawn(owner=dict.fromkeys(PACK.areas, "GE"))
    assert supplied(nothing, "EN") == {"ENG"}
    assert supplied(nothing, "GE") == set(PACK.areas) - {"ENG"}


def test_6_2__01_a_chain_of_friendly_areas_to_a_friendly_source():
    state = drawn(armies={"GE3": ("ARD", "2I")}, owner={"ARD": "GE"})
    assert "ARD" in supplied(state, "GE")
    state.owner.update(TRI="EN", LUX="EN")
    assert "ARD" not in supplied(state, "GE")


def test_6_2__01_the_first_area_may_be_disputed_and_no_other():
    state = drawn(loose={"LIE": "GE I, BE I", "BRU": "GE I"}, owner={"LIE": "GE", "BRU": "GE"})
    assert "LIE" in supplied(state, "GE")
    assert "BRU" not in supplied(state, "GE")


def test_6_2__02_in_a_friendly_source():
    others = {area: "EN" for area in PACK.areas if area != "COL"}
    state = drawn(loose={"COL": "GE I"}, owner=others)
    assert supplied(state, "GE") == {"COL", "EFT"}


@pytest.mark.parametrize("strength", [0, 1])
def test_6_2__03_a_weak_fort_of_the_enemy_stops_a_chain_but_one_may_begin_there(strength):
    state = drawn(owner={"LIE": "GE", "BRU": "GE"}, forts={"LIE": strength})
    assert "LIE" in supplied(state, "GE")
    assert "BRU" not in supplied(state, "GE")
    assert "BRU" in supplied(drawn(owner={"LIE": "GE", "BRU": "GE"}), "GE")


def test_6_2__03_so_do_lone_guns_and_empty_armies():
    for drawing in ({"loose": {"ARD": "GE A"}}, {"armies": {"GE1": ("ARD", "")}}):
        state = drawn(owner={"LUX": "EN", "VER": "GE"}, **drawing)
        assert "ARD" in supplied(state, "EN")
        assert "LUX" not in supplied(state, "EN")


def test_6_2__04_in_an_enemy_area_nobody_is_supplied():
    state = drawn(loose={"ARD": "GE A"}, forts={"LIL": 1}, owner={"LIL": "GE"})
    out = check(state).told(SupplyChecked)[0]
    assert (out.loose, out.forts) == ((("GE", "ARD"),), ("LIL",))


def test_6_3__01_a_disputed_source_supplies_only_those_in_it():
    owner = dict.fromkeys(("CAL", "LIL", "HAI", "BRU", "LIE"), "GE")
    state = drawn(armies={"UK2": ("FLA", "I"), "GE1": ("FLA", "I"), "BE1": ("ANT", "I")}, owner=owner)
    areas = supplied(state, "EN")
    assert "FLA" in areas
    assert "ANT" not in areas


def test_6_3__01_and_so_does_one_in_which_a_lone_gun_of_the_enemy_stands():
    """TTLM-6.2-03: nothing passes it; no fort of the enemy is printed in any source."""
    owner = dict.fromkeys(("CAL", "LIL", "HAI", "BRU", "LIE"), "GE")
    areas = supplied(drawn(loose={"FLA": "GE A"}, owner=owner), "EN")
    assert "FLA" in areas
    assert "ANT" not in areas
    assert "ANT" in supplied(drawn(owner=owner), "EN")


def test_6_4__01_an_area_is_supplied_if_a_unit_in_it_would_be():
    state = drawn(owner=CUT_OFF)
    areas = supplied(state, "EN")
    assert {"PAR", "CAL", "ENG", "VER"} <= areas
    assert not areas & {"ANT", "LIE", "BRU", "COL", "EFT"}


# ------------------------------------------------------------------ 6.5


@pytest.mark.parametrize(("strength", "left"), [(3, 2), (2, 1), (1, -1), (0, -1)])
def test_6_5__01_a_fort_loses_a_step(strength, left):
    state = drawn(forts={"ANT": strength}, owner=CUT_OFF)
    course = check(state)
    assert course.told(FortReduced) == [FortReduced("EN", "ANT", left, "supply")]
    assert state.forts == ({} if left < 0 else {"ANT": left})


def test_6_5__02_an_army_gives_up_a_unit_of_its_owners_choice():
    state = drawn(armies={"FR5": ("ANT", "2I A")}, owner=CUT_OFF)
    course = check(state, FR5="FR.A")
    ask = course.asked("supply.loss")[0]
    assert (ask.seat, ask.at, ask.given.army, ask.secret) == ("EN", "T1.P/ANT", "FR5", True)
    assert ask.options.describe() == ("FR.A", "FR.I")
    assert ask.options.why_not("FR.C").rule == "TTLM-6.5-02"
    assert holds(state, "FR5") == "2I"


@pytest.mark.parametrize("inside", ["I", ""])
def test_6_5__02_with_one_unit_or_none_it_is_eliminated(inside):
    state = drawn(armies={"FR5": ("ANT", inside)}, owner=CUT_OFF)
    course = check(state)
    assert [(fact.army, fact.why) for fact in course.told(ArmyEliminated)] == [("FR5", "supply")]
    assert len(course.asks) == len(
        inside
    )  # an empty army has nothing to choose, and that it is empty is public
    assert "FR.I.01" in state.pool["FR"]


def test_6_5__02_the_paris_gun_may_be_chosen():
    state = drawn(turn=17, armies={"GE1": ("NOR", "I P")}, owner={"NOR": "GE"})
    assert usual_loss(state, "GE1") == "GE.I"
    check(state, GE1="GE.P")
    assert holds(state, "GE1") == "I"


@pytest.mark.parametrize(
    ("inside", "lost"),
    [("3I A", "UK.I"), ("2I 2A", "UK.A"), ("I C A", "UK.C"), ("I CW US I", "UK.I"), ("CW US 2I", "US.I")],
)
def test_6_5__02_without_an_order_the_most_numerous_type(inside, lost):
    assert usual_loss(drawn(turn=17, armies={"UK1": ("ANT", inside)}), "UK1") == lost


def test_6_5__03_loose_units_are_lost():
    state = drawn(loose={"ANT": "BE 2I, FR C"}, owner=CUT_OFF)
    course = check(state)
    assert [len(fact.units) for fact in course.told(UnitsLost)] == [3]
    assert state.loose["ANT"] == []


def test_6_5__05_states_are_fixed_first_and_everybody_pays_at_once():
    """Each side's presence cuts the other off; neither is saved by what the other loses."""
    state = drawn(
        forts={"LIE": 1},
        loose={"BRU": "GE I", "ANT": "FR I"},
        owner={"LIE": "GE", "BRU": "GE", "NAM": "EN", "HAI": "EN", "FLA": "GE"},
    )
    course = check(state)
    out = course.told(SupplyChecked)[0]
    assert (out.forts, out.loose) == (("LIE",), (("EN", "ANT"), ("GE", "BRU")))
    assert (state.loose["BRU"], state.loose["ANT"], state.forts) == ([], [], {})


def test_6_5__05_both_sides_are_asked_together():
    state = drawn(
        armies={"FR5": ("ANT", "2I"), "GE1": ("NOR", "2I")}, owner={**CUT_OFF, "NOR": "GE", "CAL": "EN"}
    )
    course = check(state)
    assert [(ask.seat, ask.given.army) for ask in course.asks] == [("EN", "FR5"), ("GE", "GE1")]


def test_6_5__06_out_of_supply_one_still_moves():
    state = drawn(phasing="EN", armies={"BE1": ("ANT", "I")}, owner=CUT_OFF)
    do(state, walk("ANT-BRU", army="BE1"))
    assert state.owner["BRU"] == "EN"


def test_6_2__01_where_everybody_is_in_supply_nothing_happens():
    state = drawn(armies={"GE1": ("AAC", "3I")}, loose={"PAR": "FR I"}, forts={"VER": 4})
    assert check(state).facts == [SupplyChecked((), (), ())]


# ------------------------------------------------------------------ 14.2.3


@pytest.mark.parametrize(
    ("drawing", "nation", "fed"),
    [
        ({}, "BE", True),
        ({}, "UK", True),
        ({}, "FR", False),
        ({"loose": {"ANT": "GE I"}}, "BE", True),
        ({"loose": {"ANT": "GE I"}, "armies": {"UK1": ("ANT", "I")}}, "UK", False),
        ({"owner": {**CUT_OFF, "FLA": "EN", "CAL": "GE"}}, "BE", True),  # Flanders itself feeds
        ({"owner": {**CUT_OFF, "ANT": "GE"}, "armies": {}}, "BE", False),
    ],
)
def test_14_2_3__01_antwerp_as_a_source(drawing, nation, fed):
    given = {"armies": {"BE1": ("ANT", "I")}, "owner": CUT_OFF, **drawing}
    state = drawn(options={"antwerp_supply": True}, **given)
    assert ("ANT" in supplied_for(state, nation)) is fed
    plain = drawn(**given)
    assert supplied_for(plain, nation) == supplied(plain, "EN")


def test_14_2_3__01_at_the_check_the_french_in_antwerp_starve_and_the_belgians_do_not():
    state = drawn(
        options={"antwerp_supply": True},
        armies={"BE1": ("ANT", "2I")},
        loose={"ANT": "UK I, FR I"},
        forts={"ANT": 3},
        owner=CUT_OFF,
    )
    out = check(state).told(SupplyChecked)[0]
    assert (out.armies, out.forts, out.loose) == ((), (), (("EN", "ANT"),))
    assert state.loose["ANT"] == ["UK.I.01"]


# ------------------------------------------------------------------ cases


def test_r_14_the_bypassed_fort_is_removed_at_the_next_check():
    """TTLM-6.2-04, TTLM-8.4-05"""
    state = drawn(
        loose={"HAI": "GE C"}, owner={"HAI": "GE", "NAM": "GE", "BRU": "GE", "LIE": "GE"}, forts={"LIL": 1}
    )
    do(state, walk("HAI-LIL-CAL", "GE C"))
    assert "CAL" not in supplied(state, "GE")
    check(state)
    assert state.forts == {}


def test_c_55_supply_through_a_damaged_fort():
    """TTLM-6.2-03, TTLM-6.2-04, TTLM-6.5-05, TTLM-8.4-05"""
    state = drawn(
        armies={"GE3": ("BRU", "3I")},
        loose={"LIE": "GE I"},
        forts={"LIE": 1},
        owner={"LIE": "GE", "BRU": "GE"},
    )
    course = check(state)
    assert course.told(SupplyChecked) == [SupplyChecked(("GE3",), ("LIE",), ())]
    assert (holds(state, "GE3"), holds(state, "LIE"), state.forts) == ("2I", "I", {})


def test_c_56_a_disputed_source():
    """TTLM-6.3-01"""
    state = drawn(
        armies={"UK2": ("FLA", "2I"), "GE1": ("FLA", "2I"), "BE1": ("ANT", "2I")},
        owner=dict.fromkeys(("CAL", "LIL", "HAI", "BRU", "LIE"), "GE"),
    )
    assert check(state).told(SupplyChecked)[0].armies == ("BE1",)


def test_c_58_supplied_placement():
    """TTLM-6.4-01, TTLM-7.2-01"""
    state = drawn(armies={"BE1": ("ANT", "I")}, owner=CUT_OFF)
    assert "ANT" not in supplied_for(state, "BE")


def test_0__06_attrition_hands_an_area_over():
    state = drawn(armies={"FR5": ("ANT", "I"), "GE1": ("ANT", "I")}, owner=CUT_OFF)
    course = check(state)
    assert course.told(OwnerChanged) == [OwnerChanged("ANT", "GE")]


# ------------------------------------------------------------------ against the rule, word by word


def in_supply(state, side, area):
    """6.2 By looking for a chain from this one area, with nothing worked out beforehand."""
    if area in ("ENG", "EFT"):
        return (area == "ENG") == (side == "EN")
    if status(state, area, side) not in ("friendly", "disputed"):
        return False
    if area in PACK.sources[side]:
        return True
    seen, edge = {area}, [area]
    while edge:
        for near in PACK.areas[edge.pop()].adjacent:
            blocked = state.armies(near, FOE[side]) or state.loose_units(near, FOE[side])
            if near in seen or blocked or state.fort(near, FOE[side]) is not None:
                continue
            if near == "EFT" or status(state, near, side) != "friendly":
                continue
            if near in PACK.sources[side]:
                return True
            seen.add(near)
            edge.append(near)
    return False


@pytest.mark.parametrize("seed", range(40))
def test_6_2__01_every_area_of_a_random_map(seed):
    """TTLM-6.2-03, TTLM-6.3-01, TTLM-6.4-01"""
    rng = random.Random(seed)
    land = [area for area in PACK.areas if area not in ("ENG", "EFT")]
    where = {army: (rng.choice(land), rng.choice(("", "I"))) for army in ("GE1", "GE2", "FR1", "FR2", "UK1")}
    loose = {area: rng.choice(("GE I", "FR I", "GE C", "UK A")) for area in rng.sample(land, 8)}
    state = drawn(
        armies=where,
        loose=loose,
        forts={area: rng.randrange(4) for area in PACK.forts if rng.randrange(2)},
        owner={
            area: rng.choice(("GE", "EN", "EN")) if seed % 2 else rng.choice(("GE", "EN")) for area in land
        },
    )
    for side in ("GE", "EN"):
        expected = {area for area in PACK.areas if in_supply(state, side, area)}
        assert supplied(state, side) == expected
