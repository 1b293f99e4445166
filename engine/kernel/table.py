"""The table: runs segment after segment, settles questions, rolls, journals, and pauses at an open Ask.

A table is made in one of three ways: `Table.start` (a new campaign), `Table.resume` (snapshot, facts up to
the open seam, replay of the open segment) or `Table.replay` (every segment run again and compared). Then
`advance` runs it from one pause to the next. A table that raised is thrown away: nothing of it was kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any, Self, TypeAlias

from engine.kernel import records
from engine.kernel.errors import EngineError, NotAtSeam, RulesCrash
from engine.kernel.fairness.chance import KINDS, Chance, fixed_part, label_parts, reply_of, throw
from engine.kernel.fairness.dice import Dice
from engine.kernel.game import Game, GameSettings, Outcome, State, View, Window
from engine.kernel.journal import JOURNAL_VERSION, Codec, Journal, JournalLine, canonical, codec_of
from engine.kernel.records import ARMISTICE, Pause, Record, Snapshot
from engine.kernel.replay import Script, is_kind
from engine.kernel.requests import Answer, Ask, Fact, Procedure, Seat, Segment, Together
from engine.kernel.sheet import FiledAnswer, OrderFile
from engine.kernel.views import Views

SNAPSHOT_EVERY = 500  # lines
Automa: TypeAlias = Callable[[View, Ask], Answer]
NO_FILES: Mapping[Seat, OrderFile] = {}
NOTHING = OrderFile()


class Table:
    """One campaign in play."""

    def __init__(
        self, game: Game, pack: Any, settings: GameSettings, state: State, segment: Segment | None, dice: Dice
    ):
        self.game, self.pack, self.settings, self.state = game, pack, settings, state
        self.segment, self.dice = segment, dice
        self.codec: Codec = codec_of(game)
        self.journal = Journal()
        self.files: Mapping[Seat, OrderFile] = NO_FILES
        self.automa: Mapping[Seat, Automa] = {}
        self.record: Record | None = None
        self.pause: Pause | None = None
        self.snapshot: Snapshot | None = None
        self.window = ""  # the window that closed last
        self.t = 0
        self._procedure: Procedure | None = None
        self._reply: Any = None
        self._open: Ask | Together | None = None
        self._questions: tuple[tuple[str, Ask], ...] = ()  # of the request in hand, with their ids
        self._counts: dict[str, int] = {}  # rolls and questions of this segment, by purpose
        self._views: Views | None = None
        self._facts: list[Fact] | None = None  # since the position was looked at; None: it may be another
        self._script = Script(self.journal)
        self._seam = 0  # number of the open segment's first line
        self.had: dict[tuple[Seat, str], int] = {}  # lines of a sheet done with, where each serves once
        self._ended_by_seats: Outcome | None = None  # the seats ended the game themselves
        self.longest_tail = 0

    # ------------------------------------------------------------ ways to a table

    @classmethod
    def start(cls, game: Game, pack: Any, settings: GameSettings, dice: Dice, **header: Any) -> Self:
        """A new campaign. `header` adds the dice commitments to the first line."""
        state, segment = game.set_up(pack, settings)
        return cls.at(game, pack, settings, state, segment, dice, **header)

    @classmethod
    def at(
        cls,
        game: Game,
        pack: Any,
        settings: GameSettings,
        state: State,
        segment: Segment,
        dice: Dice,
        **header: Any,
    ) -> Self:
        """A campaign that begins in a drawn position."""
        table = cls(game, pack, settings, state, segment, dice)
        table._write(records.opening_line(game, pack, settings, segment, **header))
        return table

    @classmethod
    def resume(
        cls,
        game: Game,
        pack: Any,
        settings: GameSettings,
        snapshot: Snapshot,
        tail: Iterable[JournalLine],
        dice: Dice,
    ) -> Self:
        """Snapshot, facts up to the open seam, the open segment replayed. Costs what the tail costs."""
        lines = list(tail)
        seam = max((n for n, line in enumerate(lines) if is_kind(line, "seam")), default=0)
        table = cls.at_seam(game, pack, settings, snapshot, lines[: seam + 1], dice)
        table._script = Script(table.journal, lines[seam:], table._script.version)
        table._run()
        return table

    @classmethod
    def at_seam(
        cls,
        game: Game,
        pack: Any,
        settings: GameSettings,
        snapshot: Snapshot,
        lines: Iterable[JournalLine],
        dice: Dice,
    ) -> Self:
        """The table as it stood between two segments: the facts folded, nothing run.

        The last of the lines is the seam that follows.
        """
        table = cls(game, pack, settings, game.load(pack, json.loads(snapshot.state)), snapshot.segment, dice)
        table.window, table.t, table.snapshot = snapshot.window, snapshot.t, snapshot
        table.journal = Journal(first=snapshot.line, head=snapshot.head)
        table._script = Script(table.journal, lines, snapshot.version)
        while len(table._script.lines) > 1:
            table._fold()
        table.segment = table._script.next_segment() or snapshot.segment
        table._script = Script(table.journal, version=table._script.version)
        return table

    @classmethod
    def replay(
        cls, game: Game, pack: Any, settings: GameSettings, lines: Iterable[JournalLine], dice: Dice
    ) -> Self:
        """Every segment run again from the first line on and compared with the journal."""
        state, segment = game.set_up(pack, settings)
        table = cls(game, pack, settings, state, segment, dice)
        table._script = Script(table.journal, lines)
        header = table._script.take("open", "the beginning")
        records.check_opening(game, pack, header)
        table._script.version = header["v"]
        table._run()
        return table

    # ------------------------------------------------------------ play

    def advance(
        self, files: Mapping[Seat, OrderFile] = NO_FILES, t: int = 0, transcript: str = ""
    ) -> Pause | None:
        """From one pause to the next; None: the game is over. `t` and `transcript` are those of the Close."""
        self.files, self._facts, self.had = files, None, {}
        if (pause := self.pause) is not None:
            assert self._open is not None
            request = self._open
            self._close(pause, t, transcript)
            self._settle_all(request, closed=True)
        self._run()
        return self.pause

    def _close(self, pause: Pause, t: int, transcript: str) -> None:
        self._open, self.pause = None, None
        window = pause.window
        close = {"t": t or self.t + 1, "window": window.key, "once": window.once, "T": transcript}
        self._write({"k": "close", **close})
        self._note_close(close)

    def end_by_agreement(
        self, seats: Iterable[Seat], t: int = 0, transcript: str = "", act: str = ARMISTICE
    ) -> None:
        """ARMISTICE, or RESIGNATION: these seats end the game at a pause. Its questions stay open."""
        assert self.pause is not None, "a game is ended while it waits for letters"
        self._close(self.pause, t, transcript)
        ended = records.agreed_outcome(self.game, self.state, act, named := sorted(seats))
        self._write({**records.end_line(ended), "act": act, "seats": named})  # the umpire has no hand in it
        self._rest(ended)

    def _rest(self, ended: Outcome) -> None:
        """Nothing follows: the open segment is left where it is."""
        self._procedure, self.segment, self._reply, self._ended_by_seats = None, None, None, ended
        self._expect_end()

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, by the rules or by agreement; None: it goes on."""
        return self._ended_by_seats or self.game.outcome(self.state)

    @property
    def over(self) -> bool:
        return self.segment is None

    def view(self, seat: Seat) -> View:
        return self.game.view(self.state, seat)

    def rule(self, facts: Iterable[Fact], reason: str, act: str = "ruling") -> None:
        """Umpire facts, at a seam only: elsewhere the segment is taken back first (see branches.amend)."""
        if self._procedure is not None:
            raise NotAtSeam("facts of the umpire stand between segments")
        self.note(act, reason)
        for fact in facts:
            self._fact(fact)

    def note(self, act: str, reason: str, **data: Any) -> None:
        """An umpire's act that changes no state, journaled with its reason."""
        self._write({"k": "ruling", "act": act, "reason": reason, "data": data})

    def branch_line(self, branch: int, parent: int, dice: str, reason: str) -> None:
        """The first line of a branch's own."""
        self._write({"k": "branch", "n": branch, "from": parent, "dice": dice, "reason": reason})

    # ------------------------------------------------------------ running

    def _run(self) -> None:
        """Play segment after segment until a question stays open or the game is over."""
        while self.segment is not None and self.pause is None:
            if self._procedure is None:
                self._begin_segment(self.segment)
            self._serve(self.segment)

    def _serve(self, segment: Segment) -> None:
        """Serve the rules' requests until the segment ends or a question stays open."""
        while (procedure := self._procedure) is not None and self.pause is None:
            try:
                request = procedure.send(self._reply)
            except StopIteration as stop:
                self._reply = None
                self._end_segment(stop.value)
                return
            except EngineError:
                raise
            except Exception as error:
                raise RulesCrash(f"{segment.key}: {type(error).__name__}: {error}") from error
            self._reply = None
            kind = type(request)
            if kind is Ask:
                if request.volunteer:
                    self._reply = self._volunteer(request)
                else:
                    self._pose(request, ((self._question(request), request),))
            elif kind is Together:
                self._pose(request, tuple([(self._question(ask), ask) for ask in request.asks]))
            elif kind in KINDS:
                self._reply = self._chance(request)
            else:
                self._fact(request)

    def _begin_segment(self, segment: Segment) -> None:
        segment = self._replay_rulings(segment)
        self._snapshot_if_due(segment)
        self.segment = segment = self._replay_rulings(segment)  # a branch begins behind the snapshot
        self._seam = len(self.journal)
        self._write_raw(records.seam_line(segment))
        self._counts = {}
        self._procedure = self.game.segments[segment.name](self.state, *segment.args)

    def _replay_rulings(self, segment: Segment) -> Segment:
        """At a seam only the umpire changes the state. A branch may begin with another segment."""
        while self._script.lines and (ruled := self._script.take_if("fact")) is not None:
            self.codec.fact(ruled).apply(self.state)
        return self._script.after_fork() or segment

    def _end_segment(self, following: Segment | None) -> None:
        self._procedure = None
        self.segment = following
        if following is None:
            outcome = self.game.outcome(self.state)
            assert outcome is not None, "a game that ends has an outcome"
            self._write(records.end_line(outcome))
            self._expect_end()

    def _expect_end(self) -> None:
        """The game is over."""
        if (more := self._script.peek()) is not None:
            self._script.diverge("the game is over", canonical(more).decode("ascii"), self._where())

    def _snapshot_if_due(self, segment: Segment) -> None:
        """At the start of each turn, and every 500 lines; only here is the state hashed."""
        last = self.snapshot
        same_turn = last is not None and last.segment.turn == segment.turn
        if same_turn and last is not None and len(self.journal) - last.line < SNAPSHOT_EVERY:
            return
        state = canonical(self.game.dump(self.state))
        self._write({"k": "snapshot", "state": sha256(state).hexdigest()})
        self._keep_snapshot(state, segment)

    def _keep_snapshot(self, state: bytes, segment: Segment) -> None:
        place = (len(self.journal), self.journal.head)
        self.snapshot = Snapshot(*place, state, segment, self.window, self.t, self._script.version)

    # ------------------------------------------------------------ questions

    def _pose(self, request: Ask | Together, questions: tuple[tuple[str, Ask], ...]) -> None:
        """Settle the questions, or pause."""
        self._questions = questions
        if self._script.lines and self._script.peek() is not None:
            self._replay_questions(request)
            return
        tail = self.journal.first + len(self.journal.lines) - self._seam
        self.longest_tail = tail if tail > self.longest_tail else self.longest_tail
        self._settle_all(request, closed=False)

    def _volunteer(self, ask: Ask) -> Answer:
        """What the seat does of its own accord; nobody waits for it."""
        question = self._question(ask)
        if self._script.lines and self._script.peek() is not None:
            return self._replay_answer(question, ask)
        settled = self._settle(question, ask, closed=False)
        assert not isinstance(settled, Window)
        return self._record_answer(question, ask, settled)

    def _question(self, ask: Ask) -> str:
        """The question's id; counts how often this seat was asked this at this place in this segment."""
        key = f"{ask.topic}@{ask.at}/{ask.seat}"
        n = self._counts[key] = self._counts.get(key, 0) + 1
        return key if n == 1 else f"{key}#{n}"

    def _settle_all(self, request: Ask | Together, closed: bool) -> None:
        """Journal the answers and hand them to the rules, or pause. Sealed answers come to light together."""
        only = self._settle(*self._questions[0], closed) if type(request) is Ask else None
        if isinstance(only, FiledAnswer):  # nearly always
            self._reply = self._record_answer(*self._questions[0], only)
            return
        settled = [only] if only else [self._settle(*put, closed) for put in self._questions]
        if windows := [one for one in settled if isinstance(one, Window)]:
            self._wait(request, windows)
            return
        found = [one for one in settled if isinstance(one, FiledAnswer)]
        answers = [self._record_answer(*put, one) for put, one in zip(self._questions, found, strict=True)]
        self._reply = tuple(answers)

    def _record_answer(self, question: str, ask: Ask, found: FiledAnswer) -> Answer:
        """Journal an answer; an act that a seat did not volunteer leaves no line.

        The first answer that is not on record ends it; an act newly volunteered is such an answer.
        """
        answer = found.answer
        if not ask.volunteer or (answer is not ask.default and answer != ask.default):
            self._write_raw(records.answer_line(question, ask, found))
            if self.record is not None and found.by != "recorded":
                self.record.ended()
                self.record = None
        return answer

    def _settle(self, question: str, ask: Ask, closed: bool) -> FiledAnswer | Window:
        """Record, sheet, standing order, forced, automa; default if the window closed; else the window."""
        view = self._look(ask.seat)
        if self.record is not None and question in self.record.answers:
            recorded = self.record.answers[question]
            if ask.options.contains(recorded):
                return FiledAnswer(recorded, "recorded")
        on_file = self.files.get(ask.seat) or (NOTHING if ask.plan else None)
        if on_file is not None:
            settled = self._from_file(on_file, question, ask, view, closed)
            if settled is not None:
                return settled
        if not ask.secret and (only := ask.options.only()) is not None:
            return FiledAnswer(only[0], "forced")
        if (automa := self.automa.get(ask.seat)) is not None:
            return records.automa_answer(ask, automa(view, ask))
        if closed or ask.volunteer:
            return FiledAnswer(ask.default, "default")
        window = self.game.window(self.state, ask, self.settings.tempo)
        return FiledAnswer(ask.default, "default") if window.key == self.window else window

    def _look(self, seat: Seat) -> View:
        """What the seat sees now; only what the facts since the last look have changed is looked at again."""
        if self._views is None:
            self._views = self.game.views(self.state)
        elif self._facts != []:
            self._views.look_again(self._facts)
        self._facts = []
        return self._views(seat)

    def _from_file(
        self, on_file: OrderFile, question: str, ask: Ask, view: View, closed: bool
    ) -> FiledAnswer | Window | None:
        """What is on file answers a public question at once, a secret one only when its window closes.

        So no pause depends on what is on file where anything is secret, but for the seat's own
        unconditional ASK.
        """
        if not (closed or ask.volunteer):
            window = self.game.window(self.state, ask, self.settings.tempo)
            if window.key == self.window:
                if on_file.wants_to_be_asked(ask):
                    return Window(question, (ask.seat,), once=True)
            elif ask.secret or not (window.once or window.public) or on_file.wants_to_be_asked(ask):
                return None
        return self._find(on_file, question, ask, view)

    def _find(self, on_file: OrderFile, question: str, ask: Ask, view: View) -> FiledAnswer | None:
        """A question that is put again and again takes the sheet's lines one after the other.

        A line that `stays` (a policy) serves as often as it is asked.
        """
        notation = self.game.notation
        if ask.topic not in notation.sequence_topics:
            return on_file.find(ask, question, view, notation)
        after = self.had.get((ask.seat, ask.topic), 0)
        found = on_file.find(ask, question, view, notation, after)
        if found is not None and found.by == "sheet" and found.line is not None:
            self.had[ask.seat, ask.topic] = on_file.sheet.index(found.line, after) + (not found.line.stays)
        return found

    def _wait(self, request: Ask | Together, windows: list[Window]) -> None:
        """Pause. A window of several questions waits for all seats concerned."""
        seats = tuple(sorted({seat for window in windows for seat in window.seats}))
        window = Window(windows[0].key, seats, windows[0].once)
        self._open, self.pause = request, Pause(window, self._questions)
        self._write({"k": "pause", "window": window.key, "seats": seats, "once": window.once})

    # ------------------------------------------------------------ chance and facts

    def _chance(self, request: Chance) -> Any:
        """From the script while it lasts, else from the dice, and journaled."""
        why, what = label_parts(request)
        label = ""
        if what:
            purpose = f"{why}/{what}"  # a hidden draw leaves no gap in the numbers of rolls
            n = self._counts[purpose] = self._counts.get(purpose, 0) + 1
            label = f"{self._where()}/{why}/{n}/{what}"
        if self._script.lines:
            known = fixed_part(request, label)
            return reply_of(request, self._script.take(KINDS[type(request)], self._where(), **known))
        line, reply = throw(request, label, self.dice)
        self._write_raw(line)
        return reply

    def _fact(self, fact: Fact) -> None:
        self._write_raw(self.codec.fact_line(fact))
        fact.apply(self.state)
        if self._facts is not None:
            self._facts.append(fact)

    # ------------------------------------------------------------ the journal, written or replayed

    def _where(self) -> str:
        return self.segment.key if self.segment else "the end"

    def _write(self, line: Mapping[str, Any]) -> None:
        self._write_raw(canonical(line))

    def _write_raw(self, raw: bytes) -> None:
        """Append a line; while a script lasts, the line must stand there already."""
        script = self._script
        if script.lines:
            script.expect(raw, self._where())
            return
        if script.version != JOURNAL_VERSION:  # all that this program writes is in its own form
            script.version = JOURNAL_VERSION
            self.journal.append(canonical({"k": "version", "v": JOURNAL_VERSION}))
        self.journal.append(raw)

    def _replay_questions(self, request: Ask | Together) -> None:
        """Answer the questions from the script, or rest at its last pause, which is never a volunteer's."""
        script = self._script
        waits = not all(ask.volunteer for _, ask in self._questions)
        while waits and (paused := script.take_if("pause")) is not None:
            if script.peek() is None:
                window = Window(paused["window"], tuple(paused["seats"]), paused["once"])
                self._open, self.pause = request, Pause(window, self._questions)
                return
            self._note_close(script.take("close", self._where(), window=paused["window"]))
            if (end := script.take_if("end")) is not None:  # the rules end no game before the answers
                self._rest(Outcome.from_dict(end))
                return
        answers = [self._replay_answer(question, ask) for question, ask in self._questions]
        self._reply = tuple(answers) if type(request) is Together else answers[0]

    def _replay_answer(self, question: str, ask: Ask) -> Answer:
        """An act that a seat did not volunteer left no line."""
        if ask.volunteer:
            ahead = self._script.peek()
            if ahead is None or ahead["k"] != "answer" or records.question_id(ahead) != question:
                return ask.default
        data = self._script.take("answer", self._where(), seat=ask.seat, topic=ask.topic, at=ask.at)
        return self.codec.answer(ask.topic, data["answer"])

    def _fold(self) -> None:
        """The past is rebuilt from facts alone; of the rules only Fact.apply is needed."""
        data = self._script.next()
        if data["k"] == "fact":
            self.codec.fact(data).apply(self.state)
        elif data["k"] == "close":
            self._note_close(data)
        elif data["k"] == "snapshot":
            self._fold_snapshot(data["state"])

    def _fold_snapshot(self, hashed: str) -> None:
        """An older snapshot was taken up: on the way the newer ones are made again, and compared."""
        state = canonical(self.game.dump(self.state))
        if sha256(state).hexdigest() != hashed:
            self._script.diverge(sha256(state).hexdigest(), hashed, "a snapshot")
        if (following := self._script.next_segment()) is not None:
            self._keep_snapshot(state, following)

    def _note_close(self, close: Mapping[str, Any]) -> None:
        self.t = close["t"]
        if not close["once"]:
            self.window = close["window"]
