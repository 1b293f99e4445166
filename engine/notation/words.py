"""Keywords in two languages: tables of spellings, a writer's language, and the pen that writes."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt
from types import MappingProxyType
from typing import ClassVar, TypeAlias

from engine.kernel.game import Language
from engine.notation.scan import fold

Spellings: TypeAlias = Mapping[str, tuple[str, str]]  # symbol -> English words, French words; canonical first

OPERATORS: Mapping[str, str] = MappingProxyType(
    {"<": "<", "<=": "<=", "=<": "<=", "=": "=", "==": "=", ">=": ">=", "=>": ">=", ">": ">"}
)
COMPARE: Mapping[str, Callable[[int, int], bool]] = MappingProxyType(
    {"<": lt, "<=": le, "=": eq, ">=": ge, ">": gt}
)
ARROWS = frozenset({">", "=>"})  # a long arrow is cut to one of these by the scanner


def symbol_table(*tables: Spellings, only: Iterable[str] = ()) -> Mapping[str, str]:
    """Word -> symbol, over both languages; with `only`, those symbols alone. A word's first entry stands."""
    wanted, found = tuple(only), dict[str, str]()
    for table in tables:
        for symbol, both in table.items():
            for word in " ".join(both).split():
                if not wanted or symbol in wanted:
                    found.setdefault(word, symbol)
    return found


def words_of(table: Spellings, language: Language) -> tuple[str, ...]:
    """All words of one language."""
    return tuple(word for both in table.values() for word in both[language == "fr"].split())


class Keywords:
    """All keywords of one order language, by table. What stands in `neutral` tables tells no language."""

    __slots__ = ("_canonical", "_first", "_only", "tables")

    def __init__(self, tables: Mapping[str, Spellings], neutral: Iterable[str] = ()) -> None:
        self.tables = tables
        self._canonical = {language: _canonical(tables, language) for language in _LANGUAGES}
        self._first = {
            language: dict(ChainMap(*found.values())) for language, found in self._canonical.items()
        }
        telling = [table for name, table in tables.items() if name not in tuple(neutral)]
        english, french = (
            frozenset(word for table in telling for word in words_of(table, language))
            for language in _LANGUAGES
        )
        self._only: Mapping[Language, frozenset[str]] = {"en": english - french, "fr": french - english}

    def word(self, language: Language, table: str, symbol: str) -> str:
        """How that table writes the symbol; what is in no table (a number, an id) stands as it is."""
        return self._canonical[language][table].get(symbol, symbol)

    def first(self, language: Language, symbol: str) -> str:
        """The same over all tables: of two that write it differently the first counts."""
        return self._first[language].get(symbol, symbol)

    def tongue(self, text: str) -> Language | None:
        """The language whose keywords prevail; None if neither does."""
        words = re.findall(r"[A-Z]+", fold(text))
        english, french = (sum(map(self._only[one].__contains__, words)) for one in _LANGUAGES)
        balance = english - french
        if balance == 0:
            return None
        return "en" if balance > 0 else "fr"

    def foreign_to(self, language: Language | None) -> frozenset[str]:
        """Keywords that a writer of this language would not use."""
        if language is None:
            return frozenset()
        return self._only["fr" if language == "en" else "en"]


_LANGUAGES: tuple[Language, Language] = ("en", "fr")


def _canonical(tables: Mapping[str, Spellings], language: Language) -> dict[str, dict[str, str]]:
    return {
        name: {symbol: both[language == "fr"].split()[0] for symbol, both in table.items()}
        for name, table in tables.items()
    }


@dataclass(frozen=True, slots=True)
class Pen:
    """Writes in one language. `pen("ATTACK", 3)` is ATTAQUE 3 in French; where a symbol is spelled
    differently from table to table, `pen.word("value", "ALL")` names the table.
    """

    vocabulary: ClassVar[Keywords]

    language: Language

    def __call__(self, *parts: str | int) -> str:
        first, language = self.vocabulary.first, self.language
        return " ".join([first(language, part) if isinstance(part, str) else str(part) for part in parts])

    def verb(self, symbol: str) -> str:
        return self.word("verb", symbol)

    def clause(self, symbol: str) -> str:
        return self.word("clause", symbol)

    def word(self, table: str, symbol: str) -> str:
        return self.vocabulary.word(self.language, table, symbol)
