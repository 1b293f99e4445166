"""4.1, 4.2: the segments of a turn and how one follows the other.

T3.O order slots (9.2) · T3.D1 … T3.D4 deployment · T3.R1 … T3.R16 rounds
T3.V victory check · T3.P phases 4 to 6
"""

from __future__ import annotations

from functools import cache

from engine.games.first_world_war.state import State
from engine.kernel.requests import Segment

DEPLOYMENT_STEPS = 4  # 4.2.1-2
ROUNDS = 16  # 4.2.2-1


def order_slots(turn: int) -> Segment:
    return Segment("order", f"T{turn}.O", (turn,))


@cache
def deployment_step(turn: int, step: int) -> Segment:
    return Segment("deployment", f"T{turn}.D{step}", (turn, step))


@cache
def round_(turn: int, number: int) -> Segment:
    return Segment("round", f"T{turn}.R{number}", (turn, number))


def victory(turn: int) -> Segment:
    return Segment("victory", f"T{turn}.V", (turn,))


def replacement(turn: int) -> Segment:
    return Segment("replacement", f"T{turn}.P", (turn,))


def first_of_turn(state: State, turn: int) -> Segment:
    """9.2-1 With the random order, from turn 2 on, the slots come before phase 1."""
    if turn >= 2 and state.options["random_order"]:
        return order_slots(turn)
    return deployment_step(turn, 1)


def after_deployment(turn: int, step: int) -> Segment:
    return deployment_step(turn, step + 1) if step < DEPLOYMENT_STEPS else round_(turn, 1)


def after_round(turn: int, number: int) -> Segment:
    return round_(turn, number + 1) if number < ROUNDS else victory(turn)


def next_turn(state: State) -> Segment:
    """4.2.6-1 The first segment of the turn after `state.turn`; its own first fact moves the turn marker."""
    return first_of_turn(state, state.turn + 1)
