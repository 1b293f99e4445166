"""The mailbag as an operator looks at it: which letters there are and how they fared, not what they say."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, Table, select

from pbem.store.connect import Db, reading
from pbem.store.schema_mail import inbox, outbox


@dataclass(frozen=True, slots=True)
class Entered:
    """One letter, in or out."""

    id: int
    at: datetime  # arrived, or laid in
    state: str
    kind: str  # of ours; "" of those that came in
    campaign: str | None
    seat: str | None
    remark: str  # why it was settled so, or what went wrong
    tries: int


def letters_in(db: Db, campaign: str = "", state: str = "", limit: int = 50) -> list[Entered]:
    """Letters that came, newest first."""
    return [
        Entered(row["id"], row["arrived_at"], row["state"], "", *_place(row), row["reason"], row["tries"])
        for row in _rows(db, inbox, campaign, state, limit)
    ]


def letters_out(db: Db, campaign: str = "", state: str = "", limit: int = 50) -> list[Entered]:
    """Letters of ours, newest first."""
    return [
        Entered(
            row["id"],
            row["laid_at"],
            row["state"],
            row["kind"],
            *_place(row),
            row["trouble"],
            row["attempts"],
        )
        for row in _rows(db, outbox, campaign, state, limit)
    ]


def _place(row: RowMapping) -> tuple[str | None, str | None]:
    return row["campaign"], row["seat"]


def _rows(db: Db, table: Table, campaign: str, state: str, limit: int) -> list[RowMapping]:
    bulky = {"raw", "body"}
    chosen: Any = select(*(column for column in table.c if column.name not in bulky))
    if campaign:
        chosen = chosen.where(table.c.campaign == campaign)
    if state:
        chosen = chosen.where(table.c.state == state)
    with reading(db) as tx:
        return list(tx.execute(chosen.order_by(table.c.id.desc()).limit(limit)).mappings())
