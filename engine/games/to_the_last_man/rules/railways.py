"""4.4 Rail, 4.5 Strategic Movement, 4.6 Sea Movement, 9.6 Strategic Reserves!, 14.2.4 evacuation of Antwerp.

None of them goes with any other movement of the same unit (`marching.ALONE`).
"""

from __future__ import annotations

from itertools import pairwise

from engine.games.to_the_last_man.answers import Move, Side
from engine.games.to_the_last_man.facts.cards import CardPlayed
from engine.games.to_the_last_man.rules.areas import has_presence, status
from engine.games.to_the_last_man.rules.marching import Party, border_refusal
from engine.games.to_the_last_man.rules.pieces import holder
from engine.games.to_the_last_man.state import ENGLAND, State
from engine.games.to_the_last_man.windows import other
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Step

RESERVES = "SRV"
SEAFARERS = "UK"  # 4.6-01
ANTWERP, EVACUATED = "ANT", "BE"  # 14.2.4
OPEN = ("friendly", "disputed")


def why_not_special(state: State, side: Side, move: Move, party: Party) -> Refusal | None:
    """Whether a move that is not a walk may be made along its path; room and armies are tested elsewhere."""
    match move.mode:
        case "rail":
            return why_not_rail(state, side, move.path, party)
        case "strat":
            return why_not_strategic(state, side, move.path, party)
        case "sea":
            return why_not_sea(state, side, move.path, party)
        case "reserves":
            return why_not_reserves(state, side, move.path, party)
        case "evacuate":
            return why_not_evacuate(state, side, move.path, party)
    return Illegal("TTLM-4.1-01", "no-such-movement", {"mode": move.mode})


# ------------------------------------------------------------------ 4.4


def why_not_rail(state: State, side: Side, path: tuple[str, ...], party: Party) -> Refusal | None:
    """4.4-01, -02 Up to three areas, all Friendly now and when the Player Turn began; two units a turn."""
    meta = state.pack.meta
    if (used := state.used.get("rail", 0)) + party.number > meta.rail_moves:
        return Illegal("TTLM-4.4-02", "rail-moves-used", {"used": used, "limit": meta.rail_moves})
    if len(path) - 1 > meta.rail_range:
        return Illegal("TTLM-4.4-01", "too-far", {"areas": len(path) - 1, "limit": meta.rail_range})
    for area in path:
        if (refusal := unfriendly(state, side, area, "TTLM-4.4-01")) is not None:
            return refusal
        if has_presence(state, area, other(side)):  # 0-07 Friendly, with lone guns of the enemy in it
            return Illegal("TTLM-0-07", "enemy-on-the-way", {"area": area})
    return next((bad for a, b in pairwise(path) if (bad := border_refusal(state, side, a, b))), None)


def unfriendly(state: State, side: Side, area: str, rule: str) -> Refusal | None:
    """4.4-01, 4.5-02 Friendly now, and when the Player Turn began."""
    if (now := status(state, area, side)) != "friendly":
        return Illegal(rule, "not-friendly", {"area": area, "status": now})
    if area not in state.was_friendly:
        return Illegal(rule, "not-friendly-before", {"area": area})
    return None


# ------------------------------------------------------------------ 4.5


def strategic_limit(state: State) -> int:
    """4.5-01"""
    meta = state.pack.meta
    return meta.strategic_moves_first_turn if state.turn == 1 else meta.strategic_moves


def why_not_strategic(state: State, side: Side, path: tuple[str, ...], party: Party) -> Refusal | None:
    """4.5 From one Friendly Entente source to another, whatever lies between; 4.5-04 never England."""
    if side != "EN":
        return Illegal("TTLM-4.5-01", "entente-only")
    used, limit = state.used.get("strat", 0), strategic_limit(state)
    if used + party.number > limit:
        return Illegal("TTLM-4.5-01", "strategic-moves-used", {"used": used, "limit": limit})
    if len(path) != 2:
        return Illegal("TTLM-4.5-01", "two-ends")
    for area in path:
        if area not in state.pack.sources[side]:
            rule = "TTLM-4.5-04" if area == ENGLAND else "TTLM-4.5-01"
            return Illegal(rule, "not-a-source", {"area": area})
        if (refusal := unfriendly(state, side, area, "TTLM-4.5-02")) is not None:
            return refusal
    return None


