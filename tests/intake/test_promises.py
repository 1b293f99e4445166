"""What a receipt says will count is what counts when the window closes, and the result letter tells it."""

from __future__ import annotations

import pytest

from engine.games.trench_club.notation import NOTATION
from engine.kernel.requests import Seat
from pbem.campaigns.adjudicate import adjudicate
from pbem.campaigns.campaign import load_campaign
from pbem.intake.filing import good_text
from pbem.orders.understood import Sheet, UnderstoodLine
from pbem.store.campaigns import set_policy
from pbem.store.inbox import mark_read_to
from pbem.store.standing_orders import standing_orders_of
from pbem.store.windows import read_orders
from tests.intake.conftest import Intake, words
from tests.rules.trench.test_notation import table_of

HELD = "STANDING\nDRAW YES\nDEFEND THE MOON\nEND"
BOTH = "ORDERS FWW-1 T1.R\nC1: ATTACK 3\nC2: ATTAK 77\nEND\nSTANDING\nDRAW YES\nEND"


def reach_deadline(intake: Intake) -> None:
    intake.at.clock.passes(days=9)
    mark_read_to(intake.at.db, "INBOX", 1, intake.at.clock())
    assert adjudicate(intake.at.service, "FWW-1")


def standing(intake: Intake) -> str:
    return standing_orders_of(intake.at.db, "FWW-1").get("DE", "")


@pytest.mark.parametrize("text", [HELD, BOTH])
def test_the_good_lines_of_held_standing_orders_count_when_the_window_closes(
    intake: Intake, text: str
) -> None:
    """The receipt said so, and they did not."""
    intake.says("DE", text)
    told = words(intake.last("DE"))
    assert "at the deadline" in told and "with the good lines of the letter that is on hold: DRAW YES" in told
    assert standing(intake) == "", "not before"
    reach_deadline(intake)
    assert standing(intake) == "DRAW YES"
    result = words(intake.last("DE", "result"))
    assert "no correction came in time: the lines below counted" in result and "DRAW YES" in result


def test_held_standing_orders_are_counted_once(intake: Intake) -> None:
    intake.says("DE", HELD)
    reach_deadline(intake)
    intake.says("DE", "STANDING\nDRAW NO\nEND")
    reach_deadline(intake)
    assert standing(intake) == "DRAW NO"
    assert "no correction came in time" not in words(intake.last("DE", "result"))


def test_later_standing_orders_and_confirm_take_the_place_of_held_ones(intake: Intake) -> None:
    intake.says("DE", HELD)
    intake.at.clock.passes(minutes=5)
    intake.says("DE", "STANDING\nDEFEND ALL: TILE BEST\nEND")
    assert standing(intake) == "DEFEND ALL: TILE BEST"
    assert "DRAW YES" not in words(intake.last("DE"))
    intake.at.clock.passes(minutes=5)
    intake.says("DE", HELD)
    intake.says("DE", "CONFIRM", to=intake.last("DE"))
    assert standing(intake) == "DEFEND ALL: TILE BEST\nDRAW YES"
    assert not read_orders(intake.at.db, "FWW-1").seats["DE"].held_standing


def test_a_sheet_leaves_held_standing_orders_where_they_are(intake: Intake) -> None:
    intake.says("DE", HELD)
    intake.at.clock.passes(minutes=5)
    intake.says("DE", "C1: PASS")
    assert "with the good lines of the letter that is on hold: DRAW YES" in words(intake.last("DE"))
    reach_deadline(intake)
    assert standing(intake) == "DRAW YES"


def test_cancel_withdraws_held_standing_orders(intake: Intake) -> None:
    intake.says("DE", HELD)
    intake.at.clock.passes(minutes=5)
    intake.says("DE", "CANCEL", to=intake.last("DE"))
    reach_deadline(intake)
    assert standing(intake) == ""


def test_where_sheets_are_whole_nothing_held_counts_and_nothing_is_promised(intake: Intake) -> None:
    set_policy(intake.at.db, "FWW-1", {"whole_sheets": True})
    intake.says("DE", BOTH)
    told = words(intake.last("DE"))
    assert "none of these orders count" in told and "as they will stand at the deadline" not in told
    assert "these lines count only if you CONFIRM them" in told
    reach_deadline(intake)
    assert standing(intake) == ""
    assert "whole or not at all" in words(intake.last("DE", "result"))


