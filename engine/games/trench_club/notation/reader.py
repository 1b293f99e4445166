"""From a text to lines and refusals: one or the other for every line that says anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.games.trench_club.notation.grammar import READERS
from engine.games.trench_club.notation.lexicon import Cursor, lexicon
from engine.games.trench_club.notation.lines import OrderLine, is_for_partner
from engine.games.trench_club.notation.orders import (
    ACT,
    DefaultOrder,
    GiveOrder,
    MoveOrder,
    Order,
    PassOrder,
    RepairOrder,
)
from engine.games.trench_club.notation.words import SCANNER, VERBS, VOCABULARY
from engine.games.trench_club.order_of_play import turn
from engine.games.trench_club.rules.transport import open_transports
from engine.games.trench_club.view import View
from engine.kernel.errors import Illegal
from engine.kernel.game import Reading
from engine.notation.cursor import all_different
from engine.notation.lines import Reader
from engine.notation.reasons import NOTATION, illegal
from engine.notation.words import symbol_table

_VERBS = symbol_table(VERBS)


def read(text: str, view: View) -> Reading:
    """Lines are sorted by phase; inside a phase they stay as they were written (decisions 4)."""
    reader = _Reader(text, view)
    found = reader.lines()
    orders = merged([line for line in found if not line.slot()], view)
    orders.sort(key=lambda line: (line.order.stage, is_for_later(line.order, view)))
    orders = [replace(line, lacks=_never_unloaded(line, orders, view)) for line in orders]
    reader.refuse_contradictions(orders)
    refusals = [*reader.refusals, *_passed_and_more(orders)]
    return Reading(tuple(orders), tuple(line for line in found if line.slot()), tuple(refusals))


class _Reader(Reader[OrderLine]):
    """One text, one view."""

    scanner, vocabulary = SCANNER, VOCABULARY
    view: View

    def read_line(self, words: list[str], number: int) -> list[OrderLine]:
        cursor = Cursor(words, lexicon(self.view.position.pack))
        verb = cursor.verb(_VERBS)
        cursor.step()
        orders = READERS[verb](cursor)
        cursor.expect_end()
        for order in orders:
            for ref in order.units():
                if (refusal := ref.refusal(self.view)) is not None:
                    raise refusal
            all_different(ref.unit(self.view) for ref in order.units())
            self._refuse_others_units(order)
            self._refuse_gift(order)
            self._refuse_captain(order)
        return [OrderLine(self._dated(order), number) for order in orders]

    def _dated(self, order: Order) -> Order:
        """MONEY-7 A gift is one of this turn, if it is the own one."""
        if not isinstance(order, GiveOrder) or self.view.position.active != self.view.camp:
            return order
        return replace(order, turn=turn(self.view.position.round, self.view.camp).key)

    def _refuse_others_units(self, order: Order) -> None:
        """MOVE-1, TARGET-1, MONEY-3 Only own units act or are repaired; whom they carry may be another's."""
        camp_of, own = self.view.position.camp_of, self.view.camp
        refs = order.acting()[:1] if isinstance(order, MoveOrder) else order.acting()
        for ref in (order.unit,) if isinstance(order, RepairOrder) else refs:
            if ref.nation and camp_of.get(ref.nation, ref.nation) != own:
                raise illegal("TC-MOVE-1", "not-own-unit", {"unit": ref.unit(self.view)})

    def _refuse_gift(self, order: object) -> None:
        """MONEY-8 Money goes to the ally only."""
        if not isinstance(order, GiveOrder) or not order.nation:
            return
        if order.nation != self.view.position.ally_of(self.view.camp):
            raise illegal("TC-MONEY-8", "not-your-ally", {"nation": order.nation})

    def _refuse_captain(self, order: object) -> None:
        """COOP-5 Only who has a captain can leave his units to him."""
        if isinstance(order, DefaultOrder) and order.what == "CAPTAIN" and self.view.camp == self.view.nation:
            raise illegal("TC-COOP-5", "no-captain")


def is_for_later(order: Order, view: View) -> bool:
    """COOP-5 Moves of a partner's units come after the captain's own."""
    return ACT in order.served() and is_for_partner(order, view)


def merged(lines: Sequence[OrderLine], view: View) -> list[OrderLine]:
    """TRANSPORT-5 Unloading belongs to the transport's move: U TRK1 goes along with M TRK1 before it."""
    found: list[OrderLine] = []
    for line in lines:
        order = line.order
        if isinstance(order, MoveOrder) and order.unload and not (order.path or order.goal):
            carrier = order.mover.unit(view)
            before = [n for n, other in enumerate(found) if _drives(other, carrier, view)]
            if before:
                drive = found[before[-1]]
                assert isinstance(drive.order, MoveOrder)
                drives = replace(drive.order, unload=order.unload)
                found[before[-1]] = replace(drive, order=drives, joined=(*drive.joined, line.number))
                continue
        found.append(line)
    return found


def _drives(line: OrderLine, carrier: str, view: View) -> bool:
    order = line.order
    if not isinstance(order, MoveOrder) or order.mover.unit(view) != carrier:
        return False
    return bool(order.path or order.goal) and not order.unload


def _passed_and_more(orders: Sequence[OrderLine]) -> list[Illegal]:
    """PASS is the whole turn: with a move or an attack it cannot be meant."""
    passes = [line for line in orders if isinstance(line.order, PassOrder)]
    more = [line for line in orders if line.order.stage in (2, 3) and line not in passes]
    if not passes or not more:
        return []
    return [Illegal(NOTATION, "pass-and-more", line=one.number, text=one.write("en")) for one in passes]


def _never_unloaded(line: OrderLine, orders: Sequence[OrderLine], view: View) -> Illegal | None:
    """TRANSPORT-5 Who boards an own transport gets off in the same turn: another line must say where.

    Its writer must hear of it, though the line is good by itself: at a deadline everybody finds a place.
    """
    unit, carrier = _boarding(line, view)
    if not carrier or any(_mover(other, view) == carrier for other in orders):
        return None  # TRANSPORT-13 one that moves before is refused by the rules themselves
    return Illegal("TC-TRANSPORT-5", "never-unloaded", {"unit": unit, "transport": carrier}, line.number)


def _boarding(line: OrderLine, view: View) -> tuple[str, str]:
    """Who boards which of the writer's own transports, named or the goal of a move; "": nobody does."""
    order, position = line.order, view.position
    if not isinstance(order, MoveOrder):
        return "", ""
    unit = position.units.get(order.mover.unit(view))
    carrier = order.aboard.unit(view) if order.aboard is not None else position.on.get(order.goal, "")
    if unit is None or carrier not in position.units or position.units[carrier].nation != view.nation:
        return "", ""
    is_carried = order.aboard is not None or carrier in open_transports(position, unit).values()
    return (unit.id, carrier) if is_carried else ("", "")


def _mover(line: OrderLine, view: View) -> str:
    return line.order.mover.unit(view) if isinstance(line.order, MoveOrder) else ""
