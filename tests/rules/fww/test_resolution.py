"""FWW 6.1: tiles, leaders, numbers, dice and totals of one combat."""

from __future__ import annotations

import pytest

from engine.games.first_world_war.answers import CombatGiven
from engine.games.first_world_war.facts.combat import (
    ArmyEliminated,
    CombatResolved,
    LeaderNamed,
    LocationCaptured,
    SurrenderPointGiven,
)
from engine.games.first_world_war.rules.combat import resolved
from engine.kernel.requests import Choice
from tests.narrowing import expect
from tests.rules.fww.board import Board
from tests.rules.fww.course import battle, position


def test_6_1__1_the_whole_combat_runs_in_the_rulebooks_order():
    """W-04 with a tile on each side and a draw for each."""
    state = position(
        {1: "DE1 DE2 BR1 BE1"},
        turn=1,
        hands={"WA": "A01", "DE": "C02"},
        cups={"ALLIES": "A04", "CENTRAL": "C01"},
    )
    course = battle(
        state,
        "DE",
        1,
        "DE1 DE2",
        "S S",
        "C01 A04",
        answers={"combat.attack_tile": "C02", "combat.defence_tile": "A01"},
    )
    assert course.order == [
        "AttackLaunched",
        "CountersTurnedUp",
        "CountersTurnedUp",
        "combat.defence_tile",
        "TilePlaced",
        "combat.attack_tile",
        "TilePlaced",
        "combat.attack_leader",
        "LeaderNamed",
        "combat.defence_leader",
        "LeaderNamed",
        "attack.DE",
        "defence.WA",
        "CombatResolved",
        "combat.draw",
        "tile.DE",
        "TileDrawn",
        "combat.draw",
        "tile.WA",
        "TileDrawn",
        "TileReturned",
        "TileReturned",
        "CountersTurnedDown",
    ]


def test_6_1__8_loss_and_capture_come_before_the_draws():
    """FWW-6.2-6 after the totals are compared."""
    state = position({1: "DE1 BE1"}, turn=1, cups={"CENTRAL": "C01"})
    order = battle(state, "DE", 1, "DE1", "S 1", "C01").order
    assert order[order.index("CombatResolved") :] == [
        "CombatResolved",
        "ArmyEliminated",
        "combat.capture",
        "LocationCaptured",
        "combat.draw",
        "tile.DE",
        "TileDrawn",
        "CountersTurnedDown",
    ]


def test_6_1__4_the_worked_example():
    """W-04 3+1+2 = 6 against 3+3+1 = 7: DE1 is lost."""
    state = position({1: "DE1 DE2 BR1"}, turn=1, hands={"WA": "A01"})
    course = battle(
        state,
        "DE",
        1,
        "DE1 DE2",
        "2 3",
        answers={"combat.defence_tile": "A01", "combat.attack_leader": "DE1"},
        lead="DE1",
        tile="NONE",
    )
    assert course.one(CombatResolved) == CombatResolved(
        front=1,
        attacker="DE",
        defender="WA",
        attackers=("DE1", "DE2"),
        defenders=("BR1",),
        leaders=("DE1", "BR1"),
        values=(3, 3),
        bonus=1,
        dice=("2", "3"),
        tiles=(None, "A01"),
        tile_values=(0, 1),
        totals=(6, 7),
        winner="defender",
        loss="DE1",
    )
    assert course.one(ArmyEliminated) == ArmyEliminated("DE", "DE1", 1)
    assert state.pool["DE"] == ["DE1"]
    assert state.fronts[1] == ["BR1", "DE2"]
    assert not course.of(LocationCaptured)
    assert state.cups["ALLIES"] == ["A01"]
    assert state.face_up == []
    assert state.won["DE"] is False


def test_6_1__3_the_attacker_names_its_leader_first_and_everyone_hears_it():
    state = position({3: "DE5 DE7 FR2 FR3"})
    answers = {"combat.attack_leader": "DE7", "combat.defence_leader": "FR3"}
    course = battle(state, "DE", 3, "DE5 DE7", "1 1", answers=answers, lead="WEAKEST")
    first, second = course.ask("combat.attack_leader"), course.ask("combat.defence_leader")
    assert (first.seat, first.at, first.plan) == ("DE", "T3.R1/F3", "WEAKEST")
    assert (second.seat, second.at, second.plan) == ("WA", "T3.R1/F3", "")
    assert first.given.enemy_leader is None
    assert second.given.enemy_leader == "DE7"
    assert (first.given.faction, second.given.faction) == ("DE", "WA")
    assert (first.secret, second.secret) == (False, False)
    assert course.of(LeaderNamed) == [LeaderNamed("DE", 3, "DE7"), LeaderNamed("WA", 3, "FR3")]
    assert course.one(CombatResolved).leaders == ("DE7", "FR3")


