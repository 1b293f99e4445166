"""Connections, transactions and single statements.

Every function of the store takes `Db`: given an engine it is one short transaction of its own; given a
connection it is a part of the caller's. On SQLite a transaction that may write takes the write lock at once
(`BEGIN IMMEDIATE`), so none is refused half-way; on PostgreSQL rows are locked one by one.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias

import psycopg
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import (
    URL,
    Connection,
    Engine,
    Executable,
    RowMapping,
    Table,
    create_engine,
    event,
    literal,
    make_url,
    text,
)
from sqlalchemy.dialects.postgresql import insert as insert_postgresql
from sqlalchemy.dialects.sqlite import insert as insert_sqlite
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DBAPIError, InterfaceError, InvalidatePoolError, OperationalError

from pbem.errors import PbemError
from pbem.store.migrations.versions import v0010_schema

Db: TypeAlias = Engine | Connection
Values: TypeAlias = Mapping[str, Any] | None

MIGRATIONS: Final = Path(__file__).resolve().parent / "migrations"
LOCK_SECONDS: Final = 30  # seconds a writer waits for another on SQLite
TRUSTED_SECONDS: Final = 1.0  # a PostgreSQL connection idle for longer is pinged first
MOST_DESCRIBED: Final = 500  # queries whose column descriptions are cached
_MIGRATION_LOCK: Final = 0x7062656D  # an advisory lock's number on PostgreSQL: "pbem"
_READS: Final = "pbem_reads"
_REMEMBERED: Final = "pbem_remembered"


def is_unavailable(failure: BaseException) -> bool:
    """Is the database at fault: stopped, unreachable, locked too long, or its disk full?"""
    if isinstance(failure, DBAPIError) and failure.connection_invalidated:
        return True
    return isinstance(failure, OperationalError | InterfaceError)


class StoreError(PbemError):
    """The database has a kind or a state that cannot be used."""


def connect(url: str | URL | Path) -> Engine:
    """An engine for a URL, or for the path of a SQLite file."""
    address = URL.create("sqlite", database=str(url)) if isinstance(url, Path) else make_url(url)
    match address.get_backend_name():
        case "sqlite":
            return _sqlite(address)
        case "postgresql":
            return _postgresql(address)
        case other:
            raise StoreError(f"the store is SQLite or PostgreSQL, not {other}")


def _sqlite(url: URL) -> Engine:
    if url.database in (None, "", ":memory:"):
        raise StoreError("the store needs a file: a database in memory is lost with its process")
    patient = {"timeout": LOCK_SECONDS, "check_same_thread": False}
    engine = create_engine(url, connect_args=patient, hide_parameters=True)  # they contain keys and letters

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # the driver must not begin transactions
        _write_ahead(connection)
        for pragma in ("synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        reads = connection.get_execution_options().get(_READS)
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

    return engine


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch a new file to WAL. Others who open it meanwhile are refused at once, whatever their time-out,
    since two of them could deadlock: so they retry.
    """
    end = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").close()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return


class _Cursor(psycopg.Cursor[Any]):
    """Describe the columns of a query once, not with every result."""

    _described: ClassVar[dict[tuple[str, int], list[psycopg.Column]]] = {}

    @property
    def description(self) -> list[psycopg.Column] | None:
        asked, answer = self._last_query, self.pgresult
        if not isinstance(asked, str) or answer is None or not answer.nfields:
            return super().description
        key = (asked, answer.nfields)
        if (known := self._described.get(key)) is not None:
            return known
        if (told := super().description) is not None:
            if len(self._described) >= MOST_DESCRIBED:
                self._described.clear()
            self._described[key] = told
        return told


