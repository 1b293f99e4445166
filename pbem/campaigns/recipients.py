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
from pbem.campaigns.policy import Terms
from pbem.context import Office
from pbem.letters.memo import Memo, memo_letter
from pbem.letters.phrases import Phrases, spoken
from pbem.letters.result import Written
from pbem.mail.compose import Automatic, Correspondent, Draft, Enclosure, MailingList, Thread, compose
from pbem.store.outbox import Outgoing, next_number, next_number_of_person
from pbem.store.people import Person, Seated, seated
from pbem.store.session import Db

Kind: TypeAlias = Literal[
    "invitation", "receipt", "question", "result", "reminder", "notice", "final", "press", "answer"
]
PERSON, STRANGER = "~person", "~stranger"  # in place of a seat in the names of letters: no seat is called so


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody who gets letters. `seat` "": in no seat's name."""

    address: str
    name: str
    language: str
    zone: str
    person: int | None = None
    campaign: str = ""
    seat: str = ""
    holder: int = 0


def seat_reader(campaign: str, seated: Seated) -> Reader | None:
    """The holder of a seat; None: nobody, a bot, or somebody whose address is erased."""
    who = seated.person
    if who is None or who.registered is None or seated.bot is not None:
        return None
    return replace(person_reader(who, campaign), seat=seated.seat, holder=seated.holder)


def person_reader(person: Person, campaign: str = "") -> Reader:
    """A person in his own name: an umpire, an observer, one who signs up."""
    assert person.registered is not None, "a person who can be written to has an address"
    return Reader(person.registered, person.name, person.language, person.zone, person.id, campaign)


@dataclass(frozen=True, slots=True)
class Sending:
    """A letter's words and how they go: about which window, in answer to what, with which files."""

    kind: Kind
    written: Written
    window: int | None = None
    answers: str | None = None  # Message-ID of the reader's letter
    enclosures: Sequence[Enclosure] = ()
    letter: int | None = None  # number of the letter in the inbox that a stranger sent
    place: int = 0  # among the reader's letters of that kind that are laid in together


def letter_to(office: Office, db: Db, reader: Reader, sending: Sending, now: datetime) -> Outgoing:
    """The final bytes. Two calls with the same store give the same letter; laid in, the next is another.

    The reply goes to the address of the seat's window; without a window to that of window 0, which proves
    the seat and files nothing.
    """
    addresses, written = office.addresses, sending.written
    number, message_id = _name(office, db, reader, sending)
    reply_to = addresses.mailbox
    if reader.seat:
        where = (reader.campaign, reader.seat, reader.holder, sending.window or 0)
        reply_to = addresses.reply_address(*where)
    automatic: Automatic = "auto-replied" if sending.answers else "auto-generated"
    draft = Draft(
        message_id,
        Correspondent(addresses.mailbox, office.house.name),
        reply_to,
        Correspondent(reader.address, reader.name),
        written.subject,
        now,
        written.text,
        automatic,
        written.html,
        written.pictures,
        tuple(sending.enclosures),
        _thread(office, reader, sending.answers),
        _list_of(office, reader, reply_to),
    )
    return Outgoing(
        message_id,
        sending.kind,
        addresses.envelope_sender(message_id),
        reader.address,
        compose(draft),
        reader.campaign or None,
        reader.seat or None,
        reader.person,
        number,
        sending.window,
    )


def phrases_for(terms: Terms | None, reader: Reader) -> Phrases:
    """The reader's words, with the game's where there is one."""
    language = cast(Language, reader.language)
    return spoken("", language, None) if terms is None else spoken(terms.game.id, language, terms.pack)


def tell_seats(
    office: Office, db: Db, terms: Terms, name: str, kind: Kind, memo: Memo, now: datetime, but: str = ""
) -> list[Outgoing]:
    """A memo to every seat that somebody holds, but one: letters to be laid in."""
    letters = []
    for one in seated(db, name):
        reader = seat_reader(name, one)
        if reader is not None and one.seat != but:
            written = memo_letter(memo, phrases_for(terms, reader))
            letters.append(letter_to(office, db, reader, Sending(kind, written), now))
    return letters


def _name(office: Office, db: Db, reader: Reader, sending: Sending) -> tuple[int | None, str]:
    """The letter's count, where it has one, and its Message-ID."""
    name = office.addresses.message_id
    if reader.seat:
        number = next_number(db, reader.campaign, reader.seat, sending.kind) + sending.place
        return number, name(reader.campaign, reader.seat, sending.kind, number)
    if reader.person is not None:
        number = next_number_of_person(db, reader.person, reader.campaign, sending.kind) + sending.place
        return number, name(reader.campaign, f"{PERSON}{reader.person}", sending.kind, number)
    assert sending.letter is not None, "a stranger is only answered"
    return None, name("", STRANGER, sending.kind, sending.letter)


def _thread(office: Office, reader: Reader, answers: str | None) -> Thread:
    """One conversation a campaign: it begins with the seat's invitation."""
    root: tuple[str, ...] = ()
    if reader.seat:
        root = (office.addresses.message_id(reader.campaign, reader.seat, "invitation", 1),)
    return Thread(answers, root)


def _list_of(office: Office, reader: Reader, reply_to: str) -> MailingList | None:
    if not reader.campaign:
        return None
    list_id = f"{reader.campaign.lower()}.{office.addresses.host}"
    return MailingList(list_id, reader.campaign, reply_to)
