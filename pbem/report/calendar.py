"""A deadline for the reader's calendar: an `.ics` file of RFC 5545, in UTC, the same bytes every time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pbem.mail.compose import Enclosure
from pbem.report.phrases import Phrases

NAME = "deadline.ics"
DAY = timedelta(days=1)
FOLD_AT = 75  # octets of a line


@dataclass(frozen=True, slots=True)
class Deadline:
    """What stands in the calendar. All of it is public or the seat's own."""

    campaign: str
    seat: str
    number: int  # of the window: a later letter about the same one replaces the entry
    opened: datetime
    at: datetime
    host: str  # of the service, for the entry's name
    window: str = ""  # its label, "" for a window of a single question
    moved: int = 0  # how often the deadline was put off


def calendar_enclosure(deadline: Deadline, phrases: Phrases) -> Enclosure:
    """The file; mail programs offer to take it over."""
    return Enclosure(NAME, "text/calendar", calendar_text(deadline, phrases).encode())


def calendar_text(deadline: Deadline, phrases: Phrases) -> str:
    facts = {"campaign": deadline.campaign, "window": deadline.window, "reader": deadline.seat}
    title = phrases.told("calendar", "title", facts)
    lines = (
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//pbem//deadlines//" + phrases.language.upper(),
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
        "BEGIN:VEVENT",
        f"UID:{_name(deadline)}",
        f"SEQUENCE:{deadline.moved}",
        f"DTSTAMP:{_utc(deadline.opened)}",
        f"DTSTART:{_utc(deadline.at)}",
        f"SUMMARY:{_escaped(title)}",
        f"DESCRIPTION:{_escaped(phrases.told('calendar', 'description', facts))}",
        "CLASS:PRIVATE",
        "TRANSP:TRANSPARENT",
        "BEGIN:VALARM",
        "ACTION:DISPLAY",
        f"TRIGGER:{'-P1D' if deadline.at - deadline.opened > DAY else '-PT2H'}",
        f"DESCRIPTION:{_escaped(phrases.told('calendar', 'alarm', facts))}",
        "END:VALARM",
        "END:VEVENT",
        "END:VCALENDAR",
    )
    return "".join(_folded(line) + "\r\n" for line in lines)


def _name(deadline: Deadline) -> str:
    parts = (deadline.campaign, deadline.seat, str(deadline.number))
    return "-".join("".join(sign for sign in part if sign.isalnum()) for part in parts) + f"@{deadline.host}"


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def _escaped(text: str) -> str:
    """RFC 5545, 3.3.11"""
    for sign in ("\\", ";", ","):
        text = text.replace(sign, "\\" + sign)
    return " ".join(text.split())


def _folded(line: str) -> str:
    """RFC 5545, 3.1: lines of at most 75 octets; no letter is cut in two."""
    rows, row = [], b""
    for letter in line:
        raw = letter.encode()
        if len(row) + len(raw) > FOLD_AT:
            rows.append(row)
            row = b" "
        row += raw
    return "\r\n".join(part.decode() for part in (*rows, row))
