"""What one seat may know, built up from nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.games.first_world_war.answers import Faction, Recall
from engine.kernel.requests import Seat


@dataclass(frozen=True, slots=True)
class View:
    """S-3 and S-4: the public report and the seat's private part. Mappings are never changed."""

    pack: Any  # printed data, the same for all
    seat: Seat
    factions: tuple[Faction, ...]  # those the seat runs
    seats: Mapping[Faction, Seat]  # who runs what
    players: int
    options: Mapping[str, Any]  # optional rules and rulings in force
    turn: int
    phase: str  # "order" "deploy" "rounds" "victory" "replace" "over"
    round: int  # 1 to 16 in phase "rounds", else 0
    deploy_order: tuple[Faction, ...]
    round_order: tuple[Faction, ...]
    counts: Mapping[int, Mapping[Faction, int]]  # counters on each front, by colour; only colours present
    known: Mapping[int, tuple[str, ...]]  # on each front, the counters whose identity this seat knows, sorted
    face_up: tuple[str, ...]  # counters lying face up, sorted
    new: Mapping[Faction, tuple[str, ...]]  # own factions' new counters
    off_board: Mapping[Faction, int]  # new counters and dummies off the board, number only
    track: Mapping[int, tuple[str, ...]]  # entry turn -> real armies still to come
    returning: tuple[str, ...]  # replaced, back next turn
    pool: Mapping[Faction, tuple[str, ...]]  # eliminated real armies
    control: Mapping[str, Faction]
    vp: Mapping[Faction, int]
    surrender: Mapping[Faction, tuple[int, ...]]  # fronts that gave a point this turn
    treaty: bool
    hands: Mapping[Faction, tuple[str, ...]]  # own factions' tiles
    hand_backs: Mapping[Faction, tuple[int, int]]  # normal, mandatory: number of tiles
    cup_backs: Mapping[str, tuple[int, int]]  # alliance -> normal, mandatory
    tiles_out: tuple[str, ...]  # mandatory tiles played and gone
    attacked: Mapping[Faction, tuple[int, ...]]  # fronts each faction has attacked on this turn
    won: Mapping[Faction, bool]  # did the faction's previous round's attack succeed
    recalls: tuple[Recall, ...]  # open requests, for DE and GA only
