"""CONFIRM and CANCEL in reply to a question of ours.

CONFIRM runs exactly the letter that was asked about, as of its arrival, with what it lacked granted. It
counts when it answers the very letter that asked, whose Message-ID only a registered address was told; where
a mail program drops such headers, a proven letter of a seat with a single open question is taken for an
answer to it, unless that is about proof or something serious, or others may have taken those headers away.
An answer is signed where a letter must be: a Message-ID stands in every reply, and may have been copied to
anybody. And where the signature does not cover which letter is answered, a letter that was not proven is
asked about once more, by a letter that nobody has answered yet; so is any where the yes may have been said
to another open question.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, cast

from sqlalchemy import Connection

from pbem.intake.checks import address_answer, answered_letter
from pbem.intake.plan import OWN, PROOF, SERIOUS, Applied, Confirmation, Granted, Plan, make_plan, run_plan
from pbem.intake.reading import read_letter
from pbem.letters.memo import Note, Part
from pbem.mail.message import Letter
from pbem.mail.mime import open_letter
from pbem.orders.understood import Understood, Writer
from pbem.store.inbox import REQUEUED, RawMail, letter, resettle_letter
from pbem.store.outbox import (
    ConfirmQuestion,
    open_question,
    open_questions,
    outcome_of_question,
    settle_question,
)
from pbem.store.people import person
from pbem.verbs import addresses
from pbem.verbs.context import LetterContext, Proof, new_context
from pbem.verbs.orders import Cancel, Confirm

SHEET: Final = "sheet"  # the kind of a question about a held sheet
ONCE_MORE: Final = "once-more"  # the first yes did not show what it was said to
GRAVE: Final = frozenset({PROOF, SERIOUS})


def plan_answer(context: LetterContext, understood: Understood) -> Plan:
    """The plan of a letter that says CONFIRM or CANCEL, perhaps among other things."""
    dropped = _dropped_question(context, understood)
    own = (*OWN, Cancel) if dropped is not None and dropped.kind != SHEET else OWN
    plan = make_plan(context, understood, own=own)
    drops = None if dropped is None else _cancellation(context, dropped)
    confirms = any(isinstance(one.command, Confirm) for one in understood.commands)
    return replace(plan, drops=drops, confirms=_confirmation(plan) if confirms else None)


def question_answered(context: LetterContext) -> ConfirmQuestion | Note | None:
    """What the letter's CONFIRM or CANCEL is about; a note says why it is about nothing. None: neither."""
    db = context.service.db
    if context.answered is not None:
        message_id = context.answered.letter.message_id
        if (question := open_question(db, message_id)) is not None:
            return question if _may_answer(context, question) else Note("confirm-not-yours")
        if (outcome := outcome_of_question(db, message_id)) is not None:
            return Note("confirm-settled", {"outcome": outcome})
    if context.campaign_row is None or not context.seat or not context.proven:
        return None
    now = 0 if context.window is None else context.window.number
    asked = open_questions(db, context.campaign_row.id, context.seat)
    waiting = [one for one in asked if one.data["window"] in (0, now)]
    if len(waiting) != 1:
        return Note("confirm-which") if waiting else None
    if _is_grave(waiting[0]) or context.proof.may_answer_another:
        return Note("confirm-reply-to-it")
    return Note("confirm-asked-nothing") if context.service.addresses.answered(context.letter) else waiting[0]


def _is_grave(question: ConfirmQuestion) -> bool:
    return bool(GRAVE & Granted.from_dict(question.data).codes)


def _may_answer(context: LetterContext, question: ConfirmQuestion) -> bool:
    """The seat's present holder, from an address of theirs; or the person, or the stranger, who was asked."""
    if question.kind == addresses.NEW_ADDRESS:
        return context.letter.sender == str(question.data["address"])
    if question.seat is None:
        return context.seated is None and context.proof.token
    own = context.seated is not None and context.seat == question.seat
    return own and context.campaign_name == question.campaign and context.proof.sender


# ------------------------------------------------------------------ CONFIRM


def _confirmation(plan: Plan) -> Confirmation | Note | None:
    """The letter that was asked about, planned again; or why nothing can be confirmed.

    Where nothing waits for a CONFIRM, it was said of the very letter it stands in.
    """
    context = plan.context
    question = question_answered(context)
    if question is None and plan.commands:
        return Note("confirm-in-reply") if plan.lacks & GRAVE else None
    if question is None:
        return Note("confirm-nothing")
    if isinstance(question, Note):
        return question
    service = context.service
    if question.kind == addresses.NEW_ADDRESS:
        return Confirmation(question=question, effect=addresses.confirm_address(service, question))
    if _must_sign(context, question) and not context.proof.is_signed:
        return _unsigned(context)
    mail = None if question.letter is None else letter(service.db, question.letter)
    if mail is None:
        return _closed_with(question, "gone", Note("confirm-gone"))
    again = _context_again(context, question, mail)
    understood, window = read_letter(again), question.data["window"]
    if window and (again.window is None or again.window.number != window):  # orders run in no other window
        return _closed_with(question, "late", Note("confirm-late", {"held": question.kind == SHEET}))
    granted = Granted.from_dict(question.data)
    if _is_said_to_another(context, question, mail):
        granted = replace(granted, codes=granted.codes - GRAVE | {ONCE_MORE})
        again = replace(again, proven=False, sure=False)
        return Confirmation(question=question, again=make_plan(again, understood, granted), outcome=ONCE_MORE)
    return Confirmation(question=question, again=make_plan(again, understood, granted))


