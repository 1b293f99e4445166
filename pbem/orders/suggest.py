"""Did you mean? Words near to one that was not understood."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from types import MappingProxyType
from zoneinfo import available_timezones

from rapidfuzz import fuzz, process

from engine.kernel.game import Language
from pbem.orders.plain import first_words, key
from pbem.orders.words import BY_SYMBOL, VERBS, spellings

NEAR = 70  # of 100: one wrong letter in a short word
MOST = 3
LONGEST = 60  # characters of a word that are compared

# What people write where a verb is wanted.
MEANT: Mapping[str, str] = MappingProxyType(
    {
        "YES": "CONFIRM", "OK": "CONFIRM", "OKAY": "CONFIRM", "CORRECT": "CONFIRM",
        "OUI": "CONFIRM", "BIENSUR": "CONFIRM",
        "QUIT": "RESIGN", "LEAVE": "STOP", "UNDO": "CANCEL", "WITHDRAW": "CANCEL",
        "HOLIDAY": "ABSENT", "VACATION": "ABSENT", "VACANCES": "ABSENT",
        "RULES": "RULE", "REGLES": "RULE", "BOARD": "MAP", "CARDS": "HAND", "TILES": "HAND",
        "MESSAGE": "PRESS TO", "TELL": "PRESS TO", "JOIN": "SIGNUP", "REJOINDRE": "SIGNUP",
    }
)  # fmt: skip


def near(word: str, among: Iterable[str], most: int = MOST) -> tuple[str, ...]:
    """The spellings nearest to a word, the nearest first."""
    table = _keys(tuple(among))
    found = process.extract(key(word)[:LONGEST], table, scorer=fuzz.ratio, score_cutoff=NEAR, limit=most)
    return tuple(spelling for _, _, spelling in sorted(found, key=lambda row: (-row[1], row[2])))


@lru_cache(maxsize=64)
def _keys(spellings: tuple[str, ...]) -> Mapping[str, str]:
    """Each spelling with what is compared of it."""
    return {one: key(one) for one in spellings}


def commands_near(line: str, language: Language = "en") -> tuple[str, ...]:
    """Verbs that the beginning of a line may have been meant as, in the writer's language."""
    keys = [word.key for word in first_words(line, 3)]
    if not keys:
        return ()
    if keys[0] in MEANT:
        return (BY_SYMBOL[MEANT[keys[0]]].written(language),)
    for length in range(len(keys), 0, -1):
        found = near("".join(keys[:length]), _spellings(language))
        if found:
            return found
    return ()


@cache
def _spellings(language: Language) -> tuple[str, ...]:
    """Those of the language first; a word of the other one is still better than none."""
    own = [phrase for verb in VERBS for phrase in (verb.fr if language == "fr" else verb.en)]
    return tuple(dict.fromkeys((*own, *spellings())))


@cache
def zones() -> Mapping[str, str]:
    """Every zone by its name in capitals, without the old spellings of whole countries."""
    return {name.upper(): name for name in sorted(available_timezones())}


def zones_near(word: str) -> tuple[str, ...]:
    """PARIS is Europe/Paris; otherwise what is spelt alike."""
    cities = [name for name in zones().values() if "/" in name and key(name.rpartition("/")[2]) == key(word)]
    return tuple(cities[:MOST]) or near(word, zones().values())
