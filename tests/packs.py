"""A game's built-in tables and how an umpire may alter them: one change of one row, and its error."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from engine.kernel.errors import PackError


def override(folder: Path, **files: str) -> Path:
    """A folder with an umpire's own files."""
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return folder


class Slip(NamedTuple):
    """One change of a built-in table, and what the error must say."""

    file: str
    table: str
    start: str  # first line of the row
    old: str
    new: str
    key: str
    problem: str
    at: str = ""  # file and table the error names, if not those that were changed


class Tables:
    """The tables of one game: where they lie, and what loads them."""

    def __init__(self, data: Path, load_pack: Callable[..., Any]) -> None:
        self._data, self._load_pack = data, load_pack

    def built_in(self, file: str) -> str:
        return (self._data / file).read_text(encoding="utf-8")

    def row(self, file: str, table: str, start: str) -> str:
        """The text of one row of the built-in file, from its header to the next blank line."""
        pattern = rf"^\[+{table}\]+\n{re.escape(start)}.*?(?:\n\n|\Z)"
        found = re.search(pattern, self.built_in(file), re.MULTILINE | re.DOTALL)
        assert found, (file, table, start)
        return found[0]

    def altered(self, file: str, table: str, start: str, old: str, new: str) -> str:
        """The built-in file with one change inside one row."""
        text = self.row(file, table, start)
        assert old in text, (old, text)
        return self.built_in(file).replace(text, text.replace(old, new, 1), 1)

    def written(self, slip: Slip, folder: Path) -> Path:
        """A folder with the one file in which the slip stands."""
        text = self.altered(f"{slip.file}.toml", slip.table, slip.start, slip.old, slip.new)
        return override(folder, **{slip.file: text})

    def refusal(self, slip: Slip, folder: Path) -> PackError:
        """What loading says to it."""
        with pytest.raises(PackError) as caught:
            self._load_pack(self.written(slip, folder))
        return caught.value

    def assert_refused(self, slip: Slip, folder: Path) -> None:
        """The error names file, table and key, and nothing is loaded."""
        before, before_hash = self._load_pack(), self._load_pack().hash
        error = self.refusal(slip, folder)
        wanted = slip.at or f"{slip.file}.toml {slip.table}"
        assert f"{Path(error.file).name} {error.table}" == wanted, str(error)
        assert error.key == slip.key, str(error)
        assert slip.problem in error.problem, str(error)
        assert str(error) == f"{error.file}: [{error.table}] {error.key}: {error.problem}"
        assert self._load_pack() is before
        assert self._load_pack().hash == before_hash
