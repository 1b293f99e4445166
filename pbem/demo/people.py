"""The scripted people: each has a mailbox and a mail program, reads letters as they come, and writes back.

They know what stands in their letters and nothing else.
"""

from __future__ import annotations

import re
import smtplib
from collections.abc import Callable
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from threading import Event, Thread
from typing import Any

from imapclient import IMAPClient, SocketTimeout

from pbem.demo.clients import AnsweredLetter, fresh, reply
from pbem.demo.script import Player, Prepared

LOOK_SECONDS = 0.3
BLOCK = re.compile(r"^(?:ORDERS|ORDRES) (?P<campaign>\S+) (?P<window>\S+)$", re.MULTILINE)
CONFIRM = "CONFIRM"


@dataclass(frozen=True, slots=True)
class Servers:
    """Where mail is sent and fetched, on this machine."""

    smtp: tuple[str, int]
    imap: tuple[str, int]
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class PlayerMailbox:
    """A letter that was sent or fetched."""

    seat: str
    incoming: bool
    raw: bytes = field(repr=False)


class DemoPlayer(Thread):
    """One player at work. `kept` is told of every letter, in both directions."""

    def __init__(
        self,
        seat: str,
        player: Player,
        address: str,
        umpire: str,
        servers: Servers,
        kept: Callable[[PlayerMailbox], None],
    ) -> None:
        super().__init__(name=f"player {seat}", daemon=True)
        self.seat, self.player, self.address = seat, player, address
        self._umpire, self._servers, self._kept = umpire, servers, kept
        self._answers: dict[str, str] = {}  # our Message-ID -> what is written to its answer
        self._written: set[str] = set()  # windows
        self._over = Event()
        self.trouble: Exception | None = None

    def sign_up(self, campaign: str) -> None:
        """The first letter of all: the sign-up is confirmed by reply."""
        verb, zone = ("INSCRIPTION", "FUSEAU") if self.player.language == "fr" else ("SIGNUP", "ZONE")
        words = f"{verb} {campaign} {self.seat}\n{zone} {self.player.zone}\n"
        self._send(fresh(self.player, self.address, self._umpire, "Sign-up", words), CONFIRM)

    def stop(self) -> None:
        self._over.set()
        self.join(timeout=10)

    def run(self) -> None:
        try:
            self._read_letters()
        except Exception as trouble:  # told by whoever watches the threads
            self.trouble = trouble

    # ------------------------------------------------------------ letters in

    def _read_letters(self) -> None:
        host, port = self._servers.imap
        patience: Any = SocketTimeout(connect=10, read=30)
        client: Any = IMAPClient(host, port, ssl=False, timeout=patience)
        client.login(self.player.user, self._servers.password)
        client.select_folder("INBOX")
        seen = 0
        while not self._over.wait(LOOK_SECONDS):
            client.noop()
            for uid in sorted(uid for uid in client.search(["UID", f"{seen + 1}:*"]) if uid > seen):
                raw = bytes(client.fetch([uid], ["BODY.PEEK[]"])[uid][b"BODY[]"])
                seen = uid
                self._kept(PlayerMailbox(self.seat, True, raw))
                self._answer(raw)
        client.logout()

    def _answer(self, raw: bytes) -> None:
        message = message_from_bytes(raw, policy=policy.default)
        assert isinstance(message, EmailMessage)
        letter = _as_shown(message)
        for mine in str(message.get("In-Reply-To", "")).split():
            if (words := self._answers.pop(mine, "")) != "":
                self._send(reply(self.player, self.address, words, letter))
                return
        if (prepared := self._prepared(letter.text)) is not None and not prepared.forgets:
            self._send(reply(self.player, self.address, prepared.text, letter), prepared.then)

    def _prepared(self, text: str) -> Prepared | None:
        """What lies ready for the window that the letter's block names, once."""
        found = BLOCK.search(text)
        if found is None or found["window"] in self._written:
            return None
        self._written.add(found["window"])
        return self.player.letter_for(found["window"])

    # ------------------------------------------------------------ letters out

    def _send(self, raw: bytes, then: str = "") -> None:
        message = message_from_bytes(raw, policy=policy.default)
        if then:
            self._answers[str(message["Message-ID"])] = then
        with smtplib.SMTP(*self._servers.smtp, timeout=30) as server:
            server.sendmail(self.address, [str(message["To"])], raw)
        self._kept(PlayerMailbox(self.seat, False, raw))


def _as_shown(message: EmailMessage) -> AnsweredLetter:
    body = message.get_body(("plain",))
    text = body.get_content() if body is not None else ""
    sender = str(message["From"])
    return AnsweredLetter(
        sender,
        str(message.get("Reply-To", sender)),
        str(message["Subject"]),
        str(message["Message-ID"]),
        str(message.get("References", "")),
        text.replace("\r\n", "\n"),
    )
