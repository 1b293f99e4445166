"""Which lines of a text its writer quoted, and which his mail program put there.

A quote is marked line by line (`>`, or an HTML quote that `hypertext` counted), or it only begins: below
`-----Original Message-----`, a copied header or an attribution. Such a quote runs to the last line of our
letter (its end marker) or to the end of the text; what a player writes below our end marker is his own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from pbem.mail.introductions import (
    END_MARKER,
    MAX_INTRODUCTION,
    RULE,
    START_MARKER,
    HeaderKind,
    header_kind,
    is_attribution,
    is_certain,
    is_divider,
    is_phone_signature,
    may_introduce,
    opens_attribution,
)
from pbem.mail.letter import Role, TextLine

MAX_DEPTH = 50  # deeper marks are not counted
MAX_ATTRIBUTION = 5  # lines
MAX_HEADER_LINES = 12  # of a copied header, wrapped lines included
MAX_SIGNATURE = 12  # lines below a bare "--"

_MARKS = re.compile(r"\s*>(?:\s*>)*\s?")
_MANGLED = re.compile(r">From\b")  # what mailbox files do to a line that begins with "From"
_DASHES = ("--", "-- ", "—", "–", "— ", "– ")
_BLOCK_END = re.compile(r"\W*(?:END|FIN)\W*", re.IGNORECASE)


def unmarked(text: str) -> tuple[str, int]:
    """A line without its quote marks, and their number: `> >> x` is x at depth 3."""
    marks = _MARKS.match(text) if ">" in text else None
    if marks is None:
        return text, 0
    return text[marks.end() :], min(marks[0].count(">"), MAX_DEPTH)


def marked_lines(texts: Sequence[str]) -> list[TextLine]:
    """Plain lines with their depth by marks alone."""
    lines = [TextLine(*unmarked(text)) for text in texts]
    for place, text in enumerate(texts):
        if text.startswith(">From") and _MANGLED.match(text) and not _beside_quote(lines, place):
            lines[place] = TextLine(text[1:])
    return lines


def _beside_quote(lines: Sequence[TextLine], place: int) -> bool:
    return any(line.quoted for line in (*lines[max(0, place - 1) : place], *lines[place + 1 : place + 2]))


def told_apart(lines: Sequence[TextLine]) -> tuple[TextLine, ...]:
    """The lines with the quotes that only begin, attributions, copied headers and signatures recognised."""
    return tuple(_Reader(lines).read())


def speaks(lines: Sequence[TextLine]) -> bool:
    """Is there a line of the writer's own?"""
    return any(line.quoted == 0 and line.text.strip() for line in _Reader(lines).read())


