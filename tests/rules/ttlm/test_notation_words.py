"""Words with two meanings, refusals and what is proposed instead."""

from __future__ import annotations

from collections import defaultdict

import pytest

from engine.games.to_the_last_man.notation import EXPECTED, NOTATION, REASONS
from engine.games.to_the_last_man.notation.lexicon import lexicon
from engine.games.to_the_last_man.notation.words import ALL_TABLES, PREFIXES, VERBS
from engine.kernel.errors import Ambiguous, Illegal, Unreadable
from engine.kernel.game import UNKNOWN_ORDER
from engine.notation.words import Spellings, symbol_table
from pbem.orders.own_text import END, ORDERS, STANDING
from pbem.orders.text import ADDRESSEES, FORMULAS
from pbem.verbs.registry import REGISTRY
from tests.rules.ttlm.desk import line, read, refusal, view_of
from tests.rules.ttlm.drawn import PACK

LEXICON = lexicon(PACK)
STARTS = {*symbol_table(VERBS), *symbol_table(PREFIXES)}
COMMANDS = {parts[0] for parts in REGISTRY.phrases}

# First words of lines that are commands of letters as well: in a block the game's, outside a whole command.
BOTH = {"CARTE": "a card to be laid, or the map"}
# In one position of an order a word has one meaning; over all positions these have several.
TWOFOLD = {
    "A": "at the start of a line AT, elsewhere artillery",
    "SUR": "after CARD and in lists of cards Surprise Attack, behind a card ON",
    "BAD": "in lists of cards Bad Weather, in paths and places Baden",
    "PAR": "before TIR, BATAILLE or TOUR per, else Paris",
    "RESERVES": "as the first word the order, in lists of cards the card",
    "BIPLANE": "as the first word the order, elsewhere the type",
    "BIPLAN": "as BIPLANE",
}


def keywords(table: Spellings) -> list[str]:
    return [word for both in table.values() for word in " ".join(both).split()]


def test_words_that_are_commands_of_letters_too() -> None:
    assert COMMANDS & STARTS == set(BOTH)
    assert not {*ORDERS, *END, *STANDING} & STARTS


def test_no_courtesy_is_an_order() -> None:
    view = view_of()
    for formula in sorted(FORMULAS | ADDRESSEES):
        reading = NOTATION.read(" ".join(formula), view)
        assert reading.orders + reading.standing == (), formula


def test_names_that_are_also_keywords_or_names_of_other_things() -> None:
    meanings: defaultdict[str, set[str]] = defaultdict(set)
    things = {"area": LEXICON.areas, "army": LEXICON.armies, "card": LEXICON.cards, "type": LEXICON.types}
    for kind, names in things.items():
        for word in names:
            meanings[word].add(kind)
    inside = [name for name in ALL_TABLES if name not in ("card", "type", "corps")]
    for name in inside:
        for word in keywords(ALL_TABLES[name]):
            meanings[word].add("word")
    several = {word for word, kinds in meanings.items() if len(kinds) > 1}
    assert several == set(TWOFOLD)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("A LIE: PERDRE A DERNIER", "AT LIE: LOSE A LAST"),
        ("CARTE SUR SUR LIE", "CARD SURPRISE ON LIE"),
        ("EXCESS DROP BAD", "EXCESS DROP BADWEATHER"),
        ("MOVE GE1 STR-BAD", "MOVE GE1 STR-BAD"),
        ("ERSATZ MAX 2 PAR TOUR", "ERSATZ MAX 2"),
        ("BATTLE PAR", "BATTLE PAR"),
        ("KEEP LIE", "KEEP LIE"),
        ("ERSATZ MAX 2 KEEP OFF", "ERSATZ MAX 2 KEEP OFFENSIVE"),
        ("WEATHER", "WEATHER"),
        ("RETREAT NONE IF WEATHER", "RETREAT NONE IF WEATHER"),
        ("LOSE FORT FIRST IF FORT>2", "LOSE FORT FIRST IF FORT>2"),
        ("MOVE GE C@TRI TRI-LUX", "MOVE GE C@TRI TRI-LUX"),
        ("MOVE GEC TRI-LUX", "MOVE GEC TRI-LUX"),
        ("RESERVES GE1 AAC-COL", "RESERVES GE1 AAC-COL"),
        ("EXCESS DROP RESERVES", "EXCESS DROP RESERVES"),
    ],
)
def test_place_decides(text: str, canonical: str) -> None:
    assert line(text).write("en") == canonical


def test_names_with_hyphens_are_read_whole_before_paths() -> None:
    view = view_of("EN")
    assert line("RAIL FR4 Bar-le-Duc-Troyes-Paris", view) == line("RAIL FR4 BAR-TRO-PAR", view)
    assert line("MOVE FR4 Saint-Mihiel - Troyes", view) == line("MOVE FR4 BAR-TRO", view)
    german = view_of()
    assert line("MOVE GE1 Haute-Alsace-Bade", german) == line("MOVE GE1 Upper Alsace - Baden", german)


