"""The First World War, random play: time per decision against the yardstick's time per order.

A decision is a question whose answer was journaled: its view is built, its answer checked, and what follows
from it journaled and chained. The moments in which a faction may volunteer something and does nothing leave
no line; their time counts, they do not. Per question put, as `simulate` counts `asks`, it is told beside it.
"""

from __future__ import annotations

import json
import subprocess
import sys

from tests.bench.measure import Figure, Figures
from tests.bench.yardstick import measured

ROUNDS = 6  # a machine that others use shows its own speed only now and then


def run() -> Figures:
    """Yardstick and game take turns, and the best of each counts: both meet the same machine."""
    order = taken = float("inf")
    for _ in range(ROUNDS):
        order = min(order, measured().seconds_per_order)
        told = random_play("fww")
        taken = min(taken, told["seconds"])
    decision, ask = taken / told["decisions"], taken / told["asks"]
    return {
        "time per decision": Figure(1000 * decision, "ms"),
        "decisions per game": Figure(told["decisions"] / told["games"]),
        "journal lines per decision": Figure(told["lines"] / told["decisions"]),
        "time per question put / diplomacy's time per order": Figure(ask / order),
        "time per decision / diplomacy's time per order": Figure(decision / order, at_most=1.0),
    }


def random_play(game: str) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.bench.random_play", game]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=300)
    told: dict[str, float] = json.loads(done.stdout)
    return told
