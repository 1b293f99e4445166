"""Whatever the bytes are: a letter or a reason, never an exception, never more than the caps."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.mail.guard import MAX_PARTS, Quarantine, inspect, normalize_line_ends
from pbem.mail.headers import MAX_IDS, MAX_RECIPIENTS, MAX_VALUE
from pbem.mail.message import Letter, TextLine
from pbem.mail.mime import MAX_ATTACHMENTS, open_letter
from pbem.mail.quotes import classify_lines, marked_lines
from pbem.mail.text import MAX_LINE, MAX_TEXT_LINES, clean, decode, find_codec, unflow
from tests.mail.corpus import corpus

MAILS = [case.raw for case in corpus()]
NAMES = st.sampled_from(
    [
        b"From",
        b"To",
        b"Cc",
        b"Subject",
        b"Date",
        b"Message-ID",
        b"References",
        b"In-Reply-To",
        b"Return-Path",
        b"Content-Type",
        b"Content-Transfer-Encoding",
        b"Content-Disposition",
        b"Auto-Submitted",
        b"Precedence",
        b"Delivered-To",
        b"List-Id",
        b"content-type",
        b"X-Original-To",
        b"Content-ID",
        b"MIME-Version",
    ]
)
VALUES = st.sampled_from(
    [
        b"multipart/mixed; boundary=b",
        b"multipart/alternative; boundary=b",
        b"multipart/digest; boundary=b",
        b"multipart/report; report-type=delivery-status; boundary=b",
        b"message/rfc822",
        b"text/html",
        b"text/plain",
        b"text/plain; format=flowed; delsp=yes",
        b"text/plain; name*",
        b"text/plain; charset*=''x",
        b"a@b.example",
        b"attachment; filename*0*=x''%FF",
        b"attachment; filename=o.txt",
        b"base64",
        b"quoted-printable",
        b"x-uuencode",
        b"=?utf-8?q?=FF?= <a@b>",
        b'"a" <a@b',
        b"<>",
        b"<a@b> <c@d>",
        b"(((",
        b"=?",
        b"Mon, 16 Nov 2026 10:11:12 +0100",
    ]
)
LINES = st.sampled_from(
    [
        b"--b",
        b"--b--",
        b"",
        b"",
        b"> x",
        b">>> y",
        b"-- ",
        b"On 1 May 2026 at 10:00, X <a@b> wrote:",
        b"END",
        b"=",
        b"=3D",
        b"-----Original Message-----",
        b"From: a",
        b"Sent: b",
        b"To: c",
        b"Subject: d",
        b"##- end / fin -##",
        b"x \t",
        b"<div><blockquote>",
        b"</div>",
        b"<pre>",
        b"<table><td>",
        b"UkVBRFk=",
        b"\xff\xfe",
        b"\xe9t\xe9",
        b"Content-Type: text/html",
    ]
)


def header() -> st.SearchStrategy[bytes]:
    return st.tuples(NAMES, st.one_of(VALUES, st.binary(max_size=40))).map(b": ".join)


def mail() -> st.SearchStrategy[bytes]:
    """Something that looks like a mail and is built of what hurts."""
    return st.tuples(
        st.lists(header(), max_size=8),
        st.lists(st.one_of(LINES, header(), st.binary(max_size=30)), max_size=40),
    ).map(lambda found: b"\r\n".join([*found[0], b"", *found[1]]))


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A mail of the corpus, cut, doubled or overwritten somewhere."""
    raw = bytearray(draw(st.sampled_from(MAILS)))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(raw)))
        end = min(len(raw), start + draw(st.integers(0, 60)))
        raw[start:end] = draw(st.one_of(st.binary(max_size=20), LINES, st.just(bytes(raw[start:end]) * 2)))
    return bytes(raw)


