"""When the service or the mail server was out of order, or the clock jumped: no player loses his turn by it.

Pure functions over readings of two clocks: the wall clock, which may be put right or wrong, and the steady
clock of one boot, which only runs forward.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from pbem.campaigns.clock import Due, Phase, next_time

SILENCE: Final = timedelta(minutes=15)  # shorter gaps are restarts and upgrades, no outages
DRIFT: Final = timedelta(seconds=60)  # by which the wall clock may leave the steady one between two readings
REST: Final = timedelta(days=1)  # a deadline so long after an outage's end is left where it is
BELIEVED: Final = timedelta(days=3)  # a longer gap over a reboot may be a wrong clock


@dataclass(frozen=True, slots=True)
class Reading:
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


def judge(before: Reading | None, now: Reading, witness: datetime | None = None) -> Verdict:
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


def _jump(before: Reading, now: Reading) -> timedelta | None:
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
