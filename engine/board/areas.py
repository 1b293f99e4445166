"""Areas that border on each other: paths, reach and connection over an adjacency mapping.

Nothing here knows a game. What may be entered is a predicate of the caller; ties are always settled by id,
so that the same board gives the same answer everywhere.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

Adjacency: TypeAlias = Mapping[str, tuple[str, ...]]  # area -> the areas it borders on, both ways
Test: TypeAlias = Callable[[str], bool]


def everywhere(area: str) -> bool:
    """No area is barred."""
    return True


def neighbours(adjacency: Adjacency, area: str, enter: Test = everywhere) -> tuple[str, ...]:
    """The areas next to this one that may be entered, sorted."""
    return tuple(sorted(other for other in adjacency[area] if enter(other)))


def reach(
    adjacency: Adjacency, start: str, steps: int, enter: Test = everywhere, through: Test = everywhere
) -> dict[str, int]:
    """How many steps lead to each area within reach, the nearest first and equally near ones by id.

    An area is reached if `enter` allows it, and left again only if `through` allows that, too. The start is
    left without a test and is not part of the answer.
    """
    found = {start: 0}
    edge = [start]
    for distance in range(1, steps + 1):
        ahead = {other for area in edge for other in adjacency[area] if other not in found and enter(other)}
        found.update((area, distance) for area in sorted(ahead))
        edge = [area for area in sorted(ahead) if through(area)]
        if not edge:
            break
    del found[start]
    return found


def shortest_path(
    adjacency: Adjacency, start: str, goal: str, through: Test = everywhere
) -> tuple[str, ...] | None:
    """The shortest way with both its ends; among equally short ones the first by the ids along it.

    Every area between the two ends must pass `through`; the ends are not tested. None: there is no way.
    """
    if start == goal:
        return (start,)
    left = _distances_to(adjacency, goal, start, through)
    if start not in left:
        return None
    path = [start]
    while path[-1] != goal:
        nearer = left[path[-1]] - 1
        path.append(min(area for area in adjacency[path[-1]] if left.get(area) == nearer))
    return tuple(path)


def _distances_to(adjacency: Adjacency, goal: str, start: str, through: Test) -> dict[str, int]:
    """Steps to the goal from the start and from every area that is no farther and may be passed."""
    left = {goal: 0}
    queue = deque([goal])
    while queue and start not in left:
        area = queue.popleft()
        for other in adjacency[area]:
            if other not in left and (other == start or through(other)):
                left[other] = left[area] + 1
                queue.append(other)
    return left


def connected(adjacency: Adjacency, sources: Iterable[str], inside: Test = everywhere) -> frozenset[str]:
    """All areas that hang together with one of the sources; a source that fails `inside` is none."""
    found = {area for area in sources if inside(area)}
    edge = sorted(found)
    while edge:
        area = edge.pop()
        for other in adjacency[area]:
            if other not in found and inside(other):
                found.add(other)
                edge.append(other)
    return frozenset(found)


def with_border(adjacency: Adjacency, areas: Iterable[str]) -> frozenset[str]:
    """These areas and all that border on them."""
    inner = frozenset(areas)
    return inner | {other for area in inner for other in adjacency[area]}


def asymmetry(adjacency: Adjacency) -> tuple[str, str] | None:
    """The first border that only one of its two areas knows, or that leads nowhere or back."""
    for area in sorted(adjacency):
        for other in adjacency[area]:
            if other == area or area not in adjacency.get(other, ()):
                return area, other
    return None
