"""A line's words, read from left to right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from engine.games.to_the_last_man.answers import Side
from engine.games.to_the_last_man.notation.lexicon import Lexicon, Names, find
from engine.games.to_the_last_man.notation.reasons import Misread, illegal, unreadable
from engine.games.to_the_last_man.notation.words import ARROWS, OPERATORS, VALUES, spelled

T = TypeVar("T")
END = ""  # what is seen behind the last word
MOST_FIGURES = 9

_NONE = spelled(VALUES, only=["NONE"])


class Cursor:
    """Where the reader stands. `seen` is END behind the last word."""

    __slots__ = ("_at", "_tokens", "lexicon", "seen", "side")

    def __init__(self, tokens: list[str], lexicon: Lexicon, side: Side) -> None:
        self._tokens = [*tokens, END]
        self._at = 0
        self.seen = self._tokens[0]
        self.lexicon, self.side = lexicon, side

    def copy(self) -> Cursor:
        """Another one at the same place, to look ahead with."""
        return Cursor(self._tokens[self._at : -1], self.lexicon, self.side)

    # ------------------------------------------------------------ words

    def step(self, words: int = 1) -> None:
        self._at += words
        self.seen = self._tokens[self._at]

    def ahead(self, words: int = 1) -> str:
        """A word behind the one in view."""
        return self._tokens[min(self._at + words, len(self._tokens) - 1)]

    def accept(self, table: Mapping[str, T]) -> T | None:
        """The symbol of the word in view, which is then passed; None: not in the table."""
        symbol = table.get(self.seen)
        if symbol is not None:
            self.step()
        return symbol

    def accepts(self, table: Mapping[str, object]) -> bool:
        """Was it one of these? Then it is passed."""
        return self.accept(table) is not None

    def is_none(self) -> bool:
        """Was it NONE? Then it is passed, and nothing can follow it in a list."""
        if not self.accepts(_NONE):
            return False
        if self.seen == ",":
            raise unreadable("after-none", {"word": self.ahead()})
        return True

    def expect(self, table: Mapping[str, T], expected: str) -> T:
        symbol = self.accept(table)
        if symbol is None:
            raise self.astray(expected, table)
        return symbol

    def skips(self, sign: str) -> bool:
        """Was it that sign? Then it is passed."""
        if self.seen == sign:
            self.step()
            return True
        return False

    def sign(self, sign: str, expected: str) -> None:
        if not self.skips(sign):
            raise self.astray(expected, {sign: 1})

    def arrow(self) -> bool:
        """Was it an arrow? Then it is passed."""
        if self.seen in ARROWS:
            self.step()
            return True
        return False

    def operator(self) -> str:
        return self.expect(OPERATORS, "operator")

    def astray(self, expected: str, *near: Mapping[str, object]) -> Misread:
        """What is in view is not what should stand here."""
        if not self.seen:
            return unreadable("missing", {"expected": expected}, "", near)
        return unreadable("unknown-word", {"word": self.seen, "expected": expected}, self.seen, near)

    # ------------------------------------------------------------ numbers and names

    def sees_number(self) -> bool:
        return self.seen.isascii() and self.seen.isdigit()

    def number(self, least: int, most: int) -> int:
        if not self.sees_number():
            raise self.astray("number")
        found = bounded(self.seen, least, most)
        self.step()
        return found

    def sees(self, names: Names[T]) -> T | None:
        """The thing named in view, not passed; None: no such name."""
        found = find(names, self._tokens, self._at)
        return None if found is None else found[0]

    def name(self, names: Names[T]) -> T | None:
        """The thing named in view, passed; None: no such name."""
        found = find(names, self._tokens, self._at)
        if found is None:
            return None
        self.step(found[1])
        return found[0]

    def area(self, expected: str = "area") -> str:
        area = self.name(self.lexicon.areas)
        if area is None:
            raise self.astray(expected, self.lexicon.areas)
        return area

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
        card = self.name(self.lexicon.cards)
        if card is None:
            raise self.astray("card", self.lexicon.cards)
        return card

    def type(self) -> str:
        type_ = self.name(self.lexicon.types)
        if type_ is None:
            raise self.astray("type", self.lexicon.types)
        return type_


def bounded(figures: str, least: int, most: int) -> int:
    number = int(figures) if len(figures) <= MOST_FIGURES else most + 1
    if not least <= number <= most:
        raise unreadable("out-of-range", {"number": figures[:MOST_FIGURES], "least": least, "most": most})
    return number
