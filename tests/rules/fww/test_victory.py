"""FWW 4.2.3, 8: the victory check in its five steps, and who wins."""

from __future__ import annotations

import pytest

from engine.games.first_world_war.facts.board import CountersTurnedUp, PhaseBegan
from engine.games.first_world_war.facts.combat import (
    GameEnded,
    LocationCaptured,
    SurrenderPointGiven,
    SurrenderRolled,
    TreatyOffered,
)
from engine.games.first_world_war.rules.victory import alliance_ahead, faction_ahead, fronts_held
from engine.kernel.requests import Choice
from tests.narrowing import expect, not_none
from tests.rules.fww.board import PACK
from tests.rules.fww.course import check_victory, position


def all_of(faction, *fronts):
    """Control of every location of these fronts."""
    return {town: faction for front in fronts for town in PACK.locations_of[front]}


WEST_GERMAN = all_of("DE", 1, 2, 3, 4)
SIX_CENTRAL = WEST_GERMAN | all_of("DE", 7, 8)


# ------------------------------------------------------------------ a and b


def test_4_2_3__1_all_counters_are_turned_up_and_dummies_stay():
    state = position({1: "DE1 BE1 WA-D1", 4: "DE-D1", 9: "AH1 RU4"}, face_up="BE1")
    course = check_victory(state)
    assert course.facts[0] == PhaseBegan(3, "victory")
    assert course.one(CountersTurnedUp).counters == ("AH1", "BE1", "DE-D1", "DE1", "RU4", "WA-D1")
    assert state.face_up == ["AH1", "BE1", "DE-D1", "DE1", "RU4", "WA-D1"]
    assert state.fronts[4] == ["DE-D1"]
    assert (state.phase, state.round) == ("victory", 0)


def test_4_2_3__1_an_empty_board_turns_nothing_up():
    assert check_victory(position()).of(CountersTurnedUp) == []


@pytest.mark.parametrize("there", ["DE7", "DE7 WA-D1 WA-D2"])
def test_4_2_3__2_an_alliance_alone_on_a_front_captures_at_once(there):
    """C-40, C-41: dummies prevent nothing and stay."""
    state = position({4: there})
    course = check_victory(state)
    assert course.one(LocationCaptured) == LocationCaptured(4, "EPINAL", "DE", "WA", 7, 5)
    assert state.fronts[4] == sorted(there.split())
    assert not course.asks


def test_4_2_3__2_where_both_have_armies_nothing_changes():
    course = check_victory(position({4: "DE7 FR1"}))
    assert not course.of(LocationCaptured)
    assert not course.of(SurrenderPointGiven)


def test_4_2_3__2_two_partners_together_are_alone():
    state = position({9: "AH1 DE11"})
    assert check_victory(state).one(LocationCaptured).taker == "GA"


def test_4_2_3__3_a_lone_dummy_captures_nothing():
    """C-41"""
    assert not check_victory(position({4: "DE-D1"})).of(LocationCaptured)
    assert not check_victory(position({4: "DE-D1 WA-D1"})).of(LocationCaptured)


def test_4_2_3__4_the_capture_is_compulsory_the_choice_is_the_captors():
    state = position({10: "AH5"})
    course = check_victory(state, answers={"victory.occupy": "MONASTIR"})
    ask = course.ask("victory.occupy")
    assert (ask.seat, ask.at, ask.secret) == ("GA", "T3.V/F10", False)
    assert (ask.given.faction, ask.given.front) == ("GA", 10)
    assert ask.given.available == expect(Choice, ask.options).offered == ("BEOGRAD", "MONASTIR")
    assert ask.default == "BEOGRAD"
    assert not_none(ask.options.why_not(None)).rule == "FWW-4.2.3-4"
    assert state.control["MONASTIR"] == "GA"
    assert state.control["BEOGRAD"] == "EA"


def test_4_2_3__5_where_nothing_is_left_the_faction_without_army_gets_a_point():
    state = position({7: "DE8", 8: "RU1 DE9"}, control=all_of("DE", 7))
    course = check_victory(state, "4")
    assert course.one(SurrenderPointGiven) == SurrenderPointGiven("EA", 7, 1)
    assert course.one(SurrenderRolled) == SurrenderRolled("EA", 1, "4", False)


