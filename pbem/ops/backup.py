"""Backup and restore. A backup may be taken while the service runs; a restore needs it stopped.

A backup holds letters, addresses and the dice to come: it is as secret as the machine. After a restore the
campaigns do not go on with dice that letters may have shown since: see `umpire.restored`.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from sqlalchemy import URL, Engine

from pbem.campaigns.umpire.restore import resume_from_backup
from pbem.errors import BadInput, CheckFailed
from pbem.ops.supervisor import serving_alone
from pbem.settings import Settings, private_folder, service_context_at
from pbem.store.session import connect, migrate, schema_here, schema_there
from pbem.store.transfer import last_closes

PAGES: Final = 2000  # copied at a time; writers get in between
DUMP: Final = b"PGDMP"  # the first bytes of a dump of PostgreSQL
SQLITE: Final = b"SQLite format 3\0"
_OURS: Final = re.compile(r"pbem-\d{8}T\d{6}Z\.(?:db|dump)")  # sorted by name is sorted by time

Progress = Callable[[int, int], None]  # pages left, pages in all


def back_up(configuration: Settings, target: Path, progress: Progress | None = None) -> None:
    """The database as it is at one moment, in one file that only we may read."""
    url = connect(configuration.database_url).url
    fresh = target.with_name(f"{target.name}.new")
    private_folder(target.parent)
    os.close(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    try:
        if url.get_backend_name() == "sqlite":
            _copy_sqlite(_file_of(url), fresh, progress)
        else:
            _run("pg_dump", url, ["--format=custom", "--no-owner", "--no-privileges", f"--file={fresh}"])
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)


def restore(configuration: Settings, source: Path, reason: str = "") -> Path | None:
    """The database as it was, but for the dice. Returns where the one that stood there was put; None: none.

    `reason` is told to every seat of a campaign that goes on from there.
    """
    if not source.is_file():
        raise BadInput(f"{source}: there is no such file")
    url = connect(configuration.database_url).url
    with serving_alone(configuration.data):
        if url.get_backend_name() == "sqlite":
            return _restore_sqlite(configuration, source, _file_of(url), reason)
        return _restore_postgresql(configuration, source, url, reason)


def _go_on(configuration: Settings, url: URL, reached: Mapping[str, int], reason: str) -> None:
    """The campaigns in the backup, now at that address, go on from there."""
    db = connect(url)
    try:
        resume_from_backup(service_context_at(db, configuration), reached, reason)
    finally:
        db.dispose()


def _reached(url: URL) -> dict[str, int]:
    """How far the campaigns were that stood there."""
    db = connect(url)
    try:
        return last_closes(db)
    finally:
        db.dispose()


@contextmanager
def store_as_now(configuration: Settings) -> Iterator[Engine]:
    """The database for looking only, with the schema of this code; one of an older schema is copied first.

    So new code can be tried beside the running service before anything is upgraded.
    """
    db = connect(configuration.database_url)
    if db.dialect.name == "sqlite" and not _file_of(db.url).exists():
        raise BadInput(f"{_file_of(db.url)}: there is no database yet")
    there, here = schema_there(db), schema_here()
    if there == here:
        yield db
    elif db.dialect.name == "sqlite":
        with tempfile.TemporaryDirectory(prefix="try-", dir=private_folder(configuration.data)) as folder:
            copy = Path(folder) / "pbem.db"
            back_up(configuration, copy)
            db.dispose()
            db = connect(copy)
            migrate(db)
            yield db
    else:
        raise BadInput(
            f"the database has schema {there or 'none'}, this code {here}: restore a backup into an empty "
            "database and look at that one (docs/operators.md, section 7)"
        )
    db.dispose()


def thin_out(folder: Path, keep: int) -> list[Path]:
    """Of the backups with names of ours the newest stay; the others are removed and returned."""
    dated = sorted(path for path in folder.iterdir() if _OURS.fullmatch(path.name))
    gone = dated[: max(0, len(dated) - keep)]
    for path in gone:
        path.unlink()
    return gone


# ------------------------------------------------------------------ SQLite


def _file_of(url: URL) -> Path:
    assert url.database is not None
    return Path(url.database)


def _copy_sqlite(source: Path, target: Path, progress: Progress | None) -> None:
    if not source.exists():
        raise BadInput(f"{source}: there is no database yet")

    def tell(_: int, left: int, total: int) -> None:
        if progress is not None:
            progress(left, total)

    with closing(sqlite3.connect(source)) as here, closing(sqlite3.connect(target)) as there:
        here.backup(there, pages=PAGES, progress=tell, sleep=0.01)
        there.execute("PRAGMA journal_mode = DELETE").fetchone()  # one file, nothing beside it
    _check_sqlite(target)


def _check_sqlite(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(len(SQLITE)) != SQLITE:
            raise BadInput(f"{path} is no backup of a SQLite database")
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as opened:
        told = opened.execute("PRAGMA integrity_check").fetchone()[0]
        marked = "SELECT count(*) FROM sqlite_master WHERE name = 'alembic_version'"
        ours = opened.execute(marked).fetchone()[0]
    if told != "ok":
        raise CheckFailed(f"{path} is damaged: {told}")
    if not ours:
        raise BadInput(f"{path} is no backup of this service")


def _restore_sqlite(configuration: Settings, source: Path, target: Path, reason: str) -> Path | None:
    """The copy is made ready before it takes its place: links are burnt, or nothing is restored."""
    _check_sqlite(source)
    private_folder(target.parent)
    fresh = target.with_name(f"{target.name}.new")
    _remove(fresh)
    os.close(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    try:
        shutil.copyfile(source, fresh)
        here = URL.create("sqlite", database=str(fresh))
        reached = _reached(here.set(database=str(target))) if target.exists() else {}
        _go_on(configuration, here, reached, reason)
        _write_back(fresh)
        aside = _put_aside(target) if target.exists() else None
        _remove(target)
        fresh.replace(target)
    finally:
        _remove(fresh)
    return aside


def _put_aside(target: Path) -> Path:
    with suppress(sqlite3.DatabaseError):  # a damaged one is put aside as it is
        _write_back(target)
    aside = _free_name(target)
    target.replace(aside)
    return aside


def _write_back(path: Path) -> None:
    """All of it in one file."""
    with closing(sqlite3.connect(path)) as opened:
        opened.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


def _remove(path: Path) -> None:
    """A database with all that lies beside it."""
    for left in ("", "-wal", "-shm"):
        path.with_name(path.name + left).unlink(missing_ok=True)


def _free_name(target: Path) -> Path:
    """`pbem.db.before-restore`, `pbem.db.before-restore-2`, …"""
    number = 1
    while True:
        ending = "" if number == 1 else f"-{number}"
        if not (name := target.with_name(f"{target.name}.before-restore{ending}")).exists():
            return name
        number += 1


# ------------------------------------------------------------------ PostgreSQL


def _restore_postgresql(configuration: Settings, source: Path, url: URL, reason: str) -> Path:
    with source.open("rb") as file:
        if file.read(len(DUMP)) != DUMP:
            raise BadInput(f"{source} is no backup of a PostgreSQL database")
    aside = _free_name(configuration.data / "pbem.dump")
    back_up(configuration, aside)
    reached = _reached(url)
    words = [
        "--clean",
        "--if-exists",
        "--no-owner",
        "--no-privileges",
        "--single-transaction",
        "--exit-on-error",
    ]
    _run("pg_restore", url, [*words, str(source)])
    _go_on(configuration, url, reached, reason)
    return aside


def _run(program: str, url: URL, words: list[str]) -> None:
    """The password goes by the environment: command lines can be read by everybody on the machine."""
    found = shutil.which(program)
    if found is None:
        raise BadInput(f"{program} is not installed on this machine (Debian: postgresql-client)")
    plain = url.set(drivername="postgresql", password=None).render_as_string(hide_password=False)
    secret = {"PGPASSWORD": str(url.password)} if url.password else {}
    done = subprocess.run(
        [found, f"--dbname={plain}", *words], env=os.environ | secret, capture_output=True, check=False
    )
    if done.returncode != 0:
        raise CheckFailed(f"{program}: {done.stderr.decode(errors='replace').strip()[-400:]}")
