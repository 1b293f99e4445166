"""Trench Club in words: what played games bring about, and every refusal, in both languages."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache
from random import Random
from typing import Any

import pytest
from jinja2 import meta

from engine.games import game
from engine.games.trench_club import facts as told_facts
from engine.games.trench_club.answers import Attack, DrawnGiven
from engine.games.trench_club.facts.combat import CombatFought, Shot
from engine.games.trench_club.odds import odds
from engine.games.trench_club.rules.automa.priorities import CLOSE_COMBAT, FOOT_UNITS, LONG_RANGE
from engine.kernel.errors import Ambiguous, Illegal
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings, View
from engine.kernel.requests import Answer, Ask, Seat
from engine.kernel.table import Table
from pbem.letters.maps import map_text
from pbem.letters.phrases import LANGUAGES
from pbem.letters.render import WIDTH, hand_text, view_text
from tests.letters.test_phrases import EXPECTATIONS, assert_told, phrases, reason_codes
from tests.rules.trench.drawn import drawn

both = pytest.mark.parametrize("language", LANGUAGES)
TRENCH = game("trench")
PACK: Any = TRENCH.load_pack()
Seen = dict[str, dict[Any, Any]]
GAMES: tuple[tuple[int, dict[str, Any]], ...] = (
    (2, {"trench_rules": True, "round_limit": 30}),
    (4, {"diceless": "DE FR", "round_limit": 8}),
    (1, {"round_limit": 20}),
    (2, {"coop": True, "round_limit": 5}),
    (4, {"round_limit": 60}),
)
SHOT = Shot("DE.CAR1", "GB.INF1", "dice", (1, 9, 3), 2, 4, 2, "foot", "forest", 1, False)

# One of each fact, with real names; those that games do not bring about in a few rounds among them.
DRAWN: dict[str, tuple[Any, ...]] = {
    "TokensDealt": (("T3", "T1"), (("DE", ("T3",)), ("GB", ("T1",))), "ab" * 32),
    "TokensLaid": ("ab" * 32,),
    "CountersDrawn": (("GB.INF1", "GB.CAR1"), (1, 1, 0), "ab" * 32),
    "ArmySplit": ("DE", (("DE.CAR1",), (), ("DE.INF1",))),
    "PlacingBegan": (("GB", "DE"),),
    "TokenFlipped": ("DE", "B", "T3", 3, "D5"),
    "CompanyPlaced": ("DE", "B", (("DE.CAR1", "D5"),)),
    "PlayBegan": (("GB", "DE"),),
    "TurnBegan": (3, "DE", ("DE.TNK1",)),
    "LeadTaken": ("DE", "later"),
    "CompaniesChosen": ("DE", ("A", "C")),
    "GameWon": (("DE",), "forts", (("central", 5), ("entente", 1))),
    "UnitMoved": ("DE.INF1", "B2", ("C2", "D3"), 3, "DE.TRK1"),
    "CargoUnloaded": ("DE.TRK1", (("DE.INF1", "B8"), ("DE.MOR1", "C8"))),
    "FortConquered": ("B8", "DE", "DE.INF1", "GB", ("GB.TNK1",)),
    "MineLaid": ("D6", "DE", "DE.MIN1"),
    "MineExploded": ("D6", ("GB.INF1",)),
    "Built": ("DE.ENG1", (("F6", "bridge"), ("F7", "road"))),
    "AutomaChose": ("GB.CAR1", "II.1", "DE.INF1", "D5", ("target.b", "hex.c", "chance")),
    "AttacksListed": ("DE", (Attack("DE.CAR1", "GB.INF1"), Attack("DE.GAS1", toward="NW"))),
    "CombatFought": ("DE.BER1", "GB.INF1", 3, 4, "D6", (SHOT,), (("DE.BER1", 1),)),
    "AttackLost": ("DE.AIR1", "GB.INF1", "target-gone"),
    "IncomeCollected": ("DE", 2),
    "UnitRepaired": ("DE.TNK1", 2),
    "SpecialPaid": ("DE", 7),
    "SpecialDrawn": ("DE", "airship"),
    "UnitBought": ("DE.INF2", "DE", "infantry", "B8", 2),
    "MoneyGiven": ("DE", "AH", 3, 2),
}
# What stands in no sentence of its own: it is in the title, or said twice.
UNSAID = {("TokensDealt", "audience"), ("CountersDrawn", "audience"), ("TokenFlipped", "token")}
UNSAID |= {
    ("TokensDealt", "pile"),
    ("CountersDrawn", "counters"),
    ("UnitBought", "type"),
    ("CompanyPlaced", "counters"),
}
OTHERWISE: dict[str, Any] = {
    "camp": "FR", "nation": "FR", "giver": "GB", "to": "FR", "attacker": "GB.TNK1", "target": "FR.HOW1",
    "unit": "AH.CAV2", "at": "J2", "hex": "J9", "fort": "J8", "before": "", "goal": "K2",
    "transport": "GB.TRK2",
    "aboard": "", "start": "A3", "order": ("FR", "AH"), "round": 8, "reason": "no-army", "lead": "automa",
    "type": "gunboat", "company": "A", "companies": ("B",), "why": "attacker-gone", "winners": (),
    "lost": ("AH.CAR1",), "sheltered": (), "letters": (), "gained": (), "shots": (), "path": ("K1",),
    "places": (("FR.INF1", "K5"),), "attacks": (), "hexes": (("F6", "trench"),), "root": "cd" * 32,
    "sizes": (9, 1, 2), "dealt": (("FR", ("T1",)),), "scores": (("central", 0), ("entente", 9)),
}  # fmt: skip

SAMPLES: dict[str, Any] = {
    "allies": ("AH",), "approaches": ("A2", "C2"), "at": "D5", "by": "DE.TNK1", "capacity": 4,
    "cargo": ("DE.INF1",), "company": "B", "companies": ("A",), "condition": "X", "cost": 3,
    "directions": ("N", "SW"), "distance": 5, "enemies": 9, "enemy": "GB.TNK1", "enemy_forts": 2,
    "expected": "hex", "fort": "B2", "forts": ("B2", "B8"), "goal": "D5", "hex": "D5", "hexes": ("D5", "D6"),
    "in_range": ("GB.INF1",), "least": 2, "left": 1, "legal": ("D4", "D3"), "length": 900, "limit": 2,
    "money": 1, "most": 3, "nation": "GB", "number": 7, "origin": "C3", "owner": "AH", "passenger": "DE.MOR1",
    "place": "E4", "sign": "%", "speed": 4, "step": 2, "stop": "C4", "target": "GB.INF1", "terrain": "forest",
    "toward": "NE", "transport": "DE.TRK1", "type": "infantry", "unit": "DE.CAR1", "units": ("DE.INF1",),
    "what": "road", "word": "FOO",
}  # fmt: skip


@cache
def seen() -> Seen:
    """Facts, questions, refusals and views of played games, one of each kind and more of the views."""
    found: Seen = {"facts": {}, "asks": {}, "refusals": {}, "views": {}}
    for number, (players, options) in enumerate(GAMES):
        rng, earlier = Random(number + 30), dict[str, list[Answer]]()

        def bot(
            view: View,
            ask: Ask,
            number: int = number,
            rng: Random = rng,
            earlier: dict[str, list[Answer]] = earlier,
        ) -> Answer:
            found["asks"].setdefault((ask.topic, rng.randrange(3)), ask)
            found["views"][view.seat, view.position.round, view.position.phase, number] = view
            told = earlier.setdefault(ask.topic, [])
            for answer in rng.sample(told, min(2, len(told))):
                if (refusal := ask.options.why_not(answer)) is not None:
                    found["refusals"].setdefault((refusal.reason, tuple(refusal.facts)), refusal)
            told.append(ask.options.sample(rng))
            return told[-1]

        settings = GameSettings(TRENCH.scenarios[0], players, options=options)
        table = Table.start(TRENCH, PACK, settings, TestDice(str(number)))
        table.automa = dict.fromkeys(TRENCH.seats(settings), bot)
        table.advance()
        for line in table.journal.lines:
            if (data := line.data)["k"] == "fact":
                fact = table.codec.fact(data)
                found["facts"].setdefault((type(fact).__name__, str(data)[:70]), fact)
    return found


def made(name: str) -> Any:
    return told_facts.FACTS[name](*DRAWN[name])


# ------------------------------------------------------------------ facts and questions


@both
def test_facts_of_played_games_render(language: Any) -> None:
    words, told = phrases("trench", language), seen()["facts"]
    assert len({name for name, _ in told}) >= 22
    for fact in told.values():
        sentence = words.fact(fact)
        assert_told(sentence)
        assert sentence.endswith(".") and sentence[0] == sentence[0].upper(), sentence


@both
def test_every_fact_renders(language: Any) -> None:
    assert set(DRAWN) == set(told_facts.FACTS)
    for name in DRAWN:
        assert_told(phrases("trench", language).fact(made(name)))


@both
def test_a_fact_tells_all_it_holds(language: Any) -> None:
    """Of two facts that differ in one field the sentences differ."""
    words, silent = phrases("trench", language), []
    for name in DRAWN:
        fact = made(name)
        for one in fields(fact):
            if (name, one.name) in UNSAID:
                continue
            value = getattr(fact, one.name)
            other = OTHERWISE.get(one.name, value + 1 if isinstance(value, int) else None)
            other = "I.6" if value == "II.1" else other
            assert other is not None and other != value, (name, one.name)
            if words.fact(replace(fact, **{one.name: other})) == words.fact(fact):
                silent.append((name, one.name))
    assert silent == []


@both
def test_a_shot_is_told_with_every_die(language: Any) -> None:
    words = phrases("trench", language)

    def told(shot: Shot) -> str:
        return words.fact(CombatFought("DE.CAR1", "GB.INF1", 1, 0, "D5", (shot,), ()))

    other: dict[str, Any] = {"by": "DE.TNK1", "at": "GB.CAR1", "means": "fixed", "faces": (2, 9, 3)}
    other |= {
        "bonus": 3,
        "value": 6,
        "hits": 9,
        "armour": "tank",
        "row": "open",
        "damage": 5,
        "destroyed": True,
    }
    for name, value in other.items():
        assert told(replace(SHOT, **{name: value})) != told(SHOT), name
    assert "1 9 3" in told(SHOT)
    assert_told(told(replace(SHOT, means="card", faces=(7,))))
    assert "7" in told(replace(SHOT, means="card", faces=(7,)))
    assert_told(told(replace(SHOT, means="fixed", faces=(), bonus=0)))


@both
def test_every_order_and_letter_of_the_automa_has_words(language: Any) -> None:
    words = phrases("trench", language)
    for order in (*FOOT_UNITS, *CLOSE_COMBAT, *LONG_RANGE):
        for letter in ("chance", *(one.name for one in order.letters)):
            fact = replace(made("AutomaChose"), order=order.name, letters=(letter,))
            assert_told(words.fact(fact))


@both
def test_questions_render(language: Any) -> None:
    words = phrases("trench", language)
    asks = list(seen()["asks"].values())
    asks.append(replace(asks[0], topic="turn.put", given=DrawnGiven("GB", "gunboat")))
    assert {ask.topic for ask in asks} == set(TRENCH.answers)
    for ask in asks:
        assert_told(words.question(ask))
        assert_told(words.plain("topics", ask.topic))


@both
def test_every_option_has_words(language: Any) -> None:
    assert set(phrases("trench", language).keys("options")) == set(PACK.options)


@both
def test_the_sample_of_orders_is_read_in_any_game(language: Any) -> None:
    """Whoever the enemy is."""
    settings = GameSettings(players=2, options={"nations": "DE FR"})
    state, _ = TRENCH.set_up(PACK, settings)
    sample = phrases("trench", language).lines("words", "sample", {})
    reading = TRENCH.notation.read("\n".join(sample), TRENCH.view(state, Seat("DE")))
    assert not reading.refusals and len(reading.orders) == len(sample)


# ------------------------------------------------------------------ refusals


@both
def test_refusals_render(language: Any) -> None:
    words = phrases("trench", language)
    assert len(seen()["refusals"]) > 20
    for refusal in seen()["refusals"].values():
        assert_told(words.refusal(refusal))
    for reason in sorted(reason_codes("trench")):
        said = words.refusal(Ambiguous("TC-MOVE-1", reason, SAMPLES, 4, meanings=("DE.INF1", "DE.INF2")))
        assert_told(said)
        assert "[TC-MOVE-1]" in said
    for expected in EXPECTATIONS["trench"]:
        assert_told(words.refusal(Illegal("TC-MOVE-1", "missing", {"expected": expected})))


@both
def test_refusals_are_told_with_all_their_facts(language: Any) -> None:
    """Whatever a refusal says of itself is looked at by its phrase."""
    words = phrases("trench", language)
    for refusal in seen()["refusals"].values():
        source = words._files[0]["refusals"].get(refusal.reason, "")
        looked_at = {name.rstrip("_") for name in meta.find_undeclared_variables(words.env.parse(source))}
        assert set(refusal.facts) <= looked_at, (refusal.reason, set(refusal.facts) - looked_at)


@both
def test_odds_render(language: Any) -> None:
    words = phrases("trench", language)
    state = drawn("DE.CAR1@D4 d3 x3, DE.INF1@C2, DE.BER1@D1, DE.GAS1@E4, GB.INF1@C3", half="1-6")
    for question in ("A CAR1 GB.INF1", "BER1 C3", "A GAS1 SW", "A GAS1 NW"):
        found = odds(TRENCH.view(state, Seat("DE")), question)
        if found is not None:
            assert_told(words.odds(found))
            assert "%" in words.odds(found)


# ------------------------------------------------------------------ how one stands


@both
def test_positions_fit_a_letter(language: Any) -> None:
    words, views = phrases("trench", language), list(seen()["views"].values())
    assert len(views) > 60
    short_name: Any = words.env.globals["u"]
    for view in views[::2]:
        texts = (
            view_text(TRENCH, view, words),
            hand_text(TRENCH, view, words),
            map_text(TRENCH, view, words),
        )
        for text in texts:
            assert max(map(len, text.splitlines())) <= WIDTH
            assert "None" not in text and "Undefined" not in text
        for unit in view.position.units.values():
            assert short_name(unit.id)[3:] in texts[0]


@both
def test_nobodys_view_is_told_too(language: Any) -> None:
    state = drawn("DE.CAR1@D4, GB.INF1@C3", half="1-6")
    text = view_text(TRENCH, TRENCH.view(state, Seat("")), phrases("trench", language))
    assert "C3" in text and "D4" in text
