"""Labels that are not signed are believed where the text itself says the same."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from pbem.mail.mime_labels import LABELS, TYPE, labels_fit
from pbem.mail.text import MANY_BYTES, ONE_BYTE, decode
from tests.providers import FORMS

TEXT = (
    "ORDERS FWW-1 T1.R\r\nC1: ATTACK 3\r\nEND\r\n"
    + "Meet me at dawn, and bring your guns along. " * 4
    + "\r\n"
)
PLAIN, QUOTED, FLOWED = 0, 1, 4
Form = Callable[[str], tuple[str, str]]


def labels_of(head: str) -> dict[str, str]:
    lines = head.replace("\r\n ", " ").split("\r\n")
    return {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


@pytest.mark.parametrize("below", ["", "\r\n" * 5_000])
@pytest.mark.parametrize("own", range(len(FORMS)))
@pytest.mark.parametrize("other", range(len(FORMS)))
def test_a_text_goes_with_its_own_labels_only(own: int, other: int, below: str) -> None:
    """Plain text is the same whether or not it might have been quoted or flowed; blank lines are nothing."""
    head, text = FORMS[own](TEXT)
    text += below
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


@pytest.mark.parametrize("kind", ["signed", "report", "digest", "parallel", "encrypted", "x-other"])
@pytest.mark.parametrize("form", FORMS[5:])
def test_parts_are_not_left_out_by_another_name_for_all_of_them(form: Form, kind: str) -> None:
    head, text = form(TEXT)
    told = labels_of(head)[TYPE]
    changed = told.replace(told.partition("/")[2].partition(";")[0], kind, 1)
    assert kind in changed and not labels_fit({TYPE: changed}, (), text.encode())


def test_a_signed_text_is_one() -> None:
    parts = f"--x\r\n\r\n{TEXT}\r\n--x\r\nContent-Type: application/pgp-signature\r\n\r\nabc\r\n--x--\r\n"
    assert labels_fit({TYPE: "multipart/signed; boundary=x"}, (), parts.encode())


@pytest.mark.parametrize(
    "text", [TEXT, f"Übermorgen’READY\r\n{TEXT}", "+AFI-ESIGN", "~{<:Ky2;~}", "R\0E\0A\0"]
)
@pytest.mark.parametrize("charset", sorted(ONE_BYTE | MANY_BYTES))
def test_no_charset_that_fits_says_something_else(charset: str, text: str) -> None:
    written = text.encode()
    if labels_fit({TYPE: f"text/plain; charset={charset}"}, (), written):
        assert decode(written, charset) == text


WIDE = "a line that a program broke where the next word would have been too"
LINES = {  # what goes with it: lines as they are, lines that flow, lines that flow without a blank
    "WAIT \nREADY": (True, False, False),
    f"{WIDE}\nlong for it": (True, True, True),
    f"{WIDE} \nlong for it": (False, True, False),
    f"{WIDE}  \nlong for it": (False, True, True),
    f"WAIT\n\n{WIDE} \nlong for it \nREADY": (False, False, False),
    " > READY\nWAIT": (True, False, False),
    "UM> ##- FWW-1 -##\nUM> READY": (True, False, False),
}


@pytest.mark.parametrize("text", LINES)
def test_lines_flow_where_they_look_it(text: str) -> None:
    written = text.replace("\n", "\r\n").encode()
    ways = ("", "; format=flowed", "; format=flowed; delsp=yes")
    assert tuple(labels_fit({TYPE: f"text/plain{way}"}, (), written) for way in ways) == LINES[text]


def test_an_odd_charset_fits_where_it_reads_the_same() -> None:
    for text, charset, fits in (
        ("voilà", "iso-8859-15", True), ("voilà", "koi8-r", False), ("voilà", "iso-8859-2", False),
        ("vendu: œuf", "iso-8859-15", False), ("C1: ATTACK à RHI", "gbk", True), ("àRHI", "gbk", False),
    ):  # fmt: skip
        written = text.encode("cp1252")
        assert labels_fit({TYPE: f"text/plain; charset={charset}"}, (), written) is fits, (text, charset)


def test_an_address_at_the_beginning_is_no_hypertext() -> None:
    text = b"<max@de.test> wrote:\r\n> READY\r\nWAIT\r\n"
    assert labels_fit({TYPE: "text/plain"}, (), text) and not labels_fit({TYPE: "text/html"}, (), text)


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
