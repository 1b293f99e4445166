"""Writing in one language: canonical keywords; areas, armies and kinds of units by their ids."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.games.to_the_last_man.notation.words import CANONICAL
from engine.kernel.game import Language


@dataclass(frozen=True, slots=True)
class Pen:
    language: Language

    def verb(self, symbol: str) -> str:
        return CANONICAL[self.language]["verb"][symbol]

    def word(self, table: str, symbol: str) -> str:
        """What is in no table (a number, an id) stands as it is."""
        return CANONICAL[self.language][table].get(symbol, symbol)

    def clause(self, symbol: str) -> str:
        return CANONICAL[self.language]["clause"][symbol]

    def value(self, symbol: str) -> str:
        return self.word("value", symbol)

    def card(self, card: str) -> str:
        return self.word("card", card)

    def cards(self, cards: Iterable[str]) -> str:
        return ", ".join([self.card(card) for card in cards]) or self.value("NONE")

    def at(self, area: str) -> str:
        """Inside an order: AT LIE, in French @LIE."""
        return f"@{area}" if self.language == "fr" else f" AT {area}"


ENGLISH = Pen("en")
