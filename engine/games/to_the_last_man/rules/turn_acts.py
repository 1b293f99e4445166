"""What may be done in a Movement Phase: every legal act, tested one at a time and drawn without listing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

from engine.board.areas import reach, shortest_path
from engine.games.to_the_last_man.answers import (
    DONE,
    LOOSE,
    Done,
    Group,
    Mode,
    Move,
    Shift,
    Side,
    Suppress,
    TurnAct,
)
from engine.games.to_the_last_man.rules import railways
from engine.games.to_the_last_man.rules.areas import room
from engine.games.to_the_last_man.rules.armies import below, draw_shift, empty_in_danger, refuges, some
from engine.games.to_the_last_man.rules.instead import with_legal
from engine.games.to_the_last_man.state import BOX, ENGLAND, State
from engine.kernel.errors import Illegal, Refusal
from engine.kernel.requests import Answer, Options, Rng

Judge: TypeAlias = Callable[[State, Side, TurnAct], Refusal | None]

TRIES = 12  # draws that may turn out illegal before nothing more is done
LAST_ACT = 10  # one draw in so many ends the phase
LONG_WAY = 4  # areas, of drawn Strategic Reserves! moves in the mean


class TurnActs(Options):
    """4 Every legal act of the phasing side."""

    __slots__ = ("_found", "_judge", "_side", "_state")

    def __init__(self, state: State, side: Side, judge: Judge) -> None:
        self._state, self._side, self._judge = state, side, judge
        self._found: list[str] = []

    def contains(self, answer: Answer) -> bool:
        return isinstance(answer, Move | Shift | Suppress | Done) and self._allows(answer)

    def _allows(self, act: TurnAct) -> bool:
        return self._judge(self._state, self._side, act) is None

    def why_not(self, answer: Answer) -> Refusal | None:
        """The first rule broken; for a piece that may not go there, where it might in that manner."""
        if not isinstance(answer, Move | Shift | Suppress | Done):
            return Illegal("TTLM-2.II.2-01", "not-an-act")
        refusal = self._judge(self._state, self._side, answer)
        unfit = refusal is not None and "army" in refusal.facts
        return with_legal(refusal, lambda: self._instead(answer, unfit))

    def _instead(self, act: TurnAct, unfit: bool) -> Iterable[str]:
        """Armies that would take in what another cannot; other ends of a way that is closed."""
        if unfit and isinstance(act, Move | Shift) and act.into in self._state.army_at:
            near = self._state.armies(self._state.army_at[act.into], self._side)
            return [army for army in near if self._allows(replace(act, into=army))]
        return self._other_ends(act) if isinstance(act, Move) and not unfit else ()

    def _other_ends(self, move: Move) -> tuple[str, ...]:
        """Where the same piece may go in the same manner, loose: on foot, by rail, from source to source."""
        plain, start = replace(move, absorb=(), into=LOOSE), move.path[0]
        pack = self._state.pack
        ways: list[tuple[str, ...]]
        match move.mode:
            case "move":
                ways = [(start, to) for to in pack.areas[start].adjacent]
            case "rail":
                ways = self._lines(start, pack.meta.rail_range)
            case "reserves":
                ways = self._lines(start, len(pack.areas))
            case "strat":
                ways = [(start, to) for to in pack.sources[self._side] if to != start]
            case _:
                return ()
        return tuple(sorted(way[-1] for way in ways if self._allows(replace(plain, path=way))))

    def _lines(self, start: str, most: int) -> list[tuple[str, ...]]:
        """4.4-01, 9.6-01 The shortest way through open areas to every area within range."""
        state, side = self._state, self._side
        near = {area: row.adjacent for area, row in state.pack.areas.items()}

        def is_open(area: str) -> bool:
            return railways.unfriendly(state, side, area, "") is None and room(state, area, side) > 0

        ends = reach(near, start, most, is_open, BOX.__ne__)
        ways = [shortest_path(near, start, end, is_open) for end in ends]
        return [way for way in ways if way is not None]

    # ------------------------------------------------------------ one of them

    def sample(self, rng: Rng) -> Answer:
        """Piece, way and destination at random; nothing more if several draws were illegal."""
        if self._is_over():
            return DONE
        for _ in range(TRIES):
            if below(rng, LAST_ACT) == 0:
                return DONE
            act = self._draw(rng)
            if act is not None and self._allows(act):
                return act
        return DONE

    def _is_over(self) -> bool:
        """2.II.1-05 Has a passing side made its move, and nothing else to do?"""
        state, side = self._state, self._side
        if state.offensive != "" or not state.used.get("pass", 0) or state.options["suppress_armies"]:
            return False
        return railways.reserves_card(state, side) is None and not empty_in_danger(state, side)

    def _draw(self, rng: Rng) -> TurnAct | None:
        """Any act that has a chance to be legal."""
        state, side = self._state, self._side
        places = self._places()
        if not places:
            return None
        place = places[below(rng, len(places))]
        army = place in state.army_at
        if army and (chance := below(rng, 16)) < 5:
            if chance == 0 and state.options["suppress_armies"]:
                return Suppress(place)
            return draw_shift(state, side, place, rng) if chance > 1 else self._draw_withdrawal(rng)
        return self._draw_move(place, army, rng)

    def _places(self) -> list[str]:
        """Own armies, and areas with own loose units."""
        if not self._found:
            side, of = self._side, self._state.pack.side_of
            self._found = [army for army in self._state.army_at if of[army] == side]
            for area, units in self._state.loose.items():
                if units and (of[units[0]] == side or of[units[-1]] == side):
                    self._found.append(area)
        return self._found

    def _draw_withdrawal(self, rng: Rng) -> TurnAct | None:
        """8.1-09"""
        empty = empty_in_danger(self._state, self._side)
        if not empty:
            return None
        army = empty[below(rng, len(empty))]
        at = self._state.army_at[army]
        goals = refuges(self._state, self._side, at)
        return Move((at, rng.choice(goals)), army=army, mode="withdraw") if goals else None

    def _draw_move(self, place: str, army: bool, rng: Rng) -> Move | None:
        state, side = self._state, self._side
        area = state.army_at[place] if army else place
        source = place if army else LOOSE
        whole = army and below(rng, 4) > 0
        inside = state.in_place(area, source, side)
        if not whole and not inside:
            return None
        units = [] if whole else some(inside, rng)
        mode = self._draw_mode(area, rng)
        path = self._draw_path(area, mode, units, rng)
        end = path[-1]
        if whole:
            return Move(path, army=place, absorb=self._draw_absorbed(end, rng), mode=mode)
        return Move(
            path, units=state.grouped(units), source=source, into=self._draw_host(end, rng), mode=mode
        )

    def _draw_absorbed(self, end: str, rng: Rng) -> tuple[tuple[str, int], ...]:
        near = self._state.loose_units(end, self._side)
        return self._state.grouped(some(near, rng)) if near and below(rng, 3) == 0 else ()

    def _draw_host(self, end: str, rng: Rng) -> str:
        """1.2.2-05 Perhaps an army at the destination."""
        hosts = self._state.armies(end, self._side) if below(rng, 2) else ()
        return hosts[below(rng, len(hosts))] if hosts else LOOSE

    def _draw_mode(self, area: str, rng: Rng) -> Mode:
        """Mostly a walk, else one of the ways that may be open from there."""
        if area == ENGLAND:
            return "sea"
        if below(rng, 4):
            return "move"
        return rng.choice(tuple(self._special_modes(area)) or ("move",))  # type: ignore[no-any-return]

    def _special_modes(self, area: str) -> Iterator[Mode]:
        state, side, used = self._state, self._side, self._state.used
        if used.get("rail", 0) < state.pack.meta.rail_moves:
            yield "rail"
        if railways.reserves_card(state, side) is not None:
            yield "reserves"
        if side == "GE":
            return
        if area in state.pack.sources[side] and used.get("strat", 0) < railways.strategic_limit(state):
            yield "strat"
        if used.get("sea", 0) < state.pack.meta.sea_moves:
            if area in state.pack.coastal_sources:
                yield "sea"
            if area == railways.ANTWERP and state.options["antwerp_evacuation"]:
                yield "evacuate"

    def _draw_path(self, area: str, mode: Mode, units: Sequence[str], rng: Rng) -> tuple[str, ...]:
        pack = self._state.pack
        match mode:
            case "move":
                far = all(pack.types[pack.type_of[unit]].move > 1 for unit in units) and bool(units)
                return self._wander(area, 1 + below(rng, 2) if far else 1, rng)
            case "rail":
                return self._wander(area, 1 + below(rng, pack.meta.rail_range), rng)
            case "reserves":
                steps = 1
                while below(rng, LONG_WAY):
                    steps += 1
                return self._wander(area, steps, rng)
            case "strat":
                others = [one for one in pack.sources[self._side] if one != area]
                return area, rng.choice(others)
        ends = pack.coastal_sources if area == ENGLAND or mode == "evacuate" else (ENGLAND,)
        return area, rng.choice(ends)

    def _wander(self, area: str, steps: int, rng: Rng) -> tuple[str, ...]:
        """A random way; it may turn back."""
        areas, path = self._state.pack.areas, [area]
        for _ in range(steps):
            near = areas[path[-1]].adjacent
            path.append(near[below(rng, len(near))])
        return tuple(path)

    # ------------------------------------------------------------ examples

    def only(self) -> tuple[Answer] | None:
        return (DONE,) if len(self.describe()) == 1 else None

    def describe(self) -> Sequence[Answer]:
        """Nothing more; every walk and withdrawal of an army and of loose units, one of each kind; and of all
        other acts an example for each piece.
        """
        return tuple(dict.fromkeys([DONE, *self._examples()]))

    def _examples(self) -> Iterator[TurnAct]:
        state, side = self._state, self._side
        for army in empty_in_danger(state, side):
            at = state.army_at[army]
            yield from self._legal(
                Move((at, to), army=army, mode="withdraw") for to in refuges(state, side, at)
            )
        for place in self._places():
            if place in state.army_at:
                yield from self._of_army(place, state.army_at[place])
            else:
                yield from self._of_units(place, LOOSE)

    def _legal(self, acts: Iterable[TurnAct]) -> Iterator[TurnAct]:
        return (act for act in acts if self._allows(act))

    def _first(self, acts: Iterable[TurnAct]) -> Iterator[TurnAct]:
        return islice(self._legal(acts), 1)

    def _of_army(self, army: str, area: str) -> Iterator[TurnAct]:
        """Its walks, an example of each other way, of absorbing, of shifts out of it and into it, and of a
        unit that leaves it.
        """
        state, near = self._state, self._state.pack.areas[area].adjacent
        yield from self._legal(Move((area, to), army=army) for to in near)
        absorbed = [(to, kind) for to in near for kind, _ in self._kinds(to, LOOSE)]
        yield from self._first(Move((area, to), army=army, absorb=((kind, 1),)) for to, kind in absorbed)
        for ways in self._special_ways(area):
            yield from self._first(replace(way, army=army) for way in ways)
        yield from self._first([Suppress(army)])
        inside = [kind for kind, _ in state.grouped(state.contents[army])]
        hosts = (LOOSE, *(one for one in state.armies(area, self._side) if one != army))
        yield from self._first(Shift(area, ((kind, 1),), army, into) for kind in inside for into in hosts)
        outside = [(kind, one) for one in hosts for kind, _ in self._kinds(area, one)]
        yield from self._first(Shift(area, ((kind, 1),), one, army) for kind, one in outside)
        yield from self._first(
            Move((area, to), units=((kind, 1),), source=army) for kind in inside for to in near
        )

    def _of_units(self, area: str, source: str) -> Iterator[TurnAct]:
        """The walks of one unit of each kind, and an example of each other way and of entering an army."""
        state, near = self._state, self._state.pack.areas[area].adjacent
        for kind, _ in self._kinds(area, source):
            one = Move((area,), units=((kind, 1),), source=source)
            yield from self._legal(replace(one, path=(area, to)) for to in near)
            for ways in self._special_ways(area):
                yield from self._first(replace(one, path=way.path, mode=way.mode) for way in ways)
            hosts = [(to, army) for to in near for army in state.armies(to, self._side)]
            yield from self._first(replace(one, path=(area, to), into=army) for to, army in hosts)

    def _kinds(self, area: str, source: str) -> Group:
        return self._state.grouped(self._state.in_place(area, source, self._side))

    def _special_ways(self, area: str) -> Iterator[list[Move]]:
        """By rail and with the reserves to each adjacent area; to each source; over the sea."""
        pack = self._state.pack
        for mode in (*self._special_modes(area), *(("sea",) if area == ENGLAND else ())):
            match mode:
                case "rail" | "reserves":
                    ends = pack.areas[area].adjacent
                case "strat":
                    ends = pack.sources[self._side]
                case _:
                    ends = (ENGLAND, *pack.coastal_sources)
            yield [Move((area, to), mode=mode) for to in ends if to != area]
