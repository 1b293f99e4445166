"""The order language: HIDE Mill, SEARCH Bridge; in French CACHE Moulin, FOUILLE Pont."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, ClassVar

from engine.kernel.game import Language, Line, Notation, Reading, Said
from engine.kernel.requests import Answer, Ask
from engine.notation import words
from engine.notation.cursor import Cursor, NameTable, both, name_table
from engine.notation.lines import Reader
from engine.notation.scan import Scanner
from engine.notation.words import Keywords, symbol_table

from .pack import Pack

VERBS = {"hide": ("HIDE", "CACHE CACHER"), "search": ("SEARCH", "FOUILLE FOUILLER")}
PREFIXES = {"ALWAYS": ("ALWAYS", "TOUJOURS")}
VOCABULARY = Keywords({"verb": VERBS, "prefix": PREFIXES})
_VERBS, _ALWAYS = symbol_table(VERBS), symbol_table(PREFIXES)


class Pen(words.Pen):
    vocabulary: ClassVar = VOCABULARY


@cache
def post_names(pack: Pack) -> NameTable[str]:
    return name_table((name, row.id) for row in pack.posts.values() for name in (row.id, *both(row)))


@dataclass(frozen=True, slots=True)
class OrderLine(Line):
    topic: str
    post: str
    lasting: bool = False
    number: int = field(default=0, compare=False)

    def attempt(self, ask: Ask, view: Any) -> Said | None:
        return Said(self.post) if ask.topic == self.topic else None

    def slot(self) -> str:
        return self.topic if self.lasting else ""

    def write(self, language: Language = "en") -> str:
        pen = Pen(language)
        return pen(*(("ALWAYS",) if self.lasting else ()), self.topic, self.post)


class _Reader(Reader[OrderLine]):
    scanner, vocabulary = Scanner(), VOCABULARY

    def read_line(self, words: list[str], number: int) -> list[OrderLine]:
        cursor = Cursor(words)
        lasting = cursor.accepts(_ALWAYS)
        topic = cursor.verb(_VERBS)
        cursor.step()
        post = cursor.expect_name(post_names(self.view.pack), "post")
        cursor.expect_end()
        return [OrderLine(topic, post, lasting, number)]


class OrderLanguage(Notation):
    def read(self, text: str, view: Any) -> Reading:
        return _Reader(text, view).reading()

    def write_answer(self, ask: Ask, answer: Answer, language: Language = "en", view: Any = None) -> str:
        return OrderLine(ask.topic, answer).write(language)

    def make_standing(self, reading: Reading) -> Reading:
        """Inside STANDING … END the word ALWAYS goes without saying."""
        lines = (*reading.standing, *reading.orders)
        lasting = [replace(line, lasting=True) for line in lines if isinstance(line, OrderLine)]
        return Reading((), tuple(lasting), reading.refusals)
