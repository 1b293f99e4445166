"""A seat's file as an advance uses it: which lines were done or refused; an automa for one who is missing."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Final, Literal, TypeAlias

from engine.kernel.errors import Refusal
from engine.kernel.game import Game, Line, Notation, View, planning
from engine.kernel.records import offered
from engine.kernel.requests import Ask, Seat
from engine.kernel.sheet import Found, OnFile
from engine.kernel.table import Automa
from pbem.bots import automa, bot_named, chance, usual_bot

# What becomes of a line: `planned` for battles that may yet come, `spared` as its case did not come.
Status: TypeAlias = Literal["done", "refused", "unused", "planned", "spared"]
AUTOMA: Final = "automa"  # the measure by which a bot plays a window for a seat that sent nothing


@dataclass(frozen=True, slots=True)
class SeatFile(OnFile):
    """The file, and what became of its lines. Lines are known by number and words, or by their words."""

    used: set[tuple[int, str]] = field(default_factory=set, compare=False)  # of the sheet
    plans: dict[str, set[str]] = field(default_factory=dict, compare=False)  # plan -> lines that decided
    stood: dict[str, Line] = field(default_factory=dict, compare=False)  # standing orders that decided
    weighed: dict[str, Line] = field(default_factory=dict, compare=False)  # … whose condition was looked at
    refusals: dict[tuple[int, str], Refusal] = field(default_factory=dict, compare=False)
    plays: Automa | None = None
    only: frozenset[str] | None = None  # ids of the questions that the automa answers; None: all

    def find(self, ask: Ask, question: str, view: View, notation: Notation, after: int = 0) -> Found | None:
        """What is on file; an automa's answer only where there is nothing.

        Questions of the next window are answered from no file: there the seat itself is asked again.
        """
        found = OnFile.find(self, ask, question, view, notation, after)
        left_out = found.left_out if found is not None else ()
        for line, refusal in (*self.refused(ask, view, after), *left_out):
            if _serves(line, ask, _is_behind(line, found)) and not _was_spared(line, found, ask, notation):
                self.refusals.setdefault(known_by(line), refusal)
        self._weigh(ask, view)
        if ask.plan:
            self._note_plan(found, ask, view, notation)
        if found is not None:
            self._note(found, ask)
            return found
        if self.plays is None or ask.volunteer or (self.only is not None and question not in self.only):
            return None
        return offered(ask, self.plays(view, ask))

    def _note(self, found: Found, ask: Ask) -> None:
        for line in (found.line, *found.also):
            if line is None or not _serves(line, ask, line is not found.line):
                continue
            if line.slot():
                self.stood[line.write()] = line
            elif found.by == "sheet":
                self.used.add(known_by(line))

    def _note_plan(self, found: Found | None, ask: Ask, view: View, notation: Notation) -> None:
        decided = self.plans.setdefault(ask.plan, set())
        if found is not None and found.by == "plan" and (own := planning(notation)) is not None:
            decided.update(line.write() for line in own.served(ask.plan, ask, view))

    def _weigh(self, ask: Ask, view: View) -> None:
        for line in self.standing:
            looks = getattr(line, "is_weighed", None)
            if looks is not None and looks(ask, view):
                self.weighed[line.write()] = line

    def became(self, line: Line, still_planned: bool, stays: bool = False) -> Status:
        """Of a line of the sheet. `still_planned`: the questions that its plan is for may yet come; `stays`:
        it lies on file for those that follow.
        """
        known = known_by(line)
        if known in self.used or any(known[1] in decided for decided in self.plans.values()):
            return "done"
        if stays or (still_planned and getattr(line, "is_planned", False)):
            return "planned"
        if known in self.refusals:
            return "refused"
        return "spared" if getattr(line, "contingent", False) else "unused"


def known_by(line: Line) -> tuple[int, str]:
    """One line of a text may hold several orders."""
    return line.number, line.write()


def _serves(line: Line, ask: Ask, beside: bool = False) -> bool:
    """Some lines only go along with an answer: what they are for comes later, or was said by another."""
    own = getattr(line, "serves", None)
    return own is None or bool(own(ask, beside))


def _was_spared(line: Line, found: Found | None, ask: Ask, notation: Notation) -> bool:
    """Of lines tried in sequence those behind the one that was done were never tried."""
    return ask.topic in notation.chained_topics | notation.sequence_topics and _is_behind(line, found)


def _is_behind(line: Line, found: Found | None) -> bool:
    """A line of the sheet above it was done."""
    if found is None or found.line is None or found.by != "sheet":
        return False
    return found.line.number < line.number


def seat_file(on_file: OnFile) -> SeatFile:
    return SeatFile(**{one.name: getattr(on_file, one.name) for one in fields(on_file)})


def with_automa(
    file: SeatFile, game: Game, seat: Seat, seed: bytes, t: int, only: frozenset[str] | None
) -> SeatFile:
    """For the open window, or for `only` these questions. A second run plays the same."""
    plays = automa(bot_named(game, usual_bot(game)), chance(seed, "stand-in", seat, t))
    return replace(file, plays=plays, only=only)
