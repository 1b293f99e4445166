"""Outages and jumping clocks: they move deadlines, and never cost a player his turn."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.campaigns.deadlines import Phase, wall_clock
from pbem.campaigns.outages import (
    ClockReading,
    Doubt,
    Gap,
    Steady,
    Verdict,
    judge,
    move_deadline,
    move_timetable,
)
from pbem.store.windows import Due
from tests.campaigns.test_wall_clock import ZONES

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
NOON = datetime(2026, 11, 17, 12, 0, tzinfo=UTC)
BEFORE = ClockReading(NOON, 1000.0, "boot-1")
PARIS = "Europe/Paris"


def later(passed: timedelta, steady: timedelta | None = None, boot: str = "boot-1") -> ClockReading:
    run = passed if steady is None else steady
    return ClockReading(NOON + passed, 1000.0 + run.total_seconds(), boot)


@pytest.mark.parametrize(
    ("now", "verdict"),
    [
        (later(15 * timedelta(seconds=1)), Steady()),
        (later(10 * MINUTE), Steady()),  # a restart
        (later(3 * HOUR), Gap(NOON, NOON + 3 * HOUR)),
        (later(3 * HOUR, steady=MINUTE), Doubt(3 * HOUR - MINUTE)),  # slept, or jumped?
        (later(-HOUR, steady=MINUTE), Doubt(-HOUR - MINUTE)),
        (later(-HOUR, boot="boot-2"), Doubt(-HOUR)),
        (later(2 * DAY, boot="boot-2"), Gap(NOON, NOON + 2 * DAY)),
        (later(400 * DAY, boot="boot-2"), Doubt(400 * DAY)),
        (later(MINUTE, boot="boot-2"), Steady()),
    ],
)
def test_two_clocks_tell_a_gap_from_a_jump(now: ClockReading, verdict: Verdict) -> None:
    assert verdict == judge(BEFORE, now)


@pytest.mark.parametrize(
    ("now", "verdict"),
    [
        (later(3 * HOUR, steady=MINUTE), Gap(NOON, NOON + 3 * HOUR)),  # the machine slept
        (later(-HOUR, steady=MINUTE), Steady()),  # a clock put right
        (later(400 * DAY, boot="boot-2"), Gap(NOON, NOON + 400 * DAY)),
    ],
)
def test_another_machines_clock_ends_the_doubt(now: ClockReading, verdict: Verdict) -> None:
    assert verdict == judge(BEFORE, now, witness=now.wall + timedelta(seconds=20))
    assert isinstance(judge(BEFORE, now, witness=now.wall + HOUR), Doubt)


def test_the_first_sign_of_life_is_no_outage() -> None:
    assert Steady() == judge(None, BEFORE)


EVENING = Phase(at=time(20, 0), weekdays=(1, 2, 3, 4, 5))
FRIDAY = datetime(2026, 11, 20, 19, 0, tzinfo=UTC)  # 20:00 in Paris


@pytest.mark.parametrize(
    ("began", "length", "expected"),
    [
        (FRIDAY - 2 * HOUR, 10 * MINUTE, FRIDAY),  # too short to matter
        (FRIDAY + MINUTE, 5 * HOUR, FRIDAY),  # after it
        (FRIDAY - 3 * DAY, 5 * HOUR, FRIDAY),  # long before it
        (FRIDAY - 2 * HOUR, HOUR, FRIDAY + 3 * DAY),  # just before: Monday evening
        (FRIDAY - HOUR, 5 * DAY, FRIDAY + 5 * DAY),  # Wednesday
        (FRIDAY - 26 * HOUR, 2 * HOUR + MINUTE, FRIDAY + 3 * DAY),
    ],
)
def test_an_outage_moves_a_deadline_to_the_next_evening_that_makes_up_for_it(
    began: datetime, length: timedelta, expected: datetime
) -> None:
    assert expected == move_deadline(FRIDAY, PARIS, EVENING, Gap(began, began + length))


@given(
    st.integers(-3000, 3000),
    st.integers(16, 20_000),
    st.sampled_from(ZONES),
    st.booleans(),
    st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)),
)
def test_whoever_lost_time_gets_at_least_as_much_again(
    off: int, minutes: int, zone: str, exact: bool, due: datetime
) -> None:
    phase = Phase(at=None if exact else wall_clock(due, zone).time())
    gap = Gap(due + off * MINUTE, due + (off + minutes) * MINUTE)
    after = move_deadline(due, zone, phase, gap)
    if gap.began <= due <= gap.ended + DAY:
        assert after >= due + gap.length
        assert after - gap.ended >= due - gap.began  # as long after the outage as was left before it
    else:
        assert after == due


def test_all_rows_of_a_window_move_with_its_deadline() -> None:
    table = (
        Due("reminder", FRIDAY - 12 * HOUR, PARIS, "A", 1),
        Due("deadline", FRIDAY, PARIS),
        Due("grace", FRIDAY + 6 * HOUR, PARIS),
    )
    gap = Gap(FRIDAY - 14 * HOUR, FRIDAY - HOUR)
    after = move_timetable(table, EVENING, gap)
    assert {3 * DAY} == {new.at - old.at for new, old in zip(after, table, strict=True)}
    assert table == move_timetable(table, EVENING, Gap(FRIDAY - 9 * DAY, FRIDAY - 8 * DAY))


def test_only_the_grace_is_left_to_move() -> None:
    grace = Due("grace", FRIDAY + 6 * HOUR, PARIS)
    (after,) = move_timetable([grace], EVENING, Gap(FRIDAY + HOUR, FRIDAY + 3 * HOUR))
    assert after.at > grace.at
    assert () == move_timetable([], EVENING, Gap(FRIDAY, FRIDAY + DAY))
