"""What a game says of itself when it is over: how it stood, what is worth remembering, what dice were for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.kernel.contract import Contract
from engine.kernel.requests import Fact

if TYPE_CHECKING:
    from engine.kernel.fairness.history import Throw


@dataclass(frozen=True, slots=True)
class Stake:
    """What a public roll was for, and what each face was worth to whoever rolled."""

    group: str  # "attack": rolls of one group are added up, so their worth is of one kind
    worth: tuple[int, ...]  # of the faces 1, 2, …: hits, points, a loss avoided
    battle: tuple[str, ...] = ()  # what its battle is called by; (): it belongs to none


class Retrospect(Contract):
    """A game's own, of public things only. Views are those that everyone may see."""

    reasons: tuple[str, ...] = ("armistice",)  # all codes that the game's outcomes may bear
    landmarks: tuple[str, ...] = ()  # names of the facts that make the course of a game, the weightiest first
    roll_facts: frozenset[str] = frozenset()  # names of the facts that tell what rolls were for

    def standing(self, view: Any) -> Mapping[str, int]:
        """The score that everybody sees, by side; {} where a game has none."""
        return {}

    def stake(
        self, pack: Any, throw: Throw, facts: Sequence[Fact], past: Sequence[Fact] = ()
    ) -> Stake | None:
        """What the roll was for; None: nothing that luck is told of, such as who begins.

        `facts`: of `roll_facts`, those that follow the roll in its segment; `past`: all that came before it.
        """
        return None
