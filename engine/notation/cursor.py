"""A line's words, read from left to right; and the names that a pack gives to things."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from copy import copy
from types import MappingProxyType
from typing import Protocol, Self, TypeVar

from engine.notation.reasons import Misread, unreadable
from engine.notation.scan import one_word
from engine.notation.words import ARROWS, OPERATORS

T = TypeVar("T")

END = ""  # what is seen behind the last word
MOST_FIGURES = 9

_NO_WORDS: Mapping[str, object] = MappingProxyType({})


class Named(Protocol):
    """A row of a pack with its names in both languages."""

    @property
    def names(self) -> Mapping[str, str]: ...


def both(row: Named) -> tuple[str, str]:
    return row.names["en"], row.names["fr"]


class NameTable(dict[str, T]):
    """Word -> what it names; and with what longer words begin. Made once, never changed."""

    __slots__ = ("beginnings",)

    def __init__(self, words: Mapping[str, T]) -> None:
        super().__init__(words)
        self.beginnings = frozenset(word[:length] for word in words for length in range(1, len(word)))


def name_table(entries: Iterable[tuple[str, T]]) -> NameTable[T]:
    """Name, thing: as words that are looked up. Where two things share a word the first keeps it."""
    words: dict[str, T] = {}
    for name, thing in entries:
        words.setdefault(one_word(name), thing)
    return NameTable(words)


def find(names: NameTable[T], tokens: Sequence[str], at: int) -> tuple[T, int] | None:
    """What is named here and by how many tokens: the longest name, its words apart or hyphenated.

    Figures are not joined: D1 2 is not D12. The last token is no word: it marks the end.
    """
    found: tuple[T, int] | None = None
    joined, place = "", at
    while (word := tokens[place])[:1].isalnum() and not (joined[-1:].isdigit() and word[0].isdigit()):
        joined += word
        place += 1
        if (thing := names.get(joined)) is not None:
            found = thing, place - at
        if joined not in names.beginnings:
            break
        if tokens[place] == "-":
            place += 1
    return found


class Cursor:
    """Where the reader stands. `seen` is END behind the last word. A game adds what its names are."""

    __slots__ = ("_at", "_tokens", "seen")

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = [*tokens, END]
        self._at = 0
        self.seen = self._tokens[0]

    def copy(self) -> Self:
        """Another one at the same place, to look ahead with."""
        return copy(self)

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

    def accepts(self, table: Container[str]) -> bool:
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

    def astray(self, expected: str, *near: Mapping[str, object]) -> Misread:
        """What is in view is not what should stand here; `near`: the words that could."""
        if not self.seen:
            return unreadable("missing", {"expected": expected}, "", near)
        return unreadable("unknown-word", {"word": self.seen, "expected": expected}, self.seen, near)

    def verb(self, verbs: Mapping[str, str]) -> str:
        """The order that begins here; its word is not passed yet."""
        verb = verbs.get(self.seen)
        if verb is not None:
            return verb
        if not self.seen:
            raise unreadable("missing", {"expected": "order"})
        raise unreadable("unknown-order", {"word": self.seen}, self.seen, (verbs,))

    def expect_end(self, otherwise: Mapping[str, object] = _NO_WORDS) -> None:
        """Nothing may follow; `otherwise`: the words for ELSE, which would have needed an IF."""
        if self.seen in otherwise:
            raise unreadable("else-without-if")
        if self.seen != END:
            raise unreadable("left-over", {"word": self.seen})

    # ------------------------------------------------------------ signs and lists

    def skips(self, sign: str) -> bool:
        """Was it that sign? Then it is passed."""
        return self.accepts((sign,))

    def sign(self, sign: str, expected: str) -> None:
        if not self.skips(sign):
            raise self.astray(expected, {sign: 1})

    def arrow(self) -> bool:
        """Was it an arrow? Then it is passed."""
        return self.accepts(ARROWS)

    def operator(self) -> str:
        return self.expect(OPERATORS, "operator")

    def several(self, read_one: Callable[[Self], T], sign: str = ",") -> tuple[T, ...]:
        """One or more, that sign between them."""
        found = [read_one(self)]
        while self.skips(sign):
            found.append(read_one(self))
        return tuple(found)

    def several_different(self, read_one: Callable[[Self], T], sign: str = ",") -> tuple[T, ...]:
        """The same, each named once: whoever names a thing twice may have meant another."""
        return all_different(self.several(read_one, sign))

    # ------------------------------------------------------------ numbers and names

    def sees_number(self) -> bool:
        return self.seen.isascii() and self.seen.isdigit()

    def number(self, least: int, most: int) -> int:
        if not self.sees_number():
            raise self.astray("number")
        found = bounded(self.seen, least, most)
        self.step()
        return found

    def sees(self, names: NameTable[T]) -> T | None:
        """The thing named in view, not passed; None: no such name."""
        found = find(names, self._tokens, self._at)
        return None if found is None else found[0]

    def name(self, names: NameTable[T]) -> T | None:
        """The thing named in view, passed; None: no such name."""
        found = find(names, self._tokens, self._at)
        if found is None:
            return None
        self.step(found[1])
        return found[0]

    def expect_name(self, names: NameTable[T], expected: str, near: Mapping[str, object] | None = None) -> T:
        """`near`: what a misspelt name was probably meant to be, if not any of all names."""
        found = self.name(names)
        if found is None:
            raise self.astray(expected, names if near is None else near)
        return found


def all_different(things: Iterable[T]) -> tuple[T, ...]:
    """These, if each is named once; raises Misread."""
    found: list[T] = []
    for thing in things:
        if thing in found:
            raise unreadable("named-again", {"word": str(thing)})
        found.append(thing)
    return tuple(found)


def bounded(figures: str, least: int, most: int) -> int:
    """The number that these figures are; raises Misread outside its bounds."""
    number = int(figures) if len(figures) <= MOST_FIGURES else most + 1
    if not least <= number <= most:
        raise unreadable("out-of-range", {"number": figures[:MOST_FIGURES], "least": least, "most": most})
    return number
