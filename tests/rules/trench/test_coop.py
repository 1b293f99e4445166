"""AUTOMA-1..4, COOP The set-up of a solo game, and two people against the automa."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from engine.games import game as game_called
from engine.games.trench_club import order_of_play
from engine.games.trench_club.answers import DONE, Attack, Capture, Move, Split, TurnGiven
from engine.games.trench_club.facts.combat import AttacksListed
from engine.games.trench_club.facts.moves import CargoUnloaded, UnitMoved
from engine.games.trench_club.hidden import hidden
from engine.games.trench_club.rules.acts import TurnActs
from engine.games.trench_club.rules.combat import bonus_dice
from engine.games.trench_club.rules.companies import companies_allowed
from engine.games.trench_club.rules.placing import (
    Splits,
    setup,
)
from engine.games.trench_club.rules.transport import loaded_transports
from engine.games.trench_club.rules.turns import turn
from engine.games.trench_club.rules.victory import forts_to_win
from engine.games.trench_club.state import State
from engine.games.trench_club.windows import window
from engine.kernel.errors import EngineError
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings, Window
from engine.kernel.requests import Ask, Seat
from engine.kernel.table import Table
from tests.rules.trench.armies import game, go, refused, run, types_of
from tests.rules.trench.drawn import PACK, Course, drawn

TRENCH = game_called("trench")

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


def test_coop__3_each_places_his_own_company_and_the_captain_the_shared_one() -> None:
    settings = GameSettings("standard", 2, options={"coop": True, "nations": "GB FR DE"})
    table = Table.start(TRENCH, PACK, settings, TestDice("coop"))
    placed: dict[str, tuple[Seat, set[str]]] = {}
    while table.advance() is not None and table.state.phase in ("split", "placing"):
        assert table.pause is not None
        for _, ask in table.pause.asks:
            if ask.topic == "setup.place":
                placed[ask.given.company] = ask.seat, {unit[:2] for unit in ask.given.units}
    assert placed == {"A": ("GB", {"GB"}), "B": ("FR", {"FR"}), "C": ("GB", {"GB", "FR"})}


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


def seats(course: Course, topic: str) -> list[str]:
    """Who was asked that, in order."""
    return [ask.seat for ask in course.asks if ask.topic == topic]


def test_coop__5_the_captain_first_then_the_partner() -> None:
    state = coop("GB.CAR1@D4, FR.CAR1@D6, DE.TRK1@F4")
    moves = ["orders", Move("GB.CAR1", ("D3",)), DONE, "orders", Move("FR.CAR1", ("D5",))]
    course = run(state, turn(state, 3, "GB"), answers=moves)
    assert ["GB", "GB", "FR", "FR"] == seats(course, "turn.act")
    assert ["FR"] == seats(course, "turn.join")
    assert ["GB", "FR"] == seats(course, "turn.targets")


def test_coop__5_each_orders_his_own_units() -> None:
    state = coop("GB.CAR1@D4, FR.CAR1@D6, DE.TRK1@F4")
    assert not TurnActs(state, ("GB",)).contains(Move("FR.CAR1", ("D5",)))


def test_coop__5_a_silent_partners_units_are_the_captains() -> None:
    """They move and attack by his orders, after his own."""
    state = coop("GB.CAR1@D4, FR.CAR1@D6, DE.TRK1@E4")
    moves = ["orders", DONE, "captain", Move("FR.CAR1", ("D5",)), DONE]
    attacks = (Attack("FR.CAR1", "DE.TRK1"), Attack("GB.CAR1", "DE.TRK1"))
    course = run(state, turn(state, 3, "GB"), answers=[*moves, attacks])
    assert ["GB", "GB", "GB"] == seats(course, "turn.act")
    assert ["GB"] == seats(course, "turn.targets")
    assert state.units["FR.CAR1"].at == "D5"
    assert [AttacksListed("GB", attacks)] == course.told(AttacksListed)


def test_coop__5_a_partner_who_orders_keeps_his_units() -> None:
    """Whether they do anything is his affair: the captain gets them neither for a move nor for an attack."""
    state = coop("GB.CAR1@D4, FR.CAR1@D6, DE.TRK1@E4")
    course = run(state, turn(state, 3, "GB"), answers=["orders", DONE, "orders"])
    assert ["GB", "FR"] == seats(course, "turn.act")
    captains, partners = (ask for ask in course.asks if ask.topic == "turn.targets")
    assert not captains.options.contains((Attack("FR.CAR1", "DE.TRK1"),))
    assert ("GB", "FR") == (captains.seat, partners.seat)


def test_coop__5_the_partner_is_asked_in_the_window_of_the_turn() -> None:
    """By default he leaves his units to the captain."""
    state = coop("GB.CAR1@D4, FR.CAR1@D6, DE.TRK1@F4")
    course = run(state, turn(state, 3, "GB"))
    (ask,) = [ask for ask in course.asks if ask.topic == "turn.join"]
    assert ("captain", False, ("orders", "captain")) == (ask.default, ask.secret, ask.options.describe())
    assert TurnGiven("FR", 3, 0, ("FR",)) == ask.given
    keys = {window(state, one, "fast") for one in course.asks if one.topic != "give"}
    assert {Window("R3.GB.T", (Seat("GB"), Seat("FR")))} == keys
    alone = drawn("DE.CAR1@D4, GB.CAR1@F4")
    assert [] == seats(run(alone, turn(alone, 3, "DE")), "turn.join")


def test_coop__5_nobody_boards_the_captains_transport_after_the_captain() -> None:
    """It could not put anybody down any more; while the captain acts for both it can."""
    state = coop("GB.TRK1@D5, GB.INF1@C4, FR.TRK1@E5, FR.MOR1@D6, DE.TRK1@F2")
    boards = Move("FR.MOR1", ("D5",), aboard="GB.TRK1")
    assert ("TC-COOP-5", "captain-has-moved-on") == refused(TurnActs(state, ("FR",)), boards)
    assert boards not in TurnActs(state, ("FR",)).describe()
    assert TurnActs(state, ("FR",)).contains(Move("FR.MOR1", ("E5",), aboard="FR.TRK1"))
    assert TurnActs(state, ("GB", "FR")).contains(boards)
    rng = Random(3)
    drawn_ = [TurnActs(state, ("FR",)).sample(rng) for _ in range(300)]
    assert {"FR.TRK1"} == {act.aboard for act in drawn_ if isinstance(act, Move) and act.aboard}


def test_coop__6_both_players_units_are_their_own() -> None:
    state = coop("GB.CAR1@D4, FR.INF1@D3, DE.INF1@C3, FR.TRK1@D5, GB.MOR1@D6, FR.INF2@A2", "own B2=GB")
    assert bonus_dice(state, "GB.CAR1", "DE.INF1") == PACK.dice.flank_bonus
    assert TurnActs(state, ("GB",)).contains(Move("GB.MOR1", ("D5",), aboard="FR.TRK1"))
    assert TurnActs(state, ("FR",)).contains(Move("FR.INF2", ("B2",)))


@pytest.mark.parametrize("join", ["orders", "captain"])
def test_coop__6_the_captains_unit_gets_off_the_partners_transport(join: str) -> None:
    """TC-TRANSPORT-5: whoever leads the partner's transport puts it down in this turn, ordered or not."""
    state = coop("GB.MOR1@D6, FR.TRK1@D5, DE.TRK1@F2")
    boards = Move("GB.MOR1", ("D5",), aboard="FR.TRK1")
    course = run(state, turn(state, 3, "GB"), answers=["orders", boards, DONE, join])
    last = [ask for ask in course.asks if ask.topic == "turn.act"][2]
    assert ("FR" if join == "orders" else "GB") == last.seat
    assert last.default == Move("FR.TRK1", (), unload=(("GB.MOR1", "D4"),))
    assert [CargoUnloaded("FR.TRK1", (("GB.MOR1", "D4"),))] == course.told(CargoUnloaded)
    assert not loaded_transports(state)
    assert order_of_play.money(state) == course.result