def _postgresql(url: URL) -> Engine:
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"),
        connect_args={"cursor_factory": _Cursor},
        hide_parameters=True,
    )

    @event.listens_for(engine, "checkin")
    def note_when(_: Any, record: Any) -> None:
        record.info["idle since"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def try_first(connection: Any, record: Any, _: Any) -> None:
        """The server may have restarted meanwhile; then all connections are lost."""
        idle_since = record.info.get("idle since")
        if idle_since is None or time.monotonic() - idle_since <= TRUSTED_SECONDS:
            return
        try:
            engine.dialect.do_ping(connection)
        except psycopg.Error:
            raise InvalidatePoolError from None

    @event.listens_for(engine, "handle_error")
    def hide_values(context: ExceptionContext) -> None:
        """The server's details quote the row: keep only its first sentence."""
        error, told = context.original_exception, context.sqlalchemy_exception
        if isinstance(error, psycopg.Error) and error.diag.message_primary is not None:
            error.args = (error.diag.message_primary,)
            if told is not None:
                told.args = (f"({type(error).__name__}) {error.diag.message_primary}",)

    return engine


@contextmanager
def writing(db: Db) -> Iterator[Connection]:
    """A transaction that may write: the caller's, or a new one."""
    if isinstance(db, Connection):
        yield db
    else:
        with db.begin() as tx:
            yield tx


@contextmanager
def writing_once(db: Db) -> Iterator[Connection]:
    """A transaction of one statement: PostgreSQL saves BEGIN and COMMIT."""
    if isinstance(db, Engine) and db.dialect.name == "postgresql":
        with db.connect().execution_options(isolation_level="AUTOCOMMIT") as alone:
            yield alone
    else:
        with writing(db) as tx:
            yield tx


@contextmanager
def reading(db: Db) -> Iterator[Connection]:
    """A read-only transaction that sees one state of the database throughout."""
    if isinstance(db, Connection):
        yield db
        return
    view = _view.get()
    if view is not None and view.engine is db:
        yield view
        return
    options: dict[str, Any] = {_READS: True}
    if db.dialect.name == "postgresql":
        options |= {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    with db.connect().execution_options(**options) as connection, connection.begin():
        yield connection


def transaction_notes(tx: Connection) -> set[tuple[str, str]]:
    """Notes that live as long as the transaction: that a row is locked, or was changed."""
    here, known = tx.get_transaction(), tx.info.get(_REMEMBERED)
    if known is None or known[0] is not here:
        known = tx.info[_REMEMBERED] = (here, set[tuple[str, str]]())
    found: set[tuple[str, str]] = known[1]
    return found


_view: ContextVar[Connection | None] = ContextVar("_view", default=None)


@contextmanager
def single_view(db: Engine) -> Iterator[None]:
    """Read everything meanwhile in one transaction: one state of the database, one connection.

    What is written meanwhile goes its own way, as ever, and is not seen here.
    """
    with reading(db) as tx:
        before = _view.set(tx)
        try:
            yield
        finally:
            _view.reset(before)


# ------------------------------------------------------------------ single statements


def one_row(db: Db, query: Executable, values: Values = None) -> RowMapping | None:
    """The only row that a query finds; None: it finds none."""
    with reading(db) as tx:
        return tx.execute(query, values).mappings().one_or_none()


def all_rows(db: Db, query: Executable, values: Values = None) -> Sequence[RowMapping]:
    """All rows that a query finds."""
    with reading(db) as tx:
        return tx.execute(query, values).mappings().all()


def one_value(db: Db, query: Executable, values: Values = None) -> Any:
    """The first column of the only row that a query finds; None: it finds none."""
    with reading(db) as tx:
        return tx.execute(query, values).scalar_one_or_none()


def all_values(db: Db, query: Executable, values: Values = None) -> list[Any]:
    """The first column of all rows that a query finds."""
    with reading(db) as tx:
        return list(tx.execute(query, values).scalars())


def write(db: Db, statement: Executable, values: Values = None) -> int:
    """Run one statement that writes; returns how many rows it changed."""
    with writing(db) as tx:
        return tx.execute(statement, values).rowcount


def insert_or_ignore(db: Db, table: Table, **values: Any) -> bool:
    """Insert a row unless one with the same key exists; True if it was inserted."""
    with writing(db) as tx:
        done = tx.execute(insert_ignoring(table, tx.dialect.name), values)
        return done.first() is not None  # the row count is not reliable here


@cache
def insert_ignoring(table: Table, dialect: str) -> Any:
    """The statement; where no row is inserted it returns none."""
    return dialect_insert(dialect)(table).on_conflict_do_nothing().returning(literal(1))


def dialect_insert(dialect: str) -> Any:
    """The database's own INSERT, with ON CONFLICT."""
    return insert_postgresql if dialect == "postgresql" else insert_sqlite


# ------------------------------------------------------------------ the schema's version


def migrate(engine: Engine) -> None:
    """Bring the database to the current schema. Several processes may do so at once."""
    with engine.begin() as tx:
        if engine.dialect.name == "postgresql":
            tx.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _MIGRATION_LOCK})
        revision = database_revision(tx)
        check_revision(revision, "the database")
        if revision == v0010_schema.REPLACES:
            _stamp_first_release(tx)
        command.upgrade(_config(tx), "head")


def _stamp_first_release(tx: Connection) -> None:
    """The unreleased revisions led to the same tables: they are compared, and only the stamp changes."""
    context = MigrationContext.configure(tx, opts={"compare_type": True, "compare_server_default": True})
    for difference in compare_metadata(context, v0010_schema.tables):
        first = difference[0] if isinstance(difference, list) else difference
        words = " ".join(str(part) for part in first if part is not None)
        raise StoreError(f"the database is stamped {v0010_schema.REPLACES}, but its tables differ: {words}")
    command.stamp(_config(tx), v0010_schema.revision, purge=True)


def database_revision(db: Db) -> str:
    """The revision of the schema that the database has; "": it is empty."""
    with reading(db) as tx:
        return MigrationContext.configure(tx).get_current_revision() or ""


def code_revision() -> str:
    """The revision that this code works with."""
    return _scripts().get_current_head() or ""


def check_revision(revision: str, what: str) -> None:
    """Refuse a database, or a backup, whose schema this code cannot bring up to date."""
    known = {"", v0010_schema.REPLACES, *(script.revision for script in _scripts().walk_revisions())}
    if revision in known:
        return
    if revision < v0010_schema.REPLACES:
        raise StoreError(
            f"{what} has schema {revision}, older than {v0010_schema.REPLACES}: open it once with the last "
            "version before this one, which brings it up to date, or start with a new database"
        )
    raise StoreError(f"{what} has schema {revision}: it was made by newer code")


@cache
def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config())


def _config(tx: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = tx
    return config
