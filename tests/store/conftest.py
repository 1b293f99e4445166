"""Databases for tests: every test of the store runs on SQLite and on a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from engine.games import GAMES
from pbem.store.schema_mail import inbox
from pbem.store.session import connect, migrate
from tests.packages import Missing
from tests.store.postgres import Cluster, cluster
from tests.stores import file_of, fresh_store, opened


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """One server for the whole session, with one migrated database."""
    try:
        with cluster() as running:
            running.tell("CREATE DATABASE store")
            engine = connect(running.url("store"))
            migrate(engine)
            engine.dispose()
            yield running
    except Missing as reason:
        pytest.skip(f"!!! POSTGRESQL IS MISSING, HALF OF THE STORE IS NOT TESTED: {reason}")


@pytest.fixture
def sqlite_file(tmp_path: Path) -> Path:
    """Migrated."""
    return file_of(fresh_store(tmp_path))


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a fresh database, which other processes can open, too."""
    if request.param == "sqlite":
        yield f"sqlite:///{request.getfixturevalue('sqlite_file')}"
        return
    running: Cluster = request.getfixturevalue("postgres")
    tables = reversed(inbox.metadata.sorted_tables)
    running.tell("; ".join(f'DELETE FROM "{table.name}"' for table in tables), database="store")
    yield running.url("store").render_as_string(hide_password=False)


@pytest.fixture
def store(address: str) -> Iterator[Engine]:
    kind, _, path = address.partition(":///")
    engine = opened(Path(path)) if kind == "sqlite" else connect(address)
    yield engine
    engine.dispose()


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The one-page game, registered for one test."""
    from tests.kernel import toy as module

    monkeypatch.setitem(GAMES, "toy", "tests.kernel.toy")
    return module
