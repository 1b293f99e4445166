"""What a receipt says of a sheet rests on what its writer knows: closed armies are not looked into."""

from __future__ import annotations

from typing import Any

from engine.games.to_the_last_man.game import GAME
from engine.games.to_the_last_man.order_of_play import player_turn
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings
from engine.kernel.rehearsal import judge_sheet
from engine.kernel.requests import Seat
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Table
from tests.rules.ttlm.drawn import PACK, drawn

GE = Seat("GE")
SHEET = "PLAY OFFENSIVE\nMOVE GE1 AAC-LIE\nMOVE GE1 AAC-NAM\nBATTLE LIE\nCARD GAS ON LIE"


def receipt(sheet: str, **drawing: Any) -> list[tuple[int, str, str]]:
    """Number, status and reason of each line, in the German Player Turn of turn 8."""
    options = {**PACK.options, **PACK.rulings, **drawing.pop("options", {})}
    board = {"armies": {"GE1": ("AAC", "3I")}, "hands": {"GE": "OFF GAS", "EN": ""}, **drawing}
    state = drawn(turn=8, phase="end", offensive="", number=0, options=options, **board)
    settings = GameSettings("1914", 2, "fast", {})
    table = Table.at(GAME, PACK, settings, state, player_turn(8, 1, "GE"), TestDice(1))
    table.advance({})
    reading = GAME.notation.read(sheet, table.view(GE))
    assert reading.refusals == ()
    verdicts = judge_sheet(table, GE, OrderFile(reading.orders, reading.standing))
    return [(one.line.number, one.status, one.refusal.reason if one.refusal else "") for one in verdicts]


def test_moves_are_tried_and_a_move_that_cannot_be_made_is_told() -> None:
    told = receipt(SHEET, loose={"LIE": "BE I"})
    assert told[:2] == [(1, "accepted", ""), (2, "accepted", "")]
    assert told[2][:2] == (3, "refused")
    assert [one[1] for one in told[3:]] == ["accepted", "accepted"]  # loose infantry is there for all to see


def test_11_2__2_a_receipt_does_not_tell_whether_a_closed_army_has_infantry() -> None:
    """An army of guns alone would be lost at once (5.5-02), and there would be no battle."""
    guns = receipt(SHEET, armies={"GE1": ("AAC", "3I"), "FR5": ("LIE", "2A")})
    foot = receipt(SHEET, armies={"GE1": ("AAC", "3I"), "FR5": ("LIE", "2I")})
    assert guns == foot
    assert [one[1] for one in foot[3:]] == ["untested", "untested"]


def test_open_armies_may_be_looked_into() -> None:
    armies = {"GE1": ("AAC", "3I"), "FR5": ("LIE", "2I")}
    told = receipt(SHEET, armies=armies, options={"hidden_army_templates": False})
    assert [one[1] for one in told[3:]] == ["accepted", "accepted"]
