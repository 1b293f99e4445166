"""Letters out: final bytes to the mail server, and what became of them as a value.

sent       the server took the letter
retry      not taken, or nobody knows: sent again later with the same bytes and so the same Message-ID
suspended  refused for good: the address is marked, or the letter is looked at by the umpire

A refusal of ourselves (password, host name, envelope sender) is never charged to a player's address.
"""

from __future__ import annotations

import asyncio
import re
import ssl
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from types import TracebackType
from typing import Final, Literal, TypeAlias

from aiosmtplib import (
    SMTP,
    SMTPConnectError,
    SMTPDataError,
    SMTPException,
    SMTPRecipientRefused,
    SMTPResponseException,
    SMTPSenderRefused,
    SMTPServerDisconnected,
    SMTPTimeoutError,
)

from pbem.mail.ahead import Ahead, may_send_ahead, sending_ahead
from pbem.settings import Security, is_mail_address

KEPT_SECONDS: Final = 60.0  # a connection that was idle for longer is not used again
TRUSTED_SECONDS: Final = 0.5  # one that was idle for longer is tried first
NOOP_SECONDS: Final = 5.0
MOST_LETTERS: Final = 50  # over one connection
LONGEST_LINE: Final = 998  # RFC 5322, without its end
MESSAGE_TOO_BIG: Final = 552
RETRY_MINUTES: Final = (1, 5, 15, 30, 60, 120, 240)  # then every four hours
MOST_ATTEMPTS: Final = 24  # about three days
UNKNOWN_MINUTES: Final = (5, 30, 120, 480)  # a letter that perhaps arrived is not sent often
MOST_UNKNOWN: Final = 12  # about three days as well
_ENHANCED: Final = re.compile(r"5\.([0-7])\.\d{1,3}\b")

Whose: TypeAlias = Literal["address", "letter"]


@dataclass(frozen=True, slots=True)
class SmtpServer:
    """Who takes our letters."""

    host: str
    port: int = 587
    user: str = ""  # "": without authentication
    password: str = field(default="", repr=False)
    oauth2_token: Callable[[], Awaitable[str]] | None = field(default=None, repr=False)
    security: Security = "starttls"
    trusted: ssl.SSLContext | None = field(default=None, repr=False)
    our_name: str = "localhost"  # as we introduce ourselves
    command_seconds: float = 30.0
    data_seconds: float = 120.0  # a server may check a letter for long before it answers


@dataclass(frozen=True, slots=True)
class Envelope:
    """A letter as it is handed over."""

    sender: str  # bounces go there
    recipients: tuple[str, ...]
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Sent:
    """The server took it, with these words."""

    answer: str


@dataclass(frozen=True, slots=True)
class Retry:
    """Not taken this time."""

    reason: str
    perhaps_sent: bool = False  # the whole letter was handed over, and no answer came
    ours: bool = False  # the server refused us, not the letter: the operator is told


@dataclass(frozen=True, slots=True)
class Suspended:
    """It will not be taken."""

    reason: str
    whose: Whose


Outcome: TypeAlias = Sent | Retry | Suspended


