"""CONFIRM and CANCEL: what was held runs once, as of its arrival, for whoever was asked and nobody else."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from pbem.campaigns.lobby import open_campaign
from pbem.intake import receive
from pbem.intake.reading import text_sent
from pbem.store.campaigns import campaign_row
from pbem.store.deadlines import timetable
from pbem.store.inbox import letter, requeue_letter, resettle_letter
from pbem.store.outbox import letters_to, open_question, open_questions
from pbem.store.people import (
    link_address,
    members,
    person_at,
    require_signature,
    seated,
    seats_of,
)
from pbem.store.windows import SeatOrders, open_window, read_orders
from pbem.verbs.orders import Check, Confirm
from pbem.verbs.registry import REGISTRY
from tests.campaigns_at_hand import MAILBOX, UMPIRE, found_campaign, mail
from tests.intake.conftest import Intake, all_to, newest_to, number_to, words
from tests.intake.judged_letters import BAD, later, post_at
from tests.signing import signed

GOOD = "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nEND"
STRANGER = "anna@elsewhere.test"
HOUR = timedelta(hours=1)


def orders(intake: Intake, seat: str = "DE") -> str | None:
    sheet = read_orders(intake.at.db, "FWW-1").seats.get(seat, SeatOrders()).sheet
    return None if sheet is None else sheet.orders


def state(intake: Intake, number: int) -> str:
    found = letter(intake.at.db, number)
    assert found is not None
    return found.state


def test_every_command_has_its_handler() -> None:
    assert {Check, Confirm} == {verb.command for verb in REGISTRY.verbs if verb.handler is None}


# ------------------------------------------------------------------ a letter whose proof failed


def test_confirm_runs_a_held_letter_as_of_its_arrival(intake: Intake) -> None:
    held = intake.says("DE", GOOD, sender="max@office.test")
    arrived = intake.at.clock()
    intake.at.clock.passes(hours=2)
    found = intake.says("DE", "CONFIRM", to=intake.last("DE"))
    assert (found.state, state(intake, held.id), orders(intake)) == ("applied", "applied", "C1: ATTACK 3")
    mine = read_orders(intake.at.db, "FWW-1").seats["DE"]
    assert mine.sheet is not None and mine.sheet.arrived == arrived
    assert len(mine.letters) == 2  # both of them are in the entry now
    here = campaign_row(intake.at.db, "FWW-1")
    assert not intake.to_adjudicate and here.looked == here.revision  # the others are missing


def test_a_sheet_that_came_between_stays(intake: Intake) -> None:
    intake.says("DE", GOOD, sender="max@office.test")
    question = intake.last("DE")
    intake.at.clock.passes(hours=1)
    intake.says("DE", "C1: ATTACK 4")
    intake.at.clock.passes(hours=1)
    intake.says("DE", "CONFIRM", to=question)
    assert orders(intake) == "C1: ATTACK 4"


def test_confirm_twice_is_answered_precisely(intake: Intake) -> None:
    intake.says("DE", GOOD, sender="max@office.test")
    question = intake.last("DE")
    intake.says("DE", "CONFIRM", to=question)
    intake.at.clock.passes(minutes=5)
    intake.says("DE", "C1: ATTACK 4")
    intake.says("DE", "CONFIRM", to=question)
    assert orders(intake) == "C1: ATTACK 4"
    assert "confirmed that already" in words(intake.last("DE"))


def test_cancel_drops_what_was_asked(intake: Intake) -> None:
    held = intake.says("DE", GOOD, sender="max@office.test")
    question = intake.last("DE")
    found = intake.says("DE", "CANCEL", to=question)
    assert (found.state, state(intake, held.id)) == ("applied", "refused")
    assert "Canceled" in words(intake.last("DE"))
    intake.says("DE", "CONFIRM", to=question)
    assert orders(intake) is None and "You had canceled that" in words(intake.last("DE"))


def test_a_confirm_from_elsewhere_confirms_nothing(intake: Intake) -> None:
    intake.says("DE", GOOD, sender="thief@dark.test")
    found = intake.says("DE", "CONFIRM", to=intake.last("DE"), sender="thief@dark.test")
    assert orders(intake) is None and found.state == "applied"
    assert number_to(intake, "thief@dark.test") == 0
    assert "from an address that is not yours" in newest_to(intake, "max@de.test")


def test_a_confirm_of_another_seat_confirms_nothing(intake: Intake) -> None:
    intake.says("DE", GOOD, sender="max@office.test")
    question = intake.last("DE")
    found = intake.says("EA", "CONFIRM", recipient=MAILBOX, in_reply_to=question.letter.message_id)
    assert (found.state, found.reason, orders(intake)) == ("refused", "another-seat", None)


def test_without_threading_headers_the_only_question_is_meant_if_it_is_harmless(intake: Intake) -> None:
    intake.says("DE", "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nC2: ATTAK\nEND")
    found = intake.says("DE", "CONFIRM", in_reply_to="")
    assert found.state == "applied"
    assert open_questions(intake.at.db, "FWW-1", "DE") == []
    intake.at.clock.passes(minutes=5)
    intake.says("DE", "C1: ATTACK 4", sender="max@office.test")
    intake.says("DE", "CONFIRM", in_reply_to="")  # a leaked token and a forged From would be enough
    assert orders(intake) == "C1: ATTACK 3"
    assert "reply to that very letter" in words(intake.last("DE"))


@pytest.mark.parametrize("kind", ["result", "answer"])
def test_a_confirm_in_reply_to_one_letter_does_not_run_another(intake: Intake, kind: str) -> None:
    """It says yes to what it answers, and that letter asks nothing."""
    intake.says("DE", "STATUS")
    intake.at.clock.passes(minutes=5)
    held = intake.says("DE", "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nC2: ATTAK\nEND")
    question = intake.last("DE")
    intake.at.clock.passes(minutes=5)
    for reply in (MAILBOX, None):  # the reply address goes with the letter, or is not there
        changes = {} if reply is None else {"recipient": reply}
        intake.says("DE", "CONFIRM", to=intake.last("DE", kind), **changes)
        assert state(intake, held.id) == "held"
        assert "a letter that asks nothing" in words(intake.last("DE"))
        intake.at.clock.passes(minutes=5)
    intake.says("DE", "CONFIRM", to=question)
    assert (state(intake, held.id), orders(intake)) == ("applied", "C1: ATTACK 3")


def test_a_confirm_in_reply_to_another_campaign_does_not_run_a_question_of_this_one(intake: Intake) -> None:
    """Its reply address is of this campaign, the letter that it answers of none that is kept here."""
    held = intake.says("DE", "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nC2: ATTAK\nEND")
    intake.at.clock.passes(minutes=5)
    elsewhere = intake.at.service.addresses.message_id("FWW-9", "DE", "question", 3)
    intake.says("DE", "CONFIRM", in_reply_to=elsewhere)
    assert state(intake, held.id) == "held"


def test_confirm_when_nothing_waits(intake: Intake) -> None:
    assert intake.says("DE", "CONFIRM").state == "applied"
    assert "nothing is waiting for it" in words(intake.last("DE"))


def test_under_the_strictest_policy_a_confirm_must_be_signed(intake: Intake) -> None:
    post = post_at(intake, "dkim", pinned=False)
    held = intake.receives(post.letter("DE", GOOD))
    assert (held.state, held.reason) == ("held", "held")
    question = intake.last("DE")
    intake.receives(post.letter("DE", "CONFIRM", to=question))
    assert orders(intake) is None and "without your provider's signature" in words(intake.last("DE"))
    assert state(intake, held.id) == "held" and open_question(intake.at.db, question.letter.message_id)
    intake.receives(post.signed("DE", "CONFIRM", to=question))
    assert (state(intake, held.id), orders(intake)) == ("applied", "C1: ATTACK 3")


def test_who_has_signed_is_told_from_where_to_confirm(intake: Intake) -> None:
    """The question went to an address that does not sign; the other one that they write from does."""
    post = post_at(intake, "pinned", pinned=False)
    who = person_at(intake.at.db, "max@de.test")
    assert who is not None
    link_address(intake.at.db, who.id, "max@elsewhere.test", intake.at.clock())
    require_signature(intake.at.db, "max@elsewhere.test", intake.at.clock())
    held = intake.receives(post.letter("DE", "RESIGN"))
    question = intake.last("DE")
    intake.receives(post.letter("DE", "CONFIRM", to=question))
    assert "from max@elsewhere.test" in words(intake.last("DE"))
    confirm = post.letter("DE", "CONFIRM", to=question, sender="max@elsewhere.test")
    intake.receives(signed(confirm, "elsewhere.test", BAD))  # that provider's own key
    assert state(intake, held.id) == "applied"


def test_a_confirm_whose_signature_cannot_be_checked_is_asked_for_again(intake: Intake) -> None:
    post = post_at(intake, "pinned", pinned=True)
    intake.receives(post.letter("DE", GOOD))
    question, post.keys.down = intake.last("DE"), True
    found = intake.receives(post.signed("DE", "CONFIRM", to=question))
    while found.state == "received":  # DNS is waited for
        later(intake, 10)
        found = intake.processes(found.id)
    assert orders(intake) is None and "its signature could not be checked" in words(intake.last("DE"))


def test_who_never_signed_confirms_by_a_plain_reply(intake: Intake) -> None:
    post = post_at(intake, "pinned", pinned=False)
    held = intake.receives(post.letter("DE", "RESIGN"))
    intake.receives(post.letter("DE", "CONFIRM", to=intake.last("DE")))
    assert state(intake, held.id) == "applied"


def test_a_stranger_of_a_strict_house_signs_up_by_a_plain_reply(lobby: Intake) -> None:
    house = lobby.at.service.profile.model_copy(update={"proof": "dkim"})
    lobby.at.service = replace(lobby.at.service, profile=house)
    lobby.receives(mail("SIGNUP FWW-2 DE", sender=STRANGER))
    (question,) = all_to(lobby, STRANGER)
    lobby.receives(mail("CONFIRM", sender=STRANGER, in_reply_to=question.letter.message_id))
    assert len(members(lobby.at.db, "FWW-2", "signup")) == 1


@pytest.mark.parametrize("sender", ["max@office.test", "max@de.test"])
def test_confirm_above_the_whole_quoted_question(intake: Intake, sender: str) -> None:
    """Mail programs quote: the orders that our question repeats are no orders of the reply."""
    intake.says("DE", "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nC2: ATTAK\nEND", sender=sender)
    question = intake.last("DE")
    quoted = "\n".join(f"> {line}" for line in text_sent(question).partition("- end /")[0].splitlines())
    found = intake.says("DE", f"CONFIRM\n\nOn Tuesday The Umpire <{MAILBOX}> wrote:\n{quoted}", to=question)
    assert (found.state, orders(intake)) == ("applied", "C1: ATTACK 3")


# ------------------------------------------------------------------ serious acts


def test_a_resignation_is_done_only_after_confirm(intake: Intake) -> None:
    held = intake.says("DE", "RESIGN")
    holder = person_at(intake.at.db, "max@de.test")
    assert holder is not None
    assert (held.state, held.reason) == ("held", "serious") and seats_of(intake.at.db, holder.id)
    assert "RESIGN" in words(intake.last("DE")) and "CONFIRM" in words(intake.last("DE"))
    intake.says("DE", "CONFIRM", to=intake.last("DE"))
    assert seats_of(intake.at.db, holder.id) == []
    assert state(intake, held.id) == "applied"


@pytest.mark.parametrize("text", ["RESIGN\nCONFIRM", "CONFIRM\n\nI resign", "RESIGN CONFIRM"])
def test_a_confirm_beside_what_it_confirms_is_understood_and_asked_for_in_reply(
    intake: Intake, text: str
) -> None:
    held = intake.says("DE", text)
    assert (held.state, held.reason) == ("held", "serious")
    told = words(intake.last("DE"))
    assert "nothing is waiting" not in told and ("\n" in text) == ("in the same letter" in told)
    intake.says("DE", "CONFIRM", to=intake.last("DE"))
    assert state(intake, held.id) == "applied"


def test_a_confirm_of_what_was_done_says_nothing(intake: Intake) -> None:
    assert intake.says("DE", "PRESS TO WA: farewell\nCONFIRM").state == "applied"
    assert "CONFIRM" not in words(intake.last("DE")).partition("You wrote")[2]
    assert intake.says("DE", "CONFIRM").state == "applied"
    assert "nothing is waiting" in words(intake.last("DE"))


def test_a_resignation_from_elsewhere_is_told_as_such(intake: Intake) -> None:
    held = intake.says("DE", "RESIGN", sender="thief@dark.test")
    assert (held.state, held.reason) == ("held", "held")
    assert "from an address that is not yours" in words(intake.last("DE"))


def test_what_was_done_with_the_first_letter_is_not_done_again(intake: Intake) -> None:
    text = f"PRESS TO WA: farewell\nRESIGN\n{GOOD}"
    held = intake.says("DE", text)
    assert (held.reason, orders(intake), len(intake.at.letters("WA", "press"))) == (
        "serious",
        "C1: ATTACK 3",
        1,
    )
    question = intake.last("DE")
    intake.at.clock.passes(minutes=5)
    intake.says("DE", "CONFIRM", to=question)
    assert len(intake.at.letters("WA", "press")) == 1


def test_an_umpires_verb_needs_confirm(intake: Intake) -> None:
    held = intake.receives(mail("HOLD because of rain", sender=UMPIRE, subject="FWW-1"))
    assert held.state == "held" and campaign_row(intake.at.db, "FWW-1").held is None
    (question,) = [
        one for one in all_to(intake, UMPIRE) if open_question(intake.at.db, one.letter.message_id)
    ]
    reply = mail("CONFIRM", sender=UMPIRE, in_reply_to=question.letter.message_id)
    assert intake.receives(reply).state == "applied"
    assert campaign_row(intake.at.db, "FWW-1").held is not None
    again = mail("CONFIRM", sender=UMPIRE, in_reply_to=question.letter.message_id)
    assert intake.receives(again).state == "applied" and "confirmed that already" in newest_to(intake, UMPIRE)


def deadline(intake: Intake) -> datetime:
    window = open_window(intake.at.db, "FWW-1")
    assert window is not None
    rows = timetable(intake.at.db, "FWW-1", window.number)
    return next(row.due.at for row in rows if row.due.kind == "deadline")


def test_a_letter_that_is_put_back_and_asked_about_anew_is_confirmed_once(intake: Intake) -> None:
    before = deadline(intake)
    found = intake.receives(mail("EXTEND 2 days", sender=UMPIRE, subject="FWW-1", date=intake.at.clock()))
    first = all_to(intake, UMPIRE)[0]
    assert requeue_letter(intake.at.db, found.id, intake.at.clock())
    assert "held" == intake.processes(found.id).state
    for asked in (first, all_to(intake, UMPIRE)[0], first):
        date = intake.at.clock.passes(minutes=1)
        answer = mail(
            "CONFIRM",
            sender=UMPIRE,
            in_reply_to=asked.letter.message_id,
            subject="Re: FWW-1",
            date=date,
        )
        intake.receives(answer)
    assert before + timedelta(days=2) == deadline(intake)
    assert "has been settled" in newest_to(intake, UMPIRE) and "applied" == state(intake, found.id)


def test_what_is_not_held_any_more_is_not_run_by_a_confirm_that_was_read_before(
    intake: Intake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`pbem requeue` between the reading of the CONFIRM and its transaction, and the question still open."""
    before = deadline(intake)
    found = intake.receives(mail("EXTEND 2 days", sender=UMPIRE, subject="FWW-1", date=intake.at.clock()))
    asked = all_to(intake, UMPIRE)[0]
    real = receive._apply

    def meanwhile(*words: Any) -> frozenset[str]:
        resettle_letter(intake.at.db, found.id, "held", "refused", "", intake.at.clock())
        return real(*words)

    monkeypatch.setattr(receive, "_apply", meanwhile)
    answer = mail(
        "CONFIRM",
        sender=UMPIRE,
        in_reply_to=asked.letter.message_id,
        subject="Re: FWW-1",
        date=intake.at.clock(),
    )
    intake.receives(answer)
    assert before == deadline(intake) and "refused" == state(intake, found.id)
    assert "has been settled" in newest_to(intake, UMPIRE)


