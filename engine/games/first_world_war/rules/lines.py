"""6.4, 6.6 Attack lines: what can be taken, whether a base is in reach, and what a capture changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from engine.games.first_world_war.answers import Alliance, CaptureGiven, Faction
from engine.games.first_world_war.facts.combat import LocationCaptured
from engine.games.first_world_war.state import ALLIANCE, State
from engine.kernel.requests import Ask, Choice

if TYPE_CHECKING:
    from engine.games.first_world_war.pack import Pack


class Ground(Protocol):
    """Who holds what and when it is: a state, or what a seat sees of it. All of this is public."""

    @property
    def pack(self) -> Pack: ...
    @property
    def turn(self) -> int: ...
    @property
    def control(self) -> Mapping[str, Faction]: ...


def available_locations(state: Ground, alliance: Alliance, front: int) -> tuple[str, ...]:
    """6.4-1, 6.4-2, 6.4-8, 6.6-1 Enemy locations joined by an open line to any node the alliance holds.

    D11 In the order of the default: replacement centres first, then as in the pack.
    """
    pack, control = state.pack, state.control
    found = []
    for location in pack.locations_of[front]:
        if ALLIANCE[control[location]] != alliance:
            for node, opens in pack.neighbours[location]:
                if opens <= state.turn and holds(state, alliance, node):
                    found.append(location)
                    break
    if len(found) > 1:
        found.sort(key=lambda location: not pack.locations[location].replacement)
    return tuple(found)


def is_base_reachable(state: Ground, alliance: Alliance, front: int) -> bool:
    """6.5-1, 6.6-1 Is an enemy base of the front joined by an open line to a location the alliance holds?"""
    pack, control = state.pack, state.control
    return any(
        opens <= state.turn and node in control and ALLIANCE[control[node]] == alliance
        for base in pack.bases_of[front]
        if ALLIANCE[pack.owner_of[base]] != alliance
        for node, opens in pack.neighbours[base]
    )


def holds(state: Ground, alliance: Alliance, node: str) -> bool:
    """2.1-5 Locations change hands, bases never do."""
    holder = state.control.get(node) or state.pack.owner_of[node]
    return ALLIANCE[holder] == alliance


def captured(state: State, alliance: Alliance, location: str) -> LocationCaptured:
    """6.4-5, 6.4-6, 8-1 One point to the new holder, one off the old one, never below the floor."""
    pack, loser = state.pack, state.control[location]
    taker = _new_holder(state, alliance, location)
    return LocationCaptured(
        pack.front_of[location],
        location,
        taker,
        loser,
        taker_vp=state.vp[taker] + 1,
        loser_vp=max(state.vp[loser] - 1, pack.vp_floor),
    )


def _new_holder(state: State, alliance: Alliance, location: str) -> Faction:
    """6.4-6 A recaptured location goes back to its printed owner, any other to who fights there."""
    printed = state.pack.owner_of[location]
    if ALLIANCE[printed] == alliance:
        return printed
    return state.fights_on(state.pack.front_of[location], alliance)


def capture_question(
    state: State, faction: Faction, front: int, key: str, available: tuple[str, ...], plan: str
) -> Ask:
    """D11 A successful attacker takes one location or none."""
    return Ask(
        state.seat(faction),
        "combat.capture",
        f"{key}/F{front}",
        CaptureGiven(faction, front, available),
        Choice((*available, None), "FWW-6.4-1", "not-available"),
        default=available[0],
        plan=plan,
    )


def occupation_question(
    state: State, faction: Faction, front: int, key: str, available: tuple[str, ...]
) -> Ask:
    """D14 In phase 3 the captor chooses which location, not whether."""
    return Ask(
        state.seat(faction),
        "victory.occupy",
        f"{key}/F{front}",
        CaptureGiven(faction, front, available),
        Choice(available, "FWW-4.2.3-4", "not-available"),
        default=available[0],
    )
