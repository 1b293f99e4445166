"""FORT Entrances, and the conquest of forts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from engine.board.hexes import HexGrid
from engine.games.trench_club.answers import Camp, Capture
from engine.games.trench_club.facts.moves import FortConquered
from engine.games.trench_club.pack import Pack
from engine.games.trench_club.rules.trenches import sets_out_from
from engine.games.trench_club.state import Position, State, Unit
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Step

NOT_IN_SHORT_GAMES = "anti_tank_gunners"  # VICTORY-4


@lru_cache(maxsize=16)
def ways(pack: Pack, grid: HexGrid) -> Mapping[str, tuple[str, ...]]:
    """FORT-1, MOVE-21 Where one step leads: a fort is joined to its approach hexes only, not to its walls."""
    found: dict[str, tuple[str, ...]] = {}
    for hex_, near in grid.neighbours.items():
        if hex_ in pack.forts:
            doors = pack.forts[hex_].approaches
            found[hex_] = tuple(other for other in near if other in doors)
        else:
            found[hex_] = tuple(
                other for other in near if other not in pack.forts or hex_ in pack.forts[other].approaches
            )
    return found


def doors_of(position: Position, unit: Unit) -> list[str]:
    """FORT-1, TRENCH-9 The forts before whose entrances a unit on the map stands."""
    if unit.at in position.forts or unit.aboard:
        return []
    lead = ways(position.pack, position.grid)
    return [to for hex_ in sets_out_from(position, unit) for to in lead[hex_] if to in position.forts]


def is_conquerable(position: Position, fort: str, camp: Camp) -> bool:
    """FORT-2, 7 Neutral, or an enemy's."""
    owner, of = position.forts[fort], position.pack.team_of
    return owner == "" or of[owner] != of[camp]


def why_not_capture(position: Position, capture: Capture) -> Refusal | None:
    """FORT-2, 3 By a foot unit that stands before an entrance when its move begins."""
    unit, fort = position.units[capture.unit], capture.fort
    type_ = position.pack.types[unit.type]
    camp = position.camp_of[unit.nation]
    told = {"unit": unit.id, "fort": fort}
    if fort not in position.forts:
        return Illegal("TC-FORT-2", "no-such-fort", {**told, "forts": tuple(position.forts)})
    if not type_.captures:
        return Illegal("TC-FORT-2", "foot-units-conquer", told)
    if position.options["short_game"] and unit.type == NOT_IN_SHORT_GAMES:
        return Illegal("TC-VICTORY-4", "short-game", told)
    if position.is_own_fort(fort, camp):
        return Illegal("TC-FORT-2", "own-fort", told)
    if not is_conquerable(position, fort, camp):
        return Illegal("TC-FORT-7", "allied-fort", {**told, "owner": position.forts[fort]})
    if fort in doors_of(position, unit):
        return None
    doors = position.pack.forts[fort].approaches
    if fort in position.grid.neighbours[unit.at]:
        return Illegal("TC-FORT-1", "wall", {**told, "hex": unit.at, "approaches": doors})
    return Illegal("TC-FORT-3", "not-before-entrance", {**told, "hex": unit.at, "approaches": doors})


def conquer(state: State, capture: Capture) -> Step:
    """FORT-4 All enemies inside are removed, the conqueror's flag is set."""
    camp = state.camp(capture.unit)
    lost = tuple(state.inside(capture.fort))
    yield FortConquered(capture.fort, camp, capture.unit, state.forts[capture.fort], lost)
