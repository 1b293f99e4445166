"""The grammar of decisions.md §3, continued: what stands in battle plans and defenders' sheets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from engine.games.to_the_last_man.answers import FORT, LOOSE, Method
from engine.games.to_the_last_man.notation.clauses import Clause
from engine.games.to_the_last_man.notation.fighting import (
    Annihilation,
    BiplaneOrder,
    Budget,
    ErsatzReply,
    LosePreference,
    LossReply,
    Period,
    RerollFirst,
    RerollReply,
)
from engine.games.to_the_last_man.notation.forces import (
    Piece,
    Some,
    expect_some,
    read_piece,
    read_pieces,
    read_some,
)
from engine.games.to_the_last_man.notation.lexicon import Cursor
from engine.games.to_the_last_man.notation.removals import CrisisLoss, SupplyLoss, TransitFirst, TransitReply
from engine.games.to_the_last_man.notation.retreats import (
    CavalryRetreat,
    ForcedOrder,
    RetreatAfter,
    RetreatInstead,
    ScrambleOrder,
    Way,
)
from engine.games.to_the_last_man.notation.words import CLAUSES, PERIODS, VALUES
from engine.notation.cursor import NameTable
from engine.notation.reasons import illegal
from engine.notation.words import symbol_table

MOST_HITS = 60

_TO, _OR = symbol_table(CLAUSES, only=["TO"]), symbol_table(CLAUSES, only=["OR"])
_INTO, _LEAVE = symbol_table(CLAUSES, only=["INTO", "IN"]), symbol_table(CLAUSES, only=["LEAVE"])
_INSTEAD = NameTable(symbol_table(CLAUSES, only=["INSTEAD"]))  # AU LIEU may be written apart
_MAX, _PER = symbol_table(CLAUSES, only=["MAX"]), symbol_table(CLAUSES, only=["PER"])
_KEEP, _SIEGE = symbol_table(CLAUSES, only=["KEEP"]), symbol_table(CLAUSES, only=["SIEGE"])
_FIRST, _LAST = symbol_table(CLAUSES, only=["FIRST"]), symbol_table(CLAUSES, only=["LAST"])
_FORT, _LOOSE = symbol_table(VALUES, only=["FORT"]), symbol_table(VALUES, only=["LOOSE"])
_STRENGTH = symbol_table(VALUES, only=["WEAKEST", "STRONGEST"])
_METHODS = symbol_table(VALUES, only=["REACT", "GROUND"])
_PERIODS = symbol_table(PERIODS)
_ANY_ARMY = {"*": "*", **dict.fromkeys(symbol_table(VALUES, only=["ALL"]), "*")}


# ------------------------------------------------------------------ retreats


def read_ways(cursor: Cursor) -> tuple[Way, ...]:
    """FR5>MAU, I@NAM>HAI; FR5, FR4 TO MAU; NONE."""
    if cursor.is_none():
        return ()
    return cursor.several(_read_way)


def _read_way(cursor: Cursor) -> Way:
    pieces = read_pieces(cursor)
    if not cursor.arrow():
        cursor.expect(_TO, "destination")
    to = _read_destinations(cursor)
    into = cursor.army() if cursor.accepts(_INTO) else LOOSE
    left = cursor.several(expect_some, "+") if cursor.accepts(_LEAVE) else ()
    return Way(pieces, to, into, left)


def _read_destinations(cursor: Cursor) -> tuple[str, ...]:
    """The best first: a comma and another area, or OR."""
    found = [cursor.area("destination")]
    while cursor.accepts(_OR) or (cursor.seen == "," and _sees_area_behind(cursor)):
        cursor.skips(",")
        found.append(cursor.area("destination"))
    return tuple(dict.fromkeys(found))


def _sees_area_behind(cursor: Cursor) -> bool:
    """Is what follows the comma an area, and no piece? No unit's letter and no army is the name of one."""
    probe = cursor.copy()
    probe.step()
    return probe.name(cursor.lexicon.areas) is not None and probe.seen not in (">", "=>")


def read_cavalry(cursor: Cursor) -> Clause:
    return CavalryRetreat(read_ways(cursor))


def read_retreat(cursor: Cursor) -> Clause:
    """RETREAT INSTEAD …: instead of firing; RETREAT …: after combat, all to one area."""
    if cursor.name(_INSTEAD) is not None:
        return RetreatInstead(read_ways(cursor))
    ways = read_ways(cursor)
    if len({way.to for way in ways}) > 1:
        raise illegal("TTLM-5.4.2-01", "one-destination")
    return RetreatAfter(ways)


def read_scramble(cursor: Cursor) -> Clause:
    return ScrambleOrder(read_ways(cursor))


def read_forced(cursor: Cursor) -> Clause:
    if cursor.is_none():
        return ForcedOrder()
    if (order := cursor.accept(_STRENGTH)) is not None:
        cursor.expect(_FIRST, "first-or-last")
        return ForcedOrder(order="WEAKEST" if order == "WEAKEST" else "STRONGEST")
    armies = [cursor.army()]
    while cursor.skips(","):
        armies.append(cursor.army())
    to = _read_destinations(cursor) if cursor.arrow() or cursor.accepts(_TO) else ()
    return ForcedOrder(tuple(dict.fromkeys(armies)), to)


