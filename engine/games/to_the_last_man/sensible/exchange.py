"""2.II.4 What a round of combat is expected to bring, from expected hits both ways."""

from __future__ import annotations

from functools import lru_cache
from math import exp
from typing import NamedTuple

from engine.games.to_the_last_man.sensible.powers import Power

UNIT = 0.16  # what a lost unit is worth, in victory points
KILL = 0.6  # 3.1-02 an army off the map until somebody pays for it
FINE = 20  # hits are rounded to so many parts of one


class Clash(NamedTuple):
    """One side attacks the other in an area."""

    attacker: Power
    defender: Power
    fort: int = 0  # the defender's; what a fort of strength 0 can take is one hit
    fort_fire: float = 1 / 3
    rough: bool = False
    surprise: bool = False  # 2.II.4a
    guns: float = 1.0  # 9.3, 9.4 how much better the attacker's artillery fires


class Forecast(NamedTuple):
    """Hits expected on either side, and the chances that follow from them."""

    scored: float
    suffered: float
    won: float  # the defender is gone
    lost: float  # the attacker is gone
    armies: float  # of the defender's, eliminated
    own_armies: float

    @property
    def balance(self) -> float:
        """Units and armies, in victory points; ground is counted apart."""
        return UNIT * (self.scored - self.suffered) + KILL * (self.armies - self.own_armies)


def at_least(mean: float, number: float) -> float:
    """The chance of so many hits or more, as rare events come."""
    if number <= 0:
        return 1.0
    return _tail(round(mean * FINE), int(number + 0.999))


@lru_cache(maxsize=65536)
def _tail(parts: int, number: int) -> float:
    mean = parts / FINE
    term = exp(-mean)
    below = 0.0
    for hits in range(number):
        below += term
        term *= mean / (hits + 1)
    return max(0.0, 1.0 - below)


def forecast(clash: Clash) -> Forecast:
    """Steps b, c and d in turn; in a surprise d comes before c, and artillery fires once."""
    attacker, defender = clash.attacker, clash.defender
    toughness = defender.hp + clash.fort
    if toughness <= 0 or attacker.hp <= 0:
        return Forecast(0.0, 0.0, float(toughness <= 0), float(attacker.hp <= 0), 0.0, 0.0)
    guns, fire = attacker.guns * clash.guns, attacker.fire + (0.0 if clash.rough else attacker.tanks)
    siege = min(float(clash.fort), attacker.siege)
    answer = defender.defence + clash.fort * clash.fort_fire
    first = guns + siege + (fire if clash.surprise else 0.0)
    suffered = answer * max(0.0, 1 - first / toughness)
    standing = max(0.0, 1 - suffered / attacker.hp)
    second = 0.0 if clash.surprise else standing * (fire + guns + min(max(0.0, clash.fort - siege), siege))
    scored = first + second
    return Forecast(
        min(scored, toughness),
        min(suffered, attacker.hp),
        at_least(scored, toughness),
        at_least(suffered, attacker.hp),
        armies_lost(scored, toughness, defender.armies),
        armies_lost(suffered, attacker.hp, attacker.armies),
    )


def armies_lost(hits: float, toughness: float, armies: float) -> float:
    """5.3.1-02 The strongest piece pays, so armies go only when all are down to their last unit."""
    number = round(armies)
    return sum(at_least(hits, max(1.0, toughness - number + nth)) for nth in range(1, number + 1))
