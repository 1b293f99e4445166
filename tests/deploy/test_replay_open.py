"""`pbem replay --all-open`: every open campaign of the service against this code, nothing written."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.games.first_world_war.facts.board import PhaseBegan
from engine.games.first_world_war.rules import rounds
from pbem.campaigns.umpire.acts import Umpire
from pbem.campaigns.umpire.branches import order_rollback
from pbem.campaigns.umpire.clock import hold
from pbem.store import session as store
from pbem.store.journal import read_journal
from tests.campaigns_at_hand import AtHand, found_campaign, run_on
from tests.deploy.conftest import Run


def replayed(run: Run, *words: object) -> tuple[list[str], dict[str, str]]:
    """Names that came out the same, and the problems of the others."""
    done = run("replay", "--all-open", "--json", *words)
    told = json.loads(done.stdout)
    assert done.exit_code == (1 if told["failed"] else 0), done.stderr
    return [one["path"] for one in told["replayed"]], {one["path"]: one["problem"] for one in told["failed"]}


def test_running_campaigns_and_those_in_the_lobby(at: AtHand, run: Run) -> None:
    """Also one with a rollback behind it, one that is held, and one that has not begun."""
    at.close()
    first = next(line.data["key"] for line in read_journal(at.db, at.name) if line.data["k"] == "seam")
    order_rollback(Umpire(at.service, at.name, "a lost letter"), first)
    at.close()
    found_campaign(at.service, "FWW-8")
    run_on(at.service, "FWW-8", "opening")
    hold(Umpire(at.service, "FWW-8", "the umpire is away"))
    found_campaign(at.service, "FWW-9")
    assert ([at.name, "FWW-8", "FWW-9"], {}) == replayed(run)
    told = run("replay", "--all-open").stdout.splitlines()
    assert 3 == len(told) and all("fold = replay = snapshot + tail" in line for line in told)


def test_those_that_diverge_are_named(at: AtHand, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that lead elsewhere, and rules that cannot be run any more."""
    at.close()
    found_campaign(at.service, "FWW-9")
    with monkeypatch.context() as changed:
        changed.setattr(rounds, "PhaseBegan", lambda turn, phase, number: PhaseBegan(turn, phase, number + 1))
        good, bad = replayed(run)
    assert ["FWW-9"] == good and [at.name] == list(bad)
    assert "T1.R1, line" in bad[at.name]
    with monkeypatch.context() as changed:
        changed.setattr(PhaseBegan, "apply", lambda fact, state: state.no_such_thing)
        assert {at.name: "the rules break down: AttributeError"} == replayed(run)[1]
    done = run("replay", "--all-open")
    assert 0 == done.exit_code, done.stderr


def test_a_question_that_is_not_the_open_one(at: AtHand, run: Run) -> None:
    with closing(sqlite3.connect(at.db.url.database or "")) as raw, raw:
        raw.execute("UPDATE windows SET key = 'T9.X'")
    assert "another question than the one that is open" in replayed(run)[1][at.name]


def test_a_damaged_journal_is_named(at: AtHand, run: Run) -> None:
    with closing(sqlite3.connect(at.db.url.database or "")) as raw, raw:
        raw.execute("UPDATE journal SET raw = CAST(replace(raw, 'T1', 'T2') AS BLOB) WHERE sequence = 2")
    assert "does not fit the chain" in replayed(run)[1][at.name]


def test_a_database_of_an_older_schema_is_left_as_it_is(
    at: AtHand, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """New code is tried on a copy, which is gone afterwards."""
    real, asked = store.database_revision(at.db), iter(("newer",))
    before = sorted(path.name for path in tmp_path.iterdir())
    monkeypatch.setattr("pbem.ops.backup.code_revision", lambda: next(asked, real))
    assert ([at.name], {}) == replayed(run)
    assert real == store.database_revision(at.db)
    assert before == sorted(path.name for path in tmp_path.iterdir())


def test_without_a_database_there_is_nothing_to_replay(run: Run) -> None:
    done = run("replay", "--all-open")
    assert 2 == done.exit_code and "there is no database yet" in done.stderr