def test_4_2_3__5_not_a_second_one_for_the_same_front():
    state = position({7: "DE8"}, control=all_of("DE", 7), surrender={"EA": [7]})
    course = check_victory(state, "4")
    assert not course.of(SurrenderPointGiven)
    assert state.surrender["EA"] == [7]


@pytest.mark.parametrize(("turn", "points", "taken"), [(2, [], []), (3, [], ["ASIAGO"])])
def test_4_2_3__6_a_closed_neutral_line_gives_neither_location_nor_point(turn, points, taken):
    state = position({5: "AH7"}, turn=turn)
    course = check_victory(state)
    assert state.surrender["WA"] == points
    assert [fact.location for fact in course.of(LocationCaptured)] == taken


def test_4_2_3__6_the_line_to_the_base_must_be_open_too():
    lost = {"BEOGRAD": "GA", "MONASTIR": "GA"}
    state = position({10: "AH5"}, turn=2, control=lost)
    assert not check_victory(state).of(SurrenderPointGiven)
    state = position({10: "AH5"}, turn=3, control=lost)
    assert check_victory(state, "4").one(SurrenderPointGiven).front == 10


def test_4_2_3__7_germans_alone_in_galicia_capture_for_the_german_allies():
    """C-43"""
    state = position({9: "DE11"})
    course = check_victory(state)
    assert course.one(LocationCaptured) == LocationCaptured(9, "ROVNO", "GA", "EA", 7, 5)


def test_4_2_3__7_the_points_of_the_allied_front_are_the_german_allies():
    lost = all_of("EA", 9)
    state = position({9: "RU4"}, control=lost)
    assert check_victory(state, "4").one(SurrenderPointGiven).faction == "GA"


def test_4_2_3__8_fronts_are_taken_in_ascending_order_with_points_one_by_one():
    """WA at 0: what it wins on 2 it loses on 4; in the other order it would keep it."""
    state = position({2: "FR5", 4: "DE7", 10: "AH5"}, vp={"WA": 0})
    course = check_victory(state)
    assert [fact.front for fact in course.of(LocationCaptured)] == [2, 4, 10]
    assert state.vp["WA"] == 0
    state = position({2: "DE3", 4: "FR1"}, vp={"WA": 0})
    check_victory(state)
    assert state.vp["WA"] == 1


# ------------------------------------------------------------------ c


@pytest.mark.parametrize(("turn", "over"), [(5, False), (6, True)])
def test_4_2_3__9_the_game_ends_in_turn_6(turn, over):
    state = position({1: "DE1 BE1"}, turn=turn)
    course = check_victory(state)
    assert bool(course.of(GameEnded)) is over
    assert course.following == (None if over else "T5.P")
    if over:
        assert course.one(GameEnded).reason == "victory-points"
        assert state.phase == "over"


@pytest.mark.parametrize("turn", [1, 5])
def test_4_2_3__9_or_in_any_turn_with_six_fronts_in_one_hand(turn):
    state = position({1: "DE1 BE1"}, turn=turn, control=SIX_CENTRAL, vp={"DE": 20, "GA": 6})
    ended = check_victory(state).one(GameEnded)
    assert (ended.reason, ended.alliance, ended.winners) == ("six-fronts", "CENTRAL", ("DE",))


def test_4_2_3__9_five_fronts_are_not_enough():
    state = position({1: "DE1 BE1"}, control=WEST_GERMAN | all_of("DE", 7))
    assert fronts_held(state, "CENTRAL") == 5
    assert not check_victory(state).of(GameEnded)


def test_4_2_3__9_two_factions_hold_six_fronts_as_one_alliance():
    control = all_of("WA", 1, 2, 3) | all_of("EA", 7, 8, 9)
    state = position({1: "DE1 BE1"}, control=control, vp={"WA": 20})
    assert check_victory(state).one(GameEnded).alliance == "ALLIES"


