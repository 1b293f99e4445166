"""What letters say of dice: faces, rolls in a form that the checker reads, the mark of a player's letter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from engine.kernel.fairness.audit import SentMark
from engine.kernel.fairness.history import Throw
from engine.kernel.pack import GamePack
from pbem.letters.memo import Heading, Note, Part, Passage

MOST_ROLLS = 40  # told one by one; more of them in one line a battle


@dataclass(frozen=True, slots=True)
class Mark:
    """What a letter adds to the dice: the parts of its mark, as they were received, and its place."""

    seat: str
    before: int  # the last Close; it goes into the one that follows
    place: int  # among the seat's letters since then
    sent: SentMark

    def written(self) -> Passage:
        """For the checker: the same in every language."""
        return Passage((f"mark {self.seat} {self.before}.{self.place}", self.sent.mark.hex()))


def tell_marks(marks: Sequence[Mark]) -> list[Part]:
    """In the letter's answer."""
    parts: list[Part] = []
    for mark in marks:
        parts += [Note("receipt-mark", {"mark": mark.sent}), mark.written()]
    return [Heading(Note("receipt-dice")), *parts] if parts else []


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


def luck_value(pack: GamePack) -> Callable[[Throw, int], int]:
    """What a face counts in the luck account."""
    return lambda throw, face: pack.face_value(face)
