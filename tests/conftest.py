"""Settings that hold for every test."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from engine.games import GAMES
from tests import pictures
from tests.narrowing import expect

# Two cores shared by everything: a slow example is no failure. On a build machine examples are drawn
# by a fixed seed, so that a red run can be repeated; at a desk each run looks at new ones.
settings.register_profile("desk", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("build", parent=settings.get_profile("desk"), derandomize=True, print_blob=True)
settings.load_profile("build" if os.environ.get("CI") else "desk")

# Databases wait for the disk at every commit. Where there is room in memory, tests keep their files there.
MEMORY, ROOM = Path("/dev/shm"), 4 << 30


def _has_room(folder: Path) -> bool:
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        return False
    runs_programs = not os.statvfs(folder).f_flag & os.ST_NOEXEC
    return runs_programs and shutil.disk_usage(folder).free > ROOM


if _has_room(MEMORY):
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


def pytest_collection_finish() -> None:
    """What was imported stays: to look through it for garbage again and again takes a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture
def without_maps(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that do not look at pictures."""
    pictures.without_maps(monkeypatch)


@pytest.fixture(autouse=True)
def _same_games_after() -> Iterator[None]:
    """A game that a test adds to the program goes with that test, whatever others it adds it for."""
    games = expect(dict, GAMES)
    before = dict(games)
    yield
    if games != before:
        games.clear()
        games.update(before)
