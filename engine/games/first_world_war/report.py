"""The public report, and the views that are built of it: one for every question.

Little changes from one question to the next. So the report remembers what it saw, compares it with what lies
there now, and works out anew only what is different. What views show is never changed, only replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from engine.games.first_world_war.answers import Faction, Recall
from engine.games.first_world_war.state import FACTIONS, State
from engine.games.first_world_war.view import View, eyes
from engine.kernel.requests import Seat

if TYPE_CHECKING:
    from engine.games.first_world_war.pack import Pack

Ids: TypeAlias = tuple[str, ...]
NEVER: tuple[int, dict[int, Ids]] = (0, {})


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
        "_public",
        "_shown",
        "_state",
        "_views",
    )

    def __init__(self, state: State) -> None:
        self._state = state
        self._now = 1  # counts the times that counters were seen to have changed
        self._lying: dict[int, list[str]] = {front: [] for front in state.fronts}  # as they were seen last
        self._face_up: list[str] = []
        self._changed = dict.fromkeys(state.fronts, 1)  # front -> when counters were seen to have changed
        self._counts: dict[int, Mapping[Faction, int]] = {front: {} for front in state.fronts}
        self._known: dict[Seat, tuple[int, dict[int, Ids]]] = {}  # with the time of the look
        self._held: dict[Seat, tuple[Mapping[Faction, Ids], Mapping[Faction, Ids]]] = {}  # new, hands
        self._beside: tuple[Any, ...] = (None,) * len(BESIDE)  # what lay beside them when it was seen last
        self._shown: dict[str, Any] = {}  # and how it is shown
        self.look_again()

    def look_again(self) -> None:
        """The position may have changed."""
        state = self._state
        if state.fronts != self._lying or state.face_up != self._face_up:
            self._look_at_fronts()
        beside = lying_beside(state)
        if beside != self._beside:
            self._look_beside(beside)
        shown = self._shown
        self._views: dict[Seat, View] = {}
        self._public = (  # in the order of a view's fields
            shown["seats"],
            state.players,
            shown["options"],
            state.turn,
            state.phase,
            state.round,
            state.deploy_order,
            state.round_order,
            self._counts,
            tuple(self._face_up),
            shown["waiting"],
            shown["track"],
            shown["returning"],
            shown["pool"],
            shown["control"],
            shown["vp"],
            shown["surrender"],
            state.treaty,
            shown["hands"],
            shown["cups"],
            shown["tiles_out"],
            shown["attacked"],
            shown["won"],
        )

    def __call__(self, seat: Seat) -> View:
        """The view of that seat, of the position as it was looked at last. Runs for every question."""
        view = self._views.get(seat)
        if view is None:
            view = self._views[seat] = self._look_for(seat)
        return view

    def _look_at_fronts(self) -> None:
        """S-3 Counters by colour, anew where others lie; faces where others are up."""
        state, lying, changed, self._now = self._state, self._lying, self._changed, self._now + 1
        turned = {*state.face_up}.symmetric_difference(self._face_up)
        counts = self._counts = self._counts.copy()
        for front, there in state.fronts.items():
            if lying[front] != there:
                lying[front], changed[front] = there.copy(), self._now
                counts[front] = by_colour(there, state.pack)
            elif turned and not turned.isdisjoint(there):
                changed[front] = self._now
        self._face_up = state.face_up.copy()

    def _look_beside(self, beside: tuple[Any, ...]) -> None:
        """S-3 What lies beside the fronts, anew where it is different."""
        kept = []
        for (name, (copied, show)), now, seen in zip(BESIDE.items(), beside, self._beside, strict=True):
            if now == seen:
                kept.append(seen)
                continue
            kept.append(copied(now))
            self._shown[name] = show(now, self._state.pack)
            if name in ("waiting", "hands"):
                self._held = {}
        self._beside = tuple(kept)

    def _look_for(self, seat: Seat) -> View:
        """S-4 What this seat knows: faces, its factions' new counters and tiles, its negotiations."""
        state = self._state
        own = eyes(state.pack, state.players, seat)
        then, known = self._known.get(seat, NEVER)
        if then != self._now:
            known, up, lying = known.copy(), self._face_up, self._lying
            for front, when in self._changed.items():
                if when > then:
                    sees = own.sees[front]
                    known[front] = tuple([c for c in lying[front] if c in sees or c in up])
            self._known[seat] = self._now, known
        if seat not in self._held:
            self._held[seat] = _of(own.factions, state.waiting), _of(own.factions, state.hands)
        new, hands = self._held[seat]
        recalls = _recalls(state) if own.negotiates and state.recalls else ()
        return View(state.pack, seat, own.factions, known, new, hands, recalls, *self._public)


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


# What lies beside the fronts: how it is copied, to be compared with later, and how it is shown.
BESIDE: Mapping[str, tuple[Callable[[Any], Any], Callable[[Any, Pack], Any]]] = {
    "seats": (dict, _as_it_is),
    "options": (dict, _as_it_is),
    "waiting": (_copied, _numbers),  # off the board
    "attacked": (_copied, _lists),
    "won": (dict, _as_it_is),
    "track": (_copied, _lists_not_empty),
    "returning": (list, _ids),
    "pool": (_copied, _lists),
    "control": (dict, _as_it_is),
    "vp": (dict, _as_it_is),
    "surrender": (_copied, _lists),
    "hands": (_copied, _backs),
    "cups": (_copied, _backs),
    "tiles_out": (list, _ids),
}
lying_beside: Callable[[State], tuple[Any, ...]] = attrgetter(*BESIDE)
