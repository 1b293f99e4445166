"""The one letter that answers a letter: a receipt, a question, or what its commands asked for."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from sqlalchemy import Connection

from engine.kernel.game import Language
from engine.kernel.requests import Seat
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.deadlines import label_of
from pbem.campaigns.lobby import parse_seats, seat_name, title_for
from pbem.campaigns.notify import house_umpires, umpires
from pbem.campaigns.order_file import lines_ahead
from pbem.campaigns.recipients import Kind, OutgoingLetter, Recipient, letter_to, phrases_for, seat_recipient
from pbem.campaigns.submit import Afterwards, merged_standing
from pbem.context import ServiceContext
from pbem.intake.context import Arrival
from pbem.intake.plan import OWN, PROOF, SERIOUS, Ran, mark_of
from pbem.letters.dates import Moment
from pbem.letters.invitation import signup_memo
from pbem.letters.memo import Callout, Listing, Memo, Note, Part, Passage, memo_letter
from pbem.letters.question import UnprovenReason, copied_warning, unproven_memo
from pbem.letters.receipt import FileSummary, Mark, ReceiptFacts, question_parts, receipt_memo
from pbem.orders.reader import MOST_LINES, MOST_SIGNS
from pbem.orders.understood import Given, Understood
from pbem.store.campaigns import campaign_called
from pbem.store.inbox import resettle_letter
from pbem.store.outbox import put_in_outbox, withdraw_earlier
from pbem.store.people import seated, spend
from pbem.store.windows import SeatOrders, WindowOrders, open_window
from pbem.verbs.context import LetterContext
from pbem.verbs.lobby import Signup
from pbem.verbs.orders import Lang, Zone

HOUR: Final = timedelta(hours=1)
RECEIPTS_AN_HOUR: Final = 6  # beyond which one tells of several letters
ANSWERS_AN_HOUR: Final = 40  # beyond which what is only asked for is not answered any more
GATHERED_FOR: Final = timedelta(minutes=15)
RESULT_FOLLOWS_IN: Final = timedelta(seconds=60)  # until then the result letter replaces the receipt
MOST_FILES: Final = 5
CUT_OFF: Final = "cut-off"  # the question of the order reader: it has not read all


@dataclass(frozen=True, slots=True)
class Answer:
    """What the answer is made from. `main`: what was carried out, be it the letter of a CONFIRM."""

    own: Ran
    main: Ran
    parts: tuple[Part, ...]
    lacks: frozenset[str]
    after: Afterwards | None = None  # None: no seat's

    @property
    def context(self) -> LetterContext:
        return self.own.plan.context

    @property
    def arrival(self) -> Arrival:
        return self.own.plan.heard.arrival

    @property
    def is_too_long(self) -> bool:
        """Nobody says yes to what he is not shown whole: such a letter is not offered for CONFIRM."""
        if PROOF not in self.lacks:
            return False
        understood = self.own.plan.understood
        said = _said(understood)
        cut = any(one.code == CUT_OFF for one in understood.questions)
        return cut or len(said) > MOST_LINES or sum(map(len, said)) > MOST_SIGNS

    @property
    def kind(self) -> Kind:
        if self.is_too_long:
            return "answer"
        if self.lacks or self.main.plan.asks or self.main.outcome == "held":
            return "question"
        orders = self.main.outcome in ("filed", "stale", "withdrawn") and not self.parts
        return "receipt" if orders and self.context.seat else "answer"


def lay_answer(tx: Connection, answer: Answer) -> str | None:
    """Lay the answer in; returns the Message-ID that CONFIRM may answer.

    None: nothing is asked. Either too many letters came, or this one is too long to be asked about.
    """
    context, kind = answer.context, answer.kind
    service, now, recipient = context.service, context.service.now(), context.recipient
    if answer.is_too_long:
        resettle_letter(tx, context.received.id, "applied", "refused", "too-long", now)
    follows = kind == "receipt" and answer.after is not None and answer.after.completes
    gathered = not _has_allowance(tx, answer)
    if gathered and kind == "answer":
        return None
    written = memo_letter(_memo(tx, answer, follows), context.phrases)
    window = context.window.number if context.seat and context.window is not None else None
    sending = OutgoingLetter(
        kind=kind,
        written=written,
        window=window,
        answers=context.letter.message_id or None,
        enclosures=tuple(
            answer.own.enclosures + (answer.main.enclosures if answer.main is not answer.own else [])
        ),
        letter=context.received.id,
    )
    pause = RESULT_FOLLOWS_IN if follows else GATHERED_FOR if gathered else None
    letter = letter_to(service, tx, recipient, sending, now)
    (row,) = put_in_outbox(tx, [replace(letter, not_before=None if pause is None else now + pause)], now)
    if recipient.seat and (kind == "receipt" or gathered):
        withdraw_earlier(tx, recipient.campaign, recipient.seat, kind, row)
    return None if answer.is_too_long else letter.message_id


def _has_allowance(tx: Connection, answer: Answer) -> bool:
    recipient, now = answer.context.recipient, answer.context.service.now()
    subject = (
        f"{recipient.campaign}/{recipient.seat}"
        if recipient.seat
        else f"~{recipient.person or recipient.address}"
    )
    limit = RECEIPTS_AN_HOUR if answer.kind == "receipt" else ANSWERS_AN_HOUR
    return spend(tx, subject, answer.kind, limit, HOUR, now)


# ------------------------------------------------------------------ its words


def _memo(tx: Connection, answer: Answer, follows: bool) -> Memo:
    if answer.is_too_long:
        return _too_long(answer)
    if answer.context.seat and PROOF in answer.lacks and answer.main is answer.own:
        return _unproven(answer)
    if answer.context.seat:
        memo = receipt_memo(_facts(tx, answer, follows), answer.context.phrases)
        return _asking(memo) if answer.lacks and answer.main.outcome == "answered" else memo
    waiting = [one.given.command for one in answer.own.plan.deeds if one.lacks == SERIOUS]
    signups = [one for one in waiting if isinstance(one, Signup)]
    beside = [one for one in waiting if not isinstance(one, Signup | Lang | Zone)]
    if len(signups) == 1 and not beside and not answer.parts:
        memo = _signup(tx, answer, signups[0])
        return memo if len(waiting) == 1 else replace(memo, parts=(*memo.parts, *_what_confirm_does(answer)))
    return _plain_answer(answer)


def _asking(memo: Memo) -> Memo:
    """What would be the answer to commands asks for something, too: that stands first."""
    facts = {"campaign": memo.campaign}
    return replace(memo, subject=Note("intake-question-subject", facts), headline=Note("intake-question"))


def _unproven(answer: Answer) -> Memo:
    """What a letter would do that came in the seat's name, told to its registered address."""
    context, proof = answer.context, answer.arrival.proof
    why: UnprovenReason = (
        "signature" if proof.sender and proof.token else "token" if proof.sender else "address"
    )
    if why == "signature" and proof.signature == "unknown":
        why = "late-signature"
    parts: list[Part] = list(_listed(_would_do(answer.own, context.language)))
    for question in answer.own.plan.understood.questions:
        parts += question_parts(question, context.phrases)
    arrived = Moment(context.received.arrived, context.recipient.zone)
    said = _said(answer.own.plan.understood)
    memo = unproven_memo(_campaign(context), _label(context), said, arrived, why, tuple(parts))
    return replace(memo, parts=(*memo.parts, *answer.parts))


