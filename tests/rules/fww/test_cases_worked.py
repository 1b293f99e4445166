"""Conformance cases W-01 to W-12: the rulebook's own examples, played out. Also: no case goes untested."""

from __future__ import annotations

from pathlib import Path

from engine.games.first_world_war.facts.board import (
    CountersDeployed,
    CountersMoved,
    CountersSeenMoving,
    CountersTurnedUp,
    OrderSet,
    RecallAsked,
    RoundSpent,
    SlotsTaken,
)
from engine.games.first_world_war.facts.combat import (
    ArmyEliminated,
    AttackLaunched,
    CaptureDeclined,
    LocationCaptured,
    SurrenderPointGiven,
    SurrenderRolled,
    TilePlaced,
    TilePlacedFaceDown,
    TilePutBack,
    TilePutBackFaceDown,
    TileReturned,
)
from engine.games.first_world_war.rules.permissions import may_operate
from engine.games.first_world_war.rules.replacements import capacity
from engine.kernel.register import load_register
from engine.kernel.requests import Seat
from tests.rules.fww.board import PACK, Board
from tests.rules.fww.cases import combat, ground, points, questions, vp

REGISTER = Path(__file__).parents[3] / "engine" / "games" / "first_world_war" / "data" / "rulebook.toml"
# Every third number is not given.
NUMBERS = [number for number in range(1, 84) if number % 3 or number > 80]
CASES = [f"W-{number:02}" for number in range(1, 13)] + [f"C-{number:02}" for number in NUMBERS]


def test_every_case_is_tested_and_no_other():
    tested = load_register(REGISTER).report(Path(__file__).parent).cases
    assert sorted(tested) == sorted(CASES)
    assert len(CASES) == 69


# ------------------------------------------------------------------ the board


def test_w_01_front_6():
    """FWW-2.1-2, FWW-2.1-6"""
    board = Board.fresh()
    owners = {town: board.state.control[town] for town in PACK.locations_of[6]}
    assert owners == {"VENEZIA": "WA", "UDINE": "WA", "GORIZIA": "GA", "TRIESTE": "GA"}
    assert [town for town in owners if PACK.locations[town].replacement] == ["VENEZIA", "TRIESTE"]
    chain = ["B6-WA", "VENEZIA", "UDINE", "GORIZIA", "TRIESTE", "B6-GA"]
    joined = {node: sorted(other for other, _ in PACK.neighbours[node]) for node in chain}
    for place, node in enumerate(chain):
        assert joined[node] == sorted(chain[max(place - 1, 0) : place] + chain[place + 1 : place + 2])
    assert {base: PACK.owner_of[base] for base in PACK.bases_of[6]} == {"B6-WA": "WA", "B6-GA": "GA"}
    assert sorted(PACK.permitted[6]) == ["AH", "BR", "DE", "IT"]


def test_w_01_front_6_takes_only_the_nations_it_lists():
    """FWW-2.1-2"""
    board = Board(turn=4)
    permitted = {army.nationality for army in PACK.armies.values() if may_operate(board.state, army.id, 6)}
    assert permitted == {"BR", "IT", "AH", "DE"}
    west = Board(turn=4, faction="WA", fronts={5: "FR2 IT1", 3: "FR3"})
    assert west.refused(WA="MOVE 5: FR2 > 6") == [("FWW-2.1-2", "not-listed")]
    assert west.refused(WA="MOVE 5: IT1 > 6") == []
    east = Board(turn=4, faction="EA", fronts={9: "RU4"})
    assert east.refused(EA="TRANSFER 9 > 6: RU4") == [("FWW-2.1-2", "not-listed")]


# ------------------------------------------------------------------ movement and command


def test_w_02_movement():
    """FWW-5-1, FWW-5-4"""
    board = Board(turn=2, faction="DE", cycle=2, fronts={2: "DE1 DE2 DE3 DE4 DE:1D"})
    board.orders(DE="MOVE 2: DE1 DE2 > 1; DE3 D > 3").play()
    assert board.on(1) == ["DE1", "DE2"]
    assert board.on(3) == ["DE-D1", "DE3"]
    assert board.on(2) == ["DE4"]
    assert board.state.face_up == []
    moved = CountersMoved("DE", 2, (("DE-D1", 3), ("DE1", 1), ("DE2", 1), ("DE3", 3)), (Seat("DE"),))
    assert [f for f in board.read_by("DE") if isinstance(f, CountersMoved)] == [moved]
    for seat in ("WA", "EA", "GA"):
        seen = [f for f in board.read_by(seat) if isinstance(f, CountersMoved | CountersSeenMoving)]
        assert seen == [CountersSeenMoving("DE", 2, ((1, 2), (3, 2)))]
        assert board.view(seat).known[1] == board.view(seat).known[3] == ()
        assert board.view(seat).counts[1] == board.view(seat).counts[3] == {"DE": 2}
    assert board.one(RoundSpent) == RoundSpent("DE", "move")
    assert board.next_key == "T2.R6"


