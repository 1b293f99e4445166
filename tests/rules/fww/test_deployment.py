"""FWW 4.2.1 and 8.1-9, 8.1-10: deployment, garrison duty, treaty minima, automatic deployment."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from engine.games.first_world_war.answers import Deploy
from engine.games.first_world_war.facts.board import (
    CountersDeployed,
    CountersSeenDeployed,
    CountersTurnedDown,
    ReinforcementsArrived,
)
from engine.games.first_world_war.rules.deployment import automatic, garrison_duty
from engine.games.first_world_war.rules.matching import matched, served
from engine.games.first_world_war.state import FACTIONS
from tests.rules.fww.board import PACK, Board

OWED = ("FWW-4.2.1-8", "garrison-owed")
TREATY_OWED = ("FWW-8.1-9", "treaty-owed")


def step(faction, fronts=None, turn=2, **drawn):
    """A faction's deployment step."""
    return Board(turn=turn, phase="deploy", faction=faction, fronts=fronts or {}, **drawn)


def to(front, *counters):
    return tuple((counter, front) for counter in counters)


# ------------------------------------------------------------------ the phase


def test_4_2_1__1_all_face_up_counters_are_turned_down_first():
    board = Board(turn=3, phase="deploy", fronts={1: "DE1 BE1", 9: "RU4"}, face_up="DE1 RU4")
    board.play()
    assert board.of(CountersTurnedDown) == [CountersTurnedDown(None)]
    assert board.state.face_up == []
    assert board.view("WA").known[1] == ("BE1",)


def test_4_2_1__2_order_of_deployment():
    waiting = {"GA": "AH7", "EA": "RU7", "WA": "BR3", "DE": "DE10"}
    board = Board(turn=3, phase="deploy", waiting=waiting).play(segments=4)
    assert [fact.faction for fact in board.of(CountersDeployed)] == ["GA", "EA", "WA", "DE"]
    assert board.next_key == "T3.R1"


def test_4_2_1__2_later_factions_see_what_was_deployed_before():
    board = Board(turn=3, phase="deploy", waiting={"GA": "AH7 GA:D", "EA": "RU7"})
    board.answer("GA", Deploy(to(9, "AH7", "GA-D1"))).play()
    board.ask("deploy")
    assert board.view("EA").counts[9] == {"GA": 2}


def test_4_2_1__3_new_counters_are_reinforcements_replacements_dummies_and_what_was_held():
    board = Board(
        turn=3, phase="deploy", track={3: "RU7 RU12"}, returning="RU1 FR1", waiting={"EA": "RU10 EA:2D"}
    )
    board.play()  # the German Allies have nothing
    arrived = {fact.faction: fact.armies for fact in board.of(ReinforcementsArrived)}
    assert arrived == {"EA": ("RU1", "RU12", "RU7"), "WA": ("FR1",)}
    ask = board.ask("deploy")
    assert ask.given.new == ("EA-D1", "EA-D2", "RU1", "RU10", "RU12", "RU7")
    assert board.state.returning == []


def test_4_2_1__3_only_new_counters_and_each_once():
    board = step("DE", {1: "DE1"}, waiting={"DE": "DE9 DE10 DE:D"})
    places = {"DE-D1": 2, "DE10": 2, "DE9": 1}
    placed = tuple(sorted(places.items()))
    assert board.why(Deploy(placed)) is None
    assert board.why(Deploy((*placed, ("DE1", 2)))) == ("FWW-4.2.1-3", "not-new")
    assert board.why(Deploy((*placed, ("FR2", 2)))) == ("FWW-4.2.1-3", "not-new")
    assert board.why(Deploy(placed[1:])) == ("FWW-4.2.1-3", "not-named")
    assert board.why(Deploy(placed, ("DE-D1",))) == ("FWW-4.2.1-3", "named-twice")
    assert board.refusal(Deploy(placed, ("DE9",))).facts == {"counter": "DE9"}
    assert board.refusal(Deploy(placed[1:])).facts == {"counters": ("DE-D1",)}
    assert board.why(Deploy((*placed, ("DE9", 2)))) == ("FWW-4.2.1-3", "named-twice")
    assert board.why(Deploy(placed[::-1])) == ("FWW-4.2.1-3", "not-sorted")
    assert board.why("DE9", "deploy") == ("FWW-4.2.1-3", "not-a-deployment")


