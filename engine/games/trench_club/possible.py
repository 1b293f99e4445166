"""Orders that are possible now: what each unit can conquer, strike and reach, and what the purse allows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from engine.games.trench_club.answers import COMPANIES, Camp, Capture, Company
from engine.games.trench_club.notation.lexicon import Pen, Ref, ref_of
from engine.games.trench_club.notation.orders import (
    ActiveOrder,
    AttackOrder,
    BuyOrder,
    CaptureOrder,
    MoveOrder,
    Order,
    RepairOrder,
)
from engine.games.trench_club.notation.writer import write_answer
from engine.games.trench_club.rules.companies import choices, companies_allowed, is_called
from engine.games.trench_club.rules.contact import front
from engine.games.trench_club.rules.forts import is_conquerable, why_not_capture
from engine.games.trench_club.rules.movement import reach
from engine.games.trench_club.rules.targets import attacks_of
from engine.games.trench_club.state import Position, Unit
from engine.games.trench_club.summary import summary
from engine.games.trench_club.view import View
from engine.kernel.game import Language
from engine.kernel.possible import PossibleOrders, written_once
from engine.kernel.requests import Ask

TURN = ("turn.lead", "turn.join", "turn.active", "turn.act")
ENDS = 4  # of one unit's move, towards forts or the enemy; MAP REACH draws all of them
# Of each kind in a form; of moves one of each unit.
SHOWN = {"companies": 0, "capture": 4, "attack": 8, "repair": 2, "buy": 2}


def possible(view: View, asks: Sequence[Ask], language: Language) -> Sequence[PossibleOrders]:
    """Of a turn what may be ordered in it; for other questions their answers."""
    return tuple(group for ask in asks for group in _of(view, ask, language))


def _of(view: View, ask: Ask, language: Language) -> Iterator[PossibleOrders]:
    if ask.topic in TURN:
        yield from _of_turn(view, Pen(language), alone=ask.topic == "turn.join")
        yield from _of_purse(view, Pen(language))
    elif ask.topic == "turn.spend":
        yield from _of_purse(view, Pen(language))
    else:
        written = (write_answer(ask, answer, language) for answer in ask.options.describe())
        yield PossibleOrders("answer", written_once(written), 0)


def _group(
    kind: str, orders: Iterable[Order], pen: Pen, after: str = "", first: int | None = None
) -> PossibleOrders:
    shown = SHOWN[kind] if first is None else first
    return PossibleOrders(kind, written_once(one.write(pen) for one in orders), shown, after)


# ------------------------------------------------------------------ a turn


def _of_turn(view: View, pen: Pen, *, alone: bool) -> Iterator[PossibleOrders]:
    """Unit by unit. Of the moves each unit's best comes first, then the others. `alone`: the own nation's."""
    position, camp = view.position, view.camp
    companies = largest_companies(position, camp)
    after = ActiveOrder(companies).write(pen) if companies else ""
    there = [unit for unit in position.of_camp(camp) if unit.at and unit.id not in position.moved]
    there = [unit for unit in there if not alone or unit.nation == view.nation]
    units = [unit for unit in there if _acts(position, unit, companies)]
    if companies:
        some = [ActiveOrder(one) for one in choices(position, camp)]
        yield _group("companies", some, pen)  # the form has one of them
    captures = [CaptureOrder(_ref(view, unit.id), fort) for unit, fort in _captures(position, units)]
    yield _group("capture", captures, pen, after)
    yield _group("attack", _attacks(view, units), pen, after)
    ends = _ends(position, camp, units)
    moves = [(unit, some[n]) for n in range(ENDS) for unit, some in ends if n < len(some)]
    orders = [MoveOrder(_ref(view, unit), goal=hex_) for unit, hex_ in moves]
    yield _group("move", orders, pen, after, first=sum(bool(some) for _, some in ends))


def _ref(view: View, unit: str) -> Ref:
    return ref_of(unit, view.nation)


def largest_companies(position: Position, camp: Camp) -> tuple[Company, ...]:
    """SETUP-23..25 In a limited turn the companies with most units; () without a limit."""
    if position.round == 0 or camp not in position.order or not companies_allowed(position, camp):
        return ()
    if position.chosen is not None:
        return ()
    sizes = {one: sum(unit.company == one for unit in position.of_camp(camp)) for one in COMPANIES}
    return max(choices(position, camp), key=lambda some: sum(sizes[one] for one in some))


def _acts(position: Position, unit: Unit, companies: tuple[Company, ...]) -> bool:
    if companies:
        return unit.company == "" or unit.company in companies
    return is_called(position, unit)


def _captures(position: Position, units: Sequence[Unit]) -> list[tuple[Unit, str]]:
    pairs = ((unit, fort) for unit in units for fort in position.forts)
    return [(unit, fort) for unit, fort in pairs if why_not_capture(position, Capture(unit.id, fort)) is None]


def _attacks(view: View, units: Sequence[Unit]) -> list[Order]:
    """Of those who stay where they are: each unit's first, then the others."""
    found = [attacks_of(view.position, unit.id) for unit in units]
    turns = [one for some in zip_longest(*found) for one in some if one is not None]
    return [
        AttackOrder(_ref(view, one.unit), ref_of(one.target) if one.target else None, one.toward)
        for one in turns
    ]


def _ends(position: Position, camp: Camp, units: Sequence[Unit]) -> list[tuple[str, list[str]]]:
    """Where each may end its move: nearest to forts that can be taken, or to enemies, and cheapest first."""
    team, grid = position.pack.team_of[camp], position.grid
    against = front(position, team)
    doors = [
        hex_
        for fort in position.forts
        if is_conquerable(position, fort, camp)
        for hex_ in position.pack.forts[fort].approaches
    ]
    enemies = [unit.at for unit in position.enemies_of(team) if position.is_on_map(unit.id)]
    found, taken = list[tuple[str, list[str]]](), set[str]()  # each to a hex of its own, if it can
    for unit in units:
        goals = doors if position.type_of(unit.id).captures else enemies or doors
        if not goals or position.cargo(unit.id) or unit.aboard:
            continue
        ends = {
            hex_: cost
            for hex_, cost in reach(position, unit.id, against).items()
            if hex_ not in position.forts
        }
        near = {hex_: min(grid.distance(hex_, goal) for goal in goals) for hex_ in ends}
        some = sorted(ends, key=lambda hex_: (hex_ in taken, near[hex_], ends[hex_], hex_))[:ENDS]
        taken.update(some[:1])
        found.append((unit.id, some))
    return found


# ------------------------------------------------------------------ money


def _of_purse(view: View, pen: Pen) -> Iterator[PossibleOrders]:
    found = summary(view.position, view.camp, view.nation)
    forts = view.position.forts_of(view.camp)
    repairs = found.repairable if found.purse >= found.repair_cost else ()
    yield _group("repair", [RepairOrder(_ref(view, unit)) for unit in repairs], pen)
    types = view.position.pack.types
    dear = sorted(found.affordable, key=lambda one: -types[one].price)
    yield _group("buy", [BuyOrder(types[one].code, fort) for one in dear for fort in forts], pen)
