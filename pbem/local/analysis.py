"""The umpire's analysis board: a drawn position, orders, forced dice, and what comes of them.

A case is a TOML file, read strictly::

    game = "fww"
    players = 4
    [position]                  # in the game's own words; left out: the start of the scenario
    turn = 1
    faction = "DE"
    fronts = { 1 = "DE1 DE2 BR1" }
    [orders]                    # seat = order lines, standing ones included
    DE = "ATTACK 1 WITH DE1 DE2 LEAD DE1 TILE NONE"
    [dice]                      # faces in the order they fall; seed: what falls after them
    rolls = [2, 3]
    [until]                     # so many segments, or up to the one with this key
    segments = 1

Nothing here touches a campaign. Orders stay on file for the whole case.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.games import GAMES
from engine.kernel.errors import DiceError, EngineError, PackError, Refusal, RulesCrash
from engine.kernel.fairness.dice import ForcedDice, TestDice
from engine.kernel.game import Line, Outcome, Reading, View
from engine.kernel.requests import Fact, Seat, Segment
from engine.kernel.sheet import OrderFile
from engine.kernel.table import Table
from pbem.campaigns.order_file import Status, TracedOrderFile, line_key
from pbem.campaigns.terms import Terms, agree_terms, find_game
from pbem.errors import BadInput

_STRICT = ConfigDict(extra="forbid", strict=True, frozen=True)


class ForcedPart(BaseModel):
    """Chance named in advance. Without a seed a die that is not named is an error."""

    model_config = _STRICT
    rolls: list[int | str] = Field(default_factory=list)
    draws: list[str] = Field(default_factory=list)
    seed: int | str | None = None


class UntilPart(BaseModel):
    model_config = _STRICT
    segments: int | None = Field(default=None, ge=1)
    key: str | None = None


class Case(BaseModel):
    """A case as it is written."""

    model_config = _STRICT
    game: str
    title: str = ""
    scenario: str = ""
    players: int = 0
    tempo: Literal["fast", "react", "strict"] = "fast"
    pack: str | None = None  # folder, seen from the case's own
    options: dict[str, Any] = Field(default_factory=dict)
    position: dict[str, Any] | None = None
    orders: dict[str, str] = Field(default_factory=dict)
    dice: ForcedPart = Field(default_factory=ForcedPart)
    until: UntilPart = Field(default_factory=UntilPart)


@dataclass(frozen=True, slots=True)
class Judged:
    """One order line: as understood, and what became of it."""

    line: Line
    status: Literal["standing"] | Status
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class ShownRoll:
    """A roll among what happened."""

    seat: Seat
    purpose: str
    faces: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Analysed:
    """What came of a case."""

    terms: Terms
    events: tuple[Fact | ShownRoll, ...]
    judged: Mapping[Seat, tuple[Judged, ...]]
    unread: Mapping[Seat, tuple[Refusal, ...]]
    views: Mapping[Seat, View]
    state: Any  # plain data
    stopped: Segment | None  # the segment that would have come next
    outcome: Outcome | None
    leftover: tuple[str, ...]  # forced but not used


# ------------------------------------------------------------------ reading


def read_case(path: Path) -> Case:
    """The case, or one complaint that names file, table and key."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        return Case.model_validate(data)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path}: {error}") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path}: not UTF-8") from None
    except ValidationError as error:
        raise BadInput(f"{path}: {_complaint(error)}") from None


