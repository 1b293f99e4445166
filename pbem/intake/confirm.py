"""CONFIRM and CANCEL in reply to a question of ours.

CONFIRM runs exactly the letter that was asked about, as of its arrival, with what it lacked granted. It
counts when it answers the very letter that asked, whose Message-ID only a registered address was told; where
a mail program drops such headers, a proven letter of a seat with a single open question is taken for an
answer to it, unless that is about proof or something serious. To those only a signed CONFIRM is an answer, of
somebody whose letters have been signed before or where the campaign asks for that: a Message-ID stands in
every reply, and may have been copied to anybody.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, cast

from sqlalchemy import Connection

from pbem.context import ServiceContext
from pbem.intake.context import Arrival, Heard, Proof, hear, signature_of
from pbem.intake.plan import OWN, PROOF, SERIOUS, Granted, Plan, plan, read_granted
from pbem.intake.routing import answered_letter
from pbem.letters.memo import Note, Part
from pbem.mail.message import Letter
from pbem.mail.mime import open_letter
from pbem.orders.understood import Writer
from pbem.store.campaigns import campaign_row
from pbem.store.inbox import Received, letter, resettle_letter
from pbem.store.outbox import (
    ConfirmQuestion,
    open_question,
    open_questions,
    outcome_of_question,
    settle_question,
)
from pbem.store.people import person, seated
from pbem.store.session import Db
from pbem.verbs import addresses
from pbem.verbs.orders import Cancel

NOTHING_ASKED: Final = Note("confirm-nothing")
SHEET: Final = "sheet"  # the kind of a question about a held sheet
GRAVE: Final = frozenset({PROOF, SERIOUS})


@dataclass(frozen=True, slots=True)
class Answered:
    """A question that a letter answers. `again`: the letter it asked about, planned anew.

    Without one: `effect`, in the letter's transaction, or nothing but `note`.
    """

    question: ConfirmQuestion
    again: Plan | None = None
    note: Note | None = None
    outcome: str = "confirmed"
    effect: Callable[[Connection], tuple[Part, ...]] | None = None


def question_answered(heard: Heard) -> ConfirmQuestion | Note | None:
    """What the letter's CONFIRM or CANCEL is about; a note says why it is about nothing. None: neither."""
    context, arrival = heard.context, heard.arrival
    if arrival.answered is not None:
        message_id = arrival.answered.letter.message_id
        if (found := open_question(context.service.db, message_id)) is not None:
            return found if _may_answer(arrival, found) else Note("confirm-not-yours")
        if (outcome := outcome_of_question(context.service.db, message_id)) is not None:
            return Note("confirm-settled", {"outcome": outcome})
    if context.campaign_row is None or not context.seat or not context.proven:
        return None
    now = 0 if context.window is None else context.window.number
    asked = open_questions(context.service.db, context.campaign_row.id, context.seat)
    waiting = [one for one in asked if one.data["window"] in (0, now)]
    if len(waiting) != 1:
        return Note("confirm-which") if waiting else None
    grave = GRAVE & read_granted(waiting[0].data).codes
    return Note("confirm-reply-to-it") if grave else waiting[0]


def _may_answer(arrival: Arrival, question: ConfirmQuestion) -> bool:
    """The seat's present holder, from an address of his; or the person, or the stranger, who was asked."""
    if question.kind == addresses.NEW_ADDRESS:
        return arrival.letter.sender == str(question.data["address"])
    if question.seat is None:
        return arrival.seated is None and arrival.proof.token
    own = arrival.seated is not None and arrival.seated.seat == question.seat
    return own and arrival.campaign == question.campaign and arrival.proof.sender


# ------------------------------------------------------------------ CONFIRM


def confirmed(heard: Heard) -> Answered | Note:
    """The letter that was asked about, planned again; or why nothing can be confirmed."""
    found = question_answered(heard)
    if found is None:
        return NOTHING_ASKED
    if isinstance(found, Note):
        return found
    service = heard.context.service
    if found.kind == addresses.NEW_ADDRESS:
        return Answered(found, effect=addresses.confirm_address(service, found))
    if GRAVE & read_granted(found.data).codes and _lacks_signature(heard):
        return _unsigned(heard)
    received = None if found.letter is None else letter(service.db, found.letter)
    if received is None:
        return Answered(found, note=Note("confirm-gone"), outcome="gone")
    again = _heard_again(service, found, received)
    if _is_late(again, found.data):
        return Answered(found, note=Note("confirm-late", {"held": found.kind == SHEET}), outcome="late")
    return Answered(found, plan(again, read_granted(found.data), OWN))


