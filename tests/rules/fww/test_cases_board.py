"""Conformance cases C-61 to C-81: command, movement, deployment, replacement, order of play, switches."""

from __future__ import annotations

import pytest

from engine.games.first_world_war.facts.board import OrderRanked, RoundSpent
from engine.games.first_world_war.facts.combat import (
    ArmiesReplaced,
    AttackLaunched,
    DummiesRemoved,
    ReplacementsAsked,
)
from engine.games.first_world_war.rules.replacements import capacity
from tests.rules.fww.board import Board
from tests.rules.fww.cases import answered, combat, questions, receipt

# ------------------------------------------------------------------ command


def to_galicia_and_back() -> Board:
    board = Board(turn=2, faction="DE", fronts={8: "DE9 DE8", 9: "AH1 RU4 RU5", 3: "DE5 FR2"})
    return board.orders(DE="MOVE 8: DE9 > 9", GA="ATTACK 9 WITH AH1 DE9 LEAD DE9")


def test_c_61_command_passes_inside_a_cycle():
    """FWW-5.1-2, FWW-5.1-3, FWW-5.1-4"""
    board = to_galicia_and_back().play()
    assert board.on(9, "DE") == ["DE9"]
    board.play(segments=3, dice="2 1")
    assert board.one(AttackLaunched) == AttackLaunched("GA", 9, ("AH1", "DE9"))
    assert combat(board).winner == "attacker"
    assert board.next_key == "T2.R5"
    assert board.refused(DE="MOVE 9: DE9 > 8") == [("FWW-5.1-1", "other-command")]
    assert board.refused(DE="TRANSFER 9 > 8: DE9") == [("FWW-5.1-1", "other-command")]
    assert board.refused(DE="ATTACK 9 WITH DE9") == [("FWW-5.1-3", "not-commanded")]
    assert board.refused(DE="MOVE 8: DE8 > 9") == []


def test_c_62_command_returns():
    """FWW-5.1-7"""
    board = to_galicia_and_back().play(segments=4, dice="2 1")
    board.orders(GA="C2: MOVE 9: DE9 > 8", DE="C3: ATTACK 8 WITH DE9")
    board.play(segments=4)
    assert board.on(8, "DE") == ["DE8", "DE9"]
    assert board.of(RoundSpent)[-1] == RoundSpent("GA", "move")
    board.play()
    assert board.of(AttackLaunched)[-1] == AttackLaunched("DE", 8, ("DE9",))
    board.ask("round.action")
    assert receipt(board, "GA", "MOVE 8: DE9 > 9") == [("FWW-5-1", "not-commanded")]


def schlieffen(faction: str, turn: int = 1, **switch: bool) -> Board:
    options = {"schlieffen_plan": True, **switch}
    fronts = {1: "DE1", 2: "DE3", 3: "DE5 FR2", 4: "DE7", 7: "DE9 RU1", 9: "AH1 DE8 RU4"}
    if turn == 1:
        fronts |= {7: "DE-AA RU1"}
    return Board(turn=turn, faction=faction, options=options, fronts=fronts)


def test_c_64_schlieffen():
    """FWW-9.1-1, FWW-9.1-2"""
    board = schlieffen("DE")
    assert board.refused(DE="ATTACK 7") == [("FWW-9.1-1", "schlieffen-plan")]
    assert board.refused(DE="ATTACK 7 WITH DE-AA") == [("FWW-9.1-1", "schlieffen-plan")]
    assert board.refused(DE="ATTACK 4") == [("FWW-9.1-1", "schlieffen-plan")]
    for front in (1, 2, 3):
        assert board.refused(DE=f"ATTACK {front}") == []


def test_c_64_germans_in_galicia_do_not_join_but_defend():
    """FWW-9.1-2"""
    board = schlieffen("GA")
    assert board.refused(GA="ATTACK 9 WITH AH1 DE8") == [("FWW-9.1-1", "schlieffen-plan")]
    assert board.refused(GA="ATTACK 9 WITH AH1") == []
    attacked = schlieffen("EA").orders(EA="ATTACK 9 WITH RU4", GA="DEFEND 9: LEAD DE8").play(dice="1 1")
    assert combat(attacked).defenders == ("AH1", "DE8")
    assert combat(attacked).leaders == ("RU4", "DE8")


