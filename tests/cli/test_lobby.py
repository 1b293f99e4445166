"""Every way in which a command of the lobby can fail leaves nothing behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, select
from typer.testing import CliRunner, Result

from pbem.cli.main import app
from pbem.context import service_context
from pbem.settings import read_settings
from pbem.store.schema import metadata

# What may be given, rightly; each wrong value takes the place of the right one.
OPEN: Mapping[str, Sequence[str]] = {
    "game": ("fww",),
    "name": ("GREAT-1",),
    "--players": ("4",),
    "--scenario": ("standard",),
    "--tempo": ("react",),
    "--seat": ("WA=ann@example.org", "EA=bot", "DE=max@example.org"),
    "--name": ("ann@example.org=Ann",),
    "--umpire": ("ursula@example.org",),
    "--option": ("no_surrender_before_turn=4",),
    "--policy": ("good.toml",),
    "--pack": (),
}
WRONG_TO_OPEN = (
    ("game", "chess"), ("name", "no name"), ("name", "Ä-1"), ("name", "A" * 60), ("name", "HERE-1"),
    ("name", "here-1"), ("--players", "5"), ("--players", "x"), ("--players", "-1"), ("--scenario", "moon"),
    ("--tempo", "slow"), ("--seat", "WA"), ("--seat", "=bot"), ("--seat", "XX=bot"), ("--seat", "XX=b@x.org"),
    ("--seat", "WA=bot:clever"), ("--seat", "WA=nobody"), ("--seat", "WA=a@b@c"), ("--name", "Ann"),
    ("--name", "ann=Ann"), ("--name", "ann@example.org="), ("--umpire", "nobody"), ("--umpire", "a@b@c"),
    ("--option", "novalue"), ("--option", "nothing=1"), ("--option", "no_surrender_before_turn=x"),
    ("--policy", "bad.toml"), ("--policy", "torn.toml"), ("--policy", "none.toml"), ("--pack", "none"),
    ("--pack", "torn"), ("--pack", "empty"),
)  # fmt: skip
SEATS: Mapping[str, Sequence[str]] = {
    "campaign": ("HERE-1",),
    "seat": ("WA=ann@example.org", "EA=bot", "DE=max@example.org"),
    "--name": ("ann@example.org=Ann",),
}
WRONG_FOR_SEATS = (
    ("campaign", "NONE-1"), ("campaign", "BEGUN-1"),
    *(("seat", text) for what, text in WRONG_TO_OPEN if what == "--seat"),
    *((what, text) for what, text in WRONG_TO_OPEN if what == "--name"),
)  # fmt: skip


def words(verb: str, given: Mapping[str, Sequence[str]]) -> list[str]:
    found = [verb]
    for what, values in given.items():
        for value in values:
            found += [what, value] if what.startswith("--") else [value]
    return found


def spoiled(given: Mapping[str, Sequence[str]], what: str, wrong: str) -> dict[str, Sequence[str]]:
    """The wrong value last, when everything before it has gone well."""
    kept = [one for one in given[what] if one.partition("=")[0] != wrong.partition("=")[0]]
    several = what in ("--seat", "seat", "--name", "--option", "--umpire")
    return {**given, what: (*kept, wrong) if several else (wrong,)}


@pytest.fixture(scope="module")
def service_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A service with a campaign in its lobby, and one that has begun."""
    folder = tmp_path_factory.mktemp("service")
    (folder / "pbem.toml").write_text('mailbox = "umpire@example.org"\n', "utf-8")
    (folder / "good.toml").write_text('proof = "token"\n', "utf-8")
    (folder / "bad.toml").write_text('proof = "perhaps"\n', "utf-8")
    (folder / "torn.toml").write_text("proof = ", "utf-8")
    (folder / "empty").mkdir()
    (folder / "torn").mkdir()
    (folder / "torn" / "armies.toml").write_text("army = ", "utf-8")
    run(folder, ["open", "fww", "HERE-1", "--players", "4"])
    bots = [word for seat in ("ALLIES", "CENTRAL") for word in ("--seat", f"{seat}=bot")]
    run(folder, ["open", "fww", "BEGUN-1", "--players", "2", *bots[:2], "--seat", "CENTRAL=gaby@example.org"])
    run(folder, ["start", "BEGUN-1"])
    return folder


def run(folder: Path, line: Sequence[str], code: int = 0) -> Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        found = CliRunner().invoke(app, [*line, "--config", str(folder / "pbem.toml")])
    assert code == found.exit_code, (line, found.output)
    return found


def everything(folder: Path) -> dict[str, list[Any]]:
    """Every row of the database."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        db: Engine = service_context(read_settings(folder / "pbem.toml")).db
        with db.connect() as tx:
            return {one.name: sorted(map(repr, tx.execute(select(one)))) for one in metadata.sorted_tables}


@pytest.mark.parametrize(("what", "wrong"), WRONG_TO_OPEN)
def test_an_open_that_fails_leaves_nothing(service_folder: Path, what: str, wrong: str) -> None:
    before = everything(service_folder)
    run(service_folder, words("open", spoiled(OPEN, what, wrong)), code=2)
    assert before == everything(service_folder)


@pytest.mark.parametrize(("what", "wrong"), WRONG_FOR_SEATS)
def test_seats_that_fail_leave_nothing(service_folder: Path, what: str, wrong: str) -> None:
    before = everything(service_folder)
    run(service_folder, words("seats", spoiled(SEATS, what, wrong)), code=2)
    assert before == everything(service_folder)


STARTS = (
    "start HERE-1",
    "start BEGUN-1",
    "start NONE-1",
    "status NONE-1",
    "start HERE-1 --as nobody@example.org",
)


@pytest.mark.parametrize("line", STARTS)
def test_a_start_that_fails_leaves_nothing(service_folder: Path, line: str) -> None:
    before = everything(service_folder)
    run(service_folder, line.split(), code=2)
    assert before == everything(service_folder)


def test_what_is_given_rightly_succeeds(service_folder: Path) -> None:
    """Otherwise the failures above would prove nothing."""
    run(service_folder, words("open", OPEN))
    run(service_folder, words("seats", SEATS))
    assert "GREAT-1" in run(service_folder, ["status"]).stdout
