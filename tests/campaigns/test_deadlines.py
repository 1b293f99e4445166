"""Deadlines, absences, reminders, time banks, and when a window closes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.campaigns.deadlines import (
    Bank,
    ClockTerms,
    Phase,
    SeatTime,
    bank_after,
    closing_reason,
    is_away,
    missing_measure,
    moment_of,
    plan_timetable,
    seat_deadline,
    shift_timetable,
    timetable_rows,
    wall_clock,
)
from pbem.campaigns.policy import Policy, read_policy, write_policy
from pbem.errors import BadInput
from pbem.store.windows import Due
from tests.campaigns.test_wall_clock import ZONES

PARIS = "Europe/Paris"
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
TUESDAY = datetime(2026, 11, 17, 9, 0, tzinfo=UTC)


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc,arg-type]  # how many parts is not known


def deadline(phase: Phase, opened: datetime, *away: tuple[date, date], **terms: Any) -> datetime:
    told = ClockTerms(zone=PARIS, **terms)
    return seat_deadline(told, phase, opened, SeatTime(PARIS, away))


# ------------------------------------------------------------------ deadlines

phases = st.builds(
    Phase,
    days=st.integers(1, 21),
    hours=st.integers(0, 30),
    at=st.none() | st.times().map(lambda t: t.replace(second=0, microsecond=0)),
    weekdays=st.sets(st.integers(1, 7), min_size=1).map(lambda days: tuple(sorted(days))),
)
moments = st.datetimes(datetime(2009, 1, 1), datetime(2035, 1, 1), timezones=st.just(UTC))


@given(phases, moments, st.sampled_from(ZONES))
def test_a_deadline_is_the_first_time_agreed_after_the_days_agreed(
    phase: Phase, opened: datetime, zone: str
) -> None:
    found = seat_deadline(ClockTerms(zone=zone), phase, opened, SeatTime(zone))
    over = moment_of(wall_clock(opened, zone) + phase.days * DAY, zone) + phase.hours * HOUR
    days = [wall_clock(over, zone).date() + n * DAY for n in range(9)]
    allowed = [day for day in days if day.isoweekday() in phase.weekdays]
    times = [
        moment_of(datetime.combine(day, phase.at or wall_clock(over, zone).time()), zone) for day in allowed
    ]
    if phase.at is None and allowed[0] == days[0]:
        assert over == found
    else:
        assert min(one for one in times if one >= over) == found


@given(phases, moments, st.sampled_from(["UTC", "Asia/Kolkata"]), st.integers(0, 5000))
def test_with_a_time_of_day_a_window_that_opens_later_is_not_due_earlier(
    phase: Phase, opened: datetime, zone: str, later: int
) -> None:
    evening, terms = replace(phase, at=phase.at or time(20, 0)), ClockTerms(zone=zone)
    first = seat_deadline(terms, evening, opened, SeatTime(zone))
    assert seat_deadline(terms, evening, opened + timedelta(minutes=later), SeatTime(zone)) >= first


def test_a_deadline_keeps_its_wall_clock_time_over_a_change_of_clocks() -> None:
    phase = Phase(days=7, at=time(20, 0))
    assert utc(2026, 3, 30, 18) == deadline(phase, utc(2026, 3, 23, 15))
    assert utc(2026, 10, 26, 19) == deadline(phase, utc(2026, 10, 19, 15))


def test_a_deadline_in_the_hour_that_comes_twice_is_in_the_second_one() -> None:
    assert utc(2026, 10, 25, 1, 30) == deadline(Phase(days=1, at=time(2, 30)), utc(2026, 10, 24, 0, 0))


def test_a_deadline_in_the_hour_left_out_is_an_hour_later() -> None:
    assert utc(2026, 3, 29, 1, 30) == deadline(Phase(days=1, at=time(2, 30)), utc(2026, 3, 28, 1, 0))


def test_weekdays() -> None:
    assert utc(2026, 11, 27, 19) == deadline(Phase(days=3, weekdays=(5,)), utc(2026, 11, 20, 18))
    assert utc(2026, 11, 23, 19) == deadline(Phase(days=4, weekdays=(1, 2, 3, 4, 5)), TUESDAY)


def test_hours_without_a_time_of_day() -> None:
    assert TUESDAY + 36 * HOUR == deadline(Phase(days=0, hours=36, at=None), TUESDAY)
    assert utc(2026, 11, 21, 9) == deadline(Phase(days=2, at=None, weekdays=(6,)), TUESDAY)


def test_each_seat_in_its_own_zone() -> None:
    terms = ClockTerms(zone=PARIS, own_zones=True, phases={"": Phase(days=7)})
    seats = {"A": SeatTime(PARIS), "B": SeatTime("America/New_York"), "C": SeatTime("Asia/Kolkata")}
    table = plan_timetable(terms, "orders", TUESDAY, seats)
    assert {
        "A": utc(2026, 11, 24, 19),
        "B": utc(2026, 11, 25, 1),
        "C": utc(2026, 11, 24, 14, 30),
    } == table.seats
    assert utc(2026, 11, 25, 1) == table.deadline


# ------------------------------------------------------------------ absences


def test_days_away_do_not_count() -> None:
    away = (date(2026, 11, 18), date(2026, 11, 20))
    assert utc(2026, 11, 27, 19) == deadline(Phase(days=7), TUESDAY, away)


def test_no_deadline_falls_on_a_day_away() -> None:
    away = (date(2026, 11, 24), date(2026, 11, 25))
    assert date(2026, 11, 26) == deadline(Phase(days=7), TUESDAY, away).date()
    assert date(2026, 11, 30) == deadline(Phase(days=7, weekdays=(1, 2)), TUESDAY, away).date()


def test_a_window_does_not_wait_for_ever() -> None:
    away = (date(2026, 11, 18), date(2027, 11, 18))
    assert utc(2026, 12, 4, 19) == deadline(Phase(days=7), TUESDAY, away, absence=10)
    assert utc(2026, 11, 24, 19) == deadline(Phase(days=7), TUESDAY, away, absence=0)


def test_the_window_waits_for_the_last_seat() -> None:
    terms = ClockTerms(zone=PARIS, phases={"": Phase(days=7)})
    seats = {"A": SeatTime(PARIS), "B": SeatTime(PARIS, ((date(2026, 11, 18), date(2026, 11, 19)),))}
    table = plan_timetable(terms, "orders", TUESDAY, seats)
    assert utc(2026, 11, 26, 19) == table.deadline and utc(2026, 11, 24, 19) == table.seats["A"]


days = st.dates(date(2026, 11, 1), date(2027, 1, 31))
away_days = st.lists(st.tuples(days, st.integers(0, 12)), max_size=4).map(
    lambda drawn: tuple((first, first + n * DAY) for first, n in drawn)
)


@given(phases, away_days)
def test_an_absence_never_makes_a_deadline_earlier(phase: Phase, away: tuple[tuple[date, date], ...]) -> None:
    plain, found = deadline(phase, TUESDAY), deadline(phase, TUESDAY, *away)
    assert plain <= found <= plain + 45 * DAY
    shown = wall_clock(found, PARIS)
    limit = wall_clock(plain, PARIS) + 30 * DAY
    assert shown >= limit or not is_away(away, shown.date())


# ------------------------------------------------------------------ rows


def test_reminders_stand_before_each_seats_own_deadline_and_only_ahead() -> None:
    phase = Phase(days=2, reminders=(12, 72, 24))
    table = plan_timetable(ClockTerms(zone=PARIS, phases={"": phase}), "x", TUESDAY, {"A": SeatTime(PARIS)})
    found = timetable_rows(table, phase, TUESDAY)
    assert [
        ("reminder", 24, "A", 1),
        ("reminder", 12, "A", 2),
        ("deadline", 0, "", 0),
        ("grace", 0, "", 0),
    ] == [(due.kind, (table.deadline - due.at) // HOUR, due.seat, due.place) for due in found]


def test_grace_and_time_bank() -> None:
    terms = ClockTerms(zone=PARIS, phases={"": Phase(days=1, grace=6)}, bank=Bank(start=7200, most=7200))
    table = plan_timetable(
        terms, "x", TUESDAY, {"A": SeatTime(PARIS, bank=7200), "B": SeatTime(PARIS, bank=60)}
    )
    assert 8 * HOUR == table.grace - table.deadline


def test_a_phase_of_its_own_and_one_for_all_others() -> None:
    terms = ClockTerms(phases={"": Phase(days=3), "battle": Phase(days=1)})
    assert (1, 3) == (terms.phase("battle").days, terms.phase("orders").days)
    assert 7 == ClockTerms().phase("orders").days


def test_extending() -> None:
    (due,) = shift_timetable([Due("deadline", TUESDAY, PARIS)], 2 * DAY)
    assert Due("deadline", TUESDAY + 2 * DAY, PARIS) == due


# ------------------------------------------------------------------ closing

TABLE = (Due("deadline", TUESDAY, PARIS), Due("grace", TUESDAY + 6 * HOUR, PARIS))


@pytest.mark.parametrize(
    ("all_in", "waits", "read_to", "why"),
    [
        (True, False, None, "all-in"),
        (False, False, TUESDAY - HOUR, None),
        (True, True, TUESDAY - HOUR, None),  # WAIT
        (True, True, TUESDAY, None),  # what arrives with the stroke is not read yet
        (True, True, TUESDAY + HOUR, "deadline"),  # WAIT ends at the deadline
        (False, False, TUESDAY + HOUR, None),  # grace
        (False, False, TUESDAY + 7 * HOUR, "deadline"),
        (False, True, TUESDAY + 7 * HOUR, "deadline"),
        (False, False, None, None),  # the inbox was never read
    ],
)
def test_when_a_window_closes(all_in: bool, waits: bool, read_to: datetime | None, why: str | None) -> None:
    assert why == closing_reason(Phase(), TABLE, read_to, all_in=all_in, waits=waits)


def test_without_early_processing_the_deadline_is_waited_for() -> None:
    rarely = Phase(early=False)
    assert closing_reason(rarely, TABLE, TUESDAY - HOUR, all_in=True, waits=False) is None
    assert "deadline" == closing_reason(rarely, TABLE, TUESDAY + HOUR, all_in=True, waits=False)


# ------------------------------------------------------------------ time bank, missing orders

BANK = Bank(start=3600, increment=600, most=4000)


@pytest.mark.parametrize(
    ("bank", "late", "left"),
    [
        (3600, timedelta(hours=-5), 4000),  # earned, up to the most
        (1000, timedelta(0), 1600),
        (1000, timedelta(seconds=400), 1200),
        (1000, timedelta(seconds=400, microseconds=1), 1199),
        (1000, timedelta(hours=5), 600),
        (1000, None, 0),  # never answered: used up, and nothing earned
    ],
)
def test_the_time_bank(bank: int, late: timedelta | None, left: int) -> None:
    answered = None if late is None else TUESDAY + late
    assert left == bank_after(bank, BANK, TUESDAY, answered, TUESDAY + 10 * HOUR)


@given(st.integers(0, 10_000), st.integers(-10_000, 50_000))
def test_a_bank_is_never_overdrawn_nor_above_what_it_may_hold(bank: int, late: int) -> None:
    left = bank_after(bank, BANK, TUESDAY, TUESDAY + timedelta(seconds=late), TUESDAY + 20 * HOUR)
    assert 0 <= left <= max(bank, BANK.most)


def test_measures_grow_with_every_window_missed() -> None:
    phase = Phase(missing=("standing", "standing", "automa", "substitute"))
    assert ["standing", "standing", "automa", "substitute", "substitute"] == [
        missing_measure(phase, n) for n in range(5)
    ]


# ------------------------------------------------------------------ terms


@given(
    st.builds(
        ClockTerms, zone=st.sampled_from(ZONES), phases=st.dictionaries(st.sampled_from(["", "x"]), phases)
    )
)
def test_terms_survive_the_store(terms: ClockTerms) -> None:
    assert terms == read_policy(write_policy(Policy(clock=terms))).clock


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ({"zone": "Europe/Berlim"}, "no time zone"),
        ({"zoen": "UTC"}, "zoen"),
        ({"phases": {"": {"weekdays": []}}}, "one at least"),
        ({"phases": {"": {"weekdays": [0]}}}, "from 1"),
        ({"phases": {"": {"days": 0}}}, "a day or an hour"),
        ({"phases": {"": {"missing": ["pray"]}}}, "standing"),
        ({"phases": {"": {"reminders": [-1]}}}, "before the deadline"),
        ({"bank": {"start": -1, "most": 0}}, "bank.start"),
    ],
)
def test_wrong_terms_are_refused_by_name(data: dict[str, object], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        read_policy({"clock": data})
