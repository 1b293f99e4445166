"""Conformance cases C-01 to C-11, and C-82: combat arithmetic, who takes part, who decides."""

from __future__ import annotations

import pytest

from engine.games.first_world_war.facts.board import CountersTurnedDown, CountersTurnedUp
from engine.games.first_world_war.facts.combat import (
    ArmyEliminated,
    AttackLaunched,
    CaptureDeclined,
    CombatResolved,
    DrawDeclined,
    DummiesRemoved,
    FrontFoundEmpty,
    TileDrawn,
    TileReturned,
)
from tests.rules.fww.board import Board
from tests.rules.fww.cases import answered, combat, ground, points, questions, receipt, vp

# ------------------------------------------------------------------ arithmetic


def tie_on_front_3(**drawn) -> Board:
    return Board(turn=1, faction="DE", fronts={3: "DE5 DE6 FR2 FR3 FR4"}, **drawn)


def test_c_01_tie():
    """FWW-6.1-4, FWW-6.1-10"""
    board = tie_on_front_3()
    board.orders(DE="ATTACK 3 WITH DE5 DE6 LEAD DE5", WA="DEFEND 3: LEAD FR2").play(dice="1 2")
    assert combat(board).leaders == ("DE5", "FR2")
    assert combat(board).bonus == 0
    assert combat(board).totals == (3 + 1, 2 + 2)
    assert (combat(board).winner, combat(board).loss) == ("nobody", None)
    assert board.on(3) == ["DE5", "DE6", "FR2", "FR3", "FR4"]
    assert (board.of(ArmyEliminated), ground(board), points(board)) == ([], [], [])
    assert questions(board, "combat.capture") == []
    assert board.state.face_up == []
    assert vp(board, "DE", "WA") == (6, 6)


def test_c_01_in_a_tie_tiles_are_spent():
    """FWW-6.1-10"""
    board = tie_on_front_3(hands={"DE": "C07", "WA": "A07"})
    board.orders(DE="ATTACK 3 LEAD DE5 TILE FALSEREPORTS", WA="DEFEND 3: LEAD FR2 TILE RUMOURS")
    board.play(dice="1 2")
    assert combat(board).tiles == ("C07", "A07")
    assert combat(board).totals == (4, 4)
    assert board.of(TileReturned) == [TileReturned("DE", "C07"), TileReturned("WA", "A07")]
    assert (board.state.hands["DE"], board.state.hands["WA"]) == ([], [])
    assert "C07" in board.state.cups["CENTRAL"]
    assert "A07" in board.state.cups["ALLIES"]


@pytest.mark.parametrize(("dice", "winner"), [("1 1", "attacker"), ("1 2", "nobody"), ("1 3", "defender")])
def test_c_01_one_more_or_less_is_no_tie(dice, winner):
    """FWW-6.1-10"""
    board = tie_on_front_3().orders(DE="ATTACK 3 LEAD DE5", WA="DEFEND 3: LEAD FR2").play(dice=dice)
    assert combat(board).winner == winner


def test_c_05_bonus_is_exactly_1():
    """FWW-6.1-4"""
    board = Board(turn=1, faction="EA", fronts={9: "RU3 RU4 RU5 RU8 AH3"})
    board.orders(EA="ATTACK 9 WITH RU3 RU4 RU5 RU8 LEAD RU4").play(dice="2 3")
    assert combat(board).attackers == ("RU3", "RU4", "RU5", "RU8")
    assert (combat(board).leaders, combat(board).bonus) == (("RU4", "AH3"), 1)
    assert combat(board).totals == (2 + 1 + 2, 2 + 3)
    assert combat(board).winner == "nobody"
    assert board.of(ArmyEliminated) == []


def test_c_07_only_leaders_die():
    """FWW-6.1-9, FWW-6.1-11, FWW-6.4-7"""
    board = Board(turn=1, faction="DE", fronts={7: "DE8 RU1 RU2"})
    board.orders(DE="ATTACK 7 WITH DE8 LEAD DE8", EA="DEFEND 7: LEAD RU2").play(dice="1 4")
    assert (combat(board).leaders, combat(board).bonus) == (("DE8", "RU2"), 0)
    assert combat(board).totals == (3 + 1, 1 + 4)
    assert board.of(ArmyEliminated) == [ArmyEliminated("DE", "DE8", 7)]
    assert board.state.pool["DE"] == ["DE8"]
    assert board.on(7) == ["RU1", "RU2"]
    assert (questions(board, "combat.capture"), ground(board)) == ([], [])
    assert vp(board, "EA", "DE") == (6, 6)


