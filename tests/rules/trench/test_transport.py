"""TRANSPORT Boarding, driving, unloading."""

from __future__ import annotations

from random import Random

import pytest

from engine.games.trench_club.answers import DONE, Attack, Move
from engine.games.trench_club.facts.moves import CargoUnloaded, MineExploded, UnitMoved
from engine.games.trench_club.rules.acts import TurnActs, carry_out, why_not
from engine.games.trench_club.rules.movement import path_to, reach
from engine.games.trench_club.rules.targets import Targets
from engine.games.trench_club.rules.transport import (
    first_unloading,
    loaded_transports,
    open_transports,
    places_for,
    unloadings,
)
from engine.games.trench_club.rules.unloading import way_to_unload
from engine.games.trench_club.state import State
from tests.rules.trench.drawn import PACK, drawn, marks, play
from tests.rules.trench.orders import cost, done, is_legal, refusal, refused


def attacked(state: State, unit: str) -> list[str]:
    """Whom that unit may name in this turn."""
    options, enemies = Targets(state, ("DE",)), sorted(one for one in state.units if one[:2] == "GB")
    return [enemy for enemy in enemies if options.contains((Attack(unit, enemy),))]


# ------------------------------------------------------------------ cases


def the_four_pictures() -> State:
    return drawn("DE.TRK1@D5, DE.MOR1@D6, DE.INF1@C4")


def test_e09_transport() -> None:
    state = the_four_pictures()
    assert cost(state, "L MOR1 TRK1") == 1
    assert cost(state, "L INF1 TRK1") == 1
    assert state.on == {"D5": "DE.TRK1"}
    course = done(state, "M TRK1 D4 D3 E2 F2 / MOR1@F3 INF1@E1")
    assert course.facts == [
        UnitMoved("DE.TRK1", "D5", ("D4", "D3", "E2", "F2"), 4),
        CargoUnloaded("DE.TRK1", (("DE.INF1", "E1"), ("DE.MOR1", "F3"))),
    ]
    assert state.on == {"F2": "DE.TRK1", "E1": "DE.INF1", "F3": "DE.MOR1"}
    assert not loaded_transports(state)
    for order in ("M MOR1 F4", "M INF1 E2", "M TRK1 G2"):
        assert refused(state, order) == ("TC-MOVE-1", "has-moved")


def test_e09_wrong_orders() -> None:
    state = the_four_pictures()
    done(state, "L MOR1 TRK1")
    assert refused(state, "M TRK1 D4 D3 E2 F2") == ("TC-TRANSPORT-5", "all-must-unload")
    done(state, "M TRK1 D4 / MOR1@E4")
    assert refused(state, "L INF1 TRK1") == ("TC-TRANSPORT-13", "transport-has-moved")
    assert refused(state, "M TRK1 D3") == ("TC-MOVE-1", "has-moved")


def test_t22_move_then_board() -> None:
    state = drawn("DE.TRK1@D5, DE.INF1@F3, DE.MOR1@D3")
    assert cost(state, "M INF1 E3 D4 TRK1") == 4
    assert cost(state, "M MOR1 D4 TRK1") == 2
    full = drawn("DE.TRK1@D5, DE.MOR1@D4", *(f"DE.INF{n}@DE.TRK1" for n in range(1, 5)))
    assert refused(full, "L MOR1 TRK1") == ("TC-TRANSPORT-1", "transport-full")
    assert refusal(full, "L MOR1 TRK1").facts["capacity"] == 4


def test_t23_unload_into_forest() -> None:
    """It shoots at 2 to 5 in the same turn: the enemies stand 1, 2, 5 and 6 away."""
    state = drawn("DE.TRK1@D5, DE.MOR1@DE.TRK1, GB.TNK1@C2, GB.CAR1@C5, GB.INF1@C8, GB.INF2@C9")
    done(state, "M TRK1 D4 / MOR1@C3")
    assert marks(state, "DE.MOR1") == "C3"
    assert "DE.MOR1" in state.moved
    assert attacked(state, "DE.MOR1") == ["GB.CAR1", "GB.INF1"]
    state.moved.clear()
    ends = reach(state, "DE.MOR1")
    assert ends["D3"] == 1
    assert "forest" not in {state.terrain(hex_) for hex_ in ends}


