"""The embedded mail server, for demonstrations and machines without one: aiosmtpd, Maildirs, pymap.

One process, on this machine only, without privileges. It accepts letters for its own accounts only, with or
without a login, and records the address of delivery in the letter, as mail servers do.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any, Final, cast

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from proxyprotocol.noop import ProxyProtocolNoop
from proxyprotocol.reader import ProxyProtocolReader

from pbem.embedded.accounts import Accounts
from pbem.embedded.imap import ArrivalEvents, imap_handler

LOOPBACK: Final = "127.0.0.1"
MOST_BYTES: Final = 30 * 1024 * 1024
IDLE_SECONDS: Final = 300


class Delivery:
    """The SMTP half: the handler for aiosmtpd."""

    def __init__(self, accounts: Accounts, arrivals: ArrivalEvents) -> None:
        self.accounts = accounts
        self.arrivals = arrivals
        self._count = 0

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.accounts.owner(address) is None:
            return "550 5.1.1 nobody of that name here"
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        content = envelope.original_content or b""
        arrived = time.time()
        for address in dict.fromkeys(envelope.rcpt_tos):
            owner = self.accounts.owner(address)
            if owner is None:
                continue
            self._keep(owner, self._trace(session, envelope, address, arrived) + content, arrived)
            self.arrivals.notify(owner)
        return "250 2.0.0 taken"

    def login(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any
    ) -> AuthResult:
        words = (data.login, data.password) if isinstance(data, LoginPassword) else (b"", b"")
        login, password = (word.decode(errors="replace") for word in words)
        return AuthResult(success=self.accounts.may_login(login, password), handled=False)

    def _trace(self, session: Session, envelope: Envelope, address: str, arrived: float) -> bytes:
        day = format_datetime(datetime.fromtimestamp(arrived, UTC))
        lines = (
            f"Return-Path: <{(envelope.mail_from or '').strip('<>')}>",  # the library's null sender is `<>`
            f"Delivered-To: {address}",
            f"Received: from {session.host_name or 'somebody'} by {self.accounts.host}; {day}",
        )
        return "".join(f"{line}\r\n" for line in lines).encode("utf-8", "replace")

    def _keep(self, owner: str, letter: bytes, arrived: float) -> None:
        """Store a letter in the Maildir: write, sync, then publish. Its date is the time of arrival."""
        box = self.accounts.box(owner)
        self._count += 1
        name = f"{arrived:.6f}.P{os.getpid()}Q{self._count}R{secrets.token_hex(4)}.pbem"
        with (box / "tmp" / name).open("wb") as file:
            file.write(letter)
            file.flush()
            os.fsync(file.fileno())
        os.utime(box / "tmp" / name, (arrived, arrived))
        (box / "tmp" / name).rename(box / "new" / name)


class BufferedWriter:
    """Sends an answer in one piece: some clients take half a line for a broken one."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._held = bytearray()

    def write(self, data: bytes) -> None:
        self._held += data

    def writelines(self, pieces: Iterable[bytes]) -> None:
        self._held += b"".join(pieces)

    async def drain(self) -> None:
        self._send()
        await self._writer.drain()

    def close(self) -> None:
        self._send()
        self._writer.close()

    def _send(self) -> None:
        if self._held:
            self._writer.write(bytes(self._held))
            self._held.clear()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)


async def serve(accounts: Accounts, smtp_port: int, imap_port: int) -> None:
    """Run both halves in one loop, until SIGTERM or SIGINT."""
    loop = asyncio.get_running_loop()
    arrivals = ArrivalEvents()
    delivery = Delivery(accounts, arrivals)
    over = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, over.set)

    def smtp_half() -> SMTP:
        return SMTP(
            delivery,
            hostname=accounts.host,
            ident="ESMTP",
            data_size_limit=MOST_BYTES,
            timeout=IDLE_SECONDS,
            auth_require_tls=False,
            authenticator=delivery.login,
        )

    answer = ProxyProtocolReader(ProxyProtocolNoop()).get_callback(imap_handler(accounts, arrivals))

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await answer(reader, cast(asyncio.StreamWriter, BufferedWriter(writer)))

    async with AsyncExitStack() as stack:
        smtp = await loop.create_server(smtp_half, LOOPBACK, smtp_port)
        stack.callback(smtp.close)
        imap = await asyncio.start_server(connected, LOOPBACK, imap_port, limit=2**20)
        stack.callback(imap.close)
        await over.wait()


def mail_command(folder: Path, host: str, smtp_port: int, imap_port: int) -> list[str]:
    """The command that runs the server in the foreground."""
    doors = ["--smtp-port", str(smtp_port), "--imap-port", str(imap_port)]
    return [sys.executable, "-m", "pbem.embedded.mail", "--folder", str(folder), "--host", host, *doors]


def is_listening(port: int) -> bool:
    """Does anybody on this machine listen there?"""
    with suppress(OSError), socket.create_connection((LOOPBACK, port), timeout=1):
        return True
    return False


def _prepare(folder: Path) -> None:
    """Provide what pymap expects: UTC, temporary files on the same disk, no stale locks."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    os.umask(0o077)
    scratch = folder / "scratch"
    scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
    tempfile.tempdir = str(scratch)
    for left in sorted(folder.rglob("*.lock")):
        if left.name.startswith("dovecot-"):
            left.unlink(missing_ok=True)


def main() -> None:
    words = argparse.ArgumentParser(prog="pbem.embedded.mail", description=__doc__)
    words.add_argument("--folder", type=Path, required=True)
    words.add_argument("--host", required=True)
    words.add_argument("--smtp-port", type=int, required=True)
    words.add_argument("--imap-port", type=int, required=True)
    told = words.parse_args()
    _prepare(told.folder)
    asyncio.run(serve(Accounts(told.folder, told.host), told.smtp_port, told.imap_port))


if __name__ == "__main__":
    main()
