"""5.4, 1.2.2 Where pieces may retreat to: the answers to the questions of `rules.retreats`.

Each piece's way is judged by `rules.retreat_moves`; here is what each kind of retreat demands beyond that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from engine.games.to_the_last_man.answers import LOOSE, Goal, Goals, Group, Side
from engine.games.to_the_last_man.rules.areas import room, status
from engine.games.to_the_last_man.rules.armies import distance_to_source
from engine.games.to_the_last_man.rules.embattled import Battle, fighting_armies
from engine.games.to_the_last_man.rules.instead import with_legal
from engine.games.to_the_last_man.rules.pieces import are_goals
from engine.games.to_the_last_man.rules.retreat_moves import (
    destination_refusal,
    retreat_areas,
    why_not_retreats,
)
from engine.games.to_the_last_man.state import State
from engine.kernel.errors import Facts, Illegal, Refusal
from engine.kernel.requests import Answer, Options, Rng

SOME = 0.25  # how often a sample lets a piece go


# ------------------------------------------------------------------ what there is


def may_leave(state: State, area: str, side: Side) -> bool:
    """Is there any unit or army without a marker? Forts never retreat (8.4-01)."""
    gone = state.retreated
    if any(army not in gone for army in state.armies(area, side)):
        return True
    return any(unit not in gone for unit in state.loose_units(area, side))


def units_of(state: State, battle: Battle, place: str) -> list[str]:
    """Counters without a marker, loose in the area (of whichever side) or in that army."""
    there = state.loose[battle.area] if place == LOOSE else state.contents.get(place, [])
    return [unit for unit in there if unit not in state.retreated]


def in_order(goals: Goals) -> list[tuple[int, Goal]]:
    """Goals with their numbers: units leave their armies before these go."""
    return sorted(enumerate(goals), key=lambda numbered: numbered[1].army != "")


def refuge(state: State, battle: Battle, side: Side, armies: Sequence[str], first: str = "") -> str:
    """D40 Where armies go that have no orders: the Friendly area with the most own strength, then the one
    nearest to an own source, then by id; else such a Disputed area; "": nowhere.
    """
    found = []
    for to in retreat_areas(state, side, battle.area):
        goals = tuple(Goal(to, army) for army in armies)
        if why_not_retreats(state, side, battle.area, goals) is None:
            found.append(to)
    return min(found, key=lambda to: (to != first, *safety(state, side, to)), default="")


def safety(state: State, side: Side, area: str) -> tuple[bool, int, int, str]:
    disputed = status(state, area, side) == "disputed"
    strength = len(state.force(area, side))
    return disputed, -strength, distance_to_source(state.pack, side, area), area


def weakest_first(state: State, armies: Iterable[str]) -> list[str]:
    """D39 Armies by strength, equals in the order of dice."""
    return sorted(armies, key=lambda army: len(state.contents[army]))


# ------------------------------------------------------------------ answers


@dataclass(frozen=True, slots=True)
class WaysOut(Options):
    """Pieces that leave a Battle Area together: none of them twice, and room for all."""

    state: State
    battle: Battle
    side: Side

    def why_not(self, answer: Answer) -> Refusal | None:
        if not are_goals(answer):
            return Illegal("TTLM-5.4-01", "not-an-act")
        for goal in answer:
            if (refusal := self._barred(goal)) is not None:
                return refusal
        going = tuple(goal for _, goal in in_order(answer))
        refusal = why_not_retreats(self.state, self.side, self.battle.area, going)
        if refusal is None:
            return self._together(answer)
        return with_legal(refusal, lambda: self._other_ways(going)) if len(going) == 1 else refusal

    def _other_ways(self, goals: Goals) -> Iterable[str]:
        """Where the same pieces could go."""
        area = self.battle.area
        for to in self._exits():
            moved = tuple(replace(goal, to=to, into=LOOSE) for goal in goals)
            if why_not_retreats(self.state, self.side, area, moved) is None:
                yield to

    def _barred(self, goal: Goal) -> Refusal | None:
        """What this kind of retreat demands of each goal."""
        return None

    def _together(self, goals: Goals) -> Refusal | None:
        """What this kind of retreat demands of all goals together."""
        return None

    def _exits(self) -> tuple[str, ...]:
        return retreat_areas(self.state, self.side, self.battle.area)

    # -------------------------------------------------------- samples

    def sample(self, rng: Rng) -> Answer:
        goals: Goals = ()
        ways = self._destinations(rng)
        if not ways:
            return goals
        for place, kind in self._pieces():
            if rng.random() >= SOME:
                continue
            one = self._some_goal(rng, place, kind, rng.choice(ways))
            if self.why_not((*goals, one)) is None:
                goals = (*goals, one)
        return goals

    def _destinations(self, rng: Rng) -> tuple[str, ...]:
        return self._exits()

    def _pieces(self) -> list[tuple[str, str]]:
        """Armies as such (kind ""), and what lies in them or loose, counter by counter."""
        state, area, found = self.state, self.battle.area, list[tuple[str, str]]()
        kind_of, side_of = state.pack.kind_of, state.pack.side_of
        loose = [unit for unit in units_of(state, self.battle, LOOSE) if side_of[unit] == self.side]
        found += [(LOOSE, kind_of[unit]) for unit in loose]
        for army in state.armies(area, self.side):
            if army not in state.retreated:
                found.append((army, ""))
                found += [(army, kind_of[unit]) for unit in units_of(state, self.battle, army)]
        return found

    def _some_goal(self, rng: Rng, place: str, kind: str, to: str) -> Goal:
        if not kind:
            return Goal(to, place, left=self._some_left(rng, place))
        armies = self.state.armies(to, self.side)
        into = rng.choice([LOOSE, *armies])
        return Goal(to, units=((kind, 1),), source=place, into=into)

    def _some_left(self, rng: Rng, army: str) -> Group:
        """8.3.3-06 Now and then something is dropped first."""
        if rng.random() >= SOME:
            return ()
        units = [unit for unit in units_of(self.state, self.battle, army) if rng.random() < SOME]
        return self.state.grouped(units)

    def only(self) -> tuple[Answer] | None:
        return None if self._exits() else ((),)

    def describe(self) -> Sequence[Answer]:
        """To stay, and each single piece that may go."""
        found: list[Goals] = [()]
        for to in self._exits():
            for place, kind in dict.fromkeys(self._pieces()):
                intos = [LOOSE, *self.state.armies(to, self.side)] if kind else [LOOSE]
                for into in intos:
                    goal = Goal(to, units=((kind, 1),), source=place, into=into) if kind else Goal(to, place)
                    if self.why_not((goal,)) is None:
                        found.append((goal,))
        return found


@dataclass(frozen=True, slots=True)
class CavalryAway(WaysOut):
    """5.4.3 Cavalry only, each to an area of its own choice."""

    def _barred(self, goal: Goal) -> Refusal | None:
        type_ = {kind.partition(".")[2] for kind, _ in goal.units}
        if goal.army or type_ != {"C"}:
            return Illegal("TTLM-8.3.1-03", "cavalry-only")
        return None

    def _pieces(self) -> list[tuple[str, str]]:
        return [(place, kind) for place, kind in WaysOut._pieces(self) if kind.endswith(".C")]


@dataclass(frozen=True, slots=True)
class InsteadOfFiring(WaysOut):
    """5.4.1 Any units, to different areas."""


@dataclass(frozen=True, slots=True)
class AfterCombat(WaysOut):
    """5.4.2 Any units, all to the same area: where forced armies already went, if any did."""

    to: str = ""

    def _together(self, goals: Goals) -> Refusal | None:
        ends = sorted({goal.to for goal in goals} | ({self.to} if self.to and goals else set()))
        if len(ends) > 1:
            return Illegal("TTLM-5.4.2-01", "one-destination", {"areas": tuple(ends)})
        return None

    def _destinations(self, rng: Rng) -> tuple[str, ...]:
        ways = (self.to,) if self.to else self._exits()
        return (rng.choice(ways),) if ways else ()


@dataclass(frozen=True, slots=True)
class Forced(WaysOut):
    """5.4-06 to -08 So many armies with all they hold, as many of them as possible to one area.

    The armies named last are eliminated if the destination has no room for all.
    """

    number: int = 0

    def default(self, armies: Sequence[str]) -> Goals:
        """D39, D40 These armies in this order, to the safest area that saves as many as possible."""
        to = min(self._best_ways(), key=lambda way: safety(self.state, self.side, way), default="")
        return tuple(Goal(to, army) for army in armies[: self.number])

    def _best_ways(self) -> list[str]:
        """Destinations for as many armies as possible; none if there is no way out at all."""
        best = self.most_possible()
        return [to for to in self._exits() if best and self.most_that_fit(to) == best]

    def most_that_fit(self, to: str) -> int:
        """How many armies find room there."""
        if destination_refusal(self.state, self.side, self.battle.area, to) is not None:
            return 0
        return max(0, min(self.number, room(self.state, to, self.side)))

    def most_possible(self) -> int:
        ways = self._exits()
        return max((self.most_that_fit(to) for to in ways), default=0)

    def why_not(self, answer: Answer) -> Refusal | None:
        if not are_goals(answer):
            return Illegal("TTLM-5.4-06", "not-an-act")
        armies = [goal.army for goal in answer]
        able = fighting_armies(self.state, self.battle.area, self.side)
        if len(answer) != self.number or len(set(armies)) < len(armies):
            return Illegal("TTLM-5.4-06", "armies-forced", {"number": self.number})
        for goal in answer:
            if goal.army not in able:
                return Illegal("TTLM-5.4-07", "not-in-battle", {"place": goal.army, "legal": tuple(able)})
            if goal.left or goal.units:
                return Illegal("TTLM-5.4-08", "nothing-stays-behind", {"army": goal.army})
        ends = {goal.to for goal in answer}
        if len(ends) > 1:
            return Illegal("TTLM-5.4.2-02", "one-destination", {"areas": tuple(sorted(ends))})
        return self._no_room(answer)

    def _no_room(self, goals: Goals) -> Refusal | None:
        """5.4-04 As many as possible must be saved; where nobody can be, there is no destination to name."""
        best, to = self.most_possible(), goals[0].to
        saves_most = self.most_that_fit(to) == best if best else to == ""
        if saves_most:
            return None
        if (refusal := destination_refusal(self.state, self.side, self.battle.area, to)) is not None:
            return refusal
        facts: Facts = {"area": to, "wanted": self.number, "room": self.most_that_fit(to)}
        return with_legal(Illegal("TTLM-5.4-03", "no-room", facts), self._best_ways)

    def sample(self, rng: Rng) -> Answer:
        armies = fighting_armies(self.state, self.battle.area, self.side)
        going = sorted(armies, key=lambda _: rng.random())[: self.number]
        ways = self._best_ways()
        to = rng.choice(ways) if ways else ""
        return tuple(Goal(to, army) for army in going)

    def only(self) -> tuple[Answer] | None:
        offered = self.describe()
        return (offered[0],) if len(offered) == 1 else None

    def describe(self) -> Sequence[Answer]:
        """The armies in their own order, to each destination; and the other way round."""
        armies = fighting_armies(self.state, self.battle.area, self.side)
        ways = self._best_ways() or [""]
        orders = (armies[: self.number], armies[::-1][: self.number])
        found = [tuple(Goal(to, army) for army in order) for to in ways for order in orders]
        return [goals for goals in dict.fromkeys(found) if self.why_not(goals) is None]
