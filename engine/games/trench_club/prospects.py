"""What a player made of code makes of the board: worths, what a shot does, which forts are in danger.

Worths are told in hundredths of a coin. Shares of a worth follow the damage: a unit that is destroyed is
lost whole, one that is damaged strikes less hard.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb
from typing import TypeAlias

from engine.board.hexes import HexGrid
from engine.games.trench_club.pack import Pack
from engine.games.trench_club.rules.automa.ground import FAR, Ground
from engine.games.trench_club.rules.combat import base_dice, damage_of, open_row
from engine.games.trench_club.rules.fixed_hits import fixed_hits
from engine.games.trench_club.rules.forts import doors_of, is_conquerable, ways
from engine.games.trench_club.rules.special import level_of, value_of
from engine.games.trench_club.rules.targets import CLOSE, can_fight, foes_of, reaches
from engine.games.trench_club.rules.terrain import AIR, FOOT, WHOLE, printed_costs
from engine.games.trench_club.rules.victory import forts_to_win
from engine.games.trench_club.state import Unit
from engine.games.trench_club.tables import UnitType
from engine.games.trench_club.view import View

COIN = 100
SHARES = (0, 12, 24, 46, 56, 66, 110)  # of a worth, in hundredths, by damage
GAINED = 80  # a point of experience is worth so much
PER_LEVEL = 4 * COIN  # what a level of experience adds to a unit's worth
FOOTING = COIN  # and being able to conquer
FORT = 5 * COIN
MATCH_FORT = 60 * COIN  # the fort that decides the game
ALARM = 30 * COIN  # the fort before it
SKY = 5 * COIN  # what whoever can hit aircraft is worth on top of his price

Chances: TypeAlias = tuple[float, ...]  # of each damage from 0 to what destroys


class Outlook:
    """The board as one camp sees it at one moment. `after`: chances of what each enemy's damage will be once
    the shots that are already promised have fallen."""

    def __init__(self, view: View) -> None:
        self.position, self.camp, self.nation = view.position, view.camp, view.nation
        position = self.position
        self.team = position.pack.team_of[view.nation]
        self.ground = Ground(position)
        self.enemies = [one for one in position.enemies_of(self.team) if position.is_on_map(one.id)]
        self.foes = foes_of(position, self.team)
        self.own = [one for one in position.of_camp(self.camp) if one.at]
        self.lethal = position.pack.dice.destroyed_at
        self.after = {one.id: certain(one.damage, self.lethal) for one in self.enemies}
        self.besiegers = self._besiegers()
        self.worth = {one.id: self._enemy_worth(one) for one in self.enemies}
        self._gains: dict[tuple[str, str, int, bool, Chances], int] = {}

    # ------------------------------------------------------------ worths

    def fort_worth(self, fort: str) -> int:
        """What it is worth that the enemy does not take it, or that we do."""
        position, goal = self.position, forts_to_win(self.position)
        ours = len(position.forts_of(self.camp))
        theirs = sum(position.pack.team_of[one] != self.team for one in position.forts.values() if one)
        owner = position.forts[fort]
        if owner and position.pack.team_of[owner] != self.team:
            near = max(ours, theirs - 1)
        else:
            near = theirs if owner == self.camp else max(ours, theirs)
        inside = sum(COIN * position.type_of(one).price for one in position.inside(fort))
        if near >= goal - 1:
            return MATCH_FORT
        return inside + (ALARM if near >= goal - 2 else FORT)

    def _besiegers(self) -> dict[str, list[str]]:
        """By fort: enemy foot units that could conquer it in their next turn."""
        found: dict[str, list[str]] = {}
        for enemy in self.enemies:
            if self.position.type_of(enemy.id).captures:
                for fort in doors_of(self.position, enemy):
                    owner = self.position.forts[fort]
                    if not owner or self.position.pack.team_of[owner] == self.team:
                        found.setdefault(fort, []).append(enemy.id)
        return found

    def _enemy_worth(self, enemy: Unit) -> int:
        type_ = self.position.type_of(enemy.id)
        worth = COIN * type_.price + PER_LEVEL * level_of(self.position, enemy.id)
        if type_.range_air:
            worth += SKY
        if type_.captures:
            worth += 2 * FOOTING
            worth += sum(self.fort_worth(fort) for fort, them in self.besiegers.items() if enemy.id in them)
        return worth

    def own_worth(self, unit: Unit) -> int:
        type_ = self.position.type_of(unit.id)
        return COIN * type_.price + PER_LEVEL * level_of(self.position, unit.id) + FOOTING * type_.captures

    def alive(self, enemy: str) -> float:
        """The chance that it is still there after the promised shots."""
        return 1 - self.after[enemy][-1]

    def siege(self, fort: str) -> float:
        """The chance that somebody will be left to conquer the fort."""
        return max((self.alive(one) for one in self.besiegers.get(fort, ())), default=0.0)

    def is_guarded(self, fort: str, but: str = "") -> bool:
        """A foot unit of ours stands before it; AUTOMA-12 the automa does not dare then."""
        position = self.position
        there = [position.on[hex_] for hex_ in position.pack.forts[fort].approaches if hex_ in position.on]
        return any(
            position.camp(one) == self.camp and position.type_of(one).klass == FOOT and one != but
            for one in there
        )

    # ------------------------------------------------------------ shots

    def shot(self, unit: str, target: str, bonus: int) -> Chances:
        """What one attack of ours does."""
        position = self.position
        value, dice = value_of(position, unit, target), base_dice(position, unit) + bonus
        hexes = position.units[target].at
        found = dealt(dice, value, position.pack.meta.dice_sides, self._row(target, hexes), self.lethal)
        if position.type_of(unit).scatter:
            miss = position.pack.scatter.miss_up_to[level_of(position, unit)] / position.pack.meta.dice_sides
            return (miss + (1 - miss) * found[0], *((1 - miss) * one for one in found[1:]))
        return found

    def _row(self, unit: str, hex_: str) -> tuple[int, ...]:
        kind = self.position.type_of(unit)
        armour = self.position.pack.armour[kind.armour]
        wooded = kind.klass != AIR and self.position.terrain(hex_) == "forest"
        return tuple(armour.forest if wooded else armour.open)

    def gain(self, unit: Unit, target: str, bonus: int, near: bool) -> int:
        """What the attack adds, less what comes back if it is made from next to the target."""
        key = (unit.id, target, bonus, near, self.after[target])
        if key not in self._gains:
            before, shot = self.after[target], self.shot(unit.id, target, bonus)
            then = added(before, shot)
            found = self.worth[target] * (share(then) - share(before)) / COIN
            found += GAINED * self.alive(target) * (1 - shot[0])
            if near:
                found -= self.alive(target) * self.riposte(unit, target)
            self._gains[key] = round(found)
        return self._gains[key]

    def riposte(self, unit: Unit, target: str) -> float:
        """COMBAT-2 What the answer costs."""
        position = self.position
        if not can_fight(position, target) or not reaches(
            position.type_of(target), position.type_of(unit.id), CLOSE
        ):
            return 0.0
        row = open_row(position, unit.id)
        damage = unit.damage + damage_of(position.pack, row, self._hits(target, unit.id))
        return self.own_worth(unit) * (SHARES[min(damage, self.lethal)] - SHARES[unit.damage]) / COIN

    def _hits(self, unit: str, target: str) -> int:
        """To be expected."""
        fixed = fixed_hits(self.position, unit, target)
        if fixed is not None:
            return fixed
        dice, value = base_dice(self.position, unit), value_of(self.position, unit, target)
        return dice * value // self.position.pack.meta.dice_sides

    def bonus(self, unit: Unit, hex_: str, target: str) -> int:
        """COMBAT-5..7 Dice for those who stand around the target already."""
        position, grid = self.position, self.position.grid
        there = position.units[target].at
        kind, dice, helping = position.type_of(target), position.pack.dice, 0
        for near in grid.neighbours[there]:
            one = position.on.get(near, unit.id)
            if near == hex_ or one == unit.id or position.camp(one) != self.camp:
                continue
            if reaches(position.type_of(one), kind, CLOSE):
                helping += 1
                if grid.direction(hex_, there) == grid.direction(there, near):
                    return dice.surround_bonus
        return dice.surround_bonus if helping > 1 else dice.flank_bonus if helping else 0

    # ------------------------------------------------------------ forts

    def fall(self, unit: Unit, fort: str) -> float:
        """What is likely to be lost by sitting in a fort that may be taken."""
        if self.is_guarded(fort, unit.id):
            return 0.0
        return self.own_worth(unit) * self.siege(fort)

    def open_forts(self) -> list[str]:
        return [fort for fort in self.position.forts if is_conquerable(self.position, fort, self.camp)]

    def cost_to_doors(self, unit: Unit, forts: Sequence[str]) -> int:
        doors = [door for fort in forts for door in self.position.pack.forts[fort].approaches]
        return self.ground.to(self.position.type_of(unit.id), doors).get(unit.at, FAR) if doors else FAR


# ------------------------------------------------------------------ chances


@lru_cache(maxsize=4096)
def dealt(dice: int, value: int, sides: int, row: tuple[int, ...], lethal: int) -> Chances:
    """COMBAT-10, 12 The chance of each damage."""
    found = [0.0] * (lethal + 1)
    for hits in range(dice + 1):
        damage = sum(hits >= least for least in row)
        found[damage] += comb(dice, hits) * value**hits * (sides - value) ** (dice - hits) / sides**dice
    return tuple(found)


def certain(damage: int, lethal: int) -> Chances:
    return tuple(float(one == damage) for one in range(lethal + 1))


@lru_cache(maxsize=4096)
def added(one: Chances, other: Chances) -> Chances:
    """COMBAT-15 Both together; more than what destroys is lost."""
    found = [0.0] * len(one)
    for first, chance in enumerate(one):
        if chance:
            for second, more in enumerate(other):
                found[min(first + second, len(one) - 1)] += chance * more
    return tuple(found)


def share(chances: Chances) -> float:
    return sum(chance * part for chance, part in zip(chances, SHARES, strict=True))


def between(damage: float, lethal: int) -> float:
    """The share of a damage that is not a whole number."""
    if damage >= lethal:
        return SHARES[lethal]
    low = int(damage)
    return SHARES[low] + (damage - low) * (SHARES[low + 1] - SHARES[low])


@lru_cache(maxsize=8192)
def strike_zone(pack: Pack, grid: HexGrid, type_: str, at: str, aloft: bool) -> frozenset[str]:
    """Every hex that such a unit can strike in its next turn, as if no unit stood in its way."""
    kind = pack.types[type_]
    least, most = kind.range_air if aloft else kind.range_ground
    steps = ends_of(pack, grid, type_, at)
    return frozenset(to for hex_ in steps for away in range(least, most + 1) for to in grid.ring(hex_, away))


def ends_of(pack: Pack, grid: HexGrid, type_: str, at: str) -> list[str]:
    """Where it can go on the printed board, roughly."""
    kind, lead = pack.types[type_], ways(pack, grid)
    costs, clear = printed_costs(pack, kind.klass, False)
    best = {at: 0}
    heap = [at]
    for here in heap:
        for to in lead[here]:
            cost = costs.get(to, WHOLE)
            if cost >= WHOLE:
                continue
            total = best[here] + cost
            if total == kind.speed + 1 and to in clear:
                total = kind.speed
            if total <= kind.speed and total < best.get(to, FAR):
                best[to] = total
                heap.append(to)
    return [hex_ for hex_ in best if hex_ not in pack.forts]


def longest(kind: UnitType) -> int:
    """Its longest range; 0: it never attacks."""
    return max((*kind.range_ground, *kind.range_air), default=0)
