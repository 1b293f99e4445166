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
from pbem.store.inbox import letter, put_off, read_to_end
from pbem.store.journal import read_journal
from pbem.store.windows import SeatOrders, WindowOrders, read_orders
from tests.campaigns_at_hand import MAILBOX, AtHand, Clock, found_campaign, mail
from tests.intake.conftest import Desk, words
from tests.stores import fresh_store

GOOD = "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nC2: PASS\nEND"
BAD = "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nC2: ATTAK 77\nEND"
HOUR = timedelta(hours=1)


def file_of(desk: Desk, seat: str = "DE") -> SeatOrders:
    return filed(desk).seats.get(seat, SeatOrders())


def filed(desk: Desk) -> WindowOrders:
    return read_orders(desk.at.db, desk.at.name)


def orders(desk: Desk, seat: str = "DE") -> str | None:
    sheet = file_of(desk, seat).sheet
    return None if sheet is None else sheet.orders


# ------------------------------------------------------------------ filed


def test_the_last_sheet_rings_and_those_before_it_do_not(desk: Desk) -> None:
    rung = []
    for seat in desk.at.seats:
        desk.says(seat, "C1: PASS")
        rung.append(desk.rung)
    assert rung == [frozenset()] * 3 + [{"FWW-1"}]


def test_after_the_deadline_every_sheet_rings(desk: Desk) -> None:
    desk.at.clock.passes(days=30)
    desk.says("DE", GOOD)
    assert desk.rung == {"FWW-1"}


def test_a_good_sheet_is_filed_marked_and_acknowledged(desk: Desk) -> None:
    found = desk.says("DE", GOOD, message_id="<a@de.test>")
    assert (found.state, found.reason, desk.rung) == ("applied", "filed", frozenset())
    here = campaign_row(desk.at.db, desk.at.name)
    assert here.looked == here.revision, "others are missing, and nobody need look"
    mine = file_of(desk)
    assert mine.sheet is not None and (mine.sheet.orders, mine.sheet.held) == (
        "C1: ATTACK 3\nC2: PASS",
        False,
    )
    assert [one.message_id for one in mine.letters] == ["<a@de.test>"]
    receipt = desk.last("DE")
    assert (receipt.letter.kind, receipt.letter.window) == ("receipt", 2)
    assert "Your orders for T1.R are on file." in words(receipt)


def test_salt_goes_into_the_mark(desk: Desk) -> None:
    desk.says("DE", f"{GOOD}\nSALT nine old ravens")
    assert [one.salt for one in file_of(desk).letters] == ["nine old ravens"]


def test_a_letter_that_is_not_proven_leaves_no_mark(desk: Desk) -> None:
    desk.says("DE", GOOD, sender="elsewhere@de.test")
    assert file_of(desk).letters == ()


def test_a_later_letter_replaces_the_sheet(desk: Desk) -> None:
    desk.says("DE", GOOD)
    desk.at.clock.passes(minutes=5)
    desk.says("DE", "C1: ATTACK 4")
    assert orders(desk) == "C1: ATTACK 4"


def test_standing_lines_go_to_their_own_file_and_the_later_of_a_slot_wins(desk: Desk) -> None:
    assert desk.says("DE", "STANDING\nDRAW NO\nDRAW YES\nEND").state == "applied"
    assert file_of(desk).standing == "DRAW YES"
    desk.says("DE", "STANDING\nDRAW NO\nEND")
    assert (file_of(desk).standing, orders(desk)) == ("DRAW NO", None)


def test_a_standing_line_inside_the_sheet_counts_at_the_close(desk: Desk) -> None:
    desk.says("DE", "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nDRAW YES\nEND")
    assert file_of(desk).standing == ""
    desk.at.close()
    assert file_of(desk).standing == "DRAW YES"


# ------------------------------------------------------------------ held


