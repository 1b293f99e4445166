"""Real servers with a service at work on them, campaigns in it, and hands that deliver letters."""

from __future__ import annotations

import os
import signal
import smtplib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from email.parser import BytesHeaderParser
from pathlib import Path

from sqlalchemy import select

from pbem.context import ServiceContext, service_context
from pbem.settings import read_settings
from pbem.store.schema_mail import outbox
from pbem.store.session import reading
from tests.bench.campaigns import Correspondent, open_campaigns
from tests.bench.echo import USER as ECHO
from tests.running import Service, descendants, named, until
from tests.servers import HOST, LOOPBACK, PASSWORD, Dovecot, Postfix, dovecot, postfix, redis
from tests.store.postgres import cluster

UMPIRE = "umpire"
PATIENCE = 120.0  # seconds


@dataclass(frozen=True, slots=True)
class Servers:
    """Postfix before Dovecot, Redis, PostgreSQL, and the campaigns."""

    folder: Path
    imap: Dovecot
    smtp: Postfix
    service: ServiceContext
    people: Sequence[Correspondent]

    def deliver(self, user: str, letters: Sequence[bytes]) -> list[float]:
        """Into a mailbox, as the mail server does it; returns when each lay there."""
        moments = []
        with smtplib.LMTP(LOOPBACK, self.imap.lmtp, timeout=30) as server:
            for raw in letters:
                headers = BytesHeaderParser().parsebytes(raw)
                to = str(headers["To"]) if user == UMPIRE else f"{user}@{HOST}"
                server.sendmail(str(headers["From"]), [to], raw)
                moments.append(time.time())
        return moments


@contextmanager
def servers(folder: Path, campaigns: int, workers: int = 2) -> Iterator[Servers]:
    with ExitStack() as parts:
        imap = parts.enter_context(dovecot())
        smtp = parts.enter_context(postfix(imap))
        bell = parts.enter_context(redis())
        base = parts.enter_context(cluster())
        base.tell("CREATE DATABASE play")
        url = base.url("play").set(drivername="postgresql").render_as_string(hide_password=False)
        (folder / "pbem.toml").write_text(
            f'mailbox = "{UMPIRE}@{HOST}"\nmail = "servers"\ndatabase = "{url}"\nredis = "{bell.url}"\n'
            f'[imap]\nhost = "{LOOPBACK}"\nport = {imap.imap}\nsecurity = "none"\n'
            f'user = "{UMPIRE}"\npassword = "{PASSWORD}"\n'
            f'[smtp]\nhost = "{LOOPBACK}"\nport = {smtp.port}\nsecurity = "none"\n'
            f'[house]\numpires = ["ursula@{HOST}"]\n'
            f"[worker]\nconcurrency = {workers}\n"
        )
        service = service_context(read_settings(folder / "pbem.toml", {}))
        parts.callback(service.db.dispose)
        yield Servers(folder, imap, smtp, service, open_campaigns(service, campaigns))


# ------------------------------------------------------------------ who answers


@dataclass(frozen=True, slots=True)
class Answerer:
    """Processes that answer letters; everybody writes to them once."""

    user: str  # whose mailbox they read
    reader: int  # the process that holds the mailbox
    answers: Callable[[], Mapping[str, float]]  # by the writer: when the answer left

    def until_answered(self, people: Sequence[Correspondent]) -> list[float]:
        """When each of these was answered."""
        wanted = [one.address for one in people]
        return until(lambda: _all_of(self.answers(), wanted), PATIENCE, f"{self.user} does not answer")

    @contextmanager
    def asleep(self) -> Iterator[None]:
        """Letters pile up meanwhile."""
        os.kill(self.reader, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.reader, signal.SIGCONT)


def _all_of(found: Mapping[str, float], wanted: Sequence[str]) -> list[float]:
    """Nothing before all of them are there."""
    return [found[one] for one in wanted] if all(one in found for one in wanted) else []


@contextmanager
def echoing(there: Servers) -> Iterator[Answerer]:
    """The echo bot at work."""
    told = there.folder / "echo"
    words = [sys.executable, "-m", "tests.bench.echo", str(there.imap.imap), str(there.smtp.port)]
    with told.open("wb") as out:
        process = subprocess.Popen(words, stdout=out)

    def answers() -> dict[str, float]:
        lines = told.read_text().splitlines(keepends=True)
        pairs = [line.split() for line in lines if line.endswith("\n")]
        return {address: float(moment) for address, moment in pairs}

    try:
        yield Answerer(ECHO, process.pid, answers)
    finally:
        process.kill()
        process.wait()


@contextmanager
def serving(there: Servers) -> Iterator[Answerer]:
    """The whole service at work: supervisor, poller, workers."""
    running = Service(there.folder, "--config", str(there.folder / "pbem.toml"))

    def answers() -> dict[str, float]:
        chosen = select(outbox.c.recipient, outbox.c.sent_at).where(outbox.c.kind == "receipt")
        with reading(there.service.db) as tx:
            rows = tx.execute(chosen.where(outbox.c.state == "sent")).all()
        return {address: moment.timestamp() for address, moment in rows}

    try:
        until(lambda: running.says("ready"), PATIENCE)
        (poller,) = named(descendants(running.process.pid), "worker.poller")
        yield Answerer(UMPIRE, poller, answers)
    finally:
        running.process.terminate()
        try:
            running.process.wait(20)
        finally:
            running.end()
