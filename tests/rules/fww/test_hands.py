"""FWW 6.2.1, 1-6: three tiles in hand, putting back, and whose hand it is."""

from __future__ import annotations

import pytest

from engine.games.first_world_war.answers import AnyTime, DrawGiven
from engine.games.first_world_war.facts.combat import (
    TilePlaced,
    TilePlacedFaceDown,
    TilePutBack,
    TilePutBackFaceDown,
)
from engine.games.first_world_war.rules.tiles import (
    default_drop,
    drop_options,
    hand,
    put_back,
    usable,
)
from engine.kernel.requests import Choice, Seat
from tests.narrowing import expect
from tests.rules.fww.course import battle, position


def why(options, answer):
    """Rule and reason of a refused answer, or None."""
    refusal = options.why_not(answer)
    return refusal and (refusal.rule, refusal.reason)


# ------------------------------------------------------------------ three tiles


def test_6_2_1__2_with_three_in_hand_one_of_them_goes_back():
    """C-83, FWW-S-6: others read one return and one draw, with their backs."""
    state = position({3: "DE5 FR2"}, hands={"WA": "A01 A03 A07"}, cups={"ALLIES": "A04 A09"})
    course = battle(state, "DE", 3, "DE5", "1 S", "A09", answers={"combat.draw": True, "combat.drop": "A01"})
    ask = course.ask("combat.drop")
    assert (ask.seat, ask.at, ask.secret) == ("WA", "T3.R1/F3", True)
    assert ask.given == DrawGiven("WA", 3, ("A01", "A03", "A07"), "A09")
    assert why(ask.options, "A09") == ("FWW-6.2.1-2", "just-drawn")
    assert why(ask.options, "A04") == ("FWW-6.2.1-2", "not-in-hand")
    assert why(ask.options, "A07") is None
    assert state.hands["WA"] == ["A03", "A07", "A09"]
    assert state.cups["ALLIES"] == ["A01", "A04"]
    gone = course.one(TilePutBack)
    assert gone == TilePutBack("WA", "A01", "normal", (Seat("WA"),))
    assert gone.redacted() == TilePutBackFaceDown("WA", "normal")


def test_6_2_1__1_at_no_moment_are_four_tiles_held():
    state = position({3: "DE5 FR2"}, hands={"WA": "A01 A04 A07"}, cups={"ALLIES": "A09"})
    course = battle(state, "DE", 3, "DE5", "1 S", "A09", answers={"combat.draw": True})
    assert course.order.index("TilePutBack") < course.order.index("TileDrawn")
    assert len(state.hands["WA"]) == 3


def test_6_2_1__3_a_tile_on_the_table_is_not_in_the_hand():
    """C-16"""
    state = position({3: "DE5 FR2"}, hands={"WA": "A01 A04 A07"}, cups={"ALLIES": "A09"})
    course = battle(state, "DE", 3, "DE5", "1 S", "A09", answers={"combat.defence_tile": "A01"})
    assert course.ask("combat.draw").given.hand == ("A04", "A07")
    assert not course.asked("combat.drop")
    assert state.hands["WA"] == ["A04", "A07", "A09"]
    assert state.cups["ALLIES"] == ["A01"]


def test_6_2_1__4_a_mandatory_tile_of_use_may_not_be_dropped():
    """C-25 Pantalons Rouges while French armies stand on the board; without them it may go."""
    given = DrawGiven("WA", 3, ("A01", "A03", "A07"), "A09")
    held = {"WA": "A01 A03 A07"}
    options = drop_options(position({3: "FR2"}, hands=held), given)
    assert options.offered == ("A01", "A07")
    assert why(options, "A03") == ("FWW-6.2.1-4", "mandatory-tile")
    assert drop_options(position({3: "BR1"}, hands=held), given).offered == ("A01", "A03", "A07")


def test_6_2_1__4_but_one_must_go_if_all_are_mandatory():
    """No cup of this pack holds three of them; an umpire's might."""
    state = position({2: "BR1 FR5"}, hands={"WA": "A03 A08"})
    options = drop_options(state, DrawGiven("WA", 2, ("A03", "A08"), "A09"))
    assert options.offered == ("A03", "A08")
    assert why(options, "A09") == ("FWW-6.2.1-2", "just-drawn")


@pytest.mark.parametrize(
    ("held", "dropped"),
    [
        ("A04 A05 A07", "A05"),  # no Russian obeys the Western Allies
        ("A04 A07 A10", "A07"),  # 0
        ("A04 A09 A10", "A04"),  # 1, 1 and 2: the lowest id
        ("A10 A12 A13", "A12"),  # the lowest value
        ("A04 A03 A07", "A07"),  # the mandatory tile is of use
        ("A02 A06 A07", "A02"),  # two of no use: equal values, the lowest id
        ("A01 A08 A11", "A08"),  # two of no use to a French army: -1 before 2
    ],
)
def test_6_2_1__2_by_default_the_least_useful_is_dropped(held, dropped):
    """D10 unusable, then 0, then the lowest value, then the lowest id."""
    state = position({3: "FR2"}, hands={"WA": held})
    given = DrawGiven("WA", 3, tuple(sorted(held.split())), "A15")
    assert default_drop(state, given, drop_options(state, given)) == dropped


