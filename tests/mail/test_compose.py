"""The bytes of our letters, read back with the parser of the standard library."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.mail.addresses import SeatAddresses
from pbem.mail.compose import (
    Correspondent,
    Draft,
    Enclosure,
    MailingList,
    Picture,
    Thread,
    compose,
    content_id,
)

ADDRESSES = SeatAddresses(b"0123456789abcdef", "umpire@play.example")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 3
TEXT = "##- TTLM-7: écrivez au-dessus -##\n\nFrom Paris  \n.\n..\n" + "x" * 200 + "\n=3D Verdun – ok\n\n\n"
REPLY_TO = ADDRESSES.reply_address("TTLM-7", "entente", 1, 4)

DRAFT = Draft(
    message_id=ADDRESSES.message_id("TTLM-7", "entente", "result", 4),
    sender=Correspondent("umpire@play.example", 'Umpire "TTLM-7"'),
    reply_to=REPLY_TO,
    recipient=Correspondent("jean@mail.example", "Jean-François Müller"),
    subject="[TTLM-7] Automne 1914 – Entente : vos ordres avant le 24 nov. 20 h 00 CET, " + "é" * 60,
    date=datetime(2026, 11, 16, 20, 0, tzinfo=UTC),
    text=TEXT,
    html='<p>Verdun – ok</p><img src="cid:map.png" alt="">',
    pictures=(Picture("map.png", PNG),),
    enclosures=(
        Enclosure("deadline.ics", "text/calendar", b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"),
        Enclosure("audit.json", "application/json", b'{"a":1}'),
        Enclosure("verify_dice.txt", "text/plain", b"# a program\n"),
    ),
    thread=Thread("<reply.1@mail.example>", (ADDRESSES.message_id("TTLM-7", "entente", "invitation", 1),)),
    campaign=MailingList("ttlm-7.play.example", "To the Last Man – TTLM-7", REPLY_TO),
)


def opened(raw: bytes) -> EmailMessage:
    message = message_from_bytes(raw, policy=policy.default)
    assert isinstance(message, EmailMessage)
    assert [] == [defect for part in message.walk() for defect in part.defects]
    return message


def test_text_first_then_html_with_its_picture_then_the_files() -> None:
    message = opened(compose(DRAFT))
    assert [
        "multipart/mixed",
        "multipart/alternative",
        "text/plain",
        "multipart/related",
        "text/html",
        "image/png",
        "text/calendar",
        "application/json",
        "text/plain",
    ] == [part.get_content_type() for part in message.walk()]
    names = [part.get_filename() for part in message.iter_attachments()]
    assert ["deadline.ics", "audit.json", "verify_dice.txt"] == names
    contents = [part.get_payload(decode=True) for part in message.iter_attachments()]
    assert [one.content for one in DRAFT.enclosures] == contents


def test_the_text_arrives_as_it_was_set_but_for_trailing_blanks() -> None:
    body = opened(compose(DRAFT)).get_body(("plain",))
    assert body is not None
    assert TEXT.replace("Paris  ", "Paris").rstrip("\n") + "\n" == body.get_content().replace("\r\n", "\n")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=300))
def test_any_text_arrives(text: str) -> None:
    raw = compose(replace(DRAFT, text=text, html=None, pictures=(), enclosures=()))
    expected = "\n".join(line.rstrip(" \t") for line in text.split("\n")).rstrip("\n")
    payload = opened(raw).get_payload(decode=True)
    assert isinstance(payload, bytes)
    assert expected == payload.decode("utf-8").replace("\r\n", "\n").rstrip("\n")
    assert raw.isascii() and all(len(line) <= 120 for line in raw.split(b"\r\n"))


def test_the_picture_is_the_one_the_html_names() -> None:
    message = opened(compose(DRAFT))
    cid = content_id(DRAFT.message_id, "map.png")
    (picture,) = [part for part in message.walk() if part.get_content_type() == "image/png"]
    html = message.get_body(("html",))
    assert html is not None and f'src="cid:{cid}"' in html.get_content()
    assert f"<{cid}>" == picture["Content-ID"] and PNG == picture.get_payload(decode=True)
    assert "inline" == picture.get_content_disposition()


def test_headers_of_a_letter() -> None:
    message = opened(compose(DRAFT))
    assert DRAFT.subject == message["Subject"]
    assert DRAFT.message_id == message["Message-ID"]
    assert REPLY_TO == message["Reply-To"].addresses[0].addr_spec
    (writer,), (reader,) = message["From"].addresses, message["To"].addresses
    assert ('Umpire "TTLM-7"', "umpire@play.example") == (writer.display_name, writer.addr_spec)
    assert ("Jean-François Müller", "jean@mail.example") == (reader.display_name, reader.addr_spec)
    assert "<reply.1@mail.example>" == message["In-Reply-To"]
    assert [*DRAFT.thread.before, "<reply.1@mail.example>"] == message["References"].split()
    assert "auto-generated" == message["Auto-Submitted"]
    assert f"<mailto:{REPLY_TO}?subject=STOP>" == message["List-Unsubscribe"]
    assert message["List-Id"].endswith("<ttlm-7.play.example>")
    assert DRAFT.date == message["Date"].datetime
    assert message["List-Post"] is None and message["Sender"] is None


def test_no_encoded_word_stands_where_an_address_or_an_id_stands() -> None:
    head = compose(DRAFT).partition(b"\r\n\r\n")[0].replace(b"\r\n ", b" ").split(b"\r\n")
    for line in head:
        name, _, value = line.partition(b":")
        if name in (b"From", b"To", b"List-Id"):
            value = value[value.rindex(b"<") :]
        assert name == b"Subject" or b"=?" not in value, line


def test_the_same_draft_makes_the_same_bytes_and_another_letter_other_boundaries() -> None:
    assert compose(DRAFT) == compose(replace(DRAFT))
    other = replace(DRAFT, message_id=ADDRESSES.message_id("TTLM-7", "entente", "result", 5))
    first, second = (opened(compose(one)).get_boundary() for one in (DRAFT, other))
    assert first != second


@settings(max_examples=40)
@given(st.text(max_size=120), st.text(max_size=120))
def test_no_name_or_subject_makes_a_header_of_its_own(name: str, subject: str) -> None:
    clean = name.encode("utf-8", "ignore").decode()
    topic = subject.encode("utf-8", "ignore").decode()
    letter = replace(DRAFT, recipient=Correspondent("a@b.example", clean), subject=topic)
    message = opened(compose(letter))
    expected = opened(compose(DRAFT)).keys()
    assert sorted(expected) == sorted(message.keys())
    assert ["a@b.example"] == [one.addr_spec for one in message["To"].addresses]


@pytest.mark.parametrize("inserted", ["x\r\nBcc: all@b.example", "x\nBcc: y", "x\rBcc: y", "x\u2028Bcc: y"])
def test_a_line_end_in_a_subject_is_a_blank(inserted: str) -> None:
    message = opened(compose(replace(DRAFT, subject=inserted)))
    assert message["Bcc"] is None and message["Subject"].startswith("x Bcc:")


@pytest.mark.parametrize("hostile", ["<=?utf-8?q?x?=@y>", "<a b@c>", "<é@c>", "<" + "a" * 300 + "@b>", "a@b"])
def test_an_id_that_would_be_mangled_is_not_repeated(hostile: str) -> None:
    message = opened(compose(replace(DRAFT, thread=Thread(hostile, DRAFT.thread.before))))
    assert DRAFT.thread.before[0] == message["In-Reply-To"] == message["References"]


def test_a_long_thread_keeps_its_first_and_latest_letters() -> None:
    before = tuple(f"<{number}@mail.example>" for number in range(40))
    references = opened(compose(replace(DRAFT, thread=Thread("<new@x>", before))))["References"].split()
    assert 10 == len(references) and "<0@mail.example>" == references[0]
    assert ["<39@mail.example>", "<new@x>"] == references[-2:]


@pytest.mark.parametrize(
    "wrong",
    [
        {"message_id": "<a\r\nb@c>"},
        {"reply_to": "a@b.example\r\nBcc: c@d"},
        {"recipient": Correspondent("é@b.example")},
        {"sender": Correspondent("a@b.example, c@d.example")},
        {"date": datetime(2026, 1, 1)},
        {"html": None},
        {"html": "<p>no picture</p>"},
        {"enclosures": (Enclosure("verify_dice.py", "text/plain", b""),)},
        {"enclosures": (Enclosure('a".txt', "text/plain", b""),)},
        {"enclosures": (Enclosure("a.txt", "text/plain\r\nX: y", b""),)},
        {"campaign": MailingList("no list", "x", REPLY_TO)},
    ],
)
def test_our_own_mistakes_are_not_sent(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        compose(replace(DRAFT, **wrong))


def test_a_plain_letter_is_one_part() -> None:
    plain = replace(DRAFT, html=None, pictures=(), enclosures=(), thread=Thread(), campaign=None)
    message = opened(compose(plain))
    assert "text/plain" == message.get_content_type() and not message.is_multipart()
    assert message["References"] is None and message["In-Reply-To"] is None
