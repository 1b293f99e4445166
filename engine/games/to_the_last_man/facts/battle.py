"""Facts of battles. Dice are public by firepower; whose dice they were inside a side is not."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from engine.games.to_the_last_man.answers import Method, Side
from engine.games.to_the_last_man.facts.told import Told
from engine.games.to_the_last_man.state import State
from engine.kernel.requests import Fact, PublicFact, Quiet, Seat

Step: TypeAlias = Literal["dogfight", "artillery", "defence", "attack", "pursuit", "counter"]


@dataclass(frozen=True, slots=True)
class BattlesDeclared(PublicFact):
    """2.II.3 In the attacker's order."""

    areas: tuple[str, ...]

    def apply(self, state: State) -> None:
        state.battles = list(self.areas)


@dataclass(frozen=True, slots=True)
class BattlePlanned(Fact):
    """The attacker's battle plan; only he reads it."""

    quiet: ClassVar[Quiet] = Quiet("the reader's own orders")
    side: Side
    plan: str
    audience: tuple[Seat, ...]

    def apply(self, state: State) -> None:
        state.plan = self.plan

    def redacted(self) -> None:
        return None


@dataclass(frozen=True, slots=True)
class WeatherTurned(PublicFact):
    """9.5 What Bad Weather makes of the Offensive."""

    cut_to: Literal["OFF", "LIM", "PASS"]

    def apply(self, state: State) -> None:
        state.weather, state.cut = True, 1
        if self.cut_to == "PASS":
            state.battles.clear()


@dataclass(frozen=True, slots=True)
class BattleKept(PublicFact):
    """9.5-03 The one battle of an Offensive cut down to a Limited one."""

    area: str

    def apply(self, state: State) -> None:
        state.battles = [self.area]


@dataclass(frozen=True, slots=True)
class BattleBegan(PublicFact):
    area: str
    surprise: bool  # 2.II.4a

    def apply(self, state: State) -> None:
        state.phase = "battle"
        for side in ("GE", "EN"):
            state.spent.pop(f"{side}.battle", None)


@dataclass(frozen=True, slots=True)
class StepBegan(PublicFact):
    """2.II.4 Budgets of Ersatz count anew."""

    quiet: ClassVar[Quiet] = Quiet("every battle has these steps", by=("BattleBegan",))
    area: str
    step: Step

    def apply(self, state: State) -> None:
        for side in ("GE", "EN"):
            state.spent.pop(f"{side}.step", None)


@dataclass(frozen=True, slots=True)
class ShotsFired(Told):
    """5.2 The dice of one firepower in one step; the roll stands before it, what its hits cost behind it."""

    side: Side
    area: str
    step: Step
    dice: str  # "F1", "F2", "S.F2" …: see `answers.Dice.name`
    faces: tuple[int, ...]
    hits: int
    again: bool = False  # 8.3.4-06 dice that were rolled again


@dataclass(frozen=True, slots=True)
class BiplanesChose(Told):
    """8.3.4-03 Told when it counts."""

    side: Side
    area: str
    method: Method


@dataclass(frozen=True, slots=True)
class BiplanesScrambled(Told):
    """13.7 Biplanes went into the battle; the moves stand before it. Which ones: `ScrambleNoted`."""

    side: Side
    area: str
    number: int


@dataclass(frozen=True, slots=True)
class ScrambleNoted(Fact):
    """13.7-02 These biplanes may not scramble again in this Player Turn."""

    quiet: ClassVar[Quiet] = Quiet("the reader's own biplanes", by=("BiplanesScrambled",))
    side: Side
    units: tuple[str, ...]
    audience: tuple[Seat, ...]

    def apply(self, state: State) -> None:
        for unit in self.units:
            insort(state.scrambled, unit)

    def redacted(self) -> None:
        return None


@dataclass(frozen=True, slots=True)
class HitsVanished(Told):
    """5.3.4 There was nobody left to take them."""

    side: Side  # that would have had to pay
    area: str
    hits: int


@dataclass(frozen=True, slots=True)
class RetreatsForced(Told):
    """5.4-06 So many armies must retreat after combat; the moves follow."""

    side: Side
    area: str
    armies: int


@dataclass(frozen=True, slots=True)
class BattleEnded(PublicFact):
    """2.II.4 The area's battle is over; who holds it shows in its status."""

    area: str
    fought: bool  # False: one side was gone before any die

    @property
    def quiet(self) -> Quiet | None:
        return Quiet("the dice and losses told are its end", by=("BattleBegan",)) if self.fought else None

    def apply(self, state: State) -> None:
        state.fought.append(self.area)


BATTLE_FACTS: tuple[type[Fact], ...] = (
    BattlesDeclared,
    BattlePlanned,
    WeatherTurned,
    BattleKept,
    BattleBegan,
    StepBegan,
    ShotsFired,
    BiplanesChose,
    BiplanesScrambled,
    ScrambleNoted,
    HitsVanished,
    RetreatsForced,
    BattleEnded,
)
