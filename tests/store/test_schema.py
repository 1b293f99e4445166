"""The schema: one for both databases, reached by migrations alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, event, insert, inspect, select, text
from sqlalchemy.exc import IntegrityError, StatementError

from pbem.store import schema_mail
from pbem.store.schema import metadata
from pbem.store.schema_mail import pulses
from pbem.store.session import (
    StoreError,
    _config,
    code_revision,
    connect,
    database_revision,
    migrate,
    reading,
    writing,
)
from tests.store.postgres import Cluster

NOON = datetime(2026, 3, 29, 12, 0, tzinfo=UTC)


def test_migrations_lead_to_the_schema(store: Engine) -> None:
    with store.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        assert [] == compare_metadata(context, metadata)


def test_a_difference_between_migrations_and_schema_is_noticed(store: Engine) -> None:
    with store.connect() as tx:
        tx.execute(text("DROP TABLE stances"))
        context = MigrationContext.configure(tx)
        assert "stances" in str(compare_metadata(context, metadata))
        tx.rollback()


def test_a_migrated_database_is_left_alone(store: Engine) -> None:
    with writing(store) as tx:
        tx.execute(insert(pulses).values(name="sweep", beat_at=NOON, data={}))
    migrate(store)
    with reading(store) as tx:
        assert NOON == tx.execute(select(pulses.c.beat_at)).scalar_one()


def test_migrations_lead_back(store: Engine) -> None:
    with store.begin() as tx:
        command.downgrade(_config(tx), "base")
    assert ["alembic_version"] == inspect(store).get_table_names()
    migrate(store)
    assert "journal" in inspect(store).get_table_names()


# ------------------------------------------------------------------ databases of earlier revisions


def sql_0009(dialect: str) -> list[str]:
    """What the unreleased revisions 0001 to 0009 made: dumped from SQLite, put into PostgreSQL's types."""
    statements = (Path(__file__).parent / "schema_0009.sql").read_text("utf-8")
    if dialect == "postgresql":
        for old, new in (
            (r"\bDATETIME\b", "TIMESTAMP WITH TIME ZONE"),
            (r"\bBLOB\b", "BYTEA"),
            (r"\bBOOLEAN DEFAULT 0", "BOOLEAN DEFAULT false"),
            (r"([(\s])id INTEGER", r"\1id BIGSERIAL"),
            (r"\b(person|letter) INTEGER", r"\1 BIGINT"),
            (r"\bwindow\b(?! FOREIGN)", '"window"'),
        ):
            statements = re.sub(old, new, statements)
    return statements.split(";\n")[:-1]


@pytest.fixture(params=["sqlite", "postgresql"])
def unreleased(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """A database at 0009."""
    if request.param == "sqlite":
        engine = connect(tmp_path / "old.db")
    else:
        running: Cluster = request.getfixturevalue("postgres")
        running.tell("DROP DATABASE IF EXISTS unreleased")
        running.tell("CREATE DATABASE unreleased")
        engine = connect(running.url("unreleased"))
    with engine.begin() as tx:
        for statement in sql_0009(request.param):
            tx.exec_driver_sql(statement)
    yield engine
    engine.dispose()


def test_a_database_at_0009_only_gets_a_new_stamp(unreleased: Engine) -> None:
    with writing(unreleased) as tx:
        tx.execute(insert(pulses).values(name="sweep", beat_at=NOON, data={}))
    migrate(unreleased)
    assert code_revision() == database_revision(unreleased)
    with reading(unreleased) as tx:
        assert [NOON] == list(tx.execute(select(pulses.c.beat_at)).scalars())
        context = MigrationContext.configure(tx, opts={"compare_type": True, "compare_server_default": True})
        assert [] == compare_metadata(context, metadata)


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ("DROP TABLE stances", "add_table stances"),
        ("ALTER TABLE people ADD COLUMN nickname TEXT", "remove_column people people.nickname"),
        ("DROP INDEX ix_marks_open", "add_index Index('ix_marks_open'"),
    ],
)
def test_a_database_at_0009_with_other_tables_is_refused(
    unreleased: Engine, change: str, difference: str
) -> None:
    with writing(unreleased) as tx:
        tx.execute(text(change))
    with pytest.raises(StoreError, match="is stamped 0009, but its tables differ: ") as refusal:
        migrate(unreleased)
    assert difference in str(refusal.value)
    assert "0009" == database_revision(unreleased)


