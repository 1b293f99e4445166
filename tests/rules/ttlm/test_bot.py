"""The sensible bot: what it does in small positions, and against the random one."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from engine.games import game
from engine.games.to_the_last_man.facts.battle import BattlesDeclared
from engine.games.to_the_last_man.facts.cards import CardPlayed
from engine.games.to_the_last_man.facts.force import ArmyArrived
from engine.games.to_the_last_man.pack import load_pack
from engine.games.to_the_last_man.rules.battles import declare_battles
from engine.games.to_the_last_man.rules.combat import battle
from engine.games.to_the_last_man.rules.movement import movement_phase
from engine.games.to_the_last_man.rules.player_turn import offensive_or_pass
from engine.games.to_the_last_man.rules.production import spend
from engine.games.to_the_last_man.state import State
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings, Outcome
from engine.kernel.requests import Answer, Ask, Seat, Step
from engine.kernel.table import Table
from tests.rules.ttlm.drawn import Course, drawn, play

GAME = game("ttlm")
PACK = load_pack()
SIDES = ("GE", "EN")
GAMES = 50  # as each side
BAR = 90  # of a hundred


# ------------------------------------------------------------------ whole games


def played(seed: str, bots: dict[str, str]) -> tuple[Table, Outcome]:
    """One whole campaign of 1915."""
    settings = GameSettings(scenario="1915", players=2)
    table, rng = Table.start(GAME, PACK, settings, TestDice(seed)), Random(seed)

    def seated(name: str) -> Callable[[object, Ask], Answer]:
        bot = GAME.bots[name]
        return lambda view, ask: bot(view, ask, rng)

    table.automa = {Seat(side): seated(name) for side, name in bots.items()}
    table.advance()
    outcome = GAME.outcome(table.state)
    assert outcome is not None
    return table, outcome


def wins(side: str, games: int) -> int:
    """In how many games the level favours the sensible bot."""
    bots = {one: "sensible" if one == side else "random" for one in SIDES}
    return sum(played(f"{side}-{n}", bots)[1].winners == (side,) for n in range(games))


@pytest.mark.parametrize("side", SIDES)
def test_the_sensible_bot_beats_the_random_one(side: str) -> None:
    assert wins(side, 3) == 3


@pytest.mark.long
def test_the_sensible_bot_beats_the_random_one_in_nine_games_of_ten() -> None:
    assert sum(wins(side, GAMES) for side in SIDES) >= BAR


def test_equal_seeds_give_equal_games() -> None:
    bots = {"GE": "sensible", "EN": "random"}
    assert played("again", bots)[0].journal.head == played("again", bots)[0].journal.head


# ------------------------------------------------------------------ small positions


def led(state: State, step: Step, *topics: str, **chance: Any) -> Course:
    """A rule in which the bot answers these questions, everybody else with the defaults."""

    def answer(ask: Ask) -> Answer:
        return GAME.bots["sensible"](GAME.view(state, ask.seat), ask, Random(0))

    return play(state, step, dict.fromkeys(topics, answer), **chance)


def test_an_open_area_worth_points_is_taken() -> None:
    state = drawn(armies={"GE1": ("AAC", "4I")})
    led(state, movement_phase(state, "GE"), "turn.act")
    assert state.owner["LIE"] == "GE"


def test_in_a_pass_nobody_enters_an_enemy_area() -> None:
    state = drawn(armies={"GE1": ("AAC", "4I")}, offensive="")
    led(state, movement_phase(state, "GE"), "turn.act")
    assert state.owner["LIE"] == "EN"


def test_an_army_that_moves_on_leaves_a_garrison_before_the_enemy() -> None:
    state = drawn(armies={"GE1": ("MET", "4I"), "FR1": ("NAN", "3I")})
    led(state, movement_phase(state, "GE"), "turn.act")
    assert state.owner["VER"] == "GE"
    assert state.owner["MET"] == "GE" and state.force("MET", "GE")


def test_armies_are_concentrated_before_they_attack() -> None:
    armies = {"GE1": ("AAC", "5I 2A"), "GE2": ("AAC", "5I 2A"), "BE1": ("LIE", "3I")}
    state = drawn(turn=5, armies=armies)
    led(state, movement_phase(state, "GE"), "turn.act")
    assert state.army_at == {"BE1": "LIE", "GE1": "LIE", "GE2": "LIE"}


def test_nobody_attacks_a_stronger_enemy_in_trenches() -> None:
    state = drawn(turn=5, armies={"GE1": ("AAC", "2I"), "BE1": ("LIE", "3I E"), "FR1": ("LIE", "4I A E")})
    led(state, movement_phase(state, "GE"), "turn.act")
    assert state.army_at["GE1"] == "AAC"


DISPUTED = {"BE1": ("FLA", "3I E"), "UK2": ("FLA", "4I A E")}


def test_battles_that_pay_are_declared_and_others_are_not() -> None:
    weak = {"GE4": ("FLA", "2I"), **DISPUTED}
    strong = {"GE1": ("BRU", "5I 2A"), "GE2": ("BRU", "5I 2A"), "FR8": ("BRU", "I")}
    state = drawn(turn=5, armies={**weak, **strong}, owner={"BRU": "EN", "FLA": "EN"})
    course = led(state, declare_battles(state), "battle.declare")
    assert [fact.areas for fact in course.told(BattlesDeclared)] == [("BRU",)]


def test_an_offensive_without_a_prospect_is_not_played() -> None:
    state = drawn(turn=5, armies={"GE4": ("FLA", "2I E"), **DISPUTED}, offensive="", hands={"GE": "OFF"})
    led(state, offensive_or_pass(state, "GE", "T5.1"), "turn.card")
    assert state.offensive == ""


def test_a_limited_offensive_is_played_where_one_battle_is_all() -> None:
    armies = {"GE1": ("BRU", "5I 2A"), "GE2": ("BRU", "5I 2A"), "FR8": ("BRU", "I")}
    state = drawn(turn=5, armies=armies, offensive="", hands={"GE": "LIM OFF ER2 ER2 ER2"})
    led(state, offensive_or_pass(state, "GE", "T5.1"), "turn.card")
    assert state.offensive == "LIM"


def test_eliminated_armies_come_back_and_the_hand_is_filled() -> None:
    state = drawn(turn=5, armies={"GE1": ("MET", "2I")}, eliminated=("GE2",), points={"GE": 12, "EN": 0})
    state.dug, state.bought, state.upgrades = {"GE": 0, "EN": 0}, {"GE": 0, "EN": 0}, {"GE": 0, "EN": 0}
    course = led(state, spend(state, "GE", "T5.P"), "production")
    assert [fact.army for fact in course.told(ArmyArrived)] == ["GE2"]
    assert state.points["GE"] == 0 and state.bought["GE"] > 0
    assert len(state.contents["GE1"]) > 2 and "GE1" in state.entrenched


BATTLE = {"GE1": ("LIE", "3I"), "BE1": ("LIE", "3I")}


def test_a_card_that_saves_two_units_is_spent_on_two_hits() -> None:
    state = drawn(turn=5, armies=BATTLE, battles=["LIE"], hands={"EN": "ER2 OFF"}, phase="battle")
    course = led(state, battle(state, "LIE"), "battle.ersatz", dice="6 6 6 1 1 6")
    assert [(fact.side, PACK.cards[fact.card]) for fact in course.told(CardPlayed)] == [("EN", "ER2")]
    assert len(state.contents["BE1"]) == 3


def test_a_force_that_would_be_wiped_out_retreats_instead_of_firing() -> None:
    armies = {"GE1": ("NAM", "5I 2A"), "GE2": ("NAM", "5I 2A"), "FR5": ("NAM", "I")}
    state = drawn(turn=5, armies=armies, battles=["NAM"], phase="battle")
    led(state, battle(state, "NAM"), "battle.instead", dice="6 6 6 6")
    assert state.army_at["FR5"] != "NAM" and state.contents["FR5"]
