"""TTLM 4.4 rail, 4.5 Strategic Movement, 4.6 Sea Movement, 9.6 Strategic Reserves!, 14.2.4 Antwerp."""

from __future__ import annotations

import pytest

from engine.games.to_the_last_man.answers import Goal
from engine.games.to_the_last_man.facts.board import AreaEntered, MoveCounted
from engine.games.to_the_last_man.facts.cards import CardPlayed
from engine.games.to_the_last_man.rules.areas import status
from engine.games.to_the_last_man.rules.retreat_moves import why_not_retreat
from engine.games.to_the_last_man.rules.supply import supplied
from tests.rules.ttlm.acts import do, facts, holds, rail, reserves, sea, shift, strat, walk, why
from tests.rules.ttlm.drawn import PACK, Drawing, drawn

# ------------------------------------------------------------------ 4.4 rail


def test_4_4__01_up_to_three_areas():
    state = drawn(phasing="EN", armies={"FR4": ("BAR", "3I")})
    assert why(state, rail("BAR-TRO-PAR-NOR-PIC", army="FR4")) == ("TTLM-4.4-01", "too-far")
    assert why(state, rail("BAR-TRO-PAR-NOR", army="FR4")) is None
    assert why(state, rail("BAR-PAR", army="FR4")) == ("TTLM-4.1-01", "not-adjacent")


@pytest.mark.parametrize("area", ["BAR", "TRO", "PAR"])
def test_4_4__01_start_way_and_end_are_friendly(area):
    state = drawn(phasing="EN", armies={"FR4": ("BAR", "3I")})
    assert why(state, rail("BAR-TRO-PAR", army="FR4")) is None
    disputed = drawn(phasing="EN", armies={"FR4": ("BAR", "3I")}, loose={area: "GE I, FR I"})
    assert why(disputed, rail("BAR-TRO-PAR", army="FR4")) == ("TTLM-4.4-01", "not-friendly")
    if area != "BAR":
        enemy = drawn(phasing="EN", armies={"FR4": ("BAR", "3I")}, owner={area: "GE"})
        assert why(enemy, rail("BAR-TRO-PAR", army="FR4")) == ("TTLM-4.4-01", "not-friendly")


def test_4_4__01_they_were_friendly_when_the_player_turn_began():
    state = drawn(loose={"TRI": "GE I", "LUX": "GE I"})
    do(state, walk("TRI-ARD", "GE I"))
    assert status(state, "ARD", "GE") == "friendly"
    assert why(state, rail("LUX-ARD", "GE I")) == ("TTLM-4.4-01", "not-friendly-before")


def test_4_4__02_two_units_a_turn():
    state = drawn(armies={"GE1": ("COL", "5I")}, loose={"PAL": "GE 3I"})
    course = do(state, rail("COL-AAC", army="GE1"))
    assert course.told(MoveCounted) == [MoveCounted("rail")]  # an army is one
    assert why(state, rail("PAL-SAA", "GE 2I")) == ("TTLM-4.4-02", "rail-moves-used")
    do(state, rail("PAL-SAA", "GE I"))
    assert why(state, rail("PAL-SAA", "GE I")) == ("TTLM-4.4-02", "rail-moves-used")
    assert state.used == {"rail": 2}
    pair = drawn(loose={"PAL": "GE 2I"})
    do(pair, rail("PAL-SAA", "GE 2I"))
    assert pair.used == {"rail": 2}


def test_4_4__02_not_before_nor_after_any_other_movement():
    state = drawn(armies={"GE1": ("COL", "2I C"), "GE2": ("AAC", "I")}, loose={"COL": "GE I"})
    do(state, rail("COL-AAC", army="GE1"))
    assert why(state, walk("AAC-COL", army="GE1")) == ("TTLM-4.1-03", "army-spent")
    assert why(state, walk("AAC-COL", "GE C", source="GE1")) == ("TTLM-4.1-03", "allowance-spent")
    assert why(state, shift("AAC", "GE I", source="GE1")) == ("TTLM-4.1-04", "shifted-already")
    walked = drawn(armies={"GE1": ("AAC", "2I")}, loose={"COL": "GE I C"})
    do(walked, walk("COL-AAC", "GE I", into="GE1"))
    assert why(walked, rail("AAC-TRI", army="GE1")) == ("TTLM-4.4-02", "moved-already")
    do(walked, walk("COL-AAC", "GE C"))
    assert why(walked, rail("AAC-TRI", "GE C")) == ("TTLM-4.4-02", "moved-already")


