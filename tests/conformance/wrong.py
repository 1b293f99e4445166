"""Answers that nobody offered, made out of answers that somebody did."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from random import Random
from typing import Any

from engine.kernel.errors import CorruptJournal
from engine.kernel.game import Game
from engine.kernel.journal import canonical, codec_of
from engine.kernel.requests import Answer

NUMBERS = (-1, 0, 1, 7, 99, 2**31)
NO_IDS = ("", "NO-SUCH", "None", "D")


@dataclass(frozen=True, slots=True)
class Stranger:
    """Of no game's types."""

    kind: str = "attack"


# Of no type that any game's answers have: always refused.
STRANGERS: tuple[Any, ...] = (
    Stranger(),
    2.5,
    b"H1",
    {"k": 1},
    object(),
    ...,
    (None, object()),
    frozenset({1}),
)


def altered(answer: Answer, ids: Sequence[str], rng: Random) -> Iterator[Answer]:
    """Each part of the answer replaced, doubled, left out, turned round. Types stay what they are."""
    if is_dataclass(answer) and not isinstance(answer, type):
        for field in fields(answer):
            for other in altered(getattr(answer, field.name), ids, rng):
                yield replace(answer, **{field.name: other})
    elif isinstance(answer, tuple):
        yield from _altered_tuple(answer, ids, rng)
    elif isinstance(answer, bool):
        yield not answer
    elif isinstance(answer, int):
        yield from (answer + 1, answer - 1, *NUMBERS)
    elif isinstance(answer, str):
        yield from NO_IDS
        yield from rng.sample(ids, min(3, len(ids)))


def _altered_tuple(answer: tuple[Any, ...], ids: Sequence[str], rng: Random) -> Iterator[Answer]:
    if len({type(part) for part in answer}) > 1:  # a pair, such as counter and front
        for n, part in enumerate(answer):
            yield from ((*answer[:n], other, *answer[n + 1 :]) for other in altered(part, ids, rng))
        return
    yield ()
    if not answer:
        yield from ((one,) for one in rng.sample(ids, min(3, len(ids))))
        return
    yield answer[1:]
    yield answer[:-1]
    yield (*answer, answer[0])  # the same counter twice
    yield (answer[0], *answer)
    yield answer[::-1]
    n = rng.randrange(len(answer))
    for other in altered(answer[n], ids, rng):
        yield (*answer[:n], other, *answer[n + 1 :])
        yield (*answer, other)


def is_typed(game: Game, topic: str, answer: Answer) -> bool:
    """Could it come out of a journal or a letter? Wrong types inside an answer cannot."""
    try:
        return bool(codec_of(game).answer(topic, json.loads(canonical(answer))) == answer)
    except CorruptJournal:
        return False


def ids_in(value: Any) -> Iterator[str]:
    """Every text in plain data, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from ids_in(key)
            yield from ids_in(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from ids_in(inner)
