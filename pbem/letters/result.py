"""Result letters: what happened, what it means for the reader, what he can do now, until when and how.

`Result` holds facts; every word stands in `templates/letters` and the phrase files. Plain text and HTML tell
the same; the text is complete in itself, the HTML has the map as a picture. A letter is a function of its
`Result` alone, and nothing in it is loaded from the network.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from engine.kernel.fairness.export import AuditBlock
from engine.kernel.game import Game, Outcome, View, fact_for
from engine.kernel.requests import Answer, Ask, Fact, Seat, Segment
from pbem.letters.dates import LONG, SHORT, Moment, moment_words
from pbem.letters.maps import has_map, map_png, map_text, strip_png
from pbem.letters.order_form import default_lines, fitted, form_lines, has_form, is_form_remark
from pbem.letters.phrases import Phrases
from pbem.letters.render import Known, ReadLine, account, letter_html, letter_text, view_text
from pbem.mail.compose import Picture

LISTED = 9  # a question with more answers than these shows examples of them
MAP = "map.png"
STRIP = "replay.png"
KEY_SHOWN = 16  # hex digits of a link or a head in the text; audit.json has them in full


@dataclass(frozen=True, slots=True)
class Chapter:
    """What happened in one segment."""

    segment: Segment | None
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Foreseen:
    """A question that may come before the next letter, and what is on file for it."""

    topic: str
    line: str  # the standing order, or what happens without one, in notation
    standing: bool


@dataclass(frozen=True, slots=True)
class Result:
    """All that goes into a result letter. Only what the reader may read of the facts is told."""

    campaign: str  # "FWW-7"
    view: View
    happened: tuple[Chapter, ...] = ()
    asks: tuple[Ask, ...] = ()  # open questions of the reader
    window: str = ""  # open for his orders: "T3.R"; "": none
    sheet: tuple[str, ...] = ()  # the pre-filled lines, where something else than the usual is wanted
    foreseen: tuple[Foreseen, ...] = ()
    deadline: datetime | None = None
    zone: str = "UTC"  # of the reader
    waiting: tuple[Seat, ...] = ()  # whom the campaign waits for besides him
    audit: AuditBlock | None = None
    outcome: Outcome | None = None
    read: tuple[ReadLine, ...] = ()  # his orders as they were read, and what became of them
    before: View = None  # what everyone saw before all that; None: it is the first letter


class Written(NamedTuple):
    """A letter's words and pictures, before addresses and headers."""

    subject: str
    text: str
    html: str
    pictures: tuple[Picture, ...]


def result_letter(game: Game, result: Result, phrases: Phrases) -> Written:
    """The letter to the seat of the result's view."""
    facts = [fact for chapter in result.happened for fact in chapter.facts]
    drawn = has_map(game)
    strip = strip_png(game, result.before, result.view, phrases, facts) if drawn else b""
    pictures = [Picture(MAP, map_png(game, result.view, phrases, facts))] if drawn else []
    pictures += [Picture(STRIP, strip)] if strip else []
    content = {**_content(game, result, phrases), "strip": STRIP if strip else ""}
    subject = phrases.told("letter", "over" if result.outcome else "subject", content)
    text = letter_text("result.txt.j2", content, phrases)
    return Written(subject, text, letter_html("result.html.j2", content, phrases), tuple(pictures))


def result_text(game: Game, result: Result, phrases: Phrases) -> str:
    """Its words alone."""
    return letter_text("result.txt.j2", _content(game, result, phrases), phrases)


# ------------------------------------------------------------------ what the templates see


def _content(game: Game, result: Result, phrases: Phrases) -> dict[str, Any]:
    facts = [fact for chapter in result.happened for fact in chapter.facts]
    readable = [fact for fact in (fact_for(fact, result.view.seat) for fact in facts) if fact is not None]
    kinds = Counter(type(fact).__name__ for fact in readable)
    headline = phrases.told("letter", "headline", {"view": result.view, "kinds": kinds})
    return {
        "result": result,
        "campaign": result.campaign,
        "name": game.names[phrases.language],
        "view": result.view,
        "headline": headline,
        "chapters": _chapters(result, phrases),
        "board": view_text(game, result.view, phrases).rstrip("\n"),
        "questions": [_posed(game, ask, result, phrases) for ask in result.asks],
        "numbered": not result.sheet,
        "sheet": (sheet := _sheet(game, result, phrases)),
        "remarks": any(is_form_remark(line) for line in sheet),
        "window": result.window.partition("/")[0],
        "until": _moment(result, phrases, LONG),
        "by": _moment(result, phrases, SHORT),
        "map_text": map_text(game, result.view, phrases) if has_map(game) else "",
        "statuses": statuses(phrases),
        "key_shown": KEY_SHOWN,
        "map": MAP,
    }


def _chapters(result: Result, phrases: Phrases) -> list[tuple[str, list[str]]]:
    """Titles and sentences; a segment in which nothing is told of has none."""
    seat, known = result.view.seat, Known(result.before)
    told = [(chapter.segment, account(chapter.facts, seat, phrases, known)) for chapter in result.happened]
    return [(phrases.segment(segment) if segment else "", lines) for segment, lines in told if lines]


def _posed(game: Game, ask: Ask, result: Result, phrases: Phrases) -> dict[str, Any]:
    """Where there is a form its block has the default and, if they are many, examples of the answers."""
    if result.sheet and ask.topic in game.notation.sequence_topics:
        return {"words": phrases.question(ask), "answers": [], "whole": True, "default": ""}
    asked = posed(game, ask, result.view, phrases)
    return {**asked, "answers": []} if result.sheet and not asked["whole"] else asked


def posed(game: Game, ask: Ask, view: View, phrases: Phrases) -> dict[str, Any]:
    """A question with its answers as order lines: all of them, or examples spread over them."""

    def line(answer: Answer) -> str:
        return game.notation.write_answer(ask, answer, phrases.language, view)

    answers = list(ask.options.describe())
    whole = len(answers) <= LISTED
    places = range(len(answers)) if whole else [n * len(answers) // LISTED for n in range(LISTED)]
    return {
        "words": phrases.question(ask),
        "answers": [(place + 1, line(answers[place])) for place in places],
        "whole": whole,
        "default": line(ask.default),
    }


def _sheet(game: Game, result: Result, phrases: Phrases) -> list[str]:
    """The pre-filled lines: those given, else what is done without a letter, else the game's own."""
    if result.sheet:
        return list(result.sheet)
    lines = default_lines(game, result.view, result.asks, phrases)
    if lines or not has_form(result.window, phrases):
        return fitted(lines)
    return form_lines(game, result.view, result.window, phrases)


def _moment(result: Result, phrases: Phrases, pattern: str) -> str:
    """The deadline where the reader lives, with the name of his time."""
    if result.deadline is None:
        return ""
    return moment_words(Moment(result.deadline, result.zone), phrases.language, pattern)


def statuses(phrases: Phrases) -> dict[str, str]:
    """What may become of a line, in words."""
    return {status: phrases.plain("statuses", status) for status in phrases.keys("statuses")}
