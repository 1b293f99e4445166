"""CONTACT Where the enemy makes a moving unit careful, and what else he denies to a team."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from engine.games.trench_club.pack import Pack
from engine.games.trench_club.rules.forts import ways
from engine.games.trench_club.rules.steps import Steps, steps_of
from engine.games.trench_club.rules.terrain import AIR, FOOT, NAVAL, WATER, hex_costs
from engine.games.trench_club.rules.trenches import held_against, is_in_trench, trench_of
from engine.games.trench_club.state import Position, Team, Unit
from engine.kernel.fast_dataclass import fast_frozen

CLOSE = 1  # CONTACT-1 close combat


@fast_frozen
@dataclass(frozen=True, slots=True)
class Front:
    """What the enemies of a team do to its moves; made once for a position."""

    enemies: frozenset[str]  # hexes on which they stand
    ground: Set[str]  # CONTACT-1 contact hexes for ground and naval units
    air: Set[str]  # and for air units
    foot: frozenset[str]  # closed to foot units: these, and TRENCH-5 the trenches that they hold
    mines: frozenset[str]  # SPECIAL-16 mines that are not the team's
    going: dict[str, Going]  # the same by class of unit, as they come up


class Going(NamedTuple):
    """What the steps of all units of one class depend on."""

    costs: Mapping[str, int]
    clear: frozenset[str]  # MOVE-8 open hexes
    ways: Mapping[str, tuple[str, ...]]
    steps: Steps
    last_steps: Steps  # MOVE-8 with exactly so much left as a last move takes
    barred: frozenset[str]
    contact: Set[str]
    mines: frozenset[str]


def going(position: Position, against: Front, klass: str) -> Going:
    """Kept with the front, which is found by all that this depends on, what was built included."""
    known = against.going.get(klass)
    if known is None:
        known = against.going[klass] = Going(
            *hex_costs(position, klass),
            ways(position.pack, position.grid),
            *steps_of(position, klass),
            against.foot if klass == FOOT else against.enemies,
            against.air if klass == AIR else against.ground,
            frozenset() if klass == AIR else against.mines,  # SPECIAL-14
        )
    return known


_fronts: dict[Hashable, Front] = {}
FRONTS_KEPT = 64


def front(position: Position, team: Team) -> Front:
    """The enemy stands still while a player moves: a front is kept, and found by all that it depends on."""
    of, units = position.pack.team_of, position.units
    enemies = [unit for id_ in position.on.values() if of[(unit := units[id_]).nation] != team]
    key = (
        team,
        position.grid,
        position.options["trench_rules"],
        tuple([(unit.at, unit.type) for unit in enemies]),
        tuple(position.forts),
        tuple(position.mines.items()),
        tuple(position.built.items()),
        position.pack,
    )
    known = _fronts.get(key)
    if known is None:
        if len(_fronts) == FRONTS_KEPT:
            _fronts.clear()
        known = _fronts[key] = _front(position, team, enemies)
    return known


def _front(position: Position, team: Team, enemies: Iterable[Unit]) -> Front:
    """CONTACT-7 Only units on the map count: not those in forts, not those aboard."""
    of, neighbours = position.pack.team_of, position.grid.neighbours
    strikes_ground, strikes_air = _close_fighters(position.pack)
    trenches, printed = position.options["trench_rules"], position.pack.terrain
    ground: set[str] = set()
    air: set[str] = set()
    for unit in enemies:
        hex_ = unit.at
        near = unit.type in strikes_ground
        aloft = unit.type in strikes_air
        if not (near or aloft) or (printed[hex_] == WATER and is_wading(position, unit)):
            continue  # nothing but water ever becomes water
        touched = zone(position, unit) if trenches and is_in_trench(position, unit) else neighbours[hex_]
        if near:
            ground.update(touched)
        if aloft:
            air.update(touched)
    # CONTACT-8 Nobody inside a fort is in contact: by our ruling an own one parts two contact hexes.
    ground.difference_update(position.forts)
    air.difference_update(position.forts)
    mines = [hex_ for hex_, nation in position.mines.items() if of[nation] != team]
    stand = frozenset(unit.at for unit in enemies)
    held = held_against(position, team)
    return Front(stand, ground, air, stand | held if held else stand, frozenset(mines), {})


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
    """MOVE-14 A ground unit in water can neither attack nor defend; by our ruling contact stops it still."""
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
