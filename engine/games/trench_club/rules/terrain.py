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


@lru_cache(maxsize=64)
def printed_costs(pack: Pack, klass: str, trenches: bool) -> tuple[dict[str, int], frozenset[str]]:
    """Costs of all hexes that the class may enter, and the open ones among all (MOVE-8)."""
    costs: dict[str, int] = {}
    clear: list[str] = []
    for hex_, printed in pack.terrain.items():
        terrain: Terrain = "open" if printed == TRENCH and not trenches else printed
        cost = cost_of(pack, terrain, klass)
        if cost is not None:
            costs[hex_] = cost
        if terrain == "open":
            clear.append(hex_)
    return costs, frozenset(clear)


def hex_costs(position: Position, klass: str) -> tuple[Mapping[str, int], frozenset[str]]:
    """SPECIAL-22 The printed costs, but for what engineers have built."""
    costs, clear = printed_costs(position.pack, klass, position.options["trench_rules"])
    if not position.built:
        return costs, clear
    changed = dict(costs)
    for hex_ in position.built:
        cost = cost_of(position.pack, position.terrain(hex_), klass)
        if cost is None:
            changed.pop(hex_, None)
        else:
            changed[hex_] = cost
    return changed, clear.difference(position.built)
