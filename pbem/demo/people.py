"""The scripted players: each has a mailbox and a mail program, reads letters as they come, and replies.

They know nothing but what their letters say.
"""

from __future__ import annotations

import re
import smtplib
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import EmailMessage
from threading import Event, Thread
from typing import Any

from imapclient import IMAPClient, SocketTimeout

from pbem.demo.clients import RepliedLetter, body_text, parse_mail, write_letter, write_reply
from pbem.demo.script import Player, ScriptedLetter

POLL_SECONDS = 0.3
BLOCK = re.compile(r"^(?:ORDERS|ORDRES) (?P<campaign>\S+) (?P<window>\S+)$", re.MULTILINE)
CONFIRM = "CONFIRM"


@dataclass(frozen=True, slots=True)
class Servers:
    """The mail servers on this machine."""

    smtp: tuple[str, int]
    imap: tuple[str, int]
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class DemoLetter:
    """A letter that a player sent or fetched."""

    seat: str
    incoming: bool
    raw: bytes = field(repr=False)


class DemoPlayer(Thread):
    """One player; `on_letter` gets every letter in both directions."""

    def __init__(
        self,
        seat: str,
        player: Player,
        address: str,
        umpire: str,
        servers: Servers,
        on_letter: Callable[[DemoLetter], None],
    ) -> None:
        super().__init__(name=f"player {seat}", daemon=True)
        self.seat, self.player, self.address = seat, player, address
        self._umpire, self._servers, self._on_letter = umpire, servers, on_letter
        self._replies: dict[str, str] = {}  # Message-ID of a sent letter -> reply to its answer
        self._answered: set[str] = set()  # windows
        self._sent: set[str] = set()  # Message-IDs
        self._stopped = Event()
        self.trouble: Exception | None = None

    def sign_up(self, campaign: str) -> None:
        """Send the first letter; the service asks to confirm it."""
        verb, zone = ("INSCRIPTION", "FUSEAU") if self.player.language == "fr" else ("SIGNUP", "ZONE")
        words = f"{verb} {campaign} {self.seat}\n{zone} {self.player.zone}\n"
        self._send(write_letter(self.player, self.address, self._umpire, "Sign-up", words), CONFIRM)

    def stop(self) -> None:
        self._stopped.set()
        self.join(timeout=10)

    def run(self) -> None:
        try:
            self._read_letters()
        except Exception as trouble:  # reported by the command that watches the threads
            self.trouble = trouble

    # ------------------------------------------------------------ letters in

    def _read_letters(self) -> None:
        host, port = self._servers.imap
        timeout: Any = SocketTimeout(connect=10, read=30)
        client: Any = IMAPClient(host, port, ssl=False, timeout=timeout)
        client.login(self.player.user, self._servers.password)
        client.select_folder("INBOX")
        seen = 0
        while not self._stopped.wait(POLL_SECONDS):
            client.noop()
            for uid in sorted(uid for uid in client.search(["UID", f"{seen + 1}:*"]) if uid > seen):
                raw = bytes(client.fetch([uid], ["BODY.PEEK[]"])[uid][b"BODY[]"])
                seen = uid
                self._on_letter(DemoLetter(self.seat, True, raw))
                self._answer(raw)
        client.logout()

    def _answer(self, raw: bytes) -> None:
        message = parse_mail(raw)
        letter = _as_shown(message)
        for own_id in str(message.get("In-Reply-To", "")).split():
            if text := self._replies.pop(own_id, ""):
                self._send(write_reply(self.player, self.address, text, letter))
                return
        scripted = self._scripted_for(letter.text)
        if scripted is not None and not scripted.forgets:
            self._send(write_reply(self.player, self.address, scripted.text, letter), scripted.then)
        elif scripted is None and BLOCK.search(letter.text) and self._is_about_own(message):
            # Their orders come back to be mended, as dice have left a line without its army.
            self._send(write_reply(self.player, self.address, CONFIRM, letter))

    def _is_about_own(self, message: EmailMessage) -> bool:
        return not self._sent.isdisjoint(str(message.get("In-Reply-To", "")).split())

    def _scripted_for(self, text: str) -> ScriptedLetter | None:
        """The letter for the window that the order block in this text names; only once."""
        block = BLOCK.search(text)
        if block is None or block["window"] in self._answered:
            return None
        self._answered.add(block["window"])
        return self.player.letter_for(block["window"])

    # ------------------------------------------------------------ letters out

    def _send(self, raw: bytes, then: str = "") -> None:
        message = parse_mail(raw)
        self._sent.add(str(message["Message-ID"]))
        if then:
            self._replies[str(message["Message-ID"])] = then
        with smtplib.SMTP(*self._servers.smtp, timeout=30) as server:
            server.sendmail(self.address, [str(message["To"])], raw)
        self._on_letter(DemoLetter(self.seat, False, raw))


def _as_shown(message: EmailMessage) -> RepliedLetter:
    sender = str(message["From"])
    return RepliedLetter(
        sender,
        str(message.get("Reply-To", sender)),
        str(message["Subject"]),
        str(message["Message-ID"]),
        str(message.get("References", "")),
        body_text(message, "plain").replace("\r\n", "\n"),
    )
