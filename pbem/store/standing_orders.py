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
from pbem.store.inbox import dialect_insert
from pbem.store.schema import closes
from pbem.store.session import Db, reading, writing
from pbem.store.windows import Filing, Stamp, is_before, latest_stamp


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
            return "closed" if _is_frozen(tx, name) else "stale"
        touch_for_filing(tx, name)
    return "filed"


@cache
def _upsert_newer_standing(dialect: str) -> Any:
    """Store a seat's row unless a Close is frozen or a later letter was stored."""
    table, names = mail.standing_orders, [column.name for column in mail.standing_orders.c]
    waits = (closes.c.campaign == bindparam("campaign"), closes.c.carried_out_at.is_(None))
    row = select(*(bindparam(name, type_=table.c[name].type) for name in names))
    if_none = row.where(~select(closes.c.t).where(*waits).exists())
    new = dialect_insert(dialect)(table).from_select(names, if_none)
    keys = [column.name for column in table.primary_key.columns]
    rest = {name: new.excluded[name] for name in names if name not in keys}
    older = ~is_before(new.excluded, table.c)
    return new.on_conflict_do_update(index_elements=keys, set_=rest, where=older).returning(literal(1))


def _is_frozen(tx: Connection, name: str) -> bool:
    waits = (closes.c.campaign == name, closes.c.carried_out_at.is_(None))
    return tx.execute(select(closes.c.t).where(*waits)).first() is not None


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
        tx.execute(delete(table).where(table.c.campaign == name, table.c.seat == seat))
        tx.execute(insert(table).values(campaign=name, seat=seat, text=text, filed_at=now, **when))


def standing_orders_of(db: Db, name: str) -> dict[str, str]:
    """The standing orders by seat, in canonical notation."""
    with reading(db) as tx:
        return {row.seat: row.text for row in tx.execute(_STANDING, {"name": name})}


_STANDING: Final = (
    select(mail.standing_orders.c.seat, mail.standing_orders.c.text)
    .where(mail.standing_orders.c.campaign == bindparam("name"), mail.standing_orders.c.text != "")
    .order_by(mail.standing_orders.c.seat)
)