def test_a_bad_line_holds_the_sheet_and_the_good_ones_lie_ready(desk: Desk) -> None:
    found = desk.says("DE", BAD)
    sheet = file_of(desk).sheet
    assert (found.state, found.reason) == ("held", "sheet")
    assert sheet is not None and (sheet.orders, sheet.held) == ("C1: ATTACK 3", True)
    assert sheet.whole == "C1: ATTACK 3\nC2: ATTAK 77"
    assert desk.last("DE").letter.kind == "question" and "ATTAK" in words(desk.last("DE"))


def test_confirm_takes_the_good_lines(desk: Desk) -> None:
    first = desk.says("DE", BAD)
    found = desk.says("DE", "CONFIRM", to=desk.last("DE"))
    sheet = file_of(desk).sheet
    assert sheet is not None and (sheet.orders, sheet.held) == ("C1: ATTACK 3", False)
    again = letter(desk.at.db, first.id)
    assert again is not None and (found.state, again.state) == ("applied", "applied")
    assert desk.last("DE").letter.kind == "receipt"


def test_a_corrected_letter_replaces_a_held_sheet(desk: Desk) -> None:
    desk.says("DE", BAD)
    question = desk.last("DE")
    desk.at.clock.passes(minutes=5)
    desk.says("DE", GOOD)
    found = desk.says("DE", "CONFIRM", to=question)  # too late for that: the later letter stays
    assert (found.state, orders(desk)) == ("applied", "C1: ATTACK 3\nC2: PASS")
    assert "one that you wrote later is on file" in words(desk.last("DE"))


@pytest.mark.parametrize(("whole", "attacks"), [(False, True), (True, False)])
def test_at_the_deadline_the_good_lines_count_unless_sheets_are_whole(
    desk: Desk, whole: bool, attacks: bool
) -> None:
    set_policy(desk.at.db, "FWW-1", {"whole_sheets": whole})
    desk.says("DE", BAD)
    desk.at.clock.passes(days=9)
    read_to_end(desk.at.db, "INBOX", 1, desk.at.clock())
    assert adjudicate(desk.at.service, "FWW-1")
    lines = read_journal(desk.at.db, "FWW-1")
    by_sheet = [one.data for one in lines if one.data["k"] == "answer" and one.data["by"] == "sheet"]
    assert bool(by_sheet) is attacks


def test_a_letter_that_came_in_time_is_heard_before_its_window_closes(desk: Desk) -> None:
    number = desk.at.arrives(desk.at.reply("DE", GOOD))
    desk.at.clock.passes(days=9)
    read_to_end(desk.at.db, "INBOX", 1, desk.at.clock())
    assert not adjudicate(desk.at.service, "FWW-1")  # it lies in the mailbag, unheard
    assert desk.has_heard(number).state == "applied"
    late = desk.at.arrives(desk.at.reply("EA", GOOD))
    assert adjudicate(desk.at.service, "FWW-1")  # one that came after the deadline is not waited for
    assert desk.has_heard(late).state == "held"


def test_confirm_after_the_window_closed_runs_nothing(desk: Desk) -> None:
    desk.says("DE", BAD)
    question = desk.last("DE")
    desk.at.close()
    found = desk.says("DE", "CONFIRM", to=question)
    assert (found.state, orders(desk)) == ("applied", None)
    assert "had closed" in words(desk.last("DE")) and "counted" in words(desk.last("DE"))


def test_a_sheet_of_bad_lines_only_is_refused(desk: Desk) -> None:
    found = desk.says("DE", "ORDERS FWW-1 T1.R\nC1: ATTAK 77\nEND")
    assert (found.state, found.reason, orders(desk)) == ("refused", "bad-lines", None)
    found = desk.says("DE", "CONFIRM", to=desk.last("DE"))
    assert "nothing that waits for it" in words(desk.last("DE"))


# ------------------------------------------------------------------ CHECK


def test_check_only_rehearses(desk: Desk) -> None:
    found = desk.says("DE", f"CHECK\n{GOOD}")
    assert (found.state, found.reason, orders(desk)) == ("applied", "rehearsed", None)
    assert "Nothing has been put on file" in words(desk.last("DE"))
    assert desk.last("DE").letter.kind == "answer"


