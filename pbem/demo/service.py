"""The service of a demo: it has its own folder and runs as `pbem serve`."""

from __future__ import annotations

import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pbem.campaigns.lobby import open_campaign
from pbem.campaigns.policy import read_policy
from pbem.context import ServiceContext, service_context
from pbem.demo.people import Servers
from pbem.demo.script import DemoScript
from pbem.embedded.accounts import open_account
from pbem.embedded.mail import LOOPBACK, is_listening
from pbem.errors import CheckFailed
from pbem.settings import make_private_folder, read_settings
from pbem.store.campaigns import campaign_row
from pbem.store.deadlines import find_stuck_work

HOST: Final = "pbem.example"
START_SECONDS: Final = 30.0
STOP_SECONDS: Final = 20.0


@dataclass(frozen=True, slots=True)
class DemoService:
    """A running service with a campaign in the lobby."""

    context: ServiceContext
    servers: Servers
    process: subprocess.Popen[bytes]
    log: Path

    def is_over(self, name: str) -> bool:
        """Has the campaign ended, and has every letter been sent?"""
        db, now = self.context.db, self.context.now()
        return campaign_row(db, name).state == "over" and not find_stuck_work(db, now).posts

    def check(self) -> None:
        """Raise CheckFailed if the service has died."""
        if self.process.poll() is not None:
            raise CheckFailed(
                f"the service ended with {self.process.returncode}; its last words are in {self.log}"
            )


@contextmanager
def run_service(folder: Path, script: DemoScript) -> Iterator[DemoService]:
    """A service in this folder with a mailbox for every player; it is stopped at the end."""
    make_private_folder(folder)
    smtp_port, imap_port = _free_ports()
    file = folder / "pbem.toml"
    file.write_text(
        f'mailbox = "{script.umpire}@{HOST}"\nmail = "embedded"\n\n'
        f"[embedded]\nsmtp_port = {smtp_port}\nimap_port = {imap_port}\n\n"
        f'[house]\nname = "The Umpire"\nproof = "pinned"\n',
        "utf-8",
    )
    settings = read_settings(file, environment={})
    password = secrets.token_urlsafe(12)
    for player in script.people.values():
        open_account(settings.mail_folder, player.user, password)
    context = service_context(settings)
    open_campaign(
        context,
        script.campaign,
        script.game,
        players=script.players,
        tempo=script.tempo,
        options=script.options,
        policy=read_policy({"clock": dict(script.clock)}),
        umpires=[context.addresses.mailbox],
    )
    log = folder / "service.log"
    with log.open("wb") as out:
        command = [sys.executable, "-m", "pbem", "serve", "--config", str(file)]
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
    servers = Servers((LOOPBACK, smtp_port), (LOOPBACK, imap_port), password)
    service = DemoService(context, servers, process, log)
    try:
        _wait_for(service, smtp_port, imap_port)
        yield service
    finally:
        _stop(process)
        context.db.dispose()


def _free_ports() -> tuple[int, int]:
    with socket.socket() as one, socket.socket() as other:
        one.bind((LOOPBACK, 0))
        other.bind((LOOPBACK, 0))
        return one.getsockname()[1], other.getsockname()[1]


def _wait_for(service: DemoService, *ports: int) -> None:
    end = time.monotonic() + START_SECONDS
    while not all(map(is_listening, ports)):
        service.check()
        if time.monotonic() > end:
            raise CheckFailed(f"the mail server does not answer; see {service.log}")
        time.sleep(0.1)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
