"""Going on with a campaign: the same position, fresh and with 20,000 journal lines behind it.

Two copies of one campaign, secrets included, live through the same letters and the same dice; in one of them
the umpire has made 20,000 remarks. Measured is opening the saved game up to the open question.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from engine.kernel.requests import Seat
from pbem.campaigns.terms import agree_terms
from pbem.local.saved import advance, create_game, open_game
from tests.bench.measure import Figure, Figures, seconds

REMARKS = 20_000
TURN = 3  # the position measured: the first question of this turn or a later one


def run() -> Figures:
    with tempfile.TemporaryDirectory() as place:
        fresh, aged = Path(place, "fresh"), Path(place, "aged")
        terms = agree_terms("fww", players=4, options={"no_surrender_before_turn": TURN + 1})
        create_game(fresh, terms, {seat: "sensible" for seat in terms.seats if seat != "WA"})
        shutil.copytree(fresh, aged)
        lines = grown_old(fresh, 0), grown_old(aged, REMARKS)
        assert position(fresh) == position(aged), "both stand at the same question"
        young, old = seconds(lambda: position(fresh), 25), seconds(lambda: position(aged), 25)
        young = min(young, seconds(lambda: position(fresh), 25))
    return {
        "journal lines, fresh": Figure(lines[0]),
        "journal lines, aged": Figure(lines[1]),
        "opening a fresh campaign": Figure(1000 * young, "ms"),
        "opening an aged campaign / a fresh one": Figure(old / young, at_most=1.2),
    }


def grown_old(folder: Path, remarks: int) -> int:
    """Play on until the turn is reached; returns the number of lines."""
    with open_game(folder) as campaign:
        for number in range(remarks):
            campaign.table.note("remark", "nothing to remark", public={"number": number})
        while campaign.table.state.turn < TURN and not campaign.table.over:
            advance(campaign, {})
        assert not campaign.table.over, "the game lasts long enough to be measured"
        return len(campaign.table.journal)


def position(folder: Path) -> tuple[object, ...]:
    with open_game(folder) as campaign:
        assert campaign.pause is not None
        asks = tuple(question for question, _ in campaign.pause.asks)
        return asks, campaign.pause.window, campaign.table.view(Seat("WA"))
