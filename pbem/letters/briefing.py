"""The briefing of a letter: its headline, and the lines of *For you*.

What matters is the game's to say (`Game.brief`), the words are in the sections `briefing` and `headlines` of
the phrase files. Orders of the reader that failed stand first, or that nothing was gained or lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from engine.kernel.briefing import BriefingItem
from engine.kernel.game import Game, View, fact_for
from engine.kernel.requests import Fact
from pbem.letters.phrases import Phrases
from pbem.letters.render import ReadLine

MOST_TOLD = 8  # lines of *For you*
MOST_FAILED = 3  # of them, orders that failed one by one
MOST_CLAUSES = 3  # of a headline
THREATS, SCORE = 15, 1000  # so much heavier they are where lines have to be left out
CHANGES = frozenset({"gain", "loss"})  # tones of what is different for the reader
FAILED = frozenset({"missing", "refused", "held", "unread", "unanswered"})


class Briefing(NamedTuple):
    """What the reader should know in ten seconds."""

    headline: str
    for_you: list[tuple[str, str]]  # tone, words


def brief_reader(
    game: Game,
    before: View | None,
    view: View,
    facts: Iterable[Fact],
    phrases: Phrases,
    read: Sequence[ReadLine] = (),
) -> Briefing:
    """For the reader of the view; for everybody, if it is nobody's. `read`: what became of their orders."""
    readable = [fact for fact in (fact_for(fact, view.seat or None) for fact in facts) if fact is not None]
    items = sorted(game.brief(before, view, readable), key=lambda item: -item.weight)
    first = _failed(read, phrases)
    if before is not None and view.seat and not first and CHANGES.isdisjoint(item.tone for item in items):
        first = [("news", phrases.word("unchanged"))]
    shown = _heaviest(items, MOST_TOLD - len(first))
    told = [(item.tone, phrases.say("briefing", item.kind, item.given)) for item in shown]
    return Briefing(_headline(items, view, phrases), [*first, *told])


def _heaviest(items: Sequence[BriefingItem], number: int) -> list[BriefingItem]:
    """So many, and among them always how the reader stands; where there are more, threats come first."""

    def rank(item: BriefingItem) -> int:
        return item.weight + (THREATS if item.tone == "threat" else SCORE if item.tone == "score" else 0)

    chosen = sorted(items, key=lambda item: -rank(item))[:number]
    return [item for item in items if item in chosen]


def _headline(items: Sequence[BriefingItem], view: View, phrases: Phrases) -> str:
    """The heaviest that have a clause of their own; on a quiet day what everybody should know."""
    told = (
        phrases.say("headlines", item.kind, item.given)
        for item in items
        if phrases.has("headlines", item.kind)
    )
    clauses = list(islice((clause for clause in told if clause), MOST_CLAUSES))
    if not clauses:
        return phrases.say("letter", "headline", {"view": view})
    return phrases.word("headline", clauses=clauses)


def _failed(read: Sequence[ReadLine], phrases: Phrases) -> list[tuple[str, str]]:
    """Orders that failed, with the reason."""
    rows = [row for row in read if row.status in FAILED]
    shown = rows if len(rows) <= MOST_FAILED else rows[: MOST_FAILED - 1]
    words = [phrases.word("failed", line=row.line, why=" ".join(row.remarks)) for row in shown]
    if len(rows) > len(shown):
        words.append(phrases.word("failed_more", number=len(rows) - len(shown)))
    return [("loss", one) for one in words]
