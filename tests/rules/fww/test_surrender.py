"""FWW 6.5: surrender points and the roll against them."""

from __future__ import annotations

import pytest

from engine.games.first_world_war.facts.combat import (
    CaptureDeclined,
    GameEnded,
    LocationCaptured,
    SurrenderPointGiven,
    SurrenderRolled,
)
from engine.games.first_world_war.rules.surrender import inflict_point, surrenders
from tests.narrowing import not_none
from tests.rules.fww.course import battle, check_victory, end_turn, position

BALTIC_LOST = {"RIGA": "DE", "KOVNO": "DE"}
ALL_FACED = {7: "DE8 RU1", 1: "DE1 BE1"}  # nobody is alone there


# ------------------------------------------------------------------ points


def test_6_5__1_a_won_combat_before_the_base_inflicts_a_point():
    """W-06 3+1+1 against 1+1; the point is for front 7."""
    state = position({7: "DE8 DE10 RU1"}, control=BALTIC_LOST)
    course = battle(state, "DE", 7, "DE8 DE10", "1 1")
    assert course.one(SurrenderPointGiven) == SurrenderPointGiven("EA", 7, 1)
    assert state.surrender == {"DE": [], "WA": [], "EA": [7], "GA": []}
    assert not course.asked("combat.capture")


@pytest.mark.parametrize("dice", ["1 4", "S 4"])
def test_6_5__1_only_a_won_combat_does(dice):
    """3+1 against 1+4 and 3+0 against 1+4."""
    state = position({7: "DE8 RU1"}, control=BALTIC_LOST)
    battle(state, "DE", 7, "DE8", dice)
    assert state.surrender["EA"] == []


def test_6_5__1_a_tie_before_the_base_gives_nothing():
    state = position({7: "DE8 RU1"}, control=BALTIC_LOST)
    battle(state, "DE", 7, "DE8", "1 3")
    assert state.surrender["EA"] == []


def test_6_5__1_the_point_goes_to_the_faction_that_fights_on_that_front():
    """GA answers for the Germans on 9."""
    lost = dict.fromkeys(("LEMBERG", "PRZEMYSL", "KRAKOW", "WIEN"), "EA")
    state = position({9: "DE11 RU4"}, control=lost)
    battle(state, "EA", 9, "RU4", "4 S")
    assert state.surrender["GA"] == [9]
    assert state.surrender["DE"] == []


def test_6_5__1_points_add_up_over_fronts():
    state = position({8: "DE9 RU1"}, control={"WARSZAWA": "DE", "MINSK": "DE"}, surrender={"EA": [7, 9]})
    course = battle(state, "DE", 8, "DE9", "4 1")
    assert course.one(SurrenderPointGiven) == SurrenderPointGiven("EA", 8, 3)
    assert state.surrender["EA"] == [7, 8, 9]


def test_6_5__2_while_a_location_is_available_the_base_is_not_taken_instead():
    """Riga holds the base in reach, Kovno is in Russian hands again: even declining gives no point."""
    state = position({7: "DE8 RU1"}, control={"RIGA": "DE"})
    course = battle(state, "DE", 7, "DE8", "4 1", answers={"combat.capture": None})
    assert course.one(CaptureDeclined) == CaptureDeclined("DE", 7)
    assert state.surrender["EA"] == []


def test_6_5_2__1_one_point_for_a_front_and_turn():
    """C-35 Two wins on front 7."""
    state = position({7: "DE8 DE10 RU1 RU2"}, control=BALTIC_LOST)
    battle(state, "DE", 7, "DE8 DE10", "4 1")
    course = battle(state, "DE", 7, "DE8 DE10", "4 1")
    assert not course.of(SurrenderPointGiven)
    assert state.surrender["EA"] == [7]
    assert list(inflict_point(state, "EA", 8)) == [SurrenderPointGiven("EA", 8, 2)]


def test_6_5_2__1_combat_and_phase_3_count_together():
    """W-06 EA has no army on 7 in phase 3 but has its point already; it rolls once against 1."""
    state = position({7: "DE8 DE10 RU1", 8: "DE9 RU2"}, control=BALTIC_LOST)
    battle(state, "DE", 7, "DE8 DE10", "1 1")
    course = check_victory(state, "2")
    assert not course.of(SurrenderPointGiven)
    assert course.one(SurrenderRolled) == SurrenderRolled("EA", 1, "2", False)


def test_6_5_1__1_points_are_gone_in_the_next_turn_and_can_be_earned_anew():
    state = position({7: "DE8 RU1"}, control=BALTIC_LOST, surrender={"EA": [7, 8], "WA": [1]})
    end_turn(state, segments=2)
    assert state.turn == 4
    assert state.surrender == {"DE": [], "WA": [], "EA": [], "GA": []}
    assert list(inflict_point(state, "EA", 7)) == [SurrenderPointGiven("EA", 7, 1)]


