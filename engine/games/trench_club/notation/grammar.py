"""One function for each verb: from the words behind it to an order (decisions 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.games.trench_club.notation.lexicon import Cursor, Ref
from engine.games.trench_club.notation.orders import (
    ActiveOrder,
    AttackOrder,
    BuildOrder,
    BuyOrder,
    CaptureOrder,
    DefaultOrder,
    FlipOrder,
    GiveOrder,
    LaterOrder,
    MineOrder,
    MoveOrder,
    Order,
    PassOrder,
    PlaceAround,
    PlaceOrder,
    PutOrder,
    RepairOrder,
    SpecialOrder,
    SplitOrder,
)
from engine.games.trench_club.notation.words import CLAUSES
from engine.games.trench_club.rules.terrain import NAVAL
from engine.notation.cursor import all_different, bounded
from engine.notation.reasons import unreadable
from engine.notation.words import symbol_table

MOST_DAMAGE = 5
MOST_BOUGHT = 9
MOST_MONEY = 999

_REST, _UNLOAD = symbol_table(CLAUSES, only=["REST"]), symbol_table(CLAUSES, only=["UNLOAD"])
_WORKS = symbol_table(CLAUSES, only=["ROAD", "TRENCH"])
_IF, _SPECIAL = symbol_table(CLAUSES, only=["IF"]), symbol_table(CLAUSES, only=["SPECIAL"])
_WATER, _LATER = symbol_table(CLAUSES, only=["WATER"]), symbol_table(CLAUSES, only=["LATER"])
_MISSED = symbol_table(CLAUSES, only=["HOLD", "AUTOMA", "CAPTAIN"])


def read_split(cursor: Cursor) -> list[Order]:
    """A: units / B: units / C: units"""
    companies: dict[str, tuple[Ref, ...]] = {}
    rest = ""
    while not companies or cursor.skips("/"):
        company = cursor.company()
        if company in companies:
            raise unreadable("company-twice", {"company": company})
        cursor.sign(":", "colon")
        refs = []
        while True:
            if cursor.accepts(_REST):
                if rest:
                    raise unreadable("rest-twice")
                rest = company
            elif (ref := cursor.maybe_unit()) is not None:
                refs.append(ref)
            else:
                break
            cursor.skips(",")
        companies[company] = tuple(refs)
    return [SplitOrder(tuple(companies.items()), rest)]


def read_flip(cursor: Cursor) -> list[Order]:
    return [FlipOrder(_companies(cursor))]


def read_active(cursor: Cursor) -> list[Order]:
    return [ActiveOrder(_companies(cursor))]


def _companies(cursor: Cursor) -> tuple[str, ...]:
    found = [cursor.company()]
    while cursor.skips(",") or cursor.sees_company():
        found.append(cursor.company())
    return all_different(found)


def read_place(cursor: Cursor) -> list[Order]:
    """SETUP-14 One unit a hex."""
    if not cursor.sees_company():
        found = cursor.places()
        all_different(hex_ for _, hex_ in found)
        return [PlaceOrder(found)]
    company = cursor.company()
    cursor.sign(":", "colon")
    places = [_read_around(cursor)]
    while cursor.seen and (cursor.skips(",") or True):
        places.append(_read_around(cursor))
    all_different("+".join(steps) or "0" for steps, _ in places)
    return [PlaceAround(company, tuple(places))]


def _read_around(cursor: Cursor) -> tuple[tuple[str, ...], Ref]:
    """0=TNK · N+NE=GUN"""
    steps: list[str] = []
    if not cursor.skips("0"):
        steps.append(_direction(cursor))
        while cursor.skips("+"):
            steps.append(_direction(cursor))
    cursor.sign("=", "equals")
    return tuple(steps), cursor.unit("code")


def _direction(cursor: Cursor) -> str:
    found = cursor.direction()
    if found is None:
        raise cursor.astray("direction")
    return found


def read_move(cursor: Cursor) -> list[Order]:
    """unit, then > and a goal, or step after step; a transport as the last step is boarded."""
    mover = cursor.unit()
    if cursor.arrow():
        if (carrier := cursor.maybe_unit()) is not None:
            return [MoveOrder(mover, aboard=carrier, freely=True)]
        goal = cursor.hex()
        return [MoveOrder(mover, goal=goal, unload=_read_unload(cursor))]
    path: list[str] = []
    carrier = None
    while cursor.seen and cursor.seen not in _UNLOAD:
        if path:
            cursor.skips("-")
        if cursor.sees_hex():
            path.append(cursor.hex())
        else:
            carrier = cursor.unit("hex")
            break
    if not path and carrier is None:
        raise cursor.astray("hex")
    return [MoveOrder(mover, tuple(path), aboard=carrier, unload=_read_unload(cursor))]


def _read_unload(cursor: Cursor) -> tuple[tuple[Ref, str], ...]:
    return cursor.places() if cursor.accepts(_UNLOAD) else ()


def read_capture(cursor: Cursor) -> list[Order]:
    return [CaptureOrder(cursor.unit(), cursor.hex())]


def read_load(cursor: Cursor) -> list[Order]:
    return [MoveOrder(cursor.unit(), aboard=cursor.unit("transport"))]


def read_unload(cursor: Cursor) -> list[Order]:
    return [MoveOrder(cursor.unit("transport"), unload=cursor.places())]


def read_mine(cursor: Cursor) -> list[Order]:
    return [MineOrder(cursor.unit(), cursor.hex())]


def read_build(cursor: Cursor) -> list[Order]:
    unit, what = cursor.unit(), cursor.expect(_WORKS, "road-or-trench")
    return [BuildOrder(unit, what, (cursor.hex(), cursor.hex()))]


def read_attack(cursor: Cursor) -> list[Order]:
    unit = cursor.unit()
    cursor.arrow()
    if cursor.sees_hex():
        return [AttackOrder(unit, Ref(hex=cursor.hex()))]
    if (toward := cursor.direction()) is not None:
        return [AttackOrder(unit, toward=toward)]
    return [AttackOrder(unit, cursor.unit("target"))]


def read_repair(cursor: Cursor) -> list[Order]:
    unit = cursor.unit()
    if not cursor.accepts(_IF):
        return [RepairOrder(unit)]
    least = cursor.number(1, MOST_DAMAGE)
    cursor.skips("+")
    return [RepairOrder(unit, least)]


def read_buy(cursor: Cursor) -> list[Order]:
    """BUY INF B8 [x 2] · BUY SPECIAL [= ZEP] B8 [WATER C6] · BUY SPECIAL = BOT C6: the water directly."""
    if not cursor.accepts(_SPECIAL):
        code, fort = cursor.code(), cursor.hex()
        return [BuyOrder(code, fort)] * _times(cursor)
    code = cursor.code() if cursor.skips("=") else ""
    place = cursor.hex()
    if cursor.accepts(_WATER):
        return [SpecialOrder(place, cursor.hex(), code)]
    if _is_naval(cursor, code) and place not in cursor.lexicon.pack.forts:
        return [SpecialOrder("", place, code)]
    return [SpecialOrder(place, "", code)]


def _is_naval(cursor: Cursor, code: str) -> bool:
    pack = cursor.lexicon.pack
    return code != "" and pack.types[pack.type_of_code[code]].klass == NAVAL


def _times(cursor: Cursor) -> int:
    """x2 · x 2"""
    figures = cursor.seen[1:]
    if cursor.seen[:1] == "X" and figures.isascii() and figures.isdigit():
        times = bounded(figures, 1, MOST_BOUGHT)
        cursor.step()
        return times
    return cursor.number(1, MOST_BOUGHT) if cursor.skips("X") else 1


def read_put(cursor: Cursor) -> list[Order]:
    return [PutOrder(cursor.hex())]


def read_give(cursor: Cursor) -> list[Order]:
    amount = cursor.number(0, MOST_MONEY)
    return [GiveOrder(amount, cursor.nation() if cursor.seen else "")]


def read_money(cursor: Cursor) -> list[Order]:
    cursor.expect(_LATER, "later")
    return [LaterOrder()]


def read_pass(cursor: Cursor) -> list[Order]:
    return [PassOrder()]


def read_default(cursor: Cursor) -> list[Order]:
    return [DefaultOrder(cursor.expect(_MISSED, "hold-automa-or-captain"))]


READERS: Mapping[str, Callable[[Cursor], list[Order]]] = {
    "SPLIT": read_split,
    "FLIP": read_flip,
    "PLACE": read_place,
    "ACTIVE": read_active,
    "MOVE": read_move,
    "CAPTURE": read_capture,
    "LOAD": read_load,
    "UNLOAD": read_unload,
    "MINE": read_mine,
    "BUILD": read_build,
    "ATTACK": read_attack,
    "REPAIR": read_repair,
    "BUY": read_buy,
    "PUT": read_put,
    "GIVE": read_give,
    "MONEY": read_money,
    "PASS": read_pass,
    "DEFAULT": read_default,
}
