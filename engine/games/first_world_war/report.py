"""The public report, and the views that are built of it: one for every question.

Little changes from one question to the next. So the report remembers what it saw, compares it with what lies
there now, and works out anew only what is different. What views show is never changed, only replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from engine.games.first_world_war.answers import Faction, Recall
from engine.games.first_world_war.state import FACTIONS, State
from engine.games.first_world_war.view import View, eyes
from engine.kernel.requests import Seat

if TYPE_CHECKING:
    from engine.games.first_world_war.pack import Pack

Ids: TypeAlias = tuple[str, ...]
Private: TypeAlias = (  # in the order of a view's fields: factions, known, new, hands, recalls
    "tuple[tuple[Faction, ...], Mapping[int, Ids], Mapping[Faction, Ids], Mapping[Faction, Ids],"
    " tuple[Recall, ...]]"
)
NEVER: tuple[int, Mapping[int, Ids]] = (0, {})


def build_view(state: State, seat: Seat) -> View:
    """S-3, S-4 Everything public, and what this seat alone may know."""
    return Report(state)(seat)


class Report:
    """S-3 What lies open to all, and S-4 what each seat may know besides, of a position that changes."""

    __slots__ = (
        "_changed",
        "_counts",
        "_face_up",
        "_known",
        "_lying",
        "_now",
        "_parts",
        "_private",
        "_public",
        "_state",
        "_then",
    )

    def __init__(self, state: State) -> None:
        self._state = state
        self._now = 0  # counts the times that counters were seen to have changed
        self._lying: dict[int, list[str]] = {}  # front -> counters as they were seen last
        self._face_up: list[str] = []
        self._changed: dict[int, int] = {}  # front -> when they were seen to have changed
        self._counts: dict[int, Mapping[Faction, int]] = {}
        self._known: dict[Seat, tuple[int, Mapping[int, Ids]]] = {}  # with the time of the look
        self._then: tuple[Any, ...] = (None,) * len(PARTS)  # what lay elsewhere when it was seen last
        self._parts: tuple[Any, ...] = ()  # and how it is shown
        self.look_again()

    def look_again(self) -> None:
        """The position may have changed."""
        state = self._state
        if state.fronts != self._lying or state.face_up != self._face_up:
            self._look_at_fronts()
        lies = elsewhere(state)
        if lies != self._then:
            self._look_elsewhere(lies)
        seats, options, waiting, track, returning, pool, control, vp, surrender, *tiles_and_rounds = (
            self._parts
        )
        hands, cups, tiles_out, attacked, won = tiles_and_rounds
        self._private: dict[Seat, Private] = {}
        self._public = (  # in the order of a view's fields
            seats,
            state.players,
            options,
            state.turn,
            state.phase,
            state.round,
            state.deploy_order,
            state.round_order,
            self._counts,
            tuple(state.face_up),
            waiting,
            track,
            returning,
            pool,
            control,
            vp,
            surrender,
            state.treaty,
            hands,
            cups,
            tiles_out,
            attacked,
            won,
        )

    def __call__(self, seat: Seat) -> View:
        """The view of that seat, of the position as it was looked at last. Runs for every question."""
        private = self._private.get(seat)
        if private is None:
            private = self._private[seat] = self._look_for(seat)
        factions, known, new, hands, recalls = private
        return View(self._state.pack, seat, factions, known, new, hands, recalls, *self._public)

    def _look_at_fronts(self) -> None:
        """S-3 Counters by colour, anew where other counters lie or other faces are up than before."""
        fronts, face_up, lying = self._state.fronts, self._state.face_up, self._lying
        changed = {front for front, there in fronts.items() if lying.get(front) != there}
        if turned := {*face_up} ^ {*self._face_up}:
            changed |= {front for front, there in fronts.items() if not turned.isdisjoint(there)}
            self._face_up = face_up.copy()
        self._now += 1
        self._counts = dict(self._counts)
        for front in sorted(changed):
            lying[front] = fronts[front].copy()
            self._changed[front] = self._now
            self._counts[front] = by_colour(fronts[front], self._state.pack)

    def _look_elsewhere(self, lies: tuple[Any, ...]) -> None:
        """S-3 Everything beside the fronts, anew where it is different."""
        then, parts, pack = list(self._then), list(self._parts or self._then), self._state.pack
        for place, (copied, shown) in enumerate(PARTS):
            if then[place] != lies[place]:
                then[place], parts[place] = copied(lies[place]), shown(lies[place], pack)
        self._then, self._parts = tuple(then), tuple(parts)

    def _look_for(self, seat: Seat) -> Private:
        """S-4 What this seat knows: faces, its factions' new counters and tiles, its negotiations."""
        state = self._state
        own = eyes(state.pack, state.players, seat)
        then, known = self._known.get(seat, NEVER)
        if then != self._now:
            seen, up = dict(known), self._face_up
            for front, when in self._changed.items():
                if when > then:
                    sees = own.sees[front]
                    seen[front] = tuple([c for c in self._lying[front] if c in sees or c in up])
            known = seen
            self._known[seat] = self._now, known
        new = {faction: tuple(state.waiting[faction]) for faction in own.factions}
        hands = {faction: tuple(state.hands[faction]) for faction in own.factions}
        recalls = _recalls(state) if own.negotiates and state.recalls else ()
        return own.factions, known, new, hands, recalls


