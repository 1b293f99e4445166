"""Open mail: untrusted bytes become a Letter, or a reason why the umpire must look at them.

Headers are parsed by the standard library; `guard` has looked at the bytes before. Nothing here raises.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from email.errors import CloseBoundaryNotFoundDefect
from email.message import EmailMessage, Message
from email.parser import BytesParser
from email.policy import EmailPolicy, Policy, default
from functools import cache, lru_cache
from typing import Any, NamedTuple

from pbem.mail import headers
from pbem.mail import html as hypertext
from pbem.mail.alternatives import compare_forms, unshown_lines
from pbem.mail.autoreply import automatic_reason
from pbem.mail.guard import MAX_BYTES, MAX_PARTS, Quarantine, cut_pictures, inspect, normalize_line_ends
from pbem.mail.message import Attachment, Letter, TextLine
from pbem.mail.quotes import classify_lines, marked_lines, strip_marks
from pbem.mail.text import MAX_LINE, MAX_TEXT_BYTES, MAX_TEXT_LINES, clean, decode, unflow, without_links

MAX_LEVELS = 12  # parts in parts
MAX_ATTACHMENTS = 10  # that are read
MAX_NAME = 120
REMEMBERED = 100  # characters of a header: a shorter one is understood once for all letters

TEXT_NAMES = (".txt", ".text", ".md", ".orders", ".ordres", ".asc", ".log", ".csv")
TEXT_TYPES = frozenset({"text/plain", "text/markdown", "text/x-markdown", "text/csv"})
UNSPOKEN = frozenset({"text/calendar", "text/vcard", "text/x-vcard", "text/directory", "application/ics"})
ENCODINGS = frozenset({"", "7bit", "8bit", "binary", "quoted-printable", "base64"})


class _Policy(EmailPolicy):
    """The library's modern policy, with parsed headers cached: it would parse at every access."""

    def __init__(self) -> None:
        super().__init__(message_factory=EmailMessage)
        object.__setattr__(self, "_of_this_letter", cache(default.header_fetch_parse))

    def header_fetch_parse(self, name: str, value: str) -> Any:
        if len(value) <= REMEMBERED:
            return _of_any_letter(name, value)
        return self._of_this_letter(name, value)  # type: ignore[attr-defined]


_of_any_letter = lru_cache(maxsize=512)(default.header_fetch_parse)  # most have the same types and encodings


def open_letter(raw: bytes, own: Collection[str] = ()) -> Letter | Quarantine:
    """The letter in these bytes. `own`: the service's addresses, in lower case, without plus parts."""
    if len(raw) > MAX_BYTES:  # before a copy is made
        return Quarantine("too-big", str(len(raw)))
    data = normalize_line_ends(cut_pictures(raw))
    if refused := inspect(data):
        return refused
    try:
        return _letter(MimeSplitter(_Policy(), MAX_PARTS, MAX_LEVELS).divide(data), own)
    except TooManyParts:
        return Quarantine("too-many-parts", f"over {MAX_PARTS}")
    except TooManyLevels:
        return Quarantine("too-deep", f"over {MAX_LEVELS}")
    except BrokenMultipart:
        return Quarantine("broken-multipart")
    except hypertext.TooDeep:
        return Quarantine("too-deep", "html")
    except Exception as failure:  # the boundary: whatever a parser trips over goes to the umpire
        return Quarantine("unparsable", type(failure).__name__)


