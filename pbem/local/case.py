"""Case files of the analysis board (`pbem try`); docs/umpires.md lists every key.

game = "fww"
players = 4
[position]                  # in the game's own terms; default: the start of the scenario
turn = 1
faction = "DE"
fronts = { 1 = "DE1 DE2 BR1" }
[orders]                    # the seats' letters for the first window
DE = "ATTACK 1 WITH DE1 DE2 LEAD DE1 TILE NONE"
[orders."T2.D"]             # and for a later one
WA = { file = "jeanne.txt" }
[dice]                      # faces in order; a seed gives the dice after them
rolls = [2, 3]
[until]                     # so many segments or turns, or the segment or turn to stop before
segments = 1
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.games import GAMES
from engine.kernel.errors import EngineError
from engine.kernel.game import State
from engine.kernel.requests import Seat, Segment
from pbem.campaigns.deadlines import is_in_turn
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
    """Where the case stops; without any of it: when the windows that there are letters for have closed."""

    segments: int | None = Field(default=None, ge=1)
    turns: int | None = Field(default=None, ge=1)
    key: str | None = None

    def stops(self) -> Callable[[Segment], bool] | None:
        """Asked before each segment, in order: does the case stop there?"""
        if self == UntilPart():
            return None
        begun, seen = 0, list[str]()

        def stops(segment: Segment) -> bool:
            nonlocal begun
            begun += 1
            if segment.turn not in seen:
                seen.append(segment.turn)
            if self.key is not None and self.key.casefold() in (
                segment.key.casefold(),
                segment.turn.casefold(),
            ):
                return begun > 1 or segment.key.casefold() == self.key.casefold()
            too_many = self.segments is not None and begun > self.segments
            return too_many or (self.turns is not None and len(seen) > self.turns)

        return stops


class Case(_Part):
    """The content of a case file."""

    game: str
    title: str = ""
    scenario: str = ""
    players: int = 0
    tempo: Literal["fast", "react", "strict"] = "fast"
    whole_sheets: bool | None = None  # None: as the game says
    pack: str | None = None  # folder, relative to the case file
    options: dict[str, Any] = Field(default_factory=dict)
    position: dict[str, Any] | None = None
    orders: dict[str, Any] = Field(default_factory=dict)
    dice: ForcedDicePart = Field(default_factory=ForcedDicePart)
    until: UntilPart = Field(default_factory=UntilPart)

    def set_up(self, path: Path, terms: Terms) -> tuple[State, Segment]:
        """The position and the segment that is played next; an error names the table at fault."""
        game, settings = terms.game, terms.settings
        try:
            if self.position is None:
                return game.set_up(terms.pack, settings)
            state, segment = game.position(terms.pack, settings, self.position)
            game.check_position(state, self.position)
            return state, segment
        except (EngineError, AssertionError) as error:
            table = "options" if str(error).startswith("option ") else "position"
            raise BadInput(f"{path}: [{table}] {str(error).removeprefix('position: ')}") from None


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


def agree_case(path: Path, case: Case) -> Terms:
    """What the position says of players, scenario and options counts; an error names the key at fault."""
    pack = path.parent / case.pack if case.pack is not None else None
    drawn = case.position or {}
    players, scenario = drawn.get("players", case.players), drawn.get("scenario", case.scenario)
    options = {**case.options, **drawn.get("options", {})}
    try:
        return agree_terms(case.game, scenario, players, case.tempo, options, pack)
    except BadInput as error:
        raise BadInput(f"{path}: {_key_at_fault(case)}: {error}") from None


def _key_at_fault(case: Case) -> str:
    if case.game.casefold() not in GAMES:
        return "game"
    return "scenario" if case.scenario not in ("", *find_game(case.game).scenarios) else "players"


def read_faces(path: Path, pack: Any, rolls: list[int | str]) -> list[int]:
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


# ------------------------------------------------------------------ letters


@dataclass(slots=True)
class Letters:
    """The letters of a case that have not been sent, by the window they are for; "" is the first."""

    windows: dict[str, dict[Seat, str]] = field(default_factory=dict)

    @classmethod
    def of(cls, path: Path, case: Case, terms: Terms) -> Self:
        """A table is a window's, unless it names a file; everything else is a letter for the first."""
        first = {name: one for name, one in case.orders.items() if not _is_section(one)}
        sections = {name: one for name, one in case.orders.items() if _is_section(one)}
        windows = {"": _read_letters(path, terms, "", first)} if first else {}
        return cls(windows | {name: _read_letters(path, terms, name, one) for name, one in sections.items()})

    def take(self, label: str) -> Mapping[Seat, str]:
        """The letters for the window of that label: its own, or the first of its turn."""
        for name in ("", *self.windows):
            if name in self.windows and (not name or is_in_turn(label, name)):
                return self.windows.pop(name)
        return {}

    @property
    def left(self) -> tuple[str, ...]:
        return tuple(self.windows)


def _is_section(value: Any) -> bool:
    return isinstance(value, dict) and set(value) != {"file"}


def _read_letters(path: Path, terms: Terms, section: str, given: Mapping[str, Any]) -> dict[Seat, str]:
    letters = {}
    for name, value in given.items():
        where = f"{path}: [orders] {'.'.join(filter(None, (section, name)))}"
        try:
            seat = terms.seat(name)
        except BadInput as error:
            raise BadInput(f"{where}: {error}") from None
        letters[seat] = _read_letter(path, where, value)
    return letters


def _read_letter(path: Path, where: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if not _is_section(value) and isinstance(value, dict) and isinstance(value["file"], str):
        file = path.parent / value["file"]
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{where}: {file}: {error}") from None
    raise BadInput(f'{where}: wanted is a letter in quotation marks, or {{ file = "letter.txt" }}')
