"""Words with two meanings, over both languages, all ids and aliases, and the commands of a letter."""

from __future__ import annotations

from collections import defaultdict

import pytest

from engine.games.first_world_war.answers import Alliance
from engine.games.first_world_war.notation.lexicon import lexicon
from engine.games.first_world_war.notation.words import (
    ALL_TABLES,
    CLAUSES,
    LEAD_TERMS,
    PLANNING,
    TERMS,
    TILE_TERMS,
    VALUES,
    VERBS,
)
from engine.notation.scan import one_word
from engine.notation.words import Spellings
from tests.rules.fww.board import PACK
from tests.rules.fww.desk import line, refusal, view_of

LEXICON = lexicon(PACK)
ALLIANCES: tuple[Alliance, ...] = ("ALLIES", "CENTRAL")
PLAYERS = """
    HELP STATUS MAP HAND HISTORY RULE CHECK DRAFT TEST ORDERS ORDRES END FIN STANDING SHEET POLICY SHOW
    CONFIRM CANCEL READY WAIT SALT ABSENT ODDS PRESS PROPOSE ROLLBACK AGREE ARMISTICE RESIGN LANG ZONE
    VERIFY LIST SIGNUP WATCH STOP ADDRESS LINK UNLINK
"""
UMPIRES = "ANSWER EXTEND HOLD RELEASE FORCE RULING ROLLBACK WHATIF REPLACE PROCESS UNSEAL"
COMMANDS = sorted({*PLAYERS.split(), *UMPIRES.split()})

BLOCK = (
    "inside a block the game's words win over commands; outside, one that is a whole command is the command"
)
TREATY = "after TREATY it speaks of the treaty"
DRAW_OR_OPTION = "after DRAW it answers, after a name and = it is a switch"
NUMBER = "a front where a front is expected; a number behind an operator, SLOTS or CANCEL, and before D"

# Every word with more than one meaning, and what decides.
DECIDED = {
    "HOLD": "after IF, AND, NOT a condition on a location, inside DEPLOY what stays behind; " + BLOCK,
    "REFUSE": "at the start before RECALL the answer to Germany, else DENY; " + TREATY,
    "ACCEPTE": "at the start the answer to a recall; " + TREATY,
    "ASK": "at the start, with REPLACE, a request; after DEFEND f: and TAKE the wish to be asked",
    "DEMANDE": "as ASK",
    "NONE": "after TREATY no offer, elsewhere the end of a list of wishes",
    "AUCUN": "as NONE",
    "AUCUNE": "as NONE",
    "YES": DRAW_OR_OPTION,
    "NO": DRAW_OR_OPTION,
    "OUI": DRAW_OR_OPTION,
    "NON": DRAW_OR_OPTION,
    "VERDUN": "after ATTACK, DEFEND and > a front; after TAKE, OCCUPY f:, HOLD, LOST, STAKE a location",
    "MACHINEGUNS": "the sender's own tile",
    "MITRAILLEUSES": "the sender's own tile",
    "DE": "at the start and after VP the faction; among armies the first half of DE 1",
    "C1": "at the start of a line a planning prefix, in a list of tiles C01",
    "C2": "as C1",
    "C3": "as C1",
    "C4": "as C1",
    "CANCEL": BLOCK,
    "AGREE": BLOCK,
    "REPLACE": BLOCK,
    "PROPOSE": "after TRAITE the offer, at the start the command",
    **{str(front): NUMBER for front in PACK.fronts},
}


def keywords(table: Spellings) -> list[tuple[str, str]]:
    return [(word, symbol) for symbol, both in table.items() for word in " ".join(both).split()]


