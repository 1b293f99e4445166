"""TRENCH-1..12 Trenches: who enters, who holds them, where one leaves them, how far they reach."""

from __future__ import annotations

from typing import Any

import pytest

from engine.games.trench_club.answers import Move
from engine.games.trench_club.facts.setup import TurnBegan
from engine.games.trench_club.rules.movement import path_to, reach
from engine.games.trench_club.rules.trenches import (
    distance,
    held_against,
    holder,
    is_in_trench,
    sets_out_from,
    stands_on,
    trench_of,
)
from engine.games.trench_club.state import State, dump, load
from tests.rules.trench.drawn import PACK, drawn, marks
from tests.rules.trench.orders import cost, done, is_legal, refusal, refused


def dug(*texts: str, **more: Any) -> State:
    return drawn(*texts, trench_rules=True, **more)


# ------------------------------------------------------------------ cases


def test_e14_conquest_from_anywhere_in_the_trench() -> None:
    """Trench B1-C1-D2 touches fort B2 through C1."""
    units = "GB.INF1@B1, FR.CAV1@D2, FR.TNK1@C1, AH.CAR1@E1, AH.CAV1@A1"
    state = dug(units, active="GB")
    assert trench_of(state, "B1") == ("B1", "C1", "D2")
    assert is_legal(state, "C INF1 B2")
    assert is_legal(dug(units, "own B2=AH", active="GB"), "C INF1 B2")
    french = dug(units, active="FR")
    assert is_legal(french, "C CAV1 B2")
    assert refused(french, "C TNK1 B2") == ("TC-FORT-2", "foot-units-conquer")
    # Both Austrians reach both units inside; the tank, which is not inside, only where it stands.
    for enemy in ("AH.CAR1", "AH.CAV1"):
        assert distance(state, enemy, "GB.INF1") == distance(state, enemy, "FR.CAV1") == 1
    assert distance(state, "AH.CAR1", "FR.TNK1") == 2
    assert [unit for unit in state.units if is_in_trench(state, state.units[unit])] == ["GB.INF1", "FR.CAV1"]
    plain = drawn(units, active="GB")
    assert refused(plain, "C INF1 B2") == ("TC-FORT-1", "wall")


def test_t35_leaving_a_trench_at_the_far_end() -> None:
    state = dug("DE.INF1@A5")
    assert cost(state, "M INF1 C4 D4") == 3
    entering = dug("DE.INF1@A6")
    assert refused(entering, "M INF1 A5 C4") == ("TC-TRENCH-8", "trench-not-yet")


def test_t37_a_held_trench() -> None:
    state = dug("DE.INF1@B4, GB.INF1@B6, GB.TNK1@C4, GB.CAR1@C5", active="GB")
    assert refused(state, "M INF1 B5") == ("TC-TRENCH-5", "trench-held")
    assert refused(state, "M INF1 A5") == ("TC-TRENCH-5", "trench-held")
    assert is_legal(state, "M TNK1 B5")
    assert refused(state, "M CAR1 B5") == ("TC-TRENCH-1", "trench-barred")
    free = dug("GB.INF1@B6, GB.CAR1@C5", active="GB")
    assert is_legal(free, "M INF1 B5")
    assert is_legal(free, "M INF1 A5")
    assert refused(free, "M CAR1 B5") == ("TC-TRENCH-1", "trench-barred")


# ------------------------------------------------------------------ rules


@pytest.mark.parametrize("code", ["INF", "CAV", "HVY", "ATG", "TNK", "REN", "FEM", "AIR", "ZEP"])
def test_trench__1_who_enters(code: str) -> None:
    assert cost(dug(f"DE.{code}1@C4"), f"M {code}1 B4") == 2


