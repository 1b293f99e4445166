"""Every way in which a command about campaigns can fail leaves nothing behind."""

from __future__ import annotations

import inspect
import re
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event, update
from sqlalchemy.exc import OperationalError
from typer.testing import CliRunner, Result

from pbem.cli.main import MODULES, app
from pbem.context import service_context
from pbem.settings import read_settings
from pbem.store.inbox import Sighting, settle_letter, store_letter
from pbem.store.schema import campaigns, metadata
from tests import pictures
from tests.campaigns_at_hand import NOW
from tests.stores import FILE

Given = Mapping[str, Sequence[str]]  # parameter -> values

FLAGS = {"called": "--name", "who": "--as", "same_dice": "--same-dice"}  # the others are called as they are
ARGUMENTS = (  # without a flag
    "game", "name", "give", "later", "turn", "words", "faces", "seat_of", "lines", "to", "text", "address",
    "number",
)  # fmt: skip
UMPIRE = "ursula@example.org"
HOUSE = "house@example.org"  # an umpire by the configuration, who has never written
ACT: Given = {"name": ("BEGUN-1",), "reason": ("snow",), "who": (HOUSE,)}
SEATS = ("WA=ann@example.org", "EA=bot", "DE=max@example.org")

# What is given rightly; each wrong value takes the place of a right one.
RIGHT: Mapping[str, Given] = {
    "open": {
        "game": ("fww",),
        "name": ("GREAT-1",),
        "players": ("4",),
        "scenario": ("standard",),
        "tempo": ("react",),
        "seat": SEATS,
        "called": ("ann@example.org=Ann",),
        "umpire": (UMPIRE,),
        "title": ("The lamps",),
        "option": ("no_surrender_before_turn=4",),
        "pack": (),
        "policy": ("good.toml",),
    },
    "seats": {"name": ("HERE-1",), "give": SEATS, "called": ("ann@example.org=Ann",)},
    "start": {**ACT, "name": ("FULL-1",)},
    "status": {"name": ("BEGUN-1",), "who": (HOUSE,)},
    "hold": ACT,
    "release": {**ACT, "name": ("HELD-1",)},
    "extend": {**ACT, "later": ("2 days",)},
    "process": {**ACT, "turn": ("T1.D",)},
    "rule": {"name": ("BEGUN-1",), "words": ("Metz stands.",), "who": (HOUSE,)},
    "dice": {**ACT, "faces": ("6", "6")},
    "answer": {**ACT, "seat_of": ("CENTRAL",), "lines": ("1",)},
    "rollback": {**ACT, "to": ("T1",), "same_dice": ()},
    "whatif": {**ACT, "text": ("T1",), "lang": ("fr",)},
    "replace": {**ACT, "seat_of": ("CENTRAL",), "address": ("new@example.org",), "called": ("Nina",)},
    "unseal": ACT,
    "journal": {"name": ("BEGUN-1",), "branch": ("0",), "public": (), "last": ("3",), "who": (HOUSE,)},
    "letters": {"name": ("BEGUN-1",), "state": ("shunted",), "limit": ("3",), "who": (HOUSE,)},
    "shunted": {"limit": ("3",), "who": (HOUSE,)},
    "requeue": {"number": ("1",), "out": (), "show": (), "who": (HOUSE,)},
    "unsigned": {"address": ("gaby@example.org",), "yes": ("",)},
    "forget": {"address": ("gaby@example.org",), "yes": ("",)},
}
WRONG_SEATS = ("WA", "=bot", "XX=bot", "XX=b@x.org", "WA=bot:clever", "WA=nobody", "WA=a@b@c")
WRONG: Mapping[str, Sequence[str]] = {
    "game": ("chess",),
    "players": ("5", "x", "-1"),
    "scenario": ("moon",),
    "tempo": ("slow",),
    "seat": WRONG_SEATS,
    "give": WRONG_SEATS,
    "called": ("Ann", "ann=Ann", "ann@example.org="),
    "umpire": ("nobody", "a@b@c"),
    "option": ("novalue", "nothing=1", "no_surrender_before_turn=x"),
    "pack": ("none", "torn", "empty"),
    "policy": ("bad.toml", "torn.toml", "none.toml"),
    "name": ("NONE-1", "OVER-1"),
    "who": ("nobody@example.org", "gaby@example.org"),
    "later": ("soon", "3/8", "2020-01-01"),
    "turn": ("T9.R", "perhaps"),
    "words": (" ",),
    "faces": ("7", "0", "six"),
    "seat_of": ("XX",),
    "lines": ("Q7 1", "99", "MARCH ON PARIS"),
    "to": ("T9", "perhaps"),
    "text": ("T9", "T1 XX: PASS"),
    "lang": ("de",),
    "address": ("nobody",),
    "branch": ("-1", "x"),
    "last": ("-1",),
    "state": ("lost",),
    "limit": ("0",),
    "number": ("99", "x"),
}
# What is wrong for one command only, or right for it.
OTHERWISE: Mapping[tuple[str, str], Sequence[str]] = {
    ("open", "name"): ("no name", "Ä-1", "A" * 60, "HERE-1", "here-1"),
    ("seats", "name"): ("NONE-1", "BEGUN-1"),
    ("start", "name"): ("NONE-1", "BEGUN-1", "HERE-1"),
    ("status", "name"): ("NONE-1",),
    ("hold", "name"): ("NONE-1", "OVER-1", "HELD-1"),
    ("release", "name"): ("NONE-1", "OVER-1", "BEGUN-1"),
    ("extend", "name"): ("NONE-1", "OVER-1", "HERE-1"),
    ("process", "name"): ("NONE-1", "OVER-1", "HERE-1", "HELD-1"),
    ("journal", "name"): ("NONE-1",),
    ("letters", "name"): ("NONE-1",),
    ("replace", "called"): (),
    ("replace", "address"): ("nobody", "gaby@example.org"),
    ("requeue", "who"): (),
}
ANYTHING = frozenset({"reason", "title", "as_json", "config", "same_dice", "public", "out", "show", "yes"})
SEVERAL = frozenset({"seat", "give", "called", "option", "umpire"})
TRIED = [
    (command, what, wrong)
    for command, given in RIGHT.items()
    for what in given
    if what not in ANYTHING
    for wrong in OTHERWISE.get((command, what), WRONG[what])
]
FEW = 1  # place at which a command is broken off in the ordinary suite: the last


