"""Orders that outlive the window they were sent for.

A question that is put in between (somebody's own ASK, a window of one question) ends nobody's orders: what is
left of them lies below whatever is sent for that question, and cannot be changed any more. And a line that is
bound to a later window stays on file until then, unless its seat sends other orders.

All of it is plain data, since it is kept between two Closes. Of each seat:
{"lines": [[number, words, done before]], "umpire": order lines in the seat's place, "automa": it plays on}.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from engine.kernel.game import Line, Reading
from engine.kernel.requests import Seat
from engine.kernel.table import Table
from pbem.campaigns.seat_file import SeatFile, known_by
from pbem.store.filing import Filed, OpenWindow

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
    used = file.used if isinstance(file, SeatFile) else ()
    for line in file.left_over(had):
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
    plays = isinstance(file, SeatFile) and file.plays is not None
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


def lines_ahead(filed: Filed, seat: str, read: Callable[[str], Reading]) -> tuple[Line, ...]:
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
