"""Mail that nobody wrote, and mail that only looks like it."""

from __future__ import annotations

import pytest

from pbem.mail.message import Letter
from pbem.mail.mime import open_letter

BODY = b"\r\nREADY\r\n"
REPORT = (
    b'Content-Type: multipart/report; report-type=delivery-status; boundary="r"\r\n\r\n'
    b"--r\r\n\r\nSorry.\r\n--r\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\n"
    b"Final-Recipient: rfc822; a@b.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n--r\r\n"
    b"Content-Type: message/rfc822\r\n\r\nSubject: ours\r\n\r\nattack Paris\r\n--r--\r\n"
)
MIXED_REPORT = REPORT.replace(b"multipart/report; report-type=delivery-status", b"multipart/mixed")
READ_RECEIPT = REPORT.replace(b"delivery-status", b"disposition-notification")


def kind(raw: bytes) -> str:
    letter = open_letter(
        b"Subject: Re: [FWW-3]\r\n" + raw if b"Subject:" not in raw[:400] else raw,
        own={"umpire@host.example"},
    )
    assert isinstance(letter, Letter), letter
    return letter.automatic


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"From: MAILER-DAEMON@x.example\r\n" + REPORT, "bounce"),
        (b"From: someone@x.example\r\n" + REPORT, "bounce"),
        (b"Return-Path: <>\r\nFrom: a@x.example\r\n" + MIXED_REPORT, "bounce"),
        (b"From: a@x.example\r\nX-Failed-Recipients: b@c.example\r\n" + BODY, "bounce"),
        (b"Return-Path: <>\r\nFrom: MAILER-DAEMON@x.example\r\nSubject: failure notice\r\n" + BODY, "bounce"),
        (b"From: Mail Delivery System <MAILER-DAEMON>\r\nSubject: Undelivered Mail\r\n" + BODY, "bounce"),
        (b"Return-Path: <>\r\nFrom: a@b.example\r\nSubject: Unzustellbar: FWW\r\n" + BODY, "bounce"),
        (b"From: postmaster@x.example\r\nSubject: Undeliverable: FWW\r\n" + BODY, "bounce"),
        (b"From: a@b.example\r\nAuto-Submitted: auto-replied\r\n" + BODY, "auto-reply"),
        (b"From: a@b.example\r\nAuto-Submitted: auto-replied; owner-email=x\r\n" + BODY, "auto-reply"),
        (b"From: a@b.example\r\nauto-submitted: Auto-Generated\r\n" + BODY, "auto-reply"),
        (b"From: a@b.example\r\nAuto-Submitted: no\r\nAuto-Submitted: auto-replied\r\n" + BODY, "auto-reply"),
        (b"Return-Path: <<>>\r\nFrom: a@b.example\r\n" + BODY, "auto-reply"),
        (b"From: a@b.example\r\nX-Autoreply: yes\r\n" + BODY, "auto-reply"),
        (b"From: a@b.example\r\nPrecedence: auto_reply\r\n" + BODY, "auto-reply"),
        (b"From: a@b.example\r\nPrecedence: junk\r\n" + BODY, "auto-reply"),
        (b"Return-Path: <>\r\nFrom: a@b.example\r\n" + BODY, "auto-reply"),
        (b"From: a@b.example\r\nSubject: Automatic reply: [FWW-3]\r\n" + BODY, "auto-reply"),
        (
            b"From: a@b.example\r\nSubject: =?utf-8?q?R=C3=A9ponse_automatique_=3A?= x\r\n" + BODY,
            "auto-reply",
        ),
        (b"From: a@b.example\r\nSubject: Abwesenheitsnotiz: x\r\n" + BODY, "auto-reply"),
        (b"From: a@b.example\r\n" + READ_RECEIPT, "auto-reply"),
        (b"From: a@b.example\r\nContent-Type: text/calendar; method=REPLY\r\n" + BODY, "auto-reply"),
        (b"From: a@b.example\r\nList-Id: <x.example>\r\n" + BODY, "list"),
        (b"From: a@b.example\r\nList-Help: <https://x.example>\r\n" + BODY, "list"),
        (b"From: a@b.example\r\nList-Owner: <mailto:x@y.example>\r\n" + BODY, "list"),
        (b"From: a@b.example\r\nList-Id:\r\nList-Id: <x.example>\r\n" + BODY, "list"),
        (b"From: a@b.example\r\nPrecedence: bulk\r\n" + BODY, "list"),
        (b"From: a@b.example\r\nPrecedence: List\r\n" + BODY, "list"),
        (b"From: a@b.example\r\nList-Unsubscribe: <mailto:x@y.example>\r\n" + BODY, "list"),
        (b"From: Umpire <umpire+fww-3.fr.abc@host.example>\r\n" + BODY, "own"),
        (b"From: UMPIRE@host.example\r\nAuto-Submitted: auto-generated\r\n" + BODY, "own"),
    ],
)
def test_automatic_mail(raw: bytes, expected: str) -> None:
    assert kind(raw) == expected


@pytest.mark.parametrize(
    "raw",
    [
        b"From: a@b.example\r\n" + BODY,
        b"From: a@b.example\r\nAuto-Submitted: no\r\n" + BODY,
        b"From: a@b.example\r\nX-Auto-Response-Suppress: DR, OOF, AutoReply\r\n" + BODY,
        b"From: a@b.example\r\nPrecedence: normal\r\n" + BODY,
        b"From: a@b.example\r\nPrecedence: first-class\r\n" + BODY,
        b"Return-Path: <a@b.example>\r\nReturn-Path: <>\r\nFrom: a@b.example\r\n" + BODY,
        b"From: postmaster@x.example\r\n" + BODY,
        b"From: a@b.example\r\nSubject: Re: Automatic reply: what was that?\r\n" + BODY,
        b"From: a@b.example\r\nSubject: undelivered reinforcements\r\n" + BODY,
        b"From: a@b.example\r\nDisposition-Notification-To: a@b.example\r\n" + BODY,
        b"From: umpire@other.example\r\n" + BODY,
        b"From: a@b.example\r\n" + MIXED_REPORT,
    ],
)
def test_letters_that_somebody_wrote(raw: bytes) -> None:
    assert kind(raw) == ""


def test_a_report_says_nothing_of_its_own() -> None:
    letter = open_letter(b"From: MAILER-DAEMON@x.example\r\n" + REPORT)
    assert isinstance(letter, Letter)
    assert [line.text for line in letter.lines if line.text] == ["Sorry."]
    assert [line.quoted for line in letter.attachments[0].lines] == [1]
