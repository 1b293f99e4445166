"""5.5 Fragile units: guns, biplanes and tanks that stand before the enemy without infantry."""

from __future__ import annotations

from engine.games.to_the_last_man.answers import LOOSE, Side
from engine.games.to_the_last_man.facts.force import UnitsLost
from engine.games.to_the_last_man.rules.areas import settle
from engine.games.to_the_last_man.rules.pieces import eyes
from engine.games.to_the_last_man.state import INFANTRY, SIDES, State
from engine.games.to_the_last_man.windows import other
from engine.kernel.requests import Step

BEFORE_INFANTRY = ("A", "B", "T")  # 5.5-02
BEFORE_ANYBODY = ("G", "P")  # 5.5-03, -04


def fragile_check(state: State, area: str) -> Step:
    """5.5-01 Both sides at once, at the end of the Movement Phase and of each battle."""
    doomed = [(side, types) for side in SIDES if (types := doomed_types(state, area, side))]
    for side, types in doomed:
        for place in (LOOSE, *state.armies(area, side)):
            there = state.in_place(area, place, side)
            lost = tuple(unit for unit in there if state.pack.type_of[unit] in types)
            if lost:
                yield UnitsLost(side, lost, area, place, "fragile", eyes(state, side))
    yield from settle(state, area)


def doomed_types(state: State, area: str, side: Side) -> tuple[str, ...]:
    """5.5-02 to -05 What of that side is lost there; infantry with a retreat marker is company enough."""
    own, enemy = _types(state, area, side), _types(state, area, other(side))
    if not own or not enemy or any(type_ in own for type_ in INFANTRY):
        return ()  # forts protect nobody and threaten nobody
    found: tuple[str, ...] = BEFORE_ANYBODY  # 5.5-04 with both there the area is Disputed
    if any(type_ in enemy for type_ in INFANTRY):
        found = (*BEFORE_INFANTRY, *BEFORE_ANYBODY)
    return tuple(type_ for type_ in found if type_ in own)


def _types(state: State, area: str, side: Side) -> set[str]:
    return {state.pack.type_of[unit] for unit in state.force(area, side)}


def shared_areas(state: State) -> list[str]:
    """Areas with counters of both sides, in the pack's order."""
    side_of, found = state.pack.side_of, {area: set[Side]() for area in state.pack.areas}
    for area, units in state.loose.items():
        found[area].update(side_of[unit] for unit in units)
    for army, area in state.army_at.items():
        if state.contents[army]:
            found[area].add(side_of[army])
    return [area for area, sides in found.items() if len(sides) == len(SIDES)]


def hides_its_stand(state: State, area: str, side: Side) -> bool:
    """11.2-02 Whether the other side cannot tell if that side has infantry there: none stands loose, and an
    army that is not empty is closed. It learns so by the check, and not before it has moved.
    """
    if not state.options["hidden_army_templates"]:
        return False
    loose = {state.pack.type_of[unit] for unit in state.loose_units(area, side)}
    armies = any(state.contents[army] for army in state.armies(area, side))
    return armies and not loose & set(INFANTRY)
