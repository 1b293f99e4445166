"""A seat's order file as an advance uses it: which lines were done or refused, and which stay on file."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from engine.kernel.errors import Refusal
from engine.kernel.game import Line, Notation, Reading, View
from engine.kernel.records import automa_answer
from engine.kernel.requests import Ask, Seat
from engine.kernel.sheet import FiledAnswer, OrderFile
from engine.kernel.table import Automa, Table
from pbem.store.windows import OpenWindow, SeatOrders, WindowOrders

# What becomes of a line: `planned` for battles that may yet come, `spared` as its case did not come.
Status: TypeAlias = Literal["done", "refused", "unused", "planned", "spared"]
UMPIRES_LINES: Final = "*"  # in place of a question: order lines that the umpire wrote for a seat
AUTOMA: Final = "automa"  # the measure by which a bot plays a window for a seat that sent nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedOrderFile(OrderFile):
    """The file, and what became of its lines. Lines are known by number and words, or by their words."""

    used: set[tuple[int, str]] = field(default_factory=set, compare=False)  # of the sheet, the umpire's
    plans: dict[str, set[str]] = field(default_factory=dict, compare=False)  # plan -> lines that decided
    stood: dict[str, Line] = field(default_factory=dict, compare=False)  # standing orders that decided
    weighed: dict[str, Line] = field(default_factory=dict, compare=False)  # … whose condition was looked at
    refusals: dict[tuple[int, str], Refusal] = field(default_factory=dict, compare=False)
    spare: set[tuple[int, str]] = field(default_factory=set, compare=False)  # another line answered instead
    plays: Automa | None = None
    only: frozenset[str] | None = None  # ids of the questions that the automa answers; None: all
    earlier: int = 0  # so many lines, the last of the sheet, are of earlier letters

    def find(
        self, ask: Ask, question: str, view: View, notation: Notation, after: int = 0
    ) -> FiledAnswer | None:
        """What is on file; an automa's answer only where there is nothing.

        Questions of the next window are answered from no file: there the seat itself is asked again.
        """
        filed = OrderFile.find(self, ask, question, view, notation, after)
        self._note_others(filed, ask, view, notation, after)
        self._weigh(ask, view)
        if ask.plan:
            self._note_plan(filed, ask, view, notation)
        if filed is not None:
            self._note(filed, ask)
            return filed
        if self.plays is None or ask.volunteer or (self.only is not None and question not in self.only):
            return None
        return automa_answer(ask, self.plays(view, ask))

    def _note_others(
        self, filed: FiledAnswer | None, ask: Ask, view: View, notation: Notation, after: int
    ) -> None:
        """Lines that did not answer: not offered, or not wanted beside the one that did.

        In a sequence or a chain those below it have not been tried.
        """
        answered = self._place(filed, after)
        in_turn = ask.topic in notation.sequence_topics
        in_order = in_turn or ask.topic in notation.chained_topics
        for place, line, refusal in self.meant(ask, view, after, answered if in_turn else None):
            below = answered is not None and place > answered
            if not line.serves(ask, below):
                continue
            if refusal is None or (below and in_order):
                self.spare.add(line_key(line))
            else:
                self.refusals.setdefault(line_key(line), refusal)
        for line, refusal in filed.left_out if filed is not None else ():
            self.refusals.setdefault(line_key(line), refusal)

    def _place(self, filed: FiledAnswer | None, after: int) -> int | None:
        """Where in the sheet the line stands that answered; None: none did."""
        if filed is None or filed.line is None or filed.by != "sheet":
            return None
        return self.sheet.index(filed.line, after)

    def _note(self, filed: FiledAnswer, ask: Ask) -> None:
        for line in (filed.line, *filed.also):
            if line is None or not line.serves(ask, line is not filed.line):
                continue
            if line.slot():
                self.stood[line.write()] = line
            elif filed.by in ("sheet", "umpire"):
                self.used.add(line_key(line))

    def _note_plan(self, filed: FiledAnswer | None, ask: Ask, view: View, notation: Notation) -> None:
        decided = self.plans.setdefault(ask.plan, set())
        if filed is not None and filed.by == "plan":
            decided.update(line.write() for line in notation.deciding_lines(ask.plan, ask, view))

    def _weigh(self, ask: Ask, view: View) -> None:
        for line in self.standing:
            if line.is_weighed(ask, view):
                self.weighed[line.write()] = line

    def status_of(self, line: Line, still_planned: bool, stays: bool = False) -> Status:
        """What became of a line of the sheet. `still_planned`: the questions that its plan is for may yet
        come; `stays`: it stays on file for later ones.
        """
        key = line_key(line)
        if key in self.used or any(key[1] in decided for decided in self.plans.values()):
            return "done"
        if stays or (still_planned and line.is_planned):
            return "planned"
        if key in self.refusals:
            return "refused"
        return "spared" if line.contingent else "unused"

    def is_earlier(self, place: int) -> bool:
        """Is the line there one of an earlier letter, though a newer may have one of its number and words?"""
        return place >= len(self.sheet) - self.earlier

    def why_unused(self, line: Line) -> str:
        """The code of a note: why nothing came of a line that was not refused."""
        return "result-spare" if line_key(line) in self.spare else "result-not-asked"


class FileAtClose(NamedTuple):
    """A seat's order file, and what of its sheet is new and what of earlier windows."""

    file: OrderFile
    orders: tuple[Line, ...]
    ahead: tuple[Line, ...]


