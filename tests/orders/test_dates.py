"""mail.md 5: dates in words or ISO; 3/8 is asked back."""

from __future__ import annotations

from datetime import date, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.orders.dates import Impossible, Span, Unclear, read_duration, read_moment, read_span

MONDAY = date(2026, 7, 20)
WORDS = ["3", "31", "Aug", "août", "-", "–", "/", ".", "to", "au", "2026", "9999", "Friday", "0"]


def span(first: str, last: str) -> Span:
    return Span(date.fromisoformat(first), date.fromisoformat(last))


AUGUST = span("2026-08-03", "2026-08-20")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3 Aug – 20 Aug", AUGUST),
        ("3 August to 20 August 2026", AUGUST),
        ("3-20 Aug", AUGUST),
        ("Aug 3 - 20", AUGUST),
        ("from the 3rd of August until the 20th", AUGUST),
        ("Monday 3 August - Thursday 20 August", AUGUST),
        ("du 3 au 20 août", AUGUST),
        ("du 3 août au 20 août 2026", AUGUST),
        ("2026-08-03 – 2026-08-20", AUGUST),
        ("2026-08-03/2026-08-20", AUGUST),
        ("2026-08-03 to 20 Aug", AUGUST),
        ("3. Aug. .. 20. Aug.", AUGUST),
        ("28 Dec – 5 Jan", span("2026-12-28", "2027-01-05")),
        ("du 28 déc. au 5 janv.", span("2026-12-28", "2027-01-05")),
        ("28 Dec 2026 – 5 Jan", span("2026-12-28", "2027-01-05")),
        ("15 July – 25 July", span("2026-07-15", "2026-07-25")),  # it has begun already
        ("1er août", span("2026-08-01", "2026-08-01")),
        ("le 14 juillet", span("2027-07-14", "2027-07-14")),
        ("29 Feb", span("2028-02-29", "2028-02-29")),
        ("today", span("2026-07-20", "2026-07-20")),
        ("aujourd’hui", span("2026-07-20", "2026-07-20")),
        ("tomorrow - Friday", span("2026-07-21", "2026-07-24")),
        ("until Monday", span("2026-07-20", "2026-07-27")),
        ("jusqu'au 20 août", span("2026-07-20", "2026-08-20")),
    ],
)
def test_days_in_words_and_iso(text: str, expected: Span) -> None:
    assert read_span(text, MONDAY) == expected


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("3/8", ["2026-08-03", "2027-03-08"]),
        ("3/8/2026", ["2026-08-03", "2026-03-08"]),
        ("3.8. - 20.8.", ["2026-08-03", "2027-03-08"]),
        ("13/8", ["2026-08-13"]),
        ("8/8", ["2026-08-08"]),
        ("33/44", []),
    ],
)
def test_a_day_in_bare_numbers_is_asked_back(text: str, days: list[str]) -> None:
    found = read_span(text, MONDAY)
    assert isinstance(found, Unclear)
    assert [day.isoformat() for day in found.days] == days


@pytest.mark.parametrize(
    "text",
    ["", "August", "3", "31 Feb", "2026-02-30", "3 Aug 26", "3 Aug - 5 Aug - 7 Aug", "soon", "3 Augustus",
     "- 3 Aug", "2026", "3 Aug Sep", "Friday Monday", "99999999999 Aug", "next week"],
)  # fmt: skip
def test_what_names_no_day(text: str) -> None:
    assert isinstance(read_span(text, MONDAY), Impossible)


@given(st.dates(date(2026, 1, 1), date(2099, 1, 1)), st.integers(0, 300))
def test_what_is_written_out_is_read_again(first: date, days: int) -> None:
    last = first + timedelta(days=days)
    words = f"{first:%d %B %Y} – {last:%d %B %Y}"
    assert read_span(words, MONDAY) == read_span(f"{first} to {last}", MONDAY) == Span(first, last)


@given(st.text(max_size=60) | st.lists(st.sampled_from(WORDS)).map(" ".join))
def test_no_text_breaks_it(text: str) -> None:
    assert isinstance(read_span(text, MONDAY), Span | Unclear | Impossible)
    read_duration(text)
    read_moment(text, MONDAY)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("24 Nov 20:00", (date(2026, 11, 24), time(20))),
        ("24 Nov at 20:30", (date(2026, 11, 24), time(20, 30))),
        ("24 novembre à 20h", (date(2026, 11, 24), time(20))),
        ("24 nov. 20h30", (date(2026, 11, 24), time(20, 30))),
        ("2026-11-24", (date(2026, 11, 24), None)),
        ("Friday 9:05", (date(2026, 7, 24), time(9, 5))),
    ],
)
def test_a_moment(text: str, expected: tuple[date, time | None]) -> None:
    assert read_moment(text, MONDAY) == expected


def test_a_moment_that_is_none() -> None:
    assert isinstance(read_moment("24 Nov 24:00", MONDAY), Impossible)
    assert isinstance(read_moment("24/11 20:00", MONDAY), Unclear)
    assert isinstance(read_moment("3 Aug - 5 Aug", MONDAY), Impossible)


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("2 days", 48),
        ("48h", 48),
        ("48 hours", 48),
        ("1 semaine", 168),
        ("2 jours", 48),
        ("36 H", 36),
        ("de 2 j", 48),
    ],
)
def test_a_duration(text: str, hours: int) -> None:
    assert read_duration(text) == timedelta(hours=hours)


@pytest.mark.parametrize(
    "text", ["", "2", "days", "0 days", "2 years", "1000 days", "9" * 5000 + " days", "-2 days"]
)
def test_no_duration(text: str) -> None:
    assert read_duration(text) is None
