"""Units given up away from battles: to a crisis, to lack of supply, to the Eastern Front."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.games.to_the_last_man.answers import LOOSE, CrisisLossGiven, Loss, Losses
from engine.games.to_the_last_man.notation import sight
from engine.games.to_the_last_man.notation.clauses import GENERAL, Clause
from engine.games.to_the_last_man.notation.forces import Piece, Some, meant, nations_meant, write_pieces
from engine.games.to_the_last_man.notation.lexicon import Pen
from engine.games.to_the_last_man.state import BOX, INFANTRY
from engine.games.to_the_last_man.view import View
from engine.kernel.game import Said
from engine.kernel.requests import Ask


@dataclass(frozen=True, slots=True)
class CrisisLoss(Clause):
    """D41 Units in the order in which they are given up; if they are too few, more by default."""

    topics = ("crisis.loss",)
    kind = "CRISISLOSS"
    lasting = True
    pieces: tuple[Piece, ...]

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        given: CrisisLossGiven = ask.given
        named = self._named(view)
        exact = tuple(named)
        if ask.options.contains(exact):
            return Said(exact)
        return Said(_completed(named, given, view))

    def _named(self, view: View) -> list[Loss]:
        found: list[Loss] = []
        for piece in self.pieces:
            units = piece.group(view, piece.stands(view)) or ()
            place = piece.source or piece.area
            found += [Loss(place, kind) for kind, number in units for _ in range(number)]
        return found

    def unclear(self, view: View) -> tuple[str, ...]:
        return next((found for one in self.pieces if (found := nations_meant(one, view, one.area))), ())

    @property
    def always_fits(self) -> bool:
        return True

    def write(self, pen: Pen) -> str:
        pieces = write_pieces(self.pieces, pen)
        return f"{pen.verb('CRISISLOSS')} {pieces or pen.value('NONE')}"


def _completed(named: Sequence[Loss], given: CrisisLossGiven, view: View) -> Losses:
    """As many as are asked for, of those that are there."""
    present = list(_in_default_order(given, view))
    left, found = Counter(present), list[Loss]()
    for loss in (*named, *present):
        if len(found) < given.number and left[loss] > 0:
            left[loss] -= 1
            found.append(loss)
    return tuple(found)


def _in_default_order(given: CrisisLossGiven, view: View) -> Iterator[Loss]:
    """D41 Loose in Friendly areas, the largest armies there, then Disputed; last units last; I first."""

    def of_kind(kind: str) -> bool:
        nation, _, type_ = kind.partition(".")
        return nation in given.nations and type_ in given.types

    rows: list[tuple[tuple[bool, int, int, int, str], Loss]] = []
    for area in sorted(view.pack.areas):
        if area == BOX or view.status[area] not in ("friendly", "disputed"):
            continue
        front = view.status[area] != "friendly"
        for kind, number in sight.loose_in(view, area, view.side):
            worth = INFANTRY.index(sight.type_of(kind)) if of_kind(kind) else 0
            rows += [((False, 2 * front, 0, worth, area), Loss(area, kind))] * (
                number if of_kind(kind) else 0
            )
        for army in sight.armies_in(view, area, view.side):
            held = view.contents[army]
            units = [kind for kind, number in held for _ in range(number) if of_kind(kind)]
            for place, kind in enumerate(sorted(units, key=lambda k: INFANTRY.index(sight.type_of(k)))):
                last = place + 1 == sight.total(held)
                worth = INFANTRY.index(sight.type_of(kind))
                rows.append(((last, 2 * front + 1, -sight.total(held), worth, army), Loss(army, kind)))
    return iter([loss for _, loss in sorted(rows, key=lambda row: row[0])])


@dataclass(frozen=True, slots=True)
class SupplyLoss(Clause):
    """D50 OOSLOSS FR5 A: the unit an army out of supply gives up; of several named the first it holds."""

    topics = ("supply.loss",)
    kind = "OOSLOSS"
    lasting = True
    army: str  # '*' : any
    some: tuple[Some, ...]

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        army = ask.given.army
        if self.army not in ("*", army):
            return None
        held = view.contents.get(army, ())
        kinds = [kind for one in self.some if (kind := meant(one, held, view, army, "")) is not None]
        if not kinds:
            return None
        return Said(next((kind for kind in kinds if ask.options.contains(kind)), kinds[0]))

    def place(self) -> str:
        return GENERAL if self.army == "*" else self.army

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('OOSLOSS')} {self.army} {', '.join([one.write(pen) for one in self.some])}"


@dataclass(frozen=True, slots=True)
class TransitFirst(Clause):
    """D53 EFTLOSS I FIRST: the first of these types that is in the box, else the cheapest; loose first."""

    topics = ("eft.loss",)
    kind = "EFTLOSS"
    lasting = True
    types: tuple[str, ...]

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        rows: list[tuple[tuple[int, int, bool], Loss]] = []
        for army in (LOOSE, *sight.armies_in(view, BOX, view.side)):
            for kind, _ in sight.there(view, BOX, army, view.side):
                rows.append((self._place(sight.type_of(kind), view), Loss(army or BOX, kind)))
            if army and not view.holding[army]:
                rows.append(((len(self.types), view.pack.meta.army_cost, True), Loss(army)))
        losses = [loss for _, loss in sorted(rows, key=lambda row: row[0])]
        return next((Said(loss) for loss in losses if ask.options.contains(loss)), None)

    def _place(self, type_: str, view: View) -> tuple[int, int, bool]:
        wanted = self.types.index(type_) if type_ in self.types else len(self.types)
        return wanted, view.pack.types[type_].cost, type_ != "I"

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('EFTLOSS')} {', '.join(self.types)} {pen.clause('FIRST')}"


@dataclass(frozen=True, slots=True)
class TransitReply(Clause):
    """EFTLOSS I:GE3, EFTLOSS C@EFT, EFTLOSS GE3 (when it is empty): just this."""

    topics = ("eft.loss",)
    kind = "EFTLOSS"
    piece: Piece

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        if self.piece.army:
            return Said(Loss(self.piece.army))
        units = self.piece.group(view, BOX)
        return Said(Loss(self.piece.source or BOX, units[0][0])) if units else None

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('EFTLOSS')} {self.piece.write(pen)}"
