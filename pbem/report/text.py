"""A seat's view as text for a letter or a terminal, at most 72 columns wide, from templates."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from jinja2 import Environment, FileSystemLoader

from engine.kernel.game import Game, View, shown
from engine.kernel.requests import Fact, Seat
from pbem.places import templates_folder
from pbem.report.phrases import Phrases

WIDTH = 72
# A blank that French sets beside these signs; one between a time of day and the name of its zone.
_BESIDE_SIGN = re.compile(r" (?=[:;?!»])|(?<=«) |(?<=\d:\d\d) (?=[A-Z+-])")
_FRAME = re.compile(r" (?=(?:orders|ordres|end|fin)\b)", re.IGNORECASE)  # words that frame a block of orders
_HELD = "\u00a0"


@lru_cache(maxsize=32)
def _environment(phrases: Phrases) -> Environment:
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
    text = _environment(phrases).get_template(f"{game.id}.txt.j2").render(view=view)
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"


def hand_text(game: Game, view: View, phrases: Phrases) -> str:
    """What the seat alone holds and knows; a game without a template of it (`<game>-hand`) shows all."""
    if not (templates_folder() / "text" / f"{game.id}-hand.txt.j2").is_file():
        return view_text(game, view, phrases)
    text = _environment(phrases).get_template(f"{game.id}-hand.txt.j2").render(view=view)
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
    told = [fact for fact in (shown(fact, seat) for fact in facts) if fact is not None]
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
