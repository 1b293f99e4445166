"""CONFIRM and CANCEL: what was held runs once, as of its arrival, for whoever was asked and nobody else."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from pbem.campaigns.lobby import open_campaign
from pbem.intake import receive
from pbem.intake.context import text_sent
from pbem.store.campaigns import campaign_row
from pbem.store.deadlines import timetable
from pbem.store.inbox import letter, requeue_letter, resettle_letter
from pbem.store.outbox import letters_to, open_question, open_questions
from pbem.store.people import (
    link_address,
    members,
    person_at,
    seated,
    seats_of,
    signed_letter_from,
)
from pbem.store.windows import SeatOrders, open_window, read_orders
from pbem.verbs.orders import Check, Confirm
from pbem.verbs.registry import REGISTRY
from tests.campaigns_at_hand import MAILBOX, UMPIRE, found_campaign, mail
from tests.intake.conftest import Desk, all_to, newest_to, number_to, words
from tests.intake.letters_to_judge import BAD, later, post_at
from tests.signing import signed

GOOD = "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nEND"
STRANGER = "anna@elsewhere.test"
HOUR = timedelta(hours=1)


def orders(desk: Desk, seat: str = "DE") -> str | None:
    sheet = read_orders(desk.at.db, "FWW-1").seats.get(seat, SeatOrders()).sheet
    return None if sheet is None else sheet.orders


def state(desk: Desk, number: int) -> str:
    found = letter(desk.at.db, number)
    assert found is not None
    return found.state


def test_every_command_has_its_handler() -> None:
    assert {Check, Confirm} == {verb.command for verb in REGISTRY.verbs if verb.handler is None}


# ------------------------------------------------------------------ a letter whose proof failed


def test_confirm_runs_a_held_letter_as_of_its_arrival(desk: Desk) -> None:
    held = desk.says("DE", GOOD, sender="max@office.test")
    arrived = desk.at.clock()
    desk.at.clock.passes(hours=2)
    found = desk.says("DE", "CONFIRM", to=desk.last("DE"))
    assert (found.state, state(desk, held.id), orders(desk)) == ("applied", "applied", "C1: ATTACK 3")
    mine = read_orders(desk.at.db, "FWW-1").seats["DE"]
    assert mine.sheet is not None and mine.sheet.arrived == arrived
    assert len(mine.letters) == 2  # both of them are in the entry now
    here = campaign_row(desk.at.db, "FWW-1")
    assert not desk.rung and here.looked == here.revision  # the others are missing


def test_a_sheet_that_came_between_stays(desk: Desk) -> None:
    desk.says("DE", GOOD, sender="max@office.test")
    question = desk.last("DE")
    desk.at.clock.passes(hours=1)
    desk.says("DE", "C1: ATTACK 4")
    desk.at.clock.passes(hours=1)
    desk.says("DE", "CONFIRM", to=question)
    assert orders(desk) == "C1: ATTACK 4"


def test_confirm_twice_is_answered_precisely(desk: Desk) -> None:
    desk.says("DE", GOOD, sender="max@office.test")
    question = desk.last("DE")
    desk.says("DE", "CONFIRM", to=question)
    desk.at.clock.passes(minutes=5)
    desk.says("DE", "C1: ATTACK 4")
    desk.says("DE", "CONFIRM", to=question)
    assert orders(desk) == "C1: ATTACK 4"
    assert "confirmed before" in words(desk.last("DE"))


def test_cancel_drops_what_was_asked(desk: Desk) -> None:
    held = desk.says("DE", GOOD, sender="max@office.test")
    question = desk.last("DE")
    found = desk.says("DE", "CANCEL", to=question)
    assert (found.state, state(desk, held.id)) == ("applied", "refused")
    assert "dropped" in words(desk.last("DE"))
    desk.says("DE", "CONFIRM", to=question)
    assert orders(desk) is None and "You cancelled that before" in words(desk.last("DE"))


def test_a_confirm_from_elsewhere_confirms_nothing(desk: Desk) -> None:
    desk.says("DE", GOOD, sender="thief@dark.test")
    found = desk.says("DE", "CONFIRM", to=desk.last("DE"), sender="thief@dark.test")
    assert orders(desk) is None and found.state == "applied"
    assert number_to(desk, "thief@dark.test") == 0
    assert "from an address that is not yours" in newest_to(desk, "max@de.test")


def test_a_confirm_of_another_seat_confirms_nothing(desk: Desk) -> None:
    desk.says("DE", GOOD, sender="max@office.test")
    question = desk.last("DE")
    found = desk.says("EA", "CONFIRM", recipient=MAILBOX, in_reply_to=question.letter.message_id)
    assert (found.state, found.reason, orders(desk)) == ("refused", "another-seat", None)


def test_without_threading_headers_the_only_question_is_meant_if_it_is_harmless(desk: Desk) -> None:
    desk.says("DE", "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nC2: ATTAK\nEND")
    found = desk.says("DE", "CONFIRM", in_reply_to="")
    assert found.state == "applied"
    assert open_questions(desk.at.db, "FWW-1", "DE") == []
    desk.at.clock.passes(minutes=5)
    desk.says("DE", "C1: ATTACK 4", sender="max@office.test")
    desk.says("DE", "CONFIRM", in_reply_to="")  # a leaked token and a forged From would be enough
    assert orders(desk) == "C1: ATTACK 3"
    assert "reply to that very letter" in words(desk.last("DE"))


def test_confirm_when_nothing_waits(desk: Desk) -> None:
    assert desk.says("DE", "CONFIRM").state == "applied"
    assert "nothing that waits for it" in words(desk.last("DE"))


def test_under_the_strictest_policy_a_confirm_must_be_signed(desk: Desk) -> None:
    post = post_at(desk, "dkim", pinned=False)
    held = desk.hears(post.letter("DE", GOOD))
    assert (held.state, held.reason) == ("held", "held")
    question = desk.last("DE")
    desk.hears(post.letter("DE", "CONFIRM", to=question))
    assert orders(desk) is None and "without your provider's signature" in words(desk.last("DE"))
    assert state(desk, held.id) == "held" and open_question(desk.at.db, question.letter.message_id)
    desk.hears(post.signed("DE", "CONFIRM", to=question))
    assert (state(desk, held.id), orders(desk)) == ("applied", "C1: ATTACK 3")


def test_who_has_signed_is_told_from_where_to_confirm(desk: Desk) -> None:
    """His question went to an address that does not sign; the other one that he writes from does."""
    post = post_at(desk, "pinned", pinned=False)
    who = person_at(desk.at.db, "max@de.test")
    assert who is not None
    link_address(desk.at.db, who.id, "max@elsewhere.test", desk.at.clock())
    signed_letter_from(desk.at.db, "max@elsewhere.test", desk.at.clock())
    held = desk.hears(post.letter("DE", "RESIGN"))
    question = desk.last("DE")
    desk.hears(post.letter("DE", "CONFIRM", to=question))
    assert "from max@elsewhere.test" in words(desk.last("DE"))
    confirm = post.letter("DE", "CONFIRM", to=question, sender="max@elsewhere.test")
    desk.hears(signed(confirm, "elsewhere.test", BAD))  # that provider's own key
    assert state(desk, held.id) == "applied"


def test_a_confirm_whose_signature_cannot_be_checked_is_asked_for_again(desk: Desk) -> None:
    post = post_at(desk, "pinned", pinned=True)
    desk.hears(post.letter("DE", GOOD))
    question, post.keys.down = desk.last("DE"), True
    found = desk.hears(post.signed("DE", "CONFIRM", to=question))
    while found.state == "received":  # DNS is waited for
        later(desk, 10)
        found = desk.has_heard(found.id)
    assert orders(desk) is None and "its signature could not be checked" in words(desk.last("DE"))


def test_who_never_signed_confirms_by_a_plain_reply(desk: Desk) -> None:
    post = post_at(desk, "pinned", pinned=False)
    held = desk.hears(post.letter("DE", "RESIGN"))
    desk.hears(post.letter("DE", "CONFIRM", to=desk.last("DE")))
    assert state(desk, held.id) == "applied"


def test_a_stranger_of_a_strict_house_signs_up_by_a_plain_reply(lobby: Desk) -> None:
    house = replace(lobby.at.service.profile, proof="dkim")
    lobby.at.service = replace(lobby.at.service, profile=house)
    lobby.hears(mail("SIGNUP FWW-2 DE", sender=STRANGER))
    (question,) = all_to(lobby, STRANGER)
    lobby.hears(mail("CONFIRM", sender=STRANGER, in_reply_to=question.letter.message_id))
    assert len(members(lobby.at.db, "FWW-2", "signup")) == 1


@pytest.mark.parametrize("sender", ["max@office.test", "max@de.test"])
def test_confirm_above_the_whole_quoted_question(desk: Desk, sender: str) -> None:
    """Mail programs quote: the orders that our question repeats are no orders of the reply."""
    desk.says("DE", "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nC2: ATTAK\nEND", sender=sender)
    question = desk.last("DE")
    quoted = "\n".join(f"> {line}" for line in text_sent(question).partition("- end /")[0].splitlines())
    found = desk.says("DE", f"CONFIRM\n\nOn Tuesday The Umpire <{MAILBOX}> wrote:\n{quoted}", to=question)
    assert (found.state, orders(desk)) == ("applied", "C1: ATTACK 3")


# ------------------------------------------------------------------ serious acts


def test_a_resignation_is_done_only_after_confirm(desk: Desk) -> None:
    held = desk.says("DE", "RESIGN")
    holder = person_at(desk.at.db, "max@de.test")
    assert holder is not None
    assert (held.state, held.reason) == ("held", "serious") and seats_of(desk.at.db, holder.id)
    assert "RESIGN" in words(desk.last("DE")) and "CONFIRM" in words(desk.last("DE"))
    desk.says("DE", "CONFIRM", to=desk.last("DE"))
    assert seats_of(desk.at.db, holder.id) == []
    assert state(desk, held.id) == "applied"


@pytest.mark.parametrize("text", ["RESIGN\nCONFIRM", "CONFIRM\n\nI resign", "RESIGN CONFIRM"])
def test_a_confirm_beside_what_it_confirms_is_understood_and_asked_for_in_reply(
    desk: Desk, text: str
) -> None:
    held = desk.says("DE", text)
    assert (held.state, held.reason) == ("held", "serious")
    told = words(desk.last("DE"))
    assert "nothing that waits" not in told and ("\n" in text) == ("in the same letter" in told)
    desk.says("DE", "CONFIRM", to=desk.last("DE"))
    assert state(desk, held.id) == "applied"


def test_a_confirm_of_what_was_done_says_nothing(desk: Desk) -> None:
    assert desk.says("DE", "PRESS TO WA: farewell\nCONFIRM").state == "applied"
    assert "CONFIRM" not in words(desk.last("DE")).partition("You wrote")[2]
    assert desk.says("DE", "CONFIRM").state == "applied"
    assert "nothing that waits" in words(desk.last("DE"))


def test_a_resignation_from_elsewhere_is_told_as_such(desk: Desk) -> None:
    held = desk.says("DE", "RESIGN", sender="thief@dark.test")
    assert (held.state, held.reason) == ("held", "held")
    assert "from an address that is not yours" in words(desk.last("DE"))


def test_what_was_done_with_the_first_letter_is_not_done_again(desk: Desk) -> None:
    text = f"PRESS TO WA: farewell\nRESIGN\n{GOOD}"
    held = desk.says("DE", text)
    assert (held.reason, orders(desk), len(desk.at.letters("WA", "press"))) == ("serious", "C1: ATTACK 3", 1)
    question = desk.last("DE")
    desk.at.clock.passes(minutes=5)
    desk.says("DE", "CONFIRM", to=question)
    assert len(desk.at.letters("WA", "press")) == 1


def test_an_umpires_verb_needs_confirm(desk: Desk) -> None:
    held = desk.hears(mail("HOLD because of rain", sender=UMPIRE, subject="FWW-1"))
    assert held.state == "held" and campaign_row(desk.at.db, "FWW-1").held is None
    (question,) = [one for one in all_to(desk, UMPIRE) if open_question(desk.at.db, one.letter.message_id)]
    reply = mail("CONFIRM", sender=UMPIRE, in_reply_to=question.letter.message_id)
    assert desk.hears(reply).state == "applied"
    assert campaign_row(desk.at.db, "FWW-1").held is not None
    again = mail("CONFIRM", sender=UMPIRE, in_reply_to=question.letter.message_id)
    assert desk.hears(again).state == "applied" and "confirmed before" in newest_to(desk, UMPIRE)


def deadline(desk: Desk) -> datetime:
    window = open_window(desk.at.db, "FWW-1")
    assert window is not None
    rows = timetable(desk.at.db, "FWW-1", window.number)
    return next(row.due.at for row in rows if row.due.kind == "deadline")


def test_a_letter_that_is_put_back_and_asked_about_anew_is_confirmed_once(desk: Desk) -> None:
    before = deadline(desk)
    found = desk.hears(mail("EXTEND 2 days", sender=UMPIRE, subject="FWW-1", date=desk.at.clock()))
    first = all_to(desk, UMPIRE)[0]
    assert requeue_letter(desk.at.db, found.id, desk.at.clock())
    assert "held" == desk.has_heard(found.id).state
    for asked in (first, all_to(desk, UMPIRE)[0], first):
        date = desk.at.clock.passes(minutes=1)
        answer = mail(
            "CONFIRM",
            sender=UMPIRE,
            in_reply_to=asked.letter.message_id,
            subject="Re: FWW-1",
            date=date,
        )
        desk.hears(answer)
    assert before + timedelta(days=2) == deadline(desk)
    assert "has been settled" in newest_to(desk, UMPIRE) and "applied" == state(desk, found.id)


def test_what_is_not_held_any_more_is_not_run_by_a_confirm_that_was_read_before(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`pbem requeue` between the reading of the CONFIRM and its transaction, and the question still open."""
    before = deadline(desk)
    found = desk.hears(mail("EXTEND 2 days", sender=UMPIRE, subject="FWW-1", date=desk.at.clock()))
    asked = all_to(desk, UMPIRE)[0]
    real = receive._heard

    def meanwhile(*words: Any) -> frozenset[str]:
        resettle_letter(desk.at.db, found.id, "held", "refused", "", desk.at.clock())
        return real(*words)

    monkeypatch.setattr(receive, "_heard", meanwhile)
    answer = mail(
        "CONFIRM",
        sender=UMPIRE,
        in_reply_to=asked.letter.message_id,
        subject="Re: FWW-1",
        date=desk.at.clock(),
    )
    desk.hears(answer)
    assert before == deadline(desk) and "refused" == state(desk, found.id)
    assert "has been settled" in newest_to(desk, UMPIRE)


