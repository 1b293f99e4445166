"""TRANSPORT-5, 9 Whatever is aboard must find its place in the same turn, that of all transports together."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from engine.games.trench_club.answers import Build, Move, Nation, Places
from engine.games.trench_club.rules import works
from engine.games.trench_club.rules.movement import March, cheapest_path
from engine.games.trench_club.rules.transport import (
    first_unloading,
    loaded_transports,
    places_for,
    unloadings,
)
from engine.games.trench_club.state import Position
from engine.kernel.errors import Facts, Illegal, Refusal

PATIENCE = 2000  # boards looked at before a crowded corner counts as one without room

# ------------------------------------------------------------------ what is refused


def why_not_strand(position: Position, act: Move | Build, nations: Sequence[Nation]) -> Refusal | None:
    """TRANSPORT-5, 9 Nothing may be done after which the loaded transports could not all be emptied."""
    carriers = [one for one in loaded_transports(position) if one != act.unit]
    if isinstance(act, Move) and act.aboard and act.aboard not in carriers:
        carriers.append(act.aboard)
    if not carriers or _leaves_room(position, act, carriers):
        return None
    after = _afterwards(position, act)
    if unloading_plan(after, carriers, nations) is not None:
        return None
    stuck = next((one for one in carriers if way_to_unload(after, one) is None), carriers[-1])
    return Illegal("TC-TRANSPORT-9", "cargo-stuck", {"unit": act.unit, "transport": stuck})


def why_not_left_behind(position: Position, move: Move, nations: Sequence[Nation]) -> Refusal | None:
    """COOP-5 A transport whose owner's lines are done could not put anybody down any more."""
    if not move.aboard or not is_left_behind(position, move.aboard, nations):
        return None
    owner = position.units[move.aboard].nation
    told: Facts = {"unit": move.unit, "transport": move.aboard, "nation": owner}
    return Illegal("TC-COOP-5", "captain-has-moved-on", told)


def is_left_behind(position: Position, transport_id: str, nations: Sequence[Nation]) -> bool:
    """COOP-5 Its owner acts before those who act now, and not with them."""
    owner, seats = position.units[transport_id].nation, position.seats
    return owner not in nations and seats.index(owner) < min(map(seats.index, nations))


def _leaves_room(position: Position, act: Move | Build, carriers: Sequence[str]) -> bool:
    """All can be put down at once, on hexes that the act leaves alone: then nothing has to be tried."""
    if isinstance(act, Build):
        return False
    carried = {one: position.cargo(one) for one in carriers}
    if act.aboard:  # the hex that the passenger leaves is free besides
        carried[act.aboard].append(act.unit)
        return all_at_once(position, carried) is not None
    taken = (*act.path[-1:], *(hex_ for _, hex_ in act.unload))
    return all_at_once(position, carried, taken) is not None


# ------------------------------------------------------------------ ways to unload


def way_to_unload(position: Position, transport_id: str) -> Move | None:
    """TRANSPORT-13 The nearest way to put the cargo down: where it stands, else at the end of a drive."""
    here = position.units[transport_id].at
    if (places := first_unloading(position, transport_id, here)) is not None:
        return Move(transport_id, (), unload=places)
    march = March(position, transport_id)
    for end in _drives(march):
        if (places := first_unloading(position, transport_id, end)) is not None:
            return _driven(march, end, places)
    return None


def ways_to_unload(march: March, others: Sequence[str]) -> Iterator[tuple[str, Places]]:
    """Every end with all ways to put the cargo down around it; of those that are all one to the other
    transports, because they leave them the same hexes, the first.
    """
    position, cargo, ground = march.position, march.position.cargo(march.id), _ground(march.position, others)
    known: set[frozenset[str]] = set()
    for end in (march.start, *_drives(march)):
        inside = end in position.forts
        for places in ((),) if inside else unloadings(position, march.id, end, cargo):
            taken = frozenset((end, *(hex_ for _, hex_ in places))) & ground
            if taken not in known:
                known.add(taken)
                yield end, places
            if ground.isdisjoint(position.grid.neighbours[end]):
                break


def _ground(position: Position, carriers: Sequence[str]) -> frozenset[str]:
    """All hexes that may come to matter to these transports: over friends they can drive, and mines that
    somebody else comes upon are gone.
    """
    clear = replace(position, mines={})
    ends = [hex_ for one in carriers for hex_ in (position.units[one].at, *March(clear, one).spread()[0])]
    return frozenset(ends).union(*(position.grid.neighbours[hex_] for hex_ in ends))


def _drives(march: March) -> list[str]:
    """Where it could drive and stay, the nearest first."""
    ends = sorted((cost, hex_) for hex_, cost in march.spread()[0].items())
    return [hex_ for _, hex_ in ends if hex_ != march.start and march.may_end(hex_)]


