"""Orders as they are written, each with the questions it answers and what it means to them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from engine.games.trench_club.answers import (
    COMPANIES,
    DONE,
    Attack,
    Build,
    Buy,
    Capture,
    FlippedGiven,
    Give,
    Mine,
    Move,
    Placement,
    PlacingGiven,
    Repair,
    Special,
    Split,
    SplitGiven,
)
from engine.games.trench_club.notation.lexicon import Pen, Ref, settled, written_places
from engine.games.trench_club.rules.movement import path_to
from engine.games.trench_club.view import View
from engine.kernel.game import Said
from engine.kernel.requests import Ask

ACT, TARGETS, SPEND, GIVE = "turn.act", "turn.targets", "turn.spend", "give"
MISSED: Mapping[str, Mapping[str, str]] = {  # of a turn for which no orders came
    "HOLD": {"turn.lead": "orders", "turn.join": "orders"},
    "AUTOMA": {"turn.lead": "automa"},
    "CAPTAIN": {"turn.join": "captain"},  # COOP-5
}


class Order(ABC):
    """What orders have in common. `stage`: where they come in a turn."""

    __slots__ = ()

    topics: ClassVar[tuple[str, ...]]
    stage: ClassVar[int] = 0
    lasting: ClassVar[bool] = False
    single: ClassVar[bool] = False  # its question takes one order of this kind

    @abstractmethod
    def meaning(self, ask: Ask, view: View) -> Said | None:
        """What it says to a question of its topics; None: nothing, as things stand."""

    @abstractmethod
    def write(self, pen: Pen) -> str:
        """In canonical words."""

    def units(self) -> Sequence[Ref]:
        """Own units it names."""
        return ()

    def served(self) -> tuple[str, ...]:
        """The topics that this very order answers; of most kinds all answer the same."""
        return self.topics

    def acting(self) -> Sequence[Ref]:
        """Units that do something by it."""
        return self.units()

    def slot(self) -> str:
        return self.topics[0]


# ------------------------------------------------------------------ set-up


@dataclass(frozen=True, slots=True)
class SplitOrder(Order):
    """SPLIT A: CAV CAR AIR / B: INF TNK GUN FLK / C: REST"""

    topics = ("setup.split",)
    single = True
    companies: tuple[tuple[str, tuple[Ref, ...]], ...]
    rest: str = ""  # the company that gets all that are not named

    def meaning(self, ask: Ask, view: View) -> Said | None:
        given: SplitGiven = ask.given
        parts = {company: [ref.unit(view) for ref in refs] for company, refs in self.companies}
        named = [unit for units in parts.values() for unit in units]
        if self.rest:
            parts.setdefault(self.rest, []).extend(unit for unit in given.army if unit not in named)
        return Said(Split(*[tuple(sorted(parts.get(company, ()))) for company in COMPANIES]))

    def write(self, pen: Pen) -> str:
        parts = []
        for company, refs in self.companies:
            words = [ref.write(pen) for ref in refs]
            words += [pen.clause("REST")] if company == self.rest else []
            parts.append(" ".join([f"{company}:", *words]))
        return f"{pen.verb('SPLIT')} {' / '.join(parts)}"

    def units(self) -> Sequence[Ref]:
        return [ref for _, refs in self.companies for ref in refs]


@dataclass(frozen=True, slots=True)
class FlipOrder(Order):
    """FLIP B A C"""

    topics = ("setup.flip",)
    lasting = True
    companies: tuple[str, ...]

    def meaning(self, ask: Ask, view: View) -> Said | None:
        given: PlacingGiven = ask.given
        left = [company for company in self.companies if company in given.left]
        return Said(left[0]) if left else None

    def write(self, pen: Pen) -> str:
        return " ".join((pen.verb("FLIP"), *self.companies))


@dataclass(frozen=True, slots=True)
class PlaceAround(Order):
    """PLACE B: 0=TNK N=INF N+NE=GUN: by directions from the number, whatever that will be."""

    topics = ("setup.place",)
    lasting = True
    company: str
    places: tuple[tuple[tuple[str, ...], Ref], ...]

    def meaning(self, ask: Ask, view: View) -> Said | None:
        given: FlippedGiven = ask.given
        if given.company != self.company:
            return None
        found = []
        for steps, ref in self.places:
            hex_ = given.hex
            for direction in steps:
                hex_ = view.position.grid.step(hex_, direction) if hex_ else ""
            found.append((ref.unit(view), hex_))
        return Said(Placement(tuple(sorted(found))))

    def write(self, pen: Pen) -> str:
        parts = [
            f"{'+'.join(map(pen.direction, steps)) or '0'}={ref.write(pen)}" for steps, ref in self.places
        ]
        return f"{pen.verb('PLACE')} {self.company}: {' '.join(parts)}"

    def units(self) -> Sequence[Ref]:
        return [ref for _, ref in self.places]

    def slot(self) -> str:
        return f"setup.place.{self.company}"


@dataclass(frozen=True, slots=True)
class PlaceOrder(Order):
    """PLACE TNK1@D5 INF1@D4"""

    topics = ("setup.place",)
    places: tuple[tuple[Ref, str], ...]

    def meaning(self, ask: Ask, view: View) -> Said | None:
        return Said(Placement(settled(self.places, view)))

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('PLACE')} {written_places(self.places, pen)}"

    def units(self) -> Sequence[Ref]:
        return [ref for ref, _ in self.places]


# ------------------------------------------------------------------ phase 1


@dataclass(frozen=True, slots=True)
class ActiveOrder(Order):
    """ACTIVE A C"""

    topics = ("turn.active",)
    single = True
    stage = 1
    companies: tuple[str, ...]

    def meaning(self, ask: Ask, view: View) -> Said | None:
        return Said(tuple(sorted(self.companies)))

    def write(self, pen: Pen) -> str:
        return " ".join((pen.verb("ACTIVE"), *self.companies))


@dataclass(frozen=True, slots=True)
class MoveOrder(Order):
    """M CAR1 D4 D3 · M CAR1 > E8 · M INF1 D4 TRK1 · U TRK1 MOR1@F3: a path, a goal, a transport, a load."""

    topics = (ACT,)
    stage = 2
    mover: Ref
    path: tuple[str, ...] = ()
    goal: str = ""  # MOVE-23 the cheapest path there
    aboard: Ref | None = None  # the last step, or the goal, is that transport
    freely: bool = False  # the transport is the goal, not the next step
    unload: tuple[tuple[Ref, str], ...] = ()

    def meaning(self, ask: Ask, view: View) -> Said | None:
        unit, position = self.mover.unit(view), view.position
        unload = settled(self.unload, view)
        carrier = self.aboard.unit(view) if self.aboard is not None else ""
        if self.goal or self.freely:
            found = path_to(position, unit, carrier or self.goal) if unit in position.units else None
            if found is not None:
                return Said(replace(found, unload=unload))  # TRANSPORT-5 as it is written, or not at all
            return Said(Move(unit, (self.goal or _hex_of(view, carrier),), carrier, unload))
        path = (*self.path, _hex_of(view, carrier)) if carrier else self.path
        return Said(Move(unit, path, carrier, unload))

    def write(self, pen: Pen) -> str:
        if self.unload and not (self.path or self.goal):
            return f"{pen.verb('UNLOAD')} {self.mover.write(pen)} {written_places(self.unload, pen)}"
        words = [pen.verb("MOVE"), self.mover.write(pen)]
        words += [">"] if self.goal or self.freely else []
        words += [*self.path, *([self.goal] if self.goal else [])]
        words += [self.aboard.write(pen)] if self.aboard is not None else []
        if self.unload:
            words += [pen.clause("UNLOAD"), written_places(self.unload, pen)]
        return " ".join(words)

    def units(self) -> Sequence[Ref]:
        carrier = [self.aboard] if self.aboard is not None else []
        return [self.mover, *carrier, *(ref for ref, _ in self.unload)]

    def acting(self) -> Sequence[Ref]:
        """Not the transport that is boarded: it stands still."""
        return [self.mover, *(ref for ref, _ in self.unload)]


def _hex_of(view: View, unit: str) -> str:
    return view.position.units[unit].at if unit in view.position.units else ""


@dataclass(frozen=True, slots=True)
class CaptureOrder(Order):
    """C INF1 B8"""

    topics = (ACT,)
    stage = 2
    unit: Ref
    fort: str

    def meaning(self, ask: Ask, view: View) -> Said | None:
        return Said(Capture(self.unit.unit(view), self.fort))

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('CAPTURE')} {self.unit.write(pen)} {self.fort}"

    def units(self) -> Sequence[Ref]:
        return [self.unit]


@dataclass(frozen=True, slots=True)
class MineOrder(Order):
    """MINE MIN1 D6"""

    topics = (ACT,)
    stage = 2
    unit: Ref
    hex: str

    def meaning(self, ask: Ask, view: View) -> Said | None:
        return Said(Mine(self.unit.unit(view), self.hex))

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('MINE')} {self.unit.write(pen)} {self.hex}"

    def units(self) -> Sequence[Ref]:
        return [self.unit]


@dataclass(frozen=True, slots=True)
class BuildOrder(Order):
    """B ENG1 ROAD F6 F7"""

    topics = (ACT,)
    stage = 2
    unit: Ref
    what: str
    hexes: tuple[str, str]

    def meaning(self, ask: Ask, view: View) -> Said | None:
        what: Any = self.what.lower()
        return Said(Build(self.unit.unit(view), what, self.hexes))

    def write(self, pen: Pen) -> str:
        return " ".join((pen.verb("BUILD"), self.unit.write(pen), pen.clause(self.what), *self.hexes))

    def units(self) -> Sequence[Ref]:
        return [self.unit]


# ------------------------------------------------------------------ phase 2


@dataclass(frozen=True, slots=True)
class AttackOrder(Order):
    """A CAR1 GB.INF1 · A CAR1 C3 · A GAS1 NE"""

    topics = (TARGETS,)
    stage = 3
    unit: Ref
    target: Ref | None = None
    toward: str = ""

    def meaning(self, ask: Ask, view: View) -> Said | None:
        toward: Any = self.toward
        target = self.target.unit(view) if self.target is not None else ""
        return Said((Attack(self.unit.unit(view), target, toward),))

    def write(self, pen: Pen) -> str:
        at = self.target
        aim = pen.direction(self.toward) if at is None else at.hex or at.write(pen)
        return f"{pen.verb('ATTACK')} {self.unit.write(pen)} {aim}"

    def units(self) -> Sequence[Ref]:
        return [self.unit]


# ------------------------------------------------------------------ phase 4


@dataclass(frozen=True, slots=True)
class RepairOrder(Order):
    """R TNK1 · R CAR1 IF 3+"""

    topics = (SPEND,)
    stage = 4
    unit: Ref
    least: int = 0

    def meaning(self, ask: Ask, view: View) -> Said | None:
        unit = self.unit.unit(view)
        if self.least and (unit not in view.position.units or view.position.units[unit].damage < self.least):
            return None
        return Said(Repair(unit))

    def write(self, pen: Pen) -> str:
        condition = f" {pen.clause('IF')} {self.least}+" if self.least else ""
        return f"{pen.verb('REPAIR')} {self.unit.write(pen)}{condition}"


@dataclass(frozen=True, slots=True)
class BuyOrder(Order):
    """BUY INF B8"""

    topics = (SPEND,)
    stage = 5
    code: str
    fort: str

    def meaning(self, ask: Ask, view: View) -> Said | None:
        return Said(Buy(view.position.pack.type_of_code[self.code], self.fort))

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('BUY')} {pen.code(self.code)} {self.fort}"


@dataclass(frozen=True, slots=True)
class SpecialOrder(Order):
    """BUY SPECIAL B8 WATER C6 · BUY SPECIAL=ZEP B8 · BUY SPECIAL=BOT C6"""

    topics = (SPEND,)
    stage = 5
    fort: str  # "": any, for what goes on the water
    water: str = ""
    code: str = ""

    def meaning(self, ask: Ask, view: View) -> Said | None:
        """BUY-4 Even what goes on the water is bought by a player who has a fort."""
        choice = view.position.pack.type_of_code[self.code] if self.code else ""
        fort = self.fort or next(iter(view.position.forts_of(view.camp)), "")
        return Said(Special(fort, self.water, choice))

    def write(self, pen: Pen) -> str:
        choice = f"={pen.code(self.code)}" if self.code else ""
        water = f" {pen.clause('WATER')} {self.water}" if self.fort and self.water else self.water
        return f"{pen.verb('BUY')} {pen.clause('SPECIAL')}{choice} {self.fort}{water}"


@dataclass(frozen=True, slots=True)
class PutOrder(Order):
    """PUT B8"""

    topics = ("turn.put",)
    single = True
    stage = 6
    hex: str

    def meaning(self, ask: Ask, view: View) -> Said | None:
        return Said(self.hex)

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('PUT')} {self.hex}"


@dataclass(frozen=True, slots=True)
class GiveOrder(Order):
    """GIVE 3 AH: in the money phase of one's own turn, outside it when the next turn begins (MONEY-7)."""

    topics = (SPEND, GIVE)
    stage = 5
    amount: int
    nation: str = field(default="", compare=False)
    turn: str = field(default="", compare=False)  # the own one for which it was written

    def meaning(self, ask: Ask, view: View) -> Said | None:
        """Once: what is meant for the money phase is not given again when the turn after it begins."""
        if ask.topic == SPEND:
            return Said(Give(self.amount))
        return None if self.turn and self.turn != ask.at else Said(self.amount)

    def write(self, pen: Pen) -> str:
        nation = f" {self.nation}" if self.nation else ""
        return f"{pen.verb('GIVE')} {self.amount}{nation}"


