"""Chances of an attack as its seat sees the map: the dice of its own units, as if nobody fell before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.games.to_the_last_man.answers import Group
from engine.games.to_the_last_man.tables import UnitType
from engine.games.to_the_last_man.view import View
from engine.games.to_the_last_man.windows import other

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


def battle_odds(view: View, area: str) -> BattleOdds | None:
    """None: nobody is there who would fire."""
    powers = list(_firepowers(view, area))
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


def _firepowers(view: View, area: str) -> Iterator[int]:
    """One number for each die: the highest face that hits."""
    enemy, here = other(view.side), view.pack.areas[area]
    facing_fort = area in view.forts and view.pack.fort_side[area] == enemy
    for kind, number in _own_units(view, area):
        row: UnitType = view.pack.types[kind.partition(".")[2]]
        silent = (row.fires_at_forts_only and not facing_fort) or (here.rough and not row.fires_in_rough)
        if row.off and not silent:
            yield from [row.off] * number * row.volleys


def _own_units(view: View, area: str) -> Iterable[tuple[str, int]]:
    groups: list[Group] = [view.loose.get(area, {}).get(view.side, ())]
    armies = [
        army for army, at in view.army_at.items() if at == area and view.pack.side_of[army] == view.side
    ]
    groups += [view.contents[army] for army in armies]
    return (item for group in groups for item in group)


def odds(view: View, question: str) -> BattleOdds | None:
    """ODDS <area>, or ODDS BATTLE <area>; None if no area of that name is there, or nobody to attack with."""
    words = question.split(maxsplit=1)
    if len(words) > 1 and words[0].upper() in ("BATTLE", "BATAILLE", "AT", "A"):
        question = words[1]
    known = {name.casefold(): area for name, area in view.pack.aliases.items()}
    area = known.get(question.strip().rstrip(".").casefold())
    return None if area is None else battle_odds(view, area)
