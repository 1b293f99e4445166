"""The Celery application. Redis may lose tasks: the sweep enqueues them again.

With these settings the task of a killed worker comes back; with Celery's defaults after minutes, or never.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from functools import cache
from typing import Any, Final, Literal, TypeAlias

from celery import Celery, signals
from kombu.exceptions import OperationalError
from redis import RedisError

from pbem.campaigns.campaign import Rules
from pbem.context import ServiceContext, service_context, smtp_server
from pbem.embedded.redis import redis_at
from pbem.logs import log, log_to_stderr
from pbem.ops.delivery import OutboxSender
from pbem.ops.metrics import Counters
from pbem.settings import Settings, read_settings
from worker.preload import freeze_memory, preload
from worker.reconnect import Reconnector

QUEUE: Final = "pbem"
RETRY_SECONDS: Final = 5.0  # without another try after the broker could not be reached
Task: TypeAlias = Literal["receive", "adjudicate", "send", "sweep"]
VISIBILITY_SECONDS: Final = 300  # until an unacknowledged task goes to another worker
TASK_SECONDS: Final = 200  # shorter than that, and than a letter's lease
LETTERS_A_TASK: Final = 10  # at most, of those that arrived together; each is settled on its own


@cache
def settings() -> Settings:
    return read_settings()


app = Celery("pbem", broker=settings().redis_url, include=["worker.tasks"])
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


# ------------------------------------------------------------------ per process


_contexts: dict[int, ServiceContext] = {}  # by process: a connection does not survive a fork


def service() -> ServiceContext:
    """This process's own context."""
    pid = os.getpid()
    if pid not in _contexts:
        for inherited in _contexts.values():
            inherited.db.dispose(close=False)
        _contexts.clear()
        _contexts[pid] = service_context(settings())
    return _contexts[pid]


_senders: dict[int, OutboxSender] = {}  # by process, for the same reason


def outbox_sender() -> OutboxSender | None:
    """This process's own connection to the mail server; None: no server is configured."""
    pid = os.getpid()
    if pid not in _senders and (server := smtp_server(settings())) is not None:
        _senders.clear()
        _senders[pid] = OutboxSender(server)
    return _senders.get(pid)


@signals.setup_logging.connect  # type: ignore[untyped-decorator]
def _set_up_logging(**_: Any) -> None:
    log_to_stderr("worker")


@signals.worker_init.connect  # type: ignore[untyped-decorator]
def _before_fork(**_: Any) -> None:
    import worker.tasks  # noqa: F401 - load everything the tasks need before the fork

    preload()
    freeze_memory()


@signals.worker_process_init.connect  # type: ignore[untyped-decorator]
def _after_fork(**_: Any) -> None:
    _counters.append(Counters(settings().redis_url))
    _counters[-1].start()
    service()  # if the database is down just now, the first task tries again


# ------------------------------------------------------------------ counters


_counters: list[Counters] = []  # one, in a process that runs tasks
_started: dict[str, float] = {}  # by task id


@signals.task_prerun.connect  # type: ignore[untyped-decorator]
def _start_timing(task_id: str, **_: Any) -> None:
    _started[task_id] = time.monotonic()


@signals.task_postrun.connect  # type: ignore[untyped-decorator]
def _count_task(task_id: str, task: Any, **_: Any) -> None:
    took = time.monotonic() - _started.pop(task_id, time.monotonic())
    for counters in _counters:
        counters.count_task(str(task.name).removeprefix("pbem."), took)


@signals.worker_process_shutdown.connect  # type: ignore[untyped-decorator]
def _flush_counters(**_: Any) -> None:
    for counters in _counters:
        counters.stop()


# ------------------------------------------------------------------ the queue


_retry_at = 0.0


def enqueue(
    task: Task, *arguments: int | str, expires: float | None = None, rules: Rules | None = None
) -> bool:
    """Enqueue a task. False: the broker does not answer; the sweep enqueues it later.

    `rules`: only for workers that have these, by a queue of their own: `pbem.fww.2`.
    After a failure the broker is not tried again for a while, so that letters are stored as fast as before.
    """
    global _retry_at  # noqa: PLW0603 - one broker for the whole process
    if task != "sweep" and time.monotonic() < _retry_at:
        return False
    try:
        queue = QUEUE if rules is None else f"{QUEUE}.{rules.game}.{rules.version}"
        app.send_task(f"pbem.{task}", arguments, expires=expires, queue=queue)
    except (OperationalError, RedisError, OSError) as error:
        _retry_at = time.monotonic() + RETRY_SECONDS
        log().warning("broker.unreachable", task=task, why=type(error).__name__)
        return False
    _retry_at = 0.0
    return True


def enqueue_letters(letters: Sequence[int]) -> None:
    """Enqueue letters that arrived together: spread over all workers, in as few tasks as possible."""
    share = math.ceil(len(letters) / settings().worker.concurrency)
    size = max(1, min(share, LETTERS_A_TASK))
    for start in range(0, len(letters), size):
        enqueue("receive", *letters[start : start + size])


def queue_length() -> int:
    """How many tasks wait in the queue; 0 if the broker does not answer."""
    try:
        with redis_at(settings().redis_url) as client:
            return int(client.llen(QUEUE))
    except (RedisError, OSError):
        return 0
