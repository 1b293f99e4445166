"""Result letters: what happened, what it means for the reader, what they can do now, until when and how.

`Result` holds facts; every word is in `templates/letters` and the phrase files. Plain text and HTML tell
the same; the text is complete in itself, the HTML has the map as a picture. A letter is a function of its
`Result` alone, and nothing in it is loaded from the network.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine.kernel.fairness.export import AuditBlock
from engine.kernel.game import Game, Outcome, View, fact_for
from engine.kernel.requests import Answer, Ask, Fact, Seat, Segment
from pbem.letters.dates import LONG, SHORT, Moment, moment_words
from pbem.letters.dice import roll_lines
from pbem.letters.maps import has_map, map_png, map_text, strip_png
from pbem.letters.order_form import default_lines, fit_lines, form_lines, has_form, is_form_remark
from pbem.letters.phrases import Phrases
from pbem.letters.render import (
    LastCounts,
    LetterBody,
    ReadLine,
    account,
    letter_body,
    letter_text,
    statuses,
    view_text,
)
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
class ComingQuestion:
    """A question that may come before the next letter, and what is on file for it."""

    topic: str
    line: str  # the standing order, or what happens without one, in notation
    standing: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """All that goes into a result letter. Only what the reader may read of the facts is told."""

    campaign: str  # "FWW-7"
    view: View
    happened: tuple[Chapter, ...] = ()
    asks: tuple[Ask, ...] = ()  # open questions of the reader
    window: str = ""  # open for the reader's orders: "T3.R"; "": none
    sheet: tuple[str, ...] = ()  # the pre-filled lines, where something else than the usual is wanted
    foreseen: tuple[ComingQuestion, ...] = ()
    deadline: datetime | None = None
    zone: str = "UTC"  # of the reader
    waiting: tuple[Seat, ...] = ()  # whom else the campaign waits for
    audit: AuditBlock | None = None
    outcome: Outcome | None = None
    read: tuple[ReadLine, ...] = ()  # the reader's orders as they were read, and what became of them
    before: View = None  # what everyone saw before all that; None: it is the first letter


def result_letter(game: Game, result: Result, phrases: Phrases) -> LetterBody:
    """The letter to the seat of the result's view."""
    facts = facts_of(result.happened)
    strip = strip_png(game, result.before, result.view, phrases, facts) if has_map(game) else b""
    pictures = map_pictures(game, result.view, phrases, facts)
    pictures += [Picture(STRIP, strip)] if strip else []
    content = {**_content(game, result, phrases), "strip": STRIP if strip else ""}
    subject = phrases.say("letter", "over" if result.outcome else "subject", content)
    return letter_body("result", subject, content, phrases, pictures)


def result_text(game: Game, result: Result, phrases: Phrases) -> str:
    """Its words alone."""
    return letter_text("result.txt.j2", _content(game, result, phrases), phrases)


# ------------------------------------------------------------------ what other letters tell as well


def facts_of(chapters: Iterable[Chapter]) -> list[Fact]:
    return [fact for chapter in chapters for fact in chapter.facts]


def map_pictures(game: Game, view: View, phrases: Phrases, facts: Sequence[Fact]) -> list[Picture]:
    """The map with what happened, of a game that has one."""
    return [Picture(MAP, map_png(game, view, phrases, facts))] if has_map(game) else []


def position_content(game: Game, campaign: str, view: View, phrases: Phrases) -> dict[str, Any]:
    """What the templates show of a position."""
    return {
        "campaign": campaign,
        "name": game.names[phrases.language],
        "view": view,
        "board": view_text(game, view, phrases).rstrip("\n"),
        "map": MAP,
        "map_text": map_text(game, view, phrases) if has_map(game) else "",
    }


def tell_chapters(
    chapters: Iterable[Chapter], seat: Seat | None, phrases: Phrases, before: View = None
) -> list[tuple[str, list[str]]]:
    """Titles and sentences as that seat may read them (None: as everyone may), without empty segments.

    `before`: what the reader last saw.
    """
    counts = LastCounts(before)
    accounts = [(chapter.segment, account(chapter.facts, seat, phrases, counts)) for chapter in chapters]
    return [(phrases.segment(segment) if segment else "", lines) for segment, lines in accounts if lines]


# ------------------------------------------------------------------ what the templates see


def _content(game: Game, result: Result, phrases: Phrases) -> dict[str, Any]:
    view, sheet = result.view, _sheet(game, result, phrases)
    readable = (fact_for(fact, view.seat) for fact in facts_of(result.happened))
    kinds = Counter(type(fact).__name__ for fact in readable if fact is not None)
    return {
        **position_content(game, result.campaign, view, phrases),
        "result": result,
        "headline": phrases.say("letter", "headline", {"view": view, "kinds": kinds}),
        "chapters": tell_chapters(result.happened, view.seat, phrases, result.before),
        "questions": [_pose(game, ask, result, phrases) for ask in result.asks],
        "numbered": not result.sheet,
        "sheet": sheet,
        "remarks": any(is_form_remark(line) for line in sheet),
        "window": result.window.partition("/")[0],
        "until": _moment(result, phrases, LONG),
        "by": _moment(result, phrases, SHORT),
        "statuses": statuses(phrases),
        "rolls": [] if result.audit is None else roll_lines(result.audit.throws),
        "key_shown": KEY_SHOWN,
    }


def _pose(game: Game, ask: Ask, result: Result, phrases: Phrases) -> dict[str, Any]:
    """Where there is a form its block has the default and, if they are many, examples of the answers."""
    if result.sheet and ask.topic in game.notation.sequence_topics:
        return {"words": phrases.question(ask), "answers": [], "whole": True, "default": ""}
    asked = pose_question(game, ask, result.view, phrases)
    return {**asked, "answers": []} if result.sheet and not asked["whole"] else asked


def pose_question(game: Game, ask: Ask, view: View, phrases: Phrases) -> dict[str, Any]:
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
        return fit_lines(lines)
    return form_lines(game, result.view, result.window, phrases)


def _moment(result: Result, phrases: Phrases, pattern: str) -> str:
    """The deadline where the reader lives, with the name of the time zone."""
    if result.deadline is None:
        return ""
    return moment_words(Moment(result.deadline, result.zone), phrases.language, pattern)
