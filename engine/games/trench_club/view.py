"""What one seat may know, built up from nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import FrozenInstanceError, dataclass
from typing import Any

from engine.games.trench_club.answers import Camp, Nation
from engine.games.trench_club.rules.victory import forts_to_win
from engine.games.trench_club.state import PUBLIC_FIELDS, Position, State
from engine.games.trench_club.summary import Suggested, Summary, suggested, summary
from engine.kernel.frozen import swift
from engine.kernel.requests import Fact, Seat


@swift
@dataclass(frozen=True, slots=True)
class View:
    """Everything public; no seat knows more than another (decisions 1)."""

    seat: Seat
    nation: Nation
    camp: Camp  # "": nobody's view
    position: Seen

    @property
    def forts_to_win(self) -> int:
        return forts_to_win(self.position)

    @property
    def summary(self) -> Summary:
        """How the reader's own side stands."""
        return summary(self.position, self.camp, self.nation)

    @property
    def suggested(self) -> Suggested:
        """Orders that he could give now."""
        return suggested(self.position, self.camp, self.nation)


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
        return View(seat, str(seat), self._state.camp_of.get(seat, ""), self._position)


class Seen(Position):
    """A position that is only looked at."""

    __slots__ = ()

    def __init__(self, *values: Any, **named: Any) -> None:
        object.__setattr__(self, "__class__", Position)  # open while it is filled in, then closed again
        Position.__init__(self, *values, **named)
        self.__class__ = Seen

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")


def public(state: State) -> Seen:
    """Field by field, and only those of Position: what is added to State stays unseen."""
    return Seen(*[_copy(getattr(state, name)) for name in PUBLIC_FIELDS])


def _copy(value: Any) -> Any:
    if type(value) is dict:
        return value.copy()
    return tuple(value) if type(value) is list else value
