"""1.3, 9, 2.II.1-08, 2.V.3 The deck and the hands: shuffles, draws, discards, and what a card can do now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from engine.games.to_the_last_man.answers import Side
from engine.games.to_the_last_man.facts.cards import (
    CardPlayed,
    CardsDiscarded,
    CardsDrawn,
    CardsRemoved,
    DeckShuffled,
    Reason,
    Use,
)
from engine.games.to_the_last_man.rules.pieces import holder
from engine.games.to_the_last_man.state import SIDES, State
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Answer, Opening, Options, Rng, Shuffle, Step

# 2.V.3, decisions D52: what is kept longest stands first; "*": only while it can be played as such
RANKING = ("ER3", "SPECIAL", "OFF", "SUR", "AAB*", "GAS*", "ER2", "BAD", "SRV", "LIM", "CRISIS*")


# ------------------------------------------------------------------ the piles


def shuffle_deck(state: State, cards: tuple[str, ...]) -> Step:
    """1.3 These cards are the new draw pile, in an order that nobody knows."""
    mixed = yield Shuffle("deck", tuple(sorted(cards)))
    yield DeckShuffled(mixed.order, mixed.root, hidden=state.options["hidden_hand_size"])


def reshuffle(state: State) -> Step:
    """1.3-03 Draw pile and discard pile together; hands and removed cards stay out."""
    yield from shuffle_deck(state, (*state.deck, *state.discard))


def draw_cards(state: State, side: Side, number: int) -> Step:
    """1.3-02, -04 The top cards; when the pile is empty it is made anew of the discards, if there are any."""
    yield from _draw(state, side, number, fresh=False)


def draw_for_later(state: State, side: Side, number: int) -> Step:
    """2.II.1-09 Cards that are of no use before this Player Turn is over."""
    yield from _draw(state, side, number, fresh=True)


def _draw(state: State, side: Side, number: int, fresh: bool) -> Step:
    hidden = state.options["hidden_hand_size"]
    while number > 0 and (state.deck or state.discard):
        if not state.deck:
            yield from shuffle_deck(state, tuple(state.discard))
        cards, root, first = tuple(state.deck[:number]), state.root, state.dealt
        yield CardsDrawn(side, cards, fresh, holder(side), hidden)
        if root and not hidden:  # where even the size of a hand is secret all proofs wait
            for n in range(len(cards)):
                yield Opening(root, first + n, holder(side))
        number -= len(cards)


def remove_crisis_cards(state: State) -> Step:
    """9.8-05, 9.9-03 Both crisis cards leave the game wherever they are; a hand draws a card instead.

    The piles are shuffled at the end of the winter before, after this.
    """
    crises = [card for card, kind in state.pack.cards.items() if kind in state.pack.crisis]
    for side in SIDES:
        if held := tuple(card for card in crises if card in state.hands[side]):
            yield CardsDiscarded(side, held, "crisis-over", True, holder(side))
    if lying := tuple(card for card in crises if card in state.deck or card in state.discard):
        yield CardsRemoved(lying)


# ------------------------------------------------------------------ hands


def hand(state: State, side: Side) -> list[str]:
    """Kinds of the cards of use to a side now, sorted, each as often as it is held."""
    kinds = state.pack.cards
    return sorted(kinds[card] for card in state.hands[side] if card not in state.fresh)


def whole_hand(state: State, side: Side) -> list[str]:
    """Kinds of all cards held, fresh ones too."""
    return sorted(state.pack.cards[card] for card in state.hands[side])


def pick_cards(state: State, side: Side, kinds: Iterable[str]) -> tuple[str, ...]:
    """Cards of these kinds out of a hand, those of use first, sorted."""
    held = sorted(state.hands[side], key=lambda card: (card in state.fresh, card))
    found: list[str] = []
    for kind in kinds:
        found.append(next(card for card in held if state.pack.cards[card] == kind and card not in found))
    return tuple(sorted(found))


def play_card(state: State, side: Side, kind: str, use: Use, at: tuple[str, ...] = ()) -> Step:
    """1.3-01 A played card goes to the discard pile at once."""
    (card,) = pick_cards(state, side, (kind,))
    yield CardPlayed(side, card, use, at, False, holder(side))


def discard_cards(state: State, side: Side, kinds: Sequence[str], why: Reason) -> Step:
    if kinds:
        yield CardsDiscarded(side, pick_cards(state, side, kinds), why, False, holder(side))


# ------------------------------------------------------------------ what a card can do


def is_offensive(state: State, kind: str) -> bool:
    """2.II.1-02"""
    return state.pack.card_kinds[kind].group == "offensive"


def offensives(state: State, side: Side) -> list[str]:
    """Kinds of Offensive-type cards of use to a side now, each once."""
    return sorted({kind for kind in hand(state, side) if is_offensive(state, kind)})


def is_active(state: State, side: Side, kind: str) -> bool:
    """9.1.3 to 9.1.6, 9.5-08 Is the card a special Offensive for that side on this turn?"""
    row = state.pack.card_kinds[kind]
    return row.bonus is not None and row.special_for == side and state.turn >= row.first_turn


def ersatz_value(state: State, kind: str) -> int:
    """9.2-01, -02 Every card is Ersatz 1 at least."""
    return state.pack.card_kinds[kind].ersatz


def is_crisis_now(state: State, side: Side, kind: str) -> bool:
    """9.8-01, -04, 9.9-01, -02 May that side play this card as a crisis this year?"""
    row = state.pack.card_kinds[kind]
    return row.group == "crisis" and row.special_for == side and state.year in state.pack.crisis[kind]


def is_event_dead(state: State, side: Side, kind: str) -> bool:
    """9.2-02 Is the card nothing but Ersatz 1 to that side now?"""
    row = state.pack.card_kinds[kind]
    if row.group == "crisis":
        return not is_crisis_now(state, side, kind)
    return row.group != "offensive" and row.ersatz == 1 and state.turn < row.first_turn


def by_rank(state: State, side: Side, kinds: Iterable[str]) -> list[str]:
    """D52 The cards in the order in which a side without a word of its own keeps them, best first."""
    return sorted(kinds, key=lambda kind: (_rank(state, side, kind), kind))


def _rank(state: State, side: Side, kind: str) -> int:
    if is_active(state, side, kind):
        name = "SPECIAL"
    elif is_crisis_now(state, side, kind):
        name = "CRISIS*"
    elif is_offensive(state, kind) and kind != "LIM":
        name = "OFF"  # a special Offensive of no special use is a plain one
    else:
        starred = f"{kind}*" in RANKING and not is_event_dead(state, side, kind)
        name = f"{kind}*" if starred else kind
    return RANKING.index(name) if name in RANKING else len(RANKING)


class CardLists(Options):
    """Lists of kinds out of a hand: so many at least, so many at most. The order does not matter."""

    __slots__ = ("_held", "_least", "_most", "_rule")

    def __init__(self, held: Sequence[str], least: int, most: int, rule: str) -> None:
        self._held, self._least, self._most, self._rule = held, least, min(most, len(held)), rule

    def why_not(self, answer: Answer) -> Refusal | None:
        if not isinstance(answer, tuple) or not all(isinstance(kind, str) for kind in answer):
            return Illegal(self._rule, "not-a-list-of-cards")
        held = Counter(self._held)
        for kind, number in sorted(Counter(answer).items()):
            if number > held[kind]:
                return Illegal(self._rule, "not-in-hand", {"card": kind, "held": held[kind]})
        if len(answer) > self._most:
            return Illegal(self._rule, "too-many-cards", {"most": self._most})
        if len(answer) < self._least:
            return Illegal(self._rule, "too-few-cards", {"least": self._least})
        return None

    def sample(self, rng: Rng) -> Answer:
        left = list(self._held)
        number = self._least + rng.randrange(self._most - self._least + 1)
        return tuple(sorted(left.pop(rng.randrange(len(left))) for _ in range(number)))

    def only(self) -> tuple[Answer] | None:
        if self._most == 0:
            return ((),)
        return (tuple(self._held),) if self._least == len(self._held) else None

    def describe(self) -> Sequence[Answer]:
        """The shortest lists that can be given, and all cards."""
        singles = [(kind,) for kind in sorted(set(self._held))] if self._least <= 1 <= self._most else []
        shortest = [tuple(self._held[: self._least])] if self._least != 1 else []
        longest = [tuple(self._held[: self._most])] if self._most > max(1, self._least) else []
        return list(dict.fromkeys([*shortest, *singles, *longest]))
