"""An SMTP server that refuses, stalls and hangs up: by the name of the recipient, or at the greeting."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass
from types import TracebackType

from tests.servers import LOOPBACK

RCPT = {
    "gone": "550 5.1.1 no such user",
    "blocked": "554 5.7.1 your network is not welcome",
    "busy": "451 4.3.0 try again later",
    "crowd": "552 too many recipients",
    "closing": "421 4.3.2 going down",
}
DATA = {
    "spam": "554 5.6.0 content refused",
    "unknown-after-all": "550 5.1.1 no mailbox of that name",
    "full": "452 4.2.2 mailbox full",
    "gibberish": "what?",
}


@dataclass(frozen=True, slots=True)
class Taken:
    sender: str
    recipients: tuple[str, ...]
    body: bytes


class SurlyServer:
    """Runs in a thread of its own."""

    def __init__(self) -> None:
        self.greeting = "220 surly.example"
        self.sender_answer = "250 ok"
        self.always_begins = True  # does DATA begin a letter that nobody may get?
        self.taken: list[Taken] = []
        self.connections = 0
        self._open: list[asyncio.StreamWriter] = []
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> SurlyServer:
        self._thread.start()
        assert self._ready.wait(5)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._done.set)
        self._thread.join(5)
        assert not self._thread.is_alive()

    def hang_up(self) -> None:
        """On everybody who is connected."""
        for writer in self._open:
            self._loop.call_soon_threadsafe(writer.close)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._done = asyncio.Event()
        server = await asyncio.start_server(self._talk, LOOPBACK, 0, limit=2**20)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._done.wait()
        server.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._open.append(writer)
        try:
            await self._say(writer, self.greeting)
            if self.greeting.startswith("220"):
                await self._session(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _say(self, writer: asyncio.StreamWriter, line: str) -> None:
        writer.write(line.encode() + b"\r\n")
        await writer.drain()

    async def _session(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        sender, recipients = "", list[str]()
        while True:
            line = (await reader.readuntil(b"\r\n")).decode().strip()
            verb, address = line[:4].upper(), line.partition("<")[2].partition(">")[0]
            answer = "250 ok"
            if verb == "EHLO":
                answer = "250-surly.example\r\n250 SIZE 1000000"
            elif verb == "MAIL" and sender:
                answer = "503 5.5.1 one letter at a time"
            elif verb == "MAIL":
                answer = self.sender_answer
                sender, recipients = address if answer.startswith("250") else "", []
            elif verb == "RSET":
                sender = ""
            elif verb == "RCPT":
                answer = RCPT.get(address.partition("@")[0], "250 ok")
                recipients += [address] if answer.startswith("250") else []
            elif verb == "DATA" and not recipients and not self.always_begins:
                answer = "554 5.5.1 no valid recipients"
            elif verb == "DATA":
                await self._say(writer, "354 go on")
                body = (await reader.readuntil(b"\r\n.\r\n"))[:-3].replace(b"\r\n..", b"\r\n.")
                self.taken.append(Taken(sender, tuple(recipients), body))
                sender = ""
                names = {one.partition("@")[0] for one in recipients}
                if "drop" in names:
                    return
                if "stall" in names:
                    await self._done.wait()
                    return
                answer = next((DATA[name] for name in sorted(names) if name in DATA), "250 2.0.0 queued")
            elif verb == "QUIT":
                await self._say(writer, "221 bye")
                return
            await self._say(writer, answer)
            if answer.startswith("421"):
                return
