"""Every window of every game is a turn in a header of orders and in a command, open or not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

import pytest

from engine.games import GAMES, game
from engine.kernel.game import Tempo
from pbem.orders.blocks import Header, labels, read_header, wrong_turn
from pbem.orders.understood import Circumstances
from pbem.verbs.information import History
from tests.conformance.games import TEMPOS, Case
from tests.conformance.sitting import bot_of, campaign_of, oracles
from tests.orders.writing import PLAYER, commands, read

PLAYERS = {"fww": 4, "trench": 4, "ttlm": 2}
MOST_WINDOWS = 24


@cache
def window_keys(name: str, tempo: Tempo) -> tuple[str, ...]:
    """The first windows of a game, as letters call them."""
    one = game(name)
    case = Case(one, one.scenarios[0], PLAYERS[name])
    campaign, say, keys = campaign_of(case, tempo, 1), bot_of(one, "random", 1), list[str]()
    pause = campaign.advance()
    while pause is not None and len(keys) < MOST_WINDOWS:
        keys.append(pause.window.key.partition("/")[0])
        pause = campaign.advance(oracles(case, say))
    return tuple(dict.fromkeys(keys))


def circumstances(name: str, opened: str) -> Circumstances:
    exchange = partial(game(name).notation.exchange_key, pack=game(name).load_pack())
    return replace(PLAYER, campaign="GAME-1", open=opened, answers=opened, exchange=exchange)


@pytest.mark.parametrize("tempo", TEMPOS)
@pytest.mark.parametrize("name", sorted(GAMES))
def test_every_window_is_a_turn_whichever_is_open(name: str, tempo: Tempo) -> None:
    keys = window_keys(name, tempo)
    assert len(keys) > 2
    for opened in (keys[0], keys[-1]):
        here = circumstances(name, opened)
        for key in keys:
            for text in (f"ORDERS GAME-1 {key}", f"ordres game-1 {key.lower()} :", f"ORDERS {key}"):
                header = read_header(text, here)
                assert header is not None and (header.turn, header.unclear) == (key, False), text
            trouble = wrong_turn(key, here)
            assert (trouble is None) == (key in labels(opened)), (key, opened)
            assert commands(read(f"HISTORY {key}", who=here)) == [History(key)]


def test_the_turns_number_alone_is_the_games_own() -> None:
    assert read_header("ORDERS round 2", circumstances("trench", "R2.GB.T")) == Header("", "R2")
    assert read_header("ORDRES manche 2", circumstances("trench", "R2.GB.T")) == Header("", "R2")
    assert read_header("ORDERS turn 2", circumstances("fww", "T2.R")) == Header("", "T2")
    assert wrong_turn("R2.GB", circumstances("trench", "R2.GB.T")) is None


@pytest.mark.parametrize("word", ["S.S", "R2.DE.T"])
def test_another_games_keys_are_no_turns(word: str) -> None:
    header = read_header(f"ORDERS GAME-1 {word}", circumstances("fww", "T2.R"))
    assert header is not None and header.unclear
