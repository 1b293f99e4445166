"""Backups kept for so long; everything moved to PostgreSQL; the database's password in a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import func, select

from pbem.campaigns.replay import replay_stored
from pbem.settings import read_settings
from pbem.store.people import enrol
from pbem.store.schema import metadata
from pbem.store.session import connect, migrate
from pbem.store.transfer import copy_store
from tests.campaigns_at_hand import AtHand, run_on
from tests.deploy.conftest import Run
from tests.packages import Missing
from tests.store.postgres import cluster


@pytest.fixture(scope="module")
def server_url() -> Iterator[str]:
    try:
        with cluster() as running:
            running.tell("CREATE DATABASE moved")
            yield running.url("moved").set(drivername="postgresql").render_as_string(hide_password=False)
    except Missing as reason:
        pytest.skip(f"!!! POSTGRESQL IS MISSING, MOVING TO IT IS NOT TESTED: {reason}")


def test_the_newest_backups_stay(at: AtHand, run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    old = [folder / f"pbem-202601{day:02}T034000Z.db" for day in range(1, 6)]
    for path in (*old, folder / "before-the-flood.db"):
        path.write_bytes(b"")
    done = run("backup", "--keep", 3)
    assert 0 == done.exit_code, done.stderr
    left = sorted(path.name for path in folder.iterdir())
    assert 4 == len(left) and left[0] == "before-the-flood.db"
    assert [path.name for path in old[3:]] == left[1:3]
    assert 3 == done.stdout.count("removed")
    assert 2 == run("backup", tmp_path / "x.db", "--keep", 3).exit_code


def test_everything_moves_to_postgresql(at: AtHand, run: Run, tmp_path: Path, server_url: str) -> None:
    at.arrives(at.reply("WA", "READY"))
    at.close()
    target = tmp_path / "new.toml"
    target.write_text(f'data = "elsewhere"\ndatabase = "{server_url}"\n')
    done = run("move", target)
    assert 0 == done.exit_code, done.stderr
    assert "1 campaigns, 1 letters in" in done.stdout
    there = connect(server_url)
    with at.db.connect() as old, there.connect() as new:
        for table in metadata.sorted_tables:
            rows = select(table).order_by(*table.primary_key.columns)
            assert old.execute(rows).all() == new.execute(rows).all(), table.name
    assert replay_stored(there, at.name) == replay_stored(at.db, at.name)
    number = enrol(there, "new@x.example", "New", "en", "UTC", at.clock())
    with there.connect() as new:
        assert number == new.execute(select(func.max(metadata.tables["people"].c.id))).scalar_one()
    run_on(replace(at.service, db=there), at.name, "deadline")  # and the game goes on there
    again = run("move", target)
    assert again.exit_code != 0 and "is not empty" in again.stderr
    there.dispose()


def test_a_whole_store_comes_back_to_sqlite(at: AtHand, tmp_path: Path) -> None:
    other = connect(tmp_path / "other.db")
    copied = copy_store(at.db, other)
    assert copied["campaigns"] == 1 and copied["journal"] > 1
    migrate(other)
    assert replay_stored(other, at.name) == replay_stored(at.db, at.name)
    other.dispose()


def test_the_databases_password_stands_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "database.password").write_text("p@ss:word/\n")
    path = tmp_path / "pbem.toml"
    path.write_text(
        'database = "postgresql://pbem@db.example/x"\ndatabase_password_file = "database.password"\n'
    )
    told = read_settings(path, {})
    url = connect(told.database_url).url
    assert ("p@ss:word/", "db.example") == (url.password, url.host)
    assert "p@ss" not in repr(told)
