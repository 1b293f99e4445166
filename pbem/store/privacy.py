"""Personal data: everything stored about a person, and how it is erased.

Journal lines, seals and rolls stay as they are and still verify: the hash of a letter's mark remains.
Letters to and from others that name the person are erased too: ours lose the name, theirs go as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence, Set
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Engine, RowMapping, Table, and_, case, delete, false, or_, select, update
from sqlalchemy.engine import Connection

from engine.kernel.fairness.audit import Close
from engine.kernel.requests import Seat
from pbem.logs import log
from pbem.mail.redaction import Redaction, is_from
from pbem.store import schema
from pbem.store import schema_mail as mail
from pbem.store.campaigns import touch
from pbem.store.inbox import erase_bytes, erase_letters, whole_letter
from pbem.store.people import person_at, seats_of
from pbem.store.proposals import withdraw_consent
from pbem.store.session import Db, all_rows, all_values, one_value, reading, write, writing


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The result of an erasure: seats that are vacant now."""

    vacant: tuple[tuple[str, str], ...]
    letters: int  # erased, in and out


def forget(db: Db, address: str, now: datetime) -> Forgotten:
    """Erase the person with that address, or what a stranger wrote from it, from everything but hashes."""
    _erase_mentions(db, address)  # first: afterwards the name is gone
    with writing(db) as tx:
        known = person_at(tx, address)
        if known is None:
            return Forgotten((), _erase_letters(tx, -1, [address.lower()]))
        vacant = tuple(seats_of(tx, known.id))
        for campaign in sorted(_named(tx, schema.holders, known.id)):
            touch(tx, campaign)  # a Close computed from what is erased now is not frozen anymore
        for campaign, seat in vacant:
            withdraw_consent(tx, campaign, seat, now)
        _erase_entries(tx, known.id)
        erased = _erase_letters(tx, known.id, [one.address for one in known.addresses])
        tx.execute(update(schema.holders).filter_by(person=known.id, until=None).values(until=now))
        tx.execute(delete(schema.people).filter_by(id=known.id))
    return Forgotten(vacant, erased)


def _erase_letters(tx: Connection, person: int, addresses: list[str]) -> int:
    """Raw mail, our letters to the person, the parts of the marks, and counts of these addresses."""
    inbox, outbox, marks, limits = mail.inbox, mail.outbox, mail.marks, schema.allowances
    own = or_(inbox.c.person == person, inbox.c.sender.in_(addresses))
    parts = {"message_id": None, "signature": None, "salt": None}
    written = select(inbox.c.id).where(own)
    tx.execute(update(marks).where(marks.c.letter.in_(written)).values(**parts))
    count = erase_letters(tx, own)
    theirs = or_(outbox.c.person == person, outbox.c.recipient.in_(addresses))
    unsent = and_(theirs, outbox.c.state == "waiting")
    tx.execute(update(outbox).where(unsent).values(state="withdrawn"))
    blank = {"recipient": None, "body": None, "sender": "", "trouble": ""}
    tx.execute(delete(limits).where(limits.c.subject.in_([*addresses, f"~{person}"])))
    return count + tx.execute(update(outbox).where(theirs).values(**blank)).rowcount


def _erase_entries(tx: Connection, person: int) -> None:
    """Erase letters and order texts behind the entries of every Close while the person held a seat."""
    for seat, row, _ in _closes_of(tx, person):
        close = Close.load(row["body"])
        entries = {name: entry.erased() if name == seat else entry for name, entry in close.entries.items()}
        here = update(schema.closes).filter_by(campaign=row["campaign"], t=row["t"])
        tx.execute(here.values(body=replace(close, entries=entries).dump()))


