"""The sensible player: positions in which there is one good move, and a few games against the automa."""

from __future__ import annotations

from random import Random

import pytest

from engine.games.trench_club.answers import DONE, Attack, Buy, Capture, FlippedGiven, Move, Placement, Repair
from engine.games.trench_club.game import GAME
from engine.games.trench_club.replies import Foresight
from engine.games.trench_club.rules.acts import TurnActs
from engine.games.trench_club.rules.placing import Placements
from engine.games.trench_club.rules.purchases import Purchases
from engine.games.trench_club.rules.targets import Targets
from engine.games.trench_club.view import Report
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings
from engine.kernel.requests import Ask, Seat
from engine.kernel.table import Table
from tests.rules.trench.drawn import PACK, drawn


def answer(state, topic, options, default=()):
    """What France's player says to a question."""
    ask = Ask(Seat("FR"), topic, "R3.FR.T", None, options, default)
    found = GAME.bots["sensible"](Report(state)(Seat("FR")), ask, Random(1))
    assert options.contains(found)
    return found


def act(*texts, **more):
    state = drawn(*texts, half="1-6", active="FR", **more)
    options = TurnActs(state, ("FR",))
    return answer(state, "turn.act", options, options.default())


def spend(*texts, **more):
    state = drawn(*texts, half="1-6", active="FR", phase="money", **more)
    return answer(state, "turn.spend", Purchases(state, "FR"))


def test_it_takes_a_fort_whose_door_it_stands_at():
    assert act("FR.INF1@C2, DE.CAR1@F8") == Capture("FR.INF1", "B2")


def test_it_does_not_take_what_is_lost_again_at_once():
    """Two fresh enemies stand at other doors; while it stays at its own they do not dare."""
    found = act("FR.CAV1@C2, DE.HVY1@A2, DE.INF1@A1", automa="DE")
    assert not isinstance(found, Capture)


def test_it_takes_the_fort_that_wins_whoever_stands_there():
    own = "own B8=FR, own B14=FR, own J2=FR, own J8=FR"
    assert act("FR.CAV1@C2, DE.HVY1@A2", own) == Capture("FR.CAV1", "B2")


def test_its_feet_walk_to_the_nearest_fort():
    found = act("FR.INF1@C4, DE.INF1@J12")
    assert isinstance(found, Move)
    assert found.path[-1] in PACK.forts["B2"].approaches


def test_its_car_goes_where_it_can_strike_a_foot_unit():
    found = act("FR.CAR1@D5, DE.INF1@C2")
    assert isinstance(found, Move)
    assert found.path[-1] in drawn(half="1-6").grid.neighbours["C2"]


def test_all_strike_the_foot_unit_before_the_fort_those_first_whom_nobody_answers():
    state = drawn("FR.HOW1@D4, FR.CAR1@D2, DE.INF1@C2, DE.MOR1@F4", "own B2=FR", half="1-6", active="FR")
    found = answer(state, "turn.targets", Targets(state, ("FR",)))
    assert found == (Attack("FR.HOW1", "DE.INF1"), Attack("FR.CAR1", "DE.INF1"))


def test_it_repairs_what_is_dear():
    own = "own B2=FR, money FR=2"
    found = spend(
        "FR.TNK1@fort:B2 d4, FR.INF1@fort:B2 d1, DE.INF1@J12", own, sheltered=["FR.INF1", "FR.TNK1"]
    )
    assert found == Repair("FR.TNK1")


def test_it_buys_feet_when_it_has_none():
    found = spend("FR.TNK1@D5, DE.INF1@J12", "own B2=FR, own J14=FR, money FR=3")
    assert found == Buy("mounted_infantry", found.fort)


def test_it_lays_down_its_arms_without_feet_and_forts():
    assert act("FR.CAR1@D5, DE.INF1@C2", "own J8=DE") == DONE
    state = drawn("FR.CAR1@D2, DE.INF1@C2", "own J8=DE", half="1-6", active="FR")
    assert answer(state, "turn.targets", Targets(state, ("FR",))) == ()


def test_it_fights_on_while_the_fort_that_wins_is_near():
    own = "own B8=FR, own B14=FR, own J2=FR, own J8=FR"
    enemies = "DE.TNK1@G5, DE.TNK2@G6, DE.AIR1@H4"
    assert act(f"FR.INF1@C2, {enemies}", own) == Capture("FR.INF1", "B2")


def test_a_transport_in_front_draws_the_fire_from_a_mortar():
    """AUTOMA-20 Neither can answer; the car strikes the one whose attack value is lower."""
    state = drawn("FR.MOR1@E5, FR.TRK1@K14, DE.CAR1@E2", half="1-6", active="FR", automa="DE")
    outlook = Foresight(Report(state)(Seat("FR")))
    transport = state.units["FR.TRK1"]
    assert 0 < outlook.loss(transport, "E4") < outlook.loss(transport, "K14")


def test_what_may_rest_in_the_first_round_is_feared_less():
    """SETUP-24 Two companies of three: the car acts with a chance of two in three."""
    texts = "FR.MOR1@E5 A, DE.CAR1@E2 A"
    state = drawn(texts, half="1-6", active="FR", automa="DE", round=1, order=["FR", "DE"])
    sure = drawn(texts, half="1-6", active="FR", automa="DE", round=3, order=["FR", "DE"])
    first, third = (
        Foresight(Report(one)(Seat("FR"))).loss(one.units["FR.MOR1"], "E5") for one in (state, sure)
    )
    assert 0 < first < third


def test_feet_are_placed_nearest_to_a_fort():
    """SETUP-15 The number has to be taken: by the tank, for D4 is on the road to the door of B2."""
    state = drawn("FR.INF1@K13, FR.TNK1@K14, DE.INF1@J12", half="1-6", active="FR", round=0)
    units = ("FR.INF1", "FR.TNK1")
    options = Placements(state, units, "D5")
    ask = Ask(
        Seat("FR"),
        "setup.place",
        "S.P1.FR",
        FlippedGiven("FR", "A", 2, "D5", units),
        options,
        options.in_order(),
    )
    found = GAME.bots["sensible"](Report(state)(Seat("FR")), ask, Random(1))
    assert found == Placement((("FR.INF1", "D4"), ("FR.TNK1", "D5")))


@pytest.mark.parametrize("seed", [0, 3, 5])
def test_it_beats_the_automa(seed):
    table = Table.start(GAME, GAME.load_pack(), GameSettings("standard", 1), TestDice(seed))
    rng, bot = Random(seed), GAME.bots["sensible"]
    table.automa = {seat: lambda view, ask: bot(view, ask, rng) for seat in GAME.seats(table.settings)}
    table.advance()
    assert table.over
    assert table.state.result.winners == ("FR",)
