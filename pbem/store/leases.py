"""Leases: which process holds a claim, so that a dead worker's work is taken up at once.

A claim lasts for minutes, longer than its task may run: only so is a slow worker never mistaken for a dead
one. A killed process cannot release its claims, but its machine knows that it is gone. Of a claim made on
another machine, or in another container, nothing is known: its lease decides.
"""

from __future__ import annotations

import os
import platform
from datetime import datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from sqlalchemy import select, update

from pbem.store import schema
from pbem.store import schema_mail as mail
from pbem.store.session import Db, all_values, write

MOST_RETURNS: Final = 4  # tries of a letter, after which a task that comes back waits like the others

_PROC: Final = Path("/proc")
_BOOT: Final = _PROC / "sys/kernel/random/boot_id"
_MACHINE: Final = Path("/etc/machine-id")
_STATE, _START = 0, 19  # fields of /proc/<pid>/stat behind the program's name


def this_process() -> str:
    """A name unique to this process: machine, boot, container, pid, start time; "": unknown."""
    return _process(os.getpid())


@cache
def _process(pid: int) -> str:
    """Cached by pid: a forked process has another name."""
    place, stat = _place(), _stat(pid)
    return f"{place}.{pid}.{stat[_START]}" if place and stat is not None else ""


def is_dead(name: str) -> bool:
    """Is that process certainly gone? False: unknown, or alive."""
    other, own = _parts(name), _parts(this_process())
    if other is None or own is None or other[0] != own[0]:
        return False  # on another machine
    if other[1] != own[1]:
        return True  # before this machine's last boot
    if other[2] != own[2]:
        return False  # in another container
    stat = _stat(int(other[3]))
    return stat is None or stat[_STATE] in "ZX" or stat[_START] != other[4]


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


def release_dead_claims(db: Db, now: datetime) -> int:
    """End the claims of this machine's dead processes now, before their leases; returns how many.

    A process killed while sending may have sent: its letter is not sent again at once more than a few times.
    """
    closes, released = schema.closes, 0
    unfinished = (
        (mail.inbox, (mail.inbox.c.state == "received",)),
        (mail.outbox, (mail.outbox.c.state == "waiting", mail.outbox.c.attempts < MOST_RETURNS)),
        (closes, (closes.c.carried_out_at.is_(None),)),
    )
    for table, waits in unfinished:
        claimed = (*waits, table.c.claimed_until > now)
        owners = all_values(db, select(table.c.claimed_on).where(*claimed).distinct())
        dead = sorted(owner for owner in owners if owner is not None and is_dead(owner))
        if dead:
            ended = update(table).where(*claimed, table.c.claimed_on.in_(dead))
            released += write(db, ended.values(claimed_until=now))
    return released
