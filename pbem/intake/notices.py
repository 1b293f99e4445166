"""Letters that intake writes of its own accord: to umpires about troubles, to a seat about its addresses."""

from __future__ import annotations

from sqlalchemy import Connection

from pbem.campaigns.correspondence import Kind, Reader, Sending, letter_to, phrases_for, seat_reader
from pbem.campaigns.stored import take_up
from pbem.campaigns.troubles import house_umpires, umpires
from pbem.office import Office
from pbem.report.memo import Memo, Note, Part, memo_letter
from pbem.store.filing import open_window
from pbem.store.outbox import lay_in
from pbem.store.people import seated


def lay_memo(
    office: Office,
    tx: Connection,
    reader: Reader,
    memo: Memo,
    kind: Kind = "notice",
    window: int | None = None,
    letter: int | None = None,
) -> None:
    """One memo to one reader."""
    terms = take_up(tx, reader.campaign).terms if reader.campaign else None
    now = office.now()
    written = memo_letter(memo, phrases_for(terms, reader))
    lay_in(tx, [letter_to(office, tx, reader, Sending(kind, written, window, letter=letter), now)], now)


def notice(code: str, campaign: str, *parts: Part, **facts: object) -> Memo:
    """A memo whose subject and headline are `<code>-subject` and `<code>`."""
    told = {"campaign": campaign, **facts}
    return Memo(Note(f"{code}-subject", told), Note(code, told), parts, campaign)


def tell_umpires(office: Office, tx: Connection, memo: Memo) -> None:
    """The campaign's umpires, or else those who run the service."""
    readers = umpires(office, tx, memo.campaign) if memo.campaign else house_umpires(office, tx)
    for reader in readers:
        lay_memo(office, tx, reader, memo)


def tell_holder(office: Office, tx: Connection, campaign: str, seat: str, memo: Memo) -> None:
    """A notice to whoever holds the seat, with the reply address of its open window."""
    one = next(one for one in seated(tx, campaign) if one.seat == seat)
    reader, window = seat_reader(campaign, one), open_window(tx, campaign)
    if reader is not None:
        lay_memo(office, tx, reader, memo, "notice", None if window is None else window.number)
