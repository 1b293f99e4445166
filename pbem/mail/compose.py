"""The final bytes of an outgoing letter: written once, stored, and sent as they stand.

The bytes are a function of the draft alone: boundaries and content ids come from the Message-ID, the moment
is given, and nothing depends on the version of a library. Lines end in CRLF and all is ASCII, so that no
server on the way has a reason to change anything.
"""

from __future__ import annotations

import re
from base64 import b64encode
from binascii import b2a_qp
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email.header import Header
from email.utils import format_datetime
from hashlib import sha256
from typing import Final, Literal, TypeAlias

LONGEST_MESSAGE_ID: Final = 200  # of a letter that is answered; a longer one is not mentioned
MOST_REFERENCES: Final = 10
FOLD_AT: Final = 76

CalendarMethod: TypeAlias = Literal["PUBLISH", "CANCEL"]  # RFC 5546
Automatic: TypeAlias = Literal["auto-generated", "auto-replied"]  # RFC 3834; the second answers a letter

_MESSAGE_ID: Final = re.compile(r"<[!-;=?A-~]+@[!-;=?A-~]+>")
_ADDRESS: Final = re.compile(r"[!#-'*+\-./0-9=?A-Z^_`a-z{|}~]+@[A-Za-z0-9.-]+")
_FILE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_TOKEN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*/[A-Za-z0-9][A-Za-z0-9.+-]*")
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9 !#$%&'*+/=?^_`{|}~-]*")
_CONTROLS: Final = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029]+")
_BLOCKED: Final = (".py", ".exe", ".js", ".bat", ".sh")  # mail programs take such files away


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture inside the HTML, which names it by `cid:<name>`."""

    name: str  # "map.png"
    png: bytes = field(repr=False)
    alt: str = ""  # the same in words, where the page cannot say it itself


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file that goes along. `method`: of a calendar, what is to be done with its entries."""

    name: str
    media_type: str
    content: bytes = field(repr=False)
    method: CalendarMethod = "PUBLISH"


@dataclass(frozen=True, slots=True)
class Correspondent:
    """Somebody in a header."""

    address: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Thread:
    """Where a letter stands in the conversation: the letter it answers, and those before, oldest first."""

    answers: str | None = None
    before: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MailingList:
    """A campaign, as mail programs sort it; the addresses take a command as their subject."""

    list_id: str  # "ttlm-7.example.org"
    name: str
    commands_to: str


@dataclass(frozen=True, slots=True)
class Draft:
    """All that becomes a letter."""

    message_id: str
    sender: Correspondent
    reply_to: str
    recipient: Correspondent
    subject: str
    date: datetime
    text: str
    automatic: Automatic = "auto-generated"
    html: str | None = None
    pictures: tuple[Picture, ...] = ()
    enclosures: tuple[Enclosure, ...] = ()
    thread: Thread = Thread()
    campaign: MailingList | None = None


def compose(draft: Draft) -> bytes:
    """The letter: text first, the same words as HTML with their pictures, then the files."""
    if draft.pictures and draft.html is None:
        raise ValueError("pictures stand in the HTML, and there is none")
    body = _text_part("plain", draft.text)
    if draft.html is not None:
        body = _multipart(draft, "alternative", [body, _hypertext(draft, draft.html)])
    if draft.enclosures:
        body = _multipart(draft, "mixed", [body, *map(_enclosure, draft.enclosures)])
    return _lines((*_headers(draft), "MIME-Version: 1.0")) + body


# ------------------------------------------------------------------ headers


def _headers(draft: Draft) -> list[str]:
    if draft.date.tzinfo is None:
        raise ValueError("a letter's date needs its zone")
    found = [
        f"Date: {format_datetime(draft.date)}",
        _correspondent("From", draft.sender),
        _correspondent("To", draft.recipient),
        f"Reply-To: {_sure(_ADDRESS, draft.reply_to)}",
        _free_text("Subject", draft.subject),
        f"Message-ID: {_sure(_MESSAGE_ID, draft.message_id)}",
        *_threading(draft.thread),
        f"Auto-Submitted: {draft.automatic}",
        "X-Auto-Response-Suppress: All",  # absence notes of the widest-spread server
        *_list_headers(draft.campaign),
    ]
    _check_structured(found)
    return found


