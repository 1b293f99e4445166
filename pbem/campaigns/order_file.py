"""A seat's file as an advance uses it: which lines were done or refused; an automa for one who is missing."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from engine.kernel.errors import Refusal
from engine.kernel.game import Game, Line, Notation, Reading, View
from engine.kernel.records import automa_answer
from engine.kernel.requests import Ask, Seat
from engine.kernel.sheet import FiledAnswer, OrderFile
from engine.kernel.table import Automa, Table
from pbem.campaigns.bots import bind_bot, bot_rng, default_bot, find_bot
from pbem.store.windows import OpenWindow, WindowOrders

# What becomes of a line: `planned` for battles that may yet come, `spared` as its case did not come.
Status: TypeAlias = Literal["done", "refused", "unused", "planned", "spared"]
AUTOMA: Final = "automa"  # the measure by which a bot plays a window for a seat that sent nothing


@dataclass(frozen=True, slots=True)
class TracedOrderFile(OrderFile):
    """The file, and what became of its lines. Lines are known by number and words, or by their words."""

    used: set[tuple[int, str]] = field(default_factory=set, compare=False)  # of the sheet
    plans: dict[str, set[str]] = field(default_factory=dict, compare=False)  # plan -> lines that decided
    stood: dict[str, Line] = field(default_factory=dict, compare=False)  # standing orders that decided
    weighed: dict[str, Line] = field(default_factory=dict, compare=False)  # … whose condition was looked at
    refusals: dict[tuple[int, str], Refusal] = field(default_factory=dict, compare=False)
    plays: Automa | None = None
    only: frozenset[str] | None = None  # ids of the questions that the automa answers; None: all

    def find(
        self, ask: Ask, question: str, view: View, notation: Notation, after: int = 0
    ) -> FiledAnswer | None:
        """What is on file; an automa's answer only where there is nothing.

        Questions of the next window are answered from no file: there the seat itself is asked again.
        """
        found = OrderFile.find(self, ask, question, view, notation, after)
        left_out = found.left_out if found is not None else ()
        for line, refusal in (*self.refused(ask, view, after), *left_out):
            if line.serves(ask, _is_behind(line, found)) and not _was_spared(line, found, ask, notation):
                self.refusals.setdefault(known_by(line), refusal)
        self._weigh(ask, view)
        if ask.plan:
            self._note_plan(found, ask, view, notation)
        if found is not None:
            self._note(found, ask)
            return found
        if self.plays is None or ask.volunteer or (self.only is not None and question not in self.only):
            return None
        return automa_answer(ask, self.plays(view, ask))

    def _note(self, found: FiledAnswer, ask: Ask) -> None:
        for line in (found.line, *found.also):
            if line is None or not line.serves(ask, line is not found.line):
                continue
            if line.slot():
                self.stood[line.write()] = line
            elif found.by == "sheet":
                self.used.add(known_by(line))

    def _note_plan(self, found: FiledAnswer | None, ask: Ask, view: View, notation: Notation) -> None:
        decided = self.plans.setdefault(ask.plan, set())
        if found is not None and found.by == "plan":
            decided.update(line.write() for line in notation.deciding_lines(ask.plan, ask, view))

    def _weigh(self, ask: Ask, view: View) -> None:
        for line in self.standing:
            if line.is_weighed(ask, view):
                self.weighed[line.write()] = line

    def became(self, line: Line, still_planned: bool, stays: bool = False) -> Status:
        """Of a line of the sheet. `still_planned`: the questions that its plan is for may yet come; `stays`:
        it lies on file for those that follow.
        """
        known = known_by(line)
        if known in self.used or any(known[1] in decided for decided in self.plans.values()):
            return "done"
        if stays or (still_planned and line.is_planned):
            return "planned"
        if known in self.refusals:
            return "refused"
        return "spared" if line.contingent else "unused"


def known_by(line: Line) -> tuple[int, str]:
    """One line of a text may hold several orders."""
    return line.number, line.write()


def _was_spared(line: Line, found: FiledAnswer | None, ask: Ask, notation: Notation) -> bool:
    """Of lines tried in sequence those behind the one that was done were never tried."""
    return ask.topic in notation.chained_topics | notation.sequence_topics and _is_behind(line, found)


def _is_behind(line: Line, found: FiledAnswer | None) -> bool:
    """A line of the sheet above it was done."""
    if found is None or found.line is None or found.by != "sheet":
        return False
    return found.line.number < line.number


def trace_order_file(on_file: OrderFile) -> TracedOrderFile:
    return TracedOrderFile(**{one.name: getattr(on_file, one.name) for one in fields(on_file)})


def with_automa(
    file: TracedOrderFile, game: Game, seat: Seat, seed: bytes, t: int, only: frozenset[str] | None
) -> TracedOrderFile:
    """For the open window, or for `only` these questions. A second run plays the same."""
    plays = bind_bot(find_bot(game, default_bot(game)), bot_rng(seed, "stand-in", seat, t))
    return replace(file, plays=plays, only=only)


Carried: TypeAlias = Mapping[str, Any]  # by seat
NOTHING: Final[Carried] = MappingProxyType({})


def carried_on(table: Table, once: bool, before: Carried) -> Carried:
    """What stays on file at the pause that an advance came to.

    `once`: it closed a window of one question, whose own orders end with it; `before` was on file below them.
    """
    pause = table.pause
    if pause is None:
        return NOTHING
    found = {}
    for seat in sorted(table.files):
        older = before.get(seat, {})
        lines = list(_staying(table, seat, _known(older) if once else None))
        told: dict[str, Any] = {"lines": lines} if lines else {}
        if pause.window.once:
            told |= _stand_ins(table, seat, once, older)
        if told:
            found[str(seat)] = told
    return found


def _staying(table: Table, seat: Seat, among: Collection[tuple[int, str]] | None) -> Iterator[list[Any]]:
    """Lines that have not had their turn; beyond a whole window only those that are bound to a later one."""
    file, view, pause = table.files[seat], table.view(seat), table.pause
    assert pause is not None
    had = {topic: n for (who, topic), n in table.had.items() if who == seat}
    used = file.used if isinstance(file, TracedOrderFile) else ()
    for line in file.remaining(had):
        known, is_done = known_by(line), known_by(line) in used
        stays = not line.is_over(view) if pause.window.once else line.is_ahead(view) and not is_done
        if stays and (among is None or known in among):
            yield [line.number, line.write("en"), is_done]


def _stand_ins(table: Table, seat: Seat, once: bool, older: Mapping[str, Any]) -> dict[str, Any]:
    """Who spoke in the seat's place goes on: the umpire, or an automa for one who sent nothing."""
    if once:
        return {key: older[key] for key in ("umpire", "automa") if key in older}
    file = table.files[seat]
    told: dict[str, Any] = (
        {"umpire": "\n".join(line.write("en") for line in file.umpires)} if file.umpires else {}
    )
    plays = isinstance(file, TracedOrderFile) and file.plays is not None
    return told | ({"automa": True} if plays else {})