@pytest.mark.parametrize("code", ["TRK", "CAR", "GUN", "FLK", "MIN", "ENG"])
def test_trench__1_who_does_not(code: str) -> None:
    state = dug(f"DE.{code}1@C4")
    assert refused(state, f"M {code}1 B4") == ("TC-TRENCH-1", "trench-barred")
    assert "B4" not in reach(state, f"DE.{code}1")
    assert is_legal(drawn(f"DE.{code}1@C4"), f"M {code}1 B4")


def test_trench__2_a_foot_unit_inside_holds_the_whole_trench() -> None:
    state = dug("DE.INF1@C4")
    done(state, "M INF1 B4")
    assert is_in_trench(state, state.units["DE.INF1"])
    assert stands_on(state, state.units["DE.INF1"]) == ("A5", "B4", "B5")
    assert holder(state, ("A5", "B4", "B5")) == "central"
    assert held_against(state, "entente") == {"A5", "B4", "B5"}
    assert held_against(state, "central") == frozenset()
    assert stands_on(state, state.units["DE.INF1"]) == trench_of(state, "A5")


def test_trench__2_trenches_are_those_of_the_map() -> None:
    state = dug("DE.INF1@A1")
    for row in PACK.trenches.values():
        for hex_ in row.hexes:
            assert trench_of(state, hex_) == tuple(sorted(row.hexes))
    assert trench_of(state, "C4") == ()


def test_trench__3_an_ally_may_be_inside_too() -> None:
    state = dug("AH.INF1@B4, DE.INF1@C4")
    assert is_legal(state, "M INF1 B5")
    done(state, "M INF1 B5")
    assert is_in_trench(state, state.units["DE.INF1"])


def test_trench__4_held_only_while_a_foot_unit_is_inside() -> None:
    state = dug("DE.INF1@B4, GB.INF1@B6")
    done(state, "M INF1 C4")
    assert holder(state, ("A5", "B4", "B5")) == ""
    assert held_against(state, "entente") == frozenset()
    assert is_legal(_turn_of(state, "GB"), "M INF1 B5")


def _turn_of(state: State, camp: str) -> State:
    state.active = camp
    return state


def test_trench__4_units_aboard_or_in_forts_hold_nothing() -> None:
    """A trench dug under a fort's or a transport's passenger is nobody's."""
    state = dug("DE.TRK1@B4, DE.INF1@DE.TRK1")
    assert not is_in_trench(state, state.units["DE.INF1"])
    assert holder(state, ("A5", "B4", "B5")) == ""


def test_trench__5_enemy_foot_units_stay_out_tanks_and_air_units_cross() -> None:
    state = dug("GB.INF1@A5, DE.INF1@C4, DE.TNK1@C3, DE.AIR1@D4")
    assert refused(state, "M INF1 B4") == ("TC-TRENCH-5", "trench-held")
    assert refused(state, "M INF1 B5") == ("TC-TRENCH-5", "trench-held")
    assert not {"B4", "B5"} & set(reach(state, "DE.INF1"))
    assert is_legal(state, "M TNK1 B4")
    assert is_legal(state, "M AIR1 C4 B5")
    assert refused(state, "M AIR1 C4 B5 A5") == ("TC-MOVE-19", "enemy-unit")
    occupied = dug("GB.INF1@A5, GB.TNK1@B4, DE.TNK1@C3")
    assert refused(occupied, "M TNK1 B4") == ("TC-MOVE-19", "enemy-unit")


def test_trench__6_tanks_and_air_units_are_never_inside() -> None:
    state = dug("DE.TNK1@B4, DE.AIR1@B5")
    for unit in ("DE.TNK1", "DE.AIR1"):
        assert not is_in_trench(state, state.units[unit])
        assert stands_on(state, state.units[unit]) == (state.units[unit].at,)
    assert holder(state, ("A5", "B4", "B5")) == ""
    assert held_against(state, "entente") == frozenset()
    assert refused(state, "M TNK1 A5") == ("TC-MOVE-2", "not-adjacent")


