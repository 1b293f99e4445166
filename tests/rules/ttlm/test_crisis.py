"""TTLM 9.8, 9.9: military crises."""

from __future__ import annotations

import random

import pytest

from engine.games.to_the_last_man.answers import CrisisLossGiven, Loss
from engine.games.to_the_last_man.facts.board import OwnerChanged
from engine.games.to_the_last_man.facts.cards import CardPlayed
from engine.games.to_the_last_man.facts.force import ArmyEliminated, UnitsLost, UnitsLostSeen
from engine.games.to_the_last_man.facts.season import CrisisFailed
from engine.games.to_the_last_man.rules.crisis import (
    CrisisLosses,
    CrisisOptions,
    crisis_moment,
    first_losses,
    military_crisis,
)
from engine.games.to_the_last_man.rules.player_turn import end_player_turn, player_turn
from engine.games.to_the_last_man.rules.victory import victory_points
from tests.narrowing import not_none
from tests.rules.ttlm.drawn import PACK, drawn, play

SP1914, SP1915, SP1916, SP1917, SP1918, SP1919 = 1, 4, 8, 12, 16, 20


def crisis(side, turn, losses=None, **position):
    hands = {"GE": "EMC"} if side == "GE" else {"EN": "GMC"}
    state = drawn(turn=turn, phasing=side, hands=hands, **position)
    answers = {} if losses is None else {"crisis.loss": [losses]}
    return state, play(state, military_crisis(state, side, f"T{turn}.1"), answers)


def why(state, side, answer=True):
    options = CrisisOptions(state, side)
    refusal = options.why_not(answer)
    assert options.contains(answer) is (refusal is None)
    return refusal and (refusal.rule, refusal.reason)


ENTENTE = {"UK1": ("CAL", "2I"), "FR1": ("PAR", "3I"), "BE1": ("FLA", "2I"), "US1": ("TRO", "2I")}


@pytest.mark.parametrize(
    ("turn", "number", "nations"),
    [(SP1915, 1, ("UK",)), (SP1917, 3, ("UK", "FR")), (SP1918, 2, ("UK", "FR"))],
)
def test_9_8__1_what_an_entente_crisis_costs_by_year(turn, number, nations):
    _, course = crisis("GE", turn, armies=ENTENTE)
    (ask,) = course.asked("crisis.loss")
    assert ask.given == CrisisLossGiven("EN", number, nations, ("I", "CW")) and ask.seat == "EN"
    assert sum(len(fact.units) for fact in course.told(UnitsLost)) == number


def test_9_8__1_at_three_moments_of_the_own_player_turn_also_in_a_pass():
    state = drawn(turn=SP1915, offensive="", hands={"GE": "EMC OFF"}, armies=ENTENTE)
    course = play(state, player_turn(state, SP1915, 1, "GE"))
    assert [ask.given.slot for ask in course.asked("turn.crisis")] == ["start", "moves"]
    assert all(ask.volunteer and ask.secret for ask in course.asked("turn.crisis"))
    state = drawn(turn=SP1915, offensive="", hands={"GE": "EMC OFF"}, armies=ENTENTE)
    play(state, player_turn(state, SP1915, 1, "GE"), {"turn.card": ["OFF"]})
    course = play(state, end_player_turn(state), {"turn.crisis": [True]})
    assert [ask.given.slot for ask in course.asked("turn.crisis")] == ["combat"]
    assert len(course.told(UnitsLost)) == 1


def test_9_8__1_only_in_the_own_player_turn():
    state = drawn(turn=SP1915, offensive="", phasing="EN", hands={"GE": "EMC"}, armies=ENTENTE)
    course = play(state, player_turn(state, SP1915, 2, "EN"))
    assert course.asked("turn.crisis") == []


def test_9_8__2_units_go_to_the_pool_of_their_owners_choice():
    losses = (Loss("FR1", "FR.I"), Loss("UK1", "UK.I"), Loss("CAL", "UK.I"))
    state, course = crisis("GE", SP1917, losses, armies=ENTENTE, loose={"CAL": "UK I"})
    assert state.grouped(state.contents["FR1"]) == (("FR.I", 2),)
    assert state.grouped(state.contents["UK1"]) == (("UK.I", 1),) and state.loose["CAL"] == []
    assert len([unit for unit in state.pool["UK"] if PACK.type_of[unit] == "I"]) == 13
    assert UnitsLostSeen("EN", (("FR.I", 1),), "PAR", "crisis") in course.seen("GE")


def test_9_8__3_a_shortfall_is_a_victory_point_and_removal_is_compulsory():
    state, course = crisis("GE", SP1917, armies={"FR1": ("PAR", "2I")})
    assert len(course.told(UnitsLost)[0].units) == 2  # as far as possible
    assert course.told(CrisisFailed) == [CrisisFailed("EN", 1)]
    assert state.crisis_vp == 1 == victory_points(state)["crises"]


