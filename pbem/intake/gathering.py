"""Answers above the hourly limit: gathered into one letter that leaves later, and that is said at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection

from pbem.campaigns.recipients import Kind, OutgoingLetter, Recipient, letter_to
from pbem.letters.dates import Moment
from pbem.letters.memo import Memo, Note, Passage, coded_memo, memo_letter, note_text
from pbem.letters.render import LetterBody
from pbem.mail.compose import Enclosure
from pbem.store.outbox import GATHERED_FOR, put_in_outbox, take_delayed
from pbem.store.people import use_allowance
from pbem.verbs.context import LetterContext
from pbem.verbs.information import bar_letter
from pbem.verbs.press import bar_line, barred_rows

HOUR: Final = timedelta(hours=1)
MOST_ROWS: Final = 1500  # of what is gathered


def counted_as(recipient: Recipient) -> str:
    """Whose limits they are: those of a seat, or of a person."""
    own = f"~{recipient.person or recipient.address}"
    return f"{recipient.campaign}/{recipient.seat}" if recipient.seat else own


def lay_answer(
    tx: Connection,
    context: LetterContext,
    written: LetterBody,
    kind: Kind = "answer",
    pause: timedelta | None = None,
    enclosures: Sequence[Enclosure] = (),
) -> tuple[str, int]:
    """Put an answer into the outbox; returns its Message-ID and its row."""
    now = context.service.now()
    sending = OutgoingLetter(
        kind=kind,
        written=written,
        window=context.window.number if context.seat and context.window is not None else None,
        answers=context.letter.message_id or None,
        enclosures=enclosures,
        letter=context.mail.id,
    )
    mail = letter_to(context.service, tx, context.recipient, sending, now)
    (row,) = put_in_outbox(tx, [replace(mail, not_before=None if pause is None else now + pause)], now)
    return mail.message_id, row


def gather_answer(tx: Connection, context: LetterContext, memo: Memo, most: int) -> None:
    """What is said now, below what was gathered before."""
    to, phrases, now = context.recipient, context.phrases, context.service.now()
    earlier = take_delayed(tx, to.address, to.campaign, to.seat, "answer")
    due = min((one.due for one in earlier), default=now + GATHERED_FOR)
    arrived = Moment(context.mail.arrived, to.zone)
    title = note_text(Note("gathered-one", {"arrived": arrived}), phrases)
    text = memo_letter(replace(memo, farewell=True), phrases).text
    rows = [row for one in earlier for row in (*barred_rows(one.body), bar_line(""))]
    rows += [row for part in (title, text) for row in bar_letter(part)]
    _lay(tx, context, rows, due)
    if to.person is not None and use_allowance(tx, counted_as(to), "too-many", 1, HOUR, now):
        told = coded_memo("too-many", memo.campaign, most=most, until=Moment(due, to.zone))
        lay_answer(tx, context, memo_letter(told, phrases, context.title))


def _lay(tx: Connection, context: LetterContext, rows: Sequence[str], due: datetime) -> None:
    cut = (Note("gathered-cut"),) if len(rows) > MOST_ROWS else ()
    parts = (*cut, Passage(tuple(rows[-MOST_ROWS:])))
    gathered = coded_memo("gathered", context.campaign_name, *parts)
    written = memo_letter(gathered, context.phrases, context.title)
    lay_answer(tx, context, written, pause=due - context.service.now())
