"""The mail server and the Redis that come with the service, with the clients everybody uses."""

from __future__ import annotations

import asyncio
import smtplib
import stat
import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import aiosmtplib
import pytest
import redis
from imapclient import IMAPClient
from imapclient.exceptions import LoginError

from pbem.embedded.accounts import Accounts, open_account, umpire_password
from pbem.mail.addresses import SeatAddresses
from pbem.mail.imap import Destination, FetchedLetter, Folders, ImapMailbox, ImapServer
from pbem.mail.message import Letter
from pbem.mail.mime import open_letter
from pbem.mail.smtp import Envelope, Sent, Suspended, send_letters
from tests.ops.conftest import HOST, Mail, embedded_mail
from tests.servers import LOOPBACK

BODY = "From: anna@pbem.example\r\nSubject: é\r\n\r\n.dot\r\nfin, été\r\n".encode()

BODY_ASCII = b"From: u@pbem.example\r\nSubject: x\r\n\r\nx\r\n"


def send(mail: Mail, to: str, body: bytes = BODY, **more: Any) -> None:
    words: dict[str, Any] = {"hostname": LOOPBACK, "port": mail.smtp, "start_tls": False}
    asyncio.run(aiosmtplib.send(body, recipients=[to], **{"sender": f"anna@{HOST}"} | words | more))


def test_a_letter_arrives_byte_for_byte_with_the_address_it_went_to(mail: Mail) -> None:
    before = datetime.now(UTC) - timedelta(seconds=1)
    send(mail, f"Umpire+FWW-1.DE.abc@{HOST}", username="anna", password="secret")
    client = mail.client()
    client.select_folder("INBOX")
    (uid,) = client.search("ALL")
    found = client.fetch([uid], ["INTERNALDATE", "BODY.PEEK[]"])[uid]
    trace, _, rest = found[b"BODY[]"].partition(b"From:")
    assert BODY == b"From:" + rest
    assert f"\r\nDelivered-To: Umpire+FWW-1.DE.abc@{HOST}\r\n".encode() in trace
    assert trace.startswith(b"Return-Path: <anna@pbem.example>\r\n")
    assert before.replace(microsecond=0) <= found[b"INTERNALDATE"] <= datetime.now(UTC)
    assert client.folder_exists("INBOX") and not client.folder_exists("Copies")
    client.create_folder("Copies")
    client.copy([uid], "Copies")
    client.move([uid], "Copies")
    client.select_folder("Copies")
    copies = client.fetch(client.search("ALL"), ["INTERNALDATE", "BODY.PEEK[]"]).values()
    told = [(one[b"BODY[]"], one[b"INTERNALDATE"]) for one in copies]
    assert [(found[b"BODY[]"], found[b"INTERNALDATE"])] * 2 == told
    client.logout()


def test_the_null_sender_is_written_as_one(mail: Mail) -> None:
    """As bounces and absence notes have it: such a letter is never answered."""
    with smtplib.SMTP(LOOPBACK, mail.smtp) as server:
        server.sendmail("", [f"umpire@{HOST}"], BODY_ASCII)
    client = mail.client()
    client.select_folder("INBOX")
    uid = client.search("ALL")[-1]
    found = client.fetch([uid], ["BODY.PEEK[]"])[uid][b"BODY[]"]
    client.logout()
    assert found.startswith(b"Return-Path: <>\r\n")
    opened = open_letter(found)
    assert isinstance(opened, Letter) and opened.automatic == "auto-reply"


def test_who_waits_hears_at_once(mail: Mail) -> None:
    client = mail.client("anna")
    client.select_folder("INBOX")
    client.idle()
    later = threading.Timer(0.2, send, (mail, f"anna@{HOST}"))
    later.start()
    told = client.idle_check(timeout=20)
    assert any(one[1:2] == (b"EXISTS",) for one in told)
    client.idle_done()
    client.logout()
    later.join()


