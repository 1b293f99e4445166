"""Chances of an attack as everybody sees the board: hits, damage, and what comes back."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from math import comb
from typing import TypeAlias

from engine.games.trench_club.rules.combat import (
    Cover,
    base_dice,
    bonus_dice,
    cover,
    damage_of,
    open_row,
    riposters,
)
from engine.games.trench_club.rules.dice_cards import card_hits, uses_cards
from engine.games.trench_club.rules.fixed_hits import fixed_hits
from engine.games.trench_club.rules.special import (
    CLOUD_AWAY,
    cloud,
    gassed,
    misses_up_to,
    shell_strikes,
    strays_to,
    value_of,
)
from engine.games.trench_club.rules.targets import candidates, enemies_in_cloud
from engine.games.trench_club.rules.trenches import distance
from engine.games.trench_club.state import Position
from engine.games.trench_club.view import View

SCALE = 10_000  # chances and means are told in ten-thousandths: no floats leave the engine
ATTACK = ("A", "ATTACK", "ATTAQUER")
FROM = ("FROM", "DEPUIS")
UNIT = re.compile(r"(?:([A-Z]{2})\.)?([A-Z]{3})([0-9]+)")
FRENCH = {"NO": "NW", "SO": "SW"}

Weights: TypeAlias = dict[int, int]  # a number -> in how many ways it comes up


@dataclass(frozen=True, slots=True)
class ShotOdds:
    """One unit's fire at another. `hits` and `damage` are means; `at_least` are the chances of one damage or
    more, two or more, up to six; all in ten-thousandths."""

    by: str
    at: str
    dice: int  # 0: it does not roll
    bonus: int
    value: int
    hits: int
    damage: int
    at_least: tuple[int, ...]
    destroyed: int


@dataclass(frozen=True, slots=True)
class AttackOdds:
    """`aim`: the chance that a shell falls where it is meant to; the shots are told as if it did."""

    attacker: str
    target: str  # "" of gas
    toward: str  # direction of gas
    distance: int
    aim: int
    shots: tuple[ShotOdds, ...]
    ripostes: tuple[ShotOdds, ...]
    lost: int  # chance that the attacker is destroyed


# ------------------------------------------------------------------ reckoning


def attack_odds(position: Position, attacker: str, target: str) -> AttackOdds | None:
    """COMBAT From where the two stand; None: it cannot attack that unit."""
    if target not in candidates(position, attacker):
        return None
    bonus = bonus_dice(position, attacker, target)
    shots = (_shot(position, attacker, target, bonus, cover(position, target)),)
    strike_back: list[ShotOdds] = []
    damage: Weights = {0: 1}
    if not position.type_of(attacker).scatter:
        open_ = open_row(position, attacker)
        for unit in riposters(position, attacker, target):
            strike_back.append(_shot(position, unit, attacker, 0, open_))
            damage = _added(damage, _damage(position, unit, attacker, 0, open_))
    lost = _share(damage, _left(position, attacker))
    away, aim = distance(position, attacker, target), _aim(position, attacker, target)
    return AttackOdds(attacker, target, "", away, aim, shots, tuple(strike_back), lost)


def gas_odds(position: Position, attacker: str, toward: str) -> AttackOdds | None:
    """SPECIAL-9..12 For each unit in the cloud; None: no enemy is in it."""
    if not position.type_of(attacker).pattern or not enemies_in_cloud(position, attacker, toward):
        return None
    struck = gassed(position, cloud(position, attacker, toward))
    shots = tuple(_shot(position, attacker, unit, 0, cover(position, unit)) for unit in struck)
    return AttackOdds(attacker, "", toward, CLOUD_AWAY, SCALE, shots, (), 0)


def _shot(position: Position, by: str, at: str, bonus: int, under: Cover) -> ShotOdds:
    hits, damage = _hits(position, by, at, bonus), _damage(position, by, at, bonus, under)
    rolls = fixed_hits(position, by, at) is None
    return ShotOdds(
        by,
        at,
        base_dice(position, by) + bonus if rolls else 0,
        bonus if rolls else 0,
        value_of(position, by, at),
        _mean(hits),
        _mean(damage),
        tuple(_share(damage, least) for least in range(1, position.pack.dice.destroyed_at + 1)),
        _share(damage, _left(position, at)),
    )


def _hits(position: Position, by: str, at: str, bonus: int) -> Weights:
    """COMBAT-10, DICELESS-2, AUTOMA-29"""
    if (fixed := fixed_hits(position, by, at)) is not None:
        return {fixed: 1}
    pack, dice, value = position.pack, base_dice(position, by) + bonus, value_of(position, by, at)
    found: Weights = {}
    if uses_cards(position, position.units[by].nation):
        for card in pack.cards:
            hits = card_hits(pack, card, dice, value)
            found[hits] = found.get(hits, 0) + 1
        return found
    sides = pack.meta.dice_sides
    return {n: comb(dice, n) * value**n * (sides - value) ** (dice - n) for n in range(dice + 1)}


def _damage(position: Position, by: str, at: str, bonus: int, under: Cover) -> Weights:
    found: Weights = {}
    for hits, ways in _hits(position, by, at, bonus).items():
        damage = damage_of(position.pack, under, hits)
        found[damage] = found.get(damage, 0) + ways
    return found


def _aim(position: Position, attacker: str, target: str) -> int:
    """SPECIAL-1, TRENCH-19 Of the faces of the scatter die, those that strike the target."""
    if not position.type_of(attacker).scatter:
        return SCALE
    sides, misses = position.pack.meta.dice_sides, misses_up_to(position, attacker)
    aimed = position.units[target].at
    strays = [strays_to(position, aimed, face) for face in range(1, misses + 1)]
    lucky = sum(shell_strikes(position, hex_, target) == target for hex_ in strays)
    return round(SCALE * (sides - misses + lucky) / sides)


def _left(position: Position, unit: str) -> int:
    """Damage that destroys it."""
    return position.pack.dice.destroyed_at - position.units[unit].damage


def _added(one: Weights, other: Weights) -> Weights:
    found: Weights = {}
    for first, ways in one.items():
        for second, more in other.items():
            found[first + second] = found.get(first + second, 0) + ways * more
    return found


def _mean(weights: Weights) -> int:
    return round(SCALE * sum(number * ways for number, ways in weights.items()) / sum(weights.values()))


def _share(weights: Weights, least: int) -> int:
    """The chance of that number or more."""
    return round(
        SCALE * sum(ways for number, ways in weights.items() if number >= least) / sum(weights.values())
    )


# ------------------------------------------------------------------ the question


def odds(view: View, question: str) -> AttackOdds | None:
    """ODDS A CAR1 GB.INF1, A CAR1 C3, A GAS1 N, each with FROM D4 behind it; None: nothing to reckon."""
    words = question.upper().rstrip(".").split()
    if words and words[0] in ATTACK:
        words = words[1:]
    if len(words) not in (2, 4) or (attacker := unit_called(view, words[0])) is None:
        return None
    position: Position = view.position
    if len(words) == 4:
        if words[2] not in FROM or not _is_free(position, attacker, words[3]):
            return None
        position = moved(position, attacker, words[3])
    toward = FRENCH.get(words[1], words[1])
    if toward in position.grid.directions:
        return gas_odds(position, attacker, toward)
    target = unit_called(view, words[1])
    return None if target is None else attack_odds(position, attacker, target)


def _is_free(position: Position, unit: str, hex_: str) -> bool:
    on_board = hex_ in position.grid and hex_ not in position.forts
    return on_board and position.on.get(hex_, unit) == unit


def moved(position: Position, unit: str, hex_: str) -> Position:
    """As if the unit stood there."""
    units, on = dict(position.units), dict(position.on)
    if on.get(units[unit].at) == unit:
        del on[units[unit].at]
    units[unit], on[hex_] = replace(units[unit], at=hex_, aboard=""), unit
    return replace(position, units=units, on=on)


def unit_called(view: View, word: str) -> str | None:
    """By nation and code, by code alone if it is an own one, or by the hex on which it stands."""
    position = view.position
    if (hex_ := word.lstrip("@")) in position.grid:
        return position.on.get(hex_)
    if (found := UNIT.fullmatch(word)) is None or found[2] not in position.pack.type_of_code:
        return None
    code = position.pack.types[position.pack.type_of_code[found[2]]].code
    own = [nation for nation, camp in position.camp_of.items() if camp == view.camp]
    named = [f"{nation}.{code}{int(found[3])}" for nation in ([found[1]] if found[1] else own)]
    return next((unit for unit in named if unit in position.units), None)
