"""Facts of the forces: counters and armies that arrive, are replaced, are lost; forts.

Who reads which form of them: see `facts.board`.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.games.to_the_last_man.answers import LOOSE, Group, Side
from engine.games.to_the_last_man.facts.board import forget, kinds, put, take
from engine.games.to_the_last_man.facts.told import Told
from engine.games.to_the_last_man.state import State
from engine.kernel.requests import PUBLIC, Audience, Fact, PublicFact

Why: TypeAlias = Literal["combat", "fragile", "overrun", "supply", "crisis", "eft", "retreat"]


def set_army(state: State, army: str, area: str) -> None:
    """An army comes onto the map, empty; armies are kept in the pack's order."""
    state.army_at[army], state.contents[army] = area, []
    order = state.pack.armies
    state.army_at = {one: state.army_at[one] for one in order if one in state.army_at}
    state.contents = {one: state.contents[one] for one in order if one in state.contents}


def drop_army(state: State, army: str) -> None:
    del state.army_at[army], state.contents[army]
    for marks in (state.entrenched, state.fortified, state.retreated, state.moved):
        forget(marks, (army,))


# ------------------------------------------------------------------ arrivals


@dataclass(frozen=True, slots=True)
class ReinforcementsDue(Fact):
    """2.I The turn's reinforcements came out of the pool; what the pool did not hold is lost."""

    side: Side
    armies: tuple[str, ...]
    units: tuple[str, ...]  # sorted
    lost: Group  # kinds that were not there
    audience: Audience = PUBLIC

    def apply(self, state: State) -> None:
        for unit in self.units:
            state.pool[unit.partition(".")[0]].remove(unit)
        put(state.held[self.side], (*self.armies, *self.units))

    def redacted(self) -> Fact | None:
        return ReinforcementsSeen(self.side, self.armies, kinds(self.units), self.lost)


@dataclass(frozen=True, slots=True)
class ReinforcementsSeen(Told):
    side: Side
    armies: tuple[str, ...]
    units: Group
    lost: Group


@dataclass(frozen=True, slots=True)
class ArmyArrived(PublicFact):
    """2.I, 7.3 An army was set down, empty: a reinforcement, or rebuilt."""

    side: Side
    army: str
    area: str
    rebuilt: bool

    def apply(self, state: State) -> None:
        forget(state.eliminated, (self.army,))
        forget(state.dissolved, (self.army,))
        forget(state.held[self.side], (self.army,))
        set_army(state, self.army, self.area)


@dataclass(frozen=True, slots=True)
class UnitsPlaced(Fact):
    """2.I, 7.2 Counters came onto the map, loose or in an army; new ones out of the pool."""

    side: Side
    units: tuple[str, ...]  # sorted
    area: str
    into: str
    built: bool
    audience: Audience = PUBLIC

    def apply(self, state: State) -> None:
        for unit in self.units:
            (state.pool[unit.partition(".")[0]] if self.built else state.held[self.side]).remove(unit)
        put(state.loose[self.area] if self.into == LOOSE else state.contents[self.into], self.units)

    def redacted(self) -> Fact | None:
        area = self.area if self.into == LOOSE else ""
        return UnitsPlacedSeen(self.side, kinds(self.units), area, self.built)


@dataclass(frozen=True, slots=True)
class UnitsPlacedSeen(Told):
    """The pool is public; where they went only if they stand loose ("": into armies)."""

    side: Side
    units: Group
    area: str
    built: bool


@dataclass(frozen=True, slots=True)
class UnitReplaced(Fact):
    """7.5, 8.2.3 One counter took another's place and state; the old one went to the pool."""

    side: Side
    old: str
    new: str
    area: str
    army: str  # LOOSE or the army both are in
    entrenched: bool  # the old one was, and the new one is
    audience: Audience = PUBLIC

    def apply(self, state: State) -> None:
        there = state.loose[self.area] if self.army == LOOSE else state.contents[self.army]
        take(there, (self.old,))
        put(there, (self.new,))
        for place in (state.corps, state.pool[self.new.partition(".")[0]]):
            forget(place, (self.new,))
        put(state.pool[self.old.partition(".")[0]], (self.old,))
        forget(state.entrenched, (self.old,))
        if self.entrenched:
            insort(state.entrenched, self.new)

    def redacted(self) -> Fact | None:
        (old,), (new,) = kinds((self.old,)), kinds((self.new,))
        return UnitReplacedSeen(self.side, old[0], new[0], self.area if self.army == LOOSE else "")


@dataclass(frozen=True, slots=True)
class UnitReplacedSeen(Told):
    side: Side
    old: str
    new: str
    area: str  # "": in an army


# ------------------------------------------------------------------ losses


@dataclass(frozen=True, slots=True)
class UnitsLost(Fact):
    """Counters went to the force pool."""

    side: Side
    units: tuple[str, ...]  # sorted
    area: str
    army: str  # LOOSE or the army they were in
    why: Why
    audience: Audience = PUBLIC

    def apply(self, state: State) -> None:
        take(state.loose[self.area] if self.army == LOOSE else state.contents[self.army], self.units)
        for unit in self.units:
            insort(state.pool[unit.partition(".")[0]], unit)
        for marks in (state.entrenched, state.retreated, state.moved, state.shifted, state.scrambled):
            forget(marks, self.units)
        for unit in self.units:
            state.steps.pop(unit, None)

    def redacted(self) -> Fact | None:
        """0-13 Types lost are public, the army they were in is not."""
        return UnitsLostSeen(self.side, kinds(self.units), self.area, self.why)


@dataclass(frozen=True, slots=True)
class UnitsLostSeen(Told):
    side: Side
    units: Group
    area: str
    why: Why


@dataclass(frozen=True, slots=True)
class ArmyEliminated(PublicFact):
    """5.3.1-06, 8.1 An army is gone until it is rebuilt; what it held was lost before."""

    side: Side
    army: str
    area: str
    why: Why

    def apply(self, state: State) -> None:
        drop_army(state, self.army)
        insort(state.eliminated, self.army)


@dataclass(frozen=True, slots=True)
class ArmyDissolved(PublicFact):
    """15.4.1 An empty army was taken off by its owner; it does not count as eliminated."""

    side: Side
    army: str
    area: str

    def apply(self, state: State) -> None:
        drop_army(state, self.army)
        insort(state.dissolved, self.army)
        state.suppressed.append(self.side)


@dataclass(frozen=True, slots=True)
class FortReduced(PublicFact):
    """5.3.1-07, 6.5-01 A fort has this strength left; -1: it is gone."""

    side: Side
    area: str
    strength: int
    why: Why

    def apply(self, state: State) -> None:
        if self.strength < 0:
            del state.forts[self.area]
        else:
            state.forts[self.area] = self.strength


FORCE_FACTS: tuple[type[Fact], ...] = (
    ReinforcementsDue,
    ReinforcementsSeen,
    ArmyArrived,
    UnitsPlaced,
    UnitsPlacedSeen,
    UnitReplaced,
    UnitReplacedSeen,
    UnitsLost,
    UnitsLostSeen,
    ArmyEliminated,
    ArmyDissolved,
    FortReduced,
)
