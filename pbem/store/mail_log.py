"""Inbox and outbox for the operator: which letters there are and their outcomes, not their contents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, Connection, RowMapping, Table, false, func, select, true

from pbem.store.schema_mail import inbox, outbox
from pbem.store.session import Db, all_rows, reading

# Umpires are told of these by letter, each with its number: they may know of them, whoever wrote.
ALWAYS_VISIBLE: Final = ("shunted", "quarantined", "failed")


@dataclass(frozen=True, slots=True)
class LetterFilter:
    """What an umpire who also plays may not see: letters of these campaigns, except their own."""

    campaigns: frozenset[str] = frozenset()
    own: int | None = None  # the umpire's person; None: unknown

    def visible_rows(self, table: Table) -> ColumnElement[bool]:
        """The rows they may know of. A letter that was not read yet may belong to any campaign."""
        if not self.campaigns:
            return true()
        unread = table.c.campaign.is_(None) & (table.c.state == "received")
        others = table.c.campaign.is_not(None) & table.c.campaign.in_(self.campaigns)
        mine = false() if self.own is None else table.c.person.is_not_distinct_from(self.own)
        return mine | ~(others | unread) | table.c.state.in_(ALWAYS_VISIBLE)

    def hides_seat(self, row: RowMapping) -> bool:
        """Is a visible row shown without its seat?"""
        return row["campaign"] in self.campaigns and (self.own is None or row["person"] != self.own)


NO_FILTER: Final = LetterFilter()


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One letter, in or out."""

    id: int
    at: datetime  # arrived, or written
    state: str
    kind: str  # of ours; "" of those that came in
    campaign: str | None
    seat: str | None
    remark: str  # why it was settled so, or what went wrong
    tries: int


def letters_in(
    db: Db, campaign: str = "", state: str = "", limit: int = 50, shown: LetterFilter = NO_FILTER
) -> list[LogEntry]:
    """Received letters, newest first."""
    return [
        LogEntry(row["id"], row["arrived_at"], row["state"], "", *_place(row, shown), row["tries"])
        for row in _rows(db, inbox, campaign, state, limit, shown)
    ]


def letters_out(
    db: Db, campaign: str = "", state: str = "", limit: int = 50, shown: LetterFilter = NO_FILTER
) -> list[LogEntry]:
    """Our letters, newest first."""
    return [
        LogEntry(row["id"], row["laid_at"], row["state"], row["kind"], *_place(row, shown), row["attempts"])
        for row in _rows(db, outbox, campaign, state, limit, shown)
    ]


def _place(row: RowMapping, shown: LetterFilter) -> tuple[str | None, str | None, str]:
    """Campaign, seat and remark; a server's text may contain an address."""
    remark = row["reason"] if "reason" in row else row["trouble"]
    return (row["campaign"], "?", "") if shown.hides_seat(row) else (row["campaign"], row["seat"], remark)


def _rows(
    db: Db, table: Table, campaign: str, state: str, limit: int, shown: LetterFilter
) -> Sequence[RowMapping]:
    bulky = {"raw", "body"}
    asked = {name: value for name, value in (("campaign", campaign), ("state", state)) if value}
    chosen = select(*(column for column in table.c if column.name not in bulky)).filter_by(**asked)
    visible = chosen.where(shown.visible_rows(table))
    return all_rows(db, visible.order_by(table.c.id.desc()).limit(limit))


def count_letters(db: Db) -> dict[str, dict[str, int]]:
    """How many letters of the service are in each state."""
    with reading(db) as tx:
        return {way: _by_state(tx, table) for way, table in (("in", inbox), ("out", outbox))}


def _by_state(tx: Connection, table: Table) -> dict[str, int]:
    chosen = select(table.c.state, func.count()).group_by(table.c.state).order_by(table.c.state)
    return {str(row.state): int(row[1]) for row in tx.execute(chosen)}
