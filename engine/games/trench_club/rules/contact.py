"""CONTACT Where the enemy makes a moving unit careful, and what else he denies to a team."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from functools import lru_cache

from engine.games.trench_club.pack import Pack
from engine.games.trench_club.rules.terrain import AIR, NAVAL, WATER
from engine.games.trench_club.rules.trenches import held_against, is_in_trench, trench_of
from engine.games.trench_club.state import Position, Team, Unit
from engine.kernel.frozen import swift

CLOSE = 1  # CONTACT-1 close combat


@swift
@dataclass(frozen=True, slots=True)
class Front:
    """What the enemies of a team do to its moves; made once for a position."""

    enemies: frozenset[str]  # hexes on which they stand
    ground: Set[str]  # CONTACT-1 contact hexes for ground and naval units
    air: Set[str]  # and for air units
    held: frozenset[str]  # TRENCH-5 hexes closed to foot units
    mines: frozenset[str]  # SPECIAL-16 mines that are not the team's


NOBODY = Front(frozenset(), frozenset(), frozenset(), frozenset(), frozenset())


def front(position: Position, team: Team) -> Front:
    """CONTACT-7 Only units on the map count: not those in forts, not those aboard."""
    of, units, neighbours = position.pack.team_of, position.units, position.grid.neighbours
    strikes_ground, strikes_air = _close_fighters(position.pack)
    trenches, printed = position.options["trench_rules"], position.pack.terrain
    enemies: list[str] = []
    ground: set[str] = set()
    air: set[str] = set()
    for hex_, unit_id in position.on.items():
        unit = units[unit_id]
        if of[unit.nation] == team:
            continue
        enemies.append(hex_)
        near = unit.type in strikes_ground
        aloft = unit.type in strikes_air
        if not (near or aloft) or (printed[hex_] == WATER and is_wading(position, unit)):
            continue  # nothing but water ever becomes water
        touched = zone(position, unit) if trenches and is_in_trench(position, unit) else neighbours[hex_]
        if near:
            ground.update(touched)
        if aloft:
            air.update(touched)
    ground.difference_update(position.forts)  # CONTACT-8 nobody inside a fort is in contact
    air.difference_update(position.forts)
    mines = [hex_ for hex_, nation in position.mines.items() if of[nation] != team]
    return Front(frozenset(enemies), ground, air, held_against(position, team), frozenset(mines))


@lru_cache(maxsize=16)
def _close_fighters(pack: Pack) -> tuple[frozenset[str], frozenset[str]]:
    """CONTACT-2 Types that can attack ground units at distance 1, and those that can attack air units."""
    types = pack.types.values()
    return (
        frozenset(one.id for one in types if _covers(one.range_ground)),
        frozenset(one.id for one in types if _covers(one.range_air)),
    )


def _covers(range_: tuple[int, ...]) -> bool:
    return bool(range_) and range_[0] <= CLOSE


def is_wading(position: Position, unit: Unit) -> bool:
    """MOVE-14 A ground unit in water can neither attack nor defend."""
    if position.terrain(unit.at) != WATER:
        return False
    return position.pack.types[unit.type].klass not in (AIR, NAVAL)


def zone(position: Position, unit: Unit) -> set[str]:
    """TRENCH-12 The hexes next to a trench, and the trench itself: a tank may cross it."""
    trench = trench_of(position, unit.at)
    return set(trench).union(*(position.grid.neighbours[hex_] for hex_ in trench))


def gives_contact(position: Position, unit: str, hex_: str) -> bool:
    """CONTACT-1 Would this unit, on its way, be in contact with an enemy on that hex?"""
    there = front(position, position.team(unit))
    return hex_ in (there.air if position.type_of(unit).klass == AIR else there.ground)
