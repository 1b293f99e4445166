"""Single statements: what a query finds, and what a statement changes.

Given an engine each is a transaction of its own; given a connection it is a part of the caller's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from sqlalchemy import Executable, RowMapping, Table, literal
from sqlalchemy.dialects.postgresql import insert as insert_postgresql
from sqlalchemy.dialects.sqlite import insert as insert_sqlite

from pbem.store.session import Db, reading, writing

Values: TypeAlias = Mapping[str, Any] | None


def one_row(db: Db, query: Executable, values: Values = None) -> RowMapping | None:
    """The only row that a query finds; None: it finds none."""
    with reading(db) as tx:
        return tx.execute(query, values).mappings().one_or_none()


def all_rows(db: Db, query: Executable, values: Values = None) -> Sequence[RowMapping]:
    """All rows that a query finds."""
    with reading(db) as tx:
        return tx.execute(query, values).mappings().all()


def one_value(db: Db, query: Executable, values: Values = None) -> Any:
    """The first column of the only row that a query finds; None: it finds none."""
    with reading(db) as tx:
        return tx.execute(query, values).scalar_one_or_none()


def all_values(db: Db, query: Executable, values: Values = None) -> list[Any]:
    """The first column of all rows that a query finds."""
    with reading(db) as tx:
        return list(tx.execute(query, values).scalars())


def write(db: Db, statement: Executable, values: Values = None) -> int:
    """Run one statement that writes; returns how many rows it changed."""
    with writing(db) as tx:
        return tx.execute(statement, values).rowcount


def insert_or_ignore(db: Db, table: Table, **values: Any) -> bool:
    """Insert a row unless one with the same key exists; True if it was inserted."""
    with writing(db) as tx:
        done = tx.execute(insert_ignoring(table, tx.dialect.name), values)
        return done.first() is not None  # the row count is not reliable here


@cache
def insert_ignoring(table: Table, dialect: str) -> Any:
    """The statement; where no row is inserted it returns none."""
    return dialect_insert(dialect)(table).on_conflict_do_nothing().returning(literal(1))


def dialect_insert(dialect: str) -> Any:
    """The database's own INSERT, with ON CONFLICT."""
    return insert_postgresql if dialect == "postgresql" else insert_sqlite
