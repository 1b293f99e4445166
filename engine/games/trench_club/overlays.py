"""What can be drawn over the board on request: MAP REACH and a unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.games.trench_club.answers import Capture
from engine.games.trench_club.odds import unit_called
from engine.games.trench_club.rules.forts import why_not_capture
from engine.games.trench_club.rules.movement import reach
from engine.games.trench_club.rules.targets import candidates
from engine.games.trench_club.view import View


@dataclass(frozen=True, slots=True)
class Reach:
    """Where a unit can end its next move, what that costs, and whom it could attack where it stands."""

    unit: str
    at: str
    hexes: Mapping[str, int]  # hex -> half points
    forts: tuple[str, ...]  # it could conquer with its whole move
    targets: tuple[str, ...]


def reach_of(view: View, question: str) -> Reach | None:
    """Of any unit on the board, an enemy's too; None: no such unit is there."""
    position = view.position
    words = question.upper().rstrip(".").split()
    unit = unit_called(view, words[0]) if len(words) == 1 else None
    if unit is None or not position.units[unit].at:
        return None
    costs = reach(position, unit)
    forts = [fort for fort in position.forts if why_not_capture(position, Capture(unit, fort)) is None]
    return Reach(
        unit,
        position.units[unit].at,
        {hex_: costs[hex_] for hex_ in position.grid if hex_ in costs},
        tuple(forts),
        tuple(candidates(position, unit)),
    )