def test_trench__7_the_first_step_leads_from_any_hex_of_the_trench() -> None:
    state = dug("DE.INF1@A5")
    around = {"A3", "A4", "A6", "B3", "B6", "C3", "C4", "C5", "B4", "B5"}
    first = {
        hex_ for hex_ in state.grid.places if path_to(state, "DE.INF1", hex_) == Move("DE.INF1", (hex_,))
    }
    assert first == around
    assert cost(dug("DE.INF1@A5"), "M INF1 B3 C2 D3") == 3
    assert cost(dug("DE.INF1@A5"), "M INF1 C3") == 3
    assert cost(dug("DE.INF1@A5"), "M INF1 B6") == 4  # into water: the whole move
    assert refused(dug("DE.INF1@A5"), "M INF1 D4") == ("TC-MOVE-2", "not-adjacent")
    assert refused(drawn("DE.INF1@A5"), "M INF1 C4") == ("TC-MOVE-2", "not-adjacent")
    assert refusal(drawn("DE.INF1@B6"), "M INF1 B4").rule == "TC-MOVE-2"


def test_trench__7_onto_a_transport_at_the_far_end() -> None:
    state = dug("DE.INF1@A5, DE.TRK1@C4")
    assert cost(state, "L INF1 TRK1") == 1


def test_trench__8_passing_over_a_trench_gives_nothing() -> None:
    state = dug("DE.CAV1@A6")
    assert refused(state, "M CAV1 A5 C4") == ("TC-TRENCH-8", "trench-not-yet")
    assert refused(state, "M CAV1 A5 B5 B3") == ("TC-TRENCH-8", "trench-not-yet")
    assert refused(state, "M CAV1 A5 E4") == ("TC-MOVE-2", "not-adjacent")
    assert is_legal(state, "M CAV1 A5 B5 C4")
    tank = dug("DE.TNK1@A6")
    assert refused(tank, "M TNK1 A5 C4") == ("TC-MOVE-2", "not-adjacent")
    inside = dug("DE.CAV1@A5")
    assert refused(inside, "M CAV1 B5 B3") == ("TC-TRENCH-8", "trench-not-yet")


def test_trench__8_what_was_dug_this_turn_is_entered_this_turn() -> None:
    state = dug("DE.ENG1@D5, DE.INF1@C4, GB.INF1@K14")
    done(state, "B ENG1 TRENCH C4 D4")
    unit = state.units["DE.INF1"]
    assert is_in_trench(state, unit) and "A5" in stands_on(state, unit)  # it fights from all of it
    assert sets_out_from(state, unit) == ("C4",)
    assert refused(state, "M INF1 A6") == ("TC-TRENCH-8", "trench-not-yet")
    assert refused(state, "M INF1 C4") == ("TC-MOVE-2", "not-adjacent")
    assert path_to(state, "DE.INF1", "A6") is None
    assert cost(state, "M INF1 D4") == 2
    later = dug("DE.ENG1@D5, DE.INF1@C4, GB.INF1@K14")
    done(later, "B ENG1 TRENCH C4 D4")
    TurnBegan(4, "DE", ()).apply(later)
    assert cost(later, "M INF1 A6") == 4  # into water: the whole move


def test_trench__8_an_old_trench_is_left_along_its_old_hexes() -> None:
    """Two trenches that are joined are two to those inside until the next turn."""
    state = dug("DE.ENG1@D5, DE.INF1@A5, DE.CAV1@E4, GB.INF1@K14", "built E4=trench, built F4=trench")
    done(state, "B ENG1 TRENCH C4 D4")
    assert trench_of(state, "A5") == trench_of(state, "E4") == ("A5", "B4", "B5", "C4", "D4", "E4", "F4")
    assert sets_out_from(state, state.units["DE.INF1"]) == ("A5", "B4", "B5")
    assert sets_out_from(state, state.units["DE.CAV1"]) == ("E4", "F4")
    assert is_legal(state, "M INF1 C4")
    assert refused(state, "M INF1 E3") == ("TC-TRENCH-8", "trench-not-yet")
    assert refused(state, "M CAV1 C3") == ("TC-TRENCH-8", "trench-not-yet")


