"""docs/adding-a-game.md holds the toy game as it is, and whoever follows it gets a game that runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.check.house import ROOT
from tests.running import plain_environment
from tests.toy_game.conftest import HOME

PAGE = ROOT / "docs" / "adding-a-game.md"
GAME = "engine/games/patrol"
FILE = re.compile(r"^`([\w./-]+)`\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LAST_GAME = '    "trench": "engine.games.trench_club.game",\n'
WRITES = os.environ.get("PBEM_GOLDEN") == "write"


def kept() -> dict[str, str]:
    """Every file of the toy game, by the path at which the page has it."""
    code = {f"{GAME}/{path.relative_to(HOME / 'patrol')}": path for path in (HOME / "patrol").rglob("*.*")}
    words = {str(path.relative_to(HOME)): path for path in (HOME / "templates").rglob("*.*")}
    return {name: path.read_text("utf-8") for name, path in (code | words).items() if path.suffix != ".pyc"}


def shown() -> dict[str, str]:
    return dict(FILE.findall(PAGE.read_text("utf-8")))


def test_the_page_shows_the_toy_game_letter_by_letter() -> None:
    files = kept()
    if WRITES:
        text = FILE.sub(_renewed, PAGE.read_text("utf-8"))
        PAGE.write_text(text, encoding="utf-8")
    page = shown()
    assert page.keys() - files.keys() == {"anna.py"}, "what the page has besides"
    assert files.keys() - page.keys() == set(), "what the page lacks"
    for name, text in files.items():
        assert page[name] == text, f"{name}; PBEM_GOLDEN=write puts it into the page"


def _renewed(found: re.Match[str]) -> str:
    return found[0].replace(found[2], kept().get(found[1], found[2]))


def test_the_line_for_the_registry_is_the_one_that_works() -> None:
    assert f'    "patrol": "{GAME.replace("/", ".")}.game",' in PAGE.read_text("utf-8")


def test_whoever_follows_the_page_gets_a_game_that_runs(tmp_path: Path) -> None:
    """In a tree of its own, from the page alone."""
    for name in ("engine", "pbem", "templates"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in shown().items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    registry = tmp_path / "engine/games/__init__.py"
    line = f'    "patrol": "{GAME.replace("/", ".")}.game",\n'
    before = registry.read_text("utf-8")
    assert LAST_GAME in before
    registry.write_text(before.replace(LAST_GAME, LAST_GAME + line), encoding="utf-8")
    assert "Patrol" in _pbem(tmp_path, "games")
    assert '"finished": 20' in _pbem(tmp_path, "simulate", "patrol", "--games", "20", "--check", "--json")
    assert "PAT-2-2" in _pbem(tmp_path, "rules", "patrol", "2-2")


def _pbem(tree: Path, *words: str) -> str:
    environment = plain_environment() | {"PYTHONPATH": str(tree), "COLUMNS": "160"}
    told = [sys.executable, "-m", "pbem", *words]
    done = subprocess.run(told, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
