"""Chances of an attack as its seat sees the map: the dice of its own units, as if nobody fell before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine.games.to_the_last_man.answers import Group
from engine.games.to_the_last_man.tables import UnitType
from engine.games.to_the_last_man.view import View
from engine.games.to_the_last_man.windows import other

BEFORE_AREA = ("BATTLE", "BATAILLE", "AT", "A")
MARCHES = ("MOVE", "BOUGER")
SCALE = 10_000  # chances are told in ten-thousandths: no floats leave the engine


@dataclass(frozen=True, slots=True)
class BattleOdds:
    """5.2 Own dice of the steps b and d in that area, without cards, losses and raids.

    `hits` is what they score on average, in ten-thousandths of a hit; `at_least` the chances, in
    ten-thousandths, of one hit or more, two or more, and so on.
    """

    area: str
    dice: int
    hits: int
    at_least: tuple[int, ...]


def battle_odds(view: View, area: str, coming: Sequence[str] = ()) -> BattleOdds | None:
    """With own armies that are to come, as if they stood there; None: nobody would fire."""
    powers = list(_firepowers(view, area, coming))
    if not powers:
        return None
    sides = view.pack.meta.die_sides
    shares = [1]  # ways to score 0, 1, 2 … hits
    for power in powers:
        missed = [ways * (sides - power) for ways in shares] + [0]
        scored = [0] + [ways * power for ways in shares]
        shares = [one + more for one, more in zip(missed, scored, strict=True)]
    whole = sides ** len(powers)
    chances = [round(SCALE * sum(shares[n:]) / whole) for n in range(1, len(shares))]
    told = tuple(chance for chance in chances if chance)
    return BattleOdds(area, len(powers), round(SCALE * sum(powers) / sides), told)


def _firepowers(view: View, area: str, coming: Sequence[str]) -> Iterator[int]:
    """One number for each die: the highest face that hits."""
    enemy, here = other(view.side), view.pack.areas[area]
    facing_fort = area in view.forts and view.pack.fort_side[area] == enemy
    for kind, number in _own_units(view, area, coming):
        row: UnitType = view.pack.types[kind.partition(".")[2]]
        silent = (row.fires_at_forts_only and not facing_fort) or (here.rough and not row.fires_in_rough)
        if row.off and not silent:
            yield from [row.off] * number * row.volleys


def _own_units(view: View, area: str, coming: Sequence[str]) -> Iterable[tuple[str, int]]:
    groups: list[Group] = [view.loose.get(area, {}).get(view.side, ())]
    own = [army for army in view.army_at if view.pack.side_of[army] == view.side]
    armies = [army for army in own if view.army_at[army] == area or army in coming]
    groups += [view.contents[army] for army in armies]
    return (item for group in groups for item in group)


def odds(view: View, question: str) -> BattleOdds | None:
    """ODDS <area>, BATTLE <area>, <area> WITH <armies>, MOVE <army> <path>; None: nothing to reckon."""
    place, armies = _meant(question.strip().rstrip("."))
    known = {name.casefold(): area for name, area in view.pack.aliases.items()}
    area = known.get(place.casefold())
    if area is None or any(view.pack.side_of.get(army) != view.side for army in armies):
        return None
    return battle_odds(view, area, armies)


def _meant(question: str) -> tuple[str, tuple[str, ...]]:
    """The name of an area, and the armies that are to come."""
    first, _, rest = question.partition(" ")
    if first.upper() in MARCHES:
        army, _, path = rest.strip().partition(" ")
        return re.split(r"-|\.\.", path)[-1].strip(), (army.upper(),)
    place = rest if first.upper() in BEFORE_AREA else question
    parts = re.split(r"\s(?:WITH|AVEC)\s", place, maxsplit=1, flags=re.IGNORECASE)
    return parts[0].strip(), tuple(re.findall(r"\w+", parts[1].upper())) if len(parts) > 1 else ()
