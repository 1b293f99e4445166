"""The verbs that the order reader is handed: how each is written, by whom, and what it makes of a line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from engine.kernel.errors import Facts, Refusal
from engine.kernel.game import Language
from pbem.orders.arguments import EDGES, BadArgument, Result, VerbArguments
from pbem.orders.own_text import END, ORDERS, STANDING
from pbem.orders.text import (
    Word,
    first_words,
    is_asked,
    is_remark,
    key,
    near,
    without_bullet,
    without_ornaments,
)
from pbem.orders.understood import (
    Circumstances,
    Command,
    Question,
    Role,
    Writer,
    refuse_illegal,
    refuse_unreadable,
)

C = TypeVar("C", bound=Command)

ANYBODY: tuple[Writer, ...] = ("player", "observer", "umpire", "stranger")
MEMBERS: tuple[Writer, ...] = ("player", "observer", "umpire")
PLAYERS: tuple[Writer, ...] = ("player",)
SEATED: tuple[Writer, ...] = ("player", "umpire")
UMPIRES: tuple[Writer, ...] = ("umpire",)

# What the letter must be about: a campaign, the writer's own seat in it, or a campaign that they umpire.
Subject: TypeAlias = Literal["", "campaign", "seat", "umpire"]
# Where the arguments end: by themselves, with the line, or with the line and as somebody's own words.
Rest: TypeAlias = Literal["closed", "open", "speech"]

_QUOTE_BARS = ("|", "\u00a6", "\u2502")  # how some programs mark a quote


@dataclass(frozen=True)
class VerbSyntax(Generic[C]):
    """How a verb is written, who may use it, and what may follow it."""

    en: str  # all ways to write it, separated by commas; the first is the usual one
    fr: str
    who: tuple[Writer, ...]
    command: type[C]
    _: KW_ONLY
    read: Callable[[VerbArguments], Result] | None = None  # None: nothing may follow the verb
    rest: Rest = "closed"
    is_information: bool = False  # a question itself: it changes nothing
    role: Role = ""
    subject: Subject = ""
    mistaken: str = ""  # words that people write instead, separated by commas; only ever suggested

    @cached_property
    def usual(self) -> tuple[str, str]:
        """How it is usually written, in English and in French."""
        return self.in_language("en")[0], self.in_language("fr")[0]

    @property
    def symbol(self) -> str:
        return self.usual[0]

    def in_language(self, language: Language) -> tuple[str, ...]:
        return tuple((self.fr if language == "fr" else self.en).split(", "))

    @property
    def spellings(self) -> tuple[str, ...]:
        return (*self.in_language("en"), *self.in_language("fr"))

    @property
    def takes_question_mark(self) -> bool:
        """READY? has not said READY; STATUS? asks, and in a speech the mark is the writer's own."""
        return self.is_information or self.rest == "speech"

    @property
    def implies_campaign(self) -> bool:
        """Is it said of the campaign that the letter is about, so that it may be named?"""
        return bool(self.subject) or self.role in ("check", "confirm")

    def read_arguments(self, arguments: VerbArguments) -> Result:
        if self.read is not None:
            return self.read(arguments)
        arguments.expect_end(0)
        return self.command()

    def read_about_campaign(self, arguments: VerbArguments) -> Result:
        """The campaign may be named among the arguments: HOLD TTLM-1. First they are read as they stand.

        A text is the writer's own and may speak of a campaign; only a name that leads it is none of it.
        """
        leads = self.rest != "closed" and arguments.is_led_by_campaign(before_text=self.rest == "open")
        try:
            if not leads:
                return self.read_arguments(arguments)
        except BadArgument:
            if not arguments.names_campaign:
                raise
        try:
            command = self.read_arguments(arguments.without_campaign())
        except BadArgument:
            if leads and len(arguments.words) == 1:  # nothing but the name
                raise
            return self.read_arguments(arguments)
        arguments.expect_own_campaign()
        return command


class Fault(NamedTuple):
    """A line that begins like a command. `likely`: it can hardly have been meant as talk."""

    refusal: Refusal | None
    question: Question | None
    likely: bool


V = TypeVar("V", bound=VerbSyntax[Any])


def _may_use(verb: VerbSyntax[Any], writer: tuple[Writer, ...]) -> bool:
    return any(role in verb.who for role in writer)


