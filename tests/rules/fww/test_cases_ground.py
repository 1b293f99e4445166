"""Conformance cases C-32 to C-44: attack lines, captures in combat and in phase 3, surrender points."""

from __future__ import annotations

import pytest

from engine.games.first_world_war.facts.combat import (
    AttackLaunched,
    FrontFoundEmpty,
    LocationCaptured,
    SurrenderPointGiven,
    SurrenderRolled,
)
from engine.games.first_world_war.rules.replacements import capacity
from tests.rules.fww.board import Board, Drawing
from tests.rules.fww.cases import combat, ground, points, questions, vp

BALTIC_LOST = {"RIGA": "DE", "KOVNO": "DE"}


# ------------------------------------------------------------------ lines


@pytest.mark.parametrize(("turn", "available"), [(2, ["BEOGRAD"]), (3, ["BEOGRAD", "MONASTIR"])])
def test_c_32_branch_choice(turn, available):
    """FWW-6.4-3, FWW-6.6-3"""
    board = Board(turn=turn, faction="GA", fronts={10: "AH5 SB2"})
    board.orders(GA="ATTACK 10 TAKE MONASTIR BEOGRAD").play(dice="4 1")
    assert combat(board).winner == "attacker"
    (ask,) = questions(board, "combat.capture")
    assert sorted(ask.given.available) == available
    assert ground(board) == [(available[-1], "GA")]
    assert vp(board, "GA", "EA") == (7, 5)


def test_c_32_the_captor_may_take_the_other_one():
    """FWW-6.4-3"""
    board = Board(turn=3, faction="GA", fronts={10: "AH5 SB2"})
    board.orders(GA="ATTACK 10 TAKE BEOGRAD").play(dice="4 1")
    assert ground(board) == [("BEOGRAD", "GA")]


@pytest.mark.parametrize(("turn", "given"), [(2, []), (3, [("EA", 10)])])
def test_c_34_closed_base_line(turn, given):
    """FWW-6.6-1, FWW-6.5-1"""
    held = {"BEOGRAD": "GA", "MONASTIR": "GA"}
    board = Board(turn=turn, faction="GA", fronts={10: "AH5 SB2"}, control=held)
    board.orders(GA="ATTACK 10").play(dice="4 1")
    assert combat(board).winner == "attacker"
    assert (questions(board, "combat.capture"), ground(board)) == ([], [])
    assert points(board) == given
    assert len(board.state.surrender["EA"]) == len(given)
    for seat in ("WA", "DE"):
        assert board.view(seat).surrender["EA"] == tuple(front for _, front in given)


# ------------------------------------------------------------------ surrender points


def test_c_35_one_point_per_front_and_turn():
    """FWW-6.5.2-1, FWW-6.5.1-1"""
    board = Board(turn=3, faction="DE", fronts={7: "DE8 DE10 RU1 RU2 RU10"}, control=BALTIC_LOST)
    board.orders(DE="C1: ATTACK 7\nC2: ATTACK 7").play(dice="4 1")
    board.play(segments=4, dice="4 1")
    assert board.state.pool["EA"] == ["RU1", "RU2"]
    assert points(board) == [("EA", 7)]
    board.play_to("T3.V").play(dice="4")
    assert board.of(SurrenderRolled) == [SurrenderRolled("EA", 1, "4", False)]
    board.play_to("T4.R1")
    assert board.state.surrender["EA"] == []
    board.orders(DE="ATTACK 7 WITH DE8 DE10").play(dice="4 1")
    assert combat(board).winner == "attacker"
    assert points(board) == [("EA", 7), ("EA", 7)]
    assert board.state.surrender["EA"] == [7]


