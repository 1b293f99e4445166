"""What only umpires write: their verbs, each with its arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from engine.games import GAMES
from pbem.orders import commands as c
from pbem.orders.arguments import (
    EDGES,
    NUMBERS,
    Awaiting,
    BadArgument,
    Result,
    VerbArguments,
    ask_date,
    mail_address,
    read_opening,
    read_seat,
    read_segment,
    read_text,
    read_turn,
    rest_of_line,
    with_reason,
)
from pbem.orders.dates import Impossible, Unclear, read_duration, read_moment
from pbem.orders.understood import refuse_unreadable
from pbem.orders.words import BY, SAME_DICE, TO

MOST_DICE = 200


def _act(command: type[c.UmpireAct]) -> Callable[[VerbArguments], c.Command]:
    def read(tail: VerbArguments) -> c.Command:
        tail, reason = with_reason(tail)
        tail.expect_end(0)
        return command(reason=reason)

    return read


def _answer_for(tail: VerbArguments) -> Result:
    """ANSWER FOR WA: order lines or numbered answers, here or in the lines up to END."""
    if not tail.words:
        raise tail.missing("seat")
    seat = read_seat(tail, tail.word(0))
    text = tail.raw[tail.words[0].end :].strip().removeprefix(":").strip()
    return (
        c.AnswerFor(seat, text)
        if text
        else Awaiting(tail.verb, lambda read_text: c.AnswerFor(seat, read_text))
    )


def _extend(tail: VerbArguments) -> c.Command:
    tail, reason = with_reason(tail)
    place = 1 if tail.words and tail.words[0].key in (*TO, *BY, "UNTIL", "JUSQUAU") else 0
    text = tail.raw[tail.words[place - 1].end if place else 0 :].strip(EDGES)
    if not text:
        raise tail.missing("date")
    if (by := read_duration(text)) is not None:
        return c.Extend(by, reason=reason)
    match read_moment(text, tail.circumstances.today):
        case Unclear() as unclear:
            raise ask_date(unclear)
        case Impossible():
            raise BadArgument(refuse_unreadable("mail-unknown-time", {"text": text}))
        case (day, hour):
            return c.Extend(None, day, hour, reason=reason)


def _force_dice(tail: VerbArguments) -> c.Command:
    tail, reason = with_reason(tail)
    text = read_text(tail, "dice").strip(EDGES)
    faces = tuple(int(one) for one in re.findall(r"\d+", text)) if NUMBERS.fullmatch(text) else ()
    if not faces or 0 in faces or len(faces) > MOST_DICE:
        raise BadArgument(refuse_unreadable("mail-bad-dice", {"word": text[:40]}))
    return c.ForceDice(faces, reason=reason)


def _ruling(tail: VerbArguments) -> Result:
    text = rest_of_line(tail)
    return c.Ruling(text) if text else Awaiting(tail.verb, c.Ruling)


def _what_if(tail: VerbArguments) -> Result:
    text = rest_of_line(tail)
    return c.WhatIf(text) if text else Awaiting(tail.verb, c.WhatIf)


def _rollback(tail: VerbArguments) -> c.Command:
    tail, reason = with_reason(tail)
    segment, place = read_segment(tail)
    same = tuple(word.key for word in tail.words[place : place + 2]) in SAME_DICE
    tail.expect_end(place + 2 * same)
    return c.Rollback(segment, same, reason=reason)


def _replace(tail: VerbArguments) -> c.Command:
    tail, reason = with_reason(tail)
    if len(tail.words) < 3 or tail.words[1].key not in BY:
        raise tail.missing("address")
    seat, address = read_seat(tail, tail.word(0)), mail_address(tail, 2)
    tail.expect_end(3)
    return c.Replace(seat, address, reason=reason)


def _process(tail: VerbArguments) -> c.Command:
    tail, reason = with_reason(tail)
    return c.Process(read_turn(tail), reason=reason)


def _open(tail: VerbArguments) -> c.Command:
    """OPEN fww 4 react. In talk ("open to offers") no word is taken for a game unless it is one."""
    if not tail.words:
        raise tail.missing("game")
    if not tail.loud and tail.word(0).lower() not in GAMES:
        raise tail.left_over(0)
    written = [tail.raw[word.start : word.end] for word in tail.words]
    if isinstance(command := read_opening([word.strip(EDGES) for word in written], written), int):
        raise tail.left_over(command)
    return command


READERS: Mapping[str, Callable[[VerbArguments], Result]] = {
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
