"""Letters that come back: an address suspended, the umpire told; and an address that is good again."""

from __future__ import annotations

import pytest

from pbem.intake.bounces import MOST
from pbem.store.outbox import Posted, claim_outgoing
from pbem.store.people import person_at
from pbem.store.schema_mail import outbox
from pbem.store.session import writing
from tests.campaigns_at_hand import MAILBOX, UMPIRE, mail
from tests.intake.conftest import Intake, newest_to, number_to

JEANNE = "jeanne@wa.test"
GONE = "Action: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 no such user"


def state(intake: Intake) -> str:
    who = person_at(intake.at.db, JEANNE)
    assert who is not None
    return who.addresses[0].state


def written_to_her(intake: Intake) -> Posted:
    """One more letter of ours."""
    intake.at.clock.passes(minutes=1)
    assert intake.says("WA", "ETAT").state == "applied"
    return intake.last("WA", "answer")


def comes_back(intake: Intake, lost: Posted, report: str = "", *, own: bool = True) -> str:
    """`own`: to the letter's own return address; otherwise only its Message-ID tells which it was."""
    name = lost.letter.message_id
    raw = mail(
        report or "could not be delivered",
        sender="MAILER-DAEMON@far.test",
        recipient=intake.at.service.addresses.envelope_sender(name) if own else MAILBOX,
        subject="Undelivered Mail Returned to Sender",
        headers={"Return-Path": "<>"} | ({} if own else {"References": name}),
    )
    found = intake.receives(raw)
    assert found.state == "set-aside"
    return found.reason


def all_sent(intake: Intake) -> None:
    """The poster has been there."""
    with writing(intake.at.db) as tx:
        tx.execute(outbox.update().where(outbox.c.state == "waiting").values(state="sent"))


def test_the_third_letter_that_comes_back_suspends_the_address(intake: Intake) -> None:
    lost = [written_to_her(intake) for _ in range(MOST)]
    told = number_to(intake, UMPIRE)
    states = [(comes_back(intake, one), state(intake)) for one in lost]
    assert states == [("bounce", "bouncing"), ("bounce", "bouncing"), ("bounce", "suspended")]
    assert number_to(intake, UMPIRE) == told + 2
    assert "Nothing more is sent there" in newest_to(intake, UMPIRE)


def test_bounces_that_know_only_a_message_id_suspend_nobody(intake: Intake) -> None:
    """It stands in every reply that they copy to others; a player is not silenced with it."""
    lost = [written_to_her(intake) for _ in range(2 * MOST)]
    told = number_to(intake, UMPIRE)
    for one in lost:
        assert (comes_back(intake, one, GONE, own=False), state(intake)) == ("bounce", "bouncing")
    assert number_to(intake, UMPIRE) == told + 1
    comes_back(intake, written_to_her(intake))  # nor do they count: this one is the first
    assert state(intake) == "bouncing"
    all_sent(intake)
    intake.at.clock.passes(days=1)
    intake.at.close()
    assert intake.last("WA", "result").state == "waiting"


def test_the_same_letter_comes_back_once(intake: Intake) -> None:
    lost = written_to_her(intake)
    for _ in range(5):
        comes_back(intake, lost)
    assert state(intake) == "bouncing"


def test_no_such_mailbox_suspends_at_once(intake: Intake) -> None:
    comes_back(intake, written_to_her(intake), GONE)
    assert state(intake) == "suspended"


def test_but_only_where_nobody_else_can_say_so(intake: Intake) -> None:
    """A Message-ID stands in every reply that they send to others."""
    comes_back(intake, written_to_her(intake), GONE, own=False)
    assert state(intake) == "bouncing"
    name = written_to_her(intake).letter.message_id.strip("<>").partition("@")[0]
    forged = f"umpire+bounce.{name}@play.test"
    assert intake.at.service.addresses.bounced([forged]) is None


@pytest.mark.parametrize("report", ["Action: delayed\nStatus: 4.4.1", "Action: relayed\nStatus: 2.0.0"])
def test_what_is_not_lost_yet_is_not_counted(intake: Intake, report: str) -> None:
    for _ in range(MOST + 1):
        assert comes_back(intake, written_to_her(intake), report) == "delivery-report"
    assert state(intake) == "good"


def test_a_full_mailbox_or_a_filter_is_no_missing_one(intake: Intake) -> None:
    comes_back(intake, written_to_her(intake), "Action: failed\nStatus: 5.7.1")
    assert state(intake) == "bouncing"


def test_nothing_goes_to_a_suspended_address_and_all_is_made_up_for_when_it_writes(intake: Intake) -> None:
    comes_back(intake, written_to_her(intake), GONE)
    all_sent(intake)
    intake.at.clock.passes(days=1)
    intake.at.close()
    recipients = [
        one.letter.recipient for one in claim_outgoing(intake.at.db, "poster", intake.at.clock(), 99)
    ]
    assert JEANNE not in recipients and "max@de.test" in recipients
    missed = intake.last("WA", "result")
    assert (missed.state, missed.trouble) == ("withdrawn", "address suspended")
    intake.at.clock.passes(hours=1)
    assert intake.says("WA", "ETAT", to=missed).state == "applied"
    assert state(intake) == "good"
    due = [one.letter for one in claim_outgoing(intake.at.db, "poster", intake.at.clock(), 99)]
    hers = [one.kind for one in due if one.recipient == JEANNE]
    assert sorted(hers) == ["answer", "answer", "result"]  # the one that came back, the new one, the result
    for _ in range(MOST - 1):  # and the count begins anew
        comes_back(intake, written_to_her(intake))
    assert state(intake) == "bouncing"


def test_a_bounce_of_a_letter_to_a_stranger_marks_nobody(intake: Intake) -> None:
    intake.receives(mail("HELP", sender="nobody@elsewhere.test"))
    before = number_to(intake, UMPIRE)
    with writing(intake.at.db) as tx:
        name = (
            tx.execute(outbox.select().where(outbox.c.recipient == "nobody@elsewhere.test"))
            .mappings()
            .one()["message_id"]
        )
    back = intake.at.service.addresses.envelope_sender(name)
    raw = mail(
        "gone",
        sender="MAILER-DAEMON@x.test",
        recipient=back,
        subject="Undelivered",
        headers={"Return-Path": "<>"},
    )
    assert intake.receives(raw).reason == "bounce" and number_to(intake, UMPIRE) == before