def test_nobody_else_confirms_an_umpires_verb(intake: Intake) -> None:
    intake.receives(mail("HOLD because of rain", sender=UMPIRE, subject="FWW-1"))
    (question,) = [
        one for one in all_to(intake, UMPIRE) if open_question(intake.at.db, one.letter.message_id)
    ]
    for sender in (STRANGER, "max@de.test"):
        intake.receives(mail("CONFIRM", sender=sender, in_reply_to=question.letter.message_id))
        assert campaign_row(intake.at.db, "FWW-1").held is None


# ------------------------------------------------------------------ doubtful lines


def test_confirm_leaves_a_doubtful_line_out(intake: Intake) -> None:
    held = intake.says("DE", "C1: ATTACK 3\nI think the weather in Verdun will be dreadful")
    assert (held.state, held.reason, orders(intake)) == ("held", "doubt", None)
    intake.says("DE", "CONFIRM", to=intake.last("DE"))
    assert orders(intake) == "C1: ATTACK 3"


def test_confirm_of_nothing_but_doubt_does_nothing(intake: Intake) -> None:
    intake.says("DE", "I think the weather in Verdun will be dreadful")
    intake.says("DE", "CONFIRM", to=intake.last("DE"))
    assert orders(intake) is None and "nothing was done" in words(intake.last("DE"))