def test_6_2_1__5_what_is_of_no_use_may_be_put_back_directly_after_the_draw():
    """W-05 EA draws British Rifles."""
    state = position({9: "RU4 AH1"}, cups={"ALLIES": "A02"})
    course = battle(
        state, "EA", 9, "RU4", "S 4", "A02", answers={("any_time", "EA"): AnyTime(returned=("A02",))}
    )
    assert course.ask("any_time").seat == "EA"
    assert course.one(TilePutBack) == TilePutBack("EA", "A02", "normal", (Seat("EA"),))
    assert (state.hands["EA"], state.cups["ALLIES"]) == ([], ["A02"])
    assert len(course.draws) == 1


def test_6_2_1__5_a_mandatory_tile_of_no_use_may_go_back_too():
    """C-25 EA with Pantalons Rouges."""
    state = position({9: "RU4"}, hands={"EA": "A03"})
    assert not usable(state, "EA", "A03")
    assert list(put_back(state, "EA", "A03")) == [TilePutBack("EA", "A03", "mandatory", (Seat("EA"),))]


def test_6_2_1__6_of_use_is_what_fits_a_real_army_under_command():
    state = position({1: "BR1 WA-D1 DE1", 9: "AH1 RU4"})
    assert usable(state, "WA", "A02")
    assert not usable(state, "WA", "A03")
    assert not usable(state, "WA", "A05")
    assert usable(state, "EA", "A05")
    assert not usable(state, "EA", "A02")
    assert usable(state, "GA", "C03")
    assert not usable(state, "GA", "C02")
    assert not usable(state, "DE", "C03")
    assert usable(state, "DE", "C02")


def test_6_2_1__6_germans_under_allied_command_make_german_tiles_useful_to_the_allies():
    state = position({9: "DE11"})
    assert usable(state, "GA", "C02")
    assert not usable(state, "DE", "C02")


def test_6_2_1__6_a_tile_for_any_army_is_always_of_use():
    assert usable(position(), "EA", "A01")
    assert not usable(position(), "EA", "A05")


def test_6_2_1__7_an_older_tile_goes_first_then_the_new_one_may_follow():
    """C-17"""
    state = position({9: "RU4 AH1", 10: "SB1"}, hands={"EA": "A05 A06 A07"}, cups={"ALLIES": "A02"})
    course = battle(
        state,
        "EA",
        9,
        "RU4",
        "S 4",
        "A02",
        answers={
            "combat.draw": True,
            "combat.drop": "A06",
            ("any_time", "EA"): AnyTime(returned=("A02",)),
        },
    )
    assert [fact.tile for fact in course.of(TilePutBack)] == ["A06", "A02"]
    assert course.order.index("combat.drop") < course.order.index("any_time")
    assert state.hands["EA"] == ["A05", "A07"]
    assert state.cups["ALLIES"] == ["A02", "A06"]


# ------------------------------------------------------------------ whose hand


def test_1__6_hands_belong_to_factions_by_default():
    state = position({9: "RU4 AH1"}, players=2, hands={"EA": "A05", "WA": "A07"})
    assert hand(state, "EA") == ("A05",)
    course = battle(state, "EA", 9, "RU4", "1 1")
    assert expect(Choice, course.ask("combat.attack_tile").options).offered == ("A05", None)


def test_1__6_switched_on_a_player_plays_from_both_hands():
    state = position({9: "RU4 AH1"}, players=2, hands={"EA": "A05", "WA": "A07 A01"}, hand_scope="player")
    assert hand(state, "EA") == hand(state, "WA") == ("A01", "A05", "A07")
    course = battle(state, "EA", 9, "RU4", "1 1", answers={"combat.attack_tile": "A07"})
    assert expect(Choice, course.ask("combat.attack_tile").options).offered == ("A05", "A07", None)
    placed = course.one(TilePlaced)
    assert placed == TilePlaced("EA", "WA", "A07", "normal", (Seat("ALLIES"),))
    assert placed.redacted() == TilePlacedFaceDown("EA", "WA", "normal")
    assert state.hands == {"DE": [], "WA": ["A01"], "EA": ["A05"], "GA": []}
    assert state.cups["ALLIES"] == ["A07"]


def test_1__6_switched_on_the_limit_of_three_is_the_players():
    state = position(
        {9: "RU4 AH1", 10: "SB1"},
        players=2,
        hands={"EA": "A05", "WA": "A01 A06"},
        cups={"ALLIES": "A09"},
        hand_scope="player",
    )
    course = battle(state, "EA", 9, "RU4", "S 4", "A09", answers={"combat.draw": True, "combat.drop": "A01"})
    assert course.one(TilePutBack).faction == "WA"
    assert state.hands == {"DE": [], "WA": ["A06"], "EA": ["A05", "A09"], "GA": []}


def test_1__6_switched_on_a_tile_is_of_use_if_either_faction_can_play_it():
    state = position({1: "BR1", 9: "RU4"}, players=2, hand_scope="player")
    assert usable(state, "EA", "A02")
    assert usable(state, "WA", "A05")
    assert not usable(state, "WA", "A03")
    assert not usable(position({1: "BR1"}, players=2), "EA", "A02")


def test_1__6_switched_on_nothing_changes_for_a_faction_with_a_seat_of_its_own():
    state = position({1: "BR1"}, players=4, hands={"WA": "A01", "EA": "A05"}, hand_scope="player")
    assert hand(state, "EA") == ("A05",)
    assert not usable(state, "EA", "A02")
