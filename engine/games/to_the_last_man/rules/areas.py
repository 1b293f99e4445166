"""0-03 to 0-08, 1.2.2, 4.1: presence, control, status, ownership and stacking of areas."""

from __future__ import annotations

from engine.games.to_the_last_man.answers import Side
from engine.games.to_the_last_man.facts.board import OwnerChanged
from engine.games.to_the_last_man.facts.force import ArmyEliminated
from engine.games.to_the_last_man.state import BOX, ENGLAND, INFANTRY, SIDES, State, Status
from engine.games.to_the_last_man.windows import other
from engine.kernel.requests import Step

STACKING_LIMIT = 3  # 1.2.2
CONTROLLING_FORT = 2  # 0-03, 8.4-04 a fort below this strength is no presence


def has_fort(state: State, area: str, side: Side) -> bool:
    """8.4-04 Is there a fort of that side that controls?"""
    strength = state.fort(area, side)
    return strength is not None and strength >= CONTROLLING_FORT


def has_presence(state: State, area: str, side: Side) -> bool:
    """0-03 Any unit but empty armies and forts of strength 1 or 0."""
    of, contents = state.pack.side_of, state.contents
    for unit in state.loose[area]:
        if of[unit] == side:
            return True
    for army, at in state.army_at.items():
        if at == area and of[army] == side and contents[army]:
            return True
    return area in state.forts and has_fort(state, area, side)


def has_control(state: State, area: str, side: Side) -> bool:
    """0-04 Infantry-type, cavalry, tanks, forts of strength 2 and more."""
    types, type_of = state.pack.types, state.pack.type_of
    return has_fort(state, area, side) or any(
        types[type_of[unit]].controls for unit in state.force(area, side)
    )


def has_infantry(state: State, area: str, side: Side) -> bool:
    """0-02 Any infantry-type unit, in armies or loose."""
    type_of = state.pack.type_of
    return any(type_of[unit] in INFANTRY for unit in state.force(area, side))


def status(state: State, area: str, side: Side) -> Status:
    """0-05 What the area is to that side."""
    if area in (ENGLAND, BOX):  # 4.6-07, 4.7-01 each belongs to one side for good
        return "friendly" if side == ("EN" if area == ENGLAND else "GE") else "enemy"
    if has_presence(state, area, other(side)) and has_presence(state, area, side):
        return "disputed"
    owner = state.owner[area]
    if owner == "":
        return "neutral"
    return "friendly" if owner == side else "enemy"


def presences(state: State) -> dict[Side, set[str]]:
    """0-03 The areas in which each side has presence, looked up in one go."""
    of, fort_side = state.pack.side_of, state.pack.fort_side
    found: dict[Side, set[str]] = {"GE": set(), "EN": set()}
    for area, units in state.loose.items():
        for unit in units:
            found[of[unit]].add(area)
    for army, area in state.army_at.items():
        if state.contents[army]:
            found[of[army]].add(area)
    for area, strength in state.forts.items():
        if strength >= CONTROLLING_FORT:
            found[fort_side[area]].add(area)
    return found


def every_status(state: State, side: Side) -> dict[str, Status]:
    """0-05 What each area is to that side."""
    there = presences(state)
    disputed = there["GE"] & there["EN"]
    words: dict[str, Status] = {"": "neutral", side: "friendly", other(side): "enemy"}
    found = {area: words[owner] for area, owner in state.owner.items()}
    found.update(dict.fromkeys(disputed, "disputed"))
    found[ENGLAND], found[BOX] = words["EN"], words["GE"]
    return found


def friendly_areas(state: State, side: Side) -> tuple[str, ...]:
    return tuple([area for area, one in every_status(state, side).items() if one == "friendly"])


def stack(state: State, area: str, side: Side) -> int:
    """1.2.2-02, -03 Units of a side in an area: armies with something in them, and loose units."""
    armies = sum(1 for army in state.armies(area, side) if state.contents[army])
    return armies + len(state.loose_units(area, side))


def room(state: State, area: str, side: Side) -> int:
    """1.2.2 How many more units may stand there; in the box any number (1.2.2-09)."""
    return 99 if area == BOX else state.pack.meta.stacking_limit - stack(state, area, side)


def take_ownership(state: State, area: str) -> Step:
    """0-06, 8.1-13 Whoever controls an area in which the enemy has no presence owns it; empty armies of the
    enemy there are overrun.
    """
    if area in (ENGLAND, BOX):
        return
    for side in SIDES:
        enemy = other(side)
        if not has_control(state, area, side) or has_presence(state, area, enemy):
            continue
        for army in state.armies(area, enemy):
            yield ArmyEliminated(enemy, army, area, "overrun")
        if state.owner[area] != side:
            yield OwnerChanged(area, side)


def settle(state: State, area: str) -> Step:
    """0-06, 8.1-10, 8.1-13 What follows at once from who is in an area now: empty armies that stand before
    the enemy without infantry are eliminated, and the area may have a new owner.
    """
    side_of = state.pack.side_of
    here = [army for army, at in state.army_at.items() if at == area and not state.contents[army]]
    for army in here:
        side = side_of[army]
        if has_presence(state, area, other(side)) and not has_infantry(state, area, side):
            yield ArmyEliminated(side, army, area, "overrun")
    yield from take_ownership(state, area)
