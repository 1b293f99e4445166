"""Facts of the map: pieces that move, change their army, dig in; owners of areas.

A counter's id goes to its own side only (with `hidden_army_templates` off: to everyone); the others read the
`…Seen` fact, which names kinds, and an army only where its counter itself was moved. What happens between
armies alone is told to nobody else (11.2-02).
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from engine.games.to_the_last_man.answers import LOOSE, Group, Side
from engine.games.to_the_last_man.facts.told import Told
from engine.games.to_the_last_man.state import State
from engine.kernel.requests import PUBLIC, TITLE, Audience, Fact, PublicFact, Quiet

Way: TypeAlias = Literal["move", "rail", "strat", "sea", "reserves", "withdraw", "evacuate", "retreat"]

MOVES = ("ArmyMoved", "ArmyMovedSeen", "UnitsMoved", "UnitsMovedSeen", "UnitsShifted")


def kinds(units: Iterable[str]) -> Group:
    """Counters by kind: an id is nation, type and number."""
    numbers: dict[str, int] = {}
    for unit in units:
        kind = unit.rpartition(".")[0]
        numbers[kind] = numbers.get(kind, 0) + 1
    return tuple(sorted(numbers.items()))


def put(there: list[str], units: Iterable[str]) -> None:
    for unit in units:
        insort(there, unit)


def take(there: list[str], units: Iterable[str]) -> None:
    for unit in units:
        there.remove(unit)


def forget(marks: list[str], pieces: Iterable[str]) -> None:
    for piece in pieces:
        if piece in marks:
            marks.remove(piece)


# ------------------------------------------------------------------ movement


@dataclass(frozen=True, slots=True)
class ArmyMoved(Fact):
    """4.1 An army went from the first area of the path to the last, with all it holds."""

    side: Side
    army: str
    path: tuple[str, ...]
    way: Way
    steps: int  # areas charged to it and to all it carries (4.1-03)
    done: bool  # it and what it carries may not move again in this phase
    absorbed: tuple[str, ...] = ()  # loose counters at the destination that it took in
    entrenched: bool = False  # 4.3-03 by absorbing entrenched infantry
    audience: Audience = PUBLIC
    left: tuple[str, ...] = ()  # 8.3.3-06 counters that stand loose where it was

    def apply(self, state: State) -> None:
        take(state.contents[self.army], self.left)
        put(state.loose[self.path[0]], self.left)
        state.army_at[self.army] = self.path[-1]
        forget(state.entrenched, (self.army, *self.absorbed))
        forget(state.fortified, (self.army,))
        for piece in (self.army, *state.contents[self.army]):
            if self.steps:
                state.steps[piece] = state.steps.get(piece, 0) + self.steps
            if self.done and piece not in state.moved:
                insort(state.moved, piece)
        take(state.loose[self.path[-1]], self.absorbed)
        put(state.contents[self.army], self.absorbed)
        if self.entrenched:
            insort(state.entrenched, self.army)
        if self.way in ("retreat", "withdraw"):  # 8.1-11
            put(state.retreated, (self.army, *state.contents[self.army]))

    def redacted(self) -> Fact | None:
        absorbed, left = kinds(self.absorbed), kinds(self.left)
        return ArmyMovedSeen(self.side, self.army, self.path, self.way, absorbed, self.entrenched, left)


@dataclass(frozen=True, slots=True)
class ArmyMovedSeen(Told):
    """What the other side sees of it."""

    side: Side
    army: str
    path: tuple[str, ...]
    way: Way
    absorbed: Group
    entrenched: bool
    left: Group = ()


@dataclass(frozen=True, slots=True)
class UnitsMoved(Fact):
    """4.1 Counters went along the path, from loose or out of an army, to stand loose or in an army."""

    side: Side
    units: tuple[str, ...]  # sorted
    path: tuple[str, ...]
    source: str
    into: str
    way: Way
    steps: int
    done: bool
    audience: Audience = PUBLIC

    def apply(self, state: State) -> None:
        origin, end = self.path[0], self.path[-1]
        take(state.loose[origin] if self.source == LOOSE else state.contents[self.source], self.units)
        put(state.loose[end] if self.into == LOOSE else state.contents[self.into], self.units)
        forget(state.entrenched, self.units)
        for unit in self.units:
            if self.steps:
                state.steps[unit] = state.steps.get(unit, 0) + self.steps
            if self.done and unit not in state.moved:
                insort(state.moved, unit)
        if self.way == "retreat":
            put(state.retreated, self.units)

    def redacted(self) -> Fact | None:
        out_of, into = self.source != LOOSE, self.into != LOOSE
        if out_of and into:
            return None
        return UnitsMovedSeen(self.side, kinds(self.units), self.path, self.way, out_of, into)


@dataclass(frozen=True, slots=True)
class UnitsMovedSeen(Told):
    """Loose counters that went, came out of an army or vanished in one; which one is not told."""

    side: Side
    units: Group
    path: tuple[str, ...]
    way: Way
    out_of_army: bool
    into_army: bool


@dataclass(frozen=True, slots=True)
class UnitsShifted(Fact):
    """8.1 Counters changed their army, entered or left one, within an area."""

    side: Side
    area: str
    units: tuple[str, ...]  # sorted
    source: str
    into: str
    counted: bool  # in a Movement Phase: they may not be shifted again (4.1-04)
    entrenched: tuple[str, ...] = ()  # armies that became entrenched by it (4.3-03)
    audience: Audience = PUBLIC

    def apply(self, state: State) -> None:
        take(state.loose[self.area] if self.source == LOOSE else state.contents[self.source], self.units)
        put(state.loose[self.area] if self.into == LOOSE else state.contents[self.into], self.units)
        forget(state.entrenched, self.units)
        if self.counted:
            put(state.shifted, self.units)
        put(state.entrenched, self.entrenched)

    def redacted(self) -> Fact | None:
        out_of, into = self.source != LOOSE, self.into != LOOSE
        if out_of and into:
            return None
        return UnitsMovedSeen(self.side, kinds(self.units), (self.area,), "move", out_of, into)


@dataclass(frozen=True, slots=True)
class MoveCounted(PublicFact):
    """A move of a limited kind was used up: rail, strat, sea, reserves, or the one move of a Pass."""

    quiet: ClassVar[Quiet] = Quiet("the move says by which way", by=MOVES)
    what: Literal["rail", "strat", "sea", "reserves", "pass"]

    def apply(self, state: State) -> None:
        state.used[self.what] = state.used.get(self.what, 0) + 1


@dataclass(frozen=True, slots=True)
class AreaEntered(PublicFact):
    """4.1-07 An Enemy area with enemy presence was entered: it will be a Battle Area."""

    quiet: ClassVar[Quiet] = Quiet("the move says where to", by=MOVES)
    area: str

    def apply(self, state: State) -> None:
        state.entered.append(self.area)


@dataclass(frozen=True, slots=True)
class OwnerChanged(PublicFact):
    """0-06 The area is that side's now."""

    area: str
    side: Side

    def apply(self, state: State) -> None:
        state.owner[self.area] = self.side


