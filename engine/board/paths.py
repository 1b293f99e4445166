"""The cheapest ways through a graph whose steps cost something.

A node is whatever tells two situations of a moving piece apart: a hex, or a hex and whether the piece may go
on from there. `steps(node)` names what can be entered from it, and at what cost; costs are whole and not
negative. Ties are settled by the caller's own marks, then by the path itself, so that the same board gives
the same answer everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from heapq import heappop, heappush
from typing import Any, NamedTuple, TypeVar

Node = TypeVar("Node", bound=Hashable)


def reach(start: Node, budget: int, steps: Callable[[Node], Iterable[tuple[Node, int]]]) -> dict[Node, int]:
    """What it costs to get to each node within the budget, the start included, the cheapest first."""
    best: dict[Node, int] = {start: 0}
    levels: list[list[Node]] = [[] for _ in range(budget + 1)]
    levels[0].append(start)
    found: dict[Node, int] = {}
    for cost, level in enumerate(levels):
        for node in level:  # a step that costs nothing adds to the level that is being read
            if node in found:
                continue
            found[node] = cost
            for other, more in steps(node):
                total = cost + more
                if total <= budget and total < best.get(other, budget + 1):
                    best[other] = total
                    levels[total].append(other)
    return found


class Way(NamedTuple):
    """A path without its start, and what it costs: the cost first, then the caller's marks."""

    cost: tuple[int, ...]
    path: tuple[Any, ...]


def cheapest(
    start: Node,
    is_goal: Callable[[Node], bool],
    steps: Callable[[Node], Iterable[tuple[Node, tuple[int, ...]]]],
    budget: int,
) -> Way | None:
    """The best path to a goal: by the sum of the first cost, then of the next ones, then path by path.

    Each step costs a tuple of the same length; its first number must not exceed the budget in sum.
    """
    heap: list[tuple[tuple[int, ...], tuple[Any, ...], Node]] = [((), (), start)]
    done: set[Node] = set()
    while heap:
        cost, path, node = heappop(heap)
        if node in done:
            continue
        done.add(node)
        if path and is_goal(node):
            return Way(cost, path)
        for other, more in steps(node):
            if other in done:
                continue
            total = tuple(map(sum, zip(cost, more, strict=True))) if cost else more
            if total[0] <= budget:
                heappush(heap, (total, (*path, other), other))
    return None
