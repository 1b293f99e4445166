"""Words as they are compared: capitals without accents, smart punctuation made simple, bullets taken off."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple, TypeVar
from zoneinfo import available_timezones

from rapidfuzz import fuzz, process

from pbem.resources import templates_folder

_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63\uff0d"
_QUOTES = "\u2018\u2019\u201a\u201b\u2032\u00b4\u02bc\u0060"
_SIGNS = str.maketrans({**dict.fromkeys(_DASHES, "-"), **dict.fromkeys(_QUOTES, "'"), "\u2026": "..."})
_LETTERS = str.maketrans(
    {"Ł": "L", "ł": "l", "Ø": "O", "ø": "o", "Æ": "AE", "æ": "ae", "Œ": "OE", "œ": "oe", "ß": "ss"}
)
_SYMBOLS = "\u00a7\uf000-\uf0ff"  # what is left of a bullet in a font of symbols
_BULLETS = rf"*+\-\u00b7\u2022\u2023\u25a0\u25aa\u25cb\u25cf\u25e6\u2713\u2714\u27a2{_SYMBOLS}"
_BULLET = re.compile(
    rf"\s*(?:[>\u25a1\u25ab\u25ba{_BULLETS}]+\s*)?"
    r"(?:(?:\(?\d{1,3}[.)]|\(?[A-Za-z]\))\s+)?"
)
_SIGN_BULLET = re.compile(rf"\s*[{_BULLETS}]+\s+")
_REMARK = ("#", "\ufe5f", "\uff03")  # the plain, the small and the wide one
_ASKS = re.compile(r"\?[^\w?]*\Z")
_WORD = re.compile(r"\S+")
_ODD_BLANK = re.compile("[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalnum())
_NO_LETTERS_NOR_ENDS = _NO_LETTERS.replace(b"\n", b"")


class _Visible(dict[int, str]):
    """A plain blank for every blank, nothing for accents and for marks that nobody sees."""

    def __missing__(self, code: int) -> str:
        category = unicodedata.category(chr(code))
        blank, unseen = category in ("Zs", "Zl", "Zp"), category in ("Mn", "Cf")
        self[code] = " " if blank else "" if unseen else chr(code)
        return self[code]


_VISIBLE = _Visible()
LONG = 300  # characters: texts up to here are remembered by the thousand, longer ones only for the moment
_Told = TypeVar("_Told")


def _remember(tell: Callable[[str], _Told]) -> Callable[[str], _Told]:
    """The same lines are looked at again and again; long ones of many letters must not fill the memory."""
    short, long = lru_cache(maxsize=4096)(tell), lru_cache(maxsize=16)(tell)
    return lambda text: short(text) if len(text) <= LONG else long(text)


@_remember
def plain(text: str) -> str:
    """Capitals without accents; dashes, quotes and blanks made simple; marks without width dropped."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text.translate(_SIGNS).translate(_LETTERS)).translate(_SIGNS)
        text = text.translate(_VISIBLE)
    return text.upper()


@_remember
def key(text: str) -> str:
    """Only the letters and digits, as one word."""
    if text.isascii():
        return text.upper().encode("ascii").translate(None, _NO_LETTERS).decode("ascii")
    return "".join(filter(str.isalnum, plain(text)))


def keys(texts: Sequence[str]) -> list[str]:
    """The keys of many lines; those of plain signs are made in one."""
    simple = [text for text in texts if text.isascii()]
    joined = "\n".join(simple).upper().encode("ascii").translate(None, _NO_LETTERS_NOR_ENDS).decode("ascii")
    made = joined.split("\n") if simple else []
    if len(made) != len(simple):  # one of them is more than a line
        return [key(text) for text in texts]
    following = iter(made)
    return [next(following) if text.isascii() else key(text) for text in texts]


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


_ARROWS = frozenset("\u2794\u2799\u279c\u279d\u279e\u27a1")  # they mean something in orders
_EMOTICON = re.compile(r"\s[:;=]-?[()]+\s*\Z")


_STRESSED = re.compile(r"(?<![\w*])(\*{1,2})(?![\s*])([^*]{1,400})(?<!\s)\1(?![\w*])")


