"""A view is built up from nothing: frozen, and no part of it is a part of the state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import FrozenInstanceError, fields, is_dataclass
from types import MappingProxyType
from typing import Any

import pytest

from engine.kernel.fairness.dice import TestDice
from engine.kernel.requests import Answer, Ask
from engine.kernel.table import Table
from tests.conformance.games import Case
from tests.conformance.plain import plain
from tests.conformance.sitting import bot_of, campaign_of, oracles

MUTABLE = (list, dict, set, bytearray)


def parts(value: Any, pack: Any) -> Iterator[Any]:
    """The value and everything inside it, but for the pack."""
    if value is pack:
        return
    yield value
    if is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from parts(getattr(value, field.name), pack)
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from parts(inner, pack)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for inner in value:
            yield from parts(inner, pack)


def views(case: Case) -> Iterator[tuple[Any, Any, Any]]:
    """State, view and pack at every pause of a game, for every seat."""
    campaign, say = campaign_of(case, "react", 5), bot_of(case.game, "random", 5)
    pause = campaign.advance()
    while pause is not None:
        for seat in case.seats:
            yield campaign.table.state, campaign.table.view(seat), campaign.table.pack
        pause = campaign.advance(oracles(case, say))


def test_no_part_of_the_state_is_part_of_a_view(case: Case, tally: Any) -> None:
    for state, view, pack in views(case):
        held = {id(part): part for part in parts(state, pack) if isinstance(part, MUTABLE)}
        shared = [part for part in parts(view, pack) if id(part) in held]
        assert shared == []
        tally(views=1)


def test_views_are_frozen(case: Case) -> None:
    for _, view, pack in views(case):
        for part in parts(view, pack):
            assert not isinstance(part, (list, set, bytearray)), part
            if is_dataclass(part):
                name = fields(part)[0].name
                with pytest.raises((FrozenInstanceError, TypeError)):
                    setattr(part, name, None)
            elif isinstance(part, Mapping):
                assert isinstance(part, (dict, MappingProxyType))


def test_a_view_once_taken_does_not_change(case: Case) -> None:
    """What a letter says is what its reader knew when it was written."""
    taken = []
    campaign, say = campaign_of(case, "react", 6), bot_of(case.game, "random", 6)
    pause = campaign.advance()
    while pause is not None:
        views_now = [campaign.table.view(seat) for seat in case.seats]
        taken += [(view, plain(view, campaign.table.pack)) for view in views_now]
        pause = campaign.advance(oracles(case, say))
    assert len(taken) > 3
    for view, then in taken:
        assert plain(view, campaign.table.pack) == then


def test_the_view_of_every_question_is_that_of_the_position(case: Case, tally: Any) -> None:
    """What is worked out for several seats at once holds for none of them longer than the position."""
    play = bot_of(case.game, "random", 7)
    table = Table.start(case.game, case.game.load_pack(), case.settings(), TestDice(7))

    def answer(view: Any, ask: Ask) -> Answer:
        fresh = case.game.view(table.state, ask.seat)
        assert view is not fresh and plain(view, table.pack) == plain(fresh, table.pack)
        tally(questions=1)
        return play(view, ask)

    table.automa = dict.fromkeys(case.seats, answer)
    table.advance()
    assert table.over


def test_every_question_has_a_view_of_its_own(case: Case) -> None:
    given: list[Any] = []
    play = bot_of(case.game, "random", 8)

    def answer(view: Any, ask: Ask) -> Answer:
        given.append(view)
        return play(view, ask)

    table = Table.start(case.game, case.game.load_pack(), case.settings(), TestDice(8))
    table.automa = dict.fromkeys(case.seats, answer)
    table.advance()
    assert len({id(view) for view in given}) == len(given) > 3


def test_a_view_is_the_seats_own(case: Case) -> None:
    for seat in case.seats:
        state, _ = case.game.set_up(case.game.load_pack(), case.settings())
        assert case.game.view(state, seat).seat == seat
