"""Days in words or ISO, English and French. A day written in bare numbers (3/8) is asked back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, date, time, timedelta
from typing import NamedTuple

from pbem.orders.text import plain

_MONTHS: tuple[str, ...] = (
    "JAN JANUARY JANV JANVIER",
    "FEB FEBRUARY FEV FEVR FEVRIER",
    "MAR MARCH MARS",
    "APR APRIL AVR AVRIL",
    "MAY MAI",
    "JUN JUNE JUIN",
    "JUL JULY JUIL JUILLET",
    "AUG AUGUST AOU AOUT",
    "SEP SEPT SEPTEMBER SEPTEMBRE",
    "OCT OCTOBER OCTOBRE",
    "NOV NOVEMBER NOVEMBRE",
    "DEC DECEMBER DECEMBRE",
)
MONTHS = {word: number for number, names in enumerate(_MONTHS, 1) for word in names.split()}
_WEEK = (
    "MONDAY LUNDI", "TUESDAY MARDI", "WEDNESDAY MERCREDI", "THURSDAY JEUDI",
    "FRIDAY VENDREDI", "SATURDAY SAMEDI", "SUNDAY DIMANCHE",
)  # fmt: skip
WEEKDAYS = {word: number for number, names in enumerate(_WEEK) for word in names.split()}
NEAR_DAYS = {"TODAY": 0, "TOMORROW": 1, "AUJOURDHUI": 0, "DEMAIN": 1}
_FILLERS = frozenset(["FROM", "DU", "DE", "LE", "LA", "THE", "OF", "ON", "ONLY"])
_UNTIL = frozenset(["UNTIL", "TILL", "JUSQUAU", "JUSQUA"])
_BETWEEN = frozenset(["-", "TO", "AU", "A", "THROUGH", "/", ".."]) | _UNTIL
_UNITS = {
    **dict.fromkeys(["H", "HOUR", "HOURS", "HEURE", "HEURES"], timedelta(hours=1)),
    **dict.fromkeys(["D", "DAY", "DAYS", "J", "JOUR", "JOURS"], timedelta(days=1)),
    **dict.fromkeys(["W", "WEEK", "WEEKS", "SEMAINE", "SEMAINES"], timedelta(weeks=1)),
}
MOST_UNITS = 999

_BARE = re.compile(r"(?<![\d-])(\d{1,2})\s?[/.]\s?(\d{1,2})(?:\s?[/.]\s?(\d{2,4}))?\.?(?![\d-])")
_TOKEN = re.compile(r"\d{4}-\d{1,2}-\d{1,2}|\d+(?:ST|ND|RD|TH|ER)?\b|[A-Z][A-Z']*|\.\.|[-/]|[^\s,.;:()]")
_NUMBER = re.compile(r"(\d+)(?:ST|ND|RD|TH|ER)?")
_HOUR = re.compile(r"\s+(?:AT\s+|A\s+)?(\d{1,2})\s?(?::|H)\s?(\d{2})?\s*(?:H|UHR)?\s*$")
_SPAN = re.compile(r"(?:BY\s+|DE\s+)?(\d+)\s*([A-Z]+)")


class Unclear(NamedTuple):
    """A date in bare numbers, and the days it may mean."""

    text: str
    days: tuple[date, ...]


class Impossible(NamedTuple):
    """Words that name no day."""

    text: str


class Span(NamedTuple):
    """From a day to a day, both included."""

    first: date
    last: date


@dataclass(frozen=True, slots=True)
class _Day:
    """What was written of a day."""

    day: int
    month: int = 0
    year: int = 0


def read_span(text: str, today: date) -> Span | Unclear | Impossible:
    """3 Aug – 20 Aug · 3-20 août · du 28 déc. au 5 janv. · 2026-08-03 – 2026-08-20 · until Friday."""
    found = plain(text)
    if (bare := _BARE.search(found)) is not None:
        return Unclear(bare.group(), _readings(bare, today))
    halves = _halves([token.replace("'", "") for token in _TOKEN.findall(found)])
    if halves is None:
        return Impossible(text)
    first, last = (_half(half, today) for half in halves)
    if last is None or (first is None and halves[0]):
        return Impossible(text)
    return _place(first or today, last, today) or Impossible(text)


def read_day(text: str, today: date) -> date | Unclear | Impossible:
    """A single day from today on."""
    found = read_span(text, today)
    if isinstance(found, Span):
        return found.last if found.first == found.last else Impossible(text)
    return found


def read_moment(text: str, today: date) -> tuple[date, time | None] | Unclear | Impossible:
    """A day, and an hour if one stands behind it."""
    found = plain(text)
    clock = _HOUR.search(found)
    day = read_day(text if clock is None else found[: clock.start()], today)
    if not isinstance(day, date):
        return day
    if clock is None:
        return day, None
    hour, minute = int(clock[1]), int(clock[2] or 0)
    return (day, time(hour, minute)) if hour < 24 and minute < 60 else Impossible(text)


def read_duration(text: str) -> timedelta | None:
    """2 DAYS, 48H, 1 semaine."""
    found = _SPAN.fullmatch(plain(text).strip(" .:;"))
    if found is None or found[2] not in _UNITS or not 0 < int(found[1][:9]) <= MOST_UNITS:
        return None
    return int(found[1]) * _UNITS[found[2]]


# ------------------------------------------------------------------ one day


def _halves(tokens: Sequence[str]) -> tuple[list[str], list[str]] | None:
    """What stands before and behind the dash; UNTIL at the start leaves the first half empty."""
    tokens = [token for token in tokens if token not in _FILLERS]
    if tokens and tokens[0] in _UNTIL:
        return [], list(tokens[1:])
    places = [place for place, token in enumerate(tokens) if token in _BETWEEN]
    if not places:
        return list(tokens), list(tokens)
    if len(places) > 1 or places[0] == 0:
        return None
    return list(tokens[: places[0]]), list(tokens[places[0] + 1 :])


def _half(tokens: Sequence[str], today: date) -> date | _Day | None:
    """None: no day."""
    match tokens:
        case [word] if word in NEAR_DAYS:
            return today + timedelta(days=NEAR_DAYS[word])
        case [word] if word in WEEKDAYS:
            return today + timedelta(days=(WEEKDAYS[word] - today.weekday() - 1) % 7 + 1)
        case [iso] if iso.count("-") == 2:
            return _date(*(int(part) for part in iso.split("-")))
    tokens = [token for token in tokens if token not in WEEKDAYS]  # Monday 3 August
    month = [MONTHS[token] for token in tokens if token in MONTHS]
    found = [_NUMBER.fullmatch(token) for token in tokens if token not in MONTHS]
    numbers = [int(number[1][:5]) for number in found if number is not None]
    if len(numbers) < len(found) or len(month) > 1 or not 1 <= len(numbers) <= 2:
        return None
    years = [number for number in numbers if number > 1900]
    days = [number for number in numbers if 1 <= number <= 31]
    if len(days) != 1 or len(years) + 1 != len(numbers) or (years and not month):
        return None
    return _Day(days[0], *month, *years)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _place(first: date | _Day, last: date | _Day, today: date) -> Span | None:
    """Months and years that were left out: the last day is the next such day, the first the one before it."""
    if isinstance(last, _Day):
        month = last.month or (first.month if isinstance(first, _Day) else 0)
        if not month:
            return None
        year = last.year or (first.year if isinstance(first, _Day) and first.month <= month else 0)
        end = _next(last.day, month, today) if not year else _date(year, month, last.day)
    else:
        month, end = last.month, last
    if end is None:
        return None
    if not isinstance(first, _Day):
        return Span(first, end)
    wanted = first.month or month
    begin = _date(first.year, wanted, first.day) if first.year else _previous(first.day, wanted, end)
    return None if begin is None else Span(begin, end)


def _next(day: int, month: int, today: date) -> date | None:
    years = range(today.year, min(today.year + 9, MAXYEAR) + 1)  # 29 February
    found = (_date(year, month, day) for year in years)
    return next((one for one in found if one is not None and one >= today), None)


def _previous(day: int, month: int, last: date) -> date | None:
    """The latest such day that is not after the last."""
    years = range(last.year, max(last.year - 2, 0), -1)
    found = (_date(year, month, day) for year in years)
    return next((one for one in found if one is not None and one <= last), None)


def _readings(bare: re.Match[str], today: date) -> tuple[date, ...]:
    """3/8: the third of August or the eighth of March."""
    left, right, year = int(bare[1]), int(bare[2]), int(bare[3] or 0)
    years = year if year > 99 else 2000 + year
    both = ((left, right), (right, left))
    found = [_date(years, month, day) if bare[3] else _next(day, month, today) for day, month in both]
    return tuple(dict.fromkeys(filter(None, found)))
