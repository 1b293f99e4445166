"""Days and deadlines in words, where their reader lives."""

from __future__ import annotations

from datetime import date, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_datetime

LONG, SHORT, LONG_DAY = "EEEE d MMMM y, HH:mm", "d MMM HH:mm", "EEEE d MMMM y"


class Moment(NamedTuple):
    """A point in time, and the zone in which it is told."""

    at: datetime
    zone: str = "UTC"


def moment_words(moment: Moment, language: str, pattern: str = LONG) -> str:
    """The moment as the clocks show it there, with the name of their time."""
    local = moment.at.astimezone(ZoneInfo(moment.zone))
    return f"{format_datetime(local, pattern, locale=language)} {local.tzname()}"


def day_words(day: date | str, language: str) -> str:
    """A day of the calendar, also from its ISO form."""
    own = date.fromisoformat(day) if isinstance(day, str) else day
    return format_date(own, LONG_DAY, locale=language)
