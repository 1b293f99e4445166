"""The luck account: what public rolls brought to whoever rolled, against what was to be expected.

Nothing but public records goes into it, so it says the same to everybody, at any time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from engine.kernel.fairness.audit import CloseRecord
from engine.kernel.fairness.history import Throw, throw_of
from engine.kernel.game import Game
from engine.kernel.journal import codec_of
from engine.kernel.requests import Fact, Seat
from engine.kernel.retrospect import Stake

EXACT_DICE = 200  # beyond so many dice the normal distribution is as good
AUDITED = "audited"


@dataclass(frozen=True, slots=True)
class StakedThrow:
    """A roll, and what it was for."""

    throw: Throw
    stake: Stake

    @property
    def actual(self) -> int:
        return sum(self.stake.worth[face - 1] for face in self.throw.faces)

    @property
    def dice(self) -> list[tuple[int, ...]]:
        """The worth of its faces, for each die."""
        return [self.stake.worth] * len(self.throw.faces)

    @property
    def is_chance(self) -> bool:
        """Forced dice are no luck, and recorded ones have been counted when they fell."""
        return self.throw.source == AUDITED


@dataclass(frozen=True, slots=True)
class Luck:
    """What a seat's dice for one purpose brought against what was to be expected."""

    seat: Seat
    group: str
    dice: int
    actual: int
    expected: float
    at_most: float  # probability of so much or less
    at_least: float  # probability of so much or more


@dataclass(frozen=True, slots=True)
class BattleLuck:
    """One battle's dice, side by side."""

    segment: str
    turn: str
    battle: tuple[str, ...]
    rows: tuple[Luck, ...]


def staked_throws(game: Game, pack: Any, records: Iterable[CloseRecord]) -> list[StakedThrow]:
    """The public rolls that luck is told of, in order of their numbers."""
    found = []
    for throw, facts, past in _with_facts(game, records):
        stake = game.retrospect.stake(pack, throw, facts, past)
        if stake is not None:
            found.append(StakedThrow(throw, stake))
    return found


def _with_facts(
    game: Game, records: Iterable[CloseRecord]
) -> Iterator[tuple[Throw, Sequence[Fact], Sequence[Fact]]]:
    """Every roll with the facts behind it that may tell its purpose, up to the next segment's dice, and those
    before it.
    """
    codec, told = codec_of(game), game.retrospect.roll_facts
    found: list[tuple[Throw, list[Fact], int]] = []
    every: list[Fact] = []
    segment, behind = "", list[list[Fact]]()  # of the rolls of the segment
    for record in records:
        for line in record.public_lines:
            if line["k"] == "roll":
                throw = throw_of(line, record.close.t)
                if throw.segment != segment:
                    segment, behind = throw.segment, []
                behind.append([])
                found.append((throw, behind[-1], len(every)))
            elif line["k"] == "fact" and line["fact"] in told:
                fact = codec.fact(line)
                every.append(fact)
                for facts in behind:
                    facts.append(fact)
    for throw, facts, number in found:
        yield throw, tuple(facts), every[:number]


# ------------------------------------------------------------------ the accounts


def luck(rolls: Iterable[StakedThrow]) -> tuple[Luck, ...]:
    """The account for each seat and group."""
    accounts = _accounts([one for one in rolls if one.is_chance])
    return tuple(sorted(accounts, key=lambda one: (one.seat, one.group)))


def luck_by_battle(rolls: Iterable[StakedThrow]) -> tuple[BattleLuck, ...]:
    """The account of each battle, in order."""
    battles: dict[tuple[str, tuple[str, ...]], list[StakedThrow]] = {}
    for one in rolls:
        if one.is_chance and one.stake.battle:
            battles.setdefault((one.throw.segment, one.stake.battle), []).append(one)
    return tuple(
        BattleLuck(segment, there[0].throw.turn, battle, _accounts(there))
        for (segment, battle), there in battles.items()
    )


def _accounts(rolls: Iterable[StakedThrow]) -> tuple[Luck, ...]:
    """In the order in which they begin."""
    sums: dict[tuple[Seat, str], int] = {}
    dice: dict[tuple[Seat, str], list[tuple[int, ...]]] = {}
    for one in rolls:
        key = (one.throw.seat, one.stake.group)
        sums[key] = sums.get(key, 0) + one.actual
        dice.setdefault(key, []).extend(one.dice)
    return tuple(_account(*key, sums[key], dice[key]) for key in sums)


def _account(seat: Seat, group: str, actual: int, dice: list[tuple[int, ...]]) -> Luck:
    expected = math.fsum(sum(values) / len(values) for values in dice)
    tails = _exact_tails if len(dice) <= EXACT_DICE else _normal_tails
    at_most, at_least = tails(actual, dice)
    return Luck(seat, group, len(dice), actual, expected, at_most, at_least)


def _exact_tails(actual: int, dice: list[tuple[int, ...]]) -> tuple[float, float]:
    """Both tails from the distribution of the sum, built up die by die."""
    spread = {0: 1.0}
    for values in dice:
        wider: dict[int, float] = {}
        for total, chance in spread.items():
            for value in values:
                wider[total + value] = wider.get(total + value, 0.0) + chance / len(values)
        spread = wider
    at_most = math.fsum(chance for total, chance in spread.items() if total <= actual)
    at_least = math.fsum(chance for total, chance in spread.items() if total >= actual)
    return min(1.0, at_most), min(1.0, at_least)


def _normal_tails(actual: int, dice: list[tuple[int, ...]]) -> tuple[float, float]:
    """Both tails by the normal distribution, half a point wider because sums are whole."""
    means = [sum(values) / len(values) for values in dice]
    spreads = [sum(v * v for v in vs) / len(vs) - mean * mean for vs, mean in zip(dice, means, strict=True)]
    deviation = math.sqrt(2 * math.fsum(spreads))
    if deviation == 0:
        return 1.0, 1.0
    off = actual - math.fsum(means)
    return 1 - math.erfc((off + 0.5) / deviation) / 2, math.erfc((off - 0.5) / deviation) / 2
