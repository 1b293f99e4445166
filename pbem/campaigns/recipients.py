"""Who gets a letter, from which address, in which thread, under which Message-ID.

A letter to a seat is numbered among the seat's own letters of that kind; one to a person without a seat (an
umpire, an observer, somebody who signs up) among that person's own; one to a stranger is named after the
letter that it answers. No header counts what anybody else got.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias, cast

from engine.kernel.game import Language
from pbem.campaigns.terms import Terms
from pbem.context import ServiceContext
from pbem.letters.phrases import Phrases, load_phrases
from pbem.letters.render import LetterBody
from pbem.mail.compose import Correspondent, Draft, Enclosure, MailingList, Thread, compose
from pbem.store.outbox import OutgoingMail, next_number, next_number_of_person
from pbem.store.people import Person, Seated, seated
from pbem.store.session import Db

Kind: TypeAlias = Literal[
    "invitation", "receipt", "question", "result", "reminder", "notice", "final", "press", "answer"
]
PERSON, STRANGER = "~person", "~stranger"  # in place of a seat in the names of letters: no seat is called so


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipient:
    """Somebody who gets letters. `seat` "": not as the holder of a seat."""

    address: str
    name: str
    language: str
    zone: str
    person: int | None = None
    campaign: str = ""
    seat: str = ""
    holder: int = 0


def seat_recipient(campaign: str, seat: Seated) -> Recipient | None:
    """The holder of a seat; None: nobody, a bot, or somebody whose address is erased."""
    holder = seat.person
    if holder is None or holder.registered is None or seat.bot is not None:
        return None
    return replace(person_recipient(holder, campaign), seat=seat.seat, holder=seat.holder)


def seat_recipients(db: Db, name: str) -> Iterator[Recipient]:
    """All who hold a seat and can be written to, in seat order."""
    for seat in seated(db, name):
        if (recipient := seat_recipient(name, seat)) is not None:
            yield recipient


def person_recipient(person: Person, campaign: str = "") -> Recipient:
    """A person without a seat: an umpire, an observer, somebody who signs up."""
    assert person.registered is not None, "a person who can be written to has an address"
    return Recipient(
        address=person.registered,
        name=person.name,
        language=person.language,
        zone=person.zone,
        person=person.id,
        campaign=campaign,
    )


def phrases_for(terms: Terms | None, recipient: Recipient) -> Phrases:
    """The recipient's language, with the game's words where there is a game."""
    game, pack = ("", None) if terms is None else (terms.game.id, terms.pack)
    return load_phrases(game, cast(Language, recipient.language), pack)


# ------------------------------------------------------------------ letters


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingLetter:
    """A letter's words and how they go: about which window, in answer to what, with which files."""

    kind: Kind
    written: LetterBody
    window: int | None = None
    answers: str | None = None  # Message-ID of the recipient's letter
    enclosures: Sequence[Enclosure] = ()
    letter: int | None = None  # number in the inbox of the stranger's letter
    place: int = 0  # among the recipient's letters of that kind that go into the outbox together


def letter_to(
    service: ServiceContext, db: Db, recipient: Recipient, letter: OutgoingLetter, now: datetime
) -> OutgoingMail:
    """The final bytes. Called twice with the same store it gives the same letter; once that one is in the
    outbox, the next has another name.

    A reply goes to the address of the seat's window; without a window to that of window 0, which proves the
    seat and files nothing.
    """
    addresses, written = service.addresses, letter.written
    number, message_id = _name(service, db, recipient, letter)
    reply_to, root = addresses.mailbox, tuple[str, ...]()
    if recipient.seat:
        campaign, seat, window = recipient.campaign, recipient.seat, letter.window or 0
        reply_to = addresses.reply_address(campaign, seat, recipient.holder, window)
        root = (addresses.message_id(campaign, seat, "invitation", 1),)  # one thread for each campaign
    draft = Draft(
        message_id=message_id,
        sender=Correspondent(addresses.mailbox, service.profile.name),
        reply_to=reply_to,
        recipient=Correspondent(recipient.address, recipient.name),
        subject=written.subject,
        date=now,
        text=written.text,
        automatic="auto-replied" if letter.answers else "auto-generated",
        html=written.html,
        pictures=written.pictures,
        enclosures=tuple(letter.enclosures),
        thread=Thread(letter.answers, root),
        campaign=_mailing_list(service, recipient, reply_to),
    )
    return OutgoingMail(
        message_id=message_id,
        kind=letter.kind,
        sender=addresses.envelope_sender(message_id),
        recipient=recipient.address,
        body=compose(draft),
        campaign=recipient.campaign or None,
        seat=recipient.seat or None,
        person=recipient.person,
        number=number,
        window=letter.window,
    )


def _name(
    service: ServiceContext, db: Db, recipient: Recipient, letter: OutgoingLetter
) -> tuple[int | None, str]:
    """The letter's number, where it has one, and its Message-ID."""
    kind, campaign, message_id = letter.kind, recipient.campaign, service.addresses.message_id
    if recipient.seat:
        number = next_number(db, campaign, recipient.seat, kind) + letter.place
        return number, message_id(campaign, recipient.seat, kind, number)
    if recipient.person is not None:
        number = next_number_of_person(db, recipient.person, campaign, kind) + letter.place
        return number, message_id(campaign, f"{PERSON}{recipient.person}", kind, number)
    assert letter.letter is not None, "a stranger is only answered"
    return None, message_id("", STRANGER, kind, letter.letter)


def _mailing_list(service: ServiceContext, recipient: Recipient, reply_to: str) -> MailingList | None:
    if not recipient.campaign:
        return None
    list_id = f"{recipient.campaign.lower()}.{service.addresses.host}"
    return MailingList(list_id, recipient.campaign, reply_to)
