"""OPEN: the terms of a new campaign, in any order behind the game's name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, get_args

from engine.kernel.game import Tempo
from pbem.orders.commands import Open
from pbem.orders.plain import key

MOST_PLAYERS = 12
NAMED: Mapping[str, str] = MappingProxyType(
    {
        "PLAYERS": "players", "JOUEURS": "players",
        "TEMPO": "tempo", "SCENARIO": "scenario",
        "AS": "name", "NAME": "name", "NOM": "name",
        "TITLE": "title", "TITRE": "title",
    }
)  # fmt: skip
_TEMPI = frozenset(get_args(Tempo))


def read_opening(words: Sequence[str], written: Sequence[str]) -> Open | int:
    """The command, or the place of the word that nothing can be made of.

    `OPEN fww 4 react AS FWW-7 TITLE The great war`: a bare number is the players', a tempo speaks for
    itself, a title goes on to the end, as it is `written`.
    """
    told: dict[str, Any] = {}
    at = 1
    while at < len(words):
        what, value = _what(words, at)
        if what == "title":
            return Open(words[0].lower(), **told, title=" ".join(written[at + 1 :]))
        if what in told or not _fits(what, value):
            return at
        told[what] = int(value) if what == "players" else value.lower() if what == "tempo" else value
        at += 1 if value == words[at] else 2
        if at < len(words) and what == "players" and key(words[at]) in ("PLAYERS", "JOUEURS"):
            at += 1  # 4 players
    return Open(words[0].lower(), **told)


def _what(words: Sequence[str], at: int) -> tuple[str, str]:
    """What the word at this place begins, and its value."""
    word = words[at]
    if word.isdigit():
        return "players", word
    if word.lower() in _TEMPI:
        return "tempo", word
    return NAMED.get(key(word), ""), words[at + 1] if at + 1 < len(words) else ""


def _fits(what: str, value: str) -> bool:
    if what == "players":
        return value.isdigit() and 0 < int(value) <= MOST_PLAYERS
    return bool(value) and (value.lower() in _TEMPI if what == "tempo" else bool(what))
