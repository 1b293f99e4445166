"""Header values of a parsed mail: clean and of bounded length.

Only From and Subject go through the library's header parser, whose time grows with the square of the text;
most of them are so plain that it would find in them what stands there.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.message import EmailMessage, Message
from email.utils import parsedate_to_datetime

from pbem.mail.text import clean

MAX_VALUE = 500  # characters of a subject or a name
MAX_ADDRESS = 320  # RFC 5321: 64 and 255
MAX_RECIPIENTS = 100
MAX_IDS = 60

_ID = re.compile(r"<[^<>\s]{1,248}>")
_ADDRESS = re.compile(r"[^\s<>@,;:\"()\[\]\\]{1,64}@[^\s<>@,;:\"()\\]{1,255}")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*+"?')  # a name, which may hold what looks like an address
_FOLD = re.compile(r"\s+")
_NAME = r"[A-Za-z0-9]+(?: [A-Za-z0-9]+)*"
_MAILBOX = r"[A-Za-z0-9_+-]+(?:\.[A-Za-z0-9_+-]+)*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*"
_PLAIN_FROM = re.compile(rf'(?:(?:({_NAME})|"({_NAME})") )?<({_MAILBOX})>|({_MAILBOX})')


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
    """Address and name of the writer; no address unless exactly one From names exactly one."""
    listed = _senders(message)
    if len(listed) != 1:
        return "", ""
    address, name = _address(listed[0][0]), _FOLD.sub(" ", clean(listed[0][1])).strip()[:MAX_VALUE]
    return (address, name) if address else ("", "")


def _senders(message: EmailMessage) -> list[tuple[str, str]]:
    """Addresses and names in From; none where there are several such headers, or groups in one."""
    raw = [str(text) for name, text in message.raw_items() if name.lower() == "from"]
    if len(raw) != 1:
        return []
    if plain := _PLAIN_FROM.fullmatch(raw[0]):
        return [(plain[3] or plain[4], plain[1] or plain[2] or "")]
    found = message["from"]
    if any(group.display_name is not None for group in found.groups):
        return []
    return [(one.addr_spec, one.display_name) for one in found.addresses]


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