def test_answers_beside_a_bad_line_are_held_where_sheets_are_whole(strict: Intake) -> None:
    set_policy(strict.at.db, "FWW-1", {"whole_sheets": True})
    strict.says("CENTRAL", "2\nSTANDING\nDEFEND THE MOON\nEND")
    filed = read_orders(strict.at.db, "FWW-1")
    assert not filed.seats["CENTRAL"].replies
    own = load_campaign(strict.at.db, "FWW-1").file_at_close(Seat("CENTRAL"), filed, held_sheets=False)
    assert not own.file.replies


@pytest.mark.parametrize("bad", ["STANDING\nDEFEND THE MOON\nEND", "ORDERS\nATTAK 77\nEND"])
def test_answers_beside_a_bad_line_wait_for_the_deadline_or_a_correction(strict: Intake, bad: str) -> None:
    """They closed the window at once, and the receipt had said that they count at the deadline."""
    strict.says("CENTRAL", f"{bad}\n1")
    told = words(strict.last("CENTRAL"))
    assert "it counts at the deadline" in told and "Your orders are due by" in told
    assert not adjudicate(strict.at.service, "FWW-1")
    strict.at.clock.passes(minutes=5)
    strict.says("CENTRAL", "1")
    assert adjudicate(strict.at.service, "FWW-1")


def test_confirm_completes_answers_beside_a_bad_line(strict: Intake) -> None:
    strict.says("CENTRAL", "STANDING\nDEFEND THE MOON\nEND\n1")
    strict.says("CENTRAL", "CONFIRM", to=strict.last("CENTRAL"))
    assert adjudicate(strict.at.service, "FWW-1")


def test_at_the_deadline_answers_beside_a_bad_line_count_and_the_result_says_why(strict: Intake) -> None:
    strict.says("CENTRAL", "STANDING\nDEFEND THE MOON\nEND\n1")
    reach_deadline(strict)
    assert "no correction came in time: the lines below counted" in words(strict.last("CENTRAL", "result"))


@pytest.mark.parametrize("bad", ["", "DEFEND THE MOON\n"])
def test_later_standing_orders_win_over_those_of_an_older_sheet(intake: Intake, bad: str) -> None:
    """Those of the sheet counted, whatever came after it."""
    intake.says("DE", "ORDERS FWW-1 T1.R\nC1: PASS\nDRAW NO\nEND")
    intake.at.clock.passes(minutes=5)
    intake.says("DE", f"STANDING\n{bad}DRAW YES\nEND")
    assert "DRAW NO" not in words(intake.last("DE"))
    reach_deadline(intake)
    assert standing(intake) == "DRAW YES"


def test_results_name_a_standing_line_that_another_replaced(intake: Intake) -> None:
    intake.says("DE", "ORDERS FWW-1 T1.R\nC1: PASS\nDRAW NO\nDRAW YES\nEND")
    reach_deadline(intake)
    assert "2 not used DRAW NO Line 3 takes its place" in words(intake.last("DE", "result"))


# ------------------------------------------------------------------ contradictions


def test_contradicting_lines_hold_the_sheet_and_neither_counts(intake: Intake) -> None:
    """The template's PASS above an attack was carried out, and the attack was "not tested yet"."""
    found = intake.says("DE", "ORDERS FWW-1 T1.R\nC1: PASS\nC1: ATTACK 3\nC2: ATTACK 3\nEND")
    told = words(intake.last("DE"))
    assert (found.state, found.reason) == ("held", "sheet")
    assert told.count("Lines 1 and 2 answer the same question in different ways") == 2
    assert "Which do you mean: C1: PASS or C1: ATTACK 3?" in told
    sheet = read_orders(intake.at.db, "FWW-1").seats["DE"].sheet
    assert sheet is not None and sheet.orders.split() == ["C2:", "ATTACK", "3"]


def test_of_two_standing_lines_for_one_question_the_receipt_names_the_one_that_loses(intake: Intake) -> None:
    found = intake.says("DE", "STANDING\nDRAW NO\nDEFEND ALL: TILE BEST\nDRAW YES\nEND")
    told = words(intake.last("DE"))
    assert found.state == "applied" and told.count("takes its place") == 1
    assert "DRAW NO Line 3 takes its place" in told
    assert standing(intake) == "DRAW YES\nDEFEND ALL: TILE BEST"


