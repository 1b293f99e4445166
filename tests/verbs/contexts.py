"""Letters to a campaign at hand: heard as intake hears them, their deeds done, the answers in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from engine.kernel.requests import Seat
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.recipients import Recipient, person_recipient, seat_recipient
from pbem.letters.memo import Memo, Note, Part, memo_letter
from pbem.letters.phrases import Phrases
from pbem.mail.message import Letter
from pbem.orders.understood import Command, Writer
from pbem.store.campaigns import campaign
from pbem.store.inbox import RawMail
from pbem.store.people import Person, Seated, person_at, seated
from pbem.store.windows import Stamp, StoredSheet, file_sheet, open_window
from pbem.verbs.context import LetterContext, StoreView, VerbResult
from pbem.verbs.registry import REGISTRY
from tests.campaigns_at_hand import AtHand


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a command."""

    deed: VerbResult
    parts: tuple[Part, ...]
    text: str

    @property
    def flat(self) -> str:
        """The words as one line."""
        return " ".join(self.text.split())

    @property
    def codes(self) -> list[str]:
        return [part.code for part in self.parts if isinstance(part, Note)]


def letter_from(sender: str, **changes: Any) -> Letter:
    plain = Letter(
        message_id="<letter@clients.test>",
        sender=sender,
        sender_name="",
        recipients=(),
        delivered_to=(),
        subject="",
        date=None,
        in_reply_to=(),
        references=(),
        automatic="",
        lines=(),
    )
    return replace(plain, **changes)


def received(at: AtHand, sender: str) -> RawMail:
    now = at.clock()
    return RawMail(
        id=1,
        raw=b"",
        mailbox="INBOX",
        arrived=now,
        taken_in=now,
        state="received",
        reason="",
        tries=1,
        campaign=None,
        seat=None,
        person=None,
        sender=sender,
        message_id="<letter@clients.test>",
        proof={},
    )


def context(at: AtHand, seat: str, language: str = "", **changes: Any) -> LetterContext:
    """Of a seat's letter, sure of its sender."""
    one = next(one for one in seated(at.db, at.name) if one.seat == seat)
    reader = seat_recipient(at.name, one)
    assert reader is not None and one.person is not None
    return _context(at, reader, ("player",), one.person, one, language, **changes)


def of_person(at: AtHand, address: str, role: Writer, language: str = "", **changes: Any) -> LetterContext:
    """Of somebody who holds no seat."""
    person = person_at(at.db, address)
    assert person is not None
    return _context(at, person_recipient(person, at.name), (role,), person, None, language, **changes)


def of_stranger(at: AtHand, address: str, language: str = "en", **changes: Any) -> LetterContext:
    reader = Recipient(address, "A Stranger", language, "UTC")
    return _context(at, reader, ("stranger",), None, None, "", **({"campaign_row": None} | changes))


def _context(
    at: AtHand,
    reader: Recipient,
    roles: tuple[Writer, ...],
    person: Person | None,
    one: Seated | None,
    language: str,
    **changes: Any,
) -> LetterContext:
    store = StoreView(at.db)
    window = store.window(at.name)
    usual: dict[str, Any] = {
        "service": at.service,
        "mail": received(at, reader.address),
        "letter": letter_from(reader.address),
        "recipient": replace(reader, language=language) if language else reader,
        "roles": roles,
        "writer": person,
        "campaign_row": campaign(at.db, at.name),
        "seated": one,
        "store": store,
        "answers_window": window.number if window is not None and one is not None else 0,
        "stamp": Stamp(at.clock(), at.clock()),
        "proven": True,
        "sure": True,
    }
    return LetterContext(**(usual | changes))


def do(heard: LetterContext, command: Command, *, keep: bool = True) -> Answer:
    """Hear the command and run its effect in one transaction; or only see what it would say."""
    deed = REGISTRY.of(command).handle(heard, command)
    done: tuple[Part, ...] = ()
    if deed.effect is not None:
        with heard.service.db.connect() as tx, tx.begin() as transaction:
            done = tuple(deed.effect(tx))
            if not keep:
                transaction.rollback()
    parts = (*deed.answer, *done)
    return Answer(deed, parts, words(parts, heard.phrases))


def words(parts: Iterable[Part], phrases: Phrases) -> str:
    """The parts as a letter tells them, its frame, breaks and headings left out."""
    memo = Memo(Note("plain", {"text": "subject"}), Note("plain", {"text": "headline"}), tuple(parts))
    written = memo_letter(memo, phrases)
    assert written.html
    return written.text


# ------------------------------------------------------------------ a game under way


def on(at: AtHand) -> None:
    """Play on to the rounds of the first turn: counters lie on the fronts."""
    window = open_window(at.db, at.name)
    while window is not None and not window.key.startswith("T1.R"):
        for seat in at.seats:
            sheet = StoredSheet(_deploys(at, seat))
            file_sheet(at.db, at.name, window.number, seat, sheet, Stamp(at.clock()))
        at.close()
        window = open_window(at.db, at.name)


def _deploys(at: AtHand, seat: str) -> str:
    """Everything new to fronts where it may stand."""
    view = load_campaign(at.db, at.name).table.view(Seat(seat))
    fronts = {"WA": 2, "EA": 8, "DE": 8, "GA": 9}
    armies = [one for one in view.new[seat] if one not in view.pack.dummies]
    good = [one for one in armies if view.pack.nationality_of[one] in view.pack.permitted[fronts[seat]]]
    return f"DEPLOY {' '.join(good)} > {fronts[seat]}"
