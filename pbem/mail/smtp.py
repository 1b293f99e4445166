"""Send final bytes to the mail server; the outcome is a value.

sent       the server accepted the letter
retry      not accepted, or unknown: sent again later with the same bytes and so the same Message-ID
suspended  refused for good: the address is marked, or the umpire looks at the letter

A refusal of ourselves (password, host name, envelope sender) is never charged to a player's address.
"""

from __future__ import annotations

import asyncio
import re
import ssl
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from typing import Final, Literal, TypeAlias

from aiosmtplib import SMTP, SMTPException, SMTPRecipientRefused, SMTPResponseException, SMTPSenderRefused

from pbem.settings import Security, is_mail_address

KEPT_SECONDS: Final = 60.0  # a connection idle for longer is not used again
TRUSTED_SECONDS: Final = 0.5  # one idle for longer is tested first
NOOP_SECONDS: Final = 5.0
MOST_LETTERS: Final = 50  # over one connection
LONGEST_LINE: Final = 998  # RFC 5322, without its end
MESSAGE_TOO_BIG: Final = 552
RETRY_MINUTES: Final = (1, 5, 15, 30, 60, 120, 240)  # then every four hours
MOST_ATTEMPTS: Final = 24  # about three days
UNKNOWN_MINUTES: Final = (5, 30, 120, 480)  # a letter that perhaps arrived is sent rarely
MOST_UNKNOWN: Final = 12  # about three days as well
_TROUBLE: Final = (SMTPException, OSError)  # a timeout is an OSError, too
_ENHANCED: Final = re.compile(r"5\.([0-7])\.\d{1,3}\b")

Whose: TypeAlias = Literal["address", "letter"]


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """The server that accepts our letters."""

    host: str
    port: int = 587
    user: str = ""  # "": without authentication
    password: str = field(default="", repr=False)
    oauth2_token: Callable[[], Awaitable[str]] | None = field(default=None, repr=False)
    security: Security = "starttls"
    trusted: ssl.SSLContext | None = field(default=None, repr=False)
    our_name: str = "localhost"  # for EHLO
    command_seconds: float = 30.0
    data_seconds: float = 120.0  # a server may check a letter for long before it answers


@dataclass(frozen=True, slots=True)
class Envelope:
    """A letter and its SMTP envelope."""

    sender: str  # bounces go there
    recipients: tuple[str, ...]
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Sent:
    """The server accepted it, with this answer."""

    answer: str


@dataclass(frozen=True, slots=True)
class Retry:
    """Not accepted this time."""

    reason: str
    perhaps_sent: bool = False  # the whole letter was sent, and no answer came
    ours: bool = False  # the server refused us, not the letter: the operator is told


@dataclass(frozen=True, slots=True)
class Suspended:
    """Refused for good."""

    reason: str
    whose: Whose


Outcome: TypeAlias = Sent | Retry | Suspended


