"""8.1 Armies: what enters and leaves them within an area, empty ones, 15.4.1 armies that are dissolved."""

from __future__ import annotations

from functools import cache
from itertools import combinations

from engine.board.areas import reach
from engine.games.to_the_last_man.answers import LOOSE, Shift, Side, Suppress
from engine.games.to_the_last_man.facts.board import ArmyMoved, UnitsShifted
from engine.games.to_the_last_man.facts.force import ArmyDissolved, ArmyEliminated
from engine.games.to_the_last_man.pack import Pack
from engine.games.to_the_last_man.rules.areas import (
    has_infantry,
    has_presence,
    room,
    settle,
    status,
)
from engine.games.to_the_last_man.rules.marching import (
    apart_refusal,
    army_refusal,
    border_refusal,
    bring_trenches,
    entering,
    is_group,
    joining_refusal,
    lacking,
    room_refusal,
)
from engine.games.to_the_last_man.rules.neutrals import inert_refusal
from engine.games.to_the_last_man.rules.pieces import eyes, pick, refuses
from engine.games.to_the_last_man.rules.supply import supplied_for
from engine.games.to_the_last_man.state import State
from engine.games.to_the_last_man.windows import other
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Rng, Step

# ------------------------------------------------------------------ shifts within an area


def shift(state: State, side: Side, act: Shift) -> Step:
    """8.1-03 Units change their army within an area; in a Pass the caller counts it (4.1-02)."""
    units = _shifted_units(state, side, act)
    dug_in: tuple[str, ...] = ()
    # Ruling: an empty army that stands there takes over trenches like one that moves in (4.3-03): the book
    # names the moving one only, but the infantry has not left its trenches in either case.
    if act.source == LOOSE and act.into not in state.entrenched and bring_trenches(state, act.into, units):
        dug_in = (act.into,)
    seen_by = eyes(state, side)
    yield UnitsShifted(side, act.area, units, act.source, act.into, True, dug_in, seen_by)
    yield from settle(state, act.area)


def why_not_shift(state: State, side: Side, act: Shift) -> Refusal | None:
    """8.1-03, 4.1-04, 1.2.2 Within its area, once in a phase, into an army that may hold it."""
    if act.area not in state.pack.areas:
        return Illegal("TTLM-4.2-05", "no-such-area", {"area": act.area})
    if act.source == act.into or not is_group(state, act.units):
        return Illegal("TTLM-8.1-03", "nobody-named")
    for army in (act.source, act.into):
        if army != LOOSE and (refusal := army_refusal(state, side, army, act.area)) is not None:
            return refusal
    for kind, _ in act.units:
        if (inert := inert_refusal(state, kind)) is not None:
            return inert
    there = state.in_place(act.area, act.source, side)
    if (missing := lacking(state, there, act.units, act.area)) is not None:
        return missing
    free = [unit for unit in there if may_shift(state, unit)]
    if (spent := lacking(state, free, act.units, act.area)) is not None:
        return Illegal("TTLM-4.1-04", "shifted-already", spent.facts)
    return _entry_refusal(state, side, act)


def may_shift(state: State, unit: str) -> bool:
    """4.1-04 Once in a phase, and not after rail and its like (4.4-02)."""
    return unit not in state.shifted and not (state.phase == "moves" and unit in state.moved)


def _entry_refusal(state: State, side: Side, act: Shift) -> Refusal | None:
    """1.4-01 The army takes them in; 1.2.2-08 the stack is not over its limit afterwards."""
    units = _shifted_units(state, side, act)
    more = 0
    if act.into == LOOSE:
        more = len(units)
    else:
        if act.source == LOOSE and (apart := apart_refusal(state, act.into, units, act.area)) is not None:
            return apart
        if (refusal := joining_refusal(state, act.into, units)) is not None:
            return refusal
        more = 0 if state.contents[act.into] else 1
    if act.source == LOOSE:
        more -= len(units)
    elif len(state.contents[act.source]) == len(units):
        more -= 1
    return None if more <= 0 else room_refusal(state, side, act.area, more)


def _shifted_units(state: State, side: Side, act: Shift) -> tuple[str, ...]:
    """Those that have done least; 4.3-04 entrenched ones only if the army gains by it."""
    free = [u for u in state.in_place(act.area, act.source, side) if may_shift(state, u)]
    if act.source == LOOSE:
        return entering(state, free, act.units, act.into)
    return pick(state, free, act.units)


def draw_shift(state: State, side: Side, army: str, rng: Rng) -> Shift | None:
    """A random shift out of or into that army, legal or not; None: nobody is there for it."""
    area = state.army_at[army]
    others = [one for one in (LOOSE, *state.armies(area, side)) if one != army]
    end = others[below(rng, len(others))]
    source, into = (army, end) if below(rng, 2) else (end, army)
    units = [unit for unit in state.in_place(area, source, side) if may_shift(state, unit)]
    if not units:
        return None
    return Shift(area, state.grouped(some(units, rng)), source, into)


def below(rng: Rng, number: int) -> int:
    """A random number from 0 on, below that one."""
    return int(rng.random() * number)


def some(units: list[str], rng: Rng) -> list[str]:
    """At random: mostly one of them, else any part but none at all."""
    one = units[below(rng, len(units))]
    if len(units) == 1 or below(rng, 3):
        return [one]
    return [unit for unit in units if unit == one or below(rng, 2)]


# ------------------------------------------------------------------ empty armies must leave


def must_withdraw(state: State, army: str) -> bool:
    """8.1-09 Is it empty and in a Disputed area?"""
    side = state.pack.side_of[army]
    return not state.contents[army] and has_presence(state, state.army_at[army], other(side))


