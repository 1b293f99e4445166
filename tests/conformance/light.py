"""What legitimately comes to light on the way of two worlds though no fact names a hidden piece.

Two rulings for To the Last Man!, whose armies are closed (11.2-02):

* The numbers of dice are public once they are rolled, and so are the types that are lost (0-13). What an army
  holds is therefore known, as far as it matters, from the first battle that it fights. Two worlds in which an
  army holds something else may part there, and no sooner.
* Whether an army is empty is public: it counts for stacking and presence (1.2.2-04, 0-03). Two worlds may
  part where an army is emptied or filled in one of them alone, because it held fewer or more there.

Nothing is left out of the comparison: all that was told before must be the same, byte for byte, and a battle
of armies that hold the same by kind is no reason to part.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from engine.games.to_the_last_man.facts.battle import BattleBegan
from engine.kernel.game import Game
from engine.kernel.journal import codec_of

Light: TypeAlias = Callable[[Mapping[str, Any]], Iterator[Any]]  # of a fact's line


class ClosedArmies:
    """A world of To the Last Man!, followed fact by fact."""

    def __init__(self, game: Game, data: bytes) -> None:
        self._codec = codec_of(game)
        self._state = game.load(game.load_pack(), json.loads(data))
        self._empty = self._empty_now()

    def __call__(self, line: Mapping[str, Any]) -> Iterator[Any]:
        fact = self._codec.fact(line)
        if isinstance(fact, BattleBegan):
            yield ["fights", fact.area, *self._fighting(fact.area)]
        fact.apply(self._state)
        if (empty := self._empty_now()) != self._empty:
            self._empty = empty
            yield ["empty", *empty]

    def _fighting(self, area: str) -> Iterator[Any]:
        """The armies there, and what each holds by kind."""
        state = self._state
        for army, at in state.army_at.items():
            if at == area:
                yield [army, [list(one) for one in state.grouped(state.contents[army])]]

    def _empty_now(self) -> list[str]:
        return [army for army, there in self._state.contents.items() if not there]


LIGHT: Mapping[str, type[ClosedArmies]] = {"ttlm": ClosedArmies}


def light_of(game: Game, data: bytes) -> Light | None:
    """For a world that begins in that position; None: in this game facts that reveal say so themselves."""
    return LIGHT[game.id](game, data) if game.id in LIGHT else None