def _too_long(answer: Answer) -> Memo:
    """To the registered address: a letter came that nobody can be asked about."""
    context, name = answer.context, _campaign(answer.context)
    facts = {"campaign": name, "arrived": Moment(context.received.arrived, context.recipient.zone)}
    known = (Note("unproven-not-you"),) if context.seat else ()
    parts = (Note("too-long-again", facts), *known, *answer.parts)
    return Memo(Note("too-long-subject", facts), Note("too-long", facts), parts, name)


def _said(understood: Understood) -> tuple[str, ...]:
    """Every line of the letter that was read as its writer's own, files and edited templates among them."""
    told = [one.lines for one in (*understood.sheet.lines, *understood.standing.lines)]
    told += [one.lines for one in understood.commands]
    told += [one.lines for one in understood.replies] + [one.lines for one in understood.refused]
    told += [one.lines for one in understood.questions]
    told += [understood.frames, tuple(chat.line for chat in understood.chat)]
    return tuple(line.text.strip() for line in sorted({line for lines in told for line in lines}))


def _would_do(ran: Ran, language: Language) -> list[str]:
    """All that CONFIRM runs, whole: orders as they were understood, answers and commands as written."""
    plan, understood = ran.plan, ran.plan.understood
    found: list[str] = []
    if plan.orders_lack or _is_all_held(ran):
        good = sorted((*understood.sheet.good, *understood.standing.good), key=lambda line: line.number)
        found += [line.write(language) for line in good]
        found += [line.text.strip() for reply in understood.replies for line in reply.lines]
    return found + [line.text.strip() for one in _waiting(ran) for line in one.lines]


