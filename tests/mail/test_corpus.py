"""Every mail of the corpus: the player's own lines, no more and no less, and the quoted ones beside them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pbem.mail.message import Letter
from pbem.mail.mime import open_letter
from tests.mail.corpus import Case, corpus
from tests.mail.replies import UMPIRE, visible

CASES = corpus()


def opened(raw: bytes) -> Letter:
    letter = open_letter(raw)
    assert isinstance(letter, Letter), letter
    return letter


def own(letter: Letter) -> tuple[str, ...]:
    return visible(line.text for line in letter.lines if line.quoted == 0)


def quoted(letter: Letter) -> tuple[str, ...]:
    return visible(line.text for line in letter.lines if line.quoted and not line.role)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_own_and_quoted_lines(case: Case) -> None:
    letter = opened(case.raw)
    assert own(letter) == case.own
    assert quoted(letter) == case.quoted
    assert not letter.truncated
    assert letter.automatic == ""


def test_the_corpus_is_large_and_varied() -> None:
    assert len(CASES) >= 150
    assert len({case.program for case in CASES}) >= 12
    assert len({case.name for case in CASES}) == len(CASES)


def test_headers_are_read() -> None:
    letter = opened(CASES[0].raw)
    address = UMPIRE.partition("<")[2].rstrip(">")
    assert (letter.sender, letter.sender_name) == ("player@example.net", "John Mills")
    assert letter.recipients == letter.delivered_to == (address,)
    assert letter.message_id == "<reply.1@example.net>"
    assert letter.in_reply_to == ("<letter.4@example.org>",)
    assert letter.references == ("<letter.3@example.org>", "<letter.4@example.org>")
    assert letter.date == datetime(2026, 11, 16, 9, 11, 12, tzinfo=UTC)
    assert letter.subject == "Re: [FWW-3] Autumn 1914"
