"""The dice of a campaign as a table: history by seat, purpose, die and turn, and the luck account."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from engine.kernel.fairness.audit import CloseRecord
from engine.kernel.requests import Seat

EXACT_DICE = 200  # beyond so many dice the normal distribution is as good


@dataclass(frozen=True, slots=True)
class Throw:
    """One public roll."""

    number: int  # as cited: #412
    close: int
    segment: str  # "T3.R5"
    seat: Seat
    purpose: str  # "attack.DE"
    sides: int
    faces: tuple[int, ...]
    source: str  # "audited" "forced" "recorded"
    count: int = 1  # of rolls for that purpose in that segment

    @property
    def label(self) -> str:
        """What the dice fell under."""
        return f"{self.segment}/{self.purpose}/{self.count}/d{self.sides}"

    @property
    def turn(self) -> str:
        return self.segment.partition(".")[0]


COLUMNS = ("number", "close", "turn", "segment", "seat", "purpose", "die", "faces", "source")


def throws(records: Iterable[CloseRecord]) -> Iterator[Throw]:
    """Every public roll on record, in order of its number."""
    for record in records:
        for line in record.public_lines:
            if line["k"] != "roll":
                continue
            segment, purpose, count, _ = line["label"].rsplit("/", 3)
            place, seat, faces = (
                (line["n"], record.close.t, segment),
                Seat(line["seat"]),
                tuple(line["faces"]),
            )
            yield Throw(*place, seat, purpose, line["sides"], faces, line["by"], int(count))


def history_csv(rows: Iterable[Throw], written: Callable[[int], str] = str) -> str:
    """The history for a spreadsheet. `written`: how the game writes a face."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        faces = " ".join(map(written, row.faces))
        place = (row.number, row.close, row.turn, row.segment)
        writer.writerow((*place, row.seat, row.purpose, f"d{row.sides}", faces, row.source))
    return out.getvalue()


@dataclass(frozen=True, slots=True)
class Luck:
    """What a seat's dice showed in all against what was to be expected."""

    seat: Seat
    sides: int
    dice: int
    actual: int
    expected: float
    at_most: float  # probability of so much or less
    at_least: float  # probability of so much or more


def face_value(throw: Throw, face: int) -> int:
    return face


def luck(rows: Iterable[Throw], worth: Callable[[Throw, int], int] = face_value) -> tuple[Luck, ...]:
    """The account for each seat and die. `worth` says what a face counts: itself, or 1 for a hit.

    Forced dice are no luck, and recorded ones have been counted when they fell.
    """
    sums: dict[tuple[Seat, int], int] = {}
    dice: dict[tuple[Seat, int], list[tuple[int, ...]]] = {}
    for row in rows:
        if row.source != "audited":
            continue
        key = (row.seat, row.sides)
        sums[key] = sums.get(key, 0) + sum(worth(row, face) for face in row.faces)
        values = tuple(worth(row, face) for face in range(1, row.sides + 1))
        dice.setdefault(key, []).extend([values] * len(row.faces))
    return tuple(_account(*key, sums[key], dice[key]) for key in sorted(sums))


def _account(seat: Seat, sides: int, actual: int, dice: list[tuple[int, ...]]) -> Luck:
    expected = math.fsum(sum(values) / sides for values in dice)
    tails = _exact_tails if len(dice) <= EXACT_DICE else _normal_tails
    at_most, at_least = tails(actual, dice)
    return Luck(seat, sides, len(dice), actual, expected, at_most, at_least)


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