def test_an_edited_template_in_the_quote_counts(intake: Intake) -> None:
    sent = text_sent(intake.last("DE", "result"))
    text, end, _ = sent.replace("\nC1: PASS\nEND", "\nC1: ATTACK 3\nEND").partition("##- end / fin -##")
    quoted = "\n".join(f"> {line}" for line in f"{text}{end}".splitlines())
    assert intake.says("DE", f"Dear umpire,\n\n{quoted}").state == "applied"
    assert (orders(intake) or "").startswith("C1: ATTACK 3")


def test_an_unchanged_template_in_the_quote_is_ignored(intake: Intake) -> None:
    quoted = "\n".join(f"> {line}" for line in text_sent(intake.last("DE", "result")).splitlines())
    found = intake.says("DE", f"C1: ATTACK 4\n\n{quoted}")
    assert (found.state, orders(intake)) == ("applied", "C1: ATTACK 4")


def test_a_question_that_confirm_does_not_answer_needs_another_letter(intake: Intake) -> None:
    two = "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nEND\nORDERS FWW-1 T1.R\nC1: ATTACK 4\nEND"
    found = intake.says("DE", two)
    assert (found.state, found.reason) == ("refused", "several-blocks")
    intake.says("DE", "CONFIRM", to=intake.last("DE"))
    assert orders(intake) is None