@pytest.mark.parametrize("revision", ["0001", "0008"])
def test_an_older_database_is_refused_by_name(unreleased: Engine, revision: str) -> None:
    with writing(unreleased) as tx:
        tx.execute(text(f"UPDATE alembic_version SET version_num = '{revision}'"))
    with pytest.raises(StoreError, match=f"has schema {revision}, older than 0009: open it once with"):
        migrate(unreleased)
    assert revision == database_revision(unreleased)


# ------------------------------------------------------------------ what the schema promises


def test_times_come_back_in_utc_and_sort_as_times(store: Engine) -> None:
    tokyo = timezone(timedelta(hours=9))
    with writing(store) as tx:
        tx.execute(insert(pulses).values(name="late", beat_at=NOON, data={}))
        tx.execute(
            insert(pulses).values(name="early", beat_at=datetime(2026, 3, 29, 20, 59, tzinfo=tokyo), data={})
        )
    with reading(store) as tx:
        rows = tx.execute(select(pulses.c.name, pulses.c.beat_at).order_by(pulses.c.beat_at)).all()
    assert [("early", datetime(2026, 3, 29, 11, 59, tzinfo=UTC)), ("late", NOON)] == [
        tuple(row) for row in rows
    ]
    assert {UTC} == {row.beat_at.tzinfo for row in rows}


def test_a_time_without_a_zone_is_refused(store: Engine) -> None:
    with pytest.raises(StatementError, match="has no time zone"), writing(store) as tx:
        tx.execute(insert(pulses).values(name="x", beat_at=datetime(2026, 1, 1), data={}))


def test_foreign_keys_and_states_are_checked(store: Engine) -> None:
    row = {"campaign": "NONE-1", "window": 1, "seat": "A", "stance": "ready", "arrived_at": NOON}
    with pytest.raises(IntegrityError), writing(store) as tx:
        tx.execute(insert(schema_mail.stances).values(**row))
    mail = {"digest": "0", "mailbox": "m", "size": 0, "arrived_at": NOON, "taken_in_at": NOON, "reason": ""}
    with pytest.raises(IntegrityError), writing(store) as tx:
        rest = {"proof": {}, "tries": 0, "next_try_at": NOON}
        tx.execute(insert(schema_mail.inbox).values(**mail, **rest, state="lost"))


def test_sqlite_keeps_what_it_was_told_to_keep(sqlite_file: Path) -> None:
    with connect(sqlite_file).connect() as connection:
        told = [
            connection.exec_driver_sql(f"PRAGMA {word}").scalar() for word in ("journal_mode", "synchronous")
        ]
    assert ["wal", 2] == told  # 2: FULL


def test_a_writer_on_sqlite_takes_the_lock_at_once_and_readers_go_on(
    tmp_path: Path, sqlite_file: Path
) -> None:
    engine = connect(sqlite_file)
    seen: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda *words: seen.append(words[2]))
    with writing(engine) as tx, reading(engine) as other:
        assert not other.execute(select(pulses)).all()
        assert "BEGIN IMMEDIATE" == seen[0] and "BEGIN" == seen[1]
        tx.rollback()


def test_errors_show_no_values(store: Engine) -> None:
    with pytest.raises(IntegrityError) as caught, writing(store) as tx:
        row = {"campaign": "x", "window": 1, "seat": "y", "stance": "SECRET", "arrived_at": NOON}
        tx.execute(insert(schema_mail.stances).values(**row))
    assert "SECRET" not in str(caught.value)


def test_a_database_of_another_kind_or_without_a_file_is_refused() -> None:
    for url in ("sqlite://", "sqlite:///:memory:", "mysql://host/db"):
        with pytest.raises(StoreError):
            connect(url)
