"""What one seat may know, built up from nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from engine.games.first_world_war.answers import Alliance, Faction, Recall
from engine.games.first_world_war.printed import obedience
from engine.games.first_world_war.state import FACTIONS, State
from engine.kernel.frozen import swift
from engine.kernel.requests import Seat

if TYPE_CHECKING:
    from engine.games.first_world_war.pack import Pack

T = TypeVar("T")


@swift
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


def build_view(state: State, seat: Seat) -> View:
    """S-3, S-4 Everything public, and what this seat alone may know."""
    return Report(state).view(seat)


# ------------------------------------------------------------------ what pieces look like


Ids: TypeAlias = tuple[str, ...]
Numbers: TypeAlias = "Mapping[Faction, int]"  # counters of each colour present
Backs: TypeAlias = tuple[int, int]  # number of normal and of mandatory tiles

MOST_REMEMBERED = 1024  # places; little changes between two questions, so most are seen again and again


class Remembered(dict[Ids, T]):
    """What pieces look like, found by the pieces themselves."""

    __slots__ = ("_look",)

    def __init__(self, look: Callable[[Ids], T]) -> None:
        super().__init__()
        self._look = look

    def __missing__(self, pieces: Ids) -> T:
        if len(self) >= MOST_REMEMBERED:
            self.clear()
        self[pieces] = seen = self._look(pieces)
        return seen


@cache
def colours(pack: Pack) -> Remembered[Numbers]:
    """S-3 Counters face down, by colour; in the factions' order, because the ids' order would tell of ids."""
    colour = dict(pack.faction_of)

    def look(counters: Ids) -> Numbers:
        there = [colour[counter] for counter in counters]
        return {faction: there.count(faction) for faction in FACTIONS if faction in there}

    return Remembered(look)


@cache
def backs(pack: Pack) -> Remembered[Backs]:
    """S-6 Tiles face down."""
    mandatory = frozenset(tile.id for tile in pack.tiles.values() if tile.mandatory)

    def look(tiles: Ids) -> Backs:
        forced = len(mandatory.intersection(tiles))
        return len(tiles) - forced, forced

    return Remembered(look)


@dataclass(frozen=True, slots=True)
class Eyes:
    """What follows from pack and factions alone: whose faces their seat may look at, on each front."""

    factions: tuple[Faction, ...]
    sees: Mapping[int, frozenset[str]]  # 5.1-5: on some fronts also Germans under its command
    faces: Mapping[int, Remembered[Ids]]  # S-4 of the counters there those whose identity it knows
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
    faces = {front: Remembered(partial(_among, sees[front])) for front in pack.fronts}
    return Eyes(factions, sees, faces, under.owner in factions or under.commander in factions)


def _among(visible: frozenset[str], there: Ids) -> Ids:
    return tuple([counter for counter in there if counter in visible])


# ------------------------------------------------------------------ what a seat sees


def known_on(state: State, seat: Seat, front: int) -> tuple[str, ...]:
    """S-4 The counters on a front whose identity the seat knows: its own, those it commands, face-up ones."""
    sees, up = eyes(state.pack, state.players, seat).sees[front], state.face_up
    return tuple([counter for counter in state.fronts[front] if counter in sees or counter in up])


class Report:
    """S-3 What all know of a position, worked out once for all seats. Void as soon as it changes."""

    __slots__ = ("_fronts", "_known", "_public", "_shown", "_state")

    def __init__(self, state: State) -> None:
        colour, back = colours(state.pack), backs(state.pack)
        self._state = state
        self._fronts = fronts = {front: tuple(there) for front, there in state.fronts.items()}
        self._shown = frozenset(state.face_up)
        self._known: dict[tuple[Faction, ...], Mapping[int, Ids]] = {}
        self._public = (  # in the order of a view's fields
            dict(state.seats),
            state.players,
            dict(state.options),
            state.turn,
            state.phase,
            state.round,
            state.deploy_order,
            state.round_order,
            {front: colour[there] for front, there in fronts.items()},
            tuple(state.face_up),
            {faction: len(there) for faction, there in state.waiting.items()},
            {turn: tuple(armies) for turn, armies in state.track.items() if armies},
            tuple(state.returning),
            {faction: tuple(armies) for faction, armies in state.pool.items()},
            state.control.copy(),
            state.vp.copy(),
            {faction: tuple(points) for faction, points in state.surrender.items()},
            state.treaty,
            {faction: back[tuple(tiles)] for faction, tiles in state.hands.items()},
            {alliance: back[tuple(tiles)] for alliance, tiles in state.cups.items()},
            tuple(state.tiles_out),
            {faction: tuple(attacks) for faction, attacks in state.attacked.items()},
            state.won.copy(),
        )

    def view(self, seat: Seat) -> View:
        """S-4 The report, and what this seat alone may know. Runs for every question."""
        state = self._state
        own = eyes(state.pack, state.players, seat)
        factions = own.factions
        new = {faction: tuple(state.waiting[faction]) for faction in factions}
        hands = {faction: tuple(state.hands[faction]) for faction in factions}
        known = self._known.get(factions) or self._look(own)
        recalls = _recalls(state) if own.negotiates and state.recalls else ()
        return View(state.pack, seat, factions, known, new, hands, recalls, *self._public)

    def _look(self, own: Eyes) -> Mapping[int, Ids]:
        """S-4 The identities that these eyes know."""
        fronts, shown, faces = self._fronts, self._shown, own.faces
        known = {front: faces[front][there] for front, there in fronts.items()}
        if shown:
            for front, there in fronts.items():
                if not shown.isdisjoint(there):
                    sees = own.sees[front]
                    known[front] = tuple([c for c in there if c in sees or c in shown])
        self._known[own.factions] = known
        return known


def _recalls(state: State) -> tuple[Recall, ...]:
    """5.2-2 Requests whose army still stands where it was asked for."""
    return tuple([recall for recall in state.recalls if recall.army in state.fronts[recall.origin]])
