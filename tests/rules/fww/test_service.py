"""FWW S: what the service owes its players: dice in a fixed order, open books, nothing hidden told."""

from __future__ import annotations

import pytest

from engine.games.first_world_war.facts.board import CountersDeployed, CountersSeenDeployed
from engine.games.first_world_war.facts.combat import CombatResolved, TileDrawn, TilePlaced, TileReturned
from engine.games.first_world_war.game import GAME
from engine.games.first_world_war.state import FACTIONS
from engine.kernel.fairness.dice import AuditedDice, TestDice, draw_items, faces
from engine.kernel.requests import Seat
from tests.rules.fww.board import PACK, Board, SegmentDone
from tests.rules.fww.cases import combat, receipt

SEED, SEALED = b"seed of this close".ljust(32), b"sealed, to the end".ljust(32)


def chance(board: Board) -> list[str]:
    """Labels of all rolls and draws, in the order in which they were made."""
    return [d["label"] for line in board.table.journal.lines if (d := line.data)["k"] in ("roll", "draw")]


def played_with(board: Board, dice, segments: int = 1) -> Board:
    """So many segments with dice of another kind than forced ones."""
    board.table.dice, board.table.left = dice, segments
    try:
        while board.table.advance(board._files) is not None:
            pass
    except SegmentDone:
        pass
    return board


# ------------------------------------------------------------------ S-1, S-2 chance


def test_s__1_attacker_rolls_defender_rolls_attacker_draws_defender_draws():
    board = Board(faction="DE", fronts={3: "DE5 FR2"})
    board.orders(DE="ATTACK 3").play(dice="S S", draws="C02 A01")
    assert chance(board) == [
        "T1.R1/attack.DE/1/d6",
        "T1.R1/defence.WA/1/d6",
        "T1.R1/tile.DE/1/draw",
        "T1.R1/tile.WA/1/draw",
    ]
    assert combat(board).dice == ("S", "S")


def test_s__1_surrender_rolls_go_round_in_a_fixed_order():
    points = {"GA": [9], "EA": [7], "WA": [1], "DE": [2]}
    board = Board(phase="victory", turn=2, surrender=points).play(dice="4 4 4 4")
    assert chance(board) == [f"T2.V/surrender.{faction}/1/d6" for faction in ("DE", "WA", "EA", "GA")]


def test_s__1_order_rolls_and_their_repetitions_too():
    board = Board(phase="order", turn=3, options={"random_order": True})
    board.play(dice="1 3 1 3 2 4 S 2")
    rolls = [f"T3.O/order.{one}" for one in ("DE", "WA", "EA", "GA", "WA", "GA", "DE", "EA")]
    assert chance(board) == [f"{roll}/{1 + rolls[:n].count(roll)}/d6" for n, roll in enumerate(rolls)]


def test_s__1_every_die_can_be_computed_again_from_seed_and_label():
    board = Board(faction="DE", fronts={3: "DE5 DE6 FR2 FR3 FR4", 9: "AH1 AH3 RU4 RU5"})
    board.orders(DE="ATTACK 3", WA="ATTACK 3", EA="ATTACK 9", GA="ATTACK 9")
    played_with(board, AuditedDice(SEED, SEALED), segments=4)
    rolls, draws = board.lines("roll"), board.lines("draw")
    assert len(rolls) == 8
    for line in rolls:
        assert (tuple(line["faces"]), line["by"]) == (faces(SEED, line["label"], 1, 6), "audited")
    for line in draws:
        assert tuple(line["items"]) == draw_items(SEALED, line["label"], line["from"], 1)
    assert len(draws) == sum(face in (5, 6) for line in rolls for face in line["faces"]) > 0


@pytest.mark.parametrize(("face", "shown"), [(1, "1"), (2, "2"), (3, "3"), (4, "4"), (5, "S"), (6, "S")])
def test_s__2_a_die_is_one_of_six_faces(face, shown):
    assert PACK.die.faces[face - 1] == shown
    assert PACK.die.is_s(face) == (shown == "S")
    assert PACK.die.value(face) == (0 if shown == "S" else face)


