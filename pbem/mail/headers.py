"""Header values of a parsed mail: clean and of bounded length.

Only Subject goes through the library's header parser, whose time grows with the square of the text; most
are so plain that it would find in them what stands there. From has a grammar of its own: the library mends
what it cannot read, and whoever signs such a letter may have read another address in it.
"""

from __future__ import annotations

import re
import unicodedata
from binascii import Error, a2b_base64, a2b_qp
from datetime import UTC, datetime
from email.message import EmailMessage, Message
from email.utils import parsedate_to_datetime
from typing import Final

from pbem.mail.text import FALLBACK, clean, decode

MAX_VALUE = 500  # characters of a subject or a name
MAX_FROM = 4_000  # characters of a From as it was sent
MAX_ADDRESS = 320  # RFC 5321: 64 and 255
MAX_RECIPIENTS = 100
MAX_IDS = 60

_ID = re.compile(r"<[^<>\s]{1,248}>")
_ADDRESS = re.compile(r"[^\s<>@,;:\"()\[\]\\]{1,64}@[^\s<>@,;:\"()\\]{1,255}")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*+"?')  # a name, which may hold what looks like an address
_FOLD = re.compile(r"\s+")
_FOLDED: Final = re.compile(r"\n(?=[ \t])")
# One mailbox (RFC 5322, without what is obsolete in it). In a name dots, UTF-8 and encoded words are words.
_TEXT: Final = r"[^\x00-\x20\x7f()<>@,;:\\\"\[\].]"
_REMARK: Final = r"\([^\x00-\x08\x0a-\x1f\x7f()<>@,;:\\\"]*+\)"
_STRING: Final = r'"(?:[^\x00-\x08\x0a-\x1f\x7f\\"]|\\[\t -\x7e])*+"'
_PHRASE: Final = rf"(?:(?:(?:{_TEXT}|\.)++|{_STRING}|{_REMARK})[ \t]*+)*+"
_MAILBOX: Final = rf"{_TEXT}++(?:\.{_TEXT}++)*+@{_TEXT}++(?:\.{_TEXT}++)*+"
_ONE_MAILBOX: Final = re.compile(rf"(?:({_PHRASE})<({_MAILBOX})>|({_MAILBOX}))(?:[ \t]*+({_REMARK}))?+")
_PLAIN_MAILBOX: Final = re.compile(r"[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[a-z0-9.-]{1,255}")
_STRINGS: Final = re.compile(r'"((?:[^\\"]|\\.)*+)"')
_ESCAPED: Final = re.compile(r"\\(.)")
_ENCODED: Final = re.compile(r"=\?([^?\s]{1,75})\?([BbQq])\?([^?]*)\?=")  # RFC 2047
_BETWEEN_ENCODED: Final = re.compile(r"(?<=\?=)\s+(?==\?)")


def raw_values(message: Message, name: str) -> list[str]:
    """All values of a header in the order of the mail, each on one line; nothing in them is decoded."""
    return [_FOLD.sub(" ", str(text)).strip() for found, text in message.raw_items() if found.lower() == name]


def raw_value(message: Message, name: str) -> str:
    """The first value of a header, not decoded, "" if there is none."""
    return next(iter(raw_values(message, name)), "")[:MAX_VALUE]


def value(message: Message, name: str) -> str:
    """The first value of a header, decoded, "" if there is none."""
    return _FOLD.sub(" ", clean(str(message.get(name, "")))).strip()[:MAX_VALUE]


def subject(message: Message) -> str:
    """What the letter is about, decoded; of plain signs there is nothing to decode."""
    text = next((str(text) for name, text in message.raw_items() if name.lower() == "subject"), "")
    if text.isascii() and text.isprintable() and "=?" not in text:
        return _FOLD.sub(" ", text).strip()[:MAX_VALUE]
    return value(message, "subject")


