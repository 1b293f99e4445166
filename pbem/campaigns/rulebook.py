"""A game's register of rules, the tests of those rules, and its options."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from engine.games import GAMES
from engine.kernel.game import Game
from engine.kernel.register import FILE, Register, load_register
from pbem.errors import BadInput


@cache
def load_rulebook(game: str) -> Register | None:
    """`data/rulebook.toml` beside the game's code, if there is one."""
    spec = find_spec(GAMES[game])
    if spec is None or spec.origin is None:
        return None
    file = Path(spec.origin).parent / "data" / FILE
    return load_register(file) if file.is_file() else None


def tests_folder(given: Path | None) -> Path | None:
    """The folder given, else `tests/` of the source tree, if there is one."""
    if given is not None:
        if not given.is_dir():
            raise BadInput(f"{given}: no such folder")
        return given
    own = Path(__file__).resolve().parents[2] / "tests"
    return own if own.is_dir() else None


def rule_tests(folder: Path, game: str) -> Path | None:
    """The folder of one game's rule tests, if it has its own."""
    own = folder / "rules" / game
    return own if own.is_dir() else None


# ------------------------------------------------------------------ options


@dataclass(frozen=True, slots=True)
class Option:
    """An option agreed before a game, in the spelling of the command line."""

    name: str
    values: tuple[str, ...]  # (): any text
    default: str


def find_option(game: Game, query: str) -> Option | None:
    """The game's option of that name, if there is one."""
    name, pack = query.strip().casefold(), game.load_pack()
    defaults = {**pack.options, **pack.rulings}
    if name not in defaults:
        return None
    return Option(name, _values(game.id, name), spell_value(defaults[name]))


def _values(game: str, name: str) -> tuple[str, ...]:
    """What the option may be set to, as the game's `Options` and `Rulings` tables declare it."""
    tables = vars(import_module(f"{GAMES[game].rpartition('.')[0]}.tables"))
    rows = [TypeAdapter(tables[row]).json_schema() for row in ("Options", "Rulings") if row in tables]
    match next((row["properties"][name] for row in rows if name in row["properties"]), {}):
        case {"type": "boolean"}:
            return spell_value(True), spell_value(False)
        case {"minimum": least, "maximum": most}:
            return (f"{least}-{most}",)
        case {"enum": values}:
            return tuple(map(str, values))
    return ()


def spell_value(value: Any) -> str:
    """An option's value in the spelling of the command line."""
    return ("on" if value else "off") if isinstance(value, bool) else str(value)