def test_check_of_a_bad_sheet_holds_nothing(desk: Desk) -> None:
    found = desk.says("DE", f"CHECK\n{BAD}")
    assert (found.reason, orders(desk)) == ("rehearsed", None)
    desk.says("DE", "CONFIRM", to=desk.last("DE"))
    assert orders(desk) is None


# ------------------------------------------------------------------ stale, out of order


def test_a_letter_written_earlier_that_comes_later_is_set_aside(desk: Desk) -> None:
    now = desk.at.clock.passes(hours=3)
    desk.says("DE", GOOD, date=now)
    found = desk.says("DE", "C1: ATTACK 4", date=now - HOUR)
    assert (found.state, found.reason) == ("set-aside", "stale")
    assert orders(desk) == "C1: ATTACK 3\nC2: PASS"
    assert "one that you wrote later is on file" in words(desk.last("DE"))


def on_file_of(desk: Desk, seat: str) -> tuple[str | None, str]:
    mine = read_orders(desk.at.db, "FWW-1").seats[seat]
    return mine.stance, mine.standing


def test_ready_wait_and_standing_orders_of_an_older_letter_are_set_aside(desk: Desk) -> None:
    now = desk.at.clock.passes(hours=3)
    desk.says("DE", "STANDING\nDEFEND ALL: TILE BEST\nEND\nWAIT", date=now)
    found = desk.says("DE", "STANDING\nDEFEND ALL: TILE NONE\nEND\nREADY", date=now - HOUR)
    assert (found.state, found.reason) == ("set-aside", "stale")
    assert ("wait", "DEFEND ALL: TILE BEST") == on_file_of(desk, "DE")
    told = words(desk.last("DE"))
    assert "one that you wrote later is on file" in told and "this READY was set aside" in told
    later = desk.at.clock.passes(minutes=1)
    desk.says("DE", "STANDING\nDEFEND ALL: TILE NONE\nEND\nREADY", date=later)
    assert ("ready", "DEFEND ALL: TILE NONE") == on_file_of(desk, "DE")


def test_ready_of_a_letter_older_than_the_orders_on_file_was_said_of_others(desk: Desk) -> None:
    now = desk.at.clock.passes(hours=3)
    desk.says("DE", GOOD, date=now)
    desk.says("DE", "READY", date=now - HOUR)
    assert "this READY was set aside" in words(desk.last("DE"))
    desk.says("DE", "WAIT", date=now - HOUR)  # that binds nobody to orders
    assert "wait" == on_file_of(desk, "DE")[0]


def test_ready_that_comes_after_the_cancel_it_was_written_before_is_set_aside(desk: Desk) -> None:
    now = desk.at.clock.passes(hours=3)
    desk.says("DE", GOOD, date=now - HOUR)
    desk.says("DE", "CANCEL", date=now)
    desk.says("DE", "READY", date=now - HOUR)
    assert "DE" not in {seat for seat, told in read_orders(desk.at.db, "FWW-1").seats.items() if told.stance}


def test_new_orders_are_filed_though_the_standing_orders_beside_them_are_stale(desk: Desk) -> None:
    now = desk.at.clock.passes(hours=3)
    desk.says("DE", "STANDING\nDEFEND ALL: TILE BEST\nEND", date=now)
    found = desk.says("DE", f"{GOOD}\nSTANDING\nDEFEND ALL: TILE NONE\nEND", date=now - HOUR)
    assert "applied" == found.state and orders(desk) == "C1: ATTACK 3\nC2: PASS"
    assert (None, "DEFEND ALL: TILE BEST") == on_file_of(desk, "DE")
    assert "standing orders of this letter were set aside" in words(desk.last("DE"))


def test_a_date_after_the_arrival_counts_as_the_arrival(desk: Desk) -> None:
    now = desk.at.clock.passes(hours=3)
    desk.says("DE", GOOD, date=now + timedelta(days=2))  # his clock is wrong
    desk.at.clock.passes(minutes=1)
    assert desk.says("DE", "C1: ATTACK 4", date=desk.at.clock()).state == "applied"
    assert orders(desk) == "C1: ATTACK 4"


