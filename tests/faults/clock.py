"""A clock that jumps a day ahead, back, and a day back: no turn early, no deadline lost.

The service's processes see another time than this one does, by libfaketime; the mail server keeps the right
one, and its stamp on a letter is what the service trusts in the end.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from datetime import time as time_of_day
from pathlib import Path
from random import Random

from pbem.campaigns.deadlines import ClockTerms, Phase
from pbem.campaigns.outages import is_clock_in_doubt
from pbem.campaigns.policy import Policy
from pbem.store.deadlines import timetable
from pbem.store.schema_mail import windows
from tests.faults.checks import Findings, rows
from tests.faults.course import closed
from tests.faults.ground import Ground, Size, ground
from tests.faults.players import MAILBOX
from tests.packages import installed
from tests.servers import HOST

DAY = 86400
NAME = "FWW-1"
SEEN = 40.0  # seconds: two sweeps, at least
ZONE = "Europe/Paris"
CHANGES = {  # when the clocks there are put forward from 2 to 3, and back from 3 to 2
    "spring": datetime(2027, 3, 28, 1, tzinfo=UTC),
    "autumn": datetime(2027, 10, 31, 1, tzinfo=UTC),
}
BEFORE, AFTER = timedelta(seconds=50), timedelta(seconds=25)  # of the change: the beginning, the deadline
LIBRARIES = "/usr/lib/*/faketime/libfaketime.so.1"


@dataclass(slots=True)
class Jumps:
    """What happened."""

    due: datetime | None = None
    closed_at: datetime | None = None
    told: int = 0  # letters to the umpire
    findings: Findings = field(default_factory=Findings)


class FakeClock:
    """The processes' clock, so many seconds off."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "clock"
        self.set(0)

    def set(self, seconds: int) -> None:
        fresh = self._file.with_suffix(".new")
        fresh.write_text(f"{seconds:+d}\n")
        fresh.replace(self._file)

    @staticmethod
    def off(moment: datetime) -> int:
        """How far a clock is off that shows that moment now."""
        return round((moment - datetime.now(UTC)).total_seconds())

    def environment(self) -> dict[str, str]:
        library = installed(_library, "faketime")
        return {
            "LD_PRELOAD": str(library),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_CACHE_DURATION": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }


def _library() -> Path | None:
    return next(iter(sorted(Path("/").glob(LIBRARIES.removeprefix("/")))), None)


def run_jumps(folder: Path, say: Callable[[str], None], hours: float = 0.04) -> Jumps:
    """The first window's deadline comes a few minutes after its opening."""
    jumps, clock = Jumps(), FakeClock(folder)
    policy = Policy(clock=ClockTerms(phases={"": Phase(days=0, hours=hours, at=None, reminders=())}))
    size = Size(campaigns=1, parents=1)
    with ground(folder, "sqlite", Random(1), size, policy) as here:
        here.processes.environment = dict(here.processes.environment) | clock.environment()
        with here.processes:
            check = jumps.findings.check
            check(here.until(lambda: closed(here)[NAME] == 1, 120), "the campaign did not begin")
            (jumps.due,) = [
                row.due.at for row in timetable(here.service.db, NAME, 1) if row.due.kind == "deadline"
            ]
            for seconds in (DAY, -DAY):
                _jump(here, clock, seconds, jumps, say)
            check(closed(here)[NAME] == 1, "the window closed before its time")
            check(here.until(lambda: closed(here)[NAME] == 2, 60 * 60 * hours + 90), "the deadline is lost")
            jumps.closed_at = rows(here, windows, "closed_at", "number")[0][0]
            jumps.told = sum(one.recipient == f"ursula@{HOST}" for one in here.smtp.handed)
            say(f"due {jumps.due:%X}, closed {jumps.closed_at:%X}")
    return jumps


def _jump(here: Ground, clock: FakeClock, seconds: int, jumps: Jumps, say: Callable[[str], None]) -> None:
    """There and back; a letter then shows that the clock is right."""
    check, began = jumps.findings.check, time.monotonic()
    clock.set(seconds)
    doubted = here.until(lambda: is_clock_in_doubt(here.service.db), SEEN)
    check(doubted, f"nobody doubts a clock that is {seconds} s off")
    here.passes(5)
    clock.set(0)
    here.passes(2)
    one = here.players.people[0]
    for _ in range(6):
        here.players.write(one, MAILBOX, f"[{NAME}]", "STATUS\n")
        if here.until(lambda: not is_clock_in_doubt(here.service.db), 15):
            break
    check(not is_clock_in_doubt(here.service.db), "the clock is right, and still in doubt")
    say(f"{seconds:+d} s and back within {time.monotonic() - began:.0f} s")


def run_summer_time(folder: Path, season: str, say: Callable[[str], None]) -> Jumps:
    """A deadline at half a minute past two, on the night in which that time is left out, or comes twice.

    It means the later moment: a quarter to half a minute after the change, for either.
    """
    done, clock, change = Jumps(), FakeClock(folder), CHANGES[season]
    at = (datetime.combine(change, time_of_day(2)) + AFTER).time()
    phase = Phase(days=0, hours=0.001, at=at, reminders=())
    policy = Policy(clock=ClockTerms(zone=ZONE, phases={"": phase}))
    with ground(folder, "sqlite", Random(1), Size(campaigns=1, parents=1, maps=False), policy) as here:
        clock.set(clock.off(change - BEFORE))
        here.processes.environment = dict(here.processes.environment) | clock.environment() | {"TZ": ZONE}
        with here.processes:
            _over_the_change(here, done, change)
            say(f"due {done.due:%X}, closed {done.closed_at:%X} UTC, the change was at {change:%X}")
    return done


def _over_the_change(here: Ground, done: Jumps, change: datetime) -> None:
    check = done.findings.check
    check(here.until(lambda: closed(here)[NAME] == 1, 45), "the campaign did not begin")
    (done.due,) = [row.due.at for row in timetable(here.service.db, NAME, 1) if row.due.kind == "deadline"]
    check(done.due == change + AFTER, f"due at {done.due:%X}, not at {change + AFTER:%X}")
    opened = rows(here, windows, "opened_at", "number")[0][0]
    check(opened < change, "the campaign began too late to be there at the change")
    check(here.until(lambda: closed(here)[NAME] == 2, 180), "the deadline is lost")
    done.closed_at = rows(here, windows, "closed_at", "number")[0][0]
    check(done.closed_at is not None and done.closed_at >= done.due, "the window closed before its time")
    late = done.closed_at is None or done.closed_at - done.due > timedelta(seconds=60)
    check(not late, "the deadline was executed late")
