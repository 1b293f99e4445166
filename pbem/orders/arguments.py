"""What follows the verb of a command, and what may be wrong with it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeAlias

from email_validator import EmailNotValidError, validate_email

from engine.kernel.errors import Facts, Refusal
from pbem.orders.dates import Unclear
from pbem.orders.text import Word, first_words, near, plain, words
from pbem.orders.understood import Circumstances, Command, Question, refuse_illegal, refuse_unreadable

# Words inside the arguments of several verbs.
ALL = frozenset({"ALL", "EVERYONE", "EVERYBODY", "TOUS", "TOUTES", "TOUT"})
TO = frozenset({"TO", "A", "AUX", "AU"})
NONE = frozenset({"NONE", "NO", "OFF", "AUCUNE", "NON"})
TURN = frozenset({"TURN", "TOUR", "ROUND", "MANCHE"})
BECAUSE = frozenset({"BECAUSE", "REASON", "CAR", "MOTIF"})
OF_CAMPAIGN = frozenset({"OF", "IN", "FOR", "CAMPAIGN", "DE", "DANS", "POUR", "CAMPAGNE"})
PLEASE = frozenset({"PLEASE", "THANKS", "SVP", "STP", "MERCI"})

EDGES = " \t.,;:!?\"'«»“”‘’()[]*"
_NUMBERS = re.compile(r"\d{1,4}(?:[\s,;+&]+\d{1,4})*")
_LABEL = re.compile(r"\w[\w.\-/]*")


class BadArgument(Exception):
    """Carries a refusal or a question out of an argument."""

    def __init__(self, refusal: Refusal | None = None, question: Question | None = None) -> None:
        self.refusal, self.question = refusal, question


class Awaiting(NamedTuple):
    """A command whose text stands in the lines up to END."""

    verb: tuple[str, str]
    finish: Callable[[str], Command]


Result: TypeAlias = Command | Awaiting


NAMED_WITHIN: Final = 40  # words: a campaign's name further behind is talk


@dataclass(frozen=True, slots=True)
class VerbArguments:
    """What follows a verb in its line. A method that finds something wrong raises BadArgument."""

    verb: tuple[str, str]  # as it is usually written, in English and in French
    prefix: tuple[str, ...]  # its words in this line, as they are compared
    raw: str
    loud: bool  # the verb was written in capitals
    circumstances: Circumstances

    @property
    def words(self) -> tuple[Word, ...]:
        return words(self.raw)

    @property
    def text(self) -> str:
        return self.raw.strip().removeprefix(":").strip()

    def after(self, count: int) -> VerbArguments:
        """What follows so many words."""
        return replace(self, raw=self.raw[self.words[count - 1].end :]) if count else self

    def word(self, place: int) -> str:
        """A word as written, without the punctuation around it."""
        found = self.words[place]
        return self.raw[found.start : found.end].strip(EDGES)

    # ------------------------------------------------------------ the campaign, if it is named

    @property
    def names_campaign(self) -> bool:
        return self._campaign_place is not None

    @property
    def _campaign_place(self) -> int | None:
        """Where this letter's campaign is named first; failing that, another one of the writer's."""
        known = first_words(self.raw, NAMED_WITHIN)
        names = [self.raw[word.start : word.end].strip(EDGES) for word in known]
        own = plain(self.circumstances.campaign)
        found = (place for place, name in enumerate(names) if own and plain(name) == own)
        others = (place for place, name in enumerate(names) if self.circumstances.is_other_campaign(name))
        return next(found, next(others, None))

    def is_led_by_campaign(self, *, before_text: bool) -> bool:
        """Does the name come first, alone or with a colon behind it? `before_text`: or with anything."""
        if self._campaign_place != 0:
            return False
        first = self.words[0]
        behind = self.raw[first.end :].lstrip()[:1]
        return before_text or behind in ("", ":") or ":" in self.raw[first.start : first.end]

    def without_campaign(self) -> VerbArguments:
        """Without its name, and a word that leads to it: `of TTLM-1`."""
        place = self._campaign_place
        assert place is not None, "asked where a campaign is named"
        first = place - 1 if place and self.words[place - 1].key in OF_CAMPAIGN else place
        named = self.words[place]
        colon = ":" if ":" in self.raw[named.start : named.end] else ""
        return replace(self, raw=f"{self.raw[: self.words[first].start]}{colon}{self.raw[named.end :]}")

    def expect_own_campaign(self) -> None:
        """One letter is about one campaign."""
        place, own = self._campaign_place, self.circumstances.campaign
        if place is not None and plain(self.word(place)) != plain(own):
            facts: Facts = {"named": self.word(place), "campaign": own}
            raise BadArgument(refuse_illegal("mail-other-campaign", facts))

    # ------------------------------------------------------------ what is wrong

    def missing(self, expected: str) -> BadArgument:
        return BadArgument(refuse_unreadable("mail-missing", {"verb": self.verb, "expected": expected}))

    def left_over(self, place: int) -> BadArgument:
        return BadArgument(refuse_unreadable("mail-left-over", {"verb": self.verb, "word": self.word(place)}))

    def expect_end(self, place: int) -> None:
        """Nothing more but a please or a thank you."""
        for at, word in enumerate(self.words[place:], place):
            if word.key not in PLEASE:
                raise self.left_over(at)

    # ------------------------------------------------------------ what is expected

    def read_first(self, expected: str) -> str:
        """The first word."""
        if not self.words:
            raise self.missing(expected)
        return self.word(0)

    def read_text(self, expected: str) -> str:
        if not self.text:
            raise self.missing(expected)
        return self.text

    def read_speech(self, command: Callable[[str], Command]) -> Result:
        """Words in the same line, or in the lines up to END."""
        return command(self.text) if self.text else Awaiting(self.verb, command)

    def read_turn(self) -> str:
        """T4, T4.C2, turn 4, or nothing."""
        place = 1 if self.words and self.words[0].key in TURN else 0
        if len(self.words) <= place:
            return ""
        turn = self._read_label(place)
        self.expect_end(place + 1)
        return turn

    def read_segment(self, place: int = 0) -> tuple[str, int]:
        """T3.R2, and where the next word stands."""
        if len(self.words) > place and self.words[place].key in TO:
            place += 1
        if len(self.words) <= place:
            raise self.missing("segment")
        return self._read_label(place), place + 1

    def _read_label(self, place: int) -> str:
        """A turn, a segment or an exchange of letters: T4, T4.R2, and in set-up S or S.P1."""
        name = plain(self.word(place))
        if (found := self.circumstances.exchange(name)) is not None:
            return found
        if self._campaign_place == place:
            raise self.left_over(place)
        is_label = any(sign.isdigit() or sign == "." for sign in name) or len(name) == 1
        if not _LABEL.fullmatch(name) or not is_label:
            raise BadArgument(refuse_unreadable("mail-unknown-turn", {"word": self.word(place)}))
        return f"T{name}" if name.isdigit() else name

    def read_campaign(self) -> str:
        """A campaign's name. In talk ("stop it") no word is taken for one unless it looks like it."""
        name = self.word(0)
        own = plain(name) == plain(self.circumstances.campaign)
        if not (self.loud or own or any(sign.isdigit() for sign in name)):
            raise self.left_over(0)
        return name

    def read_seat(self, word: str) -> str:
        seats = self.circumstances.seats
        found = {plain(seat): seat for seat in seats}.get(plain(word))
        if found is None:
            known = near(word, seats) or seats
            raise BadArgument(refuse_unreadable("mail-unknown-seat", {"word": word}, known))
        return found

    def read_address(self, place: int) -> str:
        """Also as programs write a link: `a@b.example<mailto:a@b.example>`."""
        word = self.word(place).lstrip("<").partition("<")[0].removeprefix("mailto:").rstrip(">")
        try:
            found = validate_email(word, check_deliverability=False, test_environment=True)
        except EmailNotValidError:
            raise BadArgument(refuse_unreadable("mail-bad-address", {"word": word})) from None
        return found.normalized.lower()

    def split_reason(self) -> tuple[VerbArguments, str]:
        """What stands before BECAUSE, and what behind it."""
        for place, word in enumerate(self.words, 1):
            if word.key in BECAUSE:
                return replace(self, raw=self.raw[: word.start]), self.after(place).text
        return self, ""


def read_numbers(text: str) -> tuple[int, ...]:
    """3 4, or 3,4; empty: something else."""
    return tuple(map(int, re.findall(r"\d+", text))) if _NUMBERS.fullmatch(text) else ()


def ask_date(unclear: Unclear) -> BadArgument:
    facts: Facts = {"text": unclear.text, "dates": tuple(day.isoformat() for day in unclear.days)}
    return BadArgument(question=Question("which-date", (), facts))
