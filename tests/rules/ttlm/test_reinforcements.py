"""TTLM 2.I, 8.2.3, 14.2: reinforcements, Commonwealth swaps, bids for the initiative."""

from __future__ import annotations

import random

import pytest

from engine.games.to_the_last_man.answers import DONE, Place, PlacingGiven, Shift, Swap
from engine.games.to_the_last_man.facts.board import UnitsShifted
from engine.games.to_the_last_man.facts.cards import CardsDiscarded
from engine.games.to_the_last_man.facts.force import (
    ArmyArrived,
    ReinforcementsDue,
    ReinforcementsSeen,
    UnitReplaced,
    UnitReplacedSeen,
    UnitsPlaced,
    UnitsPlacedSeen,
)
from engine.games.to_the_last_man.facts.season import FirstPlayerChosen, SeasonBegan
from engine.games.to_the_last_man.rules.reinforcements import (
    ReinforceOptions,
    begin_season,
    bring_up,
    first_placement,
    place_reinforcements,
)
from tests.narrowing import not_none
from tests.rules.ttlm.drawn import PACK, drawn, play


def why(state, side, act):
    options = ReinforceOptions(state, side)
    refusal = options.why_not(act)
    assert options.contains(act) is (refusal is None)
    return refusal and (refusal.rule, refusal.reason)


def waiting(side, units="", **position):
    """A position in which these wait to be placed."""
    position.setdefault("turn", 5)
    state = drawn(phase="reinforce", **position)
    for word in units.split():
        kind, _, number = word.partition("*")
        nation = kind.split(".")[0]
        for unit in [unit for unit in state.pool[nation] if PACK.kind_of[unit] == kind][: int(number or 1)]:
            state.pool[nation].remove(unit)
            state.held[side] = sorted([*state.held[side], unit])
    return state


def one(kind, number=1):
    return ((kind, number),)


# ------------------------------------------------------------------ what arrives


def test_2_i__1_both_sides_receive_what_the_turn_brings():
    state = drawn(turn=1)
    course = play(state, begin_season(state, 2), {"reinforce": DONE})
    assert course.told(SeasonBegan) == [SeasonBegan(2, "GE")]
    due = {fact.side: fact for fact in course.told(ReinforcementsDue)}
    assert due["GE"].armies == ("GEC",) and due["EN"].armies == ("FR9", "FR10")
    assert state.grouped(due["EN"].units) == (("FR.I", 2), ("UK.I", 2))
    assert ReinforcementsSeen("GE", ("GEC",), one("GE.I", 3), ()) in course.seen("EN")
    assert course.result.key == "T2.1" and course.result.args == (2, 1, "GE")


def test_2_i__1_the_first_season_of_a_scenario_brings_nothing():
    state = drawn(turn=4, first_turn=4)
    course = play(state, begin_season(state, 4))
    assert course.told(ReinforcementsDue) == [] and course.asked("reinforce") == []


def test_2_i__1_they_go_to_a_supplied_friendly_or_disputed_area():
    state = waiting("GE", "GE.I*3", armies={"GE1": ("LIE", "I"), "FR5": ("LIE", "I")}, owner={"LIE": "GE"})
    assert why(state, "GE", Place("COL", units=one("GE.I"))) is None
    assert why(state, "GE", Place("LIE", units=one("GE.I", 2))) is None  # disputed, AAC behind it
    assert why(state, "GE", Place("BRU", units=one("GE.I"))) == ("TTLM-6.4-01", "not-supplied")
    assert why(state, "GE", Place("LIE", units=one("GE.I"), into="GE1")) is None
    assert why(state, "GE", Place("COL", units=one("GE.I"), into="GE1")) == ("TTLM-7.2-01", "army-not-there")
    assert why(state, "GE", Place("LIE", units=one("GE.I"), into="FR5")) == ("TTLM-7.2-01", "army-not-there")
    assert why(state, "GE", Place("ZZZ", units=one("GE.I"))) == ("TTLM-2.I-01", "no-such-area")
    assert why(state, "GE", Place("COL", units=one("GE.A"))) == ("TTLM-2.I-01", "does-not-arrive")
    assert why(state, "GE", Place("COL", units=one("GE.I", 4))) == ("TTLM-2.I-01", "does-not-arrive")
    assert why(state, "GE", Place("COL")) == ("TTLM-2.I-01", "one-kind-at-a-time")