def test_stop_of_a_seat_is_asked_about(intake: Intake) -> None:
    found = intake.says("DE", "STOP")
    assert found.state == "held"
    assert any(one.seat == "DE" and one.person is not None for one in seated(intake.at.db, "FWW-1"))
    confirmed = intake.says("DE", "CONFIRM", to=intake.last("DE"))
    assert confirmed.state == "applied"
    assert any(one.seat == "DE" and one.person is not None for one in seated(intake.at.db, "FWW-1"))


# ------------------------------------------------------------------ signing up


@pytest.fixture
def lobby(intake: Intake) -> Intake:
    """Another campaign waits for players."""
    open_campaign(intake.at.service, "FWW-2", "fww", players=4)
    return intake


def test_a_stranger_signs_up_by_confirming(lobby: Intake) -> None:
    found = lobby.receives(mail("SIGNUP FWW-2 DE", sender=f"Anna Blum <{STRANGER}>"))
    assert (found.state, found.reason) == ("held", "serious")
    (question,) = all_to(lobby, STRANGER)
    assert "CONFIRM" in words(question) and person_at(lobby.at.db, STRANGER) is None
    reply = mail("CONFIRM", sender=STRANGER, in_reply_to=question.letter.message_id)
    assert lobby.receives(reply).state == "applied"
    (one,) = members(lobby.at.db, "FWW-2", "signup")
    assert one.person.name == "Anna Blum"
    assert number_to(lobby, STRANGER) == 2