def test_strangers_and_wrong_passwords_are_refused(mail: Mail) -> None:
    with pytest.raises(aiosmtplib.SMTPRecipientsRefused):
        send(mail, f"nobody@{HOST}")
    with pytest.raises(aiosmtplib.SMTPRecipientsRefused):
        send(mail, "anna@elsewhere.example")  # no relay
    with pytest.raises(aiosmtplib.SMTPAuthenticationError):
        send(mail, f"anna@{HOST}", username="anna", password="wrong")
    for name, password in (("anna", "wrong"), ("nobody", "secret"), ("umpire", "secret")):
        client = IMAPClient(LOOPBACK, mail.imap, ssl=False)
        with pytest.raises(LoginError):
            client.login(name, password)
        client.shutdown()


def test_accounts_are_opened_while_the_server_runs(mail: Mail) -> None:
    open_account(mail.folder, "Bruno", "secret")
    open_account(mail.folder, "clara@home.example", "secret")
    told = send_letters(
        mail.out,
        [Envelope(f"u@{HOST}", (f"bruno@{HOST}", "clara@home.example", "x@home.example"), BODY_ASCII)],
    )
    assert {"x@home.example"} == {name for name, one in told[0].items() if isinstance(one, Suspended)}
    assert 2 == sum(isinstance(one, Sent) for one in told[0].values())
    for name in ("bruno", f"bruno@{HOST}", "clara@home.example"):
        client = mail.client(name)
        assert 1 == client.select_folder("INBOX")[b"EXISTS"]
        client.logout()
    kept = (mail.folder / "accounts.json").read_text()
    assert "secret" not in kept and 0o600 == stat.S_IMODE((mail.folder / "accounts.json").stat().st_mode)


class MemoryStore:
    def __init__(self) -> None:
        self.taken: list[tuple[int, datetime]] = []
        self.gone: list[int] = []

    def store_letters(
        self, mailbox: str, uidvalidity: int, letters: Sequence[FetchedLetter]
    ) -> Sequence[Destination | None]:
        self.taken += [(one.uid, one.arrived) for one in letters]
        return ["processed" if b"now" in one.raw else None for one in letters]

    def is_ours(self, headers: bytes) -> bool:
        return True

    def mark_moved(self, mailbox: str, uidvalidity: int, uids: Sequence[int]) -> None:
        self.gone += uids

    def mark_read_to(self, mailbox: str, uidvalidity: int, began: datetime) -> None:
        self.uidvalidity = uidvalidity


def test_our_own_inbox_reads_waits_and_puts_away_also_after_a_restart(tmp_path: Path) -> None:
    letters = MemoryStore()
    addresses = SeatAddresses(b"k" * 16, f"umpire@{HOST}")
    with embedded_mail(tmp_path) as mail:
        send(mail, addresses.mailbox, BODY_ASCII.replace(b"Subject: x", b"Subject: now"))
        send(mail, addresses.mailbox, BODY_ASCII)
        first = _read(mail, letters)
        assert 2 == len(letters.taken) and 1 == len(letters.gone)
    with embedded_mail(tmp_path) as mail:
        again = MemoryStore()
        assert first == _read(mail, again)  # the same mailbox
        assert [one for one in letters.taken if one[0] not in letters.gone] == again.taken


def _read(mail: Mail, letters: MemoryStore) -> int:
    server = ImapServer(LOOPBACK, "umpire", umpire_password(mail.folder), mail.imap, "none")
    inbox = ImapMailbox(server, Folders(), letters, lambda: datetime.now(UTC))
    inbox.read()
    assert not inbox.wait(0.1)
    inbox.close()
    return letters.uidvalidity


def test_an_account_belongs_to_one_host(tmp_path: Path) -> None:
    open_account(tmp_path, "anna", "secret")
    accounts = Accounts(tmp_path, HOST)
    assert "anna" == accounts.owner(f"ANNA+x.y@{HOST.upper()}")
    assert accounts.owner("anna@other.example") is None and accounts.owner("anna") is None
    assert accounts.may_login(f"anna@{HOST}", "secret") and not accounts.may_login("anna", "Secret")


def test_redis_listens_on_a_socket_that_is_ours_alone(redis_socket: Path) -> None:
    assert 0o600 == stat.S_IMODE(redis_socket.stat().st_mode)
    client = redis.Redis(unix_socket_path=str(redis_socket))
    assert client.ping() and "" == client.config_get("save")["save"]
    assert "0" == client.config_get("port")["port"]
    client.close()
