"""FWW 4.2.2, 5, 5.3, 5.4, 8.1-7 to 8.1-11, 9.1: movement, transfer and where they may lead."""

from __future__ import annotations

import random

import pytest

from engine.games.first_world_war.answers import Attack, Move, Pass, Transfer
from engine.games.first_world_war.facts.board import (
    CountersMoved,
    CountersSeenMoving,
    MoversTurnedDown,
    RoundSpent,
)
from engine.games.first_world_war.rules.permissions import able_to_attack
from tests.rules.fww.board import PACK, Board


def turn_of(faction, fronts, turn=2, **drawn):
    """The faction's first round of a turn."""
    return Board(turn=turn, faction=faction, fronts=fronts, **drawn)


def move(origin, *steps):
    return Move(origin, tuple(sorted(steps)))


def transfer(origin, to, *counters):
    return Transfer(origin, to, tuple(sorted(counters)))


# ------------------------------------------------------------------ 4.2.2 one action


def test_4_2_2__2_exactly_one_action():
    board = turn_of("DE", {2: "DE1 DE2", 1: "BE1"})
    for answer in (Pass(), move(2, ("DE1", 1)), transfer(2, 4, "DE1"), Attack(2, ("DE1",))):
        assert board.why(answer) is None
    assert board.why((Pass(), Pass()), "round.action") == ("FWW-4.2.2-2", "no-such-action")
    board.answer("DE", Pass()).play()
    assert board.one(RoundSpent).action == "pass"
    assert board.next_key == "T2.R2"


def test_4_2_2__3_an_attack_concerns_one_front_and_a_move_starts_from_one():
    board = turn_of("DE", {1: "DE1", 2: "DE2"})
    assert board.why(Attack(1, ("DE1", "DE2"))) == ("FWW-6-1", "not-there")
    assert board.why(move(1, ("DE1", 2), ("DE2", 3))) == ("FWW-5-1", "not-there")
    assert board.why(transfer(1, 4, "DE1", "DE2")) == ("FWW-5-1", "not-there")


# ------------------------------------------------------------------ 5 movement


def test_5__1_any_counters_of_one_front_one_step_each():
    board = turn_of("DE", {2: "DE1 DE2 DE3 DE4 DE:D"}, cycle=2)
    board.answer("DE", move(2, ("DE1", 1), ("DE2", 1), ("DE3", 3), ("DE-D1", 3))).play()
    assert (board.on(1), board.on(2), board.on(3)) == (["DE1", "DE2"], ["DE4"], ["DE-D1", "DE3"])
    assert board.state.face_up == []
    assert board.one(RoundSpent) == RoundSpent("DE", "move")


def test_5__1_none_need_stay():
    board = turn_of("DE", {2: "DE1 DE2"}).answer("DE", move(2, ("DE1", 1), ("DE2", 3))).play()
    assert board.on(2) == []


def test_5__1_only_counters_the_faction_commands():
    board = turn_of("DE", {2: "DE1 FR2 BR1"})
    assert board.why(move(2, ("FR2", 1))) == ("FWW-5-1", "not-commanded")
    assert board.why(move(2, ("FR3", 1))) == ("FWW-5-1", "not-commanded")  # says nothing of where it is
    assert board.why(move(2, ("DE3", 1))) == ("FWW-5-1", "not-there")
    assert board.why(move(2, ("DE99", 1))) == ("FWW-2.2-1", "no-such-counter")
    assert board.why(move(12, ("DE1", 1))) == ("FWW-2.1-1", "no-such-front")
    assert board.why(Move(2, (("DE1", 1), ("DE1", 3)))) == ("FWW-5-1", "named-twice")


def test_5__1_answers_are_in_order_of_counters():
    board = turn_of("DE", {2: "DE1 DE2"})
    assert board.why(Move(2, (("DE2", 1), ("DE1", 1)))) == ("FWW-5-1", "not-sorted")


