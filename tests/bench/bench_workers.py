"""Two workers beside one, on PostgreSQL: campaigns whose windows close, and no mail.

Every seat is ready, so each task is a whole advance: Close, run, letters with their maps, commit. The mail
servers have nothing to do; the letters stay in the outbox.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from celery import Celery
from sqlalchemy import func, select

from pbem.context import ServiceContext, service_context
from pbem.ops.supervisor import worker_command
from pbem.settings import FILE_VARIABLE, read_settings
from pbem.store.schema import campaigns
from pbem.store.session import reading
from pbem.store.windows import Stamp, file_stance
from tests.bench.campaigns import open_campaigns
from tests.bench.measure import Figure, Figures
from tests.running import plain_environment, until
from tests.servers import redis
from tests.store.postgres import cluster

WARM_UP = 6
ADVANCES = 30
PATIENCE = 180.0


def run() -> Figures:
    alone, together = (_seconds_an_advance(number) for number in (1, 2))
    return {
        "one worker: an advance": Figure(1000 * alone, "ms", at_least=100),
        "two workers: an advance": Figure(1000 * together, "ms"),
        "two workers / one": Figure(alone / together, at_least=1.6),
    }


def _seconds_an_advance(workers: int) -> float:
    """Time for all of them, divided by their number; the workers have done such work before."""
    with TemporaryDirectory() as place, cluster() as base, redis() as bell:
        base.tell("CREATE DATABASE play")
        url = base.url("play").set(drivername="postgresql").render_as_string(hide_password=False)
        config = Path(place) / "pbem.toml"
        config.write_text(f'database = "{url}"\nredis = "{bell.url}"\nmail = "none"\n')
        service = service_context(read_settings(config, {}))
        people = open_campaigns(service, WARM_UP + ADVANCES)
        for one in people:
            file_stance(service.db, one.campaign, 1, one.seat, "ready", Stamp(service.now()))
        names = sorted({one.campaign for one in people})
        ring = Celery(broker=bell.url)
        with _working(config, workers):
            _advance(service, ring, names[:WARM_UP])
            began = time.perf_counter()
            _advance(service, ring, names[WARM_UP:])
            took = time.perf_counter() - began
        service.db.dispose()
    return took / ADVANCES


def _advance(service: ServiceContext, ring: Celery, names: Sequence[str]) -> None:
    for name in names:
        ring.send_task("pbem.adjudicate", (name,), queue="pbem")
    until(lambda: _advanced(service, names) == len(names), PATIENCE, "the workers do not advance")


def _advanced(service: ServiceContext, names: Sequence[str]) -> int:
    with reading(service.db) as tx:
        done = select(func.count()).where(campaigns.c.id.in_(names), campaigns.c.t > 1)
        return int(tx.execute(done).scalar_one())


@contextmanager
def _working(config: Path, workers: int) -> Iterator[None]:
    environment = plain_environment() | {FILE_VARIABLE: str(config)}
    with (config.parent / "worker.log").open("wb") as log:
        process = subprocess.Popen(worker_command(workers), env=environment, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.terminate()
        process.wait(30)