def test_4_4__02_a_shift_is_other_movement_too():
    """Ruling: entering or leaving an army counts as having moved (TTLM-4.1-02)."""
    state = drawn(armies={"GE1": ("COL", "I")}, loose={"COL": "GE I"})
    do(state, shift("COL", "GE I", into="GE1"))
    assert why(state, rail("COL-AAC", army="GE1")) == ("TTLM-4.4-02", "moved-already")
    assert why(state, walk("COL-AAC", army="GE1")) is None


def test_4_4__03_every_border_is_a_rail_link():
    for area, row in PACK.areas.items():
        if area in ("ENG", "EFT"):
            continue
        for to in row.adjacent:
            owner = dict.fromkeys((area, to), "GE")
            assert why(drawn(loose={area: "GE I"}, owner=owner), rail(f"{area}-{to}", "GE I")) is None


@pytest.mark.parametrize("type_", ["I", "S", "C", "A", "G", "B", "T", "P"])
def test_4_4__04_every_type_goes_by_rail(type_):
    state = drawn(turn=17, loose={"COL": f"GE {type_}"})
    do(state, rail("COL-COB-PAL-SAA", f"GE {type_}"))
    assert holds(state, "SAA") == type_


def test_4_4__05_from_army_to_army():
    state = drawn(armies={"GE1": ("COL", "3I"), "GE2": ("TRI", "I")}, loose={"TRI": "GE 2I"})
    do(state, rail("COL-AAC-TRI", "GE I", source="GE1", into="GE2"))  # Trier is full
    assert (holds(state, "GE1"), holds(state, "GE2")) == ("2I", "2I")
    assert why(state, walk("TRI-SAA", army="GE2")) == ("TTLM-4.1-03", "carried-unit-spent")


# ------------------------------------------------------------------ 4.5 Strategic Movement


def test_4_5__01_from_source_to_source_at_any_distance():
    state = drawn(turn=2, phasing="EN", armies={"FR6": ("FCO", "3I")})
    do(state, strat("FCO-CAL", army="FR6"))
    assert state.army_at["FR6"] == "CAL"
    assert why(drawn(phasing="EN", loose={"PAR": "FR I"}), strat("PAR-CAL", "FR I")) == (
        "TTLM-4.5-01",
        "not-a-source",
    )
    assert why(drawn(loose={"COL": "GE I"}), strat("COL-PAL", "GE I")) == ("TTLM-4.5-01", "entente-only")


@pytest.mark.parametrize(("turn", "limit"), [(1, 1), (2, 2), (20, 2)])
def test_4_5__01_two_units_but_one_in_summer_1914(turn, limit):
    state = drawn(turn=turn, phasing="EN", loose={"ORL": "FR 3I"})
    for _ in range(limit):
        do(state, strat("ORL-BUR", "FR I"))
    assert why(state, strat("ORL-BUR", "FR I")) == ("TTLM-4.5-01", "strategic-moves-used")


def test_4_5__02_both_friendly_now_and_at_the_start_of_the_turn():
    disputed = drawn(phasing="EN", armies={"FR6": ("ORL", "I")}, loose={"CAL": "UK I, GE I"})
    assert why(disputed, strat("ORL-CAL", army="FR6")) == ("TTLM-4.5-02", "not-friendly")
    taken = drawn(phasing="EN", armies={"FR6": ("ORL", "I")}, loose={"PIC": "FR I"}, owner={"CAL": "GE"})
    do(taken, walk("PIC-CAL", "FR I"))
    assert why(taken, strat("ORL-CAL", army="FR6")) == ("TTLM-4.5-02", "not-friendly-before")


def test_4_5__03_not_combined_and_within_stacking():
    state = drawn(turn=2, phasing="EN", armies={"FR6": ("ORL", "I")}, loose={"CAL": "UK 3I", "PAR": "FR I"})
    assert why(state, strat("ORL-CAL", army="FR6")) == ("TTLM-1.2.2-01", "no-room")
    do(state, walk("PAR-ORL", "FR I"), strat("ORL-BUR", army="FR6"))
    assert why(state, strat("ORL-BUR", "FR I")) == ("TTLM-4.5-03", "moved-already")
    assert why(state, walk("BUR-TRO", army="FR6")) == ("TTLM-4.1-03", "army-spent")


