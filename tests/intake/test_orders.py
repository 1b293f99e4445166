"""Sheets, answers and standing orders: held, stale, late, tried, withdrawn; and what the receipt says."""

from __future__ import annotations

import json
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest

from engine.kernel.requests import Seat
from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.campaign import load_campaign
from pbem.context import ServiceContext
from pbem.mail.addresses import SeatAddresses
from pbem.store.advance import frozen_close
from pbem.store.campaigns import campaign_row, set_policy
from pbem.store.inbox import letter, mark_read_to, postpone_letter
from pbem.store.journal import read_journal
from pbem.store.windows import SeatOrders, WindowOrders, read_orders
from tests.campaigns_at_hand import MAILBOX, AtHand, Clock, found_campaign, mail
from tests.intake.conftest import Intake, words
from tests.stores import fresh_store

GOOD = "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nC2: PASS\nEND"
BAD = "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nC2: ATTAK 77\nEND"
HOUR = timedelta(hours=1)


def file_of(intake: Intake, seat: str = "DE") -> SeatOrders:
    return filed(intake).seats.get(seat, SeatOrders())


def filed(intake: Intake) -> WindowOrders:
    return read_orders(intake.at.db, intake.at.name)


def orders(intake: Intake, seat: str = "DE") -> str | None:
    sheet = file_of(intake, seat).sheet
    return None if sheet is None else sheet.orders


# ------------------------------------------------------------------ filed


def test_only_the_last_sheet_asks_for_adjudication(intake: Intake) -> None:
    to_adjudicate = []
    for seat in intake.at.seats:
        intake.says(seat, "C1: PASS")
        to_adjudicate.append(intake.to_adjudicate)
    assert to_adjudicate == [frozenset()] * 3 + [{"FWW-1"}]


def test_after_the_deadline_every_sheet_asks_for_adjudication(intake: Intake) -> None:
    intake.at.clock.passes(days=30)
    intake.says("DE", GOOD)
    assert intake.to_adjudicate == {"FWW-1"}


def test_a_good_sheet_is_filed_marked_and_acknowledged(intake: Intake) -> None:
    found = intake.says("DE", GOOD, message_id="<a@de.test>")
    assert (found.state, found.reason, intake.to_adjudicate) == ("applied", "filed", frozenset())
    here = campaign_row(intake.at.db, intake.at.name)
    assert here.looked == here.revision, "others are missing, and nobody need look"
    mine = file_of(intake)
    assert mine.sheet is not None and (mine.sheet.orders, mine.sheet.held) == (
        "C1: ATTACK 3\nC2: PASS",
        False,
    )
    assert [one.message_id for one in mine.letters] == ["<a@de.test>"]
    receipt = intake.last("DE")
    assert (receipt.letter.kind, receipt.letter.window) == ("receipt", 2)
    assert "Your orders for turn 1 (rounds) are on file." in words(receipt)


def test_salt_goes_into_the_mark(intake: Intake) -> None:
    intake.says("DE", f"{GOOD}\nSALT nine old ravens")
    assert [one.salt for one in file_of(intake).letters] == ["nine old ravens"]


def test_a_letter_that_is_not_proven_leaves_no_mark(intake: Intake) -> None:
    intake.says("DE", GOOD, sender="elsewhere@de.test")
    assert file_of(intake).letters == ()


def test_a_later_letter_replaces_the_sheet(intake: Intake) -> None:
    intake.says("DE", GOOD)
    intake.at.clock.passes(minutes=5)
    intake.says("DE", "C1: ATTACK 4")
    assert orders(intake) == "C1: ATTACK 4"


def test_standing_lines_go_to_their_own_file_and_the_later_of_a_slot_wins(intake: Intake) -> None:
    assert intake.says("DE", "STANDING\nDRAW NO\nDRAW YES\nEND").state == "applied"
    assert file_of(intake).standing == "DRAW YES"
    intake.says("DE", "STANDING\nDRAW NO\nEND")
    assert (file_of(intake).standing, orders(intake)) == ("DRAW NO", None)


def test_a_standing_line_inside_the_sheet_counts_at_the_close(intake: Intake) -> None:
    intake.says("DE", "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nDRAW YES\nEND")
    assert file_of(intake).standing == ""
    intake.at.close()
    assert file_of(intake).standing == "DRAW YES"


# ------------------------------------------------------------------ held