def recall_refused(dice: str) -> Board:
    """DE asks for its 4th Army; GA attacks with it instead."""
    board = Board(turn=3, faction="DE", fronts={9: "DE4 AH1 RU5", 3: "DE5 FR2"})
    board.orders(DE="RECALL DE4 9 > 3", GA="ATTACK 9 WITH AH1 DE4 TAKE ROVNO")
    return board.play(segments=4, dice=dice)


def test_w_03_recall_refused():
    """FWW-5.1-1, FWW-5.2-2"""
    board = recall_refused("2 1")
    assert board.one(AttackLaunched) == AttackLaunched("GA", 9, ("AH1", "DE4"))
    assert combat(board).leaders == ("DE4", "RU5")
    assert combat(board).totals == (3 + 1 + 2, 2 + 1)
    assert ground(board) == [("ROVNO", "GA")]
    assert vp(board, "GA", "EA", "DE") == (7, 5, 6)
    assert board.of(CountersMoved) == []
    assert board.on(9, "DE") == ["DE4"]
    assert board.next_key == "T3.R5"
    assert board.refused(DE="ATTACK 3 WITH DE4") == [("FWW-6-1", "not-there")]
    assert board.refused(DE="ATTACK 3 WITH DE5") == []


def test_w_03_recall_refused_and_the_army_lost():
    """FWW-5.1-1, FWW-5.2-2"""
    board = recall_refused("1 4")
    assert combat(board).totals == (5, 6)
    assert board.one(ArmyEliminated) == ArmyEliminated("DE", "DE4", 9)
    assert board.state.pool["DE"] == ["DE4"]
    assert board.refused(DE="ATTACK 3 WITH DE4") == [("FWW-6-1", "not-there")]


def test_w_03_only_the_two_allies_know_of_the_recall():
    """FWW-5.2-2"""
    board = recall_refused("2 1")
    told = {seat: [f for f in board.read_by(seat) if isinstance(f, RecallAsked)] for seat in PACK.factions}
    assert {seat: len(facts) for seat, facts in told.items()} == {"WA": 0, "EA": 0, "DE": 1, "GA": 1}
    assert [(r.army, r.origin, r.to) for r in board.view("GA").recalls] == [("DE4", 9, 3)]
    assert board.view("EA").recalls == ()


# ------------------------------------------------------------------ combat and tiles


def test_w_04_combat():
    """FWW-6.1-1, FWW-6.1-2, FWW-6.1-3, FWW-6.1-4, FWW-6.1-5, FWW-6.1-6, FWW-6.1-7, FWW-6.1-8, FWW-6.1-9,
    FWW-6.2-4
    """
    board = Board(turn=1, faction="DE", fronts={1: "DE1 DE2 BR1"}, hands={"WA": "A01"})
    board.orders(DE="ATTACK 1 WITH DE1 DE2 LEAD DE1 TILE NONE", WA="DEFEND 1: TILE MACHINEGUNS")
    board.play(dice="2 3")
    fought = combat(board)
    assert (fought.leaders, fought.bonus, fought.tiles) == (("DE1", "BR1"), 1, (None, "A01"))
    assert (fought.values, fought.dice, fought.tile_values) == ((3, 3), ("2", "3"), (0, 1))
    assert fought.totals == (3 + 1 + 2, 3 + 3 + 1) == (6, 7)
    assert (fought.winner, fought.loss) == ("defender", "DE1")
    assert board.state.pool["DE"] == ["DE1"]
    assert board.on(1) == ["BR1", "DE2"]
    assert ground(board) == []
    assert vp(board, "DE", "WA") == (6, 6)
    assert board.one(TileReturned) == TileReturned("WA", "A01")
    assert "A01" in board.state.cups["ALLIES"]
    assert board.state.hands["WA"] == []
    assert board.state.face_up == []
    for seat, kind in (("WA", TilePlaced), ("EA", TilePlacedFaceDown), ("DE", TilePlacedFaceDown)):
        (placed,) = [f for f in board.read_by(seat) if isinstance(f, TilePlaced | TilePlacedFaceDown)]
        assert (type(placed), placed.back) == (kind, "normal")


