"""Campaigns: created, found, held and released; their secrets; what umpires did."""

from __future__ import annotations

import json
import secrets as chance
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from sqlalchemy import RowMapping, bindparam, case, delete, func, insert, select, update
from sqlalchemy.engine import Connection

from engine.kernel.fairness.audit import Secrets
from engine.kernel.fairness.dice import Chain
from engine.kernel.journal import JournalLine
from pbem.store import schema
from pbem.store.session import (
    Db,
    StoreError,
    all_rows,
    insert_or_ignore,
    one_row,
    one_value,
    reading,
    transaction_notes,
    write,
    writing,
)


class NoSuchCampaign(StoreError):
    """No campaign of that name is in the database."""


class CampaignExists(StoreError):
    """A campaign of that name exists already."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The secrets of a campaign: dice, seal, bots, and the mail's tags and Message-IDs."""

    dice: Secrets
    bot_seed: bytes = field(repr=False)
    mail_key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class NewCampaign:
    """A campaign to create: the first line of its journal, which pins the terms; and what is not in it."""

    id: str
    game: str
    title: str
    opening: JournalLine
    keys: Keys
    seats: Sequence[str]
    bots: Mapping[str, str] = field(default_factory=dict)
    policy: Mapping[str, Any] = field(default_factory=dict)
    pack: str | None = None
    bank: int = 0  # seconds


@dataclass(frozen=True, slots=True)
class CampaignRow:
    """The row of a campaign."""

    id: str
    game: str
    title: str
    pack: str | None
    policy: Mapping[str, Any]
    state: str
    held: str | None
    branch: int
    head: bytes
    length: int
    t: int
    burn: int  # links that the next Close skips
    letters_from: int  # our letters are numbered above this
    revision: int
    looked: int
    founded_at: datetime
    ended_at: datetime | None


# ------------------------------------------------------------------ founding and finding


def create_campaign(db: Db, founding: NewCampaign, now: datetime) -> None:
    """Create a campaign in the lobby, with the first line of its journal."""
    key = {"campaign": founding.id}
    with writing(db) as tx:
        if not insert_or_ignore(tx, schema.campaigns, **_row(founding), founded_at=now):
            raise CampaignExists(f"there is a campaign {founding.id} already")
        store_keys(tx, founding.id, founding.keys)
        branch = {"number": 0, "fork": 0, "told": 0, "reason": "", "opened_at": now}
        tx.execute(insert(schema.branches).values(**key, **branch))
        first = {"branch": 0, "sequence": 0, "hash": founding.opening.hash, "raw": founding.opening.raw}
        tx.execute(insert(schema.journal).values(**key, **first))
        for place, seat in enumerate(founding.seats):
            held = {"seat": seat, "place": place, "holder": 0, "bot": founding.bots.get(seat)}
            tx.execute(insert(schema.seats).values(**key, **held, bank=founding.bank, missed=0))


def _row(founding: NewCampaign) -> dict[str, Any]:
    return {
        "id": founding.id,
        "game": founding.game,
        "title": founding.title,
        "pack": founding.pack,
        "policy": dict(founding.policy),
        "state": "lobby",
        "branch": 0,
        "head": founding.opening.hash,
        "length": 1,
        "t": 0,
        "revision": 0,
        "looked": 0,
    }


def campaign_row(db: Db, name: str) -> CampaignRow:
    """The campaign of that name."""
    return _standing(one_row(db, _NAMED, {"name": name}), name)


def read_opening_line(db: Db, name: str) -> bytes:
    """The first line of the campaign's journal."""
    first = select(schema.journal.c.raw).filter_by(campaign=name, branch=0, sequence=0)
    raw: bytes | None = one_value(db, first)
    if raw is None:
        raise NoSuchCampaign(f"there is no campaign {name}")
    return raw


def pinned_rules(db: Db, name: str) -> tuple[str, str]:
    """Game and version of the rules that the first line of the campaign's journal pins."""
    line = json.loads(read_opening_line(db, name))
    return str(line.get("game", "")), str(line.get("rules", ""))


def find_campaign(db: Db, name: str) -> CampaignRow | None:
    """The campaign of that name, ignoring case, as in addresses and subjects."""
    with reading(db) as tx:
        row = one_row(tx, _NAMED, {"name": name.upper()})  # the usual case
        if row is None:
            row = one_row(tx, _CALLED, {"name": name.lower()})
    return None if row is None else CampaignRow(**row)


