"""6.5 Surrender points and the roll against them."""

from __future__ import annotations

from engine.games.first_world_war.answers import Faction
from engine.games.first_world_war.facts.combat import SurrenderPointGiven, SurrenderRolled
from engine.games.first_world_war.state import FACTIONS, State
from engine.games.first_world_war.tables import Die
from engine.kernel.requests import Roll, Step


def inflict_point(state: State, faction: Faction, front: int) -> Step:
    """6.5-1, 6.5.2-1 One point for the front, at most one a turn."""
    if front not in state.surrender[faction]:
        yield SurrenderPointGiven(faction, front, len(state.surrender[faction]) + 1)


def roll_for_surrender(state: State) -> Step:
    """6.5-3, 6.5-6, 6.5-8 Every faction with points rolls; returns those that surrender.

    All dice fall before anything comes of them.
    """
    if state.turn < state.options["no_surrender_before_turn"]:
        return ()
    surrendered: list[Faction] = []
    for faction in FACTIONS:
        if points := len(state.surrender[faction]):
            (face,) = yield Roll(state.seat(faction), f"surrender.{faction}")
            lost = surrenders(state, face, points)
            yield SurrenderRolled(faction, points, state.pack.die.faces[face - 1], lost)
            if lost:
                surrendered.append(faction)
    return tuple(surrendered)


def surrenders(state: State, face: int, points: int) -> bool:
    """6.5-3"""
    return not is_survived(state.pack.die, face, points)


def is_survived(die: Die, face: int, points: int) -> bool:
    """6.5-3 Above the points, or S."""
    return die.is_s(face) or die.value(face) > points
