"""Letters handed to a server that takes, refuses, stalls and hangs up."""

from __future__ import annotations

import asyncio
import socket
from datetime import timedelta

import pytest

from pbem.mail.smtp import (
    MOST_ATTEMPTS,
    MOST_UNKNOWN,
    Envelope,
    Outcome,
    Retry,
    Sent,
    SmtpClient,
    SmtpServer,
    Suspended,
    next_try,
    send_letters,
)
from pbem.settings import is_mail_address
from tests.mail.surly import SurlyServer
from tests.servers import LOOPBACK

SENDER = "umpire+bounce.abc@play.example"
BODY = b"Message-ID: <a@b>\r\nSubject: x\r\n\r\n.dots\r\n..\r\nend\r\n"


def where(surly: SurlyServer) -> SmtpServer:
    return SmtpServer(LOOPBACK, surly.port, security="none", command_seconds=2.0, data_seconds=0.4)


def outcome(surly: SurlyServer, name: str) -> Outcome:
    (found,) = send_letters(where(surly), [Envelope(SENDER, (f"{name}@mail.example",), BODY)])
    return found[f"{name}@mail.example"]


def test_a_letter_is_taken_byte_for_byte_with_the_senders_envelope(surly: SurlyServer) -> None:
    assert outcome(surly, "jean") == Sent("2.0.0 queued")
    (taken,) = surly.taken
    assert (SENDER, ("jean@mail.example",), BODY) == (taken.sender, taken.recipients, taken.body)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gone", Suspended("550 5.1.1 no such user", "address")),
        ("blocked", Suspended("554 5.7.1 your network is not welcome", "letter")),
        ("busy", Retry("451 4.3.0 try again later")),
        ("crowd", Retry("552 too many recipients")),
        ("closing", Retry("421 4.3.2 going down")),
        ("spam", Suspended("554 5.6.0 content refused", "letter")),
        ("unknown-after-all", Suspended("550 5.1.1 no mailbox of that name", "address")),
        ("full", Retry("452 4.2.2 mailbox full")),
    ],
)
def test_what_an_answer_means(surly: SurlyServer, name: str, expected: Outcome) -> None:
    assert expected == outcome(surly, name)


@pytest.mark.parametrize("name", ["drop", "stall", "gibberish"])
def test_silence_after_the_letter_means_that_nobody_knows(surly: SurlyServer, name: str) -> None:
    found = outcome(surly, name)
    assert isinstance(found, Retry) and found.perhaps_sent and not found.ours
    again = outcome(surly, name)
    assert isinstance(again, Retry)
    assert [BODY, BODY] == [one.body for one in surly.taken]  # the same Message-ID both times


def test_some_recipients_may_be_refused(surly: SurlyServer) -> None:
    names = ("jean@mail.example", "gone@mail.example", "busy@mail.example", "not an address")
    (found,) = send_letters(where(surly), [Envelope(SENDER, names, BODY)])
    assert Sent("2.0.0 queued") == found["jean@mail.example"]
    assert isinstance(found["gone@mail.example"], Suspended)
    assert isinstance(found["busy@mail.example"], Retry)
    assert Suspended("malformed address", "address") == found["not an address"]
    assert [("jean@mail.example",)] == [one.recipients for one in surly.taken]


def test_one_connection_serves_many_and_survives_refusals(surly: SurlyServer) -> None:
    names = ["a", "gone", "b", "spam", "c", "drop", "d"]
    found = send_letters(where(surly), [Envelope(SENDER, (f"{name}@mail.example",), BODY) for name in names])
    sent = [
        name for name, one in zip(names, found, strict=True) if isinstance(one[f"{name}@mail.example"], Sent)
    ]
    assert ["a", "b", "c", "d"] == sent
    assert 2 == surly.connections  # a new one only after the server hung up


def test_a_server_that_asks_for_a_refused_letter_gets_none(surly: SurlyServer) -> None:
    surly.always_begins = True
    names = ["a", "gone", "b"]
    found = send_letters(where(surly), [Envelope(SENDER, (f"{name}@mail.example",), BODY) for name in names])
    assert Suspended("550 5.1.1 no such user", "address") == found[1]["gone@mail.example"]
    assert [("a@mail.example",), ("b@mail.example",)] == [one.recipients for one in surly.taken]
    assert [BODY, BODY] == [one.body for one in surly.taken]
    assert 1 == surly.connections


def test_a_refusal_of_ourselves_is_not_charged_to_the_address(surly: SurlyServer) -> None:
    surly.sender_answer = "550 5.1.8 who are you"
    assert Retry("550 5.1.8 who are you", ours=True) == outcome(surly, "jean")
    surly.sender_answer = "451 4.7.1 greylisted"
    assert Retry("451 4.7.1 greylisted") == outcome(surly, "jean")
    surly.sender_answer = "552 5.3.4 too big"
    assert Suspended("552 5.3.4 too big", "letter") == outcome(surly, "jean")
    surly.greeting = "554 5.7.1 no service"
    found = outcome(surly, "jean")
    assert isinstance(found, Retry) and found.ours and not found.perhaps_sent
    surly.greeting = "421 4.3.2 busy"
    found = outcome(surly, "jean")
    assert isinstance(found, Retry) and not found.ours
    assert [] == surly.taken


