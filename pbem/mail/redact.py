"""A kept letter without somebody's name and addresses.

Letters of ours are read by the standard library's parser. A stranger's mail is not: what the guard refuses is
searched as the bytes it is, so that no mail is too odd to be searched.
"""

from __future__ import annotations

import re
from binascii import Error, a2b_base64, a2b_qp
from collections.abc import Collection, Iterator, Sequence
from email import message_from_bytes, policy
from email.message import EmailMessage, Message
from typing import Final

from pbem.mail.characters import decoded
from pbem.mail.guard import MAX_BYTES, MAX_PARTS, inspect, with_plain_line_ends, without_pictures
from pbem.mail.letter import Letter
from pbem.mail.mime import MAX_LEVELS, open_letter
from pbem.mail.parts import BrokenMultipart, Divider, TooManyLevels, TooManyParts

SOMEBODY, SOMEWHERE = "N. N.", "…@…"
SHORTEST_NAME: Final = 4  # characters; shorter ones are words that stand everywhere
CHARSETS: Final = ("utf-8", "latin-1")  # in which a name may stand in bytes

_WORD: Final = re.compile(r"=\?([^?\s]{1,75})\?([BbQq])\?([^?]*)\?=")  # RFC 2047
_BETWEEN_WORDS: Final = re.compile(r"(?<=\?=)\s+(?==\?)")
_FROM: Final = re.compile(r"^from[ \t]*:.*(?:\n[ \t].*)*", re.IGNORECASE | re.MULTILINE)


def is_from(raw: bytes, addresses: Collection[str]) -> bool:
    """Is one of these its sender's, or named as such by a mail that cannot be read?"""
    opened = open_letter(raw)
    if isinstance(opened, Letter) and opened.sender:
        return opened.sender in addresses
    head = with_plain_line_ends(raw).partition(b"\n\n")[0].decode("utf-8", "replace")
    own = Redaction("", sorted(addresses))
    return any(own.stands_in(_words(one)) for one in _FROM.findall(head))


class Redaction:
    """What is struck out: a name as it is written, addresses in any case."""

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
        if self.text(subject) == subject:
            return False
        message.replace_header("subject", self.text(subject))
        return True

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
    """The mail in its parts; None: it is one of those that nobody parses."""
    data = with_plain_line_ends(without_pictures(raw)) if len(raw) <= MAX_BYTES else b""
    if inspect(data) is not None:
        return None
    try:
        return Divider(policy.default, MAX_PARTS, MAX_LEVELS).divide(data)
    except (TooManyParts, TooManyLevels, BrokenMultipart):
        return None


def _texts(message: Message) -> Iterator[str]:
    """Every header and every text, decoded. Headers are not understood: that takes the parser its time."""
    for part in message.walk():
        for _, value in part.raw_items():
            yield _words(str(value))
        data = None if part.is_multipart() else part.get_payload(decode=True)
        if part.get_content_maintype() == "text" and isinstance(data, bytes):
            yield decoded(data, part.get_content_charset(""))


def _words(value: str) -> str:
    """A header with its encoded words decoded."""
    text = decoded(value.encode("utf-8", "surrogateescape"))
    return _WORD.sub(lambda word: decoded(_bytes_of(word[2], word[3]), word[1]), _BETWEEN_WORDS.sub("", text))


def _bytes_of(way: str, text: str) -> bytes:
    if way in "Qq":
        return a2b_qp(text.encode(), header=True)
    try:
        return a2b_base64(text.encode() + b"==")  # some leave them away; too many do no harm
    except Error:
        return text.encode()
