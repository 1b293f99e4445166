"""A campaign's journal, snapshots and records, read from the database.

Resuming reads the first line, the last snapshot and the lines after it; what came between costs nothing. A
branch has lines of its own from its fork on and shares its parent's before.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import RowMapping, bindparam, cast, false, func, insert, null, or_, select, union_all
from sqlalchemy.engine import Connection
from sqlalchemy.types import Integer, Text

from engine.kernel.errors import CorruptJournal
from engine.kernel.fairness.audit import Close, CloseRecord
from engine.kernel.journal import NOTHING, JournalLine, canonical, chain
from engine.kernel.records import Snapshot
from engine.kernel.requests import Segment
from pbem.store import schema
from pbem.store.campaigns import CampaignRow, campaign_row
from pbem.store.session import Db, all_rows, one_row, one_value, reading

TRUNK: Final = 0  # the branch that every campaign begins with


@dataclass(frozen=True, slots=True)
class Tail:
    """Everything needed to continue a campaign."""

    standing: CampaignRow
    opening: JournalLine
    snapshot: Snapshot | None
    lines: list[JournalLine]  # after the snapshot; without one, all lines


@dataclass(frozen=True, slots=True)
class BranchSpan:
    """Lines that one branch contributes: from `first` up to, not including, `end`."""

    branch: int
    first: int
    end: int


# ------------------------------------------------------------------ lines


def spans(tx: Connection, name: str, branch: int, length: int) -> list[BranchSpan]:
    """Which branches' lines make up this one, oldest first."""
    if branch == TRUNK:
        return [BranchSpan(TRUNK, 0, length)] if length else []
    table = schema.branches
    rows = all_rows(tx, select(table).filter_by(campaign=name))
    forks = {row["number"]: (row["parent"], row["fork"]) for row in rows}
    found: list[BranchSpan] = []
    here: int | None = branch
    end = length
    while here is not None:
        if here not in forks:
            raise CorruptJournal(f"{name}: there is no branch {here}")
        parent, fork = forks[here]
        if fork < end:
            found.append(BranchSpan(here, fork, end))
            end = fork
        here = parent
    return found[::-1]


def _lines(tx: Connection, name: str, course: Iterable[BranchSpan], first: int) -> list[JournalLine]:
    found: list[JournalLine] = []
    for span in course:
        begin = max(first, span.first)
        if begin >= span.end:
            continue
        told = {"name": name, "branch": span.branch, "begin": begin, "end": span.end}
        rows = tx.execute(_LINES, told)
        lines = [JournalLine(raw, hashed) for raw, hashed in rows]
        if len(lines) != span.end - begin:
            raise CorruptJournal(f"{name}: lines are missing between {begin} and {span.end}")
        found += lines
    return found


def _on_one_branch(
    tx: Connection, name: str, span: BranchSpan
) -> tuple[Snapshot | None, JournalLine, list[JournalLine]]:
    """The last snapshot, the first line, and those from the snapshot on, in one query."""
    told = {"name": name, "branch": span.branch, "end": span.end}
    rows = all_rows(tx, _TAIL, told)
    snapshot = next((_snapshot(row) for row in rows if row["segment"] is not None), None)
    lines = [JournalLine(row["state"], row["head"]) for row in rows if row["segment"] is None]
    first = 0 if snapshot is None else snapshot.line - 1
    if not lines or len(lines) != span.end - first + (first > 0):
        raise CorruptJournal(f"{name}: lines are missing between {first} and {span.end}")
    return snapshot, lines[0], lines[1:] if first > 0 else lines


def _tail() -> Any:
    """Lines come in order, with the columns of a snapshot; those that they lack are null."""
    table, lines = schema.snapshots, schema.journal
    whole = (table.c.campaign == bindparam("name"), table.c.branch == bindparam("branch"))
    newest = select(func.max(table.c.line)).where(*whole, table.c.line <= bindparam("end"))
    begin = func.coalesce(newest.scalar_subquery() - 1, 0)
    names = ("head", "state", "segment", "window", "t", "version")
    snapshot = select(table.c.line, *(table.c[name] for name in names)).where(
        *whole, table.c.line == newest.scalar_subquery()
    )
    lacks = (cast(null(), Text), cast(null(), Text), cast(null(), Integer), cast(null(), Integer))
    mine = (lines.c.campaign == bindparam("name"), lines.c.branch == bindparam("branch"))
    every = select(lines.c.sequence, lines.c.hash, lines.c.raw, *lacks).where(*mine)
    opening = every.where(lines.c.sequence == 0, begin > 0)
    rest = every.where(lines.c.sequence >= begin, lines.c.sequence < bindparam("end"))
    parts = union_all(snapshot, opening, rest)
    return parts.order_by(parts.selected_columns.line)


