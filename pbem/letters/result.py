"""Result letters: what happened, what it means for the reader, what they can do now, until when and how.

`Result` holds facts; every word is in `templates/letters` and the phrase files. Plain text and HTML tell
the same; the text is complete in itself, the HTML has the map as a picture. A letter is a function of its
`Result` alone, and nothing in it is loaded from the network.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from engine.kernel.briefing import BriefingItem
from engine.kernel.fairness.export import AuditBlock
from engine.kernel.game import Game, Outcome, View, fact_for
from engine.kernel.requests import Answer, Ask, Fact, Seat, Segment
from pbem.letters.briefing import brief_reader
from pbem.letters.dates import LONG, SHORT, Moment, moment_words
from pbem.letters.dice import roll_lines
from pbem.letters.maps import ROOM, has_map, map_pictures, strip_png
from pbem.letters.order_form import default_lines, fit_lines, form_lines, has_form, is_form_remark
from pbem.letters.phrases import Phrases
from pbem.letters.render import (
    LastCounts,
    LetterBody,
    ReadLine,
    board_tables,
    in_blocks,
    letter_body,
    letter_text,
    statuses,
    told_facts,
    view_text,
)
from pbem.mail.compose import Picture

LISTED = 9  # a question with more answers than these shows examples of them
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
    own_before: View = None  # what the reader saw before all that; None: it is the first letter
    title: str = ""  # of the campaign; "": the game's name


class MapPicture(NamedTuple):
    """A map as the page shows it: the picture's name in the letter, and the same in words."""

    cid: str
    alt: str


def result_letter(game: Game, result: Result, phrases: Phrases) -> LetterBody:
    """The letter to the seat of the result's view."""
    facts = facts_of(result.happened)
    strip = strip_png(game, result.before, result.view, phrases, facts) if has_map(game) else b""
    pictures = map_pictures(game, result.view, phrases, facts, room=ROOM - len(strip))
    content = {**_content(game, result, phrases), **shown(pictures), "strip": STRIP if strip else ""}
    pictures += [Picture(STRIP, strip)] if strip else []
    subject = phrases.say("letter", "over" if result.outcome else "subject", content)
    return letter_body("result", subject, content, phrases, pictures)


def result_text(game: Game, result: Result, phrases: Phrases) -> str:
    """Its words alone."""
    return letter_text("result.txt.j2", _content(game, result, phrases), phrases)


# ------------------------------------------------------------------ what other letters tell as well


def facts_of(chapters: Iterable[Chapter]) -> list[Fact]:
    return [fact for chapter in chapters for fact in chapter.facts]


def shown(pictures: Iterable[Picture]) -> dict[str, Any]:
    """What the templates know of the maps: their names in the letter, and the same in words."""
    return {"maps": [MapPicture(one.name, one.alt) for one in pictures]}


def position_content(
    game: Game, campaign: str, view: View, phrases: Phrases, title: str = ""
) -> dict[str, Any]:
    """What the templates show of a position."""
    return {
        "campaign": campaign,
        "title": title or game.names[phrases.language],
        "view": view,
        "board": view_text(game, view, phrases).rstrip("\n"),
        "board_tables": board_tables(game, view, phrases),
        "maps": [],
    }


def dice_content(audit: AuditBlock | None) -> dict[str, Any]:
    """What the templates show of the dice that fell since the reader's last letter."""
    rolls = [] if audit is None else roll_lines(audit.throws)
    return {"audit": audit, "rolls": rolls, "key_shown": KEY_SHOWN}


def tell_chapters(
    game: Game, chapters: Iterable[Chapter], seat: Seat | None, phrases: Phrases, before: View = None
) -> list[tuple[str, list[str]]]:
    """Titles and sentences as that seat may read them (None: as everyone may), without empty segments.

    Segments in which somebody passed share one line; what a conclusion begins with is not told before it.
    `before`: what the reader last saw.
    """
    counts, parts = LastCounts(before), list[tuple[str, list[str]]]()
    passed: list[tuple[Segment | None, Fact]] = []
    for chapter in chapters:
        ends = _conclusions(game, chapter, seat)
        told_there = [fact for end in ends for fact in end.tells]
        every = told_facts(chapter.facts, seat, phrases, counts)
        told = [(fact, words) for fact, words in every if fact not in told_there]
        if told and all(phrases.joins("passed", fact) for fact, _ in told):
            passed += [(chapter.segment, fact) for fact, _ in told]
        elif lines := [*in_blocks(told, phrases), *(_say(end, phrases) for end in ends)]:
            parts += _tell_passed(passed, phrases)
            passed = []
            parts.append((phrases.segment(chapter.segment) if chapter.segment else "", lines))
    return [*parts, *_tell_passed(passed, phrases)]


def _conclusions(game: Game, chapter: Chapter, seat: Seat | None) -> tuple[BriefingItem, ...]:
    """How the battles of the segment ended."""
    readable = [fact for fact in (fact_for(fact, seat) for fact in chapter.facts) if fact is not None]
    return game.conclude(readable)


def _say(end: BriefingItem, phrases: Phrases) -> str:
    return phrases.say("conclusions", end.kind, end.given)


def _tell_passed(
    passed: Sequence[tuple[Segment | None, Fact]], phrases: Phrases
) -> list[tuple[str, list[str]]]:
    """Segments in a row in which somebody passed, in one line without a title."""
    return [("", [phrases.say("passed", "all", {"rows": passed})])] if passed else []


# ------------------------------------------------------------------ what the templates see


def _content(game: Game, result: Result, phrases: Phrases) -> dict[str, Any]:
    view, sheet = result.view, _sheet(game, result, phrases)
    facts = facts_of(result.happened)
    briefing = brief_reader(game, result.own_before, view, facts, phrases, result.read)
    questions = [_pose(game, ask, result, phrases) for ask in result.asks]
    return {
        **position_content(game, result.campaign, view, phrases, result.title),
        "result": result,
        "headline": briefing.headline,
        "for_you": briefing.for_you,
        "chapters": tell_chapters(game, result.happened, view.seat, phrases, result.before),
        "asked": bool(result.window or result.asks),
        "wanted": _wanted(result, questions, phrases),
        "questions": questions,
        "numbered": not result.sheet,
        "sheet": sheet,
        "remarks": any(is_form_remark(line) for line in sheet),
        "window": result.window.partition("/")[0],
        "until": _moment(result, phrases, LONG),
        "by": _moment(result, phrases, SHORT),
        "statuses": statuses(phrases),
        **dice_content(result.audit),
    }


def _wanted(result: Result, questions: Sequence[Mapping[str, Any]], phrases: Phrases) -> str:
    """What the reader has to write, in a sentence: the one question, or what makes a turn."""
    if len(questions) == 1 and not result.sheet:
        return str(questions[0]["words"])
    return phrases.say("letters", "wanted", {"window": result.window if result.sheet else ""})


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
