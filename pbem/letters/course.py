"""The course of a game that is over: its turns in about ten lines, and the score as a chart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import ceil
from typing import NamedTuple

from resvg_py import svg_to_bytes

from engine.kernel.game import Game, State, fact_for
from engine.kernel.journal import JOURNAL_VERSION, JournalLine, codec_of, upcast
from engine.kernel.records import read_segment
from engine.kernel.replay import is_kind
from engine.kernel.requests import Fact, Seat, Segment
from pbem.letters.painting import reduce_colors
from pbem.letters.phrases import Phrases
from pbem.letters.render import overlay
from pbem.mail.compose import Picture
from pbem.resources import templates_folder

MOST_ROWS = 10
MOST_EVENTS = 4  # told of a row; of the others their number
CHART = "score.png"
CHART_TEMPLATE = "score.svg.j2"
TICKS = 5  # at most so many lines across the chart


@dataclass(frozen=True, slots=True)
class TurnPast:
    """A turn as everyone saw it, from nobody's seat: its landmarks, and the score when it ended."""

    turn: str  # "T3"
    standing: Mapping[str, int]
    facts: tuple[Fact, ...]


class CourseRow(NamedTuple):
    """A turn, or several, in words."""

    turn: str
    scores: tuple[str, ...]
    events: str


def turns_past(
    game: Game, state: State, first: Segment, lines: Iterable[JournalLine]
) -> tuple[TurnPast, ...]:
    """The turns of a journal that began at that state, which is led to the end, with that segment."""
    codec, version, turn = codec_of(game), JOURNAL_VERSION, first.turn
    past, facts = list[TurnPast](), list[Fact]()
    for line in lines:
        if is_kind(line, "open") or is_kind(line, "version"):
            version = line.data["v"]
        elif is_kind(line, "seam"):
            following = read_segment(upcast(line.data, version)).turn
            if following != turn:
                if is_numbered(turn):
                    past.append(_turn_past(game, turn, state, facts))
                    facts = []
                turn = following
        elif is_kind(line, "fact"):
            facts.append(fact := codec.fact(upcast(line.data, version)))
            fact.apply(state)
    past.append(_turn_past(game, turn, state, facts))
    return tuple(past)


def is_numbered(turn: str) -> bool:
    """Is it a turn, and not the set-up of the game, which counts as a part of the first?"""
    return any(map(str.isdigit, turn))


def _turn_past(game: Game, turn: str, state: State, facts: Iterable[Fact]) -> TurnPast:
    told = (fact_for(fact, None) for fact in facts)
    landmarks = tuple(one for one in told if type(one).__name__ in game.retrospect.landmarks)
    standing = game.retrospect.standing(game.view(state, Seat("")))
    return TurnPast(turn, standing, tuple(one for one in landmarks if one is not None))


# ------------------------------------------------------------------ in words


def course_rows(game: Game, past: Sequence[TurnPast], phrases: Phrases) -> list[CourseRow]:
    """About ten lines: a long game has several turns in each."""
    size = ceil(len(past) / MOST_ROWS)
    return [_row(game, past[at : at + size], phrases) for at in range(0, len(past), size)] if past else []


def _row(game: Game, turns: Sequence[TurnPast], phrases: Phrases) -> CourseRow:
    names = [_turn_name(turns[0], phrases)]
    if len(turns) > 1:
        names.append(_turn_name(turns[-1], phrases))
    scores = tuple(map(str, turns[-1].standing.values()))
    return CourseRow(" – ".join(names), scores, _events(game, turns, phrases))


def _turn_name(past: TurnPast, phrases: Phrases) -> str:
    return phrases.say("final", "turn_name", {"label": past.turn})


def _events(game: Game, turns: Sequence[TurnPast], phrases: Phrases) -> str:
    """The landmarks, the weightiest first; what is said of several is said once."""
    facts = [fact for past in turns for fact in past.facts]
    weights = {name: weight for weight, name in enumerate(game.retrospect.landmarks)}
    groups: dict[str, list[str]] = {}
    for fact in sorted(facts, key=lambda fact: weights[type(fact).__name__]):
        head, _, item = _landmark(fact, phrases).partition("|")
        if item and item not in groups.setdefault(head, []):
            groups[head].append(item)
    clauses = [_clause(head, items, phrases) for head, items in groups.items()]
    return phrases.say("final", "course_clauses" if clauses else "course_quiet", {"clauses": clauses})


