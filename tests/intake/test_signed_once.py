"""A signature is looked at once, when the letter arrives; and what follows from it."""

from __future__ import annotations

from typing import Any

from pbem.store.inbox import requeue_letter
from pbem.store.people import seated
from pbem.store.windows import read_orders
from tests.campaigns_at_hand import NAME, mail
from tests.intake.conftest import Intake, number_to
from tests.intake.judged_letters import BAD, FRIEND, GOOD, ORDERS, THIEF, later, post_at
from tests.signing import signed


def test_the_first_signed_letter_pins_the_address(intake: Intake) -> None:
    post = post_at(intake, "pinned", pinned=False)
    assert intake.receives(post.letter("DE", "READY")).state == "applied"
    assert intake.receives(post.signed("DE", "WAIT")).state == "applied"
    later(intake)
    assert intake.receives(post.letter("DE", "READY")).state == "held"
    assert intake.receives(post.letter("EA", "READY")).state == "applied"  # everybody's own


def test_dns_trouble_is_waited_out_and_the_letter_counts_as_of_its_arrival(intake: Intake) -> None:
    post = post_at(intake, "dkim", pinned=True)
    post.keys.down = True
    number = intake.at.arrives(post.signed("DE", ORDERS.text("DE")))
    arrived = intake.at.clock()
    found = intake.processes(number)
    assert (found.state, found.reason, found.proof["dkim"]) == ("received", "dns", "unknown")
    post.keys.down = False
    assert intake.processes(number).state == "received"  # not before its time
    later(intake)
    found = intake.processes(number)
    assert (found.state, found.proof["dkim"]) == ("applied", "pass")
    sheet = _sheet(intake)
    assert sheet.orders == "C1: ATTACK 3" and sheet.arrived == arrived


def _sheet(intake: Intake) -> Any:
    return read_orders(intake.at.db, NAME).seats["DE"].sheet


def test_nobody_waits_for_a_strangers_name_server(intake: Intake) -> None:
    post = post_at(intake, "pinned", pinned=True)
    post.keys.down = True
    found = intake.receives(signed(mail("Hello!", sender=THIEF, date=intake.at.clock()), "dark.test", BAD))
    assert (found.state, found.reason, number_to(intake, THIEF)) == ("set-aside", "stranger", 0)


def test_the_key_is_asked_for_once_and_may_be_gone_afterwards(intake: Intake) -> None:
    post = post_at(intake, "dkim", pinned=True)
    found = intake.receives(post.signed("DE", "C1: ATAK 3"))
    assert found.state in ("refused", "held") and found.proof["dkim"] == "pass"
    asked = len(post.keys.asked)
    post.keys.records.clear()
    assert requeue_letter(intake.at.db, found.id, intake.at.clock())
    again = intake.processes(found.id)
    assert again.proof["dkim"] == "pass" and again.proof["b"] == found.proof["b"]
    assert len(post.keys.asked) == asked == 1


def test_a_genuine_letter_is_not_set_aside_for_a_forged_one_that_came_first(intake: Intake) -> None:
    """Somebody who was sent a copy is faster, with the same Message-ID."""
    post = post_at(intake, "pinned", pinned=True)
    genuine = post.signed("DE", ORDERS.text("DE"), message_id="<one@de.test>")
    forged = post.letter("DE", "C1: ATTACK 4", message_id="<one@de.test>")
    assert intake.receives(forged).state == "held"
    assert intake.receives(genuine).state == "applied" and _sheet(intake).orders == "C1: ATTACK 3"
    assert intake.receives(b"Received: again\r\n" + forged).state == "set-aside"


def test_a_signed_stranger_gets_one_neutral_sentence_a_day_and_a_forged_one_none(intake: Intake) -> None:
    post_at(intake, "pinned", pinned=True)

    def hello(key: Any) -> bytes:
        return signed(mail("Hello!", sender=FRIEND, date=intake.at.clock()), "elsewhere.test", key)

    intake.receives(hello(GOOD))
    assert number_to(intake, FRIEND) == 0
    intake.receives(hello(BAD))  # that provider's own key
    intake.receives(hello(BAD))
    assert number_to(intake, FRIEND) == 1


def test_the_tokens_of_a_seat_are_replaced_when_another_seat_uses_one(intake: Intake) -> None:
    post = post_at(intake, "pinned", pinned=True)
    before = {one.seat: one.holder for one in seated(intake.at.db, NAME)}
    intake.receives(post.letter("DE", ORDERS.text("DE"), sender=intake.at.addresses["GA"]))
    after = {one.seat: one.holder for one in seated(intake.at.db, NAME)}
    assert after == before | {"DE": before["DE"] + 1}