def meanings() -> dict[str, set[str]]:
    """Word -> everything it may stand for. What begins an order and what goes on in one is the same word."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for name, table in ALL_TABLES.items():
        for word, symbol in keywords(table):
            found[word].add(symbol if name in ("verb", "clause") else f"{name} {symbol}")
    for kind, words in (("army", LEXICON.armies), ("front", LEXICON.fronts), ("location", LEXICON.locations)):
        for word, thing in words.items():
            found[word].add(f"{kind} {thing}")
    for word, faction in LEXICON.factions.items():
        found[word].add(f"faction {faction}")
    for alliance in ALLIANCES:
        for word, tile in LEXICON.tiles[alliance].items():
            found[word].add(f"tile {tile}")
    for nation in PACK.nationalities:
        if nation not in LEXICON.armies:
            found[nation].add(f"first half of an army's name: {nation}")
    for word in PLANNING:
        found[word].add("planning prefix")
    for word in COMMANDS:
        found[word].add("command")
    for number in PACK.fronts:
        found[str(number)].add("number")
    found["D"].add("a dummy")
    return found


def test_every_word_with_two_meanings_is_listed_with_what_decides() -> None:
    twofold = {word for word, several in meanings().items() if len(several) > 1}
    assert twofold == set(DECIDED)


# Where the reader stands, and the tables it looks a word up in there.
POSITIONS: dict[str, list[list[tuple[str, str]]]] = {
    "start of a line": [
        keywords(VERBS),
        [(word, f"faction {one}") for word, one in LEXICON.factions.items()],
        [(word, "planning prefix") for word in PLANNING],
        [(word, f"command {word}") for word in COMMANDS],
    ],
    "clause": [keywords(CLAUSES)],
    "front": [[(w, f"front {f}") for w, f in LEXICON.fronts.items()], keywords(VALUES)],
    "armies": [
        [(word, f"army {one}") for word, one in LEXICON.armies.items()],
        keywords(VALUES),
        keywords(CLAUSES),
        [("D", "a dummy")],
    ],
    "locations": [
        [(word, f"location {one}") for word, one in LEXICON.locations.items()],
        keywords(VALUES),
        keywords(CLAUSES),
    ],
    "conditions": [keywords(TERMS), keywords(TILE_TERMS), keywords(LEAD_TERMS)],
    **{
        f"tiles of {alliance}": [
            [(word, f"tile {one}") for word, one in LEXICON.tiles[alliance].items()],
            keywords(VALUES),
            keywords(CLAUSES),
        ]
        for alliance in ALLIANCES
    },
    **{name: [keywords(ALL_TABLES[name])] for name in ("drawing", "treaty", "switch", "option")},
}


def test_in_one_position_only_these_have_two_meanings() -> None:
    twofold = set()
    for position, tables in POSITIONS.items():
        found: defaultdict[str, set[str]] = defaultdict(set)
        for table in tables:
            for word, meaning in table:
                found[word].add(meaning)
        twofold |= {(position, word) for word, several in found.items() if len(several) > 1}
    start = "start of a line"
    assert twofold == {(start, "CANCEL"), (start, "AGREE"), (start, "REPLACE"), (start, "REFUSE")}


def test_in_every_position_a_word_is_found_by_itself_or_not_at_all() -> None:
    """A name written apart begins with no word that is a name itself, so the longest name always wins."""
    for words, rows in (
        (LEXICON.locations, [row.names for row in PACK.locations.values()]),
        *((LEXICON.tiles[row.alliance], [row.names]) for row in PACK.tiles.values()),
    ):
        for names in rows:
            for name in names.values():
                first, *rest = name.split()
                assert not rest or one_word(first) not in words, name


def test_all_words_are_plain() -> None:
    for word in meanings():
        assert word == one_word(word)
        assert word.isascii()


@pytest.mark.parametrize(
    ("who", "text", "written"),
    [
        (
            "WA",
            "IF HOLD VERDUN THEN ATTACK VERDUN TAKE VERDUN",
            "C1: IF HOLD VERDUN THEN ATTACK 3 TAKE VERDUN",
        ),
        ("WA", "DEPLOY FR6 > VERDUN HOLD FR9 IF HOLD VERDUN", "IF HOLD VERDUN THEN DEPLOY FR6 > 3 HOLD FR9"),
        ("GA", "REFUSE RAPPEL", "REFUSE RECALL"),
        ("WA", "REFUSE MEF", "DENY BR-MEF"),
        ("EA", "TRAITE REFUSE", "TREATY REFUSE"),
        ("EA", "TRAITE ACCEPTE", "TREATY ACCEPT"),
        ("GA", "ACCEPTE RAPPEL", "C1: AGREE RECALL"),
        ("EA", "DEMANDE REMPLACE OR", "ASK REPLACE FR-OR"),
        ("EA", "DEFENDS 9 DEMANDE", "DEFEND 9: ASK"),
        ("DE", "DE C1: ATTACK 3 WITH DE 1 TILE C1", "C1: ATTACK 3 WITH DE1 TILE MACHINEGUNS"),
        ("DE", "IF VP DE > 3 THEN PASS", "C1: IF VP DE > 3 THEN PASS"),
        ("WA", "TILE MITRAILLEUSES", "TILE MACHINEGUNS"),
        ("DE", "PIOCHE NON", "DRAW NO"),
        ("DE", "OPTIONS HASARD=NON", "OPTIONS RANDOM=OFF"),
        ("DE", "MOVE 2: 2 D > 1", "C1: MOVE 2: 2D > 1"),
        ("DE", "IF ENEMY 2 > 1 THEN MOVE 2: D > 1", "C1: IF ENEMY 2 > 1 THEN MOVE 2: D > 1"),
        ("DE", "TREATY NONE", "TREATY NONE"),
        ("DE", "TRAITE PROPOSE", "TREATY OFFER"),
    ],
)
def test_the_position_decides(who: str, text: str, written: str) -> None:
    assert line(text, view_of(who)).write() == written


@pytest.mark.parametrize("word", ["CANCEL", "AGREE", "REPLACE"])
def test_a_command_alone_is_no_order(word: str) -> None:
    """Outside a block the service may take it as the command it is."""
    assert refusal(word).reason == "missing"
