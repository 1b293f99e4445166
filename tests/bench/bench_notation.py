"""The order languages: simple orders read a second, and written."""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.games.first_world_war.game import GAME
from engine.kernel.game import GameSettings
from tests.bench.measure import Figure, Figures

SIMPLE = """
    PASS
    ATTACK 3 WITH FR2 FR3 TAKE METZ
    C2: MOVE 2: BR1 D > 1
    TRANSFERT 4 > 3 : FR1
    DEFEND 1: TILE MACHINEGUNS LEAD STRONGEST
    PIOCHE OUI RENDS RUMEURS
    REPLACE BR1 FR2 FR5
    GRANT ALL IF SPARE
    OCCUPY 3: METZ
    DEPLOY FR6 > 1, FR9 2D > 3
"""
LETTERS = 400


def run() -> Figures:
    """In processor time: the figure is the reader's, not the machine's other work."""
    state, _ = GAME.set_up(GAME.load_pack(), GameSettings(players=4))
    view = GAME.view(state, state.seats["WA"])
    text = "\n".join(line.strip() for line in SIMPLE.strip().splitlines())
    reading = GAME.notation.read(text, view)
    assert reading.refusals == ()
    lines = (*reading.orders, *reading.standing)
    read = processor_seconds(lambda: [GAME.notation.read(text, view) for _ in range(LETTERS)])
    written = processor_seconds(lambda: [line.write("fr") for _ in range(LETTERS) for line in lines])
    number = LETTERS * len(lines)
    return {
        "orders read": Figure(number / read, "1/s", at_least=20_000),
        "orders written": Figure(number / written, "1/s"),
    }


def processor_seconds(work: Callable[[], object], repeat: int = 7) -> float:
    """The shortest of several runs."""
    best = float("inf")
    for _ in range(repeat):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best
