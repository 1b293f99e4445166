"""AUTOMA-8 Distances as the automa measures them: on terrain alone, as if no unit stood in the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from heapq import heappop, heappush
from typing import TypeAlias

from engine.board.hexes import HexGrid
from engine.games.trench_club.pack import Pack
from engine.games.trench_club.rules.forts import ways
from engine.games.trench_club.rules.terrain import WHOLE, hex_costs, printed_costs
from engine.games.trench_club.state import Position
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
        position, pack = self.position, self.position.pack
        if not position.built:
            trenches = position.options["trench_rules"]
            return printed(pack, position.grid, type_.klass, type_.speed, trenches, ends, onward)
        costs, lead = (
            entering(pack, type_.speed, *hex_costs(position, type_.klass)),
            ways(pack, position.grid),
        )
        return nearest([drawn(lead, costs, pack, end, onward) for end in sorted(ends)])


@lru_cache(maxsize=4096)
def printed(
    pack: Pack, grid: HexGrid, klass: str, speed: int, trenches: bool, ends: frozenset[str], onward: bool
) -> Distances:
    """The same in every game on that board, as long as nothing is built."""
    if len(ends) == 1:
        (end,) = ends
        costs = entering(pack, speed, *printed_costs(pack, klass, trenches))
        return drawn(ways(pack, grid), costs, pack, end, onward)
    single = [frozenset((end,)) for end in sorted(ends)]
    return nearest([printed(pack, grid, klass, speed, trenches, end, onward) for end in single])


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


def drawn(
    lead: Mapping[str, tuple[str, ...]], costs: Mapping[str, int], pack: Pack, end: str, onward: bool
) -> Distances:
    """Cheapest first. Going back from a goal, what counts is the cost of the hex that is left."""
    found: dict[str, int] = {}
    heap = [(0, end)]
    while heap:
        cost, here = heappop(heap)
        if here in found:
            continue
        found[here] = cost
        step = 0 if onward else costs.get(here, FAR)
        if step >= FAR:
            continue  # nobody can enter this goal
        for other in lead[here]:
            if other not in found:
                more = costs.get(other, FAR) if onward else step
                if more < FAR and (onward or other in costs or other in pack.forts):
                    heappush(heap, (cost + more, other))
    return found


def nearest(maps: Sequence[Distances]) -> Distances:
    """From every hex the least of all."""
    found: dict[str, int] = {}
    for one in maps:
        if not found:
            found = dict(one)
            continue
        for hex_, cost in one.items():
            if found.get(hex_, FAR) > cost:
                found[hex_] = cost
    return found
