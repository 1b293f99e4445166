"""What the enemies' next turn is likely to cost: each of them strikes by the automa's letters.

Whoever cannot answer draws the fire of close fighters, and what they struck that of the guns. So a unit is
not in danger for itself alone: a cheap one in front may save a dear one, and the other way round.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from engine.games.trench_club.answers import COMPANIES
from engine.games.trench_club.prospects import (
    COIN,
    GAINED,
    SHARES,
    Outlook,
    added,
    between,
    longest,
    share,
    strike_zone,
)
from engine.games.trench_club.rules.combat import Cover, damage_of
from engine.games.trench_club.rules.special import level_of, value_of, values_against
from engine.games.trench_club.rules.targets import CLOSE, reaches
from engine.games.trench_club.rules.terrain import AIR, FOOT
from engine.games.trench_club.state import Unit
from engine.games.trench_club.tables import UnitType
from engine.games.trench_club.view import View

SCATTER = 0.5  # how often a shell falls where it is meant to

Letters: TypeAlias = tuple[int, ...]


class Striker(NamedTuple):
    """An enemy that may strike: where on the ground, where in the air."""

    unit: Unit
    type: UnitType
    ground: frozenset[str]
    air: frozenset[str]
    distant: bool


class Exposed(NamedTuple):
    """An own unit on the map."""

    unit: Unit
    type: UnitType
    hex: str
    wooded: bool
    storming: bool  # AUTOMA-24 a foot unit before a fort that is not ours draws the guns

    def is_within(self, striker: Striker) -> bool:
        return self.hex in (striker.air if self.type.klass == AIR else striker.ground)


class Harm(NamedTuple):
    """What a striker does to a target: to be expected, and what it reckons with itself."""

    likely: float
    reckoned: int


class Foresight(Outlook):
    """An outlook that knows what the enemies would answer to an arrangement of ours."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        armed = [one for one in self.enemies if self._strikes(one)]
        self.strikers = [self._striker(one) for one in sorted(armed, key=self._place)]
        self.shown = [self._exposed(one, one.at) for one in self.own if self.position.is_on_map(one.id)]
        self._losses: dict[tuple[object, ...], float] = {}
        self._harm: dict[tuple[str, str, bool], Harm] = {}

    def promise(self, unit: Unit, target: str, bonus: int) -> None:
        """Whoever decides later reckons with this shot."""
        self.after[target] = added(self.after[target], self.shot(unit.id, target, bonus))
        self._losses.clear()
        self._harm.clear()

    def loss(self, unit: Unit, hex_: str) -> float:
        """What all of us lose if the unit stands there and everybody else where he stands now."""
        others = [one for one in self.shown if one.unit.id != unit.id]
        if hex_ in self.position.forts:
            return self._known((unit.id,), others)
        one = self._exposed(unit, hex_)
        within = tuple(one.is_within(striker) for striker in self.strikers)
        if not any(within):
            return self._known((unit.id,), others)
        return self._known((unit.id, within, one.wooded, one.storming), [*others, one])

    def _known(self, key: tuple[object, ...], shown: list[Exposed]) -> float:
        """Hexes in the same fields of fire, with the same cover, are all one."""
        if key not in self._losses:
            self._losses[key] = self._answered(shown)
        return self._losses[key]

    # ------------------------------------------------------------ the enemies' turn

    def _answered(self, shown: list[Exposed]) -> float:
        """AUTOMA-6 One striker after the other; the feet have forts in mind."""
        damage = {one.unit.id: float(one.unit.damage) for one in shown}
        struck: set[str] = set()
        total = 0.0
        for striker in self.strikers:
            chance = self.alive(striker.unit.id) * self._may_act(striker.unit)
            open_to = [one for one in shown if damage[one.unit.id] < self.lethal and one.is_within(striker)]
            if not open_to or not chance:
                continue
            letters = [(self._letters(striker, one, damage, struck), one.unit.id, one) for one in open_to]
            _, name, target = max(letters, key=lambda found: found[:2])
            harm = self._harm_to(striker, target).likely
            damage[name] += harm * chance
            struck.add(name)
            total += chance * (GAINED * min(harm, 1) - self._answer(striker, target.unit))
        return total + sum(self._lost(one.unit, damage[one.unit.id]) for one in shown)

    def _lost(self, unit: Unit, damage: float) -> float:
        return self.own_worth(unit) * (between(damage, self.lethal) - SHARES[unit.damage]) / COIN

    def _letters(self, striker: Striker, one: Exposed, damage: dict[str, float], struck: set[str]) -> Letters:
        """AUTOMA-20, 24 Whom it would rather strike."""
        unit, kind = one.unit, one.type
        kills = damage[unit.id] + self._harm_to(striker, one).reckoned >= self.lethal
        if striker.distant:
            return kills, one.storming, unit.id in struck, kind.price, unit.xp
        unpunished = not reaches(kind, striker.type, CLOSE)
        return kills, unpunished, -kind.attack[level_of(self.position, unit.id)], kind.price, -unit.xp

    def _harm_to(self, striker: Striker, one: Exposed) -> Harm:
        """AUTOMA-29 By what will be left of the striker: from some damage on it strikes half as hard."""
        key = (striker.unit.id, one.unit.type, one.wooded)
        if key not in self._harm:
            pack, after = self.position.pack, self.after[striker.unit.id]
            row = Cover(one.type.armour, "forest" if one.wooded else "open")
            fresh, worn = (damage_of(pack, row, hits) for hits in self._both_hits(striker, one))
            least = pack.automa.light_damage + 1
            light, heavy = sum(after[:least]), sum(after[least:-1])
            likely = (light * fresh + heavy * worn) / (light + heavy or 1)
            if striker.type.scatter:
                likely *= SCATTER
            self._harm[key] = Harm(likely, fresh if light >= heavy else worn)
        return self._harm[key]

    def _both_hits(self, striker: Striker, one: Exposed) -> tuple[int, int]:
        """Of a striker with light damage, and with heavy damage."""
        position, unit = self.position, striker.unit
        if unit.nation == position.automa:
            basic, rates = values_against(striker.type, one.type)[0], position.pack.automa
            level = level_of(position, unit.id)
            return basic + rates.light_per_level * level, (basic + 1) // 2 + rates.heavy_per_level * level
        value, dice = value_of(position, unit.id, one.unit.id), position.pack.dice.by_damage
        sides = position.pack.meta.dice_sides
        return dice[0] * value // sides, dice[position.pack.automa.light_damage + 1] * value // sides

    def _answer(self, striker: Striker, unit: Unit) -> float:
        """COMBAT-2 What our riposte is worth."""
        enemy = striker.unit.id
        if striker.distant or not reaches(self.position.pack.types[unit.type], striker.type, CLOSE):
            return 0.0
        then = added(self.after[enemy], self.shot(unit.id, enemy, 0))
        return self.worth[enemy] * (share(then) - share(self.after[enemy])) / COIN

    def _may_act(self, enemy: Unit) -> float:
        """SETUP-23..25 The chance that its company will be among those that act in its next turn."""
        position, camp = self.position, self.position.camp_of[enemy.nation]
        if not enemy.company or not position.round:
            return 1.0
        place = position.order.index(camp)
        round_ = position.round + (place < position.order.index(self.camp))
        table = position.pack.first_turns
        limits = table.four if len(position.ring) == 4 else table.two
        if round_ > len(limits) or limits[round_ - 1][place] == len(COMPANIES):
            return 1.0
        if round_ > 1 and camp in position.acted and position.options["second_round"] == "remaining":
            return float(enemy.company not in position.acted[camp])
        return limits[round_ - 1][place] / len(COMPANIES)

    # ------------------------------------------------------------ who and where

    def _strikes(self, enemy: Unit) -> bool:
        kind = self.position.pack.types[enemy.type]
        return kind.klass != FOOT and longest(kind) > 0

    def _place(self, enemy: Unit) -> tuple[bool, int, str]:
        """AUTOMA-6 Close fighters before guns; the dear ones, and those with a short range, first."""
        kind = self.position.pack.types[enemy.type]
        far = longest(kind)
        return far > CLOSE, far if far > CLOSE else -kind.price, enemy.id

    def _striker(self, enemy: Unit) -> Striker:
        kind, pack, grid = self.position.pack.types[enemy.type], self.position.pack, self.position.grid
        ground, air = (
            strike_zone(pack, grid, kind.id, enemy.at, aloft) if reached else frozenset[str]()
            for aloft, reached in ((False, kind.range_ground), (True, kind.range_air))
        )
        return Striker(enemy, kind, ground, air, longest(kind) > CLOSE)

    def _exposed(self, unit: Unit, hex_: str) -> Exposed:
        kind, position = self.position.pack.types[unit.type], self.position
        wooded = kind.klass != AIR and position.terrain(hex_) == "forest"
        return Exposed(unit, kind, hex_, wooded, kind.klass == FOOT and self._is_storming(hex_))

    def _is_storming(self, hex_: str) -> bool:
        doors, forts = self.position.pack.forts, self.position.forts
        return any(owner != self.camp and hex_ in doors[fort].approaches for fort, owner in forts.items())
