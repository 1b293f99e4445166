"""The service's processes: started, killed, and started again as a machine's own supervisor would."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Literal, TypeAlias

from pbem.ops.supervisor import worker_command
from tests.running import children, is_alive, plain_environment, work_done

Victim: TypeAlias = Literal["poller", "worker", "poster", "parent"]
TREE = Path(__file__).resolve().parents[2]
CODE = ("engine", "pbem", "worker", "templates")
LINGER = 3.0  # seconds that those below a killed one may go on


def code_copy(folder: Path, *, maps: bool = True) -> Path:
    """The service's code as it is now, so that a long run is one of one version.

    Without maps games are told in words alone: drawing is most of the work of a turn.
    """
    here = folder / "code"
    for name in CODE:
        shutil.copytree(TREE / name, here / name, ignore=shutil.ignore_patterns("__pycache__"))
    for picture in () if maps else sorted((here / "templates" / "maps").glob("*/map.svg.j2")):
        picture.unlink()
    return here


@dataclass(slots=True)
class Process:
    """One that is always there."""

    name: str
    command: list[str]
    log: Path
    code: Path | None = None  # None: as the others
    running: subprocess.Popen[bytes] | None = None
    left: list[tuple[int, float]] = field(default_factory=list)  # groups, and when the rest of them is killed


class Processes:
    """A poller and so many workers; `look` starts again what died."""

    def __init__(
        self, folder: Path, config: Path, dice: Random, parents: int, pool: int, *, maps: bool = True
    ) -> None:
        self.killed: Counter[str] = Counter()
        told = {"PBEM_CONFIG": str(config), "PYTHONDONTWRITEBYTECODE": ""}  # they start often
        self.environment: Mapping[str, str] = plain_environment() | told
        self.code = code_copy(folder, maps=maps)
        self._dice = dice
        self.poller = Process("poller", [sys.executable, "-m", "worker.poller"], folder / "poller.log")
        self.parents = [
            Process(f"worker{n}", worker_command(pool), folder / f"worker{n}.log") for n in range(parents)
        ]
        for number, one in enumerate(self.parents):
            place = one.command.index("--hostname") + 1
            one.command[place] = f"{number}-{one.command[place]}"

    @property
    def all(self) -> list[Process]:
        return [self.poller, *self.parents]

    def __enter__(self) -> Processes:
        self.look()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Without ceremony: whatever they were at, the next run has a store of its own."""
        for one in self.all:
            if one.running is not None:
                _end_group(one.running.pid)
                one.running.wait()
            for group, _ in one.left:
                _end_group(group)

    def look(self) -> None:
        for one in self.all:
            if one.running is not None and one.running.poll() is not None:
                one.left.append((one.running.pid, time.monotonic() + self._dice.random() * LINGER))
                one.running = None
            if one.running is None:
                with one.log.open("ab") as log:
                    one.running = subprocess.Popen(
                        one.command,
                        cwd=one.code or self.code,
                        env=dict(self.environment),
                        stdin=subprocess.DEVNULL,
                        stdout=log,
                        stderr=log,
                        start_new_session=True,
                    )
            for group, at in [*one.left]:
                if time.monotonic() >= at:
                    _end_group(group)
                    one.left.remove((group, at))

    # -------------------------------------------------------------- killing

    def kill(self, victim: Victim, posts: Collection[int]) -> bool:
        """False: there is none of that kind at this moment. `posts`: ports from which letters are sent."""
        pid = self._found(victim, posts)
        if pid is None or not is_alive(pid):
            return False
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return False  # it ended just now, by itself
        self.killed[victim] += 1
        return True

    def _found(self, victim: Victim, posts: Collection[int]) -> int | None:
        match victim:
            case "poller":
                return None if self.poller.running is None else self.poller.running.pid
            case "parent":
                up = [one.running.pid for one in self.parents if one.running is not None]
                full = [pid for pid in up if children(pid)]
                return self._dice.choice(full) if full else None
            case "worker":
                return self._busiest(self.pool())
            case "poster":
                talking = [pid for pid in self.pool() if talks_from(pid, posts)]
                return self._dice.choice(talking) if talking else None

    def pool(self) -> list[int]:
        """Those that work on tasks."""
        up = [one.running.pid for one in self.parents if one.running is not None]
        return sorted(pid for head in up for pid in children(head))

    def _busiest(self, pool: list[int]) -> int | None:
        if not pool:
            return None
        with suppress(OSError):
            before = {pid: work_done(pid) for pid in pool}
            time.sleep(0.1)
            worked = {pid: work_done(pid) - before[pid] for pid in pool}
            most = max(worked.values())
            return self._dice.choice([pid for pid in pool if worked[pid] == most])
        return None


def _end_group(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def talks_from(pid: int, ports: Collection[int]) -> bool:
    """Has that process a connection that begins at one of these ports?"""
    wanted = tuple(f":{port:04X}" for port in tuple(ports))
    with suppress(OSError):
        rows = [line.split() for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]]
        sockets = {f"socket:[{row[9]}]" for row in rows if row[1].endswith(wanted)}
        if sockets:
            return any(str(fd.readlink()) in sockets for fd in Path(f"/proc/{pid}/fd").iterdir())
    return False
