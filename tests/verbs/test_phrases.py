"""The words of requests: complete in both languages, none given twice, and every command they name exists."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from pbem.orders.arguments import NONE
from pbem.orders.own_text import END, STANDING
from pbem.orders.text import plain
from pbem.resources import templates_folder
from pbem.verbs.consent import ANSWERS, ROLLBACK_WORDS
from pbem.verbs.registry import REGISTRY
from pbem.verbs.status import REACH

ROOT = Path(__file__).resolve().parents[2]
CODE = re.compile(r'Note\(\s*f?"([a-z][a-z{}_.\-]*)"')
EITHER = re.compile(r'Note\(\s*"([a-z\-]+)" if [^\n]+? else "([a-z\-]+)"')
MEMO = re.compile(r'memo_about\("([a-z\-]+)", [^\n]+, headline="([a-z\-]*)"\)')
LOUD = re.compile(r"(?<![A-Z{}\w.-])[A-Z]{4,}(?![\w-])")
BY = ("BY", "PAR")


AREAS = ("requests", "addresses", "allies")  # the files of these handlers


def file(language: str, area: str = "") -> dict[str, Any]:
    """One file of phrases; without a name the handlers' own."""
    if not area:
        return {"notes": {code: said for one in AREAS for code, said in file(language, one)["notes"].items()}}
    with (templates_folder() / "phrases" / "common" / language / f"{area}.toml").open("rb") as opened:
        return tomllib.load(opened)


def test_both_languages_have_the_same_notes() -> None:
    assert file("en")["notes"].keys() == file("fr")["notes"].keys()


@pytest.mark.parametrize("language", ["en", "fr"])
def test_no_other_file_has_the_same_note(language: str) -> None:
    mine = set(file(language)["notes"])
    for path in (templates_folder() / "phrases" / "common" / language).glob("*.toml"):
        if path.stem not in AREAS:
            assert not mine & set(file(language, path.stem).get("notes", {})), path.stem


def test_every_note_of_the_handlers_has_its_words_and_every_word_is_used() -> None:
    sources = "\n".join(
        path.read_text()
        for path in (ROOT / "pbem/verbs").glob("*.py")
        if path.stem not in ("lobby", "umpire")
    )
    known = set(file("en")["notes"])
    made = CODE.findall(sources) + [code for pair in EITHER.findall(sources) for code in pair]
    beginnings = tuple(code.partition("{")[0] for code in made if "{" in code)
    of_umpires = ("umpire-only", "umpire-which-campaign")  # with the other words for umpires
    assert {code for code in made if "{" not in code} - {"plain", *of_umpires} <= known
    assert all(any(one.startswith(begin) for one in known) for begin in beginnings)
    named = set(re.findall(r'"([a-z\-]+)"', sources))
    for code, headline in MEMO.findall(sources):
        named |= {f"{code}-subject", f"{code}{headline}"}
    assert [one for one in sorted(known - named) if not one.startswith(beginnings)] == []


@pytest.mark.parametrize("language", ["en", "fr"])
def test_commands_are_named_as_they_are_written(language: str) -> None:
    known = {word for phrase in REGISTRY.phrases for word in phrase}
    known |= {*STANDING, *END, *NONE, *ROLLBACK_WORDS, *REACH, *ANSWERS, *BY}
    for code, phrase in file(language)["notes"].items():
        for word in LOUD.findall(re.sub(r"\{.*?\}", " ", phrase)):
            assert plain(word) in known, (code, word)
