"""The mailbox on a real Dovecot: nothing lost, nothing twice, whatever happens to the connection."""

from __future__ import annotations

import hmac
import json
import smtplib
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import pytest
from imapclient import IMAPClient

from pbem.mail.addresses import SeatAddresses
from pbem.mail.imap import (
    Destination,
    Folders,
    ImapMailbox,
    LoginRefused,
    Unreachable,
    pause_before_reconnecting,
)
from tests.mail.conftest import Notebook, account
from tests.mail.link import Link
from tests.servers import LOOPBACK, PASSWORD, TOKEN_KEY, Dovecot


def now() -> datetime:
    return datetime.now(UTC)


def raw(subject: str, to: str = "umpire@play.example", more: str = "") -> bytes:
    return f"From: jean@mail.example\r\nTo: {to}\r\nSubject: {subject}\r\n{more}\r\nORDERS\r\n".encode()


def deliver(server: Dovecot, to: str, *letters: bytes) -> None:
    """As a mail server does: by LMTP."""
    with smtplib.LMTP(LOOPBACK, server.lmtp) as lmtp:
        for letter in letters:
            lmtp.sendmail("jean@mail.example", [to], letter)


@pytest.fixture
def other(imap_server: Dovecot, addresses: SeatAddresses) -> Iterator[IMAPClient]:
    """Another mail program at the same mailbox."""
    client = IMAPClient(LOOPBACK, imap_server.imap, ssl=False)
    client.login(addresses.mailbox.partition("@")[0], PASSWORD)
    yield client
    client.logout()


def lies_in(other: IMAPClient, folder: str) -> int:
    return int(other.folder_status(folder, ["MESSAGES"])[b"MESSAGES"])


def subjects(notebook: Notebook) -> list[str]:
    return [
        line[9:].decode()
        for letter in notebook.letters
        for line in letter.split(b"\r\n")
        if line.startswith(b"Subject: ")
    ]


def test_letters_are_taken_in_then_moved_where_the_clerk_says(
    imap_server: Dovecot, inbox: ImapMailbox, notebook: Notebook, other: IMAPClient
) -> None:
    places: dict[bytes, Destination] = {b"one": "processed", b"two": "rejected", b"three": "quarantine"}
    notebook.decide = lambda letter: next(place for word, place in places.items() if word in letter)
    deliver(imap_server, notebook.addresses.mailbox, raw("one"), raw("two"), raw("three"))
    before = now() - timedelta(seconds=5)
    assert 3 == inbox.read()
    assert ["one", "two", "three"] == subjects(notebook)
    assert [1, 1, 1, 0] == [lies_in(other, name) for name in ("Processed", "Rejected", "Quarantine", "INBOX")]
    assert all(before < arrived <= now() and arrived.tzinfo is UTC for arrived in notebook.arrived)
    assert sorted(notebook.offered) == sorted(notebook.moved)


def test_the_reply_address_is_in_what_the_server_writes(
    imap_server: Dovecot, inbox: ImapMailbox, notebook: Notebook, addresses: SeatAddresses
) -> None:
    deliver(imap_server, addresses.reply_address("TTLM-7", "GE", 1, 2), raw("hidden", "undisclosed:;"))
    assert 1 == inbox.read()
    (letter,) = notebook.letters
    (claim,) = addresses.claims_in(letter)
    assert 2 == addresses.proven_window(claim, 1, 3)


def test_letters_another_program_has_read_are_taken_in_all_the_same(
    imap_server: Dovecot, inbox: ImapMailbox, notebook: Notebook, other: IMAPClient
) -> None:
    deliver(imap_server, notebook.addresses.mailbox, raw("seen"))
    other.select_folder("INBOX")
    other.add_flags(other.search("ALL"), [b"\\Seen"])
    other.unselect_folder()
    assert 1 == inbox.read()


def test_the_moment_to_which_all_is_read_is_before_the_last_look(
    imap_server: Dovecot, inbox: ImapMailbox, notebook: Notebook
) -> None:
    began = now()
    inbox.read()
    assert ["INBOX", "Junk"] == [mailbox for mailbox, _ in notebook.read]
    assert all(began <= moment <= now() for _, moment in notebook.read)
    notebook.decide = lambda letter: (_ for _ in ()).throw(KeyError("store"))
    deliver(imap_server, notebook.addresses.mailbox, raw("lost?"))
    with pytest.raises(KeyError):
        inbox.read()
    assert 2 == len(notebook.read)  # a letter nobody took in: not read to the end


