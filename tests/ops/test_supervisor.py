"""`pbem serve` as people run it: everything up, a letter read, what dies comes back, nothing stays behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiosmtplib
import pytest
from sqlalchemy import select

from pbem.context import service_context
from pbem.embedded.redis import answers, redis_command
from pbem.errors import BadInput
from pbem.ops.backup import back_up, restore
from pbem.ops.health import examine
from pbem.settings import Settings, read_settings
from pbem.store.schema_mail import inbox
from tests.ops.conftest import HOST, running
from tests.running import Service, children, descendants, is_alive, named, plain_environment, until
from tests.servers import LOOPBACK, free_port


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="pbem-serve-", dir="/tmp", ignore_cleanup_errors=True) as path:
        yield Path(path)


@pytest.mark.slow  # a whole service is started, and two of its processes again
def test_everything_runs_from_nothing_and_ends_together(folder: Path) -> None:
    ports = free_port(), free_port()
    doors = f"--smtp-port {ports[0]} --imap-port {ports[1]}"
    service = Service(folder, "--mail", "embedded", "--workers", "1", *doors.split())
    try:
        until(lambda: service.says("ready"))
        here = read_settings(environment={}, overrides={"data": folder / "pbem-data"})
        assert [] == [one for one in examine(here) if not one.well]
        _the_same_service_is_checked(folder)
        _a_letter_is_read(here, ports[0])
        back_up(here, folder / "copy.db")
        with pytest.raises(BadInput, match="a service is at work"):
            restore(here, folder / "copy.db")
        (poller,) = named(descendants(service.process.pid), "worker.poller")
        os.kill(poller, signal.SIGKILL)
        until(lambda: service.says("poller ended with -9"))
        until(lambda: poller not in named(descendants(service.process.pid), "worker.poller") != [])
        (head,) = [pid for pid in children(service.process.pid) if named({pid}, "celery")]
        below = until(lambda: children(head))
        os.kill(head, signal.SIGKILL)
        until(lambda: service.says("worker ended with -9"))
        until(lambda: not any(map(is_alive, below)), what="workers outlive their parent")
        everybody = descendants(service.process.pid)
        assert named(everybody, "redis-server") and named(everybody, "pbem.embedded.mail")
        service.process.send_signal(signal.SIGTERM)
        assert 0 == service.process.wait(20)
        assert [] == [pid for pid in sorted(everybody) if is_alive(pid)]
        assert "stopped" in service.told.read_text()
        restore(here, folder / "copy.db")
    finally:
        service.end()


def _the_same_service_is_checked(folder: Path) -> None:
    """Its mail server was named on its command line alone."""
    words = [sys.executable, "-m", "pbem", "check"]
    told: dict[str, Any] = {"cwd": folder, "env": plain_environment(), "text": True, "timeout": 60}
    done = subprocess.run(words, capture_output=True, check=False, **told)
    assert 0 == done.returncode and "runs here, mail: embedded" in done.stdout, done.stdout


def _a_letter_is_read(here: Settings, port: int) -> None:
    letter = b"From: jean@play.example\r\nSubject: hello\r\n\r\nHELP\r\n"
    door: dict[str, Any] = {"hostname": LOOPBACK, "port": port, "start_tls": False}
    sent = aiosmtplib.send(letter, sender="jean@play.example", recipients=[f"umpire@{HOST}"], **door)
    asyncio.run(sent)
    service = service_context(here)

    def settled() -> bool:
        with service.db.connect() as tx:
            return [True] == [state != "received" for state in tx.execute(select(inbox.c.state)).scalars()]

    until(settled)
    service.db.dispose()


def test_a_supervisor_that_is_killed_takes_all_with_it(folder: Path) -> None:
    service = Service(folder)
    try:
        until(lambda: named(descendants(service.process.pid), "celery"))
        everybody = descendants(service.process.pid)
        service.process.kill()
        service.process.wait()
        until(lambda: not any(map(is_alive, everybody)), 20)
    finally:
        service.end()


ENQUEUING = """
import sys
from worker.celery_app import enqueue, queue_length
for line in sys.stdin:
    print(enqueue("sweep"), queue_length(), flush=True)
"""


def test_tasks_are_enqueued_again_when_redis_is_back(folder: Path) -> None:
    path = folder / "redis.sock"
    environment = os.environ | {"PBEM_REDIS": f"redis+socket://{path}", "PBEM_DATA": str(folder)}
    process = subprocess.Popen(
        [sys.executable, "-c", ENQUEUING],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def enqueue() -> str:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("\n")
        process.stdin.flush()
        return process.stdout.readline().strip()

    try:
        assert "False 0" == enqueue()
        with running(redis_command(path), folder / "log"):
            assert until(lambda: answers(path))
            assert ["True 1", "True 2"] == [enqueue(), enqueue()]
        assert "False 0" == enqueue()
        with running(redis_command(path), folder / "log"):
            assert until(lambda: answers(path))
            assert "True 1" == enqueue()
    finally:
        process.kill()
        process.communicate()