def test_a_bad_line_holds_the_sheet_and_the_good_ones_lie_ready(intake: Intake) -> None:
    found = intake.says("DE", BAD)
    sheet = file_of(intake).sheet
    assert (found.state, found.reason) == ("held", "sheet")
    assert sheet is not None and (sheet.orders, sheet.held) == ("C1: ATTACK 3", True)
    assert sheet.whole == "C1: ATTACK 3\nC2: ATTAK 77"
    assert intake.last("DE").letter.kind == "question" and "ATTAK" in words(intake.last("DE"))


def test_confirm_takes_the_good_lines(intake: Intake) -> None:
    first = intake.says("DE", BAD)
    found = intake.says("DE", "CONFIRM", to=intake.last("DE"))
    sheet = file_of(intake).sheet
    assert sheet is not None and (sheet.orders, sheet.held) == ("C1: ATTACK 3", False)
    again = letter(intake.at.db, first.id)
    assert again is not None and (found.state, again.state) == ("applied", "applied")
    assert intake.last("DE").letter.kind == "receipt"


def test_a_corrected_letter_replaces_a_held_sheet(intake: Intake) -> None:
    intake.says("DE", BAD)
    question = intake.last("DE")
    intake.at.clock.passes(minutes=5)
    intake.says("DE", GOOD)
    found = intake.says("DE", "CONFIRM", to=question)  # too late for that: the later letter stays
    assert (found.state, orders(intake)) == ("applied", "C1: ATTACK 3\nC2: PASS")
    assert "a later one of yours is on file" in words(intake.last("DE"))


@pytest.mark.parametrize(("whole", "attacks"), [(False, True), (True, False)])
def test_at_the_deadline_the_good_lines_count_unless_sheets_are_whole(
    intake: Intake, whole: bool, attacks: bool
) -> None:
    set_policy(intake.at.db, "FWW-1", {"whole_sheets": whole})
    intake.says("DE", BAD)
    intake.at.clock.passes(days=9)
    mark_read_to(intake.at.db, "INBOX", 1, intake.at.clock())
    assert adjudicate(intake.at.service, "FWW-1")
    lines = read_journal(intake.at.db, "FWW-1")
    by_sheet = [one.data for one in lines if one.data["k"] == "answer" and one.data["by"] == "sheet"]
    assert bool(by_sheet) is attacks


def test_a_letter_that_came_in_time_is_read_before_its_window_closes(intake: Intake) -> None:
    number = intake.at.arrives(intake.at.reply("DE", GOOD))
    intake.at.clock.passes(days=9)
    mark_read_to(intake.at.db, "INBOX", 1, intake.at.clock())
    assert not adjudicate(intake.at.service, "FWW-1")  # it lies in the inbox, unread
    assert intake.processes(number).state == "applied"
    late = intake.at.arrives(intake.at.reply("EA", GOOD))
    assert adjudicate(intake.at.service, "FWW-1")  # one that came after the deadline is not waited for
    assert intake.processes(late).state == "held"


def test_confirm_after_the_window_closed_runs_nothing(intake: Intake) -> None:
    intake.says("DE", BAD)
    question = intake.last("DE")
    intake.at.close()
    found = intake.says("DE", "CONFIRM", to=question)
    assert (found.state, orders(intake)) == ("applied", None)
    assert "had closed" in words(intake.last("DE")) and "counted" in words(intake.last("DE"))


def test_a_sheet_of_bad_lines_only_is_refused(intake: Intake) -> None:
    found = intake.says("DE", "ORDERS FWW-1 T1.R\nC1: ATTAK 77\nEND")
    assert (found.state, found.reason, orders(intake)) == ("refused", "bad-lines", None)
    found = intake.says("DE", "CONFIRM", to=intake.last("DE"))
    assert "nothing is waiting for it" in words(intake.last("DE"))


# ------------------------------------------------------------------ CHECK


def test_check_only_rehearses(intake: Intake) -> None:
    found = intake.says("DE", f"CHECK\n{GOOD}")
    assert (found.state, found.reason, orders(intake)) == ("applied", "rehearsed", None)
    assert "Nothing has been filed" in words(intake.last("DE"))
    assert intake.last("DE").letter.kind == "answer"


def test_check_of_a_bad_sheet_holds_nothing(intake: Intake) -> None:
    found = intake.says("DE", f"CHECK\n{BAD}")
    assert (found.reason, orders(intake)) == ("rehearsed", None)
    intake.says("DE", "CONFIRM", to=intake.last("DE"))
    assert orders(intake) is None


# ------------------------------------------------------------------ stale, out of order