def test_5__2_adjacent_fronts():
    pairs = {(1, 2), (2, 3), (3, 4), (5, 6), (7, 8), (8, 9), (9, 10), (9, 11), (10, 11)}
    board = turn_of("DE", {1: "DE1", 2: "DE2", 3: "DE3", 4: "DE4", 7: "DE5", 8: "DE6"})
    for front, army in enumerate(["DE1", "DE2", "DE3", "DE4"], 1):
        for to in PACK.fronts:
            legal = board.why(move(front, (army, to))) is None
            assert legal == ((front, to) in pairs or (to, front) in pairs)
    assert board.why(move(1, ("DE1", 3))) == ("FWW-5-2", "not-adjacent")
    assert board.why(move(4, ("DE4", 7))) == ("FWW-5-2", "other-theatre")
    assert board.why(move(1, ("DE1", 1))) == ("FWW-5-2", "not-adjacent")
    assert board.why(move(1, ("DE1", 0))) == ("FWW-2.1-1", "no-such-front")
    allies = turn_of("GA", {5: "AH1", 6: "AH5", 9: "AH3", 10: "AH4", 11: "AH6"})
    for front, army in ((5, "AH1"), (6, "AH5"), (9, "AH3"), (10, "AH4"), (11, "AH6")):
        for to in (5, 6, 9, 10, 11):
            legal = allies.why(move(front, (army, to))) is None
            assert legal == ((front, to) in pairs or (to, front) in pairs)
    assert allies.why(move(6, ("AH5", 9))) == ("FWW-5-2", "other-theatre")


def test_5__3_a_mover_must_be_admitted_where_it_goes():
    west = turn_of("WA", {1: "BE1 BR1 FR2 WA:D", 2: "BR2"})
    assert west.why(move(1, ("BE1", 2))) == ("FWW-2.1-2", "not-listed")
    assert west.why(move(2, ("BR2", 3))) == ("FWW-2.1-2", "not-listed")
    assert west.why(move(1, ("BR1", 2), ("FR2", 2), ("WA-D1", 2))) is None
    assert west.why(move(1, ("BE1", 2), ("FR2", 2))) == ("FWW-2.1-2", "not-listed")  # all of them
    assert turn_of("GA", {9: "GA:D AH1"}).why(move(9, ("GA-D1", 8))) == (
        "FWW-4.2.1-6",
        "no-nationality-there",
    )


def test_5__4_others_read_only_how_many_went_where():
    board = turn_of("DE", {2: "DE1 DE2 DE3 DE4 DE:D", 1: "BE1"})
    board.answer("DE", move(2, ("DE1", 1), ("DE2", 1), ("DE3", 3), ("DE-D1", 3))).play()
    for reader in ("WA", "EA", "GA"):
        assert CountersSeenMoving("DE", 2, ((1, 2), (3, 2))) in board.read_by(reader)
        assert board.view(reader).counts[1]["DE"] == 2
        assert not [c for c in board.view(reader).known[1] if c.startswith("DE")]
    assert board.one(CountersMoved) in board.read_by("DE")


def test_5__4_enemies_never_block():
    board = turn_of("DE", {2: "DE1 FR2 FR3 BR1", 1: "BE1 BR2"}).answer("DE", move(2, ("DE1", 1))).play()
    assert board.on(1, "DE") == ["DE1"]


def test_5__4_a_shown_counter_is_turned_down_to_move():
    """FWW-S-5: so nobody can follow it."""
    board = turn_of("DE", {2: "DE1 DE2"}, face_up="DE1")
    assert board.view("WA").known[2] == ("DE1",)
    board.answer("DE", move(2, ("DE1", 1), ("DE2", 3))).play()
    assert board.one(MoversTurnedDown).counters == ("DE1",)
    assert (board.view("WA").known[1], board.view("WA").known[3]) == ((), ())


def test_5__4_a_shown_counter_that_stays_lies_face_up():
    board = turn_of("DE", {2: "DE1 DE2"}, face_up="DE1").answer("DE", move(2, ("DE2", 3))).play()
    assert board.of(MoversTurnedDown) == []
    assert board.view("WA").known[2] == ("DE1",)


def test_5__5_a_transfer_takes_one_or_two_anywhere():
    board = turn_of("WA", {1: "FR5 FR6 BR1"})
    assert board.why(transfer(1, 3, "FR5", "FR6")) is None
    assert board.why(transfer(1, 4, "FR5")) is None
    assert board.why(transfer(1, 3, "FR5", "BR1")) == ("FWW-2.1-2", "not-listed")
    assert board.why(transfer(1, 2, "BR1", "FR5", "FR6")) == ("FWW-5-5", "one-or-two")
    assert board.why(transfer(1, 3)) == ("FWW-5-5", "one-or-two")
    assert board.why(transfer(1, 1, "FR5")) == ("FWW-5-5", "same-front")
    assert board.why(transfer(1, 12, "FR5")) == ("FWW-2.1-1", "no-such-front")
    board.answer("WA", transfer(1, 4, "FR5", "FR6")).play()
    assert (board.on(1), board.on(4)) == (["BR1"], ["FR5", "FR6"])
    assert board.one(RoundSpent) == RoundSpent("WA", "transfer")
    assert CountersSeenMoving("WA", 1, ((4, 2),)) in board.read_by("DE")


