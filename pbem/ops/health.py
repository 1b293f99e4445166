"""Is the service healthy? Signs of life, what waits too long, what needs somebody's attention."""

from __future__ import annotations

import os
import shutil
import stat
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from redis import RedisError
from sqlalchemy import ColumnElement, Connection, Engine, Table, func, select, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from pbem.campaigns.outages import SWEEP, is_clock_in_doubt
from pbem.context import ServiceContext, service_context
from pbem.embedded.redis import redis_at
from pbem.settings import Settings
from pbem.store import schema
from pbem.store import schema_mail as mail
from pbem.store.deadlines import pulse
from pbem.store.leases import is_dead
from pbem.store.session import database_revision, reading

SILENT: Final = timedelta(seconds=90)  # a part without a sign of life for this long is down
READ_WITHIN: Final = timedelta(minutes=2)
SENT_WITHIN: Final = timedelta(minutes=5)
CLOSED_WITHIN: Final = timedelta(minutes=2)
LATELY: Final = timedelta(days=1)
LEAST_FREE: Final = 200 * 1024 * 1024  # bytes on the disk

PARTS: Final = (("poller", "poller"), ("workers", SWEEP))  # and the name of its pulse


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    what: str
    told: str
    well: bool = True


@dataclass(frozen=True, slots=True)
class Figures:
    """How much there is in the service now."""

    running: int
    held: int
    letters: int  # received, ever
    unread: int
    posts: int  # written, ever
    unsent: int


def figures(service: ServiceContext) -> Figures:
    campaigns, inbox, outbox = schema.campaigns, mail.inbox, mail.outbox
    with reading(service.db) as tx:
        return Figures(
            count_rows(tx, campaigns, campaigns.c.state == "running"),
            count_rows(tx, campaigns, campaigns.c.held.is_not(None)),
            count_rows(tx, inbox),
            count_rows(tx, inbox, inbox.c.state == "received"),
            count_rows(tx, outbox),
            count_rows(tx, outbox, outbox.c.state == "waiting"),
        )


def count_rows(tx: Connection, table: Table, *which: ColumnElement[bool]) -> int:
    return int(tx.execute(select(func.count()).select_from(table).where(*which)).scalar_one())


def examine(settings: Settings, service: ServiceContext | None = None) -> list[Finding]:
    """All checks, in the order in which a letter passes the parts."""
    found = [redis_finding(settings.redis_url), disk_finding(settings)]
    if settings.data.exists():
        found.append(permission_finding("data folder", settings.data))
    try:
        service = service or service_context(settings)
        now = service.now()
        found = [database_finding(service.db), *found]
        with reading(service.db) as tx:
            found += [
                *(part_finding(tx, now, what, name) for what, name in PARTS),
                _queue("letters unread", waiting_letters(tx, now), now, READ_WITHIN),
                _shunted(tx),
                _late(tx, now),
                _held(tx),
                _queue("letters unsent", waiting_posts(tx, now), now, SENT_WITHIN),
                _failed(tx, now),
                _outages(tx),
                _clock(tx),
            ]
    except SQLAlchemyError as error:
        return [Finding("database", describe_failure(error), False), *found]
    return found


# ------------------------------------------------------------------ parts


def redis_finding(url: str) -> Finding:
    try:
        with redis_at(url) as client:
            client.ping()
    except (RedisError, OSError, ValueError) as error:
        return Finding("redis", f"does not answer ({type(error).__name__})", False)
    return Finding("redis", "answers")


def database_finding(db: Engine) -> Finding:
    """Can it be written to? Tried, and taken back; one without a schema is left for the service to fill."""
    try:
        with db.connect() as tx:
            if database_revision(tx):
                tx.rollback()
                tx.execute(text("UPDATE alembic_version SET version_num = version_num"))
            tx.rollback()
    except SQLAlchemyError as error:
        return Finding("database", describe_failure(error), False)
    return Finding("database", f"{db.dialect.name} answers")


def describe_failure(error: SQLAlchemyError) -> str:
    """Why the database cannot be used, in the operator's words."""
    told = str(error.orig if isinstance(error, DBAPIError) else error).lower()
    if "readonly" in told or "read-only" in told:
        return "can only be read: whoever runs this may not write to it"
    if "disk is full" in told:
        return "its disk is full"
    return f"does not answer ({type(error).__name__})"


def permission_finding(what: str, path: Path) -> Finding:
    """Is a file or folder with secrets usable by us, and by nobody else?"""
    found = path.stat()
    mode = stat.S_IMODE(found.st_mode)
    needs = os.R_OK if path.is_file() else os.R_OK | os.W_OK | os.X_OK
    if not os.access(path, needs):
        return Finding(what, f"{path} cannot be used by user {os.getuid()}, who runs this", False)
    ours = found.st_uid in (os.getuid(), 0)  # secrets handed to a container belong to root
    others = mode & 0o007 or (0 if ours else (mode & 0o070) >> 3)
    if others:
        can = [word for bit, word in ((4, "read"), (2, "changed"), (1, "entered")) if others & bit]
        return Finding(what, f"{path} can be {' and '.join(can)} by others (mode {mode:o})", False)
    return Finding(what, f"{path}, mode {mode:o}")


def free_bytes(settings: Settings) -> int:
    """Free where the data folder lies, or will lie."""
    folder = next(path for path in (settings.data, *settings.data.parents) if path.exists())
    return shutil.disk_usage(folder).free


