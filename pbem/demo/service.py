"""The service of a demo: it has its own folder and runs as `pbem serve`."""

from __future__ import annotations

import os
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
from pbem.errors import CheckFailed
from pbem.settings import make_private_folder, read_settings
from pbem.store.campaigns import campaign
from pbem.store.deadlines import find_stuck_work
from pbem.store.session import migrate

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
        context = self.context
        return (
            campaign(context.db, name).state == "over"
            and not find_stuck_work(context.db, context.now()).posts
        )

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
    migrate(context.db)
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
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=dict(os.environ))
    servers = Servers(("127.0.0.1", smtp_port), ("127.0.0.1", imap_port), password)
    service = DemoService(context, servers, process, log)
    try:
        _wait_for(service, smtp_port, imap_port)
        yield service
    finally:
        _stop(process)
        context.db.dispose()


def _free_ports() -> tuple[int, int]:
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        return one.getsockname()[1], other.getsockname()[1]


def _wait_for(service: DemoService, *ports: int) -> None:
    end = time.monotonic() + START_SECONDS
    for port in ports:
        while True:
            service.check()
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                if time.monotonic() > end:
                    raise CheckFailed(f"the mail server does not answer; see {service.log}") from None
                time.sleep(0.1)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