def test_5__5_a_transfer_crosses_theatres():
    allies = turn_of("GA", {6: "AH5"})
    assert allies.why(move(6, ("AH5", 9))) == ("FWW-5-2", "other-theatre")
    assert allies.why(transfer(6, 9, "AH5")) is None
    assert turn_of("DE", {1: "DE2 DE:D"}).why(transfer(1, 8, "DE2", "DE-D1")) is None


def test_5__6_both_counters_share_the_journey():
    """The answer has room for one origin and one destination only; both counters must stand at the first."""
    board = turn_of("WA", {1: "FR5", 2: "FR6"})
    assert board.why(transfer(1, 3, "FR5", "FR6")) == ("FWW-5-1", "not-there")


def test_5__7_dummies_count_towards_the_two():
    board = turn_of("DE", {1: "DE1 DE2 DE:2D"})
    assert board.why(transfer(1, 8, "DE1", "DE-D1")) is None
    assert board.why(transfer(1, 8, "DE1", "DE2", "DE-D1")) == ("FWW-5-5", "one-or-two")
    assert board.why(transfer(1, 8, "DE-D1", "DE-D2", "DE1")) == ("FWW-5-5", "one-or-two")
    assert board.why(Transfer(1, 8, ("DE1", "DE1"))) == ("FWW-5-1", "named-twice")


def test_5__8_a_move_without_movers_is_refused_and_late_it_is_a_pass():
    board = turn_of("DE", {1: "DE1"})
    assert board.why(Move(1, ())) == ("FWW-5-8", "no-mover")
    assert board.why(move(3, ("DE1", 2))) == ("FWW-5-1", "not-there")
    board.play()
    assert board.one(RoundSpent) == RoundSpent("DE", "pass")


# ------------------------------------------------------------------ 5.3, 5.4 theatre restrictions


@pytest.mark.parametrize(
    ("turn", "faction", "origin", "army", "to", "verdict"),
    [
        (3, "WA", 3, "FR3", 5, ("FWW-5.3-1", "too-early")),
        (4, "WA", 3, "FR3", 5, None),
        (3, "WA", 2, "BR3", 6, ("FWW-5.3-1", "too-early")),
        (4, "WA", 2, "BR3", 6, None),
        (3, "DE", 1, "DE11", 6, ("FWW-5.3-1", "too-early")),
        (4, "DE", 1, "DE11", 6, None),
        (3, "DE", 1, "DE-D1", 6, ("FWW-4.2.1-6", "no-nationality-there")),
        (4, "DE", 1, "DE-D1", 5, None),
        (1, "WA", 1, "WA-D1", 6, None),
    ],
)
def test_5_3__1_italy_is_closed_until_turn_4(turn, faction, origin, army, to, verdict):
    assert turn_of(faction, {origin: army}, turn).why(transfer(origin, to, army)) == verdict


@pytest.mark.parametrize("turn", [1, 4, 6])
def test_5_3__2_the_lists_still_apply_there(turn):
    board = turn_of("WA", {2: "BR3 FR5"}, turn)
    assert board.why(transfer(2, 5, "BR3")) == ("FWW-2.1-2", "not-listed")
    assert board.why(transfer(2, 6, "FR5")) == ("FWW-2.1-2", "not-listed")


def test_5_3__1_refusal_names_the_turn():
    refusal = turn_of("WA", {3: "FR3"}, 3).refusal(transfer(3, 5, "FR3"))
    assert refusal.facts == {"counter": "FR3", "front": 5, "turn": 4}


@pytest.mark.parametrize("army", ["BR-MEF", "FR-OR"])
def test_5_4__1_romania_only_while_monastir_is_held(army):
    held = turn_of("EA", {10: army}, 3)
    assert held.why(move(10, (army, 11))) is None
    assert held.why(transfer(10, 11, army)) is None
    lost = turn_of("EA", {10: army}, 3, control={"MONASTIR": "GA"})
    assert lost.why(move(10, (army, 11))) == ("FWW-5.4-1", "town-not-held")
    assert lost.why(transfer(10, 11, army)) == ("FWW-5.4-1", "town-not-held")
    assert lost.refusal(move(10, (army, 11))).facts == {"counter": army, "front": 11, "town": "MONASTIR"}


