"""TRANSPORT in the order language: whoever boards is put down by a line of the same sheet."""

from __future__ import annotations

import pytest

from engine.games.trench_club.notation import NOTATION
from engine.kernel.errors import Illegal
from engine.kernel.game import Reading
from engine.kernel.rehearsal import Verdict, judge_sheet
from engine.kernel.requests import Seat
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Table
from tests.rules.trench.test_notation import table_of

PICTURES = ["DE.TRK1@D5", "DE.MOR1@D6", "DE.INF1@C4", "GB.INF1@J5"]
NEVER = ("TC-TRANSPORT-5", "never-unloaded")


def table(*more: str) -> Table:
    return table_of([*PICTURES, *more], active="DE")


def judged(text: str, at: Table) -> list[Verdict]:
    reading: Reading = NOTATION.read(text, at.view(Seat("DE")))
    assert not reading.refusals, reading.refusals
    return list(judge_sheet(at, Seat("DE"), OrderFile(reading.orders)))


def refusals(text: str, *more: str) -> list[tuple[int, str, str]]:
    """Line, rule and reason of all that is refused."""
    found = [one.refusal for one in judged(text, table(*more)) if one.status == "refused"]
    return [(one.line, one.rule, one.reason) for one in found if one is not None]


# ------------------------------------------------------------------ no line unloads


def test_e09_the_four_pictures_as_a_sheet() -> None:
    text = "L MOR1 TRK1\nL INF1 TRK1\nM TRK1 D4 D3 E2 F2\nU TRK1 MOR1@F3 INF1@E1"
    assert refusals(text) == []
    drive = "M TRK1 D4 D3 E2 F2 UNLOAD MOR1@F3 INF1@E1"
    assert refusals(f"L MOR1 TRK1\nL INF1 TRK1\n{drive}") == []


@pytest.mark.parametrize(
    "text",
    [
        "L MOR1 TRK1",
        "E MOR1 CAM1",
        "M MOR1 TRK1",
        "M MOR1 > TRK1",
        "M MOR1 > D5",
        "L MOR @D5",
        "L @D6 TRK",
        "L MOR1 TRK1\nM INF1 D4",
    ],
)
def test_e09_no_unload_line_is_illegal(text: str) -> None:
    """TC-TRANSPORT-5"""
    assert refusals(text) == [(1, *NEVER)]


def test_e09_each_who_boards_is_named() -> None:
    """TC-TRANSPORT-5"""
    verdicts = judged("L MOR1 TRK1\nM INF1 TRK1", table())
    assert [one.refusal for one in verdicts] == [
        Illegal(*NEVER, {"unit": "DE.MOR1", "transport": "DE.TRK1"}, 1),
        Illegal(*NEVER, {"unit": "DE.INF1", "transport": "DE.TRK1"}, 2),
    ]
    other = "L MOR1 TRK1\nU TRK1 MOR1@E4\nL HVY1 TRK2"
    assert refusals(other, "DE.TRK2@H4", "DE.HVY1@H5") == [(3, *NEVER)]


@pytest.mark.parametrize(
    "text",
    [
        "L MOR1 TRK1\nU @D5 MOR1@E4",
        "L MOR1 @D5\nU TRK1 MOR1@E4",
        "L MOR1 @D5\nM TRK D4\nU TRK1 MOR1@E4",
        "L MOR1 TRK1\nM @D5 D4\nU TRK1 MOR1@E4",
        "M MOR1 > D5\nU TRK1 MOR1@E4",
        "M TRK1 D4\nM INF1 > D5",
    ],
)
def test_e09_the_transport_may_be_named_otherwise(text: str) -> None:
    """TC-TRANSPORT-5; and where it has left its hex before, nobody boards it there."""
    assert refusals(text) == []


def test_e09_the_transport_moves_once_and_after_the_boarding() -> None:
    """TC-TRANSPORT-4, 13"""
    assert refusals("M TRK1 D4\nL MOR1 TRK1") == [(2, "TC-TRANSPORT-13", "transport-has-moved")]
    twice = "L MOR1 TRK1\nM TRK1 D4 UNLOAD MOR1@E4\nM TRK1 D3"
    assert refusals(twice) == [(3, "TC-MOVE-1", "has-moved")]


# ------------------------------------------------------------------ a goal is no unloading


def test_e09_a_loaded_drive_says_who_gets_off_where() -> None:
    """TC-TRANSPORT-5: the cheapest way is found, the places are not chosen for anybody."""
    (_, drive) = judged("L MOR1 TRK1\nM TRK1 > F2", table())
    assert drive.refusal is not None
    assert (drive.refusal.rule, drive.refusal.reason) == ("TC-TRANSPORT-5", "all-must-unload")
    assert drive.refusal.facts["legal"] == ("DE.MOR1@F1",)
    assert refusals("L MOR1 TRK1\nM TRK1 > F2\nU TRK1 MOR1@F3") == []
    assert refusals("L MOR1 TRK1\nM TRK1 > F2 UNLOAD MOR1@F3") == []
    assert refusals("M TRK1 > F2") == []


def test_transport__11_into_an_own_fort_all_get_off_by_themselves() -> None:
    at = table_of([*PICTURES, "DE.TRK2@C2", "DE.HVY1@D3"], active="DE", forts={"B2": "DE"})
    assert {"accepted"} == {one.status for one in judged("L HVY1 TRK2\nM TRK2 > B2", at)}


def test_transport__5_at_a_deadline_everybody_finds_a_place() -> None:
    """What came in is carried out as far as it goes; nobody stays aboard."""
    at = table()
    at.advance({Seat("DE"): OrderFile(NOTATION.read("L MOR1 TRK1", at.view(Seat("DE"))).orders)})
    assert (at.state.units["DE.MOR1"].at, at.state.units["DE.MOR1"].aboard) == ("D4", "")
