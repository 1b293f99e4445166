"""A game that its seats end by agreement, at a pause."""

from __future__ import annotations

from typing import Any

import pytest

from engine.kernel.errors import Diverged
from engine.kernel.fairness.dice import NoDice, TestDice
from engine.kernel.game import GameSettings, Outcome
from engine.kernel.journal import Journal, JournalLine, canonical
from engine.kernel.records import ARMISTICE, RESIGNATION
from engine.kernel.requests import Seat
from engine.kernel.table import Table
from engine.kernel.visibility import is_touch
from tests.kernel.toy import GAME, SEATS, Toy


def ended(closes: int) -> Table:
    """A game that went on by defaults for some windows, and then was ended."""
    table = Table.start(GAME, GAME.load_pack(), GameSettings(tempo="strict"), TestDice(7))
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
    close, end = (line.data for line in table.journal.lines[-2:])
    assert (close["k"], close["t"]) == ("close", table.t)
    by = {"act": ARMISTICE, "seats": sorted(SEATS)}
    assert end == {"k": "end", "winners": [], "reason": "armistice", "scores": {}, **by}
    assert not any(map(is_touch, (close, end))), "no umpire had a hand in it"


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


def test_a_game_that_ended_while_the_end_was_journaled_as_a_ruling_is_still_over() -> None:
    table, older = ended(1), Journal()
    *lines, end = table.journal.lines
    ruling = {"k": "ruling", "act": ARMISTICE, "reason": "", "data": {"public": {"seats": sorted(SEATS)}}}
    plain = {name: value for name, value in end.data.items() if name not in ("act", "seats")}
    for line in (*(line.raw for line in lines), canonical(ruling), canonical(plain)):
        older.append(line)
    again = Table.replay(GAME, table.pack, table.settings, list(older.lines), NoDice())
    assert again.over and again.outcome == table.outcome and again.journal.head == older.head


def test_nothing_follows_the_end() -> None:
    table = ended(1)
    longer = Journal()
    for line in (*(line.raw for line in table.journal.lines), canonical({"k": "pause"})):
        longer.append(line)
    lines: list[JournalLine] = list(longer.lines)
    with pytest.raises(Diverged, match="the game is over"):
        Table.replay(GAME, table.pack, table.settings, lines, NoDice())


def test_a_game_that_goes_on_has_no_outcome() -> None:
    table = Table.start(GAME, GAME.load_pack(), GameSettings(), TestDice(7))
    table.advance()
    assert table.outcome is None


class Scored(Toy):
    """The toy, if its rules said who wins when the seats end it."""

    def armistice_outcome(self, state: Any) -> Outcome:
        return Outcome((SEATS[0],), "armistice", {"points": state.turn})

    def resignation_outcome(self, state: Any, seat: Seat) -> Outcome:
        return Outcome(tuple(one for one in SEATS if one != seat), "resignation", {"points": state.turn})


@pytest.mark.parametrize("act", [ARMISTICE, RESIGNATION])
def test_a_game_may_say_who_has_won_when_its_seats_end_it(act: str) -> None:
    game = Scored()
    table = Table.start(game, game.load_pack(), GameSettings(tempo="strict"), TestDice(7))
    table.advance()
    table.advance()
    seats = SEATS if act == ARMISTICE else SEATS[:1]
    table.end_by_agreement(seats, act=act)
    state = table.state
    given_up = act == RESIGNATION
    wanted = game.resignation_outcome(state, SEATS[0]) if given_up else game.armistice_outcome(state)
    assert table.over and table.outcome == wanted
    end = table.journal.lines[-1].data
    assert (end["act"], end["seats"]) == (act, sorted(seats))
    assert (end["winners"], end["reason"], end["scores"]) == (list(wanted.winners), act, wanted.scores)
    again = Table.replay(game, table.pack, table.settings, table.journal.lines, NoDice())
    assert again.over and again.outcome == wanted and again.journal.head == table.journal.head
