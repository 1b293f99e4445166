"""The names a pack gives: areas, armies, cards, nations and kinds of units; how they are read and written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import ClassVar

from engine.games.to_the_last_man.answers import Side
from engine.games.to_the_last_man.notation.words import CARDS, CORPS, TYPES, VALUES, VOCABULARY
from engine.games.to_the_last_man.pack import Pack
from engine.notation import cursor, words
from engine.notation.cursor import NameTable, both, name_table
from engine.notation.reasons import illegal, unreadable
from engine.notation.scan import one_word
from engine.notation.words import symbol_table

ENDINGS = ("E", "EME", "ER", "RE", "ERE", "ST", "ND", "RD", "TH")  # 5e, 1re, 2nd

_NONE = symbol_table(VALUES, only=["NONE"])


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """All names of one pack."""

    pack: Pack
    areas: NameTable[str]
    armies: NameTable[str]
    own_armies: Mapping[Side, NameTable[str]]  # of one side, to be proposed
    cards: NameTable[str]
    types: NameTable[str]
    nations: NameTable[str]
    sides: NameTable[str]
    corps: NameTable[str]  # Commonwealth counters


@cache
def lexicon(pack: Pack) -> Lexicon:
    armies = name_table(_army_names(pack))
    own = {
        side: NameTable({word: army for word, army in armies.items() if pack.side_of[army] == side})
        for side in pack.sides
    }
    return Lexicon(
        pack=pack,
        areas=name_table(_area_names(pack)),
        armies=armies,
        own_armies=MappingProxyType(own),
        cards=name_table(_card_names(pack)),
        types=name_table(_type_names(pack)),
        nations=name_table((name, row.id) for row in pack.nations.values() for name in (row.id, *both(row))),
        sides=name_table((name, row.id) for row in pack.sides.values() for name in (row.id, *both(row))),
        corps=name_table(_corps_names(pack)),
    )


def _area_names(pack: Pack) -> Iterable[tuple[str, str]]:
    """Ids first: no name takes one away."""
    yield from ((area, area) for area in pack.areas)
    for row in pack.areas.values():
        for name in (*both(row), *row.aliases):
            yield name, row.id


def _army_names(pack: Pack) -> Iterable[tuple[str, str]]:
    """GE1, 1A-GE, 1st army GE, 1re armee GE, and the names of both languages."""
    for row in pack.armies.values():
        number = row.id.removeprefix(row.nation)
        yield row.id, row.id
        for name in both(row):
            yield one_word(name), row.id
        if number.isdecimal():
            yield f"{number}A{row.nation}", row.id
            for ending in ENDINGS:
                for word in ("ARMY", "ARMEE"):
                    yield f"{number}{ending}{word}{row.nation}", row.id


def _card_names(pack: Pack) -> Iterable[tuple[str, str]]:
    yield from ((card, card) for card in pack.card_kinds)
    for row in pack.card_kinds.values():
        for name in both(row):
            yield name, row.id
    for word, card in symbol_table(CARDS).items():
        if card in pack.card_kinds:
            yield word, card


def _type_names(pack: Pack) -> Iterable[tuple[str, str]]:
    yield from symbol_table(TYPES).items()
    for row in pack.types.values():
        for name in both(row):
            yield name, row.id


def _corps_names(pack: Pack) -> Iterable[tuple[str, str]]:
    for unit, row in pack.commonwealth.items():
        for word, number in symbol_table(CORPS).items():
            if unit.endswith(f".{number}"):
                yield word, unit
        for name in (unit.replace(".", ""), *both(row)):
            yield name, unit


# ------------------------------------------------------------------ reading and writing them


class Cursor(cursor.Cursor):
    """A line of one side's, and the names it may hold."""

    __slots__ = ("lexicon", "side")

    def __init__(self, tokens: list[str], lexicon: Lexicon, side: Side) -> None:
        super().__init__(tokens)
        self.lexicon, self.side = lexicon, side

    def is_none(self) -> bool:
        """Was it NONE? Then it is passed, and nothing can follow it in a list."""
        if not self.accepts(_NONE):
            return False
        if self.seen == ",":
            raise unreadable("after-none", {"word": self.ahead()})
        return True

    def area(self, expected: str = "area") -> str:
        return self.expect_name(self.lexicon.areas, expected)

    def army(self, expected: str = "army") -> str:
        """An army of the writer's own side: no order is for another's."""
        army = self.own_army()
        if army is None:
            raise self.astray(expected, self.lexicon.own_armies[self.side])
        return army

    def own_army(self) -> str | None:
        army = self.name(self.lexicon.armies)
        if army is not None and self.lexicon.pack.side_of[army] != self.side:
            raise illegal("TTLM-0-01", "not-your-army", {"army": army})
        return army

    def card(self) -> str:
        return self.expect_name(self.lexicon.cards, "card")

    def type(self) -> str:
        return self.expect_name(self.lexicon.types, "type")


@dataclass(frozen=True, slots=True)
class Pen(words.Pen):
    """Areas, armies and kinds of units are written by their ids."""

    vocabulary: ClassVar = VOCABULARY

    def value(self, symbol: str) -> str:
        return self.word("value", symbol)

    def card(self, card: str) -> str:
        return self.word("card", card)

    def cards(self, cards: Iterable[str]) -> str:
        return ", ".join([self.card(card) for card in cards]) or self.value("NONE")

    def at(self, area: str) -> str:
        """Inside an order: AT LIE, in French @LIE."""
        return f"@{area}" if self.language == "fr" else f" AT {area}"


ENGLISH = Pen("en")
