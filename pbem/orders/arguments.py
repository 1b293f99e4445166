"""From a line to a command: its verb, then its arguments, one function a verb."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import NamedTuple, TypeAlias

from email_validator import EmailNotValidError, validate_email

from engine.games import GAMES
from engine.kernel.errors import Facts, Refusal
from pbem.orders import commands as c
from pbem.orders.dates import Impossible, Span, Unclear, read_duration, read_moment, read_span
from pbem.orders.opening import read_opening
from pbem.orders.plain import Word, first_words, plain, without_bullet, words
from pbem.orders.suggest import near, zones, zones_near
from pbem.orders.tail import EDGES, Tail, Wrong
from pbem.orders.understood import Circumstances, Question, illegal, unreadable
from pbem.orders.words import (
    ALL,
    AND,
    ANSWERS,
    BECAUSE,
    BY,
    BY_SYMBOL,
    LANGUAGES,
    LINE,
    NONE,
    PLEASE,
    REACH,
    ROLLBACK,
    SAME_DICE,
    THE,
    TO,
    TURN,
    UMPIRE,
    verb_at_start,
)

MOST_DICE = 200
LONGEST_TOPIC = 3  # words behind HELP
_UNLIKE_TALK = frozenset({"ANSWER FOR", "FORCE DICE", "PRESS TO", "PROPOSE ROLLBACK", "SHOW STANDING"})
_WITH_FIGURE = re.compile(r"\w[\w.\-/]*")
_NUMBERS = re.compile(r"\d{1,4}(?:[\s,;+&]+\d{1,4})*")


class Fault(NamedTuple):
    """A line that begins like a command. `likely`: it can hardly have been meant as talk."""

    refusal: Refusal | None
    question: Question | None
    likely: bool


class Awaiting(NamedTuple):
    """A command whose text stands in the lines up to END."""

    verb: str
    finish: Callable[[str], c.Command]


Result: TypeAlias = "c.Command | Awaiting"


def read_command(text: str, circumstances: Circumstances) -> Result | Fault | None:
    """The command of a line; None: it begins with no verb, or with one that this writer would not use."""
    line = without_bullet(text)
    if (found := verb_at_start(line)) is None:
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
    tail = Tail(verb, (":" if colon else "") + raw, loud, circumstances)
    try:
        command = _read(tail)
    except Wrong as wrong:
        return Fault(wrong.refusal, wrong.question, likely) if allowed else None
    if allowed:
        return command
    writer = next(iter(circumstances.writer), "stranger")
    return Fault(illegal("mail-not-for-you", {"verb": verb, "writer": writer}), None, likely)


def _read(tail: Tail) -> Result:
    try:
        return _READERS[tail.verb](tail)
    except Wrong:
        if tail.unconfirmed is None:
            raise
        return _READERS[tail.verb](tail.unconfirmed)


# ------------------------------------------------------------------ arguments


def _text(tail: Tail) -> str:
    return tail.raw.strip().removeprefix(":").strip()


def _said(tail: Tail, expected: str) -> str:
    text = _text(tail)
    if not text:
        raise tail.missing(expected)
    return text


def _turn(tail: Tail) -> str:
    """T4, T4.C2, turn 4, or nothing."""
    place = 1 if tail.words and tail.words[0].key in TURN else 0
    if len(tail.words) <= place:
        return ""
    turn = plain(tail.word(place))
    if not _WITH_FIGURE.fullmatch(turn) or not any(sign.isdigit() for sign in turn):
        raise Wrong(unreadable("mail-unknown-turn", {"word": tail.word(place)}))
    tail.expect_end(place + 1)
    return f"T{turn}" if turn.isdigit() else tail.circumstances.exchange(turn)


def _segment(tail: Tail, place: int = 0) -> tuple[str, int]:
    """T3.R2, and where the next word stands."""
    if len(tail.words) > place and tail.words[place].key in TO:
        place += 1
    if len(tail.words) <= place:
        raise tail.missing("segment")
    segment = plain(tail.word(place))
    if not _WITH_FIGURE.fullmatch(segment) or not any(sign.isdigit() for sign in segment):
        raise Wrong(unreadable("mail-unknown-turn", {"word": tail.word(place)}))
    return tail.circumstances.exchange(segment), place + 1


def _campaign(tail: Tail) -> str:
    """A campaign's name. In talk ("stop it") no word is taken for one unless it looks like it."""
    name = tail.word(0)
    own = plain(name) == plain(tail.circumstances.campaign)
    if not (tail.loud or own or any(sign.isdigit() for sign in name)):
        raise tail.left_over(0)
    return name