def unusable_tile_drawn() -> Board:
    """EA, with the British in the Mediterranean on the board, has rolled S and drawn British Rifles."""
    board = Board(turn=3, faction="EA", fronts={7: "RU1 RU2 DE8", 10: "BR-MEF AH5", 2: "BR1 DE3"})
    board.orders(EA="ATTACK 7 WITH RU1").play(dice="S 1", draws="A02")
    assert board.state.hands["EA"] == ["A02"]
    return board


def test_w_05_unusable_tile():
    """FWW-6.2.1-5, FWW-6.2.1-6"""
    board = unusable_tile_drawn().play(segments=2)
    board.orders(EA="RETURN BRITISHRIFLES").play()
    assert board.state.hands["EA"] == []
    assert "A02" in board.state.cups["ALLIES"]
    assert len(board.lines("draw")) == 1
    assert board.one(TilePutBack) == TilePutBack("EA", "A02", "normal", (Seat("EA"),))
    for seat in ("WA", "DE", "GA"):
        assert TilePutBackFaceDown("EA", "normal") in board.read_by(seat)
        assert board.of(TilePutBack)[0] not in board.read_by(seat)


def test_w_05_an_unusable_tile_may_be_kept():
    """FWW-6.2.1-5"""
    board = unusable_tile_drawn().play(segments=8)
    assert board.state.hands["EA"] == ["A02"]
    assert board.of(TilePutBack) == []


# ------------------------------------------------------------------ surrender, lines, lists, points


def test_w_06_surrender_point_once_per_front():
    """FWW-6.5-1, FWW-6.5.2-1, FWW-4.2.3-5"""
    board = Board(turn=3, faction="DE", fronts={7: "DE8 DE10 RU1"}, control={"RIGA": "DE", "KOVNO": "DE"})
    board.orders(DE="ATTACK 7 WITH DE8 DE10").play(dice="1 1")
    assert combat(board).totals == (3 + 1 + 1, 1 + 1)
    assert board.state.pool["EA"] == ["RU1"]
    assert questions(board, "combat.capture") == []
    assert board.of(SurrenderPointGiven) == [SurrenderPointGiven("EA", 7, 1)]
    board.play_to("T3.V").play(dice="2")
    assert points(board) == [("EA", 7)]
    assert board.one(SurrenderRolled) == SurrenderRolled("EA", 1, "2", False)
    assert board.next_key == "T3.P"


def test_w_07_bucuresti_and_odessa():
    """FWW-6.6-1, FWW-6.6-2"""
    board = Board(turn=3, faction="GA", fronts={11: "AH7 BU1 RU7 RU12"})
    board.orders(GA="ATTACK 11 WITH AH7 BU1 TAKE BUCURESTI").play(dice="3 1")
    assert combat(board).winner == "attacker"
    assert (questions(board, "combat.capture"), ground(board), points(board)) == ([], [], [])
    assert board.of(CaptureDeclined) == []


def test_w_07_bucuresti_then_odessa_in_turn_4():
    """FWW-6.6-1, FWW-6.6-2"""
    board = Board(turn=4, faction="GA", fronts={11: "AH7 BU1 RU7 RU12"})
    board.orders(GA="C1: ATTACK 11 WITH AH7 BU1 TAKE ODESSA BUCURESTI\nC2: ATTACK 11 WITH AH7 BU1")
    board.play(dice="3 1")
    assert questions(board, "combat.capture")[0].given.available == ("BUCURESTI",)
    assert ground(board) == [("BUCURESTI", "GA")]
    board.play(segments=4, dice="3 1")
    assert questions(board, "combat.capture")[1].given.available == ("ODESSA",)
    assert ground(board) == [("BUCURESTI", "GA"), ("ODESSA", "GA")]
    assert vp(board, "GA", "EA") == (8, 4)


def test_w_08_front_9_list():
    """FWW-2.1-2, FWW-7-1"""
    board = Board(turn=4, phase="deploy", track={4: "RO1 RU6"}, fronts={9: "RU4"}).play()
    assert board.view("EA").new["EA"] == ("RO1", "RU6")
    assert board.refused("deploy", EA="DEPLOY RO1 > 9") == [("FWW-2.1-2", "not-listed")]
    assert sorted(PACK.permitted[9]) == ["AH", "DE", "RU"]
    assert board.refused("deploy", EA="DEPLOY RU6 > 9") == []
    board.orders(EA="DEPLOY RU6 > 9 HOLD RO1").play()
    assert board.on(9) == ["RU4", "RU6"]


def test_w_08_not_before_its_turn():
    """FWW-7-1"""
    board = Board(turn=3, phase="deploy", track={4: "RO1 RU6"}, fronts={9: "RU4"}).play()
    assert not {"RO1", "RU6"} & set(board.view("EA").new["EA"])
    for seat in PACK.factions:
        assert {"RO1", "RU6"} <= set(board.view(seat).track[4])


