"""MOVE What a unit's path costs, where it may lead, and the cheapest of several."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from engine.games.trench_club.answers import Move
from engine.games.trench_club.rules.contact import Front, front, going
from engine.games.trench_club.rules.steps import Step
from engine.games.trench_club.rules.terrain import FOOT, NAVAL, WATER, WHOLE, hex_costs
from engine.games.trench_club.rules.transport import first_unloading, open_transports
from engine.games.trench_club.rules.trenches import sets_out_from, trench_of
from engine.games.trench_club.state import Position
from engine.kernel.errors import Facts, Illegal, Refusal

FAR = 1000
NO_CAMP = "-"  # owns no fort

Label: TypeAlias = tuple[int, int, tuple[str, ...]]  # MOVE-23 contact hexes, hexes, the path itself
AT_START: Label = (0, 0, ())

# ------------------------------------------------------------------ what bears on one unit's move


class March:
    """One unit about to move: everything its steps depend on, looked up once."""

    __slots__ = (
        "_spread",
        "barred",
        "camp",
        "clear",
        "contact",
        "costs",
        "first",
        "forts",
        "id",
        "in_contact",
        "klass",
        "last_steps",
        "loaded",
        "mines",
        "opening",
        "position",
        "speed",
        "start",
        "steps",
        "through",
        "ways",
    )

    def __init__(self, position: Position, unit_id: str, against: Front | None = None) -> None:
        unit = position.units[unit_id]
        type_ = position.pack.types[unit.type]
        enemy = against or front(position, position.pack.team_of[unit.nation])
        self.position, self.id, self.start = position, unit_id, unit.at
        self.klass, self.speed = type_.klass, type_.speed
        found = enemy.going.get(type_.klass) or going(position, enemy, type_.klass)
        (
            self.costs,
            self.clear,
            self.ways,
            self.steps,
            self.last_steps,
            self.barred,
            self.contact,
            self.mines,
        ) = found
        self.forts = position.forts
        self.camp = NO_CAMP if type_.klass == NAVAL else position.camp_of[unit.nation]  # FORT-8
        self.loaded = bool(type_.capacity and position.cargo(unit_id))
        self.through = position.options["fort_pass_through"] and not self.loaded  # FORT-13
        self.first, self.opening = self.ways[unit.at], self.steps_from(unit.at, type_.speed)
        self.in_contact = unit.at in self.contact
        self._spread: tuple[dict[str, int], dict[str, int]] | None = None
        if position.options["trench_rules"]:
            self._leave_trench(sets_out_from(position, unit))

    def _leave_trench(self, trench: tuple[str, ...]) -> None:
        """TRENCH-7, 9, 12 The first step leads from any hex of the trench; contact is met at any."""
        near = dict.fromkeys(to for hex_ in trench for to in self.ways[hex_])
        near.pop(self.start, None)
        self.first = tuple(near)
        known = {step[0]: step for hex_ in trench for step in self.steps_from(hex_, self.speed)}
        self.opening = tuple(known[to] for to in self.first if to in known)
        self.in_contact = any(hex_ in self.contact for hex_ in trench)

    def price(self, to: str, left: int) -> int:
        """MOVE-4, 8, 9, FORT-8 What the next step takes of the points left; FAR: it cannot be made."""
        cost = self.costs.get(to)
        if cost is None:  # MOVE-8 no last move leads onto ground that the class never enters
            enter = self.position.pack.costs.enter_fort
            return enter if enter <= left and self.forts.get(to) == self.camp else FAR
        if to in self.barred:
            return FAR
        if cost <= left:
            return cost
        last = self.position.pack.costs.last_move
        return last if left == last and to in self.clear else FAR

    def steps_from(self, hex_: str, left: int) -> tuple[Step, ...]:
        """The steps that lead on, with what each takes of the points left, if these are enough."""
        return (self.last_steps if left == self.position.pack.costs.last_move else self.steps)[hex_]

    def ahead(self, near: Iterable[Step], left: int) -> list[Step]:
        """Those of the steps that can be made: what `price` says of each."""
        barred, forts, camp = self.barred, self.forts, self.camp
        return [
            step
            for step in near
            if step[1] <= left and step[0] not in barred and (not step[2] or forts.get(step[0]) == camp)
        ]

    def spread(self) -> tuple[dict[str, int], dict[str, int]]:
        """How far it gets; searched once."""
        if self._spread is None:
            self._spread = spread(self)
        return self._spread

    def may_end(self, hex_: str) -> bool:
        """MOVE-20, FORT-10 One unit a hex; a fort holds any number."""
        return self.position.on.get(hex_, self.id) == self.id


# ------------------------------------------------------------------ how far it gets


def spread(march: March) -> tuple[dict[str, int], dict[str, int]]:
    """MOVE-3 The cheapest cost of standing on each hex, and that of coming there in such a way that the unit
    may go on (CONTACT-3); over friends too, but never over known enemy mines.

    The heart of every search over the board: `March.ahead` is written out in it for speed.
    """
    speed, contact, camp, through = march.speed, march.contact, march.camp, march.through
    shut, forts = march.barred | march.mines if march.mines else march.barred, march.forts
    last = march.position.pack.costs.last_move
    ends: dict[str, int] = {}
    free: dict[str, int] = {march.start: 0}
    levels: list[list[str]] = [[march.start], *([] for _ in range(speed))]
    for cost, level in enumerate(levels):
        left = speed - cost
        steps = march.last_steps if left == last else march.steps
        for here in level:
            if free[here] < cost:
                continue
            hot = here in contact if cost else march.in_contact
            for to, price, fort in steps[here] if cost else march.opening:
                if price > left or to in shut or (fort and forts.get(to) != camp):
                    continue
                total = cost + price
                if total < ends.get(to, FAR):
                    ends[to] = total
                if total < free.get(to, FAR) and not (hot and to in contact):
                    if fort and not through:
                        continue
                    free[to] = total
                    levels[total].append(to)
    ends.update((to, speed) for to in wading_hexes(march))
    return ends, free


def wading_hexes(march: March) -> list[str]:
    """MOVE-11, 12 Water that a foot unit may step into, as its first and only step."""
    if march.klass != FOOT:
        return []
    barred = march.barred
    return [to for to, cost, _ in march.opening if cost == WHOLE and to not in barred]


def cheapest_path(march: March, goal: str, boards: bool) -> tuple[str, ...] | None:
    """MOVE-23 By cost, then fewer contact hexes, then fewer hexes, then names; around known enemy mines."""
    if not boards and goal in wading_hexes(march):
        return (goal,)
    ends, free = march.spread()
    total = ends.get(goal, FAR)
    if boards:
        near = [free[hex_] for hex_ in _before(march, goal) if hex_ in free]
        total = min(near, default=FAR) + march.position.pack.costs.board
    if total > march.speed:
        return None
    best = Backward(march, free, goal, boards).best(goal, total)
    return best[2] if best else None


def _before(march: March, to: str) -> tuple[str, ...]:
    """The hexes from which a step leads there; TRENCH-7 the first one leads farther."""
    near = march.ways[to]
    return (*near, march.start) if to in march.first and march.start not in near else near


class Backward:
    """The best path of a given cost, traced back from its goal along the cheapest ways.

    MOVE-8 A last move takes what is left, be it one half point or two: so a way that was dearer by one up to
    the last hex but one may cost the same in the end, and win by fewer contact hexes.
    """

    __slots__ = ("_boards", "_found", "_free", "_goal", "_march")

    def __init__(self, march: March, free: dict[str, int], goal: str, boards: bool) -> None:
        self._march, self._free, self._goal, self._boards = march, free, goal, boards
        self._found: dict[tuple[str, int], Label | None] = {}

    def best(self, to: str, total: int) -> Label | None:
        """The best way to come to this hex for exactly so much; None: there is none."""
        if (to, total) not in self._found:
            march, touches = self._march, to in self._march.contact
            ways_in = [
                (before[0] + touches, len(path := (*before[2], to)), path)
                for hex_ in _before(march, to)
                if hex_ in self._free
                for spent in (self._free[hex_], self._free[hex_] + 1)
                if spent + self._price(to, march.speed - spent) == total
                and (before := self._at(hex_, spent, to)) is not None
            ]
            self._found[to, total] = min(ways_in, default=None)
        return self._found[to, total]

    def _price(self, to: str, left: int) -> int:
        if self._boards and to == self._goal:
            return _boarding_price(self._march, left)
        return self._march.price(to, left)

    def _at(self, hex_: str, spent: int, to: str) -> Label | None:
        """CONTACT-3 How the unit comes to a hex from which it goes on to that one."""
        march = self._march
        if hex_ == march.start:
            stops = march.in_contact and to in march.contact
        else:
            stops = hex_ in march.contact and to in march.contact
        if stops and to != self._goal:
            return None
        if hex_ == march.start:
            return None if spent else AT_START
        return self.best(hex_, spent)


def _boarding_price(march: March, left: int) -> int:
    """TRANSPORT-2"""
    cost = march.position.pack.costs.board
    return cost if cost <= left else FAR


def reach(position: Position, unit_id: str, against: Front | None = None) -> dict[str, int]:
    """MOVE-3, 20, TRANSPORT-9 Where the unit's move may end, and for how many half points."""
    if position.units[unit_id].aboard:
        return {}
    return ends_of(March(position, unit_id, against))


