"""The map as one side sees it, laid out so that the rules of movement can say what is legal on it.

Nothing here comes from anywhere but the view. A closed army of the enemy is supposed to hold one infantry.
"""

from __future__ import annotations

from engine.games.to_the_last_man.answers import Group, Side
from engine.games.to_the_last_man.state import NATIONS, SIDES, State
from engine.games.to_the_last_man.view import View


class _Counters:
    """Counters by their kinds, each given out once."""

    def __init__(self, view: View) -> None:
        self._left = {kind: list(ids) for kind, ids in view.pack.kinds.items()}

    def take(self, group: Group) -> list[str]:
        return sorted(piece for kind, number in group for piece in self._some(kind, number))

    def one_of(self, nation: str) -> list[str]:
        """An infantry, or whatever that nation has left."""
        own = (kind for kind, ids in self._left.items() if ids and kind.startswith(f"{nation}."))
        kind = min(own, key=lambda one: one != f"{nation}.I", default="")
        return self._some(kind, 1) if kind else []

    def _some(self, kind: str, number: int) -> list[str]:
        left = self._left[kind]
        taken, left[:number] = left[:number], []
        return taken


def before_moves(view: View, offensive: str) -> State:
    """The Player Turn of the view's side after that Offensive card, or in a Pass (""), nothing moved yet."""
    pack, counters, own = view.pack, _Counters(view), view.side
    known = {army: counters.take(group) for army, group in view.contents.items()}
    loose: dict[str, list[str]] = {area: [] for area in pack.areas}
    dug: list[str] = []
    for area, there in view.loose.items():
        for side, group in there.items():
            lying = counters.take(group)
            loose[area] += lying
            dug += _of_kinds(view, lying, view.dug_in.get(area, {}).get(side, ()))
        loose[area].sort()
    closed = [army for army in view.army_at if army not in known]
    known |= {
        army: counters.one_of(pack.armies[army].nation) if view.holding[army] else [] for army in closed
    }
    return State(
        pack=pack,
        scenario=view.scenario,
        options=view.options,
        first_turn=view.first_turn,
        last_turn=view.last_turn,
        turn=view.turn,
        phase="moves",
        first=view.first,
        phasing=own,
        number=view.number,
        owner=dict(view.owner),
        forts=dict(view.forts),
        army_at=dict(view.army_at),
        contents={army: known[army] for army in view.army_at},
        loose=loose,
        entrenched=sorted([*view.entrenched, *dug]),
        fortified=list(view.fortified),
        pool={nation: counters.take(view.pool.get(nation, ())) for nation in NATIONS},
        held={side: [] for side in SIDES},
        hands=_hands(view, own),
        laid={side: [] for side in SIDES},
        offensive=offensive,
        was_friendly=list(view.was_friendly),
        points=dict.fromkeys(SIDES, 0),
        dug=dict.fromkeys(SIDES, 0),
        upgrades=dict.fromkeys(SIDES, 0),
        bought=dict.fromkeys(SIDES, 0),
    )


def _of_kinds(view: View, pieces: list[str], group: Group) -> list[str]:
    """So many of them of each kind."""
    kind_of, found = view.pack.kind_of, list[str]()
    for kind, number in group:
        found += [piece for piece in pieces if kind_of[piece] == kind][:number]
    return found


def _hands(view: View, own: Side) -> dict[Side, list[str]]:
    """The own one; of several cards of a kind any will do."""
    left = {
        kind: [card for card, of in view.pack.cards.items() if of == kind]
        for kind in dict.fromkeys(view.hand)
    }
    return {side: [left[kind].pop() for kind in view.hand] if side == own else [] for side in SIDES}
