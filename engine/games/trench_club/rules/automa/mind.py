"""AUTOMA-7 One unit that makes up its mind: where it can go, whom it can strike, and how to compare."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from engine.games.trench_club.answers import Capture
from engine.games.trench_club.rules.automa.entrances import foot_before, forts_to_take
from engine.games.trench_club.rules.automa.ground import FAR, Distances, Ground
from engine.games.trench_club.rules.combat import cover, damage_of
from engine.games.trench_club.rules.fixed_hits import hits_without_dice
from engine.games.trench_club.rules.forts import doors_of, why_not_capture
from engine.games.trench_club.rules.movement import March, ends_of
from engine.games.trench_club.rules.special import cloud, gassed, inside_trench, level_of
from engine.games.trench_club.rules.targets import CLOSE, can_fight_at, can_hit, clouds, foes_of, targets_from
from engine.games.trench_club.rules.terrain import FOOT
from engine.games.trench_club.rules.trenches import is_in_trench, stands_on, trench_of
from engine.games.trench_club.state import Position, Unit
from engine.kernel.fast_dataclass import fast_frozen

ROADS = ("road", "bridge")
ANTI_AIRCRAFT = "anti_aircraft"


@fast_frozen
@dataclass(frozen=True, slots=True)
class Way:
    """One way to fulfil an order: where the unit ends, whom it strikes, which fort it is about.

    SPECIAL-10 Gas names a direction instead of a target, and strikes everybody in its cloud.
    """

    hex: str
    target: str = ""
    fort: str = ""
    toward: str = ""
    gassed: tuple[str, ...] = ()

    @property
    def struck(self) -> tuple[str, ...]:
        return self.gassed or (self.target,)

    @property
    def deed(self) -> tuple[str, str, str]:
        """What the unit does; that a hex serves two forts makes it no better than others."""
        return self.hex, self.target, self.toward


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
        if self.type.pattern:
            return [way for hex_ in self.hexes for way in self.clouds_from(hex_)]
        position, unit = self.position, self.unit.id
        foes = foes_of(position, position.team(unit))
        return [
            Way(hex_, target) for hex_ in self.hexes for target in targets_from(position, unit, hex_, foes)
        ]

    def clouds_from(self, hex_: str) -> list[Way]:
        """AUTOMA-37 Clouds of gas with enemies in them and nobody of its own side."""
        unit, there = self.unit.id, as_if_on(self.position, self.unit, hex_)
        found = [
            Way(hex_, toward=one, gassed=tuple(gassed(there, cloud(there, unit, one))))
            for one in clouds(there, unit)
        ]
        return [way for way in found if all(there.are_enemies(unit, other) for other in way.gassed)]

    @cached_property
    def enemies(self) -> list[Unit]:
        """AUTOMA-9 On the map; those inside forts are ignored."""
        position, team = self.position, self.position.team(self.unit.id)
        return [unit for unit in position.enemies_of(team) if position.is_on_map(unit.id)]

    @cached_property
    def forts(self) -> list[str]:
        """Neutral and enemy ones that it may take."""
        return forts_to_take(self.position, self.unit)

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
        foot = [other for other in foot_before(position, fort) if other != self.unit.id]
        if enemy:
            return any(position.are_enemies(other, self.unit.id) for other in foot)
        return any(position.camp(other) == self.camp for other in foot)

    # ------------------------------------------------------------ how it compares

    def cost_to(self, goals: Iterable[str]) -> Distances:
        return self.ground.to(self.type, goals)

    @cached_property
    def enemy_hexes(self) -> list[str]:
        """TRENCH-11 Where enemies are met: inside a trench at every hex of it."""
        return [hex_ for unit in self.enemies for hex_ in stands_on(self.position, unit)]

    @cached_property
    def _to_enemies(self) -> Distances:
        return self.cost_to(self.enemy_hexes)

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

    def distance(self, hex_: str, target: str) -> int:
        """TRENCH-11, 12 In hexes, if it stood there: inside a trench it would stand on all of it."""
        position = self.position
        starts = (trench_of(position, hex_) if self.type.klass == FOOT else ()) or (hex_,)
        ends, away = stands_on(position, position.units[target]), position.grid.distance
        return max(CLOSE, min(away(start, end) for start in starts for end in ends))

    def is_safe_from(self, target: str, hex_: str) -> bool:
        """COMBAT-2 Would it go without a riposte, attacking from that hex?"""
        return not self.meets_riposte(target) or self.distance(hex_, target) > CLOSE

    def meets_riposte(self, target: str) -> bool:
        """COMBAT-2, TRENCH-15 In close combat, by the target or by others inside its trench."""
        position, there = self.position, self.position.units[target]
        them = inside_trench(position, there.at) if is_in_trench(position, there) else [target]
        return any(can_hit(position, other, self.unit.id, CLOSE) for other in them)

    def hexes_beside(self, target: str) -> list[str]:
        """AUTOMA-22 From where it could strike in close combat: many never get into water or a trench."""
        position = self.position
        hexes, near = stands_on(position, position.units[target]), position.grid.neighbours
        return [there for hex_ in hexes for there in near[hex_] if can_fight_at(position, self.type, there)]

    def attack_value(self, target: str) -> int:
        """AUTOMA-21"""
        return self.position.type_of(target).attack[level_of(self.position, target)]

    def guards_fort(self, target: str) -> bool:
        """AUTOMA-24 A foot unit before an entrance of a fort that is neutral or the automa's own."""
        position, other = self.position, self.position.units[target]
        if position.type_of(target).klass != FOOT:
            return False
        return any(position.forts[fort] in ("", self.camp) for fort in doors_of(position, other))


def as_if_on(position: Position, unit: Unit, hex_: str) -> Position:
    """The position once the unit has gone there."""
    on = {at: other for at, other in position.on.items() if other != unit.id}
    if hex_ not in position.forts:
        on[hex_] = unit.id
    return replace(position, units={**position.units, unit.id: replace(unit, at=hex_)}, on=on)
