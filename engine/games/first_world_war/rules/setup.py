"""3, 9 Set-up: what is agreed, and what lies where before turn 1."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from engine.games.first_world_war.order_of_play import first_of_turn
from engine.games.first_world_war.pack import Pack
from engine.games.first_world_war.state import State
from engine.kernel.errors import EngineError
from engine.kernel.game import GameSettings
from engine.kernel.requests import Seat, Segment
from engine.kernel.setup import agree_options

STANDARD, HISTORICAL = "standard", "historical"
SCENARIOS = (STANDARD, HISTORICAL)
WORDS: Mapping[str, tuple[str, ...]] = {
    "hand_scope": ("faction", "player"),
    "unreplaced_losses": ("stay", "removed"),
    "garrison_rule": ("held-fronts", "empty-fronts"),
}


def set_up(pack: Pack, settings: GameSettings) -> tuple[State, Segment]:
    """3-1 to 3-7 The start of a game; the deployment phase of turn 1 places the armies (3-6)."""
    state = empty_board(pack, settings)
    for army in pack.armies.values():
        if army.entry > 1:
            state.track[army.entry].append(army.id)  # 3-2
        else:
            state.waiting[army.faction].append(army.id)
    for dummy in pack.dummies.values():
        state.waiting[dummy.faction].append(dummy.id)  # 3-6
    if state.options["historical_setup"]:
        place_historically(state)
    sort_places(state)
    return state, first_of_turn(state, 1)


def place_historically(state: State) -> None:
    """9.3-1 The armies of turn 1 stand where they stood; 9.3-2 their dummies wait for phase 1."""
    for front, row in state.pack.historical_setup.items():
        for army in (*row.allies, *row.central):
            state.waiting[state.pack.faction_of[army]].remove(army)
            state.fronts[front].append(army)


def empty_board(pack: Pack, settings: GameSettings) -> State:
    """3-1, 3-4, 3-5 Markers and tiles at their start, not a counter anywhere."""
    state = State(
        pack=pack,
        players=settings.players,
        options=agreed_options(pack, settings),
        seats=seats_by_faction(pack, settings.players),
        deploy_order=pack.deployment_order,
        round_order=pack.round_order,
        fronts={front: [] for front in sorted(pack.fronts)},
        track={turn: [] for turn in sorted(pack.turns)},
        control={location.id: location.owner for location in pack.locations.values()},
        vp={faction.id: faction.start_vp for faction in pack.factions.values()},
        cups={alliance: [] for alliance in pack.alliances},
    )
    for faction in pack.factions:
        state.waiting[faction], state.pool[faction], state.hands[faction] = [], [], []
        state.surrender[faction], state.attacked[faction], state.won[faction] = [], [], False
    for tile in pack.tiles.values():
        in_play = tile.id in pack.tiles_for_turn[1]
        (state.cups[tile.alliance] if in_play else state.aside).append(tile.id)
    return state


def sort_places(state: State) -> None:
    """Order tells nothing: every list of counters and tiles is sorted by id."""
    for there in (
        *state.fronts.values(),
        *state.track.values(),
        *state.waiting.values(),
        *state.pool.values(),
    ):
        there.sort()
    for tiles in (*state.cups.values(), *state.hands.values(), state.aside, state.tiles_out):
        tiles.sort()
    for counters in (state.face_up, state.returning, state.gone):
        counters.sort()


# ------------------------------------------------------------------ what is agreed


def seat_names(pack: Pack, players: int) -> tuple[Seat, ...]:
    """1-1 to 1-4 The seats of a game of so many players."""
    if players not in pack.seats:
        raise EngineError(f"players: {players}; the game takes {', '.join(map(str, sorted(pack.seats)))}")
    return tuple(Seat(name) for name in pack.seats[players])


def seats_by_faction(pack: Pack, players: int) -> dict[Any, Seat]:
    """1-2 to 1-5 Who runs which faction."""
    names = seat_names(pack, players)
    return {faction: seat for seat in names for faction in pack.seats[players][seat]}


def agreed_options(pack: Pack, settings: GameSettings) -> dict[str, Any]:
    """9 Optional rules and switches of the rulings, complete; what was not agreed keeps its default."""
    agreed = agree_options(pack, settings, SCENARIOS, sorted(pack.seats), partial(allowed_values, pack))
    if settings.scenario == HISTORICAL:
        if settings.options.get("historical_setup") is False:
            raise EngineError(f"option 'historical_setup': off contradicts the scenario {HISTORICAL!r}")
        agreed["historical_setup"] = True
    return agreed


def allowed_values(pack: Pack, name: str) -> tuple[Any, ...]:
    if name in WORDS:
        return WORDS[name]
    default = {**pack.options, **pack.rulings}[name]
    return (False, True) if isinstance(default, bool) else tuple(sorted(pack.turns))