@pytest.mark.parametrize("area", sorted(PACK.areas))
def test_every_name_of_an_area_is_that_area(area: str) -> None:
    row = PACK.areas[area]
    for name in (area, row.names["en"], row.names["fr"], *row.aliases):
        assert line(f"KEEP {name}").write() == f"KEEP {area}", name


@pytest.mark.parametrize("army", sorted(PACK.armies))
def test_every_name_of_an_army_is_that_army(army: str) -> None:
    row, view = PACK.armies[army], view_of(PACK.side_of[army])
    for name in (army, row.names["en"], row.names["fr"]):
        assert line(f"SUPPRESS {name}", view).write() == f"SUPPRESS {army}", name


@pytest.mark.parametrize("card", sorted(PACK.card_kinds))
def test_every_name_of_a_card_is_that_card(card: str) -> None:
    row = PACK.card_kinds[card]
    for name in (card, row.names["en"], row.names["fr"]):
        assert line(f"EXCESS DROP {name}") == line(f"EXCESS DROP {card}"), name


# ------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    ("text", "reason", "proposed"),
    [
        ("MOOVE GE1 AAC-LIE", "unknown-order", "MOVE"),
        ("BOUGERR GE1 AAC-LIE", "unknown-order", "BOUGER"),
        ("MOVE GE1 AAC-LIEG", "unknown-word", "LIEGE"),
        ("MOVE GE99 AAC-LIE", "unknown-word", "GE19"),
        ("CARD SURPRIZE ON LIE", "unknown-word", "SURPRISE"),
        ("LOSE INFANTERY FIRST", "unknown-word", None),
        ("AT LIE: BIPLANE REAKT", "unknown-word", "REACT"),
        ("AT LIE: SAVE IF OWNN<3", "unknown-word", "OWN"),
        ("AT LIEGGE: SAVE", "unknown-word", "LIEGE"),
        ("MOVE GE1", "missing", None),
        ("AT", "missing", None),
        ("AT LIE FOO", "unknown-word", ":"),
        ("PRODUCE CARDS", "missing", "LIMIT"),
        ("EXCESS DROP NONE, OFF", "after-none", None),
        ("AT LIE: RETREAT NONE, GE1>AAC", "after-none", None),
        ("PASS NOW", "left-over", None),
        ("PASS ELSE PLAY OFF", "else-without-if", None),
        ("PASS IF HAND<3 ELSE MOVE GE1 AAC-LIE", "mixed-branches", None),
        ("AT LIE: PASS", "at-out-of-place", None),
        ("BUY 99 CARDS", "out-of-range", None),
        ("MOVE GE1 AAC $ LIE", "unknown-sign", None),
    ],
)
def test_unreadable_lines_and_what_is_proposed(text: str, reason: str, proposed: str | None) -> None:
    found = refusal(text)
    assert isinstance(found, Unreadable)
    assert (found.reason, found.line, found.text) == (reason, 1, text)
    assert set(found.facts) == set(REASONS[reason])
    if "expected" in found.facts:
        assert found.facts["expected"] in EXPECTED
    if proposed is not None:
        assert proposed in found.suggestions


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("MOVE FR5 NAM-LIE", "not-your-army"),
        ("AT LIE: RETREAT ALL TO PAR", "not-adjacent"),
        ("AT LIE: FORCED GE1 TO PAR", "not-adjacent"),
        ("AT LIE: RETREAT GE1>AAC, GE2>ARD", "one-destination"),
        ("WEATHER IF OWN<3", "no-area"),
        ("PLAY OFFENSIVE IF ENEMYINF", "no-area"),
        ("MOVE GE1 AAC-LIE IF WEATHER", "unknown-by-then"),
        ("AT LIE: RETREAT ALL TO AAC IF HITS>2", "unknown-by-then"),
        ("ALWAYS MOVE GE1 AAC-LIE", "not-lasting"),
    ],
)
def test_what_is_forbidden_is_told_before_it_is_accepted(text: str, reason: str) -> None:
    found = refusal(text)
    assert isinstance(found, Illegal)
    assert found.reason == reason
    assert set(found.facts) == set(REASONS[reason])


def test_hidden_hands_are_in_no_condition() -> None:
    assert line("PASS IF OPPHAND>4").write() == "PASS IF OPPHAND>4"
    assert refusal("PASS IF OPPHAND>4", view_of(options={"hidden_hand_size": True})).reason == "hidden"


def test_a_bad_line_leaves_the_others() -> None:
    reading = read("PASS\nMOOVE GE1\n\n# a remark\nKEEP LIE")
    assert [one.number for one in reading.orders] == [1, 5]
    assert [one.line for one in reading.refusals] == [2]


def test_two_nations() -> None:
    assert isinstance(refusal("MOVE I@NAM NAM-MAU", view_of("EN")), Ambiguous)


def test_the_notation_tells_its_own_words_from_others() -> None:
    """What the reader of letters relies on inside a block."""
    view = view_of()
    for word in sorted(COMMANDS - STARTS | {*ORDERS, *END, *STANDING}):
        assert NOTATION.read(word, view).refusals[0].reason == UNKNOWN_ORDER, word
    for word in sorted(STARTS):
        reading = NOTATION.read(word, view)
        assert not reading.refusals or reading.refusals[0].reason != UNKNOWN_ORDER, word
