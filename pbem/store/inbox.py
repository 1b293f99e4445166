"""The mailbag's inbox: raw letters, each taken in once, and what became of them.

received     waits for a worker
applied      did what it says
held         waits for CONFIRM, or for the umpire
refused      answered, and of no effect
set-aside    stale, or a copy of another
quarantined  could not be opened safely
shunted      something unexpected happened; the umpire looks at it
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256
from typing import Any, Final, Literal, TypeAlias

from sqlalchemy import RowMapping, Table, bindparam, delete, func, insert, literal, or_, select, update
from sqlalchemy.dialects.postgresql import insert as insert_postgresql
from sqlalchemy.dialects.sqlite import insert as insert_sqlite
from sqlalchemy.engine import Connection

from pbem.store.leases import this_process
from pbem.store.schema_mail import inbox, letter_rests, mailboxes, questions, sightings
from pbem.store.session import Db, reading, writing, writing_once

WAITS_FOR_CLOSE: Final = "frozen"  # the reason of a letter that was put off until a Close is carried out
WAITS_FOR_RULES: Final = "rules"  # … that only workers with its campaign's own rules can read
BEGINNING: Final = 64 * 1024  # bytes of a letter that its row holds; pictures make up the rest
MOST_AT_ONCE: Final = 1000  # values in one statement
REQUEUED: Final = "requeued"  # of a question: its letter is read again, and asked about anew
LETTER_LEASE: Final = timedelta(minutes=4)  # longer than a task may run

Settled: TypeAlias = Literal["applied", "held", "refused", "set-aside", "quarantined", "shunted"]


@dataclass(frozen=True, slots=True)
class Sighting:
    """Where a raw message lay on the mail server."""

    mailbox: str
    uidvalidity: int
    uid: int


@dataclass(frozen=True, slots=True)
class TakenIn:
    """A letter in the mailbag; `new` is False where the same bytes had been taken in before."""

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
    """What a letter was recognised as: stored with its outcome."""

    campaign: str | None = None
    seat: str | None = None
    person: int | None = None
    sender: str | None = None
    message_id: str | None = None
    proof: Mapping[str, Any] = field(default_factory=dict)


def insert_or_ignore(tx: Connection, table: Table, **values: Any) -> bool:
    """Insert a row unless one with the same key stands there; True if it was inserted."""
    told = _ignoring(table, tx.dialect.name)
    return tx.execute(told, values).first() is not None  # a count of rows is not reliable here


@cache
def _ignoring(table: Table, dialect: str) -> Any:
    return own_insert(dialect)(table).on_conflict_do_nothing().returning(literal(1))


def own_insert(dialect: str) -> Any:
    """INSERT as that database has it, with ON CONFLICT."""
    return insert_postgresql if dialect == "postgresql" else insert_sqlite


# ------------------------------------------------------------------ taking in


@dataclass(frozen=True, slots=True)
class Message:
    """A raw message, where it lay, and when the mail server took it."""

    seen: Sighting
    raw: bytes = field(repr=False)
    arrived: datetime


def take_in(db: Db, seen: Sighting, raw: bytes, arrived: datetime, now: datetime) -> TakenIn:
    """Keep a raw message. The same message is kept once, however often and wherever it is seen."""
    (taken,) = take_all_in(db, [Message(seen, raw, arrived)], now)
    return taken


def take_all_in(db: Db, messages: Sequence[Message], now: datetime) -> list[TakenIn]:
    """Keep them all, or none.

    The same bytes under another number (a mailbox made anew, a move that was not completed) are the same
    letter: two deliveries differ in their trace headers at least.
    """
    digests = [sha256(one.raw).hexdigest() for one in messages]
    letters = dict(zip(digests, messages, strict=True))
    with writing(db) as tx:
        rows = [_fresh(one, digest, now) for digest, one in letters.items()]
        inserted = tx.execute(_take_in(tx.dialect.name), rows).all() if rows else []
        new = {row.digest: int(row.id) for row in inserted}
        known = new | _known_by(tx, [one for one in letters if one not in new])
        rests = [(known[one], letters[one].raw[BEGINNING:]) for one in new]
        if any(rest for _, rest in rests):
            tx.execute(insert(letter_rests), [{"letter": one, "rest": rest} for one, rest in rests if rest])
        _sight(tx, [(one.seen, known[digest]) for one, digest in zip(messages, digests, strict=True)])
    return [TakenIn(known[one], new.pop(one, None) is not None) for one in digests]


def _fresh(one: Message, digest: str, now: datetime) -> dict[str, Any]:
    told = {"digest": digest, "mailbox": one.seen.mailbox, "raw": one.raw[:BEGINNING], "size": len(one.raw)}
    return told | {"arrived_at": one.arrived, "taken_in_at": now, "next_try_at": now, **_FRESH}


def _known_by(tx: Connection, digests: Sequence[str]) -> dict[str, int]:
    rows = tx.execute(_KNOWN, {"digests": list(digests)}).all() if digests else []
    return {row.digest: int(row.id) for row in rows}


def _sight(tx: Connection, seen: Sequence[tuple[Sighting, int]]) -> None:
    """Where each of these letters lies; a second look changes nothing."""
    rows = [asdict(one) | {"letter": letter, "moved": False} for one, letter in seen]
    if rows:
        tx.execute(_ignoring(sightings, tx.dialect.name), rows)


# What is asked for with every letter is put together once.
_FRESH: Final[Mapping[str, Any]] = {"state": "received", "reason": "", "proof": {}, "tries": 0}
_KNOWN: Final = select(inbox.c.id, inbox.c.digest).where(
    inbox.c.digest.in_(bindparam("digests", expanding=True))
)


@cache
def _take_in(dialect: str) -> Any:
    return own_insert(dialect)(inbox).on_conflict_do_nothing().returning(inbox.c.id, inbox.c.digest)


def put_away(db: Db, mailbox: str, uidvalidity: int, uids: Sequence[int]) -> None:
    """These messages were moved on the server."""
    here = (sightings.c.mailbox == mailbox, sightings.c.uidvalidity == uidvalidity)
    with writing(db) as tx:
        for start in range(0, len(uids), MOST_AT_ONCE):
            these = sightings.c.uid.in_(uids[start : start + MOST_AT_ONCE])
            tx.execute(update(sightings).where(*here, these).values(moved=True))


def _is(seen: Sighting) -> tuple[Any, ...]:
    columns = sightings.c
    return columns.mailbox == seen.mailbox, columns.uidvalidity == seen.uidvalidity, columns.uid == seen.uid


def taken_from(db: Db, seen: Sighting) -> int | None:
    """The letter that was taken in from there; None: that message is not known."""
    with reading(db) as tx:
        return tx.execute(select(sightings.c.letter).where(*_is(seen))).scalar_one_or_none()


def to_put_away(db: Db, mailbox: str, uidvalidity: int) -> list[tuple[int, str]]:
    """UIDs taken in but still lying on the server, each with its letter's state."""
    joined = sightings.join(inbox, inbox.c.id == sightings.c.letter)
    chosen = select(sightings.c.uid, inbox.c.state).select_from(joined)
    here = (sightings.c.mailbox == mailbox, sightings.c.uidvalidity == uidvalidity)
    with reading(db) as tx:
        rows = tx.execute(chosen.where(*here, ~sightings.c.moved).order_by(sightings.c.uid))
        return [(uid, state) for uid, state in rows]


