"""4.2.1 Phase 1: new counters come to the fronts. In turn 1 this is the set-up (3-6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

from engine.games.first_world_war.answers import Deploy, DeployGiven, Faction
from engine.games.first_world_war.facts.board import (
    CountersDeployed,
    CountersTurnedDown,
    PhaseBegan,
    ReinforcementsArrived,
    TurnBegan,
)
from engine.games.first_world_war.order_of_play import after_deployment, deployment_step
from engine.games.first_world_war.printed import Reach, counters_of
from engine.games.first_world_war.rules import treaty
from engine.games.first_world_war.rules.matching import matched, served
from engine.games.first_world_war.rules.permissions import permission_refusal, reach_now
from engine.games.first_world_war.state import FACTIONS, State
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Answer, Ask, Options, Procedure, Rng, Step

FIRST_GARRISON_TURN = 2  # 4.2.1-8
SMALL = 256  # so many placements are all listed


# ------------------------------------------------------------------ the step


def deployment(state: State, turn: int, step: int) -> Procedure:
    """4.2.1 One faction's deployment; the first step of a turn opens the phase."""
    if step == 1:
        yield from open_phase(state, turn)
    yield PhaseBegan(turn, "deploy")
    faction = state.deploy_order[step - 1]
    if state.waiting[faction]:
        yield from deploy(state, faction, deployment_step(turn, step).key)
    return after_deployment(turn, step)


def open_phase(state: State, turn: int) -> Step:
    """4.2.1-1, 4.2.1-3 Everything is turned face down; reinforcements and replacements leave the track."""
    if state.turn != turn or state.phase != "order":  # 9.2 began the turn with its slots
        yield TurnBegan(turn, "deploy", state.pack.deployment_order, state.pack.round_order)
    if state.face_up:
        yield CountersTurnedDown()
    for faction in FACTIONS:
        owner = state.pack.faction_of
        arriving = [a for a in (*state.track.get(turn, ()), *state.returning) if owner[a] == faction]
        if arriving:
            yield ReinforcementsArrived(turn, faction, tuple(sorted(arriving)))


def deploy(state: State, faction: Faction, key: str) -> Step:
    """4.2.1-4 The faction places its new counters."""
    options = DeployOptions(state, faction)
    owed = tuple(sorted({*options.treaty, *options.duty}))
    given = DeployGiven(faction, options.new, owed)
    answer = yield Ask(
        state.seat(faction), "deploy", key, given, options, default=options.automatic(), secret=True
    )
    if answer.placed:
        yield CountersDeployed(faction, answer.placed, (state.seat(faction),))


# ------------------------------------------------------------------ duties


def garrison_duty(state: State, faction: Faction) -> tuple[int, ...]:
    """4.2.1-8, 4.2.1-9 Garrison fronts that must get a new real army as far as the new armies suffice."""
    if state.turn < FIRST_GARRISON_TURN:
        return ()
    lapsed = treaty.lapsed_garrison(state, faction)  # 8.1-10
    manned = state.options["garrison_rule"] == "held-fronts"
    return tuple(
        front
        for front in state.pack.factions[faction].garrison_fronts
        if front not in lapsed and bool(state.reals(front, (faction,))) == manned
    )


def treaty_posts(state: State, faction: Faction) -> tuple[int, ...]:
    """8.1-9 Fronts where the treaty wants new real armies first, once for each army."""
    return tuple(
        front for front, number in sorted(treaty.owed(state, faction).items()) for _ in range(number)
    )


def must_be_placed(state: State, faction: Faction, new: Sequence[str]) -> tuple[str, ...]:
    """3-7, 4.2.1-5 New real armies that may not be held back: all in turn 1, or with the switch off."""
    if state.turn > 1 and state.options["hold_back_reinforcements"]:
        return ()
    reach = reach_now(state)
    return tuple(c for c in new if c in state.pack.armies and reach[c])


# ------------------------------------------------------------------ what may be answered


