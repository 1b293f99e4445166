"""Facts of the cards. A card's id goes to its holder; everyone else reads the kind, once it is played."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from engine.games.to_the_last_man.answers import Side
from engine.games.to_the_last_man.facts.board import forget, put, take
from engine.games.to_the_last_man.facts.told import Told
from engine.games.to_the_last_man.state import State
from engine.kernel.requests import Audience, Fact, PublicFact, Quiet

Use: TypeAlias = Literal["offensive", "reserves", "crisis", "combat", "weather", "ersatz", "counter"]
Reason: TypeAlias = Literal["pass", "excess", "bid", "crisis-over"]


def kind(card: str) -> str:
    return card.partition(".")[0]


@dataclass(frozen=True, slots=True)
class DeckShuffled(Fact):
    """1.3 A new draw pile; nobody knows its order."""

    quiet: ClassVar[Quiet] = Quiet("nobody reads it")
    order: tuple[str, ...]  # top first
    root: str
    audience: Audience = ()
    hidden: bool = False  # hidden_hand_size: how many there are would tell how many the other side holds

    def apply(self, state: State) -> None:
        state.deck, state.root, state.dealt = list(self.order), self.root, 0
        forget(state.discard, self.order)

    def redacted(self) -> Fact | None:
        return DeckShuffledSeen(-1 if self.hidden else len(self.order))


@dataclass(frozen=True, slots=True)
class DeckShuffledSeen(Told):
    size: int  # -1: hidden


@dataclass(frozen=True, slots=True)
class CardsDrawn(Fact):
    """The top cards of the pile went to a hand."""

    reveals: ClassVar[bool] = True  # to their new holder
    side: Side
    cards: tuple[str, ...]  # in the order of drawing
    fresh: bool  # 2.II.1-09 of no use in this Player Turn
    audience: Audience
    hidden: bool = False  # hidden_hand_size: the other side does not learn how many

    def apply(self, state: State) -> None:
        del state.deck[: len(self.cards)]
        state.dealt += len(self.cards)
        put(state.hands[self.side], self.cards)
        if self.fresh:
            put(state.fresh, self.cards)

    def redacted(self) -> Fact | None:
        return None if self.hidden else CardsDrawnSeen(self.side, len(self.cards))


@dataclass(frozen=True, slots=True)
class CardsDrawnSeen(Told):
    side: Side
    number: int


@dataclass(frozen=True, slots=True)
class CardsBought(Fact):
    """7.1 Where the size of hands is hidden nobody else learns how many; otherwise `PointsSpent` tells it."""

    side: Side
    points: int
    number: int
    audience: Audience

    def apply(self, state: State) -> None:
        state.points[self.side] -= self.points
        state.bought[self.side] += self.number


@dataclass(frozen=True, slots=True)
class CardTaken(Fact):
    """11.2-03 A card was chosen out of the pile before it was shuffled."""

    side: Side
    card: str
    audience: Audience

    def apply(self, state: State) -> None:
        state.deck.remove(self.card)
        insort(state.hands[self.side], self.card)

    def redacted(self) -> Fact | None:
        return CardTakenSeen(self.side)


@dataclass(frozen=True, slots=True)
class CardTakenSeen(Told):
    """One of the two that the scenario names; which one is not told."""

    side: Side


@dataclass(frozen=True, slots=True)
class CardPlayed(Fact):
    """A card was used and lies on the discard pile, or is out of the game."""

    side: Side
    card: str
    use: Use
    at: tuple[str, ...]  # Battle Areas it was laid on
    removed: bool
    audience: Audience

    def apply(self, state: State) -> None:
        state.hands[self.side].remove(self.card)
        insort(state.removed if self.removed else state.discard, self.card)
        if self.side == state.phasing and self.use != "ersatz":
            state.cards_played += 1
        if self.use == "offensive":
            state.offensive = kind(self.card)
        elif self.use == "combat":
            state.laid[self.side] = sorted(
                [*state.laid[self.side], *((area, kind(self.card)) for area in self.at)]
            )
        elif self.use == "counter":
            (state.counter,) = self.at
        elif self.use == "ersatz":
            for span in ("step", "battle", "turn"):
                state.spent[f"{self.side}.{span}"] = state.spent.get(f"{self.side}.{span}", 0) + 1

    def redacted(self) -> Fact | None:
        return CardPlayedSeen(self.side, kind(self.card), self.use, self.at, self.removed)


@dataclass(frozen=True, slots=True)
class CardPlayedSeen(Told):
    side: Side
    card: str  # its kind
    use: Use
    at: tuple[str, ...]
    removed: bool


@dataclass(frozen=True, slots=True)
class CardsDiscarded(Fact):
    """Cards went from a hand to the discard pile unused, face up; or out of the game."""

    side: Side
    cards: tuple[str, ...]  # sorted
    why: Reason
    removed: bool  # 9.8-05 out of the game
    audience: Audience

    def apply(self, state: State) -> None:
        take(state.hands[self.side], self.cards)
        put(state.removed if self.removed else state.discard, self.cards)
        forget(state.fresh, self.cards)

    def redacted(self) -> Fact | None:
        return CardsDiscardedSeen(self.side, tuple(sorted(map(kind, self.cards))), self.why, self.removed)


@dataclass(frozen=True, slots=True)
class CardsDiscardedSeen(Told):
    side: Side
    cards: tuple[str, ...]  # kinds
    why: Reason
    removed: bool


@dataclass(frozen=True, slots=True)
class CardsRemoved(Fact):
    """9.8-05 Cards left the game out of the piles."""

    cards: tuple[str, ...]
    audience: Audience = ()

    def apply(self, state: State) -> None:
        for pile in (state.deck, state.discard):
            forget(pile, self.cards)
        put(state.removed, self.cards)

    def redacted(self) -> Fact | None:
        return CardsRemovedSeen(tuple(sorted(map(kind, self.cards))))


@dataclass(frozen=True, slots=True)
class CardsRemovedSeen(Told):
    cards: tuple[str, ...]  # kinds


@dataclass(frozen=True, slots=True)
class BonusPlaced(PublicFact):
    """9.1-02 Where the special Offensive's extra dice will be rolled."""

    areas: tuple[str, ...]

    def apply(self, state: State) -> None:
        state.bonus = list(self.areas)


CARD_FACTS: tuple[type[Fact], ...] = (
    DeckShuffled,
    DeckShuffledSeen,
    CardsDrawn,
    CardsDrawnSeen,
    CardsBought,
    CardTaken,
    CardTakenSeen,
    CardPlayed,
    CardPlayedSeen,
    CardsDiscarded,
    CardsDiscardedSeen,
    CardsRemoved,
    CardsRemovedSeen,
    BonusPlaced,
)