def _inner(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [inner for inner in payload if isinstance(inner, Message)] if isinstance(payload, list) else []


def _letter(message: EmailMessage, own: Collection[str]) -> Letter:
    body = _Body()
    body.read(message)
    address, name = headers.sender(message)
    lines = body.lines[:MAX_TEXT_LINES]
    return Letter(
        message_id=next(iter(headers.message_ids(message, "message-id")), ""),
        sender=address,
        sender_name=name,
        recipients=headers.addresses(message, "to", "cc"),
        delivered_to=headers.addresses(message, "delivered-to", "x-original-to", "envelope-to"),
        subject=headers.subject(message),
        date=headers.date(message),
        in_reply_to=headers.message_ids(message, "in-reply-to"),
        references=headers.message_ids(message, "references"),
        automatic=automatic_reason(message, own),
        lines=classify_lines(lines),
        attachments=tuple(body.attachments),
        truncated=body.truncated or len(body.lines) > len(lines),
        unread=tuple(body.unread),
        differing=tuple(body.differing),
    )


@dataclass(slots=True)
class _Room:
    """What is left of the text that one letter may have, in however many parts."""

    lines: int = MAX_TEXT_LINES + 500  # a text and its other form, or a text and files
    html: hypertext.Room = field(default_factory=hypertext.Room)


@dataclass(slots=True)
class _Body:
    """What has been found so far, part by part."""

    room: _Room = field(default_factory=_Room)
    lines: list[TextLine] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    differing: list[TextLine] = field(default_factory=list)
    truncated: bool = False
    _told: tuple[TextLine, ...] | None = None

    @property
    def told(self) -> tuple[TextLine, ...]:
        """Its lines told apart, once all of them are there."""
        if self._told is None:
            self._told = classify_lines(self.lines)
        return self._told

    @property
    def speaks(self) -> bool:
        """Has it a line of the writer's own?"""
        return any(line.quoted == 0 and line.text.strip() for line in self.told)

    @property
    def has_words(self) -> bool:
        return any(line.text.strip() for line in self.lines)

    @property
    def strikes(self) -> bool:
        """Is anything struck out in it?"""
        return any(line.left is not None for line in self.lines)

    def read(self, part: Message) -> None:
        self.truncated |= any(
            type(defect).__name__ == "CloseBoundaryNotFoundDefect" for defect in part.defects
        )
        kind = part.get_content_type()
        if kind == "message/rfc822":
            self._forwarded(part)
        elif kind.startswith("message/") or kind == "text/rfc822-headers":
            return  # delivery reports and the like: no text of a person
        elif kind == "multipart/alternative":
            self._alternative(part)
        elif kind == "multipart/encrypted":  # nobody here can read it
            self._name_unread(part)
        elif part.is_multipart():
            self._in_order(part)
        elif _is_file(part):
            self._file(part)
        elif kind in UNSPOKEN:
            return
        elif kind == "text/html":
            self.lines += self._hypertext(part)
        elif kind.startswith("text/"):
            self.lines += self._text(part)
        else:
            self._file(part)

    def _in_order(self, part: Message) -> None:
        """All parts one after the other; of a signed text the text, of a text with pictures the text."""
        parts = _inner(part)
        if part.get_content_type() == "multipart/signed":
            parts = parts[:1]
        for inner in parts:
            self.read(inner)

    def _alternative(self, part: Message) -> None:
        """The first form in which the writer says something, plain text first; both are compared.

        Plain text cannot tell what is struck out: where the HTML does, that is what the writer saw.
        """
        forms = sorted(_inner(part), key=_preference)
        plain = [self._form(form) for form in forms if _preference(form) == 0]
        text = next((one for one in plain if one.speaks), None)
        others = [form for form in forms if _preference(form)]
        if text is None:
            self._take_quotes([*plain, *self._first_speaking(others)])
        elif others:
            self._weigh(text, others)
        else:
            self._take(text)

    def _first_speaking(self, forms: Sequence[Message]) -> list[_Body]:
        """These forms, read up to the first in which the writer says something."""
        found: list[_Body] = []
        for form in forms:
            found.append(self._form(form))
            if found[-1].speaks:
                break
        return found

    def _weigh(self, text: _Body, others: Sequence[Message]) -> None:
        """A text beside other forms. A page that cannot be drawn is only searched for the text's words."""
        try:
            page = next(reversed(self._first_speaking(others)))
        except hypertext.TooDeep:
            page = _Body(truncated=True)
            if any(map(_may_strike, others)):  # then any line may be struck out
                text.lines = [line._replace(left=line.text) for line in text.lines]
        if page.truncated:
            words = " ".join(hypertext.undrawn_words(one) for form in others for one in _pages(form))
            text.differing += unshown_lines(text.told, words)
            self._take(text)
            return
        if not page.has_words:
            self._take(text)
            return
        self._choose(text, page)

    def _take_quotes(self, tried: Sequence[_Body]) -> None:
        """Forms of which only the last may say something; of those that only quote, one may be edited."""
        for text, page in zip(tried[:1], tried[-1:], strict=True):
            if page.speaks or text is page:
                self._take(page)
            elif page.truncated or not page.has_words:
                self._take(text)
            else:
                self._choose(text, page)

    def _choose(self, text: _Body, page: _Body) -> None:
        compared = compare_forms(text.told, page.told)
        chosen, left = (page, text) if compared.page_wins or page.strikes else (text, page)
        chosen.differing += compared.differing
        chosen.attachments += left.attachments  # some programs put files beside one form only
        chosen.unread += left.unread
        self._take(chosen)

    def _form(self, part: Message) -> _Body:
        tried = _Body(self.room)
        tried.read(part)
        return tried

    def _take(self, other: _Body) -> None:
        self.lines += other.lines
        self.attachments += other.attachments
        self.unread += other.unread
        self.differing += other.differing
        self.truncated |= other.truncated

    def _text(self, part: Message) -> list[TextLine]:
        text = decode(self._bytes(part, MAX_TEXT_BYTES), _charset(part))
        if _parameter(part, "format") != "flowed":
            return marked_lines(self._cut(text.splitlines()))
        flowed = unflow(self._kept(text.splitlines()), delete_space=_parameter(part, "delsp") == "yes")
        lines = []
        for text, depth in zip(self._cut([line.text for line in flowed]), flowed, strict=True):
            inner, more = strip_marks(text) if depth.quoted else (text, 0)
            lines.append(TextLine(inner, depth.quoted + more))
        return lines

    def _hypertext(self, part: Message) -> list[TextLine]:
        page = _page(self._bytes(part, hypertext.MAX_HTML_BYTES), part)
        drawn = hypertext.lines_of(page, self.room.html)
        lines = []
        for line, text in zip(drawn, self._cut([line.text for line in drawn]), strict=False):
            inner, marks = strip_marks(text)
            left = clean(line.left[:MAX_LINE]) if line.left else line.left
            lines.append(TextLine(inner, line.quoted + marks, line.role, left))
        return lines

    def _bytes(self, part: Message, most: int) -> bytes:
        data = _bytes(part)
        self.truncated |= len(data) > most
        return data[:most]

    def _kept(self, lines: list[str]) -> list[str]:
        most = min(MAX_TEXT_LINES, self.room.lines)
        self.truncated |= len(lines) > most
        return lines[:most]

    def _cut(self, lines: list[str]) -> list[str]:
        """Clean lines, not too many and none too long."""
        kept = self._kept(lines)
        self.room.lines -= len(kept)
        self.truncated |= max(map(len, kept), default=0) > MAX_LINE
        return [clean(without_links(line[:MAX_LINE])) for line in kept]

    def _forwarded(self, part: Message) -> None:
        """A forwarded mail: all of its text counts as quoted."""
        inner = next(iter(_inner(part)), None)
        if inner is None or len(self.attachments) >= MAX_ATTACHMENTS:
            self._name_unread(part)
            return
        body = self._form(inner)
        lines = tuple(line._replace(quoted=line.quoted + 1) for line in classify_lines(body.lines))
        name = _file_name(part) or headers.subject(inner)
        self.attachments.append(Attachment(name[:MAX_NAME], lines))
        self.truncated |= body.truncated

    def _file(self, part: Message) -> None:
        name = _file_name(part)
        if not _is_text_file(part, name) or len(self.attachments) >= MAX_ATTACHMENTS:
            self._name_unread(part)
            return
        kind = part.get_content_type()
        lines = self._hypertext(part) if kind == "text/html" else self._text(part)
        self.attachments.append(Attachment(name, classify_lines(lines)))

    def _name_unread(self, part: Message) -> None:
        if part.get_content_type() in UNSPOKEN or part.get("content-id") is not None:
            return  # calendars, cards and the pictures of a signature say nothing
        if len(self.unread) < MAX_PARTS:
            self.unread.append(_file_name(part) or part.get_content_type()[:MAX_NAME])


def _preference(part: Message) -> int:
    kind = part.get_content_type()
    return 0 if kind == "text/plain" else 1 if kind.startswith(("text/html", "multipart/")) else 2


def _pages(form: Message) -> list[str]:
    """The HTML texts of a form, as far as they are read."""
    parts = (part for part in form.walk() if part.get_content_type() == "text/html")
    return [_page(_bytes(part)[: hypertext.MAX_HTML_BYTES], part) for part in parts]


def _may_strike(form: Message) -> bool:
    """Is there any sign of something struck out in it?"""
    return any(map(hypertext.may_strike, _pages(form)))


def _page(data: bytes, part: Message) -> str:
    return decode(data, _charset(part) or hypertext.declared_charset(data))


def _is_file(part: Message) -> bool:
    disposition = part.get_content_disposition()
    return disposition == "attachment" or (disposition != "inline" and bool(_file_name(part)))


def _is_text_file(part: Message, name: str) -> bool:
    kind = part.get_content_type()
    if kind == "application/octet-stream":
        return name.lower().endswith(TEXT_NAMES)
    return kind in TEXT_TYPES or kind == "text/html"


def _file_name(part: Message) -> str:
    return clean(part.get_filename("") or "").replace("\n", " ").strip()[:MAX_NAME]


def _parameter(part: Message, name: str) -> str:
    found = part.get_param(name, "")
    return found.strip().lower() if isinstance(found, str) else ""


def _charset(part: Message) -> str:
    found = part.get_param("charset", "")
    return found if isinstance(found, str) else str(found[-1])


def _bytes(part: Message) -> bytes:
    """The content as sent; an unknown transfer encoding is left as it is."""
    if str(part.get("content-transfer-encoding", "")).strip().lower() not in ENCODINGS:
        payload = part.get_payload()
        return payload.encode("utf-8", "surrogateescape") if isinstance(payload, str) else b""
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


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
class MimeSplitter:
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
        for at, separator in enumerate(separators):
            following = separators[at + 1] if at + 1 < len(separators) else None
            if separator.closes and separators[at - 1].end != separator.start:
                break
            if following is not None and following.start == separator.end:
                continue  # several in a row are one
            stop = len(body) if following is None else following.start
            inner.append(self._part(body[separator.end : stop], inner_type, level + 1))
        else:
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