def _is_all_held(ran: Ran) -> bool:
    """It is not proven, and in doubt: nothing of it has been planned, and CONFIRM runs it all."""
    return ran.plan.asks and PROOF in ran.lacks


def _waiting(ran: Ran) -> list[Given]:
    """The commands that CONFIRM runs."""
    if _is_all_held(ran):
        return [one for one in ran.plan.understood.commands if not isinstance(one.command, OWN)]
    return [one.given for one in ran.plan.deeds if one.lacks]


def _listed(lines: Iterable[str]) -> tuple[Part, ...]:
    shown = tuple(f"    {line}" for line in lines)
    return (Passage(shown),) if shown else ()


def _signup(tx: Connection, answer: Answer, command: Signup) -> Memo:
    here = campaign_called(tx, command.campaign)
    assert here is not None, "its handler found the campaign"
    terms, language = load_campaign(tx, here.id).terms, answer.context.language
    meant = parse_seats(terms, command.preferences)
    wishes = tuple(seat_name(terms, terms.seat(seat), language) for seat in meant)
    return signup_memo(here.id, title_for(terms, here.title, language), wishes or command.preferences)


def _plain_answer(answer: Answer) -> Memo:
    """To an umpire, an observer or a stranger: what was asked for, what was not understood, what is asked."""
    context, understood = answer.context, answer.main.plan.understood
    name = _campaign(context)
    parts: list[Part] = [*_warnings(answer.arrival), *answer.parts]
    refusals = [Note("plain", {"text": context.phrases.refusal(one.refusal)}) for one in understood.refused]
    parts += [Listing(tuple(refusals))] if refusals else []
    for question in understood.questions:
        parts += question_parts(question, context.phrases)
    parts += _what_confirm_does(answer)
    code = "intake-question" if answer.kind == "question" else "intake-answer"
    facts = {"campaign": name}
    return Memo(Note(f"{code}-subject", facts), Note(code, facts), tuple(parts), name)


def _what_confirm_does(answer: Answer) -> tuple[Part, ...]:
    """What waits for CONFIRM, whole."""
    ran = (answer.main,) if answer.main is answer.own else (answer.main, answer.own)
    lines = _listed(line for one in ran for line in _would_do(one, answer.context.language))
    if not lines:
        return ()
    serious = any(deed.lacks == SERIOUS for one in ran for deed in one.plan.deeds)
    return Callout(Note("confirm-serious" if serious else "confirm-proof")), *lines


# ------------------------------------------------------------------ a seat's receipt


def _facts(tx: Connection, answer: Answer, follows: bool) -> ReceiptFacts:
    context, main = answer.context, answer.main
    assert context.campaign_row is not None and answer.after is not None, "a seat is one of a campaign"
    planned, zone = main.plan, context.recipient.zone
    sent = mark_of(answer.own.plan, answer.own.salt)
    verdicts = () if planned.submission is None else planned.submission.verdicts
    return ReceiptFacts(
        campaign=context.campaign_row.id,
        seat=Seat(context.seat),
        understood=planned.understood,
        outcome=main.outcome,
        verdicts=verdicts,
        window=_label(context),
        on_file=file_now(answer.after.filed, context),
        deadline=_deadline(answer.after, context),
        arrived=Moment(context.received.arrived, zone),
        whole_sheets=context.policy.whole_sheets,
        answers=(*answer.parts, *_what_confirm_does(answer)),
        warnings=_warnings(answer.arrival),
        mark=None if sent is None else Mark(sent.message_id, sent.signature, sent.salt),
        board=planned.board,
        result_follows=follows,
    )


