"""`pbem restore` in the middle of campaigns, on SQLite and PostgreSQL: nobody rolls with dice he has seen."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pbem.cli.main import app
from pbem.ops.backup import back_up, restore
from pbem.settings import Settings, read_settings
from pbem.store.campaigns import acts, campaign_row
from pbem.store.journal import read_records
from pbem.store.session import connect, migrate
from pbem.store.transfer import copy_store
from tests.campaigns_at_hand import NAME, AtHand, campaign_at_hand
from tests.packages import Missing, installed
from tests.store.postgres import cluster


@pytest.fixture(scope="module")
def server_url() -> Iterator[str]:
    try:
        installed(lambda: shutil.which("pg_dump"), "postgresql-client")
        with cluster() as running:
            running.tell("CREATE DATABASE restored")
            url = running.url("restored").set(drivername="postgresql")
            yield url.render_as_string(hide_password=False)
    except Missing as reason:
        pytest.skip(f"!!! POSTGRESQL IS MISSING, RESTORING IT IS NOT TESTED: {reason}")


@pytest.fixture
def long_chain(monkeypatch: pytest.MonkeyPatch) -> str:
    """Other dice, with links enough for several restores."""
    monkeypatch.setattr("tests.campaigns_at_hand.LINKS", 8_192)
    return " of many links"


@pytest.fixture(params=["sqlite", "postgresql"])
def service(
    request: pytest.FixtureRequest, tmp_path: Path, without_maps: None, long_chain: str
) -> tuple[Settings, AtHand]:
    at = campaign_at_hand(tmp_path, dice=long_chain)
    told: dict[str, Any] = {"data": tmp_path}
    if request.param == "postgresql":
        told |= {"database": request.getfixturevalue("server_url")}
        there = connect(told["database"])
        migrate(there)
        copy_store(at.db, there)
        at = replace(at, service=replace(at.service, db=there))
    return read_settings(environment={}, overrides=told), at


def test_turns_are_played_again_with_other_links(service: tuple[Settings, AtHand], tmp_path: Path) -> None:
    configuration, at = service
    copy = tmp_path / "copy"
    back_up(configuration, copy)
    before = campaign_row(at.db, NAME).t
    seen = {record.link for record in read_records(at.db, NAME)}
    for _ in range(3):  # once more each time, over what was played since
        at.close()
        at.close()
        shown = {record.link for record in read_records(at.db, NAME)} - seen
        reached = campaign_row(at.db, NAME).t
        at.db.dispose()
        assert restore(configuration, copy, "the disk failed") is not None
        assert before == campaign_row(at.db, NAME).t
        assert ["the disk failed"] == [act.reason for _, act in acts(at.db, NAME)]
        at.close()
        (new,) = {record.link for record in read_records(at.db, NAME)} - seen
        assert new not in shown and campaign_row(at.db, NAME).t > reached + 999
    at.db.dispose()


def test_a_damaged_database_is_put_aside_as_it_is(
    tmp_path: Path, without_maps: None, long_chain: str
) -> None:
    at = campaign_at_hand(tmp_path, dice=long_chain)
    configuration = read_settings(environment={}, overrides={"data": tmp_path})
    back_up(configuration, tmp_path / "copy")
    at.db.dispose()
    words = b"this was a database" * 1000
    (tmp_path / "pbem.db").write_bytes(words)
    aside = restore(configuration, tmp_path / "copy")
    assert aside is not None and words == aside.read_bytes()
    at.close()
    assert campaign_row(at.db, NAME).t > 1000
    at.db.dispose()
    assert not list(tmp_path.glob("*.new*"))


def test_one_that_cannot_be_made_ready_takes_nobodys_place(
    tmp_path: Path, without_maps: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links are burnt, or nothing is restored."""
    at = campaign_at_hand(tmp_path)
    configuration = read_settings(environment={}, overrides={"data": tmp_path})
    back_up(configuration, tmp_path / "copy")
    at.close()
    reached = campaign_row(at.db, NAME).t

    def dies(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pbem.ops.backup.resume_from_backup", dies)
    with pytest.raises(KeyboardInterrupt):
        restore(configuration, tmp_path / "copy")
    assert not list(tmp_path.glob("*.new*"))
    assert (reached, 0) == (campaign_row(at.db, NAME).t, campaign_row(at.db, NAME).burn)
    monkeypatch.undo()
    at.db.dispose()
    assert restore(configuration, tmp_path / "copy") is not None


def test_the_command_tells_what_it_did(tmp_path: Path, without_maps: None) -> None:
    at = campaign_at_hand(tmp_path)
    at.db.dispose()
    told = ["--config", str(tmp_path / "pbem.toml")]
    (tmp_path / "pbem.toml").write_text(f'data = "{tmp_path}"\n')
    done = CliRunner().invoke(app, ["backup", str(tmp_path / "copy.db"), *told])
    assert 0 == done.exit_code, done.output
    words = ["restore", str(tmp_path / "copy.db"), "--yes", "--reason", "a test", *told]
    done = CliRunner().invoke(app, words)
    assert 0 == done.exit_code and "no link of the dice is used twice" in " ".join(done.output.split())
    assert ["a test"] == [act.reason for _, act in acts(at.db, NAME)]
    at.db.dispose()