def test_c_64_from_the_free_set_up():
    """FWW-9.1-1, FWW-9.1-2"""
    board = Board.fresh(schlieffen_plan=True)
    board.orders(DE="DEPLOY DE8 > 9, DE-AA > 7, DE1 DE2 > 1, DE3 DE4 > 2, DE5 DE6 DE7 > 3 HOLD 6D")
    board.play(segments=4)
    assert board.on(9, "DE") == ["DE8"]
    assert board.refused(DE="ATTACK 7") == [("FWW-9.1-1", "schlieffen-plan")]
    assert board.refused(DE="ATTACK 3") == []
    board.play_to("T1.R4")
    assert board.refused(GA="ATTACK 9 WITH AH1 DE8") == [("FWW-9.1-1", "schlieffen-plan")]
    assert board.refused(GA="ATTACK 9 WITH AH1") == []


@pytest.mark.parametrize(("turn", "on"), [(2, True), (1, False)])
def test_c_64_not_in_turn_2_and_not_without_the_option(turn, on):
    """FWW-9.1-1, FWW-9.1-2"""
    assert schlieffen("DE", turn, schlieffen_plan=on).refused(DE="ATTACK 7") == []
    assert schlieffen("GA", turn, schlieffen_plan=on).refused(GA="ATTACK 9 WITH AH1 DE8") == []


# ------------------------------------------------------------------ where they may go


ITALY = [
    ("WA", "TRANSFER 3 > 5: FR3", {3: ("FWW-5.3-1", "too-early")}),
    ("WA", "TRANSFER 2 > 5: BR3", dict.fromkeys((3, 4, 5, 6), ("FWW-2.1-2", "not-listed"))),
    ("WA", "TRANSFER 2 > 6: BR3", {3: ("FWW-5.3-1", "too-early")}),
    ("DE", "TRANSFER 1 > 6: DE11", {3: ("FWW-5.3-1", "too-early")}),
    ("GA", "TRANSFER 9 > 6: DE12", {3: ("FWW-5.3-1", "too-early")}),
]


@pytest.mark.parametrize("turn", [3, 4, 5, 6])
@pytest.mark.parametrize(("faction", "order", "refusals"), ITALY)
def test_c_65_italy(turn, faction, order, refusals):
    """FWW-5.3-1, FWW-5.3-2"""
    fronts = {1: "DE11", 2: "BR3", 3: "FR3", 9: "DE12"}
    board = Board(turn=turn, faction=faction, fronts=fronts)
    expected = [refusals[turn]] if turn in refusals else []
    assert board.refused(**{faction: order}) == expected
    assert receipt(board, faction, order) == expected


def test_c_67_move_and_transfer_limits():
    """FWW-5-1, FWW-5-2, FWW-5-5, FWW-5-6"""
    west = Board(turn=2, faction="WA", fronts={1: "FR5 FR6 BR1"})
    assert west.refused(WA="MOVE 1: FR5 > 3") == [("FWW-5-2", "not-adjacent")]
    assert west.refused(WA="MOVE 1: FR5 > 2") == []
    assert west.refused(WA="TRANSFER 1 > 3: FR5 FR6") == []
    assert west.refused(WA="TRANSFER 1 > 2: FR5 FR6 BR1") == [("FWW-5-5", "one-or-two")]
    allies = Board(turn=2, faction="GA", fronts={6: "AH5"})
    assert allies.refused(GA="MOVE 6: AH5 > 9") == [("FWW-5-2", "other-theatre")]
    assert allies.refused(GA="TRANSFER 6 > 9: AH5") == []


def test_c_67_one_origin_and_one_destination_for_a_transfer():
    """FWW-5-6"""
    board = Board(turn=2, faction="WA", fronts={1: "FR5 FR6"})
    assert board.refused(WA="TRANSFER 1 > 3: FR5, 1 > 4: FR6") == [("FWW-5-6", "one-destination")]
    assert board.read("WA", "TRANSFER 1 > 3: FR5, 1 > 4: FR6").orders == ()
    assert board.refused(WA="TRANSFER 1 > 3: FR5") == board.refused(WA="TRANSFER 1 > 4: FR6") == []


REACH = [
    ("WA", 10, 1, False),
    ("WA", 6, 1, True),
    ("DE", 6, 3, False),
    ("DE", 6, 4, True),
    ("GA", 8, 3, False),
    ("GA", 9, 3, True),
    ("EA", 11, 1, True),
    ("EA", 6, 6, False),
]


@pytest.mark.parametrize(("faction", "front", "turn", "legal"), REACH)
def test_c_68_dummies_reach(faction, front, turn, legal):
    """FWW-4.2.1-6, FWW-4.2.1-7"""
    board = Board(turn=turn, phase="deploy", faction=faction, waiting={faction: "D"})
    expected = [] if legal else [("FWW-4.2.1-6", "no-nationality-there")]
    assert board.refused("deploy", **{faction: f"DEPLOY D > {front}"}) == expected
    board.orders(**{faction: f"DEPLOY D > {front}"}).play()
    assert (board.on(front) == [f"{faction}-D1"]) == legal


