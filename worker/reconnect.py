"""A worker's ears: a connection to Redis that was lost while nobody listened is noticed all the same.

A worker listens for tasks only while it may have more of them. When Redis goes away just as it acknowledges
the last ones, those acknowledgements are lost, it believes for ever that it has all it may have, and never
listens again. Here that is recognised: tasks that count as at hand, and nothing at work. And while Redis is
away it is tried every few seconds, not ever more slowly: whoever is due to be told a turn waits for that.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from celery import bootsteps
from celery.worker import state
from kombu.connection import Connection

from pbem.logs import log

AGAIN_SECONDS: Final = 3.0  # at most, between two tries to reach Redis
LOOK_SECONDS: Final = 1.0
LOOKS: Final = 4  # one after the other: a task may end in the very moment of one look


class WatchedConnection(Connection):
    """A connection to Redis that does not lose patience."""

    def ensure_connection(self, *told: Any, **options: Any) -> Any:
        whole: dict[str, Any] = {"interval_max": AGAIN_SECONDS} | options
        return super().ensure_connection(*told, **whole)  # type: ignore[no-untyped-call]


class Reconnector(bootsteps.StartStopStep):  # type: ignore[misc]
    """Looks again and again, and begins anew with every connection."""

    requires: ClassVar[set[str]] = {"celery.worker.consumer.tasks:Tasks"}

    def __init__(self, consumer: Any, **options: Any) -> None:
        super().__init__(consumer, **options)
        consumer.app.amqp.Connection = WatchedConnection
        self._timer: Any = None
        self._deaf = 0

    def start(self, consumer: Any) -> None:
        self._deaf = 0
        self._timer = consumer.timer.call_repeatedly(LOOK_SECONDS, self._look, (consumer,))

    def stop(self, consumer: Any) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    terminate = stop

    def _look(self, consumer: Any) -> None:
        self._deaf = self._deaf + 1 if is_stale(consumer) else 0
        if self._deaf >= LOOKS:
            log().warning("doorbell.deaf")
            raise ConnectionResetError("acknowledgements were lost")  # the worker connects anew


def is_stale(consumer: Any) -> bool:
    """Has it all the tasks it may have, and works on none?"""
    return not state.reserved_requests and not consumer.task_consumer.channel.qos.can_consume()