# ------------------------------------------------------------------ boarding


@pytest.mark.parametrize("code", ["INF", "CAV", "HVY", "ATG", "GUN", "HOW", "MOR", "BER", "GAS"])
def test_transport__1_who_is_carried(code: str) -> None:
    assert is_legal(drawn(f"DE.TRK1@D5, DE.{code}1@D4"), f"L {code}1 TRK1")


@pytest.mark.parametrize("code", ["CAR", "TNK", "FLK", "REN", "FEM", "RWY", "MIN", "ENG"])
def test_transport__1_who_is_not(code: str) -> None:
    state = drawn(f"DE.TRK1@D5, DE.{code}1@D4")
    assert refused(state, f"L {code}1 TRK1") == ("TC-TRANSPORT-1", "not-transportable")
    assert open_transports(state, state.units[f"DE.{code}1"]) == {}


def test_transport__1_no_transport_carries_a_transport() -> None:
    assert refused(drawn("DE.TRK1@D5, DE.TRK2@D4"), "L TRK2 TRK1") == ("TC-TRANSPORT-1", "not-transportable")


def test_transport__1_up_to_four() -> None:
    three = "DE.TRK1@D5, DE.INF1@DE.TRK1, DE.INF2@DE.TRK1, DE.INF3@DE.TRK1"
    state = drawn(three, "DE.INF4@D4, DE.INF5@D6")
    assert open_transports(state, state.units["DE.INF4"]) == {"D5": "DE.TRK1"}
    done(state, "L INF4 TRK1")
    assert refused(state, "L INF5 TRK1") == ("TC-TRANSPORT-1", "transport-full")
    assert open_transports(state, state.units["DE.INF5"]) == {}


@pytest.mark.parametrize("hex_", ["D5", "C3", "E3", "C6"])
def test_transport__2_half_a_point_whatever_the_terrain(hex_: str) -> None:
    near = {"D5": "D4", "C3": "C4", "E3": "E4", "C6": "C5"}[hex_]
    assert cost(drawn(f"DE.TRK1@{hex_}, DE.MOR1@{near}"), "L MOR1 TRK1") == 1


def test_transport__2_it_must_stand_there() -> None:
    state = drawn("DE.TRK1@D5, DE.INF1@D4, DE.CAR1@D3")
    wrong = why_not(state, Move("DE.INF1", ("E4",), "DE.TRK1"), ("DE",))
    assert wrong is not None
    assert (wrong.rule, wrong.reason, wrong.facts["at"]) == ("TC-TRANSPORT-2", "transport-elsewhere", "D5")
    none = why_not(state, Move("DE.INF1", ("D3",), "DE.CAR1"), ("DE",))
    assert none is not None
    assert none.reason == "no-such-transport"
    gone = why_not(state, Move("DE.INF1", ("D3",), "DE.TRK9"), ("DE",))
    assert gone is not None
    assert gone.reason == "no-such-transport"
    empty = why_not(state, Move("DE.INF1", (), "DE.TRK1"), ("DE",))
    assert empty is not None
    assert empty.reason == "no-path"


