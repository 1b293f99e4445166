"""What a seat has on file: which answer is found, which lines are refused, what is hashed into the entry."""

from __future__ import annotations

from engine.kernel.errors import Illegal
from engine.kernel.requests import Ask, Choice
from engine.kernel.sheet import OrderFile
from tests.kernel.play import Campaign, orders
from tests.kernel.toy import GAME, HOLES, NORTH, View

ASK = Ask(NORTH, "guess", "T1.guess", None, Choice(HOLES, "TOY-2"), "H2")
QUESTION = "guess@T1.guess/NORTH"


def seen() -> View:
    return GAME.view(Campaign.of().table.state, NORTH)


def found(on_file: OrderFile, ask: Ask = ASK) -> tuple[object, str] | None:
    one = on_file.find(ask, QUESTION, seen(), GAME.notation)
    return None if one is None else (one.answer, one.by)


def test_nothing_on_file_finds_nothing() -> None:
    assert found(OrderFile()) is None
    assert found(orders("HIDE H1\nALWAYS DROP NONE")) is None


def test_an_answer_may_be_none() -> None:
    drop = Ask(NORTH, "drop", "T1.guess", None, Choice((None, "K1"), "TOY-4"), "K1")
    assert found(orders("DROP NONE"), drop) == (None, "sheet")
    assert found(OrderFile(replies={QUESTION: None}), drop) == (None, "reply")


def test_a_line_of_another_turn_waits() -> None:
    assert found(orders("T2 GUESS H1\nT1 GUESS H3")) == ("H3", "sheet")


def test_the_line_that_answered_is_named() -> None:
    on_file = orders("HIDE H1\nGUESS H3")
    one = on_file.find(ASK, QUESTION, seen(), GAME.notation)
    assert one is not None and one.line is on_file.sheet[1]


def test_a_reply_that_is_not_offered_leaves_the_sheet_its_turn() -> None:
    on_file = OrderFile(orders("GUESS H3").sheet, replies={QUESTION: "H9"})
    assert found(on_file) == ("H3", "sheet")


def test_a_plan_that_is_not_offered_leaves_the_sheet_its_turn() -> None:
    planned = Ask(NORTH, "guess", "T1.guess", None, Choice(HOLES, "TOY-2"), "H2", plan="H9")
    assert found(orders("GUESS H3"), planned) == ("H3", "sheet")


def test_refused_lines_carry_their_number_and_rule() -> None:
    refused = orders("GUESS H8\nGUESS H3\nHIDE H9\nGUESS H7").refused(ASK, seen())
    assert [(line.number, refusal) for line, refusal in refused] == [
        (1, Illegal("TOY-2", "not-offered", line=1)),
        (4, Illegal("TOY-2", "not-offered", line=4)),
    ]


def test_standing_orders_are_not_refused() -> None:
    """They stay for later questions; one that does not fit now is no mistake."""
    assert orders("ALWAYS GUESS H9").refused(ASK, seen()) == []


def test_only_an_unconditional_ask_wants_to_be_asked() -> None:
    assert orders("GUESS ASK").wants_to_be_asked(ASK)
    assert orders("ALWAYS GUESS ASK").wants_to_be_asked(ASK)
    assert not orders("DROP ASK\nGUESS H1").wants_to_be_asked(ASK)


def test_what_is_hashed_names_all_that_is_on_file() -> None:
    on_file = orders("T1 GUESS H1\nALWAYS HIDE H3")
    with_replies = OrderFile(on_file.sheet, on_file.standing, {"b": "H2", "a": None})
    assert with_replies.canonical().splitlines() == [
        "T1 GUESS H1",
        "STANDING ALWAYS HIDE H3",
        "REPLY a null",
        'REPLY b "H2"',
    ]


def test_different_files_are_hashed_differently() -> None:
    texts = {
        orders(text).canonical()
        for text in ("", "GUESS H1", "GUESS H2", "GUESS H1\nGUESS H2", "ALWAYS GUESS H1", "T1 GUESS H1")
    }
    assert len(texts) == 6


def test_letters_read_alike_are_hashed_alike() -> None:
    assert orders("guess  h1").canonical() == orders("GUESS H1").canonical()