def test_9_8__3_with_nobody_at_all_nobody_is_asked():
    state, course = crisis("GE", SP1915, armies={"FR1": ("PAR", "2I")})
    assert course.asked("crisis.loss") == [] and state.crisis_vp == 1


@pytest.mark.parametrize("turn", [SP1914, SP1916, SP1919])
def test_9_8__4_in_other_years_it_is_ersatz_only(turn):
    state = drawn(turn=turn, hands={"GE": "EMC"})
    assert why(state, "GE") == ("TTLM-9.8-04", "no-crisis-this-year")
    assert CrisisOptions(state, "GE").describe() == (False,)


def test_9_8__4_the_entente_cannot_play_its_own_crisis():
    state = drawn(turn=SP1915, phasing="EN", hands={"EN": "EMC"})
    assert why(state, "EN") == ("TTLM-9.9-02", "no-crisis-this-year")
    state = drawn(turn=SP1916, phasing="EN", hands={"EN": "EMC"})
    assert why(state, "EN") == ("TTLM-9.9-02", "not-in-hand")


def test_r16_years_of_the_entente_crisis():
    """TTLM-9.8-01, TTLM-9.8-04"""
    _, course = crisis("GE", SP1917, armies=ENTENTE)
    assert course.asked("crisis.loss")[0].given.number == 3  # Italy; Gallipoli was 1915
    assert why(drawn(turn=SP1914, hands={"GE": "EMC"}), "GE") is not None
    assert why(drawn(turn=SP1916, hands={"GE": "EMC"}), "GE") is not None
    assert PACK.card_kinds["EMC"].ersatz == 1


def test_r17_years_of_the_german_crisis():
    """TTLM-9.9-01, TTLM-9.9-02"""
    armies = {"GE1": ("MET", "3I"), "GE2": ("EFT", "3I")}
    state, _ = crisis("EN", SP1916, armies=armies)
    assert len(state.contents["GE1"]) == 1 and len(state.contents["GE2"]) == 3
    assert len([unit for unit in state.pool["GE"] if PACK.type_of[unit] == "I"]) == 31
    for turn in (SP1915, SP1917):
        assert why(drawn(turn=turn, phasing="EN", hands={"EN": "GMC"}), "EN")[1] == "no-crisis-this-year"
    assert why(drawn(turn=SP1916, hands={"GE": "GMC"}), "GE")[1] == "no-crisis-this-year"


def test_c19_a_crisis_of_1918_leaves_the_game():
    """TTLM-9.8-05, TTLM-9.9-03"""
    losses = (Loss("GE1", "GE.I"), Loss("GE1", "GE.S"))
    state, _ = crisis("EN", SP1918, losses, armies={"GE1": ("MET", "2I S")})
    assert state.removed == ["GMC.01"] and state.grouped(state.contents["GE1"]) == (("GE.I", 1),)
    assert len(state.deck) == 54 and state.discard == []


def test_9_8__5_a_crisis_of_an_earlier_year_is_discarded():
    """TTLM-9.8-07 It may be drawn and played again."""
    state, course = crisis("GE", SP1915, armies=ENTENTE)
    assert state.discard == ["EMC.01"] and state.removed == []
    assert course.told(CardPlayed)[0].use == "crisis"


def test_9_8__6_commonwealth_counts_as_british_infantry_and_england_counts():
    state, course = crisis(
        "GE", SP1915, (Loss("ENG", "UK.CW"),), loose={"ENG": "UK CW"}, armies={"US1": ("PAR", "I")}
    )
    assert state.loose["ENG"] == [] and "UK.CW.01" in state.pool["UK"]
    state, course = crisis("GE", SP1917, armies={"US1": ("PAR", "3I"), "BE1": ("FLA", "2I")})
    assert course.asked("crisis.loss") == []  # Americans and Belgians never count


@pytest.mark.parametrize(("turn", "types"), [(SP1914, ("I",)), (SP1916, ("I",)), (SP1918, ("I", "S"))])
def test_9_9__1_two_german_infantry_not_in_the_transit_box(turn, types):
    armies = {"GE1": ("MET", "4I"), "GE2": ("EFT", "3I")}
    _, course = crisis("EN", turn, armies=armies)
    assert course.asked("crisis.loss")[0].given == CrisisLossGiven("GE", 2, ("GE",), types)
    options = course.asked("crisis.loss")[0].options
    assert options.why_not((Loss("GE2", "GE.I"),) * 2).reason == "no-such-infantry"


