"""TRANSPORT Who may board, and where what is carried may be put down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from engine.games.trench_club.answers import Move, Places
from engine.games.trench_club.facts.moves import CargoUnloaded
from engine.games.trench_club.pack import Pack
from engine.games.trench_club.rules.companies import is_called
from engine.games.trench_club.rules.terrain import FOOT, hex_costs
from engine.games.trench_club.rules.trenches import held_against
from engine.games.trench_club.state import Position, State, Unit
from engine.kernel.errors import Facts, Illegal, Refusal
from engine.kernel.requests import Rng, Step

# ------------------------------------------------------------------ boarding


def why_not_board(position: Position, unit_id: str, transport_id: str) -> Refusal | None:
    """TRANSPORT-1, 3, 13 An own transport with room that has not moved yet; the step itself is no matter."""
    unit, carrier = position.units[unit_id], position.units.get(transport_id)
    told = {"unit": unit_id, "transport": transport_id}
    if carrier is None or not (capacity := position.pack.types[carrier.type].capacity):
        return Illegal("TC-TRANSPORT-2", "no-such-transport", told)
    if position.camp_of[carrier.nation] != position.camp_of[unit.nation]:
        return Illegal("TC-TRANSPORT-3", "not-own-transport", told)
    if not position.pack.types[unit.type].transportable:
        return Illegal("TC-TRANSPORT-1", "not-transportable", told)
    if carrier.at in position.forts:
        return Illegal("TC-TRANSPORT-12", "transport-in-fort", {**told, "fort": carrier.at})
    if transport_id in position.moved:
        return Illegal("TC-TRANSPORT-13", "transport-has-moved", told)
    if not is_called(position, carrier):
        return Illegal("TC-SETUP-26", "company-rests", {**told, "company": carrier.company})
    if len(position.cargo(transport_id)) >= capacity:
        return Illegal("TC-TRANSPORT-1", "transport-full", {**told, "capacity": capacity})
    return None


def open_transports(position: Position, unit: Unit) -> dict[str, str]:
    """Hexes of the transports that would take it, and their ids."""
    if not position.pack.types[unit.type].transportable:
        return {}
    carriers, moved, camp_of = carrier_types(position.pack), position.moved, position.camp_of
    camp, found = camp_of[unit.nation], {}
    for other in position.units.values():
        if other.type not in carriers or other.id in moved or camp_of[other.nation] != camp:
            continue  # most are not even looked at
        if why_not_board(position, unit.id, other.id) is None:
            found[other.at] = other.id
    return found


@lru_cache(maxsize=16)
def carrier_types(pack: Pack) -> frozenset[str]:
    """TRANSPORT-1 Types that can take others aboard."""
    return frozenset(one.id for one in pack.types.values() if one.capacity)


# ------------------------------------------------------------------ unloading


def places_for(position: Position, transport_id: str, at: str, unit: Unit) -> list[str]:
    """TRANSPORT-7, 8 Free neighbours of that hex on which the unit may stand, clockwise; mined ones last."""
    klass = position.pack.types[unit.type].klass
    costs, _ = hex_costs(position, klass)
    team = position.pack.team_of[unit.nation]
    closed = held_against(position, team) if klass == FOOT else frozenset()
    free = [
        hex_
        for hex_ in position.grid.neighbours[at]
        if hex_ in costs and hex_ not in closed and position.on.get(hex_, transport_id) == transport_id
    ]
    of = position.pack.team_of
    safe = [hex_ for hex_ in free if hex_ not in position.mines or of[position.mines[hex_]] == team]
    return safe + [hex_ for hex_ in free if hex_ not in safe]


def unloadings(position: Position, transport_id: str, at: str, cargo: Iterable[str]) -> Iterator[Places]:
    """TRANSPORT-9 Every way to put all of it down around that hex, those who find fewest places first."""
    offers = {unit: places_for(position, transport_id, at, position.units[unit]) for unit in cargo}
    units = sorted(offers, key=lambda unit: (len(offers[unit]), unit))

    def put(n: int, taken: tuple[tuple[str, str], ...]) -> Iterator[Places]:
        if n == len(units):
            yield tuple(sorted(taken))
            return
        used = [hex_ for _, hex_ in taken]
        for hex_ in offers[units[n]]:
            if hex_ not in used:
                yield from put(n + 1, (*taken, (units[n], hex_)))

    return put(0, ())


def first_unloading(position: Position, transport_id: str, at: str) -> Places | None:
    """TRANSPORT-9, 11 One way to put everything down; () inside a fort or if nothing is aboard."""
    cargo = position.cargo(transport_id)
    if not cargo or at in position.forts:
        return ()
    return next(unloadings(position, transport_id, at, cargo), None)


def drawn_unloading(position: Position, transport_id: str, at: str, rng: Rng) -> Places | None:
    """One of all ways, by chance."""
    cargo = position.cargo(transport_id)
    if not cargo or at in position.forts:
        return ()
    offers = {unit: places_for(position, transport_id, at, position.units[unit]) for unit in cargo}
    taken: dict[str, str] = {}
    for unit in sorted(offers, key=lambda unit: (len(offers[unit]), unit)):
        free = [hex_ for hex_ in offers[unit] if hex_ not in taken.values()]
        if not free:
            return None
        taken[unit] = rng.choice(free)
    return tuple(sorted(taken.items()))


def why_not_unload(position: Position, move: Move, at: str) -> Refusal | None:
    """TRANSPORT-5, 7..9, 11 All of it, around the hex where the transport ends."""
    cargo = position.cargo(move.unit)
    told: Facts = {"unit": move.unit, "hex": at, "cargo": tuple(cargo)}
    if at in position.forts or not cargo:
        if not move.unload:
            return None
        return Illegal("TC-TRANSPORT-11" if cargo else "TC-TRANSPORT-7", "nothing-to-unload", told)
    if (legal := first_unloading(position, move.unit, at)) is None:
        return Illegal("TC-TRANSPORT-9", "no-room", told)
    told = {**told, "legal": tuple(f"{unit}@{hex_}" for unit, hex_ in legal)}
    if sorted(unit for unit, _ in move.unload) != sorted(cargo):
        return Illegal("TC-TRANSPORT-5", "all-must-unload", told)
    taken: list[str] = []
    for unit, hex_ in move.unload:
        told = {**told, "passenger": unit, "place": hex_}
        if at not in position.grid.neighbours.get(hex_, ()):
            return Illegal("TC-TRANSPORT-7", "not-next-to-transport", told)
        if hex_ in taken or position.on.get(hex_, move.unit) != move.unit or hex_ in position.forts:
            return Illegal("TC-TRANSPORT-7", "place-taken", told)
        if hex_ not in places_for(position, move.unit, at, position.units[unit]):
            return Illegal("TC-TRANSPORT-8", "wrong-terrain", {**told, "terrain": position.terrain(hex_)})
        taken.append(hex_)
    return None


def unload(state: State, transport: str, places: Places) -> Step:
    """TRANSPORT-5, 11 Around the transport, or into the fort that it has entered."""
    at = state.units[transport].at
    if at in state.forts:
        places = tuple((unit, at) for unit in sorted(state.cargo(transport)))
    if places:
        yield CargoUnloaded(transport, places)


# ------------------------------------------------------------------ nothing stays aboard


def loaded_transports(position: Position) -> list[str]:
    """Transports with somebody aboard, in the order of ids."""
    carriers = [unit.aboard for unit in position.units.values() if unit.aboard]
    return list(dict.fromkeys(carriers)) if carriers else carriers
