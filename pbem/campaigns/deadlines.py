"""Time in a campaign: deadlines, grace, reminders, absences, time banks, and when a window closes.

Pure functions: they are handed the current time. A deadline is a wall-clock time in a named zone, kept in UTC
with that zone; a wall-clock time that does not exist or exists twice means the later one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final, Literal, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import ConfigDict, Field, field_validator
from pydantic.dataclasses import dataclass as strict_dataclass

from engine.kernel.game import Window
from pbem.errors import BadInput
from pbem.store.advance import Frozen, NextWindow, next_window_number
from pbem.store.deadlines import timetable
from pbem.store.inbox import last_letter_at
from pbem.store.people import Seated, absences_of
from pbem.store.session import Db
from pbem.store.windows import Due, OpenWindow, SeatOrders, WindowOrders, filed_at

Days: TypeAlias = tuple[date, date]  # first and last day of an absence, both included
Measure: TypeAlias = Literal["standing", "automa", "substitute", "hold"]
ClosingReason: TypeAlias = Literal["all-in", "deadline"]

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
    def _empty_is_none(cls, at: Any) -> Any:
        """TOML has no None: "" means it."""
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


def known_zone(name: str) -> ZoneInfo:
    """The zone of that name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # a folder of zones is no zone
        raise ValueError(f"no time zone {name!r}") from None


# ------------------------------------------------------------------ wall clocks


def wall_clock(moment: datetime, zone: str) -> datetime:
    """What the clocks show there, without a zone."""
    return moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None, fold=0)


def moment_of(local: datetime, zone: str) -> datetime:
    """When the clocks there show this; of two meanings the later one.

    In autumn an hour comes twice, and the second one counts. In spring an hour is left out: a time in it is
    read by the clock that was not yet put forward, which gives the later moment.
    """
    there = local.replace(tzinfo=ZoneInfo(zone))
    return max(there.replace(fold=fold).astimezone(UTC) for fold in (0, 1))


# ------------------------------------------------------------------ one seat's deadline


@dataclass(frozen=True, slots=True)
class SeatTime:
    """What a seat's deadline depends on."""

    zone: str
    away: Sequence[Days] = ()  # in that zone
    bank: int = 0  # seconds


def is_away(away: Sequence[Days], day: date) -> bool:
    return any(first <= day <= last for first, last in away)


def next_time(phase: Phase, zone: str, earliest: datetime, away: Sequence[Days] = ()) -> datetime:
    """The first moment from `earliest` on at which a deadline may fall."""
    start = wall_clock(earliest, zone)
    for later in range(SEARCHED):
        day = start.date() + later * DAY
        if day.isoweekday() not in phase.weekdays or is_away(away, day):
            continue
        if phase.at is None and later == 0:
            return earliest
        moment = moment_of(datetime.combine(day, phase.at or start.time()), zone)
        if moment >= earliest:
            return moment
    raise BadInput(f"no day for a deadline within {SEARCHED} days")


def seat_deadline(terms: ClockTerms, phase: Phase, opened: datetime, seat: SeatTime) -> datetime:
    """Days away do not count, and no deadline falls on one; but a window does not wait for ever."""
    zone = seat.zone if terms.own_zones else terms.zone
    plain = next_time(phase, zone, _after(phase, zone, opened))
    if not seat.away:
        return plain
    rested = next_time(phase, zone, _after(phase, zone, opened, seat.away), seat.away)
    latest = next_time(phase, zone, moment_of(wall_clock(plain, zone) + terms.absence * DAY, zone))
    return max(plain, min(rested, latest))


def _after(phase: Phase, zone: str, opened: datetime, away: Sequence[Days] = ()) -> datetime:
    """When the phase's days, counted on the calendar without those away, and its hours have passed."""
    start = wall_clock(opened, zone)
    day, left = start.date(), phase.days
    for _ in range(SEARCHED):
        if not left:
            break
        day += DAY
        left -= not is_away(away, day)
    same_hour = moment_of(datetime.combine(day, start.time()), zone) if day != start.date() else opened
    return same_hour + timedelta(hours=phase.hours)


# ------------------------------------------------------------------ a window's timetable


@dataclass(frozen=True, slots=True)
class Timetable:
    """When a window's time is up: for each seat, and for all. The window waits for the last of them."""

    zone: str
    seats: Mapping[str, datetime]
    deadline: datetime  # as the letters tell it
    grace: datetime  # letters count up to here; time banks are counted in