def test_9_9__1_stosstruppen_meet_it_in_1918_only():
    """TTLM-8.2.1-02, TTLM-8.2.2-02"""
    _, course = crisis("EN", SP1916, armies={"GE1": ("MET", "I 3A")})
    assert course.told(CrisisFailed) == [CrisisFailed("GE", -1)]  # guns do not satisfy it
    _, course = crisis("EN", SP1918, armies={"GE1": ("MET", "I 2S")})
    assert course.told(CrisisFailed) == []


def test_9_9__2_a_shortfall_costs_germany_a_point():
    state, _ = crisis("EN", SP1914, armies={"GE1": ("MET", "I C")})
    assert state.crisis_vp == -1


def test_8_1__7_an_army_emptied_by_a_crisis_is_only_empty():
    state, _ = crisis("EN", SP1914, armies={"GE1": ("MET", "2I")})
    assert state.contents["GE1"] == [] and state.eliminated == []


def test_8_1__10_but_one_that_faces_the_enemy_alone_is_lost():
    _, course = crisis("EN", SP1914, armies={"GE1": ("LIE", "2I"), "BE1": ("LIE", "I")})
    assert [fact.army for fact in course.told(ArmyEliminated)] == ["GE1"]


def test_0__6_an_area_left_to_the_enemy_changes_its_owner():
    owner = {"LIE": "GE"}
    _, course = crisis("EN", SP1914, armies={"BE1": ("LIE", "I")}, loose={"LIE": "GE 2I"}, owner=owner)
    assert course.told(OwnerChanged) == [OwnerChanged("LIE", "EN")]


# ------------------------------------------------------------------ choices


def test_d41_without_a_word_loose_infantry_behind_the_front_goes_first():
    armies = {
        "GE1": ("MET", "2I"),
        "GE2": ("COL", "4I"),
        "GE3": ("ART", "5I"),
        "UK1": ("ART", "I"),
    }
    row = PACK.crisis["GMC"][1914]
    state = drawn(armies=armies, loose={"COB": "GE I", "ART": "GE I"})
    assert first_losses(state, "GE", row, 2) == (Loss("COB", "GE.I"), Loss("GE2", "GE.I"))
    last = drawn(armies={"GE1": ("MET", "I"), "GE3": ("ART", "2I"), "UK1": ("ART", "I")})
    assert first_losses(last, "GE", row, 2) == (Loss("GE3", "GE.I"), Loss("GE1", "GE.I"))


def test_d41_plain_infantry_before_others():
    row = PACK.crisis["EMC"][1915]
    state = drawn(turn=SP1918, armies={"UK1": ("CAL", "I CW")})
    assert first_losses(state, "EN", row, 1) == (Loss("UK1", "UK.I"),)


def test_what_the_question_takes():
    state = drawn(turn=SP1917, armies=ENTENTE, loose={"CAL": "UK I E, UK I"})
    row = PACK.crisis["EMC"][1917]
    options = CrisisLosses(state, "EN", row, 3)
    assert not_none(options.why_not(())).reason == "wrong-number-of-losses"
    assert not_none(options.why_not((Loss("UK1", "UK.I"),) * 3)).reason == "no-such-infantry"
    assert not_none(options.why_not("I@CAL")).reason == "not-a-list-of-losses"
    assert not_none(options.why_not((Loss("BE1", "BE.I"),) * 3)).reason == "no-such-infantry"
    rng = random.Random(5)
    assert all(options.contains(options.sample(rng)) for _ in range(100))
    assert all(options.contains(answer) for answer in options.describe()) and options.only() is None


def test_the_entrenched_stay_if_there_are_others():
    state, _ = crisis("GE", SP1915, (Loss("CAL", "UK.I"),), loose={"CAL": "UK I E, UK I"})
    assert state.loose["CAL"] == state.entrenched


def test_only_one_way_to_lose_is_told():
    state = drawn(armies={"GE1": ("MET", "2I")})
    row = PACK.crisis["GMC"][1914]
    assert CrisisLosses(state, "GE", row, 2).only() == ((Loss("GE1", "GE.I"),) * 2,)


def test_an_empty_hand_is_not_asked():
    state = drawn(turn=SP1915)
    assert play(state, crisis_moment(state, "GE", "start", "T4.1")).asks == []
    held = drawn(turn=SP1915, hands={"GE": "OFF"})
    course = play(held, crisis_moment(held, "GE", "start", "T4.1"))
    assert why(held, "GE") == ("TTLM-9.8-04", "not-in-hand") and len(course.asks) == 1
    assert why(held, "GE", "yes") == ("TTLM-9.8-04", "yes-or-no")
    assert CrisisOptions(held, "GE").sample(random.Random(1)) is False
    able = CrisisOptions(drawn(turn=SP1915, hands={"GE": "EMC"}), "GE")
    assert {able.sample(random.Random(n)) for n in range(9)} == {False, True} and able.only() is None
