"""What a receipt says of a sheet rests on what its writer knows: closed armies are not looked into."""

from __future__ import annotations

from typing import Any

import pytest

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
    misread: list[tuple[int, str, str]] = [(one.line, "refused", one.reason) for one in reading.refusals]
    verdicts = judge_sheet(table, GE, OrderFile(reading.orders, reading.standing))
    tried: list[tuple[int, str, str]] = [
        (one.line.number, one.status, one.refusal.reason if one.refusal else "") for one in verdicts
    ]
    return sorted(misread + tried)


def test_moves_are_tried_and_a_move_that_cannot_be_made_is_told() -> None:
    told = receipt(SHEET, loose={"LIE": "BE I"})
    assert told[:2] == [(1, "accepted", ""), (2, "accepted", "")]
    assert told[2] == (3, "refused", "not-adjacent")
    assert [one[1] for one in told[3:]] == ["accepted", "accepted"]  # loose infantry is there for all to see


def test_11_2__2_a_receipt_does_not_tell_whether_a_closed_army_has_infantry() -> None:
    """An army of guns alone would be lost at once (5.5-02), and there would be no battle."""
    guns = receipt(SHEET, armies={"GE1": ("AAC", "3I"), "FR5": ("LIE", "2A"), "FR4": ("VER", "2I")})
    foot = receipt(SHEET, armies={"GE1": ("AAC", "3I"), "FR5": ("LIE", "2I"), "FR4": ("VER", "2A")})
    assert guns == foot
    assert [one[1] for one in foot[3:]] == ["untested", "untested"]


def test_open_armies_may_be_looked_into() -> None:
    armies = {"GE1": ("AAC", "3I"), "FR5": ("LIE", "2I")}
    told = receipt(SHEET, armies=armies, options={"hidden_army_templates": False})
    assert [one[1] for one in told[3:]] == ["accepted", "accepted"]


# ------------------------------------------------------------------ as far as the writer's own knowledge


def sheet_in(window: str, seat: Seat, sheet: str) -> list[tuple[str, str]]:
    """Status and reason of each line in the first window of that kind, without a word before it."""
    table = Table.start(GAME, PACK, GameSettings("1914", 2, "fast", {"length": "short"}), TestDice(1))
    pause = table.advance()
    while pause is not None and not pause.window.key.endswith(window):
        pause = table.advance()
    reading = GAME.notation.read(sheet, table.view(seat))
    assert not reading.refusals
    judged = sorted(judge_sheet(table, seat, OrderFile(reading.orders)), key=lambda one: one.line.number)
    return [(one.status, one.refusal.reason if one.refusal else "") for one in judged]


def test_7_1_all_purchases_are_tested_though_the_enemy_buys_at_the_same_time() -> None:
    """Twelve cards behind a unit were refused after the window, and the points were lost."""
    told = sheet_in(".P", Seat("EN"), "BUILD I IN FR6\nENTRENCH FR3\nBUY 12 CARDS")
    assert [status for status, _ in told] == ["accepted", "accepted", "refused"]


def test_2_i_in_fast_the_reinforcements_behind_production_are_tested() -> None:
    told = sheet_in(".P", Seat("EN"), "BUY 2 CARDS\nPLACE FR9 AT COL\nPLACE ALL")
    assert [status for status, _ in told] == ["accepted", "refused", "accepted"]


def test_9_1_2_two_battles_of_a_limited_offensive_are_refused_whatever_closed_armies_hold() -> None:
    armies = {"GE1": ("TRI", "3I"), "GE2": ("LIE", "3I"), "FR5": ("LIE", "2I"), "FR4": ("VER", "2A")}
    board = {"loose": {"LUX": "BE I"}, "hands": {"GE": "LIM", "EN": ""}}
    sheet = "PLAY LIMITED\nMOVE GE1 TRI-LUX\nBATTLE LIE, LUX"
    told = receipt(sheet, armies=armies, **board)
    assert told[2][1:] == ("refused", "one-battle-only"), told


def test_a_battle_elsewhere_is_tested_beside_a_closed_army() -> None:
    """Whether the army in Liège stands is a secret; that Luxembourg is fought for is none."""
    armies = {"GE1": ("TRI", "3I"), "GE2": ("LIE", "3I"), "FR5": ("LIE", "2I"), "FR4": ("VER", "2A")}
    told = receipt("PLAY OFFENSIVE\nMOVE GE1 TRI-LUX\nBATTLE LUX", armies=armies, loose={"LUX": "BE I"})
    assert [one[1] for one in told] == ["accepted", "accepted", "accepted"], told


@pytest.mark.parametrize("line", ["BID 0", "FIRST GE"])
def test_14_2__1_a_bid_that_no_season_asks_for_does_nothing(line: str) -> None:
    assert sheet_in(".P", Seat("EN"), f"BUY 2 CARDS\n{line}") == [("accepted", ""), ("idle", "")]


def test_behind_the_last_season_nothing_is_reinforced() -> None:
    """`DONE` was accepted for reinforcements that never come."""
    (bought, done) = sheet_in("T3.P", Seat("GE"), "PRODUCE CARDS LIMIT\nDONE")
    assert (bought, done[0]) == (("accepted", ""), "idle")


def test_what_was_asked_before_in_the_turn_is_not_waited_with() -> None:
    """In `strict` the card is asked for first: in the moves a card and PASS were "not tested yet"."""
    table = Table.start(GAME, PACK, GameSettings("1914", 2, "strict", {}), TestDice(1))
    pause = table.advance()
    while pause is not None and pause.window.once:
        pause = table.advance()
    view = table.view(GE)
    assert view.phase == "moves" and view.phasing == GE
    statuses = {}
    for line in ("PASS", "PLAY OFFENSIVE", "DONE", "BATTLE NONE", "ALWAYS PASS"):
        reading = GAME.notation.read(line, view)
        for one in judge_sheet(table, GE, OrderFile(reading.orders, reading.standing)):
            statuses[line] = one.status
    assert statuses == {
        "PASS": "idle",
        "PLAY OFFENSIVE": "idle",
        "DONE": "accepted",
        "BATTLE NONE": "untested",
    }
