"""Every error and every refusal of the engine.

Player mistakes are values::

    Refusal                 one bad line or one bad answer: rule id, reason code, facts
    ├─ Unreadable           not understood
    ├─ Illegal              understood, but the rules forbid it
    └─ Ambiguous            more than one meaning

Programmer's, operator's and forger's mistakes are exceptions::

    EngineError
    ├─ PackError            a data pack is wrong: file, table, key
    ├─ JournalError
    │  ├─ CorruptJournal    a line does not fit the hash chain or cannot be read
    │  ├─ UnknownVersion    written by a newer program, or no upcaster leads here
    │  └─ Diverged          the rules, replayed, ask or do something else than the journal says
    ├─ WrongPack            the campaign pins another pack hash or rules version
    ├─ IllegalAnswer        an answer that its Ask does not offer; carries the Refusal
    ├─ NotAtSeam            a change of state was asked for in the middle of a segment
    ├─ DiceError            a link missing, a forced die with no such face, a label used twice
    ├─ UnknownGame          no such game in the registry
    └─ RulesCrash           an exception inside the rules; nothing of that advance counts
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Facts = Mapping[str, "str | int | bool | tuple[str, ...] | tuple[int, ...]"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something a player wrote is not done. The sentence is made in the templates."""

    rule: str  # "FWW-5-3"
    reason: str  # a code with one phrase in each language: "not-adjacent"
    facts: Facts = field(default_factory=dict)
    line: int = 0  # line of the sheet, 0 where none is concerned
    text: str = ""  # that line as the player wrote it


@dataclass(frozen=True, slots=True)
class Unreadable(Refusal):
    """Not understood; `suggestions` are words that would have been."""

    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Illegal(Refusal):
    """Understood, and forbidden by `rule`."""


@dataclass(frozen=True, slots=True)
class Ambiguous(Refusal):
    """More than one meaning."""

    meanings: tuple[str, ...] = ()


class EngineError(Exception):
    """The root of the engine's exceptions."""


class PackError(EngineError):
    """A data pack is wrong. The message names file, table and key."""

    def __init__(self, file: str, table: str, key: str, problem: str) -> None:
        super().__init__(f"{file}: [{table}] {key}: {problem}")
        self.file, self.table, self.key, self.problem = file, table, key, problem


class JournalError(EngineError):
    """Something is wrong with a journal."""


class CorruptJournal(JournalError):
    """A line does not fit the hash chain or cannot be read."""


class UnknownVersion(JournalError):
    """Written by a newer program, or by one too old to be brought up."""


class Diverged(JournalError):
    """The rules, replayed, ask or do something else than the journal says."""


class WrongPack(EngineError):
    """The campaign pins another pack hash or rules version."""


class IllegalAnswer(EngineError):
    """An answer that its Ask does not offer."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"{refusal.rule}: {refusal.reason}")
        self.refusal = refusal


class NotAtSeam(EngineError):
    """A change of state was asked for in the middle of a segment."""


class DiceError(EngineError):
    """A link is missing, a forced die has no such face, or a label is used twice."""


class UnknownGame(EngineError):
    """No such game in the registry."""


class RulesCrash(EngineError):
    """An exception inside the rules. Nothing of that advance counts."""
