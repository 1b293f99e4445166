"""What a plain text crosses out, and boxes that are ticked or not.

Editors of plain text write `~~a line~~` for a line through it, or put a stroke on every letter; lists have
boxes. A line that is crossed out, or whose box is empty or holds a cross, may be meant or not: what would be
left of it is told, and its writer is asked. A ticked box says what the line says itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pbem.mail.message import TextLine

LONGEST: Final = 400  # characters of a line that is looked at
MOST_LINES: Final = 20  # between a stroke's two ends

_EMPTY: Final = "\u2610\u25a1\u25a2\u25fb\u25fd\u2b1c\u25ef\u274f-\u2752\U0001f532\U0001f533\U0001f5cc"
_CROSSED: Final = "\u2612\u2613\u2715-\u2718\u274c\u274e\u26d4\U0001f6ab\U0001f5d9\U0001f5f4-\U0001f5f7"
_ITEM: Final = r"\s*(?:(?:[>*+\u2022\u00b7\u2013\u2014-]|\(?\d{1,3}[.)])\s*)*"
_NO: Final = rf"(?:\[[\s_.\u2013-]*\]|\(\s+\)|\[~\]|[{_EMPTY}{_CROSSED}])"
_UNTICKED: Final = re.compile(rf"{_ITEM}(?:{_NO}|\u00d7\s)\s*(?=\S)|\s*{_NO}\s*\Z")
_ALONE: Final = re.compile(rf"{_ITEM}{_NO}\s*")
_TICK: Final = re.compile(rf"({_ITEM})\[\s*[xX\u2713\u2714\u221a*]\s*\]\s*(?=\S)")
_BETWEEN: Final = re.compile(r"~~(?=[^\s~])[^~]*(?<=[^\s~])~~|~~ [^~]+ ~~")
_WHOLE: Final = re.compile(r"\s*(?:~([^~]+)~|-{1,3}(\w[^-]*(?:-[^-]+)*\w)-{1,3})\s*")
_STROKE: Final = re.compile("[\u0334-\u0338\u20d2\u20d3\u20e5\u20e6\u20eb]")
# What has none of these is not looked at.
SIGNS: Final = re.compile(
    rf"\[(?:[^\]]|[\s_.-]{{2,9}})?\]|[\[(]\s|[~\u00d7{_EMPTY}{_CROSSED}\u0334-\u0338\u20d2-\u20eb]|\w-{{1,3}}\s*\Z"
)


def mark_strokes(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines, with what would be left of those that are crossed out or whose box is not ticked."""
    crossed = set(_below_boxes(lines))
    if any("~~" in line.text for line in lines):
        crossed.update(_crossed(lines))
    return [
        _with(line, line.text.replace("~", "")) if at in crossed else _marked(line)
        for at, line in enumerate(lines)
    ]


def _below_boxes(lines: Sequence[TextLine]) -> Iterator[int]:
    """Lines whose box stands alone in the line above, as programs draw it."""
    for at, line in enumerate(lines[:-1]):
        if SIGNS.search(line.text[:LONGEST]) and _ALONE.fullmatch(line.text[:LONGEST]):
            yield next((n for n in (at + 1, at + 2) if n < len(lines) and lines[n].text.strip()), at)


def _crossed(lines: Sequence[TextLine]) -> Iterator[int]:
    """The lines from one `~~` to another in a later line."""
    begun = -1
    for at, line in enumerate(lines):
        if begun >= 0 and at - begun > MOST_LINES:
            begun = -1
        if "~~~" in line.text or line.text.count("~~") % 2 == 0:
            continue
        if begun < 0:
            begun = at
            continue
        yield from range(begun, at + 1)
        begun = -1


def _marked(line: TextLine) -> TextLine:
    text = line.text
    if line.left is not None or len(text) > LONGEST or not SIGNS.search(text):
        return line
    ticked = _TICK.sub(r"\1", text, count=1)
    plain = ticked.replace("\\~", "~")
    whole = _WHOLE.fullmatch(plain)
    left = _STROKE.sub("", plain if whole is None else whole[1] or whole[2])
    left = _UNTICKED.sub("", _BETWEEN.sub(lambda one: one[0].strip("~ "), left)).strip()
    if left == plain.strip() or not any(map(str.isalnum, left)):
        return line._replace(text=ticked)
    return _with(line, left)


def _with(line: TextLine, left: str) -> TextLine:
    return line if not any(map(str.isalnum, left)) else line._replace(left=left.strip())
