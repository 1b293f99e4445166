"""Every refusal of To the Last Man! has words in both languages, and they use all that it carries.

The codes and the names of their facts are read from the rules themselves.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jinja2 import meta

import engine.games.to_the_last_man as package
from engine.games import game
from engine.games.to_the_last_man.notation import REASONS
from engine.games.to_the_last_man.pack import load_pack
from engine.games.to_the_last_man.rules.instead import WRONG_CHOICE
from engine.kernel.errors import Ambiguous, Illegal
from pbem.letters.phrases import LANGUAGES, load_phrases
from pbem.resources import templates_folder
from tests.letters.letters_read import UNTOLD

FOLDER = Path(package.__file__).parent
LACKING = frozenset({"unit", "wanted", "there", "area"})  # of `marching.lacking`, taken over by others
UNFIT = ("no-slot", "wrong-nation", "artillery-cap", "biplane-cap")  # by the rule that is broken

SAMPLE: dict[str, Any] = {
    "area": "ARD", "areas": ("ARD", "LIE"), "army": "GE2", "at": "LOR", "card": "GAS", "condition": "OWN",
    "cost": 2, "dice": "F1", "entered": "LIE", "expected": "area", "held": 1, "hits": 2, "least": 1,
    "legal": ("ARD", "GE2", "GE.I", "I@LIE"), "length": 90, "lines": (2, 5), "level": "STALEMATE", "left": 1,
    "limit": 2,
    "mode": "rail", "most": 2, "named": 3, "nation": "GE", "number": 3, "option": "fortify", "origin": "ENG",
    "piece": "GE.I", "place": "GE2", "points": 1, "room": 0, "side": "GE", "sign": "!", "stage": 2,
    "status": "disputed", "strongest": ("GE2", "LIE"), "there": 1, "to": "HAI", "turn": 8, "unit": "GE.I",
    "used": 1, "vp": 11, "wanted": 2, "word": "XYZ", "year": 1915,
}  # fmt: skip
OTHERWISE: dict[str, dict[str, Any]] = {"too-far": {"areas": 3}, "no-slot": {"legal": ("GE1",)}}
POSSIBLE = {"en": "Possible: ", "fr": "Possible : "}
CARDS = ("no-combat-card", "no-offensive-card", "not-in-hand")

Code = tuple[str, frozenset[str]]


class Refusals(ast.NodeVisitor):
    """The refusals that a module makes, with the names of their facts."""

    def __init__(self) -> None:
        self.found: list[Code] = []
        self._functions: list[ast.FunctionDef] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._functions.append(node)
        self.generic_visit(node)
        self._functions.pop()

    def visit_Call(self, node: ast.Call) -> None:
        if getattr(node.func, "id", "") in ("Illegal", "illegal") and len(node.args) > 1:
            names = self._names(node.args[2]) if len(node.args) > 2 else frozenset[str]()
            self.found += [(code, names) for code in self._codes(node.args[1])]
        self.generic_visit(node)

    def _codes(self, node: ast.expr) -> Iterator[str]:
        match node:
            case ast.Constant(value=str(code)):
                yield code
            case ast.IfExp(body=body, orelse=other):
                yield from (*self._codes(body), *self._codes(other))
            case ast.Name(id=name) if name != "reason" or self._functions[-1].name != "illegal":
                for value in self._values(name):
                    yield from self._codes(value)
            case ast.Subscript(value=ast.Name(id="UNFIT")):
                yield from UNFIT

    def _names(self, node: ast.expr) -> frozenset[str]:
        match node:
            case ast.Dict(keys=keys, values=values):
                own = {str(key.value) for key in keys if isinstance(key, ast.Constant)}
                more = [self._names(value) for key, value in zip(keys, values, strict=True) if key is None]
                return frozenset(own).union(*more)
            case ast.Name(id=name):
                return frozenset[str]().union(*map(self._names, self._values(name)))
            case ast.Attribute(attr="facts"):
                return LACKING
        return frozenset()

    def _values(self, name: str) -> Iterator[ast.expr]:
        """What the variable is set to in this function."""
        for node in ast.walk(self._functions[-1]):
            targets = node.targets if isinstance(node, ast.Assign) else ()
            if isinstance(node, ast.AnnAssign) and node.value is not None:
                targets = [node.target]
            if any(isinstance(one, ast.Name) and one.id == name for one in targets):
                assert isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
                yield node.value


@cache
def made() -> list[Code]:
    """Every refusal that is made anywhere, with the names of its facts; some of them with what would do."""
    found = [(reason, frozenset(names)) for reason, names in REASONS.items()]
    for path in sorted(FOLDER.rglob("*.py")):
        visitor = Refusals()
        visitor.visit(ast.parse(path.read_text("utf-8")))
        found += visitor.found
    return [*found, *((code, names | {"legal"}) for code, names in found if code in WRONG_CHOICE)]


@cache
def codes() -> dict[str, frozenset[str]]:
    """Every reason, with the names of all facts that it may carry."""
    found = dict[str, frozenset[str]]()
    for code, names in made():
        found[code] = found.get(code, frozenset()) | names
    return found


def used(phrase: str, language: Any) -> set[str]:
    """The facts that a phrase looks at; those named like a macro stand there with an underscore."""
    env = load_phrases("ttlm", language, game("ttlm").load_pack()).env
    return {name.rstrip("_") for name in meta.find_undeclared_variables(env.parse(phrase))}


def test_the_rules_were_read() -> None:
    assert len(codes()) > 130 and WRONG_CHOICE <= set(codes())
    assert codes()["no-room"] == {"area", "wanted", "room", "legal"}
    assert codes()["shifted-already"] == LACKING


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_is_told_with_all_its_facts(language: Any) -> None:
    folder = templates_folder() / "phrases"
    files = (folder / "common" / language / "base.toml", folder / "ttlm" / f"{language}.toml")
    phrases = {k: v for one in files for k, v in tomllib.loads(one.read_text("utf-8"))["refusals"].items()}
    assert [] == sorted(set(codes()) - set(phrases)), "refusals without words"
    silent = {code: sorted(names - used(phrases[code], language)) for code, names in codes().items()}
    assert {} == {code: names for code, names in silent.items() if names}, "facts that are not told"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_makes_a_sentence(language: Any) -> None:
    phrases = load_phrases("ttlm", language, game("ttlm").load_pack())
    for code, names in made():
        facts = {name: SAMPLE[name] for name in names} | OTHERWISE.get(code, {})
        if code in CARDS and "legal" in names:
            facts["legal"] = ("OFF", "BAD")
        said = phrases.refusal(Ambiguous("TTLM-1", code, facts, meanings=("GE I", "FR I")))
        assert said.endswith("[TTLM-1]") and said.count("[") == 1, said
        sentence = said.removesuffix(" [TTLM-1]")
        assert sentence[-1] in ".?…" and not any(one in sentence for one in (*UNTOLD, "  ", " .", "..")), said
        if "legal" in names:
            assert POSSIBLE[language] in sentence, said


def test_what_would_do_is_told_in_few_words() -> None:
    phrases = load_phrases("ttlm", "fr", game("ttlm").load_pack())
    facts: dict[str, Any] = {"area": "ARD", "status": "enemy", "legal": ("VOS", "ENG", "GE2")}
    said = phrases.refusal(Illegal("TTLM-4.4-01", "not-friendly", facts))
    assert said == (
        "Ardennes : la zone n’est pas à vous (à l’ennemi). Possible : Vosges, Angleterre, GE2. [TTLM-4.4-01]"
    )
    facts["legal"] = tuple(load_pack().areas)[:12]
    said = phrases.refusal(Illegal("TTLM-4.4-01", "not-friendly", facts))
    assert said.endswith("Namur, Ardennes, Luxembourg, … [TTLM-4.4-01]")
