"""Other courses of a campaign: rollback, SAME DICE, amendment by the umpire, what-if.

Nothing is deleted. A branch shares its parent's lines up to a seam and goes on with lines of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from engine.kernel.errors import JournalError
from engine.kernel.fairness.dice import Dice, RecordedDice
from engine.kernel.game import Game, GameSettings
from engine.kernel.journal import JournalLine, codec_of
from engine.kernel.records import Record, Snapshot, question_id
from engine.kernel.replay import is_kind
from engine.kernel.requests import Answer, Fact, Seat
from engine.kernel.table import Table
from engine.kernel.trial import WhatIfTable

T = TypeVar("T", bound=Table)
_FOLLOW: Final = ("standing", "plan", "forced", "default")  # answers that follow from others: found anew


@dataclass(frozen=True, slots=True)
class Course:
    """A campaign's past on one branch: all it takes to open another."""

    game: Game
    pack: Any
    settings: GameSettings
    snapshots: Sequence[Snapshot]  # in order of their lines
    lines: Sequence[JournalLine]  # from line `first` on; the seam and a snapshot before it must be among them
    first: int = 0
    branch: int = 0

    def seam(self, key: str) -> int:
        """Index in `lines` of the seam where that segment begins."""
        found = [n for n, line in enumerate(self.lines) if is_kind(line, "seam") and line.data["key"] == key]
        if not found:
            raise JournalError(f"no segment {key!r} in this campaign's journal")
        return found[-1]

    def facts_since(self, key: str, seat: Seat | None) -> list[Mapping[str, Any]]:
        """The facts that a seat (None: everyone) has read since that seam; a rollback leaves them known."""
        facts: list[Mapping[str, Any]] = []
        for line in self.lines[self.seam(key) :]:
            data = line.data
            if data["k"] != "fact":
                continue
            if "to" not in data or (seat is not None and seat in data["to"]):
                facts.append({"fact": data["fact"], "data": data["data"]})
            elif "others" in data:
                facts.append(data["others"])
        return facts


@dataclass(frozen=True, slots=True)
class Amendment:
    """What a change of state by the umpire does to the open segment, for the umpire to confirm."""

    table: Table
    before: list[bytes]  # facts since the seam, as they stood
    after: list[bytes]  # facts since the seam, as they would stand


def roll_back(course: Course, key: str, branch: int, dice: Dice, reason: str) -> Table:
    """A new branch from that segment's beginning, with fresh dice. Not yet run: the umpire may rule first.

    What letters have told of a pile stays known: the game may shuffle it anew first (`Game.after_rollback`).
    """
    table = _fork(course, key, branch, dice, reason, "fresh", Table)
    if table.segment is not None:
        since = {data["fact"] for data in _data(course, key) if data["k"] == "fact"}
        table.segment = course.game.after_rollback(table.segment, branch, frozenset(since))
    return table


def same_dice(course: Course, key: str, branch: int, dice: Dice, reason: str) -> Table:
    """Recorded answers are given again, a recorded roll serves where its label is asked again.

    A label not on record, and everything after the first answer not on record, is rolled with `dice`: the
    old seed is public.
    """
    recorded = RecordedDice(_data(course, key), then=dice)
    table = _fork(course, key, branch, recorded, reason, "same", Table)
    table.record = Record(_answers(course, key), recorded.stop)
    return table


def what_if(
    course: Course,
    key: str,
    dice: Dice,
    changed: Mapping[str, Answer] | None = None,
    anew: Collection[Seat] = (),
) -> WhatIfTable:
    """What would have happened with other answers (by question id). `dice` must be throw-away dice.

    The seats that decide `anew` do so by their order files, and so does everybody where standing orders or
    defaults decided. For the umpire only: it tells what hidden troops would have done.
    """
    recorded = RecordedDice(_data(course, key), then=dice)
    table = _fork(course, key, course.branch, recorded, "what-if", "what-if", WhatIfTable)
    table.record = Record({**_answers(course, key, anew, _FOLLOW), **(changed or {})}, lambda: None)
    return table


def amend(course: Course, facts: Iterable[Fact], branch: int, dice: Dice, reason: str) -> Amendment:
    """Back to the open segment's start, the umpire's facts, the segment again with SAME DICE."""
    seam = max((n for n, line in enumerate(course.lines) if is_kind(line, "seam")), default=0)
    table = same_dice(course, course.lines[seam].data["key"], branch, dice, reason)
    table.rule(facts, reason, act="amendment")
    start = len(table.journal)
    table.advance()
    before = [line.raw for line in course.lines[seam:] if is_kind(line, "fact")]
    return Amendment(
        table, before, [line.raw for line in table.journal.since(start) if is_kind(line, "fact")]
    )


def _fork(
    course: Course, key: str, branch: int, dice: Dice, reason: str, kind: str, table_class: type[T]
) -> T:
    seam = course.seam(key)
    snapshot = [s for s in course.snapshots if s.line <= course.first + seam][-1]
    shared = course.lines[snapshot.line - course.first : seam + 1]
    table = table_class.at_seam(course.game, course.pack, course.settings, snapshot, shared, dice)
    table.branch_line(branch, course.branch, kind, reason)
    return table


def _data(course: Course, key: str) -> list[dict[str, Any]]:
    return [line.data for line in course.lines[course.seam(key) :]]


def _answers(
    course: Course, key: str, but: Collection[Seat] = (), given: Collection[str] = ()
) -> dict[str, Answer]:
    """The answers since that seam by the question's id, without those of some seats or given in some ways."""
    codec = codec_of(course.game)
    lines = [data for data in _data(course, key) if data["k"] == "answer"]
    kept = [data for data in lines if data["seat"] not in but and data["by"] not in given]
    return {question_id(data): codec.answer(data["topic"], data["answer"]) for data in kept}
