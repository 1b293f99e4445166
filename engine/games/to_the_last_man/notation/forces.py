"""Pieces as orders name them: GE1, 2I:GE4, C@TRI, FR I + US I:FR5, ALL; and whom they mean on a view."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.games.to_the_last_man.answers import LOOSE, Group
from engine.games.to_the_last_man.notation import sight
from engine.games.to_the_last_man.notation.lexicon import Cursor, Pen
from engine.games.to_the_last_man.notation.words import VALUES
from engine.games.to_the_last_man.view import View
from engine.kernel.errors import Illegal, Refusal
from engine.notation.cursor import bounded
from engine.notation.reasons import illegal
from engine.notation.words import symbol_table

MOST_UNITS = 40  # of one kind in one order
EVERY = 0  # instead of a number: as many as there are

_ALL = symbol_table(VALUES, only=["ALL"])
_COUNTED = re.compile(r"([0-9]+)([A-Z]+)")


@dataclass(frozen=True, slots=True)
class Some:
    """2I, US I, ALL C."""

    type: str
    number: int = 1
    nation: str = ""  # '': the only one that can be meant

    def write(self, pen: Pen) -> str:
        nation = f"{self.nation} " if self.nation else ""
        if self.number == EVERY:
            return f"{nation}{pen.value('ALL')} {self.type}"
        return f"{nation}{self.number if self.number > 1 else ''}{self.type}"


@dataclass(frozen=True, slots=True)
class Piece:
    """An army; units of one place; or ALL, in an army or wherever the order speaks of."""

    army: str = ""  # with all it holds
    some: tuple[Some, ...] = ()
    source: str = LOOSE  # the army that units are taken from
    area: str = ""  # where loose ones stand; '': the order tells
    everything: bool = False

    def write(self, pen: Pen) -> str:
        if self.army:
            return self.army
        units = pen.value("ALL") if self.everything else "+".join([one.write(pen) for one in self.some])
        if self.source:
            return f"{units}:{self.source}"
        return f"{units}@{self.area}" if self.area else units

    def stands(self, view: View) -> str:
        """The area of the army named, or the one written; '' if the order does not tell or it is nowhere."""
        return view.army_at.get(self.army or self.source, "") if self.army or self.source else self.area

    def group(self, view: View, area: str, lean: str = "") -> Group | None:
        """The units meant, by kind; None: two nations could be meant. `lean`: an army they go into."""
        present = sight.there(view, area, self.source, view.side) if area or self.source else ()
        if self.everything:
            return present
        return gathered(self.some, present, view, self.source or lean, area)


# ------------------------------------------------------------------ whom they mean


def gathered(
    some: Iterable[Some], present: Group, view: View, army: str, area: str = "", at_home: bool = False
) -> Group | None:
    """Kinds and numbers. What is not there is named all the same, so that the rules can refuse it."""
    numbers: dict[str, int] = {}
    for one in some:
        kind = meant(one, present, view, army, area, at_home)
        if kind is None:
            return None
        number = one.number if one.number != EVERY else dict(present).get(kind, 1)
        numbers[kind] = numbers.get(kind, 0) + number
    return tuple(sorted(numbers.items()))


def meant(one: Some, present: Group, view: View, army: str, area: str, at_home: bool = False) -> str | None:
    """The kind: of the nation written, the army's own, the only one present. None: it could be several.

    `at_home`: of several the one whose country the area is.
    """
    if one.nation:
        return f"{one.nation}.{one.type}"
    nations = [kind.partition(".")[0] for kind, _ in present if sight.type_of(kind) == one.type]
    own = view.pack.nation_of[army] if army else ""
    if own and (own in nations or not nations):
        return f"{own}.{one.type}"
    if len(nations) > 1:
        home = str(view.pack.areas[area].country) if area else ""
        nation = home if home in nations else own
        return f"{nation}.{one.type}" if at_home and nation else None
    return f"{nations[0]}.{one.type}" if nations else _absent(one.type, view, area)


def _absent(type_: str, view: View, area: str) -> str:
    """Nothing of the type is there: the nation at home, else the first that has such units at all."""
    side = view.side
    nations = [n for n in view.pack.sides[side].nations if f"{n}.{type_}" in view.pack.kinds]
    home = str(view.pack.areas[area].country) if area else ""
    nation = home if home in nations else next(iter(nations), view.pack.sides[side].nations[0])
    return f"{nation}.{type_}"


def nations_meant(piece: Piece, view: View, area: str) -> tuple[str, ...]:
    """The ways to write the piece if two nations could be meant as things stand; none: it is clear."""
    if piece.source or piece.army or not area:
        return ()
    present = sight.loose_in(view, area, view.side)
    for one in piece.some:
        nations = [kind.partition(".")[0] for kind, _ in present if sight.type_of(kind) == one.type]
        if not one.nation and len(nations) > 1:
            return tuple(f"{nation} {one.type}@{area}" for nation in nations)
    return ()


def too_many(some: Iterable[Some], view: View) -> Refusal | None:
    """11.1-01 More of a kind than a nation has counters will never be in one place."""
    pack = view.pack
    for one in some:
        nations = (one.nation,) if one.nation else pack.sides[view.side].nations
        most = max(len(pack.kinds.get(f"{nation}.{one.type}", ())) for nation in nations)
        if one.number > most:
            facts = {"number": one.number, "least": 1, "most": most}
            return Illegal("TTLM-11.1-01", "out-of-range", facts)
    return None


def some_of(group: Group, army: str = "") -> tuple[Some, ...]:
    """As a group is written: the nation is left out where the army (its id) or the side tells it."""
    found = []
    for kind, number in group:
        nation, _, type_ = kind.partition(".")
        told = nation == "GE" or army[:2] == nation
        found.append(Some(type_, number, "" if told else nation))
    return tuple(found)


# ------------------------------------------------------------------ reading


def read_piece(cursor: Cursor, expected: str = "units") -> Piece:
    """ALL [: army | @ area] | units [: army | @ area] | army."""
    if cursor.seen in _ALL and not _sees_type(cursor, 1):
        cursor.step()
        source, area = _read_place(cursor)
        return Piece(source=source, area=area, everything=True)
    some = read_some(cursor)
    if some is None:
        return Piece(army=cursor.army(expected))
    found = [some]
    while cursor.skips("+"):
        found.append(expect_some(cursor, "type"))
    source, area = _read_place(cursor)
    return Piece(some=tuple(found), source=source, area=area)


def _read_place(cursor: Cursor) -> tuple[str, str]:
    """: army, @ area, or nothing."""
    if cursor.skips(":"):
        return cursor.army(), ""
    if cursor.skips("@"):
        return LOOSE, cursor.area()
    return LOOSE, ""


def read_some(cursor: Cursor) -> Some | None:
    """[nation] [count or ALL] type; None, and nothing is passed, if it is something else."""
    if cursor.seen[:1].isdigit() and cursor.sees(cursor.lexicon.armies) is not None:
        return None  # 1A-GE is an army
    words = 0
    nation = cursor.lexicon.nations.get(cursor.seen, "")
    words += bool(nation)
    number, type_, more = _read_count(cursor, words)
    if type_ is None:
        return None
    if nation and nation not in cursor.lexicon.pack.sides[cursor.side].nations:
        raise illegal("TTLM-0-01", "not-your-army", {"army": nation})
    cursor.step(words + more)
    return Some(type_, number, nation)


def expect_some(cursor: Cursor, expected: str = "units") -> Some:
    some = read_some(cursor)
    if some is None:
        raise cursor.astray(expected, cursor.lexicon.types)
    return some


def _read_count(cursor: Cursor, at: int) -> tuple[int, str | None, int]:
    """2I, 2 I, ALL I, I, 2 siege gun; how many words it took."""
    word, number, words = cursor.ahead(at) if at else cursor.seen, 1, 0
    counted = _COUNTED.fullmatch(word)
    if counted and (type_ := cursor.lexicon.types.get(counted[2])) is not None:
        return bounded(counted[1], 1, MOST_UNITS), type_, 1
    if word.isdigit():
        number, words = bounded(word, 1, MOST_UNITS), 1
    elif word in _ALL:
        number, words = EVERY, 1
    for length in (3, 2, 1):
        if length > 1 and not cursor.ahead(at + words + length - 1):
            continue  # the line ends before
        joined = "".join(
            cursor.ahead(at + words + n) if at + words + n else cursor.seen for n in range(length)
        )
        if (type_ := cursor.lexicon.types.get(joined)) is not None:
            return number, type_, words + length
    return number, None, 0


def _sees_type(cursor: Cursor, at: int) -> bool:
    return _read_count(cursor, at)[1] is not None


def read_pieces(cursor: Cursor) -> tuple[Piece, ...]:
    return cursor.several(read_piece)


def write_pieces(pieces: Sequence[Piece], pen: Pen) -> str:
    return ", ".join([piece.write(pen) for piece in pieces])


def write_some(some: Sequence[Some], pen: Pen) -> str:
    return "+".join([one.write(pen) for one in some])
