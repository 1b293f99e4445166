"""Orders about cards and the declaration of battles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from engine.games.to_the_last_man.answers import CombatCards, Declare, DeclareGiven, Slot
from engine.games.to_the_last_man.notation.clauses import GENERAL, NO_HITS, Clause
from engine.games.to_the_last_man.notation.lexicon import Pen
from engine.games.to_the_last_man.view import View
from engine.kernel.game import Said
from engine.kernel.requests import Ask

EVERYWHERE = "*"
BEST_FIRST = ("ER3", "special", "OFF", "SUR", "AAB", "GAS", "ER2", "BAD", "SRV", "LIM", "crisis")  # D52
SPENT_LAST = ("LIM", "BAD", "GAS", "SRV", "OFF", "AAB", "SUR", "special")  # decisions 4.2


def is_dead(card: str, view: View) -> bool:
    """Of no use as an event: not yet, not this year, or the other side's."""
    row = view.pack.card_kinds[card]
    if row.group == "crisis":
        year = view.pack.turns[view.turn].year
        return row.special_for != view.side or year not in view.pack.crisis[card]
    if row.special_for:  # a special offensive is a plain one for the other side, and before its time
        return False
    return view.turn < row.first_turn


def role(card: str, view: View) -> str:
    """The card's id; "special" for an active special offensive, OFF for one that is not, "crisis"."""
    row = view.pack.card_kinds[card]
    if row.group == "crisis":
        return "crisis"
    if not row.special_for:
        return card
    return "special" if row.special_for == view.side and view.turn >= row.first_turn else "OFF"


def worst_first(cards: Iterable[str], view: View, ranking: Sequence[str] = ()) -> list[str]:
    """Cards of a hand, the least wanted first: those of no use, then from the end of the ranking.

    D52 What the own ranking does not name comes before what it names, by the default one.
    """

    def worth(card: str) -> tuple[int, int, str]:
        own = len(ranking) - ranking.index(card) if card in ranking else 0
        if is_dead(card, view):
            return own, 0, card
        place = role(card, view)
        return own, len(BEST_FIRST) - BEST_FIRST.index(place) if place in BEST_FIRST else 0, card

    return sorted(cards, key=worth)


def held(wanted: Sequence[str], hand: Sequence[str]) -> tuple[str, ...]:
    """Those of the cards wanted that the hand holds, as often as it holds them."""
    left, found = Counter(hand), []
    for card in wanted:
        if left[card]:
            left[card] -= 1
            found.append(card)
    return tuple(found)


# ------------------------------------------------------------------ set-up and season


@dataclass(frozen=True, slots=True)
class TakeOrder(Clause):
    """D02"""

    topics = ("setup.take",)
    kind = "TAKE"
    lasting = True
    cards: tuple[str, ...]

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        return Said(next((card for card in self.cards if ask.options.contains(card)), self.cards[0]))

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('TAKE')} {pen.cards(self.cards)}"


@dataclass(frozen=True, slots=True)
class BidOrder(Clause):
    """D03"""

    topics = ("season.bid",)
    kind = "BID"
    lasting = True
    cards: tuple[str, ...]

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        return Said(tuple(sorted(self.cards)))

    @property
    def always_fits(self) -> bool:
        return not self.cards

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('BID')} {pen.cards(self.cards) if self.cards else 0}"


@dataclass(frozen=True, slots=True)
class FirstOrder(Clause):
    """D03 The side that plays first, for the winner of the bidding."""

    topics = ("season.first",)
    kind = "FIRST"
    lasting = True
    side: str

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        return Said(self.side)

    @property
    def always_fits(self) -> bool:
        return True

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('FIRST')} {self.side}"


# ------------------------------------------------------------------ the own Player Turn


@dataclass(frozen=True, slots=True)
class PlayOrder(Clause):
    """D10 One Offensive card; of several named the first that is in hand."""

    topics = ("turn.card",)
    kind = "PLAY"
    lasting = True
    cards: tuple[str, ...]  # none: pass

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        if not self.cards:
            return Said(None)
        return Said(next((card for card in self.cards if ask.options.contains(card)), self.cards[0]))

    @property
    def always_fits(self) -> bool:
        return not self.cards

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('PLAY')} {pen.cards(self.cards)}" if self.cards else pen.verb("PASS")


