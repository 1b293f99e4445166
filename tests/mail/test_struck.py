"""What a writer has struck out: told apart from what he says, in every way that mail programs mark it."""

from __future__ import annotations

import pytest

from pbem.mail.html import MAX_HTML_NODES
from pbem.mail.message import Letter
from pbem.mail.mime import open_letter
from tests.mail.corpus import Wire, head, multipart, part

UTF8 = Wire("utf-8", "utf-8", "8bit")
THROUGH = "text-decoration: underline line-through"


def told(page: str, plain: str = "") -> list[tuple[str, int, str | None]]:
    """Text, depth and what is left after strokes, of every line that says something."""
    body = part(page, "text/html", UTF8)
    if plain:
        body = multipart("alternative", part(plain, "text/plain", UTF8), body)
    letter = open_letter(head("en") + body)
    assert isinstance(letter, Letter), letter
    return [(line.text, line.quoted, line.left) for line in letter.lines if line.text]


@pytest.mark.parametrize(
    "struck",
    [
        "<s>READY</s>",
        "<strike>READY</strike>",
        "<DEL cite='x'>READY</DEL>",
        f"<span style='{THROUGH}'>READY</span>",
        "<span style='text-decoration-line:line-through;color:red'>READY</span>",
        "<b><s>READY</s></b>",
        "<s><span style='text-decoration:none'>READY</span></s>",  # a stroke goes through all inside it
        "<s>REA</s><s>DY</s>",
        "- <s>READY</s>.",  # neither dash nor point says anything
        "<s>READY</s><br>",
    ],
)
def test_a_struck_line_is_known_by_any_mark(struck: str) -> None:
    text, depth, left = told(f"<div>{struck}</div><div>WAIT</div>")[0]
    assert ("READY" in text, depth, left) == (True, 0, "")
    assert told(f"<div>{struck}</div><div>WAIT</div>")[-1] == ("WAIT", 0, None)


@pytest.mark.parametrize(
    "whole",
    [
        "READY",
        "<span style='text-decoration:underline'>READY</span>",
        "<s style='text-decoration:none'>READY</s>",
        "<ins>READY</ins>",
        "<span class=s>READY</span>",
        "<s>-</s> READY",
        "READY<s></s>",
    ],
)
def test_what_is_not_struck_counts(whole: str) -> None:
    assert told(f"<div>{whole}</div>")[0][1:] == (0, None)


def test_a_line_may_be_struck_in_part() -> None:
    assert told("<div>C1: ATTACK <s>3</s> 4</div>") == [("C1: ATTACK 3 4", 0, "C1: ATTACK 4")]
    assert told("<div>1) <s>READY</s></div>")[0][2] == "1)"
    assert told("<pre><s>WAIT</s> READY now</pre>") == [("WAIT READY now", 0, "READY now")]


def test_every_line_within_one_stroke_is_struck() -> None:
    lines = told("<s><div>C1: ATTACK 3<br>C2: PASS</div></s><ul><li><s>READY</s></li></ul><div>WAIT</div>")
    assert [left for _, _, left in lines] == ["", "", "", None]
    assert [left for _, _, left in told("<pre>WAIT\n<s>READY</s>\nHAND</pre>")] == [None, "", None]


def test_struck_text_inside_a_quote_stays_a_quote() -> None:
    page = "<div>WAIT</div><blockquote type=cite><s>READY</s><div>older</div></blockquote>"
    assert told(page) == [("WAIT", 0, None), ("READY", 1, ""), ("older", 1, None)]


def test_the_text_cannot_tell_what_is_struck_so_the_html_is_read() -> None:
    """As mail programs send it: both forms, and no stroke in the text."""
    assert told("<p><s>READY</s></p><p>WAIT</p>", "READY\n\nWAIT") == [("READY", 0, ""), ("WAIT", 0, None)]
    assert told("<p>READY <i>now</i></p>", "READY\nnow") == [("READY", 0, None), ("now", 0, None)]
    assert told("<style>s {text-decoration: line-through}</style><p>A B</p>", "A\nB") == [
        ("A", 0, None),
        ("B", 0, None),
    ]


def test_html_too_large_to_be_drawn_leaves_every_line_in_doubt() -> None:
    page = "<p><s>READY</s></p>" + "<i>x</i>" * MAX_HTML_NODES
    assert told(page, "READY\nWAIT") == [("READY", 0, "READY"), ("WAIT", 0, "WAIT")]