class VerbVocabulary(Generic[V]):
    """All verbs of a letter."""

    def __init__(self, verbs: Iterable[V]) -> None:
        self.verbs = tuple(verbs)
        self.phrases: dict[tuple[str, ...], V] = {}  # the words of a verb as they are compared
        for verb in self.verbs:
            for spelling in verb.spellings:
                self.phrases.setdefault(tuple(map(key, spelling.split())), verb)
        self.by_command = {verb.command: verb for verb in self.verbs}
        self._mistaken = {word: verb for verb in self.verbs for word in verb.mistaken.split(", ") if word}
        self._longest = max(map(len, self.phrases))
        self._suggestions = lru_cache(self._list_suggestions)

    def of(self, command: Command) -> V:
        return self.by_command[type(command)]

    # ------------------------------------------------------------ reading

    def read(self, text: str, circumstances: Circumstances) -> Result | Fault | None:
        """The command of a line; None: it begins with no verb, or with one that this writer would not use."""
        line = without_bullet(text)
        if is_remark(line) or line.lstrip().startswith(_QUOTE_BARS) or (found := self._verb(line)) is None:
            return None
        verb, written = found
        raw = line[written[-1].end :]
        raw = raw if verb.rest == "speech" else without_ornaments(raw)
        loud = line[written[0].start : written[-1].end].isupper()
        colon = line[written[-1].start : written[-1].end].rstrip().endswith(":")
        likely = loud or colon or any(sign.isdigit() for sign in raw)
        likely = likely or (len(written) > 1 and " " in verb.symbol)  # nobody begins talk so
        allowed = _may_use(verb, circumstances.writer)
        prefix = tuple(word.key for word in written)
        arguments = VerbArguments(verb.usual, prefix, (":" if colon else "") + raw, loud, circumstances)
        try:
            command = self._read_arguments(verb, arguments)
        except BadArgument as wrong:
            return Fault(wrong.refusal, wrong.question, likely) if allowed else None
        if not allowed:
            writer = next(iter(circumstances.writer), "stranger")
            facts: Facts = {"verb": verb.usual, "writer": writer}
            return Fault(refuse_illegal("mail-not-for-you", facts), None, likely)
        if is_asked(line) and isinstance(command, Command) and not verb.takes_question_mark:
            return Fault(refuse_unreadable("mail-question-mark"), None, True)
        return command

    def _verb(self, line: str) -> tuple[V, tuple[Word, ...]] | None:
        """The verb with the most words that the line begins with, and these words."""
        words = first_words(line, self._longest)
        keys = tuple(word.key for word in words)
        for length in range(len(keys), 0, -1):
            if verb := self.phrases.get(keys[:length]):
                return verb, words[:length]
        return None

    def may_name_campaign(self, text: str) -> bool:
        """Does the line begin with a verb that is said of a campaign?"""
        found = self._verb(without_bullet(text))
        return found is not None and found[0].implies_campaign

    def _read_arguments(self, verb: V, arguments: VerbArguments) -> Result:
        """A CONFIRM behind them is said of what the verb will ask."""
        read = verb.read_about_campaign if verb.implies_campaign else verb.read_arguments
        try:
            return read(arguments)
        except BadArgument:
            last = arguments.words[-1] if arguments.words else None
            confirm = None if last is None else self.phrases.get((last.key,))
            if last is None or confirm is None or confirm.role != "confirm":
                raise
            return read(replace(arguments, raw=arguments.raw[: last.start].rstrip(EDGES)))

    # ------------------------------------------------------------ spelling

    def suggest(
        self, line: str, language: Language = "en", writer: tuple[Writer, ...] = ANYBODY
    ) -> tuple[str, ...]:
        """Verbs that the beginning of a line may have been meant as, in the writer's language.

        Only those that the writer may use: another would be refused as soon as it is written.
        """
        keys = [word.key for word in first_words(line, 3)]
        mistaken = self._mistaken.get(keys[0]) if keys else None
        if mistaken is not None and _may_use(mistaken, writer):
            return (mistaken.in_language(language)[0],)
        for length in range(len(keys), 0, -1):
            if found := near("".join(keys[:length]), self._suggestions(language, writer)):
                return found
        return ()

    def _list_suggestions(self, language: Language, writer: tuple[Writer, ...]) -> tuple[str, ...]:
        """Those of the language first; a word of the other one is still better than none."""
        own = [spelling for verb in self.verbs for spelling in verb.in_language(language)]
        others = {
            spelling for verb in self.verbs if not _may_use(verb, writer) for spelling in verb.spellings
        }
        return tuple(one for one in dict.fromkeys((*own, *self.spellings)) if one not in others)

    @cached_property
    def spellings(self) -> tuple[str, ...]:
        """Every verb and block word as it is written."""
        verbs = (spelling for verb in self.verbs for spelling in verb.spellings)
        return tuple(dict.fromkeys((*verbs, *ORDERS, *STANDING, *END)))

    @cached_property
    def languages(self) -> dict[str, Language]:
        """First words of verbs that only one language has: they show what the writer speaks."""
        english, french = self._first_words("en"), self._first_words("fr")
        only_english: dict[str, Language] = dict.fromkeys(english - french, "en")
        return only_english | dict.fromkeys(french - english, "fr")

    def _first_words(self, language: Language) -> set[str]:
        return {key(one.split()[0]) for verb in self.verbs for one in verb.in_language(language)}
