"""What letters say of dice: faces, and rolls in a form that the checker reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from engine.kernel.fairness.history import Throw
from engine.kernel.pack import GamePack

MOST_ROLLS = 40  # told one by one; more of them in one line a battle


@dataclass(frozen=True, slots=True)
class RollLine:
    """One line of a letter's dice, the same in every language: `#7 T1.R1/attack.DE/1/d6 = 4`."""

    written: str
    throw: Throw | None = None  # None: several


def roll_lines(throws: Sequence[Throw]) -> list[RollLine]:
    """One line a roll; of more than forty one line a battle, with their numbers and the faces in order."""
    if len(throws) <= MOST_ROLLS:
        return [RollLine(f"#{one.number} {one.label} = {_faces([one])}", one) for one in throws]
    battles = (list(rolled) for _, rolled in groupby(throws, key=lambda one: (one.close, one.segment)))
    return [
        RollLine(f"#{some[0].number}-{some[-1].number} {some[0].segment} = {_faces(some)}")
        for some in battles
    ]


def _faces(throws: Iterable[Throw]) -> str:
    return ", ".join(" ".join(map(str, one.faces)) for one in throws)


def face_writer(pack: GamePack) -> Callable[[int], str]:
    """A face as letters show it: S for a 5 or a 6 in The First World War."""
    faces = pack.die_faces
    return (lambda face: faces[face - 1]) if faces else str
