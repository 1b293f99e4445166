"""The corpus: every program, language, place of the answer and encoding, with what must be read in it."""

from __future__ import annotations

import base64
import quopri
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle

from tests.mail.html_styles import HTML_STYLES, HtmlStyle
from tests.mail.plain_styles import PLAIN_STYLES, PlainStyle
from tests.mail.replies import UMPIRE, WRITERS, Reply, Tongue, reply, visible

TONGUES: tuple[Tongue, ...] = ("en", "fr", "de")


@dataclass(frozen=True, slots=True)
class Case:
    """A mail and what is in it."""

    name: str
    program: str
    raw: bytes
    own: tuple[str, ...]
    quoted: tuple[str, ...]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Wire:
    """How a text travels: charset in fact, charset as declared, transfer encoding."""

    charset: str
    declared: str
    transfer: str

    def __str__(self) -> str:
        wrong = "" if self.charset == self.declared else f" called {self.declared or 'nothing'}"
        return f"{self.charset}{wrong} {self.transfer}"


WIRES = (
    Wire("utf-8", "utf-8", "8bit"),
    Wire("utf-8", "utf-8", "quoted-printable"),
    Wire("utf-8", "UTF-8", "base64"),
    Wire("windows-1252", "windows-1252", "quoted-printable"),
    Wire("windows-1252", "iso-8859-1", "8bit"),
    Wire("windows-1252", "utf-8", "base64"),
    Wire("utf-8", "us-ascii", "8bit"),
    Wire("utf-8", "iso-8859-1", "quoted-printable"),
    Wire("windows-1252", "", "8bit"),
    Wire("utf-8", "x-unknown", "8bit"),
    Wire("utf-16", "utf-16", "base64"),
)


def head(tongue: Tongue) -> bytes:
    """The headers of a reply."""
    rows = (
        "Return-Path: <player@example.net>",
        f"Delivered-To: {UMPIRE.partition('<')[2].rstrip('>')}",
        f"From: =?utf-8?b?{base64.b64encode(WRITERS[tongue].encode()).decode()}?= <Player@Example.NET>",
        f"To: {UMPIRE}",
        "Subject: Re: [FWW-3] Autumn 1914",
        "Date: Mon, 16 Nov 2026 10:11:12 +0100",
        "Message-ID: <reply.1@example.net>",
        "In-Reply-To: <letter.4@example.org>",
        "References: <letter.3@example.org> <letter.4@example.org>",
        "MIME-Version: 1.0",
    )
    return "\r\n".join(rows).encode() + b"\r\n"


def part(text: str, kind: str, wire: Wire) -> bytes:
    """One text part: headers, blank line, content."""
    text = text.replace("\ufeff", "") if wire.charset == "windows-1252" else text
    data = text.replace("\r\n", "\n").replace("\n", "\r\n").encode(wire.charset)
    if wire.transfer == "base64":
        data = base64.encodebytes(data).replace(b"\n", b"\r\n")
    elif wire.transfer == "quoted-printable":
        data = quopri.encodestring(data.replace(b"\r\n", b"\n"), quotetabs=False).replace(b"\n", b"\r\n")
    charset = f'; charset="{wire.declared}"' if wire.declared else ""
    top = f"Content-Type: {kind}{charset}\r\nContent-Transfer-Encoding: {wire.transfer}\r\n\r\n"
    return top.encode() + data


def multipart(kind: str, *parts: bytes, boundary: str = "=_b1") -> bytes:
    top = f'Content-Type: multipart/{kind};\r\n boundary="{boundary}"\r\n\r\nA MIME message.\r\n'.encode()
    mark = f"--{boundary}".encode()
    return top + b"".join(mark + b"\r\n" + one + b"\r\n" for one in parts) + mark + b"--\r\n"


def flow(text: str, width: int = 66) -> str:
    """Lines broken as format=flowed does: a blank at a soft end, own lines stuffed where they must be."""
    out: list[str] = []
    for line in text.split("\n"):
        marks = line[: len(line) - len(line.lstrip(">"))]
        body = line[len(marks) :].removeprefix(" ") if marks else line
        body = body.rstrip() if body != "-- " else body
        gap = " " if marks or body.startswith((" ", "From", ">")) else ""
        while len(body) > width and " " in body[:width]:
            cut = body.rindex(" ", 0, width) + 1
            out.append(f"{marks}{gap}{body[:cut]}")
            body = body[cut:]
        out.append(f"{marks}{gap}{body}" if body or not marks else marks)
    return "\n".join(out)


def corpus() -> list[Case]:
    """All generated mails, in a fixed order."""
    return [*_plain_cases(), *_alternative_cases(), *_html_cases()]


def _replies(style: PlainStyle | HtmlStyle) -> Iterator[Reply]:
    tongues = cycle(TONGUES)
    for posting in style.postings:
        yield reply(next(tongues), posting)
    if "Free" not in style.program and "Orange" not in style.program:
        yield from (reply(tongue, "top") for tongue in TONGUES[1:])


def _plain_cases() -> Iterator[Case]:
    wires = cycle(WIRES)
    for style in PLAIN_STYLES:
        for answer in _replies(style):
            wire = next(wires)
            kind = "text/plain; format=flowed" if style.flowed else "text/plain"
            text = flow(style.text(answer)) if style.flowed else style.text(answer)
            yield _case(style.program, answer, f"plain {wire}", part(text, kind, wire))


def _alternative_cases() -> Iterator[Case]:
    wires = cycle(WIRES[:8])
    plain = {style.program: style for style in PLAIN_STYLES}
    for style in HTML_STYLES:
        twin = plain.get(style.program)
        if twin is None:
            continue
        for answer in _replies(style):
            wire = next(wires)
            kind = "text/plain; format=flowed" if twin.flowed else "text/plain"
            text = flow(twin.text(answer)) if twin.flowed else twin.text(answer)
            body = multipart(
                "alternative", part(text, kind, wire), part(style.text(answer), "text/html", wire)
            )
            yield _case(style.program, answer, f"alternative {wire}", body)


def _html_cases() -> Iterator[Case]:
    wires = cycle(WIRES)
    for style in HTML_STYLES:
        for answer in _replies(style):
            wire = next(wires)
            yield _case(style.program, answer, f"html {wire}", part(style.text(answer), "text/html", wire))


def _case(program: str, answer: Reply, form: str, body: bytes) -> Case:
    name = f"{program}, {answer.name}, {form}"
    return Case(name, program, head(answer.tongue) + body, answer.own, visible(answer.quoted))