def test_6_1__3_only_participants_may_lead():
    state = position({3: "DE5 DE6 DE7 FR2"})
    ask = battle(state, "DE", 3, "DE5 DE7", "1 1").ask("combat.attack_leader")
    assert expect(Choice, ask.options).offered == ("DE5", "DE7")
    refusal = ask.options.why_not("DE6")
    assert refusal is not None
    assert (refusal.rule, refusal.reason) == ("FWW-6.1-3", "not-taking-part")


def test_6_1__3_one_participant_leads_without_a_question():
    state = position({3: "DE5 FR2"})
    course = battle(state, "DE", 3, "DE5", "1 2")
    assert not course.asks
    assert course.one(CombatResolved).leaders == ("DE5", "FR2")


def test_6_1__3_by_default_the_strongest_leads_of_equals_the_lowest_id():
    """D8, D9"""
    state = position({3: "DE7 DE5 DE6 FR1 FR4 FR3"})
    course = battle(state, "DE", 3, "DE5 DE6 DE7", "1 4")
    assert course.ask("combat.attack_leader").default == "DE5"
    assert course.ask("combat.defence_leader").default == "FR3"


def test_6_1__3_the_lowest_id_is_that_with_the_lowest_number():
    """D8, D9 DE9 before DE10, RU9 before RU10; and no other than STRONGEST in an order."""
    state = position({8: "DE10 DE9 RU10 RU9"})
    course = battle(state, "DE", 8, "DE10 DE9", "1 4")
    assert course.ask("combat.attack_leader").default == "DE9"
    assert course.ask("combat.defence_leader").default == "RU9"
    board = Board(turn=3, faction="DE", fronts={8: "DE10 DE9 RU10 RU9"})
    board.orders(DE="ATTACK 8 LEAD STRONGEST", EA="DEFEND 8: LEAD STRONGEST").play(dice="1 4")
    assert board.one(CombatResolved).leaders == ("DE9", "RU9")


def test_6_1__3_the_weakest_may_lead():
    """C-08 MN pays for it: 2+2 against 0+2."""
    state = position({10: "AH5 AH6 SB1 SB2 MN"}, turn=1)
    answers = {"combat.attack_leader": "AH5", "combat.defence_leader": "MN"}
    course = battle(state, "GA", 10, "AH5 AH6", "2 2", answers=answers)
    result = course.one(CombatResolved)
    assert (result.totals, result.bonus, result.loss) == ((4, 2), 0, "MN")


@pytest.mark.parametrize(
    ("attackers", "defenders", "bonus"),
    [
        ("DE5", "FR2", 0),
        ("DE5 DE6", "FR2", 1),
        ("DE5 DE6 DE7", "FR2", 1),
        ("DE5 DE6", "FR2 FR3", 0),
        ("DE5", "FR2 FR3", 0),
        ("DE5 DE6 DE7", "FR2 FR3", 1),
    ],
)
def test_6_1__4_more_attackers_than_defenders_give_exactly_one(attackers, defenders, bonus):
    """FWW-6.1-5: the defender never gets a bonus."""
    state = position({3: f"{attackers} {defenders}"})
    course = battle(state, "DE", 3, attackers, "1 1")
    result = course.one(CombatResolved)
    assert result.bonus == bonus
    assert result.totals == (3 + 1 + bonus, 2 + 1)
    for ask in course.asks:
        if ask.topic.endswith("leader"):
            assert ask.given.bonus is bool(bonus)


def test_6_1__4_four_against_one_is_one():
    """C-05 2+1+2 = 5 against 2+3 = 5."""
    state = position({9: "RU3 RU4 RU5 RU8 AH3"}, turn=1)
    answers = {"combat.attack_leader": "RU4"}
    result = battle(state, "EA", 9, "RU3 RU4 RU5 RU8", "2 3", answers=answers).one(CombatResolved)
    assert (result.totals, result.winner) == ((5, 5), "nobody")


def test_6_1__5_uncommitted_attackers_do_not_count():
    """C-04 One of three attacks: 3+1 against 2+2."""
    state = position({2: "DE3 DE4 DE9 FR5"}, turn=2)
    result = battle(state, "DE", 2, "DE3", "1 2").one(CombatResolved)
    assert (result.totals, result.bonus, result.winner) == ((4, 4), 0, "nobody")