def without_ornaments(text: str) -> str:
    """The line without the emoji before and behind it, and without the stars that stand for bold type."""
    text = _STRESSED.sub(r"\2", text) if text.count("*") > 1 else text
    if text.isascii():
        return _EMOTICON.sub("", text) if text.rstrip()[-1:] in ("(", ")") else text
    start, end = 0, len(text)
    while start < end and _is_ornament(text[start]):
        start += 1
    while end > start and _is_ornament(text[end - 1]):
        end -= 1
    kept = text[start:end]
    return _EMOTICON.sub("", kept) if key(kept) else text


def _is_ornament(sign: str) -> bool:
    """A picture, or what colours, frames or joins pictures."""
    if sign.isascii():
        return sign == " "
    if sign == "\u00a7":  # a bullet, in a font of symbols
        return True
    return unicodedata.category(sign) in ("So", "Sk", "Me", "Cf", "Co") and sign not in _ARROWS


def is_remark(text: str) -> bool:
    """Does it begin with `#`, as remarks among orders do?"""
    return without_bullet(text).lstrip().startswith(_REMARK)


def is_asked(text: str) -> bool:
    """Does it end in a question mark?"""
    return _ASKS.search(plain(text[-LONG:])) is not None


class Word(NamedTuple):
    """A word of a line: how it is compared, and where it stands in the line."""

    key: str
    start: int
    end: int


@_remember
def words(text: str) -> tuple[Word, ...]:
    """The words that have letters or digits in them."""
    return _words(text, len(text))


def first_words(text: str, most: int) -> tuple[Word, ...]:
    """The same, no more of them than are asked for."""
    return words(text)[:most] if len(text) <= LONG else _words(text, most)


def _words(text: str, most: int) -> tuple[Word, ...]:
    spaced = text if text.isascii() else _ODD_BLANK.sub(" ", text)  # of the same length
    found = (Word(key(one.group()), one.start(), one.end()) for one in _WORD.finditer(spaced))
    return tuple(islice((word for word in found if word.key), most))


_PUNCTUATION = ',.;:!?()/*_~"«»&+'  # they part words; hyphens and apostrophes do not
_APART = str.maketrans(_PUNCTUATION, " " * len(_PUNCTUATION))


def _read_list(text: str) -> frozenset[tuple[str, ...]]:
    rows = (row for line in text.splitlines() for row in line.split("|"))
    return frozenset(tuple(key(word) for word in row.split()) for row in rows if row.strip())


_COURTESIES = tomllib.loads((templates_folder() / "reading" / "courtesies.toml").read_text("utf-8"))
FORMULAS, ADDRESSEES = _read_list(_COURTESIES["formulas"]), _read_list(_COURTESIES["addressees"])
_LONGEST = max(map(len, FORMULAS | ADDRESSEES))
_ANNOUNCED = frozenset(word for (word,) in _read_list(_COURTESIES["announced"]))
_ANNOUNCING = _ANNOUNCED | {word for (word,) in _read_list(_COURTESIES["announcing"])}


_PHONE = r"(?:t[ée]l(?:[ée]phone)?|telefon|phone|mob|mobile?|mobil|cell|fax|handy|portable|gsm)[\s.:]*"
_NUMBER = r"[(\d][\d ()./-]{6,}\d"
_PAGE = r"(?:(?:web|site|website|www|internet)\s?:\s*)?(?:https?://|www\.)\S{3,}"
_MAIL = r"(?:(?:e-?mail|mail|courriel)\s?:\s*)?[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"
_WAY = rf"(?:{_PHONE}\+?{_NUMBER}|(?:[tmfp][.:]?\s*)?\+{_NUMBER}|{_PAGE}|{_MAIL})"
_CONTACT = re.compile(rf"\s*{_WAY}(?:\s*[|,;/\u2013\u2022-]\s*{_WAY}){{0,3}}\s*", re.IGNORECASE)


