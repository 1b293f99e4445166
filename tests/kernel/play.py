"""Tables for the kernel's tests: the toy game or a single procedure, played, stored and taken up again."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.kernel.branches import Course
from engine.kernel.fairness.dice import Dice, TestDice
from engine.kernel.game import Game, GameSettings, Outcome, Tempo
from engine.kernel.journal import JournalLine, canonical, chain
from engine.kernel.records import Pause, Snapshot
from engine.kernel.requests import Answer, Ask, Procedure, Seat, Segment
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Table
from tests.kernel.toy import GAME, State, Toy

Player = Callable[[Ask], Answer]


class Lone(Toy):
    """The toy with one procedure instead of its own segments."""

    id = "lone"

    def __init__(self, procedure: Callable[..., Procedure], key: str = "T1.lone") -> None:
        self.segments = {"lone": procedure}
        self.first = Segment("lone", key)

    def set_up(self, pack: Any, settings: GameSettings) -> tuple[State, Segment]:
        return State(pack), self.first

    def outcome(self, state: State) -> Outcome | None:
        return Outcome((), "done")


def by_default(ask: Ask) -> Answer:
    return ask.default


def at_random(seed: int) -> Player:
    """Answers that depend on the seed and the question alone."""
    return lambda ask: ask.options.sample(random.Random(f"{seed}/{ask.topic}/{ask.at}/{ask.seat}"))


def orders(text: str, game: Game = GAME) -> OrderFile:
    """A file with that sheet and, behind ALWAYS, those standing orders."""
    reading = game.notation.read(text, None)
    assert reading.refusals == ()
    return OrderFile(reading.orders, reading.standing)


def replies(pause: Pause, player: Player) -> dict[Seat, OrderFile]:
    """A reply to each open question."""
    by_seat: dict[Seat, dict[str, Answer]] = {}
    for question, ask in pause.asks:
        by_seat.setdefault(ask.seat, {})[question] = player(ask)
    return {seat: OrderFile(replies=answers) for seat, answers in by_seat.items()}


@dataclass
class Campaign:
    """A table and all that a store would keep of it."""

    table: Table
    snapshots: list[Snapshot] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        game: Game = GAME,
        tempo: Tempo = "strict",
        dice: Dice | int = 1,
        settings: GameSettings | None = None,
    ) -> Campaign:
        dice = TestDice(dice) if isinstance(dice, int) else dice
        return cls(Table.start(game, game.load_pack(), settings or GameSettings(tempo=tempo), dice))

    def advance(self, files: Mapping[Seat, OrderFile] | None = None) -> Pause | None:
        pause = self.table.advance(files or {})
        self.keep_snapshot()
        return pause

    def keep_snapshot(self) -> None:
        snapshot = self.table.snapshot
        if snapshot is not None and snapshot not in self.snapshots:
            self.snapshots.append(snapshot)

    def play(self, player: Player = by_default, pauses: int = 1000) -> Campaign:
        """On from pause to pause, every question answered by a reply."""
        for _ in range(pauses):
            pause = self.table.pause
            if self.advance(replies(pause, player) if pause else {}) is None:
                break
        return self

    @property
    def lines(self) -> list[JournalLine]:
        return self.table.journal.lines

    def resumed(self, snapshot: Snapshot | None = None) -> Table:
        snapshot = snapshot or self.snapshots[-1]
        tail = self.lines[snapshot.line :]
        table = self.table
        return Table.resume(table.game, table.pack, table.settings, snapshot, tail, table.dice)

    def replayed(self, game: Game | None = None, lines: Iterable[JournalLine] | None = None) -> Table:
        table = self.table
        whole = self.lines if lines is None else lines
        return Table.replay(game or table.game, table.pack, table.settings, whole, table.dice)

    def course(self) -> Course:
        table = self.table
        return Course(table.game, table.pack, table.settings, self.snapshots, self.lines)


def dumped(table: Table) -> bytes:
    return canonical(table.game.dump(table.state))


def asked(pause: Pause | None) -> list[tuple[str, Seat, str, str]] | None:
    """The open questions, as far as two tables can be compared."""
    return None if pause is None else [(q, ask.seat, ask.topic, ask.at) for q, ask in pause.asks]


def same(one: Table, other: Table) -> None:
    """Two tables stand at the same place: state, head, pause, window, number of the Close, segment."""
    assert dumped(one) == dumped(other)
    assert in_order(one) == in_order(other)
    assert offered(one) == offered(other)
    assert one.journal.head == other.journal.head
    assert len(one.journal) == len(other.journal)
    assert asked(one.pause) == asked(other.pause)
    assert (one.pause and one.pause.window) == (other.pause and other.pause.window)
    assert (one.window, one.t, one.segment) == (other.window, other.t, other.segment)


def kinds(table: Table, *wanted: str) -> list[dict[str, Any]]:
    """The journal's lines of these kinds."""
    return [data for line in table.journal.lines if (data := line.data)["k"] in wanted]


def sources(table: Table) -> list[tuple[str, str, Any, str]]:
    """Seat, topic, answer and source of every answer in the journal."""
    return [(d["seat"], d["topic"], d["answer"], d["by"]) for d in kinds(table, "answer")]


def rechained(raws: Iterable[bytes]) -> list[JournalLine]:
    """Forged lines whose hashes fit."""
    lines, head = [], bytes(32)
    for raw in raws:
        head = chain(head, raw)
        lines.append(JournalLine(raw, head))
    return lines


def in_order(table: Table) -> str:
    """The state with its keys in their own order: what a game lists follows them."""
    return json.dumps(table.game.dump(table.state), default=str)


def offered(table: Table) -> list[Any]:
    """What stands in the open questions, options in their order."""
    asks = [ask for _, ask in table.pause.asks] if table.pause else []
    return [(ask.given, list(ask.options.describe()), ask.default, ask.secret, ask.plan) for ask in asks]
