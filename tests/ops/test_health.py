"""What `pbem health` finds: everything that must not stay unseen, one by one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update
from typer.testing import CliRunner

from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.outages import SWEEP
from pbem.cli.main import app
from pbem.context import database_at, service_context
from pbem.ops.health import Finding, examine, figures
from pbem.settings import Settings, read_settings
from pbem.store.advance import claim_close
from pbem.store.campaigns import mark_held
from pbem.store.deadlines import begin_outage, record_pulse
from pbem.store.inbox import claim_letter, settle_letter
from pbem.store.leases import this_process
from pbem.store.outbox import claim_outgoing, mark_failed
from pbem.store.schema import closes
from pbem.store.schema_mail import inbox, outbox
from pbem.store.windows import read_orders
from tests.campaigns_at_hand import AtHand, campaign_at_hand
from tests.narrowing import not_none
from tests.stores import file_of


@pytest.fixture
def configuration(tmp_path: Path, redis_socket: Path) -> Settings:
    told = {"data": tmp_path, "redis": f"redis+socket://{redis_socket}"}
    return read_settings(environment={}, overrides=told)


@pytest.fixture
def at(tmp_path: Path) -> AtHand:
    """A service at work: every part has just given a sign, every letter is out."""
    found = campaign_at_hand(tmp_path)
    with found.service.db.begin() as tx:
        tx.execute(update(outbox).values(state="sent"))
    for part in ("poller", SWEEP):
        record_pulse(found.service.db, part, found.service.now())
    return found


def wrong(configuration: Settings, at: AtHand) -> list[str]:
    return [one.what for one in examine(configuration, at.service) if not one.well]


def test_a_service_at_work_is_well(configuration: Settings, at: AtHand) -> None:
    assert [] == wrong(configuration, at)
    now = figures(at.service)
    assert (1, 0, 0, 0) == (now.running, now.held, now.unread, now.unsent)


def silent(at: AtHand) -> None:
    at.clock.passes(minutes=2)


def troubled(at: AtHand) -> None:
    record_pulse(at.service.db, "poller", at.service.now(), {"trouble": "no answer"})


def unread(at: AtHand) -> None:
    at.arrives(at.reply("WA", "READY"))
    at.clock.passes(minutes=3)
    for part in ("poller", SWEEP):
        record_pulse(at.service.db, part, at.service.now())


def shunted(at: AtHand) -> None:
    number = at.arrives(at.reply("WA", "READY"))
    claim_letter(at.service.db, number, "test", at.service.now())
    settle_letter(at.service.db, number, "shunted", "KeyError", at.service.now())


def unsent(at: AtHand) -> None:
    with at.service.db.begin() as tx:
        tx.execute(
            update(outbox).values(state="waiting", next_try_at=at.service.now() - timedelta(minutes=6))
        )


def failed(at: AtHand) -> None:
    with at.service.db.begin() as tx:
        tx.execute(update(outbox).values(state="waiting", next_try_at=at.service.now()))
    for one in claim_outgoing(at.service.db, "test", at.service.now(), 99):
        mark_failed(at.service.db, one.id, "test", "550")


def late(at: AtHand) -> None:
    at.clock.passes(days=60)
    for part in ("poller", SWEEP):
        record_pulse(at.service.db, part, at.service.now())


def out_of_order(at: AtHand) -> None:
    begin_outage(at.service.db, "mail", at.service.now())


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (silent, ["poller", "workers"]),
        (troubled, ["poller"]),
        (unread, ["letters unread"]),
        (shunted, ["letters shunted"]),
        (unsent, ["letters unsent"]),
        (failed, ["letters failed"]),
        (late, ["deadlines late"]),
        (out_of_order, ["out of order"]),
    ],
)
def test_what_is_wrong_is_found(
    configuration: Settings, at: AtHand, spoil: Callable[[AtHand], None], found: list[str]
) -> None:
    spoil(at)
    assert found == wrong(configuration, at)


# ------------------------------------------------------------------ told as what they are


def told_of(configuration: Settings, at: AtHand, what: str) -> Finding:
    return next(one for one in examine(configuration, at.service) if one.what == what)


def test_workers_at_long_work_are_busy_and_not_down(configuration: Settings, at: AtHand) -> None:
    """Their lease tells; a process that died while it worked is down, whatever its lease says."""
    number = at.arrives(at.reply("WA", "READY"))
    frozen = load_campaign(at.db, at.name).freeze(read_orders(at.db, at.name), "umpire", at.clock())
    at.clock.passes(minutes=3)
    record_pulse(at.db, "poller", at.clock())
    assert not told_of(configuration, at, "workers").well
    claim_letter(at.db, number, "test", at.clock())
    assert claim_close(at.db, not_none(frozen), "test", at.clock())
    found = told_of(configuration, at, "workers")
    assert found.well and "busy with letters to read: 1, FWW-1; last seen 3 min ago" == found.told
    with at.db.begin() as tx:
        dead = ".".join([*this_process().split(".")[:3], "4194303", "1"])
        tx.execute(update(inbox).values(claimed_on=dead))
        tx.execute(update(closes).values(claimed_on=dead))
    assert not told_of(configuration, at, "workers").well


def test_a_data_folder_open_to_others(configuration: Settings, at: AtHand) -> None:
    configuration.data.chmod(0o755)
    assert ["data folder"] == wrong(configuration, at)
    assert "read and entered by others (mode 755)" in told_of(configuration, at, "data folder").told


def test_a_database_that_can_only_be_read(configuration: Settings, at: AtHand) -> None:
    with database_at(f"sqlite:///file:{file_of(at.db)}?mode=ro&uri=true") as db:
        found = examine(configuration, replace(at.service, db=db))
    assert ["database"] == [one.what for one in found if not one.well]
    assert "can only be read" in found[0].told


def test_the_deadline_of_a_held_campaign_is_not_late(configuration: Settings, at: AtHand) -> None:
    late(at)
    mark_held(at.service.db, at.name, "the umpire is away")
    assert [] == wrong(configuration, at)


def test_the_command_leaves_with_1_where_nothing_runs(tmp_path: Path) -> None:
    environment = {"PBEM_DATA": str(tmp_path / "data")}
    service_context(read_settings(None, environment)).db.dispose()
    done = CliRunner().invoke(app, ["health", "--json"], env=environment)
    told = json.loads(done.stdout)
    assert 1 == done.exit_code and not told["well"]
    assert {"redis", "poller", "workers"} == {one["what"] for one in told["findings"] if not one["well"]}
