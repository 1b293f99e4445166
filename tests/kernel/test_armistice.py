"""A game that its seats end by agreement, at a pause."""

from __future__ import annotations

import pytest

from engine.kernel.dice import NoDice, TestDice
from engine.kernel.errors import Diverged
from engine.kernel.game import Outcome, Settings
from engine.kernel.journal import Journal, Line, canonical
from engine.kernel.table import Table
from tests.kernel.toy import GAME, SEATS


def ended(closes: int) -> Table:
    """A game that went on by defaults for some windows, and then was ended."""
    table = Table.start(GAME, GAME.load_pack(), Settings(tempo="strict"), TestDice(7))
    table.advance()
    for _ in range(closes):
        table.advance()
    assert table.pause is not None
    table.end_by_agreement(SEATS)
    return table


@pytest.mark.parametrize("closes", [0, 1, 5])
def test_it_is_over_and_nobody_has_won(closes: int) -> None:
    table = ended(closes)
    assert table.over and table.pause is None
    assert table.outcome == Outcome((), "armistice")
    close, ruling, end = (line.data for line in table.journal.lines[-3:])
    assert (close["k"], close["t"]) == ("close", table.t)
    assert ruling["data"] == {"public": {"seats": sorted(SEATS)}}
    assert end == {"k": "end", "winners": [], "reason": "armistice", "scores": {}}


@pytest.mark.parametrize("closes", [0, 1, 5])
def test_its_journal_lived_through_again_ends_there(closes: int) -> None:
    table = ended(closes)
    again = Table.replay(GAME, table.pack, table.settings, table.journal.lines, NoDice())
    assert again.over and again.outcome == table.outcome
    assert again.journal.head == table.journal.head
    assert table.snapshot is not None
    tail = table.journal.since(table.snapshot.line)
    resumed = Table.resume(GAME, table.pack, table.settings, table.snapshot, tail, NoDice())
    assert resumed.over and resumed.outcome == table.outcome
    assert GAME.dump(resumed.state) == GAME.dump(table.state)


def test_nothing_follows_the_end() -> None:
    table = ended(1)
    longer = Journal()
    for line in (*(line.raw for line in table.journal.lines), canonical({"k": "pause"})):
        longer.append(line)
    lines: list[Line] = list(longer.lines)
    with pytest.raises(Diverged, match="the game is over"):
        Table.replay(GAME, table.pack, table.settings, lines, NoDice())


def test_a_game_that_goes_on_has_no_outcome() -> None:
    table = Table.start(GAME, GAME.load_pack(), Settings(), TestDice(7))
    table.advance()
    assert table.outcome is None