def ends_of(march: March) -> dict[str, int]:
    """The same of a unit about to move."""
    position, unit_id, unit = march.position, march.id, march.position.units[march.id]
    ends, on = march.spread()[0], position.on
    if not march.loaded:
        return {hex_: cost for hex_, cost in ends.items() if hex_ not in on and hex_ != unit.at}
    return {
        hex_: cost
        for hex_, cost in ends.items()
        if hex_ not in on and hex_ != unit.at and first_unloading(position, unit_id, hex_) is not None
    }


def path_to(position: Position, unit_id: str, goal: str, against: Front | None = None) -> Move | None:
    """MOVE-23 The cheapest legal move that ends there, if there is one: on a hex, in an own fort, or aboard
    the own transport that `goal` names or that stands on it. A loaded transport puts all down where it ends.
    """
    return None if position.units[unit_id].aboard else way_to(March(position, unit_id, against), goal)


def way_to(march: March, goal: str) -> Move | None:
    """The same of a unit about to move."""
    position, unit_id, unit = march.position, march.id, march.position.units[march.id]
    hex_ = position.units[goal].at if goal in position.units else goal
    if hex_ == unit.at or hex_ not in position.grid:
        return None
    aboard = open_transports(position, unit).get(hex_, "")
    if not aboard and not march.may_end(hex_):
        return None
    path = cheapest_path(march, hex_, bool(aboard))
    if path is None:
        return None
    places = first_unloading(position, unit_id, hex_)
    return None if places is None else Move(unit_id, path, aboard, places)


