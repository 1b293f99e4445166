"""A service on real servers, the people who write to it, and what lies in their mailboxes."""

from __future__ import annotations

import smtplib
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parseaddr
from functools import cached_property
from pathlib import Path
from typing import Any

from imapclient import IMAPClient, SocketTimeout
from sqlalchemy import select

from pbem.context import ServiceContext, service_context
from pbem.demo.clients import RepliedLetter, write_letter, write_reply
from pbem.demo.script import Player
from pbem.embedded.accounts import open_account, umpire_password
from pbem.settings import read_settings
from pbem.store.outbox import posted
from pbem.store.schema_mail import inbox, outbox
from pbem.store.session import reading
from tests.running import SECONDS, Service, plain_environment, until
from tests.servers import HOST, LOOPBACK, PASSWORD, dovecot, free_port, postfix, redis
from tests.store.postgres import cluster

MAILBOX = f"umpire@{HOST}"


@dataclass(frozen=True, slots=True)
class Doors:
    """Where mail is handed in and fetched."""

    smtp: int
    imap: int


@dataclass(frozen=True, slots=True)
class Stage:
    """A service at work."""

    folder: Path
    running: Service
    service: ServiceContext
    doors: Doors
    mailbox_password: str
    clients: ExitStack  # of mail programs that are open

    def command(self, *words: str) -> str:
        """What `pbem …` prints; it must end well."""
        told = [sys.executable, "-m", "pbem", *words, "--config", str(self.folder / "pbem.toml")]
        environment = plain_environment() | {"COLUMNS": "160"}
        done = subprocess.run(told, env=environment, capture_output=True, text=True, check=False)
        assert 0 == done.returncode, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout

    def person(self, name: str, user: str, language: Any, client: Any) -> Person:
        player = Player(name=name, user=user, language=language, zone="UTC", client=client, letters=())
        return Person(self, player)

    def rows(self, table: Any, *columns: str) -> list[tuple[Any, ...]]:
        with reading(self.service.db) as tx:
            found = tx.execute(select(*(table.c[one] for one in columns)).order_by(table.c.id))
            return [tuple(row) for row in found]

    def until_all_is_done(self) -> None:
        """Every letter that came has been read, and every letter of ours that is still true has gone."""

        def done() -> bool:
            came = [state for (state,) in self.rows(inbox, "state")]
            ours = [state for (state,) in self.rows(outbox, "state")]
            return "received" not in came and "waiting" not in ours

        until(done, SECONDS, "letters wait")

    def folders(self) -> dict[str, int]:
        """How many letters lie in each folder of the service's mailbox."""
        with _client(self.doors, "umpire", self.mailbox_password) as client:
            names = [name for _, _, name in client.list_folders()]
            return {name: client.folder_status(name, ["MESSAGES"])[b"MESSAGES"] for name in names}


# ------------------------------------------------------------------ people


@dataclass(frozen=True, slots=True)
class Fetched:
    """A letter of ours as it lies in somebody's mailbox."""

    raw: bytes = field(repr=False)
    kind: str  # by what the outbox calls it
    window: int | None
    message: EmailMessage = field(repr=False)

    @property
    def subject(self) -> str:
        return str(self.message["Subject"])

    @property
    def id(self) -> str:
        return str(self.message["Message-ID"])

    @property
    def text(self) -> str:
        body = self.message.get_body(("plain",))
        assert body is not None, "a letter without text"
        return str(body.get_content()).replace("\r\n", "\n")

    @property
    def enclosed(self) -> list[str]:
        return [str(part.get_filename()) for part in self.message.iter_attachments()]

    def as_shown(self) -> RepliedLetter:
        told = {name: str(self.message.get(name, "")) for name in ("From", "Reply-To", "References")}
        back = told["Reply-To"] or told["From"]
        return RepliedLetter(told["From"], back, self.subject, self.id, told["References"], self.text)


