"""The checks that every letter passes, and how each of them may end its way."""

from __future__ import annotations

import pytest

from pbem.intake.checks import CHECKS, FIRST
from pbem.intake.context import Proof
from pbem.mail import dkim
from pbem.store.outbox import letters_to
from pbem.store.people import (
    ask_for_no_signature,
    give_seat,
    link_address,
    person_at,
    seated,
    signed_letter_from,
)
from pbem.store.windows import read_orders
from tests.campaigns_at_hand import MAILBOX, OBSERVER, UMPIRE, mail
from tests.intake.conftest import Desk, newest_to, number_to, words

ORDERS = "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nEND"
STRANGER, DAEMON = "nobody@elsewhere.test", "MAILER-DAEMON@far.test"


def sheets(desk: Desk) -> dict[str, str]:
    filed = read_orders(desk.at.db, desk.at.name).seats
    return {seat: told.sheet.orders for seat, told in filed.items() if told.sheet is not None}


def letters(desk: Desk) -> int:
    return len(letters_to(desk.at.db, desk.at.name))


def test_the_chain_reads_like_a_list() -> None:
    assert [check.__name__ for check in (*FIRST, *CHECKS)] == [
        "opened_safely",
        "written_by_somebody",
        "has_one_sender",
        "knows_the_house",
        "has_its_signature_known",
        "knows_the_writer",
        "finds_its_place",
        "is_not_from_another_seat",
        "has_a_role",
        "shows_its_proof",
        "says_whom_it_was_copied_to",
    ]


# ------------------------------------------------------------------ the mail itself


def test_what_cannot_be_opened_safely_is_quarantined_and_the_umpire_told(desk: Desk) -> None:
    found = desk.hears(b"Content-Type: multipart/mixed\r\nFrom: a@b.test\r\n\r\nno parts\r\n")
    assert found.state == "quarantined"
    assert "could not be opened safely (broken-multipart)" in newest_to(desk, UMPIRE)


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"Auto-Submitted": "auto-replied"}, "auto-reply"),
        ({"Precedence": "list"}, "list"),
        ({"X-Autoreply": "yes"}, "auto-reply"),
    ],
)
def test_automatic_mail_is_set_aside_and_never_answered(
    desk: Desk, headers: dict[str, str], reason: str
) -> None:
    before = letters(desk)
    found = desk.says("WA", "READY", headers=headers)
    assert (found.state, found.reason, letters(desk)) == ("set-aside", reason, before)
    assert desk.rung == frozenset()


def test_our_own_letter_come_back_is_set_aside(desk: Desk) -> None:
    found = desk.hears(mail("READY", sender=MAILBOX))
    assert (found.state, found.reason) == ("set-aside", "own")


def test_a_bounce_marks_the_address_and_tells_the_umpire_once(desk: Desk) -> None:
    lost = desk.last("WA")
    back = desk.at.service.addresses.envelope_sender(lost.letter.message_id)
    report = {"Return-Path": "<>"}
    for _ in range(2):
        found = desk.hears(
            mail("gone", sender=DAEMON, recipient=back, subject="Undeliverable", headers=report)
        )
        assert (found.state, found.reason) == ("set-aside", "bounce")
    holder = person_at(desk.at.db, "jeanne@wa.test")
    assert holder is not None and [one.state for one in holder.addresses] == ["bouncing"]
    assert "come back" in newest_to(desk, UMPIRE)
    notices = [one for one in letters_to(desk.at.db, desk.at.name) if one.letter.kind == "notice"]
    assert len(notices) == 1
    desk.says("WA", "READY")  # a letter from the address makes it good again
    holder = person_at(desk.at.db, "jeanne@wa.test")
    assert holder is not None and [one.state for one in holder.addresses] == ["good"]


def test_a_bounce_that_names_no_letter_of_ours_marks_nobody(desk: Desk) -> None:
    raw = mail("to jeanne@wa.test", sender=DAEMON, subject="Undeliverable", headers={"Return-Path": "<>"})
    assert desk.hears(raw).reason == "bounce"
    holder = person_at(desk.at.db, "jeanne@wa.test")
    assert holder is not None and [one.state for one in holder.addresses] == ["good"]


