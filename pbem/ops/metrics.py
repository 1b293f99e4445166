"""Figures of a running service for Prometheus, read from the database at each request.

They name no campaign, seat or person, and count nothing by campaign: whoever watches the machine need not
know how a game goes. What only a process itself knows is summed up in Redis.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis import RedisError
from sqlalchemy import Connection, Table, func, select
from sqlalchemy.exc import SQLAlchemyError

from pbem.campaigns.outages import is_clock_in_doubt
from pbem.context import ServiceContext, service_context
from pbem.embedded.redis import redis_at
from pbem.logs import take_event_counts
from pbem.ops.health import PARTS, count_rows, free_bytes, late_campaigns, waiting_letters, waiting_posts
from pbem.settings import Settings
from pbem.store import schema
from pbem.store import schema_mail as mail
from pbem.store.deadlines import pulse
from pbem.store.session import reading

MOST_RECENT: Final = 1000  # letters whose way is measured
SHARES: Final = (0.5, 0.9, 0.99, 1.0)


class ServiceFigures(Collector):
    """Collects everything at each request. A database that does not answer is a figure, too."""

    def __init__(self, settings: Settings, service: ServiceContext | None = None) -> None:
        self._settings = settings
        self._service = service

    def collect(self) -> Iterable[Metric]:
        try:
            self._service = self._service or service_context(self._settings)
            with reading(self._service.db) as tx:
                found = [*_stored(tx, self._service.now())]
        except SQLAlchemyError:
            found = []
        yield _gauge("pbem_database_up", "Does the database answer?", bool(found))
        yield from found
        yield from _counted(self._settings.redis_url)
        yield _gauge("pbem_disk_free_bytes", "Free where the data folder lies.", free_bytes(self._settings))


def registry_of(settings: Settings, service: ServiceContext | None = None) -> CollectorRegistry:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(ServiceFigures(settings, service))
    return registry


def figures_text(settings: Settings, service: ServiceContext | None = None) -> str:
    """All figures in Prometheus' text format."""
    return generate_latest(registry_of(settings, service)).decode()


# ------------------------------------------------------------------ from the database


def _stored(tx: Connection, now: datetime) -> Iterator[Metric]:
    inbox, outbox, campaigns = mail.inbox, mail.outbox, schema.campaigns
    yield _by(tx, "pbem_letters_in", "Letters that came, by state.", inbox, schema.INBOX_STATES)
    yield _by(tx, "pbem_letters_out", "Letters of ours, by state.", outbox, schema.OUTBOX_STATES)
    yield _by(tx, "pbem_campaigns", "Campaigns, by state.", campaigns, schema.CAMPAIGN_STATES)
    held = count_rows(tx, campaigns, campaigns.c.held.is_not(None))
    yield _gauge("pbem_campaigns_held", "Campaigns that stand still.", held)
    for name, what, (number, oldest) in (
        ("pbem_unread", "Letters that wait to be read", waiting_letters(tx, now)),
        ("pbem_unsent", "Letters that wait to be sent", waiting_posts(tx, now)),
    ):
        yield _gauge(f"{name}_letters", f"{what}.", number)
        yield _gauge(f"{name}_oldest_seconds", f"{what}: for how long the oldest has.", _age(now, oldest))
    late = len(late_campaigns(tx, now))
    yield _gauge("pbem_deadlines_late", "Campaigns whose deadline has passed and did nothing.", late)
    turns = select(func.coalesce(func.sum(campaigns.c.t), 0))
    yield _gauge("pbem_closes", "Windows closed in all campaigns.", tx.execute(turns).scalar_one())
    yield _way(tx, "pbem_read_seconds", "From taking in to settling", inbox, ("taken_in_at", "settled_at"))
    yield _way(tx, "pbem_send_seconds", "From laying in to sending", outbox, ("laid_at", "sent_at"))
    yield from _signs(tx, now)


