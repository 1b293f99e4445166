"""A clock that jumps a day ahead, back, and a day back: no turn early, no deadline lost.

The service's processes see another time than this one does, by libfaketime; the mail server keeps the right
one, and its stamp on a letter is what the service trusts in the end.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from random import Random

from pbem.campaigns.clock import ClockTerms, Phase
from pbem.campaigns.policy import Policy
from pbem.campaigns.vigil import is_clock_in_doubt
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
                row.due.at for row in timetable(here.office.db, NAME, 1) if row.due.kind == "deadline"
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
    doubted = here.until(lambda: is_clock_in_doubt(here.office.db), SEEN)
    check(doubted, f"nobody doubts a clock that is {seconds} s off")
    here.passes(5)
    clock.set(0)
    here.passes(2)
    one = here.players.people[0]
    for _ in range(6):
        here.players.write(one, MAILBOX, f"[{NAME}]", "STATUS\n")
        if here.until(lambda: not is_clock_in_doubt(here.office.db), 15):
            break
    check(not is_clock_in_doubt(here.office.db), "the clock is right, and still in doubt")
    say(f"{seconds:+d} s and back within {time.monotonic() - began:.0f} s")