def test_6_1__5_dummies_do_not_count_for_the_defence():
    state = position({3: "DE5 DE6 FR2 WA-D1 WA-D2"})
    assert battle(state, "DE", 3, "DE5 DE6", "1 1").one(CombatResolved).bonus == 1


@pytest.mark.parametrize(("face", "value"), [("1", 1), ("2", 2), ("3", 3), ("4", 4), ("S", 0)])
def test_6_1__6_the_die_adds_to_the_leader_and_s_counts_nothing(face, value):
    state = position({3: "DE5 FR2"})
    result = battle(state, "DE", 3, "DE5", f"{face} 1").one(CombatResolved)
    assert result.dice == (face, "1")
    assert result.totals == (3 + value, 3)
    state = position({3: "DE5 FR2"})
    result = battle(state, "DE", 3, "DE5", f"1 {face}").one(CombatResolved)
    assert result.totals == (4, 2 + value)


def test_6_1__6_each_side_rolls_one_die_the_attacker_first():
    """FWW-S-1"""
    state = position({9: "RU4 AH1"}, players=2)
    course = battle(state, "EA", 9, "RU4", "1 2")
    assert course.rolls == [("ALLIES", "attack.EA"), ("CENTRAL", "defence.GA")]
    assert course.one(CombatResolved).dice == ("1", "2")


@pytest.mark.parametrize(
    ("role", "tile", "totals"),
    [("attack", "C10", (6, 3)), ("attack", "C07", (4, 3)), ("attack", "C02", (5, 3))],
)
def test_6_1__7_a_tile_acts_on_the_total_of_the_attacker_that_played_it(role, tile, totals):
    state = position({3: "DE5 FR2"}, hands={"DE": tile})
    result = battle(state, "DE", 3, "DE5", "1 1", answers={"combat.attack_tile": tile}).one(CombatResolved)
    assert result.totals == totals
    assert result.tiles == (tile, None)
    assert result.tile_values == (totals[0] - 4, 0)


@pytest.mark.parametrize(("tile", "total"), [("A10", 5), ("A01", 4), ("A07", 3)])
def test_6_1__7_a_tile_acts_on_the_total_of_the_defender_that_played_it(tile, total):
    state = position({3: "DE5 FR2"}, hands={"WA": tile})
    result = battle(state, "DE", 3, "DE5", "1 1", answers={"combat.defence_tile": tile}).one(CombatResolved)
    assert result.totals == (4, total)
    assert result.tiles == (None, tile)


def test_6_1__7_a_negative_tile_subtracts():
    """C-19 2+1+4-1 = 6 against 3+1 = 4."""
    state = position({2: "BR1 FR5 DE3"}, turn=1, hands={"WA": "A03"})
    course = battle(state, "WA", 2, "BR1 FR5", "4 1")
    result = course.one(CombatResolved)
    assert (result.leaders, result.totals, result.tile_values) == (("FR5", "DE3"), (6, 4), (-1, 0))
    assert state.pool["DE"] == ["DE3"]


def test_6_1__8_the_attacker_higher_kills_the_defending_leader_and_may_take_ground():
    state = position({3: "DE5 FR2 FR3"})
    course = battle(state, "DE", 3, "DE5", "1 1", answers={"combat.defence_leader": "FR3"})
    result = course.one(CombatResolved)
    assert (result.totals, result.winner, result.loss) == ((4, 3), "attacker", "FR3")
    assert state.pool["WA"] == ["FR3"]
    assert state.fronts[3] == ["DE5", "FR2"]
    assert course.one(LocationCaptured).location == "VERDUN"
    assert state.won["DE"] is True


def test_6_1__9_the_defender_higher_kills_the_attacking_leader():
    """C-07 3+1 against 1+4: nothing is captured."""
    state = position({7: "DE8 RU1 RU2"}, turn=1)
    course = battle(state, "DE", 7, "DE8", "1 4", answers={"combat.defence_leader": "RU2"})
    result = course.one(CombatResolved)
    assert (result.totals, result.winner, result.loss) == ((4, 5), "defender", "DE8")
    assert state.fronts[7] == ["RU1", "RU2"]
    assert not course.asked("combat.capture")
    assert state.won["DE"] is False


