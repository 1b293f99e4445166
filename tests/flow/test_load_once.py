"""An advance loads its campaign once; the loaded campaign goes on as if it were loaded again."""

from __future__ import annotations

from typing import Any

import pytest

from engine.kernel.table import Table
from pbem.campaigns.adjudicate import adjudicate, computed
from pbem.campaigns.campaign import load_campaign
from pbem.store.advance import HeadMoved, commit_advance
from pbem.store.people import give_to_bot, seated
from pbem.store.windows import read_orders
from tests.campaigns_at_hand import NAME, AtHand
from tests.flow.hands import all_hand_in, window


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Notes every table that is built from the store."""
    ways: list[str] = []
    for way in ("start", "replay", "resume"):
        real = getattr(Table, way)

        def count(*args: Any, way: str = way, real: Any = real, **more: Any) -> Any:
            ways.append(way)
            return real(*args, **more)

        monkeypatch.setattr(Table, way, count)
    return ways


def test_an_advance_loads_the_campaign_once(at: AtHand, loads: list[str]) -> None:
    all_hand_in(at, {"DE": "DEPLOY 2D > 1"})
    before = window(at).number
    assert adjudicate(at.service, NAME)
    assert window(at).number == before + 1
    assert len(loads) == 1


def test_so_does_whoever_finds_a_frozen_close(at: AtHand, loads: list[str]) -> None:
    all_hand_in(at)
    assert load_campaign(at.db, NAME).freeze(read_orders(at.db, NAME), "all-in", at.clock()) is not None
    loads.clear()
    assert adjudicate(at.service, NAME)
    assert len(loads) == 1


def test_a_campaign_goes_on_as_if_loaded_again(at: AtHand) -> None:
    all_hand_in(at, {"DE": "DEPLOY 2D > 1"})
    campaign = load_campaign(at.db, NAME)
    frozen = campaign.freeze(read_orders(at.db, NAME), "all-in", at.clock())
    assert frozen is not None
    done = computed(at.service, frozen, seated(at.db, NAME), campaign)
    with pytest.raises(HeadMoved):
        campaign.refresh()  # nothing is committed yet
    assert commit_advance(at.db, done, frozen.at)
    give_to_bot(at.db, NAME, "GA", "random")
    campaign.refresh()
    again = load_campaign(at.db, NAME)
    assert (campaign.standing_row, campaign.bots, campaign.standing) == (
        again.standing_row,
        again.bots,
        again.standing,
    )
    assert campaign.ledger.records == again.ledger.records
    assert campaign.table.journal.head == again.table.journal.head
    assert campaign.open_asks().keys() == again.open_asks().keys()
    for seat in campaign.terms.seats:
        assert campaign.view(seat) == again.view(seat)
