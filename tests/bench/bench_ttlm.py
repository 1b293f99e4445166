"""To the Last Man!, random play of the 1914 campaign: games a second, and the slowest orders.

The bars were set where the PyPI package diplomacy needs 0.23 ms an order; they are scaled by what it needs
here in the same run. An order is one question answered: view, answer, what the rules make of it, journal.
"""

from __future__ import annotations

import time
from itertools import pairwise
from random import Random
from typing import Any

from engine.games import game
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings, View
from engine.kernel.requests import Answer, Ask
from engine.kernel.table import Table
from tests.bench.measure import Figure, Figures
from tests.bench.yardstick import measured

GAMES = 8
YARD = 0.00023  # seconds an order of the yardstick, where the bars were set
TTLM = game("ttlm")


def run() -> Figures:
    """Yardstick and game take turns, and the best of each counts: both meet the same machine."""
    order = taken = float("inf")
    slow: list[float] = []
    asked = 0
    for _ in range(3):
        order = min(order, measured().seconds_per_order)
        began, waits = time.perf_counter(), list[float]()
        for seed in range(GAMES):
            waits += played(seed)
        taken, asked = min(taken, time.perf_counter() - began), len(waits)
        slow.append(sorted(waits)[int(len(waits) * 0.99)])
    scale = order / YARD
    return {
        "diplomacy's time per order": Figure(1000 * order, "ms"),
        "decisions per game": Figure(asked / GAMES),
        "decisions a second, scaled": Figure(asked / taken * scale),
        "games of the 1914 campaign a second, scaled": Figure(GAMES / taken * scale, at_least=1.5),
        "99th percentile per order, scaled": Figure(1000 * min(slow) / scale, "ms", at_most=5.0),
    }


def played(seed: int) -> list[float]:
    """Seconds from one question to the next."""
    rng, moments = Random(seed), [time.perf_counter()]

    def bot(view: View, ask: Ask) -> Answer:
        moments.append(time.perf_counter())
        return ask.options.sample(rng)

    table = Table.start(TTLM, TTLM.load_pack(), GameSettings("1914", 2), TestDice(f"bench {seed}"))
    automa: Any = dict.fromkeys(TTLM.seats(table.settings), bot)
    table.automa = automa
    table.advance()
    assert table.over
    return [later - sooner for sooner, later in pairwise(moments)]
