"""A letter's envelope sent ahead: MAIL, RCPT and DATA in one piece, where the server allows it (RFC 2920).

So a letter costs two exchanges with the server and not four. Greeting, TLS and login stay the library's, and
so does every word between two letters: the connection is borrowed for one letter at a time.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, cast

from aiosmtplib import (
    SMTP,
    SMTPDataError,
    SMTPReadTimeoutError,
    SMTPRecipientRefused,
    SMTPResponse,
    SMTPResponseException,
    SMTPSenderRefused,
    SMTPServerDisconnected,
)
from aiosmtplib.protocol import SMTPProtocol

COMPLETED: Final = 250
WILL_FORWARD: Final = 251
START_INPUT: Final = 354
CLOSING: Final = 421
LONGEST_REPLIES: Final = 32 * 1024  # bytes that nobody has made sense of
_REPLY: Final = re.compile(rb"(?:[0-9]{3}-[^\n]*\n)*([0-9]{3})(?:[ \r][^\n]*)?\n")
_GIBBERISH: Final = re.compile(rb"(?![0-9]{3}[- \r\n])[^\n]*\n")


def may_send_ahead(client: SMTP) -> bool:
    return client.supports_extension("pipelining")


class Ahead(asyncio.Protocol):
    """The replies of the server, one after the other, however they come."""

    def __init__(self, usual: SMTPProtocol, transport: asyncio.Transport) -> None:
        self._usual, self._transport = usual, transport
        self._buffer = b""
        self._replies: deque[SMTPResponse] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._lost = False
        self.is_in_step = True  # False: nobody knows what the server expects next

    async def envelope(self, sender: str, recipient: str, options: str, seconds: float) -> None:
        """All that stands before a letter; raises the first refusal, as the library does."""
        said = f"MAIL FROM:<{sender}>{options}\r\nRCPT TO:<{recipient}>\r\nDATA\r\n"
        self.write(said.encode("ascii"))
        replies: list[SMTPResponse] = []
        try:
            for _ in range(3):
                replies.append(await self.reply(seconds))
        except (SMTPServerDisconnected, SMTPReadTimeoutError):
            self.is_in_step = False
            if _refusal(replies, sender, recipient) is None:
                raise
        if (refusal := _refusal(replies, sender, recipient)) is not None:
            # A server that asks for a letter all the same gets none, and no end of one either.
            self.is_in_step = self.is_in_step and not {START_INPUT, CLOSING} & {one.code for one in replies}
            raise refusal

    async def letter(self, body: bytes, seconds: float) -> SMTPResponse:
        """The letter itself; from here on silence means that nobody knows."""
        whole = body if body.endswith(b"\r\n") else body + b"\r\n"
        stuffed = (b"\r\n" + whole).replace(b"\r\n.", b"\r\n..")[2:]
        self.write(stuffed + b".\r\n")
        answer = await self.reply(seconds)
        if answer.code != COMPLETED:
            self.is_in_step = answer.code != CLOSING
            raise SMTPDataError(answer.code, answer.message)
        return answer

    def write(self, data: bytes) -> None:
        if self._lost or self._transport.is_closing():
            raise SMTPServerDisconnected("Connection lost")
        self._transport.write(data)

    async def reply(self, seconds: float) -> SMTPResponse:
        """The next one."""
        if not self._replies:
            await self._until_told(seconds)
        return self._replies.popleft()

    async def _until_told(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                while not self._replies:
                    if self._lost:
                        raise SMTPServerDisconnected("Connection lost")
                    self._waiter = asyncio.get_running_loop().create_future()
                    await self._waiter
        except TimeoutError:
            raise SMTPReadTimeoutError("Timed out waiting for server response") from None
        finally:
            self._waiter = None

    # -------------------------------------------------------------- what the connection tells

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (found := _REPLY.match(self._buffer)) is not None:
            words = [line[4:].strip() for line in found[0].splitlines()]
            told = b"\n".join(words).decode("utf-8", "surrogateescape")
            self._replies.append(SMTPResponse(int(found[1]), told))
            self._buffer = self._buffer[found.end() :]
        if _GIBBERISH.match(self._buffer) or len(self._buffer) > LONGEST_REPLIES:
            self._replies.append(SMTPResponse(-1, "Malformed SMTP response"))
            self._buffer = b""
        self._tell()

    def eof_received(self) -> bool:
        self._lost = True
        self._tell()
        return self._usual.eof_received()

    def connection_lost(self, error: Exception | None) -> None:
        self._lost = True
        self._tell()
        self._usual.connection_lost(error)

    def _tell(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


@contextmanager
def sending_ahead(client: SMTP) -> Iterator[Ahead]:
    """The client's connection, borrowed for a letter."""
    usual = client.protocol
    if usual is None or usual.transport is None:
        raise SMTPServerDisconnected("Server not connected")
    transport = cast(asyncio.Transport, usual.transport)
    ahead = Ahead(usual, transport)
    transport.set_protocol(ahead)
    try:
        yield ahead
    finally:
        transport.set_protocol(usual)


def _refusal(replies: Sequence[SMTPResponse], sender: str, recipient: str) -> SMTPResponseException | None:
    """The first of the three that says no."""
    for place, (code, words) in enumerate(replies):
        if place == 0 and code != COMPLETED:
            return SMTPSenderRefused(code, words, sender)
        if place == 1 and code not in (COMPLETED, WILL_FORWARD):
            return SMTPRecipientRefused(code, words, recipient)
        if place == 2 and code != START_INPUT:
            return SMTPDataError(code, words)
    return None
