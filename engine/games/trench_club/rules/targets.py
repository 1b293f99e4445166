"""TARGET Phase 2: who can hit whom at what distance, and the binding list of attacks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from engine.games.trench_club.answers import Attack, Nation
from engine.games.trench_club.pack import Pack
from engine.games.trench_club.rules.companies import why_not_active
from engine.games.trench_club.rules.special import cloud, gassed
from engine.games.trench_club.rules.terrain import AIR, FOOT, NAVAL, WATER
from engine.games.trench_club.rules.trenches import distance, stands_on, trench_of
from engine.games.trench_club.state import Position, Team
from engine.games.trench_club.tables import UnitType
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Answer, Options, Rng

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


class Foe(NamedTuple):
    """An enemy on the map, with the hexes at which others meet him (TRENCH-11)."""

    id: str
    is_aloft: bool
    hexes: tuple[str, ...]


def foes_of(position: Position, team: Team) -> list[Foe]:
    """TARGET-4 Everybody whom that team may name at all."""
    types, on, dug = position.pack.types, position.on, position.options["trench_rules"]
    return [
        Foe(unit.id, types[unit.type].klass == AIR, stands_on(position, unit) if dug else (unit.at,))
        for unit in position.enemies_of(team)
        if on.get(unit.at) == unit.id
    ]


def targets_from(position: Position, unit: str, hex_: str, foes: Sequence[Foe] | None = None) -> list[str]:
    """TARGET-4 Enemies on the map that the unit could name if it stood on that hex; gas names none.

    Whoever asks for several units or hexes finds the enemies once, with `foes_of`.
    """
    found = position.units[unit]
    kind, team = position.pack.types[found.type], position.pack.team_of[found.nation]
    if kind.pattern or not can_fight_at(position, kind, hex_):
        return []
    dug = position.options["trench_rules"]
    if not dug and found.type in close_fighters(position.pack):
        return _next_to(position, team, kind, hex_)
    foes = foes_of(position, team) if foes is None else foes
    away, spans = position.grid.distance, (_hexes(kind.range_ground), _hexes(kind.range_air))
    if not dug:
        return [foe.id for foe in foes if away(hex_, foe.hexes[0]) in spans[foe.is_aloft]]
    starts = (trench_of(position, hex_) if kind.klass == FOOT else ()) or (hex_,)
    return [
        foe.id
        for foe in foes
        if max(CLOSE, min(away(start, end) for start in starts for end in foe.hexes)) in spans[foe.is_aloft]
    ]


def _hexes(span: Sequence[int]) -> Sequence[int]:
    return range(span[0], span[1] + 1) if span else ()


@lru_cache(maxsize=16)
def longest_range(pack: Pack) -> dict[str, int]:
    """TARGET-5 By type; 0: it never attacks."""
    return {id_: max((*kind.range_ground, *kind.range_air), default=0) for id_, kind in pack.types.items()}


@lru_cache(maxsize=16)
def close_fighters(pack: Pack) -> frozenset[str]:
    """TARGET-5 Types that attack their neighbours and nobody else."""
    return frozenset(
        id_ for id_, kind in pack.types.items() if {*kind.range_ground, *kind.range_air} == {CLOSE}
    )


def _next_to(position: Position, team: Team, kind: UnitType, hex_: str) -> list[str]:
    on, found = position.on, []
    for there in position.grid.neighbours[hex_]:
        if there in on:
            other = position.units[on[there]]
            if position.pack.team_of[other.nation] != team and reaches(
                kind, position.pack.types[other.type], CLOSE
            ):
                found.append(other.id)
    return found


def candidates(position: Position, unit: str, foes: Sequence[Foe] | None = None) -> list[str]:
    """TARGET-4 Enemies that the unit could name where it stands."""
    found = position.units[unit]
    return [] if found.aboard else targets_from(position, unit, found.at, foes)


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
    return [_aimed(unit, aim) for aim in candidates(position, unit) or clouds(position, unit)]


def _aimed(unit: str, aim: str) -> Attack:
    """At a unit, or with gas in a direction."""
    return Attack(unit, aim) if "." in aim else Attack(unit, toward=aim)  # type: ignore[arg-type]


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
    if attack.toward or target == "":
        return _refused(position, attack, "TC-TARGET-1", "needs-target")
    if target not in position.units:
        return _refused(position, attack, "TC-TARGET-4", "no-such-target")
    if not position.are_enemies(unit, target):
        return _refused(position, attack, "TC-TARGET-9", "not-an-enemy")
    at = position.units[target].at
    if at in position.forts:
        return _refused(position, attack, "TC-FORT-11", "target-in-fort", fort=at)
    if not position.is_on_map(target):
        return _refused(position, attack, "TC-TARGET-4", "target-not-on-map")
    kind, other = position.type_of(unit), position.type_of(target)
    if other.klass == AIR and not kind.range_air:
        return _refused(position, attack, "TC-TARGET-6", "cannot-hit-aircraft")
    away = distance(position, unit, target)
    if reaches(kind, other, away):
        return None
    least, most = kind.range_air if other.klass == AIR else kind.range_ground
    reason = "too-near" if away in range(least) else "too-far"
    return _refused(position, attack, "TC-TARGET-5", reason, distance=away, least=least, most=most)


def _refused(position: Position, attack: Attack, rule: str, reason: str, **more: str | int) -> Refusal:
    """With the enemies that the unit could name instead."""
    in_range = tuple(candidates(position, attack.unit))
    told = {"unit": attack.unit, "target": attack.target, "in_range": in_range, **more}
    return Illegal(rule, reason, told)


class Targets(Options):
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
        self._open: list[tuple[str, list[str]]] | None = None

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
        found = [_aimed(unit, rng.choice(aims)) for unit, aims in self._by_unit() if rng.random() < EAGER]
        for last in range(len(found) - 1, 0, -1):
            other = rng.randrange(last + 1)
            found[last], found[other] = found[other], found[last]
        return tuple(found)

    def only(self) -> tuple[Answer] | None:
        return None if self._by_unit() else ((),)

    def describe(self) -> Sequence[Answer]:
        """No attack, and each attack by itself."""
        return [(), *((_aimed(unit, aim),) for unit, aims in self._by_unit() for aim in aims)]

    def _by_unit(self) -> list[tuple[str, list[str]]]:
        """Each unit that can attack at all, with its targets or directions."""
        if self._open is None:
            position, nations, forts = self._position, self._nations, self._position.forts
            types, listed = position.pack.types, self._listed
            out = [u for u in position.units.values() if u.nation in nations and u.at not in forts]
            armed = [u.id for u in out if types[u.type].range_ground or types[u.type].range_air]
            free = [unit for unit in armed if unit not in listed]
            if position.chosen is not None or position.worked:
                free = [unit for unit in free if may_attack(position, unit)]
            foes = foes_of(position, position.team(free[0])) if free else ()
            aims = [(unit, candidates(position, unit, foes) or clouds(position, unit)) for unit in free]
            self._open = [(unit, found) for unit, found in aims if found]
        return self._open
