"""Trench Club: random games of two, the automa's turn, the search for paths, the sensible player's share.

Games a second are scaled by what the PyPI package diplomacy needs for an order in the same run: the bar was
set where that is 0.23 ms.
"""

from __future__ import annotations

import time
from itertools import count
from random import Random
from typing import Any

from engine.games import game
from engine.games.trench_club.rules.movement import reach
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings, View
from engine.kernel.requests import Answer, Ask
from engine.kernel.table import Table
from tests.bench.measure import Figure, Figures
from tests.bench.yardstick import measured

GAMES = 30  # some are ten times as long as others
ROUNDS = 6
DUELS = 200
YARD = 0.00023  # seconds an order of the yardstick, where the bars were set
TRENCH = game("trench")


def run() -> Figures:
    """Yardstick and games take turns, and the best of each counts: both meet the same machine."""
    order = taken = path = float("inf")
    for _ in range(ROUNDS):
        order = min(order, measured().seconds_per_order)
        began = time.perf_counter()
        for seed in range(GAMES):
            random_game(seed, GameSettings("standard", 2))
        taken = min(taken, time.perf_counter() - began)
        path = min(path, path_search())
    scale = order / YARD
    duels = duels_of_both_kinds()
    turns = sorted(seconds for one in duels for seconds in one.turns)
    return {
        "diplomacy's time per order": Figure(1000 * order, "ms"),
        "random games of two a second, scaled": Figure(GAMES / taken * scale, at_least=5),
        "automa's turn, median, scaled": Figure(1000 * turns[len(turns) // 2] / scale, "ms"),
        "automa's turn, 99 of 100, scaled": Figure(
            1000 * turns[len(turns) * 99 // 100] / scale, "ms", at_most=50
        ),
        "legal paths of a unit on the full board, scaled": Figure(1000 * path / scale, "ms", at_most=1),
        "sensible player against the automa": Figure(100 * share(duels), "%", at_least=60),
        "… moving first": Figure(100 * share([one for one in duels if one.first]), "%"),
        "… moving second": Figure(100 * share([one for one in duels if not one.first]), "%"),
    }


def random_game(seed: int, settings: GameSettings) -> Table:
    rng = Random(seed)

    def bot(view: View, ask: Ask) -> Answer:
        return ask.options.sample(rng)

    table = Table.start(TRENCH, TRENCH.load_pack(), settings, TestDice(f"bench {seed}"))
    automa: Any = dict.fromkeys(TRENCH.seats(settings), bot)
    table.automa = automa
    table.advance()
    assert table.over
    return table


def path_search() -> float:
    """Seconds for one unit, four armies on the full board in the first round."""
    table = Table.start(TRENCH, TRENCH.load_pack(), GameSettings("standard", 4), TestDice("bench paths"))
    state: Any = table.state
    while state.round == 0:
        table.advance()
    units = [unit for unit in state.units if state.is_on_map(unit)]
    began = time.perf_counter()
    for unit in units:
        reach(state, unit)
    return (time.perf_counter() - began) / len(units)


class Duel:
    """A game of the sensible player alone against the automa."""

    def __init__(self, seed: int) -> None:
        settings, rng = GameSettings("standard", 1), Random(seed)
        sensible, self.turns = TRENCH.bots["sensible"], list[float]()
        moment = time.perf_counter()

        def bot(view: View, ask: Ask) -> Answer:
            nonlocal moment
            if ask.topic == "turn.lead" and view.position.round > 1:
                self.turns.append(time.perf_counter() - moment)
            answer = sensible(view, ask, rng)
            moment = time.perf_counter()
            return answer

        table = Table.start(TRENCH, TRENCH.load_pack(), settings, TestDice(seed))
        automa: Any = dict.fromkeys(TRENCH.seats(settings), bot)
        table.automa = automa
        table.advance()
        state: Any = table.state
        self.won, self.first = bool(state.result.winners), state.order[0] != state.automa


def duels_of_both_kinds() -> list[Duel]:
    """The first games in which the sensible player moves first, and as many in which it moves second."""
    found: dict[bool, list[Duel]] = {True: [], False: []}
    for seed in count():
        one = Duel(seed)
        if len(found[one.first]) < DUELS // 2:
            found[one.first].append(one)
        if all(len(some) == DUELS // 2 for some in found.values()):
            break
    return [*found[True], *found[False]]


def share(duels: list[Duel]) -> float:
    return sum(one.won for one in duels) / max(1, len(duels))
