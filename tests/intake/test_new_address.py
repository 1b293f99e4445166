"""ADDRESS, LINK, UNLINK: both addresses say yes, and nobody else is written to."""

from __future__ import annotations

import pytest

from pbem.store.people import person_at
from pbem.store.windows import read_orders
from tests.campaigns_at_hand import MAILBOX, UMPIRE, mail
from tests.intake.conftest import Desk, all_to, newest_to, number_to, words

OLD, NEW = "max@de.test", "max@new.test"
ORDERS = "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nEND"


def addresses(desk: Desk, known: str = OLD) -> list[str]:
    """The registered one first."""
    who = person_at(desk.at.db, known)
    return [] if who is None else [one.address for one in who.addresses]


def confirm_from_new(desk: Desk, text: str = "CONFIRM", sender: str = NEW) -> str:
    """A reply to the letter that the new address got; returns what became of it."""
    asked = all_to(desk, NEW)[0]
    return desk.hears(mail(text, sender=sender, in_reply_to=asked.letter.message_id)).state


def test_a_new_address_is_confirmed_by_the_registered_one_and_then_by_itself(desk: Desk) -> None:
    found = desk.says("DE", f"ADDRESS {NEW}")
    assert (found.state, found.reason, number_to(desk, NEW)) == ("held", "serious", 0)
    desk.says("DE", "CONFIRM", to=desk.last("DE"))
    assert "I have asked max@new.test" in words(desk.last("DE"))
    assert addresses(desk) == [OLD] and number_to(desk, NEW) == 1
    question = newest_to(desk, NEW)
    assert "Max Brandt has named this address" in question and "reply CONFIRM" in question
    assert "FWW-1" not in question  # nothing of what he plays is told to somebody who may be a stranger
    assert confirm_from_new(desk) == "applied"
    assert addresses(desk) == [NEW, OLD]
    assert "your letters go to max@new.test from now on" in newest_to(desk, NEW)
    assert "This one is the last that comes here" in newest_to(desk, OLD)
    desk.at.clock.passes(minutes=5)
    assert desk.says("DE", ORDERS, sender=NEW).state == "applied"
    assert desk.last("DE", "receipt").letter.recipient == NEW


def test_a_linked_address_may_write_and_gets_no_letters(desk: Desk) -> None:
    desk.says("DE", f"LINK {NEW}")
    desk.says("DE", "CONFIRM", to=desk.last("DE"))
    confirm_from_new(desk)
    assert addresses(desk) == [OLD, NEW]
    assert desk.says("DE", ORDERS, sender=NEW).state == "applied"
    assert desk.last("DE").letter.recipient == OLD
    assert "already" in _told(desk, f"LINK {NEW}")
    desk.says("DE", f"UNLINK {NEW}")
    assert addresses(desk) == [OLD, NEW]
    desk.says("DE", "CONFIRM", to=desk.last("DE"))
    assert addresses(desk) == [OLD]


def _told(desk: Desk, text: str) -> str:
    desk.at.clock.passes(minutes=5)
    desk.says("DE", text)
    return words(desk.last("DE"))


def test_only_the_new_address_itself_can_say_yes_for_it(desk: Desk) -> None:
    desk.says("DE", f"ADDRESS {NEW}")
    desk.says("DE", "CONFIRM", to=desk.last("DE"))
    for other in (OLD, "jeanne@wa.test", "nobody@elsewhere.test"):
        confirm_from_new(desk, sender=other)
        assert addresses(desk) == [OLD]


def test_the_new_address_may_say_no_or_nothing(desk: Desk) -> None:
    desk.says("DE", f"ADDRESS {NEW}")
    desk.says("DE", "CONFIRM", to=desk.last("DE"))
    confirm_from_new(desk, "CANCEL")
    confirm_from_new(desk)
    assert addresses(desk) == [OLD]
    desk.says("DE", f"ADDRESS {NEW}")
    desk.says("DE", "CONFIRM", to=desk.last("DE"))
    desk.at.clock.passes(days=15)
    confirm_from_new(desk)
    assert addresses(desk) == [OLD] and "no longer open" in newest_to(desk, NEW)


def test_a_stolen_token_moves_nobody(desk: Desk) -> None:
    thief = "thief@dark.test"
    assert desk.says("DE", f"ADDRESS {thief}", sender=thief).state == "held"
    assert addresses(desk) == [OLD] and number_to(desk, thief) == 0
    assert desk.says("DE", "CONFIRM", to=desk.last("DE"), sender=thief).state == "applied"
    assert addresses(desk) == [OLD] and number_to(desk, thief) == 0


def test_somebody_elses_address_stays_his(desk: Desk) -> None:
    desk.says("DE", f"ADDRESS {UMPIRE}")
    desk.says("DE", "CONFIRM", to=desk.last("DE"))
    asked = all_to(desk, UMPIRE)[0]
    desk.hears(mail("CONFIRM", sender=UMPIRE, in_reply_to=asked.letter.message_id))
    assert addresses(desk) == [OLD] and addresses(desk, UMPIRE) == [UMPIRE]
    assert "somebody else's" in newest_to(desk, UMPIRE)


@pytest.mark.parametrize("address", [MAILBOX, "umpire+fww-1.de.abcdefghijklmnop@play.test", OLD])
def test_what_cannot_be_an_address_of_his_is_refused_at_once(desk: Desk, address: str) -> None:
    before = number_to(desk, MAILBOX)
    assert desk.says("DE", f"ADDRESS {address}").state == "applied"
    assert addresses(desk) == [OLD] and number_to(desk, MAILBOX) == before


def test_nobody_makes_us_write_to_many_strangers(desk: Desk) -> None:
    for number in range(6):
        desk.says("DE", f"LINK friend{number}@new.test")
        desk.says("DE", "CONFIRM", to=desk.last("DE"))
        desk.at.clock.passes(minutes=10)
    assert [number_to(desk, f"friend{number}@new.test") for number in range(6)] == [1, 1, 1, 0, 0, 0]
    desk.at.clock.passes(days=1)
    desk.says("DE", "LINK friend5@new.test")
    desk.says("DE", "CONFIRM", to=desk.last("DE"))
    assert number_to(desk, "friend5@new.test") == 1


def test_orders_beside_the_change_are_filed_as_ever(desk: Desk) -> None:
    desk.says("DE", f"ADDRESS {NEW}\n{ORDERS}")
    sheet = read_orders(desk.at.db, "FWW-1").seats["DE"].sheet
    assert sheet is not None and sheet.orders == "C1: ATTACK 3"
    assert addresses(desk) == [OLD]
