"""The supervisor: starts everything a service consists of, and starts again what dies.

Redis and the mail server of our own, if they are; the poller; the workers. Each is a process with a log of
its own in the data folder. They end with the supervisor, in whatever way it ends.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from pbem.campaigns.outages import SWEEP
from pbem.context import ServiceContext, service_context
from pbem.embedded.accounts import open_umpires_account
from pbem.embedded.mail import LOOPBACK, mail_command
from pbem.embedded.redis import answers, redis_command
from pbem.errors import BadInput
from pbem.ops.health import Figures, figures
from pbem.settings import FILE_VARIABLE, Settings, make_private_folder
from pbem.store.deadlines import pulse

LOOK_SECONDS: Final = 0.2
UP_SECONDS: Final = 15.0  # for a server to answer
GRACE_SECONDS: Final = 6.0  # for a process to end by itself
STEADY_SECONDS: Final = 60.0  # a process that lived so long starts again at once
LONGEST_PAUSE: Final = 30.0
TOLD_EVERY: Final = 2.0  # seconds between two lines of progress
MOST_LOG: Final = 5 * 1024 * 1024  # bytes, after which a log is put aside at the next start
_PR_SET_PDEATHSIG: Final = 1


@dataclass(slots=True)
class Child:
    """A process of the service."""

    name: str
    command: list[str]
    ready: Callable[[], bool] | None = None  # None: nobody waits for it
    process: subprocess.Popen[bytes] | None = None
    began: float = 0.0
    deaths: int = 0
    again_at: float = 0.0
    log: Path | None = None


@dataclass(slots=True)
class Supervisor:
    """Everything of one data folder. `say` gets one line for people to read at a time."""

    configuration: Settings
    environment: Mapping[str, str]
    say: Callable[[str], None]
    children: list[Child] = field(default_factory=list)
    service: ServiceContext | None = None
    over: bool = False

    def run(self) -> None:
        """Until somebody calls `stop`."""
        with serving_alone(self.configuration.data):
            try:
                self._begin()
                self._watch()
            finally:
                self._end()

    def stop(self) -> None:
        self.over = True

    # -------------------------------------------------------------- beginning

    def _begin(self) -> None:
        self.service = service_context(self.configuration)
        self.children = _children(self.configuration)
        for child in self.children:
            self._start(child)
            if child.ready is not None:
                self._until_ready(child)

    def _start(self, child: Child) -> None:
        child.log = _log_file(self.configuration.data, child.name)
        with child.log.open("ab") as log:
            child.process = _spawned(child.command, self.environment, log)
        child.began = time.monotonic()

    def _until_ready(self, child: Child) -> None:
        assert child.ready is not None and child.process is not None
        until = time.monotonic() + UP_SECONDS
        while not child.ready():
            if self.over:
                return
            if child.process.poll() is not None or time.monotonic() > until:
                raise BadInput(f"{child.name} does not start: {_last_words(child.log)}")
            time.sleep(0.02)

    # -------------------------------------------------------------- watching

    def _watch(self) -> None:
        began, ready = time.time(), False
        told: Figures | None = None
        told_at = 0.0
        while not self.over:
            for child in self.children:
                self._look_after(child)
            assert self.service is not None
            if not ready and (ready := _is_at_work(self.service, began)):
                self.say("ready")
            if ready and time.monotonic() - told_at >= TOLD_EVERY:
                told_at = time.monotonic()
                if (now := figures(self.service)) != told:
                    told = now
                    self.say(_progress(now))
            time.sleep(LOOK_SECONDS)

    def _look_after(self, child: Child) -> None:
        now = time.monotonic()
        if child.process is None:
            if now >= child.again_at:
                self._start(child)
            return
        code = child.process.poll()
        if code is None:
            return
        _end_group(child.process)
        child.process = None
        child.deaths = 1 if now - child.began >= STEADY_SECONDS else child.deaths + 1
        pause = min(2.0 ** (child.deaths - 1), LONGEST_PAUSE) - 1
        child.again_at = now + pause
        self.say(f"{child.name} ended with {code}; again in {pause:.0f} s ({_last_words(child.log)})")

    # -------------------------------------------------------------- ending

    def _end(self) -> None:
        """Those that talk to servers before the servers; whoever does not end in time is killed."""
        servers = [child for child in self.children if child.ready is not None]
        others = [child for child in self.children if child.ready is None]
        for group in (others, servers):
            until = time.monotonic() + GRACE_SECONDS
            for child in group:
                _signal(child, signal.SIGTERM)
            for child in group:
                self._bury(child, until)
        if self.service is not None:
            self.service.db.dispose()

    def _bury(self, child: Child, until: float) -> None:
        if child.process is None:
            return
        try:
            child.process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.say(f"{child.name} does not end; killed")
        _end_group(child.process)
        child.process.wait()
        child.process = None


# ------------------------------------------------------------------ the processes


def _children(configuration: Settings) -> list[Child]:
    """In the order in which they need one another."""
    found: list[Child] = []
    if configuration.redis_is_ours:
        path = configuration.redis_socket
        found.append(Child("redis", redis_command(path), lambda: answers(path)))
    if configuration.mail_kind == "embedded":
        ports = (configuration.embedded.smtp_port, configuration.embedded.imap_port)
        for port in ports:
            if _listens(port):
                raise BadInput(f"port {port} of this machine is taken; choose another in [embedded]")
        open_umpires_account(configuration.mail_folder, configuration.mailbox.partition("@")[0])
        command = mail_command(configuration.mail_folder, configuration.host, *ports)
        found.append(Child("mail", command, lambda: all(_listens(port) for port in ports)))
    found.append(Child("poller", [sys.executable, "-m", "worker.poller"]))
    found.append(Child("worker", worker_command(configuration.worker.concurrency)))
    if port := configuration.metrics.port:
        words = ["metrics", "--port", str(port), "--address", configuration.metrics.address]
        found.append(Child("metrics", [sys.executable, "-m", "pbem", *words]))
    return found


def worker_command(concurrency: int) -> list[str]:
    """The words that start Celery's workers in the foreground."""
    alone = ["--without-gossip", "--without-mingle", "--without-heartbeat", "-Ofair"]
    words = [sys.executable, "-m", "celery", "-A", "worker.celery_app", "-q", "worker", "--loglevel", "INFO"]
    return [*words, "--concurrency", str(concurrency), "--hostname", f"pbem-{os.getpid()}@%h", *alone]


