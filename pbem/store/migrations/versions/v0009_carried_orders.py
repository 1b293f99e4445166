"""Orders outlive a question that is put in between: what is left of them is kept with the window."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("windows", sa.Column("carried", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("windows", "carried")
