"""Do the headers that say how to read a text fit the text itself?

Most providers sign the text of a letter and not its Content-Type: who was sent a signed letter could hand it
on with other labels, under which another text is read. A text says itself what it is: whether it is divided,
and by which boundary; whether it is HTML; how it is encoded, and whether its lines flow. Labels that are not
signed must say the same.
"""

from __future__ import annotations

import re
from binascii import Error, a2b_base64, a2b_qp
from collections.abc import Collection, Mapping, Sequence
from email.message import Message
from typing import Final

from pbem.mail.html import declared_charset
from pbem.mail.quotes import marked_lines, strip_marks
from pbem.mail.text import MANY_BYTES, MAX_LINE, MAX_TEXT_BYTES, MAX_TEXT_LINES, decode, find_codec, unflow

TYPE, ENCODING, DISPOSITION = "content-type", "content-transfer-encoding", "content-disposition"
LABELS: Final = (TYPE, ENCODING, DISPOSITION)
AS_IT_IS: Final = frozenset({"", "7bit", "8bit", "binary"})
LOOKED_AT: Final = 8_192  # bytes of a text, to see what it is
SHIFTED: Final = "iso2022"  # charsets whose text says itself where it is in them
SEALS: Final = frozenset(
    {b"application/pgp-signature", b"application/pkcs7-signature", b"application/x-pkcs7-signature"}
)

WIDTH: Final = 66  # a line that flows is broken where its next word would make it longer

_PARAMETER: Final = r'\s*+;\s*+[a-z0-9-]+=(?:[^\s;"()<>@,\\]++|"[^"\\\r\n]*+")'
_WELL_FORMED: Final = re.compile(rf"\s*[a-z0-9.+-]+/[a-z0-9.+-]+(?:{_PARAMETER})*+\s*+;?\s*+", re.IGNORECASE)
_PREAMBLE: Final = re.compile(
    rb"\s*+(?:This is a (?:multi-?part|cryptographically signed) message in MIME format\.?)?+\s*+\Z"
)
_CLOSED: Final = re.compile(rb"\n--([^\r\n]{1,70})--\s*+\Z")
_HTML: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:[!?]|[a-z][a-z0-9]*+[\s/>])", re.IGNORECASE)
_TYPE: Final = re.compile(rb"\ncontent-type:\s*+([a-z0-9./+-]+)")
_BASE64: Final = re.compile(rb"(?:[A-Za-z0-9+/]{1,998}+\r?\n?)*+[A-Za-z0-9+/]*+={0,2}\s*")
_BASE64_LINES: Final = re.compile(rb"\s*(?:[A-Za-z0-9+/]{60,76}[ \t]*+\r?\n)++[A-Za-z0-9+/=]*+\s*")
_NOT_QUOTED: Final = re.compile(rb"[\x80-\xff]|=(?![0-9A-Fa-f]{2}|[ \t]*(?:\r|\n|\Z))")
_QUOTED: Final = re.compile(rb"=(?:3D|20\r?\n|[C-E][0-9A-F]=)|^[^\r\n]{69,75}=\r?$", re.MULTILINE)


def labels_fit(labels: Mapping[str, str], signed: Collection[str], text: bytes) -> bool:
    """May these headers be believed about this text? `signed`: the names of those that are signed.

    Blank lines below a text are never signed, and others may have put any number of them there.
    """
    told, text = Message(), text.rstrip() + b"\r\n"
    for name, value in labels.items():
        told[name] = re.sub(r"[\r\n]+", " ", value)
    encoding = labels.get(ENCODING, "").strip().lower()
    if DISPOSITION not in signed and (told.get_filename() or told.get_content_disposition() == "attachment"):
        return False
    if ENCODING not in signed and not _is_encoded(text, encoding):
        return False
    return TYPE in signed or _is_of_type(told, labels.get(TYPE), encoding, text)


def _is_encoded(text: bytes, encoding: str) -> bool:
    if encoding == "base64":
        return _BASE64.fullmatch(text) is not None
    if _BASE64_LINES.fullmatch(text):
        return False
    if encoding == "quoted-printable":
        return _NOT_QUOTED.search(text) is None
    return encoding in AS_IT_IS and not _is_quoted_printable(text)


def _is_quoted_printable(text: bytes) -> bool:
    """A divided text holds encoded parts, and is none itself."""
    return not _is_divided(text) and _QUOTED.search(text) is not None


def _is_divided(text: bytes) -> bool:
    """Does a boundary's last line close it, and stand there before?"""
    last = _CLOSED.search(text[-LOOKED_AT:])
    return (
        last is not None
        and re.search(rb"(?:\A|\n)--" + re.escape(last[1]) + rb"[ \t]*\r?\n", text) is not None
    )