def check(raw: bytes) -> None:
    found = open_letter(raw)
    if isinstance(found, Quarantine):
        return
    assert isinstance(found, Letter)
    for lines in (found.lines, *(file.lines for file in found.attachments)):
        assert len(lines) <= MAX_TEXT_LINES
        for line in lines:
            assert len(line.text) <= MAX_LINE
            assert line.quoted >= 0
            assert line.text == clean(line.text)
            assert not (line.role and line.quoted == 0)
    assert len(found.attachments) <= MAX_ATTACHMENTS
    assert len(found.unread) <= MAX_PARTS
    assert len(found.recipients) <= MAX_RECIPIENTS
    assert len(found.references) <= MAX_IDS
    assert len(found.subject) <= MAX_VALUE
    assert "\n" not in found.subject + found.sender + found.sender_name + found.message_id


@given(st.binary(max_size=3000))
@settings(max_examples=150)
def test_any_bytes(raw: bytes) -> None:
    check(raw)


@given(mail())
@settings(max_examples=400)
def test_anything_like_a_mail(raw: bytes) -> None:
    check(raw)


@given(damaged())
@settings(max_examples=300)
def test_damaged_mails(raw: bytes) -> None:
    check(raw)


@given(st.binary(max_size=2000))
@settings(max_examples=100)
def test_the_guard_never_raises(raw: bytes) -> None:
    found = inspect(normalize_line_ends(raw))
    assert found is None or isinstance(found, Quarantine)


@given(st.binary(max_size=400), st.text(max_size=20))
@settings(max_examples=200)
def test_any_bytes_in_any_charset(data: bytes, charset: str) -> None:
    assert isinstance(decode(data, charset), str)
    assert isinstance(decode(data, find_codec(charset) or "gb18030"), str)


@given(st.text(max_size=200))
@settings(max_examples=200)
def test_clean_lines_stay_clean(text: str) -> None:
    for line in text.splitlines():
        assert clean(clean(line)) == clean(line)
        assert not any(character in clean(line) for character in "\u200b\u200e\u202e\ufeff\u00a0\t\x1b\x00")


@given(st.lists(st.text(alphabet="> -ax", max_size=12), max_size=30), st.booleans())
@settings(max_examples=200)
def test_unflowing_loses_no_letter(lines: list[str], delete_space: bool) -> None:
    letters = "".join(line.text for line in unflow(lines, delete_space=delete_space))
    assert letters.count("a") == sum(line.count("a") for line in lines)
    assert letters.count("x") == sum(line.count("x") for line in lines)


TEXTS = st.lists(
    st.sampled_from(
        [
            "",
            "> x",
            ">> y",
            "a",
            "-- ",
            "--",
            "END",
            "On 1 May 2026 at 10:00, X <a@b.example> wrote:",
            "X wrote:",
            "-----Original Message-----",
            "From: a",
            "Sent: b",
            "To: c",
            "Subject: d",
            "##- end / fin -##",
            "##- A-1: write above this line / écrivez au-dessus -##",
            "Sent from my iPhone",
            "________________",
            "On <",
        ]
    ),
    max_size=25,
)


@given(TEXTS)
@settings(max_examples=400)
def test_telling_lines_apart_loses_none(texts: list[str]) -> None:
    marked = marked_lines(texts)
    told = classify_lines(marked)
    assert [line.text for line in told] == [line.text for line in marked]
    assert all(after.quoted >= before.quoted for before, after in zip(marked, told, strict=True))
    assert all(isinstance(line, TextLine) for line in told)


@given(st.lists(st.sampled_from(["", "attack Paris", "reserve 2", "END", "ready", "hello,"]), max_size=12))
@settings(max_examples=100)
def test_plain_words_are_always_the_players_own(texts: list[str]) -> None:
    assert all(line.quoted == 0 for line in classify_lines(marked_lines(texts)))


@pytest.mark.parametrize("raw", MAILS[::9])
def test_every_prefix_of_a_mail(raw: bytes) -> None:
    for end in range(0, len(raw), max(1, len(raw) // 40)):
        check(raw[:end])