# ------------------------------------------------------------------ one path, step by step


def walk(march: March, path: tuple[str, ...], boards: bool) -> int | Refusal:
    """MOVE-2 The cost of a whole path, or the first rule that it breaks. Where it ends is not looked at."""
    here, spent, contact = march.start, 0, march.contact
    hot, stopped, end = march.in_contact, False, len(path) - 1
    for n, to in enumerate(path):
        if stopped:
            return Illegal("TC-CONTACT-3", "stopped-by-contact", _told(march, n, to, stop=here))
        left = march.speed - spent
        near = to in (march.ways[here] if n else march.first)
        if not near or (n and not march.through and here in march.forts):
            return _no_way(march, n, here, to)
        if boards and n == end:
            price = _boarding_price(march, left)
        elif march.costs.get(to) == WHOLE and n == end == 0 and to not in march.barred:
            price = march.speed  # MOVE-12
        else:
            price = march.price(to, left)
        if price > left:
            return _too_dear(march, n, to, left, boards and n == end)
        spent += price
        again = to in contact
        hot, stopped, here = again, hot and again, to
    return spent


def toll(position: Position, unit_id: str, path: tuple[str, ...], boards: bool) -> int:
    """MOVE-3 What a legal path costs: the enemy can close it, but he cannot make it dearer."""
    type_, costs = position.type_of(unit_id), position.pack.costs
    prices, _ = hex_costs(position, type_.klass)
    if prices.get(path[0]) == WHOLE and not boards:
        return type_.speed  # MOVE-12
    left = type_.speed
    for to in path[:-1] if boards else path:
        price = prices.get(to, costs.enter_fort)
        left -= price if price <= left else costs.last_move
    left -= costs.board if boards else 0
    assert left >= 0, path
    return type_.speed - left


