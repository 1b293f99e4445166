"""Which lines make a turn: in every game, in every kind of exchange of letters, in every tempo.

The form that a letter offers must make one, or whoever sends it back unchanged would be waited for; what a
player may say beside a turn must not, or a gift or a policy would end it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from engine.games import GAMES, game
from engine.kernel.game import Language, Line, Tempo
from engine.kernel.records import Pause
from engine.kernel.requests import Ask, Seat
from engine.kernel.sheet import makes_turn
from engine.kernel.table import Table
from pbem.letters.order_form import asks_of_window, default_lines, form_lines, has_form, is_form_remark
from pbem.letters.phrases import LANGUAGES, load_phrases, sheet_kind
from tests.conformance.games import STANDING, TEMPOS, Case, cases
from tests.conformance.sitting import bot_of, by_reply, campaign_of, oracles

PLAYED: Mapping[str, Case] = {
    "fww": Case(game("fww"), "standard", 4, {"random_order": True}),
    "ttlm": Case(game("ttlm"), "1914", 2),
    "trench": Case(game("trench"), "standard", 4),
}
KINDS: Mapping[str, Mapping[Tempo, set[str]]] = {  # the whole windows that a game must come to here
    "fww": {"fast": {"O", "D", "R"}, "react": {"D", "C", "V"}, "strict": set()},
    "ttlm": {"fast": {"turn", "P"}, "react": {"turn", "D", "P", "R"}, "strict": {"turn", "P", "R"}},
    "trench": {
        "fast": {"S", "F", "P", "T"},
        "react": {"S", "F", "P", "T"},
        "strict": {"S", "F", "P", "T", "M"},
    },
}
# Beside a turn, each with the kinds of windows in which it is the turn all the same, in every tempo or one.
BESIDE: Mapping[str, Mapping[str, str | Mapping[Tempo, str]]] = {
    "fww": {
        "DEFEND ALL: TILE BEST": "",
        "DRAW YES": "",
        "RETURN UNUSABLE": "",
        "REPLACE DE1": "V",
        "OCCUPY 3: PARIS": "",
        "SLOTS DEPLOY 4 ROUND 2": "O",
    },
    "ttlm": {
        "AT *: ERSATZ MAX 2": "D",
        "ALWAYS AT *: LOSE FORT FIRST": "",
        "RANK OFF, ER3": "",
        "DISCARD ALL": "",
        "ALWAYS PASS": "",
        "PLACE ALL": {"fast": "P R", "react": "R", "strict": "R"},
        "BID 0": "",
        "PLAY OFF": {"fast": "turn", "react": "turn"},
        "BATTLE NONE": "turn",
        "BUY 3 CARDS": "P",
    },
    "trench": {
        "GIVE 2": "M",
        "DEFAULT HOLD": "",
        "DEFAULT AUTOMA": "",
        "MONEY LATER": "",
        "ACTIVE A": "",
        "BUY INF B8": "M",
        "FLIP B A C": "F",
    },
}

SEASONS = ("PLACE ALL",)  # for another season to come
NOTHING = re.compile("^# (?=(PASS|PASSE|PASSER|DONE|TERMINER)$)")  # as a remark offers it
MOST_PAUSES = 80  # of one game


def pauses(case: Case, tempo: Tempo, most: int) -> Iterator[tuple[Table, Pause]]:
    """The first windows of each kind in games of bots, which answer singly, or everything in advance."""
    say, seen = bot_of(case.game, "random", 5), Counter[str]()
    for in_advance in (False, True):
        campaign = campaign_of(case, tempo, seed=5)
        pause, number = campaign.advance(), 0
        while pause is not None and number < MOST_PAUSES:
            kind = "once" if pause.window.once else sheet_kind(pause.window.key)
            seen[kind] += 1
            if seen[kind] <= most:
                yield campaign.table, pause
            files = oracles(case, say) if in_advance else by_reply(campaign.table, pause, say)
            pause, number = campaign.advance(files), number + 1


def asked(pause: Pause) -> dict[Seat, tuple[Ask, ...]]:
    """The open questions of each seat that has any."""
    found: dict[Seat, tuple[Ask, ...]] = {}
    for _, ask in pause.asks:
        if not ask.volunteer:
            found[ask.seat] = (*found.get(ask.seat, ()), ask)
    return found


def read(table: Table, seat: Seat, text: str) -> tuple[Line, ...]:
    reading = table.game.notation.read(text, table.view(seat))
    return *reading.orders, *reading.standing


def offered(table: Table, seat: Seat, pause: Pause, asks: tuple[Ask, ...], language: Language) -> str:
    """The lines of the pre-filled block, without its remarks; PASS as well where a remark offers it."""
    game, view, label = table.game, table.view(seat), pause.window.key.partition("/")[0]
    phrases = load_phrases(game.id, language, table.pack)
    if pause.window.once or not has_form(label, phrases):
        return "\n".join(default_lines(game, view, asks, phrases))
    whole = asks_of_window(game, view, label, asks)
    lines = form_lines(game, view, label, phrases, whole)
    return "\n".join(line for line in (NOTHING.sub("", row) for row in lines) if not is_form_remark(line))


@pytest.mark.parametrize("tempo", TEMPOS)
@pytest.mark.parametrize("name", GAMES)
def test_what_a_letter_offers_makes_a_turn_and_what_is_said_beside_it_does_not(
    name: str, tempo: Tempo
) -> None:
    assert compare(PLAYED[name], tempo, most=2) >= KINDS[name][tempo]


@pytest.mark.long
@pytest.mark.parametrize("tempo", TEMPOS)
@pytest.mark.parametrize("case", [case for case in cases() if case.game.id in GAMES], ids=str)
def test_the_same_with_every_set_of_options(case: Case, tempo: Tempo) -> None:
    assert compare(case, tempo, most=40) or tempo == "strict"


def is_last(view: Any) -> bool:
    """Of To the Last Man!: is this the last season?"""
    return bool(view.phase == "production" and view.turn == view.last_turn)


def compare(case: Case, tempo: Tempo, most: int) -> set[str]:
    """Look at so many windows of each kind; returns the kinds of whole ones."""
    name, seen = case.game.id, set[str]()
    for table, pause in pauses(case, tempo, most):
        window, kind = pause.window, sheet_kind(pause.window.key)
        for seat, asks in asked(pause).items():
            view, whole = table.view(seat), not window.once
            for language in LANGUAGES:
                form = offered(table, seat, pause, asks, language)
                told = read(table, seat, form)
                assert not form or makes_turn(told, window, asks, view, case.game, tempo), (window, form)
            for text in (*STANDING[name][1:], *BESIDE[name]) if whole else ():
                lines, where = read(table, seat, text), BESIDE[name].get(text, "")
                kinds = where if isinstance(where, str) else where.get(tempo, "")
                wanted = kind in kinds.split() and bool(lines) and not (text in SEASONS and is_last(view))
                assert makes_turn(lines, window, asks, view, case.game, tempo) is wanted, (window, text)
            seen |= {kind} if whole else set()
    return seen


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_words_for_what_makes_a_turn(name: str, language: str) -> None:
    for tempo in TEMPOS:
        for kind in KINDS[name][tempo]:
            assert load_phrases(name, language, PLAYED[name].game.load_pack()).has("turns", kind)  # type: ignore[arg-type]
