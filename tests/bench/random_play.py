"""Random play to the end, in a process of its own that prints what it took: `random_play fww`."""

from __future__ import annotations

import json
import sys
import time

from engine.games import game as game_named
from pbem.local.simulate import SimulationPlan, simulate

GAMES = 18
ROUNDS = 5


def main() -> None:
    """What `pbem simulate` runs; the fastest of five rounds over the same games counts."""
    game = sys.argv[1]
    plan = SimulationPlan(game=game, seed="bench", bots=("random",), players=game_named(game).players)
    list(simulate(plan, range(3)))  # charts are derived from the pack once
    taken = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        played = list(simulate(plan, range(GAMES)))
        taken.append(time.perf_counter() - began)
    assert not any(one.trouble for one in played), "random play comes to an end"
    told = {
        "games": GAMES,
        "asks": sum(one.asks for one in played),
        "decisions": sum(one.answers for one in played),
        "lines": sum(one.lines for one in played),
        "seconds": min(taken),
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
