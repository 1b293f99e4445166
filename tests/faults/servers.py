"""Servers that go away and come back: Redis and PostgreSQL at the same place as before."""

from __future__ import annotations

import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis import Redis

from tests.servers import LOOPBACK, free_port, path_of, until_open


class Broker:
    """A Redis on one port, with nothing on disk: whoever restarts it finds it empty."""

    def __init__(self, folder: Path) -> None:
        self._program = path_of("redis-server", "redis-server")
        self._folder = folder
        self.port = free_port()
        self._server: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://{LOOPBACK}:{self.port}/0"

    @property
    def is_up(self) -> bool:
        return self._server is not None

    def start(self) -> None:
        if self._server is not None:
            return
        words = f"--bind {LOOPBACK} --port {self.port} --dir {self._folder} --appendonly no --save".split()
        log = self._folder / "log"
        with log.open("ab") as out:
            self._server = subprocess.Popen([self._program, *words, ""], stdout=out, stderr=out)
        until_open(self.port, self._server, log)

    def stop(self) -> None:
        if self._server is not None:
            self._server.send_signal(signal.SIGKILL)
            self._server.wait()
            self._server = None

    def flush(self) -> None:
        with Redis(LOOPBACK, self.port) as there:
            there.flushall()


@contextmanager
def redis_broker() -> Iterator[Broker]:
    with tempfile.TemporaryDirectory(prefix="pbem-bell-", dir="/tmp") as folder:
        broker = Broker(Path(folder))
        broker.start()
        try:
            yield broker
        finally:
            broker.stop()
