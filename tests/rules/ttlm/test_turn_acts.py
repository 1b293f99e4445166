"""What may be answered in a Movement Phase: samples are legal and reach everything, nonsense is refused."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import pytest

from engine.games.to_the_last_man.answers import DONE, Goal, Move, Shift
from engine.games.to_the_last_man.game import GAME
from engine.games.to_the_last_man.invariants import check_settled
from engine.games.to_the_last_man.rules.areas import friendly_areas
from engine.games.to_the_last_man.rules.movement import movement_phase, why_not_act
from engine.games.to_the_last_man.rules.supply import supply_check
from engine.games.to_the_last_man.rules.turn_acts import TurnActs
from engine.games.to_the_last_man.state import SIDES
from engine.kernel.game import GameSettings
from tests.narrowing import not_none
from tests.rules.ttlm.acts import facts, rail, strat, walk
from tests.rules.ttlm.drawn import PACK, drawn, play


def crowded(side: str, offensive: str):
    return drawn(
        turn=17,
        phasing=side,
        offensive=offensive,
        armies={
            "GE1": ("STQ", "2I S A B"),
            "GE2": ("AAC", "3I C"),
            "GE3": ("ART", ""),
            "FR1": ("COM", "2I C"),
            "FR2": ("ORL", "I, US I"),
            "UK1": ("ART", "2I A E"),
            "UK2": ("ENG", "I"),
            "BE1": ("ANT", "I"),
        },
        loose={
            "ART": "GE I",
            "COM": "FR I E",
            "ENG": "UK C",
            "COL": "GE C B",
            "CAL": "UK I, US I",
            "AAC": "GE I",
        },
        owner={"STQ": "GE", "LIL": "GE", "LIE": "GE"},
        hands={"GE": "SRV SRV", "EN": ""},
        options={"suppress_armies": True, "antwerp_evacuation": True},
    )


@pytest.mark.parametrize("offensive", ["OFF", "LIM", ""])
@pytest.mark.parametrize("side", ["GE", "EN"])
def test_every_sample_is_offered_and_the_phase_ends(side, offensive):
    rng = random.Random(f"{side}{offensive}")
    for _ in range(25):
        state = crowded(side, offensive)
        course = play(state, movement_phase(state, side), {"turn.act": lambda ask: ask.options.sample(rng)})
        assert len(course.asks) < 200


def test_samples_reach_every_kind_of_act():
    seen: Counter[str] = Counter()
    rng = random.Random(5)
    for side in ("GE", "EN"):
        options = TurnActs(crowded(side, "OFF"), side, why_not_act)
        for _ in range(4000):
            act = options.sample(rng)
            seen[act.kind] += 1
            if isinstance(act, Move):
                seen[act.mode] += 1
                seen["absorb"] += bool(act.absorb)
                seen["into"] += bool(act.into)
                seen["out of"] += bool(act.source)
                seen["several"] += sum(number for _, number in act.units) > 1
                seen["two areas"] += act.mode == "move" and len(act.path) > 2
            if isinstance(act, Shift):
                seen["between armies"] += bool(act.source and act.into)
    wanted = "move rail strat sea reserves withdraw evacuate shift suppress done absorb into several"
    assert [word for word in [*wanted.split(), "out of", "two areas"] if not seen[word]] == []


def test_what_is_described_is_offered_and_begins_with_nothing_more():
    for side in ("GE", "EN"):
        options = TurnActs(crowded(side, "OFF"), side, why_not_act)
        described = options.describe()
        assert described[0] == DONE
        assert all(options.contains(act) for act in described)
        assert len(set(described)) == len(described)
        assert options.only() is None
    nothing = TurnActs(drawn(), "GE", why_not_act)
    assert (nothing.describe(), nothing.only()) == ((DONE,), (DONE,))


@pytest.mark.parametrize("wrong", [None, "GE1", 3, (), ("AAC", "LIE"), Goal("LIE", "GE1")])
def test_whatever_is_no_act_is_refused(wrong):
    options = TurnActs(crowded("GE", "OFF"), "GE", why_not_act)
    assert not options.contains(wrong)
    assert not_none(options.why_not(wrong)).reason == "not-an-act"


def test_a_refused_way_names_others_that_would_do():
    armies = {"GE1": ("COL", "I"), "FR1": ("ORL", "I")}
    state = drawn(armies=armies, loose={"COB": "GE 3I"}, owner={"LUX": "EN"})
    assert facts(state, rail("COL-AAC-LIE", army="GE1"))["legal"] == ("AAC", "EFT", "SAA", "THI", "TRI")
    assert facts(state, walk("COL-COB", army="GE1"))["legal"] == ("AAC", "EFT")
    state.phasing = "EN"
    state.was_friendly = list(friendly_areas(state, "EN"))
    assert facts(state, strat("ORL-PAR", army="FR1"))["legal"] == ("BUR", "CAL", "FCO", "FLA", "NOR")


# ------------------------------------------------------------------ against all acts there are


def parts(units):
    """Every part of these counters by kind, none left out, but not nothing."""
    kinds = Counter(unit.rpartition(".")[0] for unit in units)
    numbers = [[(kind, number) for number in range(most + 1)] for kind, most in sorted(kinds.items())]
    for chosen in product(*numbers):
        if group := tuple((kind, number) for kind, number in chosen if number):
            yield group


def walks(area, steps):
    for length in range(1, steps + 1):
        ways: list[tuple[str, ...]] = [(area,)]
        for _ in range(length):
            ways = [(*way, to) for way in ways for to in PACK.areas[way[-1]].adjacent]
        yield from ways


def every_act(state, side):
    """All moves on foot and shifts that can be written down for this position, legal or not."""
    armies = [army for army in state.army_at if PACK.side_of[army] == side]
    places = [(army, state.army_at[army]) for army in armies]
    places += [("", area) for area in PACK.areas if state.loose_units(area, side)]
    for place, area in places:
        inside = list(parts(state.in_place(area, place, side)))
        for path in walks(area, 2):
            hosts = ("", *state.armies(path[-1], side))
            if place:
                near = state.loose_units(path[-1], side)
                yield from (Move(path, army=place, absorb=absorb) for absorb in ((), *parts(near)))
            for units, into in product(inside, hosts):
                yield Move(path, units=units, source=place, into=into)
        for units, into in product(inside, ("", *state.armies(area, side))):
            yield Shift(area, units, place, into)
    yield DONE


@pytest.mark.parametrize("offensive", ["OFF", ""])
def test_samples_reach_every_walk_and_shift_of_a_small_position(offensive):
    state = drawn(
        turn=8,
        offensive=offensive,
        armies={"GE1": ("LIE", "I C"), "GE2": ("LIE", ""), "GE3": ("ANT", "I"), "FR1": ("NAM", "I")},
        loose={"LIE": "GE I", "ANT": "GE B, BE I"},
        owner={"LIE": "GE", "ANT": "GE"},
    )
    options = TurnActs(state, "GE", why_not_act)
    legal = {act for act in every_act(state, "GE") if options.contains(act)}
    rng = random.Random(11)
    left = set(legal)
    for _ in range(60_000):
        act = options.sample(rng)
        assert act in legal or act.mode in ("rail", "withdraw")
        left.discard(act)
        if not left:
            break
    assert left == set()
    assert len(legal) > (40 if offensive else 15)


@pytest.mark.parametrize("scenario", sorted(PACK.scenarios))
def test_whatever_is_drawn_leaves_a_position_in_order(scenario):
    rng = random.Random(scenario)
    for seed, (side, offensive) in enumerate(product(SIDES, ("OFF", "LIM", ""))):
        state, _ = GAME.set_up(
            PACK, GameSettings(scenario=scenario, options={"suppress_armies": bool(seed % 2)})
        )
        state.phasing, state.offensive, state.phase, state.number = side, offensive, "moves", 1
        state.was_friendly = list(friendly_areas(state, side))

        def act(ask, state=state):
            check_settled(state)
            return ask.options.sample(rng)

        play(state, movement_phase(state, side), {"turn.act": act})
        check_settled(state)
        play(state, supply_check(state), {"supply.loss": lambda ask: ask.options.sample(rng)})
        check_settled(state)
