"""Inbox and outbox: nothing lost, nothing twice."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.exc import StatementError

from pbem.store.copies import check_under_lock
from pbem.store.deadlines import find_stuck_work
from pbem.store.inbox import (
    BEGINNING,
    LETTER_LEASE,
    REQUEUED,
    WAITS_FOR_RULES,
    ArrivedMail,
    Belongs,
    Settled,
    Sighting,
    claim_letter,
    claim_new_letters,
    due_letters,
    erase_bytes,
    erase_old_letters,
    erase_stray_letters,
    letter,
    letters_on_server,
    letters_settled_to,
    mailboxes_read_to,
    mark_moved,
    mark_read_to,
    postpone_letter,
    release_letter,
    requeue_letter,
    resettle_letter,
    settle_letter,
    store_letter,
    store_letters,
)
from pbem.store.leases import MOST_RETURNS
from pbem.store.outbox import (
    SEND_LEASE,
    ConfirmQuestion,
    NumberTaken,
    OutgoingMail,
    claim_outgoing,
    letters_to,
    mark_failed,
    mark_for_retry,
    mark_sent,
    next_number,
    open_question,
    outcome_of_question,
    posted,
    put_in_outbox,
    resend,
    settle_question,
    store_question,
    withdraw_reminders,
)
from pbem.store.people import give_seat
from pbem.store.schema_mail import inbox, letter_rests
from pbem.store.session import writing
from tests.store.play import NAME, NOW, found_toy

MINUTE = timedelta(minutes=1)
RAW = b"From: a@test\r\n\r\n\x00\xff ORDERS"


def seen(uid: int, uidvalidity: int = 1, mailbox: str = "INBOX") -> Sighting:
    return Sighting(mailbox, uidvalidity, uid)


def received(store: Engine, uid: int = 1, raw: bytes = RAW) -> int:
    return store_letter(store, seen(uid), raw, NOW - MINUTE, NOW).id


# ------------------------------------------------------------------ inbox


def test_a_message_is_taken_in_once(store: Engine) -> None:
    first = store_letter(store, seen(7), RAW, NOW, NOW)
    assert first.new
    again = store_letter(store, seen(7), RAW, NOW, NOW + MINUTE)
    assert (first.id, False) == (again.id, again.new)
    anew = store_letter(store, seen(1, uidvalidity=2), RAW, NOW, NOW + MINUTE)  # the mailbox was made anew
    assert (first.id, False) == (anew.id, anew.new)
    other = store_letter(store, seen(8), RAW + b"!", NOW, NOW)
    assert other.new and other.id != first.id
    kept = letter(store, first.id)
    assert kept is not None and (RAW, NOW, "received") == (kept.raw, kept.taken_in, kept.state)


def test_messages_that_lie_together_are_taken_in_together(store: Engine) -> None:
    known = received(store, 1)
    large = RAW.ljust(3 * BEGINNING, b"x")
    raws = [RAW, b"new", large, b"new"]  # one known, one twice
    messages = [ArrivedMail(seen(uid), raw, NOW) for uid, raw in enumerate(raws, 2)]
    first, second, third, again = store_letters(store, messages, NOW)
    assert (known, False, True, True, False) == (first.id, first.new, second.new, third.new, again.new)
    assert again.id == second.id and [] == store_letters(store, [], NOW)
    kept = [letter(store, one.id) for one in (second, third)]
    assert [b"new", large] == [one.raw for one in kept if one is not None]
    assert [1, 2, 3, 4, 5] == [uid for uid, _ in letters_on_server(store, "INBOX", 1)]
    unzoned = ArrivedMail(seen(9), b"bad", NOW.replace(tzinfo=None))
    with pytest.raises(StatementError, match="no time zone"):
        store_letters(store, [ArrivedMail(seen(8), b"other", NOW), unzoned], NOW)  # all, or none
    assert 8 not in dict(letters_on_server(store, "INBOX", 1))


LARGE = RAW + b"a large picture".ljust(3 * BEGINNING, b"x")


@pytest.mark.parametrize("raw", [RAW.ljust(BEGINNING), RAW.ljust(BEGINNING + 1), LARGE])
def test_a_large_letter_is_kept_whole(store: Engine, raw: bytes) -> None:
    number = received(store, raw=raw)
    assert (number, False) == (received(store, 2, raw), store_letter(store, seen(3), raw, NOW, NOW).new)
    claimed, kept = claim_letter(store, number, "one", NOW), letter(store, number)
    assert claimed is not None and kept is not None and raw == claimed.raw == kept.raw


def test_a_large_letter_is_erased_whole(store: Engine) -> None:
    found_toy(store)
    numbers = [received(store, uid, LARGE + bytes([uid])) for uid in range(3)]
    settle_letter(store, numbers[0], "applied", "", NOW, Belongs(campaign=NAME))
    settle_letter(store, numbers[1], "refused", "stranger", NOW)
    assert 1 == erase_old_letters(store, NAME, NOW) == erase_stray_letters(store, NOW)
    erase_bytes(store, numbers[2])
    with writing(store) as tx:
        assert [] == list(tx.execute(select(letter_rests)))
        assert [None] * 3 == list(tx.execute(select(inbox.c.raw)).scalars())


def test_what_lies_on_the_server_still_is_known(store: Engine) -> None:
    number = received(store, 3)
    store_letter(store, seen(4), RAW + b"2", NOW, NOW)
    settle_letter(store, number, "quarantined", "mime", NOW)
    assert [(3, "quarantined"), (4, "received")] == letters_on_server(store, "INBOX", 1)
    mark_moved(store, "INBOX", 1, [3])
    assert [(4, "received")] == letters_on_server(store, "INBOX", 1)


def test_up_to_when_the_inbox_was_read(store: Engine) -> None:
    assert mailboxes_read_to(store) is None
    mark_read_to(store, "INBOX", 1, NOW)
    mark_read_to(store, "INBOX", 1, NOW - MINUTE)  # a slower reading that began earlier
    assert NOW == mailboxes_read_to(store)
    mark_read_to(store, "Junk", 1, NOW - 9 * MINUTE)
    assert NOW - 9 * MINUTE == mailboxes_read_to(store)


def test_a_letter_is_for_one_worker_until_its_lease_ends(store: Engine) -> None:
    number = received(store)
    claimed = claim_letter(store, number, "one", NOW)
    assert claimed is not None and (1, RAW) == (claimed.tries, claimed.raw)
    assert claim_letter(store, number, "two", NOW) is None
    assert [] == due_letters(store, NOW)
    after = NOW + LETTER_LEASE
    assert [number] == due_letters(store, after) == list(find_stuck_work(store, after).letters)
    again = claim_letter(store, number, "two", after)
    assert again is not None and 2 == again.tries


def test_letters_are_claimed_together_only_when_nobody_has_tried_them(store: Engine) -> None:
    raws = (RAW, RAW + b"2", RAW + b"3", LARGE)
    tried, taken, fresh, large = (received(store, uid, raw) for uid, raw in enumerate(raws, 1))
    claim_letter(store, tried, "dead", NOW)
    give_up = NOW + LETTER_LEASE
    assert claim_letter(store, taken, "other", give_up) is not None
    all_four = (tried, taken, fresh, large)
    found = {one.id: one for one in claim_new_letters(store, all_four, "one", give_up)}
    assert {fresh, large} == set(found) and {1} == {one.tries for one in found.values()}
    assert LARGE == found[large].raw
    assert [] == claim_new_letters(store, all_four, "two", give_up)
    assert [tried] == due_letters(store, give_up)
    release_letter(store, fresh, "one", give_up, "")
    (again,) = claim_new_letters(store, all_four, "two", give_up)
    assert (fresh, 1) == (again.id, again.tries)


def test_a_letter_is_settled_once(store: Engine) -> None:
    number = received(store)
    belongs = Belongs(sender="a@a.test", message_id="<1@a>", proof={"dkim": "pass"})
    assert settle_letter(store, number, "applied", "", NOW, belongs)
    assert not settle_letter(store, number, "refused", "late", NOW)
    kept = letter(store, number)
    assert kept is not None and ("applied", {"dkim": "pass"}) == (kept.state, kept.proof)
    assert claim_letter(store, number, "one", NOW) is None
    assert (
        check_under_lock(store, 0, belongs, NOW).copy
        and not check_under_lock(store, number, belongs, NOW).copy
    )


def test_a_copy_has_the_same_message_id_or_the_same_signed_text_and_is_not_better_proven(
    store: Engine,
) -> None:
    number = received(store)
    proof = {"token": True, "sender": True, "dkim": "none", "replay": "aa"}
    first = Belongs(sender="a@a.test", message_id="<1@a>", proof=proof)
    assert settle_letter(store, number, "held", "", NOW, first)

    def copy(**changes: Any) -> bool:
        return check_under_lock(store, 0, replace(first, **changes), NOW).copy

    assert copy() and copy(message_id="<2@a>") and copy(proof={})
    assert not copy(sender="b@a.test")
    assert not copy(message_id="<2@a>", proof=proof | {"replay": "bb"})
    assert not copy(proof=proof | {"dkim": "pass"})  # the genuine one; what came first was forged


def test_the_same_signed_text_that_is_read_otherwise_is_no_copy(store: Engine) -> None:
    number = received(store)
    proof = {"token": True, "sender": True, "dkim": "pass", "replay": "aa", "read": "r1"}
    first = Belongs(sender="a@a.test", message_id="<1@a>", proof=proof)
    assert settle_letter(store, number, "quarantined", "", NOW, first)

    def found(**changes: Any) -> tuple[bool, bool]:
        told = check_under_lock(store, 0, replace(first, **changes), NOW)
        return told.copy, told.altered

    otherwise = proof | {"read": "r2"}
    assert found() == (False, False)  # nothing was said of it, and it may be read
    assert found(proof=otherwise) == found(proof=otherwise, message_id="<2@a>") == (False, True)
    assert found(proof=otherwise | {"replay": "bb"}) == (False, False)
    assert settle_letter(store, received(store, 2, RAW + b"!"), "applied", "", NOW, first)
    assert found() == (True, False)
    assert found(proof=otherwise) == (False, True)
    assert found(proof={"dkim": "none", "read": "r2"}) == (False, False)  # another letter of that name


@pytest.mark.parametrize(
    ("state", "reason", "is_copy"),
    [
        ("applied", "filed", True),
        ("held", "doubt", True),
        ("refused", "not-understood", True),
        ("set-aside", "stale", True),
        ("set-aside", "stranger", False),
        ("quarantined", "too-deep", False),
    ],
)
def test_a_letter_is_a_copy_if_the_first_was_answered(
    store: Engine, state: Settled, reason: str, is_copy: bool
) -> None:
    """A program that sends the same words again gives them a new Date: that is another letter."""
    first = Belongs(
        sender="a@a.test", message_id="<1@a>", proof={"dkim": "pass", "replay": "aa", "read": "r1"}
    )
    assert settle_letter(store, received(store), state, reason, NOW, first)
    assert check_under_lock(store, 0, first, NOW).copy is is_copy
    assert check_under_lock(store, 0, replace(first, message_id="<2@a>"), NOW).copy is is_copy


def test_behind_the_lock_the_seats_holder_is_told_with_the_copies(store: Engine, toy: Any) -> None:
    found_toy(store)
    number = received(store)
    first = Belongs(NAME, "NORTH", None, "a@a.test", "<1@a>", {"dkim": "pass"})
    assert (False, False, 0) == check_under_lock(store, number, first, NOW)
    give_seat(store, NAME, "NORTH", None, NOW)
    assert settle_letter(store, number, "applied", "", NOW, first)
    assert (True, False, 1) == check_under_lock(store, 0, first, NOW)
    assert (False, False, 1) == check_under_lock(store, 0, replace(first, message_id=None), NOW)
    assert (False, False, 1) == check_under_lock(store, 0, replace(first, sender=None), NOW)
    assert (False, False, None) == check_under_lock(store, 0, Belongs(), NOW)


def test_a_letter_that_waits_for_its_rules_holds_up_its_own_campaign_alone(store: Engine, toy: Any) -> None:
    found_toy(store)
    number = received(store)
    mark_read_to(store, "INBOX", 1, NOW + 5 * MINUTE)
    assert claim_letter(store, number, "one", NOW) is not None
    arrived = NOW - MINUTE
    assert (
        arrived
        == letters_settled_to(store)
        == letters_settled_to(store, NAME)
        == letters_settled_to(store, "OTHER-1")
    )
    release_letter(store, number, "one", NOW, WAITS_FOR_RULES, NAME)
    assert arrived == letters_settled_to(store, NAME)
    assert NOW + 5 * MINUTE == letters_settled_to(store) == letters_settled_to(store, "OTHER-1")
    kept = letter(store, number)
    assert kept is not None and (NAME, 0) == (kept.campaign, kept.tries)
    postpone_letter(store, number, NOW, "dns")  # who has the rules waits for something else
    assert arrived == letters_settled_to(store, "OTHER-1")


def test_what_was_asked_about_a_letter_that_is_put_back_is_settled(store: Engine) -> None:
    number, other = received(store), received(store, 2, b"other")
    for one in (number, other):
        assert settle_letter(store, one, "held", "serious", NOW)
        store_question(store, ConfirmQuestion(f"<q{one}@us>", "serious", letter=one), NOW)
    assert requeue_letter(store, number, NOW)
    assert open_question(store, f"<q{number}@us>") is None
    assert REQUEUED == outcome_of_question(store, f"<q{number}@us>")
    assert open_question(store, f"<q{other}@us>") is not None
    assert settle_letter(store, number, "applied", "", NOW)
    store_question(store, ConfirmQuestion("<q@us>", "serious", letter=number), NOW)
    assert not requeue_letter(store, number, NOW)
    assert open_question(store, "<q@us>") is not None  # nothing was put back


def test_settling_rolls_back_with_what_it_stands_for(store: Engine) -> None:
    number = received(store)
    with pytest.raises(RuntimeError), writing(store) as tx:
        assert settle_letter(tx, number, "applied", "", NOW)
        raise RuntimeError
    assert [number] == due_letters(store, NOW)


def test_held_letters_are_confirmed_once(store: Engine) -> None:
    number = received(store)
    settle_letter(store, number, "held", "sender", NOW)
    assert resettle_letter(store, number, "held", "applied", "confirmed", NOW)
    assert not resettle_letter(store, number, "held", "applied", "confirmed", NOW)


def test_a_letter_that_must_wait_comes_back(store: Engine) -> None:
    number = received(store)
    claim_letter(store, number, "one", NOW)
    postpone_letter(store, number, NOW + 5 * MINUTE, "dns")
    assert [] == due_letters(store, NOW + MINUTE) and claim_letter(store, number, "two", NOW + MINUTE) is None
    assert [number] == due_letters(store, NOW + 5 * MINUTE)


def test_a_shunted_letter_is_read_again(store: Engine) -> None:
    number = received(store)
    assert not requeue_letter(store, number, NOW)
    settle_letter(store, number, "shunted", "KeyError", NOW)
    assert requeue_letter(store, number, NOW)
    assert [number] == due_letters(store, NOW)


def test_old_letters_are_erased_but_not_taken_in_again(store: Engine, toy: Any) -> None:
    found_toy(store)
    number = received(store)
    settle_letter(store, number, "applied", "", NOW, Belongs(campaign=NAME))
    assert 0 == erase_old_letters(store, NAME, NOW - 9 * MINUTE)
    assert 1 == erase_old_letters(store, NAME, NOW)
    assert letter(store, number) is None
    assert not store_letter(store, seen(9), RAW, NOW, NOW).new
    assert [] == due_letters(store, NOW)


# ------------------------------------------------------------------ outbox


def outgoing(name: int, kind: str = "receipt", **more: Any) -> OutgoingMail:
    return OutgoingMail(
        message_id=f"<{kind}.{name}@test>",
        kind=kind,
        sender="umpire@test",
        recipient="a@test",
        body=b"Subject: x\r\n\r\n\x00",
        **more,
    )


def test_a_letter_is_sent_by_one_poster(store: Engine) -> None:
    (row,) = put_in_outbox(store, [outgoing(1)], NOW)
    assert 1 == find_stuck_work(store, NOW).posts
    (claimed,) = claim_outgoing(store, "one", NOW)
    assert (row, outgoing(1), 1) == (claimed.id, claimed.letter, claimed.attempts)
    assert [] == claim_outgoing(store, "two", NOW)
    assert mark_sent(store, row, NOW) and not mark_sent(store, row, NOW)
    assert [] == claim_outgoing(store, "two", NOW + 9 * SEND_LEASE)
    kept = posted(store, "<receipt.1@test>")
    assert kept is not None and ("sent", NOW) == (kept.state, kept.sent)


def test_a_poster_that_comes_back_goes_on_at_once(store: Engine) -> None:
    put_in_outbox(store, [outgoing(1)], NOW)
    tries = [[one.attempts for one in claim_outgoing(store, "one", NOW)] for _ in range(MOST_RETURNS + 1)]
    assert [[1], [2], [3], [4], []] == tries  # a letter that kills its posters does so slowly
    assert [] == claim_outgoing(store, "two", NOW)
    assert 1 == len(claim_outgoing(store, "one", NOW + SEND_LEASE))


def test_a_poster_that_died_is_replaced_after_its_lease(store: Engine) -> None:
    (row,) = put_in_outbox(store, [outgoing(1)], NOW)
    claim_outgoing(store, "one", NOW)
    (again,) = claim_outgoing(store, "two", NOW + SEND_LEASE)
    assert (row, 2) == (again.id, again.attempts)
    assert not mark_for_retry(store, row, "one", NOW, "too late")  # the claim is another's now
    assert mark_sent(store, row, NOW)  # but what was sent was sent
    assert not mark_failed(store, row, "two", "no such user")


def test_a_letter_not_taken_is_tried_again_later(store: Engine) -> None:
    (row,) = put_in_outbox(store, [outgoing(1)], NOW)
    claim_outgoing(store, "one", NOW)
    assert mark_for_retry(store, row, "one", NOW + MINUTE, "451 " + "x" * 900)
    assert [] == claim_outgoing(store, "one", NOW)
    assert [row] == [one.id for one in claim_outgoing(store, "one", NOW + MINUTE)]
    assert mark_failed(store, row, "one", "550 no such user")
    assert [] == claim_outgoing(store, "one", NOW + 9 * SEND_LEASE)
    assert resend(store, row, NOW)
    assert [1] == [one.attempts for one in claim_outgoing(store, "one", NOW)]


def test_the_oldest_letters_go_first(store: Engine) -> None:
    rows = put_in_outbox(store, [outgoing(n) for n in range(5)], NOW)
    assert rows[:3] == [one.id for one in claim_outgoing(store, "one", NOW, limit=3)]
    assert rows[3:] == [one.id for one in claim_outgoing(store, "two", NOW, limit=3)]


def test_a_message_id_and_a_seats_number_are_taken_once(store: Engine, toy: Any) -> None:
    found_toy(store)
    mine = {"campaign": NAME, "seat": "NORTH"}
    assert 1 == next_number(store, NAME, "NORTH", "receipt")
    put_in_outbox(store, [outgoing(1, number=1, **mine)], NOW)
    assert 2 == next_number(store, NAME, "NORTH", "receipt")
    assert 1 == next_number(store, NAME, "NORTH", "result") == next_number(store, NAME, "SOUTH", "receipt")
    for twice in (outgoing(1), outgoing(9, number=1, **mine)):
        with pytest.raises(NumberTaken):
            put_in_outbox(store, [outgoing(50), twice], NOW)
    assert ["<receipt.1@test>"] == [one.letter.message_id for one in letters_to(store, NAME, "NORTH")]
    assert posted(store, "<receipt.50@test>") is None  # all or nothing


def test_reminders_of_a_closed_window_are_withdrawn(store: Engine, toy: Any) -> None:
    found_toy(store)
    here: dict[str, Any] = {"campaign": NAME, "window": 3}
    put_in_outbox(
        store, [outgoing(1, "reminder", **here), outgoing(2, "reminder", **here), outgoing(3, **here)], NOW
    )
    claim_outgoing(store, "one", NOW)
    assert 1 == withdraw_reminders(store, NAME, "reminder", 3)  # the first is just being sent
    assert ["<receipt.3@test>"] == [
        one.letter.message_id for one in claim_outgoing(store, "two", NOW, limit=9)
    ]


def test_a_question_is_answered_once(store: Engine) -> None:
    number = received(store)
    question = ConfirmQuestion("<q@test>", "run-letter", letter=number, data={"lines": [1, 2]})
    store_question(store, question, NOW)
    store_question(store, question, NOW)
    assert question == open_question(store, "<q@test>")
    assert settle_question(store, "<q@test>", "confirmed", NOW)
    assert not settle_question(store, "<q@test>", "confirmed", NOW)
    assert open_question(store, "<q@test>") is None
