"""Claims of processes that were killed end at once on their own machine, and of no others."""

from __future__ import annotations

import signal
import subprocess
import sys
from datetime import timedelta

from sqlalchemy import Engine, update

from pbem.store.deadlines import find_stuck_work
from pbem.store.inbox import Sighting, claim_letter, due_letters, store_letter
from pbem.store.leases import MOST_RETURNS, is_dead, release_dead_claims, this_process
from pbem.store.outbox import (
    SEND_LEASE,
    OutgoingMail,
    claim_outgoing,
    mark_for_retry,
    put_in_outbox,
)
from pbem.store.schema_mail import inbox, outbox
from tests.store.play import NOW

RAW = b"From: a@test\r\n\r\nhello"
TELLS = "from pbem.store.leases import this_process; print(this_process(), flush=True); input()"


def another_process() -> tuple[subprocess.Popen[str], str]:
    running = subprocess.Popen(
        [sys.executable, "-c", TELLS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    return running, running.stdout.readline().strip()


def killed() -> str:
    running, name = another_process()
    running.send_signal(signal.SIGKILL)
    running.communicate()
    return name


def test_a_process_is_dead_when_it_was_killed_and_not_before() -> None:
    running, name = another_process()
    assert this_process() and name != this_process()
    assert not is_dead(name) and not is_dead(this_process())
    running.send_signal(signal.SIGKILL)
    running.communicate()
    assert is_dead(name)


def test_of_other_machines_and_containers_nothing_is_known() -> None:
    machine, boot, container, pid, start = killed().split(".")
    assert not is_dead(f"elsewhere.{boot}.{container}.{pid}.{start}")
    assert not is_dead(f"{machine}.{boot}.1.{pid}.{start}")
    assert not is_dead("") and not is_dead("worker 3")
    own = this_process().split(".")
    assert is_dead(".".join([own[0], "earlier", *own[2:]]))  # the machine was started again since
    assert is_dead(".".join([*own[:4], "17"]))  # another process has that number now


def test_a_letter_whose_worker_was_killed_is_free_with_the_next_sweep(store: Engine) -> None:
    number = store_letter(store, Sighting("INBOX", 1, 1), RAW, NOW, NOW).id
    assert claim_letter(store, number, "one", NOW) is not None
    assert 0 == release_dead_claims(store, NOW)  # this very process lives
    assert [] == due_letters(store, NOW)
    with store.begin() as tx:
        tx.execute(update(inbox).values(claimed_on=killed()))
    assert 1 == release_dead_claims(store, NOW)
    assert [number] == due_letters(store, NOW) and claim_letter(store, number, "two", NOW) is not None


def test_a_letter_of_ours_that_kills_its_posters_waits_for_its_lease(store: Engine) -> None:
    put_in_outbox(
        store,
        [
            OutgoingMail(
                message_id="<1@test>", kind="notice", sender="umpire@test", recipient="a@test", body=b"x"
            )
        ],
        NOW,
    )
    dead = killed()
    for number in range(1, MOST_RETURNS + 1):
        (one,) = claim_outgoing(store, f"poster {number}", NOW)
        assert (number, number - 1) == (one.attempts, one.unknown)
        with store.begin() as tx:
            tx.execute(update(outbox).values(claimed_on=dead))
        assert int(number < MOST_RETURNS) == release_dead_claims(store, NOW)
    assert 0 == find_stuck_work(store, NOW).posts
    assert 1 == find_stuck_work(store, NOW + SEND_LEASE).posts


def test_tries_that_were_broken_off_or_not_answered_are_counted_apart(store: Engine) -> None:
    (row,) = put_in_outbox(
        store,
        [
            OutgoingMail(
                message_id="<1@test>", kind="notice", sender="umpire@test", recipient="a@test", body=b"x"
            )
        ],
        NOW,
    )
    claim_outgoing(store, "one", NOW)  # and is killed
    later = NOW + SEND_LEASE
    (again,) = claim_outgoing(store, "two", later)
    assert (2, 1) == (again.attempts, again.unknown)
    assert mark_for_retry(store, row, "two", later, "451 busy")
    (third,) = claim_outgoing(store, "three", later)
    assert (3, 1) == (third.attempts, third.unknown)
    assert mark_for_retry(store, row, "three", later, "lost", unknown=True)
    (fourth,) = claim_outgoing(store, "four", later + timedelta(seconds=1))
    assert (4, 2) == (fourth.attempts, fourth.unknown)
