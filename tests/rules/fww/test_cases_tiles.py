"""Conformance cases C-13 to C-31, and C-83: tiles."""

from __future__ import annotations

import pytest

from engine.games.first_world_war.facts.combat import (
    CombatResolved,
    DrawDeclined,
    TileDrawn,
    TileDrawnFaceDown,
    TilePlaced,
    TilePlacedFaceDown,
    TilePutBack,
    TilePutBackFaceDown,
    TileRemoved,
    TileReturned,
    TilesAdded,
)
from engine.kernel.requests import Seat
from tests.rules.fww.board import PACK, Board
from tests.rules.fww.cases import answered, combat, ground, happened, questions, receipt, vp

PLACED = (TilePlaced, TilePlacedFaceDown)


# ------------------------------------------------------------------ drawing


def test_c_13_no_use_in_the_same_combat():
    """FWW-6.2-6"""
    board = Board(turn=1, faction="DE", fronts={3: "DE5 FR2 FR3"}, cups={"CENTRAL": "C02"})
    board.orders(DE="C1: ATTACK 3 TILE BIGBERTHA\nC2: ATTACK 3 TILE BIGBERTHA", WA="DEFEND 3: LEAD FR2")
    board.play(dice="S 1", draws="C02")
    assert [type(fact) for fact in happened(board, CombatResolved, TileDrawn)] == [CombatResolved, TileDrawn]
    assert combat(board).tiles == (None, None)
    assert combat(board).totals == (3 + 0, 2 + 1)
    assert combat(board).winner == "nobody"
    assert questions(board, "combat.attack_tile") == []
    assert board.state.hands["DE"] == ["C02"]
    board.play(segments=4, dice="1 1")
    assert combat(board).tiles == ("C02", None)
    assert combat(board).totals == (3 + 1 + 1, 2 + 1)


def test_c_14_just_played_tile_cannot_be_redrawn():
    """FWW-6.2-6, FWW-6.2-7"""
    board = Board(turn=1, faction="DE", fronts={3: "DE5 FR2"}, hands={"WA": "A01"}, cups={"ALLIES": ""})
    board.orders(DE="ATTACK 3", WA="DEFEND 3: TILE MACHINEGUNS\nDRAW YES").play(dice="4 S")
    assert combat(board).tiles == (None, "A01")
    assert (questions(board, "combat.draw"), board.lines("draw")) == ([], [])
    assert (board.of(TileDrawn), board.of(DrawDeclined)) == ([], [])
    assert board.one(TileReturned) == TileReturned("WA", "A01")
    assert (board.state.cups["ALLIES"], board.state.hands["WA"]) == (["A01"], [])


def test_c_16_played_tile_is_not_in_hand():
    """FWW-6.2.1-3"""
    board = Board(turn=1, faction="DE", fronts={3: "DE5 FR2"}, hands={"WA": "A01 A04 A07"})
    board.orders(DE="ATTACK 3", WA="DEFEND 3: TILE MACHINEGUNS\nDRAW FREE").play(dice="4 S", draws="A05")
    (ask,) = questions(board, "combat.draw")
    assert ask.given.hand == ("A04", "A07")
    assert questions(board, "combat.drop") == []
    assert board.state.hands["WA"] == ["A04", "A05", "A07"]
    assert "A01" in board.state.cups["ALLIES"]
    happenings = happened(board, CombatResolved, TileDrawn, TileReturned, TilePutBack)
    assert [type(fact) for fact in happenings] == [CombatResolved, TileDrawn, TileReturned]


def full_hand_draws(**orders: str) -> Board:
    board = Board(turn=1, faction="EA", fronts={7: "RU1 RU2 DE8"}, hands={"EA": "A05 A06 A07"})
    return board.orders(**orders).orders(EA="ATTACK 7 WITH RU1 TILE NONE")


