"""Orders of the season's two ends: reinforcements set down, and what production buys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.games.to_the_last_man.answers import (
    DONE,
    LOOSE,
    Build,
    Buy,
    Entrench,
    Fortify,
    Group,
    Place,
    PlacingGiven,
    ProductionGiven,
    Rebuild,
    Swap,
    Upgrade,
)
from engine.games.to_the_last_man.notation import sight
from engine.games.to_the_last_man.notation.clauses import Clause
from engine.games.to_the_last_man.notation.forces import (
    Piece,
    Some,
    gathered,
    too_many,
    write_pieces,
    write_some,
)
from engine.games.to_the_last_man.notation.lexicon import Pen
from engine.games.to_the_last_man.view import View
from engine.kernel.errors import Refusal
from engine.kernel.game import Said
from engine.kernel.requests import Ask

CAPITALS = {"GE": "COL", "FR": "PAR", "UK": "ENG", "US": "PAR"}  # D04


@dataclass(frozen=True, slots=True)
class Spot:
    """IN an army, or AT an area."""

    army: str = LOOSE
    area: str = ""

    def where(self, view: View) -> str:
        return view.army_at.get(self.army, "") if self.army else self.area

    def write(self, pen: Pen) -> str:
        return f" {pen.clause('IN')} {self.army}" if self.army else pen.at(self.area)


# ------------------------------------------------------------------ reinforcements


@dataclass(frozen=True, slots=True)
class PlaceArmy(Clause):
    """D04 PLACE FR9 AT TRO."""

    topics = ("reinforce",)
    kind = "PLACE"
    army: str
    area: str

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        return Said(Place(self.area, army=self.army))

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('PLACE')} {self.army}{pen.at(self.area)}"


@dataclass(frozen=True, slots=True)
class PlaceUnits(Clause):
    """D04 PLACE 2I IN GE5, PLACE US 3I AT BAR."""

    topics = ("reinforce",)
    kind = "PLACE"
    some: tuple[Some, ...]
    spot: Spot

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        area = self.spot.where(view)
        units = gathered(self.some, ask.given.units, view, self.spot.army, area, at_home=True)
        return None if units is None else Said(Place(area, units=units, into=self.spot.army))

    def refusal(self, area: str, view: View) -> Refusal | None:
        return too_many(self.some, view)

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('PLACE')} {write_some(self.some, pen)}{self.spot.write(pen)}"


@dataclass(frozen=True, slots=True)
class PlaceAny(Clause):
    """D04 PLACE ALL: armies to the capital or another home area, units into the weakest supplied army."""

    topics = ("reinforce",)
    kind = "PLACE"
    lasting = True
    stays = True

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        for place in (*self._armies(ask.given, view), *self._units(ask.given, view)):
            if ask.options.contains(place):
                return Said(place)
        return Said(DONE)

    @staticmethod
    def _armies(given: PlacingGiven, view: View) -> list[Place]:
        found = []
        for army in given.armies:
            nation = view.pack.nation_of[army]
            homes = [CAPITALS.get(nation, ""), *view.pack.home_areas[nation]]
            found += [Place(area, army=army) for area in homes if area]
        return found

    @staticmethod
    def _units(given: PlacingGiven, view: View) -> list[Place]:
        of = view.pack.side_of
        armies = sight.weakest_first(view, [army for army in view.army_at if of[army] == view.side])
        return [
            Place(view.army_at[army], units=((kind, 1),), into=army)
            for kind, _ in given.units
            for army in armies
        ]

    @property
    def always_fits(self) -> bool:
        return True

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('PLACE')} {pen.value('ALL')}"


@dataclass(frozen=True, slots=True)
class SwapOrder(Clause):
    """D06"""

    topics = ("reinforce",)
    kind = "SWAP"
    lasting = True
    corps: str
    spot: Spot

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        return Said(Swap(self.corps, self.spot.where(view), self.spot.army))

    def place(self) -> str:
        return self.corps

    def write(self, pen: Pen) -> str:
        corps = pen.word("corps", self.corps.rpartition(".")[2])
        return f"{pen.verb('SWAP')} {corps}{self.spot.write(pen)}"


# ------------------------------------------------------------------ production


@dataclass(frozen=True, slots=True)
class UpgradeOrder(Clause):
    """D51 UPGRADE I IN GE18."""

    topics = ("production",)
    kind = "UPGRADE"
    stage = 0
    spot: Spot

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        return Said(Upgrade(self.spot.where(view), self.spot.army))

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('UPGRADE')} I{self.spot.write(pen)}"


@dataclass(frozen=True, slots=True)
class RebuildOrder(Clause):
    """D51 REBUILD BE1 AT FLA."""

    topics = ("production",)
    kind = "REBUILD"
    stage = 1
    army: str
    area: str

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        return Said(Rebuild(self.army, self.area))

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('REBUILD')} {self.army}{pen.at(self.area)}"


@dataclass(frozen=True, slots=True)
class BuildOrder(Clause):
    """D51 BUILD 2I IN GE5, BUILD A AT MAU."""

    topics = ("production",)
    kind = "BUILD"
    stage = 2
    some: tuple[Some, ...]
    spot: Spot

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        area = self.spot.where(view)
        pool = tuple(kind for nation in view.pack.sides[view.side].nations for kind in view.pool[nation])
        units = gathered(self.some, pool, view, self.spot.army, area, at_home=True)
        return None if units is None else Said(Build(area, units, self.spot.army))

    def refusal(self, area: str, view: View) -> Refusal | None:
        return too_many(self.some, view)

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('BUILD')} {write_some(self.some, pen)}{self.spot.write(pen)}"


@dataclass(frozen=True, slots=True)
class EntrenchOrder(Clause):
    """D51 ENTRENCH GE2, GE6, I@VOS."""

    topics = ("production",)
    kind = "ENTRENCH"
    stage = 4
    pieces: tuple[Piece, ...]

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        armies = [piece.army for piece in self.pieces if piece.army]
        loose: dict[str, dict[str, int]] = {}
        for piece in self.pieces:
            if piece.army:
                continue
            units = piece.group(view, piece.area)
            if units is None:
                return None
            there = loose.setdefault(piece.area, {})
            for kind, number in units:
                there[kind] = there.get(kind, 0) + number
        groups: list[tuple[str, Group]] = [
            (area, tuple(sorted(loose[area].items()))) for area in sorted(loose)
        ]
        ordered = tuple(army for army in view.pack.armies if army in armies)
        return Said(Entrench(ordered, tuple(groups)))

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('ENTRENCH')} {write_pieces(self.pieces, pen)}"


@dataclass(frozen=True, slots=True)
class FortifyOrder(Clause):
    """D51, 7.6-06"""

    topics = ("production",)
    kind = "FORTIFY"
    stage = 4
    army: str

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        return Said(Fortify(self.army))

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('FORTIFY')} {self.army}"


@dataclass(frozen=True, slots=True)
class BuyOrder(Clause):
    """D51 BUY 6 CARDS."""

    topics = ("production",)
    kind = "BUY"
    stage = 5
    cards: int

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        """None: then nothing at all is bought, not even what is bought without a word."""
        return Said(Buy(self.cards) if self.cards else DONE)

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('BUY')} {self.cards} {pen.value('CARDS')}"


@dataclass(frozen=True, slots=True)
class Wish:
    """CARDS LIMIT, CARDS 4, I FRONT, A IN GE5."""

    type: str = ""  # '': cards
    most: int = -1  # cards; -1: up to the hand's limit
    army: str = ""  # '': every army at the front

    def write(self, pen: Pen) -> str:
        if not self.type:
            return f"{pen.value('CARDS')} {self.most if self.most >= 0 else pen.value('LIMIT')}"
        return f"{self.type} {self.army or pen.value('FRONT')}"


@dataclass(frozen=True, slots=True)
class Produce(Clause):
    """D51 A policy: wishes in order of preference. One act at a time, as long as anything fits.

    Cards come last in the order of purchases, wherever they stand among the wishes: points are put by for
    those that are wanted more than a unit.
    """

    topics = ("production",)
    kind = "PRODUCE"
    stage = 9
    lasting = True
    stays = True
    wishes: tuple[Wish, ...]

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        given: ProductionGiven = ask.given
        left, cards = given.points, 0
        for wish in self.wishes:
            if not wish.type:
                wanted = self._cards(wish, view, given) - cards
                bought = max(0, min(wanted, left // view.pack.meta.card_cost))
                cards, left = cards + bought, left - bought * view.pack.meta.card_cost
            elif left >= view.pack.types[wish.type].cost and given.stage <= BuildOrder.stage:
                for build in self._builds(wish, view, given):
                    if ask.options.contains(build):
                        return Said(build)
        buy = Buy(cards)
        return Said(buy if cards and ask.options.contains(buy) else DONE)

    @staticmethod
    def _cards(wish: Wish, view: View, given: ProductionGiven) -> int:
        """None any more once some were bought: they are the last of purchases, and bought at once."""
        if given.stage >= BuyOrder.stage:
            return 0
        if wish.most >= 0:
            return wish.most
        turns, turn = view.pack.turns, view.turn
        if view.options["hand_limit"] == "next" and turn + 1 in turns:
            turn += 1
        return max(0, turns[turn].hand[view.side] - len(view.hand))

    @staticmethod
    def _builds(wish: Wish, view: View, given: ProductionGiven) -> list[Build]:
        """Supplied armies in Disputed areas with free slots, the weakest first."""
        of = view.pack.side_of
        armies = [wish.army] if wish.army in view.army_at else []
        if not wish.army:
            own = [army for army in view.army_at if of[army] == view.side]
            status = given.known_then(view).status
            armies = [army for army in own if status[view.army_at[army]] == "disputed"]
        return [
            Build(view.army_at[army], ((f"{view.pack.nation_of[army]}.{wish.type}", 1),), army)
            for army in sight.weakest_first(view, armies)
        ]

    @property
    def always_fits(self) -> bool:
        return True

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('PRODUCE')} {', '.join([wish.write(pen) for wish in self.wishes])}"
