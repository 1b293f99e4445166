"""The mailbag as an operator looks at it: which letters there are and how they fared, not what they say."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, RowMapping, Table, false, func, select, true

from pbem.store.schema_mail import inbox, outbox
from pbem.store.session import Db, reading

# Of these the umpires are told by letter, each with its number: they may know of them whoever wrote.
TOLD_OF: Final = ("shunted", "quarantined", "failed")


@dataclass(frozen=True, slots=True)
class LetterFilter:
    """What is hidden from an umpire who plays along: all letters of these campaigns but his own."""

    campaigns: frozenset[str] = frozenset()
    own: int | None = None  # the umpire himself; None: nobody knows who looks

    def lets_through(self, table: Table) -> ColumnElement[bool]:
        """The rows he may know of. A letter that nobody has read yet may be of any campaign."""
        if not self.campaigns:
            return true()
        unread = table.c.campaign.is_(None) & (table.c.state == "received")
        others = table.c.campaign.is_not(None) & table.c.campaign.in_(self.campaigns)
        mine = false() if self.own is None else table.c.person.is_not_distinct_from(self.own)
        return mine | ~(others | unread) | table.c.state.in_(TOLD_OF)

    def hides(self, row: RowMapping) -> bool:
        """Is a row that he may know of told without the seat?"""
        return row["campaign"] in self.campaigns and (self.own is None or row["person"] != self.own)


NO_SCREEN: Final = LetterFilter()


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One letter, in or out."""

    id: int
    at: datetime  # arrived, or laid in
    state: str
    kind: str  # of ours; "" of those that came in
    campaign: str | None
    seat: str | None
    remark: str  # why it was settled so, or what went wrong
    tries: int


def letters_in(
    db: Db, campaign: str = "", state: str = "", limit: int = 50, screen: LetterFilter = NO_SCREEN
) -> list[LogEntry]:
    """Letters that came, newest first."""
    return [
        LogEntry(row["id"], row["arrived_at"], row["state"], "", *_place(row, screen), row["tries"])
        for row in _rows(db, inbox, campaign, state, limit, screen)
    ]


def letters_out(
    db: Db, campaign: str = "", state: str = "", limit: int = 50, screen: LetterFilter = NO_SCREEN
) -> list[LogEntry]:
    """Letters of ours, newest first."""
    return [
        LogEntry(row["id"], row["laid_at"], row["state"], row["kind"], *_place(row, screen), row["attempts"])
        for row in _rows(db, outbox, campaign, state, limit, screen)
    ]


def _place(row: RowMapping, screen: LetterFilter) -> tuple[str | None, str | None, str]:
    """Campaign, seat and remark; what a server said may hold an address."""
    remark = row["reason"] if "reason" in row else row["trouble"]
    return (row["campaign"], "?", "") if screen.hides(row) else (row["campaign"], row["seat"], remark)


def _rows(
    db: Db, table: Table, campaign: str, state: str, limit: int, screen: LetterFilter
) -> list[RowMapping]:
    bulky = {"raw", "body"}
    chosen: Any = select(*(column for column in table.c if column.name not in bulky))
    chosen = chosen.where(screen.lets_through(table))
    if campaign:
        chosen = chosen.where(table.c.campaign == campaign)
    if state:
        chosen = chosen.where(table.c.state == state)
    with reading(db) as tx:
        return list(tx.execute(chosen.order_by(table.c.id.desc()).limit(limit)).mappings())


def count_letters(db: Db) -> dict[str, dict[str, int]]:
    """How many letters of the whole house are in each state: every one is in some."""
    with reading(db) as tx:
        return {way: _by_state(tx, table) for way, table in (("in", inbox), ("out", outbox))}


def _by_state(tx: Connection, table: Table) -> dict[str, int]:
    chosen = select(table.c.state, func.count()).group_by(table.c.state).order_by(table.c.state)
    return {str(row.state): int(row[1]) for row in tx.execute(chosen)}
