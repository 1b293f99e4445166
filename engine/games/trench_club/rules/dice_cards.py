"""DICELESS Cards that take the place of dice."""

from __future__ import annotations

from engine.games.trench_club.answers import Nation
from engine.games.trench_club.pack import Pack
from engine.games.trench_club.state import Position

FIRST_COLUMN = 2  # the attack value of a card's first column
CARDS = 10


def uses_cards(position: Position, nation: Nation) -> bool:
    """DICELESS-1 One player may use cards while another rolls dice."""
    who = str(position.options["diceless"])
    return who == "all" or nation in who.split()


def card_hits(pack: Pack, card: int, dice: int, value: int) -> int:
    """DICELESS-3, 4 Row: the dice it would roll; column: its attack value; the cell is the hits."""
    return pack.cards[card][dice][value - FIRST_COLUMN]
