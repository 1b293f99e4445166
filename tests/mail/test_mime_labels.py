"""Labels that are not signed are believed where the text itself says the same."""

from __future__ import annotations

import time

import pytest

from pbem.mail.mime_labels import LABELS, TYPE, labels_fit
from tests.providers import FORMS

TEXT = (
    "ORDERS FWW-1 T1.R\r\nC1: ATTACK 3\r\nEND\r\n"
    + "Meet me at dawn, and bring your guns along. " * 4
    + "\r\n"
)
PLAIN, QUOTED, FLOWED = 0, 1, 4


def labels_of(head: str) -> dict[str, str]:
    lines = head.replace("\r\n ", " ").split("\r\n")
    return {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


@pytest.mark.parametrize("own", range(len(FORMS)))
@pytest.mark.parametrize("other", range(len(FORMS)))
def test_a_text_goes_with_its_own_labels_only(own: int, other: int) -> None:
    """Plain text is the same whether or not it might have been quoted or flowed."""
    head, text = FORMS[own](TEXT)
    labels = labels_of(FORMS[other](TEXT)[0])
    alike = labels == labels_of(head) or (own in (PLAIN, FLOWED) and other in (PLAIN, QUOTED, FLOWED))
    assert labels_fit(labels, (), text.encode()) is alike
    assert labels_fit(labels, LABELS, text.encode())  # signed ones are what they are


@pytest.mark.parametrize("number", range(len(FORMS)))
def test_a_label_that_was_taken_away_is_missed(number: int) -> None:
    head, text = FORMS[number](TEXT)
    assert labels_fit({}, (), text.encode()) is (number in (PLAIN, FLOWED)), head


def test_files_are_no_choice_of_texts() -> None:
    """A file that was sent along does not become the letter's text."""
    head, text = FORMS[-1](TEXT)
    changed = {TYPE: labels_of(head)[TYPE].replace("mixed", "alternative")}
    assert labels_fit(labels_of(head), (), text.encode()) and not labels_fit(changed, (), text.encode())


@pytest.mark.parametrize(
    "piece",
    [b" ", b"\r\n", b"--", b"\r\n--", b"=", b"A", b"=20\r\n", b"<", b"A" * 70 + b"\r\n", b"\n--x--\n"],
)
def test_no_text_takes_long(piece: bytes) -> None:
    text = piece * (400_000 // len(piece))
    began = time.process_time()
    for head in ({}, {TYPE: "multipart/mixed; boundary=x"}, {TYPE: "text/html"}, labels_of(FORMS[2]("")[0])):
        labels_fit(head, (), text)
        labels_fit(head, (), text + b"!")
    assert time.process_time() - began < 1
