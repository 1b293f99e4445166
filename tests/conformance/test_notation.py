"""Notation round trip: an answer written as an order line and read again is the answer."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from engine.kernel.game import Language, View
from engine.kernel.requests import Answer, Ask
from engine.kernel.sheet import OrderFile
from tests.conformance.games import SIZE, Case
from tests.conformance.sitting import examine

EACH_TOPIC = 6 * SIZE
LANGUAGES: tuple[Language, ...] = ("en", "fr")


def read_back(case: Case, view: View, ask: Ask, text: str) -> Answer:
    """What a letter with that text answers."""
    reading = case.game.notation.read(text, view)
    assert reading.refusals == (), (ask.topic, text, reading.refusals)
    on_file = OrderFile(reading.orders, reading.standing)
    found = on_file.find(ask, "", view, case.game.notation)
    assert found is not None, (ask.topic, text, "answers nothing")
    return found.answer


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_written_is_read_back(case: Case, language: Language, tally: Any) -> None:
    rng, met = Random(f"{case}/{language}"), Counter[str]()
    write = case.game.notation.write_answer

    def visit(view: View, ask: Ask) -> None:
        met[ask.topic] += 1
        if met[ask.topic] > EACH_TOPIC and rng.random() > EACH_TOPIC / met[ask.topic]:
            return
        described = list(ask.options.describe())
        answers = [ask.default, *rng.sample(described, min(6, len(described)))]
        answers += [ask.options.sample(rng) for _ in range(3)]
        for answer in answers:
            text = write(ask, answer, language)
            if ask.volunteer and answer == ask.default and not text:
                continue  # nothing is done, and nothing need be written
            assert read_back(case, view, ask, text) == answer, (ask.topic, text, answer)
            tally(answers=1)

    for seed in range(2 * SIZE):
        examine(case, seed, visit)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_line_written_again_is_the_same_line(case: Case, language: Language) -> None:
    rng = Random(f"{case}/{language}/again")

    def visit(view: View, ask: Ask) -> None:
        if rng.random() > 0.1:
            return
        text = case.game.notation.write_answer(ask, ask.options.sample(rng), language)
        reading = case.game.notation.read(text, view)
        for line in (*reading.orders, *reading.standing):
            again = case.game.notation.read(line.write(language), view)
            assert again.refusals == ()
            assert [one.write(language) for one in (*again.orders, *again.standing)] == [line.write(language)]
            assert again.orders + again.standing == (line,)

    examine(case, 3, visit)