@dataclass(frozen=True, slots=True)
class CrisisOrder(Clause):
    """D11 A Crisis card, at one of three moments of the own Player Turn."""

    topics = ("turn.crisis",)
    kind = "CRISIS"
    lasting = True
    planned = True  # after combat the sheet of this letter is not on file any more
    slot: Slot = "start"

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        return Said(True) if ask.given.slot == self.slot else None

    def place(self) -> str:
        return self.slot

    def write(self, pen: Pen) -> str:
        if self.slot == "start":
            return pen.verb("CRISIS")
        return f"{pen.verb('CRISIS')} {pen.clause('AFTER')} {pen.value(self.slot.upper())}"


@dataclass(frozen=True, slots=True)
class DiscardOrder(Clause):
    """D17 Cards named, or all but those kept."""

    topics = ("turn.discard",)
    kind = "DISCARD"
    lasting = True
    cards: tuple[str, ...] = ()
    everything: bool = False
    kept: tuple[str, ...] = ()

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        if not self.everything:
            return Said(tuple(sorted(self.cards)))
        keep = Counter(held(self.kept, view.hand))
        return Said(tuple(sorted((Counter(view.hand) - keep).elements())))

    @property
    def always_fits(self) -> bool:
        return self.everything or not self.cards

    def write(self, pen: Pen) -> str:
        if not self.everything:
            return f"{pen.verb('DISCARD')} {pen.cards(self.cards)}"
        kept = f" {pen.clause('KEEP')} {pen.cards(self.kept)}" if self.kept else ""
        return f"{pen.verb('DISCARD')} {pen.value('ALL')}{kept}"


@dataclass(frozen=True, slots=True)
class BattleOrder(Clause):
    """D18 Battle Areas in the order in which they are fought. NEW: the compulsory ones; FRONT: all others."""

    topics = ("battle.declare",)
    kind = "BATTLE"
    single = True
    lasting = True
    areas: tuple[str, ...]

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        given: DeclareGiven = ask.given
        found: list[str] = []
        for area in self.areas:
            if area == "NEW":
                found += given.compulsory
            elif area == "FRONT":
                found += [one for one in sorted(view.status) if view.status[one] == "disputed"]
            else:
                found.append(area)
        return Said(Declare(tuple(dict.fromkeys(found))))

    def write(self, pen: Pen) -> str:
        areas = ", ".join([pen.value(area) for area in self.areas])
        return f"{pen.verb('BATTLE')} {areas or pen.value('NONE')}"


@dataclass(frozen=True, slots=True)
class KeepOrder(Clause):
    """D20 The battle that is kept; of several named the first that was declared."""

    topics = ("battle.keep",)
    kind = "KEEP"
    lasting = True
    planned = True
    areas: tuple[str, ...]
    unknown = NO_HITS

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        return Said(next((area for area in self.areas if ask.options.contains(area)), self.areas[0]))

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('KEEP')} {', '.join(self.areas)}"


# ------------------------------------------------------------------ combat cards


class CombatCard(Clause):
    """Gives a part of what is laid on Battle Areas."""

    __slots__ = ()
    topics: ClassVar[tuple[str, ...]] = ("battle.cards", "battle.answer")
    lasting = True

    def has_area(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class CardOrder(CombatCard):
    """D19, D31 CARD GAS ON ART; ON *: on every Battle Area, in their order, while cards last."""

    kind = "CARD"
    card: str  # '': none
    area: str = ""

    def scope(self, ask: Ask, view: View) -> tuple[str, ...]:
        return tuple(ask.given.areas) if self.area == EVERYWHERE else (self.area,)

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        bonus = usual_bonus(ask)
        if not self.card:
            return Said(CombatCards(bonus=bonus))
        if self.area != EVERYWHERE:
            return Said(CombatCards(((self.area, self.card),), bonus))
        laid = self.laid(ask, CombatCards(bonus=bonus), where)
        return Said(laid) if laid.on else None

    def laid(self, ask: Ask, whole: CombatCards, where: Sequence[str]) -> CombatCards:
        """With this card, too, on those of the areas where it may be."""
        for area in where:
            more = replace(whole, on=tuple(sorted({*whole.on, (area, self.card)})))
            whole = more if ask.options.contains(more) else whole
        return whole

    def place(self) -> str:
        return GENERAL if self.area == EVERYWHERE else self.area

    @property
    def always_fits(self) -> bool:
        return not self.card

    def write(self, pen: Pen) -> str:
        if not self.card:
            return f"{pen.verb('CARD')} {pen.value('NONE')}"
        return f"{pen.verb('CARD')} {pen.card(self.card)} {pen.clause('ON')} {self.area}"


@dataclass(frozen=True, slots=True)
class BonusOrder(CombatCard):
    """D19 Where the special Offensive's extra dice are rolled."""

    topics = ("battle.cards",)
    kind = "BONUS"
    single = True
    areas: tuple[str, ...]  # none: nowhere

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        return Said(CombatCards(bonus=tuple(sorted(self.areas))))

    def has_area(self) -> bool:
        return False

    def write(self, pen: Pen) -> str:
        if not self.areas:
            return f"{pen.verb('BONUS')} {pen.value('NONE')}"
        return f"{pen.verb('BONUS')} {pen.clause('ON')} {', '.join(self.areas)}"


@dataclass(frozen=True, slots=True)
class CounterOrder(CombatCard):
    """D32 The counter-attack marker, and the card that pays for it."""

    topics = ("battle.answer",)
    kind = "COUNTER"
    single = True
    area: str
    card: str

    def scope(self, ask: Ask, view: View) -> tuple[str, ...]:
        return (self.area,)

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        return Said(CombatCards(counter=(self.area, self.card)))

    def place(self) -> str:
        return self.area

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('COUNTER')} {self.area} {pen.clause('USING')} {pen.card(self.card)}"