def test_transport__3_half_a_point_must_be_left() -> None:
    state = drawn("DE.TRK1@D5, DE.INF1@F3, DE.MOR1@E4")
    assert refused(state, "M INF1 E3 E4 TRK1") == ("TC-TRANSPORT-3", "no-points-left")
    assert refusal(state, "M INF1 E3 E4 TRK1").facts["legal"] == ("E3", "D4", "D5")
    assert path_to(state, "DE.INF1", "DE.TRK1") == Move("DE.INF1", ("E3", "D4", "D5"), "DE.TRK1")
    assert path_to(state, "DE.INF1", "D5") == Move("DE.INF1", ("E3", "D4", "D5"), "DE.TRK1")
    assert path_to(drawn("DE.TRK1@D5, DE.MOR1@F3"), "DE.MOR1", "D5") is None
    assert path_to(drawn("DE.TRK1@D5, DE.MOR1@E3"), "DE.MOR1", "D5") == Move(
        "DE.MOR1", ("D4", "D5"), "DE.TRK1"
    )
    assert path_to(drawn("DE.TRK1@D5, DE.MOR1@F4"), "DE.MOR1", "D5") is None  # the open hex takes all


def test_transport__3_only_own_transports() -> None:
    state = drawn("AH.TRK1@D5, DE.INF1@D4")
    refusal_ = why_not(state, Move("DE.INF1", ("D5",), "AH.TRK1"), ("DE",))
    assert refusal_ is not None
    assert (refusal_.rule, refusal_.reason) == ("TC-TRANSPORT-3", "not-own-transport")
    assert path_to(state, "DE.INF1", "D5") is None
    shared = drawn("AH.TRK1@D5, DE.INF1@D4", camps={"AH": "DE"})
    assert why_not(shared, Move("DE.INF1", ("D5",), "AH.TRK1"), ("DE",)) is None


def test_transport__4_what_is_aboard_does_not_move_by_itself() -> None:
    state = drawn("DE.TRK1@D5, DE.INF1@D4")
    done(state, "L INF1 TRK1")
    assert refused(state, "M INF1 D4") == ("TC-TRANSPORT-4", "aboard")
    assert reach(state, "DE.INF1") == {}
    assert path_to(state, "DE.INF1", "D4") is None


# ------------------------------------------------------------------ unloading


def test_transport__5_nothing_stays_aboard() -> None:
    state = drawn("DE.TRK1@D5, DE.INF1@D4, GB.CAR1@J5")
    done(state, "L INF1 TRK1")
    options = TurnActs(state, ("DE",))
    refusal_ = options.why_not(DONE)
    assert refusal_ is not None
    assert (refusal_.rule, refusal_.reason) == ("TC-TRANSPORT-5", "all-must-unload")
    assert refusal_.facts["cargo"] == ("DE.INF1",)
    assert not options.contains(DONE)
    assert options.only() is None
    default = options.default()
    assert default == Move("DE.TRK1", (), unload=(("DE.INF1", "D4"),))
    assert options.contains(default)
    assert TurnActs(state, ("GB",)).contains(DONE)
    assert TurnActs(state, ("GB",)).default() == DONE


def test_transport__5_all_of_it_and_nobody_else() -> None:
    state = drawn("DE.TRK1@D5, DE.INF1@DE.TRK1, DE.MOR1@DE.TRK1, DE.CAR1@E5")
    assert refused(state, "M TRK1 / INF1@D4") == ("TC-TRANSPORT-5", "all-must-unload")
    assert refused(state, "M TRK1 / INF1@D4 MOR1@D6 CAR1@C4") == ("TC-TRANSPORT-5", "all-must-unload")
    assert is_legal(state, "M TRK1 / INF1@D4 MOR1@D6")
    assert refused(state, "M TRK1") == ("TC-TRANSPORT-5", "all-must-unload")
    assert refusal(state, "M TRK1").facts["legal"] == ("DE.INF1@D4", "DE.MOR1@E4")


