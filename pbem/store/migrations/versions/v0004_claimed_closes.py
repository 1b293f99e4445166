"""Closes that somebody is carrying out."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from pbem.store.schema import UtcDateTime

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("closes", sa.Column("claimed_by", sa.String(length=80), nullable=True))
    op.add_column("closes", sa.Column("claimed_until", UtcDateTime(), nullable=True))


def downgrade() -> None:
    op.drop_column("closes", "claimed_until")
    op.drop_column("closes", "claimed_by")
