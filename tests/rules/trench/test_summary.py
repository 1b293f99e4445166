"""What a player is told of his own side, examples of orders, reach and replay: all asked of the rules."""

from __future__ import annotations

from typing import Any

import pytest

from engine.games.trench_club.answers import Capture, Move
from engine.games.trench_club.facts.combat import CombatFought
from engine.games.trench_club.game import GAME
from engine.games.trench_club.notation import NOTATION
from engine.games.trench_club.overlays import reach_of
from engine.games.trench_club.possible import possible
from engine.games.trench_club.replay import frames
from engine.games.trench_club.rules.acts import TurnActs, carry_out, why_not
from engine.games.trench_club.rules.movement import reach
from engine.games.trench_club.rules.turns import LEADS, Leads
from engine.games.trench_club.view import Report, View
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings
from engine.kernel.possible import PossibleOrders
from engine.kernel.requests import Answer, Ask, Seat
from engine.kernel.table import Table
from tests.rules.trench.drawn import drawn, play

DE, GB = Seat("DE"), Seat("GB")
UNITS = "DE.CAR1@D4 d3 x3, DE.INF1@C2, DE.TNK1@fort:J2 d2, DE.TRK1@F4, GB.INF1@C3, GB.CAV1@I2, GB.HVY1@C8"


def own(**more: Any) -> View:
    return Report(drawn(UNITS, "own J2=DE, money DE=3", half="1-6", **more))(DE)


# ------------------------------------------------------------------ the summary


def test_a_unit_is_told_with_damage_level_dice_value_reach_and_targets() -> None:
    view = own()
    car = next(one for one in view.summary.units if one.unit.id == "DE.CAR1")
    assert (car.unit.damage, car.level, car.dice, car.value) == (3, 1, 8, 6)
    assert car.reach == len(reach(view.position, "DE.CAR1"))
    assert car.targets == ("GB.INF1",)
    transport = next(one for one in view.summary.units if one.unit.id == "DE.TRK1")
    assert (transport.dice, transport.value, transport.targets) == (0, 0, ())


def test_forts_that_are_threatened_and_forts_that_can_be_taken() -> None:
    found = own().summary
    assert [(one.fort, one.by, one.owner, one.guarded) for one in found.threats] == [
        ("J2", "GB.CAV1", "DE", True),
        ("B8", "GB.HVY1", "", False),
    ]
    assert [(one.fort, one.by) for one in found.chances] == [("B2", "DE.INF1")]


def test_money__2_the_income_to_come_is_in_the_purse() -> None:
    found = own().summary
    assert (found.money, found.income, found.purse) == (3, 1, 4)
    assert "infantry" in found.affordable and found.special == 0
    paid = own(phase="money").summary
    assert (paid.money, paid.income, paid.purse) == (3, 1, 3)


def test_money__4_in_ones_own_turn_only_who_was_inside_when_it_began_can_be_repaired() -> None:
    assert own(sheltered=["DE.TNK1"]).summary.repairable == ("DE.TNK1",)
    assert own().summary.repairable == ()
    assert own(active="GB").summary.repairable == ("DE.TNK1",)


def test_the_way_to_victory() -> None:
    found = own().summary
    assert (found.ours_to_win, found.theirs_to_win) == (4, 5)
    assert own().forts_to_win == 5 and own(short_game=True).forts_to_win == 4


# ------------------------------------------------------------------ examples of orders


def offered(view: View) -> dict[str, PossibleOrders]:
    ask = Ask(view.seat, "turn.lead", "", None, Leads(LEADS, "TC-SETUP-22"), "orders")
    return {group.kind: group for group in possible(view, [ask], "en")}


def written(view: View) -> list[str]:
    """Conquests, a move of each other unit, an attack of each that stays: as a form shows them."""
    groups, taken = offered(view), set[str]()
    lines = [groups["move"].after] if groups["move"].after else []
    for kind in ("capture", "move", "attack"):
        for line in groups[kind].lines[: groups[kind].first]:
            unit, goal = line.split()[1], line.split()[-1]
            if unit not in taken and (goal not in taken or kind == "attack"):
                taken |= {unit, goal}
                lines.append(line)
    return lines


