"""What a seat cannot tell apart: the counters and tiles whose exchange leaves its view as it is."""

from __future__ import annotations

from collections import Counter

from engine.games.first_world_war.answers import Alliance, Faction
from engine.games.first_world_war.rules.permissions import reach_now
from engine.games.first_world_war.state import FACTIONS, PARTNERS, State
from engine.games.first_world_war.view import known_on
from engine.kernel.requests import Seat

Group = tuple[str, ...]


def hidden(state: State, seat: Seat) -> tuple[Group, ...]:
    """Disjoint groups of ids, each sorted; groups of one are left out."""
    groups = [group for faction in FACTIONS for group in _counters(state, seat, faction)]
    groups += [group for alliance in state.cups for group in _tiles(state, seat, alliance)]
    return tuple(group for group in groups if len(group) > 1)


def _counters(state: State, seat: Seat, faction: Faction) -> list[Group]:
    """Face-down counters of one nationality; dummies go with the commonest nationality that may stand there.

    Only counters that could all stand in each other's places: the lists of the fronts are public.
    """
    unknown = {
        counter: front
        for front in state.fronts
        for counter in state.counters(front, faction)
        if counter not in known_on(state, seat, front)
    }
    nation_of, reach = state.pack.nationality_of, reach_now(state)
    reals = [counter for counter in unknown if counter in nation_of]
    numbers = Counter(nation_of[army] for army in reals)
    common = min(numbers, key=lambda nation: (-numbers[nation], nation), default=None)
    groups = {nation: [army for army in reals if nation_of[army] == nation] for nation in sorted(numbers)}
    lone: list[str] = []
    for counter, front in unknown.items():
        if counter in nation_of:
            continue
        may_be = common is not None and front in reach[groups[common][0]]
        (groups[common] if common is not None and may_be else lone).append(counter)
    return [tuple(sorted(group)) for group in (*groups.values(), lone)]


def _tiles(state: State, seat: Seat, alliance: Alliance) -> list[Group]:
    """Tiles of one back in the cup and in hands (or on the table) that the seat does not see."""
    unseen = list(state.cups[alliance])
    for faction in PARTNERS[alliance]:
        if state.seats[faction] != seat:
            unseen += state.hands[faction]
            unseen += [tile for owner, tile in sorted(state.placed.items()) if owner == faction]
    tiles = state.pack.tiles
    return [
        tuple(sorted(tile for tile in unseen if tiles[tile].mandatory == mandatory))
        for mandatory in (False, True)
    ]
