"""What one seat may know, built up from nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import FrozenInstanceError, dataclass, fields
from typing import Any

from engine.games.trench_club.answers import Camp, Nation
from engine.games.trench_club.rules.victory import forts_to_win
from engine.games.trench_club.state import PUBLIC_FIELDS, Position, State
from engine.games.trench_club.summary import Summary, summary
from engine.kernel.fast_dataclass import constructor, fast_frozen
from engine.kernel.requests import Fact, Seat

SET_UP = ("options", "camp_of")  # mappings that are given when a state is made


@fast_frozen
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


new_view = constructor(View)


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
        return new_view(seat, seat, self._state.camp_of.get(seat, ""), self._position)


class Seen(Position):
    """A position that is only looked at."""

    __slots__ = ()

    def __init__(self, *values: Any, **named: Any) -> None:
        object.__setattr__(self, "__class__", Position)  # open while it is filled in, then closed again
        Position.__init__(self, *values, **named)
        self.__class__ = Seen

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _written_copy() -> Callable[[State], Seen]:
    """A function with all fields written out: one that looked at each anew took twice as long."""
    forms: dict[Any, str] = {dict: "s.{0}.copy()", list: "tuple(s.{0})"}
    kinds = {one.name: dict if one.name in SET_UP else one.default_factory for one in fields(State)}
    lines = [f"p.{name} = {forms.get(kinds[name], 's.{0}').format(name)}" for name in PUBLIC_FIELDS]
    space: dict[str, Any] = {"new": object.__new__, "Position": Position, "Seen": Seen}
    body = "\n    ".join(["p = new(Position)", *lines, "p.__class__ = Seen", "return p"])
    exec(f"def copied(s):\n    {body}", space)  # only names of fields go into it
    copied: Callable[[State], Seen] = space["copied"]
    return copied


public = _written_copy()  # field by field, and only those of Position: what is added to State stays unseen