def test_transport__6_nobody_gets_off_on_the_way() -> None:
    """Around the end of the drive, all at once; the hexes it passes are no use, the one it left is."""
    state = drawn("DE.TRK1@D5, DE.INF1@DE.TRK1, DE.MOR1@DE.TRK1")
    assert refused(state, "M TRK1 D4 D3 E2 / INF1@C4 MOR1@E1") == ("TC-TRANSPORT-7", "not-next-to-transport")
    assert refused(state, "M TRK1 / INF1@D6") == ("TC-TRANSPORT-5", "all-must-unload")
    assert refused(state, "M INF1 D6") == ("TC-TRANSPORT-4", "aboard")
    assert is_legal(state, "M TRK1 D4 D3 E2 / INF1@D3 MOR1@E1")
    assert is_legal(state, "M TRK1 D4 / INF1@D5 MOR1@D3")


def test_transport__6_it_stays_where_it_unloads() -> None:
    """Be it at the end of a drive or without one, and though it has points left."""
    driven = drawn("DE.TRK1@D5, DE.INF1@DE.TRK1, DE.MOR1@D3")
    done(driven, "M TRK1 D4 / INF1@C4")
    stood = drawn("DE.TRK1@D4, DE.INF1@DE.TRK1, DE.MOR1@D3")
    done(stood, "M TRK1 / INF1@C4")
    for state in (driven, stood):
        assert refused(state, "M TRK1 D5") == ("TC-MOVE-1", "has-moved")
        assert refused(state, "M TRK1 / INF1@D5") == ("TC-MOVE-1", "has-moved")
        assert refused(state, "L MOR1 TRK1") == ("TC-TRANSPORT-13", "transport-has-moved")
        assert Move("DE.TRK1", ("D5",)) not in TurnActs(state, ("DE",)).describe()


def test_transport__7_nothing_to_unload_without_cargo() -> None:
    state = drawn("DE.TRK1@D5, DE.INF1@D4, DE.CAR1@E5")
    assert refused(state, "M TRK1 D6 / INF1@D7") == ("TC-TRANSPORT-7", "nothing-to-unload")
    assert refused(state, "M CAR1 E4 / INF1@E3") == ("TC-TRANSPORT-7", "nothing-to-unload")
    assert refused(state, "M TRK1") == ("TC-MOVE-2", "no-path")
    assert is_legal(state, "M TRK1 D6")


def test_transport__7_free_neighbours_one_each() -> None:
    state = drawn("DE.TRK1@C3, DE.INF1@DE.TRK1, DE.INF2@DE.TRK1, AH.INF1@C4, DE.TRK2@D4")
    assert refused(state, "M TRK1 C2 / INF1@D3 INF2@E2") == ("TC-TRANSPORT-7", "not-next-to-transport")
    assert refused(state, "M TRK1 C2 / INF1@D3 INF2@D3") == ("TC-TRANSPORT-7", "place-taken")
    assert refused(state, "M TRK1 C2 / INF1@D3 INF2@B2") == ("TC-TRANSPORT-7", "place-taken")
    assert refused(state, "M TRK1 / INF1@D3 INF2@C4") == ("TC-TRANSPORT-7", "place-taken")
    assert refused(state, "M TRK1 / INF1@D3 INF2@D4") == ("TC-TRANSPORT-7", "place-taken")
    assert refused(state, "M TRK1 / INF1@D3 INF2@X9") == ("TC-TRANSPORT-7", "not-next-to-transport")
    assert refused(state, "M TRK1 / INF1@D3 INF2@C3") == ("TC-TRANSPORT-7", "not-next-to-transport")
    assert is_legal(state, "M TRK1 C2 / INF1@D3 INF2@C3")  # which it has left


