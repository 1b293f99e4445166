"""The clock jumps a day ahead and a day back: the deadline is executed after its time, and only then."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tests.faults.clock import run_jumps
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
