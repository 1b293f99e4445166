"""Letters about Trench Club: the worked turn in both languages and commands, as they come by post."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.games.trench_club.notation import NOTATION
from engine.games.trench_club.view import Report
from engine.kernel.requests import Seat
from tests.orders import commands as c
from tests.orders.writing import PLAYER, commands, read, sheet
from tests.rules.trench.drawn import drawn

BOARD = drawn(
    "DE.CAV1@C8, DE.TRK1@D5, DE.MOR1@D6, DE.INF1@C4, DE.CAR1@H4, DE.AIR1@F4, DE.TNK1@fort:B2 d2, GB.INF1@G7, "
    "FR.HOW1@I4, AH.INF1@V4",
    "own B2=DE",
)
GERMAN = replace(
    PLAYER,
    campaign="TC-7",
    open="R3.DE.T",
    answers="R3.DE.T",
    notation=NOTATION,
    view=Report(BOARD)(Seat("DE")),
    seats=("DE", "GB", "AH", "FR"),
)
ENGLISH = """\
C CAV1 B8
L MOR1 TRK1
L INF1 TRK1
M TRK1 D4 D3 E2 F2
U TRK1 MOR1@F3 INF1@E1
M CAR1 > H8
M AIR1 F5 F6 G6
A CAR1 GB.INF1
A AIR1 GB.INF1
A MOR1 I4
R TNK1
BUY INF B8"""
FRENCH = """\
PRENDRE MON1 B8
EMBARQUER MOR1 CAM1
EMBARQUER INF1 CAM1
D CAM1 D4 D3 E2 F2
DEBARQUER CAM1 MOR1@F3 INF1@E1
D BLI1 > H8
D AVI1 F5 F6 G6
A BLI1 GB.INF1
A AVI1 GB.INF1
A MOR1 I4
REPARER CHA1
ACHETER INF B8"""


def test_the_worked_turn_comes_by_post() -> None:
    english = read(f"ORDERS TC-7 R3.DE.T\n{ENGLISH}\nEND", who=GERMAN)
    assert (english.verdict, english.questions, english.refusals) == ("runs", (), ())
    french = read(f"ORDRES TC-7 R3.DE.T\n{FRENCH}\nFIN", who=GERMAN)
    assert [line.write("en") for line in french.sheet.reading.orders] == [
        line.write("en") for line in english.sheet.reading.orders
    ]
    assert len(sheet(english)) == 11, "unloading goes along with the transport's move"


def test_without_a_block_and_with_a_greeting() -> None:
    found = read(f"Good evening,\n\n{ENGLISH}\n\nJeanne", who=GERMAN)
    assert (found.verdict, found.questions) == ("runs", ()) and len(sheet(found)) == 11


@pytest.mark.parametrize(
    ("text", "reach"),
    [
        ("MAP REACH CAR1", "CAR1"),
        ("CARTE PORTÉE BLI1", "BLI1"),
        ("carte portee: GB.INF1", "GB.INF1"),
        ("MAP", ""),
    ],
)
def test_the_reach_of_a_unit_is_asked_for(text: str, reach: str) -> None:
    found = read(text, who=GERMAN)
    assert commands(found) == [c.Map(reach)]


def test_reach_needs_a_unit() -> None:
    found = read("MAP REACH", who=GERMAN)
    assert commands(found) == [] and found.questions
