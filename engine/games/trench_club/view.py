"""What one seat may know, built up from nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.games.trench_club.answers import Camp, Nation
from engine.games.trench_club.state import PUBLIC_FIELDS, Position, State
from engine.kernel.frozen import swift
from engine.kernel.requests import Fact, Seat


@swift
@dataclass(frozen=True, slots=True)
class View:
    """Everything public; no seat knows more than another (decisions 1)."""

    seat: Seat
    nation: Nation
    camp: Camp
    position: Position  # a copy, never changed


def build_view(state: State, seat: Seat) -> View:
    return Report(state)(seat)


class Report:
    """The public position, copied once for all seats after each change."""

    __slots__ = ("_position", "_state")

    def __init__(self, state: State) -> None:
        self._state = state
        self.look_again()

    def look_again(self, facts: Sequence[Fact] | None = None) -> None:
        """The position may have changed."""
        self._position = public(self._state)

    def __call__(self, seat: Seat) -> View:
        return View(seat, str(seat), self._state.camp_of[seat], self._position)


def public(state: State) -> Position:
    """Field by field, and only those of Position: what is added to State stays unseen."""
    return Position(*[_copy(getattr(state, name)) for name in PUBLIC_FIELDS])


def _copy(value: Any) -> Any:
    return value.copy() if type(value) in (dict, list) else value