def _recalls(state: State) -> tuple[Recall, ...]:
    """5.2-2 Requests whose army still stands where it was asked for."""
    return tuple([recall for recall in state.recalls if recall.army in state.fronts[recall.origin]])


# ------------------------------------------------------------------ how things are shown


def by_colour(counters: Iterable[str], pack: Pack) -> Mapping[Faction, int]:
    """S-3 Numbers in the factions' order, because the ids' order would tell of ids."""
    colour = pack.faction_of
    there = [colour[counter] for counter in counters]
    return {faction: there.count(faction) for faction in FACTIONS if faction in there}


def _backs(hands: Mapping[Any, list[str]], pack: Pack) -> dict[Any, tuple[int, int]]:
    """S-6 Number of normal and of mandatory tiles."""
    forced = {holder: len(mandatory(pack).intersection(tiles)) for holder, tiles in hands.items()}
    return {holder: (len(tiles) - forced[holder], forced[holder]) for holder, tiles in hands.items()}


@cache
def mandatory(pack: Pack) -> frozenset[str]:
    return frozenset(tile.id for tile in pack.tiles.values() if tile.mandatory)


def _listed(lists: Mapping[Any, list[Any]], pack: Pack) -> dict[Any, tuple[Any, ...]]:
    return {key: tuple(items) for key, items in lists.items()}


def _not_empty(lists: Mapping[Any, list[Any]], pack: Pack) -> dict[Any, tuple[Any, ...]]:
    return {key: tuple(items) for key, items in lists.items() if items}


def _numbers(lists: Mapping[Any, list[Any]], pack: Pack) -> dict[Any, int]:
    return {key: len(items) for key, items in lists.items()}


def _all(items: Any, pack: Pack) -> Any:
    """A copy that nobody changes."""
    return dict(items) if isinstance(items, Mapping) else tuple(items)


def _copied(lists: Mapping[Any, list[Any]]) -> dict[Any, list[Any]]:
    return {key: items.copy() for key, items in lists.items()}


def elsewhere(state: State) -> tuple[Any, ...]:
    """Where else than on the fronts something changes, in the order of `PARTS`."""
    return (
        state.seats,
        state.options,
        state.waiting,
        state.track,
        state.returning,
        state.pool,
        state.control,
        state.vp,
        state.surrender,
        state.hands,
        state.cups,
        state.tiles_out,
        state.attacked,
        state.won,
    )


# How it is remembered, and how it is shown.
PARTS: tuple[tuple[Callable[[Any], Any], Callable[[Any, Pack], Any]], ...] = (
    (dict, _all),  # seats
    (dict, _all),  # options
    (_copied, _numbers),  # waiting: off the board
    (_copied, _not_empty),  # track
    (list, _all),  # returning
    (_copied, _listed),  # pool
    (dict, _all),  # control
    (dict, _all),  # vp
    (_copied, _listed),  # surrender
    (_copied, _backs),  # hands
    (_copied, _backs),  # cups
    (list, _all),  # tiles_out
    (_copied, _listed),  # attacked
    (dict, _all),  # won
)