def test_transport__8_terrain_of_the_unit() -> None:
    state = drawn("DE.TRK1@C5, DE.INF1@DE.TRK1, DE.MOR1@DE.TRK1")
    assert is_legal(state, "M TRK1 / INF1@C6 MOR1@C4")
    assert refused(state, "M TRK1 / INF1@C4 MOR1@C6") == ("TC-TRANSPORT-8", "wrong-terrain")
    assert refusal(state, "M TRK1 / INF1@C4 MOR1@C6").facts["terrain"] == "water"
    trench = drawn("DE.TRK1@C4, DE.INF1@DE.TRK1, DE.MOR1@DE.TRK1", trench_rules=True)
    assert is_legal(trench, "M TRK1 / INF1@B4 MOR1@C3")
    assert refused(trench, "M TRK1 / INF1@C3 MOR1@B4") == ("TC-TRANSPORT-8", "wrong-terrain")
    held = drawn("DE.TRK1@C4, DE.INF1@DE.TRK1, GB.INF1@A5", trench_rules=True)
    assert refused(held, "M TRK1 / INF1@B4") == ("TC-TRANSPORT-8", "wrong-terrain")
    assert places_for(state, "DE.TRK1", "C5", state.units["DE.MOR1"]) == ["C4", "D5", "D6", "B5"]


def test_transport__9_it_must_end_where_there_is_room() -> None:
    """A1 has two neighbours that are no fort: B1 and A2."""
    cargo = "DE.TRK1@B1, DE.INF1@DE.TRK1, DE.INF2@DE.TRK1, DE.INF3@DE.TRK1"
    state = drawn(cargo)
    assert refused(state, "M TRK1 A1 / INF1@A2 INF2@B1 INF3@B1") == ("TC-TRANSPORT-9", "no-room")
    assert "A1" not in reach(state, "DE.TRK1")
    assert path_to(state, "DE.TRK1", "A1") is None
    assert first_unloading(state, "DE.TRK1", "A1") is None
    assert "C1" in reach(state, "DE.TRK1")
    two = drawn("DE.TRK1@B1, DE.INF1@DE.TRK1, DE.INF2@DE.TRK1")
    assert path_to(two, "DE.TRK1", "A1") == Move(
        "DE.TRK1", ("A1",), unload=(("DE.INF1", "B1"), ("DE.INF2", "A2"))
    )
    assert len(list(unloadings(two, "DE.TRK1", "A1", two.cargo("DE.TRK1")))) == 2


def test_transport__9_a_gun_and_a_foot_unit_find_the_only_way() -> None:
    """The gun needs land, the infantry can stand in water."""
    state = drawn("DE.TRK1@C5, DE.MOR1@DE.TRK1, DE.INF1@DE.TRK1, DE.CAR1@C4, DE.CAR2@D5, DE.CAR3@D6")
    assert list(unloadings(state, "DE.TRK1", "C5", ["DE.INF1", "DE.MOR1"])) == [
        (("DE.INF1", "C6"), ("DE.MOR1", "B5")),
        (("DE.INF1", "B6"), ("DE.MOR1", "B5")),
    ]


def test_transport__9_no_act_may_leave_cargo_without_a_place() -> None:
    """A1 is shut in: the last free hex next to a loaded transport that cannot drive stays free."""
    state = drawn("DE.TRK1@A1, DE.INF1@DE.TRK1, DE.CAR1@B1, GB.MOR1@B3, DE.TNK1@A3, GB.MOR2@C2")
    state.moved += ["DE.CAR1"]
    assert way_to_unload(state, "DE.TRK1") == Move("DE.TRK1", (), unload=(("DE.INF1", "A2"),))
    assert is_legal(state, "M TNK1 A4")
    closed = drawn("DE.TRK1@A1, DE.INF1@DE.TRK1, GB.CAR1@B1, DE.TNK1@A3, GB.MOR1@B3, GB.MOR2@B4, GB.MOR3@A4")
    assert refused(closed, "M TNK1 A2") == ("TC-TRANSPORT-9", "cargo-stuck")
    assert refusal(closed, "M TNK1 A2").facts["transport"] == "DE.TRK1"


