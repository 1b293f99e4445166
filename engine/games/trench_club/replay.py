"""A turn step by step: one frame for each move, conquest, work and combat, on the board before it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.games.trench_club.facts.combat import CombatFought
from engine.games.trench_club.facts.moves import Built, FortConquered, MineExploded, MineLaid, UnitMoved
from engine.games.trench_club.state import PUBLIC_FIELDS, Position, State, Unit
from engine.kernel.requests import Fact

TOLD = (UnitMoved, FortConquered, MineLaid, MineExploded, Built, CombatFought)


@dataclass(frozen=True, slots=True)
class Frame:
    """What happened, and the board on which it did."""

    number: int
    kind: str  # name of the fact
    fact: Any
    on: Mapping[str, Unit]  # hex -> the unit on the map there
    forts: Mapping[str, str]  # fort -> owner
    hexes: tuple[str, ...]  # where it happened


def frames(before: Position, facts: Iterable[Fact]) -> tuple[Frame, ...]:
    """`facts` are those that everybody was told, in order, from the moment of `before` on."""
    state = State(*(_open(getattr(before, name)) for name in PUBLIC_FIELDS))
    found: list[Frame] = []
    for fact in facts:
        if isinstance(fact, TOLD):
            on = {hex_: state.units[unit] for hex_, unit in state.on.items()}
            where = tuple(hex_ for hex_ in _where(state, fact) if hex_ in state.grid)
            if where:
                name = type(fact).__name__
                found.append(Frame(len(found) + 1, name, fact, on, dict(state.forts), where))
        fact.apply(state)
    return tuple(found)


def _open(value: Any) -> Any:
    """Something that may be changed."""
    if type(value) is dict:
        return value.copy()
    return list(value) if type(value) is tuple else value


def _where(state: State, fact: Any) -> tuple[str, ...]:
    match fact:
        case UnitMoved(start=start, path=path):
            return (start, *path)
        case FortConquered(unit=unit, fort=fort):
            return (state.units[unit].at, fort)
        case MineLaid(unit=unit, hex=hex_):
            return (state.units[unit].at, hex_)
        case MineExploded(hex=hex_):
            return (hex_,)
        case Built(unit=unit, hexes=hexes):
            return (state.units[unit].at, *(hex_ for hex_, _ in hexes))
        case CombatFought(attacker=attacker, hex=hex_, shots=shots):
            struck = (state.units[shot.at].at for shot in shots)
            return tuple(dict.fromkeys((state.units[attacker].at, hex_, *struck)))
    return ()
