"""Is an installation ready? Try its settings, files, servers, clock and disk, each once.

Nothing is changed except for the folders that the service would create in the mailbox anyway. `pbem health`
checks a running service; this checks what it needs.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Engine, text
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from pbem.campaigns.outages import is_clock_in_doubt
from pbem.context import database_at, imap_server, smtp_server
from pbem.embedded.redis import answers
from pbem.errors import BadInput, PbemError
from pbem.mail.imap import Destination, FetchedLetter, ImapMailbox, Unreachable
from pbem.mail.smtp import SmtpClient
from pbem.ops.health import (
    Finding,
    database_finding,
    describe_failure,
    disk_finding,
    permission_finding,
    redis_finding,
)
from pbem.ops.supervisor import LOCK, service_lock
from pbem.settings import DATABASE, Settings, find_file, make_private_folder, read_settings
from pbem.store.session import check_revision, code_revision, database_revision, reading

OPTIONS_FILE: Final = "serving.json"  # in the data folder: the options of `pbem serve`
MOST_APART: Final = 5  # seconds between two machines' clocks
_TIME_ERROR: Final = 5  # adjtimex' answer for a clock that is not synchronized


def check(file: Path | None) -> list[Finding]:
    """All checks, in the order of need; with unreadable settings nothing else."""
    try:
        path = find_file(file, os.environ)
        settings = read_settings(file)
        options = _running_options(settings.data)
        settings = read_settings(file, overrides=options) if options else settings
    except PbemError as mistake:
        return [Finding("configuration", str(mistake), False)]
    read = "none: every setting has its default" if path is None else f"{path} is understood"
    found = [Finding("configuration", read), *_running_service(settings), *_permissions(settings, path)]
    found += [disk_finding(settings), _redis(settings), *_database(settings)]
    return [*found, _clock_sync(), _imap(settings), _smtp(settings)]


# ------------------------------------------------------------------ a service that runs


@contextmanager
def options_on_record(data: Path, options: Mapping[str, str]) -> Iterator[None]:
    """Keep the options of `pbem serve` while it runs, so that `pbem check` checks the same service."""
    if is_serving(data):
        yield  # the supervisor complains
        return
    path = make_private_folder(data) / OPTIONS_FILE
    path.write_text(json.dumps(options), "utf-8")
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def is_serving(data: Path) -> bool:
    """Is a service or a restore running in this data folder? Creates nothing."""
    if not (data / LOCK).exists():
        return False
    try:
        with service_lock(data):
            return False
    except BadInput:
        return True


def _running_options(data: Path) -> dict[str, Any]:
    """The options of the running service, as tables; {}: none, or it does not run."""
    if not is_serving(data) or not (data / OPTIONS_FILE).exists():
        return {}
    tables: dict[str, Any] = {}
    for name, value in json.loads((data / OPTIONS_FILE).read_text("utf-8")).items():
        table, _, key = name.rpartition("__")
        (tables.setdefault(table, {}) if table else tables)[key] = value
    return tables


def _running_service(settings: Settings) -> Iterator[Finding]:
    if is_serving(settings.data):
        yield Finding("service", f"runs here, mail: {settings.mail_kind}; its options are counted in")


# ------------------------------------------------------------------ files


def _permissions(settings: Settings, file: Path | None) -> Iterator[Finding]:
    """Only the service may read whatever holds a secret."""
    data = settings.data
    private = {"data folder": data, "database file": data / DATABASE, "configuration file": file}
    for name, account in (("imap", settings.imap), ("smtp", settings.smtp)):
        if account is not None:
            private[f"{name} password file"] = account.password_file
    private["database password file"] = settings.database_password_file
    for what, path in private.items():
        if path is not None and path.exists():
            yield permission_finding(what, path)
    if not data.exists():
        above = next(path for path in data.parents if path.exists())
        may = os.access(above, os.W_OK | os.X_OK)
        told = "the service makes it" if may else f"{above} may not be written to"
        yield Finding("data folder", f"{data} is not there; {told}", may)


# ------------------------------------------------------------------ servers


def _redis(settings: Settings) -> Finding:
    if not settings.redis_is_ours:
        return redis_finding(settings.redis_url)
    up = answers(settings.redis_socket)
    return Finding("redis", "our own, answers" if up else "our own: starts with pbem serve")


def _database(settings: Settings) -> Iterator[Finding]:
    """Its schema is checked, not changed; the service upgrades it."""
    if not settings.has_database:
        yield Finding("database", "not there yet: the service makes it")
        return
    try:
        with database_at(settings.database_url) as db:
            yield from _store(db)
    except PbemError as mistake:
        yield Finding("database", str(mistake), False)
    except ArgumentError:
        yield Finding("database", "no such URL", False)
    except SQLAlchemyError as error:
        yield Finding("database", describe_failure(error), False)


def _store(db: Engine) -> Iterator[Finding]:
    yield database_finding(db)
    with reading(db) as tx:
        there, here = database_revision(tx), code_revision()
        yield _schema(there, here)
        if there == here:
            doubt = is_clock_in_doubt(tx)
            told = "in doubt: pbem clock tells more" if doubt else "not in doubt"
            yield Finding("service's clock", told, not doubt)
        if db.dialect.name == "postgresql":
            moment = tx.execute(text("SELECT clock_timestamp()")).scalar_one()
            apart = abs((datetime.now(UTC) - moment).total_seconds())
            yield Finding("database's clock", f"{apart:.1f} s from ours", apart <= MOST_APART)


def _schema(there: str, here: str) -> Finding:
    if there == here:
        return Finding("schema", f"{here}, as this code needs it")
    try:
        check_revision(there, "the database")
    except PbemError as refusal:
        return Finding("schema", str(refusal), False)
    told = f"{there or 'empty'}; this code needs {here}, and makes it so when the service starts"
    return Finding("schema", told)


def _clock_sync() -> Finding:
    """Is this machine's clock synchronized?"""
    try:
        told = (ctypes.c_byte * 512)()  # struct timex, longer than on any machine; modes = 0: only look
        state = ctypes.CDLL(None).adjtimex(ctypes.byref(told))
    except (OSError, AttributeError):
        state = -1
    if state < 0:
        return Finding("clock", "this system does not tell whether anybody keeps it right")
    if state == _TIME_ERROR:
        return Finding("clock", "no NTP client seems to keep it: make sure that something does")
    return Finding("clock", "kept right by NTP")