def _seat(tail: Tail, word: str) -> str:
    found = {plain(seat): seat for seat in tail.circumstances.seats}.get(plain(word))
    if found is None:
        seats = near(word, tail.circumstances.seats) or tail.circumstances.seats
        raise Wrong(unreadable("mail-unknown-seat", {"word": word}, seats))
    return found


def _with_reason(tail: Tail) -> tuple[Tail, str]:
    """What stands before BECAUSE, and what behind it."""
    for word in tail.words:
        if word.key in BECAUSE:
            reason = tail.raw[word.end :].strip().removeprefix(":").strip()
            return Tail(tail.verb, tail.raw[: word.start], tail.loud, tail.circumstances), reason
    return tail, ""


def _ask_date(unclear: Unclear) -> Wrong:
    facts: Facts = {"text": unclear.text, "dates": tuple(day.isoformat() for day in unclear.days)}
    return Wrong(question=Question("which-date", (), facts))


# ------------------------------------------------------------------ players


def _alone(command: type[c.Command]) -> Callable[[Tail], c.Command]:
    def read(tail: Tail) -> c.Command:
        tail.expect_end(0)
        return command()

    return read


def _help(tail: Tail) -> c.Command:
    if len(tail.words) > LONGEST_TOPIC:
        raise tail.left_over(LONGEST_TOPIC)
    topic = " ".join(tail.word(n) for n, word in enumerate(tail.words) if word.key not in PLEASE)
    return c.Help(topic)


def _map(tail: Tail) -> c.Command:
    """MAP, or MAP REACH CAR1."""
    if not tail.words or tail.words[0].key not in REACH:
        tail.expect_end(0)
        return c.Map()
    if len(tail.words) == 1:
        raise tail.missing("piece")
    return c.Map(tail.raw[tail.words[0].end :].strip(" :."))


def _rule(tail: Tail) -> c.Command:
    if not tail.words:
        raise tail.missing("rule")
    tail.expect_end(1)
    return c.Rule(tail.word(0))


def _cancel(tail: Tail) -> c.Command:
    """CANCEL, CANCEL ALL, CANCEL 3 4, CANCEL LINE 3."""
    place = 1 if tail.words and tail.words[0].key in (*ALL, *LINE) else 0
    if not tail.words or tail.words[0].key in ALL:
        tail.expect_end(place)
        return c.Cancel()
    rest = tail.raw[tail.words[0].end :] if place else tail.raw
    if not _NUMBERS.fullmatch(rest.strip(" :.,")):
        raise Wrong(unreadable("mail-bad-line-number", {"word": rest.strip()[:40]}))
    return c.Cancel(tuple(dict.fromkeys(int(one) for one in re.findall(r"\d+", rest))))


def _absent(tail: Tail) -> c.Command:
    text = _said(tail, "date")
    if tail.words[:1] and len(tail.words) == 1 and tail.words[0].key in NONE:
        return c.Absent(None, None)
    match read_span(text, tail.circumstances.today):
        case Unclear() as unclear:
            raise _ask_date(unclear)
        case Impossible():
            raise Wrong(unreadable("mail-impossible-date", {"text": text}))
        case Span(first, last):
            return _absence(first, last, tail.circumstances.today)


def _absence(first: date, last: date, today: date) -> c.Command:
    if first > last:
        facts = {"first": first.isoformat(), "last": last.isoformat()}
        raise Wrong(illegal("mail-dates-reversed", facts))
    if last < today:
        raise Wrong(illegal("mail-date-past", {"last": last.isoformat()}))
    return c.Absent(first, last)


def _press(tail: Tail) -> Result:
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
                seats += [_seat(tail, part) for part in re.split(r"[,/+&]", _bare(whom, word)) if part]
            except Wrong:
                if seats and not colon:
                    raise tail.missing("colon") from None
                raise
    if not seats:
        raise tail.missing("seat")
    wide = [one for one in seats if one in (c.EVERYBODY, c.THE_UMPIRE)] if c.EVERYBODY in seats else seats
    to = tuple(dict.fromkeys(wide))
    return c.Press(to, text.strip()) if text.strip() else Awaiting(tail.verb, lambda said: c.Press(to, said))


