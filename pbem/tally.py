"""What the processes of a service have done, added up in Redis: events of the logs, tasks and their seconds.

Each process counts for itself and a thread of its own adds that to the common hash every few seconds, so no
task ever waits for it. Redis may be lost: then the figures begin again at nothing, which whoever watches
counters expects. Whatever matters is counted from the database instead (`pbem.metrics`).
"""

from __future__ import annotations

import threading
from collections import Counter
from contextlib import suppress
from typing import Final

from redis import RedisError

from pbem.embedded.redis import redis_at
from pbem.logs import take_counted

KEY: Final = "pbem.tally"
EVENT, TASKS, SECONDS = "event", "tasks", "seconds"  # a field is one of these, a blank, and a name
PERIOD: Final = 5.0  # seconds


class Tally(threading.Thread):
    """The counts of one process."""

    def __init__(self, redis_url: str) -> None:
        super().__init__(name="tally", daemon=True)
        self._redis = redis_at(redis_url)
        self._lock = threading.Lock()
        self._figures: Counter[str] = Counter()
        self._over = threading.Event()

    def task(self, name: str, seconds: float) -> None:
        """A task has ended, well or not."""
        with self._lock:
            self._figures[f"{TASKS} {name}"] += 1
            self._figures[f"{SECONDS} {name}"] += round(seconds * 1_000_000)  # microseconds: whole numbers

    def run(self) -> None:
        while not self._over.wait(PERIOD):
            self.add_up()

    def stop(self) -> None:
        self._over.set()
        self.add_up()

    def add_up(self) -> bool:
        """Everything counted so far goes to Redis; False: it does not answer, and nothing is forgotten."""
        with self._lock:
            self._figures.update({f"{EVENT} {name}": number for name, number in take_counted().items()})
            taken, self._figures = self._figures, Counter()
        if not taken:
            return True
        try:
            with self._redis.pipeline(transaction=True) as pipe:
                for field, number in sorted(taken.items()):
                    pipe.hincrby(KEY, field, number)
                pipe.execute()
        except (RedisError, OSError):
            with self._lock:
                self._figures.update(taken)
            return False
        return True


def read_tally(redis_url: str) -> dict[str, int] | None:
    """The sums of all processes; None: Redis does not answer."""
    with suppress(RedisError, OSError, ValueError), redis_at(redis_url) as there:
        return {field.decode(): int(number) for field, number in there.hgetall(KEY).items()}
    return None
