"""Every line of every game goes through the codec and comes back as the same bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.kernel.journal import canonical, codec_of, format_lines, parse_lines
from engine.kernel.requests import Fact
from tests.conformance.games import SIZE, Case
from tests.conformance.sitting import automatic


@pytest.mark.parametrize("seed", range(2 * SIZE))
def test_every_line_comes_back_as_the_same_bytes(case: Case, seed: int, tally: Any) -> None:
    table, codec = automatic(case, seed), codec_of(case.game)
    for line in table.journal.lines:
        data = json.loads(line.raw)
        assert canonical(data) == line.raw
        if data["k"] == "fact":
            fact = codec.fact(data)
            assert codec.fact_line(fact) == line.raw
            assert_well_formed(fact, data)
        if data["k"] == "answer":
            answer = codec.answer(data["topic"], data["answer"])
            assert canonical(answer) == canonical(data["answer"])
    assert list(parse_lines(format_lines(table.journal.lines))) == table.journal.lines
    tally(lines=len(table.journal))


def assert_well_formed(fact: Fact, data: dict[str, Any]) -> None:
    """A fact is hashable, so it holds no list; what others read of a private one is public and known."""
    hash(fact)
    assert isinstance(fact, Fact)
    if "to" not in data:
        assert fact.audience is None  # nobody stands outside and reads less
        return
    others = fact.redacted()
    assert others is None or others.audience is None
    assert ("others" in data) == (others is not None)


def test_a_game_lists_its_facts_by_their_names(case: Case) -> None:
    assert {name: kind.__name__ for name, kind in case.game.facts.items()} == {
        name: name for name in case.game.facts
    }


def test_what_others_read_is_listed_too(case: Case) -> None:
    """A redacted fact is told by its own phrase, so it must have a name the game knows."""
    table = automatic(case, 1)
    told = [data["others"]["fact"] for line in table.journal.lines if "others" in (data := line.data)]
    assert set(told) <= set(case.game.facts)
