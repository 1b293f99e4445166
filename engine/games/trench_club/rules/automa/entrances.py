"""AUTOMA-12, 13, 35 Forts worth going to, and who stands before their entrances."""

from __future__ import annotations

from engine.games.trench_club.rules.forts import NOT_IN_SHORT_GAMES, is_conquerable
from engine.games.trench_club.rules.terrain import FOOT
from engine.games.trench_club.rules.trenches import trench_of
from engine.games.trench_club.state import Position, Unit


def foot_before(position: Position, fort: str) -> list[str]:
    """FORT-1, TRENCH-9 Foot units that could go in: inside a trench they stand before every door it has."""
    doors = position.pack.forts[fort].approaches
    hexes = dict.fromkeys(hex_ for door in doors for hex_ in trench_of(position, door) or (door,))
    there = [position.on[hex_] for hex_ in hexes if hex_ in position.on]
    return [unit for unit in there if position.type_of(unit).klass == FOOT]


def forts_to_take(position: Position, unit: Unit) -> list[str]:
    """FORT-2, VICTORY-4 Neutral and enemy ones; none for gunners in a short game, who could not go in."""
    if position.options["short_game"] and unit.type == NOT_IN_SHORT_GAMES:
        return []
    camp = position.camp_of[unit.nation]
    return [fort for fort in position.forts if is_conquerable(position, fort, camp)]
