"""The vigil: signs of life, the two clocks, and whether the mail is read.

Every sweep leaves its sign, so that the next one sees whether the service stood still; reads the wall clock
beside the steady one, so that a clock put wrong executes no deadline; and looks how far the inbox was read,
so that a mail server out of order costs nobody his turn. A clock in doubt stays so until another machine's
clock vouches for it (the database's, or a mail server's that stamped a letter just now) or the operator does.
"""

from __future__ import annotations

import platform
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sqlalchemy import select, text
from sqlalchemy.engine import Connection

from pbem.campaigns.outages import DRIFT, SILENCE, Doubt, Gap, Reading, Verdict, judge
from pbem.office import Office
from pbem.store.connect import Db, writing
from pbem.store.deadlines import Pulse, beat, outage_began, outage_ended, pulse
from pbem.store.mailbag import read_to
from pbem.store.schema_mail import inbox, outages
from pbem.store.times_ahead import bring_back

SERVICE: Final = "service"  # the part that was out of order when nothing swept
MAIL: Final = "mail"  # when the inbox could not be read
SWEEP: Final = "sweep"  # the pulse of the sweep, on whatever machine
DOUBT: Final = "clock in doubt"
_HERE: Final = ("", "localhost", "127.0.0.1", "::1")  # a database on this machine has no clock of its own
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")


def read_clocks(now: datetime) -> Reading:
    """The wall clock as it was told, and this machine's steady one, which also counts while it sleeps."""
    boot = _BOOT_ID.read_text().strip() if _BOOT_ID.exists() else platform.node()
    return Reading(now, time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)), boot)


def keep_vigil(office: Office, clocks: Reading) -> Verdict:
    """Compare this sign of life with the last one, note what happened since, and leave a new one."""
    node = f"clock {platform.node()}"[:80]
    with writing(office.db) as tx:
        own, swept = pulse(tx, node), pulse(tx, SWEEP)
        before = None if own is None else _reading(own)
        verdict = judge(before, clocks, _witness(tx, clocks.wall))
        last = clocks.wall if swept is None else swept.at
        if isinstance(verdict, Doubt):
            _doubt(tx, clocks.wall, verdict, last)
        elif not is_clock_in_doubt(tx):
            _note_gap(tx, Gap(last, clocks.wall))
        beat(tx, node, clocks.wall, {"steady": clocks.steady, "boot": clocks.boot})
        beat(tx, SWEEP, clocks.wall)
        _settle_doubt(tx, clocks.wall)
        bring_back(tx, clocks.wall)
    return verdict


def _reading(own: Pulse) -> Reading:
    return Reading(own.at, own.data["steady"], own.data["boot"])


# ------------------------------------------------------------------ outages


def _note_gap(tx: Connection, gap: Gap) -> None:
    """Nothing swept, on any machine: the service was out of order, and is no longer.

    While the mail is out of order as well, its own outage counts for both.
    """
    if gap.length > SILENCE and not _is_going(tx, MAIL):
        outage_began(tx, SERVICE, gap.began)
        outage_ended(tx, SERVICE, gap.ended)


def watch_mail(office: Office) -> None:
    """Where the inbox was not read for long, the mail server or the way to it is out of order.

    Time in which the service itself stood still is counted there.
    """
    db, now, read = office.db, office.now(), read_to(office.db)
    if read is None:
        return  # no mailbox was ever read: there is nothing to wait for yet
    with writing(db) as tx:
        if (since := max(read, _service_back(tx) or read)) < now - SILENCE:
            outage_began(tx, MAIL, since)
        elif read >= now - SILENCE:
            outage_ended(tx, MAIL, read)


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
        beat(tx, DOUBT, now)
        _note_gap(tx, Gap(datetime.fromisoformat(doubt.data["since"]), now))
    return True


def _doubt(tx: Connection, now: datetime, doubt: Doubt, last: datetime) -> None:
    """From the last sweep before the first jump on."""
    known = pulse(tx, DOUBT)
    since = last.isoformat() if known is None else known.data.get("since", last.isoformat())
    beat(tx, DOUBT, now, {"since": since, "jump": int(doubt.jump.total_seconds())})


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
