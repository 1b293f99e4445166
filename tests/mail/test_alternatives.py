"""Text and HTML of one mail: which of them is the letter, and what only one of them says."""

from __future__ import annotations

from html import escape

import pytest

from pbem.mail.html import MAX_HTML_NODES
from pbem.mail.message import Letter
from pbem.mail.mime import open_letter
from tests.mail.corpus import Wire, head, multipart, part

UTF8 = Wire("utf-8", "utf-8", "8bit")
LINES = ("Hello,", "C1: ATTACK 3", "C2: MOVE 1: DE1 DE2 > 2", "Max")
QUOTE = ("##- FWW-1: write above this line -##", "Verdun has fallen.", "C1: PASS", "##- end / fin -##")
TITLE = "-------- Original message --------"


def page(*lines: str, quote: tuple[str, ...] = QUOTE) -> str:
    own = "".join(f"<div>{escape(line)}</div>" for line in lines)
    below = "".join(f"<div>{escape(line)}</div>" for line in quote)
    return f"{own}<div>{TITLE}</div><blockquote>{below}</blockquote>" if quote else own


def opened(plain: str, html: str) -> Letter:
    body = multipart("alternative", part(plain, "text/plain", UTF8), part(html, "text/html", UTF8))
    letter = open_letter(head("en") + body)
    assert isinstance(letter, Letter), letter
    return letter


def own(letter: Letter) -> list[str]:
    return [line.text for line in letter.lines if line.text and not line.quoted]


def differing(letter: Letter) -> list[str]:
    return [line.text for line in letter.differing]


@pytest.mark.parametrize("joint", ["", " ", "  ", "\u00a0", "\t"])
@pytest.mark.parametrize("lines", [LINES, ("READY",), ("CONFIRM",), ("Bonjour,", "ÉTAT")])
@pytest.mark.parametrize("quote", [QUOTE, ()])
def test_a_text_without_lines_loses(lines: tuple[str, ...], joint: str, quote: tuple[str, ...]) -> None:
    row = joint.join([*lines, *((TITLE, *quote) if quote else ())])
    letter = opened(row, page(*lines, quote=quote))
    assert (own(letter), differing(letter)) == (list(lines), [])


@pytest.mark.parametrize(
    "words",
    [
        "This message is in HTML.",
        "Your mail program cannot show this message. View it in a browser: https://mail.test/x",
        "Ce message est au format HTML.",
        "[image: logo]",
        "Content-Type: text/html",
    ],
)
def test_a_text_that_says_nothing_of_the_page_loses(words: str) -> None:
    assert own(opened(words, page(*LINES))) == list(LINES)
    letter = opened(words, page("READY"))
    assert own(letter) == ["READY"] and "READY" not in differing(letter)


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(LINES),
        "\n\n".join(LINES),
        "\n".join(LINES).replace("DE1 DE2", "DE1\nDE2"),
        "\n".join(f"*{line}*" for line in LINES),
        "\n".join(["- C1: ATTACK 3" if line == LINES[1] else line for line in LINES]),
    ],
)
def test_a_text_with_lines_of_its_own_is_read(text: str) -> None:
    quote = "\n".join(f"> {line}" for line in QUOTE)
    letter = opened(f"{text}\n\n{TITLE}\n{quote}", page(*LINES))
    assert own(letter) == [line for line in text.split("\n") if line]
    assert differing(letter) == []


def test_what_only_one_of_them_says_is_told() -> None:
    assert differing(opened("READY\nRESIGN", page("READY", quote=()))) == ["RESIGN"]
    assert differing(opened("READY", page("READY", "RESIGN", quote=()))) == ["RESIGN"]
    assert differing(opened("READY now\nRESIGN", page("READY", "now", quote=()))) == ["RESIGN"]
    assert differing(opened("C1: ATTACK 3", page("C1: ATTACK 4", quote=()))) == [
        "C1: ATTACK 3",
        "C1: ATTACK 4",
    ]
    hidden = "<div style='display:none'>RESIGN</div><div>READY</div>"
    assert differing(opened("RESIGN\nREADY", hidden)) == ["RESIGN"]


def test_a_page_too_large_to_be_drawn_is_searched() -> None:
    filler = "<i>x</i>" * MAX_HTML_NODES
    assert differing(opened("READY", f"<p>READY</p>{filler}")) == []
    assert differing(opened("RESIGN", f"<p>READY</p>{filler}")) == ["RESIGN"]


def test_a_file_beside_one_form_is_read() -> None:
    """As Apple Mail sends it: text, or HTML with the files between its pieces."""
    file = b"Content-Type: text/plain; name=orders.txt\r\n\r\nC1: ATTACK 3\r\n"
    rich = multipart("mixed", part("<p>see the file</p>", "text/html", UTF8), file, boundary="=_m")
    letter = open_letter(
        head("en") + multipart("alternative", part("see the file", "text/plain", UTF8), rich)
    )
    assert isinstance(letter, Letter)
    assert [one.name for one in letter.attachments] == ["orders.txt"]
