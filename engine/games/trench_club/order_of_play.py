"""Which segment follows which."""

from __future__ import annotations

from engine.games.trench_club.answers import Camp
from engine.games.trench_club.state import Position
from engine.kernel.fast_dataclass import constructor
from engine.kernel.requests import Segment

new_segment = constructor(Segment)


def setup() -> Segment:
    """SETUP-8..12 Tokens, splits, and who places first."""
    return new_segment("setup", "S.S")


def placing(position: Position) -> Segment:
    """SETUP-13 The next company, clockwise from the first; then the roll for the first turn."""
    nation = position.order[position.go % len(position.order)]
    return new_segment("placing", f"S.P{position.go + 1}.{nation}", (nation,))


def first_turn() -> Segment:
    """SETUP-21 The roll that decides who begins."""
    return new_segment("first_turn", "S.F")


def turn(round_: int, camp: Camp) -> Segment:
    return new_segment("turn", f"R{round_}.{camp}.T", (round_, camp))


def combat(position: Position) -> Segment:
    return new_segment("combat", f"R{position.round}.{position.active}.C")


def money(position: Position) -> Segment:
    return new_segment("money", f"R{position.round}.{position.active}.M")


def next_turn(position: Position) -> Segment:
    """SETUP-22 A player finishes all four phases before the next one starts."""
    here = position.order.index(position.active)
    last = here + 1 == len(position.order)
    return turn(position.round + last, position.order[0 if last else here + 1])
