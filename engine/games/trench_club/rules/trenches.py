"""TRENCH Expert rules: trenches as one long hex each, who holds them, and distances that run through them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from engine.games.trench_club.rules.terrain import FOOT, TRENCH
from engine.games.trench_club.state import Position, Team, Unit


def trench_of(position: Position, hex_: str) -> tuple[str, ...]:
    """TRENCH-2 All hexes of the trench that this one belongs to, sorted; TRENCH-20 none without the option.

    SPECIAL-21 Trench hexes that touch each other are one trench, whoever dug them.
    """
    return _joined(position, hex_, ())


def _joined(position: Position, hex_: str, left_out: Collection[str]) -> tuple[str, ...]:
    """The trench hexes that this one is joined to without those."""
    neighbours, terrain = position.grid.neighbours, position.terrain
    if terrain(hex_) != TRENCH or hex_ in left_out:
        return ()
    found = [hex_]
    for here in found:  # grows while it is read
        for other in neighbours[here]:
            if other not in found and terrain(other) == TRENCH and other not in left_out:
                found.append(other)
    return tuple(sorted(found))


def is_in_trench(position: Position, unit: Unit) -> bool:
    """TRENCH-2, 6 A foot unit on a trench hex is inside; tanks and air units never are."""
    if not position.options["trench_rules"] or position.pack.types[unit.type].klass != FOOT:
        return False
    return position.is_on_map(unit.id) and position.terrain(unit.at) == TRENCH


def stands_on(position: Position, unit: Unit) -> tuple[str, ...]:
    """TRENCH-11, 12 The hexes at which others meet it: all of its trench, or its own."""
    return trench_of(position, unit.at) if is_in_trench(position, unit) else (unit.at,)


def sets_out_from(position: Position, unit: Unit) -> tuple[str, ...]:
    """TRENCH-7..9 The hexes at which its move may begin: all of its trench, or its own.

    It must have finished a turn inside, so what was dug in this turn does not belong to the trench yet.
    """
    if not position.dug or not is_in_trench(position, unit):
        return stands_on(position, unit)
    return _joined(position, unit.at, position.dug) or (unit.at,)


def holder(position: Position, trench: tuple[str, ...]) -> Team | Literal[""]:
    """TRENCH-3, 4 The team that has a foot unit inside."""
    for hex_ in trench:
        unit = position.on.get(hex_)
        if unit is not None and position.type_of(unit).klass == FOOT:
            return position.team(unit)
    return ""


def held_against(position: Position, team: Team) -> frozenset[str]:
    """TRENCH-5 Every hex of the trenches that the enemies of this team hold."""
    if not position.options["trench_rules"]:
        return frozenset()
    held: set[str] = set()
    for unit in position.enemies_of(team):
        if unit.at not in held and is_in_trench(position, unit):
            held.update(trench_of(position, unit.at))
    return frozenset(held)


def distance(position: Position, one: str, other: str) -> int:
    """TRENCH-11, 12 In hexes, the shortest way between any hexes that the two stand for.

    A tank that crosses the trench in which its enemy sits is next to it, not upon it: never less than 1.
    """
    first, second = position.units[one], position.units[other]
    between = position.grid.distance
    if not position.options["trench_rules"]:
        return between(first.at, second.at)
    starts, ends = stands_on(position, first), stands_on(position, second)
    return max(1, min(between(start, end) for start in starts for end in ends))
