"""TRANSPORT-5, 9 Several loaded transports: all of them find room, or nobody boards."""

from __future__ import annotations

from random import Random

import pytest

from engine.games.trench_club.answers import DONE, Build, Move
from engine.games.trench_club.rules.acts import TurnActs, carry_out
from engine.games.trench_club.rules.transport import loaded_transports
from engine.games.trench_club.rules.unloading import (
    Patience,
    all_at_once,
    unloading_plan,
    way_to_unload,
)
from engine.games.trench_club.state import State
from tests.rules.trench.drawn import drawn, play
from tests.rules.trench.orders import done, is_legal, refusal, refused

WALL = "GB.CAR1@B1, GB.MOR1@B3, GB.MOR2@B4, GB.MOR3@B5"
BOTH = ["DE.TRK1", "DE.TRK2"]
# A truck on A1 meets contact there and on A2, where another stands: only that one can drive on.
BEHIND = "GB.CAR1@B1, GB.CAR2@B3"


def corner(*more: str) -> State:
    """Column A: of A2 and A4 one transport could use both, the other only A2."""
    return drawn("DE.TRK1@A3, DE.INF1@DE.TRK1, DE.TRK2@A1, DE.INF2@DE.TRK2", WALL, "GB.MOR4@A5", *more)


def emptied(state: State) -> list[str]:
    """Nothing but defaults until the turn is over: where everybody got off."""
    while (chosen := TurnActs(state, ("DE",)).default()) != DONE:
        assert TurnActs(state, ("DE",)).contains(chosen), chosen
        play(state, carry_out(state, chosen))
    assert TurnActs(state, ("DE",)).contains(DONE)
    assert not loaded_transports(state)
    return [f"{unit.id[3:]}@{unit.at}" for unit in state.units.values() if unit.id[3:6] == "INF"]


# ------------------------------------------------------------------ by default


def test_transport__9_one_transport_leaves_the_room_that_another_needs() -> None:
    state = corner()
    assert TurnActs(state, ("DE",)).default() == Move("DE.TRK1", (), unload=(("DE.INF1", "A4"),))
    assert emptied(state) == ["INF1@A4", "INF2@A2"]


def test_transport__9_who_has_many_places_makes_room_for_who_has_few() -> None:
    """In the order of ids the first one would take A2."""
    places = all_at_once(corner(), {"DE.TRK1": ["DE.INF1"], "DE.TRK2": ["DE.INF2"]})
    assert places == {"DE.INF2": "A2", "DE.INF1": "A4"}
    assert all_at_once(corner(), {"DE.TRK1": ["DE.INF1"], "DE.TRK2": ["DE.INF2"]}, taken=("A4",)) is None
    gun = drawn(
        "DE.TRK1@C5, DE.MOR1@DE.TRK1, DE.INF1@DE.TRK1, DE.CAR1@C4, DE.CAR2@D5, DE.CAR3@D6, GB.MOR1@C6"
    )
    assert all_at_once(gun, {"DE.TRK1": ["DE.INF1", "DE.MOR1"]}) == {"DE.MOR1": "B5", "DE.INF1": "B6"}


def test_transport__9_three_of_them_push_one_another_along() -> None:
    """The last to choose finds all taken: the first moves over for the second, and he for the last."""
    state = drawn("DE.TRK1@D5, DE.INF1@DE.TRK1, DE.INF2@DE.TRK1, DE.INF3@DE.TRK1, GB.MOR1@C4, GB.MOR2@C5")
    carried = {"DE.TRK1": ["DE.INF1", "DE.INF2", "DE.INF3"]}
    found = all_at_once(state, carried, taken=("D6",))
    assert found is not None and sorted(found.values()) == ["D4", "E4", "E5"]
    assert all_at_once(state, carried, taken=("D6", "D4")) is None


def test_transport__9_whoever_stands_in_the_way_goes_first() -> None:
    state = drawn("DE.TRK1@A1, DE.INF1@DE.TRK1, DE.TRK2@A2, DE.INF2@DE.TRK2", BEHIND)
    assert way_to_unload(state, "DE.TRK1") is None
    plan = unloading_plan(state, BOTH, ("DE",))
    assert plan is not None
    assert [(move.unit, move.path) for move in plan] == [("DE.TRK2", ("A3",)), ("DE.TRK1", ())]
    assert emptied(state) == ["INF1@A2", "INF2@B4"]