def disk_finding(settings: Settings) -> Finding:
    free = free_bytes(settings)
    return Finding("disk", f"{free // 1024**2} MB free", free >= LEAST_FREE)


def part_finding(tx: Connection, now: datetime, what: str, name: str) -> Finding:
    """Its last sign of life. The workers' is the sweep: nobody sweeps while all of them are at long work."""
    last = pulse(tx, name)
    if last is None:
        return Finding(what, "never seen", False)
    seen = f"seen {_ago(now - last.at)} ago"
    if trouble := str(last.data.get("trouble", "")):
        return Finding(what, f"{seen}; {trouble}", False)
    if now - last.at <= SILENT:
        return Finding(what, seen)
    work = _work_in_hand(tx, now) if name == SWEEP else []
    return Finding(what, f"busy with {', '.join(work)}; last {seen}" if work else seen, bool(work))


def _work_in_hand(tx: Connection, now: datetime) -> list[str]:
    """What is claimed by processes that live: letters, posts, campaigns."""
    inbox, outbox, closes = mail.inbox, mail.outbox, schema.closes
    letters = _claims(tx, inbox, inbox.c.state == "received", now)
    posts = _claims(tx, outbox, outbox.c.state == "waiting", now)
    running = select(closes.c.campaign, closes.c.claimed_on).where(
        closes.c.carried_out_at.is_(None), closes.c.claimed_until > now
    )
    names = sorted(name for name, owner in tx.execute(running) if not is_dead(owner or ""))
    counted = ((letters, "to read"), (posts, "to send"))
    return [f"letters {what}: {number}" for number, what in counted if number] + names[:5]


def _claims(tx: Connection, table: Table, waits: ColumnElement[bool], now: datetime) -> int:
    owners = tx.execute(select(table.c.claimed_on).where(waits, table.c.claimed_until > now)).scalars()
    return sum(not is_dead(owner or "") for owner in owners)


def waiting_letters(tx: Connection, now: datetime) -> tuple[int, datetime | None]:
    """Letters due to be read: how many, and since when the oldest waits."""
    return _waiting(tx, now, mail.inbox, "received", mail.inbox.c.raw)


def waiting_posts(tx: Connection, now: datetime) -> tuple[int, datetime | None]:
    """Letters due to be sent: how many, and since when the oldest waits."""
    return _waiting(tx, now, mail.outbox, "waiting", mail.outbox.c.body)


def _waiting(
    tx: Connection, now: datetime, table: Table, state: str, content: ColumnElement[bytes]
) -> tuple[int, datetime | None]:
    waits = (table.c.state == state, content.is_not(None), table.c.next_try_at <= now)
    number, oldest = tx.execute(select(func.count(), func.min(table.c.next_try_at)).where(*waits)).one()
    return number, oldest


def _queue(what: str, waits: tuple[int, datetime | None], now: datetime, within: timedelta) -> Finding:
    number, oldest = waits
    if oldest is None:
        return Finding(what, "none")
    return Finding(what, f"{number}, the oldest for {_ago(now - oldest)}", now - oldest <= within)


def _shunted(tx: Connection) -> Finding:
    number = count_rows(tx, mail.inbox, mail.inbox.c.state == "shunted")
    told = f"{number}: pbem shunted lists them" if number else "none"
    return Finding("letters shunted", told, number == 0)


def _failed(tx: Connection, now: datetime) -> Finding:
    outbox = mail.outbox
    number = count_rows(tx, outbox, outbox.c.state == "failed", outbox.c.laid_at >= now - LATELY)
    told = f"{number} of the last day: pbem letters tells why" if number else "none of the last day"
    return Finding("letters failed", told, number == 0)


def late_campaigns(tx: Connection, now: datetime) -> list[str]:
    """Campaigns, not held, with a deadline that has passed and was not executed."""
    table, windows, campaigns = mail.deadlines, mail.windows, schema.campaigns
    same = (windows.c.campaign == table.c.campaign) & (windows.c.number == table.c.window)
    joined = table.join(windows, same).join(campaigns, campaigns.c.id == table.c.campaign)
    late = (
        table.c.state == "waiting",
        table.c.kind != "reminder",
        table.c.due_at < now - CLOSED_WITHIN,
        windows.c.state == "open",
        campaigns.c.state == "running",
        campaigns.c.held.is_(None),
    )
    chosen = select(table.c.campaign).select_from(joined).where(*late).distinct()
    return sorted(tx.execute(chosen).scalars())


def _late(tx: Connection, now: datetime) -> Finding:
    names = late_campaigns(tx, now)
    return Finding("deadlines late", ", ".join(names[:5]) or "none", not names)


def _held(tx: Connection) -> Finding:
    held = select(schema.campaigns.c.id).where(schema.campaigns.c.held.is_not(None))
    names = sorted(tx.execute(held).scalars())
    return Finding("campaigns held", ", ".join(names[:5]) or "none")


def _outages(tx: Connection) -> Finding:
    going = select(mail.outages.c.part).where(mail.outages.c.ended_at.is_(None))
    parts = sorted(tx.execute(going).scalars())
    return Finding("out of order", ", ".join(parts) or "nothing", not parts)


def _clock(tx: Connection) -> Finding:
    doubt = is_clock_in_doubt(tx)
    return Finding("clock", "in doubt: no deadline is executed" if doubt else "steady", not doubt)


def _ago(length: timedelta) -> str:
    seconds = max(0, round(length.total_seconds()))
    for unit, name in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{seconds // unit} {name}"
    return f"{seconds} s"
