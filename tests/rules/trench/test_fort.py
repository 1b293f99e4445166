"""FORT Entrances, conquest, shelter."""

from __future__ import annotations

import pytest

from engine.games.trench_club.answers import Capture, Move
from engine.games.trench_club.facts.moves import FortConquered
from engine.games.trench_club.facts.setup import GameWon, TurnBegan
from engine.games.trench_club.rules.contact import gives_contact
from engine.games.trench_club.rules.forts import doors_of, is_conquerable, ways
from engine.games.trench_club.rules.movement import path_to, reach
from tests.rules.trench.drawn import PACK, drawn, marks
from tests.rules.trench.orders import cost, done, is_legal, refusal, refused

# ------------------------------------------------------------------ cases


def test_e10_fort_entrances() -> None:
    state = drawn("DE.INF1@C2, GB.MOR1@fort:B2, GB.CAR1@J5, own B2=GB")
    assert PACK.forts["B2"].approaches == ("A1", "A2", "C1", "C2")
    course = done(state, "C INF1 B2")
    assert course.facts == [FortConquered("B2", "DE", "DE.INF1", "GB", ("GB.MOR1",))]
    assert state.forts["B2"] == "DE"
    assert "GB.MOR1" not in state.units
    assert marks(state, "DE.INF1") == "fort:B2"
    assert state.on == {"J5": "GB.CAR1"}


def test_e10_what_is_no_conquest() -> None:
    assert refused(drawn("DE.INF1@D3"), "C INF1 B2") == ("TC-FORT-3", "not-before-entrance")
    assert refused(drawn("DE.INF1@B3"), "C INF1 B2") == ("TC-FORT-1", "wall")
    assert refused(drawn("DE.INF1@B1"), "C INF1 B2") == ("TC-FORT-1", "wall")
    assert refused(drawn("DE.CAR1@C2"), "C CAR1 B2") == ("TC-FORT-2", "foot-units-conquer")
    assert refused(drawn("DE.INF1@C2, own B2=AH"), "C INF1 B2") == ("TC-FORT-7", "allied-fort")
    assert cost(drawn("DE.CAR1@D3, own B2=DE"), "M CAR1 C2 B2") == 2


def test_e11_stand_off_at_an_entrance() -> None:
    state = drawn("DE.INF1@C2, GB.INF1@A2")
    done(state, "C INF1 B2")
    state.active = "GB"
    course = done(state, "C INF1 B2")
    assert course.told(FortConquered)[0].lost == ("DE.INF1",)
    assert state.forts["B2"] == "GB"
    assert list(state.units) == ["GB.INF1"]


def test_t08_through_the_own_fort() -> None:
    state = drawn("DE.CAR1@D3, own B2=DE")
    assert cost(state, "M CAR1 C2 B2 A1") == 4
    barred = drawn("DE.CAR1@D3, own B2=DE", fort_pass_through=False)
    assert refused(barred, "M CAR1 C2 B2 A1") == ("TC-FORT-13", "fort-ends-move")
    loaded = drawn("DE.TRK1@D3, DE.INF1@DE.TRK1, own B2=DE")
    assert refused(loaded, "M TRK1 C2 B2 A1 / INF1@B1") == ("TC-TRANSPORT-11", "fort-ends-move")


@pytest.mark.parametrize("hex_", ["B1", "B3"])
def test_t10_walls(hex_: str) -> None:
    assert refused(drawn(f"DE.INF1@{hex_}"), "C INF1 B2") == ("TC-FORT-1", "wall")


def test_t25_out_and_in_again() -> None:
    state = drawn("DE.CAR1@fort:B2 d3, own B2=DE", sheltered=["DE.CAR1"])
    assert cost(state, "M CAR1 C2 B2") == 2
    assert marks(state, "DE.CAR1") == "fort:B2 d3"
    assert state.sheltered == []


# ------------------------------------------------------------------ rules


