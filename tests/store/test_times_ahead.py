"""What a clock put wrong for a while has left in the database."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import Engine

from pbem.store.deadlines import correct_future_times
from pbem.store.inbox import (
    Sighting,
    claim_letter,
    due_letters,
    mailboxes_read_to,
    mark_read_to,
    store_letter,
)
from pbem.store.outbox import OutgoingMail, claim_outgoing, put_in_outbox
from pbem.store.session import writing
from tests.store.play import DAY, NOW

MINUTE = timedelta(minutes=1)


def put_right(store: Engine) -> int:
    with writing(store) as tx:
        return correct_future_times(tx, NOW)


def test_what_waits_for_tomorrow_by_mistake_is_done_today(store: Engine) -> None:
    tomorrow = NOW + DAY
    claimed = store_letter(store, Sighting("INBOX", 1, 1), b"one", NOW, tomorrow).id
    waiting = store_letter(store, Sighting("INBOX", 1, 2), b"two", NOW, tomorrow).id
    claim_letter(store, claimed, "dead", tomorrow)
    put_in_outbox(
        store,
        [
            OutgoingMail(
                message_id="<a@test>", kind="notice", sender="us@test", recipient="you@test", body=b""
            )
        ],
        tomorrow,
    )
    assert [] == due_letters(store, NOW) and [] == claim_outgoing(store, "one", NOW)
    assert 4 == put_right(store)
    assert [claimed, waiting] == due_letters(store, NOW) and 1 == len(claim_outgoing(store, "one", NOW))


def test_an_inbox_read_tomorrow_was_not_read(store: Engine) -> None:
    mark_read_to(store, "INBOX", 1, NOW + DAY)
    assert 1 == put_right(store) and mailboxes_read_to(store) is None
    mark_read_to(store, "INBOX", 1, NOW)
    assert NOW == mailboxes_read_to(store) and 0 == put_right(store)


def test_ordinary_pauses_stay(store: Engine) -> None:
    number = store_letter(store, Sighting("INBOX", 1, 1), b"one", NOW, NOW + 10 * MINUTE).id
    put_in_outbox(
        store,
        [
            OutgoingMail(
                message_id="<a@test>", kind="notice", sender="us@test", recipient="you@test", body=b""
            )
        ],
        NOW + 10 * 60 * MINUTE,
    )
    mark_read_to(store, "INBOX", 1, NOW + MINUTE)
    claim_letter(store, number, "one", NOW + 10 * MINUTE)
    assert 1 == put_right(store)  # a claim longer than any: the clock was ten minutes ahead
    assert NOW + MINUTE == mailboxes_read_to(store)
