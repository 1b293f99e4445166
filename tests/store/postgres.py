"""A private PostgreSQL cluster for tests: real server, unix socket only, gone with the session."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import URL

from tests.packages import Missing, installed

START_SECONDS = 30
UNPRIVILEGED = ("postgres", "nobody")  # PostgreSQL refuses to run as root


def programs() -> Path:
    """The folder of initdb and postgres; the Debian package is installed when root and missing."""
    return installed(_installed, "postgresql")


def _installed() -> Path | None:
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    on_path = shutil.which("initdb")
    if on_path is not None:
        folders.append(Path(on_path).resolve().parent)
    whole = [one for one in folders if (one / "initdb").exists() and (one / "postgres").exists()]
    return whole[-1] if whole else None


def _runner() -> dict[str, Any]:
    """As whom the server runs: us, or somebody unprivileged when we are root."""
    if os.geteuid() != 0:
        return {}
    for name in UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    raise Missing(f"there is no user to run it as: {', '.join(UNPRIVILEGED)}")


class Cluster:
    """A running server with one superuser."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Also after a stop, with all that was committed before it."""
        if self._server is None:
            self._server = _start(programs(), self.folder, _runner())

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT: a fast shutdown. SIGQUIT: an immediate one, as if the processes had been killed."""
        if self._server is not None:
            self._server.send_signal(how)
            self._server.wait(START_SECONDS)
            self._server = None

    def url(self, database: str) -> URL:
        return URL.create(
            "postgresql+psycopg", username="umpire", database=database, query={"host": str(self.folder)}
        )

    def tell(self, statement: str, database: str = "postgres") -> None:
        with psycopg.connect(
            host=str(self.folder), user="umpire", dbname=database, autocommit=True
        ) as server:
            server.execute(statement.encode())


@contextmanager
def cluster() -> Iterator[Cluster]:
    """Started in a folder of its own, stopped and removed at the end."""
    there, runner = programs(), _runner()
    folder = Path(tempfile.mkdtemp(prefix="pbem-pg-", dir="/tmp"))  # a socket's path must be short
    here = Cluster(folder)
    try:
        if runner:
            os.chown(folder, runner["user"], runner["group"])
        _run(
            [there / "initdb", "-D", folder / "data", "-U", "umpire", "-A", "trust", "--no-sync"],
            folder,
            runner,
        )
        here.start()
        yield here
    finally:
        here.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _run(words: Sequence[object], folder: Path, runner: dict[str, Any]) -> None:
    environment = os.environ | {"LC_ALL": "C.UTF-8", "TZ": "UTC"}
    done = subprocess.run(
        [str(word) for word in words], cwd=folder, env=environment, capture_output=True, check=False, **runner
    )
    if done.returncode != 0:
        raise Missing(f"{words[0]} failed: {done.stderr.decode(errors='replace')[-500:]}")


def _start(there: Path, folder: Path, runner: dict[str, Any]) -> subprocess.Popen[bytes]:
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": str(folder),
        "fsync": "off",  # processes are killed here, machines are not
        "shared_buffers": "16MB",
        "max_connections": "40",
    }
    words = [str(there / "postgres"), "-D", str(folder / "data")]
    for name, value in settings.items():
        words += ["-c", f"{name}={value}"]
    with (folder / "log").open("ab") as log:
        server = subprocess.Popen(words, cwd=folder, stdout=log, stderr=log, **runner)
    waited_until = time.monotonic() + START_SECONDS
    while time.monotonic() < waited_until and server.poll() is None:
        try:
            Cluster(folder).tell("SELECT 1")
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return server
    server.kill()
    server.wait()
    raise Missing(f"it did not start: {(folder / 'log').read_text(errors='replace')[-500:]}")