def test_the_same_letter_over_another_way_is_set_aside(desk: Desk) -> None:
    raw = desk.at.reply("WA", ORDERS, message_id="<once@wa.test>")
    assert desk.hears(raw).state == "applied"
    before = letters(desk)
    again = desk.hears(b"Received: by another way\r\n" + raw)
    assert (again.state, again.reason, letters(desk)) == ("set-aside", "copy", before)


def test_a_letter_is_heard_once_however_often_it_is_rung_for(desk: Desk) -> None:
    number = desk.at.arrives(desk.at.reply("WA", ORDERS))
    desk.has_heard(number)
    before = letters(desk)
    assert desk.has_heard(number).state == "applied"
    assert letters(desk) == before and desk.rung == frozenset()


def test_without_a_single_readable_from_nobody_is_answered(desk: Desk) -> None:
    before = letters(desk)
    found = desk.says("WA", ORDERS, sender="jeanne@wa.test, max@de.test")
    assert (found.state, found.reason, letters(desk)) == ("set-aside", "no-sender", before)


# ------------------------------------------------------------------ where it belongs


def test_the_reply_address_says_seat_and_window(desk: Desk) -> None:
    found = desk.says("WA", "C1: ATTACK 2", in_reply_to="", subject="hello")
    assert (found.state, found.campaign, found.seat) == ("applied", "FWW-1", "WA")
    assert sheets(desk) == {"WA": "C1: ATTACK 2"}


def test_where_the_plus_part_is_dropped_the_message_id_says_the_same(desk: Desk) -> None:
    found = desk.says("WA", "C1: ATTACK 2", recipient=MAILBOX)
    assert (found.state, found.seat) == ("applied", "WA")
    assert found.proof == {"token": True, "sender": True, "dkim": "none"}


def test_without_either_the_writer_is_known_by_his_seat_and_must_confirm(desk: Desk) -> None:
    found = desk.says("WA", ORDERS, recipient=MAILBOX, in_reply_to="", subject="orders for fww-1")
    assert (found.state, found.reason, found.seat) == ("held", "held", "WA")
    assert sheets(desk) == {}
    assert "ATTAQUE 3" in words(desk.last("WA", "question")) and "CONFIRME" in words(desk.last("WA"))


def test_what_is_only_asked_for_is_told_to_the_registered_address(desk: Desk) -> None:
    found = desk.says("WA", "ETAT", recipient=MAILBOX, in_reply_to="")
    assert (found.state, desk.last("WA").letter.recipient) == ("applied", "jeanne@wa.test")
    assert desk.last("WA").letter.kind == "answer"


def test_a_linked_address_is_as_good_as_the_registered_one(desk: Desk) -> None:
    holder = person_at(desk.at.db, "jeanne@wa.test")
    assert holder is not None
    link_address(desk.at.db, holder.id, "jeanne@office.test", desk.at.clock())
    assert desk.says("WA", ORDERS, sender="jeanne@office.test").state == "applied"
    assert desk.last("WA").letter.recipient == "jeanne@wa.test"


def test_umpires_and_observers_have_their_roles(desk: Desk) -> None:
    assert desk.hears(mail("STATUS", sender=OBSERVER)).state == "applied"
    assert "FWW-1" in newest_to(desk, OBSERVER)
    refused = desk.hears(mail("HOLD", sender=OBSERVER))
    assert (refused.state, refused.seat) == ("refused", None)
    held = desk.hears(mail("HOLD because of rain", sender=UMPIRE))
    assert (held.state, held.reason) == ("held", "serious")


def test_an_umpire_with_a_forwarded_letter_speaks_for_himself(desk: Desk) -> None:
    found = desk.says("WA", "STATUS", sender=UMPIRE)
    assert (found.state, found.seat, found.campaign) == ("applied", None, "FWW-1")


def test_orders_for_a_seat_that_nobody_holds_any_more_are_refused(desk: Desk) -> None:
    raw = desk.at.reply("WA", ORDERS)
    desk.at.clock.passes(minutes=1)
    give_seat(desk.at.db, "FWW-1", "WA", None, desk.at.clock())
    assert desk.hears(raw).state == "refused" and sheets(desk) == {}


# ------------------------------------------------------------------ another seat's token


def token_of(desk: Desk, seat: str) -> str:
    one = next(one for one in seated(desk.at.db, "FWW-1") if one.seat == seat)
    window = desk.last(seat, "result").letter.window
    assert window is not None
    return desk.at.service.addresses.reply_address("FWW-1", seat, one.holder, window)


