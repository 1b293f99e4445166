"""What one seat may know, built up from nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from engine.games.first_world_war.answers import Alliance, Faction, Recall
from engine.games.first_world_war.printed import obedience
from engine.games.first_world_war.state import FACTIONS, State
from engine.kernel.fast_dataclass import fast_frozen
from engine.kernel.requests import Seat

if TYPE_CHECKING:
    from engine.games.first_world_war.pack import Pack


@fast_frozen
@dataclass(frozen=True, slots=True)
class View:
    """S-3 and S-4: the seat's private part and the public report. Mappings are never changed."""

    pack: Pack  # printed data, the same for all
    # S-4 what this seat alone may know
    seat: Seat
    factions: tuple[Faction, ...]  # those the seat runs
    known: Mapping[int, tuple[str, ...]]  # on each front, the counters whose identity this seat knows, sorted
    new: Mapping[Faction, tuple[str, ...]]  # own factions' new counters
    hands: Mapping[Faction, tuple[str, ...]]  # own factions' tiles
    recalls: tuple[Recall, ...]  # open requests, for DE and GA only
    # S-3 what everyone knows
    seats: Mapping[Faction, Seat]  # who runs what
    players: int
    options: Mapping[str, Any]  # optional rules and rulings in force
    turn: int
    phase: str  # "order" "deploy" "rounds" "victory" "replace" "over"
    round: int  # 1 to 16 in phase "rounds", else 0
    deploy_order: tuple[Faction, ...]
    round_order: tuple[Faction, ...]
    counts: Mapping[int, Mapping[Faction, int]]  # counters on each front, by colour; only colours present
    face_up: tuple[str, ...]  # counters lying face up, sorted
    off_board: Mapping[Faction, int]  # new counters and dummies off the board, number only
    track: Mapping[int, tuple[str, ...]]  # entry turn -> real armies still to come
    returning: tuple[str, ...]  # replaced, back next turn
    pool: Mapping[Faction, tuple[str, ...]]  # eliminated real armies
    control: Mapping[str, Faction]
    vp: Mapping[Faction, int]
    surrender: Mapping[Faction, tuple[int, ...]]  # fronts that gave a point this turn
    treaty: bool
    hand_backs: Mapping[Faction, tuple[int, int]]  # normal, mandatory: number of tiles
    cup_backs: Mapping[Alliance, tuple[int, int]]  # normal, mandatory
    tiles_out: tuple[str, ...]  # mandatory tiles played and gone
    attacked: Mapping[Faction, tuple[int, ...]]  # fronts each faction has attacked on this turn
    won: Mapping[Faction, bool]  # did the faction's previous round's attack succeed


# ------------------------------------------------------------------ whose faces a seat may look at


@dataclass(frozen=True, slots=True)
class Eyes:
    """What follows from pack and factions alone."""

    factions: tuple[Faction, ...]
    sees: Mapping[int, frozenset[str]]  # 5.1-5: on some fronts also Germans under its command
    negotiates: bool  # 5.2-2 recalls are its business


@cache
def eyes(pack: Pack, players: int, seat: Seat) -> Eyes:
    """The eyes of a seat in a game of so many players; whoever has no seat has no factions."""
    runs = pack.seats[players].get(seat, ())
    factions = tuple(faction for faction in FACTIONS if faction in runs)
    under = obedience(pack)
    own = frozenset(counter for counter, owner in pack.faction_of.items() if owner in factions)
    with_commanded = own | under.counters if under.commander in factions else own
    sees = {front: with_commanded if front in under.fronts else own for front in pack.fronts}
    return Eyes(factions, sees, under.owner in factions or under.commander in factions)


def known_on(state: State, seat: Seat, front: int) -> tuple[str, ...]:
    """S-4 The counters on a front whose identity the seat knows: its own, those it commands, face-up ones."""
    sees, up = eyes(state.pack, state.players, seat).sees[front], state.face_up
    return tuple([counter for counter in state.fronts[front] if counter in sees or counter in up])
