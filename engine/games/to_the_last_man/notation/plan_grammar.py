"""The grammar of decisions.md §3, continued: what stands in battle plans and defenders' sheets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
    write_some,
)
from engine.games.to_the_last_man.notation.lexicon import ENGLISH, Cursor
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
from engine.notation.cursor import NameTable, all_different
from engine.notation.reasons import illegal, unreadable
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
    ways = cursor.several(_read_way)
    all_different(piece.army for way in ways for piece in way.pieces if piece.army)
    return ways


def _read_way(cursor: Cursor) -> Way:
    pieces = read_pieces(cursor)
    if not cursor.arrow():
        cursor.expect(_TO, "destination")
    to = _read_destinations(cursor)
    into = cursor.army() if cursor.accepts(_INTO) else LOOSE
    left = cursor.several(expect_some, "+") if cursor.accepts(_LEAVE) else ()
    whole = [piece.army or (piece.everything and not piece.source) for piece in pieces]
    if into and any(whole):
        raise unreadable("too-much", {"word": into})  # an army goes into no other
    if left and not any(piece.army for piece in pieces):
        raise unreadable("too-much", {"word": write_some(left, ENGLISH)})  # only armies leave units behind
    return Way(pieces, to, into, left)


def _read_destinations(cursor: Cursor) -> tuple[str, ...]:
    """The best first: a comma and another area, or OR."""
    found = [cursor.area("destination")]
    while cursor.accepts(_OR) or (cursor.seen == "," and _sees_area_behind(cursor)):
        cursor.skips(",")
        found.append(cursor.area("destination"))
    return all_different(found)


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
    return ForcedOrder(all_different(armies), to)


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
    if cursor.seen in _FIRST or cursor.seen in _LAST:
        _refuse_more_than_types([piece for piece in pieces if not piece.army])
        return LosePreference(all_different(things), cursor.accepts(_FIRST) or not cursor.accepts(_LAST))
    if len(things) > 1 or "LOOSE" in things or any(_is_no_unit(piece) for piece in pieces):
        raise cursor.astray("first-or-last", _FIRST, _LAST)
    return LossReply(pieces[0] if pieces else None)


def _refuse_more_than_types(pieces: Sequence[Piece]) -> None:
    """A preference speaks of types: a number, or whose they are, would count for nothing."""
    for piece in pieces:
        if piece != Piece(some=tuple(Some(one.type) for one in piece.some[:1])) or not piece.some:
            raise unreadable("too-much", {"word": piece.write(ENGLISH)})


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
    return RerollFirst(all_different(types))


def _read_rerolled(cursor: Cursor) -> Clause:
    hits: list[tuple[str, int]] = []
    while not hits or cursor.skips(","):
        number = cursor.number(1, MOST_HITS)
        name = cursor.seen
        if not name[:1].isalpha() or not name[-1:].isdigit():
            raise cursor.astray("dice")
        cursor.step()
        hits.append((name, number))
    all_different(name for name, _ in hits)
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
        if some.number != 1:
            raise unreadable("too-much", {"word": some.write(ENGLISH)})  # an army gives up one unit
        found.append(some)
    return SupplyLoss(army, tuple(found))


def read_transit_loss(cursor: Cursor) -> Clause:
    """EFTLOSS I, C FIRST: a preference; EFTLOSS I:GE3: just that."""
    pieces = read_pieces(cursor)
    if cursor.accepts(_FIRST):
        _refuse_more_than_types(pieces)
        return TransitFirst(all_different(some.type for piece in pieces for some in piece.some))
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