def test_4_5__04_england_is_not_in_the_network():
    state = drawn(phasing="EN", armies={"UK1": ("ENG", "2I")})
    assert why(state, strat("ENG-CAL", army="UK1")) == ("TTLM-4.5-04", "not-a-source")


def test_4_5__05_it_may_be_the_pass_move():
    state = drawn(phasing="EN", offensive="", armies={"FR6": ("ORL", "I")})
    assert do(state, strat("ORL-CAL", army="FR6")).told(MoveCounted) == [
        MoveCounted("strat"),
        MoveCounted("pass"),
    ]


# ------------------------------------------------------------------ 4.6 Sea Movement


def test_4_6__01_one_uk_piece_a_phase_each_way():
    state = drawn(phasing="EN", armies={"UK1": ("ENG", "2I C")}, loose={"ENG": "UK I", "CAL": "UK I, GE I"})
    assert why(state, sea("ENG-PIC", army="UK1")) == ("TTLM-4.6-01", "no-port")
    assert facts(state, sea("ENG-PIC", army="UK1"))["legal"] == ("CAL", "FLA", "NOR")
    assert why(state, sea("CAL-NOR", "UK I")) == ("TTLM-4.6-01", "not-by-sea")
    assert why(state, sea("CAL-ENG", "UK I")) is None  # the reverse, out of a Disputed port
    do(state, sea("ENG-CAL", army="UK1"))
    assert why(state, sea("ENG-NOR", "UK I")) == ("TTLM-4.6-01", "sea-moves-used")
    pair = drawn(phasing="EN", loose={"ENG": "UK 2I"})
    assert why(pair, sea("ENG-NOR", "UK 2I")) == ("TTLM-4.6-01", "sea-moves-used")


@pytest.mark.parametrize("offensive", ["OFF", ""])
def test_4_6__02_in_an_offensive_and_in_a_pass_and_not_combined(offensive):
    state = drawn(phasing="EN", offensive=offensive, armies={"UK1": ("ENG", "2I")})
    do(state, sea("ENG-CAL", army="UK1"))
    assert state.used == ({"sea": 1} if offensive else {"sea": 1, "pass": 1})
    state.offensive = "OFF"
    assert why(state, walk("CAL-LIL", army="UK1")) == ("TTLM-4.1-03", "army-spent")
    walked = drawn(phasing="EN", loose={"PIC": "UK I"})
    do(walked, walk("PIC-CAL", "UK I"))
    assert why(walked, sea("CAL-ENG", "UK I")) == ("TTLM-4.6-02", "moved-already")


def test_4_6__03_never_into_an_enemy_port():
    state = drawn(phasing="EN", armies={"UK1": ("ENG", "2I")}, owner={"FLA": "GE"})
    assert why(state, sea("ENG-FLA", army="UK1")) == ("TTLM-4.6-03", "enemy-port")


def test_4_6__04_never_to_retreat():
    state = drawn(armies={"UK1": ("CAL", "2I")}, loose={"CAL": "GE I"})
    refusal = why_not_retreat(state, "EN", "CAL", Goal("ENG", "UK1"))
    assert refusal is not None
    assert (refusal.rule, refusal.reason) == ("TTLM-5.4-01", "not-adjacent")


def test_4_6__05_a_uk_army_carries_american_infantry_others_stay():
    state = drawn(turn=17, phasing="EN", armies={"UK1": ("CAL", "I, US I")}, loose={"CAL": "US I, FR I"})
    assert why(state, sea("CAL-ENG", "US I")) == ("TTLM-4.6-01", "uk-only")
    assert why(state, sea("CAL-ENG", "FR I")) == ("TTLM-4.6-01", "uk-only")
    assert why(state, sea("CAL-ENG", "US I", source="UK1")) == ("TTLM-4.6-01", "uk-only")
    do(state, sea("CAL-ENG", army="UK1"))
    assert holds(state, "UK1") == "I US.I"


def test_4_6__06_the_infantry_in_england_is_kept_apart_from_the_first_army():
    state = drawn(phasing="EN", armies={"UK1": ("ENG", "I"), "UK2": ("ENG", "")}, loose={"ENG": "UK I C"})
    assert why(state, shift("ENG", "UK I", into="UK1")) == ("TTLM-4.6-06", "kept-apart")
    assert why(state, shift("ENG", "UK C", into="UK1")) is None
    assert why(state, shift("ENG", "UK I", into="UK2")) is None
    do(state, sea("ENG-CAL", army="UK1"))
    state.used.clear()
    do(state, sea("ENG-CAL", "UK I", into="UK1"))
    back = drawn(phasing="EN", armies={"UK1": ("CAL", "I")}, loose={"ENG": "UK I"})
    assert why(back, sea("CAL-ENG", army="UK1", absorb="UK I")) == ("TTLM-4.6-06", "kept-apart")
    later = drawn(phasing="EN", armies={"UK1": ("ENG", "I")}, loose={"ENG": "UK I"}, scenario="1915")
    assert why(later, shift("ENG", "UK I", into="UK1")) is None


