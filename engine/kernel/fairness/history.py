"""The dice of a campaign as a table: history by seat, purpose, die and turn."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.kernel.fairness.audit import CloseRecord
from engine.kernel.requests import Seat


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
            if line["k"] == "roll":
                yield throw_of(line, record.close.t)


def throw_of(line: Mapping[str, Any], close: int) -> Throw:
    """A roll as a public record has it."""
    segment, purpose, count, _ = line["label"].rsplit("/", 3)
    seat, faces = Seat(line["seat"]), tuple(line["faces"])
    return Throw(line["n"], close, segment, seat, purpose, line["sides"], faces, line["by"], int(count))


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
