"""A sheet run on a copy of the table, as far as its writer's own knowledge goes.

The copy stands in a position that the writer may take the real one for: nothing hidden is at hand, others do
what they do without a word, and the game says what else is supposed (`Suppositions`). As long as nothing but
the writer's own orders decides what happens, lines are judged for certain. Behind a roll, a draw, a reveal or
a question to somebody else they are tried no less, and a line is "not tested yet" whatever that comes to.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from engine.kernel.errors import Refusal
from engine.kernel.fairness.chance import Chance
from engine.kernel.game import Line, ReceiptBoard, View, Window
from engine.kernel.requests import Ask, Fact, Seat, Segment, Together
from engine.kernel.sheet import FiledAnswer, OrderFile
from engine.kernel.suppositions import Outlook
from engine.kernel.table import Table


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the receipt says of one line. An untested line may carry what would refuse it as things stand.

    `idle`: surely nothing comes of it, and it does no harm: a line above it answers its question, no question
    will want it, or it is passed over for the reason it carries.
    """

    line: Line
    status: Literal["accepted", "refused", "untested", "idle"]
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
    closed: Window  # the window for which the sheet is
    certain: bool = True  # has nothing but the writer's own orders decided so far?
    sealed: bool = True  # … or what others could do at most bears on nothing (`Suppositions.sealed_topics`)?
    is_over: bool = False  # no question of the window is left
    depends: bool = False  # on what was supposed of hidden things
    # Lines, by identity: one line of a text may hold several orders.
    used: set[int]  # they answer for certain
    refused: dict[int, Refusal]  # not offered, for certain
    idle: dict[int, Refusal | None]  # passed over for certain, as another line answers the question
    doubts: dict[int, Refusal]  # not offered as things are supposed
    tried: set[int]  # they would answer as things are supposed
    last: View = None  # for lines of a plan: as the writer saw the board where their own orders had led
    outlook: Outlook | None = None
    shows: ReceiptBoard | None = None  # what of it is to be seen
    happened: list[Fact]
    board: BoardAfter | None = None

    # ------------------------------------------------------------ questions

    def _settle_all(self, request: Ask | Together, closed: bool) -> None:
        """Of questions asked together the writer's own come first: what others answer they do not know."""
        others = [ask for _, ask in self._questions if ask.seat != self.seat and not ask.volunteer]
        if all(map(self._is_foreseen, others)):
            super()._settle_all(request, closed)
            self.certain = self.certain and not others
            self.sealed = self.sealed and all(map(self._is_sealed, others))
            return
        for question, ask in self._questions:
            if ask.seat == self.seat:
                self._settle(question, ask, closed)
        self.is_over = self.is_over or all(map(self._is_of_another_window, others))
        raise _RehearsalEnds

    def _settle(self, question: str, ask: Ask, closed: bool) -> FiledAnswer | Window:
        if ask.seat != self.seat:
            return FiledAnswer(self.game.suppositions.silence(ask), "default")
        if not closed and self._is_of_another_window(ask):
            self.is_over = True
            raise _RehearsalEnds
        view, on_file = self._look(ask.seat), self.files[self.seat]
        after = self.had.get((ask.seat, ask.topic), 0)
        found = self._find(on_file, question, ask, view)
        by_sheet = found is not None and found.by == "sheet"
        until = self.had.get((ask.seat, ask.topic)) if by_sheet else None  # None: all that are left
        left_out = found.left_out if found is not None else ()
        bad = (*on_file.refused(ask, view, after, until), *left_out)
        self._note_refused(ask, view, bad, found if by_sheet else None)
        if found is not None and found.line is not None and by_sheet:
            self._note_used(ask, view, found, alone=not bad)
            if self.shows is None and all(id(line) in self.used for line in on_file.sheet):
                self.is_over = True  # all of it is accepted, whatever follows
                raise _RehearsalEnds
        return found or FiledAnswer(ask.default, "default")

    def _note_refused(
        self, ask: Ask, view: View, bad: tuple[tuple[Line, Refusal], ...], found: FiledAnswer | None
    ) -> None:
        """Of a chain the next line serves: nobody has to mend those above it."""
        chained = found is not None and ask.topic in self.game.notation.chained_topics
        for line, refusal in bad:
            if not self._is_certain(ask, line, view):
                self.doubts.setdefault(id(line), refusal)
            elif chained:
                self.idle.setdefault(id(line), refusal)
            else:
                self.refused.setdefault(id(line), refusal)

    def _note_used(self, ask: Ask, view: View, found: FiledAnswer, *, alone: bool) -> None:
        """What a seat does without a word it may do whatever happens, where the question surely comes."""
        assert found.line is not None
        given = [(found.line, False), *((line, True) for line in found.also)]
        lines = {id(line) for line, beside in given if not line.slot() and line.serves(ask, beside)}
        sheet = self.files[self.seat].sheet
        usual = ask.topic in self.game.suppositions.silent_topics and found.answer == ask.default
        if self._is_certain(ask, found.line, view):
            self.used.update(lines)
            spare = [line for line in found.spare if line.serves(ask, beside=True)]
            notation = self.game.notation
            if ask.topic not in notation.joint_topics | notation.sequence_topics:
                below = sheet[sheet.index(found.line) + 1 :]
                spare += [line for line in below if line.is_meant(ask, view) and line.serves(ask)]
            self.idle = {**{id(line): None for line in spare}, **self.idle}
        elif usual and alone and not any(line.is_weighed(ask, view) for line in sheet):
            self.used.update(lines)
        else:
            self.tried.update(lines)

    def _is_certain(self, ask: Ask, line: Line, view: View) -> bool:
        """A condition may speak of what others have done meanwhile."""
        return self.certain or (self._is_sealed(ask) and not line.is_weighed(ask, view))

    def _is_sealed(self, ask: Ask) -> bool:
        return ask.topic in self.game.suppositions.sealed_topics

    def _is_foreseen(self, ask: Ask) -> bool:
        """Somebody else's question goes by without a word; so does that of an ally who shares the turn."""
        if ask.seat in self.closed.seats and ask.seat in self.game.allies(self.state, self.seat):
            return True
        return ask.topic in self.game.suppositions.silent_topics and not self._is_of_another_window(ask)

    def _is_of_another_window(self, ask: Ask) -> bool:
        """Will other letters answer it? Not where what is on file answers at once, or each by itself."""
        if ask.volunteer or self.closed.once:
            return False
        window = self.game.window(self.state, ask, self.settings.tempo)
        return window.key != self.window and not window.once and (ask.secret or not window.public)

    # ------------------------------------------------------------ what happens

    def _fact(self, fact: Fact) -> None:
        if fact.reveals and not self._script.lines:
            if not fact.is_supposed:
                raise _RehearsalEnds
            self.depends = True
        super()._fact(fact)
        if self.shows is not None:
            self.happened.append(fact)

    def _chance(self, request: Chance) -> Any:
        if not self._script.lines:
            raise _RehearsalEnds
        return super()._chance(request)

    def _begin_segment(self, segment: Segment) -> None:
        if self.shows is not None and segment.name in self.shows.until:
            self.look()
        super()._begin_segment(segment)

    def _snapshot_if_due(self, segment: Segment) -> None:
        if self._script.lines:  # only what is on record: nobody takes up a rehearsal
            super()._snapshot_if_due(segment)

    def look(self) -> None:
        """The board as it stands now, unless it was looked at before or nothing has changed on it."""
        shows, self.shows = self.shows, None
        names = {type(fact).__name__ for fact in self.happened}
        if shows is not None and (self.used or self.tried) and not names.isdisjoint(shows.facts):
            self.board = BoardAfter(self.view(self.seat), tuple(self.happened))

    # ------------------------------------------------------------ the course of it

    def play(self, on_file: OrderFile, parts: list[Segment]) -> None:
        """To the end of what can be followed; then each further part of the window from its beginning."""
        with suppress(_RehearsalEnds):
            self.advance({self.seat: on_file})
        self.look()
        self.is_over = self.is_over or self.over
        if any(line.is_planned for line in on_file.sheet):
            self.last = self.view(self.seat)
        while not self.is_over and (following := self._next_of(parts)) is not None:
            self.certain = self.sealed = False
            self._procedure, self._reply, self.segment = None, None, following
            with suppress(_RehearsalEnds):
                self._run()

    def _next_of(self, parts: list[Segment]) -> Segment | None:
        if self.segment is None or self.segment not in parts:
            return None
        rest = parts[parts.index(self.segment) + 1 :]
        return rest[0] if rest else None

    def verdict(self, line: Line, view: View) -> Verdict:
        """`view`: as the writer sees the board now."""
        it = id(line)
        if (refusal := line.out_of_turn(view)) is not None:
            return Verdict(line, "refused", refusal)
        if it in self.used:
            return Verdict(line, "accepted")
        if (refusal := line.never(view)) is not None:
            return Verdict(line, "idle" if line.may_fail else "refused", refusal)
        if it in self.refused:
            return Verdict(line, "idle" if line.may_fail else "refused", self.refused[it])
        if it in self.idle:
            return Verdict(line, "idle", self.idle[it])
        if (foregone := self._foregone(line, view)) is not None:
            return foregone
        if it not in self.tried and it not in self.doubts and self._is_unwanted(line, view):
            return Verdict(line, "idle", line.check(view) if line.is_over(view) else None)
        doubt = None if it in self.tried else self.doubts.get(it) or line.check(view)
        return Verdict(line, "untested", doubt)

    def _foregone(self, line: Line, view: View) -> Verdict | None:
        """What will come of it, however the rehearsal went on; None: that is open.

        In an exchange of one question only what is surely done later is told of the lines for other rounds.
        """
        if self.closed.once and not line.is_ahead(view):
            return None
        if self.outlook is None:
            on_file = self.files[self.seat]
            known = (view, on_file.sheet, on_file.standing, self.closed.key)
            self.outlook = self.game.suppositions.outlook(*known)
        if self.outlook.is_safe(line):
            return Verdict(line, "accepted")
        if self.closed.once:
            return None
        if self.outlook.is_idle(line):
            return Verdict(line, "idle")
        if (refusal := self.outlook.why_lost(line)) is not None:
            passed_over = line.may_fail or self.outlook.is_spare(line)
            return Verdict(line, "idle" if passed_over else "refused", refusal)
        return None

    def _is_unwanted(self, line: Line, view: View) -> bool:
        """Can no question of the window want it, or has that come to its end for certain without one?"""
        if line.is_ahead(view):
            return False
        if line.is_over(view):
            return True
        if not self.is_over:
            return False
        if line.is_planned and (self.last is None or self.game.notation.is_in_force(line.plan, self.last)):
            return False
        return self.certain or (self.sealed and not (line.is_planned or line.contingent))