def test_w_09_aachen():
    """FWW-6.4-5, FWW-7-2, FWW-8-1"""
    board = Board(turn=1, faction="WA", fronts={1: "BR1 DE1"})
    assert capacity(board.state, "DE") == 4
    board.orders(WA="ATTACK 1 TAKE AACHEN").play(dice="4 1")
    assert board.one(LocationCaptured) == LocationCaptured(1, "AACHEN", "WA", "DE", 7, 5)
    assert board.state.control["AACHEN"] == "WA"
    assert vp(board, "WA", "DE", "EA", "GA") == (7, 5, 6, 6)
    assert capacity(board.state, "DE") == 3
    assert capacity(board.state, "WA") == 4


# ------------------------------------------------------------------ options and set-up


def test_w_10_order_slots():
    """FWW-9.2-1, FWW-9.2-3"""
    board = Board(
        turn=2,
        phase="order",
        options={"random_order": True},
        fronts={1: "DE1 BE1", 9: "RU4 AH1"},
        waiting={"DE": "D", "WA": "D", "EA": "D", "GA": "D"},
    )
    board.orders(EA="SLOTS DEPLOY 4 ROUND 2").play(dice="2 1 4 S")
    picked = [SlotsTaken("EA", 4, 2), SlotsTaken("DE", 3, 1), SlotsTaken("WA", 2, 3), SlotsTaken("GA", 1, 4)]
    assert board.of(SlotsTaken) == picked
    free = [(ask.given.deploy, ask.given.round) for ask in questions(board, "order.slots")]
    assert free == [((1, 2, 3, 4), (1, 2, 3, 4)), ((1, 2, 3), (1, 3, 4)), ((1, 2), (3, 4)), ((1,), (4,))]
    assert board.one(OrderSet) == OrderSet(("GA", "WA", "DE", "EA"), ("DE", "EA", "WA", "GA"))
    board.play(segments=4 + 16)
    assert [fact.faction for fact in board.of(CountersDeployed)] == ["GA", "WA", "DE", "EA"]
    assert [fact.faction for fact in board.of(RoundSpent)] == ["DE", "EA", "WA", "GA"] * 4


def test_w_11_start_values():
    """FWW-3-1, FWW-3-2, FWW-3-3, FWW-3-4, FWW-3-5, FWW-3-6"""
    state = Board.fresh().state
    assert (state.turn, state.vp) == (1, {"WA": 6, "EA": 6, "DE": 6, "GA": 6})
    assert state.cups == {
        "ALLIES": [f"A0{number}" for number in range(1, 8)],
        "CENTRAL": [f"C0{number}" for number in range(1, 8)],
    }
    assert all(PACK.tiles[tile].year == 1914 for cup in state.cups.values() for tile in cup)
    assert not any(state.hands.values())
    assert not any(state.surrender.values())
    assert not state.treaty
    in_hand = [counter for there in state.waiting.values() for counter in there]
    armies = [counter for counter in in_hand if counter in PACK.armies]
    assert (len(armies), len(in_hand) - len(armies)) == (31, 24)
    assert all(PACK.armies[army].entry == 1 for army in armies)
    assert sum(len(there) for there in state.track.values()) == 41
    assert not any(state.fronts.values())


def test_w_12_historical_set_up():
    """FWW-9.3-1, FWW-9.3-2"""
    board = Board.fresh(historical_setup=True)
    drawn = {
        1: "BE1 DE1 DE2",
        2: "BR1 FR5 DE3 DE4",
        3: "FR2 FR3 FR4 DE5 DE6",
        4: "FR1 DE7",
        7: "RU1 RU2 DE8",
        8: "RU9 DE-AA",
        9: "RU3 RU4 RU5 RU8 AH1 AH3 AH4",
        10: "SB1 SB2 MN AH5 AH6",
    }
    standing = {front: sorted(drawn.get(front, "").split()) for front in range(1, 12)}
    assert board.state.fronts == standing
    assert sum(len(there) for there in standing.values()) == 31
    board.play(segments=4)
    asked = questions(board, "deploy")
    assert [ask.given.faction for ask in asked] == ["GA", "EA", "WA", "DE"]
    for ask in asked:
        assert len(ask.given.new) == 6
        assert all(counter in PACK.dummies for counter in ask.given.new)
    assert {c for there in board.state.fronts.values() for c in there if c in PACK.armies} == {
        army for there in standing.values() for army in there
    }
    assert board.of(CountersTurnedUp) == []
