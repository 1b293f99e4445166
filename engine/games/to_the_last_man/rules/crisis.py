"""9.8, 9.9 Military crises: infantry withdrawn to another theatre of the war."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from engine.games.to_the_last_man.answers import (
    LOOSE,
    CrisisGiven,
    CrisisLossGiven,
    Loss,
    Losses,
    Side,
    Slot,
)
from engine.games.to_the_last_man.facts.cards import CardPlayed
from engine.games.to_the_last_man.facts.force import UnitsLost
from engine.games.to_the_last_man.facts.season import CrisisFailed
from engine.games.to_the_last_man.rules.areas import settle, status
from engine.games.to_the_last_man.rules.cards import hand, pick_cards
from engine.games.to_the_last_man.rules.neutrals import is_neutral
from engine.games.to_the_last_man.rules.pieces import eyes, holder
from engine.games.to_the_last_man.state import BOX, State
from engine.games.to_the_last_man.tables import Crisis
from engine.games.to_the_last_man.windows import other
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Answer, Ask, Options, Rng, Seat, Step

Where = tuple[str, str]  # army or area, kind


def crisis_card(state: State, side: Side) -> str:
    """The kind of card that strikes that side's enemy."""
    return next(k for k in state.pack.crisis if state.pack.card_kinds[k].special_for == side)


def crisis_moment(state: State, side: Side, slot: Slot, key: str) -> Step:
    """9.8-01, 9.9-01 At any time in its own Player Turn, also in a Pass: at three moments of it (D11).

    Asked whatever the hand holds: a volunteer who does nothing leaves no trace.
    """
    if not state.hands[side]:
        return
    played = yield Ask(
        Seat(side),
        "turn.crisis",
        key,
        CrisisGiven(side, slot),
        CrisisOptions(state, side),
        default=False,
        secret=True,
        volunteer=True,
        plan=state.plan,
    )
    if played:
        yield from military_crisis(state, side, key)


def military_crisis(state: State, side: Side, key: str) -> Step:
    """9.8-01 to -05, 9.9-01 to -03"""
    kind = crisis_card(state, side)
    row, victim = state.pack.crisis[kind][state.year], other(side)
    (card,) = pick_cards(state, side, (kind,))
    yield CardPlayed(side, card, "crisis", (), row.leaves_game, holder(side))
    number = min(row.remove, sum(eligible(state, victim, row).values()))
    if number:
        losses = yield Ask(
            Seat(victim),
            "crisis.loss",
            key,
            CrisisLossGiven(victim, number, row.nations, row.types),
            CrisisLosses(state, victim, row, number),
            default=first_losses(state, victim, row, number),
            secret=True,
        )
        yield from remove(state, victim, losses)
    if number < row.remove:
        yield CrisisFailed(victim, row.vp_if_short)  # 9.8-03, 9.9-02 once an occurrence


def eligible(state: State, side: Side, row: Crisis) -> Counter[Where]:
    """9.8-02, -06, 9.9-01 Infantry of these nations and types on the map, in England too, not in the box."""
    pack, found = state.pack, Counter[Where]()
    nations = [nation for nation in row.nations if not is_neutral(state, nation)]
    for place, units in _places(state, side):
        for unit in units:
            if pack.nation_of[unit] in nations and pack.type_of[unit] in row.types:
                found[place, pack.kind_of[unit]] += 1
    return found


def _places(state: State, side: Side) -> Iterator[tuple[str, list[str]]]:
    for area in state.loose:
        if area != BOX and (units := state.loose_units(area, side)):
            yield area, units
    for army, area in state.army_at.items():
        if area != BOX and state.pack.side_of[army] == side:
            yield army, state.contents[army]


def remove(state: State, side: Side, losses: Losses) -> Step:
    """9.8-02 To the force pool. An army emptied so is only empty (8.1-07)."""
    for place in sorted({loss.place for loss in losses}):
        army = place if place in state.pack.armies else LOOSE
        area = state.army_at[army] if army else place
        wanted = Counter(loss.unit for loss in losses if loss.place == place)
        yield UnitsLost(
            side, _counters(state, area, army, side, wanted), area, army, "crisis", eyes(state, side)
        )
        yield from settle(state, area)  # 8.1-10, 0-06