@pytest.mark.parametrize(
    ("drop", "dropped", "kept"),
    [("STEAMROLLER", "A05", "A06 A07"), ("PUTNIK", "A06", "A05 A07"), ("RUMOURS", "A07", "A05 A06")],
)
def test_c_17_unusable_draw_at_the_limit(drop, dropped, kept):
    """FWW-6.2.1-7"""
    board = full_hand_draws(EA=f"DRAW YES DROP {drop}\nRETURN BRITISHRIFLES").play(dice="S 1", draws="A02")
    private = (Seat("EA"),)
    assert happened(board, TileDrawn, TilePutBack) == [
        TilePutBack("EA", dropped, "normal", private),
        TileDrawn("EA", "A02", "normal", private),
        TilePutBack("EA", "A02", "normal", private),
    ]
    assert board.state.hands["EA"] == kept.split()
    assert len(board.lines("draw")) == 1


def test_c_17_the_new_tile_itself_cannot_make_room():
    """FWW-6.2.1-7"""
    board = full_hand_draws(EA="DRAW YES")
    ask = board.ask("combat.drop", dice="S 1", draws="A02")
    assert ask.options.describe() == ("A05", "A06", "A07")
    assert board.why("A02", "combat.drop") == ("FWW-6.2.1-2", "just-drawn")


def test_c_17_without_the_return_the_new_tile_stays():
    """FWW-6.2.1-7"""
    board = full_hand_draws(EA="DRAW YES DROP RUMOURS").play(dice="S 1", draws="A02")
    assert board.state.hands["EA"] == ["A02", "A05", "A06"]


def test_c_25_mandatory_may_not_be_dropped_if_usable():
    """FWW-6.2.1-4, FWW-6.2.1-5"""
    board = Board(turn=3, faction="DE", fronts={3: "DE5 FR2", 4: "FR1"}, hands={"WA": "A01 A03 A07"})
    board.orders(DE="ATTACK 3", WA="DRAW YES DROP PANTALONSROUGES\nRETURN PANTALONSROUGES")
    ask = board.ask("combat.drop", dice="4 S", draws="A09")
    assert sorted(ask.options.describe()) == ["A01", "A07"]
    assert board.why("A03", "combat.drop") == ("FWW-6.2.1-4", "mandatory-tile")
    board.play()
    assert "A03" in board.state.hands["WA"]
    assert len(board.state.hands["WA"]) == 3


def test_c_25_of_no_use_it_may_go_back():
    """FWW-6.2.1-4, FWW-6.2.1-5"""
    board = Board(turn=3, faction="DE", fronts={7: "DE8 RU1 RU2", 10: "FR-OR"}, hands={"EA": "A01 A03 A07"})
    assert receipt(board, "EA", "RETURN PANTALONSROUGES") == []
    board.orders(DE="ATTACK 7", EA="DRAW YES")
    assert sorted(board.ask("combat.drop", dice="4 S", draws="A09").options.describe()) == [
        "A01",
        "A03",
        "A07",
    ]
    board = Board(turn=3, faction="DE", fronts={7: "DE8 RU1 RU2", 10: "FR-OR"}, hands={"EA": "A01 A03 A07"})
    board.orders(EA="RETURN PANTALONSROUGES").play()
    assert board.state.hands["EA"] == ["A01", "A07"]
    assert "A03" in board.state.cups["ALLIES"]
    assert TilePutBackFaceDown("EA", "mandatory") in board.read_by("WA")


def test_c_25_a_usable_tile_is_not_taken_back():
    """FWW-6.2.1-6"""
    board = Board(turn=3, faction="DE", fronts={3: "DE5 FR2"}, hands={"WA": "A01 A03 A07"})
    assert receipt(board, "WA", "RETURN PANTALONSROUGES") == [("FWW-6.2.1-6", "still-of-use")]
    assert receipt(board, "WA", "RETURN RUMOURS") == [("FWW-6.2.1-6", "still-of-use")]


# ------------------------------------------------------------------ mandatory tiles


def red_trousers(armies: str) -> Board:
    board = Board(turn=1, faction="WA", fronts={2: "BR1 FR5 DE3"}, hands={"WA": "A03"})
    return board.orders(WA=f"ATTACK 2 WITH {armies} LEAD BR1 TILE NONE")


