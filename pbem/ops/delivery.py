"""Send the outbox: hand each due letter to the mail server and record the outcome.

A letter whose outcome is unknown is sent again with the same bytes. One that is refused for good fails; if
its address is at fault the address is suspended, and the umpire is told either way.
"""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from typing import Final

from sqlalchemy import Connection

from pbem.campaigns.campaign import load_campaign
from pbem.campaigns.notify import send_memo, umpires
from pbem.context import ServiceContext
from pbem.letters.memo import coded_memo
from pbem.logs import log
from pbem.mail.smtp import Envelope, Outcome, Retry, Sent, SmtpClient, SmtpServer, Suspended, next_try
from pbem.store.outbox import ClaimedLetter, claim_outgoing, mark_failed, mark_for_retry, mark_sent
from pbem.store.people import mark_address, person
from pbem.store.session import writing

BATCH: Final = 12  # more than the letters of a task: its answers are claimed at once
TURN_SECONDS: Final = 60.0  # after which a sender stops; another task goes on
OUR_FAULT: Final = timedelta(hours=4)  # between retries at a server that refuses us: there is no limit

_CODES: Final = re.compile(r"\d{3}(?: \d\.\d{1,3}\.\d{1,3})?")


class OutboxSender:
    """Sends for one process, over a connection that stays open between letters."""

    def __init__(self, server: SmtpServer) -> None:
        self._server = server
        self._runner, self._client = asyncio.Runner(), SmtpClient(server)

    def send_due(self, service: ServiceContext, by: str) -> int:
        """Send what is due, for at most a minute; returns how many letters the server accepted."""
        try:
            return self._runner.run(_send_due(service, self._client, by))
        except BaseException:  # perhaps interrupted within a letter: start with a new connection
            self._runner.close()
            self._runner, self._client = asyncio.Runner(), SmtpClient(self._server)
            raise

    def close(self) -> None:
        self._runner.run(self._client.close())
        self._runner.close()


def send_due(service: ServiceContext, server: SmtpServer, by: str) -> int:
    """The same, over a new connection."""
    with closing(OutboxSender(server)) as sender:
        return sender.send_due(service, by)


async def _send_due(service: ServiceContext, client: SmtpClient, by: str) -> int:
    until, taken = time.monotonic() + TURN_SECONDS, 0
    while time.monotonic() < until and (claimed := claim_outgoing(service.db, by, service.now(), BATCH)):
        down: Retry | None = None
        before = taken
        for one in claimed:
            outcome: Outcome = down if down is not None else await _send(client, one)
            if isinstance(outcome, Retry) and not client.is_connected:
                # Do not try the others at a server that is down; nothing of them has been sent.
                down = replace(outcome, perhaps_sent=False)
            record_outcome(service, one, outcome, by)
            taken += isinstance(outcome, Sent)
        all_taken = taken - before == len(claimed)  # after a letter that was given up others may be due
        if down is not None or (all_taken and len(claimed) < BATCH):
            break
    return taken


async def _send(client: SmtpClient, one: ClaimedLetter) -> Outcome:
    letter = one.letter
    try:
        told = await client.send(Envelope(letter.sender, (letter.recipient,), letter.body))
    except ValueError as mistake:  # our own mistake: such bytes are never sent
        return Suspended(str(mistake), "letter")
    return told[letter.recipient]


def record_outcome(service: ServiceContext, one: ClaimedLetter, outcome: Outcome, by: str) -> None:
    """Record the outcome of a letter in one transaction with all that follows from it."""
    match outcome:
        case Sent():
            mark_sent(service.db, one.id, service.now())
            log().info("post.sent", post=one.id, kind=one.letter.kind, attempt=one.attempts)
        case Retry():
            _retry(service, one, outcome, by)
        case Suspended():
            code = "post-address" if outcome.whose == "address" else "post-refused"
            _give_up(service, one, code, outcome.reason, by)


def _retry(service: ServiceContext, one: ClaimedLetter, outcome: Retry, by: str) -> None:
    tries = one.unknown + 1 if outcome.perhaps_sent else one.attempts - one.unknown
    wait = next_try(tries, outcome, one.letter.message_id)
    if wait is None and outcome.ours:
        wait = OUR_FAULT
    if wait is None:
        _give_up(service, one, "post-failed", outcome.reason, by)
        return
    again = service.now() + wait
    mark_for_retry(service.db, one.id, by, again, outcome.reason, unknown=outcome.perhaps_sent)
    told = {"attempt": one.attempts, "ours": outcome.ours, "code": _code(outcome.reason)}
    log().warning("post.retry", post=one.id, seconds=round(wait.total_seconds()), **told)


def _give_up(service: ServiceContext, one: ClaimedLetter, why: str, reason: str, by: str) -> None:
    """The server's text may hold an address: only its code is told."""
    code = _code(reason)
    with writing(service.db) as tx:
        if not mark_failed(tx, one.id, by, reason):
            return
        if why == "post-address":
            mark_address(tx, one.letter.recipient, "suspended")
        _tell_umpires(service, tx, one, why, code)
    log().warning("post.failed", post=one.id, why=why, code=code)


def _tell_umpires(service: ServiceContext, tx: Connection, one: ClaimedLetter, why: str, code: str) -> None:
    """All but the failed letter's recipient."""
    letter, name = one.letter, one.letter.campaign or ""
    who = None if letter.person is None else person(tx, letter.person)
    whose = "" if who is None else who.name
    memo = coded_memo(
        why, name, seat_id=letter.seat or "", name=whose, kind=letter.kind, answer=code, number=one.id
    )
    others = [one for one in umpires(service, tx, name) if one.address.lower() != letter.recipient.lower()]
    terms = load_campaign(tx, name).terms if name and others else None
    for recipient in others:
        send_memo(service, tx, terms, recipient, memo)


def _code(reason: str) -> str:
    found = _CODES.match(reason)
    return "" if found is None else found[0]
