"""Is an installation ready? Its configuration, files, servers, clock and disk, each tried once.

Nothing is changed, but for the folders that the service would make in the mailbox anyway. `pbem health`
looks at a service that runs; this looks at what it needs.
"""

from __future__ import annotations

import asyncio
import ctypes
import fcntl
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError

from pbem.campaigns.outages import is_clock_in_doubt
from pbem.context import imap_server, smtp_server
from pbem.embedded.redis import answers
from pbem.errors import BadInput, PbemError
from pbem.mail.imap import Destination, FetchedLetter, ImapMailbox, Unreachable
from pbem.mail.smtp import SmtpClient
from pbem.ops.health import Finding, disk_finding, redis_finding
from pbem.settings import DATABASE, Settings, find_file, make_private_folder, read_settings
from pbem.store.session import check_revision, code_revision, connect, database_revision, reading

CHOSEN: Final = "serving.json"  # in the data folder: what `pbem serve` was told by options
APART: Final = 5  # seconds by which two machines' clocks may differ
_TIME_ERROR: Final = 5  # what adjtimex answers of a clock that nobody keeps


def check(file: Path | None) -> list[Finding]:
    """Everything, in the order in which it is needed; without a readable configuration nothing more."""
    try:
        path = find_file(file, os.environ)
        configuration = read_settings(file)
        chosen = _chosen(configuration.data)
        configuration = read_settings(file, overrides=chosen) if chosen else configuration
    except PbemError as mistake:
        return [Finding("configuration", str(mistake), False)]
    read = "none: everything has the value it has of itself" if path is None else f"{path} is understood"
    found = [Finding("configuration", read), *_at_work(configuration), *_permissions(configuration, path)]
    found += [disk_finding(configuration), _redis(configuration), *_database(configuration)]
    return [*found, _kept_clock(), _imap(configuration), _smtp(configuration)]


# ------------------------------------------------------------------ a service that runs


@contextmanager
def options_on_record(data: Path, told: Mapping[str, str]) -> Iterator[None]:
    """What `pbem serve` was told by options is kept while it runs: `pbem check` looks at the same service."""
    if is_serving(data):
        yield  # which complains of it
        return
    path = make_private_folder(data) / CHOSEN
    path.write_text(json.dumps(told), "utf-8")
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def is_serving(data: Path) -> bool:
    """Is a service, or a restore, at work in this data folder? Nothing is made."""
    path = data / "serve.lock"
    if not path.exists():
        return False
    with path.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def _chosen(data: Path) -> dict[str, Any]:
    """The options of the running service, as tables; {}: there are none, or it does not run."""
    if not is_serving(data) or not (data / CHOSEN).exists():
        return {}
    tables: dict[str, Any] = {}
    for name, value in json.loads((data / CHOSEN).read_text("utf-8")).items():
        table, _, key = name.rpartition("__")
        (tables.setdefault(table, {}) if table else tables)[key] = value
    return tables


def _at_work(configuration: Settings) -> Iterator[Finding]:
    if is_serving(configuration.data):
        yield Finding("service", f"runs here, mail: {configuration.mail_kind}; its options are counted in")


# ------------------------------------------------------------------ files


def _permissions(configuration: Settings, file: Path | None) -> Iterator[Finding]:
    """Whatever holds a secret is for the service's eyes only."""
    data = configuration.data
    private = {"data folder": data, "database file": data / DATABASE, "configuration file": file}
    for name in ("imap", "smtp"):
        account = getattr(configuration, name)
        if account is not None:
            private[f"{name} password file"] = account.password_file
    private["database password file"] = configuration.database_password_file
    for what, path in private.items():
        if path is not None and path.exists():
            yield _private(what, path)
    if not data.exists():
        above = next(path for path in data.parents if path.exists())
        may = os.access(above, os.W_OK | os.X_OK)
        told = "the service makes it" if may else f"{above} may not be written to"
        yield Finding("data folder", f"{data} is not there; {told}", may)


def _private(what: str, path: Path) -> Finding:
    found = path.stat()
    mode = stat.S_IMODE(found.st_mode)
    needs = os.R_OK if path.is_file() else os.R_OK | os.W_OK | os.X_OK
    if not os.access(path, needs):
        return Finding(what, f"{path} cannot be used by user {os.getuid()}, who runs this", False)
    ours = found.st_uid in (os.getuid(), 0)  # secrets handed to a container belong to root
    if mode & 0o007 or (mode & 0o070 and not ours):
        return Finding(what, f"{path} can be read by others (mode {mode:o})", False)
    return Finding(what, f"{path}, mode {mode:o}")


