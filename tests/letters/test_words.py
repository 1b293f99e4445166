"""Words of letters and of HELP: the same keys in both languages, each in its own, none of the stiff ones."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.games import GAMES, game
from engine.kernel.game import GameSettings
from pbem.letters.phrases import LANGUAGES
from pbem.orders.arguments import Awaiting
from pbem.orders.understood import Command
from pbem.resources import templates_folder
from pbem.verbs.registry import REGISTRY
from tests.orders.writing import PLAYER, UMPIRE

FOLDER = templates_folder()
PHRASES, HELP = FOLDER / "phrases", FOLDER / "help"
EXPRESSION = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.S)
CODE = re.compile(r"`[^`]*`|\(From\)|To the Last Man!?|\b[A-Z][A-Z0-9.@>*/-]+\b")
ENGLISH = re.compile(
    r"\b(the|your|you|with|without|orders?|and|of|is|are|was|this|that|from|turn|letters?|campaign|deadline|by|for|"
    r"not|has|have|been|will|seat|reply|file|lines?|nobody|they|their)\b",
    re.I,
)
STIFF = {
    "en": re.compile(
        r"\b(I|me|my|somebody|anybody|everybody|awaited|cancelled|centre|defence|he|him|his|shall)\b|"
        r"is to be\b|nothing of (it|your|this|them)\b|cannot be taken|sheet is held|"
        r"you have read you have read|Who sends nothing|best of all|higher \{\{|agrees to go back"
    ),
    "fr": re.compile(
        r"\b([Jj]e|[Jj]’|[Mm]oi|[Mm]es|[Oo]rdres? permanents?|[Éé]chéances?|pendule)\b|"
        r"feuille (est|en attente|retenue)|Qui n’envoie rien|supérieure \{\{|ne peut être acceptée|"
        r"vous l’avez lu\b"
    ),
}
TELEPHONE, ORDER_LINE = 46, 50  # columns; lines of orders, which wrap, may be a little longer


def files(language: str) -> dict[str, Path]:
    """Every phrase file of a language, by its name without the language."""
    found = {f"common/{path.name}": path for path in (PHRASES / "common" / language).glob("*.toml")}
    return found | {name: PHRASES / name / f"{language}.toml" for name in GAMES}


@cache
def entries(path: Path) -> dict[tuple[str, str], str]:
    """(section, key) -> its words."""
    found: dict[tuple[str, str], str] = {}
    for section, inside in tomllib.loads(path.read_text("utf-8")).items():
        for key, words in inside.items() if isinstance(inside, dict) else ():
            found[section, key] = words if isinstance(words, str) else repr(words)
    return found


def pages(language: str) -> list[Path]:
    return sorted((HELP / language).glob("*.txt"))


def test_both_languages_have_the_same_files_and_keys() -> None:
    english, french = (files(language) for language in LANGUAGES)
    assert set(english) == set(french)
    for name in english:
        assert set(entries(english[name])) == set(entries(french[name])), name


def test_french_has_no_english_words() -> None:
    prose = {str(key): words for path in files("fr").values() for key, words in entries(path).items()}
    prose |= {path.name: path.read_text("utf-8") for path in pages("fr")}
    found = {
        key: left
        for key, words in prose.items()
        if (left := ENGLISH.findall(CODE.sub("", EXPRESSION.sub("", words))))
    }
    assert found == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_stiff_words(language: str) -> None:
    """In what all games share, the final letter apart, and in the prose of HELP."""
    prose = {
        f"{name} {key}": words
        for name, path in files(language).items()
        if "/" in name and name != "common/final.toml"
        for key, words in entries(path).items()
    }
    for path in pages(language):
        shown = [line for line in path.read_text("utf-8").splitlines() if not line.startswith("  ")]
        prose[path.name] = "\n".join(shown).replace("I infant", "")
    found = {
        key: match[0]
        for key, words in prose.items()
        if (match := STIFF[language].search(CODE.sub("", words)))
    }
    assert found == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_help_fits_a_telephone(language: str) -> None:
    wide = [
        (path.name, line)
        for path in pages(language)
        for line in path.read_text("utf-8").splitlines()
        if len(line) > (ORDER_LINE if re.match(r" {4}\S", line) else TELEPHONE)
    ]
    assert wide == []


def command_examples(path: Path) -> Iterator[str]:
    """Lines set in by two blanks, up to the words that explain them."""
    for line in path.read_text("utf-8").splitlines():
        if (match := re.fullmatch(r"  (\S.*?)(?:  .*)?", line)) is not None and not match[1][0].isdigit():
            yield match[1]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", sorted(GAMES))
def test_commands_on_a_page_of_a_game_are_taken_in_that_game(name: str, language: Any) -> None:
    """As typed: by a player or by an umpire."""
    found = game(name)
    seats = tuple(str(seat) for seat in found.seats(GameSettings(players=max(found.players))))
    player = replace(PLAYER, seats=seats)
    umpire = replace(UMPIRE, seats=seats)
    shown = [one for path in pages(language) if f".{name}." in path.name for one in command_examples(path)]
    assert len(shown) >= 10
    for example in shown:
        results = [REGISTRY.read(example, who) for who in (player, umpire)]
        assert any(isinstance(one, Command | Awaiting) for one in results), (example, results)
