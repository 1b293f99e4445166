"""The outbox: final bytes, stored by the transaction that makes them true, sent after it.

waiting    to be sent, or sent with an unknown outcome and not yet confirmed
sent       the mail server accepted it
failed     not tried again
withdrawn  outdated before it could be sent
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    RowMapping,
    bindparam,
    case,
    exists,
    func,
    insert,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from pbem.store.leases import MOST_RETURNS, this_process
from pbem.store.schema import addresses, campaigns, seats
from pbem.store.schema_mail import inbox, outbox, questions, sheets, windows
from pbem.store.session import (
    Db,
    StoreError,
    all_rows,
    all_values,
    insert_or_ignore,
    one_row,
    one_value,
    reading,
    transaction_notes,
    write,
    writing,
    writing_once,
)

ANSWERS: Final = ("receipt", "answer", "question")  # kinds of letters that answer a letter
MISSED, BOUNCED = "address suspended", "came back"  # why a letter did not arrive
GATHERED: Final = "gathered"  # a later letter repeats it
GATHERED_FOR: Final = timedelta(minutes=15)  # so long a letter waits for what may be sent with it
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
    mine = {"person": person, "seat": None, "kind": kind, "campaign": campaign or None}
    above = select(campaigns.c.letters_from).where(campaigns.c.id == campaign).scalar_subquery()
    with reading(db) as tx:
        last, least = tx.execute(select(func.max(outbox.c.number), above).filter_by(**mine)).one()
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
    return bool(one_value(tx, select(seats.c.quiet).filter_by(campaign=letter.campaign, seat=letter.seat)))


def _is_suspended(tx: Connection, letter: OutgoingMail) -> bool:
    """Nothing goes to an address that does not exist, except answers to a letter from it."""
    if letter.kind in ANSWERS:
        return False
    here = select(addresses.c.state).filter_by(address=letter.recipient.lower())
    return bool(one_value(tx, here) == "suspended")


def send_missed(db: Db, recipient: str, now: datetime) -> int:
    """An address is good again: send the newest of each kind of the letters that it missed."""
    held_back = (outbox.c.state == "withdrawn") & (outbox.c.trouble == MISSED)
    lost = (outbox.c.state == "failed") | ((outbox.c.state == "sent") & (outbox.c.trouble == BOUNCED))
    mine = (outbox.c.recipient == recipient.lower(), held_back | lost, outbox.c.body.is_not(None))
    kinds = (outbox.c.campaign, outbox.c.seat, outbox.c.kind)
    newest = select(func.max(outbox.c.id)).where(*mine, outbox.c.kind != "reminder").group_by(*kinds)
    with writing(db) as tx:
        rows = all_values(tx, newest)
        tx.execute(update(outbox).where(outbox.c.id.in_(rows)).values(next_try_at=now, **_ANEW))
        tx.execute(update(outbox).where(*mine, held_back).values(trouble=""))
    return len(rows)


def mark_bounced(db: Db, number: int) -> bool:
    """Record that a letter came back. False: it had before, or was never sent."""
    sent = (outbox.c.id == number, outbox.c.state.in_(("sent", "waiting")), outbox.c.trouble != BOUNCED)
    return write(db, update(outbox).where(*sent).values(trouble=BOUNCED)) == 1


_COLUMNS: Final = tuple(one.name for one in fields(OutgoingMail) if one.name != "not_before")


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
        rows = all_rows(tx, _CLAIM, claim | {"now": now, "by": by, "most": limit})
    claimed = (ClaimedLetter(row["id"], _outgoing(row), row["attempts"], row["unknown"]) for row in rows)
    return sorted(claimed, key=lambda one: one.id)


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
    mine = update(outbox).filter_by(id=number, state="waiting", claimed_by=by)
    return write(db, mine.values(claimed_by=None, claimed_until=None, **values)) == 1


def withdraw_reminders(db: Db, campaign: str, kind: str, window: int) -> int:
    """Withdraw the reminders of a closed window, except those just being sent."""
    idle = update(outbox).filter_by(state="waiting", claimed_by=None, kind=kind)
    return write(db, idle.filter_by(campaign=campaign, window=window).values(state="withdrawn"))


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


@dataclass(frozen=True, slots=True)
class Delayed:
    """A letter that waited to be sent together with what came after it."""

    body: bytes = field(repr=False)
    due: datetime


def take_delayed(
    db: Db,
    recipient: str,
    campaign: str,
    seat: str,
    kind: str,
    is_meant: Callable[[bytes], bool] = lambda body: True,
) -> list[Delayed]:
    """Withdraw somebody's delayed letters of that kind, oldest first: a newer one repeats them."""
    about = {"campaign": campaign or None, "seat": seat or None, "kind": kind}
    idle = (outbox.c.state == "waiting", outbox.c.claimed_by.is_(None), outbox.c.attempts == 0)
    later = (outbox.c.next_try_at > outbox.c.laid_at, outbox.c.body.is_not(None))
    chosen = select(outbox).filter_by(recipient=recipient, **about).where(*idle, *later)
    with writing(db) as tx:
        rows = all_rows(tx, chosen.order_by(outbox.c.id))
        taken = [row for row in rows if is_meant(row["body"])]
        numbers = [row["id"] for row in taken]
        tx.execute(update(outbox).where(outbox.c.id.in_(numbers)).values(state="withdrawn", trouble=GATHERED))
    return [Delayed(row["body"], row["next_try_at"]) for row in taken]


