"""Players who know the service by its letters: each result letter that asks is answered, by its form."""

from __future__ import annotations

import smtplib
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr
from pathlib import Path
from random import Random

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from pbem.demo.clients import RepliedLetter, write_letter, write_reply
from pbem.demo.script import Player
from pbem.store.schema_mail import outbox, windows
from pbem.store.session import Db, reading
from tests.faults.oddities import STATES, odd_letter
from tests.servers import HOST, LOOPBACK

MAILBOX = f"umpire@{HOST}"
LOOK_SECONDS = 0.3
TRIES = 30  # to hand a letter in
FOR_GOOD = 500  # answers of a mail server from here on
ASKS_TOO = 0.25  # how often a player also asks how things stand
ODD = 0.3  # how often an odd letter comes along

ORDERS = {
    ("ALLIES", "T1.R"): "WA C1: ATTACK 3\nWA C2: ATTACK 4\nWA C3: PASS\nWA C4: PASS\n"
    "EA C1: ATTACK 9\nEA C2: PASS\nEA C3: PASS\nEA C4: PASS\n",
    ("CENTRAL", "T1.D"): "DE DEPLOY 3D > 1, 2D > 8, D > 4\n",
    ("CENTRAL", "T1.R"): "DE C1: ATTACK 1\nDE C2: ATTACK 8\nDE C3: PASS\nDE C4: PASS\n"
    "GA C1: ATTACK 9\nGA C2: PASS\nGA C3: PASS\nGA C4: PASS\n",
}


@dataclass(frozen=True, slots=True)
class Written:
    """A letter of a player, as he handed it in."""

    message_id: str
    sender: str
    recipient: str
    raw: bytes = field(repr=False)
    kind: str = ""  # of an odd one


@dataclass(slots=True)
class Person:
    """One seat of one campaign."""

    user: str
    campaign: str
    seat: str
    answered: set[str] = field(default_factory=set)  # our letters, by Message-ID

    @property
    def address(self) -> str:
        return f"{self.user}@{HOST}"

    @property
    def player(self) -> Player:
        name = self.user.title()
        return Player(name=name, user=self.user, language="en", zone="UTC", client="top", letters=())


def hand_in(lmtp: int, sender: str, recipient: str, raw: bytes) -> None:
    """As the mail server of the service takes it; "later", while a mailbox is made anew, is no refusal."""
    for _ in range(TRIES):
        with smtplib.LMTP(LOOPBACK, lmtp) as server:
            try:
                server.sendmail(sender, [recipient], raw)
                return
            except smtplib.SMTPResponseException as answer:
                if answer.smtp_code >= FOR_GOOD:
                    raise
            except smtplib.SMTPRecipientsRefused as answer:
                if answer.recipients[recipient][0] >= FOR_GOOD:
                    raise
        time.sleep(LOOK_SECONDS)
    raise TimeoutError(f"the mail server takes nothing for {recipient}")


class Players(threading.Thread):
    """All of them, one after the other, until told to stop."""

    def __init__(self, people: list[Person], mailboxes: Path, lmtp: int, db: Db, dice: Random) -> None:
        super().__init__(name="players", daemon=True)
        self.people = people
        self.written: list[Written] = []
        self.writes = threading.Event()  # set for a moment whenever a letter was handed in
        self.failures: list[str] = []
        self.asks_too = ASKS_TOO
        self._mailboxes = mailboxes
        self._lmtp = lmtp
        self._db = db
        self._dice = dice
        self._over = threading.Event()
        self._known: dict[Path, EmailMessage] = {}

    def run(self) -> None:
        while not self._over.wait(LOOK_SECONDS):
            self.look()

    def look(self, people: Sequence[Person] | None = None) -> None:
        """Everybody, or these, look into their mailboxes once, and answer."""
        for one in self.people if people is None else people:
            try:
                self._look(one)
            except SQLAlchemyError:
                time.sleep(0.2)  # the database is away; the letters lie where they are
            except Exception as failure:  # told in the report: a player who fell asleep proves nothing
                self.failures.append(f"{one.user}: {failure!r}")

    def stop(self) -> None:
        self._over.set()
        self.join(30)

    def letters(self, one: Person) -> list[EmailMessage]:
        """What lies in his mailbox, oldest first."""
        maildir = self._mailboxes / one.user / "Maildir"
        files = [path for name in ("new", "cur") for path in maildir.glob(f"{name}/*")]
        for path in files:
            if path not in self._known:
                self._known[path] = message_from_bytes(path.read_bytes(), policy=policy.default)
        return [self._known[path] for path in sorted(files, key=lambda path: path.name)]

    def _look(self, one: Person) -> None:
        for letter in self.letters(one):
            name = str(letter["Message-ID"])
            if name in one.answered:
                continue
            asked = self._asked(name)
            if asked is not None:
                self._answer(one, letter, asked)
            one.answered.add(name)

    def _asked(self, name: str) -> str | None:
        """The window that a result letter asks about; None: it asks nothing."""
        here = (windows.c.campaign == outbox.c.campaign) & (windows.c.number == outbox.c.window)
        chosen = select(windows.c.key).select_from(outbox.join(windows, here))
        with reading(self._db) as tx:
            return tx.execute(
                chosen.where(outbox.c.message_id == name, outbox.c.kind == "result")
            ).scalar_one_or_none()

    def _answer(self, one: Person, letter: EmailMessage, window: str) -> None:
        fierce = int(one.campaign.partition("-")[2]) % 2  # half of the campaigns end early, by surrender
        orders = ORDERS.get((one.seat, window)) if fierce else None
        text = "READY\n" if orders is None else f"ORDERS\n{orders}END\n\nREADY\n"
        self._reply(one, letter, text)
        if self._dice.random() < self.asks_too:
            self.write(one, MAILBOX, f"[{one.campaign}]", "STATUS\n")
        if self._dice.random() < ODD:
            self._odd(one, letter, self._dice.choice(sorted(STATES)))

    def write(self, one: Person, to: str, subject: str, text: str) -> None:
        """A letter of his own accord."""
        self._send(one, write_letter(one.player, one.address, to, subject, text))

    def _reply(self, one: Person, letter: EmailMessage, text: str) -> None:
        body = letter.get_body(("plain",))
        told = {name: str(letter.get(name, "")) for name in ("From", "Reply-To", "References", "Subject")}
        back = told["Reply-To"] or told["From"]
        shown = "" if body is None else str(body.get_content())
        name = str(letter["Message-ID"])
        answered = RepliedLetter(told["From"], back, told["Subject"], name, told["References"], shown)
        self._send(one, write_reply(one.player, one.address, text, answered))

    def _odd(self, one: Person, letter: EmailMessage, kind: str) -> None:
        token = parseaddr(str(letter["Reply-To"] or letter["From"]))[1]
        sender, to, raw = odd_letter(kind, one.address, one.campaign, token, self._dice)
        self._hand_in(sender, to, raw, kind)

    def _send(self, one: Person, raw: bytes) -> None:
        to = parseaddr(str(message_from_bytes(raw, policy=policy.default)["To"]))[1]
        self._hand_in(one.address, to, raw)

    def _hand_in(self, sender: str, to: str, raw: bytes, kind: str = "") -> None:
        hand_in(self._lmtp, sender, to, raw)
        name = str(message_from_bytes(raw)["Message-ID"])
        self.written.append(Written(name, sender, to, raw, kind))
        self.writes.set()
