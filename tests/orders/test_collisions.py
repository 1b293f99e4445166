"""Words with two meanings over both languages: keywords, all ids and names, and all commands.

The order language by itself is looked through in tests/rules/fww/test_notation_words.py; here the verbs of
letters, the words that frame blocks and the courtesies come on top of its table.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

from engine.kernel.game import UNKNOWN_ORDER
from pbem.orders.arguments import ALL
from pbem.orders.dates import MONTHS, NEAR_DAYS, WEEKDAYS
from pbem.orders.own_text import END, ORDERS, STANDING
from pbem.orders.text import ADDRESSEES, FORMULAS, key
from pbem.verbs.press import LINKING
from pbem.verbs.press import UMPIRE as THE_UMPIRE
from pbem.verbs.registry import REGISTRY
from pbem.verbs.umpire import BY
from tests.narrowing import not_none
from tests.orders import commands as c
from tests.orders.writing import PLAYER, SEATS, UMPIRE, commands, read, sheet
from tests.rules.fww.test_notation_words import DECIDED, POSITIONS
from tests.rules.fww.test_notation_words import meanings as of_the_game

START = "start of a line"
PHRASES = REGISTRY.phrases
FIRST_WORDS = {parts[0] for parts in PHRASES}
GAME_STARTS = {
    word for table in POSITIONS[START] for word, meaning in table if not meaning.startswith("command")
}

IN_BLOCK = "inside a block the game's word; outside, a line that is a whole command is the command"
ERRAND = "with numbers or ALL the service's errand everywhere; alone the command, inside a block refused"
AFTER = "at the start of a line the command; the game knows it only behind another word"

# First word of a line -> what decides. Words of the game that can begin a line, and verbs of letters.
AT_THE_START = {
    "AGREE": IN_BLOCK,
    "REPLACE": IN_BLOCK,
    "REMPLACE": IN_BLOCK,
    "MONTRE": IN_BLOCK,
    "CANCEL": ERRAND,
    "ANNULE": ERRAND,
}
# Elsewhere in an order the word means something else.
ELSEWHERE = {
    "HOLD": AFTER,  # IF HOLD loc, DEPLOY … HOLD
    "PROPOSE": AFTER,  # TRAITE PROPOSE
    "OFFER": AFTER,  # TREATY OFFER
    "ACCEPT": AFTER,  # TREATY ACCEPT
    "HISTORIQUE": AFTER,  # OPTIONS HISTORIQUE=OUI
    "ET": AFTER,  # IF … ET …; the verb is ET SI
}


def test_every_word_that_may_begin_an_order_or_a_command_is_decided() -> None:
    assert FIRST_WORDS & GAME_STARTS == set(AT_THE_START)


def test_every_verb_that_stands_elsewhere_in_orders_is_decided() -> None:
    game = {word for word, several in of_the_game().items() if several - {"command"}}
    assert FIRST_WORDS & game == {*AT_THE_START, *ELSEWHERE}


def test_the_words_that_frame_blocks_mean_nothing_else() -> None:
    framing = {*ORDERS, *END, *STANDING}
    game = {word for word, several in of_the_game().items() if several - {"command"}}
    assert not framing & game
    assert not framing & FIRST_WORDS


def test_no_phrase_leads_to_two_verbs() -> None:
    found: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for verb in REGISTRY.verbs:
        for phrase in verb.spellings:
            found[tuple(key(part) for part in phrase.split())].add(verb.symbol)
    assert [phrase for phrase, several in found.items() if len(several) > 1] == []


def test_a_longer_verb_wins_over_the_shorter_one_it_begins_with() -> None:
    shorter = {
        (one, other) for one in PHRASES for other in PHRASES if one != other and other[: len(one)] == one
    }
    assert shorter == {
        (("PRESS",), ("PRESS", "TO")),
        (("PRESSE",), ("PRESSE", "A")),
        (("RETOUR",), ("RETOUR", "A")),
    }
    assert all(PHRASES[one] == PHRASES[other] for one, other in shorter)  # both are the same verb


def test_no_courtesy_is_an_order_a_command_or_a_frame() -> None:
    for formula in sorted(FORMULAS | ADDRESSEES):
        text = " ".join(formula)
        assert PHRASES.get(formula) is None, text
        assert formula[0] not in (*ORDERS, *END, *STANDING) or len(formula) > 1, text
        reading = not_none(PLAYER.notation).read(text, PLAYER.view)
        assert reading.orders + reading.standing == (), text


def test_words_inside_arguments_are_no_seats() -> None:
    assert not {key(seat) for seat in SEATS} & {*ALL, *LINKING, *BY, *THE_UMPIRE}


def test_no_word_of_a_date_has_two_meanings() -> None:
    assert not set(MONTHS) & set(WEEKDAYS)
    assert not {*MONTHS, *WEEKDAYS} & set(NEAR_DAYS)


def test_the_games_own_list_is_part_of_this_one() -> None:
    """Whatever the game decided for a command of ours is decided here, too."""
    ours = {word for word in DECIDED if "command" in of_the_game()[word]}
    assert ours <= {*AT_THE_START, *ELSEWHERE}


# ------------------------------------------------------------------ what the rules above say, done


@pytest.mark.parametrize(
    ("text", "command", "order"),
    [
        ("AGREE", c.Agree(), ""),
        ("AGREE RECALL", None, "C1: AGREE RECALL"),
        ("REPLACE FR1", None, "REPLACE FR1"),
        ("REMPLACE FR1", None, "REPLACE FR1"),
        ("MONTRE CONSIGNES", c.ShowStanding(), ""),
        ("MONTRE 4: FR1", None, "REVEAL 4: FR1"),
        ("CANCEL 2", c.Cancel((2,)), ""),
        ("ANNULE TOUT", c.Cancel(), ""),
        ("CANCEL", c.Cancel(), ""),
        ("PROPOSE RETOUR T2", c.ProposeRollback("T2"), ""),
        ("HISTORIQUE T2", c.History("T2"), ""),
        ("OFFER ARMISTICE", c.Armistice("offer"), ""),
        ("ACCEPT ARMISTICE", c.Armistice("accept"), ""),
        ("REFUSER ARMISTICE", c.Armistice("refuse"), ""),
        ("CAPITULER", c.Resign(), ""),
    ],
)
def test_outside_a_block(text: str, command: c.Command | None, order: str) -> None:
    found = read(text)
    assert commands(found) == ([command] if command else [])
    assert sheet(found) == ([order] if order else [])


@pytest.mark.parametrize(
    ("text", "refused"),
    [("AGREE", True), ("MONTRE CONSIGNES", True), ("CANCEL", True), ("CANCEL 2", False),
     ("PROPOSE RETOUR T2", False), ("HISTORIQUE T2", False), ("REPLACE WA BY a@example.org", True)],
)  # fmt: skip
def test_inside_a_block_the_games_words_win(text: str, refused: bool) -> None:
    found = read(f"ORDERS\n{text}\nEND", writer=("player", "umpire"))
    assert (len(found.refusals), len(commands(found))) == ((1, 0) if refused else (0, 1))


def test_an_umpire_may_replace_a_player_outside_a_block() -> None:
    found = REGISTRY.read("REPLACE WA BY a@example.org", UMPIRE)
    assert found == c.Replace("WA", "a@example.org")


def test_the_notation_tells_its_own_words_from_others() -> None:
    """What the reader relies on inside a block."""
    notation = PLAYER.notation
    assert notation is not None
    for word in sorted(FIRST_WORDS | {*ORDERS, *END, *STANDING}):
        found = notation.read(word, PLAYER.view).refusals
        assert (found[0].reason != UNKNOWN_ORDER) == (word in GAME_STARTS), word
    for word in sorted(GAME_STARTS):
        reading = notation.read(word, PLAYER.view)
        assert not reading.refusals or reading.refusals[0].reason != UNKNOWN_ORDER, word


@pytest.mark.parametrize(
    ("name", "signed"), [("Ann Pass", "Pass"), ("Will Ready", "Ready"), ("Mo Map", "Map")]
)
def test_a_name_that_is_also_a_command_or_an_order_is_asked_about(name: str, signed: str) -> None:
    found = read(f"Thanks\n{signed}", name=name)
    (question,) = found.questions
    assert (question.code, found.verdict) == ("doubtful-line", "asks")
    assert not_none(question.reason).reason == "mail-your-name"
    assert read(f"Thanks\n{name}", name=name).questions == ()


def test_a_name_that_is_only_a_part_of_orders_is_a_name() -> None:
    assert [one.line.text for one in read("D.E.", name="Dora Ehrlich").chat] == ["D.E."]
    assert [one.line.text for one in read("DE", name="Dora Ehrlich").chat] == ["DE"]
