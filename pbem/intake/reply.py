"""The one letter that answers a letter: a receipt, a question, or what its commands asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection

from engine.kernel.game import Language
from pbem.campaigns.calendar import window_file
from pbem.campaigns.deadlines import awaited_seats, label_of
from pbem.campaigns.lobby import parse_seats, seat_name
from pbem.campaigns.recipients import Kind, Recipient
from pbem.campaigns.terms import title_for
from pbem.intake.filing import WindowState
from pbem.intake.gathering import HOUR, counted_as, gather_answer, lay_answer
from pbem.intake.plan import OWN, PROOF, SERIOUS, Applied, Plan, mark_of
from pbem.letters.dates import Moment
from pbem.letters.invitation import signup_memo
from pbem.letters.memo import (
    Callout,
    Listing,
    Memo,
    Note,
    Part,
    Passage,
    coded_memo,
    memo_letter,
    plain_note,
)
from pbem.letters.question import UnprovenReason, copied_warning, unproven_memo
from pbem.letters.receipt import FileSummary, Mark, ReceiptFacts, question_parts, receipt_memo
from pbem.mail.compose import Enclosure
from pbem.orders.lines import MOST_LINES, MOST_SIGNS
from pbem.orders.understood import Understood
from pbem.store.inbox import resettle_letter
from pbem.store.outbox import GATHERED_FOR, withdraw_earlier
from pbem.store.people import use_allowance
from pbem.store.windows import SeatOrders, WindowOrders
from pbem.verbs.context import LetterContext
from pbem.verbs.lobby import Signup
from pbem.verbs.orders import Lang, Zone
from pbem.verbs.status import reply_text

RECEIPTS_AN_HOUR: Final = 6  # beyond which one tells of several letters
ANSWERS_AN_HOUR: Final = 40  # beyond which they are gathered into one that leaves later
RESULT_FOLLOWS_IN: Final = timedelta(seconds=60)  # until then the result letter replaces the receipt
MOST_FILES: Final = 5
MOST_SHOWN: Final = 10  # lines of a letter that is not asked about
CUT_OFF: Final = "cut-off"  # the question of the order reader: it has not read all


def send_answer(tx: Connection, applied: Applied) -> str | None:
    """Put the answer into the outbox; returns the Message-ID that CONFIRM may answer.

    None: nothing is asked. Either too many letters came, or this one is too long to be asked about.
    """
    context, kind, too_long = applied.context, _kind(applied), _is_too_long(applied)
    now = context.service.now()
    if too_long:
        resettle_letter(tx, context.mail.id, "applied", "refused", "too-long", now)
    allowed = _has_allowance(tx, context.recipient, kind, now)
    if not allowed and kind != "receipt":
        if kind == "question":
            _leave_unasked(tx, applied)
        memo = _unasked(applied) if kind == "question" else _memo(applied, kind)
        gather_answer(tx, context, memo, ANSWERS_AN_HOUR)
        return None
    follows = kind == "receipt" and applied.after is not None and applied.after.completes
    pause = RESULT_FOLLOWS_IN if follows else None if allowed else GATHERED_FOR
    written = memo_letter(_memo(applied, kind), context.phrases, context.title)
    files = [file for one in applied.every for file in one.enclosures]
    enclosures = tuple(dict.fromkeys((*files, *_deadline_file(applied))))
    message_id, row = lay_answer(tx, context, written, kind, pause, enclosures)
    if context.seat and kind == "receipt":
        withdraw_earlier(tx, context.campaign_name, context.seat, kind, row)
    return None if too_long else message_id


def _deadline_file(applied: Applied) -> tuple[Enclosure, ...]:
    """For a seat that is still awaited: the deadline that its receipt names."""
    context, after = applied.context, applied.after
    until = None if after is None else _deadline(after, context)
    if after is None or not after.awaits or until is None or after.filed.window is None:
        return ()
    service, terms, window = context.service, context.campaign.terms, after.filed.window
    return (window_file(service, terms, context.recipient, context.title, window, until.at, service.now()),)


def send_memo_in_answer(tx: Connection, context: LetterContext, memo: Memo) -> None:
    """Answer a letter with a memo, within the limits of all answers."""
    if _has_allowance(tx, context.recipient, "answer", context.service.now()):
        lay_answer(tx, context, memo_letter(memo, context.phrases, context.title))
    else:
        gather_answer(tx, context, memo, ANSWERS_AN_HOUR)


def _leave_unasked(tx: Connection, applied: Applied) -> None:
    """Nobody is asked, so nothing waits for CONFIRM."""
    for one in applied.every:
        if one.lacks:
            now = one.context.service.now()
            resettle_letter(tx, one.context.mail.id, "applied", "refused", "too-many", now)


def _is_too_long(applied: Applied) -> bool:
    """Nobody says yes to what they are not shown whole: such a letter is not offered for CONFIRM."""
    if PROOF not in applied.asked_about.lacks:
        return False
    understood = applied.plan.understood
    said = _said(understood)
    cut = any(one.code == CUT_OFF for one in understood.questions)
    return cut or len(said) > MOST_LINES or sum(map(len, said)) > MOST_SIGNS


def _kind(applied: Applied) -> Kind:
    main = applied.main
    if _is_too_long(applied):
        return "answer"
    if applied.asked_about.lacks or main.plan.asks or main.outcome == "held":
        return "question"
    orders = main.outcome in ("filed", "stale", "withdrawn") and not applied.parts
    return "receipt" if orders and applied.context.seat else "answer"


def _has_allowance(tx: Connection, recipient: Recipient, kind: Kind, now: datetime) -> bool:
    most = RECEIPTS_AN_HOUR if kind == "receipt" else ANSWERS_AN_HOUR
    return use_allowance(tx, counted_as(recipient), kind, most, HOUR, now)


def _unasked(applied: Applied) -> Memo:
    """In place of a question above the limit."""
    context = applied.context
    about = coded_memo("unasked", context.campaign_name, most=ANSWERS_AN_HOUR)
    return replace(about, parts=(*_listed(_said(applied.plan.understood)[:MOST_SHOWN]), *applied.parts))


# ------------------------------------------------------------------ its words


def _memo(applied: Applied, kind: Kind) -> Memo:
    context, lacks = applied.context, applied.asked_about.lacks
    if _is_too_long(applied):
        return _too_long(applied)
    if context.seat and PROOF in lacks and applied.again is None:
        return _unproven(applied)
    if context.seat:
        memo = receipt_memo(_facts(applied), context.phrases)
        return _asking(memo) if lacks and applied.main.outcome == "answered" else memo
    waiting = [one.given.command for one in applied.plan.commands if one.lacks == SERIOUS]
    signups = [one for one in waiting if isinstance(one, Signup)]
    beside = [one for one in waiting if not isinstance(one, Signup | Lang | Zone)]
    if len(signups) == 1 and not beside and not applied.parts:
        memo = _signup(context, signups[0])
        return memo if len(waiting) == 1 else replace(memo, parts=(*memo.parts, *_what_confirm_does(applied)))
    return _plain_answer(applied, kind)


def _asking(memo: Memo) -> Memo:
    """What would be the answer to commands asks for something, too: that stands first."""
    facts = {"campaign": memo.campaign}
    return replace(memo, subject=Note("intake-question-subject", facts), headline=Note("intake-question"))


def _unproven(applied: Applied) -> Memo:
    """What a letter would do that came in the seat's name, told to its registered address."""
    context, plan, proof = applied.context, applied.plan, applied.context.proof
    missing: UnprovenReason = "address" if context.letter.sender else "sender"
    why: UnprovenReason = (
        "signature" if proof.sender and proof.token else "token" if proof.sender else missing
    )
    if why == "signature" and proof.signature == "unknown":
        why = "late-signature"
    if why == "signature" and proof.altered:
        why = "altered"
    would = (*_listed(_would_do(applied, context.language)), *_meanings(applied))
    parts = (*would, *_asked_back(plan, context))
    said = _said(plan.understood)
    memo = unproven_memo(context.campaign_name, _label(context), said, moment_of_arrival(context), why, parts)
    return replace(memo, parts=(*memo.parts, *applied.parts))


