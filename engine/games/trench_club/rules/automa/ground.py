"""AUTOMA-8 Distances as the automa measures them: on terrain alone, as if no unit stood in the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from functools import lru_cache
from typing import TypeAlias

from engine.board.hexes import HexGrid
from engine.games.trench_club.pack import Pack
from engine.games.trench_club.rules.forts import ways
from engine.games.trench_club.rules.terrain import WHOLE, changed_costs
from engine.games.trench_club.state import Position, Terrain
from engine.games.trench_club.tables import UnitType

FAR = 10**6  # cannot be reached at all
Distances: TypeAlias = Mapping[str, int]  # half points, by hex


class Ground:
    """The terrain of one automa turn. It does not change meanwhile, so every map is made once."""

    __slots__ = ("_maps", "position")

    def __init__(self, position: Position) -> None:
        self.position = position
        self._maps: dict[tuple[str, int, bool, frozenset[str]], Distances] = {}

    def to(self, type_: UnitType, goals: Iterable[str]) -> Distances:
        """From every hex to the nearest of the goals, that one entered."""
        return self._map(type_, frozenset(goals), onward=False)

    def away(self, type_: UnitType, start: str) -> Distances:
        """From the start to every hex."""
        return self._map(type_, frozenset((start,)), onward=True)

    def _map(self, type_: UnitType, ends: frozenset[str], onward: bool) -> Distances:
        key = (type_.klass, type_.speed, onward, ends)
        if key not in self._maps:
            self._maps[key] = self._made(type_, ends, onward)
        return self._maps[key]

    def _made(self, type_: UnitType, ends: frozenset[str], onward: bool) -> Distances:
        position = self.position
        trenches, built = position.options["trench_rules"], frozenset(position.built.items())
        return drawn(position.pack, position.grid, type_.klass, type_.speed, trenches, built, ends, onward)


Built: TypeAlias = frozenset[tuple[str, Terrain]]  # SPECIAL-21 what engineers have changed
Steps: TypeAlias = Mapping[str, tuple[tuple[str, int], ...]]  # from a hex to another, and the cost


@lru_cache(maxsize=1024)
def drawn(
    pack: Pack,
    grid: HexGrid,
    klass: str,
    speed: int,
    trenches: bool,
    built: Built,
    ends: frozenset[str],
    onward: bool,
) -> Distances:
    """Cheapest first, from all ends at once; the same in every game on such ground."""
    steps = steps_on(pack, grid, klass, speed, trenches, built, onward)
    found = dict.fromkeys(ends, 0)
    levels: dict[int, list[str]] = {0: list(ends)}
    while levels:
        cost = min(levels)
        for here in levels[cost]:  # grows while it is read, by steps that cost nothing
            if found[here] < cost:
                continue
            for other, more in steps[here]:
                if cost + more < found.get(other, FAR):
                    found[other] = cost + more
                    levels.setdefault(cost + more, []).append(other)
        del levels[cost]
    return found


@lru_cache(maxsize=256)
def steps_on(
    pack: Pack, grid: HexGrid, klass: str, speed: int, trenches: bool, built: Built, onward: bool
) -> Steps:
    """Going back from a goal, what counts is the cost of the hex that is left; a fort may be left only."""
    costs = entering(pack, speed, *changed_costs(pack, klass, trenches, built))
    lead = ways(pack, grid)
    if onward:
        return {
            here: tuple([(other, costs[other]) for other in near if other in costs])
            for here, near in lead.items()
        }
    open_ = costs.keys() | pack.forts.keys()
    return {
        here: tuple([(other, costs[here]) for other in near if other in open_]) if here in costs else ()
        for here, near in lead.items()
    }


def entering(pack: Pack, speed: int, costs: Mapping[str, int], clear: Set[str]) -> dict[str, int]:
    """What each hex costs such a unit: a whole move for water on foot; hexes it can never enter lack."""
    last = pack.costs.last_move
    found = {}
    for hex_, cost in costs.items():
        if cost == WHOLE or cost <= speed:
            found[hex_] = min(cost, speed)
        elif speed == last and hex_ in clear:  # MOVE-9
            found[hex_] = last
    return found
