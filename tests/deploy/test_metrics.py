"""Figures for Prometheus: the right numbers of a real store, and of a service at work; nothing secret."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import aiosmtplib
import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import update

from pbem.campaigns.outages import SWEEP
from pbem.embedded.accounts import umpire_password
from pbem.logs import take_event_counts
from pbem.ops.metrics import Counters, figures_text, read_counters
from pbem.settings import Settings, read_settings
from pbem.store.campaigns import mark_held
from pbem.store.deadlines import begin_outage, record_pulse
from pbem.store.inbox import Settled, claim_letter, settle_letter
from pbem.store.schema_mail import outbox
from tests.campaigns_at_hand import AtHand, found_campaign
from tests.ops.conftest import HOST
from tests.running import Service, until
from tests.servers import LOOPBACK, free_port

Figures = dict[str, float]


def parsed(text: str) -> Figures:
    """`pbem_letters_in{applied}` and the like."""
    found: Figures = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = f"{{{','.join(sample.labels.values())}}}" if sample.labels else ""
            found[f"{sample.name}{labels}"] = sample.value
    return found


@pytest.fixture
def configuration(tmp_path: Path, redis_url: str) -> Settings:
    return read_settings(environment={}, overrides={"data": tmp_path, "redis": redis_url})


def test_the_numbers_of_a_real_store(configuration: Settings, at: AtHand) -> None:
    db, now = at.service.db, at.service.now()
    with db.begin() as tx:
        tx.execute(update(outbox).values(state="sent", sent_at=now + timedelta(seconds=4)))
    found_campaign(at.service, "FWW-8")
    found_campaign(at.service, "FWW-9")
    mark_held(db, "FWW-9", "the umpire is away")
    record_pulse(db, "poller", now, {"trouble": "no answer"})
    record_pulse(db, SWEEP, now)
    begin_outage(db, "mail", now)
    settled: tuple[Settled, ...] = ("applied", "applied", "shunted")
    for state in settled:
        number = at.arrives(at.reply("WA", "READY"))
        claim_letter(db, number, "test", now)
        settle_letter(db, number, state, "", now)
    at.arrives(at.reply("WA", "READY"))
    at.clock.passes(days=60)
    told = parsed(figures_text(configuration, at.service))
    letters = len(at.seats)
    expected = {
        "pbem_database_up": 1,
        "pbem_redis_up": 1,
        "pbem_letters_in{received}": 1,
        "pbem_letters_in{applied}": 2,
        "pbem_letters_in{shunted}": 1,
        "pbem_letters_in{quarantined}": 0,
        "pbem_letters_out{sent}": letters,
        "pbem_letters_out{waiting}": 0,
        "pbem_campaigns{running}": 1,
        "pbem_campaigns{lobby}": 2,
        "pbem_campaigns_held": 1,
        "pbem_unread_letters": 1,
        "pbem_unread_oldest_seconds": 60 * 86400,
        "pbem_unsent_letters": 0,
        "pbem_unsent_oldest_seconds": 0,
        "pbem_deadlines_late": 1,
        "pbem_closes": 1,
        "pbem_send_seconds{0.5}": 4,
        "pbem_pulse_age_seconds{poller}": 60 * 86400,
        "pbem_part_up{poller}": 0,
        "pbem_part_up{workers}": 1,
        "pbem_outages": 1,
        "pbem_clock_in_doubt": 0,
    }
    assert expected == {name: told.get(name) for name in expected}
    assert told["pbem_disk_free_bytes"] > 0


def test_no_name_is_among_them(configuration: Settings, at: AtHand) -> None:
    text = figures_text(configuration, at.service)
    names = [at.name, "WA", *at.addresses.values(), "@", "fww"]
    assert [] == [name for name in names if name in text]


def test_a_database_that_does_not_answer_is_a_figure(tmp_path: Path) -> None:
    nowhere = {"data": tmp_path, "database": "postgresql://umpire@127.0.0.1:1/none"}
    told = parsed(figures_text(read_settings(environment={}, overrides=nowhere)))
    assert (0, 0) == (told["pbem_database_up"], told["pbem_redis_up"])


def test_processes_add_up_what_they_did(redis_url: str) -> None:
    take_event_counts()
    one, other = Counters(redis_url), Counters(redis_url)
    one.count_task("adjudicate", 0.25)
    one.count_task("adjudicate", 0.5)
    other.count_task("adjudicate", 1.0)
    other.count_task("send", 0.1)
    assert one.flush() and other.flush() and other.flush()
    told = read_counters(redis_url)
    assert told == {
        "tasks adjudicate": 3,
        "seconds adjudicate": 1_750_000,
        "tasks send": 1,
        "seconds send": 100_000,
    }


def test_what_redis_does_not_hear_is_not_forgotten(tmp_path: Path, redis_url: str) -> None:
    take_event_counts()
    counters = Counters(f"redis+socket://{tmp_path}/none")
    counters.count_task("send", 0.1)
    assert not counters.flush() and not counters.flush()
    counters._redis = Counters(redis_url)._redis
    before = (read_counters(redis_url) or {}).get("tasks send", 0)
    assert counters.flush()
    assert before + 1 == (read_counters(redis_url) or {})["tasks send"]
    assert read_counters(f"redis+socket://{tmp_path}/none") is None


# ------------------------------------------------------------------ at work


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="pbem-watch-", dir="/tmp", ignore_cleanup_errors=True) as path:
        yield Path(path)


def fetched(port: int) -> Figures:
    with suppress(OSError), urlopen(f"http://{LOOPBACK}:{port}/metrics", timeout=20) as answer:
        return parsed(answer.read().decode())
    return {}


@pytest.mark.slow  # a whole service is started, and its processes import everything
def test_a_service_at_work_tells_its_figures_and_logs_no_secret(folder: Path) -> None:
    smtp, imap, port = free_port(), free_port(), free_port()
    doors = f"--mail embedded --workers 1 --smtp-port {smtp} --imap-port {imap} --metrics-port {port}"
    service = Service(folder, *doors.split())
    try:
        until(lambda: service.says("ready"))
        letter = b"From: jean@play.example\r\nTo: x\r\nSubject: secret plan\r\n\r\nHELP\r\n"
        door: dict[str, Any] = {"hostname": LOOPBACK, "port": smtp, "start_tls": False}
        asyncio.run(
            aiosmtplib.send(letter, sender="jean@play.example", recipients=[f"umpire@{HOST}"], **door)
        )
        told = until(
            lambda: (
                found
                if (found := fetched(port)).get("pbem_events_total{letter.taken}")
                and found.get("pbem_tasks_total{receive}")
                else None
            ),
        )
        assert 1 == told["pbem_events_total{letter.taken}"] == told["pbem_tasks_total{receive}"]
        assert 0 < told["pbem_task_seconds_total{receive}"] < 60
        assert 1 == sum(value for name, value in told.items() if name.startswith("pbem_letters_in{"))
        assert (1, 1) == (told["pbem_part_up{poller}"], told["pbem_part_up{workers}"])
        service.process.send_signal(signal.SIGTERM)
        assert 0 == service.process.wait(20)
    finally:
        service.end()
    data = folder / "pbem-data"
    logs = {path.name: path.read_text() for path in sorted((data / "log").iterdir())}
    assert {"mail.log", "metrics.log", "poller.log", "redis.log", "worker.log"} <= set(logs)
    assert "letter.taken" in logs["poller.log"] and "letter" in logs["worker.log"]
    secrets = ("jean", "secret plan", umpire_password(data / "mail"), f"umpire@{HOST}")
    assert [] == [(name, word) for name, text in logs.items() for word in secrets if word in text]


def test_the_command_serves_until_it_is_stopped(folder: Path) -> None:
    port = free_port()
    words = [sys.executable, "-m", "pbem", "metrics", "--port", str(port)]
    with subprocess.Popen(
        words, env=os.environ | {"PBEM_DATA": str(folder)}, stdout=subprocess.PIPE
    ) as process:
        assert 1 == until(lambda: fetched(port))["pbem_database_up"]
        process.terminate()
        assert 0 == process.wait(20)
