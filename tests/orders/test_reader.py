"""mail.md 3: blocks, free lines, turns, bad lines, answers."""

from __future__ import annotations

import pytest

from engine.kernel.errors import Unreadable
from pbem.orders.lines import MOST_LINES
from tests.narrowing import expect, not_none
from tests.orders.commands import Absent, Cancel, Check, Confirm, Press, Ready, Status
from tests.orders.writing import OBSERVER, PLAYER, UMPIRE, chat, codes, commands, read, reasons, sheet

# ------------------------------------------------------------------ a block


@pytest.mark.parametrize(
    "text",
    [
        "ORDERS FWW-1 T3.R\nC1: ATTACK 3\nEND",
        "ORDRES FWW-1 T3\nC1: ATTAQUE 3\nFIN",
        "Orders:\n- C1: attaque 3\nend",
        "ordres fww1 tour 3\n1) C1: ATTACK\u00a03\nFin.",
        "*ORDERS FOR FWW-1, TURN 3:*\n• C1: ATTACK 3\n*END*",
        "ORDERS 3\nC1: ATTACK 3\nEND",
    ],
)
def test_a_block_is_the_sheet(text: str) -> None:
    found = read(text)
    assert (sheet(found), found.verdict, found.source) == (["C1: ATTACK 3"], "runs", "block")


def test_beside_a_block_there_may_be_commands_and_the_rest_is_talk() -> None:
    found = read(
        "Dear all, what a turn.\nSTATUS\nORDERS FWW-1 T3\nC1: PASS\nEND\n"
        "Wait for my revenge!\nC2: PASS\nabsent friends, be greeted"
    )
    assert (sheet(found), commands(found), found.verdict) == (["C1: PASS"], [Status()], "runs")
    talk = ["Dear all, what a turn.", "Wait for my revenge!", "C2: PASS", "absent friends, be greeted"]
    assert chat(found) == talk
    assert [one.like_an_order for one in found.chat] == [False, False, True, False]


def test_a_command_beside_a_block_that_fails_is_not_taken_for_talk() -> None:
    found = read("ORDERS\nPASS\nEND\nABSENT next spring\nHISTORY all of it")
    assert reasons(found) == ["mail-impossible-date", "mail-unknown-turn"]
    assert (sheet(found), found.verdict) == (["C1: PASS"], "runs")


def test_inside_a_block_the_games_words_win_over_commands() -> None:
    found = read("ORDERS T3\nAGREE\nREPLACE FR1 FR2\nstatus\nCHECK\nEND")
    assert commands(found) == [Status(), Check()]
    assert [(one.line, one.reason) for one in found.refusals] == [(1, "missing")]
    assert sheet(found) == ["REPLACE FR1 FR2"]


def test_a_line_withdrawn_by_its_number_is_an_errand_inside_a_block_too() -> None:
    found = read("ORDERS T3\nC1: PASS\nCANCEL 2 3\nEND")
    assert (commands(found), sheet(found)) == ([Cancel((2, 3))], ["C1: PASS"])
    assert reasons(read("ORDERS T3\nCANCEL\nEND")) == ["missing"]


def test_a_block_without_its_end_goes_to_the_end_of_the_letter() -> None:
    found = read("ORDERS FWW-1 T3\nC1: PASS\nC2: ATTACK 3\nMerci !\nJeanne")
    assert (sheet(found), found.verdict) == (["C1: PASS", "C2: ATTACK 3"], "runs")
    found = read("ORDERS FWW-1 T3\nC1: PASS\nby the way, what a mess")
    assert (reasons(found), found.verdict) == (["unknown-order"], "held")


def test_a_header_that_names_something_else_is_asked_about() -> None:
    found = read("ORDERS GERMANY T3\nPASS\nEND")
    assert (codes(found), found.verdict) == (["unclear-header"], "asks")
    found = read("ORDERS TTLM-7 T3\nPASS\nEND")
    assert codes(found) == ["other-campaign"]
    assert found.questions[0].facts == {"named": "TTLM-7", "campaign": "FWW-1"}
    assert not found.questions[0].confirmable


def test_talk_that_begins_with_orders_is_no_block() -> None:
    found = read("Orders will come tomorrow\nPASS")
    assert (codes(found), found.verdict) == (["doubtful-line"], "asks")


