"""MOVE What it costs to enter a hex, by class of unit, and who may stand where."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from engine.games.trench_club.pack import Pack
from engine.games.trench_club.state import Position, Terrain

FOOT = "foot"
TANK = "tank"
AIR = "air"
NAVAL = "naval"
WATER: Terrain = "water"
TRENCH: Terrain = "trench"
WHOLE = 1000  # MOVE-11 more than any speed: a step that is a move of its own


def cost_of(pack: Pack, terrain: Terrain, klass: str) -> int | None:
    """MOVE-4..7, 11, 16, 17, TRENCH-1 Half points for entering; None: units of this class never do."""
    costs = pack.costs
    if terrain == "fort":
        return None
    if klass == AIR:
        return costs.air
    if klass == NAVAL:
        return costs.naval if terrain in (WATER, "bridge") else None
    if terrain == WATER:
        return WHOLE if klass == FOOT else None
    if terrain == TRENCH:
        return costs.trench if klass in (FOOT, TANK) else None
    return {"open": costs.open, "road": costs.road, "bridge": costs.bridge, "forest": costs.forest}[terrain]


def counts_as(terrain: Terrain, trenches: bool) -> Terrain:
    """TRENCH-20 Without the expert rules a trench is open field."""
    return "open" if terrain == TRENCH and not trenches else terrain


@lru_cache(maxsize=64)
def printed_costs(pack: Pack, klass: str, trenches: bool) -> tuple[dict[str, int], frozenset[str]]:
    """Costs of all hexes that the class may enter, and the open ones among all (MOVE-8)."""
    costs: dict[str, int] = {}
    clear: list[str] = []
    for hex_, printed in pack.terrain.items():
        terrain = counts_as(printed, trenches)
        cost = cost_of(pack, terrain, klass)
        if cost is not None:
            costs[hex_] = cost
        if terrain == "open":
            clear.append(hex_)
    return costs, frozenset(clear)


def hex_costs(position: Position, klass: str) -> tuple[Mapping[str, int], frozenset[str]]:
    """SPECIAL-22 The printed costs, but for what engineers have built."""
    pack, trenches = position.pack, position.options["trench_rules"]
    if not position.built:
        return printed_costs(pack, klass, trenches)
    return changed_costs(pack, klass, trenches, frozenset(position.built.items()))


@lru_cache(maxsize=64)
def changed_costs(
    pack: Pack, klass: str, trenches: bool, built: frozenset[tuple[str, Terrain]]
) -> tuple[Mapping[str, int], frozenset[str]]:
    """The same, by what was built, in whatever order."""
    costs, clear = printed_costs(pack, klass, trenches)
    changed, hexes = dict(costs), dict(built)
    for hex_, terrain in hexes.items():
        cost = cost_of(pack, counts_as(terrain, trenches), klass)
        if cost is None:
            changed.pop(hex_, None)
        else:
            changed[hex_] = cost
    return changed, clear.difference(hexes)
