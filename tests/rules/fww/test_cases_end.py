"""Conformance cases C-46 to C-53, and C-80: surrender rolls, the end of the game, who wins."""

from __future__ import annotations

import pytest

from engine.games.first_world_war.facts.combat import GameEnded, SurrenderRolled
from tests.narrowing import not_none
from tests.rules.fww.board import PACK, Board
from tests.rules.fww.cases import points

EASTERN_FRONTS = [7, 8, 9, 10, 11]


def victory_check(dice: str = "", **drawn) -> Board:
    return Board(phase="victory", **drawn).play(dice=dice)


# ------------------------------------------------------------------ surrender


@pytest.mark.parametrize(
    ("held", "surrendering"), [(1, "1"), (2, "1 2"), (3, "1 2 3"), (4, "1 2 3 4"), (5, "1 2 3 4")]
)
@pytest.mark.parametrize("face", ["1", "2", "3", "4", "S"])
def test_c_46_surrender_table(held, surrendering, face):
    """FWW-6.5-3"""
    board = victory_check(face, turn=3, surrender={"EA": EASTERN_FRONTS[:held]})
    surrenders = face in surrendering.split()
    assert board.one(SurrenderRolled) == SurrenderRolled("EA", held, face, surrenders)
    assert board.table.over == surrenders
    if surrenders:
        assert board.one(GameEnded).surrendered == ("EA",)
        assert board.one(GameEnded).alliance == "CENTRAL"
    else:
        assert board.next_key == "T3.P"


def test_c_47_both_alliances():
    """FWW-6.5-5, FWW-6.5-6"""
    board = victory_check("1 1", turn=2, surrender={"WA": [1], "GA": [9]})
    assert board.rolls == [("WA", "1"), ("GA", "1")]
    assert board.table.over
    result = not_none(board.state.result)
    assert (result.winners, result.reason) == ((), "both-surrender")
    assert board.one(GameEnded).surrendered == ("WA", "GA")
    assert board.one(GameEnded).alliance is None
    assert board.lines("end")[0]["winners"] == []


@pytest.mark.parametrize(("dice", "alliance"), [("1 2", "CENTRAL"), ("2 1", "ALLIES")])
def test_c_47_one_alliance_only(dice, alliance):
    """FWW-6.5-6"""
    board = victory_check(dice, turn=2, surrender={"WA": [1], "GA": [9]})
    assert board.rolls == list(zip(("WA", "GA"), dice.split(), strict=True))
    assert board.one(GameEnded).alliance == alliance


@pytest.mark.parametrize(("turn", "rolls"), [(2, []), (3, [SurrenderRolled("EA", 1, "4", False)])])
def test_c_80_early_surrender_switched_off(turn, rolls):
    """FWW-6.5-8"""
    board = Board(
        turn=turn,
        faction="DE",
        fronts={7: "DE8 RU1 RU2"},
        control={"RIGA": "DE", "KOVNO": "DE"},
        options={"no_surrender_before_turn": 3},
    )
    board.orders(DE="ATTACK 7").play(dice="4 1")
    assert points(board) == [("EA", 7)]
    board.play_to(f"T{turn}.V").play(dice="4" if rolls else "")
    assert board.of(SurrenderRolled) == rolls
    assert board.state.surrender["EA"] == [7]
    board.play(segments=2)
    assert board.state.turn == turn + 1
    assert board.state.surrender["EA"] == []


# ------------------------------------------------------------------ the end and the winner


@pytest.mark.parametrize(("players", "winner"), [(2, "CENTRAL"), (3, "DE"), (4, "DE")])
def test_c_49_turn_6(players, winner):
    """FWW-4.2.3-12, FWW-8-2, FWW-8-4, FWW-8-5"""
    board = victory_check(
        turn=6,
        players=players,
        surrender={"DE": [1, 2, 3, 4]},
        vp={"WA": 7, "EA": 5, "DE": 8, "GA": 4},
    )
    assert (board.rolls, board.of(SurrenderRolled)) == ([], [])
    ended = board.one(GameEnded)
    assert (ended.alliance, ended.faction, ended.reason) == ("CENTRAL", "DE", "victory-points")
    assert ended.winners == (winner,)
    scores = dict(ended.scores)
    assert (scores["ALLIES"], scores["CENTRAL"]) == (12, 12)


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize(("german", "allied", "winner"), [(8, 6, "GA"), (9, 6, "DE"), (5, 9, "GA")])
def test_c_50_margin(players, german, allied, winner):
    """FWW-8-4, FWW-8-5"""
    board = victory_check(turn=6, players=players, vp={"WA": 3, "EA": 3, "DE": german, "GA": allied})
    assert (board.one(GameEnded).alliance, board.one(GameEnded).winners) == ("CENTRAL", (winner,))


@pytest.mark.parametrize("missing", ["", "BERLIN"])
def test_c_52_five_and_a_half_fronts(missing):
    """FWW-4.2.3-10"""
    fronts = (1, 2, 3, 4, 7, 8)
    captor = {1: "WA", 2: "WA", 3: "WA", 4: "WA", 7: "EA", 8: "EA"}
    held = {town: captor[front] for front in fronts for town in PACK.locations_of[front]}
    if missing:
        held[missing] = "DE"
    board = victory_check(turn=4, control=held, vp={"WA": 14, "EA": 10, "DE": 0, "GA": 6})
    assert board.table.over == (not missing)
    assert [fact.reason for fact in board.of(GameEnded)] == ([] if missing else ["six-fronts"])
    if missing:
        assert board.next_key == "T4.P"


@pytest.mark.parametrize(("western", "central", "winner"), [(11, (8, 6), "EA"), (13, (8, 6), "WA")])
def test_c_53_treaty_bonus(western, central, winner):
    """FWW-8-6, FWW-8.1-12"""
    score = {"WA": western, "EA": 4, "DE": central[0], "GA": central[1]}
    board = victory_check(turn=6, players=4, treaty=True, vp=score)
    ended = board.one(GameEnded)
    assert (ended.alliance, ended.winners) == ("ALLIES", (winner,))
    scores = dict(ended.scores)
    assert (scores["ALLIES"], scores["CENTRAL"], scores["EA"], scores["treaty"]) == (western + 4, 14, 4, 8)


def test_c_53_at_twelve_each_the_east_wins_and_one_more_turns_it():
    """FWW-8-6, FWW-8.1-12"""
    for western, winner in ((12, "EA"), (13, "WA")):
        score = {"WA": western, "EA": 4, "DE": 8, "GA": 6}
        assert victory_check(turn=6, treaty=True, vp=score).one(GameEnded).winners == (winner,)


def test_c_53_without_the_treaty_nothing_is_added():
    """FWW-8-6, FWW-8.1-12"""
    board = victory_check(turn=6, vp={"WA": 11, "EA": 4, "DE": 8, "GA": 6})
    assert board.one(GameEnded).winners == ("WA",)
    assert "treaty" not in dict(board.one(GameEnded).scores)