@pytest.mark.parametrize(("coming", "given"), [("PASS", [("EA", 7)]), ("MOVE 8: RU9 > 7", [])])
def test_c_37_unopposed_attack_gives_no_point(coming, given):
    """FWW-6-8, FWW-4.2.3-5"""
    board = Board(turn=3, faction="DE", fronts={7: "DE8", 8: "DE9 RU9 RU2"}, control=BALTIC_LOST)
    assert board.refused(DE="ATTACK 7") == []
    board.orders(DE="ATTACK 7", EA=coming).play()
    assert board.one(AttackLaunched) == AttackLaunched("DE", 7, ("DE8",))
    assert board.one(FrontFoundEmpty) == FrontFoundEmpty("DE", "EA", 7)
    assert (board.rolls, ground(board), points(board)) == ([], [], [])
    assert board.next_key == "T3.R2"
    board.play_to("T3.V").play(dice="S" if given else "")
    assert points(board) == given
    assert board.of(SurrenderPointGiven) == [SurrenderPointGiven("EA", 7, 1)][: len(given)]


# ------------------------------------------------------------------ recapture


def test_c_38_recapture():
    """FWW-6.4-5, FWW-6.4-6"""
    taken: Drawing = {"control": {"METZ": "WA"}, "vp": {"WA": 7, "DE": 5}}
    board = Board(turn=1, faction="DE", fronts={3: "DE5 FR2"}, **taken)
    assert capacity(board.state, "DE") == 3
    board.orders(DE="ATTACK 3 TAKE METZ").play(dice="4 1")
    assert questions(board, "combat.capture")[0].given.available == ("METZ",)
    assert board.one(LocationCaptured) == LocationCaptured(3, "METZ", "DE", "WA", 6, 6)
    assert board.state.control == Board.fresh().state.control
    assert vp(board, "WA", "DE") == (6, 6)
    assert capacity(board.state, "DE") == 4


# ------------------------------------------------------------------ phase 3


def phase_3(fronts: dict[int, str], dice: str = "", **drawn) -> Board:
    return Board(phase="victory", fronts=fronts, **{"turn": 1, **drawn}).play(dice=dice)


@pytest.mark.parametrize(("there", "taken"), [("DE7", [("EPINAL", "DE")]), ("DE7 FR1", [])])
def test_c_40_phase_3_capture(there, taken):
    """FWW-4.2.3-2"""
    board = phase_3({4: there})
    assert ground(board) == taken
    assert vp(board, "DE", "WA") == ((7, 5) if taken else (6, 6))
    assert board.rolls == []


def test_c_41_phase_3_and_dummies():
    """FWW-4.2.3-1, FWW-4.2.3-3"""
    board = phase_3({4: "DE7 WA:2D"})
    assert ground(board) == [("EPINAL", "DE")]
    assert vp(board, "DE", "WA") == (7, 5)
    assert board.on(4) == ["DE7", "WA-D1", "WA-D2"]
    assert board.state.face_up == ["DE7", "WA-D1", "WA-D2"]
    assert board.view("GA").known[4] == ("DE7", "WA-D1", "WA-D2")
    lone = phase_3({4: "DE:1D"})
    assert (ground(lone), points(lone)) == ([], [])
    assert lone.on(4) == ["DE-D1"]
    assert vp(lone, "DE", "WA") == (6, 6)


@pytest.mark.parametrize(("there", "taken"), [("DE11", [("ROVNO", "GA")]), ("DE11 RU3", [])])
def test_c_43_phase_3_with_germans_in_galicia(there, taken):
    """FWW-4.2.3-7"""
    board = phase_3({9: there}, turn=3)
    assert ground(board) == taken
    assert vp(board, "GA", "EA", "DE") == ((7, 5, 6) if taken else (6, 6, 6))


def test_c_44_floor():
    """FWW-8-1"""
    board = Board(
        turn=3, faction="DE", fronts={7: "DE8 RU1 RU2"}, control={"KOVNO": "DE"}, vp={"EA": 0, "DE": 7}
    )
    board.orders(DE="ATTACK 7 TAKE RIGA", EA="ATTACK 7 TAKE RIGA").play(dice="4 1")
    assert ground(board) == [("RIGA", "DE")]
    assert vp(board, "DE", "EA") == (8, 0)
    board.play(segments=2, dice="4 1")
    assert ground(board) == [("RIGA", "DE"), ("RIGA", "EA")]
    assert vp(board, "EA", "DE") == (1, 7)
    assert board.state.control["RIGA"] == "EA"