def test_c_19_mandatory_forces_the_leader():
    """FWW-6.2.2-2, FWW-6.2.2-3, FWW-6.2.2-6"""
    board = red_trousers("BR1 FR5").play(dice="4 1")
    assert [(answer, by) for answer, by in answered(board, "combat.attack_tile")] == [("A03", "default")]
    assert combat(board).leaders == ("FR5", "DE3")
    assert combat(board).totals == (2 + 1 + 4 - 1, 3 + 1)
    assert board.state.pool["DE"] == ["DE3"]
    assert board.one(TileRemoved) == TileRemoved("WA", "A03")
    assert board.state.tiles_out == ["A03"]
    assert "A03" not in board.state.cups["ALLIES"]
    assert TilePlacedFaceDown("WA", "WA", "mandatory") in board.read_by("DE")


def test_c_19_neither_none_nor_another_leader_is_offered():
    """FWW-6.2.2-3"""
    board = red_trousers("BR1 FR5")
    assert board.ask("combat.attack_tile").options.describe() == ("A03",)
    assert board.why(None, "combat.attack_tile") == ("FWW-6.2.2-3", "mandatory-tile")
    assert board.why("BR1", "combat.attack_leader") == ("FWW-6.2-3", "tile-binds-leader")


def test_c_20_mandatory_dodged():
    """FWW-6.2.2-4"""
    board = red_trousers("BR1").play(dice="1 1")
    assert combat(board).tiles == (None, None)
    assert combat(board).totals == (3 + 1, 3 + 1)
    assert combat(board).winner == "nobody"
    assert board.state.hands["WA"] == ["A03"]
    assert (board.of(TilePlaced), board.of(TileRemoved)) == ([], [])


def test_c_22_wrong_role():
    """FWW-6.2-1, FWW-6.2.2-3"""
    board = Board(turn=1, faction="DE", fronts={3: "DE5 FR2"}, hands={"WA": "A01 A03"})
    board.orders(DE="ATTACK 3")
    assert board.ask("combat.defence_tile").options.describe() == ("A01", None)
    assert board.why("A03", "combat.defence_tile") == ("FWW-6.2-1", "wrong-role")
    board.orders(WA="DEFEND 3: TILE PANTALONSROUGES MACHINEGUNS").play(dice="1 1")
    assert combat(board).tiles == (None, "A01")
    assert board.state.hands["WA"] == ["A03"]


def test_c_22_alone_in_hand_it_is_not_placed_either():
    """FWW-6.2-1"""
    board = Board(turn=1, faction="DE", fronts={3: "DE5 FR2"}, hands={"WA": "A03"})
    board.orders(DE="ATTACK 3", WA="DEFEND 3: TILE PANTALONSROUGES").play(dice="1 1")
    assert combat(board).tiles == (None, None)
    assert board.state.hands["WA"] == ["A03"]


def test_c_23_mandatory_blocks_other_tiles():
    """FWW-6.2.2-3"""
    board = Board(turn=4, faction="EA", fronts={9: "RU4 AH1 AH3"}, hands={"EA": "A08 A11"})
    board.orders(EA="C1: ATTACK 9 WITH RU4 TILE BRUSILOV\nC2: ATTACK 9 WITH RU4 TILE BRUSILOV")
    assert board.ask("combat.attack_tile").options.describe() == ("A08",)
    assert board.why("A11", "combat.attack_tile") == ("FWW-6.2.2-3", "mandatory-tile")
    board.play(dice="3 1")
    assert combat(board).tiles == ("A08", None)
    assert combat(board).totals == (2 + 3 - 1, 2 + 1)
    assert (board.state.hands["EA"], board.state.tiles_out) == (["A11"], ["A08"])
    board.play(segments=4, dice="3 1")
    assert combat(board).tiles == ("A11", None)
    assert combat(board).totals == (2 + 3 + 2, 2 + 1)
    assert "A11" in board.state.cups["ALLIES"]


# ------------------------------------------------------------------ nations and leaders


