"""TTLM 2.II.1, 2.III, 2.IV: Offensive or Pass, the exchange of cards, how Player Turns alternate."""

from __future__ import annotations

import random

import pytest

from engine.games.to_the_last_man.answers import DONE, Move, Shift
from engine.games.to_the_last_man.facts.board import ArmyMoved, MarkersRemoved, UnitsMoved
from engine.games.to_the_last_man.facts.cards import (
    CardPlayed,
    CardsDiscarded,
    CardsDiscardedSeen,
    CardsDrawn,
    DeckShuffled,
)
from engine.games.to_the_last_man.facts.season import PlayerTurnBegan, PlayerTurnEnded
from engine.games.to_the_last_man.rules.cards import hand
from engine.games.to_the_last_man.rules.movement import why_not_act
from engine.games.to_the_last_man.rules.player_turn import OffensiveCards, end_player_turn, player_turn
from engine.games.to_the_last_man.rules.reinforcements import begin_season
from tests.narrowing import not_none
from tests.rules.ttlm.drawn import PACK, drawn, play

ARMIES = {"GE1": ("COL", "3I"), "GE2": ("COB", "3I"), "FR1": ("PAR", "3I"), "FR4": ("BAR", "2I")}


def turn(state, answers=None, side="GE", **chance):
    """A Player Turn up to the battles."""
    return play(state, player_turn(state, state.turn, state.number, side), answers, **chance)


def why(course, topic, answer):
    refusal = course.asked(topic)[0].options.why_not(answer)
    return refusal and (refusal.rule, refusal.reason)


# ------------------------------------------------------------------ Offensive or Pass


def test_2_ii_1__2_an_offensive_card_lets_any_number_move():
    state = drawn(armies={**ARMIES, "GE3": ("SAA", "I")}, offensive="", hands={"GE": "OFF"})
    moves = [
        Move(("COL", "AAC"), army="GE1"),
        Move(("COB", "TRI"), army="GE2"),
        Move(("SAA", "LOR"), army="GE3"),
    ]
    course = turn(state, {"turn.card": ["OFF"], "turn.act": [*moves, DONE]})
    assert [fact.army for fact in course.told(ArmyMoved)] == ["GE1", "GE2", "GE3"]
    assert state.offensive == "OFF" and PACK.cards[state.discard[0]] == "OFF"
    assert course.result.key == "T1.1.E"  # no battle was declared


@pytest.mark.parametrize("kind", ["OFF", "LIM", "BIG", "GER", "TLM", "FRI"])
def test_2_ii_1__2_six_kinds_of_card_are_offensives(kind):
    state = drawn(offensive="", hands={"GE": kind})
    turn(state, {"turn.card": [kind]})
    assert state.offensive == kind


def test_2_ii_1__2_no_other_card_and_none_that_is_not_held():
    state = drawn(offensive="", hands={"GE": "LIM ER2"})
    options = OffensiveCards(state, "GE")
    assert options.describe() == (None, "LIM")
    assert not_none(options.why_not("ER2")).reason == "no-offensive-card"
    assert not_none(options.why_not("OFF")).reason == "not-in-hand"
    assert not_none(options.why_not("XYZ")).reason == "no-such-card"
    assert not_none(options.why_not({"OFF": 1})).reason == "no-such-card"
    assert {options.sample(random.Random(n)) for n in range(20)} == {None, "LIM"}


def test_2_ii_1__3_one_offensive_card_a_player_turn():
    state = drawn(offensive="", hands={"GE": "OFF OFF LIM"})
    course = turn(state, {"turn.card": ["OFF"]})
    assert len(course.asked("turn.card")) == 1
    assert [fact.use for fact in course.told(CardPlayed)] == ["offensive"]


def test_2_ii_1__4_a_pass_has_no_battles():
    state = drawn(armies={"GE1": ("ART", "3I"), "UK1": ("ART", "3I")}, offensive="", hands={"GE": "OFF"})
    course = turn(state, {"turn.card": [None]})
    assert course.asked("battle.declare") == [] and course.result.key == "T1.1.E"


