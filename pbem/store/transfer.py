"""Move a store: copy it into another kind of database, and continue from a restored backup."""

from __future__ import annotations

import json
import secrets as chance
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import BigInteger, Connection, Engine, Table, delete, func, insert, select, update
from sqlalchemy.exc import SQLAlchemyError

from engine.kernel.fairness.audit import Ledger
from pbem.store import schema
from pbem.store import schema_mail as mail
from pbem.store.advance import Frozen, frozen_close, store_frozen
from pbem.store.campaigns import CampaignRow, campaign_row, keys_of, read_opening_line, touch
from pbem.store.journal import last_record
from pbem.store.schema import metadata
from pbem.store.session import (
    Db,
    StoreError,
    code_revision,
    database_revision,
    migrate,
    one_value,
    reading,
    writing,
)

ROWS: Final = 200  # copied at a time: some are whole letters


def copy_store(source: Engine, target: Engine) -> dict[str, int]:
    """Copy every row of every table in one transaction; returns the counts. The source is only read."""
    if (there := database_revision(source)) != code_revision():
        raise StoreError(f"the store to be copied has schema {there or 'none'}, not {code_revision()}")
    migrate(target)
    copied: dict[str, int] = {}
    with reading(source) as old, writing(target) as new:
        for table in metadata.sorted_tables:
            if new.execute(select(table).limit(1)).first() is not None:
                raise StoreError(f"the store to be filled is not empty: {table.name} has rows")
        for table in metadata.sorted_tables:
            copied[table.name] = 0
            for rows in _portions(old, table):
                new.execute(insert(table), rows)
                copied[table.name] += len(rows)
            _continue_numbering(new, table)
    return copied


def _portions(tx: Connection, table: Table) -> Iterator[list[dict[str, Any]]]:
    chosen = select(table).order_by(*table.primary_key.columns)
    with tx.execute(chosen, execution_options={"yield_per": ROWS}) as found:
        for rows in found.mappings().partitions():
            yield [dict(row) for row in rows]


def _continue_numbering(tx: Connection, table: Table) -> None:
    """Number new rows after the copied ones; SQLite does so by itself."""
    if tx.dialect.name != "postgresql" or "id" not in table.c or not isinstance(table.c.id.type, BigInteger):
        return
    highest = one_value(tx, select(func.max(table.c.id)))
    if highest is not None:
        tx.execute(select(func.setval(func.pg_get_serial_sequence(table.name, "id"), highest)))


# How many letter numbers to skip: unknown is how many were sent, and how often a backup was restored.
FEWEST: Final = 1_000
MOST: Final = 1_000_000


def last_closes(db: Db) -> dict[str, int]:
    """The last Close of every campaign; {} if the database cannot be read."""
    table = schema.closes
    try:
        with reading(db) as tx:
            chosen = select(table.c.campaign, func.max(table.c.t)).group_by(table.c.campaign)
            return {name: int(t) for name, t in tx.execute(chosen)}
    except SQLAlchemyError:
        return {}


def skip_links(tx: Connection, here: CampaignRow, links: int) -> None:
    """Let the next Close of the campaign skip that many links, and its letters some numbers.

    A letter of the same number would have the Message-ID of one that is out: mail programs drop such a
    letter, and a CONFIRM would answer the wrong question.
    """
    numbers = select(func.max(mail.outbox.c.number)).filter_by(campaign=here.id)
    last = max(one_value(tx, numbers) or 0, here.letters_from)
    letters_from = last + FEWEST + chance.randbelow(MOST - FEWEST)
    touch(tx, here.id, burn=links, letters_from=letters_from)


def unfreeze_close(tx: Connection, name: str) -> Frozen | None:
    """Take back a frozen Close whose link must not be used; `refreeze_close` follows in this transaction."""
    if (frozen := frozen_close(tx, name)) is not None:
        tx.execute(delete(schema.closes).filter_by(campaign=name, t=frozen.close.t))
    return frozen


def refreeze_close(tx: Connection, old: Frozen, now: datetime) -> None:
    """Freeze the same orders again, with another link and transcript."""
    name, here, last = old.campaign, campaign_row(tx, old.campaign), last_record(tx, old.campaign)
    ledger = Ledger(read_opening_line(tx, name), keys_of(tx, name).dice, [] if last is None else [last])
    close = ledger.close(
        old.close.entries, json.loads(old.close.transcript)["branch"], here.burn, old.close.held
    )
    store_frozen(tx, replace(old, branch=here.branch, head=here.head, close=close, at=now))
    tx.execute(update(mail.marks).filter_by(campaign=name, t=old.close.t).values(t=close.t))
    touch(tx, name)
