"""The fault harness in short: SQLite, kills of every process, Redis flushed and away, copies, cuts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.course import Plan, run
from tests.faults.ground import Size
from tests.packages import Missing

PLAN = Plan(
    kills=8,
    victims=("poster", "worker", "poster", "worker", "poller", "worker", "poster", "poller"),
    faults=("imap cut in a letter", "copy, another way", "redis flushed", "redis away"),
    kills_a_fault=2,
    pause=(0.0, 0.1),
    kills_a_turn=99,
    away=(0.5, 1.5),
    time_outs=0,
    temper=2.5,
    lease=8.0,
    sweeps=2.0,
    asks_too=1.0,
    tidy=False,
    size=Size(campaigns=2, parents=1, maps=False),
)


@pytest.mark.slow  # twelve processes are killed at their work and started again
def test_nothing_is_lost_or_doubled_when_processes_are_killed(tmp_path: Path) -> None:
    try:
        report = run(tmp_path, "sqlite", 1, PLAN, print)
    except Missing as reason:
        pytest.skip(f"!!! A SERVER IS MISSING, NOTHING IS KILLED UNDER LOAD: {reason}")
    assert [] == report.findings.wrong
    assert PLAN.kills == sum(report.killed.values()) and 4 == sum(report.faults.values())
    counts = report.findings.counts
    assert counts["letters in the mailbag"] > counts["letters handed in"]  # the copies among them
    assert (0, 0, 0) == tuple(
        counts[one] for one in ("letters lost", "letters obeyed twice", "turns doubled")
    )