def _threading(thread: Thread) -> list[str]:
    """The first letter of the thread and the latest; foreign ids only if they can be repeated unharmed."""
    before = [one for one in dict.fromkeys(thread.before) if one != thread.answers]
    # The letter that is answered comes last.
    line = [one for one in (*before, thread.answers or "") if is_repeatable(one)]
    if len(line) > MOST_REFERENCES:
        line = line[:1] + line[1 - MOST_REFERENCES :]
    return [f"In-Reply-To: {line[-1]}", "References: " + "\r\n ".join(line)] if line else []


def is_repeatable(message_id: str) -> bool:
    """Can a Message-ID stand in a header of ours? One that looks like an encoded word would be changed."""
    short = len(message_id) <= LONGEST_MESSAGE_ID
    return short and _MESSAGE_ID.fullmatch(message_id) is not None and "=?" not in message_id


def _list_headers(campaign: MailingList | None) -> list[str]:
    """No List-Post: a reply goes to the seat's own address and nowhere else."""
    if campaign is None:
        return []
    to = _sure(_ADDRESS, campaign.commands_to)
    if not re.fullmatch(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+", campaign.list_id):
        raise ValueError(f"no list id: {campaign.list_id!r}")
    return [
        f"{_phrase('List-Id', campaign.name)}\r\n <{campaign.list_id}>",
        f"List-Help: <mailto:{to}?subject=HELP>",
        f"List-Unsubscribe: <mailto:{to}?subject=STOP>",
    ]


def _correspondent(header: str, who: Correspondent) -> str:
    """Name and address; the name may be anything, the address is as it stands or not at all."""
    address = _sure(_ADDRESS, who.address)
    return f"{_phrase(header, who.name)}\r\n <{address}>" if who.name.strip() else f"{header}: {address}"


def _phrase(header: str, name: str) -> str:
    """A name before an address: plain, quoted, or in encoded words."""
    plain = _one_line(name)[:100].strip()
    if _PLAIN_NAME.fullmatch(plain) and "=?" not in plain:
        return f"{header}: {plain}"
    if plain.isascii() and "=?" not in plain:
        quoted = plain.replace("\\", "\\\\").replace('"', '\\"')
        return f'{header}: "{quoted}"'
    return _encoded(header, plain)


def _free_text(header: str, text: str) -> str:
    plain = _one_line(text)
    if plain.isascii() and "=?" not in plain and len(header) + len(plain) < FOLD_AT:
        return f"{header}: {plain}"
    return _encoded(header, plain)


def _encoded(header: str, text: str) -> str:
    """RFC 2047, in words short enough for every program."""
    whole = Header(text, charset="utf-8", header_name=header, maxlinelen=FOLD_AT)
    return f"{header}: " + whole.encode(linesep="\r\n")


def _one_line(text: str) -> str:
    """No line end in a name or subject ever begins a header."""
    return _CONTROLS.sub(" ", text).strip()


def _sure(shape: re.Pattern[str], value: str) -> str:
    if not shape.fullmatch(value):
        raise ValueError(f"cannot stand in a header: {value!r}")
    return value


def _check_structured(headers: Iterable[str]) -> None:
    """An encoded word inside an address or an id is a broken one: nothing may have made any."""
    for header in headers:
        name, _, value = header.partition(":")
        if name in ("From", "To", "List-Id"):
            value = value.rpartition("<")[2]
        if name != "Subject" and "=?" in value:
            raise ValueError(f"encoded word in {name}")


# ------------------------------------------------------------------ parts


def _text_part(kind: str, text: str) -> bytes:
    """UTF-8 in quoted-printable, without trailing blanks: tables and templates arrive as they were set."""
    lines = [line.rstrip(" \t") for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    heads = (f"Content-Type: text/{kind}; charset=utf-8", "Content-Transfer-Encoding: quoted-printable")
    return _lines((*heads, "")) + b"".join(_quoted_printable(line) + b"\r\n" for line in lines)


def _quoted_printable(line: str) -> bytes:
    """A line that begins with `From ` or a dot is disguised: some programs on the way change such lines."""
    disguised = line.startswith(("From ", "."))
    coded = b2a_qp(line[disguised:].encode("utf-8"), quotetabs=False, istext=True, header=False)
    return (b"=%02X=\r\n" % ord(line[0]) if disguised else b"") + coded.replace(b"=\n", b"=\r\n")


def _hypertext(draft: Draft, html: str) -> bytes:
    """The HTML and the pictures it names."""
    for picture in draft.pictures:
        _sure(_FILE_NAME, picture.name)
        named = f'"cid:{picture.name}"'
        if named not in html:
            raise ValueError(f"no place in the HTML names the picture {picture.name}")
        html = html.replace(named, f'"cid:{content_id(draft.message_id, picture.name)}"')
    part = _text_part("html", html)
    if not draft.pictures:
        return part
    pictures = [_picture(draft.message_id, one) for one in draft.pictures]
    return _multipart(draft, "related", [part, *pictures], '; type="text/html"')


def content_id(message_id: str, name: str) -> str:
    """What a picture of a letter is called, without brackets."""
    digest = sha256(f"picture {message_id} {name}".encode()).hexdigest()[:24]
    return f"{digest}@{message_id.strip('<>').rpartition('@')[2]}"


def _picture(message_id: str, picture: Picture) -> bytes:
    kind = f'image/png; name="{picture.name}"'
    named = f"Content-ID: <{content_id(message_id, picture.name)}>"
    return _file(kind, f'inline; filename="{picture.name}"', picture.png, named)


def _enclosure(enclosure: Enclosure) -> bytes:
    name = _sure(_FILE_NAME, enclosure.name)
    if name.lower().endswith(_BLOCKED):
        raise ValueError(f"mail programs take files like {name} away")
    kind = _sure(_TOKEN, enclosure.media_type)
    more = "; charset=utf-8" if kind.startswith("text/") else ""
    more += f"; method={enclosure.method}" if kind == "text/calendar" else ""
    return _file(f'{kind}{more};\r\n name="{name}"', f'attachment; filename="{name}"', enclosure.content)


def _file(kind: str, disposition: str, content: bytes, *more: str) -> bytes:
    heads = (f"Content-Type: {kind}", "Content-Transfer-Encoding: base64", *more)
    return _lines((*heads, f"Content-Disposition: {disposition}", "")) + _base64(content)


def _multipart(draft: Draft, kind: str, parts: Sequence[bytes], more: str = "") -> bytes:
    """A boundary of each letter and kind; `=_` occurs in neither of the encodings used."""
    digest = sha256(f"boundary {draft.message_id} {kind}".encode()).hexdigest()[:24]
    boundary = f"=_{kind}_{digest}"
    head = _lines((f'Content-Type: multipart/{kind}{more};\r\n boundary="{boundary}"', ""))
    # The line end before a boundary belongs to the boundary, so each part keeps its own.
    inner = b"".join(b"--" + boundary.encode() + b"\r\n" + part + b"\r\n" for part in parts)
    return head + inner + b"--" + boundary.encode() + b"--\r\n"


def _base64(content: bytes) -> bytes:
    coded = b64encode(content)
    return b"".join(coded[start : start + 76] + b"\r\n" for start in range(0, len(coded), 76))


def _lines(lines: Iterable[str]) -> bytes:
    return b"".join(line.encode("ascii") + b"\r\n" for line in lines)
