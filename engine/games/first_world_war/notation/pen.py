"""Writing in one language: canonical keywords and the pack's names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.games.first_world_war.notation.lexicon import Lexicon
from engine.games.first_world_war.notation.words import CANONICAL
from engine.kernel.game import Language


@dataclass(frozen=True, slots=True)
class Pen:
    """`pen("ATTACK")` is ATTAQUE in French; what is no symbol (an id, 2D, a number) stands as it is."""

    language: Language
    lexicon: Lexicon | None = None  # without it tiles are written by their ids

    def __call__(self, *parts: str | int) -> str:
        words = CANONICAL[self.language]
        return " ".join([words.get(part, part) if isinstance(part, str) else str(part) for part in parts])

    def tiles(self, tiles: Iterable[str]) -> str:
        """Tiles by name; BEST, ZERO and NONE are symbols."""
        if self.lexicon is None:
            return self(*tiles)
        names = self.lexicon.tile_words[self.language]
        return " ".join([names[tile] if tile in names else self(tile) for tile in tiles])

    def front(self, front: int | None) -> str:
        everywhere = "TOUT" if self.language == "fr" else "ALL"
        return everywhere if front is None else str(front)