def empty_in_danger(state: State, side: Side) -> list[str]:
    """8.1-09 Own armies that must leave by the end of the Movement Phase."""
    side_of = state.pack.side_of
    empty = [army for army, there in state.contents.items() if not there and side_of[army] == side]
    return [army for army in empty if army not in state.retreated and must_withdraw(state, army)]


def refuges(state: State, side: Side, area: str) -> tuple[str, ...]:
    """8.1-11 Adjacent Friendly areas; Disputed ones only if there is none."""
    near = state.pack.areas[area].adjacent
    open_ = [to for to in near if border_refusal(state, side, area, to) is None]
    kinds = {to: status(state, to, side) for to in open_}
    friendly = tuple(to for to in open_ if kinds[to] == "friendly")
    return friendly or tuple(to for to in open_ if kinds[to] == "disputed")


def why_not_withdraw(state: State, side: Side, army: str, to: str) -> Refusal | None:
    """8.1-09, -11"""
    if state.contents[army]:
        return Illegal("TTLM-8.1-09", "army-not-empty", {"army": army})
    if not must_withdraw(state, army):
        return Illegal("TTLM-8.1-09", "not-disputed", {"army": army, "area": state.army_at[army]})
    if army in state.retreated:
        return Illegal("TTLM-5.4-09", "retreated-already", {"piece": army})
    legal = refuges(state, side, state.army_at[army])
    return None if to in legal else Illegal("TTLM-8.1-11", "no-refuge", {"area": to, "legal": legal})


def withdraw(state: State, side: Side, army: str, to: str) -> Step:
    """8.1-11 Free; it counts as a retreat."""
    path = (state.army_at[army], to)
    yield ArmyMoved(side, army, path, "withdraw", steps=0, done=True, audience=eyes(state, side))
    yield from settle(state, to)


def withdraw_empty_armies(state: State, side: Side) -> Step:
    """8.1-09 Those that have not gone by themselves, in the order of the armies."""
    for army in empty_in_danger(state, side):
        area = state.army_at[army]
        goals = sorted(refuges(state, side, area), key=lambda to: _safety(state, side, to))
        if goals:
            yield from withdraw(state, side, army, goals[0])
        else:
            yield ArmyEliminated(side, army, area, "retreat")


def _safety(state: State, side: Side, area: str) -> tuple[bool, int, str]:
    """8.1-10 Not where it would be lost at once; then the nearest to an own source, then by id."""
    lost = has_presence(state, area, other(side)) and not has_infantry(state, area, side)
    return lost, distance_to_source(state.pack, side, area), area


@cache
def _distances(pack: Pack, side: Side) -> dict[str, int]:
    adjacency = {area: row.adjacent for area, row in pack.areas.items()}
    found: dict[str, int] = dict.fromkeys(pack.sources[side], 0)
    for source in pack.sources[side]:
        for area, steps in reach(adjacency, source, len(adjacency)).items():
            found[area] = min(steps, found.get(area, steps))
    return found


def distance_to_source(pack: Pack, side: Side, area: str) -> int:
    """Areas to the nearest printed source of that side, whoever holds what lies between."""
    return _distances(pack, side).get(area, 0)


# ------------------------------------------------------------------ 15.4.1


def why_not_suppress(state: State, side: Side, act: Suppress) -> Refusal | None:
    """15.4.1-01 Once a season, an army in supply, and its contents find a place."""
    if not state.options["suppress_armies"]:
        return Illegal("TTLM-15.4.1-01", "option-off", {"option": "suppress_armies"})
    if side in state.suppressed:
        return Illegal("TTLM-15.4.1-01", "once-a-season")
    area = state.army_area(act.army)
    if not area or state.pack.side_of.get(act.army) != side:
        return Illegal("TTLM-8.1-01", "no-own-army", {"army": act.army})
    if area not in supplied_for(state, state.pack.nation_of[act.army]):
        return Illegal("TTLM-15.4.1-01", "out-of-supply", {"army": act.army, "area": area})
    if _new_places(state, side, act.army) is None:
        return Illegal("TTLM-1.2.2-01", "no-room", {"area": area})
    return None


def suppress(state: State, side: Side, act: Suppress) -> Step:
    """15.4.1-01 The contents stay in the area, then the counter is taken off."""
    area = state.army_at[act.army]
    for into, units in _new_places(state, side, act.army) or ():
        yield UnitsShifted(side, area, units, act.army, into, False, (), eyes(state, side))
    yield ArmyDissolved(side, act.army, area)
    yield from settle(state, area)


def _new_places(state: State, side: Side, army: str) -> tuple[tuple[str, tuple[str, ...]], ...] | None:
    """Who goes where: as many as there is room for stand loose, the others enter the first army there that
    takes them. None: somebody finds no place.
    """
    area, units = state.army_at[army], state.contents[army]
    places = min(room(state, area, side) + 1, len(units))  # the army itself goes
    others = [one for one in state.armies(area, side) if one != army and state.contents[one]]
    for loose in combinations(units, places):
        rest = [unit for unit in units if unit not in loose]
        if (joined := _joined(state, others, rest)) is not None:
            found = {**joined, LOOSE: loose}  # when the army is empty there is room for the last ones
            return tuple((into, there) for into, there in found.items() if there)
    return None


def _joined(state: State, armies: list[str], units: list[str]) -> dict[str, tuple[str, ...]] | None:
    """Each of the units in the first army that takes it."""
    found: dict[str, tuple[str, ...]] = {}
    for unit in units:
        takers = (one for one in armies if not refuses(state, one, (*found.get(one, ()), unit)))
        into = next(takers, None)
        if into is None:
            return None
        found[into] = (*found.get(into, ()), unit)
    return found
