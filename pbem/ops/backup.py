"""Backup and restore. A backup may be made while the service runs; for a restore it must be stopped.

A backup contains letters, addresses and the dice to come: it is as secret as the machine. After a restore
the campaigns skip the dice that letters may have shown since: see `umpire.restored`.
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
from itertools import count
from pathlib import Path
from typing import Final

from sqlalchemy import URL, Engine

from pbem.campaigns.umpire.restore import resume_from_backup
from pbem.context import database_at, service_context_at
from pbem.errors import BadInput, CheckFailed
from pbem.ops.supervisor import service_lock
from pbem.settings import Settings, make_private_folder
from pbem.store.session import check_revision, code_revision, connect, database_revision, migrate
from pbem.store.transfer import last_closes

PAGES: Final = 2000  # copied at a time, so that writers get their turn
DUMP: Final = b"PGDMP"  # the first bytes of a dump of PostgreSQL
SQLITE: Final = b"SQLite format 3\0"
ANY_OWNER: Final = ("--no-owner", "--no-privileges")  # whoever restores it owns it
_OURS: Final = re.compile(r"pbem-\d{8}T\d{6}Z\.(?:db|dump)")  # sorted by name is sorted by time

Progress = Callable[[int, int, int], None]  # as sqlite3 calls it: status, pages left, pages in all


def back_up(settings: Settings, target: Path, progress: Progress | None = None) -> None:
    """Copy the database as of one moment into one file that only we may read."""
    url = connect(settings.database_url).url
    fresh = target.with_name(f"{target.name}.new")
    make_private_folder(target.parent)
    os.close(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    try:
        if url.get_backend_name() == "sqlite":
            _copy_sqlite(_file_of(url), fresh, progress)
        else:
            _run("pg_dump", ["--format=custom", *ANY_OWNER, f"--file={fresh}"], url)
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)


def restore(settings: Settings, source: Path, reason: str = "") -> Path | None:
    """Restore the database, except for the dice. Returns where the present one was moved; None: none.

    `reason` is told to every seat of a running campaign.
    """
    if not source.is_file():
        raise BadInput(f"{source}: there is no such file")
    url = connect(settings.database_url).url
    with service_lock(settings.data):
        if url.get_backend_name() == "sqlite":
            return _restore_sqlite(settings, source, _file_of(url), reason)
        return _restore_postgresql(settings, source, url, reason)


def _continue_campaigns(settings: Settings, url: URL, last_close: Mapping[str, int], reason: str) -> None:
    """Continue the campaigns of the backup that is now at that address."""
    with database_at(url) as db:
        resume_from_backup(service_context_at(db, settings), last_close, reason)


def _last_closes(url: URL) -> dict[str, int]:
    """The last Close of each campaign in that database."""
    with database_at(url) as db:
        return last_closes(db)


@contextmanager
def current_store(settings: Settings) -> Iterator[Engine]:
    """The database with the current schema, for reading; one with an older schema is copied first.

    So new code can be tried beside the running service before anything is upgraded.
    """
    with database_at(settings.database_url) as db:
        if db.dialect.name == "sqlite" and not _file_of(db.url).exists():
            raise BadInput(f"{_file_of(db.url)}: there is no database yet")
        there, here = database_revision(db), code_revision()
        if there == here:
            yield db
            return
        if db.dialect.name != "sqlite":
            raise BadInput(
                f"the database has schema {there or 'none'}, this code {here}: restore a backup into an "
                "empty database and look at that one (docs/operators.md, section 7)"
            )
    with tempfile.TemporaryDirectory(prefix="try-", dir=make_private_folder(settings.data)) as folder:
        copy = Path(folder) / "pbem.db"
        back_up(settings, copy)
        with database_at(copy) as db:
            migrate(db)
            yield db


def remove_old_backups(folder: Path, keep: int) -> list[Path]:
    """Remove all but the newest backups with names of ours; returns the removed ones."""
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

    with closing(sqlite3.connect(source)) as here, closing(sqlite3.connect(target)) as there:
        here.backup(there, pages=PAGES, progress=progress, sleep=0.01)
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


def _restore_sqlite(settings: Settings, source: Path, target: Path, reason: str) -> Path | None:
    """Prepare the copy before it takes the place: links are burned, or nothing is restored."""
    _check_sqlite(source)
    with closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as opened:
        stamp = opened.execute("SELECT version_num FROM alembic_version").fetchone()
    check_revision("" if stamp is None else stamp[0], str(source))
    make_private_folder(target.parent)
    fresh = target.with_name(f"{target.name}.new")
    _remove(fresh)
    os.close(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    try:
        shutil.copyfile(source, fresh)
        here = URL.create("sqlite", database=str(fresh))
        last_close = _last_closes(here.set(database=str(target))) if target.exists() else {}
        _continue_campaigns(settings, here, last_close, reason)
        _checkpoint(fresh)
        aside = _move_aside(target) if target.exists() else None
        _remove(target)
        fresh.replace(target)
    finally:
        _remove(fresh)
    return aside


def _move_aside(target: Path) -> Path:
    with suppress(sqlite3.DatabaseError):  # a damaged one is moved aside as it is
        _checkpoint(target)
    aside = _unused_name(target)
    target.replace(aside)
    return aside


def _checkpoint(path: Path) -> None:
    """Write the log back into the one file."""
    with closing(sqlite3.connect(path)) as opened:
        opened.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


def _remove(path: Path) -> None:
    """Remove a database with the files beside it."""
    for left in ("", "-wal", "-shm"):
        path.with_name(path.name + left).unlink(missing_ok=True)


def _unused_name(target: Path) -> Path:
    """`pbem.db.before-restore`, `pbem.db.before-restore-2`, …"""
    endings = ("" if number == 1 else f"-{number}" for number in count(1))
    names = (target.with_name(f"{target.name}.before-restore{ending}") for ending in endings)
    return next(name for name in names if not name.exists())


# ------------------------------------------------------------------ PostgreSQL


def _restore_postgresql(settings: Settings, source: Path, url: URL, reason: str) -> Path:
    with source.open("rb") as file:
        if file.read(len(DUMP)) != DUMP:
            raise BadInput(f"{source} is no backup of a PostgreSQL database")
    check_revision(_dump_revision(source), str(source))
    aside = _unused_name(settings.data / "pbem.dump")
    back_up(settings, aside)
    last_close = _last_closes(url)
    words = ["--clean", "--if-exists", *ANY_OWNER, "--single-transaction", "--exit-on-error", str(source)]
    _run("pg_restore", words, url)
    _continue_campaigns(settings, url, last_close, reason)
    return aside


def _dump_revision(source: Path) -> str:
    """The revision of the schema in a dump; "": it names none."""
    words = ["--data-only", "--table=alembic_version", "--file=-", str(source)]
    stamp = re.search(rb"^COPY \S*alembic_version\b.*\n(\w+)$", _run("pg_restore", words), re.MULTILINE)
    return "" if stamp is None else stamp[1].decode()


def _run(program: str, words: list[str], url: URL | None = None) -> bytes:
    """Pass the password in the environment: everybody on the machine can read command lines."""
    path = shutil.which(program)
    if path is None:
        raise BadInput(f"{program} is not installed on this machine (Debian: postgresql-client)")
    command, environment = [path, *words], dict(os.environ)
    if url is not None:
        plain = url.set(drivername="postgresql", password=None).render_as_string(hide_password=False)
        command.append(f"--dbname={plain}")
        environment |= {"PGPASSWORD": str(url.password)} if url.password else {}
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    if done.returncode != 0:
        raise CheckFailed(f"{program}: {done.stderr.decode(errors='replace').strip()[-400:]}")
    return done.stdout