def test_c13_a_pass_never_enters_an_enemy_area():
    """TTLM-2.II.1-05"""
    state = drawn(armies={"GE3": ("TRI", "3I")}, offensive="")
    course = turn(state)
    assert why(course, "turn.act", Move(("TRI", "ARD"), army="GE3"))[0] in ("TTLM-2.II.1-05", "TTLM-4.2-03")


def test_2_ii_1__5_a_pass_moves_one_unit_and_disputed_areas_may_be_entered():
    state = drawn(
        armies={**ARMIES, "GE3": ("LIL", "I"), "UK1": ("ART", "I"), "GE4": ("ART", "I")}, offensive=""
    )
    state.owner["LIL"] = "GE"
    course = turn(state, {"turn.act": [Move(("LIL", "ART"), army="GE3")]})
    assert state.army_at["GE3"] == "ART"
    after = why_not_act(state, "GE", Move(("COL", "AAC"), army="GE1"))
    assert after is not None and after.rule == "TTLM-2.II.1-05"
    assert course.told(ArmyMoved)[0].army == "GE3"


def test_c14_a_shift_within_an_area_uses_up_the_pass_move():
    """TTLM-2.II.1-05, TTLM-2.II.1-07, TTLM-4.1-02"""
    armies = {"BE1": ("LIE", "I"), "FR4": ("BAR", "2I"), "FR6": ("PAR", "I")}
    state = drawn(armies=armies, loose={"LIE": "BE I"}, offensive="", phasing="EN", hands={"EN": "SRV"})
    shift = Shift("LIE", (("BE.I", 1),), into="BE1")

    def then(ask):
        second = ask.options.why_not(Move(("BAR", "CHA"), army="FR4"))
        assert second is not None and second.rule == "TTLM-2.II.1-05"
        return Move(("PAR", "TRO", "BAR", "NAN"), army="FR6", mode="reserves")

    course = turn(state, {"turn.act": [shift, then, DONE]}, side="EN")
    assert state.army_at["FR6"] == "NAN" and state.army_at["FR4"] == "BAR"
    assert course.asked("turn.discard") == []  # a card was played


def test_2_ii_1__6_a_pass_may_play_a_crisis_of_this_year():
    armies = {"UK1": ("CAL", "2I"), "GE1": ("COL", "I")}
    state = drawn(turn=4, armies=armies, offensive="", hands={"GE": "EMC"})
    course = turn(state, {"turn.card": [None], "turn.crisis": [True]})
    assert [fact.use for fact in course.told(CardPlayed)] == ["crisis"] and len(state.contents["UK1"]) == 1
    quiet = drawn(turn=8, armies=armies, offensive="", hands={"GE": "EMC"})
    assert why(turn(quiet), "turn.crisis", True) == ("TTLM-9.8-04", "no-crisis-this-year")


def test_2_ii_1__7_reserves_move_a_second_unit_in_a_pass():
    """TTLM-9.6-01"""
    state = drawn(armies=ARMIES, offensive="", hands={"GE": "SRV"})
    moves = [
        Move(("COL", "AAC"), army="GE1"),
        Move(("COB", "PAL", "STR"), army="GE2", mode="reserves"),
        DONE,
    ]
    course = turn(state, {"turn.act": moves})
    assert (state.army_at["GE1"], state.army_at["GE2"]) == ("AAC", "STR")
    assert [fact.use for fact in course.told(CardPlayed)] == ["reserves"]


def test_2_ii_1__10_crisis_and_two_reserves_in_one_pass():
    armies = {**ARMIES, "GE3": ("SAA", "I"), "UK1": ("CAL", "2I")}
    state = drawn(turn=4, armies=armies, offensive="", hands={"GE": "SRV SRV EMC"})
    moves = [
        Move(("COB", "PAL", "STR"), army="GE2", mode="reserves"),
        Move(("SAA", "TRI"), army="GE3", mode="reserves"),
        DONE,
    ]
    course = turn(state, {"turn.act": moves, "turn.crisis": [True]})
    assert [fact.use for fact in course.told(CardPlayed)] == ["crisis", "reserves", "reserves"]
    assert (state.army_at["GE2"], state.army_at["GE3"]) == ("STR", "TRI")


