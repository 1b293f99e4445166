"""Servers that come with the service, started as it starts them."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from imapclient import IMAPClient, SocketTimeout
from typer.testing import CliRunner

from pbem.cli.main import app
from pbem.embedded.accounts import open_account, open_umpires_account, umpire_password
from pbem.embedded.mail import mail_command
from pbem.embedded.redis import answers, redis_command
from pbem.mail.smtp import SmtpServer
from tests.campaigns_at_hand import AtHand, campaign_at_hand
from tests.packages import Missing
from tests.running import until
from tests.servers import LOOPBACK, Dovecot, dovecot, free_port, until_open

HOST = "pbem.example"


@contextmanager
def running(command: list[str], log: Path, **more: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is asked to end, and then made to."""
    with log.open("ab") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, **more)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(8)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@dataclass(frozen=True, slots=True)
class Mail:
    """The embedded mail server, and accounts `umpire` and `anna`."""

    folder: Path
    smtp: int
    imap: int

    @property
    def out(self) -> SmtpServer:
        return SmtpServer(LOOPBACK, self.smtp, security="none", our_name="tests.example")

    def client(self, name: str = "umpire") -> IMAPClient:
        password = umpire_password(self.folder) if name == "umpire" else "secret"
        client = IMAPClient(LOOPBACK, self.imap, ssl=False, timeout=SocketTimeout(5, 5))
        client.login(name, password)
        client.normalise_times = False
        return client


@contextmanager
def embedded_mail(folder: Path) -> Iterator[Mail]:
    there = Mail(folder, free_port(), free_port())
    open_umpires_account(folder, "umpire")
    open_account(folder, "anna", "secret")
    command = mail_command(folder, HOST, there.smtp, there.imap)
    with running(command, folder / "log") as process:
        until_open(there.smtp, process, folder / "log")
        until_open(there.imap, process, folder / "log")
        yield there


@pytest.fixture(scope="module")
def mail(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mail]:
    with embedded_mail(tmp_path_factory.mktemp("mail")) as there:
        yield there


@pytest.fixture(scope="module")
def redis_socket() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="pbem-redis-", dir="/tmp") as folder:
        path = Path(folder) / "redis.sock"
        with running(redis_command(path), Path(folder) / "log"):
            assert until(lambda: answers(path))
            yield path


@pytest.fixture(scope="module")
def imap_server() -> Iterator[Dovecot]:
    try:
        with dovecot() as there:
            yield there
    except Missing as reason:
        pytest.skip(f"!!! DOVECOT IS MISSING, THE POLLER IS NOT TESTED: {reason}")


# ------------------------------------------------------------------ the command line

Run = Callable[..., Any]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """`run("check", …)` on the store in the test's folder: exit_code, stdout, stderr."""
    monkeypatch.setenv("PBEM_DATA", str(tmp_path))

    def run_command(*words: object) -> Any:
        return CliRunner().invoke(app, [str(word) for word in words])

    return run_command


@pytest.fixture
def at(tmp_path: Path) -> AtHand:
    return campaign_at_hand(tmp_path)


@pytest.fixture(scope="module")
def redis_url(redis_socket: Path) -> str:
    return f"redis+socket://{redis_socket}"
