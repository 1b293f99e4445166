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
        "_beside",
        "_changed",
        "_counts",
        "_face_up",
        "_held",
        "_known",
        "_lying",
        "_now",
        "_private",
        "_public",
        "_shown",
        "_state",
    )

    def __init__(self, state: State) -> None:
        self._state = state
        self._now = 0  # counts the times that counters were seen to have changed
        self._lying: dict[int, list[str]] = {}  # front -> counters as they were seen last
        self._face_up: list[str] = []
        self._changed: dict[int, int] = {}  # front -> when they were seen to have changed
        self._counts: dict[int, Mapping[Faction, int]] = {}
        self._known: dict[Seat, tuple[int, Mapping[int, Ids]]] = {}  # with the time of the look
        self._held: dict[Seat, tuple[Mapping[Faction, Ids], Mapping[Faction, Ids]]] = {}  # new, hands
        self._beside: tuple[Any, ...] = ()  # what lay beside the fronts when it was seen last
        self._shown: tuple[Any, ...] = ()  # and how it is shown
        self.look_again()

    def look_again(self) -> None:
        """The position may have changed."""
        state = self._state
        if state.fronts != self._lying or state.face_up != self._face_up:
            self._look_at_fronts()
        beside = _beside_the_fronts(state)
        if beside != self._beside:
            self._look_beside(beside)
        seats, options, waiting, attacked, won, track, *others = self._shown
        returning, pool, control, vp, surrender, hands, cups, tiles_out = others
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
        """S-3 Counters by colour, anew where others lie; faces where others are up."""
        state, lying, self._now = self._state, self._lying, self._now + 1
        counts = self._counts = self._counts.copy()
        turned = {*state.face_up}.symmetric_difference(self._face_up)
        for front, there in state.fronts.items():
            if lying.get(front) != there:
                lying[front] = there.copy()
                counts[front] = by_colour(there, state.pack)
                self._changed[front] = self._now
            elif turned and not turned.isdisjoint(there):
                self._changed[front] = self._now
        self._face_up = state.face_up.copy()

    def _look_beside(self, beside: tuple[Any, ...]) -> None:
        """S-3 What lies beside the fronts, anew where it is different."""
        self._held = {}
        seen, shown = list(self._beside or (None,) * len(BESIDE)), list(self._shown or BESIDE)
        for place, (copied, show) in enumerate(BESIDE):
            now = beside[place]
            if seen[place] != now:
                seen[place], shown[place] = copied(now), show(now, self._state.pack)
        self._beside, self._shown = tuple(seen), tuple(shown)

    def _look_for(self, seat: Seat) -> Private:
        """S-4 What this seat knows: faces, its factions' new counters and tiles, its negotiations."""
        state = self._state
        own = eyes(state.pack, state.players, seat)
        then, known = self._known.get(seat, NEVER)
        if then != self._now:
            seen, up, lying = dict(known), self._face_up, self._lying
            for front, when in self._changed.items():
                if when > then:
                    sees = own.sees[front]
                    seen[front] = tuple([c for c in lying[front] if c in sees or c in up])
            known = seen
            self._known[seat] = self._now, known
        if seat not in self._held:
            self._held[seat] = _of(own.factions, state.waiting), _of(own.factions, state.hands)
        new, hands = self._held[seat]
        recalls = _recalls(state) if own.negotiates and state.recalls else ()
        return own.factions, known, new, hands, recalls


def _of(factions: Iterable[Faction], lists: Mapping[Faction, list[str]]) -> Mapping[Faction, Ids]:
    return {faction: tuple(lists[faction]) for faction in factions}


def _recalls(state: State) -> tuple[Recall, ...]:
    """5.2-2 Requests whose army still stands where it was asked for."""
    return tuple([recall for recall in state.recalls if recall.army in state.fronts[recall.origin]])


# ------------------------------------------------------------------ how things are shown


def by_colour(counters: Iterable[str], pack: Pack) -> Mapping[Faction, int]:
    """S-3 Numbers in the factions' order, because the ids' order would tell of ids."""
    colour = pack.faction_of
    there = [colour[counter] for counter in counters]
    return {faction: number for faction in FACTIONS if (number := there.count(faction))}


def _beside_the_fronts(state: State) -> tuple[Any, ...]:
    """What changes less often, in the order of `BESIDE`."""
    return (
        state.seats,
        state.options,
        state.waiting,
        state.attacked,
        state.won,
        state.track,
        state.returning,
        state.pool,
        state.control,
        state.vp,
        state.surrender,
        state.hands,
        state.cups,
        state.tiles_out,
    )


def _as_it_is(values: Mapping[Any, Any], pack: Pack) -> dict[Any, Any]:
    return dict(values)


def _ids(items: list[str], pack: Pack) -> Ids:
    return tuple(items)


def _lists(lists: Mapping[Any, list[Any]], pack: Pack) -> dict[Any, tuple[Any, ...]]:
    return {key: tuple(items) for key, items in lists.items()}


def _numbers(lists: Mapping[Any, list[Any]], pack: Pack) -> dict[Any, int]:
    return {key: len(items) for key, items in lists.items()}


def _lists_not_empty(lists: Mapping[Any, list[Any]], pack: Pack) -> dict[Any, tuple[Any, ...]]:
    return {key: tuple(items) for key, items in lists.items() if items}


def _backs(hands: Mapping[Any, list[str]], pack: Pack) -> dict[Any, tuple[int, int]]:
    """S-6 Number of normal and of mandatory tiles."""
    forced = {holder: len(mandatory(pack).intersection(tiles)) for holder, tiles in hands.items()}
    return {holder: (len(tiles) - forced[holder], forced[holder]) for holder, tiles in hands.items()}


@cache
def mandatory(pack: Pack) -> frozenset[str]:
    return frozenset(tile.id for tile in pack.tiles.values() if tile.mandatory)


def _copied(lists: Mapping[Any, list[Any]]) -> dict[Any, list[Any]]:
    return {key: items.copy() for key, items in lists.items()}


# How a thing is copied to be compared with later, and how it is shown.
BESIDE: tuple[tuple[Callable[[Any], Any], Callable[[Any, Pack], Any]], ...] = (
    (dict, _as_it_is),  # seats
    (dict, _as_it_is),  # options
    (_copied, _numbers),  # waiting: off the board
    (_copied, _lists),  # attacked
    (dict, _as_it_is),  # won
    (_copied, _lists_not_empty),  # track
    (list, _ids),  # returning
    (_copied, _lists),  # pool
    (dict, _as_it_is),  # control
    (dict, _as_it_is),  # vp
    (_copied, _lists),  # surrender
    (_copied, _backs),  # hands
    (_copied, _backs),  # cups
    (list, _ids),  # tiles_out
)