def _too_long(applied: Applied) -> Memo:
    """To the registered address: a letter came that nobody can be asked about."""
    context, arrived = applied.context, moment_of_arrival(applied.context)
    again = Note("too-long-again", {"campaign": context.campaign_name, "arrived": arrived})
    known = (Note("unproven-not-you"),) if context.seat else ()
    return coded_memo("too-long", context.campaign_name, again, *known, *applied.parts, arrived=arrived)


def moment_of_arrival(context: LetterContext) -> Moment:
    return Moment(context.mail.arrived, context.recipient.zone)


def _said(understood: Understood) -> tuple[str, ...]:
    """Every line of the letter that was read as its writer's own, files and edited templates among them."""
    parts = [one.lines for one in (*understood.sheet.lines, *understood.standing.lines)]
    parts += [one.lines for one in understood.commands] + [one.lines for one in understood.questions]
    parts += [one.lines for one in understood.replies] + [one.lines for one in understood.refused]
    parts += [understood.frames, tuple(chat.line for chat in understood.chat)]
    return tuple(line.text.strip() for line in sorted({line for lines in parts for line in lines}))


def _would_do(applied: Applied, language: Language) -> list[str]:
    """All that CONFIRM runs, whole: orders as they were understood, answers and commands as written."""
    plan, understood = applied.plan, applied.plan.understood
    all_held = plan.asks and PROOF in applied.lacks  # nothing of it has been planned, and CONFIRM runs it all
    found: list[str] = []
    if plan.orders_lack or all_held:
        good = sorted((*understood.sheet.good, *understood.standing.good), key=lambda line: line.number)
        found += [line.write(language) for line in good]
        found += [line.text.strip() for reply in understood.replies for line in reply.lines]
    if all_held:
        waiting = [one for one in understood.commands if not isinstance(one.command, OWN)]
    else:
        waiting = [one.given for one in plan.commands if one.lacks]
    return found + [line.text.strip() for one in waiting for line in one.lines]