def test_a_date_more_than_a_week_off_is_ignored(desk: Desk) -> None:
    now = desk.at.clock.passes(hours=3)
    desk.says("DE", GOOD, date=now)
    desk.at.clock.passes(minutes=1)
    assert desk.says("DE", "C1: ATTACK 4", date=now - timedelta(days=400)).state == "applied"
    assert orders(desk) == "C1: ATTACK 4"


def test_what_counts_is_when_the_server_took_it_not_when_it_is_read(desk: Desk) -> None:
    now = desk.at.clock.passes(hours=3)
    late = desk.at.arrives(desk.at.reply("DE", GOOD, date=None), at=now - HOUR)
    desk.hears(desk.at.reply("DE", "C1: ATTACK 4", date=None))
    assert desk.has_heard(late).reason == "stale"
    assert orders(desk) == "C1: ATTACK 4"


# ------------------------------------------------------------------ another window


def test_orders_for_a_window_that_closed_meanwhile_are_asked_about(desk: Desk) -> None:
    raw = desk.at.reply("DE", "C1: ATTACK 3")
    desk.at.close()
    found = desk.hears(raw)
    assert (found.state, found.reason, orders(desk)) == ("held", "doubt", None)
    assert "CONFIRM" in words(desk.last("DE"))


def test_a_bare_number_for_another_window_is_no_answer(strict: Desk) -> None:
    raw = strict.at.reply("CENTRAL", "2")
    strict.at.close()
    before = filed(strict)
    assert strict.hears(raw).state in ("held", "refused")
    assert {seat: one.replies for seat, one in filed(strict).seats.items()} == {
        seat: one.replies for seat, one in before.seats.items()
    } | {"CENTRAL": {}}


def test_while_a_close_is_frozen_the_letter_waits(desk: Desk) -> None:
    at = desk.at
    assert load_campaign(at.db, "FWW-1").freeze(filed(desk), "deadline", at.clock()) is not None
    found = desk.says("DE", GOOD)
    assert (found.state, found.reason) == ("received", "frozen")
    assert desk.says("EA", "STATUS").state == "applied"  # who only asks does not wait
    at.close()
    assert frozen_close(at.db, "FWW-1") is None
    assert desk.has_heard(found.id).state == "received"  # not yet due
    at.clock.passes(minutes=1)
    assert desk.has_heard(found.id).reason == "doubt"  # its turn is over: CONFIRM, for the next


def test_waiting_for_a_frozen_close_is_no_fault_of_the_letter(desk: Desk) -> None:
    load_campaign(desk.at.db, "FWW-1").freeze(filed(desk), "deadline", desk.at.clock())
    found = desk.says("DE", GOOD)
    for _ in range(12):
        desk.at.clock.passes(minutes=20)
        assert desk.has_heard(found.id).state == "received"
    desk.at.close()
    put_off(desk.at.db, found.id, desk.at.clock(), "frozen")
    assert desk.has_heard(found.id).state == "held"


# ------------------------------------------------------------------ numbered answers


def test_a_number_answers_the_open_question(strict: Desk) -> None:
    found = strict.says("CENTRAL", "2")
    assert (found.state, found.reason) == ("applied", "filed")
    here = load_campaign(strict.at.db, "FWW-1")
    ((question, ask),) = here.open_asks()[Seat("CENTRAL")]
    replies = file_of(strict, "CENTRAL").replies
    answer = here.table.codec.answer(ask.topic, json.loads(replies[question].answer))
    assert answer == list(ask.options.describe())[1]
    assert "T1.D1" not in words(strict.last("CENTRAL")).replace("FWW-1", "")


def test_a_number_that_is_no_answer_is_refused(strict: Desk) -> None:
    found = strict.says("CENTRAL", "999")
    assert (found.state, file_of(strict, "CENTRAL").replies) == ("refused", {})


def test_a_sheet_replaces_the_numbers_of_an_earlier_letter(strict: Desk) -> None:
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