def _landmark(fact: Fact, phrases: Phrases) -> str:
    """What kind of event it was, a bar, and what it happened to: "Germany takes|Verdun"."""
    told = {field.name: getattr(fact, field.name) for field in fields(fact)}  # type: ignore[arg-type]
    return phrases.say("final", f"course_{type(fact).__name__}", told)


def _clause(head: str, items: Sequence[str], phrases: Phrases) -> str:
    told = {"head": head, "shown": items[:MOST_EVENTS], "more": max(0, len(items) - MOST_EVENTS)}
    return phrases.say("final", "course_group", told)


def standing_names(past: Sequence[TurnPast], phrases: Phrases, key: str = "standing_short") -> list[str]:
    """The sides of the score, as the columns of a table have it or (`standing`) in full."""
    sides = list(past[0].standing) if past else []
    return [phrases.say("final", key, {"side_key": side}) for side in sides]


# ------------------------------------------------------------------ as a chart


class ChartLine(NamedTuple):
    """One side's score, turn by turn, in the chart's own coordinates."""

    name: str
    points: tuple[tuple[float, float], ...]
    last: int
    label: float  # height of its label


@dataclass(frozen=True, slots=True)
class Chart:
    """Where everything is drawn."""

    lines: tuple[ChartLine, ...]
    ticks: tuple[tuple[int, float], ...]  # score, height
    turns: tuple[tuple[str, float], ...]  # name, place
    every: int  # so many turns to a name and a point


LEFT, RIGHT, TOP, BOTTOM = 90, 670, 80, 330  # the field of the lines
APART = 30  # heights of two labels
LETTER_WIDTH = 16  # of the names of turns, with what is left free between two


def chart_of(past: Sequence[TurnPast], phrases: Phrases) -> Chart:
    """The chart of a score that has at least two turns."""
    keys, scores = list(past[0].standing), [list(one.standing.values()) for one in past]
    low, high, step = _scale([score for row in scores for score in row])

    def across(turn: int) -> float:
        return round(LEFT + (RIGHT - LEFT) * turn / (len(past) - 1), 1)

    def up(score: int) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * (score - low) / (high - low), 1)

    labels = _spread([up(score) for score in scores[-1]])
    names = standing_names(past, phrases, "standing")
    lines = tuple(
        ChartLine(
            names[place],
            tuple((across(turn), up(row[place])) for turn, row in enumerate(scores)),
            scores[-1][place],
            labels[place],
        )
        for place in range(len(keys))
    )
    turns = [_turn_name(one, phrases) for one in past]
    every = ceil(max(map(len, turns)) * LETTER_WIDTH * len(turns) / (RIGHT - LEFT))
    shown = tuple((turns[n], across(n)) for n in range(0, len(turns), every))
    ticks = tuple((score, up(score)) for score in range(low, high + 1, step))
    return Chart(lines, ticks, shown, every)


def _scale(scores: Sequence[int]) -> tuple[int, int, int]:
    """Lowest and highest score of the chart and the step between its lines, all of them round."""
    low, high = min(scores), max(scores)
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 1000) if (high - low) / step < TICKS - 1)
    return low // step * step, max(-(-high // step) * step, low // step * step + step), step


def _spread(heights: Sequence[float]) -> list[float]:
    """Labels at these heights, moved apart where they would overlap."""
    placed: dict[int, float] = {}
    before = float("-inf")
    for place in sorted(range(len(heights)), key=heights.__getitem__):
        before = placed[place] = max(heights[place], before + APART)
    return [placed[place] for place in range(len(heights))]


def has_chart(past: Sequence[TurnPast]) -> bool:
    """Is there a score, and more than one turn of it?"""
    return len(past) > 1 and bool(past[0].standing)


def chart_pictures(past: Sequence[TurnPast], phrases: Phrases) -> tuple[Picture, ...]:
    """The chart as a picture, where there is one."""
    if not has_chart(past):
        return ()
    env = overlay(phrases, templates_folder() / "letters", autoescape=True)
    svg = env.get_template(CHART_TEMPLATE).render(chart=chart_of(past, phrases))
    fonts = [str(path) for path in sorted((templates_folder() / "maps" / "fonts").glob("*.ttf"))]
    png = bytes(svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=fonts))
    return (Picture(CHART, reduce_colors(png)),)
