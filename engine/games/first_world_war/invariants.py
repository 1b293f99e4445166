"""What is true of every position, whatever was played."""

from __future__ import annotations

from engine.games.first_world_war.order_of_play import ROUNDS
from engine.games.first_world_war.state import FACTIONS, State
from engine.kernel.setup import check_each_once


def check(state: State) -> None:
    """2.0 Every counter and every tile lies in exactly one place; the markers are within their tracks."""
    _check_counters(state)
    _check_tiles(state)
    _check_markers(state)


def _check_counters(state: State) -> None:
    pack, owner = state.pack, state.pack.faction_of
    places: dict[str, list[str]] = {f"front {front}": there for front, there in state.fronts.items()}
    places |= {f"waiting {faction}": there for faction, there in state.waiting.items()}
    places |= {f"pool {faction}": there for faction, there in state.pool.items()}
    places |= {f"track {turn}": there for turn, there in state.track.items()}
    places |= {"returning": state.returning, "gone": state.gone}
    check_each_once("counter", places, sorted((*pack.armies, *pack.dummies)))
    for faction in FACTIONS:
        assert all(owner[c] == faction for c in (*state.waiting[faction], *state.pool[faction])), (
            "wrong colour"
        )
    for front, there in state.fronts.items():
        for counter in there:
            nation = pack.nationality_of.get(counter)
            listed = nation in pack.permitted[front] if nation else front in pack.fronts_of[owner[counter]]
            assert listed, f"{counter} may not stand on front {front} (2.1-2)"
    off_limits = [*state.returning, *(a for there in state.pool.values() for a in there)]
    off_limits += [army for there in state.track.values() for army in there]
    assert all(c in pack.armies for c in off_limits), "a dummy where only real armies can be"
    on_board = {counter for there in state.fronts.values() for counter in there}
    assert state.face_up == sorted(set(state.face_up)), "face_up is not sorted"
    assert on_board.issuperset(state.face_up), "a face-up counter that is not on the board"
    assert all(recall.army in pack.armies or recall.army in pack.dummies for recall in state.recalls)


def _check_tiles(state: State) -> None:
    pack = state.pack
    places: dict[str, list[str]] = {f"hand {faction}": tiles for faction, tiles in state.hands.items()}
    places |= {f"cup {alliance}": tiles for alliance, tiles in state.cups.items()}
    places |= {f"table {faction}": [tile] for faction, tile in state.placed.items()}
    places |= {"aside": state.aside, "out": state.tiles_out}
    check_each_once("tile", places, sorted(pack.tiles))
    for faction, tiles in state.hands.items():
        assert len(tiles) <= pack.meta.hand_limit, f"{faction} holds {len(tiles)} tiles"
        assert all(pack.tiles[t].alliance == pack.alliance_of[faction] for t in tiles), (
            "a foreign tile in hand"
        )
    for alliance, tiles in state.cups.items():
        assert all(pack.tiles[tile].alliance == alliance for tile in tiles), "a foreign tile in the cup"


def _check_markers(state: State) -> None:
    pack = state.pack
    assert state.turn in pack.turns, f"turn {state.turn}"
    assert (
        (1 <= state.round <= ROUNDS) if state.phase == "rounds" else state.phase == "over" or not state.round
    )
    assert all(points >= pack.vp_floor for points in state.vp.values()), f"VP {state.vp}"
    assert sorted(state.deploy_order) == sorted(state.round_order) == sorted(FACTIONS), "an order of play"
    assert set(state.control) == set(pack.locations), "control of unknown or missing locations"
    for location, faction in state.control.items():
        assert faction in pack.fighter[pack.front_of[location]].values(), f"{faction} cannot hold {location}"
    for fronts in state.surrender.values():
        assert fronts == sorted(set(fronts)), "more than one surrender point for a front"  # 6.5.2-1
