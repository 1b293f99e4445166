"""COMBAT Phase 3: the listed attacks, one by one, and the experience they bring."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

from engine.games.trench_club import order_of_play
from engine.games.trench_club.answers import Attack
from engine.games.trench_club.facts.combat import AttackLost, CombatFought, Means, Row, Shot
from engine.games.trench_club.pack import Pack
from engine.games.trench_club.rules.dice_cards import CARDS, card_hits, uses_cards
from engine.games.trench_club.rules.fixed_hits import fixed_hits
from engine.games.trench_club.rules.special import (
    CLOUD_AWAY,
    cloud,
    gassed,
    inside_trench,
    scatter,
    shell_strikes,
    value_of,
)
from engine.games.trench_club.rules.targets import CLOSE, can_hit, enemies_in_cloud
from engine.games.trench_club.rules.terrain import AIR
from engine.games.trench_club.rules.trenches import distance, is_in_trench, stands_on
from engine.games.trench_club.rules.victory import decided
from engine.games.trench_club.state import Position, State
from engine.kernel.requests import Procedure, Roll, Seat, Step

TRENCH_ROW = "tank"  # TRENCH-17 whose row protects inside a trench
Fixed: TypeAlias = Callable[[str, str], int | None]  # unit, target -> hits without dice; None: it rolls


def combat(state: State) -> Procedure:
    """COMBAT-1 In the order of the list."""
    for attack in tuple(state.attacks):
        yield from fight(state, attack)
        if (won := decided(state)) is not None:
            yield won
            return None
    return order_of_play.money(state)


def fight(state: State, attack: Attack, fixed: Fixed | None = None) -> Step:
    """TARGET-10, 11 One attack, unless it is lost.

    `fixed(unit, target)` names the hits of a unit that does not roll; without it AUTOMA-28 says who does not.
    """
    unit, target, fixed = attack.unit, attack.target, fixed or partial(fixed_hits, state)
    if unit not in state.units:
        yield AttackLost(unit, target, "attacker-gone")
    elif state.type_of(unit).pattern:
        yield from _gas(state, attack, fixed)
    elif target not in state.units:
        yield AttackLost(unit, target, "target-gone")
    elif state.type_of(unit).scatter:
        yield from _shell(state, unit, target, fixed)
    else:
        yield from _exchange(state, unit, target, fixed)


# ------------------------------------------------------------------ three kinds of attack


def _exchange(state: State, attacker: str, target: str, fixed: Fixed) -> Step:
    """COMBAT-2..15 Both sides fire with the strength they had before."""
    fire = yield from _volley(state, attacker, target, "attack", bonus_dice(state, attacker, target), fixed)
    shots = [_shot(state, attacker, target, fire, cover(state, target), [])]
    for unit in riposters(state, attacker, target):
        fire = yield from _volley(state, unit, attacker, "riposte", 0, fixed)
        shots.append(_shot(state, unit, attacker, fire, open_row(state, attacker), shots))
    away, hex_ = distance(state, attacker, target), state.units[target].at
    yield CombatFought(attacker, target, away, 0, hex_, tuple(shots), gained(state, shots))


def _shell(state: State, attacker: str, target: str, fixed: Fixed) -> Step:
    """SPECIAL-1..5 It falls where the die says, and hits whoever stands there. Nobody ripostes."""
    away = distance(state, attacker, target)
    face, hex_ = yield from scatter(state, attacker, state.units[target].at)
    shots: list[Shot] = []
    if struck := shell_strikes(state, hex_, target):
        fire = yield from _volley(state, attacker, struck, "attack", 0, fixed)
        shots.append(_shot(state, attacker, struck, fire, cover(state, struck), []))
    yield CombatFought(attacker, target, away, face, hex_, tuple(shots), gained(state, shots))


def _gas(state: State, attack: Attack, fixed: Fixed) -> Step:
    """SPECIAL-9..12 One roll for every unit in the cloud. Nobody ripostes."""
    unit = attack.unit
    if not enemies_in_cloud(state, unit, attack.toward):
        yield AttackLost(unit, attack.target, "target-gone")
        return
    hexes = cloud(state, unit, attack.toward)
    struck = gassed(state, hexes)
    fire = yield from _volley(state, unit, struck[0], "attack", 0, fixed)
    shots: list[Shot] = []
    for victim in struck:
        if fire.means == "fixed":  # AUTOMA-31 against each by its kind
            fire = fire._replace(fixed=fixed(unit, victim))
        shots.append(_shot(state, unit, victim, fire, cover(state, victim), shots))
    yield CombatFought(unit, attack.target, CLOUD_AWAY, 0, hexes[0], tuple(shots), gained(state, shots))


# ------------------------------------------------------------------ dice


class Volley(NamedTuple):
    """What a unit rolled; hits are read from it once the target's kind is known."""

    means: Means
    faces: tuple[int, ...] = ()  # dice; of a card its number
    dice: int = 0
    bonus: int = 0
    fixed: int = 0  # hits of a unit that does not roll

    def hits(self, pack: Pack, value: int) -> int:
        """COMBAT-10, DICELESS-4"""
        if self.means == "fixed":
            return self.fixed
        if self.means == "card":
            return card_hits(pack, self.faces[0], self.dice, value)
        return sum(face <= value for face in self.faces)


