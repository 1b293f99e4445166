"""The tables of the open window, of time and of mail; the others are in `schema`."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
    text,
)

from pbem.store.schema import (
    DEADLINE_KINDS,
    DEADLINE_STATES,
    INBOX_STATES,
    OUTBOX_STATES,
    WINDOW_STATES,
    RowId,
    UtcDateTime,
    campaign_column,
    new_table,
    one_of,
    person_column,
)


def _partial(name: str, where: str, *columns: str) -> Index:
    """A partial index: it stays small while the table grows over the years."""
    return Index(name, *columns, sqlite_where=text(where), postgresql_where=text(where))


# ------------------------------------------------------------------ the open window

windows = new_table(
    "windows",
    campaign_column(primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("branch", Integer, nullable=False),
    Column("key", Text, nullable=False),  # the game's name for it
    Column("kind", String(40), nullable=False),  # phase kind: which clock runs
    Column("seats", JSON, nullable=False),  # awaited
    Column("once", Boolean, nullable=False),
    Column("carried", Text, nullable=False, server_default=text("''")),  # JSON: an earlier window's orders
    Column("state", String(12), nullable=False),
    Column("opened_at", UtcDateTime, nullable=False),
    Column("closed_at", UtcDateTime),
    one_of("state", WINDOW_STATES),
)

_IN_WINDOW = (["campaign", "window"], ["windows.campaign", "windows.number"])

standing_orders = new_table(
    "standing_orders",
    campaign_column(primary_key=True),
    Column("seat", String(40), primary_key=True),
    Column("text", Text, nullable=False),  # canonical notation; "": none are left
    Column("filed_at", UtcDateTime, nullable=False),
    Column("dated_at", UtcDateTime),  # Date of the last letter that changed them, if plausible
    Column("arrived_at", UtcDateTime),  # NULL: no letter has
)

sheets = new_table(
    "sheets",
    campaign_column(primary_key=True),
    Column("window", Integer, primary_key=True),
    Column("seat", String(40), primary_key=True),
    Column("orders", Text, nullable=False),  # the good lines
    Column("held", Boolean, nullable=False),  # a bad line holds the sheet until CONFIRM or the deadline
    Column("whole", Text, nullable=False),  # as written, bad lines included
    Column("letter", RowId, ForeignKey("inbox.id", ondelete="SET NULL")),
    Column("dated_at", UtcDateTime),  # the letter's Date, if plausible
    Column("arrived_at", UtcDateTime, nullable=False),
    ForeignKeyConstraint(*_IN_WINDOW),
)

replies = new_table(
    "replies",
    campaign_column(primary_key=True),
    Column("window", Integer, primary_key=True),
    Column("seat", String(40), primary_key=True),
    Column("question", String(200), primary_key=True),
    Column("topic", String(80), nullable=False),
    Column("answer", Text, nullable=False),  # canonical JSON
    Column("umpire", Boolean, nullable=False),  # the umpire answered
    Column("letter", RowId, ForeignKey("inbox.id", ondelete="SET NULL")),
    Column("dated_at", UtcDateTime),
    Column("arrived_at", UtcDateTime, nullable=False),
    ForeignKeyConstraint(*_IN_WINDOW),
)

stances = new_table(
    "stances",
    campaign_column(primary_key=True),
    Column("window", Integer, primary_key=True),
    Column("seat", String(40), primary_key=True),
    Column("stance", String(8)),  # NULL: neither
    Column("letter", RowId, ForeignKey("inbox.id", ondelete="SET NULL")),
    Column("dated_at", UtcDateTime),
    Column("arrived_at", UtcDateTime, nullable=False),
    ForeignKeyConstraint(*_IN_WINDOW),
    one_of("stance", ("ready", "wait")),
)

marks = new_table(
    "marks",
    Column("id", RowId, primary_key=True),
    campaign_column(index=True),
    Column("seat", String(40), nullable=False),
    Column("letter", RowId, ForeignKey("inbox.id", ondelete="SET NULL"), unique=True),
    Column("mark", String(64), nullable=False),
    Column("message_id", Text),  # these three may be erased
    Column("signature", Text),
    Column("salt", Text),
    Column("arrived_at", UtcDateTime, nullable=False),
    Column("t", Integer),  # the Close that contains it
    _partial("ix_marks_open", "t IS NULL", "campaign"),
)

# ------------------------------------------------------------------ time

deadlines = new_table(
    "deadlines",
    Column("id", RowId, primary_key=True),
    campaign_column(),
    Column("window", Integer, nullable=False),
    Column("kind", String(12), nullable=False),
    Column("seat", String(40), nullable=False),  # "": the whole window
    Column("place", Integer, nullable=False),  # first, second reminder
    Column("due_at", UtcDateTime, nullable=False),
    Column("zone", String(64), nullable=False),
    Column("state", String(12), nullable=False),
    Column("done_at", UtcDateTime),
    ForeignKeyConstraint(*_IN_WINDOW),
    UniqueConstraint("campaign", "window", "kind", "seat", "place"),
    Index("ix_deadlines_due", "state", "due_at"),
    one_of("kind", DEADLINE_KINDS),
    one_of("state", DEADLINE_STATES),
)

outages = new_table(
    "outages",
    Column("id", RowId, primary_key=True),
    Column("part", String(40), nullable=False),  # service, or the name of a mailbox
    Column("began_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime),
    Column("answered_at", UtcDateTime),  # deadlines were moved
    UniqueConstraint("part", "began_at"),
)

pulses = new_table(
    "pulses",
    Column("name", String(80), primary_key=True),
    Column("beat_at", UtcDateTime, nullable=False),
    Column("data", JSON, nullable=False),
)

mailboxes = new_table(
    "mailboxes",
    Column("name", String(200), primary_key=True),
    Column("uidvalidity", BigInteger),
    Column("read_to", UtcDateTime),  # whatever the server accepted before is stored
)

# ------------------------------------------------------------------ mail

inbox = new_table(
    "inbox",
    Column("id", RowId, primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),  # of the raw message: each is stored once
    Column("mailbox", String(200), nullable=False),
    Column("raw", LargeBinary),  # may be erased; a large letter's beginning
    Column("size", Integer, nullable=False),
    Column("arrived_at", UtcDateTime, nullable=False),  # when the mail server accepted it
    Column("taken_in_at", UtcDateTime, nullable=False),
    Column("state", String(12), nullable=False),
    Column("reason", String(200), nullable=False),
    Column("campaign", String(40), ForeignKey("campaigns.id")),
    Column("seat", String(40)),
    person_column(index=True),
    Column("sender", String(320), index=True),  # may be erased, as the rest of the letter
    Column("message_id", Text),
    Column("proof", JSON, nullable=False),  # what DKIM said on arrival
    Column("tries", Integer, nullable=False),
    Column("next_try_at", UtcDateTime, nullable=False),
    Column("claimed_by", String(80)),
    Column("claimed_until", UtcDateTime),
    Column("claimed_on", String(80)),  # in which process
    Column("settled_at", UtcDateTime),
    Index("ix_inbox_due", "state", "next_try_at"),
    Index("ix_inbox_message_id", "message_id"),
    one_of("state", INBOX_STATES),
)

# The rest of large letters: some databases rewrite the whole row at every change.
letter_rests = new_table(
    "letter_rests",
    Column("letter", RowId, ForeignKey("inbox.id", ondelete="CASCADE"), primary_key=True),
    Column("rest", LargeBinary, nullable=False),
)

sightings = new_table(
    "sightings",
    Column("mailbox", String(200), primary_key=True),
    Column("uidvalidity", BigInteger, primary_key=True),
    Column("uid", BigInteger, primary_key=True),
    Column("letter", RowId, ForeignKey("inbox.id"), nullable=False, index=True),
    Column("moved", Boolean, nullable=False),  # on the server
)

outbox = new_table(
    "outbox",
    Column("id", RowId, primary_key=True),
    Column("message_id", String(120), nullable=False, unique=True),
    Column("campaign", String(40), ForeignKey("campaigns.id")),
    Column("seat", String(40)),
    person_column(index=True),
    Column("kind", String(20), nullable=False),
    Column("number", Integer),  # the seat's own count of that kind
    Column("window", Integer),
    Column("sender", String(320), nullable=False),  # of the envelope
    Column("recipient", String(320)),  # may be erased, as the bytes
    Column("body", LargeBinary),
    Column("state", String(12), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("unknown", Integer, nullable=False, server_default="0"),  # of these: interrupted, or unanswered
    Column("next_try_at", UtcDateTime, nullable=False),
    Column("claimed_by", String(80)),
    Column("claimed_until", UtcDateTime),
    Column("claimed_on", String(80)),  # in which process
    Column("laid_at", UtcDateTime, nullable=False),
    Column("sent_at", UtcDateTime),
    Column("trouble", String(500), nullable=False),
    UniqueConstraint("campaign", "seat", "kind", "number"),
    Index("ix_outbox_due", "state", "next_try_at"),
    _partial("ix_outbox_waiting", "state = 'waiting'", "campaign", "seat", "kind"),
    one_of("state", OUTBOX_STATES),
)

questions = new_table(
    "questions",
    Column("message_id", String(120), primary_key=True),  # of our letter that asks
    Column("kind", String(40), nullable=False),  # what CONFIRM in reply does
    Column("campaign", String(40), ForeignKey("campaigns.id")),
    Column("seat", String(40)),
    Column("person", RowId, ForeignKey("people.id", ondelete="CASCADE"), index=True),
    Column("letter", RowId, ForeignKey("inbox.id", ondelete="SET NULL")),
    Column("data", JSON, nullable=False),
    Column("asked_at", UtcDateTime, nullable=False),
    Column("settled_at", UtcDateTime),
    Column("outcome", String(20)),
)