def test_fort__1_two_entrances_of_two_hexes_each() -> None:
    lead = ways(PACK, PACK.grids["full"])
    for fort, row in PACK.forts.items():
        near = {
            direction: PACK.grids["full"].step(fort, direction) for direction in PACK.grids["full"].directions
        }
        assert set(row.left) == {near["NW"], near["SW"]}
        assert set(row.right) == {near["NE"], near["SE"]}
        assert set(lead[fort]) == set(row.approaches)
        for hex_ in row.approaches:
            assert fort in lead[hex_]
        assert fort not in lead[near["N"]] + lead[near["S"]]


@pytest.mark.parametrize("hex_", ["A1", "A2", "C1", "C2"])
def test_fort__1_either_entrance(hex_: str) -> None:
    done(state := drawn(f"DE.INF1@{hex_}"), "C INF1 B2")
    assert state.forts["B2"] == "DE"


@pytest.mark.parametrize("unit", ["INF1", "CAV1", "HVY1", "ATG1"])
def test_fort__2_foot_units_conquer(unit: str) -> None:
    assert is_legal(drawn(f"AH.{unit}@C2", active="AH"), f"C {unit} B2")
    assert is_legal(drawn(f"AH.{unit}@C2, own B2=FR", active="AH"), f"C {unit} B2")


@pytest.mark.parametrize("unit", ["CAR1", "TNK1", "MOR1", "AIR1", "TRK1", "ENG1", "MIN1"])
def test_fort__2_nobody_else(unit: str) -> None:
    assert refused(drawn(f"DE.{unit}@C2"), f"C {unit} B2") == ("TC-FORT-2", "foot-units-conquer")


def test_fort__2_only_a_fort_that_is_not_yet_own() -> None:
    assert refused(drawn("DE.INF1@C2, own B2=DE"), "C INF1 B2") == ("TC-FORT-2", "own-fort")
    assert refused(drawn("DE.INF1@C2"), "C INF1 C3") == ("TC-FORT-2", "no-such-fort")
    assert refused(drawn("DE.INF1@C2", half="1-6"), "C INF1 N2") == ("TC-FORT-2", "no-such-fort")
    state = drawn("own B2=GB, own J2=AH, own J8=DE")
    open_ = [fort for fort in ("B2", "B8", "J2", "J8") if is_conquerable(state, fort, "DE")]
    assert open_ == ["B2", "B8"]


def test_fort__2_a_fort_that_is_not_own_is_not_entered() -> None:
    for owner in ("", ", own B2=GB"):
        assert refused(drawn(f"DE.INF1@C2{owner}"), "M INF1 B2") == ("TC-FORT-2", "not-conquered")
        assert "B2" not in reach(drawn(f"DE.INF1@C2{owner}"), "DE.INF1")


def test_fort__3_conquest_is_the_whole_move() -> None:
    state = drawn("DE.CAV1@D3")
    assert refused(state, "C CAV1 B2") == ("TC-FORT-3", "not-before-entrance")
    assert refusal(state, "C CAV1 B2").facts["approaches"] == ("A1", "A2", "C1", "C2")
    inside = drawn("DE.INF1@fort:B8, own B8=DE")
    assert refused(inside, "C INF1 B2") == ("TC-FORT-3", "not-before-entrance")
    assert doors_of(inside, inside.units["DE.INF1"]) == []


def test_fort__3_not_from_aboard_a_transport() -> None:
    state = drawn("DE.TRK1@C2, DE.INF1@DE.TRK1")
    assert refused(state, "C INF1 B2") == ("TC-TRANSPORT-4", "aboard")
    assert doors_of(state, state.units["DE.INF1"]) == []


@pytest.mark.parametrize("owner", ["", ", own B2=DE"])
def test_fort__3_a_trench_dug_this_turn_leads_into_no_fort_yet(owner: str) -> None:
    """TRENCH-9 Only after the unit has finished a turn in it."""
    state = drawn(f"DE.ENG1@E3, DE.INF1@E2, GB.INF1@K14{owner}", trench_rules=True)
    take, rule = ("M INF1 B2", "TC-TRENCH-8") if owner else ("C INF1 B2", "TC-FORT-3")
    assert not is_legal(state, take)
    done(state, "B ENG1 TRENCH D3 E2")
    assert doors_of(state, state.units["DE.INF1"]) == []
    assert refusal(state, take).rule == rule
    TurnBegan(4, "DE", ()).apply(state)
    assert is_legal(state, take)


