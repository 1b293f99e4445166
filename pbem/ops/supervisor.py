"""The supervisor: start every process of a service, and restart what dies.

Our own Redis and mail server, if configured; the poller; the workers. Each is a process with its own log in
the data folder. They end with the supervisor, however it ends.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from pbem.context import ServiceContext, service_context
from pbem.embedded.accounts import open_umpires_account
from pbem.embedded.mail import is_listening, mail_command
from pbem.embedded.redis import answers, redis_command
from pbem.errors import BadInput
from pbem.ops.health import PARTS, Figures, figures
from pbem.settings import FILE_VARIABLE, Settings, make_private_folder
from pbem.store.deadlines import pulse

CHECK_SECONDS: Final = 0.2
UP_SECONDS: Final = 15.0  # for a server to answer
GRACE_SECONDS: Final = 6.0  # for a process to end by itself
STEADY_SECONDS: Final = 60.0  # a process that lived this long is restarted at once
LONGEST_PAUSE: Final = 30.0
REPORT_SECONDS: Final = 2.0  # seconds between two lines of progress
LOCK: Final = "serve.lock"  # in the data folder
MOST_LOG: Final = 5 * 1024 * 1024  # bytes, after which a log is rotated at the next start
_PR_SET_PDEATHSIG: Final = 1


@dataclass(slots=True)
class Child:
    """A process of the service."""

    name: str
    command: list[str]
    ready: Callable[[], bool] | None = None  # None: nothing waits for it
    process: subprocess.Popen[bytes] | None = None
    began: float = 0.0
    restarts: int = 0
    restart_at: float = 0.0
    log: Path | None = None


@dataclass(slots=True)
class Supervisor:
    """All processes of one data folder. `say` prints one line for people."""

    settings: Settings
    environment: Mapping[str, str]
    say: Callable[[str], None]
    children: list[Child] = field(default_factory=list)
    over: bool = False

    def run(self) -> None:
        """Run until `stop` is called."""
        with service_lock(self.settings.data):
            service = service_context(self.settings)
            try:
                self._start_all()
                self._watch(service)
            finally:
                self._end()
                service.db.dispose()

    def stop(self) -> None:
        self.over = True

    # -------------------------------------------------------------- starting

    def _start_all(self) -> None:
        self.children = _children(self.settings)
        for child in self.children:
            self._start(child)
            if child.ready is not None:
                self._wait_until_ready(child)

    def _start(self, child: Child) -> None:
        child.log = _log_file(self.settings.data, child.name)
        with child.log.open("ab") as log:
            child.process = _spawn(child.command, self.environment, log)
        child.began = time.monotonic()

    def _wait_until_ready(self, child: Child) -> None:
        assert child.ready is not None and child.process is not None
        until = time.monotonic() + UP_SECONDS
        while not child.ready():
            if self.over:
                return
            if child.process.poll() is not None or time.monotonic() > until:
                raise BadInput(f"{child.name} does not start: {_last_log_line(child.log)}")
            time.sleep(0.02)

    # -------------------------------------------------------------- watching

    def _watch(self, service: ServiceContext) -> None:
        began, ready = time.time(), False
        reported: Figures | None = None
        reported_at = 0.0
        while not self.over:
            for child in self.children:
                self._restart_if_dead(child)
            if not ready and (ready := _is_working(service, began)):
                self.say("ready")
            if ready and time.monotonic() - reported_at >= REPORT_SECONDS:
                reported_at = time.monotonic()
                if (now := figures(service)) != reported:
                    reported = now
                    self.say(_progress(now))
            time.sleep(CHECK_SECONDS)

    def _restart_if_dead(self, child: Child) -> None:
        now = time.monotonic()
        if child.process is None:
            if now >= child.restart_at:
                self._start(child)
            return
        code = child.process.poll()
        if code is None:
            return
        _kill_group(child.process)
        child.process = None
        child.restarts = 1 if now - child.began >= STEADY_SECONDS else child.restarts + 1
        pause = min(2.0 ** (child.restarts - 1), LONGEST_PAUSE) - 1
        child.restart_at = now + pause
        self.say(f"{child.name} ended with {code}; again in {pause:.0f} s ({_last_log_line(child.log)})")

    # -------------------------------------------------------------- ending

    def _end(self) -> None:
        """End clients before servers; kill what does not end in time."""
        servers = [child for child in self.children if child.ready is not None]
        others = [child for child in self.children if child.ready is None]
        for group in (others, servers):
            until = time.monotonic() + GRACE_SECONDS
            for child in group:
                if child.process is not None:
                    child.process.terminate()
            for child in group:
                self._wait_for_end(child, until)

    def _wait_for_end(self, child: Child, until: float) -> None:
        if child.process is None:
            return
        try:
            child.process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.say(f"{child.name} does not end; killed")
        _kill_group(child.process)
        child.process.wait()
        child.process = None


# ------------------------------------------------------------------ the processes


def _children(settings: Settings) -> list[Child]:
    """In the order of their dependencies."""
    children: list[Child] = []
    if settings.redis_is_ours:
        path = settings.redis_socket
        children.append(Child("redis", redis_command(path), lambda: answers(path)))
    if settings.mail_kind == "embedded":
        ports = (settings.embedded.smtp_port, settings.embedded.imap_port)
        for port in ports:
            if is_listening(port):
                raise BadInput(f"port {port} of this machine is taken; choose another in [embedded]")
        open_umpires_account(settings.mail_folder, settings.mailbox.partition("@")[0])
        command = mail_command(settings.mail_folder, settings.host, *ports)
        children.append(Child("mail", command, lambda: all(map(is_listening, ports))))
    children.append(Child("poller", [sys.executable, "-m", "worker.poller"]))
    children.append(Child("worker", worker_command(settings.worker.concurrency)))
    if port := settings.metrics.port:
        words = ["metrics", "--port", str(port), "--address", settings.metrics.address]
        children.append(Child("metrics", [sys.executable, "-m", "pbem", *words]))
    return children


def worker_command(concurrency: int) -> list[str]:
    """The command that runs the Celery workers in the foreground."""
    alone = ["--without-gossip", "--without-mingle", "--without-heartbeat", "-Ofair"]
    words = [sys.executable, "-m", "celery", "-A", "worker.celery_app", "-q", "worker", "--loglevel", "INFO"]
    return [*words, "--concurrency", str(concurrency), "--hostname", f"pbem-{os.getpid()}@%h", *alone]


def children_environment(file: Path | None, overrides: Mapping[str, str]) -> dict[str, str]:
    """The environment of the processes: they read the same settings as the supervisor."""
    environment = dict(os.environ) | {f"PBEM_{name.upper()}": value for name, value in overrides.items()}
    if file is not None:
        environment[FILE_VARIABLE] = str(file.resolve())
    return environment


def _spawn(command: list[str], environment: Mapping[str, str], log: IO[bytes]) -> subprocess.Popen[bytes]:
    """In its own process group: Ctrl-C reaches only the supervisor. It ends when the supervisor dies."""
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


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Also its children: workers whose parent was killed wait forever."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _log_file(data: Path, name: str) -> Path:
    path = make_private_folder(data / "log") / f"{name}.log"
    if path.exists() and path.stat().st_size > MOST_LOG:
        path.replace(path.with_suffix(".log.1"))
    return path


def _last_log_line(log: Path | None) -> str:
    if log is None or not log.exists():
        return "no log"
    lines = log.read_text("utf-8", "replace").splitlines()
    return f"{lines[-1][:200]}; see {log}" if lines else f"see {log}"


# ------------------------------------------------------------------ progress


def _is_working(service: ServiceContext, since: float) -> bool:
    """Have poller and workers given a sign of life since then?"""
    signs = [pulse(service.db, name) for _, name in PARTS]
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
def service_lock(data: Path) -> Iterator[None]:
    """One service, or one restore, on a data folder at a time."""
    path = make_private_folder(data) / LOCK
    with path.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadInput(f"a service is at work in {data}") from None
        yield
