"""Why a line is refused: every reason of the notation with its facts, and the exception that carries one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

from engine.kernel.errors import Ambiguous, Facts, Illegal, Refusal, Unreadable

Tables: TypeAlias = tuple[Mapping[str, object], ...]  # word -> what it stands for

NOTATION = "notation"  # in place of a rule id where only the order language is concerned

# Reason -> names of its facts. What a line means but the rules forbid is refused with the rules' own reasons.
REASONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        # Unreadable
        "unknown-order": ("word",),  # the line begins with no order
        "unknown-word": ("word", "expected"),  # expected: one of EXPECTED
        "missing": ("expected",),  # the line ends where that should follow
        "left-over": ("word",),  # the order was complete before this word
        "unknown-sign": ("sign",),
        "too-long": ("length", "most"),
        "out-of-range": ("number", "least", "most"),
        "clause-twice": ("word",),
        "after-none": ("word",),  # nothing can follow NONE
        "else-missing": ("word",),  # an IF inside TILE or LEAD has its ELSE
        "else-without-if": (),
        "nested-too-deep": ("most",),
        "mixed-branches": (),  # THEN and ELSE hold different kinds of order
        "cycle-out-of-place": ("cycle",),  # C1: before something that is no round order
        "faction-twice": ("word",),
        "not-in-a-condition": ("word",),  # CANCEL and OPTIONS take no IF
        # Illegal
        "not-your-faction": ("faction",),
        "not-your-tile": ("tile",),
        "not-your-army": ("counter",),
        "ask-with-condition": (),
        "spare-out-of-place": (),
        "unknown-by-then": ("condition",),  # this side cannot know it when it must choose
        "named-twice": ("counter",),
        "one-destination": (),
        "round-is-over": ("cycle",),
        "lead-not-committed": ("front",),
        "tile-of-another-nation": ("tile", "counter"),
        "wrong-role": ("tile",),
        "location-elsewhere": ("location", "front"),
        "too-few-dummies": ("wanted", "present"),
        "another-faction-decides": ("faction",),
        "option-is-off": ("option",),
        "options-are-fixed": (),
        "no-treaty-before": ("turn",),
        "not-on-the-western-account": ("counter",),
        # Ambiguous
        "which-faction": (),
        "which-recall": (),
    }
)
EXPECTED = (
    "order",
    "front",
    "army",
    "one-army",
    "location",
    "tile",
    "leader",
    "arrow",
    "operator",
    "number",
    "condition",
    "tile-condition",
    "lead-condition",
    "faction",
    "then",
    "clause",
    "drawing",
    "treaty",
    "recall",
    "replace",
    "slots",
    "option",
    "switch",
    "cancelled",
)


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
