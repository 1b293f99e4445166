"""No journal depends on PYTHONHASHSEED: nothing iterates over sets where order matters."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HASH_SEEDS = ("0", "1", "4242")  # each plays all games in a process of its own: six seconds


def test_any_hash_seed_gives_the_same_journals() -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.conformance.heads"],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in HASH_SEEDS
    ]
    heads = [process.communicate(timeout=300)[0].splitlines() for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    assert heads[0] == heads[1] == heads[2] and len(heads[0]) > 5