def _bare(text: str, word: Word) -> str:
    return text[word.start : word.end].strip(EDGES)


def _propose_rollback(tail: Tail) -> c.Command:
    segment, place = _segment(tail)
    tail.expect_end(place)
    return c.ProposeRollback(segment)


def _agree(tail: Tail) -> c.Command:
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
    segment, place = _segment(tail, place + 1)
    tail.expect_end(place)
    return c.Agree(segment)


def _armistice(tail: Tail) -> c.Command:
    if not tail.words or tail.words[0].key in PLEASE:
        tail.expect_end(0)
        return c.Armistice()
    answer = ANSWERS.get(tail.words[0].key)
    if answer is None:
        raise tail.left_over(0)
    tail.expect_end(1)
    return c.Armistice(answer)


def _lang(tail: Tail) -> c.Command:
    if not tail.words:
        raise tail.missing("language")
    language = LANGUAGES.get(tail.words[0].key)
    if language is None:
        raise Wrong(unreadable("mail-unknown-language", {"word": tail.word(0)}, ("en", "fr")))
    tail.expect_end(1)
    return c.Lang(language)


def _zone(tail: Tail) -> c.Command:
    if not tail.words:
        raise tail.missing("zone")
    zone = zones().get(tail.word(0).upper())
    if zone is None:
        raise Wrong(unreadable("mail-unknown-zone", {"word": tail.word(0)}, zones_near(tail.word(0))))
    tail.expect_end(1)
    return c.Zone(zone)


def _mail_address(tail: Tail, place: int) -> str:
    """Also as programs write a link: `a@b.example<mailto:a@b.example>`."""
    word = tail.word(place).lstrip("<").partition("<")[0].removeprefix("mailto:").rstrip(">")
    try:
        found = validate_email(word, check_deliverability=False, test_environment=True)
    except EmailNotValidError:
        raise Wrong(unreadable("mail-bad-address", {"word": word})) from None
    return found.normalized.lower()


def _of_an_address(command: Callable[[str], c.Command]) -> Callable[[Tail], c.Command]:
    def read(tail: Tail) -> c.Command:
        if not tail.words:
            raise tail.missing("address")
        address = _mail_address(tail, 0)
        tail.expect_end(1)
        return command(address)

    return read


def _signup(tail: Tail) -> c.Command:
    if not tail.words:
        raise tail.missing("campaign")
    name = _campaign(tail)
    wishes = (tail.word(n) for n in range(1, len(tail.words)))
    return c.Signup(name, tuple(part for wish in wishes for part in re.split(r"[,/>]", wish) if part))


def _watch(tail: Tail) -> c.Command:
    if not tail.words:
        return c.Watch()
    name = _campaign(tail)
    tail.expect_end(1)
    return c.Watch(name)


def _stop(tail: Tail) -> c.Command:
    """For a seat a question: it may have been meant as a resignation, and is none."""
    name = _campaign(tail) if tail.words else ""
    tail.expect_end(1)
    if "player" in tail.circumstances.writer:
        raise Wrong(question=Question("stop-of-a-seat"))
    return c.Stop(name)


# ------------------------------------------------------------------ umpires


def _act(command: type[c.UmpireAct]) -> Callable[[Tail], c.Command]:
    def read(tail: Tail) -> c.Command:
        tail, reason = _with_reason(tail)
        tail.expect_end(0)
        return command(reason=reason)

    return read


def _answer_for(tail: Tail) -> Result:
    """ANSWER FOR WA: order lines or numbered answers, here or in the lines up to END."""
    if not tail.words:
        raise tail.missing("seat")
    seat = _seat(tail, tail.word(0))
    text = tail.raw[tail.words[0].end :].strip().removeprefix(":").strip()
    return c.AnswerFor(seat, text) if text else Awaiting(tail.verb, lambda said: c.AnswerFor(seat, said))


def _extend(tail: Tail) -> c.Command:
    tail, reason = _with_reason(tail)
    place = 1 if tail.words and tail.words[0].key in (*TO, *BY, "UNTIL", "JUSQUAU") else 0
    text = tail.raw[tail.words[place - 1].end if place else 0 :].strip(EDGES)
    if not text:
        raise tail.missing("date")
    if (by := read_duration(text)) is not None:
        return c.Extend(by, reason=reason)
    match read_moment(text, tail.circumstances.today):
        case Unclear() as unclear:
            raise _ask_date(unclear)
        case Impossible():
            raise Wrong(unreadable("mail-unknown-time", {"text": text}))
        case (day, hour):
            return c.Extend(None, day, hour, reason=reason)