def _warnings(arrival: Arrival) -> tuple[Part, ...]:
    """Said first: who else has read it, and what of it nobody has."""
    found: list[Part] = [copied_warning(arrival.copied_to)] if arrival.copied_to else []
    if arrival.letter.unread:
        found.append(Callout(Note("intake-unread", {"files": arrival.letter.unread[:MOST_FILES]})))
    return tuple(found)


def _campaign(context: LetterContext) -> str:
    return "" if context.campaign_row is None else context.campaign_row.id


def _label(context: LetterContext) -> str:
    """As templates name it; the window of a single question has no sheet."""
    window = context.window
    return "" if window is None or window.once else label_of(window)


def _deadline(after: Afterwards, context: LetterContext) -> Moment | None:
    if context.campaign_row is None or context.window is None or context.campaign_row.held is not None:
        return None
    due = [one.at for one in after.due if one.kind == "deadline"]
    return Moment(due[0], context.recipient.zone) if due else None


def file_now(filed: WindowOrders, context: LetterContext) -> FileSummary:
    """What counts for the seat after this letter."""
    here, seat = context.campaign, Seat(context.seat)
    mine = filed.seats.get(seat, SeatOrders())
    reading = here.read(seat, "" if mine.sheet is None else mine.sheet.orders)
    standing = here.read(seat, mine.standing).standing
    by = None if mine.sheet is None else mine.sheet.arrived
    return FileSummary(
        orders=reading.orders,
        standing=merged_standing(standing, reading.standing),
        replies=_replies(context, mine),
        held=mine.sheet is not None and mine.sheet.held,
        stance=mine.stance or "",
        filed_by=None if by is None else Moment(by, context.recipient.zone),
        ahead=lines_ahead(filed, seat, lambda words: here.read(seat, words)),
        sealed=filed.window is not None and filed.window.once,
    )


def _replies(context: LetterContext, mine: SeatOrders) -> tuple[tuple[int, str], ...]:
    here, seat, found = context.campaign, Seat(context.seat), []
    write, view = here.terms.game.notation.write_answer, here.view(seat)
    for number, (question, ask) in enumerate(here.open_asks().get(seat, ()), 1):
        if (reply := mine.replies.get(question)) is not None:
            answer = here.table.codec.answer(reply.topic, json.loads(reply.answer))
            found.append((number, write(ask, answer, context.language, view)))
    return tuple(found)


def lay_memo(
    service: ServiceContext,
    tx: Connection,
    recipient: Recipient,
    memo: Memo,
    kind: Kind = "notice",
    window: int | None = None,
    letter: int | None = None,
) -> None:
    """One memo to one reader."""
    terms = load_campaign(tx, recipient.campaign).terms if recipient.campaign else None
    now = service.now()
    written = memo_letter(memo, phrases_for(terms, recipient))
    put_in_outbox(
        tx,
        [
            letter_to(
                service,
                tx,
                recipient,
                OutgoingLetter(kind=kind, written=written, window=window, letter=letter),
                now,
            )
        ],
        now,
    )


def umpire_notice_to(code: str, campaign: str, *parts: Part, **facts: object) -> Memo:
    """A memo whose subject and headline are `<code>-subject` and `<code>`."""
    told = {"campaign": campaign, **facts}
    return Memo(Note(f"{code}-subject", told), Note(code, told), parts, campaign)


def tell_umpires(service: ServiceContext, tx: Connection, memo: Memo) -> None:
    """The campaign's umpires, or else those who run the service."""
    readers = umpires(service, tx, memo.campaign) if memo.campaign else house_umpires(service, tx)
    for recipient in readers:
        lay_memo(service, tx, recipient, memo)


def tell_holder(service: ServiceContext, tx: Connection, campaign: str, seat: str, memo: Memo) -> None:
    """A notice to whoever holds the seat, with the reply address of its open window."""
    one = next(one for one in seated(tx, campaign) if one.seat == seat)
    recipient, window = seat_recipient(campaign, one), open_window(tx, campaign)
    if recipient is not None:
        lay_memo(service, tx, recipient, memo, "notice", None if window is None else window.number)
