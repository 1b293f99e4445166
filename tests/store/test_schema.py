"""The schema: one for both databases, reached by migrations alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, event, insert, inspect, select, text
from sqlalchemy.exc import IntegrityError, StatementError

from pbem.store import schema_mail
from pbem.store.inbox import BEGINNING, Sighting, letter, take_in
from pbem.store.schema import metadata
from pbem.store.schema_mail import pulses
from pbem.store.session import StoreTrouble, _config, connect, migrate, reading, writing
from pbem.store.standing_orders import file_standing, standing_of
from pbem.store.windows import Stamp, open_window, read_orders, take_stance
from tests.store.play import NAME, advance, found_toy

NOON = datetime(2026, 3, 29, 12, 0, tzinfo=UTC)


def test_migrations_lead_to_the_schema(store: Engine) -> None:
    with store.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
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


def test_a_large_letter_is_led_back_whole(store: Engine) -> None:
    raw = b"From: a@test\r\n\r\n".ljust(3 * BEGINNING, b"x")
    number = take_in(store, Sighting("INBOX", 1, 1), raw, NOON, NOON).id
    with store.begin() as tx:
        command.downgrade(_config(tx), "0005")
        assert raw == tx.execute(text("SELECT raw FROM inbox")).scalar_one()
    migrate(store)
    found = letter(store, number)
    assert found is not None and raw == found.raw


def test_stances_and_standing_orders_survive_the_way_to_their_stamps_and_back(
    store: Engine, toy: Any
) -> None:
    found_toy(store)
    advance(store)
    take_stance(store, NAME, 1, "NORTH", "wait", Stamp(NOON))
    take_stance(store, NAME, 1, "SOUTH", None, Stamp(NOON))
    file_standing(store, NAME, "NORTH", "ALWAYS HIDE H2", Stamp(NOON, NOON))
    file_standing(store, NAME, "SOUTH", "", Stamp(NOON))
    with store.begin() as tx:
        command.downgrade(_config(tx), "0007")
        for told in ("SELECT seat, stance FROM stances", "SELECT seat, text FROM standing_orders"):
            assert ["NORTH"] == [row[0] for row in tx.execute(text(told))]
    migrate(store)
    window = open_window(store, NAME)
    assert window is not None and "wait" == read_orders(store, NAME).seats["NORTH"].stance
    assert {"NORTH": "ALWAYS HIDE H2"} == standing_of(store, NAME)
    before = window.opened_at - timedelta(hours=1)
    assert "stale" == take_stance(store, NAME, 1, "NORTH", "ready", Stamp(before))
    assert "filed" == take_stance(store, NAME, 1, "NORTH", "ready", Stamp(window.opened_at))
    assert "stale" == file_standing(store, NAME, "NORTH", "x", Stamp(NOON - timedelta(hours=1)))


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
    with pytest.raises(StatementError, match="tells no zone"), writing(store) as tx:
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
        with pytest.raises(StoreTrouble):
            connect(url)
