"""Positions that an umpire or a test draws."""

from __future__ import annotations

import tomllib

import pytest

from engine.games.to_the_last_man.game import GAME
from engine.games.to_the_last_man.invariants import check_settled
from engine.games.to_the_last_man.rules.position import position
from engine.games.to_the_last_man.rules.setup import set_up
from engine.kernel.errors import EngineError
from engine.kernel.game import GameSettings
from tests.rules.ttlm.drawn import PACK

SMALL = """
    turn = "1916-SP"
    phasing = "EN"
    number = 2
    passes = 1
    clear = true
    owner = { ART = "EN", LIL = "GE" }
    forts = { VER = 2 }
    armies.GE6 = { at = "ART", units = "3I 2A" }
    armies.UK1 = { at = "ART", units = "US 2I, UK A", entrenched = true }
    loose = { ART = ["UK I entrenched", "GE C"], PAR = "FR A" }
    eliminated = ["FR3"]
    hands = { GE = ["OFF", "ER2"], EN = ["BAD"] }
    deck = ["LIM", "GAS"]
    discard = ["OFF"]
    removed = ["EMC"]
"""


def draw(text="", scenario="1914", **given):
    return position(PACK, GameSettings(scenario, 2), tomllib.loads(text) | given)


def test_a_small_position():
    state, segment = draw(SMALL)
    assert segment.key == "T8.2" and segment.args == (8, 2, "EN")
    assert state.forts == {"VER": 2} and state.passes == 1 and state.turn == 8
    assert state.grouped(state.contents["GE6"]) == (("GE.A", 2), ("GE.I", 3))
    assert state.grouped(state.contents["UK1"]) == (("UK.A", 1), ("US.I", 2))
    assert list(state.army_at) == ["GE6", "UK1"]
    assert "UK1" in state.entrenched and "GE6" not in state.entrenched
    assert [unit for unit in state.loose["ART"] if unit in state.entrenched] == ["UK.I.01"]
    assert [PACK.cards[card] for card in state.deck[:2]] == ["LIM", "GAS"]
    assert state.discard == ["OFF.02"] and state.removed == ["EMC.01"] and len(state.deck) == 50
    assert state.eliminated == ["FR3"] and state.corps == ["UK.CW.02"]


def test_what_is_not_named_is_as_the_scenario_sets_it_up():
    plain, _ = set_up(PACK, GameSettings("1916", 2))
    state, segment = draw(
        scenario="1916", armies={"GE6": {"at": "LIL", "units": "I"}}, loose={"VER": []}, forts={"VER": -1}
    )
    assert segment.key == "T8.1" and state.army_at["GE6"] == "LIL" and "VER" not in state.forts
    assert {army: at for army, at in state.army_at.items() if army != "GE6"} == {
        army: at for army, at in plain.army_at.items() if army != "GE6"
    }
    check_settled(state)
    assert sorted(state.deck) == sorted(PACK.cards)


@pytest.mark.parametrize(("phase", "key"), [("reinforce", "T5.R"), ("turn", "T5.1"), ("production", "T5.P")])
def test_where_play_goes_on(phase, key):
    assert draw(turn=5, phase=phase)[1].key == key


def test_held_reinforcements_and_a_small_pool():
    state, _ = draw(clear=True, turn=16, held={"GE": ["GE17", "GE 3S"]}, pool_out=["GE 10S"])
    assert state.held["GE"] == ["GE.S.01", "GE.S.02", "GE.S.03", "GE17"]
    assert sum(PACK.type_of[unit] == "S" for unit in state.pool["GE"]) == 2


def test_options_and_scenario_may_be_drawn():
    state, _ = draw(options={"fortify": True})
    assert state.options["fortify"] is True
    assert GAME.position(PACK, GameSettings("1914", 2), {"scenario": "1918"})[0].scenario == "1918"


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"sky": "blue"}, "unknown key"),
        ({"turn": 24}, "turn"),
        ({"phase": "tea"}, "phase"),
        ({"phasing": "FR"}, "phasing"),
        ({"number": 0}, "number"),
        ({"passes": "two"}, "passes"),
        ({"owner": {"ART": "FR"}}, "owner"),
        ({"owner": ["ART"]}, "owner"),
        ({"forts": {"VER": 9}}, "forts"),
        ({"forts": {"ART": 1}}, "forts"),
        ({"armies": {"GE99": {"at": "ART"}}}, "armies"),
        ({"armies": {"GE1": {"units": "3I"}}}, "armies"),
        ({"armies": {"GE1": {"at": "ART", "units": "3X"}}}, "armies"),
        ({"armies": {"BE1": {"at": "ART", "units": "4I"}}}, "only 3 are left"),
        ({"loose": {"ART": ["2I"]}}, "whose"),
        ({"hands": {"GE": ["EMC", "EMC"]}}, "no card 'EMC'"),
        ({"deck": ["JOKER"]}, "no card"),
        ({"eliminated": ["FR1"], "armies": {"FR1": {"at": "PAR"}}}, "stands on the map"),
    ],
)
def test_what_fits_nothing_is_refused_with_its_key(given, word):
    with pytest.raises(EngineError, match=word):
        position(PACK, GameSettings("1914", 2), {"clear": True, **given})
