"""1.4, 8.1: which counter a kind means, what an army may hold, and who may know."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.games.to_the_last_man.answers import Goal, Group, Side
from engine.games.to_the_last_man.state import INFANTRY, State
from engine.kernel.requests import PUBLIC, Audience, Seat


def eyes(state: State, side: Side) -> Audience:
    """11.2-02 Who may read which counters lie in that side's armies."""
    return (Seat(side),) if state.options["hidden_army_templates"] else PUBLIC


def holder(side: Side) -> Audience:
    """Who may read which cards a side holds."""
    return (Seat(side),)


def pick(state: State, units: Sequence[str], group: Group) -> tuple[str, ...]:
    """Of these counters so many of each kind, sorted: those that moved least, then those that are not
    entrenched, then by id.
    """
    kind_of, found = state.pack.kind_of, list[str]()
    for kind, number in group:
        alike = sorted((unit for unit in units if kind_of[unit] == kind), key=lambda u: (burden(state, u), u))
        assert len(alike) >= number, f"{number} {kind} wanted of {len(alike)}"
        found += alike[:number]
    return tuple(sorted(found))


def burden(state: State, unit: str) -> tuple[bool, bool, int, bool]:
    """What a counter has done in this Movement Phase, and whether it has trenches to lose; less is freer."""
    return unit in state.moved, unit in state.shifted, state.steps.get(unit, 0), unit in state.entrenched


def holds(units: Iterable[str], group: Group, state: State) -> bool:
    """Are so many of each kind among these counters?"""
    there = dict(state.grouped(units))
    return all(there.get(kind, 0) >= number for kind, number in group)


def are_goals(answer: object) -> bool:
    """Is this an answer of the kind that retreats and scrambles ask for?"""
    return isinstance(answer, tuple) and all(isinstance(goal, Goal) for goal in answer)


def size(group: Group) -> int:
    return sum(number for _, number in group)


def may_hold_nation(army_nation: str, unit_nation: str, type_: str) -> bool:
    """8.1-02 Units of its own nation; US infantry may be in any Entente army."""
    return army_nation == unit_nation or (unit_nation == "US" and type_ == "I" and army_nation != "GE")


def refuses(state: State, army: str, units: Iterable[str]) -> str:
    """1.4-01, 8.1-02, 8.3.2-03, 8.3.4-02 Why the army may not take these in: a rule's id, "" if it may.

    `units` are counters that come from elsewhere, of one side with the army.
    """
    pack, nation = state.pack, state.pack.armies[army].nation
    coming = list(units)
    for unit in coming:
        if not may_hold_nation(nation, pack.nation_of[unit], pack.type_of[unit]):
            return "TTLM-8.1-02"
    types = [pack.type_of[unit] for unit in (*state.contents[army], *coming)]
    infantry = sum(1 for type_ in types if type_ in INFANTRY)
    template = pack.templates[nation]
    if infantry > template.inf or len(types) - infantry > template.aux:
        return "TTLM-1.4-01"
    arriving = [pack.type_of[unit] for unit in coming]
    if "A" in arriving and types.count("A") > pack.artillery_cap(nation, state.year):
        return "TTLM-8.3.2-03"
    if "B" in arriving and types.count("B") > pack.biplanes_per_army:
        return "TTLM-8.3.4-02"
    return ""
