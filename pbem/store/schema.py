"""The tables of people, campaigns, journal and audit; the others are in `schema_mail`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import CheckConstraint, Column, ForeignKey, MetaData, Table, false
from sqlalchemy.types import JSON, Boolean, Date, Integer, LargeBinary, String, Text

from pbem.store.columns import NAMING, RowId, UtcDateTime, keyed, one_of, optional, part_of, partial, required

CAMPAIGN_STATES: Final = ("lobby", "running", "over")
INBOX_STATES: Final = ("received", "applied", "held", "refused", "set-aside", "quarantined", "shunted")
OUTBOX_STATES: Final = ("waiting", "sent", "failed", "withdrawn")

metadata = MetaData(naming_convention=NAMING)


def campaign_column(column: Callable[..., Column[Any]], **options: Any) -> Column[Any]:
    return column("campaign", String(40), ForeignKey("campaigns.id"), **options)


def person_column(column: Callable[..., Column[Any]], ondelete: str, **options: Any) -> Column[Any]:
    """What happens to the row when the person is erased: SET NULL, or CASCADE."""
    return column("person", RowId, ForeignKey("people.id", ondelete=ondelete), **options)


def new_table(name: str, *parts: Any) -> Table:
    return Table(name, metadata, *parts)


# ------------------------------------------------------------------ people

people = new_table(
    "people",
    keyed("id", RowId),
    required("name", String(200)),  # shown to the other players
    required("language", String(8)),
    required("zone", String(64)),
    required("enrolled_at", UtcDateTime),
)

addresses = new_table(
    "addresses",
    keyed("address", String(320)),  # lower case
    person_column(required, "CASCADE", index=True),
    required("linked", Boolean),  # False: the registered one
    required("state", String(12)),
    optional("signed_since", UtcDateTime),  # first letter with an aligned DKIM pass
    required("added_at", UtcDateTime),
    one_of("state", "good", "bouncing", "suspended"),
)

absences = new_table(
    "absences",
    keyed("id", RowId),
    person_column(required, "CASCADE", index=True),
    campaign_column(optional),  # NULL: everywhere
    required("first_day", Date),  # in the person's zone
    required("last_day", Date),
    CheckConstraint("first_day <= last_day", name="order"),
)

allowances = new_table(
    "allowances",
    keyed("subject", String(340)),  # an address, a seat
    keyed("kind", String(40)),  # "stranger.help"
    required("since", UtcDateTime),  # start of the period
    required("used", Integer),
)

# ------------------------------------------------------------------ campaigns

campaigns = new_table(
    "campaigns",
    keyed("id", String(40)),  # as in subjects and addresses
    required("game", String(40)),
    required("title", String(200)),
    optional("pack", Text),  # folder of its own pack
    required("policy", JSON),  # clock, sender proof, missing orders
    required("state", String(12)),
    optional("held", Text),  # why the umpire, or a crash, stopped it
    required("branch", Integer),  # the one in play
    required("head", LargeBinary),  # of that branch
    required("length", Integer),  # lines of that branch, shared ones included
    required("t", Integer),  # Closes on record
    # Links that the next Close skips: a backup was restored, and letters may have shown them.
    required("burn", Integer, server_default="0"),
    required("letters_from", Integer, server_default="0"),  # letters are numbered above this
    required("revision", Integer),  # grows with every change
    required("looked", Integer),  # the last revision that was reviewed
    required("founded_at", UtcDateTime),
    optional("ended_at", UtcDateTime),
    one_of("state", *CAMPAIGN_STATES),
)

secrets = new_table(
    "secrets",
    campaign_column(keyed),
    keyed("first", Integer),  # the first Close that takes a link of this chain
    required("chain", LargeBinary),  # the kept links
    required("length", Integer),
    required("seal_key", LargeBinary),
    required("bot_seed", LargeBinary),
    required("mail_key", LargeBinary),  # tags and Message-IDs
)

service_keys = new_table(
    "service_keys",
    keyed("name", String(40)),
    required("key", LargeBinary),
)

seats = new_table(
    "seats",
    campaign_column(keyed),
    keyed("seat", String(40)),
    required("place", Integer),  # seat order
    required("holder", Integer),  # number of the present holder; 0: none yet
    optional("bot", String(40)),
    required("bank", Integer),  # seconds left in the time bank
    required("missed", Integer),  # windows in a row without a letter
    required("quiet", Boolean, server_default=false()),  # no letters but answers
)

holders = new_table(
    "holders",
    campaign_column(keyed),
    keyed("seat", String(40)),
    keyed("number", Integer),
    person_column(optional, "SET NULL", index=True),
    required("since", UtcDateTime),
    optional("until", UtcDateTime),
    part_of("seats", campaign="campaign", seat="seat"),
)

members = new_table(
    "members",
    campaign_column(keyed),
    person_column(keyed, "CASCADE"),
    keyed("role", String(12)),
    optional("wish", Text),  # preferred side of a sign-up
    required("since", UtcDateTime),
    optional("confirmed_at", UtcDateTime),
    one_of("role", "umpire", "observer", "signup"),
)

# ------------------------------------------------------------------ journal and audit

branches = new_table(
    "branches",
    campaign_column(keyed),
    keyed("number", Integer),
    optional("parent", Integer),
    required("fork", Integer),  # lines shared with the parent
    required("told", Integer),  # lines that records contain
    required("reason", Text),
    required("opened_at", UtcDateTime),
)

journal = new_table(
    "journal",
    campaign_column(keyed),
    keyed("branch", Integer),
    keyed("sequence", Integer),
    required("hash", LargeBinary),
    required("raw", LargeBinary),
    part_of("branches", campaign="campaign", branch="number"),
)

snapshots = new_table(
    "snapshots",
    campaign_column(keyed),
    keyed("branch", Integer),
    keyed("line", Integer),  # number of the first line after it
    required("head", LargeBinary),
    required("state", LargeBinary),
    required("segment", Text),  # JSON: name, key, args
    required("window", Text),
    required("t", Integer),
    required("version", Integer),
    part_of("branches", campaign="campaign", branch="number"),
)

closes = new_table(
    "closes",
    campaign_column(keyed),
    keyed("t", Integer),
    required("branch", Integer),
    required("head", LargeBinary),  # of the journal when it was frozen
    optional("window", Integer),  # number of the window it closed
    required("why", String(12)),
    required("body", Text),  # transcript and entries
    required("handed", Text),  # what each seat handed in
    required("frozen_at", UtcDateTime),
    optional("carried_out_at", UtcDateTime),
    optional("claimed_by", String(80)),  # the task that carries it out
    optional("claimed_until", UtcDateTime),
    optional("claimed_on", String(80)),  # in which process
    partial("uq_closes_frozen", "carried_out_at IS NULL", "campaign", unique=True),
    one_of("why", "opening", "all-in", "deadline", "umpire"),
)

records = new_table(
    "records",
    campaign_column(keyed),
    keyed("t", Integer),
    required("link", String(64)),
    required("public", LargeBinary),
    required("private", Text),  # JSON: reader, lines
    required("seals", Text),  # JSON, in seat order
    required("head", String(64)),
    required("rolls", Integer),
    part_of("closes", campaign="campaign", t="t"),
)

umpire_acts = new_table(
    "umpire_acts",
    keyed("id", RowId),
    campaign_column(required, index=True),
    person_column(optional, "SET NULL"),
    required("act", String(40)),
    required("reason", Text),
    required("data", JSON),  # never an address
    required("done_at", UtcDateTime),
)

proposals = new_table(
    "proposals",
    campaign_column(keyed),
    keyed("number", Integer),
    required("seat", String(40)),
    required("kind", String(20)),  # rollback, armistice
    required("data", JSON),
    required("made_at", UtcDateTime),
    optional("settled_at", UtcDateTime),
    optional("outcome", String(20)),
)

assents = new_table(
    "assents",
    campaign_column(keyed),
    keyed("number", Integer),
    keyed("seat", String(40)),
    required("given_at", UtcDateTime),
    part_of("proposals", campaign="campaign", number="number"),
)
