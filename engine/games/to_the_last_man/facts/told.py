"""What is told and changes nothing: the appearance of a fact to those who may not read all of it."""

from __future__ import annotations

from engine.games.to_the_last_man.state import State
from engine.kernel.requests import PublicFact


class Told(PublicFact):
    """0-13 Told, not done: what it tells of was applied as another fact, or is a count."""

    __slots__ = ()

    def apply(self, state: State) -> None:
        """Nothing changes."""