def test_nobody_else_confirms_an_umpires_verb(desk: Desk) -> None:
    desk.hears(mail("HOLD because of rain", sender=UMPIRE, subject="FWW-1"))
    (question,) = [one for one in all_to(desk, UMPIRE) if open_question(desk.at.db, one.letter.message_id)]
    for sender in (STRANGER, "max@de.test"):
        desk.hears(mail("CONFIRM", sender=sender, in_reply_to=question.letter.message_id))
        assert campaign_row(desk.at.db, "FWW-1").held is None


# ------------------------------------------------------------------ doubtful lines


def test_confirm_leaves_a_doubtful_line_out(desk: Desk) -> None:
    held = desk.says("DE", "C1: ATTACK 3\nI think the weather in Verdun will be dreadful")
    assert (held.state, held.reason, orders(desk)) == ("held", "doubt", None)
    desk.says("DE", "CONFIRM", to=desk.last("DE"))
    assert orders(desk) == "C1: ATTACK 3"


def test_confirm_of_nothing_but_doubt_does_nothing(desk: Desk) -> None:
    desk.says("DE", "I think the weather in Verdun will be dreadful")
    desk.says("DE", "CONFIRM", to=desk.last("DE"))
    assert orders(desk) is None and "nothing was done" in words(desk.last("DE"))


