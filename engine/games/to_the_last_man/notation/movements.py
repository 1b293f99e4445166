"""Orders that set pieces in motion: moves of every kind, shifts, withdrawals; and the end of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

from engine.board.areas import shortest_path
from engine.games.to_the_last_man.answers import DONE, LOOSE, Mode, Move, Shift, Suppress
from engine.games.to_the_last_man.notation import sight
from engine.games.to_the_last_man.notation.clauses import Clause
from engine.games.to_the_last_man.notation.forces import (
    Piece,
    Some,
    gathered,
    nations_meant,
    too_many,
    write_some,
)
from engine.games.to_the_last_man.notation.lexicon import Pen
from engine.games.to_the_last_man.state import BOX
from engine.games.to_the_last_man.view import View
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.game import Said
from engine.kernel.requests import Ask

ENDS_ONLY = ("sea", "strat", "evacuate")  # no area between is told
VERB_OF: dict[Mode, str] = {
    "move": "MOVE",
    "rail": "RAIL",
    "strat": "STRAT",
    "sea": "SEA",
    "reserves": "RESERVES",
    "withdraw": "WITHDRAW",
    "evacuate": "EVACUATE",
}


@dataclass(frozen=True, slots=True)
class Path:
    """LIE-NAM-MAU as written; LIE..MAU or TO MAU: the shortest way."""

    areas: tuple[str, ...]
    open: bool = False

    def write(self, pen: Pen) -> str:
        if self.open and len(self.areas) == 1:
            return f"{pen.clause('TO')} {self.areas[0]}"
        return ("..".join if self.open else "-".join)(self.areas)


@dataclass(frozen=True, slots=True)
class MoveOrder(Clause):
    """D12–D16, D25 One piece goes along a path."""

    topics = ("turn.act",)
    kind = "MOVE"
    piece: Piece
    path: Path | None = None
    into: str = LOOSE
    absorb: tuple[Some, ...] = ()
    mode: Mode = "move"

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        start = self._start(view)
        if self.path is None and self.into and start == view.army_at.get(self.into):
            return ShiftOrder(self.piece, self.into).attempt(ask, view, where)
        path = self._path(view, start)
        if self.piece.army:
            loose = sight.loose_in(view, path[-1], view.side)
            absorbed = gathered(self.absorb, loose, view, self.piece.army, path[-1])
            if absorbed is None:
                return None
            return Said(Move(path, army=self.piece.army, absorb=absorbed, mode=self.mode))
        units = self.piece.group(view, start, self.into)
        if units is None:
            return None
        return Said(Move(path, units=units, source=self.piece.source, into=self.into, mode=self.mode))

    def _start(self, view: View) -> str:
        """A path starts in the unit's area; without one the piece itself tells."""
        written = self.path.areas[0] if self.path is not None and len(self.path.areas) > 1 else ""
        return self.piece.stands(view) or written

    def _path(self, view: View, start: str) -> tuple[str, ...]:
        if self.path is None:
            return start, view.army_at.get(self.into, start)
        areas = self.path.areas if len(self.path.areas) > 1 else (start, *self.path.areas)
        if not self.path.open or self.mode in ENDS_ONLY or areas[0] not in view.pack.areas:
            return areas
        return self._shortest(view, areas[0], areas[-1])

    def _shortest(self, view: View, start: str, goal: str) -> tuple[str, ...]:
        """The shortest way that this kind of move allows, ties by id; without one the shortest at all."""
        borders = sight.adjacency(view)

        def passable(area: str) -> bool:
            if area == BOX or sight.stack(view, area) >= view.pack.meta.stacking_limit:
                return False  # 1.2.2-06 nobody passes through a full area
            if self.mode == "rail":
                return view.status[area] == "friendly" and area in view.was_friendly
            if self.mode == "reserves":
                return view.status[area] == "friendly"
            return view.status[area] != "disputed" or view.status[goal] != "enemy"

        found = shortest_path(borders, start, goal, passable) or shortest_path(borders, start, goal)
        return found or (start, goal)

    def refusal(self, area: str, view: View) -> Refusal | None:
        """4.1-01 A way that is written area by area leads from each to one that borders on it."""
        told, areas = self.path, view.pack.areas
        written = () if told is None or told.open or self.mode in ENDS_ONLY else told.areas
        for origin, to in pairwise(written):
            near = areas[origin].adjacent
            if to not in near and origin not in areas[to].adjacent:
                return Illegal(
                    "TTLM-4.1-01", "not-adjacent", {"area": origin, "to": to, "legal": tuple(near)}
                )
        return too_many((*self.piece.some, *self.absorb), view)

    def scope(self, ask: Ask, view: View) -> tuple[str, ...]:
        """A condition speaks of the area they go to."""
        return (self.path.areas[-1] if self.path is not None else view.army_at.get(self.into, ""),)

    def has_area(self) -> bool:
        return True

    def unclear(self, view: View) -> tuple[str, ...]:
        return nations_meant(self.piece, view, self._start(view)) if not self.into else ()

    def write(self, pen: Pen) -> str:
        parts = [pen.verb(VERB_OF[self.mode]), self.piece.write(pen)]
        if self.path is not None:
            parts.append(self.path.write(pen))
        if self.into:
            parts += [pen.clause("INTO"), self.into]
        if self.absorb:
            parts += [pen.clause("ABSORB"), write_some(self.absorb, pen)]
        return " ".join(parts)


class Reorganising(Clause):
    """8.1-03 In the movement phase, with reinforcements and in production."""

    __slots__ = ()
    topics = ("reinforce", "turn.act", "production")
    stage = 3


@dataclass(frozen=True, slots=True)
class ShiftOrder(Reorganising):
    """D05 Units change their army within an area."""

    kind = "SHIFT"
    piece: Piece
    into: str = LOOSE

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        piece = self.piece
        if piece.army:
            piece = Piece(source=piece.army, everything=True)
        area = piece.stands(view) or view.army_at.get(self.into, "")
        units = piece.group(view, area, self.into) if area else None
        return None if not units else Said(Shift(area, units, piece.source, self.into))

    def refusal(self, area: str, view: View) -> Refusal | None:
        return too_many(self.piece.some, view)

    def unclear(self, view: View) -> tuple[str, ...]:
        return nations_meant(self.piece, view, self.piece.stands(view)) if not self.into else ()

    def write(self, pen: Pen) -> str:
        goal = self.into or pen.value("LOOSE")
        return f"{pen.verb('SHIFT')} {self.piece.write(pen)}>{goal}"


@dataclass(frozen=True, slots=True)
class SuppressOrder(Clause):
    """D24"""

    topics = ("turn.act",)
    kind = "SUPPRESS"
    army: str

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        return Said(Suppress(self.army))

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('SUPPRESS')} {self.army}"


@dataclass(frozen=True, slots=True)
class DoneOrder(Clause):
    """Nothing more of this phase."""

    topics = ("reinforce", "turn.act", "production")
    kind = "DONE"
    stage: ClassVar[int] = 9
    done: Literal[True] = True

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        return Said(DONE)

    def write(self, pen: Pen) -> str:
        return pen.verb("DONE")