class _Reader:
    """One pass over the lines; `level` counts the quotes that only began."""

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self.lines = lines
        self.next_text = _next_texts(lines)
        self.level = 0
        self.in_signature = False
        self._introductions: dict[int, int] = {}  # looked for once at each place
        self._kinds: dict[int, HeaderKind | None] = {}
        own = [(n, line.text) for n, line in enumerate(lines) if not line.quoted and not line.is_struck]
        ends = [n for n, text in own if _BLOCK_END.fullmatch(text)]
        self.last_block_end = ends[-1] if ends else -1

    def read(self) -> Iterator[TextLine]:
        place = 0
        while place < len(self.lines):
            line = self.lines[place]
            if line.quoted and not self.level and not line.role and not may_introduce(line.text):
                self.in_signature = self.in_signature and not line.text.strip()  # as below, for most lines
                yield line
                place += 1
                continue
            end = self._introduction(place)
            if end > place:
                yield from self._introduce(place, end)
                place = end
                continue
            yield self._tell(place, line)
            place += 1

    def _introduce(self, place: int, end: int) -> Iterator[TextLine]:
        """Attribution, divider or copied header: below it stands a quote, if marks do not say so already."""
        depth = self.lines[place].quoted
        if self._opens_quote(place, end):
            self.level += 1
            self.in_signature = False
        for line in self.lines[place:end]:
            yield TextLine(line.text, max(1, depth + self.level), "attribution")

    def _opens_quote(self, place: int, end: int) -> bool:
        if self.lines[place].quoted:
            return False
        following = self.next_text[end]
        if following < 0 or self.lines[following].quoted:
            return False
        if not self._is_bare_attribution(place, end) or _is_marker(self.lines[following]):
            return True
        return not self._marks_follow(following)

    def _marks_follow(self, place: int) -> bool:
        """Are there marked lines before the next introduction? Then the quote just here was cut out."""
        for after, line in enumerate(self.lines[place:], place):
            if line.quoted and not line.role:
                return True
            if self._introduction(after) > after:
                return False
        return False

    def _is_bare_attribution(self, place: int, end: int) -> bool:
        """`Somebody wrote:`, and neither a divider nor a copied header."""
        first, last = self.lines[place], self.lines[end - 1]
        if (
            is_divider(first.text.strip())
            or RULE.fullmatch(first.text.strip())
            or self._header_end(place) >= end
        ):
            return False
        return last.text.rstrip().endswith(":") or not first.role

    def _tell(self, place: int, line: TextLine) -> TextLine:
        if line.quoted == 0 and self.level and END_MARKER.fullmatch(line.text.strip()):
            self.level -= 1
            return TextLine(line.text, self.level + 1)
        if line.quoted == 0 and self.level == 0:
            return self._at_the_surface(place, line)
        self.in_signature = self.in_signature and not line.text.strip()
        depth = line.quoted + self.level
        return TextLine(line.text, depth, line.role, line.left) if self.level else line

    def _at_the_surface(self, place: int, line: TextLine) -> TextLine:
        if _is_marker(line):
            self.in_signature = False
        elif line.text in _DASHES and self._is_signature(place):
            self.in_signature = True
        role: Role = line.role
        if self.in_signature or is_phone_signature(line.text):
            role = "signature"
        if not line.text.strip():
            return TextLine(line.text)
        return TextLine(line.text, 1 if role else 0, role, line.left)

    def _is_signature(self, place: int) -> bool:
        """A line of dashes ends the text, unless much follows or a block of orders is still open."""
        return place >= self.last_block_end and self._own_below[place + 1] <= MAX_SIGNATURE

    @cached_property
    def _own_below(self) -> list[int]:
        """For each place how many lines stand from there to the next quote, marker or introduction."""
        found = [0] * (len(self.lines) + 1)
        for place in range(len(self.lines) - 1, -1, -1):
            line = self.lines[place]
            if not (line.quoted or _is_marker(line) or self._introduction(place) > place):
                found[place] = found[place + 1] + bool(line.text.strip())
        return found

    def _introduction(self, place: int) -> int:
        """Where the introduction of a quote that begins here ends; `place` if none begins."""
        if place not in self._introductions:
            self._introductions[place] = self._introduction_end(place)
        return self._introductions[place]

    def _introduction_end(self, place: int) -> int:
        line = self.lines[place]
        if line.role == "attribution":
            return self._same_role(place)
        if line.role or not may_introduce(line.text):
            return place
        text = line.text.strip()
        if is_divider(text):
            return self._header_end(self.next_text[place + 1], place + 1)
        if not text[0].isalnum() and RULE.fullmatch(text):
            below = self.next_text[place + 1]
            return self._header_end(below, place) if 0 <= below <= place + 3 else place
        return max(self._header_end(place), self._attribution_end(place))

    def _same_role(self, place: int) -> int:
        end = place
        for line in self.lines[place:]:
            if line.role != "attribution":
                break
            end += 1
        return end

    def _header_end(self, place: int, otherwise: int | None = None) -> int:
        """The end of a copied header (three of its lines, sender among them); else `otherwise` or `place`."""
        none = place if otherwise is None else otherwise
        if place < 0 or self._kind(place) is None:
            return none
        kinds: set[HeaderKind] = set()
        last = end = place
        for at, line in enumerate(self.lines[place : place + MAX_HEADER_LINES], place):
            kind = self._kind(at)
            if (
                line.quoted != self.lines[place].quoted
                or not line.text.strip()
                or (kind in kinds and kind != "cc")
            ):
                break
            end += 1
            if kind is not None:
                kinds.add(kind)
                last = end
        complete = "from" in kinds and len(kinds) >= 3 and bool({"date", "subject"} & kinds)
        return self._through_wrapped(last, end) if complete else none

    def _kind(self, place: int) -> HeaderKind | None:
        if place not in self._kinds:
            self._kinds[place] = header_kind(self.lines[place].text[:MAX_INTRODUCTION])
        return self._kinds[place]

    def _through_wrapped(self, last: int, end: int) -> int:
        """A copied header ends at a blank line; without one, at its last line that has a name."""
        stops_at_blank = end >= len(self.lines) or not self.lines[end].text.strip()
        return end if stops_at_blank and end - last <= 2 else last

    def _attribution_end(self, place: int) -> int:
        """The end of `On …, somebody wrote:`, which programs wrap; `place` if there is none."""
        first = self.lines[place]
        if not _may_attribute(first.text.strip()):
            return place
        joined, without_colon = "", place
        for end in range(place + 1, min(place + MAX_ATTRIBUTION, len(self.lines)) + 1):
            line = self.lines[end - 1]
            if line.quoted != first.quoted or not line.text.strip() or len(joined) > MAX_INTRODUCTION:
                break
            joined = f"{joined} {line.text.strip()}".strip()
            found = is_attribution(joined[:MAX_INTRODUCTION]) and self._counts(joined, end)
            if found and joined.endswith(":"):
                return end
            without_colon = end if found else without_colon
            if end == place + 1 and "<" not in joined and not opens_attribution(joined):
                break
        return without_colon

    def _counts(self, attribution: str, end: int) -> bool:
        """A line of prose may look like an attribution: it counts with hour or address, or above a quote."""
        following = self.next_text[end]
        if following >= 0:
            below = self.lines[following]
            if below.quoted or _is_marker(below):
                return True
        return is_certain(attribution)


def _may_attribute(text: str) -> bool:
    """Has a line any sign of the first of an attribution?"""
    signs = text.endswith(":") or text.startswith("---") or "@" in text or "<" in text
    return signs or opens_attribution(text)


def _is_marker(line: TextLine) -> bool:
    return "##" in line.text and bool(START_MARKER.fullmatch(line.text.strip()))


def _next_texts(lines: Sequence[TextLine]) -> list[int]:
    """For each place the first line at or after it that is not blank; -1 where none is left."""
    following = [-1] * (len(lines) + 2)
    for place in range(len(lines) - 1, -1, -1):
        following[place] = place if lines[place].text.strip() else following[place + 1]
    return following
