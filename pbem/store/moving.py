"""A whole store copied into an empty one of another kind: from SQLite to PostgreSQL, or back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import BigInteger, Connection, Engine, Table, func, insert, select

from pbem.store import schema_mail  # noqa: F401 - its tables belong to the same store
from pbem.store.connect import StoreTrouble, migrate, reading, schema_here, schema_there, writing
from pbem.store.schema import metadata

ROWS: Final = 200  # copied at a time: letters are among them


def copy_store(source: Engine, target: Engine) -> dict[str, int]:
    """Every row of every table, in one transaction; returns how many of each. The source is only read."""
    if (there := schema_there(source)) != schema_here():
        raise StoreTrouble(f"the store to be copied has schema {there or 'none'}, not {schema_here()}")
    migrate(target)
    copied: dict[str, int] = {}
    with reading(source) as old, writing(target) as new:
        for table in metadata.sorted_tables:
            if new.execute(select(table).limit(1)).first() is not None:
                raise StoreTrouble(f"the store to be filled is not empty: {table.name} has rows")
        for table in metadata.sorted_tables:
            copied[table.name] = 0
            for rows in _portions(old, table):
                new.execute(insert(table), rows)
                copied[table.name] += len(rows)
            _count_on(new, table)
    return copied


def _portions(tx: Connection, table: Table) -> Iterator[list[dict[str, Any]]]:
    chosen = select(table).order_by(*table.primary_key.columns)
    with tx.execute(chosen, execution_options={"yield_per": ROWS}) as found:
        for rows in found.mappings().partitions():
            yield [dict(row) for row in rows]


def _count_on(tx: Connection, table: Table) -> None:
    """New rows are numbered after those that were copied; SQLite sees to that of itself."""
    if tx.dialect.name != "postgresql" or "id" not in table.c or not isinstance(table.c.id.type, BigInteger):
        return
    highest = tx.execute(select(func.max(table.c.id))).scalar_one()
    if highest is not None:
        tx.execute(select(func.setval(func.pg_get_serial_sequence(table.name, "id"), highest)))
