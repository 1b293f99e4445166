"""2.I-01 to -04, 6.4, 7.2 Where reinforcements and new units may appear."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.games.to_the_last_man.answers import LOOSE, Build, Place, Shift, Side
from engine.games.to_the_last_man.rules.areas import has_infantry, status
from engine.games.to_the_last_man.rules.armies import draw_shift, why_not_shift
from engine.games.to_the_last_man.rules.marching import joining_refusal, room_refusal
from engine.games.to_the_last_man.rules.neutrals import is_neutral
from engine.games.to_the_last_man.rules.supply import supplied, supplied_for
from engine.games.to_the_last_man.state import BOX, ENGLAND, State
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Rng

UNITED_KINGDOM = "UK"
TRIES = 6


def receiving_areas(state: State, side: Side) -> list[str]:
    """6.4-01 Supplied areas, Friendly or Disputed; never the transit box (4.7-02)."""
    return sorted(area for area in supplied(state, side) if area != BOX)


def why_no_area(state: State, side: Side, area: str, nation: str) -> Refusal | None:
    """2.I-01, -04, 4.7-02, 6.4-01, 7.2-01, -02; 12-01 who is neutral raises nobody."""
    if area not in state.pack.areas:
        return Illegal("TTLM-2.I-01", "no-such-area", {"area": area})
    if is_neutral(state, nation):
        return Illegal("TTLM-12-01", "still-neutral", {"piece": nation})
    if area == BOX:
        return Illegal("TTLM-4.7-02", "not-in-the-box")
    if area not in supplied_for(state, nation):
        return Illegal("TTLM-6.4-01", "not-supplied", {"area": area})
    if state.pack.nations[nation].bound and area not in state.pack.home_areas[nation]:
        return Illegal("TTLM-2.I-04", "not-at-home", {"area": area, "nation": nation})
    if nation != UNITED_KINGDOM and area == ENGLAND:
        return Illegal("TTLM-4.6-05", "only-british-there", {"area": area})
    if nation == UNITED_KINGDOM and area != ENGLAND and state.options["uk_in_england"] == "all":
        return Illegal("TTLM-2.I-03", "only-in-england", {"area": area})
    return None


def why_no_army_here(state: State, side: Side, army: str, area: str) -> Refusal | None:
    """2.I-03, 8.1-10 An empty army needs no room, but in a Disputed area it needs infantry beside it."""
    nation = state.pack.armies[army].nation
    if (refusal := why_no_area(state, side, area, nation)) is not None:
        return refusal
    if nation == UNITED_KINGDOM and area != ENGLAND:
        return Illegal("TTLM-2.I-03", "only-in-england", {"area": area})
    if status(state, area, side) == "disputed" and not has_infantry(state, area, side):
        return Illegal("TTLM-8.1-10", "no-infantry-there", {"area": area})
    return None


def why_no_units_here(state: State, side: Side, units: Sequence[str], area: str, into: str) -> Refusal | None:
    """7.2-01, 1.2.2-01, -08, 1.4-01 These counters, of one nation, loose in an area or in an army there."""
    if (refusal := why_no_area(state, side, area, state.pack.nation_of[units[0]])) is not None:
        return refusal
    if into == LOOSE:
        return room_refusal(state, side, area, len(units))
    if state.pack.side_of.get(into) != side or state.army_area(into) != area:
        return Illegal("TTLM-7.2-01", "army-not-there", {"army": into, "area": area})
    if (unfit := joining_refusal(state, into, units)) is not None:
        return unfit
    return None if state.contents[into] else room_refusal(state, side, area, 1)


def fitting(
    state: State, side: Side, act: Build | Place, allowed: Callable[[Build | Place], bool]
) -> list[str]:
    """Where the same counters may appear: armies if one was named, else areas in which they stand loose."""
    if act.into == LOOSE:
        return [area for area in receiving_areas(state, side) if allowed(replace(act, area=area))]
    own = [army for army in state.army_at if state.pack.side_of[army] == side]
    return [army for army in own if allowed(replace(act, area=state.army_at[army], into=army))]


def free_slots(state: State, army: str, infantry: bool) -> int:
    """1.4-01"""
    template = state.pack.templates[state.pack.armies[army].nation]
    types = [state.pack.types[state.pack.type_of[unit]] for unit in state.contents[army]]
    taken = sum(1 for row in types if (row.cls == "infantry") == infantry)
    return (template.inf if infantry else template.aux) - taken


def any_place(state: State, side: Side, units: Sequence[str], rng: Rng) -> tuple[str, str] | None:
    """A random area, and there loose or in an army, where these counters may appear; None: none was found."""
    if not (areas := receiving_areas(state, side)):
        return None
    for _ in range(TRIES):
        area = rng.choice(areas)
        into = rng.choice((LOOSE, *state.armies(area, side)))
        if why_no_units_here(state, side, units, area, into) is None:
            return area, into
    return None


def some_shift(state: State, side: Side, rng: Rng) -> Shift | None:
    """2.I-05, 7.2-03 A random change within one area; None: none was found."""
    armies = [army for army in state.army_at if state.pack.side_of[army] == side]
    shift = draw_shift(state, side, rng.choice(armies), rng) if armies else None
    return None if shift is None or why_not_shift(state, side, shift) is not None else shift