def test_2_i__1_stacking_and_slots_hold():
    state = waiting("GE", "GE.I*4", armies={"GE1": ("COL", "5I")}, loose={"COL": "GE C"})
    assert why(state, "GE", Place("COL", units=one("GE.I", 2))) == ("TTLM-1.2.2-01", "no-room")
    assert why(state, "GE", Place("COL", units=one("GE.I"))) is None
    assert why(state, "GE", Place("COL", units=one("GE.I"), into="GE1")) == ("TTLM-1.4-01", "no-slot")


def test_1_2_2__8_an_empty_army_in_a_full_area_takes_nobody_in():
    full = waiting("GE", "GE.I", armies={"GE1": ("COL", "")}, loose={"COL": "GE 3I"})
    assert why(full, "GE", Place("COL", units=one("GE.I"), into="GE1")) == ("TTLM-1.2.2-01", "no-room")
    free = waiting("GE", "GE.I", armies={"GE1": ("COL", "")}, loose={"COL": "GE 2I"})
    assert why(free, "GE", Place("COL", units=one("GE.I"), into="GE1")) is None


def test_2_i__2_what_the_pool_does_not_hold_is_lost():
    state = drawn(turn=3, loose={"COL": "GE 3A", "COB": "GE 3A"})
    course = play(state, bring_up(state, "GE"))
    (due,) = course.told(ReinforcementsDue)
    assert due.units == () and due.lost == one("GE.A")


def test_r19_missing_stosstruppen_come_as_infantry():
    """TTLM-8.2.2-08"""
    state = drawn(turn=16)
    state.pool["GE"] = [unit for unit in state.pool["GE"] if PACK.type_of[unit] not in ("S", "I")]
    state.pool["GE"] += list(PACK.kinds["GE.S"][:7]) + list(PACK.kinds["GE.I"][:2])
    course = play(state, bring_up(state, "GE"))
    (due,) = course.told(ReinforcementsDue)
    assert state.grouped(due.units) == (("GE.I", 2), ("GE.S", 7)) and due.lost == one("GE.S")


def test_8_2_2__8_ten_stosstruppen_arrive_in_spring_1918():
    state = drawn(turn=16)
    course = play(state, bring_up(state, "GE"))
    assert state.grouped(course.told(ReinforcementsDue)[0].units) == one("GE.S", 10)
    assert course.told(ReinforcementsDue)[0].armies == ("GE17", "GE18")


def test_8_3_4__1_only_biplanes_whose_year_has_come_arrive():
    state = drawn(turn=8, loose={"COL": "GE B"})  # the one of 1916 is on the map
    play(state, bring_up(state, "GE"))
    assert [unit for unit in state.held["GE"] if PACK.type_of.get(unit) == "B"] == []


def test_2_i__3_armies_of_the_united_kingdom_appear_in_england():
    state = waiting("EN", "UK.I", turn=3)
    state.held["EN"].append("UK2")
    assert why(state, "EN", Place("CAL", army="UK2")) == ("TTLM-2.I-03", "only-in-england")
    assert why(state, "EN", Place("ENG", army="UK2")) is None
    assert why(state, "EN", Place("CAL", units=one("UK.I"))) is None


def test_2_i__3_the_ruling_can_be_switched_to_all_british_units():
    state = waiting("EN", "UK.I", options={"uk_in_england": "all"})
    assert why(state, "EN", Place("CAL", units=one("UK.I"))) == ("TTLM-2.I-03", "only-in-england")
    assert why(state, "EN", Place("ENG", units=one("UK.I"))) is None


def test_4_6__5_nobody_but_the_british_appears_in_england():
    state = waiting("EN", "FR.I")
    assert why(state, "EN", Place("ENG", units=one("FR.I"))) == ("TTLM-4.6-05", "only-british-there")


def test_2_i__4_american_units_arrive_in_france_only():
    state = waiting("EN", "US.I*2", turn=13, armies={"FR1": ("PAR", "I"), "BE1": ("FLA", "I")})
    state.held["EN"].append("US1")
    assert why(state, "EN", Place("FLA", units=one("US.I"))) == ("TTLM-2.I-04", "not-at-home")
    assert why(state, "EN", Place("FLA", army="US1")) == ("TTLM-2.I-04", "not-at-home")
    assert why(state, "EN", Place("PAR", units=one("US.I"), into="FR1")) is None
    assert why(state, "EN", Place("CAL", army="US1")) is None


