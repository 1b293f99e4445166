"""What is true of every position, whatever was played."""

from __future__ import annotations

from engine.games.trench_club.rules.works import is_mined_against
from engine.games.trench_club.state import State, Unit


def check(state: State) -> None:
    """After every fact."""
    _check_places(state)
    _check_cargo(state)
    _check_forts(state)
    for unit in state.units.values():
        assert 0 <= unit.damage < state.pack.dice.destroyed_at, f"{unit.id} has {unit.damage} damage"
        assert 0 <= unit.xp <= state.pack.experience.most, f"{unit.id} has {unit.xp} experience"
    for camp, money in state.money.items():
        assert money >= 0, f"{camp} owes {-money}"


def _check_places(state: State) -> None:
    """MOVE-20 One unit a hex; what lies where is known both ways."""
    there: dict[str, str] = {}
    for unit in state.units.values():
        if unit.at:
            assert unit.at in state.grid, f"{unit.id} stands off the board, on {unit.at}"
        if state.is_on_map(unit.id) and not _is_being_lost(state, unit):
            assert unit.at not in there, f"{unit.id} and {there[unit.at]} stand on {unit.at}"
            there[unit.at] = unit.id
    assert there == state.on, "the board does not show where the units stand"


def _is_being_lost(state: State, unit: Unit) -> bool:
    """SPECIAL-16 On a mine below a friend in the air, that is its way's end: the next fact takes it off."""
    return state.on.get(unit.at) != unit.id and is_mined_against(state, unit.id, unit.at)


def _check_cargo(state: State) -> None:
    """TRANSPORT-1, 5 Four at most, of the right kinds, with their transport; nothing aboard between turns."""
    for unit in state.units.values():
        if not unit.aboard:
            continue
        carrier = state.units[unit.aboard]
        assert state.type_of(unit.id).transportable, f"{unit.id} is aboard {carrier.id}"
        assert unit.at == carrier.at, f"{unit.id} is aboard {carrier.id}, which stands elsewhere"
        assert len(state.cargo(carrier.id)) <= state.type_of(carrier.id).capacity, (
            f"{carrier.id} is overloaded"
        )
        assert state.phase in ("moves", "over"), f"{unit.id} is still aboard"


def _check_forts(state: State) -> None:
    """FORT-7, 8 Inside a fort stand only units of its owner."""
    for unit in state.units.values():
        if unit.at in state.forts:
            assert state.forts[unit.at] == state.camp_of[unit.nation], f"{unit.id} is in a fort not its own"
    for hex_ in state.mines:
        assert state.terrain(hex_) not in ("water", "fort"), f"a mine lies on {hex_}"
