"""Letters about To the Last Man!: the worked mail and the worked standing sheet, as they come by post."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.games.to_the_last_man.notation import NOTATION
from engine.games.to_the_last_man.pack import load_pack
from engine.games.to_the_last_man.view import View
from pbem.orders.text import plain
from tests.orders import commands as c
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
    exchange=lambda word: NOTATION.exchange_key(word, load_pack()),
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


@pytest.mark.parametrize(
    ("tag", "key"),
    [
        ("1914-SU.3", "T1.3"),
        ("1914-su.3.d", "T1.3.D"),
        ("1914–ÉTÉ.3", "T1.3"),
        ("1914-SUMMER", "T1"),
        ("1914-WI.P", "T3.P"),
        ("1914-15-HIVER.2", "T3.2"),
        ("1914/1915-WI", "T3"),
        ("1918-SP.1", "T16.1"),
        ("1914-SP.1", None),  # no season of this war
        ("1914-XX", None),
        ("T1.3", "T1.3"),
    ],
)
def test_a_season_names_its_turn(tag: str, key: str | None) -> None:
    assert GERMAN.exchange(plain(tag)) == key


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("ORDERS TTLM-7 GE 1914-SU.1", ""),
        ("ORDRES TTLM-7 1914-ÉTÉ.1", ""),
        ("ORDERS 1914-SU", ""),  # the season alone
        ("ORDERS TTLM-7 1914-SU.3", "other-turn"),
        ("ORDERS TTLM-7 1914-AU.1", "other-turn"),
    ],
)
def test_a_header_names_a_season_and_a_window(header: str, code: str) -> None:
    found = read(f"{header}\nPASS\nEND", who=GERMAN, answers="T1.0")
    wanted = [code] if code else ["other-turn"] if header.endswith("SU") else []
    assert codes(found) == wanted
    assert codes(read(f"{header}\nPASS\nEND", who=GERMAN)) == ([code] if code else [])
    assert sheet(found) == ["PASS"]  # what CONFIRM would take


def test_a_stale_header_is_told_by_its_window() -> None:
    (question,) = read("ORDERS TTLM-7 1914-SU.3\nPASS\nEND", who=GERMAN).questions
    assert question.facts == {"named": "T1.3", "open": "T1.1"} and question.confirmable


def test_commands_name_turns_by_their_season() -> None:
    assert commands(read("HISTORY 1914-SU", who=GERMAN)) == [c.History("T1")]
    assert commands(read("PROPOSE ROLLBACK 1914-SU.1", who=GERMAN)) == [c.ProposeRollback("T1.1")]


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


def test_orders_that_our_receipt_repeated_are_sent_once_more() -> None:
    """Whoever mends the header of a letter sends the same lines: they are his, not a piece of ours."""
    told = "##- TTLM-7: write -##\n\nPLAY LIMITED\nAT LIE: ERSATZ MAX 1 KEEP OFFENSIVE\n##- end / fin -##"
    text = "PLAY LIMITED\nAT LIE: ERSATZ MAX 1 KEEP OFFENSIVE"
    for written in (f"ORDERS TTLM-7 1914-SU.1\n{text}\nEND", text):
        found = read(written, who=replace(GERMAN, sent=told))
        assert (sheet(found), codes(found)) == (text.splitlines(), [])
