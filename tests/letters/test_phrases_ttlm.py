"""To the Last Man! in words: what played games bring about, and every refusal, in both languages."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

import pytest

from engine.games import game
from engine.kernel.errors import Illegal
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings, View
from engine.kernel.requests import Answer, Ask
from engine.kernel.table import Table
from pbem.letters.maps import map_text
from pbem.letters.phrases import LANGUAGES
from pbem.letters.render import WIDTH, hand_text, view_text
from tests.letters.test_phrases import EXPECTATIONS, assert_told, phrases, reason_codes, written_refusals

both = pytest.mark.parametrize("language", LANGUAGES)
TTLM = game("ttlm")
Seen = dict[str, dict[Any, Any]]
ALL_OPTIONS = {
    "historical_starting_cards": True,
    "defender_scramble": True,
    "initiative_bidding": True,
    "counter_attack": True,
    "suppress_armies": True,
    "fortify": True,
}
GAMES: tuple[tuple[str, dict[str, Any]], ...] = (("1914", {}), ("1916", ALL_OPTIONS), ("1918", {}))

SAMPLES: dict[str, Any] = {
    "area": "LIE", "areas": ("LIE", "NAM"), "army": "GE2", "at": "AAC", "card": "GAS", "condition": "OPPHAND",
    "cost": 2, "dice": "S.F2", "entered": "NAM", "expected": "area", "held": 1, "hits": 2, "least": 1,
    "left": 1, "legal": ("AAC",), "length": 900, "level": "STALEMATE", "limit": 2, "mode": "fly", "most": 3,
    "named": 3, "nation": "UK", "number": 2, "option": "fortify", "origin": "AAC", "piece": "GE.I",
    "place": "GE2", "points": 1, "room": 0, "sign": "%", "stage": 3, "status": "enemy", "strongest": ("GE2",),
    "there": 1, "to": "LIE", "turn": 8, "unit": "GE.I", "used": 2, "vp": 17, "wanted": 2, "word": "FOO",
    "side": "GE", "year": 1916,
}  # fmt: skip


@cache
def seen() -> Seen:
    """Facts, questions, refusals and views of played games, one of each kind and more of the views."""
    found: Seen = {"facts": {}, "asks": {}, "refusals": {}, "views": {}}
    for number, (scenario, options) in enumerate(GAMES):
        rng, earlier = Random(number), dict[str, list[Answer]]()

        def bot(
            view: View, ask: Ask, rng: Random = rng, earlier: dict[str, list[Answer]] = earlier
        ) -> Answer:
            found["asks"].setdefault((ask.topic, rng.randrange(3)), ask)
            found["views"][view.seat, view.turn, view.phase] = view
            told = earlier.setdefault(ask.topic, [])
            for answer in rng.sample(told, min(3, len(told))):
                if (refusal := ask.options.why_not(answer)) is not None:
                    found["refusals"].setdefault((refusal.reason, tuple(refusal.facts)), refusal)
            told.append(ask.options.sample(rng))
            return told[-1]

        settings = GameSettings(scenario, 2, options=options)
        table = Table.start(TTLM, TTLM.load_pack(), settings, TestDice(str(number)))
        table.automa = dict.fromkeys(TTLM.seats(settings), bot)
        table.advance()
        for line in table.journal.lines:
            if (data := line.data)["k"] == "fact":
                fact = table.codec.fact(data)
                for one in (fact, fact.redacted() if fact.audience is not None else None):
                    if one is not None:
                        found["facts"].setdefault((type(one).__name__, str(data)[:60]), one)
    return found


@both
def test_facts_of_played_games_render(language: Any) -> None:
    words, told = phrases("ttlm", language), seen()["facts"]
    assert len({name for name, _ in told}) >= 45
    silent = {name for (name, _), fact in told.items() if not words.fact(fact)}
    assert silent == {"BattleEnded", "PlayerTurnEnded"}  # a battle that was fought, a turn that was no pass
    for sentence in filter(None, map(words.fact, told.values())):
        assert_told(sentence)
        assert sentence[-1] in ".!" and sentence[0] == sentence[0].upper(), sentence


@both
def test_questions_render(language: Any) -> None:
    words = phrases("ttlm", language)
    assert len({topic for topic, _ in seen()["asks"]}) >= 20
    for ask in seen()["asks"].values():
        assert_told(words.question(ask))
        assert_told(words.say("topics", ask.topic))


@both
def test_refusals_render(language: Any) -> None:
    words = phrases("ttlm", language)
    for refusal in seen()["refusals"].values():
        assert_told(words.refusal(refusal))
    for reason, names in written_refusals("ttlm"):
        facts = SAMPLES if "" in names else {name: SAMPLES[name] for name in names}  # "": facts of another
        assert_told(words.refusal(Illegal("TTLM-1-1", reason, facts)))
    for reason in sorted(reason_codes("ttlm")):
        assert "[TTLM-1-1]" in words.refusal(Illegal("TTLM-1-1", reason, SAMPLES, line=4))
    for expected in EXPECTATIONS["ttlm"]:
        assert_told(words.refusal(Illegal("TTLM-1-1", "missing", {"expected": expected})))


@both
def test_positions_fit_a_letter(language: Any) -> None:
    words, views = phrases("ttlm", language), list(seen()["views"].values())
    assert len(views) > 40
    for view in views:
        for text in (
            view_text(TTLM, view, words),
            hand_text(TTLM, view, words),
            map_text(TTLM, view, words),
        ):
            assert max(map(len, text.splitlines())) <= WIDTH
            assert "None" not in text and "Undefined" not in text
