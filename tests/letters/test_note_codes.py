"""Every note that the service may tell has words in both languages."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from pbem.letters.phrases import LANGUAGES
from tests.letters.letters_read import words
from tests.narrowing import expect

ROOT = Path(__file__).resolve().parents[2]


@cache
def codes() -> dict[str, str]:
    """First arguments of Note(...) that stand there as they are -> a file they stand in."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / "pbem").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Note"
            if named and isinstance(node, ast.Call) and node.args:
                for code in alternatives(node.args[0]):
                    found.setdefault(code, path.relative_to(ROOT).as_posix())
    return found


def alternatives(argument: ast.expr) -> list[str]:
    if isinstance(argument, ast.Constant):
        return [str(argument.value)]
    if isinstance(argument, ast.IfExp):
        return [*alternatives(argument.body), *alternatives(argument.orelse)]
    return []


def test_the_search_finds_them() -> None:
    found = codes()
    assert len(found) > 150
    assert {"receipt-read", "receipt-file-held", "invitation-held"} <= set(found)
    call = expect(ast.Call, ast.parse("Note('a' if x else 'b')", mode="eval").body)
    assert alternatives(call.args[0]) == ["a", "b"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_note_has_words(language: str) -> None:
    phrases = words(language)
    missing = {code: path for code, path in codes().items() if not phrases.has("notes", code)}
    assert missing == {}
