"""A sheet run on a copy of the table, as far as its writer may see.

That is up to the first roll, draw, shuffle, reveal or question to somebody else.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from engine.kernel.chance import Chance
from engine.kernel.errors import Refusal
from engine.kernel.game import Line, Window
from engine.kernel.requests import Ask, Fact, Seat, Together
from engine.kernel.sheet import Found, OnFile
from engine.kernel.table import Table


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the receipt says of one line. An untested line may carry what would refuse it as things stand."""

    line: Line
    status: Literal["accepted", "refused", "untested"]
    refusal: Refusal | None = None


class _CurtainDown(Exception):
    """The rehearsal may not go on: what follows is not the writer's to know."""


class _Rehearsal(Table):
    """A table at which only one seat plays, and nothing hidden comes to light."""

    seat: Seat
    used: dict[int, Line]
    refused: dict[int, Refusal]
    passed_over: dict[int, Refusal]  # not offered, but another line of the sheet answers the question

    def _settle_all(self, request: Ask | Together, closed: bool) -> None:
        """Of questions asked together the writer's own come first: the others' end the rehearsal."""
        if any(ask.seat != self.seat and not ask.volunteer for _, ask in self._questions):
            for question, ask in self._questions:
                if ask.seat == self.seat:
                    self._settle(question, ask, closed)
            raise _CurtainDown
        super()._settle_all(request, closed)

    def _settle(self, question: str, ask: Ask, closed: bool) -> Found | Window:
        if ask.seat != self.seat:
            if ask.volunteer:
                return Found(ask.default, "default")
            raise _CurtainDown
        view, on_file = self.game.view(self.state, ask.seat), self.files[self.seat]
        after = self._had.get((ask.seat, ask.topic), 0)
        found = self._find(on_file, question, ask, view)
        by_sheet = found is not None and found.line is not None and found.by == "sheet"
        chained = by_sheet and ask.topic in self.game.notation.chained_topics
        noted = self.passed_over if chained else self.refused  # of a chain the next line serves
        until = self._had.get((ask.seat, ask.topic)) if by_sheet else None  # None: all that are left
        for line, refusal in on_file.refused(ask, view, after, until):
            noted.setdefault(line.number, refusal)
        if found is not None and found.line is not None and by_sheet and not self._is_tacit(found.line, ask):
            self.used[found.line.number] = found.line
            self.used.update({line.number: line for line in found.also if not line.slot()})
        return found or Found(ask.default, "default")

    def _is_tacit(self, line: Line, ask: Ask) -> bool:
        """It answers by being there: that says nothing of what it orders."""
        return ask.topic in self.game.notation.tacit_topics and ask.topic not in getattr(line, "topics", ())

    def _fact(self, fact: Fact) -> None:
        if getattr(fact, "reveals", False) and not self._script:
            raise _CurtainDown
        super()._fact(fact)

    def _chance(self, request: Chance) -> Any:
        if not self._script:
            raise _CurtainDown
        return super()._chance(request)


def rehearse(table: Table, seat: Seat, on_file: OnFile) -> tuple[Verdict, ...]:
    """A verdict for each line of the sheet. The table itself is not touched."""
    assert table.snapshot is not None and table.pause is not None, "a rehearsal starts from a pause"
    tail = table.journal.since(table.snapshot.line)
    copy = _Rehearsal.resume(table.game, table.pack, table.settings, table.snapshot, tail, table.dice)
    copy.seat, copy.used, copy.refused, copy.passed_over = seat, {}, {}, {}
    with suppress(_CurtainDown):
        copy.advance({seat: on_file})
    view = table.view(seat)
    return tuple(_verdict(copy, line, line.check(view)) for line in on_file.sheet)


def _verdict(copy: _Rehearsal, line: Line, doubt: Refusal | None) -> Verdict:
    if line.number in copy.used:
        return Verdict(line, "accepted")
    if line.number in copy.refused:
        return Verdict(line, "refused", copy.refused[line.number])
    return Verdict(line, "untested", copy.passed_over.get(line.number, doubt))
