"""Close, run, commit: the two short transactions at either end of an advance.

filed = read_orders(db, campaign)  # what would count now, and the campaign's revision
frozen = freeze_close(db, filed, close, handed, why, now)  # None: something changed meanwhile; try again
claim_close(db, frozen, by, now)  # False: another worker has it
…  # run from the frozen Close, render letters; no transaction is open
commit_advance(db, advance, now)  # all or nothing; nothing the second time
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, Literal, TypeAlias

from sqlalchemy import RowMapping, Update, bindparam, func, insert, or_, select, update
from sqlalchemy.engine import Connection

from engine.kernel.fairness.audit import Close, CloseRecord
from engine.kernel.journal import JournalLine
from engine.kernel.records import Snapshot
from pbem.store import schema
from pbem.store import schema_mail as mail
from pbem.store.campaigns import Act, CampaignRow, lock_and_load, record_act, touch
from pbem.store.journal import check_chain, hash_before, store_record, store_snapshot
from pbem.store.leases import this_process
from pbem.store.outbox import OutgoingMail, put_in_outbox
from pbem.store.session import Db, StoreError, one_row, one_value, write, writing
from pbem.store.standing_orders import replace_standing_orders
from pbem.store.windows import Due, WindowOrders, clear_window

Why: TypeAlias = Literal["opening", "all-in", "deadline", "umpire"]
CLOSE_LEASE: Final = timedelta(seconds=45)  # with the sweep's pace a killed worker's Close waits a minute


class HeadMoved(StoreError):
    """The campaign changed since the Close was frozen; this advance is void."""


@dataclass(frozen=True, slots=True)
class Frozen:
    """A Close that is frozen and not yet carried out."""

    campaign: str
    branch: int
    head: bytes  # of the journal when it was frozen
    window: int | None
    why: Why
    close: Close
    handed: str  # JSON, as it was given
    at: datetime


@dataclass(frozen=True, slots=True)
class NextWindow:
    """The window that an advance ends in."""

    number: int
    key: str
    kind: str
    seats: Sequence[str]
    once: bool = False
    timetable: Sequence[Due] = ()
    carried: str = ""  # JSON: orders left over from an earlier window


@dataclass(frozen=True, slots=True)
class NewBranch:
    """A rollback: the advance starts a branch that shares the lines before `fork` with its parent."""

    number: int
    parent: int
    fork: int
    reason: str


@dataclass(frozen=True, slots=True)
class Advance:
    """The result of a frozen Close: a pure function of it, so two workers compute the same."""

    campaign: str
    expected: bytes  # the head when the Close was frozen
    first: int  # number of the first new line
    lines: Sequence[JournalLine] = field(repr=False)
    record: CloseRecord = field(repr=False)
    snapshot: Snapshot | None = field(default=None, repr=False)  # taken on the way
    standing: Mapping[str, str] = field(default_factory=dict)  # of the seats whose orders changed
    letters: Sequence[OutgoingMail] = ()
    window: NextWindow | None = None  # None: the game is over
    branch: NewBranch | None = None
    banks: Mapping[str, int] = field(default_factory=dict)  # seconds left
    missed: Mapping[str, int] = field(default_factory=dict)  # windows in a row

    @property
    def t(self) -> int:
        return self.record.close.t


# ------------------------------------------------------------------ Close


def freeze_close(
    db: Db, filed: WindowOrders, close: Close, handed: str, why: Why, now: datetime
) -> Frozen | None:
    """Freeze answers and transcript if nothing changed since they were read.

    A Close that is frozen already is the one that counts and is returned. None: something was filed since,
    or the campaign is held or over.
    """
    name = filed.campaign
    with writing(db) as tx:
        here = lock_and_load(tx, name)
        if (standing := frozen_close(tx, name)) is not None:
            return standing
        if here.revision != filed.revision or here.held is not None or here.state == "over":
            return None
        if close.t <= here.t:
            raise HeadMoved(f"{name}: Close {close.t} is on record already")
        number = None if filed.window is None else filed.window.number
        frozen = Frozen(name, here.branch, here.head, number, why, close, handed, now)
        store_frozen(tx, frozen)
        tx.execute(update(mail.marks).filter_by(campaign=name, t=None).values(t=close.t))
        _set_window(tx, name, number, state="frozen")
        touch(tx, name)
        return frozen


def store_frozen(tx: Connection, frozen: Frozen) -> None:
    """Store a Close that waits to be carried out."""
    place = {"campaign": frozen.campaign, "branch": frozen.branch, "head": frozen.head}
    told = {"window": frozen.window, "why": frozen.why, "handed": frozen.handed, "frozen_at": frozen.at}
    close = {"t": frozen.close.t, "body": frozen.close.dump()}
    tx.execute(insert(schema.closes).values(**place, **told, **close))


def _set_window(tx: Connection, name: str, number: int | None, **values: Any) -> None:
    if number is not None:
        tx.execute(update(mail.windows).filter_by(campaign=name, number=number).values(**values))


def frozen_close(db: Db, name: str) -> Frozen | None:
    """The Close that waits to be carried out."""
    row = one_row(db, select(schema.closes).filter_by(campaign=name, carried_out_at=None))
    if row is None:
        return None
    told = (row["campaign"], row["branch"], row["head"], row["window"], row["why"])
    return Frozen(*told, Close.load(row["body"]), row["handed"], row["frozen_at"])


def handed_in_at(db: Db, name: str, t: int) -> str:
    """What was handed in at that Close (JSON); "": there was none."""
    return str(one_value(db, select(schema.closes.c.handed).filter_by(campaign=name, t=t)) or "")


def claim_close(db: Db, frozen: Frozen, by: str, now: datetime) -> bool:
    """Claim a Close before it is carried out, so that the work is done once. False: another worker has it.

    The claim saves work and settles nothing: who takes longer goes on, and the first to commit counts.
    """
    table = schema.closes
    free = or_(table.c.claimed_until.is_(None), table.c.claimed_until <= now, table.c.claimed_by == by)
    claim = {"claimed_by": by, "claimed_until": now + CLOSE_LEASE, "claimed_on": this_process()}
    return write(db, _waiting(frozen).where(free).values(**claim)) == 1


def release_close(db: Db, frozen: Frozen, by: str) -> None:
    """Give the claim up: any worker may take the Close."""
    write(db, _waiting(frozen).filter_by(claimed_by=by).values(claimed_by=None, claimed_until=None))


def _waiting(frozen: Frozen) -> Update:
    """Change that Close, as long as it was not carried out."""
    same = {"campaign": frozen.campaign, "t": frozen.close.t}
    return update(schema.closes).filter_by(**same, carried_out_at=None)


def redate_close(db: Db, frozen: Frozen, now: datetime) -> None:
    """Set the date of a Close that waited long: the next window's time counts from there.

    Nothing that the dice hang on holds a time.
    """
    write(db, _waiting(frozen).filter_by(frozen_at=frozen.at).values(frozen_at=now))


def next_window_number(db: Db, name: str) -> int:
    """The number of the window after the present one; part of reply addresses."""
    return int(one_value(db, _LAST_WINDOW, {"name": name}) or 0) + 1


_LAST_WINDOW: Final = select(func.max(mail.windows.c.number)).filter_by(campaign=bindparam("name"))


# ------------------------------------------------------------------ commit


def commit_advance(db: Db, advance: Advance, now: datetime) -> bool:
    """Write lines, record, snapshot, letters, window and deadlines: all or nothing.

    False: this advance was committed before, and nothing was done.
    """
    name = advance.campaign
    with writing(db) as tx:
        here = lock_and_load(tx, name)
        close = _close_of(tx, advance)
        if close["carried_out_at"] is not None:
            return False
        _check_head(here, advance)
        branch = _branch(tx, here, advance, now)
        _write_lines(tx, name, branch, advance.first, advance.lines)
        store_record(tx, name, advance.record)
        if advance.snapshot is not None:
            store_snapshot(tx, name, branch, advance.snapshot)
        replace_standing_orders(tx, name, advance.standing, now, close["window"])
        _settle_window(tx, name, close["window"], now)
        _open_next(tx, advance, branch, now)
        _keep_clocks(tx, advance)
        put_in_outbox(tx, advance.letters, now)
        done = {"carried_out_at": now, "claimed_by": None, "claimed_until": None}
        tx.execute(update(schema.closes).filter_by(campaign=name, t=advance.t).values(**done))
        _keep_head(tx, advance, branch, now)
    return True


def _close_of(tx: Connection, advance: Advance) -> RowMapping:
    row = one_row(tx, select(schema.closes).filter_by(campaign=advance.campaign, t=advance.t))
    if row is None:
        raise HeadMoved(f"{advance.campaign}: Close {advance.t} was never frozen")
    if Close.load(row["body"]).transcript != advance.record.close.transcript:
        raise HeadMoved(f"{advance.campaign}: Close {advance.t} is another one than was frozen")
    return row


def _check_head(here: CampaignRow, advance: Advance) -> None:
    if here.head != advance.expected:
        raise HeadMoved(f"{advance.campaign}: the journal does not end where Close {advance.t} was frozen")
    if advance.branch is None and advance.first != here.length:
        raise HeadMoved(f"{advance.campaign}: the journal has {here.length} lines, not {advance.first}")
    if advance.branch is not None and advance.first != advance.branch.fork:
        raise HeadMoved(f"{advance.campaign}: a branch's own lines begin at its fork")


def _branch(tx: Connection, here: CampaignRow, advance: Advance, now: datetime) -> int:
    """The branch to write to; a new one is opened first."""
    if (new := advance.branch) is None:
        check_chain(advance.campaign, advance.lines, here.head, advance.first)
        return here.branch
    before = hash_before(tx, advance.campaign, new.parent, new.fork)
    check_chain(advance.campaign, advance.lines, before, new.fork)
    told = {"parent": new.parent, "fork": new.fork, "told": new.fork, "reason": new.reason, "opened_at": now}
    tx.execute(insert(schema.branches).values(campaign=advance.campaign, number=new.number, **told))
    return new.number


def _write_lines(tx: Connection, name: str, branch: int, first: int, lines: Sequence[JournalLine]) -> None:
    rows = [
        {"campaign": name, "branch": branch, "sequence": number, "hash": line.hash, "raw": line.raw}
        for number, line in enumerate(lines, first)
    ]
    if rows:
        tx.execute(insert(schema.journal), rows)


def _settle_window(tx: Connection, name: str, number: int | None, now: datetime) -> None:
    if number is None:
        return
    _set_window(tx, name, number, state="closed", closed_at=now, carried="")
    clear_window(tx, name, number)
    left = update(mail.deadlines).filter_by(campaign=name, window=number, state="waiting")
    tx.execute(left.values(state="dropped", done_at=now))


def _open_next(tx: Connection, advance: Advance, branch: int, now: datetime) -> None:
    if (window := advance.window) is None:
        return
    told = {"key": window.key, "kind": window.kind, "seats": list(window.seats), "once": window.once}
    told["carried"] = window.carried
    key = {"campaign": advance.campaign, "number": window.number}
    tx.execute(insert(mail.windows).values(**key, **told, branch=branch, state="open", opened_at=now))
    store_timetable(tx, advance.campaign, window.number, window.timetable)


def store_timetable(tx: Connection, name: str, window: int, timetable: Sequence[Due]) -> None:
    """Store the deadlines for the sweep."""
    for due in timetable:
        place = {"kind": due.kind, "seat": due.seat, "place": due.place, "due_at": due.at, "zone": due.zone}
        key = {"campaign": name, "window": window}
        tx.execute(insert(mail.deadlines).values(**key, **place, state="waiting"))


def _keep_clocks(tx: Connection, advance: Advance) -> None:
    for column, told in (("bank", advance.banks), ("missed", advance.missed)):
        for seat, value in told.items():
            here = update(schema.seats).filter_by(campaign=advance.campaign, seat=seat)
            tx.execute(here.values(**{column: value}))


def _keep_head(tx: Connection, advance: Advance, branch: int, now: datetime) -> None:
    length = advance.first + len(advance.lines)
    head = advance.lines[-1].hash
    over = advance.window is None
    state = {"state": "over", "ended_at": now} if over else {"state": "running"}
    place = {"branch": branch, "head": head, "length": length, "t": advance.t, "burn": 0}
    touch(tx, advance.campaign, **place, **state)
    _mark_recorded(tx, advance.campaign, branch, length)


def _mark_recorded(tx: Connection, name: str, branch: int, length: int) -> None:
    """Mark every line as recorded, also the last ones of a branch that was left."""
    table, lines = schema.branches, schema.journal
    own = (lines.c.campaign == name, lines.c.branch == table.c.number)
    written = select(func.max(lines.c.sequence) + 1).where(*own).scalar_subquery()
    here = update(table).filter_by(campaign=name)
    tx.execute(here.where(table.c.number != branch, table.c.told < written).values(told=written))
    tx.execute(here.filter_by(number=branch).values(told=length))


# ------------------------------------------------------------------ the umpire in the open window


def append_act(
    db: Db,
    name: str,
    expected: bytes,
    lines: Sequence[JournalLine],
    act: Act,
    letters: Sequence[OutgoingMail],
    now: datetime,
) -> bool:
    """Append the journal lines of an umpire's act for the next record. False: the head moved; try again.

    Not while a Close is frozen: its dice are settled, and so is the journal they are written to. In the
    lobby nothing has begun: an act there is kept without a line.
    """
    with writing(db) as tx:
        here = lock_and_load(tx, name)
        if here.head != expected or frozen_close(tx, name) is not None:
            return False
        if here.state == "lobby" and lines:
            raise StoreError(f"{name}: the journal does not go on before the campaign begins")
        head = check_chain(name, lines, here.head, here.length)
        _write_lines(tx, name, here.branch, here.length, lines)
        touch(tx, name, head=head, length=here.length + len(lines))
        record_act(tx, name, act, now)
        put_in_outbox(tx, letters, now)
    return True
