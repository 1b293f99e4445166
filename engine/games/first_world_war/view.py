"""What one seat may know, built up from nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from engine.games.first_world_war.answers import Faction, Recall
from engine.games.first_world_war.printed import obedience
from engine.games.first_world_war.state import FACTIONS, State
from engine.kernel.requests import Seat

if TYPE_CHECKING:
    from engine.games.first_world_war.pack import Pack


@dataclass(frozen=True, slots=True)
class View:
    """S-3 and S-4: the public report and the seat's private part. Mappings are never changed."""

    pack: Pack  # printed data, the same for all
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


# ------------------------------------------------------------------ building it


Front: TypeAlias = "tuple[Mapping[Faction, int], tuple[str, ...]]"  # numbers by colour, identities known

MOST_REMEMBERED = 4096  # fronts, for each seat of a pack


@dataclass(frozen=True, slots=True)
class Eyes:
    """What follows from pack and seat alone: whose faces the seat may look at, on each front."""

    factions: tuple[Faction, ...]
    sees: Mapping[int, frozenset[str]]  # 5.1-5: on some fronts also Germans under its command
    negotiates: bool  # 5.2-2 recalls are its business
    colour: Mapping[str, Faction]
    mandatory: frozenset[str]
    remembered: dict[tuple[int, tuple[str, ...]], Front]  # fronts seldom change between two questions

    def look(self, front: int, there: list[str]) -> Front:
        """S-3, S-4 A front as these eyes see it while nothing lies face up."""
        place = (front, tuple(there))
        if (seen := self.remembered.get(place)) is None:
            if len(self.remembered) >= MOST_REMEMBERED:
                self.remembered.clear()
            colours = [self.colour[counter] for counter in there]
            number = {f: colours.count(f) for f in FACTIONS if f in colours}  # ids' order would tell of ids
            sees = self.sees[front]
            seen = self.remembered[place] = (number, tuple([c for c in there if c in sees]))
        return seen


@cache
def eyes(pack: Pack, factions: tuple[Faction, ...]) -> Eyes:
    """The eyes of a seat that runs these factions."""
    under = obedience(pack)
    own = frozenset(counter for counter, owner in pack.faction_of.items() if owner in factions)
    with_commanded = own | under.counters if under.commander in factions else own
    return Eyes(
        factions=factions,
        sees={front: with_commanded if front in under.fronts else own for front in pack.fronts},
        negotiates=under.owner in factions or under.commander in factions,
        colour=dict(pack.faction_of),
        mandatory=frozenset(tile.id for tile in pack.tiles.values() if tile.mandatory),
        remembered={},
    )


def factions_of(state: State, seat: Seat) -> tuple[Faction, ...]:
    return tuple([faction for faction in FACTIONS if state.seats[faction] == seat])


def known_on(state: State, seat: Seat, front: int) -> tuple[str, ...]:
    """S-4 The counters on a front whose identity the seat knows: its own, those it commands, face-up ones."""
    sees, up = eyes(state.pack, factions_of(state, seat)).sees[front], state.face_up
    return tuple([counter for counter in state.fronts[front] if counter in sees or counter in up])


def build_view(state: State, seat: Seat) -> View:
    """S-3, S-4 Everything public, and what this seat alone may know. Runs for every question."""
    factions = factions_of(state, seat)
    own = eyes(state.pack, factions)
    counts, known = _fronts(state, own)
    waiting, mandatory = state.waiting, own.mandatory
    return View(
        pack=state.pack,
        seat=seat,
        factions=factions,
        seats=dict(state.seats),
        players=state.players,
        options=dict(state.options),
        turn=state.turn,
        phase=state.phase,
        round=state.round,
        deploy_order=state.deploy_order,
        round_order=state.round_order,
        counts=counts,
        known=known,
        face_up=tuple(state.face_up),
        new={faction: tuple(waiting[faction]) for faction in factions},
        off_board={faction: len(there) for faction, there in waiting.items()},
        track={turn: tuple(armies) for turn, armies in state.track.items() if armies},
        returning=tuple(state.returning),
        pool={faction: tuple(armies) for faction, armies in state.pool.items()},
        control=state.control.copy(),
        vp=state.vp.copy(),
        surrender={faction: tuple(fronts) for faction, fronts in state.surrender.items()},
        treaty=state.treaty,
        hands={faction: tuple(state.hands[faction]) for faction in factions},
        hand_backs={faction: _backs(tiles, mandatory) for faction, tiles in state.hands.items()},
        cup_backs={alliance: _backs(tiles, mandatory) for alliance, tiles in state.cups.items()},
        tiles_out=tuple(state.tiles_out),
        attacked={faction: tuple(fronts) for faction, fronts in state.attacked.items()},
        won=state.won.copy(),
        recalls=_recalls(state) if own.negotiates and state.recalls else (),
    )


def _fronts(state: State, own: Eyes) -> tuple[dict[int, Mapping[Faction, int]], dict[int, tuple[str, ...]]]:
    """Numbers by colour for everyone, identities for these eyes."""
    counts, known = {}, {}
    for front, there in state.fronts.items():
        counts[front], known[front] = own.look(front, there)
    if state.face_up:
        up = frozenset(state.face_up)
        for front, there in state.fronts.items():
            if not up.isdisjoint(there):
                sees = own.sees[front]
                known[front] = tuple([c for c in there if c in sees or c in up])
    return counts, known


def _backs(tiles: list[str], mandatory: frozenset[str]) -> tuple[int, int]:
    """Number of normal and of mandatory tiles."""
    forced = len(mandatory.intersection(tiles))
    return len(tiles) - forced, forced


def _recalls(state: State) -> tuple[Recall, ...]:
    """5.2-2 Requests whose army still stands where it was asked for."""
    return tuple([recall for recall in state.recalls if recall.army in state.fronts[recall.origin]])