def test_nobody_signs_a_stranger_up_but_himself(lobby: Intake) -> None:
    lobby.receives(mail("SIGNUP FWW-2", sender=STRANGER))
    (question,) = all_to(lobby, STRANGER)
    for sender in ("other@elsewhere.test", "max@de.test"):
        lobby.receives(mail("CONFIRM", sender=sender, in_reply_to=question.letter.message_id))
        assert members(lobby.at.db, "FWW-2", "signup") == []
    assert number_to(lobby, "other@elsewhere.test") == 0


def test_a_campaigns_letters_are_not_mixed_up(lobby: Intake) -> None:
    found_campaign(lobby.at.service, "FWW-3")
    found = lobby.receives(mail("STATUS", sender="max@de.test", subject="fww-3"))
    assert (found.campaign, found.state) == ("FWW-3", "applied")
    nowhere = lobby.receives(mail("STATUS", sender="max@de.test", subject="hello"))
    assert (nowhere.campaign, nowhere.state) == (None, "applied")
    assert "FWW-1" in newest_to(lobby, "max@de.test") and "FWW-3" in newest_to(lobby, "max@de.test")
    orders_for = lobby.receives(mail(GOOD, sender="max@de.test"))  # their header names the campaign
    assert (orders_for.campaign, orders_for.seat, orders_for.state) == ("FWW-1", "DE", "held")
    assert letters_to(lobby.at.db, "FWW-3", "DE")
