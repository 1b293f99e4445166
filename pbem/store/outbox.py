"""The outbox: final bytes, stored by the transaction that makes them true, sent after it.

waiting    to be sent, or sent with an unknown outcome and not yet confirmed
sent       the mail server accepted it
failed     not tried again
withdrawn  outdated before it could be sent
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import RowMapping, bindparam, case, exists, func, insert, or_, select, text, update
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from pbem.store.inbox import insert_or_ignore
from pbem.store.leases import MOST_RETURNS, this_process
from pbem.store.schema import addresses, campaigns, seats
from pbem.store.schema_mail import outbox, questions
from pbem.store.session import Db, StoreError, reading, transaction_notes, writing, writing_once

ANSWERS: Final = ("receipt", "answer")  # kinds of letters that answer a letter
MISSED, BOUNCED = "address suspended", "came back"  # why a letter did not arrive
SEND_LEASE: Final = timedelta(minutes=5)


class NumberTaken(StoreError):
    """Another letter of that kind to that seat, or with that Message-ID, was stored meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingMail:
    """A letter of ours, ready to be sent."""

    message_id: str
    kind: str  # invitation receipt question result reminder notice final press
    sender: str  # of the envelope
    recipient: str
    body: bytes = field(repr=False)
    campaign: str | None = None
    seat: str | None = None
    person: int | None = None
    number: int | None = None  # the seat's own count of that kind
    window: int | None = None
    not_before: datetime | None = None  # until then a later letter may replace it


@dataclass(frozen=True, slots=True)
class ClaimedLetter:
    """A letter that one task may send now."""

    id: int
    letter: OutgoingMail
    attempts: int  # this one included
    unknown: int = 0  # of those before: interrupted, or without an answer


def next_number(db: Db, campaign: str, seat: str, kind: str) -> int:
    """The number of that seat's next letter of that kind; part of its Message-ID."""
    with reading(db) as tx:
        of_seat = {"campaign": campaign, "seat": seat, "kind": kind}
        last, above, waiting = tx.execute(_LAST_NUMBER, of_seat).one()
        note = transaction_notes(tx).discard if waiting else transaction_notes(tx).add
        note((_NONE_WAITS, f"{campaign}/{seat}/{kind}"))
    return max(last or 0, above or 0) + 1


# Statements of every letter are built once.
_NONE_WAITS: Final = "no letter waits"  # except those that this transaction stores
_OF_SEAT: Final = tuple(outbox.c[name] == bindparam(name) for name in ("campaign", "seat", "kind"))
_LAST_NUMBER: Final = select(
    select(func.max(outbox.c.number)).where(*_OF_SEAT).scalar_subquery(),
    select(campaigns.c.letters_from).where(campaigns.c.id == bindparam("campaign")).scalar_subquery(),
    # As literal SQL, or no database uses its partial index of waiting letters.
    exists().where(*_OF_SEAT, text("outbox.state = 'waiting'")),
)


def next_number_of_person(db: Db, person: int, campaign: str, kind: str) -> int:
    """The same for a person without a seat: an umpire, an observer, somebody who signed up."""
    same = outbox.c.campaign == campaign if campaign else outbox.c.campaign.is_(None)
    mine = (outbox.c.person == person, outbox.c.seat.is_(None), outbox.c.kind == kind, same)
    above = select(campaigns.c.letters_from).where(campaigns.c.id == campaign).scalar_subquery()
    with reading(db) as tx:
        last, least = tx.execute(select(func.max(outbox.c.number), above).where(*mine)).one()
    return max(last or 0, least or 0) + 1


def put_in_outbox(db: Db, letters: Iterable[OutgoingMail], now: datetime) -> list[int]:
    """Put letters into the outbox; returns their row ids."""
    rows: list[int] = []
    with writing(db) as tx:
        for letter in letters:
            first = max(now, letter.not_before or now)
            missed = _is_suspended(tx, letter)
            state = "withdrawn" if missed or _is_unwanted(tx, letter) else "waiting"
            trouble = MISSED if missed else ""
            fresh = {"state": state, "attempts": 0, "trouble": trouble, "laid_at": now, "next_try_at": first}
            try:
                done = tx.execute(_INSERT, _columns(letter) | fresh)
            except IntegrityError as error:
                raise NumberTaken(f"{letter.message_id}: {error.orig}") from None
            assert done.inserted_primary_key is not None
            rows.append(done.inserted_primary_key[0])
    return rows


