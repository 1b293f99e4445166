"""The checks that every letter passes, and how each of them may end its way."""

from __future__ import annotations

import pytest

from pbem.intake.checks import CHECKS, FIRST
from pbem.settings import ProofPolicy
from pbem.store.outbox import letters_to
from pbem.store.people import (
    drop_signature_requirement,
    give_seat,
    link_address,
    person_at,
    require_signature,
    seated,
)
from pbem.store.windows import read_orders
from pbem.verbs.context import Proof
from tests.campaigns_at_hand import MAILBOX, OBSERVER, UMPIRE, mail
from tests.intake.conftest import Intake, newest_to, number_to, words

ORDERS = "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nEND"
STRANGER, DAEMON = "nobody@elsewhere.test", "MAILER-DAEMON@far.test"


def sheets(intake: Intake) -> dict[str, str]:
    filed = read_orders(intake.at.db, intake.at.name).seats
    return {seat: told.sheet.orders for seat, told in filed.items() if told.sheet is not None}


def letters(intake: Intake) -> int:
    return len(letters_to(intake.at.db, intake.at.name))


def test_the_chain_reads_like_a_list() -> None:
    assert [check.__name__ for check in (*FIRST, *CHECKS)] == [
        "set_automatic_mail_aside",
        "enroll_house_umpires",
        "verify_signature",
        "identify_writer",
        "find_place",
        "refuse_other_seats_token",
        "assign_roles",
        "require_sender_or_token",
        "weigh_proof",
        "note_copies",
        "address_answer",
    ]


# ------------------------------------------------------------------ the mail itself


def test_what_cannot_be_opened_safely_is_quarantined_and_the_umpire_told(intake: Intake) -> None:
    found = intake.receives(b"Content-Type: multipart/mixed\r\nFrom: a@b.test\r\n\r\nno parts\r\n")
    assert found.state == "quarantined"
    assert "could not be opened safely (broken-multipart)" in newest_to(intake, UMPIRE)


def test_whoever_wrote_what_cannot_be_opened_is_told(intake: Intake) -> None:
    raw = intake.at.reply("WA", "STATUS") + b"x" * (5 << 20)
    assert intake.receives(raw).state == "quarantined"
    told = newest_to(intake, intake.at.addresses["WA"])
    assert "elle n’a pas été lue" in told and "L’arbitre l’a" in told
    strange = mail("STATUS", sender="sam@nowhere.test") + b"x" * (5 << 20)
    assert intake.receives(strange).state == "quarantined" and number_to(intake, "sam@nowhere.test") == 0


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"Auto-Submitted": "auto-replied"}, "auto-reply"),
        ({"Precedence": "list"}, "list"),
        ({"X-Autoreply": "yes"}, "auto-reply"),
    ],
)
def test_automatic_mail_is_set_aside_and_never_answered(
    intake: Intake, headers: dict[str, str], reason: str
) -> None:
    before = letters(intake)
    found = intake.says("WA", "READY", headers=headers)
    assert (found.state, found.reason, letters(intake)) == ("set-aside", reason, before)
    assert intake.to_adjudicate == frozenset()


def test_our_own_letter_come_back_is_set_aside(intake: Intake) -> None:
    found = intake.receives(mail("READY", sender=MAILBOX))
    assert (found.state, found.reason) == ("set-aside", "own")


def test_a_bounce_marks_the_address_and_tells_the_umpire_once(intake: Intake) -> None:
    lost = intake.last("WA")
    back = intake.at.service.addresses.envelope_sender(lost.letter.message_id)
    report = {"Return-Path": "<>"}
    for _ in range(2):
        found = intake.receives(
            mail("gone", sender=DAEMON, recipient=back, subject="Undeliverable", headers=report)
        )
        assert (found.state, found.reason) == ("set-aside", "bounce")
    holder = person_at(intake.at.db, "jeanne@wa.test")
    assert holder is not None and [one.state for one in holder.addresses] == ["bouncing"]
    assert "come back" in newest_to(intake, UMPIRE)
    notices = [one for one in letters_to(intake.at.db, intake.at.name) if one.letter.kind == "notice"]
    assert len(notices) == 1
    intake.says("WA", "READY")  # a letter from the address makes it good again
    holder = person_at(intake.at.db, "jeanne@wa.test")
    assert holder is not None and [one.state for one in holder.addresses] == ["good"]


def test_a_bounce_that_names_no_letter_of_ours_marks_nobody(intake: Intake) -> None:
    raw = mail("to jeanne@wa.test", sender=DAEMON, subject="Undeliverable", headers={"Return-Path": "<>"})
    assert intake.receives(raw).reason == "bounce"
    holder = person_at(intake.at.db, "jeanne@wa.test")
    assert holder is not None and [one.state for one in holder.addresses] == ["good"]


