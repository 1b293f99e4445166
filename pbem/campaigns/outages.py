"""When the service or the mail server was out of order, or the clock jumped: no player loses his turn by it.

Pure functions over readings of two clocks: the wall clock, which may be put right or wrong, and the steady
clock of one boot, which only runs forward.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, TypeAlias

from sqlalchemy import select, text
from sqlalchemy.engine import Connection

from pbem.campaigns.deadlines import Phase, next_time
from pbem.context import ServiceContext
from pbem.store.deadlines import Pulse, begin_outage, correct_future_times, end_outage, pulse, record_pulse
from pbem.store.inbox import mailboxes_read_to
from pbem.store.schema_mail import inbox, outages
from pbem.store.session import Db, writing
from pbem.store.windows import Due

SILENCE: Final = timedelta(minutes=15)  # shorter gaps are restarts and upgrades, no outages
DRIFT: Final = timedelta(seconds=60)  # by which the wall clock may leave the steady one between two readings
REST: Final = timedelta(days=1)  # a deadline so long after an outage's end is left where it is
BELIEVED: Final = timedelta(days=3)  # a longer gap over a reboot may be a wrong clock


@dataclass(frozen=True, slots=True)
class ClockReading:
    """Both clocks, read at the same time."""

    wall: datetime
    steady: float  # seconds
    boot: str  # of which boot


@dataclass(frozen=True, slots=True)
class Steady:
    """All is well."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Nothing ran between these times."""

    began: datetime
    ended: datetime

    @property
    def length(self) -> timedelta:
        return self.ended - self.began


@dataclass(frozen=True, slots=True)
class Doubt:
    """The wall clock jumped by so much, and nobody vouches for it: no deadline is executed until one does."""

    jump: timedelta


Verdict: TypeAlias = Steady | Gap | Doubt


def judge(before: ClockReading | None, now: ClockReading, witness: datetime | None = None) -> Verdict:
    """What happened between two signs of life.

    `witness` is another machine's clock, read just now: the mail server's or the database's. Where it agrees,
    a jump was a machine that slept (a gap) or a clock that was put right (nothing happened).
    """
    if before is None:
        return Steady()
    passed = now.wall - before.wall
    vouched = witness is not None and abs(witness - now.wall) <= DRIFT
    if (jump := _jump(before, now)) is not None and not vouched:
        return Doubt(jump)
    if before.boot != now.boot and passed > BELIEVED and not vouched:
        return Doubt(passed)
    return Gap(before.wall, now.wall) if passed > SILENCE else Steady()


def _jump(before: ClockReading, now: ClockReading) -> timedelta | None:
    """How far the wall clock left the steady one; over a reboot only a way back can be told."""
    passed = now.wall - before.wall
    if before.boot != now.boot:
        return passed if passed < -DRIFT else None
    off = passed - timedelta(seconds=now.steady - before.steady)
    return off if abs(off) > DRIFT else None


# ------------------------------------------------------------------ moving deadlines


def moved(due: datetime, zone: str, phase: Phase, gap: Gap) -> datetime:
    """The deadline after an outage: later by its length at least, at the phase's own time of day.

    One that had passed before the outage, or lies more than a day after its end, stays.
    """
    if gap.length <= SILENCE or due < gap.began or due > gap.ended + REST:
        return due
    return next_time(phase, zone, due + gap.length)


def moved_timetable(due: Sequence[Due], phase: Phase, gap: Gap) -> tuple[Due, ...]:
    """A window's rows after an outage; all move with the deadline, or with the grace if only that is left."""
    leading = [one for kind in ("deadline", "grace") for one in due if one.kind == kind][:1]
    if not leading:
        return tuple(due)
    (first,) = leading
    later = moved(first.at, first.zone, phase, gap) - first.at
    return tuple(replace(one, at=one.at + later) for one in due)


SERVICE: Final = "service"  # the part that was out of order when nothing swept
MAIL: Final = "mail"  # when the inbox could not be read
SWEEP: Final = "sweep"  # the pulse of the sweep, on whatever machine
DOUBT: Final = "clock in doubt"
_HERE: Final = ("", "localhost", "127.0.0.1", "::1")  # a database on this machine has no clock of its own
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


def read_clocks(now: datetime) -> ClockReading:
    """The wall clock as it was told, and this machine's steady one, which also counts while it sleeps."""
    boot = _BOOT_ID.read_text().strip() if _BOOT_ID.exists() else platform.node()
    return ClockReading(now, time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)), boot)


