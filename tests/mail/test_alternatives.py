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


def test_ticked_boxes_and_arrows_of_a_font_make_no_difference() -> None:
    letter = opened(f"[x] READY [x] C1: PASS {TITLE}", page("[x] READY", "[x] C1: PASS", quote=()) + TITLE)
    assert (own(letter)[:2], differing(letter)) == (["READY", "C1: PASS"], [])
    arrow = "<span style='font-family:Wingdings'>à</span>"
    letter = opened("C2: MOVE 1: DE1 à 2\nREADY", f"<p>C2: MOVE 1: DE1 {arrow} 2</p><p>READY</p>")
    assert (own(letter), differing(letter)) == (["C2: MOVE 1: DE1 à 2", "READY"], [])


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


EDITED = (QUOTE[0], QUOTE[1], "C1: ATTACK 3", QUOTE[3])
WORDLESS = ("", "\n \n", "This message is in HTML.", "> This message is in HTML.", "[cid:image001.png]")


@pytest.mark.parametrize(
    "text", [*WORDLESS, "".join((TITLE, *EDITED)), " ".join((TITLE, *EDITED)), "> " + " ".join(EDITED)]
)
def test_a_page_that_only_quotes_is_read_where_the_text_says_less(text: str) -> None:
    """Our form edited in place: nothing else is in the letter."""
    letter = opened(text, page(quote=EDITED))
    assert [line.text for line in letter.lines if line.quoted and line.text][-4:] == list(EDITED)
    assert "C1: ATTACK 3" not in differing(letter)


@pytest.mark.parametrize("text", ["READY", "READY\n\n> " + "\n> ".join(QUOTE)])
def test_a_text_is_read_beside_a_page_that_shows_it_as_a_quote(text: str) -> None:
    letter = opened(text, page(quote=("READY", *QUOTE)))
    assert (own(letter), differing(letter)) == (["READY"], [])


@pytest.mark.parametrize("html", ["", "<p></p>", "<img src='cid:map'>"])
def test_a_text_is_read_beside_a_page_without_words(html: str) -> None:
    letter = opened("READY", html)
    assert (own(letter), differing(letter)) == (["READY"], [])


@pytest.mark.parametrize("text", ["RESIGN", "RESIGN\n\n> " + "\n> ".join(QUOTE)])
def test_what_a_page_that_only_quotes_does_not_show_is_told(text: str) -> None:
    assert differing(opened(text, page(quote=QUOTE))) == ["RESIGN"]


def test_of_two_that_only_quote_the_page_tells_what_is_struck_out() -> None:
    quote = "\n".join(f"> {line}" for line in QUOTE)
    struck = page(quote=QUOTE).replace("C1: PASS", "<s>C1: PASS</s>")
    letter = opened(f"{TITLE}\n{quote}", struck)
    assert [line.text for line in letter.lines if line.is_struck] == ["C1: PASS"]
    assert not any(line.is_struck for line in opened(f"{TITLE}\n{quote}", page(quote=QUOTE)).lines)


HEADER, REMARK = "ORDERS FWW-1 T1.R", "# C1: ATTACK 1"


@pytest.mark.parametrize("said", ["", "see below"])
@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ("C1: PASS", "C1: ATTACK 3", ["C1: PASS", "C1: ATTACK 3"]),
        ("C1: PASS", "", ["C1: PASS"]),
        (REMARK, "C1: ATTACK 1", [REMARK, "C1: ATTACK 1"]),
        (REMARK, "# C1:\nATTACK 1", []),
        ("C1: PASS", "C1:\nPASS", []),
    ],
)
def test_a_form_edited_in_one_of_them_is_told(said: str, one: str, other: str, told: list[str]) -> None:
    """A line that a program cut is the same line; a remark is not the order without its sign."""
    for text, html in ((one, other), (other, one)):
        plain, shown = ([HEADER, *filter(None, row.split("\n")), "END"] for row in (text, html))
        quote = "\n".join(f"> {line}" for line in plain)
        letter = opened(f"{said}\n\n{TITLE}\n{quote}", page(*([said] if said else []), quote=tuple(shown)))
        assert sorted(differing(letter)) == sorted(told)


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


def test_an_order_is_not_shown_by_a_remark_that_holds_it() -> None:
    """Our form lists what may be ordered behind the sign of a remark."""
    quote = (*QUOTE[:2], "# C1: ATTACK 4 WITH DE7", *QUOTE[2:])
    text = "\n".join(("Hello,", "C1: ATTACK 4", "", TITLE, *(f"> {line}" for line in quote)))
    letter = opened(text, page("Hello,", "C1: ATTACK 3", quote=quote))
    assert {"C1: ATTACK 4", "C1: ATTACK 3"} <= set(differing(letter))
