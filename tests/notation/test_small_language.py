"""The machinery below all order languages, on a language of three verbs and four places."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from engine.kernel.errors import Illegal, Refusal, Unreadable
from engine.kernel.game import Language, Line, Reading, Said
from engine.kernel.requests import Ask, Seat
from engine.notation import cursor, lines, words
from engine.notation.cursor import both, find, name_table
from engine.notation.reasons import Misread, illegal
from engine.notation.scan import LONGEST, Scanner, fold, one_word
from engine.notation.words import Keywords, Spellings, symbol_table

VERBS: Spellings = {"MOVE": ("MOVE MARCH", "BOUGER"), "HOLD": ("HOLD", "TENIR"), "WISH": ("WISH", "VOEU")}
CLAUSES: Spellings = {"TO": ("TO", "VERS"), "ELSE": ("ELSE", "SINON"), "HOLD": ("KEEP", "GARDER")}
VOCABULARY = Keywords({"verb": VERBS, "clause": CLAUSES})
SCANNER = Scanner(signs=", @ + ..", kept=".", ignored="/-", alike={"&": "+"})
PLACES = name_table(
    (name, place)
    for place, row in {
        "D1": SimpleNamespace(names={"en": "Dover", "fr": "Douvres"}),
        "D12": SimpleNamespace(names={"en": "Long Hill", "fr": "La Longue Côte"}),
        "E1": SimpleNamespace(names={"en": "Hill", "fr": "Côte"}),
        "E2": SimpleNamespace(names={"en": "Long Hill Farm", "fr": "Ferme"}),
    }.items()
    for name in (place, *both(row))
)
_VERBS, _TO, _ELSE = (
    symbol_table(VERBS),
    symbol_table(CLAUSES, only=["TO"]),
    symbol_table(CLAUSES, only=["ELSE"]),
)
VIEW = SimpleNamespace(mine=("D1", "E1"))


@dataclass(frozen=True, slots=True)
class Pen(words.Pen):
    vocabulary: ClassVar = VOCABULARY


@dataclass(frozen=True, slots=True)
class OrderLine(Line):
    verb: str
    places: tuple[str, ...] = ()
    number: int = field(default=0, compare=False)

    def attempt(self, ask: Ask, view: Any) -> Said | None:
        return Said(self.places[-1]) if ask.topic == self.verb else None

    def slot(self) -> str:
        return "wish" if self.verb == "WISH" else ""

    def write(self, language: Language = "en") -> str:
        return Pen(language)(self.verb, *self.places)


class Reader(lines.Reader[OrderLine]):
    scanner, vocabulary = SCANNER, VOCABULARY

    def read_line(self, words: list[str], number: int) -> tuple[OrderLine, ...]:
        line = cursor.Cursor(words)
        verb = line.verb(_VERBS)
        line.step()
        places = line.several(lambda one: one.expect_name(PLACES, "place"))
        if verb == "MOVE" and places[0] not in self.view.mine:
            raise illegal("1.1", "not-yours", {"place": places[0]})
        if verb == "MOVE":
            line.expect(_TO, "to")
            places += (line.expect_name(PLACES, "place"),)
        line.expect_end(_ELSE)
        return (OrderLine(verb, places, number),)


def read(text: str) -> Reading:
    return Reader(text, VIEW).reading()


def refusal(text: str) -> Refusal:
    reading = read(text)
    assert reading.orders + reading.standing == ()
    (found,) = reading.refusals
    return found


# ------------------------------------------------------------------ from text to words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("  3) Move «Dover» → Côte  # at dawn", ["MOVE", "DOVER", ">", "COTE"]),
        ("• d\u2019abord S.F2 ==> x\u2026y", ["DABORD", "S.F2", ">", "X", "..", "Y"]),
        ("a & b/c - d ==2 ≥ 3", ["A", "+", "B", "C", "D", "==", "2", ">=", "3"]),
        ("łódź", ["LODZ"]),
        ("# nothing", []),
    ],
)
def test_a_line_is_cut_into_plain_words(text: str, found: list[str]) -> None:
    assert found == SCANNER.tokens(text)


@pytest.mark.parametrize(
    ("text", "sign"),
    [("a % b", "%"), ("!b", "!"), ("a -3", "-"), ("1'8", "'"), ("a \u2260 b", "\u0338"), ("Я", "Я")],
)
def test_no_sign_is_dropped_that_may_have_been_meant(text: str, sign: str) -> None:
    with pytest.raises(Misread) as misread:
        SCANNER.tokens(text)
    assert {"sign": sign} == misread.value.refusal.facts


def test_a_line_has_an_end() -> None:
    assert SCANNER.tokens("a " * (LONGEST // 2))
    with pytest.raises(Misread):
        SCANNER.tokens("a " * LONGEST)


def test_names_are_looked_up_as_one_word() -> None:
    assert ("LACOTE", "STRASSE") == (one_word("La Côte"), fold("straße"))


# ------------------------------------------------------------------ names and numbers


@pytest.mark.parametrize(
    ("tokens", "found"),
    [
        (["LONG", "HILL"], ("D12", 2)),
        (["LONG", "-", "HILL", "FARM"], ("E2", 4)),
        (["LONG", "HILL", "TO"], ("D12", 2)),
        (["D", "1"], ("D1", 2)),
        (["D1", "2"], ("D1", 1)),
        (["LONG"], None),
        ([":"], None),
    ],
)
def test_the_longest_name_counts_but_figures_are_not_joined(tokens: list[str], found: object) -> None:
    assert found == find(PLACES, [*tokens, cursor.END], 0)


@pytest.mark.parametrize(
    ("word", "reason"), [("0", "out-of-range"), ("9" * 5000, "out-of-range"), ("X", "unknown-word")]
)
def test_a_number_is_within_its_bounds(word: str, reason: str) -> None:
    with pytest.raises(Misread) as misread:
        cursor.Cursor([word]).number(1, 8)
    assert reason == misread.value.refusal.reason
    assert 8 == cursor.Cursor(["8"]).number(1, 8)


# ------------------------------------------------------------------ whole texts


def test_all_good_lines_and_all_bad_ones() -> None:
    reading = read(
        "MOVE D1 TO Hill\r\nbouger la longue côte vers E1\n\nvoeu Douvres, Ferme\r"
        "MOVE E1\nHOLD E1 ELSE\nHOLD E1 E1"
    )
    assert (OrderLine("MOVE", ("D1", "E1")),) == reading.orders
    assert (OrderLine("WISH", ("D1", "E2")),) == reading.standing
    assert [(2, "not-yours"), (5, "missing"), (6, "else-without-if"), (7, "left-over")] == [
        (one.line, one.reason) for one in reading.refusals
    ]
    assert isinstance(reading.refusals[0], Illegal)
    assert ("bouger la longue côte vers E1", {"place": "D12"}) == (
        reading.refusals[0].text,
        reading.refusals[0].facts,
    )


def test_near_words_are_proposed_in_the_writers_language() -> None:
    proposed = [
        one.suggestions
        for text in ("MOV D1", "HOLD D1\nMOUGER D1", "TENIR D1\nMOUGER D1")
        for one in read(text).refusals
        if isinstance(one, Unreadable)
    ]
    assert [("MOVE",), ("MOVE",), ("BOUGER",)] == proposed


def test_where_few_words_fit_all_are_proposed() -> None:
    found = refusal("MOVE D1 QQQQ D12")
    assert isinstance(found, Unreadable)
    assert ({"word": "QQQQ", "expected": "to"}, ("TO",)) == (found.facts, found.suggestions)


def test_a_line_answers_what_its_question_offers() -> None:
    def ask(topic: str, *offered: str) -> Ask:
        options: Any = SimpleNamespace(contains=lambda answer: answer in offered)
        return Ask(Seat("A"), topic, "", None, options, default="")

    (line,) = read("HOLD D1").orders
    assert Said("D1") == line.answer(ask("HOLD", "D1", "E1"), VIEW)
    assert Said("D1") == line.attempt(ask("HOLD", "E1"), VIEW)
    assert line.answer(ask("HOLD", "E1"), VIEW) is None
    assert line.answer(ask("MOVE", "D1"), VIEW) is None


def test_the_pen_writes_what_is_read_again() -> None:
    (line,) = read("MARCH Dover to Hill").orders
    assert ("MOVE D1 E1", "BOUGER D1 E1") == (line.write(), line.write("fr"))
    assert ("HOLD", "KEEP", "GARDER", "7") == (
        Pen("en")("HOLD"),
        Pen("en").word("clause", "HOLD"),
        Pen("fr").word("clause", "HOLD"),
        Pen("fr")(7),
    )


@pytest.mark.parametrize("arrow", ["->", "-->", "\u2192", "\uf0e0", "à", "\u2794"])
def test_what_programs_make_of_an_arrow_is_one(arrow: str) -> None:
    assert SCANNER.tokens(f"Move D1 {arrow} E1") == ["MOVE", "D1", ">", "E1"]


@pytest.mark.parametrize("text", ["LOSSES à 3", "MOVE à D1", "PERDRE A à B", "D1 A E1", "D1 àE1"])
def test_the_french_to_is_no_arrow_elsewhere(text: str) -> None:
    assert ">" not in SCANNER.tokens(text)
