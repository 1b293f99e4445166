"""A full disk: letters stay where they are, the operator is told, and all goes on when there is room."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.disk import run_full
from tests.packages import Missing


@pytest.mark.long
def test_a_full_disk_acknowledges_nothing_moves_nothing_and_recovers(tmp_path: Path) -> None:
    try:
        flood = run_full(tmp_path, print)
    except Missing as reason:
        pytest.skip(f"!!! NO SMALL DISK, A FULL ONE IS NOT TESTED: {reason}")
    assert [] == flood.findings.wrong
    assert flood.lying == flood.findings.counts["letters handed in"] > 0
    assert (0, 0) == (flood.taken_in, flood.sent)
    assert "0 MB free" in flood.alert and "!!" in flood.alert
