"""FWW 7, 4.2.4 to 4.2.6: replacements, new tiles, the next turn."""

from __future__ import annotations

import random

import pytest

from engine.games.first_world_war.answers import ReplaceGiven
from engine.games.first_world_war.facts.board import PhaseBegan, TurnBegan
from engine.games.first_world_war.facts.combat import (
    ArmiesGivenUp,
    ArmiesReplaced,
    ReplacementsAsked,
    TilesAdded,
)
from engine.games.first_world_war.notation.policies import replaced
from engine.games.first_world_war.rules.replacements import ReplaceOptions, capacity
from tests.narrowing import not_none
from tests.rules.fww.board import PACK, Board
from tests.rules.fww.course import end_turn, position


def why(options, answer):
    """Rule and reason of a refused answer, or None."""
    refusal = options.why_not(answer)
    assert options.contains(answer) is (refusal is None)
    return refusal and (refusal.rule, refusal.reason)


# ------------------------------------------------------------------ capacity


def test_7__2_capacity_is_the_number_of_own_centres():
    state = position()
    assert [capacity(state, faction) for faction in ("EA", "WA", "DE", "GA")] == [5, 4, 4, 4]


@pytest.mark.parametrize(
    ("faction", "centres"),
    [
        ("DE", "AACHEN METZ BERLIN BRESLAU"),
        ("GA", "TRIESTE WIEN BUDAPEST LEMBERG"),
        ("WA", "CALAIS PARIS NANCY VENEZIA"),
        ("EA", "RIGA WARSZAWA MINSK KIEV ODESSA"),
    ],
)
def test_7_1__1_each_lost_centre_costs_one(faction, centres):
    towns = centres.split()
    for lost in towns:
        enemy = PACK.fighter[PACK.front_of[lost]]["ALLIES" if faction in ("DE", "GA") else "CENTRAL"]
        assert capacity(position(control={lost: enemy}), faction) == len(towns) - 1
    assert capacity(position(control={"BRUXELLES": "DE", "KOLN": "WA"}), faction) == len(towns)


def test_7__2_a_centre_in_the_partners_hands_is_not_the_enemys():
    assert capacity(position(control={"LEMBERG": "DE"}), "GA") == 4
    assert capacity(position(control={"LEMBERG": "EA"}), "GA") == 3


def test_7_1__2_enemy_centres_give_nothing():
    state = position(control={"PARIS": "DE", "CALAIS": "DE", "METZ": "WA"})
    assert capacity(state, "DE") == 3
    assert capacity(state, "WA") == 2


# ------------------------------------------------------------------ phase 4


def test_7__3_the_owner_chooses_what_comes_back():
    state = position(pool={"DE": "DE1 DE7 DE8", "WA": "FR1"})
    course = end_turn(state, {("replace", "DE"): ("DE7", "DE1"), ("replace", "WA"): ()})
    assert course.of(ArmiesReplaced) == [ArmiesReplaced("DE", 4, ("DE1", "DE7")), ArmiesReplaced("WA", 4, ())]
    assert state.returning == ["DE1", "DE7"]
    assert state.pool == {"DE": ["DE8"], "WA": ["FR1"], "EA": [], "GA": []}


def test_7__3_all_choose_at_once():
    """D17 Sealed: everyone is asked before anything is told, in the order DE, WA, EA, GA."""
    state = position(pool={"DE": "DE1", "WA": "FR1", "EA": "RU1", "GA": "AH1"})
    course = end_turn(state)
    assert course.order == ["PhaseBegan", *["replace"] * 4, *["ArmiesReplaced"] * 4, *["TilesAdded"] * 2]
    assert [ask.given.faction for ask in course.asked("replace")] == ["DE", "WA", "EA", "GA"]
    ask = course.asked("replace")[0]
    assert (ask.seat, ask.at, ask.secret) == ("DE", "T3.P", False)
    assert ask.given == ReplaceGiven("DE", ("DE1",), 4)


def test_7__3_who_has_nothing_to_choose_is_not_asked():
    towns = {"RIGA": "DE", "WARSZAWA": "DE", "MINSK": "DE", "KIEV": "GA", "ODESSA": "GA"}
    course = end_turn(position(pool={"EA": "RU1", "DE": ""}, control=towns))
    assert not course.asks
    assert not course.of(ArmiesReplaced)


def test_7__2_no_more_than_the_capacity_comes_back():
    state = position(pool={"DE": "DE1 DE2 DE3 DE4"}, control={"METZ": "WA"})
    options = end_turn(state).ask("replace").options
    assert why(options, ("DE1", "DE2", "DE3")) is None
    assert why(options, ("DE1", "DE2", "DE3", "DE4")) == ("FWW-7-2", "over-capacity")
    assert not_none(options.why_not(("DE1", "DE2", "DE3", "DE4"))).facts == {"capacity": 3, "named": 4}