def test_a_letter_that_cannot_be_taken_in_stays_and_stops_no_other(
    imap_server: Dovecot, inbox: ImapMailbox, notebook: Notebook, other: IMAPClient
) -> None:
    broken = True

    def decide(letter: bytes) -> Destination:
        if broken and b"bad" in letter:
            raise KeyError("store")
        return "processed"

    notebook.decide = decide
    deliver(imap_server, notebook.addresses.mailbox, raw("bad"), raw("good"))
    with pytest.raises(KeyError):
        inbox.read()
    assert (["good"], 1) == (subjects(notebook), lies_in(other, "INBOX"))
    broken = False
    assert 1 == inbox.read()
    assert ["good", "bad"] == subjects(notebook)


def test_a_crash_between_commit_and_move_offers_the_letter_again(
    imap_server: Dovecot, addresses: SeatAddresses, notebook: Notebook, other: IMAPClient
) -> None:
    deliver(imap_server, addresses.mailbox, raw("one"), raw("two"))
    with Link(imap_server.imap) as link:
        first = ImapMailbox(account(imap_server, addresses, link.port), Folders(), notebook, now)

        def cut(letter: bytes) -> Destination:
            if b"two" in letter:
                link.cut()
            return "processed"

        notebook.decide = cut
        with pytest.raises(Unreachable):
            first.read()
        assert not first.is_connected
        assert (2, []) == (len(notebook.letters), notebook.moved)
        notebook.decide = lambda letter: "processed"
        assert 2 == first.read()  # a new connection, and all that lies there
        first.close()
    assert ["one", "two"] == subjects(notebook)  # the same bytes: known
    assert (0, 2) == (lies_in(other, "INBOX"), lies_in(other, "Processed"))


def test_a_letter_left_lying_is_offered_once_and_put_away_later(
    imap_server: Dovecot, inbox: ImapMailbox, notebook: Notebook, other: IMAPClient
) -> None:
    notebook.decide = lambda letter: None
    deliver(imap_server, notebook.addresses.mailbox, raw("one"))
    assert (1, 0) == (inbox.read(), inbox.read())
    ((mailbox, uidvalidity, uid),) = notebook.offered
    assert not inbox.move(mailbox, uidvalidity + 1, [uid], "rejected")
    assert 1 == lies_in(other, "INBOX")
    assert inbox.move(mailbox, uidvalidity, [uid], "rejected")
    assert (0, 1) == (lies_in(other, "INBOX"), lies_in(other, "Rejected"))
    assert inbox.move(mailbox, uidvalidity, [uid], "rejected")  # gone already


def test_a_mailbox_made_anew_is_read_from_its_beginning(
    imap_server: Dovecot, inbox: ImapMailbox, notebook: Notebook, addresses: SeatAddresses
) -> None:
    notebook.decide = lambda letter: None
    deliver(imap_server, addresses.mailbox, raw("before"))
    inbox.read()
    inbox.close()
    maildir = imap_server.folder / "mail" / addresses.mailbox.partition("@")[0] / "Maildir"
    time.sleep(1.1)  # the new number comes from the clock's seconds
    for kept in [*maildir.glob("dovecot-uid*"), *maildir.glob("dovecot.index*")]:
        Path(kept).unlink()
    deliver(imap_server, addresses.mailbox, raw("after"))
    assert 2 == inbox.read()
    assert ["before", "after"] == subjects(notebook)
    assert 2 == len({uidvalidity for _, uidvalidity, _ in notebook.offered})


def test_junk_with_a_token_is_taken_in_and_other_junk_let_lie(
    imap_server: Dovecot, inbox: ImapMailbox, notebook: Notebook, other: IMAPClient, addresses: SeatAddresses
) -> None:
    token = addresses.reply_address("TTLM-7", "GE", 1, 2)
    stale = addresses.reply_address("TTLM-7", "GE", 9, 2)  # of a former holder
    answers = f"References: <x@y>\r\n {addresses.message_id('TTLM-7', 'GE', 'result', 1)}\r\n"
    letters = [
        raw("spam"),
        raw("token", token),
        raw("stale", stale),
        raw("answer", more=answers),
        raw("spam 2"),
    ]
    for letter in letters:
        other.append("Junk", letter)
    assert 2 == inbox.read()
    assert (["token", "answer"], 3) == (subjects(notebook), lies_in(other, "Junk"))
    other.append("Junk", raw("later", token))
    assert (1, 0) == (inbox.read(), inbox.read())
    glances = notebook.glanced_at
    assert (0, glances) == (inbox.read(), notebook.glanced_at)  # what was let lie is not looked at again
    assert 3 == lies_in(other, "Processed")


