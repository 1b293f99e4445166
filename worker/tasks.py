"""The tasks. Arguments are ids; every task is idempotent."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final

from pbem.campaigns.adjudicate import adjudicate as adjudicate_campaign
from pbem.campaigns.campaign import HasOtherRules, other_rules
from pbem.intake.receive import receive_letter
from pbem.ops.sweep import remind_campaign
from pbem.ops.sweep import sweep as sweep_service
from pbem.store.deadlines import find_stuck_work
from pbem.store.inbox import RawMail, claim_new_letters, release_letter
from worker.celery_app import QUEUE, Task, app, enqueue, enqueue_letters, outbox_sender, queue_length, service

FULL_QUEUE: Final = 1000  # tasks, beyond which the sweep enqueues no more letters
LETTERS_A_SENDER: Final = 20  # due, for each task that sends
MOST_SENDERS: Final = 4
TURN_SECONDS: Final = 30.0  # after which the rest of a task's letters go to another task
UNSENT_SECONDS: Final = 0.5  # how long answers wait for those to the task's other letters
FORWARD_SECONDS: Final = 60.0  # after which a task for workers of another version expires


@app.task(name="pbem.receive", bind=True)  # type: ignore[untyped-decorator]
def receive(self: Any, *letters: int) -> None:
    """Process letters of the inbox one after the other; their answers go out together."""
    fresh = claim_new_letters(service().db, letters, _by(self), service().now()) if len(letters) > 1 else ()
    claimed = {one.id: one for one in fresh}
    try:
        rest = _receive_in_turn(self, letters, claimed)
    finally:
        for letter in claimed:  # not processed: free for other workers at once
            release_letter(service().db, letter, _by(self), service().now(), "")
    if rest:
        enqueue("receive", *rest)
    _send(self)


def _receive_in_turn(task: Any, letters: Sequence[int], claimed: dict[int, RawMail]) -> Sequence[int]:
    """Returns the letters left to another task; processed ones are removed from `claimed`."""
    began = sent = time.monotonic()
    for place, letter in enumerate(letters):
        _receive(task, letter, claimed.pop(letter, None))
        now, rest = time.monotonic(), letters[place + 1 :]
        if rest and now - began > TURN_SECONDS:
            return rest
        if rest and now - sent > UNSENT_SECONDS:
            _send(task)
            sent = time.monotonic()
    return ()


def _receive(task: Any, letter: int, claimed: RawMail | None) -> None:
    try:
        campaigns = receive_letter(service(), letter, _by(task), claimed)
    except HasOtherRules as refusal:
        _forward("receive", letter, refusal.campaign)
        return
    for name in sorted(campaigns):
        enqueue("adjudicate", name)


@app.task(name="pbem.adjudicate", bind=True)  # type: ignore[untyped-decorator]
def adjudicate(self: Any, campaign: str) -> None:
    """Advance a campaign as far as possible."""
    if _is_for_other_rules(self):
        remind_campaign(service(), campaign)
    try:
        adjudicate_campaign(service(), campaign, _by(self))
    except HasOtherRules:
        _forward("adjudicate", campaign, campaign)
        return
    _send(self)


@app.task(name="pbem.send", bind=True)  # type: ignore[untyped-decorator]
def send(self: Any) -> None:
    """Send the letters that are due."""
    if _send(self) and find_stuck_work(service().db, service().now()).posts:
        enqueue("send")


@app.task(name="pbem.sweep")  # type: ignore[untyped-decorator]
def sweep() -> None:
    """Enqueue whatever is due or was lost."""
    due = sweep_service(service())
    for campaign in due.campaigns:
        enqueue("adjudicate", campaign)
    if due.posts:
        for _ in range(min(MOST_SENDERS, 1 + due.posts // LETTERS_A_SENDER)):
            enqueue("send")
    if queue_length() < FULL_QUEUE:
        enqueue_letters(due.letters)


def _send(task: Any) -> int:
    """Send what the task put into the outbox: no further task is needed, and the connection is open."""
    connection = outbox_sender()
    return 0 if connection is None else connection.send_due(service(), _by(task))


def _is_for_other_rules(task: Any) -> bool:
    """Did it come by the queue of other rules? Then no sweep that has these takes care of the campaign."""
    return bool(task.request.delivery_info.get("routing_key", QUEUE) != QUEUE)


def _forward(task: Task, argument: int | str, campaign: str) -> None:
    """To workers that have the campaign's rules. If there are none, the sweep enqueues it again."""
    rules = other_rules(service().db, campaign)
    enqueue(task, argument, expires=FORWARD_SECONDS, rules=rules)


def _by(task: Any) -> str:
    """The owner of a claim: a task that returns after its worker was killed is the same owner."""
    return f"{task.name}:{task.request.id}"
