"""How tables are written down: column types that mean the same on SQLite and PostgreSQL, and short forms.

The revisions of the schema use it, too. So no table is named here: a revision must not change when the
schema does.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final, TypeAlias

from sqlalchemy import CheckConstraint, Column, Dialect, ForeignKeyConstraint, Index, text
from sqlalchemy.types import BigInteger, DateTime, Integer, TypeDecorator

AnyColumn: TypeAlias = Column[Any]

NAMING: Final = {
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
}

RowId = BigInteger().with_variant(Integer(), "sqlite")  # SQLite numbers only INTEGER keys


class UtcDateTime(TypeDecorator[datetime]):
    """A point in time, stored in UTC. A time without a zone is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value.isoformat()} has no time zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        moment: datetime = value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def keyed(name: str, *parts: Any) -> AnyColumn:
    return Column(name, *parts, primary_key=True)


def required(name: str, *parts: Any, **options: Any) -> AnyColumn:
    return Column(name, *parts, nullable=False, **options)


def optional(name: str, *parts: Any, **options: Any) -> AnyColumn:
    return Column(name, *parts, **options)


def part_of(name: str, **columns: str) -> ForeignKeyConstraint:
    """Each column of ours refers to the named one of that table."""
    return ForeignKeyConstraint(list(columns), [f"{name}.{column}" for column in columns.values()])


def one_of(column: str, *words: str) -> CheckConstraint:
    listed = ", ".join(f"'{word}'" for word in words)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def partial(name: str, where: str, *columns: str, unique: bool = False) -> Index:
    """A partial index: it stays small while the table grows over the years."""
    return Index(name, *columns, unique=unique, sqlite_where=text(where), postgresql_where=text(where))
