"""The toy game, added to the program for one test: its line in GAMES, and its words beside the others."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import cast

import pytest

from engine.games import GAMES
from pbem import resources

HOME = Path(__file__).parent
MODULE = "tests.toy_game.patrol.game"


@pytest.fixture(scope="session")
def words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with all templates, the toy's among them."""
    package = tmp_path_factory.mktemp("package")
    shutil.copytree(resources.templates_folder(), package / "_templates")
    shutil.copytree(HOME / "templates", package / "_templates", dirs_exist_ok=True)
    return package


@pytest.fixture
def patrol(monkeypatch: pytest.MonkeyPatch, words: Path) -> None:
    monkeypatch.setitem(cast(dict[str, str], GAMES), "patrol", MODULE)
    monkeypatch.setattr(resources, "_PACKAGE", words)
