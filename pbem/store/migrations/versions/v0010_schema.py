"""The schema as it was first released.

It replaces the revisions 0001 to 0009, which were never released: what they led to is exactly this, so a
database at 0009 only gets a new stamp (`session.migrate`). The tables are written down a second time, apart
from `pbem.store.schema`, because a revision must not change when the schema does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from alembic import op
from sqlalchemy import CheckConstraint, ForeignKey, Index, MetaData, Table, UniqueConstraint, false, text
from sqlalchemy.types import JSON, BigInteger, Boolean, Date, DateTime, Integer, LargeBinary, String, Text

from pbem.store.columns import NAMING, AnyColumn, keyed, one_of, optional, part_of, partial, required

revision = "0010"
down_revision = None
branch_labels = None
depends_on = None

REPLACES = "0009"
ROW = BigInteger().with_variant(Integer(), "sqlite")
TIME = DateTime(timezone=True)

tables = MetaData(naming_convention=NAMING)


def upgrade() -> None:
    tables.create_all(op.get_bind(), checkfirst=False)


def downgrade() -> None:
    tables.drop_all(op.get_bind(), checkfirst=False)


def _table(name: str, *parts: Any) -> None:
    Table(name, tables, *parts)


def _campaign(column: Callable[..., AnyColumn], **options: Any) -> AnyColumn:
    return column("campaign", String(40), ForeignKey("campaigns.id"), **options)


def _person(column: Callable[..., AnyColumn], ondelete: str, **options: Any) -> AnyColumn:
    return column("person", ROW, ForeignKey("people.id", ondelete=ondelete), **options)


def _letter(**options: Any) -> AnyColumn:
    return optional("letter", ROW, ForeignKey("inbox.id", ondelete="SET NULL"), **options)


# fmt: off
_table("allowances",
       keyed("subject", String(340)), keyed("kind", String(40)), required("since", TIME),
       required("used", Integer))
_table("campaigns",
       keyed("id", String(40)), required("game", String(40)), required("title", String(200)),
       optional("pack", Text), required("policy", JSON), required("state", String(12)),
       optional("held", Text), required("branch", Integer), required("head", LargeBinary),
       required("length", Integer), required("t", Integer), required("burn", Integer, server_default="0"),
       required("letters_from", Integer, server_default="0"), required("revision", Integer),
       required("looked", Integer), required("founded_at", TIME), optional("ended_at", TIME),
       one_of("state", "lobby", "running", "over"))
_table("mailboxes",
       keyed("name", String(200)), optional("uidvalidity", BigInteger), optional("read_to", TIME))
_table("outages",
       keyed("id", ROW), required("part", String(40)), required("began_at", TIME),
       optional("ended_at", TIME), optional("answered_at", TIME), UniqueConstraint("part", "began_at"))
_table("people",
       keyed("id", ROW), required("name", String(200)), required("language", String(8)),
       required("zone", String(64)), required("enrolled_at", TIME))
_table("pulses",
       keyed("name", String(80)), required("beat_at", TIME), required("data", JSON))
_table("service_keys",
       keyed("name", String(40)), required("key", LargeBinary))
_table("absences",
       keyed("id", ROW), _person(required, "CASCADE", index=True), _campaign(optional),
       required("first_day", Date), required("last_day", Date),
       CheckConstraint("first_day <= last_day", name="order"))
_table("addresses",
       keyed("address", String(320)), _person(required, "CASCADE", index=True), required("linked", Boolean),
       required("state", String(12)), optional("signed_since", TIME), required("added_at", TIME),
       one_of("state", "good", "bouncing", "suspended"))
_table("branches",
       _campaign(keyed), keyed("number", Integer), optional("parent", Integer), required("fork", Integer),
       required("told", Integer), required("reason", Text), required("opened_at", TIME))
_table("closes",
       _campaign(keyed), keyed("t", Integer), required("branch", Integer), required("head", LargeBinary),
       optional("window", Integer), required("why", String(12)), required("body", Text),
       required("handed", Text), required("frozen_at", TIME), optional("carried_out_at", TIME),
       optional("claimed_by", String(80)), optional("claimed_until", TIME),
       optional("claimed_on", String(80)), one_of("why", "opening", "all-in", "deadline", "umpire"),
       partial("uq_closes_frozen", "carried_out_at IS NULL", "campaign", unique=True))
_table("inbox",
       keyed("id", ROW), required("digest", String(64), unique=True), required("mailbox", String(200)),
       optional("raw", LargeBinary), required("size", Integer), required("arrived_at", TIME),
       required("taken_in_at", TIME), required("state", String(12)), required("reason", String(200)),
       _campaign(optional), optional("seat", String(40)), _person(optional, "SET NULL", index=True),
       optional("sender", String(320), index=True), optional("message_id", Text), required("proof", JSON),
       required("tries", Integer), required("next_try_at", TIME), optional("claimed_by", String(80)),
       optional("claimed_until", TIME), optional("claimed_on", String(80)), optional("settled_at", TIME),
       one_of("state", "received", "applied", "held", "refused", "set-aside", "quarantined", "shunted"),
       Index("ix_inbox_due", "state", "next_try_at"), Index("ix_inbox_message_id", "message_id"))
_table("members",
       _campaign(keyed), _person(keyed, "CASCADE"), keyed("role", String(12)), optional("wish", Text),
       required("since", TIME), optional("confirmed_at", TIME),
       one_of("role", "umpire", "observer", "signup"))
_table("outbox",
       keyed("id", ROW), required("message_id", String(120), unique=True), _campaign(optional),
       optional("seat", String(40)), _person(optional, "SET NULL", index=True),
       required("kind", String(20)), optional("number", Integer), optional("window", Integer),
       required("sender", String(320)), optional("recipient", String(320)), optional("body", LargeBinary),
       required("state", String(12)), required("attempts", Integer),
       required("unknown", Integer, server_default="0"), required("next_try_at", TIME),
       optional("claimed_by", String(80)), optional("claimed_until", TIME),
       optional("claimed_on", String(80)), required("laid_at", TIME), optional("sent_at", TIME),
       required("trouble", String(500)), one_of("state", "waiting", "sent", "failed", "withdrawn"),
       UniqueConstraint("campaign", "seat", "kind", "number"), Index("ix_outbox_due", "state", "next_try_at"),
       partial("ix_outbox_waiting", "state = 'waiting'", "campaign", "seat", "kind"))
_table("proposals",
       _campaign(keyed), keyed("number", Integer), required("seat", String(40)), required("kind", String(20)),
       required("data", JSON), required("made_at", TIME), optional("settled_at", TIME),
       optional("outcome", String(20)))
_table("seats",
       _campaign(keyed), keyed("seat", String(40)), required("place", Integer), required("holder", Integer),
       optional("bot", String(40)), required("bank", Integer), required("missed", Integer),
       required("quiet", Boolean, server_default=false()))
_table("secrets",
       _campaign(keyed), keyed("first", Integer), required("chain", LargeBinary), required("length", Integer),
       required("seal_key", LargeBinary), required("bot_seed", LargeBinary),
       required("mail_key", LargeBinary))
_table("standing_orders",
       _campaign(keyed), keyed("seat", String(40)), required("text", Text), required("filed_at", TIME),
       optional("dated_at", TIME), optional("arrived_at", TIME))
_table("umpire_acts",
       keyed("id", ROW), _campaign(required, index=True), _person(optional, "SET NULL"),
       required("act", String(40)), required("reason", Text), required("data", JSON),
       required("done_at", TIME))
_table("windows",
       _campaign(keyed), keyed("number", Integer), required("branch", Integer), required("key", Text),
       required("kind", String(40)), required("seats", JSON), required("once", Boolean),
       required("carried", Text, server_default=text("''")), required("state", String(12)),
       required("opened_at", TIME), optional("closed_at", TIME),
       one_of("state", "open", "frozen", "closed"))
_table("assents",
       _campaign(keyed), keyed("number", Integer), keyed("seat", String(40)), required("given_at", TIME),
       part_of("proposals", campaign="campaign", number="number"))
_table("deadlines",
       keyed("id", ROW), _campaign(required), required("window", Integer), required("kind", String(12)),
       required("seat", String(40)), required("place", Integer), required("due_at", TIME),
       required("zone", String(64)), required("state", String(12)), optional("done_at", TIME),
       one_of("kind", "reminder", "deadline", "grace"), one_of("state", "waiting", "done", "dropped"),
       part_of("windows", campaign="campaign", window="number"),
       UniqueConstraint("campaign", "window", "kind", "seat", "place"),
       Index("ix_deadlines_due", "state", "due_at"))
_table("holders",
       _campaign(keyed), keyed("seat", String(40)), keyed("number", Integer),
       _person(optional, "SET NULL", index=True), required("since", TIME), optional("until", TIME),
       part_of("seats", campaign="campaign", seat="seat"))
_table("journal",
       _campaign(keyed), keyed("branch", Integer), keyed("sequence", Integer), required("hash", LargeBinary),
       required("raw", LargeBinary), part_of("branches", campaign="campaign", branch="number"))
_table("letter_rests",
       keyed("letter", ROW, ForeignKey("inbox.id", ondelete="CASCADE")), required("rest", LargeBinary))
_table("marks",
       keyed("id", ROW), _campaign(required, index=True), required("seat", String(40)),
       _letter(unique=True),
       required("mark", String(64)), optional("message_id", Text), optional("signature", Text),
       optional("salt", Text), required("arrived_at", TIME), optional("t", Integer),
       partial("ix_marks_open", "t IS NULL", "campaign"))
_table("questions",
       keyed("message_id", String(120)), required("kind", String(40)), _campaign(optional),
       optional("seat", String(40)), _person(optional, "CASCADE", index=True), _letter(),
       required("data", JSON), required("asked_at", TIME), optional("settled_at", TIME),
       optional("outcome", String(20)))
_table("records",
       _campaign(keyed), keyed("t", Integer), required("link", String(64)), required("public", LargeBinary),
       required("private", Text), required("seals", Text), required("head", String(64)),
       required("rolls", Integer), part_of("closes", campaign="campaign", t="t"))
_table("replies",
       _campaign(keyed), keyed("window", Integer), keyed("seat", String(40)), keyed("question", String(200)),
       required("topic", String(80)), required("answer", Text), required("umpire", Boolean), _letter(),
       optional("dated_at", TIME), required("arrived_at", TIME),
       part_of("windows", campaign="campaign", window="number"))
_table("sheets",
       _campaign(keyed), keyed("window", Integer), keyed("seat", String(40)), required("orders", Text),
       required("held", Boolean), required("whole", Text), _letter(), optional("dated_at", TIME),
       required("arrived_at", TIME), part_of("windows", campaign="campaign", window="number"))
_table("sightings",
       keyed("mailbox", String(200)), keyed("uidvalidity", BigInteger), keyed("uid", BigInteger),
       required("letter", ROW, ForeignKey("inbox.id"), index=True), required("moved", Boolean))
_table("snapshots",
       _campaign(keyed), keyed("branch", Integer), keyed("line", Integer), required("head", LargeBinary),
       required("state", LargeBinary), required("segment", Text), required("window", Text),
       required("t", Integer), required("version", Integer),
       part_of("branches", campaign="campaign", branch="number"))
_table("stances",
       _campaign(keyed), keyed("window", Integer), keyed("seat", String(40)), optional("stance", String(8)),
       _letter(), optional("dated_at", TIME), required("arrived_at", TIME),
       one_of("stance", "ready", "wait"), part_of("windows", campaign="campaign", window="number"))