def _cancellation(context: LetterContext, question: ConfirmQuestion) -> Confirmation | Note:
    if _must_sign(context, question) and not context.proof.is_signed:
        return _unsigned(context, cancels=True)
    return _closed_with(question, "dropped", Note("cancel-question"))


def _closed_with(question: ConfirmQuestion, outcome: str, note: Note) -> Confirmation:
    """Nothing is run."""
    return Confirmation(question=question, outcome=outcome, effect=lambda tx: (note,))


def _must_sign(context: LetterContext, question: ConfirmQuestion) -> bool:
    """Like any letter of theirs, and about grave things always, once their letters have been signed.

    A stranger who signs up has only their address to prove.
    """
    if context.person is None or context.required_proof == "dkim":
        return context.person is not None
    return context.proof.pinned and (_is_grave(question) or context.required_proof == "pinned")


def _is_said_to_another(context: LetterContext, question: ConfirmQuestion, mail: RawMail) -> bool:
    """May somebody else have put this yes to the question?

    Where the letter that it is about may be theirs, or another of the writer's questions waits for one.
    """
    if ONCE_MORE in Granted.from_dict(question.data).codes:
        return False
    if context.proof.may_answer_another and len(_questions_of(context)) > 1:
        return True
    if not _is_grave(question) or not _must_sign(context, question) or context.proof.is_whole:
        return False
    return not Proof.from_dict(mail.proof).is_given("dkim")


def _questions_of(context: LetterContext) -> list[ConfirmQuestion]:
    """All that the seat could say yes to."""
    return open_questions(context.service.db, context.campaign_name, context.seat) if context.seat else []


def _unsigned(context: LetterContext, *, cancels: bool = False) -> Note:
    """The question stays open; a signed answer settles it, or the same letter, signed."""
    known = () if context.person is None else context.person.addresses
    signing = tuple(one.address for one in known if one.signed_since is not None)
    late = context.proof.signature == "unknown"
    return Note("confirm-unsigned", {"cancels": cancels, "signing": signing, "late": late})


def _context_again(context: LetterContext, question: ConfirmQuestion, mail: RawMail) -> LetterContext:
    """As it was when it was asked about, but for the doubts."""
    service, store, data = context.service, context.store, question.data
    opened = open_letter(mail.raw, (service.addresses.mailbox,))
    assert isinstance(opened, Letter), "it was opened before"
    row = None if question.campaign is None else store.campaign_row(question.campaign)
    again = replace(
        new_context(service, mail, opened),
        store=store,
        roles=cast(tuple[Writer, ...], tuple(data["roles"])),
        writer=None if question.person is None else person(service.db, question.person),
        campaign_row=row,
        seated=None if row is None else store.seat(row.id, question.seat),
        answers_window=data["answers"],
        proof=Proof.from_dict(mail.proof),
        proven=True,
        sure=_is_grave(question),
    )
    return address_answer(replace(again, answered=answered_letter(again)))


# ------------------------------------------------------------------ the transaction


def run_answer(tx: Connection, applied: Applied) -> Applied:
    """What comes of the letter's CANCEL and CONFIRM."""
    for answer in (applied.plan.drops, applied.plan.confirms):
        if isinstance(answer, Note):
            applied = _say(applied, answer)
        elif answer is not None:
            applied = _settle(tx, applied, answer)
    return applied


def _settle(tx: Connection, applied: Applied, answer: Confirmation) -> Applied:
    question, again, now = answer.question, answer.again, applied.context.service.now()
    if not settle_question(tx, question.message_id, answer.outcome, now):
        outcome = outcome_of_question(tx, question.message_id)
        return _say(applied, Note("confirm-settled", {"outcome": outcome}))
    if again is None:
        if question.letter is not None:
            resettle_letter(tx, question.letter, "held", "refused", answer.outcome, now)
        return _say(applied, *answer.effect(tx))
    asked_about = again.context.mail
    if not resettle_letter(tx, asked_about.id, "held", "applied", again.expects, now):
        return _say(applied, Note("confirm-settled", {"outcome": REQUEUED}))  # it was read anew meanwhile
    ran = run_plan(tx, again)
    if answer.outcome == ONCE_MORE and ran.lacks:
        applied = _say(applied, Note("confirm-once-more"))
    is_empty = not ran.parts and not ran.lacks and again.submission is None and not again.asks
    return replace(_say(applied, *((Note("confirm-empty"),) if is_empty else ran.parts)), again=ran)


def _say(applied: Applied, *parts: Part) -> Applied:
    return replace(applied, parts=(*applied.parts, *parts))


def _dropped_question(context: LetterContext, understood: Understood) -> ConfirmQuestion | None:
    """The question that a CANCEL without numbers drops; None: it is about what lies on file."""
    commands = [one.command for one in understood.commands]
    if not any(isinstance(one, Cancel) and not one.lines for one in commands):
        return None
    question, answered = question_answered(context), context.answered
    if not isinstance(question, ConfirmQuestion) or answered is None:
        return None
    return question if question.message_id == answered.letter.message_id else None
