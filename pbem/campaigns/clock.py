"""Time in a campaign: deadlines, grace, reminders, absences, time banks, and when a window closes.

Pure functions: what time it is, is told. A deadline is a wall-clock time in a named zone, kept in UTC with
that zone; a wall-clock time that does not exist or exists twice means the later one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final, Literal, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, field_validator
from pydantic.dataclasses import dataclass as strict_dataclass

from pbem.errors import BadInput

Days: TypeAlias = tuple[date, date]  # first and last day of an absence, both included
Measure: TypeAlias = Literal["standing", "automa", "substitute", "hold"]
Closing: TypeAlias = Literal["all-in", "deadline"]

DAY: Final = timedelta(days=1)
SEARCHED: Final = 800  # days looked through for one on which a deadline may fall
_STRICT: Final = ConfigDict(extra="forbid")


# ------------------------------------------------------------------ terms


@strict_dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Phase:
    """The clock of one kind of phase."""

    days: int = Field(default=7, ge=0, le=365)  # on the calendar
    hours: float = Field(default=0, ge=0, le=24 * 31)  # and so many hours more
    at: time | None = time(20, 0)  # the next such time is the deadline; None: the very moment
    weekdays: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7)  # a deadline may fall on; Monday is 1
    grace: int = Field(default=0, ge=0, le=24 * 14)  # hours after the deadline, for those who are late
    reminders: tuple[int, ...] = (48, 12)  # hours before the deadline
    early: bool = True  # go on as soon as all are in and nobody said WAIT
    missing: tuple[Measure, ...] = ("standing",)  # first, second … window in a row without a letter

    @field_validator("at", mode="before")
    @classmethod
    def _the_very_moment(cls, at: Any) -> Any:
        """TOML has no word for None: "" says it."""
        return None if at == "" else at

    def __post_init__(self) -> None:
        if not self.weekdays or not set(self.weekdays) <= set(range(1, 8)):
            raise ValueError("weekdays are numbers from 1 (Monday) to 7, one at least")
        if not self.missing:
            raise ValueError("missing names one measure at least")
        if any(hours < 0 for hours in self.reminders):
            raise ValueError("reminders are hours before the deadline")
        if self.days == 0 and self.hours == 0:
            raise ValueError("a phase lasts a day or an hour at least")


@strict_dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Bank:
    """A time bank: what a seat may take beyond its deadlines. Seconds."""

    start: int = Field(ge=0)
    increment: int = Field(default=0, ge=0)  # for every window it answered in
    most: int = Field(ge=0)


@strict_dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class ClockTerms:
    """What a campaign agreed on about time."""

    zone: str = "UTC"
    own_zones: bool = False  # each seat's deadline is at that time in its holder's own zone
    phases: Mapping[str, Phase] = field(default_factory=dict)  # by kind; "" is for all others
    absence: int = Field(default=30, ge=0)  # days that one window waits at most for those who are away
    bank: Bank | None = None

    def __post_init__(self) -> None:
        known_zone(self.zone)

    def phase(self, kind: str) -> Phase:
        return self.phases.get(kind) or self.phases.get("") or Phase()


_TERMS: Final = TypeAdapter(ClockTerms)


def read_terms(data: Mapping[str, Any]) -> ClockTerms:
    """The terms from configuration, or one precise complaint."""
    try:
        return _TERMS.validate_python(data)
    except ValidationError as error:
        problem = error.errors()[0]
        raise BadInput(f"clock: {'.'.join(map(str, problem['loc']))}: {problem['msg']}") from None


def write_terms(terms: ClockTerms) -> dict[str, Any]:
    """Plain data for the store; `read_terms` reads it."""
    data: dict[str, Any] = _TERMS.dump_python(terms, mode="json")
    return data


def known_zone(name: str) -> ZoneInfo:
    """The zone of that name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # a folder of zones is no zone
        raise ValueError(f"no time zone {name!r}") from None


# ------------------------------------------------------------------ wall clocks


def wall(moment: datetime, zone: str) -> datetime:
    """What the clocks show there, without a zone."""
    return moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None, fold=0)


def moment_of(local: datetime, zone: str) -> datetime:
    """When the clocks there show this; of two meanings the later one.

    In autumn an hour comes twice, and the second one counts. In spring an hour is left out: a time in it is
    read by the clock that was not yet put forward, which gives the later moment.
    """
    here = local.replace(tzinfo=ZoneInfo(zone))
    return max(here.replace(fold=fold).astimezone(UTC) for fold in (0, 1))


# ------------------------------------------------------------------ one seat's deadline


@dataclass(frozen=True, slots=True)
class SeatsTime:
    """What a seat's deadline depends on."""

    zone: str
    away: Sequence[Days] = ()  # in that zone
    bank: int = 0  # seconds

    def is_away(self, day: date) -> bool:
        return any(first <= day <= last for first, last in self.away)


def never(_: date) -> bool:
    return False


def next_time(
    phase: Phase, zone: str, earliest: datetime, is_away: Callable[[date], bool] = never
) -> datetime:
    """The first moment from `earliest` on at which a deadline may fall."""
    start = wall(earliest, zone)
    for later in range(SEARCHED):
        day = start.date() + later * DAY
        if day.isoweekday() not in phase.weekdays or is_away(day):
            continue
        if phase.at is None and later == 0:
            return earliest
        moment = moment_of(datetime.combine(day, phase.at or start.time()), zone)
        if moment >= earliest:
            return moment
    raise BadInput(f"no day for a deadline within {SEARCHED} days")


