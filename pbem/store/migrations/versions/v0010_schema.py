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


def table(name: str, *parts: Any) -> None:
    Table(name, tables, *parts)


def key(name: str, *parts: Any) -> AnyColumn:
    return Column(name, *parts, primary_key=True)


def required(name: str, *parts: Any, **options: Any) -> AnyColumn:
    return Column(name, *parts, nullable=False, **options)


def optional(name: str, *parts: Any, **options: Any) -> AnyColumn:
    return Column(name, *parts, **options)


def campaign(column: Callable[..., AnyColumn], **options: Any) -> AnyColumn:
    return column("campaign", String(40), ForeignKey("campaigns.id"), **options)


def person(column: Callable[..., AnyColumn], ondelete: str, **options: Any) -> AnyColumn:
    return column("person", ROW, ForeignKey("people.id", ondelete=ondelete), **options)


def letter(**options: Any) -> AnyColumn:
    return optional("letter", ROW, ForeignKey("inbox.id", ondelete="SET NULL"), **options)


def part_of(name: str, **columns: str) -> ForeignKeyConstraint:
    return ForeignKeyConstraint(list(columns), [f"{name}.{column}" for column in columns.values()])


def one_of(column: str, *words: str) -> CheckConstraint:
    listed = ", ".join(f"'{word}'" for word in words)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def partial(name: str, where: str, *columns: str, unique: bool = False) -> Index:
    return Index(name, *columns, unique=unique, sqlite_where=text(where), postgresql_where=text(where))


# fmt: off
table("allowances",
      key("subject", String(340)), key("kind", String(40)), required("since", TIME),
      required("used", Integer))
table("campaigns",
      key("id", String(40)), required("game", String(40)), required("title", String(200)),
      optional("pack", Text), required("policy", JSON), required("state", String(12)), optional("held", Text),
      required("branch", Integer), required("head", LargeBinary), required("length", Integer),
      required("t", Integer), required("burn", Integer, server_default="0"),
      required("letters_from", Integer, server_default="0"), required("revision", Integer),
      required("looked", Integer), required("founded_at", TIME), optional("ended_at", TIME),
      one_of("state", "lobby", "running", "over"))
table("mailboxes",
      key("name", String(200)), optional("uidvalidity", BigInteger), optional("read_to", TIME))
table("outages",
      key("id", ROW), required("part", String(40)), required("began_at", TIME), optional("ended_at", TIME),
      optional("answered_at", TIME), UniqueConstraint("part", "began_at"))
table("people",
      key("id", ROW), required("name", String(200)), required("language", String(8)),
      required("zone", String(64)), required("enrolled_at", TIME))
table("pulses",
      key("name", String(80)), required("beat_at", TIME), required("data", JSON))
table("service_keys",
      key("name", String(40)), required("key", LargeBinary))
table("absences",
      key("id", ROW), person(required, "CASCADE", index=True), campaign(optional),
      required("first_day", Date), required("last_day", Date),
      CheckConstraint("first_day <= last_day", name="order"))
table("addresses",
      key("address", String(320)), person(required, "CASCADE", index=True), required("linked", Boolean),
      required("state", String(12)), optional("signed_since", TIME), required("added_at", TIME),
      one_of("state", "good", "bouncing", "suspended"))
table("branches",
      campaign(key), key("number", Integer), optional("parent", Integer), required("fork", Integer),
      required("told", Integer), required("reason", Text), required("opened_at", TIME))
table("closes",
      campaign(key), key("t", Integer), required("branch", Integer), required("head", LargeBinary),
      optional("window", Integer), required("why", String(12)), required("body", Text),
      required("handed", Text), required("frozen_at", TIME), optional("carried_out_at", TIME),
      optional("claimed_by", String(80)), optional("claimed_until", TIME), optional("claimed_on", String(80)),
      one_of("why", "opening", "all-in", "deadline", "umpire"),
      partial("uq_closes_frozen", "carried_out_at IS NULL", "campaign", unique=True))
table("inbox",
      key("id", ROW), required("digest", String(64), unique=True), required("mailbox", String(200)),
      optional("raw", LargeBinary), required("size", Integer), required("arrived_at", TIME),
      required("taken_in_at", TIME), required("state", String(12)), required("reason", String(200)),
      campaign(optional), optional("seat", String(40)), person(optional, "SET NULL", index=True),
      optional("sender", String(320), index=True), optional("message_id", Text), required("proof", JSON),
      required("tries", Integer), required("next_try_at", TIME), optional("claimed_by", String(80)),
      optional("claimed_until", TIME), optional("claimed_on", String(80)), optional("settled_at", TIME),
      one_of("state", "received", "applied", "held", "refused", "set-aside", "quarantined", "shunted"),
      Index("ix_inbox_due", "state", "next_try_at"), Index("ix_inbox_message_id", "message_id"))
table("members",
      campaign(key), person(key, "CASCADE"), key("role", String(12)), optional("wish", Text),
      required("since", TIME), optional("confirmed_at", TIME), one_of("role", "umpire", "observer", "signup"))
