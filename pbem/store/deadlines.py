"""Time in the database: deadlines, stuck work, pulses and outages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import RowMapping, and_, bindparam, delete, exists, insert, or_, select, update
from sqlalchemy.engine import Connection

from pbem.store import schema
from pbem.store import schema_mail as mail
from pbem.store.advance import store_timetable
from pbem.store.campaigns import lock_and_load, touch
from pbem.store.inbox import due_letters
from pbem.store.schema import closes
from pbem.store.schema_mail import inbox, mailboxes, outbox
from pbem.store.session import Db, all_rows, all_values, insert_or_ignore, one_row, reading, write, writing
from pbem.store.windows import Due, open_window

STUCK_AFTER: Final = timedelta(seconds=10)  # an unclaimed Close: its task was lost


@dataclass(frozen=True, slots=True)
class Deadline:
    """A row of the timetable of an open window."""

    id: int
    campaign: str
    window: int
    due: Due


def _deadline(row: RowMapping) -> Deadline:
    due = Due(row["kind"], row["due_at"], row["zone"], row["seat"], row["place"])
    return Deadline(row["id"], row["campaign"], row["window"], due)


# ------------------------------------------------------------------ timetables


def timetable(db: Db, campaign: str, window: int) -> list[Deadline]:
    """The deadlines still to come in that window, in order."""
    return [_deadline(row) for row in all_rows(db, _TIMETABLE, {"name": campaign, "number": window})]


_TIMETABLE: Final = (
    select(mail.deadlines)
    .filter_by(campaign=bindparam("name"), window=bindparam("number"), state="waiting")
    .order_by(mail.deadlines.c.due_at, mail.deadlines.c.id)
)


def due_deadlines(db: Db, now: datetime, read_to: datetime | None) -> list[Deadline]:
    """The deadlines that are due, oldest first; none of a held campaign.

    A reminder is due when its time has come. A deadline is due only when the inbox has been read to its end
    after it (`read_to`): what the mail server accepted in time counts.
    """
    table, campaigns = mail.deadlines, schema.campaigns
    passed = [table.c.kind == "reminder"]
    if read_to is not None:
        passed.append(table.c.due_at < read_to)
    running = (table.c.campaign == campaigns.c.id, campaigns.c.state == "running", campaigns.c.held.is_(None))
    due = _TO_COME.where(*running, table.c.due_at <= now, or_(*passed)).order_by(table.c.due_at, table.c.id)
    return [_deadline(row) for row in all_rows(db, due)]


_TO_COME: Final = (
    select(mail.deadlines)
    .join_from(mail.deadlines, mail.windows)
    .where(mail.windows.c.state == "open", mail.deadlines.c.state == "waiting")
)


def settle_deadline(db: Db, number: int, now: datetime) -> bool:
    """Mark a deadline as done, in the transaction that does it. False: it was done before."""
    waits = update(mail.deadlines).filter_by(id=number, state="waiting")
    return write(db, waits.values(state="done", done_at=now)) == 1


def reschedule(db: Db, campaign: str, window: int, rows: Sequence[Due]) -> bool:
    """Replace the open window's timetable: extended, or moved by an outage. False: it is closed.

    What was done stays done: a reminder is not sent again unless it is moved.
    """
    table = mail.deadlines
    with writing(db) as tx:
        lock_and_load(tx, campaign)
        here = open_window(tx, campaign)
        if here is None or here.number != window or here.state != "open":
            return False
        old = {"campaign": campaign, "window": window}
        kept = select(table.c.kind, table.c.seat, table.c.place, table.c.due_at)
        done = {tuple(row) for row in tx.execute(kept.filter_by(**old, state="done"))}
        new = [due for due in rows if (due.kind, due.seat, due.place, due.at) not in done]
        for due in new:
            tx.execute(delete(table).filter_by(**old, kind=due.kind, seat=due.seat, place=due.place))
        tx.execute(delete(table).filter_by(**old, state="waiting"))
        store_timetable(tx, campaign, window, new)
        touch(tx, campaign)
    return True


def open_timetables(db: Db) -> list[Deadline]:
    """All deadlines still to come in open windows: those that an outage may move."""
    table = mail.deadlines
    chosen = _TO_COME.order_by(table.c.campaign, table.c.due_at, table.c.id)
    return [_deadline(row) for row in all_rows(db, chosen)]


# ------------------------------------------------------------------ the sweep


@dataclass(frozen=True, slots=True)
class StuckWork:
    """Work that nobody does: to be enqueued again."""

    letters: tuple[int, ...]  # received
    posts: int  # how many letters are due to be sent
    closes: tuple[str, ...]  # campaigns with a frozen Close
    unseen: tuple[str, ...]  # campaigns that changed or started since they were last reviewed


def find_stuck_work(db: Db, now: datetime) -> StuckWork:
    """Everything that lost tasks may have left undone."""
    campaigns, acts = schema.campaigns, schema.umpire_acts
    undone = (closes.c.carried_out_at.is_(None), closes.c.frozen_at <= now - STUCK_AFTER)
    nobodys = or_(closes.c.claimed_until.is_(None), closes.c.claimed_until <= now)
    free = or_(outbox.c.claimed_until.is_(None), outbox.c.claimed_until <= now)
    due = (outbox.c.state == "waiting", outbox.c.next_try_at <= now, outbox.c.body.is_not(None), free)
    with reading(db) as tx:
        letters = tuple(due_letters(tx, now))
        posts = len(all_values(tx, select(outbox.c.id).where(*due)))
        going = select(closes.c.campaign).join(campaigns).where(campaigns.c.held.is_(None))
        frozen = tuple(all_values(tx, going.where(*undone, nobodys).order_by(closes.c.campaign)))
        started = exists().where(acts.c.campaign == campaigns.c.id, acts.c.act == "start")
        going_on = or_(campaigns.c.state == "running", and_(campaigns.c.state == "lobby", started))
        running = (going_on, campaigns.c.held.is_(None))
        changed = select(campaigns.c.id).where(*running, campaigns.c.looked < campaigns.c.revision)
        unseen = tuple(all_values(tx, changed.order_by(campaigns.c.id)))
    return StuckWork(letters, posts, frozen, unseen)


# ------------------------------------------------------------------ pulses and outages


@dataclass(frozen=True, slots=True)
class Pulse:
    """The last sign of life of a part of the service, with its data."""

    at: datetime
    data: Mapping[str, Any]


def pulse(db: Db, name: str) -> Pulse | None:
    row = one_row(db, select(mail.pulses).filter_by(name=name))
    return None if row is None else Pulse(row["beat_at"], row["data"])


def record_pulse(db: Db, name: str, now: datetime, data: Mapping[str, Any] | None = None) -> None:
    """Record a sign of life."""
    with writing(db) as tx:
        tx.execute(delete(mail.pulses).filter_by(name=name))
        tx.execute(insert(mail.pulses).values(name=name, beat_at=now, data=dict(data or {})))


@dataclass(frozen=True, slots=True)
class Outage:
    """A time when a part of the service, or a mail server, was down."""

    id: int
    part: str
    began: datetime
    ended: datetime | None


def begin_outage(db: Db, part: str, at: datetime) -> None:
    """Record that an outage began, unless one is going on."""
    going = select(mail.outages.c.id).filter_by(part=part, ended_at=None)
    with writing(db) as tx:
        if not all_values(tx, going):
            insert_or_ignore(tx, mail.outages, part=part, began_at=at)


def end_outage(db: Db, part: str, at: datetime) -> None:
    write(db, update(mail.outages).filter_by(part=part, ended_at=None).values(ended_at=at))


def outages_to_answer(db: Db) -> list[Outage]:
    """Outages that are over and have not moved the deadlines yet, in order."""
    table = mail.outages
    over = select(table).filter_by(answered_at=None).where(table.c.ended_at.is_not(None))
    rows = all_rows(db, over.order_by(table.c.began_at, table.c.id))
    return [Outage(row["id"], row["part"], row["began_at"], row["ended_at"]) for row in rows]


def is_out_of_order(db: Db) -> bool:
    """Is an outage going on or unanswered? Then no deadline is executed."""
    return bool(all_values(db, select(mail.outages.c.id).filter_by(answered_at=None)))


def mark_outage_answered(db: Db, number: int, now: datetime) -> bool:
    """Record that the deadlines were moved, in the same transaction. False: they were moved before."""
    first = update(mail.outages).filter_by(id=number, answered_at=None)
    return write(db, first.values(answered_at=now)) == 1


LONGEST_LEASE: Final = timedelta(minutes=10)
LONGEST_WAIT: Final = timedelta(minutes=20)  # of a received letter
LONGEST_DELAY: Final = timedelta(hours=12)  # of an outgoing letter
NOW: Final = timedelta(minutes=2)  # clocks of several machines differ a little


def correct_future_times(tx: Connection, now: datetime) -> int:
    """Reset times too far in the future, left by a wrong clock; returns how many."""
    received, unsent = update(inbox).filter_by(state="received"), update(outbox).filter_by(state="waiting")
    undone = update(closes).filter_by(carried_out_at=None)
    leased = now + LONGEST_LEASE
    changes = (
        received.where(inbox.c.next_try_at > now + LONGEST_WAIT).values(next_try_at=now),
        unsent.where(outbox.c.next_try_at > now + LONGEST_DELAY).values(next_try_at=now),
        received.where(inbox.c.claimed_until > leased).values(claimed_until=now),
        unsent.where(outbox.c.claimed_until > leased).values(claimed_until=now),
        undone.where(closes.c.claimed_until > leased).values(claimed_until=now),
        update(mailboxes).where(mailboxes.c.read_to > now + NOW).values(read_to=None),
    )
    return sum(write(tx, change) for change in changes)
