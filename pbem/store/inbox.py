"""The inbox: raw letters, each stored once, and their outcomes.

received     waits for a worker
applied      took effect
held         waits for CONFIRM, or for the umpire
refused      answered, without effect
set-aside    stale, or a copy of another
quarantined  could not be opened safely
shunted      something unexpected happened; waits for the umpire
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256
from typing import Any, Final, Literal, TypeAlias

from sqlalchemy import RowMapping, bindparam, delete, exists, func, insert, not_, or_, select, update
from sqlalchemy.engine import Connection

from engine.kernel.fairness.audit import SentMark
from pbem.store.campaigns import lock, touch_for_filing
from pbem.store.leases import this_process
from pbem.store.schema import holders
from pbem.store.schema_mail import inbox, letter_rests, mailboxes, marks, questions, sightings
from pbem.store.session import (
    Db,
    all_rows,
    all_values,
    dialect_insert,
    insert_ignoring,
    insert_or_ignore,
    one_row,
    one_value,
    reading,
    write,
    writing,
    writing_once,
)

WAITS_FOR_CLOSE: Final = "frozen"  # reason of a letter postponed until a Close is carried out
WAITS_FOR_RULES: Final = "rules"  # … that only workers with its campaign's rules can read
BEGINNING: Final = 64 * 1024  # bytes of a letter in its row; the rest is mostly pictures
MOST_AT_ONCE: Final = 1000  # values in one statement
REQUEUED: Final = "requeued"  # outcome of a question whose letter is read again
LETTER_LEASE: Final = timedelta(minutes=4)  # longer than a task may run

Settled: TypeAlias = Literal["applied", "held", "refused", "set-aside", "quarantined", "shunted"]


@dataclass(frozen=True, slots=True)
class Sighting:
    """Where a raw message was on the mail server."""

    mailbox: str
    uidvalidity: int
    uid: int


@dataclass(frozen=True, slots=True)
class StoredLetter:
    """A letter in the inbox; `new` is False if the same bytes were stored before."""

    id: int
    new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RawMail:
    """A letter of the inbox."""

    id: int
    raw: bytes = field(repr=False)
    mailbox: str
    arrived: datetime
    taken_in: datetime
    state: str
    reason: str
    tries: int
    campaign: str | None
    seat: str | None
    person: int | None
    sender: str | None
    message_id: str | None
    proof: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Belongs:
    """What a letter was recognized as: stored with its outcome."""

    campaign: str | None = None
    seat: str | None = None
    person: int | None = None
    sender: str | None = None
    message_id: str | None = None
    proof: Mapping[str, Any] = field(default_factory=dict)


# ------------------------------------------------------------------ storing


@dataclass(frozen=True, slots=True)
class ArrivedMail:
    """A raw message, where it was, and when the mail server accepted it."""

    seen: Sighting
    raw: bytes = field(repr=False)
    arrived: datetime


def store_letter(db: Db, seen: Sighting, raw: bytes, arrived: datetime, now: datetime) -> StoredLetter:
    """Store a raw message: once, however often and wherever it is seen."""
    (stored,) = store_letters(db, [ArrivedMail(seen, raw, arrived)], now)
    return stored


def store_letters(db: Db, messages: Sequence[ArrivedMail], now: datetime) -> list[StoredLetter]:
    """Store all of them, or none.

    The same bytes under another UID (a recreated mailbox, an incomplete move) are the same letter: two
    deliveries differ at least in their trace headers.
    """
    digests = [sha256(one.raw).hexdigest() for one in messages]
    letters = dict(zip(digests, messages, strict=True))
    with writing(db) as tx:
        rows = [_new_row(one, digest, now) for digest, one in letters.items()]
        inserted = tx.execute(_take_in(tx.dialect.name), rows).all() if rows else []
        new = {row.digest: int(row.id) for row in inserted}
        known = new | _ids_by_digest(tx, [one for one in letters if one not in new])
        rests = [(known[one], letters[one].raw[BEGINNING:]) for one in new]
        if any(rest for _, rest in rests):
            tx.execute(insert(letter_rests), [{"letter": one, "rest": rest} for one, rest in rests if rest])
        seen = [
            asdict(one.seen) | {"letter": known[digest], "moved": False}
            for one, digest in zip(messages, digests, strict=True)
        ]
        if seen:  # once recorded, a sighting does not change
            tx.execute(insert_ignoring(sightings, tx.dialect.name), seen)
    return [StoredLetter(known[one], new.pop(one, None) is not None) for one in digests]


def _new_row(one: ArrivedMail, digest: str, now: datetime) -> dict[str, Any]:
    values = {"digest": digest, "mailbox": one.seen.mailbox, "raw": one.raw[:BEGINNING], "size": len(one.raw)}
    return values | {"arrived_at": one.arrived, "taken_in_at": now, "next_try_at": now, **_FRESH}


def _ids_by_digest(tx: Connection, digests: Sequence[str]) -> dict[str, int]:
    rows = tx.execute(_KNOWN, {"digests": list(digests)}).all() if digests else []
    return {row.digest: int(row.id) for row in rows}


# Statements of every letter are built once.
_FRESH: Final[Mapping[str, Any]] = {"state": "received", "reason": "", "proof": {}, "tries": 0}
_KNOWN: Final = select(inbox.c.id, inbox.c.digest).where(
    inbox.c.digest.in_(bindparam("digests", expanding=True))
)


@cache
def _take_in(dialect: str) -> Any:
    return dialect_insert(dialect)(inbox).on_conflict_do_nothing().returning(inbox.c.id, inbox.c.digest)


def mark_moved(db: Db, mailbox: str, uidvalidity: int, uids: Sequence[int]) -> None:
    """Record that these messages were moved on the server."""
    here = update(sightings).filter_by(mailbox=mailbox, uidvalidity=uidvalidity)
    with writing(db) as tx:
        for start in range(0, len(uids), MOST_AT_ONCE):
            these = sightings.c.uid.in_(uids[start : start + MOST_AT_ONCE])
            tx.execute(here.where(these).values(moved=True))


def letters_on_server(db: Db, mailbox: str, uidvalidity: int) -> list[tuple[int, str]]:
    """UIDs of stored letters that are still on the server, each with its letter's state."""
    here = (sightings.c.mailbox == mailbox, sightings.c.uidvalidity == uidvalidity, ~sightings.c.moved)
    chosen = select(sightings.c.uid, inbox.c.state).join_from(sightings, inbox).where(*here)
    rows = all_rows(db, chosen.order_by(sightings.c.uid))
    return [(row["uid"], row["state"]) for row in rows]


