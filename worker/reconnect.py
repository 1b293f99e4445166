"""Reconnect when Redis dropped our connection while the worker was busy.

A worker fetches tasks only while it may hold more of them. If Redis goes away just as the last ones are
acknowledged, the acknowledgements are lost, the worker believes forever that it is full, and never fetches
again. That state is recognized here: tasks count as reserved, but none is running. And while Redis is down
it is tried every few seconds, without growing pauses: players wait for their results.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from celery import bootsteps
from celery.worker import state
from kombu.connection import Connection

from pbem.logs import log

RETRY_SECONDS: Final = 3.0  # at most, between two tries to reach Redis
CHECK_SECONDS: Final = 1.0
CHECKS: Final = 4  # in a row: a task may end just as one check is made


class SteadyConnection(Connection):
    """A connection to Redis that is retried at a steady pace."""

    def ensure_connection(self, *arguments: Any, **options: Any) -> Any:
        merged: dict[str, Any] = {"interval_max": RETRY_SECONDS} | options
        return super().ensure_connection(*arguments, **merged)  # type: ignore[no-untyped-call]


class Reconnector(bootsteps.StartStopStep):  # type: ignore[misc]
    """Checks the connection every second, and restarts with each new one."""

    requires: ClassVar[set[str]] = {"celery.worker.consumer.tasks:Tasks"}

    def __init__(self, consumer: Any, **options: Any) -> None:
        super().__init__(consumer, **options)
        consumer.app.amqp.Connection = SteadyConnection
        self._timer: Any = None
        self._stale = 0

    def start(self, consumer: Any) -> None:
        self._stale = 0
        self._timer = consumer.timer.call_repeatedly(CHECK_SECONDS, self._check, (consumer,))

    def stop(self, consumer: Any) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    terminate = stop

    def _check(self, consumer: Any) -> None:
        self._stale = self._stale + 1 if is_stale(consumer) else 0
        if self._stale >= CHECKS:
            log().warning("broker.stale_connection")
            raise ConnectionResetError("acknowledgements were lost")  # the worker reconnects


def is_stale(consumer: Any) -> bool:
    """Does it hold all the tasks it may have, and run none?"""
    return not state.reserved_requests and not consumer.task_consumer.channel.qos.can_consume()