def judge_sheet(table: Table, seat: Seat, on_file: OrderFile) -> tuple[Verdict, ...]:
    """A verdict for each line of the sheet."""
    return rehearse(table, seat, on_file).verdicts


def rehearse(table: Table, seat: Seat, on_file: OrderFile) -> Rehearsal:
    """The sheet's lines judged, and the board they lead to. The table itself is not touched."""
    first, *others = table.game.suppositions.positions(table.state, seat)
    view = table.view(seat)
    run = _run(table, seat, on_file, first, view)
    verdicts = tuple(run.verdict(line, view) for line in on_file.sheet)
    if run.depends:
        for supposed in others:
            other = _run(table, seat, on_file, supposed, view)
            verdicts = tuple(_agreed(one, other.verdict(one.line, view)) for one in verdicts)
    return Rehearsal(verdicts, run.board)


def _run(table: Table, seat: Seat, on_file: OrderFile, supposed: Mapping[str, Any], view: View) -> _Rehearsal:
    assert table.snapshot is not None and table.pause is not None, "a rehearsal starts from a pause"
    tail, game = table.journal.since(table.snapshot.line), table.game
    copy = _Rehearsal.resume(game, table.pack, table.settings, table.snapshot, tail, table.dice)
    copy.seat, copy.closed = seat, table.pause.window
    copy.used, copy.refused, copy.idle, copy.doubts, copy.tried = set(), {}, {}, {}, set()
    copy.shows, copy.happened = game.receipt_board, []
    for name, value in supposed.items():
        setattr(copy.state, name, value)
    copy.play(on_file, list(game.suppositions.parts(view, table.pause.window.key)))
    return copy


def _agreed(one: Verdict, other: Verdict) -> Verdict:
    """Two positions that the writer cannot tell apart: what they judge differently is not tested."""
    if one.status == other.status:
        return one
    nothing = {one.status, other.status} == {"refused", "idle"}
    return Verdict(one.line, "idle" if nothing else "untested")