def _listed(lines: Iterable[str]) -> tuple[Part, ...]:
    shown = tuple(f"    {line}" for line in lines)
    return (Passage(shown),) if shown else ()


def _signup(context: LetterContext, command: Signup) -> Memo:
    row = context.store.campaign_row(command.campaign)
    assert row is not None, "its handler found the campaign"
    terms, language = context.store.campaign(row).terms, context.language
    meant = parse_seats(terms, command.preferences)
    wishes = tuple(seat_name(terms, terms.seat(seat), language) for seat in meant)
    return signup_memo(row.id, title_for(terms, row.title, language), wishes or command.preferences)


def _plain_answer(applied: Applied, kind: Kind) -> Memo:
    """To an umpire, an observer or a stranger: what was asked for, what was not understood, what is asked."""
    context, plan = applied.context, applied.main.plan
    refusals = tuple(plain_note(context.phrases.refusal(one)) for one in plan.understood.refusals)
    refused = (Listing(refusals),) if refusals else ()
    asked = (*_asked_back(plan, context), *_what_confirm_does(applied))
    code = "intake-question" if kind == "question" else "intake-answer"
    return coded_memo(code, context.campaign_name, *_warnings(context), *applied.parts, *refused, *asked)


def _asked_back(plan: Plan, context: LetterContext) -> list[Part]:
    questions = plan.understood.questions
    return [part for one in questions for part in question_parts(one, context.phrases)]


def _what_confirm_does(applied: Applied) -> tuple[Part, ...]:
    """What waits for CONFIRM, whole."""
    lines = _listed(line for one in applied.every for line in _would_do(one, applied.context.language))
    if not lines:
        return ()
    serious = any(command.lacks == SERIOUS for one in applied.every for command in one.plan.commands)
    return Callout(Note("confirm-serious" if serious else "confirm-proof")), *lines, *_meanings(applied)


def _meanings(applied: Applied) -> tuple[Part, ...]:
    """What the commands that wait would come to."""
    waiting = (command for one in applied.every for command in one.plan.commands if command.lacks)
    return tuple(part for command in waiting for part in command.result.meaning)


# ------------------------------------------------------------------ a seat's receipt


