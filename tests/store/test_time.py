"""What is due, what is stuck, pulses and outages in the database."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine

from pbem.campaigns.deadlines import extended
from pbem.store.campaigns import lock_to_file, mark_held, mark_released, mark_reviewed, mark_unreviewed, touch
from pbem.store.deadlines import (
    STUCK_AFTER,
    begin_outage,
    due_deadlines,
    end_outage,
    find_stuck_work,
    is_out_of_order,
    mark_outage_answered,
    open_timetables,
    outages_to_answer,
    pulse,
    record_pulse,
    reschedule,
    settle_deadline,
    timetable,
)
from pbem.store.session import writing
from pbem.store.windows import Due, read_orders
from tests.store.play import DAY, NAME, NOW, advance, answer_all, close, found_toy

HOUR = timedelta(hours=1)
REMINDER, DEADLINE, GRACE = NOW + DAY, NOW + 2 * DAY, NOW + 2 * DAY + 6 * HOUR  # of the first window


@pytest.fixture
def begun(store: Engine, toy: Any) -> Engine:
    found_toy(store)
    advance(store)
    return store


def kinds(store: Engine, now: Any, read_to: Any) -> list[str]:
    return [one.due.kind for one in due_deadlines(store, now, read_to)]


def test_nothing_is_due_before_its_time(begun: Engine) -> None:
    assert [] == kinds(begun, REMINDER - HOUR, REMINDER - HOUR)
    assert ["reminder"] == kinds(begun, REMINDER, REMINDER)
    assert ["reminder", "deadline", "grace"] == kinds(begun, GRACE + HOUR, GRACE + HOUR)


def test_a_deadline_waits_until_the_inbox_is_read_to_its_end_after_it(begun: Engine) -> None:
    late = GRACE + DAY
    assert ["reminder"] == kinds(begun, late, None) == kinds(begun, late, DEADLINE)
    assert ["reminder", "deadline"] == kinds(begun, late, DEADLINE + HOUR)


def test_a_deadline_is_done_once(begun: Engine) -> None:
    (first,) = due_deadlines(begun, REMINDER, None)
    assert (NAME, 1, Due("reminder", REMINDER, "UTC", first.due.seat)) == (
        first.campaign,
        first.window,
        first.due,
    )
    assert settle_deadline(begun, first.id, NOW) and not settle_deadline(begun, first.id, NOW)
    assert [] == kinds(begun, REMINDER, None)


def test_a_held_campaign_and_a_frozen_window_miss_no_deadline(begun: Engine) -> None:
    mark_held(begun, NAME, "storm")
    assert [] == kinds(begun, GRACE, GRACE)
    mark_released(begun, NAME)
    close(begun)
    assert [] == kinds(begun, GRACE, GRACE)


def test_an_extended_window_reminds_anew(begun: Engine) -> None:
    (first,) = due_deadlines(begun, REMINDER, None)
    settle_deadline(begun, first.id, NOW)
    left = [one.due for one in timetable(begun, NAME, 1)]
    assert reschedule(begun, NAME, 1, [first.due, *extended(left, DAY)])  # the reminder was sent
    assert [DEADLINE + DAY, GRACE + DAY] == [one.due.at for one in timetable(begun, NAME, 1)]
    later = replace(first.due, at=REMINDER + DAY)
    assert reschedule(begun, NAME, 1, [later, *left])
    assert [later, *left] == [one.due for one in open_timetables(begun)]
    answer_all(begun)
    close(begun)
    assert not reschedule(begun, NAME, 1, left)


def test_a_close_that_nobody_carries_out_is_rung_for_again(begun: Engine) -> None:
    close(begun)
    assert () == find_stuck_work(begun, NOW).closes
    assert (NAME,) == find_stuck_work(begun, NOW + STUCK_AFTER).closes
    mark_held(begun, NAME, "the rules crashed")
    assert () == find_stuck_work(begun, NOW + STUCK_AFTER).closes
    mark_released(begun, NAME)
    advance(begun)
    assert () == find_stuck_work(begun, NOW + STUCK_AFTER).closes


def test_a_campaign_where_something_was_filed_is_rung_for_until_somebody_looks(begun: Engine) -> None:
    assert (NAME,) == find_stuck_work(begun, NOW).unseen
    mark_reviewed(begun, NAME, read_orders(begun, NAME).revision)
    assert () == find_stuck_work(begun, NOW).unseen
    seen = read_orders(begun, NAME).revision
    answer_all(begun)
    mark_reviewed(begun, NAME, seen)  # what came in since has not been seen
    assert (NAME,) == find_stuck_work(begun, NOW).unseen
    mark_held(begun, NAME, "storm")
    assert () == find_stuck_work(begun, NOW).unseen


def test_a_change_that_leaves_the_window_open_is_seen_by_whoever_makes_it(begun: Engine) -> None:
    mark_reviewed(begun, NAME, read_orders(begun, NAME).revision)
    with writing(begun) as tx:
        lock_to_file(tx, NAME)
        mark_reviewed(tx, NAME, read_orders(tx, NAME).revision)
    assert () == find_stuck_work(begun, NOW).unseen
    with writing(begun) as tx:
        lock_to_file(tx, NAME)
        mark_unreviewed(tx, NAME)
    assert (NAME,) == find_stuck_work(begun, NOW).unseen
    with writing(begun) as tx:  # what was not seen before is not seen by one who only files
        lock_to_file(tx, NAME)
    assert (NAME,) == find_stuck_work(begun, NOW).unseen
    with writing(begun) as tx:
        lock_to_file(tx, NAME)
        mark_reviewed(tx, NAME, read_orders(tx, NAME).revision)
    assert () == find_stuck_work(begun, NOW).unseen
    with writing(begun) as tx:  # and a change of another kind in the same breath counts for itself
        lock_to_file(tx, NAME)
        touch(tx, NAME)
    assert (NAME,) == find_stuck_work(begun, NOW).unseen


def test_pulses(store: Engine) -> None:
    assert pulse(store, "sweep") is None
    record_pulse(store, "sweep", NOW, {"steady": 12.5})
    record_pulse(store, "sweep", NOW + HOUR, {"boot": "b"})
    found = pulse(store, "sweep")
    assert found is not None and (NOW + HOUR, {"boot": "b"}) == (found.at, found.data)


def test_an_outage_is_answered_once(store: Engine) -> None:
    begin_outage(store, "imap", NOW)
    begin_outage(store, "imap", NOW + HOUR)  # it is going on
    assert is_out_of_order(store) and [] == outages_to_answer(store)
    end_outage(store, "imap", NOW + 2 * HOUR)
    (one,) = outages_to_answer(store)
    assert ("imap", NOW, NOW + 2 * HOUR) == (one.part, one.began, one.ended) and is_out_of_order(store)
    assert mark_outage_answered(store, one.id, NOW) and not mark_outage_answered(store, one.id, NOW)
    assert not is_out_of_order(store)
