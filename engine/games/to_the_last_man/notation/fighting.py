"""How hits are paid, what biplanes do: orders of a battle plan that move nobody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.games.to_the_last_man.answers import (
    FORT,
    LOOSE,
    Ersatz,
    HitsGiven,
    Loss,
    Method,
    RerollGiven,
    Rerolls,
)
from engine.games.to_the_last_man.notation import sight
from engine.games.to_the_last_man.notation.cardplay import spending_order
from engine.games.to_the_last_man.notation.clauses import NO_HITS, Clause
from engine.games.to_the_last_man.notation.forces import Piece, nations_meant
from engine.games.to_the_last_man.notation.lexicon import Pen
from engine.games.to_the_last_man.state import INFANTRY
from engine.games.to_the_last_man.view import View
from engine.kernel.game import Said
from engine.kernel.requests import Ask

Period: TypeAlias = Literal["step", "battle", "turn"]

# decisions 5: ties inside an army, the first to go first; "infantry" stands for I, CW, S
ATTACKING = ("C", "B", "T", "G", "infantry", "A")
DUG_IN = ("A", "C", "B", "T", "G", "infantry")
NATION_LAST = ("US",)  # among infantry I before US I before CW before S


class OfBattle(Clause):
    """A clause of a battle plan or of a defender's sheet."""

    __slots__ = ()
    planned = True
    placed = True
    lasting = True
    unknown = NO_HITS


class OfHits(OfBattle):
    __slots__ = ()
    unknown = frozenset[str]()


# ------------------------------------------------------------------ Ersatz


@dataclass(frozen=True, slots=True)
class Budget(OfHits):
    """decisions 4.2 ERSATZ MAX n [PER STEP, BATTLE or TURN] [KEEP cards]."""

    topics = ("battle.ersatz",)
    kind = "ERSATZ"
    single = True
    most: int
    per: Period = "turn"
    kept: tuple[str, ...] = ()

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        left = self.most - view.spent.get(f"{view.side}.{self.per}", 0)
        return Said(spent(ask.given, view, max(0, left), self.kept))

    @property
    def always_fits(self) -> bool:
        return True

    def write(self, pen: Pen) -> str:
        parts = [pen.verb("ERSATZ"), pen.clause("MAX"), str(self.most)]
        if self.per != "turn":
            parts += [pen.clause("PER"), pen.word("period", self.per)]
        if self.kept:
            parts += [pen.clause("KEEP"), pen.cards(self.kept)]
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class ErsatzReply(OfHits):
    """ERSATZ ER2, OFF [SIEGE 1]: just these cards, for the hits of this step.

    SIEGE: so many of a siege gun's hits are paid with them; without it other hits are paid first.
    """

    topics = ("battle.ersatz",)
    kind = "ERSATZ"
    single = True
    cards: tuple[str, ...]
    siege: int = -1

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        cards = tuple(sorted(self.cards))
        siege = siege_paid(ask.given, cards, view) if self.siege < 0 else self.siege
        return Said(Ersatz(cards, siege))

    @property
    def always_fits(self) -> bool:
        return not self.cards

    def write(self, pen: Pen) -> str:
        siege = f" {pen.clause('SIEGE')} {self.siege}" if self.siege >= 0 else ""
        return f"{pen.verb('ERSATZ')} {pen.cards(self.cards)}{siege}"


@dataclass(frozen=True, slots=True)
class Annihilation(OfHits):
    """decisions 4.4 If the hits would destroy all that is there: SACRIFICE it, or SAVE it with cards."""

    topics = ("battle.ersatz",)
    single = True
    kind = "ANNIHILATION"  # sorts before ERSATZ: it is asked first
    saved: bool

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        given: HitsGiven = ask.given
        if given.hits < sight.strength(view, given.area, view.side):
            return None
        return Said(spent(given, view, given.hits, ()) if self.saved else Ersatz())

    @property
    def always_fits(self) -> bool:
        return True

    def write(self, pen: Pen) -> str:
        return pen.verb("SAVE" if self.saved else "SACRIFICE")


def spent(given: HitsGiven, view: View, budget: int, kept: Sequence[str]) -> Ersatz:
    """decisions 4.2 Ersatz 3 on 3 hits or more, Ersatz 2 on 2, then one-point cards; with a surplus last."""
    ones = spending_order(view, kept)
    value = {card: row.ersatz for card, row in view.pack.card_kinds.items()}
    usable = Counter(view.hand) - Counter(view.fresh)
    large = sorted(
        (card for card in usable.elements() if value[card] > 1 and card not in kept),
        key=lambda card: (value[card], card),
    )
    found: list[str] = []
    left = given.hits
    while left > 0 and len(found) < budget:
        fitting = [card for card in large if value[card] <= left]
        if fitting:
            card = fitting[-1]
            large.remove(card)
        elif ones:
            card = ones.pop(0)
        elif large:
            card = large.pop(0)
        else:
            break
        found.append(card)
        left -= value[card]
    cards = tuple(sorted(found))
    return Ersatz(cards, siege_paid(given, cards, view))


def siege_paid(given: HitsGiven, cards: Sequence[str], view: View) -> int:
    """Ruling: ordinary hits first, for a siege gun's can strike the fort alone."""
    paid = min(given.hits, sum(view.pack.card_kinds[card].ersatz for card in cards))
    return max(0, paid - (given.hits - given.siege))


def ersatz_together(ask: Ask, view: View, clauses: Sequence[Clause]) -> Ersatz | None:
    """SAVE with a budget on file spends within that budget."""
    if not clauses or not isinstance(clauses[0], Annihilation) or not clauses[0].saved:
        return None
    budget = next((one for one in clauses if isinstance(one, Budget)), None)
    said = None if budget is None else budget.attempt(ask, view, ())
    return None if said is None else said.value


