"""A kept letter without somebody's name and addresses.

Letters of ours are read by the standard library's parser. A stranger's mail is not: what the guard refuses is
searched as the bytes it is, so that no mail is too odd to be searched.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from email import message_from_bytes, policy
from email.message import EmailMessage, Message
from functools import cache
from typing import Final, NamedTuple

from pbem.mail.addresses import CHECK_CHARACTERS, NAME_CHARACTERS, TAG_CHARACTERS, SeatAddresses
from pbem.mail.guard import MAX_BYTES, MAX_PARTS, cut_pictures, inspect, normalize_line_ends
from pbem.mail.headers import decode_words
from pbem.mail.message import Letter
from pbem.mail.mime import MAX_LEVELS, BrokenMultipart, MimeSplitter, TooManyLevels, TooManyParts, open_letter
from pbem.mail.text import decode

SOMEBODY, SOMEWHERE = "N. N.", "…@…"
SHORTEST_NAME: Final = 4  # characters; shorter ones are words that stand everywhere
CHARSETS: Final = ("utf-8", "latin-1")  # in which a name may stand in bytes

_FROM: Final = re.compile(r"^from[ \t]*:.*(?:\n[ \t].*)*", re.IGNORECASE | re.MULTILINE)


def is_from(raw: bytes, addresses: Collection[str]) -> bool:
    """Is one of these its sender's, or named as such by a mail that cannot be read?"""
    opened = open_letter(raw)
    if isinstance(opened, Letter) and opened.sender:
        return opened.sender in addresses
    head = normalize_line_ends(raw).partition(b"\n\n")[0].decode("utf-8", "replace")
    own = Redaction("", sorted(addresses))
    return any(own.stands_in(decode_words(one)) for one in _FROM.findall(head))


class Redaction:
    """What to strike out: a name as written, addresses in any case."""

    def __init__(self, name: str, addresses: Sequence[str]) -> None:
        plain = name.strip()
        own = len(plain) >= SHORTEST_NAME and plain != SOMEBODY and any(sign.islower() for sign in plain)
        words = r"\s+".join(re.escape(word) for word in plain.split()) if own else ""
        self._name = re.compile(rf"(?<!\w){words}(?!\w)") if words else None
        listed = "|".join(re.escape(one) for one in sorted(addresses, key=len, reverse=True))
        self._address = re.compile(rf"(?<![\w.+-])(?:{listed})(?![\w-])", re.IGNORECASE) if listed else None

    def text(self, text: str) -> str:
        if self._name is not None:
            text = self._name.sub(SOMEBODY, text)
        return text if self._address is None else self._address.sub(SOMEWHERE, text)

    def letter(self, raw: bytes) -> bytes | None:
        """The letter with both struck out of its texts; None: neither stands there."""
        message = message_from_bytes(raw, policy=policy.SMTP)
        changed = [self._strike_subject(message), *(self._strike(part) for part in message.walk())]
        return message.as_bytes() if any(changed) else None

    def stands_in(self, text: str) -> bool:
        """Does either stand there?"""
        return any(one is not None and one.search(text) for one in (self._name, self._address))

    def is_in(self, raw: bytes) -> bool:
        """Does either stand in a mail, as its bytes are, or in what they say?

        Raises whatever a parser trips over: then nobody can tell.
        """
        if any(self.stands_in(raw.decode(charset, "replace")) for charset in CHARSETS):
            return True
        message = _divided(raw)
        return message is not None and any(self.stands_in(text) for text in _texts(message))

    def _strike_subject(self, message: EmailMessage) -> bool:
        subject = str(message.get("subject", ""))
        if stands_there := self.text(subject) != subject:
            message.replace_header("subject", self.text(subject))
        return stands_there

    def _strike(self, part: EmailMessage) -> bool:
        content = _content(part)
        if content is None or self.text(content) == content:
            return False
        kind, disposed = part.get_content_subtype(), part.get("content-disposition")
        part.set_content(self.text(content), subtype=kind, charset="utf-8", cte="quoted-printable")
        if disposed is not None:
            part["Content-Disposition"] = str(disposed)
        return True


def _content(part: EmailMessage) -> str | None:
    """The part's text; None: it is none, or cannot be read."""
    if part.get_content_maintype() != "text" or part.is_multipart():
        return None
    try:
        return str(part.get_content())
    except (LookupError, UnicodeError, ValueError):
        return None


# ------------------------------------------------------------------ anybody's mail


def _divided(raw: bytes) -> Message | None:
    """The mail in its parts; None: it must not be parsed."""
    data = normalize_line_ends(cut_pictures(raw)) if len(raw) <= MAX_BYTES else b""
    if inspect(data) is not None:
        return None
    try:
        return MimeSplitter(policy.default, MAX_PARTS, MAX_LEVELS).divide(data)
    except (TooManyParts, TooManyLevels, BrokenMultipart):
        return None


def _texts(message: Message) -> Iterator[str]:
    """Every header and every text, decoded. Headers are not understood: that takes the parser its time."""
    for part in message.walk():
        for _, value in part.raw_items():
            yield decode_words(str(value))
        data = None if part.is_multipart() else part.get_payload(decode=True)
        if part.get_content_maintype() == "text" and isinstance(data, bytes):
            yield decode(data, part.get_content_charset(""))


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

    @classmethod
    def of(cls, signs: Iterable[tuple[str, int]]) -> _Folded:
        listed = list(signs)
        return cls("".join(sign for sign, _ in listed), tuple(place for _, place in listed))

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
    spans += [bare.original(start, start + _NAME_LENGTH) for start in ours.names_in(bare.text)]
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
    """Lower case without accents or invisible marks; wide and styled letters as plain ones."""
    return _Folded.of((one, place) for place, sign in enumerate(text) for one in _plain(sign))


@cache
def _plain(sign: str) -> str:
    """A sign as it is compared."""
    small = unicodedata.normalize("NFKD", sign).casefold()
    seen = [one for one in small if unicodedata.category(one) not in ("Mn", "Cf", "Cc") or one.isspace()]
    return "".join(" " if one.isspace() else one for one in seen)


def _squeezed(folded: _Folded) -> _Folded:
    """Letters and figures alone, as one word."""
    return _Folded.of((sign, place) for sign, place in zip(*folded, strict=True) if sign.isalnum())


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
