"""A line's words, read from left to right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from engine.games.first_world_war.answers import Alliance
from engine.games.first_world_war.notation.lexicon import Lexicon, Names, find
from engine.games.first_world_war.notation.reasons import Misread, illegal, unreadable
from engine.games.first_world_war.notation.words import ARROWS, OPERATORS, VALUES, spelled

T = TypeVar("T")
END = ""  # what is seen behind the last word
MOST_FIGURES = 9

_FRONT_WORD = spelled(VALUES, only=["FRONT"])


class Cursor:
    """Where the reader stands. `seen` is END behind the last word."""

    __slots__ = ("_at", "_tokens", "alliance", "lexicon", "seen")

    def __init__(self, tokens: list[str], lexicon: Lexicon, alliance: Alliance) -> None:
        self._tokens = [*tokens, END]
        self._at = 0
        self.seen = self._tokens[0]
        self.lexicon, self.alliance = lexicon, alliance

    # ------------------------------------------------------------ words

    def step(self, words: int = 1) -> None:
        self._at += words
        self.seen = self._tokens[self._at]

    def ahead(self) -> str:
        """The word behind the one in view."""
        return self._tokens[self._at + 1] if self.seen else END

    def accept(self, table: Mapping[str, T]) -> T | None:
        """The symbol of the word in view, which is then passed; None: not in the table."""
        symbol = table.get(self.seen)
        if symbol is not None:
            self.step()
        return symbol

    def accepts(self, table: Mapping[str, object]) -> bool:
        """Was it one of these? Then it is passed."""
        if self.seen in table:
            self.step()
            return True
        return False

    def expect(self, table: Mapping[str, T], expected: str) -> T:
        symbol = self.accept(table)
        if symbol is None:
            raise self.astray(expected, table)
        return symbol

    def skip(self, sign: str) -> None:
        if self.seen == sign:
            self.step()

    def astray(self, expected: str, *near: Mapping[str, object]) -> Misread:
        """What is in view is not what should stand here."""
        if not self.seen:
            return unreadable("missing", {"expected": expected}, "", near)
        return unreadable("unknown-word", {"word": self.seen, "expected": expected}, self.seen, near)

    # ------------------------------------------------------------ names

    @property
    def own_armies(self) -> Names[str]:
        """What a misspelt army was probably meant to be."""
        return self.lexicon.own_armies[self.alliance]

    @property
    def own_counters(self) -> frozenset[str]:
        return self.lexicon.own_counters[self.alliance]

    def name(self, names: Names[T]) -> T | None:
        """The thing named in view, passed; None: no such name."""
        found = find(names, self._tokens, self._at)
        if found is None:
            return None
        self.step(found[1])
        return found[0]

    def front(self) -> int:
        self.accept(_FRONT_WORD)  # FRONT 3
        front = self.name(self.lexicon.fronts)
        if front is None:
            raise self.astray("front", self.lexicon.fronts)
        return front

    def location(self) -> str:
        location = self.name(self.lexicon.locations)
        if location is None:
            raise self.astray("location", self.lexicon.locations)
        return location

    def one_army(self) -> str:
        army = self.name(self.lexicon.armies)
        if army is None:
            raise self.astray("one-army", self.own_armies)
        return army

    def tile(self) -> str | None:
        """An own tile; one that only the enemy has is refused."""
        tiles = self.lexicon.tiles
        tile = self.name(tiles[self.alliance])
        if tile is None:
            for alliance, others in tiles.items():
                if alliance != self.alliance and (foreign := self.name(others)) is not None:
                    raise illegal("FWW-3-5", "not-your-tile", {"tile": foreign})
        return tile

    def number(self, least: int, most: int) -> int:
        word = self.seen
        if not (word.isascii() and word.isdigit()):
            raise self.astray("number")
        number = int(word) if len(word) <= MOST_FIGURES else most + 1
        if not least <= number <= most:
            raise unreadable("out-of-range", {"number": word[:MOST_FIGURES], "least": least, "most": most})
        self.step()
        return number

    def sees_number(self) -> bool:
        return self.seen.isascii() and self.seen.isdigit()

    def sees_route(self) -> bool:
        """A front and an arrow."""
        return self.ahead() in ARROWS and self.seen in self.lexicon.fronts

    # ------------------------------------------------------------ signs

    def arrow(self) -> None:
        if self.seen not in ARROWS:
            raise self.astray("arrow", {">": 1})
        self.step()

    def operator(self) -> str:
        operator = OPERATORS.get(self.seen)
        if operator is None:
            raise self.astray("operator", OPERATORS)
        self.step()
        return operator
