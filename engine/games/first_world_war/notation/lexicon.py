"""The names a pack gives: armies, fronts, locations, tiles, factions; how they are read and written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import ClassVar

from engine.games.first_world_war.answers import Alliance, Faction
from engine.games.first_world_war.notation.words import VALUES, VOCABULARY
from engine.games.first_world_war.pack import Pack
from engine.kernel.game import Language
from engine.notation import cursor, words
from engine.notation.cursor import NameTable, both, name_table
from engine.notation.reasons import illegal
from engine.notation.scan import one_word
from engine.notation.words import ARROWS, symbol_table

_FRONT_WORD = symbol_table(VALUES, only=["FRONT"])


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """All names of one pack."""

    pack: Pack
    armies: NameTable[str]  # real armies and dummies
    fronts: NameTable[int]
    locations: NameTable[str]
    factions: NameTable[Faction]
    own_armies: Mapping[Alliance, NameTable[str]]  # of one side, to be proposed
    own_counters: Mapping[Alliance, frozenset[str]]
    tiles: Mapping[Alliance, NameTable[str]]
    tile_words: Mapping[Language, Mapping[str, str]]  # tile id -> how it is written


@cache
def lexicon(pack: Pack) -> Lexicon:
    tiles = {alliance: name_table(_tile_names(pack, alliance)) for alliance in pack.alliances}
    own = {alliance: name_table(_own_armies(pack, alliance)) for alliance in pack.alliances}
    return Lexicon(
        pack=pack,
        armies=name_table(_army_names(pack)),
        fronts=name_table(_front_names(pack)),
        locations=name_table(_location_names(pack)),
        factions=name_table(
            (name, row.id) for row in pack.factions.values() for name in (row.id, *row.aliases)
        ),
        own_armies=MappingProxyType(own),
        own_counters=MappingProxyType({one: frozenset(names.values()) for one, names in own.items()}),
        tiles=MappingProxyType(tiles),
        tile_words=MappingProxyType({"en": _written(pack, tiles, "en"), "fr": _written(pack, tiles, "fr")}),
    )


def _army_names(pack: Pack) -> Iterable[tuple[str, str]]:
    """Ids; an army that is alone of its nationality is also called by that (MEF, OR)."""
    for counter in (*pack.armies, *pack.dummies):
        yield counter, counter
    nations = [army.nationality for army in pack.armies.values()]
    for army in pack.armies.values():
        if nations.count(army.nationality) == 1:
            yield army.nationality, army.id


def _own_armies(pack: Pack, alliance: Alliance) -> Iterable[tuple[str, str]]:
    return ((name, army) for name, army in _army_names(pack) if _side(pack, army) == alliance)


def _side(pack: Pack, counter: str) -> Alliance:
    return pack.alliance_of[pack.faction_of[counter]]


def _front_names(pack: Pack) -> Iterable[tuple[str, int]]:
    for number, front in pack.fronts.items():
        for name in (str(number), f"F{number}", *both(front)):
            yield name, number


def _location_names(pack: Pack) -> Iterable[tuple[str, str]]:
    for row in pack.locations.values():
        for name in (row.id, *row.aliases, *both(row)):
            yield name, row.id


def _tile_names(pack: Pack, alliance: Alliance) -> Iterable[tuple[str, str]]:
    """Id, key, and the names of both languages; then the id without its zero (A1)."""
    for tile in pack.tiles_of[alliance]:
        row = pack.tiles[tile]
        for name in (row.id, row.key, *both(row)):
            yield name, tile
    for tile in pack.tiles_of[alliance]:
        if tile[1:2] == "0":
            yield tile[0] + tile[2:], tile


def _written(pack: Pack, tiles: Mapping[Alliance, NameTable[str]], language: Language) -> Mapping[str, str]:
    """English: the key. French: the name as one word. The id, if that would be read as another tile."""
    found = {}
    for tile, row in pack.tiles.items():
        word = row.key if language == "en" else one_word(row.names["fr"])
        found[tile] = word if tiles[row.alliance].get(word) == tile else row.id
    return MappingProxyType(found)


# ------------------------------------------------------------------ reading and writing them


class Cursor(cursor.Cursor):
    """A line of one alliance's, and the names it may hold."""

    __slots__ = ("alliance", "lexicon")

    def __init__(self, tokens: list[str], lexicon: Lexicon, alliance: Alliance) -> None:
        super().__init__(tokens)
        self.lexicon, self.alliance = lexicon, alliance

    @property
    def own_armies(self) -> NameTable[str]:
        """What a misspelt army was probably meant to be."""
        return self.lexicon.own_armies[self.alliance]

    @property
    def own_counters(self) -> frozenset[str]:
        return self.lexicon.own_counters[self.alliance]

    def front(self) -> int:
        self.accept(_FRONT_WORD)  # FRONT 3
        return self.expect_name(self.lexicon.fronts, "front")

    def location(self) -> str:
        return self.expect_name(self.lexicon.locations, "location")

    def one_army(self) -> str:
        return self.expect_name(self.lexicon.armies, "one-army", self.own_armies)

    def tile(self) -> str | None:
        """An own tile; one that only the enemy has is refused."""
        tiles = self.lexicon.tiles
        tile = self.name(tiles[self.alliance])
        if tile is None:
            for alliance, others in tiles.items():
                if alliance != self.alliance and (foreign := self.name(others)) is not None:
                    raise illegal("FWW-3-5", "not-your-tile", {"tile": foreign})
        return tile

    def sees_route(self) -> bool:
        """A front and an arrow."""
        return self.ahead() in ARROWS and self.seen in self.lexicon.fronts

    def expect_arrow(self) -> None:
        if not self.arrow():
            raise self.astray("arrow", {">": 1})


@dataclass(frozen=True, slots=True)
class Pen(words.Pen):
    """What is no symbol (an id, 2D, a number) stands as it is."""

    vocabulary: ClassVar = VOCABULARY

    lexicon: Lexicon | None = None  # without it tiles are written by their ids

    def tiles(self, tiles: Iterable[str]) -> str:
        """Tiles by name; BEST, ZERO and NONE are symbols."""
        if self.lexicon is None:
            return self(*tiles)
        names = self.lexicon.tile_words[self.language]
        return " ".join([names[tile] if tile in names else self(tile) for tile in tiles])

    def front(self, front: int | None) -> str:
        everywhere = "TOUT" if self.language == "fr" else "ALL"
        return everywhere if front is None else str(front)
