"""Wall clocks and summer time: what exists twice, or not at all, means the later one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.campaigns.deadlines import known_zone, moment_of, wall_clock

# Hours north and south, half an hour (Lord Howe), quarters (Chatham), none at all, a day left out (Apia 2011)
ZONES = (
    "UTC",
    "Europe/Paris",
    "Europe/London",
    "America/New_York",
    "America/Sao_Paulo",
    "Australia/Lord_Howe",
    "Australia/Sydney",
    "Pacific/Chatham",
    "Pacific/Apia",
    "Asia/Kolkata",
    "Asia/Tehran",
    "Africa/Casablanca",
    "America/St_Johns",
)
zones = st.sampled_from(ZONES)
MINUTE = timedelta(minutes=1)


@cache
def changes(zone: str, year: int) -> list[datetime]:
    """The moments of a year at which the clocks are put forward or back, to the minute."""
    here, found = ZoneInfo(zone), []
    moment = datetime(year, 1, 1, tzinfo=UTC)
    while moment.year == year:
        later = moment + timedelta(hours=6)
        if moment.astimezone(here).utcoffset() != later.astimezone(here).utcoffset():
            while moment.astimezone(here).utcoffset() == (moment + MINUTE).astimezone(here).utcoffset():
                moment += MINUTE
            found.append(moment + MINUTE)
        moment = later
    return found


def meanings(local: datetime, zone: str) -> list[datetime]:
    """Every moment at which the clocks there show this: found by trying all offsets of the days around."""
    here, around = ZoneInfo(zone), local.replace(tzinfo=UTC)
    offsets = {(around + timedelta(hours=h)).astimezone(here).utcoffset() for h in range(-48, 49)}
    tried = [around - offset for offset in offsets if offset is not None]
    return sorted(one for one in tried if one.astimezone(here).replace(tzinfo=None) == local)


@st.composite
def times_near_a_change(draw: st.DrawFn) -> tuple[datetime, str]:
    zone = draw(zones)
    moments = changes(zone, draw(st.integers(2009, 2030))) or [datetime(2026, 3, 29, 1, tzinfo=UTC)]
    off = timedelta(minutes=draw(st.integers(-200, 200)))
    return wall_clock(draw(st.sampled_from(moments)), zone) + off, zone


@given(times_near_a_change())
def test_of_all_meanings_the_last_one_counts(drawn: tuple[datetime, str]) -> None:
    local, zone = drawn
    moment = moment_of(local, zone)
    if known := meanings(local, zone):
        assert known[-1] == moment
        assert local == wall_clock(moment, zone)
    else:
        assert wall_clock(moment, zone) > local


@given(times_near_a_change())
def test_a_time_that_was_left_out_is_as_far_behind_the_change_as_it_is_into_the_gap(
    drawn: tuple[datetime, str],
) -> None:
    local, zone = drawn
    if meanings(local, zone):
        return
    before = local
    while not meanings(before, zone):
        before -= MINUTE
    assert local - before == moment_of(local, zone) - moment_of(before, zone)


@given(st.datetimes(datetime(2009, 1, 1), datetime(2035, 1, 1)), zones)
def test_what_the_clock_shows_leads_back_to_the_moment_or_to_its_second_coming(
    naive: datetime, zone: str
) -> None:
    moment = naive.replace(tzinfo=UTC)
    again = moment_of(wall_clock(moment, zone), zone)
    assert again >= moment
    assert wall_clock(again, zone) == wall_clock(moment, zone)


@pytest.mark.parametrize(
    ("zone", "local", "moment"),
    [
        ("Europe/Paris", datetime(2026, 3, 29, 2, 30), datetime(2026, 3, 29, 1, 30, tzinfo=UTC)),  # left out
        ("Europe/Paris", datetime(2026, 10, 25, 2, 30), datetime(2026, 10, 25, 1, 30, tzinfo=UTC)),  # twice
        ("America/New_York", datetime(2026, 3, 8, 2, 30), datetime(2026, 3, 8, 7, 30, tzinfo=UTC)),
        ("America/New_York", datetime(2026, 11, 1, 1, 30), datetime(2026, 11, 1, 6, 30, tzinfo=UTC)),
        ("Australia/Lord_Howe", datetime(2026, 4, 5, 1, 45), datetime(2026, 4, 4, 15, 15, tzinfo=UTC)),
        ("Australia/Lord_Howe", datetime(2026, 10, 4, 2, 15), datetime(2026, 10, 3, 15, 45, tzinfo=UTC)),
        ("Asia/Kolkata", datetime(2026, 3, 29, 2, 30), datetime(2026, 3, 28, 21, 0, tzinfo=UTC)),
    ],
)
def test_known_changes(zone: str, local: datetime, moment: datetime) -> None:
    assert moment == moment_of(local, zone)


@pytest.mark.parametrize("name", ["Europe/Berlim", "Europe", "", "../etc/passwd", "/etc/localtime", "CET+1"])
def test_a_zone_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no time zone"):
        known_zone(name)
