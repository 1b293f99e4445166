"""Servers and mailboxes for the tests of letters in and out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count

import pytest

from pbem.mail.addresses import SeatAddresses
from pbem.mail.imap import Destination, FetchedLetter, Folders, ImapMailbox, ImapServer
from tests.mail.surly import SurlyServer
from tests.packages import Missing
from tests.servers import HOST, LOOPBACK, PASSWORD, Dovecot, Postfix, dovecot, postfix

_numbers = count(1)
KEY = b"a key for reply addresses in tests"


@pytest.fixture(scope="session")
def imap_server() -> Iterator[Dovecot]:
    try:
        with dovecot() as running:
            yield running
    except Missing as reason:
        pytest.skip(f"!!! DOVECOT IS MISSING, LETTERS IN ARE NOT TESTED: {reason}")


@pytest.fixture(scope="session")
def smtp_server(imap_server: Dovecot) -> Iterator[Postfix]:
    try:
        with postfix(imap_server) as running:
            yield running
    except Missing as reason:
        pytest.skip(f"!!! POSTFIX IS MISSING, THE WHOLE WAY OF A LETTER IS NOT TESTED: {reason}")


@pytest.fixture
def surly() -> Iterator[SurlyServer]:
    with SurlyServer() as running:
        yield running


@dataclass
class Notebook:
    """A letter store in memory."""

    addresses: SeatAddresses
    letters: dict[bytes, str] = field(default_factory=dict)  # raw bytes once, however often they are seen
    offered: list[tuple[str, int, int]] = field(default_factory=list)
    arrived: list[datetime] = field(default_factory=list)
    moved: list[tuple[str, int, int]] = field(default_factory=list)
    glanced_at: int = 0
    read: list[tuple[str, datetime]] = field(default_factory=list)
    decide: Callable[[bytes], Destination | None] = lambda raw: "processed"

    def store_letters(
        self, mailbox: str, uidvalidity: int, letters: Sequence[FetchedLetter]
    ) -> Sequence[Destination | None]:
        self.offered += [(mailbox, uidvalidity, one.uid) for one in letters]
        places = [self.decide(one.raw) for one in letters]  # all of them, or none
        for one in letters:
            self.letters.setdefault(one.raw, mailbox)
            self.arrived.append(one.arrived)
        return places

    def is_ours(self, headers: bytes) -> bool:
        self.glanced_at += 1
        claims = self.addresses.claims_in(headers)
        proven = any(self.addresses.proven_window(one, 1, 3) is not None for one in claims)
        return proven or bool(self.addresses.answered_in(headers))

    def mark_moved(self, mailbox: str, uidvalidity: int, uids: Sequence[int]) -> None:
        self.moved += [(mailbox, uidvalidity, uid) for uid in uids]

    def mark_read_to(self, mailbox: str, uidvalidity: int, began: datetime) -> None:
        self.read.append((mailbox, began))


@pytest.fixture
def addresses() -> SeatAddresses:
    """Each test has a mailbox of its own."""
    return SeatAddresses(KEY, f"umpire{next(_numbers)}@{HOST}")


@pytest.fixture
def notebook(addresses: SeatAddresses) -> Notebook:
    return Notebook(addresses)


def account(server: Dovecot, addresses: SeatAddresses, port: int = 0) -> ImapServer:
    user = addresses.mailbox.partition("@")[0]
    where = port or server.imap
    return ImapServer(LOOPBACK, user, PASSWORD, where, "none", connect_seconds=3.0, read_seconds=2.0)


@pytest.fixture
def inbox(imap_server: Dovecot, addresses: SeatAddresses, notebook: Notebook) -> Iterator[ImapMailbox]:
    opened = ImapMailbox(account(imap_server, addresses), Folders(), notebook, lambda: datetime.now(UTC))
    yield opened
    opened.close()
