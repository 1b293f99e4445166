"""A campaign of Trench Club whose armies stand on the board, where the defaults put them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.policy import Policy
from tests.campaigns_at_hand import AtHand, Clock, campaign_at_hand
from tests.stores import FILE, copied_store, file_of, fresh_store, patterns_folder

NAME = "TC-1"
# Of two players Great Britain begins, and its tank has heavy infantry in reach; of four Germany begins.
DICE = {2: " 76", 4: " 2"}


def in_first_round(folder: Path, players: int = 2) -> AtHand:
    """The first window of round 1 is open; each test has a copy."""
    pattern, clock = _pattern(players), Clock()
    service = replace(pattern.service, db=copied_store(file_of(pattern.db), folder / FILE), now=clock)
    return AtHand(service, clock, pattern.name, dict(pattern.addresses))


@cache
def _pattern(players: int) -> AtHand:
    at = campaign_at_hand(
        patterns_folder(),
        name=NAME,
        players=players,
        game="trench",
        policy=Policy(whole_sheets=True),
        db=fresh_store(patterns_folder()),
        dice=DICE[players],
    )
    while not load_campaign(at.db, at.name).table.state.round:
        at.close()
    state = load_campaign(at.db, at.name).table.state
    first, tank, heavy = state.active, state.units["GB.TNK1"].at, state.units["DE.HVY1"].at
    as_told = first == "DE" if players == 4 else (first, tank, heavy) == ("GB", "D10", "D5")
    assert as_told, "the opening has changed, and with it the dice: choose other words"
    at.db.dispose()
    return at
