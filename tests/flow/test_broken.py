"""A campaign whose record is damaged is held, its umpire told once, and every other goes on."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.umpire.acts import Umpire
from pbem.campaigns.umpire.clock import release
from pbem.store import schema
from pbem.store.campaigns import acts, campaign_row
from tests.campaigns_at_hand import NAME, AtHand
from tests.flow.hands import all_hand_in, flat, to_members, window
from tests.flow.test_sweep import DEADLINE, Machine, deadline, machine  # noqa: F401

pytestmark = pytest.mark.usefixtures("without_maps")


def damage(at: AtHand, raw: bytes) -> bytes:
    """Another last line of the journal; returns the one that stood there."""
    table = schema.journal
    with at.db.begin() as tx:
        last = tx.execute(select(func.max(table.c.sequence)).where(table.c.campaign == NAME)).scalar_one()
        here = (table.c.campaign == NAME, table.c.sequence == last)
        before = tx.execute(select(table.c.raw).where(*here)).scalar_one()
        tx.execute(update(table).where(*here).values(raw=raw))
        return bytes(before)


def test_a_damaged_journal_holds_the_campaign_and_is_told_once(at: AtHand) -> None:
    all_hand_in(at)
    good = damage(at, b'{"k":"pause"}')
    assert not adjudicate(at.service, NAME) and campaign_row(at.db, NAME).held
    (told,) = to_members(at, "umpire")
    assert "CorruptJournal" in flat(told) and "pbem replay --all-open" in flat(told)
    assert ("hold", "CorruptJournal") == (
        acts(at.db, NAME)[-1][1].act,
        acts(at.db, NAME)[-1][1].data["error"],
    )
    assert not adjudicate(at.service, NAME) and 1 == len(to_members(at, "umpire"))
    damage(at, good)
    release(Umpire(at.service, NAME))
    assert adjudicate(at.service, NAME) and 2 == window(at).number


def test_the_sweep_goes_on_past_a_damaged_journal(machine: Machine) -> None:  # noqa: F811
    at = machine.at
    damage(at, b'{"k":"pause"}')
    machine.runs_to(DEADLINE - timedelta(hours=48))  # a reminder is due
    assert campaign_row(at.db, NAME).held and 1 == len(to_members(at, "umpire"))
    assert () == machine.sweeps().campaigns


def test_an_outage_moves_the_deadline_of_a_damaged_campaign_too(machine: Machine) -> None:  # noqa: F811
    at = machine.at
    machine.runs_to(DEADLINE - timedelta(hours=5))
    damage(at, b'{"k":"pause"}')
    machine.passes(timedelta(hours=9))
    assert DEADLINE + timedelta(days=1) == deadline(at)