@dataclass
class Person:
    """Somebody with a mailbox and a mail program, who knows the service by its letters alone."""

    stage: Stage
    player: Player
    _seen: dict[int, Fetched] = field(default_factory=dict)  # by uid

    @property
    def address(self) -> str:
        return f"{self.player.user}@{HOST}"

    @cached_property
    def _box(self) -> Any:
        client = _client(self.stage.doors, self.player.user, PASSWORD)
        return self.stage.clients.enter_context(client)

    def letters(self, kind: str = "") -> list[Fetched]:
        """Everything in the mailbox, oldest first."""
        self._box.select_folder("INBOX")
        if new := [uid for uid in self._box.search("ALL") if uid not in self._seen]:
            found = self._box.fetch(new, ["BODY.PEEK[]"])
            bodies = {uid: found[uid][b"BODY[]"] for uid in new if b"BODY[]" in found.get(uid, {})}
            self._seen |= {uid: self._fetched(bytes(body)) for uid, body in bodies.items()}
        return [one for _, one in sorted(self._seen.items()) if kind in ("", one.kind)]

    def _fetched(self, raw: bytes) -> Fetched:
        message = message_from_bytes(raw, policy=policy.default)
        known = posted(self.stage.service.db, str(message["Message-ID"]))
        assert known is not None, f"not ours: {message['Subject']}"
        return Fetched(raw, known.letter.kind, known.letter.window, message)

    def gets(self, kind: str, number: int = 1) -> Fetched:
        """The so-manieth letter of that kind, when it comes."""
        until(lambda: len(self.letters(kind)) >= number, SECONDS, f"{self.player.name}: no {kind} {number}")
        return self.letters(kind)[number - 1]

    def gets_answer(self, words: str, to: Fetched | None = None, subject: str = "") -> Fetched:
        """Write, and wait for the letter that answers."""
        mine = self.writes(words, to, subject)
        found = until(lambda: self._answers(mine), SECONDS, f"{self.player.name}: no answer to {words!r}")
        return found[0]

    def _answers(self, mine: str) -> list[Fetched]:
        return [one for one in self.letters() if mine in str(one.message.get("In-Reply-To", ""))]

    def writes(self, words: str, to: Fetched | None = None, subject: str = "") -> str:
        """A reply, or a letter of one's own accord; returns its Message-ID."""
        if to is None:
            raw = write_letter(self.player, self.address, MAILBOX, subject, words)
        else:
            raw = write_reply(self.player, self.address, words, to.as_shown())
        message = message_from_bytes(raw, policy=policy.default)
        with smtplib.SMTP(LOOPBACK, self.stage.doors.smtp, timeout=30) as server:
            server.sendmail(self.address, [parseaddr(str(message["To"]))[1]], raw)
        return str(message["Message-ID"])


def _client(doors: Doors, user: str, password: str) -> Any:
    patience: Any = SocketTimeout(connect=10, read=30)
    client: Any = IMAPClient(LOOPBACK, doors.imap, ssl=False, timeout=patience)
    client.login(user, password)
    return client


# ------------------------------------------------------------------ the service


@contextmanager
def on_servers(folder: Path) -> Iterator[Stage]:
    """PostgreSQL, Redis, Postfix in front of Dovecot: every part a real one, and two workers."""
    with ExitStack() as parts:
        imap = parts.enter_context(dovecot())
        smtp = parts.enter_context(postfix(imap))
        broker = parts.enter_context(redis())
        base = parts.enter_context(cluster())
        base.tell("CREATE DATABASE play")
        url = base.url("play").set(drivername="postgresql").render_as_string(hide_password=False)
        (folder / "pbem.toml").write_text(
            f'mailbox = "{MAILBOX}"\nmail = "servers"\ndatabase = "{url}"\nredis = "{broker.url}"\n'
            f'[imap]\nhost = "{LOOPBACK}"\nport = {imap.imap}\nsecurity = "none"\n'
            f'user = "umpire"\npassword = "{PASSWORD}"\n'
            f'[smtp]\nhost = "{LOOPBACK}"\nport = {smtp.port}\nsecurity = "none"\n'
            f'[house]\numpires = ["ursula@{HOST}"]\nzone = "Europe/Paris"\n'
            "[worker]\nconcurrency = 2\n"
        )
        yield from _serving(folder, Doors(smtp.port, imap.imap), PASSWORD)


@contextmanager
def embedded(folder: Path, users: Sequence[str]) -> Iterator[Stage]:
    """Everything that comes with the service, in one folder."""
    doors = Doors(free_port(), free_port())
    (folder / "pbem.toml").write_text(
        f'mailbox = "{MAILBOX}"\nmail = "embedded"\n'
        f"[embedded]\nsmtp_port = {doors.smtp}\nimap_port = {doors.imap}\n"
        f'[house]\numpires = ["ursula@{HOST}"]\n'
    )
    mail = read_settings(folder / "pbem.toml", {}).mail_folder
    for user in users:
        open_account(mail, user, PASSWORD)
    yield from _serving(folder, doors, "")


def _serving(folder: Path, doors: Doors, password: str) -> Iterator[Stage]:
    running = Service(folder, "--config", str(folder / "pbem.toml"))
    try:
        until(lambda: running.says("ready"), SECONDS)
        here = read_settings(folder / "pbem.toml", {})
        service = service_context(here)
        own = password or umpire_password(here.mail_folder)
        with ExitStack() as clients:
            clients.callback(service.db.dispose)
            yield Stage(folder, running, service, doors, own, clients)
    finally:
        running.process.terminate()
        try:
            running.process.wait(20)
        finally:
            running.end()
