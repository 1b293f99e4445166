"""Memos to people: to one recipient, to a seat, to everybody who plays, to the umpires."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from sqlalchemy import Connection

from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.recipients import (
    Kind,
    OutgoingLetter,
    Recipient,
    letter_to,
    person_recipient,
    phrases_for,
    seat_recipient,
)
from pbem.campaigns.terms import Terms
from pbem.context import ServiceContext
from pbem.letters.memo import Memo, Note, Part, memo_letter
from pbem.letters.result import Written
from pbem.store.outbox import put_in_outbox
from pbem.store.people import Seated, enrol, members, person, seated
from pbem.store.session import Db
from pbem.store.windows import open_window


def coded_memo(code: str, campaign: str, *parts: Part, **facts: object) -> Memo:
    """A memo whose subject and headline are `<code>-subject` and `<code>`."""
    facts["campaign"] = campaign
    return Memo(Note(f"{code}-subject", facts), Note(code, facts), parts, campaign)


def send_memo(
    service: ServiceContext,
    tx: Connection,
    terms: Terms | None,
    recipient: Recipient,
    memo: Memo,
    kind: Kind = "notice",
    *,
    window: int | None = None,
    letter: int | None = None,
    now: datetime | None = None,
) -> None:
    """One letter after the other: each is counted before the next is named."""
    now = now or service.now()
    sending = OutgoingLetter(kind, memo_letter(memo, phrases_for(terms, recipient)), window, letter=letter)
    put_in_outbox(tx, [letter_to(service, tx, recipient, sending, now)], now)


def send_to_seat(
    service: ServiceContext,
    tx: Connection,
    terms: Terms,
    name: str,
    one: Seated,
    memo: Memo,
    kind: Kind = "notice",
) -> None:
    """To whoever holds the seat, with the reply address of its open window."""
    recipient, window = seat_recipient(name, one), open_window(tx, name)
    if recipient is not None:
        number = None if window is None else window.number
        send_memo(service, tx, terms, recipient, memo, kind, window=number)


def send_all(
    service: ServiceContext,
    tx: Connection,
    terms: Terms,
    recipients: Sequence[Recipient],
    memo: Memo,
    kind: Kind,
) -> None:
    """The same letter to several; those who speak one language get the same words."""
    written: dict[str, Written] = {}
    now = service.now()
    for recipient in recipients:
        if recipient.language not in written:
            written[recipient.language] = memo_letter(memo, phrases_for(terms, recipient))
        sending = OutgoingLetter(kind, written[recipient.language])
        put_in_outbox(tx, [letter_to(service, tx, recipient, sending, now)], now)


def tell(
    service: ServiceContext,
    tx: Connection,
    terms: Terms,
    name: str,
    memo_for: Callable[[Recipient], Memo],
    kind: Kind = "notice",
    but: str = "",
) -> None:
    """A memo, made for each recipient, to every seat that somebody holds but one, and to the umpires."""
    playing: set[int | None] = set()
    for one in seated(tx, name):
        recipient = seat_recipient(name, one)
        if recipient is not None:
            playing.add(recipient.person)
            if one.seat != but:
                send_memo(service, tx, terms, recipient, memo_for(recipient), kind)
    for recipient in umpires_of(tx, name):
        if recipient.person not in playing:
            send_memo(service, tx, terms, recipient, memo_for(recipient), kind)


# ------------------------------------------------------------------ umpires


def umpires_of(db: Db, name: str) -> list[Recipient]:
    """The campaign's umpires who can be written to."""
    people = [one.person for one in members(db, name, "umpire")]
    return [person_recipient(one, name) for one in people if one.registered is not None]


def umpires(service: ServiceContext, db: Db, name: str) -> list[Recipient]:
    """The campaign's umpires; without a campaign, or where it has none who can be written to, the house's."""
    return (umpires_of(db, name) if name else []) or house_umpires(service, db, name)


def house_umpires(service: ServiceContext, db: Db, name: str = "") -> list[Recipient]:
    """Those who run the service."""
    house, found = service.profile, []
    for address in house.umpires:
        known = person(db, enrol(db, address, house.name, house.language, house.zone, service.now()))
        if known is not None and known.registered is not None:
            found.append(person_recipient(known, name))
    return found


def tell_umpires(service: ServiceContext, tx: Connection, memo: Memo, terms: Terms | None = None) -> None:
    """The campaign's umpires, or else those who run the service. `terms`: loaded if not given."""
    recipients = umpires(service, tx, memo.campaign)
    if recipients and memo.campaign and terms is None:
        terms = load_campaign(tx, memo.campaign).terms
    for recipient in recipients:
        send_memo(service, tx, terms, recipient, memo)
