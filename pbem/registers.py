"""Where a game's register of rules lies, and where its tests."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from engine.games import GAMES
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
    beside = Path(__file__).resolve().parents[1] / "tests"
    return beside if beside.is_dir() else None


def own_tests(folder: Path, game: str) -> Path | None:
    """Where the tests of one game's rules lie; None: they are not kept apart."""
    own = folder / "rules" / game
    return own if own.is_dir() else None
