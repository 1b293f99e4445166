"""FWW 6: the attack as an action, from its legality to turning all counters down."""

from __future__ import annotations

import pytest

from engine.games.first_world_war.answers import Attack
from engine.games.first_world_war.facts.board import CountersTurnedDown, CountersTurnedUp
from engine.games.first_world_war.facts.combat import (
    ArmyEliminated,
    AttackCameToNothing,
    AttackLaunched,
    CombatResolved,
    DummiesRemoved,
    FrontFoundEmpty,
    LocationCaptured,
    SurrenderPointGiven,
)
from engine.games.first_world_war.rules.combat import attack_refusal, may_attack_with
from engine.kernel.requests import Choice
from tests.narrowing import expect, not_none
from tests.rules.fww.course import battle, position


def refused(state, faction, front, armies):
    """Rule and reason of a refused attack, or None."""
    refusal = attack_refusal(state, faction, Attack(front, tuple(armies.split())))
    return refusal and (refusal.rule, refusal.reason)


# ------------------------------------------------------------------ who may attack


def test_6__1_a_faction_attacks_where_it_commands_a_real_army():
    state = position({1: "DE1 DE2 DE-D1 BE1", 2: "DE-D2", 3: "FR2"})
    assert may_attack_with(state, "DE", 1) == ("DE1", "DE2")
    assert may_attack_with(state, "DE", 2) == ()
    assert may_attack_with(state, "DE", 3) == ()
    assert may_attack_with(state, "WA", 1) == ("BE1",)
    assert refused(state, "DE", 1, "DE1 DE2") is None


def test_6__1_germans_in_galicia_attack_for_the_german_allies():
    """FWW-5.1-1, FWW-5.1-3"""
    state = position({9: "AH1 DE11 RU4"})
    assert may_attack_with(state, "GA", 9) == ("AH1", "DE11")
    assert may_attack_with(state, "DE", 9) == ()
    assert refused(state, "GA", 9, "AH1 DE11") is None
    assert refused(state, "DE", 9, "DE11") == ("FWW-5.1-3", "not-commanded")


@pytest.mark.parametrize(
    ("faction", "front", "armies", "why"),
    [
        ("DE", 12, "DE1", ("FWW-6-1", "no-such-front")),
        ("DE", 1, "", ("FWW-6-3", "no-army-named")),
        ("DE", 1, "DE1 DE1", ("FWW-6-3", "named-twice")),
        ("DE", 1, "DE1 DE-D1", ("FWW-6-3", "dummy")),
        ("DE", 1, "DE99", ("FWW-6-1", "no-such-counter")),
        ("DE", 1, "DE3", ("FWW-6-1", "not-there")),
        ("DE", 2, "DE1", ("FWW-6-1", "not-there")),
        ("DE", 1, "DE1 BE1", ("FWW-6-1", "not-commanded")),
        ("DE", 1, "AH1", ("FWW-6-1", "not-commanded")),
        ("GA", 1, "DE1", ("FWW-6-1", "not-commanded")),
        ("GA", 9, "DE1", ("FWW-6-1", "not-there")),
    ],
)
def test_6__1_what_may_not_be_committed_is_refused(faction, front, armies, why):
    state = position({1: "DE1 DE2 DE-D1 BE1", 2: "DE3", 9: "AH1"})
    assert refused(state, faction, front, armies) == why


def test_6__1_a_refusal_names_counter_and_front():
    state = position({1: "DE1"})
    refusal = attack_refusal(state, "DE", Attack(1, ("DE1", "DE3")))
    assert refusal is not None
    assert refusal.facts == {"counter": "DE3", "front": 1}


def test_6__2_the_armies_must_be_allowed_to_attack_there_now():
    """FWW-5.3-1, FWW-5.4-2, FWW-9.1-1"""
    state = position({5: "FR2 IT1 AH7"}, turn=3)
    assert may_attack_with(state, "WA", 5) == ("IT1",)
    assert refused(state, "WA", 5, "FR2 IT1") == ("FWW-5.3-1", "too-early")
    assert may_attack_with(position({5: "FR2 IT1"}, turn=4), "WA", 5) == ("FR2", "IT1")
    state = position({11: "BR-MEF AH7"}, turn=4, control={"MONASTIR": "GA"})
    assert may_attack_with(state, "EA", 11) == ()
    assert refused(state, "EA", 11, "BR-MEF") == ("FWW-5.4-1", "town-not-held")
    state = position({7: "DE8 RU1"}, turn=1, schlieffen_plan=True)
    assert refused(state, "DE", 7, "DE8") == ("FWW-9.1-1", "schlieffen-plan")


def test_6__9_hidden_enemies_change_no_refusal():
    """The same order gets the same answer whatever the enemy's counters are."""
    real, bluff, empty = (position({4: f"DE7 {there}"}) for there in ("FR1", "WA-D1", ""))
    for armies in ("DE7", "DE7 FR1", "DE7 WA-D1", "FR1"):
        assert refused(real, "DE", 4, armies) == refused(bluff, "DE", 4, armies)
        assert refused(real, "DE", 4, armies) == refused(empty, "DE", 4, armies)
    assert may_attack_with(real, "DE", 4) == may_attack_with(empty, "DE", 4) == ("DE7",)


# ------------------------------------------------------------------ the action


def test_6__3_only_committed_armies_are_shown():
    """C-04 DE4 and DE9 never are."""
    state = position({2: "DE3 DE4 DE9 DE-D1 FR5"}, turn=2)
    course = battle(state, "DE", 2, "DE3", "1 2")
    shown = [counter for fact in course.of(CountersTurnedUp) for counter in fact.counters]
    assert shown == ["DE3", "FR5"]
    assert course.one(AttackLaunched) == AttackLaunched("DE", 2, ("DE3",))
    assert state.attacked["DE"] == [2]