def _complaint(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    table, *rest = [str(part) for part in first["loc"]]
    where = f"[{table}] {'.'.join(rest)}" if rest else f"{table}"
    words = {"extra_forbidden": "unknown key", "missing": "missing"}
    return f"{where}: {words.get(first['type'], first['msg'])}"


# ------------------------------------------------------------------ playing


class _Enough(Exception):
    """As far as the case goes."""


@dataclass(slots=True)
class _Limit:
    """How far a case goes."""

    segments: int | None
    key: str | None
    begun: int = 0

    def reached(self, segment: Segment) -> bool:
        self.begun += 1
        if self.key is not None and segment.key == self.key:
            return True
        return self.segments is not None and self.begun > self.segments


class _Board(Table):
    """A table that stops between two segments."""

    limit: _Limit

    def _begin_segment(self, segment: Segment) -> None:
        if self.limit.reached(segment):
            raise _Enough
        super()._begin_segment(segment)


def analyse(path: Path) -> Analysed:
    """Play a case."""
    case = read_case(path)
    pack = path.parent / case.pack if case.pack is not None else None
    terms = _terms(path, case, pack)
    dice = ForcedDice(
        _faces(path, terms.pack, case.dice.rolls),
        case.dice.draws,
        None if case.dice.seed is None else TestDice(case.dice.seed),
    )
    board = _board(path, case, terms, dice)
    readings = {
        terms_seat(path, terms, name): terms.game.notation.read(
            text, board.view(terms_seat(path, terms, name))
        )
        for name, text in case.orders.items()
    }
    files = {seat: TracedOrderFile(one.orders, one.standing) for seat, one in readings.items()}
    try:
        stopped = _play(board, files)
    except DiceError as error:
        raise BadInput(f"{path}: [dice] {error}") from None
    except RulesCrash as error:
        raise BadInput(f"{path}: the rules broke down at {error}") from None
    if case.until.key is not None and not stopped:
        raise BadInput(f"{path}: [until] key: {case.until.key} never comes; the game ends before it")
    return _analysed(terms, board, readings, files, dice)


def _terms(path: Path, case: Case, pack: Path | None) -> Terms:
    """What is agreed; a mistake is told with its key."""
    try:
        return agree_terms(case.game, case.scenario, case.players, case.tempo, case.options, pack)
    except BadInput as error:
        raise BadInput(f"{path}: {_key_at_fault(case)}: {error}") from None


def _key_at_fault(case: Case) -> str:
    if case.game.casefold() not in GAMES:
        return "game"
    return "scenario" if case.scenario not in ("", *find_game(case.game).scenarios) else "players"


def _board(path: Path, case: Case, terms: Terms, dice: ForcedDice) -> _Board:
    game, settings = terms.game, terms.settings
    try:
        if case.position is None:
            state, segment = game.set_up(terms.pack, settings)
        else:
            state, segment = game.position(terms.pack, settings, case.position)
    except (PackError, EngineError) as error:
        table = "options" if str(error).startswith("option ") else "position"
        raise BadInput(f"{path}: [{table}] {str(error).removeprefix('position: ')}") from None
    board = _Board.at(game, terms.pack, settings, state, segment, dice)
    until = case.until
    segments = 1 if until.segments is None and until.key is None else until.segments
    board.limit = _Limit(segments, until.key)
    return board


def terms_seat(path: Path, terms: Terms, name: str) -> Seat:
    try:
        return terms.seat(name)
    except BadInput as error:
        raise BadInput(f"{path}: [orders] {name}: {error}") from None


def _faces(path: Path, pack: Any, rolls: list[int | str]) -> list[int]:
    """Faces by number from 1 on; a face as printed (S) where the game's die has such."""
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
    """Gives back whether it went as far as the case goes; otherwise the game is over."""
    try:
        pause = board.advance()
        while pause is not None:
            pause = board.advance(files)
    except _Enough:
        return True
    return False


# ------------------------------------------------------------------ what came of it


def _analysed(
    terms: Terms,
    board: _Board,
    readings: Mapping[Seat, Reading],
    files: Mapping[Seat, TracedOrderFile],
    dice: ForcedDice,
) -> Analysed:
    judged = {seat: tuple(_judged(files[seat], reading)) for seat, reading in readings.items()}
    rolls, draws = dice.leftover
    return Analysed(
        terms=terms,
        events=tuple(_events(board)),
        judged=judged,
        unread={seat: reading.refusals for seat, reading in readings.items()},
        views={seat: board.view(seat) for seat in terms.seats},
        state=terms.game.dump(board.state),
        stopped=board.segment,
        outcome=terms.game.outcome(board.state),
        leftover=(*map(str, rolls), *draws),
    )


def _judged(file: TracedOrderFile, reading: Reading) -> list[Judged]:
    judged = []
    for line in reading.orders:
        status = file.status_of(line, still_planned=False)
        judged.append(Judged(line, status, file.refusals[line_key(line)] if status == "refused" else None))
    return judged + [Judged(line, "standing") for line in reading.standing]


def _events(board: _Board) -> list[Fact | ShownRoll]:
    events: list[Fact | ShownRoll] = []
    for line in board.journal.lines:
        data = line.data
        if data["k"] == "fact":
            events.append(board.codec.fact(data))
        elif data["k"] == "roll":
            purpose = data["label"].rsplit("/", 3)[1]
            events.append(ShownRoll(Seat(data["seat"]), purpose, tuple(data["faces"])))
    return events