def mark_read_to(db: Db, mailbox: str, uidvalidity: int, began: datetime) -> None:
    """A pass that began then found nothing more: all that the server accepted before is stored."""
    with writing(db) as tx:
        insert_or_ignore(tx, mailboxes, name=mailbox)
        later = or_(mailboxes.c.read_to.is_(None), mailboxes.c.read_to < began)
        here = update(mailboxes).filter_by(name=mailbox)
        tx.execute(here.values(uidvalidity=uidvalidity))
        tx.execute(here.where(later).values(read_to=began))


def forget_other_mailboxes(db: Db, read: Collection[str]) -> int:
    """Forget mailboxes that are not read anymore, so that no deadline waits for them; returns how many."""
    return write(db, delete(mailboxes).where(mailboxes.c.name.not_in(read)))


def mailboxes_read_to(db: Db) -> datetime | None:
    """Until when every mailbox has been read; None: one never was, or there is none."""
    moments = all_values(db, select(mailboxes.c.read_to))
    return None if not moments or None in moments else min(moments)


def letters_settled_to(db: Db, campaign: str = "") -> datetime | None:
    """Until when every letter that may concern a campaign is settled; None: see `mailboxes_read_to`.

    A deadline is executed only after this: a letter that is stored and came in time counts. A letter that
    waits for a frozen Close is for a closed window and delays no other; one that waits for its campaign's
    rules delays only that campaign ("": none).
    """
    waits = (inbox.c.state == "received", inbox.c.reason != WAITS_FOR_CLOSE, inbox.c.raw.is_not(None))
    others = or_(inbox.c.reason != WAITS_FOR_RULES, inbox.c.campaign == campaign)
    with reading(db) as tx:
        read = mailboxes_read_to(tx)
        oldest = one_value(tx, select(func.min(inbox.c.arrived_at)).where(*waits, others))
    return read if read is None or oldest is None else min(read, oldest)


# ------------------------------------------------------------------ outcomes


def letter(db: Db, number: int) -> RawMail | None:
    """The letter of that number; None: there is none, or its bytes are erased."""
    with reading(db) as tx:
        row = one_row(tx, select(inbox).filter_by(id=number))
        return None if row is None or row["raw"] is None else _received(tx, row)


def whole_letter(db: Db, number: int, beginning: bytes) -> bytes:
    """The whole letter, given the beginning in its row."""
    if len(beginning) < BEGINNING:
        return beginning
    rest: bytes = one_value(db, _REST, {"the_letter": number}) or b""
    return beginning + rest


_REST: Final = select(letter_rests.c.rest).where(letter_rests.c.letter == bindparam("the_letter"))