def test_trench__8_what_was_dug_is_known_after_a_reload() -> None:
    state = dug("DE.ENG1@D5, DE.INF1@C4, GB.INF1@K14")
    done(state, "B ENG1 TRENCH C4 D4")
    again = load(PACK, dump(state))
    assert again.dug == ["C4", "D4"] and refused(again, "M INF1 A6") == ("TC-TRENCH-8", "trench-not-yet")
    road = dug("DE.ENG1@D5")
    done(road, "B ENG1 ROAD E4 F4")
    assert road.dug == []


def test_trench__9_an_own_fort_from_anywhere_in_the_trench() -> None:
    state = dug("DE.INF1@D2, own B2=DE")
    assert cost(state, "M INF1 B2") == 1
    assert marks(state, "DE.INF1") == "fort:B2"
    assert refused(dug("DE.INF1@D2"), "M INF1 B2") == ("TC-FORT-2", "not-conquered")
    assert is_legal(dug("DE.INF1@D2"), "C INF1 B2")
    assert refused(dug("DE.INF1@B4"), "C INF1 B2") == ("TC-FORT-3", "not-before-entrance")
    assert refused(drawn("DE.INF1@D2"), "C INF1 B2") == ("TC-FORT-3", "not-before-entrance")
    tank = dug("DE.TNK1@D2, own B2=DE")
    assert refused(tank, "M TNK1 B2") == ("TC-MOVE-2", "not-adjacent")


def test_trench__10_shifting_inside_costs_a_point() -> None:
    assert cost(dug("DE.INF1@A5"), "M INF1 B4") == 2
    assert cost(dug("DE.INF1@A5, DE.CAV1@B5"), "M INF1 B4") == 2
    assert refused(dug("DE.INF1@A5, DE.CAV1@B4"), "M INF1 B4") == ("TC-MOVE-20", "hex-taken")
    assert reach(dug("DE.INF1@A5"), "DE.INF1")["B4"] == 2


def test_trench__11_distance_to_the_nearest_hex_of_the_trench() -> None:
    state = dug("GB.INF1@A5, DE.MOR1@D4, GB.CAR1@A4")
    assert distance(state, "DE.MOR1", "GB.INF1") == 2  # to B4 or B5
    assert distance(state, "DE.MOR1", "GB.CAR1") == 3
    assert distance(drawn("GB.INF1@A5, DE.MOR1@D4"), "DE.MOR1", "GB.INF1") == 3


def test_t49_a_mortar_reaches_into_a_trench() -> None:
    state = dug("GB.INF1@A5, DE.MOR1@G4")
    assert state.grid.distance("G4", "A5") == 6
    assert distance(state, "DE.MOR1", "GB.INF1") == 5


def test_trench__12_the_same_distance_from_inside() -> None:
    state = dug("DE.INF1@A5, GB.INF1@K5, GB.CAR1@C4")
    assert distance(state, "DE.INF1", "GB.CAR1") == distance(state, "GB.CAR1", "DE.INF1") == 1
    assert distance(state, "DE.INF1", "GB.INF1") == 8  # B4 or B5 to J4 or J5


def test_trench__12_an_enemy_in_the_same_trench_is_next_to_it() -> None:
    state = dug("GB.INF1@A5, DE.TNK1@B4, DE.AIR1@B5")
    assert distance(state, "DE.TNK1", "GB.INF1") == 1
    assert distance(state, "GB.INF1", "DE.AIR1") == 1


def test_trench__20_without_the_option_trenches_are_open_field() -> None:
    state = drawn("DE.INF1@B4, DE.CAR1@C5")
    assert trench_of(state, "B4") == ()
    assert not is_in_trench(state, state.units["DE.INF1"])
    assert held_against(state, "entente") == frozenset()
    assert is_legal(state, "M CAR1 B5")
    assert state.terrain("B4") == "open"