def test_c_08_weakest_leader_by_choice():
    """FWW-6.1-3"""
    board = Board(turn=1, faction="GA", fronts={10: "AH5 AH6 SB1 SB2 MN"})
    board.orders(GA="ATTACK 10 WITH AH5 AH6 LEAD AH5", EA="DEFEND 10: LEAD WEAKEST").play(dice="2 2")
    assert (combat(board).attackers, combat(board).defenders) == (("AH5", "AH6"), ("MN", "SB1", "SB2"))
    assert (combat(board).leaders, combat(board).bonus) == (("AH5", "MN"), 0)
    assert combat(board).totals == (2 + 2, 0 + 2)
    assert board.state.pool["EA"] == ["MN"]
    assert answered(board, "combat.defence_leader") == [("MN", "standing")]


# ------------------------------------------------------------------ who takes part


def test_c_02_dummies_only():
    """FWW-6-5, FWW-6-7"""
    board = Board(turn=1, faction="DE", fronts={4: "DE7 WA:2D"}, hands={"DE": "C07", "WA": "A01"})
    board.orders(DE="ATTACK 4 WITH DE7 TILE FALSEREPORTS TAKE EPINAL", WA="DEFEND 4: TILE MACHINEGUNS")
    board.play()
    assert (board.rolls, board.lines("draw")) == ([], [])
    assert board.one(DummiesRemoved) == DummiesRemoved(4, ("WA-D1", "WA-D2"))
    assert board.on(4) == ["DE7"]
    assert board.state.waiting["WA"] == ["WA-D1", "WA-D2"]
    assert ground(board) == [("EPINAL", "DE")]
    assert vp(board, "DE", "WA") == (7, 5)
    assert (questions(board, "combat.defence_tile"), questions(board, "combat.attack_tile")) == ([], [])
    assert questions(board, "combat.draw") == []
    assert (board.state.hands["DE"], board.state.hands["WA"]) == (["C07"], ["A01"])
    assert board.state.face_up == []


def test_c_04_uncommitted_armies_do_not_count():
    """FWW-6-3, FWW-6.1-5"""
    board = Board(turn=2, faction="DE", fronts={2: "DE3 DE4 DE9 FR5"})
    board.orders(DE="ATTACK 2 WITH DE3").play(dice="1 2")
    assert combat(board).bonus == 0
    assert combat(board).totals == (3 + 1, 2 + 2)
    assert combat(board).winner == "nobody"
    assert [fact.counters for fact in board.of(CountersTurnedUp)] == [("DE3",), ("FR5",)]
    for seat in ("WA", "EA", "GA"):
        told = [f.counters for f in board.read_by(seat) if isinstance(f, CountersTurnedUp)]
        assert told == [("DE3",), ("FR5",)]


def test_c_04_committed_they_count():
    """FWW-6.1-4"""
    board = Board(turn=2, faction="DE", fronts={2: "DE3 DE4 DE9 FR5"})
    board.orders(DE="ATTACK 2 WITH DE3 DE4 LEAD DE3").play(dice="1 2")
    assert combat(board).totals == (3 + 1 + 1, 2 + 2)
    assert combat(board).winner == "attacker"


def empty_trentino() -> Board:
    return Board(turn=3, faction="GA", fronts={5: "AH7"})


def test_c_10_attack_on_an_empty_front():
    """FWW-6-7, FWW-6-9"""
    board = empty_trentino()
    assert board.refused(GA="ATTACK 5") == []
    board.orders(GA="ATTACK 5 TAKE ASIAGO").play()
    assert board.rolls == []
    assert board.one(AttackLaunched) == AttackLaunched("GA", 5, ("AH7",))
    assert board.one(FrontFoundEmpty) == FrontFoundEmpty("GA", "WA", 5)
    assert questions(board, "combat.capture")[0].given.available == ("ASIAGO",)
    assert ground(board) == [("ASIAGO", "GA")]
    assert vp(board, "GA", "WA") == (7, 5)
    assert board.next_key == "T3.R5"


