"""Long sheets: what judging a line costs does not grow with their length."""

from __future__ import annotations

from collections.abc import Iterator

from engine.games import game
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings
from engine.kernel.rehearsal import judge_sheet
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Table
from tests.bench.bench_notation import processor_seconds
from tests.bench.measure import Figure, Figures

SIZES = (75, 150, 300)
ROWS = {  # the window's kind, and lines that are all tried in it
    "fww": ("R", [f"DE C{cycle}: ATTACK {front} WITH REAL" for cycle in (1, 2, 3, 4) for front in (1, 2, 3)]),
    "ttlm": ("P", [*(f"BUILD I IN GE{army}" for army in range(1, 8)), "REBUILD GE1 AT COL", "BUY 1 CARDS"]),
    "trench": ("T", ["M INF1 > D5", "M TNK1 > D6", "M CAR1 > G7", "A TNK1 GB.HVY1", "BUY INF B8"]),
}
REPEAT = 7


def run() -> Figures:
    figures: dict[str, Figure] = {}
    for name in ROWS:
        spent = dict(zip(SIZES, judging(name), strict=True))
        each = spent[300] / spent[75] / 4
        figures[f"{name}: a line of 300 against one of 75"] = Figure(each, at_most=1.3)
        figures[f"{name}: judging 300 lines"] = Figure(1000 * spent[300], "ms")
    return figures


def judging(name: str) -> Iterator[float]:
    table = at_window(name)
    assert table.pause is not None
    seat = table.pause.window.seats[-1]
    view = table.view(seat)
    for size in SIZES:
        file = OrderFile(table.game.notation.read("\n".join(lines(name, size)), view).orders)
        assert len(file.sheet) == size
        yield min(map(processor_seconds, [lambda file=file: judge_sheet(table, seat, file)] * REPEAT))


def lines(name: str, size: int) -> list[str]:
    rows = ROWS[name][1]
    return [rows[number % len(rows)] for number in range(size)]


def at_window(name: str) -> Table:
    """The first window of that kind; nobody has written a word."""
    one = game(name)
    options = {"length": "short"} if name == "ttlm" else {}
    table = Table.start(one, one.load_pack(), GameSettings(one.scenarios[0], 2, "fast", options), TestDice(1))
    pause = table.advance()
    while pause is not None and pause.window.key.rpartition(".")[2] != ROWS[name][0]:
        pause = table.advance()
    return table