def resend(db: Db, number: int, now: datetime) -> bool:
    """Send a failed or lost letter once more, with the same bytes."""
    stood = (outbox.c.id == number, outbox.c.state.in_(("failed", "sent")), outbox.c.body.is_not(None))
    return write(db, update(outbox).where(*stood).values(next_try_at=now, **_ANEW)) == 1


_ANEW: Final[Mapping[str, Any]] = {"state": "waiting", "attempts": 0, "unknown": 0, "trouble": ""}


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
    row = one_row(db, _POSTED, {"message_id": message_id})
    return None if row is None or row["body"] is None else _posted(row)


_POSTED: Final = select(outbox).where(outbox.c.message_id == bindparam("message_id"))


def letters_to(db: Db, campaign: str, seat: str | None = None, limit: int = 500) -> list[Posted]:
    """The letters to a seat (None: to everybody), newest first."""
    to = {} if seat is None else {"seat": seat}
    return _newest(db, limit, campaign=campaign, **to)


def letter_about(db: Db, campaign: str, seat: str, window: int) -> Posted | None:
    """The newest result letter of that window: what a reply without a thread answers."""
    found = _newest(db, 1, campaign=campaign, seat=seat, window=window, kind="result")
    return found[0] if found else None


def letters_before(db: Db, campaign: str, seat: str, before: datetime, limit: int) -> list[Posted]:
    """The letters with order forms that a seat could have when it wrote: results and questions."""
    kinds = outbox.c.kind.in_(("result", "question"))
    went = (kinds, outbox.c.state != "withdrawn", outbox.c.laid_at < before)
    return _newest(db, limit, *went, campaign=campaign, seat=seat)


def letters_to_person(db: Db, campaign: str, person: int, limit: int = 500) -> list[Posted]:
    """The letters about a campaign to a person, not to their seat, newest first."""
    return _newest(db, limit, campaign=campaign, person=person, seat=None)


def _newest(db: Db, limit: int, *which: ColumnElement[bool], **chosen: Any) -> list[Posted]:
    """The newest letters with these columns whose bytes are not erased."""
    kept = select(outbox).filter_by(**chosen).where(outbox.c.body.is_not(None), *which)
    return [_posted(row) for row in all_rows(db, kept.order_by(outbox.c.id.desc()).limit(limit))]


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
    insert_or_ignore(db, questions, **values, data=dict(question.data), asked_at=now)


def open_question(db: Db, message_id: str) -> ConfirmQuestion | None:
    """The question of that letter, unless it is settled."""
    row = one_row(db, select(questions).filter_by(message_id=message_id, settled_at=None))
    return None if row is None else _question(row)


def _question(row: RowMapping) -> ConfirmQuestion:
    names = ("message_id", "kind", "campaign", "seat", "person", "letter", "data")
    return ConfirmQuestion(**{name: row[name] for name in names})


def outcome_of_question(db: Db, message_id: str) -> str | None:
    """How a question was settled; None: it is open, or there is none."""
    outcome: str | None = one_value(db, select(questions.c.outcome).filter_by(message_id=message_id))
    return outcome


def open_questions(db: Db, campaign: str, seat: str) -> list[ConfirmQuestion]:
    """The questions that a seat has not answered yet, newest first."""
    mine = select(questions).filter_by(campaign=campaign, seat=seat, settled_at=None)
    return [_question(row) for row in all_rows(db, mine.order_by(questions.c.asked_at.desc()))]


def settle_question(db: Db, message_id: str, outcome: str, now: datetime) -> bool:
    """Settle a question. False: it was settled before; the answer counts once."""
    open_one = update(questions).filter_by(message_id=message_id, settled_at=None)
    return write(db, open_one.values(outcome=outcome, settled_at=now)) == 1


def unanswered_letters(
    db: Db, campaign: str, window: int, codes: Collection[str], until: datetime
) -> dict[str, datetime]:
    """Seat -> when its last letter for that window arrived that was asked about for one of these reasons.

    Left out are those that were confirmed or dropped by then, and those before the sheet that counted.
    """
    opened = select(windows.c.opened_at).filter_by(campaign=campaign, number=window).scalar_subquery()
    was_open = or_(questions.c.settled_at.is_(None), questions.c.settled_at > until)
    asked = select(questions.c.data, inbox.c.seat, inbox.c.arrived_at).join(inbox)
    asked = asked.where(questions.c.campaign == campaign, questions.c.asked_at <= until, was_open)
    refused = select(inbox.c.seat, inbox.c.arrived_at).where(inbox.c.campaign == campaign)
    refused = refused.where(inbox.c.state == "refused", inbox.c.reason.in_(codes))
    refused = refused.where(inbox.c.arrived_at >= opened, inbox.c.settled_at <= until)
    filed = select(sheets.c.seat, sheets.c.arrived_at).filter_by(campaign=campaign, window=window)
    with reading(db) as tx:
        found = [row for row in all_rows(tx, asked) if row["data"]["window"] == window]
        found = [row for row in found if {*row["data"]["codes"]} & {*codes}]
        counted = {row["seat"]: row["arrived_at"] for row in all_rows(tx, filed)}
        letters = sorted((row["arrived_at"], row["seat"]) for row in (*found, *all_rows(tx, refused)))
    return {seat: at for at, seat in letters if seat and (seat not in counted or counted[seat] < at)}
