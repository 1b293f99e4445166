"""Standing orders: set by letters, used up by play."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any, Final

from sqlalchemy import bindparam, delete, insert, literal, select
from sqlalchemy.engine import Connection

from pbem.store import schema_mail as mail
from pbem.store.campaigns import lock, touch_for_filing
from pbem.store.schema import closes
from pbem.store.session import Db, all_rows, one_value, writing
from pbem.store.windows import Filing, Stamp, latest_stamp, upsert_newer_if


def file_standing_orders(db: Db, name: str, seat: str, text: str, stamp: Stamp) -> Filing:
    """Store a seat's standing orders as a whole, unless a later letter changed them; "": none.

    Not while a Close is frozen: its commit puts the standing orders of the frozen sheets on file.
    """
    row = {"campaign": name, "seat": seat, "text": text, "filed_at": stamp.arrived}
    with writing(db) as tx:
        lock(tx, name)
        told = _upsert_newer_standing(tx.dialect.name)
        stamped = {"dated_at": stamp.dated, "arrived_at": stamp.arrived}
        if tx.execute(told, row | stamped).first() is None:
            return "stale" if one_value(tx, _FROZEN, {"campaign": name}) is None else "closed"
        touch_for_filing(tx, name)
    return "filed"


@cache
def _upsert_newer_standing(dialect: str) -> Any:
    """Store a seat's row unless a Close is frozen or a later letter was stored."""
    return upsert_newer_if(~_FROZEN.exists(), mail.standing_orders, dialect).returning(literal(1))


_FROZEN: Final = select(closes.c.t).filter_by(campaign=bindparam("campaign"), carried_out_at=None)


def replace_standing_orders(
    tx: Connection, name: str, texts: Mapping[str, str], now: datetime, window: int | None = None
) -> None:
    """Replace the standing orders of these seats: what play left of them, and what sheets added.

    `window`: whose sheets these were. A letter older than such a sheet changes them no more.
    """
    table = mail.standing_orders
    for seat, text in texts.items():
        stamp = latest_stamp(tx, (table, mail.sheets), name, seat, window)
        when = {} if stamp is None else {"dated_at": stamp.dated, "arrived_at": stamp.arrived}
        tx.execute(delete(table).filter_by(campaign=name, seat=seat))
        tx.execute(insert(table).values(campaign=name, seat=seat, text=text, filed_at=now, **when))


def standing_orders_of(db: Db, name: str) -> dict[str, str]:
    """The standing orders by seat, in canonical notation."""
    return {row["seat"]: row["text"] for row in all_rows(db, _STANDING, {"name": name})}


_STANDING: Final = (
    select(mail.standing_orders.c.seat, mail.standing_orders.c.text)
    .where(mail.standing_orders.c.campaign == bindparam("name"), mail.standing_orders.c.text != "")
    .order_by(mail.standing_orders.c.seat)
)
