"""A signature is looked at once, when the letter arrives; and what follows from it."""

from __future__ import annotations

from typing import Any

from pbem.store.inbox import requeue_letter
from pbem.store.people import seated
from pbem.store.windows import read_orders
from tests.campaigns_at_hand import NAME, mail
from tests.intake.conftest import Desk, number_to
from tests.intake.letters_to_judge import BAD, FRIEND, GOOD, ORDERS, THIEF, later, post_at
from tests.signing import signed


def test_the_first_signed_letter_pins_the_address(desk: Desk) -> None:
    post = post_at(desk, "pinned", pinned=False)
    assert desk.hears(post.letter("DE", "READY")).state == "applied"
    assert desk.hears(post.signed("DE", "WAIT")).state == "applied"
    later(desk)
    assert desk.hears(post.letter("DE", "READY")).state == "held"
    assert desk.hears(post.letter("EA", "READY")).state == "applied"  # everybody's own


def test_dns_trouble_is_waited_out_and_the_letter_counts_as_of_its_arrival(desk: Desk) -> None:
    post = post_at(desk, "dkim", pinned=True)
    post.keys.down = True
    number = desk.at.arrives(post.signed("DE", ORDERS.text("DE")))
    arrived = desk.at.clock()
    found = desk.has_heard(number)
    assert (found.state, found.reason, found.proof["dkim"]) == ("received", "dns", "unknown")
    post.keys.down = False
    assert desk.has_heard(number).state == "received"  # not before its time
    later(desk)
    found = desk.has_heard(number)
    assert (found.state, found.proof["dkim"]) == ("applied", "pass")
    sheet = _sheet(desk)
    assert sheet.orders == "C1: ATTACK 3" and sheet.arrived == arrived


def _sheet(desk: Desk) -> Any:
    return read_orders(desk.at.db, NAME).seats["DE"].sheet


def test_nobody_waits_for_a_strangers_name_server(desk: Desk) -> None:
    post = post_at(desk, "pinned", pinned=True)
    post.keys.down = True
    found = desk.hears(signed(mail("Hello!", sender=THIEF, date=desk.at.clock()), "dark.test", BAD))
    assert (found.state, found.reason, number_to(desk, THIEF)) == ("set-aside", "stranger", 0)


def test_the_key_is_asked_for_once_and_may_be_gone_afterwards(desk: Desk) -> None:
    post = post_at(desk, "dkim", pinned=True)
    found = desk.hears(post.signed("DE", "C1: ATAK 3"))
    assert found.state in ("refused", "held") and found.proof["dkim"] == "pass"
    asked = len(post.keys.asked)
    post.keys.records.clear()
    assert requeue_letter(desk.at.db, found.id, desk.at.clock())
    again = desk.has_heard(found.id)
    assert again.proof["dkim"] == "pass" and again.proof["b"] == found.proof["b"]
    assert len(post.keys.asked) == asked == 1


def test_a_genuine_letter_is_not_set_aside_for_a_forged_one_that_came_first(desk: Desk) -> None:
    """Somebody who was sent a copy is faster, with the same Message-ID."""
    post = post_at(desk, "pinned", pinned=True)
    genuine = post.signed("DE", ORDERS.text("DE"), message_id="<one@de.test>")
    forged = post.letter("DE", "C1: ATTACK 4", message_id="<one@de.test>")
    assert desk.hears(forged).state == "held"
    assert desk.hears(genuine).state == "applied" and _sheet(desk).orders == "C1: ATTACK 3"
    assert desk.hears(b"Received: again\r\n" + forged).state == "set-aside"


def test_a_signed_stranger_gets_one_neutral_sentence_a_day_and_a_forged_one_none(desk: Desk) -> None:
    post_at(desk, "pinned", pinned=True)

    def hello(key: Any) -> bytes:
        return signed(mail("Hello!", sender=FRIEND, date=desk.at.clock()), "elsewhere.test", key)

    desk.hears(hello(GOOD))
    assert number_to(desk, FRIEND) == 0
    desk.hears(hello(BAD))  # that provider's own key
    desk.hears(hello(BAD))
    assert number_to(desk, FRIEND) == 1


def test_the_tokens_of_a_seat_are_replaced_when_another_seat_uses_one(desk: Desk) -> None:
    post = post_at(desk, "pinned", pinned=True)
    before = {one.seat: one.holder for one in seated(desk.at.db, NAME)}
    desk.hears(post.letter("DE", ORDERS.text("DE"), sender=desk.at.addresses["GA"]))
    after = {one.seat: one.holder for one in seated(desk.at.db, NAME)}
    assert after == before | {"DE": before["DE"] + 1}
