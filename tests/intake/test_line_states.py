"""Every line of a random sheet comes to what its receipt said, whatever dice and enemies do."""

from __future__ import annotations

from itertools import chain, count, islice

import pytest

from tests.intake.line_states import STATES, WAYS, Sheet, sheets

GAMES = ("fww", "ttlm", "trench")
SAMPLE = 12  # sheets of a game
FULL, PARTS = 5000, 10


def examine(sheet: Sheet, ways: int = WAYS) -> None:
    for way in range(ways):
        sheet.play(way)
    assert len(sheet.verdicts) == len(sheet.file.sheet)
    assert all(set(outcome.values()) <= set(STATES) for outcome in sheet.outcomes)
    assert [] == list(sheet.broken())


@pytest.mark.parametrize("name", GAMES)
def test_each_line_comes_to_what_was_said_of_it(name: str) -> None:
    for _, sheet in zip(range(SAMPLE), sheets(name, 1), strict=False):
        examine(sheet)


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", GAMES)
def test_each_line_comes_to_what_was_said_of_it_5_000_times(name: str, part: int) -> None:
    games = (sheets(name, 1000 * (part + 1) + number) for number in count())
    for sheet in islice(chain.from_iterable(games), FULL // PARTS):
        examine(sheet)
