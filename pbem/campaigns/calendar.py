"""The deadline of the open window as a file for its reader's calendar.

Every letter to an awaited seat that bears on it brings the file; each updates the same entry.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from pbem.campaigns.deadlines import label_of
from pbem.campaigns.recipients import Recipient, phrases_for
from pbem.campaigns.terms import Terms, title_for
from pbem.context import ServiceContext
from pbem.letters.enclosures import CalendarEntry, calendar_enclosure
from pbem.letters.memo import DeadlineState, TellsDeadline
from pbem.mail.compose import Enclosure
from pbem.store.campaigns import campaign_row
from pbem.store.deadlines import timetable
from pbem.store.session import Db
from pbem.store.windows import OpenWindow, open_window


def deadline_files(
    service: ServiceContext, db: Db, terms: Terms, recipient: Recipient, told: TellsDeadline, now: datetime
) -> Iterator[Enclosure]:
    """The open window's deadline, for a seat that it asks; nothing for anybody else."""
    name, seat = recipient.campaign, told.seat or recipient.seat
    window = open_window(db, name) if seat else None
    if window is None or seat not in window.seats:
        return
    at = told.at or deadline_of_window(db, name, window)
    if at is not None:
        title = title_for(terms, campaign_row(db, name).title, recipient.language)
        yield window_file(service, terms, replace(recipient, seat=seat), title, window, at, now, told.state)


def deadline_of_window(db: Db, name: str, window: OpenWindow) -> datetime | None:
    """As the letters tell it; None: it has passed."""
    rows = timetable(db, name, window.number)
    return next((row.due.at for row in rows if row.due.kind == "deadline"), None)


def window_file(
    service: ServiceContext,
    terms: Terms,
    recipient: Recipient,
    title: str,
    window: OpenWindow,
    at: datetime,
    now: datetime,
    state: DeadlineState = "open",
) -> Enclosure:
    entry = CalendarEntry(
        campaign=recipient.campaign,
        seat=recipient.seat,
        number=window.number,
        opened=window.opened_at,
        written=now,
        at=at,
        host=service.addresses.host,
        window="" if window.once else label_of(window),
        title=title,
        state=state,
    )
    return calendar_enclosure(entry, phrases_for(terms, recipient))