def test_4_7__2_nothing_arrives_in_the_transit_box():
    state = waiting("GE", "GE.I")
    assert why(state, "GE", Place("EFT", units=one("GE.I"))) == ("TTLM-4.7-02", "not-in-the-box")


def test_8_1__10_no_army_is_set_down_where_it_would_be_lost_at_once():
    alone = waiting("EN", turn=2, armies={"GE1": ("TRO", "I")}, loose={"TRO": "FR C"})
    alone.held["EN"].append("FR9")
    assert why(alone, "EN", Place("TRO", army="FR9")) == ("TTLM-8.1-10", "no-infantry-there")
    covered = waiting("EN", turn=2, armies={"GE1": ("TRO", "I")}, loose={"TRO": "FR I"})
    covered.held["EN"].append("FR9")
    assert why(covered, "EN", Place("TRO", army="FR9")) is None


def test_2_i__5_armies_are_rearranged_within_an_area():
    state = waiting("GE", armies={"GE1": ("COL", "3I"), "GE2": ("COL", "I"), "GE3": ("COB", "I")})
    acts = [Shift("COL", one("GE.I", 2), "GE1", "GE2"), DONE]
    course = play(state, place_reinforcements(state, "GE", "T5.R"), {"reinforce": acts})
    assert len(state.contents["GE2"]) == 3 and len(course.told(UnitsShifted)) == 1
    assert course.seen("EN") == []  # between armies nothing is told
    assert why(state, "GE", Shift("COL", one("GE.I", 2), "GE2", "GE1"))[1] == "shifted-already"
    assert why(state, "GE", Shift("COL", one("GE.I"), "GE1", "GE3")) == ("TTLM-8.1-01", "army-elsewhere")


def test_2_i__6_germany_is_resolved_first_and_both_are_sealed():
    state = drawn(turn=2, armies={"GE1": ("COL", "I"), "FR1": ("PAR", "I")})
    course = play(state, begin_season(state, 3))
    assert [ask.seat for ask in course.asked("reinforce")[:2]] == ["GE", "EN"]
    sides = [fact.side for fact in course.told(ReinforcementsDue)]
    assert sides == ["GE", "EN"]
    arrivals = [fact.side for fact in course.facts if isinstance(fact, (UnitsPlaced, ArmyArrived))]
    assert arrivals[0] == "GE"
    assert all(ask.secret for ask in course.asked("reinforce"))


def test_2_i__7_what_is_not_placed_waits_for_a_later_season():
    state = waiting("GE", "GE.I*2", turn=5)
    course = play(state, place_reinforcements(state, "GE", "T5.R"), {"reinforce": DONE})
    assert len(state.held["GE"]) == 2
    play(state, begin_season(state, 6), {"EN reinforce": DONE, "GE reinforce": [_first_held, DONE]})
    assert [PACK.kind_of[unit] for unit in state.loose["COL"]] == ["GE.I", "GE.I", "GE.I"]
    assert course.told(UnitsPlaced) == []


def _first_held(ask):
    return Place("COL", units=ask.given.units)


def test_0__13_the_enemy_reads_what_came_out_of_the_pool_and_where_it_stands_loose():
    state = waiting("GE", "GE.I*2", armies={"GE1": ("COL", "I")})
    acts = [Place("COL", units=one("GE.I"), into="GE1"), Place("COB", units=one("GE.I")), DONE]
    course = play(state, place_reinforcements(state, "GE", "T5.R"), {"reinforce": acts})
    assert course.seen("EN") == [
        UnitsPlacedSeen("GE", one("GE.I"), "", False),
        UnitsPlacedSeen("GE", one("GE.I"), "COB", False),
    ]


# ------------------------------------------------------------------ 8.2.3


def test_c70_a_commonwealth_corps_takes_a_british_units_place():
    """TTLM-8.2.3-03, TTLM-8.2.3-04, TTLM-2.I-08"""
    state = drawn(turn=6, armies={"UK2": ("CAL", "2I E")})
    pool = len([unit for unit in state.pool["UK"] if PACK.kind_of[unit] == "UK.I"])
    course = play(
        state,
        place_reinforcements(state, "EN", "T6.R"),
        {"reinforce": [Swap("UK.CW.01", "CAL", "UK2"), DONE]},
    )
    assert state.grouped(state.contents["UK2"]) == (("UK.CW", 1), ("UK.I", 1))
    assert "UK2" in state.entrenched and state.corps == ["UK.CW.02"]
    assert len([unit for unit in state.pool["UK"] if PACK.kind_of[unit] == "UK.I"]) == pool + 1
    assert course.asked("reinforce")[0].given == PlacingGiven("EN", (), (), ("UK.CW.01",))
    assert course.seen("GE") == [UnitReplacedSeen("EN", "UK.I", "UK.CW", "")]


