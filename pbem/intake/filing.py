"""What a letter puts on file: its sheet, its numbered answers, its standing orders.

Everything is computed beforehand, the rehearsal included; filing it is a part of the letter's transaction. A
bad line holds the sheet: its good lines are filed as held, and count on CONFIRM or at the deadline. What the
receipt promises of them is read from the file that the Close would use (`Campaign.file_at_close`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from sqlalchemy import Connection

from engine.kernel.game import Line
from engine.kernel.journal import canonical
from engine.kernel.rehearsal import BoardAfter, Rehearsal, Verdict, rehearse
from engine.kernel.requests import Ask
from engine.kernel.sheet import newest_standing
from pbem.campaigns.deadlines import awaited_seats, closing_reason, is_put_off
from pbem.campaigns.order_file import write_lines
from pbem.campaigns.policy import read_policy
from pbem.errors import PbemError
from pbem.letters.memo import Note, Part
from pbem.orders.understood import Sheet, Understood
from pbem.store.campaigns import is_unchanged
from pbem.store.people import Seated, seated
from pbem.store.standing_orders import file_standing_orders, standing_orders_of
from pbem.store.windows import (
    HELD_ANSWERS,
    HELD_STANDING,
    Due,
    SeatOrders,
    StoredReply,
    StoredSheet,
    WindowOrders,
    cancel_orders,
    drop_held,
    drop_older_replies,
    file_reply,
    file_sheet,
    filed_at,
    read_orders,
    rewrite_sheet,
    sheet_on_file,
)
from pbem.verbs.context import LetterContext
from pbem.verbs.orders import without_lines

FilingOutcome: TypeAlias = Literal["filed", "held", "stale", "withdrawn", "out-of-turn"]


class WindowClosed(PbemError):
    """The window closed, or was frozen, while the letter was read: it must be read again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What is to be filed for the letter's seat."""

    sheet: StoredSheet | None
    replies: tuple[tuple[str, StoredReply], ...]  # by the question's id
    standing: tuple[Line, ...]  # of STANDING … END
    verdicts: tuple[Verdict, ...]
    held: bool  # a line is bad, and nobody has said that the good ones are to count
    out_of_turn: bool  # others are asked, and none of its lines has a place in their turn
    withdraws: bool  # the empty block: what is on file goes
    board: BoardAfter | None  # as the good lines leave it, where the game shows it

    @property
    def has_good_lines(self) -> bool:
        return bool((self.sheet is not None and self.sheet.orders.strip()) or self.replies or self.standing)


def prepare_submission(
    context: LetterContext, understood: Understood, *, take_good: bool, withdraw: bool, tried: bool = True
) -> Submission:
    """Read, rehearse and sort. `take_good`: bad lines are left out, and hold nothing. `tried`: else the rules
    are not asked about the lines; the Close does that.
    """
    replies = _replies(context, understood)
    answers = {question: answer for question, (_, answer) in replies.items()}
    rehearsed, verdicts = Rehearsal(()), list[Verdict]()
    if tried:
        rehearsed = _rehearse(context, understood.sheet, answers)
        lasting = (*understood.sheet.reading.standing, *understood.standing.reading.standing)
        verdicts = [*rehearsed.verdicts, *_refuse_for_good(context, lasting)]
    refused = {n for one in verdicts if one.status == "refused" for n in one.line.numbers}
    misread = any(one.holds for one in understood.refused)
    held = not take_good and (bool(refused) or misread)
    sheet = None
    if understood.sheet.lines:
        sheet = StoredSheet(good_text(understood.sheet, refused), understood.sheet.text, held)
    others_turn = context.window is not None and context.seat not in context.window.seats
    return Submission(
        sheet=sheet,
        replies=tuple(
            (question, StoredReply(ask.topic, canonical(answer).decode()))
            for question, (ask, answer) in sorted(replies.items())
        ),
        standing=tuple(line for line in understood.standing.reading.standing if line.number not in refused),
        verdicts=tuple(verdicts),
        held=held,
        out_of_turn=others_turn and 0 < len(understood.sheet.lines) == len(refused) and not misread,
        withdraws=withdraw,
        board=rehearsed.board,
    )


def _refuse_for_good(context: LetterContext, lines: Sequence[Line]) -> list[Verdict]:
    """Standing lines are tried when their questions come; what will never be legal is told at once."""
    view = context.campaign.view(context.seat)
    told = ((line, line.never(view)) for line in lines)
    return [Verdict(line, "refused", refusal) for line, refusal in told if refusal is not None]


