"""Seats that win and lose together give up together; who stays silent as long as a turn lasts agrees.

A game that has such seats has a method `allies(state, seat) -> tuple[Seat, ...]`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection

from engine.kernel.records import RESIGNATION
from engine.kernel.requests import Seat
from pbem.campaigns.stored import StoredCampaign, take_up
from pbem.store.campaigns import Act, keep_act, locked
from pbem.store.connect import Db, writing
from pbem.store.filing import on_file
from pbem.store.proposals import Proposal, proposals, settle_proposal, unsettled

UNTIL: Final = "until"  # of a proposal's data: when silence counts as consent


def allies_of(here: StoredCampaign, seat: str) -> tuple[Seat, ...]:
    own: Callable[[Any, Seat], tuple[Seat, ...]] | None = getattr(here.terms.game, "allies", None)
    return () if own is None else own(here.table.state, Seat(seat))


def knows_allies(here: StoredCampaign) -> bool:
    return hasattr(here.terms.game, "allies")


def end_by_resignation(tx: Connection, taken: StoredCampaign, team: Sequence[str], now: datetime) -> None:
    """The Close that ends the game is frozen: whoever looks at the campaign next runs it."""
    name, seats = taken.name, sorted(team)
    keep_act(tx, name, Act(RESIGNATION, "", {"seats": seats}), now)
    frozen = taken.freeze_end(on_file(tx, name), RESIGNATION, seats, now)
    assert frozen is not None, "the campaign is locked, neither held nor over"


def open_resignations(db: Db, name: str) -> list[Proposal]:
    """Of a side that gives up if all its seats agree: proposed, and the last word not spoken."""
    return [one for one in proposals(db, name) if one.kind == RESIGNATION and one.outcome is None]


def overdue(db: Db, heard: datetime | None) -> set[str]:
    """The campaigns in which allies have said nothing in their time."""
    return {one.campaign for one in unsettled(db, RESIGNATION) if _is_late(one.data, heard)}


def give_up_silently(db: Db, name: str, heard: datetime | None, now: datetime) -> bool:
    """Allies who have said nothing in their time agree: the game ends."""
    late = [one for one in open_resignations(db, name) if _is_late(one.data, heard)]
    if not late:
        return False
    with writing(db) as tx:
        here = locked(tx, name)
        if here.state != "running" or here.held is not None:
            return False
        if not settle_proposal(tx, name, late[0].number, "carried", now):
            return False
        taken = take_up(tx, name)
        end_by_resignation(tx, taken, (late[0].seat, *allies_of(taken, late[0].seat)), now)
    return True


def _is_late(data: Mapping[str, Any], heard: datetime | None) -> bool:
    """As with deadlines, a time has passed when the inbox was read to its end after it."""
    return heard is not None and datetime.fromisoformat(data[UNTIL]) < heard
