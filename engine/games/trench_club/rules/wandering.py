"""Moves by chance: a path is drawn step by step, so that none has to be listed and every one can come."""

from __future__ import annotations

from collections.abc import Mapping

from engine.games.trench_club.answers import Move, new_move
from engine.games.trench_club.rules.movement import March, wading_hexes
from engine.games.trench_club.rules.transport import drawn_unloading
from engine.kernel.requests import Rng

REST = 0.2  # the chance to stop on a hex from which it could go on
CLIMB = 0.5  # the chance to board a transport over which it could also go


def wander(march: March, boats: Mapping[str, str], rng: Rng) -> Move | None:
    """MOVE-2 A legal move; None if the way came to nothing. `boats`: hexes of transports it may board."""
    if march.loaded:
        return _unloading(march, () if rng.random() < REST else _stray(march, rng), rng)
    if boats:
        return _stray_aboard(march, boats, rng)
    path = _stray(march, rng)
    return new_move(march.id, path) if path else None


def _stray(march: March, rng: Rng) -> tuple[str, ...]:
    """A path that ends where the unit may stay; () if it never came to such a hex."""
    contact, barred, forts, camp, id_ = march.contact, march.barred, march.forts, march.camp, march.id
    on, last, chance = march.position.on, march.position.pack.costs.last_move, rng.random
    path: list[str] = []
    near, left, hot, good = march.opening, march.speed, march.in_contact, 0
    water = wading_hexes(march)
    while True:
        ahead = []
        for step in near:  # `March.ahead`, written out for speed
            if step[1] <= left and step[0] not in barred and (not step[2] or forts.get(step[0]) == camp):
                ahead.append(step)
        if water and not path:
            ahead += [(to, left, False) for to in water]
        if not ahead:
            break
        to, cost, fort = ahead[int(chance() * len(ahead))]
        path.append(to)
        if on.get(to, id_) == id_:
            good = len(path)
        if to in water and len(path) == 1:
            break
        left -= cost
        again = to in contact
        if (hot and again) or (fort and not march.through):
            break
        if good == len(path) and chance() < REST:
            break
        hot, near = again, (march.last_steps if left == last else march.steps)[to]
    return tuple(path[:good])


def _stray_aboard(march: March, boats: Mapping[str, str], rng: Rng) -> Move | None:
    """TRANSPORT-3 The same, but wherever a transport is near the unit may board it instead."""
    path: tuple[str, ...] = _stray(march, rng) if rng.random() < 1 - REST / 2 else ()
    left, near, board = march.speed, march.first, march.position.pack.costs.board
    for n, to in enumerate((*path, "")):
        found = [hex_ for hex_ in near if hex_ in boats]
        if found and board <= left and rng.random() < CLIMB:
            hex_ = found[int(rng.random() * len(found))]
            return new_move(march.id, (*path[:n], hex_), boats[hex_])
        cost = march.price(to, left) if to else left + 1
        if cost > left:
            break
        left, near = left - cost, march.ways[to]
    return new_move(march.id, path) if path else None


def _unloading(march: March, path: tuple[str, ...], rng: Rng) -> Move | None:
    """TRANSPORT-9 Everything goes down where the transport ends."""
    if not march.mines.isdisjoint(path):
        return new_move(march.id, path)  # SPECIAL-16 it will not get there
    places = drawn_unloading(march.position, march.id, path[-1] if path else march.start, rng)
    return None if places is None else new_move(march.id, path, unload=places)