def read_to_end(db: Db, mailbox: str, uidvalidity: int, began: datetime) -> None:
    """A reading that began then found nothing more: what the server took before is in the mailbag."""
    with writing(db) as tx:
        insert_or_ignore(tx, mailboxes, name=mailbox)
        later = or_(mailboxes.c.read_to.is_(None), mailboxes.c.read_to < began)
        here = update(mailboxes).where(mailboxes.c.name == mailbox)
        tx.execute(here.values(uidvalidity=uidvalidity))
        tx.execute(here.where(later).values(read_to=began))


def only_read(db: Db, read: Collection[str]) -> int:
    """Nobody waits for a mailbox that is not read any more; returns how many were forgotten."""
    with writing(db) as tx:
        return tx.execute(delete(mailboxes).where(mailboxes.c.name.not_in(read))).rowcount


def read_to(db: Db) -> datetime | None:
    """Up to when every mailbox has been read; None: some mailbox has never been, or there is none."""
    with reading(db) as tx:
        moments = list(tx.execute(select(mailboxes.c.read_to)).scalars())
    return None if not moments or None in moments else min(moments)


def heard_to(db: Db, campaign: str = "") -> datetime | None:
    """Up to when every letter that may concern a campaign has been heard; None: see `read_to`.

    A deadline is executed only after this: what lies in the mailbag and came in time counts. A letter that
    waits for a frozen Close is for a window that closed, and holds up no other; one that waits for its
    campaign's rules holds up that campaign alone ("": none).
    """
    waits = (inbox.c.state == "received", inbox.c.reason != WAITS_FOR_CLOSE, inbox.c.raw.is_not(None))
    others = or_(inbox.c.reason != WAITS_FOR_RULES, inbox.c.campaign == campaign)
    with reading(db) as tx:
        read = read_to(tx)
        oldest = tx.execute(select(func.min(inbox.c.arrived_at)).where(*waits, others)).scalar_one()
    return read if read is None or oldest is None else min(read, oldest)