def test_transport__9_nobody_boards_where_he_could_not_get_off() -> None:
    state = drawn("DE.TRK1@A1, DE.INF1@A2, GB.CAR1@B1, GB.MOR1@B3, GB.MOR2@A3")
    assert is_legal(state, "L INF1 TRK1")  # back to A2
    done(state, "L INF1 TRK1")
    assert way_to_unload(state, "DE.TRK1") == Move("DE.TRK1", (), unload=(("DE.INF1", "A2"),))
    two = drawn("DE.TRK1@A1, DE.INF1@DE.TRK1, DE.INF2@A2, GB.CAR1@B1, GB.MOR1@B3, GB.MOR2@A3")
    assert refused(two, "L INF2 TRK1") == ("TC-TRANSPORT-9", "cargo-stuck")


def test_transport__9_the_first_passenger_must_be_able_to_get_off_too() -> None:
    """He comes over the heads of two friends in a trench, where no transport drives: A4 does not help."""
    units = "DE.TRK1@C4, DE.INF1@A4, DE.CAV1@B4, DE.HVY1@B5, GB.MOR1@C3, GB.MOR2@D4, GB.MOR3@D5, GB.MOR4@C5"
    assert refused(drawn(units, trench_rules=True), "M INF1 B4 TRK1") == ("TC-TRANSPORT-9", "cargo-stuck")
    assert is_legal(drawn(units.replace(", GB.MOR4@C5", ""), trench_rules=True), "M INF1 B4 TRK1")


def test_transport__9_where_a_move_ends_counts_and_a_fort_has_always_room() -> None:
    units = "DE.TRK1@A1, DE.INF1@DE.TRK1, GB.CAR1@B1, DE.TNK1@A3, DE.HVY1@A4, DE.CAV1@A5, DE.AIR1@A6"
    state = drawn(units, "GB.MOR1@B3, GB.MOR2@B4, GB.MOR3@B5")
    assert refused(state, "M AIR1 A5 A4 A3 A2") == ("TC-TRANSPORT-9", "cargo-stuck")
    assert is_legal(state, "M AIR1 A7")
    fort = drawn("DE.TRK1@A1, DE.INF1@DE.TRK1, GB.CAR1@B1, GB.MOR1@A2, DE.CAR1@C2, own B2=DE")
    assert is_legal(fort, "M CAR1 B2")
    assert is_legal(drawn(units), "M TRK1 / INF1@A2")


def test_transport__9_a_refusal_names_a_part_of_the_path_with_room() -> None:
    state = drawn("DE.TRK1@D3, DE.INF1@DE.TRK1, DE.INF2@DE.TRK1, DE.INF3@DE.TRK1")
    found = refusal(state, "M TRK1 C2 C1 B1 A1")
    assert found.reason == "no-room"
    assert found.facts["legal"] == ("C2", "C1")  # B1 has two neighbours that are no fort


def test_transport__5_examples_of_a_loaded_transport() -> None:
    state = drawn("DE.TRK1@D5, DE.INF1@DE.TRK1")
    found = TurnActs(state, ("DE",)).describe()
    assert found[0] == Move("DE.TRK1", (), unload=(("DE.INF1", "D4"),))
    assert found[1] == Move("DE.TRK1", ("D4",), unload=(("DE.INF1", "D3"),))
    assert DONE not in found


def test_transport__9_a_drive_may_be_the_way_out() -> None:
    state = drawn("DE.TRK1@A1, DE.INF1@DE.TRK1, GB.CAR1@B1, DE.MOR1@A2", moved=["DE.MOR1"])
    assert way_to_unload(state, "DE.TRK1") == Move("DE.TRK1", ("A2", "B3"), unload=(("DE.INF1", "C2"),))
    fort = drawn("DE.TRK1@A1, DE.INF1@DE.TRK1, GB.CAR1@B1, GB.MOR1@A2, own B2=DE")
    assert way_to_unload(fort, "DE.TRK1") == Move("DE.TRK1", ("B2",))
    shut = drawn("DE.TRK1@A1, DE.INF1@DE.TRK1, GB.CAR1@B1, GB.MOR1@A2")
    assert way_to_unload(shut, "DE.TRK1") is None