class DeployOptions(Options):
    """4.2.1 Every legal placement of a faction's new counters. Rests on the faction's own counters only."""

    __slots__ = (
        "_posts",
        "_reach",
        "_served",
        "_state",
        "duty",
        "faction",
        "new",
        "reals",
        "treaty",
        "unheld",
    )

    def __init__(self, state: State, faction: Faction) -> None:
        self._state, self.faction = state, faction
        self._reach = reach_now(state)
        self.new = tuple(state.waiting[faction])
        self.reals = tuple(_reals(state, self.new))
        self.duty = garrison_duty(state, faction)
        self.treaty = treaty_posts(state, faction)
        self.unheld = must_be_placed(state, faction, self.new)
        self._posts = (*self.treaty, *self.duty)
        self._served = matched(self._posts, self.reals, self._reach)

    def why_not(self, answer: Answer) -> Refusal | None:
        """The first rule that the placement breaks."""
        if not isinstance(answer, Deploy):
            return Illegal("FWW-4.2.1-3", "not-a-deployment")
        return self._counters_refusal(answer) or self._places_refusal(answer) or self._duty_refusal(answer)

    def _counters_refusal(self, answer: Deploy) -> Refusal | None:
        """4.2.1-3 Each new counter once, placed or held."""
        named = sorted([counter for counter, _ in answer.placed] + list(answer.held))
        for counter in named:
            if counter not in self.new:
                return Illegal("FWW-4.2.1-3", "not-new", {"counter": counter})
        if named != list(self.new):
            missing = tuple(c for c in self.new if c not in named)
            if missing:
                return Illegal("FWW-4.2.1-3", "not-named", {"counters": missing})
            twice = next(c for c in named if named.count(c) > 1)
            return Illegal("FWW-4.2.1-3", "named-twice", {"counter": twice})
        if list(answer.placed) != sorted(answer.placed) or list(answer.held) != sorted(answer.held):
            return Illegal("FWW-4.2.1-3", "not-sorted")
        return None

    def _places_refusal(self, answer: Deploy) -> Refusal | None:
        """4.2.1-4, 4.2.1-6 Each counter where it may operate; 3-7, 4.2.1-5 who may not be held."""
        for counter, front in answer.placed:
            if front not in self._state.fronts:
                return Illegal("FWW-2.1-1", "no-such-front", {"front": front})
            if front not in self._reach[counter]:
                return permission_refusal(self._state, counter, front)
        for counter in answer.held:
            if counter in self.unheld:
                rule = "FWW-3-7" if self._state.turn == 1 else "FWW-4.2.1-5"
                return Illegal(rule, "may-not-be-held", {"counter": counter})
        return None

    def _duty_refusal(self, answer: Deploy) -> Refusal | None:
        """8.1-9, then 4.2.1-10: as many posts manned as the new armies can man."""
        reals = {counter: front for counter, front in answer.placed if counter in self.reals}
        peace, wanted_for_peace = served(self.treaty, reals.values()), self._manned(0, len(self.treaty))
        if peace < wanted_for_peace:
            owed = tuple(sorted(set(self.treaty)))
            return Illegal(
                "FWW-8.1-9", "treaty-owed", {"fronts": owed, "wanted": wanted_for_peace, "given": peace}
            )
        garrisons, wanted = (
            served(self.duty, reals.values()),
            self._manned(len(self.treaty), len(self._posts)),
        )
        if garrisons < wanted:
            owed = tuple(front for front in self.duty if front not in reals.values())
            return Illegal(
                "FWW-4.2.1-8", "garrison-owed", {"fronts": owed, "wanted": wanted, "given": garrisons}
            )
        return None

    def _manned(self, start: int, stop: int) -> int:
        return sum(start <= post < stop for post in self._served)

    def only(self) -> tuple[Answer] | None:
        """Exact as long as everything can be tried; beyond that there is always a choice."""
        offered = self.describe() if self._size() <= SMALL else ()
        return (offered[0],) if len(offered) == 1 else None

    def sample(self, rng: Rng) -> Answer:
        """A random legal placement: duties by random armies, the others anywhere or held."""
        shuffled = list(self.reals)
        for index in range(len(shuffled) - 1, 0, -1):
            other = rng.randrange(index + 1)
            shuffled[index], shuffled[other] = shuffled[other], shuffled[index]
        manned = matched(self._posts, shuffled, self._reach)
        placed = {army: self._posts[post] for post, army in manned.items()}
        held = []
        for counter in self.new:
            if counter in placed:
                continue
            fronts = sorted(self._reach[counter])
            if not fronts or (counter not in self.unheld and rng.randrange(len(fronts) + 1) == 0):
                held.append(counter)
            else:
                placed[counter] = rng.choice(fronts)
        return Deploy(tuple(sorted(placed.items())), tuple(held))

    def describe(self) -> Sequence[Answer]:
        """All placements if they are few; else the automatic one, all held, each counter on each front."""
        if self._size() <= SMALL:
            return self._all()
        free = tuple(c for c in self.new if c not in self.unheld)
        examples = [automatic(self._state, self.faction), automatic(self._state, self.faction, {}, free)]
        for counter in self.new:
            for front in sorted(self._reach[counter]):
                examples.append(automatic(self._state, self.faction, {counter: front}))
        return [e for e in dict.fromkeys(examples) if self.contains(e)]

    def _places(self, counter: str) -> list[int | None]:
        """Where the counter may go by itself; None: held back."""
        fronts: list[int | None] = [*sorted(self._reach[counter])]
        return fronts if counter in self.unheld else [*fronts, None]

    def _size(self) -> int:
        return prod(len(self._places(counter)) for counter in self.new)

    def _all(self) -> list[Answer]:
        answers = []
        for fronts in product(*(self._places(counter) for counter in self.new)):
            pairs = tuple(zip(self.new, fronts, strict=True))
            answer = Deploy(
                tuple((c, front) for c, front in pairs if front is not None),
                tuple(c for c, front in pairs if front is None),
            )
            if self._duty_refusal(answer) is None:
                answers.append(answer)
        return answers

    def automatic(self) -> Deploy:
        """D3 `automatic` for a faction that ordered nothing."""
        duties = {army: self._posts[post] for post, army in self._served.items()}
        return _placed_automatically(self._state, self.faction, duties, self.new, self._reach)

    def completed(self, placed: Mapping[str, int], held: Sequence[str] = ()) -> Deploy:
        """D3 An order as far as it goes: counters it does not name follow steps 3 and 4 of `automatic`.

        It may break a duty; then it is refused with the fronts still owed.
        """
        done = dict(placed)
        free = [c for c in self.new if c not in done and c not in held]
        return _settled(self._state, self.faction, done, free, self._reach)


