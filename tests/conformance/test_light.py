"""What legitimately comes to light of closed armies, and what does not."""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

from engine.games.to_the_last_man.rules.pieces import refuses
from engine.kernel.journal import canonical
from engine.kernel.requests import Seat
from tests.conformance.exchanges import Exchange, Shift, other_hand_sizes, other_sizes
from tests.conformance.games import cases
from tests.conformance.light import ClosedArmies
from tests.conformance.worlds import seam_of

ONE_GAME = [seed for seed in range(120) if Random(seed).randrange(6) == 0][:12]  # seams of a game played once
(CASE,) = [case for case in cases() if case.game.id == "ttlm" and case.scenario == "1914"]


@dataclass(frozen=True)
class Front:
    """A position with two armies of one nation, of which the one could give the other an infantry."""

    state: Any
    unit: str
    source: str
    goal: str

    def lit(self, exchange: Exchange, *facts: tuple[str, Any]) -> tuple[list[Any], list[Any]]:
        """What comes to light with these facts in each of the two worlds."""
        data = canonical(CASE.game.dump(self.state))
        twin = canonical(exchange.position(json.loads(data)))
        worlds = [ClosedArmies(CASE.game, one) for one in (data, twin)]
        lines = [{"k": "fact", "fact": name, "data": told} for name, told in facts]
        one, other = ([lit for line in lines for lit in world(line)] for world in worlds)
        return one, other


@pytest.fixture(scope="module")
def front() -> Front:
    state, _, _ = seam_of(CASE, Random(ONE_GAME[0]))
    for source, there in state.contents.items():
        infantry = [unit for unit in there if state.pack.type_of[unit] == "I"]
        for goal in state.contents:
            apart = state.army_at[goal] != state.army_at[source]
            if (
                len(infantry) > 1
                and apart
                and state.contents[goal]
                and not refuses(state, goal, infantry[:1])
            ):
                return Front(state, infantry[0], source, goal)
    raise AssertionError("nobody could give anybody anything")


def battle(area: str) -> tuple[str, Any]:
    return "BattleBegan", {"area": area, "surprise": False}


def test_a_battle_shows_what_an_army_holds_that_fights_in_it(front: Front) -> None:
    moved = Exchange({}, [Shift(front.unit, ("contents", front.source), ("contents", front.goal))])
    for army in (front.source, front.goal):
        one, other = front.lit(moved, battle(front.state.army_at[army]))
        assert one != other


def test_a_battle_elsewhere_shows_nothing_of_it(front: Front) -> None:
    moved = Exchange({}, [Shift(front.unit, ("contents", front.source), ("contents", front.goal))])
    here = {front.state.army_at[front.source], front.state.army_at[front.goal]}
    for area in sorted(set(front.state.army_at.values()) - here):
        one, other = front.lit(moved, battle(area))
        assert one == other and one[0][1] == area


def test_counters_of_one_kind_are_no_secret_that_a_battle_could_show(front: Front) -> None:
    kind, contents = front.state.pack.kind_of, front.state.contents
    twin = next(u for u in contents[front.goal] if kind[u] == kind[front.unit])
    swapped = Exchange({front.unit: twin, twin: front.unit})
    one, other = front.lit(swapped, *map(battle, sorted(set(front.state.army_at.values()))))
    assert one == other


def test_an_army_that_is_emptied_in_one_world_alone_comes_to_light(front: Front) -> None:
    state = front.state
    rest = [unit for unit in state.contents[front.source] if unit != front.unit]
    side, area = state.pack.side_of[front.source], state.army_at[front.source]
    told = {"side": side, "units": rest, "area": area, "army": front.source, "why": "supply"}
    moved = Exchange({}, [Shift(front.unit, ("contents", front.source), ("contents", front.goal))])
    one, other = front.lit(moved, ("UnitsLost", told))
    assert one == [] and front.source in other[0]


def test_other_sizes_leave_no_army_empty_or_without_infantry() -> None:
    """Both would be seen."""
    changed = 0
    for seed in ONE_GAME:
        rng = Random(seed)
        state, _, _ = seam_of(CASE, rng)
        seat = rng.choice((Seat("EN"), Seat("GE")))
        exchange = other_sizes(state, seat, (), rng)
        if exchange is None or not exchange.shifts:
            continue
        data = json.loads(canonical(CASE.game.dump(state)))
        twin = CASE.game.load(CASE.game.load_pack(), exchange.position(data))
        CASE.game.check(twin)
        sizes = {army: (len(there), len(twin.contents[army])) for army, there in state.contents.items()}
        own = [army for army in sizes if state.pack.side_of[army] == seat]
        assert all(sizes[army][0] == sizes[army][1] for army in own)
        assert all(bool(one) == bool(other) for one, other in sizes.values())
        assert CASE.game.view(state, seat) == CASE.game.view(twin, seat)
        changed += any(one != other for one, other in sizes.values())
    assert changed >= 6


def test_hands_of_other_sizes_look_the_same_where_sizes_are_hidden() -> None:
    (case,) = [case for case in cases() if case.game.id == "ttlm" and "hidden_hand_size" in case.options]
    changed = 0
    for seed in ONE_GAME:
        rng = Random(seed)
        state, _, _ = seam_of(case, rng)
        exchange = other_hand_sizes(state, Seat("GE"), (), rng)
        data = json.loads(canonical(case.game.dump(state)))
        if exchange is not None:
            twin = case.game.load(case.game.load_pack(), exchange.position(data))
            case.game.check(twin)
            assert case.game.view(state, Seat("GE")) == case.game.view(twin, Seat("GE"))
            changed += len(state.hands["EN"]) != len(twin.hands["EN"])
    assert changed >= 3
