"""The outbox emptied: each letter that is due is handed to the mail server, and what became of it is marked.

A letter whose outcome nobody knows is sent again with the same bytes. One that is refused for good fails; if
its address is at fault the address is suspended, and the umpire is told either way.
"""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from sqlalchemy import Connection

from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.notify import coded_memo, send_memo, umpires
from pbem.context import ServiceContext
from pbem.logs import log
from pbem.mail.smtp import Envelope, Outcome, Retry, Sent, SmtpClient, SmtpServer, Suspended, next_try
from pbem.store.outbox import Claimed, claim_post, mark_failed, mark_for_retry, mark_sent
from pbem.store.people import mark_address, person
from pbem.store.session import writing

BATCH: Final = 12  # more than the letters of a task: what it laid in is claimed at once
TURN_SECONDS: Final = 60.0  # after which a poster stops; whoever rang rings again
OUR_FAULT: Final = timedelta(hours=4)  # a server that refuses us is asked again for as long as it takes

_CODES: Final = re.compile(r"\d{3}(?: \d\.\d{1,3}\.\d{1,3})?")


@dataclass(frozen=True, slots=True)
class _Given:
    """A letter that will not be sent any more, and why."""

    code: str
    reason: str


class Poster:
    """Who sends: a process's own, with a connection that stays open between letters."""

    def __init__(self, server: SmtpServer) -> None:
        self._server = server
        self._runner, self._post = asyncio.Runner(), SmtpClient(server)

    def post_due(self, service: ServiceContext, by: str) -> int:
        """Send what is due, for at most a minute; returns how many letters the server took."""
        try:
            return self._runner.run(_post_due(service, self._post, by))
        except BaseException:  # broken off, perhaps in the middle of a letter: nobody goes on from there
            self._runner.close()
            self._runner, self._post = asyncio.Runner(), SmtpClient(self._server)
            raise

    def close(self) -> None:
        self._runner.run(self._post.leave())
        self._runner.close()


def post_due(service: ServiceContext, server: SmtpServer, by: str) -> int:
    """The same, over a connection of its own."""
    with closing(Poster(server)) as poster:
        return poster.post_due(service, by)


async def _post_due(service: ServiceContext, post: SmtpClient, by: str) -> int:
    until, taken = time.monotonic() + TURN_SECONDS, 0
    while time.monotonic() < until and (claimed := claim_post(service.db, by, service.now(), BATCH)):
        down: Retry | None = None
        before = taken
        for one in claimed:
            outcome: Outcome = down if down is not None else await _sent(post, one)
            if isinstance(outcome, Retry) and not post.is_connected:
                # The others need not knock at the same closed door; they have not been handed over.
                down = replace(outcome, perhaps_sent=False)
            settle_post(service, one, outcome, by)
            taken += isinstance(outcome, Sent)
        all_taken = taken - before == len(claimed)  # a letter given up may leave others to send
        if down is not None or (all_taken and len(claimed) < BATCH):
            break
    return taken


async def _sent(post: SmtpClient, one: Claimed) -> Outcome:
    letter = one.letter
    try:
        told = await post.send(Envelope(letter.sender, (letter.recipient,), letter.body))
    except ValueError as mistake:  # of ours: such bytes are never sent
        return Suspended(str(mistake), "letter")
    return told[letter.recipient]


def settle_post(service: ServiceContext, one: Claimed, outcome: Outcome, by: str) -> None:
    """What became of a letter, marked in one transaction with all that follows from it."""
    match outcome:
        case Sent():
            mark_sent(service.db, one.id, service.now())
            log().info("post.sent", post=one.id, kind=one.letter.kind, attempt=one.attempts)
        case Retry():
            _retry(service, one, outcome, by)
        case Suspended():
            code = "post-address" if outcome.whose == "address" else "post-refused"
            _give_up(service, one, _Given(code, outcome.reason), by)


def _retry(service: ServiceContext, one: Claimed, outcome: Retry, by: str) -> None:
    tries = one.unknown + 1 if outcome.perhaps_sent else one.attempts - one.unknown
    wait = next_try(tries, outcome, one.letter.message_id)
    if wait is None and outcome.ours:
        wait = OUR_FAULT
    if wait is None:
        _give_up(service, one, _Given("post-failed", outcome.reason), by)
        return
    again = service.now() + wait
    mark_for_retry(service.db, one.id, by, again, outcome.reason, unknown=outcome.perhaps_sent)
    told = {"attempt": one.attempts, "ours": outcome.ours, "code": _code(outcome.reason)}
    log().warning("post.retry", post=one.id, seconds=round(wait.total_seconds()), **told)


def _give_up(service: ServiceContext, one: Claimed, given: _Given, by: str) -> None:
    with writing(service.db) as tx:
        if not mark_failed(tx, one.id, by, given.reason):
            return
        if given.code == "post-address":
            mark_address(tx, one.letter.recipient, "suspended")
        _tell_umpires(service, tx, one, given)
    log().warning("post.failed", post=one.id, why=given.code, code=_code(given.reason))


def _tell_umpires(service: ServiceContext, tx: Connection, one: Claimed, given: _Given) -> None:
    """All but the one whose letter failed. What the server said may hold an address; its code is told."""
    letter = one.letter
    who = None if letter.person is None else person(tx, letter.person)
    memo = coded_memo(
        given.code,
        letter.campaign or "",
        seat_id=letter.seat or "",
        name="" if who is None else who.name,
        kind=letter.kind,
        answer=_code(given.reason),
        number=one.id,
    )
    name = letter.campaign or ""
    others = [one for one in umpires(service, tx, name) if one.address.lower() != letter.recipient.lower()]
    terms = load_campaign(tx, name).terms if name and others else None
    for recipient in others:
        send_memo(service, tx, terms, recipient, memo)


def _code(reason: str) -> str:
    found = _CODES.match(reason)
    return "" if found is None else found[0]
