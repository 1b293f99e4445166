"""8.1 The treaty of Brest-Litovsk."""

from __future__ import annotations

from collections.abc import Collection

from engine.games.first_world_war.answers import Faction, FactionGiven
from engine.games.first_world_war.facts.combat import TreatyOffered, TreatyRefused, TreatySigned
from engine.games.first_world_war.state import ALLIANCE, State
from engine.games.first_world_war.tables import Minimum
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Ask, Choice, Step

# ------------------------------------------------------------------ signing


def may_be_offered(state: State) -> bool:
    """8.1-1 In turn 4 or later, while there is no treaty yet."""
    return not state.treaty and state.turn >= state.pack.treaty.earliest_turn


def offer_treaty(state: State, key: str) -> Step:
    """8.1-1, 8.1-2 Germany may offer; with four players the Eastern Allies may refuse."""
    if not may_be_offered(state):
        return
    if not (yield _question(state, "DE", "treaty.offer", key, "FWW-8.1-1")):
        return
    yield TreatyOffered()
    if state.players not in state.pack.treaty.must_accept_players and not (
        yield _question(state, "EA", "treaty.answer", key, "FWW-8.1-2")
    ):
        yield TreatyRefused()
        return
    yield TreatySigned()


def _question(state: State, faction: Faction, topic: str, key: str, rule: str) -> Ask:
    """D15, D16 Without a word there is no offer, and it is refused."""
    return Ask(
        state.seat(faction), topic, key, FactionGiven(faction), Choice((True, False), rule), default=False
    )


# ------------------------------------------------------------------ what it stops


def is_inactive(state: State, army: str) -> bool:
    """8.1-3 Russian and Romanian armies neither attack nor are attacked."""
    return state.treaty and state.pack.nationality_of[army] in state.pack.treaty.inactive_nationalities


def is_frozen(state: State, front: int) -> bool:
    """8.1-4 On 7, 8 and 9 there is no combat, no capture and no surrender point any more."""
    return state.treaty and front in state.pack.treaty.frozen_fronts


def may_change_hands(state: State, front: int, fought: Collection[str] = ()) -> bool:
    """8.1-4, 8.1-5 May locations fall (or points be given) here, after a combat of the armies `fought`?

    Without a combat `fought` is empty: an unopposed attack, or phase 3.
    """
    if not state.treaty:
        return True
    treaty = state.pack.treaty
    if front in treaty.combat_only_fronts:
        return any(army in treaty.combat_only_armies for army in fought)
    return front not in treaty.frozen_fronts


# ------------------------------------------------------------------ what must stay


def owed(state: State, faction: Faction) -> dict[int, int]:
    """8.1-7, 8.1-8 Fronts on which that many more real armies of the faction are wanted."""
    if not state.treaty or (minimum := _minimum(state, faction)) is None:
        return {}
    short = {front: minimum.armies - len(state.reals(front, (faction,))) for front in minimum.fronts}
    return {front: missing for front, missing in short.items() if missing > 0}


def leaving_refusal(state: State, faction: Faction, origin: int, leaving: Collection[str]) -> Refusal | None:
    """8.1-9 A move or transfer may not break a minimum; where one is not met nothing may leave.

    `faction` gives the order. On 7 and 8 that is Germany, on 9 the German Allies, who command and see
    the Germans there (5.1-5): the refusal rests on what its reader knows.
    """
    if not state.treaty or ALLIANCE[faction] != "CENTRAL":
        return None  # 8.1-11 the Eastern Allies move as they like
    for owner, rule in _MINIMA:
        minimum = _minimum(state, owner)
        if minimum is None or origin not in minimum.fronts:
            continue
        there = state.reals(origin, (owner,))
        facts = {"front": origin, "faction": owner, "minimum": minimum.armies}
        if len(there) < minimum.armies:
            return Illegal("FWW-8.1-9", "treaty-minimum-unmet", facts)
        if sum(army not in leaving for army in there) < minimum.armies:
            return Illegal(rule, "treaty-minimum", facts)
    return None


_MINIMA: tuple[tuple[Faction, str], ...] = (("DE", "FWW-8.1-7"), ("GA", "FWW-8.1-8"))


def _minimum(state: State, owner: Faction) -> Minimum | None:
    """8.1-8 Each faction's own armies count: Germans on 9 do not serve for the German Allies."""
    if owner == "DE":
        return state.pack.treaty.german_minimum
    return state.pack.treaty.german_allies_minimum if owner == "GA" else None


def lapsed_garrison(state: State, faction: Faction) -> tuple[int, ...]:
    """8.1-10 Fronts on which garrison duty has lapsed for the faction."""
    return state.pack.treaty.frozen_fronts if state.treaty and faction in ("EA", "GA") else ()
