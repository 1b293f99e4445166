"""2.II.4, 2.II.4a Combat: one Battle Area, in the order of the sequence of play."""

from __future__ import annotations

from engine.games.to_the_last_man import order_of_play
from engine.games.to_the_last_man.answers import Method, Side
from engine.games.to_the_last_man.facts.battle import BattleBegan, BattleEnded, StepBegan
from engine.games.to_the_last_man.facts.battle import Step as FireStep
from engine.games.to_the_last_man.rules import biplanes, fire
from engine.games.to_the_last_man.rules.embattled import Battle, battle_in, goes_on
from engine.games.to_the_last_man.rules.fragile import fragile_check, shared_areas
from engine.games.to_the_last_man.rules.losses import Hits, all_targets, pay
from engine.games.to_the_last_man.rules.retreats import (
    attacker_retreats,
    cavalry_retreat,
    defender_retreats,
    overrun_fugitives,
    retreat_instead,
)
from engine.games.to_the_last_man.state import State
from engine.kernel.requests import Procedure, Step


def battle(state: State, area: str) -> Procedure:
    """2.II.4-01 One Battle Area is fought out completely before the next."""
    fight = battle_in(state, area)
    yield BattleBegan(area, fight.surprise)
    yield from biplanes.scramble(state, fight)
    yield from cavalry_retreat(state, fight, fight.attacker)
    yield from cavalry_retreat(state, fight, fight.defender)
    fought = goes_on(state, fight)  # 5.4.3-03 else one side slipped away before any die
    if fought:
        yield from (surprise_attack if fight.surprise else round_of_combat)(state, fight)
    yield from overrun_fugitives(state, fight)
    yield from fragile_check(state, area)
    for beside in shared_areas(state):  # 5.5-01 guns may have retreated to infantry of the enemy
        if beside != area:
            yield from fragile_check(state, beside)
    yield BattleEnded(area, fought)
    return order_of_play.after_battle(state)


def round_of_combat(state: State, battle: Battle) -> Step:
    """2.II.4-02 Steps a to e."""
    # a Dogfight
    dogfought = yield from biplanes.dogfight(state, battle)
    # b The attacker's artillery
    yield from artillery_step(state, battle)
    # c The defender's fire, or retreat
    method = yield from biplanes.choose_method(state, battle, dogfought)
    away = yield from defence_step(state, battle, dogfought, method)
    # d The attacker's fire
    forced = yield from attack_step(state, battle, dogfought, method)
    yield from counter_attack(state, battle, dogfought, method)
    # e Retreats, the attacker's first
    yield from attacker_retreats(state, battle)
    yield from defender_retreats(state, battle, forced - away)


def surprise_attack(state: State, battle: Battle) -> Step:
    """2.II.4a-01, -02 All of the attacker's units fire first, guns among them and only once."""
    # a Dogfight
    dogfought = yield from biplanes.dogfight(state, battle)
    # b The attacker's fire
    method = yield from biplanes.choose_method(state, battle, dogfought)
    forced = yield from attack_step(state, battle, dogfought, method)
    # c The defender's fire, or retreat
    away = yield from defence_step(state, battle, dogfought, method)
    yield from counter_attack(state, battle, dogfought, method)
    # d Retreats, the attacker's first
    yield from attacker_retreats(state, battle)
    yield from defender_retreats(state, battle, forced - away)


# ------------------------------------------------------------------ fire steps


def artillery_step(state: State, battle: Battle) -> Step:
    """2.II.4 b"""
    if not goes_on(state, battle):
        return
    yield StepBegan(battle.area, "artillery")
    volleys = fire.artillery_fire(state, battle)
    shots = yield from fire.fire(battle, battle.attacker, "artillery", volleys)
    yield from suffer(state, battle, battle.defender, "artillery", shots)


def defence_step(state: State, battle: Battle, dogfought: bool, method: Method) -> Step:
    """2.II.4 c, 5.4.1-03 Who retreats goes first, the others fire; returns how many armies went."""
    if not goes_on(state, battle):
        return 0
    yield StepBegan(battle.area, "defence")
    away = yield from retreat_instead(state, battle)
    if goes_on(state, battle):
        silent = biplanes.silent(state, battle, battle.defender, dogfought, method)
        volleys = fire.defenders_fire(state, battle, silent)
        shots = yield from fire.fire(battle, battle.defender, "defence", volleys)
        yield from suffer(state, battle, battle.attacker, "defence", shots)
    return away


def attack_step(state: State, battle: Battle, dogfought: bool, method: Method) -> Step:
    """2.II.4 d Returns how many armies the hits oblige to retreat (5.4-06), however they were paid."""
    if not goes_on(state, battle):
        return 0
    yield StepBegan(battle.area, "attack")
    silent = biplanes.silent(state, battle, battle.attacker, dogfought, method)
    volleys = fire.attackers_fire(state, battle, silent)
    shots = yield from fire.fire(battle, battle.attacker, "attack", volleys)
    shots = yield from biplanes.react(state, battle, shots, dogfought, method)
    yield from suffer(state, battle, battle.defender, "attack", shots)
    return fire.retreats_forced(state, shots)


def counter_attack(state: State, battle: Battle, dogfought: bool, method: Method) -> Step:
    """15.2.2-01 Before the retreats the defender's units in the marked area fire once more."""
    if state.counter != battle.area or not goes_on(state, battle):
        return
    yield StepBegan(battle.area, "counter")
    silent = biplanes.silent(state, battle, battle.defender, dogfought, method)
    volleys = fire.counter_attack_fire(state, battle, silent)
    shots = yield from fire.fire(battle, battle.defender, "counter", volleys)
    yield from suffer(state, battle, battle.attacker, "counter", shots)


def suffer(state: State, battle: Battle, side: Side, step: FireStep, shots: list[fire.Shots]) -> Step:
    """2.II.4-03 The losses of a step are taken before the next begins."""
    hits = Hits(battle, side, step, sum(fired.hits for fired in shots), fire.siege_hits(shots))
    yield from pay(state, hits, lambda: all_targets(state, battle, side))
