"""HELP: pages of plain text by topic and language, with the game's own behind the general ones.

A topic is found by any of its words in either language; a word that leads nowhere is answered with those
that are near to it, and the first page.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from rapidfuzz import fuzz, process

from engine.kernel.game import Language
from pbem.letters.memo import Note, Passage
from pbem.orders.text import key
from pbem.resources import templates_folder

INDEX = "index"
NEAR = 70  # of 100: one wrong letter in a short word
MOST = 3  # suggestions


def help_passage(topic: str, game: str, language: Language) -> Passage:
    """The pages of a topic. `game` "": for somebody who plays none."""
    found = topic_of(topic, game)
    if found is not None:
        return Passage(pages(found, game, language))
    near = topics_near(topic, game, language)
    title = Note("help-unknown", {"topic": topic[:60], "near": near})
    return Passage(pages(INDEX, game, language), title)


def pages(topic: str, game: str, language: Language) -> tuple[str, ...]:
    """The lines of the general page and of the game's own."""
    folder = templates_folder() / "help" / language
    names = (f"{topic}.txt", *((f"{topic}.{game}.txt",) if game else ()))
    texts = [path.read_text("utf-8") for name in names if (path := folder / name).is_file()]
    return tuple("\n".join(texts).rstrip("\n").split("\n"))


def topics() -> tuple[str, ...]:
    return tuple(name for name in _table() if name != "games")


def topic_of(word: str, game: str = "") -> str | None:
    """The topic that a word leads to; no word at all leads to the index."""
    return _words(game).get(key(word)) if key(word) else INDEX


def topics_near(word: str, game: str, language: Language) -> tuple[str, ...]:
    """Names of topics that may have been meant, in the reader's language."""
    known = _words(game)
    found = process.extract(key(word)[:60], list(known), scorer=fuzz.ratio, score_cutoff=NEAR, limit=None)
    near = (known[one] for one, _, _ in sorted(found, key=lambda row: (-row[1], row[0])))
    return tuple(name_of(one, language) for one in dict.fromkeys(near))[:MOST]


def name_of(topic: str, language: Language) -> str:
    """How a topic is called in that language."""
    name: str = _table()[topic][language][0]
    return name


@cache
def _words(game: str) -> Mapping[str, str]:
    """Key of a word -> its topic; where two topics share one the first keeps it."""
    table = _table()
    found: dict[str, str] = {}
    for topic in topics():
        for word in (topic, *table[topic]["en"], *table[topic]["fr"]):
            found.setdefault(key(word), topic)
    for topic, words in table["games"].get(game, {}).items():
        for word in words:
            found.setdefault(key(word), topic)
    return found


@cache
def _table() -> Mapping[str, Any]:
    with (templates_folder() / "help" / "topics.toml").open("rb") as file:
        return tomllib.load(file)
