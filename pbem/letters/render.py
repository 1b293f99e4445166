"""How letters are rendered: as text of 72 columns, and as HTML with inline styles.

Both come from templates of the same name. Text has no trailing blanks and never two empty lines; HTML loads
nothing, and what is put into it is escaped.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from css_inline import CSSInliner
from jinja2 import Environment, FileSystemLoader, Template
from markupsafe import Markup

from engine.kernel.game import Game, View, fact_for
from engine.kernel.requests import Fact, Seat
from pbem.letters.phrases import Phrases
from pbem.mail.compose import Picture
from pbem.resources import templates_folder

_INLINER = CSSInliner(load_remote_stylesheets=False, keep_at_rules=True)
_FORGED = re.compile(r"##(?=\s?-)")  # our marker lines are ours alone
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line of orders, and what became of it."""

    number: int  # 0: it has none
    line: str  # canonical notation; as it was written if it could not be read
    status: str  # a word of the section `statuses`
    remarks: tuple[str, ...] = ()  # why, in words


class LetterBody(NamedTuple):
    """A letter's words and pictures, before addresses and headers."""

    subject: str
    text: str
    html: str
    pictures: tuple[Picture, ...]


def letter_body(
    name: str, subject: str, content: Mapping[str, Any], phrases: Phrases, pictures: Iterable[Picture] = ()
) -> LetterBody:
    """Text and HTML of the templates `<name>.txt.j2` and `<name>.html.j2`."""
    text = letter_text(f"{name}.txt.j2", content, phrases)
    html = _INLINER.inline(_template(phrases, True, f"{name}.html.j2").render(content))
    return LetterBody(subject, text, html, tuple(pictures))


def letter_text(template: str, content: Mapping[str, Any], phrases: Phrases) -> str:
    """A letter's text: no trailing blanks, never two empty lines."""
    text = _template(phrases, False, template).render(content)
    lines: list[str] = []
    for line in map(str.rstrip, text.strip("\n").splitlines()):
        if line or (lines and lines[-1]):
            lines.append(line)
    return "\n".join(lines) + "\n"


def sanitize(text: str) -> str:
    """Strip control characters, and break up what looks like the frame of our letters."""
    return _FORGED.sub("# #", _UNSEEN.sub("", text.replace("\t", "    ").replace("\n", " ")))


def overlay(phrases: Phrases, *folders: Path, **options: Any) -> Environment:
    """The phrases' environment, for the templates of these folders."""
    loader = FileSystemLoader(folders)
    env = phrases.env.overlay(loader=loader, trim_blocks=True, lstrip_blocks=True, **options)
    env.filters.update(ljust=str.ljust, rjust=str.rjust, hung=hang)
    env.globals.update(told=phrases.say, told_as=phrases.say)  # maps call their facts `told`
    return env