def _closes_of(tx: Connection, person: int) -> Iterator[tuple[str, RowMapping, bool]]:
    """A seat that the person held, a Close of that time, and whether they still held it.

    The first Close after that time may hold a letter of the person, too.
    """
    holders, closes = schema.holders, schema.closes
    for held in all_rows(tx, select(holders).filter_by(person=person)):
        here = (closes.c.campaign == held["campaign"], closes.c.frozen_at >= held["since"])
        for row in all_rows(tx, select(closes).where(*here).order_by(closes.c.t)):
            is_his = held["until"] is None or row["frozen_at"] <= held["until"]
            yield held["seat"], row, is_his
            if not is_his:
                break


# ------------------------------------------------------------------ letters that name the person


def _erase_mentions(db: Db, address: str) -> None:
    """In the person's campaigns, and in letters about none. Letter by letter: nothing waits for it.

    What is being sent keeps its bytes, and a mail that nobody has heard yet is heard first.
    """
    with reading(db) as tx:
        known = person_at(tx, address)
        here = [] if known is None else _campaigns_of(tx, known.id)
    own = (
        Redaction(known.name, [one.address for one in known.addresses]) if known else Redaction("", [address])
    )
    inbox, outbox = mail.inbox, mail.outbox
    for number, beginning in _kept(db, inbox, inbox.c.raw, here, inbox.c.state != "received"):
        if _may_name(own, number, whole_letter(db, number, beginning)):
            erase_bytes(db, number)
    unsent = (outbox.c.state != "waiting") | (outbox.c.attempts == 0)
    for number, body in _kept(db, outbox, outbox.c.body, here, unsent):
        _strike_out(db, own, number, body)


def _may_name(own: Redaction, number: int, raw: bytes) -> bool:
    """In doubt it does: one stranger's mail must not prevent an erasure."""
    try:
        return own.is_in(raw)
    except Exception as fault:  # a boundary: parsers may fail in any way
        log().warning("forget.unreadable", letter=number, trouble=type(fault).__name__)
        return True


def _strike_out(db: Db, own: Redaction, number: int, body: bytes) -> None:
    """Erase the name in a letter of ours; all of one that cannot be parsed."""
    outbox = mail.outbox
    here = update(outbox).filter_by(id=number)
    try:
        struck = own.letter(body)
    except Exception as fault:  # the same
        log().warning("forget.unreadable", post=number, trouble=type(fault).__name__)
        unsendable = case((outbox.c.state == "waiting", "withdrawn"), else_=outbox.c.state)
        write(db, here.values(body=None, state=unsendable))
        return
    if struck is not None:
        write(db, here.values(body=struck))


def _campaigns_of(tx: Connection, person: int) -> list[str]:
    tables = (schema.holders, schema.members, mail.inbox, mail.outbox)
    return sorted({name for table in tables for name in _named(tx, table, person)})


def _named(tx: Connection, table: Table, person: int) -> list[str]:
    """The campaigns in the person's rows of that table."""
    mine = select(table.c.campaign).filter_by(person=person)
    return all_values(tx, mine.where(table.c.campaign.is_not(None)).distinct())


def _kept(
    db: Db, table: Table, content: Column[Any], campaigns: list[str], chosen: Any
) -> Iterator[tuple[int, bytes]]:
    """One letter at a time: there may be very many."""
    here = or_(table.c.campaign.in_(campaigns), table.c.campaign.is_(None))
    for number in all_values(db, select(table.c.id).where(here, chosen, content.is_not(None))):
        if (found := one_value(db, select(content).filter_by(id=number))) is not None:
            yield number, found


