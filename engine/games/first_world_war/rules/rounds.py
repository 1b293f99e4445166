"""4.2.2 Phase 2: in its round a faction attacks, moves, transfers or passes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TypeVar

from engine.games.first_world_war.answers import Attack, Faction, Move, Pass, RoundGiven, Transfer
from engine.games.first_world_war.facts.board import PhaseBegan, RoundSpent
from engine.games.first_world_war.order_of_play import after_round, round_
from engine.games.first_world_war.rules import any_time, combat, treaty
from engine.games.first_world_war.rules.command import commanded, commands_anything
from engine.games.first_world_war.rules.movement import move, move_refusal, transfer, transfer_refusal
from engine.games.first_world_war.rules.permissions import reach_now
from engine.games.first_world_war.state import State
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Answer, Options, Procedure, Rng, Step, question

PASS = Pass()
told = cache(RoundGiven)  # there are only sixteen of them

T = TypeVar("T")


# ------------------------------------------------------------------ the round


def play_round(state: State, turn: int, number: int) -> Procedure:
    """4.2.2-1, 4.2.2-2 One of the sixteen rounds of a turn."""
    key = round_(turn, number).key
    yield PhaseBegan(turn, "rounds", number)
    cycle, place = divmod(number - 1, len(state.round_order))
    if place == 0:  # what came with letters of an earlier exchange: none may be on file after the next
        yield from any_time.before_action(state, key)
    faction, answer = state.round_order[place], PASS  # 4.2.2-4
    if commands_anything(state, faction):
        seat, given, options = state.seats[faction], told(faction, cycle + 1), RoundOptions(state, faction)
        answer = yield question(seat, "round.action", key, given, options, default=PASS, secret=True)
    yield from any_time.before_action(state, key)  # what came with the same letter, too
    yield from act(state, faction, answer, key)
    return after_round(turn, number)


def act(state: State, faction: Faction, answer: Answer, key: str) -> Step:
    """4.2.2-3 Carry out the one action."""
    match answer:
        case Attack():
            yield from combat.attack(state, faction, answer, key)
        case Move():
            yield from move(state, faction, answer)
        case Transfer():
            yield from transfer(state, faction, answer)
        case _:
            yield RoundSpent(faction, "pass")


# ------------------------------------------------------------------ what may be answered


class RoundOptions(Options):
    """D4, D5 The actions a faction may take now. Nothing here rests on what the enemy hides (6-9)."""

    __slots__ = ("_reach", "_state", "faction")

    def __init__(self, state: State, faction: Faction) -> None:
        self._state, self.faction, self._reach = state, faction, reach_now(state)

    def why_not(self, answer: Answer) -> Refusal | None:
        match answer:
            case Pass():
                return None
            case Attack():
                return combat.attack_refusal(self._state, self.faction, answer)
            case Move():
                return move_refusal(self._state, self.faction, answer)
            case Transfer():
                return transfer_refusal(self._state, self.faction, answer)
            case _:
                return Illegal("FWW-4.2.2-2", "no-such-action")

    # ------------------------------------------------------------ parts

    def attackers(self, front: int) -> tuple[str, ...]:
        """6-2 Real armies that could be committed on the front."""
        return combat.may_attack_with(self._state, self.faction, front)

    def _leavers(self, front: int) -> list[str]:
        """The counters the faction may send away from a front, each by itself."""
        state, faction = self._state, self.faction
        there = commanded(state, faction, front)
        if not state.treaty:
            return there
        return [c for c in there if treaty.leaving_refusal(state, faction, front, (c,)) is None]

    def _steps(self, origin: int) -> dict[str, list[int]]:
        """5-1 Counters with the fronts one step away where they may operate."""
        adjacent = self._state.pack.fronts[origin].adjacent
        found = {c: [to for to in adjacent if to in self._reach[c]] for c in self._leavers(origin)}
        return {counter: fronts for counter, fronts in found.items() if fronts}

    def _journeys(self, origin: int) -> dict[str, list[int]]:
        """5-5 Counters with all other fronts where they may operate."""
        found = {c: sorted(self._reach[c] - {origin}) for c in self._leavers(origin)}
        return {counter: fronts for counter, fronts in found.items() if fronts}

    # ------------------------------------------------------------ offers

    def only(self) -> tuple[Answer] | None:
        """Pass alone, if no army may attack and nothing may leave; leaving together is never easier."""
        fronts = self._state.fronts
        if any(self.attackers(front) or self._journeys(front) for front in fronts):
            return None
        return (PASS,)

    def sample(self, rng: Rng) -> Answer:
        """A kind of action at random, then its parts."""
        kinds = [self._random_attack, self._random_move, self._random_transfer, _random_pass]
        for kind in _mixed(rng, kinds):
            if (answer := kind(rng)) is not None:
                return answer
        return PASS

    def _random_attack(self, rng: Rng) -> Answer | None:
        for front in _mixed(rng, self._state.fronts):
            if armies := self.attackers(front):
                return Attack(front, _some(rng, armies))
        return None

    def _random_move(self, rng: Rng) -> Answer | None:
        for origin in _mixed(rng, self._state.fronts):
            if ways := self._steps(origin):
                break
        else:
            return None
        movers = _some(rng, list(ways))
        order = Move(origin, tuple([(c, rng.choice(ways[c])) for c in movers]))
        if move_refusal(self._state, self.faction, order) is None:
            return order
        return Move(origin, order.steps[:1])  # 8.1-9 so many at once break a minimum

    def _random_transfer(self, rng: Rng) -> Answer | None:
        for origin in _mixed(rng, self._state.fronts):
            if ways := self._journeys(origin):
                break
        else:
            return None
        first = rng.choice(list(ways))
        to = rng.choice(ways[first])
        partners = [c for c, fronts in ways.items() if c != first and to in fronts]
        if partners and rng.randrange(2):
            order = Transfer(origin, to, tuple(sorted((first, rng.choice(partners)))))
            if transfer_refusal(self._state, self.faction, order) is None:
                return order
        return Transfer(origin, to, (first,))

    def describe(self) -> Sequence[Answer]:
        """Pass; on each front an attack with each army and with all; each step and each single transfer."""
        answers: list[Answer] = [PASS]
        for front in self._state.fronts:
            if armies := self.attackers(front):
                alone = [Attack(front, (army,)) for army in armies]
                answers += [*alone, Attack(front, armies)] if len(armies) > 1 else alone
        for origin in self._state.fronts:
            answers += self._moves(origin)
            journeys = self._journeys(origin).items()
            answers += [Transfer(origin, to, (counter,)) for counter, far in journeys for to in far]
        return answers

    def _moves(self, origin: int) -> list[Answer]:
        """Each counter one step, and all that may together."""
        steps = self._steps(origin)
        moves = [Move(origin, ((c, to),)) for c, near in steps.items() for to in near]
        for to in self._state.pack.fronts[origin].adjacent:
            together = Move(origin, tuple((c, to) for c, near in steps.items() if to in near))
            if len(together.steps) > 1 and move_refusal(self._state, self.faction, together) is None:
                moves.append(together)
        return list(moves)


def _random_pass(rng: Rng) -> Answer | None:
    return PASS


def _some(rng: Rng, items: Sequence[str]) -> tuple[str, ...]:
    """A random non-empty part, in order."""
    part = tuple([item for item in items if rng.random() < 0.5])
    return part or (rng.choice(items),)


def _mixed(rng: Rng, items: Iterable[T]) -> Iterator[T]:
    """All items in random order, as far as they are wanted."""
    left = list(items)
    while left:
        yield left.pop(rng.randrange(len(left)))
