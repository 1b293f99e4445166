"""Phase 1: every act that is open to a player, tested one at a time and drawn without listing; its course."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from engine.games.trench_club.answers import DONE, Act, Build, Capture, Done, Mine, Move, Nation
from engine.games.trench_club.facts.moves import unit_moved
from engine.games.trench_club.rules import forts, transport, works
from engine.games.trench_club.rules.companies import is_called
from engine.games.trench_club.rules.contact import Front, front, going
from engine.games.trench_club.rules.movement import March, path_to, reach, toll, walk
from engine.games.trench_club.rules.transport import first_unloading, loaded_transports
from engine.games.trench_club.rules.unloading import (
    is_left_behind,
    unloading_plan,
    why_not_left_behind,
    why_not_strand,
)
from engine.games.trench_club.rules.victory import decided
from engine.games.trench_club.rules.wandering import wander
from engine.games.trench_club.state import Position, State, Unit
from engine.kernel.errors import Facts, Illegal, Refusal
from engine.kernel.requests import Answer, Options, Rng, Step

TRIES = 12  # draws that may come to nothing before something simple is done
LAST_ACT = 24  # one draw in so many ends the phase
NO_END = ("hex-taken", "no-room")  # refusals of where a path ends; those of a step tell which one

# ------------------------------------------------------------------ what is legal


def why_not(position: Position, act: Act, nations: Sequence[Nation]) -> Refusal | None:
    """The first rule that an act breaks, and where a legal one leads."""
    refusal = refusal_of(position, act, nations)
    if refusal is None or not isinstance(act, Move) or not act.path:
        return refusal
    if "step" not in refusal.facts and refusal.reason not in NO_END:
        return refusal
    near: Facts = {"goal": act.path[-1], "legal": _legal_path(position, act)}
    return Illegal(refusal.rule, refusal.reason, {**refusal.facts, **near})


def refusal_of(
    position: Position, act: Act, nations: Sequence[Nation], march: March | None = None
) -> Refusal | None:
    """The first rule that an act breaks. `march`: the unit about to move, where it is known already."""
    if isinstance(act, Done):
        return _why_not_done(position, nations)
    refusal = _why_not_unit(position, act.unit, nations)
    if refusal is not None:
        return refusal
    match act:
        case Mine():
            return works.why_not_mine(position, act)
        case Build():
            refusal = works.why_not_build(position, act)
        case Capture():
            return _why_not_going(position, act.unit) or forts.why_not_capture(position, act)
        case Move():
            refusal = (
                _why_not_going(position, act.unit)
                or why_not_move(position, act, march)
                or why_not_left_behind(position, act, nations)
            )
    return refusal or why_not_strand(position, act, nations)


def _why_not_done(position: Position, nations: Sequence[Nation]) -> Refusal | None:
    """TRANSPORT-5 Nothing stays aboard."""
    for transport_id in loaded_transports(position):
        if position.units[transport_id].nation in nations:
            told: Facts = {"unit": transport_id, "cargo": tuple(position.cargo(transport_id))}
            return Illegal("TC-TRANSPORT-5", "all-must-unload", told)
    return None


def _why_not_unit(position: Position, unit_id: str, nations: Sequence[Nation]) -> Refusal | None:
    """MOVE-1, SETUP-26 An own unit of a company that acts."""
    unit = position.units.get(unit_id)
    if unit is None or not unit.at:
        return Illegal("TC-MOVE-1", "no-such-unit", {"unit": unit_id})
    if unit.nation not in nations:
        return Illegal("TC-MOVE-1", "not-own-unit", {"unit": unit_id})
    if not is_called(position, unit):
        chosen = tuple(position.chosen or ())
        told: Facts = {"unit": unit_id, "company": unit.company, "companies": chosen}
        return Illegal("TC-SETUP-26", "company-rests", told)
    return None


def _why_not_going(position: Position, unit_id: str) -> Refusal | None:
    """MOVE-1, TRANSPORT-10 Each unit moves once; what has been carried does not move any more."""
    carrier = position.units[unit_id].aboard
    if carrier:
        return Illegal("TC-TRANSPORT-4", "aboard", {"unit": unit_id, "transport": carrier})
    if unit_id in position.moved:
        return Illegal("TC-MOVE-1", "has-moved", {"unit": unit_id})
    return None


def why_not_move(position: Position, move: Move, march: March | None = None) -> Refusal | None:
    """MOVE-2 The path step by step, where it ends, and what is put down there."""
    if not move.path:
        if move.aboard or not position.cargo(move.unit):
            return Illegal("TC-MOVE-2", "no-path", {"unit": move.unit})
        return transport.why_not_unload(position, move, position.units[move.unit].at)
    end, told = move.path[-1], {"unit": move.unit, "hex": move.path[-1]}
    if move.aboard:
        if (refusal := transport.why_not_board(position, move.unit, move.aboard)) is not None:
            return refusal
        at = position.units[move.aboard].at
        if at != end:
            return Illegal(
                "TC-TRANSPORT-2", "transport-elsewhere", {**told, "transport": move.aboard, "at": at}
            )
    march = march or March(position, move.unit)
    cost = walk(march, move.path, bool(move.aboard))
    if isinstance(cost, Refusal):
        return cost
    if not move.aboard and not march.may_end(end):
        return Illegal("TC-MOVE-20", "hex-taken", {**told, "by": position.on[end]})
    if not march.loaded and not move.unload:
        return None
    if march.loaded and not move.unload and not march.mines.isdisjoint(move.path):
        return None  # SPECIAL-16 it will not get there
    return transport.why_not_unload(position, move, end)


def _legal_path(position: Position, move: Move) -> tuple[str, ...]:
    """MOVE-23 The cheapest way to the same end; if there is none, as much of the path as is legal, else
    the way to the hex in reach that lies nearest to where it should end.
    """
    there = path_to(position, move.unit, move.aboard or move.path[-1])
    if there is not None:
        return there.path
    march, part = March(position, move.unit), move.path
    while part := part[:-1]:
        can_stay = march.may_end(part[-1]) and first_unloading(position, move.unit, part[-1]) is not None
        if can_stay and isinstance(walk(march, part, boards=False), int):
            break
    return part or _nearest_path(position, move.unit, move.path[-1])


def _nearest_path(position: Position, unit: str, goal: str) -> tuple[str, ...]:
    grid, here = position.grid, position.units[unit].at
    if goal not in grid:
        return ()
    ends = reach(position, unit)
    best = min(ends, key=lambda hex_: (grid.distance(hex_, goal), ends[hex_], hex_), default=here)
    there = path_to(position, unit, best) if grid.distance(best, goal) < grid.distance(here, goal) else None
    return () if there is None else there.path


# ------------------------------------------------------------------ what is done


def carry_out(state: State, act: Act) -> Step:
    """One act that `why_not` has nothing against; VICTORY-1 the game may end in the middle of the phase."""
    before = len(state.units)
    match act:
        case Move():
            yield from go(state, act)
        case Capture():
            yield from forts.conquer(state, act)
        case Mine():
            yield from works.lay(state, act)
        case Build():
            yield from works.build_works(state, act)
    changed = isinstance(act, Capture) or len(state.units) < before
    if changed and (won := decided(state)) is not None:
        yield won


def go(state: State, move: Move) -> Step:
    """MOVE-2 The unit goes, up to a mine if one lies in its way; then its cargo is put down."""
    if move.path:
        mined = [
            hex_
            for hex_ in move.path
            if hex_ in state.mines and works.is_mined_against(state, move.unit, hex_)
        ]
        path = move.path[: move.path.index(mined[0]) + 1] if mined else move.path
        aboard = move.aboard if path == move.path else ""
        cost = toll(state, move.unit, path, bool(aboard))
        yield unit_moved(move.unit, state.units[move.unit].at, path, cost, aboard)
        if mined:
            yield from works.explode(state, move.unit, mined[0])
            return
    yield from transport.unload(state, move.unit, move.unload)
    for unit, hex_ in move.unload:
        if works.is_mined_against(state, unit, hex_):
            yield from works.explode(state, unit, hex_)


# ------------------------------------------------------------------ what is offered


class TurnActs(Options):
    """Every legal act of the units of some nations, as long as their camp's phase 1 lasts."""

    __slots__ = ("_able", "_default", "_legal", "_loaded", "_marches", "_nations", "_position", "against")

    def __init__(self, position: Position, nations: Iterable[Nation], against: Front | None = None) -> None:
        """`against`: the enemy's front, where it is known already."""
        self._position, self._nations = position, tuple(nations)
        self.against = against or front(position, position.pack.team_of[self._nations[0]])
        self._loaded = loaded_transports(position)
        self._able: list[Unit] | None = None
        self._marches: dict[str, March] = {}
        self._default: Act | None = None
        self._legal: Act | None = None  # the last act that no rule had anything against

    def after(self, move: Move) -> TurnActs:
        """What is offered once that move is made and no mine went off: the enemy stands where he stood, and
        unless somebody is carried all others may do what they could.
        """
        following = TurnActs(self._position, self._nations, self.against)
        is_worker = self._position.units[move.unit].type in works.worker_types(self._position.pack)
        if not (self._loaded or following._loaded or is_worker):
            following._able = [unit for unit in self._units() if unit.id != move.unit]
        return following

    def contains(self, answer: Answer) -> bool:
        if not isinstance(answer, Move | Capture | Mine | Build | Done):
            return False
        return self._allows(answer)

    def _allows(self, act: Act) -> bool:
        if act is not self._legal:
            march = self._marches.get(act.unit) if isinstance(act, Move) else None
            if refusal_of(self._position, act, self._nations, march) is not None:
                return False
            self._legal = act
        return True

    def why_not(self, answer: Answer) -> Refusal | None:
        if not isinstance(answer, Move | Capture | Mine | Build | Done):
            return Illegal("TC-MOVE-1", "not-an-act")
        return why_not(self._position, answer, self._nations)

    def default(self) -> Act:
        """TRANSPORT-5 Nothing more; but whatever is aboard has to be put down first."""
        if self._default is None:
            own = [one for one in self._loaded if self._position.units[one].nation in self._nations]
            plan = unloading_plan(self._position, self._loaded, self._nations) if own else None
            self._default = plan[0] if plan else DONE
        return self._default

    def only(self) -> tuple[Answer] | None:
        """Nothing is left to do when nobody can act any more."""
        if self.default() is not DONE:
            return None
        return None if any(self._can_step(unit) or self._acts_of(unit) for unit in self._units()) else (DONE,)

    def _can_step(self, unit: Unit) -> bool:
        """Has it a free hex before it? Most have, and then nothing else needs to be looked at."""
        position, against = self._position, self.against
        if unit.id in position.moved:
            return False
        type_, on, shut = position.pack.types[unit.type], position.on, against.foot
        for to, cost, fort in going(position, against, type_.klass).steps[unit.at]:
            if cost <= type_.speed and not fort and to not in on and to not in shut:
                return True
        march = self._march(unit.id)  # less simple: a fort, a last move, out of a trench
        return any(march.may_end(step[0]) for step in march.ahead(march.opening, march.speed))

    def describe(self) -> Sequence[Answer]:
        """For every unit that can act its nearest move, and each other kind of act; then what ends it."""
        return [*(act for unit in self._units() for act in self._acts_of(unit)), self.default()]

    # ------------------------------------------------------------ one of them

    def sample(self, rng: Rng) -> Answer:
        """A unit, a kind of act open to it, and one way to do it; now and then nothing more."""
        units = self._units()
        if not units or (not self._loaded and rng.random() * LAST_ACT < 1):
            return self.default()
        for _ in range(TRIES):
            act = self._draw(units[int(rng.random() * len(units))], rng)
            if act is None:
                continue
            if not (self._loaded or (isinstance(act, Move) and act.aboard)):
                self._legal = act  # drawn by the rules, step by step: nothing is left to test
                return act
            if self._allows(act):
                return act
        return self.default()

    def _draw(self, unit: Unit, rng: Rng) -> Act | None:
        """An act of that unit which has a chance to be legal."""
        position = self._position
        type_ = position.pack.types[unit.type]
        still = unit.id in position.moved
        if (type_.lays_mines or type_.builds) and (still or rng.random() < 0.5):
            mines = works.mines_open(position, unit)
            return rng.choice(mines) if mines else works.drawn_build(position, unit, rng)
        if still:
            return None
        if type_.captures and rng.random() < 0.5:
            captures = self._captures(unit)
            if captures:
                return captures[int(rng.random() * len(captures))]
        boats = self._boats(unit) if type_.transportable else {}
        return wander(self._march(unit.id), boats, rng)

    # ------------------------------------------------------------ looked up once

    def _march(self, unit: str) -> March:
        if unit not in self._marches:
            self._marches[unit] = March(self._position, unit, self.against)
        return self._marches[unit]

    def _units(self) -> list[Unit]:
        """Units that may still do something: move, or work."""
        if self._able is None:
            position, moved, nations = self._position, set(self._position.moved), self._nations
            workers, everybody = works.worker_types(position.pack), position.chosen is None
            self._able = [
                unit
                for unit in position.units.values()
                if unit.nation in nations
                and (unit.id not in moved or unit.type in workers)
                and not unit.aboard
                and (everybody or is_called(position, unit))
            ]
        return self._able

    def _boats(self, unit: Unit) -> dict[str, str]:
        """Hexes of the transports that it may board, and their ids."""
        found = transport.open_transports(self._position, unit)
        gone = [hex_ for hex_, one in found.items() if is_left_behind(self._position, one, self._nations)]
        return {hex_: one for hex_, one in found.items() if hex_ not in gone} if gone else found

    def _captures(self, unit: Unit) -> list[Capture]:
        doors = [Capture(unit.id, fort) for fort in forts.doors_of(self._position, unit)]
        return [door for door in doors if forts.why_not_capture(self._position, door) is None]

    def _acts_of(self, unit: Unit) -> list[Act]:
        """Examples of what this unit may do: one of each kind."""
        return [act for act in self._examples(unit) if self._allows(act)]

    def _examples(self, unit: Unit) -> Iterator[Act]:
        position = self._position
        if unit.id not in position.moved:
            yield from self._captures(unit)
            if places := first_unloading(position, unit.id, unit.at):
                yield Move(unit.id, (), unload=places)
            ends = reach(position, unit.id, self.against)
            nearest = sorted((cost, hex_) for hex_, cost in ends.items())[:1]
            goals = [*(hex_ for _, hex_ in nearest), *self._boats(unit).values()]
            moves = [path_to(position, unit.id, goal, self.against) for goal in goals]
            yield from (move for move in moves if move is not None)
        yield from works.mines_open(position, unit)[:1]
        yield from list(works.builds_open(position, unit))[:1]