@pytest.mark.parametrize(("players", "seed"), [(2, 1), (2, 2), (4, 3)])
def test_suggested_orders_are_legal_as_a_whole(players: int, seed: int) -> None:
    """Whatever a form offers is read, and taken by the questions one after the other."""
    tried = list[int]()
    settings = GameSettings(GAME.scenarios[0], players, options={"round_limit": 6})
    table = Table.start(GAME, GAME.load_pack(), settings, TestDice(str(seed)))

    lines = list[Any]()

    def bot(view: View, ask: Ask) -> Answer:
        if ask.topic == "turn.lead":
            lines[:] = list(NOTATION.read("\n".join(written(view)), view).orders)
            assert not NOTATION.read("\n".join(written(view)), view).refusals
            return "orders"
        mine = [line for line in lines if ask.topic in line.topics]
        if not mine or ask.topic == "turn.spend":
            return ask.default
        lines[:] = [line for line in lines if line not in mine]
        if ask.topic == "turn.act":
            lines[:] = [*mine[1:], *lines]
            mine = mine[:1]
        said = NOTATION.join(ask, mine, view) if ask.topic == "turn.targets" else mine[0].answer(ask, view)
        assert said is not None and ask.options.why_not(said.value) is None, (mine, said)
        tried.append(1)
        return said.value

    table.automa = dict.fromkeys(GAME.seats(settings), bot)
    table.advance()
    assert len(tried) > 20


def test_what_each_unit_can_do_is_offered_and_what_the_purse_allows() -> None:
    found = {kind: group.lines for kind, group in offered(own(sheltered=["DE.TNK1"])).items()}
    assert found["capture"] == ("C INF1 B2",)
    assert found["attack"] == ("A CAR1 GB.INF1", "A INF1 GB.INF1")
    assert {line.split()[1] for line in found["move"]} == {"CAR1", "INF1", "TNK1", "TRK1"}
    assert found["repair"] == ("R TNK1",) and "BUY INF J2" in found["buy"]


# ------------------------------------------------------------------ reach, and the nearest legal way


def test_reach_is_what_the_rules_say_and_forts_that_can_be_conquered() -> None:
    view = own()
    found = reach_of(view, "inf1")
    assert found is not None
    assert dict(found.hexes) == reach(view.position, "DE.INF1")
    assert (found.unit, found.at, found.forts, found.targets) == ("DE.INF1", "C2", ("B2",), ("GB.INF1",))
    enemy = reach_of(view, "GB.CAV1")
    assert enemy is not None and enemy.forts == ("J2",)
    assert reach_of(view, "@D4") is not None
    for nothing in ("", "ZEP1", "INF1 CAR1", "@D5", "nonsense"):
        assert reach_of(view, nothing) is None


def test_move__23_a_goal_out_of_reach_is_refused_with_the_way_to_the_nearest_hex() -> None:
    state = drawn("DE.CAR1@D4, GB.INF1@K14", half="1-6")
    refusal = why_not(state, Move("DE.CAR1", ("K13",)), ("DE",))
    assert refusal is not None and refusal.reason == "not-adjacent"
    legal: Any = refusal.facts["legal"]
    assert why_not(state, Move("DE.CAR1", legal), ("DE",)) is None
    ends = reach(state, "DE.CAR1")
    assert state.grid.distance(legal[-1], "K13") == min(state.grid.distance(one, "K13") for one in ends)


# ------------------------------------------------------------------ replay


def test_a_turn_in_frames_each_on_the_board_before_it() -> None:
    state = drawn("DE.INF1@C2, DE.CAR1@D4, GB.INF1@C4", half="1-6")
    before = Report(state)(DE).position
    facts = play(state, carry_out(state, Capture("DE.INF1", "B2"))).facts
    facts += play(state, carry_out(state, Move("DE.CAR1", ("D5",)))).facts
    fought = CombatFought("DE.CAR1", "GB.INF1", 1, 0, "C4", (), ())
    found = frames(before, [*facts, fought])
    assert [one.kind for one in found] == ["FortConquered", "UnitMoved", "CombatFought"]
    assert [one.hexes for one in found] == [("C2", "B2"), ("D4", "D5"), ("D5", "C4")]
    assert found[0].on["C2"].id == "DE.INF1" and "C2" not in found[1].on
    assert found[0].forts["B2"] == "" and found[1].forts["B2"] == "DE"
    assert before.forts["B2"] == "", "what was seen does not change"


def test_options_of_a_turn_are_untouched_by_looking() -> None:
    state = drawn(UNITS, half="1-6")
    view = Report(state)(GB)
    assert view.summary == Report(state)(GB).summary
    assert TurnActs(state, ("GB",)).contains(Capture("GB.CAV1", "J2"))