def test_an_empty_block_is_asked_about() -> None:
    assert codes(read("ORDERS FWW-1 T3\n\nEND")) == ["empty-block"]


def test_two_blocks_for_one_turn_are_asked_about_unless_they_are_the_same() -> None:
    one, other = "ORDERS T3\nC1: PASS\nEND", "ORDERS FWW-1 T3\nC1: ATTACK 3\nEND"
    found = read(f"{one}\n{other}")
    assert (codes(found), found.sheet.lines, found.verdict) == (["several-blocks"], (), "asks")
    found = read(f"{one}\n{one}")
    assert (codes(found), sheet(found), found.verdict) == ([], ["C1: PASS"], "runs")


# ------------------------------------------------------------------ no block


@pytest.mark.parametrize(
    "text",
    [
        "C1: ATTACK 3",
        "Hi Max,\n\nC1: ATTACK 3\n\nThanks a lot, best regards\nJeanne Dubois",
        "Bonjour à tous !\nVoici mes ordres :\nC1 : ATTAQUE 3\nMerci d’avance, bonne soirée\nJ. Dubois",
        "Dear umpire,\n- C1: ATTACK 3   # Metz again\n# a remark of mine\n-----\nCheers, Jeanne",
        "Cher arbitre,\n1. C1: ATTAQUE 3\nBien à vous,\nJD",
    ],
)
def test_free_lines_count_if_every_one_is_understood(text: str) -> None:
    found = read(text)
    assert (sheet(found), found.verdict, found.source) == (["C1: ATTACK 3"], "runs", "free")


@pytest.mark.parametrize(
    "line",
    [
        "Maybe I should attack instead",
        "Best regards, Bob",
        "C2: ATTAK 4",
        "Je ne sais pas",
        "OK",
        "Jeanne or not",
    ],
)
def test_otherwise_nothing_runs_and_the_lines_in_doubt_are_asked_about(line: str) -> None:
    found = read(f"C1: ATTACK 3\nSTATUS\n{line}")
    assert (codes(found), found.verdict) == (["doubtful-line"], "asks")
    (question,) = found.questions
    assert [one.text for one in question.lines] == [line]
    assert question.confirmable
    assert question.reason is not None


def test_every_line_in_doubt_is_named_with_its_reason_and_a_suggestion() -> None:
    found = read("STATSU\nC1: ATTACK 3 WIHT FR2\nfoo bar")
    reason = {question.lines[0].text: question.reason for question in found.questions}
    assert [one.reason for one in reason.values() if one] == [
        "mail-not-understood",
        "unknown-word",
        "mail-not-understood",
    ]
    assert "STATUS" in expect(Unreadable, reason["STATSU"]).suggestions
    assert "WITH" in expect(Unreadable, reason["C1: ATTACK 3 WIHT FR2"]).suggestions


def test_several_commands_and_orders_may_be_mixed_in_both_languages() -> None:
    found = read("status\nC1: ATTAQUE 3\nabsente du 3 au 20 août\nDEFEND ALL: LEAD STRONGEST\nprête")
    assert sheet(found) == ["C1: ATTACK 3", "DEFEND ALL: LEAD STRONGEST"]
    assert [type(one) for one in commands(found)] == [Status, Absent, Ready]
    assert found.verdict == "runs"


def test_outside_a_block_a_whole_command_is_the_command() -> None:
    assert [type(one).__name__ for one in commands(read("AGREE\nCANCEL\n"))] == ["Agree", "Cancel"]
    found = read("REPLACE FR1 FR2\nREFUSE MEF")
    assert (commands(found), sheet(found)) == ([], ["REPLACE FR1 FR2", "DENY BR-MEF"])


def test_thanks_alone_ask_for_nothing() -> None:
    found = read("Thank you very much!\nJeanne")
    assert (found.verdict, found.questions, found.has_orders) == ("runs", (), False)


def test_a_letter_that_says_nothing_is_asked_about() -> None:
    assert codes(read("\n \n")) == ["nothing-said"]


