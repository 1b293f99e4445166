"""What may be answered in a Movement Phase: samples are legal and reach everything, nonsense is refused."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from engine.games.to_the_last_man.answers import DONE, Goal, Move, Shift
from engine.games.to_the_last_man.rules.areas import friendly_areas
from engine.games.to_the_last_man.rules.movement import movement_phase, why_not_act
from engine.games.to_the_last_man.rules.turn_acts import TurnActs
from tests.rules.ttlm.acts import facts, rail, strat, walk
from tests.rules.ttlm.drawn import drawn, play


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
    assert options.why_not(wrong).reason == "not-an-act"


def test_a_refused_way_names_others_that_would_do():
    armies = {"GE1": ("COL", "I"), "FR1": ("ORL", "I")}
    state = drawn(armies=armies, loose={"COB": "GE 3I"}, owner={"LUX": "EN"})
    assert facts(state, rail("COL-AAC-LIE", army="GE1"))["legal"] == ("AAC", "EFT", "SAA", "THI", "TRI")
    assert facts(state, walk("COL-COB", army="GE1"))["legal"] == ("AAC", "EFT")
    state.phasing = "EN"
    state.was_friendly = list(friendly_areas(state, "EN"))
    assert facts(state, strat("ORL-PAR", army="FR1"))["legal"] == ("BUR", "CAL", "FCO", "FLA", "NOR")
