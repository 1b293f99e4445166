"""A wire before the IMAP server that breaks in the middle of a letter, or falls silent."""

from __future__ import annotations

import selectors
import socket
import threading
import time
from contextlib import suppress
from types import TracebackType

from tests.servers import LOOPBACK

LETTER = 600  # bytes in one piece from the server: a letter is being fetched


class Wire:
    """Forwards everything to a port on loopback; told to, it misbehaves at the next letter fetched."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._over = threading.Event()
        self._cut_next = threading.Event()
        self._silent_until = 0.0
        self._stall_next = 0.0
        self._listener = socket.create_server((LOOPBACK, 0))
        self._listener.settimeout(0.05)
        self.port: int = self._listener.getsockname()[1]
        self.cuts = 0
        self.stalls = 0
        self._pumps: list[threading.Thread] = []
        self._doorman = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> Wire:
        self._doorman.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._doorman.join(5)
        for pump in self._pumps:
            pump.join(5)
        self._listener.close()

    def cut_in_fetch(self) -> None:
        """The next letter is passed on by half, then the connection is lost."""
        self._cut_next.set()

    def stall_in_fetch(self, seconds: float) -> None:
        """In the middle of the next letter everything falls silent, then the connection is lost."""
        self._stall_next = seconds

    def mend(self) -> None:
        """Whatever was planned is forgotten; who is silent now is cut off."""
        self._cut_next.clear()
        self._stall_next = 0.0
        self._silent_until = 0.0

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                near, _ = self._listener.accept()
            except TimeoutError:
                continue
            try:
                far = socket.create_connection((LOOPBACK, self._target))
            except OSError:
                near.close()  # whoever called tries again
                continue
            pump = threading.Thread(target=self._pump, args=(near, far), daemon=True)
            self._pumps.append(pump)
            pump.start()

    def _pump(self, near: socket.socket, far: socket.socket) -> None:
        with near, far, selectors.DefaultSelector() as watched, suppress(OSError):
            watched.register(near, selectors.EVENT_READ, far)
            watched.register(far, selectors.EVENT_READ, near)
            while not self._over.is_set():
                for key, _ in watched.select(0.05):
                    source, other = (near, far) if key.fileobj is near else (far, near)
                    chunk = source.recv(65536)
                    if not chunk or (source is far and not self._passes(chunk, near)):
                        return
                    other.sendall(chunk)

    def _passes(self, chunk: bytes, near: socket.socket) -> bool:
        """False: the connection is lost here."""
        if len(chunk) < LETTER:
            return True
        if self._cut_next.is_set():
            self._cut_next.clear()
            self.cuts += 1
            near.sendall(chunk[: len(chunk) // 2])
            return False
        if self._stall_next:
            seconds, self._stall_next = self._stall_next, 0.0
            self.stalls += 1
            near.sendall(chunk[: len(chunk) // 2])
            self._silent_until = time.monotonic() + seconds
            while time.monotonic() < self._silent_until and not self._over.is_set():
                time.sleep(0.05)
            return False
        return True
