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

from engine.kernel.game import Language
from pbem.campaigns.terms import Terms
from pbem.context import ServiceContext
from pbem.letters.memo import Memo, memo_letter
from pbem.letters.phrases import Phrases, spoken
from pbem.letters.result import Written
from pbem.mail.compose import Automatic, Correspondent, Draft, Enclosure, MailingList, Thread, compose
from pbem.store.outbox import OutgoingMail, next_number, next_number_of_person
from pbem.store.people import Person, Seated, seated
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
    written: Written
    window: int | None = None
    answers: str | None = None  # Message-ID of the reader's letter
    enclosures: Sequence[Enclosure] = ()
    letter: int | None = None  # number of the letter in the inbox that a stranger sent
    place: int = 0  # among the reader's letters of that kind that are laid in together


def letter_to(
    service: ServiceContext, db: Db, recipient: Recipient, sending: OutgoingLetter, now: datetime
) -> OutgoingMail:
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
    return OutgoingMail(
        message_id=message_id,
        kind=sending.kind,
        sender=addresses.envelope_sender(message_id),
        recipient=recipient.address,
        body=compose(draft),
        campaign=recipient.campaign or None,
        seat=recipient.seat or None,
        person=recipient.person,
        number=number,
        window=sending.window,
    )


def phrases_for(terms: Terms | None, recipient: Recipient) -> Phrases:
    """The reader's words, with the game's where there is one."""
    language = cast(Language, recipient.language)
    return spoken("", language, None) if terms is None else spoken(terms.game.id, language, terms.pack)


def tell_seats(
    service: ServiceContext,
    db: Db,
    terms: Terms,
    name: str,
    kind: Kind,
    memo: Memo,
    now: datetime,
    but: str = "",
) -> list[OutgoingMail]:
    """A memo to every seat that somebody holds, but one: letters to be laid in."""
    letters = []
    for one in seated(db, name):
        recipient = seat_recipient(name, one)
        if recipient is not None and one.seat != but:
            written = memo_letter(memo, phrases_for(terms, recipient))
            letters.append(letter_to(service, db, recipient, OutgoingLetter(kind, written), now))
    return letters


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