def carried_lines(told: Mapping[str, Any], read: Callable[[str], Reading]) -> tuple[Line, ...]:
    """The lines, each with the number it had in its letter. One that cannot be read any more is gone."""
    rows = told.get("lines", ())
    lines = read("\n".join(words for _, words, _ in rows)).orders
    return tuple(_numbered(line, rows[line.number - 1][0]) for line in lines)


def _numbered(line: Line, number: int) -> Line:
    same: Any = line
    renumbered: Line = replace(same, number=number)
    return renumbered


def _known(told: Mapping[str, Any]) -> set[tuple[int, str]]:
    return {(number, words) for number, words, _ in told.get("lines", ())}


def carried_into(window: OpenWindow | None) -> Carried:
    """What the store keeps with the open window."""
    told: Carried = json.loads(window.carried) if window is not None and window.carried else NOTHING
    return told


def lines_ahead(filed: WindowOrders, seat: str, read: Callable[[str], Reading]) -> tuple[Line, ...]:
    """What counts for a seat now of earlier orders; new ones for a whole window have taken their place."""
    window, told = filed.window, filed.seats.get(seat)
    if window is None or (told is not None and told.sheet is not None and not window.once):
        return ()
    return carried_lines(carried_into(window).get(seat, NOTHING), read)


def seats_with_orders(window: OpenWindow) -> frozenset[str]:
    """Who sent orders for a whole window ahead. To a question put in between they are no answer."""
    told = NOTHING if window.once else carried_into(window)
    return frozenset(seat for seat, one in told.items() if one.get("lines"))


def stays_on_file(carried: Carried, seat: str, line: Line) -> bool:
    return known_by(line) in _known(carried.get(seat, {}))


def was_told(carried: Carried, seat: str, line: Line) -> bool:
    """An earlier letter has said that it was done."""
    rows = carried.get(seat, {}).get("lines", ())
    return any((number, words) == known_by(line) and done for number, words, done in rows)
