"""How the way of a letter may end, or be interrupted, before it is carried out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from sqlalchemy import Connection

from pbem.store.inbox import Settled

A_MOMENT: Final = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class LetterOutcome:
    """What becomes of a letter that is not carried out. `effect`: in the transaction that settles it."""

    state: Settled
    reason: str
    effect: Callable[[Connection], None] | None = None


class RetryLater(Exception):
    """The letter cannot be read at this moment: its window is frozen, or DNS does not answer."""

    def __init__(self, reason: str, after: timedelta = A_MOMENT) -> None:
        super().__init__(reason)
        self.reason, self.after = reason, after
