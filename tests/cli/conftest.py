"""A command line to run, and campaigns to run it on."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from engine.games import GAMES
from engine.kernel.fairness.audit import SentMark
from engine.kernel.journal import canonical, format_lines
from engine.kernel.requests import Seat
from pbem.campaigns.bots import bot_rng
from pbem.campaigns.campaign import Campaign
from pbem.campaigns.terms import agree_terms
from pbem.cli.main import app
from pbem.local.saved import NAME, STORE, advance, create_game, open_game, open_store
from pbem.store.journal import read_journal
from pbem.store.windows import SeatOrders, StoredReply

Run = Callable[..., Any]
CASES = Path(__file__).resolve().parents[1] / "cases"


@pytest.fixture
def run() -> Run:
    """`run("simulate", "fww", …)`: exit_code, stdout, stderr."""

    def run_command(*words: object, typed: str | None = None) -> Any:
        return CliRunner().invoke(app, [str(word) for word in words], input=typed)

    return run_command


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The one-page game, registered for one test."""
    from tests.kernel import toy as module

    monkeypatch.setitem(GAMES, "toy", "tests.kernel.toy")
    return module


def letters(campaign: Campaign, number: int) -> dict[Seat, SeatOrders]:
    """An answer to every open question, always the same for the same number."""
    assert campaign.pause is not None
    game = campaign.terms.game
    replies: dict[Seat, dict[str, StoredReply]] = {}
    for question, ask in campaign.pause.asks:
        answer = game.bots["random"](campaign.view(ask.seat), ask, bot_rng(b"letters", ask.seat, number))
        replies.setdefault(ask.seat, {})[question] = StoredReply(ask.topic, canonical(answer).decode())
    marks = (SentMark(f"<{number}@test>"),)
    return {seat: SeatOrders(replies=answers, letters=marks) for seat, answers in replies.items()}


def play_on(folder: Path, advances: int) -> None:
    with open_game(folder) as campaign:
        for number in range(advances):
            if campaign.table.over:
                return
            advance(campaign, letters(campaign, number))


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign of The First World War, some rounds old. Not to be changed."""
    folder = tmp_path_factory.mktemp("campaigns") / "begun"
    create_game(folder, agree_terms("fww", tempo="strict"), {})
    play_on(folder, 16)
    return folder


@pytest.fixture
def campaign(begun: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of it for one test."""
    folder = tmp_path / "campaign"
    shutil.copytree(begun, folder)
    yield folder


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def journal_text(folder: Path) -> str:
    """The journal of a saved game, as a journal file has it."""
    with open_store(folder) as db:
        return "".join(format_lines(read_journal(db, NAME)))


def sql(folder: Path, statement: str, *values: object) -> list[Any]:
    """Look into the store of a saved game, or change it behind the program's back."""
    with closing(sqlite3.connect(folder / STORE)) as connection, connection:
        return connection.execute(statement, values).fetchall()


def one_sentence(result: Any) -> str:
    """What a failed command says: one line, no traceback."""
    assert "Traceback" not in result.stderr
    (line,) = result.stderr.splitlines()
    assert line.startswith("pbem: ")
    return str(line)
