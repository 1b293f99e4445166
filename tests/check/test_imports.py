"""Dependencies run worker → pbem → engine.games → engine.notation, board, kernel, never back."""

from __future__ import annotations

import pytest

from tests.check.house import (
    PACKAGES,
    PBEM_LAYERS,
    ROOT,
    Breach,
    import_breaches,
    imports,
    inner_breaches,
    module_name,
    part,
    set_loops,
    sources,
)

FWW = "engine/games/first_world_war"


def tree_breaches() -> list[Breach]:
    found: list[Breach] = []
    for path in sources(*PACKAGES):
        name = path.relative_to(ROOT).as_posix()
        found += import_breaches(name, path.read_text("utf-8"))
    return found


def test_the_tree_keeps_the_direction_of_imports() -> None:
    assert [] == [str(breach) for breach in tree_breaches()]


def test_the_application_keeps_its_own_directions() -> None:
    found: list[Breach] = []
    for path in sources("pbem"):
        found += inner_breaches(path.relative_to(ROOT).as_posix(), path.read_text("utf-8"))
    assert [] == [str(breach) for breach in found]


def test_every_part_of_the_application_has_its_layer() -> None:
    parts = {part(module_name(path.relative_to(ROOT).as_posix())) for path in sources("pbem")}
    assert set().union(*PBEM_LAYERS) == parts - {"", "__main__"}


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("pbem/settings.py", "from pbem.context import ServiceContext"),
        ("pbem/mail/smtp.py", "from pbem.store import outbox"),
        ("pbem/store/people.py", "from pbem.campaigns.lobby import start"),
        ("pbem/orders/reader.py", "from pbem.verbs.registry import REGISTRY"),
        ("pbem/letters/result.py", "from pbem.campaigns import campaign"),
        ("pbem/orders/reader.py", "from pbem.letters.phrases import Phrases"),
        ("pbem/campaigns/lobby.py", "from ..verbs import lobby"),
        ("pbem/verbs/lobby.py", "def f():\n    from pbem.intake.receive import receive_letter"),
        ("pbem/intake/receive.py", "import pbem.ops.sweep"),
        ("pbem/ops/sweep.py", "from pbem.cli import main"),
        ("pbem/local/play.py", "from pbem.ops import health"),
    ],
)
def test_a_planted_import_inside_the_application_is_noticed(path: str, line: str) -> None:
    assert list(inner_breaches(path, line))


def test_imports_down_the_application_pass() -> None:
    source = "from pbem.store.people import person\nfrom pbem.errors import BadInput"
    assert [] == list(inner_breaches("pbem/campaigns/lobby.py", source))


def test_the_walk_sees_the_tree() -> None:
    """A walk over nothing would find nothing."""
    seen = {path.relative_to(ROOT).as_posix() for path in sources(*PACKAGES)}
    assert {
        "engine/kernel/requests.py",
        f"{FWW}/answers.py",
        "pbem/resources.py",
        "worker/__init__.py",
    } <= seen


def test_no_game_loops_over_a_set() -> None:
    found: list[Breach] = []
    for path in sources("engine/games"):
        found += set_loops(path.relative_to(ROOT).as_posix(), path.read_text("utf-8"))
    assert [] == [str(breach) for breach in found]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("engine/kernel/table.py", "import pbem.cli"),
        ("engine/kernel/table.py", "from engine.games import first_world_war"),
        ("engine/kernel/table.py", "from ..games.first_world_war import state"),
        ("engine/kernel/table.py", "def f():\n    from engine.games.first_world_war import state"),
        (
            "engine/kernel/table.py",
            "import importlib\nimportlib.import_module('engine.games.first_world_war')",
        ),
        ("engine/kernel/table.py", "import importlib\nimportlib.import_module(f'engine.games.{x}')"),
        ("engine/kernel/table.py", "from importlib import import_module\nimport_module(x)"),
        ("engine/kernel/table.py", "from engine import games"),
        ("engine/kernel/table.py", "from engine.board import areas"),
        ("engine/kernel/table.py", "import rich"),
        ("engine/kernel/table.py", "import jinja2.sandbox"),
        ("engine/kernel/table.py", "import sqlite3"),
        ("engine/kernel/table.py", "from email.message import EmailMessage"),
        ("engine/kernel/table.py", "from engine.notation import lines"),
        ("engine/notation/lines.py", "from engine.games.first_world_war.view import View"),
        ("engine/notation/lines.py", "from engine.board import areas"),
        ("engine/board/areas.py", "import engine.kernel.requests"),
        ("engine/board/areas.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import worker"),
        (f"{FWW}/state.py", "import random"),
        (f"{FWW}/rules/combat.py", "from time import monotonic"),
        (f"{FWW}/state.py", "import datetime as dt"),
        (f"{FWW}/state.py", "import os.path"),
        (f"{FWW}/state.py", "from io import StringIO"),
        (f"{FWW}/state.py", "import secrets"),
        (f"{FWW}/state.py", "from pbem.resources import templates_folder"),
        ("pbem/cli.py", "from worker import tasks"),
        ("pbem/mail/smtp.py", "from ...worker import tasks"),
    ],
)
def test_a_planted_import_is_noticed(path: str, line: str) -> None:
    assert list(import_breaches(path, line))


def test_a_game_that_imports_another_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.check.house.ROOT", ROOT / "tests" / "check" / "planted")
    assert list(import_breaches("engine/games/one/state.py", "from engine.games.two import state"))
    assert list(import_breaches("engine/games/one/rules/war.py", "from ...two.state import State"))
    assert not list(import_breaches("engine/games/one/rules/war.py", "from ..state import State"))
    assert not list(import_breaches("engine/games/__init__.py", "from engine.games.two import state"))


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (f"{FWW}/state.py", "from engine.kernel.requests import Seat"),
        (f"{FWW}/rules/combat.py", "from ..state import State"),
        (f"{FWW}/notation/lexicon.py", "from engine.notation.cursor import Cursor"),
        ("engine/notation/lines.py", "from engine.kernel.game import Said"),
        (f"{FWW}/state.py", "import tomllib\nfrom pydantic import BaseModel\nfrom engine.board import paths"),
        ("engine/kernel/fairness/dice.py", "import hashlib, hmac, secrets"),
        ("pbem/cli.py", "import typer\nfrom engine.games import registry\nfrom pbem.resources import x"),
        ("worker/tasks.py", "from pbem.campaigns import advance\nfrom worker.celery_app import app"),
    ],
)
def test_a_rightful_import_passes(path: str, line: str) -> None:
    assert [] == list(import_breaches(path, line))


def test_relative_imports_are_read_as_python_reads_them() -> None:
    source = "from . import a\nfrom ..b import c\nfrom ... import d"
    assert ["engine.games.x.a", "engine.games.b.c", "engine.d"] == [
        found.module for found in imports("engine/games/x/state.py", source)
    ]
    assert ["engine.games.x.a"] == [
        i.module for i in imports("engine/games/x/__init__.py", "from . import a")
    ]


@pytest.mark.parametrize(
    "source",
    [
        "for x in set(y): pass",
        "[x for x in {1, 2}]",
        "for x in set(a) - b: pass",
        "{k: 1 for k in {a for a in b}}",
    ],
)
def test_a_planted_loop_over_a_set_is_noticed(source: str) -> None:
    assert list(set_loops("engine/games/x/state.py", source))
    assert not list(set_loops("engine/games/x/state.py", "for x in sorted(set(y)): pass"))