def test_7__3_only_eliminated_own_armies_and_each_once():
    options = end_turn(position({1: "DE2"}, pool={"DE": "DE1 DE3", "WA": "FR1"})).asked("replace")[0].options
    assert why(options, ("DE1", "DE2")) == ("FWW-7-3", "not-in-the-pool")
    assert why(options, ("FR1",)) == ("FWW-7-3", "not-in-the-pool")
    assert why(options, ("DE1", "DE1")) == ("FWW-7-3", "named-twice")
    assert why(options, "DE1") == ("FWW-7-3", "not-a-list")
    assert why(options, ("DE3", "DE1")) is None
    assert why(options, ()) is None


def test_7__3_by_default_the_strongest_then_the_earliest_then_the_lowest_id():
    """D17 Five lost, four come back: DE8 and DE1 (3, turn 1), DE9 (3, turn 2), DE10 (3, turn 3)."""
    state = position(turn=5, pool={"DE": "DE10 DE11 DE8 DE9 DE1 DE7"})
    ask = end_turn(state).ask("replace")
    assert ask.default == ("DE1", "DE10", "DE8", "DE9")
    assert state.pool["DE"] == ["DE11", "DE7"]


@pytest.mark.parametrize(
    ("faction", "pool", "lost", "back"),
    [
        ("EA", "RU12 RU7", "RIGA WARSZAWA MINSK KIEV", "RU7"),
        ("DE", "DE-AA DE7", "AACHEN METZ BERLIN", "DE7"),
    ],
)
def test_7__3_the_lowest_id_is_that_with_the_lowest_number(faction, pool, lost, back):
    """D17 Of one value and turn: RU7 before RU12, and DE7 before what has no number; in orders as well."""
    enemy = {town: PACK.fighter[PACK.front_of[town]]["CENTRAL" if faction == "EA" else "ALLIES"]
             for town in lost.split()}  # fmt: skip
    state = position(turn=4, pool={faction: pool}, control=enemy)
    ask = end_turn(state).ask("replace")
    assert ask.default == (back,)
    assert replaced(ask.given, PACK, (), {}) == (back,)


def test_7__4_unused_capacity_is_lost():
    """Nothing of it is left over for the next turn."""
    state = position(turn=2, pool={"DE": "DE1 DE2 DE3 DE4 DE5 DE6"})
    end_turn(state, {"replace": ()})
    state.turn = 3
    assert end_turn(state).ask("replace").given.capacity == 4


@pytest.mark.parametrize(("switch", "pool", "gone"), [("stay", ["DE7"], False), ("removed", [], True)])
def test_7__5_what_was_not_chosen_stays_in_the_pool_unless_switched(switch, pool, gone):
    state = position(pool={"DE": "DE1 DE7", "EA": "BR-MEF"}, unreplaced_losses=switch)
    course = end_turn(state, {"replace.ask": (), ("replace", "DE"): ("DE1",)})
    assert state.pool["DE"] == pool
    assert ("DE7" in state.gone) is gone
    assert ("BR-MEF" in state.gone) is gone
    expected = [ArmiesGivenUp("DE", ("DE7",)), ArmiesGivenUp("EA", ("BR-MEF",))] if gone else []
    assert course.of(ArmiesGivenUp) == expected


def test_7__6_dummies_need_no_points():
    """They never lie in the pool: shown in defence, they wait for the next deployment."""
    state = position(waiting={"DE": "2D"}, pool={"DE": "DE1"})
    end_turn(state)
    assert state.waiting["DE"] == ["DE-D1", "DE-D2"]
    assert state.returning == ["DE1"]


def test_7__1_reinforcements_appear_in_the_deployment_phase_of_their_turn():
    state = position(turn=3)
    assert state.track[4] == ["AH11", "BR4", "BR5", "BU3", "ITB", "RO1", "RO2", "RU6"]
    end_turn(state)
    assert "AH11" in state.track[4]
    end_turn(state, segments=2)  # the German Allies deploy first
    on_board = [counter for there in state.fronts.values() for counter in there]
    assert {"AH11", "BU3"} <= set(on_board)
    assert (state.waiting["WA"], state.track[4]) == (["BR4", "BR5"], [])


def test_4_2_4__1_replaced_armies_are_new_in_the_next_turn():
    state = position(pool={"GA": "AH1"})
    course = end_turn(state, segments=2)
    assert course.following == "T4.D2"
    assert state.returning == []
    assert "AH1" in [counter for there in state.fronts.values() for counter in there]


# ------------------------------------------------------------------ 7.2


