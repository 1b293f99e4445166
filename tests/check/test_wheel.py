"""What a wheel carries: code, data packs, type marks and templates."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from tests.check.house import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    (built,) = WheelBuilder(str(ROOT)).build(
        directory=str(tmp_path_factory.mktemp("wheel")), versions=["standard"]
    )
    return set(zipfile.ZipFile(built).namelist())


def test_code_and_type_marks(wheel: set[str]) -> None:
    assert {"engine/kernel/requests.py", "pbem/resources.py", "worker/__init__.py"} <= wheel
    assert {"engine/py.typed", "pbem/py.typed", "worker/py.typed"} <= wheel
    assert not [name for name in wheel if name.startswith(("tests/", "templates/"))]


def files(pattern: str) -> set[str]:
    return {path.relative_to(ROOT).as_posix() for path in ROOT.glob(pattern) if path.is_file()}


def test_data_packs(wheel: set[str]) -> None:
    packs = files("engine/games/*/data/**/*.toml")
    assert packs and packs <= wheel


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A source tree with one template."""
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy2(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "pbem", tmp_path / "pbem")
    (tmp_path / "templates" / "letters").mkdir(parents=True)
    (tmp_path / "templates" / "letters" / "planted.txt.j2").write_text("words", "utf-8")
    return tmp_path


def templates_seen_from(folder: Path) -> Path:
    asked = "from pbem.resources import templates_folder; print(templates_folder())"
    environment = os.environ | {"PYTHONPATH": str(folder)}
    told = subprocess.run(
        [sys.executable, "-c", asked], cwd=folder, env=environment, capture_output=True, check=True
    )
    return Path(told.stdout.decode().strip())


def test_templates_are_found_in_a_source_tree(planted: Path) -> None:
    assert planted / "templates" == templates_seen_from(planted)


def test_templates_are_found_in_an_installed_wheel(planted: Path, tmp_path: Path) -> None:
    (built,) = WheelBuilder(str(planted)).build(directory=str(tmp_path / "dist"), versions=["standard"])
    installed = tmp_path / "installed"
    zipfile.ZipFile(built).extractall(installed)
    found = templates_seen_from(installed)
    assert installed / "pbem" / "_templates" == found
    assert "words" == (found / "letters" / "planted.txt.j2").read_text("utf-8")
