"""A mail, opened: what the checks and the order reader need of it, and nothing of MIME."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Literal, NamedTuple, TypeAlias

# Why this is automatic mail; "": a person wrote it.
Automatic: TypeAlias = Literal["", "auto-reply", "bounce", "list", "own"]

# What a line is beside its quote depth; "": text, the writer's own where `quoted` is 0.
Role: TypeAlias = Literal["", "attribution", "signature"]


class TextLine(NamedTuple):
    """One line as its writer saw it: decoded, unflowed, without quote marks; `quoted` is their number.

    What a mail program put there (the line that introduces a quote, a copied header, a signature) has its
    role and is never at depth 0, so `quoted == 0` means: the player's own text. Such lines are kept because
    players may write orders below their signature: the order reader asks about them. For the same reason a
    line that is struck out is kept: `left` is what remains of it, None if nothing is struck out.
    """

    text: str
    quoted: int = 0
    role: Role = ""
    left: str | None = None

    @property
    def is_struck(self) -> bool:
        """Is all of it struck out?"""
        return self.left == ""


# mail.md 3: the first and the last line of our letters, with what programs add to them.
_MARKER = re.compile(r"[*_|\s]*##\s?-.*")
_END_MARKER = re.compile(r"[*_|\s]*##\s?-\s*end\s*/\s*fin\b.*", re.IGNORECASE)


def is_marker(line: TextLine) -> bool:
    return "##" in line.text and bool(_MARKER.fullmatch(line.text.strip()))


def is_end_marker(line: TextLine) -> bool:
    return "##" in line.text and bool(_END_MARKER.fullmatch(line.text.strip()))


def are_between_markers(lines: Sequence[TextLine]) -> Iterator[bool]:
    """For each line, whether it stands in a letter of ours that no mark shows as quoted; markers do, too."""
    ours = False
    for line in lines:
        marks = line.quoted == 0 and is_marker(line)
        ours = not is_end_marker(line) if marks else ours
        yield ours or marks


@dataclass(frozen=True, slots=True)
class Attachment:
    """A text that came as a file."""

    name: str
    lines: tuple[TextLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
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
    truncated: bool = False  # the text was longer than is read, or the mail ends in mid-air
    unread: tuple[str, ...] = ()  # names (or types) of attachments that are no text
    differing: tuple[TextLine, ...] = ()  # own lines that only one of its two forms has, text or HTML

    @property
    def digest(self) -> str:
        """The same for letters in which the same is read, to the same recipients, in answer to the same."""
        way = (self.recipients, self.in_reply_to, self.references)
        read = repr((self.subject, way, self.lines, self.attachments))
        return sha256(read.encode("utf-8", "backslashreplace")).hexdigest()[:32]
