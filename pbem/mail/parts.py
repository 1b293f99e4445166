"""A mail divided into its parts, as the standard library's parser divides it.

The library looks at every line of every part in turn. Here boundaries are searched for, and what stands
between them is cut out as it is; a header block goes through its parser only where something in it is odd.
Line ends are plain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.errors import CloseBoundaryNotFoundDefect
from email.message import EmailMessage, Message
from email.parser import BytesParser
from email.policy import Policy
from typing import Any, NamedTuple

_HEADERS = re.compile(rb"(?:(?:From |[!-9;-~]*:|[\t ])[^\n]*(?:\n|\Z))*+")
_PLAIN_HEADERS = re.compile(r"(?:[!-9;-~]+:[^\n]*\n(?:[\t ][^\n]*\n)*+)++")
_HEADER = re.compile(r"([!-9;-~]+):[\t ]*+([^\n]*(?:\n[\t ][^\n]*)*+)\n")
_REST = re.compile(rb"(--)?[ \t]*(?:\n|\Z)")  # of a boundary's line


class TooManyParts(ValueError):
    """There are more parts than are read."""


class TooManyLevels(ValueError):
    """Parts in parts are deeper than are read."""


class BrokenMultipart(ValueError):
    """Parts were announced and none is there."""


class _Separator(NamedTuple):
    """A boundary's line."""

    start: int
    end: int
    closes: bool


@dataclass(slots=True)
class Divider:
    """How mail is divided, and what is too much."""

    policy: Policy[Any]
    most_parts: int
    most_levels: int
    _count: int = 0

    def divide(self, data: bytes) -> EmailMessage:
        """The mail with all its parts; raises one of the three errors above."""
        message = self._part(data, "text/plain", 1)
        assert isinstance(message, EmailMessage)
        return message

    def _part(self, data: bytes, default_type: str, level: int) -> Message:
        self._count += 1
        if self._count > self.most_parts:
            raise TooManyParts
        if level > self.most_levels:
            raise TooManyLevels
        end = _headers_end(data)
        part = self._headed(data[:end])
        part.set_default_type(default_type)
        self._fill(part, data[end + data.startswith(b"\n", end) :], level)
        return part

    def _headed(self, block: bytes) -> Message:
        """A part with these headers, nothing in it yet."""
        text = block.decode("ascii", "surrogateescape")
        lines = text if text.endswith("\n") else text + "\n"
        if not _PLAIN_HEADERS.fullmatch(lines):
            parsed: Message = BytesParser(policy=self.policy).parsebytes(block + b"\n", headersonly=True)
            return parsed
        part = EmailMessage(self.policy)
        for name, value in _HEADER.findall(lines):
            part.set_raw(name, value)
        return part

    def _fill(self, part: Message, body: bytes, level: int) -> None:
        kind = part.get_content_maintype()
        if kind == "multipart":
            self._multipart(part, body, level)
        elif kind == "message" and part.get_content_subtype() != "delivery-status":
            part.set_payload([self._part(body, "text/plain", level + 1)])
        else:  # a last line end is the boundary's, and in no text a line of its own
            part.set_payload(body.removesuffix(b"\n").decode("ascii", "surrogateescape"))

    def _multipart(self, part: Message, body: bytes, level: int) -> None:
        boundary = part.get_boundary()
        separators = [] if boundary is None else list(_separators(body, boundary))
        if not separators or separators[0].closes:
            raise BrokenMultipart
        inner_type = "message/rfc822" if part.get_content_subtype() == "digest" else "text/plain"
        inner: list[Message | str] = []
        closed = False
        for at, separator in enumerate(separators):
            following = separators[at + 1] if at + 1 < len(separators) else None
            if separator.closes and (at == 0 or separators[at - 1].end != separator.start):
                closed = True
                break
            if following is not None and following.start == separator.end:
                continue  # several in a row are one
            stop = len(body) if following is None else following.start
            inner.append(self._part(body[separator.end : stop], inner_type, level + 1))
        if not closed:
            part.defects.append(CloseBoundaryNotFoundDefect())
        part.set_payload(inner)


def _headers_end(data: bytes) -> int:
    """Where the header block ends; a line `From …` at its end is text, as in a mail without any header."""
    headers = _HEADERS.match(data)
    end = headers.end() if headers else 0
    last = data.rfind(b"\n", 0, max(end - 1, 0)) + 1
    return last if last and data.startswith(b"From ", last) else end


def _separators(body: bytes, boundary: str) -> Iterator[_Separator]:
    """The lines that are this boundary, with or without the dashes that close."""
    mark = b"--" + boundary.encode("utf-8", "surrogateescape")
    at = 0 if body.startswith(mark) else _next(body, mark, 0)
    while at >= 0:
        rest = _REST.match(body, at + len(mark))
        if rest is not None:
            yield _Separator(at, rest.end(), rest[1] is not None)
        at = _next(body, mark, at + len(mark) if rest is None else rest.end() - 1)


def _next(body: bytes, mark: bytes, start: int) -> int:
    """Where the next line begins that begins with it; -1: nowhere."""
    found = body.find(b"\n" + mark, start)
    return found + 1 if found >= 0 else -1