def _force_dice(tail: Tail) -> c.Command:
    tail, reason = _with_reason(tail)
    text = _said(tail, "dice").strip(EDGES)
    faces = tuple(int(one) for one in re.findall(r"\d+", text)) if _NUMBERS.fullmatch(text) else ()
    if not faces or 0 in faces or len(faces) > MOST_DICE:
        raise Wrong(unreadable("mail-bad-dice", {"word": text[:40]}))
    return c.ForceDice(faces, reason=reason)


def _ruling(tail: Tail) -> Result:
    text = _text(tail)
    return c.Ruling(text) if text else Awaiting(tail.verb, c.Ruling)


def _what_if(tail: Tail) -> Result:
    text = _text(tail)
    return c.WhatIf(text) if text else Awaiting(tail.verb, c.WhatIf)


def _rollback(tail: Tail) -> c.Command:
    tail, reason = _with_reason(tail)
    segment, place = _segment(tail)
    same = tuple(word.key for word in tail.words[place : place + 2]) in SAME_DICE
    tail.expect_end(place + 2 * same)
    return c.Rollback(segment, same, reason=reason)


def _replace(tail: Tail) -> c.Command:
    tail, reason = _with_reason(tail)
    if len(tail.words) < 3 or tail.words[1].key not in BY:
        raise tail.missing("address")
    seat, address = _seat(tail, tail.word(0)), _mail_address(tail, 2)
    tail.expect_end(3)
    return c.Replace(seat, address, reason=reason)


def _process(tail: Tail) -> c.Command:
    tail, reason = _with_reason(tail)
    return c.Process(_turn(tail), reason=reason)


def _open(tail: Tail) -> c.Command:
    """OPEN fww 4 react. In talk ("open to offers") no word is taken for a game unless it is one."""
    if not tail.words:
        raise tail.missing("game")
    if not tail.loud and tail.word(0).lower() not in GAMES:
        raise tail.left_over(0)
    written = [tail.raw[word.start : word.end] for word in tail.words]
    if isinstance(command := read_opening([word.strip(EDGES) for word in written], written), int):
        raise tail.left_over(command)
    return command


_READERS: Mapping[str, Callable[[Tail], Result]] = {
    "HELP": _help,
    "STATUS": _alone(c.Status),
    "MAP": _map,
    "HAND": _alone(c.Hand),
    "HISTORY": lambda tail: c.History(_turn(tail)),
    "RULE": _rule,
    "CHECK": _alone(c.Check),
    "SHOW STANDING": _alone(c.ShowStanding),
    "CONFIRM": _alone(c.Confirm),
    "CANCEL": _cancel,
    "READY": _alone(c.Ready),
    "WAIT": _alone(c.Wait),
    "SALT": lambda tail: c.Salt(_said(tail, "text")),
    "ABSENT": _absent,
    "ODDS": lambda tail: c.Odds(_said(tail, "battle")),
    "PRESS TO": _press,
    "PROPOSE ROLLBACK": _propose_rollback,
    "AGREE": _agree,
    "ARMISTICE": _armistice,
    "RESIGN": _alone(c.Resign),
    "LANG": _lang,
    "ZONE": _zone,
    "ADDRESS": _of_an_address(c.Address),
    "LINK": _of_an_address(c.Link),
    "UNLINK": _of_an_address(c.Unlink),
    "VERIFY": lambda tail: c.Verify(_turn(tail)),
    "LIST": _alone(c.ListCampaigns),
    "SIGNUP": _signup,
    "WATCH": _watch,
    "STOP": _stop,
    "ANSWER FOR": _answer_for,
    "EXTEND": _extend,
    "HOLD": _act(c.Hold),
    "RELEASE": _act(c.Release),
    "FORCE DICE": _force_dice,
    "RULING": _ruling,
    "ROLLBACK": _rollback,
    "WHATIF": _what_if,
    "REPLACE": _replace,
    "PROCESS": _process,
    "UNSEAL": _act(c.Unseal),
    "OPEN": _open,
}
FREE_TEXT = frozenset({c.Salt, c.Press, c.Ruling, c.WhatIf, c.AnswerFor, c.Help, c.Odds, c.Signup, c.Open})