_TAIL: Final = _tail()
_LINES: Final = (
    select(schema.journal.c.raw, schema.journal.c.hash)
    .filter_by(campaign=bindparam("name"), branch=bindparam("branch"))
    .where(schema.journal.c.sequence >= bindparam("begin"), schema.journal.c.sequence < bindparam("end"))
    .order_by(schema.journal.c.sequence)
)


def hash_before(tx: Connection, name: str, branch: int, line: int) -> bytes:
    """The hash that line `line` of a branch continues."""
    if line == 0:
        return NOTHING
    (last,) = _lines(tx, name, spans(tx, name, branch, line), line - 1)
    return last.hash


def check_chain(name: str, lines: Iterable[JournalLine], head: bytes, first: int) -> bytes:
    """Check that every line continues the one before; returns the last hash."""
    for number, line in enumerate(lines, first):
        head = chain(head, line.raw)
        if head != line.hash:
            raise CorruptJournal(f"{name}: line {number + 1}: does not fit the chain of hashes")
    return head


def read_journal(db: Db, name: str, branch: int | None = None) -> list[JournalLine]:
    """All lines of a branch (None: of the one in play), every link of the chain checked."""
    with reading(db) as tx:
        here = campaign_row(tx, name)
        if branch is None or branch == here.branch:
            course = spans(tx, name, here.branch, here.length)
        else:
            course = spans(tx, name, branch, _length(tx, name, branch))
        lines = _lines(tx, name, course, 0)
    check_chain(name, lines, NOTHING, 0)
    return lines


def _length(tx: Connection, name: str, branch: int) -> int:
    own = select(func.max(schema.journal.c.sequence)).filter_by(campaign=name, branch=branch)
    last = one_value(tx, own)
    if last is None:
        raise CorruptJournal(f"{name}: there is no branch {branch}")
    return int(last) + 1


def next_branch_number(db: Db, name: str) -> int:
    """The number of the next branch; numbers are never reused."""
    last = one_value(db, select(func.max(schema.branches.c.number)).filter_by(campaign=name))
    return int(last or 0) + 1


def unrecorded_lines(db: Db, name: str) -> list[JournalLine]:
    """Lines that no record contains yet: umpires' acts in the open window, the journal's first line."""
    table, branches = schema.journal, schema.branches
    told = select(branches.c.number, branches.c.told).where(branches.c.campaign == name)
    with reading(db) as tx:
        known = tx.execute(told).all()
        new = [(table.c.branch == number) & (table.c.sequence >= first) for number, first in known]
        chosen = select(table.c.raw, table.c.hash).where(table.c.campaign == name, or_(false(), *new))
        rows = tx.execute(chosen.order_by(table.c.branch, table.c.sequence))
        return [JournalLine(raw, hashed) for raw, hashed in rows]


# ------------------------------------------------------------------ taking up a campaign


def read_tail(db: Db, name: str, standing: CampaignRow | None = None) -> Tail:
    """The first line, the last snapshot and the lines after it. `standing`: the row, if it was just read."""
    with reading(db) as tx:
        standing = standing or campaign_row(tx, name)
        course = spans(tx, name, standing.branch, standing.length)
        if len(course) == 1:
            snapshot, opening, rest = _on_one_branch(tx, name, course[0])
        else:
            snapshot = _last_snapshot(tx, name, course)
            rest = _lines(tx, name, course, 0 if snapshot is None else snapshot.line - 1)
            opening = (
                rest[0] if snapshot is None else _lines(tx, name, [BranchSpan(course[0].branch, 0, 1)], 0)[0]
            )
    check_chain(name, [opening], NOTHING, 0)
    if snapshot is None:
        head = check_chain(name, rest, NOTHING, 0)
    else:
        check_snapshot(name, snapshot, rest.pop(0))
        head = check_chain(name, rest, snapshot.head, snapshot.line)
    if head != standing.head:
        raise CorruptJournal(f"{name}: the journal does not end with the head that is on file")
    return Tail(standing, opening, snapshot, rest)


