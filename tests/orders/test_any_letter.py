"""Any letter at all: reading never fails, and every own line ends in exactly one place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pbem.mail.message import TextLine
from pbem.orders.lines import MOST_LINES
from pbem.orders.own_text import tell_apart
from pbem.orders.reader import understand
from pbem.orders.text import FORMULAS
from pbem.orders.understood import CONFIRMABLE, MAIL, Circumstances, OwnLine, Understood
from pbem.verbs.registry import REGISTRY
from tests.orders.codes import EXPECTED, QUESTIONS, REASONS
from tests.orders.writing import OBSERVER, OURS, PLAYER, STRANGER, UMPIRE, letter, read

ORDERS = [
    "C1: ATTACK 3 WITH FR2", "C2: PASS", "ATTAQUE 3 AVEC", "FR2 FR3", "ELSE PASS", "IF WON THEN", "DRAW YES",
    "DEFEND ALL: LEAD STRONGEST", "REPLACE FR1", "TILE NONE", "DE PASS", "ATTAK 3", "C9: PASS",
    "AGREE RECALL", "PASS # remark", "OPTIONS RANDOM=ON", "CANCEL 3",
]  # fmt: skip
LINES = [
    "", " ", "ORDERS FWW-1 T3.R", "ORDERS T2", "ORDRES", "ORDERS GERMANY", "END", "FIN", "STANDING", "POLICY",
    "PRESS TO ALL", "PRESS TO EA: hello", "PRESS TO EA: " + "x" * 70, "1", "Q1 2", "Q7 1", "Q1 1, Q2 2",
    "2.", "- 3",
    "ABSENT 3/8", "ABSENT 3 Aug – 20 Aug", "STOP", "CONFIRM", "CHECK", "READY", "UNSEAL", "RULING", "HOLD",
    "-----", "***", "# remark", "Jeanne", "Best regards", "##- x -##", "##- end / fin -##", "no idea",
    "\u2028x",
    "RÈGLE 5", "\u200f", "ZONE Mars", "FORCE DICE 3", "ANSWER FOR WA: 1", "EXTEND 2 days", "a\rb", "CANCEL",
    *OURS.split("\n"),
]  # fmt: skip

row = st.one_of(
    st.sampled_from(ORDERS + LINES),
    st.sampled_from(sorted(REGISTRY.spellings)),
    st.builds("{} {}".format, st.sampled_from(sorted(REGISTRY.spellings)), st.sampled_from(ORDERS + LINES)),
    st.sampled_from(sorted(" ".join(formula) for formula in FORMULAS)),
    st.text(max_size=80),
)
text_line = st.builds(
    TextLine,
    row,
    st.sampled_from([0, 0, 0, 0, 1, 1, 2]),
    st.sampled_from(["", "", "", "", "", "signature", "attribution"]),
)
WRITERS = {"player": PLAYER, "umpire": UMPIRE, "observer": OBSERVER, "stranger": STRANGER}
# Writer, open window, window answered, numbered questions, letter answered, language.
circumstances = st.tuples(
    st.sampled_from(["player", "player", "player", "umpire", "observer", "stranger"]),
    st.sampled_from(["T3.R", "T3.R", "T3.C2", ""]),
    st.sampled_from(["T3.R", "T2.R", ""]),
    st.sampled_from([(), (3,), (2, 2)]),
    st.booleans(),
    st.sampled_from(["en", "fr"]),
)


def writer(drawn: tuple[Any, ...]) -> Circumstances:
    who, window, answers, choices, known, language = drawn
    changed = {"open": window, "answers": answers, "choices": choices, "language": language}
    return replace(WRITERS[who], sent=OURS if known else "", **changed)


PLAIN = ("player", "T3.R", "T3.R", (2, 2), True, "en")


def places(found: Understood) -> list[tuple[str, OwnLine]]:
    """Where each line ended. A refused line of a sheet is told as a refusal, not as an order."""
    refused = {line.number for one in found.refused for line in one.lines}
    rows = [("refusal", line) for one in found.refused for line in one.lines]
    rows += [("command", line) for one in found.commands for line in one.lines]
    rows += [("answer", line) for line in dict.fromkeys(at for one in found.replies for at in one.lines)]
    rows += [("talk", one.line) for one in found.chat]
    rows += [("frame", line) for line in found.frames]
    for sheet in (found.sheet, found.standing):
        rows += [("order", at) for one in sheet.lines for at in one.lines if at.number not in refused]
    return rows + [("question", line) for one in found.questions for line in one.lines]


def check(lines: list[TextLine], who: Circumstances, files: tuple[str, ...] = ()) -> Understood:
    mail = replace(letter("", *files), lines=tuple(lines))
    found = understand(mail, who, REGISTRY)
    ended: dict[int, list[str]] = {}
    for kind, line in places(found):
        ended.setdefault(line.number, []).append(kind)
    flat = [line._replace(text=" ".join(line.text.splitlines())) for line in lines]
    own = tell_apart(flat, who.sent).lines
    for one in own:
        if one.text.strip():
            assert len(ended.get(one.number, [])) == 1, (one, ended.get(one.number))
    codes(found)
    return found


def codes(found: Understood) -> None:
    """Only listed codes, with all their facts."""
    for question in found.questions:
        assert set(question.facts) == set(QUESTIONS[question.code])
    reasons = [question.reason for question in found.questions if question.reason is not None]
    for refusal in (*found.refusals, *reasons):
        if refusal.rule == MAIL:
            assert set(refusal.facts) == set(REASONS[refusal.reason])
            assert refusal.facts.get("expected", "text") in EXPECTED


@settings(max_examples=300, deadline=None)
@given(st.lists(text_line, max_size=14), circumstances)
@example([TextLine("PRESS TO ALL"), TextLine("ORDERS T3.R"), TextLine("END")], PLAIN)
@example([TextLine("ORDERS T3.R"), TextLine("PRESS TO ALL"), TextLine("END")], PLAIN)
@example([TextLine("Q1 1"), TextLine("Q1 2")], PLAIN)
@example([TextLine("ORDERS T3.R"), TextLine("ORDERS T3.R", 1), TextLine("END")], PLAIN)
def test_every_own_line_ends_in_exactly_one_place(lines: list[TextLine], who: tuple[Any, ...]) -> None:
    check(lines, writer(who))


@settings(max_examples=60, deadline=None)
@given(st.lists(row, max_size=6), st.lists(row, max_size=6), circumstances)
def test_attachments_too(body: list[str], file: list[str], who: tuple[Any, ...]) -> None:
    found = check([TextLine(text) for text in body], writer(who), ("\n".join(file),))
    first = len(body) + 1
    rows = ["", *"\n".join(file).split("\n")]
    for number in range(1, len(rows)):
        if rows[number].strip() and not rows[number].startswith((">", "%", "@")):
            ended = [kind for kind, line in places(found) if line.number == first + number - 1]
            assert len(ended) == 1, (rows[number], ended)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(ORDERS + LINES), max_size=10))
def test_what_runs_without_a_block_has_no_line_in_doubt(rows: list[str]) -> None:
    found = read("\n".join(rows).replace("\r", ""))
    doubtful = [question for question in found.questions if question.code == "doubtful-line"]
    assert not (doubtful and found.verdict == "runs")
    if found.source == "free" and found.verdict == "runs":
        assert {one.line.text for one in found.chat} <= {
            "-----", "***", "# remark", "Jeanne", "Best regards", "\u200f", *OURS.split("\n")
        }  # fmt: skip


@pytest.mark.parametrize("line", ["x" * 5000, "1" * 5000, "Q" + "9" * 400 + " 1", "CANCEL " + "9 " * 3000])
def test_endless_lines(line: str) -> None:
    check([TextLine(line)], PLAYER)
    check([TextLine("ORDERS"), TextLine(line), TextLine("END")], PLAYER)


def test_a_letter_of_many_lines_is_read_in_time_and_cut() -> None:
    found = check([TextLine("ATTACK 3 WIHT FR1")] * (MOST_LINES + 5), PLAYER)
    assert "cut-off" in [question.code for question in found.questions]


def test_codes_are_listed_once_and_confirmable_ones_exist() -> None:
    assert set(QUESTIONS) >= CONFIRMABLE
    assert not set(QUESTIONS) & set(REASONS)