def test_a_server_without_tls_or_login_gets_no_letter(surly: SurlyServer) -> None:
    for server in (
        SmtpServer(LOOPBACK, surly.port, security="starttls"),
        SmtpServer(LOOPBACK, surly.port, "umpire", "secret", security="none"),
    ):
        (found,) = send_letters(server, [Envelope(SENDER, ("jean@mail.example",), BODY)])
        (one,) = found.values()
        assert isinstance(one, Retry) and one.ours
    assert [] == surly.taken


def test_nobody_at_home() -> None:
    with socket.socket() as nobody:
        nobody.bind((LOOPBACK, 0))
        server = SmtpServer(LOOPBACK, nobody.getsockname()[1], security="none", command_seconds=1)
        (found,) = send_letters(server, [Envelope(SENDER, ("jean@mail.example",), BODY)])
    assert all(isinstance(one, Retry) and not one.perhaps_sent and not one.ours for one in found.values())


def test_a_server_that_never_greets_is_given_up() -> None:
    with socket.create_server((LOOPBACK, 0)) as silent:
        server = SmtpServer(LOOPBACK, silent.getsockname()[1], security="none", command_seconds=0.3)
        (found,) = send_letters(server, [Envelope(SENDER, ("jean@mail.example",), BODY)])
    assert all(isinstance(one, Retry) and not one.perhaps_sent for one in found.values())


@pytest.mark.parametrize("body", [b"Subject: \xe9\r\n\r\n", b"a\nb\r\n", b"a\rb\r\n", b"x" * 999 + b"\r\n"])
def test_bytes_that_are_not_final_are_our_mistake(surly: SurlyServer, body: bytes) -> None:
    with pytest.raises(ValueError):
        send_letters(where(surly), [Envelope(SENDER, ("jean@mail.example",), body)])
    assert 0 == surly.connections


@pytest.mark.parametrize(
    "address",
    [
        "",
        "a",
        "a@",
        "@b",
        "a b@c",
        "a@b c",
        "<a@b>",
        "a@b>",
        "A <a@b.example>",
        "a@b,c@d",
        "a..b@c",
        "é@b",
        "a@-b",
        "a\r\nRCPT TO:<x@y>@b",
        "a" * 65 + "@b.example",
        "a@" + "b" * 260,
    ],
)
def test_a_malformed_address_is_never_set_right(address: str) -> None:
    assert not is_mail_address(address)


@pytest.mark.parametrize("address", ["a@b.example", "o'neil+x.y@mail-1.b.example", "umpire@localhost"])
def test_addresses_that_are_sent_as_they_stand(address: str) -> None:
    assert is_mail_address(address)


def test_leaving_in_the_middle_closes_the_connection(surly: SurlyServer) -> None:
    async def broken() -> None:
        async with SmtpClient(where(surly)) as service:
            await service.send(Envelope(SENDER, ("a@mail.example",), BODY))
            raise KeyError

    with pytest.raises(KeyError):
        asyncio.run(broken())
    assert 1 == len(surly.taken)


def test_tries_grow_rarer_and_end() -> None:
    waits = [next_try(number, Retry("451"), "<a@b>") for number in range(1, MOST_ATTEMPTS + 2)]
    assert [None, None] == waits[-2:]
    known = [wait for wait in waits if wait is not None]
    assert timedelta(minutes=1) <= known[0] <= timedelta(seconds=72)
    assert all(timedelta(hours=4) <= wait <= timedelta(hours=4.8) for wait in known[7:])
    assert timedelta(days=2) < sum(known, timedelta()) < timedelta(days=5)


def test_a_letter_that_perhaps_arrived_is_sent_seldom_and_for_three_days() -> None:
    unknown = Retry("lost", perhaps_sent=True)
    waits = [next_try(number, unknown, "<a@b>") for number in range(1, MOST_UNKNOWN + 2)]
    known = [wait for wait in waits if wait is not None]
    assert [None, None] == waits[MOST_UNKNOWN - 1 :] and MOST_UNKNOWN - 1 == len(known)
    assert all(wait >= timedelta(hours=8) for wait in known[3:])
    assert timedelta(days=2) < sum(known, timedelta()) < timedelta(days=5)


def test_the_wait_is_the_same_for_all_workers_and_spread_over_letters() -> None:
    assert next_try(3, Retry("x"), "<a@b>") == next_try(3, Retry("y"), "<a@b>")
    assert 5 < len({next_try(3, Retry("x"), f"<{number}@b>") for number in range(10)})
