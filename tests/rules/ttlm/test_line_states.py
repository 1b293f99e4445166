"""What became of each line of a sheet, and why: joint orders that leave a line out, lines out of order."""

from __future__ import annotations

from typing import Any

from engine.games.to_the_last_man.game import GAME
from engine.games.to_the_last_man.notation.forces import Some, meant
from engine.games.to_the_last_man.order_of_play import player_turn, production
from engine.games.to_the_last_man.state import NATIONS
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings
from engine.kernel.requests import Seat, Segment
from engine.kernel.table import Table
from pbem.campaigns.order_file import TracedOrderFile
from tests.rules.ttlm.drawn import PACK, drawn

OPTIONS = {**PACK.options, **PACK.rulings}
LIEGE: dict[str, Any] = {"armies": {"GE1": ("AAC", "3I")}, "loose": {"LIE": "BE I"}}


def table_at(segment: Segment, **drawing: Any) -> Table:
    turn = int(segment.args[0])
    state = drawn(turn=turn, phase="end", offensive="", number=0, options=OPTIONS, **drawing)
    table = Table.at(GAME, PACK, GameSettings("1914", 2, "fast", {}), state, segment, TestDice(1))
    table.advance({})
    return table


def states(table: Table, seat: str, sheet: str) -> list[tuple[str, str]]:
    """Of each line, as written: its state, and why it was not done."""
    reading = GAME.notation.read(sheet, table.view(Seat(seat)))
    assert not reading.refusals
    file = TracedOrderFile(sheet=reading.orders)
    table.advance({Seat(seat): file})
    found = list[tuple[str, str]]()
    for line in sorted(file.sheet, key=lambda line: line.number):
        state = file.status_of(line, still_planned=False)
        refused = [one.reason for (number, _), one in file.refusals.items() if number == line.number]
        why = refused[0] if state == "refused" else file.why_unused(line) if state == "unused" else ""
        found.append((state, why))
    return found


def test_2_ii_3_a_second_gas_card_on_one_area_is_not_done() -> None:
    table = table_at(player_turn(8, 1, "GE"), hands={"GE": "OFF GAS GAS", "EN": ""}, **LIEGE)
    sheet = "PLAY OFFENSIVE\nMOVE GE1 AAC-LIE\nBATTLE LIE\nCARD GAS ON LIE\nCARD GAS ON LIE"
    told = states(table, "GE", sheet)
    assert told == [("done", "")] * 4 + [("unused", "result-spare")]


def test_9_3__2_of_gas_and_a_barrage_on_one_area_the_later_line_is_refused() -> None:
    table = table_at(player_turn(14, 1, "GE"), hands={"GE": "OFF GAS AAB", "EN": ""}, **LIEGE)
    sheet = "PLAY OFFENSIVE\nMOVE GE1 AAC-LIE\nBATTLE LIE\nCARD GAS ON LIE\nCARD BARRAGE ON LIE"
    assert states(table, "GE", sheet)[3:] == [("done", ""), ("refused", "gas-and-barrage")]


def test_1_4__2_a_build_from_an_empty_pool_is_refused_not_lost() -> None:
    empty: dict[str, list[str]] = {nation: [] for nation in NATIONS}
    drawing: dict[str, Any] = {"hands": {"GE": "", "EN": ""}, "armies": {"FR6": ("PAR", "2I")}, "pool": empty}
    told = states(table_at(production(8), **drawing), "EN", "BUILD I IN FR6\nBUY 1 CARDS")
    assert told == [("refused", "pool-empty"), ("done", "")]


def test_a_line_whose_question_never_came_says_so() -> None:
    table = table_at(player_turn(8, 1, "GE"), hands={"GE": "OFF", "EN": ""}, armies={"GE1": ("AAC", "3I")})
    told = states(table, "GE", "PLAY OFFENSIVE\nBATTLE LIE")
    assert told == [("done", ""), ("unused", "result-not-asked")]


def test_7_6__5_a_rebuild_written_below_a_build_keeps_its_refusal() -> None:
    """Purchases serve by their stages, wherever they stand."""
    table = table_at(production(8), hands={"GE": "", "EN": ""}, armies={"GE1": ("COL", "2I")})
    told = states(table, "GE", "BUILD I IN GE1\nREBUILD GE1 AT COL")
    assert told[0] == ("done", "") and told[1][0] == "refused"


def test_7_2_a_build_in_an_army_means_its_own_nation_also_where_that_has_none_left() -> None:
    """Where two other nations had some it meant nobody's, and was lost without a word."""
    table = table_at(player_turn(8, 1, "GE"), hands={"GE": "", "EN": ""}, armies={"FR6": ("PAR", "2I")})
    view, left = table.view(Seat("EN")), (("UK.I", 2), ("US.I", 1))
    assert meant(Some("I"), left, view, "FR6", "LIE", at_home=True) == "FR.I"