def good_text(sheet: Sheet, refused: Collection[int]) -> str:
    """The good lines, each in the row of its number: read again they keep their numbers."""
    good = {number for line in sheet.good for number in line.numbers} - set(refused)
    bad = {refusal.line for refusal in sheet.reading.refusals}
    rows = tuple(line for line in sheet.lines if line.number in good - bad)
    return replace(sheet, lines=rows).text


def _replies(context: LetterContext, understood: Understood) -> dict[str, tuple[Ask, object]]:
    """Numbered answers, as the seat's letter numbers its questions and their options."""
    asks = context.campaign.open_asks().get(context.seat, [])
    found = {}
    for reply in understood.replies:
        question, ask = asks[reply.question - 1]
        found[question] = ask, list(ask.options.describe())[reply.answer - 1]
    return found


def _rehearse(context: LetterContext, sheet: Sheet, replies: Mapping[str, object]) -> Rehearsal:
    """What a trial run says of the sheet's lines; without an open window there is none."""
    campaign, seat = context.campaign, context.seat
    if campaign.table.pause is None or campaign.table.snapshot is None or not sheet.lines:
        return Rehearsal(())
    return rehearse(campaign.table, seat, campaign.order_file(seat, good_text(sheet, ()), replies))


# ------------------------------------------------------------------ filing


def file_submission(
    tx: Connection, context: LetterContext, submission: Submission
) -> tuple[FilingOutcome, tuple[Part, ...], bool]:
    """Put it on file; raises WindowClosed if its window is not the open one any more.

    Returns, too, what is to be said where a part of it is stale and the rest is not; and whether standing
    orders stay of the sheet that it replaces.
    """
    window = 0 if context.window is None else context.window.number  # 0: standing orders only
    where = (context.campaign_name, window, context.seat)
    stamp, sheet, outcomes = context.stamp, submission.sheet, list[str]()
    beside: tuple[Part, ...] = ()
    own, kept = _on_file(tx, context) if submission.standing else SeatOrders(), ""
    if submission.withdraws:
        outcomes.append(_require_open(cancel_orders(tx, *where)))
    if sheet is not None and sheet.orders.strip():
        before = sheet_on_file(tx, *where)
        outcomes.append(_require_open(file_sheet(tx, *where, sheet, stamp)))
        if outcomes[-1] == "filed":
            kept = _keep_standing(tx, context, before)
            own = replace(own, sheet=None, standing=kept or own.standing)
            drop_older_replies(tx, *where, stamp)
    whole = submission.held and context.policy.whole_sheets  # answers are a part of what counts or not
    if submission.replies and not whole:
        outcomes += _file_replies(tx, context, submission)
    if submission.standing and submission.held and context.window is not None:
        held = StoredReply("", write_lines(newest_standing(submission.standing)))
        outcomes.append(_require_open(file_reply(tx, *where, HELD_STANDING, held, stamp)))
    elif submission.standing and not submission.held:
        outcomes.append(_file_standing(tx, context, submission.standing, own))
        beside = (Note("standing-stale"),) if outcomes[-1] == "stale" and "filed" in outcomes else ()
    if own.sheet is not None and not whole and "filed" in outcomes:
        _replace_in_sheet(tx, context, own.sheet, submission.standing)
    return _outcome(submission, outcomes), beside, bool(kept)


def _outcome(submission: Submission, outcomes: Sequence[str]) -> FilingOutcome:
    """Of all its parts together."""
    if submission.held and submission.out_of_turn and not outcomes:
        return "out-of-turn"
    if submission.held:
        return "stale" if outcomes and "filed" not in outcomes else "held"
    if submission.withdraws:
        return "withdrawn"
    return "filed" if "filed" in outcomes or not outcomes else "stale"


def _require_open(outcome: str) -> str:
    if outcome == "closed":
        raise WindowClosed("the window closed while the letter was read")
    return outcome


def _file_replies(tx: Connection, context: LetterContext, submission: Submission) -> list[str]:
    """Answers beside a bad line are on file, and do not complete what is asked of the seat."""
    assert context.window is not None, "a question was answered"
    where = (context.campaign_name, context.window.number, context.seat)
    told = [*submission.replies, *([(HELD_ANSWERS, StoredReply("", ""))] if submission.held else ())]
    filed = [
        _require_open(file_reply(tx, *where, question, reply, context.stamp)) for question, reply in told
    ]
    if not submission.held and "filed" in filed:
        drop_held(tx, *where, HELD_ANSWERS)
    return filed


def _on_file(tx: Connection, context: LetterContext) -> SeatOrders:
    return read_orders(tx, context.campaign_name).seats.get(context.seat, SeatOrders())


