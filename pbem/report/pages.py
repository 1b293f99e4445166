"""How letters are set: as text of 72 columns, and as HTML that carries its own styles.

Both come from templates of the same name. Text has no trailing blanks and never two empty lines; HTML loads
nothing, and what is put into it is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from css_inline import CSSInliner
from jinja2 import Environment, FileSystemLoader, Template
from markupsafe import Markup

from pbem.places import templates_folder
from pbem.report.phrases import Phrases
from pbem.report.text import WIDTH, held, hung

_FORGED = re.compile(r"##(?=\s?-)")  # our marker lines are ours alone
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line of orders, and what became of it."""

    number: int  # 0: it has none
    line: str  # canonical notation; as it was written if it could not be read
    status: str  # a word of the section `statuses`
    remarks: tuple[str, ...] = ()  # why, in words


def letter_text(template: str, content: Mapping[str, Any], phrases: Phrases) -> str:
    """A letter's text: no trailing blanks, never two empty lines."""
    text = _template(phrases, False, template).render(content)
    lines: list[str] = []
    for line in (one.rstrip() for one in text.strip("\n").splitlines()):
        if line or (lines and lines[-1]):
            lines.append(line)
    return "\n".join(lines) + "\n"


def letter_html(template: str, content: Mapping[str, Any], phrases: Phrases) -> str:
    """The same as HTML, its styles put into the elements."""
    return _inliner().inline(_template(phrases, True, template).render(content))


def harmless(text: str) -> str:
    """Somebody's words without signs that steer, and in which nothing looks like the frame of our letters."""
    return _FORGED.sub("# #", _UNSEEN.sub("", text.replace("\t", "    ").replace("\n", " ")))


@lru_cache(maxsize=1)
def _inliner() -> CSSInliner:
    return CSSInliner(load_remote_stylesheets=False)


@lru_cache(maxsize=256)
def _template(phrases: Phrases, html: bool, name: str) -> Template:
    env = _environment(phrases, html)
    template = env.get_template(name)
    template.globals = env.globals  # as they are: they are copied with every letter
    return template


@lru_cache(maxsize=64)
def _environment(phrases: Phrases, html: bool) -> Environment:
    env = phrases.env.overlay(
        loader=FileSystemLoader(templates_folder() / "letters"),
        autoescape=html,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_typeset if html and phrases.language == "fr" else None,
    )
    env.filters.update(hung=hung, titled=_titled, tabled=tabled, read_lines=read_lines, harmless=harmless)
    env.globals.update(told=phrases.told, outcome_of=phrases.outcome, width=WIDTH)
    return env


def _typeset(value: Any) -> Any:
    """French sets a blank before some signs, and nothing may be broken there."""
    if not isinstance(value, str):
        return value
    return Markup(held(value)) if isinstance(value, Markup) else held(value)


def _titled(title: str, sign: str = "=") -> str:
    """A heading: capitals and a rule below. One too long for a line is broken."""
    lines = hung(title.upper(), "").splitlines()
    return "\n".join([*lines, sign * max(map(len, lines))])


# ------------------------------------------------------------------ tables as text


def tabled(rows: Sequence[Sequence[str]], head: Sequence[str] = ()) -> str:
    """Columns below one another; the last one takes what is left of the line, and is broken there."""
    table = [list(map(_flat, row)) for row in ((head, *rows) if head else rows)]
    if not table:
        return ""
    widths = [max(len(row[place]) for row in table) for place in range(len(table[0]))]
    if sum(widths[:-1]) + 2 * len(widths) > WIDTH - 20:
        return _cards(table[1:] if head else table, table[0] if head else ())
    lines = [_row(row, widths) for row in table]
    if head:
        lines.insert(1, "  ".join("-" * min(width, WIDTH) for width in widths)[:WIDTH])
    return "\n".join(lines)


def _row(row: Sequence[str], widths: Sequence[int]) -> str:
    left = "".join(cell.ljust(width) + "  " for cell, width in zip(row[:-1], widths, strict=False))
    return hung(row[-1], left) if row[-1] else left.rstrip()


def _cards(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
    """A table too wide for a letter: a paragraph for each row."""
    told = []
    for row in rows:
        cells = [f"{name}: {cell}" for name, cell in zip(head, row, strict=True)] if head else row
        told += [hung(cell, " - " if place == 0 else "   ") for place, cell in enumerate(cells) if cell]
    return "\n".join(told)


def _flat(cell: str) -> str:
    return " ".join(harmless(cell).split())


def read_lines(rows: Sequence[ReadLine], words: Mapping[str, str]) -> str:
    """Number, status, line; below it why."""
    column = max((len(words[row.status]) for row in rows), default=0)
    told = []
    for row in rows:
        number = str(row.number) if row.number else ""
        left = f"{number:>3}  {words[row.status]:<{column}}  "
        first, *rest = [harmless(text) for text in (row.line, *row.remarks) if text] or [""]
        told.append(hung(first, left) if first else left)
        told += [hung(remark, " " * len(left)) for remark in rest]
    return "\n".join(told)
