"""Backup and restore, on SQLite and on PostgreSQL: while others write, and only of what is ours."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text

from pbem.context import service_context
from pbem.errors import BadInput, PbemError
from pbem.ops.backup import back_up, restore
from pbem.settings import Settings, read_settings
from pbem.store.campaigns import service_key
from pbem.store.people import enrol, person_at
from pbem.store.session import code_revision, connect, database_revision
from tests.packages import Missing, installed
from tests.store.postgres import cluster

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def server_url() -> Iterator[str]:
    try:
        installed(lambda: shutil.which("pg_dump"), "postgresql-client")
        with cluster() as running:
            running.tell("CREATE DATABASE store")
            yield running.url("store").set(drivername="postgresql").render_as_string(hide_password=False)
    except Missing as reason:
        pytest.skip(f"!!! POSTGRESQL IS MISSING, ITS BACKUP IS NOT TESTED: {reason}")


@pytest.fixture(params=["sqlite", "postgresql"])
def configuration(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    told = {"data": tmp_path / "data"}
    if request.param == "postgresql":
        told |= {"database": request.getfixturevalue("server_url")}
    return read_settings(environment={}, overrides=told)


def test_a_backup_is_one_moment_and_comes_back_as_it_was(configuration: Settings, tmp_path: Path) -> None:
    service = service_context(configuration)
    enrol(service.db, "before@x.example", "Before", "en", "UTC", NOW)
    key = service_key(service.db, "addresses")
    over = threading.Event()

    def write() -> None:
        number = 0
        while not over.is_set():
            number += 1
            enrol(service.db, f"p{number}@x.example", "P", "en", "UTC", NOW)

    writer = threading.Thread(target=write)
    writer.start()
    copy = tmp_path / "copies" / "one"
    try:
        back_up(configuration, copy)
    finally:
        over.set()
        writer.join()
    assert 0o600 == stat.S_IMODE(copy.stat().st_mode)
    enrol(service.db, "after@x.example", "After", "en", "UTC", NOW)
    service.db.dispose()
    aside = restore(configuration, copy)
    assert aside is not None and aside.exists()
    again = service_context(configuration)
    assert person_at(again.db, "before@x.example") is not None
    assert person_at(again.db, "after@x.example") is None
    assert key == service_key(again.db, "addresses")
    again.db.dispose()
    restore(configuration, aside)  # and what stood there is not lost
    back = connect(configuration.database_url)
    assert person_at(back, "after@x.example") is not None
    back.dispose()


def test_what_is_no_backup_is_not_restored(configuration: Settings, tmp_path: Path) -> None:
    service_context(configuration).db.dispose()
    stray = tmp_path / "stray"
    with pytest.raises(BadInput, match="no such file"):
        restore(configuration, stray)
    stray.write_text("words")
    with pytest.raises(BadInput, match="is no backup of a"):
        restore(configuration, stray)
    stray.unlink()
    with sqlite3.connect(stray) as other:
        other.execute("CREATE TABLE t (x)")
    other.close()
    with pytest.raises(PbemError, match="is no backup of"):
        restore(configuration, stray)
    left = connect(configuration.database_url)
    assert person_at(left, "nobody@x.example") is None  # all tables are there
    left.dispose()


def test_an_older_backup_is_refused_by_name_and_nothing_is_changed(
    configuration: Settings, tmp_path: Path
) -> None:
    service = service_context(configuration)
    current = database_revision(service.db)

    def stamp(revision: str) -> None:
        with service.db.begin() as tx:
            tx.execute(text(f"UPDATE alembic_version SET version_num = '{revision}'"))

    stamp("0008")
    back_up(configuration, tmp_path / "old")
    stamp(current)
    enrol(service.db, "after@x.example", "After", "en", "UTC", NOW)
    with pytest.raises(PbemError, match=r"old has schema 0008, older than 0009: open it once with the last"):
        restore(configuration, tmp_path / "old")
    assert current == database_revision(service.db)
    assert person_at(service.db, "after@x.example") is not None
    service.db.dispose()


def test_a_backup_at_0009_is_restored(configuration: Settings, tmp_path: Path) -> None:
    service = service_context(configuration)
    with service.db.begin() as tx:
        tx.execute(text("UPDATE alembic_version SET version_num = '0009'"))
    back_up(configuration, tmp_path / "old")
    service.db.dispose()
    restore(configuration, tmp_path / "old")
    again = connect(configuration.database_url)
    assert code_revision() == database_revision(again)
    again.dispose()
