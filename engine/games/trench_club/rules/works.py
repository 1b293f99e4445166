"""SPECIAL-13..16, 19..22 Mines, and what engineers build."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from engine.games.trench_club.answers import Build, Mine
from engine.games.trench_club.facts.moves import Built, MineExploded, MineLaid
from engine.games.trench_club.pack import Pack
from engine.games.trench_club.rules.terrain import AIR, FOOT, TRENCH, WATER
from engine.games.trench_club.rules.trenches import held_against, trench_of
from engine.games.trench_club.state import Position, State, Terrain, Unit
from engine.kernel.errors import Facts, Illegal, Refusal
from engine.kernel.requests import Rng, Step

WORKS: tuple[Literal["road"], Literal["trench"]] = ("road", "trench")
ROAD_ON: tuple[Terrain, ...] = ("open", "forest", TRENCH, WATER)  # SPECIAL-21
TRENCH_ON: tuple[Terrain, ...] = ("open", "forest", "road")


@lru_cache(maxsize=16)
def worker_types(pack: Pack) -> frozenset[str]:
    """SPECIAL-15, 19 Minelayers and engineers: they may work after they have moved."""
    return frozenset(one.id for one in pack.types.values() if one.lays_mines or one.builds)


# ------------------------------------------------------------------ mines


def why_not_mine(position: Position, mine: Mine) -> Refusal | None:
    """SPECIAL-14, 15 Once a turn, on the minelayer's own hex or next to it.

    From inside a fort nothing is laid: a unit there does not count as in play (FORT-11).
    """
    unit, hex_ = position.units[mine.unit], mine.hex
    told = {"unit": unit.id, "hex": hex_}
    if not position.pack.types[unit.type].lays_mines:
        return Illegal("TC-SPECIAL-13", "no-minelayer", told)
    if unit.id in position.worked:
        return Illegal("TC-SPECIAL-14", "one-mine-a-turn", told)
    if unit.at in position.forts:
        return Illegal("TC-FORT-11", "inside-fort", {**told, "fort": unit.at})
    near = (unit.at, *position.grid.neighbours[unit.at])
    if hex_ not in near:
        return Illegal("TC-SPECIAL-15", "not-in-reach", {**told, "hexes": tuple(_minable(position, unit))})
    if hex_ in position.mines:
        return Illegal("TC-SPECIAL-14", "one-mine-a-hex", told)
    if hex_ in position.forts or position.terrain(hex_) == WATER:
        return Illegal("TC-SPECIAL-15", "no-land", {**told, "terrain": position.terrain(hex_)})
    if _has_enemy(position, unit, hex_):
        return Illegal("TC-SPECIAL-15", "enemy-unit", {**told, "enemy": position.on[hex_]})
    return None


def _has_enemy(position: Position, unit: Unit, hex_: str) -> bool:
    other = position.on.get(hex_)
    return other is not None and position.are_enemies(unit.id, other)


def _minable(position: Position, unit: Unit) -> list[str]:
    """SPECIAL-15 Where a mine may be laid by a minelayer on the map."""
    return [
        hex_
        for hex_ in (unit.at, *position.grid.neighbours[unit.at])
        if hex_ not in position.mines
        and hex_ not in position.forts
        and position.terrain(hex_) != WATER
        and not _has_enemy(position, unit, hex_)
    ]


def mines_open(position: Position, unit: Unit) -> list[Mine]:
    """Every mine that this unit may lay now."""
    if not position.pack.types[unit.type].lays_mines or unit.id in position.worked:
        return []
    if unit.at in position.forts:
        return []
    return [Mine(unit.id, hex_) for hex_ in _minable(position, unit)]


def lay(state: State, mine: Mine) -> Step:
    yield MineLaid(mine.hex, state.units[mine.unit].nation, mine.unit)


def is_mined_against(position: Position, unit: str, hex_: str) -> bool:
    """SPECIAL-14, 16 Does a mine lie there that destroys this unit?"""
    nation = position.mines.get(hex_)
    if nation is None or position.pack.team_of[nation] == position.team(unit):
        return False
    return position.type_of(unit).klass != AIR


def explode(state: State, unit: str, hex_: str) -> Step:
    """SPECIAL-13, 16 The unit is lost, a transport with all it carries; the mine is gone."""
    yield MineExploded(hex_, (unit, *sorted(state.cargo(unit))))


# ------------------------------------------------------------------ building


def why_not_build(position: Position, build: Build) -> Refusal | None:
    """SPECIAL-19..21 Two hexes next to each other, one of them next to the engineers.

    From inside a fort nothing is built (FORT-11).
    """
    unit = position.units[build.unit]
    told: Facts = {"unit": unit.id, "hexes": build.hexes, "what": build.what}
    if not position.pack.types[unit.type].builds:
        return Illegal("TC-SPECIAL-19", "no-engineers", told)
    if unit.id in position.worked:
        return Illegal("TC-SPECIAL-19", "one-work-a-turn", told)
    if unit.at in position.forts:
        return Illegal("TC-FORT-11", "inside-fort", {**told, "fort": unit.at})
    if build.what == TRENCH and not position.options["trench_rules"]:
        return Illegal("TC-SPECIAL-21", "no-trench-rules", told)
    one, other = build.hexes
    if one not in position.grid or other not in position.grid.neighbours[one]:
        return Illegal("TC-SPECIAL-21", "not-next-to-each-other", told)
    near = position.grid.neighbours[unit.at]
    if one not in near and other not in near:
        return Illegal("TC-SPECIAL-19", "not-next-to-engineers", {**told, "hex": unit.at})
    closed = held_against(position, position.team(unit.id))
    for hex_ in build.hexes:
        if (refusal := _why_not_there(position, build, hex_, closed)) is not None:
            return refusal
    if build.what == TRENCH and _joins_both_teams(position, build.hexes):
        return Illegal("TC-SPECIAL-20", "joins-enemy-trench", told)
    return None


def _why_not_there(position: Position, build: Build, hex_: str, closed: Collection[str]) -> Refusal | None:
    """SPECIAL-20, 21"""
    terrain = position.terrain(hex_)
    told = {"unit": build.unit, "hex": hex_, "what": build.what, "terrain": terrain}
    if hex_ in position.forts:
        return Illegal("TC-SPECIAL-20", "on-fort", told)
    if _has_enemy(position, position.units[build.unit], hex_):
        return Illegal("TC-SPECIAL-20", "enemy-unit", {**told, "enemy": position.on[hex_]})
    if hex_ in closed:
        return Illegal("TC-SPECIAL-20", "trench-held", told)
    if terrain not in (ROAD_ON if build.what == "road" else TRENCH_ON):
        return Illegal("TC-SPECIAL-21", "wrong-terrain", told)
    return None


def _joins_both_teams(position: Position, hexes: tuple[str, str]) -> bool:
    """SPECIAL-20, TRENCH-5 A trench is never held by both teams, so none is dug that would join two such."""
    one, other = hexes
    joined = trench_of(replace(position, built={**position.built, one: TRENCH, other: TRENCH}), one)
    teams = {
        position.team(unit)
        for hex_ in joined
        if (unit := position.on.get(hex_)) is not None and position.type_of(unit).klass == FOOT
    }
    return len(teams) > 1


def outcome(position: Position, build: Build) -> tuple[tuple[str, Terrain], ...]:
    """SPECIAL-21 What the hexes become: water is bridged."""
    return tuple((hex_, _becomes(position.terrain(hex_), build)) for hex_ in build.hexes)


def _becomes(terrain: Terrain, build: Build) -> Terrain:
    if build.what == TRENCH:
        return TRENCH
    return "bridge" if terrain == WATER else "road"


def build_works(state: State, build: Build) -> Step:
    yield Built(build.unit, outcome(state, build))


def can_build(position: Position, unit: Unit) -> bool:
    """SPECIAL-19 Engineers on the map that have not worked yet."""
    if not position.pack.types[unit.type].builds or unit.id in position.worked:
        return False
    return unit.at not in position.forts


def builds_open(position: Position, unit: Unit) -> Iterator[Build]:
    """Every work open to these engineers."""
    if not can_build(position, unit):
        return
    neighbours = position.grid.neighbours
    pairs = [(one, other) for one in neighbours[unit.at] for other in neighbours[one]]
    for what in WORKS if position.options["trench_rules"] else WORKS[:1]:
        for hexes in pairs:
            build = Build(unit.id, what, hexes)
            if why_not_build(position, build) is None:
                yield build


def drawn_build(position: Position, unit: Unit, rng: Rng) -> Build | None:
    """One work by chance, if there is any."""
    offered = list(builds_open(position, unit))
    return rng.choice(offered) if offered else None