_INSERT: Final = insert(outbox)


def _is_unwanted(tx: Connection, letter: OutgoingMail) -> bool:
    """A seat that said STOP gets only answers; what it would have got is in its history."""
    if letter.seat is None or letter.kind in ANSWERS:
        return False
    here = (seats.c.campaign == letter.campaign, seats.c.seat == letter.seat)
    return bool(tx.execute(select(seats.c.quiet).where(*here)).scalar_one_or_none())


def _is_suspended(tx: Connection, letter: OutgoingMail) -> bool:
    """Nothing goes to an address that does not exist, except answers to a letter from it."""
    if letter.kind in (*ANSWERS, "question"):
        return False
    here = select(addresses.c.state).where(addresses.c.address == letter.recipient.lower())
    return tx.execute(here).scalar_one_or_none() == "suspended"


def send_missed(db: Db, recipient: str, now: datetime) -> int:
    """An address is good again: send the newest of each kind of the letters that it missed."""
    held_back = (outbox.c.state == "withdrawn") & (outbox.c.trouble == MISSED)
    lost = (outbox.c.state == "failed") | ((outbox.c.state == "sent") & (outbox.c.trouble == BOUNCED))
    mine = (outbox.c.recipient == recipient.lower(), held_back | lost, outbox.c.body.is_not(None))
    kinds = (outbox.c.campaign, outbox.c.seat, outbox.c.kind)
    newest = select(func.max(outbox.c.id)).where(*mine, outbox.c.kind != "reminder").group_by(*kinds)
    fresh = {"state": "waiting", "attempts": 0, "unknown": 0, "next_try_at": now, "trouble": ""}
    with writing(db) as tx:
        rows = tx.execute(newest).scalars().all()
        tx.execute(update(outbox).where(outbox.c.id.in_(rows)).values(**fresh))
        tx.execute(update(outbox).where(*mine, held_back).values(trouble=""))
    return len(rows)


def mark_bounced(db: Db, number: int) -> bool:
    """Record that a letter came back. False: it had before, or was never sent."""
    sent = (outbox.c.id == number, outbox.c.state.in_(("sent", "waiting")), outbox.c.trouble != BOUNCED)
    with writing(db) as tx:
        return tx.execute(update(outbox).where(*sent).values(trouble=BOUNCED)).rowcount == 1


_COLUMNS: Final = (
    "message_id",
    "kind",
    "sender",
    "recipient",
    "body",
    "campaign",
    "seat",
    "person",
    "number",
    "window",
)


def _columns(letter: OutgoingMail) -> dict[str, Any]:
    return {name: getattr(letter, name) for name in _COLUMNS}


def _outgoing(row: RowMapping) -> OutgoingMail:
    return OutgoingMail(**{name: row[name] for name in _COLUMNS})


# ------------------------------------------------------------------ sending


def claim_outgoing(db: Db, by: str, now: datetime, limit: int = 1) -> list[ClaimedLetter]:
    """Claim the oldest letters that are due for one task until the lease ends.

    If the task dies, its letters are sent again after the lease with the same Message-ID; at once if the same
    task comes back, unless that happens repeatedly.
    """
    claim = {"claimed_by": by, "claimed_until": now + SEND_LEASE, "claimed_on": this_process()}
    with writing_once(db) as tx:
        rows = tx.execute(_CLAIM, claim | {"now": now, "by": by, "most": limit}).mappings().all()
    return [_claimed(row) for row in sorted(rows, key=lambda row: int(row["id"]))]


def _claim() -> Any:
    mine = (outbox.c.claimed_by == bindparam("by")) & (outbox.c.attempts < MOST_RETURNS)
    free = or_(outbox.c.claimed_until.is_(None), outbox.c.claimed_until <= bindparam("now"), mine)
    due = (outbox.c.state == "waiting", outbox.c.next_try_at <= bindparam("now"), outbox.c.body.is_not(None))
    oldest = select(outbox.c.id).where(*due, free).order_by(outbox.c.id).limit(bindparam("most"))
    chosen = oldest.with_for_update(skip_locked=True).cte("chosen")
    interrupted = case((outbox.c.claimed_by.is_not(None), 1), else_=0)  # the outcome is unknown
    count = {"attempts": outbox.c.attempts + 1, "unknown": outbox.c.unknown + interrupted}
    claim: dict[str, Any] = {name: bindparam(name) for name in ("claimed_by", "claimed_until", "claimed_on")}
    columns = (outbox.c[name] for name in ("id", "attempts", "unknown", *_COLUMNS))
    claimed = update(outbox).where(outbox.c.id.in_(select(chosen.c.id))).values(**count, **claim)
    return claimed.returning(*columns)


