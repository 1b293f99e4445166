"""What an order is: one clause, with or without a condition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from engine.games.to_the_last_man.notation.conditions import Condition, holds, write_condition
from engine.games.to_the_last_man.notation.lexicon import Pen
from engine.games.to_the_last_man.view import View
from engine.kernel.errors import Refusal
from engine.kernel.game import Said
from engine.kernel.requests import Ask

EARLY = frozenset({"HITS", "WEATHER"})  # what nobody knows before battles are declared
NO_HITS = frozenset({"HITS"})  # what is known only where hits are to be paid
GENERAL = "~"  # in a slot: sorts behind every area
SPECIAL = "|"  # … and this before it: FRONT, NEW


class Clause:
    """What is said, without where and on what condition. Frozen; what it means is found on a view."""

    __slots__ = ()
    topics: ClassVar[tuple[str, ...]]  # the questions it can answer
    kind: ClassVar[str]  # of standing orders of one kind and place, each replaces its predecessor
    stage: ClassVar[int] = -1  # 7.6-05 of acts of production
    planned: ClassVar[bool] = False  # a part of the battle plan
    placed: ClassVar[bool] = False  # may have AT before it
    lasting: ClassVar[bool] = False  # may be a standing order
    stays: ClassVar[bool] = False  # in a sheet it serves as often as its question is put
    single: ClassVar[bool] = False  # where lines give parts of an answer: this one gives all of its kind
    unknown: ClassVar[frozenset[str]] = EARLY  # what its conditions may not use

    def attempt(self, ask: Ask, view: View, where: Sequence[str]) -> Said | None:
        """What it means as an answer to that question, legal or not, for those of its areas that count."""
        raise AssertionError(f"{type(self).__name__} answers nothing")

    def scope(self, ask: Ask, view: View) -> tuple[str, ...]:
        """The areas that its condition is tested for, one by one; '' where none is concerned."""
        return (ask.given.place(),)

    def has_area(self) -> bool:
        """Does its condition speak of an area?"""
        return self.placed

    def place(self) -> str:
        """In a slot: what it is about, if it names that itself."""
        return ""

    @property
    def always_fits(self) -> bool:
        """Is it offered whenever its question comes? Then none of its kind behind it is ever tried."""
        return False

    def write(self, pen: Pen) -> str:
        raise AssertionError(f"{type(self).__name__} is never written")

    def unclear(self, view: View) -> tuple[str, ...]:
        """More than one meaning as things stand: how each would be written."""
        return ()

    def refusal(self, area: str, view: View) -> Refusal | None:
        """What can never be done, with AT that area before it ('' : none)."""
        return None


@dataclass(frozen=True, slots=True)
class Item:
    """clause [IF condition] [ELSE clause]."""

    clause: Clause
    condition: Condition = ()
    otherwise: Clause | None = None

    def clauses(self) -> tuple[Clause, ...]:
        return (self.clause,) if self.otherwise is None else (self.clause, self.otherwise)

    def attempt(self, ask: Ask, view: View) -> Said | None:
        clause, where = self.applying(ask, view)
        if clause is None or ask.topic not in clause.topics:
            return None
        return clause.attempt(ask, view, where)

    def applying(self, ask: Ask, view: View) -> tuple[Clause | None, tuple[str, ...]]:
        """The clause that counts, and the areas for which its condition holds."""
        scope = self.clause.scope(ask, view)
        if not self.condition:
            return self.clause, scope
        known = ask.given.known_then(view)
        where = tuple(area for area in scope if holds(self.condition, ask, known, area))
        if where:
            return self.clause, where
        return self.otherwise, self.otherwise.scope(ask, view) if self.otherwise is not None else ()

    def write(self, pen: Pen) -> str:
        if not self.condition:
            return self.clause.write(pen)
        written = f"{self.clause.write(pen)} {pen.clause('IF')} {write_condition(self.condition, pen)}"
        if self.otherwise is None:
            return written
        return f"{written} {pen.clause('ELSE')} {self.otherwise.write(pen)}"
