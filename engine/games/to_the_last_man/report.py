"""The public report, and the views that are built of it: one for every question.

Little changes from one question to the next. So the report remembers what it saw, compares it with what lies
there now, and works out anew only what is different. What views show is never changed, only replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from engine.games.to_the_last_man.answers import Group, Side
from engine.games.to_the_last_man.facts.board import kinds
from engine.games.to_the_last_man.rules.areas import every_status
from engine.games.to_the_last_man.rules.supply import supplied
from engine.games.to_the_last_man.rules.victory import victory_points
from engine.games.to_the_last_man.state import SIDES, State
from engine.games.to_the_last_man.view import Victory, View
from engine.kernel.requests import Fact, Seat

T = TypeVar("T")
ByArea = dict[str, dict[Side, Group]]
GROUND = ("owner", "forts", "army_at", "contents", "loose")  # what the map's states are made of
LYING = (*GROUND, "pool", "hands", "discard")


class Report:
    """0-13 What lies open to all, and what each side may know besides, of a position that changes."""

    __slots__ = ("_last", "_memory", "_now", "_options", "_public", "_state")

    def __init__(self, state: State) -> None:
        self._state = state
        self._options = dict(state.options)  # agreed before the game: they never change
        self._last: dict[str, Any] = {}  # what lay there when it was seen last
        self._now = dict.fromkeys(LYING, 0)  # how often each was seen to have changed
        self._memory: dict[str, tuple[Any, Any]] = {}  # of what was seen, and how it is shown
        self.look_again()

    def look_again(self, facts: Sequence[Fact] | None = None) -> None:
        """The position may have changed."""
        state, last, now = self._state, self._last, self._now
        for name in LYING:
            there = getattr(state, name)
            if last.get(name) != there:
                last[name] = _copy(there)
                now[name] += 1
        self._public = {**self._course(), **self._map(), **self._cards()}

    def __call__(self, seat: Seat) -> View:
        """The view of that seat, of the position as it was looked at last. Runs for every question."""
        side: Side = "GE" if seat == "GE" else "EN"
        return View(**self._private(side, seat), **self._public)

    def _kept(self, name: str, of: tuple[str, ...], shown: Callable[[], T], *more: Any) -> T:
        """What was shown last time, if all it is made of lies as it did; `more` are plain values."""
        seen = (*[self._now[one] for one in of], *more)
        memory = self._memory.get(name)
        if memory is not None and memory[0] == seen:
            return memory[1]  # type: ignore[no-any-return]
        value = shown()
        self._memory[name] = (seen, value)
        return value

    # ------------------------------------------------------------ public

    def _course(self) -> dict[str, Any]:
        """The season, the Player Turn, and what was done in it."""
        state = self._state
        armies = state.pack.armies
        return {
            "scenario": state.scenario,
            "options": self._options,
            "turn": state.turn,
            "first_turn": state.first_turn,
            "last_turn": state.last_turn,
            "phase": state.phase,
            "first": state.first,
            "phasing": state.phasing,
            "number": state.number,
            "passes": state.passes,
            "offensive": state.offensive,
            "cut": state.cut,
            "weather": state.weather,
            "cards_played": state.cards_played,
            "was_friendly": tuple(state.was_friendly),
            "army_steps": {army: number for army, number in state.steps.items() if army in armies},
            "army_moved": tuple([piece for piece in state.moved if piece in armies]),
            "used": dict(state.used),
            "entered": tuple(state.entered),
            "battles": tuple(state.battles),
            "fought": tuple(state.fought),
            "laid": {side: tuple(there) for side, there in state.laid.items()},
            "bonus": tuple(state.bonus),
            "counter": state.counter,
            "spent": dict(state.spent),
            "suppressed": tuple(state.suppressed),
        }

    def _map(self) -> dict[str, Any]:
        """What lies on the map and in the pools."""
        state, units, kept = self._state, self._state.pack.units, self._kept
        dug = [unit for unit in state.entrenched if unit in units]
        back = [unit for unit in state.retreated if unit in units]
        return {
            "owner": kept("owner", ("owner",), lambda: dict(state.owner)),
            "forts": kept("forts", ("forts",), lambda: dict(state.forts)),
            "army_at": kept("army_at", ("army_at",), lambda: dict(state.army_at)),
            "holding": kept("holding", ("contents",), lambda: _holding(state)),
            "loose": kept("loose", ("loose",), lambda: _by_area(state, None)),
            "entrenched": tuple([piece for piece in state.entrenched if piece not in units]),
            "dug_in": kept("dug_in", ("loose",), lambda: _by_area(state, dug), tuple(dug)) if dug else {},
            "fortified": tuple(state.fortified),
            "pool": kept("pool", ("pool",), lambda: _pool(state)),
            "eliminated": tuple(state.eliminated),
            "dissolved": tuple(state.dissolved),
            "arriving": {
                side: tuple([one for one in state.held[side] if one not in units]) for side in SIDES
            },
            "corps": tuple(state.corps),
            "retreated": tuple([piece for piece in state.retreated if piece not in units]),
            "retreated_loose": _by_area(state, back) if back else {},
            "victory": kept(
                "victory",
                GROUND,
                lambda: _victory(state),
                tuple(state.eliminated),
                state.crisis_vp,
                state.turn,
            ),
        }

    def _cards(self) -> dict[str, Any]:
        state, kind = self._state, self._state.pack.cards
        return {
            "deck_size": -1 if state.options["hidden_hand_size"] else len(state.deck),
            "discard": self._kept("discard", ("discard",), lambda: _sorted_kinds(state.discard, kind)),
            "removed": _sorted_kinds(state.removed, kind),
        }

    # ------------------------------------------------------------ private

    def _private(self, side: Side, seat: Seat) -> dict[str, Any]:
        """Whoever holds no seat looks from the Entente's side and knows nothing of its own."""
        state, kept = self._state, self._kept
        shared = {
            "pack": state.pack,
            "seat": seat,
            "side": side,
            "status": kept(f"status.{side}", GROUND, lambda: every_status(state, side)),
            "supplied": kept(f"supplied.{side}", GROUND, lambda: supplied(state, side)),
            "hand_sizes": self._hand_sizes(seat),
        }
        return shared | (self._own(side) if seat in SIDES else self._nobodys())

    def _nobodys(self) -> dict[str, Any]:
        contents = {} if self._state.options["hidden_army_templates"] else _contents(self._state, "EN")
        nothing = dict.fromkeys(("hand", "fresh", "held", "scrambled"), ())
        return {**nothing, "contents": contents, "budget": {}, "plan": "", "points": {}}

    def _own(self, side: Side) -> dict[str, Any]:
        state, kept = self._state, self._kept
        kind, units = state.pack.cards, state.pack.units
        hand, held = state.hands[side], state.held[side]
        return {
            "hand": kept(f"hand.{side}", ("hands",), lambda: _sorted_kinds(hand, kind)),
            "fresh": _sorted_kinds(state.fresh, kind) if state.phasing == side else (),
            "contents": kept(f"contents.{side}", ("contents",), lambda: _contents(state, side)),
            "budget": _budget(state, side) if state.steps or state.shifted else {},
            "held": grouped(tuple([one for one in held if one in units])),
            "plan": state.plan if state.phasing == side else "",
            "scrambled": grouped(
                tuple([unit for unit in state.scrambled if state.pack.side_of[unit] == side])
            ),
            "points": {side: state.points.get(side, 0)},
        }

    def _hand_sizes(self, seat: Seat) -> dict[Side, int]:
        state = self._state
        hidden = state.options["hidden_hand_size"]
        return {one: len(state.hands[one]) if one == seat or not hidden else -1 for one in SIDES}


