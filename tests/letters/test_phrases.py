"""Every fact, question, refusal and outcome of every game has words in both languages, and they render."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from jinja2 import UndefinedError

from engine.games import GAMES, game
from engine.games.first_world_war import facts as fww_facts
from engine.games.first_world_war.answers import Recall
from engine.games.first_world_war.notation import EXPECTED, REASONS
from engine.games.first_world_war.pack import load_pack
from engine.games.to_the_last_man.notation import words as ttlm_notation
from engine.games.trench_club.notation import words as trench_notation
from engine.kernel.errors import Ambiguous, Illegal, Refusal, Unreadable
from engine.kernel.fairness.dice import TestDice
from engine.kernel.game import GameSettings, View
from engine.kernel.records import ARMISTICE
from engine.kernel.requests import Answer, Ask, Fact
from engine.kernel.table import Table
from pbem.letters.phrases import LANGUAGES, NoPhrase, Phrases
from pbem.letters.render import view_text
from tests.orders.codes import REASONS as MAIL_REASONS

both = pytest.mark.parametrize("language", LANGUAGES)
every_game = pytest.mark.parametrize("name", sorted(GAMES))
RULE = re.compile(r"^[A-Z]+-[0-9A-Z]+(\.[0-9A-Z]+)*-[0-9]+$")
CODE = re.compile(r"^[a-z]+(-[a-z]+)*$")
NOTATION = {
    "fww": set(REASONS),
    "ttlm": set(ttlm_notation.REASONS),
    "trench": set(trench_notation.REASONS),
}
EXPECTATIONS = {"fww": EXPECTED, "ttlm": ttlm_notation.EXPECTED, "trench": trench_notation.EXPECTED}
TELEPHONE = 46  # columns that one shows
UNTOLD = "<Macro", "{{", "{%", "Undefined", "None"  # what must never stand in a sentence


@cache
def phrases(name: str, language: Any) -> Phrases:
    return Phrases(name, language, game(name).load_pack())


# ------------------------------------------------------------------ what there is to tell


@cache
def sources(name: str) -> tuple[ast.Module, ...]:
    """Every Python file of a game, and the kernel's requests."""
    spec = find_spec(GAMES[name])
    assert spec is not None and spec.origin is not None
    home = Path(spec.origin).parent
    kernel = home.parents[1] / "kernel" / "requests.py"
    return tuple(ast.parse(path.read_text("utf-8")) for path in [*sorted(home.rglob("*.py")), kernel])