def test_4_2_1__4_an_army_goes_wherever_it_may_operate_enemy_or_not():
    board = step("DE", {1: "BE1", 8: "RU9"}, waiting={"DE": "DE9"})
    legal = [front for front in PACK.fronts if board.why(Deploy(to(front, "DE9"))) is None]
    assert legal == [1, 2, 3, 4, 7, 8, 9, 10, 11]
    assert board.why(Deploy(to(5, "DE9"))) == ("FWW-5.3-1", "too-early")
    board.answer("DE", Deploy(to(8, "DE9"))).play()
    assert board.on(8) == ["DE9", "RU9"]
    assert board.state.waiting["DE"] == []


def test_4_2_1__4_romanian_front_needs_monastir():
    """FWW-5.4-1"""
    waiting = {"EA": "BR-MEF"}
    assert step("EA", turn=3, waiting=waiting).why(Deploy(to(11, "BR-MEF"))) is None
    lost = step("EA", turn=3, waiting=waiting, control={"MONASTIR": "GA"})
    assert lost.why(Deploy(to(11, "BR-MEF"))) == ("FWW-5.4-1", "town-not-held")
    assert lost.why(Deploy(to(10, "BR-MEF"))) is None


def test_4_2_1__4_others_read_numbers_only():
    board = step("WA", {1: "BE1"}, waiting={"WA": "BR2 FR6 WA:D"})
    board.answer("WA", Deploy((("BR2", 1), ("FR6", 3), ("WA-D1", 3)))).play()
    assert CountersSeenDeployed("WA", ((1, 1), (3, 2))) in board.read_by("DE")
    assert board.one(CountersDeployed) in board.read_by("WA")
    assert board.one(CountersDeployed) not in board.read_by("EA")


def test_4_2_1__5_counters_held_back_are_new_again_next_turn():
    board = step("WA", {1: "BE1"}, turn=4, waiting={"WA": "BR4 BR5 WA:D"})
    board.answer("WA", Deploy(to(1, "BR4"), ("BR5", "WA-D1"))).play()
    assert board.state.waiting["WA"] == ["BR5", "WA-D1"]
    assert board.view("DE").off_board["WA"] == 2
    board.play(
        segments=19
    ).play()  # the German army's step, sixteen rounds, V, P and the new turn's first step
    assert board.next_key == "T5.D2"
    board.play()
    assert board.ask("deploy").given.new == ("BR5", "WA-D1")


def test_4_2_1__5_switched_off_every_new_army_must_be_placed():
    board = step("WA", turn=4, waiting={"WA": "BR4 BR5 WA:D"}, options={"hold_back_reinforcements": False})
    assert board.why(Deploy(to(1, "BR4"), ("BR5", "WA-D1"))) == ("FWW-4.2.1-5", "may-not-be-held")
    assert board.why(Deploy(to(1, "BR4", "BR5"), ("WA-D1",))) is None


