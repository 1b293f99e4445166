"""Several workers on a real PostgreSQL: windows close once, reminders go once, deadlines move once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.outages import ClockReading
from pbem.ops.sweep import sweep
from pbem.store.deadlines import timetable
from pbem.store.inbox import mark_read_to
from pbem.store.journal import read_journal
from pbem.store.session import connect, migrate
from tests.campaigns_at_hand import NAME, NOW, AtHand, campaign_at_hand
from tests.flow.hands import all_hand_in, to_members, window
from tests.packages import Missing
from tests.store.postgres import cluster

DEADLINE = NOW.replace(hour=20) + timedelta(days=7)
WORKERS = 4

pytestmark = pytest.mark.usefixtures("without_maps")


@pytest.fixture(scope="module")
def server() -> Iterator[Engine]:
    try:
        with cluster() as running:
            running.tell("CREATE DATABASE flow")
            engine = connect(running.url("flow"))
            migrate(engine)
            yield engine
            engine.dispose()
    except Missing as reason:
        pytest.skip(f"!!! POSTGRESQL IS MISSING, WORKERS SIDE BY SIDE ARE NOT TESTED: {reason}")


def clocks(now: datetime) -> ClockReading:
    """Both clocks run alike."""
    return ClockReading(now, now.timestamp(), "boot")


def at_once(work: Callable[[], Any]) -> list[Any]:
    with ThreadPoolExecutor(WORKERS) as pool:
        return [one.result() for one in [pool.submit(work) for _ in range(WORKERS)]]


def test_workers_side_by_side_do_everything_once(server: Engine, tmp_path: Path) -> None:
    at: AtHand = campaign_at_hand(tmp_path, db=server)
    all_hand_in(at, {"DE": "DEPLOY 2D > 1"})
    assert 1 == at_once(lambda: adjudicate(at.service, NAME)).count(True)
    assert "T1.R" == window(at).key and all(2 == len(at.letters(seat, "result")) for seat in at.seats)
    assert 1 == len(to_members(at, "observer"))  # that of the opening was not written by adjudication

    at.clock.now = DEADLINE - timedelta(hours=47)
    mark_read_to(at.db, "INBOX", 1, at.clock())
    at_once(lambda: sweep(at.service, clocks))
    assert [1, 1, 1, 1] == [len(at.letters(seat, "reminder")) for seat in at.seats]

    at.clock.now = DEADLINE - timedelta(hours=9)  # nothing ran for a day and a half
    mark_read_to(at.db, "INBOX", 1, at.clock())
    at_once(lambda: sweep(at.service, clocks))
    moved = next(row.due.at for row in timetable(at.db, NAME, 2) if row.due.kind == "deadline")
    assert moved >= DEADLINE + timedelta(days=1)
    assert {1} == {len(at.letters(seat, "notice")) for seat in at.seats}

    at.clock.now = moved + timedelta(minutes=1)
    mark_read_to(at.db, "INBOX", 1, at.clock())
    assert 1 == at_once(lambda: adjudicate(at.service, NAME)).count(True)
    closes = [line.data["t"] for line in read_journal(at.db, NAME) if line.data["k"] == "close"]
    assert closes == sorted(set(closes))
    assert "withdrawn" == at.letters("WA", "reminder")[0].state
