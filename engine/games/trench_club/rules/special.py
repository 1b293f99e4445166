"""SPECIAL The symbols of the unit sheets: values against some targets, scattering shells, clouds of gas."""

from __future__ import annotations

from engine.board.hexes import HexGrid
from engine.games.trench_club.rules.terrain import AIR, FOOT, TANK
from engine.games.trench_club.rules.trenches import trench_of
from engine.games.trench_club.state import Position
from engine.games.trench_club.tables import UnitType
from engine.kernel.requests import Roll, Seat, Step

CLOUD_AWAY = 2  # SPECIAL-10 every hex of a cloud is so far away

# ------------------------------------------------------------------ attack values


def level_of(position: Position, unit: str) -> int:
    """COMBAT-11 0 rookie, 1 veteran, 2 war hero."""
    points = position.units[unit].xp
    return sum(points >= level.least for level in position.pack.levels) - 1


def values_against(kind: UnitType, target: UnitType) -> tuple[int, ...]:
    """COMBAT-18, SPECIAL-7 The row that serves against such a target, by experience."""
    if target.klass == TANK and kind.attack_vs_tank:
        return kind.attack_vs_tank
    if target.klass == FOOT and kind.attack_vs_foot:
        return kind.attack_vs_foot
    if target.klass == AIR and kind.attack_vs_air:
        return kind.attack_vs_air
    return kind.attack


def value_of(position: Position, unit: str, target: str) -> int:
    """COMBAT-10 A die up to this is a hit."""
    values = values_against(position.type_of(unit), position.type_of(target))
    return values[level_of(position, unit)]


# ------------------------------------------------------------------ inside a trench


def inside_trench(position: Position, hex_: str) -> list[str]:
    """TRENCH-2 The foot units inside the trench that this hex belongs to, by unit id."""
    there = [position.on[one] for one in trench_of(position, hex_) if one in position.on]
    return sorted((unit for unit in there if position.type_of(unit).klass == FOOT), key=by_id)


def by_id(unit: str) -> tuple[str, int]:
    """SETUP-28 Nation and code, then the number."""
    kind = unit.rstrip("0123456789")
    return kind, int(unit[len(kind) :])


# ------------------------------------------------------------------ Big Bertha


def misses_up_to(position: Position, unit: str) -> int:
    """SPECIAL-1 The highest face with which the shell falls beside its target; 0: it never does."""
    return position.pack.scatter.miss_up_to[level_of(position, unit)]


def scatter(position: Position, unit: str, aimed: str) -> Step:
    """SPECIAL-1, 2 Returns the die (0: none rolled) and where the shell falls ("": off the board)."""
    misses = misses_up_to(position, unit)
    if misses == 0:
        return 0, aimed
    (face,) = yield Roll(
        Seat(position.units[unit].nation), f"{unit}.scatter", sides=position.pack.meta.dice_sides
    )
    return face, strays_to(position, aimed, face) if face <= misses else aimed


def strays_to(position: Position, aimed: str, face: int) -> str:
    """SPECIAL-2 The numbered neighbour of the aimed hex."""
    return position.grid.step(aimed, position.pack.scatter.directions[face - 1])


def shell_strikes(position: Position, hex_: str, named: str) -> str:
    """SPECIAL-3..5, TRENCH-19 Whom a shell on that hex hits, own and allied units included; "": nobody.

    In a trench it finds the named unit if that is inside, else who stands on the hex, else the first inside.
    An aircraft above the trench is no cover for those inside.
    """
    if hex_ == "" or hex_ in position.forts:
        return ""
    inside = inside_trench(position, hex_)
    if named in inside:
        return named
    there = position.on.get(hex_, "")
    if there and position.type_of(there).klass != AIR:
        return there
    return inside[0] if inside else ""


# ------------------------------------------------------------------ gas


def cloud(position: Position, unit: str, toward: str) -> tuple[str, str, str]:
    """SPECIAL-10 The hexes two away that the gas covers, the middle first; "": off the board."""
    grid, at = position.grid, position.units[unit].at
    right, left = grid.turned(toward, 1), grid.turned(toward, -1)
    middle, *sides = (_two_steps(grid, at, toward, also) for also in (toward, right, left))
    return middle, sides[0], sides[1]


def _two_steps(grid: HexGrid, at: str, one: str, other: str) -> str:
    """Whichever way round: the hex between may lie off the board."""
    for first, second in ((one, other), (other, one)):
        if between := grid.step(at, first):
            return grid.step(between, second)
    return ""


def gassed(position: Position, hexes: tuple[str, ...]) -> list[str]:
    """SPECIAL-11, TRENCH-19 Whom the gas hits, friends included: no aircraft, nobody in a fort, each once."""
    found: list[str] = []
    for hex_ in hexes:
        if hex_ == "" or hex_ in position.forts:
            continue
        for unit in (position.on.get(hex_, ""), *inside_trench(position, hex_)):
            if unit and unit not in found and position.type_of(unit).klass != AIR:
                found.append(unit)
    return found