# ------------------------------------------------------------------ how it is shown


@lru_cache(maxsize=8192)
def grouped(units: tuple[str, ...]) -> Group:
    """Counters by kind; the same few come again and again."""
    return kinds(units)


def _sorted_kinds(cards: Iterable[str], kind: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(sorted([kind[one] for one in cards]))


def _holding(state: State) -> dict[str, bool]:
    return {army: bool(there) for army, there in state.contents.items()}


def _pool(state: State) -> dict[str, Group]:
    return {nation: grouped(tuple(there)) for nation, there in state.pool.items()}


def _contents(state: State, side: Side) -> dict[str, Group]:
    """11.2-02 Of the own armies; of all where templates lie open."""
    of, open_ = state.pack.side_of, not state.options["hidden_army_templates"]
    return {
        army: grouped(tuple(there)) for army, there in state.contents.items() if open_ or of[army] == side
    }


def _victory(state: State) -> Victory:
    parts = victory_points(state)
    total = sum(parts.values())
    return Victory(total, state.pack.level(total).id, parts)


def _by_area(state: State, wanted: Iterable[str] | None) -> ByArea:
    """Loose counters by area and side, where there are any; of those wanted alone."""
    of, found = state.pack.side_of, ByArea()
    chosen = None if wanted is None else frozenset(wanted)
    for area, there in state.loose.items():
        if there:
            shown = {
                side: group
                for side in SIDES
                if (
                    group := grouped(
                        tuple([one for one in there if of[one] == side and (chosen is None or one in chosen)])
                    )
                )
            }
            if shown:
                found[area] = shown
    return found


def _budget(state: State, side: Side) -> dict[str, tuple[tuple[str, int], ...]]:
    """4.1-03 What the own counters have moved, by the place they are in; only where some have.

    9 stands for a counter that may not move again.
    """
    of, kind, steps, moved = state.pack.side_of, state.pack.kind_of, state.steps, state.moved
    touched = {*steps, *moved, *state.shifted}
    found: dict[str, tuple[tuple[str, int], ...]] = {}
    for places in (state.contents, state.loose):
        for place, units in places.items():
            if touched.isdisjoint(units):
                continue
            spent = [
                (kind[unit], 9 if unit in moved else steps.get(unit, 0))
                for unit in units
                if unit in touched and of[unit] == side
            ]
            if spent:
                found[place] = tuple(sorted(spent))
    return found


def _copy(there: Any) -> Any:
    """So that it stays as it was seen: lists, and mappings of lists, change where they lie."""
    if isinstance(there, dict):
        return {key: value.copy() if isinstance(value, list) else value for key, value in there.items()}
    return there.copy()