def test_junk_is_not_looked_at_when_it_is_not_wanted(
    imap_server: Dovecot, notebook: Notebook, other: IMAPClient, addresses: SeatAddresses
) -> None:
    other.append("Junk", raw("token", addresses.reply_address("TTLM-7", "GE", 1, 2)))
    quiet = ImapMailbox(account(imap_server, addresses), Folders(junk=None), notebook, now)
    assert 0 == quiet.read()
    quiet.close()


def test_many_letters_in_one_pass(imap_server: Dovecot, inbox: ImapMailbox, notebook: Notebook) -> None:
    letters = [raw(f"number {number}") for number in range(120)]
    deliver(imap_server, notebook.addresses.mailbox, *letters)
    assert 120 == inbox.read() == len(notebook.letters) == len(notebook.moved)


@pytest.fixture
def fetches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many letters each look at the server asked for."""
    found: list[int] = []
    fetch = IMAPClient.fetch

    def counted(client: IMAPClient, uids: list[int], parts: list[str]) -> Any:
        if any(part.startswith("BODY.PEEK[]") for part in parts):
            found.append(len(uids))
        return fetch(client, uids, parts)

    monkeypatch.setattr(IMAPClient, "fetch", counted)
    return found


def test_small_letters_are_fetched_together_and_large_ones_alone(
    imap_server: Dovecot,
    inbox: ImapMailbox,
    notebook: Notebook,
    fetches: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pbem.mail.imap.TOGETHER_BYTES", 6000)
    large = raw("large") + b"x\r\n" * 3000
    deliver(imap_server, notebook.addresses.mailbox, raw("a"), raw("b"), large, raw("c"))
    assert 4 == inbox.read()
    assert [2, 1, 1] == fetches and ["a", "b", "large", "c"] == subjects(notebook)


def test_after_a_fetch_that_failed_letters_are_fetched_one_by_one(
    imap_server: Dovecot,
    addresses: SeatAddresses,
    notebook: Notebook,
    fetches: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that the server cannot tell must not keep the others."""
    monkeypatch.setattr("pbem.mail.imap.TOGETHER", 10)
    with Link(imap_server.imap) as link:
        watched = ImapMailbox(account(imap_server, addresses, link.port), Folders(), notebook, now)
        deliver(imap_server, addresses.mailbox, *(raw(f"number {n}") for n in range(12)))

        def cut(letter: bytes) -> Destination:
            link.cut()
            return "processed"

        notebook.decide = cut
        with pytest.raises(Unreachable):
            watched.read()
        notebook.decide = lambda letter: "processed"
        assert 12 == watched.read() == len(notebook.letters)
        deliver(imap_server, addresses.mailbox, raw("later"), raw("at last"))
        assert 2 == watched.read()
        watched.close()
    assert [10, 2, *[1] * 12, 2] == fetches