def test_4_6__07_england_is_ententes_for_ever_and_supplied():
    state = drawn(
        loose={"CAL": "GE I"}, owner=dict.fromkeys(("FLA", "CAL", "NOR", "ORL", "BUR", "FCO"), "GE")
    )
    assert (status(state, "ENG", "EN"), status(state, "ENG", "GE")) == ("friendly", "enemy")
    assert why(state, walk("CAL-ENG", "GE I")) == ("TTLM-4.6-07", "not-adjacent")
    assert why(state, sea("CAL-ENG", "GE I")) == ("TTLM-4.6-01", "uk-only")
    assert supplied(state, "EN") == {"ENG"}


# ------------------------------------------------------------------ 9.6 Strategic Reserves!


@pytest.mark.parametrize("offensive", ["OFF", ""])
def test_9_6__01_one_unit_without_range_limit(offensive):
    state = drawn(
        phasing="EN",
        offensive=offensive,
        armies={"FR6": ("CAL", "3I")},
        loose={"BEL": "FR I, GE I", "CAL": "GE I"},
        hands={"EN": "SRV"},
    )
    course = do(state, reserves("CAL-PIC-COM-PAR-TRO-LGS-EPI-BEL", army="FR6"))  # Disputed at both ends
    assert [(fact.card, fact.use) for fact in course.told(CardPlayed)] == [("SRV.01", "reserves")]
    assert (state.army_at["FR6"], state.used) == ("BEL", {"reserves": 1})


def test_9_6__01_what_it_may_not():
    state = drawn(loose={"STR": "GE 2I", "SAA": "GE I, FR I"}, hands={"GE": "SRV"}, owner={"EPI": "EN"})
    assert why(state, reserves("STR-VOS", "GE I")) == ("TTLM-9.6-01", "enemy-end")
    assert why(state, reserves("STR-PAL-SAA-THI", "GE I")) == ("TTLM-9.6-01", "not-friendly")
    assert why(state, reserves("STR-PAL-SAA", "GE I")) is None
    assert why(state, reserves("STR-PAL", "GE 2I")) == ("TTLM-9.6-01", "one-unit-a-card")
    assert why(state, reserves("STR-SAA", "GE I")) == ("TTLM-4.1-01", "not-adjacent")
    state.hands["GE"].clear()
    assert why(state, reserves("STR-PAL", "GE I")) == ("TTLM-9.6-01", "no-such-card")


def test_9_6__02_current_status_stacking_no_other_move_no_rail_slot():
    state = drawn(
        loose={"TRI": "GE I", "LUX": "GE 2I", "SAA": "GE 3I"}, hands={"GE": "SRV SRV"}, used={"rail": 2}
    )
    do(state, walk("TRI-ARD", "GE I"))
    do(state, reserves("LUX-ARD", "GE I"))  # taken in this very turn
    assert why(state, walk("ARD-SED", "GE I")) == ("TTLM-4.1-03", "allowance-spent")
    assert why(state, reserves("LUX-TRI-SAA-MET", "GE I")) == ("TTLM-1.2.2-06", "full-on-the-way")
    assert why(state, reserves("LUX-TRI-SAA", "GE I")) == ("TTLM-1.2.2-01", "no-room")
    assert why(state, reserves("ARD-LUX", "GE 1I")) == ("TTLM-9.6-02", "moved-already")
    assert state.used == {"rail": 2, "reserves": 1}


def test_2_ii_1__07_reserves_move_a_second_unit_in_a_pass():
    state = drawn(offensive="", loose={"COL": "GE 2I"}, hands={"GE": "SRV"})
    do(state, walk("COL-AAC", "GE I"), reserves("COL-AAC-TRI", "GE I"))
    assert (holds(state, "AAC"), holds(state, "TRI"), state.cards_played) == ("I", "I", 1)


