"""Where a game's register of rules lies, and where its tests; what its options may be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_args, get_type_hints

from engine.games import GAMES
from engine.kernel.game import Game
from engine.kernel.register import FILE, Register, load_register
from pbem.errors import BadInput


@cache
def register_of(game: str) -> Register | None:
    """The game's register: `data/rulebook.toml` beside its code; None: it has none."""
    spec = find_spec(GAMES[game])
    if spec is None or spec.origin is None:
        return None
    file = Path(spec.origin).parent / "data" / FILE
    return load_register(file) if file.is_file() else None


def tests_folder(given: Path | None) -> Path | None:
    """The folder of tests: the one named, else `tests/` beside the packages; None: there is none."""
    if given is not None:
        if not given.is_dir():
            raise BadInput(f"{given}: no such folder")
        return given
    beside = Path(__file__).resolve().parents[2] / "tests"
    return beside if beside.is_dir() else None


def own_tests(folder: Path, game: str) -> Path | None:
    """Where the tests of one game's rules lie; None: they are not kept apart."""
    own = folder / "rules" / game
    return own if own.is_dir() else None


# ------------------------------------------------------------------ options


@dataclass(frozen=True, slots=True)
class Option:
    """A switch that is agreed before a game, written as on the command line."""

    name: str
    values: tuple[str, ...]  # (): any words
    default: str


def option_of(game: Game, asked: str) -> Option | None:
    """The option of that name; None: the game has none."""
    name, pack = asked.strip().casefold(), game.load_pack()
    defaults = {**getattr(pack, "options", {}), **getattr(pack, "rulings", {})}
    if name not in defaults:
        return None
    return Option(name, _values(_declared(game.id).get(name)), _written(defaults[name]))


def _declared(game: str) -> dict[str, Any]:
    """Option -> its type, as the game's tables `options` and `rulings` declare it."""
    tables = import_module(f"{GAMES[game].rpartition('.')[0]}.tables")
    rows = [getattr(tables, name) for name in ("Options", "Rulings") if hasattr(tables, name)]
    return {name: hint for row in rows for name, hint in get_type_hints(row, include_extras=True).items()}


def _values(hint: Any) -> tuple[str, ...]:
    if hint is bool:
        return _written(True), _written(False)
    base, *marks = get_args(hint) if hasattr(hint, "__metadata__") else (None,)
    if base is int:
        limits = [one for mark in marks for one in mark.metadata]
        least, most = (
            next(getattr(one, side) for one in limits if hasattr(one, side)) for side in ("ge", "le")
        )
        return (f"{least}-{most}",)
    return tuple(map(str, get_args(hint)))


def _written(value: Any) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)