def test_7_2__1_the_expeditionary_armies_are_paid_by_the_western_allies():
    """C-76 Three own losses, a fourth point for MEF; deployed by EA next turn (FWW-7.2-3)."""
    state = position(pool={"EA": "BR-MEF RU1", "WA": "FR1 FR2 FR3"})
    course = end_turn(state)
    assert course.one(ReplacementsAsked) == ReplacementsAsked(("BR-MEF",))
    west = course.asked("replace")[0]
    assert west.given == ReplaceGiven("WA", ("BR-MEF", "FR1", "FR2", "FR3"), 4, ("BR-MEF",))
    assert course.of(ArmiesReplaced)[0] == ArmiesReplaced("WA", 4, ("BR-MEF", "FR1", "FR2", "FR3"))
    assert state.returning == ["BR-MEF", "FR1", "FR2", "FR3", "RU1"]
    assert state.pool["EA"] == []


def test_7_2__1_by_default_own_armies_come_first():
    """C-76 With four own losses nothing is left for MEF, though it is stronger."""
    state = position(pool={"EA": "BR-MEF", "WA": "FR1 FR7 FR10 BE1"})
    assert end_turn(state).ask("replace").default == ("BE1", "FR1", "FR10", "FR7")
    assert state.pool["EA"] == ["BR-MEF"]


def test_7_2__2_the_eastern_allies_must_ask():
    """D18 By default for all of them; what they do not ask for they do not get."""
    state = position(pool={"EA": "BR-MEF FR-OR ITB RU1", "WA": "FR1"})
    course = end_turn(state, {"replace.ask": ("ITB", "FR-OR")})
    ask = course.ask("replace.ask")
    assert (ask.seat, ask.at, ask.secret) == ("EA", "T3.P", False)
    assert ask.given == ReplaceGiven("EA", ("BR-MEF", "FR-OR", "ITB"), 3, ("BR-MEF", "FR-OR", "ITB"))
    assert ask.default == ("BR-MEF", "FR-OR", "ITB")
    assert why(ask.options, ("RU1",)) == ("FWW-7-3", "not-in-the-pool")
    assert course.one(ReplacementsAsked) == ReplacementsAsked(("FR-OR", "ITB"))
    assert course.asked("replace")[0].given.pool == ("FR-OR", "FR1", "ITB")
    assert state.pool["EA"] == ["BR-MEF"]
    assert course.order.index("replace.ask") < course.order.index("replace")


def test_7_2__2_the_western_allies_agree_or_refuse_army_by_army():
    state = position(pool={"EA": "BR-MEF FR-OR", "WA": "FR1"})
    end_turn(state, {("replace", "WA"): ("FR-OR",)})
    assert state.returning == ["FR-OR"]
    assert (state.pool["EA"], state.pool["WA"]) == (["BR-MEF"], ["FR1"])


@pytest.mark.parametrize(
    ("orders", "paid"),
    [
        ("REPLACE FR1 NONE\nGRANT ALL IF SPARE", ("BR-MEF", "FR1")),
        ("REPLACE NONE\nGRANT MEF IF SPARE", ("BR-MEF",)),
        ("REPLACE FR1 NONE\nDENY ALL", ("FR1",)),
        ("REPLACE FR1 NONE", ("FR1",)),
    ],
)
def test_7_2__2_what_the_west_does_not_use_itself_is_to_spare(orders, paid):
    """D18 A list that ends in NONE holds own armies back, not what was granted."""
    board = Board(turn=4, phase="replace", pool={"EA": "BR-MEF RU1", "WA": "FR1 FR2"})
    board.orders(WA=orders).play()
    assert [fact.armies for fact in board.of(ArmiesReplaced) if fact.faction == "WA"] == [paid]


@pytest.mark.parametrize("players", [2, 3])
def test_7_2__2_one_player_for_both_simply_chooses(players):
    state = position(players=players, pool={"EA": "BR-MEF RU1", "WA": "FR1"})
    course = end_turn(state, {("replace", "WA"): ("BR-MEF",)})
    assert not course.asked("replace.ask")
    assert not course.of(ReplacementsAsked)
    west, east = course.asked("replace")
    assert (west.seat, east.seat) == ("ALLIES", "ALLIES")
    assert west.given == ReplaceGiven("WA", ("BR-MEF", "FR1"), 4, ("BR-MEF",))
    assert state.returning == ["BR-MEF", "RU1"]


def test_7_2__2_nobody_asks_where_the_west_has_no_points():
    lost = {"CALAIS": "DE", "PARIS": "DE", "NANCY": "DE", "VENEZIA": "GA"}
    state = position(pool={"EA": "BR-MEF", "WA": "FR1"}, control=lost)
    assert not end_turn(state).asks
    assert state.pool["EA"] == ["BR-MEF"]


