"""Proposals of a seat to the others: who agrees, and the outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import RowMapping, delete, func, insert, select, update
from sqlalchemy.engine import Connection

from engine.kernel.records import RESIGNATION
from pbem.store import schema
from pbem.store.campaigns import lock_and_load
from pbem.store.session import Db, all_rows, insert_or_ignore, one_value, reading, write, writing


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a seat proposes to the others: a rollback, an armistice, to give up."""

    number: int
    seat: str
    kind: str
    data: Mapping[str, Any]
    assents: tuple[str, ...]  # seats, the proposer's own among them
    outcome: str | None


def propose(db: Db, name: str, seat: str, kind: str, data: Mapping[str, Any], now: datetime) -> int:
    """Open a proposal; the proposer agrees."""
    table = schema.proposals
    with writing(db) as tx:
        lock_and_load(tx, name)
        number = int(one_value(tx, select(func.max(table.c.number)).filter_by(campaign=name)) or 0) + 1
        told = {"number": number, "seat": seat, "kind": kind, "data": dict(data), "made_at": now}
        tx.execute(insert(table).values(campaign=name, **told))
        give_assent(tx, name, number, seat, now)
    return number


def give_assent(db: Db, name: str, number: int, seat: str, now: datetime) -> bool:
    """A seat's assent; False: it was given before."""
    return insert_or_ignore(db, schema.assents, campaign=name, number=number, seat=seat, given_at=now)


def settle_proposal(db: Db, name: str, number: int, outcome: str, now: datetime) -> bool:
    """Store the outcome: carried, refused, withdrawn. False: it was settled before."""
    open_one = update(schema.proposals).filter_by(campaign=name, number=number, settled_at=None)
    return write(db, open_one.values(outcome=outcome, settled_at=now)) == 1


def change_proposal(db: Db, name: str, number: int, data: Mapping[str, Any]) -> None:
    """Change the data of an open proposal: more time to answer it."""
    open_one = update(schema.proposals).filter_by(campaign=name, number=number, settled_at=None)
    write(db, open_one.values(data=dict(data)))


def withdraw_consent(tx: Connection, name: str, seat: str, now: datetime) -> None:
    """The seat has a new holder: what the one before offered or agreed to no longer counts.

    What they proposed to all stays open, and waits for the new holder's answer, too.
    """
    table, given = schema.proposals, schema.assents
    numbers = select(table.c.number).filter_by(campaign=name, settled_at=None)
    tx.execute(delete(given).filter_by(campaign=name, seat=seat).where(given.c.number.in_(numbers)))
    own = update(table).filter_by(campaign=name, settled_at=None, seat=seat, kind=RESIGNATION)
    tx.execute(own.values(outcome="withdrawn", settled_at=now))


def proposals(db: Db, name: str) -> list[Proposal]:
    """All proposals of a campaign, in order."""
    table, given = schema.proposals, schema.assents
    with reading(db) as tx:
        rows = all_rows(tx, select(table).filter_by(campaign=name).order_by(table.c.number))
        assents = all_rows(tx, select(given).filter_by(campaign=name).order_by(given.c.seat))
    return [_proposal(row, assents) for row in rows]


def _proposal(row: RowMapping, assents: Sequence[RowMapping]) -> Proposal:
    agreed = tuple(one["seat"] for one in assents if one["number"] == row["number"])
    return Proposal(row["number"], row["seat"], row["kind"], row["data"], agreed, row["outcome"])


# ------------------------------------------------------------------ over all campaigns


class OpenProposal(NamedTuple):
    """A proposal of a campaign that is not over."""

    campaign: str
    number: int
    seat: str
    data: Mapping[str, Any]


def unsettled_proposals(db: Db, kind: str) -> list[OpenProposal]:
    table, campaigns = schema.proposals, schema.campaigns
    chosen = (
        select(table.c.campaign, table.c.number, table.c.seat, table.c.data)
        .join(campaigns, campaigns.c.id == table.c.campaign)
        .where(table.c.kind == kind, table.c.settled_at.is_(None), campaigns.c.state == "running")
        .order_by(table.c.campaign, table.c.number)
    )
    return [OpenProposal(**row) for row in all_rows(db, chosen)]