def test_a_line_that_goes_along_with_another_stays_on_file() -> None:
    """TRANSPORT-5 Where U TRK1 belonged to M TRK1 above it, it was left out of the file."""
    view = table_of(["DE.TRK1@D5", "DE.MOR1@D6", "GB.INF1@J5"], active="DE").view(Seat("DE"))
    text = "L MOR1 TRK1\nM TRK1 D4 D3\nU TRK1 MOR1@E2"
    lines = tuple(UnderstoodLine(n, row, ()) for n, row in enumerate(text.split("\n"), 1))
    sheet = Sheet(lines, NOTATION.read(text, view))
    assert good_text(sheet, ()) == text
    assert [line.numbers for line in sheet.reading.orders] == [(1,), (2, 3)]
    assert good_text(sheet, sheet.reading.orders[1].numbers) == "L MOR1 TRK1"


# ------------------------------------------------------------------ lines that can never be legal


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("C1: ATTACK 3 WITH FR1", "FR1 on front 3 (Verdun) is not at your orders"),
        (
            "C3: IF TURN >= 2 THEN ATTACK 3 WITH FR1 ELSE PASS",
            "FR1 on front 3 (Verdun) is not at your orders",
        ),
        ("C2: TRANSFER 7 > 9: RU1 RU2 RU3", "one or two"),
        ("C3: MOVE 7: RU1 > 1", "theatre"),
        ("OCCUPY 7: PARIS", "Paris is not on front 7"),
        ("REVEAL 3: FR1", "FR1 is not yours"),
    ],
)
def test_a_line_that_can_never_be_legal_holds_the_sheet_of_a_seat_that_does_not_act_first(
    intake: Intake, line: str, reason: str
) -> None:
    """It was warned about, under "on file" and "nothing else to do"."""
    found = intake.says("EA", f"ORDERS FWW-1 T1.R\n{line}\nC4: PASS\nEND")
    told = words(intake.last("EA"))
    assert (found.state, found.reason) == ("held", "sheet"), told
    assert reason in told and "nothing else" not in told


def test_what_may_yet_become_legal_holds_nothing(intake: Intake) -> None:
    found = intake.says("EA", "ORDERS FWW-1 T1.R\nC3: ATTACK 10\nC4: MOVE 7: ALL > 8\nEND")
    assert found.state == "applied", words(intake.last("EA"))


@pytest.mark.parametrize("later", ["C1: ATTACK 3", "ORDERS\nC1: ATTAK 3\nC2: PASS\nEND"])
@pytest.mark.parametrize("first", ["DEFEND ALL: TILE BEST", "C1: PASS\nDEFEND ALL: TILE BEST"])
def test_standing_orders_of_a_sheet_stay_when_another_replaces_it(
    intake: Intake, first: str, later: str
) -> None:
    """The receipt says: until you change them. They went with the sheet, and nobody was told."""
    intake.says("DE", first)
    assert "until you change them: DEFEND ALL: TILE BEST" in words(intake.last("DE"))
    together = "Send it together with these lines" in words(intake.last("DE"))
    assert not together, "they stay"
    intake.says("DE", "SHOW STANDING")
    assert "Your standing orders: DEFEND ALL: TILE BEST" in words(intake.last("DE"))
    intake.at.clock.passes(minutes=5)
    intake.says("DE", later)
    assert "until you change them: DEFEND ALL: TILE BEST" in words(intake.last("DE"))
    reach_deadline(intake)
    assert standing(intake) == "DEFEND ALL: TILE BEST"


def test_what_a_later_sheet_says_of_the_same_question_takes_their_place(intake: Intake) -> None:
    intake.says("DE", "C1: PASS\nDEFEND ALL: TILE BEST\nDRAW YES")
    intake.at.clock.passes(minutes=5)
    intake.says("DE", "C1: PASS\nDRAW NO\nSTANDING\nDEFEND 3: TILE NONE\nEND")
    reach_deadline(intake)
    assert {*standing(intake).split("\n")} == {"DEFEND 3: TILE NONE", "DEFEND ALL: TILE BEST", "DRAW NO"}


def test_standing_orders_of_a_held_sheet_go_with_it(intake: Intake) -> None:
    """Nothing said that they stay."""
    intake.says("DE", "ORDERS\nC1: ATTAK 3\nDRAW YES\nEND")
    intake.at.clock.passes(minutes=5)
    intake.says("DE", "C1: PASS")
    reach_deadline(intake)
    assert standing(intake) == ""