def test_7_2__3_eastern_points_never_pay_for_them():
    state = position(pool={"EA": "BR-MEF RU1"})
    course = end_turn(state, {("replace", "WA"): ()})
    east = course.asked("replace")[1]
    assert east.given == ReplaceGiven("EA", ("RU1",), 5)
    assert why(east.options, ("BR-MEF",)) == ("FWW-7.2-3", "charged-to-the-west")
    assert why(course.ask("replace.ask").options, ("BR-MEF",)) is None
    assert state.pool["EA"] == ["BR-MEF"]


def test_7_2__3_with_only_such_losses_the_east_has_no_choice_of_its_own():
    course = end_turn(position(pool={"EA": "ITB"}))
    assert [ask.given.faction for ask in course.asked("replace")] == ["WA"]


def test_7_2__3_a_replaced_expeditionary_army_is_the_easts_again():
    state = position({10: "SB1"}, turn=3, pool={"EA": "BR-MEF"})
    end_turn(state, segments=3)  # GA, then EA deploys
    assert any("BR-MEF" in there for there in state.fronts.values())


# ------------------------------------------------------------------ what is offered


def test_7__3_samples_and_examples_are_legal():
    rng = random.Random(7)
    for capacity_, pool in ((2, ("DE1", "DE2", "DE3")), (4, ("DE1", "DE2")), (1, ("DE1",))):
        options = ReplaceOptions(pool, capacity_, ())
        drawn = {options.sample(rng) for _ in range(200)}
        assert all(options.contains(answer) for answer in drawn)
        assert {len(answer) for answer in drawn} == set(range(min(capacity_, len(pool)) + 1))
        assert all(options.contains(answer) for answer in options.describe())
        assert options.only() is None
    assert ReplaceOptions(("DE1", "DE2", "DE3"), 2, ()).describe() == [
        (),
        ("DE1",),
        ("DE2",),
        ("DE3",),
        ("DE1", "DE2"),
    ]
    assert ReplaceOptions(("DE1", "DE2"), 1, ()).describe() == [(), ("DE1",), ("DE2",)]


@pytest.mark.parametrize(("pool", "points"), [((), 4), (("DE1",), 0)])
def test_7__3_with_nothing_to_choose_only_nothing_is_offered(pool, points):
    options = ReplaceOptions(pool, points, ())
    assert options.only() == ((),)
    assert list(options.describe()) == [()]
    assert options.sample(random.Random(1)) == ()


# ------------------------------------------------------------------ phases 5 and 6


@pytest.mark.parametrize(
    ("turn", "allies", "central"),
    [
        (1, "", ""),
        (2, "A08 A09", "C08 C09 C10"),
        (3, "A10 A11 A12", "C11 C12"),
        (4, "A13 A14", "C13 C14"),
        (5, "A15", "C15"),
    ],
)
def test_4_2_5__1_the_next_years_tiles_go_into_their_cups(turn, allies, central):
    """C-31"""
    state = position(turn=turn)
    later = set(allies.split()) | set(central.split())
    course = end_turn(state)
    added = {fact.alliance: fact.tiles for fact in course.of(TilesAdded)}
    expected = {"ALLIES": tuple(allies.split()), "CENTRAL": tuple(central.split())}
    assert added == {alliance: tiles for alliance, tiles in expected.items() if tiles}
    assert (state.cups["ALLIES"], state.cups["CENTRAL"]) == (allies.split(), central.split())
    assert not later & set(state.aside)


def test_4_2_5__1_they_join_what_lies_there():
    state = position(turn=2, cups={"ALLIES": "A01 A12"})
    end_turn(state)
    assert state.cups["ALLIES"] == ["A01", "A08", "A09", "A12"]


def test_4_2_6__1_points_return_to_0_and_the_turn_marker_advances():
    state = position({1: "DE1 BE1"}, turn=3, surrender={"EA": [7], "DE": [1]}, attacked={"DE": [1]})
    course = end_turn(state)
    assert course.facts[0] == PhaseBegan(3, "replace")
    assert course.following == "T4.D1"
    course = end_turn(state, segments=2)
    assert course.one(TurnBegan).turn == 4
    assert (state.turn, state.phase) == (4, "deploy")
    assert not any(state.surrender.values())
    assert not any(state.attacked.values())


def test_4_2_6__1_with_the_random_order_the_slots_come_first():
    assert end_turn(position(turn=3, random_order=True)).following == "T4.O"


def test_4_2_6__2_hands_points_control_treaty_and_counters_carry_over():
    state = position(
        {1: "DE1 BE1", 7: "DE8 RU1"},
        turn=4,
        hands={"WA": "A01"},
        vp={"WA": 9},
        control={"METZ": "WA"},
        treaty=True,
    )
    end_turn(state, segments=2)
    assert (state.hands["WA"], state.vp["WA"], state.control["METZ"], state.treaty) == (
        ["A01"],
        9,
        "WA",
        True,
    )
    assert {"DE1", "BE1"} <= set(state.fronts[1])
    assert {"DE8", "RU1"} <= set(state.fronts[7])
