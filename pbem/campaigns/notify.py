"""Memos to people: to one recipient, to everybody who plays, to the umpires."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from sqlalchemy.engine import Connection

from pbem.campaigns.calendar import deadline_files
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.recipients import (
    Kind,
    OutgoingLetter,
    Recipient,
    letter_to,
    person_recipient,
    phrases_for,
    seat_recipient,
    seat_recipients,
)
from pbem.campaigns.terms import Terms, title_for
from pbem.context import ServiceContext
from pbem.letters.memo import Memo, memo_letter
from pbem.letters.render import LetterBody
from pbem.mail.compose import Enclosure
from pbem.store.campaigns import campaign_row
from pbem.store.outbox import OutgoingMail, put_in_outbox
from pbem.store.people import Seated, enrol, members, person
from pbem.store.session import Db
from pbem.store.windows import open_window


def memo_to(
    service: ServiceContext,
    db: Db,
    terms: Terms | None,
    recipient: Recipient,
    memo: Memo,
    kind: Kind = "notice",
    *,
    now: datetime | None = None,
    window: int | None = None,
    letter: int | None = None,
) -> OutgoingMail:
    """A memo in the recipient's language, ready for the outbox."""
    now = now or service.now()
    outgoing = OutgoingLetter(
        kind=kind,
        written=_write(db, terms, recipient, memo),
        window=window,
        letter=letter,
        enclosures=_files(service, db, terms, recipient, memo, now),
    )
    return letter_to(service, db, recipient, outgoing, now)


def _files(
    service: ServiceContext, db: Db, terms: Terms | None, recipient: Recipient, memo: Memo, now: datetime
) -> tuple[Enclosure, ...]:
    if terms is None or memo.deadline is None:
        return ()
    return tuple(deadline_files(service, db, terms, recipient, memo.deadline, now))


def _write(db: Db, terms: Terms | None, recipient: Recipient, memo: Memo) -> LetterBody:
    """In the recipient's words, under the campaign's title."""
    title = ""
    if terms is not None and memo.campaign:
        title = title_for(terms, campaign_row(db, memo.campaign).title, recipient.language)
    return memo_letter(memo, phrases_for(terms, recipient), title)


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
    """Put one memo into the outbox. The next one to the same recipient gets the next number."""
    now = now or service.now()
    mail = memo_to(service, tx, terms, recipient, memo, kind, now=now, window=window, letter=letter)
    put_in_outbox(tx, [mail], now)


def send_to_seat(
    service: ServiceContext, tx: Connection, terms: Terms, seat: Seated, memo: Memo, kind: Kind = "notice"
) -> None:
    """To whoever holds the seat in the memo's campaign, with the reply address of its open window."""
    recipient, window = seat_recipient(memo.campaign, seat), open_window(tx, memo.campaign)
    if recipient is not None:
        number = None if window is None else window.number
        send_memo(service, tx, terms, recipient, memo, kind, window=number)


def send_all(
    service: ServiceContext,
    tx: Connection,
    terms: Terms | None,
    recipients: Iterable[Recipient],
    memo: Memo,
    kind: Kind = "notice",
) -> None:
    """The same memo to several recipients, put into words once for each language."""
    now, written = service.now(), dict[str, LetterBody]()
    for recipient in recipients:
        if recipient.language not in written:
            written[recipient.language] = _write(tx, terms, recipient, memo)
        files = _files(service, tx, terms, recipient, memo, now)
        letter = OutgoingLetter(kind=kind, written=written[recipient.language], enclosures=files)
        put_in_outbox(tx, [letter_to(service, tx, recipient, letter, now)], now)


def tell(
    service: ServiceContext,
    tx: Connection,
    terms: Terms | None,
    name: str,
    memo_for: Callable[[Recipient], Memo],
    *,
    but: str = "",
) -> None:
    """A notice, made for each recipient, to every seat that somebody holds but one, and to the umpires."""
    seats = list(seat_recipients(tx, name))
    playing = {recipient.person for recipient in seats}
    others = [umpire for umpire in umpires_of(tx, name) if umpire.person not in playing]
    for recipient in (*seats, *others):
        if not but or recipient.seat != but:
            send_memo(service, tx, terms, recipient, memo_for(recipient))


# ------------------------------------------------------------------ umpires


def umpires_of(db: Db, name: str) -> list[Recipient]:
    """The campaign's own umpires who can be written to."""
    people = [member.person for member in members(db, name, "umpire")]
    return [person_recipient(umpire, name) for umpire in people if umpire.registered is not None]


def umpires(service: ServiceContext, db: Db, name: str) -> list[Recipient]:
    """The campaign's umpires; without a campaign, or where it has none to write to, those of the service."""
    return (umpires_of(db, name) if name else []) or house_umpires(service, db, name)


def house_umpires(service: ServiceContext, db: Db, name: str = "") -> list[Recipient]:
    """Those who run the service."""
    profile, recipients = service.profile, []
    for address in profile.umpires:
        number = enrol(db, address, profile.name, profile.language, profile.zone, service.now())
        umpire = person(db, number)
        if umpire is not None and umpire.registered is not None:
            recipients.append(person_recipient(umpire, name))
    return recipients


def tell_umpires(service: ServiceContext, tx: Connection, memo: Memo, terms: Terms | None = None) -> None:
    """The campaign's umpires, or else those who run the service. `terms`: loaded if not given."""
    recipients = umpires(service, tx, memo.campaign)
    if recipients and memo.campaign and terms is None:
        terms = load_campaign(tx, memo.campaign).terms
    send_all(service, tx, terms, recipients, memo)
