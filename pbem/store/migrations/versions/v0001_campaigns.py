"""People, campaigns, journal and audit."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from pbem.store.schema import RowId, UtcDateTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TABLES = (
    "allowances",
    "campaigns",
    "people",
    "service_keys",
    "absences",
    "addresses",
    "branches",
    "closes",
    "members",
    "proposals",
    "seats",
    "secrets",
    "umpire_acts",
    "assents",
    "holders",
    "journal",
    "records",
    "snapshots",
)


def upgrade() -> None:
    _create_allowances()
    _create_campaigns()
    _create_people()
    _create_service_keys()
    _create_absences()
    _create_addresses()
    _create_branches()
    _create_closes()
    _create_members()
    _create_proposals()
    _create_seats()
    _create_secrets()
    _create_umpire_acts()
    _create_assents()
    _create_holders()
    _create_journal()
    _create_records()
    _create_snapshots()


def downgrade() -> None:
    for table in reversed(TABLES):
        op.drop_table(table)


def _create_allowances() -> None:
    op.create_table(
        "allowances",
        sa.Column("subject", sa.String(length=340), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("since", UtcDateTime(), nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("subject", "kind", name=op.f("pk_allowances")),
    )


def _create_campaigns() -> None:
    op.create_table(
        "campaigns",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("pack", sa.Text(), nullable=True),
        sa.Column("policy", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("held", sa.Text(), nullable=True),
        sa.Column("branch", sa.Integer(), nullable=False),
        sa.Column("head", sa.LargeBinary(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("t", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("looked", sa.Integer(), nullable=False),
        sa.Column("founded_at", UtcDateTime(), nullable=False),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.CheckConstraint("state IN ('lobby', 'running', 'over')", name=op.f("ck_campaigns_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaigns")),
    )


def _create_people() -> None:
    op.create_table(
        "people",
        sa.Column("id", RowId, nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("zone", sa.String(length=64), nullable=False),
        sa.Column("enrolled_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
    )


def _create_service_keys() -> None:
    op.create_table(
        "service_keys",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_service_keys")),
    )


def _create_absences() -> None:
    op.create_table(
        "absences",
        sa.Column("id", RowId, nullable=False),
        sa.Column("person", RowId, nullable=False),
        sa.Column("campaign", sa.String(length=40), nullable=True),
        sa.Column("first_day", sa.Date(), nullable=False),
        sa.Column("last_day", sa.Date(), nullable=False),
        sa.CheckConstraint("first_day <= last_day", name=op.f("ck_absences_order")),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_absences_campaign")),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name=op.f("fk_absences_person"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_absences")),
    )
    op.create_index(op.f("ix_absences_person"), "absences", ["person"], unique=False)


def _create_addresses() -> None:
    op.create_table(
        "addresses",
        sa.Column("address", sa.String(length=320), nullable=False),
        sa.Column("person", RowId, nullable=False),
        sa.Column("linked", sa.Boolean(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("signed_since", UtcDateTime(), nullable=True),
        sa.Column("added_at", UtcDateTime(), nullable=False),
        sa.CheckConstraint("state IN ('good', 'bouncing', 'suspended')", name=op.f("ck_addresses_state")),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name=op.f("fk_addresses_person"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("address", name=op.f("pk_addresses")),
    )
    op.create_index(op.f("ix_addresses_person"), "addresses", ["person"], unique=False)


def _create_branches() -> None:
    op.create_table(
        "branches",
        sa.Column("campaign", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("parent", sa.Integer(), nullable=True),
        sa.Column("fork", sa.Integer(), nullable=False),
        sa.Column("told", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("opened_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_branches_campaign")),
        sa.PrimaryKeyConstraint("campaign", "number", name=op.f("pk_branches")),
    )


def _create_closes() -> None:
    op.create_table(
        "closes",
        sa.Column("campaign", sa.String(length=40), nullable=False),
        sa.Column("t", sa.Integer(), nullable=False),
        sa.Column("branch", sa.Integer(), nullable=False),
        sa.Column("head", sa.LargeBinary(), nullable=False),
        sa.Column("window", sa.Integer(), nullable=True),
        sa.Column("why", sa.String(length=12), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("handed", sa.Text(), nullable=False),
        sa.Column("frozen_at", UtcDateTime(), nullable=False),
        sa.Column("carried_out_at", UtcDateTime(), nullable=True),
        sa.CheckConstraint("why IN ('opening', 'all-in', 'deadline', 'umpire')", name=op.f("ck_closes_why")),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_closes_campaign")),
        sa.PrimaryKeyConstraint("campaign", "t", name=op.f("pk_closes")),
    )
    op.create_index(
        "uq_closes_frozen",
        "closes",
        ["campaign"],
        unique=True,
        sqlite_where=sa.text("carried_out_at IS NULL"),
        postgresql_where=sa.text("carried_out_at IS NULL"),
    )


def _create_members() -> None:
    op.create_table(
        "members",
        sa.Column("campaign", sa.String(length=40), nullable=False),
        sa.Column("person", RowId, nullable=False),
        sa.Column("role", sa.String(length=12), nullable=False),
        sa.Column("wish", sa.Text(), nullable=True),
        sa.Column("since", UtcDateTime(), nullable=False),
        sa.Column("confirmed_at", UtcDateTime(), nullable=True),
        sa.CheckConstraint("role IN ('umpire', 'observer', 'signup')", name=op.f("ck_members_role")),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_members_campaign")),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name=op.f("fk_members_person"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("campaign", "person", "role", name=op.f("pk_members")),
    )


def _create_proposals() -> None:
    op.create_table(
        "proposals",
        sa.Column("campaign", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seat", sa.String(length=40), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("made_at", UtcDateTime(), nullable=False),
        sa.Column("settled_at", UtcDateTime(), nullable=True),
        sa.Column("outcome", sa.String(length=20), nullable=True),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_proposals_campaign")),
        sa.PrimaryKeyConstraint("campaign", "number", name=op.f("pk_proposals")),
    )


def _create_seats() -> None:
    op.create_table(
        "seats",
        sa.Column("campaign", sa.String(length=40), nullable=False),
        sa.Column("seat", sa.String(length=40), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("holder", sa.Integer(), nullable=False),
        sa.Column("bot", sa.String(length=40), nullable=True),
        sa.Column("bank", sa.Integer(), nullable=False),
        sa.Column("missed", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_seats_campaign")),
        sa.PrimaryKeyConstraint("campaign", "seat", name=op.f("pk_seats")),
    )


def _create_secrets() -> None:
    op.create_table(
        "secrets",
        sa.Column("campaign", sa.String(length=40), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("chain", sa.LargeBinary(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("seal_key", sa.LargeBinary(), nullable=False),
        sa.Column("bot_seed", sa.LargeBinary(), nullable=False),
        sa.Column("mail_key", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_secrets_campaign")),
        sa.PrimaryKeyConstraint("campaign", "first", name=op.f("pk_secrets")),
    )


def _create_umpire_acts() -> None:
    op.create_table(
        "umpire_acts",
        sa.Column("id", RowId, nullable=False),
        sa.Column("campaign", sa.String(length=40), nullable=False),
        sa.Column("person", RowId, nullable=True),
        sa.Column("act", sa.String(length=40), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("done_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_umpire_acts_campaign")),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name=op.f("fk_umpire_acts_person"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_umpire_acts")),
    )
    op.create_index(op.f("ix_umpire_acts_campaign"), "umpire_acts", ["campaign"], unique=False)


def _create_assents() -> None:
    op.create_table(
        "assents",
        sa.Column("campaign", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seat", sa.String(length=40), nullable=False),
        sa.Column("given_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign", "number"],
            ["proposals.campaign", "proposals.number"],
            name=op.f("fk_assents_campaign_number"),
        ),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_assents_campaign")),
        sa.PrimaryKeyConstraint("campaign", "number", "seat", name=op.f("pk_assents")),
    )


def _create_holders() -> None:
    op.create_table(
        "holders",
        sa.Column("campaign", sa.String(length=40), nullable=False),
        sa.Column("seat", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("person", RowId, nullable=True),
        sa.Column("since", UtcDateTime(), nullable=False),
        sa.Column("until", UtcDateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["campaign", "seat"], ["seats.campaign", "seats.seat"], name=op.f("fk_holders_campaign_seat")
        ),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_holders_campaign")),
        sa.ForeignKeyConstraint(
            ["person"], ["people.id"], name=op.f("fk_holders_person"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("campaign", "seat", "number", name=op.f("pk_holders")),
    )
    op.create_index(op.f("ix_holders_person"), "holders", ["person"], unique=False)


def _create_journal() -> None:
    op.create_table(
        "journal",
        sa.Column("campaign", sa.String(length=40), nullable=False),
        sa.Column("branch", sa.Integer(), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign", "branch"],
            ["branches.campaign", "branches.number"],
            name=op.f("fk_journal_campaign_branch"),
        ),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_journal_campaign")),
        sa.PrimaryKeyConstraint("campaign", "branch", "sequence", name=op.f("pk_journal")),
    )


def _create_records() -> None:
    op.create_table(
        "records",
        sa.Column("campaign", sa.String(length=40), nullable=False),
        sa.Column("t", sa.Integer(), nullable=False),
        sa.Column("link", sa.String(length=64), nullable=False),
        sa.Column("public", sa.LargeBinary(), nullable=False),
        sa.Column("private", sa.Text(), nullable=False),
        sa.Column("seals", sa.Text(), nullable=False),
        sa.Column("head", sa.String(length=64), nullable=False),
        sa.Column("rolls", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign", "t"], ["closes.campaign", "closes.t"], name=op.f("fk_records_campaign_t")
        ),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_records_campaign")),
        sa.PrimaryKeyConstraint("campaign", "t", name=op.f("pk_records")),
    )


def _create_snapshots() -> None:
    op.create_table(
        "snapshots",
        sa.Column("campaign", sa.String(length=40), nullable=False),
        sa.Column("branch", sa.Integer(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("head", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.LargeBinary(), nullable=False),
        sa.Column("segment", sa.Text(), nullable=False),
        sa.Column("window", sa.Text(), nullable=False),
        sa.Column("t", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign", "branch"],
            ["branches.campaign", "branches.number"],
            name=op.f("fk_snapshots_campaign_branch"),
        ),
        sa.ForeignKeyConstraint(["campaign"], ["campaigns.id"], name=op.f("fk_snapshots_campaign")),
        sa.PrimaryKeyConstraint("campaign", "branch", "line", name=op.f("pk_snapshots")),
    )
