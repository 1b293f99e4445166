"""2 The segments of a season and how one follows the other; their procedures: `segments`."""

from __future__ import annotations

from engine.games.to_the_last_man.answers import Side
from engine.games.to_the_last_man.state import State
from engine.kernel.requests import Segment


def set_up(turn: int) -> Segment:
    return Segment("setup", f"T{turn}.S", (turn,))


def reinforcements(turn: int) -> Segment:
    return Segment("reinforcements", f"T{turn}.R", (turn,))


def player_turn(turn: int, number: int, side: Side) -> Segment:
    """2.II Up to and including Declare Battles."""
    return Segment("player_turn", f"T{turn}.{number}", (turn, number, side))


def battle(state: State, area: str) -> Segment:
    """2.II.4 One Battle Area."""
    return Segment("battle", f"T{state.turn}.{state.number}.{area}", (area,))


def turn_end(state: State) -> Segment:
    return Segment("turn_end", f"T{state.turn}.{state.number}.E")


def production(turn: int) -> Segment:
    return Segment("production", f"T{turn}.P", (turn,))


def reshuffle(following: Segment, branch: int) -> Segment:
    """The draw pile is shuffled anew where a branch begins; then what follows there."""
    args = (following.name, following.key, *following.args)
    return Segment("reshuffle", f"{following.key}.B{branch}", args)


def after_battle(state: State) -> Segment:
    """2.II.4-01 The next Battle Area in the attacker's order, or the end of the Player Turn."""
    left = [area for area in state.battles if area not in state.fought]
    return battle(state, left[0]) if left else turn_end(state)
