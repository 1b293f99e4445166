"""Reports of several runs add up."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.faults.report import Section, added, read, show, write


def test_slices_add_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = Section("killed on paper", counts={"killed": Counter(poller=2), "letters": {"lost": 0}})
    other = Section("killed on paper", counts={"killed": {"poller": 3, "worker": 1}, "letters": {"lost": 0}})
    one.longest, other.longest, other.wrong = {"rest": 4.0}, {"rest": 9.0}, ["a letter is gone"]
    write([one], tmp_path / "one.json")
    write([other], tmp_path / "other.json")
    (whole,) = added(read([tmp_path / "one.json", tmp_path / "other.json"]))
    assert {"poller": 5, "worker": 1} == whole.counts["killed"] and 2 == whole.runs
    show(whole)
    told = capsys.readouterr().out
    assert "killed on paper, 2 runs: BAD" in told and "killed (6): poller 5, worker 1" in told
    assert "lost 0" in told and "rest: 9 s at most" in told and "WRONG: a letter is gone" in told
