"""From a line as it came by mail to plain words: letters, dashes, arrows and quotes made simple."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from engine.notation.reasons import unreadable

LONGEST = 2000  # characters in a line; the longest sensible order has about 600

_SPACES = "\u00a0\u1680\u180e\u202f\u205f\u3000\u0085\u2028\u2029" + "".join(map(chr, range(0x2000, 0x200B)))
_NOTHING = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufe0e\ufe0f\ufeff"  # soft hyphen, marks without width
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63\uff0d"
_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u00b4\u02bc\u0060"
_DOUBLE_QUOTES = '\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u2039\u203a"'
_BULLETS = (
    "\u00b7\u2022\u2023\u25a0\u25a1\u25aa\u25ab\u25ba\u25cb\u25cf\u25e6\u2605\u2606\u2713\u2714\u2756\u27a2"
)
_ARROWS = "\uf0e0\u2192\u21a6\u21d2\u21e8\u2794\u2799\u279c\u279d\u279e\u27a1\u27f6\u27f9"
_SMART = str.maketrans(
    {
        **dict.fromkeys(_SPACES, " "),
        **dict.fromkeys(_NOTHING, ""),
        **dict.fromkeys(_DASHES, "-"),
        **dict.fromkeys(_QUOTES, "'"),
        **dict.fromkeys(_DOUBLE_QUOTES + _BULLETS, " "),
        **dict.fromkeys(_ARROWS, ">"),
        **dict(zip("ŁłØøĐđ", "LlOoDd", strict=True)),
        "Æ": "AE",
        "æ": "ae",
        "Œ": "OE",
        "œ": "oe",
        "ß": "ss",
        "\u2026": "..",
        **dict.fromkeys("\u2265\u2a7e", ">="),
        **dict.fromkeys("\u2264\u2a7d", "<="),
    }
)
_STROKES = ("\u0334", "\u0338")  # overlays: an equals sign struck through is no equals sign

# What programs for letters make of `-->` behind a piece: an arrow in a font of symbols, elsewhere "to".
_TO = re.compile(r"(?<!\S)([A-Z]+[0-9]\w*|\w+@\w+)\s+\u00e0\s+(?=\w)", re.IGNORECASE)

_BULLET = re.compile(r"[\s*\-+]*(?:\(?(?:[0-9]{1,3}|[A-Z])[.)]+(?=\s|[A-Z(]))?[\s*\-]*")
_SIGNS = (":", ";", "<", ">", "=", "<=", ">=", "=<", "=>", "==")  # mean something in every game
_MEANINGLESS = ".?!'[]{}_"  # in every game


def fold(text: str) -> str:
    """Capitals without accents; smart punctuation made plain."""
    if not text.isascii() or '"' in text or "`" in text:
        plain = unicodedata.normalize("NFKD", text.translate(_SMART)).translate(_SMART)
        text = "".join(c for c in plain if not unicodedata.combining(c) or _STROKES[0] <= c <= _STROKES[1])
    return text.upper()


@lru_cache(maxsize=4096)
def one_word(name: str) -> str:
    """A name as it is looked up: folded, everything but letters and digits taken out."""
    return "".join(c for c in fold(name) if c.isascii() and c.isalnum())


class Scanner:
    """What the signs of one order language are.

    Everywhere arrows, comparisons, colon and semicolon are signs, and some punctuation means nothing. What
    is neither known nor listed as meaningless is refused: nothing is dropped that might have been meant.
    """

    __slots__ = ("_alike", "_inside", "_signs", "_token")

    def __init__(
        self,
        signs: str = "",  # further signs that mean something, blanks between: ", @ + .."
        inside: str = "'",  # may stand inside a word and is taken out: D'ABORD is DABORD
        kept: str = "",  # may stand inside a word, one at a time, and stays: S.F2
        ignored: str = "",  # further punctuation that means nothing
        alike: Mapping[str, str] = MappingProxyType({}),  # a sign that is read as another: & as +
    ) -> None:
        self._signs = frozenset({*signs.split(), *_SIGNS})
        self._alike = alike
        self._inside = str.maketrans("", "", inside)
        joints = [f"[{re.escape(inside)}]+"] if inside else []
        joints += [f"[{re.escape(kept)}]"] if kept else []
        parts = [
            f"[A-Z0-9]+(?:(?:{'|'.join(joints)})[A-Z0-9]+)*" if joints else "[A-Z0-9]+",
            *(f"{re.escape(sign)}{re.escape(sign[1])}*" for sign in signs.split() if len(sign) == 2),
            r"(?:-+|={2,})>",  # an arrow
            r"[<>=]=|=[<>]",
            r"![A-Z0-9=]",  # "not" and "minus" in signs: nothing that could be dropped unseen
            *([r"(?<![A-Z0-9])-[0-9]"] if "-" in ignored else []),
            rf"[^\s{re.escape(_MEANINGLESS + ignored)}A-Z0-9]",
        ]
        self._token = re.compile("|".join(parts))

    def tokens(self, line: str) -> list[str]:
        """The words and signs of a line without its comment; raises Misread on a sign nobody knows."""
        text = line.partition("#")[0]
        text = fold(_TO.sub(r"\1 > ", text) if "\u00e0" in text else text)
        if len(text) > LONGEST:
            raise unreadable("too-long", {"length": len(text), "most": LONGEST})
        if not text[:1].isalpha() or text[1:2] in (".", ")"):
            text = text[_BULLET.match(text).end() :]  # type: ignore[union-attr]  # it matches the empty beginning, too
        found: list[str] = self._token.findall(text)
        if not text.isascii():
            return [self._plain(token) for token in found]
        if "".join(found).isalnum():
            return found
        return [token if token.isalnum() else self._plain(token) for token in found]

    def _plain(self, token: str) -> str:
        """A word without its joints, a short arrow, or a sign; anything else is refused."""
        if token.isascii() and token[0].isalnum():
            word = token.translate(self._inside)
            if word == token or not word.isdigit():  # 1-8 is not 18
                return word
            raise unreadable("unknown-sign", {"sign": token.lstrip("0123456789")[0]})
        if token in self._signs:
            return token
        if token[-1] == ">":
            return ">"
        if token[:2] in self._signs:  # more dots than two
            return token[:2]
        if token in self._alike:
            return self._alike[token]
        raise unreadable("unknown-sign", {"sign": token[0]})
