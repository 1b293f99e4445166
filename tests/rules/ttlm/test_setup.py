"""TTLM 11, 12, 4.1-11, 8.2.3-05: scenarios, what is agreed, the deal."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.games.to_the_last_man.answers import Build, CardsGiven, Entrench
from engine.games.to_the_last_man.facts.cards import (
    CardsDrawn,
    CardsDrawnSeen,
    CardTaken,
    CardTakenSeen,
    DeckShuffled,
)
from engine.games.to_the_last_man.invariants import check_settled
from engine.games.to_the_last_man.rules.areas import status
from engine.games.to_the_last_man.rules.crisis import eligible
from engine.games.to_the_last_man.rules.purchases import Purchases
from engine.games.to_the_last_man.rules.reinforcements import due_corps
from engine.games.to_the_last_man.rules.setup import deal, seat_names, set_up
from engine.games.to_the_last_man.rules.victory import total
from engine.kernel.errors import EngineError
from engine.kernel.game import GameSettings
from tests.narrowing import not_none
from tests.rules.ttlm.drawn import PACK, play

SCENARIOS = tuple(PACK.scenarios)


def placed(scenario, **options):
    state, segment = set_up(PACK, GameSettings(scenario, 2, options=options))
    return state, segment


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_11_3__1_every_scenario_begins_in_a_sound_position(scenario):
    state, segment = placed(scenario)
    check_settled(state)
    row = PACK.scenarios[scenario]
    assert segment.key == f"T{row.start_turn}.S" and state.turn == state.first_turn == row.start_turn
    assert total(state) == row.start_vp


def test_11_3__1_scenarios_begin_in_spring_but_the_campaign():
    seasons = {name: PACK.turns[placed(name)[0].turn].tag for name in SCENARIOS}
    assert seasons.pop("1914") == "1914-SU"
    assert list(seasons.values()) == [f"{year}-SP" for year in seasons]


@pytest.mark.parametrize(("scenario", "last"), [("1914", 3), ("1915", 7), ("1918", 19), ("1919", 23)])
def test_11_3__1_a_short_game_ends_with_its_years_winter(scenario, last):
    assert placed(scenario, length="short")[0].last_turn == last
    assert PACK.turns[last].season == "WINTER"
    assert placed(scenario)[0].last_turn == 23


def test_4_1__11_in_1914_home_areas_are_friendly_and_belgium_is_the_ententes():
    state, _ = placed("1914")
    for area, row in PACK.areas.items():
        if area != "EFT":
            assert state.owner[area] == ("GE" if row.country in ("GE", "LU") else "EN"), area
    assert status(state, "LUX", "GE") == "friendly" and status(state, "LIE", "EN") == "friendly"


def test_4_1__11_later_on_what_lies_behind_the_front_is_friendly():
    state, _ = placed("1916")
    assert {status(state, area, "GE") for area in ("BRU", "LIE", "SED", "AAC")} == {"friendly"}
    assert {status(state, area, "EN") for area in ("PAR", "CHA", "VER")} == {"friendly"}
    assert {status(state, area, "GE") for area in PACK.scenarios["1916"].disputed} == {"disputed"}


def test_8_2_3__5_later_scenarios_set_the_corps_up_as_other_infantry():
    assert placed("1914")[0].corps == placed("1915")[0].corps == ["UK.CW.01", "UK.CW.02"]
    state, _ = placed("1916")
    assert state.corps == ["UK.CW.02"]
    assert sum("UK.CW.01" in units for units in state.contents.values()) == 1
    assert placed("1918")[0].corps == []


def test_11_1__1_the_counters_of_the_box_are_all_there_and_no_more():
    state, _ = placed("1918")
    lying = [*state.corps, *(unit for units in state.pool.values() for unit in units)]
    lying += [unit for units in (*state.contents.values(), *state.loose.values()) for unit in units]
    assert Counter(lying) == Counter(list(PACK.units))
    assert len(PACK.kinds["GE.I"]) == 35 and len(PACK.kinds["FR.I"]) == 25


# ------------------------------------------------------------------ the deal


def test_11_2__1_germany_draws_first_then_the_entente():
    state, _ = placed("1914")
    course = play(state, deal(state, 1))
    draws = course.told(CardsDrawn)
    assert [(draw.side, len(draw.cards)) for draw in draws] == [("GE", 9), ("EN", 7)]
    assert len(course.told(DeckShuffled)[0].order) == 55 and len(state.deck) == 39
    assert course.result.key == "T1.R"
    assert [opening.position for opening in course.openings] == list(range(16))
    assert {opening.to for opening in course.openings[:9]} == {("GE",)}


def test_11_2__1_hands_are_secret():
    state, _ = placed("1914")
    course = play(state, deal(state, 1))
    seen = [fact for fact in course.seen("EN") if isinstance(fact, (CardsDrawn, CardsDrawnSeen))]
    assert seen[0] == CardsDrawnSeen("GE", 9)
    assert isinstance(seen[1], CardsDrawn) and seen[1].side == "EN"


def test_11_2__1_even_the_number_of_cards_may_be_hidden():
    state, _ = placed("1914", hidden_hand_size=True)
    course = play(state, deal(state, 1))
    assert course.openings == []
    assert not [fact for fact in course.seen("EN") if getattr(fact, "side", "") == "GE"]


def test_11_2__3_each_side_takes_one_of_two_cards():
    state, _ = placed("1914", historical_starting_cards=True)
    course = play(state, deal(state, 1), {"EN setup.take": ["ER3"]})
    given = {ask.seat: ask.given for ask in course.asked("setup.take")}
    assert given == {"GE": CardsGiven("GE", ("SUR", "OFF")), "EN": CardsGiven("EN", ("SRV", "ER3"))}
    assert [fact.card for fact in course.told(CardTaken)] == ["SUR.01", "ER3.01"]
    assert CardTakenSeen("EN") in course.seen("GE")
    assert "SUR.01" in state.hands["GE"] and "ER3.01" in state.hands["EN"]
    assert {side: len(cards) for side, cards in state.hands.items()} == {"GE": 9, "EN": 7}
    assert "OFF.01" in course.told(DeckShuffled)[0].order  # what is not taken is shuffled in
    assert not course.asked("setup.take")[0].options.contains("ER2")


def test_9_8__5_the_crisis_cards_are_not_in_the_deck_of_1919():
    """TTLM-9.9-03"""
    state, _ = placed("1919")
    assert state.removed == ["EMC.01", "GMC.01"] and len(state.deck) == 53


# ------------------------------------------------------------------ what is agreed


def test_11_2__2_contents_of_armies_are_hidden_unless_agreed_otherwise():
    assert placed("1914")[0].options["hidden_army_templates"] is True
    assert placed("1914", hidden_army_templates=False)[0].options["hidden_army_templates"] is False


def test_12__1_who_is_neutral_places_builds_and_digs_nothing():
    state, _ = placed("1914", free_game=True)
    state.points = {"GE": 9, "EN": 9}
    for act in (Build("ENG", (("UK.I", 1),)), Build("CAL", (("UK.I", 1),)), Entrench(("UK1",))):
        refusal = Purchases(state, "EN", 0).why_not(act)
        assert refusal is not None and (refusal.rule, refusal.reason) == ("TTLM-12-01", "still-neutral")
    dug = Entrench(loose=(("LIE", (("BE.I", 1),)),))
    assert not_none(Purchases(state, "EN", 0).why_not(dug)).reason == "still-neutral"
    assert Purchases(state, "EN", 0).why_not(Build("CAL", (("FR.I", 1),))) is None
    state.turn = 6
    assert due_corps(state) == () and sum(eligible(state, "EN", PACK.crisis["EMC"][1915]).values()) == 0
    for area in PACK.home_areas["BE"]:
        state.owner[area] = "EN"
    assert due_corps(state) == ("UK.CW.01",)
    assert Purchases(state, "EN", 0).why_not(Build("CAL", (("UK.I", 1),))) is None


def test_12__2_a_link_with_the_other_game_is_refused():
    with pytest.raises(EngineError, match="linked_at_all_costs"):
        placed("1914", linked_at_all_costs=True)


@pytest.mark.parametrize(
    "option",
    [{"no_such": True}, {"fortify": "yes"}, {"length": "long"}, {"hand_limit": True}, {"fortify": 1}],
)
def test_options_that_do_not_exist_are_refused(option):
    with pytest.raises(EngineError, match="option"):
        placed("1914", **option)


def test_a_scenario_that_does_not_exist_is_refused():
    with pytest.raises(EngineError, match="scenario"):
        placed("1913")
    with pytest.raises(EngineError, match="players"):
        set_up(PACK, GameSettings("1914", 3))


def test_the_seats_are_the_sides():
    assert seat_names() == ("GE", "EN")