def lock_and_load(tx: Connection, name: str) -> CampaignRow:
    """The campaign of that name, locked for this transaction."""
    standing = _standing(one_row(tx, _LOCKED, {"name": name}), name)
    transaction_notes(tx).add((_IS_LOCKED, name))
    return standing


def lock(tx: Connection, name: str) -> None:
    """The same, without loading the row."""
    if (_IS_LOCKED, name) not in transaction_notes(tx):
        if tx.execute(_LOCK, {"name": name}).first() is None:
            raise NoSuchCampaign(f"there is no campaign {name}")
        transaction_notes(tx).add((_IS_LOCKED, name))


def lock_to_file(tx: Connection, name: str) -> None:
    """Lock and touch at once, for a transaction that files something.

    Most letters leave the window open: a campaign that nobody had to look at counts as looked at after this
    change, too. Whoever calls this says in the end with `mark_reviewed` or
    `mark_unreviewed` whether that is so.
    """
    if not {(_IS_LOCKED, name), (_IS_TOUCHED, name)} & transaction_notes(tx):
        ahead = tx.execute(_TOUCH_AHEAD, {"name": name}).scalar_one_or_none()
        if ahead is None:
            raise NoSuchCampaign(f"there is no campaign {name}")
        transaction_notes(tx).update({(_IS_LOCKED, name), (_IS_TOUCHED, name)})
        if ahead:
            transaction_notes(tx).add((_IS_LOOKED_AT, name))


# Statements of every letter are built once.
_NAMED: Final = select(schema.campaigns).filter_by(id=bindparam("name"))
_LOCKED: Final = _NAMED.with_for_update()
_LOCK: Final = _LOCKED.with_only_columns(schema.campaigns.c.id)
_CALLED: Final = (
    select(schema.campaigns)
    .where(func.lower(schema.campaigns.c.id) == bindparam("name"))
    .order_by(schema.campaigns.c.id)
    .limit(1)
)
_IS_LOCKED, _IS_TOUCHED, _IS_LOOKED_AT = "locked", "touched", "looked at"


def _standing(row: RowMapping | None, name: str) -> CampaignRow:
    if row is None:
        raise NoSuchCampaign(f"there is no campaign {name}")
    return CampaignRow(**row)


def all_campaigns(db: Db, *states: str) -> list[CampaignRow]:
    """The campaigns in these states (none named: in any), oldest first."""
    chosen = select(schema.campaigns).order_by(schema.campaigns.c.founded_at, schema.campaigns.c.id)
    if states:
        chosen = chosen.where(schema.campaigns.c.state.in_(states))
    return [CampaignRow(**row) for row in all_rows(db, chosen)]


def touch(tx: Connection, name: str, **values: Any) -> None:
    """Record a change: a Close computed before it is not frozen anymore."""
    tx.execute(_TOUCH.values(**values) if values else _TOUCH, {"name": name})
    transaction_notes(tx).discard((_IS_LOOKED_AT, name))


def touch_for_filing(tx: Connection, name: str) -> None:
    """Touch once per transaction, however much it files; the campaign is locked."""
    if (_IS_TOUCHED, name) not in transaction_notes(tx):
        touch(tx, name)
        transaction_notes(tx).add((_IS_TOUCHED, name))


def is_unchanged(tx: Connection, here: CampaignRow, revision: int) -> bool:
    """Has nothing but this transaction changed the campaign since it was read?"""
    return revision == here.revision + ((_IS_TOUCHED, here.id) in transaction_notes(tx))


_CHANGE: Final = update(schema.campaigns).filter_by(id=bindparam("name"))
_TOUCH: Final = _CHANGE.values(revision=schema.campaigns.c.revision + 1)
_TOUCH_AHEAD: Final = _TOUCH.values(
    looked=case(
        (schema.campaigns.c.looked == schema.campaigns.c.revision, schema.campaigns.c.revision + 1),
        else_=schema.campaigns.c.looked,
    )
).returning(schema.campaigns.c.looked == schema.campaigns.c.revision)


def mark_reviewed(db: Db, name: str, revision: int) -> None:
    """At this revision the window stays open: no review is needed until the next one."""
    with writing(db) as tx:
        if (_IS_LOOKED_AT, name) not in transaction_notes(tx):
            tx.execute(_LOOKED_AT, {"name": name, "seen": revision})


