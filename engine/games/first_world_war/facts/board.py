"""Facts of set-up, deployment, rounds and movement."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from engine.games.first_world_war.answers import Faction, Placement, Recall
from engine.games.first_world_war.state import State
from engine.kernel.requests import TITLE, Fact, PublicFact, Quiet, Seat

Phase: TypeAlias = Literal["order", "deploy", "rounds", "victory", "replace", "over"]


MOVES_SAY_SO = Quiet("the counters that moved are told", by=("CountersMoved", "CountersSeenMoving"))
ATTACK_NAMES_THEM = Quiet("the attack names them", by=("AttackLaunched",))


# ------------------------------------------------------------------ the course of a turn


@dataclass(frozen=True, slots=True)
class TurnBegan(PublicFact):
    """4.2.6-1 The turn marker advanced; surrender points and what else counts for one turn were cleared."""

    turn: int
    phase: Phase
    deploy_order: tuple[Faction, ...]
    round_order: tuple[Faction, ...]

    def apply(self, state: State) -> None:
        state.turn, state.phase, state.round = self.turn, self.phase, 0
        state.deploy_order, state.round_order = self.deploy_order, self.round_order
        for fronts in (*state.attacked.values(), *state.surrender.values()):
            fronts.clear()
        state.recalls.clear()


@dataclass(frozen=True, slots=True)
class PhaseBegan(PublicFact):
    """Turn, phase and, in phase 2, the round that is played now."""

    quiet: ClassVar[Quiet] = Quiet("the title of each part of an account says it, and the position")
    turn: int
    phase: Phase
    round: int = 0

    def apply(self, state: State) -> None:
        state.turn, state.phase, state.round = self.turn, self.phase, self.round


@dataclass(frozen=True, slots=True)
class OrderRanked(PublicFact):
    """9.2-1 Who picks slots first; the rolls stand in the journal before it."""

    quiet: ClassVar[Quiet] = Quiet("it changes nothing; who takes which slots is told in this order")
    ranking: tuple[Faction, ...]

    def apply(self, state: State) -> None:
        """Nothing lies on the board yet."""


@dataclass(frozen=True, slots=True)
class SlotsTaken(PublicFact):
    """9.2-1 One faction's choice; the order as a whole follows in `OrderSet`."""

    faction: Faction
    deploy: int
    round: int

    def apply(self, state: State) -> None:
        """The markers count when all of them lie."""


@dataclass(frozen=True, slots=True)
class OrderSet(PublicFact):
    """9.2-3 The order of deployment and of rounds for this turn."""

    deploy_order: tuple[Faction, ...]
    round_order: tuple[Faction, ...]

    def apply(self, state: State) -> None:
        state.deploy_order, state.round_order = self.deploy_order, self.round_order


@dataclass(frozen=True, slots=True)
class RoundSpent(PublicFact):
    """4.2.2-2 The faction moved, transferred or passed: it did not attack."""

    faction: Faction
    action: Literal["move", "transfer", "pass"]

    @property
    def quiet(self) -> Quiet | None:
        return None if self.action == "pass" else MOVES_SAY_SO

    def apply(self, state: State) -> None:
        state.won[self.faction] = False


# ------------------------------------------------------------------ faces


@dataclass(frozen=True, slots=True)
class CountersTurnedUp(PublicFact):
    """Everyone sees what these counters are.

    6-3 attackers, 6-4 defenders, 4.2.3-1 all in phase 3, 4.2.1-12 those that their owner shows.
    """

    why: Literal["attack", "defence", "check", "shown"]
    counters: tuple[str, ...]
    fronts: tuple[int, ...]  # where each of them lies
    reveals: ClassVar[bool] = True

    @property
    def quiet(self) -> Quiet | None:
        return ATTACK_NAMES_THEM if self.why == "attack" else None

    def apply(self, state: State) -> None:
        for counter in self.counters:
            if counter not in state.face_up:
                insort(state.face_up, counter)


@dataclass(frozen=True, slots=True)
class CountersTurnedDown(PublicFact):
    """4.2.1-1, 6-10 All face-up counters of a front, or of the whole board, were turned down."""

    quiet: ClassVar[Quiet] = Quiet(
        "every combat has this end, every deployment this beginning", by=("AttackLaunched", TITLE)
    )
    front: int | None = None

    def apply(self, state: State) -> None:
        if self.front is None:
            state.face_up.clear()
            return
        there = state.fronts[self.front]
        state.face_up[:] = [counter for counter in state.face_up if counter not in there]


