"""What a seat sees of a place: strengths, pieces, kinds of units. Nothing but the view is used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.board.areas import Adjacency, reach
from engine.games.to_the_last_man.answers import LOOSE, Group, Side
from engine.games.to_the_last_man.state import INFANTRY
from engine.games.to_the_last_man.view import View
from engine.games.to_the_last_man.windows import other


def total(group: Group) -> int:
    return sum(number for _, number in group)


def type_of(kind: str) -> str:
    return kind.partition(".")[2]


def armies_in(view: View, area: str, side: Side) -> list[str]:
    """Armies of that side there, empty ones too, in the order of dice."""
    of, at = view.pack.side_of, view.army_at
    return [army for army in view.pack.armies if at.get(army) == area and of[army] == side]


def loose_in(view: View, area: str, side: Side) -> Group:
    return view.loose.get(area, {}).get(side, ())


def there(view: View, area: str, army: str, side: Side) -> Group:
    """What lies in that army, or loose (`LOOSE`) in that area, as far as it is known."""
    return loose_in(view, area, side) if army == LOOSE else view.contents.get(army, ())


def fort(view: View, area: str, side: Side) -> int:
    return view.forts.get(area, 0) if view.pack.fort_side.get(area) == side else 0


def strength(view: View, area: str, side: Side) -> int:
    """Units, and forts by their number; an army that cannot be looked into counts 1, an empty one 0."""
    found = total(loose_in(view, area, side)) + fort(view, area, side)
    for army in armies_in(view, area, side):
        found += total(view.contents[army]) if army in view.contents else int(view.holding[army])
    return found


def pieces(view: View, area: str, side: Side) -> int:
    """Loose units, armies that are not empty, and a fort."""
    armies = sum(view.holding[army] for army in armies_in(view, area, side))
    return total(loose_in(view, area, side)) + armies + bool(fort(view, area, side))


def stack(view: View, area: str) -> int:
    """1.2.2 What counts for the own side's limit there: forts and empty armies do not."""
    return pieces(view, area, view.side) - bool(fort(view, area, view.side))


def seen_units(view: View, area: str, side: Side) -> Iterator[tuple[str, int]]:
    """Kinds that can be seen there: loose ones and those in armies that can be looked into."""
    yield from loose_in(view, area, side)
    for army in armies_in(view, area, side):
        yield from view.contents.get(army, ())


def infantry(view: View, area: str, side: Side) -> int:
    return sum(n for kind, n in seen_units(view, area, side) if type_of(kind) in INFANTRY)


def closed_armies(view: View, area: str, side: Side) -> bool:
    """Is there an army that is not empty and cannot be looked into?"""
    return any(army not in view.contents and view.holding[army] for army in armies_in(view, area, side))


def adjacency(view: View) -> Adjacency:
    return {area: row.adjacent for area, row in view.pack.areas.items()}


def refuges(view: View, area: str) -> list[str]:
    """D40 Friendly areas next to this one, most own strength first, then nearest to an own source, then by
    id; Disputed ones behind them.
    """
    side, near = view.side, view.pack.areas[area].adjacent
    open_ = [one for one in near if view.status[one] in ("friendly", "disputed")]
    borders, sources = adjacency(view), view.pack.sources[side]

    def far(one: str) -> int:
        found = {one: 0, **reach(borders, one, len(borders))}
        return min(found.get(source, len(borders)) for source in sources)

    return sorted(
        open_, key=lambda one: (view.status[one] != "friendly", -strength(view, one, side), far(one), one)
    )


def weakest_first(view: View, armies: Iterable[str]) -> list[str]:
    """By what they hold, then in the order of dice."""
    order = list(view.pack.armies)
    return sorted(armies, key=lambda army: (total(view.contents.get(army, ())), order.index(army)))


def enemy(view: View) -> Side:
    return other(view.side)
