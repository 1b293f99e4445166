"""Letters about To the Last Man!: the worked mail and the worked standing sheet, as they come by post."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.games.to_the_last_man.notation import NOTATION
from engine.games.to_the_last_man.view import View
from pbem.orders import commands as c
from tests.orders.writing import PLAYER, codes, commands, read, reasons, sheet
from tests.rules.ttlm.desk import view_of
from tests.rules.ttlm.test_notation_plans import WORKED_MAIL, WORKED_SHEET

ARMIES = {"GE2": ("AAC", "3I A"), "GE1": ("AAC", "I"), "GE3": ("TRI", "2I"), "GE7": ("STR", "2I")}
GERMAN = replace(
    PLAYER,
    campaign="TTLM-7",
    open="T1.1",
    answers="T1.1",
    notation=NOTATION,
    view=view_of("GE", turn=1, armies=ARMIES, loose={"TRI": "GE C"}),
    seats=("EN", "GE"),
)
ENTENTE = replace(GERMAN, view=view_of("EN", turn=1, armies={}, loose={}, hands={}))


def test_the_worked_mail_comes_by_post() -> None:
    found = read(f"ORDERS TTLM-7 GE T1.1\n{WORKED_MAIL}\nEND", who=GERMAN)
    assert (found.verdict, found.questions, found.refusals) == ("runs", (), ())
    assert len(sheet(found)) == 12
    assert found.sheet.reading.standing == () and found.standing.lines == ()


def test_a_header_for_the_other_side_is_asked_about() -> None:
    found = read("ORDERS TTLM-7 EN T1.1\nPASS\nEND", who=GERMAN)
    assert codes(found) == ["unclear-header"]


def test_the_worked_standing_sheet_comes_by_post() -> None:
    found = read(f"CONSIGNES TTLM-7 EN\n{WORKED_SHEET}\nFIN", who=ENTENTE)
    assert (found.verdict, found.questions, found.refusals) == ("runs", (), ())
    assert found.sheet.lines == ()
    written = [line.write("en") for line in found.standing.reading.standing]
    assert len(written) == 11
    assert all(text.startswith("ALWAYS ") for text in written)
    assert len({line.slot() for line in found.standing.reading.standing}) == 11


def test_an_order_of_a_turn_does_not_stand() -> None:
    found = read("STANDING\nAT *: ERSATZ MAX 1\nMOVE GE1 AAC-LIE\nEND", who=GERMAN)
    assert reasons(found) == ["mail-not-standing"]
    assert [line.write() for line in found.standing.reading.standing] == ["ALWAYS AT *: ERSATZ MAX 1"]


def test_both_kinds_of_block_in_one_letter() -> None:
    found = read("ORDERS T1.1\nPASS\nEND\nSTANDING\nAT *: SAVE\nEND", who=GERMAN)
    assert sheet(found) == ["PASS"]
    assert [line.write() for line in found.standing.reading.standing] == ["ALWAYS AT *: SAVE"]


@pytest.mark.parametrize(
    ("text", "command", "orders"),
    [("CARTE", c.Map(), []), ("CARTE GAZ SUR LIE", None, ["CARD GAS ON LIE"]), ("MAP", c.Map(), [])],
)
def test_a_word_that_is_a_command_too(text: str, command: c.Command | None, orders: list[str]) -> None:
    found = read(text, who=GERMAN)
    assert commands(found) == ([command] if command else [])
    assert sheet(found) == orders


def test_inside_a_block_the_games_word_wins() -> None:
    found = read("ORDERS\nCARTE\nEND", who=GERMAN)
    assert reasons(found) == ["missing"] and commands(found) == []


def test_wrapped_lines_are_joined() -> None:
    long = "AT LIE: RETREAT ALL TO AAC IF OWN<4 OR ENEMY>2*OWN AND\nOWNPIECES<3"
    found = read(f"ORDERS\nPASS\n{long}\nEND", who=GERMAN)
    assert sheet(found) == ["PASS", "AT LIE: RETREAT ALL>AAC IF OWN<4 OR ENEMY>2*OWN AND OWNPIECES<3"]


def test_greetings_are_no_orders() -> None:
    found = read("Bonjour\nPASSER\nA bientôt\nMerci", who=GERMAN)
    assert sheet(found) == ["PASS"] and found.questions == ()
    assert isinstance(GERMAN.view, View)
