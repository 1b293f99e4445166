"""Databases for tests: every test of the store runs on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from engine.games import GAMES
from pbem.store.connect import connect, migrate
from tests.store.postgres import Cluster, Missing, cluster

_numbers = count(1)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """One server for the whole session, with a migrated database to copy from."""
    try:
        with cluster() as running:
            running.tell("CREATE DATABASE pattern")
            engine = connect(running.url("pattern"))
            migrate(engine)
            engine.dispose()
            yield running
    except Missing as reason:
        pytest.skip(f"!!! POSTGRESQL IS MISSING, HALF OF THE STORE IS NOT TESTED: {reason}")


@pytest.fixture(scope="session")
def sqlite_pattern(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated file to copy from."""
    path = tmp_path_factory.mktemp("pattern") / "pattern.db"
    engine = connect(path)
    migrate(engine)
    engine.dispose()
    return path


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a fresh database, which other processes can open, too."""
    if request.param == "sqlite":
        path = tmp_path / "store.db"
        shutil.copy(request.getfixturevalue("sqlite_pattern"), path)
        yield f"sqlite:///{path}"
        return
    running: Cluster = request.getfixturevalue("postgres")
    name = f"store{next(_numbers)}"
    running.tell(f"CREATE DATABASE {name} TEMPLATE pattern")
    yield running.url(name).render_as_string(hide_password=False)
    running.tell(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def store(address: str) -> Iterator[Engine]:
    engine = connect(address)
    yield engine
    engine.dispose()


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The one-page game, registered for one test."""
    from tests.kernel import toy as module

    monkeypatch.setitem(GAMES, "toy", "tests.kernel.toy")  # type: ignore[arg-type]
    return module
