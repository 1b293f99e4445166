"""TTLM 3: victory points, levels, and how a war ends."""

from __future__ import annotations

import pytest

from engine.games.to_the_last_man.answers import DONE
from engine.games.to_the_last_man.facts.season import VictoryCounted, WarEnded
from engine.games.to_the_last_man.game import GAME, ToTheLastMan
from engine.games.to_the_last_man.rules.player_turn import end_player_turn
from engine.games.to_the_last_man.rules.production import production_phase
from engine.games.to_the_last_man.rules.reinforcements import begin_season
from engine.games.to_the_last_man.rules.victory import (
    armistice,
    count_victory,
    level,
    resignation,
    total,
    victory_points,
    why_not_resign,
)
from engine.kernel.game import Outcome
from engine.kernel.requests import Seat
from tests.narrowing import expect
from tests.rules.ttlm.drawn import PACK, drawn, play

TTLM = expect(ToTheLastMan, GAME)
HOME = 11  # Germany and Luxembourg
FIRST = {"LIE": "GE", "NAM": "GE", "BRU": "GE", "LIL": "GE", "REI": "GE"}  # 1 + 1 + 2 + 1 + 1


def standing_at(points, turn=1, **more):
    """A position in which Germany has that many points: the rest of them by crises."""
    return drawn(turn=turn, crisis_vp=points - HOME - PACK.turns[turn].blockade, **more)


def test_3_1__1_areas_friendly_to_germany_count_and_disputed_ones_do_not():
    state = drawn(owner={"BRU": "GE"})
    assert victory_points(state)["areas"] == HOME + PACK.areas["BRU"].vp
    disputed = drawn(owner={"BRU": "GE"}, loose={"BRU": "GE I, BE I"})
    assert victory_points(disputed)["areas"] == HOME
    assert total(drawn()) == HOME


def test_3_1__2_eliminated_armies_count_until_they_are_rebuilt():
    """TTLM-8.1-08"""
    state = drawn(eliminated=["BE1", "FR3", "GE2"])
    assert victory_points(state)["armies"] == 2 - 1
    state.eliminated.remove("FR3")
    assert victory_points(state)["armies"] == 0
    assert victory_points(drawn())["armies"] == 0  # those that have not arrived do not count


def test_15_4_1__1_a_dissolved_army_is_no_eliminated_one():
    assert victory_points(drawn(dissolved=["FR9"]))["armies"] == 0


def test_3_1__3_crises_that_were_not_met_count_for_good():
    assert victory_points(drawn(crisis_vp=2))["crises"] == 2
    assert victory_points(drawn(crisis_vp=-1))["crises"] == -1


@pytest.mark.parametrize(("units", "points"), [("GE 4I", 0), ("GE 5I", 1), ("GE 9I", 1), ("GE 5S", 2)])
def test_3_1__4_full_fives_in_the_transit_box(units, points):
    assert victory_points(drawn(turn=15, loose={"EFT": units}))["eft"] == points
    assert victory_points(drawn(turn=16, loose={"EFT": units}))["eft"] == 0


@pytest.mark.parametrize(
    ("turns", "points"),
    [(range(1, 8), 0), (range(8, 12), -1), (range(12, 16), -2), (range(16, 20), -3), (range(20, 24), -4)],
)
def test_3_1__5_the_blockade(turns, points):
    for turn in turns:
        assert victory_points(drawn(turn=turn))["blockade"] == points


def test_c67_steps_of_the_blockade():
    """TTLM-3.1-05"""
    expected = {7: 0, 8: -1, 11: -1, 12: -2, 20: -4}
    assert {turn: victory_points(drawn(turn=turn))["blockade"] for turn in expected} == expected


@pytest.mark.parametrize("area", ["PAR", *PACK.areas["PAR"].adjacent])
def test_3_1__6_the_paris_gun_in_or_next_to_paris(area):
    """TTLM-8.3.6-02"""
    loose = drawn(turn=16, loose={area: "GE P I"}, owner={area: "GE"})
    assert victory_points(loose)["paris-gun"] == 1
    carried = drawn(turn=16, armies={"GE1": (area, "I P")}, owner={area: "GE"})
    assert victory_points(carried)["paris-gun"] == 1
    assert victory_points(drawn(turn=16, loose={"COL": "GE P"}))["paris-gun"] == 0


