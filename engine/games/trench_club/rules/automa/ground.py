"""AUTOMA-8 Distances as the automa measures them: on terrain alone, as if no unit stood in the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import heappop, heappush
from typing import TypeAlias

from engine.games.trench_club.rules.forts import ways
from engine.games.trench_club.rules.terrain import WHOLE, hex_costs
from engine.games.trench_club.state import Position
from engine.games.trench_club.tables import UnitType

FAR = 10**6  # cannot be reached at all
Distances: TypeAlias = Mapping[str, int]  # half points, by hex


class Ground:
    """The terrain of one automa turn. It does not change meanwhile, so every map is drawn once."""

    __slots__ = ("_costs", "_maps", "_ways", "position")

    def __init__(self, position: Position) -> None:
        self.position = position
        self._ways = ways(position.pack, position.grid)
        self._costs: dict[tuple[str, int], dict[str, int]] = {}
        self._maps: dict[tuple[str, int, bool, frozenset[str]], Distances] = {}

    def entering(self, type_: UnitType) -> dict[str, int]:
        """What each hex costs such a unit: a whole move for water on foot; hexes it can never enter lack."""
        key = (type_.klass, type_.speed)
        if key not in self._costs:
            costs, clear = hex_costs(self.position, type_.klass)
            last = self.position.pack.costs.last_move
            found = {}
            for hex_, cost in costs.items():
                if cost == WHOLE or cost <= type_.speed:
                    found[hex_] = min(cost, type_.speed)
                elif type_.speed == last and hex_ in clear:  # MOVE-9
                    found[hex_] = last
            self._costs[key] = found
        return self._costs[key]

    def to(self, type_: UnitType, goals: Iterable[str]) -> Distances:
        """From every hex to the nearest of the goals, that one entered."""
        return self._map(type_, frozenset(goals), onward=False)

    def away(self, type_: UnitType, start: str) -> Distances:
        """From the start to every hex."""
        return self._map(type_, frozenset((start,)), onward=True)

    def _map(self, type_: UnitType, ends: frozenset[str], onward: bool) -> Distances:
        key = (type_.klass, type_.speed, onward, ends)
        if key not in self._maps:
            self._maps[key] = self._drawn(self.entering(type_), ends, onward)
        return self._maps[key]

    def _drawn(self, entering: Mapping[str, int], ends: frozenset[str], onward: bool) -> Distances:
        """Cheapest first. Going back from a goal, what counts is the cost of the hex that is left."""
        found: dict[str, int] = {}
        heap = [(0, end) for end in sorted(ends)]
        while heap:
            cost, here = heappop(heap)
            if here in found:
                continue
            found[here] = cost
            step = 0 if onward else entering.get(here, FAR)
            if step >= FAR:
                continue  # nobody can enter this goal
            for other in self._ways[here]:
                if other not in found:
                    more = entering.get(other, FAR) if onward else step
                    if more < FAR and (onward or other in entering or other in self.position.forts):
                        heappush(heap, (cost + more, other))
        return found