def test_an_edited_template_in_the_quote_counts_after_confirm(desk: Desk) -> None:
    sent = text_sent(desk.last("DE", "result"))
    text, end, _ = sent.replace("\nC1: PASS\nEND", "\nC1: ATTACK 3\nEND").partition("##- end / fin -##")
    quoted = "\n".join(f"> {line}" for line in f"{text}{end}".splitlines())
    held = desk.says("DE", f"Dear umpire,\n\n{quoted}")
    assert (held.state, held.reason, orders(desk)) == ("held", "doubt", None)
    desk.says("DE", "CONFIRM", to=desk.last("DE"))
    assert (orders(desk) or "").startswith("C1: ATTACK 3")


def test_an_unchanged_template_in_the_quote_is_ignored(desk: Desk) -> None:
    quoted = "\n".join(f"> {line}" for line in text_sent(desk.last("DE", "result")).splitlines())
    found = desk.says("DE", f"C1: ATTACK 4\n\n{quoted}")
    assert (found.state, orders(desk)) == ("applied", "C1: ATTACK 4")


def test_a_question_that_confirm_does_not_answer_needs_another_letter(desk: Desk) -> None:
    two = "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nEND\nORDERS FWW-1 T1.R\nC1: ATTACK 4\nEND"
    found = desk.says("DE", two)
    assert (found.state, found.reason) == ("refused", "several-blocks")
    desk.says("DE", "CONFIRM", to=desk.last("DE"))
    assert orders(desk) is None


