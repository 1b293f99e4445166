"""12 The free game: Belgium, Luxembourg and Britain begin neutral."""

from __future__ import annotations

from engine.games.to_the_last_man.answers import Side
from engine.games.to_the_last_man.facts.board import OwnerChanged
from engine.games.to_the_last_man.state import State
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Step

BELGIUM = "BE"
ALLIES = ("BE", "UK")  # 12-01 they join together


def is_neutral(state: State, nation: str) -> bool:
    """12-01 Belgium and Britain are neutral as long as any Belgian area is nobody's."""
    if not state.options["free_game"] or nation not in ALLIES:
        return False
    owner = state.owner
    return any(row.country == BELGIUM and owner[area] == "" for area, row in state.pack.areas.items())


def inert_refusal(state: State, piece: str) -> Refusal | None:
    """12-01 Armies and kinds of a nation that is neutral still do nothing."""
    nation = state.pack.armies[piece].nation if piece in state.pack.armies else piece.partition(".")[0]
    return Illegal("TTLM-12-01", "still-neutral", {"piece": piece}) if is_neutral(state, nation) else None


def entry_refusal(state: State, side: Side, area: str) -> Refusal | None:
    """4.1-10, 12-01 Neutral areas are closed; in the free game Germany may enter them in an Offensive, and
    both sides Luxembourg.

    Ruling: the Entente may not enter neutral Belgium. Whoever it entered would join the other side, but
    Belgian and British counters belong to the Entente.
    """
    if not state.options["free_game"]:
        return Illegal("TTLM-4.1-10", "neutral", {"area": area})
    if side == "EN" and state.pack.areas[area].country in ALLIES:
        return Illegal("TTLM-12-01", "neutral-belgium", {"area": area})
    return None


def provoke(state: State, side: Side, path: tuple[str, ...]) -> Step:
    """12-01 Germany enters a Belgian area: Belgium and Britain join the Entente at once."""
    areas = state.pack.areas
    if side == "EN" or not any(state.owner[to] == "" and areas[to].country == BELGIUM for to in path[1:]):
        return
    for area, row in areas.items():
        if row.country in ALLIES and state.owner[area] == "":
            yield OwnerChanged(area, "EN")