def vacuum(db: Engine) -> None:
    """Free the erased pages now: SQLite leaves their contents in the file until they are reused."""
    if db.dialect.name != "sqlite":
        with db.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM")
        return
    with closing(db.raw_connection()) as plain, closing(plain.cursor()) as cursor:
        for command in ("VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
            cursor.execute(command)


# ------------------------------------------------------------------ all that is kept


def personal_data(db: Db, address: str) -> dict[str, list[dict[str, Any]]]:
    """Every row that concerns the person with that address, or the stranger, by table."""
    inbox, outbox, limits = mail.inbox, mail.outbox, schema.allowances
    with reading(db) as tx:
        known = person_at(tx, address)
        number = -1 if known is None else known.id
        addresses = [address.lower()] if known is None else [one.address for one in known.addresses]
        held = seats_of(tx, number)
        found = {"people": _rows(tx, schema.people, schema.people.c.id == number)}
        tables = (schema.addresses, schema.absences, schema.holders, schema.members, schema.umpire_acts)
        for table in (*tables, mail.questions):
            found[table.name] = _rows(tx, table, table.c.person == number)
        own = or_(
            inbox.c.person == number, inbox.c.sender.in_(addresses), inbox.c.id.in_(_unplaced(tx, addresses))
        )
        found["inbox"] = [_whole(tx, row) for row in _rows(tx, inbox, own)]
        theirs = or_(outbox.c.person == number, outbox.c.recipient.in_(addresses))
        found["outbox"] = _rows(tx, outbox, theirs)
        counted = [*addresses, f"~{number}", *(f"{campaign}/{seat}".lower() for campaign, seat in held)]
        found["allowances"] = _rows(tx, limits, limits.c.subject.in_(counted))
        for table in (mail.standing_orders, mail.sheets, mail.replies, mail.stances):
            same = [and_(table.c.campaign == campaign, table.c.seat == seat) for campaign, seat in held]
            found[table.name] = _rows(tx, table, or_(false(), *same))
        found["carried"] = [row for place in held for row in _carried(tx, *place)]
        found["marks"] = _rows(tx, mail.marks, mail.marks.c.letter.in_(select(inbox.c.id).where(own)))
        found["closes"] = list(_entries_of(tx, number, {row["mark"] for row in found["marks"]}))
    return found


def _unplaced(tx: Connection, addresses: Sequence[str]) -> list[int]:
    """Their letters without a recorded sender: waiting, or never processed."""
    inbox = mail.inbox
    chosen = select(inbox.c.id).where(inbox.c.sender.is_(None), inbox.c.raw.is_not(None))
    found = []
    for number in all_values(tx, chosen):
        beginning = one_value(tx, select(inbox.c.raw).filter_by(id=number))
        if is_from(whole_letter(tx, number, beginning), addresses):
            found.append(number)
    return found


def _carried(tx: Connection, campaign: str, seat: str) -> Iterator[dict[str, Any]]:
    """Orders for an earlier window that are still on file."""
    windows = mail.windows
    chosen = select(windows.c.number, windows.c.carried).where(windows.c.campaign == campaign)
    for number, carried in tx.execute(chosen.where(windows.c.carried != "")):
        lines = json.loads(carried).get(seat, {}).get("lines", [])
        if lines:
            yield {"campaign": campaign, "window": number, "seat": seat, "lines": lines}


def _entries_of(tx: Connection, person: int, marks: Set[str]) -> Iterator[dict[str, Any]]:
    """What the Closes contain of the person: the parts of their letters' marks, and their orders."""
    for seat, row, is_his in _closes_of(tx, person):
        entry = Close.load(row["body"]).entries.get(Seat(seat))
        if entry is None:
            continue
        letters = [asdict(one) for one in entry.letters or () if one.mark.hex() in marks]
        texts = list(entry.texts or ()) if is_his else []
        if letters or texts:
            told = {"campaign": row["campaign"], "t": row["t"], "seat": seat}
            yield told | {"letters": letters, "texts": texts}


def _whole(tx: Connection, row: dict[str, Any]) -> dict[str, Any]:
    return row if row["raw"] is None else row | {"raw": whole_letter(tx, row["id"], row["raw"])}


def _rows(tx: Connection, table: Table, chosen: Any) -> list[dict[str, Any]]:
    ordered = select(table).where(chosen).order_by(*table.primary_key.columns)
    return [dict(row) for row in all_rows(tx, ordered)]
