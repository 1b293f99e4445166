"""From a line as it came by mail to plain words: letters, dashes, arrows and quotes made simple."""

from __future__ import annotations

import re
import unicodedata

from engine.games.to_the_last_man.notation.reasons import unreadable

LONGEST = 2000  # characters in a line; the longest sensible order has about 600

_SPACES = "\u00a0\u1680\u180e\u202f\u205f\u3000\u0085\u2028\u2029" + "".join(map(chr, range(0x2000, 0x200B)))
_NOTHING = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufe0e\ufe0f\ufeff"  # soft hyphen, marks without width
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63\uff0d"
_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u00b4\u02bc\u0060"
_DOUBLE_QUOTES = '\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u2039\u203a"'
_BULLETS = (
    "\u00b7\u2022\u2023\u25a0\u25a1\u25aa\u25ab\u25ba\u25cb\u25cf\u25e6\u2605\u2606\u2713\u2714\u2756\u27a2"
)
_ARROWS = "\u2192\u21a6\u21d2\u21e8\u2794\u2799\u279c\u279d\u279e\u27a1\u27f6\u27f9"
_LETTERS = {"Æ": "AE", "æ": "ae", "Œ": "OE", "œ": "oe", "ß": "ss", "Ø": "O", "ø": "o"}

SMART = str.maketrans(
    {
        **dict.fromkeys(_SPACES, " "),
        **dict.fromkeys(_NOTHING, ""),
        **dict.fromkeys(_DASHES, "-"),
        **dict.fromkeys(_QUOTES, "'"),
        **dict.fromkeys(_DOUBLE_QUOTES + _BULLETS, " "),
        **dict.fromkeys(_ARROWS, ">"),
        **_LETTERS,
        "\u2026": "..",
        "\u00d7": "*",
        "\u2265": ">=",
        "\u2a7e": ">=",
        "\u2264": "<=",
        "\u2a7d": "<=",
    }
)
_STROKES = ("\u0334", "\u0338")  # overlays: an equals sign struck through is no equals sign

_BULLET = re.compile(r"[\s*\-+]*(?:\(?(?:[0-9]{1,3}|[A-Z])[.)]+(?=\s|[A-Z(]))?[\s*\-]*")
_TOKEN = re.compile(
    r"[A-Z0-9]+(?:['.][A-Z0-9]+)*"  # a word; S.F2 and DABORD are one
    r"|\.{2,}"  # any way from here to there
    r"|(?:-+|={2,})>"  # an arrow
    r"|[<>=]=|=[<>]|[:;,<>=@()*+&\-]"
    r"|![A-Z0-9=]"  # "not" in signs: nothing that could be dropped unseen
    r"|[^\s.?!'\[\]{}_A-Z0-9]"  # anything that is no plain punctuation
)
SIGNS = frozenset({":", ";", ",", "<", ">", "=", "@", "(", ")", "*", "+", "-", "<=", ">=", "=<", "=>", "=="})


def fold(text: str) -> str:
    """Capitals without accents; smart punctuation made plain."""
    if not text.isascii() or '"' in text or "`" in text:
        plain = unicodedata.normalize("NFKD", text.translate(SMART)).translate(SMART)
        text = "".join(c for c in plain if not unicodedata.combining(c) or _STROKES[0] <= c <= _STROKES[1])
    return text.upper()


def one_word(name: str) -> str:
    """A name as it is looked up: folded, everything but letters and digits taken out."""
    return "".join(c for c in fold(name) if c.isascii() and c.isalnum())


def tokens(line: str) -> list[str]:
    """The words and signs of a line without its comment; raises Misread on a sign that cannot be ignored."""
    text = fold(line.partition("#")[0])
    if len(text) > LONGEST:
        raise unreadable("too-long", {"length": len(text), "most": LONGEST})
    if not text[:1].isalpha() or text[1:2] in (".", ")"):
        text = text[_BULLET.match(text).end() :]  # type: ignore[union-attr]  # it matches the empty beginning, too
    return [_plain(token) for token in _TOKEN.findall(text)]


def _plain(token: str) -> str:
    """A word without apostrophes, a short arrow, or a sign; anything else is refused."""
    if token.isascii() and token[0].isalnum():
        return token.replace("'", "")
    if token in SIGNS:
        return token
    if token == "&":
        return "+"
    if token[:2] == "..":
        return ".."
    if token[-1] == ">":
        return ">"
    raise unreadable("unknown-sign", {"sign": token[0]})