def sender(message: EmailMessage) -> tuple[str, str]:
    """Address and name of the writer; no address unless there is exactly one From, and it is one mailbox."""
    listed = [str(text) for name, text in message.raw_items() if name.lower() == "from"]
    return read_mailbox(listed[0]) if len(listed) == 1 else ("", "")


def read_mailbox(raw: str) -> tuple[str, str]:
    """Address and name of one mailbox as a header holds it; ("", "") if it is anything else.

    A name that holds angle brackets could be taken for an address, however it is quoted or encoded; and
    whoever decodes it first finds a second mailbox in one that hides another's.
    """
    text = _as_sent(raw)
    found = _ONE_MAILBOX.fullmatch(_FOLDED.sub("", text).strip(" \t")) if len(text) <= MAX_FROM else None
    if found is None:
        return "", ""
    names = [
        _STRINGS.sub(lambda one: _ESCAPED.sub(r"\1", one[1]), quoted)
        for quoted in (found[1] or "", (found[4] or "")[1:-1])
    ]
    address = _one_spelling(found[2] or found[3])
    if not address or any(_may_be_another(name, address) for name in names):
        return "", ""
    name = decode_words(names[0] or names[1])
    return address, _FOLD.sub(" ", clean(name)).strip()[:MAX_VALUE]


def _may_be_another(written: str, address: str) -> bool:
    name = decode_words(written)
    hidden = set(_ADDRESS.findall(name.lower())) - set(_ADDRESS.findall(written.lower()))
    return "<" in name or ">" in name or bool(hidden - {address})


def _as_sent(raw: str) -> str:
    """Bytes beyond ASCII are UTF-8 or, in old programs' names, one of the charsets that differ only there."""
    sent = raw.encode("utf-8", "surrogateescape")
    try:
        return sent.decode("utf-8")
    except UnicodeDecodeError:
        return sent.decode(FALLBACK, "replace")


def _one_spelling(address: str) -> str:
    """In lower case; "" if it is none, or other letters would become the same address that way."""
    plain = address.lower()
    if not address.isascii() and (plain != address or unicodedata.normalize("NFKC", plain) != plain):
        return ""
    shape = "".join(sign if sign.isascii() or not sign.isalnum() else "x" for sign in plain)
    return plain if _PLAIN_MAILBOX.fullmatch(shape) else ""


def decode_words(value: str) -> str:
    """A header's value with its encoded words decoded."""
    text = decode(value.encode("utf-8", "surrogateescape"))
    joined = _BETWEEN_ENCODED.sub("", text)
    return _ENCODED.sub(lambda word: decode(_bytes_of(word[2], word[3]), word[1]), joined)


def _bytes_of(way: str, text: str) -> bytes:
    if way in "Qq":
        return a2b_qp(text.encode(), header=True)
    try:
        return a2b_base64(text.encode() + b"==")  # some leave them away; too many do no harm
    except Error:
        return text.encode()


def addresses(message: Message, *names: str) -> tuple[str, ...]:
    """Taken from the raw text: the parser's time for long lists grows with their square."""
    texts = (_QUOTED.sub(" ", text) for name in names for text in raw_values(message, name))
    found = dict.fromkeys(_address(one) for text in texts for one in _ADDRESS.findall(text))
    return tuple(address for address in found if address)[:MAX_RECIPIENTS]


def _address(text: str) -> str:
    text = text.strip().strip("<>").lower()
    return text if len(text) <= MAX_ADDRESS and _ADDRESS.fullmatch(text) else ""


def message_ids(message: Message, name: str) -> tuple[str, ...]:
    """The ids in a header, with their angle brackets; of very many the last."""
    found = [match for text in raw_values(message, name) for match in _ID.findall(text)]
    if not found:  # some programs encode what they must not
        found = _ID.findall(value(message, name))
    return tuple(dict.fromkeys(found))[-MAX_IDS:]


def date(message: Message) -> datetime | None:
    """When the writer's clock says it was sent, in UTC; None if that cannot be read."""
    try:
        found = parsedate_to_datetime(clean(raw_value(message, "date")))
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