def line_key(line: Line) -> tuple[int, str]:
    """One line of a text may hold several orders."""
    return line.number, line.write()


def trace_order_file(file: OrderFile, earlier: int = 0) -> TracedOrderFile:
    return TracedOrderFile(earlier=earlier, **{part.name: getattr(file, part.name) for part in fields(file)})


def write_lines(lines: Sequence[Line]) -> str:
    """As they are stored: read again, they are the same lines."""
    return "\n".join(line.write("en") for line in lines)


def own_answers(file: OrderFile) -> list[str]:
    """The seat's own answers, in canonical notation; the umpire's are in no entry."""
    own = {question: answer for question, answer in file.replies.items() if question not in file.umpire}
    return replace(file, replies=own).canonical().splitlines()


Carried: TypeAlias = Mapping[str, Any]  # by seat
NOTHING: Final[Carried] = MappingProxyType({})


def collect_carried(table: Table, once: bool, before: Carried) -> Carried:
    """What stays on file at the pause that an advance came to.

    `once`: it closed a window of one question, whose own orders end with it; `before` was on file below them.
    """
    pause = table.pause
    if pause is None:
        return NOTHING
    carried = {}
    for seat in sorted(table.files):
        older = before.get(seat, {})
        lines = list(_remaining(table, seat, _keys(older) if once else None))
        orders: dict[str, Any] = {"lines": lines} if lines else {}
        if pause.window.once:
            orders |= _stand_ins(table, seat, once, older)
        if orders:
            carried[str(seat)] = orders
    return carried


def _remaining(table: Table, seat: Seat, among: Collection[tuple[int, str]] | None) -> Iterator[list[Any]]:
    """Lines that have not had their turn; beyond a whole window only those that are bound to a later one."""
    file, view, pause = table.files[seat], table.view(seat), table.pause
    assert pause is not None
    had = {topic: n for (who, topic), n in table.had.items() if who == seat}
    used = file.used if isinstance(file, TracedOrderFile) else ()
    for line in file.remaining(had):
        key, is_done = line_key(line), line_key(line) in used
        stays = not line.is_over(view) if pause.window.once else line.is_ahead(view) and not is_done
        if stays and (among is None or key in among):
            yield [line.number, line.write("en"), is_done]


def _stand_ins(table: Table, seat: Seat, once: bool, older: Mapping[str, Any]) -> dict[str, Any]:
    """Who spoke in the seat's place goes on: the umpire, or an automa for a seat that sent nothing."""
    if once:
        return {key: older[key] for key in ("umpire", "automa") if key in older}
    file = table.files[seat]
    orders = dict[str, Any]()
    if file.umpires:
        orders["umpire"] = write_lines(file.umpires)
    if isinstance(file, TracedOrderFile) and file.plays is not None:
        orders["automa"] = True
    return orders


def carried_lines(orders: Mapping[str, Any], read: Callable[[str], Reading]) -> tuple[Line, ...]:
    """The lines, each with the number it had in its letter. A line that cannot be read anymore is dropped."""
    rows = orders.get("lines", ())
    lines: Iterable[Any] = read("\n".join(words for _, words, _ in rows)).orders
    return tuple(replace(line, number=rows[line.number - 1][0]) for line in lines)


def _keys(orders: Mapping[str, Any]) -> set[tuple[int, str]]:
    return {(number, words) for number, words, _ in orders.get("lines", ())}


def read_carried(window: OpenWindow | None) -> Carried:
    """What the store keeps with the open window."""
    carried: Carried = json.loads(window.carried) if window is not None and window.carried else NOTHING
    return carried


def seats_with_orders(window: OpenWindow) -> frozenset[str]:
    """The seats that sent orders for a whole window ahead. They do not answer a question in between."""
    carried = NOTHING if window.once else read_carried(window)
    return frozenset(seat for seat, orders in carried.items() if orders.get("lines"))


def is_still_on_file(carried: Carried, seat: str, line: Line) -> bool:
    return line_key(line) in _keys(carried.get(seat, {}))


def is_reported(carried: Carried, seat: str, line: Line) -> bool:
    """Has an earlier letter said that it was done?"""
    rows = carried.get(seat, {}).get("lines", ())
    return any((number, words) == line_key(line) and done for number, words, done in rows)


# ------------------------------------------------------------------ as a Close takes them up


def counted_orders(filed: WindowOrders, held_sheets: bool) -> dict[str, Any]:
    """Of what is on file, all that counts for the seats' own questions when the window closes."""
    seats = sorted(filed.seats.items())
    return {
        "seats": {seat: plain_orders(orders, held_sheets) for seat, orders in seats},
        "standing": {seat: orders.standing for seat, orders in seats if orders.standing},
        "carried": dict(read_carried(filed.window)),
    }


def plain_orders(orders: SeatOrders, held_sheets: bool) -> dict[str, Any]:
    """A key that older Closes have not is left out where it says nothing."""
    sheet, held = orders.sheet, orders.held_standing if held_sheets else ""
    replies = {q: [reply.topic, json.loads(reply.answer)] for q, reply in orders.replies.items()}
    _, lines = replies.pop(UMPIRES_LINES, ("", ""))
    return {
        "orders": sheet.orders if sheet is not None and (held_sheets or not sheet.held) else "",
        "replies": replies,
        "umpire": sorted(q for q, reply in orders.replies.items() if reply.umpire and q in replies),
        "lines": lines,
        **({"standing": held} if held else {}),
    }
