"""The schema as it was first released.

It replaces the revisions 0001 to 0009, which were never released: what they led to is exactly this, so a
database at 0009 only gets a new stamp (`session.migrate`). The tables are written down a second time, apart
from `pbem.store.schema`, because a revision must not change when the schema does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from alembic import op
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

revision = "0010"
down_revision = None
branch_labels = None
depends_on = None

REPLACES = "0009"
ROW = BigInteger().with_variant(Integer(), "sqlite")
TIME = DateTime(timezone=True)

tables = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)


def upgrade() -> None:
    tables.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    tables.drop_all(op.get_bind(), checkfirst=False)


AnyColumn: TypeAlias = Column[Any]


def _table(name: str, *parts: Any) -> None:
    Table(name, tables, *parts)


def _key(name: str, *parts: Any) -> AnyColumn:
    return Column(name, *parts, primary_key=True)


def _required(name: str, *parts: Any, **options: Any) -> AnyColumn:
    return Column(name, *parts, nullable=False, **options)


def _optional(name: str, *parts: Any, **options: Any) -> AnyColumn:
    return Column(name, *parts, **options)


def _campaign(column: Callable[..., AnyColumn], **options: Any) -> AnyColumn:
    return column("campaign", String(40), ForeignKey("campaigns.id"), **options)


def _person(column: Callable[..., AnyColumn], ondelete: str, **options: Any) -> AnyColumn:
    return column("person", ROW, ForeignKey("people.id", ondelete=ondelete), **options)


def _letter(**options: Any) -> AnyColumn:
    return _optional("letter", ROW, ForeignKey("inbox.id", ondelete="SET NULL"), **options)


def _part_of(name: str, **columns: str) -> ForeignKeyConstraint:
    return ForeignKeyConstraint(list(columns), [f"{name}.{column}" for column in columns.values()])


def _one_of(column: str, *words: str) -> CheckConstraint:
    listed = ", ".join(f"'{word}'" for word in words)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def _partial(name: str, where: str, *columns: str, unique: bool = False) -> Index:
    return Index(name, *columns, unique=unique, sqlite_where=text(where), postgresql_where=text(where))


# fmt: off
_table("allowances",
       _key("subject", String(340)), _key("kind", String(40)), _required("since", TIME),
       _required("used", Integer))
_table("campaigns",
       _key("id", String(40)), _required("game", String(40)), _required("title", String(200)),
       _optional("pack", Text), _required("policy", JSON), _required("state", String(12)),
       _optional("held", Text), _required("branch", Integer), _required("head", LargeBinary),
       _required("length", Integer), _required("t", Integer), _required("burn", Integer, server_default="0"),
       _required("letters_from", Integer, server_default="0"), _required("revision", Integer),
       _required("looked", Integer), _required("founded_at", TIME), _optional("ended_at", TIME),
       _one_of("state", "lobby", "running", "over"))
_table("mailboxes",
       _key("name", String(200)), _optional("uidvalidity", BigInteger), _optional("read_to", TIME))
_table("outages",
       _key("id", ROW), _required("part", String(40)), _required("began_at", TIME),
       _optional("ended_at", TIME), _optional("answered_at", TIME), UniqueConstraint("part", "began_at"))
_table("people",
       _key("id", ROW), _required("name", String(200)), _required("language", String(8)),
       _required("zone", String(64)), _required("enrolled_at", TIME))
_table("pulses",
       _key("name", String(80)), _required("beat_at", TIME), _required("data", JSON))
_table("service_keys",
       _key("name", String(40)), _required("key", LargeBinary))
_table("absences",
       _key("id", ROW), _person(_required, "CASCADE", index=True), _campaign(_optional),
       _required("first_day", Date), _required("last_day", Date),
       CheckConstraint("first_day <= last_day", name="order"))
_table("addresses",
       _key("address", String(320)), _person(_required, "CASCADE", index=True), _required("linked", Boolean),
       _required("state", String(12)), _optional("signed_since", TIME), _required("added_at", TIME),
       _one_of("state", "good", "bouncing", "suspended"))
_table("branches",
       _campaign(_key), _key("number", Integer), _optional("parent", Integer), _required("fork", Integer),
       _required("told", Integer), _required("reason", Text), _required("opened_at", TIME))
_table("closes",
       _campaign(_key), _key("t", Integer), _required("branch", Integer), _required("head", LargeBinary),
       _optional("window", Integer), _required("why", String(12)), _required("body", Text),
       _required("handed", Text), _required("frozen_at", TIME), _optional("carried_out_at", TIME),
       _optional("claimed_by", String(80)), _optional("claimed_until", TIME),
       _optional("claimed_on", String(80)), _one_of("why", "opening", "all-in", "deadline", "umpire"),
       _partial("uq_closes_frozen", "carried_out_at IS NULL", "campaign", unique=True))
_table("inbox",
       _key("id", ROW), _required("digest", String(64), unique=True), _required("mailbox", String(200)),
       _optional("raw", LargeBinary), _required("size", Integer), _required("arrived_at", TIME),
       _required("taken_in_at", TIME), _required("state", String(12)), _required("reason", String(200)),
       _campaign(_optional), _optional("seat", String(40)), _person(_optional, "SET NULL", index=True),
       _optional("sender", String(320), index=True), _optional("message_id", Text), _required("proof", JSON),
       _required("tries", Integer), _required("next_try_at", TIME), _optional("claimed_by", String(80)),
       _optional("claimed_until", TIME), _optional("claimed_on", String(80)), _optional("settled_at", TIME),
       _one_of("state", "received", "applied", "held", "refused", "set-aside", "quarantined", "shunted"),
       Index("ix_inbox_due", "state", "next_try_at"), Index("ix_inbox_message_id", "message_id"))
_table("members",
       _campaign(_key), _person(_key, "CASCADE"), _key("role", String(12)), _optional("wish", Text),
       _required("since", TIME), _optional("confirmed_at", TIME),
       _one_of("role", "umpire", "observer", "signup"))
_table("outbox",
       _key("id", ROW), _required("message_id", String(120), unique=True), _campaign(_optional),
       _optional("seat", String(40)), _person(_optional, "SET NULL", index=True),
       _required("kind", String(20)), _optional("number", Integer), _optional("window", Integer),
       _required("sender", String(320)), _optional("recipient", String(320)), _optional("body", LargeBinary),
       _required("state", String(12)), _required("attempts", Integer),
       _required("unknown", Integer, server_default="0"), _required("next_try_at", TIME),
       _optional("claimed_by", String(80)), _optional("claimed_until", TIME),
       _optional("claimed_on", String(80)), _required("laid_at", TIME), _optional("sent_at", TIME),
       _required("trouble", String(500)), _one_of("state", "waiting", "sent", "failed", "withdrawn"),
       UniqueConstraint("campaign", "seat", "kind", "number"), Index("ix_outbox_due", "state", "next_try_at"),
       _partial("ix_outbox_waiting", "state = 'waiting'", "campaign", "seat", "kind"))
_table("proposals",
       _campaign(_key), _key("number", Integer), _required("seat", String(40)), _required("kind", String(20)),
       _required("data", JSON), _required("made_at", TIME), _optional("settled_at", TIME),
       _optional("outcome", String(20)))
_table("seats",
       _campaign(_key), _key("seat", String(40)), _required("place", Integer), _required("holder", Integer),
       _optional("bot", String(40)), _required("bank", Integer), _required("missed", Integer),
       _required("quiet", Boolean, server_default=false()))
_table("secrets",
       _campaign(_key), _key("first", Integer), _required("chain", LargeBinary), _required("length", Integer),
       _required("seal_key", LargeBinary), _required("bot_seed", LargeBinary),
       _required("mail_key", LargeBinary))
_table("standing_orders",
       _campaign(_key), _key("seat", String(40)), _required("text", Text), _required("filed_at", TIME),
       _optional("dated_at", TIME), _optional("arrived_at", TIME))
_table("umpire_acts",
       _key("id", ROW), _campaign(_required, index=True), _person(_optional, "SET NULL"),
       _required("act", String(40)), _required("reason", Text), _required("data", JSON),
       _required("done_at", TIME))
_table("windows",
       _campaign(_key), _key("number", Integer), _required("branch", Integer), _required("key", Text),
       _required("kind", String(40)), _required("seats", JSON), _required("once", Boolean),
       _required("carried", Text, server_default=text("''")), _required("state", String(12)),
       _required("opened_at", TIME), _optional("closed_at", TIME),
       _one_of("state", "open", "frozen", "closed"))
_table("assents",
       _campaign(_key), _key("number", Integer), _key("seat", String(40)), _required("given_at", TIME),
       _part_of("proposals", campaign="campaign", number="number"))
_table("deadlines",
       _key("id", ROW), _campaign(_required), _required("window", Integer), _required("kind", String(12)),
       _required("seat", String(40)), _required("place", Integer), _required("due_at", TIME),
       _required("zone", String(64)), _required("state", String(12)), _optional("done_at", TIME),
       _one_of("kind", "reminder", "deadline", "grace"), _one_of("state", "waiting", "done", "dropped"),
       _part_of("windows", campaign="campaign", window="number"),
       UniqueConstraint("campaign", "window", "kind", "seat", "place"),
       Index("ix_deadlines_due", "state", "due_at"))
_table("holders",
       _campaign(_key), _key("seat", String(40)), _key("number", Integer),
       _person(_optional, "SET NULL", index=True), _required("since", TIME), _optional("until", TIME),
       _part_of("seats", campaign="campaign", seat="seat"))
_table("journal",
       _campaign(_key), _key("branch", Integer), _key("sequence", Integer), _required("hash", LargeBinary),
       _required("raw", LargeBinary), _part_of("branches", campaign="campaign", branch="number"))
_table("letter_rests",
       _key("letter", ROW, ForeignKey("inbox.id", ondelete="CASCADE")), _required("rest", LargeBinary))
_table("marks",
       _key("id", ROW), _campaign(_required, index=True), _required("seat", String(40)),
       _letter(unique=True),
       _required("mark", String(64)), _optional("message_id", Text), _optional("signature", Text),
       _optional("salt", Text), _required("arrived_at", TIME), _optional("t", Integer),
       _partial("ix_marks_open", "t IS NULL", "campaign"))
_table("questions",
       _key("message_id", String(120)), _required("kind", String(40)), _campaign(_optional),
       _optional("seat", String(40)), _person(_optional, "CASCADE", index=True), _letter(),
       _required("data", JSON), _required("asked_at", TIME), _optional("settled_at", TIME),
       _optional("outcome", String(20)))
_table("records",
       _campaign(_key), _key("t", Integer), _required("link", String(64)), _required("public", LargeBinary),
       _required("private", Text), _required("seals", Text), _required("head", String(64)),
       _required("rolls", Integer), _part_of("closes", campaign="campaign", t="t"))
_table("replies",
       _campaign(_key), _key("window", Integer), _key("seat", String(40)), _key("question", String(200)),
       _required("topic", String(80)), _required("answer", Text), _required("umpire", Boolean), _letter(),
       _optional("dated_at", TIME), _required("arrived_at", TIME),
       _part_of("windows", campaign="campaign", window="number"))
_table("sheets",
       _campaign(_key), _key("window", Integer), _key("seat", String(40)), _required("orders", Text),
       _required("held", Boolean), _required("whole", Text), _letter(), _optional("dated_at", TIME),
       _required("arrived_at", TIME), _part_of("windows", campaign="campaign", window="number"))
_table("sightings",
       _key("mailbox", String(200)), _key("uidvalidity", BigInteger), _key("uid", BigInteger),
       _required("letter", ROW, ForeignKey("inbox.id"), index=True), _required("moved", Boolean))
_table("snapshots",
       _campaign(_key), _key("branch", Integer), _key("line", Integer), _required("head", LargeBinary),
       _required("state", LargeBinary), _required("segment", Text), _required("window", Text),
       _required("t", Integer), _required("version", Integer),
       _part_of("branches", campaign="campaign", branch="number"))
_table("stances",
       _campaign(_key), _key("window", Integer), _key("seat", String(40)), _optional("stance", String(8)),
       _letter(), _optional("dated_at", TIME), _required("arrived_at", TIME),
       _one_of("stance", "ready", "wait"), _part_of("windows", campaign="campaign", window="number"))