class Courtesy:
    """What one writer may say: the list, their own name in whole or in part, and the names they may greet.

    `turn`: the open one, as its label names it; of another one nobody speaks in passing.
    """

    def __init__(self, name: str, others: Iterable[str] = (), turn: str = "") -> None:
        parts = turn.partition("/")[0].split(".")
        self._turn = {*map(key, parts), key(parts[0].lstrip("TR"))} - {""}
        self._own = _parts(name)
        self._names = self._own.union(*(_parts(one) for one in others))
        initials = [part[0] for word in plain(name).replace("-", " ").split() if (part := key(word))]
        self._initials = {*initials, "".join(initials)}

    def is_own_name(self, text: str) -> bool:
        """Nothing but the writer's own name or a part of it."""
        keys = _spoken_keys(text)
        return bool(keys) and all(word in self._own or word in self._initials for word in keys)

    def is_courtesy(self, text: str) -> bool:
        """Nothing but listed formulas and names, at least one of them a formula or the writer's own name.

        Or what introduces orders, or how to reach their writer: by telephone, by mail or in the web.
        """
        keys = _spoken_keys(text)
        if self._announces(keys) and not is_asked(text):
            return True
        at, formal = 0, False
        while at < len(keys):
            length, counts = self._spoken(keys, at)
            if not length:
                return _is_contact(text)
            at, formal = at + length, formal or counts
        return formal

    def is_greeting(self, text: str) -> bool:
        """A courtesy in words, which somebody else may read: no telephone number, no page in the web."""
        return self.is_courtesy(text) and not _is_contact(text)

    def _announces(self, keys: list[str]) -> bool:
        """Does it introduce orders, perhaps with the turn that they are for?"""
        return not _ANNOUNCED.isdisjoint(keys) and all(
            word in _ANNOUNCING or word in self._turn for word in keys
        )

    def _spoken(self, keys: list[str], at: int) -> tuple[int, bool]:
        """How many words from here are courtesy, and whether they are more than an addressee."""
        for length in range(min(_LONGEST, len(keys) - at), 0, -1):
            part = tuple(keys[at : at + length])
            if part in FORMULAS:
                return length, True
            if part in ADDRESSEES:
                return length, False
        word = keys[at]
        if word in self._names or word in self._initials:
            return 1, word in self._own or word in self._initials
        return 0, False


def _is_contact(text: str) -> bool:
    """A telephone number, a mail address or a page in the web, or several, and nothing else."""
    return len(text) <= LONG and _CONTACT.fullmatch(text) is not None


def _spoken_keys(text: str) -> list[str]:
    """The words of a line, as they are compared; none of a long one, which is no courtesy."""
    spoken = plain(text).translate(_APART).split() if len(text) <= LONG else []
    return [found for word in spoken if (found := key(word))]


def _parts(name: str) -> set[str]:
    """The words of a name, apart from single letters; and the whole as one word."""
    parts = {found for word in plain(name).replace("-", " ").split() if len(found := key(word)) > 1}
    return parts | ({key(name)} - {""})


NEAR = 70  # of 100: one wrong letter in a short word
MOST = 3
LONGEST = 60  # characters of a word that are compared


def near(word: str, among: Iterable[str], most: int = MOST) -> tuple[str, ...]:
    """The spellings nearest to a word, the nearest first."""
    table = _keys(tuple(among))
    found = process.extract(key(word)[:LONGEST], table, scorer=fuzz.ratio, score_cutoff=NEAR, limit=most)
    return tuple(spelling for _, _, spelling in sorted(found, key=lambda row: (-row[1], row[2])))


@lru_cache(maxsize=64)
def _keys(spellings: tuple[str, ...]) -> Mapping[str, str]:
    """Each spelling with what is compared of it."""
    return {one: key(one) for one in spellings}


@cache
def zones() -> Mapping[str, str]:
    """Every zone by its name in capitals, without the old spellings of whole countries."""
    return {name.upper(): name for name in sorted(available_timezones())}


def zones_near(word: str) -> tuple[str, ...]:
    """PARIS is Europe/Paris; otherwise what is spelt alike."""
    cities = [name for name in zones().values() if "/" in name and key(name.rpartition("/")[2]) == key(word)]
    return tuple(cities[:MOST]) or near(word, zones().values())
