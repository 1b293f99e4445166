"""What stands behind the verb of a command, and what may be wrong with it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from email_validator import EmailNotValidError, validate_email

from engine.kernel.errors import Facts, Refusal
from pbem.orders.dates import Unclear
from pbem.orders.text import Word, near, plain, words
from pbem.orders.understood import Circumstances, Command, Question, refuse_unreadable

# Words inside the arguments of several verbs.
ALL = frozenset({"ALL", "EVERYONE", "EVERYBODY", "TOUS", "TOUTES", "TOUT"})
TO = frozenset({"TO", "A", "AUX", "AU"})
NONE = frozenset({"NONE", "NO", "OFF", "AUCUNE", "NON"})
TURN = frozenset({"TURN", "TOUR"})
BECAUSE = frozenset({"BECAUSE", "REASON", "CAR", "MOTIF"})
PLEASE = frozenset({"PLEASE", "THANKS", "SVP", "STP", "MERCI"})

EDGES = " \t.,;:!?\"'«»“”‘’()[]*"


class BadArgument(Exception):
    """Carries a refusal or a question out of an argument."""

    def __init__(self, refusal: Refusal | None = None, question: Question | None = None) -> None:
        self.refusal, self.question = refusal, question


@dataclass(frozen=True, slots=True)
class VerbArguments:
    """What stands behind a verb."""

    verb: tuple[str, str]  # as it is usually written, in English and in French
    prefix: tuple[str, ...]  # its words in this line, as they are compared
    raw: str
    loud: bool  # the verb was written in capitals
    circumstances: Circumstances

    @property
    def words(self) -> tuple[Word, ...]:
        return words(self.raw)

    def word(self, place: int) -> str:
        """A word as written, without the punctuation around it."""
        found = self.words[place]
        return self.raw[found.start : found.end].strip(EDGES)

    def missing(self, expected: str) -> BadArgument:
        return BadArgument(refuse_unreadable("mail-missing", {"verb": self.verb, "expected": expected}))

    def left_over(self, place: int) -> BadArgument:
        return BadArgument(refuse_unreadable("mail-left-over", {"verb": self.verb, "word": self.word(place)}))

    def expect_end(self, place: int) -> None:
        """Nothing more but a please or a thank you."""
        for at, word in enumerate(self.words[place:], place):
            if word.key not in PLEASE:
                raise self.left_over(at)


NUMBERS = re.compile(r"\d{1,4}(?:[\s,;+&]+\d{1,4})*")
_WITH_FIGURE = re.compile(r"\w[\w.\-/]*")


class Awaiting(NamedTuple):
    """A command whose text stands in the lines up to END."""

    verb: tuple[str, str]
    finish: Callable[[str], Command]


Result: TypeAlias = Command | Awaiting


def rest_of_line(tail: VerbArguments) -> str:
    return tail.raw.strip().removeprefix(":").strip()


def read_text(tail: VerbArguments, expected: str) -> str:
    text = rest_of_line(tail)
    if not text:
        raise tail.missing(expected)
    return text


def read_turn(tail: VerbArguments) -> str:
    """T4, T4.C2, turn 4, or nothing."""
    place = 1 if tail.words and tail.words[0].key in TURN else 0
    if len(tail.words) <= place:
        return ""
    turn = plain(tail.word(place))
    if not _WITH_FIGURE.fullmatch(turn) or not any(sign.isdigit() for sign in turn):
        raise BadArgument(refuse_unreadable("mail-unknown-turn", {"word": tail.word(place)}))
    tail.expect_end(place + 1)
    return f"T{turn}" if turn.isdigit() else tail.circumstances.exchange(turn)


def read_segment(tail: VerbArguments, place: int = 0) -> tuple[str, int]:
    """T3.R2, and where the next word stands."""
    if len(tail.words) > place and tail.words[place].key in TO:
        place += 1
    if len(tail.words) <= place:
        raise tail.missing("segment")
    segment = plain(tail.word(place))
    if not _WITH_FIGURE.fullmatch(segment) or not any(sign.isdigit() for sign in segment):
        raise BadArgument(refuse_unreadable("mail-unknown-turn", {"word": tail.word(place)}))
    return tail.circumstances.exchange(segment), place + 1


def read_campaign(tail: VerbArguments) -> str:
    """A campaign's name. In talk ("stop it") no word is taken for one unless it looks like it."""
    name = tail.word(0)
    own = plain(name) == plain(tail.circumstances.campaign)
    if not (tail.loud or own or any(sign.isdigit() for sign in name)):
        raise tail.left_over(0)
    return name


def read_seat(tail: VerbArguments, word: str) -> str:
    found = {plain(seat): seat for seat in tail.circumstances.seats}.get(plain(word))
    if found is None:
        seats = near(word, tail.circumstances.seats) or tail.circumstances.seats
        raise BadArgument(refuse_unreadable("mail-unknown-seat", {"word": word}, seats))
    return found


def with_reason(tail: VerbArguments) -> tuple[VerbArguments, str]:
    """What stands before BECAUSE, and what behind it."""
    for word in tail.words:
        if word.key in BECAUSE:
            reason = tail.raw[word.end :].strip().removeprefix(":").strip()
            return replace(tail, raw=tail.raw[: word.start]), reason
    return tail, ""


def ask_date(unclear: Unclear) -> BadArgument:
    facts: Facts = {"text": unclear.text, "dates": tuple(day.isoformat() for day in unclear.days)}
    return BadArgument(question=Question("which-date", (), facts))


def mail_address(tail: VerbArguments, place: int) -> str:
    """Also as programs write a link: `a@b.example<mailto:a@b.example>`."""
    word = tail.word(place).lstrip("<").partition("<")[0].removeprefix("mailto:").rstrip(">")
    try:
        found = validate_email(word, check_deliverability=False, test_environment=True)
    except EmailNotValidError:
        raise BadArgument(refuse_unreadable("mail-bad-address", {"word": word})) from None
    return found.normalized.lower()
