"""What stands behind the verb of a command, and what may be wrong with it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.kernel.errors import Refusal
from pbem.orders.plain import Word, words
from pbem.orders.understood import Circumstances, Question, unreadable
from pbem.orders.words import PHRASES, PLEASE

EDGES = " \t.,;:!?\"'«»“”‘’()[]*"


class Wrong(Exception):
    """Carries a refusal or a question out of an argument."""

    def __init__(self, refusal: Refusal | None = None, question: Question | None = None) -> None:
        self.refusal, self.question = refusal, question


@dataclass(frozen=True, slots=True)
class Tail:
    """What stands behind a verb."""

    verb: str
    raw: str
    loud: bool  # the verb was written in capitals
    circumstances: Circumstances

    @property
    def words(self) -> tuple[Word, ...]:
        return words(self.raw)

    @property
    def unconfirmed(self) -> Tail | None:
        """Without the CONFIRM at its end, which is said of what the verb will ask; None: there is none."""
        last = self.words[-1] if self.words else None
        if last is None or PHRASES.get((last.key,)) != "CONFIRM":
            return None
        return replace(self, raw=self.raw[: last.start].rstrip(EDGES))

    def word(self, place: int) -> str:
        """A word as written, without the punctuation around it."""
        found = self.words[place]
        return self.raw[found.start : found.end].strip(EDGES)

    def missing(self, expected: str) -> Wrong:
        return Wrong(unreadable("mail-missing", {"verb": self.verb, "expected": expected}))

    def left_over(self, place: int) -> Wrong:
        return Wrong(unreadable("mail-left-over", {"verb": self.verb, "word": self.word(place)}))

    def expect_end(self, place: int) -> None:
        """Nothing more but a please or a thank you."""
        for at, word in enumerate(self.words[place:], place):
            if word.key not in PLEASE:
                raise self.left_over(at)
