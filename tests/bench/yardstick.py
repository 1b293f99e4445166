"""The PyPI package `diplomacy` as a yardstick: what a well-known Python adjudicator needs per order.

It lives in an environment of its own, `.venv-bench`, built once from hash-pinned requirements.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ENVIRONMENT = FOLDER.parents[1] / ".venv-bench"
REQUIREMENTS = (FOLDER / "requirements-build.txt", FOLDER / "requirements.txt")  # in this order


@dataclass(frozen=True, slots=True)
class Yardstick:
    """Random legal play on the standard map."""

    orders: int
    phases: int
    seconds: float  # setting and processing the orders; finding the legal ones is not counted

    @property
    def seconds_per_order(self) -> float:
        return self.seconds / self.orders


def measured() -> Yardstick:
    """Measure now; every run is compared with its own yardstick."""
    player = FOLDER / "diplomacy_player.py"
    fixed = os.environ | {"PYTHONHASHSEED": "0", "PYTHONPATH": ""}  # it loops over sets
    done = subprocess.run(
        [interpreter(), str(player)], check=True, env=fixed, stdout=subprocess.PIPE, text=True, timeout=300
    )
    return Yardstick(**json.loads(done.stdout))


def interpreter() -> str:
    """The Python of the yardstick's environment, built when it is missing or its requirements changed."""
    python = str(ENVIRONMENT / "bin" / "python")
    stamp = ENVIRONMENT / "requirements.sha256"
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in REQUIREMENTS)).hexdigest()
    if stamp.is_file() and stamp.read_text() == digest:
        return python
    subprocess.run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(ENVIRONMENT)], check=True)
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--require-hashes"]
    for path in REQUIREMENTS:  # the first brings what the second is built with
        subprocess.run([*install, "--no-build-isolation", "-r", str(path)], check=True, stdout=sys.stderr)
    stamp.write_text(digest)
    return python
