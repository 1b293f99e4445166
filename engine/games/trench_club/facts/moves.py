"""Facts of phase 1: units that move, board, unload, conquer, lay mines and build."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from engine.games.trench_club.answers import Camp, Nation, Places
from engine.games.trench_club.state import State, Terrain, new_unit
from engine.kernel.fast_dataclass import constructor, fast_frozen
from engine.kernel.requests import PublicFact


def lift(state: State, unit: str) -> None:
    """It no longer stands where it stood."""
    at = state.units[unit].at
    if state.on.get(at) == unit:
        del state.on[at]


def set_down(state: State, unit: str, hex_: str, aboard: str = "") -> None:
    """A unit that steps on a mine below its own airplane does not take the airplane's place."""
    was = state.units[unit]  # written out: this happens more often than anything else
    state.units[unit] = new_unit(was.id, was.nation, was.type, hex_, was.damage, was.xp, was.company, aboard)
    if not aboard and hex_ not in state.forts:
        state.on.setdefault(hex_, unit)


def remove(state: State, units: Iterable[str]) -> None:
    """Out of the game for good."""
    for unit in units:
        lift(state, unit)
        del state.units[unit]


def finished(state: State, unit: str) -> None:
    """It may not move any more this turn, and no longer counts as sheltered."""
    if unit not in state.moved:
        state.moved.append(unit)
    if unit in state.sheltered:
        state.sheltered.remove(unit)


@fast_frozen
@dataclass(frozen=True, slots=True)
class UnitMoved(PublicFact):
    """MOVE-2 Along the path to its last hex: on the map, into an own fort, or aboard a transport."""

    unit: str
    start: str
    path: tuple[str, ...]
    cost: int  # half points
    aboard: str = ""

    def apply(self, state: State) -> None:
        lift(state, self.unit)
        set_down(state, self.unit, self.path[-1], self.aboard)
        for carried in state.cargo(self.unit):
            state.units[carried] = replace(state.units[carried], at=self.path[-1])
        finished(state, self.unit)


unit_moved = constructor(UnitMoved)


@fast_frozen
@dataclass(frozen=True, slots=True)
class CargoUnloaded(PublicFact):
    """TRANSPORT-5 Next to the transport, or (TRANSPORT-11) into the fort that it has entered."""

    transport: str
    places: Places

    def apply(self, state: State) -> None:
        for unit, hex_ in self.places:
            set_down(state, unit, hex_)
            finished(state, unit)
        finished(state, self.transport)


@dataclass(frozen=True, slots=True)
class FortConquered(PublicFact):
    """FORT-4 All enemies inside are removed; the conqueror is inside."""

    fort: str
    camp: Camp
    unit: str
    before: Camp
    lost: tuple[str, ...]

    def apply(self, state: State) -> None:
        remove(state, self.lost)
        state.forts[self.fort] = self.camp
        lift(state, self.unit)
        set_down(state, self.unit, self.fort)
        finished(state, self.unit)


@dataclass(frozen=True, slots=True)
class MineLaid(PublicFact):
    """SPECIAL-15"""

    hex: str
    nation: Nation
    unit: str

    def apply(self, state: State) -> None:
        state.mines[self.hex] = self.nation
        state.worked.append(self.unit)


@dataclass(frozen=True, slots=True)
class MineExploded(PublicFact):
    """SPECIAL-13 The unit that entered is lost, a transport with all it carries; the mine is gone."""

    hex: str
    lost: tuple[str, ...]

    def apply(self, state: State) -> None:
        del state.mines[self.hex]
        remove(state, self.lost)


@dataclass(frozen=True, slots=True)
class Built(PublicFact):
    """SPECIAL-19 What the hexes are from now on."""

    unit: str
    hexes: tuple[tuple[str, Terrain], ...]

    def apply(self, state: State) -> None:
        state.built.update(self.hexes)
        state.dug += [hex_ for hex_, terrain in self.hexes if terrain == "trench"]
        state.worked.append(self.unit)


@dataclass(frozen=True, slots=True)
class AutomaChose(PublicFact):
    """AUTOMA-7 Which numbered order a unit follows, and which letters decided among several ways."""

    explains: ClassVar[bool] = True  # why something is done, not what
    unit: str
    order: str  # "II.1"
    target: str  # "": none
    goal: str  # hex or fort
    letters: tuple[str, ...]  # "target.b", "hex.c", "chance": each filter that left fewer ways

    def apply(self, state: State) -> None:
        """Told, not done."""


MOVE_FACTS = (
    UnitMoved,
    CargoUnloaded,
    FortConquered,
    MineLaid,
    MineExploded,
    Built,
    AutomaChose,
)
