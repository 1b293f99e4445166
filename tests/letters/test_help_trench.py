"""HELP on Trench Club says what its notation really takes."""

from __future__ import annotations

import re
from typing import Any

import pytest

from engine.games.trench_club.notation import NOTATION
from engine.games.trench_club.view import Report, View
from engine.kernel.requests import Seat
from pbem.letters.help import pages, topic_of
from pbem.letters.phrases import LANGUAGES
from pbem.letters.render import WIDTH
from pbem.orders.own_text import begins_block, marker
from pbem.verbs.registry import help_topics
from tests.rules.trench.drawn import drawn

both = pytest.mark.parametrize("language", LANGUAGES)
every = pytest.mark.parametrize("topic", ("orders", "standing"))
ARMY = (
    "DE.INF1@C8, DE.CAV1@C3, DE.HVY1@D1, DE.CAR1@D5, DE.TNK1@H5, DE.FLK1@E2, DE.AIR1@F4, DE.MOR1@D6, "
    "DE.TRK1@E5, GB.INF1@C4, AH.INF1@K2, FR.INF1@K14"
)


def lines(topic: str, language: Any) -> tuple[str, ...]:
    return pages(topic, "trench", language)


def examples(topic: str, language: Any) -> list[str]:
    """Lines set in by four blanks."""
    return [line.strip() for line in lines(topic, language) if re.match(r" {4}\S", line)]


def view() -> View:
    return Report(drawn(ARMY))(Seat("DE"))


@both
@every
def test_the_pages_fit_a_letter(topic: str, language: Any) -> None:
    found = lines(topic, language)
    assert not [line for line in found if len(line) > WIDTH or line != line.rstrip() or "\t" in line]
    assert not [line for line in found if begins_block(line) or marker(line)]


@both
@every
def test_every_example_is_read_and_written_back(topic: str, language: Any) -> None:
    shown = examples(topic, language)
    assert len(shown) >= (20 if topic == "orders" else 5)
    for example in shown:
        reading = NOTATION.read(example, view())
        assert not reading.refusals, (example, reading.refusals)
        assert reading.orders or reading.standing, example
        for line in (*reading.orders, *reading.standing):
            assert not NOTATION.read(line.write(language), view()).refusals, line.write(language)


@every
def test_both_languages_show_the_same_orders(topic: str) -> None:
    english, french = (
        [line.write("en") for example in examples(topic, language) for line in _read(example)]
        for language in LANGUAGES
    )
    assert english == french


def _read(example: str) -> list[Any]:
    reading = NOTATION.read(example, view())
    return [*reading.orders, *reading.standing]


@pytest.mark.parametrize(
    ("word", "topic"),
    [("buy", "orders"), ("ACHETER", "orders"), ("portée", "orders"), ("automa", "standing")],
)
def test_words_of_the_game_lead_to_its_pages(word: str, topic: str) -> None:
    assert topic_of(word, "trench", help_topics()) == topic
