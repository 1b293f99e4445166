"""The poller: a process that holds the mailbox, stores every letter and enqueues it.

A letter is stored and committed, then enqueued; it is moved on the server once it is settled. A second
thread enqueues the sweep, whatever the mail server does; the sweep sees how far the mailbox has been read,
and so whether mail is out of order. Without Redis letters are stored as before, and the next sweep enqueues
them.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Final, NoReturn

from pbem.context import ServiceContext, imap_server
from pbem.logs import log, log_to_stderr
from pbem.mail.imap import Destination, FetchedLetter, ImapMailbox, Round, Unreachable
from pbem.ops.metrics import Counters
from pbem.store.advance import next_window_number
from pbem.store.campaigns import find_campaign
from pbem.store.deadlines import record_pulse
from pbem.store.inbox import (
    ArrivedMail,
    Sighting,
    forget_other_mailboxes,
    letters_on_server,
    mark_moved,
    mark_read_to,
    store_letters,
)
from pbem.store.people import seated
from worker.celery_app import enqueue, enqueue_letters, service, settings

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
    """Stores letters, and knows which are still in the mailbox."""

    def __init__(self, service: ServiceContext) -> None:
        self.service = service
        self.unmoved: dict[tuple[str, int], set[int]] = {}  # mailbox and uidvalidity -> uids
        self._mailboxes: tuple[str, ...] = ()

    def store_letters(
        self, mailbox: str, uidvalidity: int, letters: Sequence[FetchedLetter]
    ) -> Sequence[Destination | None]:
        """Store and enqueue letters that arrived together; each stays in the mailbox until it is settled."""
        mails = [
            ArrivedMail(Sighting(mailbox, uidvalidity, letter.uid), letter.raw, letter.arrived)
            for letter in letters
        ]
        stored = store_letters(self.service.db, mails, self.service.now())
        self.unmoved.setdefault((mailbox, uidvalidity), set()).update(letter.uid for letter in letters)
        for letter, fetched in zip(stored, letters, strict=True):
            if letter.new:
                log().info("letter.taken", letter=letter.id, bytes=len(fetched.raw))
        enqueue_letters([letter.id for letter in stored if letter.new])
        return [None] * len(letters)

    def is_ours(self, headers: bytes) -> bool:
        addresses, db = self.service.addresses, self.service.db
        if addresses.answered_in(headers):
            return True
        for claim in addresses.claims_in(headers):
            standing = find_campaign(db, claim.campaign)
            if standing is None:
                continue
            newest = next_window_number(db, standing.id) - 1
            holders = [one.holder for one in seated(db, standing.id) if one.seat.lower() == claim.seat]
            if any(addresses.proven_window(claim, holder, newest) is not None for holder in holders):
                return True
        return False

    def mark_moved(self, mailbox: str, uidvalidity: int, uids: Sequence[int]) -> None:
        mark_moved(self.service.db, mailbox, uidvalidity, uids)
        self.unmoved.get((mailbox, uidvalidity), set()).difference_update(uids)

    def mark_read_to(self, mailbox: str, uidvalidity: int, began: datetime) -> None:
        mark_read_to(self.service.db, mailbox, uidvalidity, began)

    def set_mailboxes(self, mailboxes: tuple[str, ...]) -> None:
        """Deadlines wait for these mailboxes, and for none from before the configuration changed."""
        if mailboxes != self._mailboxes:
            forget_other_mailboxes(self.service.db, mailboxes)
            self._mailboxes = mailboxes

    def move_settled(self, inbox: ImapMailbox) -> None:
        """Move settled letters to their folders."""
        for (mailbox, uidvalidity), uids in sorted(self.unmoved.items()):
            if not uids:
                continue
            by_folder: dict[Destination, list[int]] = {}
            for uid, state in letters_on_server(self.service.db, mailbox, uidvalidity):
                if uid in uids and (destination := DESTINATIONS.get(state)) is not None:
                    by_folder.setdefault(destination, []).append(uid)
            for destination, settled in sorted(by_folder.items()):
                if not inbox.move(mailbox, uidvalidity, settled, destination):
                    uids.clear()  # the mailbox was recreated: these UIDs mean nothing anymore
                    break


def after_round(service: ServiceContext, inbox: ImapMailbox, reader: MailboxReader, done: Round) -> None:
    """Move what is settled; each round is a sign of life."""
    trouble = done.trouble
    if not trouble:
        reader.set_mailboxes(inbox.mailboxes)
        try:
            reader.move_settled(inbox)
        except Unreachable as error:  # the next round reconnects
            trouble = str(error)
    if trouble:
        log().warning("mailbox.trouble", trouble=trouble, refused=done.refused, pause=done.pause)
    record_pulse(service.db, PULSE, service.now(), {"trouble": trouble[:200]})


def enqueue_sweeps(over: threading.Event) -> None:
    """The sweep timer: a thread for as long as the process lives."""
    enqueue("sweep", expires=SWEEP_SECONDS - 1)
    while not over.wait(SWEEP_SECONDS):
        enqueue("sweep", expires=SWEEP_SECONDS - 1)


def main() -> None:
    log_to_stderr("poller")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    context, over, counters = service(), threading.Event(), Counters(settings().redis_url)
    threading.Thread(target=enqueue_sweeps, args=(over,), name="sweep-timer", daemon=True).start()
    counters.start()
    mailbox = imap_server(settings())
    log().info("poller.started", mail=settings().mail_kind)
    try:
        if mailbox is None:
            _wait_without_mailbox(context)
        else:
            server, folders = mailbox
            reader = MailboxReader(context)
            inbox = ImapMailbox(server, folders, reader, context.now)
            for done in inbox.rounds(SWEEP_SECONDS):
                after_round(context, inbox, reader, done)
    finally:
        over.set()
        counters.stop()


def _wait_without_mailbox(context: ServiceContext) -> NoReturn:
    """No mailbox is configured: the service runs, and letters wait."""
    while True:
        trouble = {"trouble": "no mailbox is named in the configuration"}
        record_pulse(context.db, PULSE, context.now(), trouble)
        time.sleep(SWEEP_SECONDS)


if __name__ == "__main__":
    main()