class _NullStore:
    """Stores nothing: only the connection is tried."""

    def store_letters(
        self, mailbox: str, uidvalidity: int, letters: Sequence[FetchedLetter]
    ) -> Sequence[Destination | None]:
        return [None] * len(letters)

    def is_ours(self, headers: bytes) -> bool:
        return False

    def mark_moved(self, mailbox: str, uidvalidity: int, uids: Sequence[int]) -> None: ...

    def mark_read_to(self, mailbox: str, uidvalidity: int, began: datetime) -> None: ...


def _imap(settings: Settings) -> Finding:
    def reach() -> str:
        found = imap_server(settings)
        if found is None:
            return "no mailbox is named: nothing comes in"
        server, folders = found
        inbox = ImapMailbox(server, folders, _NullStore(), lambda: datetime.now(UTC))
        inbox.connect()
        selected = inbox.select_all()
        inbox.close()
        opened = ", ".join(f"{mailbox} (UIDVALIDITY {number})" for mailbox, number in selected.items())
        return f"{server.host}:{server.port} lets us in, folders are there, can read {opened}"

    return _try("imap", settings, reach)


def _smtp(settings: Settings) -> Finding:
    async def check_login() -> str:
        server = smtp_server(settings)
        if server is None:
            return "no server is named: nothing goes out"
        async with SmtpClient(server) as post:
            trouble = await post.check_login()
        if trouble is not None:
            raise Unreachable(trouble.reason)
        return f"{server.host}:{server.port} lets us in"

    return _try("smtp", settings, lambda: asyncio.run(check_login()))


def _try(what: str, settings: Settings, work: Callable[[], str]) -> Finding:
    try:
        told = work()
    except (Unreachable, BadInput, OSError) as trouble:
        return Finding(what, str(trouble), False)
    return Finding(what, told, settings.mail_kind != "none")