def mark_unreviewed(tx: Connection, name: str) -> None:
    """After this transaction the campaign may go on: it must be reviewed."""
    if (_IS_LOOKED_AT, name) in transaction_notes(tx):
        tx.execute(_NOT_LOOKED_AT, {"name": name})
        transaction_notes(tx).discard((_IS_LOOKED_AT, name))


_LOOKED_AT: Final = _CHANGE.where(schema.campaigns.c.looked < bindparam("seen")).values(
    looked=bindparam("seen")
)
_NOT_LOOKED_AT: Final = _CHANGE.values(looked=schema.campaigns.c.revision - 1)


# ------------------------------------------------------------------ hold, policy


def mark_held(db: Db, name: str, reason: str) -> None:
    """Hold the campaign: no window is closed and no deadline executed until it is released."""
    _change(db, name, held=reason)


def mark_released(db: Db, name: str) -> None:
    _change(db, name, held=None)


def set_policy(db: Db, name: str, policy: Mapping[str, Any]) -> None:
    _change(db, name, policy=dict(policy))


def _change(db: Db, name: str, **values: Any) -> None:
    with writing(db) as tx:
        lock_and_load(tx, name)
        touch(tx, name, **values)


# ------------------------------------------------------------------ secrets


def store_keys(db: Db, name: str, keys: Keys) -> None:
    """Store the campaign's secrets; those of a new anchor are kept beside the old ones."""
    values = {
        "campaign": name,
        "first": keys.dice.first,
        "chain": keys.dice.chain.kept,
        "length": keys.dice.chain.length,
        "seal_key": keys.dice.seal_key,
        "bot_seed": keys.bot_seed,
        "mail_key": keys.mail_key,
    }
    write(db, insert(schema.secrets).values(**values))


def drop_keys(db: Db, name: str, first: int) -> None:
    """The secrets of chains that were to begin with that Close or a later one."""
    chains = schema.secrets
    write(db, delete(chains).where(chains.c.campaign == name, chains.c.first >= first))


def all_keys(db: Db, name: str) -> list[Keys]:
    """All secrets of the campaign, those of the last anchor last; each knows those before it."""
    rows = all_rows(db, select(schema.secrets).filter_by(campaign=name).order_by(schema.secrets.c.first))
    if not rows:
        raise NoSuchCampaign(f"there is no campaign {name}")
    found: list[Keys] = []
    for row in rows:
        found.append(_keys(row, found[-1].dice if found else None))
    return found


def _keys(row: RowMapping, before: Secrets | None) -> Keys:
    dice = Secrets(Chain.restored(row["chain"], row["length"]), row["seal_key"], row["first"], before)
    return Keys(dice, row["bot_seed"], row["mail_key"])


def keys_of(db: Db, name: str) -> Keys:
    """The campaign's present secrets."""
    return all_keys(db, name)[-1]


def service_key(db: Db, name: str) -> bytes:
    """A key of the service, created on first use."""
    keys = schema.service_keys
    with writing(db) as tx:
        insert_or_ignore(tx, keys, name=name, key=chance.token_bytes(32))
        key: bytes = tx.execute(select(keys.c.key).filter_by(name=name)).scalar_one()
    return key


# ------------------------------------------------------------------ umpires' acts


@dataclass(frozen=True, slots=True)
class Act:
    """What an umpire did, and why. `data` holds no address: acts outlive the people they concern."""

    act: str
    reason: str
    data: Mapping[str, Any] = field(default_factory=dict)
    person: int | None = None


def lobby_rulings(db: Db, name: str) -> list[dict[str, Any]]:
    """Links given up before the journal went on, as lines for the record of the first Close."""
    given = [act for _, act in acts(db, name) if act.data.get("links")]
    data = [{"public": dict(act.data)} for act in given]
    told = zip(given, data, strict=True)
    return [{"k": "ruling", "act": act.act, "reason": act.reason, "data": public} for act, public in told]


def record_act(db: Db, name: str, act: Act, now: datetime) -> None:
    values = {"act": act.act, "reason": act.reason, "data": dict(act.data), "person": act.person}
    write(db, insert(schema.umpire_acts).values(campaign=name, **values, done_at=now))


def acts(db: Db, name: str) -> list[tuple[datetime, Act]]:
    """Everything umpires did in that campaign, in order."""
    table = schema.umpire_acts
    rows = all_rows(db, select(table).filter_by(campaign=name).order_by(table.c.id))
    return [(row["done_at"], Act(row["act"], row["reason"], row["data"], row["person"])) for row in rows]
