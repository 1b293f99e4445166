"""HELP: pages of plain text by topic and language, with the game's own behind the general ones.

A topic is found by any of its words in either language; a word that leads nowhere is answered with those
that are near to it, and the first page. `verbs`: the topics that the words of verbs lead to.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from engine.kernel.game import Language
from pbem.letters.memo import Note, Passage
from pbem.orders.text import key, near
from pbem.resources import templates_folder

INDEX = "index"
MOST = 3  # suggestions


def help_passage(topic: str, game: str, language: Language, verbs: Mapping[str, str]) -> Passage:
    """The pages of a topic. `game` "": for somebody who plays none."""
    found = topic_of(topic, game, verbs)
    if found is not None:
        return Passage(pages(found, game, language))
    title = Note("help-unknown", {"topic": topic[:60], "near": topics_near(topic, game, language, verbs)})
    return Passage(pages(INDEX, game, language), title)


def pages(topic: str, game: str, language: Language) -> tuple[str, ...]:
    """The lines of the general page and of the game's own."""
    folder = templates_folder() / "help" / language
    names = (f"{topic}.txt", *((f"{topic}.{game}.txt",) if game else ()))
    texts = [path.read_text("utf-8") for name in names if (path := folder / name).is_file()]
    return tuple("\n".join(texts).rstrip("\n").split("\n"))


def topics() -> tuple[str, ...]:
    return tuple(name for name in _table() if name != "games")


def topic_of(word: str, game: str, verbs: Mapping[str, str]) -> str | None:
    """The topic that a word leads to; no word at all leads to the index."""
    return _words(game, verbs).get(key(word)) if key(word) else INDEX


def topics_near(word: str, game: str, language: Language, verbs: Mapping[str, str]) -> tuple[str, ...]:
    """Names of topics that may have been meant, in the reader's language."""
    known = _words(game, verbs)
    meant = dict.fromkeys(known[one] for one in near(word, known, len(known)))
    return tuple(topic_name(one, language) for one in meant)[:MOST]


def topic_name(topic: str, language: Language) -> str:
    """What a topic is called in that language."""
    name: str = _table()[topic][language][0]
    return name


def _words(game: str, verbs: Mapping[str, str]) -> Mapping[str, str]:
    """Key of a word -> its topic; where two topics share a word the first keeps it."""
    table = _table()
    general = [
        (word, topic) for topic in topics() for word in (topic, *table[topic]["en"], *table[topic]["fr"])
    ]
    own = [(word, topic) for topic, words in table["games"].get(game, {}).items() for word in words]
    found: dict[str, str] = {}
    for word, topic in (*general, *verbs.items(), *own):
        found.setdefault(key(word), topic)
    return found


@cache
def _table() -> Mapping[str, Any]:
    with (templates_folder() / "help" / "topics.toml").open("rb") as file:
        return tomllib.load(file)
