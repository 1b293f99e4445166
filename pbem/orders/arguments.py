"""What stands behind the verbs of many commands: turns, seats, reasons, dates, addresses."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from email_validator import EmailNotValidError, validate_email

from engine.kernel.errors import Facts
from pbem.orders import commands as c
from pbem.orders.dates import Unclear
from pbem.orders.plain import plain
from pbem.orders.suggest import near
from pbem.orders.tail import Tail, Wrong
from pbem.orders.understood import Question, unreadable
from pbem.orders.words import BECAUSE, TO, TURN

NUMBERS = re.compile(r"\d{1,4}(?:[\s,;+&]+\d{1,4})*")
_WITH_FIGURE = re.compile(r"\w[\w.\-/]*")


class Awaiting(NamedTuple):
    """A command whose text stands in the lines up to END."""

    verb: str
    finish: Callable[[str], c.Command]


Result: TypeAlias = "c.Command | Awaiting"


def text_of(tail: Tail) -> str:
    return tail.raw.strip().removeprefix(":").strip()


def said(tail: Tail, expected: str) -> str:
    text = text_of(tail)
    if not text:
        raise tail.missing(expected)
    return text


def turn_of(tail: Tail) -> str:
    """T4, T4.C2, turn 4, or nothing."""
    place = 1 if tail.words and tail.words[0].key in TURN else 0
    if len(tail.words) <= place:
        return ""
    turn = plain(tail.word(place))
    if not _WITH_FIGURE.fullmatch(turn) or not any(sign.isdigit() for sign in turn):
        raise Wrong(unreadable("mail-unknown-turn", {"word": tail.word(place)}))
    tail.expect_end(place + 1)
    return f"T{turn}" if turn.isdigit() else tail.circumstances.exchange(turn)


def segment_of(tail: Tail, place: int = 0) -> tuple[str, int]:
    """T3.R2, and where the next word stands."""
    if len(tail.words) > place and tail.words[place].key in TO:
        place += 1
    if len(tail.words) <= place:
        raise tail.missing("segment")
    segment = plain(tail.word(place))
    if not _WITH_FIGURE.fullmatch(segment) or not any(sign.isdigit() for sign in segment):
        raise Wrong(unreadable("mail-unknown-turn", {"word": tail.word(place)}))
    return tail.circumstances.exchange(segment), place + 1


def campaign_of(tail: Tail) -> str:
    """A campaign's name. In talk ("stop it") no word is taken for one unless it looks like it."""
    name = tail.word(0)
    own = plain(name) == plain(tail.circumstances.campaign)
    if not (tail.loud or own or any(sign.isdigit() for sign in name)):
        raise tail.left_over(0)
    return name


def seat_of(tail: Tail, word: str) -> str:
    found = {plain(seat): seat for seat in tail.circumstances.seats}.get(plain(word))
    if found is None:
        seats = near(word, tail.circumstances.seats) or tail.circumstances.seats
        raise Wrong(unreadable("mail-unknown-seat", {"word": word}, seats))
    return found


def with_reason(tail: Tail) -> tuple[Tail, str]:
    """What stands before BECAUSE, and what behind it."""
    for word in tail.words:
        if word.key in BECAUSE:
            reason = tail.raw[word.end :].strip().removeprefix(":").strip()
            return Tail(tail.verb, tail.raw[: word.start], tail.loud, tail.circumstances), reason
    return tail, ""


def ask_date(unclear: Unclear) -> Wrong:
    facts: Facts = {"text": unclear.text, "dates": tuple(day.isoformat() for day in unclear.days)}
    return Wrong(question=Question("which-date", (), facts))


def mail_address(tail: Tail, place: int) -> str:
    """Also as programs write a link: `a@b.example<mailto:a@b.example>`."""
    word = tail.word(place).lstrip("<").partition("<")[0].removeprefix("mailto:").rstrip(">")
    try:
        found = validate_email(word, check_deliverability=False, test_environment=True)
    except EmailNotValidError:
        raise Wrong(unreadable("mail-bad-address", {"word": word})) from None
    return found.normalized.lower()