def _last_snapshot(tx: Connection, name: str, course: list[BranchSpan]) -> Snapshot | None:
    for span in reversed(course):
        told = {"name": name, "branch": span.branch, "first": span.first, "end": span.end}
        if (row := one_row(tx, _LAST_SNAPSHOT, told)) is not None:
            return _snapshot(row)
    return None


_LAST_SNAPSHOT: Final = (
    select(schema.snapshots)
    .filter_by(campaign=bindparam("name"), branch=bindparam("branch"))
    .where(schema.snapshots.c.line > bindparam("first"), schema.snapshots.c.line <= bindparam("end"))
    .order_by(schema.snapshots.c.line.desc())
    .limit(1)
)


def _snapshot(row: RowMapping) -> Snapshot:
    segment, key, args = json.loads(row["segment"])
    place = (row["line"], row["head"], row["state"])
    return Snapshot(*place, Segment(segment, key, tuple(args)), row["window"], row["t"], row["version"])


def check_snapshot(name: str, snapshot: Snapshot, line: JournalLine) -> None:
    told = canonical({"k": "snapshot", "state": sha256(snapshot.state).hexdigest()})
    if line != JournalLine(told, snapshot.head):
        raise CorruptJournal(f"{name}: not the snapshot that line {snapshot.line} tells of")


def store_snapshot(tx: Connection, name: str, branch: int, snapshot: Snapshot) -> None:
    """Store a snapshot, in the transaction that writes its line."""
    segment = snapshot.segment
    values = {
        "line": snapshot.line,
        "head": snapshot.head,
        "state": snapshot.state,
        "segment": json.dumps([segment.name, segment.key, segment.args]),
        "window": snapshot.window,
        "t": snapshot.t,
        "version": snapshot.version,
    }
    tx.execute(insert(schema.snapshots).values(campaign=name, branch=branch, **values))


def read_snapshots(db: Db, name: str) -> list[Snapshot]:
    """All snapshots of the branch in play, in order of their lines."""
    table, found = schema.snapshots, []
    with reading(db) as tx:
        standing = campaign_row(tx, name)
        for span in spans(tx, name, standing.branch, standing.length):
            here = select(table).filter_by(campaign=name, branch=span.branch)
            chosen = here.where(table.c.line > span.first, table.c.line <= span.end)
            found += [_snapshot(row) for row in all_rows(tx, chosen.order_by(table.c.line))]
    return found


# ------------------------------------------------------------------ records


def store_record(tx: Connection, name: str, record: CloseRecord) -> None:
    """Store a record, in the transaction that writes its lines."""
    values: dict[str, Any] = {
        "t": record.close.t,
        "link": record.link,
        "public": record.public,
        "private": json.dumps({reader: lines.decode() for reader, lines in record.private.items()}),
        "seals": json.dumps(list(record.seals.items())),
        "head": record.head,
        "rolls": record.rolls,
    }
    tx.execute(insert(schema.records).values(campaign=name, **values))


def _chosen(name: str) -> Any:
    table, closes = schema.records, schema.closes
    same = (closes.c.campaign == table.c.campaign) & (closes.c.t == table.c.t)
    return select(table, closes.c.body).select_from(table.join(closes, same)).where(table.c.campaign == name)


def _record(row: RowMapping) -> CloseRecord:
    private = {reader: lines.encode() for reader, lines in json.loads(row["private"]).items()}
    told = (Close.load(row["body"]), row["link"], row["public"], private)
    return CloseRecord(*told, dict(json.loads(row["seals"])), row["head"], row["rolls"])


def last_record(db: Db, name: str) -> CloseRecord | None:
    """The record of the last Close."""
    row = one_row(db, _chosen(name).order_by(schema.records.c.t.desc()).limit(1))
    return None if row is None else _record(row)


def read_records(db: Db, name: str, after: int = 0) -> Iterator[CloseRecord]:
    """The records of all Closes after that one, in order."""
    wanted = _chosen(name).where(schema.records.c.t > after).order_by(schema.records.c.t)
    return map(_record, all_rows(db, wanted))
