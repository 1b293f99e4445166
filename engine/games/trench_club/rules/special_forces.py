"""BUY-3, 6..9 Special forces: what may be drawn, who may choose, and where a gunboat is put."""

from __future__ import annotations

from typing import NamedTuple

from engine.games.trench_club.answers import Camp
from engine.games.trench_club.rules.terrain import NAVAL, WATER
from engine.games.trench_club.rules.victory import enemy_of, forts_of_team
from engine.games.trench_club.state import Position, Team


def owned(position: Position, camp: Camp, type_: str) -> int:
    """BUY-10 Units of that type that the player has now; COOP-6 two partners' count together."""
    return sum(unit.type == type_ for unit in position.of_camp(camp))


def is_at_limit(position: Position, camp: Camp, type_: str) -> bool:
    """BUY-10 No further unit of that type may be bought; 0: there is no limit."""
    limit: int = position.options["unit_limit"]
    return limit > 0 and owned(position, camp, type_) >= limit


def special_types(position: Position) -> tuple[str, ...]:
    """SPECIAL-23 Every card of the deck; engineers only where the campaign has them."""
    special = position.pack.special
    if position.options["engineers_in_special_deck"]:
        return special.deck
    return tuple(type_ for type_ in special.deck if type_ != special.optional)


def deck(position: Position, camp: Camp) -> tuple[str, ...]:
    """BUY-9 Types that the player may still own, sorted; no gunboat without water to put it on."""
    limit: int = position.options["unit_limit"]
    own = [unit.type for unit in position.of_camp(camp)] if limit else []
    return tuple(
        type_
        for type_ in sorted(special_types(position))
        if (not limit or own.count(type_) < limit)
        and (not is_naval(position, type_) or has_free_water(position))
    )


def is_naval(position: Position, type_: str) -> bool:
    return position.pack.types[type_].klass == NAVAL


# ------------------------------------------------------------------ water


def is_free_water(position: Position, hex_: str) -> bool:
    """BUY-3 Water of the board in play, no bridge, nobody on it."""
    return hex_ in position.grid and position.terrain(hex_) == WATER and hex_ not in position.on


def free_water(position: Position) -> tuple[str, ...]:
    """BUY-3 In the board's order."""
    return tuple(hex_ for hex_ in position.grid if is_free_water(position, hex_))


def has_free_water(position: Position) -> bool:
    return any(is_free_water(position, hex_) for hex_ in position.grid)


def nearest_water(position: Position, fort: str) -> str:
    """D8 The free water hex nearest to the fort, the first by name among equals."""
    away = position.grid.distance
    return min(free_water(position), key=lambda hex_: (away(fort, hex_), hex_))


# ------------------------------------------------------------------ a free choice


class Strength(NamedTuple):
    units: int  # BUY-8 on the map only
    forts: int


def strength(position: Position, team: Team) -> Strength:
    of, units = position.pack.team_of, position.units
    there = sum([of[units[unit].nation] == team for unit in position.on.values()])
    return Strength(there, forts_of_team(position, team))


def is_behind(position: Position, team: Team) -> bool:
    """BUY-7, 8 Fewer units on the map and fewer forts than the enemy, both strictly."""
    own, enemy = strength(position, team), strength(position, enemy_of(team))
    return own.units < enemy.units and own.forts < enemy.forts