def children_environment(file: Path | None, overrides: Mapping[str, str]) -> dict[str, str]:
    """What the processes are told: the same configuration as the supervisor has."""
    told = dict(os.environ) | {f"PBEM_{name.upper()}": value for name, value in overrides.items()}
    if file is not None:
        told[FILE_VARIABLE] = str(file.resolve())
    return told


def _spawned(command: list[str], environment: Mapping[str, str], log: IO[bytes]) -> subprocess.Popen[bytes]:
    """A group of its own, so that Ctrl-C asks the supervisor alone; it ends when the supervisor dies."""
    parent = os.getpid()

    def bind_to_parent() -> None:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
            if os.getppid() != parent:
                os._exit(1)

    return subprocess.Popen(
        command,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        start_new_session=True,
        preexec_fn=bind_to_parent,  # noqa: PLW1509 - the supervisor has one thread
    )


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Also what it left behind: workers whose parent was killed wait for ever."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _signal(child: Child, number: signal.Signals) -> None:
    if child.process is not None and child.process.poll() is None:
        child.process.send_signal(number)


def _listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection((LOOPBACK, port), timeout=1):
        return True
    return False


def _log_file(data: Path, name: str) -> Path:
    path = make_private_folder(data / "log") / f"{name}.log"
    if path.exists() and path.stat().st_size > MOST_LOG:
        path.replace(path.with_suffix(".log.1"))
    return path


def _last_words(log: Path | None) -> str:
    if log is None or not log.exists():
        return "no log"
    lines = log.read_text("utf-8", "replace").splitlines()
    return f"{lines[-1][:200]}; see {log}" if lines else f"see {log}"


# ------------------------------------------------------------------ what is told


def _is_at_work(service: ServiceContext, since: float) -> bool:
    """Have poller and workers given a sign since then?"""
    signs = [pulse(service.db, name) for name in ("poller", SWEEP)]
    return all(sign is not None and sign.at.timestamp() >= since - 1 for sign in signs)


def _progress(now: Figures) -> str:
    parts = [
        f"{now.running} running" + (f", {now.held} held" if now.held else ""),
        f"letters in {now.letters}" + (f" ({now.unread} unread)" if now.unread else ""),
        f"out {now.posts}" + (f" ({now.unsent} waiting)" if now.unsent else ""),
    ]
    return "; ".join(parts)


# ------------------------------------------------------------------ one at a time


@contextmanager
def serving_alone(data: Path) -> Iterator[None]:
    """One service, or one restore, on a data folder at a time."""
    path = make_private_folder(data) / "serve.lock"
    with path.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadInput(f"a service is at work in {data}") from None
        yield