def test_the_same_letter_over_another_way_is_set_aside(intake: Intake) -> None:
    raw = intake.at.reply("WA", ORDERS, message_id="<once@wa.test>")
    assert intake.receives(raw).state == "applied"
    before = letters(intake)
    again = intake.receives(b"Received: by another way\r\n" + raw)
    assert (again.state, again.reason, letters(intake)) == ("set-aside", "copy", before)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        (ORDERS, ("applied", "filed")),
        ("STATUS", ("applied", "answered")),
        ("ORDERS FWW-1 T1.R\nC1: ATTACK 99\nEND", ("refused", "bad-lines")),
        ("Dear umpire, what a fine day.", ("held", "doubt")),
        ("CONFIRM", ("applied", "answered")),
        ("RESIGN", ("held", "serious")),
        ("ORDERS FWW-1 T9.R\nC1: ATTACK 3\nEND", ("held", "doubt")),
        ("HOLD because of rain", ("refused", "not-understood")),
    ],
)
def test_whatever_became_of_a_letter_its_copy_is_not_answered(
    intake: Intake, text: str, ends: tuple[str, str]
) -> None:
    raw = intake.at.reply("WA", text, message_id="<once@wa.test>")
    found = intake.receives(raw)
    assert (found.state, found.reason) == ends
    before, filed = letters(intake), sheets(intake)
    again = intake.receives(b"Received: by another way\r\n" + raw)
    assert (again.state, again.reason, letters(intake), sheets(intake)) == (
        "set-aside",
        "copy",
        before,
        filed,
    )


def test_a_letter_is_processed_once_however_often_it_is_enqueued(intake: Intake) -> None:
    number = intake.at.arrives(intake.at.reply("WA", ORDERS))
    intake.processes(number)
    before = letters(intake)
    assert intake.processes(number).state == "applied"
    assert letters(intake) == before and intake.to_adjudicate == frozenset()


def test_without_a_single_readable_from_nobody_is_answered(intake: Intake) -> None:
    """Only the holder of a reply address is asked, who has nothing to do with what From says."""
    before, two = letters(intake), "jeanne@wa.test, max@de.test"
    found = intake.says("WA", ORDERS, sender=two, recipient=MAILBOX, in_reply_to="")
    assert (found.state, found.reason, letters(intake)) == ("set-aside", "no-sender", before)
    found = intake.says("WA", ORDERS, sender=two)
    assert (found.state, intake.last("WA").letter.recipient) == ("held", "jeanne@wa.test")
    assert sheets(intake) == {} and letters(intake) == before + 1


# ------------------------------------------------------------------ where it belongs


def test_the_reply_address_says_seat_and_window(intake: Intake) -> None:
    found = intake.says("WA", "C1: ATTACK 2", in_reply_to="", subject="hello")
    assert (found.state, found.campaign, found.seat) == ("applied", "FWW-1", "WA")
    assert sheets(intake) == {"WA": "C1: ATTACK 2"}


def test_where_the_plus_part_is_dropped_the_message_id_says_the_same(intake: Intake) -> None:
    found = intake.says("WA", "C1: ATTACK 2", recipient=MAILBOX)
    assert (found.state, found.seat) == ("applied", "WA")
    assert found.proof == {"token": True, "sender": True, "dkim": "none", "read": found.proof["read"]}


def test_without_either_the_writer_is_known_by_his_seat_and_must_confirm(intake: Intake) -> None:
    found = intake.says("WA", ORDERS, recipient=MAILBOX, in_reply_to="", subject="orders for fww-1")
    assert (found.state, found.reason, found.seat) == ("held", "held", "WA")
    assert sheets(intake) == {}
    assert "ATTAQUE 3" in words(intake.last("WA", "question")) and "CONFIRME" in words(intake.last("WA"))


def test_what_is_only_asked_for_is_told_to_the_registered_address(intake: Intake) -> None:
    found = intake.says("WA", "ETAT", recipient=MAILBOX, in_reply_to="")
    assert (found.state, intake.last("WA").letter.recipient) == ("applied", "jeanne@wa.test")
    assert intake.last("WA").letter.kind == "answer"


def test_a_linked_address_is_as_good_as_the_registered_one(intake: Intake) -> None:
    holder = person_at(intake.at.db, "jeanne@wa.test")
    assert holder is not None
    link_address(intake.at.db, holder.id, "jeanne@office.test", intake.at.clock())
    assert intake.says("WA", ORDERS, sender="jeanne@office.test").state == "applied"
    assert intake.last("WA").letter.recipient == "jeanne@wa.test"