def test_s__2_a_draw_is_an_index_into_the_cup_sorted_by_tile_id():
    drawn = set()
    for seed in range(60):
        board = Board(faction="DE", fronts={3: "DE5 FR2"}, cups={"CENTRAL": "C07 C02 C05"})
        board.orders(DE="ATTACK 3", WA="DRAW NO")
        played_with(board, TestDice(seed))
        for line in board.lines("draw"):
            assert line["from"] == ["C02", "C05", "C07"]
            (tile,) = line["items"]
            assert board.state.cups["CENTRAL"] == [t for t in ("C02", "C05", "C07") if t != tile]
            drawn.add(tile)
    assert drawn == {"C02", "C05", "C07"}


def test_s__2_the_draw_is_sealed():
    """No fact, not even the drawer's, tells what else lay in the cup."""
    board = Board(faction="DE", fronts={3: "DE5 FR2"}, cups={"CENTRAL": "C02 C05 C06"})
    board.orders(DE="ATTACK 3").play(dice="S 1", draws="C05")
    for seat in FACTIONS:
        told = repr(board.read_by(seat)) + repr(board.view(seat).hands) + repr(board.view(seat).cup_backs)
        assert [tile for tile in PACK.tiles if tile in told] == (["C05"] if seat == "DE" else [])
    assert board.view("WA").cup_backs["CENTRAL"] == (2, 0)


# ------------------------------------------------------------------ S-3, S-4 reports


PRIVATE = {"seat", "factions", "known", "new", "hands", "recalls"}
PUBLIC = sorted(set(GAME.view(Board().state, Seat("WA")).__slots__) - PRIVATE)


def whole_turns(players: int):
    """A board after each segment of the first two turns, everybody on his default orders, with attacks."""
    board = Board.fresh("historical", players, no_surrender_before_turn=6)
    for line in ("DE=ATTACK 3", "WA=ATTACK 2", "EA=ATTACK 9", "GA=ATTACK 10"):
        faction, _, order = line.partition("=")
        board.orders(**{faction: "\n".join(f"C{cycle}: {order}" for cycle in (1, 2, 3, 4)) + "\nDRAW YES"})
    for _ in range(48):
        played_with(board, TestDice(5))
        yield board


@pytest.mark.parametrize("players", [2, 3, 4])
def test_s__3_every_seat_reads_the_same_public_report_and_it_is_true(players):
    for board in whole_turns(players):
        state, seats = board.state, sorted(set(board.state.seats.values()))
        views = [board.view(seat) for seat in seats]
        for name in PUBLIC:
            assert all(getattr(view, name) == getattr(views[0], name) for view in views), name
        view = views[0]
        assert (view.turn, view.round, view.treaty) == (state.turn, state.round, state.treaty)
        assert len(view.control) == 46 and view.control == state.control
        assert (view.vp, list(view.face_up)) == (state.vp, state.face_up)
        for front in state.fronts:
            for faction in FACTIONS:
                assert view.counts[front].get(faction, 0) == len(state.counters(front, faction))
        assert {f: list(pool) for f, pool in view.pool.items()} == state.pool
        assert {t: list(armies) for t, armies in view.track.items()} == {
            t: a for t, a in state.track.items() if a
        }
        for faction, tiles in state.hands.items():
            assert sum(view.hand_backs[faction]) == len(tiles)
        for alliance, tiles in state.cups.items():
            assert view.cup_backs[alliance][1] == sum(PACK.tiles[tile].mandatory for tile in tiles)
            assert sum(view.cup_backs[alliance]) == len(tiles)
    assert board.of(CombatResolved) and board.of(TileDrawn)