# ------------------------------------------------------------------ wrapped lines


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("C1: ATTACK 3 WITH FR2 FR3\nFR4 LEAD FR2", ["C1: ATTACK 3 WITH FR2 FR3 FR4 LEAD FR2"]),
        ("C2: IF WON THEN\nATTACK 3 WITH REAL", ["C2: IF WON THEN ATTACK 3 WITH REAL"]),
        (
            "C2: IF WON THEN ATTACK 3\nELSE\nPASS\nC3: PASS",
            ["C2: IF WON THEN ATTACK 3 ELSE PASS", "C3: PASS"],
        ),
        ("ATTAQUE 3\nAVEC\nFR2 MENE\nFR2", ["C1: ATTACK 3 WITH FR2 LEAD FR2"]),
        ("C1: ATTACK 3\nTILE NONE", ["C1: ATTACK 3", "TILE NONE"]),
    ],
)
def test_a_line_that_makes_sense_only_joined_is_joined(text: str, written: list[str]) -> None:
    assert sheet(read(text)) == written
    assert sheet(read(f"ORDERS T3\n{text}\nEND")) == written


@pytest.mark.parametrize(
    "text",
    ["C1: ATTACK 3 WITH\n\nFR2", "C1: ATTACK 3 WITH\n- FR2", "C1: ATTACK 3 WITH\nFR2 and then some"],
)
def test_nothing_is_joined_across_a_blank_line_an_item_or_talk(text: str) -> None:
    assert read(text).verdict == "asks"


def test_a_line_below_a_remark_is_not_swallowed_by_it() -> None:
    found = read("PASS # I wait\nDEFEND 3: TIEL NONE")
    assert codes(found) == ["doubtful-line"]


@pytest.mark.parametrize("mark", ["# ", "#", "  # ", "- # ", "\uff03 "])
@pytest.mark.parametrize("text", ["READY", "CONFIRM", "ORDERS FWW-1 T3", "STANDING", "1", "C1: PASS"])
def test_a_line_that_begins_with_a_cross_is_a_remark(mark: str, text: str) -> None:
    found = read(f"{mark}{text}", choices=(2,))
    assert (found.commands, found.sheet.lines, found.replies, found.questions) == ((), (), (), ())
    assert chat(found) == [f"{mark}{text}"]
    among = read(f"ORDERS FWW-1 T3.R\nC1: PASS\n{mark}{text}\nEND")
    assert (commands(among), sheet(among), codes(among)) == ([], ["C1: PASS"], [])


def test_so_it_is_for_those_who_have_no_orders() -> None:
    found = read("# HOLD because of rain\nSTATUS", who=UMPIRE)
    assert (commands(found), codes(found)) == ([Status()], [])


def test_a_remark_ends_no_block() -> None:
    found = read("ORDERS FWW-1 T3.R\nC1: PASS\n# END\nC2: ATTACK 3\nEND")
    assert sheet(found) == ["C1: PASS", "C2: ATTACK 3"]


@pytest.mark.parametrize("text", ["| READY", "|RESIGN", "  | CONFIRM", "\u2502 READY"])
def test_a_command_behind_a_bar_is_asked_about(text: str) -> None:
    """Some programs mark quotes like that."""
    found = read(text)
    assert (commands(found), codes(found)) == ([], ["doubtful-line"])


@pytest.mark.parametrize(
    "text",
    [
        "READY?", "Ready ?", "PRET ?", "AGREE?!", "(CANCEL?)", "RESIGN\uff1f", "CONFIRM?", "ARMISTICE?",
        "WAIT??", "LANG fr?", "C1: ATTACK 3?", "C1: ATTACK 3 ?", "HANDOVER?\nbecause I am tired",
    ],
)  # fmt: skip
def test_a_line_that_ends_in_a_question_mark_is_asked_back(text: str) -> None:
    found = read(text)
    assert (commands(found), sheet(found)) == ([], [])
    assert codes(found)[0] == "doubtful-line"
    reason = found.questions[0].reason
    assert reason is not None and reason.reason == "mail-question-mark"


def test_beside_a_block_it_is_refused_and_the_block_counts() -> None:
    for text in ("ORDERS FWW-1 T3.R\nC1: PASS\nEND\nREADY?", "ORDERS FWW-1 T3.R\nC1: PASS\nREADY?\nEND"):
        found = read(text)
        assert (commands(found), sheet(found), reasons(found)) == ([], ["C1: PASS"], ["mail-question-mark"])