@dataclass(frozen=True, slots=True)
class WeatherOrder(Clause):
    """D30"""

    topics = ("battle.weather",)
    kind = "WEATHER"
    lasting = True
    played: bool = True

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        return Said(self.played)

    @property
    def always_fits(self) -> bool:
        return not self.played

    def write(self, pen: Pen) -> str:
        return pen.verb("WEATHER") if self.played else f"{pen.verb('WEATHER')} {pen.value('NONE')}"


def together(ask: Ask, said: Sequence[tuple[Clause, Sequence[str], CombatCards]]) -> CombatCards | None:
    """Several orders' cards at once: each clause with its areas, and what it says alone.

    None: the last has nothing to add. CARD NONE ends the list; BONUS and COUNTER are said once.
    """
    whole, before = CombatCards(bonus=usual_bonus(ask)), list[Clause]()
    for clause, where, part in said:
        alike = [one for one in before if one.kind == clause.kind]
        if any(one.single or one.always_fits for one in alike):
            return None
        before.append(clause)
        bonus = part.bonus if isinstance(clause, BonusOrder) else whole.bonus
        whole = replace(whole, bonus=bonus, counter=whole.counter or part.counter)
        if isinstance(clause, CardOrder) and clause.area == EVERYWHERE:
            whole = clause.laid(ask, whole, where)
        else:
            whole = replace(whole, on=tuple(sorted({*whole.on, *part.on})))
    return whole


def usual_bonus(ask: Ask) -> tuple[str, ...]:
    """D19 Where the extra dice are rolled if no BONUS says otherwise."""
    usual = ask.default
    return usual.bonus if isinstance(usual, CombatCards) else ()


# ------------------------------------------------------------------ excess cards


@dataclass(frozen=True, slots=True)
class ExcessOrder(Clause):
    """D52 EXCESS DROP LIM, OFF: these first; what is still too many goes by the default ranking."""

    topics = ("excess",)
    kind = "EXCESS"
    lasting = True
    cards: tuple[str, ...]

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        return Said(dropped(view, ask.given.number, self.cards, ()))

    @property
    def always_fits(self) -> bool:
        return True

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('EXCESS')} {pen.clause('DROP')} {pen.cards(self.cards)}"


@dataclass(frozen=True, slots=True)
class RankOrder(Clause):
    """D52 The dearest first."""

    topics = ("excess",)
    kind = "EXCESS"
    lasting = True
    cards: tuple[str, ...]

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        return Said(dropped(view, ask.given.number, (), self.cards))

    @property
    def always_fits(self) -> bool:
        return True

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('RANK')} {pen.cards(self.cards)}"


def dropped(view: View, number: int, first: Sequence[str], ranking: Sequence[str]) -> tuple[str, ...]:
    named = held(first, view.hand)[:number]
    rest = list((Counter(view.hand) - Counter(named)).elements())
    return tuple(sorted([*named, *worst_first(rest, view, ranking)[: number - len(named)]]))


def spending_order(view: View, kept: Sequence[str]) -> list[str]:
    """decisions 4.2 The hand as Ersatz, the first to go first: cards that are no event any more, LIM … SUR,
    an active special offensive. Without Ersatz 2 and 3, and never a card that is kept.
    """
    of_use = [card for card in view.hand if card not in kept and view.pack.card_kinds[card].ersatz == 1]
    usable = list((Counter(of_use) - Counter(view.fresh)).elements())

    def place(card: str) -> tuple[int, str]:
        what = role(card, view)
        if is_dead(card, view) or what not in SPENT_LAST:
            return -1, card
        return SPENT_LAST.index(what), card

    return sorted(usable, key=place)