def test_transport__11_an_own_fort_takes_one_of_them() -> None:
    state = drawn("DE.TRK1@A1, DE.INF1@DE.TRK1, DE.TRK2@A2, DE.INF2@DE.TRK2, GB.MOR1@A3, own B2=DE", BEHIND)
    assert unloading_plan(state, BOTH, ("DE",)) == (
        Move("DE.TRK1", ("B2",)),
        Move("DE.TRK2", (), unload=(("DE.INF2", "A1"),)),
    )
    assert emptied(state) == ["INF1@B2", "INF2@A1"]


def test_transport__9_a_single_one_goes_the_nearest_way() -> None:
    state = drawn("DE.TRK1@D5, DE.INF1@DE.TRK1")
    assert unloading_plan(state, ["DE.TRK1"], ("DE",)) == (way_to_unload(state, "DE.TRK1"),)


@pytest.mark.parametrize("more", ["DE.HVY1@A4", "DE.INF3@DE.TRK2"])
def test_transport__9_no_plan_where_there_is_no_room(more: str) -> None:
    """One hex for two; or a transport that is lost whatever the other does."""
    assert unloading_plan(corner(more), BOTH, ("DE",)) is None


def test_transport__9_a_crowded_corner_is_not_searched_for_ever() -> None:
    state = drawn("DE.TRK1@A1, DE.INF1@DE.TRK1, DE.TRK2@A2, DE.INF2@DE.TRK2", BEHIND)
    assert unloading_plan(state, BOTH, ("DE",), Patience(0)) is None
    assert unloading_plan(state, BOTH, ("DE",), Patience(10)) is not None


# ------------------------------------------------------------------ what is refused


def test_transport__9_nobody_takes_the_last_room_of_two_transports() -> None:
    """Each of them alone could still use A2, which the airplane leaves free."""
    state = drawn("DE.TRK1@A3, DE.INF1@A4, DE.TRK2@A1, DE.INF2@A2, DE.CAV1@A5, DE.AIR1@A6", WALL)
    done(state, "L INF2 TRK2", "L INF1 TRK1")
    assert refused(state, "M AIR1 A5 A4") == ("TC-TRANSPORT-9", "cargo-stuck")
    assert refusal(state, "M AIR1 A5 A4").facts["transport"] == "DE.TRK2"
    assert emptied(state) == ["INF1@A4", "INF2@A2"]


def test_transport__9_one_transport_does_not_strand_another() -> None:
    assert refused(corner(), "M TRK1 / INF1@A2") == ("TC-TRANSPORT-9", "cargo-stuck")
    assert refusal(corner(), "M TRK1 / INF1@A2").facts["transport"] == "DE.TRK2"
    assert is_legal(corner(), "M TRK1 / INF1@A4")
    assert is_legal(corner(), "M TRK2 / INF2@A2")


def test_transport__9_nobody_boards_where_two_could_not_both_get_off() -> None:
    state = drawn("DE.TRK1@A3, DE.INF1@DE.TRK1, DE.TRK2@A1, DE.INF2@A2, DE.HVY1@A4, GB.MOR4@A5", WALL)
    assert refused(state, "L INF2 TRK2") == ("TC-TRANSPORT-9", "cargo-stuck")
    alone = drawn("DE.TRK1@A3, DE.TRK2@A1, DE.INF2@A2, DE.HVY1@A4, GB.MOR4@A5", WALL)
    assert is_legal(alone, "L INF2 TRK2")


def test_transport__9_a_build_is_judged_by_all_transports() -> None:
    """B5 and A4 would become trenches, where guns cannot stand: one gun would be left with one place less."""
    units = "DE.TRK1@C5, DE.MOR1@DE.TRK1, DE.TRK2@A3, DE.GUN1@DE.TRK2, DE.ENG1@B4, GB.MOR1@C4, GB.MOR2@D5"
    state = drawn(units, "GB.MOR3@D6, GB.MOR4@B6, GB.MOR5@C6, GB.MOR6@B3, built B5=road", trench_rules=True)
    build = Build("DE.ENG1", "trench", ("B5", "A4"))
    refusal_ = TurnActs(state, ("DE",)).why_not(build)
    assert refusal_ is not None
    assert (refusal_.rule, refusal_.facts["transport"]) == ("TC-TRANSPORT-9", "DE.TRK1")


