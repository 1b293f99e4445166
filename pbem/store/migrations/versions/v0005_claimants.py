"""Which process claims what, and how often nobody knows what became of a letter of ours."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

CLAIMED = ("inbox", "outbox", "closes")


def upgrade() -> None:
    for table in CLAIMED:
        op.add_column(table, sa.Column("claimed_on", sa.String(length=80), nullable=True))
    op.add_column("outbox", sa.Column("unknown", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("outbox", "unknown")
    for table in reversed(CLAIMED):
        op.drop_column(table, "claimed_on")