def _signs(tx: Connection, now: datetime) -> Iterator[Metric]:
    """Signs of life, and what is out of order."""
    seen = GaugeMetricFamily(
        "pbem_pulse_age_seconds", "Since a part last gave a sign of life.", labels=["part"]
    )
    well = GaugeMetricFamily("pbem_part_up", "Does it tell of no trouble?", labels=["part"])
    for part, name in PARTS:
        last = pulse(tx, name)
        if last is not None:
            seen.add_metric([part], (now - last.at).total_seconds())
        well.add_metric([part], last is not None and not last.data.get("trouble"))
    yield seen
    yield well
    going = count_rows(tx, mail.outages, mail.outages.c.ended_at.is_(None))
    yield _gauge("pbem_outages", "Outages that are going on.", going)
    yield _gauge("pbem_clock_in_doubt", "Is no deadline executed?", is_clock_in_doubt(tx))


def _by(tx: Connection, name: str, what: str, table: Table, states: Sequence[str]) -> Metric:
    rows = tx.execute(select(table.c.state, func.count()).group_by(table.c.state))
    found = {row[0]: row[1] for row in rows}
    family = GaugeMetricFamily(name, what, labels=["state"])
    for state in states:
        family.add_metric([state], found.get(state, 0))
    return family


def _way(tx: Connection, name: str, what: str, table: Table, moments: tuple[str, str]) -> Metric:
    """How long the last letters took; a search through all of them would be long."""
    newest = select(*(table.c[moment] for moment in moments)).order_by(table.c.id.desc()).limit(MOST_RECENT)
    took = sorted((end - begin).total_seconds() for begin, end in tx.execute(newest) if end is not None)
    family = GaugeMetricFamily(name, f"{what}, of the last {MOST_RECENT} letters.", labels=["share"])
    for share in SHARES if took else ():
        family.add_metric([str(share)], took[min(len(took) - 1, int(share * len(took)))])
    return family


def _age(now: datetime, moment: datetime | None) -> float:
    return 0.0 if moment is None else max(0.0, (now - moment).total_seconds())


def _gauge(name: str, what: str, value: float) -> Metric:
    return GaugeMetricFamily(name, what, value=float(value))


# ------------------------------------------------------------------ from the processes


def _counted(redis_url: str) -> Iterator[Metric]:
    counts = read_counters(redis_url)
    yield _gauge("pbem_redis_up", "Does Redis answer?", counts is not None)
    families = {
        EVENT: CounterMetricFamily("pbem_events", "Events, by their name in the logs.", labels=["event"]),
        TASKS: CounterMetricFamily("pbem_tasks", "Tasks that were worked on.", labels=["task"]),
        SECONDS: CounterMetricFamily("pbem_task_seconds", "Time spent on them.", labels=["task"]),
    }
    for field, number in sorted((counts or {}).items()):
        kind, _, name = field.partition(" ")
        if kind in families:
            families[kind].add_metric([name], number / 1_000_000 if kind == SECONDS else number)
    yield from families.values()


KEY: Final = "pbem.counters"
EVENT, TASKS, SECONDS = "event", "tasks", "seconds"  # a field is one of these, a blank, and a name
PERIOD: Final = 5.0  # seconds


class Counters(threading.Thread):
    """The counts of one process."""

    def __init__(self, redis_url: str) -> None:
        super().__init__(name="counters", daemon=True)
        self._redis = redis_at(redis_url)
        self._lock = threading.Lock()
        self._figures: Counter[str] = Counter()
        self._over = threading.Event()

    def count_task(self, name: str, seconds: float) -> None:
        """A task has ended, successfully or not."""
        with self._lock:
            self._figures[f"{TASKS} {name}"] += 1
            self._figures[f"{SECONDS} {name}"] += round(seconds * 1_000_000)  # microseconds: whole numbers

    def run(self) -> None:
        while not self._over.wait(PERIOD):
            self.flush()

    def stop(self) -> None:
        self._over.set()
        self.flush()

    def flush(self) -> bool:
        """Add the counts so far to those in Redis; False: it does not answer, and they are kept."""
        with self._lock:
            self._figures.update({f"{EVENT} {name}": number for name, number in take_event_counts().items()})
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


def read_counters(redis_url: str) -> dict[str, int] | None:
    """The sums of all processes; None: Redis does not answer."""
    with suppress(RedisError, OSError, ValueError), redis_at(redis_url) as client:
        return {field.decode(): int(number) for field, number in client.hgetall(KEY).items()}
    return None