_CLAIM: Final = _claim()


def _claimed(row: RowMapping) -> ClaimedLetter:
    return ClaimedLetter(row["id"], _outgoing(row), row["attempts"], row["unknown"])


def mark_sent(db: Db, number: int, now: datetime) -> bool:
    """The mail server accepted it, whoever holds the claim by now. False: it was marked before."""
    with writing_once(db) as tx:
        return tx.execute(_SENT, {"the_letter": number, "now": now}).rowcount == 1


_SENT: Final = (
    update(outbox)
    .where(outbox.c.id == bindparam("the_letter"), outbox.c.state == "waiting")
    .values(state="sent", sent_at=bindparam("now"), trouble="", claimed_by=None, claimed_until=None)
)


def mark_for_retry(
    db: Db, number: int, by: str, at: datetime, trouble: str, *, unknown: bool = False
) -> bool:
    """Not accepted, or unknown: try again. Only by the task that holds the claim."""
    values = {"next_try_at": at, "trouble": trouble[:500], "unknown": outbox.c.unknown + int(unknown)}
    return _mark(db, number, by, **values)


def mark_failed(db: Db, number: int, by: str, trouble: str) -> bool:
    """Refused for good. Only by the task that holds the claim."""
    return _mark(db, number, by, state="failed", trouble=trouble[:500])


def _mark(db: Db, number: int, by: str, **values: Any) -> bool:
    mine = (outbox.c.id == number, outbox.c.state == "waiting", outbox.c.claimed_by == by)
    with writing(db) as tx:
        marked = update(outbox).where(*mine).values(claimed_by=None, claimed_until=None, **values)
        return tx.execute(marked).rowcount == 1


def withdraw_reminders(db: Db, campaign: str, kind: str, window: int) -> int:
    """Withdraw the reminders of a closed window, except those just being sent."""
    idle = (outbox.c.state == "waiting", outbox.c.claimed_by.is_(None), outbox.c.kind == kind)
    here = (outbox.c.campaign == campaign, outbox.c.window == window)
    with writing(db) as tx:
        return tx.execute(update(outbox).where(*idle, *here).values(state="withdrawn")).rowcount


def withdraw_earlier(db: Db, campaign: str, seat: str, kind: str, but: int) -> int:
    """Withdraw a seat's delayed letters of that kind, all of which a newer one contains."""
    values = {"of_campaign": campaign, "of_seat": seat, "of_kind": kind, "but": but}
    with writing(db) as tx:
        if (_NONE_WAITS, f"{campaign}/{seat}/{kind}") in transaction_notes(tx):
            return 0
        return tx.execute(_WITHDRAW_EARLIER, values).rowcount


_WITHDRAW_EARLIER: Final = (
    update(outbox)
    .where(*(outbox.c[name] == bindparam(f"of_{name}") for name in ("campaign", "seat", "kind")))
    .where(outbox.c.id != bindparam("but"), outbox.c.next_try_at > outbox.c.laid_at)
    .where(outbox.c.state == "waiting", outbox.c.claimed_by.is_(None), outbox.c.attempts == 0)
    .values(state="withdrawn")
)


def resend(db: Db, number: int, now: datetime) -> bool:
    """Send a failed or lost letter once more, with the same bytes."""
    stood = (outbox.c.id == number, outbox.c.state.in_(("failed", "sent")), outbox.c.body.is_not(None))
    fresh = {"state": "waiting", "attempts": 0, "unknown": 0, "next_try_at": now, "trouble": ""}
    with writing(db) as tx:
        return tx.execute(update(outbox).where(*stood).values(**fresh)).rowcount == 1


# ------------------------------------------------------------------ letters and their outcomes


@dataclass(frozen=True, slots=True)
class Posted:
    """A letter in the outbox and its outcome."""

    id: int
    letter: OutgoingMail
    state: str
    attempts: int
    laid: datetime
    sent: datetime | None
    trouble: str


def _posted(row: RowMapping) -> Posted:
    same = (row["id"], _outgoing(row), row["state"], row["attempts"])
    return Posted(*same, row["laid_at"], row["sent_at"], row["trouble"])