def may_know(board: Board, seat: str) -> set[str]:
    """S-4 Own counters and tiles, Germans under command, and what lies open, is lost or to come."""
    state, own = board.state, [faction for faction in FACTIONS if board.state.seats[faction] == seat]
    known = {c for c, owner in PACK.faction_of.items() if owner in own}
    if "GA" in own:
        known |= {c for front in (5, 6, 9, 10, 11) for c in state.counters(front, "DE")}
    public = (*state.pool.values(), *state.track.values(), state.returning, state.face_up, state.tiles_out)
    known |= {one for place in public for one in place}
    return known | {tile for faction in own for tile in state.hands[faction]}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_s__4_no_view_names_what_its_seat_may_not_know(players):
    everything = {*PACK.faction_of, *PACK.tiles}
    start = Board.fresh("historical", players).play(segments=4)
    assert not {"DE1", "AH1", "DE-D1", "C01"} & may_know(start, start.seat("WA"))
    for board in whole_turns(players):
        for seat in sorted(set(board.state.seats.values())):
            view = board.view(seat)
            fields = [getattr(view, name) for name in view.__slots__ if name not in ("pack", "seats")]
            named = set(repr(fields).replace('"', "'").split("'")) & everything - set(FACTIONS)
            assert named <= may_know(board, seat), (seat, board.next_key)


TRIED = """
    ATTACK 3
    ATTACK 3 WITH FR2
    ATTACK 3 WITH DE5 FR2 LEAD FR2
    ATTACK 3 WITH DE5 TILE BIGBERTHA TAKE VERDUN
    ATTACK 4
    ATTACK 9
    ATTACK 9 WITH DE11
    MOVE 3: FR2 > 4
    MOVE 3: DE5 > 4; FR2 > 2
    MOVE 9: AH1 > 8
    MOVE 3: AH1 > 2
    TRANSFER 3 > 4: FR3
    TRANSFER 3 > 9: DE5 AH1
    TRANSFER 3 > 9: D
    RECALL DE11 9 > 3
    RECALL AH1 9 > 8
    RECALL FR2 3 > 4
    REVEAL 3: FR2
    REVEAL 9: AH1
    REVEAL 3: D
    RETURN RUMOURS
    RETURN BIGBERTHA
    DEPLOY FR2 > 3
    DEPLOY D > 3
    REPLACE FR2
    DEFEND 9: TILE MACHINEGUNS
    DEFEND 3: LEAD FR2
    OCCUPY 3: VERDUN
    TREATY OFFER
    AGREE RECALL
"""


def hidden_worlds() -> list[Board]:
    """As Germany sees them all the same: three counters against it on 3, two of the partner's on 9."""
    worlds = [
        ("FR2 FR3 FR4", "AH1 AH3", "A01 A02", "C01"),
        ("FR2 WA:2D", "AH4 GA:1D", "A04 A07", "C06"),
        ("WA:3D", "GA:2D", "A05 A06", "C07"),
    ]
    return [
        Board(
            turn=3,
            faction="DE",
            fronts={3: f"DE5 DE6 {west}", 9: f"DE11 RU4 {allied}", 4: "FR1"},
            hands={"DE": "C02", "WA": tiles, "GA": tile},
        )
        for west, allied, tiles, tile in worlds
    ]


@pytest.mark.parametrize("order", [line.strip() for line in TRIED.strip().splitlines()])
def test_s__4_no_refusal_tells_what_others_hide(order):
    worlds = hidden_worlds()
    assert [receipt(world, "DE", order) for world in worlds] == [receipt(worlds[0], "DE", order)] * 3
    assert [world.refused(DE=order) for world in worlds] == [worlds[0].refused(DE=order)] * 3


def test_s__4_the_orders_tried_are_good_and_bad():
    verdicts = [bool(receipt(hidden_worlds()[0], "DE", line)) for line in TRIED.strip().splitlines()]
    assert {True, False} == set(verdicts)
    assert verdicts.count(True) >= 10


# ------------------------------------------------------------------ S-5 counters, S-6 tiles


def outsiders(board: Board, owner: str) -> list[object]:
    """All that the seats but one read and see, and where the table paused."""
    seats = [seat for seat in FACTIONS if seat != owner]
    pauses = [(line["window"], line["seats"]) for line in board.lines("pause")]
    told = [board.read_by(seat) for seat in seats]
    return [told, [board.view(seat) for seat in seats], pauses]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("MOVE 2: DE1 DE2 > 1", "MOVE 2: DE3 D > 1"),
        ("MOVE 2: DE1 > 1; DE2 D > 3", "MOVE 2: DE3 > 1; DE1 DE2 > 3"),
        ("TRANSFER 2 > 8: DE1 DE2", "TRANSFER 2 > 8: DE3 D"),
    ],
)
def test_s__5_outsiders_cannot_tell_which_counters_moved(one, other):
    boards = [Board(turn=2, faction="DE", fronts={1: "BE1 DE4", 2: "DE1 DE2 DE3 DE:1D"}) for _ in range(2)]
    boards[0].orders(DE=one).play(segments=2)
    boards[1].orders(DE=other).play(segments=2)
    assert boards[0].state.fronts != boards[1].state.fronts
    assert outsiders(boards[0], "DE") == outsiders(boards[1], "DE")