def update_clock_watch(service: ServiceContext, clocks: ClockReading) -> Verdict:
    """Compare this sign of life with the last one, note what happened since, and leave a new one."""
    node = f"clock {platform.node()}"[:80]
    with writing(service.db) as tx:
        own, swept = pulse(tx, node), pulse(tx, SWEEP)
        before = None if own is None else _reading(own)
        verdict = judge(before, clocks, _witness(tx, clocks.wall))
        last = clocks.wall if swept is None else swept.at
        if isinstance(verdict, Doubt):
            _doubt(tx, clocks.wall, verdict, last)
        elif not is_clock_in_doubt(tx):
            _note_gap(tx, Gap(last, clocks.wall))
        record_pulse(tx, node, clocks.wall, {"steady": clocks.steady, "boot": clocks.boot})
        record_pulse(tx, SWEEP, clocks.wall)
        _settle_doubt(tx, clocks.wall)
        correct_future_times(tx, clocks.wall)
    return verdict


def _reading(own: Pulse) -> ClockReading:
    return ClockReading(own.at, own.data["steady"], own.data["boot"])


# ------------------------------------------------------------------ outages


def _note_gap(tx: Connection, gap: Gap) -> None:
    """Nothing swept, on any machine: the service was out of order, and is no longer.

    While the mail is out of order as well, its own outage counts for both.
    """
    if gap.length > SILENCE and not _is_going(tx, MAIL):
        begin_outage(tx, SERVICE, gap.began)
        end_outage(tx, SERVICE, gap.ended)


def watch_mail(service: ServiceContext) -> None:
    """Where the inbox was not read for long, the mail server or the way to it is out of order.

    Time in which the service itself stood still is counted there.
    """
    db, now, read = service.db, service.now(), mailboxes_read_to(service.db)
    if read is None:
        return  # no mailbox was ever read: there is nothing to wait for yet
    with writing(db) as tx:
        if (since := max(read, _service_back(tx) or read)) < now - SILENCE:
            begin_outage(tx, MAIL, since)
        elif read >= now - SILENCE:
            end_outage(tx, MAIL, read)


def _is_going(tx: Connection, part: str) -> bool:
    going = select(outages.c.id).where(outages.c.part == part, outages.c.ended_at.is_(None))
    return tx.execute(going).first() is not None


def _service_back(tx: Connection) -> datetime | None:
    """When the service's last outage ended."""
    ended = select(outages.c.ended_at).where(outages.c.part == SERVICE, outages.c.ended_at.is_not(None))
    return tx.execute(ended.order_by(outages.c.ended_at.desc()).limit(1)).scalar_one_or_none()


# ------------------------------------------------------------------ a clock in doubt


def is_clock_in_doubt(db: Db) -> bool:
    """Then no deadline is executed and nobody is reminded."""
    doubt = pulse(db, DOUBT)
    return doubt is not None and "since" in doubt.data


def vouch_for_clock(db: Db, now: datetime) -> bool:
    """The operator says that the clock is right now. False: nobody doubted it.

    The time since the last sweep that nobody doubted counts as an outage: no deadline was executed in it.
    """
    with writing(db) as tx:
        doubt = pulse(tx, DOUBT)
        if doubt is None or "since" not in doubt.data:
            return False
        record_pulse(tx, DOUBT, now)
        _note_gap(tx, Gap(datetime.fromisoformat(doubt.data["since"]), now))
    return True


def _doubt(tx: Connection, now: datetime, doubt: Doubt, last: datetime) -> None:
    """From the last sweep before the first jump on."""
    known = pulse(tx, DOUBT)
    since = last.isoformat() if known is None else known.data.get("since", last.isoformat())
    record_pulse(tx, DOUBT, now, {"since": since, "jump": int(doubt.jump.total_seconds())})


def _settle_doubt(tx: Connection, now: datetime) -> None:
    """Another machine's clock agrees by now."""
    if is_clock_in_doubt(tx) and (seen := _witness(tx, now)) is not None and abs(seen - now) <= DRIFT:
        vouch_for_clock(tx, now)


def _witness(tx: Connection, now: datetime) -> datetime | None:
    """Another machine's clock: a database server's, or the mail server's stamp on a letter just taken in."""
    host = tx.engine.url.host or ""
    if tx.dialect.name == "postgresql" and host not in _HERE and not host.startswith("/"):
        moment: datetime = tx.execute(text("SELECT clock_timestamp()")).scalar_one()
        return moment.astimezone(UTC)
    newest = select(inbox.c.arrived_at, inbox.c.taken_in_at).order_by(inbox.c.id.desc()).limit(1)
    row = tx.execute(newest).first()
    if row is None or abs(now - row.taken_in_at) > DRIFT:
        return None
    arrived, taken_in = row
    stamped: datetime = arrived + (now - taken_in)
    return stamped
