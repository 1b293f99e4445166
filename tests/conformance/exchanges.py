"""Exchanges of ids that a seat cannot tell apart, at random or aimed at what would show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from random import Random
from typing import Any

from engine.games.first_world_war.rules.permissions import reach_now
from engine.games.first_world_war.state import ALLIANCE
from engine.games.first_world_war.view import known_on
from engine.kernel.requests import Seat
from tests.conformance.wrong import ids_in

Groups = Iterable[tuple[str, ...]]
Pick = Callable[[Any, Seat, Groups, Random], "Exchange | None"]  # what to exchange here; None: nothing


class Exchange:
    """A permutation of ids, applied to anything. What was sorted is sorted again: order must tell nothing."""

    def __init__(self, mapping: Mapping[str, str]) -> None:
        self.mapping = {one: other for one, other in mapping.items() if one != other}

    def __call__(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.mapping.get(value, value)
        if is_dataclass(value) and not isinstance(value, type):
            return replace(value, **{f.name: self(getattr(value, f.name)) for f in fields(value)})
        if isinstance(value, Mapping):
            return {self(key): self(inner) for key, inner in value.items()}
        if isinstance(value, (list, tuple)):
            mapped = [self(inner) for inner in value]
            return type(value)(sorted(mapped) if mapped != list(value) and _is_sorted(value) else mapped)
        return value

    def moves(self, value: Any) -> bool:
        """Does one of the exchanged ids occur in it?"""
        return any(one in self.mapping for one in ids_in(value))


def _is_sorted(values: Iterable[Any]) -> bool:
    listed = list(values)
    try:
        return listed == sorted(listed)
    except TypeError:
        return False


def anything(state: Any, seat: Seat, groups: Groups, rng: Random) -> Exchange | None:
    """One pair, a pair of each group, or all at random: few exchanged ids make long stretches."""
    mapping: dict[str, str] = {}
    eligible = [group for group in groups if len(group) > 1]
    if not eligible:
        return None
    extent = rng.choice(("one", "one", "one", "few", "all"))
    for group in [rng.choice(eligible)] if extent == "one" else eligible:
        if extent == "all":
            mapping |= dict(zip(group, rng.sample(group, len(group)), strict=True))
        else:
            one, other = rng.sample(group, 2)
            mapping |= {one: other, other: one}
    return Exchange(mapping)


# ------------------------------------------------------------------ aimed at something


def other_tiles(state: Any, seat: Seat, groups: Groups, rng: Random) -> Exchange | None:
    """While rounds are played: every tile in others' hands against one of the cup."""
    held = {tile for f, hand in state.hands.items() if state.seats[f] != seat for tile in hand}
    mapping: dict[str, str] = {}
    for group in groups:
        mine = [tile for tile in group if tile in held]
        theirs = [tile for tile in group if tile in state.pack.tiles and tile not in held]
        for one, other in zip(mine, rng.sample(theirs, min(len(mine), len(theirs))), strict=False):
            mapping |= {one: other, other: one}
    return Exchange(mapping) if len(mapping) >= 6 and state.phase == "rounds" else None


def emptied_front(state: Any, seat: Seat, groups: Groups, rng: Random) -> Exchange | None:
    """An enemy front with a single army gets a dummy instead; the seat could attack there."""
    real, colour = state.is_real, state.pack.faction_of
    own = {faction for faction, holder in state.seats.items() if holder == seat}
    for there in rng.sample(list(state.fronts.values()), len(state.fronts)):
        armies = [c for c in there if real(c) and ALLIANCE[colour[c]] not in {ALLIANCE[f] for f in own}]
        if len(armies) != 1 or not any(real(c) and colour[c] in own for c in there):
            continue
        for group in groups:
            dummies = [
                c for c in group if c not in there and not real(c) and colour.get(c) == colour[armies[0]]
            ]
            if armies[0] in group and dummies and state.phase == "rounds":
                other = rng.choice(dummies)
                return Exchange({armies[0]: other, other: armies[0]})
    return None


def other_nation(state: Any, seat: Seat, groups: Groups, rng: Random) -> Exchange | None:
    """Two face-down armies of one colour and of two nations that may both stand in either place.

    The groups hold one nation each; that a seat cannot tell nations apart is tried here.
    """
    reach, nation, colour = reach_now(state), state.pack.nationality_of, state.pack.faction_of
    hidden = [
        (army, front)
        for front in state.fronts
        for army in state.fronts[front]
        if army in nation and army not in known_on(state, seat, front)
    ]
    pairs = [
        (one, other)
        for one, here in hidden
        for other, there in hidden
        if colour[one] == colour[other] and nation[one] < nation[other]
        if here != there and there in reach[one] and here in reach[other]
    ]
    if not pairs:
        return None
    one, other = rng.choice(pairs)
    return Exchange({one: other, other: one})


# The exchanges that pairs of worlds are made with, each as often as it stands here.
PICKS: Mapping[str, tuple[Pick, ...]] = defaultdict(
    lambda: (anything,), {"fww": (anything, anything, other_tiles, emptied_front, other_nation)}
)
