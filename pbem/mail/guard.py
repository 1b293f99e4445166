"""What is looked at before a mail is parsed: bytes only, in one pass of linear cost each.

The parser of the standard library is right about mail and defenceless against enmity: some mails of a few
hundred kilobytes keep it busy for minutes. Nothing here understands MIME. Each check is an upper bound that
holds however the bytes are read, so that no trick of notation hides a part, a level or a long header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

MAX_BYTES = 4 * 1024 * 1024  # a reply with a photograph or two
MAX_READ = 1536 * 1024  # without its pictures, which are not read
KEPT_OF_PICTURES = 8 * 1024  # of a part
KEPT_OF_FILES = 720 * 1024  # of a part that may be a text, in base64: more than is read of one
MAX_LINES = 80_000  # 4 MiB in base64 are 55,000
MAX_HEADER_BLOCK = 192 * 1024  # the headers of one message or part together
MAX_HEADERS = 400  # in one block
MAX_HEADER = 24 * 1024  # one header, unfolded; authentication chains reach 8 kB
MAX_FROM = 1024  # parsed word by word: the parser's time grows with the square
MAX_SUBJECT = 4 * 1024
MAX_CONTENT_HEADER = 2 * 1024  # Content-Type and its like, anywhere: parsed the same way, several times
MAX_PARAMETERS = 16  # of one such header
MAX_CONTENT_BYTES = 48 * 1024  # of all such headers
MAX_CONTAINERS = 24  # multipart and message parts: each is a level in the worst case
MAX_PARTS = 60  # lines that begin with a declared boundary
MAX_DASHED_LINES = 6_000  # lines that begin like any boundary
MAX_BOUNDARY = 200  # RFC 2046 allows 70

Reason: TypeAlias = Literal[
    "empty",  # no bytes, or nothing but blanks
    "too-big",
    "too-many-lines",
    "headers-too-long",
    "too-many-headers",
    "header-too-long",
    "too-many-parts",
    "too-deep",
    "bad-boundary",  # doubled, empty, overlong or split over several parameters
    "broken-multipart",  # parts were announced and none is there
    "unparsable",  # the parser failed
]

READ_HEADERS = {b"from": MAX_FROM, b"subject": MAX_SUBJECT, b"message-id": MAX_SUBJECT}

_HEADER = re.compile(rb"^[!-9;-~]+[ \t]*:.*(?:\n[ \t].*)*", re.MULTILINE)
# Both begin with a plain sign, so that the search runs fast; the mail has a line end before it.
_CONTENT_HEADER = re.compile(rb"\n([Cc][Oo][Nn][Tt][Ee][Nn][Tt]-[!-9;-~]*[ \t]*:.*(?:\n[ \t].*)*)")
_DASHED = re.compile(rb"\n(--.*)")
_CONTAINER = re.compile(rb"multipart|message", re.IGNORECASE)
_BOUNDARY = re.compile(rb"\bboundary([^=;]*)=[ \t]*(\"[^\"]*\"|[^\s;\"]*)", re.IGNORECASE)
_UNPRINTED = re.compile(rb"[\x00-\x1f\x7f-\xff]")
# A boundary's line and the headers below it, of a part that is never read.
_PICTURE = re.compile(
    rb"\n--([^\r\n]+)\r?\n(?:[!-9;-~]+:.*\n(?:[ \t].*\n)*)*?"
    rb"content-type:[ \t]*(?:(?:image|video|audio|font|model)/|application/(?!octet-stream))",
    re.IGNORECASE,
)
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r\n"


@dataclass(frozen=True, slots=True)
class Quarantine:
    """A mail that is not read; the umpire looks at it."""

    reason: Reason
    detail: str = ""  # a figure or a class name; never a piece of the mail


def cut_pictures(raw: bytes) -> bytes:
    """The mail for reading its text: pictures and other long parts are cut to their beginnings.

    What stands between two lines that begin like a boundary is one part, or a piece of one. Whatever is left
    out is neither looked at here nor parsed.
    """
    if len(raw) <= KEPT_OF_PICTURES:
        return raw
    kept, start = [], 0
    while start < len(raw):
        following = raw.find(b"\n--", start + 1)
        stop = len(raw) if following < 0 else following
        kept.append(raw[start : min(stop, start + _kept_of(raw, start, stop))])
        start = stop
    return b"".join(kept)


def _kept_of(raw: bytes, start: int, stop: int) -> int:
    """How many bytes of a part are kept."""
    if stop - start <= KEPT_OF_PICTURES or _is_picture(raw, start):
        return KEPT_OF_PICTURES
    if stop - start <= KEPT_OF_FILES or raw[start + KEPT_OF_FILES : stop].translate(None, _BASE64):
        return stop - start
    return KEPT_OF_FILES


def _is_picture(raw: bytes, start: int) -> bool:
    """Does a part begin here, below a declared boundary, that is not read?"""
    found = _PICTURE.match(raw, start, start + KEPT_OF_PICTURES)
    if found is None:
        return False
    boundary = found[1].rstrip(b" \t")
    return any(raw.find(sign + boundary, 0, start) >= 0 for sign in (b"=", b'="'))


def normalize_line_ends(raw: bytes) -> bytes:
    """CR LF, CR and LF all end a line for the parser; made one here, so that both see the same lines."""
    return raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def inspect(data: bytes) -> Quarantine | None:
    """Why this mail may not be parsed; None if it may. Line ends are plain, and pictures cut short."""
    if len(data) > MAX_READ:
        return Quarantine("too-big", str(len(data)))
    if not data.strip():
        return Quarantine("empty")
    lines = data.count(b"\n")
    if lines > MAX_LINES:
        return Quarantine("too-many-lines", str(lines))
    framed = b"\n" + data
    own, found = data[: MAX_HEADER_BLOCK + 1].partition(b"\n\n")[0], _CONTENT_HEADER.findall(framed)
    return _header_block(own) or _content_headers(found) or _parts(framed, found)


def _header_block(block: bytes) -> Quarantine | None:
    if len(block) > MAX_HEADER_BLOCK:
        return Quarantine("headers-too-long", str(len(block)))
    headers = _HEADER.findall(block)
    if len(headers) > MAX_HEADERS:
        return Quarantine("too-many-headers", str(len(headers)))
    for header in headers:
        name, _, value = header.partition(b":")
        if len(value) > READ_HEADERS.get(name.strip().lower(), MAX_HEADER):
            return Quarantine("header-too-long", str(len(value)))
    return None


def _content_headers(headers: Sequence[bytes]) -> Quarantine | None:
    """Every Content-… header anywhere, in a part or not: its length, and what it may open."""
    containers = total = 0
    for header in headers:
        total += len(header)
        if len(header) > MAX_CONTENT_HEADER or header.count(b";") > MAX_PARAMETERS:
            return Quarantine("header-too-long", str(len(header)))
        containers += bool(_CONTAINER.search(header))
    if total > MAX_CONTENT_BYTES:
        return Quarantine("headers-too-long", str(total))
    if containers > MAX_CONTAINERS:
        return Quarantine("too-deep", str(containers))
    return None


def _parts(data: bytes, headers: Sequence[bytes]) -> Quarantine | None:
    """Boundaries, the lines that begin with one, and the header block below each."""
    declared: set[bytes] = set()
    for boundary in _boundaries(headers):
        if boundary is None or boundary in declared:
            return Quarantine("bad-boundary")
        declared.add(boundary)
    dashed = parts = 0
    for line in _DASHED.finditer(data):
        dashed += 1
        if not _begins_a_part(line[1], declared):
            continue
        parts += 1
        if parts > MAX_PARTS:
            return Quarantine("too-many-parts", f"over {MAX_PARTS}")
        if refused := _part_headers(data, line.end() + 1):
            return refused
    if dashed > MAX_DASHED_LINES:
        return Quarantine("too-many-parts", str(dashed))
    return None


def _begins_a_part(line: bytes, declared: set[bytes]) -> bool:
    mark = line[2:].rstrip(b" \t")
    return mark in declared or mark.removesuffix(b"--") in declared


def _boundaries(headers: Sequence[bytes]) -> Iterator[bytes | None]:
    """The boundaries declared in Content-Type headers; None for one that can be read in two ways."""
    for header in headers:
        if not header[:13].lower().startswith(b"content-type"):
            continue
        found = list(_BOUNDARY.finditer(header.replace(b"\n", b" ")))
        for boundary in found:
            value = boundary[2].strip(b'"').rstrip(b" ")
            tricky = boundary[1].strip() or not value or len(value) > MAX_BOUNDARY or _UNPRINTED.search(value)
            yield None if tricky or len(found) > 1 else value


def _part_headers(data: bytes, start: int) -> Quarantine | None:
    """The header block of a part; below that of a message stand those of the message itself."""
    for _ in range(MAX_CONTAINERS):
        window = data[start : start + MAX_HEADER_BLOCK + 2]
        if window.startswith(b"\n"):
            return None  # a part without headers
        block = window.partition(b"\n\n")[0]
        if refused := _header_block(block):
            return refused
        if not _CONTAINER.search(block):
            return None
        start += len(block) + 2
    return None
