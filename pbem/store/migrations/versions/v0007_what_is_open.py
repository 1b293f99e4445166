"""What is open is found without a look at all that was: letters that wait, marks that no Close has taken."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

WAITS = sa.text("state = 'waiting'")
OPEN = sa.text("t IS NULL")


def upgrade() -> None:
    seat = ["campaign", "seat", "kind"]
    op.create_index("ix_outbox_waiting", "outbox", seat, sqlite_where=WAITS, postgresql_where=WAITS)
    op.create_index("ix_marks_open", "marks", ["campaign"], sqlite_where=OPEN, postgresql_where=OPEN)


def downgrade() -> None:
    op.drop_index("ix_marks_open", table_name="marks")
    op.drop_index("ix_outbox_waiting", table_name="outbox")