# ------------------------------------------------------------------ what becomes of a letter


def letter(db: Db, number: int) -> RawMail | None:
    """The letter of that number; None where there is none, or its bytes are erased."""
    with reading(db) as tx:
        row = tx.execute(select(inbox).where(inbox.c.id == number)).mappings().one_or_none()
        return None if row is None or row["raw"] is None else _received(tx, row)


def whole(db: Db, number: int, beginning: bytes) -> bytes:
    """All of a letter whose row holds its beginning."""
    if len(beginning) < BEGINNING:
        return beginning
    with reading(db) as tx:
        rest = tx.execute(_REST, {"the_letter": number}).scalar_one_or_none()
    return beginning if rest is None else beginning + rest


_REST: Final = select(letter_rests.c.rest).where(letter_rests.c.letter == bindparam("the_letter"))


def _received(tx: Connection, row: RowMapping) -> RawMail:
    raw = whole(tx, row["id"], row["raw"])
    same = ("id", "mailbox", "state", "reason", "tries", "campaign", "seat", "person", "sender")
    told = {name: row[name] for name in same}
    times = {"arrived": row["arrived_at"], "taken_in": row["taken_in_at"]}
    return RawMail(raw=raw, message_id=row["message_id"], proof=row["proof"], **times, **told)


def claim_letter(db: Db, number: int, by: str, now: datetime) -> RawMail | None:
    """The letter for one worker alone, until its lease ends; None: settled, claimed, or not yet due."""
    claim = {"claimed_by": by, "claimed_until": now + LETTER_LEASE, "claimed_on": this_process()}
    with writing_once(db) as tx:
        row = (
            tx.execute(_CLAIM, claim | {"the_letter": number, "now": now, "by": by}).mappings().one_or_none()
        )
        return None if row is None else _received(tx, row)


def claim_fresh(db: Db, numbers: Sequence[int], by: str, now: datetime) -> list[RawMail]:
    """Of these letters those that nobody has ever claimed, as `claim_letter` claims one.

    Only these: a letter that was tried before may have taken its worker with it, and is claimed alone.
    """
    claim = {"claimed_by": by, "claimed_until": now + LETTER_LEASE, "claimed_on": this_process()}
    with writing_once(db) as tx:
        rows = tx.execute(_CLAIM_FRESH, claim | {"letters": list(numbers), "now": now}).mappings().all()
        return [_received(tx, row) for row in rows]


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
    """What became of a letter. False: it was settled before, and nothing else of this transaction may count.

    Called first in the transaction that carries out what the letter says, it makes the letter count once.
    """
    values = {"state": state, "reason": reason[:200], "settled_at": now, "claimed_by": None}
    values |= {"claimed_until": None, "the_letter": number, "stood": "received"}
    with writing(db) as tx:
        return tx.execute(_OUTCOME, values | _known(belongs)).rowcount == 1


_OUTCOME: Final = update(inbox).where(_IS_IT, inbox.c.state == bindparam("stood"))


def _known(belongs: Belongs | None) -> dict[str, Any]:
    if belongs is None:
        return {}
    return {
        "campaign": belongs.campaign,
        "seat": belongs.seat,
        "person": belongs.person,
        "sender": belongs.sender and belongs.sender.lower()[:320],
        "message_id": belongs.message_id,
        "proof": dict(belongs.proof),
    }


def resettle_letter(db: Db, number: int, before: Settled, state: Settled, reason: str, now: datetime) -> bool:
    """A letter's second outcome: held and confirmed, shunted and looked at. False: it is not `before`."""
    values = {"state": state, "reason": reason[:200], "settled_at": now}
    with writing(db) as tx:
        return tx.execute(_OUTCOME, values | {"the_letter": number, "stood": before}).rowcount == 1


