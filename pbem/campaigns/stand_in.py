"""An automa for a seat that sent nothing: it plays one window, and is gone."""

from __future__ import annotations

from dataclasses import dataclass, fields

from engine.kernel.game import Game, Notation, View
from engine.kernel.records import Pause, offered
from engine.kernel.requests import Ask, Seat
from engine.kernel.sheet import Found, OnFile
from engine.kernel.table import Automa
from pbem.bots import automa, bot_named, chance, usual_bot


@dataclass(frozen=True, slots=True)
class StandIn(OnFile):
    """The file of the seat, with an automa behind it.

    Questions of the next window are answered from no file: there the seat itself is asked again.
    """

    plays: Automa | None = None
    only: frozenset[str] | None = None  # ids of the questions it answers; None: all

    def find(self, ask: Ask, question: str, view: View, notation: Notation) -> Found | None:
        found = OnFile.find(self, ask, question, view, notation)
        if found is not None or self.plays is None or ask.volunteer:
            return found
        return offered(ask, self.plays(view, ask)) if self.only is None or question in self.only else None


def stand_in(game: Game, pause: Pause, seat: Seat, on_file: OnFile, seed: bytes, t: int) -> StandIn:
    """For the open window; of a single question, for that one alone. A second run plays the same."""
    plays = automa(bot_named(game, usual_bot(game)), chance(seed, "stand-in", seat, t))
    only = frozenset(question for question, _ in pause.asks) if pause.window.once else None
    own = {one.name: getattr(on_file, one.name) for one in fields(on_file)}
    return StandIn(**own, plays=plays, only=only)
