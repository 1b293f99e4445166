"""The outbox emptied into real servers: sent once, tried again, given up; addresses suspended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from pathlib import Path
from time import sleep

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import SQLAlchemyError

from pbem.context import ServiceContext, open_context
from pbem.mail.smtp import TRUSTED_SECONDS, SmtpServer
from pbem.ops.delivery import OutboxSender, send_due
from pbem.settings import ServiceProfile
from pbem.store.outbox import OutgoingMail, put_in_outbox
from pbem.store.people import enrol, person
from pbem.store.schema_mail import outbox
from pbem.store.session import connect
from tests.campaigns_at_hand import UMPIRE, campaign_at_hand
from tests.mail.surly import SurlyServer
from tests.narrowing import not_none
from tests.ops.conftest import HOST, Mail
from tests.servers import LOOPBACK, free_port
from tests.stores import fresh_store

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ServiceContext]:
    db = fresh_store(tmp_path)
    found = open_context(db, f"umpire@{HOST}", ServiceProfile(umpires=(f"anna@{HOST}",)))
    yield ServiceContext(found.db, found.addresses, found.profile, lambda: NOW)
    db.dispose()


@pytest.fixture
def surly() -> Iterator[SurlyServer]:
    with SurlyServer() as server:
        yield server


def letter(
    service: ServiceContext, to: str, number: int = 1, body: bytes = b"Subject: x\r\n\r\nhello\r\n"
) -> None:
    who = enrol(service.db, to, "Jean", "fr", "UTC", NOW)
    message_id = service.addresses.message_id("", f"~person{who}", "notice", number)
    sender = service.addresses.envelope_sender(message_id)
    out = OutgoingMail(
        message_id=message_id,
        kind="notice",
        sender=sender,
        recipient=to,
        body=body,
        person=who,
        number=number,
    )
    put_in_outbox(service.db, [out], NOW)


def states(service: ServiceContext) -> list[tuple[str, str]]:
    with service.db.connect() as tx:
        rows = tx.execute(select(outbox.c.recipient, outbox.c.state).order_by(outbox.c.id))
        return [(recipient, state) for recipient, state in rows]


def at(server: SurlyServer) -> SmtpServer:
    return SmtpServer(LOOPBACK, server.port, security="none", command_seconds=2, data_seconds=2)


def test_letters_are_sent_once(service: ServiceContext, mail: Mail) -> None:
    for number in range(1, 13):
        letter(service, f"anna@{HOST}", number, b"Subject: %d\r\n\r\nhello\r\n" % number)
    assert 12 == send_due(service, mail.out, "one")
    assert 0 == send_due(service, mail.out, "two")
    client = mail.client("anna")
    assert 12 == client.select_folder("INBOX")[b"EXISTS"]
    client.logout()


def test_a_connection_stays_open_between_letters(service: ServiceContext, surly: SurlyServer) -> None:
    with closing(OutboxSender(at(surly))) as sender:
        for number in range(1, 4):
            letter(service, "jean@play.example", number)
            assert 1 == sender.send_due(service, "one")
        assert 1 == surly.connections


def test_a_connection_that_the_server_closed_is_made_anew(
    service: ServiceContext, surly: SurlyServer
) -> None:
    """Nothing of the letter was handed over yet: it need not wait for another try."""
    with closing(OutboxSender(at(surly))) as sender:
        letter(service, "jean@play.example", 1)
        assert 1 == sender.send_due(service, "one")
        surly.hang_up()
        sleep(TRUSTED_SECONDS + 0.1)
        letter(service, "jean@play.example", 2)
        assert 1 == sender.send_due(service, "one")
    assert (2, 2) == (surly.connections, len(surly.taken))


def test_a_poster_that_was_broken_off_begins_anew(
    service: ServiceContext, surly: SurlyServer, tmp_path: Path
) -> None:
    nowhere = replace(service, db=connect(tmp_path / "empty.db"))
    letter(service, "jean@play.example")
    with closing(OutboxSender(at(surly))) as sender:
        with pytest.raises(SQLAlchemyError):
            sender.send_due(nowhere, "one")
        assert 1 == sender.send_due(service, "one")
    nowhere.db.dispose()


def test_an_address_that_is_gone_is_suspended_and_the_umpire_told(
    service: ServiceContext, surly: SurlyServer
) -> None:
    letter(service, "gone@play.example")
    assert 1 == send_due(service, at(surly), "one")  # the umpire's notice
    assert [("gone@play.example", "failed"), (f"anna@{HOST}", "sent")] == states(service)
    told = message_from_bytes(surly.taken[0].body, policy=policy.default)
    text = not_none(told.get_body(("plain",))).get_content()
    assert "Jean" in text and "550 5.1.1" in text and "gone@play.example" not in text
    who = person(service.db, enrol(service.db, "gone@play.example", "", "fr", "UTC", NOW))
    assert who is not None and "suspended" == who.addresses[0].state


def test_the_umpire_of_the_campaign_hears_which_seat_gets_no_letters(
    tmp_path: Path, surly: SurlyServer
) -> None:
    at_hand = campaign_at_hand(tmp_path)
    with at_hand.service.db.begin() as tx:
        tx.execute(update(outbox).where(outbox.c.seat == "WA").values(recipient="gone@play.example"))
    send_due(at_hand.service, at(surly), "one")
    notices = [one.body for one in surly.taken if one.recipients == (UMPIRE,)]
    told = [message_from_bytes(body, policy=policy.default) for body in notices]
    about = [one for one in told if one["Subject"] == "[FWW-1] An address no longer takes letters"]
    assert about
    text = not_none(about[0].get_body(("plain",))).get_content()
    assert "WA (Jeanne Dubois) in FWW-1" in " ".join(text.split())
    assert "gone@play.example" not in text


def test_a_refused_letter_leaves_the_address_as_it_is(service: ServiceContext, surly: SurlyServer) -> None:
    letter(service, "spam@play.example")
    send_due(service, at(surly), "one")
    assert ("spam@play.example", "failed") == states(service)[0]
    who = person(service.db, enrol(service.db, "spam@play.example", "", "fr", "UTC", NOW))
    assert who is not None and "good" == who.addresses[0].state


def test_an_umpire_whose_own_address_is_gone_is_not_written_to_about_it(
    service: ServiceContext, surly: SurlyServer
) -> None:
    house = ServiceProfile(umpires=("gone@play.example",))
    service = ServiceContext(service.db, service.addresses, house, service.now)
    letter(service, "gone@play.example")
    assert 0 == send_due(service, at(surly), "one")
    assert [("gone@play.example", "failed")] == states(service)


def test_what_is_not_taken_now_is_tried_later(service: ServiceContext, surly: SurlyServer) -> None:
    letter(service, "busy@play.example")
    letter(service, "good@play.example")
    assert 1 == send_due(service, at(surly), "one")
    with service.db.connect() as tx:
        row = tx.execute(select(outbox).where(outbox.c.state == "waiting")).mappings().one()
    assert row["next_try_at"] > NOW + timedelta(seconds=50) and row["claimed_by"] is None
    assert row["trouble"].startswith("451")


def test_a_letter_tried_for_days_is_given_up(service: ServiceContext, surly: SurlyServer) -> None:
    letter(service, "busy@play.example")
    with service.db.begin() as tx:
        tx.execute(update(outbox).values(attempts=23))
    send_due(service, at(surly), "one")
    assert [("busy@play.example", "failed"), (f"anna@{HOST}", "sent")] == states(service)


def test_tries_that_were_broken_off_use_up_nobodys_patience(
    service: ServiceContext, surly: SurlyServer
) -> None:
    letter(service, "busy@play.example")
    with service.db.begin() as tx:
        tx.execute(update(outbox).values(attempts=30, unknown=20))
    send_due(service, at(surly), "one")
    assert [("busy@play.example", "waiting")] == states(service)  # refused for the eleventh time


def test_only_the_letter_that_was_handed_over_was_perhaps_sent(
    service: ServiceContext, surly: SurlyServer
) -> None:
    letter(service, "drop@play.example", 1)
    letter(service, "good@play.example", 2)
    assert 0 == send_due(service, at(surly), "one")
    with service.db.connect() as tx:
        rows = tx.execute(select(outbox.c.attempts, outbox.c.unknown).order_by(outbox.c.id)).all()
    assert [(1, 1), (1, 0)] == [tuple(row) for row in rows]


def test_a_closed_door_is_knocked_at_once(service: ServiceContext) -> None:
    for number in range(1, 6):
        letter(service, "good@play.example", number)
    closed = SmtpServer(LOOPBACK, free_port(), security="none")
    assert 0 == send_due(service, closed, "one")
    with service.db.connect() as tx:
        rows = tx.execute(select(outbox.c.state, outbox.c.claimed_by, outbox.c.next_try_at)).all()
    assert {("waiting", None)} == {(state, by) for state, by, _ in rows}
    assert all(again > NOW for *_, again in rows)


def test_a_server_that_does_not_want_us_never_costs_a_letter(
    service: ServiceContext, surly: SurlyServer
) -> None:
    letter(service, "good@play.example")
    with service.db.begin() as tx:
        tx.execute(update(outbox).values(attempts=30))
    surly.greeting = "554 go away"
    assert 0 == send_due(service, at(surly), "one")
    assert [("good@play.example", "waiting")] == states(service)