# ------------------------------------------------------------------ automatic deployment


def automatic(
    state: State, faction: Faction, placed: Mapping[str, int] | None = None, held: Sequence[str] = ()
) -> Deploy:
    """D3 What happens to counters without an order; in turn 1 real armies stand as in 9.3."""
    done = dict(placed or {})
    free = [c for c in state.waiting[faction] if c not in done and c not in held]
    reach = reach_now(state)
    done |= _duties_done(state, faction, _reals(state, free), done, reach)
    return _placed_automatically(state, faction, done, free, reach)


def _placed_automatically(
    state: State, faction: Faction, done: dict[str, int], free: Sequence[str], reach: Reach
) -> Deploy:
    """The steps after the duties; in turn 1 real armies stand as in 9.3."""
    armies = state.pack.armies
    if state.turn == 1:
        done |= {
            army: front
            for army in free
            if army in armies
            and army not in done
            and (front := armies[army].historical_front) is not None
            and front in reach[army]
        }
    return _settled(state, faction, done, [c for c in free if c not in done], reach)


def _settled(
    state: State, faction: Faction, done: dict[str, int], free: Sequence[str], reach: Reach
) -> Deploy:
    """Steps 3 and 4 for the counters that are still free."""
    _place_armies(state, faction, [c for c in free if c in state.pack.armies], done, reach)
    _place_dummies(state, faction, [c for c in free if c not in state.pack.armies], done, reach)
    left = [c for c in state.waiting[faction] if c not in done]
    return Deploy(tuple(sorted(done.items())), tuple(left))


def _reals(state: State, counters: Sequence[str]) -> list[str]:
    """The real armies among them, lowest id first."""
    armies = state.pack.armies
    return sorted([c for c in counters if c in armies], key=state.pack.id_rank.__getitem__)


def _duties_done(
    state: State, faction: Faction, reals: Sequence[str], done: Mapping[str, int], reach: Reach
) -> dict[str, int]:
    """Steps 1 and 2: treaty minima, then garrisons, low fronts and low army ids first."""
    there = [front for counter, front in done.items() if counter in state.pack.armies]
    posts = []
    for post in (*treaty_posts(state, faction), *garrison_duty(state, faction)):
        if post in there:
            there.remove(post)
        else:
            posts.append(post)
    return {army: posts[post] for post, army in matched(posts, reals, reach).items()}


def _place_armies(
    state: State, faction: Faction, armies: Sequence[str], done: dict[str, int], reach: Reach
) -> None:
    """Step 3: best value first, of equals the lowest id, where enemy counters most exceed own real armies."""
    if not armies:
        return
    colour, alliance = state.pack.faction_of, state.pack.alliance_of
    own_side = alliance[faction]
    pressure = dict.fromkeys(state.fronts, 0)
    for front, there in state.fronts.items():
        for counter in there:
            if alliance[colour[counter]] != own_side:
                pressure[front] += 1
            elif colour[counter] == faction and counter in state.pack.armies:
                pressure[front] -= 1
    for counter, front in done.items():
        if counter in state.pack.armies:
            pressure[front] -= 1
    for army in sorted(armies, key=lambda a: (-state.pack.armies[a].value, state.pack.id_rank[a])):
        if reach[army]:
            done[army] = front = max(sorted(reach[army]), key=pressure.__getitem__)
            pressure[front] -= 1


def _place_dummies(
    state: State, faction: Faction, dummies: Sequence[str], done: dict[str, int], reach: Reach
) -> None:
    """Step 4: dummies where fewest own counters are."""
    if not dummies:
        return
    colour = counters_of(state.pack, faction)
    own = {front: len(colour.intersection(there)) for front, there in state.fronts.items()}
    for front in done.values():
        own[front] += 1
    for dummy in dummies:
        if reach[dummy]:
            done[dummy] = front = min(sorted(reach[dummy]), key=own.__getitem__)
            own[front] += 1
