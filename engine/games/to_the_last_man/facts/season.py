"""Facts of the course of play: seasons, Player Turns, production, victory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from engine.games.to_the_last_man.answers import Side
from engine.games.to_the_last_man.facts.told import Told
from engine.games.to_the_last_man.state import SIDES, Phase, State
from engine.kernel.game import Outcome
from engine.kernel.requests import TITLE, Fact, PublicFact, Quiet, Seat

PURCHASES = (
    *("UnitsPlaced", "UnitsPlacedSeen", "ArmyArrived", "UnitReplaced", "UnitReplacedSeen"),
    *("PiecesEntrenched", "PiecesEntrenchedSeen", "ArmyFortified", "CardsDrawn", "CardsDrawnSeen"),
)


def forget_moves(state: State) -> None:
    """What counters did before counts no more; reinforcements and production allow one shift each (8.1)."""
    state.moved.clear()
    state.shifted.clear()
    state.steps.clear()


@dataclass(frozen=True, slots=True)
class SeasonBegan(PublicFact):
    """2.VI The marker stands on this season; nothing is passed, bought or suppressed yet."""

    turn: int
    first: Side

    def apply(self, state: State) -> None:
        state.turn, state.phase, state.first = self.turn, "reinforce", self.first
        state.phasing, state.number, state.passes = "", 0, 0
        state.suppressed.clear()
        forget_moves(state)


@dataclass(frozen=True, slots=True)
class FirstPlayerChosen(PublicFact):
    """14.2 By the higher bid."""

    first: Side
    bids: tuple[tuple[Side, int], ...]  # cards bid by each

    def apply(self, state: State) -> None:
        state.first = self.first


@dataclass(frozen=True, slots=True)
class PhaseBegan(PublicFact):
    quiet: ClassVar[Quiet] = Quiet("the position shows the phase")
    phase: Phase
    uncertain: bool = False  # what follows depends on what closed armies hold

    @property
    def reveals(self) -> bool:
        return self.uncertain

    @property
    def is_supposed(self) -> bool:
        return self.uncertain

    def apply(self, state: State) -> None:
        state.phase = self.phase


@dataclass(frozen=True, slots=True)
class PlayerTurnBegan(PublicFact):
    """2.II Whatever counts for one Player Turn was cleared."""

    quiet: ClassVar[Quiet] = Quiet("a turn begins so, and the title names it", by=(TITLE,))
    side: Side
    number: int
    friendly: tuple[str, ...]  # areas Friendly to the side now, for 4.4-01 and 4.5-02

    def apply(self, state: State) -> None:
        state.phase, state.phasing, state.number = "card", self.side, self.number
        state.was_friendly = list(self.friendly)
        state.offensive, state.cut, state.cards_played, state.plan = "", 0, 0, ""
        state.counter, state.weather = "", False
        for marks in (state.moved, state.shifted, state.entered, state.battles, state.fought, state.bonus):
            marks.clear()
        for more in (state.retreated, state.scrambled, state.fresh):
            more.clear()
        state.steps.clear()
        state.used.clear()
        state.spent.clear()
        state.laid = {side: [] for side in SIDES}


@dataclass(frozen=True, slots=True)
class PlayerTurnEnded(PublicFact):
    """2.IV How it counts towards the end of the season."""

    side: Side
    passed: bool
    passes: int  # consecutive ones so far

    @property
    def quiet(self) -> Quiet | None:
        return None if self.passed else Quiet("the title of the next one says so", by=(TITLE,))

    def apply(self, state: State) -> None:
        state.passes = self.passes
        state.fresh.clear()


@dataclass(frozen=True, slots=True)
class SupplyChecked(Told):
    """6.2 Pieces out of supply: armies, areas of forts, areas of loose units. What it costs follows."""

    quiet: ClassVar[Quiet] = Quiet("it changes nothing; what it costs is told")
    armies: tuple[str, ...]
    forts: tuple[str, ...]
    loose: tuple[tuple[Side, str], ...]


@dataclass(frozen=True, slots=True)
class ProductionBegan(PublicFact):
    """2.V.2 The build points of the season."""

    points: tuple[tuple[Side, int], ...]

    def apply(self, state: State) -> None:
        state.phase, state.points = "production", dict(self.points)
        forget_moves(state)
        state.dug = dict.fromkeys(SIDES, 0)
        state.upgrades = dict.fromkeys(SIDES, 0)
        state.bought = dict.fromkeys(SIDES, 0)


@dataclass(frozen=True, slots=True)
class PointsSpent(PublicFact):
    """7 Build points went; `what` counts for its own limit."""

    quiet: ClassVar[Quiet] = Quiet("what was bought is told", by=PURCHASES)
    side: Side
    points: int
    what: Literal["unit", "army", "upgrade", "entrench", "fortify", "cards"]
    number: int = 1  # cards bought, entrenchments paid

    def apply(self, state: State) -> None:
        state.points[self.side] -= self.points
        if self.what == "upgrade":
            state.upgrades[self.side] += self.number
        elif self.what == "entrench":
            state.dug[self.side] += self.number
        elif self.what == "cards":
            state.bought[self.side] += self.number


@dataclass(frozen=True, slots=True)
class CrisisFailed(PublicFact):
    """9.8-03, 9.9-02 Not all units could be removed: victory points for the whole war."""

    side: Side
    vp: int

    def apply(self, state: State) -> None:
        state.crisis_vp += self.vp


@dataclass(frozen=True, slots=True)
class VictoryCounted(Told):
    """3.1 The total and what it is made of."""

    total: int
    level: str
    parts: tuple[tuple[str, int], ...]  # "areas" "armies" "crises" "eft" "blockade" "paris-gun"


@dataclass(frozen=True, slots=True)
class WarEnded(PublicFact):
    """3.2-02, 2.VI-02 Armistice and resignation end a war from outside the rules' course."""

    level: str
    rank: int  # of that level: above 0 it is Germany's
    total: int
    reason: Literal["decisive", "time"]
    winners: tuple[Side, ...]  # both: Stalemate

    def apply(self, state: State) -> None:
        state.phase = "over"
        seats = tuple(Seat(side) for side in self.winners)
        state.result = Outcome(seats, self.reason, {"VP": self.total, "level": self.rank})


SEASON_FACTS: tuple[type[Fact], ...] = (
    SeasonBegan,
    FirstPlayerChosen,
    PhaseBegan,
    PlayerTurnBegan,
    PlayerTurnEnded,
    SupplyChecked,
    ProductionBegan,
    PointsSpent,
    CrisisFailed,
    VictoryCounted,
    WarEnded,
)