def test_4_2_3__9_the_capture_of_step_b_counts():
    """Front 8 misses Minsk, which falls in b."""
    control = SIX_CENTRAL | {"MINSK": "EA"}
    state = position({8: "DE9"}, control=control)
    assert check_victory(state).one(GameEnded).reason == "six-fronts"


def test_4_2_3__10_every_location_of_a_front_is_wanted():
    """C-52"""
    for town in PACK.locations_of[8]:
        state = position({8: "DE9 RU1"}, control=SIX_CENTRAL | {town: "EA"})
        assert fronts_held(state, "CENTRAL") == 5
        assert not check_victory(state).of(GameEnded)


# ------------------------------------------------------------------ d and e


def test_4_2_3__11_surrender_rolls_come_only_if_the_game_goes_on():
    state = position({1: "DE1 BE1"}, control=SIX_CENTRAL, surrender={"DE": [1, 2, 3, 4]})
    course = check_victory(state)
    assert not course.rolls
    assert course.one(GameEnded).reason == "six-fronts"


@pytest.mark.parametrize(
    ("switch", "dice", "reason"),
    [(False, "", "victory-points"), (True, "4", "surrender"), (True, "S", "victory-points")],
)
def test_4_2_3__12_no_surrender_roll_in_turn_6_unless_switched_on(switch, dice, reason):
    """C-49"""
    vp = {"WA": 7, "EA": 5, "DE": 8, "GA": 4}
    state = position(
        {1: "DE1 BE1"}, turn=6, vp=vp, surrender={"DE": [1, 2, 3, 4]}, surrender_roll_on_turn_6=switch
    )
    course = check_victory(state, dice)
    ended = course.one(GameEnded)
    assert ended.reason == reason
    assert ended.alliance == ("ALLIES" if reason == "surrender" else "CENTRAL")
    assert ended.winners == (("WA",) if reason == "surrender" else ("DE",))
    assert len(course.rolls) == len(dice)


@pytest.mark.parametrize(("turn", "asked"), [(3, 0), (4, 1), (5, 1)])
def test_4_2_3__13_from_turn_4_on_germany_may_offer_the_treaty(turn, asked):
    course = check_victory(position({1: "DE1 BE1"}, turn=turn))
    assert len(course.asked("treaty.offer")) == asked
    assert not course.of(TreatyOffered)


@pytest.mark.parametrize("turn", [4, 6])
def test_4_2_3__13_not_if_the_game_has_ended(turn):
    control = SIX_CENTRAL if turn == 4 else {}
    course = check_victory(position({1: "DE1 BE1"}, turn=turn, control=control))
    assert course.of(GameEnded)
    assert not course.asked("treaty.offer")


def test_4_2_3__13_not_after_a_surrender():
    course = check_victory(position({1: "DE1 BE1"}, turn=4, surrender={"EA": [7]}), "1")
    assert course.one(GameEnded).reason == "surrender"
    assert not course.asked("treaty.offer")


def test_4_2_3__2_the_steps_follow_one_another():
    state = position({7: "DE8", 4: "DE7", 8: "DE9 RU1"}, turn=4, control=all_of("DE", 7))
    course = check_victory(state, "4", {"treaty.offer": True, "treaty.answer": False})
    assert course.order == [
        "PhaseBegan",
        "CountersTurnedUp",
        "LocationCaptured",
        "SurrenderPointGiven",
        "surrender.EA",
        "SurrenderRolled",
        "treaty.offer",
        "TreatyOffered",
        "treaty.answer",
        "TreatyRefused",
    ]


# ------------------------------------------------------------------ 8


@pytest.mark.parametrize(
    ("allies", "central", "winner"), [(12, 12, "CENTRAL"), (13, 12, "ALLIES"), (12, 13, "CENTRAL")]
)
def test_8__2_the_higher_sum_wins_the_war_and_equal_sums_are_the_central_powers(allies, central, winner):
    state = position(vp={"WA": 5, "EA": allies - 5, "DE": 9, "GA": central - 9})
    assert alliance_ahead(state) == winner


