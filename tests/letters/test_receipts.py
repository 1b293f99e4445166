"""Receipts: every line with its number and what is said of it, what is on file, until when, and no more."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, get_args

import pytest

from engine.kernel.errors import Illegal
from engine.kernel.fairness.audit import SentMark
from engine.kernel.rehearsal import Verdict
from engine.kernel.requests import Seat
from pbem.letters.dates import Moment
from pbem.letters.memo import Note, memo_letter
from pbem.letters.phrases import LANGUAGES
from pbem.letters.question import copied_warning
from pbem.letters.receipt import FileSummary, Mark, ReceiptFacts, ReceiptOutcome, receipt_memo
from pbem.letters.render import LetterBody
from pbem.orders.own_text import QuotedLetter
from pbem.orders.understood import Understood
from tests.letters.letters_read import Page, check_letter, plain, words
from tests.orders.writing import read

both = pytest.mark.parametrize("language", LANGUAGES)
EVENING = Moment(datetime(2026, 11, 24, 19, 0, tzinfo=UTC), "Europe/Paris")
MORNING = Moment(datetime(2026, 11, 20, 7, 30, tzinfo=UTC), "Europe/Paris")
GOOD = "ORDERS FWW-1 T3.R\nC1: ATTACK 3 WITH REAL\nC2: PASS\nDRAW YES\nEND"
MIXED = "ORDERS FWW-1 T3.R\nC1: ATTACK 3 WITH REAL\nC2: MOVE 2: FR9 > 99\nC3: FOO\nC4: PASS\nEND"


def verdicts(understood: Understood, *statuses: Any) -> tuple[Verdict, ...]:
    lines = understood.sheet.reading.orders
    return tuple(Verdict(line, status) for line, status in zip(lines, statuses, strict=True))


def filed(text: str = GOOD, **changes: Any) -> ReceiptFacts:
    understood = read(text)
    reading = understood.sheet.reading
    whole = ReceiptFacts(
        campaign="FWW-1",
        seat=Seat("WA"),
        understood=understood,
        outcome="filed",
        verdicts=verdicts(understood, *["accepted"] * len(reading.orders)),
        window="T3.R",
        on_file=FileSummary(orders=reading.orders, standing=reading.standing, filed_by=MORNING),
        deadline=EVENING,
        arrived=MORNING,
    )
    return replace(whole, **changes)


def held(**changes: Any) -> ReceiptFacts:
    facts = filed(MIXED, outcome="held")
    return replace(facts, on_file=replace(facts.on_file, held=True, **changes))


def receipt(facts: ReceiptFacts, language: Any) -> LetterBody:
    return memo_letter(receipt_memo(facts, words(language)), words(language))


def told(language: Any, code: str, **facts: Any) -> str:
    return words(language).say("notes", code, facts)


@both
def test_a_sheet_of_standing_orders_alone_is_no_orders_for_the_window(language: Any) -> None:
    """It said that orders are on file, and further down that none are."""
    facts = filed("DEFEND ALL: TILE BEST")
    assert facts.understood.sheet.lines and not facts.on_file.orders
    memo = receipt_memo(facts, words(language))
    said = {"campaign": "FWW-1", "window": "T3.R", "bad": 0, "orders": False, "replies": False}
    assert told(language, "receipt-filed", **said, questions=0) in plain(receipt(facts, language).text)
    assert memo.headline.facts["orders"] is False
    assert receipt_memo(filed(), words(language)).headline.facts["orders"] is True


@both
def test_a_good_sheet_is_told_line_by_line_and_leaves_nothing_to_do(language: Any) -> None:
    written = receipt(filed(), language)
    check_letter(written)
    for line in filed().understood.sheet.good:
        assert line.write(language) in written.text
    assert words(language).say("statuses", "accepted") in written.text
    assert told(language, "receipt-deadline", until=EVENING, done=True, lines=True) in plain(written.text)
    assert "20:00 CET" in written.text and "3 (rounds)" in written.subject and "FWW-1" in written.subject
    assert not QuotedLetter.of(written.text).form[1:]


@both
def test_a_held_sheet_tells_all_errors_at_once(language: Any) -> None:
    written = receipt(held(), language)
    check_letter(written, blocks=1)
    text = plain(written.text)
    assert written.text.count(f" {words(language).say('statuses', 'refused')} ") == 2
    assert all((f'"{word}"' if language == "en" else f"« {word} »") in text for word in ("99", "FOO"))
    assert told(language, "receipt-held-good", good=2) in text
    assert told(language, "receipt-nothing-else") not in text
    assert "MOVE 2: FR9 > 99" in written.text, "a line that cannot be read stands as it was written"


@both
def test_a_held_sheet_can_be_mended_in_the_reply(language: Any) -> None:
    """The block of the receipt, one line mended and sent back, is read as orders of this turn."""
    text = receipt(held(), language).text
    above, header, block = text.partition("FWW-1 T3.R\n")
    mended = block.replace("FR9 > 99", "FR9 > 1", 1).replace("C3: FOO", "C3: PASS", 1)
    understood = read(above + header + mended, sent=text)
    assert [line.number for line in understood.sheet.reading.orders] == [1, 2, 3, 4]
    assert understood.verdict == "runs" and understood.source == "template"
    assert not read(text, sent=text).has_orders, "unchanged it says nothing"


@both
def test_whole_sheets_count_whole_or_not_at_all(language: Any) -> None:
    facts = held(waits=True)
    text = plain(receipt(facts, language).text)
    assert told(language, "receipt-held-whole", good=2) in text
    assert told(language, "receipt-file-waits", filed_by=facts.on_file.filed_by) in text
    bad = filed("ORDERS T3.R\nFOO\nEND", outcome="held", on_file=FileSummary())
    assert told(language, "receipt-held-none") in plain(receipt(bad, language).text)
    assert told(language, "receipt-file-none", window="T3.R") in plain(receipt(bad, language).text)


@both
def test_the_rehearsals_verdicts_are_told_with_their_rule(language: Any) -> None:
    facts = filed()
    first, second = facts.understood.sheet.reading.orders
    refusal = Illegal("FWW-5-3", "not-offered", {}, line=1)
    judged = (Verdict(first, "refused", refusal), Verdict(second, "untested", refusal))
    written = receipt(replace(facts, outcome="held", verdicts=judged), language)
    assert written.text.count("[FWW-5-3]") == 2
    assert told(language, "receipt-untested") in plain(written.text)
    doubt = told(language, "receipt-doubt", reason=words(language).refusal(replace(refusal, line=0)))
    assert doubt in plain(written.text)


@both
@pytest.mark.parametrize("outcome", get_args(ReceiptOutcome))
@pytest.mark.parametrize("window", ["T3.R", ""])
def test_every_outcome_has_its_words(language: Any, outcome: Any, window: str) -> None:
    written = receipt(filed(outcome=outcome, window=window), language)
    check_letter(written, blocks=int(outcome == "held" and bool(window)))
    assert (
        "3 (rounds)" in plain(written.text)
        or not window
        or outcome in ("answered", "asks", "stale", "rehearsed")
    )


@both
def test_an_older_letter_is_set_aside_and_the_one_on_file_shown(language: Any) -> None:
    newer = read("ORDERS T3.R\nC1: PASS\nC2: PASS\nEND").sheet.reading.orders
    written = receipt(filed(outcome="stale", on_file=FileSummary(orders=newer, filed_by=MORNING)), language)
    shown = written.text.partition(told(language, "receipt-on-file").upper())[2]
    assert newer[0].write(language) in shown and "08:30 CET" in shown
    assert "3 WITH REAL" not in shown and "3 AVEC VRAIES" not in shown


@both
def test_questions_quote_their_lines(language: Any) -> None:
    facts = filed("C1: PASS\nwhat about the weather?", outcome="asks", on_file=FileSummary())
    assert facts.understood.verdict == "asks"
    written = receipt(facts, language)
    check_letter(written)
    assert "   2  what about the weather?" in written.text
    assert ("CONFIRME" if language == "fr" else "CONFIRM") in written.text


@both
def test_commands_are_answered_in_the_same_letter(language: Any) -> None:
    facts = filed(GOOD + "\nLANG de\nMOVE 1: FR1 > 2", answers=(Note("plain", {"text": "zzanswer"}),))
    text = plain(receipt(facts, language).text)
    assert "zzanswer" in text and "LANG de" in text
    assert told(language, "receipt-talk-order", text="MOVE 1: FR1 > 2") in text


@both
def test_answers_by_number(language: Any) -> None:
    understood = read("2", choices=(3,))
    facts = ReceiptFacts(
        campaign="FWW-1",
        seat=Seat("WA"),
        understood=understood,
        outcome="filed",
        on_file=FileSummary(replies=((1, "TAKE METZ"),)),
    )
    written = receipt(facts, language)
    check_letter(written)
    assert "TAKE METZ" in written.text and "Question 1" not in written.text
    several = replace(facts, on_file=FileSummary(replies=((1, "TAKE METZ"), (2, "PASS"))))
    assert "Question 2" in receipt(several, language).text


@both
def test_the_parts_of_the_mark_are_printed(language: Any) -> None:
    sent = SentMark("<abc.def@mail.example.org>", "QmFzZTY0", "vive la paix")
    text = plain(receipt(filed(marks=(Mark("DE", 12, 2, sent),)), language).text)
    written = f"mark DE 12.2 {sent.mark.hex()}"
    for part in (sent.message_id, "QmFzZTY0", "vive la paix", "08:30 CET", written):
        assert part in text
    plain_receipt = receipt(filed(), language).text
    assert "Message-ID" not in plain_receipt and "08:30 CET" in plain_receipt


@both
def test_the_page_shows_the_mark_in_one_line(language: Any) -> None:
    """The signature is long: the text alone has it whole."""
    signature = "QmFzZTY0" * 43
    written = receipt(filed(marks=(Mark("DE", 12, 2, SentMark("<abc@example.org>", signature)),)), language)
    assert signature in "".join(written.text.split())
    assert signature not in written.html and "QmFzZTY0QmFzZTY0…" in written.html


@both
def test_warnings_come_first_and_a_result_that_follows_is_named(language: Any) -> None:
    facts = filed(warnings=(copied_warning(("DE",)),), result_follows=True)
    written = receipt(facts, language)
    check_letter(written)
    assert written.text.index("=> ") < written.text.index("C1:")
    assert told(language, "receipt-result-follows") in plain(written.text)


@both
def test_a_hostile_letter_stays_words(language: Any) -> None:
    text = (
        'ORDERS T3.R\nC1: <script>alert("x")</script>\nC2: ##- end / fin -##\nEND\nLANG <img src="http://x">'
    )
    written = receipt(filed(text, outcome="held", on_file=FileSummary()), language)
    page = Page(written.html)
    assert not {"script", "img"} & set(page.tags) and 'alert("x")' in page.text
    assert written.text.count("##-") == 2


def test_the_same_facts_give_the_same_letter() -> None:
    assert receipt(held(), "fr") == receipt(held(), "fr")
