"""The tables of the open window, of time and of mail; the others are in `schema`."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, ForeignKey, Index, Table, UniqueConstraint, text
from sqlalchemy.types import JSON, BigInteger, Boolean, Integer, LargeBinary, String, Text

from pbem.store.columns import RowId, UtcDateTime, keyed, one_of, optional, part_of, partial, required
from pbem.store.schema import INBOX_STATES, OUTBOX_STATES, campaign_column, new_table, person_column


def _letter_column(**options: Any) -> Column[Any]:
    """NULL after the letter was erased."""
    return optional("letter", RowId, ForeignKey("inbox.id", ondelete="SET NULL"), **options)


def _filed_table(name: str, *parts: Any) -> Table:
    """What the seats have on file for a window, with the letter that brought it."""
    return new_table(
        name,
        campaign_column(keyed),
        keyed("window", Integer),
        keyed("seat", String(40)),
        *parts,
        _letter_column(),
        optional("dated_at", UtcDateTime),  # the letter's Date, if plausible
        required("arrived_at", UtcDateTime),
        part_of("windows", campaign="campaign", window="number"),
    )


# ------------------------------------------------------------------ the open window

windows = new_table(
    "windows",
    campaign_column(keyed),
    keyed("number", Integer),
    required("branch", Integer),
    required("key", Text),  # the game's name for it
    required("kind", String(40)),  # phase kind: which clock runs
    required("seats", JSON),  # awaited
    required("once", Boolean),
    required("carried", Text, server_default=text("''")),  # JSON: an earlier window's orders
    required("state", String(12)),
    required("opened_at", UtcDateTime),
    optional("closed_at", UtcDateTime),
    one_of("state", "open", "frozen", "closed"),
)

standing_orders = new_table(
    "standing_orders",
    campaign_column(keyed),
    keyed("seat", String(40)),
    required("text", Text),  # canonical notation; "": none are left
    required("filed_at", UtcDateTime),
    optional("dated_at", UtcDateTime),  # Date of the last letter that changed them, if plausible
    optional("arrived_at", UtcDateTime),  # NULL: no letter has
)

sheets = _filed_table(
    "sheets",
    required("orders", Text),  # the good lines
    required("held", Boolean),  # a bad line holds the sheet until CONFIRM or the deadline
    required("whole", Text),  # as written, bad lines included
)

replies = _filed_table(
    "replies",
    keyed("question", String(200)),
    required("topic", String(80)),
    required("answer", Text),  # canonical JSON
    required("umpire", Boolean),  # the umpire answered
)

stances = _filed_table(
    "stances",
    optional("stance", String(8)),  # NULL: neither
    one_of("stance", "ready", "wait"),
)

marks = new_table(
    "marks",
    keyed("id", RowId),
    campaign_column(required, index=True),
    required("seat", String(40)),
    _letter_column(unique=True),
    required("mark", String(64)),
    optional("message_id", Text),  # these three may be erased
    optional("signature", Text),
    optional("salt", Text),
    required("arrived_at", UtcDateTime),
    optional("t", Integer),  # the Close that contains it
    partial("ix_marks_open", "t IS NULL", "campaign"),
)

# ------------------------------------------------------------------ time

deadlines = new_table(
    "deadlines",
    keyed("id", RowId),
    campaign_column(required),
    required("window", Integer),
    required("kind", String(12)),
    required("seat", String(40)),  # "": the whole window
    required("place", Integer),  # first, second reminder
    required("due_at", UtcDateTime),
    required("zone", String(64)),
    required("state", String(12)),
    optional("done_at", UtcDateTime),
    part_of("windows", campaign="campaign", window="number"),
    UniqueConstraint("campaign", "window", "kind", "seat", "place"),
    Index("ix_deadlines_due", "state", "due_at"),
    one_of("kind", "reminder", "deadline", "grace"),
    one_of("state", "waiting", "done", "dropped"),
)

outages = new_table(
    "outages",
    keyed("id", RowId),
    required("part", String(40)),  # service, or the name of a mailbox
    required("began_at", UtcDateTime),
    optional("ended_at", UtcDateTime),
    optional("answered_at", UtcDateTime),  # deadlines were moved
    UniqueConstraint("part", "began_at"),
)

pulses = new_table(
    "pulses",
    keyed("name", String(80)),
    required("beat_at", UtcDateTime),
    required("data", JSON),
)

mailboxes = new_table(
    "mailboxes",
    keyed("name", String(200)),
    optional("uidvalidity", BigInteger),
    optional("read_to", UtcDateTime),  # whatever the server accepted before is stored
)

# ------------------------------------------------------------------ mail

inbox = new_table(
    "inbox",
    keyed("id", RowId),
    required("digest", String(64), unique=True),  # of the raw message: each is stored once
    required("mailbox", String(200)),
    optional("raw", LargeBinary),  # may be erased; a large letter's beginning
    required("size", Integer),
    required("arrived_at", UtcDateTime),  # when the mail server accepted it
    required("taken_in_at", UtcDateTime),
    required("state", String(12)),
    required("reason", String(200)),
    campaign_column(optional),
    optional("seat", String(40)),
    person_column(optional, "SET NULL", index=True),
    optional("sender", String(320), index=True),  # may be erased, as the rest of the letter
    optional("message_id", Text),
    required("proof", JSON),  # what DKIM said on arrival
    required("tries", Integer),
    required("next_try_at", UtcDateTime),
    optional("claimed_by", String(80)),
    optional("claimed_until", UtcDateTime),
    optional("claimed_on", String(80)),  # in which process
    optional("settled_at", UtcDateTime),
    Index("ix_inbox_due", "state", "next_try_at"),
    Index("ix_inbox_message_id", "message_id"),
    one_of("state", *INBOX_STATES),
)

# The rest of large letters: some databases rewrite the whole row at every change.
letter_rests = new_table(
    "letter_rests",
    keyed("letter", RowId, ForeignKey("inbox.id", ondelete="CASCADE")),
    required("rest", LargeBinary),
)

sightings = new_table(
    "sightings",
    keyed("mailbox", String(200)),
    keyed("uidvalidity", BigInteger),
    keyed("uid", BigInteger),
    required("letter", RowId, ForeignKey("inbox.id"), index=True),
    required("moved", Boolean),  # on the server
)

outbox = new_table(
    "outbox",
    keyed("id", RowId),
    required("message_id", String(120), unique=True),
    campaign_column(optional),
    optional("seat", String(40)),
    person_column(optional, "SET NULL", index=True),
    required("kind", String(20)),
    optional("number", Integer),  # the seat's own count of that kind
    optional("window", Integer),
    required("sender", String(320)),  # of the envelope
    optional("recipient", String(320)),  # may be erased, as the bytes
    optional("body", LargeBinary),
    required("state", String(12)),
    required("attempts", Integer),
    required("unknown", Integer, server_default="0"),  # of these: interrupted, or unanswered
    required("next_try_at", UtcDateTime),
    optional("claimed_by", String(80)),
    optional("claimed_until", UtcDateTime),
    optional("claimed_on", String(80)),  # in which process
    required("laid_at", UtcDateTime),
    optional("sent_at", UtcDateTime),
    required("trouble", String(500)),
    UniqueConstraint("campaign", "seat", "kind", "number"),
    Index("ix_outbox_due", "state", "next_try_at"),
    partial("ix_outbox_waiting", "state = 'waiting'", "campaign", "seat", "kind"),
    one_of("state", *OUTBOX_STATES),
)

questions = new_table(
    "questions",
    keyed("message_id", String(120)),  # of our letter that asks
    required("kind", String(40)),  # what CONFIRM in reply does
    campaign_column(optional),
    optional("seat", String(40)),
    person_column(optional, "CASCADE", index=True),
    _letter_column(),
    required("data", JSON),
    required("asked_at", UtcDateTime),
    optional("settled_at", UtcDateTime),
    optional("outcome", String(20)),
)
