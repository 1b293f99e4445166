"""TARGET Phase 2: who can hit whom at what distance, and the binding list of attacks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

from engine.games.trench_club.answers import Attack, Nation
from engine.games.trench_club.rules.companies import why_not_active
from engine.games.trench_club.rules.special import cloud, gassed
from engine.games.trench_club.rules.terrain import AIR, FOOT, NAVAL, WATER
from engine.games.trench_club.rules.trenches import distance, stands_on, trench_of
from engine.games.trench_club.state import Position
from engine.games.trench_club.tables import UnitType
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Answer, Rng

CLOSE = 1  # close combat is an attack at this distance
Told: TypeAlias = dict[str, str | int | bool | tuple[str, ...] | tuple[int, ...]]
EAGER = 0.8  # a random player lets so many of the units attack that can

# ------------------------------------------------------------------ who can hit whom


def reaches(kind: UnitType, target: UnitType, away: int) -> bool:
    """TARGET-5..7 The range against such a target holds that distance."""
    span = kind.range_air if target.klass == AIR else kind.range_ground
    return bool(span) and span[0] <= away <= span[1]


def can_fight_at(position: Position, kind: UnitType, hex_: str) -> bool:
    """TARGET-8, MOVE-14 Neither in a fort nor, for a ground unit, in water."""
    if hex_ in position.forts or hex_ == "":
        return False
    return kind.klass in (AIR, NAVAL) or position.terrain(hex_) != WATER


def can_fight(position: Position, unit: str) -> bool:
    """It stands where units attack, riposte, support and give contact."""
    found = position.units[unit]
    return not found.aboard and can_fight_at(position, position.pack.types[found.type], found.at)


def can_hit(position: Position, unit: str, target: str, away: int) -> bool:
    """TARGET-4..8 It could attack that unit if it were so many hexes away."""
    return can_fight(position, unit) and reaches(position.type_of(unit), position.type_of(target), away)


def targets_from(position: Position, unit: str, hex_: str) -> list[str]:
    """TARGET-4 Enemies on the map that the unit could name if it stood on that hex; gas names none."""
    kind = position.type_of(unit)
    if kind.pattern or not can_fight_at(position, kind, hex_):
        return []
    if position.options["trench_rules"]:
        return _through_trenches(position, unit, kind, hex_)
    if max((*kind.range_ground, *kind.range_air), default=0) <= CLOSE:
        return _next_to(position, unit, kind, hex_)
    types, on, away = position.pack.types, position.on, position.grid.distance
    return [
        enemy.id
        for enemy in position.enemies_of(position.team(unit))
        if on.get(enemy.at) == enemy.id and reaches(kind, types[enemy.type], away(hex_, enemy.at))
    ]


def _through_trenches(position: Position, unit: str, kind: UnitType, hex_: str) -> list[str]:
    """TRENCH-11, 12 By the shortest way between any hexes of the trenches in which the two are."""
    starts = trench_of(position, hex_) if kind.klass == FOOT else ()
    away, found = position.grid.distance, []
    for enemy in position.enemies_of(position.team(unit)):
        if position.on.get(enemy.at) == enemy.id:
            ends = stands_on(position, enemy)
            least = min(away(start, end) for start in starts or (hex_,) for end in ends)
            if reaches(kind, position.pack.types[enemy.type], max(CLOSE, least)):
                found.append(enemy.id)
    return found


def _next_to(position: Position, unit: str, kind: UnitType, hex_: str) -> list[str]:
    on, team, types = position.on, position.team(unit), position.pack.types
    found = []
    for there in position.grid.neighbours[hex_]:
        if there in on:
            other = position.units[on[there]]
            if position.pack.team_of[other.nation] != team and reaches(kind, types[other.type], CLOSE):
                found.append(other.id)
    return found


def candidates(position: Position, unit: str) -> list[str]:
    """TARGET-4 Enemies that the unit could name where it stands."""
    found = position.units[unit]
    return [] if found.aboard else targets_from(position, unit, found.at)


# ------------------------------------------------------------------ gas


def enemies_in_cloud(position: Position, unit: str, toward: str) -> list[str]:
    """SPECIAL-10 Its targets: at least one enemy ground unit must be there."""
    struck = gassed(position, cloud(position, unit, toward))
    return [other for other in struck if position.are_enemies(unit, other)]


def clouds(position: Position, unit: str) -> list[str]:
    """SPECIAL-10 Directions in which the gas finds an enemy."""
    if not position.type_of(unit).pattern or not can_fight(position, unit):
        return []
    return [toward for toward in position.grid.directions if enemies_in_cloud(position, unit, toward)]


def attacks_of(position: Position, unit: str) -> list[Attack]:
    """Every attack open to the unit where it stands."""
    named = [Attack(unit, target) for target in candidates(position, unit)]
    return named or [Attack(unit, toward=toward) for toward in clouds(position, unit)]  # type: ignore[arg-type]


# ------------------------------------------------------------------ the list


def may_attack(position: Position, unit: str) -> bool:
    """SETUP-26, SPECIAL-19 Its company acts in this turn, and it has built nothing."""
    return why_not_active(position, unit) is None and not _has_built(position, unit)


def _has_built(position: Position, unit: str) -> bool:
    return position.type_of(unit).builds and unit in position.worked


def why_not_attack(position: Position, attack: Attack, nations: Collection[Nation]) -> Refusal | None:
    """TARGET-1..9 Why that attack cannot be listed by who leads these nations."""
    if (refusal := _why_not_attacker(position, attack.unit, nations)) is not None:
        return refusal
    if position.type_of(attack.unit).pattern:
        return _why_not_gas(position, attack)
    return _why_not_target(position, attack)


def _why_not_attacker(position: Position, unit: str, nations: Collection[Nation]) -> Refusal | None:
    if unit not in position.units:
        return Illegal("TC-TARGET-1", "no-such-unit", {"unit": unit})
    found, kind = position.units[unit], position.type_of(unit)
    if found.nation not in nations:
        return Illegal("TC-TARGET-1", "not-own-unit", {"unit": unit})
    if (refusal := why_not_active(position, unit)) is not None:
        return refusal
    if not kind.range_ground and not kind.range_air:
        rule = "TC-TRANSPORT-14" if kind.capacity else "TC-SPECIAL-16"
        return Illegal(rule, "cannot-attack", {"unit": unit, "type": found.type})
    if _has_built(position, unit):
        return Illegal("TC-SPECIAL-19", "has-built", {"unit": unit})
    if found.at in position.forts:
        return Illegal("TC-TARGET-8", "attacker-in-fort", {"unit": unit, "fort": found.at})
    if not can_fight(position, unit):
        reason = "attacker-aboard" if found.aboard else "attacker-in-water"
        return Illegal("TC-TARGET-8", reason, {"unit": unit, "hex": found.at})
    return None


def _why_not_gas(position: Position, attack: Attack) -> Refusal | None:
    """SPECIAL-10"""
    open_to: Told = {"unit": attack.unit, "directions": tuple(clouds(position, attack.unit))}
    if attack.target or attack.toward not in position.grid.directions:
        return Illegal("TC-SPECIAL-10", "needs-direction", open_to)
    if not enemies_in_cloud(position, attack.unit, attack.toward):
        hexes = tuple(hex_ for hex_ in cloud(position, attack.unit, attack.toward) if hex_)
        return Illegal(
            "TC-SPECIAL-10", "no-enemy-in-cloud", {**open_to, "toward": attack.toward, "hexes": hexes}
        )
    return None


def _why_not_target(position: Position, attack: Attack) -> Refusal | None:
    """TARGET-4..6, 9, FORT-11"""
    unit, target = attack.unit, attack.target
    told: Told = {
        "unit": unit,
        "target": target,
        "in_range": tuple(candidates(position, unit)),
    }
    if attack.toward or target == "":
        return Illegal("TC-TARGET-1", "needs-target", told)
    if target not in position.units:
        return Illegal("TC-TARGET-4", "no-such-target", told)
    if not position.are_enemies(unit, target):
        return Illegal("TC-TARGET-9", "not-an-enemy", told)
    at = position.units[target].at
    if at in position.forts:
        return Illegal("TC-FORT-11", "target-in-fort", {**told, "fort": at})
    if not position.is_on_map(target):
        return Illegal("TC-TARGET-4", "target-not-on-map", told)
    return _out_of_range(position, unit, target, told)


def _out_of_range(position: Position, unit: str, target: str, told: Told) -> Refusal | None:
    """TARGET-5, 6"""
    kind, other = position.type_of(unit), position.type_of(target)
    if other.klass == AIR and not kind.range_air:
        return Illegal("TC-TARGET-6", "cannot-hit-aircraft", told)
    away = distance(position, unit, target)
    if reaches(kind, other, away):
        return None
    least, most = kind.range_air if other.klass == AIR else kind.range_ground
    reason = "too-near" if away < least else "too-far"
    return Illegal("TC-TARGET-5", reason, {**told, "distance": away, "least": least, "most": most})


class Targets:
    """TARGET-1 The list of attacks, in the order in which they will be fought.

    `nations` are those whose units the seat may order; `listed` are attacks already named this turn by
    another person of the camp.
    """

    __slots__ = ("_listed", "_nations", "_open", "_position")

    def __init__(
        self, position: Position, nations: Collection[Nation], listed: Sequence[Attack] = ()
    ) -> None:
        self._position, self._nations = position, nations
        self._listed = {attack.unit for attack in listed}
        self._open: list[list[Attack]] | None = None

    def contains(self, answer: Answer) -> bool:
        return self.why_not(answer) is None

    def why_not(self, answer: Answer) -> Refusal | None:
        if not isinstance(answer, tuple) or not all(isinstance(one, Attack) for one in answer):
            return Illegal("TC-TARGET-1", "not-a-list-of-attacks")
        named = set(self._listed)
        for attack in answer:
            if attack.unit in named:
                return Illegal("TC-TARGET-3", "attacks-twice", {"unit": attack.unit})
            named.add(attack.unit)
            if (refusal := why_not_attack(self._position, attack, self._nations)) is not None:
                return refusal
        return None

    def sample(self, rng: Rng) -> Answer:
        """Any of the units that can attack, each at any of its targets, in any order."""
        found = [rng.choice(attacks) for attacks in self._by_unit() if rng.random() < EAGER]
        for last in range(len(found) - 1, 0, -1):
            other = rng.randrange(last + 1)
            found[last], found[other] = found[other], found[last]
        return tuple(found)

    def only(self) -> tuple[Answer] | None:
        return None if self._by_unit() else ((),)

    def describe(self) -> Sequence[Answer]:
        """No attack, and each attack by itself."""
        return [(), *((attack,) for attacks in self._by_unit() for attack in attacks)]

    def _by_unit(self) -> list[list[Attack]]:
        """For each unit that can attack at all, what it can attack."""
        if self._open is None:
            position = self._position
            own = [unit for unit in position.units.values() if unit.nation in self._nations]
            free = [unit.id for unit in own if unit.id not in self._listed and may_attack(position, unit.id)]
            self._open = [attacks for unit in free if (attacks := attacks_of(position, unit))]
        return self._open