def test_stop_of_a_seat_is_asked_about(desk: Desk) -> None:
    found = desk.says("DE", "STOP")
    assert found.state == "held"
    assert any(one.seat == "DE" and one.person is not None for one in seated(desk.at.db, "FWW-1"))
    confirmed = desk.says("DE", "CONFIRM", to=desk.last("DE"))
    assert confirmed.state == "applied"
    assert any(one.seat == "DE" and one.person is not None for one in seated(desk.at.db, "FWW-1"))


# ------------------------------------------------------------------ signing up


@pytest.fixture
def lobby(desk: Desk) -> Desk:
    """Another campaign waits for players."""
    open_campaign(desk.at.service, "FWW-2", "fww", players=4)
    return desk


def test_a_stranger_signs_up_by_confirming(lobby: Desk) -> None:
    found = lobby.hears(mail("SIGNUP FWW-2 DE", sender=f"Anna Blum <{STRANGER}>"))
    assert (found.state, found.reason) == ("held", "serious")
    (question,) = all_to(lobby, STRANGER)
    assert "CONFIRM" in words(question) and person_at(lobby.at.db, STRANGER) is None
    reply = mail("CONFIRM", sender=STRANGER, in_reply_to=question.letter.message_id)
    assert lobby.hears(reply).state == "applied"
    (one,) = members(lobby.at.db, "FWW-2", "signup")
    assert one.person.name == "Anna Blum"
    assert number_to(lobby, STRANGER) == 2