# ------------------------------------------------------------------ servers


def _redis(configuration: Settings) -> Finding:
    if not configuration.redis_is_ours:
        return redis_finding(configuration.redis_url)
    up = answers(configuration.redis_socket)
    return Finding("redis", "our own, answers" if up else "our own: starts with pbem serve")


def _database(configuration: Settings) -> Iterator[Finding]:
    """Its schema is compared and left as it is; the service brings it up to date."""
    if not configuration.database and not (configuration.data / DATABASE).exists():
        yield Finding("database", "not there yet: the service makes it")
        return
    try:
        db = connect(configuration.database_url)
    except (PbemError, SQLAlchemyError) as mistake:
        yield Finding("database", str(mistake) if isinstance(mistake, PbemError) else "no such URL", False)
        return
    try:
        yield from _store(db)
    except SQLAlchemyError as error:
        yield Finding("database", f"does not answer ({type(error).__name__})", False)
    finally:
        db.dispose()


def _store(db: Engine) -> Iterator[Finding]:
    with reading(db) as tx:
        there, here = database_revision(tx), code_revision()
        yield Finding("database", f"{db.dialect.name} answers")
        yield _schema(there, here)
        if there == here:
            doubt = is_clock_in_doubt(tx)
            told = "in doubt: pbem clock tells more" if doubt else "not in doubt"
            yield Finding("service's clock", told, not doubt)
        if db.dialect.name == "postgresql":
            moment = tx.execute(text("SELECT clock_timestamp()")).scalar_one()
            apart = abs((datetime.now(UTC) - moment).total_seconds())
            yield Finding("database's clock", f"{apart:.1f} s from ours", apart <= APART)


def _schema(there: str, here: str) -> Finding:
    if there == here:
        return Finding("schema", f"{here}, as this code needs it")
    try:
        check_revision(there, "the database")
    except PbemError as refusal:
        return Finding("schema", str(refusal), False)
    told = f"{there or 'empty'}; this code needs {here}, and makes it so when the service starts"
    return Finding("schema", told)


def _kept_clock() -> Finding:
    """Does somebody keep this machine's clock right?"""
    try:
        told = (ctypes.c_byte * 512)()  # struct timex, longer than on any machine; modes = 0: only look
        state = ctypes.CDLL(None).adjtimex(ctypes.byref(told))
    except (OSError, AttributeError):
        return Finding("clock", "this system does not tell whether anybody keeps it right")
    if state < 0:
        return Finding("clock", "this system does not tell whether anybody keeps it right")
    kept = state != _TIME_ERROR
    return Finding(
        "clock",
        "kept right by NTP" if kept else "no NTP client seems to keep it: make sure that something does",
    )


class _NullStore:
    """Takes nothing in: only the way to the mailbox is tried."""

    def store_letters(
        self, mailbox: str, uidvalidity: int, letters: Sequence[FetchedLetter]
    ) -> Sequence[Destination | None]:
        return [None] * len(letters)

    def is_ours(self, headers: bytes) -> bool:
        return False

    def mark_moved(self, mailbox: str, uidvalidity: int, uids: Sequence[int]) -> None: ...

    def mark_read_to(self, mailbox: str, uidvalidity: int, began: datetime) -> None: ...


def _imap(configuration: Settings) -> Finding:
    def reach() -> str:
        found = imap_server(configuration)
        if found is None:
            return "no mailbox is named: nothing comes in"
        server, folders = found
        inbox = ImapMailbox(server, folders, _NullStore(), lambda: datetime.now(UTC))
        inbox.connect()
        inbox.close()
        return f"{server.host}:{server.port} lets us in, folders are there"

    return _tried("imap", configuration, reach)


def _smtp(configuration: Settings) -> Finding:
    async def check_login() -> str:
        server = smtp_server(configuration)
        if server is None:
            return "no server is named: nothing goes out"
        async with SmtpClient(server) as post:
            trouble = await post.check_login()
        if trouble is not None:
            raise Unreachable(trouble.reason)
        return f"{server.host}:{server.port} lets us in"

    return _tried("smtp", configuration, lambda: asyncio.run(check_login()))


def _tried(what: str, configuration: Settings, work: Callable[[], str]) -> Finding:
    try:
        told = work()
    except (Unreachable, BadInput, OSError) as trouble:
        return Finding(what, str(trouble), False)
    return Finding(what, told, configuration.mail_kind != "none")
