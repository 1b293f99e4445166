"""Close-ups of a letter: which parts of the map they show, so that the places of action are in them.

A game's `places.txt.j2` says, from the reader's view and what the reader was told, how far the board reaches,
where what happened is drawn, how much it weighs and what it is called, and what should not be cut by an edge.
All close-ups of a game are equally wide, so that its labels are equally large in all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

MOST = 3  # close-ups in a letter
NAMED = 3  # places in the words beside a close-up
LEAST_SHARE = 0.2  # of the weight of the first: what weighs less is left to the map as a whole
ASIDE = 60  # pixels of the drawing by which a close-up may be moved so that it cuts less
STEP = 20


class Box(NamedTuple):
    """A rectangle in pixels of the whole drawing."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    def joined(self, other: Box) -> Box:
        return Box(*map(min, self[:2], other[:2]), *map(max, self[2:], other[2:]))

    def holds(self, other: Box) -> bool:
        return self.joined(other) == self

    def cuts(self, other: Box) -> bool:
        """Does an edge run through the other one?"""
        beside = self.left >= other.right or other.left >= self.right
        apart = self.top >= other.bottom or other.top >= self.bottom
        return not beside and not apart and not self.holds(other)


@dataclass(frozen=True, slots=True)
class Place:
    """Where something happened."""

    name: str
    weight: int
    box: Box


@dataclass(frozen=True, slots=True)
class Action:
    """All that `places.txt.j2` says."""

    board: Box
    places: tuple[Place, ...]  # the heaviest first
    whole: tuple[Box, ...]  # what is best seen whole


@dataclass(frozen=True, slots=True)
class Shape:
    """How a game's close-ups look: `[close_up]` of its geometry. Lengths are pixels of the whole drawing."""

    width: int
    tallest: int
    least: int  # height
    margin: int  # around the places
    foot: int  # for the signs that explain themselves below
    pixels: int  # of the picture, from side to side

    @property
    def zoom(self) -> float:
        return self.pixels / self.width


@dataclass(frozen=True, slots=True)
class CloseUp:
    """A part of the drawing, with room for a foot below it."""

    box: Box
    shape: Shape
    names: tuple[str, ...] = ()

    @property
    def part(self) -> tuple[float, float, float, float]:
        """Corner, width and height of what is drawn, the foot included."""
        return self.box.left, self.box.top, self.box.width, self.box.height + self.shape.foot

    @property
    def pixels(self) -> tuple[int, int]:
        return self.shape.pixels, round(self.part[3] * self.shape.zoom)

    @property
    def smallest(self) -> float:
        """The font size that a telephone shows with 9 pixels."""
        return PHONE_FONT * self.shape.width / PHONE_WIDTH

    def shows(self, at: Sequence[float], around: float = 40) -> bool:
        """Is something drawn there to be seen in it?"""
        x, y = at
        left, top, right, bottom = self.box
        return left - around < x < right + around and top - around < y < bottom + around


PHONE_WIDTH, PHONE_FONT = 390, 9


def read_action(text: str) -> Action:
    """What the template wrote: `board`, `whole` or a weight, a box, and a place's name, line by line."""
    board, whole = Box(0, 0, 0, 0), list[Box]()
    weights: dict[str, int] = {}
    boxes: dict[str, Box] = {}
    for line in filter(str.strip, text.splitlines()):
        kind, *edges, name = [*line.split(maxsplit=5), ""][:6]
        box = Box(*map(float, edges))
        if kind == "board":
            board = box
        elif kind == "whole":
            whole.append(box)
        else:
            weights[name] = weights.get(name, 0) + int(kind)
            boxes[name] = boxes.get(name, box).joined(box)
    places = [Place(name, weights[name], boxes[name]) for name in weights]
    return Action(board, tuple(sorted(places, key=lambda one: -one.weight)), tuple(whole))


def close_ups_over(action: Action, given: Mapping[str, Any]) -> list[CloseUp]:
    """The close-ups of a letter, the most important first; none if nothing happened on the board."""
    shape = Shape(**given)
    groups: list[list[Place]] = []
    for place in action.places:
        near = next((group for group in groups if _fits([*group, place], shape)), None)
        if near is not None:
            near.append(place)
        elif len(groups) < MOST:
            groups.append([place])
    groups.sort(key=lambda group: -_weight(group))
    enough = [group for group in groups if _weight(group) >= LEAST_SHARE * _weight(groups[0])]
    return [_close_up(group, action, shape) for group in enough]


def _weight(group: Iterable[Place]) -> int:
    return sum(place.weight for place in group)


def _around(group: Iterable[Place]) -> Box:
    return reduce(Box.joined, (place.box for place in group))


def _fits(group: Iterable[Place], shape: Shape) -> bool:
    box = _around(group)
    return box.width <= shape.width and box.height + 2 * shape.margin <= shape.tallest


def _close_up(group: Sequence[Place], action: Action, shape: Shape) -> CloseUp:
    """In the middle of its places, moved aside a little where it would cut less of what stands around."""
    inner = _around(group)
    height = max(shape.least, round(inner.height) + 2 * shape.margin)
    left = round((inner.left + inner.right - shape.width) / 2)
    top = round((inner.top + inner.bottom - height) / 2)
    box = min(_moved(left, top, height, action.board, shape), key=lambda one: _cut(one, inner, action.whole))
    return CloseUp(box, shape, tuple(place.name for place in group[:NAMED]))


def _moved(left: int, top: int, height: int, board: Box, shape: Shape) -> list[Box]:
    """The parts to choose from, the middle one first."""
    steps = sorted(range(-ASIDE, ASIDE + 1, STEP), key=abs)
    found = []
    for aside, down in sorted(((x, y) for x in steps for y in steps), key=lambda by: abs(by[0]) + abs(by[1])):
        x = max(board.left, min(left + aside, board.right - shape.width))
        y = max(board.top, min(top + down, board.bottom - height))
        found.append(Box(x, y, x + shape.width, y + height))
    return found


def _cut(box: Box, inner: Box, whole: Iterable[Box]) -> tuple[bool, int]:
    return not box.holds(inner), sum(box.cuts(one) for one in whole)
