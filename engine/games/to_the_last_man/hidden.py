"""What a seat cannot tell apart: counters and cards whose exchange leaves its view as it is."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.to_the_last_man.answers import Side
from engine.games.to_the_last_man.state import BOX, INFANTRY, State
from engine.games.to_the_last_man.windows import other
from engine.kernel.requests import Seat

Group = tuple[str, ...]
ANY_ARMY = ("C", "G", "T")  # auxiliaries of which an army may hold as many as it has slots


def hidden(state: State, seat: Seat) -> tuple[Group, ...]:
    """Disjoint groups of ids, each sorted; groups of one are left out."""
    enemy = other("GE" if seat == "GE" else "EN")
    groups = _counters(state, enemy) if state.options["hidden_army_templates"] else []
    groups.append(tuple(sorted((*state.hands[enemy], *state.deck))))
    return tuple(group for group in groups if len(group) > 1)


def _counters(state: State, enemy: Side) -> list[Group]:
    """Of each nation's armies what could lie in each other's slots, whoever is exchanged with whom.

    What is in the transit box stays apart: its worth is public, and what lies there is not on the map.
    """
    groups: list[Group] = []
    for nation in state.pack.sides[enemy].nations:
        armies = [army for army in state.pack.armies_of[nation] if state.army_area(army) not in ("", BOX)]
        groups.append(_infantry(state, armies))
        groups.append(_auxiliaries(state, nation, armies))
        boxed = [army for army in state.pack.armies_of[nation] if state.army_area(army) == BOX]
        groups.append(tuple(unit for unit in _infantry(state, boxed) if state.pack.type_of[unit] == "I"))
    return groups


def _infantry(state: State, armies: Sequence[str]) -> Group:
    """1.4-01 Infantry of all types shares the slots."""
    type_of = state.pack.type_of
    return tuple(sorted(u for army in armies for u in state.contents[army] if type_of[u] in INFANTRY))


def _auxiliaries(state: State, nation: str, armies: Sequence[str]) -> Group:
    """8.3.2-03, 8.3.4-02 Guns and biplanes only where no exchange could bring an army above its limit.

    An army without infantry keeps its own: what it holds decides who owns the area (0-04), and whether it
    is lost (5.5). The Paris Gun shows in the count of victory points.
    """
    pack, type_of = state.pack, state.pack.type_of
    covered = [army for army in armies if any(type_of[unit] in INFANTRY for unit in state.contents[army])]
    apart = (*INFANTRY, "P")
    lying = [[unit for unit in state.contents[army] if type_of[unit] not in apart] for army in covered]
    found = [unit for units in lying for unit in units if type_of[unit] in ANY_ARMY]
    most = max(map(len, lying), default=0)
    for type_, cap in (("A", pack.artillery_cap(nation, state.year)), ("B", pack.biplanes_per_army)):
        alike = [unit for units in lying for unit in units if type_of[unit] == type_]
        if min(most, len(alike)) <= cap:
            found += alike
    return tuple(sorted(found))
