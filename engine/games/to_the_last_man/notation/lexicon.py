"""The names a pack gives: areas, armies, cards, nations and kinds of units, as words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TypeAlias, TypeVar

from engine.games.to_the_last_man.answers import Side
from engine.games.to_the_last_man.notation.scan import one_word
from engine.games.to_the_last_man.notation.words import CARDS, CORPS, TYPES, spelled
from engine.games.to_the_last_man.pack import Pack

T = TypeVar("T")
Names: TypeAlias = Mapping[str, T]  # word -> what it names

MOST_PARTS = 7  # words of the longest name
ENDINGS = ("E", "EME", "ER", "RE", "ERE", "ST", "ND", "RD", "TH")  # 5e, 1re, 2nd


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """All names of one pack."""

    pack: Pack
    areas: Names[str]
    armies: Names[str]
    own_armies: Mapping[Side, Names[str]]  # of one side, to be proposed
    cards: Names[str]
    types: Names[str]
    nations: Names[str]
    sides: Names[str]
    corps: Names[str]  # Commonwealth counters


def find(words: Names[T], tokens: Sequence[str], at: int) -> tuple[T, int] | None:
    """What is named here and by how many tokens: the longest name, its words apart or hyphenated.

    The last token is no word: it marks the end.
    """
    found: tuple[T, int] | None = None
    joined, place, parts = "", at, 0
    while parts < MOST_PARTS and tokens[place][:1].isalnum():
        joined += tokens[place]
        place, parts = place + 1, parts + 1
        if (thing := words.get(joined)) is not None:
            found = thing, place - at
        if tokens[place] == "-":
            place += 1
    return found


@cache
def lexicon(pack: Pack) -> Lexicon:
    armies = dict(_army_names(pack))
    own = {
        side: MappingProxyType({word: army for word, army in armies.items() if pack.side_of[army] == side})
        for side in pack.sides
    }
    return Lexicon(
        pack=pack,
        areas=_names(_area_names(pack)),
        armies=MappingProxyType(armies),
        own_armies=MappingProxyType(own),
        cards=_names(_card_names(pack)),
        types=_names(_type_names(pack)),
        nations=_names((name, row.id) for row in pack.nations.values() for name in (row.id, *_both(row))),
        sides=_names((name, row.id) for row in pack.sides.values() for name in (row.id, *_both(row))),
        corps=_names(_corps_names(pack)),
    )


def _names(entries: Iterable[tuple[str, T]]) -> Names[T]:
    """Where two things share a word the first keeps it."""
    words: dict[str, T] = {}
    for name, thing in entries:
        words.setdefault(one_word(name), thing)
    return MappingProxyType(words)


def _both(row: object) -> tuple[str, str]:
    names: Mapping[str, str] = row.names  # type: ignore[attr-defined]  # every row with a name has both
    return names["en"], names["fr"]


def _area_names(pack: Pack) -> Iterable[tuple[str, str]]:
    """Ids first: no name takes one away."""
    yield from ((area, area) for area in pack.areas)
    for row in pack.areas.values():
        for name in (*_both(row), *row.aliases):
            yield name, row.id


def _army_names(pack: Pack) -> Iterable[tuple[str, str]]:
    """GE1, 1A-GE, 1st army GE, 1re armee GE, and the names of both languages."""
    for row in pack.armies.values():
        number = row.id.removeprefix(row.nation)
        yield row.id, row.id
        for name in _both(row):
            yield one_word(name), row.id
        if number.isdecimal():
            yield f"{number}A{row.nation}", row.id
            for ending in ENDINGS:
                for word in ("ARMY", "ARMEE"):
                    yield f"{number}{ending}{word}{row.nation}", row.id


def _card_names(pack: Pack) -> Iterable[tuple[str, str]]:
    yield from ((card, card) for card in pack.card_kinds)
    for row in pack.card_kinds.values():
        for name in _both(row):
            yield name, row.id
    for word, card in spelled(CARDS).items():
        if card in pack.card_kinds:
            yield word, card


def _type_names(pack: Pack) -> Iterable[tuple[str, str]]:
    yield from spelled(TYPES).items()
    for row in pack.types.values():
        for name in _both(row):
            yield name, row.id


def _corps_names(pack: Pack) -> Iterable[tuple[str, str]]:
    for unit, row in pack.commonwealth.items():
        for word, number in spelled(CORPS).items():
            if unit.endswith(f".{number}"):
                yield word, unit
        for name in (unit.replace(".", ""), *_both(row)):
            yield name, unit