@pytest.mark.parametrize("text", ["STATUS?", "HELP?", "MAP ?", "PRESS TO DE: peace?", "SALT why not?"])
def test_a_question_that_changes_nothing_is_answered(text: str) -> None:
    found = read(text)
    assert len(found.commands) == 1 and not found.questions


def test_two_orders_that_may_be_one_wrapped_line_are_asked_about() -> None:
    long = "C1: ATTACK 3 WITH FR2 FR3 FR4 BR1 BR2 BE1 FR5 FR6 LEAD FR2"
    for text in (f"{long}\nTILE NONE", f"ORDERS T3\n{long}\nTILE NONE\nEND"):
        found = read(text)
        assert (codes(found), sheet(found), found.verdict) == (["wrapped-or-two"], [], "asks")
        assert found.questions[0].facts == {"joined": f"{long} TILE NONE"}


def test_a_wrapped_command_is_joined_too() -> None:
    assert [type(one) for one in commands(read("ABSENT 3 Aug –\n20 Aug"))] == [Absent]


# ------------------------------------------------------------------ which turn


@pytest.mark.parametrize(
    ("header", "answers", "code", "named"),
    [
        ("ORDERS FWW-1 T3.R", "T2.R", "", ""),  # the header decides
        ("ORDERS FWW-1 T3", "T2.R", "", ""),
        ("ORDERS FWW-1 T3", "", "", ""),
        ("ORDERS FWW-1 T3", "T3.D", "other-turn", "T3.D"),  # the turn is open, that exchange is not
        ("ORDERS FWW-1 T2", "T3.R", "other-turn", "T2"),
        ("ORDERS FWW-1 T4", "T3.R", "other-turn", "T4"),
        ("ORDERS FWW-1 T3.D", "T3.R", "other-turn", "T3.D"),
        ("ORDERS", "T3.R", "", ""),
        ("ORDERS FWW-1", "T2.R", "other-turn", "T2.R"),
        ("ORDERS", "", "which-turn", ""),
    ],
)
def test_a_header_that_names_the_open_turn_decides_otherwise_the_address(
    header: str, answers: str, code: str, named: str
) -> None:
    found = read(f"{header}\nC1: PASS\nEND", answers=answers)
    assert codes(found) == ([code] if code else [])
    assert found.verdict == ("asks" if code else "runs")
    assert sheet(found) == ["C1: PASS"]  # what CONFIRM would take
    if named:
        assert found.questions[0].facts == {"named": named, "open": "T3.R"}
        assert found.questions[0].confirmable


@pytest.mark.parametrize("text", ["C1: PASS", "READY"])
def test_free_lines_are_of_the_turn_whose_letter_they_answer(text: str) -> None:
    assert codes(read(text)) == []
    assert codes(read(text, answers="T2.V")) == ["other-turn"]


def test_commands_and_standing_orders_are_of_no_turn() -> None:
    found = read("STATUS\nSTANDING\nDEFEND ALL: LEAD STRONGEST\nEND", answers="T1.R")
    assert (found.verdict, codes(found)) == ("runs", [])
    assert [line.write() for line in found.standing.good] == ["DEFEND ALL: LEAD STRONGEST"]


def test_of_two_blocks_the_one_for_the_open_turn_runs_and_the_other_is_asked_about() -> None:
    found = read("ORDERS T4\nC1: ATTACK 3\nEND\nORDERS T3\nC1: PASS\nEND")
    assert (sheet(found), codes(found)) == (["C1: PASS"], ["other-turn"])
    assert [line.text for line in found.questions[0].lines] == ["ORDERS T4", "C1: ATTACK 3", "END"]


def test_orders_when_no_turn_is_open() -> None:
    found = read("C1: PASS", open="", answers="T3.R")
    assert (codes(found), found.verdict) == (["nothing-open"], "asks")
    assert not found.questions[0].confirmable


# ------------------------------------------------------------------ bad lines


def test_one_bad_line_holds_the_sheet_and_all_of_them_are_told_at_once() -> None:
    found = read("ORDERS FWW-1 T3\nC1: ATTAK 3\nC2: PASS\nDE C3: PASS\nC9: PASS\nEND")
    assert found.verdict == "held"
    rows = [(one.line, one.reason) for one in found.refusals]
    assert rows == [(1, "unknown-order"), (3, "not-your-faction"), (4, "out-of-range")]
    assert sheet(found) == ["C2: PASS"]
    assert [line.number for line in found.sheet.lines] == [1, 2, 3, 4]