def _driven(march: March, end: str, places: Places) -> Move:
    if end == march.start:
        return Move(march.id, (), unload=places)
    path = cheapest_path(march, end, boards=False)
    assert path is not None, (march.id, end)
    return Move(march.id, path, unload=places)


def all_at_once(
    position: Position, carried: Mapping[str, Sequence[str]], taken: Collection[str] = ()
) -> dict[str, str] | None:
    """TRANSPORT-7, 8 A hex for everybody aboard these transports if none of them drives; None: too few.

    Each takes the first that is free for him; where none is left, those before him make room if they can.
    """
    offers: dict[str, list[str]] = {}
    for carrier, units in carried.items():
        for unit in units:
            near = places_for(position, carrier, position.units[carrier].at, position.units[unit])
            offers[unit] = [hex_ for hex_ in near if hex_ not in taken]
    holders: dict[str, str] = {}

    def finds_place(unit: str, tried: set[str]) -> bool:
        for hex_ in sorted(offers[unit], key=holders.__contains__):  # free ones first
            if hex_ in tried:
                continue
            tried.add(hex_)
            if hex_ not in holders or finds_place(holders[hex_], tried):
                holders[hex_] = unit
                return True
        return False

    for unit in sorted(offers, key=lambda one: (len(offers[one]), one)):
        if not finds_place(unit, set()):
            return None
    return {unit: hex_ for hex_, unit in holders.items()}


# ------------------------------------------------------------------ all transports together


@dataclass(slots=True)
class Patience:
    """How many boards may still be looked at."""

    left: int = PATIENCE


def unloading_plan(
    position: Position,
    carriers: Sequence[str],
    nations: Sequence[Nation],
    patience: Patience | None = None,
) -> tuple[Move, ...] | None:
    """TRANSPORT-5, 9 How these transports put everything down, one after the other; None: they cannot.

    Of what is left of a plan after its first move a plan is made in the same way: so that move is legal.
    COOP-5 Transports of those who act now go first, in any order; the others' turn comes after them.
    """
    now = [one for one in carriers if position.units[one].nation in nations]
    later = [one for one in carriers if one not in now]
    if len(carriers) == 1:
        way = way_to_unload(position, carriers[0])
        return None if way is None else (way,)
    places = all_at_once(position, {one: position.cargo(one) for one in carriers})
    if places is not None:
        return tuple(Move(one, (), unload=_own(position, one, places)) for one in (*now, *later))
    if any(_is_hopeless(position, one, carriers) for one in carriers):
        return None
    patience = patience or Patience()
    for carrier in now or later:
        rest = [one for one in carriers if one != carrier]
        march = March(position, carrier)
        for end, unload in ways_to_unload(march, rest):
            if not patience.left:
                return None
            patience.left -= 1
            sketch = Move(carrier, () if end == march.start else (end,), unload=unload)
            following = unloading_plan(_afterwards(position, sketch), rest, nations, patience)
            if following is not None:
                return (_driven(march, end, unload), *following)
    return None


def _own(position: Position, carrier: str, places: Mapping[str, str]) -> Places:
    return tuple(sorted((unit, places[unit]) for unit in position.cargo(carrier)))


def _is_hopeless(position: Position, carrier: str, carriers: Sequence[str]) -> bool:
    """It could not unload even if the others were not there, and no mines."""
    others = [one for one in carriers if one != carrier]
    on = {hex_: unit for hex_, unit in position.on.items() if unit not in others}
    return way_to_unload(replace(position, on=on, mines={}), carrier) is None


# ------------------------------------------------------------------ the board afterwards


def _afterwards(position: Position, act: Move | Build) -> Position:
    """The board as it will look, as far as transports need it."""
    if isinstance(act, Build):
        return replace(position, built={**position.built, **dict(works.outcome(position, act))})
    board = replace(position, units=dict(position.units), on=dict(position.on), mines=dict(position.mines))
    for hex_ in act.path if position.mines else ():
        if works.is_mined_against(position, act.unit, hex_):
            _lose(board, (act.unit, *position.cargo(act.unit)), hex_)
            return board
    if act.path:
        _put(board, act.unit, act.path[-1], act.aboard)
    for unit, hex_ in act.unload:
        if works.is_mined_against(position, unit, hex_):
            _lose(board, (unit,), hex_)
        else:
            _put(board, unit, hex_)
    return board


def _lose(board: Position, units: Sequence[str], mine: str) -> None:
    """SPECIAL-13 On a copied board."""
    for unit in units:
        _lift(board, unit)
        del board.units[unit]
    del board.mines[mine]


def _put(board: Position, unit_id: str, hex_: str, aboard: str = "") -> None:
    """On a copied board."""
    _lift(board, unit_id)
    board.units[unit_id] = replace(board.units[unit_id], at=hex_, aboard=aboard)
    if not aboard and hex_ not in board.forts:
        board.on[hex_] = unit_id


def _lift(board: Position, unit_id: str) -> None:
    at = board.units[unit_id].at
    if board.on.get(at) == unit_id:
        del board.on[at]
