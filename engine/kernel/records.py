"""What a table keeps and writes: snapshots, pauses, records, and the lines that are not facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.kernel.canonical_json import canonical_text, quote
from engine.kernel.errors import IllegalAnswer, WrongPack
from engine.kernel.game import Game, GameSettings, Outcome, State, Window
from engine.kernel.journal import JOURNAL_VERSION, upcast
from engine.kernel.requests import Answer, Ask, Seat, Segment
from engine.kernel.sheet import FiledAnswer


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state at a seam, as plain data. Everything needed to go on without the lines before it."""

    line: int  # number of the first line after it
    head: bytes
    state: bytes  # canonical JSON of the game's dump
    segment: Segment  # the one that begins here
    window: str
    t: int  # Closes so far
    version: int = JOURNAL_VERSION


@dataclass(frozen=True, slots=True)
class Pause:
    """The table waits: for whom, and what is asked. Only window and seats may be shown to others."""

    window: Window
    asks: tuple[tuple[str, Ask], ...]  # question id, Ask


@dataclass(frozen=True, slots=True)
class Record:
    """Answers on record, for SAME DICE and what-ifs; the first question not on it ends it."""

    answers: Mapping[str, Answer]
    ended: Callable[[], None]


def read_segment(seam: Mapping[str, Any]) -> Segment:
    """The segment that begins with this line, in today's form."""
    return Segment(seam["name"], seam["key"], tuple(seam["args"]))


def question_id(line: Mapping[str, Any]) -> str:
    """The id of the question that an answer line answers."""
    key = f"{line['topic']}@{line['at']}/{line['seat']}"
    return f"{key}#{line['n']}" if "n" in line else key


def answer_line(question: str, ask: Ask, found: FiledAnswer) -> bytes:
    """An answer as it is journaled; `n` tells it from an earlier one to the same question there."""
    what = f'"answer":{canonical_text(found.answer)},"at":{quote(ask.at)},"by":{quote(found.by)},"k":"answer"'
    again = f',"n":{question.rpartition("#")[2]}' if "#" in question else ""
    return f'{{{what}{again},"seat":{quote(ask.seat)},"topic":{quote(ask.topic)}}}'.encode("ascii")


def seam_line(segment: Segment) -> bytes:
    """A segment begins."""
    args, key, name = canonical_text(segment.args), quote(segment.key), quote(segment.name)
    return f'{{"args":{args},"k":"seam","key":{key},"name":{name}}}'.encode("ascii")


def automa_answer(ask: Ask, answer: Answer) -> FiledAnswer:
    """An automa's answer, which its Ask must offer, as it always does its default."""
    if answer is not ask.default and not ask.options.contains(answer):
        refusal = ask.options.why_not(answer)
        assert refusal is not None, "what is not offered has a reason"
        raise IllegalAnswer(refusal)
    return FiledAnswer(answer, "automa")


def opening_line(
    game: Game, pack: Any, settings: GameSettings, first: Segment, **header: Any
) -> dict[str, Any]:
    """The first line: what is pinned for the whole campaign, the words of the dice's labels included."""
    pinned = {"v": JOURNAL_VERSION, "game": game.id, "rules": game.rules_version, "pack": pack.hash}
    labels = {"labels": {**pack.labels.told(), "first": first.key}}
    return {"k": "open", **pinned, "settings": settings, "seats": game.seats(settings), **labels, **header}


def check_opening(game: Game, pack: Any, line: Mapping[str, Any]) -> None:
    """Refuse a campaign that pins another game, rules version or pack."""
    line = upcast(dict(line), line.get("v", 0))
    for what, here in (("game", game.id), ("rules", game.rules_version), ("pack", pack.hash)):
        if line.get(what) != here:
            raise WrongPack(f"the campaign pins {what} {line.get(what)!r}; here it is {here!r}")


# ------------------------------------------------------------------ how a game ended

ARMISTICE, RESIGNATION = "armistice", "resignation"  # its seats ended it


def agreed_outcome(game: Game, state: State, act: str, seats: Sequence[Seat]) -> Outcome:
    """What it comes to if all seats agree on an ARMISTICE, or one gives up by a RESIGNATION."""
    if act == RESIGNATION:
        outcome = game.resignation_outcome(state, seats[0])
        assert outcome is not None, "nobody is asked to resign where the rules do not say what it comes to"
        return outcome
    return game.armistice_outcome(state)


def end_line(outcome: Outcome) -> dict[str, Any]:
    """The last line of a game that is over."""
    return {"k": "end", **outcome.to_dict()}