def test_6__4_attackers_are_turned_up_before_all_defenders():
    state = position({9: "RU4 AH1 DE11 GA-D1 DE-D1"})
    course = battle(state, "EA", 9, "RU4", "1 4")
    first, second = course.of(CountersTurnedUp)
    assert first.counters == ("RU4",)
    assert second.counters == ("AH1", "DE-D1", "DE11", "GA-D1")
    assert course.order[:4] == ["AttackLaunched", "CountersTurnedUp", "CountersTurnedUp", "DummiesRemoved"]


def test_6__5_shown_dummies_leave_the_board_and_are_new_again():
    """FWW-5.1-6: each goes back to its owner."""
    state = position({9: "RU4 EA-D1 AH1 DE-D1 GA-D1 GA-D2"})
    course = battle(state, "EA", 9, "RU4", "1 4")
    assert course.one(DummiesRemoved) == DummiesRemoved(9, ("DE-D1", "GA-D1", "GA-D2"))
    assert state.waiting == {"DE": ["DE-D1"], "WA": [], "EA": [], "GA": ["GA-D1", "GA-D2"]}
    assert state.fronts[9] == ["AH1", "EA-D1"]


def test_6__6_all_real_defenders_take_part():
    state = position({3: "DE5 FR2 FR3 WA-D1 DE6"})
    result = battle(state, "DE", 3, "DE5", "1 1").one(CombatResolved)
    assert result.attackers == ("DE5",)
    assert result.defenders == ("FR2", "FR3")


@pytest.mark.parametrize("there", ["", "WA-D1 WA-D2"])
def test_6__7_without_a_real_defender_no_dice_fall_and_ground_is_taken(there):
    """C-02, C-10"""
    state = position({4: f"DE7 {there}"}, turn=1, hands={"WA": "A01", "DE": "C02"})
    course = battle(state, "DE", 4, "DE7", answers={"combat.capture": "EPINAL"}, take="EPINAL")
    assert course.one(FrontFoundEmpty) == FrontFoundEmpty("DE", "WA", 4)
    assert state.control["EPINAL"] == "DE"
    assert (state.vp["DE"], state.vp["WA"]) == (7, 5)
    assert [ask.topic for ask in course.asks] == ["combat.capture"]
    assert state.waiting["WA"] == there.split()
    assert state.won["DE"] is True


def test_6__7_the_unopposed_capture_may_be_declined():
    state = position({5: "AH7"}, turn=3)
    course = battle(state, "GA", 5, "AH7", answers={"combat.capture": None})
    assert not course.of(LocationCaptured)
    assert state.control["ASIAGO"] == "WA"


@pytest.mark.parametrize(("switch", "points"), [(False, []), (True, [7])])
def test_6__8_an_unopposed_attack_gives_no_surrender_point_unless_switched_on(switch, points):
    """C-37"""
    lost = {"RIGA": "DE", "KOVNO": "DE"}
    state = position({7: "DE8"}, control=lost, unopposed_attack_gives_surrender_point=switch)
    course = battle(state, "DE", 7, "DE8")
    assert state.surrender["EA"] == points
    assert len(course.of(SurrenderPointGiven)) == len(points)
    assert not course.asks


def test_6__10_afterwards_all_counters_of_the_front_lie_face_down():
    """Also what was shown there before; other fronts stay as they are."""
    state = position({1: "DE1 DE2 BR1 BE1", 4: "DE7"})
    state.face_up = ["BE1", "DE2", "DE7"]
    course = battle(state, "DE", 1, "DE1", "1 1")
    assert course.facts[-1] == CountersTurnedDown(1)
    assert state.face_up == ["DE7"]


def test_6__10_a_lost_army_does_not_stay_face_up():
    state = position({1: "DE1 BE1"})
    battle(state, "DE", 1, "DE1", "4 1")
    assert state.face_up == []


def test_6__11_an_attack_is_legal_where_nothing_can_be_taken():
    """Turn 2 on the Isonzo: the line to Udine is closed."""
    state = position({6: "AH5 IT1"}, turn=2)
    course = battle(state, "GA", 6, "AH5", "4 1")
    assert course.one(ArmyEliminated).army == "IT1"
    assert not course.of(LocationCaptured)
    assert not course.of(SurrenderPointGiven)


def test_6__12_the_front_decides_who_answers_for_the_defence():
    """C-82 GA answers for Germans on 9: C01 may be placed, Germany's C05 may not; DE11 may lead."""
    state = position({9: "DE11 AH1 RU4"}, hands={"DE": "C05", "GA": "C01"})
    course = battle(
        state,
        "EA",
        9,
        "RU4",
        "1 1",
        answers={"combat.defence_tile": "C01", "combat.defence_leader": "DE11"},
    )
    tile, leader = course.ask("combat.defence_tile"), course.ask("combat.defence_leader")
    assert (tile.seat, leader.seat) == ("GA", "GA")
    assert expect(Choice, tile.options).offered == ("C01", None)
    assert not_none(tile.options.why_not("C05")).reason == "not-in-hand"
    assert expect(Choice, leader.options).offered == ("AH1", "DE11")
    result = course.one(CombatResolved)
    assert (result.attacker, result.defender) == ("EA", "GA")
    assert course.rolls == [("EA", "attack.EA"), ("GA", "defence.GA")]
    assert result.totals == (3, 5)


def test_8_1__6_an_attack_that_comes_to_nothing_is_not_won():
    state = position({11: "BU1 RO1"}, turn=5, treaty=True)
    course = battle(state, "GA", 11, "BU1")
    assert course.one(AttackCameToNothing) == AttackCameToNothing("GA", "EA", 11)
    assert state.won["GA"] is False