def test_a_letter_written_earlier_that_comes_later_is_set_aside(intake: Intake) -> None:
    now = intake.at.clock.passes(hours=3)
    intake.says("DE", GOOD, date=now)
    raw = intake.at.reply("DE", "C1: ATTACK 4", date=now - HOUR, message_id="<late@de.test>")
    found = intake.receives(raw)
    assert (found.state, found.reason) == ("set-aside", "stale")
    assert orders(intake) == "C1: ATTACK 3\nC2: PASS"
    told = intake.last("DE")
    assert "a later one of yours is on file" in words(told)
    assert intake.receives(b"Received: by another way\r\n" + raw).reason == "copy"
    assert intake.last("DE").letter.message_id == told.letter.message_id


def on_file_of(intake: Intake, seat: str) -> tuple[str | None, str]:
    mine = read_orders(intake.at.db, "FWW-1").seats[seat]
    return mine.stance, mine.standing


def test_ready_wait_and_standing_orders_of_an_older_letter_are_set_aside(intake: Intake) -> None:
    now = intake.at.clock.passes(hours=3)
    intake.says("DE", "STANDING\nDEFEND ALL: TILE BEST\nEND\nWAIT", date=now)
    found = intake.says("DE", "STANDING\nDEFEND ALL: TILE NONE\nEND\nREADY", date=now - HOUR)
    assert (found.state, found.reason) == ("set-aside", "stale")
    assert ("wait", "DEFEND ALL: TILE BEST") == on_file_of(intake, "DE")
    told = words(intake.last("DE"))
    assert "a later one of yours is on file" in told and "this READY was set aside" in told
    later = intake.at.clock.passes(minutes=1)
    intake.says("DE", "STANDING\nDEFEND ALL: TILE NONE\nEND\nREADY", date=later)
    assert ("ready", "DEFEND ALL: TILE NONE") == on_file_of(intake, "DE")


def test_ready_of_a_letter_older_than_the_orders_on_file_was_said_of_others(intake: Intake) -> None:
    now = intake.at.clock.passes(hours=3)
    intake.says("DE", GOOD, date=now)
    intake.says("DE", "READY", date=now - HOUR)
    assert "this READY was set aside" in words(intake.last("DE"))
    intake.says("DE", "WAIT", date=now - HOUR)  # that binds nobody to orders
    assert "wait" == on_file_of(intake, "DE")[0]


def test_ready_that_comes_after_the_cancel_it_was_written_before_is_set_aside(intake: Intake) -> None:
    now = intake.at.clock.passes(hours=3)
    intake.says("DE", GOOD, date=now - HOUR)
    intake.says("DE", "CANCEL", date=now)
    intake.says("DE", "READY", date=now - HOUR)
    assert "DE" not in {
        seat for seat, told in read_orders(intake.at.db, "FWW-1").seats.items() if told.stance
    }


@pytest.mark.parametrize(
    ("letter", "told", "untold"),
    [
        (f"CANCEL\n{GOOD}", "The orders of this letter stand in their place", "if you do not"),
        (f"{GOOD}\nCANCEL ALL", "The orders of this letter stand in their place", "if you do not"),
        (f"CANCEL 2\n{GOOD}", "stand in place of all the others", "C3: ATTACK 1"),
        ("CANCEL\nORDERS\nATTAK 77\nEND", "if you do not, the defaults apply", "in their place"),
    ],
)
def test_what_is_withdrawn_beside_new_orders_is_told_with_them(
    intake: Intake, letter: str, told: str, untold: str
) -> None:
    """It said that the defaults apply if no others come, or listed what the new orders had replaced."""
    intake.says("DE", "C3: ATTACK 1\nC4: ATTACK 2")
    intake.at.clock.passes(minutes=5)
    intake.says("DE", letter)
    receipt = words(intake.last("DE"))
    assert told in receipt and untold not in receipt


def test_new_orders_are_filed_though_the_standing_orders_beside_them_are_stale(intake: Intake) -> None:
    now = intake.at.clock.passes(hours=3)
    intake.says("DE", "STANDING\nDEFEND ALL: TILE BEST\nEND", date=now)
    found = intake.says("DE", f"{GOOD}\nSTANDING\nDEFEND ALL: TILE NONE\nEND", date=now - HOUR)
    assert "applied" == found.state and orders(intake) == "C1: ATTACK 3\nC2: PASS"
    assert (None, "DEFEND ALL: TILE BEST") == on_file_of(intake, "DE")
    assert "standing orders in this letter were set aside" in words(intake.last("DE"))


