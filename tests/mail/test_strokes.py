"""What is crossed out without HTML, and boxes."""

from __future__ import annotations

import time

import pytest

from pbem.mail.html import lines_of
from pbem.mail.message import TextLine
from pbem.mail.strokes import mark_strokes

ASKED = (
    "☐ {}", "[ ] {}", "- [ ] {}", "* [_] {}", "1. [] {}", "( ) {}", "□ {}", "⬜ {}", "❏ {}", "☒ {}", "✗ {}",
    "❌ {}", "× {}", "~~{}~~", "~~ {} ~~", "~{}~", "**~~{}~~**", r"\~\~{}\~\~", "--{}--", "{} [ ]", "{} ☐",
    "{} ❌", "> [ ] {}", "[ ] ~~{}~~",
)  # fmt: skip
TICKED = ("[x] {}", "- [X] {}", "1. [✓] {}", "[x]{}")
PLAIN = (
    "- {}",
    "✓ {}",
    "☑ {}",
    "• {}",
    "1. {}",
    "(a) {}",
    "○ {}",
    "-{}",
    "{} - now",
    "{} (now)",
    "--- {} ---",
    "~ {}",
)


@pytest.mark.parametrize("order", ["READY", "C1: ATTACK 3", "M INF1 > C13"])
@pytest.mark.parametrize("way", ASKED)
def test_what_is_crossed_out_or_not_ticked_is_marked(way: str, order: str) -> None:
    (line,) = mark_strokes([TextLine(way.format(order))])
    assert line.text == way.format(order) and line.left is not None
    assert order in line.left.lstrip("> ")


@pytest.mark.parametrize("sign", "\u0335\u0336\u0337\u0338")
def test_a_stroke_through_every_letter_is_one(sign: str) -> None:
    (line,) = mark_strokes([TextLine("".join(letter + sign for letter in "READY"))])
    assert line.left == "READY"


@pytest.mark.parametrize("way", TICKED)
def test_a_ticked_box_says_nothing(way: str) -> None:
    (line,) = mark_strokes([TextLine(way.format("READY"))])
    assert line.left is None and line.text.endswith("READY") and "[" not in line.text


@pytest.mark.parametrize("way", PLAIN)
def test_other_signs_are_none_of_them(way: str) -> None:
    line = TextLine(way.format("READY"))
    assert mark_strokes([line]) == [line]


def test_a_line_through_several_lines_goes_through_each() -> None:
    lines = [TextLine(text) for text in ("WAIT", "~~C1: ATTACK 3", "C2: PASS~~", "READY", "~~~", "R", "~~~")]
    assert [line.left for line in mark_strokes(lines)] == [None, "C1: ATTACK 3", "C2: PASS", *[None] * 4]


@pytest.mark.parametrize(
    "page",
    [
        "<p><input type=checkbox> READY</p>",
        "<ul><li><input type=checkbox><p>READY</p></li></ul>",
        "<ul><li data-checked=false>READY</li></ul>",
        "<style>.a, p.b {color:red; text-decoration: line-through}</style><p class='x b'>READY</p>",
        "<p><span class=strikethrough>READY</span></p>",
    ],
)
def test_boxes_and_strokes_of_hypertext_are_seen(page: str) -> None:
    line = mark_strokes(lines_of(page))[-1]
    assert "READY" in line.text and line.left is not None


def test_arrows_and_faces_in_a_font_of_symbols_are_read() -> None:
    span = "<span style='font-family:Wingdings'>{}</span>"
    page = f"<p>C@TRI {span.format('à')} RHI</p><p>READY {span.format('J')}</p><p>J <span>J</span></p>"
    assert [line.text for line in lines_of(page) if line.text] == ["C@TRI → RHI", "READY", "J J"]


def test_no_line_takes_long() -> None:
    lines = [
        TextLine(sign * 390) for sign in ("~", "~~a", "- ", "[ ", "( )", "-a", "1.", "a-", "\u0336") * 200
    ]
    began = time.process_time()
    mark_strokes(lines)
    assert time.process_time() - began < 1
