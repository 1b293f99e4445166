"""A mail, opened: what the checks and the order reader need of it, and nothing of MIME."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

Automatic: TypeAlias = Literal["", "auto-reply", "bounce", "list", "own"]  # why nobody wrote this; "": somebody did


class TextLine(NamedTuple):
    """One line as its writer saw it: decoded, unflowed, without quote marks; `quoted` is their number."""

    text: str
    quoted: int = 0


@dataclass(frozen=True, slots=True)
class Attachment:
    """A text that came as a file."""

    name: str
    lines: tuple[TextLine, ...]


@dataclass(frozen=True, slots=True)
class Letter:
    """Header values are decoded and of bounded length; addresses in lower case without names."""

    message_id: str
    sender: str  # "" if there is no single readable From
    sender_name: str
    recipients: tuple[str, ...]  # To and Cc
    delivered_to: tuple[str, ...]  # Delivered-To, X-Original-To, Envelope-To, in this order
    subject: str
    date: datetime | None
    in_reply_to: tuple[str, ...]
    references: tuple[str, ...]
    automatic: Automatic
    lines: tuple[TextLine, ...]
    attachments: tuple[Attachment, ...] = ()
    truncated: bool = False  # the text was longer than is read
