"""The tables, with column types that mean the same on SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    Dialect,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    false,
    text,
)
from sqlalchemy.types import TypeDecorator

RowId = BigInteger().with_variant(Integer(), "sqlite")  # SQLite numbers only INTEGER keys


class UtcDateTime(TypeDecorator[datetime]):
    """A point in time, stored in UTC. A time without a zone is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value.isoformat()} has no time zone")
        return value.astimezone(UTC)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        moment: datetime = value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


CAMPAIGN_STATES: Final = ("lobby", "running", "over")
WINDOW_STATES: Final = ("open", "frozen", "closed")
DEADLINE_KINDS: Final = ("reminder", "deadline", "grace")
DEADLINE_STATES: Final = ("waiting", "done", "dropped")
INBOX_STATES: Final = ("received", "applied", "held", "refused", "set-aside", "quarantined", "shunted")
OUTBOX_STATES: Final = ("waiting", "sent", "failed", "withdrawn")
ADDRESS_STATES: Final = ("good", "bouncing", "suspended")

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)


def one_of(column: str, words: tuple[str, ...]) -> CheckConstraint:
    listed = ", ".join(f"'{word}'" for word in words)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def campaign_column(**options: Any) -> Column[str]:
    return Column("campaign", String(40), ForeignKey("campaigns.id"), nullable=False, **options)


def person_column(**options: Any) -> Column[int]:
    """NULL after the person was erased."""
    return Column("person", RowId, ForeignKey("people.id", ondelete="SET NULL"), **options)


def new_table(name: str, *parts: Any) -> Table:
    return Table(name, metadata, *parts)


# ------------------------------------------------------------------ people

people = new_table(
    "people",
    Column("id", RowId, primary_key=True),
    Column("name", String(200), nullable=False),  # shown to the other players
    Column("language", String(8), nullable=False),
    Column("zone", String(64), nullable=False),
    Column("enrolled_at", UtcDateTime, nullable=False),
)

