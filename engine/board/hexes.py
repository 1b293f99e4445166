"""Boards of hexes, flat side up or corner up, with any names.

A hex has doubled coordinates (x, y): neighbours on one axis are two apart, the others one and one, so that
everything stays whole. Nothing here knows a game.

    flat  x = column, y = doubled row      N (0, -2), NE (1, -1), SE (1, 1), S (0, 2), SW (-1, 1), NW (-1, -1)
    tall  x = doubled column, y = row      NE (1, -1), E (2, 0), SE (1, 1), SW (-1, 1), W (-2, 0), NW (-1, -1)
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

Direction: TypeAlias = str
Place: TypeAlias = tuple[int, int]

FLAT: Mapping[Direction, Place] = {
    "N": (0, -2),
    "NE": (1, -1),
    "SE": (1, 1),
    "S": (0, 2),
    "SW": (-1, 1),
    "NW": (-1, -1),
}
TALL: Mapping[Direction, Place] = {
    "NE": (1, -1),
    "E": (2, 0),
    "SE": (1, 1),
    "SW": (-1, 1),
    "W": (-2, 0),
    "NW": (-1, -1),
}


class HexGrid:
    """The hexes of one board. Directions run clockwise, from the first one of its kind."""

    __slots__ = (
        "_at",
        "_away",
        "_direction",
        "_index",
        "_steps",
        "directions",
        "flat",
        "neighbours",
        "places",
    )

    def __init__(self, places: Mapping[str, Place], kind: Literal["flat", "tall"] = "flat") -> None:
        """Every hex by name, with its doubled coordinates."""
        self.flat = kind == "flat"
        steps = FLAT if self.flat else TALL
        self.directions: tuple[Direction, ...] = tuple(steps)
        self.places = dict(places)
        self._at = {place: name for name, place in places.items()}
        self._index = {name: n for n, name in enumerate(self.places)}
        self._away: dict[str, array[int]] = {}  # distances from a hex to all others, by index
        if len(self._at) != len(self.places):
            raise ValueError("two hexes in one place")
        self._steps: dict[str, dict[Direction, str]] = {
            name: {
                direction: self._at[x + dx, y + dy]
                for direction, (dx, dy) in steps.items()
                if (x + dx, y + dy) in self._at
            }
            for name, (x, y) in self.places.items()
        }
        self.neighbours: dict[str, tuple[str, ...]] = {
            name: tuple(around.values()) for name, around in self._steps.items()
        }
        self._direction: dict[tuple[str, str], Direction] = {
            (name, other): direction
            for name, around in self._steps.items()
            for direction, other in around.items()
        }

    def __contains__(self, name: object) -> bool:
        return name in self.places

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def __copy__(self) -> HexGrid:
        return self

    def __deepcopy__(self, memo: object) -> HexGrid:
        return self

    def step(self, name: str, direction: Direction) -> str:
        """The hex next to this one; "": the board ends there."""
        return self._steps[name].get(direction, "")

    def direction(self, one: str, other: str) -> Direction:
        """Where the other lies, seen from the one; "": they are not neighbours."""
        return self._direction.get((one, other), "")

    def turned(self, direction: Direction, by: int) -> Direction:
        """So many sixths of a turn clockwise."""
        return self.directions[(self.directions.index(direction) + by) % 6]

    def distance(self, one: str, other: str) -> int:
        """In hexes, over the board's edge if that is shorter. Measured once from every hex."""
        row = self._away.get(one)
        if row is None:
            row = self._away[one] = array("H", [self._measured(one, to) for to in self.places])
        return row[self._index[other]]

    def _measured(self, one: str, other: str) -> int:
        x, y = self.places[one]
        x2, y2 = self.places[other]
        dx, dy = abs(x - x2), abs(y - y2)
        if self.flat:
            return dx if dy <= dx else (dx + dy) // 2
        return dy if dx <= dy else (dx + dy) // 2

    def ring(self, name: str, radius: int) -> tuple[str, ...]:
        """The hexes at that distance that exist, clockwise from the first direction."""
        steps = FLAT if self.flat else TALL
        x, y = self.places[name]
        dx, dy = steps[self.directions[0]]
        x, y = x + radius * dx, y + radius * dy
        found = []
        for side in range(6):
            dx, dy = steps[self.directions[(side + 2) % 6]]
            for _ in range(radius):
                if (x, y) in self._at:
                    found.append(self._at[x, y])
                x, y = x + dx, y + dy
        return tuple(found)

    def within(self, name: str, radius: int) -> tuple[str, ...]:
        """All hexes up to that distance, the hex itself first, then ring by ring."""
        return (name, *(other for n in range(1, radius + 1) for other in self.ring(name, n)))
