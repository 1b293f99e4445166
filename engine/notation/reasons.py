"""Why a line is refused: the reasons all order languages share, and the exception that carries one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

from engine.kernel.errors import Ambiguous, Facts, Illegal, Refusal, Unreadable

Tables: TypeAlias = tuple[Mapping[str, object], ...]  # word -> what it stands for

CONTRADICTION = "contradiction"  # the reason of lines that answer one question, each in its own way
NOTATION = "notation"  # in place of a rule id where only the order language is concerned

# Reason -> names of its facts. What a line means but the rules forbid is refused with the rules' own reasons.
COMMON: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "unknown-order": ("word",),  # the line begins with no order
        "unknown-word": ("word", "expected"),  # expected: one of the game's EXPECTED
        "missing": ("expected",),  # the line ends where that should follow
        "left-over": ("word",),  # the order was complete before this word
        "unknown-sign": ("sign",),
        "too-long": ("length", "most"),
        "out-of-range": ("number", "least", "most"),
        "after-none": ("word",),  # nothing can follow NONE
        "named-again": ("word",),  # what can be named once only
        "too-much": ("word",),  # more is said there than the order could carry out
        CONTRADICTION: ("lines",),  # ambiguous
        "else-without-if": (),
        "mixed-branches": (),  # IF and ELSE hold different kinds of order
        "unknown-by-then": ("condition",),  # illegal: this side cannot know it when it must choose
    }
)
COMMON_EXPECTED = ("order", "number", "operator")


class Misread(Exception):
    """Carries a refusal to the line's reader. `near`: the tables of what could have been read there."""

    def __init__(self, refusal: Refusal, word: str = "", near: Tables = ()) -> None:
        super().__init__(refusal.reason)
        self.refusal, self.word, self.near = refusal, word, near


def unreadable(reason: str, facts: Facts | None = None, word: str = "", near: Tables = ()) -> Misread:
    return Misread(Unreadable(NOTATION, reason, facts or {}), word, near)


def illegal(rule: str, reason: str, facts: Facts | None = None) -> Misread:
    return Misread(Illegal(rule, reason, facts or {}))


def ambiguous(reason: str, meanings: tuple[str, ...]) -> Misread:
    return Misread(Ambiguous(NOTATION, reason, meanings=meanings))