def test_9_6__2_two_reserves_move_two_different_units():
    state = drawn(armies=ARMIES, offensive="", hands={"GE": "SRV SRV"})

    def again(ask):
        refusal = ask.options.why_not(Move(("STR", "PAL"), army="GE2", mode="reserves"))
        assert refusal is not None and refusal.rule == "TTLM-9.6-02"
        return DONE

    turn(state, {"turn.act": [Move(("COB", "PAL", "STR"), army="GE2", mode="reserves"), again]})


@pytest.mark.parametrize(
    ("moved", "act"),
    [
        ("GE1", Move(("COL", "AAC"), army="GE1")),
        ("GE1", Move(("COL", "COB", "PAL"), army="GE1", mode="rail")),
    ],
)
def test_2_ii_1__11_the_pass_move_may_be_of_any_kind(moved, act):
    state = drawn(armies=ARMIES, offensive="")
    turn(state, {"turn.act": [act]})
    assert state.army_at[moved] == act.path[-1]


def test_2_ii_1__11_also_strategic_by_sea_or_out_of_an_army():
    state = drawn(armies={"FR1": ("ORL", "3I"), "UK1": ("ENG", "2I")}, offensive="", phasing="EN")
    assert why_not_act(state, "EN", Move(("ORL", "CAL"), army="FR1", mode="strat")) is None
    assert why_not_act(state, "EN", Move(("ENG", "CAL"), army="UK1", mode="sea")) is None
    course = turn(state, {"turn.act": [Shift("ORL", (("FR.I", 1),), source="FR1")]}, side="EN")
    assert course.told(UnitsMoved) == [] and len(state.loose["ORL"]) == 1


# ------------------------------------------------------------------ the exchange of cards


def test_2_ii_1__8_a_pass_without_cards_may_exchange_some():
    state = drawn(offensive="", hands={"GE": "ER2 LIM OFF"}, deck="GAS SUR BAD")
    course = turn(state, {"turn.discard": [("ER2", "LIM")]})
    assert [type(fact) for fact in course.facts if isinstance(fact, (CardsDiscarded, CardsDrawn))] == [
        CardsDiscarded,
        CardsDrawn,
    ]
    assert sorted(PACK.cards[card] for card in state.hands["GE"]) == ["GAS", "OFF", "SUR"]
    assert CardsDiscardedSeen("GE", ("ER2", "LIM"), "pass", False) in course.seen("EN")
    assert course.asked("turn.discard")[0].default == ()


def test_2_ii_1__8_the_discards_are_part_of_a_reshuffle():
    state = drawn(offensive="", hands={"GE": "ER2 LIM"}, deck="GAS", discard="BAD")
    course = turn(state, {"turn.discard": [("ER2", "LIM")]})
    (mixed,) = course.told(DeckShuffled)
    assert sorted(PACK.cards[card] for card in mixed.order) == ["BAD", "ER2", "LIM"]


def test_2_ii_1__8_whoever_played_a_card_exchanges_none():
    state = drawn(turn=4, offensive="", hands={"GE": "EMC OFF"}, armies={"UK1": ("CAL", "2I")})
    course = turn(state, {"turn.crisis": [True]})
    assert course.asked("turn.discard") == []
    offensive = drawn(offensive="", hands={"GE": "OFF LIM"})
    assert turn(offensive, {"turn.card": ["OFF"]}).asked("turn.discard") == []


def test_2_ii_1__8_where_the_size_of_hands_is_hidden_an_empty_one_is_asked_too():
    state = drawn(offensive="", options={"hidden_hand_size": True})
    assert turn(state).asked("turn.discard")[0].options.only() == ((),)
    assert turn(drawn(offensive="")).asked("turn.discard") == []


def test_2_ii_1__9_what_was_drawn_so_serves_from_the_opponents_turn_on():
    state = drawn(turn=4, offensive="", hands={"GE": "LIM"}, deck="EMC OFF", armies={"UK1": ("CAL", "2I")})
    course = turn(state, {"turn.discard": [("LIM",)]})
    assert state.fresh == ["EMC.01"] and hand(state, "GE") == []
    assert [ask.given.slot for ask in course.asked("turn.crisis")] == ["start", "moves"]
    play(state, end_player_turn(state))
    assert state.fresh == [] and hand(state, "GE") == ["EMC"]