table("outbox",
      key("id", ROW), required("message_id", String(120), unique=True), campaign(optional),
      optional("seat", String(40)), person(optional, "SET NULL", index=True), required("kind", String(20)),
      optional("number", Integer), optional("window", Integer), required("sender", String(320)),
      optional("recipient", String(320)), optional("body", LargeBinary), required("state", String(12)),
      required("attempts", Integer), required("unknown", Integer, server_default="0"),
      required("next_try_at", TIME), optional("claimed_by", String(80)), optional("claimed_until", TIME),
      optional("claimed_on", String(80)), required("laid_at", TIME), optional("sent_at", TIME),
      required("trouble", String(500)), one_of("state", "waiting", "sent", "failed", "withdrawn"),
      UniqueConstraint("campaign", "seat", "kind", "number"), Index("ix_outbox_due", "state", "next_try_at"),
      partial("ix_outbox_waiting", "state = 'waiting'", "campaign", "seat", "kind"))
table("proposals",
      campaign(key), key("number", Integer), required("seat", String(40)), required("kind", String(20)),
      required("data", JSON), required("made_at", TIME), optional("settled_at", TIME),
      optional("outcome", String(20)))
table("seats",
      campaign(key), key("seat", String(40)), required("place", Integer), required("holder", Integer),
      optional("bot", String(40)), required("bank", Integer), required("missed", Integer),
      required("quiet", Boolean, server_default=false()))
table("secrets",
      campaign(key), key("first", Integer), required("chain", LargeBinary), required("length", Integer),
      required("seal_key", LargeBinary), required("bot_seed", LargeBinary), required("mail_key", LargeBinary))
table("standing_orders",
      campaign(key), key("seat", String(40)), required("text", Text), required("filed_at", TIME),
      optional("dated_at", TIME), optional("arrived_at", TIME))
table("umpire_acts",
      key("id", ROW), campaign(required, index=True), person(optional, "SET NULL"),
      required("act", String(40)), required("reason", Text), required("data", JSON),
      required("done_at", TIME))
table("windows",
      campaign(key), key("number", Integer), required("branch", Integer), required("key", Text),
      required("kind", String(40)), required("seats", JSON), required("once", Boolean),
      required("carried", Text, server_default=text("''")), required("state", String(12)),
      required("opened_at", TIME), optional("closed_at", TIME), one_of("state", "open", "frozen", "closed"))
table("assents",
      campaign(key), key("number", Integer), key("seat", String(40)), required("given_at", TIME),
      part_of("proposals", campaign="campaign", number="number"))
table("deadlines",
      key("id", ROW), campaign(required), required("window", Integer), required("kind", String(12)),
      required("seat", String(40)), required("place", Integer), required("due_at", TIME),
      required("zone", String(64)), required("state", String(12)), optional("done_at", TIME),
      one_of("kind", "reminder", "deadline", "grace"), one_of("state", "waiting", "done", "dropped"),
      part_of("windows", campaign="campaign", window="number"),
      UniqueConstraint("campaign", "window", "kind", "seat", "place"),
      Index("ix_deadlines_due", "state", "due_at"))
table("holders",
      campaign(key), key("seat", String(40)), key("number", Integer),
      person(optional, "SET NULL", index=True), required("since", TIME), optional("until", TIME),
      part_of("seats", campaign="campaign", seat="seat"))
table("journal",
      campaign(key), key("branch", Integer), key("sequence", Integer), required("hash", LargeBinary),
      required("raw", LargeBinary), part_of("branches", campaign="campaign", branch="number"))
table("letter_rests",
      key("letter", ROW, ForeignKey("inbox.id", ondelete="CASCADE")), required("rest", LargeBinary))
table("marks",
      key("id", ROW), campaign(required, index=True), required("seat", String(40)),
      letter(unique=True),
      required("mark", String(64)), optional("message_id", Text), optional("signature", Text),
      optional("salt", Text), required("arrived_at", TIME), optional("t", Integer),
      partial("ix_marks_open", "t IS NULL", "campaign"))
table("questions",
      key("message_id", String(120)), required("kind", String(40)), campaign(optional),
      optional("seat", String(40)), person(optional, "CASCADE", index=True), letter(), required("data", JSON),
      required("asked_at", TIME), optional("settled_at", TIME), optional("outcome", String(20)))
table("records",
      campaign(key), key("t", Integer), required("link", String(64)), required("public", LargeBinary),
      required("private", Text), required("seals", Text), required("head", String(64)),
      required("rolls", Integer), part_of("closes", campaign="campaign", t="t"))
table("replies",
      campaign(key), key("window", Integer), key("seat", String(40)), key("question", String(200)),
      required("topic", String(80)), required("answer", Text), required("umpire", Boolean), letter(),
      optional("dated_at", TIME), required("arrived_at", TIME),
      part_of("windows", campaign="campaign", window="number"))
table("sheets",
      campaign(key), key("window", Integer), key("seat", String(40)), required("orders", Text),
      required("held", Boolean), required("whole", Text), letter(), optional("dated_at", TIME),
      required("arrived_at", TIME), part_of("windows", campaign="campaign", window="number"))
table("sightings",
      key("mailbox", String(200)), key("uidvalidity", BigInteger), key("uid", BigInteger),
      required("letter", ROW, ForeignKey("inbox.id"), index=True), required("moved", Boolean))
table("snapshots",
      campaign(key), key("branch", Integer), key("line", Integer), required("head", LargeBinary),
      required("state", LargeBinary), required("segment", Text), required("window", Text),
      required("t", Integer), required("version", Integer),
      part_of("branches", campaign="campaign", branch="number"))
table("stances",
      campaign(key), key("window", Integer), key("seat", String(40)), optional("stance", String(8)), letter(),
      optional("dated_at", TIME), required("arrived_at", TIME), one_of("stance", "ready", "wait"),
      part_of("windows", campaign="campaign", window="number"))
