"""Every cap of the guard: what lies on it passes, what lies above has its reason."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbem.mail import guard
from pbem.mail.guard import Quarantine, inspect, normalize_line_ends
from pbem.mail.message import Letter
from pbem.mail.mime import open_letter

TOP = b"From: a@b.example\n"


def reason(data: bytes) -> str:
    found = inspect(data)
    return found.reason if isinstance(found, Quarantine) else ""


def containers(count: int) -> bytes:
    return (
        TOP + b"\n" + b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n" % n for n in range(count))
    )


def parts(count: int) -> bytes:
    return TOP + b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * count


def part_header(length: int) -> bytes:
    inner = b"--b\nX-A: " + b"x" * (length - 1) + b"\n\nx\n"
    return TOP + b"Content-Type: multipart/mixed; boundary=b\n\n" + inner


def inner_mail(count: int) -> bytes:
    """A mail in a part: its headers stand below those of the part."""
    inner = b"--b\nContent-Type: message/rfc822\n\n" + b"X-A: b\n" * count + b"\nx\n"
    return TOP + b"Content-Type: multipart/mixed; boundary=b\n\n" + inner


def content_headers(length: int) -> bytes:
    rows, rest = divmod(length, 1000)
    row = b"Content-Description: "
    return TOP + b"\n" + (row.ljust(1000, b"x") + b"\n\n") * rows + row.ljust(rest, b"x")


def content_type(length: int) -> bytes:
    head = b"Content-Type: text/plain; x="
    return TOP + head + b"y" * (length - len(head)) + b"\n\nx\n"


CAPS: tuple[tuple[str, int, Callable[[int], bytes], str], ...] = (
    ("bytes", guard.MAX_READ, lambda n: (TOP + b"\n").ljust(n, b"x"), "too-big"),
    ("lines", guard.MAX_LINES, lambda n: TOP + b"\nx" + b"\n" * (n - 2), "too-many-lines"),
    ("headers", guard.MAX_HEADERS, lambda n: b"X-A: b\n" * n + b"\nx", "too-many-headers"),
    ("header", guard.MAX_HEADER, lambda n: b"X-A:" + b"x" * n + b"\n\nx", "header-too-long"),
    (
        "folded header",
        guard.MAX_HEADER,
        lambda n: b"X-A:" + b"\n " * (n // 2) + b"x" * (n % 2) + b"\n\nx",
        "header-too-long",
    ),
    ("subject", guard.MAX_SUBJECT, lambda n: b"Subject:" + b"x" * n + b"\n\nx", "header-too-long"),
    ("FROM in capitals", guard.MAX_FROM, lambda n: b"FROM:" + b"x" * n + b"\n\nx", "header-too-long"),
    (
        "parameters",
        guard.MAX_PARAMETERS,
        lambda n: b"Content-Type: a/b" + b"; a=b" * n + b"\n\nx",
        "header-too-long",
    ),
    ("all content headers", guard.MAX_CONTENT_BYTES, content_headers, "headers-too-long"),
    ("content type", guard.MAX_CONTENT_HEADER, content_type, "header-too-long"),
    ("containers", guard.MAX_CONTAINERS, containers, "too-deep"),
    ("parts", guard.MAX_PARTS, parts, "too-many-parts"),
    ("dashed lines", guard.MAX_DASHED_LINES, lambda n: TOP + b"\n" + b"--\n" * n, "too-many-parts"),
    ("header of a part", guard.MAX_HEADER, part_header, "header-too-long"),
    ("headers of a mail inside", guard.MAX_HEADERS, inner_mail, "too-many-headers"),
    (
        "boundary",
        guard.MAX_BOUNDARY,
        lambda n: TOP + b"Content-Type: multipart/mixed; boundary=" + b"b" * n + b"\n\nx",
        "bad-boundary",
    ),
)


@pytest.mark.parametrize(("name", "cap", "make", "above"), CAPS, ids=[cap[0] for cap in CAPS])
def test_caps(name: str, cap: int, make: Callable[[int], bytes], above: str) -> None:
    assert reason(make(cap)) == ""
    assert reason(make(cap + 1)) == above


def test_a_block_of_headers() -> None:
    one = b"X-A: " + b"x" * 20_000 + b"\n"
    assert reason(one * 9 + b"\nx") == ""
    assert reason(one * 10 + b"\nx") == "headers-too-long"


@pytest.mark.parametrize(
    "value",
    [
        b"multipart/mixed; boundary=a; boundary=b",
        b"multipart/mixed; BOUNDARY=a;\n\tBoundary=b",
        b"multipart/mixed; boundary*=us-ascii''a",
        b"multipart/mixed; boundary*0=a; boundary*1=b",
        b"multipart/mixed; boundary\n *0=a",
        b'multipart/mixed; boundary=""',
        b'multipart/mixed; boundary=" "',
        b"multipart/mixed; boundary=",
        b'multipart/mixed; boundary="a\x00b"',
        b'multipart/mixed; boundary="a\xffb"',
    ],
)
def test_boundaries_that_can_be_read_in_two_ways(value: bytes) -> None:
    assert reason(TOP + b"Content-Type: " + value + b"\n\nx") == "bad-boundary"


@pytest.mark.parametrize(
    "value",
    [
        b"multipart/mixed; boundary=a",
        b'multipart/mixed;\n boundary="----=_NextPart_000_0012_01D7.ABC"',
        b'multipart/alternative; boundary="=_a b\'()+_,-./:=?"',
        b"multipart/related; boundary=Apple-Mail=_1A-2; type=text/html",
        b"text/plain; charset=utf-8",
    ],
)
def test_boundaries_of_real_programs(value: bytes) -> None:
    assert reason(TOP + b"Content-Type: " + value + b"\n\nx") == ""


def test_line_ends() -> None:
    assert normalize_line_ends(b"a\r\nb\rc\nd\r\r\ne") == b"a\nb\nc\nd\n\ne"


def test_details_hold_nothing_of_the_mail() -> None:
    found = inspect(b"Subject: " + b"secret " * 2000 + b"\n\nx")
    assert found == Quarantine("header-too-long", "14001")


BASE64_LINE = b"QUJD" * 19 + b"\r\n"
MIXED = TOP + b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nREADY\r\n"


def a_part(kind: bytes, content: bytes, boundary: bytes = b"b") -> bytes:
    head = b"--" + boundary + b"\r\nX-Mark: 1\r\ncontent-type: " + kind + b"\r\n\r\n"
    return head + content + b"\r\n"


@pytest.mark.parametrize(
    "kind", [b"image/jpeg", b"Video/mp4; name=x", b"application/pdf", b"application/zip"]
)
def test_of_parts_that_nobody_reads_the_beginning_is_left(kind: bytes) -> None:
    raw = MIXED + a_part(kind, BASE64_LINE * 3_000) + a_part(b"text/plain", b"WAIT") + b"--b--\r\n"
    kept = guard.cut_pictures(raw)
    assert len(kept) < guard.KEPT_OF_PICTURES + 500
    assert kept.startswith(MIXED) and kept.endswith(a_part(b"text/plain", b"WAIT") + b"--b--\r\n")


@pytest.mark.parametrize(
    "kind", [b"text/plain", b"text/html", b"application/octet-stream; name=a.txt", b"message/rfc822"]
)
def test_texts_are_left_as_they_are(kind: bytes) -> None:
    raw = MIXED + a_part(kind, BASE64_LINE * 3_000) + b"--b--\r\n"
    assert raw == guard.cut_pictures(raw)


def test_of_a_file_in_base64_more_is_left_than_is_read_of_one() -> None:
    raw = MIXED + a_part(b"application/octet-stream", BASE64_LINE * 20_000) + b"--b--\r\n"
    assert guard.KEPT_OF_FILES < len(guard.cut_pictures(raw)) < guard.KEPT_OF_FILES + 500
    text = MIXED + a_part(b"text/plain", b"a word, and one\r\n" * 60_000) + b"--b--\r\n"
    assert text == guard.cut_pictures(text)


def test_a_picture_below_a_boundary_that_nobody_declared_is_text() -> None:
    raw = TOP + b"\r\n" + a_part(b"image/png", BASE64_LINE * 300, b"pasted") + b"C1: PASS\r\n"
    assert raw == guard.cut_pictures(raw)


def test_four_photographs_of_a_phone_may_come_with_orders() -> None:
    photograph = a_part(b"image/jpeg; name=a.jpg", BASE64_LINE * 13_000)
    raw = MIXED + photograph * 4 + b"--b--\r\n"
    assert guard.MAX_READ < len(raw) < guard.MAX_BYTES
    letter = open_letter(raw)
    assert isinstance(letter, Letter)
    assert ["READY"] == [line.text for line in letter.lines] and 4 == len(letter.unread)
