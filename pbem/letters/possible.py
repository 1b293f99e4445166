"""What may be ordered now, in its reader's words: as remarks in a form, and in full on request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.kernel.game import Game, View
from engine.kernel.possible import PossibleOrders
from engine.kernel.requests import Ask
from pbem.letters.phrases import Phrases
from pbem.letters.render import WIDTH

REMARK = "# "
MOST_SHOWN = 30  # orders in a form


@dataclass(frozen=True, slots=True)
class OrderGroup:
    """Orders of one kind below their title."""

    title: str
    lines: tuple[str, ...]
    first: int  # so many stand in a form
    after: str  # the order that has to stand above them


def possible_orders(game: Game, view: View, asks: Sequence[Ask], phrases: Phrases) -> tuple[OrderGroup, ...]:
    """By kind, without those of which there is nothing."""
    groups = game.possible(view, asks, phrases.language)
    return tuple(_group(group, phrases) for group in groups if group.lines)


def _group(group: PossibleOrders, phrases: Phrases) -> OrderGroup:
    title = phrases.say("possible", group.kind)
    title = phrases.say("possible", "title", {"title": title, "after": group.after})
    return OrderGroup(title, group.lines, group.first, group.after)


def possible_remarks(groups: Iterable[OrderGroup], phrases: Phrases) -> list[str]:
    """The first of each kind, commented out: whoever takes away the sign has an order."""
    found: list[str] = []
    left = MOST_SHOWN
    for group in groups:
        fitting = [line for line in group.lines[: group.first] if len(REMARK + line) <= WIDTH]
        if shown := fitting[:left]:
            found += [REMARK + group.title, *(REMARK + line for line in shown)]
            left -= len(shown)
    if not found:
        return []
    say = phrases.say
    return [REMARK + say("possible", "intro"), *found, REMARK + say("possible", "more")]
