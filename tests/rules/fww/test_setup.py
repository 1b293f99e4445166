"""FWW 1, 2, 3, 9.3: players, components as rules use them, set-up; and drawn positions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.games.first_world_war.answers import AnyTime, Deploy, Recall
from engine.games.first_world_war.facts.board import CountersDeployed
from engine.games.first_world_war.facts.combat import SurrenderRolled
from engine.games.first_world_war.game import GAME
from engine.games.first_world_war.rules.permissions import may_operate, permission_refusal
from engine.kernel.errors import EngineError
from engine.kernel.game import GameSettings
from engine.kernel.journal import canonical
from tests.narrowing import not_none
from tests.rules.fww.board import PACK, Board, Drawing
from tests.rules.fww.course import check_victory, end_turn, position

REAL_AT_START = 31
DUMMIES = 24


def why(board: Board, counter: str, front: int) -> tuple[str, str] | None:
    refusal = permission_refusal(board.state, counter, front)
    assert may_operate(board.state, counter, front) == (refusal is None)
    return None if refusal is None else (refusal.rule, refusal.reason)


# ------------------------------------------------------------------ 1 players


@pytest.mark.parametrize("players", [0, 1, 5])
def test_1__1_no_game_with_another_number_of_players(players):
    with pytest.raises(EngineError, match=f"players: {players}"):
        GAME.set_up(PACK, GameSettings(players=players))
    assert GAME.players == (2, 3, 4)


def test_1__2_two_players_run_an_alliance_each():
    board = Board.fresh(players=2)
    assert GAME.seats(board.settings) == ("ALLIES", "CENTRAL")
    assert dict(board.state.seats) == {"WA": "ALLIES", "EA": "ALLIES", "DE": "CENTRAL", "GA": "CENTRAL"}


def test_1__3_with_three_the_central_powers_sit_apart():
    board = Board.fresh(players=3)
    assert GAME.seats(board.settings) == ("ALLIES", "DE", "GA")
    assert dict(board.state.seats) == {"WA": "ALLIES", "EA": "ALLIES", "DE": "DE", "GA": "GA"}


def test_1__4_with_four_each_faction_has_its_seat():
    board = Board.fresh(players=4)
    assert sorted(GAME.seats(board.settings)) == ["DE", "EA", "GA", "WA"]
    assert all(board.seat(faction) == faction for faction in ("WA", "EA", "DE", "GA"))


def test_1__5_one_player_deploys_and_plays_his_two_factions_one_by_one():
    board = Board.fresh(scenario="historical", players=2).play(segments=8)
    asked = [(a.topic, a.at, a.seat, a.given.faction) for a in board.asked if not a.volunteer]
    assert list(dict.fromkeys(asked)) == [
        ("deploy", "T1.D1", "CENTRAL", "GA"),
        ("deploy", "T1.D2", "ALLIES", "EA"),
        ("deploy", "T1.D3", "ALLIES", "WA"),
        ("deploy", "T1.D4", "CENTRAL", "DE"),
        ("round.action", "T1.R1", "CENTRAL", "DE"),
        ("round.action", "T1.R2", "ALLIES", "WA"),
        ("round.action", "T1.R3", "ALLIES", "EA"),
        ("round.action", "T1.R4", "CENTRAL", "GA"),
    ]
    assert board.view("ALLIES").vp == {"WA": 6, "EA": 6, "DE": 6, "GA": 6}


@pytest.mark.parametrize("players", [2, 3])
def test_1__5_surrender_points_of_two_factions_in_one_hand_are_not_added(players):
    """Together they would have three, and 3 would be enough."""
    state = position({1: "BE1 DE1", 7: "RU1 DE8"}, players=players, surrender={"WA": [1], "EA": [7, 8]})
    course = check_victory(state, "3 3")
    assert course.rolls == [("ALLIES", "surrender.WA"), ("ALLIES", "surrender.EA")]
    assert course.of(SurrenderRolled) == [
        SurrenderRolled("WA", 1, "3", False),
        SurrenderRolled("EA", 2, "3", False),
    ]


@pytest.mark.parametrize("players", [2, 3])
def test_1__5_neither_faction_replaces_with_the_others_capacity(players):
    state = position(players=players, pool={"WA": "FR1 FR2 FR3 FR4 FR5 BE1", "EA": "RU1"})
    course = end_turn(state, {("replace", "WA"): ("BE1", "FR1", "FR2", "FR3")})
    west, east = course.asked("replace")
    assert [(ask.given.faction, ask.given.capacity) for ask in (west, east)] == [("WA", 4), ("EA", 5)]
    assert not_none(west.options.why_not(("BE1", "FR1", "FR2", "FR3", "FR4"))).reason == "over-capacity"
    assert not_none(east.options.why_not(("FR4",))).reason == "not-in-the-pool"
    assert state.returning == ["BE1", "FR1", "FR2", "FR3", "RU1"]


def test_1__6_hands_belong_to_factions():
    view = Board(players=2, hands={"WA": "A01 A02 A04", "EA": "A05 A06 A07"}).view("ALLIES")
    assert view.hands == {"WA": ("A01", "A02", "A04"), "EA": ("A05", "A06", "A07")}


def test_1__7_a_partner_sees_neither_counters_nor_tiles():
    drawn: Drawing = {"fronts": {1: "FR2 DE1", 9: "RU1 AH1"}, "hands": {"WA": "A01", "EA": "A05"}}
    west = Board(players=4, **drawn).view("WA")
    assert (west.known[1], west.known[9]) == (("FR2",), ())
    assert west.hands == {"WA": ("A01",)}
    assert west.hand_backs["EA"] == (1, 0)
    both = Board(players=3, **drawn).view("WA")
    assert (both.known[1], both.known[9]) == (("FR2",), ("RU1",))


# ------------------------------------------------------------------ 2 components


def test_2_1__1_three_theatres():
    theatres = {row.theatre: set[int]() for row in PACK.fronts.values()}
    for number, row in PACK.fronts.items():
        theatres[row.theatre].add(number)
    assert theatres == {"WEST": {1, 2, 3, 4}, "ITALY": {5, 6}, "EAST": {7, 8, 9, 10, 11}}


@pytest.mark.parametrize(
    ("counter", "front", "verdict"),
    [
        ("BR3", 6, None),
        ("IT1", 6, None),
        ("AH1", 6, None),
        ("DE1", 6, None),
        ("FR2", 6, ("FWW-2.1-2", "not-listed")),
        ("RU1", 6, ("FWW-2.1-2", "not-listed")),
        ("RO1", 9, ("FWW-2.1-2", "not-listed")),
        ("RU6", 9, None),
        ("BE1", 1, None),
        ("BE1", 2, ("FWW-2.1-2", "not-listed")),
        ("BR1", 3, ("FWW-2.1-2", "not-listed")),
        ("GR", 10, None),
        ("GR", 11, ("FWW-2.1-2", "not-listed")),
    ],
)
def test_2_1__2_a_front_takes_the_nations_it_lists(counter, front, verdict):
    assert why(Board(turn=5), counter, front) == verdict


def test_2_1__2_some_armies_are_listed_by_name():
    board = Board(turn=5)
    assert [front for front in PACK.fronts if why(board, "BR-MEF", front) is None] == [10, 11]
    assert [front for front in PACK.fronts if why(board, "FR-OR", front) is None] == [10, 11]
    assert [front for front in PACK.fronts if why(board, "ITB", front) is None] == [10]


def test_2_1__3_permissions_of_all_fronts():
    lists = (
        "1 BE BR FR DE · 2 BR FR US DE · 3 FR US DE · 4 FR US DE · 5 IT FR AH DE · 6 BR IT AH DE · 7 RU DE"
    )
    lists += " · 8 RU DE · 9 AH DE RU · 10 SB MN GR MEF OR ITB AH BU DE · 11 RU RO MEF OR AH BU DE"
    wanted = {int(row.split()[0]): set(row.split()[1:]) for row in lists.split(" · ")}
    board = Board(turn=6)
    for front, nations in wanted.items():
        operating = {army.nationality for army in PACK.armies.values() if why(board, army.id, front) is None}
        assert operating == nations, front


def test_2_1__4_locations_start_with_their_printed_owner():
    control = Board.fresh().state.control
    assert len(control) == 46
    assert control == {location.id: location.owner for location in PACK.locations.values()}
    assert sum(location.replacement for location in PACK.locations.values()) == 17


def test_2_1__8_any_number_may_stand_on_a_front():
    germans = [army for army in PACK.armies_of["DE"] if PACK.armies[army].entry == 1]
    board = Board.fresh()
    board.play(segments=3)
    everybody = Deploy(tuple((counter, 1) for counter in sorted([*germans, *PACK.dummies_of["DE"]])))
    board.answer("DE", everybody).play()
    assert len(board.on(1, "DE")) == len(germans) + 6


def test_2_2__2_nationalities_belong_to_factions():
    belongs = {"WA": "BE BR FR IT US", "EA": "RU SB MN RO GR MEF OR ITB", "DE": "DE", "GA": "AH BU"}
    assert {row.id: row.faction for row in PACK.nationalities.values()} == {
        nation: faction for faction, nations in belongs.items() for nation in nations.split()
    }


def test_2_2__3_a_dummy_is_known_by_its_colour_alone():
    board = Board(fronts={1: "DE:2D"})
    dummy = board.on(1)[0]
    assert not board.state.is_real(dummy)
    assert PACK.faction_of[dummy] == "DE"
    assert dummy not in PACK.nationality_of
    assert {faction: len(there) for faction, there in PACK.dummies_of.items()} == dict.fromkeys(
        PACK.factions, 6
    )


def test_2_2__4_numbers_by_front_and_colour_are_public_and_no_more():
    board = Board(fronts={9: "AH1 GA:2D DE11 RU4 RU5"})
    west = board.view("WA")
    assert west.counts[9] == {"GA": 3, "DE": 1, "EA": 2}
    assert west.known[9] == ()
    assert board.view("EA").known[9] == ("RU4", "RU5")


def test_2_2__5_the_mediterranean_force_is_not_british_in_italy():
    board = Board(turn=2)
    assert why(board, "BR-MEF", 6) == ("FWW-2.1-2", "not-listed")
    assert why(board, "BR-MEF", 11) is None  # 5.3 does not hold it up


# ------------------------------------------------------------------ 3 set-up


def test_3__1_markers_at_their_start():
    state = Board.fresh().state
    assert (state.turn, state.treaty, state.result) == (1, False, None)
    assert state.vp == {"WA": 6, "EA": 6, "DE": 6, "GA": 6}
    assert set(map(tuple, state.surrender.values())) == {()}


def test_3__2_armies_of_later_turns_wait_in_the_open():
    board = Board.fresh()
    later = {army.id for army in PACK.armies.values() if army.entry > 1}
    for seat in ("WA", "DE"):
        track = board.view(seat).track
        assert {army for armies in track.values() for army in armies} == later
        assert all(PACK.armies[army].entry == turn for turn, armies in track.items() for army in armies)


def test_3__3_an_army_cannot_be_put_into_a_town():
    board = Board(turn=2, phase="deploy", faction="DE", waiting={"DE": "DE9"})
    places: tuple[Any, ...] = ("METZ", 12, 0)
    for place in places:
        assert board.why(Deploy((("DE9", place),))) == ("FWW-2.1-1", "no-such-front")


def test_3__4_only_tiles_of_1914_are_in_the_cups():
    state = Board.fresh().state
    assert state.cups == {
        "ALLIES": ["A01", "A02", "A03", "A04", "A05", "A06", "A07"],
        "CENTRAL": ["C01", "C02", "C03", "C04", "C05", "C06", "C07"],
    }
    assert state.aside == sorted(tile.id for tile in PACK.tiles.values() if tile.year > 1914)


def test_3__5_hands_start_empty():
    assert Board.fresh().state.hands == {"WA": [], "EA": [], "DE": [], "GA": []}


def test_3__6_the_first_deployment_is_the_set_up():
    board = Board.fresh()
    waiting = [counter for there in board.state.waiting.values() for counter in there]
    assert len([c for c in waiting if c in PACK.armies]) == REAL_AT_START
    assert len([c for c in waiting if c in PACK.dummies]) == DUMMIES
    assert not any(board.state.fronts.values())
    assert board.next_key == "T1.D1"
    board.play(segments=4)
    assert [fact.faction for fact in board.of(CountersDeployed)] == ["GA", "EA", "WA", "DE"]
    assert board.state.face_up == []


def test_3__7_armies_of_turn_1_may_not_be_held_back_and_dummies_may():
    board = Board.fresh()
    new = board.view("GA").new["GA"]
    armies = tuple(c for c in new if c in PACK.armies)
    dummies = tuple(c for c in new if c in PACK.dummies)
    placed = tuple((army, 9) for army in armies)
    assert board.why(Deploy(placed, dummies)) is None
    assert board.why(Deploy(placed[1:], (*armies[:1], *dummies))) == ("FWW-3-7", "may-not-be-held")


# ------------------------------------------------------------------ 9 options


def test_9_3__1_historical_set_up():
    for board in (Board.fresh(scenario="historical"), Board.fresh(historical_setup=True)):
        stand = {front: set(there) for front, there in board.state.fronts.items() if there}
        assert stand == {
            1: {"BE1", "DE1", "DE2"},
            2: {"BR1", "FR5", "DE3", "DE4"},
            3: {"FR2", "FR3", "FR4", "DE5", "DE6"},
            4: {"FR1", "DE7"},
            7: {"RU1", "RU2", "DE8"},
            8: {"RU9", "DE-AA"},
            9: {"RU3", "RU4", "RU5", "RU8", "AH1", "AH3", "AH4"},
            10: {"SB1", "SB2", "MN", "AH5", "AH6"},
        }


def test_9_3__2_dummies_follow_in_deployment_order():
    board = Board.fresh(scenario="historical")
    for faction in ("GA", "EA", "WA", "DE"):
        ask = board.ask("deploy")
        assert (ask.given.faction, ask.given.new) == (faction, PACK.dummies_of[faction])
        board.play()
    assert sum(map(len, board.state.fronts.values())) == REAL_AT_START + DUMMIES


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"fog_of_war": True}, "fog_of_war"),
        ({"random_order": "ON"}, "random_order"),
        ({"random_order": 1}, "random_order"),
        ({"hand_scope": "seat"}, "hand_scope"),
        ({"garrison_rule": True}, "garrison_rule"),
        ({"no_surrender_before_turn": 9}, "no_surrender_before_turn"),
        ({"no_surrender_before_turn": True}, "no_surrender_before_turn"),
    ],
)
def test_options_that_do_not_exist_are_refused_by_name(options, named):
    with pytest.raises(EngineError, match=named):
        GAME.set_up(PACK, GameSettings(options=options))


def test_scenarios_that_do_not_exist_are_refused():
    with pytest.raises(EngineError, match="eastern"):
        GAME.set_up(PACK, GameSettings(scenario="eastern"))
    with pytest.raises(EngineError, match="historical_setup"):
        GAME.set_up(PACK, GameSettings(scenario="historical", options={"historical_setup": False}))


def test_what_was_not_agreed_keeps_its_default():
    state, _ = GAME.set_up(PACK, GameSettings(options={"schlieffen_plan": True}))
    assert dict(state.options) == {**PACK.options, **PACK.rulings, "schlieffen_plan": True}


# ------------------------------------------------------------------ drawn positions


def test_a_drawn_position_leaves_the_rest_as_at_the_start():
    board = Board(turn=3, faction="DE", cycle=2, fronts={"9": "AH1 GA:2D", 1: ["DE1"]}, hands={"WA": "A01"})
    state = board.state
    assert board.next_key == "T3.R5"
    assert (state.fronts[9], state.fronts[1]) == (["AH1", "GA-D1", "GA-D2"], ["DE1"])
    assert state.track[4] == sorted(a.id for a in PACK.armies.values() if a.entry == 4)
    assert not state.track[3] and "DE10" in state.gone and "DE-D1" in state.gone
    assert state.cups["ALLIES"] == ["A02", "A03", "A04", "A05", "A06", "A07", "A08", "A09"]
    GAME.check(state)


@pytest.mark.parametrize(
    ("drawn", "key"),
    [
        ({"phase": "deploy", "faction": "WA"}, "T2.D3"),
        ({"phase": "deploy"}, "T2.D1"),
        ({"round": 16}, "T2.R16"),
        ({"faction": "GA", "cycle": 4}, "T2.R16"),
        ({"phase": "victory"}, "T2.V"),
        ({"phase": "replace"}, "T2.P"),
        ({"phase": "order", "options": {"random_order": True}}, "T2.O"),
    ],
)
def test_a_drawn_position_stands_anywhere_in_the_turn(drawn, key):
    assert Board(turn=2, **drawn).next_key == key


@pytest.mark.parametrize(
    ("drawn", "named"),
    [
        ({"frnots": {}}, "frnots"),
        ({"fronts": {12: "DE1"}}, "12"),
        ({"fronts": {1: "DE99"}}, "DE99"),
        ({"fronts": {1: "DE1", 2: "DE1"}}, "DE1"),
        ({"fronts": {1: "DE1"}, "pool": {"DE": "DE1"}}, "DE1"),
        ({"fronts": {1: "2D"}}, "2D"),
        ({"fronts": {1: "DE:7D"}}, "only 6"),
        ({"fronts": {1: "XX:D"}}, "XX"),
        ({"fronts": "DE1"}, "a table"),
        ({"pool": {"WA": "RU1"}}, "RU1"),
        ({"pool": {"WA": "WA-D1"}}, "WA-D1"),
        ({"waiting": {"WA": "DE9"}}, "DE9"),
        ({"face_up": "DE1"}, "DE1"),
        ({"hands": {"WA": "C01"}}, "C01"),
        ({"hands": {"WA": "A01", "EA": "A01"}}, "A01"),
        ({"hands": {"WA": "A01 A02 A04 A05"}}, "more than 3"),
        ({"hands": {"WA": "A99"}}, "A99"),
        ({"hands": {"WA": "A01"}, "cups": {"ALLIES": "A01"}}, "A01"),
        ({"control": {"BERN": "WA"}}, "BERN"),
        ({"control": {"METZ": "XX"}}, "XX"),
        ({"vp": {"WA": -1}}, "-1"),
        ({"surrender": {"EA": [12]}}, "12"),
        ({"turn": 7}, "7"),
        ({"phase": "winter"}, "winter"),
        ({"round": 17}, "17"),
        ({"faction": "DE", "cycle": 5}, "17"),
        ({"options": {"fog": True}}, "fog"),
    ],
)
def test_a_wrong_word_in_a_drawn_position_is_named(drawn, named):
    with pytest.raises(EngineError, match=named):
        GAME.position(PACK, GameSettings(players=4), drawn)


def test_a_state_that_was_stored_is_the_same_state():
    board = Board(
        turn=4,
        faction="DE",
        fronts={10: "AH5 SB1", 9: "DE4 AH1 RU4", 1: "DE1 BE1"},
        face_up="SB1",
        pool={"WA": "FR1"},
        hands={"WA": "A01"},
        surrender={"EA": [7, 8]},
        attacked={"DE": [3, 1]},
    )
    board.answer("DE", AnyTime(recalls=(Recall("DE4", 9, 3),))).play()
    stored = json.loads(canonical(GAME.dump(board.state)))
    loaded = GAME.load(PACK, stored)
    assert loaded == board.state
    assert list(loaded.fronts) == list(board.state.fronts)
    loaded.fronts[1].clear()
    loaded.control["METZ"] = "WA"
    assert GAME.load(PACK, stored) == board.state  # the stored data stays as it was
    over = Board(turn=6, phase="victory", fronts={1: "DE1 BE1"}).play()
    assert GAME.load(PACK, json.loads(canonical(GAME.dump(over.state)))) == over.state
