"""AUTOMA-1..4, COOP The set-up of a solo game, and two people against the automa."""

from __future__ import annotations

from typing import Any

import pytest

from engine.games.trench_club.answers import DONE, Move, Split
from engine.games.trench_club.hidden import hidden
from engine.games.trench_club.rules.acts import TurnActs
from engine.games.trench_club.rules.combat import bonus_dice
from engine.games.trench_club.rules.companies import companies_allowed
from engine.games.trench_club.rules.placing import (
    Splits,
    setup,
)
from engine.games.trench_club.rules.turns import turn
from engine.games.trench_club.rules.victory import forts_to_win
from engine.games.trench_club.state import State
from engine.kernel.errors import EngineError
from engine.kernel.requests import Seat
from tests.rules.trench.armies import game, go, refused, run, types_of
from tests.rules.trench.drawn import PACK, drawn

# ------------------------------------------------------------------ the automa's set-up


@pytest.mark.parametrize(
    ("level", "extras"),
    [
        ("easy", []),
        ("standard", ["armoured_car"]),
        ("hard", ["armoured_car", "infantry"]),
        ("overkill", ["big_bertha", "mounted_infantry"]),
    ],
)
def test_automa__2_ten_units_and_those_of_its_level(level: str, extras: list[str]) -> None:
    """TC-AUTOMA-1: the person's nation first, then the automa's, on a half board."""
    state = game(1, nations="FR DE", automa_level=level)
    assert (("FR",), "DE", 159) == (state.seats, state.automa, len(state.grid))
    own = types_of(state, "DE")
    assert "troop_transport" not in own and own[10:] == extras and len(own) == 10 + len(extras)
    assert len(types_of(state, "FR")) == 11


def test_automa__3_four_four_and_the_rest() -> None:
    """TC-AUTOMA-4: the first on the number, the next clockwise from the top, none on water."""
    state = game(1)
    run(state, setup(state), "1 12")  # ring order: DE, FR
    for _ in range(6):
        go(state)
    sizes = [
        sum(unit.company == one for unit in state.units.values() if unit.nation == "DE") for one in "ABC"
    ]
    assert [4, 4, 3] == sizes
    first = [unit.at for unit in state.units.values() if unit.nation == "DE" and unit.company == "A"]
    assert first == ["F2", "F1", "G1", "G2"]
    assert all(state.terrain(unit.at) != "water" for unit in state.units.values() if unit.nation == "DE")


def test_automa__3_its_counters_are_secret_until_they_are_turned_up() -> None:
    state = game(1)
    run(state, setup(state), "1 12")
    groups = hidden(state, Seat("FR"))
    assert len(groups) == 2 and len(groups[1]) == 11
    go(state), go(state)  # FR, then DE
    assert len(hidden(state, Seat("FR"))[1]) == 7


# ------------------------------------------------------------------ co-op


def test_coop__1_one_army_divided_between_two() -> None:
    """TC-COOP-2: each type once, gun and own unit in one of two versions."""
    state = game(2, coop=True, nations="GB FR DE")
    assert (("GB", "FR"), "DE") == (state.seats, state.automa)
    both = [*types_of(state, "GB"), *types_of(state, "FR")]
    assert len(both) == len(set(both)) == 11
    guns = [one for one in both if one in ("field_gun", "howitzer")]
    owns = [one for one in both if one in ("mark_i_female", "renault_ft17")]
    assert len(guns) == len(owns) == 1


def test_coop__2_the_partners_units_may_be_named() -> None:
    state = game(2, coop=True, nations="GB FR DE", coop_partner="HOW REN INF")
    assert ["infantry", "howitzer", "renault_ft17"] == types_of(state, "FR")
    assert "field_gun" not in types_of(state, "GB") and len(types_of(state, "GB")) == 8
    with pytest.raises(EngineError, match="coop_partner"):
        game(2, coop=True, nations="GB FR DE", coop_partner="GUN")


def test_coop__3_a_company_of_ones_own_and_a_shared_one() -> None:
    state = game(2, coop=True, nations="GB FR DE")
    army = tuple(sorted(unit.id for unit in state.units.values() if unit.nation == "FR"))
    options = Splits(state, "FR", army)
    assert options.contains(Split((), army, ())) and options.contains(Split((), (), army))
    assert ("TC-COOP-3", "partners-company") == refused(options, Split(army, (), ()))
    captain = tuple(sorted(unit.id for unit in state.units.values() if unit.nation == "GB"))
    assert ("TC-COOP-3", "partners-company") == refused(Splits(state, "GB", captain), Split((), captain, ()))


