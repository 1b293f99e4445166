"""Words as they are compared: capitals without accents, smart punctuation made simple, bullets taken off."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63\uff0d"
_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u00b4\u02bc\u0060"
_SIGNS = str.maketrans({**dict.fromkeys(_DASHES, "-"), **dict.fromkeys(_QUOTES, "'"), "\u2026": "..."})
_LETTERS = str.maketrans(
    {"Ł": "L", "ł": "l", "Ø": "O", "ø": "o", "Æ": "AE", "æ": "ae", "Œ": "OE", "œ": "oe", "ß": "ss"}
)
_BULLET = re.compile(
    r"\s*(?:[*+>\-\u00b7\u2022\u2023\u25a0\u25a1\u25aa\u25ab\u25ba\u25cb\u25cf\u25e6\u2713\u2714\u27a2]+\s*)?"
    r"(?:(?:\(?\d{1,3}[.)]|\(?[A-Za-z]\))\s+)?"
)
_SIGN_BULLET = re.compile(r"\s*[*+\-\u00b7\u2022\u2023\u25a0\u25aa\u25cb\u25cf\u25e6\u2713\u2714\u27a2]+\s+")
_WORD = re.compile(r"\S+")


@lru_cache(maxsize=2048)
def plain(text: str) -> str:
    """Capitals without accents; dashes, quotes and blanks made simple; marks without width dropped."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text.translate(_SIGNS).translate(_LETTERS)).translate(_SIGNS)
        text = "".join(_visible(sign) for sign in text)
    return text.upper()


def _visible(sign: str) -> str:
    """A plain blank for every blank, nothing for accents and for marks that nobody sees."""
    category = unicodedata.category(sign)
    if category in ("Zs", "Zl", "Zp"):
        return " "
    return "" if category in ("Mn", "Cf") else sign


@lru_cache(maxsize=2048)
def key(text: str) -> str:
    """Only the letters and digits, as one word."""
    return "".join(sign for sign in plain(text) if sign.isalnum())


def without_bullet(text: str) -> str:
    """The line without a bullet or a list number before it."""
    found = _BULLET.match(text)
    return text if found is None or found.end() == len(text) else text[found.end() :]


def begins_item(text: str) -> bool:
    """Does a bullet or a list number stand before it?"""
    return without_bullet(text) != text.lstrip()


def without_sign(text: str) -> str:
    """The line without a bullet that is a sign; numbers stay."""
    found = _SIGN_BULLET.match(text)
    return text[found.end() if found else 0 :].strip()


class Word(NamedTuple):
    """A word of a line: how it is compared, and where it stands in the line."""

    key: str
    start: int
    end: int


@lru_cache(maxsize=2048)
def words(text: str) -> tuple[Word, ...]:
    """The words that have letters or digits in them."""
    found = (Word(key(one.group()), one.start(), one.end()) for one in _WORD.finditer(spaced(text)))
    return tuple(word for word in found if word.key)


def spaced(text: str) -> str:
    """The same length, with plain blanks for the unusual ones."""
    return "".join(" " if unicodedata.category(sign) in ("Zs", "Zl", "Zp") else sign for sign in text)
