"""The public report, and the views that are built of it: one for every question.

Little changes from one question to the next. So the report is kept, and works out anew only what the facts
since the last look have touched. What views show is never changed, only replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from engine.games.first_world_war.answers import Faction, Recall
from engine.games.first_world_war.facts.board import (
    CountersDeployed,
    CountersMoved,
    CountersTurnedDown,
    CountersTurnedUp,
    MoversTurnedDown,
    PhaseBegan,
    ReinforcementsArrived,
    RoundSpent,
    TurnBegan,
)
from engine.games.first_world_war.facts.combat import (
    ArmiesReplaced,
    ArmyEliminated,
    AttackLaunched,
    CaptureDeclined,
    CombatResolved,
    DrawDeclined,
    DummiesRemoved,
    FrontFoundEmpty,
    LeaderNamed,
    LocationCaptured,
    SurrenderPointGiven,
    TileDrawn,
    TilePlaced,
    TilePutBack,
    TileRemoved,
    TileReturned,
    TilesAdded,
)
from engine.games.first_world_war.state import FACTIONS, State
from engine.games.first_world_war.view import View, eyes
from engine.kernel.fast_dataclass import constructor
from engine.kernel.requests import Fact, Seat

if TYPE_CHECKING:
    from engine.games.first_world_war.pack import Pack

Ids: TypeAlias = tuple[str, ...]
new_view = constructor(View)
NEVER: tuple[int, dict[int, Ids]] = (0, {})


class Report:
    """S-3 What lies open to all, and S-4 what each seat may know besides, of a position that changes."""

    __slots__ = (
        "_changed",
        "_counts",
        "_face_up",
        "_held",
        "_known",
        "_lying",
        "_now",
        "_parts",
        "_public",
        "_shown",
        "_state",
    )

    def __init__(self, state: State) -> None:
        self._state = state
        self._now = 1  # counts the looks at the fronts
        self._lying: dict[int, list[str]] = {front: [] for front in state.fronts}  # as they were seen last
        self._face_up: list[str] = []
        self._changed = dict.fromkeys(state.fronts, 1)  # front -> the look that saw other counters or faces
        self._counts: dict[int, Mapping[Faction, int]] = {front: {} for front in state.fronts}
        self._known: dict[Seat, tuple[int, dict[int, Ids]]] = {}  # with the look it is of
        self._held: dict[Seat, tuple[Mapping[Faction, Ids], Mapping[Faction, Ids]]] = {}  # new, hands
        self._shown: dict[str, Any] = {}  # what lies beside the fronts, as it is shown
        self.look_again()

    def look_again(self, facts: Sequence[Fact] | None = None) -> None:
        """These facts have changed the position; None: anything may be different."""
        state, shown = self._state, self._shown
        for part in EVERYTHING if facts is None else touched(facts):
            if part == "fronts":
                self._look_at_fronts()
            else:
                shown[part] = BESIDE[part](getattr(state, part), state.pack)
            if part in ("waiting", "hands"):
                self._held = {}
        self._parts: dict[Seat, tuple[Any, ...]] = {}  # of the seats' views
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
        parts = self._parts.get(seat)
        if parts is None:
            parts = self._parts[seat] = self._look_for(seat)
        return new_view(*parts)

    def _look_at_fronts(self) -> None:
        """S-3 Counters by colour, anew where others lie; faces where others are up."""
        state, lying, changed = self._state, self._lying, self._changed
        now = self._now = self._now + 1
        counts = self._counts = self._counts.copy()
        turned = {*state.face_up}.symmetric_difference(self._face_up)
        for front, there in state.fronts.items():
            if lying[front] != there:
                lying[front], changed[front] = there.copy(), now
                counts[front] = by_colour(there, state.pack)
            elif turned and not turned.isdisjoint(there):
                changed[front] = now
        self._face_up = state.face_up.copy()

    def _look_for(self, seat: Seat) -> tuple[Any, ...]:
        """S-4 What this seat knows: faces, its factions' new counters and tiles, its negotiations.

        With the public report after it, in the order of a view's fields.
        """
        state = self._state
        own = eyes(state.pack, state.players, seat)
        then, known = self._known.get(seat, NEVER)
        if then != self._now:
            known, up, lying = known.copy(), {*self._face_up}, self._lying
            for front, when in self._changed.items():
                if when > then:
                    sees = own.sees[front]
                    known[front] = tuple([c for c in lying[front] if c in sees or c in up])
            self._known[seat] = self._now, known
        if seat not in self._held:
            self._held[seat] = _of(own.factions, state.waiting), _of(own.factions, state.hands)
        new, hands = self._held[seat]
        recalls = _recalls(state) if own.negotiates and state.recalls else ()
        return state.pack, seat, own.factions, known, new, hands, recalls, *self._public


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


# ------------------------------------------------------------------ what facts touch

BESIDE: Mapping[str, Callable[[Any, Pack], Any]] = {  # what lies beside the fronts, and how it is shown
    "seats": _as_it_is,
    "options": _as_it_is,
    "waiting": _numbers,  # off the board
    "track": _lists_not_empty,
    "returning": _ids,
    "pool": _lists,
    "control": _as_it_is,
    "vp": _as_it_is,
    "surrender": _lists,
    "hands": _backs,
    "cups": _backs,
    "tiles_out": _ids,
    "attacked": _lists,
    "won": _as_it_is,
}
EVERYTHING: Ids = ("fronts", *BESIDE)
# The facts of most turns, and which parts of the position they touch; faces belong to the fronts, and what is
# a single value is looked at every time. Any other fact may touch everything.
TOUCHED: Mapping[type, Ids] = {
    TurnBegan: ("surrender", "attacked"),
    PhaseBegan: (),
    ReinforcementsArrived: ("waiting", "track", "returning"),
    CountersDeployed: ("fronts", "waiting"),
    RoundSpent: ("won",),
    CountersMoved: ("fronts",),
    MoversTurnedDown: ("fronts",),
    CountersTurnedUp: ("fronts",),
    CountersTurnedDown: ("fronts",),
    AttackLaunched: ("attacked",),
    DummiesRemoved: ("fronts", "waiting"),
    FrontFoundEmpty: ("won",),
    LeaderNamed: (),
    CombatResolved: ("won",),
    ArmyEliminated: ("fronts", "pool"),
    TilePlaced: ("hands",),
    TileDrawn: ("hands", "cups"),
    DrawDeclined: (),
    TilePutBack: ("hands", "cups"),
    TileReturned: ("cups",),
    TileRemoved: ("tiles_out",),
    LocationCaptured: ("control", "vp"),
    CaptureDeclined: (),
    SurrenderPointGiven: ("surrender",),
    ArmiesReplaced: ("returning", "pool"),
    TilesAdded: ("cups",),
}


def touched(facts: Sequence[Fact]) -> Iterable[str]:
    """The parts of the position that these facts have touched, each once."""
    return {part: None for fact in facts for part in TOUCHED.get(type(fact), EVERYTHING)}
