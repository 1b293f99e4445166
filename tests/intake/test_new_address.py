"""ADDRESS, LINK, UNLINK: both addresses say yes, and nobody else is written to."""

from __future__ import annotations

import pytest

from pbem.store.people import person_at
from pbem.store.windows import read_orders
from tests.campaigns_at_hand import MAILBOX, UMPIRE, mail
from tests.intake.conftest import Intake, all_to, newest_to, number_to, words

OLD, NEW = "max@de.test", "max@new.test"
ORDERS = "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nEND"


def addresses(intake: Intake, known: str = OLD) -> list[str]:
    """The registered one first."""
    who = person_at(intake.at.db, known)
    return [] if who is None else [one.address for one in who.addresses]


def confirm_from_new(intake: Intake, text: str = "CONFIRM", sender: str = NEW) -> str:
    """A reply to the letter that the new address got; returns what became of it."""
    asked = all_to(intake, NEW)[0]
    return intake.receives(mail(text, sender=sender, in_reply_to=asked.letter.message_id)).state


def test_a_new_address_is_confirmed_by_the_registered_one_and_then_by_itself(intake: Intake) -> None:
    found = intake.says("DE", f"ADDRESS {NEW}")
    assert (found.state, found.reason, number_to(intake, NEW)) == ("held", "serious", 0)
    intake.says("DE", "CONFIRM", to=intake.last("DE"))
    assert "A letter has gone to max@new.test" in words(intake.last("DE"))
    assert addresses(intake) == [OLD] and number_to(intake, NEW) == 1
    question = newest_to(intake, NEW)
    assert "Max Brandt has named this address" in question and "reply CONFIRM" in question
    assert "FWW-1" not in question  # nothing of what they play is told to somebody who may be a stranger
    assert confirm_from_new(intake) == "applied"
    assert addresses(intake) == [NEW, OLD]
    assert "your letters now go to max@new.test" in newest_to(intake, NEW)
    assert "This is the last one that comes here" in newest_to(intake, OLD)
    intake.at.clock.passes(minutes=5)
    assert intake.says("DE", ORDERS, sender=NEW).state == "applied"
    assert intake.last("DE", "receipt").letter.recipient == NEW


def test_a_linked_address_may_write_and_gets_no_letters(intake: Intake) -> None:
    intake.says("DE", f"LINK {NEW}")
    intake.says("DE", "CONFIRM", to=intake.last("DE"))
    confirm_from_new(intake)
    assert addresses(intake) == [OLD, NEW]
    assert intake.says("DE", ORDERS, sender=NEW).state == "applied"
    assert intake.last("DE").letter.recipient == OLD
    assert "already" in _told(intake, f"LINK {NEW}")
    intake.says("DE", f"UNLINK {NEW}")
    assert addresses(intake) == [OLD, NEW]
    intake.says("DE", "CONFIRM", to=intake.last("DE"))
    assert addresses(intake) == [OLD]


def _told(intake: Intake, text: str) -> str:
    intake.at.clock.passes(minutes=5)
    intake.says("DE", text)
    return words(intake.last("DE"))


def test_only_the_new_address_itself_can_say_yes_for_it(intake: Intake) -> None:
    intake.says("DE", f"ADDRESS {NEW}")
    intake.says("DE", "CONFIRM", to=intake.last("DE"))
    for other in (OLD, "jeanne@wa.test", "nobody@elsewhere.test"):
        confirm_from_new(intake, sender=other)
        assert addresses(intake) == [OLD]


def test_the_new_address_may_say_no_or_nothing(intake: Intake) -> None:
    intake.says("DE", f"ADDRESS {NEW}")
    intake.says("DE", "CONFIRM", to=intake.last("DE"))
    confirm_from_new(intake, "CANCEL")
    confirm_from_new(intake)
    assert addresses(intake) == [OLD]
    intake.says("DE", f"ADDRESS {NEW}")
    intake.says("DE", "CONFIRM", to=intake.last("DE"))
    intake.at.clock.passes(days=15)
    confirm_from_new(intake)
    assert addresses(intake) == [OLD] and "no longer open" in newest_to(intake, NEW)


def test_a_stolen_token_moves_nobody(intake: Intake) -> None:
    thief = "thief@dark.test"
    assert intake.says("DE", f"ADDRESS {thief}", sender=thief).state == "held"
    assert addresses(intake) == [OLD] and number_to(intake, thief) == 0
    assert intake.says("DE", "CONFIRM", to=intake.last("DE"), sender=thief).state == "applied"
    assert addresses(intake) == [OLD] and number_to(intake, thief) == 0


def test_somebody_elses_address_stays_his(intake: Intake) -> None:
    intake.says("DE", f"ADDRESS {UMPIRE}")
    intake.says("DE", "CONFIRM", to=intake.last("DE"))
    asked = all_to(intake, UMPIRE)[0]
    intake.receives(mail("CONFIRM", sender=UMPIRE, in_reply_to=asked.letter.message_id))
    assert addresses(intake) == [OLD] and addresses(intake, UMPIRE) == [UMPIRE]
    assert "belongs to someone else" in newest_to(intake, UMPIRE)


@pytest.mark.parametrize("address", [MAILBOX, "umpire+fww-1.de.abcdefghijklmnop@play.test", OLD])
def test_what_cannot_be_an_address_of_his_is_refused_at_once(intake: Intake, address: str) -> None:
    before = number_to(intake, MAILBOX)
    assert intake.says("DE", f"ADDRESS {address}").state == "applied"
    assert addresses(intake) == [OLD] and number_to(intake, MAILBOX) == before


def test_nobody_makes_us_write_to_many_strangers(intake: Intake) -> None:
    for number in range(6):
        intake.says("DE", f"LINK friend{number}@new.test")
        intake.says("DE", "CONFIRM", to=intake.last("DE"))
        intake.at.clock.passes(minutes=10)
    assert [number_to(intake, f"friend{number}@new.test") for number in range(6)] == [1, 1, 1, 0, 0, 0]
    intake.at.clock.passes(days=1)
    intake.says("DE", "LINK friend5@new.test")
    intake.says("DE", "CONFIRM", to=intake.last("DE"))
    assert number_to(intake, "friend5@new.test") == 1


def test_orders_beside_the_change_are_filed_as_ever(intake: Intake) -> None:
    intake.says("DE", f"ADDRESS {NEW}\n{ORDERS}")
    sheet = read_orders(intake.at.db, "FWW-1").seats["DE"].sheet
    assert sheet is not None and sheet.orders == "C1: ATTACK 3"
    assert addresses(intake) == [OLD]
