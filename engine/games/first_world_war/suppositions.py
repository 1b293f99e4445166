"""How far the rehearsal of a sheet goes: enemies place nothing and pass, and nothing hidden is looked at."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.games.first_world_war.answers import Deploy
from engine.games.first_world_war.foregone import Outlook
from engine.games.first_world_war.order_of_play import ROUNDS, round_
from engine.games.first_world_war.view import View
from engine.games.first_world_war.windows import CYCLE_LENGTH
from engine.kernel import suppositions
from engine.kernel.requests import Answer, Ask, Segment

_ROUNDS = re.compile(r"T\d+\.(?:R|C(?P<cycle>\d))")  # windows of all rounds, or of a cycle of them


class Suppositions(suppositions.Suppositions):
    """4.2.1, 4.2.2 What a faction may order rests on its own counters and on what lies open."""

    silent_topics = frozenset({"deploy", "round.action"})
    sealed_topics = frozenset({"deploy"})
    outlook = Outlook

    def silence(self, ask: Ask) -> Answer:
        """Which counters an enemy has to place is hidden: they stay where they are."""
        return Deploy((), ask.given.new) if ask.topic == "deploy" else ask.default

    def parts(self, view: View, window: str) -> Sequence[Segment]:
        """D4 The rounds of the window: behind a combat nothing is known of the next but that they come."""
        if (named := _ROUNDS.fullmatch(window)) is None:
            return ()
        cycle = int(named["cycle"] or 0)
        first = (cycle - 1) * CYCLE_LENGTH if cycle else 0
        last = first + CYCLE_LENGTH if cycle else ROUNDS
        return [round_(view.turn, number) for number in range(first + 1, last + 1)]