@pytest.mark.parametrize(("allies", "winner"), [(12, "CENTRAL"), (13, "ALLIES")])
def test_8__3_with_two_players_the_alliances_player_wins(allies, winner):
    state = position({1: "DE1 BE1"}, turn=6, players=2, vp={"WA": allies - 6})
    ended = check_victory(state).one(GameEnded)
    assert ended.winners == (winner,)
    assert ended.scores == (
        ("DE", 6),
        ("WA", allies - 6),
        ("EA", 6),
        ("GA", 6),
        ("ALLIES", allies),
        ("CENTRAL", 12),
    )
    assert dict(not_none(state.result).scores) == dict(ended.scores)


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize(
    ("german", "allied", "winner"), [(8, 6, "GA"), (9, 6, "DE"), (10, 6, "DE"), (5, 9, "GA")]
)
def test_8__4_germany_needs_three_points_more_than_its_allies(players, german, allied, winner):
    """C-50, FWW-8-5"""
    state = position({1: "DE1 BE1"}, turn=6, players=players, vp={"DE": german, "GA": allied})
    assert check_victory(state).one(GameEnded).winners == (winner,)


def test_8__4_with_three_players_the_allied_player_wins_for_both_factions():
    state = position({1: "DE1 BE1"}, turn=6, players=3, vp={"WA": 1, "EA": 20})
    assert check_victory(state).one(GameEnded).winners == ("ALLIES",)


@pytest.mark.parametrize(("western", "eastern", "winner"), [(7, 7, "EA"), (8, 7, "WA"), (7, 8, "EA")])
def test_8__6_the_western_allies_need_one_point_more(western, eastern, winner):
    state = position({1: "DE1 BE1"}, turn=6, vp={"WA": western, "EA": eastern})
    assert check_victory(state).one(GameEnded).winners == (winner,)


def test_8__7_after_six_fronts_the_points_decide_even_against_their_holder():
    """FWW-8-1: points are stored, so the floor can leave the holder of six fronts behind."""
    state = position({1: "DE1 BE1"}, control=SIX_CENTRAL, vp={"WA": 20})
    ended = check_victory(state).one(GameEnded)
    assert (ended.reason, ended.alliance, ended.winners) == ("six-fronts", "ALLIES", ("WA",))


def test_8__8_after_a_surrender_the_war_is_won_whatever_the_points():
    """The partners are told apart by the points of that moment."""
    state = position({1: "DE1 BE1"}, surrender={"WA": [1]}, vp={"WA": 40, "EA": 40, "DE": 8, "GA": 5})
    ended = check_victory(state, "1").one(GameEnded)
    assert (ended.alliance, ended.faction, ended.winners) == ("CENTRAL", "DE", ("DE",))


def test_8_1__12_the_treaty_gives_the_eastern_allies_eight_points_among_partners():
    """C-53 15 : 14 for the Allies; 12 against 11, then 12 against 13."""
    vp = {"WA": 11, "EA": 4, "DE": 8, "GA": 6}
    state = position({1: "DE1 BE1"}, turn=6, treaty=True, vp=vp)
    ended = check_victory(state).one(GameEnded)
    assert (ended.alliance, ended.winners) == ("ALLIES", ("EA",))
    assert ("treaty", 8) in ended.scores
    state = position({1: "DE1 BE1"}, turn=6, treaty=True, vp=vp | {"WA": 13})
    assert check_victory(state).one(GameEnded).winners == ("WA",)
    assert faction_ahead(position(treaty=True, vp=vp | {"WA": 12}), "ALLIES") == "EA"


def test_8_1__12_never_between_the_alliances():
    vp = {"WA": 6, "EA": 6, "DE": 6, "GA": 7}
    state = position({1: "DE1 BE1"}, turn=6, treaty=True, vp=vp)
    ended = check_victory(state).one(GameEnded)
    assert ended.alliance == "CENTRAL"
    assert dict(ended.scores)["ALLIES"] == 12


@pytest.mark.parametrize(
    ("players", "treaty", "bonus"), [(4, True, True), (4, False, False), (3, True, False)]
)
def test_8_1__12_only_with_four_players_and_an_accepted_treaty(players, treaty, bonus):
    state = position(players=players, treaty=treaty, vp={"WA": 11, "EA": 4})
    assert faction_ahead(state, "ALLIES") == ("EA" if bonus else "WA")
