"""What pieces are worth in a fight: own ones as they are, enemy armies as an average of their nation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from engine.games.to_the_last_man.answers import LOOSE, Group, Side
from engine.games.to_the_last_man.pack import Pack
from engine.games.to_the_last_man.view import View
from engine.games.to_the_last_man.windows import other


class Power(NamedTuple):
    """Hits are expected ones, of one volley."""

    hp: float = 0.0  # hits it can take
    guns: float = 0.0  # 2.II.4-06 of what fires twice in an attack
    fire: float = 0.0  # of all others in an attack
    tanks: float = 0.0  # of those that do not fire in Rough areas
    siege: float = 0.0  # 8.3.3 against a fort
    defence: float = 0.0
    foot: float = 0.0  # infantry-type units
    dug_in: float = 0.0  # of them, entrenched
    control: float = 0.0  # 0-04 units that take areas
    armies: float = 0.0

    @property
    def attack(self) -> float:
        """Hits of a whole attack in open ground."""
        return 2 * self.guns + self.fire + self.tanks


class Piece(NamedTuple):
    """1.2.2-02 What counts one for stacking: an army with all it holds, or a loose unit."""

    area: str
    place: str  # army's id, or LOOSE
    group: Group
    dug_in: bool
    power: Power


NOTHING = Power()


def total(powers: Iterable[Power]) -> Power:
    sums = [sum(column) for column in zip(*powers, strict=True)]
    return Power(*sums) if sums else NOTHING


def scaled(power: Power, factor: float) -> Power:
    return Power(*(number * factor for number in power))


@lru_cache(maxsize=4096)
def power_of(pack: Pack, group: Group, dug_in: bool, armies: int) -> Power:
    """5.2 The dice of these units, each hitting with its firepower or less."""
    found, sides = NOTHING, pack.meta.die_sides
    for kind, number in group:
        row = pack.types[kind.partition(".")[2]]
        hits, in_trenches = number * row.off / sides, dug_in and row.entrench
        foot = number if row.cls == "infantry" else 0
        found = Power(
            hp=found.hp + (number if row.can_be_lost else 0),
            guns=found.guns + (hits if row.volleys > 1 and not row.fires_at_forts_only else 0),
            fire=found.fire + (hits if row.volleys == 1 and row.fires_in_rough else 0),
            tanks=found.tanks + (hits if not row.fires_in_rough else 0),
            siege=found.siege + (hits if row.fires_at_forts_only else 0),
            defence=found.defence + number * (row.entrenched if in_trenches else row.defence) / sides,
            foot=found.foot + foot,
            dug_in=found.dug_in + (foot if in_trenches else 0),
            control=found.control + (number if row.controls else 0),
        )
    return found._replace(armies=armies)


# ------------------------------------------------------------------ own pieces


def own_pieces(view: View) -> dict[str, tuple[Piece, ...]]:
    """By area: armies that hold anything, in the order of dice, and loose units one by one."""
    found: dict[str, list[Piece]] = {}
    for army, area in view.army_at.items():
        if view.pack.side_of[army] == view.side and view.holding[army]:
            found.setdefault(area, []).append(army_piece(view, army, area, view.contents[army]))
    for area, there in view.loose.items():
        trenches = dict(view.dug_in.get(area, {}).get(view.side, ()))
        for kind, number in there.get(view.side, ()):
            for place in range(number):
                dug_in = place < trenches.get(kind, 0)
                found.setdefault(area, []).append(loose_piece(view.pack, area, kind, dug_in))
    return {area: tuple(pieces) for area, pieces in found.items()}


def army_piece(view: View, army: str, area: str, group: Group) -> Piece:
    dug_in = army in view.entrenched
    return Piece(area, army, group, dug_in, power_of(view.pack, group, dug_in, 1))


def loose_piece(pack: Pack, area: str, kind: str, dug_in: bool) -> Piece:
    group = ((kind, 1),)
    return Piece(area, LOOSE, group, dug_in, power_of(pack, group, dug_in, 0))


def without(view: View, piece: Piece, kind: str) -> Piece:
    """An army less one unit of that kind."""
    left = tuple((one, number - (one == kind)) for one, number in piece.group if number > (one == kind))
    return piece._replace(group=left, power=power_of(view.pack, left, piece.dug_in, 1 if left else 0))


def moved(pack: Pack, piece: Piece, area: str) -> Piece:
    """4.3-01 The piece elsewhere: out of its trenches."""
    if not piece.dug_in:
        return piece._replace(area=area)
    armies = int(piece.power.armies)
    return Piece(area, piece.place, piece.group, False, power_of(pack, piece.group, False, armies))


# ------------------------------------------------------------------ the enemy


def enemy_powers(view: View) -> dict[str, Power]:
    """0-13 By area: loose counters as they lie; armies as they are shown, or as their nation's average."""
    enemy, found = other(view.side), dict[str, list[Power]]()
    nations: tuple[str, ...] = view.pack.sides[enemy].nations
    average = {nation: _average(view, nation) for nation in nations}
    for army, area in view.army_at.items():
        if view.pack.side_of[army] == enemy and view.holding[army]:
            found.setdefault(area, []).append(_enemy_army(view, army, average))
    for area, there in view.loose.items():
        group, trenches = there.get(enemy, ()), view.dug_in.get(area, {}).get(enemy, ())
        if group:
            found.setdefault(area, []).append(_loose(view.pack, group, trenches))
    return {area: total(powers) for area, powers in found.items()}


def _loose(pack: Pack, group: Group, trenches: Group) -> Power:
    dug = dict(trenches)
    open_ = tuple((kind, left) for kind, number in group if (left := number - dug.get(kind, 0)))
    return total((power_of(pack, open_, False, 0), power_of(pack, trenches, True, 0)))


def _enemy_army(view: View, army: str, average: Mapping[str, tuple[Power, Power]]) -> Power:
    dug_in = army in view.entrenched
    if army in view.contents:
        return power_of(view.pack, view.contents[army], dug_in, 1)
    return average[view.pack.nation_of[army]][dug_in]


def _average(view: View, nation: str) -> tuple[Power, Power]:
    """An army of that nation in the open and in trenches: what lies neither loose nor in the pool, shared
    out among its armies that hold anything.
    """
    pack, side = view.pack, other(view.side)
    armies = [army for army in pack.armies_of[nation] if view.holding.get(army)]
    if not armies:
        return NOTHING, NOTHING
    left = {kind: len(ids) for kind, ids in pack.kinds.items() if kind.startswith(f"{nation}.")}
    for unit in view.corps:
        left[pack.kind_of[unit]] = left.get(pack.kind_of[unit], 0) - (pack.nation_of[unit] == nation)
    groups = [view.pool[nation], *(there.get(side, ()) for there in view.loose.values())]
    for kind, number in (item for group in groups for item in group):
        if kind in left:
            left[kind] -= number
    group = tuple((kind, number) for kind, number in sorted(left.items()) if number > 0)
    return _share(pack, group, len(armies), False), _share(pack, group, len(armies), True)


def _share(pack: Pack, group: Group, armies: int, dug_in: bool) -> Power:
    """At least one infantry: an army that holds anything can take a hit."""
    mean = scaled(power_of(pack, group, dug_in, armies), 1 / armies)
    return mean._replace(hp=max(1.0, mean.hp))


def fort_of(view: View, area: str, side: Side) -> int | None:
    return view.forts.get(area) if view.pack.fort_side.get(area) == side else None