def plan_timetable(
    terms: ClockTerms, kind: str, opened: datetime, seats: Mapping[str, SeatTime]
) -> Timetable:
    """The timetable of a window that opens now for these awaited seats."""
    phase = terms.phase(kind)
    own = {seat: seat_deadline(terms, phase, opened, times) for seat, times in sorted(seats.items())}
    if not own:
        own = {"": seat_deadline(terms, phase, opened, SeatTime(terms.zone))}
    deadline = max(own.values())
    banked = [own[seat] + timedelta(seconds=times.bank) for seat, times in seats.items() if terms.bank]
    grace = max([deadline, *banked]) + timedelta(hours=phase.grace)
    return Timetable(terms.zone, own, deadline, grace)


def timetable_rows(table: Timetable, phase: Phase, opened: datetime) -> tuple[Due, ...]:
    """The timetable as rows: reminders that still lie ahead, deadline, grace."""
    rows = [Due("deadline", table.deadline, table.zone), Due("grace", table.grace, table.zone)]
    for seat, deadline in table.seats.items():
        for place, hours in enumerate(sorted(set(phase.reminders), reverse=True)):
            at = deadline - timedelta(hours=hours)
            if seat and at > opened:
                rows.append(Due("reminder", at, table.zone, seat, place))
    return tuple(sorted(rows, key=lambda due: (due.at, due.kind, due.seat, due.place)))


def shift_timetable(rows: Iterable[Due], by: timedelta) -> tuple[Due, ...]:
    """Everything later by so much."""
    return tuple(replace(due, at=due.at + by) for due in rows)


# ------------------------------------------------------------------ closing


def closing_reason(
    phase: Phase,
    due: Iterable[Due],
    read_to: datetime | None,
    *,
    all_in: bool,
    waits: bool,
) -> ClosingReason | None:
    """Does the window close now, and by which rule? None: it stays open.

    All awaited seats are in and none of them said WAIT; or the deadline has passed and all are in; or the
    grace has passed. A time has passed when the inbox was read to its end after it (`read_to`): what the
    mail server took in time counts, however late it is read.
    """
    if all_in and phase.early and not waits:
        return "all-in"
    passed = {row.kind for row in due if read_to is not None and row.at < read_to}
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


def missing_measure(phase: Phase, missed: int) -> Measure:
    """What happens to a seat that sent nothing and had missed so many windows in a row before.

    Standing orders and defaults; a bot for this window; a call for a substitute; the umpire decides.
    """
    return phase.missing[min(missed, len(phase.missing) - 1)]


OWN_ASK: Final = "ASK"  # a seat's own wish to be asked
_NUMBERS: Final = "0123456789"


def phase_kind(window: Window) -> str:
    """The kind of phase: `T3.R`, `T3.4.R` and `T3.R5/F9/combat.draw` are of kind R, `T3.4` of none."""
    if window.once and "@" in window.key:
        return OWN_ASK
    return window.key.partition("/")[0].rpartition(".")[2].rstrip(_NUMBERS)


def label_of(window: OpenWindow | NextWindow) -> str:
    """What letters call a window: `T3.R`; one of a single question by its segment alone: `T3.R2`.

    Its question is its seat's secret.
    """
    key = window.key.rpartition("@")[2] if window.once else window.key
    return key.partition("/")[0]


def turn_of(label: str) -> str:
    """The turn of a window or a segment: `T3`."""
    return label.partition(".")[0]


def is_in_turn(label: str, named: str) -> bool:
    """Does a window or segment of that label belong to the turn, or part of a turn, of that name?

    `T3.R` has the rounds `T3.R1` to `T3.R16`, `T1.1` the battle `T1.1.LIE`; but `T1.1` has no `T1.10`.
    """
    begins, rest = label[: len(named)].casefold(), label[len(named) :]
    starts_part = rest[:1] in ("", ".") or (rest[:1].isdigit() and not named[-1:].isdigit())
    return bool(named) and begins == named.casefold() and starts_part


# ------------------------------------------------------------------ who is in