def test_the_sheet_reads_again_as_it_was_read() -> None:
    found = read("ORDERS T3\nC1: ATTACK 3 WITH\nFR2\nC2: PASS\nEND\nSTANDING\nDRAW YES\nEND")
    for one in (found.sheet, found.standing):
        again = not_none(PLAYER.notation).read(one.text, PLAYER.view)
        assert again == one.reading
        assert {line.number for line in one.good} == {line.number for line in one.lines}


def test_an_order_that_the_rules_forbid_is_understood_and_holds_free_lines_as_a_block() -> None:
    found = read("C1: PASS\nDE C2: PASS")
    assert (found.verdict, reasons(found), codes(found)) == ("held", ["not-your-faction"], [])


def test_a_standing_block_takes_standing_orders_only() -> None:
    for word in ("STANDING", "SHEET", "POLICY", "CONSIGNES", "Standing orders:"):
        found = read(f"{word}\nDRAW YES\nC1: ATTACK 3\nEND")
        assert [line.write() for line in found.standing.good] == ["DRAW YES"]
        assert [(one.line, one.reason) for one in found.refusals] == [(2, "mail-not-standing")]
        assert found.verdict == "held"


def test_orders_beside_a_standing_block_are_free_lines() -> None:
    found = read("STANDING\nDRAW YES\nEND\nC1: PASS")
    assert (sheet(found), found.verdict) == (["C1: PASS"], "runs")
    assert read("STANDING\nDRAW YES\nEND\nC1: PASS\nor shall I?").verdict == "asks"
    assert read("STANDING\nDRAW YES\nEND\nor shall I?").verdict == "runs"


def test_orders_of_somebody_without_a_seat_are_refused() -> None:
    found = read("ORDERS T3\nPASS\nEND", who=OBSERVER)
    assert (reasons(found), found.sheet.lines) == (["mail-no-seat"], ())


# ------------------------------------------------------------------ answers


@pytest.mark.parametrize(
    ("text", "open_", "replies"),
    [
        ("2", (3,), [(1, 2)]),
        ("2.", (3,), [(1, 2)]),
        ("- 2", (3,), [(1, 2)]),
        ("Q1 2", (3,), [(1, 2)]),
        ("Q1 2\nQ2 1", (3, 2), [(1, 2), (2, 1)]),
        ("q1: 2, q2=1", (3, 2), [(1, 2), (2, 1)]),
        ("Bonjour\nQ2 1\nMerci", (3, 2), [(2, 1)]),
        ("ORDERS T3\nPASS\nEND\nQ1 2", (3, 2), [(1, 2)]),
        ("ORDERS T3\nQ1 2\nPASS\nEND", (3, 2), [(1, 2)]),
        ("2\n2", (3,), [(1, 2), (1, 2)]),
    ],
)
def test_numbered_answers(text: str, open_: tuple[int, ...], replies: list[tuple[int, int]]) -> None:
    found = read(text, choices=open_)
    assert [(one.question, one.answer) for one in found.replies] == replies
    assert found.verdict == "runs"


def test_numbers_that_answer_nothing() -> None:
    assert codes(read("2", choices=(3, 2))) == ["which-question"]
    assert codes(read("2")) == ["doubtful-line"]
    assert reasons(read("4", choices=(3,))) == ["mail-no-such-answer"]
    assert reasons(read("Q3 1", choices=(3, 2))) == ["mail-no-such-question"]
    assert read("Q3 1", choices=(3, 2)).verdict == "held"
    found = read("Q1 1\nQ1 2", choices=(3, 2))
    assert (codes(found), found.replies) == (["several-answers"], ())
    assert chat(read("ORDERS\nPASS\nEND\n3")) == ["3"]


# ------------------------------------------------------------------ press, confirm


def test_press_up_to_end_is_taken_word_for_word() -> None:
    found = read("PRESS TO EA, DE:\nMon ami,\n\nC1: PASS\nstatus\nEND\nC1: ATTACK 3")
    assert commands(found) == [Press(("EA", "DE"), "Mon ami,\n\nC1: PASS\nstatus")]
    assert sheet(found) == ["C1: ATTACK 3"]