# ------------------------------------------------------------------ the whole turn


@dataclass(frozen=True, slots=True)
class LaterOrder(Order):
    """MONEY LATER"""

    topics = ("turn.lead",)

    def meaning(self, ask: Ask, view: View) -> Said | None:
        return Said("later")

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('MONEY')} {pen.clause('LATER')}"


@dataclass(frozen=True, slots=True)
class PassOrder(Order):
    """PASS: nothing at all, or nothing but what is said about money."""

    topics = (ACT, TARGETS, SPEND)
    stage = 7

    def meaning(self, ask: Ask, view: View) -> Said | None:
        return Said(() if ask.topic == TARGETS else DONE)

    def write(self, pen: Pen) -> str:
        return pen.verb("PASS")


@dataclass(frozen=True, slots=True)
class DefaultOrder(Order):
    """DEFAULT HOLD · DEFAULT AUTOMA · DEFAULT CAPTAIN: what becomes of a turn for which no orders came."""

    topics = ("turn.lead", "turn.join")
    lasting = True
    what: str

    def meaning(self, ask: Ask, view: View) -> Said | None:
        return Said(MISSED[self.what][ask.topic])

    def served(self) -> tuple[str, ...]:
        return tuple(MISSED[self.what])

    def write(self, pen: Pen) -> str:
        return f"{pen.verb('DEFAULT')} {pen.clause(self.what)}"