def test_special__13_who_is_lost_on_a_mine_takes_no_room() -> None:
    """TC-TRANSPORT-9: the hex is free again, and the mine is gone."""
    units = "DE.TRK1@A1, DE.INF1@DE.TRK1, DE.TNK1@A3, GB.CAR1@B1, GB.MOR1@B3, GB.MOR2@B4, GB.MOR3@A4"
    assert refused(drawn(units), "M TNK1 A2") == ("TC-TRANSPORT-9", "cargo-stuck")
    state = drawn(units, "mine A2=GB")
    done(state, "M TNK1 A2")
    assert "DE.TNK1" not in state.units
    assert emptied(state) == ["INF1@A2"]


def test_special__16_a_plan_reckons_with_mines() -> None:
    """Who gets off on a mine is lost and leaves the hex to the next; a transport is lost with its cargo."""
    state = corner("mine A4=GB")
    assert emptied(state) == ["INF2@A2"]
    driven = corner("mine A4=GB")
    assert is_legal(driven, "M TRK1 A4")
    done(driven, "M TRK1 A4")
    assert emptied(driven) == ["INF2@A2"]


# ------------------------------------------------------------------ who acts when


def test_coop__5_the_captains_transports_go_first() -> None:
    """TC-TRANSPORT-9: he cannot wait for his partner to make room, unless he orders both."""
    camps = {"GB": "GB", "FR": "GB"}
    state = drawn(
        "GB.TRK1@A1, GB.INF1@GB.TRK1, FR.TRK1@A2, GB.MOR1@FR.TRK1, DE.CAR1@B1, DE.CAR2@B3",
        active="GB",
        camps=camps,
    )
    carriers = ["GB.TRK1", "FR.TRK1"]
    assert unloading_plan(state, carriers, ("GB",)) is None
    plan = unloading_plan(state, carriers, ("GB", "FR"))
    assert plan is not None and [move.unit for move in plan] == ["FR.TRK1", "GB.TRK1"]
    free = drawn("GB.TRK1@D5, GB.INF1@GB.TRK1, FR.TRK1@D3, GB.MOR1@FR.TRK1", active="GB", camps=camps)
    for order in (carriers, carriers[::-1]):
        plan = unloading_plan(free, order, ("GB",))
        assert plan is not None and [move.unit for move in plan] == carriers


# ------------------------------------------------------------------ samples


@pytest.mark.parametrize(
    "units",
    [
        "DE.TRK1@A3, DE.INF1@A4, DE.TRK2@A1, DE.INF2@A2, DE.CAV1@A5, DE.AIR1@A6, DE.ENG1@A7, " + WALL,
        "DE.TRK1@H2, DE.TRK2@H4, DE.INF1@E2, DE.CAV1@K2, DE.HVY1@I3, DE.GUN1@H3, DE.MOR1@F3, DE.INF2@F1, "
        "GB.INF1@I1, GB.AIR1@H1, GB.CAR1@G3, GB.INF2@I2, GB.CAR2@K1, GB.INF3@G1, GB.MOR1@J1, GB.MOR2@J3, "
        "GB.AIR2@G2, GB.HVY1@F2",
        "DE.TRK1@D5, DE.TRK2@D4, DE.TRK3@C4, DE.INF1@D6, DE.INF2@C5, DE.MOR1@E4, DE.GUN1@D3, DE.HVY1@C3, "
        "DE.CAV1@E5, GB.CAR1@E3, GB.INF1@B4, GB.MOR1@B3, GB.AIR1@C2, GB.INF2@F5, mine E6=GB, mine B5=GB",
    ],
)
def test_transport__5_every_sampled_turn_of_a_crowded_camp_ends_with_empty_transports(units: str) -> None:
    """What is taken by default is legal, whatever came before."""
    rng, together = Random(5), 0
    for _ in range(60):
        state = drawn(units)
        while True:
            options = TurnActs(state, ("DE",))
            together += len(loaded_transports(state)) > 1
            assert options.contains(options.default()), options.why_not(options.default())
            offers = [options.sample(rng) for _ in range(6)]
            boardings = [one for one in offers if isinstance(one, Move) and one.aboard]
            chosen = (boardings or offers)[0]
            assert options.contains(chosen), (chosen, options.why_not(chosen))
            if chosen == DONE:
                break
            play(state, carry_out(state, chosen))
        assert not loaded_transports(state)
    assert together > 20
