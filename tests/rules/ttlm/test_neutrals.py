"""TTLM 12: the free game, in which Belgium, Luxembourg and Britain begin neutral."""

from __future__ import annotations

from engine.games.to_the_last_man.answers import DONE
from engine.games.to_the_last_man.facts.board import AreaEntered
from engine.games.to_the_last_man.facts.season import SupplyChecked
from engine.games.to_the_last_man.rules.areas import status
from engine.games.to_the_last_man.rules.movement import movement_phase
from engine.games.to_the_last_man.rules.supply import supply_check
from tests.rules.ttlm.acts import do, sea, shift, walk, why
from tests.rules.ttlm.drawn import PACK, drawn, play

BELGIUM = [area for area, row in PACK.areas.items() if row.country == "BE"]
ALL_NEUTRAL = [area for area, row in PACK.areas.items() if row.neutral_in_free_game]


def free(**drawing):
    state = drawn(options={"free_game": True}, **drawing)
    state.owner.update(dict.fromkeys(ALL_NEUTRAL, ""))
    return state


def test_12__01_entering_belgium_brings_belgium_and_britain_in():
    state = free(armies={"GE1": ("AAC", "3I"), "UK1": ("ENG", "2I")}, loose={"LIE": "BE I"}, forts={"LIE": 3})
    assert status(state, "LIE", "GE") == status(state, "BRU", "EN") == "neutral"
    course = do(state, walk("AAC-LIE", army="GE1"))
    assert {state.owner[area] for area in BELGIUM} == {"EN"}
    assert course.told(AreaEntered) == [AreaEntered("LIE")]
    assert status(state, "LIE", "EN") == "disputed"


def test_12__01_an_empty_belgian_area_is_taken_and_the_others_join_the_entente():
    state = free(loose={"TRI": "GE C"})
    do(state, walk("TRI-ARD-NAM", "GE C"))
    assert [state.owner[area] for area in ("ARD", "NAM", "LIE", "BRU")] == ["GE", "GE", "EN", "EN"]


def test_12__01_luxembourg_joins_nobody():
    state = free(loose={"TRI": "GE I"})
    do(state, walk("TRI-LUX", "GE I"))
    assert (state.owner["LUX"], state.owner["LIE"]) == ("GE", "")
    entente = free(phasing="EN", loose={"VER": "FR I"})
    do(entente, walk("VER-LUX", "FR I"))
    assert entente.owner["LUX"] == "EN"


def test_12__01_neutrals_are_entered_in_an_offensive_only_and_belgium_not_by_the_entente():
    assert why(free(offensive="", loose={"AAC": "GE I"}), walk("AAC-LIE", "GE I")) == (
        "TTLM-2.II.1-05",
        "enemy-area-in-a-pass",
    )
    entente = free(phasing="EN", loose={"LIL": "FR I"})
    assert why(entente, walk("LIL-HAI", "FR I")) == ("TTLM-12-01", "neutral-belgium")


def test_12__01_belgians_and_british_do_nothing_until_then():
    armies = {"BE1": ("ANT", "2I"), "UK1": ("ENG", "I")}
    state = free(phasing="EN", armies=armies, loose={"ANT": "BE I", "ENG": "UK C"})
    assert why(state, walk("ANT-BRU", army="BE1")) == ("TTLM-12-01", "still-neutral")
    assert why(state, walk("ANT-BRU", "BE I")) == ("TTLM-12-01", "still-neutral")
    assert why(state, shift("ANT", "BE I", into="BE1")) == ("TTLM-12-01", "still-neutral")
    assert why(state, sea("ENG-CAL", army="UK1")) == ("TTLM-12-01", "still-neutral")
    state.owner.update(dict.fromkeys(BELGIUM, "EN"))
    assert why(state, walk("ANT-BRU", army="BE1")) is None


def test_12__01_neutrals_need_no_supply():
    state = free(armies={"BE1": ("ANT", "2I")}, loose={"NAM": "BE I"}, forts={"LIE": 3})
    assert play(state, supply_check(state)).facts == [SupplyChecked((), (), ())]


def test_4_1__10_without_the_option_a_neutral_area_stays_closed():
    state = drawn(loose={"TRI": "GE I"})
    state.owner["LUX"] = ""
    assert why(state, walk("TRI-LUX", "GE I")) == ("TTLM-4.1-10", "neutral")
    play(state, movement_phase(state, "GE"), {"turn.act": [DONE]})
    assert state.owner["LUX"] == ""
