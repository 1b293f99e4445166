"""The sensible bot: what it does in small positions, and against the random one."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from engine.games import game
from engine.kernel.dice import TestDice
from engine.kernel.game import Outcome, Settings
from engine.kernel.requests import Answer, Ask, Seat
from engine.kernel.table import Table

GAME = game("ttlm")
PACK = GAME.load_pack()
SIDES = ("GE", "EN")
GAMES = 50  # as each side
BAR = 90  # of a hundred


def played(seed: str, bots: dict[str, str]) -> tuple[Table, Outcome]:
    """One whole campaign of 1915."""
    settings = Settings(scenario="1915", players=2)
    table, rng = Table.start(GAME, PACK, settings, TestDice(seed)), Random(seed)

    def seated(name: str) -> Callable[[object, Ask], Answer]:
        bot = GAME.bots[name]
        return lambda view, ask: bot(view, ask, rng)

    table.automa = {Seat(side): seated(name) for side, name in bots.items()}
    table.advance()
    outcome = GAME.outcome(table.state)
    assert outcome is not None
    return table, outcome


def wins(side: str, games: int) -> int:
    """How many of the games the level favours the sensible bot in."""
    bots = {one: "sensible" if one == side else "random" for one in SIDES}
    return sum(played(f"{side}-{n}", bots)[1].winners == (side,) for n in range(games))


@pytest.mark.parametrize("side", SIDES)
def test_the_sensible_bot_beats_the_random_one(side: str) -> None:
    assert wins(side, 3) == 3


@pytest.mark.long
def test_the_sensible_bot_beats_the_random_one_in_nine_games_of_ten() -> None:
    assert sum(wins(side, GAMES) for side in SIDES) >= BAR


def test_equal_seeds_give_equal_games() -> None:
    bots = {"GE": "sensible", "EN": "random"}
    assert played("again", bots)[0].journal.head == played("again", bots)[0].journal.head
