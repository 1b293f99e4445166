"""The poller: a process of its own that holds the mailbox and rings for every letter it takes in.

A letter is kept and committed, then rung for; it is moved on the server when it is known what became of it.
Beside that a second thread rings for the sweep, whatever the mail server does; the sweep sees how far the
mailbox has been read, and so whether the mail is out of order. Without Redis letters are taken in as before,
and the next sweep that is heard rings for them.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Sequence
from datetime import datetime
from typing import Final, NoReturn

from pbem.context import ServiceContext, imap_server
from pbem.logs import log, log_to_stderr
from pbem.mail.imap import Destination, Inbox, Lying, Round, Unreachable
from pbem.ops.metrics import Counters
from pbem.store.advance import next_window_number
from pbem.store.campaigns import campaign_called
from pbem.store.deadlines import beat
from pbem.store.inbox import (
    Message,
    Sighting,
    only_read,
    put_away,
    read_to_end,
    take_all_in,
    to_put_away,
)
from pbem.store.people import seated
from worker.celery_app import configuration, enqueue, enqueue_work, service

SWEEP_SECONDS: Final = 15.0
PULSE: Final = "poller"

DESTINATIONS: Final[dict[str, Destination]] = {
    "applied": "processed",
    "held": "processed",
    "set-aside": "processed",
    "refused": "rejected",
    "quarantined": "quarantine",
    "shunted": "quarantine",
}


class MailboxReader:
    """The clerk of the inbox: takes letters in, and knows which still lie on the server."""

    def __init__(self, service: ServiceContext) -> None:
        self.service = service
        self.lying: dict[tuple[str, int], set[int]] = {}  # mailbox and uidvalidity -> uids
        self._reads: tuple[str, ...] = ()  # mailboxes

    def take_in(
        self, mailbox: str, uidvalidity: int, letters: Sequence[Lying]
    ) -> Sequence[Destination | None]:
        """Kept and rung for, those that come together together; each lies where it is until it was read."""
        messages = [Message(Sighting(mailbox, uidvalidity, one.uid), one.raw, one.arrived) for one in letters]
        taken = take_all_in(self.service.db, messages, self.service.now())
        self.lying.setdefault((mailbox, uidvalidity), set()).update(one.uid for one in letters)
        new = [one.id for one in taken if one.new]
        for one, lies in zip(taken, letters, strict=True):
            if one.new:
                log().info("letter.taken", letter=one.id, bytes=len(lies.raw))
        enqueue_work(new)
        return [None] * len(letters)

    def is_ours(self, headers: bytes) -> bool:
        addresses, db = self.service.addresses, self.service.db
        if addresses.answered_in(headers):
            return True
        for claim in addresses.claims_in(headers):
            standing = campaign_called(db, claim.campaign)
            if standing is None:
                continue
            newest = next_window_number(db, standing.id) - 1
            holders = [one.holder for one in seated(db, standing.id) if one.seat.lower() == claim.seat]
            if any(addresses.proven_window(claim, holder, newest) is not None for holder in holders):
                return True
        return False

    def moved(self, mailbox: str, uidvalidity: int, uids: Sequence[int]) -> None:
        put_away(self.service.db, mailbox, uidvalidity, uids)
        self.lying.get((mailbox, uidvalidity), set()).difference_update(uids)

    def read_to_end(self, mailbox: str, uidvalidity: int, began: datetime) -> None:
        read_to_end(self.service.db, mailbox, uidvalidity, began)

    def reads(self, mailboxes: tuple[str, ...]) -> None:
        """Deadlines wait for these, and for no mailbox that was read before the configuration changed."""
        if mailboxes != self._reads:
            only_read(self.service.db, mailboxes)
            self._reads = mailboxes

    def put_away_settled(self, inbox: Inbox) -> None:
        """Whatever has been read by now is moved to its folder."""
        for (mailbox, uidvalidity), uids in sorted(self.lying.items()):
            if not uids:
                continue
            away: dict[Destination, list[int]] = {}
            for uid, state in to_put_away(self.service.db, mailbox, uidvalidity):
                if uid in uids and (destination := DESTINATIONS.get(state)) is not None:
                    away.setdefault(destination, []).append(uid)
            for destination, settled in sorted(away.items()):
                if not inbox.put_away(mailbox, uidvalidity, settled, destination):
                    uids.clear()  # the mailbox was made anew: those numbers mean nothing any more
                    break


def poll(service: ServiceContext, inbox: Inbox, postman: MailboxReader) -> NoReturn:
    """Round after round; every round is a sign of life."""
    for done in inbox.rounds(SWEEP_SECONDS):
        after_round(service, inbox, postman, done)
    raise AssertionError("rounds never end")


def after_round(service: ServiceContext, inbox: Inbox, postman: MailboxReader, done: Round) -> None:
    trouble = done.trouble
    if not trouble:
        postman.reads(inbox.mailboxes)
        try:
            postman.put_away_settled(inbox)
        except Unreachable as lost:  # the next round connects anew
            trouble = str(lost)
    if trouble:
        log().warning("mailbox.trouble", trouble=trouble, refused=done.refused, pause=done.pause)
    beat(service.db, PULSE, service.now(), {"trouble": trouble[:200]})


class SweepTimer(threading.Thread):
    """Rings for the sweep, for as long as the process lives."""

    def __init__(self) -> None:
        super().__init__(name="bell", daemon=True)
        self._over = threading.Event()

    def run(self) -> None:
        while True:
            enqueue("sweep", expires=SWEEP_SECONDS - 1)
            if self._over.wait(SWEEP_SECONDS):
                return

    def stop(self) -> None:
        self._over.set()


def _leave(_: int, __: object) -> NoReturn:
    sys.exit(0)


def main() -> None:
    log_to_stderr("poller")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)
    here = service()
    bell, tally = SweepTimer(), Counters(configuration().redis_url)
    bell.start()
    tally.start()
    mailbox = imap_server(configuration())
    log().info("poller.begins", mail=configuration().mail_kind)
    try:
        if mailbox is None:
            _only_ring(here)
        else:
            server, folders = mailbox
            postman = MailboxReader(here)
            poll(here, Inbox(server, folders, postman, here.now), postman)
    finally:
        bell.stop()
        tally.stop()


def _only_ring(here: ServiceContext) -> None:
    """No mailbox is named: the service can be looked at, and letters wait."""
    waits = threading.Event()
    while True:
        beat(here.db, PULSE, here.now(), {"trouble": "no mailbox is named in the configuration"})
        waits.wait(SWEEP_SECONDS)


if __name__ == "__main__":
    main()
