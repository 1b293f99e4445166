"""What a rehearsal takes for granted of what its writer does not know: each game says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.kernel.contract import Contract
from engine.kernel.requests import Answer, Ask, Seat, Segment


class Suppositions(Contract):
    """By default nothing: a rehearsal ends at the first roll, draw, reveal or question to somebody else."""

    # Questions that every seat is asked, whatever happens before: others' are answered by their silence.
    silent_topics: frozenset[str] = frozenset()
    # Of those: neither chance nor what others do bears on what a seat may answer, conditions apart.
    sealed_topics: frozenset[str] = frozenset()

    def silence(self, ask: Ask) -> Answer:
        """What somebody else does who does nothing; it takes nothing that is hidden, and shows nothing."""
        return ask.default

    def wants(self, line: Any, view: Any, window: str) -> bool:
        """May a question of the window (by its key) want that line of a sheet?"""
        return True

    def is_safe(self, line: Any, sheet: Sequence[Any], view: Any) -> bool:
        """Will a line for a later window be done there, whatever happens until then?"""
        return False

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