class SmtpClient:
    """One connection for several letters: `async with Post(server) as post`.

    It may be kept between letters. One that was idle is tried before it is trusted, since the server may have
    closed it; nothing of a letter has been handed over then.
    """

    def __init__(self, server: SmtpServer) -> None:
        self.server = server
        self._client: SMTP | None = None
        self._used = 0.0  # when it last served, by the monotonic clock
        self._letters = 0  # sent over it

    async def __aenter__(self) -> SmtpClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.leave()

    async def knock(self) -> Retry | None:
        """Connect and log in, no more. What is wrong; None: we are let in."""
        try:
            await self._connected()
        except (SMTPException, OSError, TimeoutError, ValueError) as trouble:
            await self._drop()
            return _trouble_before_the_letter(trouble)
        return None

    async def send(self, envelope: Envelope) -> dict[str, Outcome]:
        """Hand a letter over; what became of it for each recipient."""
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
        try:
            client = await self._connected()
        except (SMTPException, OSError, TimeoutError, ValueError) as trouble:
            await self._drop()
            return dict.fromkeys(recipients, _trouble_before_the_letter(trouble))
        if len(recipients) == 1 and may_send_ahead(client):
            return {recipients[0]: await self._send_ahead(client, envelope, recipients[0])}
        outcomes: dict[str, Outcome] = {}
        try:
            await client.mail(envelope.sender, options=_size_option(client, envelope.body))
            for one in recipients:
                try:
                    await client.rcpt(one)
                except SMTPRecipientRefused as refusal:
                    outcomes[one] = _refused_recipient(refusal)
        except (SMTPException, OSError, TimeoutError) as trouble:
            await self._reset(trouble)
            rest = [one for one in recipients if one not in outcomes]
            return outcomes | dict.fromkeys(rest, _trouble_with_the_envelope(trouble))
        taken = [one for one in recipients if one not in outcomes]
        if not taken:
            await self._reset(None)
            return outcomes
        return outcomes | dict.fromkeys(taken, await self._hand_over(client, envelope.body))

    async def _hand_over(self, client: SMTP, body: bytes) -> Outcome:
        """From here on silence means that nobody knows."""
        try:
            answer = await client.data(body, timeout=self.server.data_seconds)
        except SMTPResponseException as refusal:
            await self._reset(refusal)
            return _refused_letter(refusal)
        except (SMTPException, OSError, TimeoutError) as trouble:
            await self._drop()
            return Retry(_words(trouble), perhaps_sent=True)
        return Sent(answer.message[:300])

    async def _send_ahead(self, client: SMTP, envelope: Envelope, recipient: str) -> Outcome:
        """The envelope in one piece, then the letter."""
        seconds, size = self.server.command_seconds, _size_option(client, envelope.body)
        trouble: BaseException | None = None
        with sending_ahead(client) as ahead:
            try:
                await ahead.envelope(envelope.sender, recipient, "".join(f" {one}" for one in size), seconds)
            except SMTPDataError as refusal:
                trouble, outcome = refusal, _refused_letter(refusal)
            except SMTPRecipientRefused as refusal:
                trouble, outcome = refusal, _refused_recipient(refusal)
            except (SMTPException, OSError, TimeoutError) as lost:
                trouble, outcome = lost, _trouble_with_the_envelope(lost)
            else:
                trouble, outcome = await self._letter_ahead(ahead, envelope.body)
        if trouble is not None:
            await (self._reset(trouble) if ahead.is_in_step else self._drop())
        return outcome

    async def _letter_ahead(self, ahead: Ahead, body: bytes) -> tuple[BaseException | None, Outcome]:
        try:
            answer = await ahead.letter(body, self.server.data_seconds)
        except SMTPResponseException as refusal:
            return refusal, _refused_letter(refusal)
        except (SMTPException, OSError, TimeoutError) as lost:
            return lost, Retry(_words(lost), perhaps_sent=True)
        return None, Sent(answer.message[:300])

    # -------------------------------------------------------------- the connection

    @property
    def is_connected(self) -> bool:
        return self._client is not None and self._client.is_connected

    async def _connected(self) -> SMTP:
        if self._client is not None and await self._still_serves(self._client):
            self._used, self._letters = time.monotonic(), self._letters + 1
            return self._client
        server = self.server
        self._client = SMTP(
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
        await self._client.connect()
        if self._client.is_ehlo_or_helo_needed:
            await self._client.ehlo()
        self._used, self._letters = time.monotonic(), 1
        return self._client

    async def _still_serves(self, client: SMTP) -> bool:
        """Or is left: too old, too often used (some servers count), or closed by the other side."""
        idle = time.monotonic() - self._used
        if idle > KEPT_SECONDS or self._letters >= MOST_LETTERS:
            await self.leave()
            return False
        if not client.is_connected:
            return False
        if idle > TRUSTED_SECONDS:
            try:
                await client.noop(timeout=NOOP_SECONDS)
            except (SMTPException, OSError, TimeoutError):
                await self._drop()
                return False
        return True

    async def _reset(self, trouble: BaseException | None) -> None:
        """Make the connection fit for the next letter, or give it up."""
        answered = trouble is None or isinstance(trouble, SMTPResponseException)
        if self._client is None or not answered or not self._client.is_connected:
            await self._drop()
            return
        try:
            await self._client.rset()
        except (SMTPException, OSError, TimeoutError):
            await self._drop()

    async def _drop(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()

    async def leave(self) -> None:
        """With a word of parting; another letter connects anew."""
        if self._client is not None and self._client.is_connected:
            try:
                await self._client.quit(timeout=5)
            except (SMTPException, OSError, TimeoutError):
                await self._drop()
        await self._drop()


def send_letters(server: SmtpServer, envelopes: Sequence[Envelope]) -> list[dict[str, Outcome]]:
    """Several letters over one connection, for callers that are not asynchronous."""

    async def all_of_them() -> list[dict[str, Outcome]]:
        async with SmtpClient(server) as service:
            return [await service.send(one) for one in envelopes]

    return asyncio.run(all_of_them())


# ------------------------------------------------------------------ what an answer means


def _refused_recipient(refusal: SMTPRecipientRefused) -> Outcome:
    """552 is an old way of saying 452, too many recipients (RFC 5321 4.5.3.1.10)."""
    if 500 <= refusal.code < 600 and refusal.code != MESSAGE_TOO_BIG:
        return Suspended(_words(refusal), _whose(refusal, "address"))
    return Retry(_words(refusal))


def _refused_letter(refusal: SMTPResponseException) -> Outcome:
    """An answer that is none leaves it open what became of the letter."""
    if 500 <= refusal.code < 600:
        return Suspended(_words(refusal), _whose(refusal, "letter"))
    return Retry(_words(refusal), perhaps_sent=not 400 <= refusal.code < 500)


def _whose(refusal: SMTPResponseException, otherwise: Whose) -> Whose:
    """RFC 3463: 5.1 and 5.2 speak of the address, 5.3 to 5.7 of systems, contents and policies."""
    subject = _ENHANCED.match(refusal.message)
    if subject is None or subject[1] == "0":
        return otherwise
    return "address" if subject[1] in "12" else "letter"


def _trouble_before_the_letter(trouble: BaseException) -> Retry:
    """Greeting, TLS or password: whatever the code, no address is at fault."""
    refused = isinstance(trouble, SMTPResponseException) and trouble.code >= 500
    misconfigured = isinstance(trouble, SMTPException) and not isinstance(
        trouble, SMTPConnectError | SMTPServerDisconnected | SMTPTimeoutError | SMTPResponseException
    )
    return Retry(_words(trouble), ours=refused or misconfigured or isinstance(trouble, ValueError))


def _trouble_with_the_envelope(trouble: BaseException) -> Outcome:
    """MAIL FROM was refused, or the connection was lost before the letter."""
    if isinstance(trouble, SMTPSenderRefused) and trouble.code == MESSAGE_TOO_BIG:
        return Suspended(_words(trouble), "letter")
    refused = isinstance(trouble, SMTPResponseException) and 500 <= trouble.code < 600
    return Retry(_words(trouble), ours=refused)


def _words(trouble: BaseException) -> str:
    """One short line for the outbox: code and text of the server, or the kind of failure."""
    if isinstance(trouble, SMTPResponseException):
        return " ".join(f"{trouble.code} {trouble.message}".split())[:300]
    return " ".join(f"{type(trouble).__name__}: {trouble}".split())[:300]


def _size_option(client: SMTP, body: bytes) -> list[str]:
    return [f"size={len(body)}"] if client.supports_extension("size") else []


def _check_bytes(body: bytes) -> None:
    """Only what every server passes on unchanged; anything else is a mistake of ours."""
    if not body.isascii():
        raise ValueError("a letter with bytes above 127 is not final")
    lines = body.split(b"\r\n")
    bare = body.count(b"\r") != len(lines) - 1 or body.count(b"\n") != len(lines) - 1
    if bare or max(map(len, lines)) > LONGEST_LINE:
        raise ValueError("a letter with bare or missing line ends is not final")


# ------------------------------------------------------------------ when to try again


def next_try(attempts: int, outcome: Retry, message_id: str) -> timedelta | None:
    """How long to wait after that many attempts of that kind; None: long enough, the letter has failed.

    Refusals and answers that never came are counted apart: neither uses up the patience for the other.

    A little is added that depends on the letter alone, so that a crowd of letters held up together does
    not knock together again.
    """
    schedule: tuple[int, ...] = UNKNOWN_MINUTES if outcome.perhaps_sent else RETRY_MINUTES
    if attempts >= (MOST_UNKNOWN if outcome.perhaps_sent else MOST_ATTEMPTS):
        return None
    minutes = schedule[min(max(attempts, 1), len(schedule)) - 1]
    spread = int.from_bytes(sha256(f"{message_id} {attempts}".encode()).digest()[:2], "big") / 65536
    return timedelta(seconds=round(minutes * 60 * (1 + spread / 5)))
