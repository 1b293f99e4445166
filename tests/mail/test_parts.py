"""Mail is divided as the standard library divides it, however broken it is."""

from __future__ import annotations

from email import message_from_bytes
from email.message import EmailMessage, Message
from email.policy import EmailPolicy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.mail.guard import inspect, normalize_line_ends
from pbem.mail.mime import BrokenMultipart, MimeSplitter, TooManyLevels, TooManyParts
from tests.mail.corpus import corpus
from tests.mail.hostile_forms import ALL_HOSTILE

POLICY = EmailPolicy(message_factory=EmailMessage)
MANY = 10_000
CORPUS = [normalize_line_ends(case.raw) for case in corpus()]
HARMLESS = [data for one in ALL_HOSTILE if not inspect(data := normalize_line_ends(one.make()))]
LINES = (
    *(b"--b", b"--b--", b"--c", b"--c--", b"--b ", b"--bb", b"", b"", b"text", b"A: b", b" folded", b"--"),
    *(b"Content-Type: multipart/mixed; boundary=b", b"Content-Type: multipart/digest; boundary=c"),
    *(b"Content-Type: message/rfc822", b"Content-Type: text/html", b"Content-Type: multipart/x"),
)


def shape(part: Message) -> Any:
    """Types, headers and contents, part by part, but for line ends at the end of a text."""
    payload: Any = part.get_payload()
    inner = [shape(one) for one in payload] if isinstance(payload, list) else payload.rstrip("\n")
    if part.get_content_type() == "message/delivery-status":
        inner = ""
    broken = part.get_content_maintype() == "multipart" and not isinstance(inner, list)
    cut = any(type(one).__name__ == "CloseBoundaryNotFoundDefect" for one in part.defects)
    return BrokenMultipart if broken else (part.get_content_type(), list(part.raw_items()), inner, cut)


def is_broken(found: Any) -> bool:
    return found is BrokenMultipart or (isinstance(found[2], list) and any(map(is_broken, found[2])))


def divided(data: bytes) -> Any:
    try:
        return shape(MimeSplitter(POLICY, MANY, 100).divide(data))
    except BrokenMultipart:
        return BrokenMultipart


def expected(data: bytes) -> Any:
    found = shape(message_from_bytes(data, policy=POLICY))
    return BrokenMultipart if is_broken(found) else found


@pytest.mark.parametrize("data", CORPUS + HARMLESS)
def test_divided_as_by_the_library(data: bytes) -> None:
    assert _told(divided, data) == _told(expected, data)


def _told(way: Any, data: bytes) -> Any:
    try:
        return way(data)
    except (IndexError, ValueError, TypeError, AttributeError) as failure:  # headers the library fails at
        return type(failure)


@settings(max_examples=400)
@given(st.lists(st.sampled_from(LINES), max_size=24))
def test_lines_in_any_order_are_divided_as_by_the_library(lines: list[bytes]) -> None:
    data = b"\n".join([b"Content-Type: multipart/mixed; boundary=b", b"", *lines])
    assert divided(data) == expected(data)


def test_a_line_from_somewhere_below_the_headers_is_text() -> None:
    assert ("text/html", [("Content-Type", "text/html")], "From x\n\ny", False) == divided(
        b"Content-Type: text/html\nFrom x\n\ny"
    )


def test_too_many_parts_are_not_counted_to_the_end() -> None:
    data = b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 4
    assert 4 == len(divided(data)[2])
    MimeSplitter(POLICY, 5, 2).divide(data)
    with pytest.raises(TooManyParts):
        MimeSplitter(POLICY, 4, 2).divide(data)
    with pytest.raises(TooManyLevels):
        MimeSplitter(POLICY, 5, 1).divide(data)
