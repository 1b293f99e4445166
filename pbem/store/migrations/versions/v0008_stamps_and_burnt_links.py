"""Which letter a stance and standing orders are from; links to be passed over after a backup was restored."""

from __future__ import annotations

from typing import Any, Final

import sqlalchemy as sa
from alembic import op

from pbem.store.schema import RowId, UtcDateTime

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

NAMES: Final = ("campaign", "window", "seat", "stance")


def upgrade() -> None:
    for name in ("burn", "letters_from"):
        op.add_column("campaigns", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
    op.add_column("standing_orders", sa.Column("dated_at", UtcDateTime(), nullable=True))
    op.add_column("standing_orders", sa.Column("arrived_at", UtcDateTime(), nullable=True))
    op.execute("UPDATE standing_orders SET arrived_at = filed_at")
    _make_stances_anew(
        sa.Column("stance", sa.String(length=8), nullable=True),
        sa.Column("letter", RowId, nullable=True),
        sa.Column("dated_at", UtcDateTime(), nullable=True),
        sa.Column("arrived_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["letter"], ["inbox.id"], name=op.f("fk_stances_letter"), ondelete="SET NULL"
        ),
    )


def downgrade() -> None:
    _make_stances_anew(sa.Column("stance", sa.String(length=8), nullable=False))
    op.execute("DELETE FROM standing_orders WHERE text = ''")
    op.drop_column("standing_orders", "arrived_at")
    op.drop_column("standing_orders", "dated_at")
    op.drop_column("campaigns", "letters_from")
    op.drop_column("campaigns", "burn")


def _make_stances_anew(*columns: sa.schema.SchemaItem) -> None:
    """SQLite cannot change a column. Stances are few: those of the open windows."""
    tx, rows = op.get_bind(), _stances_taken()
    op.drop_table("stances")
    op.create_table(
        "stances",
        sa.Column("campaign", sa.String(length=40), nullable=False),
        sa.Column("window", sa.Integer(), nullable=False),
        sa.Column("seat", sa.String(length=40), nullable=False),
        *columns,
        sa.CheckConstraint("stance IN ('ready', 'wait')", name=op.f("ck_stances_stance")),
        sa.ForeignKeyConstraint(
            ["campaign", "window"],
            ["windows.campaign", "windows.number"],
            name=op.f("fk_stances_campaign_window"),
        ),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_stances_campaign")),
        sa.PrimaryKeyConstraint("campaign", "window", "seat", name=op.f("pk_stances")),
    )
    new = sa.table("stances", *map(sa.column, NAMES), sa.column("arrived_at", UtcDateTime()))
    told = {one.name for one in columns if isinstance(one, sa.Column)} | set(NAMES)
    if rows:
        tx.execute(sa.insert(new), [{name: row[name] for name in row if name in told} for row in rows])


def _stances_taken() -> list[dict[str, Any]]:
    """Nobody knows when a stance without a stamp was taken: it is as old as its window."""
    stances = sa.table("stances", *map(sa.column, NAMES))
    opened = sa.column("opened_at", UtcDateTime())
    windows = sa.table("windows", sa.column("campaign"), sa.column("number"), opened)
    same = (windows.c.campaign == stances.c.campaign) & (windows.c.number == stances.c.window)
    chosen = sa.select(*stances.c, windows.c.opened_at.label("arrived_at"))
    taken = chosen.select_from(stances.join(windows, same)).where(stances.c.stance.is_not(None))
    return [dict(row) for row in op.get_bind().execute(taken).mappings()]