def test_transport__9_a_build_may_take_the_last_place_of_a_gun() -> None:
    units = "DE.TRK1@C5, DE.MOR1@DE.TRK1, DE.ENG1@B4, GB.MOR1@C4, GB.MOR2@D5, GB.MOR3@D6"
    state = drawn(units, "GB.MOR4@B6, GB.MOR5@C6", trench_rules=True)
    assert way_to_unload(state, "DE.TRK1") is None  # B5 is a trench: nothing for a gun or a transport
    road = drawn(units, "GB.MOR4@B6, GB.MOR5@C6, built B5=road", trench_rules=True)
    assert way_to_unload(road, "DE.TRK1") == Move("DE.TRK1", (), unload=(("DE.MOR1", "B5"),))
    assert refused(road, "B ENG1 TRENCH B5 A4") == ("TC-TRANSPORT-9", "cargo-stuck")


def test_transport__4_cargo_goes_where_the_transport_goes() -> None:
    state = drawn("DE.TRK1@D5, DE.MOR1@DE.TRK1, DE.INF1@E5")
    UnitMoved("DE.TRK1", "D5", ("D4", "D3"), 2).apply(state)
    assert [marks(state, unit) for unit in state.units] == ["D3", "D3", "E5"]
    assert state.on == {"D3": "DE.TRK1", "E5": "DE.INF1"}


def test_transport__10_unloaded_units_do_not_move_nor_conquer() -> None:
    state = drawn("DE.TRK1@D3, DE.INF1@DE.TRK1")
    done(state, "M TRK1 / INF1@C2")
    assert refused(state, "M INF1 C1") == ("TC-MOVE-1", "has-moved")
    assert refused(state, "C INF1 B2") == ("TC-MOVE-1", "has-moved")


def test_transport__10_unloaded_units_may_attack() -> None:
    state = drawn("DE.TRK1@D5, DE.INF1@DE.TRK1, DE.MOR1@DE.TRK1, GB.INF1@D2")
    assert attacked(state, "DE.INF1") == attacked(state, "DE.MOR1") == []  # aboard nobody fights
    done(state, "M TRK1 D4 / INF1@D3 MOR1@C4")
    assert attacked(state, "DE.INF1") == attacked(state, "DE.MOR1") == ["GB.INF1"]
    assert attacked(state, "DE.TRK1") == []


def test_transport__11_a_loaded_transport_in_an_own_fort() -> None:
    state = drawn("DE.TRK1@D3, DE.MOR1@DE.TRK1, DE.INF1@DE.TRK1, own B2=DE")
    assert refused(state, "M TRK1 C2 B2 / MOR1@B2 INF1@B2") == ("TC-TRANSPORT-11", "nothing-to-unload")
    assert reach(state, "DE.TRK1")["B2"] == 2
    assert path_to(state, "DE.TRK1", "B2") == Move("DE.TRK1", ("C2", "B2"))
    course = done(state, "M TRK1 C2 B2")
    assert course.told(CargoUnloaded) == [
        CargoUnloaded("DE.TRK1", (("DE.INF1", "B2"), ("DE.MOR1", "B2"))),
    ]
    assert state.on == {}
    assert refused(state, "M INF1 C2") == ("TC-MOVE-1", "has-moved")


def test_transport__12_out_of_a_fort_only_empty() -> None:
    state = drawn("DE.TRK1@fort:B2, DE.INF1@fort:B2, DE.MOR1@C2, own B2=DE")
    refusal_ = why_not(state, Move("DE.MOR1", ("B2",), "DE.TRK1"), ("DE",))
    assert refusal_ is not None
    assert (refusal_.rule, refusal_.reason) == ("TC-TRANSPORT-12", "transport-in-fort")
    assert path_to(state, "DE.MOR1", "B2") == Move("DE.MOR1", ("B2",))
    outside = drawn("DE.TRK1@C2, DE.INF1@fort:B2, DE.MOR1@fort:B2, DE.GUN1@B3, own B2=DE")
    assert cost(outside, "L INF1 TRK1") == 1
    assert cost(outside, "L MOR1 TRK1") == 1
    assert marks(outside, "DE.MOR1") == "C2"