def test_8_2_3__3_each_corps_on_its_turn():
    early = drawn(turn=5, armies={"UK2": ("CAL", "2I")})
    assert why(early, "EN", Swap("UK.CW.01", "CAL", "UK2")) == ("TTLM-8.2.3-03", "does-not-arrive")
    state = drawn(turn=11, armies={"UK2": ("CAL", "2I")})
    state.corps = ["UK.CW.02"]
    assert why(state, "EN", Swap("UK.CW.02", "CAL", "UK2")) == ("TTLM-8.2.3-03", "does-not-arrive")
    state.turn = 12
    assert why(state, "EN", Swap("UK.CW.02", "CAL", "UK2")) is None
    assert why(state, "EN", Swap("UK.CW.02", "PAR", "UK2")) == ("TTLM-8.2.3-03", "no-uk-infantry-there")
    assert why(state, "GE", Swap("UK.CW.02", "CAL", "UK2")) == ("TTLM-8.2.3-03", "does-not-arrive")


def test_8_2_3__4_a_loose_one_keeps_its_trench():
    state = drawn(turn=6, loose={"CAL": "UK I E"})
    play(state, place_reinforcements(state, "EN", "T6.R"), {"reinforce": [Swap("UK.CW.01", "CAL"), DONE]})
    assert state.loose["CAL"] == ["UK.CW.01"] and state.entrenched == ["UK.CW.01"]


def test_8_2_3__4_without_british_infantry_the_swap_waits():
    state = drawn(turn=6, armies={"UK2": ("CAL", "C")})
    course = play(state, place_reinforcements(state, "EN", "T6.R"))
    assert course.told(UnitReplaced) == [] and "UK.CW.01" in state.corps
    state = drawn(turn=7, armies={"UK2": ("CAL", "I")}, corps=["UK.CW.01", "UK.CW.02"])
    state.pool["UK"] = [unit for unit in state.pool["UK"] if "CW" not in unit]
    assert why(state, "EN", Swap("UK.CW.01", "CAL", "UK2")) is None


def test_d06_without_a_word_the_corps_goes_to_the_front():
    state = drawn(
        turn=6,
        armies={"UK1": ("CAL", "I"), "UK2": ("ART", "I"), "UK3": ("ART", "I"), "GE4": ("ART", "I")},
    )
    assert first_placement(state, "EN") == Swap("UK.CW.01", "ART", "UK2")
    quiet = drawn(turn=6, armies={"UK1": ("PIC", "I")}, loose={"CAL": "UK I"})
    assert first_placement(quiet, "EN") == Swap("UK.CW.01", "CAL")


# ------------------------------------------------------------------ without a word


def test_d04_armies_appear_on_the_capitals_side():
    state = waiting("EN", turn=2)
    state.held["EN"] = ["FR9", "UK2", "US1"]
    course = play(state, place_reinforcements(state, "EN", "T2.R"))
    arrived = [(fact.army, fact.area) for fact in course.told(ArmyArrived)]
    assert arrived == [("FR9", "PAR"), ("UK2", "ENG"), ("US1", "PAR")]


def test_d04_where_the_capital_is_lost_the_first_friendly_area_at_home():
    state = waiting("EN", turn=2, loose={"PAR": "GE I"}, owner={"PAR": "GE"})
    state.held["EN"] = ["FR9"]
    homes = [area for area in PACK.home_areas["FR"] if area != "PAR"]
    assert first_placement(state, "EN") == Place(homes[0], army="FR9")


def test_d04_units_enter_the_army_with_most_free_slots_or_wait():
    state = waiting("GE", "GE.I*4 GE.A", armies={"GE1": ("COL", "4I"), "GE2": ("COB", "2I 2C")}, turn=2)
    course = play(state, place_reinforcements(state, "GE", "T2.R"))
    assert state.grouped(state.contents["GE2"]) == (("GE.C", 2), ("GE.I", 5))
    assert state.grouped(state.contents["GE1"]) == (("GE.A", 1), ("GE.I", 5))
    assert state.held["GE"] == [] and not any(state.loose.values())
    assert len(course.told(UnitsPlaced)) == 3
    lonely = waiting("GE", "GE.I*2", turn=2)
    play(lonely, place_reinforcements(lonely, "GE", "T2.R"))
    assert len(lonely.held["GE"]) == 2