def test_a_letter_from_another_seat_is_refused_and_the_token_replaced(desk: Desk) -> None:
    leaked, old = token_of(desk, "WA"), desk.at.reply("WA", ORDERS)
    desk.at.clock.passes(minutes=1)
    found = desk.says("DE", ORDERS, recipient=leaked, in_reply_to="")
    assert (found.state, found.reason) == ("refused", "another-seat")
    assert sheets(desk) == {} and token_of(desk, "WA") != leaked
    assert "another seat" not in words(desk.last("WA")) and desk.last("WA").letter.kind == "notice"
    assert "another seat" in words(desk.last("DE", "answer"))
    assert "carried the reply address of the Western Allies" in newest_to(desk, UMPIRE)
    assert desk.hears(old).state == "held"  # the old token proves nothing any more
    fresh = desk.last("WA", "notice")
    assert desk.says("WA", ORDERS, to=fresh).state == "applied"


def test_it_cannot_be_confirmed_by_anybody(desk: Desk) -> None:
    desk.says("DE", ORDERS, recipient=token_of(desk, "WA"), in_reply_to="")
    for seat in ("WA", "DE"):
        found = desk.says(seat, "CONFIRM", to=desk.last(seat))
        assert found.state == "applied" and sheets(desk) == {}


def test_a_message_id_of_another_seat_is_a_leaked_token_too(desk: Desk) -> None:
    answered = desk.last("WA", "result").letter.message_id
    found = desk.says("DE", ORDERS, recipient=MAILBOX, in_reply_to=answered)
    assert (found.state, found.reason) == ("refused", "another-seat")


def test_a_dead_token_of_another_seat_is_refused_without_more(desk: Desk) -> None:
    leaked = token_of(desk, "WA")
    desk.says("DE", ORDERS, recipient=leaked, in_reply_to="")
    now = token_of(desk, "WA")
    again = desk.says("DE", ORDERS, recipient=leaked, in_reply_to="")
    assert (again.state, token_of(desk, "WA")) == ("refused", now)


def test_a_former_holder_proves_nothing(desk: Desk) -> None:
    raw, umpire = desk.at.reply("WA", ORDERS), person_at(desk.at.db, OBSERVER)
    assert umpire is not None
    desk.at.clock.passes(minutes=1)
    give_seat(desk.at.db, "FWW-1", "WA", umpire.id, desk.at.clock())
    found = desk.hears(raw)
    assert (found.state, found.seat, sheets(desk)) == ("refused", None, {})
    assert number_to(desk, OBSERVER) == 0  # the seat's new holder hears nothing of it


def test_a_copy_to_another_seats_token_is_a_letter_of_ones_own(desk: Desk) -> None:
    own, other = token_of(desk, "DE"), token_of(desk, "WA")
    found = desk.says("DE", ORDERS, recipient=other, cc=[own], in_reply_to="", delivered_to=other)
    assert (found.state, found.seat, list(sheets(desk))) == ("applied", "DE", ["DE"])
    assert "also went to the reply address of another seat (Western Allies)" in words(desk.last("DE"))


# ------------------------------------------------------------------ proof


def test_an_unknown_address_with_the_token_is_held_for_the_holder(desk: Desk) -> None:
    before = letters(desk)
    found = desk.says("WA", ORDERS, sender=STRANGER)
    assert (found.state, found.reason, sheets(desk)) == ("held", "held", {})
    assert desk.last("WA").letter.recipient == "jeanne@wa.test" and letters(desk) == before + 1


def test_once_signed_all_must_be_signed(desk: Desk) -> None:
    signed_letter_from(desk.at.db, "jeanne@wa.test", desk.at.clock())
    assert desk.says("WA", ORDERS).state == "held"
    assert sheets(desk) == {}


def test_once_one_address_has_signed_all_of_a_seat_must(desk: Desk) -> None:
    """Whoever forges a letter takes the address that never signs."""
    who = person_at(desk.at.db, "jeanne@wa.test")
    assert who is not None
    link_address(desk.at.db, who.id, "jeanne@office.test", desk.at.clock())
    assert desk.says("WA", ORDERS, sender="jeanne@office.test").state == "applied"
    signed_letter_from(desk.at.db, "jeanne@wa.test", desk.at.clock())
    desk.at.clock.passes(minutes=1)
    assert desk.says("WA", "PRET", sender="jeanne@office.test").state == "held"
    assert read_orders(desk.at.db, desk.at.name).seats["WA"].stance is None


