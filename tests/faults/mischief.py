"""What is done to a running service, at random; and what an operator does about it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Final

from celery import Celery
from imapclient.exceptions import IMAPClientError
from kombu.exceptions import OperationalError
from redis import RedisError
from sqlalchemy import select, update

from pbem.store.advance import CLOSE_LEASE
from pbem.store.campaigns import all_campaigns
from pbem.store.inbox import LETTER_LEASE
from pbem.store.outbox import SEND_LEASE, resend
from pbem.store.schema import closes
from pbem.store.schema_mail import inbox, outbox
from pbem.store.session import writing
from tests.faults.ground import Ground, seat_players
from tests.faults.players import hand_in
from tests.faults.processes import Victim

VICTIMS: Final[tuple[Victim, ...]] = (
    "poller",
    "poller",
    "worker",
    "worker",
    "worker",
    "poster",
    "poster",
    "parent",
)
COPIES: Final = 3  # of old letters, when a mailbox is made anew


@dataclass(slots=True)
class Mischief:
    """Everything that is done, and how often it was."""

    ground: Ground
    away: tuple[float, float]  # seconds that a server stays away
    stalls: tuple[float, float]
    done: Counter[str] = field(default_factory=Counter)

    # -------------------------------------------------------------- processes

    def kill(self, victim: Victim | None = None) -> None:
        """One process, as near to its work as can be managed."""
        here, dice = self.ground, self.ground.dice
        target: Victim = dice.choice(VICTIMS) if victim is None else victim
        if target == "poller" and dice.random() < 0.7:
            here.players.writes.clear()
            here.until(here.players.writes.is_set, 2)
            time.sleep(dice.random() * 0.3)
        end = time.monotonic() + 3
        while not here.processes.kill(target, here.smtp.busy):
            if time.monotonic() > end:
                target = "worker" if target == "poster" else "poller"
            here.passes(0.02)

    # -------------------------------------------------------------- servers

    def flush_redis(self) -> None:
        self.ground.broker.flush()

    def restart_redis(self) -> None:
        self._redis_away(0.2)

    def redis_away(self) -> None:
        self._redis_away(self.ground.dice.uniform(*self.away) * 2)

    def _redis_away(self, seconds: float) -> None:
        self.ground.broker.stop()
        self.ground.passes(seconds)
        self.ground.broker.start()

    def stop_database(self) -> None:
        base = self.ground.base
        assert base is not None
        self.ground.stop_database()
        self.ground.passes(self.ground.dice.uniform(*self.away))
        base.start()

    # -------------------------------------------------------------- the mailbox

    def cut(self) -> None:
        self._at_the_next_letter(self.ground.wire.cut_in_fetch, lambda: self.ground.wire.cuts)

    def stall(self) -> None:
        seconds = self.ground.dice.uniform(*self.stalls)
        self._at_the_next_letter(
            lambda: self.ground.wire.stall_in_fetch(seconds), lambda: self.ground.wire.stalls
        )

    def _at_the_next_letter(self, plan: Callable[[], None], count: Callable[[], int]) -> None:
        before = count()
        plan()
        self.copy_another_way()
        self.ground.until(lambda: count() > before, 15)

    def copy_same_bytes(self) -> None:
        """A letter that was put away lies in the inbox again, byte by byte."""
        self._copy_old_letters(1)

    def _copy_old_letters(self, number: int) -> None:
        with self.ground.mailbox() as box:
            if not box.folder_exists("Processed"):
                return
            box.select_folder("Processed", readonly=True)
            uids = box.search("ALL")
            for uid in self.ground.dice.sample(uids, min(number, len(uids))):
                body = box.fetch([uid], ["BODY.PEEK[]"]).get(uid, {}).get(b"BODY[]")
                if body is not None:  # it was moved just now
                    box.append("INBOX", body)

    def copy_another_way(self) -> None:
        """The same letter, forwarded by another server: a copy with other bytes and the same Message-ID."""
        here = self.ground
        if plain := [one for one in here.players.written if not one.kind]:
            one = here.dice.choice(plain[-12:])
            hand_in(here.mailboxes.lmtp, one.sender, one.recipient, one.raw)

    def mailbox_anew(self) -> None:
        """Its numbers begin anew, and some old letters lie in it again."""
        here = self.ground
        here.wire.cut_in_fetch()
        maildir = here.mailboxes.folder / "mail" / "umpire" / "Maildir"
        for kept in [*maildir.glob("dovecot-uid*"), *maildir.glob("dovecot.index*")]:
            Path(kept).unlink(missing_ok=True)
        with suppress(IMAPClientError):  # the server finds its files gone once, and makes them anew
            self._copy_old_letters(COPIES)
            return
        self._copy_old_letters(COPIES)

    # -------------------------------------------------------------- all of it

    def faults(self) -> dict[str, Callable[[], None]]:
        found = {
            "redis flushed": self.flush_redis,
            "redis restarted": self.restart_redis,
            "redis away": self.redis_away,
            "imap cut in a letter": self.cut,
            "imap silent in a letter": self.stall,
            "copy, same bytes": self.copy_same_bytes,
            "copy, another way": self.copy_another_way,
            "uidvalidity changed": self.mailbox_anew,
        }
        if self.ground.base is not None:
            found["postgresql stopped at once"] = self.stop_database
        return found

    def do(self, name: str) -> None:
        self.faults()[name]()
        self.done[name] += 1


class Haste:
    """Pauses and leases of minutes end after seconds, so that a run has more of everything.

    It makes things worse, never better: a lease that ends early lets a second worker take up what a first
    one is still at.
    """

    def __init__(self, ground: Ground, lease: float, every: float = 1.0, sweeps: float = 5.0) -> None:
        self._ground = ground
        self._broker = Celery(broker=ground.broker.url, set_as_current=False)
        self._sweeps, self._next_sweep = sweeps, 0.0
        self._lease = timedelta(seconds=lease)
        self._every = every
        self._next = 0.0
        self.done: Counter[str] = Counter()

    def __call__(self) -> None:
        self._ring()
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + self._every
        now, db = self._ground.service.now(), self._ground.service.db
        with writing(db) as tx:
            for table, state in ((inbox, "received"), (outbox, "waiting")):
                tries = table.c.tries if table is inbox else table.c.attempts
                waits = (table.c.state == state, table.c.claimed_by.is_(None), tries > 0)
                early = update(table).where(*waits, table.c.next_try_at > now)
                self.done["pauses"] += tx.execute(early.values(next_try_at=now)).rowcount
            for table, lease in ((inbox, LETTER_LEASE), (outbox, SEND_LEASE), (closes, CLOSE_LEASE)):
                old = (table.c.claimed_until > now, table.c.claimed_until < now + lease - self._lease)
                ended = tx.execute(update(table).where(*old).values(claimed_until=now)).rowcount
                self.done["leases"] += ended

    def _ring(self) -> None:
        """The poller rings for a sweep every quarter of a minute; somebody else may ring more often."""
        if time.monotonic() < self._next_sweep or not self._ground.broker.is_up:
            return
        self._next_sweep = time.monotonic() + self._sweeps
        with suppress(OperationalError, RedisError, OSError):
            self._broker.send_task("pbem.sweep", queue="pbem", expires=self._sweeps, retry=False)
            self.done["sweeps"] += 1


class Operator:
    """Reads that a letter was refused for good, and sends it again; opens a campaign when one is over."""

    def __init__(self, ground: Ground, campaigns: int) -> None:
        self._ground = ground
        self._campaigns = campaigns
        self._next = 0.0
        self.again = 0
        self.given_up: list[str] = []  # though the server had not refused it

    def __call__(self) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + 2
        self._send_again()
        self._open_another()

    def _open_another(self) -> None:
        here = self._ground
        standing = all_campaigns(here.service.db)
        if len([one for one in standing if one.state != "over"]) < self._campaigns:
            here.players.people += seat_players(here.service, len(standing) + 1)

    def _send_again(self) -> None:
        db = self._ground.service.db
        with db.connect() as tx:
            failed = tx.execute(select(outbox.c.id, outbox.c.trouble).where(outbox.c.state == "failed")).all()
        for number, trouble in failed:
            if not trouble.startswith("554"):
                self.given_up.append(f"letter {number} of ours was given up: {trouble}")
            self.again += resend(db, number, self._ground.service.now())
