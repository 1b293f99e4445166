"""Who may be where: the fronts' lists (2.1), Italy (5.3), Romania (5.4), and who may attack there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.games.first_world_war.printed import Reach, reach
from engine.games.first_world_war.state import State
from engine.kernel.errors import Illegal, Refusal

if TYPE_CHECKING:
    from engine.games.first_world_war.tables import Restriction

SCHLIEFFEN_FRONTS = (1, 2, 3)  # 9.1-1


def is_barred(state: State, restriction: Restriction) -> bool:
    """5.3, 5.4-3 Does this restriction keep its armies out at this moment?"""
    if state.turn < restriction.from_turn:
        return True
    town = restriction.requires_control
    return town is not None and state.control[town] != restriction.requires_faction


def reach_now(state: State) -> Reach:
    """For every counter the fronts where it may operate at this moment."""
    return reach(state.pack, tuple([is_barred(state, one) for one in state.pack.restrictions]))


def may_operate(state: State, counter: str, front: int) -> bool:
    """2.1-2, 4.2.1-6 May the counter be deployed on, moved or transferred to this front now?"""
    return front in reach_now(state)[counter]


def permission_refusal(state: State, counter: str, front: int) -> Refusal | None:
    """Why the counter may not operate on this front now; None: it may."""
    if may_operate(state, counter, front):
        return None
    nationality = state.pack.nationality_of.get(counter)
    if nationality is None:
        return Illegal("FWW-4.2.1-6", "no-nationality-there", {"counter": counter, "front": front})
    if nationality not in state.pack.permitted[front]:
        return Illegal("FWW-2.1-2", "not-listed", {"counter": counter, "front": front})
    bar = next(
        r
        for r in state.pack.restrictions
        if front in r.fronts and nationality in r.nationalities and is_barred(state, r)
    )
    if bar.requires_control is not None:
        return Illegal(
            "FWW-5.4-1", "town-not-held", {"counter": counter, "front": front, "town": bar.requires_control}
        )
    return Illegal("FWW-5.3-1", "too-early", {"counter": counter, "front": front, "turn": bar.from_turn})


def attack_ban(state: State, army: str, front: int) -> Refusal | None:
    """6-2 Why this real army may not attack on the front now, whoever commands it; None: it may."""
    if state.treaty:
        if front in state.pack.treaty.frozen_fronts:
            return Illegal("FWW-8.1-4", "front-frozen", {"front": front})
        if state.pack.nationality_of[army] in state.pack.treaty.inactive_nationalities:
            return Illegal("FWW-8.1-3", "army-at-peace", {"counter": army, "front": front})
    schlieffen = state.turn == 1 and state.options["schlieffen_plan"] and front not in SCHLIEFFEN_FRONTS
    if schlieffen and state.pack.faction_of[army] == "DE":  # 9.1-2: under whosever command
        return Illegal("FWW-9.1-1", "schlieffen-plan", {"counter": army, "front": front})
    return permission_refusal(state, army, front)  # 5.4-2: they may stay and defend, not attack


def able_to_attack(state: State, front: int) -> Callable[[str], bool]:
    """5.3, 5.4, 8.1-3, 8.1-4, 9.1 For each real army: may it attack on the front now?"""
    if state.treaty or state.turn == 1:
        return lambda army: attack_ban(state, army, front) is None
    reach = reach_now(state)
    return lambda army: front in reach[army]  # nothing else can stand in the way
