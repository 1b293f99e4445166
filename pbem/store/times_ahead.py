"""Times that a clock put wrong has left behind: further ahead than anything is ever put off.

A clock that ran a day ahead and was put right again would keep letters waiting for that day, leave the dead
their claims, and let the inbox count as read to an hour that has not come: then a deadline could be executed
before the letters are in.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import update
from sqlalchemy.engine import Connection

from pbem.store.schema import closes
from pbem.store.schema_mail import inbox, mailboxes, outbox

LONGEST_LEASE: Final = timedelta(minutes=10)
LONGEST_WAIT: Final = timedelta(minutes=20)  # of a letter that came
LONGEST_DELAY: Final = timedelta(hours=12)  # of a letter of ours
NOW: Final = timedelta(minutes=2)  # clocks of several machines differ a little


def bring_back(tx: Connection, now: datetime) -> int:
    """Put right what lies too far ahead; returns how much of it there was."""
    changes = (
        update(inbox)
        .where(inbox.c.state == "received", inbox.c.next_try_at > now + LONGEST_WAIT)
        .values(next_try_at=now),
        update(outbox)
        .where(outbox.c.state == "waiting", outbox.c.next_try_at > now + LONGEST_DELAY)
        .values(next_try_at=now),
        *(
            update(table).where(undone, table.c.claimed_until > now + LONGEST_LEASE).values(claimed_until=now)
            for table, undone in (
                (inbox, inbox.c.state == "received"),
                (outbox, outbox.c.state == "waiting"),
                (closes, closes.c.carried_out_at.is_(None)),
            )
        ),
        update(mailboxes).where(mailboxes.c.read_to > now + NOW).values(read_to=None),
    )
    return sum(tx.execute(change).rowcount for change in changes)