def test_a_letter_too_large_is_cut_and_not_refused(
    imap_server: Dovecot, inbox: ImapMailbox, notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbem.mail.imap.LARGEST", 2000)
    deliver(imap_server, notebook.addresses.mailbox, raw("large") + b"x\r\n" * 5000)
    assert 1 == inbox.read()
    assert [2000] == [len(letter) for letter in notebook.letters]


# ------------------------------------------------------------------ waiting


def test_idle_ends_when_a_letter_comes(imap_server: Dovecot, inbox: ImapMailbox, notebook: Notebook) -> None:
    inbox.read()
    later = threading.Timer(0.3, deliver, (imap_server, notebook.addresses.mailbox, raw("now")))
    later.start()
    began = time.monotonic()
    assert inbox.wait(10)
    assert time.monotonic() - began < 5
    later.join()
    assert 1 == inbox.read()


def test_a_letter_between_look_and_wait_is_not_slept_over(
    imap_server: Dovecot, inbox: ImapMailbox, notebook: Notebook
) -> None:
    inbox.read()
    deliver(imap_server, notebook.addresses.mailbox, raw("now"))
    began = time.monotonic()
    assert inbox.wait(10)
    assert time.monotonic() - began < 2


def test_waiting_ends_and_the_connection_lives_on(
    inbox: ImapMailbox, notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wait is never longer than a silent connection lives, whatever was asked for."""
    monkeypatch.setattr("pbem.mail.imap.RENEW_SECONDS", 0.2)
    inbox.read()
    for _ in range(3):
        began = time.monotonic()
        assert not inbox.wait(30)
        assert time.monotonic() - began < 5
    assert inbox.is_connected and 0 == inbox.read()


def test_a_frozen_connection_is_given_up(
    imap_server: Dovecot, addresses: SeatAddresses, notebook: Notebook
) -> None:
    with Link(imap_server.imap) as link:
        frozen = ImapMailbox(account(imap_server, addresses, link.port), Folders(), notebook, now)
        frozen.read()
        link.freeze()
        began = time.monotonic()
        with pytest.raises(Unreachable):
            frozen.wait(0.2)
        assert time.monotonic() - began < 8 and not frozen.is_connected


def test_rounds_go_on_after_the_connection_is_lost(
    imap_server: Dovecot, addresses: SeatAddresses, notebook: Notebook
) -> None:
    pauses: list[float] = []
    with Link(imap_server.imap) as link:
        watched = ImapMailbox(
            account(imap_server, addresses, link.port), Folders(), notebook, now, pauses.append
        )
        rounds = watched.rounds(0.2)
        assert 0 == next(rounds).taken
        link.cut()
        deliver(imap_server, addresses.mailbox, raw("meanwhile"))
        found = list(islice(rounds, 2))
        watched.close()
    assert [True, False] == [bool(one.trouble) for one in found]
    assert (1, [1.0]) == (found[1].taken, pauses)
    assert ["meanwhile"] == subjects(notebook)


# ------------------------------------------------------------------ getting in


def test_a_wrong_password_is_told_and_tried_slowly(
    imap_server: Dovecot, addresses: SeatAddresses, notebook: Notebook
) -> None:
    pauses: list[float] = []
    wrong = replace(account(imap_server, addresses), password="guess")
    refused = ImapMailbox(wrong, Folders(), notebook, now, pauses.append)
    with pytest.raises(LoginRefused) as told:
        refused.connect()
    assert "guess" not in str(told.value) and "guess" not in repr(wrong)
    rounds = list(islice(refused.rounds(0.1), 2))
    assert [True, True] == [one.refused for one in rounds] and [60.0] == pauses


def test_nobody_at_home_is_no_refusal(
    imap_server: Dovecot, addresses: SeatAddresses, notebook: Notebook
) -> None:
    nobody = ImapMailbox(replace(account(imap_server, addresses), port=1), Folders(), notebook, now)
    with pytest.raises(Unreachable) as told:
        nobody.read()
    assert not isinstance(told.value, LoginRefused)


def test_pauses_grow_and_stay_bounded() -> None:
    lost, refused = Unreachable("x"), LoginRefused("x")
    assert [1, 2, 4, 8, 16, 32, 60, 60] == [pause_before_reconnecting(n, lost) for n in range(1, 9)]
    assert [60, 120, 240, 480, 900, 900] == [pause_before_reconnecting(n, refused) for n in range(1, 7)]
    assert 60 == pause_before_reconnecting(10**6, lost)


@pytest.mark.parametrize("security", ["tls", "starttls"])
def test_tls_with_a_certificate_that_is_trusted_and_one_that_is_not(
    imap_server: Dovecot, addresses: SeatAddresses, notebook: Notebook, security: Literal["tls", "starttls"]
) -> None:
    port = imap_server.imaps if security == "tls" else imap_server.imap
    sure = replace(account(imap_server, addresses, port), security=security, trusted=imap_server.trusted)
    safe = ImapMailbox(sure, Folders(), notebook, now)
    assert 0 == safe.read()
    safe.close()
    with pytest.raises(Unreachable, match="CERTIFICATE"):
        ImapMailbox(replace(sure, trusted=None), Folders(), notebook, now).read()


def _token(user: str, key: bytes) -> str:
    """A bearer token as an identity provider signs it (JWT, HS256)."""
    claims = {"sub": user, "exp": int(time.time()) + 60, "iat": int(time.time()) - 5}
    parts = [
        urlsafe_b64encode(json.dumps(one).encode()).rstrip(b"=")
        for one in ({"alg": "HS256", "typ": "JWT"}, claims)
    ]
    whole = b".".join(parts)
    return (whole + b"." + urlsafe_b64encode(hmac.digest(key, whole, sha256)).rstrip(b"=")).decode()


def test_a_bearer_token_lets_us_in_and_a_forged_one_does_not(
    imap_server: Dovecot, addresses: SeatAddresses, notebook: Notebook
) -> None:
    server = replace(account(imap_server, addresses), password="")
    good = ImapMailbox(
        replace(server, oauth2_token=lambda: _token(server.user, TOKEN_KEY)), Folders(), notebook, now
    )
    assert 0 == good.read()
    good.close()
    with pytest.raises(LoginRefused):
        ImapMailbox(
            replace(server, oauth2_token=lambda: _token(server.user, b"x")), Folders(), notebook, now
        ).read()
