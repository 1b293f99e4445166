"""5.3 Taking losses: Ersatz first, then unit by unit from the strongest piece; annihilation.

What may take a hit is a list of pieces, worked out anew after each loss: all that fight in the area, only
biplanes (dogfight), or only those who are leaving (pursuit). The policies of those who say nothing are in
`rules.loss_policy`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from engine.games.to_the_last_man.answers import FORT, LOOSE, Ersatz, HitsGiven, Loss, Side
from engine.games.to_the_last_man.facts.battle import HitsVanished
from engine.games.to_the_last_man.facts.battle import Step as FireStep
from engine.games.to_the_last_man.facts.force import ArmyEliminated, FortReduced, UnitsLost
from engine.games.to_the_last_man.rules import loss_policy
from engine.games.to_the_last_man.rules.areas import settle
from engine.games.to_the_last_man.rules.cards import ersatz_value, hand, play_card
from engine.games.to_the_last_man.rules.embattled import Battle, fighting, might_have_cards
from engine.games.to_the_last_man.rules.loss_policy import Piece, strongest, toll
from engine.games.to_the_last_man.rules.pieces import eyes, pick
from engine.games.to_the_last_man.state import State
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Answer, Ask, Options, Rng, Seat, Step

Targets: TypeAlias = Callable[[], list[Piece]]  # worked out anew after each loss


@dataclass(frozen=True, slots=True)
class Hits:
    """5.2.3 What one side has to pay for in one step."""

    battle: Battle
    side: Side
    step: FireStep
    number: int
    siege: int = 0  # of them, a siege gun's

    @property
    def ordinary(self) -> int:
        return self.number - self.siege

    def given(self) -> HitsGiven:
        return HitsGiven(self.side, self.battle.area, self.step, self.number, self.siege)


def all_targets(state: State, battle: Battle, side: Side) -> list[Piece]:
    """5.3.1-02, -09 The fort, armies and loose units that take part in the battle."""
    pieces = []
    strength = state.fort(battle.area, side)
    if strength is not None:
        pieces.append(Piece(FORT, strength))
    types, type_of = state.pack.types, state.pack.type_of
    for place, there in fighting(state, battle.area, side):
        units = tuple(unit for unit in there if types[type_of[unit]].can_be_lost)
        if not units:
            continue
        if place == LOOSE:
            pieces += [Piece(LOOSE, 1, (unit,)) for unit in units]
        else:
            pieces.append(Piece(place, len(there), units))  # 5.3.1-05 a Paris Gun counts, but stays
    return pieces


# ------------------------------------------------------------------ paying


def pay(state: State, hits: Hits, targets: Targets) -> Step:
    """5.3 One side pays for all hits of a step: cards, the fort for siege hits, then unit by unit."""
    if hits.number == 0:
        return
    hits = yield from spend_ersatz(state, hits, targets)
    vanished = yield from besiege(state, hits)
    left = hits.ordinary
    while left and targets():
        yield from take_loss(state, replace(hits, number=left, siege=0), targets)
        left -= 1
    if vanished + left:  # 5.3.4-01
        yield HitsVanished(hits.side, hits.battle.area, vanished + left)


def spend_ersatz(state: State, hits: Hits, targets: Targets) -> Step:
    """5.3.2-03 After the dice are known a side may spend cards; returns the hits that are left."""
    if not might_have_cards(state, hits.side):
        return hits
    ersatz: Ersatz = yield Ask(
        Seat(hits.side),
        "battle.ersatz",
        hits.battle.at,
        hits.given(),
        ErsatzOptions(state, hits),
        loss_policy.ersatz(state, hits.side, targets(), loses_loose_first(hits), hits.number, hits.siege),
        secret=True,
        plan=hits.battle.plan(state, hits.side),
    )
    for kind in ersatz.cards:
        yield from play_card(state, hits.side, kind, "ersatz", (hits.battle.area,))
    paid = min(hits.number, points(state, ersatz.cards))  # 5.3.2-02 the rest of the points is lost
    return replace(hits, number=hits.number - paid, siege=hits.siege - ersatz.siege)


def besiege(state: State, hits: Hits) -> Step:
    """8.3.3-03, -04 Siege hits go to the fort, before all others; returns those for which it was too weak."""
    for paid in range(hits.siege):
        if state.fort(hits.battle.area, hits.side) is None:
            return hits.siege - paid
        yield from reduce_fort(state, hits.battle, hits.side)
    return 0


def take_loss(state: State, hits: Hits, targets: Targets) -> Step:
    """5.3.1-01 One hit is paid by one unit or one step of the fort."""
    pieces = targets()
    loss: Loss = yield Ask(
        Seat(hits.side),
        "battle.loss",
        hits.battle.at,
        hits.given(),
        LossOptions(state, pieces),
        loss_policy.loss(state, pieces, loses_loose_first(hits)),
        secret=True,
        plan=hits.battle.plan(state, hits.side),
    )
    if loss.place == FORT:
        yield from reduce_fort(state, hits.battle, hits.side)
    else:
        yield from lose_unit(state, hits.battle, hits.side, loss, pieces)


def loses_loose_first(hits: Hits) -> bool:
    """Unsaid, the attacker loses loose units before those in armies, and both do in a dogfight."""
    return hits.side == hits.battle.attacker or hits.step == "dogfight"


def reduce_fort(state: State, battle: Battle, side: Side) -> Step:
    """5.3.1-07 A step of the fort; at 0 it is gone for good, and Sedan, which begins at 0, with its first."""
    strength = state.forts[battle.area]
    yield FortReduced(side, battle.area, strength - 1 if strength > 1 else -1, "combat")
    yield from settle(state, battle.area)


def lose_unit(state: State, battle: Battle, side: Side, loss: Loss, pieces: Sequence[Piece]) -> Step:
    """5.3.1-06, -08 The unit goes to the force pool; an army that lost its last one is eliminated."""
    able = [piece for piece in strongest(pieces) if piece.place == loss.place]
    units = [unit for piece in able for unit in piece.units if state.pack.kind_of[unit] == loss.unit]
    # Of units that leave in several directions (8.3.1-10) those named last are lost first.
    last = next(piece.units for piece in reversed(able) if any(unit in piece.units for unit in units))
    unit = pick(state, last, ((loss.unit, 1),))
    yield UnitsLost(side, unit, battle.area, loss.place, "combat", eyes(state, side))
    if loss.place != LOOSE and not state.contents[loss.place]:
        yield ArmyEliminated(side, loss.place, battle.area, "combat")
    yield from settle(state, battle.area)


def points(state: State, cards: Sequence[str]) -> int:
    return sum(ersatz_value(state, kind) for kind in cards)


# ------------------------------------------------------------------ what may be answered


@dataclass(frozen=True, slots=True)
class LossOptions(Options):
    """5.3.1-02 to -05 A unit of the most numerous type of a strongest piece, or a step of that fort."""

    state: State
    pieces: list[Piece]

    def _offered(self) -> list[Loss]:
        return toll(self.state, self.pieces)

    def contains(self, answer: Answer) -> bool:
        return answer in self._offered()

    def why_not(self, answer: Answer) -> Refusal | None:
        if answer in self._offered():
            return None
        if not isinstance(answer, Loss):
            return Illegal("TTLM-5.3.1-01", "not-an-act")
        place, unit = answer.place, answer.unit
        there = [piece for piece in self.pieces if piece.place == place]
        facts = {"place": place, "unit": unit}
        if not there:
            legal = tuple(sorted({piece.place for piece in self.pieces}))
            return Illegal("TTLM-5.3.1-02", "not-in-battle", {**facts, "legal": legal})
        most = max(piece.strength for piece in self.pieces)
        if all(piece.strength < most for piece in there):
            strong = tuple(sorted({piece.place for piece in self.pieces if piece.strength == most}))
            return Illegal("TTLM-5.3.1-02", "not-strongest", {**facts, "strongest": strong})
        kind_of = self.state.pack.kind_of
        if not any(kind_of[one] == unit for piece in there for one in piece.units):
            return Illegal("TTLM-5.3.1-04", "no-such-unit", facts)
        most_of = tuple(sorted({loss.unit for loss in self._offered() if loss.place == place}))
        return Illegal("TTLM-5.3.1-04", "not-most-numerous", {**facts, "legal": most_of})

    def sample(self, rng: Rng) -> Answer:
        return rng.choice(self._offered())

    def only(self) -> tuple[Answer] | None:
        offered = self._offered()
        return (offered[0],) if len(offered) == 1 else None

    def describe(self) -> Sequence[Answer]:
        return self._offered()


@dataclass(frozen=True, slots=True)
class ErsatzOptions(Options):
    """5.3.2, 8.3.3-04 Cards out of the hand, none of them to no purpose, and which hits they pay."""

    state: State
    hits: Hits

    def why_not(self, answer: Answer) -> Refusal | None:
        if not isinstance(answer, Ersatz):
            return Illegal("TTLM-5.3.2-01", "not-an-act")
        held = hand(self.state, self.hits.side)
        for kind in sorted(set(answer.cards)):
            if answer.cards.count(kind) > held.count(kind):
                return Illegal("TTLM-5.3.2-01", "not-in-hand", {"card": kind, "held": held.count(kind)})
        values = sorted(ersatz_value(self.state, kind) for kind in answer.cards)
        if values and sum(values) - values[0] >= self.hits.number:
            return Illegal("TTLM-5.3.2-02", "more-than-the-hits", {"hits": self.hits.number})
        least, most = self._siege_range(answer.cards)
        if not least <= answer.siege <= most:
            return Illegal("TTLM-8.3.3-04", "siege-hits-paid", {"least": least, "most": most})
        return None

    def _siege_range(self, cards: Sequence[str]) -> tuple[int, int]:
        """How many of the hits paid with these cards may be a siege gun's."""
        paid = min(self.hits.number, points(self.state, cards))
        return max(0, paid - self.hits.ordinary), min(self.hits.siege, paid)

    def sample(self, rng: Rng) -> Answer:
        left, cards = hand(self.state, self.hits.side), list[str]()
        while left and points(self.state, cards) < self.hits.number and rng.random() < 0.4:
            cards.append(left.pop(rng.randrange(len(left))))
        while self.why_not(Ersatz(tuple(cards), self._siege_range(cards)[0])) is not None:
            cards.remove(min(cards, key=lambda kind: (ersatz_value(self.state, kind), kind)))
        least, most = self._siege_range(cards)
        return Ersatz(tuple(sorted(cards)), least + rng.randrange(most - least + 1))

    def only(self) -> tuple[Answer] | None:
        return None if hand(self.state, self.hits.side) else (Ersatz(),)

    def describe(self) -> Sequence[Answer]:
        """No card, each single kind, and for each what it may pay."""
        found = [Ersatz()]
        for kind in sorted(set(hand(self.state, self.hits.side))):
            least, most = self._siege_range((kind,))
            found += [Ersatz((kind,), siege) for siege in range(least, most + 1)]
        return found
