"""Conformance cases C-55 to C-59: the treaty of Brest-Litovsk."""

from __future__ import annotations

import pytest

from engine.games.first_world_war.facts.board import CountersTurnedUp
from engine.games.first_world_war.facts.combat import (
    AttackCameToNothing,
    AttackLaunched,
    DummiesRemoved,
    TreatyOffered,
    TreatyRefused,
    TreatySigned,
)
from tests.rules.fww.board import Board
from tests.rules.fww.cases import ground, happened, points, questions, receipt, vp

SIGNING = (TreatyOffered, TreatyRefused, TreatySigned)


# ------------------------------------------------------------------ signing


@pytest.mark.parametrize("players", [2, 3])
def test_c_55_accepting(players):
    """FWW-8.1-1, FWW-8.1-2"""
    board = Board(turn=4, phase="victory", players=players)
    board.orders(DE="TREATY OFFER").play()
    assert happened(board, *SIGNING) == [TreatyOffered(), TreatySigned()]
    assert questions(board, "treaty.answer") == []
    assert board.state.treaty
    assert all(board.view(seat).treaty for seat in ("WA", "EA", "DE", "GA"))


def test_c_55_with_four_players_the_east_may_refuse_and_accept_later():
    """FWW-8.1-2"""
    board = Board(turn=4, phase="victory", players=4, fronts={9: "RU4 AH1"})
    board.orders(DE="TREATY OFFER", EA="TREATY REFUSE").play()
    assert happened(board, *SIGNING) == [TreatyOffered(), TreatyRefused()]
    assert not board.state.treaty
    board.play_to("T5.V").orders(EA="TREATY ACCEPT").play()
    assert happened(board, *SIGNING)[2:] == [TreatyOffered(), TreatySigned()]
    assert [ask.seat for ask in questions(board, "treaty.answer")] == ["EA", "EA"]
    assert board.state.treaty


def test_c_55_without_a_word_the_east_refuses_and_germany_offers_nothing():
    """FWW-8.1-2"""
    silent_east = Board(turn=4, phase="victory").orders(DE="TREATY OFFER").play()
    assert happened(silent_east, *SIGNING) == [TreatyOffered(), TreatyRefused()]
    silent_germany = Board(turn=4, phase="victory").orders(EA="TREATY ACCEPT").play()
    assert happened(silent_germany, *SIGNING) == []


@pytest.mark.parametrize("players", [2, 3, 4])
def test_c_55_an_offer_in_turn_3_is_refused(players):
    """FWW-8.1-1"""
    board = Board(turn=3, phase="victory", players=players)
    assert receipt(board, "DE", "TREATY OFFER") == [("FWW-8.1-1", "no-treaty-before")]
    assert receipt(board, "DE", "TREATY OFFER IF TURN >= 4") == []
    board.orders(DE="TREATY OFFER", EA="TREATY ACCEPT").play()
    assert (happened(board, *SIGNING), questions(board, "treaty.offer")) == ([], [])
    assert not board.state.treaty


# ------------------------------------------------------------------ frozen fronts


def test_c_56_frozen_fronts():
    """FWW-8.1-3, FWW-8.1-4"""
    fronts = {7: "DE8 RU1", 8: "DE9 RU9", 9: "AH1 AH3 AH4 DE11 RU4"}
    german = Board(turn=5, faction="DE", treaty=True, fronts=fronts)
    assert german.refused(DE="ATTACK 8 WITH DE9") == [("FWW-8.1-4", "front-frozen")]
    assert german.refused(DE="ATTACK 7") == [("FWW-8.1-4", "front-frozen")]
    russian = Board(turn=5, faction="EA", treaty=True, fronts=fronts)
    assert russian.refused(EA="ATTACK 9 WITH RU4") == [("FWW-8.1-4", "front-frozen")]
    russian.orders(EA="ATTACK 9 WITH RU4").play()
    assert (russian.rolls, russian.of(AttackLaunched)) == ([], [])


def test_c_56_without_the_treaty_the_same_orders_are_legal():
    """FWW-8.1-4"""
    fronts = {8: "DE9 RU9", 9: "AH1 RU4"}
    assert Board(turn=5, faction="DE", fronts=fronts).refused(DE="ATTACK 8 WITH DE9") == []
    assert Board(turn=5, faction="EA", fronts=fronts).refused(EA="ATTACK 9 WITH RU4") == []


BALTIC_LOST = {"RIGA": "DE", "KOVNO": "DE"}  # on 7 only the base is left


