"""From the bytes of a text to lines of clean characters, whatever its sender says they are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from encodings.aliases import aliases
from itertools import islice
from typing import Final
from urllib.parse import unquote

from pbem.mail.message import TextLine

MAX_TEXT_BYTES = 256 * 1024  # of one text, before decoding
MAX_TEXT_LINES = 2_000
MAX_LINE = 4_000  # characters

# Python knows codecs that are no charsets, and some whose time grows with the square of the text.
ONE_BYTE: Final = frozenset(
    {
        *(f"iso8859_{n}" for n in (*range(2, 12), 13, 14, 15, 16)),
        *(f"cp{n}" for n in (1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258, 437, 850, 852, 866, 874)),
        *("koi8_r", "koi8_u", "mac_roman", "mac_latin2", "mac_cyrillic", "tis_620"),
    }
)
MANY_BYTES: Final = frozenset(
    {"utf_7", "utf_16", "utf_16_le", "utf_16_be", "utf_32", "utf_32_le", "utf_32_be"}
    | {"gb2312", "gbk", "gb18030", "hz", "big5", "big5hkscs", "cp950", "cp949", "euc_kr", "johab", "euc_jp"}
    | {"iso2022_jp", "iso2022_jp_1", "iso2022_jp_2", "iso2022_kr", "shift_jis", "cp932", "shift_jisx0213"}
)
FALLBACK = "cp1252"  # every byte of ISO 8859-1 and the quotes and dashes that Windows puts between them

_NAME = re.compile(r"[a-z0-9][a-z0-9_.:+-]{0,39}", re.IGNORECASE)
_BLANK = re.compile(r"[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u2800\u3164\u115f\u1160]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def decode(data: bytes, charset: str = "") -> str:
    """The text of these bytes; never fails, and believes the bytes more than their label."""
    marked = _by_mark(data)
    if marked is not None:
        return marked
    codec = find_codec(charset)
    if codec in MANY_BYTES:
        try:
            return data.decode(codec)
        except (UnicodeError, ValueError):
            codec = ""
    try:
        return data.decode("utf-8")  # no text in a one-byte charset is valid UTF-8 by chance
    except UnicodeDecodeError:
        pass
    if codec == "utf_8" and _nearly_utf8(data):
        return data.decode("utf-8", "replace")
    return data.decode(codec if codec in ONE_BYTE else FALLBACK, "replace")


def find_codec(charset: str) -> str:
    """Python's name for a charset; "" if there is none that is meant for mail."""
    name = charset.strip().strip("'\"").lower()
    if not _NAME.fullmatch(name):
        return ""
    plain = re.sub(r"[^a-z0-9]+", "_", name)
    codec = aliases.get(plain, plain)
    if codec in ONE_BYTE or codec in MANY_BYTES:
        return codec
    return "utf_8" if codec in ("utf_8", "utf_8_sig", "utf8mb4", "unicode_1_1_utf_8") else ""


def _by_mark(data: bytes) -> str | None:
    """A byte-order mark is believed before any label."""
    for mark, codec in ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if data.startswith(mark):
            return data[len(mark) :].decode(codec, "replace")
    return None


def _nearly_utf8(data: bytes) -> bool:
    """Valid but for a few bytes, as when a mail was cut or mended on its way."""
    text = data.decode("utf-8", "replace")
    return text.count("\ufffd") * 4 <= sum(character > "\x7f" for character in text)


_LINK = re.compile(r" ?<(mailto:|https?://|tel:)?([^<>\s]{1,1000})>")
MOST_LINKS = 20  # of one line
_LAST_WORD = re.compile(r"[^\s<>]{2,200}\Z")


def without_links(line: str) -> str:
    """Without the targets that programs write behind a word they took for a link: `C@TRI<mailto:C@TRI>`."""
    if "<" not in line or ">" not in line:
        return line
    kept, end = "", 0
    for link in islice(_LINK.finditer(line), MOST_LINKS):
        kept += line[end : link.start()]
        word = _LAST_WORD.search(kept[-200:])
        target = unquote(link[2]).casefold()
        known = word is not None and _is_target(target, word[0].casefold(), bool(link[1]))
        kept, end = kept if known else kept + link[0], link.end()
    return kept + line[end:]


def _is_target(target: str, word: str, has_scheme: bool) -> bool:
    """Gateways write addresses of their own around a link; without a scheme only a mail address is one."""
    if not has_scheme:
        return word == target and "@" in word
    return word == target.rstrip("/") or f"//{word}" in target or f"mailto:{word}" in target


class _Seen(dict[int, str]):
    """Each character, or nothing for one that cannot be seen; looked up once."""

    def __missing__(self, code: int) -> str:
        self[code] = "" if _is_unseen(chr(code)) else chr(code)
        return self[code]


_SEEN: Final = _Seen()


def clean(line: str) -> str:
    """What can be seen of a line: every blank is a space; marks of direction and of no width are gone.

    Composed accents, as keyboards make them; what a terminal would obey is removed.
    """
    if line.isascii() and line.isprintable():
        return line.rstrip()
    spaced = _SURROGATE.sub("\ufffd", _BLANK.sub(" ", line[:MAX_LINE]))
    return unicodedata.normalize("NFC", spaced.translate(_SEEN)).rstrip()


def _is_unseen(character: str) -> bool:
    if character < "\x7f":
        return character < " "
    variation = "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
    return variation or character == "\u034f" or unicodedata.category(character) in ("Cf", "Cc")


_MARKS = re.compile(r">*")
SIGNATURE = "-- "  # never flows


def unflow(lines: Iterable[str], *, delete_space: bool) -> list[TextLine]:
    """The paragraphs of a flowed text, each with the number of its quote marks.

    With DelSp the blank at a soft line end belongs to the wire.
    """
    whole: list[TextLine] = []
    pieces: list[str] = []
    depth = 0
    for line in lines:
        marks = _MARKS.match(line)
        quoted = marks.end() if marks else 0
        text = line[quoted:].removeprefix(" ")  # stuffed for the wire
        if pieces and (quoted != depth or text == SIGNATURE):
            whole.append(TextLine("".join(pieces), depth))  # a paragraph never changes its depth
            pieces = []
        depth = quoted
        if text.endswith(" ") and text != SIGNATURE:
            pieces.append(text[:-1] if delete_space else text)
            continue
        whole.append(TextLine("".join([*pieces, text]), depth))
        pieces = []
    if pieces:
        whole.append(TextLine("".join(pieces), depth))
    return whole
