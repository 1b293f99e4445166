"""Forms of orders: the pre-filled block of a letter, and all that an exchange of letters asks for.

A form is for a whole exchange, in which more than one answer may be wanted; a window of a single question
has none. Its words stand in the phrase files, section `sheets`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Sequence

from engine.kernel.game import Game, View
from engine.kernel.requests import Ask, AskDetails
from pbem.letters.phrases import Phrases, sheet_kind
from pbem.letters.possible import REMARK, possible_orders, possible_remarks
from pbem.letters.render import WIDTH


def has_form(window: str, phrases: Phrases) -> bool:
    """Has the game a form for the orders of such a window?"""
    return phrases.has("sheets", sheet_kind(window))


def asks_of_window(game: Game, view: View, window: str, open_now: Sequence[Ask]) -> tuple[Ask, ...]:
    """The open questions, and those that the same exchange will put to the seat's other factions."""
    examples = game.examples(view, "en")
    ahead = () if examples is None else examples.questions(sheet_kind(window))
    known = {_about(ask) for ask in open_now}
    return (*open_now, *(ask for ask in ahead if _about(ask) not in known))


def _about(ask: Ask) -> tuple[str, str]:
    return ask.topic, ask.given.subject() if isinstance(ask.given, AskDetails) else ""


def form_lines(
    game: Game,
    view: View,
    window: str,
    phrases: Phrases,
    asks: Sequence[Ask] = (),
    undecided: Collection[str] = (),
) -> list[str]:
    """What is possible, as remarks, and the game's form, filled.

    Where that holds no order at all, what is done without a letter goes before it.
    `undecided`: topics of coming questions for which no standing order is on file.
    """
    possible = possible_orders(game, view, asks, phrases)
    remarks = possible_remarks(possible, phrases)
    facts = {
        "view": view,
        "possible": possible if remarks else (),
        "examples": game.examples(view, phrases.language),
        "undecided": frozenset(undecided),
    }
    lines = phrases.lines("sheets", sheet_kind(window), facts)
    if not remarks and all(is_form_remark(line) for line in lines):
        lines = [*default_lines(game, view, asks, phrases), *lines]
    return fit_lines([*remarks, *lines])


def default_lines(game: Game, view: View, asks: Iterable[Ask], phrases: Phrases) -> list[str]:
    """What is done without a letter, as orders."""
    write = game.notation.write_answer
    written = [write(ask, ask.default, phrases.language, view) for ask in asks]
    return [line for answer in written for line in answer.splitlines() if line.strip()]


def is_form_remark(line: str) -> bool:
    return line.startswith("#")


def fit_lines(lines: Iterable[str]) -> list[str]:
    """Lines that are too wide go on below, as the reader of letters joins them again; so do remarks."""
    return [row for line in lines for row in _rows(line)]


def _rows(line: str) -> list[str]:
    if len(line) <= WIDTH:
        return [line]
    if is_form_remark(line):
        return _broken(line.removeprefix("#").strip(), REMARK, REMARK)
    parts = line.split(", ")
    rows = [parts[0]]
    for part in parts[1:]:  # after a comma, if possible: what follows is then no order by itself
        if len(rows[-1]) + len(part) + 3 <= WIDTH:
            rows[-1] += f", {part}"
        else:
            rows[-1] += ","
            rows.append(f"  {part}")
    return [piece for row in rows for piece in (_broken(row, "", "  ") if len(row) > WIDTH else [row])]


def _broken(text: str, first: str, then: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=then,
        break_long_words=False,
        break_on_hyphens=False,
    )
