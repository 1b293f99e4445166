"""The rest of a large letter stands apart from its row in the inbox."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from pbem.store.schema import RowId

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "letter_rests",
        sa.Column("letter", RowId, nullable=False),
        sa.Column("rest", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["letter"], ["inbox.id"], name=op.f("fk_letter_rests_letter"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("letter", name=op.f("pk_letter_rests")),
    )


def downgrade() -> None:
    """Each letter is put together again: nothing that was kept is lost."""
    tx = op.get_bind()
    rests = sa.table("letter_rests", sa.column("letter"), sa.column("rest"))
    inbox = sa.table("inbox", sa.column("id"), sa.column("raw"))
    for letter in list(tx.execute(sa.select(rests.c.letter)).scalars()):
        here = inbox.c.id == letter
        raw = tx.execute(sa.select(inbox.c.raw).where(here)).scalar_one()
        rest = tx.execute(sa.select(rests.c.rest).where(rests.c.letter == letter)).scalar_one()
        tx.execute(sa.update(inbox).where(here).values(raw=raw + rest))
    op.drop_table("letter_rests")
