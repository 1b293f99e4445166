"""The names a pack gives: armies, fronts, locations, tiles, factions, as words of the order language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TypeAlias, TypeVar

from engine.games.first_world_war.answers import Alliance, Faction
from engine.games.first_world_war.notation.scan import one_word
from engine.games.first_world_war.pack import Pack
from engine.kernel.game import Language

T = TypeVar("T")
Names: TypeAlias = Mapping[str, T]  # word -> what it names

MOST_PARTS = 4  # "They Shall Not Pass"


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """All names of one pack."""

    pack: Pack
    armies: Names[str]  # real armies and dummies
    fronts: Names[int]
    locations: Names[str]
    factions: Names[Faction]
    own_armies: Mapping[Alliance, Names[str]]  # of one side, to be proposed
    own_counters: Mapping[Alliance, frozenset[str]]
    tiles: Mapping[Alliance, Names[str]]
    tile_words: Mapping[Language, Mapping[str, str]]  # tile id -> how it is written


def find(words: Names[T], tokens: Sequence[str], at: int) -> tuple[T, int] | None:
    """What is named here and by how many words; a longer name may be written apart ("BIG BERTHA", "DE 1").

    The last token is no word: it marks the end.
    """
    if (thing := words.get(tokens[at])) is not None:
        return thing, 1
    for parts in range(min(MOST_PARTS, len(tokens) - 1 - at), 1, -1):
        if (thing := words.get("".join(tokens[at : at + parts]))) is not None:
            return thing, parts
    return None


@cache
def lexicon(pack: Pack) -> Lexicon:
    tiles = {alliance: _names(_tile_names(pack, alliance)) for alliance in pack.alliances}
    own = {alliance: _names(_own_armies(pack, alliance)) for alliance in pack.alliances}
    return Lexicon(
        pack=pack,
        armies=_names(_army_names(pack)),
        fronts=_names(_front_names(pack)),
        locations=_names(_location_names(pack)),
        factions=_names((name, row.id) for row in pack.factions.values() for name in (row.id, *row.aliases)),
        own_armies=MappingProxyType(own),
        own_counters=MappingProxyType({one: frozenset(names.values()) for one, names in own.items()}),
        tiles=MappingProxyType(tiles),
        tile_words=MappingProxyType({"en": _written(pack, tiles, "en"), "fr": _written(pack, tiles, "fr")}),
    )


def _names(entries: Iterable[tuple[str, T]]) -> Names[T]:
    """Where two things share a word the first keeps it."""
    words: dict[str, T] = {}
    for name, thing in entries:
        words.setdefault(one_word(name), thing)
    return words


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
        for name in (str(number), f"F{number}", front.names["en"], front.names["fr"]):
            yield name, number


def _location_names(pack: Pack) -> Iterable[tuple[str, str]]:
    for row in pack.locations.values():
        for name in (row.id, *row.aliases, row.names["en"], row.names["fr"]):
            yield name, row.id


def _tile_names(pack: Pack, alliance: Alliance) -> Iterable[tuple[str, str]]:
    """Id, key, and the names of both languages; then the id without its zero (A1)."""
    for tile in pack.tiles_of[alliance]:
        row = pack.tiles[tile]
        for name in (row.id, row.key, row.names["en"], row.names["fr"]):
            yield name, tile
    for tile in pack.tiles_of[alliance]:
        if tile[1:2] == "0":
            yield tile[0] + tile[2:], tile


def _written(pack: Pack, tiles: Mapping[Alliance, Names[str]], language: Language) -> Mapping[str, str]:
    """English: the key. French: the name as one word. The id, if that would be read as another tile."""
    found = {}
    for tile, row in pack.tiles.items():
        word = row.key if language == "en" else one_word(row.names["fr"])
        found[tile] = word if tiles[row.alliance].get(word) == tile else row.id
    return MappingProxyType(found)