def galicia(order: str) -> Board:
    board = Board(turn=3, faction="GA", fronts={9: "AH1 DE11 RU5"}, hands={"GA": "C02"})
    return board.orders(GA=order)


def test_c_26_german_tile_under_ga():
    """FWW-5.1-6, FWW-6.2-2, FWW-6.2-3"""
    board = galicia("ATTACK 9 WITH AH1 DE11 LEAD DE11 TILE BIGBERTHA TAKE ROVNO").play(dice="1 3")
    assert (combat(board).leaders, combat(board).tiles) == (("DE11", "RU5"), ("C02", None))
    assert combat(board).totals == (3 + 1 + 1 + 1, 2 + 3)
    assert board.state.pool["EA"] == ["RU5"]
    assert questions(board, "combat.capture")[0].given.available == ("ROVNO",)
    assert ground(board) == [("ROVNO", "GA")]
    assert vp(board, "GA", "EA", "DE") == (7, 5, 6)


def test_c_26_under_an_austrian_leader_the_tile_is_refused():
    """FWW-6.2-2, FWW-6.2-3"""
    order = "ATTACK 9 WITH AH1 DE11 LEAD AH1 TILE BIGBERTHA"
    board = galicia(order)
    assert receipt(board, "GA", order) == [("FWW-6.2-2", "tile-of-another-nation")]
    board.play(dice="1 3")
    assert (combat(board).leaders, combat(board).tiles) == (("AH1", "RU5"), (None, None))
    assert board.state.hands["GA"] == ["C02"]


@pytest.mark.parametrize(
    "lead",
    ["STRONGEST", "WEAKEST", "STRONGEST AH1", "AH3 DE11", "AH1 IF DEFMAX >= 3 ELSE DE11"],
)
@pytest.mark.parametrize("armies", ["", "WITH REAL", "WITH ALL"])
def test_c_26_where_a_german_may_lead_the_receipt_does_not_object(armies, lead):
    """FWW-6.2-2 Who comes along is not said, and the leaders named leave it open."""
    order = f"ATTACK 9 {armies} LEAD {lead} TILE BIGBERTHA"
    board = galicia(order)
    assert receipt(board, "GA", order) == []
    board.play(dice="1 3")
    assert (combat(board).leaders[0], combat(board).tiles[0]) == ("DE11", "C02")


def test_c_26_where_only_austrians_are_named_it_does():
    """FWW-6.2-2"""
    for order in (
        "ATTACK 9 LEAD AH1 AH3 TILE BIGBERTHA",
        "ATTAQUE 9 AVEC TOUTES MENE AH1 TUILE GROSSEBERTHA",
    ):
        assert receipt(galicia("PASS"), "GA", order) == [("FWW-6.2-2", "tile-of-another-nation")]


@pytest.mark.parametrize(
    ("lead", "leader", "tile"),
    [
        ("LEAD AH1", "AH1", None),
        ("LEAD AH3 AH1", "AH1", None),  # AH3 is not there
        ("LEAD DE11", "DE11", "C02"),
        ("LEAD WEAKEST", "DE11", "C02"),  # nobody is named: the tile binds, as in C-28
        ("LEAD AH1 IF DEFMAX >= 2 ELSE DE11", "DE11", "C02"),
        ("", "DE11", "C02"),
    ],
)
def test_c_26_a_leader_named_goes_before_a_standing_tile(lead, leader, tile):
    """FWW-6.2-2, FWW-6.2-3 The same with ATTACKTILE as with TILE BEST in the order itself."""
    for orders in (f"ATTACK 9 {lead}\nATTACKTILE ALL: BEST", f"ATTACK 9 {lead} TILE BEST"):
        board = galicia(orders).play(dice="1 3")
        assert (combat(board).leaders[0], combat(board).tiles[0]) == (leader, tile)


