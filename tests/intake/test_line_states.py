"""Every line of a random sheet comes to what its receipt said, whatever dice and enemies do."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, count, islice

import pytest

from engine.kernel.rehearsal import judge_sheet
from tests.intake.line_states import STATES, Sheet, sheets
from tests.intake.ways import Way, ways

GAMES = ("fww", "ttlm", "trench")
SAMPLE = 12  # sheets of a game
FULL, PARTS = 5000, 10
RARELY = {"fww": 0.08, "ttlm": 0.015, "trench": 0.005}  # of all lines: none of the ways decides otherwise
FEW, MOST = 3, 60  # ways in which a sheet is played: so many, and more until all of it is decided


def examine(sheet: Sheet) -> list[str]:
    """Lines that were "not tested yet", though nothing that their writer did not know decided them."""
    for played, way in enumerate(islice(ways(), MOST)):
        if played >= FEW and not sheet.undecided():
            break
        sheet.play(way)
    assert len(sheet.verdicts) == len(sheet.file.sheet)
    assert all(set(outcome.values()) <= set(STATES) for outcome in sheet.outcomes)
    assert [] == list(sheet.broken())
    return [sheet.told(place) for place in sheet.undecided()]


def check_all(name: str, some: Iterable[Sheet]) -> None:
    lines, undecided = 0, list[str]()
    for sheet in some:
        undecided += examine(sheet)
        lines += len(sheet.verdicts)
    assert len(undecided) <= RARELY[name] * lines, undecided


@pytest.mark.parametrize("name", GAMES)
def test_each_line_comes_to_what_was_said_of_it(name: str) -> None:
    check_all(name, islice(sheets(name, 1), SAMPLE))


def check_worlds(some: Iterable[Sheet]) -> None:
    """Where everything lies elsewhere that its writer cannot see, the same is said of each line."""
    for number, sheet in enumerate(some):
        other = Way(number, exchanged=True).world(sheet.table, sheet.seat)
        assert judge_sheet(other, sheet.seat, sheet.file) == sheet.verdicts


@pytest.mark.parametrize("name", GAMES)
def test_nothing_hidden_bears_on_what_is_said(name: str) -> None:
    check_worlds(islice(sheets(name, 1), SAMPLE))


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_nothing_hidden_bears_on_what_is_said_of_many_sheets(name: str) -> None:
    games = (sheets(name, 500 + number) for number in count())
    check_worlds(islice(chain.from_iterable(games), FULL // PARTS))


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", GAMES)
def test_each_line_comes_to_what_was_said_of_it_5_000_times(name: str, part: int) -> None:
    games = (sheets(name, 1000 * (part + 1) + number) for number in count())
    check_all(name, islice(chain.from_iterable(games), FULL // PARTS))
