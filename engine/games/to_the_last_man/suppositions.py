"""How far the rehearsal of a sheet goes: what closed armies may hold, and an enemy who does nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

from engine.games.to_the_last_man import order_of_play
from engine.games.to_the_last_man.answers import DONE, Side
from engine.games.to_the_last_man.foregone import Outlook
from engine.games.to_the_last_man.rules.fragile import BEFORE_INFANTRY
from engine.games.to_the_last_man.state import INFANTRY, State
from engine.games.to_the_last_man.view import View
from engine.games.to_the_last_man.windows import other
from engine.kernel import suppositions
from engine.kernel.requests import Answer, Ask, Seat, Segment

BEFORE_MOVES = ("card", "moves")  # phases: what closed armies hold comes to light when all have moved


class Suppositions(suppositions.Suppositions):
    """2.V.2, 2.I Both sides build and place sealed, each its own; 11.2 closed armies are not looked into."""

    silent_topics = frozenset({"production", "reinforce", "season.bid"})
    sealed_topics = frozenset({"production", "reinforce"})
    outlook = Outlook

    def silence(self, ask: Ask) -> Answer:
        """The usual bids, purchases and places rest on what closed armies hold."""
        if ask.topic == "season.bid":
            return ()
        return DONE if ask.topic in self.sealed_topics else ask.default

    def positions(self, state: State, seat: Seat) -> Sequence[Mapping[str, Any]]:
        """5.5 All closed armies of the enemy hold infantry; none does, and they are lost before ours."""
        if state.phase not in BEFORE_MOVES or not state.options["hidden_army_templates"]:
            return ({},)
        enemy = other("GE" if seat == "GE" else "EN")
        return tuple({"contents": _filled(state, enemy, types)} for types in (INFANTRY, BEFORE_INFANTRY))

    def parts(self, view: View, window: str) -> Sequence[Segment]:
        """In `fast` the reinforcements of a season come with the production of the one before."""
        if not window.endswith(".P") or view.turn == view.last_turn:
            return ()
        return order_of_play.production(view.turn), order_of_play.reinforcements(view.turn + 1)


def _filled(state: State, enemy: Side, types: Sequence[str]) -> dict[str, list[str]]:
    """In each closed army one counter of these types, if its nation has any out of sight at all.

    How many of each kind that is can be counted: all others lie open.
    """
    contents, pack = dict(state.contents), state.pack
    held = [piece for piece in state.held[enemy] if piece in pack.units]
    for nation in pack.sides[enemy].nations:
        closed = [army for army in pack.armies_of[nation] if contents.get(army)]
        inside = [unit for army in closed for unit in state.contents[army]]
        hidden = sorted((*inside, *(unit for unit in held if pack.nation_of[unit] == nation)))
        alike = [unit for unit in hidden if pack.type_of[unit] in types] or hidden
        for army, unit in zip(closed, cycle(alike), strict=False):
            contents[army] = [unit]
    return contents