def test_c_26_of_several_standing_tiles_one_that_suits_the_leader_is_played():
    """FWW-6.2-2"""
    board = Board(turn=3, faction="GA", fronts={9: "AH1 DE11 RU5"}, hands={"GA": "C02 C07"})
    board.orders(GA="ATTACK 9 LEAD AH1\nATTACKTILE 9: BIGBERTHA FALSEREPORTS").play(dice="1 3")
    assert (combat(board).leaders[0], combat(board).tiles[0]) == ("AH1", "C07")


def test_c_26_without_a_german_it_cannot_be_placed():
    """FWW-6.2-3"""
    board = galicia("ATTACK 9 WITH AH1")
    assert board.why("C02", "combat.attack_tile") == ("FWW-6.2-3", "no-army-of-that-nation")


def test_c_26_once_placed_it_binds_the_leader():
    """FWW-6.2-3"""
    board = galicia("ATTACK 9 WITH AH1 DE11 TILE BIGBERTHA")
    assert board.why("AH1", "combat.attack_leader") == ("FWW-6.2-3", "tile-binds-leader")
    assert board.why("DE11", "combat.attack_leader") is None


def test_c_28_tile_binds_the_leader():
    """FWW-6.2-3"""
    board = Board(turn=2, faction="DE", fronts={1: "DE1 DE2 BE1 BR1 FR6"}, hands={"WA": "A02"})
    board.orders(DE="ATTACK 1", WA="DEFEND 1: TILE BRITISHRIFLES LEAD WEAKEST").play(dice="1 2")
    assert (combat(board).tiles, combat(board).leaders[1]) == ((None, "A02"), "BR1")
    assert combat(board).totals == (3 + 1, 3 + 2 + 1)


@pytest.mark.parametrize(
    ("policy", "leader", "tile"),
    [
        ("DEFEND ALL: TILE BEST\nDEFEND 1: LEAD BE1", "BE1", None),
        ("DEFEND 1: LEAD BE1\nDEFEND ALL: TILE BRITISHRIFLES MACHINEGUNS", "BE1", "A01"),
        ("DEFEND ALL: TILE BEST LEAD BE1\nDEFEND 1: LEAD STRONGEST", "BR1", "A02"),
        ("DEFEND 1: TILE BEST\nDEFEND ALL: LEAD BE1", "BE1", None),
        ("DEFEND ALL: TILE BEST\nDEFEND 2: LEAD BE1", "BR1", "A02"),
        ("DEFEND ALL: TILE BEST\nDEFEND 1: LEAD BE1 IF TURN > 4", "BR1", "A02"),
        ("DEFEND 1: LEAD BE1", "BE1", None),
    ],
)
def test_c_28_tile_and_leader_of_two_orders_are_heard_together(policy, leader, tile):
    """FWW-6.2-2, FWW-6.2-3 A leader named rules out other nations' tiles, wherever those stand."""
    hand = "A01 A02" if tile == "A01" else "A02"
    board = Board(turn=2, faction="DE", fronts={1: "DE1 DE2 BE1 BR1 FR6"}, hands={"WA": hand})
    board.orders(DE="ATTACK 1", WA=policy).play(dice="1 2")
    assert (combat(board).leaders[1], combat(board).tiles[1]) == (leader, tile)


def test_c_28_a_mandatory_tile_is_placed_whoever_was_to_lead():
    """FWW-6.2.2-3"""
    board = Board(turn=3, faction="EA", fronts={9: "RU5 AH1 DE11"}, hands={"GA": "C03"})
    board.orders(EA="ATTACK 9", GA="DEFEND 9: LEAD DE11\nDEFEND ALL: TILE NONE").play(dice="1 2")
    assert (combat(board).leaders[1], combat(board).tiles[1]) == ("AH1", "C03")


def test_c_28_without_the_tile_the_weakest_leads():
    """FWW-6.2-3"""
    board = Board(turn=2, faction="DE", fronts={1: "DE1 DE2 BE1 BR1 FR6"}, hands={"WA": "A02"})
    board.orders(DE="ATTACK 1", WA="DEFEND 1: LEAD WEAKEST").play(dice="1 2")
    assert (combat(board).tiles, combat(board).leaders[1]) == ((None, None), "BE1")


