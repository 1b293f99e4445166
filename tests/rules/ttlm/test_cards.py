"""TTLM 1.3: the deck, the hands, and what a card is worth."""

from __future__ import annotations

import random

import pytest

from engine.games.to_the_last_man.facts.cards import (
    CardPlayed,
    CardPlayedSeen,
    CardsDiscarded,
    CardsDiscardedSeen,
    CardsDrawn,
    DeckShuffled,
    DeckShuffledSeen,
)
from engine.games.to_the_last_man.rules.cards import (
    CardLists,
    by_rank,
    discard_cards,
    draw_cards,
    hand,
    is_active,
    is_event_dead,
    play_card,
    remove_crisis_cards,
    reshuffle,
)
from engine.games.to_the_last_man.rules.production import end_season, production_phase
from tests.narrowing import expect
from tests.rules.ttlm.drawn import PACK, drawn, play


def kinds(cards):
    return [PACK.cards[card] for card in cards]


def test_1_3__1_one_deck_of_55_and_a_played_card_is_discarded_at_once():
    assert len(PACK.cards) == 55
    state = drawn(hands={"GE": "OFF OFF LIM"}, offensive="")
    course = play(state, play_card(state, "GE", "OFF", "offensive"))
    assert kinds(state.discard) == ["OFF"] and sorted(kinds(state.hands["GE"])) == ["LIM", "OFF"]
    assert course.told(CardPlayed)[0].removed is False
    assert course.seen("EN") == [CardPlayedSeen("GE", "OFF", "offensive", (), False)]


def test_1_3__2_an_empty_pile_is_made_anew_of_the_discards():
    state = drawn(deck="", discard="OFF LIM ER2")
    course = play(state, draw_cards(state, "EN", 2))
    assert [type(fact) for fact in course.facts] == [DeckShuffled, CardsDrawn]
    assert len(state.hands["EN"]) == 2 and len(state.deck) == 1 and state.discard == []


def test_c17_the_draw_pile_runs_out():
    """TTLM-1.3-02"""
    discard = "OFF OFF OFF LIM LIM ER2 ER2 GAS GAS BAD"
    state = drawn(deck="ER3 SUR", discard=discard)
    course = play(state, draw_cards(state, "GE", 5))
    draws, (mixed,) = course.told(CardsDrawn), course.told(DeckShuffled)
    assert [len(draw.cards) for draw in draws] == [2, 3]
    assert kinds(draws[0].cards) == ["ER3", "SUR"] and len(mixed.order) == 10
    assert len(state.deck) == 7 and len(state.hands["GE"]) == 5
    assert [(one.root, one.position) for one in course.openings] == [("00", 0), ("00", 1), ("00", 2)]


def test_1_3__3_the_deck_is_reshuffled_when_a_winter_ends():
    state = drawn(turn=7, deck="OFF LIM", discard="ER2 GAS", hands={"GE": "BAD", "EN": "SUR"})
    course = play(state, end_season(state))
    (mixed,) = course.told(DeckShuffled)
    assert sorted(kinds(mixed.order)) == ["ER2", "GAS", "LIM", "OFF"]
    assert state.discard == [] and kinds(state.hands["GE"]) == ["BAD"]
    assert "AAB.01" in state.removed  # removed cards stay out


def test_1_3__3_it_is_not_reshuffled_when_another_season_ends():
    state = drawn(turn=6, deck="OFF LIM", discard="ER2 GAS")
    course = play(state, end_season(state))
    assert course.told(DeckShuffled) == [] and kinds(state.discard) == ["ER2", "GAS"]


def test_11_2__1_where_the_size_of_hands_is_hidden_so_is_that_of_the_pile():
    state = drawn(deck="OFF", discard="LIM ER2", options={"hidden_hand_size": True})
    course = play(state, reshuffle(state))
    assert course.seen("GE") == [DeckShuffledSeen(-1)] and len(state.deck) == 3


def test_1_3__4_with_both_piles_empty_the_rest_of_a_draw_is_lost():
    state = drawn(deck="OFF")
    course = play(state, draw_cards(state, "GE", 3))
    assert len(course.told(CardsDrawn)) == 1 and len(state.hands["GE"]) == 1


def test_1_3__5_germany_draws_before_the_entente():
    state = drawn(turn=5, deck="OFF LIM ER2 ER3")
    course = play(state, production_phase(state, 5), {"production": _two_cards})
    assert [(draw.side, kinds(draw.cards)) for draw in course.told(CardsDrawn)] == [
        ("GE", ["OFF", "LIM"]),
        ("EN", ["ER2", "ER3"]),
    ]


def _two_cards(ask):
    from engine.games.to_the_last_man.answers import DONE, Buy

    return DONE if ask.given.stage == 5 else Buy(2)


