"""MOVE Paths, their costs, and the cheapest of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

import pytest

from engine.games.trench_club.answers import DONE, Move
from engine.games.trench_club.facts.moves import UnitMoved
from engine.games.trench_club.rules.acts import TurnActs, carry_out, why_not
from engine.games.trench_club.rules.movement import March, path_to, reach, spread, walk
from engine.games.trench_club.rules.terrain import cost_of, hex_costs
from engine.games.trench_club.state import Terrain, Unit
from tests.rules.trench.drawn import PACK, drawn, marks, play
from tests.rules.trench.orders import cost, done, is_legal, refusal, refused

Ranked: TypeAlias = tuple[int, int, int, tuple[str, ...]]

# ------------------------------------------------------------------ cases


@pytest.mark.parametrize(
    ("start", "path"),
    [("E5", "E4 E3 F3 G3"), ("D6", "D5 D4 D3 E2 F2 G2 H3 H4"), ("E5", "E4 E3 D3 C2 B3 A2")],
)
def test_e01_armoured_car_range(start: str, path: str) -> None:
    state = drawn(f"DE.CAR1@{start}")
    assert cost(state, f"M CAR1 {path}") == 8
    assert marks(state, "DE.CAR1") == path.split()[-1]


@pytest.mark.parametrize(
    ("start", "path"),
    [
        ("E5", "E4 E3"),
        ("D6", "D5 D4 D3 C2"),
        ("D6", "D5 D4 E3"),
        ("E4", "D4 D3 E2 F2"),
        ("D6", "D5 D4 D3 E3"),
        ("D4", "D3 C3"),
    ],
)
def test_e02_six_infantry_moves(start: str, path: str) -> None:
    friend = "AH.TRK1@B3" if start == "D4" or "D4" not in path else "AH.TRK1@D4"
    assert cost(drawn(f"DE.INF1@{start}", friend), f"M INF1 {path}") == 4


def test_e02_nobody_ends_on_an_ally() -> None:
    state = drawn("DE.INF1@D6, AH.TRK1@D4")
    assert refused(state, "M INF1 D5 D4") == ("TC-MOVE-20", "hex-taken")


def test_e03_river() -> None:
    state = drawn("DE.INF1@B5, DE.CAV1@B4, DE.CAR1@C5")
    assert refused(state, "M CAV1 B5 B6") == ("TC-MOVE-12", "water-whole-move")
    assert refused(state, "M CAR1 C6") == ("TC-MOVE-11", "foot-units-wade")
    assert cost(state, "M INF1 B6") == 4
    assert marks(state, "DE.INF1") == "B6"


def test_t01_last_move_never_into_forest() -> None:
    state = drawn("DE.INF1@D6")
    assert refused(state, "M INF1 D5 D4 D3 C3") == ("TC-MOVE-9", "last-move-into-open")
    assert refusal(state, "M INF1 D5 D4 D3 C3").facts["legal"] == ("D5", "D4", "D3")


def test_t02_slow_gun_and_forest() -> None:
    assert refused(drawn("DE.MOR1@D4"), "M MOR1 C3") == ("TC-MOVE-10", "too-far")


def test_t04_mounted_infantry_in_water() -> None:
    state = drawn("DE.CAV1@B5")
    assert cost(state, "M CAV1 B6") == 6
    state.moved.clear()
    assert cost(state, "M CAV1 B7 A7 A8") == 6  # forest 1.5, open 1, and the last move


def test_t43_sky_is_not_free() -> None:
    state = drawn("DE.AIR1@E5, GB.INF1@E4, DE.CAR1@D6, GB.AIR1@D5")
    assert refused(state, "M AIR1 E4 E3") == ("TC-MOVE-19", "enemy-unit")
    assert refused(state, "M CAR1 D5 D4") == ("TC-MOVE-19", "enemy-unit")
    assert refusal(state, "M CAR1 D5 D4").facts["enemy"] == "GB.AIR1"


def test_t52_cheapest_path_avoids_a_mine() -> None:
    state = drawn("DE.INF1@D3, mine C2=GB")
    move = path_to(state, "DE.INF1", "C1")
    assert move == Move("DE.INF1", ("D2", "C1"))
    assert path_to(drawn("DE.INF1@D3"), "DE.INF1", "C1") == Move("DE.INF1", ("C2", "C1"))


# ------------------------------------------------------------------ whose move


def test_move__1_each_own_unit_moves_once() -> None:
    state = drawn("DE.CAR1@E5, GB.CAR1@I5, AH.CAR1@G3")
    assert refused(state, "M INF1 E4") == ("TC-MOVE-1", "no-such-unit")
    assert refused(state, "M GB.CAR1 I4") == ("TC-MOVE-1", "not-own-unit")
    assert refused(state, "M AH.CAR1 G2") == ("TC-MOVE-1", "not-own-unit")
    done(state, "M CAR1 E4")
    assert state.moved == ["DE.CAR1"]
    assert refused(state, "M CAR1 E5") == ("TC-MOVE-1", "has-moved")
    state.units["DE.INF1"] = Unit("DE.INF1", "DE", "infantry")
    assert refused(state, "M INF1 E4") == ("TC-MOVE-1", "no-such-unit")


def test_move__1_moving_is_optional() -> None:
    options = TurnActs(drawn("DE.CAR1@E5"), ("DE",))
    assert options.contains(DONE)
    assert options.default() == DONE
    assert why_not(drawn("DE.CAR1@E5"), DONE, ("DE",)) is None


def test_move__2_one_uninterrupted_path() -> None:
    state = drawn("DE.CAR1@E5")
    assert refused(state, "M CAR1 E3") == ("TC-MOVE-2", "not-adjacent")
    assert refused(state, "M CAR1 E4 E2") == ("TC-MOVE-2", "not-adjacent")
    assert refusal(state, "M CAR1 E4 E2").facts["step"] == 2
    assert refused(state, "M CAR1 X9") == ("TC-MOVE-2", "no-such-hex")
    assert refused(state, "M CAR1") == ("TC-MOVE-2", "no-path")
    assert refused(drawn("DE.CAR1@K5", half="1-6"), "M CAR1 L5") == ("TC-MOVE-2", "no-such-hex")


def test_move__3_no_more_than_its_speed() -> None:
    state = drawn("DE.INF1@E5")
    assert refused(state, "M INF1 E4 E3 E2") == ("TC-MOVE-3", "too-far")
    told = refusal(state, "M INF1 E4 E3 E2").facts
    assert (told["cost"], told["left"], told["speed"], told["legal"]) == (1, 0, 4, ("D5", "D4", "D3", "E2"))
    assert cost(state, "M INF1 E4") == 2


def test_move__3_a_refusal_names_as_much_of_the_path_as_is_legal() -> None:
    state = drawn("DE.INF1@E5, AH.INF1@E3")
    assert refusal(state, "M INF1 E4 E3 F3").facts["legal"] == ("E4",)
    assert refusal(state, "M INF1 G8").facts["legal"] == ("D6", "D7", "E7")  # as near as it gets


@pytest.mark.parametrize(
    ("terrain", "klass", "half_points"),
    [
        ("open", "foot", 2),
        ("road", "vehicle", 1),
        ("bridge", "gun", 1),
        ("forest", "tank", 3),
        ("water", "vehicle", None),
        ("water", "tank", None),
        ("fort", "air", None),
        ("fort", "foot", None),
        ("forest", "air", 2),
        ("road", "air", 2),
        ("water", "air", 2),
        ("water", "naval", 2),
        ("bridge", "naval", 2),
        ("road", "naval", None),
        ("open", "naval", None),
        ("trench", "foot", 2),
        ("trench", "tank", 2),
        ("trench", "air", 2),
        ("trench", "vehicle", None),
        ("trench", "gun", None),
        ("trench", "naval", None),
    ],
)
def test_move__4_cost_of_the_hex_entered(terrain: Terrain, klass: str, half_points: int | None) -> None:
    assert cost_of(PACK, terrain, klass) == half_points


def test_move__4_the_hex_left_is_irrelevant() -> None:
    assert cost(drawn("DE.CAR1@C3"), "M CAR1 D3") == 1  # out of a forest
    assert cost(drawn("DE.CAR1@D3"), "M CAR1 C3") == 3


def test_move__5_without_the_expert_rules_a_trench_is_open_field() -> None:
    state = drawn("DE.CAR1@C4")
    assert cost(state, "M CAR1 B4") == 2
    costs, clear = hex_costs(state, "vehicle")
    assert costs["B4"] == 2
    assert {"B4", "E3", "E4"} <= clear
    assert clear.isdisjoint({"D3", "C3", "B6", "D7"})


def test_move__6_road_and_bridge_from_any_side() -> None:
    assert cost(drawn("DE.CAR1@E4"), "M CAR1 D4") == 1
    assert cost(drawn("DE.CAR1@C7"), "M CAR1 D7") == 1


def test_move__7_forest() -> None:
    assert cost(drawn("DE.CAR1@E4"), "M CAR1 F4") == 3


def test_move__8_last_move_with_half_a_point() -> None:
    state = drawn("DE.INF1@D6")
    assert cost(state, "M INF1 D5 D4 D3 E3") == 4
    assert refused(drawn("DE.INF1@D6"), "M INF1 D5 D4 D3 E3 E2") == ("TC-MOVE-3", "too-far")


def test_move__9_only_with_exactly_half_a_point() -> None:
    state = drawn("DE.INF1@D6")
    assert refused(state, "M INF1 D5 D4 D3 C2 D2") == ("TC-MOVE-3", "too-far")  # nothing left
    assert reach(state, "DE.INF1")["E3"] == 4


def test_move__9_a_speed_of_half_a_point() -> None:
    state = drawn("DE.RWY1@E4")
    assert cost(drawn("DE.RWY1@E4"), "M RWY1 E3") == 1
    assert cost(drawn("DE.RWY1@E4"), "M RWY1 D4") == 1
    assert refused(state, "M RWY1 F4") == ("TC-MOVE-10", "too-far")
    assert refused(state, "M RWY1 E3 D4") == ("TC-MOVE-3", "too-far")
    assert reach(state, "DE.RWY1") == {"D4": 1, "D5": 1, "E3": 1, "E5": 1}


def test_move__9_never_into_an_expert_trench() -> None:
    state = drawn("DE.INF1@C2", trench_rules=True)
    assert refused(state, "M INF1 B3 A2 B3 C2 D2") == ("TC-MOVE-3", "too-far")
    assert refused(state, "M INF1 B3 A2 B3 B4") == ("TC-MOVE-9", "last-move-into-open")
    assert cost(drawn("DE.INF1@C2"), "M INF1 B3 A2 B3 B4") == 4
    assert "B4" in reach(state, "DE.INF1")  # by a shorter way


def test_move__10_no_guaranteed_move() -> None:
    state = drawn("DE.MOR1@D4")
    assert "C3" not in reach(state, "DE.MOR1")
    assert refusal(state, "M MOR1 C3").facts["cost"] == 3
    assert refused(drawn("DE.GUN1@E4"), "M GUN1 E3 F4") == ("TC-MOVE-3", "too-far")


@pytest.mark.parametrize("unit", ["INF1", "CAV1", "HVY1", "ATG1"])
def test_move__11_foot_units_wade(unit: str) -> None:
    state = drawn(f"AH.{unit}@B5", active="AH")
    assert cost(state, f"M {unit} B6") == PACK.types[state.units[f"AH.{unit}"].type].speed


@pytest.mark.parametrize("unit", ["TRK1", "CAR1", "TNK1", "MOR1", "GUN1", "FLK1", "ENG1"])
def test_move__11_others_do_not(unit: str) -> None:
    state = drawn(f"DE.{unit}@C5")
    assert refused(state, f"M {unit} C6")[0] == "TC-MOVE-11"
    assert "C6" not in reach(state, f"DE.{unit}")


def test_move__12_water_is_the_first_and_only_step() -> None:
    state = drawn("DE.CAV1@B5")
    assert refused(state, "M CAV1 B6 B7") == ("TC-MOVE-12", "water-whole-move")
    ends = reach(state, "DE.CAV1")
    assert {hex_: ends[hex_] for hex_ in ("A6", "B6", "C6") if hex_ in ends} == {"B6": 6}
    assert path_to(state, "DE.CAV1", "B6") == Move("DE.CAV1", ("B6",))
    assert path_to(state, "DE.CAV1", "A6") is None


def test_move__12_an_enemy_bars_water_too() -> None:
    state = drawn("DE.INF1@B5, GB.BOT1@B6")
    assert refused(state, "M INF1 B6") == ("TC-MOVE-19", "enemy-unit")
    assert "B6" not in reach(state, "DE.INF1")
    assert path_to(state, "DE.INF1", "B6") is None


def test_move__13_leaving_water_and_water_to_water() -> None:
    state = drawn("DE.INF1@B6")
    assert cost(drawn("DE.INF1@B6"), "M INF1 B5") == 2
    assert cost(drawn("DE.INF1@B6"), "M INF1 A6") == 4
    assert refused(state, "M INF1 A6 A7") == ("TC-MOVE-12", "water-whole-move")


def test_move__15_a_gun_put_in_water_may_leave_and_not_come_back() -> None:
    assert cost(drawn("DE.GUN1@C6"), "M GUN1 C5") == 2
    assert refused(drawn("DE.GUN1@C6"), "M GUN1 B6")[0] == "TC-MOVE-11"
    assert refused(drawn("DE.GUN1@C6"), "M GUN1 D6 C6")[0] == "TC-MOVE-11"


def test_move__16_air_units_pay_one_whatever_the_terrain() -> None:
    state = drawn("DE.AIR1@B4")
    assert cost(state, "M AIR1 B5 B6 B7 A7 A6 A5") == 12
    assert refused(drawn("DE.AIR1@B4"), "M AIR1 B5 B6 B7 A7 A6 A5 A4") == ("TC-MOVE-3", "too-far")
    ends = reach(drawn("DE.AIR1@E4"), "DE.AIR1")
    assert ends["E6"] == 4
    assert "F8" not in ends
    assert "B2" not in ends


def test_move__16_the_sky_ends_nowhere_within_reach() -> None:
    state = drawn("DE.AIR1@L8")
    ends = reach(state, "DE.AIR1")
    around = {hex_ for hex_ in state.grid.within("L8", 6) if hex_ not in PACK.forts} - {"L8"}
    assert set(ends) == around
    # behind a fort it takes a way round
    assert all(ends[hex_] >= 2 * state.grid.distance("L8", hex_) for hex_ in ends)


def test_move__17_naval_units_keep_to_water_and_bridges() -> None:
    state = drawn("DE.BOT1@C6")
    assert cost(drawn("DE.BOT1@C6"), "M BOT1 D7 E6 F6") == 6
    assert refused(state, "M BOT1 C5") == ("TC-MOVE-17", "naval-on-land")
    assert refused(state, "M BOT1 D7 D8") == ("TC-MOVE-17", "naval-on-land")
    assert set(reach(state, "DE.BOT1")) == {"A6", "B6", "D7", "E6", "F6"}


def test_move__18_one_terrain_a_hex() -> None:
    state = drawn("DE.CAR1@D4", "built C3=road")
    assert state.terrain("C3") == "road"
    assert state.terrain("C4") == "open"


def test_move__19_over_friends_not_through_enemies() -> None:
    state = drawn("DE.CAR1@D6, DE.INF1@D5, AH.INF1@D4, GB.MOR1@E4")
    assert is_legal(state, "M CAR1 D5 D4 D3")
    assert refused(state, "M CAR1 D5 E4 E3") == ("TC-MOVE-19", "enemy-unit")
    assert not {"D5", "D4", "E4"} & set(reach(state, "DE.CAR1"))


def test_move__20_one_unit_a_hex() -> None:
    state = drawn("DE.CAR1@D6, DE.INF1@D5, DE.AIR1@E5")
    assert refused(state, "M CAR1 D5") == ("TC-MOVE-20", "hex-taken")
    assert refused(state, "M CAR1 E5") == ("TC-MOVE-20", "hex-taken")
    assert refused(state, "M AIR1 D6") == ("TC-MOVE-20", "hex-taken")
    assert refusal(state, "M CAR1 D5").facts["by"] == "DE.INF1"
    assert refusal(state, "M CAR1 D7 D6 D5").facts["hex"] == "D5"
    assert path_to(state, "DE.CAR1", "D5") is None


def test_move__20_a_unit_may_come_back_to_where_it_stood() -> None:
    state = drawn("DE.CAR1@D6")
    assert cost(state, "M CAR1 D5 D6") == 2
    assert state.on == {"D6": "DE.CAR1"}
    assert "D6" not in reach(drawn("DE.CAR1@D6"), "DE.CAR1")


def test_move__21_a_fort_hex_is_entered_only_through_an_entrance() -> None:
    state = drawn("DE.AIR1@B1, DE.CAR1@B3, own B2=DE")
    assert refused(state, "M AIR1 B2") == ("TC-FORT-1", "wall")
    assert refused(state, "M CAR1 B2") == ("TC-FORT-1", "wall")
    assert is_legal(state, "M CAR1 A2 B2")


def test_move__22_conquest_is_the_units_move() -> None:
    state = drawn("DE.INF1@C2")
    done(state, "C INF1 B2")
    assert state.moved == ["DE.INF1"]
    assert refused(state, "M INF1 C2") == ("TC-MOVE-1", "has-moved")
    state = drawn("DE.INF1@C3")
    done(state, "M INF1 C2")
    assert refused(state, "C INF1 B2") == ("TC-MOVE-1", "has-moved")


# ------------------------------------------------------------------ the cheapest path


def test_move__23_cost_comes_first() -> None:
    assert path_to(drawn("DE.CAR1@D6"), "DE.CAR1", "E2") == Move("DE.CAR1", ("D5", "D4", "D3", "E2"))


def test_move__23_then_fewer_contact_hexes() -> None:
    assert path_to(drawn("DE.CAR1@E5"), "DE.CAR1", "E3") == Move("DE.CAR1", ("E4", "E3"))
    state = drawn("DE.CAR1@E5, GB.INF1@F4")  # next to E3 and E4
    assert path_to(state, "DE.CAR1", "E3") == Move("DE.CAR1", ("D5", "D4", "E3"))  # as dear


def test_move__23_then_fewer_hexes_then_names() -> None:
    state = drawn("DE.AIR1@E5")
    assert path_to(state, "DE.AIR1", "G4") == Move("DE.AIR1", ("F5", "G4"))
    assert path_to(state, "DE.AIR1", "F7") == Move("DE.AIR1", ("E6", "F7"))  # E6 before F6
    state = drawn("DE.CAR1@D4")  # E2: by D3, 1 point; E3 alone would be dearer
    assert path_to(state, "DE.CAR1", "E2") == Move("DE.CAR1", ("D3", "E2"))


def test_move__23_to_a_fort_or_over_nothing() -> None:
    state = drawn("DE.CAR1@D3, own B2=DE")
    assert path_to(state, "DE.CAR1", "B2") == Move("DE.CAR1", ("C2", "B2"))
    assert path_to(state, "DE.CAR1", "D3") is None
    assert path_to(state, "DE.CAR1", "X9") is None
    assert path_to(state, "DE.CAR1", "J2") is None
    assert path_to(state, "DE.CAR1", "W9") is None


def test_move__23_no_path_ends_on_a_mine() -> None:
    state = drawn("DE.CAR1@D6, DE.AIR1@E5, mine D5=GB")
    assert path_to(state, "DE.CAR1", "D5") is None
    assert "D5" not in reach(state, "DE.CAR1")
    assert path_to(state, "DE.AIR1", "D5") == Move("DE.AIR1", ("D5",))
    assert path_to(drawn("DE.CAR1@D6, mine D5=AH"), "DE.CAR1", "D5") == Move("DE.CAR1", ("D5",))


def _every_path(march: March, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """All legal paths, by trying."""
    for to in march.ways[path[-1]] if path else march.first:
        if isinstance(walk(march, (*path, to), False), int):
            yield (*path, to)
            yield from _every_path(march, (*path, to))


def _best_paths(march: March) -> dict[str, Ranked]:
    """MOVE-23 The best path to every hex, by trying them all."""
    best: dict[str, Ranked] = {}
    for path in _every_path(march):
        if march.mines.isdisjoint(path):
            cost_ = walk(march, path, False)
            assert isinstance(cost_, int)
            rank = (cost_, sum(hex_ in march.contact for hex_ in path), len(path), path)
            best[path[-1]] = min(best.get(path[-1], rank), rank)
    return best


POSITIONS = [
    "DE.INF1@D6, GB.INF1@E4",
    "DE.INF1@C2, GB.INF1@E3, GB.CAR1@B4, own B2=DE",
    "DE.INF1@fort:B2, GB.INF1@C3, own B2=DE",
    "DE.CAV1@B5, GB.CAR1@C4, mine B4=GB, AH.INF1@C5",
    "DE.TNK1@E2, GB.HVY1@E3, FR.TNK1@F3",
    "DE.INF1@F1, GB.INF1@G2",
]


def test_move__23_a_last_move_by_a_way_that_is_dearer_before_it() -> None:
    """F2, E2 cost 1 and E1, E2 1.5 points; E3 takes the rest of 2 in both cases, but F2 is a contact hex."""
    state = drawn("DE.INF1@F1, GB.INF1@G2")
    assert path_to(state, "DE.INF1", "E3") == Move("DE.INF1", ("E1", "E2", "E3"))


@pytest.mark.parametrize("trench_rules", [False, True])
@pytest.mark.parametrize("text", POSITIONS)
def test_move__3_MOVE_23_searches_agree_with_trying_everything(text: str, trench_rules: bool) -> None:
    """What is found quickly is what a walk, step by step, allows: ends, costs and the best path to each."""
    state = drawn(text, trench_rules=trench_rules)
    unit = next(iter(state.units))
    march = March(state, unit)
    best = _best_paths(march)
    assert spread(march)[0] == {hex_: rank[0] for hex_, rank in best.items()}
    ends = {hex_: rank for hex_, rank in best.items() if march.may_end(hex_) and hex_ != march.start}
    assert reach(state, unit) == {hex_: rank[0] for hex_, rank in ends.items()}
    for hex_, rank in ends.items():
        assert path_to(state, unit, hex_) == Move(unit, rank[3]), hex_


def test_move__2_a_moved_unit_stands_at_the_end_of_its_path() -> None:
    state = drawn("DE.CAR1@D6")
    course = play(state, carry_out(state, Move("DE.CAR1", ("D5", "D4"))))
    assert course.facts == [UnitMoved("DE.CAR1", "D6", ("D5", "D4"), 2)]
    assert state.on == {"D4": "DE.CAR1"}


def test_move__2_path_steps_are_neighbours_or_entrances() -> None:
    state = drawn("DE.AIR1@D4")
    move = path_to(state, "DE.AIR1", "H6")
    assert move is not None
    assert all(state.grid.direction(one, other) for one, other in pairwise(("D4", *move.path)))