def test_2_ii_1__10_two_cards_move_two_different_units():
    state = drawn(offensive="", loose={"COL": "GE I"}, hands={"GE": "SRV SRV"})
    do(state, reserves("COL-AAC", "GE I"))
    assert why(state, reserves("AAC-TRI", "GE I")) == ("TTLM-9.6-02", "moved-already")


# ------------------------------------------------------------------ 14.2.4 evacuation of Antwerp

BESIEGED: Drawing = {
    "phasing": "EN",
    "armies": {"BE1": ("ANT", "2I"), "UK1": ("ENG", "I")},
    "owner": {"BRU": "GE"},
    "options": {"antwerp_evacuation": True},
}


def evacuate(to: str, army: str = "BE1"):
    return walk(f"ANT-{to}", army=army, mode="evacuate")


def test_14_2_4__01_the_belgian_army_goes_to_a_port():
    state = drawn(**BESIEGED)
    do(state, evacuate("CAL"))
    assert (state.army_at["BE1"], state.used) == ("CAL", {"sea": 1})
    assert why(state, sea("ENG-CAL", army="UK1")) == ("TTLM-4.6-01", "sea-moves-used")
    assert why(state, walk("CAL-LIL", army="BE1")) == ("TTLM-4.1-03", "army-spent")


def test_14_2_4__01_its_limits():
    state = drawn(**BESIEGED, loose={"ANT": "UK I"})
    assert why(state, evacuate("ENG")) == ("TTLM-4.6-01", "no-port")
    assert why(state, evacuate("PAR")) == ("TTLM-4.6-01", "no-port")
    assert why(state, walk("ANT-CAL", "UK I", mode="evacuate")) == ("TTLM-14.2.4-01", "belgian-army-only")
    state.owner["CAL"] = "GE"
    assert why(state, evacuate("CAL")) == ("TTLM-14.2.4-01", "enemy-port")
    state.options = {**state.options, "antwerp_evacuation": False}
    assert why(state, evacuate("NOR")) == ("TTLM-14.2.4-01", "option-off")
    moved = drawn(**{**BESIEGED, "armies": {"BE1": ("FLA", "2I")}})
    do(moved, walk("FLA-ANT", army="BE1"))
    assert why(moved, evacuate("CAL")) == ("TTLM-14.2.4-01", "moved-already")


# ------------------------------------------------------------------ cases


def test_c_52_strategic_movement():
    """TTLM-4.5-01, TTLM-4.5-02, TTLM-4.5-04"""
    drawing: Drawing = {
        "phasing": "EN",
        "armies": {"FR6": ("ORL", "2I"), "FR7": ("ORL", "I"), "UK1": ("ENG", "I")},
        "loose": {"FLA": "UK I, GE I"},
    }
    state = drawn(turn=1, **drawing)
    assert why(state, strat("ORL-FLA", army="FR6")) == ("TTLM-4.5-02", "not-friendly")
    assert why(state, strat("ENG-CAL", army="UK1")) == ("TTLM-4.5-04", "not-a-source")
    do(state, strat("ORL-CAL", army="FR6"))
    assert why(state, strat("ORL-CAL", army="FR7")) == ("TTLM-4.5-01", "strategic-moves-used")
    do(drawn(turn=2, **drawing), strat("ORL-CAL", army="FR6"), strat("ORL-CAL", army="FR7"))


def test_c_53_sea_movement():
    """TTLM-4.6-01, TTLM-4.6-03, TTLM-4.6-04"""
    armies = {"UK1": ("ENG", "2I"), "UK2": ("ENG", "I"), "FR6": ("CAL", "I")}
    assert why(drawn(phasing="EN", armies=armies), sea("ENG-FLA", army="UK1")) is None
    disputed = drawn(phasing="EN", armies=armies, loose={"FLA": "BE I, GE I"})
    assert do(disputed, sea("ENG-FLA", army="UK1")).told(AreaEntered) == []
    assert why(disputed, sea("ENG-FLA", army="UK2")) == ("TTLM-4.6-01", "sea-moves-used")
    enemy = drawn(phasing="EN", armies=armies, owner={"FLA": "GE"})
    assert why(enemy, sea("ENG-FLA", army="UK1")) == ("TTLM-4.6-03", "enemy-port")
    assert why(enemy, sea("CAL-ENG", army="FR6")) == ("TTLM-4.6-01", "uk-only")
    refusal = why_not_retreat(disputed, "EN", "FLA", Goal("ENG", "UK1"))
    assert refusal is not None and refusal.rule == "TTLM-5.4-01"