@pytest.mark.parametrize("treaty", [True, False])
def test_c_56_phase_3_gives_nothing_there(treaty):
    """FWW-8.1-4"""
    fronts = {7: "DE8", 8: "DE9", 9: "AH1 AH3 AH4 DE11"}
    board = Board(turn=5, phase="victory", treaty=treaty, fronts=fronts, control=BALTIC_LOST)
    board.play(dice="" if treaty else "S")
    assert ground(board) == ([] if treaty else [("WARSZAWA", "DE"), ("ROVNO", "GA")])
    assert points(board) == ([] if treaty else [("EA", 7)])


# ------------------------------------------------------------------ front 11


def test_c_58_only_romanians_on_11():
    """FWW-8.1-6, FWW-6-9"""
    board = Board(turn=5, faction="GA", treaty=True, fronts={11: "BU1 RO1 RO2"})
    assert board.refused(GA="ATTACK 11 WITH BU1") == []
    assert receipt(board, "GA", "ATTACK 11 WITH BU1") == []
    board.orders(GA="ATTACK 11 WITH BU1 TAKE BUCURESTI").play()
    assert board.one(AttackLaunched) == AttackLaunched("GA", 11, ("BU1",))
    assert [fact.counters for fact in board.of(CountersTurnedUp)] == [("BU1",), ("RO1", "RO2")]
    assert board.one(AttackCameToNothing) == AttackCameToNothing("GA", "EA", 11)
    assert board.rolls == []
    assert (ground(board), points(board), vp(board, "GA", "EA")) == ([], [], (6, 6))
    assert questions(board, "combat.capture") == []
    assert board.on(11) == ["BU1", "RO1", "RO2"]
    assert board.state.face_up == []
    assert board.next_key == "T5.R5"


def test_c_58_dummies_are_removed_all_the_same():
    """FWW-8.1-6"""
    board = Board(turn=5, faction="GA", treaty=True, fronts={11: "BU1 RO1 EA:1D"})
    board.orders(GA="ATTACK 11 WITH BU1").play()
    assert board.one(DummiesRemoved) == DummiesRemoved(11, ("EA-D1",))
    assert ground(board) == []


def test_c_58_without_the_treaty_they_fight():
    """FWW-8.1-6"""
    board = Board(turn=5, faction="GA", fronts={11: "BU1 RO1"})
    board.orders(GA="ATTACK 11 WITH BU1 TAKE BUCURESTI").play(dice="4 1")
    assert ground(board) == [("BUCURESTI", "GA")]


# ------------------------------------------------------------------ minima


def test_c_59_minima_of_germany():
    """FWW-8.1-7, FWW-8.1-9"""
    board = Board(turn=5, faction="DE", treaty=True, fronts={8: "DE9"})
    assert board.refused(DE="MOVE 8: DE9 > 7") == [("FWW-8.1-7", "treaty-minimum")]
    assert board.refused(DE="TRANSFER 8 > 3: DE9") == [("FWW-8.1-7", "treaty-minimum")]
    two = Board(turn=5, faction="DE", treaty=True, fronts={8: "DE9 DE10"})
    assert two.refused(DE="MOVE 8: DE9 > 7") == []
    assert two.refused(DE="MOVE 8: DE9 DE10 > 7") == [("FWW-8.1-7", "treaty-minimum")]
    peace = Board(turn=5, faction="DE", fronts={8: "DE9"})
    assert peace.refused(DE="MOVE 8: DE9 > 7") == []


def test_c_59_minima_of_the_german_allies():
    """FWW-8.1-7, FWW-8.1-8, FWW-8.1-9"""
    board = Board(turn=5, faction="GA", treaty=True, fronts={9: "AH1 AH3 AH4 DE11"})
    assert board.refused(GA="TRANSFER 9 > 6: AH1") == [("FWW-8.1-8", "treaty-minimum")]
    assert board.refused(GA="TRANSFER 9 > 3: DE11") == [("FWW-8.1-7", "treaty-minimum")]
    more = Board(turn=5, faction="GA", treaty=True, fronts={9: "AH1 AH2 AH3 AH4 DE11 DE12"})
    assert more.refused(GA="TRANSFER 9 > 6: AH1") == []
    assert more.refused(GA="TRANSFER 9 > 6: AH1 AH2") == [("FWW-8.1-8", "treaty-minimum")]
    assert more.refused(GA="TRANSFER 9 > 3: DE11") == []
    assert more.refused(GA="TRANSFER 9 > 3: DE11 DE12") == [("FWW-8.1-7", "treaty-minimum")]
    assert more.refused(GA="TRANSFER 9 > 6: AH1 DE11") == []


def test_c_59_a_refused_move_is_a_pass_at_the_deadline():
    """FWW-8.1-9"""
    board = Board(turn=5, faction="DE", treaty=True, fronts={8: "DE9"})
    board.orders(DE="MOVE 8: DE9 > 7").play()
    assert board.on(8) == ["DE9"]
    assert board.next_key == "T5.R2"