def _facts(applied: Applied) -> ReceiptFacts:
    context, plan, after = applied.context, applied.main.plan, applied.after
    assert after is not None, "a seat is one of a campaign"
    return ReceiptFacts(
        campaign=context.campaign_name,
        seat=context.seat,
        understood=plan.understood,
        outcome=applied.main.outcome,
        verdicts=() if plan.submission is None else plan.submission.verdicts,
        window=_label(context),
        on_file=file_now(after.filed, context),
        deadline=_deadline(after, context),
        awaits=after.awaits,
        waits_for=_other_seats(after, context),
        arrived=moment_of_arrival(context),
        answers=(*applied.parts, *_what_confirm_does(applied)),
        warnings=_warnings(context),
        marks=tuple(_marks(applied, after.filed)),
        board=plan.board,
        result_follows=after.completes,
        kept_standing=applied.main.kept_standing,
    )


def _marks(applied: Applied, filed: WindowOrders) -> Iterator[Mark]:
    """Those of the letter, and of the one that its CONFIRM ran, with their places in the next entry."""
    seat = applied.context.seat
    for sent in (mark_of(one.plan, one.salt) for one in applied.every):
        if sent is not None and (place := filed.place_of(seat, sent)):
            yield Mark(seat, filed.t, place, sent, _answers(applied.context, filed))


def _answers(context: LetterContext, filed: WindowOrders) -> str:
    """The digest of what the next Close would freeze of the seat, where nothing else decides that."""
    campaign, seat, window = context.campaign, context.seat, filed.window
    is_ours = window is not None and window.state == "open" and filed.head == campaign.standing_row.head
    if not is_ours or filed.seats.get(seat, SeatOrders()).has_held_lines:
        return ""
    return campaign.answers_at_close(seat, filed, held_sheets=not context.policy.whole_sheets)


def _warnings(context: LetterContext) -> tuple[Part, ...]:
    """Said first: who else has read it, and what of it nobody has."""
    found: list[Part] = [copied_warning(context.copied_to)] if context.copied_to else []
    if context.letter.unread:
        found.append(Callout(Note("intake-unread", {"files": context.letter.unread[:MOST_FILES]})))
    return tuple(found)


def _label(context: LetterContext) -> str:
    """As templates name it; the window of a single question has no sheet."""
    window = context.window
    return "" if window is None or window.once else label_of(window)


def _deadline(after: WindowState, context: LetterContext) -> Moment | None:
    if after.filed.window is None or after.filed.window.state != "open" or after.filed.held is not None:
        return None  # nothing can be sent for it any more, or nobody knows until when
    due = [one.at for one in after.due if one.kind == "deadline"]
    return Moment(due[0], context.recipient.zone) if due else None


def _other_seats(after: WindowState, context: LetterContext) -> tuple[str, ...]:
    """Whom the open window asks, where that is not the writer."""
    window = after.filed.window
    if window is None or window.state != "open" or context.seat in window.seats:
        return ()
    return awaited_seats(window.seats, context.seats, context.policy.clock.phase(window.kind))


def file_now(filed: WindowOrders, context: LetterContext) -> FileSummary:
    """What counts for the seat after this letter, by the file that the Close would use."""
    campaign, seat, held_sheets = context.campaign, context.seat, not context.policy.whole_sheets
    orders = filed.seats.get(seat, SeatOrders())
    sheet = orders.sheet
    own = campaign.file_at_close(seat, filed, held_sheets=held_sheets)
    held = sheet is not None and sheet.held
    by = None if sheet is None else sheet.arrived
    return FileSummary(
        orders=own.orders or campaign.read(seat, "" if sheet is None else sheet.orders).orders,
        standing=own.file.standing,
        replies=_replies(context, orders),
        held=held,
        waits=not held_sheets,
        holds_standing=bool(orders.held_standing) and held_sheets,
        stance=orders.stance or "",
        filed_by=None if by is None else Moment(by, context.recipient.zone),
        ahead=own.ahead,
        sealed=filed.window is not None and filed.window.once,
    )


def _replies(context: LetterContext, orders: SeatOrders) -> tuple[tuple[int, str], ...]:
    asks = enumerate(context.campaign.open_asks().get(context.seat, ()), 1)
    return tuple(
        (number, reply_text(context, ask, orders.replies[question]))
        for number, (question, ask) in asks
        if question in orders.replies
    )
