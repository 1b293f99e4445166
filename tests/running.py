"""`pbem serve` as a process, and the processes below it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

SECONDS = 120  # a machine may be very busy

Found = TypeVar("Found")


def until(found: Callable[[], Found | None], seconds: float = SECONDS, what: str = "waited in vain") -> Found:
    """What is found at last."""
    end = time.monotonic() + seconds
    while not (result := found()):
        assert time.monotonic() < end, what
        time.sleep(0.1)
    return result


def plain_environment() -> dict[str, str]:
    """Ours, without what would configure a service."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PBEM_")}


class Service:
    """A running `pbem serve`."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.told = folder / "told"
        with self.told.open("wb") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "pbem", "serve", *words],
                cwd=folder,
                env=plain_environment(),
                stdout=out,
                stderr=out,
            )

    def says(self, word: str) -> bool:
        told = self.told.read_text(errors="replace")  # the end may be half written
        assert self.process.poll() is None, told
        return word in told

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


# ------------------------------------------------------------------ processes


def children(pid: int) -> list[int]:
    with suppress(OSError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def descendants(pid: int) -> set[int]:
    """Processes below that one."""
    below = set(children(pid))
    return below.union(*(descendants(child) for child in below))


def named(pids: set[int], word: str) -> list[int]:
    found = []
    for pid in sorted(pids):
        with suppress(OSError):
            if word.encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
    return found


def is_alive(pid: int) -> bool:
    try:
        return _stat(pid)[0] != "Z"
    except OSError:
        return False


def work_done(pid: int) -> int:
    """Ticks of the processor that it has used."""
    told = _stat(pid)
    return int(told[11]) + int(told[12])


def _stat(pid: int) -> list[str]:
    """The fields after the program's name, from the state on."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
