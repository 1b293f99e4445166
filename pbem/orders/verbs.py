"""From a line to a command: its verb, then its arguments, one function a verb. Umpires' stand apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import NamedTuple

from engine.kernel.errors import Refusal
from pbem.orders import commands as c
from pbem.orders import umpire_verbs
from pbem.orders.arguments import (
    EDGES,
    NUMBERS,
    Awaiting,
    BadArgument,
    Result,
    VerbArguments,
    ask_date,
    mail_address,
    read_campaign,
    read_seat,
    read_segment,
    read_text,
    read_turn,
)
from pbem.orders.dates import Impossible, Span, Unclear, read_span
from pbem.orders.text import Word, first_words, is_asked, is_remark, without_bullet, words, zones, zones_near
from pbem.orders.understood import Circumstances, Question, refuse_illegal, refuse_unreadable
from pbem.orders.words import (
    ALL,
    AND,
    ANSWERS,
    BY_SYMBOL,
    LANGUAGES,
    LINE,
    NONE,
    PLEASE,
    REACH,
    ROLLBACK,
    THE,
    TO,
    UMPIRE,
    verb_at_start,
)

LONGEST_TOPIC = 3  # words behind HELP
_BAR = ("|", "\u00a6", "\u2502")  # how some programs mark a quote
_UNLIKE_TALK = frozenset({"ANSWER FOR", "FORCE DICE", "PRESS TO", "PROPOSE ROLLBACK", "SHOW STANDING"})


class Fault(NamedTuple):
    """A line that begins like a command. `likely`: it can hardly have been meant as talk."""

    refusal: Refusal | None
    question: Question | None
    likely: bool


def read_command(text: str, circumstances: Circumstances) -> Result | Fault | None:
    """The command of a line; None: it begins with no verb, or with one that this writer would not use."""
    line = without_bullet(text)
    if is_remark(line) or line.lstrip().startswith(_BAR) or (found := verb_at_start(line)) is None:
        return None
    verb, length = found
    spoken = first_words(line, length)
    raw = line[spoken[-1].end :]
    if verb == "ARMISTICE" and length > 1:
        raw = f" {spoken[0].key}{raw}"  # ACCEPT ARMISTICE is ARMISTICE ACCEPT
    loud = line[spoken[0].start : spoken[-1].end].isupper()
    colon = line[spoken[-1].start : spoken[-1].end].rstrip().endswith(":")
    likely = loud or colon or any(sign.isdigit() for sign in raw) or (length > 1 and verb in _UNLIKE_TALK)
    allowed = any(one in BY_SYMBOL[verb].who for one in circumstances.writer)
    tail = VerbArguments(verb, (":" if colon else "") + raw, loud, circumstances)
    try:
        command = _read(tail)
    except BadArgument as wrong:
        return Fault(wrong.refusal, wrong.question, likely) if allowed else None
    if allowed and is_asked(line) and isinstance(command, c.Command) and type(command) not in _ASKING:
        return Fault(refuse_unreadable("mail-question-mark"), None, True)  # READY? is none
    if allowed:
        return command
    writer = next(iter(circumstances.writer), "stranger")
    return Fault(refuse_illegal("mail-not-for-you", {"verb": verb, "writer": writer}), None, likely)


def _read(tail: VerbArguments) -> Result:
    try:
        return _READERS[tail.verb](tail)
    except BadArgument:
        if tail.unconfirmed is None:
            raise
        return _READERS[tail.verb](tail.unconfirmed)


# ------------------------------------------------------------------ players


def _alone(command: type[c.Command]) -> Callable[[VerbArguments], c.Command]:
    def read(tail: VerbArguments) -> c.Command:
        tail.expect_end(0)
        return command()

    return read


def _help(tail: VerbArguments) -> c.Command:
    if len(tail.words) > LONGEST_TOPIC:
        raise tail.left_over(LONGEST_TOPIC)
    topic = " ".join(tail.word(n) for n, word in enumerate(tail.words) if word.key not in PLEASE)
    return c.Help(topic)


def _map(tail: VerbArguments) -> c.Command:
    """MAP, or MAP REACH CAR1."""
    if not tail.words or tail.words[0].key not in REACH:
        tail.expect_end(0)
        return c.Map()
    if len(tail.words) == 1:
        raise tail.missing("piece")
    return c.Map(tail.raw[tail.words[0].end :].strip(" :."))


def _rule(tail: VerbArguments) -> c.Command:
    if not tail.words:
        raise tail.missing("rule")
    tail.expect_end(1)
    return c.ShowRule(tail.word(0))


def _cancel(tail: VerbArguments) -> c.Command:
    """CANCEL, CANCEL ALL, CANCEL 3 4, CANCEL LINE 3."""
    place = 1 if tail.words and tail.words[0].key in (*ALL, *LINE) else 0
    if not tail.words or tail.words[0].key in ALL:
        tail.expect_end(place)
        return c.Cancel()
    rest = tail.raw[tail.words[0].end :] if place else tail.raw
    if not NUMBERS.fullmatch(rest.strip(" :.,")):
        raise BadArgument(refuse_unreadable("mail-bad-line-number", {"word": rest.strip()[:40]}))
    return c.Cancel(tuple(dict.fromkeys(int(one) for one in re.findall(r"\d+", rest))))


def _absent(tail: VerbArguments) -> c.Command:
    text = read_text(tail, "date")
    if tail.words[:1] and len(tail.words) == 1 and tail.words[0].key in NONE:
        return c.Absent(None, None)
    match read_span(text, tail.circumstances.today):
        case Unclear() as unclear:
            raise ask_date(unclear)
        case Impossible():
            raise BadArgument(refuse_unreadable("mail-impossible-date", {"text": text}))
        case Span(first, last):
            return _absence(first, last, tail.circumstances.today)


def _absence(first: date, last: date, today: date) -> c.Command:
    if first > last:
        facts = {"first": first.isoformat(), "last": last.isoformat()}
        raise BadArgument(refuse_illegal("mail-dates-reversed", facts))
    if last < today:
        raise BadArgument(refuse_illegal("mail-date-past", {"last": last.isoformat()}))
    return c.Absent(first, last)


def _press(tail: VerbArguments) -> Result:
    """PRESS TO WA EA: words, or the words in the lines up to END."""
    whom, colon, text = tail.raw.partition(":")
    seats: list[str] = []
    for word in words(whom):
        if word.key in ALL:
            seats.append(c.EVERYBODY)
        elif word.key in UMPIRE:
            seats.append(c.THE_UMPIRE)
        elif word.key not in TO | AND | THE:
            try:
                seats += [read_seat(tail, part) for part in re.split(r"[,/+&]", _bare(whom, word)) if part]
            except BadArgument:
                if seats and not colon:
                    raise tail.missing("colon") from None
                raise
    if not seats:
        raise tail.missing("seat")
    wide = [one for one in seats if one in (c.EVERYBODY, c.THE_UMPIRE)] if c.EVERYBODY in seats else seats
    to = tuple(dict.fromkeys(wide))
    return (
        c.Press(to, text.strip())
        if text.strip()
        else Awaiting(tail.verb, lambda read_text: c.Press(to, read_text))
    )


def _bare(text: str, word: Word) -> str:
    return text[word.start : word.end].strip(EDGES)


def _propose_rollback(tail: VerbArguments) -> c.Command:
    segment, place = read_segment(tail)
    tail.expect_end(place)
    return c.ProposeRollback(segment)


def _agree(tail: VerbArguments) -> c.Command:
    """AGREE, AGREE [TO] ROLLBACK [T3.R2]."""
    keys = [word.key for word in tail.words]
    place = next((n for n, word in enumerate(keys) if word not in TO), len(keys))
    if place == len(keys) or keys[place] in PLEASE:
        tail.expect_end(place)
        return c.Agree()
    if keys[place] not in ROLLBACK:
        raise tail.left_over(place)
    if len(keys) == place + 1:
        return c.Agree()
    segment, place = read_segment(tail, place + 1)
    tail.expect_end(place)
    return c.Agree(segment)


def _armistice(tail: VerbArguments) -> c.Command:
    if not tail.words or tail.words[0].key in PLEASE:
        tail.expect_end(0)
        return c.Armistice()
    answer = ANSWERS.get(tail.words[0].key)
    if answer is None:
        raise tail.left_over(0)
    tail.expect_end(1)
    return c.Armistice(answer)


def _resign(tail: VerbArguments) -> c.Command:
    """RESIGN, RESIGN YES, RESIGN NO."""
    if not tail.words or tail.words[0].key in PLEASE:
        tail.expect_end(0)
        return c.Resign()
    willing = {"accept": True, "refuse": False}.get(ANSWERS.get(tail.words[0].key, ""))
    if willing is None:
        raise tail.left_over(0)
    tail.expect_end(1)
    return c.Resign(willing)


def _lang(tail: VerbArguments) -> c.Command:
    if not tail.words:
        raise tail.missing("language")
    language = LANGUAGES.get(tail.words[0].key)
    if language is None:
        raise BadArgument(refuse_unreadable("mail-unknown-language", {"word": tail.word(0)}, ("en", "fr")))
    tail.expect_end(1)
    return c.Lang(language)


def _zone(tail: VerbArguments) -> c.Command:
    if not tail.words:
        raise tail.missing("zone")
    zone = zones().get(tail.word(0).upper())
    if zone is None:
        raise BadArgument(
            refuse_unreadable("mail-unknown-zone", {"word": tail.word(0)}, zones_near(tail.word(0)))
        )
    tail.expect_end(1)
    return c.Zone(zone)


def _of_an_address(command: Callable[[str], c.Command]) -> Callable[[VerbArguments], c.Command]:
    def read(tail: VerbArguments) -> c.Command:
        if not tail.words:
            raise tail.missing("address")
        address = mail_address(tail, 0)
        tail.expect_end(1)
        return command(address)

    return read


def _signup(tail: VerbArguments) -> c.Command:
    if not tail.words:
        raise tail.missing("campaign")
    name = read_campaign(tail)
    wishes = (tail.word(n) for n in range(1, len(tail.words)))
    return c.Signup(name, tuple(part for wish in wishes for part in re.split(r"[,/>]", wish) if part))


def _watch(tail: VerbArguments) -> c.Command:
    if not tail.words:
        return c.Watch()
    name = read_campaign(tail)
    tail.expect_end(1)
    return c.Watch(name)


def _stop(tail: VerbArguments) -> c.Command:
    """For a seat a question: it may have been meant as a resignation, and is none."""
    name = read_campaign(tail) if tail.words else ""
    tail.expect_end(1)
    if "player" in tail.circumstances.writer:
        raise BadArgument(question=Question("stop-of-a-seat"))
    return c.Stop(name)


_READERS: Mapping[str, Callable[[VerbArguments], Result]] = {
    "HELP": _help,
    "STATUS": _alone(c.Status),
    "MAP": _map,
    "HAND": _alone(c.Hand),
    "HISTORY": lambda tail: c.History(read_turn(tail)),
    "RULE": _rule,
    "CHECK": _alone(c.Check),
    "SHOW STANDING": _alone(c.ShowStanding),
    "CONFIRM": _alone(c.Confirm),
    "CANCEL": _cancel,
    "READY": _alone(c.Ready),
    "WAIT": _alone(c.Wait),
    "SALT": lambda tail: c.Salt(read_text(tail, "text")),
    "ABSENT": _absent,
    "ODDS": lambda tail: c.Odds(read_text(tail, "battle")),
    "PRESS TO": _press,
    "PROPOSE ROLLBACK": _propose_rollback,
    "AGREE": _agree,
    "ARMISTICE": _armistice,
    "RESIGN": _resign,
    "HANDOVER": _alone(c.Handover),
    "LANG": _lang,
    "ZONE": _zone,
    "ADDRESS": _of_an_address(c.ChangeAddress),
    "LINK": _of_an_address(c.Link),
    "UNLINK": _of_an_address(c.Unlink),
    "VERIFY": lambda tail: c.Verify(read_turn(tail)),
    "LIST": _alone(c.ListCampaigns),
    "SIGNUP": _signup,
    "WATCH": _watch,
    "STOP": _stop,
    **umpire_verbs.READERS,
}
# Questions themselves, or words of which the question mark is a part. Whoever asks "READY?" has not said it.
_ASKING = frozenset(
    {
        c.Help, c.Status, c.Map, c.Hand, c.History, c.ShowRule, c.ShowStanding, c.Odds, c.Verify,
        c.ListCampaigns, c.WhatIf, c.Salt, c.Press, c.Ruling,
    }
)  # fmt: skip
FREE_TEXT = frozenset({c.Salt, c.Press, c.Ruling, c.WhatIf, c.AnswerFor, c.Help, c.Odds, c.Signup, c.Open})