def test_2_ii_1__12_a_pass_with_a_move_and_an_exchange_is_a_pass():
    state = drawn(armies=ARMIES, offensive="", hands={"GE": "LIM"})
    turn(state, {"turn.act": [Move(("COL", "AAC"), army="GE1")], "turn.discard": [("LIM",)]})
    assert play(state, end_player_turn(state)).told(PlayerTurnEnded) == [PlayerTurnEnded("GE", True, 1)]


# ------------------------------------------------------------------ alternation


def ended(passes=0, offensive="", side="GE", **more):
    state = drawn(passes=passes, offensive=offensive, phasing=side, armies=ARMIES, **more)
    course = play(state, end_player_turn(state))
    return state, course


def test_2_iii__1_the_other_side_takes_its_turn():
    _, course = ended(offensive="OFF")
    assert course.result.key == "T1.2" and course.result.args == (1, 2, "EN")
    _, course = ended(offensive="OFF", side="EN", number=2)
    assert course.result.args == (1, 3, "GE")


@pytest.mark.parametrize("side", ["GE", "EN"])
def test_2_iv__1_two_passes_in_a_row_end_the_season(side):
    _, course = ended(passes=1, side=side)
    assert course.result.key == "T1.P"
    state, course = ended(passes=1, side=side, offensive="OFF")
    assert state.passes == 0 and course.result.key == "T1.2"


@pytest.mark.parametrize(
    ("sequence", "key"),
    [
        ([("GE", "OFF"), ("EN", ""), ("GE", "")], "T1.P"),
        ([("GE", ""), ("EN", "OFF"), ("GE", ""), ("EN", "")], "T1.P"),
        ([("GE", "OFF"), ("EN", ""), ("GE", "OFF"), ("EN", "")], "T1.5"),
    ],
)
def test_c16_the_season_ends(sequence, key):
    """TTLM-2.IV-01"""
    state = drawn(armies=ARMIES, offensive="", hands={"GE": "OFF OFF", "EN": "OFF"})
    segment = None
    for side, card in sequence:
        number = 1 if segment is None else segment.args[1]
        assert segment is None or segment.args[2] == side
        course = play(state, player_turn(state, 1, number, side), {"turn.card": [card or None]})
        segment = play(state, end_player_turn(state)).result
        assert course.result.name == "turn_end"
    assert segment is not None
    assert segment.key == key


def test_2_iv__2_a_limited_offensive_stopped_by_the_weather_is_no_pass():
    state, course = ended(passes=1, offensive="LIM", cut=1, weather=True)
    assert course.told(PlayerTurnEnded) == [PlayerTurnEnded("GE", False, 0)]
    assert state.passes == 0 and course.result.key == "T1.2"


def test_2_iv__3_a_side_without_cards_has_its_turn_and_its_one_move():
    state = drawn(armies=ARMIES, offensive="")
    course = turn(state, {"turn.act": [Move(("COL", "AAC"), army="GE1")]})
    assert course.asked("turn.card")[0].options.describe() == (None,)
    assert state.army_at["GE1"] == "AAC" and course.asked("turn.discard") == []


def test_2_iv__4_every_season_begins_with_the_first_player_and_no_passes():
    state = drawn(passes=2, number=7, phasing="EN", first="EN")
    course = play(state, begin_season(state, 2), {"reinforce": DONE})
    assert (state.passes, state.number, state.first) == (0, 0, "GE")
    assert course.result.args == (2, 1, "GE")


def test_5_4__2_markers_go_when_the_turns_combat_is_over():
    state, course = ended(offensive="OFF", retreated=["GE1"])
    assert len(course.told(MarkersRemoved)) == 1 and state.retreated == []
    assert ended(offensive="OFF")[1].told(MarkersRemoved) == []


def test_4_4__1_what_was_friendly_when_the_turn_began_is_noted():
    state = drawn(armies=ARMIES, offensive="")
    course = turn(state)
    (began,) = course.told(PlayerTurnBegan)
    assert "COL" in began.friendly and "PAR" not in began.friendly
    assert state.was_friendly == list(began.friendly)
