"""Units, hexes and nations: how a line names them, and how they are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from engine.games.trench_club.answers import Places
from engine.games.trench_club.notation.words import CODES, COMPANIES, DIRECTIONS, VOCABULARY
from engine.games.trench_club.pack import Pack
from engine.games.trench_club.view import View
from engine.notation import cursor, words
from engine.notation.cursor import NameTable, both, name_table
from engine.notation.reasons import Misread, ambiguous, illegal
from engine.notation.words import symbol_table

_UNIT = re.compile(r"(?:([A-Z]{2})\.)?([A-Z]{3})([1-9][0-9]{0,2})?")
_CODES = symbol_table(CODES)
_DIRECTIONS = symbol_table(DIRECTIONS)
_COMPANIES = symbol_table(COMPANIES)


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """All names of one pack."""

    pack: Pack
    hexes: NameTable[str]
    nations: NameTable[str]


@cache
def lexicon(pack: Pack) -> Lexicon:
    padded = [(f"{hex_[0]}{int(hex_[1:]):02d}", hex_) for hex_ in pack.terrain]
    return Lexicon(
        pack=pack,
        hexes=name_table([*((hex_, hex_) for hex_ in pack.terrain), *padded]),
        nations=name_table((name, row.id) for row in pack.nations.values() for name in (row.id, *both(row))),
    )


@dataclass(frozen=True, slots=True)
class Pen(words.Pen):
    """Hexes and nations are written by their ids, units by their codes and numbers."""

    vocabulary: ClassVar = VOCABULARY

    def code(self, code: str) -> str:
        return self.word("code", code)

    def direction(self, direction: str) -> str:
        return self.word("direction", direction)


@dataclass(frozen=True, slots=True)
class Ref:
    """A unit as a line names it: code and number, code alone, or the hex it stands on."""

    code: str = ""
    number: int = 0  # 0: the only one of its kind
    nation: str = ""  # "": the writer's
    hex: str = ""

    def write(self, pen: Pen) -> str:
        if self.hex:
            return f"@{self.hex}"
        nation = f"{self.nation}." if self.nation else ""
        return f"{nation}{pen.code(self.code)}{self.number or ''}"

    def unit(self, view: View) -> str:
        """The unit's id, as things stand; of an unknown one what it would be."""
        position = view.position
        if self.hex:
            return position.on.get(self.hex, f"@{self.hex}")
        kind = f"{self.nation or view.nation}.{self.code}"
        if self.number:
            return f"{kind}{self.number}"
        own = [unit for unit in position.units if unit.startswith(kind)]
        return own[0] if len(own) == 1 else f"{kind}1"

    def nation_in(self, view: View) -> str:
        """Whose unit it is; the writer's own where nobody stands on the hex."""
        unit = self.unit(view)
        return view.nation if unit.startswith("@") else unit.partition(".")[0]

    def refusal(self, view: View) -> Misread | None:
        """Of an own unit that is not there, or not clearly named. A hex may be filled by the moves before."""
        position = view.position
        if self.hex:
            return None
        kind = f"{self.nation or view.nation}.{self.code}"
        own = sorted(unit for unit in position.units if unit.rstrip("0123456789") == kind)
        if not self.number and len(own) > 1:
            return ambiguous("several-such-units", tuple(own))
        wanted = f"{kind}{self.number or ''}"
        if own and (not self.number or wanted in own):
            return None
        return illegal("TC-MOVE-1", "no-such-unit", {"unit": wanted, "legal": tuple(own)})


def ref_of(unit: str, view_nation: str = "") -> Ref:
    """How a unit's id is written; without its nation where that is the writer's own."""
    nation, _, name = unit.partition(".")
    return Ref(name[:3], int(name[3:]), "" if nation == view_nation else nation)


class Cursor(cursor.Cursor):
    """A line, and the names it may hold."""

    __slots__ = ("lexicon",)

    def __init__(self, tokens: list[str], lexicon: Lexicon) -> None:
        super().__init__(tokens)
        self.lexicon = lexicon

    def hex(self, expected: str = "hex") -> str:
        return self.expect_name(self.lexicon.hexes, expected)

    def sees_hex(self) -> bool:
        return self.sees(self.lexicon.hexes) is not None

    def code(self) -> str:
        return self.expect(_CODES, "code")

    def direction(self) -> str | None:
        return self.accept(_DIRECTIONS)

    def company(self) -> str:
        return self.expect(_COMPANIES, "company")

    def sees_company(self) -> bool:
        return self.seen in _COMPANIES

    def nation(self) -> str:
        return self.expect_name(self.lexicon.nations, "nation")

    def unit(self, expected: str = "unit") -> Ref:
        """CAR1, GB.CAR1, GB CAR1, CAR, or @D5."""
        found = self.maybe_unit()
        if found is None:
            raise self.astray(expected, _CODES)
        return found

    def maybe_unit(self) -> Ref | None:
        if self.skips("@"):
            return Ref(hex=self.hex())
        nation = ""
        if self.seen in self.lexicon.pack.nations and _UNIT.fullmatch(self.ahead()):
            nation = self.seen
            self.step()
        found = _UNIT.fullmatch(self.seen)
        if found is None or found[2] not in _CODES or (found[1] or "DE") not in self.lexicon.pack.nations:
            return None
        self.step()
        return Ref(_CODES[found[2]], int(found[3] or 0), found[1] or nation)

    def places(self) -> tuple[tuple[Ref, str], ...]:
        """MOR1@F3 INF1@E1"""
        found = []
        while (unit := self.maybe_unit()) is not None:
            self.sign("@", "at")
            found.append((unit, self.hex()))
            self.skips(",")
        if not found:
            raise self.astray("unit", _CODES)
        return tuple(found)


def written_places(places: tuple[tuple[Ref, str], ...], pen: Pen) -> str:
    return " ".join(f"{ref.write(pen)}@{hex_}" for ref, hex_ in places)


def settled(places: tuple[tuple[Ref, str], ...], view: View) -> Places:
    return tuple(sorted((ref.unit(view), hex_) for ref, hex_ in places))
