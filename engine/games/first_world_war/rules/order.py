"""9.2 Random order: before phase 1 the factions roll for the choice of their slots."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from engine.games.first_world_war.answers import Faction, Slots, SlotsGiven
from engine.games.first_world_war.facts.board import OrderRanked, OrderSet, SlotsTaken, TurnBegan
from engine.games.first_world_war.order_of_play import deployment_step, order_slots
from engine.games.first_world_war.state import FACTIONS, State
from engine.kernel.requests import Ask, Choice, Procedure, Roll, Step

SLOTS = (1, 2, 3, 4)  # 9.2-1


def roll_for_order(state: State, turn: int) -> Procedure:
    """9.2-1, 9.2-3 Rolls, ranking, and each faction's choice of one deployment slot and one round slot."""
    yield TurnBegan(turn, "order", state.pack.deployment_order, state.pack.round_order)
    ranking = yield from rank(state, FACTIONS)
    yield OrderRanked(tuple(ranking))
    key = order_slots(turn).key
    deploy: dict[int, Faction] = {}
    rounds: dict[int, Faction] = {}
    for faction in ranking:
        slots = yield slots_question(state, faction, _free(deploy), _free(rounds), key)
        yield SlotsTaken(faction, slots.deploy, slots.round)
        deploy[slots.deploy], rounds[slots.round] = faction, faction
    yield OrderSet(tuple(deploy[slot] for slot in SLOTS), tuple(rounds[slot] for slot in SLOTS))
    return deployment_step(turn, 1)


def rank(state: State, factions: Sequence[Faction]) -> Step:
    """9.2-1, 9.2-2 Highest roll first, S counting 0; those who tie roll again to rank among themselves.

    S-1 ruling: of two tied groups the higher rolls to its end before the lower begins.
    """
    if len(factions) == 1:
        return list(factions)
    rolled: dict[int, list[Faction]] = {}
    for faction in factions:
        (face,) = yield Roll(state.seat(faction), f"order.{faction}")
        rolled.setdefault(state.pack.die.value(face), []).append(faction)
    ranking: list[Faction] = []
    for value in sorted(rolled, reverse=True):
        ranking += yield from rank(state, rolled[value])
    return ranking


def _free(taken: dict[int, Faction]) -> tuple[int, ...]:
    return tuple(slot for slot in SLOTS if slot not in taken)


def slots_question(
    state: State, faction: Faction, deploy: tuple[int, ...], rounds: tuple[int, ...], key: str
) -> Ask:
    """D2 By default the lowest free slot for rounds and the highest for deployment."""
    offered = tuple(Slots(a, b) for a, b in product(deploy, rounds))
    return Ask(
        seat=state.seat(faction),
        topic="order.slots",
        at=key,
        given=SlotsGiven(faction, deploy, rounds),
        options=Choice(offered, "FWW-9.2-1", "slot-taken"),
        default=Slots(max(deploy), min(rounds)),
    )
