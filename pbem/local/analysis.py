"""The umpire's analysis board: a position, orders, forced dice, and the result.

A case is a TOML file::

    game = "fww"
    players = 4
    [position]                  # in the game's own terms; default: the start of the scenario
    turn = 1
    faction = "DE"
    fronts = { 1 = "DE1 DE2 BR1" }
    [orders]                    # seat = order lines, standing ones included
    DE = "ATTACK 1 WITH DE1 DE2 LEAD DE1 TILE NONE"
    [dice]                      # faces in order; a seed gives the dice after them
    rolls = [2, 3]
    [until]                     # a number of segments, or the key of the segment to stop before
    segments = 1

No campaign is touched. Orders stay on file for the whole case.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.games import GAMES
from engine.kernel.errors import DiceError, EngineError, Refusal, RulesCrash
from engine.kernel.fairness.dice import NO_DICE, ForcedDice, TestDice
from engine.kernel.game import Line, Outcome, Reading, View
from engine.kernel.requests import Fact, Seat, Segment
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Table
from pbem.campaigns.order_file import Status, TracedOrderFile, line_key
from pbem.campaigns.terms import Terms, agree_terms, find_game
from pbem.errors import BadInput


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ForcedDicePart(_Part):
    """Dice and draws fixed in advance; without a seed, any other die is an error."""

    rolls: list[int | str] = Field(default_factory=list)
    draws: list[str] = Field(default_factory=list)
    seed: int | str | None = None


class UntilPart(_Part):
    segments: int | None = Field(default=None, ge=1)
    key: str | None = None


class Case(_Part):
    """The content of a case file."""

    game: str
    title: str = ""
    scenario: str = ""
    players: int = 0
    tempo: Literal["fast", "react", "strict"] = "fast"
    pack: str | None = None  # folder, relative to the case file
    options: dict[str, Any] = Field(default_factory=dict)
    position: dict[str, Any] | None = None
    orders: dict[str, str] = Field(default_factory=dict)
    dice: ForcedDicePart = Field(default_factory=ForcedDicePart)
    until: UntilPart = Field(default_factory=UntilPart)


@dataclass(frozen=True, slots=True)
class JudgedLine:
    """An order line and what became of it."""

    line: Line
    status: Literal["standing"] | Status
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class RollEvent:
    seat: Seat
    purpose: str
    faces: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The result of a case."""

    terms: Terms
    events: tuple[Fact | RollEvent, ...]
    judged: Mapping[Seat, tuple[JudgedLine, ...]]
    unread: Mapping[Seat, tuple[Refusal, ...]]
    views: Mapping[Seat, View]
    state: Any  # plain data
    stopped: Segment | None  # the segment that would come next
    outcome: Outcome | None
    leftover: tuple[str, ...]  # forced but not used


# ------------------------------------------------------------------ reading


def read_case(path: Path) -> Case:
    """An error names the file, the table and the key."""
    try:
        return Case.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path}: {error}") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path}: not UTF-8") from None
    except ValidationError as error:
        raise BadInput(f"{path}: {_explain(error)}") from None


