"""How letters are set: as text of 72 columns, and as HTML that carries its own styles.

Both come from templates of the same name. Text has no trailing blanks and never two empty lines; HTML loads
nothing, and what is put into it is escaped.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from css_inline import CSSInliner
from jinja2 import Environment, FileSystemLoader, Template
from markupsafe import Markup

from engine.kernel.game import Game, View, fact_for
from engine.kernel.requests import Fact, Seat
from pbem.letters.phrases import Phrases
from pbem.resources import templates_folder

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


WIDTH = 72
# A blank that French sets beside these signs; one between a time of day and the name of its zone.
_BESIDE_SIGN = re.compile(r" (?=[:;?!»])|(?<=«) |(?<=\d:\d\d) (?=[A-Z+-])")
_FRAME = re.compile(r" (?=(?:orders|ordres|end|fin)\b)", re.IGNORECASE)  # words that frame a block of orders
_HELD = "\u00a0"


@lru_cache(maxsize=32)
def _text_environment(phrases: Phrases) -> Environment:
    env = phrases.env.overlay(
        loader=FileSystemLoader([templates_folder() / "text", templates_folder() / "maps"]),
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.do"],
    )
    env.filters.update(ljust=str.ljust, rjust=str.rjust, hung=hung)
    env.tests["held_by"] = _held_by
    env.globals.update(told=phrases.told, told_as=phrases.told)  # the latter also where maps are told
    return env


def view_text(game: Game, view: View, phrases: Phrases) -> str:
    """What the seat sees."""
    text = _text_environment(phrases).get_template(f"{game.id}.txt.j2").render(view=view)
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"


def hand_text(game: Game, view: View, phrases: Phrases) -> str:
    """What the seat alone holds and knows; a game without a template of it (`<game>-hand`) shows all."""
    if not (templates_folder() / "text" / f"{game.id}-hand.txt.j2").is_file():
        return view_text(game, view, phrases)
    text = _text_environment(phrases).get_template(f"{game.id}-hand.txt.j2").render(view=view)
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"


class Known:
    """What a reader knows of things that are counted again and again: from his last letter, then this one."""

    def __init__(self, before: View = None) -> None:
        self._before = before  # as it was when he was told last; None: he was told nothing
        self._counted: dict[str, Fact] = {}

    def last(self, fact: Fact, phrases: Phrases) -> Any:
        """The count before this one; None: there was none, or such facts are no counts."""
        if not (attr := phrases.known_by(fact)):
            return None
        before = None if self._before is None else getattr(self._before, attr)
        last, self._counted[attr] = self._counted.get(attr, before), fact
        return last


def account(
    facts: Iterable[Fact], seat: Seat | None, phrases: Phrases, known: Known | None = None
) -> list[str]:
    """What happened, a sentence for each fact, as that seat may read it (None: as everyone may)."""
    own = known or Known()
    told = [fact for fact in (fact_for(fact, seat) for fact in facts) if fact is not None]
    sentences = [phrases.fact(fact, own.last(fact, phrases)) for fact in told if not phrases.is_quiet(fact)]
    return [sentence for sentence in sentences if sentence]


def hung(text: str, left: str, width: int = WIDTH) -> str:
    """The text behind `left`, broken into lines that hang under its beginning.

    No line begins with a sign, nor with a word that in a reply would seem to begin or end a block.
    """
    kept = _FRAME.sub(_HELD, held(" ".join(text.split())))
    if kept and len(left) + len(kept) <= width:  # as most are
        return (left + kept).replace(_HELD, " ")
    lines = textwrap.wrap(
        kept, width, initial_indent=left, subsequent_indent=" " * len(left), break_on_hyphens=False
    )
    return "\n".join(lines or [left]).replace(_HELD, " ")


def held(text: str) -> str:
    """The blanks before signs, inside quotation marks and behind a time of day do not break."""
    return _BESIDE_SIGN.sub(_HELD, text)


def paragraphs(sentences: Iterable[str], mark: str = "") -> str:
    """Each sentence as a paragraph of its own, broken at the width of a letter."""
    return "\n".join(hung(sentence, mark) for sentence in sentences)


def _held_by(place: Any, control: Mapping[Any, Any], holder: Any) -> bool:
    return bool(control[place] == holder)
