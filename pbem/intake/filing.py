"""What a letter puts on file: its sheet, its numbered answers, its standing orders.

Everything is computed beforehand, the rehearsal included; filing it is a part of the letter's transaction. A
bad line holds the sheet: its good lines are filed as held, and count on CONFIRM or at the deadline.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from sqlalchemy import Connection

from engine.kernel.game import Line
from engine.kernel.journal import canonical
from engine.kernel.rehearsal import BoardAfter, Rehearsal, Verdict, rehearse
from engine.kernel.requests import Ask, Seat
from pbem.campaigns.deadlines import closing_reason, is_complete
from pbem.campaigns.policy import read_policy
from pbem.errors import PbemError
from pbem.letters.memo import Note, Part
from pbem.orders.understood import Sheet, Understood
from pbem.store.campaigns import is_unchanged
from pbem.store.people import seated
from pbem.store.standing_orders import file_standing_orders, standing_orders_of
from pbem.store.windows import (
    Due,
    StoredReply,
    StoredSheet,
    WindowOrders,
    cancel_orders,
    drop_older_replies,
    file_reply,
    file_sheet,
    read_orders,
)
from pbem.verbs.context import LetterContext

FilingOutcome: TypeAlias = Literal["filed", "held", "stale", "withdrawn"]


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
    withdraws: bool  # the empty block: what is on file goes
    board: BoardAfter | None  # as the good lines leave it, where the game shows it

    @property
    def has_good_lines(self) -> bool:
        return bool((self.sheet is not None and self.sheet.orders.strip()) or self.replies or self.standing)


def prepare_submission(
    context: LetterContext, understood: Understood, *, take_good: bool, withdraw: bool
) -> Submission:
    """Read, rehearse and sort. `take_good`: bad lines are left out, and hold nothing."""
    replies = _replies(context, understood)
    answers = {question: answer for question, (_, answer) in replies.items()}
    rehearsed = _rehearse(context, understood.sheet, answers)
    refused = {one.line.number for one in rehearsed.verdicts if one.status == "refused"}
    held = not take_good and (bool(refused) or any(one.holds for one in understood.refused))
    sheet = None
    if understood.sheet.lines:
        sheet = StoredSheet(good_text(understood.sheet, refused), understood.sheet.text, held)
    return Submission(
        sheet=sheet,
        replies=tuple(
            (question, StoredReply(ask.topic, canonical(answer).decode()))
            for question, (ask, answer) in sorted(replies.items())
        ),
        standing=understood.standing.reading.standing,
        verdicts=rehearsed.verdicts,
        held=held,
        withdraws=withdraw,
        board=rehearsed.board,
    )


def good_text(sheet: Sheet, refused: Collection[int]) -> str:
    """The good lines, each in the row of its number: read again they keep their numbers."""
    good = {line.number for line in sheet.good} - set(refused)
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
) -> tuple[FilingOutcome, tuple[Part, ...]]:
    """Put it on file; raises WindowClosed if its window is not the open one any more.

    Returns, too, what is to be said where a part of it is stale and the rest is not.
    """
    window = 0 if context.window is None else context.window.number  # 0: standing orders only
    where = (context.campaign_name, window, context.seat)
    stamp, sheet, outcomes = context.stamp, submission.sheet, list[str]()
    beside: tuple[Part, ...] = ()
    if submission.withdraws:
        outcomes.append(_require_open(cancel_orders(tx, *where)))
    if sheet is not None and sheet.orders.strip():
        outcomes.append(_require_open(file_sheet(tx, *where, sheet, stamp)))
        if outcomes[-1] == "filed":
            drop_older_replies(tx, *where, stamp)
    for question, reply in submission.replies:
        outcomes.append(_require_open(file_reply(tx, *where, question, reply, stamp)))
    if submission.standing and not submission.held:
        outcomes.append(_file_standing(tx, context, submission.standing))
        beside = (Note("standing-stale"),) if outcomes[-1] == "stale" and "filed" in outcomes else ()
    if submission.held:
        return "stale" if outcomes and "filed" not in outcomes else "held", beside
    if submission.withdraws:
        return "withdrawn", beside
    return "filed" if "filed" in outcomes or not outcomes else "stale", beside


def _require_open(outcome: str) -> str:
    if outcome == "closed":
        raise WindowClosed("the window closed while the letter was read")
    return outcome


def _file_standing(tx: Connection, context: LetterContext, new: Sequence[Line]) -> str:
    """New lines replace those of their slot; of two for one slot the later counts."""
    name, seat = context.campaign_name, context.seat
    before = context.campaign.read(seat, standing_orders_of(tx, name).get(seat, "")).standing
    text = "\n".join(line.write("en") for line in merged_standing(before, new))
    return _require_open(file_standing_orders(tx, name, seat, text, context.stamp))


def merged_standing(before: Sequence[Line], new: Sequence[Line]) -> tuple[Line, ...]:
    return tuple({line.slot(): line for line in (*before, *new)}.values())


# ------------------------------------------------------------------ is that all?


def is_last_word(context: LetterContext, submission: Submission) -> bool:
    """Nobody else is awaited: once it is filed, the letter of results goes in place of the receipt."""
    window, bots = context.window, context.campaign.bots
    if window is None or submission.held or set(window.seats) - set(bots) != {context.seat}:
        return False
    filed = read_orders(context.service.db, context.campaign_name)
    waits = any(orders.stance == "wait" for orders in filed.seats.values())
    return context.policy.clock.phase(window.kind).early and not waits


@dataclass(frozen=True, slots=True)
class WindowState:
    """How the open window stands when a letter has had its effect."""

    filed: WindowOrders
    due: tuple[Due, ...] = ()  # the window's timetable
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
    bots: Collection[str] = campaign.bots  # as they were read, if nobody changed anything since
    if not is_unchanged(tx, row, filed.revision):
        bots = {one.seat for one in seated(tx, campaign.name) if one.bot is not None}
    seats, asks = [seat for seat in filed.window.seats if seat not in bots], campaign.open_asks()
    questions = {seat: [question for question, _ in asks.get(Seat(seat), ())] for seat in seats}
    there = [seat for seat in seats if is_complete(filed.seats.get(seat), questions[seat])]
    waits = [seat for seat, orders in filed.seats.items() if orders.stance == "wait"]
    phase = read_policy(row.policy).clock.phase(filed.window.kind)
    completes = closing_reason(phase, (), None, seats, there, waits) == "all-in"
    misses = filed.head == row.head and not set(seats) <= set(there)
    early = all(one.kind == "reminder" or one.at > now for one in filed.due)
    return WindowState(filed, filed.due, completes, misses and early)
