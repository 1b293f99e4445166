"""A seat's file as an advance uses it: which lines were done or refused; an automa for one who is missing."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Final

from engine.kernel.errors import Refusal
from engine.kernel.game import Game, Line, Notation, View
from engine.kernel.records import Pause, offered
from engine.kernel.requests import Ask, Seat
from engine.kernel.sheet import Found, OnFile
from engine.kernel.table import Automa
from pbem.bots import automa, bot_named, chance, usual_bot

AUTOMA: Final = "automa"  # the measure by which a bot plays a window for a seat that sent nothing


@dataclass(frozen=True, slots=True)
class SeatFile(OnFile):
    """The file, and what became of its lines."""

    used: set[int] = field(default_factory=set, compare=False)  # numbers of the sheet's lines
    refusals: dict[int, Refusal] = field(default_factory=dict, compare=False)
    plays: Automa | None = None
    only: frozenset[str] | None = None  # ids of the questions that the automa answers; None: all

    def find(self, ask: Ask, question: str, view: View, notation: Notation, after: int = 0) -> Found | None:
        """What is on file; an automa's answer only where there is nothing.

        Questions of the next window are answered from no file: there the seat itself is asked again.
        """
        found = OnFile.find(self, ask, question, view, notation, after)
        for line, refusal in self.refused(ask, view, after):
            if not _was_spared(line, found, ask, notation):
                self.refusals.setdefault(line.number, refusal)
        if found is not None:
            self._note(found)
            return found
        if self.plays is None or ask.volunteer or (self.only is not None and question not in self.only):
            return None
        return offered(ask, self.plays(view, ask))

    def _note(self, found: Found) -> None:
        lines = (found.line, *found.also) if found.by == "sheet" else ()
        self.used.update(line.number for line in lines if line is not None and not line.slot())


def _was_spared(line: Line, found: Found | None, ask: Ask, notation: Notation) -> bool:
    """Of lines tried in sequence those behind the one that was done were never tried."""
    if found is None or found.line is None or found.by != "sheet":
        return False
    in_turn = notation.chained_topics | notation.sequence_topics
    return ask.topic in in_turn and found.line.number < line.number


def seat_file(on_file: OnFile) -> SeatFile:
    return SeatFile(**{one.name: getattr(on_file, one.name) for one in fields(on_file)})


def with_automa(file: SeatFile, game: Game, pause: Pause, seat: Seat, seed: bytes, t: int) -> SeatFile:
    """For the open window; of a single question, for that one alone. A second run plays the same."""
    plays = automa(bot_named(game, usual_bot(game)), chance(seed, "stand-in", seat, t))
    only = frozenset(question for question, _ in pause.asks) if pause.window.once else None
    return replace(file, plays=plays, only=only)
