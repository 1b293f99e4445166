"""A backup in the place of the database: what must not be used again, because letters have shown it since."""

from __future__ import annotations

import json
import secrets as chance
from datetime import datetime
from typing import Final

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.engine import Connection
from sqlalchemy.exc import SQLAlchemyError

from engine.kernel.audit import Ledger
from pbem.store import schema
from pbem.store import schema_mail as mail
from pbem.store.advance import Frozen, frozen_close
from pbem.store.campaigns import Standing, campaign, keys_of, opening_of, touch
from pbem.store.connect import Db, reading
from pbem.store.journal import last_record

# Numbers of letters passed over: nobody knows how many were sent, nor how often a backup was restored.
FEWEST: Final = 1_000
MOST: Final = 1_000_000


def last_closes(db: Db) -> dict[str, int]:
    """The last Close of every campaign; a database that cannot be read any more tells nothing."""
    table = schema.closes
    try:
        with reading(db) as tx:
            chosen = select(table.c.campaign, func.max(table.c.t)).group_by(table.c.campaign)
            return {name: int(t) for name, t in tx.execute(chosen)}
    except SQLAlchemyError:
        return {}


def pass_over(tx: Connection, here: Standing, links: int) -> None:
    """The next Close of the campaign passes over so many links, and its letters over some numbers.

    A letter of the same number would have the Message-ID of one that is out: mail programs drop such a
    letter, and a CONFIRM would answer the wrong question.
    """
    numbers = select(func.max(mail.outbox.c.number)).where(mail.outbox.c.campaign == here.id)
    last = max(tx.execute(numbers).scalar_one() or 0, here.letters_from)
    letters_from = last + FEWEST + chance.randbelow(MOST - FEWEST)
    touch(tx, here.id, burn=links, letters_from=letters_from)


def thaw(tx: Connection, name: str) -> Frozen | None:
    """Take a frozen Close back, whose link must not be used; `freeze_anew` follows in this transaction."""
    if (frozen := frozen_close(tx, name)) is not None:
        table = schema.closes
        tx.execute(delete(table).where(table.c.campaign == name, table.c.t == frozen.close.t))
    return frozen


def freeze_anew(tx: Connection, old: Frozen, now: datetime) -> None:
    """What was handed in stays as it is; link and transcript are others."""
    name, here, last = old.campaign, campaign(tx, old.campaign), last_record(tx, old.campaign)
    ledger = Ledger(opening_of(tx, name), keys_of(tx, name).dice, [] if last is None else [last])
    close = ledger.close(old.close.entries, json.loads(old.close.transcript)["branch"], here.burn)
    told = {"branch": here.branch, "head": here.head, "window": old.window, "why": old.why}
    text = {"body": close.dump(), "handed": old.handed, "frozen_at": now}
    tx.execute(insert(schema.closes).values(campaign=name, t=close.t, **told, **text))
    marks = mail.marks
    taken = (marks.c.campaign == name, marks.c.t == old.close.t)
    tx.execute(update(marks).where(*taken).values(t=close.t))
    touch(tx, name)