def test_c_29_zero_tile():
    """FWW-6.2-1"""
    board = Board(turn=1, faction="WA", fronts={3: "FR2 DE5 DE6"}, hands={"WA": "A01 A07"})
    board.orders(WA="ATTACK 3 WITH FR2 TILE RUMOURS")
    assert board.why("A01", "combat.attack_tile") == ("FWW-6.2-1", "wrong-role")
    assert board.why("A07", "combat.attack_tile") is None
    board.play(dice="1 1")
    assert [ask.given.enemy_tile for ask in questions(board, "combat.defence_leader")] == ["normal"]
    seen = [fact for fact in board.read_by("DE") if isinstance(fact, PLACED)]
    assert seen == [TilePlacedFaceDown("WA", "WA", "normal")]
    assert (combat(board).tiles, combat(board).tile_values) == (("A07", None), (0, 0))
    assert combat(board).totals == (2 + 1, 3 + 1)
    assert board.one(TileReturned) == TileReturned("WA", "A07")
    assert "A07" in board.state.cups["ALLIES"]
    assert board.state.hands["WA"] == ["A01"]


def test_c_29_the_same_tile_in_defence():
    """FWW-6.2-1"""
    board = Board(turn=1, faction="DE", fronts={3: "FR2 DE5"}, hands={"WA": "A01 A07"})
    board.orders(DE="ATTACK 3")
    assert board.ask("combat.defence_tile").options.describe() == ("A01", "A07", None)
    board.orders(WA="DEFEND 3: TILE ZERO").play(dice="1 1")
    assert (combat(board).tiles, combat(board).tile_values) == ((None, "A07"), (0, 0))


def test_c_29_a_defence_tile_ordered_for_an_attack_stays_in_hand():
    """FWW-6.2-1"""
    board = Board(turn=1, faction="WA", fronts={3: "FR2 DE5"}, hands={"WA": "A01"})
    board.orders(WA="ATTACK 3 TILE MACHINEGUNS").play(dice="1 1")
    assert combat(board).tiles == (None, None)
    assert board.state.hands["WA"] == ["A01"]


# ------------------------------------------------------------------ years and secrets


@pytest.mark.parametrize(
    ("turn", "added"),
    [(1, []), (2, [TilesAdded("ALLIES", ("A08", "A09")), TilesAdded("CENTRAL", ("C08", "C09", "C10"))])],
)
def test_c_31_new_tiles(turn, added):
    """FWW-4.2.5-1"""
    board = Board(turn=turn, phase="replace")
    cups = {alliance: list(cup) for alliance, cup in board.state.cups.items()}
    board.play()
    assert board.of(TilesAdded) == added
    for fact in added:
        cups[fact.alliance] += fact.tiles
    assert board.state.cups == cups


def test_c_83_tile_put_back_stays_secret():
    """FWW-S-6, FWW-6.2.1-2"""
    board = Board(turn=1, faction="DE", fronts={3: "DE5 FR2"}, hands={"WA": "A01 A04 A07"})
    board.orders(DE="ATTACK 3", WA="DRAW YES DROP FRENCH75S").play(dice="4 S", draws="A05")
    assert board.state.hands["WA"] == ["A01", "A05", "A07"]
    kinds = (TileDrawn, TileDrawnFaceDown, TilePutBack, TilePutBackFaceDown)
    for seat in ("EA", "DE", "GA"):
        seen = [fact for fact in board.read_by(seat) if isinstance(fact, kinds)]
        assert seen == [TilePutBackFaceDown("WA", "normal"), TileDrawnFaceDown("WA", "normal")]
        assert not any(tile in repr(board.read_by(seat)) for tile in ("A01", "A04", "A05", "A07"))
        view = board.view(seat)
        assert "WA" not in view.hands
        assert view.hand_backs["WA"] == (3, 0)
    own = [fact for fact in board.read_by("WA") if isinstance(fact, TileDrawn | TilePutBack)]
    assert [fact.tile for fact in own] == ["A04", "A05"]
    assert PACK.tiles["A04"].key == "FRENCH75S"