def constant(node: ast.AST | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def is_rule(node: ast.AST) -> bool:
    """A rule's id, or one of two."""
    return bool(RULE.match(constant(node.body if isinstance(node, ast.IfExp) else node)))


@cache
def reason_codes(name: str) -> set[str]:
    """Codes that stand beside a rule id, in a refusal, or as a default `reason` in the code of a game."""
    found: set[str] = set()
    for tree in sources(name):
        for node in ast.walk(tree):
            parts: list[ast.expr] = []
            if isinstance(node, ast.Call):
                parts = [*node.args, *(word.value for word in node.keywords)]
                called = node.func.id if isinstance(node.func, ast.Name) else ""
                place = {
                    "Illegal": 1,
                    "Unreadable": 1,
                    "Ambiguous": 1,
                    "illegal": 1,
                    "unreadable": 0,
                    "ambiguous": 0,
                }
                if called in place and len(node.args) > place[called]:
                    found.add(constant(node.args[place[called]]))
            elif isinstance(node, ast.Tuple):
                parts = list(node.elts)
            elif isinstance(node, ast.Dict):  # a rule's reason looked up by its id
                rows = zip(node.keys, node.values, strict=True)
                found |= {constant(value) for key, value in rows if RULE.match(constant(key))}
            elif isinstance(node, ast.IfExp):  # one of two reasons of a rule
                either = {constant(node.body), constant(node.orelse)}
                found |= either if all("-" in one for one in either) else set()
            elif (
                isinstance(node, ast.AnnAssign)
                and isinstance(node.target, ast.Name)
                and node.target.id == "reason"
            ):
                found.add(constant(node.value))
            found |= {constant(b) for a, b in pairwise(parts) if is_rule(a)}
    return {code for code in found if CODE.match(code)}


@cache
def outcome_codes(name: str) -> set[str]:
    """Second arguments of `ended(state, reason, …)` and of Outcome(winners, reason), last ones of `_outcome`
    and `_won`, and what a fact's `reason` may be.
    """
    calls = [node for tree in sources(name) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = [
        call for call in calls if isinstance(call.func, ast.Name) and call.func.id in ("ended", "Outcome")
    ]
    reasons = [arg for call in named for arg in call.args[1:2]]
    reasons += [
        call.args[-1]
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id in ("_outcome", "_won")
    ]
    either = [[arg.body, arg.orelse] if isinstance(arg, ast.IfExp) else [arg] for arg in reasons]
    codes = {constant(text) for texts in either for text in texts} - {""}
    for fact in game(name).facts.values():
        codes |= {*re.findall(r'"([a-z-]+)"', str(fact.__annotations__.get("reason", "")).replace("'", '"'))}
    return codes


@both
@every_game
def test_nothing_lacks_a_phrase(name: str, language: Any) -> None:
    found, words = game(name), phrases(name, language)
    wanted = {
        "facts": set(found.facts),
        "questions": set(found.answers),
        "segments": set(found.segments),
        "refusals": reason_codes(name),
        "outcomes": outcome_codes(name),
    }
    assert len(wanted["refusals"]) > 30 and len(wanted["outcomes"]) > 2  # the search itself works
    assert {section: sorted(keys - set(words.keys(section))) for section, keys in wanted.items()} == {
        section: [] for section in wanted
    }


@both
@every_game
def test_no_phrase_is_left_over(name: str, language: Any) -> None:
    found, words = game(name), phrases(name, language)
    assert set(words.keys("facts")) == set(found.facts)
    assert set(words.keys("questions")) == set(found.answers)
    assert sorted(set(words.keys("refusals")) - reason_codes(name) - NOTATION[name] - set(MAIL_REASONS)) == []
    assert set(words.keys("outcomes")) == outcome_codes(name) | {ARMISTICE}


@every_game
def test_both_languages_have_the_same_entries(name: str) -> None:
    english, french = (phrases(name, language) for language in LANGUAGES)
    sections = sorted({section for file in (*english._files, *french._files) for section in file})
    for section in (one for one in sections if one != "macros"):
        pairs = zip(english._files, french._files, strict=True)
        assert [sorted(a.get(section, ())) for a, _ in pairs] == [
            sorted(b.get(section, ())) for b in french._files
        ]


@both
@every_game
def test_every_reason_and_expectation_of_the_notation_is_told(name: str, language: Any) -> None:
    words = phrases(name, language)
    assert sorted(NOTATION[name] - set(words.keys("refusals"))) == []
    assert sorted(words.keys("expected")) == sorted(EXPECTATIONS[name])


# ------------------------------------------------------------------ real games


Seen = dict[str, dict[Any, Any]]


@cache
def seen() -> Seen:
    """Facts, questions, refusals and views of played games, one of each kind and more of the views."""
    found: Seen = {"facts": {}, "asks": {}, "refusals": {}, "views": {}}
    fww = game("fww")
    for number, players in enumerate((2, 3, 4, 4)):
        rng = Random(number)
        options = {"random_order": number % 2 == 1, "unreplaced_losses": "removed" if number == 3 else "stay"}
        settings = GameSettings(players=players, options=options)
        earlier: dict[str, list[Answer]] = {}

        def bot(
            view: View, ask: Ask, rng: Random = rng, earlier: dict[str, list[Answer]] = earlier
        ) -> Answer:
            found["asks"].setdefault(ask.topic, ask)
            found["views"][f"{view.seat}{view.turn}{view.phase}{view.players}"] = view
            for answer in rng.sample(earlier.get(ask.topic, []), min(4, len(earlier.get(ask.topic, [])))):
                if (refusal := ask.options.why_not(answer)) is not None:
                    found["refusals"].setdefault((refusal.reason, tuple(refusal.facts)), refusal)
            answer = fww.bots["random"](view, ask, rng)
            earlier.setdefault(ask.topic, []).append(answer)
            return answer

        table = Table.start(fww, fww.load_pack(), settings, TestDice(number))
        table.automa = dict.fromkeys(fww.seats(settings), bot)
        table.advance()
        for line in table.journal.lines:
            if (data := line.data)["k"] == "fact":
                fact = table.codec.fact(data)
                for one in (fact, fact.redacted() if fact.audience is not None else None):
                    if one is not None:
                        found["facts"].setdefault(type(one).__name__, one)
    return found


def drawn_facts() -> dict[str, Fact]:
    """Facts that random play may not bring about, with real names."""
    drawn: dict[str, Any] = {
        "TreatyOffered": (),
        "TreatyRefused": (),
        "TreatySigned": (),
        "RecallAsked": (Recall("DE4", 9, 3), ("DE", "GA")),
        "RecallRefused": ("DE4", ("DE", "GA")),
        "TilePutBack": ("WA", "A02", "normal", ("WA",)),
        "TilePutBackFaceDown": ("WA", "mandatory"),
        "TileRemoved": ("WA", "A03"),
        "AttackCameToNothing": ("GA", "EA", 11),
        "MoversTurnedDown": (("FR1", "WA-D1"),),
        "ReplacementsAsked": (("BR-MEF",),),
        "ArmiesGivenUp": ("WA", ("BR1",)),
        "FrontFoundEmpty": ("DE", "WA", 4),
        "OrderRanked": (("WA", "DE", "GA", "EA"),),
        "SlotsTaken": ("EA", 4, 2),
        "OrderSet": (("GA", "EA", "WA", "DE"), ("DE", "WA", "EA", "GA")),
    }
    return {name: fww_facts.FACTS[name](*values) for name, values in drawn.items()}


def assert_told(sentence: str) -> None:
    assert sentence and sentence == " ".join(sentence.split())
    assert not [part for part in UNTOLD if part in sentence], sentence


@both
def test_every_fact_renders(language: Any) -> None:
    words, told = phrases("fww", language), {**drawn_facts(), **seen()["facts"]}
    assert sorted(told) == sorted(game("fww").facts)
    for fact in told.values():
        sentence = words.fact(fact)
        assert_told(sentence)
        assert sentence.endswith(".") and sentence[0] == sentence[0].upper()


@both
def test_a_fact_tells_what_it_holds(language: Any) -> None:
    """Of two facts that differ in one field the sentences differ: nothing is left out but what repeats."""
    words = phrases("fww", language)
    combat = seen()["facts"]["CombatResolved"]
    for one in fields(combat):
        changed: Any = {"winner": "nobody", "loss": "FR1"}.get(one.name)
        if one.name in ("leaders", "totals", "dice"):
            changed = ("77", "78")
        if changed is None or changed == getattr(combat, one.name):
            continue
        values = {f.name: getattr(combat, f.name) for f in fields(combat)} | {one.name: changed}
        assert words.fact(type(combat)(**values)) != words.fact(combat), one.name


@both
def test_every_question_that_was_asked_renders(language: Any) -> None:
    words = phrases("fww", language)
    assert len(seen()["asks"]) >= 12
    for ask in seen()["asks"].values():
        assert_told(words.question(ask))


SAMPLES: dict[str, Any] = {
    "armies": ("FR1",), "capacity": 3, "condition": "DEFMAX", "counter": "FR5", "counters": ("FR1", "WA-D1"),
    "cycle": 2, "expected": "front", "faction": "WA", "fighter": "EA", "front": 3, "fronts": (1, 2),
    "given": 1, "least": 1, "length": 900, "lines": (2, 5), "location": "METZ", "minimum": 3, "most": 11,
    "named": 5, "number": 3, "origin": 1,
    "option": "random_order", "present": 1, "sign": "%", "tile": "A01", "to": 7, "town": "MONASTIR",
    "turn": 4, "wanted": 2, "word": "FOO",
}  # fmt: skip


@both
def test_refusals_of_the_notation_render(language: Any) -> None:
    words = phrases("fww", language)
    for reason, names in REASONS.items():
        facts = {name: SAMPLES[name] for name in names}
        kinds: list[Refusal] = [Unreadable("notation", reason, facts, 3, "FOO", suggestions=("BAR",))]
        kinds.append(Ambiguous("notation", reason, facts, meanings=("WA", "EA")))
        for refusal in kinds:
            assert_told(words.refusal(refusal))
    for expected in EXPECTED:
        assert_told(words.refusal(Unreadable("notation", "missing", {"expected": expected})))


def written_refusals(name: str) -> Iterator[tuple[str, list[str]]]:
    """`Illegal(rule, "code", {"fact": …})` as it stands in the code: the code and its facts' names."""
    for tree in sources(name):
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id in ("Illegal", "illegal") and len(node.args) > 1 and constant(node.args[1]):
                facts = node.args[2] if len(node.args) > 2 else ast.Dict([], [])
                if isinstance(facts, ast.Dict):
                    yield constant(node.args[1]), [constant(key) for key in facts.keys]


@both
def test_refusals_render_with_the_facts_they_are_written_with(language: Any) -> None:
    words = phrases("fww", language)
    written = list(written_refusals("fww"))
    assert len(written) > 40
    for reason, names in written:
        assert_told(words.refusal(Illegal("FWW-1-1", reason, {name: SAMPLES[name] for name in names})))


@both
def test_refusals_of_the_rules_render(language: Any) -> None:
    """Those that real play met, with their real facts; and all with every fact they may have."""
    words = phrases("fww", language)
    assert len(seen()["refusals"]) > 12
    for refusal in seen()["refusals"].values():
        assert_told(words.refusal(refusal))
    for reason in sorted(reason_codes("fww")):
        sentence = words.refusal(Illegal("FWW-1-1", reason, SAMPLES, line=4))
        assert_told(sentence)
        assert "[FWW-1-1]" in sentence


@both
def test_a_view_fits_a_letter(language: Any) -> None:
    words = phrases("fww", language)
    views = list(seen()["views"].values())
    assert len(views) > 30
    for view in views:
        text = view_text(game("fww"), view, words)
        assert max(map(len, text.splitlines())) <= TELEPHONE
        assert not [line for line in text.splitlines() if line != line.rstrip()]
        assert not [part for part in UNTOLD if part in text]


@both
def test_a_view_shows_counters_tiles_and_control(language: Any) -> None:
    """Every counter the seat knows, every tile it holds, every place stands in its text."""
    words, pack = phrases("fww", language), load_pack()
    for view in list(seen()["views"].values())[::5]:
        text = " ".join(view_text(game("fww"), view, words).split())
        for there in view.known.values():
            assert all(f"{counter} (" in text for counter in there if counter in pack.armies)
        for tiles in view.hands.values():
            assert all(f"({tile})" in " ".join(text.split()) for tile in tiles)
        assert all(pack.locations[place].names[language] in text for place in view.control)


def test_a_missing_phrase_or_name_is_an_error() -> None:
    words = phrases("fww", "en")
    with pytest.raises(NoPhrase, match=r"\[facts\] Nothing"):
        words.say("facts", "Nothing", {})
    with pytest.raises(UndefinedError):
        words.say("refusals", "not-there", {})
    with pytest.raises(FileNotFoundError):
        Phrases("chess", "en", None)


@both
@every_game
@pytest.mark.parametrize("word", [">", "<&>", "l'été"])
def test_words_that_are_not_understood_are_repeated_as_they_were_written(
    name: str, language: Any, word: str
) -> None:
    told = {"word": word, "sign": word, "expected": sorted(EXPECTATIONS[name])[0]}
    for reason in ("unknown-order", "unknown-word", "left-over", "unknown-sign", "after-none"):
        quoted = f'"{word}"' if language == "en" else f"« {word} »"
        assert quoted in phrases(name, language).refusal(Unreadable("notation", reason, told, 3)), reason
