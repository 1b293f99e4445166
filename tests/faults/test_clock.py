"""The clock jumps a day, or is put forward and back: deadlines are executed after their time, not before."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tests.faults.clock import run_jumps, run_summer_time
from tests.packages import Missing


@pytest.mark.long
def test_jumps_of_a_day_execute_no_deadline_early_and_lose_none(tmp_path: Path) -> None:
    try:
        jumps = run_jumps(tmp_path, print)
    except Missing as reason:
        pytest.skip(f"!!! NO FAKETIME, JUMPS OF THE CLOCK ARE NOT TESTED: {reason}")
    assert [] == jumps.findings.wrong
    assert jumps.due is not None and jumps.closed_at is not None
    assert timedelta(0) <= jumps.closed_at - jumps.due <= timedelta(seconds=90)
    assert 1 <= jumps.told


@pytest.mark.long
@pytest.mark.parametrize("season", ["spring", "autumn"])
def test_clocks_put_forward_and_back_execute_no_deadline_early_and_lose_none(
    tmp_path: Path, season: str
) -> None:
    try:
        done = run_summer_time(tmp_path, season, print)
    except Missing as reason:
        pytest.skip(f"!!! NO FAKETIME, SUMMER TIME IS NOT TESTED: {reason}")
    assert [] == done.findings.wrong