def test_press_without_end_is_never_sent_and_never_eats_a_block() -> None:
    found = read("PRESS TO ALL\nHello\nORDERS T3\nC1: PASS\nEND")
    assert (codes(found), commands(found), sheet(found)) == (["text-without-end"], [], ["C1: PASS"])
    assert found.verdict == "runs"  # about the press only
    assert codes(read("PRESS TO ALL\nHello\nregards")) == ["text-without-end"]


def test_press_on_a_long_line_with_talk_below_is_asked_about() -> None:
    text = "PRESS TO ALL: we shall fight them on every front there is and"
    found = read(f"ORDERS T3\nPASS\nEND\n{text}\nwe shall win")
    assert (codes(found), commands(found)) == (["press-continues"], [])
    assert commands(read(f"ORDERS T3\nPASS\nEND\n{text}\nSTATUS"))[0] == Press(("ALL",), text[14:])


def test_confirm_and_orders_in_one_letter_are_asked_about() -> None:
    assert commands(read("confirm")) == [Confirm()]
    assert commands(read("Je confirme.")) == [Confirm()]
    assert codes(read("CONFIRM\nC1: PASS")) == ["confirm-and-orders"]


def test_yes_is_answered_with_the_word_that_counts() -> None:
    (question,) = read("Oui", language="fr").questions
    assert expect(Unreadable, question.reason).suggestions == ("CONFIRME",)


def test_a_letter_cut_off_is_asked_about() -> None:
    assert codes(read("C1: PASS", truncated=True)) == ["cut-off"]
    found = read("\n".join(["C1: PASS"] * (MOST_LINES + 100)))
    assert codes(found) == ["cut-off"]
    assert len(found.questions[0].lines) == 100


# ------------------------------------------------------------------ attachments


def test_orders_in_a_text_attachment_are_read() -> None:
    for file in ("ORDERS FWW-1 T3\nC1: ATTACK 3\nEND", "C1: ATTACK 3\n# Metz"):
        found = read("My orders are in the file, see you.", file)
        assert (sheet(found), found.source, found.verdict) == (["C1: ATTACK 3"], "attachment", "runs")
        assert chat(found)[0] == "My orders are in the file, see you."


def test_an_attachment_that_is_no_sheet_is_talk() -> None:
    found = read("C1: PASS", "This mail is confidential.\nC1: ATTACK 3\nSTATUS")
    assert (sheet(found), commands(found), found.verdict) == (["C1: PASS"], [], "runs")
    assert len(chat(found)) == 3


def test_orders_in_the_letter_and_others_in_a_file_are_asked_about() -> None:
    assert codes(read("ORDERS\nPASS\nEND", "ORDERS\nATTACK 3\nEND")) == ["several-blocks"]


@pytest.mark.parametrize(
    "text",
    [
        "Please confirm receipt.",
        "Could you please confirm receipt of this e-mail?",
        "Confirm receipt please",
        "CONFIRM RECEIPT",
        "Please acknowledge receipt of my orders. Thanks!",
        "Let me know if you got this, please.",
        "Read receipt requested",
        "Merci de me confirmer la bonne réception de ce message.",
        "Merci d’accuser réception",
        "Pouvez-vous me confirmer la réception de mes ordres ?",
        "Accusé de réception demandé",
        "Bitte um Empfangsbestätigung",
        "My orders follow below:",
        "Mes ordres suivent :",
    ],
)
def test_who_asks_for_a_receipt_or_announces_orders_asks_for_nothing_and_confirms_nothing(text: str) -> None:
    for letter in (f"C1: PASS\n\n{text}", f"{text}\nC1: PASS", f"ORDERS\nC1: PASS\n{text}\nEND"):
        found = read(letter)
        assert (sheet(found), commands(found), found.questions) == (["C1: PASS"], [], ()), letter
    assert not commands(read(text)) and read(text).verdict == "runs"


@pytest.mark.parametrize("text", ["Please confirm.", "Confirm PASS", "Confirmer la bataille", "CONFIRM 3"])
def test_what_may_be_a_confirm_is_asked_about(text: str) -> None:
    assert read(f"C1: PASS\n\n{text}").verdict == "asks"