@dataclass(frozen=True, slots=True)
class MoversTurnedDown(PublicFact):
    """5-4 Counters that lay face up were turned down to move."""

    counters: tuple[str, ...]

    def apply(self, state: State) -> None:
        state.face_up[:] = [counter for counter in state.face_up if counter not in self.counters]


# ------------------------------------------------------------------ deployment and movement


@dataclass(frozen=True, slots=True)
class ReinforcementsArrived(PublicFact):
    """4.2.1-3, 7-1 Armies left the turn track: a faction's new counters of this turn."""

    turn: int
    faction: Faction
    armies: tuple[str, ...]

    def apply(self, state: State) -> None:
        on_track = state.track.get(self.turn, [])
        on_track[:] = [army for army in on_track if army not in self.armies]
        state.returning[:] = [army for army in state.returning if army not in self.armies]
        for army in self.armies:
            insort(state.waiting[self.faction], army)


@dataclass(frozen=True, slots=True)
class CountersDeployed(Fact):
    """4.2.1-4 New counters stand on fronts; the others stay off the board."""

    faction: Faction
    placed: tuple[Placement, ...]
    audience: tuple[Seat, ...]

    def apply(self, state: State) -> None:
        waiting = state.waiting[self.faction]
        for counter, front in self.placed:
            waiting.remove(counter)
            insort(state.fronts[front], counter)

    def redacted(self) -> Fact | None:
        return CountersSeenDeployed(self.faction, tallied(self.placed))


@dataclass(frozen=True, slots=True)
class CountersSeenDeployed(PublicFact):
    """How many counters of the colour arrived where."""

    faction: Faction
    arrivals: tuple[tuple[int, int], ...]  # front, number

    def apply(self, state: State) -> None:
        """What others saw changes nothing."""


@dataclass(frozen=True, slots=True)
class CountersMoved(Fact):
    """5-1, 5-5 Counters of one colour left a front for others, by movement or transfer."""

    faction: Faction  # their colour
    origin: int
    steps: tuple[Placement, ...]
    audience: tuple[Seat, ...]

    def apply(self, state: State) -> None:
        here = state.fronts[self.origin]
        moved = []
        for counter, front in self.steps:
            here.remove(counter)
            insort(state.fronts[front], counter)
            moved.append(counter)
        if state.recalls:
            state.recalls[:] = [recall for recall in state.recalls if recall.army not in moved]

    def redacted(self) -> Fact | None:
        return CountersSeenMoving(self.faction, self.origin, tallied(self.steps))


@dataclass(frozen=True, slots=True)
class CountersSeenMoving(PublicFact):
    """5-4, S-5 How many counters of the colour went where; not which."""

    faction: Faction
    origin: int
    arrivals: tuple[tuple[int, int], ...]  # front, number

    def apply(self, state: State) -> None:
        """What others saw changes nothing."""


def turned_up(
    state: State, why: Literal["attack", "defence", "check", "shown"], counters: tuple[str, ...]
) -> CountersTurnedUp:
    """These counters, where they lie."""
    lying = {counter: front for front, there in state.fronts.items() for counter in there}
    return CountersTurnedUp(why, counters, tuple([lying[counter] for counter in counters]))


def tallied(placements: tuple[Placement, ...]) -> tuple[tuple[int, int], ...]:
    """How many counters go to each front, in ascending order of fronts."""
    number: dict[int, int] = {}
    for _, front in placements:
        number[front] = number.get(front, 0) + 1
    return tuple(sorted(number.items()))


# ------------------------------------------------------------------ recalls


@dataclass(frozen=True, slots=True)
class RecallAsked(Fact):
    """5.2-2 Germany asked for an army back. Only the two seats concerned know."""

    recall: Recall
    audience: tuple[Seat, ...]

    def apply(self, state: State) -> None:
        state.recalls[:] = [r for r in state.recalls if r.army != self.recall.army]
        insort(state.recalls, self.recall, key=lambda r: r.army)


@dataclass(frozen=True, slots=True)
class RecallRefused(Fact):
    """5.2-2 The request is off the table."""

    army: str
    audience: tuple[Seat, ...]

    def apply(self, state: State) -> None:
        state.recalls[:] = [recall for recall in state.recalls if recall.army != self.army]


BOARD_FACTS: tuple[type[Fact], ...] = (
    TurnBegan,
    PhaseBegan,
    OrderRanked,
    SlotsTaken,
    OrderSet,
    RoundSpent,
    CountersTurnedUp,
    CountersTurnedDown,
    MoversTurnedDown,
    ReinforcementsArrived,
    CountersDeployed,
    CountersSeenDeployed,
    CountersMoved,
    CountersSeenMoving,
    RecallAsked,
    RecallRefused,
)
