"""Every word that a module or a public class is named after stands in docs/glossary.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.check.house import ROOT, sources

NAMED = ("pbem", "worker", "engine/kernel", "engine/notation")
ERRORS = ("Error", "Exception", "Trouble")  # errors are named by what happened


def glossary() -> set[str]:
    """The words and phrases in bold print, in the singular."""
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    bold = re.findall(r"\*\*(.+?)\*\*", text, flags=re.DOTALL)
    return {singular(word) for group in bold for word in re.split(r",\s*", group)}


def singular(phrase: str) -> str:
    word = " ".join(phrase.casefold().split())
    for plural, one in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("ss", "ss"), ("s", "")):
        if word.endswith(plural):
            return word.removesuffix(plural) + one
    return word


def names() -> Iterator[tuple[str, list[str]]]:
    """Modules and public classes, each with its words."""
    for path in sources(*NAMED):
        if "migrations" in path.parts:
            continue
        module = path.parent.name if path.stem.startswith("__") else path.stem
        yield path.relative_to(ROOT).as_posix(), module.split("_")
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and not is_error(node):
                yield node.name, words_of(node.name)


def is_error(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).endswith(ERRORS) for base in node.bases)


def words_of(name: str) -> list[str]:
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*", name)


def missing(named: Iterator[tuple[str, list[str]]], known: set[str]) -> dict[str, str]:
    """Head word -> the first name without an entry for it or for the whole of it."""
    found: dict[str, str] = {}
    for name, words in named:
        if not {singular(words[-1]), singular(" ".join(words))} & known:
            found.setdefault(words[-1].casefold(), name)
    return dict(sorted(found.items()))


def test_every_word_is_in_the_glossary() -> None:
    words = missing(names(), glossary())
    listed = "\n".join(f"{word}: {name}" for word, name in words.items())
    assert not words, f"not in docs/glossary.md:\n{listed}"


def test_the_walk_sees_modules_and_classes() -> None:
    seen = dict(names())
    assert ["order", "file"] == seen["pbem/campaigns/order_file.py"]
    assert ["Campaign", "Row"] == seen["CampaignRow"]
    assert "CorruptJournal" not in seen


def test_a_missing_word_is_noticed() -> None:
    named = [("SeatLedger", ["Seat", "Ledger"]), ("pbem/ears.py", ["ears"]), ("what_if", ["what", "if"])]
    assert {"ears": "pbem/ears.py"} == missing(iter(named), {"ledger", "what if"})
