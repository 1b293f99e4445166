"""An SMTP server that takes most letters, and now and then refuses, falls silent or hangs up.

What it takes is handed on to the mailboxes at once; so is, half of the time, what it hangs up on.
"""

from __future__ import annotations

import asyncio
import smtplib
import threading
from collections import Counter
from dataclasses import dataclass
from email import message_from_bytes
from hashlib import sha256
from random import Random
from typing import Any, Final

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.narrowing import expect
from tests.servers import LOOPBACK

OK: Final = "250 2.0.0 taken"
SILENCE: Final = 135.0  # seconds: longer than we wait for an answer to a letter
DAWDLES: Final = (0.05, 0.4)  # seconds at each letter, so that somebody can be killed in the middle of it
MOODS: Final = {
    "MAIL 421": 0.03,
    "MAIL 550": 0.02,
    "RCPT 451": 0.04,
    "DATA 452": 0.04,
    "DATA 554": 0.03,  # for good; the operator sends the letter again
    "lost before": 0.04,  # the connection, after DATA, and the letter with it
    "lost after": 0.06,  # the connection alone: the letter has been taken
    "time out": 0.0,
}


@dataclass(frozen=True, slots=True)
class Handed:
    """A letter that went into somebody's mailbox."""

    recipient: str
    message_id: str
    digest: str


class Moody:
    """The handler. Good until `moody` is set."""

    def __init__(self, lmtp: int, dice: Random) -> None:
        self.moody = False
        self.temper = 1.0  # how often it is so
        self.time_outs = 0  # still to come
        self.counts: Counter[str] = Counter()
        self.handed: list[Handed] = []
        self.busy: set[int] = set()  # the other ends' ports, of those who are just handing a letter over
        self._lmtp = lmtp
        self._dice = dice
        self._alone = threading.Lock()

    async def handle_EHLO(
        self, server: SMTP, session: Session, envelope: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        """Every other connection may send its envelopes ahead."""
        session.host_name = hostname
        return responses if _port(session) % 2 else [responses[0], "250-PIPELINING", *responses[1:]]

    async def handle_MAIL(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.busy.add(_port(session))
        if self.moody:
            await asyncio.sleep(self._dice.uniform(*DAWDLES))
        for mood, answer in (("MAIL 421", "421 4.3.2 later"), ("MAIL 550", "550 5.7.1 who are you?")):
            if self._is(mood):
                return answer
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return OK

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self._is("RCPT 451"):
            return "451 4.3.0 not now"
        envelope.rcpt_tos.append(address)
        return OK

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        try:
            return await self._take(server, envelope)
        finally:
            self.busy.discard(_port(session))

    async def _take(self, server: SMTP, envelope: Envelope) -> str:
        if self._is("DATA 452"):
            return "452 4.2.2 mailbox full"
        if self._is("DATA 554"):
            return "554 5.6.0 not in these words"
        if self._is("lost before"):
            return self._hang_up(server)
        if self.moody and self.time_outs:
            self.time_outs -= 1
            self.counts["time out"] += 1
            await asyncio.sleep(SILENCE)
            return self._hang_up(server)
        try:
            await asyncio.to_thread(self._hand_on, envelope)
        except (smtplib.SMTPException, OSError):
            return "451 4.3.0 not now"  # a mailbox is made anew
        if self._is("lost after"):
            return self._hang_up(server)
        return OK

    def _is(self, mood: str) -> bool:
        with self._alone:
            chosen = self.moody and self._dice.random() < MOODS[mood] * self.temper
        self.counts[mood] += chosen
        return chosen

    def _hang_up(self, server: SMTP) -> str:
        transport: Any = server.transport
        transport.abort()
        return OK

    def _hand_on(self, envelope: Envelope) -> None:
        body = envelope.original_content or b""
        name = str(message_from_bytes(body)["Message-ID"])
        with smtplib.LMTP(LOOPBACK, self._lmtp) as mailboxes:
            mailboxes.sendmail(envelope.mail_from or "", envelope.rcpt_tos, body)
        for one in envelope.rcpt_tos:
            self.handed.append(Handed(one.lower(), name, sha256(body).hexdigest()))


def _port(session: Session) -> int:
    """Of the other end."""
    return int(expect(tuple, session.peer)[1])


class MoodyServer(Controller):
    """In a thread of its own."""

    def __init__(self, handler: Moody, port: int) -> None:
        super().__init__(handler, hostname=LOOPBACK, port=port)

    def factory(self) -> SMTP:
        return SMTP(self.handler, enable_SMTPUTF8=False, hostname="moody.example", timeout=300)