addresses = new_table(
    "addresses",
    Column("address", String(320), primary_key=True),  # lower case
    Column("person", RowId, ForeignKey("people.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("linked", Boolean, nullable=False),  # False: the registered one
    Column("state", String(12), nullable=False),
    Column("signed_since", UtcDateTime),  # first letter with an aligned DKIM pass
    Column("added_at", UtcDateTime, nullable=False),
    one_of("state", ADDRESS_STATES),
)

absences = new_table(
    "absences",
    Column("id", RowId, primary_key=True),
    Column("person", RowId, ForeignKey("people.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("campaign", String(40), ForeignKey("campaigns.id")),  # NULL: everywhere
    Column("first_day", Date, nullable=False),  # in the person's zone
    Column("last_day", Date, nullable=False),
    CheckConstraint("first_day <= last_day", name="order"),
)

allowances = new_table(
    "allowances",
    Column("subject", String(340), primary_key=True),  # an address, a seat
    Column("kind", String(40), primary_key=True),  # "stranger.help"
    Column("since", UtcDateTime, nullable=False),  # start of the period
    Column("used", Integer, nullable=False),
)

# ------------------------------------------------------------------ campaigns

campaigns = new_table(
    "campaigns",
    Column("id", String(40), primary_key=True),  # as in subjects and addresses
    Column("game", String(40), nullable=False),
    Column("title", String(200), nullable=False),
    Column("pack", Text),  # folder of its own pack
    Column("policy", JSON, nullable=False),  # clock, sender proof, missing orders
    Column("state", String(12), nullable=False),
    Column("held", Text),  # why the umpire, or a crash, stopped it
    Column("branch", Integer, nullable=False),  # the one in play
    Column("head", LargeBinary, nullable=False),  # of that branch
    Column("length", Integer, nullable=False),  # lines of that branch, shared ones included
    Column("t", Integer, nullable=False),  # Closes on record
    # Links that the next Close skips: a backup was restored, and letters may have shown them.
    Column("burn", Integer, nullable=False, server_default="0"),
    Column("letters_from", Integer, nullable=False, server_default="0"),  # letters are numbered above this
    Column("revision", Integer, nullable=False),  # grows with every change
    Column("looked", Integer, nullable=False),  # the last revision that was reviewed
    Column("founded_at", UtcDateTime, nullable=False),
    Column("ended_at", UtcDateTime),
    one_of("state", CAMPAIGN_STATES),
)

secrets = new_table(
    "secrets",
    campaign_column(primary_key=True),
    Column("first", Integer, primary_key=True),  # the first Close that takes a link of this chain
    Column("chain", LargeBinary, nullable=False),  # the kept links
    Column("length", Integer, nullable=False),
    Column("seal_key", LargeBinary, nullable=False),
    Column("bot_seed", LargeBinary, nullable=False),
    Column("mail_key", LargeBinary, nullable=False),  # tags and Message-IDs
)

service_keys = new_table(
    "service_keys",
    Column("name", String(40), primary_key=True),
    Column("key", LargeBinary, nullable=False),
)

seats = new_table(
    "seats",
    campaign_column(primary_key=True),
    Column("seat", String(40), primary_key=True),
    Column("place", Integer, nullable=False),  # seat order
    Column("holder", Integer, nullable=False),  # number of the present holder; 0: none yet
    Column("bot", String(40)),
    Column("bank", Integer, nullable=False),  # seconds left in the time bank
    Column("missed", Integer, nullable=False),  # windows in a row without a letter
    Column("quiet", Boolean, nullable=False, server_default=false()),  # no letters but answers
)

holders = new_table(
    "holders",
    campaign_column(primary_key=True),
    Column("seat", String(40), primary_key=True),
    Column("number", Integer, primary_key=True),
    person_column(index=True),
    Column("since", UtcDateTime, nullable=False),
    Column("until", UtcDateTime),
    ForeignKeyConstraint(["campaign", "seat"], ["seats.campaign", "seats.seat"]),
)

members = new_table(
    "members",
    campaign_column(primary_key=True),
    Column("person", RowId, ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    Column("role", String(12), primary_key=True),
    Column("wish", Text),  # preferred side of a sign-up
    Column("since", UtcDateTime, nullable=False),
    Column("confirmed_at", UtcDateTime),
    one_of("role", ("umpire", "observer", "signup")),
)

# ------------------------------------------------------------------ journal and audit

branches = new_table(
    "branches",
    campaign_column(primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("parent", Integer),
    Column("fork", Integer, nullable=False),  # lines shared with the parent
    Column("told", Integer, nullable=False),  # lines that records contain
    Column("reason", Text, nullable=False),
    Column("opened_at", UtcDateTime, nullable=False),
)

journal = new_table(
    "journal",
    campaign_column(primary_key=True),
    Column("branch", Integer, primary_key=True),
    Column("sequence", Integer, primary_key=True),
    Column("hash", LargeBinary, nullable=False),
    Column("raw", LargeBinary, nullable=False),
    ForeignKeyConstraint(["campaign", "branch"], ["branches.campaign", "branches.number"]),
)

snapshots = new_table(
    "snapshots",
    campaign_column(primary_key=True),
    Column("branch", Integer, primary_key=True),
    Column("line", Integer, primary_key=True),  # number of the first line after it
    Column("head", LargeBinary, nullable=False),
    Column("state", LargeBinary, nullable=False),
    Column("segment", Text, nullable=False),  # JSON: name, key, args
    Column("window", Text, nullable=False),
    Column("t", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    ForeignKeyConstraint(["campaign", "branch"], ["branches.campaign", "branches.number"]),
)

closes = new_table(
    "closes",
    campaign_column(primary_key=True),
    Column("t", Integer, primary_key=True),
    Column("branch", Integer, nullable=False),
    Column("head", LargeBinary, nullable=False),  # of the journal when it was frozen
    Column("window", Integer),  # number of the window it closed
    Column("why", String(12), nullable=False),
    Column("body", Text, nullable=False),  # transcript and entries
    Column("handed", Text, nullable=False),  # what each seat handed in
    Column("frozen_at", UtcDateTime, nullable=False),
    Column("carried_out_at", UtcDateTime),
    Column("claimed_by", String(80)),  # the task that carries it out
    Column("claimed_until", UtcDateTime),
    Column("claimed_on", String(80)),  # in which process
    Index(
        "uq_closes_frozen",
        "campaign",
        unique=True,
        sqlite_where=text("carried_out_at IS NULL"),
        postgresql_where=text("carried_out_at IS NULL"),
    ),
    one_of("why", ("opening", "all-in", "deadline", "umpire")),
)

records = new_table(
    "records",
    campaign_column(primary_key=True),
    Column("t", Integer, primary_key=True),
    Column("link", String(64), nullable=False),
    Column("public", LargeBinary, nullable=False),
    Column("private", Text, nullable=False),  # JSON: reader, lines
    Column("seals", Text, nullable=False),  # JSON, in seat order
    Column("head", String(64), nullable=False),
    Column("rolls", Integer, nullable=False),
    ForeignKeyConstraint(["campaign", "t"], ["closes.campaign", "closes.t"]),
)

umpire_acts = new_table(
    "umpire_acts",
    Column("id", RowId, primary_key=True),
    campaign_column(index=True),
    person_column(),
    Column("act", String(40), nullable=False),
    Column("reason", Text, nullable=False),
    Column("data", JSON, nullable=False),  # never an address
    Column("done_at", UtcDateTime, nullable=False),
)

proposals = new_table(
    "proposals",
    campaign_column(primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("seat", String(40), nullable=False),
    Column("kind", String(20), nullable=False),  # rollback, armistice
    Column("data", JSON, nullable=False),
    Column("made_at", UtcDateTime, nullable=False),
    Column("settled_at", UtcDateTime),
    Column("outcome", String(20)),
)

assents = new_table(
    "assents",
    campaign_column(primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("seat", String(40), primary_key=True),
    Column("given_at", UtcDateTime, nullable=False),
    ForeignKeyConstraint(["campaign", "number"], ["proposals.campaign", "proposals.number"]),
)