def test_s__5_but_they_see_how_many_went_where():
    boards = [Board(turn=2, faction="DE", fronts={1: "BE1", 2: "DE1 DE2 DE3"}) for _ in range(2)]
    boards[0].orders(DE="MOVE 2: DE1 DE2 > 1").play()
    boards[1].orders(DE="MOVE 2: DE1 > 1; DE2 > 3").play()
    assert outsiders(boards[0], "DE") != outsiders(boards[1], "DE")


def test_s__5_outsiders_cannot_tell_which_counters_were_deployed():
    boards = [
        Board(turn=2, phase="deploy", faction="WA", waiting={"WA": "BR2 FR6 FR9 2D"}, fronts={1: "DE1"})
        for _ in range(2)
    ]
    boards[0].orders(WA="DEPLOY BR2 FR6 > 1, FR9 2D > 2").play()
    boards[1].orders(WA="DEPLOY FR9 D > 1, BR2 FR6 D > 2").play()
    assert outsiders(boards[0], "WA") == outsiders(boards[1], "WA")
    for seat in ("EA", "DE", "GA"):
        (seen,) = [
            f for f in boards[0].read_by(seat) if isinstance(f, CountersDeployed | CountersSeenDeployed)
        ]
        assert seen == CountersSeenDeployed("WA", ((1, 2), (2, 3)))


@pytest.mark.parametrize(
    ("drop", "drawn"), [("FRENCH75S", "A02"), ("RUMOURS", "A05"), ("MACHINEGUNS", "A06")]
)
def test_s__6_outsiders_cannot_tell_which_tile_came_and_which_went(drop, drawn):
    boards = [Board(faction="DE", fronts={3: "DE5 FR2 FR3"}, hands={"WA": "A01 A04 A07"}) for _ in range(2)]
    boards[0].orders(DE="ATTACK 3", WA="DRAW YES DROP FRENCH75S").play(dice="1 S", draws="A02")
    boards[1].orders(DE="ATTACK 3", WA=f"DRAW YES DROP {drop}").play(dice="1 S", draws=drawn)
    assert outsiders(boards[0], "WA") == outsiders(boards[1], "WA")


def test_s__6_a_back_of_the_other_kind_is_seen():
    board = Board(faction="DE", fronts={3: "DE5 FR2 FR3"}, hands={"WA": "A01 A04"})
    board.orders(DE="ATTACK 3").play(dice="1 S", draws="A03")
    assert board.view("GA").hand_backs["WA"] == (2, 1)
    assert board.view("GA").cup_backs["ALLIES"] == (4, 0)


def test_s__6_a_played_tile_is_shown_and_a_removed_one_stays_known():
    board = Board(faction="DE", fronts={3: "DE5 FR2"}, hands={"WA": "A01"})
    board.orders(DE="ATTACK 3", WA="DEFEND 3: TILE MACHINEGUNS").play(dice="1 1")
    for seat in ("EA", "DE", "GA"):
        kinds = [type(fact) for fact in board.read_by(seat)]
        assert TilePlaced not in kinds
        assert TileReturned("WA", "A01") in board.read_by(seat)
        assert [f.tiles for f in board.read_by(seat) if isinstance(f, CombatResolved)] == [(None, "A01")]
    forced = Board(faction="WA", fronts={3: "DE5 FR2"}, hands={"WA": "A03"})
    forced.orders(WA="ATTACK 3").play(dice="1 1")
    assert all(forced.view(seat).tiles_out == ("A03",) for seat in FACTIONS)
