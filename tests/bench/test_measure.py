"""A bar that is missed is seen."""

from __future__ import annotations

import io
import json

from rich.console import Console

from tests.bench.__main__ import as_json, exit_code, names, table
from tests.bench.measure import Figure, Figures, seconds


def test_bars_can_be_missed_on_either_side() -> None:
    assert Figure(1.0, at_most=1.0).ok and not Figure(1.01, at_most=1.0).ok
    assert Figure(0.4, at_least=0.4).ok and not Figure(0.39, at_least=0.4).ok
    assert not Figure(3, at_least=1, at_most=2).ok
    assert Figure(99).ok


def test_the_table_the_json_and_the_exit_code_say_so() -> None:
    good, bad = Figure(0.5, at_most=1.0), Figure(0.3, at_least=0.4)
    assert 0 == exit_code({"dice": {"a": good}})
    results: dict[str, Figures] = {"dice": {"a": good, "b": bad, "c": Figure(4110, "1/s")}}
    assert 1 == exit_code(results)
    shown = io.StringIO()
    Console(file=shown, width=100).print(table(results))
    rows = [line.split("│")[2:6] for line in shown.getvalue().splitlines() if "dice" in line]
    assert [["a", "0.5", "≤ 1", "yes"], ["b", "0.3", "≥ 0.4", "NO"], ["c", "4,110 1/s", "", ""]] == [
        [cell.strip() for cell in row] for row in rows
    ]
    assert [True, False, True] == [row["ok"] for row in json.loads(as_json(results))]


def test_the_shortest_run_counts() -> None:
    runs: list[int] = []
    assert 0 <= seconds(lambda: runs.append(1), repeat=3) < 1
    assert 3 == len(runs)


def test_benchmarks_are_found_by_name() -> None:
    assert "diplomacy" in names()
