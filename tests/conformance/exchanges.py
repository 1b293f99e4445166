"""Exchanges of ids that a seat cannot tell apart, at random or aimed at what would show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from random import Random
from typing import Any

from engine.games.first_world_war.rules.permissions import reach_now
from engine.games.first_world_war.state import ALLIANCE
from engine.games.first_world_war.view import known_on
from engine.games.to_the_last_man.rules.pieces import refuses
from engine.games.to_the_last_man.state import BOX, INFANTRY
from engine.kernel.requests import Seat
from tests.conformance.wrong import ids_in

Groups = Iterable[tuple[str, ...]]
Pick = Callable[[Any, Seat, Groups, Random], "Exchange | None"]  # what to exchange here; None: nothing


@dataclass(frozen=True)
class Shift:
    """A piece that lies elsewhere: lists of the dumped position, named by their keys."""

    piece: str
    source: tuple[str, ...]
    goal: tuple[str, ...]


class Exchange:
    """A permutation of ids, applied to anything. What was sorted is sorted again: order must tell nothing.

    A position may differ besides by pieces that were shifted: then places hold more or fewer of them.
    """

    def __init__(self, mapping: Mapping[str, str], shifts: Sequence[Shift] = ()) -> None:
        self.mapping = {one: other for one, other in mapping.items() if one != other}
        self.shifts = tuple(shifts)
        self.moved = frozenset(self.mapping) | {shift.piece for shift in shifts}

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

    def position(self, data: Any) -> Any:
        """The second world's position, of the first one's as plain data."""
        exchanged = self(data)
        for shift in self.shifts:
            _listed(exchanged, shift.source).remove(shift.piece)
            goal = _listed(exchanged, shift.goal)
            was_sorted = _is_sorted(goal)
            goal.append(shift.piece)
            if was_sorted:
                goal.sort()
        return exchanged

    def moves(self, value: Any) -> bool:
        """Does one of the exchanged ids occur in it?"""
        return any(one in self.moved for one in ids_in(value))

    def __str__(self) -> str:
        moved = [f"{one}>{other}" for one, other in sorted(self.mapping.items())]
        return ", ".join([*moved, *(f"{one.piece} to {one.goal[-1]}" for one in self.shifts)])


def _listed(data: Any, names: tuple[str, ...]) -> list[str]:
    for name in names:
        data = data[name]
    found: list[str] = data
    return found


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


# ------------------------------------------------------------------ closed armies, hands and the draw pile


def other_kinds(state: Any, seat: Seat, groups: Groups, rng: Random) -> Exchange | None:
    """Counters of two kinds change places between armies, behind the front if there are such."""
    kind, inside = (
        state.pack.kind_of,
        {unit: army for army, there in state.contents.items() for unit in there},
    )
    pairs = [
        (one, other)
        for group in groups
        for one in group
        for other in group
        if one in inside and other in inside and inside[one] != inside[other] and kind[one] < kind[other]
    ]
    behind = [pair for pair in pairs if not any(_is_disputed(state, inside[one]) for one in pair)]
    chosen = behind if behind and rng.random() < 0.7 else pairs
    if not chosen:
        return other_cards(state, seat, groups, rng)
    one, other = rng.choice(chosen)
    return Exchange({one: other, other: one})


def _is_disputed(state: Any, army: str) -> bool:
    area, of = state.army_at[army], state.pack.side_of
    there = [*state.loose[area], *(one for one, at in state.army_at.items() if at == area)]
    return len({of[piece] for piece in there}) > 1


def other_cards(state: Any, seat: Seat, groups: Groups, rng: Random) -> Exchange | None:
    """The enemy holds cards of other kinds; those he has not lie deep in the draw pile, or anywhere."""
    kind, hand = state.pack.cards, state.hands[_enemy(seat)]
    pile = state.deck[len(state.deck) // 2 :] if rng.random() < 0.7 else list(state.deck)
    mapping: dict[str, str] = {}
    for card in rng.sample(hand, len(hand)):
        others = [one for one in pile if kind[one] != kind[card] and one not in mapping]
        if others and (not mapping or rng.random() < 0.6):
            other = rng.choice(others)
            mapping |= {card: other, other: card}
    return Exchange(mapping) if mapping else None


def other_sizes(state: Any, seat: Seat, groups: Groups, rng: Random) -> Exchange | None:
    """Counters lie in other armies of their nation: how many an army holds is its owner's secret.

    Whether it is empty is not, so none is emptied or filled; and each keeps infantry, because what an army
    without any holds decides who owns the area (0-04) and whether it is lost (5.5).
    """
    shifts = _regrouped(state, _enemy(seat), rng) if state.options["hidden_army_templates"] else []
    return Exchange({}, shifts) if shifts else other_cards(state, seat, groups, rng)


def _regrouped(state: Any, enemy: str, rng: Random) -> list[Shift]:
    of, type_of = state.pack.side_of, state.pack.type_of
    trial = replace(state, contents={army: list(there) for army, there in state.contents.items()})
    armies = [
        army
        for army, there in trial.contents.items()
        if of[army] == enemy and state.army_at[army] != BOX and any(type_of[u] in INFANTRY for u in there)
    ]
    sources = rng.sample(armies, len(armies))[: len(armies) // 2]
    goals = [army for army in armies if army not in sources]
    shifts: list[Shift] = []
    for source in sources[: rng.choice((1, 2, 4))]:
        for unit in rng.sample(trial.contents[source], len(trial.contents[source])):
            left = [one for one in trial.contents[source] if one != unit]
            covered = any(type_of[one] in INFANTRY for one in left) and type_of[unit] != "P"
            there = [goal for goal in goals if covered and not refuses(trial, goal, [unit])]
            if there and (not shifts or rng.random() < 0.5):
                goal = rng.choice(there)
                trial.contents[source], trial.contents[goal] = left, sorted([*trial.contents[goal], unit])
                shifts.append(Shift(unit, ("contents", source), ("contents", goal)))
    return shifts


def other_hand_sizes(state: Any, seat: Seat, groups: Groups, rng: Random) -> Exchange | None:
    """Where the size of a hand is secret: cards less, which lie under the draw pile, or more of those."""
    hand, pile = state.hands[_enemy(seat)], state.deck
    if not state.options["hidden_hand_size"] or len(pile) < 12:
        return several(state, seat, groups, rng)
    names, number = ("hands", _enemy(seat)), rng.choice((1, 2, 3))
    if hand and rng.random() < 0.6:
        dropped = hand if rng.random() < 0.3 else rng.sample(hand, min(number, len(hand)))
        return Exchange({}, [Shift(card, names, ("deck",)) for card in dropped])
    return Exchange({}, [Shift(card, ("deck",), names) for card in pile[-number:]])


def several(state: Any, seat: Seat, groups: Groups, rng: Random) -> Exchange | None:
    """Other cards, and other counters in the armies at once."""
    cards, sizes = other_cards(state, seat, groups, rng), other_sizes(state, seat, groups, rng)
    if cards is None or sizes is None:
        return cards or sizes
    return Exchange(cards.mapping, sizes.shifts)


def _enemy(seat: Seat) -> str:
    return "EN" if seat == "GE" else "GE"


# The exchanges that pairs of worlds are made with, each as often as it stands here.
PICKS: Mapping[str, tuple[Pick, ...]] = defaultdict(
    lambda: (anything,),
    {
        "fww": (anything, anything, other_tiles, emptied_front, other_nation),
        "ttlm": (anything, other_kinds, other_cards, other_sizes, other_sizes, several, other_hand_sizes),
    },
)
