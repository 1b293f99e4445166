"""What `pbem health` finds: everything that must not stay unseen, one by one."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update
from typer.testing import CliRunner

from pbem.campaigns.outages import SWEEP
from pbem.cli.main import app
from pbem.context import service_context
from pbem.ops.health import examine, figures
from pbem.settings import Settings, read_settings
from pbem.store.campaigns import mark_held
from pbem.store.deadlines import begin_outage, record_pulse
from pbem.store.inbox import claim_letter, settle_letter
from pbem.store.outbox import claim_outgoing, mark_failed
from pbem.store.schema_mail import outbox
from tests.campaigns_at_hand import AtHand, campaign_at_hand


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
