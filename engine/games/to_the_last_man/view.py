"""What one seat may know, built up from nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from engine.games.to_the_last_man.answers import Group, Side
from engine.games.to_the_last_man.facts.board import kinds
from engine.games.to_the_last_man.rules.areas import status
from engine.games.to_the_last_man.rules.victory import victory_points
from engine.games.to_the_last_man.state import SIDES, Phase, State, Status
from engine.games.to_the_last_man.windows import other
from engine.kernel.frozen import swift
from engine.kernel.requests import Seat

if TYPE_CHECKING:
    from engine.games.to_the_last_man.pack import Pack


@dataclass(frozen=True, slots=True)
class Victory:
    """3.1 How the war stands."""

    total: int
    level: str
    parts: Mapping[str, int]


@swift
@dataclass(frozen=True, slots=True)
class View:
    """0-13: the seat's private part and the public report. Mappings are never changed."""

    pack: Pack  # printed data, the same for all
    # what this seat alone may know
    seat: Seat
    side: Side
    hand: tuple[str, ...]  # kinds of cards, sorted
    fresh: tuple[str, ...]  # of them, those of no use in this Player Turn
    contents: Mapping[str, Group]  # own armies on the map; all armies where templates are open
    budget: Mapping[
        str, tuple[tuple[str, int], ...]
    ]  # own army or area -> its counters' kinds and steps moved
    held: Group  # own reinforcements not yet placed, by kind
    plan: str  # own battle plan of this Player Turn
    scrambled: Group
    # what everyone knows
    scenario: str
    options: Mapping[str, Any]
    turn: int
    first_turn: int
    last_turn: int
    phase: Phase
    first: Side
    phasing: Side | Literal[""]
    number: int
    passes: int
    status: Mapping[str, Status]  # of each area, for this side
    owner: Mapping[str, Side | Literal[""]]
    forts: Mapping[str, int]
    army_at: Mapping[str, str]
    holding: Mapping[str, bool]  # army -> has it anything in it? An empty one does not count for stacking
    loose: Mapping[str, Mapping[Side, Group]]  # only areas and sides that have any
    entrenched: tuple[str, ...]  # armies
    dug_in: Mapping[str, Mapping[Side, Group]]  # loose counters that are entrenched
    fortified: tuple[str, ...]
    pool: Mapping[str, Group]  # nation -> kinds
    eliminated: tuple[str, ...]
    dissolved: tuple[str, ...]
    arriving: Mapping[Side, tuple[str, ...]]  # armies not yet placed
    corps: tuple[str, ...]
    hand_sizes: Mapping[Side, int]  # -1: hidden
    deck_size: int  # -1: hidden
    discard: tuple[str, ...]  # kinds, sorted
    removed: tuple[str, ...]
    offensive: str
    cut: int
    weather: bool
    cards_played: int
    was_friendly: tuple[str, ...]
    army_steps: Mapping[str, int]
    army_moved: tuple[str, ...]
    used: Mapping[str, int]
    entered: tuple[str, ...]
    battles: tuple[str, ...]
    fought: tuple[str, ...]
    laid: Mapping[Side, tuple[tuple[str, str], ...]]
    bonus: tuple[str, ...]
    counter: str
    retreated: tuple[str, ...]  # armies with a marker
    retreated_loose: Mapping[str, Mapping[Side, Group]]
    spent: Mapping[str, int]  # Ersatz cards are laid open: budgets of both sides
    suppressed: tuple[Side, ...]
    points: Mapping[Side, int]  # own side's only while production goes on
    victory: Victory


def build_view(state: State, seat: Seat) -> View:
    side: Side = "GE" if seat == "GE" else "EN"
    return View(**_private(state, side, seat), **_public(state), status=_status(state, side))


def _status(state: State, side: Side) -> dict[str, Status]:
    return {area: status(state, area, side) for area in state.pack.areas}


