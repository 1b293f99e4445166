"""5.4 One piece or several leave a Battle Area: where they may go, and the move itself.

When and how many may go is a matter of the battle (`rules.retreats`). After the last retreat of a step the
caller runs `areas.settle` on the area that was left: armies that go are not lost because others went before.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.games.to_the_last_man.answers import LOOSE, Goal, Goals, Side
from engine.games.to_the_last_man.facts.board import ArmyMoved, UnitsMoved
from engine.games.to_the_last_man.facts.force import UnitsLost
from engine.games.to_the_last_man.rules.areas import room, settle, status
from engine.games.to_the_last_man.rules.instead import with_legal
from engine.games.to_the_last_man.rules.marching import (
    army_refusal,
    border_refusal,
    is_group,
    joining_refusal,
    lacking,
)
from engine.games.to_the_last_man.rules.pieces import eyes, pick
from engine.games.to_the_last_man.state import State
from engine.kernel.errors import Facts, Illegal, Refusal
from engine.kernel.requests import Step


def retreat_areas(state: State, side: Side, area: str) -> tuple[str, ...]:
    """5.4-01 Adjacent areas, Friendly or Disputed, whether or not there is room."""
    near = state.pack.areas[area].adjacent
    return tuple(to for to in near if destination_refusal(state, side, area, to) is None)


def destination_refusal(state: State, side: Side, area: str, to: str) -> Refusal | None:
    """5.4-01 Never Enemy, never by sea (4.6-04)."""
    if to not in state.pack.areas:
        return Illegal("TTLM-4.2-05", "no-such-area", {"area": to})
    if border_refusal(state, side, area, to) is not None:
        return Illegal("TTLM-5.4-01", "not-adjacent", {"origin": area, "to": to})
    if (now := status(state, to, side)) not in ("friendly", "disputed"):
        return Illegal("TTLM-5.4-01", "retreat-to-enemy", {"area": to, "status": now})
    return None


@dataclass(slots=True)
class Columns:
    """Retreats of one step announced so far: what has been promised to whom."""

    coming: dict[str, int] = field(default_factory=dict)  # area -> more units there
    joined: dict[str, list[str]] = field(default_factory=dict)  # army -> more counters in it
    gone: set[str] = field(default_factory=set)  # armies and counters that leave
    dropped: int = 0  # counters that armies leave behind loose


def why_not_retreat(state: State, side: Side, area: str, goal: Goal) -> Refusal | None:
    """5.4-01 to -05, -09, 8.3.3-06 May this one piece go there, nobody else being on the road?"""
    return _why_not(state, side, area, goal, Columns())


def why_not_retreats(state: State, side: Side, area: str, goals: Goals) -> Refusal | None:
    """The same for several that go in one step: room and army slots are shared out in their order."""
    columns = Columns()
    for goal in goals:
        if (refusal := _why_not(state, side, area, goal, columns)) is not None:
            return refusal
    return None


def _why_not(state: State, side: Side, area: str, goal: Goal, columns: Columns) -> Refusal | None:
    if (refusal := destination_refusal(state, side, area, goal.to)) is not None:
        return with_legal(refusal, lambda: retreat_areas(state, side, area))
    if goal.army:
        return _why_not_army(state, side, area, goal, columns)
    return _why_not_units(state, side, area, goal, columns)


def _why_not_army(state: State, side: Side, area: str, goal: Goal, columns: Columns) -> Refusal | None:
    """5.4-03 Room where it goes; 8.3.3-06 and room for what it leaves behind."""
    if goal.units or goal.source != LOOSE or goal.into != LOOSE:
        return Illegal("TTLM-8.1-01", "army-or-units")
    if (refusal := army_refusal(state, side, goal.army, area)) is not None:
        return refusal
    if goal.army in columns.gone:
        return Illegal("TTLM-5.4-01", "named-twice", {"piece": goal.army})
    there = [unit for unit in state.contents[goal.army] if unit not in columns.gone]
    if (marked := _marked(state, (goal.army, *there))) is not None:
        return marked
    if goal.left and not is_group(state, goal.left):
        return Illegal("TTLM-8.3.3-06", "nobody-named")
    if (missing := lacking(state, there, goal.left, area)) is not None:
        return missing
    left = pick(state, there, goal.left)
    going = [unit for unit in there if unit not in left and can_retreat(state, unit)]
    columns.gone.update((goal.army, *there))
    columns.dropped += len(left)
    if columns.dropped > room(state, area, side) + _freed(state, side, columns):
        return Illegal("TTLM-1.2.2-01", "no-room", {"area": area, "wanted": len(left)})
    return _arrival(state, side, goal.to, 1 if going else 0, columns)


def _freed(state: State, side: Side, columns: Columns) -> int:
    """Places in the Battle Area that those who leave make free."""
    contents = state.contents
    armies = [one for one in columns.gone if one in contents]
    inside = {unit for units in contents.values() for unit in units}
    loose = sum(1 for one in columns.gone if one not in contents and one not in inside)
    return loose + sum(1 for army in armies if contents[army])


def _why_not_units(state: State, side: Side, area: str, goal: Goal, columns: Columns) -> Refusal | None:
    """5.4-05 Units leave loose or out of an army, and stand loose or enter one (1.2.2-05)."""
    if goal.left or not is_group(state, goal.units):
        return Illegal("TTLM-5.4-01", "nobody-named")
    if goal.source != LOOSE and (refusal := army_refusal(state, side, goal.source, area)) is not None:
        return refusal
    there = [unit for unit in state.in_place(area, goal.source, side) if unit not in columns.gone]
    if (missing := lacking(state, there, goal.units, area)) is not None:
        return missing
    for kind, _ in goal.units:
        type_ = kind.partition(".")[2]
        if not state.pack.types[type_].can_retreat:
            rule = "TTLM-8.3.6-04" if type_ == "P" else "TTLM-8.3.3-06"
            return Illegal(rule, "never-retreats", {"unit": kind})
    free = [unit for unit in there if unit not in state.retreated]
    if (spent := lacking(state, free, goal.units, area)) is not None:
        return Illegal("TTLM-5.4-09", "retreated-already", spent.facts)
    units = pick(state, free, goal.units)
    columns.gone.update(units)
    if goal.into == LOOSE:
        return _arrival(state, side, goal.to, len(units), columns)
    return _why_not_join(state, side, goal, units, columns)


def _why_not_join(
    state: State, side: Side, goal: Goal, units: tuple[str, ...], columns: Columns
) -> Refusal | None:
    """1.4-01 The army at the destination has slots for all that enter it."""
    if (refusal := army_refusal(state, side, goal.into, goal.to)) is not None:
        return refusal
    joined = columns.joined.setdefault(goal.into, [])
    if (refusal := joining_refusal(state, goal.into, (*joined, *units))) is not None:
        return refusal
    was_empty = not state.contents[goal.into] and not joined
    joined += units
    return _arrival(state, side, goal.to, 1 if was_empty else 0, columns)


def _arrival(state: State, side: Side, to: str, number: int, columns: Columns) -> Refusal | None:
    """5.4-03 Stacking limits apply."""
    left = room(state, to, side)
    coming = columns.coming.get(to, 0)
    columns.coming[to] = coming + number
    if number and coming + number > left:
        facts: Facts = {"area": to, "wanted": coming + number, "room": max(left, 0)}
        return Illegal("TTLM-5.4-03", "no-room", facts)
    return None


def _marked(state: State, pieces: tuple[str, ...]) -> Refusal | None:
    """5.4-09 Nobody retreats twice of his own will."""
    for piece in pieces:
        if piece in state.retreated:
            shown = state.pack.kind_of.get(piece, piece)
            return Illegal("TTLM-5.4-09", "retreated-already", {"piece": shown})
    return None


def can_retreat(state: State, unit: str) -> bool:
    """8.3.3-06, 8.3.6-04 Siege guns and the Paris Gun never do."""
    return state.pack.types[state.pack.type_of[unit]].can_retreat


# ------------------------------------------------------------------ the move


def retreat_move(state: State, side: Side, goal: Goal, area: str) -> Step:
    """5.4 The piece goes and is marked (5.4-02)."""
    path, seen_by = (area, goal.to), eyes(state, side)
    if goal.army:
        left = pick(state, state.contents[goal.army], goal.left)
        yield from _lose_guns(state, side, goal.army, left)
        yield ArmyMoved(side, goal.army, path, "retreat", 0, False, audience=seen_by, left=left)
    else:
        free = [u for u in state.in_place(area, goal.source, side) if u not in state.retreated]
        units = pick(state, free, goal.units)
        yield UnitsMoved(
            side, units, path, goal.source, goal.into, "retreat", steps=0, done=False, audience=seen_by
        )
    yield from settle(state, goal.to)


def _lose_guns(state: State, side: Side, army: str, left: tuple[str, ...]) -> Step:
    """8.3.3-06 What is left behind stands loose; guns that are not left are lost when the army goes."""
    there = state.contents[army]
    lost = tuple(unit for unit in there if unit not in left and not can_retreat(state, unit))
    if lost:
        yield UnitsLost(side, lost, state.army_at[army], army, "retreat", eyes(state, side))


__all__ = [
    "can_retreat",
    "destination_refusal",
    "retreat_areas",
    "retreat_move",
    "why_not_retreat",
    "why_not_retreats",
]
