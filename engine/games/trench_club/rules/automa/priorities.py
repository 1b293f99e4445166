"""AUTOMA-12..27 The orders of the three groups, and the letters that choose among several ways.

A list is read like the rulebook's: the first order that can be fulfilled is followed; each of its letters in
turn keeps the ways in which it is most or least; what is still tied then is left to chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engine.games.trench_club.rules.automa.ground import FAR
from engine.games.trench_club.rules.automa.mind import Mind, Way

Measure: TypeAlias = Callable[[Mind, Way], int]


@dataclass(frozen=True, slots=True)
class Letter:
    """One filter. `airplanes`: for these only, and for airships (AUTOMA-37): the same guns hunt both."""

    name: str
    measure: Measure
    airplanes: bool = False


@dataclass(frozen=True, slots=True)
class Order:
    """A numbered order: the ways to fulfil it, and its letters."""

    name: str
    ways: Callable[[Mind], list[Way]]
    letters: tuple[Letter, ...] = ()


def most(name: str, measure: Measure, airplanes: bool = False) -> Letter:
    return Letter(name, measure, airplanes)


def least(name: str, measure: Measure, airplanes: bool = False) -> Letter:
    return Letter(name, lambda mind, way: -measure(mind, way), airplanes)


# ------------------------------------------------------------------ what the letters look at


def destroys(mind: Mind, way: Way) -> int:
    """AUTOMA-27, 37 How many: gas is judged by all whom it strikes, any other attack by its target."""
    return sum([mind.can_destroy(one) for one in way.struck])


def goes_unpunished(mind: Mind, way: Way) -> int:
    return mind.is_safe_from(way.target, way.hex)


def target_from_flak(mind: Mind, way: Way) -> int:
    return mind.from_flak(mind.position.units[way.target].at)


def attack_value(mind: Mind, way: Way) -> int:
    return mind.attack_value(way.target)


def price(mind: Mind, way: Way) -> int:
    return sum([mind.position.type_of(one).price for one in way.struck])


def experience(mind: Mind, way: Way) -> int:
    return sum([mind.position.units[one].xp for one in way.struck])


def guards_fort(mind: Mind, way: Way) -> int:
    return sum([mind.guards_fort(one) for one in way.struck])


def was_struck(mind: Mind, way: Way) -> int:
    return sum([one in mind.position.struck for one in way.struck])


def from_flak(mind: Mind, way: Way) -> int:
    return mind.from_flak(way.hex)


def forest(mind: Mind, way: Way) -> int:
    return mind.position.terrain(way.hex) == "forest"


def from_enemies(mind: Mind, way: Way) -> int:
    return mind.from_enemies(way.hex)


def from_friends(mind: Mind, way: Way) -> int:
    return mind.from_friends(way.hex)


def from_origin(mind: Mind, way: Way) -> int:
    return mind.from_origin(way.hex)


def from_entrance(mind: Mind, way: Way) -> int:
    return mind.cost_to(mind.doors(way.fort)).get(way.hex, FAR)


def by_road(mind: Mind, way: Way) -> int:
    return mind.is_by_road(way.hex)


def hexes_from_enemies(mind: Mind, way: Way) -> int:
    return mind.hexes_from(way.hex, mind.enemy_hexes)


def hexes_from_friends(mind: Mind, way: Way) -> int:
    return mind.hexes_from(way.hex, (unit.at for unit in mind.friends))


def hexes_from_origin(mind: Mind, way: Way) -> int:
    return mind.position.grid.distance(way.hex, mind.unit.at)


# ------------------------------------------------------------------ the letters

CLOSE_TARGET = (  # AUTOMA-20
    most("target.a", destroys),
    most("target.b", goes_unpunished),
    most("target.c", target_from_flak, airplanes=True),
    least("target.d", attack_value),
    most("target.e", price),
    least("target.f", experience),
)
CLOSE_HEX = (  # AUTOMA-23
    most("hex.a", from_flak, airplanes=True),
    most("hex.b", forest),
    least("hex.c", from_friends),
    least("hex.d", from_origin),
)
LONG_TARGET = (  # AUTOMA-24
    most("target.a", destroys),
    most("target.b", guards_fort),
    most("target.c", was_struck),
    most("target.d", price),
    most("target.e", experience),
)
LONG_HEX = (  # AUTOMA-26
    most("hex.a", by_road),
    most("hex.b", hexes_from_enemies),
    least("hex.c", hexes_from_friends),
    least("hex.d", from_origin),
    least("hex.d", hexes_from_origin),
)

# ------------------------------------------------------------------ the ways


def conquer(mind: Mind) -> list[Way]:
    """AUTOMA-12 Unless an enemy foot unit stands before an entrance."""
    return [Way(fort, fort=fort) for fort in mind.conquests() if not mind.foot_before(fort, enemy=True)]


def to_entrance(mind: Mind) -> list[Way]:
    """AUTOMA-13 One own foot unit is enough, unless an enemy's is there, too."""
    in_reach = set(mind.hexes)
    return [
        Way(hex_, fort=fort)
        for fort in mind.forts
        if not in_reach.isdisjoint(mind.doors(fort)) and not is_left_to_another(mind, fort)
        for hex_ in mind.doors(fort)
        if hex_ in in_reach
    ]


