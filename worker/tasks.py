"""What workers do. Arguments are ids; every task may run twice, and twice is once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final

from pbem.campaigns.adjudicate import adjudicate as adjudicate_campaign
from pbem.campaigns.campaign import HasOtherRules, other_rules
from pbem.intake.receive import receive_letter
from pbem.ops.sweep import remind_in
from pbem.ops.sweep import sweep as sweep_service
from pbem.store.deadlines import stuck
from pbem.store.inbox import RawMail, claim_fresh, give_back
from worker.celery_app import QUEUE, Task, app, enqueue, enqueue_work, poster, service, waiting

CROWD: Final = 1000  # tasks in the queue, beyond which the sweep rings for nothing more
LETTERS_A_POSTER: Final = 20  # due, for each poster that is rung for
MOST_POSTERS: Final = 4
TURN_SECONDS: Final = 30.0  # after which letters that came together are left to another task
UNSENT_SECONDS: Final = 0.5  # that answers wait for those of the other letters of a task
PASSED_ON_SECONDS: Final = 60.0  # a ring for workers of another version is forgotten after that


@app.task(name="pbem.receive", bind=True)  # type: ignore[untyped-decorator]
def receive(self: Any, *letters: int) -> None:
    """Letters of the inbox are read and heard, one after the other; their answers go out together."""
    fresh = claim_fresh(service().db, letters, _by(self), service().now()) if len(letters) > 1 else ()
    claimed = {one.id: one for one in fresh}
    try:
        rest = _receive_in_turn(self, letters, claimed)
    finally:
        for letter in claimed:  # nobody came to these: they are free for others at once
            give_back(service().db, letter, _by(self), service().now(), "")
    if rest:
        enqueue("receive", *rest)
    _post(self)


def _receive_in_turn(task: Any, letters: Sequence[int], claimed: dict[int, RawMail]) -> Sequence[int]:
    """Returns those that are left to another task; whatever was come to is not among the claimed any more."""
    began = posted = time.monotonic()
    for place, letter in enumerate(letters):
        _receive(task, letter, claimed.pop(letter, None))
        now, rest = time.monotonic(), letters[place + 1 :]
        if rest and now - began > TURN_SECONDS:
            return rest
        if rest and now - posted > UNSENT_SECONDS:
            _post(task)
            posted = time.monotonic()
    return ()


def _receive(task: Any, letter: int, claimed: RawMail | None) -> None:
    try:
        campaigns = receive_letter(service(), letter, _by(task), claimed)
    except HasOtherRules as left:
        _pass_on("receive", letter, left.campaign)
        return
    for name in sorted(campaigns):
        enqueue("adjudicate", name)


@app.task(name="pbem.adjudicate", bind=True)  # type: ignore[untyped-decorator]
def adjudicate(self: Any, campaign: str) -> None:
    """A campaign goes on as far as it can."""
    if _is_left_behind(self):
        remind_in(service(), campaign)
    try:
        adjudicate_campaign(service(), campaign, _by(self))
    except HasOtherRules:
        _pass_on("adjudicate", campaign, campaign)
        return
    _post(self)


@app.task(name="pbem.post", bind=True)  # type: ignore[untyped-decorator]
def post(self: Any) -> None:
    """Letters that are due go out."""
    if _post(self) and stuck(service().db, service().now()).posts:
        enqueue("post")


@app.task(name="pbem.sweep")  # type: ignore[untyped-decorator]
def sweep() -> None:
    """Whatever is due or was forgotten is rung for."""
    rung = sweep_service(service())
    for campaign in rung.campaigns:
        enqueue("adjudicate", campaign)
    if rung.posts:
        for _ in range(min(MOST_POSTERS, 1 + rung.posts // LETTERS_A_POSTER)):
            enqueue("post")
    if waiting() < CROWD:
        enqueue_work(rung.letters)


def _post(task: Any) -> int:
    """Whoever lays letters in sends them: nobody has to be rung for, and the connection is there."""
    sends = poster()
    return 0 if sends is None else sends.post_due(service(), _by(task))


def _is_left_behind(task: Any) -> bool:
    """Was it rung for at the door of other rules? Then no sweep that has these sees to the campaign."""
    return bool(task.request.delivery_info.get("routing_key", QUEUE) != QUEUE)


def _pass_on(task: Task, argument: int | str, campaign: str) -> None:
    """To the workers that have the rules of that campaign. If there are none, the sweep rings again."""
    rules = other_rules(service().db, campaign)
    enqueue(task, argument, expires=PASSED_ON_SECONDS, rules=rules)


def _by(task: Any) -> str:
    """Who claims: a task that comes back after its worker was killed is the same one."""
    return f"{task.name}:{task.request.id}"