# ------------------------------------------------------------------ deployment


@pytest.mark.parametrize("front", [1, 2, 3, 4])
def test_c_70_not_enough_armies(front):
    """FWW-4.2.1-8, FWW-4.2.1-10"""
    fronts = {1: "DE1", 2: "DE3", 3: "DE5", 4: "DE7"}
    board = Board(turn=2, phase="deploy", faction="DE", fronts=fronts, waiting={"DE": "DE9"})
    owed = [("FWW-4.2.1-8", "garrison-owed")]
    assert board.refused("deploy", DE="DEPLOY DE9 > 7") == owed
    assert board.refused("deploy", DE="DEPLOY HOLD DE9") == owed
    assert receipt(board, "DE", "DEPLOY DE9 > 7") == owed
    assert board.refused("deploy", DE=f"DEPLOY DE9 > {front}") == []
    board.orders(DE=f"DEPLOY DE9 > {front}").play()
    assert "DE9" in board.on(front)


def test_c_71_no_duty_on_dummy_fronts():
    """FWW-4.2.1-9"""
    fronts = {7: "RU1", 8: "EA:2D", 9: "RU4"}
    board = Board(turn=2, phase="deploy", faction="EA", fronts=fronts, waiting={"EA": "RU10 RU11"})
    assert board.ask("deploy").given.owed == (7, 9)
    owed = [("FWW-4.2.1-8", "garrison-owed")]
    assert board.refused("deploy", EA="DEPLOY RU10 > 7, RU11 > 8") == owed
    assert board.refused("deploy", EA="DEPLOY RU10 RU11 > 9") == owed
    assert board.refused("deploy", EA="DEPLOY RU10 > 7 HOLD RU11") == owed
    assert board.refused("deploy", EA="DEPLOY RU10 > 9, RU11 > 7") == []
    board.orders(EA="DEPLOY RU10 > 7, RU11 > 9").play()
    assert (board.on(7), board.on(9)) == (["RU1", "RU10"], ["RU11", "RU4"])


def test_c_73_holding_back():
    """FWW-4.2.1-5, FWW-3-7"""
    board = Board(turn=4, phase="deploy", faction="WA", fronts={1: "BE1 DE1"}, waiting={"WA": "BR4 BR5"})
    assert board.refused("deploy", WA="DEPLOY HOLD BR4 BR5") == [("FWW-4.2.1-8", "garrison-owed")]
    assert board.refused("deploy", WA="DEPLOY BR4 > 1 HOLD BR5") == []
    board.orders(WA="DEPLOY BR4 > 1 HOLD BR5").play()
    assert board.state.place("BR5") is None
    assert board.view("DE").off_board["WA"] == 1
    board.play_to("T5.D3")
    assert "BR5" in board.ask("deploy").given.new
    assert board.refused("deploy", WA="DEPLOY BR5 > 1") == []


def test_c_73_armies_of_turn_1_may_not_be_held():
    """FWW-3-7"""
    board = Board.fresh().play(segments=2)
    assert board.next_key == "T1.D3"
    assert board.refused("deploy", WA="DEPLOY HOLD BR1") == [("FWW-3-7", "may-not-be-held")]
    assert board.refused("deploy", WA="DEPLOY HOLD 6D") == []


def test_c_74_dummy_cycle():
    """FWW-6-5, FWW-7-6"""
    board = Board(
        turn=2,
        faction="DE",
        cycle=3,
        fronts={8: "DE8 EA:2D", 9: "RU8"},
        pool={"EA": "RU1 RU2 RU3 RU4 RU5"},
    )
    board.orders(DE="ATTACK 8 TAKE NONE", EA="MOVE 9: RU8 > 8").play()
    assert board.one(DummiesRemoved) == DummiesRemoved(8, ("EA-D1", "EA-D2"))
    assert (board.state.waiting["EA"], board.state.pool["EA"]) == (
        ["EA-D1", "EA-D2"],
        ["RU1", "RU2", "RU3", "RU4", "RU5"],
    )
    board.play_to("T2.V").play()
    board.play()
    assert questions(board, "deploy") == []
    (replaced,) = [fact for fact in board.of(ArmiesReplaced) if fact.faction == "EA"]
    assert replaced.armies == ("RU1", "RU2", "RU3", "RU4", "RU5")
    assert replaced.capacity == capacity(board.state, "EA") == 5
    board.play_to("T3.D2")
    assert {"EA-D1", "EA-D2"} <= set(board.ask("deploy").given.new)
    assert board.refused("deploy", EA="DEPLOY 2D > 8") == []


# ------------------------------------------------------------------ replacement


