"""Facts of phases 2 and 3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.games.trench_club.answers import Attack, Camp
from engine.games.trench_club.facts.moves import remove
from engine.games.trench_club.state import State, Unit, new_unit
from engine.kernel.fast_dataclass import fast_frozen
from engine.kernel.requests import PublicFact

Row: TypeAlias = Literal["open", "forest"]
Means: TypeAlias = Literal["dice", "card", "fixed"]
LostWhy: TypeAlias = Literal["target-gone", "attacker-gone"]


@fast_frozen
@dataclass(frozen=True, slots=True)
class Shot:
    """One unit's fire at another: attack, riposte, scattered shell, or its share of a cloud of gas."""

    by: str
    at: str
    means: Means
    faces: tuple[int, ...]  # dice; of a card its number; of an automa none
    bonus: int  # COMBAT-6, 7: of the dice, those for flank or surround
    value: int  # a die shows a hit up to this
    hits: int
    armour: str  # key of pack.armour
    row: Row
    damage: int  # COMBAT-12; more than is left to destroy it is lost
    destroyed: bool


@fast_frozen
@dataclass(frozen=True, slots=True)
class AttacksListed(PublicFact):
    """TARGET-2 The binding list."""

    camp: Camp
    attacks: tuple[Attack, ...]

    def apply(self, state: State) -> None:
        state.attacks, state.phase = list(self.attacks), "combat"


@fast_frozen
@dataclass(frozen=True, slots=True)
class CombatFought(PublicFact):
    """COMBAT-9 Both sides fired at the same time; XP-1 experience after it."""

    attacker: str
    target: str  # as listed
    distance: int
    scatter: int  # SPECIAL-1 the die; 0: none was rolled
    hex: str  # where the shells fell; of gas the middle of the cloud
    shots: tuple[Shot, ...]  # the attacker's first; none: nobody was there
    gained: tuple[tuple[str, int], ...]  # experience points, by unit

    def apply(self, state: State) -> None:
        damage: dict[str, int] = {}
        for shot in self.shots:
            damage[shot.at] = damage.get(shot.at, 0) + shot.damage
        for unit, points in self.gained:
            if unit in state.units:
                state.units[unit] = _renewed(state.units[unit], 0, points)
        lost = [unit for unit in damage if any(shot.destroyed for shot in self.shots if shot.at == unit)]
        for unit, points in damage.items():
            state.units[unit] = _renewed(state.units[unit], points, 0)
            if unit not in state.struck:
                state.struck.append(unit)
        remove(state, lost)


def _renewed(was: Unit, damage: int, xp: int) -> Unit:
    """The unit with so much more of both."""
    more = was.damage + damage, was.xp + xp
    return new_unit(was.id, was.nation, was.type, was.at, *more, was.company, was.aboard)


@dataclass(frozen=True, slots=True)
class AttackLost(PublicFact):
    """TARGET-10, 11"""

    attacker: str
    target: str
    why: LostWhy

    def apply(self, state: State) -> None:
        """Told, not done."""


COMBAT_FACTS = (AttacksListed, CombatFought, AttackLost)