def _explain(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    table, *rest = [str(part) for part in first["loc"]]
    where = f"[{table}] {'.'.join(rest)}" if rest else table
    problems = {"extra_forbidden": "unknown key", "missing": "missing"}
    return f"{where}: {problems.get(first['type'], first['msg'])}"


# ------------------------------------------------------------------ playing


class _CaseEnded(Exception):
    """The segment at which the case stops."""


class _Board(Table):
    """A table that stops between two segments."""

    until: UntilPart
    begun = 0  # segments

    def _begin_segment(self, segment: Segment) -> None:
        self.begun += 1
        most = self.until.segments
        if segment.key == self.until.key or (most is not None and self.begun > most):
            raise _CaseEnded
        super()._begin_segment(segment)


def analyze(path: Path) -> Analysis:
    """Play the case in this file."""
    case = read_case(path)
    terms = _agree_terms(path, case)
    dice = ForcedDice(
        _read_faces(path, terms.pack, case.dice.rolls),
        case.dice.draws,
        NO_DICE if case.dice.seed is None else TestDice(case.dice.seed),
    )
    board = _set_up(path, case, terms, dice)
    orders = {_find_seat(path, terms, name): text for name, text in case.orders.items()}
    readings = {seat: terms.game.notation.read(text, board.view(seat)) for seat, text in orders.items()}
    files = {seat: TracedOrderFile(one.orders, one.standing) for seat, one in readings.items()}
    try:
        stopped = _play(board, files)
    except DiceError as error:
        raise BadInput(f"{path}: [dice] {error}") from None
    except RulesCrash as error:
        raise BadInput(f"{path}: the rules broke down at {error}") from None
    if case.until.key is not None and not stopped:
        raise BadInput(f"{path}: [until] key: {case.until.key} never comes; the game ends before it")
    rolls, draws = dice.leftover
    return Analysis(
        terms=terms,
        events=tuple(_events(board)),
        judged={seat: tuple(_judge_lines(files[seat], reading)) for seat, reading in readings.items()},
        unread={seat: reading.refusals for seat, reading in readings.items()},
        views={seat: board.view(seat) for seat in terms.seats},
        state=terms.game.dump(board.state),
        stopped=board.segment,
        outcome=terms.game.outcome(board.state),
        leftover=(*map(str, rolls), *draws),
    )


def _agree_terms(path: Path, case: Case) -> Terms:
    """An error names the key at fault."""
    pack = path.parent / case.pack if case.pack is not None else None
    try:
        return agree_terms(case.game, case.scenario, case.players, case.tempo, case.options, pack)
    except BadInput as error:
        raise BadInput(f"{path}: {_key_at_fault(case)}: {error}") from None


def _key_at_fault(case: Case) -> str:
    if case.game.casefold() not in GAMES:
        return "game"
    return "scenario" if case.scenario not in ("", *find_game(case.game).scenarios) else "players"


def _set_up(path: Path, case: Case, terms: Terms, dice: ForcedDice) -> _Board:
    game, settings = terms.game, terms.settings
    try:
        if case.position is None:
            state, segment = game.set_up(terms.pack, settings)
        else:
            state, segment = game.position(terms.pack, settings, case.position)
    except EngineError as error:
        table = "options" if str(error).startswith("option ") else "position"
        raise BadInput(f"{path}: [{table}] {str(error).removeprefix('position: ')}") from None
    board = _Board.at(game, terms.pack, settings, state, segment, dice)
    board.until = UntilPart(segments=1) if case.until == UntilPart() else case.until
    return board


def _find_seat(path: Path, terms: Terms, name: str) -> Seat:
    try:
        return terms.seat(name)
    except BadInput as error:
        raise BadInput(f"{path}: [orders] {name}: {error}") from None


def _read_faces(path: Path, pack: Any, rolls: list[int | str]) -> list[int]:
    """Faces by number from 1, or as printed on the game's own die (S)."""
    printed: tuple[str, ...] = pack.die_faces
    faces = []
    for face in rolls:
        if isinstance(face, str) and face not in printed:
            raise BadInput(
                f"{path}: [dice] rolls: no face {face!r}; known: {', '.join(printed) or 'numbers'}"
            )
        faces.append(printed.index(face) + 1 if isinstance(face, str) else face)
    return faces


def _play(board: _Board, files: Mapping[Seat, OrderFile]) -> bool:
    """True: the case stopped between two segments; False: the game is over."""
    try:
        pause = board.advance()
        while pause is not None:
            pause = board.advance(files)
    except _CaseEnded:
        return True
    return False


# ------------------------------------------------------------------ the result


def _judge_lines(file: TracedOrderFile, reading: Reading) -> list[JudgedLine]:
    judged = []
    for line in reading.orders:
        status = file.status_of(line, still_planned=False)
        judged.append(
            JudgedLine(line, status, file.refusals[line_key(line)] if status == "refused" else None)
        )
    return judged + [JudgedLine(line, "standing") for line in reading.standing]


def _events(board: _Board) -> list[Fact | RollEvent]:
    events: list[Fact | RollEvent] = []
    for line in board.journal.lines:
        data = line.data
        if data["k"] == "fact":
            events.append(board.codec.fact(data))
        elif data["k"] == "roll":
            purpose = data["label"].rsplit("/", 3)[1]
            events.append(RollEvent(Seat(data["seat"]), purpose, tuple(data["faces"])))
    return events