def _volley(state: State, unit: str, target: str, purpose: str, bonus: int, fixed: Fixed) -> Step:
    """COMBAT-3 The dice of the unit's own damage, then the bonus; or DICELESS-2 one card."""
    if (hits := fixed(unit, target)) is not None:
        return Volley("fixed", fixed=hits)
    nation, dice = state.units[unit].nation, base_dice(state, unit) + bonus
    if uses_cards(state, nation):
        card = yield Roll(Seat(nation), f"{unit}.card", sides=CARDS)
        return Volley("card", card, dice, bonus)
    faces = yield Roll(Seat(nation), f"{unit}.{purpose}", dice, state.pack.meta.dice_sides)
    return Volley("dice", faces, dice, bonus)


def base_dice(position: Position, unit: str) -> int:
    """COMBAT-3"""
    return position.pack.dice.by_damage[position.units[unit].damage]


# ------------------------------------------------------------------ flank, surround and riposte


def bonus_dice(position: Position, attacker: str, target: str) -> int:
    """COMBAT-4, 6, 7 Only in close combat: for one supporter, or for two or one behind the target."""
    if distance(position, attacker, target) != CLOSE:
        return 0
    found = supporters(position, attacker, target)
    if not found:
        return 0
    behind = opposite(position, attacker, target)
    dice = position.pack.dice
    surrounded = len(found) > 1 or position.units[found[0]].at in behind
    return dice.surround_bonus if surrounded else dice.flank_bonus


def supporters(position: Position, attacker: str, target: str) -> list[str]:
    """COMBAT-5, 8 Other units of the same player next to the target that could attack it there."""
    return [
        unit.id
        for unit in position.of_camp(position.camp(attacker))
        if unit.id != attacker
        and unit.at
        and distance(position, unit.id, target) == CLOSE
        and can_hit(position, unit.id, target, CLOSE)
    ]


def opposite(position: Position, attacker: str, target: str) -> set[str]:
    """COMBAT-7, TRENCH-14 The hexes behind the target, seen from the attacker; a trench is one hex.

    An attacker inside a trench touches its target from any hex of it; a supporter is where it stands.
    """
    grid, there = position.grid, stands_on(position, position.units[target])
    towards = {
        grid.direction(start, end) for start in stands_on(position, position.units[attacker]) for end in there
    }
    return {grid.step(end, way) for way in towards if way for end in there}


def riposters(position: Position, attacker: str, target: str) -> list[str]:
    """COMBAT-2, TRENCH-15 The target, then the others inside its trench, who could strike back."""
    if distance(position, attacker, target) != CLOSE:
        return []
    there = [target]
    if is_in_trench(position, position.units[target]):
        there += [unit for unit in inside_trench(position, position.units[target].at) if unit != target]
    return [unit for unit in there if can_hit(position, unit, attacker, CLOSE)]


# ------------------------------------------------------------------ damage and experience


class Cover(NamedTuple):
    armour: str
    row: Row


def cover(position: Position, unit: str) -> Cover:
    """COMBAT-13, 14, TRENCH-17 The row of a unit that is attacked: inside a trench, a tank's in forest."""
    found, kind = position.units[unit], position.type_of(unit)
    if is_in_trench(position, found):
        return Cover(position.pack.types[TRENCH_ROW].armour, "forest")
    if kind.klass != AIR and position.terrain(found.at) == "forest":
        return Cover(kind.armour, "forest")
    return Cover(kind.armour, "open")


def open_row(position: Position, attacker: str) -> Cover:
    """COMBAT-13, TRENCH-18 The attacker never finds cover."""
    return Cover(position.type_of(attacker).armour, "open")


def damage_of(pack: Pack, under: Cover, hits: int) -> int:
    """COMBAT-12 The largest damage whose threshold is reached."""
    armour = pack.armour[under.armour]
    return bisect_right(armour.open if under.row == "open" else armour.forest, hits)


def _shot(state: State, by: str, at: str, fire: Volley, under: Cover, earlier: Sequence[Shot]) -> Shot:
    """COMBAT-15, TRENCH-16 The damage of earlier shots of this combat counts first."""
    value = value_of(state, by, at)
    hits = fire.hits(state.pack, value)
    damage, limit = damage_of(state.pack, under, hits), state.pack.dice.destroyed_at
    before = state.units[at].damage + sum(shot.damage for shot in earlier if shot.at == at)
    destroyed = before < limit <= before + damage
    return Shot(by, at, fire.means, fire.faces, fire.bonus, value, hits, *under, damage, destroyed)


def gained(position: Position, shots: Sequence[Shot]) -> tuple[tuple[str, int], ...]:
    """XP-1..4, 7, 8, 10 One point for damage, two if a unit was destroyed; not beyond the last level.

    Everybody fired at once, so whoever hit an attacker that others had destroyed has earned a point too.
    """
    rates, points = position.pack.experience, dict[str, int]()
    lost = [shot.at for shot in shots if shot.destroyed]
    for shot in shots:
        earned = rates.destroyed if shot.destroyed else rates.damaged if shot.damage else 0
        points[shot.by] = max(earned, points.get(shot.by, 0))
    room = {unit: rates.most - position.units[unit].xp for unit in points}
    found = [(unit, min(earned, room[unit])) for unit, earned in points.items() if unit not in lost]
    return tuple((unit, earned) for unit, earned in found if earned)