def _received(tx: Connection, row: RowMapping) -> RawMail:
    raw = whole_letter(tx, row["id"], row["raw"])
    same = ("id", "mailbox", "state", "reason", "tries", "campaign", "seat", "person", "sender")
    columns = {name: row[name] for name in same}
    times = {"arrived": row["arrived_at"], "taken_in": row["taken_in_at"]}
    return RawMail(raw=raw, message_id=row["message_id"], proof=row["proof"], **times, **columns)


def claim_letter(db: Db, number: int, by: str, now: datetime) -> RawMail | None:
    """Claim a letter for one worker until the lease ends; None: settled, claimed, or not yet due."""
    with writing_once(db) as tx:
        row = one_row(tx, _CLAIM, _claim(by, now) | {"the_letter": number, "by": by})
        return None if row is None else _received(tx, row)


def claim_new_letters(db: Db, numbers: Sequence[int], by: str, now: datetime) -> list[RawMail]:
    """Claim those of these letters that were never claimed before.

    Only those: a letter that was tried before may have crashed its worker, and is claimed alone.
    """
    with writing_once(db) as tx:
        rows = all_rows(tx, _CLAIM_FRESH, _claim(by, now) | {"letters": list(numbers)})
        return [_received(tx, row) for row in rows]


def _claim(by: str, now: datetime) -> dict[str, Any]:
    until = now + LETTER_LEASE
    return {"claimed_by": by, "claimed_until": until, "claimed_on": this_process(), "now": now}


_IS_IT: Final = inbox.c.id == bindparam("the_letter")
_CLAIM_ANY: Final = (
    update(inbox)
    .where(inbox.c.state == "received", inbox.c.next_try_at <= bindparam("now"), inbox.c.raw.is_not(None))
    .values(
        tries=inbox.c.tries + 1,
        **{name: bindparam(name) for name in ("claimed_by", "claimed_until", "claimed_on")},
    )
    .returning(inbox)
)
_CLAIM: Final = _CLAIM_ANY.where(_IS_IT).where(
    or_(
        inbox.c.claimed_until.is_(None),
        inbox.c.claimed_until <= bindparam("now"),
        inbox.c.claimed_by == bindparam("by"),
    )
)
_CLAIM_FRESH: Final = _CLAIM_ANY.where(
    inbox.c.id.in_(bindparam("letters", expanding=True)), inbox.c.tries == 0, inbox.c.claimed_until.is_(None)
)


def settle_letter(
    db: Db, number: int, state: Settled, reason: str, now: datetime, belongs: Belongs | None = None
) -> bool:
    """Store a letter's outcome. False: it was settled before; roll the transaction back.

    Call it first in the transaction that applies the letter, so that the letter counts once.
    """
    values = {"state": state, "reason": reason[:200], "settled_at": now, "claimed_by": None}
    values |= {"claimed_until": None, "the_letter": number, "stood": "received"}
    return write(db, _OUTCOME, values | _origin_columns(belongs)) == 1


_OUTCOME: Final = update(inbox).where(_IS_IT, inbox.c.state == bindparam("stood"))


_ORIGIN: Final = tuple(field.name for field in fields(Belongs))


def _origin_columns(belongs: Belongs | None) -> dict[str, Any]:
    if belongs is None:
        return {}
    columns = {name: getattr(belongs, name) for name in _ORIGIN}
    return columns | {"sender": belongs.sender and belongs.sender.lower()[:320]}


def resettle_letter(db: Db, number: int, before: Settled, state: Settled, reason: str, now: datetime) -> bool:
    """Store a second outcome: held and confirmed, shunted and reviewed. False: it is not `before`."""
    values = {"state": state, "reason": reason[:200], "settled_at": now}
    return write(db, _OUTCOME, values | {"the_letter": number, "stood": before}) == 1


def requeue_letter(db: Db, number: int, now: datetime) -> bool:
    """Read a letter again that was shunted, quarantined, held or refused.

    Its open questions are settled: they will be asked again. Questions come first, as with CONFIRM, to avoid
    a deadlock.
    """
    stood = (inbox.c.id == number, inbox.c.state.in_(("shunted", "quarantined", "held", "refused")))
    fresh = {"state": "received", "reason": "", "tries": 0, "next_try_at": now, "settled_at": None}
    asked = (questions.c.letter == number, questions.c.settled_at.is_(None))
    settled = update(questions).where(*asked, select(inbox.c.id).where(*stood).exists())
    with writing(db) as tx:
        tx.execute(settled.values(outcome=REQUEUED, settled_at=now))
        return tx.execute(update(inbox).where(*stood).values(claimed_until=None, **fresh)).rowcount == 1


def postpone_letter(db: Db, number: int, until: datetime, reason: str) -> None:
    """Try the letter again later: something outside does not answer (DNS)."""
    waits = update(inbox).filter_by(id=number, state="received")
    write(db, waits.values(**_later(until, reason)))