def test_the_operator_knows_a_way_back_for_one_whose_provider_stopped_signing(desk: Desk) -> None:
    who = person_at(desk.at.db, "jeanne@wa.test")
    assert who is not None
    signed_letter_from(desk.at.db, "jeanne@wa.test", desk.at.clock())
    assert desk.says("WA", ORDERS).state == "held"
    ask_for_no_signature(desk.at.db, who.id)
    desk.at.clock.passes(minutes=1)
    assert desk.says("WA", ORDERS).state == "applied" and sheets(desk) != {}


@pytest.mark.parametrize(
    ("proof", "given"),
    [
        (Proof(), ""),
        (Proof(token=True), ""),
        (Proof(sender=True), ""),
        (Proof(token=True, sender=True), "token pinned"),
        (Proof(token=True, sender=True, pinned=True), "token"),
        (Proof(token=True, sender=True, pinned=True, signature="pass"), "token pinned dkim"),
        (Proof(token=False, sender=True, signature="pass"), ""),
        (Proof(token=True, sender=True, pinned=True, signature="fail"), "token"),
    ],
)
def test_what_each_policy_asks_for(proof: Proof, given: str) -> None:
    policies: tuple[dkim.Proof, ...] = ("token", "pinned", "dkim")
    assert " ".join(one for one in policies if proof.is_given(one)) == given


# ------------------------------------------------------------------ copies to others


def test_a_copy_to_another_seat_is_answered_with_a_warning(desk: Desk) -> None:
    assert desk.says("DE", ORDERS, cc=["jeanne@wa.test"]).state == "applied"
    known = words(desk.last("DE"))
    assert "also went to others than us" in known and "Western" not in known.partition("also went")[2][:200]
    desk.at.clock.passes(minutes=1)
    assert desk.says("DE", ORDERS, cc=["nobody@elsewhere.test"]).state == "applied"
    assert "also went to others than us" in words(desk.last("DE"))  # whose address it is, is not told
    desk.at.clock.passes(minutes=1)
    assert desk.says("DE", ORDERS).state == "applied"
    assert "also went" not in words(desk.last("DE"))


# ------------------------------------------------------------------ strangers


@pytest.mark.parametrize("text", ["Hello, cheap watches!", "READY", "STATUS", ORDERS, "CONFIRM", "", "STOP"])
def test_other_mail_of_strangers_gets_no_answer(desk: Desk, text: str) -> None:
    found = desk.hears(mail(text, sender=STRANGER))
    assert (found.state, found.reason, number_to(desk, STRANGER)) == ("set-aside", "stranger", 0)


def test_a_strangers_help_is_answered_once_a_day(desk: Desk) -> None:
    assert desk.hears(mail("HELP", sender=STRANGER)).state == "applied"
    assert desk.hears(mail("HELP", sender=STRANGER)).reason == "stranger-again"
    assert number_to(desk, STRANGER) == 1
    assert desk.hears(mail("LIST", sender=STRANGER)).state == "applied"
    desk.at.clock.passes(hours=25)
    assert desk.hears(mail("HELP", sender=STRANGER)).state == "applied"
    assert number_to(desk, STRANGER) == 3


def test_a_command_may_stand_in_the_subject_of_an_empty_letter(desk: Desk) -> None:
    assert desk.hears(mail("", sender=STRANGER, subject="HELP")).state == "applied"
    assert desk.hears(mail("", sender=STRANGER, subject="Re: HELP")).state == "set-aside"
    assert number_to(desk, STRANGER) == 1


# ------------------------------------------------------------------ too many


def test_above_a_few_letters_an_hour_receipts_are_gathered(desk: Desk) -> None:
    for number in range(10):
        desk.at.clock.passes(minutes=1)
        assert desk.says("DE", f"ORDERS FWW-1 T1.R\nC1: ATTACK {number % 4 + 1}\nEND").state == "applied"
    receipts = desk.at.letters("DE", "receipt")
    waiting = [one for one in receipts if one.state == "waiting"]
    assert len(receipts) == 10 and len(waiting) == 7  # six at once, and one that tells of the last
    assert "C1: ATTACK 2" in words(waiting[0])
