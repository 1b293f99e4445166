"""The command line, and a service at work."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pbem.cli.main import app
from pbem.embedded.redis import redis_command, until_it_answers
from tests.campaigns_at_hand import AtHand, campaign_at_hand
from tests.ops.conftest import running

Run = Callable[..., Any]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """`run("check", …)` on the store in the test's folder: exit_code, stdout, stderr."""
    monkeypatch.setenv("PBEM_DATA", str(tmp_path))

    def run_command(*words: object) -> Any:
        return CliRunner().invoke(app, [str(word) for word in words])

    return run_command


@pytest.fixture
def at(tmp_path: Path) -> AtHand:
    return campaign_at_hand(tmp_path)


@pytest.fixture(scope="module")
def redis_url() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="pbem-redis-", dir="/tmp") as folder:
        path = Path(folder) / "redis.sock"
        with running(redis_command(path), Path(folder) / "log"):
            assert until_it_answers(path)
            yield f"redis+socket://{path}"
