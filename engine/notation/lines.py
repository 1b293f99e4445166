"""Lines of a sheet, and the reader that makes them of a text: for every line an order or a refusal."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property, lru_cache
from typing import ClassVar, Final, Generic, TypeVar

from engine.kernel.errors import Ambiguous, Refusal, Unreadable
from engine.kernel.game import Language, Line, Reading, View
from engine.notation.reasons import CONTRADICTION, NOTATION, Misread
from engine.notation.scan import Scanner, one_word
from engine.notation.words import Keywords

MOST_SUGGESTED: Final = 40  # lines of one text for which similar words are looked up
NEAR: Final = 0.6  # of 1: how similar a word must be
FEW: Final = 4  # words that can be suggested all together

L = TypeVar("L", bound=Line)
_LINE_ENDS = re.compile(r"\r\n|\r|\n")


class Reader(ABC, Generic[L]):
    """One text, one view. A game says in `read_line` what the words of one line mean."""

    scanner: ClassVar[Scanner]
    vocabulary: ClassVar[Keywords]

    def __init__(self, text: str, view: View) -> None:
        self.text, self.view = text, view
        self.refusals: list[Refusal] = []
        self._looked_up = 0

    @abstractmethod
    def read_line(self, words: list[str], number: int) -> Sequence[L]:
        """The lines that one line of text holds, in most cases one; raises Misread."""

    def lines(self) -> list[L]:
        """Every line of the text: understood, or refused with its number and the words it was written in."""
        return [line for n, raw in enumerate(_LINE_ENDS.split(self.text), 1) for line in self._lines(raw, n)]

    def refuse_contradictions(self, lines: Sequence[L]) -> None:
        """Orders of a turn of which each means to decide the same alone: nobody knows which is meant."""
        questions: dict[str, list[L]] = {}
        for line in lines:
            if line.decides and not line.slot():
                questions.setdefault(line.decides, []).append(line)
        for group in questions.values():
            self.refuse_as_contradictory(group)

    def refuse_behind(self, lines: Sequence[L], is_last: Callable[[L], bool]) -> None:
        """Lines that are tried in sequence: none behind one that can always be done ever is."""
        end = next((n for n, line in enumerate(lines) if is_last(line)), len(lines))
        self.refuse_as_contradictory(lines[end:])

    def refuse_as_contradictory(self, lines: Sequence[L]) -> None:
        """Each of these lines, unless all say the same."""
        language = self.tongue or "en"
        said = {line.write(language): line.number for line in reversed(lines)}
        if len(said) < 2:
            return
        rows, numbers = _LINE_ENDS.split(self.text), sorted({line.number for line in lines})
        before = {one.line for one in self.refusals if one.reason == CONTRADICTION}
        for number in (one for one in numbers if one not in before):
            told = Ambiguous(
                NOTATION, CONTRADICTION, {"lines": tuple(numbers)}, number, rows[number - 1].strip()
            )
            self.refusals.append(replace(told, meanings=tuple(reversed(said))))

    def reading(self) -> Reading:
        """Lines with a slot are standing orders, the others orders of a turn."""
        orders: list[L] = []
        standing: list[L] = []
        for line in self.lines():
            (standing if line.slot() else orders).append(line)
        self.refuse_contradictions(orders)
        return Reading(tuple(orders), tuple(standing), tuple(self.refusals))

    def _lines(self, raw: str, number: int) -> Sequence[L]:
        try:
            words = self.scanner.tokens(raw)
            return self.read_line(words, number) if words else ()
        except Misread as misread:
            refusal = replace(misread.refusal, line=number, text=raw.strip())
            if isinstance(refusal, Unreadable):
                refusal = replace(refusal, suggestions=self._suggestions(misread))
            self.refusals.append(refusal)
            return ()

    @cached_property
    def tongue(self) -> Language | None:
        """The writer's language, by the whole text."""
        return self.vocabulary.tongue(self.text)

    def _suggestions(self, misread: Misread) -> tuple[str, ...]:
        """Words near to the one not understood; without such, all that fit if they are few."""
        self._looked_up += 1
        if not misread.near or self._looked_up > MOST_SUGGESTED:
            return ()
        foreign = self.vocabulary.foreign_to(self.tongue)
        known = {w: thing for table in misread.near for w, thing in table.items() if w not in foreign}
        close = _near(misread.word[:40], tuple(known))
        if not close and _are_few(known):
            close = tuple(known)
        return tuple(dict.fromkeys(_shown(word, known[word]) for word in close))


@lru_cache(maxsize=1024)
def _near(word: str, among: tuple[str, ...]) -> tuple[str, ...]:
    """The most similar words, nearest first; those that cannot be are not compared letter by letter."""
    size, letters = len(word), frozenset(word)
    alike = [
        one
        for one in among
        if 2 * min(size, len(one)) >= NEAR * (size + len(one)) and not letters.isdisjoint(one)
    ]
    return tuple(get_close_matches(word, alike, n=3, cutoff=NEAR))


def _are_few(known: Mapping[str, object]) -> bool:
    shown = set[str]()
    for word, thing in known.items():
        shown.add(_shown(word, thing))
        if len(shown) > FEW:
            return False
    return True


def _shown(word: str, thing: object) -> str:
    """An id as it is written (DE-AA for DEAA), everything else by the word itself."""
    return thing if isinstance(thing, str) and one_word(thing) == word else word