def trim(text: str) -> str:
    """Drop blanks at the ends of lines, and empty lines at both ends of the text."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"


@lru_cache(maxsize=256)
def _template(phrases: Phrases, html: bool, name: str) -> Template:
    env = _environment(phrases, html)
    template = env.get_template(name)
    template.globals = env.globals  # as they are: they are copied with every letter
    return template


@lru_cache(maxsize=64)
def _environment(phrases: Phrases, html: bool) -> Environment:
    finalize = _typeset if html and phrases.language == "fr" else None
    env = overlay(phrases, templates_folder() / "letters", autoescape=html, finalize=finalize)
    env.filters.update(
        hung=hang, titled=_titled, tabled=format_table, read_lines=format_read_lines, harmless=sanitize
    )
    env.globals.update(outcome_of=phrases.outcome, verdict_of=phrases.verdict, width=WIDTH)
    return env


def _typeset(value: Any) -> Any:
    """French sets a blank before some punctuation, and no line may break there."""
    if not isinstance(value, str):
        return value
    return Markup(bind_blanks(value)) if isinstance(value, Markup) else bind_blanks(value)


def _titled(title: str, sign: str = "=") -> str:
    """A heading: capitals and a rule below. One too long for a line is broken."""
    lines = hang(title.upper(), "").splitlines()
    return "\n".join([*lines, sign * max(map(len, lines))])


# ------------------------------------------------------------------ tables as text


def format_table(rows: Sequence[Sequence[str]], head: Sequence[str] = ()) -> str:
    """A table as text; the last column takes what is left of the line, and is wrapped there."""
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
    return hang(row[-1], left) if row[-1] else left.rstrip()


def _cards(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
    """A table too wide for a letter: a paragraph for each row."""
    lines = []
    for row in rows:
        cells = [f"{name}: {cell}" for name, cell in zip(head, row, strict=True)] if head else row
        lines += [hang(cell, " - " if place == 0 else "   ") for place, cell in enumerate(cells) if cell]
    return "\n".join(lines)


def _flat(cell: str) -> str:
    return " ".join(sanitize(cell).split())


def format_read_lines(rows: Sequence[ReadLine], words: Mapping[str, str]) -> str:
    """Number, status, line; below it why."""
    column = max((len(words[row.status]) for row in rows), default=0)
    lines = []
    for row in rows:
        number = str(row.number) if row.number else ""
        left = f"{number:>3}  {words[row.status]:<{column}}  "
        first, *rest = [sanitize(text) for text in (row.line, *row.remarks) if text] or [""]
        lines.append(hang(first, left) if first else left)
        lines += [hang(remark, " " * len(left)) for remark in rest]
    return "\n".join(lines)


WIDTH = 72
# A blank that French sets beside these signs; one between a time of day and the name of its zone.
_BESIDE_SIGN = re.compile(r" (?=[:;?!»])|(?<=«) |(?<=\d:\d\d) (?=[A-Z+-])")
_FRAME = re.compile(r" (?=(?:orders|ordres|end|fin)\b)", re.IGNORECASE)  # words that frame a block of orders
_HELD = "\u00a0"


@lru_cache(maxsize=32)
def _text_environment(phrases: Phrases) -> Environment:
    folder = templates_folder()
    env = overlay(phrases, folder / "text", folder / "maps", extensions=["jinja2.ext.do"])
    env.tests["held_by"] = _is_held_by
    return env


def _is_held_by(place: str, control: Mapping[str, str], holder: str) -> bool:
    return control[place] == holder


def view_text(game: Game, view: View, phrases: Phrases) -> str:
    """What the seat sees."""
    return trim(_text_environment(phrases).get_template(f"{game.id}.txt.j2").render(view=view))


def hand_text(game: Game, view: View, phrases: Phrases) -> str:
    """What the seat alone holds and knows; a game without a template of it (`<game>-hand`) shows all."""
    if not (templates_folder() / "text" / f"{game.id}-hand.txt.j2").is_file():
        return view_text(game, view, phrases)
    return trim(_text_environment(phrases).get_template(f"{game.id}-hand.txt.j2").render(view=view))


@lru_cache(maxsize=32)
def _board_environment(phrases: Phrases) -> Environment:
    """For boards as tables; they share pieces with the same in text."""
    folder, finalize = templates_folder(), _typeset if phrases.language == "fr" else None
    folders = (folder / "boards", folder / "text", folder / "maps")
    env = overlay(phrases, *folders, autoescape=True, finalize=finalize, extensions=["jinja2.ext.do"])
    env.tests["held_by"] = _is_held_by
    return env


def board_tables(game: Game, view: View, phrases: Phrases) -> Markup:
    """What the seat sees, as tables for a page; a game without a template for them shows it as text."""
    return _tables(f"{game.id}.html.j2", view, phrases) or _preformatted(view_text(game, view, phrases))


def hand_tables(game: Game, view: View, phrases: Phrases) -> Markup:
    """What the seat alone holds and knows, as tables."""
    return _tables(f"{game.id}-hand.html.j2", view, phrases) or _preformatted(hand_text(game, view, phrases))


def _tables(name: str, view: View, phrases: Phrases) -> Markup:
    if not (templates_folder() / "boards" / name).is_file():
        return Markup()
    return Markup(_board_environment(phrases).get_template(name).render(view=view))


def _preformatted(text: str) -> Markup:
    return Markup("<pre>{}</pre>").format(text.rstrip("\n"))


class LastCounts:
    """The last count of each thing that a reader knows, from earlier letters, then from this one."""

    def __init__(self, before: View = None) -> None:
        self._before = before  # the view of the last letter; None: there was none
        self._counted: dict[str, Fact] = {}

    def last(self, fact: Fact, phrases: Phrases) -> Any:
        """The count before this one; None: there was none, or such facts are no counts."""
        if not (attr := phrases.counted_by(fact)):
            return None
        before = None if self._before is None else getattr(self._before, attr)
        last, self._counted[attr] = self._counted.get(attr, before), fact
        return last


def account(
    facts: Iterable[Fact], seat: Seat | None, phrases: Phrases, known: LastCounts | None = None
) -> list[str]:
    """What happened, as that seat may read it (None: as everyone may): a line for a fact or a battle."""
    return in_blocks(told_facts(facts, seat, phrases, known), phrases)


def told_facts(
    facts: Iterable[Fact], seat: Seat | None, phrases: Phrases, known: LastCounts | None = None
) -> list[tuple[Fact, str]]:
    """The facts that an account tells, as that seat may read them, with their sentences."""
    own, told = known or LastCounts(), list[tuple[Fact, str]]()
    for fact in facts:
        read = fact_for(fact, seat)
        if read is not None and read.quiet is None and (words := phrases.fact(read, own.last(read, phrases))):
            told.append((read, words))
    return told


def in_blocks(told: Iterable[tuple[Fact, str]], phrases: Phrases) -> list[str]:
    """The sentences as lines: what belongs to a battle is joined to the sentence that opened it.

    Of equal lines one is told, with their number.
    """
    blocks: list[list[str]] = []
    is_open = False
    for fact, sentence in told:
        if is_open and phrases.joins("battle", fact):
            blocks[-1].append(sentence)
        else:
            blocks.append([sentence])
            is_open = phrases.joins("opening", fact)
    return [_counted(same) for same in groupby(" ".join(map(_counted, groupby(block))) for block in blocks)]


def _counted(same: tuple[str, Iterator[str]]) -> str:
    """A sentence said once, and how often it holds."""
    sentence, number = same[0], sum(1 for _ in same[1])
    return sentence if number == 1 else f"{sentence.removesuffix('.')} (×{number})."


def hang(text: str, left: str, width: int = WIDTH) -> str:
    """Wrap the text behind `left`, with a hanging indent.

    No line begins with punctuation, nor with a word that would begin or end a block of orders in a reply.
    """
    kept = _FRAME.sub(_HELD, bind_blanks(" ".join(text.split())))
    if kept and len(left) + len(kept) <= width:  # as most are
        return (left + kept).replace(_HELD, " ")
    lines = textwrap.wrap(
        kept, width, initial_indent=left, subsequent_indent=" " * len(left), break_on_hyphens=False
    )
    return "\n".join(lines or [left]).replace(_HELD, " ")


def bind_blanks(text: str) -> str:
    """Make the blanks before punctuation, inside quotation marks and behind a time of day unbreakable."""
    return _BESIDE_SIGN.sub(_HELD, text)


def paragraphs(sentences: Iterable[str], mark: str = "") -> str:
    """Each sentence as a paragraph of its own, wrapped."""
    return "\n".join(hang(sentence, mark) for sentence in sentences)


def statuses(phrases: Phrases) -> dict[str, str]:
    """What may become of a line, in words."""
    return {status: phrases.say("statuses", status) for status in phrases.keys("statuses")}
