"""How a header of orders names an exchange of letters by its season: 1914-SU.3 for T1.3."""

from __future__ import annotations

import re

from engine.games.to_the_last_man.pack import Pack
from engine.notation.words import Spellings, symbol_table

SEASONS: Spellings = {
    "SP": ("SP SPRING", "PR PRI PRINTEMPS"),
    "SU": ("SU SUMMER", "ET ETE"),
    "AU": ("AU AUT AUTUMN", "AU AUT AUTOMNE"),
    "WI": ("WI WINTER", "HI HIV HIVER"),
}

_BY_WORD = symbol_table(SEASONS)
# A winter may be named by both its years; it belongs to the first (0-11).
_TAG = re.compile(r"(19\d\d)(?:[-/](?:19)?\d\d)?[-/.]?([A-Z]+)((?:\.\w+)*)")


def exchange(word: str, pack: Pack) -> str | None:
    """`1914-SU.3` as `T1.3`, `1914-SU` as `T1`; None: it names no season of this war."""
    found = _TAG.fullmatch(word.upper())
    season = None if found is None else _BY_WORD.get(found[2])
    if found is None or season is None:
        return None
    tag = f"{found[1]}-{season}"
    return next((f"T{turn.n}{found[3]}" for turn in pack.turns.values() if turn.tag == tag), None)