def test_5_4__1_the_italian_balkan_army_is_not_concerned_and_not_listed():
    board = turn_of("EA", {10: "ITB SB1"}, 4)
    assert board.why(move(10, ("ITB", 11))) == ("FWW-2.1-2", "not-listed")


def test_5_4__2_cut_off_they_stay_and_may_leave_but_not_attack():
    fronts = {11: "BR-MEF RU12 AH6"}
    lost = turn_of("EA", fronts, 3, control={"MONASTIR": "GA"})
    assert lost.why(Attack(11, ("BR-MEF",))) == ("FWW-5.4-1", "town-not-held")
    assert lost.why(Attack(11, ("RU12",))) is None
    assert lost.why(move(11, ("BR-MEF", 10))) is None
    assert turn_of("EA", fronts, 3).why(Attack(11, ("BR-MEF",))) is None


def test_5_4__2_cut_off_they_defend():
    board = turn_of("GA", {11: "BR-MEF AH7 BU1"}, 3, control={"MONASTIR": "GA"})
    board.answer("GA", Attack(11, ("AH7",))).play(dice="1 2")
    assert [seat for seat, _ in board.rolls] == ["GA", "EA"]
    assert "AH7" in board.state.pool["GA"]


def test_5_4__3_control_is_looked_at_when_the_action_happens():
    """The same order is legal before Monastir falls and not after, within one cycle."""
    fronts = {10: "BR-MEF SB1 AH4 AH5", 1: "DE1 BE1"}
    board = turn_of("EA", fronts, 3)
    order = move(10, ("BR-MEF", 11))
    assert board.why(order) is None
    board.play()
    board.answer("GA", Attack(10, ("AH4", "AH5"))).answer("GA", "MONASTIR", "combat.capture")
    board.answer("EA", "SB1", "combat.defence_leader")
    board.play(dice="4 1")
    assert board.state.control["MONASTIR"] == "GA"
    board.play(segments=2)
    assert board.why(order) == ("FWW-5.4-1", "town-not-held")


# ------------------------------------------------------------------ 8.1 treaty


def test_8_1__7_the_last_german_of_an_eastern_front_may_not_leave():
    drawn = {"turn": 5, "treaty": True}
    board = turn_of("DE", {7: "DE8 DE10", 8: "DE9 DE:D", 9: "AH1 AH3 AH4 DE11"}, **drawn)
    assert board.why(move(8, ("DE9", 7))) == ("FWW-8.1-7", "treaty-minimum")
    assert board.why(transfer(8, 1, "DE9")) == ("FWW-8.1-7", "treaty-minimum")
    assert board.why(move(8, ("DE-D1", 7))) is None
    assert board.why(move(7, ("DE8", 8))) is None
    assert board.why(move(7, ("DE8", 8), ("DE10", 8))) == ("FWW-8.1-7", "treaty-minimum")
    free = turn_of("DE", {8: "DE9"}, turn=5)
    assert free.why(move(8, ("DE9", 7))) is None


def test_8_1__8_three_austrians_stay_on_9():
    board = turn_of("GA", {9: "AH1 AH3 AH4 DE11"}, turn=5, treaty=True)
    assert board.why(transfer(9, 6, "AH1")) == ("FWW-8.1-8", "treaty-minimum")
    assert board.why(transfer(9, 3, "DE11")) == ("FWW-8.1-7", "treaty-minimum")
    four = turn_of("GA", {9: "AH1 AH2 AH3 AH4 DE9 DE11"}, turn=5, treaty=True)
    assert four.why(transfer(9, 6, "AH1")) is None
    assert four.why(transfer(9, 6, "AH1", "AH2")) == ("FWW-8.1-8", "treaty-minimum")
    assert four.why(transfer(9, 3, "DE11")) is None


def test_8_1__9_nothing_leaves_a_front_below_its_minimum():
    board = turn_of("DE", {7: "DE:2D DE8", 8: "DE:D", 9: "DE11"}, turn=5, treaty=True)
    dummy = board.on(8)[0]
    assert board.why(move(8, (dummy, 7))) == ("FWW-8.1-9", "treaty-minimum-unmet")


def test_8_1__11_russians_and_romanians_still_march():
    fronts = {9: "RU4 AH1 AH3 AH4 DE11", 11: "RO1 AH6", 7: "DE8", 8: "DE9"}
    board = turn_of("EA", fronts, turn=5, treaty=True)
    assert board.why(move(9, ("RU4", 8))) is None
    assert board.why(transfer(9, 7, "RU4")) is None
    assert board.why(transfer(9, 11, "RU4")) is None
    assert board.why(Attack(9, ("RU4",))) == ("FWW-8.1-4", "front-frozen")
    assert board.why(Attack(11, ("RO1",))) == ("FWW-8.1-3", "army-at-peace")


