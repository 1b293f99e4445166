"""AUTOMA-28, 29, 31 The hits of an automa's units, which roll no dice in combat."""

from __future__ import annotations

from engine.games.trench_club.rules.special import level_of, values_against
from engine.games.trench_club.state import Position


def fixed_hits(position: Position, unit: str, target: str) -> int | None:
    """AUTOMA-28 Attacking and riposting alike; None: the unit is led by people, or plays with their dice."""
    return (
        hits_without_dice(position, unit, target) if position.units[unit].nation == position.automa else None
    )


def hits_without_dice(position: Position, unit: str, target: str) -> int:
    """AUTOMA-29, 31 By damage and experience; special values serve where they apply."""
    basic = values_against(position.type_of(unit), position.type_of(target))[0]
    rates, level = position.pack.automa, level_of(position, unit)
    if position.units[unit].damage <= rates.light_damage:
        return basic + rates.light_per_level * level
    return (basic + 1) // 2 + rates.heavy_per_level * level
