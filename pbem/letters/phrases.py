"""Phrases: the words for facts, refusals, questions and outcomes of a game in a language.

`templates/phrases/<game>/<language>.toml` holds Jinja strings by section, and macros that name the game's
things; what it lacks is searched for in the files of `common/<language>`, which divide the rest by what it is
about. An undefined name is an error, never a gap in a letter.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import fields
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

from engine.kernel.errors import Ambiguous, Refusal, Unreadable
from engine.kernel.game import Language, Outcome
from engine.kernel.requests import Ask, Fact, Segment
from pbem.letters.dates import LONG, Moment, day_words, moment_words
from pbem.resources import templates_folder

LANGUAGES: tuple[Language, ...] = ("en", "fr")
NO_FACTS: Mapping[str, Any] = MappingProxyType({})


def sheet_kind(window: str) -> str:
    """Which of the game's forms a window's orders go into: `T3.R` and `T3.C2` say R and C, `T3.4` a turn."""
    part = window.rpartition(".")[2][:1]
    return "turn" if part.isdigit() else part


class NoPhrase(KeyError):
    """A section of the phrase files lacks an entry."""


class Phrases:
    """All phrases of one game in one language. `pack` names the printed things.

    Without a game ("") there are the phrases that no game owns: for strangers and for the lobby.
    """

    def __init__(self, game: str, language: Language, pack: Any, folder: Path | None = None) -> None:
        self.game, self.language, self.pack = game, language, pack
        home = folder or templates_folder()
        own = [home / "phrases" / game / f"{language}.toml"] if game else []
        shared = sorted((home / "phrases" / "common" / language).glob("*.toml"))
        self._files = tuple(_read(path) for path in (*own, *shared))
        self._own = len(own)
        # With this language's names; templates of whole texts overlay it.
        self.env = Environment(
            undefined=StrictUndefined,
            auto_reload=False,  # do not ask the disk with every letter whether a template has changed
        )
        self.env.filters.update(
            sentence=_sentence,
            command=self._command,
            moment=self._moment,
            day=partial(day_words, language=language),
            exchange=self._exchange,
            occasion=self._occasion,
            turn=self._turn,
        )
        self.env.globals.update(pack=pack, named=self.name_of, phrase=self.say, language=language)
        self._macros: dict[str, Any] = {}
        self._known: dict[str, str] = {}  # class of facts -> attribute of a view
        self._groups: dict[str, list[str]] = {}  # classes of facts that accounts tell together
        for file in self._files:
            self._known |= file.get("known", {})
            self._groups |= file.get("groups", {})
            module = self.env.from_string(file.get("macros", "")).module
            self._macros |= {name: macro for name, macro in vars(module).items() if not name.startswith("_")}
        self.env.globals.update(self._macros)
        self._templates: dict[tuple[str, str], tuple[Template, bool]] = {}
        self._unchanging: dict[tuple[str, str], str] = {}  # phrases into which nothing is put

    # ------------------------------------------------------------ what is told

    def fact(self, fact: Fact, known: Any = None) -> str:
        """The sentence of a fact, as its reader may know it; '' if they know it (`known`: the last count)."""
        return self.say("facts", type(fact).__name__, {**_fields(fact), "known": known})

    def counted_by(self, fact: Fact) -> str:
        """The attribute of a view that such a fact counts anew; '': none."""
        return self._known.get(type(fact).__name__, "")

    def joins(self, group: str, fact: Fact) -> bool:
        """Is it told together with others: what opens a battle, what belongs to one, a round passed?"""
        return type(fact).__name__ in self._groups.get(group, ())

    def refusal(self, refusal: Refusal) -> str:
        """Why a line is not done, with its number and its rule."""
        meanings = refusal.meanings if isinstance(refusal, Ambiguous) else ()
        facts = {**refusal.facts, "meanings": meanings, "rule": refusal.rule}
        reason = self.say("refusals", refusal.reason, facts)
        suggestions = refusal.suggestions if isinstance(refusal, Unreadable) else ()
        return self.word(
            "refused", number=refusal.line, reason=reason, rule=refusal.rule, suggestions=suggestions
        )

    def question(self, ask: Ask) -> str:
        """What the seat is asked."""
        return self.say("questions", ask.topic, {"given": ask.given, "at": ask.at, "seat": ask.seat})

    def outcome(self, outcome: Outcome) -> str:
        """How it ended."""
        return self.say("outcomes", outcome.reason, {"winners": outcome.winners})

    def verdict(self, outcome: Outcome) -> str:
        """Who won, in a sentence."""
        return self.say("final", "verdict", _fields(outcome))

    def segment(self, segment: Segment) -> str:
        return _sentence(self.say("segments", segment.name, {"key": segment.key, "args": segment.args}))

    def odds(self, odds: Any) -> str:
        """The game's own answer to an ODDS question."""
        return self.say("odds", type(odds).__name__, _fields(odds))

    def overlay(self, overlay: Any) -> str:
        """In words, what is drawn over a map on request."""
        return self.say("overlays", type(overlay).__name__, _fields(overlay))

    def word(self, key: str, **facts: Any) -> str:
        """A word or a line that is not of the game's own."""
        return self.say("words", key, facts)

    def text(self, key: str) -> str:
        """A text of several lines, as it stands."""
        return self._template("words", key)[0].render().strip("\n")

    def lines(self, section: str, key: str, facts: Mapping[str, Any]) -> list[str]:
        """A phrase of several lines with these facts, without the empty ones."""
        lines = self._template(section, key)[0].render(facts).splitlines()
        return [line.rstrip() for line in lines if line.strip()]

    def say(self, section: str, key: str, facts: Mapping[str, Any] = NO_FACTS) -> str:
        """The phrase with these facts; in the game's own a fact named like a macro is read as `name_`."""
        if (section, key) in self._unchanging:
            return self._unchanging[section, key]
        template, own = self._template(section, key)
        context = {f"{name}_": value for name, value in facts.items()}
        hidden = (*self._macros, "named") if own else ()
        context |= {name: value for name, value in facts.items() if name not in hidden}
        return " ".join(template.render(context).split())

    def name_of(self, thing: Any) -> str:
        """The thing's name in this language."""
        name = str(thing.names[self.language])
        return name.replace("'", "’") if self.language == "fr" else name

    def _command(self, verb: tuple[str, ...]) -> str:
        """Of a verb's usual spellings the one in this language."""
        return dict(zip(LANGUAGES, verb, strict=True))[self.language]

    def _exchange(self, label: str) -> str:
        """An exchange of letters as headers of orders name it in this game; '' stays ''."""
        return self.word("exchange", label=label) if label else ""

    def _occasion(self, label: str) -> str:
        """The same in words, as letters speak of it; '' stays ''."""
        return self.word("occasion", label=label) if label else ""

    def _turn(self, label: str) -> str:
        """What makes a turn in that exchange of letters; '': in one of a single question."""
        kind = sheet_kind(label)
        return self.say("turns", kind if self.has("turns", kind) else "question")

    def _moment(self, moment: Moment, pattern: str = LONG) -> str:
        return moment_words(moment, self.language, pattern)

    # ------------------------------------------------------------ the files

    def has(self, section: str, key: str) -> bool:
        return any(key in file.get(section, {}) for file in self._files)

    def keys(self, section: str) -> list[str]:
        return sorted({key for file in self._files for key in file.get(section, {})})

    def _template(self, section: str, key: str) -> tuple[Template, bool]:
        """The phrase, and whether it is the game's own."""
        if (section, key) not in self._templates:
            place = next((n for n, file in enumerate(self._files) if key in file.get(section, {})), None)
            if place is None:
                raise NoPhrase(f"{self.game}/{self.language}: [{section}] {key}")
            source = self._files[place][section][key]
            template = self.env.from_string(source)
            template.globals = self.env.globals  # as it is: it is copied whenever something is told
            self._templates[section, key] = template, place < self._own
            if "{" not in source:
                self._unchanging[section, key] = " ".join(template.render().split())
        return self._templates[section, key]


MOST_LOADED = 32
_LOADED: dict[tuple[str, Language, str], Phrases] = {}


def load_phrases(game: str, language: Language, pack: Any) -> Phrases:
    """The phrases of a game, made once for each language and pack: it takes long to compile them all."""
    key = (game, language, "" if pack is None else pack.hash)
    if key not in _LOADED:
        if len(_LOADED) >= MOST_LOADED:
            _LOADED.clear()
        _LOADED[key] = Phrases(game, language, pack)
    return _LOADED[key]


def _fields(thing: Any) -> dict[str, Any]:
    return {field.name: getattr(thing, field.name) for field in fields(thing)}


def _sentence(text: str) -> str:
    """Capitalize the first letter only."""
    return text[:1].upper() + text[1:]


@cache
def _read(path: Path) -> Mapping[str, Any]:
    with path.open("rb") as file:
        return tomllib.load(file)
