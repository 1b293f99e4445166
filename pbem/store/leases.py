"""Who claims: the process, so that another of the same machine sees at once that it is dead.

A claim lasts for minutes, longer than its task may run: only so is a slow worker never taken for a dead one.
A process that was killed cannot give its claims back, but its machine knows that it is gone. Of a claim that
was made on another machine, or in another container, nothing is known: its lease decides.
"""

from __future__ import annotations

import os
import platform
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_BOOT: Final = _PROC / "sys/kernel/random/boot_id"
_MACHINE: Final = Path("/etc/machine-id")
_STATE, _START = 0, 19  # fields of /proc/<pid>/stat behind the program's name


def this_process() -> str:
    """A name that no other process has, now or later: machine, boot, container, number, beginning.

    "": this system does not tell such things.
    """
    return _process(os.getpid())


@cache
def _process(pid: int) -> str:
    """By its number: a process that was forked from this one is another, and asks for itself."""
    place, here = _place(), _stat(pid)
    return f"{place}.{pid}.{here[_START]}" if place and here is not None else ""


def is_dead(name: str) -> bool:
    """Is that process gone for certain? False where it cannot be known."""
    place, own = _parts(name), _parts(this_process())
    if place is None or own is None or place[0] != own[0]:
        return False  # another machine's
    if place[1] != own[1]:
        return True  # of an earlier boot of this machine
    if place[2] != own[2]:
        return False  # another container's
    found = _stat(int(place[3]))
    return found is None or found[_STATE] in "ZX" or found[_START] != place[4]


@cache
def _place() -> str:
    if not _BOOT.exists():
        return ""
    machine = platform.node() + (_MACHINE.read_text() if _MACHINE.exists() else "")
    container = (_PROC / "self/ns/pid").stat().st_ino
    return f"{_short(machine)}.{_short(_BOOT.read_text())}.{container}"


def _short(text: str) -> str:
    return sha256(text.strip().encode()).hexdigest()[:12]


def _parts(name: str) -> list[str] | None:
    parts = name.split(".")
    return parts if len(parts) == 5 and parts[3].isdecimal() else None


def _stat(pid: int) -> list[str] | None:
    try:
        return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
