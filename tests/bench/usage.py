"""What processes cost: processor time and memory by part of the service, read from /proc."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.running import descendants

_TICK = os.sysconf("SC_CLK_TCK")

# A process belongs to the first part one of whose words stands in its command line.
_WORDS: Mapping[str, tuple[str, ...]] = {
    "poller": ("worker.poller",),
    "workers": ("worker.celery_app",),
    "supervisor": ("pbem serve", "-m pbem"),
    "redis": ("redis-server",),
    "postgres": ("postgres",),
    "imap server": ("dovecot",),
    "echo": ("tests.bench.echo",),
    "smtp server": ("smtpd", "cleanup", "qmgr", "lmtp", "master", "rewrite", "anvil", "postlog", "bounce"),
}


@dataclass(frozen=True, slots=True)
class Usage:
    """At one moment: seconds of processor time since the beginning, and bytes of memory."""

    seconds: Mapping[str, float] = field(default_factory=dict)
    memory: Mapping[str, int] = field(default_factory=dict)

    def since(self, before: Usage) -> dict[str, float]:
        """Seconds spent meanwhile, most first."""
        spent = {part: there - before.seconds.get(part, 0.0) for part, there in self.seconds.items()}
        return dict(sorted(spent.items(), key=lambda one: -one[1]))


def usage(*more: int) -> Usage:
    """Of everything below this process, and below those that went their own way (`more`)."""
    seconds: dict[str, float] = {}
    memory: dict[str, int] = {}
    for pid in sorted(_family((os.getpid(), *more)) - {os.getpid()}):
        with suppress(OSError, ProcessLookupError):
            part = _part(pid)
            seconds[part] = seconds.get(part, 0.0) + _seconds(pid)
            memory[part] = memory.get(part, 0) + _memory(pid)
    return Usage(seconds, memory)


def _family(heads: Iterable[int]) -> set[int]:
    return set().union(*({pid} | descendants(pid) for pid in heads))


def _part(pid: int) -> str:
    line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    return next((part for part, words in _WORDS.items() if any(word in line for word in words)), "others")


def _seconds(pid: int) -> float:
    """Its own, and that of its children that ended."""
    told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, told[11:15])) / _TICK


def _memory(pid: int) -> int:
    """Proportional: what several processes share counts once."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0
