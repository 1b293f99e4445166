"""A wire between us and a server that can be cut, or freeze without a word."""

from __future__ import annotations

import selectors
import socket
import threading
from types import TracebackType

from tests.narrowing import expect
from tests.servers import LOOPBACK


class Link:
    """Forwards everything to a port on loopback until it is told otherwise."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._frozen = threading.Event()
        self._closed = threading.Event()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._listener = socket.create_server((LOOPBACK, 0))
        self._listener.settimeout(0.05)
        self.port: int = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept, daemon=True)]

    def __enter__(self) -> Link:
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed.set()
        for thread in self._threads:
            thread.join(5)
        self.cut()
        self._listener.close()

    def freeze(self) -> None:
        """Nothing passes any more, and nobody is told."""
        self._frozen.set()

    def cut(self) -> None:
        """Every connection is lost; new ones may be made."""
        for pair in self._pairs:
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                near, _ = self._listener.accept()
            except TimeoutError:
                continue
            pair = (near, socket.create_connection((LOOPBACK, self._target)))
            self._pairs.append(pair)
            pump = threading.Thread(target=self._pump, args=pair, daemon=True)
            self._threads.append(pump)
            pump.start()

    def _pump(self, near: socket.socket, far: socket.socket) -> None:
        with near, far, selectors.DefaultSelector() as watched:
            watched.register(near, selectors.EVENT_READ, far)
            watched.register(far, selectors.EVENT_READ, near)
            while not self._closed.is_set():
                for key, _ in watched.select(0.05):
                    if self._frozen.is_set():
                        self._closed.wait(5)
                        return
                    try:
                        chunk = expect(socket.socket, key.fileobj).recv(65536)
                        key.data.sendall(chunk)
                    except OSError:
                        return
                    if not chunk:
                        return