def test_6_1__10_equal_totals_cost_nobody():
    """C-01 3+1 against 2+2: no loss, no capture, no point; tiles are spent."""
    lost = {"REIMS": "DE", "VERDUN": "DE"}
    state = position({3: "DE5 DE6 FR2 FR3 FR4"}, turn=1, control=lost, hands={"WA": "A07", "DE": "C07"})
    answers = {"combat.attack_tile": "C07", "combat.defence_tile": "A07"}
    course = battle(state, "DE", 3, "DE5 DE6", "1 2", answers=answers)
    result = course.one(CombatResolved)
    assert (result.totals, result.winner, result.loss) == ((4, 4), "nobody", None)
    assert not course.of(ArmyEliminated)
    assert not course.of(SurrenderPointGiven)
    assert not course.asked("combat.capture")
    assert (state.cups["CENTRAL"], state.cups["ALLIES"]) == (["C07"], ["A07"])
    assert state.won["DE"] is False


def test_6_1__11_at_most_one_army_is_lost():
    state = position({3: "DE5 DE6 FR1 FR2 FR3"})
    course = battle(state, "DE", 3, "DE5 DE6", "4 S")
    assert len(course.of(ArmyEliminated)) == 1
    assert len(state.fronts[3]) == 4


def test_6_1__12_totals_have_no_lower_bound():
    """Value 0, S and a tile of -1. No such army may play such a tile, so it is laid for it here."""
    state = position({10: "MN AH5"})
    state.placed["EA"] = "A08"
    result = resolved(state, CombatGiven("EA", 10, ("MN",), ("AH5",)), "GA", ("MN", "AH5"), (5, 6))
    assert result.totals == (-1, 2)


def test_5_1__6_a_german_lost_under_allied_command_goes_to_germanys_pool():
    """And the German Allies keep the ground and the points."""
    state = position({9: "AH1 DE11 RU5"}, hands={"GA": "C02"})
    answers = {"combat.attack_tile": "C02", "combat.attack_leader": "DE11"}
    course = battle(state, "GA", 9, "AH1 DE11", "1 3", answers=answers)
    assert course.one(CombatResolved).totals == (6, 5)  # C-26
    assert course.one(LocationCaptured) == LocationCaptured(9, "ROVNO", "GA", "EA", 7, 5)
    state = position({9: "AH1 DE11 RU5"})
    battle(state, "GA", 9, "DE11", "S 4")
    assert (state.pool["DE"], state.pool["GA"]) == (["DE11"], [])


def test_6_1__1_what_is_told_with_each_question():
    """D6 to D9 Everything that lies open, and the own tile; of the enemy's tile only the back."""
    state = position({3: "DE5 DE6 FR2"}, hands={"WA": "A01", "DE": "C02"})
    answers = {"combat.attack_tile": "C02", "combat.defence_tile": "A01"}
    course = battle(state, "DE", 3, "DE5 DE6", "1 1", answers=answers, tile="BIGBERTHA")
    defence, attack = course.ask("combat.defence_tile"), course.ask("combat.attack_tile")
    leader = course.ask("combat.attack_leader")
    assert (defence.given.faction, attack.given.faction) == ("WA", "DE")
    for given in (defence.given, attack.given, leader.given):
        assert (given.front, given.attackers, given.defenders) == (3, ("DE5", "DE6"), ("FR2",))
        assert (given.bonus, given.at_stake) == (True, ("VERDUN",))
    assert (defence.given.own_tile, defence.given.enemy_tile) == (None, None)
    assert (attack.given.own_tile, attack.given.enemy_tile) == (None, "normal")
    assert (leader.given.own_tile, leader.given.enemy_tile) == ("C02", "normal")
    assert (attack.plan, defence.plan) == ("BIGBERTHA", "")
    assert (attack.at, defence.at) == ("T3.R1/F3", "T3.R1/F3")
    assert attack.secret
    assert defence.secret
    assert leader.secret


def test_6_1__1_the_defender_hears_of_the_attackers_tile_before_naming_its_leader():
    state = position({3: "DE5 FR2 FR3"}, turn=6, hands={"DE": "C15"})
    given = battle(state, "DE", 3, "DE5", "1 1").ask("combat.defence_leader").given
    assert (given.own_tile, given.enemy_tile, given.enemy_leader) == (None, "mandatory", "DE5")


def test_6_1__1_nothing_is_at_stake_where_nothing_can_fall():
    state = position({6: "AH5 IT1"}, turn=2, hands={"WA": "A07"})
    assert battle(state, "GA", 6, "AH5", "1 1").ask("combat.defence_tile").given.at_stake == ()
