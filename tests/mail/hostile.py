"""Mails made to hurt: each must be quarantined for its reason or read, in bounded time and memory."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

TOP = b"From: a@example.net\r\nTo: b@example.org\r\nSubject: x\r\nMIME-Version: 1.0\r\n"
TEXT = b"Content-Type: text/plain"
BODY = b"\r\nREADY\r\n"
MARKER, END_MARKER = b"##- FWW-1: write above this line -##\r\n", b"##- end / fin -##\r\n"


class Hostile(NamedTuple):
    """A name, the bytes, and the reason for quarantine; "" if it must be read."""

    name: str
    make: Callable[[], bytes]
    reason: str


def typed(value: bytes, body: bytes = b"READY\r\n") -> bytes:
    return TOP + b"Content-Type: " + value + b"\r\n\r\n" + body


def html(text: str) -> bytes:
    return typed(b"text/html; charset=utf-8", text.encode())


def nested(levels: int, lines: int = 1) -> bytes:
    out = TOP + b"Content-Type: multipart/mixed; boundary=b0\r\n\r\n"
    for level in range(1, levels):
        out += b"--b%d\r\nContent-Type: multipart/mixed; boundary=b%d\r\n\r\n" % (level - 1, level)
    return out + b"--b%d\r\n\r\n" % (levels - 1) + b"x\r\n" * lines


def messages(levels: int) -> bytes:
    return TOP + b"Content-Type: message/rfc822\r\n\r\n" * levels + BODY


def parts(count: int) -> bytes:
    return typed(b"multipart/mixed; boundary=b", b"--b\r\n\r\nx\r\n" * count + b"--b--\r\n")


def parts_of(header: bytes, count: int = 55) -> bytes:
    return typed(
        b"multipart/mixed; boundary=b", (b"--b\r\n" + header + b"\r\n\r\nx\r\n") * count + b"--b--\r\n"
    )


def part(kind: bytes, content: bytes) -> bytes:
    return b"--b\r\nContent-Type: " + kind + b"\r\n\r\n" + content + b"\r\n"


def digest(count: int) -> bytes:
    return typed(b"multipart/digest; boundary=b", b"--b\r\n\r\nA: b\r\n\r\nx\r\n" * count + b"--b--\r\n")


# Our order form as nobody edits it.
FORM_HEAD, FORM_END = b"ORDERS FWW-1 T3.R", b"END"
FORMS = {
    "headers of forms": [FORM_HEAD] * 5_000,
    "forms without end": [FORM_HEAD, b"C1: ATTACK 3"] * 2_500,
    "many edited forms": [row for n in range(2_000) for row in (FORM_HEAD, b"C1: ATTACK %d" % n, FORM_END)],
    "a form of many rows": [FORM_HEAD, *[b"C1: PASS"] * 9_000, FORM_END],
    "a form of new rows": [FORM_HEAD, *[b"C1: ATTACK %d" % n for n in range(9_000)], FORM_END],
    "a form of stars": [FORM_HEAD, b"* _ |" * 20_000 + b"x", FORM_END],
    "a form in one row": [FORM_HEAD, b"C1: PASS C2: PASS " * 5_000, FORM_END],
    "a form in pieces": [FORM_HEAD, *[bytes([one]) for one in b"C1:PASSC2:PASS" * 600], FORM_END],
    "a form of beginnings": [FORM_HEAD, *[b"C1: PASS"[: n % 8] or b"C" for n in range(9_000)], FORM_END],
    "a form of remarks": [FORM_HEAD, *[b"#" * 200 + b" C1: PASS"] * 2_000, FORM_END],
    "a form of lost signs": [FORM_HEAD, *[b"C1? PA?S" * 20] * 2_000, FORM_END],
    "a form of noise": [FORM_HEAD, *[b"<mailto:" * 50 + b"C1: PASS"] * 500, FORM_END],
    "a form that is not closed": [FORM_HEAD, b"C1: ATTACK 3", *[b"and so on"] * 9_000],
}


def form(rows: list[bytes], mark: bytes) -> bytes:
    """Quoted, or between our markers."""
    inside = b"".join(mark + row + b"\r\n" for row in rows)
    return typed(b"text/plain", inside if mark else MARKER + inside + END_MARKER)


HOSTILE = (
    *(Hostile(name, partial(form, rows, b""), "") for name, rows in FORMS.items()),
    *(Hostile(f"{name}, quoted", partial(form, rows, b"> "), "") for name, rows in FORMS.items()),
    Hostile("nothing", lambda: b"", "empty"),
    Hostile("blanks", lambda: b"\r\n \r\n\t\r\n" * 100, "empty"),
    Hostile("ten megabytes", lambda: TOP + b"\r\n" + b"x" * 10_000_000, "too-big"),
    Hostile("forty megabytes", lambda: b"x" * 40_000_000, "too-big"),
    Hostile("a million lines", lambda: TOP + b"\r\n" + b"\n" * 1_000_000, "too-many-lines"),
    Hostile("a million bare carriage returns", lambda: TOP + b"\r\n" + b"\r" * 1_000_000, "too-many-lines"),
    Hostile("one header without end", lambda: b"Subject: " + b"x" * 1_000_000, "headers-too-long"),
    Hostile(
        "a folded header without end",
        lambda: TOP + b"X-A: b\r\n" + b" x\r\n" * 50_000 + BODY,
        "header-too-long",
    ),
    Hostile("twenty thousand headers", lambda: TOP + b"X-A: b\r\n" * 20_000 + BODY, "too-many-headers"),
    Hostile("five hundred headers", lambda: TOP + b"X-A: b\r\n" * 500 + BODY, "too-many-headers"),
    Hostile(
        "long subject of encoded words",
        lambda: b"Subject: " + b"=?utf-8?q?a?= " * 9000 + BODY,
        "header-too-long",
    ),
    Hostile("five thousand recipients", lambda: b"To: " + b"a@b.example," * 5000 + BODY, "header-too-long"),
    Hostile("open quotes in From", lambda: b"From: " + b'"' * 5000 + BODY, "header-too-long"),
    Hostile("open comments in From", lambda: b"From: " + b"(" * 1000 + BODY, ""),
    Hostile("five thousand parameters", lambda: typed(b"text/plain;" + b" a=b;" * 5000), "header-too-long"),
    Hostile(
        "long parameters in a part",
        lambda: typed(
            b"multipart/mixed; boundary=b",
            b"--b\r\nContent-Type: text/plain;" + b" a=b;" * 5000 + b"\r\n\r\nx\r\n--b--",
        ),
        "header-too-long",
    ),
    Hostile("name*", lambda: typed(b"text/plain; name*"), "unparsable"),
    Hostile("name*0*", lambda: typed(b"text/plain; name*0*"), "unparsable"),
    Hostile(
        "filename*", lambda: TOP + b"Content-Disposition: attachment; filename*\r\n" + BODY, "unparsable"
    ),
    Hostile("parameters of many parts", lambda: parts_of(TEXT + b";a=b" * 490), "header-too-long"),
    Hostile("fewer parameters of many parts", lambda: parts_of(TEXT + b";a=b" * 16), ""),
    Hostile("pieces of parameters", lambda: parts_of(TEXT + b";f*0*=''b" * 16), ""),
    Hostile(
        "long parameters of many parts",
        lambda: parts_of(TEXT + b";a=" + b"b" * 1900),
        "headers-too-long",
    ),
    Hostile("open names in To", lambda: TOP + (b"To: " + b'"\\' * 11_000 + b"\r\n") * 7 + BODY, ""),
    Hostile("long Return-Path", lambda: (b"Return-Path: " + b"<a " * 7000 + b"\r\n") * 7 + BODY, ""),
    Hostile("nesting", lambda: nested(300, 20_000), "too-deep"),
    Hostile("nesting just above the limit", lambda: nested(14), "too-deep"),
    Hostile("mails in mails", lambda: messages(300), "too-deep"),
    Hostile("mails in mails, fewer", lambda: messages(20), "too-deep"),
    Hostile("ten thousand parts", lambda: parts(10_000), "too-many-parts"),
    Hostile("parts of a digest", lambda: digest(3_000), "too-many-parts"),
    Hostile(
        "parts behind a comment",
        lambda: typed(b"multipart/mixed; boundary=(c)b", b"--b\r\n\r\nx\r\n" * 5_000 + b"--b--\r\n"),
        "too-many-parts",
    ),
    Hostile(
        "lines that look like parts", lambda: typed(b"text/plain", b"--x\r\n" * 10_000), "too-many-parts"
    ),
    Hostile(
        "headers of a part without end",
        lambda: typed(
            b"multipart/mixed; boundary=b", b"--b\r\n" + b"X-A: b\r\n" * 50_000 + b"\r\nx\r\n--b--"
        ),
        "headers-too-long",
    ),
    Hostile(
        "many headers of a part",
        lambda: typed(b"multipart/mixed; boundary=b", b"--b\r\n" + b"X-A: b\r\n" * 2_000 + b"\r\nx\r\n--b--"),
        "too-many-headers",
    ),
    Hostile(
        "two boundaries",
        lambda: typed(b"multipart/mixed; boundary=a; boundary=b", b"--a\r\n\r\nx\r\n--a--"),
        "bad-boundary",
    ),
    Hostile(
        "boundary in pieces",
        lambda: typed(b"multipart/mixed; boundary*0=a; boundary*1=b", b"--ab\r\n\r\nx"),
        "bad-boundary",
    ),
    Hostile(
        "boundary used twice",
        lambda: typed(
            b"multipart/mixed; boundary=a",
            b"--a\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n\r\nx\r\n--a--",
        ),
        "bad-boundary",
    ),
    Hostile(
        "empty boundary",
        lambda: typed(b'multipart/mixed; boundary=""', b"--\r\n\r\nx\r\n----"),
        "bad-boundary",
    ),
    Hostile("overlong boundary", lambda: typed(b"multipart/mixed; boundary=" + b"a" * 900), "bad-boundary"),
    Hostile("no boundary", lambda: typed(b"multipart/mixed"), "broken-multipart"),
    Hostile(
        "a boundary that never comes", lambda: typed(b"multipart/mixed; boundary=zz"), "broken-multipart"
    ),
    Hostile("deep HTML", lambda: html("<div>" * 50_000 + "READY"), "too-deep"),
    Hostile("nested tables", lambda: html("<table><tr><td>" * 5_000 + "READY"), "too-deep"),
    Hostile("very many elements", lambda: html("<p>x</p>" * 100_000), "too-deep"),
    Hostile("nested quotes", lambda: html("<blockquote>" * 3_000 + "READY"), "too-deep"),
    Hostile(
        "broken base64", lambda: TOP + b"Content-Transfer-Encoding: base64\r\n\r\nUkVBRFk=====!!\xff\r\n", ""
    ),
    Hostile(
        "broken quoted-printable",
        lambda: TOP + b"Content-Transfer-Encoding: quoted-printable\r\n\r\nREADY=ZZ=\r\n=",
        "",
    ),
    Hostile("a codec that is no charset", lambda: typed(b"text/plain; charset=zlib"), ""),
    Hostile(
        "punycode as charset", lambda: typed(b"text/plain; charset=punycode", b"a-" + b"z" * 100_000), ""
    ),
    Hostile(
        "unicode_escape as charset", lambda: typed(b"text/plain; charset=unicode_escape", b"\\x" * 1000), ""
    ),
    Hostile("idna as charset", lambda: typed(b"text/plain; charset=idna", b"xn--" + b"a" * 50_000), ""),
    Hostile("charset of a thousand letters", lambda: typed(b"text/plain; charset=" + b"x" * 1000), ""),
    Hostile("utf-7", lambda: typed(b"text/plain; charset=utf-7", b"+AAAA" * 10_000), ""),
    Hostile("null bytes", lambda: typed(b"text/plain", b"READY\x00\x00\r\n"), ""),
    Hostile("null bytes in headers", lambda: b"Fr\x00om: a@b\r\nSubj\x00ect: x\x00y\r\n" + BODY, ""),
    Hostile("no header at all", lambda: b"READY", ""),
    Hostile("only headers", TOP.rstrip, ""),
    Hostile("all bytes", lambda: bytes(range(256)) * 400, ""),
    Hostile("a line of a megabyte", lambda: typed(b"text/plain", b"x" * 1_000_000), ""),
    Hostile(
        "a hundred thousand short lines", lambda: typed(b"text/plain", b"x\r\n" * 100_000), "too-many-lines"
    ),
    Hostile("seventy thousand short lines", lambda: typed(b"text/plain", b"x\r\n" * 70_000), ""),
    Hostile("quote marks without end", lambda: typed(b"text/plain", b"> " * 200_000), ""),
    Hostile(
        "combining marks",
        lambda: typed(b"text/plain; charset=utf-8", ("e" + "\u0301\u0323" * 60_000).encode()),
        "",
    ),
    Hostile(
        "attributions without end",
        lambda: typed(b"text/plain", b"On wrote: schrieb am a@b <\r\n" * 9_000),
        "",
    ),
    Hostile(
        "one endless attribution", lambda: typed(b"text/plain", b"On " + b"wrote schrieb am " * 9_000), ""
    ),
    Hostile("copied headers without end", lambda: typed(b"text/plain", b"From: a\r\nTo: b\r\n" * 9_000), ""),
    Hostile("dashes without end", lambda: typed(b"text/plain", b"--\r\n" * 5_000), ""),
    Hostile(
        "phone signatures",
        lambda: typed(b"text/plain", b"sent from the la le the la le the la le \r\n" * 5_000),
        "",
    ),
    Hostile(
        "flowed without end", lambda: typed(b"text/plain; format=flowed; delsp=yes", b"x \r\n" * 60_000), ""
    ),
    Hostile(
        "wide table against tall table",
        lambda: html(
            "<table><tr><td>" + "w" * 300_000 + "</td><td>" + "t<br>" * 9_000 + "</td></tr></table>"
        ),
        "too-deep",
    ),
    Hostile(
        "wide table against one not so tall",
        lambda: html(
            "<table><tr><td>" + "w" * 300_000 + "</td><td>" + "t<br>" * 2_400 + "</td></tr></table>"
        ),
        "",
    ),
    Hostile(
        "styles of the absurd",
        lambda: html("<div style='margin-bottom:999999em;padding-left:9e99px;display:x'>READY</div>" * 200),
        "",
    ),
    Hostile("an entity bomb", lambda: html("<!DOCTYPE x [<!ENTITY a 'aaaa'>]>&a;&a;" + "&lt;" * 100_000), ""),
    Hostile("HTML cut in a tag", lambda: html("<p>READY<blockquote><div class="), ""),
    Hostile("private characters in HTML", lambda: html("<p>\U000f0003READY\U000f0001</p>"), ""),
    Hostile(
        "a zip of nothing",
        lambda: typed(b"application/zip; name=x.zip", base64.encodebytes(b"PK" + b"\0" * 60_000)),
        "",
    ),
    Hostile(
        "pages without end",
        lambda: typed(
            b"multipart/mixed; boundary=b", part(b"text/html", b"<p>x</p>" * 2_400) * 55 + b"--b--\r\n"
        ),
        "too-deep",
    ),
    Hostile(
        "pages of comments",
        lambda: typed(
            b"multipart/mixed; boundary=b", part(b"text/html", b"<!-- < -->" * 2_400) * 55 + b"--b--\r\n"
        ),
        "too-deep",
    ),
    Hostile(
        "other forms without end",
        lambda: typed(
            b"multipart/alternative; boundary=b",
            part(b"text/html", b"<blockquote>" + b"x<br>" * 2_400) * 55 + b"--b--\r\n",
        ),
        "too-deep",
    ),
    Hostile(
        "texts without end",
        lambda: typed(
            b"multipart/mixed; boundary=b", part(b"text/plain", b"> x y z\r\n" * 1_400) * 55 + b"--b--\r\n"
        ),
        "",
    ),
    Hostile(
        "files without end",
        lambda: typed(
            b"multipart/mixed; boundary=b",
            part(b"text/plain; name=a.txt", b"C1: ATTACK 3 FROM\r\n" * 2_000) * 30 + b"--b--\r\n",
        ),
        "",
    ),
    Hostile(
        "signs lost between our markers",
        lambda: typed(b"text/plain", MARKER + (b"? " * 60 + b"?QWERTZUIOPASDF\r\n") * 1_900),
        "",
    ),
    Hostile("last lines of ours without end", lambda: typed(b"text/plain", END_MARKER * 1_990), ""),
    Hostile("first lines of ours without end", lambda: typed(b"text/plain", MARKER * 1_990), ""),
    Hostile("our markers in turn", lambda: typed(b"text/plain", (MARKER + END_MARKER) * 990), ""),
    Hostile("a block header in every line", lambda: typed(b"text/plain", b"> ORDERS A T1\r\n" * 1_990), ""),
    Hostile(
        "strange lines between our markers",
        lambda: typed(
            b"text/plain",
            MARKER + b"".join(b"%d the quick brown fox jumps over it\r\n" % n for n in range(1_990)),
        ),
        "",
    ),
    Hostile(
        "words without end",
        lambda: typed(b"text/plain", b"".join(b"%d " % n + b"a " * 800 + b"\r\n" for n in range(150))),
        "",
    ),
    Hostile(
        "commands with words without end",
        lambda: typed(
            b"text/plain",
            b"".join(b"PRESS TO ALL: %d " % n + b"a " * 800 + b"\r\n" for n in range(150)),
        ),
        "",
    ),
    Hostile(
        "accents without end",
        lambda: typed(b"text/plain; charset=utf-8", ("é" * 600 + "\r\n").encode() * 200),
        "",
    ),
    Hostile(
        "signatures of many phones",
        lambda: typed(
            b"text/plain", b"".join(b"Sent from my iPhone %d and so on\r\n" % n for n in range(1_990))
        ),
        "",
    ),
    Hostile(
        "orders below a signature without end",
        lambda: typed(b"text/plain", b"-- \r\n" + b"C1: ATTACK 3 FROM HERE\r\n" * 1_990),
        "",
    ),
    Hostile("encoded words in From", lambda: b"From: =?utf-8?b?=?= =?x?y?z?= <a@b.example>\r\n" + BODY, ""),
    Hostile("a group in From", lambda: b"From: us: a@b.example, c@d.example;\r\n" + BODY, ""),
    Hostile("date of another age", lambda: b"Date: Mon, 99 Zzz 99999 99:99:99 +9999\r\n" + BODY, ""),
    Hostile("date before the calendar", lambda: b"Date: Mon, 1 Jan 0001 00:00:00 +2359\r\n" + BODY, ""),
)