def _is_of_type(told: Message, value: str | None, encoding: str, text: bytes) -> bool:
    if value is not None and not _WELL_FORMED.fullmatch(value):
        return False
    kind = told.get_content_type()
    if kind.startswith("multipart/"):
        return encoding in AS_IT_IS and _is_divided_by(str(told.get_boundary("")).encode(), kind, text)
    if kind not in ("text/plain", "text/html") or told.get_param("name") is not None:
        return False
    if _is_divided(text) or _has_doubled_parameters(told):
        return False
    written, is_html = _decoded(text, encoding)[:MAX_TEXT_BYTES], kind == "text/html"
    if (_HTML.match(written[:LOOKED_AT]) is not None) != is_html:
        return False
    charset = str(told.get_param("charset", ""))
    if not _is_in(charset, written, declared_charset(written) if is_html else ""):
        return False
    return is_html or _is_laid_out(told, decode(written, charset))


def _has_doubled_parameters(told: Message) -> bool:
    names = [name.lower() for name, _ in told.get_params([])]
    return len(set(names)) < len(names)


def _is_in(charset: str, written: bytes, declared: str) -> bool:
    """Does the charset make nothing else of the text than what is read without it?

    Of what is not UTF-8, a charset of many bytes may make other signs of those that are not ASCII.
    """
    codec, plain = find_codec(charset), decode(written, declared)
    if codec.startswith(SHIFTED):
        return True
    if codec not in MANY_BYTES:
        return decode(written, charset) == plain
    other = written.decode(codec, "replace")  # blanks below it may decide whether it can be read so at all
    return other == plain or (not _is_utf8(written) and _ascii_of(other) == _ascii_of(plain))


def _is_utf8(written: bytes) -> bool:
    try:
        written.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _ascii_of(text: str) -> bytes:
    return text.encode("ascii", "ignore")


# ------------------------------------------------------------------ lines that flow


def _is_laid_out(told: Message, text: str) -> bool:
    """Do its own lines flow if the label says so, and only then?

    Programs break a paragraph where it is wide enough, and let only such lines end in a blank.
    """
    lines = [line[:MAX_LINE] for line in text.splitlines()[:MAX_TEXT_LINES]]
    rejoined = _rejoined(lines)
    if str(told.get_param("format", "")).strip().lower() != "flowed":
        return len(rejoined) == len(lines)
    flowed = unflow(lines, delete_space=str(told.get_param("delsp", "")).strip().lower() == "yes")
    read = [line.text for line in flowed if not line.quoted]
    own = [line.text for line in marked_lines(rejoined) if not line.quoted]
    return _worded(read) == _worded(own)


def _rejoined(lines: Sequence[str]) -> list[str]:
    """The lines, with those that are not quoted put together where they look broken."""
    whole: list[str] = []
    flows = False
    for place, line in enumerate(lines):
        if flows:
            whole[-1] = f"{whole[-1].rstrip()} {line}"
        else:
            whole.append(line)
        below = lines[place + 1] if place + 1 < len(lines) else ""
        first = below.split(maxsplit=1)[:1]
        flows = (
            line.endswith(" ")
            and bool(first)
            and len(line.rstrip()) + 1 + len(first[0]) > WIDTH
            and not strip_marks(line)[1]
            and not strip_marks(below)[1]
        )
    return whole


def _worded(lines: Sequence[str]) -> list[list[str]]:
    return [words for line in lines if (words := line.split())]


def _is_divided_by(boundary: bytes, kind: str, text: bytes) -> bool:
    """Nothing but blanks, or words for old programs, stands outside its parts."""
    mark = b"\n--" + boundary
    preamble, _, parts = (b"\n" + text).partition(mark)
    if not boundary or not _PREAMBLE.match(preamble) or not text.rstrip().endswith(mark + b"--"):
        return False
    heads = [_head(part) for part in parts.split(mark)[:-1]]
    return all(head is not None for head in heads) and _is_kind([head or b"" for head in heads], kind)


def _head(part: bytes) -> bytes | None:
    """The headers of a part; None: the line before it only begins like the boundary."""
    line, _, rest = part.partition(b"\n")
    return None if line.strip() else re.split(rb"\r?\n\r?\n", b"\n" + rest[:LOOKED_AT], maxsplit=1)[0].lower()


def _is_kind(heads: Sequence[bytes], kind: str) -> bool:
    """Do the parts make such a whole?

    Of a signed text, the last part is the signature. Forms of one text are of different types, and no files.
    Plain text and HTML, and no more, are such.
    """
    types = [found[1] if (found := _TYPE.search(head)) else b"text/plain" for head in heads]
    files = any(b"attachment" in head or b"name=" in head for head in heads)
    match kind.removeprefix("multipart/"):
        case "signed":
            return len(types) == 2 and types[1] in SEALS
        case "alternative":
            return len(set(types)) == len(types) and not files
        case "mixed" | "related":
            return files or types != [b"text/plain", b"text/html"]
        case _:  # reports are automatic, and of digests other parts are read
            return False


def _decoded(text: bytes, encoding: str) -> bytes:
    if encoding == "quoted-printable":
        return a2b_qp(text)
    if encoding != "base64":
        return text
    plain = re.sub(rb"[^A-Za-z0-9+/]", b"", text)
    try:
        return a2b_base64(plain[: len(plain) // 4 * 4] or b"")
    except Error:
        return b""
