"""The fault harness in its short form: SQLite, fifteen kills, Redis flushed, copies, one letter cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.course import Plan, run
from tests.faults.ground import Size
from tests.packages import Missing

PLAN = Plan(
    kills=15,
    faults=("copy, another way", "redis flushed", "copy, same bytes", "imap cut in a letter"),
    pause=(0.1, 0.8),
    kills_a_turn=8,
    time_outs=0,
    lease=6.0,
    size=Size(campaigns=2, parents=1),
)


@pytest.mark.long
def test_nothing_is_lost_or_doubled_when_processes_are_killed(tmp_path: Path) -> None:
    try:
        report = run(tmp_path, "sqlite", 1, PLAN, print)
    except Missing as reason:
        pytest.skip(f"!!! A SERVER IS MISSING, NOTHING IS KILLED UNDER LOAD: {reason}")
    assert [] == report.findings.wrong
    assert 15 == sum(report.killed.values()) and 4 == sum(report.faults.values())
    counts = report.findings.counts
    assert counts["letters in the mailbag"] > counts["letters handed in"]  # the copies among them
    assert (0, 0, 0) == tuple(
        counts[one] for one in ("letters lost", "letters obeyed twice", "turns doubled")
    )
