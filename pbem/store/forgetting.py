"""Personal data: all that is kept of a person, and how it is erased.

Journal lines, seals and rolls are left as they are and still verify: of a letter's mark the hash remains.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Table, and_, delete, or_, select, update
from sqlalchemy.engine import Connection

from engine.kernel.audit import Close
from pbem.store import schema
from pbem.store import schema_mail as mail
from pbem.store.campaigns import touch
from pbem.store.connect import Db, reading, writing
from pbem.store.people import person_at, seats_of


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What an erasure left behind: seats that are vacant now."""

    vacant: tuple[tuple[str, str], ...]
    letters: int  # raw mails and letters of ours that were erased


def forget(db: Db, address: str, now: datetime) -> Forgotten:
    """Erase the person with that address, or what a stranger wrote from it, from everything but hashes."""
    with writing(db) as tx:
        known = person_at(tx, address)
        if known is None:
            return Forgotten((), _erase_letters(tx, -1, [address.lower()]))
        vacant = tuple(seats_of(tx, known.id))
        for campaign in _entered(tx, known.id):
            touch(tx, campaign)  # a Close computed from what is erased now is not frozen any more
        _erase_entries(tx, known.id)
        erased = _erase_letters(tx, known.id, [one.address for one in known.addresses])
        holders = schema.holders
        running = (holders.c.person == known.id, holders.c.until.is_(None))
        tx.execute(update(holders).where(*running).values(until=now))
        tx.execute(delete(schema.people).where(schema.people.c.id == known.id))
    return Forgotten(vacant, erased)


def _entered(tx: Connection, person: int) -> list[str]:
    holders = schema.holders
    mine = select(holders.c.campaign).where(holders.c.person == person).distinct()
    return list(tx.execute(mine.order_by(holders.c.campaign)).scalars())


def _erase_letters(tx: Connection, person: int, addresses: list[str]) -> int:
    """Raw mail, our letters to the person, the parts of the marks, and counts of these addresses."""
    inbox, outbox, marks, limits = mail.inbox, mail.outbox, mail.marks, schema.allowances
    own = or_(inbox.c.person == person, inbox.c.sender.in_(addresses))
    parts = {"message_id": None, "signature": None, "salt": None}
    written = select(inbox.c.id).where(own)
    tx.execute(update(marks).where(marks.c.letter.in_(written)).values(**parts))
    bare: dict[str, Any] = {"raw": None, "sender": None, "message_id": None, "proof": {}}
    count = tx.execute(update(inbox).where(own).values(**bare)).rowcount
    theirs = or_(outbox.c.person == person, outbox.c.recipient.in_(addresses))
    unsent = and_(theirs, outbox.c.state == "waiting")
    tx.execute(update(outbox).where(unsent).values(state="withdrawn"))
    blank = {"recipient": None, "body": None, "sender": "", "trouble": ""}
    tx.execute(delete(limits).where(limits.c.subject.in_(addresses)))
    return count + tx.execute(update(outbox).where(theirs).values(**blank)).rowcount


def _erase_entries(tx: Connection, person: int) -> None:
    """The letters and order texts behind the entries of every Close of the person's time in a seat.

    The first Close after that time may hold a letter of the person, too.
    """
    holders, closes = schema.holders, schema.closes
    for held in tx.execute(select(holders).where(holders.c.person == person)).mappings().all():
        here = (closes.c.campaign == held["campaign"], closes.c.frozen_at >= held["since"])
        rows = tx.execute(select(closes).where(*here).order_by(closes.c.t)).mappings().all()
        for row in rows:
            _erase_entry(tx, row["campaign"], row["t"], row["body"], held["seat"])
            if held["until"] is not None and row["frozen_at"] > held["until"]:
                break


def _erase_entry(tx: Connection, campaign: str, t: int, body: str, seat: str) -> None:
    close, closes = Close.load(body), schema.closes
    entries = {name: entry.erased() if name == seat else entry for name, entry in close.entries.items()}
    bare = Close(close.t, close.transcript, entries).dump()
    here = (closes.c.campaign == campaign, closes.c.t == t)
    tx.execute(update(closes).where(*here).values(body=bare))


# ------------------------------------------------------------------ all that is kept


def kept_of(db: Db, address: str) -> dict[str, list[dict[str, Any]]]:
    """Every row that concerns the person with that address, or the stranger, by table."""
    inbox, outbox, limits = mail.inbox, mail.outbox, schema.allowances
    with reading(db) as tx:
        known = person_at(tx, address)
        number = -1 if known is None else known.id
        addresses = [address.lower()] if known is None else [one.address for one in known.addresses]
        found = {"people": _rows(tx, schema.people, schema.people.c.id == number)}
        tables = (schema.addresses, schema.absences, schema.holders, schema.members, schema.umpire_acts)
        for table in (*tables, mail.questions):
            found[table.name] = _rows(tx, table, table.c.person == number)
        own = or_(inbox.c.person == number, inbox.c.sender.in_(addresses))
        found["inbox"] = _rows(tx, inbox, own)
        theirs = or_(outbox.c.person == number, outbox.c.recipient.in_(addresses))
        found["outbox"] = _rows(tx, outbox, theirs)
        found["allowances"] = _rows(tx, limits, limits.c.subject.in_(addresses))
        found["marks"] = _rows(tx, mail.marks, mail.marks.c.letter.in_(select(inbox.c.id).where(own)))
    return found


def _rows(tx: Connection, table: Table, chosen: Any) -> list[dict[str, Any]]:
    ordered = select(table).where(chosen).order_by(*table.primary_key.columns)
    return [dict(row) for row in tx.execute(ordered).mappings()]
