"""Dice that an umpire forced: the next rolls of a Close show the faces they named."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, Final

from engine.kernel.fairness.dice import Dice, Drawn, Rolled, Shuffled
from engine.kernel.journal import JournalLine
from engine.kernel.replay import is_kind


class UmpiresDice:
    """Faces one after the other, then the dice of the Close; hidden chance is never forced.

    A roll is forced as a whole or not at all. Where the faces that are left do not fit the next roll (too
    few, or a face that the die lacks) they lapse and the roll is an ordinary one: a slip of the umpire must
    not bring a campaign to a halt. Journal and letters say of each roll which it was.
    """

    __slots__ = ("_faces", "_then", "source")

    def __init__(self, faces: Iterable[int], then: Dice) -> None:
        self.source = "forced"
        self._faces, self._then = deque(faces), then

    def roll(self, label: str, dice: int, sides: int) -> Rolled:
        shown = tuple(self._faces)[:dice]
        if len(shown) < dice or any(not 1 <= face <= sides for face in shown):
            self._faces.clear()
            return self._then.roll(label, dice, sides)
        for _ in shown:
            self._faces.popleft()
        return Rolled(shown, self.source)

    def draw(self, label: str, items: tuple[str, ...], count: int) -> Drawn:
        return self._then.draw(label, items, count)

    def shuffle(self, label: str, cards: tuple[str, ...]) -> Shuffled:
        return self._then.shuffle(label, cards)


def forced_faces(lines: Iterable[JournalLine]) -> list[int]:
    """The faces forced by these lines; the umpire's acts of the open window are meant."""
    rulings: list[Mapping[str, Any]] = [line.data for line in lines if is_kind(line, "ruling")]
    acts = [ruling["data"] for ruling in rulings if ruling["act"] == FORCE_DICE]
    return [face for data in acts for face in data["public"]["faces"]]


FORCE_DICE: Final = "force-dice"  # the act's name in the journal
