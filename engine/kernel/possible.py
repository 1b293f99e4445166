"""Orders that are possible now, as letters list them: what a newcomer can take as it stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from engine.kernel.requests import Ask

if TYPE_CHECKING:
    from engine.kernel.game import Game, Language, View

A_FEW = 3


@dataclass(frozen=True, slots=True)
class PossibleOrders:
    """Orders of one kind, each legal by itself on its reader's view; the most useful come first."""

    kind: str  # its words are in the phrases, section `possible`: "attack"
    lines: tuple[str, ...]  # in notation
    first: int = A_FEW  # so many of them stand in the form of a letter
    after: str = ""  # the order that has to stand above them


class Examples(Protocol):
    """Orders that are good on one view, for the order forms in letters; the templates may ask for more."""

    def questions(self, kind: str) -> Sequence[Ask]:
        """What an exchange of letters of that kind asks of the seat, beside what is open already."""


def described(game: Game, view: View, ask: Ask, language: Language) -> tuple[str, ...]:
    """What the question offers, or examples of it, as order lines."""
    write = game.notation.write_answer
    return written_once(write(ask, answer, language, view) for answer in ask.options.describe())


def written_once(lines: Iterable[str]) -> tuple[str, ...]:
    """Each line once. Answers that take several lines, or none, are left out."""
    return tuple(dict.fromkeys(line for line in lines if line and "\n" not in line))