def test_a_date_after_the_arrival_counts_as_the_arrival(intake: Intake) -> None:
    now = intake.at.clock.passes(hours=3)
    intake.says("DE", GOOD, date=now + timedelta(days=2))  # their clock is wrong
    intake.at.clock.passes(minutes=1)
    assert intake.says("DE", "C1: ATTACK 4", date=intake.at.clock()).state == "applied"
    assert orders(intake) == "C1: ATTACK 4"


def test_a_date_more_than_a_week_off_is_ignored(intake: Intake) -> None:
    now = intake.at.clock.passes(hours=3)
    intake.says("DE", GOOD, date=now)
    intake.at.clock.passes(minutes=1)
    assert intake.says("DE", "C1: ATTACK 4", date=now - timedelta(days=400)).state == "applied"
    assert orders(intake) == "C1: ATTACK 4"


def test_what_counts_is_when_the_server_took_it_not_when_it_is_read(intake: Intake) -> None:
    now = intake.at.clock.passes(hours=3)
    late = intake.at.arrives(intake.at.reply("DE", GOOD, date=None), at=now - HOUR)
    intake.receives(intake.at.reply("DE", "C1: ATTACK 4", date=None))
    assert intake.processes(late).reason == "stale"
    assert orders(intake) == "C1: ATTACK 4"


# ------------------------------------------------------------------ another window


def test_orders_for_a_window_that_closed_meanwhile_are_asked_about(intake: Intake) -> None:
    raw = intake.at.reply("DE", "C1: ATTACK 3")
    intake.at.close()
    found = intake.receives(raw)
    assert (found.state, found.reason, orders(intake)) == ("held", "doubt", None)
    assert "CONFIRM" in words(intake.last("DE"))


def test_a_bare_number_for_another_window_is_no_answer(strict: Intake) -> None:
    raw = strict.at.reply("CENTRAL", "2")
    strict.at.close()
    before = filed(strict)
    assert strict.receives(raw).state in ("held", "refused")
    assert {seat: one.replies for seat, one in filed(strict).seats.items()} == {
        seat: one.replies for seat, one in before.seats.items()
    } | {"CENTRAL": {}}


def test_while_a_close_is_frozen_the_letter_waits(intake: Intake) -> None:
    at = intake.at
    assert load_campaign(at.db, "FWW-1").freeze(filed(intake), "deadline", at.clock()) is not None
    found = intake.says("DE", GOOD)
    assert (found.state, found.reason) == ("received", "frozen")
    assert intake.says("EA", "STATUS").state == "applied"  # who only asks does not wait
    at.close()
    assert frozen_close(at.db, "FWW-1") is None
    assert intake.processes(found.id).state == "received"  # not yet due
    at.clock.passes(minutes=1)
    assert intake.processes(found.id).reason == "doubt"  # its turn is over: CONFIRM, for the next


def test_waiting_for_a_frozen_close_is_no_fault_of_the_letter(intake: Intake) -> None:
    load_campaign(intake.at.db, "FWW-1").freeze(filed(intake), "deadline", intake.at.clock())
    found = intake.says("DE", GOOD)
    for _ in range(12):
        intake.at.clock.passes(minutes=20)
        assert intake.processes(found.id).state == "received"
    intake.at.close()
    postpone_letter(intake.at.db, found.id, intake.at.clock(), "frozen")
    assert intake.processes(found.id).state == "held"


# ------------------------------------------------------------------ numbered answers


def test_a_number_answers_the_open_question(strict: Intake) -> None:
    found = strict.says("CENTRAL", "2")
    assert (found.state, found.reason) == ("applied", "filed")
    here = load_campaign(strict.at.db, "FWW-1")
    ((question, ask),) = here.open_asks()[Seat("CENTRAL")]
    replies = file_of(strict, "CENTRAL").replies
    answer = here.table.codec.answer(ask.topic, json.loads(replies[question].answer))
    assert answer == list(ask.options.describe())[1]
    assert "T1.D1" not in words(strict.last("CENTRAL")).replace("FWW-1", "")


def test_a_number_that_is_no_answer_is_refused(strict: Intake) -> None:
    found = strict.says("CENTRAL", "999")
    assert (found.state, file_of(strict, "CENTRAL").replies) == ("refused", {})


