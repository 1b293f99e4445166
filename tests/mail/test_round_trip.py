"""A letter of ours through a real Postfix into a real Dovecot, and the player's reply back."""

from __future__ import annotations

import time
from dataclasses import replace

from pbem.mail.addresses import SeatAddresses
from pbem.mail.compose import Correspondent, compose
from pbem.mail.imap import ImapMailbox
from pbem.mail.smtp import Envelope, Retry, Sent, SmtpServer, Suspended, send_letters
from tests.mail.conftest import Notebook
from tests.mail.test_compose import DRAFT
from tests.servers import HOST, LOOPBACK, Postfix

SECONDS = 10


def read_until(inbox: ImapMailbox, notebook: Notebook, number: int) -> None:
    end = time.monotonic() + SECONDS
    while len(notebook.letters) < number and time.monotonic() < end:
        inbox.read()
        inbox.wait(0.5)
    assert number == len(notebook.letters)


def test_a_letter_arrives_as_it_was_written_and_a_reply_proves_its_window(
    smtp_server: Postfix, inbox: ImapMailbox, notebook: Notebook, addresses: SeatAddresses
) -> None:
    server = SmtpServer(LOOPBACK, smtp_server.port, security="none")
    name = addresses.message_id("TTLM-7", "GE", "result", 1)
    reply_to = addresses.reply_address("TTLM-7", "GE", 1, 2)
    body = compose(
        replace(DRAFT, message_id=name, reply_to=reply_to, recipient=Correspondent(addresses.mailbox))
    )
    back = addresses.envelope_sender(name)
    (first,) = send_letters(server, [Envelope(back, (addresses.mailbox,), body)])
    assert all(isinstance(one, Sent) for one in first.values())
    read_until(inbox, notebook, 1)
    (letter,) = notebook.letters
    assert letter.endswith(body)  # nothing on the way changed a byte
    assert f"Return-Path: <{back}>".encode() in letter
    answer = f"From: ge@mail.example\r\nSubject: Re\r\nIn-Reply-To: {name}\r\n\r\nORDERS\r\n".encode()
    (second,) = send_letters(server, [Envelope("ge@mail.example", (reply_to,), answer)])
    assert isinstance(second[reply_to], Sent)
    read_until(inbox, notebook, 2)
    reply = list(notebook.letters)[1]
    (claim,) = addresses.claims_in(reply)  # there is no To: the server's own header says it
    assert 2 == addresses.proven_window(claim, 1, 3)
    assert (name,) == addresses.answered_in(reply)


def test_a_bounce_comes_back_to_the_letters_own_address(
    smtp_server: Postfix, inbox: ImapMailbox, notebook: Notebook, addresses: SeatAddresses
) -> None:
    name = addresses.message_id("TTLM-7", "GE", "result", 7)
    back = addresses.envelope_sender(name)
    report = f"From: MAILER-DAEMON@{HOST}\r\nTo: {back}\r\nSubject: failure\r\n\r\ngone\r\n".encode()
    send_letters(
        SmtpServer(LOOPBACK, smtp_server.port, security="none"), [Envelope(f"daemon@{HOST}", (back,), report)]
    )
    read_until(inbox, notebook, 1)
    (letter,) = notebook.letters
    assert () == addresses.claims_in(letter)
    found = [
        line.split(b": ")[1].strip(b"<> ").decode()
        for line in letter.split(b"\r\n")
        if line.startswith(b"To: ")
    ]
    assert name == addresses.bounced(found)


def test_what_a_real_server_refuses(smtp_server: Postfix) -> None:
    server = SmtpServer(LOOPBACK, smtp_server.port, security="none")
    names = (f"gone@{HOST}", f"stays@{HOST}")
    body = b"From: a@b.example\r\nSubject: x\r\n\r\nx\r\n"
    (found,) = send_letters(server, [Envelope(f"umpire@{HOST}", names, body)])
    refused, taken = (found[name] for name in names)
    assert isinstance(taken, Sent)
    assert isinstance(refused, Suspended) and "address" == refused.whose and "5.1.1" in refused.reason


def test_a_server_that_is_gone_means_later() -> None:
    body = b"From: a@b.example\r\nSubject: x\r\n\r\nx\r\n"
    server = SmtpServer(LOOPBACK, 1, security="none", command_seconds=1)
    (found,) = send_letters(server, [Envelope(f"umpire@{HOST}", (f"a@{HOST}",), body)])
    assert [True] == [isinstance(one, Retry) for one in found.values()]