# ------------------------------------------------------------------ 14.2


def bidding(bids, **hands):
    state = drawn(turn=1, options={"initiative_bidding": True}, hands={"GE": "OFF LIM ER2", "EN": "OFF GAS"})
    answers = {f"{side} season.bid": [bid] for side, bid in bids.items()} | {"reinforce": DONE}
    return state, play(state, begin_season(state, 2), answers | hands)


def test_14_2__1_the_higher_bid_says_who_plays_first():
    state, course = bidding({"GE": ("LIM",), "EN": ("GAS", "OFF")})
    assert course.told(FirstPlayerChosen) == [FirstPlayerChosen("EN", (("GE", 1), ("EN", 2)))]
    assert [fact.why for fact in course.told(CardsDiscarded)] == ["bid", "bid"]
    assert state.hands["EN"] == [] and len(state.hands["GE"]) == 2
    assert course.result.args == (2, 1, "EN")
    assert [ask.seat for ask in course.asked("season.first")] == ["EN"]


def test_14_2__1_the_winner_may_leave_it_to_the_other():
    state, course = bidding({"EN": ("GAS",)}, **{"season.first": ["GE"]})
    assert course.result.args == (2, 1, "GE") and state.first == "GE"


def test_14_2__1_a_tie_leaves_it_to_germany_and_the_bids_return():
    state, course = bidding({"GE": ("LIM",), "EN": ("GAS",)})
    assert course.told(CardsDiscarded) == [] and course.asked("season.first") == []
    assert course.result.args == (2, 1, "GE") and len(state.hands["GE"]) == 3


def test_14_2__1_three_cards_at_most():
    state = drawn(turn=1, options={"initiative_bidding": True}, hands={"GE": "OFF OFF OFF OFF"})
    course = play(state, begin_season(state, 2), {"reinforce": DONE})
    options = course.asked("season.bid")[0].options
    assert not_none(options.why_not(("OFF",) * 4)).reason == "too-many-cards"
    assert options.contains(("OFF",) * 3)


def test_2_ii_1__1_without_bids_germany_plays_first():
    state = drawn(turn=1, hands={"GE": "OFF", "EN": "OFF"})
    course = play(state, begin_season(state, 2), {"reinforce": DONE})
    assert course.asked("season.bid") == [] and course.result.args == (2, 1, "GE")


# ------------------------------------------------------------------ the question itself


@pytest.mark.parametrize("side", ["GE", "EN"])
def test_what_is_drawn_at_random_or_described_is_offered(side):
    state = waiting(
        side,
        "GE.I*3 GE.A" if side == "GE" else "FR.I*2 UK.A US.I",
        turn=6,
        armies={
            "GE1": ("COL", "3I"),
            "GE2": ("COL", "I A"),
            "FR1": ("PAR", "2I"),
            "UK1": ("CAL", "I"),
            "GE3": ("CAL", "I"),
        },
    )
    state.held[side] = sorted([*state.held[side], "GE4" if side == "GE" else "FR9"])
    options, rng = ReinforceOptions(state, side), random.Random(7)
    acts = [options.sample(rng) for _ in range(300)]
    assert all(options.contains(act) for act in (*acts, *options.describe()))
    assert {type(act).__name__ for act in acts} >= {"Place", "Shift", "Done"} | (
        {"Swap"} if side == "EN" else set()
    )
    assert options.only() is None
    kind = "GE.I" if side == "GE" else "FR.I"
    described = [act for act in options.describe() if isinstance(act, Place) and act.units]
    assert one(kind) in {act.units for act in described}
    assert {number for act in described for _, number in act.units} == {1}


def test_nonsense_is_refused():
    state = waiting("GE", "GE.I")
    assert why(state, "GE", "PLACE")[1] == "not-an-act"
    assert why(state, "GE", Place("COL", army="FR9"))[1] == "does-not-arrive"
    assert why(state, "GE", Place("COL", units=(("GE.I", 0),)))[1] == "one-kind-at-a-time"
    assert why(state, "GE", Place("COL", units=(("ZZ", 1),)))[1] == "one-kind-at-a-time"