def test_fort__4_no_experience_for_a_conquest() -> None:
    state = drawn("DE.INF1@C2 x2, GB.MOR1@fort:B2, GB.INF1@fort:B2, own B2=GB")
    course = done(state, "C INF1 B2")
    assert course.told(FortConquered)[0].lost == ("GB.MOR1", "GB.INF1")
    assert marks(state, "DE.INF1") == "fort:B2 x2"


def test_fort__6_an_empty_fort_stays_own() -> None:
    state = drawn("DE.INF1@fort:B2, own B2=DE")
    done(state, "M INF1 C2")
    assert state.forts["B2"] == "DE"


def test_fort__2_the_way_before_a_closed_fort_is_named() -> None:
    assert refusal(drawn("DE.INF1@D3"), "M INF1 C2 B2").facts["legal"] == ("C2",)
    assert refusal(drawn("DE.INF1@C2"), "M INF1 B2").facts["legal"] == ()


def test_fort__7_an_allied_fort_is_neither_conquered_nor_entered() -> None:
    state = drawn("DE.INF1@C2, own B2=AH")
    assert refused(state, "C INF1 B2") == ("TC-FORT-7", "allied-fort")
    assert refused(state, "M INF1 B2") == ("TC-FORT-7", "allied-fort")
    assert "B2" not in reach(state, "DE.INF1")


def test_fort__7_two_nations_of_one_camp_share_forts() -> None:
    state = drawn("AH.INF1@C2, own B2=DE", camps={"AH": "DE"})
    assert is_legal(state, "M AH.INF1 B2")


@pytest.mark.parametrize("unit", ["INF1", "CAR1", "TNK1", "MOR1", "AIR1", "TRK1"])
def test_fort__8_any_own_unit_for_half_a_point(unit: str) -> None:
    assert cost(drawn(f"DE.{unit}@C2, own B2=DE"), f"M {unit} B2") == 1


def test_fort__8_half_a_point_must_be_left() -> None:
    state = drawn("DE.MOR1@D3, DE.GUN1@E3, own B2=DE")
    assert cost(drawn("DE.MOR1@D3, own B2=DE"), "M MOR1 C2 B2") == 2
    assert refused(state, "M GUN1 D3 D2 C2 B2") == ("TC-MOVE-3", "too-far")
    assert refusal(state, "M GUN1 D3 D2 C2 B2").facts["legal"] == ("D3", "C2", "B2")


def test_fort__8_not_by_naval_units() -> None:
    """No fort of this board has water before it, so that a canal is dug."""
    state = drawn("DE.BOT1@C2, own B2=DE", "built C2=bridge")
    assert refused(state, "M BOT1 B2") == ("TC-FORT-8", "naval-in-fort")
    assert reach(state, "DE.BOT1") == {}


def test_fort__9_entry_from_the_moment_of_conquest() -> None:
    state = drawn("DE.INF1@C2, DE.CAR1@D3")
    assert refused(state, "M CAR1 D2 C1 B2") == ("TC-FORT-2", "not-conquered")
    done(state, "C INF1 B2", "M CAR1 C2 B2")
    assert marks(state, "DE.CAR1") == "fort:B2"


def test_fort__10_any_number_inside() -> None:
    state = drawn("DE.INF1@fort:B2, DE.CAR1@fort:B2, DE.TNK1@C2, own B2=DE")
    done(state, "M TNK1 B2")
    assert state.inside("B2") == ["DE.INF1", "DE.CAR1", "DE.TNK1"]
    assert state.on == {}


def test_fort__11_a_unit_inside_gives_no_contact() -> None:
    state = drawn("DE.CAR1@D2, GB.INF1@fort:B2, own B2=GB")
    assert not gives_contact(state, "DE.CAR1", "C2")
    assert is_legal(state, "M CAR1 C1 C2 D3")