# ------------------------------------------------------------------ entrenchment


@dataclass(frozen=True, slots=True)
class PiecesEntrenched(Fact):
    """7.4 Armies and loose infantry dug in."""

    side: Side
    armies: tuple[str, ...]
    units: tuple[str, ...]  # loose counters, sorted
    areas: tuple[str, ...]  # where those stand, one for each
    audience: Audience = PUBLIC

    def apply(self, state: State) -> None:
        put(state.entrenched, (*self.armies, *self.units))

    def redacted(self) -> Fact | None:
        loose = tuple(zip(self.areas, (unit.rpartition(".")[0] for unit in self.units), strict=True))
        return PiecesEntrenchedSeen(self.side, self.armies, loose)


@dataclass(frozen=True, slots=True)
class PiecesEntrenchedSeen(Told):
    side: Side
    armies: tuple[str, ...]
    loose: tuple[tuple[str, str], ...]  # area, kind


@dataclass(frozen=True, slots=True)
class ArmyFortified(PublicFact):
    """7.6-06"""

    side: Side
    army: str

    def apply(self, state: State) -> None:
        insort(state.fortified, self.army)


@dataclass(frozen=True, slots=True)
class MarkersRemoved(PublicFact):
    """5.4-02 The Player Turn's combat is over: retreat markers go."""

    quiet: ClassVar[Quiet] = Quiet("a Player Turn ends so", by=(TITLE,))

    def apply(self, state: State) -> None:
        state.retreated.clear()


BOARD_FACTS: tuple[type[Fact], ...] = (
    ArmyMoved,
    ArmyMovedSeen,
    UnitsMoved,
    UnitsMovedSeen,
    UnitsShifted,
    MoveCounted,
    AreaEntered,
    OwnerChanged,
    PiecesEntrenched,
    PiecesEntrenchedSeen,
    ArmyFortified,
    MarkersRemoved,
)
