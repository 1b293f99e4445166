"""A disk that is full: nothing is acknowledged, nothing moved, somebody is told, and it mends itself."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from pbem.store.schema_mail import inbox
from tests.faults.checks import Findings, find, is_quiet, rows
from tests.faults.course import closed
from tests.faults.ground import Ground, Size, ground
from tests.faults.mischief import Haste
from tests.faults.processes import TREE
from tests.packages import Missing

MEGABYTES = 48
FULL_SECONDS = 25.0  # longer than from one sweep to the next
PATIENCE = 240.0


@dataclass(slots=True)
class Flood:
    """What happened."""

    lying: int = 0  # letters in the inbox of the mail server while the disk was full
    taken_in: int = 0  # rows that came into the mailbag meanwhile
    sent: int = 0  # letters of ours that went out meanwhile
    alert: str = ""
    seconds_to_recover: float = 0.0
    findings: Findings = field(default_factory=Findings)


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system of its own, in memory."""
    if os.geteuid() != 0:
        raise Missing("a small disk is mounted by root only")
    there = folder / "small"
    there.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", str(there)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Missing(f"no small disk: {done.stderr.strip()}")
    try:
        yield there
    finally:
        subprocess.run(["umount", "-l", str(there)], check=True)


def run_full(folder: Path, say: Callable[[str], None]) -> Flood:
    flood = Flood()
    with small_disk(folder) as there:
        size = Size(campaigns=1, parents=1)
        with ground(there, "sqlite", Random(1), size) as here, here.processes:
            here.chores.append(Haste(here, 10.0))
            flood.findings.check(here.until(lambda: _has_begun(here), PATIENCE), "the campaign did not begin")
            say("the campaign has begun")
            filler = _fill(there)
            say("the disk is full")
            _write_letters(here, flood)
            say(f"{flood.lying} letters lie on the mail server, {flood.taken_in} were taken in")
            flood.alert = _health(here)
            filler.unlink()
            began = time.monotonic()
            rested = here.until(lambda: closed(here)["FWW-1"] >= 2 and is_quiet(here), PATIENCE)
            flood.seconds_to_recover = time.monotonic() - began
            flood.findings.check(rested, "it did not recover")
            say(f"all is done {flood.seconds_to_recover:.0f} s after there was room again")
            before, flood.findings = flood.findings.wrong, find(here)
            flood.findings.wrong[:0] = before
    return flood


def _has_begun(here: Ground) -> bool:
    return (
        closed(here)["FWW-1"] == 1 and is_quiet(here) and all(map(here.players.letters, here.players.people))
    )


def _fill(there: Path) -> Path:
    """To the last byte; the database has no room left over either."""
    with closing(sqlite3.connect(there / "pbem-data" / "pbem.db", timeout=20)) as base:
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    path = there / "filler"
    with path.open("wb", buffering=0) as filler, suppress(OSError):
        for size in (2**20, 2**12, 1):
            with suppress(OSError):
                while filler.write(b"x" * size):
                    pass
    return path


def _write_letters(here: Ground, flood: Flood) -> None:
    before, sent = len(rows(here, inbox, "id")), len(here.smtp.handed)
    here.players.look()
    here.passes(FULL_SECONDS)
    with here.mailbox() as client:
        flood.lying = client.folder_status("INBOX", ["MESSAGES"])[b"MESSAGES"]
    flood.taken_in = len(rows(here, inbox, "id")) - before
    flood.sent = len(here.smtp.handed) - sent


def _health(here: Ground) -> str:
    """What `pbem health` says, if it says that something is wrong."""
    words = [sys.executable, "-m", "pbem", "health", "--config", str(here.folder / "pbem.toml")]
    done = subprocess.run(words, cwd=TREE, capture_output=True, text=True, check=False, timeout=60)
    return "" if done.returncode == 0 else done.stdout + done.stderr
