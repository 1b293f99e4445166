"""The sensible bot against the random one."""

from __future__ import annotations

from random import Random

import pytest

from engine.games import game
from engine.games.first_world_war.answers import Transfer
from engine.games.first_world_war.bot import gap_closers
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings
from engine.kernel.requests import Answer, Ask, Seat
from engine.kernel.table import Table
from tests.rules.fww.board import Board

GAME = game("fww")
PACK = GAME.load_pack()
GAMES = 100


def winner(seed: str, sensible: Seat) -> tuple[Seat, ...]:
    """One two-player game of the sensible bot in that seat against the random one."""
    settings = GameSettings(players=2)
    table, rng = Table.start(GAME, PACK, settings, TestDice(seed)), Random(seed)

    def play(name: str):
        bot = GAME.bots[name]

        def answer(view: object, ask: Ask) -> Answer:
            return bot(view, ask, rng)

        return answer

    table.automa = {seat: play("sensible" if seat == sensible else "random") for seat in GAME.seats(settings)}
    table.advance()
    outcome = GAME.outcome(table.state)
    assert outcome is not None
    return outcome.winners


def test_5__5_a_gap_is_closed_by_the_weakest_army_of_equals_that_with_the_lowest_number() -> None:
    """As D8 has it: DE9 before DE10."""
    view = Board(turn=3, faction="DE", fronts={1: "BE1", 2: "DE10 DE9"}).view("DE")
    assert [move for _, move in gap_closers(view, "DE")] == [Transfer(2, 1, ("DE9",))]


@pytest.mark.parametrize("seat", ["ALLIES", "CENTRAL"])
def test_the_sensible_bot_beats_the_random_one(seat: str) -> None:
    won = sum(winner(f"{seat}-{n}", Seat(seat)) == (seat,) for n in range(GAMES))
    assert won >= 0.9 * GAMES