class SmtpClient(AbstractAsyncContextManager["SmtpClient"]):
    """One connection for several letters: `async with SmtpClient(server) as client`.

    It may be kept between letters. After some idle time it is tested with NOOP before the next letter, since
    the server may have closed it.
    """

    def __init__(self, server: SmtpServer) -> None:
        self.server = server
        self._client: SMTP | None = None
        self._used = 0.0  # when it last served, by the monotonic clock
        self._letters = 0  # sent over it

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def check_login(self) -> Retry | None:
        """Connect and log in, no more. Returns what is wrong; None: nothing."""
        client = await self._connect()
        return client if isinstance(client, Retry) else None

    async def send(self, envelope: Envelope) -> dict[str, Outcome]:
        """Send a letter; the outcome for each recipient."""
        _check_bytes(envelope.body)
        if not is_mail_address(envelope.sender):
            raise ValueError(f"no envelope sender: {envelope.sender!r}")
        outcomes: dict[str, Outcome] = {
            one: Suspended("malformed address", "address")
            for one in envelope.recipients
            if not is_mail_address(one)
        }
        good = [one for one in dict.fromkeys(envelope.recipients) if one not in outcomes]
        if good:
            outcomes |= await self._send(envelope, good)
        return outcomes

    async def _send(self, envelope: Envelope, recipients: list[str]) -> dict[str, Outcome]:
        client = await self._connect()
        if isinstance(client, Retry):
            return dict.fromkeys(recipients, client)
        outcomes: dict[str, Outcome] = {}
        try:
            await client.mail(envelope.sender, options=_size_option(client, envelope.body))
            for one in recipients:
                try:
                    await client.rcpt(one)
                except SMTPRecipientRefused as refusal:
                    outcomes[one] = _recipient_outcome(refusal)
        except _TROUBLE as error:
            await self._reset(error)
            rest = [one for one in recipients if one not in outcomes]
            return outcomes | dict.fromkeys(rest, _envelope_outcome(error))
        taken = [one for one in recipients if one not in outcomes]
        if not taken:
            await self._reset(None)
            return outcomes
        return outcomes | dict.fromkeys(taken, await self._send_body(client, envelope.body))

    async def _send_body(self, client: SMTP, body: bytes) -> Outcome:
        """After DATA, a timeout leaves delivery unknown."""
        try:
            answer = await client.data(body, timeout=self.server.data_seconds)
        except SMTPResponseException as refusal:
            await self._reset(refusal)
            return _letter_outcome(refusal)
        except _TROUBLE as error:
            self._drop()
            return Retry(_summary(error), perhaps_sent=True)
        return Sent(answer.message[:300])

    # -------------------------------------------------------------- the connection

    @property
    def is_connected(self) -> bool:
        return self._client is not None and self._client.is_connected

    async def _connect(self) -> SMTP | Retry:
        """A connection that is logged in; or what is wrong."""
        client = self._client
        try:
            if client is None or not await self._is_usable(client):
                client = self._client = _new_client(self.server)
                self._letters = 0
                await client.connect()
                if client.is_ehlo_or_helo_needed:
                    await client.ehlo()
        except (*_TROUBLE, ValueError) as error:
            self._drop()
            return _connect_outcome(error)
        self._used, self._letters = time.monotonic(), self._letters + 1
        return client

    async def _is_usable(self, client: SMTP) -> bool:
        """Not if it is too old, was used too often (some servers count), or was closed by the server."""
        idle = time.monotonic() - self._used
        if idle > KEPT_SECONDS or self._letters >= MOST_LETTERS:
            await self.close()
            return False
        if not client.is_connected:
            return False
        if idle > TRUSTED_SECONDS:
            try:
                await client.noop(timeout=NOOP_SECONDS)
            except _TROUBLE:
                self._drop()
                return False
        return True

    async def _reset(self, error: BaseException | None) -> None:
        """Make the connection ready for the next letter, or drop it."""
        answered = error is None or isinstance(error, SMTPResponseException)
        if self._client is None or not answered or not self._client.is_connected:
            self._drop()
            return
        try:
            await self._client.rset()
        except _TROUBLE:
            self._drop()

    def _drop(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()

    async def close(self) -> None:
        """Send QUIT and close; the next letter connects again."""
        if self._client is not None and self._client.is_connected:
            with suppress(*_TROUBLE):
                await self._client.quit(timeout=5)
        self._drop()


def _new_client(server: SmtpServer) -> SMTP:
    return SMTP(
        hostname=server.host,
        port=server.port,
        username=server.user or None,
        password=server.password or None,
        oauth_token_generator=server.oauth2_token,
        local_hostname=server.our_name,
        timeout=server.command_seconds,
        use_tls=server.security == "tls",
        start_tls=server.security == "starttls",
        tls_context=server.trusted,
    )


def send_letters(server: SmtpServer, envelopes: Sequence[Envelope]) -> list[dict[str, Outcome]]:
    """Send several letters over one connection, for synchronous callers."""

    async def send_all() -> list[dict[str, Outcome]]:
        async with SmtpClient(server) as client:
            return [await client.send(one) for one in envelopes]

    return asyncio.run(send_all())


# ------------------------------------------------------------------ what an answer means


def _recipient_outcome(refusal: SMTPRecipientRefused) -> Outcome:
    """552 is the old code for 452, too many recipients (RFC 5321 4.5.3.1.10)."""
    if 500 <= refusal.code < 600 and refusal.code != MESSAGE_TOO_BIG:
        return Suspended(_summary(refusal), _whose(refusal, "address"))
    return Retry(_summary(refusal))


def _letter_outcome(refusal: SMTPResponseException) -> Outcome:
    """A malformed answer leaves delivery unknown."""
    if 500 <= refusal.code < 600:
        return Suspended(_summary(refusal), _whose(refusal, "letter"))
    return Retry(_summary(refusal), perhaps_sent=not 400 <= refusal.code < 500)


def _whose(refusal: SMTPResponseException, otherwise: Whose) -> Whose:
    """RFC 3463: 5.1 and 5.2 are about the address, 5.3 to 5.7 about systems, contents and policies."""
    subject = _ENHANCED.match(refusal.message)
    if subject is None or subject[1] == "0":
        return otherwise
    return "address" if subject[1] in "12" else "letter"


def _connect_outcome(error: BaseException) -> Retry:
    """Greeting, TLS or password: whatever the code, no address is at fault."""
    if isinstance(error, SMTPResponseException):
        return Retry(_summary(error), ours=error.code >= 500)
    return Retry(_summary(error), ours=isinstance(error, ValueError) or not isinstance(error, OSError))


def _envelope_outcome(error: BaseException) -> Outcome:
    """MAIL FROM was refused, or the connection was lost before the letter."""
    if isinstance(error, SMTPSenderRefused) and error.code == MESSAGE_TOO_BIG:
        return Suspended(_summary(error), "letter")
    refused = isinstance(error, SMTPResponseException) and 500 <= error.code < 600
    return Retry(_summary(error), ours=refused)


def _summary(error: BaseException) -> str:
    """One short line for the outbox: the server's code and text, or the kind of failure."""
    if isinstance(error, SMTPResponseException):
        return " ".join(f"{error.code} {error.message}".split())[:300]
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def _size_option(client: SMTP, body: bytes) -> list[str]:
    return [f"size={len(body)}"] if client.supports_extension("size") else []


def _check_bytes(body: bytes) -> None:
    """Refuse bytes that servers may change on the way: making such is our mistake."""
    if not body.isascii():
        raise ValueError("a letter with bytes above 127 is not final")
    lines = body.split(b"\r\n")
    bare = body.count(b"\r") != len(lines) - 1 or body.count(b"\n") != len(lines) - 1
    if bare or max(map(len, lines)) > LONGEST_LINE:
        raise ValueError("a letter with bare or missing line ends is not final")


# ------------------------------------------------------------------ when to try again


def next_try(attempts: int, outcome: Retry, message_id: str) -> timedelta | None:
    """How long to wait after that many attempts of that kind; None: give up, the letter has failed.

    Refusals and missing answers are counted apart: neither uses up the retries of the other. A jitter that
    depends only on the letter spreads letters that were delayed together.
    """
    unknown = outcome.perhaps_sent
    schedule, most = (UNKNOWN_MINUTES, MOST_UNKNOWN) if unknown else (RETRY_MINUTES, MOST_ATTEMPTS)
    if attempts >= most:
        return None
    minutes = schedule[min(max(attempts, 1), len(schedule)) - 1]
    spread = int.from_bytes(sha256(f"{message_id} {attempts}".encode()).digest()[:2], "big") / 65536
    return timedelta(seconds=round(minutes * 60 * (1 + spread / 5)))