# ------------------------------------------------------------------ 4.6


def why_not_sea(state: State, side: Side, path: tuple[str, ...], party: Party) -> Refusal | None:
    """4.6 One UK army or unit between England and a coastal source, Friendly or Disputed."""
    nation_of = state.pack.nation_of
    travellers = (party.army,) if party.army else party.units  # 4.6-05 what an army carries goes with it
    if any(nation_of[one] != SEAFARERS for one in travellers):
        return Illegal("TTLM-4.6-01", "uk-only")
    if len(path) != 2 or ENGLAND not in path:
        return Illegal("TTLM-4.6-01", "not-by-sea", {"legal": (ENGLAND, *state.pack.coastal_sources)})
    port = path[0] if path[1] == ENGLAND else path[1]
    return port_refusal(state, side, port, "TTLM-4.6-03") or crossing_refusal(state, party, "TTLM-4.6-01")


def port_refusal(state: State, side: Side, port: str, rule: str) -> Refusal | None:
    """4.6-01, -03 A coastal source that is not the enemy's."""
    if port in state.pack.coastal_sources and status(state, port, side) in OPEN:
        return None
    legal = tuple(one for one in state.pack.coastal_sources if status(state, one, side) in OPEN)
    if port in state.pack.coastal_sources:
        return Illegal(rule, "enemy-port", {"area": port, "legal": legal})
    return Illegal("TTLM-4.6-01", "no-port", {"area": port, "legal": legal})


def crossing_refusal(state: State, party: Party, rule: str) -> Refusal | None:
    """4.6-01 One in a Movement Phase."""
    limit = state.pack.meta.sea_moves
    if (used := state.used.get("sea", 0)) + party.number > limit:
        return Illegal(rule, "sea-moves-used", {"used": used, "limit": limit})
    return None


# ------------------------------------------------------------------ 9.6


def reserves_card(state: State, side: Side) -> str | None:
    """The card that would be played; None: the side holds none."""
    of = state.pack.cards
    return next((c for c in state.hands[side] if of[c] == RESERVES and c not in state.fresh), None)


def why_not_reserves(state: State, side: Side, path: tuple[str, ...], party: Party) -> Refusal | None:
    """9.6 One unit over any distance, between the ends Friendly areas only."""
    if reserves_card(state, side) is None:
        return Illegal("TTLM-9.6-01", "no-such-card", {"card": RESERVES})
    if party.number != 1:
        return Illegal("TTLM-9.6-01", "one-unit-a-card")
    for area in (path[0], path[-1]):
        if (now := status(state, area, side)) not in OPEN:
            return Illegal("TTLM-9.6-01", "enemy-end", {"area": area, "status": now})
    for area in path[1:-1]:
        if (now := status(state, area, side)) != "friendly":
            return Illegal("TTLM-9.6-01", "not-friendly", {"area": area, "status": now})
        if has_presence(state, area, other(side)):
            return Illegal("TTLM-0-07", "enemy-on-the-way", {"area": area})
    return next((bad for a, b in pairwise(path) if (bad := border_refusal(state, side, a, b))), None)


def play_reserves(state: State, side: Side) -> Step:
    """9.6-01 The card goes to the discard pile."""
    card = reserves_card(state, side)
    assert card is not None
    yield CardPlayed(side, card, "reserves", (), removed=False, audience=holder(side))


# ------------------------------------------------------------------ 14.2.4


def why_not_evacuate(state: State, side: Side, path: tuple[str, ...], party: Party) -> Refusal | None:
    """14.2.4-01 The Belgian army goes from Antwerp to a coastal source; it is the phase's Sea Movement."""
    rule = "TTLM-14.2.4-01"
    if not state.options["antwerp_evacuation"]:
        return Illegal(rule, "option-off", {"option": "antwerp_evacuation"})
    if not party.army or state.pack.nation_of[party.army] != EVACUATED:
        return Illegal(rule, "belgian-army-only")
    if len(path) != 2 or path[0] != ANTWERP:
        return Illegal(rule, "from-antwerp-only", {"area": path[0]})
    return port_refusal(state, side, path[1], rule) or crossing_refusal(state, party, rule)
