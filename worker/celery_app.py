"""The Celery application. Redis is a doorbell: what it loses, the sweep rings for again.

With these settings a task whose worker was killed comes back; with Celery's own it took minutes, or never.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from functools import cache
from typing import Any, Final, Literal, TypeAlias

from celery import Celery
from celery.signals import (
    setup_logging,
    task_postrun,
    task_prerun,
    worker_init,
    worker_process_init,
    worker_process_shutdown,
)
from kombu.exceptions import OperationalError
from redis import RedisError

from pbem.campaigns.campaign import Rules
from pbem.context import ServiceContext, service_context, smtp_server
from pbem.embedded.redis import redis_at
from pbem.logs import log, log_to_stderr
from pbem.ops.delivery import Poster
from pbem.ops.metrics import Counters
from pbem.settings import Settings, read_settings
from worker.preload import freeze_memory, preload
from worker.reconnect import Reconnector

QUEUE: Final = "pbem"
SILENT_SECONDS: Final = 5.0
Task: TypeAlias = Literal["receive", "adjudicate", "post", "sweep"]
VISIBILITY_SECONDS: Final = 300  # after which an unacknowledged task is given to another worker
TASK_SECONDS: Final = 200  # shorter than that, and than a letter's lease
LETTERS_A_TASK: Final = 10  # at most, that came together; each is heard and settled by itself


@cache
def configuration() -> Settings:
    return read_settings()


app = Celery("pbem", broker=configuration().redis_url, include=["worker.tasks"])
app.conf.update(
    task_default_queue=QUEUE,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_ignore_result=True,
    task_time_limit=TASK_SECONDS,
    task_soft_time_limit=TASK_SECONDS - 20,
    task_serializer="json",
    accept_content=["json"],
    task_publish_retry_policy={"max_retries": 1, "interval_start": 0, "interval_step": 0, "interval_max": 0},
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    worker_redirect_stdouts=False,
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    worker_proc_alive_timeout=30,
    worker_cancel_long_running_tasks_on_connection_loss=False,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={
        "visibility_timeout": VISIBILITY_SECONDS,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "socket_connect_timeout": 3,
        "socket_timeout": 15,
    },
)
app.steps["consumer"].add(Reconnector)


# ------------------------------------------------------------------ what a process works with


_offices: dict[int, ServiceContext] = {}  # by process: a connection does not survive a fork


def service() -> ServiceContext:
    """This process's own office."""
    here = os.getpid()
    if here not in _offices:
        for inherited in _offices.values():
            inherited.db.dispose(close=False)
        _offices.clear()
        _offices[here] = service_context(configuration())
    return _offices[here]


_posters: dict[int, Poster] = {}  # by process, for the same reason


def poster() -> Poster | None:
    """This process's own way to the mail server; None: no server is named."""
    here = os.getpid()
    if here not in _posters and (server := smtp_server(configuration())) is not None:
        _posters.clear()
        _posters[here] = Poster(server)
    return _posters.get(here)


@setup_logging.connect  # type: ignore[untyped-decorator]
def _log_as_we_do(**_: Any) -> None:
    log_to_stderr("worker")


@worker_init.connect  # type: ignore[untyped-decorator]
def _get_ready(**_: Any) -> None:
    import worker.tasks  # noqa: F401 - all that they work with is loaded before processes part

    preload()
    freeze_memory()


@worker_process_init.connect  # type: ignore[untyped-decorator]
def _open_an_office(**_: Any) -> None:
    _tallies.append(Counters(configuration().redis_url))
    _tallies[-1].start()
    service()  # where the database is away just now, the first task tries again


# ------------------------------------------------------------------ what it has done


_tallies: list[Counters] = []  # one, in a process that works on tasks
_begun: dict[str, float] = {}  # by the task's id


@task_prerun.connect  # type: ignore[untyped-decorator]
def _task_begins(task_id: str, **_: Any) -> None:
    _begun[task_id] = time.monotonic()


@task_postrun.connect  # type: ignore[untyped-decorator]
def _task_ends(task_id: str, task: Any, **_: Any) -> None:
    took = time.monotonic() - _begun.pop(task_id, time.monotonic())
    for tally in _tallies:
        tally.task(str(task.name).removeprefix("pbem."), took)


@worker_process_shutdown.connect  # type: ignore[untyped-decorator]
def _tell_the_rest(**_: Any) -> None:
    for tally in _tallies:
        tally.stop()


# ------------------------------------------------------------------ the doorbell


_silent_until = 0.0


def queue_of(rules: Rules) -> str:
    """The queue of campaigns that were begun with other rules than everybody has: `pbem.fww.1`."""
    return f"{QUEUE}.{rules.game}.{rules.version}"


def enqueue(
    task: Task, *arguments: int | str, expires: float | None = None, rules: Rules | None = None
) -> bool:
    """Ask for a task. False: nobody hears; the sweep asks again later.

    `rules`: of those workers that have them, not of everybody.
    After a silence nobody waits at the door for a while: letters are taken in as fast as before.
    """
    global _silent_until  # noqa: PLW0603 - one door for the whole process
    if task != "sweep" and time.monotonic() < _silent_until:
        return False
    try:
        queue = QUEUE if rules is None else queue_of(rules)
        app.send_task(f"pbem.{task}", arguments, expires=expires, queue=queue)
    except (OperationalError, RedisError, OSError) as silence:
        _silent_until = time.monotonic() + SILENT_SECONDS
        log().warning("doorbell.silent", task=task, why=type(silence).__name__)
        return False
    _silent_until = 0.0
    return True


def enqueue_work(letters: Sequence[int]) -> None:
    """Ask for letters that came together to be heard: by all workers alike, in as few tasks as may be."""
    share = math.ceil(len(letters) / configuration().worker.concurrency)
    size = max(1, min(share, LETTERS_A_TASK))
    for start in range(0, len(letters), size):
        enqueue("receive", *letters[start : start + size])


def queue_length() -> int:
    """How many tasks stand in the queue; 0 where that cannot be told."""
    try:
        with redis_at(configuration().redis_url) as there:
            return int(there.llen(QUEUE))
    except (RedisError, OSError):
        return 0
