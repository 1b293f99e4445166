"""Hostile mails end in quarantine for the right reason, or are read; none costs much time or memory."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from pbem.mail.guard import MAX_BYTES, Quarantine
from pbem.mail.html import MAX_HTML_NODES, MAX_HTML_TAGS, Room, TooDeep, lines_of
from pbem.mail.message import Letter
from pbem.mail.mime import open_letter
from pbem.mail.text import MAX_LINE, MAX_TEXT_LINES
from tests.mail.hostile import Hostile
from tests.mail.hostile_forms import ALL_HOSTILE as HOSTILE
from tests.mail.hostile_forms import EDITED, PART_CHOICE, RETURNED

SECONDS = 6.0  # a bar for a busy machine; without the guard several of these take minutes
MEGABYTES = 96


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda hostile: hostile.name)
def test_quarantined_or_read(hostile: Hostile) -> None:
    raw = hostile.make()
    started = time.process_time()
    found = open_letter(raw)
    assert time.process_time() - started < SECONDS
    if hostile.reason:
        assert isinstance(found, Quarantine)
        assert found.reason == hostile.reason
        assert len(found.detail) < 40
    else:
        assert isinstance(found, Letter)
        assert len(found.lines) <= MAX_TEXT_LINES
        assert all(len(line.text) <= MAX_LINE for line in found.lines)


def test_there_are_enough_kinds() -> None:
    assert len({one.name for one in HOSTILE}) == len(HOSTILE) >= 190
    assert len(PART_CHOICE) + len(EDITED) >= 30 and len(RETURNED) >= 40


@pytest.mark.parametrize(
    "name", ["wide table against tall table", "a hundred thousand short lines", "nesting"]
)
def test_memory_is_bounded(name: str) -> None:
    raw = next(hostile for hostile in HOSTILE if hostile.name == name).make()
    tracemalloc.start()
    try:
        open_letter(raw)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MEGABYTES * 1024 * 1024


def test_the_largest_mail_that_passes_is_read_in_time() -> None:
    line = b"QUJD" * 19 + b"\r\n"
    attachment = b"Content-Type: image/jpeg; name=a.jpg\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    head = (
        b"From: a@b.example\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nREADY\r\n--b\r\n"
    )
    raw = head + attachment + line * ((MAX_BYTES - 1000) // len(line)) + b"--b--\r\n"
    started = time.process_time()
    letter = open_letter(raw)
    assert time.process_time() - started < SECONDS
    assert isinstance(letter, Letter)
    assert [text.text for text in letter.lines] == ["READY"]
    assert letter.unread == ("a.jpg",)


def test_what_may_be_an_element_is_counted_in_comments_too() -> None:
    few, many = "<b>x</b>" * (MAX_HTML_NODES // 2), "<!-- < -->" * (MAX_HTML_TAGS // 2 + 1)
    assert ["x" * (MAX_HTML_NODES // 2)] == [line.text for line in lines_of(few)]
    with pytest.raises(TooDeep):
        lines_of(few + many)  # though the tree would be as small


def test_all_pages_of_a_letter_have_one_room() -> None:
    room = Room()
    lines_of("<b>x</b>" * (MAX_HTML_NODES // 2), room)
    assert 0 < room.nodes < MAX_HTML_NODES // 2 and room.tags == MAX_HTML_TAGS - 2 * (MAX_HTML_NODES // 2)
    with pytest.raises(TooDeep):
        lines_of("<b>x</b>" * (MAX_HTML_NODES // 2), room)


def test_all_texts_of_a_letter_have_one_room() -> None:
    found = open_letter(next(one for one in HOSTILE if one.name == "files without end").make())
    assert isinstance(found, Letter) and found.truncated
    assert MAX_TEXT_LINES < sum(len(one.lines) for one in found.attachments) <= MAX_TEXT_LINES + 500