@pytest.mark.parametrize(
    ("points", "name"),
    [
        (-3, "EN_DECISIVE"),
        (4, "EN_DECISIVE"),
        (5, "EN_MAJOR"),
        (8, "EN_MARGINAL"),
        (11, "STALEMATE"),
        (15, "STALEMATE"),
        (16, "GE_MARGINAL"),
        (22, "GE_MAJOR"),
        (23, "GE_DECISIVE"),
        (120, "GE_DECISIVE"),
    ],
)
def test_3_1__7_the_chart(points, name):
    assert level(standing_at(points)).id == name


# ------------------------------------------------------------------ the end


def test_c65_a_decisive_victory_ends_the_war():
    """TTLM-3.1-01, TTLM-3.2-02"""
    state = drawn(owner=FIRST | {"PAR": "GE"}, armies={"GE1": ("PAR", "I")})
    assert total(state) == 23
    course = play(state, end_player_turn(state))
    assert course.result is None
    assert course.told(WarEnded) == [WarEnded("GE_DECISIVE", 3, 23, "decisive", ("GE",))]
    assert state.result == Outcome((Seat("GE"),), "decisive", {"VP": 23, "level": 3})
    disputed = drawn(owner=FIRST | {"PAR": "GE"}, armies={"GE1": ("PAR", "I"), "FR6": ("PAR", "I")})
    course = play(disputed, end_player_turn(disputed))
    assert course.told(VictoryCounted)[0].total == 17 and course.result.key == "T1.2"


def test_3_2__2_it_is_tested_at_four_moments():
    counted = []
    state = standing_at(12, 5)
    counted.append(play(state, end_player_turn(state)).told(VictoryCounted))
    counted.append(play(state, begin_season(state, 6), {"reinforce": DONE}).told(VictoryCounted))
    counted.append(play(state, production_phase(state, 6), {"production": DONE}).told(VictoryCounted))
    assert [len(facts) for facts in counted] == [1, 1, 2]


@pytest.mark.parametrize("after", ["supply", "season"])
def test_3_2__2_whoever_gets_there_wins_at_once(after):
    state = standing_at(5, 7)
    if after == "season":  # the blockade of 1916 begins
        course = play(state, begin_season(state, 8))
    else:
        state.crisis_vp -= 1
        course = play(state, production_phase(state, 7))
    assert course.told(WarEnded) == [WarEnded("EN_DECISIVE", -3, 4, "decisive", ("EN",))]
    assert course.result is None and course.asks == []


def test_counting_tells_the_parts():
    state = standing_at(13)
    course = play(state, count_victory(state))
    (counted,) = course.told(VictoryCounted)
    assert (counted.total, counted.level) == (13, "STALEMATE") and sum(dict(counted.parts).values()) == 13
    assert course.result is False


def test_3_2__1_an_armistice_ends_it_at_the_current_level():
    assert armistice(standing_at(17)) == Outcome((Seat("GE"),), "armistice", {"VP": 17, "level": 1})
    assert armistice(standing_at(9)).winners == ("EN",)
    assert armistice(standing_at(13)).winners == ("GE", "EN")
    assert TTLM.armistice_outcome(standing_at(17)) == armistice(standing_at(17))


def test_r18_whoever_resigns_at_a_stalemate_loses_marginally():
    """TTLM-3.3-01, TTLM-3.3-03"""
    state = standing_at(13)
    assert why_not_resign(state, "GE") is None and why_not_resign(state, "EN") is None
    assert resignation(state, "GE") == Outcome((Seat("EN"),), "resignation", {"VP": 13, "level": -1})
    assert resignation(state, "EN").scores["level"] == 1


def test_c68_nobody_resigns_while_he_is_ahead():
    """TTLM-3.3-01"""
    state = standing_at(17)
    refusal = why_not_resign(state, "GE")
    assert refusal is not None
    assert (refusal.rule, refusal.reason) == ("TTLM-3.3-01", "level-favours-you")
    assert why_not_resign(state, "EN") is None
    assert resignation(state, "EN") == Outcome((Seat("GE"),), "resignation", {"VP": 17, "level": 2})


def test_3_3__2_there_is_nothing_below_decisive():
    assert resignation(standing_at(20), "EN").scores["level"] == 3
    assert resignation(standing_at(24), "EN").scores["level"] == 3
    assert resignation(standing_at(5), "GE").scores["level"] == -3


def test_the_game_tells_what_a_resignation_comes_to():
    state = standing_at(17)
    assert TTLM.why_not_resign(state, Seat("GE")) == why_not_resign(state, "GE")
    assert TTLM.resignation_outcome(state, Seat("EN")) == resignation(state, "EN")
