"""A sheet run on a copy of the table, as far as its writer may see.

That is up to the first roll, draw, shuffle, reveal or question to somebody else.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from engine.kernel.errors import Refusal
from engine.kernel.fairness.chance import Chance
from engine.kernel.game import Line, ReceiptBoard, View, Window
from engine.kernel.requests import Ask, Fact, Seat, Segment, Together
from engine.kernel.sheet import FiledAnswer, OrderFile
from engine.kernel.table import Table


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the receipt says of one line. An untested line may carry what would refuse it as things stand."""

    line: Line
    status: Literal["accepted", "refused", "untested"]
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class BoardAfter:
    """What the writer would see after these orders, and the facts that lead there."""

    view: View
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What a rehearsal came to."""

    verdicts: tuple[Verdict, ...]  # one for each line of the sheet
    board: BoardAfter | None = None  # None: the game shows none, or the orders change nothing on it


class _RehearsalEnds(Exception):
    """The rehearsal may not go on: what follows is not the writer's to know."""


class _Rehearsal(Table):
    """A table at which only one seat plays, and nothing hidden comes to light."""

    seat: Seat
    used: dict[int, Line]
    refused: dict[int, Refusal]
    closed: Window | None = None  # the window for which the sheet is
    supposes: bool = False  # that an ally does nothing: what is refused then is only doubtful
    passed_over: dict[int, Refusal]  # not offered, but another line of the sheet answers the question
    shows: ReceiptBoard | None = None  # what of it is to be seen
    happened: list[Fact]
    board: BoardAfter | None = None

    def _settle_all(self, request: Ask | Together, closed: bool) -> None:
        """Of questions asked together the writer's own come first: the others' end the rehearsal."""
        if any(self._is_anothers(ask) for _, ask in self._questions):
            for question, ask in self._questions:
                if ask.seat == self.seat:
                    self._settle(question, ask, closed)
            raise _RehearsalEnds
        super()._settle_all(request, closed)

    def _settle(self, question: str, ask: Ask, closed: bool) -> FiledAnswer | Window:
        if self._is_anothers(ask):
            raise _RehearsalEnds
        if ask.seat != self.seat:
            self.supposes = self.supposes or not ask.volunteer
            return FiledAnswer(ask.default, "default")
        view, on_file = self.game.view(self.state, ask.seat), self.files[self.seat]
        after = self.had.get((ask.seat, ask.topic), 0)
        found = self._find(on_file, question, ask, view)
        by_sheet = found is not None and found.line is not None and found.by == "sheet"
        chained = by_sheet and ask.topic in self.game.notation.chained_topics
        doubtful = chained or self.supposes  # of a chain the next line serves
        noted = self.passed_over if doubtful else self.refused
        until = self.had.get((ask.seat, ask.topic)) if by_sheet else None  # None: all that are left
        left_out = found.left_out if found is not None else ()
        for line, refusal in (*on_file.refused(ask, view, after, until), *left_out):
            noted.setdefault(line.number, refusal)
        if found is not None and found.line is not None and by_sheet and not self._is_tacit(found.line, ask):
            self.used[found.line.number] = found.line
            self.used.update({line.number: line for line in found.also if not line.slot()})
        return found or FiledAnswer(ask.default, "default")

    def _is_anothers(self, ask: Ask) -> bool:
        """An ally who shares the turn is supposed to do nothing: what they do is not shown here, either."""
        if ask.seat == self.seat or ask.volunteer:
            return False
        assert self.closed is not None
        allies = self.game.allies(self.state, self.seat)
        return ask.seat not in self.closed.seats or ask.seat not in allies

    def _is_tacit(self, line: Line, ask: Ask) -> bool:
        """It answers by being there: that says nothing of what it orders."""
        return ask.topic in self.game.notation.tacit_topics and ask.topic not in line.topics

    def _fact(self, fact: Fact) -> None:
        if fact.reveals and not self._script.lines:
            raise _RehearsalEnds
        super()._fact(fact)
        if self.shows is not None:
            self.happened.append(fact)

    def _begin_segment(self, segment: Segment) -> None:
        if self.shows is not None and segment.name in self.shows.until:
            self.look()
        super()._begin_segment(segment)

    def look(self) -> None:
        """The board as it stands now, unless it was looked at before or nothing has changed on it."""
        shows, self.shows = self.shows, None
        names = {type(fact).__name__ for fact in self.happened}
        if shows is not None and self.used and not names.isdisjoint(shows.facts):
            self.board = BoardAfter(self.view(self.seat), tuple(self.happened))

    def _chance(self, request: Chance) -> Any:
        if not self._script.lines:
            raise _RehearsalEnds
        return super()._chance(request)


def judge_sheet(table: Table, seat: Seat, on_file: OrderFile) -> tuple[Verdict, ...]:
    """A verdict for each line of the sheet."""
    return rehearse(table, seat, on_file).verdicts


def rehearse(table: Table, seat: Seat, on_file: OrderFile) -> Rehearsal:
    """The sheet's lines judged, and the board they lead to. The table itself is not touched."""
    assert table.snapshot is not None and table.pause is not None, "a rehearsal starts from a pause"
    tail = table.journal.since(table.snapshot.line)
    copy = _Rehearsal.resume(table.game, table.pack, table.settings, table.snapshot, tail, table.dice)
    copy.seat, copy.used, copy.refused, copy.passed_over = seat, {}, {}, {}
    copy.shows, copy.happened, copy.closed = table.game.receipt_board, [], table.pause.window
    with suppress(_RehearsalEnds):
        copy.advance({seat: on_file})
    copy.look()
    view = table.view(seat)
    return Rehearsal(tuple(_verdict(copy, line, view) for line in on_file.sheet), copy.board)


def _verdict(copy: _Rehearsal, line: Line, view: View) -> Verdict:
    if (refusal := line.out_of_turn(view)) is not None:
        return Verdict(line, "refused", refusal)
    if line.number in copy.used:
        return Verdict(line, "accepted")
    if (refusal := line.never(view)) is not None:
        return Verdict(line, "refused", refusal)
    if line.number in copy.refused:
        return Verdict(line, "untested" if line.may_fail else "refused", copy.refused[line.number])
    return Verdict(line, "untested", copy.passed_over.get(line.number, line.check(view)))
