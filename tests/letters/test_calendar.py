"""Deadlines for calendars: RFC 5545, in UTC, the same bytes every time, nothing secret."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from pbem.letters.enclosures import CalendarEntry, calendar_enclosure, calendar_text
from pbem.letters.phrases import LANGUAGES
from pbem.mail.compose import Correspondent, Draft, compose
from tests.letters.letters_read import words

both = pytest.mark.parametrize("language", LANGUAGES)
OPENED = datetime(2026, 11, 17, 19, 0, tzinfo=UTC)
DUE = CalendarEntry(
    campaign="FWW-7",
    seat="WA",
    number=12,
    opened=OPENED,
    written=OPENED,
    at=OPENED + timedelta(days=7),
    host="example.org",
    window="T3.R",
)


def unfolded(text: str) -> list[str]:
    return text.replace("\r\n ", "").rstrip("\r\n").split("\r\n")


def properties(text: str) -> dict[str, str]:
    return dict(line.split(":", 1) for line in unfolded(text))


@both
def test_it_is_an_entry_with_an_alarm_a_day_before(language: Any) -> None:
    text = calendar_text(DUE, words(language))
    lines = unfolded(text)
    assert lines[0] == "BEGIN:VCALENDAR" and lines[-1] == "END:VCALENDAR" and text.endswith("\r\n")
    begun = [line[6:] for line in lines if line.startswith("BEGIN:")]
    ended = [line[4:] for line in lines if line.startswith("END:")]
    assert begun == ["VCALENDAR", "VEVENT", "VALARM"] and ended == begun[::-1]
    found = properties(text)
    assert found["DTSTART"] == "20261124T190000Z" and found["DTSTAMP"] == "20261117T190000Z"
    assert found["METHOD"] == "PUBLISH" and found["STATUS"] == "CONFIRMED"
    assert found["TRIGGER"] == "-P1D" and found["UID"] == "FWW7-WA-12@example.org"
    assert "(rounds)" in found["SUMMARY"] and "FWW-7" in found["SUMMARY"]


@both
def test_lines_are_short_and_no_letter_is_cut(language: Any) -> None:
    text = calendar_text(replace(DUE, campaign="É" * 90, window="T3, R; \\n"), words(language))
    for line in text.split("\r\n"):
        assert len(line.encode()) <= 75
    assert "É" * 90 in text.replace("\r\n ", "")
    assert "T3\\, R\\; \\\\n" in text.replace("\r\n ", "")
    assert "\n" not in text.replace("\r\n", "")


def test_a_deadline_that_moved_replaces_the_entry() -> None:
    later = replace(DUE, at=DUE.at + timedelta(days=2), written=OPENED + timedelta(hours=1))
    first, second = (properties(calendar_text(one, words("en"))) for one in (DUE, later))
    assert first["UID"] == second["UID"] and (first["SEQUENCE"], second["SEQUENCE"]) == ("0", "3600")
    other = properties(calendar_text(replace(DUE, seat="DE"), words("en")))
    assert other["UID"] != first["UID"]


@both
def test_a_deadline_that_counts_no_more_is_taken_out(language: Any) -> None:
    over = replace(DUE, written=OPENED + timedelta(days=3), state="over")
    found = properties(calendar_text(over, words(language)))
    assert (found["METHOD"], found["STATUS"], found["SEQUENCE"]) == ("CANCEL", "CANCELLED", "259200")
    assert found["UID"] == properties(calendar_text(DUE, words(language)))["UID"]
    assert "TRIGGER" not in found and calendar_enclosure(over, words(language)).method == "CANCEL"


@both
def test_a_held_campaigns_deadline_is_tentative(language: Any) -> None:
    held = replace(DUE, written=OPENED + timedelta(days=3), state="held")
    found = properties(calendar_text(held, words(language)))
    assert found["METHOD"] == "PUBLISH" and found["STATUS"] == "TENTATIVE" and "TRIGGER" not in found
    assert found["SUMMARY"] != properties(calendar_text(DUE, words(language)))["SUMMARY"]


def test_a_short_window_has_a_late_alarm() -> None:
    short = replace(DUE, at=OPENED + timedelta(hours=20))
    assert properties(calendar_text(short, words("en")))["TRIGGER"] == "-PT2H"


def test_the_zone_of_whoever_computes_it_does_not_matter() -> None:
    there = ZoneInfo("America/New_York")
    moved = replace(DUE, opened=DUE.opened.astimezone(there), at=DUE.at.astimezone(there))
    assert calendar_text(moved, words("en")) == calendar_text(DUE, words("en"))


@both
def test_it_goes_with_a_letter(language: Any) -> None:
    enclosure = calendar_enclosure(DUE, words(language))
    draft = Draft(
        "<a1@example.org>",
        Correspondent("umpire@example.org"),
        "umpire+fww-7@example.org",
        Correspondent("player@example.org"),
        "s",
        OPENED,
        "text",
        enclosures=(enclosure,),
    )
    assert b"text/calendar; charset=utf-8; method=PUBLISH" in compose(draft)


@both
def test_a_window_of_a_single_question_is_not_named(language: Any) -> None:
    assert "T3" not in calendar_text(replace(DUE, window=""), words(language))
