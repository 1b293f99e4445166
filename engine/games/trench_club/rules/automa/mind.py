"""AUTOMA-7 One unit that makes up its mind: where it can go, whom it can strike, and how to compare."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from engine.games.trench_club.answers import Capture
from engine.games.trench_club.rules.automa.ground import FAR, Distances, Ground
from engine.games.trench_club.rules.combat import cover, damage_of
from engine.games.trench_club.rules.fixed_hits import hits_without_dice
from engine.games.trench_club.rules.forts import doors_of, is_conquerable, why_not_capture
from engine.games.trench_club.rules.movement import March, ends_of
from engine.games.trench_club.rules.special import level_of
from engine.games.trench_club.rules.targets import CLOSE, can_fight, foes_of, reaches, targets_from
from engine.games.trench_club.rules.terrain import FOOT
from engine.games.trench_club.rules.trenches import stands_on
from engine.games.trench_club.state import Unit
from engine.kernel.frozen import swift

ROADS = ("road", "bridge")
ANTI_AIRCRAFT = "anti_aircraft"


@swift
@dataclass(frozen=True, slots=True)
class Way:
    """One way to fulfil an order: where the unit ends, whom it strikes, which fort it is about."""

    hex: str
    target: str = ""
    fort: str = ""


class Mind:
    """What one unit may do, seen from where it stands."""

    def __init__(self, ground: Ground, unit: Unit) -> None:
        self.ground, self.position, self.unit = ground, ground.position, unit
        self.type = self.position.pack.types[unit.type]
        self.camp = self.position.camp_of[unit.nation]

    # ------------------------------------------------------------ what it can do

    @cached_property
    def march(self) -> March:
        return March(self.position, self.unit.id)

    @cached_property
    def hexes(self) -> list[str]:
        """AUTOMA-11 Where it can end; staying put is a move, too. It does not hide in forts."""
        found = [hex_ for hex_ in ends_of(self.march) if hex_ not in self.position.forts]
        return [self.unit.at, *sorted(found)]

    @cached_property
    def strikes(self) -> list[Way]:
        """Every hex and every enemy that it can attack from there."""
        position, unit = self.position, self.unit.id
        foes = foes_of(position, position.team(unit))
        return [
            Way(hex_, target) for hex_ in self.hexes for target in targets_from(position, unit, hex_, foes)
        ]

    @cached_property
    def enemies(self) -> list[Unit]:
        """AUTOMA-9 On the map; those inside forts are ignored."""
        position, team = self.position, self.position.team(self.unit.id)
        return [unit for unit in position.enemies_of(team) if position.is_on_map(unit.id)]

    @cached_property
    def forts(self) -> list[str]:
        """Neutral and enemy ones."""
        return [fort for fort in self.position.forts if is_conquerable(self.position, fort, self.camp)]

    def conquests(self) -> list[str]:
        """Forts that it can take at once."""
        position = self.position
        if self.unit.id in position.moved:
            return []
        doors = doors_of(position, self.unit)
        return [fort for fort in doors if why_not_capture(position, Capture(self.unit.id, fort)) is None]

    def doors(self, fort: str) -> tuple[str, ...]:
        return self.position.pack.forts[fort].approaches

    def foot_before(self, fort: str, enemy: bool) -> bool:
        """Does a foot unit, an enemy's or another own one, stand before an entrance of that fort?"""
        position = self.position
        there = [position.on[hex_] for hex_ in self.doors(fort) if hex_ in position.on]
        foot = [other for other in there if position.type_of(other).klass == FOOT and other != self.unit.id]
        if enemy:
            return any(position.are_enemies(other, self.unit.id) for other in foot)
        return any(position.camp(other) == self.camp for other in foot)

    # ------------------------------------------------------------ how it compares

    def cost_to(self, goals: Iterable[str]) -> Distances:
        return self.ground.to(self.type, goals)

    @cached_property
    def _to_enemies(self) -> Distances:
        return self.cost_to(unit.at for unit in self.enemies)

    def from_enemies(self, hex_: str) -> int:
        """AUTOMA-8 To the nearest enemy, in movement points."""
        return self._to_enemies.get(hex_, FAR)

    def from_flak(self, hex_: str) -> int:
        """To the nearest enemy anti-aircraft."""
        guns = [unit.at for unit in self.enemies if unit.type == ANTI_AIRCRAFT]
        return self.cost_to(guns).get(hex_, FAR) if guns else FAR

    @cached_property
    def friends(self) -> list[Unit]:
        position = self.position
        return [
            unit
            for unit in position.of_camp(self.camp)
            if unit.id != self.unit.id and position.is_on_map(unit.id)
        ]

    @cached_property
    def _to_friends(self) -> Distances:
        return self.cost_to(unit.at for unit in self.friends)

    def from_friends(self, hex_: str) -> int:
        return self._to_friends.get(hex_, FAR)

    def from_origin(self, hex_: str) -> int:
        return self.ground.away(self.type, self.unit.at).get(hex_, FAR)

    def hexes_from(self, hex_: str, others: Iterable[str]) -> int:
        """In hexes, to the nearest of the others."""
        return min((self.position.grid.distance(hex_, other) for other in others), default=FAR)

    def is_by_road(self, hex_: str) -> bool:
        near = (hex_, *self.position.grid.neighbours[hex_])
        return any(self.position.terrain(other) in ROADS for other in near)

    # ------------------------------------------------------------ whom it would strike

    def can_destroy(self, target: str) -> bool:
        """AUTOMA-27 Fixed hits on the row that the target has where it stands."""
        position = self.position
        hits = hits_without_dice(position, self.unit.id, target)
        damage = damage_of(position.pack, cover(position, target), hits)
        return position.units[target].damage + damage >= position.pack.dice.destroyed_at

    def is_safe_from(self, target: str, hex_: str) -> bool:
        """COMBAT-2 Would it go without a riposte, attacking from that hex?"""
        position, other = self.position, self.position.units[target]
        away = min(position.grid.distance(hex_, there) for there in stands_on(position, other))
        if max(away, CLOSE) > CLOSE:
            return True
        return not (can_fight(position, target) and reaches(position.type_of(target), self.type, CLOSE))

    def attack_value(self, target: str) -> int:
        """AUTOMA-21"""
        return self.position.type_of(target).attack[level_of(self.position, target)]

    def guards_fort(self, target: str) -> bool:
        """AUTOMA-24 A foot unit before an entrance of a fort that is neutral or the automa's own."""
        position, other = self.position, self.position.units[target]
        if position.type_of(target).klass != FOOT:
            return False
        return any(position.forts[fort] in ("", self.camp) for fort in doors_of(position, other))
