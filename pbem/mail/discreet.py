"""Words that are passed on to others: without our tokens, reply addresses and Message-IDs, in any disguise.

A player who answers a letter of ours and quotes it, or copies an address out of it, gives his seat away. So
what looks like one of our addresses is struck out, and so is every token and every name of a letter that our
key proves to be one, however it is spaced, broken, capitalised or sprinkled with marks that nobody sees.
Addresses of people are struck out as well: players know each other by their names. Any address is, whoever
has it: were it only those of players, the writer would learn from it who is one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final, NamedTuple

from pbem.mail.addresses import CHECK_CHARACTERS, NAME_CHARACTERS, TAG_CHARACTERS, SeatAddresses

STRUCK: Final = "[…]"
_AT: Final = (
    r"\s?(?:@|%40|=40|&#64;|&#x40;|&commat;|[(\[{<]\s?(?:at|a|arobase)\s?[)\]}>]|\bat\b|\barobase\b)\s?"
)
_JOINED_DOT: Final = r"(?:\.|%2e|=2e|&#46;|\s?[(\[{]\s?(?:dot|point)\s?[)\]}]\s?)"  # no end of a sentence
_ADDRESS: Final = re.compile(
    rf"<?(?<![a-z0-9_.+-])[a-z0-9][a-z0-9_.+-]*{_AT}(?:[a-z0-9-]{{1,63}}{_JOINED_DOT}){{1,8}}[a-z]{{2,24}}>?"
)
_PLUS: Final = r"\s?(?:\+|%2b|=2b|&#43;|&#x2b;|&plus;)\s?"
_PLUS_WORD: Final = r"\s?(?:[(\[{]\s?plus\s?[)\]}]|\bplus\b)\s?"  # in talk, too: a host must follow
_DOT: Final = r"\s?(?:\.|%2e|=2e|&#46;|[(\[{]\s?(?:dot|point)\s?[)\]}])\s?"
_SLUG: Final = r"[a-z0-9_-]+"
_CLAIM: Final = re.compile(
    rf"(?<![a-z0-9_-]){_SLUG}{_DOT}{_SLUG}{_DOT}[a-z2-7]{{{TAG_CHARACTERS}}}(?![a-z0-9])"
)
_NAME_LENGTH: Final = NAME_CHARACTERS + CHECK_CHARACTERS


class Struck(NamedTuple):
    """The words as they may be passed on, and how many places were struck out."""

    text: str
    places: int


class _Folded(NamedTuple):
    """A text as it is compared, and for each of its signs the place in the original."""

    text: str
    places: tuple[int, ...]

    def original(self, start: int, end: int) -> tuple[int, int]:
        return self.places[start], self.places[end - 1] + 1


def strike(text: str, ours: SeatAddresses, tags: Iterable[str] = ()) -> Struck:
    """Strike out what gives a seat or a person away. `tags`: the tokens of the campaign's seats."""
    folded = _fold(text)
    spans = [folded.original(*found.span()) for found in _patterned(folded.text, ours)]
    bare = _squeezed(folded)
    for tag in tags:
        start = bare.text.find(tag)
        while start >= 0:
            spans.append(bare.original(start, start + len(tag)))
            start = bare.text.find(tag, start + 1)
    for start in ours.names_in(bare.text):
        spans.append(bare.original(start, start + _NAME_LENGTH))
    return _without(text, spans)


def _patterned(text: str, ours: SeatAddresses) -> Iterable[re.Match[str]]:
    """What looks like an address or a Message-ID of ours, or like somebody's address."""
    user, _, _ = ours.mailbox.partition("@")
    host = rf"(?:{_spelt(ours.host)}|{_spelt(ours.id_host)})"
    yield from re.finditer(rf"{re.escape(user)}{_PLUS}[a-z0-9_.-]+(?:{_AT}{host})?", text)
    yield from re.finditer(rf"{re.escape(user)}{_PLUS_WORD}[a-z0-9_.\s-]+{_AT}{host}", text)
    for found in re.finditer(rf"<?(?<![a-z0-9_.-])([a-z0-9][a-z0-9_.-]*){_AT}{host}>?", text):
        if found[1] != user:
            yield found
    yield from _CLAIM.finditer(text)
    for found in _ADDRESS.finditer(text):
        if found[0].strip("<>") != ours.mailbox:
            yield found


def _spelt(host: str) -> str:
    return _DOT.join(re.escape(label) for label in host.split("."))


def _fold(text: str) -> _Folded:
    """Small letters without accents or marks that nobody sees; wide and styled letters are plain ones."""
    signs: list[str] = []
    places: list[int] = []
    for place, sign in enumerate(text):
        for one in _PLAIN[sign]:
            signs.append(one)
            places.append(place)
    return _Folded("".join(signs), tuple(places))


class _Plain(dict[str, str]):
    """Each sign as it is compared; looked up once."""

    def __missing__(self, sign: str) -> str:
        small = unicodedata.normalize("NFKD", sign).casefold()
        seen = [one for one in small if unicodedata.category(one) not in ("Mn", "Cf", "Cc") or one.isspace()]
        self[sign] = "".join(" " if one.isspace() else one for one in seen)
        return self[sign]


_PLAIN: Final = _Plain()


def _squeezed(folded: _Folded) -> _Folded:
    """Letters and figures alone, as one word."""
    kept = [(sign, place) for sign, place in zip(*folded, strict=True) if sign.isalnum()]
    return _Folded("".join(sign for sign, _ in kept), tuple(place for _, place in kept))


def _without(text: str, spans: Iterable[tuple[int, int]]) -> Struck:
    """The text with one mark for each stretch of spans that meet or overlap."""
    joined: list[list[int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1] + 1:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    parts, done = [], 0
    for start, end in joined:
        parts += [text[done:start], STRUCK]
        done = end
    return Struck("".join([*parts, text[done:]]), len(joined))