def test_coop__4_forts_and_money_are_shared() -> None:
    """TC-COOP-6: the larger of the two sums to begin with."""
    state = game(2, coop=True, nations="DE AH GB")
    assert {"DE": 3, "GB": 0} == state.money
    assert ("DE", "DE") == (state.camp_of["DE"], state.camp_of["AH"])
    assert set(state.ring) == {"DE", "GB"}


def coop(*texts: str, **more: Any) -> State:
    camps = {"FR": "GB", "GB": "GB", "DE": "DE"}
    state = drawn(*texts, active="GB", camps=camps, **more)
    state.camp_of = {"DE": "DE", "GB": "GB", "FR": "GB"}
    state.ring, state.order, state.seats, state.automa = ("DE", "GB"), ("DE", "GB"), ("GB", "FR"), "DE"
    return state


def test_coop__5_the_captain_first_then_the_partner() -> None:
    state = coop("GB.CAR1@D4, FR.CAR1@D6, DE.TRK1@F4")
    moves = ["orders", Move("GB.CAR1", ("D3",)), DONE, Move("FR.CAR1", ("D5",))]
    course = run(state, turn(state, 3, "GB"), answers=moves)
    acts = [ask.seat for ask in course.asks if ask.topic == "turn.act"]
    assert ["GB", "GB", "FR", "FR"] == acts
    assert ["GB", "FR"] == [ask.seat for ask in course.asks if ask.topic == "turn.targets"]


def test_coop__5_each_orders_his_own_units() -> None:
    state = coop("GB.CAR1@D4, FR.CAR1@D6, DE.TRK1@F4")
    assert not TurnActs(state, ("GB",)).contains(Move("FR.CAR1", ("D5",)))


def test_coop__5_a_silent_partners_units_are_the_captains() -> None:
    state = coop("GB.CAR1@D4, FR.CAR1@D6, DE.TRK1@F4")
    moves = ["orders", DONE, DONE, Move("FR.CAR1", ("D5",)), DONE]
    course = run(state, turn(state, 3, "GB"), answers=moves)
    assert ["GB", "FR", "GB", "GB"] == [ask.seat for ask in course.asks if ask.topic == "turn.act"]
    assert state.units["FR.CAR1"].at == "D5"


def test_coop__5_it_is_the_partners_own_units_that_tell_whether_he_is_silent() -> None:
    state = coop("GB.CAR1@D4, GB.TNK1@C6, FR.CAR1@D6, FR.TNK1@E7, DE.TRK1@F4")
    moves = ["orders", Move("GB.CAR1", ("D3",)), DONE, DONE, Move("FR.CAR1", ("D5",)), DONE]
    course = run(state, turn(state, 3, "GB"), answers=moves)
    assert ["GB", "GB", "FR", "GB", "GB"] == [ask.seat for ask in course.asks if ask.topic == "turn.act"]
    state = coop("GB.CAR1@D4, GB.TNK1@C6, FR.CAR1@D6, FR.TNK1@E7, DE.TRK1@F4")
    moves = ["orders", DONE, Move("FR.CAR1", ("D5",)), DONE]
    course = run(state, turn(state, 3, "GB"), answers=moves)
    assert ["GB", "FR", "FR"] == [ask.seat for ask in course.asks if ask.topic == "turn.act"]


def test_coop__6_both_players_units_are_their_own() -> None:
    state = coop("GB.CAR1@D4, FR.INF1@D3, DE.INF1@C3, GB.TRK1@D5, FR.MOR1@D6, FR.INF2@A2", "own B2=GB")
    assert bonus_dice(state, "GB.CAR1", "DE.INF1") == PACK.dice.flank_bonus
    assert TurnActs(state, ("FR",)).contains(Move("FR.MOR1", ("D5",), aboard="GB.TRK1"))
    assert TurnActs(state, ("FR",)).contains(Move("FR.INF2", ("B2",)))


def test_coop__7_victory_and_first_turns_as_for_two() -> None:
    state = game(2, coop=True, nations="GB FR DE")
    assert forts_to_win(state) == PACK.victory.forts_2
    state.round, state.order = 1, ("GB", "DE")
    assert [1, 2] == [companies_allowed(state, camp) for camp in state.order]