def _counters(state: State, area: str, army: str, side: Side, wanted: Counter[str]) -> tuple[str, ...]:
    """Those not entrenched go first."""
    there = sorted(state.in_place(area, army, side), key=lambda unit: (unit in state.entrenched, unit))
    found: list[str] = []
    for kind, number in sorted(wanted.items()):
        found += [unit for unit in there if state.pack.kind_of[unit] == kind][:number]
    return tuple(sorted(found))


# ------------------------------------------------------------------ choices


class CrisisOptions(Options):
    """Play it or not."""

    __slots__ = ("_side", "_state")

    def __init__(self, state: State, side: Side) -> None:
        self._state, self._side = state, side

    def why_not(self, answer: Answer) -> Refusal | None:
        if answer is False:
            return None
        state, kind = self._state, crisis_card(self._state, self._side)
        rule = "TTLM-9.8-04" if self._side == "GE" else "TTLM-9.9-02"
        if answer is not True:
            return Illegal(rule, "yes-or-no")
        if state.year not in state.pack.crisis[kind]:
            return Illegal(rule, "no-crisis-this-year", {"year": state.year, "card": kind})
        if kind not in hand(state, self._side):
            return Illegal(rule, "not-in-hand", {"card": kind})
        return None

    def sample(self, rng: Rng) -> Answer:
        return self.why_not(True) is None and rng.random() < 0.5

    def only(self) -> tuple[Answer] | None:
        return (False,) if self.why_not(True) else None

    def describe(self) -> Sequence[Answer]:
        return (False,) if self.why_not(True) else (False, True)


class CrisisLosses(Options):
    """So many units, each named by where it is and its kind."""

    __slots__ = ("_number", "_row", "_side", "_state")

    def __init__(self, state: State, side: Side, row: Crisis, number: int) -> None:
        self._state, self._side, self._row, self._number = state, side, row, number

    def why_not(self, answer: Answer) -> Refusal | None:
        rule = "TTLM-9.9-01" if self._side == "GE" else "TTLM-9.8-02"
        if not isinstance(answer, tuple) or not all(isinstance(loss, Loss) for loss in answer):
            return Illegal(rule, "not-a-list-of-losses")
        if len(answer) != self._number:
            return Illegal(rule, "wrong-number-of-losses", {"number": self._number, "named": len(answer)})
        there = eligible(self._state, self._side, self._row)
        for (place, kind), number in sorted(Counter((loss.place, loss.unit) for loss in answer).items()):
            if number > there[place, kind]:
                facts = {"place": place, "unit": kind, "there": there[place, kind]}
                return Illegal(rule, "no-such-infantry", facts)
        return None

    def sample(self, rng: Rng) -> Answer:
        left = sorted(eligible(self._state, self._side, self._row).elements())
        return tuple(Loss(*left.pop(rng.randrange(len(left)))) for _ in range(self._number))

    def only(self) -> tuple[Answer] | None:
        left = sorted(eligible(self._state, self._side, self._row).elements())
        if len(left) == self._number or len(set(left)) == 1:
            return (tuple(Loss(*where) for where in left[: self._number]),)
        return None

    def describe(self) -> Sequence[Answer]:
        """The usual choice, and for every kind of loss one list that begins with it."""
        left = sorted(eligible(self._state, self._side, self._row).elements())
        found = [first_losses(self._state, self._side, self._row, self._number)]
        for where in sorted(set(left)):
            rest = list(left)
            rest.remove(where)
            found.append(tuple(Loss(*one) for one in (where, *rest[: self._number - 1])))
        return list(dict.fromkeys(found))


def first_losses(state: State, side: Side, row: Crisis, number: int) -> Losses:
    """D41 Loose infantry in Friendly areas, then out of the largest army in one, then where it is disputed;
    no army's last unit if that can be avoided; plain infantry first.
    """
    left = eligible(state, side, row)
    sizes = {army: len(units) for army, units in state.contents.items()}
    found: list[Loss] = []

    def worth(where: Where) -> tuple[bool, bool, bool, int, bool, Where]:
        place, kind = where
        army = place in sizes
        area = state.army_at[place] if army else place
        contested = status(state, area, side) != "friendly"
        size = sizes.get(place, 0)
        return army and size == 1, contested, army, -size, not kind.endswith(".I"), where

    while len(found) < number:
        where = min((one for one in left if left[one]), key=worth)
        left[where] -= 1
        if where[0] in sizes:
            sizes[where[0]] -= 1
        found.append(Loss(*where))
    return tuple(found)
