"""What the handlers of commands have in common: the campaign and the seat meant, its window, its deadline."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import Connection

from engine.kernel.game import View
from engine.kernel.requests import Seat
from pbem.campaigns.labels import label_of
from pbem.campaigns.policy import Terms
from pbem.campaigns.recipients import Kind, Reader, Sending, letter_to, person_reader, phrases_for
from pbem.campaigns.recipients import seat_reader as reader_of
from pbem.context import Office
from pbem.letters.dates import Moment
from pbem.letters.memo import Memo, Note, Part, memo_letter
from pbem.letters.result import Written
from pbem.orders.commands import Command
from pbem.store.campaigns import Standing
from pbem.store.deadlines import timetable
from pbem.store.outbox import lay_in
from pbem.store.people import members, seated, seats_of
from pbem.store.session import Db
from pbem.store.windows import OpenWindow, Stamp
from pbem.verbs.context import Deed, Handler, Hearing

EVERYONE = Seat("")  # nobody's seat: it sees what everyone may know


def of_a_campaign(handler: Handler) -> Handler:
    """For commands that make sense only in a campaign: without one the writer is asked which."""

    def heard(hearing: Hearing, command: Command) -> Deed:
        if hearing.standing is None:
            return said(which_campaign(hearing))
        return handler(hearing, command)

    return heard


def of_a_seat(handler: Handler) -> Handler:
    """For commands of those who play."""

    def heard(hearing: Hearing, command: Command) -> Deed:
        if hearing.standing is not None and not hearing.seat:
            return said(Note("no-seat-here", {"campaign": hearing.standing.id}))
        return handler(hearing, command)

    return of_a_campaign(heard)


def said(*parts: Part) -> Deed:
    """An answer, and nothing is done."""
    return Deed(parts)


def which_campaign(hearing: Hearing) -> Note:
    mine = [] if hearing.person is None else seats_of(hearing.office.db, hearing.person.id)
    return Note("which-campaign", {"campaigns": sorted({name for name, _ in mine})})


def campaign_of(hearing: Hearing) -> Standing:
    assert hearing.standing is not None, "asked of a letter about a campaign only"
    return hearing.standing


def view_of(hearing: Hearing) -> View:
    """What the writer's seat sees; of those who hold none, what everyone may know."""
    return hearing.campaign.table.view(Seat(hearing.seat) if hearing.seat else EVERYONE)


def deadline_of(db: Db, name: str, window: OpenWindow, zone: str) -> Moment | None:
    """Until when the window waits, as the letters tell it; None: that time has passed."""
    due = [row.due.at for row in timetable(db, name, window.number) if row.due.kind == "deadline"]
    return Moment(due[0], zone) if due else None


def stamp_of(hearing: Hearing) -> Stamp:
    return hearing.stamp or Stamp(hearing.received.arrived, None, hearing.received.id)


# ------------------------------------------------------------------ the open window


def not_now(hearing: Hearing) -> Note | None:
    """Why nothing can be filed for the writer's seat now; None: its window is open, and this letter means it.

    A letter that answers an older window was not written for it, nor one that answers none and came before
    this one was opened.
    """
    standing, window = campaign_of(hearing), hearing.window
    facts = {"campaign": standing.id}
    if standing.state == "lobby":
        return Note("not-begun", facts)
    if standing.state == "over":
        return Note("is-over", facts)
    if window is None or window.state != "open":
        return Note("just-closed", facts)
    if hearing.seat not in window.seats:
        return Note("not-awaited", {**facts, "label": label_of(window), "seats": window.seats})
    opened = window.opened_at.replace(microsecond=0)  # mail servers stamp whole seconds, by their own clocks
    early = hearing.answers_window == 0 and hearing.received.arrived < opened
    if early or hearing.answers_window not in (0, window.number):
        return Note("other-window", {**facts, "label": label_of(window)})
    return None


def open_window_of(hearing: Hearing) -> OpenWindow:
    assert hearing.window is not None, "asked after not_now"
    return hearing.window


# ------------------------------------------------------------------ telling others


def tell(
    office: Office,
    tx: Connection,
    terms: Terms,
    name: str,
    memo_for: Callable[[Reader], Memo],
    kind: Kind = "notice",
    but: str = "",
) -> None:
    """A memo, made for each reader, to every seat that somebody holds but one, and to the umpires."""
    told: set[int | None] = set()
    for one in seated(tx, name):
        reader = reader_of(name, one)
        if reader is not None:
            told.add(reader.person)
            if one.seat != but:
                _lay(office, tx, terms, reader, memo_for(reader), kind)
    for reader in umpires_of(tx, name):
        if reader.person not in told:
            _lay(office, tx, terms, reader, memo_for(reader), kind)


def umpires_of(db: Db, name: str) -> list[Reader]:
    """The umpires who can be written to."""
    people = [one.person for one in members(db, name, "umpire")]
    return [person_reader(one, name) for one in people if one.registered is not None]


def _lay(office: Office, tx: Connection, terms: Terms, reader: Reader, memo: Memo, kind: Kind) -> None:
    written = memo_letter(memo, phrases_for(terms, reader))
    now = office.now()
    lay_in(tx, [letter_to(office, tx, reader, Sending(kind, written), now)], now)


def send_all(
    office: Office, tx: Connection, terms: Terms, readers: Sequence[Reader], memo: Memo, kind: Kind
) -> None:
    """The same letter to several readers; who speak one language get the same words."""
    written: dict[str, Written] = {}
    now = office.now()
    for reader in readers:
        if reader.language not in written:
            written[reader.language] = memo_letter(memo, phrases_for(terms, reader))
        lay_in(tx, [letter_to(office, tx, reader, Sending(kind, written[reader.language]), now)], now)


def send(
    office: Office, tx: Connection, terms: Terms, reader: Reader, memo: Memo, kind: Kind = "notice"
) -> None:
    """One letter to one reader."""
    _lay(office, tx, terms, reader, memo, kind)
