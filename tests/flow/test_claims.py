"""A frozen Close is carried out by one worker; what a killed one left is taken up within a minute."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from threading import Event, Thread
from typing import Any

import pytest

from pbem.campaigns import adjudicate as module
from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.outages import ClockReading
from pbem.ops.sweep import sweep
from pbem.store.advance import CLOSE_LEASE, Frozen, claim_close
from pbem.store.session import StoreError
from pbem.store.windows import read_orders
from tests.campaigns_at_hand import NAME, AtHand
from tests.flow.hands import all_hand_in, window

pytestmark = pytest.mark.usefixtures("without_maps")

SWEEP = timedelta(seconds=15)


@pytest.fixture
def frozen(at: AtHand) -> Frozen:
    """All are in, and the Close is frozen."""
    all_hand_in(at)
    found = load_campaign(at.db, NAME).freeze(read_orders(at.db, NAME), "all-in", at.clock())
    assert found is not None
    return found


def around(monkeypatch: pytest.MonkeyPatch, before: Callable[[], Any]) -> None:
    """Something happens before a Close is computed."""
    real = module.compute_advance

    def computed(*args: Any) -> Any:
        before()
        return real(*args)

    monkeypatch.setattr(module, "compute_advance", computed)


def was_adjudicated(at: AtHand) -> bool:
    clocks = ClockReading(at.clock(), at.clock().timestamp(), "boot")
    return NAME in sweep(at.service, lambda _: clocks).campaigns


def test_two_at_once_close_once(at: AtHand) -> None:
    all_hand_in(at)
    done: list[bool] = []
    workers = [Thread(target=lambda: done.append(adjudicate(at.service, NAME))) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert 2 == len(done) and 1 == done.count(True)
    assert "T1.R" == window(at).key and all(2 == len(at.letters(seat, "result")) for seat in at.seats)


def test_while_one_works_others_leave_at_once(
    at: AtHand, frozen: Frozen, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_work, may_go_on, begun, done = Event(), Event(), list[int](), list[bool]()

    def work() -> None:
        begun.append(1)
        at_work.set()
        assert may_go_on.wait(30)

    around(monkeypatch, work)
    worker = Thread(target=lambda: done.append(adjudicate(at.service, NAME, "one")))
    worker.start()
    try:
        assert at_work.wait(30)
        assert not adjudicate(at.service, NAME, "other") and "T1.D" == window(at).key
    finally:
        may_go_on.set()
        worker.join()
    assert [True] == done and [1] == begun and "T1.R" == window(at).key


def test_what_a_killed_worker_left_is_taken_up_within_a_minute(at: AtHand, frozen: Frozen) -> None:
    killed = at.clock()
    assert claim_close(at.db, frozen, "killed", killed)
    while not (was_adjudicated(at) and adjudicate(at.service, NAME, "other")):
        at.clock.now += SWEEP
    assert CLOSE_LEASE <= at.clock() - killed <= timedelta(minutes=1)
    assert "T1.R" == window(at).key


def test_a_task_that_comes_back_goes_on_with_its_own(at: AtHand, frozen: Frozen) -> None:
    assert claim_close(at.db, frozen, "one", at.clock())
    assert not claim_close(at.db, frozen, "other", at.clock() + CLOSE_LEASE - timedelta(seconds=1))
    assert adjudicate(at.service, NAME, "one")
    assert not claim_close(at.db, frozen, "one", at.clock()), "it was carried out"


def test_who_cannot_go_on_leaves_it_to_others(
    at: AtHand, frozen: Frozen, monkeypatch: pytest.MonkeyPatch
) -> None:
    def trouble() -> None:
        raise StoreError("the disk is full")

    with monkeypatch.context() as patch:
        around(patch, trouble)
        with pytest.raises(StoreError):
            adjudicate(at.service, NAME, "one")
    assert adjudicate(at.service, NAME, "other")


def test_who_took_too_long_and_was_overtaken_does_nothing_more(
    at: AtHand, frozen: Frozen, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = iter((True, False))

    def overtaken() -> None:
        if next(slow, False):
            at.clock.now += CLOSE_LEASE
            assert adjudicate(at.service, NAME, "other")

    around(monkeypatch, overtaken)
    assert not adjudicate(at.service, NAME, "one")
    assert "T1.R" == window(at).key and all(2 == len(at.letters(seat, "result")) for seat in at.seats)