def _lacks_signature(heard: Heard) -> bool:
    """Must it be signed, and is not? A stranger who signs up has only his address to prove."""
    context, proof = heard.context, heard.arrival.proof
    if proof.signature == "pass" or context.person is None:
        return False
    house = context.service.profile.proof
    asked = house if context.campaign_row is None else context.campaign_row.policy.get("proof", house)
    return proof.pinned or asked == "dkim"


def _unsigned(heard: Heard) -> Note:
    """The question stays open; a signed CONFIRM answers it, or the same letter, signed."""
    known = () if heard.context.person is None else heard.context.person.addresses
    signing = tuple(one.address for one in known if one.signed_since is not None)
    late = heard.arrival.proof.signature == "unknown"
    return Note("confirm-unsigned", {"signing": signing, "late": late})


def _heard_again(service: ServiceContext, question: ConfirmQuestion, received: Received) -> Heard:
    """As it was heard first, but for the doubts."""
    opened = open_letter(received.raw, (service.addresses.mailbox,))
    assert isinstance(opened, Letter), "it was opened before"
    standing = None if question.campaign is None else campaign_row(service.db, question.campaign)
    seats = [] if standing is None else seated(service.db, standing.id)
    data = question.data
    arrival = Arrival(
        service,
        received,
        opened,
        standing,
        next((one for one in seats if one.seat == question.seat), None),
        data["answers"],
        person=None if question.person is None else person(service.db, question.person),
        roles=cast(tuple[Writer, ...], tuple(data["roles"])),
        proof=_proof(received),
    )
    arrival.answered = answered_letter(arrival)
    return hear(arrival, sure=bool(GRAVE & read_granted(data).codes), proven=True)


def _proof(received: Received) -> Proof:
    signature, b = signature_of(received)
    return Proof(bool(received.proof.get("token")), bool(received.proof.get("sender")), False, signature, b)


def _is_late(again: Heard, data: dict[str, Any] | Any) -> bool:
    """Orders of a window that has closed since are not run in another one."""
    window = again.context.window
    return bool(data["window"]) and (window is None or window.number != data["window"])


def settle_confirmed(tx: Connection, found: Answered, now: datetime) -> bool:
    """The question is answered. False: it had been answered before."""
    if not settle_question(tx, found.question.message_id, found.outcome, now):
        return False
    if found.again is None and found.question.letter is not None:
        resettle_letter(tx, found.question.letter, "held", "refused", found.outcome, now)
    return True


# ------------------------------------------------------------------ CANCEL


def dropped(heard: Heard) -> ConfirmQuestion | None:
    """The question that a CANCEL without numbers drops; None: it is about what lies on file."""
    cancels = [one for one in heard.understood.commands if isinstance(one.command, Cancel)]
    if not any(not one.command.lines for one in cancels if isinstance(one.command, Cancel)):
        return None
    found = question_answered(heard)
    answered = heard.arrival.answered
    if not isinstance(found, ConfirmQuestion) or answered is None:
        return None
    return found if found.message_id == answered.letter.message_id else None


def settle_dropped(tx: Connection, question: ConfirmQuestion, heard: Heard) -> Note:
    now = heard.context.service.now()
    if not settle_question(tx, question.message_id, "dropped", now):
        return settled_before(tx, question)
    if question.letter is not None:
        resettle_letter(tx, question.letter, "held", "refused", "dropped", now)
    return Note("cancel-question")


def settled_before(db: Db, question: ConfirmQuestion) -> Note:
    return Note("confirm-settled", {"outcome": outcome_of_question(db, question.message_id)})


def next_granted(before: Granted, lacks: frozenset[str], done: set[int], filed: bool) -> Granted:
    """What CONFIRM in reply to the next question will have granted."""
    return Granted(before.codes | lacks, before.done | done, before.filed or filed)