def test_c_10_the_capture_may_be_declined():
    """FWW-6-7"""
    board = empty_trentino().orders(GA="ATTACK 5 TAKE NONE").play()
    assert board.one(CaptureDeclined) == CaptureDeclined("GA", 5)
    assert (ground(board), vp(board, "GA", "WA")) == ([], (6, 6))


@pytest.mark.parametrize("there", ["AH7", "AH7 WA:2D", "AH7 IT1"])
def test_c_10_what_the_enemy_hides_makes_no_difference_to_the_order(there):
    """FWW-6-9"""
    board = Board(turn=3, faction="GA", fronts={5: there})
    assert board.refused(GA="ATTACK 5") == []
    assert receipt(board, "GA", "ATTACK 5 WITH AH7 TAKE ASIAGO") == []


@pytest.mark.parametrize(("standing", "drawn"), [("DRAW YES", "A05"), ("DRAW NO", "")])
def test_c_11_closed_line_real_combat(standing, drawn):
    """FWW-6-11, FWW-6.6-1, FWW-6.5-1"""
    board = Board(turn=3, faction="GA", fronts={11: "AH7 BU1 RU12"})
    assert board.refused(GA="ATTACK 11 WITH AH7 BU1") == []
    board.orders(GA="ATTACK 11 WITH AH7 BU1", EA=standing).play(dice="2 S", draws=drawn)
    assert combat(board).totals == (2 + 1 + 2, 1 + 0)
    assert board.state.pool["EA"] == ["RU12"]
    assert (questions(board, "combat.capture"), ground(board), points(board)) == ([], [], [])
    (ask,) = questions(board, "combat.draw")
    assert (ask.seat, sorted(ask.options.describe())) == ("EA", [False, True])
    assert board.state.hands["EA"] == drawn.split()
    assert len(board.of(TileDrawn)) == len(drawn.split())
    assert len(board.of(DrawDeclined)) == 1 - len(drawn.split())


# ------------------------------------------------------------------ who decides for the defence


def galicia_attacked() -> Board:
    return Board(
        turn=3, faction="EA", fronts={9: "DE11 AH1 RU4", 8: "RU9 DE9"}, hands={"DE": "C05", "GA": "C01"}
    )


def test_c_82_defence_by_the_commander():
    """FWW-6-12, FWW-5.1-1"""
    board = galicia_attacked().orders(EA="ATTACK 9 WITH RU4")
    ask = board.ask("combat.defence_tile")
    assert (ask.seat, ask.given.faction, ask.given.defenders) == ("GA", "GA", ("AH1", "DE11"))
    assert board.refusal("C01", "combat.defence_tile") is None
    assert board.why("C05", "combat.defence_tile") == ("FWW-6.1-1", "not-in-hand")
    board.orders(GA="DEFEND 9: TILE MACHINEGUNS LEAD DE11", DE="DEFEND ALL: TILE INTERIORLINES LEAD WEAKEST")
    board.play(dice="1 1")
    assert combat(board).leaders == ("RU4", "DE11")
    assert combat(board).tiles == (None, "C01")
    assert combat(board).totals == (2 + 1, 3 + 1 + 1)
    assert {ask.seat for ask in questions(board, "combat.defence_leader")} == {"GA"}
    assert board.state.hands["DE"] == ["C05"]


def test_c_82_on_its_own_front_germany_decides():
    """FWW-6-12"""
    board = (
        galicia_attacked().orders(EA="ATTACK 8 WITH RU9", DE="DEFEND 8: TILE INTERIORLINES").play(dice="1 1")
    )
    assert {ask.seat for ask in questions(board, "combat.defence_tile")} == {"DE"}
    assert combat(board).tiles == (None, "C05")


def test_c_82_after_the_combat_all_lie_face_down():
    """FWW-6-10"""
    board = galicia_attacked().orders(EA="ATTACK 9 WITH RU4").play(dice="1 1")
    assert board.one(CountersTurnedDown) == CountersTurnedDown(9)
    assert board.facts.index(board.one(CountersTurnedDown)) > board.facts.index(board.one(CombatResolved))
    assert board.state.face_up == []
