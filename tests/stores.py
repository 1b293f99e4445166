"""SQLite stores for tests: the schema is laid out once for each process, then copied; every test has a file
of its own. SQL once compiled is not compiled again for the next store: they all speak the same dialect.
"""

from __future__ import annotations

import atexit
import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from sqlalchemy import Dialect, Engine

from pbem.store.session import connect, migrate

FILE = "pbem.db"
_COMPILED: dict[Any, Any] = {}


def fresh_store(folder: Path) -> Engine:
    """An empty database of today's schema."""
    return copied_store(_empty()[0], folder / FILE)


def copied_store(source: Path, path: Path) -> Engine:
    """A copy of a database that nobody has open."""
    shutil.copy(source, path)
    return opened(path)


def opened(path: Path) -> Engine:
    """As the service connects."""
    engine = connect(path)
    engine.dialect = _empty()[1]
    engine.update_execution_options(compiled_cache=_COMPILED)
    return engine


def file_of(store: Engine) -> Path:
    assert store.url.database is not None
    return Path(store.url.database)


def patterns_folder() -> Path:
    """For databases to copy from; gone when the process ends."""
    folder = mkdtemp(prefix="pbem-pattern-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


@cache
def _empty() -> tuple[Path, Dialect]:
    path = patterns_folder() / FILE
    engine = connect(path)
    migrate(engine)
    engine.dispose()
    return path, engine.dialect
