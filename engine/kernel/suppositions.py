"""What a rehearsal takes for granted of what its writer does not know: each game says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.kernel.contract import Contract
from engine.kernel.errors import Refusal
from engine.kernel.requests import Answer, Ask, Seat, Segment


class Outlook:
    """What is foregone for the lines of a sheet, whatever chance and others bring until their questions come.

    It rests on the writer's view and on the order file alone. By default nothing is.
    """

    def __init__(self, view: Any, sheet: Sequence[Any], standing: Sequence[Any], window: str) -> None:
        """`window`: the key of the one for which the sheet is."""
        self.view: Any = view
        self.sheet, self.standing, self.window = sheet, standing, window

    def is_safe(self, line: Any) -> bool:
        """Will it be done when its question comes, and does that surely come?"""
        return False

    def is_idle(self, line: Any) -> bool:
        """Will nothing come of it, as no question can want it?"""
        return False

    def why_lost(self, line: Any) -> Refusal | None:
        """Why it will be refused when its question comes, if that ever does."""
        return None

    def is_spare(self, line: Any) -> bool:
        """Will another line answer in the place of one that is lost, so that nobody has to mend it?"""
        return False


class Suppositions(Contract):
    """By default nothing: a rehearsal ends at the first roll, draw, reveal or question to somebody else."""

    # Questions that every seat is asked, whatever happens before: others' are answered by their silence.
    silent_topics: frozenset[str] = frozenset()
    # Of those: neither chance nor what others do bears on what a seat may answer, conditions apart.
    sealed_topics: frozenset[str] = frozenset()

    outlook: type[Outlook] = Outlook

    def silence(self, ask: Ask) -> Answer:
        """What somebody else does who does nothing; it takes nothing that is hidden, and shows nothing."""
        return ask.default

    def positions(self, state: Any, seat: Seat) -> Sequence[Mapping[str, Any]]:
        """Positions that the seat may take this one for: of each the fields of the state that differ.

        A sheet is rehearsed on the first of them. Where that comes upon what is hidden (`Fact.is_supposed`)
        the others are tried, too, and lines are judged as all of them judge. What is supposed follows from
        what the seat sees, and from nothing else.
        """
        return ({},)

    def parts(self, view: Any, window: str) -> Sequence[Segment]:
        """The segments of a window (by its key) in which the seat may be asked something, in order.

        Where a rehearsal can follow one no further it takes up the next, on the position as it is then.
        """
        return ()
