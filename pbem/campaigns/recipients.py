"""From words to letters: who reads, from which address, in which thread, under which Message-ID.

A letter to a seat is counted by the seat's own letters of that kind; one to a person who is no seat (an
umpire, an observer, one who signs up) by that person's own; one to a stranger goes by the letter it answers.
Nothing in a header counts what anybody else got.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias, cast

from sqlalchemy.engine import Connection

from engine.kernel.game import Language
from pbem.campaigns.terms import Terms
from pbem.context import ServiceContext
from pbem.letters.memo import Memo, memo_letter
from pbem.letters.phrases import Phrases, load_phrases
from pbem.letters.render import LetterBody
from pbem.mail.compose import Automatic, Correspondent, Draft, Enclosure, MailingList, Thread, compose
from pbem.store.outbox import Outgoing, next_number, next_number_of_person, put_in_outbox
from pbem.store.people import Person, Seated, enrol, members, person
from pbem.store.session import Db

Kind: TypeAlias = Literal[
    "invitation", "receipt", "question", "result", "reminder", "notice", "final", "press", "answer"
]
PERSON, STRANGER = "~person", "~stranger"  # in place of a seat in the names of letters: no seat is called so


@dataclass(frozen=True, slots=True)
class Recipient:
    """Somebody who gets letters. `seat` "": in no seat's name."""

    address: str
    name: str
    language: str
    zone: str
    person: int | None = None
    campaign: str = ""
    seat: str = ""
    holder: int = 0


def seat_recipient(campaign: str, seated: Seated) -> Recipient | None:
    """The holder of a seat; None: nobody, a bot, or somebody whose address is erased."""
    who = seated.person
    if who is None or who.registered is None or seated.bot is not None:
        return None
    return replace(person_recipient(who, campaign), seat=seated.seat, holder=seated.holder)


def person_recipient(person: Person, campaign: str = "") -> Recipient:
    """A person in his own name: an umpire, an observer, one who signs up."""
    assert person.registered is not None, "a person who can be written to has an address"
    return Recipient(person.registered, person.name, person.language, person.zone, person.id, campaign)


@dataclass(frozen=True, slots=True)
class OutgoingLetter:
    """A letter's words and how they go: about which window, in answer to what, with which files."""

    kind: Kind
    written: LetterBody
    window: int | None = None
    answers: str | None = None  # Message-ID of the reader's letter
    enclosures: Sequence[Enclosure] = ()
    letter: int | None = None  # number of the letter in the inbox that a stranger sent
    place: int = 0  # among the reader's letters of that kind that are laid in together


def letter_to(
    service: ServiceContext, db: Db, recipient: Recipient, sending: OutgoingLetter, now: datetime
) -> Outgoing:
    """The final bytes. Two calls with the same store give the same letter; laid in, the next is another.

    The reply goes to the address of the seat's window; without a window to that of window 0, which proves
    the seat and files nothing.
    """
    addresses, written = service.addresses, sending.written
    number, message_id = _name(service, db, recipient, sending)
    reply_to = addresses.mailbox
    if recipient.seat:
        where = (recipient.campaign, recipient.seat, recipient.holder, sending.window or 0)
        reply_to = addresses.reply_address(*where)
    automatic: Automatic = "auto-replied" if sending.answers else "auto-generated"
    draft = Draft(
        message_id,
        Correspondent(addresses.mailbox, service.profile.name),
        reply_to,
        Correspondent(recipient.address, recipient.name),
        written.subject,
        now,
        written.text,
        automatic,
        written.html,
        written.pictures,
        tuple(sending.enclosures),
        _thread(service, recipient, sending.answers),
        _list_of(service, recipient, reply_to),
    )
    return Outgoing(
        message_id,
        sending.kind,
        addresses.envelope_sender(message_id),
        recipient.address,
        compose(draft),
        recipient.campaign or None,
        recipient.seat or None,
        recipient.person,
        number,
        sending.window,
    )


def phrases_for(terms: Terms | None, recipient: Recipient) -> Phrases:
    """The reader's words, with the game's where there is one."""
    language = cast(Language, recipient.language)
    return (
        load_phrases("", language, None)
        if terms is None
        else load_phrases(terms.game.id, language, terms.pack)
    )


def _name(
    service: ServiceContext, db: Db, recipient: Recipient, sending: OutgoingLetter
) -> tuple[int | None, str]:
    """The letter's count, where it has one, and its Message-ID."""
    name = service.addresses.message_id
    if recipient.seat:
        number = next_number(db, recipient.campaign, recipient.seat, sending.kind) + sending.place
        return number, name(recipient.campaign, recipient.seat, sending.kind, number)
    if recipient.person is not None:
        number = next_number_of_person(db, recipient.person, recipient.campaign, sending.kind) + sending.place
        return number, name(recipient.campaign, f"{PERSON}{recipient.person}", sending.kind, number)
    assert sending.letter is not None, "a stranger is only answered"
    return None, name("", STRANGER, sending.kind, sending.letter)


def _thread(service: ServiceContext, recipient: Recipient, answers: str | None) -> Thread:
    """One conversation a campaign: it begins with the seat's invitation."""
    root: tuple[str, ...] = ()
    if recipient.seat:
        root = (service.addresses.message_id(recipient.campaign, recipient.seat, "invitation", 1),)
    return Thread(answers, root)


def _list_of(service: ServiceContext, recipient: Recipient, reply_to: str) -> MailingList | None:
    if not recipient.campaign:
        return None
    list_id = f"{recipient.campaign.lower()}.{service.addresses.host}"
    return MailingList(list_id, recipient.campaign, reply_to)


def umpire_recipients(service: ServiceContext, db: Db, name: str) -> list[Recipient]:
    """The campaign's umpires; where it has none who can be written to, those of the house."""
    own = [person_recipient(one.person, name) for one in members(db, name, "umpire") if one.person.registered]
    return own or service_umpires(service, db, name)


def service_umpires(service: ServiceContext, db: Db, name: str = "") -> list[Recipient]:
    """Those who run the service."""
    house, found = service.profile, []
    for address in house.umpires:
        known = person(db, enrol(db, address, house.name, house.language, house.zone, service.now()))
        if known is not None and known.registered is not None:
            found.append(person_recipient(known, name))
    return found


def send(
    service: ServiceContext,
    tx: Connection,
    terms: Terms | None,
    recipient: Recipient,
    memo: Memo,
    now: datetime,
) -> None:
    """One letter after the other: each is counted before the next is named."""
    written = memo_letter(memo, phrases_for(terms, recipient))
    put_in_outbox(tx, [letter_to(service, tx, recipient, OutgoingLetter("notice", written), now)], now)