def test_nobody_signs_a_stranger_up_but_himself(lobby: Desk) -> None:
    lobby.hears(mail("SIGNUP FWW-2", sender=STRANGER))
    (question,) = all_to(lobby, STRANGER)
    for sender in ("other@elsewhere.test", "max@de.test"):
        lobby.hears(mail("CONFIRM", sender=sender, in_reply_to=question.letter.message_id))
        assert members(lobby.at.db, "FWW-2", "signup") == []
    assert number_to(lobby, "other@elsewhere.test") == 0


def test_a_campaigns_letters_are_not_mixed_up(lobby: Desk) -> None:
    found_campaign(lobby.at.service, "FWW-3")
    found = lobby.hears(mail("STATUS", sender="max@de.test", subject="fww-3"))
    assert (found.campaign, found.state) == ("FWW-3", "applied")
    nowhere = lobby.hears(mail("STATUS", sender="max@de.test", subject="hello"))
    assert (nowhere.campaign, nowhere.state) == (None, "applied")
    assert "FWW-1" in newest_to(lobby, "max@de.test") and "FWW-3" in newest_to(lobby, "max@de.test")
    orders_for = lobby.hears(mail(GOOD, sender="max@de.test"))  # their header names the campaign
    assert (orders_for.campaign, orders_for.seat, orders_for.state) == ("FWW-1", "DE", "held")
    assert letters_to(lobby.at.db, "FWW-3", "DE")