def _private(state: State, side: Side, seat: Seat) -> dict[str, Any]:
    of, card = state.pack.side_of, state.pack.cards
    open_ = not state.options["hidden_army_templates"]
    hidden_sizes = state.options["hidden_hand_size"]
    enemy = other(side)
    return {
        "pack": state.pack,
        "seat": seat,
        "side": side,
        "hand": tuple(sorted(card[one] for one in state.hands[side])),
        "fresh": tuple(sorted(card[one] for one in state.fresh)) if state.phasing == side else (),
        "contents": {
            army: kinds(there) for army, there in state.contents.items() if open_ or of[army] == side
        },
        "budget": _budget(state, side),
        "held": kinds(one for one in state.held[side] if one in state.pack.units),
        "plan": state.plan if state.phasing == side else "",
        "scrambled": kinds(unit for unit in state.scrambled if of[unit] == side),
        "hand_sizes": {
            one: len(state.hands[one]) if one == side or not hidden_sizes else -1 for one in (side, enemy)
        },
        "points": {side: state.points.get(side, 0)},
    }


def _budget(state: State, side: Side) -> dict[str, tuple[tuple[str, int], ...]]:
    """4.1-03 What the own counters have moved, by the place they are in; only where some have."""
    of, kind = state.pack.side_of, state.pack.kind_of
    places: dict[str, list[str]] = {army: there for army, there in state.contents.items() if of[army] == side}
    places |= {area: [unit for unit in there if of[unit] == side] for area, there in state.loose.items()}
    found: dict[str, tuple[tuple[str, int], ...]] = {}
    for place, units in places.items():
        spent = sorted(
            (kind[unit], 9 if unit in state.moved else state.steps.get(unit, 0))
            for unit in units
            if unit in state.steps or unit in state.moved or unit in state.shifted
        )
        if spent:
            found[place] = tuple(spent)
    return found


def _public(state: State) -> dict[str, Any]:
    card, units = state.pack.cards, state.pack.units
    dug = [unit for unit in state.entrenched if unit in units]
    back = [unit for unit in state.retreated if unit in units]
    return {
        "scenario": state.scenario,
        "options": state.options,
        "turn": state.turn,
        "first_turn": state.first_turn,
        "last_turn": state.last_turn,
        "phase": state.phase,
        "first": state.first,
        "phasing": state.phasing,
        "number": state.number,
        "passes": state.passes,
        "owner": dict(state.owner),
        "forts": dict(state.forts),
        "army_at": dict(state.army_at),
        "holding": {army: bool(there) for army, there in state.contents.items()},
        "loose": _by_area(state, lambda unit: True),
        "entrenched": tuple(piece for piece in state.entrenched if piece in state.pack.armies),
        "dug_in": _by_area(state, dug.__contains__) if dug else {},
        "fortified": tuple(state.fortified),
        "pool": {nation: kinds(there) for nation, there in state.pool.items()},
        "eliminated": tuple(state.eliminated),
        "dissolved": tuple(state.dissolved),
        "arriving": {
            side: tuple(one for one in state.held[side] if one in state.pack.armies) for side in SIDES
        },
        "corps": tuple(state.corps),
        "deck_size": -1 if state.options["hidden_hand_size"] else len(state.deck),
        "discard": tuple(sorted(card[one] for one in state.discard)),
        "removed": tuple(sorted(card[one] for one in state.removed)),
        "offensive": state.offensive,
        "cut": state.cut,
        "weather": state.weather,
        "cards_played": state.cards_played,
        "was_friendly": tuple(state.was_friendly),
        "army_steps": {army: state.steps[army] for army in state.army_at if army in state.steps},
        "army_moved": tuple(piece for piece in state.moved if piece in state.pack.armies),
        "used": dict(state.used),
        "entered": tuple(state.entered),
        "battles": tuple(state.battles),
        "fought": tuple(state.fought),
        "laid": {side: tuple(there) for side, there in state.laid.items()},
        "bonus": tuple(state.bonus),
        "counter": state.counter,
        "retreated": tuple(piece for piece in state.retreated if piece in state.pack.armies),
        "retreated_loose": _by_area(state, back.__contains__) if back else {},
        "spent": dict(state.spent),
        "suppressed": tuple(state.suppressed),
        "victory": _victory(state),
    }


def _victory(state: State) -> Victory:
    parts = victory_points(state)
    total = sum(parts.values())
    return Victory(total, state.pack.level(total).id, parts)


def _by_area(state: State, wanted: Any) -> dict[str, dict[Side, Group]]:
    """Loose counters by area and side, where there are any."""
    of, found = state.pack.side_of, dict[str, dict[Side, Group]]()
    for area, there in state.loose.items():
        if not there:
            continue
        shown = {
            side: group
            for side in SIDES
            if (group := kinds(unit for unit in there if of[unit] == side and wanted(unit)))
        }
        if shown:
            found[area] = shown
    return found