def awaited_seats(seats: Iterable[str], people: Sequence[Seated], phase: Phase) -> tuple[str, ...]:
    """The seats of a window that it waits for; every letter and command that names them asks here.

    Bots are not waited for. Nor is a vacant seat, for which what is on file or the defaults decide anyway;
    but where the campaign agreed on something else for missing orders, that has its time, and where nobody
    holds any seat nothing runs away. It hangs on nothing hidden: not on what is on file.
    """
    played = any(row.person is not None for row in people)
    held = {row.seat: row for row in people}
    return tuple(
        seat for seat in seats_without_bot(seats, people) if not (played and _is_idle(held[seat], phase))
    )


def _is_idle(row: Seated, phase: Phase) -> bool:
    """Does nobody hold the seat, and does nobody but standing orders and defaults play for it?"""
    return row.person is None and missing_measure(phase, row.missed) in ("standing", "substitute")


def seats_without_bot(seats: Iterable[str], people: Iterable[Seated]) -> tuple[str, ...]:
    """The seats that somebody, or for now nobody, holds."""
    bots = {row.seat for row in people if row.bot is not None}
    return tuple(seat for seat in seats if seat not in bots)


def has_orders(orders: SeatOrders | None) -> bool:
    """Did the seat send orders for this window, good or bad, or say that it has none?"""
    return orders is not None and (
        orders.sheet is not None or bool(orders.replies) or orders.stance == "ready"
    )


def is_put_off(filed: WindowOrders, awaited: Iterable[str]) -> bool:
    """Did one of the awaited seats say WAIT?"""
    return any((own := filed.seats.get(seat)) is not None and own.stance == "wait" for seat in awaited)


# ------------------------------------------------------------------ the next window


def seat_times(db: Db, name: str, clock: ClockTerms, people: Iterable[Seated]) -> dict[str, SeatTime]:
    """What each seat's deadline depends on: its holder's zone and absences, its time bank."""
    times = {}
    for row in people:
        zone, away = clock.zone, list[Days]()
        if row.person is not None:
            zone, away = row.person.zone, absences_of(db, row.person.id, name)
        times[row.seat] = SeatTime(zone, away, row.bank)
    return times


@dataclass(frozen=True, slots=True)
class PlannedWindow:
    """The window to come, and until when it waits."""

    window: NextWindow
    awaited: tuple[str, ...]
    plan: Timetable


def plan_window(
    db: Db, name: str, clock: ClockTerms, window: Window, people: Sequence[Seated], opened: datetime
) -> PlannedWindow:
    """The window that an advance came to, with its timetable."""
    kind = phase_kind(window)
    awaited = awaited_seats(window.seats, people, clock.phase(kind))
    times, asked = seat_times(db, name, clock, people), seats_without_bot(window.seats, people)
    plan = plan_timetable(clock, kind, opened, {seat: times[seat] for seat in asked})
    rows, number = timetable_rows(plan, clock.phase(kind), opened), next_window_number(db, name)
    following = NextWindow(
        number=number, key=window.key, kind=kind, seats=window.seats, once=window.once, timetable=rows
    )
    return PlannedWindow(following, awaited, plan)


# ------------------------------------------------------------------ banks


def banks_after(
    db: Db, filed: WindowOrders, frozen: Frozen, clock: ClockTerms, people: Sequence[Seated]
) -> dict[str, int]:
    """What is left in the time banks of the seats that the frozen window waited for."""
    if clock.bank is None or (window := filed.window) is None:
        return {}
    name, banks = frozen.campaign, dict[str, int]()
    times = seat_times(db, name, clock, people)
    asked = {seat: times[seat] for seat in seats_without_bot(window.seats, people)}
    plan = plan_timetable(clock, window.kind, window.opened_at, asked)
    rows = [row.due for row in timetable(db, name, window.number)]
    now = next((due.at for due in rows if due.kind == "deadline"), plan.deadline)
    moved = now - plan.deadline  # by outages and umpires
    for seat in awaited_seats(window.seats, people, clock.phase(window.kind)):
        own, answered = asked[seat], None
        if has_orders(filed.seats.get(seat)):
            stamp = filed_at(db, name, window.number, seat)
            last = last_letter_at(db, name, seat, frozen.close.t)
            answered = stamp.arrived if stamp is not None else last
        banks[seat] = bank_after(own.bank, clock.bank, plan.seats[seat] + moved, answered, plan.grace + moved)
    return banks