# ------------------------------------------------------------------ the roll


@pytest.mark.parametrize(
    ("points", "surrendering"),
    [(1, "1"), (2, "12"), (3, "123"), (4, "1234"), (5, "1234")],
)
def test_6_5__3_a_result_at_or_below_the_points_surrenders_and_s_never(points, surrendering):
    """C-46"""
    state = position()
    for face, printed in enumerate(state.pack.die.faces, 1):
        assert surrenders(state, face, points) is (printed in surrendering)


def test_6_5__3_every_faction_with_points_rolls_one_die_in_order():
    """FWW-S-1 DE, WA, EA, GA; who has none does not roll."""
    state = position(ALL_FACED, surrender={"GA": [9], "EA": [7, 8], "DE": [1]})
    course = check_victory(state, "2 3 S")
    assert course.rolls == [("DE", "surrender.DE"), ("EA", "surrender.EA"), ("GA", "surrender.GA")]
    assert course.of(SurrenderRolled) == [
        SurrenderRolled("DE", 1, "2", False),
        SurrenderRolled("EA", 2, "3", False),
        SurrenderRolled("GA", 1, "S", False),
    ]
    assert state.result is None
    assert course.following == "T3.P"


def test_6_5__3_without_points_nobody_rolls():
    assert not check_victory(position(ALL_FACED)).rolls


def test_6_5__4_a_surrender_makes_the_other_alliance_win_at_once():
    """Individual rules decide between the partners: DE needs three more than GA."""
    state = position(ALL_FACED, surrender={"EA": [7, 8]}, vp={"DE": 9, "GA": 6, "WA": 30})
    course = check_victory(state, "2")
    ended = course.one(GameEnded)
    assert (ended.winners, ended.reason, ended.alliance) == (("DE",), "surrender", "CENTRAL")
    assert ended.surrendered == ("EA",)
    assert course.following is None
    assert state.phase == "over"
    assert not_none(state.result).winners == ("DE",)


def test_6_5__5_if_both_alliances_surrender_everybody_loses():
    """C-47, FWW-6.5-6: all dice fall before anything comes of them."""
    state = position(ALL_FACED, surrender={"WA": [1], "GA": [9]})
    course = check_victory(state, "1 1")
    assert course.rolls == [("WA", "surrender.WA"), ("GA", "surrender.GA")]
    ended = course.one(GameEnded)
    assert (ended.winners, ended.reason) == ((), "both-surrender")
    assert (ended.alliance, ended.faction) == (None, None)
    assert ended.surrendered == ("WA", "GA")
    assert course.following is None


def test_6_5__6_later_dice_still_fall_after_a_surrender():
    state = position(ALL_FACED, surrender={"DE": [1], "WA": [1], "GA": [9]})
    course = check_victory(state, "1 4 4")
    assert len(course.rolls) == 3
    assert course.one(GameEnded).reason == "surrender"


def test_6_5__7_two_partners_that_surrender_are_one_alliance():
    state = position(ALL_FACED, surrender={"DE": [1], "GA": [9]}, vp={"WA": 7, "EA": 7})
    ended = check_victory(state, "1 1").one(GameEnded)
    assert (ended.winners, ended.reason, ended.alliance) == (("EA",), "surrender", "ALLIES")
    assert ended.surrendered == ("DE", "GA")


@pytest.mark.parametrize(("surrendered", "winners"), [("GA", ("ALLIES",)), ("WA", ("GA",))])
def test_6_5__7_a_surrender_drags_the_whole_alliance_down_with_three_players_too(surrendered, winners):
    state = position(ALL_FACED, players=3, surrender={surrendered: [9]})
    assert check_victory(state, "1").one(GameEnded).winners == winners


@pytest.mark.parametrize(("turn", "rolls"), [(2, 0), (3, 1), (4, 1)])
def test_6_5__8_before_the_agreed_turn_nobody_rolls(turn, rolls):
    """C-80"""
    state = position(ALL_FACED, turn=turn, surrender={"EA": [7]}, no_surrender_before_turn=3)
    course = check_victory(state, "4" * rolls)
    assert len(course.rolls) == rolls
    assert state.surrender["EA"] == [7]


def test_6_5__8_by_default_the_roll_is_made_from_turn_1():
    state = position(ALL_FACED, turn=1, surrender={"EA": [7]})
    assert check_victory(state, "1").one(GameEnded).reason == "surrender"


def test_6_5__1_a_capture_in_phase_3_is_no_point():
    state = position({7: "DE8"}, control={"RIGA": "DE"})
    course = check_victory(state)
    assert course.one(LocationCaptured).location == "KOVNO"
    assert state.surrender["EA"] == []