def test_fort__12_out_by_either_entrance_for_the_terrain() -> None:
    for hex_, half_points in {"A1": 2, "A2": 1, "C1": 2, "C2": 1}.items():
        assert cost(drawn("DE.CAR1@fort:B2, own B2=DE"), f"M CAR1 {hex_}") == half_points
    state = drawn("DE.CAR1@fort:B2, own B2=DE")
    assert refused(state, "M CAR1 B3") == ("TC-FORT-12", "wall")
    assert refused(state, "M CAR1 B1") == ("TC-FORT-12", "wall")
    assert refusal(state, "M CAR1 B3").facts["legal"] == ("A2", "B3")


def test_fort__13_passing_through_is_an_option() -> None:
    state = drawn("DE.CAR1@A2, own B2=DE")
    assert path_to(state, "DE.CAR1", "C2") is not None
    assert cost(state, "M CAR1 B2 C2") == 2
    assert reach(drawn("DE.INF1@A1, own B2=DE"), "DE.INF1")["C1"] == 3
    barred = drawn("DE.CAR1@fort:B2, DE.INF1@A1, own B2=DE", fort_pass_through=False)
    assert is_legal(barred, "M CAR1 C2")  # a unit that was inside
    assert is_legal(barred, "M CAR1 C2 B2")
    assert is_legal(barred, "M INF1 B2")
    assert reach(barred, "DE.INF1")["C1"] == 4  # around it
    assert path_to(barred, "DE.INF1", "C1") == Move("DE.INF1", ("B1", "C1"))
    assert reach(barred, "DE.INF1")["B2"] == 1
    assert path_to(barred, "DE.INF1", "B2") == Move("DE.INF1", ("B2",))


def test_fort__14_units_inside_never_hinder_conquest() -> None:
    state = drawn("DE.INF1@C2, GB.TNK1@fort:B2, GB.INF1@fort:B2, own B2=GB")
    assert is_legal(state, "C INF1 B2")


def test_fort__15_four_enemies_close_a_fort() -> None:
    closed = "GB.MOR1@A1, GB.MOR2@A2, GB.HOW1@C1, GB.TRK1@C2, own B2=DE"
    state = drawn("DE.CAR1@fort:B2, DE.AIR1@D3", closed)
    assert reach(state, "DE.CAR1") == {}
    assert refused(state, "M CAR1 C2") == ("TC-MOVE-19", "enemy-unit")
    assert "B2" not in reach(state, "DE.AIR1")


def test_fort__15_a_friend_on_an_approach_hex_is_passed_over() -> None:
    state = drawn("DE.CAR1@fort:B2, DE.INF1@C2, own B2=DE")
    assert refused(state, "M CAR1 C2") == ("TC-MOVE-20", "hex-taken")
    assert is_legal(state, "M CAR1 C2 D3")


def test_victory__4_anti_tank_gunners_do_not_conquer_in_a_short_game() -> None:
    state = drawn("AH.ATG1@C2, AH.INF1@C1", active="AH", short_game=True)
    assert refused(state, "C ATG1 B2") == ("TC-VICTORY-4", "short-game")
    assert is_legal(state, "C INF1 B2")
    own = drawn("AH.ATG1@C2, own B2=AH", active="AH", short_game=True)
    assert is_legal(own, "M ATG1 B2")


def test_victory__1_a_conquest_may_end_the_game_in_the_middle_of_phase_1() -> None:
    owned = "own B8=DE, own B14=DE, own F8=DE, own J2=DE"
    state = drawn("DE.INF1@C2, GB.INF1@J5", owned, half="1-6")
    course = done(state, "C INF1 B2")
    assert [type(fact) for fact in course.facts] == [FortConquered, GameWon]
    assert state.result is not None
    assert state.phase == "over"
    early = drawn("DE.INF1@C2, GB.INF1@J5", owned.replace(", own J2=DE", ""), half="1-6")
    assert done(early, "C INF1 B2").told(GameWon) == []


def test_fort__2_a_capture_is_no_move() -> None:
    assert Capture("DE.INF1", "B2").kind == "capture"
    assert refused(drawn("DE.INF1@C2", moved=["DE.INF1"]), "C INF1 B2") == ("TC-MOVE-1", "has-moved")
