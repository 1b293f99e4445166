"""MOVE The steps of a class of units, hex by hex, as if no unit stood on the board."""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import lru_cache
from typing import TypeAlias

from engine.board.hexes import HexGrid
from engine.games.trench_club.pack import Pack
from engine.games.trench_club.rules.forts import ways
from engine.games.trench_club.rules.terrain import changed_costs, printed_costs
from engine.games.trench_club.state import Position, Terrain

Step: TypeAlias = tuple[str, int, bool]  # the hex, what it costs, and whether a fort stands there
Steps: TypeAlias = Mapping[str, tuple[Step, ...]]


def steps_of(position: Position, klass: str) -> tuple[Steps, Steps]:
    """The usual steps, and those of a unit with exactly so much left as a last move takes."""
    pack, grid, trenches = position.pack, position.grid, position.options["trench_rules"]
    if not position.built:
        return _printed(pack, grid, klass, trenches)
    return _changed(pack, grid, klass, trenches, frozenset(position.built.items()))


@lru_cache(maxsize=64)
def _changed(
    pack: Pack, grid: HexGrid, klass: str, trenches: bool, built: frozenset[tuple[str, Terrain]]
) -> tuple[Steps, Steps]:
    """The printed steps, but for those that lead to what engineers have built."""
    usual, final = _printed(pack, grid, klass, trenches)
    costs, clear = changed_costs(pack, klass, trenches, built)
    near = {hex_ for changed, _ in built for hex_ in grid.neighbours[changed]}
    return (
        {**usual, **{hex_: _usual(pack, grid, costs, hex_) for hex_ in near}},
        {**final, **{hex_: _final(pack, grid, costs, clear, hex_) for hex_ in near}},
    )


@lru_cache(maxsize=64)
def _printed(pack: Pack, grid: HexGrid, klass: str, trenches: bool) -> tuple[Steps, Steps]:
    """As long as nothing is built."""
    costs, clear = printed_costs(pack, klass, trenches)
    return (
        {hex_: _usual(pack, grid, costs, hex_) for hex_ in grid},
        {hex_: _final(pack, grid, costs, clear, hex_) for hex_ in grid},
    )


def _usual(pack: Pack, grid: HexGrid, costs: Mapping[str, int], here: str) -> tuple[Step, ...]:
    """In the order of the ways; a hex that the class never enters lacks, a fort is its owner's to enter."""
    return tuple(
        (to, costs.get(to, pack.costs.enter_fort), to not in costs)
        for to in ways(pack, grid)[here]
        if to in costs or to in pack.forts
    )


def _final(
    pack: Pack, grid: HexGrid, costs: Mapping[str, int], clear: Set[str], here: str
) -> tuple[Step, ...]:
    """MOVE-8 A last move into the open takes what is left."""
    last = pack.costs.last_move
    return tuple(
        (to, last if cost > last and to in clear else cost, fort)
        for to, cost, fort in _usual(pack, grid, costs, here)
    )
