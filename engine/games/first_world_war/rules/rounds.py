"""4.2.2 Phase 2: in its round a faction attacks, moves, transfers or passes."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.first_world_war.answers import Attack, Faction, Move, Pass, RoundGiven, Transfer
from engine.games.first_world_war.facts.board import PhaseBegan, RoundSpent
from engine.games.first_world_war.order_of_play import after_round, round_
from engine.games.first_world_war.rules import any_time, combat, treaty
from engine.games.first_world_war.rules.command import commanded
from engine.games.first_world_war.rules.movement import move, move_refusal, transfer, transfer_refusal
from engine.games.first_world_war.rules.permissions import reach_now
from engine.games.first_world_war.state import State
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Answer, Ask, Procedure, Rng, Step

PASS = Pass()
TRIES = 4  # a random subset may break a treaty minimum; then another is drawn


# ------------------------------------------------------------------ the round


def play_round(state: State, turn: int, number: int) -> Procedure:
    """4.2.2-1, 4.2.2-2 One of the sixteen rounds of a turn."""
    key = round_(turn, number).key
    yield PhaseBegan(turn, "rounds", number)
    yield from any_time.before_round(state, key)
    cycle, place = divmod(number - 1, len(state.round_order))
    faction = state.round_order[place]
    if not commands_anything(state, faction):
        yield RoundSpent(faction, "pass")  # 4.2.2-4; how many counters stand where is public
        return after_round(turn, number)
    options = RoundOptions(state, faction)
    given = RoundGiven(faction, cycle + 1)
    answer = yield Ask(state.seat(faction), "round.action", key, given, options, default=PASS, secret=True)
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


def commands_anything(state: State, faction: Faction) -> bool:
    return any(commanded(state, faction, front) for front in state.fronts)


# ------------------------------------------------------------------ what may be answered


class RoundOptions:
    """D4, D5 The actions a faction may take now. Nothing here rests on what the enemy hides (6-9)."""

    __slots__ = ("_state", "faction")

    def __init__(self, state: State, faction: Faction) -> None:
        self._state, self.faction = state, faction

    def contains(self, answer: Answer) -> bool:
        return self.why_not(answer) is None

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

    def _origins(self) -> dict[int, list[str]]:
        """Fronts with the counters the faction may send away one by one."""
        found = {}
        for front in self._state.fronts:
            able = [
                c
                for c in commanded(self._state, self.faction, front)
                if treaty.leaving_refusal(self._state, self.faction, front, (c,)) is None
            ]
            if able:
                found[front] = able
        return found

    def _destinations(self, origin: int, counter: str) -> tuple[list[int], list[int]]:
        """One step away, and anywhere."""
        adjacent = self._state.pack.fronts[origin].adjacent
        anywhere = sorted(reach_now(self._state)[counter] - {origin})
        return [front for front in anywhere if front in adjacent], anywhere

    # ------------------------------------------------------------ offers

    def only(self) -> tuple[Answer] | None:
        """Pass alone, if no army may attack and nothing may leave; leaving together is never easier."""
        if any(self.attackers(front) for front in self._state.fronts):
            return None
        for origin, counters in self._origins().items():
            if any(self._destinations(origin, counter)[1] for counter in counters):
                return None
        return (PASS,)

    def sample(self, rng: Rng) -> Answer:
        """A kind of action at random, then its parts."""
        kinds = [self._random_attack, self._random_move, self._random_transfer, _random_pass]
        while kinds:
            kind = kinds.pop(rng.randrange(len(kinds)))
            if (answer := kind(rng)) is not None:
                return answer
        return PASS

    def _random_attack(self, rng: Rng) -> Answer | None:
        fronts = [front for front in self._state.fronts if self.attackers(front)]
        if not fronts:
            return None
        front = rng.choice(fronts)
        return Attack(front, _some(rng, self.attackers(front)))

    def _random_move(self, rng: Rng) -> Answer | None:
        ways = {}
        for origin, counters in self._origins().items():
            steps = {c: near for c in counters if (near := self._destinations(origin, c)[0])}
            if steps:
                ways[origin] = steps
        if not ways:
            return None
        origin = rng.choice(sorted(ways))
        for _ in range(TRIES):
            movers = _some(rng, sorted(ways[origin]))
            order = Move(origin, tuple((c, rng.choice(ways[origin][c])) for c in movers))
            if move_refusal(self._state, self.faction, order) is None:
                return order
        mover = rng.choice(sorted(ways[origin]))
        return Move(origin, ((mover, rng.choice(ways[origin][mover])),))

    def _random_transfer(self, rng: Rng) -> Answer | None:
        ways = {
            (origin, c): far
            for origin, counters in self._origins().items()
            for c in counters
            if (far := self._destinations(origin, c)[1])
        }
        if not ways:
            return None
        origin, first = rng.choice(sorted(ways))
        to = rng.choice(ways[origin, first])
        partners = [
            c for (front, c), far in sorted(ways.items()) if front == origin and c != first and to in far
        ]
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
        for origin, counters in self._origins().items():
            answers += self._moves(origin, counters)
            for counter in counters:
                far = self._destinations(origin, counter)[1]
                answers += [Transfer(origin, to, (counter,)) for to in far]
        return answers

    def _moves(self, origin: int, counters: Sequence[str]) -> list[Answer]:
        """Each counter one step, and all that may together."""
        near = {c: self._destinations(origin, c)[0] for c in counters}
        moves = [Move(origin, ((c, to),)) for c in counters for to in near[c]]
        for to in self._state.pack.fronts[origin].adjacent:
            together = Move(origin, tuple((c, to) for c in counters if to in near[c]))
            if len(together.steps) > 1 and move_refusal(self._state, self.faction, together) is None:
                moves.append(together)
        return list(moves)


def _some(rng: Rng, items: Sequence[str]) -> tuple[str, ...]:
    """A random non-empty part, in order."""
    part = tuple(item for item in items if rng.randrange(2))
    return part or (rng.choice(items),)


def _random_pass(rng: Rng) -> Answer | None:
    return PASS