def test_an_empty_block_withdraws_after_confirm(desk: Desk) -> None:
    desk.says("DE", GOOD)
    desk.at.clock.passes(minutes=5)
    found = desk.says("DE", "ORDERS FWW-1 T1.R\nEND")
    assert (found.state, orders(desk)) == ("held", "C1: ATTACK 3\nC2: PASS")
    desk.says("DE", "CONFIRM", to=desk.last("DE"))
    assert orders(desk) is None
    assert "withdrawn" in words(desk.last("DE"))


def test_the_last_letters_receipt_waits_for_the_result(desk: Desk) -> None:
    for seat in ("WA", "EA", "GA"):
        desk.says(seat, "READY")
    desk.says("DE", GOOD)
    receipt = desk.last("DE")
    assert receipt.letter.kind == "receipt" and "tells what happened" in words(receipt)
    assert adjudicate(desk.at.service, "FWW-1")
    states = {one.state for one in desk.at.letters("DE", "receipt")}
    assert states == {"withdrawn"} and desk.last("DE").letter.kind == "result"


def test_somebody_who_said_wait_is_waited_for(desk: Desk) -> None:
    desk.says("WA", "WAIT")
    for seat in ("WA", "EA", "GA"):
        desk.says(seat, "READY" if seat != "WA" else "C1: PASS")
    desk.says("DE", GOOD)
    assert "tells what happened" not in words(desk.last("DE", "receipt"))
    assert not adjudicate(desk.at.service, "FWW-1")


def test_ready_and_orders_in_one_letter(desk: Desk) -> None:
    assert desk.says("DE", f"READY\n{GOOD}").state == "applied"
    assert (file_of(desk).stance, orders(desk)) == ("ready", "C1: ATTACK 3\nC2: PASS")


def test_ready_with_a_bad_line_waits_for_the_correction_or_for_confirm(desk: Desk) -> None:
    for seat in ("WA", "EA", "GA"):
        desk.says(seat, "READY")
    desk.says("DE", f"READY\n{BAD}")
    assert file_of(desk).stance is None and not adjudicate(desk.at.service, "FWW-1")
    assert "READY is not noted yet" in words(desk.last("DE"))
    desk.says("DE", "CONFIRM", to=desk.last("DE"))
    assert (file_of(desk).stance, orders(desk)) == ("ready", "C1: ATTACK 3")
    assert adjudicate(desk.at.service, "FWW-1")


def test_ready_with_nothing_but_a_bad_line_is_said_again(desk: Desk) -> None:
    desk.says("DE", "READY\nSTANDING\nDEFEND THE MOON\nEND")
    assert file_of(desk).stance is None and "CONFIRM stands for both" not in words(desk.last("DE"))


def test_orders_in_the_lobby_have_nothing_to_go_to(tmp_path: Path) -> None:
    clock = Clock()
    service = ServiceContext(fresh_store(tmp_path), SeatAddresses(b"k" * 32, MAILBOX), now=clock)
    holders = found_campaign(service)
    at = AtHand(service, clock, "FWW-1", holders)
    found = Desk(at).hears(mail("ORDERS FWW-1 T1.R\nC1: PASS\nEND", sender=holders["DE"]))
    assert found.state == "refused"


def test_greetings_alone_do_nothing_and_are_told_so(desk: Desk) -> None:
    found = desk.says("DE", "Hello,\nthanks, Max")
    assert (found.state, orders(desk)) == ("applied", None)
    assert "nothing in it for me to do" in words(desk.last("DE"))


def test_a_file_that_is_no_text_is_named(desk: Desk) -> None:
    whole = message_from_bytes(desk.at.reply("DE", GOOD), policy=policy.default)
    assert isinstance(whole, EmailMessage)
    whole.add_attachment(b"\x00\x01", maintype="application", subtype="msword", filename="orders.doc")
    assert desk.hears(whole.as_bytes()).state == "applied"
    assert "has not been read (orders.doc)" in words(desk.last("DE"))
