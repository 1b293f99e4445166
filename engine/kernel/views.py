"""What the seats see of one position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from engine.kernel.requests import Fact, Seat

if TYPE_CHECKING:
    from engine.kernel.game import Game


class Views(Protocol):
    """What the seats see of one campaign's position; it is told by which facts that has changed."""

    def __call__(self, seat: Seat) -> Any: ...
    def look_again(self, facts: Sequence[Fact] | None = None) -> None: ...  # None: anything may be different


class SingleViews:
    """Every view is built by itself."""

    def __init__(self, game: Game, state: Any) -> None:
        self._game, self._state = game, state

    def __call__(self, seat: Seat) -> Any:
        return self._game.view(self._state, seat)

    def look_again(self, facts: Sequence[Fact] | None = None) -> None:
        """Nothing was kept."""
