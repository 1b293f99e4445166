"""The present position of a seat as a letter: for one who takes a seat over in the middle of a game."""

from __future__ import annotations

from sqlalchemy.engine import Connection

from engine.kernel.requests import Seat
from pbem.campaigns.correspondence import Reader, Sending, letter_to, phrases_for, seat_reader
from pbem.campaigns.labels import label_of
from pbem.campaigns.results import open_asks, with_form
from pbem.campaigns.stored import StoredCampaign
from pbem.office import Office
from pbem.report.letters import Foreseen, Result, result_letter
from pbem.report.phrases import Phrases
from pbem.store.connect import Db
from pbem.store.deadlines import timetable
from pbem.store.filing import OpenWindow, open_window
from pbem.store.outbox import lay_in
from pbem.store.people import seated


def show_position(office: Office, tx: Connection, taken: StoredCampaign, seat: str) -> None:
    """What the seat sees, what is asked of it and until when, to whoever holds it now."""
    held = next(one for one in seated(tx, taken.name) if one.seat == seat)
    reader, now = seat_reader(taken.name, held), office.now()
    if reader is None:
        return
    window = open_window(tx, taken.name)
    phrases = phrases_for(taken.terms, reader)
    result = position(tx, taken, reader, window, phrases)
    written = result_letter(taken.terms.game, result, phrases)
    sending = Sending("result", written, None if window is None else window.number)
    lay_in(tx, [letter_to(office, tx, reader, sending, now)], now)


def position(
    db: Db, taken: StoredCampaign, reader: Reader, window: OpenWindow | None, phrases: Phrases
) -> Result:
    """The facts of that letter: the seat's view, and no word of what happened before."""
    seat, seats = Seat(reader.seat), () if window is None else window.seats
    view = taken.table.view(seat)
    rows = [] if window is None else timetable(db, taken.name, window.number)
    deadlines = [row.due.at for row in rows if row.due.kind == "deadline"]
    standing = taken.read(seat, taken.standing.get(seat, "")).standing
    foretold = taken.terms.game.foreseen(view, standing, phrases.language)
    mine = window is not None and seat in seats
    result = Result(
        taken.name,
        view,
        asks=open_asks(taken, seat),
        window=label_of(window) if window is not None and mine else "",
        foreseen=tuple(Foreseen(*one) for one in foretold),
        deadline=deadlines[0] if deadlines and mine else None,
        zone=reader.zone,
        waiting=tuple(Seat(one) for one in seats if one != seat),
    )
    whole = window is not None and mine and not window.once
    return with_form(taken.terms.game, result, phrases) if whole else result
