"""Tables derived once from the pack, so that no question walks the printed lists again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from engine.games.first_world_war.answers import Faction

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.games.first_world_war.pack import Pack

Reach: TypeAlias = "Mapping[str, frozenset[int]]"  # counter -> fronts where it may operate


@dataclass(frozen=True, slots=True)
class Obedience:
    """5.1-1, 5.1-5 Counters that obey another faction than their owner on some fronts."""

    fronts: frozenset[int]
    counters: frozenset[str]
    owner: Faction
    commander: Faction


@cache
def obedience(pack: Pack) -> Obedience:
    """The one row of that kind that the game has: Germans under their allies."""
    (command,) = pack.command
    owner = pack.nationalities[command.nationality].faction
    counters = [army.id for army in pack.armies.values() if army.nationality == command.nationality]
    if command.includes_dummies:
        counters += pack.dummies_of[owner]
    return Obedience(frozenset(command.fronts), frozenset(counters), owner, command.commander)


@cache
def counters_of(pack: Pack, faction: Faction) -> frozenset[str]:
    """Every counter of that colour, dummies included."""
    return frozenset((*pack.armies_of[faction], *pack.dummies_of[faction]))


@cache
def followers(pack: Pack) -> Mapping[Faction, Mapping[int, frozenset[str]]]:
    """5.1-1, 5.1-5 For each faction and front the counters that it operates when they stand there."""
    under = obedience(pack)
    found = {}
    for faction in pack.factions:
        own = counters_of(pack, faction)
        abroad = own | under.counters if faction == under.commander else own - under.counters
        found[faction] = {front: abroad if front in under.fronts else own for front in pack.fronts}
    return found


@cache
def reach(pack: Pack, barred: tuple[bool, ...]) -> Reach:
    """2.1-2, 4.2.1-6 Where each counter may operate while those of the pack's restrictions are in force.

    4.2.1-7: for a dummy it is enough that one nationality of its faction is listed and not barred.
    """
    by_nation: dict[str, set[int]] = {nation: set() for nation in pack.nationalities}
    for number, front in pack.fronts.items():
        for nation in front.nationalities:
            by_nation[nation].add(number)
    for restriction, closed in zip(pack.restrictions, barred, strict=True):
        if closed:
            for nation in restriction.nationalities:
                by_nation[nation].difference_update(restriction.fronts)
    by_faction: dict[str, set[int]] = {faction: set() for faction in pack.factions}
    for nation, fronts in by_nation.items():
        by_faction[pack.nationalities[nation].faction] |= fronts
    table = {army.id: frozenset(by_nation[army.nationality]) for army in pack.armies.values()}
    table |= {dummy.id: frozenset(by_faction[dummy.faction]) for dummy in pack.dummies.values()}
    return MappingProxyType(table)