def _file_standing(tx: Connection, context: LetterContext, new: Sequence[Line], own: SeatOrders) -> str:
    """New lines replace those of their series; of two for one slot the later counts."""
    name, seat = context.campaign_name, context.seat
    text = write_lines(newest_standing(context.campaign.read(seat, own.standing).standing, new))
    filed = file_standing_orders(tx, name, seat, text, context.stamp)
    if filed == "filed" and own.held_standing and context.window is not None:
        drop_held(tx, name, context.window.number, seat, HELD_STANDING)
    return _require_open(filed)


def _keep_standing(tx: Connection, context: LetterContext, before: StoredSheet | None) -> str:
    """Standing orders of a sheet that another replaces stay until they are changed, as its receipt said.

    Of one that is held nothing was promised to stay. Returns what is on file then; "": nothing was kept.
    """
    name, seat, read = context.campaign_name, context.seat, context.campaign.read
    lines = read(seat, before.orders).standing if before is not None and not before.held else ()
    if not lines:
        return ""
    older = read(seat, standing_orders_of(tx, name).get(seat, "")).standing
    text = write_lines(newest_standing(older, lines))
    return text if file_standing_orders(tx, name, seat, text, context.stamp) == "filed" else ""


def _replace_in_sheet(
    tx: Connection, context: LetterContext, sheet: StoredSheet, new: Sequence[Line]
) -> None:
    """Of the sheet of an earlier letter, too, standing lines go that newer ones replace."""
    assert context.window is not None, "a sheet is on file"
    where, said = (
        (context.campaign_name, context.window.number, context.seat),
        {line.series() for line in new},
    )
    reading = context.campaign.read(context.seat, sheet.orders)
    gone = {line.number for line in reading.standing if line.series() in said}
    lines, filed = sorted(gone - {line.number for line in reading.orders}), filed_at(tx, *where)
    if lines and (filed is None or not context.stamp.is_before(filed)):
        cut = without_lines(sheet, lines)
        rewrite_sheet(tx, *where, cut.orders, cut.whole)


# ------------------------------------------------------------------ is that all?


def is_last_word(context: LetterContext, submission: Submission) -> bool:
    """Nobody else is awaited: once it is filed, the letter of results goes in place of the receipt."""
    window, campaign, seat = context.window, context.campaign, context.seat
    if window is None:
        return False
    phase = context.policy.clock.phase(window.kind)
    if awaited_seats(window.seats, campaign.people, phase) != (seat,):
        return False
    filed = read_orders(context.service.db, context.campaign_name)
    before = filed.seats.get(seat, SeatOrders())
    replies, held = {**before.replies, **dict(submission.replies)}, submission.held
    own = replace(before, sheet=submission.sheet, replies=replies, held_answers=held)
    return phase.early and campaign.is_complete(seat, own) and not is_put_off(filed, (seat,))


@dataclass(frozen=True, slots=True)
class WindowState:
    """How the open window stands when a letter has had its effect."""

    filed: WindowOrders
    due: tuple[Due, ...] = ()  # the window's timetable
    awaits: bool = False  # more is expected of the letter's seat, whose holder wrote it
    completes: bool = False  # everybody is in: the result follows at once
    stays: bool = False  # somebody is missing, and no time has run out: there is nothing to adjudicate


def check_window(tx: Connection, context: LetterContext) -> WindowState:
    """In the letter's transaction, which has locked the campaign."""
    campaign, now = context.campaign, context.service.now()
    filed, row = read_orders(tx, campaign.name), campaign.standing_row
    if filed.window is None:
        return WindowState(filed)
    if filed.window.state != "open" or filed.held is not None:
        return WindowState(filed, filed.due)
    people = campaign.people  # as they were read, if nobody changed anything since
    if not is_unchanged(tx, row, filed.revision):
        people = seated(tx, campaign.name)
    phase = read_policy(row.policy).clock.phase(filed.window.kind)
    awaited = awaited_seats(filed.window.seats, people, phase)
    all_in, waits = campaign.are_all_in(filed, awaited), is_put_off(filed, awaited)
    early = all(one.kind == "reminder" or one.at > now for one in filed.due)
    return WindowState(
        filed,
        filed.due,
        awaits=_awaits_writer(context, filed, [one for one in people if one.seat in awaited]),
        completes=closing_reason(phase, (), None, all_in=all_in, waits=waits) == "all-in",
        stays=filed.head == row.head and not all_in and early,
    )


def _awaits_writer(context: LetterContext, filed: WindowOrders, awaited: Sequence[Seated]) -> bool:
    """Not of one who has just left the seat, nor of one who has sent all that the window asks for."""
    own = next((one for one in awaited if one.seat == context.seat), None)
    if own is None or context.seated is None or own.holder != context.seated.holder:
        return False
    return not context.campaign.is_complete(context.seat, filed.seats.get(context.seat))
