"""The poller on a real Dovecot, without Redis: kept, committed, and put away when it is known what became."""

from __future__ import annotations

import smtplib
from collections.abc import Generator, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest
from imapclient import IMAPClient
from sqlalchemy import select

from pbem.context import ServiceContext, open_context
from pbem.mail.imap import Folders, ImapMailbox, ImapServer, Round
from pbem.store.deadlines import pulse
from pbem.store.inbox import Settled, due_letters, letter, mailboxes_read_to, mark_read_to, settle_letter
from pbem.store.schema_mail import sightings
from tests.servers import HOST, LOOPBACK, PASSWORD, Dovecot
from tests.stores import fresh_store
from worker.poller import PULSE, MailboxReader, after_round

_numbers = count(1)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ServiceContext]:
    db = fresh_store(tmp_path)
    yield open_context(db, f"poller{next(_numbers)}@{HOST}")
    db.dispose()


def opened(
    server: Dovecot, service: ServiceContext, password: str = PASSWORD
) -> tuple[ImapMailbox, MailboxReader]:
    user = service.addresses.mailbox.partition("@")[0]
    reader = MailboxReader(service)
    there = ImapServer(LOOPBACK, user, password, server.imap, "none", connect_seconds=3, read_seconds=3)
    return ImapMailbox(there, Folders(), reader, service.now), reader


def deliver(server: Dovecot, to: str, *subjects: str, more: str = "") -> None:
    with smtplib.LMTP(LOOPBACK, server.lmtp) as lmtp:
        for subject in subjects:
            text = f"From: jean@mail.example\r\nTo: {to}\r\nSubject: {subject}\r\n{more}\r\nORDERS\r\n"
            lmtp.sendmail("jean@mail.example", [to], text.encode())


def lying(server: Dovecot, service: ServiceContext, *folders: str) -> list[int]:
    client = IMAPClient(LOOPBACK, server.imap, ssl=False)
    client.login(service.addresses.mailbox.partition("@")[0], PASSWORD)
    found = [int(client.folder_status(name, ["MESSAGES"])[b"MESSAGES"]) for name in folders]
    client.logout()
    return found


EVERYWHERE = ("INBOX", "Processed", "Rejected", "Quarantine")


def test_letters_lie_in_the_inbox_until_they_are_settled(
    imap_server: Dovecot, service: ServiceContext
) -> None:
    deliver(imap_server, service.addresses.mailbox, "a", "b", "c", "d")
    inbox, reader = opened(imap_server, service)
    began = service.now()
    after_round(service, inbox, reader, Round(inbox.read()))
    numbers = due_letters(service.db, service.now())
    assert 4 == len(numbers) and [4, 0, 0, 0] == lying(imap_server, service, *EVERYWHERE)
    until = mailboxes_read_to(service.db)
    assert until is not None and until >= began
    outcomes: list[Settled] = ["applied", "refused", "quarantined"]
    for number, state in zip(numbers, outcomes, strict=False):
        assert settle_letter(service.db, number, state, "", service.now())
    after_round(service, inbox, reader, Round(inbox.read()))
    assert [1, 1, 1, 1] == lying(imap_server, service, *EVERYWHERE)
    with service.db.connect() as tx:
        assert [True, True, True, False] == list(tx.execute(select(sightings.c.moved)).scalars())
    inbox.close()


def test_a_poller_that_died_between_keeping_and_moving_takes_nothing_twice(
    imap_server: Dovecot, service: ServiceContext
) -> None:
    deliver(imap_server, service.addresses.mailbox, "a", "b")
    first, _ = opened(imap_server, service)
    first.read()
    first.close()
    number, other = due_letters(service.db, service.now())
    settle_letter(service.db, number, "applied", "", service.now())
    second, reader = opened(imap_server, service)
    after_round(service, second, reader, Round(second.read()))
    assert [other] == due_letters(service.db, service.now())
    assert [1, 1, 0, 0] == lying(imap_server, service, *EVERYWHERE)
    second.close()


def test_arrival_is_when_the_server_took_it(imap_server: Dovecot, service: ServiceContext) -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    deliver(imap_server, service.addresses.mailbox, "a", more="Date: Mon, 1 Jan 2001 00:00:00 +0000\r\n")
    inbox, _ = opened(imap_server, service)
    inbox.read()
    inbox.close()
    kept = letter(service.db, due_letters(service.db, service.now())[0])
    assert kept is not None and before <= kept.arrived <= datetime.now(UTC)


def test_of_the_junk_folder_only_what_answers_us_is_ours(
    service: ServiceContext, imap_server: Dovecot
) -> None:
    reader = MailboxReader(service)
    own = service.addresses.message_id("FWW-1", "DE", "result", 3)
    assert reader.is_ours(f"In-Reply-To: {own}\r\n\r\n".encode())
    guess = service.addresses.reply_address("FWW-1", "DE", 1, 2)
    assert not reader.is_ours(f"To: {guess}\r\n\r\n".encode())  # there is no such campaign
    assert not reader.is_ours(b"In-Reply-To: <aaaaaaaaaaaaaaaaaaaaaaaaaa@play.example>\r\n\r\n")


def test_nobody_waits_for_a_mailbox_that_is_not_read_any_more(
    imap_server: Dovecot, service: ServiceContext
) -> None:
    mark_read_to(service.db, "Old inbox", 7, datetime(2026, 1, 1, tzinfo=UTC))
    inbox, reader = opened(imap_server, service)
    began = service.now()
    after_round(service, inbox, reader, Round(inbox.read()))
    until = mailboxes_read_to(service.db)
    assert until is not None and until >= began
    inbox.close()


def test_trouble_is_told_with_the_sign_of_life(imap_server: Dovecot, service: ServiceContext) -> None:
    inbox, reader = opened(imap_server, service, "wrong")
    inbox.sleep = lambda _: None
    rounds = inbox.rounds(1)
    done = next(rounds)
    assert done.refused
    after_round(service, inbox, reader, done)
    sign = pulse(service.db, PULSE)
    assert sign is not None and sign.data["trouble"]
    inbox.server = replace(inbox.server, password=PASSWORD)
    after_round(service, inbox, reader, next(rounds))
    sign = pulse(service.db, PULSE)
    assert sign is not None and "" == sign.data["trouble"]
    assert isinstance(rounds, Generator)
    rounds.close()
    inbox.close()