def is_left_to_another(mind: Mind, fort: str) -> bool:
    """AUTOMA-13 Is another own foot unit before it, and no enemy's?"""
    return mind.foot_before(fort, enemy=False) and not mind.foot_before(fort, enemy=True)


def within_two_turns(mind: Mind) -> list[Way]:
    """AUTOMA-14 Hexes from which an entrance is in reach next turn, a last move into the open included.

    Ruling: a fort that I.2 leaves to another unit is no goal here either, or I.3 would undo that bar at once.
    """
    found: list[Way] = []
    speed, last = mind.type.speed, mind.position.pack.costs.last_move
    for fort in mind.forts:
        if is_left_to_another(mind, fort):
            continue
        doors = mind.doors(fort)
        clear = [door for door in doors if mind.position.terrain(door) == "open"]
        to_any, to_clear = mind.cost_to(doors), mind.cost_to(clear) if clear else {}
        found += [
            Way(hex_, fort=fort)
            for hex_ in mind.hexes
            if to_any.get(hex_, FAR) <= speed or to_clear.get(hex_, FAR) <= speed + last
        ]
    return found


def strike_to_destroy(mind: Mind) -> list[Way]:
    return [way for way in mind.strikes if mind.can_destroy(way.target)]


def strike_unpunished(mind: Mind) -> list[Way]:
    return [way for way in mind.strikes if mind.is_safe_from(way.target, way.hex)]


def towards_entrance(mind: Mind) -> list[Way]:
    """AUTOMA-18 As near as it gets to the nearest entrance."""
    costs = mind.cost_to(door for fort in mind.forts for door in mind.doors(fort))
    best = min((costs.get(hex_, FAR) for hex_ in mind.hexes), default=FAR)
    if best >= FAR:
        return []
    return [Way(hex_) for hex_ in mind.hexes if costs.get(hex_, FAR) == best]


def strike(mind: Mind) -> list[Way]:
    return list(mind.strikes)


def close_in(mind: Mind) -> list[Way]:
    """AUTOMA-22 As close as possible, in movement points, to where it could strike a best target."""
    maps = [mind.cost_to(mind.hexes_beside(target)) for target in best_targets(mind, CLOSE_TARGET)]
    return nearest(mind, [[costs.get(hex_, FAR) for hex_ in mind.hexes] for costs in maps])


def close_in_by_hexes(mind: Mind) -> list[Way]:
    """AUTOMA-25 As close as possible, in hexes, to a best target."""
    best = best_targets(mind, LONG_TARGET)
    return nearest(mind, [[mind.distance(hex_, target) for hex_ in mind.hexes] for target in best])


def nearest(mind: Mind, distances: Iterable[Sequence[int]]) -> list[Way]:
    """The hexes nearest to each target; AUTOMA-7 among targets that tie the letters for hexes choose."""
    found: dict[Way, None] = {}
    for away in distances:
        shortest = min(away)
        found.update((Way(hex_), None) for hex_, n in zip(mind.hexes, away, strict=True) if n == shortest)
    return list(found)


def best_targets(mind: Mind, letters: Iterable[Letter]) -> list[str]:
    """Of all enemies that it could hit if it were near enough those that the letters leave.

    AUTOMA-22 Each is judged as if the unit stood right before it: from afar nobody could strike back.
    """
    ways = [Way(unit.at, unit.id) for unit in mind.enemies if could_hit(mind, unit.id)]
    for letter in letters:
        ways, _ = kept(mind, ways, letter)
    return [way.target for way in ways]


def could_hit(mind: Mind, target: str) -> bool:
    """TARGET-5, 6 At one distance or another."""
    aloft = mind.position.type_of(target).klass == "air"
    return bool(mind.type.range_air if aloft else mind.type.range_ground)


def kept(mind: Mind, ways: list[Way], letter: Letter) -> tuple[list[Way], bool]:
    """The ways that the letter leaves, and whether it left fewer."""
    if len(ways) < 2 or (letter.airplanes and mind.type.klass != "air"):
        return ways, False
    measured = [letter.measure(mind, way) for way in ways]
    best = max(measured)
    left = [way for way, value in zip(ways, measured, strict=True) if value == best]
    return left, len(left) < len(ways)


# ------------------------------------------------------------------ the orders

CLOSE_COMBAT = (
    Order("II.1", strike, (*CLOSE_TARGET, *CLOSE_HEX)),
    Order("II.2", close_in, CLOSE_HEX),
)
FOOT_UNITS = (
    Order("I.1", conquer),
    Order("I.2", to_entrance, (most("a", from_enemies),)),
    Order("I.3", within_two_turns, (most("b", from_enemies), least("c", from_entrance), most("d", forest))),
    Order("I.4", strike_to_destroy, (*CLOSE_TARGET, *CLOSE_HEX)),
    Order("I.5", strike_unpunished, (*CLOSE_TARGET, *CLOSE_HEX)),
    Order("I.6", towards_entrance),
    *CLOSE_COMBAT,  # AUTOMA-19 I.7
)
LONG_RANGE = (
    Order("III.1", strike, (*LONG_TARGET, *LONG_HEX)),
    Order("III.2", close_in_by_hexes, LONG_HEX),
)