def losses(own: str) -> Board:
    board = Board(turn=3, phase="replace", players=4, pool={"EA": "BR-MEF RU1", "WA": own})
    assert capacity(board.state, "WA") == 4
    return board.orders(EA="ASK REPLACE MEF", WA="GRANT ALL IF SPARE")


def test_c_76_mef():
    """FWW-7.2-1, FWW-7.2-2, FWW-7.2-3"""
    board = losses("BR1 FR2 FR3").play()
    assert board.one(ReplacementsAsked) == ReplacementsAsked(("BR-MEF",))
    paid = {fact.faction: fact.armies for fact in board.of(ArmiesReplaced)}
    assert paid == {"WA": ("BR-MEF", "BR1", "FR2", "FR3"), "EA": ("RU1",)}
    assert "BR-MEF" in board.state.returning
    board.play_to("T4.D2")
    ask = board.ask("deploy")
    assert (ask.seat, "BR-MEF" in ask.given.new) == ("EA", True)
    assert board.refused("deploy", EA="DEPLOY MEF > 10") == []


def test_c_76_the_easts_own_points_cannot_pay():
    """FWW-7.2-3"""
    board = losses("BR1 FR2 FR3 FR4").play()
    assert capacity(board.state, "EA") == 5
    (eastern,) = [ask for ask in questions(board, "replace") if ask.seat == "EA"]
    assert eastern.given.pool == ("RU1",)
    refusal = eastern.options.why_not(("BR-MEF", "RU1"))
    assert refusal is not None
    assert (refusal.rule, refusal.reason) == ("FWW-7.2-3", "charged-to-the-west")
    assert receipt(board, "EA", "REPLACE MEF RU1") == [("FWW-7.2-3", "not-your-army")]


def test_c_76_with_four_own_losses_it_is_not_granted():
    """FWW-7.2-2"""
    board = losses("BR1 FR2 FR3 FR4").play()
    paid = {fact.faction: fact.armies for fact in board.of(ArmiesReplaced)}
    assert paid == {"WA": ("BR1", "FR2", "FR3", "FR4"), "EA": ("RU1",)}
    assert board.state.pool["EA"] == ["BR-MEF"]


# ------------------------------------------------------------------ order of play and defaults


def test_c_77_order_roll_ties():
    """FWW-9.2-2"""
    board = Board(turn=2, phase="order", options={"random_order": True}).play(dice="3 3 S 1 2 4")
    assert [seat for seat, _ in board.rolls] == ["DE", "WA", "EA", "GA", "DE", "WA"]
    assert board.one(OrderRanked) == OrderRanked(("WA", "DE", "GA", "EA"))
    assert [ask.seat for ask in questions(board, "order.slots")] == ["WA", "DE", "GA", "EA"]


STANDING = "DEFEND ALL: LEAD WEAKEST\nDRAW NO\nREPLACE FR1"


def test_c_79_default_round():
    """FWW-4.2.2-2"""
    board = Board(
        turn=1, tempo="react", faction="WA", fronts={3: "DE5 FR1 FR2", 9: "AH1 RU4"}, pool={"WA": "BE1"}
    )
    board.orders(WA=STANDING).play()
    assert board.of(RoundSpent) == [RoundSpent("WA", "pass")]
    assert [by for _, by in answered(board, "round.action")] == ["default"]
    assert board.next_key == "T1.R3"
    assert board.ask("round.action").seat == "EA"
    board.orders(DE="C2: ATTACK 3").play(segments=3, dice="4 S")
    assert combat(board).leaders == ("DE5", "FR1")
    assert answered(board, "combat.defence_leader") == [("FR1", "standing")]
    assert answered(board, "combat.draw") == [(False, "standing")]
    board.play_to("T1.P").play()
    assert answered(board, "replace")[0] == (["BE1", "FR1"], "standing")


@pytest.mark.parametrize(
    ("rule", "legal", "refused"), [("empty-fronts", [3], [1, 2, 4]), ("held-fronts", [1, 2, 4], [3])]
)
def test_c_81_garrison_switch(rule, legal, refused):
    """FWW-4.2.1-9"""
    fronts = {1: "DE1", 2: "DE3", 4: "DE7"}
    options = {"garrison_rule": rule}
    board = Board(turn=2, phase="deploy", faction="DE", fronts=fronts, waiting={"DE": "DE9"}, options=options)
    assert board.ask("deploy").given.owed == tuple(legal)
    for front in legal:
        assert board.refused("deploy", DE=f"DEPLOY DE9 > {front}") == []
    for front in refused:
        assert board.refused("deploy", DE=f"DEPLOY DE9 > {front}") == [("FWW-4.2.1-8", "garrison-owed")]