# ------------------------------------------------------------------ hits


def read_ersatz(cursor: Cursor) -> Clause:
    if cursor.is_none():
        return ErsatzReply((), _read_siege(cursor))
    if not cursor.accepts(_MAX):
        return ErsatzReply(cursor.several(Cursor.card), _read_siege(cursor))
    most = cursor.number(0, MOST_HITS)
    per = cast(Period, cursor.expect(_PERIODS, "budget")) if cursor.accepts(_PER) else "turn"
    return Budget(most, per, cursor.several(Cursor.card) if cursor.accepts(_KEEP) else ())


def _read_siege(cursor: Cursor) -> int:
    return cursor.number(0, MOST_HITS) if cursor.accepts(_SIEGE) else -1


def read_lose(cursor: Cursor) -> Clause:
    """LOSE A, FORT LAST: a preference; LOSE I:GE1: just that."""
    things: list[str] = []
    pieces: list[Piece] = []
    while not things or cursor.skips(","):
        if cursor.accepts(_FORT):
            things.append(FORT)
        elif cursor.accepts(_LOOSE):
            things.append("LOOSE")
        else:
            piece = read_piece(cursor, "type")
            pieces.append(piece)
            things.append(piece.army or (piece.some[0].type if piece.some else ""))
    if cursor.accepts(_FIRST):
        return LosePreference(tuple(things), True)
    if cursor.accepts(_LAST):
        return LosePreference(tuple(things), False)
    if len(things) > 1 or "LOOSE" in things or any(_is_no_unit(piece) for piece in pieces):
        raise cursor.astray("first-or-last", _FIRST, _LAST)
    return LossReply(pieces[0] if pieces else None)


def _is_no_unit(piece: Piece) -> bool:
    return len(piece.some) != 1 or piece.some[0].number != 1


def read_sacrifice(cursor: Cursor) -> Clause:
    return Annihilation(saved=False)


def read_save(cursor: Cursor) -> Clause:
    return Annihilation(saved=True)


# ------------------------------------------------------------------ biplanes


def read_biplane(cursor: Cursor) -> Clause:
    return BiplaneOrder(cast(Method, cursor.expect(_METHODS, "method").lower()))


def read_reroll(cursor: Cursor) -> Clause:
    """REROLL S FIRST: a preference; REROLL 2 F1, 1 S.F2: just these; REROLL NONE."""
    if cursor.is_none():
        return RerollReply(())
    if cursor.sees_number():
        return _read_rerolled(cursor)
    types = cursor.several(Cursor.type)
    cursor.expect(_FIRST, "first-or-last")
    return RerollFirst(tuple(dict.fromkeys(types)))


def _read_rerolled(cursor: Cursor) -> Clause:
    hits: list[tuple[str, int]] = []
    while not hits or cursor.skips(","):
        number = cursor.number(1, MOST_HITS)
        name = cursor.seen
        if not name[:1].isalpha() or not name[-1:].isdigit():
            raise cursor.astray("dice")
        cursor.step()
        hits.append((name, number))
    return RerollReply(tuple(hits))


# ------------------------------------------------------------------ units given up elsewhere


def read_crisis_loss(cursor: Cursor) -> Clause:
    if cursor.is_none():
        return CrisisLoss(())
    pieces = read_pieces(cursor)
    if any(piece.army or not (piece.source or piece.area) for piece in pieces):
        raise cursor.astray("units", cursor.lexicon.types)
    return CrisisLoss(pieces)


def read_supply_loss(cursor: Cursor) -> Clause:
    army = cursor.accept(_ANY_ARMY) or cursor.army()
    found: list[Some] = []
    while not found or cursor.skips(","):
        some = read_some(cursor)
        if some is None:
            raise cursor.astray("type", cursor.lexicon.types)
        found.append(some)
    return SupplyLoss(army, tuple(found))


def read_transit_loss(cursor: Cursor) -> Clause:
    """EFTLOSS I, C FIRST: a preference; EFTLOSS I:GE3: just that."""
    pieces = read_pieces(cursor)
    if cursor.accepts(_FIRST):
        types = [some.type for piece in pieces for some in piece.some]
        return TransitFirst(tuple(dict.fromkeys(types)))
    if len(pieces) > 1 or (not pieces[0].army and _is_no_unit(pieces[0])):
        raise cursor.astray("first-or-last", _FIRST)
    return TransitReply(pieces[0])


PLAN_READERS: Mapping[str, Callable[[Cursor], Clause]] = {
    "CAVRETREAT": read_cavalry,
    "RETREAT": read_retreat,
    "SCRAMBLE": read_scramble,
    "FORCED": read_forced,
    "ERSATZ": read_ersatz,
    "LOSE": read_lose,
    "SACRIFICE": read_sacrifice,
    "SAVE": read_save,
    "BIPLANE": read_biplane,
    "REROLL": read_reroll,
    "CRISISLOSS": read_crisis_loss,
    "OOSLOSS": read_supply_loss,
    "EFTLOSS": read_transit_loss,
}