# ------------------------------------------------------------------ 9.1 Schlieffen


def test_9_1__1_in_turn_1_germany_attacks_on_1_to_3_only():
    fronts = {front: f"DE{front}" for front in (1, 2, 3, 4, 7, 8)}
    plan = turn_of("DE", fronts, turn=1, options={"schlieffen_plan": True})
    for front in (1, 2, 3):
        assert plan.why(Attack(front, (f"DE{front}",))) is None
    for front in (4, 7, 8):
        assert plan.why(Attack(front, (f"DE{front}",))) == ("FWW-9.1-1", "schlieffen-plan")
        assert plan.why(transfer(front, 1, f"DE{front}")) is None
    later = turn_of("DE", fronts, turn=2, options={"schlieffen_plan": True})
    assert later.why(Attack(7, ("DE7",))) is None
    assert turn_of("DE", fronts, turn=1).why(Attack(7, ("DE7",))) is None


def test_9_1__2_germans_under_allied_command_are_bound_too():
    fronts = {9: "AH1 DE8 RU4"}
    board = turn_of("GA", fronts, turn=1, options={"schlieffen_plan": True})
    assert board.why(Attack(9, ("AH1", "DE8"))) == ("FWW-9.1-1", "schlieffen-plan")
    assert board.why(Attack(9, ("AH1",))) is None
    assert not able_to_attack(board.state, 9)("DE8")


def test_9_1__2_defending_is_never_barred():
    board = turn_of("EA", {9: "DE8 RU4"}, turn=1, options={"schlieffen_plan": True})
    board.answer("EA", Attack(9, ("RU4",))).play(dice="1 1")
    assert [seat for seat, _ in board.rolls] == ["EA", "GA"]
    assert board.state.pool["EA"] == ["RU4"]


# ------------------------------------------------------------------ what is offered


@pytest.mark.parametrize("seed", range(30))
def test_samples_and_examples_are_always_legal(seed):
    rng = random.Random(seed)
    fronts: dict[int, list[str]] = {front: [] for front in PACK.fronts}
    for army in PACK.armies.values():
        homes = [f for f in PACK.fronts if army.nationality in PACK.permitted[f]]
        if rng.random() < 0.5:
            fronts[rng.choice(homes)].append(army.id)
    faction = rng.choice(["WA", "EA", "DE", "GA"])
    drawn = {"turn": rng.randrange(1, 7), "treaty": rng.random() < 0.5}
    board = turn_of(faction, fronts, **drawn, options={"schlieffen_plan": rng.random() < 0.5})
    options = board.ask().options
    kinds = set()
    for _ in range(60):
        answer = options.sample(rng)
        assert board.why(answer) is None, answer
        kinds.add(type(answer))
    assert kinds >= {Move, Transfer, Pass}
    for answer in options.describe():
        assert board.why(answer) is None, answer


def test_only_a_pass_is_offered_where_nothing_can_be_done():
    board = turn_of("DE", {8: "DE9", 9: "AH1"}, turn=5, treaty=True)
    options = board.ask().options
    assert options.only() == (Pass(),)
    assert list(options.describe()) == [Pass()]
    assert turn_of("DE", {8: "DE9"}, turn=5).ask().options.only() is None


def test_every_kind_of_action_is_listed_once():
    board = turn_of("DE", {2: "DE1 DE:D", 9: "DE4"}, turn=2)
    listed = board.ask().options.describe()
    far = [1, 3, 4, 7, 8, 9, 10, 11]
    assert list(listed) == [
        Pass(),
        Attack(2, ("DE1",)),
        *(Move(2, ((counter, to),)) for counter in ("DE-D1", "DE1") for to in (1, 3)),
        *(move(2, ("DE-D1", to), ("DE1", to)) for to in (1, 3)),
        *(Transfer(2, to, (counter,)) for counter in ("DE-D1", "DE1") for to in far),
    ]
    both = turn_of("WA", {2: "BR1 FR5"}, turn=2).ask().options.describe()
    assert [answer for answer in both if isinstance(answer, Attack)] == [
        Attack(2, ("BR1",)),
        Attack(2, ("FR5",)),
        Attack(2, ("BR1", "FR5")),
    ]