def test_reshuffling_takes_both_piles_and_leaves_the_hands():
    state = drawn(deck="OFF", discard="LIM", hands={"GE": "ER2"})
    play(state, reshuffle(state))
    assert sorted(kinds(state.deck)) == ["LIM", "OFF"] and state.dealt == 0 and state.root == "00"


def test_9_8__5_both_crisis_cards_leave_a_campaign_that_reaches_1919():
    """TTLM-9.9-03 A hand that held one draws another card."""
    state = drawn(turn=19, deck="OFF LIM GMC", hands={"GE": "EMC ER2"})
    play(state, end_season(state))
    assert {"EMC.01", "GMC.01"} <= set(state.removed)
    assert len(state.hands["GE"]) == 2 and "GMC.01" not in state.deck


def test_9_8__5_they_stay_until_then():
    state = drawn(turn=18, deck="OFF LIM GMC", hands={"GE": "EMC ER2"})
    play(state, end_season(state))
    assert "EMC.01" in state.hands["GE"] and "GMC.01" in state.deck


def test_a_crisis_card_in_the_discard_pile_leaves_too():
    state = drawn(turn=19, deck="OFF", discard="EMC")
    play(state, remove_crisis_cards(state))
    assert "EMC.01" in state.removed and state.discard == []


# ------------------------------------------------------------------ hands


def test_2_ii_1__9_fresh_cards_are_of_no_use():
    state = drawn(hands={"GE": "OFF LIM"}, fresh=["OFF.01"])
    assert hand(state, "GE") == ["LIM"]


def test_discards_are_told_by_kind():
    state = drawn(hands={"GE": "OFF OFF LIM"})
    course = play(state, discard_cards(state, "GE", ("LIM", "OFF"), "excess"))
    (fact,) = course.told(CardsDiscarded)
    assert expect(CardsDiscardedSeen, fact.redacted()).cards == ("LIM", "OFF")
    assert kinds(state.hands["GE"]) == ["OFF"]


@pytest.mark.parametrize(
    ("side", "turn", "kind", "active"),
    [("EN", 8, "BIG", True), ("EN", 7, "BIG", False), ("GE", 8, "BIG", False), ("GE", 16, "FRI", True)],
)
def test_9_1_3__1_a_special_offensive_is_special_for_one_side_and_from_a_turn_on(side, turn, kind, active):
    assert is_active(drawn(turn=turn), side, kind) is active


def test_9_2__2_cards_barred_from_their_event_are_ersatz_still():
    assert is_event_dead(drawn(turn=3), "GE", "GAS") and not is_event_dead(drawn(turn=4), "GE", "GAS")
    assert is_event_dead(drawn(turn=8), "GE", "EMC") and is_event_dead(drawn(turn=4), "EN", "EMC")
    assert not is_event_dead(drawn(turn=4), "GE", "EMC")


def test_d52_what_is_kept_longest():
    held = ["BAD", "BIG", "EMC", "ER2", "ER3", "GAS", "GER", "LIM", "OFF", "SRV", "SUR"]
    ranked = by_rank(drawn(turn=8), "GE", held)
    assert ranked == ["ER3", "GER", "BIG", "OFF", "SUR", "GAS", "ER2", "BAD", "SRV", "LIM", "EMC"]
    early = by_rank(drawn(turn=1), "GE", ["GAS", "LIM", "EMC"])
    assert early == ["LIM", "EMC", "GAS"]


class TestCardLists:
    options = CardLists(["LIM", "OFF", "OFF"], 1, 2, "TTLM-2.V.3-01")

    @pytest.mark.parametrize(
        ("answer", "reason"),
        [
            (("OFF", "OFF"), None),
            (("LIM",), None),
            (("LIM", "LIM"), "not-in-hand"),
            (("ER2",), "not-in-hand"),
            ((), "too-few-cards"),
            (("LIM", "OFF", "OFF"), "too-many-cards"),
            ("OFF", "not-a-list-of-cards"),
            ((None, 3), "not-a-list-of-cards"),
        ],
    )
    def test_what_it_takes(self, answer, reason):
        refusal = self.options.why_not(answer)
        assert (refusal and refusal.reason) == reason
        assert self.options.contains(answer) is (reason is None)

    def test_samples_and_descriptions_are_offered(self):
        rng = random.Random(3)
        drawn_ = {self.options.sample(rng) for _ in range(200)}
        assert drawn_ == {("LIM",), ("OFF",), ("LIM", "OFF"), ("OFF", "OFF")}
        assert all(self.options.contains(answer) for answer in self.options.describe())

    def test_a_single_choice_is_told(self):
        assert self.options.only() is None
        assert CardLists(["OFF"], 1, 1, "R").only() == (("OFF",),)
        assert CardLists([], 0, 3, "R").only() == ((),)