# ------------------------------------------------------------------ losses


@dataclass(frozen=True, slots=True)
class LosePreference(OfHits):
    """decisions 4.3 LOSE A LAST, LOSE FORT FIRST: it breaks ties and no more."""

    topics = ("battle.loss",)
    kind = "LOSE"
    things: tuple[str, ...]  # types, FORT, LOOSE, armies
    first: bool

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        loss = preferred_loss(ask, view, (self,))
        return None if loss is None else Said(loss)

    def rank(self, loss: Loss) -> int:
        """-1 gone first, 1 gone last, 0 not spoken of."""
        names = {loss.place or "LOOSE", sight.type_of(loss.unit)} if loss.place != FORT else {FORT}
        return (-1 if self.first else 1) if names & set(self.things) else 0

    def write(self, pen: Pen) -> str:
        things = ", ".join([pen.value(thing) for thing in self.things])
        return f"{pen.verb('LOSE')} {things} {pen.clause('FIRST' if self.first else 'LAST')}"


@dataclass(frozen=True, slots=True)
class LossReply(OfHits):
    """LOSE I:GE1, LOSE C@LIE, LOSE FORT: just this."""

    topics = ("battle.loss",)
    kind = "LOSE"
    lasting = False
    piece: Piece | None  # None: the fort

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        if self.piece is None:
            return Said(Loss(FORT))
        units = self.piece.group(view, ask.given.area)
        return Said(Loss(self.piece.source, units[0][0])) if units else None

    def unclear(self, view: View) -> tuple[str, ...]:
        return () if self.piece is None else nations_meant(self.piece, view, self.piece.area)

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('LOSE')} {pen.value(FORT) if self.piece is None else self.piece.write(pen)}"


def preferred_loss(ask: Ask, view: View, preferences: Sequence[LosePreference]) -> Loss | None:
    """The loss wanted most, by the first preference that tells two apart; else by default."""
    offered = [loss for loss in losses_at_hand(ask.given.area, view) if ask.options.contains(loss)]
    if not offered:
        return None
    ranks = {loss: [one.rank(loss) for one in preferences] for loss in offered}
    return min(offered, key=lambda loss: (ranks[loss], default_order(loss, view)))


def losses_at_hand(area: str, view: View) -> list[Loss]:
    side = view.side
    found = [Loss(FORT)] if view.pack.fort_side.get(area) == side and area in view.forts else []
    for army in (*sight.armies_in(view, area, side), LOOSE):
        found += [Loss(army, kind) for kind, _ in sight.there(view, area, army, side)]
    return found


def default_order(loss: Loss, view: View) -> tuple[int, int, int, str]:
    """decisions 5 Between pieces, in an army, among infantry."""
    attacking = view.phasing == view.side
    pieces = ("LOOSE", "ARMY", FORT) if attacking else (FORT, "ARMY", "LOOSE")
    piece = FORT if loss.place == FORT else "ARMY" if loss.place else "LOOSE"
    armies = list(view.pack.armies)
    type_ = sight.type_of(loss.unit)
    what = "infantry" if type_ in INFANTRY else type_
    order = ATTACKING if attacking or loss.place not in view.entrenched else DUG_IN
    among = INFANTRY.index(type_) * 2 + (loss.unit[:2] in NATION_LAST) if type_ in INFANTRY else 0
    return (
        pieces.index(piece) * len(armies) + (armies.index(loss.place) if piece == "ARMY" else 0),
        order.index(what) if what in order else len(order),
        among,
        loss.unit,
    )


# ------------------------------------------------------------------ biplanes


@dataclass(frozen=True, slots=True)
class BiplaneOrder(OfBattle):
    """D35"""

    topics = ("battle.biplanes",)
    kind = "BIPLANE"
    method: Method

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        return Said(self.method)

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('BIPLANE')} {pen.value(self.method.upper())}"


@dataclass(frozen=True, slots=True)
class RerollFirst(OfBattle):
    """D37 REROLL S FIRST: hits of these types, then the others, as many as there are biplanes."""

    topics = ("battle.reroll",)
    kind = "REROLL"
    types: tuple[str, ...]

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        given: RerollGiven = ask.given
        left, found = given.most, dict[str, int]()
        for dice in sorted(given.dice, key=lambda one: (self._place(one.name), one.name)):
            number = min(left, dice.hits)
            if number:
                found[dice.name] = found.get(dice.name, 0) + number
                left -= number
        return Said(Rerolls(tuple(sorted(found.items()))))

    def _place(self, name: str) -> int:
        """Dice that carry a type's name; behind those named here first S, whose hits force retreats."""
        type_ = name.partition(".")[0] if "." in name else ""
        wanted = (*self.types, "S", "CW", "I")
        return wanted.index(type_) if type_ in wanted else len(wanted)

    @property
    def always_fits(self) -> bool:
        return True

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('REROLL')} {', '.join(self.types)} {pen.clause('FIRST')}"


@dataclass(frozen=True, slots=True)
class RerollReply(OfBattle):
    """REROLL 2 F1, 1 S.F2: just these."""

    topics = ("battle.reroll",)
    kind = "REROLL"
    lasting = False
    hits: tuple[tuple[str, int], ...]

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        return Said(Rerolls(tuple(sorted(self.hits))))

    @property
    def always_fits(self) -> bool:
        return not self.hits

    def write(self, pen: Pen) -> str:
        hits = ", ".join([f"{number} {name}" for name, number in self.hits])
        return f"{pen.verb('REROLL')} {hits or pen.value('NONE')}"
