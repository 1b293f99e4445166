"""What a letter still lacks before it runs, and what the CONFIRM of somebody who was asked has given it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from pbem.orders.understood import Understood

PROOF: Final = "proof"  # it is not proven who wrote it
SERIOUS: Final = "serious"  # it asks for something that is done only when that is beyond doubt
GOOD_LINES: Final = "good-lines"  # a bad line holds the sheet; the others are to count
WITHDRAW: Final = "empty-block"
STOP: Final = "stop-of-a-seat"
# The codes of questions of the order reader stand beside these.


@dataclass(frozen=True, slots=True)
class Granted:
    """What was said yes to, and what of the letter had been done before."""

    codes: frozenset[str] = frozenset()
    done: frozenset[int] = frozenset()  # commands, by the number of their first line
    filed: bool = False  # its orders

    @property
    def is_confirmed(self) -> bool:
        return bool(self.codes)

    def told(self, window: int, answers: int, roles: Iterable[str]) -> dict[str, Any]:
        """As it is kept with the question. `window`: for which its orders are; 0: it has none."""
        return {
            "codes": sorted(self.codes),
            "done": sorted(self.done),
            "filed": self.filed,
            "window": window,
            "answers": answers,
            "roles": list(roles),
        }


NOTHING: Final = Granted()


def read_granted(data: Mapping[str, Any]) -> Granted:
    return Granted(frozenset(data["codes"]), frozenset(data["done"]), bool(data["filed"]))


def remaining(understood: Understood, granted: Granted) -> Understood:
    """The letter without the questions that were answered with yes."""
    if not granted.codes:
        return understood
    left = tuple(one for one in understood.questions if one.code not in granted.codes)
    return replace(understood, questions=left)
