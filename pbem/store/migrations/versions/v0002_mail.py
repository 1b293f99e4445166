"""The open window, time, and the mail."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from pbem.store.schema import RowId, UtcDateTime

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

TABLES = (
    "mailboxes",
    "outages",
    "pulses",
    "inbox",
    "outbox",
    "standing_orders",
    "windows",
    "deadlines",
    "marks",
    "questions",
    "replies",
    "sheets",
    "sightings",
    "stances",
)


def upgrade() -> None:
    _create_mailboxes()
    _create_outages()
    _create_pulses()
    _create_inbox()
    _create_outbox()
    _create_standing_orders()
    _create_windows()
    _create_deadlines()
    _create_marks()
    _create_questions()
    _create_replies()
    _create_sheets()
    _create_sightings()
    _create_stances()


def downgrade() -> None:
    for table in reversed(TABLES):
        op.drop_table(table)


def _create_mailboxes() -> None:
    op.create_table(
        "mailboxes",
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("uidvalidity", sa.BigInteger(), nullable=True),
        sa.Column("read_to", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_mailboxes")),
    )


def _create_outages() -> None:
    op.create_table(
        "outages",
        sa.Column("id", RowId, nullable=False),
        sa.Column("part", sa.String(length=40), nullable=False),
        sa.Column("began_at", UtcDateTime(), nullable=False),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.Column("answered_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outages")),
        sa.UniqueConstraint("part", "began_at", name=op.f("uq_outages_part_began_at")),
    )


def _create_pulses() -> None:
    op.create_table(
        "pulses",
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("beat_at", UtcDateTime(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_pulses")),
    )


def _create_inbox() -> None:
    op.create_table(
        "inbox",
        sa.Column("id", RowId, nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("mailbox", sa.String(length=200), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=True),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("arrived_at", UtcDateTime(), nullable=False),
        sa.Column("taken_in_at", UtcDateTime(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("reason", sa.String(length=200), nullable=False),
        sa.Column("campaign", sa.String(length=40), nullable=True),
        sa.Column("seat", sa.String(length=40), nullable=True),
        sa.Column("person", RowId, nullable=True),
        sa.Column("sender", sa.String(length=320), nullable=True),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("proof", sa.JSON(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("next_try_at", UtcDateTime(), nullable=False),
        sa.Column("claimed_by", sa.String(length=80), nullable=True),
        sa.Column("claimed_until", UtcDateTime(), nullable=True),
        sa.Column("settled_at", UtcDateTime(), nullable=True),
        sa.CheckConstraint(
            "state IN ('received', 'applied', 'held', 'refused', 'set-aside', 'quarantined', 'shunted')",
            name=op.f("ck_inbox_state"),
        ),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_inbox_campaign")),
        sa.ForeignKeyConstraint(["person"], ["people.id"], name=op.f("fk_inbox_person"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
        sa.UniqueConstraint("digest", name=op.f("uq_inbox_digest")),
    )
    op.create_index("ix_inbox_due", "inbox", ["state", "next_try_at"], unique=False)
    op.create_index("ix_inbox_message_id", "inbox", ["message_id"], unique=False)
    op.create_index(op.f("ix_inbox_person"), "inbox", ["person"], unique=False)
    op.create_index(op.f("ix_inbox_sender"), "inbox", ["sender"], unique=False)


def _create_outbox() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", RowId, nullable=False),
        sa.Column("message_id", sa.String(length=120), nullable=False),
        sa.Column("campaign", sa.String(length=40), nullable=True),
        sa.Column("seat", sa.String(length=40), nullable=True),
        sa.Column("person", RowId, nullable=True),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("window", sa.Integer(), nullable=True),
        sa.Column("sender", sa.String(length=320), nullable=False),
        sa.Column("recipient", sa.String(length=320), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_try_at", UtcDateTime(), nullable=False),
        sa.Column("claimed_by", sa.String(length=80), nullable=True),
        sa.Column("claimed_until", UtcDateTime(), nullable=True),
        sa.Column("laid_at", UtcDateTime(), nullable=False),
        sa.Column("sent_at", UtcDateTime(), nullable=True),
        sa.Column("trouble", sa.String(length=500), nullable=False),
        sa.CheckConstraint(
            "state IN ('waiting', 'sent', 'failed', 'withdrawn')", name=op.f("ck_outbox_state")
        ),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_outbox_campaign")),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name=op.f("fk_outbox_person"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint(
            "campaign", "seat", "kind", "number", name=op.f("uq_outbox_campaign_seat_kind_number")
        ),
        sa.UniqueConstraint("message_id", name=op.f("uq_outbox_message_id")),
    )
    op.create_index("ix_outbox_due", "outbox", ["state", "next_try_at"], unique=False)
    op.create_index(op.f("ix_outbox_person"), "outbox", ["person"], unique=False)


def _create_standing_orders() -> None:
    op.create_table(
        "standing_orders",
        sa.Column("campaign", sa.String(length=40), nullable=False),
        sa.Column("seat", sa.String(length=40), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("filed_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_standing_orders_campaign")),
        sa.PrimaryKeyConstraint("campaign", "seat", name=op.f("pk_standing_orders")),
    )


def _create_windows() -> None:
    op.create_table(
        "windows",
        sa.Column("campaign", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("branch", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("seats", sa.JSON(), nullable=False),
        sa.Column("once", sa.Boolean(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("opened_at", UtcDateTime(), nullable=False),
        sa.Column("closed_at", UtcDateTime(), nullable=True),
        sa.CheckConstraint("state IN ('open', 'frozen', 'closed')", name=op.f("ck_windows_state")),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_windows_campaign")),
        sa.PrimaryKeyConstraint("campaign", "number", name=op.f("pk_windows")),
    )


def _create_deadlines() -> None:
    op.create_table(
        "deadlines",
        sa.Column("id", RowId, nullable=False),
        sa.Column("campaign", sa.String(length=40), nullable=False),
        sa.Column("window", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("seat", sa.String(length=40), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("due_at", UtcDateTime(), nullable=False),
        sa.Column("zone", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("done_at", UtcDateTime(), nullable=True),
        sa.CheckConstraint("kind IN ('reminder', 'deadline', 'grace')", name=op.f("ck_deadlines_kind")),
        sa.CheckConstraint("state IN ('waiting', 'done', 'dropped')", name=op.f("ck_deadlines_state")),
        sa.ForeignKeyConstraint(
            ["campaign", "window"],
            ["windows.campaign", "windows.number"],
            name=op.f("fk_deadlines_campaign_window"),
        ),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_deadlines_campaign")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deadlines")),
        sa.UniqueConstraint(
            "campaign",
            "window",
            "kind",
            "seat",
            "place",
            name=op.f("uq_deadlines_campaign_window_kind_seat_place"),
        ),
    )
    op.create_index("ix_deadlines_due", "deadlines", ["state", "due_at"], unique=False)


def _create_marks() -> None:
    op.create_table(
        "marks",
        sa.Column("id", RowId, nullable=False),
        sa.Column("campaign", sa.String(length=40), nullable=False),
        sa.Column("seat", sa.String(length=40), nullable=False),
        sa.Column("letter", RowId, nullable=True),
        sa.Column("mark", sa.String(length=64), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("signature", sa.Text(), nullable=True),
        sa.Column("salt", sa.Text(), nullable=True),
        sa.Column("arrived_at", UtcDateTime(), nullable=False),
        sa.Column("t", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_marks_campaign")),
        sa.ForeignKeyConstraint(["letter"], ["inbox.id"], name=op.f("fk_marks_letter"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_marks")),
        sa.UniqueConstraint("letter", name=op.f("uq_marks_letter")),
    )
    op.create_index(op.f("ix_marks_campaign"), "marks", ["campaign"], unique=False)


def _create_questions() -> None:
    op.create_table(
        "questions",
        sa.Column("message_id", sa.String(length=120), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("campaign", sa.String(length=40), nullable=True),
        sa.Column("seat", sa.String(length=40), nullable=True),
        sa.Column("person", RowId, nullable=True),
        sa.Column("letter", RowId, nullable=True),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("asked_at", UtcDateTime(), nullable=False),
        sa.Column("settled_at", UtcDateTime(), nullable=True),
        sa.Column("outcome", sa.String(length=20), nullable=True),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_questions_campaign")),
        sa.ForeignKeyConstraint(
            ["letter"], ["inbox.id"], name=op.f("fk_questions_letter"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name=op.f("fk_questions_person"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("message_id", name=op.f("pk_questions")),
    )
    op.create_index(op.f("ix_questions_person"), "questions", ["person"], unique=False)


def _create_replies() -> None:
    op.create_table(
        "replies",
        sa.Column("campaign", sa.String(length=40), nullable=False),
        sa.Column("window", sa.Integer(), nullable=False),
        sa.Column("seat", sa.String(length=40), nullable=False),
        sa.Column("question", sa.String(length=200), nullable=False),
        sa.Column("topic", sa.String(length=80), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("umpire", sa.Boolean(), nullable=False),
        sa.Column("letter", RowId, nullable=True),
        sa.Column("dated_at", UtcDateTime(), nullable=True),
        sa.Column("arrived_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign", "window"],
            ["windows.campaign", "windows.number"],
            name=op.f("fk_replies_campaign_window"),
        ),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_replies_campaign")),
        sa.ForeignKeyConstraint(
            ["letter"], ["inbox.id"], name=op.f("fk_replies_letter"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("campaign", "window", "seat", "question", name=op.f("pk_replies")),
    )


def _create_sheets() -> None:
    op.create_table(
        "sheets",
        sa.Column("campaign", sa.String(length=40), nullable=False),
        sa.Column("window", sa.Integer(), nullable=False),
        sa.Column("seat", sa.String(length=40), nullable=False),
        sa.Column("orders", sa.Text(), nullable=False),
        sa.Column("held", sa.Boolean(), nullable=False),
        sa.Column("whole", sa.Text(), nullable=False),
        sa.Column("letter", RowId, nullable=True),
        sa.Column("dated_at", UtcDateTime(), nullable=True),
        sa.Column("arrived_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign", "window"],
            ["windows.campaign", "windows.number"],
            name=op.f("fk_sheets_campaign_window"),
        ),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_sheets_campaign")),
        sa.ForeignKeyConstraint(["letter"], ["inbox.id"], name=op.f("fk_sheets_letter"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("campaign", "window", "seat", name=op.f("pk_sheets")),
    )


def _create_sightings() -> None:
    op.create_table(
        "sightings",
        sa.Column("mailbox", sa.String(length=200), nullable=False),
        sa.Column("uidvalidity", sa.BigInteger(), nullable=False),
        sa.Column("uid", sa.BigInteger(), nullable=False),
        sa.Column("letter", RowId, nullable=False),
        sa.Column("moved", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["letter"], ["inbox.id"], name=op.f("fk_sightings_letter")),
        sa.PrimaryKeyConstraint("mailbox", "uidvalidity", "uid", name=op.f("pk_sightings")),
    )
    op.create_index(op.f("ix_sightings_letter"), "sightings", ["letter"], unique=False)


def _create_stances() -> None:
    op.create_table(
        "stances",
        sa.Column("campaign", sa.String(length=40), nullable=False),
        sa.Column("window", sa.Integer(), nullable=False),
        sa.Column("seat", sa.String(length=40), nullable=False),
        sa.Column("stance", sa.String(length=8), nullable=False),
        sa.CheckConstraint("stance IN ('ready', 'wait')", name=op.f("ck_stances_stance")),
        sa.ForeignKeyConstraint(
            ["campaign", "window"],
            ["windows.campaign", "windows.number"],
            name=op.f("fk_stances_campaign_window"),
        ),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_stances_campaign")),
        sa.PrimaryKeyConstraint("campaign", "window", "seat", name=op.f("pk_stances")),
    )