def _later(until: datetime, reason: str) -> dict[str, Any]:
    return {"next_try_at": until, "reason": reason[:200], "claimed_by": None, "claimed_until": None}


def release_letter(
    db: Db, number: int, by: str, until: datetime, reason: str, campaign: str | None = None
) -> None:
    """Give a claim up without counting the try: the worker could not read the letter.

    The database was down; or the letter is about a campaign whose rules the worker does not have, and delays
    only that one.
    """
    mine = update(inbox).filter_by(id=number, state="received", claimed_by=by)
    about = {} if campaign is None else {"campaign": campaign}
    write(db, mine.values(tries=inbox.c.tries - 1, **_later(until, reason), **about))


def store_proof(db: Db, number: int, proof: Mapping[str, Any]) -> None:
    """Store what was found out about a letter's signature on arrival."""
    write(db, update(inbox).filter_by(id=number).values(proof=dict(proof)))


def due_letters(db: Db, now: datetime, limit: int = 500) -> list[int]:
    """Letters that wait for a worker, including those whose lease ended."""
    free = or_(inbox.c.claimed_until.is_(None), inbox.c.claimed_until <= now)
    waits = (inbox.c.state == "received", inbox.c.next_try_at <= now, inbox.c.raw.is_not(None), free)
    return all_values(db, select(inbox.c.id).where(*waits).order_by(inbox.c.id).limit(limit))


_ERASED: Final[Mapping[str, Any]] = {"raw": None, "sender": None, "message_id": None, "proof": {}}


def erase_letters(tx: Connection, *chosen: Any) -> int:
    """Erase bytes, sender and Message-ID of these letters; the outcomes stay."""
    numbers = select(inbox.c.id).where(*chosen)
    tx.execute(delete(letter_rests).where(letter_rests.c.letter.in_(numbers)))
    return tx.execute(update(inbox).where(*chosen).values(**_ERASED)).rowcount


def erase_bytes(db: Db, number: int) -> None:
    """Erase only the bytes of one letter."""
    with writing(db) as tx:
        tx.execute(delete(letter_rests).filter_by(letter=number))
        tx.execute(update(inbox).filter_by(id=number).values(raw=None))


def erase_old_letters(db: Db, campaign: str, before: datetime) -> int:
    """Erase raw mail of a finished campaign; the outcomes stay."""
    old = (inbox.c.campaign == campaign, inbox.c.arrived_at < before, inbox.c.raw.is_not(None))
    with writing(db) as tx:
        return erase_letters(tx, *old)


def erase_stray_letters(db: Db, before: datetime) -> int:
    """The same for mail about no campaign: strangers' letters and automatic mail."""
    old = (inbox.c.campaign.is_(None), inbox.c.arrived_at < before, inbox.c.raw.is_not(None))
    with writing(db) as tx:
        return erase_letters(tx, *old, inbox.c.state != "received")


# ------------------------------------------------------------------ marks for the dice


def store_mark(db: Db, name: str, seat: str, letter: int | None, sent: SentMark, arrived: datetime) -> bool:
    """Store the mark of a letter that passed the sender proof, once; it goes into the seat's next entry.

    One that comes while a Close is frozen goes into the entry after it.
    """
    parts = {"message_id": sent.message_id, "signature": sent.signature, "salt": sent.salt}
    with writing(db) as tx:
        lock(tx, name)
        mark = {"letter": letter, "mark": sent.mark.hex(), "arrived_at": arrived}
        new = insert_or_ignore(tx, marks, campaign=name, seat=seat, **mark, **parts)
        if new:
            touch_for_filing(tx, name)
    return new


def marks_of_others(db: Db, name: str, seat: str, person: int | None) -> frozenset[str]:
    """The marks of a seat's letters that this person neither wrote nor was the seat's holder for."""
    told, held = marks.c, holders.c
    written = select(inbox.c.id).where(inbox.c.person == person)
    holding = exists().where(
        held.campaign == name,
        held.seat == seat,
        held.person == person,
        held.since <= told.arrived_at,
        or_(held.until.is_(None), held.until > told.arrived_at),
    )
    theirs = or_(told.letter.is_(None), told.letter.in_(written), holding)
    with reading(db) as tx:
        chosen = select(told.mark).where(told.campaign == name, told.seat == seat, not_(theirs))
        return frozenset(all_values(tx, chosen))


def last_letter_at(db: Db, name: str, seat: str, t: int) -> datetime | None:
    """When the last of the seat's letters arrived that a Close contains; None: none."""
    mine = select(marks.c.arrived_at).filter_by(campaign=name, seat=seat, t=t)
    return max(all_values(db, mine), default=None)
