"""Going on with a campaign: the same position, fresh and with 20,000 journal lines behind it.

Two copies of one saved game, secrets included, live through the same letters and the same dice; in one of
them the umpire has made 20,000 remarks. Measured is loading the campaign from its open store up to the open
question; the cost of opening a store for the first time, which knows no journal, is shown beside it.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from sqlalchemy import Engine

from engine.kernel.requests import Seat
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.terms import agree_terms
from pbem.local.saved import NAME, advance, create_game, open_game, open_store
from tests.bench.measure import Figure, Figures, seconds

REMARKS = 20_000
TURN = 3  # the position measured: the first question of this turn or a later one


def run() -> Figures:
    with tempfile.TemporaryDirectory() as place:
        fresh, aged = Path(place, "fresh"), Path(place, "aged")
        terms = agree_terms("fww", players=4, options={"no_surrender_before_turn": TURN + 1})
        create_game(fresh, terms, {seat: "sensible" for seat in terms.seats if seat != "WA"})
        shutil.copytree(fresh, aged)
        lines = grow_old(fresh, 0), grow_old(aged, REMARKS)
        with open_store(fresh) as fresh_db, open_store(aged) as aged_db:
            assert position(fresh_db) == position(aged_db), "both stand at the same question"
            young, old = seconds(lambda: position(fresh_db), 100), seconds(lambda: position(aged_db), 100)
        opened = seconds(lambda: open_and_close(fresh), 5), seconds(lambda: open_and_close(aged), 5)
    return {
        "journal lines, fresh": Figure(lines[0]),
        "journal lines, aged": Figure(lines[1]),
        "opening a fresh campaign": Figure(1000 * young, "ms"),
        "opening an aged campaign / a fresh one": Figure(old / young, at_most=1.2),
        "opening the file of a fresh one": Figure(1000 * opened[0], "ms"),
        "opening the file of an aged one": Figure(1000 * opened[1], "ms"),
    }


def grow_old(folder: Path, remarks: int) -> int:
    """Play on until the turn is reached; returns the number of lines."""
    with open_game(folder) as campaign:
        for number in range(remarks):
            campaign.table.note("remark", "nothing to remark", public={"number": number})
        while campaign.table.state.turn < TURN and not campaign.table.over:
            advance(campaign, {})
        assert not campaign.table.over, "the game lasts long enough to be measured"
        return len(campaign.table.journal)


def position(db: Engine) -> tuple[object, ...]:
    campaign = load_campaign(db, NAME)
    assert campaign.pause is not None
    asks = tuple(question for question, _ in campaign.pause.asks)
    return asks, campaign.pause.window, campaign.table.view(Seat("WA"))


def open_and_close(folder: Path) -> None:
    with open_game(folder):
        pass
