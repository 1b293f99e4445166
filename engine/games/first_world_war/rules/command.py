"""5.1 Germans on the fronts of their allies obey them."""

from __future__ import annotations

from engine.games.first_world_war.answers import Faction
from engine.games.first_world_war.pack import Pack
from engine.games.first_world_war.printed import followers, obedience
from engine.games.first_world_war.state import State
from engine.kernel.errors import Facts, Illegal, Refusal


def commander(state: State, counter: str, front: int) -> Faction:
    """5.1-1, 5.1-5 Who operates the counter while it stands on this front.

    5.1-2: position alone decides. Only one faction acts in a round, so what arrives during it obeys its
    new chief from the next round on without anything being remembered.
    """
    under = obedience(state.pack)
    if front in under.fronts and counter in under.counters:
        return under.commander
    return state.pack.faction_of[counter]


def commanded(state: State, faction: Faction, front: int) -> list[str]:
    """Every counter the faction operates on the front, dummies included."""
    followed = followers(state.pack)[faction][front]
    return [counter for counter in state.fronts[front] if counter in followed]


def commands_anything(state: State, faction: Faction) -> bool:
    """4.2.2-4 Does the faction operate a counter anywhere? How many stand where is public."""
    followed = followers(state.pack)[faction]
    return any(not followed[front].isdisjoint(there) for front, there in state.fronts.items())


def fights_elsewhere(pack: Pack, faction: Faction, front: int) -> Refusal | None:
    """2.1-7 Where its partner fights a faction has nobody to order, and decides nothing."""
    fighters = pack.fighter[front]
    if faction in fighters.values():
        return None
    facts: Facts = {"front": front, "faction": faction, "fighter": fighters[pack.alliance_of[faction]]}
    return Illegal("FWW-2.1-7", "fights-elsewhere", facts)