def test_umpires_and_observers_have_their_roles(intake: Intake) -> None:
    assert intake.receives(mail("STATUS", sender=OBSERVER)).state == "applied"
    assert "FWW-1" in newest_to(intake, OBSERVER)
    refused = intake.receives(mail("HOLD", sender=OBSERVER))
    assert (refused.state, refused.seat) == ("refused", None)
    held = intake.receives(mail("HOLD because of rain", sender=UMPIRE))
    assert (held.state, held.reason) == ("held", "serious")


def test_an_umpire_with_a_forwarded_letter_speaks_for_himself(intake: Intake) -> None:
    found = intake.says("WA", "STATUS", sender=UMPIRE)
    assert (found.state, found.seat, found.campaign) == ("applied", None, "FWW-1")


def test_orders_for_a_seat_that_nobody_holds_any_more_are_refused(intake: Intake) -> None:
    raw = intake.at.reply("WA", ORDERS)
    intake.at.clock.passes(minutes=1)
    give_seat(intake.at.db, "FWW-1", "WA", None, intake.at.clock())
    assert intake.receives(raw).state == "refused" and sheets(intake) == {}


# ------------------------------------------------------------------ another seat's token


def token_of(intake: Intake, seat: str) -> str:
    one = next(one for one in seated(intake.at.db, "FWW-1") if one.seat == seat)
    window = intake.last(seat, "result").letter.window
    assert window is not None
    return intake.at.service.addresses.reply_address("FWW-1", seat, one.holder, window)


def test_a_letter_from_another_seat_is_refused_and_the_token_replaced(intake: Intake) -> None:
    leaked, old = token_of(intake, "WA"), intake.at.reply("WA", ORDERS)
    intake.at.clock.passes(minutes=1)
    found = intake.says("DE", ORDERS, recipient=leaked, in_reply_to="")
    assert (found.state, found.reason) == ("refused", "another-seat")
    assert sheets(intake) == {} and token_of(intake, "WA") != leaked
    assert "another seat" not in words(intake.last("WA")) and intake.last("WA").letter.kind == "notice"
    assert "another seat" in words(intake.last("DE", "answer"))
    assert "carried the reply address of the Western Allies" in newest_to(intake, UMPIRE)
    assert intake.receives(old).state == "held"  # the old token proves nothing any more
    fresh = intake.last("WA", "notice")
    assert intake.says("WA", ORDERS, to=fresh).state == "applied"


def test_it_cannot_be_confirmed_by_anybody(intake: Intake) -> None:
    intake.says("DE", ORDERS, recipient=token_of(intake, "WA"), in_reply_to="")
    for seat in ("WA", "DE"):
        found = intake.says(seat, "CONFIRM", to=intake.last(seat))
        assert found.state == "applied" and sheets(intake) == {}


def test_a_message_id_of_another_seat_is_a_leaked_token_too(intake: Intake) -> None:
    answered = intake.last("WA", "result").letter.message_id
    found = intake.says("DE", ORDERS, recipient=MAILBOX, in_reply_to=answered)
    assert (found.state, found.reason) == ("refused", "another-seat")


def test_a_dead_token_of_another_seat_is_refused_without_more(intake: Intake) -> None:
    leaked = token_of(intake, "WA")
    intake.says("DE", ORDERS, recipient=leaked, in_reply_to="")
    now = token_of(intake, "WA")
    again = intake.says("DE", ORDERS, recipient=leaked, in_reply_to="")
    assert (again.state, token_of(intake, "WA")) == ("refused", now)


def test_a_former_holder_proves_nothing(intake: Intake) -> None:
    raw, umpire = intake.at.reply("WA", ORDERS), person_at(intake.at.db, OBSERVER)
    assert umpire is not None
    intake.at.clock.passes(minutes=1)
    give_seat(intake.at.db, "FWW-1", "WA", umpire.id, intake.at.clock())
    found = intake.receives(raw)
    assert (found.state, found.seat, sheets(intake)) == ("refused", None, {})
    assert number_to(intake, OBSERVER) == 0  # the seat's new holder gets nothing of it


def test_a_copy_to_another_seats_token_is_a_letter_of_ones_own(intake: Intake) -> None:
    own, other = token_of(intake, "DE"), token_of(intake, "WA")
    found = intake.says("DE", ORDERS, recipient=other, cc=[own], in_reply_to="", delivered_to=other)
    assert (found.state, found.seat, list(sheets(intake))) == ("applied", "DE", ["DE"])
    assert "also went to the reply address of another seat (Western Allies)" in words(intake.last("DE"))


# ------------------------------------------------------------------ proof