def posted(db: Db, message_id: str) -> Posted | None:
    """The letter of ours with that Message-ID: what a reply answers."""
    with reading(db) as tx:
        row = tx.execute(_POSTED, {"message_id": message_id}).mappings().one_or_none()
    return None if row is None or row["body"] is None else _posted(row)


_POSTED: Final = select(outbox).where(outbox.c.message_id == bindparam("message_id"))


def letters_to(db: Db, campaign: str, seat: str | None = None, limit: int = 500) -> list[Posted]:
    """The letters to a seat (None: to everybody), newest first."""
    chosen = select(outbox).where(outbox.c.campaign == campaign, outbox.c.body.is_not(None))
    if seat is not None:
        chosen = chosen.where(outbox.c.seat == seat)
    with reading(db) as tx:
        rows = tx.execute(chosen.order_by(outbox.c.id.desc()).limit(limit)).mappings()
        return [_posted(row) for row in rows]


def letter_about(db: Db, campaign: str, seat: str, window: int) -> Posted | None:
    """The newest result letter of that window: what a reply without a thread answers."""
    mine = (outbox.c.campaign == campaign, outbox.c.seat == seat, outbox.c.window == window)
    whole = (outbox.c.kind == "result", outbox.c.body.is_not(None))
    chosen = select(outbox).where(*mine, *whole).order_by(outbox.c.id.desc()).limit(1)
    with reading(db) as tx:
        row = tx.execute(chosen).mappings().one_or_none()
    return None if row is None else _posted(row)


def letters_to_person(db: Db, campaign: str, person: int, limit: int = 500) -> list[Posted]:
    """The letters about a campaign to a person, not to their seat, newest first."""
    mine = (outbox.c.campaign == campaign, outbox.c.person == person, outbox.c.seat.is_(None))
    chosen = select(outbox).where(*mine, outbox.c.body.is_not(None))
    with reading(db) as tx:
        rows = tx.execute(chosen.order_by(outbox.c.id.desc()).limit(limit)).mappings()
        return [_posted(row) for row in rows]


# ------------------------------------------------------------------ questions


@dataclass(frozen=True, slots=True)
class ConfirmQuestion:
    """What a letter of ours asks; CONFIRM in reply does it."""

    message_id: str
    kind: str
    campaign: str | None = None
    seat: str | None = None
    person: int | None = None
    letter: int | None = None  # the one that would be applied
    data: Mapping[str, Any] = field(default_factory=dict)


def store_question(db: Db, question: ConfirmQuestion, now: datetime) -> None:
    """Store what a letter asks, together with the letter."""
    names = ("message_id", "kind", "campaign", "seat", "person", "letter")
    values = {name: getattr(question, name) for name in names}
    with writing(db) as tx:
        insert_or_ignore(tx, questions, **values, data=dict(question.data), asked_at=now)


def open_question(db: Db, message_id: str) -> ConfirmQuestion | None:
    """The question of that letter, unless it is settled."""
    chosen = select(questions).where(questions.c.message_id == message_id, questions.c.settled_at.is_(None))
    with reading(db) as tx:
        row = tx.execute(chosen).mappings().one_or_none()
    if row is None:
        return None
    return _question(row)


def _question(row: RowMapping) -> ConfirmQuestion:
    names = ("message_id", "kind", "campaign", "seat", "person", "letter", "data")
    return ConfirmQuestion(**{name: row[name] for name in names})


def outcome_of_question(db: Db, message_id: str) -> str | None:
    """How a question was settled; None: it is open, or there is none."""
    chosen = select(questions.c.outcome).where(questions.c.message_id == message_id)
    with reading(db) as tx:
        return tx.execute(chosen).scalar_one_or_none()


def open_questions(db: Db, campaign: str, seat: str) -> list[ConfirmQuestion]:
    """The questions that a seat has not answered yet, newest first."""
    mine = (questions.c.campaign == campaign, questions.c.seat == seat, questions.c.settled_at.is_(None))
    with reading(db) as tx:
        rows = tx.execute(select(questions).where(*mine).order_by(questions.c.asked_at.desc())).mappings()
        return [_question(row) for row in rows]


def settle_question(db: Db, message_id: str, outcome: str, now: datetime) -> bool:
    """Settle a question. False: it was settled before; the answer counts once."""
    open_one = (questions.c.message_id == message_id, questions.c.settled_at.is_(None))
    with writing(db) as tx:
        return (
            tx.execute(update(questions).where(*open_one).values(outcome=outcome, settled_at=now)).rowcount
            == 1
        )