def line_of(command: str, given: Given) -> list[str]:
    options, arguments = list[str](), list[str]()
    for what, values in given.items():
        for value in values:
            flag = FLAGS.get(what, f"--{what}")
            if what in ARGUMENTS:
                arguments.append(value)
            else:
                options += [flag, value] if value else [flag]
    return [command, *options, "--", *arguments]


def spoiled(given: Given, what: str, wrong: str) -> dict[str, Sequence[str]]:
    """The wrong value last, when everything before it has gone well."""
    kept = [one for one in given[what] if one.partition("=")[0] != wrong.partition("=")[0]]
    return {**given, what: (*kept, wrong) if what in SEVERAL else (wrong,)}


@pytest.fixture(scope="module", autouse=True)
def _without_maps() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        pictures.without_maps(patch)
        yield


@pytest.fixture(scope="module")
def service_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A service with campaigns in the lobby, in play, held and over, and a letter that was shunted."""
    folder = tmp_path_factory.mktemp("service")
    house = f'mailbox = "umpire@example.org"\n[house]\numpires = ["{HOUSE}"]\n'
    (folder / "pbem.toml").write_text(house, "utf-8")
    (folder / "good.toml").write_text('proof = "token"\n', "utf-8")
    (folder / "bad.toml").write_text('proof = "perhaps"\n', "utf-8")
    (folder / "torn.toml").write_text("proof = ", "utf-8")
    (folder / "empty").mkdir()
    (folder / "torn").mkdir()
    (folder / "torn" / "armies.toml").write_text("army = ", "utf-8")
    run(folder, ["open", "fww", "HERE-1", "--players", "4", "--umpire", UMPIRE])
    seats = ("--seat", "ALLIES=bot", "--seat", "CENTRAL=gaby@example.org")
    for name in ("FULL-1", "BEGUN-1", "HELD-1", "OVER-1"):
        run(folder, ["open", "fww", name, "--players", "2", *seats, "--umpire", UMPIRE])
    for name in ("BEGUN-1", "HELD-1", "OVER-1"):
        run(folder, ["start", name])
    run(folder, ["hold", "HELD-1"])
    with database(folder) as db, db.begin() as tx:
        tx.execute(update(campaigns).where(campaigns.c.id == "OVER-1").values(state="over"))
        letter = store_letter(tx, Sighting("INBOX", 1, 1), b"From: x@example.org\r\n\r\nhello\r\n", NOW, NOW)
        settle_letter(tx, letter.id, "shunted", "RuntimeError", NOW)
    return folder


def run(folder: Path, line: Sequence[str], code: int | None = 0) -> Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        found = CliRunner().invoke(app, [line[0], "--config", str(folder / "pbem.toml"), *line[1:]])
    assert code is None or code == found.exit_code, (line, found.output)
    return found


@contextmanager
def database(folder: Path) -> Iterator[Engine]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        db: Engine = service_context(read_settings(folder / "pbem.toml")).db
    yield db
    db.dispose()


def everything(folder: Path) -> dict[str, list[Any]]:
    """Every row of the database."""
    with closing(sqlite3.connect(folder / "pbem-data" / FILE)) as db:
        return {
            one.name: sorted(map(repr, db.execute(f"SELECT * FROM {one.name}")))
            for one in metadata.sorted_tables
        }


# ------------------------------------------------------------------ what is wrong with what is given


@pytest.mark.parametrize(("command", "what", "wrong"), TRIED)
def test_a_command_that_fails_leaves_nothing(
    service_folder: Path, command: str, what: str, wrong: str
) -> None:
    before = everything(service_folder)
    found = run(service_folder, line_of(command, spoiled(RIGHT[command], what, wrong)), code=None)
    assert found.exit_code in (1, 2) and "unexpected" not in found.output, found.output
    assert before == everything(service_folder)


def test_every_parameter_of_every_command_is_tried() -> None:
    for module in ("lobby", "umpire", "letters", "personal"):
        for command in MODULES[module]:
            function = vars(import_module(f"pbem.cli.{module}"))[f"{command}_command"]
            there = set(inspect.signature(function).parameters) - {"as_json", "config"}
            assert there == {what.removesuffix("_of") for what in RIGHT[command]}, command


# ------------------------------------------------------------------ the database fails in the middle


FULL = sqlite3.OperationalError("database or disk is full")


# The keys of the service are asked for with an INSERT that does nothing.
_WRITES = re.compile(r"\s*(INSERT(?! INTO service_keys)|UPDATE|DELETE)\b")


@contextmanager
def broken_at(number: int) -> Iterator[list[str]]:
    """The n-th statement that writes fails; 0: none. Yields those that were tried."""
    tried: list[str] = []

    def count(_: Any, __: Any, statement: str, *rest: Any) -> None:
        if _WRITES.match(statement):
            tried.append(statement)
            if len(tried) == number:
                raise OperationalError(statement, None, FULL)

    event.listen(Engine, "before_cursor_execute", count)
    try:
        yield tried
    finally:
        event.remove(Engine, "before_cursor_execute", count)


@pytest.mark.parametrize("most", [FEW, pytest.param(10_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("command", RIGHT)
def test_a_command_that_breaks_off_leaves_nothing(
    service_folder: Path, tmp_path: Path, command: str, most: int
) -> None:
    """Or its whole act, where the game could go on at once and did not: the service plays on by itself."""
    line, before = line_of(command, RIGHT[command]), everything(service_folder)
    shutil.copytree(service_folder, tmp_path / "done")
    with broken_at(0) as written:
        run(tmp_path / "done", line)
    assert bool(written) is (command not in ("status", "journal", "letters", "shunted"))
    places = range(1, len(written) + 1)
    for number in places[:: -max(1, len(places) // most)]:
        folder = tmp_path / str(number)
        shutil.copytree(service_folder, folder)
        with broken_at(number):
            assert "disk is full" in run(folder, line, code=1).output
        left, place = everything(folder), (number, written[number - 1])
        if command == "forget":  # letter by letter, and the person last: it can be repeated
            assert left["people"] == before["people"], place
            run(folder, line)
        else:
            assert left == before or len(left["umpire_acts"]) > len(before["umpire_acts"]), place
        shutil.rmtree(folder)
