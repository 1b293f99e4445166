"""A kept letter without somebody's name and addresses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Final

SOMEBODY, SOMEWHERE = "N. N.", "…@…"
SHORTEST_NAME: Final = 4  # characters; shorter ones are words that stand everywhere


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

    def is_in(self, raw: bytes) -> bool:
        """Does either stand in a mail, in a header or in a text?"""
        message = message_from_bytes(raw, policy=policy.SMTP)
        heads = "\n".join(str(value) for _, value in message.items())
        texts = (content for part in message.walk() if (content := _content(part)) is not None)
        return any(self.text(one) != one for one in (heads, *texts))

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