def test_transport__13_unloading_without_driving() -> None:
    state = drawn("DE.TRK1@D5, DE.INF1@D4")
    done(state, "L INF1 TRK1")
    course = done(state, "M TRK1 / INF1@E5")
    assert course.facts == [CargoUnloaded("DE.TRK1", (("DE.INF1", "E5"),))]
    assert refused(state, "M TRK1 D4") == ("TC-MOVE-1", "has-moved")


def test_transport__14_a_transport_has_no_attack() -> None:
    row = PACK.types["troop_transport"]
    assert (row.range_ground, row.range_air) == ((), ())


def test_transport__15_stopped_by_contact_it_unloads_there() -> None:
    state = drawn("DE.TRK1@D3, DE.MOR1@DE.TRK1, GB.INF1@E4")
    assert refused(state, "M TRK1 D4 D5 D6 / MOR1@C5") == ("TC-CONTACT-3", "stopped-by-contact")
    assert is_legal(state, "M TRK1 D4 D5 / MOR1@C5")


# ------------------------------------------------------------------ mines


def test_t31_a_loaded_transport_on_a_mine() -> None:
    state = drawn(
        "GB.TRK1@D5, GB.INF1@GB.TRK1, GB.MOR1@GB.TRK1, GB.CAR1@J5, DE.INF1@A1", "mine D4=DE", active="GB"
    )
    course = done(state, "M TRK1 D4")
    assert course.facts == [
        UnitMoved("GB.TRK1", "D5", ("D4",), 1),
        MineExploded("D4", ("GB.TRK1", "GB.INF1", "GB.MOR1")),
    ]
    assert list(state.units) == ["GB.CAR1", "DE.INF1"]
    assert state.mines == {}


def test_special__16_unloading_onto_a_mine() -> None:
    state = drawn("GB.TRK1@D5, GB.INF1@GB.TRK1, GB.CAR1@J5, DE.INF1@A1", "mine D4=DE", active="GB")
    safe = places_for(state, "GB.TRK1", "D5", state.units["GB.INF1"])
    assert safe == ["E4", "E5", "D6", "C5", "C4", "D4"]  # the mined hex last
    course = done(state, "M TRK1 / INF1@D4")
    assert course.told(MineExploded) == [MineExploded("D4", ("GB.INF1",))]
    assert list(state.units) == ["GB.TRK1", "GB.CAR1", "DE.INF1"]
    own = drawn("GB.TRK1@D5, GB.INF1@GB.TRK1", "mine D4=FR", active="GB")
    assert places_for(own, "GB.TRK1", "D5", own.units["GB.INF1"])[0] == "D4"


# ------------------------------------------------------------------ samples


def test_transport__5_every_sampled_turn_ends_with_empty_transports() -> None:
    """Acts drawn by chance are legal, whatever comes, and in the end nothing is aboard."""
    rng = Random(7)
    boarded = unloaded = 0
    for _ in range(40):
        state = drawn(
            "DE.TRK1@D5, DE.MOR1@D6, DE.INF1@C4, DE.CAV1@E4, DE.TRK2@D3, DE.GUN1@D4, DE.HVY1@E3",
            "GB.INF1@F3, GB.CAR1@B4, own B2=DE, mine C5=GB",
        )
        while True:
            options = TurnActs(state, ("DE",))
            chosen = options.sample(rng)
            assert options.contains(chosen), (chosen, options.why_not(chosen))
            assert options.contains(options.default())
            if chosen == DONE:
                break
            boarded += isinstance(chosen, Move) and bool(chosen.aboard)
            unloaded += isinstance(chosen, Move) and bool(chosen.unload)
            play(state, carry_out(state, chosen))
        assert not loaded_transports(state)
    assert boarded > 10
    assert unloaded > 10