def _told(march: March, n: int, to: str, **more: str | int | tuple[str, ...]) -> Facts:
    return {"unit": march.id, "step": n + 1, "hex": to, **more}


def _no_way(march: March, n: int, here: str, to: str) -> Refusal:
    """No step leads from here to there."""
    position = march.position
    if to not in position.grid:
        return Illegal("TC-MOVE-2", "no-such-hex", _told(march, n, to))
    if here in position.forts and to in march.ways[here]:
        rule = "TC-FORT-13" if not position.options["fort_pass_through"] else "TC-TRANSPORT-11"
        return Illegal(rule, "fort-ends-move", _told(march, n, to, fort=here))
    if position.grid.direction(here, to):
        fort = to if to in position.forts else here
        rule = "TC-FORT-1" if fort == to else "TC-FORT-12"
        doors = position.pack.forts[fort].approaches
        return Illegal(rule, "wall", _told(march, n, to, fort=fort, approaches=doors))
    trench = trench_of(position, here) if march.klass == FOOT and to != here else ()
    if any(to in march.ways[hex_] for hex_ in trench):  # entered, or dug, in this very turn
        return Illegal("TC-TRENCH-8", "trench-not-yet", _told(march, n, to, origin=here))
    return Illegal("TC-MOVE-2", "not-adjacent", _told(march, n, to, origin=here))


def _too_dear(march: March, n: int, to: str, left: int, boards: bool) -> Refusal:
    """A hex next to the unit that it cannot enter now."""
    position = march.position
    if boards:
        return Illegal("TC-TRANSPORT-3", "no-points-left", _told(march, n, to, left=left))
    if to in position.forts:
        return _closed_fort(march, n, to, left)
    if to in march.barred:
        if to in position.on and position.are_enemies(position.on[to], march.id):
            return Illegal("TC-MOVE-19", "enemy-unit", _told(march, n, to, enemy=position.on[to]))
        return Illegal("TC-TRENCH-5", "trench-held", _told(march, n, to))
    cost = march.costs.get(to)
    if cost is None:
        return _closed_terrain(march, n, to)
    if cost == WHOLE:
        return Illegal("TC-MOVE-12", "water-whole-move", _told(march, n, to))
    told = _told(march, n, to, cost=cost, left=left, speed=march.speed, terrain=position.terrain(to))
    if left == position.pack.costs.last_move < march.speed:
        return Illegal("TC-MOVE-9", "last-move-into-open", told)
    return Illegal("TC-MOVE-10" if cost > march.speed else "TC-MOVE-3", "too-far", told)


def _closed_fort(march: March, n: int, fort: str, left: int) -> Refusal:
    """FORT-2, 7, 8"""
    position = march.position
    camp, owner = position.camp(march.id), position.forts[fort]
    if owner == march.camp:
        cost = position.pack.costs.enter_fort
        return Illegal("TC-MOVE-3", "too-far", _told(march, n, fort, cost=cost, left=left, speed=march.speed))
    if owner == camp:
        return Illegal("TC-FORT-8", "naval-in-fort", _told(march, n, fort))
    if owner and position.pack.team_of[owner] == position.pack.team_of[camp]:
        return Illegal("TC-FORT-7", "allied-fort", _told(march, n, fort, owner=owner))
    return Illegal("TC-FORT-2", "not-conquered", _told(march, n, fort, owner=owner))


def _closed_terrain(march: March, n: int, to: str) -> Refusal:
    """MOVE-11, 17, TRENCH-1"""
    terrain = march.position.terrain(to)
    if march.klass == NAVAL:
        return Illegal("TC-MOVE-17", "naval-on-land", _told(march, n, to, terrain=terrain))
    if terrain == WATER:
        return Illegal("TC-MOVE-11", "foot-units-wade", _told(march, n, to))
    return Illegal("TC-TRENCH-1", "trench-barred", _told(march, n, to))
