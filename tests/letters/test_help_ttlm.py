"""HELP on To the Last Man! says what its notation really takes."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest

from engine.games.to_the_last_man.notation import NOTATION
from engine.games.to_the_last_man.pack import load_pack
from engine.games.to_the_last_man.report import Report
from engine.games.to_the_last_man.rules.setup import set_up
from engine.kernel.game import GameSettings
from engine.kernel.requests import Seat
from pbem.letters.help import pages, topic_of
from pbem.letters.phrases import LANGUAGES
from pbem.letters.render import WIDTH
from pbem.orders.own_text import begins_block, marker
from pbem.verbs.registry import help_topics

both = pytest.mark.parametrize("language", LANGUAGES)
every = pytest.mark.parametrize("topic", ("orders", "standing"))


def lines(topic: str, language: Any) -> tuple[str, ...]:
    return pages(topic, "ttlm", language)


def examples(topic: str, language: Any) -> list[str]:
    """Lines set in by four blanks."""
    return [line.strip() for line in lines(topic, language) if re.match(r" {4}\S", line)]


@cache
def views() -> tuple[Any, ...]:
    """Each side's, early and late in the war: some orders are Germany's alone, some need what came later."""
    states = [set_up(load_pack(), GameSettings(scenario))[0] for scenario in ("1914", "1918")]
    return tuple(Report(state)(Seat(side)) for state in states for side in ("GE", "EN"))


@both
@every
def test_the_pages_fit_a_letter(topic: str, language: Any) -> None:
    found = lines(topic, language)
    assert not [line for line in found if len(line) > WIDTH or line != line.rstrip() or "\t" in line]
    assert not [line for line in found if begins_block(line) or marker(line)]


@both
@every
def test_every_example_is_read(topic: str, language: Any) -> None:
    shown = examples(topic, language)
    assert len(shown) >= 15
    for example in shown:
        readings = [NOTATION.read(example, view) for view in views()]
        good = [one for one in readings if not one.refusals]
        assert good, (example, readings[0].refusals)
        assert all(one.orders or one.standing for one in good), example


@both
@every
def test_what_the_writer_makes_of_an_example_is_read_again(topic: str, language: Any) -> None:
    for example in examples(topic, language):
        for view in views():
            reading = NOTATION.read(example, view)
            for line in (*reading.orders, *reading.standing) if not reading.refusals else ():
                again = NOTATION.read(line.write(language), view)
                assert not again.refusals, (example, line.write(language))


@pytest.mark.parametrize(
    ("word", "topic"),
    [
        ("rail", "orders"),
        ("FER", "orders"),
        ("Entrench", "orders"),
        ("retrancher", "orders"),
        ("weather", "standing"),
        ("météo", "standing"),
        ("Ersatz", "standing"),
        ("forcée", "standing"),
    ],
)
def test_words_of_the_game_lead_to_its_pages(word: str, topic: str) -> None:
    assert topic_of(word, "ttlm", help_topics()) == topic


def test_both_languages_show_the_same_orders() -> None:
    """As many of each kind; one line may be written as two where French is longer."""
    for topic in ("orders", "standing"):
        numbers = [len(examples(topic, language)) for language in LANGUAGES]
        assert max(numbers) - min(numbers) <= 1, (topic, numbers)
