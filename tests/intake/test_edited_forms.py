"""mail.md 3: the form edited in the reply, from the letter to the receipt and the letter of results."""

from __future__ import annotations

import pytest

from pbem.campaigns.adjudicate import adjudicate
from pbem.intake.reading import text_sent
from pbem.orders.returned_form import form_rows
from pbem.store.inbox import RawMail, mark_read_to
from pbem.store.outbox import Posted
from pbem.store.windows import SeatOrders, read_orders
from tests.intake.conftest import Intake, words

ASKED = {
    "EA": "our form with your changes, and you were asked about it",
    "WA": "notre formulaire modifié, et une question",
}


def form(posted: Posted) -> list[str]:
    return list(form_rows(text_sent(posted)))


def quote(rows: list[str]) -> str:
    return "\n".join(f"> {row}" for row in rows)


def edited(posted: Posted, **lines: str) -> str:
    """The quoted form of a letter, its rows by the first word changed."""
    rows = [lines.get(row.partition(":")[0], row) for row in form(posted)]
    return quote([row for row in rows if row])


def orders(intake: Intake, seat: str = "DE") -> str:
    sheet = read_orders(intake.at.db, "FWW-1").seats.get(seat, SeatOrders()).sheet
    return "" if sheet is None else sheet.orders


def test_the_receipt_tells_line_by_line_what_was_changed(intake: Intake) -> None:
    rows = form(intake.last("DE", "result"))
    rows[1:2] = ["C1: ATTACK 3", "C2: ATTACK 4", "# C3: ATTACK 3"]
    assert intake.says("DE", f"my orders, edited below\n\n{quote(rows)}").state == "applied"
    assert orders(intake) == "C1: ATTACK 3\nC2: ATTACK 4"
    told = words(intake.last("DE"))
    assert "They come from the form of our letter as you edited it" in told
    assert "C1: ATTACK 3 You changed this line; the form had: C1: PASS" in told
    assert "C2: ATTACK 4 You added this line" in told
    assert "is only a remark: # C3: ATTACK 3" in told


def test_without_proof_it_is_held_and_confirm_runs_it(intake: Intake) -> None:
    text = edited(intake.last("DE", "result"), C1="C1: ATTACK 3")
    assert intake.says("DE", text, sender="max@elsewhere.test").state == "held"
    assert not orders(intake)
    intake.says("DE", "CONFIRM", to=intake.last("DE"))
    assert orders(intake).startswith("C1: ATTACK 3")


# ------------------------------------------------------------------ two forms of one window


def mended(intake: Intake) -> Posted:
    """A sheet with a bad line is answered with a form to mend it in."""
    intake.says("DE", "ORDERS FWW-1 T1.R\nC1: ATTACK 77\nC2: ATTACK 3\nEND")
    intake.at.clock.passes(hours=1)
    question = intake.last("DE", "question")
    assert form(question)[1:-1] == ["C1: ATTACK 77", "C2: ATTACK 3"]
    return question


def test_the_newest_form_of_the_window_is_the_sheet(intake: Intake) -> None:
    text = edited(mended(intake), C1="C1: ATTACK 4", C2="")
    assert intake.says("DE", text, to=intake.last("DE", "question")).state == "applied"
    assert orders(intake) == "C1: ATTACK 4"
    assert "You took out: C2: ATTACK 3" in words(intake.last("DE"))


def test_an_older_form_of_the_window_is_asked_about_with_both_shown(intake: Intake) -> None:
    mended(intake)
    found = intake.says("DE", edited(intake.last("DE", "result"), C1="C1: ATTACK 4"))
    assert (found.state, found.reason) == ("held", "doubt")
    told = words(intake.last("DE"))
    assert "You edited the form of an earlier letter" in told
    assert "C1: ATTACK 4" in told and "C1: ATTACK 77 C2: ATTACK 3" in told
    intake.says("DE", "CONFIRM", to=intake.last("DE"))
    assert orders(intake).split("\n")[0] == "C1: ATTACK 4"


def test_a_form_is_not_older_than_one_that_its_writer_could_not_have(intake: Intake) -> None:
    """Written while the other was on its way; and read again when a CONFIRM runs it."""
    now = intake.at.clock()
    mended(intake)
    text = edited(intake.last("DE", "result"), C1="C1: ATTACK 4")
    found = intake.receives(intake.at.reply("DE", text, to=intake.last("DE", "result")), at=now)
    assert (found.state, orders(intake).split("\n")[0]) == ("applied", "C1: ATTACK 4")


# ------------------------------------------------------------------ asked about, and never answered


def ask(intake: Intake, seat: str) -> RawMail:
    """The form edited, and other orders above it."""
    text = edited(intake.last(seat, "result"), C1="C1: ATTACK 9")
    found = intake.says(seat, f"C1: ATTACK 8\n\n{text}")
    assert (found.state, found.reason) == ("refused", "template-and-orders")
    return found


def result_after_deadline(intake: Intake, seat: str) -> str:
    intake.at.clock.passes(days=9)
    mark_read_to(intake.at.db, "INBOX", 1, intake.at.clock())
    assert adjudicate(intake.at.service, "FWW-1")
    return words(intake.last(seat, "result"))


@pytest.mark.parametrize("seat", ["EA", "WA"])
def test_an_edit_that_was_never_answered_is_named_in_the_result(intake: Intake, seat: str) -> None:
    ask(intake, seat)
    assert ASKED[seat] in result_after_deadline(intake, seat)


@pytest.mark.parametrize("word", ["", "CONFIRM", "CANCEL"])
def test_one_that_waits_for_confirm_is_named_unless_it_was_answered(intake: Intake, word: str) -> None:
    mended(intake)
    intake.says("DE", edited(intake.last("DE", "result"), C1="C1: ATTACK 4"))
    if word:
        intake.at.clock.passes(hours=1)
        intake.says("DE", word, to=intake.last("DE", "question"))
    told = result_after_deadline(intake, "DE")
    assert (ASKED["EA"] in told) == (not word)


def test_one_that_a_later_sheet_replaced_is_not_named(intake: Intake) -> None:
    ask(intake, "EA")
    intake.at.clock.passes(hours=1)
    intake.says("EA", "ORDERS\nC1: PASS\nEND")
    assert ASKED["EA"] not in result_after_deadline(intake, "EA")


def test_nobody_else_is_told(intake: Intake) -> None:
    ask(intake, "EA")
    result_after_deadline(intake, "EA")
    for seat in ("WA", "DE", "GA"):
        told = words(intake.last(seat, "result"))
        assert not any(one in told for one in ASKED.values())