def test_an_unknown_address_with_the_token_is_held_for_the_holder(intake: Intake) -> None:
    before = letters(intake)
    found = intake.says("WA", ORDERS, sender=STRANGER)
    assert (found.state, found.reason, sheets(intake)) == ("held", "held", {})
    assert intake.last("WA").letter.recipient == "jeanne@wa.test" and letters(intake) == before + 1


def test_once_signed_all_must_be_signed(intake: Intake) -> None:
    require_signature(intake.at.db, "jeanne@wa.test", intake.at.clock())
    assert intake.says("WA", ORDERS).state == "held"
    assert sheets(intake) == {}


def test_once_one_address_has_signed_all_of_a_seat_must(intake: Intake) -> None:
    """Whoever forges a letter takes the address that never signs."""
    who = person_at(intake.at.db, "jeanne@wa.test")
    assert who is not None
    link_address(intake.at.db, who.id, "jeanne@office.test", intake.at.clock())
    assert intake.says("WA", ORDERS, sender="jeanne@office.test").state == "applied"
    require_signature(intake.at.db, "jeanne@wa.test", intake.at.clock())
    intake.at.clock.passes(minutes=1)
    assert intake.says("WA", "PRET", sender="jeanne@office.test").state == "held"
    assert read_orders(intake.at.db, intake.at.name).seats["WA"].stance is None


def test_the_operator_knows_a_way_back_for_one_whose_provider_stopped_signing(intake: Intake) -> None:
    who = person_at(intake.at.db, "jeanne@wa.test")
    assert who is not None
    require_signature(intake.at.db, "jeanne@wa.test", intake.at.clock())
    assert intake.says("WA", ORDERS).state == "held"
    drop_signature_requirement(intake.at.db, who.id)
    intake.at.clock.passes(minutes=1)
    assert intake.says("WA", ORDERS).state == "applied" and sheets(intake) != {}


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
    policies: tuple[ProofPolicy, ...] = ("token", "pinned", "dkim")
    assert " ".join(one for one in policies if proof.is_given(one)) == given


# ------------------------------------------------------------------ copies to others


def test_a_copy_to_another_seat_is_answered_with_a_warning(intake: Intake) -> None:
    assert intake.says("DE", ORDERS, cc=["jeanne@wa.test"]).state == "applied"
    known = words(intake.last("DE"))
    assert "also went to other people" in known and "Western" not in known.partition("also went")[2][:200]
    intake.at.clock.passes(minutes=1)
    assert intake.says("DE", ORDERS, cc=["nobody@elsewhere.test"]).state == "applied"
    assert "also went to other people" in words(intake.last("DE"))  # whose address it is, is not told
    intake.at.clock.passes(minutes=1)
    assert intake.says("DE", ORDERS).state == "applied"
    assert "also went" not in words(intake.last("DE"))


# ------------------------------------------------------------------ strangers


@pytest.mark.parametrize("text", ["Hello, cheap watches!", "READY", "STATUS", ORDERS, "CONFIRM", "", "STOP"])
def test_other_mail_of_strangers_gets_no_answer(intake: Intake, text: str) -> None:
    found = intake.receives(mail(text, sender=STRANGER))
    assert (found.state, found.reason, number_to(intake, STRANGER)) == ("set-aside", "stranger", 0)


def test_a_strangers_help_is_answered_once_a_day(intake: Intake) -> None:
    assert intake.receives(mail("HELP", sender=STRANGER)).state == "applied"
    assert intake.receives(mail("HELP", sender=STRANGER)).reason == "stranger-again"
    assert number_to(intake, STRANGER) == 1
    assert intake.receives(mail("LIST", sender=STRANGER)).state == "applied"
    intake.at.clock.passes(hours=25)
    assert intake.receives(mail("HELP", sender=STRANGER)).state == "applied"
    assert number_to(intake, STRANGER) == 3


def test_a_command_may_stand_in_the_subject_of_an_empty_letter(intake: Intake) -> None:
    assert intake.receives(mail("", sender=STRANGER, subject="HELP")).state == "applied"
    assert intake.receives(mail("", sender=STRANGER, subject="Re: HELP")).state == "set-aside"
    assert number_to(intake, STRANGER) == 1


# ------------------------------------------------------------------ too many


def test_above_a_few_letters_an_hour_receipts_are_gathered(intake: Intake) -> None:
    for number in range(10):
        intake.at.clock.passes(minutes=1)
        assert intake.says("DE", f"ORDERS FWW-1 T1.R\nC1: ATTACK {number % 4 + 1}\nEND").state == "applied"
    receipts = intake.at.letters("DE", "receipt")
    waiting = [one for one in receipts if one.state == "waiting"]
    assert len(receipts) == 10 and len(waiting) == 7  # six at once, and one that tells of the last
    assert "C1: ATTACK 2" in words(waiting[0])