def test_coop__5_a_game_that_is_won_asks_nobody_any_more() -> None:
    state = coop("GB.INF1@C2, FR.CAR1@D6, DE.TRK1@F4", "own B8=GB, own B14=GB, own F8=GB, own J8=GB")
    state.grid = PACK.grids["1-6"]
    course = run(state, turn(state, 3, "GB"), answers=["orders", Capture("GB.INF1", "B2")])
    assert state.result is not None
    assert [] == seats(course, "turn.join") == seats(course, "turn.targets")


def test_coop__5_every_sampled_turn_ends_with_empty_transports() -> None:
    """TC-TRANSPORT-5, 9: whoever acts, whatever he does; what is taken by default is legal."""
    rng = Random(11)
    boarded: set[tuple[str, str]] = set()
    for _ in range(60):
        state = coop(
            "GB.TRK1@D5, GB.MOR1@D6, GB.INF1@C4, FR.TRK1@D3, FR.CAV1@E4, FR.GUN1@D4, FR.HVY1@E3, GB.HVY1@C3",
            "DE.INF1@F3, DE.CAR1@B4, DE.MOR1@C5, DE.MOR2@F4, DE.AIR1@E5, own B2=GB",
        )
        for fact in sampled(state, rng).told(UnitMoved):
            boarded |= {(fact.unit[:2], fact.aboard[:2])} if fact.aboard else set()
        assert not loaded_transports(state)
    assert boarded == {("GB", "GB"), ("GB", "FR"), ("FR", "FR"), ("FR", "GB")}  # the last by the captain


def sampled(state: State, rng: Random) -> Course:
    """A turn by chance."""
    step, course = turn(state, 3, "GB"), Course(state)
    request = next(step)
    while True:
        reply = None
        if isinstance(request, Ask):
            assert request.options.contains(request.default), request
            reply = "orders" if request.topic == "turn.lead" else request.options.sample(rng)
            assert request.options.why_not(reply) is None
        else:
            course.facts.append(request)
            request.apply(state)
        try:
            request = step.send(reply)
        except StopIteration:
            return course


def test_coop__7_victory_and_first_turns_as_for_two() -> None:
    state = game(2, coop=True, nations="GB FR DE")
    assert forts_to_win(state) == PACK.victory.forts_2
    state.round, state.order = 1, ("GB", "DE")
    assert [1, 2] == [companies_allowed(state, camp) for camp in state.order]