def test_a_sheet_replaces_the_numbers_of_an_earlier_letter(strict: Intake) -> None:
    strict.says("CENTRAL", "2")
    here = load_campaign(strict.at.db, "FWW-1")
    ((question, ask),) = here.open_asks()[Seat("CENTRAL")]
    line = here.terms.game.notation.write_answer(ask, ask.default, "en", here.table.view(Seat("CENTRAL")))
    strict.at.clock.passes(minutes=5)
    assert strict.says("CENTRAL", line).state == "applied"
    mine = file_of(strict, "CENTRAL")
    assert mine.sheet is not None and mine.replies == {}
    strict.at.clock.passes(minutes=5)
    strict.says("CENTRAL", "3")
    mine = file_of(strict, "CENTRAL")
    assert mine.sheet is not None and list(mine.replies) == [question]


# ------------------------------------------------------------------ empty blocks, the last letter


def test_an_empty_block_withdraws_after_confirm(intake: Intake) -> None:
    intake.says("DE", GOOD)
    intake.at.clock.passes(minutes=5)
    found = intake.says("DE", "ORDERS FWW-1 T1.R\nEND")
    assert (found.state, orders(intake)) == ("held", "C1: ATTACK 3\nC2: PASS")
    intake.says("DE", "CONFIRM", to=intake.last("DE"))
    assert orders(intake) is None
    assert "withdrawn" in words(intake.last("DE"))


def test_the_last_letters_receipt_waits_for_the_result(intake: Intake) -> None:
    for seat in ("WA", "EA", "GA"):
        intake.says(seat, "READY")
    intake.says("DE", GOOD)
    receipt = intake.last("DE")
    assert receipt.letter.kind == "receipt" and "tells what happened" in words(receipt)
    assert adjudicate(intake.at.service, "FWW-1")
    states = {one.state for one in intake.at.letters("DE", "receipt")}
    assert states == {"withdrawn"} and intake.last("DE").letter.kind == "result"


def test_somebody_who_said_wait_is_waited_for(intake: Intake) -> None:
    intake.says("WA", "WAIT")
    for seat in ("WA", "EA", "GA"):
        intake.says(seat, "READY" if seat != "WA" else "C1: PASS")
    intake.says("DE", GOOD)
    assert "tells what happened" not in words(intake.last("DE", "receipt"))
    assert not adjudicate(intake.at.service, "FWW-1")


def test_ready_and_orders_in_one_letter(intake: Intake) -> None:
    assert intake.says("DE", f"READY\n{GOOD}").state == "applied"
    assert (file_of(intake).stance, orders(intake)) == ("ready", "C1: ATTACK 3\nC2: PASS")


def test_ready_with_a_bad_line_waits_for_the_correction_or_for_confirm(intake: Intake) -> None:
    for seat in ("WA", "EA", "GA"):
        intake.says(seat, "READY")
    intake.says("DE", f"READY\n{BAD}")
    assert file_of(intake).stance is None and not adjudicate(intake.at.service, "FWW-1")
    assert "READY is not noted yet" in words(intake.last("DE"))
    intake.says("DE", "CONFIRM", to=intake.last("DE"))
    assert (file_of(intake).stance, orders(intake)) == ("ready", "C1: ATTACK 3")
    assert adjudicate(intake.at.service, "FWW-1")


def test_ready_with_nothing_but_a_bad_line_is_said_again(intake: Intake) -> None:
    intake.says("DE", "READY\nSTANDING\nDEFEND THE MOON\nEND")
    assert file_of(intake).stance is None and "CONFIRM does both" not in words(intake.last("DE"))


def test_orders_in_the_lobby_have_nothing_to_go_to(tmp_path: Path) -> None:
    clock = Clock()
    service = ServiceContext(fresh_store(tmp_path), SeatAddresses(b"k" * 32, MAILBOX), now=clock)
    holders = found_campaign(service)
    at = AtHand(service, clock, "FWW-1", holders)
    found = Intake(at).receives(mail("ORDERS FWW-1 T1.R\nC1: PASS\nEND", sender=holders["DE"]))
    assert found.state == "refused"


def test_greetings_alone_do_nothing_and_are_told_so(intake: Intake) -> None:
    found = intake.says("DE", "Hello,\nthanks, Max")
    assert (found.state, orders(intake)) == ("applied", None)
    assert "It asks for nothing" in words(intake.last("DE"))


def test_a_file_that_is_no_text_is_named(intake: Intake) -> None:
    whole = message_from_bytes(intake.at.reply("DE", GOOD), policy=policy.default)
    assert isinstance(whole, EmailMessage)
    whole.add_attachment(b"\x00\x01", maintype="application", subtype="msword", filename="orders.doc")
    assert intake.receives(whole.as_bytes()).state == "applied"
    assert "were not read (orders.doc)" in words(intake.last("DE"))
