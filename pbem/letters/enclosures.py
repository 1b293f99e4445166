"""Files that go with letters: the audit since the last one, everything at the end, the dice as a table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from engine.kernel.fairness.audit import CloseRecord, Ledger
from engine.kernel.fairness.export import audit_json, opening_json, publication, umpire_export
from engine.kernel.fairness.history import Throw, history_csv
from engine.kernel.pack import GamePack
from engine.kernel.requests import Seat
from pbem.letters.dice import face_writer
from pbem.letters.memo import DeadlineState
from pbem.letters.phrases import Phrases
from pbem.mail.compose import CalendarMethod, Enclosure

AUDIT, LAST_AUDIT, DICE = "audit.json", "audit-{number}.json", "dice.csv"
MOST = 60_000  # bytes of audit in one letter beside map, tables and chart; in the mail they grow by a third


def audit_enclosure(
    ledger: Ledger, seat: Seat | None, since: int = 0, others: Collection[str] = frozenset()
) -> Enclosure:
    """What the seat's letter proves: the Closes after `since`, that of its last letter. None: an observer.

    `others`: marks of letters that a former holder wrote.
    """
    return _json(AUDIT, audit_json(ledger, seat, since, others))


def opening_enclosure(ledger: Ledger, seat: str) -> Enclosure:
    """For the invitation: what all later letters are compared with."""
    return _json(AUDIT, opening_json(ledger, Seat(seat)))


def publication_enclosures(ledger: Ledger, most: int = MOST) -> tuple[Enclosure, ...]:
    """The publication at the end, as files each of which fits a letter; the checker puts them together.

    All records must be at hand. The first goes with the final letter, the others with letters of their own.
    """
    whole = publication(ledger)
    if len(whole) <= most:
        return (_json(LAST_AUDIT.format(number=1), whole),)
    texts = [umpire_export(_part(ledger, records)) for records in _groups(ledger, most)]
    return tuple(_json(LAST_AUDIT.format(number=n), text) for n, text in enumerate(texts, 1))


def _groups(ledger: Ledger, most: int) -> Iterable[list[CloseRecord]]:
    """Neighbouring Closes, as many as fit together; one alone may be larger."""
    group, size = list[CloseRecord](), 0
    for record in ledger.records:
        own = len(umpire_export(_part(ledger, [record])))
        if group and size + own > most:
            yield group
            group, size = [], 0
        group.append(record)
        size += own
    if group:
        yield group


def _part(ledger: Ledger, records: Sequence[CloseRecord]) -> Ledger:
    return Ledger(ledger.opening, ledger.secrets, list(records))


def dice_enclosure(throws: Iterable[Throw], pack: GamePack) -> Enclosure:
    """Every public roll, for a spreadsheet, with the faces as the pack's die writes them."""
    return Enclosure(DICE, "text/csv", history_csv(throws, face_writer(pack)).encode())


def _json(name: str, text: str) -> Enclosure:
    return Enclosure(name, "application/json", text.encode())


NAME, OVER_NAME = "deadline.ics", "closed.ics"
DAY = timedelta(days=1)
FOLD_AT = 75  # octets of a line
STATUS = {"open": "CONFIRMED", "held": "TENTATIVE", "over": "CANCELLED"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarEntry:
    """What stands in the calendar. All of it is public or the seat's own.

    A window has one entry: a later letter about it replaces the entry, as its SEQUENCE is higher.
    """

    campaign: str
    seat: str
    number: int  # of the window
    opened: datetime
    written: datetime  # the letter that brings it
    at: datetime
    host: str  # of the service, for the entry's name
    window: str = ""  # its label, "" for a window of a single question
    title: str = ""  # of the campaign
    state: DeadlineState = "open"


def calendar_enclosure(deadline: CalendarEntry, phrases: Phrases) -> Enclosure:
    """The file; mail programs offer to take it over, or take out by themselves what is over."""
    over = deadline.state == "over"
    content = calendar_text(deadline, phrases).encode()
    return Enclosure(OVER_NAME if over else NAME, "text/calendar", content, _method(deadline))


def _method(deadline: CalendarEntry) -> CalendarMethod:
    return "CANCEL" if deadline.state == "over" else "PUBLISH"


def calendar_text(deadline: CalendarEntry, phrases: Phrases) -> str:
    facts = {
        "campaign": deadline.campaign,
        "title": deadline.title,
        "window": deadline.window,
        "reader": deadline.seat,
        "state": deadline.state,
    }
    title = phrases.say("calendar", "title", facts)
    alarm = (
        "BEGIN:VALARM",
        "ACTION:DISPLAY",
        f"TRIGGER:{'-P1D' if deadline.at - deadline.opened > DAY else '-PT2H'}",
        f"DESCRIPTION:{_escaped(phrases.say('calendar', 'alarm', facts))}",
        "END:VALARM",
    )
    lines = (
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//pbem//deadlines//" + phrases.language.upper(),
        "CALSCALE:GREGORIAN",
        f"METHOD:{_method(deadline)}",
        "BEGIN:VEVENT",
        f"UID:{_name(deadline)}",
        f"SEQUENCE:{max(0, int((deadline.written - deadline.opened).total_seconds()))}",
        f"DTSTAMP:{_utc(deadline.written)}",
        f"DTSTART:{_utc(deadline.at)}",
        f"STATUS:{STATUS[deadline.state]}",
        f"SUMMARY:{_escaped(title)}",
        f"DESCRIPTION:{_escaped(phrases.say('calendar', 'description', facts))}",
        "CLASS:PRIVATE",
        "TRANSP:TRANSPARENT",
        *(alarm if deadline.state == "open" else ()),
        "END:VEVENT",
        "END:VCALENDAR",
    )
    return "".join(_folded(line) + "\r\n" for line in lines)


def _name(deadline: CalendarEntry) -> str:
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
