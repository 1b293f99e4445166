"""Text whose lines were broken for the wire and are put together again (RFC 3676)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_MARKS = re.compile(r">*")
SIGNATURE = "-- "  # never flows


class Flowed(NamedTuple):
    """A line put together, with the number of its quote marks."""

    text: str
    quoted: int


def unflow(lines: Iterable[str], *, delete_space: bool) -> list[Flowed]:
    """The paragraphs of a flowed text; with DelSp the blank at a soft line end belongs to the wire."""
    whole: list[Flowed] = []
    pieces: list[str] = []
    depth = 0
    for line in lines:
        marks = _MARKS.match(line)
        quoted = marks.end() if marks else 0
        text = line[quoted:].removeprefix(" ")  # stuffed for the wire
        if pieces and (quoted != depth or text == SIGNATURE):
            whole.append(Flowed("".join(pieces), depth))  # a paragraph never changes its depth
            pieces = []
        depth = quoted
        if text.endswith(" ") and text != SIGNATURE:
            pieces.append(text[:-1] if delete_space else text)
            continue
        whole.append(Flowed("".join([*pieces, text]), depth))
        pieces = []
    if pieces:
        whole.append(Flowed("".join(pieces), depth))
    return whole