def seat_deadline(terms: ClockTerms, phase: Phase, opened: datetime, seat: SeatsTime) -> datetime:
    """Days away do not count, and no deadline falls on one; but a window does not wait for ever."""
    zone = seat.zone if terms.own_zones else terms.zone
    plain = next_time(phase, zone, _after(phase, zone, opened, never))
    if not seat.away:
        return plain
    rested = next_time(phase, zone, _after(phase, zone, opened, seat.is_away), seat.is_away)
    latest = next_time(phase, zone, moment_of(wall(plain, zone) + terms.absence * DAY, zone))
    return max(plain, min(rested, latest))


def _after(phase: Phase, zone: str, opened: datetime, is_away: Callable[[date], bool]) -> datetime:
    """When the phase's days, counted on the calendar without those away, and its hours have passed."""
    start = wall(opened, zone)
    day, left = start.date(), phase.days
    for _ in range(SEARCHED):
        if not left:
            break
        day += DAY
        left -= not is_away(day)
    same_hour = moment_of(datetime.combine(day, start.time()), zone) if day != start.date() else opened
    return same_hour + timedelta(hours=phase.hours)


# ------------------------------------------------------------------ a window's timetable


@dataclass(frozen=True, slots=True)
class Due:
    """A row of the timetable."""

    kind: Literal["reminder", "deadline", "grace"]
    at: datetime
    zone: str
    seat: str = ""  # "": the whole window
    place: int = 0


@dataclass(frozen=True, slots=True)
class Timetable:
    """When a window's time is up: for each seat, and for all. The window waits for the last of them."""

    zone: str
    seats: Mapping[str, datetime]
    deadline: datetime  # as the letters tell it
    grace: datetime  # letters count up to here; time banks are counted in


def timetable(terms: ClockTerms, kind: str, opened: datetime, seats: Mapping[str, SeatsTime]) -> Timetable:
    """The timetable of a window that opens now for these awaited seats."""
    phase = terms.phase(kind)
    own = {seat: seat_deadline(terms, phase, opened, told) for seat, told in sorted(seats.items())}
    if not own:
        own = {"": seat_deadline(terms, phase, opened, SeatsTime(terms.zone))}
    deadline = max(own.values())
    banked = [own[seat] + timedelta(seconds=told.bank) for seat, told in seats.items() if terms.bank]
    grace = max([deadline, *banked]) + timedelta(hours=phase.grace)
    return Timetable(terms.zone, own, deadline, grace)


def rows(table: Timetable, phase: Phase, opened: datetime) -> tuple[Due, ...]:
    """The timetable as rows: reminders that still lie ahead, deadline, grace."""
    found = [Due("deadline", table.deadline, table.zone), Due("grace", table.grace, table.zone)]
    for seat, deadline in table.seats.items():
        for place, hours in enumerate(sorted(set(phase.reminders), reverse=True)):
            at = deadline - timedelta(hours=hours)
            if seat and at > opened:
                found.append(Due("reminder", at, table.zone, seat, place))
    return tuple(sorted(found, key=lambda due: (due.at, due.kind, due.seat, due.place)))


def extended(due: Iterable[Due], by: timedelta) -> tuple[Due, ...]:
    """Everything later by so much: the umpire's EXTEND."""
    return tuple(Due(one.kind, one.at + by, one.zone, one.seat, one.place) for one in due)


# ------------------------------------------------------------------ closing


def closing(
    phase: Phase,
    due: Iterable[Due],
    read_to: datetime | None,
    awaited: Iterable[str],
    filed: Iterable[str],
    waits: Iterable[str],
) -> Closing | None:
    """Does the window close now, and by which rule? None: it stays open.

    All awaited seats are in and nobody said WAIT; or the deadline has passed and all are in; or the grace
    has passed. A time has passed when the inbox was read to its end after it (`read_to`): what the mail
    server took in time counts, however late it is read.
    """
    all_in = set(awaited) <= set(filed)
    if all_in and phase.early and not set(waits):
        return "all-in"
    passed = {one.kind for one in due if read_to is not None and one.at < read_to}
    if "grace" in passed or (all_in and "deadline" in passed):
        return "deadline"
    return None


def bank_after(bank: int, terms: Bank, deadline: datetime, answered: datetime | None, grace: datetime) -> int:
    """What is left in a seat's time bank when its window closed; `answered` None: it never did.

    The bank pays for the time between the seat's deadline and its answer. Only who answers earns.
    """
    used = max(timedelta(0), (answered or grace) - deadline)
    left = max(0, bank - -(-used // timedelta(seconds=1)))  # a second begun is a second used
    return min(max(terms.most, left), left + terms.increment) if answered is not None else left


def measure(phase: Phase, missed: int) -> Measure:
    """What happens to a seat that sent nothing, when it missed so many windows in a row before.

    Standing orders and defaults; a bot for this window; a substitute is called; the umpire decides.
    """
    return phase.missing[min(missed, len(phase.missing) - 1)]