def requeue_letter(db: Db, number: int, now: datetime) -> bool:
    """Read a letter again that was shunted, quarantined, held or refused.

    What was asked about it is settled: it will be asked anew. Questions go first, as with CONFIRM, so that
    neither waits for the other.
    """
    stood = (inbox.c.id == number, inbox.c.state.in_(("shunted", "quarantined", "held", "refused")))
    fresh = {"state": "received", "reason": "", "tries": 0, "next_try_at": now, "settled_at": None}
    asked = (questions.c.letter == number, questions.c.settled_at.is_(None))
    settled = update(questions).where(*asked, select(inbox.c.id).where(*stood).exists())
    with writing(db) as tx:
        tx.execute(settled.values(outcome=REQUEUED, settled_at=now))
        return tx.execute(update(inbox).where(*stood).values(claimed_until=None, **fresh)).rowcount == 1


def put_off(db: Db, number: int, until: datetime, reason: str) -> None:
    """Something outside is not to be had (DNS): the letter is tried again later."""
    waits = (inbox.c.id == number, inbox.c.state == "received")
    later = {"next_try_at": until, "reason": reason[:200], "claimed_by": None, "claimed_until": None}
    with writing(db) as tx:
        tx.execute(update(inbox).where(*waits).values(**later))


def give_back(
    db: Db, number: int, by: str, until: datetime, reason: str, campaign: str | None = None
) -> None:
    """Who claimed the letter could not read it: that try does not count against the letter.

    The database was away; or it is about a campaign whose rules he has not, and holds up only that one.
    """
    mine = (inbox.c.id == number, inbox.c.state == "received", inbox.c.claimed_by == by)
    later = {"next_try_at": until, "reason": reason[:200], "claimed_by": None, "claimed_until": None}
    later |= {} if campaign is None else {"campaign": campaign}
    with writing(db) as tx:
        tx.execute(update(inbox).where(*mine).values(tries=inbox.c.tries - 1, **later))


def letters_in_state(db: Db, state: str, campaign: str | None = None, limit: int = 200) -> list[RawMail]:
    """The oldest letters in that state."""
    chosen = select(inbox).where(inbox.c.state == state, inbox.c.raw.is_not(None))
    if campaign is not None:
        chosen = chosen.where(inbox.c.campaign == campaign)
    with reading(db) as tx:
        rows = tx.execute(chosen.order_by(inbox.c.id).limit(limit)).mappings().all()
        return [_received(tx, row) for row in rows]


def keep_proof(db: Db, number: int, proof: Mapping[str, Any]) -> None:
    """What was found out about a letter's signature when it arrived."""
    with writing(db) as tx:
        tx.execute(update(inbox).where(inbox.c.id == number).values(proof=dict(proof)))


def due_letters(db: Db, now: datetime, limit: int = 500) -> list[int]:
    """Letters that wait for a worker; those whose lease ended are among them."""
    free = or_(inbox.c.claimed_until.is_(None), inbox.c.claimed_until <= now)
    waits = (inbox.c.state == "received", inbox.c.next_try_at <= now, inbox.c.raw.is_not(None), free)
    with reading(db) as tx:
        return list(tx.execute(select(inbox.c.id).where(*waits).order_by(inbox.c.id).limit(limit)).scalars())


_ERASED: Final[Mapping[str, Any]] = {"raw": None, "sender": None, "message_id": None, "proof": {}}


def erase_letters(tx: Connection, *chosen: Any) -> int:
    """Bytes, sender and name of these letters; what became of each stays."""
    numbers = select(inbox.c.id).where(*chosen)
    tx.execute(delete(letter_rests).where(letter_rests.c.letter.in_(numbers)))
    return tx.execute(update(inbox).where(*chosen).values(**_ERASED)).rowcount


def erase_bytes(db: Db, number: int) -> None:
    """Of one letter the bytes alone."""
    with writing(db) as tx:
        tx.execute(delete(letter_rests).where(letter_rests.c.letter == number))
        tx.execute(update(inbox).where(inbox.c.id == number).values(raw=None))


def erase_old_letters(db: Db, campaign: str, before: datetime) -> int:
    """Raw mail of a campaign that is over goes after a while; what became of each letter stays."""
    old = (inbox.c.campaign == campaign, inbox.c.arrived_at < before, inbox.c.raw.is_not(None))
    with writing(db) as tx:
        return erase_letters(tx, *old)


def erase_stray_letters(db: Db, before: datetime) -> int:
    """The same for mail that was about no campaign: strangers' letters, and what nobody wrote."""
    old = (inbox.c.campaign.is_(None), inbox.c.arrived_at < before, inbox.c.raw.is_not(None))
    with writing(db) as tx:
        return erase_letters(tx, *old, inbox.c.state != "received")