@pytest.mark.parametrize(
    ("turn", "faction", "fronts"),
    [
        (1, "WA", [1, 2, 3, 4, 5, 6]),
        (1, "EA", [7, 8, 9, 10, 11]),
        (3, "DE", [1, 2, 3, 4, 7, 8, 9, 10, 11]),
        (4, "DE", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
        (1, "GA", [5, 6, 9, 10, 11]),
    ],
)
def test_4_2_1__6_where_dummies_may_go(turn, faction, fronts):
    """FWW-4.2.1-7: a listed nationality is enough, even if none of it is in play."""
    board = step(faction, turn=turn, waiting={faction: f"{faction}:D"})
    dummy = f"{faction}-D1"
    assert [front for front in PACK.fronts if board.why(Deploy(to(front, dummy))) is None] == fronts
    barred = next(front for front in (8, 10, 1, 6) if front not in fronts) if len(fronts) < 11 else None
    if barred is not None:
        assert board.why(Deploy(to(barred, dummy))) == ("FWW-4.2.1-6", "no-nationality-there")


def test_4_2_1__7_dummies_of_the_east_need_only_one_free_nation_on_11():
    board = step("EA", turn=3, waiting={"EA": "EA:D"}, control={"MONASTIR": "GA"})
    assert board.why(Deploy(to(11, "EA-D1"))) is None  # Russians may still go there


# ------------------------------------------------------------------ garrison duty


@pytest.mark.parametrize(
    ("faction", "fronts", "duty"),
    [
        ("WA", {1: "BE1", 3: "FR2", 5: "IT1"}, (1, 3)),
        ("DE", {1: "DE1", 4: "DE7", 7: "DE8", 9: "DE9"}, (1, 4)),
        ("EA", {7: "RU1", 8: "EA:2D", 9: "RU4", 10: "SB1"}, (7, 9)),
        ("GA", {5: "AH1", 6: "GA:D", 9: "DE9", 10: "AH5", 11: "AH6"}, (5, 10)),
    ],
)
def test_4_2_1__8_garrison_fronts_with_an_own_real_army(faction, fronts, duty):
    """FWW-4.2.1-9: dummies and Germans under allied command create no duty."""
    assert garrison_duty(step(faction, fronts).state, faction) == duty


def test_4_2_1__8_one_new_real_army_for_each_duty_front():
    board = step("EA", {7: "RU1", 8: "EA:2D", 9: "RU4"}, waiting={"EA": "RU10 RU11 EA:D"})
    assert board.ask("deploy").given.owed == (7, 9)
    assert board.why(Deploy((("EA-D3", 7), ("RU10", 7), ("RU11", 9)))) is None
    assert board.why(Deploy((("EA-D3", 9), ("RU10", 7), ("RU11", 7)))) == OWED  # a dummy does not serve
    assert board.why(Deploy((("RU10", 7), ("RU11", 8)), ("EA-D3",))) == OWED
    assert board.why(Deploy((("RU10", 7),), ("EA-D3", "RU11"))) == OWED


def test_4_2_1__8_no_duty_in_turn_1():
    board = Board.fresh(scenario="historical")
    assert board.ask("deploy").given.owed == ()
    dummies = board.view("GA").new["GA"]
    assert board.why(Deploy((), dummies)) is None


def test_4_2_1__9_judged_when_the_step_starts():
    board = step("DE", {1: "DE1"}, waiting={"DE": "DE10 DE11 DE9"})
    assert board.ask("deploy").given.owed == (1,)
    assert board.why(Deploy((("DE10", 1), ("DE11", 7), ("DE9", 7)))) is None  # front 2 is owed nothing
    board.answer("DE", Deploy((("DE10", 1), ("DE11", 2), ("DE9", 7)))).play()
    assert garrison_duty(board.state, "DE") == (1, 2)  # held from now on: the next step reckons with it


def test_4_2_1__9_the_switch_turns_the_condition_round():
    fronts, options = {1: "DE1", 2: "DE3", 4: "DE7"}, {"garrison_rule": "empty-fronts"}
    turned = step("DE", fronts, waiting={"DE": "DE9"}, options=options)
    assert turned.ask("deploy").given.owed == (3,)
    assert turned.why(Deploy(to(3, "DE9"))) is None
    assert turned.why(Deploy(to(1, "DE9"))) == OWED
    usual = step("DE", fronts, waiting={"DE": "DE9"})
    assert [front for front in (1, 2, 3, 4) if usual.why(Deploy(to(front, "DE9"))) is None] == [1, 2, 4]


def test_4_2_1__10_too_few_armies_serve_fronts_of_their_owners_choice():
    board = step("DE", {1: "DE1", 2: "DE3", 3: "DE5", 4: "DE7"}, waiting={"DE": "DE9"})
    assert all(board.why(Deploy(to(front, "DE9"))) is None for front in (1, 2, 3, 4))
    assert board.why(Deploy(to(7, "DE9"))) == OWED
    assert board.why(Deploy((), ("DE9",))) == OWED


def test_4_2_1__10_as_many_fronts_as_the_armies_can_serve_together():
    """BR2 may serve 1 and 2, FR6 all four: BR2 on 3 is impossible, so FR6 alone can free nobody else."""
    board = step("WA", {2: "BR1", 3: "FR2"}, turn=3, waiting={"WA": "BR2 FR6"})
    assert board.why(Deploy((("BR2", 2), ("FR6", 3)))) is None
    refusal = board.refusal(Deploy((("BR2", 1), ("FR6", 2))))
    assert (refusal.rule, refusal.reason) == OWED
    assert refusal.facts == {"fronts": (3,), "wanted": 2, "given": 1}


def test_4_2_1__10_armies_that_fit_no_duty_front_are_free():
    board = step("WA", {1: "BE1", 3: "FR2"}, turn=3, waiting={"WA": "IT1 IT2 BR3"})
    assert board.why(Deploy((("BR3", 1), ("IT1", 5)), ("IT2",))) is None
    assert board.why(Deploy((("BR3", 2), ("IT1", 5)), ("IT2",))) == OWED


def test_4_2_1__10_the_matching_is_maximal():
    """Held against trying everything, on random lists of fronts."""
    rng = random.Random(4)
    for _ in range(300):
        armies = [f"A{n}" for n in range(rng.randrange(1, 5))]
        fit = {army: frozenset(f for f in range(1, 5) if rng.random() < 0.5) for army in armies}
        posts = [rng.randrange(1, 5) for _ in range(rng.randrange(4))]
        found = matched(posts, armies, fit)
        assert all(posts[post] in fit[army] for post, army in found.items())
        assert len(set(found.values())) == len(found)
        nobody = {"nobody": frozenset[int]()}
        best = max(
            sum(post in {**fit, **nobody}[army] for post, army in zip(posts, order, strict=False))
            for order in permutations([*armies, *(["nobody"] * len(posts))])
        )
        assert len(found) == best


def test_4_2_1__10_earlier_posts_are_served_first():
    fit = {"A": frozenset({1, 2}), "B": frozenset({2})}
    assert matched((2, 1), ("A", "B"), fit) == {0: "B", 1: "A"}  # A gives way to serve both
    assert matched((2, 2, 1), ("A", "B"), fit) == {0: "A", 1: "B"}  # front 1 comes too late
    assert served((9, 9, 7), (9, 7, 8)) == 2


def test_4_2_1__11_only_the_sender_learns_of_a_broken_duty():
    board = step("DE", {1: "DE1"}, waiting={"DE": "DE9"})
    before = board.view("WA")
    assert board.why(Deploy((), ("DE9",))) == OWED
    ask = board.ask("deploy")
    assert ask.secret
    board.play()
    assert board.read_by("WA")[-1] == CountersSeenDeployed("DE", ((1, 1),))
    assert before.counts[1] == {"DE": 1}


# ------------------------------------------------------------------ treaty


def test_8_1__9_new_armies_go_first_where_the_treaty_wants_them():
    """FWW-8.1-7"""
    board = step("DE", {1: "DE1", 8: "DE2"}, turn=5, treaty=True, waiting={"DE": "DE10 DE11 DE9"})
    assert board.ask("deploy").given.owed == (1, 7, 9)
    assert board.why(Deploy((("DE10", 7), ("DE11", 9), ("DE9", 1)))) is None
    assert board.why(Deploy((("DE10", 7), ("DE11", 8), ("DE9", 1)))) == TREATY_OWED
    assert board.why(Deploy((("DE10", 7), ("DE11", 9), ("DE9", 2)))) == OWED


def test_8_1__9_the_treaty_goes_before_garrison_duty():
    board = step("DE", {1: "DE1", 8: "DE2"}, turn=5, treaty=True, waiting={"DE": "DE9"})
    assert board.why(Deploy(to(1, "DE9"))) == TREATY_OWED
    assert board.why(Deploy(to(7, "DE9"))) is None
    assert board.why(Deploy(to(9, "DE9"))) is None


def test_8_1__8_the_german_allies_fill_up_to_three_on_9():
    board = step("GA", {9: "AH1 DE11", 10: "AH5"}, turn=5, treaty=True, waiting={"GA": "AH2 AH3 AH4 BU1"})
    assert board.why(Deploy((("AH2", 9), ("AH3", 9), ("AH4", 10), ("BU1", 10)))) is None
    assert board.why(Deploy((("AH2", 9), ("AH3", 10), ("AH4", 11), ("BU1", 10)))) == TREATY_OWED
    refusal = board.refusal(Deploy((("AH2", 9), ("AH3", 10), ("AH4", 11), ("BU1", 10))))
    assert refusal.facts == {"fronts": (9,), "wanted": 2, "given": 1}
    # the Bulgarian serves 10, so that the Austrians can serve 9
    assert board.why(Deploy((("AH2", 9), ("AH3", 9), ("AH4", 9), ("BU1", 10)))) is None
    assert board.why(Deploy((("AH2", 9), ("AH3", 9), ("AH4", 9), ("BU1", 11)))) == OWED


def test_8_1__10_garrison_duty_lapses_on_the_frozen_fronts():
    fronts = {7: "RU1 DE8", 8: "RU9 DE9", 9: "RU4 AH1 AH3 AH4 DE11", 10: "AH5"}
    free = step("EA", fronts, turn=5, treaty=True, waiting={"EA": "RU6"})
    assert free.ask("deploy").given.owed == ()
    assert free.why(Deploy((), ("RU6",))) is None
    assert garrison_duty(step("GA", fronts, turn=5, treaty=True).state, "GA") == (10,)
    assert garrison_duty(step("GA", fronts, turn=5).state, "GA") == (9, 10)


def test_8_1__11_russians_and_romanians_may_still_be_deployed():
    board = step("EA", turn=5, treaty=True, waiting={"EA": "RO1 RU6"})
    assert board.why(Deploy((("RO1", 11), ("RU6", 9)))) is None


# ------------------------------------------------------------------ D3 automatic deployment


def test_4_2_1__8_automatic_deployment_serves_duties_with_low_ids_on_low_fronts():
    """D3 DE9 is lower than DE10, and any number than none."""
    board = step("DE", {1: "DE1", 3: "DE5", 7: "RU1 RU2"}, waiting={"DE": "DE10 DE11 DE9"})
    assert automatic(board.state, "DE") == board.ask("deploy").default
    board.play()
    assert board.one(CountersDeployed).placed == (("DE10", 3), ("DE11", 7), ("DE9", 1))
    board = step("DE", {1: "DE1", 3: "DE5"}, turn=3, waiting={"DE": "DE-AA DE-S DE10"}).play()
    assert dict(board.one(CountersDeployed).placed) == {"DE10": 1, "DE-AA": 3, "DE-S": 2}


def test_3__6_automatic_set_up_is_the_historical_one_with_dummies_spread():
    board = Board.fresh()
    state = board.state
    armies = dict(automatic(state, "DE").placed)
    assert {a: f for a, f in armies.items() if a in PACK.armies} == {
        army: PACK.armies[army].historical_front
        for army in PACK.armies_of["DE"]
        if PACK.armies[army].entry == 1
    }
    # one army on 4, 7 and 8, none on 9 to 11: dummies go where fewest own counters are, lowest number first
    assert [armies[f"DE-D{n}"] for n in range(1, 7)] == [9, 10, 11, 4, 7, 8]


def test_4_2_1__4_automatic_deployment_goes_where_the_enemy_is_strongest_best_armies_first():
    board = step("WA", {2: "DE3 DE:2D", 4: "DE7 DE1 FR1"}, turn=4, waiting={"WA": "BR4 FR7 WA:2D"})
    # duty: front 4 must get a new army, and only the French one may go there
    placed = dict(automatic(board.state, "WA").placed)
    assert placed["FR7"] == 4
    assert placed["BR4"] == 2
    assert (placed["WA-D1"], placed["WA-D2"]) == (1, 3)


def test_4_2_1__8_a_partial_order_leaves_the_rest_to_the_automatic_steps_without_duties():
    board = step("DE", {1: "DE1", 2: "DE3", 8: "RU9 EA:2D"}, waiting={"DE": "DE10 DE9 DE:D"})
    options = board.ask("deploy").options
    partial = options.completed({"DE10": 1})
    assert dict(partial.placed) == {"DE10": 1, "DE9": 8, "DE-D1": 3}
    assert board.why(partial) == OWED
    held = options.completed({"DE10": 1, "DE9": 2}, ["DE-D1"])
    assert held == Deploy((("DE10", 1), ("DE9", 2)), ("DE-D1",))
    assert board.why(held) is None


@pytest.mark.parametrize("seed", range(40))
def test_defaults_and_samples_are_always_legal(seed):
    rng = random.Random(seed)
    faction = rng.choice(FACTIONS)
    fronts: dict[int, list[str]] = {front: [] for front in PACK.fronts}
    waiting: list[str] = []
    for army in PACK.armies_of[faction]:
        nation = PACK.armies[army].nationality
        homes = [f for f in PACK.fronts if nation in PACK.permitted[f]]
        if rng.random() < 0.5:
            waiting.append(army)
        elif rng.random() < 0.5:
            fronts[rng.choice(homes)].append(army)
    board = step(
        faction,
        fronts,
        turn=rng.randrange(1, 7),
        treaty=rng.random() < 0.5,
        waiting={faction: [*waiting, f"{faction}:{rng.randrange(4)}D"]},
        options={"hold_back_reinforcements": rng.random() < 0.5},
    )
    if not board.state.waiting[faction]:
        return
    ask = board.ask("deploy")
    assert board.why(ask.default) is None
    for _ in range(20):
        assert board.why(ask.options.sample(rng)) is None
    for example in ask.options.describe():
        assert board.why(example) is None


def test_a_lone_army_with_one_place_is_the_only_option():
    held = {"hold_back_reinforcements": False}
    board = step("EA", {7: "RU1"}, turn=4, waiting={"EA": "ITB"}, options=held)
    assert board.ask("deploy").options.only() == (Deploy(to(10, "ITB")),)
    free = step("EA", {7: "RU1"}, turn=4, waiting={"EA": "ITB"})
    assert free.ask("deploy").options.only() is None
    assert list(free.ask("deploy").options.describe()) == [Deploy(to(10, "ITB")), Deploy((), ("ITB",))]


def test_4_2_1__4_automatic_deployment_counts_the_armies_it_has_placed():
    """D3 Of equals the lowest id goes first: DE9, DE10, DE11."""
    board = step("DE", {2: "FR2 FR3", 3: "FR4 WA:D"}, turn=3, waiting={"DE": "DE10 DE11 DE9"})
    assert automatic(board.state, "DE").placed == (("DE10", 3), ("DE11", 2), ("DE9", 2))
    options = board.ask("deploy").options
    assert options.completed({"DE9": 2}).placed == (("DE10", 3), ("DE11", 2), ("DE9", 2))
    weak = step("DE", {2: "FR2 FR3 DE1", 7: "RU1"}, turn=1, waiting={"DE": "DE9 DE-S"})
    assert automatic(weak.state, "DE").placed == (
        ("DE-S", 7),
        ("DE9", 2),
    )  # best value first, then the next need


def test_examples_of_a_large_deployment():
    board = Board.fresh()
    ask = board.ask("deploy")
    listed = list(ask.options.describe())
    assert listed[0] == ask.default
    dummies = PACK.dummies_of["GA"]
    assert listed[1] == Deploy(tuple(p for p in ask.default.placed if p[0] in PACK.armies), dummies)
    placed = {pair for example in listed for pair in example.placed}
    assert placed >= {("AH1", front) for front in (5, 6, 9, 10, 11)} | {("GA-D1", 6)}
    assert len(listed) == len(set(listed))


def test_random_deployments_reach_every_front_and_hold_back():
    board = step("DE", {1: "DE1", 2: "DE3"}, turn=4, waiting={"DE": "DE10 DE11 DE9 DE:D"})
    options = board.ask("deploy").options
    rng = random.Random(1)
    samples = [options.sample(rng) for _ in range(400)]
    assert {front for deploy in samples for _, front in deploy.placed} == set(PACK.fronts)
    assert {counter for deploy in samples for counter in deploy.held} == {"DE-D1", "DE10", "DE11", "DE9"}
    on_duty = {counter for deploy in samples for counter, front in deploy.placed if front == 1}
    assert on_duty >= {"DE10", "DE11", "DE9"}
